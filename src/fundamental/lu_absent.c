/* A build without SuiteSparse. */
#include "fundamental/lu.h"

mech_status lu_create(size_t size, int *start, int *row, lu **result)
{
    (void)size, (void)start, (void)row;
    *result = NULL;
    return MECH_ERR_UNSUPPORTED;
}

void lu_free(lu *k) { (void)k; }

mech_status lu_factor(lu *k, double *value)
{
    (void)k, (void)value;
    return MECH_ERR_UNSUPPORTED;
}

mech_status lu_solve(lu *k, double *x)
{
    (void)k, (void)x;
    return MECH_ERR_UNSUPPORTED;
}
