#include "analyze/eigen.h"

#include "base/library.h"

#include <lapacke.h>

#define FUNCTIONS(X) X(LAPACKE_dgeev) X(LAPACKE_dhseqr)

LIBRARY(lapacke, FUNCTIONS, MECH_LAPACKE)

static mech_status status_of(lapack_int info)
{
    if (info == LAPACK_WORK_MEMORY_ERROR || info == LAPACK_TRANSPOSE_MEMORY_ERROR) return MECH_ERR_MEMORY;
    return info == 0 ? MECH_OK : MECH_ERR_NOT_FINITE;
}

mech_status eigen_values(int n, double *A, double *real, double *imaginary)
{
    if (n == 0) return MECH_OK;
    if (!lapacke_open()) return eigen_own_values(n, A, real, imaginary);
    return status_of(lapacke.LAPACKE_dgeev(LAPACK_COL_MAJOR, 'N', 'N', n, A, n, real, imaginary, NULL, 1, NULL, 1));
}

mech_status eigen_hessenberg(int n, double *H, double *real, double *imaginary)
{
    if (n == 0) return MECH_OK;
    if (!lapacke_open()) return eigen_own_hessenberg(n, H, real, imaginary);
    return status_of(lapacke.LAPACKE_dhseqr(LAPACK_COL_MAJOR, 'E', 'N', n, 1, n, H, n, real, imaginary, NULL, 1));
}
