/* A build without SuiteSparse: implicit methods are absent too. */
#include "simulate/newton.h"

mech_status newton_create(mech_sim *s, newton **result)
{
    (void)s;
    *result = NULL;
    return MECH_OK;
}

void newton_free(newton *k) { (void)k; }

size_t newton_values(const newton *k)
{
    (void)k;
    return 0;
}

int newton_jacobian(void *sim, double t, const double *y, double *values)
{
    (void)sim, (void)t, (void)y, (void)values;
    return -1;
}

int newton_factor(void *sim, double gamma, const double *values)
{
    (void)sim, (void)gamma, (void)values;
    return -1;
}

int newton_solve(void *sim, double gamma, const double *values, const double *r, double *x)
{
    (void)sim, (void)gamma, (void)values, (void)r, (void)x;
    return -1;
}
