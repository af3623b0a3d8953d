/* Reports of equilibria, linear systems, stability and gains. */
#include "output/instant.h"
#include "output/modes.h"

#include "base/mem.h"
#include "base/tolerances.h"
#include "system/system.h"

#include <math.h>
#include <string.h>

static mech_status take(textbuf *out, char **text)
{
    *text = text_take(out);
    return *text ? MECH_OK : MECH_ERR_MEMORY;
}

static void title_json(const char *title, textbuf *out)
{
    text_add(out, "{\n  \"model\": \"");
    text_add_json(out, title ? title : "");
    text_add(out, "\"");
}

/* ---- the point and the modes ---- */

static void motion_lines(const mech_system *system, const mech_linear_result *l, textbuf *out)
{
    text_format(out, "Motion       %d of %d states on the constraints (rank %d in position, %d in velocity)\n",
                l->freedom, l->order, l->rank_position, l->rank_velocity);
    if (l->kink_count) return; /* modes of neither side */
    text_add(out, "  modes      ");
    modes_text(l->motion, "             ", out);
    modes_shapes_text(system, l, out);
    if (l->cyclic_count) {
        text_add(out, "  shifts     ");
        for (int k = 0; k < l->cyclic_count; k++)
            text_format(out, "%s%s", k ? ", " : "", mech_system_name(system, MECH_ITEM_COORD, (size_t)l->cyclic[k]));
        text_format(out, ": nothing depends on %s, one zero mode each, left out above\n",
                    l->cyclic_count == 1 ? "it" : "them");
    }
    if (l->constraint->n) {
        text_add(out, "Constraints  modes of the excess variables, which B and K govern and the motion does "
                      "not feel\n             ");
        modes_text(l->constraint, "             ", out);
    }
}

/* The polynomial and the matrix come from different derivations: do they have the same number of roots, and on the
   same sides? What the eigenvalues put on the axis, to rounding, may lie on either. */
static int polynomial_agrees(const mech_linear_result *l, const mech_routh *routh, const mech_symbolic_result *symbolic)
{
    const mech_modes_result *m = l->motion;
    if (!symbolic) return 1;
    if (symbolic->degree != (symbolic->is_full ? l->order : l->freedom)) return 0;
    if (symbolic->is_full || !routh) return 1; /* gains as symbols have values of their own */
    const mech_routh_result *r = mech_routh_get(routh);
    const int near = m->axis + m->zero + l->freedom - m->n;
    return r->right >= m->right && r->right <= m->right + near && r->left >= m->left && r->left <= m->left + near;
}

typedef enum agreement { AGREE, NOT_COMPARED, DISAGREE, OF_ANOTHER } agreement;

/* OF_ANOTHER: where the point does not stay, its polynomial need not be that of the matrix. */
static agreement compare(const mech_linear_result *l, const mech_routh *routh, const mech_symbolic_result *symbolic)
{
    const mech_modes_result *m = l->motion;
    if (!m->agree) return DISAGREE;
    if (!polynomial_agrees(l, routh, symbolic)) return l->kind == MECH_POINT_FROZEN ? OF_ANOTHER : DISAGREE;
    return (routh || m->routh_right >= 0) && !m->axis ? AGREE : NOT_COMPARED;
}

static void verdict_line(const mech_system *system, const mech_linear_result *l, agreement with_routh, textbuf *out)
{
    static const char *const words[] = {" (eigenvalues and Routh agree)", "",
                                        "\n             EIGENVALUES AND ROUTH DISAGREE: do not trust either",
                                        ". The polynomial is another one: at a point that does not stay they differ"};
    const mech_modes_result *m = l->motion;
    const char *doubt = mech_linear_doubt(l);
    if (doubt) {
        text_format(out, "Verdict      none: %s\n", doubt);
        return;
    }
    text_format(out, "Verdict      %s%s", l->kind == MECH_POINT_FROZEN ? "of the frozen matrix: " : "",
                mech_verdict_text(m->verdict));
    if (m->verdict == MECH_VERDICT_STABLE && l->freedom > m->n)
        text_format(out, " but for the shift%s above, left out: %s would stay where it is put",
                    l->freedom - m->n == 1 ? "" : "s",
                    l->cyclic_count == 1 ? mech_system_name(system, MECH_ITEM_COORD, (size_t)l->cyclic[0]) : "each");
    if (m->right) text_format(out, ", %d mode%s to the right of the axis", m->right, m->right == 1 ? "" : "s");
    if (m->verdict == MECH_VERDICT_DEFECTIVE) text_add(out, "; so says the linear system, higher terms may hold it");
    else if (m->axis && !m->right)
        text_format(out, ": %d on the axis to rounding, the linear system cannot decide", m->axis);
    else if (m->verdict == MECH_VERDICT_MARGINAL && m->zero)
        text_format(out, ": %d mode%s at zero, the others decay", m->zero, m->zero == 1 ? "" : "s");
    text_format(out, "%s\n", words[with_routh]);
}

/* Whose rates act, by names, and then by how much. */
static void rates_json(const mech_system *system, const mech_linear_result *l, textbuf *out)
{
    const size_t N = (size_t)l->order, nu = (size_t)l->inputs, ny = (size_t)l->outputs;
    const struct {
        const char *name;
        const double *data;
        size_t rows;
    } matrices[] = {{"B1", l->E1, N},
                    {"B2", l->E2, N},
                    {"D1", l->D1, ny},
                    {"D2", l->D2, ny},
                    {"reduced_D", l->reduced_D, ny},
                    {"reduced_D1", l->reduced_D1, ny},
                    {"reduced_D2", l->reduced_D2, ny},
                    {"by_input", l->by_input, N},
                    {"by_input_rate", l->by_input_rate, N}};
    int count = 0;
    text_add(out, ",\n  \"rates_of_inputs\": [");
    for (size_t k = 0; k < nu; k++) {
        if (!l->input_rates[k]) continue;
        if (count++) text_add(out, ", ");
        text_add_string(out, mech_system_name(system, MECH_ITEM_INPUT, k));
    }
    text_add_char(out, ']');
    for (size_t k = 0; l->uses_input_rates && k < sizeof matrices / sizeof *matrices; k++) {
        text_format(out, ",\n  \"%s\": ", matrices[k].name);
        modes_matrix_json(matrices[k].data, matrices[k].rows, nu, out);
    }
}

static void linear_json(const mech_system *system, const mech_linear_result *l, textbuf *out)
{
    const size_t N = (size_t)l->order, nu = (size_t)l->inputs, ny = (size_t)l->outputs, d = (size_t)l->freedom;
    point_json(system, l, out);
    text_add(out, ",\n  \"states\": [");
    for (size_t k = 0; k < N; k++) {
        textbuf name = {0};
        modes_state_name(system, (size_t)l->n, k, &name);
        text_add(out, k ? ", \"" : "\"");
        if (name.data) text_add_json(out, name.data);
        text_add_char(out, '"');
        out->failed |= name.failed;
        text_free(&name);
    }
    const double *const matrices[] = {l->A, l->E, l->C, l->D, l->reduced_A, l->reduced_E, l->reduced_C, l->basis};
    const size_t rows[] = {N, N, ny, ny, d, d, ny, N}, columns[] = {N, nu, N, nu, d, nu, d, d};
    static const char *const names[] = {"A", "B", "C", "D", "reduced_A", "reduced_B", "reduced_C", "basis"};
    text_add_char(out, ']');
    for (int k = 0; k < 8; k++) {
        text_format(out, ",\n  \"%s\": ", names[k]);
        if (l->kink_count && (matrices[k] == l->A || matrices[k] == l->reduced_A)) text_add(out, "null");
        else modes_matrix_json(matrices[k], rows[k], columns[k], out);
    }
    rates_json(system, l, out);
    text_format(out, ",\n  \"rank_position\": %d, \"rank_velocity\": %d, \"freedom\": %d, \"leak\": ", l->rank_position,
                l->rank_velocity, l->freedom);
    text_add_double(out, l->leak);
    text_add(out, ",\n  \"cyclic\": [");
    for (int k = 0; k < l->cyclic_count; k++) {
        if (k) text_add(out, ", ");
        text_add_string(out, mech_system_name(system, MECH_ITEM_COORD, (size_t)l->cyclic[k]));
    }
    text_format(out, "], \"shifts_left_out\": %d,\n  \"motion\": ", l->kink_count ? 0 : l->freedom - l->motion->n);
    if (l->kink_count) text_add(out, "null");
    else modes_json(l->motion, out);
    text_add(out, ",\n  \"shapes\": ");
    modes_shapes_json(l, out);
    text_add(out, ",\n  \"constraint\": ");
    modes_json(l->constraint, out);
}

/* ---- linearize ---- */

static void matrix_text(const char *name, const double *X, size_t rows, size_t columns, textbuf *out)
{
    enum { MOST = 12 };
    text_format(out, "%s (%zu x %zu)", name, rows, columns);
    if (rows == 0 || columns == 0 || rows > MOST || columns > MOST) {
        text_add(out, rows && columns ? ": --json or -o sys.mat has it\n" : "\n");
        return;
    }
    text_add_char(out, '\n');
    for (size_t i = 0; i < rows; i++) {
        text_add(out, "  ");
        for (size_t j = 0; j < columns; j++) {
            textbuf cell = {0};
            modes_number(&cell, X[i + j * rows]);
            text_format(out, "  %11s", cell.data ? cell.data : "");
            out->failed |= cell.failed;
            text_free(&cell);
        }
        text_add_char(out, '\n');
    }
}

/* Whose rates act, and what is left to say of them on the constraints. */
static void rates_text(const mech_system *system, const mech_linear_result *l, textbuf *out)
{
    int count = 0;
    text_add(out, "Rates        u' and u'' act as well as u:");
    for (size_t k = 0; k < (size_t)l->inputs; k++)
        if (l->input_rates[k])
            text_format(out, "%s %s", count++ ? "," : "", mech_system_name(system, MECH_ITEM_INPUT, k));
    text_add(out, "; --json or -o sys.mat has the system without them, on the constraints\n");
}

mech_status mech_report_linear(const mech_system *system, const mech_linear_result *l, const char *title,
                               mech_report_format format, char **text)
{
    textbuf out = {0};
    if (format == MECH_REPORT_JSON) {
        title_json(title, &out);
        linear_json(system, l, &out);
        text_add(&out, "\n}\n");
        return take(&out, text);
    }
    const size_t N = (size_t)l->order, nu = (size_t)l->inputs, ny = (size_t)l->outputs, d = (size_t)l->freedom;
    text_format(&out, "%s\n", title ? title : "");
    point_text(system, l, &out);
    text_add(&out, "State        x = (");
    for (size_t k = 0; k < N; k++) {
        if (k) text_add(&out, ", ");
        modes_state_name(system, (size_t)l->n, k, &out);
    }
    text_add(&out, l->uses_input_rates ? "),  x' = A x + B u + B1 u' + B2 u'',  y = C x + D u + D1 u' + D2 u''\n"
                                       : "),  x' = A x + B u,  y = C x + D u\n");
    matrix_text("A", l->A, N, N, &out);
    if (nu) matrix_text("B", l->E, N, nu, &out);
    if (l->uses_input_rates) matrix_text("B1", l->E1, N, nu, &out);
    if (l->uses_input_rates) matrix_text("B2", l->E2, N, nu, &out);
    if (ny) matrix_text("C", l->C, ny, N, &out);
    if (nu && ny) matrix_text("D", l->D, ny, nu, &out);
    if (l->uses_input_rates && ny) matrix_text("D1", l->D1, ny, nu, &out);
    if (l->uses_input_rates && ny) matrix_text("D2", l->D2, ny, nu, &out);
    point_outputs_text(system, l, &out);
    point_choices_text(system, l, &out);
    point_inputs_text(system, l, &out);
    if (l->uses_input_rates) rates_text(system, l, &out);
    if (l->rows) matrix_text("on the constraints", l->reduced_A, d, d, &out);
    motion_lines(system, l, &out);
    return take(&out, text);
}

/* ---- stability ---- */

mech_status mech_report_stability(const mech_system *system, const mech_linear_result *l, const mech_routh *routh,
                                  const mech_symbolic_result *symbolic, const char *title, mech_report_format format,
                                  char **text)
{
    textbuf out = {0};
    const int is_hidden =
        l->kind == MECH_POINT_FROZEN && symbolic && !symbolic->asked && !symbolic->is_exact; /* not shown: no matter */
    const agreement with_routh = is_hidden ? compare(l, NULL, NULL) : compare(l, routh, symbolic);
    const mech_routh *shown = !symbolic || symbolic->is_exact ? routh : NULL;
    if (format == MECH_REPORT_LATEX) {
        if (symbolic) symbolic_latex(symbolic, &out);
        else if (routh) routh_latex(routh, &out);
    } else if (format == MECH_REPORT_JSON) {
        title_json(title, &out);
        linear_json(system, l, &out);
        text_format(&out, ",\n  \"agree\": %s", with_routh != DISAGREE ? "true" : "false");
        if (shown) {
            text_add(&out, ",\n  \"routh\": ");
            routh_json(shown, &out);
        }
        if (symbolic) {
            text_add(&out, ",\n  \"symbolic\": ");
            symbolic_json(symbolic, &out);
        }
        text_add(&out, "\n}\n");
    } else {
        text_format(&out, "%s\n", title ? title : "");
        point_text(system, l, &out);
        motion_lines(system, l, &out);
        const int in_symbols = symbolic && symbolic->asked;
        if (in_symbols || (symbolic && shown)) symbolic_text(symbolic, in_symbols, &out);
        if (shown && (!in_symbols || symbolic->is_cut)) routh_text(shown, l->freedom - l->motion->n, &out);
        verdict_line(system, l, with_routh, &out);
    }
    return take(&out, text);
}

/* ---- equilibrium ---- */

static void forces_text(const mech_system *system, const mech_equilibrium_result *e, textbuf *out)
{
    if (e->rows == 0) return;
    text_format(out, "Constraints  rank %d of %d row%s\n", e->rank, e->rows, e->rows == 1 ? "" : "s");
    for (int i = 0; i < e->rows; i++) {
        const mech_row row = mech_system_row(system, (size_t)i);
        text_format(out, "  %-12s ", mech_system_row_name(system, (size_t)i));
        if (system->constraints[row.constraint].waits) {
            text_add(out, "not in force: it waits for an event");
        } else {
            text_add(out, "lambda = ");
            modes_number(out, e->lambda[i]);
            text_format(out, "   %s",
                        e->unique_lambda[i]               ? "unique"
                        : e->unique_force[row.constraint] ? "least-norm choice; the constraint's force is unique"
                                                          : "least-norm choice");
        }
        text_add_char(out, '\n');
    }
    text_add(out, "  Qi           ");
    double largest = 0;
    for (int j = 0; j < e->n; j++) largest = fmax(largest, fabs(e->Qi[j]));
    for (int j = 0; j < e->n; j++) {
        text_format(out, "%s%s ", j ? ", " : "", mech_system_name(system, MECH_ITEM_COORD, (size_t)j));
        modes_number(out, fabs(e->Qi[j]) < TOL_SHOWN_STILL * largest ? 0 : e->Qi[j]);
    }
    text_add_char(out, '\n');
}

/* What friction has to hold, and what it bears. */
static void friction_text(const mech_system *system, const mech_equilibrium_result *e, textbuf *out)
{
    for (int k = 0; k < e->frictions; k++) {
        const mech_instant_law *f = &e->friction[k];
        text_format(out, k ? "             %s " : "Friction     %s ", f->name);
        if (f->mode == MECH_FRICTION_MODE_OFF) {
            text_add(out, "is off: its constraints are released\n");
            continue;
        }
        text_add(out, "holds ");
        modes_number(out, f->tangential < TOL_SHOWN_PULL * f->normal ? 0 : f->tangential);
        text_add(out, " of at most ");
        modes_number(out, f->bound);
        if (instant_bound_is_given(system, (size_t)k)) {
            text_add(out, ", which is given\n");
            continue;
        }
        text_add(out, " (normal load ");
        modes_number(out, f->normal);
        text_add(out, ")\n");
    }
}

static void friction_json(const mech_system *system, const mech_equilibrium_result *e, textbuf *out)
{
    text_add(out, ",\n  \"frictions\": [");
    for (int k = 0; k < e->frictions; k++) {
        const mech_instant_law *f = &e->friction[k];
        text_add(out, k ? ", {\"name\": \"" : "{\"name\": \"");
        text_add_json(out, f->name);
        text_add(out, "\", \"tangential\": ");
        text_add_double(out, f->tangential);
        text_add(out, ", \"bound\": ");
        text_add_double(out, f->bound);
        text_add(out, ", \"normal\": ");
        if (instant_bound_is_given(system, (size_t)k)) text_add(out, "null");
        else text_add_double(out, f->normal);
        text_add_char(out, '}');
    }
    text_add_char(out, ']');
}

static void values_text(const mech_system *system, const mech_equilibrium_result *e, textbuf *out)
{
    const mech_sizes sizes = mech_system_sizes(system);
    for (size_t k = 0; k < sizes.coords; k++) {
        const char *unit = mech_system_unit(system, MECH_ITEM_COORD, k);
        text_format(out, "  %-12s ", mech_system_name(system, MECH_ITEM_COORD, k));
        text_add_double(out, e->q[k]);
        if (unit) text_format(out, " %s", unit);
        if (e->is_steady) {
            text_add(out, "   moving at ");
            text_add_double(out, e->v[k]);
        }
        text_add_char(out, '\n');
    }
    for (size_t k = 0; k < sizes.states; k++) {
        text_format(out, "  %-12s ", mech_system_name(system, MECH_ITEM_STATE, k));
        text_add_double(out, e->z[k]);
        text_add_char(out, '\n');
    }
}

static void forces_json(const mech_system *system, const mech_equilibrium_result *e, int has_kink, textbuf *out)
{
    text_add(out, ",\n  \"multipliers\": [");
    for (int i = 0; i < e->rows; i++) {
        text_add(out, i ? ", {\"row\": " : "{\"row\": ");
        text_add_string(out, mech_system_row_name(system, (size_t)i));
        text_add(out, ", \"lambda\": ");
        text_add_double(out, e->lambda[i]);
        text_add(out, ", \"reaction\": ");
        text_add_double(out, e->reaction[i]);
        const size_t owner = mech_system_row(system, (size_t)i).constraint;
        text_format(out, ", \"unique\": %s, \"force_unique\": %s, \"in_force\": %s}",
                    e->unique_lambda[i] ? "true" : "false", e->unique_force[owner] ? "true" : "false",
                    system->constraints[owner].waits ? "false" : "true");
    }
    text_add(out, "],\n  \"Qi\": ");
    modes_matrix_json(e->Qi, 1, (size_t)e->n, out);
    text_add(out, ",\n  \"Qni\": ");
    modes_matrix_json(e->Qni, 1, (size_t)e->n, out);
    text_format(out, ",\n  \"rank\": %d, \"family\": ", e->rank);
    if (has_kink) text_add(out, "null");
    else text_format(out, "%d", e->family);
    text_format(out, ", \"iterations\": %d, \"beginnings\": %d, \"residual\": ", e->iterations, e->beginnings);
    text_add_double(out, e->residual);
}

mech_status mech_report_equilibrium(const mech_system *system, const mech_equilibrium_result *e,
                                    const mech_linear_result *l, const char *title, mech_report_format format,
                                    char **text)
{
    textbuf out = {0};
    const char *kind = e->is_steady ? "steady motion" : "equilibrium";
    const int has_kink = l && l->kink_count > 0; /* then ranks tell nothing of what lies beside it */
    const int stays = !l || l->kind != MECH_POINT_FROZEN;
    if (format == MECH_REPORT_JSON) {
        title_json(title, &out);
        text_format(&out, ",\n  \"kind\": \"%s\", \"stays\": %s,\n  \"point\": ", kind, stays ? "true" : "false");
        modes_point_json(system, e->q, e->v, e->z, &out);
        text_add(&out, ",\n  \"kinks\": ");
        point_kinks_json(l, &out);
        forces_json(system, e, has_kink, &out);
        if (e->frictions) friction_json(system, e, &out);
        text_add(&out, "\n}\n");
        return take(&out, text);
    }
    text_format(&out, "%s\n%s%s\n", title ? title : "", kind, e->t != 0 ? " at the given time" : "");
    values_text(system, e, &out);
    forces_text(system, e, &out);
    friction_text(system, e, &out);
    if (has_kink) point_kinks_text(l, &out);
    else if (e->family && e->frictions)
        text_format(&out,
                    "Family       one of a set of dimension %d: friction holds beside it too, while it bears "
                    "enough\n",
                    e->family);
    else if (e->family)
        text_format(&out, "Family       one of a set of dimension %d, near where the search began\n", e->family);
    if (!stays && l->varying_input >= 0)
        text_format(&out, "Note         the input %s changes with time: the forces balance at t = %.7g only\n",
                    mech_system_name(system, MECH_ITEM_INPUT, (size_t)l->varying_input), e->t);
    else if (!stays && l->varies_with_time)
        text_format(&out, "Note         the equations change with time: they balance at t = %.7g only\n", e->t);
    else if (!stays)
        text_add(&out, "Note         accelerations vanish here but not further along: in these coordinates "
                       "it is not steady\n");
    if (l && l->weak >= 0)
        text_format(&out, "Warning      the mass matrix is all but singular here: %s loses its inertia\n",
                    mech_system_name(system, MECH_ITEM_COORD, (size_t)l->weak));
    if (l && l->lost >= 0) {
        text_add(&out, "Warning      the constraints lose rank here: ");
        text_add(&out, mech_system_row_name(system, (size_t)l->lost));
        text_add(&out, " adds nothing to the others at this point, but does beside it\n");
    }
    text_format(&out, "Residual     %.2g after %d iteration%s", e->residual, e->iterations,
                e->iterations == 1 ? "" : "s");
    if (e->beginnings > 1) text_format(&out, ", from beginning %d (those before led nowhere)", e->beginnings);
    text_add_char(&out, '\n');
    return take(&out, text);
}

/* ---- gains ---- */

static void gain_rows(const mech_system *system, const mech_gains_result *g, textbuf *out)
{
    const size_t m = (size_t)g->rows;
    text_format(out, "  %-14s %14s %14s\n", "row", "B", "K");
    for (size_t i = 0; i < m; i++) {
        textbuf B = {0}, K = {0};
        modes_number(&B, g->B[i + i * m]);
        modes_number(&K, g->K[i + i * m]);
        const mech_level level = mech_system_row(system, i).level;
        text_format(out, "  %-14s %14s %14s%s\n", mech_system_row_name(system, i), B.data ? B.data : "",
                    level == MECH_LEVEL_HOLONOMIC && K.data ? K.data : "-",
                    level == MECH_LEVEL_NONHOLONOMIC   ? "   (nonholonomic: no K)"
                    : level == MECH_LEVEL_ACCELERATION ? "   (acceleration: none)"
                                                       : "");
        out->failed |= B.failed || K.failed;
        text_free(&B);
        text_free(&K);
    }
}

mech_status mech_report_gains(const mech_system *system, const mech_gains_result *g, const char *title,
                              mech_report_format format, char **text)
{
    textbuf out = {0};
    const size_t m = (size_t)g->rows;
    if (format == MECH_REPORT_JSON) {
        title_json(title, &out);
        text_add(&out, ",\n  \"B\": ");
        modes_matrix_json(g->B, m, m, &out);
        text_add(&out, ",\n  \"K\": ");
        modes_matrix_json(g->K, m, m, &out);
        text_add(&out, ",\n  \"decay\": ");
        text_add_double(&out, g->decay);
        text_add(&out, ",\n  \"modes\": ");
        modes_json(g->modes, &out);
        text_format(&out, ",\n  \"independent_rows\": %d,\n  \"warnings\": [", g->independent);
        for (int k = 0; k < g->warning_count; k++) {
            if (k) text_add(&out, ", ");
            text_add_string(&out, g->warnings[k]);
        }
        text_add(&out, "]\n}\n");
        return take(&out, text);
    }
    text_format(&out, "%s\nGains of r'' = -B r' - K r%s\n", title ? title : "",
                g->is_diagonal ? "" : " (full matrices; the diagonal is shown, --json has all)");
    if (m == 0) text_add(&out, "  the model has no constraints\n");
    else gain_rows(system, g, &out);
    if (m) {
        text_add(&out, "Modes        ");
        modes_text(g->modes, "             ", &out);
        text_format(&out, "Verdict      %s, slowest decay %.6g 1/s%s\n", mech_verdict_text(g->modes->verdict), g->decay,
                    g->modes->routh_right >= 0 ? " (eigenvalues and Routh's criterion)" : " (eigenvalues)");
    }
    for (int k = 0; k < g->warning_count; k++) text_format(&out, "Warning      %s\n", g->warnings[k]);
    return take(&out, text);
}
