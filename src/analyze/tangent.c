#include "analyze/tangent.h"

#include "analyze/dense.h"
#include "base/mem.h"
#include "base/try.h"
#include "system/laws.h"

#include <mech/fundamental.h>

#include <string.h>

const char *tangent_obstacle(const mech_system *s)
{
    const mech_sizes k = mech_system_sizes(s);
    if (k.frictions)
        return "dry friction has no derivative at rest: set its coefficient to 0, or linearize with its force as a law; "
               "'mech equilibrium' tells whether it holds";
    if (k.natural_rows < k.rows)
        return "servo (control) rows are not linearized: write the control force as a force";
    for (size_t i = 0; i < k.laws; i++)
        if (mech_system_law(s, i).kind == MECH_LAW_Z)
            return "a law given by z is not linearized: give it by C";
    return NULL;
}

/* ---- memory ---- */

static double *take(double **next, size_t count)
{
    double *part = *next;
    *next += count;
    return part;
}

static size_t place(tangent *t, double *block)
{
    const size_t n = t->n, m = t->m, c = t->columns, nz = t->sizes.states, ny = t->sizes.outputs;
    const size_t work = (2 * n + 2 * m + 1) + m * m + m * n + n;
    if (!block) return 4 * n + 3 * m + n * m + 3 * n * c + 5 * m * c + nz * c + ny * c + n * c + 3 * n + nz + m + measure_room(t->system) + work;
    double *next = block;
    t->a = take(&next, n);
    t->a_ideal = take(&next, n);
    t->lambda = take(&next, m);
    t->reaction = take(&next, m);
    t->b = take(&next, m);
    t->C = take(&next, n);
    t->C_reaction = take(&next, n * m);
    t->motion = take(&next, n * c);
    t->row = take(&next, m * c);
    t->C_x = take(&next, n * c);
    t->r_x = take(&next, m * c);
    t->r_dot_x = take(&next, m * c);
    t->rate_x = take(&next, nz * c);
    t->a_x = take(&next, n * c);
    t->lambda_x = take(&next, m * c);
    t->reaction_x = take(&next, m * c);
    t->output_x = take(&next, ny * c);
    t->one = take(&next, 2 * n + nz);
    t->row_one = take(&next, m);
    t->mass = take(&next, n);
    t->size_work = take(&next, measure_room(t->system));
    t->work = take(&next, work);
    return 0;
}

mech_status tangent_create(const mech_system *system, tangent *t)
{
    *t = (tangent){.system = system, .sizes = mech_system_sizes(system), .at = mech_system_columns(system)};
    t->n = t->sizes.coords;
    t->m = t->sizes.rows;
    t->columns = t->at.a;
    if (tangent_obstacle(system)) return MECH_ERR_UNSUPPORTED;
    t->block = mem_zeroed(place(t, NULL), sizeof *t->block);
    if (!t->block) return MECH_ERR_MEMORY;
    place(t, t->block);
    return mech_fundamental_create((int)t->n, (int)t->m, NULL, &t->solver);
}

void tangent_free(tangent *t)
{
    mech_fundamental_free(t->solver);
    mem_free(t->block);
    *t = (tangent){0};
}

/* ---- accelerations and multipliers ---- */

static int law_is_on(const tangent *t, const mech_equation *e, size_t law)
{
    const mech_law l = mech_system_law(t->system, law);
    return laws_is_on(t->system, &l, e->active);
}

static void gather_law(const tangent *t, const mech_equation *e, double *C, double *C_reaction)
{
    const mech_pattern p = mech_system_pattern(t->system, MECH_MATRIX_C);
    const mech_pattern d = mech_system_pattern(t->system, MECH_MATRIX_C_REACTION);
    memset(C, 0, t->n * sizeof *C);
    for (size_t k = 0; k < p.count; k++)
        if (law_is_on(t, e, p.column[k])) C[p.row[k]] += e->C[k];
    if (!C_reaction) return;
    memset(C_reaction, 0, t->n * t->m * sizeof *C_reaction);
    for (size_t k = 0; k < d.count; k++)
        if (law_is_on(t, e, p.column[d.row[k]]))
            C_reaction[p.row[d.row[k]] + d.column[k] * t->n] += e->C_reaction[k];
}

typedef struct law_user {
    tangent *t;
    mech_eval *eval;
} law_user;

static mech_status law_at(void *user, const double *reaction, double *C, double *dC)
{
    law_user *u = user;
    MECH_TRY(mech_eval_reaction(u->eval, u->t->lambda, reaction));
    gather_law(u->t, mech_eval_equation(u->eval), C, dC);
    return MECH_OK;
}

/* b - B r' - K r */
static void hold(tangent *t, const mech_equation *e, const double *B, const double *K)
{
    const size_t m = t->m;
    if (m) memcpy(t->b, e->b, m * sizeof *t->b);
    for (size_t i = 0; i < m; i++)
        for (size_t k = 0; k < m; k++) t->b[i] -= (B ? B[i + k * m] * e->r_dot[k] : 0) + (K ? K[i + k * m] * e->r[k] : 0);
}

mech_status tangent_solve(tangent *t, mech_eval *eval, const double *B, const double *K)
{
    const mech_equation *e = mech_eval_equation(eval);
    hold(t, e, B, K);
    const mech_fundamental_input in = {
        .size = sizeof in, .M = e->M_dense, .Q = e->Q, .A = e->A_dense, .b = t->b, .active = e->active,
        .allows_indefinite = mech_system_allows_negative_mass(t->system)};
    mech_fundamental_output out = {
        .size = sizeof out, .qdd = t->a, .lambda = t->lambda, .total = t->reaction};
    MECH_TRY(mech_fundamental_ideal(t->solver, &in, &out));
    t->rank = out.rank;
    t->flags = out.flags;
    memcpy(t->a_ideal, t->a, t->n * sizeof *t->a);
    memset(t->C, 0, t->n * sizeof *t->C);
    if (t->sizes.laws) {
        int uses_reaction = 0;
        for (size_t i = 0; i < t->sizes.laws; i++)
            uses_reaction |= mech_system_law(t->system, i).uses_reaction;
        law_user user = {t, eval};
        out.lambda = NULL;
        if (uses_reaction) {
            MECH_TRY(mech_fundamental_solve_law(t->solver, &in, law_at, &user, &out));
            MECH_TRY(law_at(&user, t->reaction, t->C, t->C_reaction));
        } else {
            MECH_TRY(law_at(&user, t->reaction, t->C, t->C_reaction));
            MECH_TRY(mech_fundamental_nonideal(t->solver, t->C, &out));
        }
    }
    MECH_TRY(mech_eval_reaction(eval, t->lambda, t->reaction));
    return mech_eval_acceleration(eval, t->a);
}

/* ---- derivatives ---- */

/* Adds the derivative of each entry of C to its coordinate; X: (n x columns) of the columns from `first` on.
 */
static void scatter_law(const tangent *t, const mech_equation *e, const double *values, size_t first,
                        size_t columns, double *X)
{
    const mech_pattern p = mech_system_pattern(t->system, MECH_MATRIX_C);
    const mech_pattern d = mech_system_pattern(t->system, MECH_MATRIX_D_C);
    memset(X, 0, t->n * columns * sizeof *X);
    for (size_t k = 0; k < d.count; k++) {
        if (d.column[k] < first || d.column[k] - first >= columns || !law_is_on(t, e, p.column[d.row[k]]))
            continue;
        X[p.row[d.row[k]] + (d.column[k] - first) * t->n] += values[k];
    }
}

mech_status tangent_scatter(tangent *t, mech_eval *eval)
{
    mech_jacobian j;
    const mech_equation *e = mech_eval_equation(eval);
    MECH_TRY(mech_eval_jacobian(eval, &j));
    dense_scatter(mech_system_pattern(t->system, MECH_MATRIX_D_MOTION), j.motion, t->n, t->columns,
                  t->motion);
    dense_scatter(mech_system_pattern(t->system, MECH_MATRIX_D_ROW), j.row, t->m, t->columns, t->row);
    dense_scatter(mech_system_pattern(t->system, MECH_MATRIX_D_R), j.r, t->m, t->columns, t->r_x);
    dense_scatter(mech_system_pattern(t->system, MECH_MATRIX_D_R_DOT), j.r_dot, t->m, t->columns, t->r_dot_x);
    dense_scatter(mech_system_pattern(t->system, MECH_MATRIX_D_RATE), j.rate, t->sizes.states, t->columns,
                  t->rate_x);
    scatter_law(t, e, j.C, 0, t->columns, t->C_x);
    return MECH_OK;
}

/* One column of right sides: f = -F_x + C_x (given), g = -G_x - B r'_x - K r_x. */
static void right_side(const tangent *t, size_t column, const double *B, const double *K, double *g)
{
    const size_t m = t->m;
    for (size_t i = 0; i < m; i++) {
        g[i] = -t->row[i + column * m];
        for (size_t k = 0; k < m; k++) {
            if (B) g[i] -= B[i + k * m] * t->r_dot_x[k + column * m];
            if (K) g[i] -= K[i + k * m] * t->r_x[k + column * m];
        }
    }
}

/* d lambda (ideal), and with `total` the acceleration and the total multipliers before the law's answer to
 * them. */
static mech_status solve_columns(tangent *t, const double *B, const double *K, int total)
{
    const size_t n = t->n, m = t->m;
    double *f = t->work, *g = f + n, *a = g + m, *rho = a + n;
    for (size_t c = 0; c < t->columns; c++) {
        for (size_t i = 0; i < n; i++) f[i] = -t->motion[i + c * n] + (total ? t->C_x[i + c * n] : 0);
        right_side(t, c, B, K, g);
        MECH_TRY(mech_fundamental_again(t->solver, f, g, a, rho));
        if (total) memcpy(t->a_x + c * n, a, n * sizeof *a);
        memcpy((total ? t->reaction_x : t->lambda_x) + c * m, rho, m * sizeof *rho);
    }
    return MECH_OK;
}

/* The law answers to its own multipliers: (I - R C_rho) d rho = d rho_0, R: multipliers of unit forces. */
static mech_status answer_of_law(tangent *t)
{
    const size_t n = t->n, m = t->m;
    double *X = t->work + 2 * n + 2 * m + 1, *dC = X + m * m;
    double *zero = t->work, *a = zero + m, *rho = a + n;
    if (dense_largest(t->C_reaction, n * m) == 0) return MECH_OK;
    memset(zero, 0, m * sizeof *zero);
    for (size_t j = 0; j < m; j++) {
        MECH_TRY(mech_fundamental_again(t->solver, t->C_reaction + j * n, zero, a, rho));
        for (size_t i = 0; i < m; i++) X[i + j * m] = (i == j) - rho[i];
    }
    if (!dense_solve(m, X, t->columns, t->reaction_x)) return MECH_ERR_NO_REACTION;
    for (size_t c = 0; c < t->columns; c++) {
        dense_multiply(n, m, 1, t->C_reaction, t->reaction_x + c * m, dC);
        MECH_TRY(mech_fundamental_again(t->solver, dC, zero, a, rho));
        for (size_t i = 0; i < n; i++) t->a_x[i + c * n] += a[i];
    }
    return MECH_OK;
}

/* X (rows x columns) from partials that also go by accelerations and multipliers. */
static void chain_rule(const tangent *t, mech_matrix which, const double *values, size_t rows, double *X)
{
    const mech_pattern p = mech_system_pattern(t->system, which);
    dense_scatter(p, values, rows, t->columns, X);
    for (size_t k = 0; k < p.count; k++) {
        const size_t column = p.column[k];
        const double *through = NULL;
        size_t stride = t->m;
        if (column >= t->at.a && column < t->at.lambda) {
            through = t->a_x + (column - t->at.a);
            stride = t->n;
        } else if (column >= t->at.lambda && column < t->at.reaction) {
            through = t->lambda_x + (column - t->at.lambda);
        } else if (column >= t->at.reaction && column < t->at.t) {
            through = t->reaction_x + (column - t->at.reaction);
        }
        for (size_t c = 0; through && c < t->columns; c++)
            X[p.row[k] + c * rows] += values[k] * through[c * stride];
    }
}

/* C_x gets what the law feels through the ideal multipliers. */
static mech_status chain_law(tangent *t, mech_eval *eval)
{
    mech_jacobian j;
    MECH_TRY(mech_eval_jacobian(eval, &j));
    double *C_lambda = t->C_reaction; /* free until the law's answer is asked for */
    scatter_law(t, mech_eval_equation(eval), j.C, t->at.lambda, t->m, C_lambda);
    for (size_t c = 0; c < t->columns; c++)
        for (size_t k = 0; k < t->m; k++)
            for (size_t i = 0; i < t->n; i++)
                t->C_x[i + c * t->n] += C_lambda[i + k * t->n] * t->lambda_x[k + c * t->m];
    scatter_law(t, mech_eval_equation(eval), j.C, t->at.reaction, t->m, t->C_reaction);
    return MECH_OK;
}

mech_status tangent_derive(tangent *t, mech_eval *eval, const double *B, const double *K)
{
    if (t->sizes.laws) { /* the ideal motion first: laws may look at its multipliers */
        MECH_TRY(mech_eval_reaction(eval, t->lambda, t->lambda));
        MECH_TRY(mech_eval_acceleration(eval, t->a_ideal));
        MECH_TRY(tangent_scatter(t, eval));
        MECH_TRY(solve_columns(t, B, K, 0));
        MECH_TRY(mech_eval_reaction(eval, t->lambda, t->reaction));
        MECH_TRY(mech_eval_acceleration(eval, t->a));
    }
    MECH_TRY(tangent_scatter(t, eval));
    if (t->sizes.laws) MECH_TRY(chain_law(t, eval));
    MECH_TRY(solve_columns(t, B, K, 1));
    if (!t->sizes.laws) memcpy(t->lambda_x, t->reaction_x, t->m * t->columns * sizeof *t->lambda_x);
    else MECH_TRY(answer_of_law(t));
    mech_jacobian j;
    MECH_TRY(mech_eval_jacobian(eval, &j));
    chain_rule(t, MECH_MATRIX_D_RATE, j.rate, t->sizes.states, t->rate_x);
    chain_rule(t, MECH_MATRIX_D_OUTPUT, j.output, t->sizes.outputs, t->output_x);
    return MECH_OK;
}
