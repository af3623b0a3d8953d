/* The factorisation of small.h by LAPACK, into the same structure, for systems where that is faster. */
#include "fundamental/room.h"

#include "base/mem.h"

#include <cblas.h>
#include <lapacke.h>

#include <float.h>
#include <math.h>
#include <string.h>

#define AT(matrix, i, j, ld) ((matrix)[(size_t)(i) + (size_t)(j) * (size_t)(ld)])

enum { FROM = 220, BLOCK = 64 }; /* n + m, measured: bench/fundamental */

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
    for (int j = 0; j < n; j++) {
        for (int i = j & ~3; i < j; i++) AT(s->L, i, j, s->ld) = 0; /* as blocks of four are read */
        for (int i = n; i < s->ld; i++) AT(s->L, i, j, s->ld) = 0;
        memcpy(&AT(s->L, j, j, s->ld), &AT(M, j, j, n), (size_t)(n - j) * sizeof *s->L);
    }
    if (LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', n, s->L, s->ld) != 0) return 0;
    for (int j = 0; j < n; j++) {
        const double root = AT(s->L, j, j, s->ld);
        if (!small_mass_is_clear(root * root, AT(M, j, j, n))) return 0;
        s->scale[j] = 1 / root;
    }
    return 1;
}

/* Rows brought to unit length, so that dgeqp3 goes by angle as small.c does; their lengths into `since`. Rows
   at rounding level become zero. 0 when an entry is no number. */
static int unit_rows(small_solve *s)
{
    const int n = s->n;
    double total = 0;
    for (int j = 0; j < s->rows; j++) {
        s->since[j] = cblas_dnrm2(n, &AT(s->X, 0, j, s->ld), 1);
        s->largest = fmax(s->largest, s->since[j]);
        total += s->since[j];
    }
    for (int j = 0; j < s->rows; j++) {
        const double least =
            sqrt(small_least(s->since[j] * s->since[j], s->largest * s->largest, s->rank_tol, s->zero_tol));
        cblas_dscal(n, s->since[j] > least ? 1 / s->since[j] : 0, &AT(s->X, 0, j, s->ld), 1);
    }
    return total <= DBL_MAX;
}

/* The rank along the diagonal of R, and R given its lengths back. 0 when a row that counts stands behind one
   that does not: then the order is not that of small.c. */
static int find_rank(small_solve *s)
{
    const int n = s->n, most = n < s->rows ? n : s->rows;
    const double largest2 = s->largest * s->largest;
    for (int j = 0; j < s->rows; j++) {
        const double own = s->since[s->place[j] - 1];
        const int high = j + 1 < n ? j + 1 : n;
        cblas_dscal(high, own, &AT(s->X, 0, j, s->ld), 1);
        s->least[j] = small_least(own * own, largest2, s->rank_tol, s->zero_tol);
    }
    for (int k = 0; k < most; k++) {
        const double pivot = AT(s->X, k, k, s->ld);
        if (!(pivot * pivot > s->least[k])) break;
        s->rank = k + 1;
    }
    for (int j = s->rank; j < s->rows && s->rank < n; j++) {
        double left2 = 0;
        for (int i = s->rank; i <= j && i < n; i++) left2 += AT(s->X, i, j, s->ld) * AT(s->X, i, j, s->ld);
        if (left2 > s->least[j]) return 0;
    }
    return 1;
}

/* Rows in the order given, by dgeqrf, twice as fast as with exchanges: good when they turn out clearly
 * independent. */
static int in_order(fundamental_dense *d, small_solve *s)
{
    const int n = s->n;
    LAPACKE_dgeqrf_work(LAPACK_COL_MAJOR, n, s->rows, s->X, s->ld, s->tau, d->work, d->size);
    for (int j = 0; j < s->rows; j++) {
        if (!(fabs(AT(s->X, j, j, s->ld)) > 1e-4)) return 0;
        s->place[j] = j + 1;
    }
    s->rank = s->rows;
    small_finish(s);
    const int clear = small_smallest(s) > 1e-6; /* of rows at unit length */
    s->rank = 0;
    return clear && find_rank(s) && s->rank == s->rows;
}

/* Rows by angle, by dgeqp3; 0 when its order is not ours. */
static int by_angle(fundamental_dense *d, small_solve *s)
{
    memset(s->place, 0, (size_t)s->rows * sizeof *s->place);
    s->rank = 0;
    LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, s->n, s->rows, s->X, s->ld, s->place, s->tau, d->work, d->size);
    if (!find_rank(s)) return 0;
    d->exchange = s->rank < s->rows; /* rows that depend on one another now will in the next solve */
    return 1;
}

small_status fundamental_dense_factor(fundamental_dense *d, small_solve *s, const double *M, const double *A,
                                      const unsigned char *active, double rank_tol, double zero_tol)
{
    const int n = s->n;
    small_start(s, rank_tol, zero_tol);
    if (!factor_mass(s, M)) return small_factor(s, M, A, active, rank_tol, zero_tol);
    small_load_rows(s, A, active);
    if (s->rows == 0) return SMALL_OK;
    cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, s->rows, n, 1, s->L, s->ld,
                s->B, s->high);
    small_transpose_rows(s);
    if (!unit_rows(s)) return SMALL_NOT_FINITE;
    const int tried = !d->exchange && s->rows <= n;
    if (!tried || !in_order(d, s)) {
        if (tried) small_transpose_rows(s);
        if (tried) (void)unit_rows(s);
        if (!by_angle(d, s)) return small_factor(s, M, A, active, rank_tol, zero_tol);
    }
    for (int j = 0; j < s->rows; j++) s->place[j] = s->row[s->place[j] - 1];
    memcpy(s->row, s->place, (size_t)s->rows * sizeof *s->row);
    if (s->rank > 0 && s->rank < s->rows)
        LAPACKE_dtzrzf_work(LAPACK_COL_MAJOR, s->rank, s->rows, s->X, s->ld, s->zeta, d->work, d->size);
    small_take_reflectors(s);
    small_finish(s);
    return SMALL_OK;
}
