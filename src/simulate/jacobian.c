/* Partial derivatives of the right-hand side for the implicit methods: those of the equation, and q' = v. */
#include "dynamics/derivative.h"
#include "dynamics/implicit.h"
#include "simulate/sim.h"

#include <string.h>

int sim_has_jacobian(const mech_sim *s) { return derivative_obstacle(s->system) == NULL; }

/* By pattern where the run is sparse and the build has KLU, else dense. */
mech_status sim_jacobian_create(mech_sim *s)
{
    sim_implicit *x = &s->method.implicit;
    if (!sim_has_jacobian(s) || x->by_pattern || x->derivative) return MECH_OK;
    if (s->dyn.is_sparse && s->settings.stabilize != MECH_STABILIZE_EXCESS) {
        const mech_status status = implicit_create(s->system, &x->by_pattern);
        if (status != MECH_ERR_UNSUPPORTED) return status;
    }
    derivative *r = arena_alloc(&s->memory.arena, sizeof *r);
    if (!r) return MECH_ERR_MEMORY;
    MECH_TRY(derivative_create(&s->dyn, 0, &s->memory.arena, r));
    x->derivative = r;
    return MECH_OK;
}

static mech_status fill(mech_sim *s, double t, const double *y, double *J)
{
    const size_t n = s->n, ny = s->ny;
    mech_jacobian at;
    MECH_TRY(sim_accelerate(s, t, y));
    memset(J, 0, ny * ny * sizeof *J);
    MECH_TRY(derivative_find(s->method.implicit.derivative, J + n, ny, &at));
    derivative_scatter(s->method.implicit.derivative, MECH_MATRIX_D_RATE, at.rate, ny, J + 2 * n);
    for (size_t i = 0; i < n; i++) J[i + (n + i) * ny] = 1;
    s->info.jacobians++;
    return MECH_OK;
}

int sim_jacobian(void *sim, double t, const double *y, double *J) { return sim_rk_value(fill(sim, t, y, J)); }

/* ---- large systems: by pattern ---- */

/* Rows that depend on others, or are not in force. */
static unsigned char *rows_out(mech_sim *s)
{
    unsigned char *is_out = sim_take_mask(s);
    for (size_t i = 0; i < s->m; i++) is_out[i] = s->sparse.monitored[i] || !s->dyn.active[i];
    return is_out;
}

int sim_pattern_values(void *sim, double t, const double *y, double *values)
{
    mech_sim *s = sim;
    const mech_status status = sim_accelerate(s, t, y);
    if (status != MECH_OK) return sim_rk_value(status);
    SIM_SCRATCH(s);
    const int is_known = implicit_take(s->method.implicit.by_pattern, &s->dyn, rows_out(s), values) == MECH_OK;
    if (is_known) s->info.jacobians++;
    return !is_known;
}

int sim_pattern_factor(void *sim, double gamma, const double *values)
{
    mech_sim *s = sim;
    SIM_SCRATCH(s);
    const mech_status status = implicit_factor(s->method.implicit.by_pattern, gamma, values, rows_out(s));
    if (status == MECH_ERR_MEMORY) s->stepper->lacks_memory = 1;
    return status == MECH_OK ? 0 : status == MECH_ERR_SINGULAR_MASS ? 1 : -1;
}

int sim_pattern_solve(void *sim, double gamma, const double *values, const double *r, double *x)
{
    mech_sim *s = sim;
    const double power = r[s->ny - 1];
    SIM_SCRATCH(s);
    const mech_status status = implicit_solve(s->method.implicit.by_pattern, gamma, values, rows_out(s), r, x);
    if (status == MECH_ERR_MEMORY) s->stepper->lacks_memory = 1;
    x[s->ny - 1] = power;
    return status == MECH_OK ? 0 : -1;
}
