/* Partial derivatives of the right-hand side for the implicit methods, exact: the equation differentiated at
   fixed q'' and multipliers is the equation again, with other right sides:
       M da - A' dl = -d(M a - Q - A' l - C)      A da = -d(A a - b)
   one solve for each column. Rows of stick and the actuators' directions are taken as they stand. */
#include "simulate/sim.h"
#include "base/try.h"

#include <string.h>

int sim_has_jacobian(const mech_sim *s)
{
    return mech_system_pattern(s->system, MECH_MATRIX_D_MOTION).count > 0;
}

/* Adds the entries of a sparse derivative to columns of length `rows`; the variables are those of y. */
static void scatter(const mech_sim *s, mech_matrix which, const double *values, double sign, size_t rows,
                    double *into)
{
    const mech_pattern p = mech_system_pattern(s->system, which);
    const mech_columns at = mech_system_columns(s->system);
    for (size_t k = 0; k < p.count; k++) {
        const size_t c = p.column[k];
        size_t column = SIZE_MAX;
        if (c >= at.q && c < at.q + s->n) column = c - at.q;
        else if (c >= at.v && c < at.v + s->n) column = s->n + c - at.v;
        else if (c >= at.z && c < at.z + s->nz) column = 2 * s->n + c - at.z;
        if (column != SIZE_MAX) into[p.row[k] + column * rows] += sign * values[k];
    }
}

/* Laws: entry k of C stands in coordinate row[k]; silent ones do not count. */
static void scatter_laws(const mech_sim *s, const double *values, double *F)
{
    const mech_pattern p = mech_system_pattern(s->system, MECH_MATRIX_D_C);
    const mech_columns at = mech_system_columns(s->system);
    for (size_t k = 0; k < p.count; k++) {
        const size_t entry = p.row[k], c = p.column[k];
        const mech_law law = mech_system_law(s->system, s->pattern_C.column[entry]);
        if (!sim_law_is_on(s, &law)) continue;
        const size_t row = s->pattern_C.row[entry];
        if (c >= at.q && c < at.q + s->n) F[row + (c - at.q) * s->n] -= values[k];
        else if (c >= at.v && c < at.v + s->n) F[row + (s->n + c - at.v) * s->n] -= values[k];
        else if (c >= at.z && c < at.z + s->nz) F[row + (2 * s->n + c - at.z) * s->n] -= values[k];
    }
}

/* One column of da into the rows of v in J. */
static mech_status solve_column(mech_sim *s, double *F, double *R, double *da)
{
    for (size_t i = 0; i < s->n; i++) F[i] = -F[i];
    for (size_t i = 0; i < s->rows; i++) R[i] = s->active[i] ? -R[i] : 0;
    if (s->has_singular_mass && !s->is_sparse)
        for (size_t i = 0; i < s->m; i++)
            for (size_t j = 0; j < s->n && s->active[i]; j++)
                F[j] += s->alpha * s->A_used[i + j * s->rows] * R[i];
    const mech_fundamental_input in = {
        .size = sizeof in, .M = s->M_used, .Q = F, .A = s->A_used, .b = R, .active = s->active, .is_quick = 1,
        .is_same = 1}; /* as sim_accelerate solved it */
    mech_fundamental_output out = {.size = sizeof out, .qdd = da};
    return mech_fundamental_solve(s->solver, &in, &out);
}

/* b - B r' - K r: what the gains add to d(A a - b). r = phi is differentiated by A. */
static void add_gains(const mech_sim *s, const double *d_r_dot, double *R)
{
    if (s->settings.stabilize != MECH_STABILIZE_EXCESS || s->gain_B != 1 || s->gain_K != 1) return;
    double *scaled = s->jacobian_work;
    const mech_pattern p = mech_system_pattern(s->system, MECH_MATRIX_D_R_DOT);
    for (size_t k = 0; k < p.count; k++) scaled[k] = s->B[0] * d_r_dot[k];
    scatter(s, MECH_MATRIX_D_R_DOT, scaled, 1, s->rows, R);
    for (size_t k = 0; k < s->pattern_A.count; k++) {
        const size_t i = s->pattern_A.row[k], j = s->pattern_A.column[k];
        if (s->holonomic[i]) R[i + j * s->rows] += s->K[0] * s->eq->A[k];
    }
}

mech_status sim_jacobian_create(mech_sim *s)
{
    const size_t columns = 2 * s->n + s->nz;
    const size_t gains = mech_system_pattern(s->system, MECH_MATRIX_D_R_DOT).count;
    const size_t size = columns * (s->n + s->rows) + gains + 1;
    if (!sim_has_jacobian(s) || s->jacobian_work) return MECH_OK;
    s->jacobian_work = arena_alloc(&s->memory, size * sizeof(double));
    return s->jacobian_work ? MECH_OK : MECH_ERR_MEMORY;
}

static mech_status fill(mech_sim *s, double t, const double *y, double *J)
{
    const size_t n = s->n, count = 2 * n + s->nz, ny = s->ny;
    mech_jacobian d;
    MECH_TRY(sim_accelerate(s, t, y));
    mech_status status = mech_eval_reaction(s->eval, s->lambda, s->total);
    status = mech_eval_acceleration(s->eval, s->qdd);
    (void)status;
    MECH_TRY(mech_eval_jacobian(s->eval, &d));
    const size_t gains = mech_system_pattern(s->system, MECH_MATRIX_D_R_DOT).count;
    double *F = s->jacobian_work + gains, *R = F + n * count;
    memset(F, 0, (n + s->rows) * count * sizeof *F);
    scatter(s, MECH_MATRIX_D_MOTION, d.motion, 1, n, F);
    scatter_laws(s, d.C, F);
    scatter(s, MECH_MATRIX_D_ROW, d.row, 1, s->rows, R);
    add_gains(s, d.r_dot, R);
    memset(J, 0, ny * ny * sizeof *J);
    scatter(s, MECH_MATRIX_D_RATE, d.rate, 1, ny, J + 2 * n);
    for (size_t c = 0; c < count; c++) MECH_TRY(solve_column(s, F + c * n, R + c * s->rows, J + n + c * ny));
    for (size_t i = 0; i < n; i++) J[i + (n + i) * ny] = 1;
    s->info.jacobians++;
    return MECH_OK;
}

int sim_jacobian(void *sim, double t, const double *y, double *J)
{
    const mech_status status = fill(sim, t, y, J);
    return status == MECH_OK ? 0 : sim_is_recoverable(status) ? 1 : -1;
}
