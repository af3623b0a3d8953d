/* A build without GMP has no exact arithmetic. */
#include "analyze/routh.h"

mech_status routh_exact(const double *values, const char *const *texts, int degree, mech_routh *routh)
{
    (void)values;
    (void)texts;
    (void)degree;
    (void)routh;
    return MECH_ERR_UNSUPPORTED;
}

mech_status mech_characteristic(int n, const double *A, double *coefficients)
{
    (void)n;
    (void)A;
    (void)coefficients;
    return MECH_ERR_UNSUPPORTED;
}

mech_status mech_routh_matrix(int n, const double *A, mech_routh **routh)
{
    (void)n;
    (void)A;
    *routh = NULL;
    return MECH_ERR_UNSUPPORTED;
}
