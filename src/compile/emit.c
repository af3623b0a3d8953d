/* Straight lines or loops. */
#include "compile/emit_room.h"

#include "base/try.h"

/* Loops where they leave less than a quarter of the statements: a statement in a loop costs several in a line, to
   compile and to run. Or where the lines would be too long. */
static mech_status emit_shorter(const emit_spec *spec, size_t lines, textbuf *to, emit_result *result)
{
    textbuf text = {0};
    emit_result loops;
    const mech_status status = emit_loops(spec, to ? &text : NULL, &loops);
    const int is_wanted = spec->straight == 1 || 4 * loops.statements < lines || (spec->most && lines > spec->most);
    if (status == MECH_ERR_MEMORY || (status == MECH_OK && is_wanted)) {
        if (status == MECH_OK && to) text_add_n(to, text.data, text.length);
        text_free(&text);
        *result = loops;
        result->lines = lines;
        return status == MECH_OK && to && to->failed ? MECH_ERR_MEMORY : status;
    }
    text_free(&text);
    return emit_lines(spec, to, result);
}

mech_status emit_c(const emit_spec *spec, textbuf *to, emit_result *result)
{
    if (!spec->straight || spec->graph->front_count) return emit_lines(spec, to, result);
    emit_spec counted = *spec;
    counted.most = 0;
    counted.with_twins = 0;
    MECH_TRY(emit_lines(&counted, NULL, result));
    const size_t lines = result->statements;
    if (lines > spec->straight) return emit_shorter(spec, lines, to, result);
    return emit_lines(spec, to, result);
}
