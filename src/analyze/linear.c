/* The linear system about a point: all of it with the gains in, and the motion's own on the tangent space. */
#include "analyze/dense.h"
#include "analyze/linear.h"

#include "base/mem.h"
#include "base/options.h"
#include "base/tolerances.h"
#include "base/try.h"

#include <math.h>
#include <string.h>

const char *mech_analyze_obstacle(const mech_system *system) { return tangent_obstacle(system); }

void mech_linear_options_default(mech_linear_options *options, size_t size)
{
    const mech_linear_options o = {.rank_tol = TOL_LINEAR_RANK, .threads = 1};
    options_default(options, size, &o, sizeof o);
}

static mech_status allocate(mech_linear *l)
{
    const tangent *t = &l->t;
    const size_t N = l->N = 2 * t->n + t->sizes.states, nu = t->sizes.inputs, ny = t->sizes.outputs, m = t->m;
    MECH_TRY(ARENA_MAKE(&l->t.memory, ARRAY_OF(l->A, N * N), ARRAY_OF(l->basis, N * N), ARRAY_OF(l->own_basis, N * N),
                        ARRAY_OF(l->reduced_A, N * N), ARRAY_OF(l->E, N * 3 * nu), ARRAY_OF(l->C, ny * N),
                        ARRAY_OF(l->reduced_C, ny * N), ARRAY_OF(l->D, ny * 3 * nu),
                        ARRAY_OF(l->reduced_D, ny * 3 * nu), ARRAY_OF(l->rows_u, 2 * m * 2 * nu),
                        ARRAY_OF(l->D_rows, 2 * m * N), ARRAY_OF(l->row_size, 2 * m), ARRAY_OF(l->reduced_E, N * nu),
                        ARRAY_OF(l->by_input, N * 2 * nu), ARRAY_OF(l->input_rates, nu), ARRAY_OF(l->q, N),
                        ARRAY_OF(l->moved, N), ARRAY_OF(l->B, m * m), ARRAY_OF(l->K, m * m), ARRAY_OF(l->r, m),
                        ARRAY_OF(l->r_dot, m), ARRAY_OF(l->work, 3 * N * N + 2 * m * N + nu), ARRAY_OF(l->cyclic, t->n),
                        ARRAY_OF(l->is_cyclic, t->n), ARRAY_OF(l->undefined, ny), ARRAY_OF(l->is_choice, ny),
                        ARRAY_OF(l->input_kinks, nu)));
    l->v = l->q + t->n;
    l->z = l->v + t->n;
    l->result = (mech_linear_result){.size = sizeof l->result,
                                     .n = (int)t->n,
                                     .states = (int)t->sizes.states,
                                     .order = (int)N,
                                     .inputs = (int)nu,
                                     .outputs = (int)ny,
                                     .rows = (int)m,
                                     .A = l->A,
                                     .E = l->E,
                                     .E1 = l->E + N * nu,
                                     .E2 = l->E + 2 * N * nu,
                                     .C = l->C,
                                     .D = l->D,
                                     .D1 = l->D + ny * nu,
                                     .D2 = l->D + 2 * ny * nu,
                                     .basis = l->basis,
                                     .reduced_A = l->reduced_A,
                                     .reduced_E = l->reduced_E,
                                     .reduced_C = l->reduced_C,
                                     .reduced_D = l->reduced_D,
                                     .reduced_D1 = l->reduced_D + ny * nu,
                                     .reduced_D2 = l->reduced_D + 2 * ny * nu,
                                     .by_input = l->by_input,
                                     .by_input_rate = l->by_input + N * nu,
                                     .input_rates = l->input_rates,
                                     .cyclic = l->cyclic,
                                     .undefined = l->undefined,
                                     .output_is_choice = l->is_choice,
                                     .input_kinks = l->input_kinks,
                                     .r = l->r,
                                     .r_dot = l->r_dot,
                                     .q = l->q,
                                     .v = l->v,
                                     .z = l->z,
                                     .a = t->a,
                                     .lambda = t->lambda,
                                     .reaction = t->reaction};
    return MECH_OK;
}

static void take_gains(mech_linear *l)
{
    const size_t m = l->t.m;
    (void)mech_gains_of_model(l->t.eval, l->B, l->K);
    if (l->o.B) memcpy(l->B, l->o.B, m * m * sizeof *l->B);
    if (l->o.K) memcpy(l->K, l->o.K, m * m * sizeof *l->K);
}

/* `count` columns from `first` on of the rows that bind the state: r, then r'. */
static void rows_by(const tangent *t, size_t first, size_t count, double *to)
{
    for (size_t j = 0; j < count; j++)
        for (size_t i = 0; i < t->m; i++) {
            const int binds = tangent_binds(t, i);
            to[i + j * 2 * t->m] = binds ? t->r_x[i + (first + j) * t->m] : 0;
            to[t->m + i + j * 2 * t->m] = binds ? t->r_dot_x[i + (first + j) * t->m] : 0;
        }
}

void linear_rows(const mech_linear *l, double *to) { rows_by(&l->t, 0, l->N, to); }

/* A, E, C, D and the rows of the tangent space at a point. */
mech_status linear_at(mech_linear *l, double time, const double *x)
{
    tangent *t = &l->t;
    const size_t n = t->n, N = l->N, nz = t->sizes.states, nu = t->sizes.inputs, ny = t->sizes.outputs;
    MECH_TRY(tangent_stand(t, time, x));
    take_gains(l);
    MECH_TRY(tangent_solve(t, l->B, l->K));
    MECH_TRY(tangent_derive(t));
    memset(l->A, 0, N * N * sizeof *l->A);
    memset(l->E, 0, N * 3 * nu * sizeof *l->E);
    for (size_t i = 0; i < n; i++) l->A[i + (n + i) * N] = 1;
    for (size_t j = 0; j < N + 3 * nu; j++) {
        double *column = j < N ? l->A + j * N : l->E + (j - N) * N;
        for (size_t i = 0; i < n; i++) column[n + i] = t->a_x[i + j * n];
        for (size_t i = 0; i < nz; i++) column[2 * n + i] = t->rate_x[i + j * nz];
        for (size_t i = 0; i < ny; i++) (j < N ? l->C + j * ny : l->D + (j - N) * ny)[i] = t->output_x[i + j * ny];
    }
    linear_rows(l, l->D_rows);
    rows_by(t, t->at.u, 2 * nu, l->rows_u);
    return MECH_OK;
}

/* ---- the tangent space ---- */

void linear_own_rows(const mech_linear *l, const double *rows, double *to)
{
    const size_t count = 2 * l->t.m;
    for (size_t j = 0; j < l->N; j++)
        for (size_t i = 0; i < count; i++)
            to[i + j * count] = l->row_size[i] > 0 ? rows[i + j * count] * l->t.one[j] / l->row_size[i] : 0;
}

static void widen(mech_linear *l)
{
    const size_t count = 2 * l->t.m;
    for (size_t j = 0; j < l->N; j++)
        for (size_t i = 0; i < count; i++)
            l->row_size[i] = fmax(l->row_size[i], fabs(l->D_rows[i + j * count]) * l->t.one[j]);
}

/* Where a row vanishes rounding leaves something of it: what it is beside the point tells how little that is. */
static mech_status measure_rows(mech_linear *l)
{
    enum { LOOKS = 2 };
    widen(l);
    for (int k = 0; k < LOOKS && l->t.m; k++) {
        for (size_t j = 0; j < l->N; j++) {
            const double odd = 0.3 + 0.7 * fmod(0.6180339887498949 * (double)(j + 1) * (double)(k + 2), 1);
            l->moved[j] = l->q[j] + (k ? -0.01 : 0.01) * odd * l->t.one[j];
        }
        const mech_status status = linear_at(l, l->o.t, l->moved);
        if (status == MECH_ERR_MEMORY) return status;
        if (status == MECH_OK) widen(l);
    }
    return l->t.m ? linear_at(l, l->o.t, l->q) : MECH_OK;
}

/* Makes the columns [first, first + count) of X (N x N) orthonormal, each times its unit to a power: 1 for a basis of
   the tangent space, -1 for that of its complement. */
static void back_to_given(const mech_linear *l, size_t first, size_t count, int is_complement, double *X)
{
    const size_t N = l->N;
    for (size_t k = first; k < first + count; k++) {
        double *x = X + k * N, length = 0;
        for (size_t i = 0; i < N; i++)
            x[i] = is_complement ? l->own_basis[i + k * N] / l->t.one[i] : l->own_basis[i + k * N] * l->t.one[i];
        for (int turn = 0; turn < 3; turn++) {
            length = 0;
            for (size_t i = 0; i < N; i++) length = hypot(length, x[i]);
            for (size_t i = 0; i < N && length > 0; i++) x[i] /= length;
            for (size_t j = first; turn < 2 && j < k; j++) {
                double along = 0;
                for (size_t i = 0; i < N; i++) along += x[i] * X[i + j * N];
                for (size_t i = 0; i < N; i++) x[i] -= along * X[i + j * N];
            }
        }
    }
}

static mech_status find_tangent(mech_linear *l)
{
    const size_t N = l->N, m = l->t.m, n = l->t.n;
    size_t rank, position;
    double *rows = l->work, *V = l->work + 2 * m * N;
    linear_own_rows(l, l->D_rows, rows);
    MECH_TRY(dense_null_space(2 * m, N, rows, l->o.rank_tol, l->own_basis, &rank, NULL));
    l->result.freedom = (int)(N - rank);
    back_to_given(l, 0, N - rank, 0, l->basis);
    back_to_given(l, N - rank, rank, 1, l->basis);
    for (size_t j = 0; j < n; j++) /* of the rows in force, as they stand there */
        for (size_t i = 0; i < m; i++) rows[i + j * m] = rows[i + j * 2 * m];
    MECH_TRY(dense_null_space(m, n, rows, l->o.rank_tol, V, &position, NULL));
    l->result.rank_position = (int)position;
    l->result.rank_velocity = (int)(rank - position);
    return MECH_OK;
}

/* Where the motion stays its modes are those of the tangent space, in whatever units: the system's own tell zeros
   from slow modes. Elsewhere they depend on the coordinates, and are those of the matrices that are given. */
static int in_own_units(const mech_linear *l)
{
    return l->result.kind == MECH_POINT_EQUILIBRIUM || l->result.kind == MECH_POINT_STEADY;
}

static const double *basis_of(const mech_linear *l) { return in_own_units(l) ? l->own_basis : l->basis; }

/* Y' A Y (count x count) of `count` columns Y of basis_of, from the first on; AY: (N x count). */
static void project(const mech_linear *l, size_t first, size_t count, double *AY, double *X)
{
    const size_t N = l->N;
    const double *Y = basis_of(l) + first * N;
    memset(AY, 0, N * count * sizeof *AY);
    for (size_t k = 0; k < count; k++)
        for (size_t j = 0; j < N; j++)
            for (size_t i = 0; i < N; i++)
                AY[i + k * N] += l->A[i + j * N] * (in_own_units(l) ? linear_unit(l, i, j) : 1) * Y[j + k * N];
    dense_multiply_transposed(count, N, count, Y, AY, X);
}

static mech_status find_modes(const mech_linear *l, size_t count, const double *X, mech_modes **modes)
{
    return in_own_units(l) ? modes_create((int)count, X, l->t.time, modes) : mech_modes_create((int)count, X, modes);
}

/* Modes of the motion on the tangent space less the shifts. X: A there, which is used up. */
static mech_status find_motion(mech_linear *l, double *X)
{
    const size_t N = l->N, d = (size_t)l->result.freedom, c = (size_t)l->result.cyclic_count;
    double *shifts = l->work, *V = l->work + N * N;
    size_t rank = 0;
    if (d == 0 || c == 0) return find_modes(l, d, X, &l->motion);
    /* coordinates of the shifts in the tangent space; the others are their complement */
    for (size_t i = 0; i < c; i++)
        for (size_t j = 0; j < d; j++) shifts[i + j * c] = basis_of(l)[(size_t)l->cyclic[i] + j * N];
    MECH_TRY(dense_null_space(c, d, shifts, TOL_LINEAR_RANK, V, &rank, NULL));
    const size_t k = d - rank;
    dense_multiply(d, d, k, X, V, shifts);
    dense_multiply_transposed(k, d, k, V, shifts, X);
    return find_modes(l, k, X, &l->motion);
}

static mech_status reduce(mech_linear *l)
{
    const size_t N = l->N, d = (size_t)l->result.freedom, ny = l->t.sizes.outputs;
    double *AN = l->work, *back = AN + N * N, *X = back + N * N;
    dense_multiply(N, N, d, l->A, l->basis, AN);
    dense_multiply_transposed(d, N, d, l->basis, AN, l->reduced_A);
    MECH_TRY(driven_reduce(l));
    dense_multiply(ny, N, d, l->C, l->basis, l->reduced_C);
    for (size_t i = 0; i < ny; i++)
        for (size_t j = 0; l->undefined[i] && j < d; j++) l->reduced_C[i + j * ny] = (double)NAN;
    project(l, 0, d, AN, X);
    dense_multiply(N, d, d, basis_of(l), X, back);
    const double size = dense_largest(AN, N * d);
    l->result.leak = size > 0 ? dense_difference(AN, back, N * d) / size : 0;
    MECH_TRY(find_motion(l, X));
    /* the quotient: what the excess variables do */
    project(l, d, N - d, AN, X);
    return find_modes(l, N - d, X, &l->constraint);
}

static mech_status run(mech_linear *l, const mech_system *system, mech_eval *eval)
{
    const mech_linear_options *o = &l->o;
    MECH_TRY(tangent_create(system, eval, &l->t));
    MECH_TRY(allocate(l));
    const size_t n = l->t.n;
    memcpy(l->q, o->q, n * sizeof *l->q);
    memcpy(l->v, o->v, n * sizeof *l->v);
    if (l->t.sizes.states && o->z) memcpy(l->z, o->z, l->t.sizes.states * sizeof *l->z);
    MECH_TRY(tangent_weigh(&l->t, o->t, l->q));
    MECH_TRY(linear_at(l, o->t, l->q));
    tangent_measure(&l->t, l->q);
    MECH_TRY(measure_rows(l));
    MECH_TRY(choice_look(l));
    MECH_TRY(point_classify(l));
    MECH_TRY(find_tangent(l));
    MECH_TRY(threshold_look(l));
    MECH_TRY(kink_look(l));
    for (size_t j = 0; j < n; j++)
        if (l->is_cyclic[j]) l->cyclic[l->result.cyclic_count++] = (int)j;
    MECH_TRY(reduce(l));
    l->result.motion = mech_modes_get(l->motion);
    l->result.constraint = mech_modes_get(l->constraint);
    return MECH_OK;
}

mech_status mech_linearize(const mech_system *system, mech_eval *eval, const mech_linear_options *options,
                           mech_linear **linear)
{
    *linear = NULL;
    if (!options || !options->q || !options->v || !mech_eval_equation(eval)->M_dense) return MECH_ERR_ARGUMENT;
    mech_linear *l = mem_zeroed(1, sizeof *l);
    if (!l) return MECH_ERR_MEMORY;
    mech_linear_options_default(&l->o, sizeof l->o);
    mech_status status = options_take(&l->o, sizeof l->o, options);
    if (status == MECH_OK) status = run(l, system, eval);
    if (l->o.why) *l->o.why = status == MECH_ERR_UNSUPPORTED ? l->t.at_point.why : NULL;
    if (status == MECH_OK) *linear = l;
    else mech_linear_free(l);
    return status;
}

void mech_linear_free(mech_linear *l)
{
    if (!l) return;
    tangent_free(&l->t);
    mech_modes_free(l->motion);
    mech_modes_free(l->constraint);
    mem_free(l);
}

const mech_linear_result *mech_linear_get(const mech_linear *l) { return &l->result; }
