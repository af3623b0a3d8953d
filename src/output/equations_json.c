/* The equations for a program. Matrices are lists of [row, column, expression], numbered from 1; everything
   of the fundamental equation stands under "equation", what long equations share under "where". */
#include "output/equations.h"

static void put(const equations_view *view, mech_expr e, textbuf *out)
{
    if (!e.id) {
        text_add(out, "null");
        return;
    }
    text_add_char(out, '"'); /* the text of an expression needs no escapes */
    equations_put(view, e, MECH_PRINT_TEXT, out);
    text_add_char(out, '"');
}

/* "where": [["c1", "cos(phi)"], ...], each with those before it; only where there are any. */
static void put_names(const equations_view *view, textbuf *out)
{
    text_add(out, "  \"where\": [");
    for (uint32_t k = 1; k <= view->names.count; k++) {
        text_add(out, k > 1 ? ",\n    [\"" : "\n    [\"");
        print_name(&view->names, k, MECH_PRINT_TEXT, out);
        text_add(out, "\", \"");
        equations_put_definition(view, k, MECH_PRINT_TEXT, out);
        text_add(out, "\"]");
    }
    text_add(out, "\n  ],\n");
}

static void key(textbuf *out, int *first, const char *name)
{
    text_format(out, "%s\n    \"%s\": ", *first ? "" : ",", name);
    *first = 0;
}

static void put_entries(const equations_view *view, const model_entries *list, textbuf *out)
{
    text_add_char(out, '[');
    for (size_t i = 0; i < list->count; i++) {
        text_format(out, "%s[%u, %u, ", i ? ", " : "", list->items[i].row + 1, list->items[i].column + 1);
        put(view, list->items[i].value, out);
        text_add_char(out, ']');
    }
    text_add_char(out, ']');
}

static void put_list(const equations_view *view, const mech_expr *list, size_t count, textbuf *out)
{
    text_add_char(out, '[');
    for (size_t i = 0; i < count; i++) {
        if (i) text_add(out, ", ");
        put(view, list[i], out);
    }
    text_add_char(out, ']');
}

static void put_coordinates(const mech_model *m, textbuf *out)
{
    text_add(out, "  \"coordinates\": [");
    for (size_t i = 0; i < m->coords_count; i++) {
        if (i) text_add(out, ", ");
        text_add_string(out, m->coords[i].name);
    }
    text_add(out, "],\n  \"rows\": [");
    for (size_t row = 0; row < m->rows_count; row++) {
        const model_row *r = &m->rows[row];
        text_format(out, "%s\n    {\"name\": \"", row ? "," : "");
        textbuf name = {0};
        equations_row_name(m, row, &name);
        if (name.data) text_add_json(out, name.data);
        out->failed |= name.failed;
        text_free(&name);
        text_add(out, "\", \"constraint\": ");
        text_add_string(out, m->constraints[r->constraint].name);
        text_add(out, ", ");
        equations_row_json(m, row, out);
        text_add_char(out, '}');
    }
    text_add(out, m->rows_count ? "\n  ],\n" : "],\n");
}

void equations_json(const equations_view *view, textbuf *out)
{
    const mech_model *m = view->model;
    const model_equations *e = &m->equations;
    const size_t n = m->coords_count, rows = m->rows_count;
    int first = 1;
    text_add(out, "{\n");
    put_coordinates(m, out);
    if (view->names.count) put_names(view, out);
    text_add(out, "  \"equation\": {");
#define PART_LIST(part, name, list, count)                                                                             \
    if (shows_part(view, part)) {                                                                                      \
        key(out, &first, name);                                                                                        \
        put_list(view, list, count, out);                                                                              \
    }
#define PART_ENTRIES(part, name, entries)                                                                              \
    if (shows_part(view, part)) {                                                                                      \
        key(out, &first, name);                                                                                        \
        put_entries(view, entries, out);                                                                               \
    }
#define PART_ONE(part, name, value)                                                                                    \
    if (shows_part(view, part)) {                                                                                      \
        key(out, &first, name);                                                                                        \
        put(view, value, out);                                                                                         \
    }
    PART_ENTRIES(PART_M, "M_lower", &e->M)
    PART_LIST(PART_Q, "Q", e->Q, n)
    PART_ENTRIES(PART_A, "A", &view->A)
    PART_LIST(PART_B, "b", view->b, rows)
    PART_LIST(PART_VELOCITY, "a0", view->a0, rows)
    PART_LIST(PART_R, "r", view->r, rows)
    PART_LIST(PART_R_DOT, "r_dot", view->r_dot, rows)
    PART_ENTRIES(PART_C, "C", &e->C)
    PART_ENTRIES(PART_G, "G", &e->G)
    PART_ONE(PART_T, "T", e->kinetic)
    PART_ONE(PART_V, "V", e->potential)
    PART_ONE(PART_D, "D", e->dissipation)
    PART_ONE(PART_H, "h", e->energy)
    PART_ONE(PART_POWER, "power", e->power)
    text_add(out, "\n  }\n}\n");
}
