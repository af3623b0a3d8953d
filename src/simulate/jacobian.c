/* Partial derivatives of the right-hand side, for the implicit methods. */
#include "simulate/sim.h"

int sim_has_jacobian(const mech_sim *s)
{
    (void)s;
    return 0;
}

int sim_jacobian(void *sim, double t, const double *y, double *J)
{
    (void)sim, (void)t, (void)y, (void)J;
    return -1;
}
