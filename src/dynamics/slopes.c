/* Slopes of the solved equation at one state: the derivative of dynamics/, with the columns q, v, z, u, p, t. */
#include <mech/slopes.h>

#include "base/mem.h"
#include "base/try.h"
#include "dynamics/smooth.h"
#include "system/system.h"

#include <limits.h>
#include <math.h>
#include <string.h>

struct mech_slopes {
    arena memory;
    smooth s;
    double *qdd_x, *lambda_x, *rate_x; /* (n, m, nz x columns) */
    double *lambda;                    /* (m) */
    mech_slopes_result result;
};

const char *mech_slopes_obstacle(const mech_system *system)
{
    if (system->gains_use_params && system->has_parameter_slopes)
        return "gains look at parameters, and how they change with them is not known: make the system without their slopes";
    if (system->gains_use_state) return "gains look at more than parameters: how they change is not known";
    return derivative_obstacle(system);
}

void mech_slopes_free(mech_slopes *s)
{
    if (!s) return;
    mech_eval_free(s->s.d.eval);
    smooth_free(&s->s);
    arena_free(&s->memory);
    mem_free(s);
}

static void point_results(mech_slopes *s)
{
    const dynamics *d = &s->s.d;
    const size_t n = d->n, m = d->m, nz = d->sizes.states, inputs = d->sizes.inputs, u = 2 * n + nz, p = u + inputs;
    const int by_p = d->system->has_parameter_slopes;
    const size_t params = by_p ? d->sizes.params : 0, t = p + params;
    s->result = (mech_slopes_result){.size = sizeof s->result,
                                     .n = n,
                                     .rows = m,
                                     .states = nz,
                                     .inputs = inputs,
                                     .params = params,
                                     .qdd = d->qdd,
                                     .lambda = s->lambda,
                                     .rate = d->eq->rate,
                                     .qdd_q = s->qdd_x,
                                     .qdd_v = s->qdd_x + n * n,
                                     .qdd_z = s->qdd_x + n * 2 * n,
                                     .qdd_u = s->qdd_x + n * u,
                                     .qdd_p = by_p ? s->qdd_x + n * p : NULL,
                                     .qdd_t = s->qdd_x + n * t,
                                     .lambda_q = s->lambda_x,
                                     .lambda_v = s->lambda_x + m * n,
                                     .lambda_z = s->lambda_x + m * 2 * n,
                                     .lambda_u = s->lambda_x + m * u,
                                     .lambda_p = by_p ? s->lambda_x + m * p : NULL,
                                     .lambda_t = s->lambda_x + m * t,
                                     .rate_q = s->rate_x,
                                     .rate_v = s->rate_x + nz * n,
                                     .rate_z = s->rate_x + nz * 2 * n,
                                     .rate_u = s->rate_x + nz * u,
                                     .rate_p = by_p ? s->rate_x + nz * p : NULL,
                                     .rate_t = s->rate_x + nz * t};
}

static mech_status build(mech_slopes *s, const mech_system *system)
{
    const mech_sizes *k = &system->sizes;
    const unsigned wants = DERIVATIVE_INPUTS | DERIVATIVE_TIME | DERIVATIVE_MULTIPLIERS |
                           (system->has_parameter_slopes ? DERIVATIVE_PARAMETERS : 0);
    if (k->coords == 0 || k->coords > INT_MAX || k->rows > INT_MAX) return MECH_ERR_ARGUMENT;
    MECH_TRY(smooth_create(&s->s, system, wants, &s->memory));
    MECH_TRY(dynamics_make_gains(&s->s.d.B, mech_system_pattern(system, MECH_MATRIX_DAMPING).count, &s->memory));
    MECH_TRY(dynamics_make_gains(&s->s.d.K, mech_system_pattern(system, MECH_MATRIX_STIFFNESS).count, &s->memory));
    const size_t columns = s->s.by.columns;
    s->qdd_x = arena_zeroed(&s->memory, (k->coords + k->rows + k->states) * columns, sizeof *s->qdd_x);
    s->lambda = arena_zeroed(&s->memory, k->rows, sizeof *s->lambda);
    MECH_TRY(arena_status(&s->memory));
    s->lambda_x = s->qdd_x + k->coords * columns;
    s->rate_x = s->lambda_x + k->rows * columns;
    MECH_TRY(dynamics_make_eval(&s->s.d));
    point_results(s);
    return MECH_OK;
}

mech_status mech_slopes_create(const mech_system *system, mech_slopes **slopes)
{
    if (!slopes) return MECH_ERR_ARGUMENT;
    *slopes = NULL;
    if (!system) return MECH_ERR_ARGUMENT;
    if (mech_slopes_obstacle(system)) return MECH_ERR_UNSUPPORTED;
    mech_slopes *s = mem_zeroed(1, sizeof *s);
    if (!s) return MECH_ERR_MEMORY;
    const mech_status status = build(s, system);
    if (status == MECH_OK) *slopes = s;
    else mech_slopes_free(s);
    return status;
}

mech_eval *mech_slopes_eval(mech_slopes *s) { return s->s.d.eval; }
const mech_slopes_result *mech_slopes_get(const mech_slopes *s) { return &s->result; }

/* Those of friction's own rows are left out; control has none; where rows depend on one another they are a choice. */
static void take_multipliers(mech_slopes *s)
{
    const dynamics *d = &s->s.d;
    const int is_choice = (d->out.flags & MECH_FUNDAMENTAL_REDUNDANT) != 0;
    for (size_t i = 0; i < d->m; i++) s->lambda[i] = d->servo[i] ? (double)NAN : d->total[i];
    for (size_t c = 0; c < s->s.by.columns; c++)
        for (size_t i = 0; i < d->m; i++)
            s->lambda_x[i + c * d->m] = is_choice || d->servo[i] ? (double)NAN : s->s.by.total[i + c * d->rows];
}

mech_status mech_slopes_at(mech_slopes *s, double t, const double *q, const double *v, const double *z)
{
    if (!s || !q || !v) return MECH_ERR_ARGUMENT;
    const dynamics *d = &s->s.d;
    mech_jacobian at;
    MECH_TRY(mech_eval_state(s->s.d.eval, t, q, v, z));
    dynamics_take_gains(&s->s.d, NULL);
    MECH_TRY(smooth_solve(&s->s));
    s->result.rank = d->out.rank;
    s->result.flags = d->out.flags;
    MECH_TRY(derivative_find(&s->s.by, s->qdd_x, d->n, &at));
    take_multipliers(s);
    memset(s->rate_x, 0, d->sizes.states * s->s.by.columns * sizeof *s->rate_x);
    derivative_scatter(&s->s.by, MECH_MATRIX_D_RATE, at.rate, d->sizes.states, s->rate_x);
    return MECH_OK;
}
