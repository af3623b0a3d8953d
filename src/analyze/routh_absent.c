/* A build without GMP has no exact arithmetic. */
#include "analyze/routh.h"

#pragma GCC diagnostic ignored "-Wunused-parameter" /* there is nothing to do with them */

mech_status routh_exact(const double *values, const char *const *texts, int degree, mech_routh **routh)
{
    return MECH_ERR_UNSUPPORTED;
}

mech_status mech_characteristic(int n, const double *A, double *coefficients) { return MECH_ERR_UNSUPPORTED; }

mech_status mech_routh_matrix(int n, const double *A, mech_routh **routh)
{
    *routh = NULL;
    return MECH_ERR_UNSUPPORTED;
}
