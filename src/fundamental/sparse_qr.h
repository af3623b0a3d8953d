/* The reference path of the sparse solver: rank-revealing QR of M^(-1/2) A' by SuiteSparse. */
#ifndef FUNDAMENTAL_SPARSE_QR_H
#define FUNDAMENTAL_SPARSE_QR_H

#include "fundamental/sparse.h"

int sparse_qr_is_there(void);
/* With M, A and rows in force of the last factorisation, whose M was definite. dropped (m): rows that depend
   on others; *smallest, *largest: entries on the diagonal of R. */
MECH_MUST_CHECK mech_status sparse_qr_solve(const sparse *s, double rank_tol, const double *Q, const double *b,
                                            double *a, double *lambda, size_t *rank);

#endif
