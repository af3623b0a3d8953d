/* Partial derivatives of the right-hand side for the implicit methods: those of the equation, and q' = v. */
#include "dynamics/derivative.h"
#include "simulate/sim.h"
#include "base/try.h"

#include <string.h>

const char *sim_why_no_jacobian(const mech_sim *s) { return derivative_obstacle(s->system); }

int sim_has_jacobian(const mech_sim *s) { return sim_why_no_jacobian(s) == NULL; }

mech_status sim_jacobian_create(mech_sim *s)
{
    if (!sim_has_jacobian(s) || s->implicit.derivative) return MECH_OK;
    derivative *r = arena_alloc(&s->memory, sizeof *r);
    if (!r) return MECH_ERR_MEMORY;
    MECH_TRY(derivative_create(&s->dyn, 0, &s->memory, r));
    s->implicit.derivative = r;
    return MECH_OK;
}

static mech_status fill(mech_sim *s, double t, const double *y, double *J)
{
    const size_t n = s->n, ny = s->ny;
    mech_jacobian at;
    MECH_TRY(sim_accelerate(s, t, y));
    memset(J, 0, ny * ny * sizeof *J);
    MECH_TRY(derivative_find(s->implicit.derivative, J + n, ny, &at));
    derivative_scatter(s->implicit.derivative, MECH_MATRIX_D_RATE, at.rate, ny, J + 2 * n);
    for (size_t i = 0; i < n; i++) J[i + (n + i) * ny] = 1;
    s->info.jacobians++;
    return MECH_OK;
}

int sim_jacobian(void *sim, double t, const double *y, double *J)
{
    const mech_status status = fill(sim, t, y, J);
    return status == MECH_OK ? 0 : sim_is_recoverable(status) ? 1 : -1;
}
