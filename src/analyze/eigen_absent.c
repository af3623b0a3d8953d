/* A build without LAPACK. */
#include "analyze/eigen.h"

mech_status eigen_values(int n, double *A, double *real, double *imaginary)
{
    return eigen_own_values(n, A, real, imaginary);
}

mech_status eigen_hessenberg(int n, double *H, double *real, double *imaginary)
{
    return eigen_own_hessenberg(n, H, real, imaginary);
}
