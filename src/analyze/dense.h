/* Small dense helpers; column-major. */
#ifndef ANALYZE_DENSE_H
#define ANALYZE_DENSE_H

#include <mech/base.h>
#include <mech/system.h>

#include "base/complex.h"

/* X (rows x columns) = entries of the pattern; columns beyond are left out. */
void dense_scatter(mech_pattern pattern, const double *values, size_t rows, size_t columns, double *X);
/* C (m x n) = A (m x k) B (k x n) */
void dense_multiply(size_t m, size_t k, size_t n, const double *A, const double *B, double *C);
/* C (m x n) = A' B, A (k x m), B (k x n) */
void dense_multiply_transposed(size_t m, size_t k, size_t n, const double *A, const double *B, double *C);
/* Solves A X = B in place (A n x n destroyed, B n x columns); 0: singular to rounding. */
int dense_solve(size_t n, double *A, size_t columns, double *B);
/* b = M^-1 b, M (n x n) destroyed. A pivot below `little` is what an eigenvalue gives: `little` stands for it. */
void dense_solve_complex(double complex *M, double complex *b, size_t n, double little);
/* Largest |x|. */
double dense_largest(const double *x, size_t count);
/* The sum of |entries| of the largest column, A (n x n). */
double dense_norm(const double *A, size_t n);
/* 1: all of them. */
int dense_is_finite(const double *x, size_t count);
/* Largest |a - b|. */
double dense_difference(const double *a, const double *b, size_t count);

/* Rank of D (rows x columns) and an orthonormal basis of R^columns: first the null space of D (columns - rank
   vectors), then its complement. sigma (columns): singular values, those of the complement first met
   ascending; NULL: not wanted. tolerance: relative to the largest singular value. MECH_ERR_MEMORY. */
mech_status dense_null_space(size_t rows, size_t columns, const double *D, double tolerance, double *basis,
                             size_t *rank, double *sigma);
/* x = the least-squares solution of least norm of A x = b; singular values below TOL_NULL times the
   largest count as 0. */
mech_status dense_least_squares(size_t rows, size_t columns, const double *A, const double *b, double *x, size_t *rank);

#endif
