/* Sparse LU of a general matrix in compressed columns, by KLU, which is loaded when first asked for. */
#ifndef FUNDAMENTAL_LU_H
#define FUNDAMENTAL_LU_H

#include <mech/base.h>

typedef struct lu lu;

/* Pattern, borrowed: rows of column c are row[start[c] .. start[c+1]), ascending. MECH_ERR_UNSUPPORTED where
 * there is no KLU. */
MECH_MUST_CHECK mech_status lu_create(size_t size, int *start, int *row, lu **result);
void lu_free(lu *k);
/* MECH_ERR_SINGULAR_MASS: the matrix is singular. */
MECH_MUST_CHECK mech_status lu_factor(lu *k, double *value);
/* x in place of the right side; after a good lu_factor. */
MECH_MUST_CHECK mech_status lu_solve(lu *k, double *x);

#endif
