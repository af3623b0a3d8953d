/* Eigenvalues of a general real matrix: LAPACK, or our own QR iteration where it is not there. */
#ifndef ANALYZE_EIGEN_H
#define ANALYZE_EIGEN_H

#include <mech/base.h>

/* A (n x n) is destroyed. MECH_ERR_NOT_FINITE when the iteration does not end. */
mech_status eigen_values(int n, double *A, double *real, double *imaginary);
/* The same for a matrix that is upper Hessenberg already. */
mech_status eigen_hessenberg(int n, double *H, double *real, double *imaginary);

/* eigen_own.c: both of them by ourselves */
mech_status eigen_own_values(int n, double *A, double *real, double *imaginary);
mech_status eigen_own_hessenberg(int n, double *H, double *real, double *imaginary);

#endif
