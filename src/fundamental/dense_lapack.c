/* The factorisation of small.h by LAPACK, into the same structure, for systems where that is faster. */
#include "fundamental/room.h"

#include "base/mem.h"

#include <cblas.h>
#include <lapacke.h>

#include <float.h>
#include <math.h>
#include <string.h>

#define AT(matrix, i, j, ld) ((matrix)[(size_t)(i) + (size_t)(j) * (size_t)(ld)])

enum { FROM = 48, BLOCK = 64 }; /* measured: bench/fundamental */

int fundamental_dense_from(void) { return FROM; }

mech_status fundamental_dense_create(fundamental_dense *d, int n, int m)
{
    d->size = (n > m ? n : m) * BLOCK + 2 * m + BLOCK; /* dgeqp3: 2m + (m+1) BLOCK; dtzrzf: n BLOCK */
    d->work = mem_zeroed((size_t)d->size, sizeof(double));
    return d->work ? MECH_OK : MECH_ERR_MEMORY;
}

void fundamental_dense_free(fundamental_dense *d)
{
    mem_free(d->work);
    d->work = NULL;
}

/* M = L L'; 0 when M is not clearly definite */
static int factor_mass(small_solve *s, const double *M)
{
    const int n = s->n;
    memcpy(s->L, M, (size_t)n * (size_t)n * sizeof *s->L);
    if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', n, s->L, n) != 0) return 0;
    for (int j = 0; j < n; j++) {
        const double root = AT(s->L, j, j, n);
        if (!small_mass_limit(s, root * root, AT(M, j, j, n))) return 0;
        s->scale[j] = 1 / root;
    }
    return 1;
}

/* norms of the rows of B into `since`, by row of A; 0 when one is no number */
static int measure(small_solve *s)
{
    double total = 0;
    for (int j = 0; j < s->rows; j++) {
        const double *x = &AT(s->X, 0, j, s->n);
        double own = 0;
        for (int i = 0; i < s->n; i++) own += x[i] * x[i];
        s->since[j] = own;
        s->largest = fmax(s->largest, sqrt(own));
        total += own;
    }
    return total <= DBL_MAX;
}

/* Rank by small_depends along the diagonal of R. 0 when a row that counts stands behind one that does not:
   then the order of dgeqp3, which goes by size alone, is not ours. */
static int find_rank(small_solve *s)
{
    const int n = s->n, most = n < s->rows ? n : s->rows;
    const double largest2 = s->largest * s->largest;
    for (int k = 0; k < most; k++) {
        const double pivot = AT(s->X, k, k, n);
        if (small_depends(pivot * pivot, s->own[k], largest2, s->rank_tol, s->zero_tol)) break;
        s->rank = k + 1;
    }
    for (int j = s->rank; j < s->rows; j++) {
        double left2 = 0;
        for (int i = s->rank; i <= j && i < n; i++) left2 += AT(s->X, i, j, n) * AT(s->X, i, j, n);
        if (s->rank < n && !small_depends(left2, s->own[j], largest2, s->rank_tol, s->zero_tol)) return 0;
    }
    return 1;
}

small_status fundamental_dense_factor(fundamental_dense *d, small_solve *s, const double *M, const double *A,
                                      const unsigned char *active, double rank_tol, double zero_tol)
{
    const int n = s->n;
    small_start(s, rank_tol, zero_tol);
    if (!factor_mass(s, M)) return small_factor_semi(s, M, A, active);
    small_load_rows(s, A, active);
    if (s->rows == 0) return SMALL_OK;
    cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, s->rows, n, 1, s->L, n, s->B,
                s->rows);
    small_transpose_rows(s);
    if (!measure(s)) return SMALL_NOT_FINITE;
    memset(s->place, 0, (size_t)s->rows * sizeof *s->place);
    LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, n, s->rows, s->X, n, s->place, s->tau, d->work, d->size);
    for (int j = 0; j < s->rows; j++) {
        s->own[j] = s->since[s->place[j] - 1];
        s->place[j] = s->row[s->place[j] - 1];
    }
    memcpy(s->row, s->place, (size_t)s->rows * sizeof *s->row);
    if (!find_rank(s)) return small_factor(s, M, A, active, rank_tol, zero_tol);
    if (s->rank > 0 && s->rank < s->rows)
        LAPACKE_dtzrzf_work(LAPACK_COL_MAJOR, s->rank, s->rows, s->X, n, s->zeta, d->work, d->size);
    small_finish(s);
    return SMALL_OK;
}
