/* Slopes of the solved equation at one state: the plain case, where M, A and their right sides are all there is. */
#include <mech/slopes.h>

#include "base/mem.h"
#include "base/try.h"
#include "system/laws.h"
#include "system/owner.h"
#include "system/system.h"

#include <limits.h>
#include <math.h>
#include <string.h>

/* The columns are those of q, v, z, u, p, t, one after the other. */
struct mech_slopes {
    const mech_system *system; /* borrowed */
    mech_eval *eval;
    const mech_equation *eq;
    mech_fundamental *solver;
    size_t n, m, nz, params, columns;
    mech_columns at;           /* of the system's derivatives          */
    size_t u, p, t;            /* where our own columns begin          */
    double *block;             /* all that follows                     */
    double *C, *qdd, *total, *lambda;           /* (n) (n) (m) (m)      */
    double *F, *R;             /* (n x columns), (m x columns)         */
    double *qdd_x, *lambda_x, *rate_x;          /* (n, m, nz x columns) */
    mech_slopes_result result;
};

const char *mech_slopes_obstacle(const mech_system *s)
{
    if (!mech_system_has_jacobian(s)) return "it was made without derivatives: mech_system_options.with_derivatives";
    if (s->sizes.frictions) return "there is friction";
    if (s->sizes.rows > s->sizes.natural_rows) return "there is control";
    for (size_t k = 0; k < s->sizes.laws; k++) {
        if (s->laws[k].uses_reaction) return "a law looks at the reactions";
        if (s->laws[k].kind == MECH_LAW_Z) return "a law is given by z";
    }
    const mech_pattern rate = mech_system_pattern(s, MECH_MATRIX_D_RATE), law = mech_system_pattern(s, MECH_MATRIX_D_C);
    const mech_columns at = mech_system_columns(s);
    for (size_t k = 0; k < law.count; k++)
        if (law.column[k] >= at.a && law.column[k] < at.t) return "a law looks at the reactions";
    for (size_t k = 0; k < rate.count; k++)
        if (rate.column[k] >= at.lambda && rate.column[k] < at.reaction && s->sizes.laws) return "the rate of a state looks at the ideal part of a reaction";
    return NULL;
}

void mech_slopes_free(mech_slopes *s)
{
    if (!s) return;
    mech_eval_free(s->eval);
    mech_fundamental_free(s->solver);
    mem_free(s->block);
    mem_free(s);
}

static void lay_out(mech_slopes *s)
{
    const size_t n = s->n, m = s->m, nz = s->nz;
    double *to = s->block;
    double **parts[] = {&s->C, &s->qdd, &s->total, &s->lambda, &s->F, &s->R, &s->qdd_x, &s->lambda_x, &s->rate_x};
    const size_t counts[] = {n, n, m, m, n * s->columns, m * s->columns, n * s->columns, m * s->columns, nz * s->columns};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++) {
        *parts[k] = to;
        to += counts[k];
    }
}

static const double *part_of(const mech_slopes *s, const double *X, size_t rows, size_t first, int is_there)
{
    (void)s;
    return is_there ? X + rows * first : NULL;
}

static void point_results(mech_slopes *s)
{
    const int by_p = s->system->has_parameter_slopes;
    const size_t n = s->n, m = s->m, nz = s->nz;
    s->result = (mech_slopes_result){
        .size = sizeof s->result, .n = n, .rows = m, .states = nz, .inputs = s->system->sizes.inputs, .params = s->params,
        .qdd = s->qdd, .lambda = s->total, .rate = s->eq->rate,
        .qdd_q = s->qdd_x, .qdd_v = s->qdd_x + n * n, .qdd_z = s->qdd_x + n * 2 * n, .qdd_u = s->qdd_x + n * s->u, .qdd_p = part_of(s, s->qdd_x, n, s->p, by_p), .qdd_t = s->qdd_x + n * s->t,
        .lambda_q = s->lambda_x, .lambda_v = s->lambda_x + m * n, .lambda_z = s->lambda_x + m * 2 * n, .lambda_u = s->lambda_x + m * s->u,
        .lambda_p = part_of(s, s->lambda_x, m, s->p, by_p), .lambda_t = s->lambda_x + m * s->t,
        .rate_q = s->rate_x, .rate_v = s->rate_x + nz * n, .rate_z = s->rate_x + nz * 2 * n, .rate_u = s->rate_x + nz * s->u,
        .rate_p = part_of(s, s->rate_x, nz, s->p, by_p), .rate_t = s->rate_x + nz * s->t};
}

static mech_status build(mech_slopes *s)
{
    const mech_sizes *k = &s->system->sizes;
    s->n = k->coords;
    s->m = k->rows;
    s->nz = k->states;
    s->params = s->system->has_parameter_slopes ? k->params : 0;
    if (s->n == 0 || s->n > INT_MAX || s->m > INT_MAX) return MECH_ERR_ARGUMENT;
    s->at = mech_system_columns(s->system);
    s->u = 2 * s->n + s->nz;
    s->p = s->u + k->inputs;
    s->t = s->p + s->params;
    s->columns = s->t + 1;
    s->block = mem_zeroed(2 * (s->n + s->m) + 2 * (s->n + s->m) * s->columns + s->nz * s->columns, sizeof *s->block);
    if (!s->block) return MECH_ERR_MEMORY;
    lay_out(s);
    MECH_TRY(mech_eval_create(s->system, MECH_STORAGE_DENSE, &s->eval));
    s->eq = mech_eval_equation(s->eval);
    point_results(s);
    return mech_fundamental_create((int)s->n, (int)s->m, NULL, &s->solver);
}

mech_status mech_slopes_create(const mech_system *system, mech_slopes **slopes)
{
    if (!slopes) return MECH_ERR_ARGUMENT;
    *slopes = NULL;
    if (!system) return MECH_ERR_ARGUMENT;
    if (mech_slopes_obstacle(system)) return MECH_ERR_UNSUPPORTED;
    mech_slopes *s = mem_zeroed(1, sizeof *s);
    if (!s) return MECH_ERR_MEMORY;
    s->system = system;
    const mech_status status = build(s);
    if (status == MECH_OK) *slopes = s;
    else mech_slopes_free(s);
    return status;
}

mech_eval *mech_slopes_eval(mech_slopes *s) { return s->eval; }
const mech_slopes_result *mech_slopes_get(const mech_slopes *s) { return &s->result; }

/* Our column for one of the system's; SIZE_MAX: none. */
static size_t column_of(const mech_slopes *s, size_t c)
{
    const mech_columns *at = &s->at;
    if (c < at->u_dot) return c; /* q, v, z, u stand there as here */
    if (c == at->t) return s->t;
    return s->params && c >= at->p && c < at->p + s->params ? s->p + (c - at->p) : SIZE_MAX;
}

static void scatter(const mech_slopes *s, mech_matrix which, const double *values, size_t rows, double *X)
{
    const mech_pattern p = mech_system_pattern(s->system, which);
    memset(X, 0, rows * s->columns * sizeof *X);
    for (size_t k = 0; k < p.count; k++) {
        const size_t column = column_of(s, p.column[k]);
        if (column != SIZE_MAX) X[p.row[k] + column * rows] += values[k];
    }
}

/* C of the laws in force, and -dC into F. */
static void gather_laws(mech_slopes *s)
{
    const mech_pattern p = mech_system_pattern(s->system, MECH_MATRIX_C);
    memset(s->C, 0, s->n * sizeof *s->C);
    for (size_t k = 0; k < p.count; k++)
        if (laws_is_on(s->system, &s->system->laws[p.column[k]], s->eq->active)) s->C[p.row[k]] += s->eq->C[k];
}

static void differentiate_laws(mech_slopes *s, const double *values)
{
    const mech_pattern p = mech_system_pattern(s->system, MECH_MATRIX_C), d = mech_system_pattern(s->system, MECH_MATRIX_D_C);
    for (size_t k = 0; k < d.count; k++) {
        const size_t column = column_of(s, d.column[k]), entry = d.row[k];
        if (column == SIZE_MAX || !laws_is_on(s->system, &s->system->laws[p.column[entry]], s->eq->active)) continue;
        s->F[p.row[entry] + column * s->n] -= values[k];
    }
}

static mech_status solve(mech_slopes *s, double t, const double *q, const double *v, const double *z)
{
    MECH_TRY(mech_eval_state(s->eval, t, q, v, z));
    if (s->system->sizes.laws) MECH_TRY(mech_eval_reaction(s->eval, NULL, NULL));
    gather_laws(s);
    const mech_fundamental_input in = {.size = sizeof in, .M = s->eq->M_dense, .Q = s->eq->Q, .A = s->eq->A_dense, .b = s->eq->b,
                                       .C = s->system->sizes.laws ? s->C : NULL, .active = s->eq->active,
                                       .allows_indefinite = s->system->allows_negative_mass};
    mech_fundamental_output out = {.size = sizeof out, .qdd = s->qdd, .lambda = s->lambda, .total = s->total};
    MECH_TRY(mech_fundamental_solve(s->solver, &in, &out));
    s->result.rank = out.rank;
    s->result.flags = out.flags;
    return MECH_OK;
}

static mech_status solve_columns(mech_slopes *s)
{
    const int is_choice = (s->result.flags & MECH_FUNDAMENTAL_REDUNDANT) != 0;
    for (size_t c = 0; c < s->columns; c++) {
        double *F = s->F + c * s->n, *R = s->R + c * s->m, *dl = s->lambda_x + c * s->m;
        for (size_t i = 0; i < s->n; i++) F[i] = -F[i];
        for (size_t i = 0; i < s->m; i++) R[i] = s->eq->active[i] ? -R[i] : 0;
        MECH_TRY(mech_fundamental_again(s->solver, F, R, s->qdd_x + c * s->n, dl));
        for (size_t i = 0; i < s->m && is_choice; i++) dl[i] = (double)NAN;
    }
    return MECH_OK;
}

/* Rates may look at accelerations and multipliers. */
static void chain_rates(mech_slopes *s, const double *values)
{
    const mech_pattern p = mech_system_pattern(s->system, MECH_MATRIX_D_RATE);
    for (size_t k = 0; k < p.count; k++) {
        const size_t c = p.column[k];
        const int by_a = c >= s->at.a && c < s->at.lambda, by_l = c >= s->at.lambda && c < s->at.t;
        if (!by_a && !by_l) continue;
        const double *through = by_a ? s->qdd_x + (c - s->at.a) : s->lambda_x + (c - s->at.lambda) % s->m;
        const size_t stride = by_a ? s->n : s->m;
        for (size_t j = 0; j < s->columns; j++) s->rate_x[p.row[k] + j * s->nz] += values[k] * through[j * stride];
    }
}

mech_status mech_slopes_at(mech_slopes *s, double t, const double *q, const double *v, const double *z)
{
    mech_jacobian d;
    if (!s || !q || !v) return MECH_ERR_ARGUMENT;
    MECH_TRY(solve(s, t, q, v, z));
    mech_status status = mech_eval_reaction(s->eval, s->lambda, s->total);
    status = mech_eval_acceleration(s->eval, s->qdd);
    (void)status; /* events need not be finite */
    MECH_TRY(mech_eval_jacobian(s->eval, &d));
    scatter(s, MECH_MATRIX_D_MOTION, d.motion, s->n, s->F);
    scatter(s, MECH_MATRIX_D_ROW, d.row, s->m, s->R);
    if (s->nz) scatter(s, MECH_MATRIX_D_RATE, d.rate, s->nz, s->rate_x);
    differentiate_laws(s, d.C);
    MECH_TRY(solve_columns(s));
    if (s->nz) chain_rates(s, d.rate);
    return MECH_OK;
}
