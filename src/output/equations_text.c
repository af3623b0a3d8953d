/* The equations as a person reads them in a terminal. */
#include "output/equations.h"

#include "base/mem.h"

enum { WIDEST_DENSE = 8 }; /* coordinates up to which rows are written out with their zeros */

static void put(const equations_view *view, mech_expr e, textbuf *out) { equations_put(view, e, MECH_PRINT_TEXT, out); }

static void heading(textbuf *out, const char *text)
{
    if (out->length) text_add_char(out, '\n');
    text_format(out, "%s\n", text);
}

static void show_names(const equations_view *view, textbuf *out)
{
    heading(out, "where, shared by what follows");
    for (uint32_t k = 1; k <= view->names.count; k++) {
        text_add(out, "  ");
        print_name(&view->names, k, MECH_PRINT_TEXT, out);
        text_add(out, " = ");
        equations_put_definition(view, k, MECH_PRINT_TEXT, out);
        text_add_char(out, '\n');
    }
}

static void show_mass(const equations_view *view, textbuf *out)
{
    const mech_model *m = view->model;
    const model_entries *M = &m->equations.M;
    heading(out, "M, the mass matrix (symmetric; entries not shown are 0)");
    for (size_t i = 0; i < M->count; i++) {
        text_format(out, "  M[%s, %s] = ", m->coords[M->items[i].column].name, m->coords[M->items[i].row].name);
        put(view, M->items[i].value, out);
        text_add_char(out, '\n');
    }
    if (!M->count) text_add(out, "  0\n");
}

static void show_forces(const equations_view *view, textbuf *out)
{
    const mech_model *m = view->model;
    heading(out, "Q, impressed and velocity forces");
    for (size_t i = 0; i < m->coords_count; i++) {
        if (m->coords_count > WIDEST_DENSE && expr_is_zero(m->equations.Q[i])) continue;
        text_format(out, "  Q[%s] = ", m->coords[i].name);
        put(view, m->equations.Q[i], out);
        text_add_char(out, '\n');
    }
}

/* One row of A: all of it where it is short, else its entries. */
static void show_row_entries(const equations_view *view, size_t row, textbuf *out)
{
    const mech_model *m = view->model;
    const int dense = m->coords_count <= WIDEST_DENSE;
    size_t at = view->row_start[row];
    text_add_char(out, '[');
    for (size_t j = 0; dense && j < m->coords_count; j++) {
        if (j) text_add(out, ", ");
        const int here = at < view->row_start[row + 1] && view->A.items[at].column == j;
        put(view, here ? view->A.items[at++].value : EXPR_ZERO, out);
    }
    for (int first = 1; !dense && at < view->row_start[row + 1]; at++, first = 0) {
        text_format(out, "%s%s: ", first ? "" : ", ", m->coords[view->A.items[at].column].name);
        put(view, view->A.items[at].value, out);
    }
    text_add_char(out, ']');
}

static void show_line(const equations_view *view, const char *label, mech_expr e, textbuf *out)
{
    text_format(out, "    %s = ", label);
    put(view, e, out);
    text_add_char(out, '\n');
}

static void show_row(const equations_view *view, size_t row, textbuf *out)
{
    text_add(out, "  ");
    equations_row_name(view->model, row, out);
    text_add(out, " (");
    equations_row_kind(view->model, row, out);
    text_add(out, ")\n");
    if (shows_part(view, PART_R) && view->r[row].id) show_line(view, "r ", view->r[row], out);
    if (shows_part(view, PART_R_DOT) && view->r_dot[row].id) show_line(view, "r'", view->r_dot[row], out);
    if (shows_part(view, PART_VELOCITY) && view->a0[row].id) {
        text_format(out, "    a_%zuk = ", row + 1);
        show_row_entries(view, row, out);
        text_format(out, ", a_%zu0 = ", row + 1);
        put(view, view->a0[row], out);
        text_add_char(out, '\n');
    }
    if (shows_part(view, PART_A)) {
        text_add(out, "    A = ");
        show_row_entries(view, row, out);
        text_add_char(out, '\n');
    }
    if (shows_part(view, PART_B)) show_line(view, "b", view->b[row], out);
}

static void show_columns(const equations_view *view, const model_entries *list, const char *letter, const char *title,
                         textbuf *out)
{
    const mech_model *m = view->model;
    if (!list->count) return;
    heading(out, title);
    for (size_t i = 0; i < list->count; i++) {
        text_format(out, "  %s[%s, %u] = ", letter, m->coords[list->items[i].row].name, list->items[i].column + 1);
        put(view, list->items[i].value, out);
        text_add_char(out, '\n');
    }
}

static void show_scalar(const equations_view *view, equations_part part, const char *label, mech_expr e, textbuf *out)
{
    if (!shows_part(view, part) || expr_is_zero(e)) return;
    text_format(out, "  %s = ", label);
    put(view, e, out);
    text_add_char(out, '\n');
}

void equations_text(const equations_view *view, textbuf *out)
{
    const mech_model *m = view->model;
    const model_equations *e = &m->equations;
    const unsigned row_parts = 1u << PART_A | 1u << PART_B | 1u << PART_VELOCITY | 1u << PART_R | 1u << PART_R_DOT;
    text_add(out, "q = (");
    for (size_t i = 0; i < m->coords_count && i < 12; i++) text_format(out, "%s%s", i ? ", " : "", m->coords[i].name);
    text_add(out, m->coords_count > 12 ? ", ...)\n" : ")\n");
    if (view->names.count) show_names(view, out);
    if (shows_part(view, PART_M)) show_mass(view, out);
    if (shows_part(view, PART_Q)) show_forces(view, out);
    if (m->rows_count && (view->parts & row_parts)) {
        heading(out, shows_part(view, PART_VELOCITY) ? "Constraints: sum a_jk q'_k + a_j0 = 0 and A q'' = b"
                                                     : "Constraints: A q'' = b");
        for (size_t row = 0; row < m->rows_count; row++) show_row(view, row, out);
    }
    if (shows_part(view, PART_C))
        show_columns(view, &e->C, "C",
                     "C, the laws of constraints that do work (before projection), one column for each law", out);
    if (shows_part(view, PART_G)) show_columns(view, &e->G, "G", "G, directions of the actuators", out);
    const unsigned energies = 1u << PART_T | 1u << PART_V | 1u << PART_D | 1u << PART_H | 1u << PART_POWER;
    if (!(view->parts & energies)) return;
    heading(out, "Energies, h = q'.dL/dq' - L, and its rate without the constraints' share");
    show_scalar(view, PART_T, "T", e->kinetic, out);
    show_scalar(view, PART_V, "V", e->potential, out);
    show_scalar(view, PART_D, "D", e->dissipation, out);
    show_scalar(view, PART_H, "h", e->energy, out);
    show_scalar(view, PART_POWER, "dh/dt", e->power, out);
}
