/* The robust path of the sparse solver: rank-revealing QR of M^(-1/2) A'. */
#ifndef FUNDAMENTAL_SPARSE_QR_H
#define FUNDAMENTAL_SPARSE_QR_H

#include "fundamental/sparse.h"

/* M a = Q + A' lambda, A a = b with M, A and rows in force of the last factorisation, whose M was definite. Rows of
   which less than rank_tol times the largest is left beside those before them are left out: their multipliers are 0. */
MECH_MUST_CHECK mech_status sparse_qr_solve(const sparse *s, double rank_tol, const double *Q, const double *b,
                                            double *a, double *lambda, size_t *rank);

#endif
