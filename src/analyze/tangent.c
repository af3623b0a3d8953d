#include "analyze/tangent.h"

#include "analyze/dense.h"
#include "base/try.h"
#include "system/laws.h"
#include "system/owner.h"

#include <mech/fundamental.h>

#include <string.h>

const char *tangent_obstacle(const mech_system *system)
{
    if (system_every_count(system) && !system_is_relaxed(system))
        return "the model samples ('every'): it has to be read with its sampled values relaxed, mech_read_options.sampled";
    if (system_delay_count(system))
        return "the model has delays: its characteristic equation has infinitely many roots, and no matrix tells them";
    return derivative_obstacle(system);
}

/* ---- memory ---- */

mech_status tangent_create(const mech_system *system, mech_eval *eval, tangent *t)
{
    *t = (tangent){.system = system,
                   .eval = eval,
                   .e = mech_eval_equation(eval),
                   .sizes = mech_system_sizes(system),
                   .at = mech_system_columns(system)};
    const size_t n = t->n = t->sizes.coords, m = t->m = t->sizes.rows, c = t->columns = t->at.a, nz = t->sizes.states,
                 ny = t->sizes.outputs;
    MECH_TRY(smooth_create(&t->at_point, system, DERIVATIVE_INPUTS | DERIVATIVE_INPUT_RATES | DERIVATIVE_MULTIPLIERS,
                           &t->memory));
    MECH_TRY(ARENA_MAKE(&t->memory, ARRAY_OF(t->C, n), ARRAY_OF(t->mass, n), ARRAY_OF(t->work, n),
                        ARRAY_OF(t->motion, n * c), ARRAY_OF(t->C_x, n * c), ARRAY_OF(t->a_x, n * c),
                        ARRAY_OF(t->row, m * c), ARRAY_OF(t->r_x, m * c), ARRAY_OF(t->r_dot_x, m * c),
                        ARRAY_OF(t->rate_x, nz * c), ARRAY_OF(t->others, tangent_others(t) * c),
                        ARRAY_OF(t->output_x, ny * c), ARRAY_OF(t->one, 2 * n + nz), ARRAY_OF(t->row_one, m),
                        ARRAY_OF(t->size_work, measure_room(t->system))));
    MECH_TRY(dynamics_make_gains(&t->at_point.d.B, m * m, &t->memory));
    MECH_TRY(dynamics_make_gains(&t->at_point.d.K, m * m, &t->memory));
    const smooth *s = &t->at_point;
    dynamics_use(&t->at_point.d, eval);
    t->a = s->d.qdd;
    t->lambda = s->d.lambda;
    t->reaction = s->d.total;
    t->lambda_x = s->by.lambda;
    t->reaction_x = s->by.total;
    t->at_point.d.gains_on_all = 1;
    return MECH_OK;
}

void tangent_free(tangent *t)
{
    smooth_free(&t->at_point);
    arena_free(&t->memory);
    *t = (tangent){0};
}

/* ---- accelerations and multipliers ---- */

mech_status tangent_stand(const tangent *t, double time, const double *x)
{
    return mech_eval_state(t->eval, time, x, x + t->n, x + 2 * t->n);
}

mech_status tangent_solve(tangent *t, const double *B, const double *K)
{
    dynamics *d = &t->at_point.d;
    dynamics_list_gains(d, B, t->m * t->m, &d->B);
    dynamics_list_gains(d, K, t->m * t->m, &d->K);
    MECH_TRY(smooth_solve(&t->at_point));
    MECH_TRY(dynamics_law(d, d->lambda, d->total, t->C, NULL));
    MECH_TRY(mech_eval_reaction(t->eval, t->lambda, t->reaction));
    return mech_eval_acceleration(t->eval, t->a);
}

/* ---- derivatives ---- */

/* Adds the derivative of each entry of C to its coordinate. */
static void scatter_law(tangent *t, const double *values)
{
    const mech_pattern p = mech_system_pattern(t->system, MECH_MATRIX_C),
                       d = mech_system_pattern(t->system, MECH_MATRIX_D_C);
    memset(t->C_x, 0, t->n * t->columns * sizeof *t->C_x);
    for (size_t k = 0; k < d.count; k++) {
        const mech_law law = mech_system_law(t->system, p.column[d.row[k]]);
        if (d.column[k] < t->columns && laws_is_on(t->system, &law, t->e->active))
            t->C_x[p.row[d.row[k]] + d.column[k] * t->n] += values[k];
    }
}

static size_t rows_of(const tangent *t, mech_matrix which)
{
    switch (which) {
    case MECH_MATRIX_D_MU: return t->sizes.frictions;
    case MECH_MATRIX_D_G: return mech_system_pattern(t->system, MECH_MATRIX_G).count;
    case MECH_MATRIX_D_W: {
        const size_t forces = t->sizes.actuators ? t->sizes.actuators : t->n;
        return mech_system_weight(t->system) == MECH_WEIGHT_GIVEN ? forces * forces : 0;
    }
    default: return t->sizes.friction_rows;
    }
}

static const mech_matrix OTHERS[] = {MECH_MATRIX_D_SLIP, MECH_MATRIX_D_SLIP_ROW, MECH_MATRIX_D_MU, MECH_MATRIX_D_G,
                                     MECH_MATRIX_D_W};
enum { OTHER_COUNT = sizeof OTHERS / sizeof *OTHERS };

size_t tangent_others(const tangent *t)
{
    size_t rows = 0;
    for (size_t k = 0; k < OTHER_COUNT; k++) rows += rows_of(t, OTHERS[k]);
    return rows;
}

static void scatter_others(tangent *t, const mech_jacobian *j)
{
    const double *const values[OTHER_COUNT] = {j->slip, j->slip_row, j->mu, j->G, j->W};
    const size_t height = tangent_others(t);
    memset(t->others, 0, height * t->columns * sizeof *t->others);
    for (size_t k = 0, first = 0; k < OTHER_COUNT; first += rows_of(t, OTHERS[k]), k++) {
        const mech_pattern p = mech_system_pattern(t->system, OTHERS[k]);
        for (size_t i = 0; i < p.count; i++)
            if (p.column[i] < t->columns && p.row[i] < rows_of(t, OTHERS[k]))
                t->others[first + p.row[i] + p.column[i] * height] += values[k][i];
    }
}

mech_status tangent_scatter(tangent *t, const double *a, const double *lambda, const double *reaction)
{
    mech_jacobian j;
    MECH_TRY(mech_eval_reaction(t->eval, lambda, reaction));
    MECH_TRY(mech_eval_acceleration(t->eval, a));
    MECH_TRY(mech_eval_jacobian(t->eval, &j));
    dense_scatter(mech_system_pattern(t->system, MECH_MATRIX_D_MOTION), j.motion, t->n, t->columns, t->motion);
    dense_scatter(mech_system_pattern(t->system, MECH_MATRIX_D_ROW), j.row, t->m, t->columns, t->row);
    dense_scatter(mech_system_pattern(t->system, MECH_MATRIX_D_R), j.r, t->m, t->columns, t->r_x);
    dense_scatter(mech_system_pattern(t->system, MECH_MATRIX_D_R_DOT), j.r_dot, t->m, t->columns, t->r_dot_x);
    dense_scatter(mech_system_pattern(t->system, MECH_MATRIX_D_RATE), j.rate, t->sizes.states, t->columns, t->rate_x);
    scatter_law(t, j.C);
    scatter_others(t, &j);
    return MECH_OK;
}

/* X (rows x columns) from partials that also go by accelerations and multipliers. */
static void chain_rule(const tangent *t, mech_matrix which, const double *values, size_t rows, double *X)
{
    const mech_pattern p = mech_system_pattern(t->system, which);
    memset(X, 0, rows * t->columns * sizeof *X);
    derivative_scatter(&t->at_point.by, which, values, rows, X);
    for (size_t k = 0; k < p.count; k++) {
        const size_t column = p.column[k], stride = column < t->at.lambda ? t->n : t->at_point.d.rows;
        if (column < t->at.a || column >= t->at.t) continue;
        const double *through = column < t->at.lambda     ? t->a_x + (column - t->at.a)
                                : column < t->at.reaction ? t->lambda_x + (column - t->at.lambda)
                                                          : t->reaction_x + (column - t->at.reaction);
        for (size_t c = 0; c < t->columns; c++) X[p.row[k] + c * rows] += values[k] * through[c * stride];
    }
}

mech_status tangent_derive(tangent *t)
{
    mech_jacobian j;
    MECH_TRY(derivative_find(&t->at_point.by, t->a_x, t->n, &j));
    MECH_TRY(tangent_scatter(t, t->a, t->lambda, t->reaction));
    MECH_TRY(mech_eval_jacobian(t->eval, &j));
    chain_rule(t, MECH_MATRIX_D_RATE, j.rate, t->sizes.states, t->rate_x);
    chain_rule(t, MECH_MATRIX_D_OUTPUT, j.output, t->sizes.outputs, t->output_x);
    return MECH_OK;
}
