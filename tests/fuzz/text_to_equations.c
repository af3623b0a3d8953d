/* Any text: tokens, tree, model and equations, without files and with few loop turns. */
#include <mech/lang.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = (const char *)data;
    mech_diagnostics *diagnostics = mech_diagnostics_create();
    mech_model *model = NULL;
    mech_read_options options;
    mech_read_options_default(&options, sizeof options);
    options.no_files = 1;
    options.max_turns = 300;
    if (diagnostics && mech_read_text("fuzz", text, size, &options, diagnostics, &model) == MECH_OK) {
        /* what was read can be printed, entry by entry */
        const size_t n = mech_model_coord_count(model), m = mech_model_row_count(model);
        for (size_t i = 0; i < n && i < 8; i++)
            mech_text_free(mech_print(mech_model_pool(model), mech_model_Q(model, i), MECH_PRINT_TEXT));
        for (size_t i = 0; i < m && i < 8; i++)
            mech_text_free(mech_print(mech_model_pool(model), mech_model_b(model, i), MECH_PRINT_LATEX));
    }
    mech_text_free(mech_diagnostics_format(diagnostics));
    mech_model_free(model);
    mech_diagnostics_free(diagnostics);
    mech_text_free(mech_dump_tokens(text, size));
    mech_text_free(mech_dump_syntax(text, size));
    return 0;
}
