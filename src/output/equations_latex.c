/* The equations for a typeset page: amsmath's matrices where they fit, entries where they do not. */
#include "output/equations.h"

enum { WIDEST_MATRIX = 6 };

static void put(const equations_view *view, mech_expr e, textbuf *out)
{
    equations_put(view, e, MECH_PRINT_LATEX, out);
}

static void begin(textbuf *out, const char *left) { text_format(out, "\\[\n%s = \\begin{pmatrix}\n", left); }

static void end(textbuf *out) { text_add(out, "\\end{pmatrix}\n\\]\n"); }

static void show_matrix(const equations_view *view, const char *left, size_t rows, size_t columns, int lower_triangle,
                        const model_entries *entries, textbuf *out)
{
    begin(out, left);
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < columns; j++) {
            if (j) text_add(out, " & ");
            const size_t row = lower_triangle && j > i ? j : i, column = lower_triangle && j > i ? i : j;
            put(view, model_entry_at(entries, row, column), out);
        }
        text_add(out, " \\\\\n");
    }
    end(out);
}

static void show_vector(const equations_view *view, const char *left, const mech_expr *list, size_t count, textbuf *out)
{
    begin(out, left);
    for (size_t i = 0; i < count; i++) {
        if (list[i].id) put(view, list[i], out);
        else text_add(out, "\\text{--}");
        text_add(out, " \\\\\n");
    }
    end(out);
}

static void show_entries(const equations_view *view, const char *letter, const model_entries *entries, textbuf *out)
{
    for (size_t i = 0; i < entries->count; i++) {
        text_format(out, "\\[ %s_{%u,%u} = ", letter, entries->items[i].row + 1, entries->items[i].column + 1);
        put(view, entries->items[i].value, out);
        text_add(out, " \\]\n");
    }
}

static void show_scalar(const equations_view *view, equations_part part, const char *left, mech_expr e, textbuf *out)
{
    if (!shows_part(view, part) || expr_is_zero(e)) return;
    text_format(out, "\\[ %s = ", left);
    put(view, e, out);
    text_add(out, " \\]\n");
}

static void show_names(const equations_view *view, textbuf *out)
{
    for (uint32_t k = 1; k <= view->names.count; k++) {
        text_add(out, "\\[ ");
        print_name(&view->names, k, MECH_PRINT_LATEX, out);
        text_add(out, " = ");
        equations_put_definition(view, k, MECH_PRINT_LATEX, out);
        text_add(out, " \\]\n");
    }
}

static void show_coordinates(const equations_view *view, textbuf *out)
{
    const mech_model *m = view->model;
    text_add(out, "\\[ q = (");
    for (size_t i = 0; i < m->coords_count; i++) {
        if (i) text_add(out, ",\\; ");
        put(view, m->coords[i].q, out);
    }
    text_add(out, ")^T \\]\n");
}

void equations_latex(const equations_view *view, textbuf *out)
{
    const mech_model *m = view->model;
    const model_equations *e = &m->equations;
    const size_t n = m->coords_count, rows = m->rows_count;
    const int fits = n <= WIDEST_MATRIX && rows <= 4 * WIDEST_MATRIX;
    text_add(out, "% needs amsmath\n");
    show_coordinates(view, out);
    show_names(view, out);
    if (shows_part(view, PART_M)) {
        if (fits) show_matrix(view, "M", n, n, 1, &e->M, out);
        else show_entries(view, "M", &e->M, out);
    }
    if (shows_part(view, PART_Q)) show_vector(view, "Q", e->Q, n, out);
    if (rows && shows_part(view, PART_A)) {
        if (fits) show_matrix(view, "A", rows, n, 0, &view->A, out);
        else show_entries(view, "A", &view->A, out);
    }
    if (rows && shows_part(view, PART_B)) show_vector(view, "b", view->b, rows, out);
    if (rows && shows_part(view, PART_VELOCITY)) show_vector(view, "a_{\\cdot 0}", view->a0, rows, out);
    if (rows && shows_part(view, PART_R)) show_vector(view, "r", view->r, rows, out);
    if (rows && shows_part(view, PART_R_DOT)) show_vector(view, "\\dot{r}", view->r_dot, rows, out);
    if (shows_part(view, PART_C) && e->C.count) show_entries(view, "C", &e->C, out);
    if (shows_part(view, PART_G) && e->G.count) show_entries(view, "G", &e->G, out);
    show_scalar(view, PART_T, "T", e->kinetic, out);
    show_scalar(view, PART_V, "V", e->potential, out);
    show_scalar(view, PART_D, "D", e->dissipation, out);
    show_scalar(view, PART_H, "h", e->energy, out);
    show_scalar(view, PART_POWER, "\\dot{h}", e->power, out);
}
