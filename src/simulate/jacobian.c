/* Partial derivatives of the right-hand side for the implicit methods, exact: the equation differentiated at
   fixed q'' and multipliers is the equation again, with other right sides:
       M da - A' dl = -d(M a - Q - A' l - C)      A da = -d(A a - b)
   on the factors of the equation itself, one column after the other. Laws that look at multipliers, slipping
   friction and control add unknowns: jacobian_general.c. */
#include "simulate/jacobian.h"
#include "base/try.h"

#include <string.h>

/* Does a law look at the ideal multipliers, lambda or force? Then their derivative is needed too. */
static int laws_look_at_ideal(const mech_sim *s)
{
    const mech_pattern p = mech_system_pattern(s->system, MECH_MATRIX_D_C);
    const mech_columns at = mech_system_columns(s->system);
    for (size_t k = 0; k < p.count; k++)
        if (p.column[k] >= at.lambda && p.column[k] < at.lambda + s->m) return 1;
    return 0;
}

const char *sim_why_no_jacobian(const mech_sim *s)
{
    if (!mech_system_has_jacobian(s->system))
        return "it needs derivatives of the equation: mech_system_options.with_derivatives; a system of C functions has none";
    if (s->laws_use_root) return "a law given by z has no exact derivative (that of the root of M)";
    if (s->has_control && (s->laws_use_reaction || s->sizes.frictions))
        return "control together with friction, or with laws that look at reactions, has no exact derivative";
    return NULL;
}

int sim_has_jacobian(const mech_sim *s) { return sim_why_no_jacobian(s) == NULL; }

/* The column of y for a column of the system's derivatives; SIZE_MAX: none. */
static size_t column_of(const mech_sim *s, size_t c)
{
    const mech_columns at = mech_system_columns(s->system);
    if (c >= at.q && c < at.q + s->n) return c - at.q;
    if (c >= at.v && c < at.v + s->n) return s->n + c - at.v;
    if (c >= at.z && c < at.z + s->nz) return 2 * s->n + c - at.z;
    return SIZE_MAX;
}

/* Where a law gives inputs: what an entry by input c does to the columns of y, through the law. */
static void scatter_input(const mech_sim *s, size_t c, double value, size_t row, size_t rows, double *into)
{
    const size_t first = mech_system_columns(s->system).u, inputs = s->sizes.inputs;
    if (!s->implicit.jacobian->law_slope || c < first || c >= first + inputs) return;
    const double *slope = s->implicit.jacobian->law_slope + (c - first);
    for (size_t j = 0; j < 2 * s->n + s->nz; j++) into[row + j * rows] += value * slope[j * inputs];
}

void jacobian_scatter(const mech_sim *s, mech_matrix which, const double *values, double sign, size_t rows,
                      double *into)
{
    const mech_pattern p = mech_system_pattern(s->system, which);
    for (size_t k = 0; k < p.count; k++) {
        const size_t column = column_of(s, p.column[k]);
        if (column != SIZE_MAX) into[p.row[k] + column * rows] += sign * values[k];
        else scatter_input(s, p.column[k], sign * values[k], p.row[k], rows, into);
    }
}

/* The system's derivatives with q'' = a and total multipliers l. */
static mech_status derivatives(mech_sim *s, const double *a, const double *l, mech_jacobian *d)
{
    mech_status status = mech_eval_reaction(s->eval, NULL, l);
    status = mech_eval_acceleration(s->eval, a);
    (void)status; /* laws and events at multipliers that are only a means need not be finite */
    s->implicit.jacobian->law_slope = eval_law_slope(s->eval);
    return mech_eval_jacobian(s->eval, d);
}

mech_status jacobian_at(mech_sim *s, const double *a, const double *l, double *F, double *R)
{
    const size_t columns = s->implicit.jacobian->columns;
    mech_jacobian d;
    MECH_TRY(derivatives(s, a, l, &d));
    memset(F, 0, s->n * columns * sizeof *F);
    jacobian_scatter(s, MECH_MATRIX_D_MOTION, d.motion, 1, s->n, F);
    if (!R) return MECH_OK;
    memset(R, 0, s->rows * columns * sizeof *R);
    jacobian_scatter(s, MECH_MATRIX_D_ROW, d.row, 1, s->rows, R);
    return MECH_OK;
}

/* Laws: entry k of C stands in coordinate row[k]; silent ones do not count. */
static void add_laws(const mech_sim *s, const double *values, double *F)
{
    const mech_pattern p = mech_system_pattern(s->system, MECH_MATRIX_D_C);
    for (size_t k = 0; k < p.count; k++) {
        const size_t entry = p.row[k], column = column_of(s, p.column[k]);
        const mech_law law = mech_system_law(s->system, s->pattern_C.column[entry]);
        if (!laws_is_on(s->system, &law, s->eq->active)) continue;
        if (column != SIZE_MAX) F[s->pattern_C.row[entry] + column * s->n] -= values[k];
        else scatter_input(s, p.column[k], -values[k], s->pattern_C.row[entry], s->n, F);
    }
}

static double gain(const double *gains, size_t count, size_t m, size_t i, size_t j)
{
    return count == m * m && m > 1 ? gains[i + j * m] : i != j ? 0 : count == 1 ? gains[0] : gains[i];
}

/* Row i of R gets one row of gains times the derivatives `values` of r or r'. */
static void add_gain(const mech_sim *s, const double *gains, size_t count, mech_matrix which, const double *values, size_t i, double *R)
{
    const mech_pattern p = mech_system_pattern(s->system, which);
    for (size_t k = 0; k < p.count; k++) {
        const size_t column = column_of(s, p.column[k]);
        if (column != SIZE_MAX) R[i + column * s->rows] += gain(gains, count, s->m, i, p.row[k]) * values[k];
    }
}

/* b - B r' - K r: what the gains add to d(A a - b). */
static void add_gains(const mech_sim *s, const mech_jacobian *d, double *R)
{
    const int all = s->settings.stabilize == MECH_STABILIZE_EXCESS;
    for (size_t i = 0; i < s->m; i++) {
        if (!all && !s->servo[i]) continue;
        add_gain(s, s->B, s->gain_B, MECH_MATRIX_D_R_DOT, d->r_dot, i, R);
        add_gain(s, s->K, s->gain_K, MECH_MATRIX_D_R, d->r, i, R);
    }
}

/* ---- laws that look at the ideal part ---- */

/* F -= dC/dlambda dlambda: the ideal multipliers' own derivative, from the equation with C = 0. */
static mech_status add_ideal(mech_sim *s, const double *d_C)
{
    const sim_jacobian_room *r = s->implicit.jacobian;
    const size_t n = s->n, rows = s->rows;
    const mech_pattern p = mech_system_pattern(s->system, MECH_MATRIX_D_C);
    const mech_columns at = mech_system_columns(s->system);
    double *by = r->law; /* (n x rows), taken again later */
    memset(by, 0, n * rows * sizeof *by);
    for (size_t k = 0; k < p.count; k++) {
        const size_t entry = p.row[k], c = p.column[k];
        const mech_law law = mech_system_law(s->system, s->pattern_C.column[entry]);
        if (c >= at.lambda && c < at.lambda + s->m && laws_is_on(s->system, &law, s->eq->active))
            by[s->pattern_C.row[entry] + (c - at.lambda) * n] += d_C[k];
    }
    MECH_TRY(
        mech_fundamental_again(s->solver, s->has_singular_mass ? s->Q_used : s->eq->Q, s->b, r->a, NULL));
    MECH_TRY(jacobian_at(s, r->a, s->lambda, r->F2, r->R2));
    for (size_t c = 0; c < r->columns; c++) {
        double *f = r->F2 + c * n, *g = r->R2 + c * rows;
        for (size_t i = 0; i < n; i++) f[i] = -f[i];
        for (size_t i = 0; i < rows; i++) g[i] = s->active[i] ? -g[i] : 0;
        MECH_TRY(mech_fundamental_again(s->solver, f, g, r->a, r->dl));
        for (size_t row = 0; row < s->m; row++)
            for (size_t i = 0; i < n; i++) r->F[i + c * n] -= by[i + row * n] * r->dl[row];
    }
    return MECH_OK;
}

/* ---- the plain solve ---- */

static mech_status solve_columns(mech_sim *s, double *J)
{
    const sim_jacobian_room *r = s->implicit.jacobian;
    for (size_t c = 0; c < r->columns; c++) {
        double *F = r->F + c * s->n, *R = r->R + c * s->rows;
        for (size_t i = 0; i < s->n; i++) F[i] = -F[i];
        for (size_t i = 0; i < s->rows; i++) R[i] = s->active[i] ? -R[i] : 0;
        for (size_t i = 0; s->has_singular_mass && !s->is_sparse && i < s->m; i++)
            for (size_t j = 0; j < s->n && s->active[i] && !s->servo[i]; j++)
                F[j] += s->alpha * s->A_used[i + j * s->rows] * R[i];
        MECH_TRY(mech_fundamental_again(s->solver, F, R, J + s->n + c * s->ny, NULL));
    }
    return MECH_OK;
}

/* ---- all of it ---- */

mech_status sim_jacobian_create(mech_sim *s)
{
    const size_t n = s->n, rows = s->rows, columns = 2 * n + s->nz;
    if (!sim_has_jacobian(s) || s->implicit.jacobian) return MECH_OK;
    sim_jacobian_room *r = arena_alloc(&s->memory, sizeof *r);
    if (!r) return MECH_ERR_MEMORY;
    *r = (sim_jacobian_room){.columns = columns, .looks_at_ideal = s->has_laws && laws_look_at_ideal(s)};
    r->forces = !s->has_control ? 0 : s->sizes.actuators ? s->sizes.actuators : n;
    r->size = jacobian_general_size(s);
    const int is_plain = r->size == 0 && !r->looks_at_ideal && !s->has_control;
    struct {
        double **to;
        size_t count;
    } const all[] = {
        {&r->F, n * columns},
        {&r->R, rows * columns},
        {&r->F2, is_plain ? 0 : n * columns},
        {&r->R2, is_plain ? 0 : rows * columns},
        {&r->F0, is_plain ? 0 : n * columns},
        {&r->law, is_plain ? 0 : n * rows},
        {&r->dl, rows},
        {&r->slip, s->nf * columns},
        {&r->slip_A, s->nf * n * columns},
        {&r->mu, s->sizes.frictions * columns},
        {&r->a, n},
        {&r->l, rows},
        {&r->u, r->forces},
        {&r->p, n},
        {&r->s, rows},
        {&r->K, r->size * r->size},
        {&r->x, 2 * r->size},
    };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        *all[k].to = arena_alloc(&s->memory, (all[k].count + 1) * sizeof(double));
        if (!*all[k].to) return MECH_ERR_MEMORY;
        memset(*all[k].to, 0, (all[k].count + 1) * sizeof(double));
    }
    const size_t work = 2 * r->size + (r->forces + rows) * columns + 1;
    s->implicit.work = arena_alloc(&s->memory, work * sizeof(double));
    if (!s->implicit.work) return MECH_ERR_MEMORY;
    r->order = arena_alloc(&s->memory, (2 * r->size + 1) * sizeof *r->order);
    if (!r->order) return MECH_ERR_MEMORY;
    s->implicit.jacobian = r;
    return MECH_OK;
}

static mech_status fill(mech_sim *s, double t, const double *y, double *J)
{
    const sim_jacobian_room *r = s->implicit.jacobian;
    const size_t n = s->n, columns = r->columns, ny = s->ny;
    mech_jacobian d;
    MECH_TRY(sim_accelerate(s, t, y));
    if (s->has_laws) { /* the law's own derivatives stand at the ideal and the total multipliers found */
        const mech_status status = mech_eval_reaction(s->eval, s->lambda, s->total);
        (void)status;
    }
    memcpy(r->l, s->total, s->rows * sizeof *r->l);
    if (s->has_control) MECH_TRY(jacobian_solve_control(s));
    MECH_TRY(derivatives(s, s->qdd, r->l, &d));
    memset(r->F, 0, n * columns * sizeof *r->F);
    memset(r->R, 0, s->rows * columns * sizeof *r->R);
    memset(J, 0, ny * ny * sizeof *J);
    jacobian_scatter(s, MECH_MATRIX_D_MOTION, d.motion, 1, n, r->F);
    jacobian_scatter(s, MECH_MATRIX_D_ROW, d.row, 1, s->rows, r->R);
    jacobian_scatter(s, MECH_MATRIX_D_RATE, d.rate, 1, ny, J + 2 * n);
    add_laws(s, d.C, r->F);
    if (s->settings.stabilize == MECH_STABILIZE_EXCESS || s->has_control) add_gains(s, &d, r->R);
    if (s->sizes.frictions) jacobian_take_friction(s, &d);
    if (r->looks_at_ideal) MECH_TRY(add_ideal(s, d.C));
    if (jacobian_is_general(s)) MECH_TRY(jacobian_solve_general(s, &d, J));
    else MECH_TRY(solve_columns(s, J));
    for (size_t i = 0; i < n; i++) J[i + (n + i) * ny] = 1;
    s->info.jacobians++;
    return MECH_OK;
}

int sim_jacobian(void *sim, double t, const double *y, double *J)
{
    const mech_status status = fill(sim, t, y, J);
    return status == MECH_OK ? 0 : sim_is_recoverable(status) ? 1 : -1;
}
