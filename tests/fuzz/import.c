/* Any bytes as a robot's file; a text that comes out can be read as far as its form goes. */
#include <mech/import.h>
#include <mech/lang.h>

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    mech_import_options options;
    char *text = NULL;
    mech_diagnostics *diagnostics = mech_diagnostics_create();
    if (size == 0 || !diagnostics) {
        mech_diagnostics_free(diagnostics);
        return 0;
    }
    mech_import_options_default(&options, sizeof options);
    options.no_files = 1;
    options.is_free = data[0] & 1; /* the first byte chooses */
    options.keeps_angles = data[0] >> 1 & 1;
    options.place = data[0] >> 2 & 1 ? "ground" : NULL;
    const mech_status status =
        mech_import_text("fuzz.xml", (const char *)data + 1, size - 1, &options, diagnostics, &text);
    if ((status == MECH_OK) != (text != NULL)) abort();
    if (status != MECH_OK && status != MECH_ERR_MEMORY && mech_diagnostics_error_count(diagnostics) == 0) abort();
    if (text) {
        mech_model *model = NULL;
        mech_read_options reading;
        mech_read_options_default(&reading, sizeof reading);
        reading.no_files = 1;
        reading.max_turns = 300;
        if (mech_read_text("fuzz.mech", text, strlen(text), &reading, diagnostics, &model) == MECH_ERR_SYNTAX) abort();
        mech_model_free(model);
    }
    mech_text_free(text);
    mech_text_free(mech_diagnostics_format(diagnostics));
    mech_diagnostics_free(diagnostics);
    return 0;
}
