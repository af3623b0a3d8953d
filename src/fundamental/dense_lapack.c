/* The factorisation of small.h by LAPACK, into the same structure, for systems where that is faster. */
#include "fundamental/room.h"

#include "base/library.h"
#include "base/mem.h"

#include <cblas.h>
#include <lapacke.h>

#include <float.h>
#include <math.h>
#include <string.h>

#define OF_LAPACKE(X)                                                                                                  \
    X(LAPACKE_dpotrf_work)                                                                                             \
    X(LAPACKE_dgeqrf_work) X(LAPACKE_dormqr_work) X(LAPACKE_dgeqp3_work) X(LAPACKE_dtzrzf_work)
#define OF_CBLAS(X) X(cblas_dnrm2) X(cblas_dscal) X(cblas_dtrsm)

LIBRARY(lapacke, OF_LAPACKE, MECH_LAPACKE)
LIBRARY(cblas, OF_CBLAS, MECH_OPENBLAS)

#define AT(matrix, i, j, ld) ((matrix)[(size_t)(i) + (size_t)(j) * (size_t)(ld)])

enum { FROM = 220, BLOCK = 64 }; /* n + m, measured: bench/fundamental */

int fundamental_dense_from(void) { return FROM; }

mech_status fundamental_dense_create(fundamental_dense *d, int n, int m)
{
    if (!cblas_open() || !lapacke_open()) return MECH_OK; /* small.c then, as in a build without LAPACK */
    d->size = (n > m ? n : m) * BLOCK + 2 * m + BLOCK;    /* dgeqp3: 2m + (m+1) BLOCK; dtzrzf: n BLOCK */
    d->work = mem_zeroed((size_t)d->size, sizeof(double));
    d->row = mem_zeroed((size_t)m + 1, sizeof(int));
    return d->work && d->row ? MECH_OK : MECH_ERR_MEMORY;
}

void fundamental_dense_free(fundamental_dense *d)
{
    mem_free(d->work);
    mem_free(d->row);
    d->work = NULL;
    d->row = NULL;
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
    if (lapacke.LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', n, s->L, s->ld) != 0) return 0;
    for (int j = 0; j < n; j++) {
        const double root = AT(s->L, j, j, s->ld);
        if (!small_mass_is_clear(root * root, AT(M, j, j, n))) return 0;
        s->scale[j] = 1 / root;
    }
    return 1;
}

/* Rows brought to unit length, so that dgeqp3 goes by angle as small.c does; their lengths into `since`. Rows
   at rounding level become zero. 0 when an entry is no number. */
static int unit_rows(small_solve *s, const double *A)
{
    const int n = s->n;
    double total = 0;
    for (int j = 0; j < s->rows; j++) {
        s->since[j] = cblas.cblas_dnrm2(n, &AT(s->X, 0, j, s->ld), 1);
        s->largest = fmax(s->largest, s->since[j]);
        total += s->since[j];
    }
    for (int j = 0; j < s->rows; j++) {
        const double least = sqrt(small_least(s, A, s->row[j], s->since[j] * s->since[j], s->largest * s->largest));
        cblas.cblas_dscal(n, s->since[j] > least ? 1 / s->since[j] : 0, &AT(s->X, 0, j, s->ld), 1);
    }
    return total <= DBL_MAX;
}

/* The rank along the diagonal of R, and R given its lengths back; the first `taken` columns are triangular,
   the others full. 0 when a row that counts stands behind one that does not: then the order is not that of
   small.c.
 */
static int find_rank(small_solve *s, const double *A, int taken)
{
    const int n = s->n, most = n < s->rows ? n : s->rows;
    const double largest2 = s->largest * s->largest;
    for (int j = 0; j < s->rows; j++) {
        const double own = s->since[s->place[j] - 1];
        const int high = j < taken && j + 1 < n ? j + 1 : n;
        cblas.cblas_dscal(high, own, &AT(s->X, 0, j, s->ld), 1);
        s->least[j] = small_least(s, A, s->row[s->place[j] - 1], own * own, largest2);
    }
    s->rank = 0;
    for (int k = 0; k < most; k++) {
        const double pivot = AT(s->X, k, k, s->ld);
        if (!(pivot * pivot > s->least[k])) break;
        s->rank = k + 1;
    }
    for (int j = s->rank; j < s->rows && s->rank < n; j++) {
        const int high = j < taken && j + 1 < n ? j + 1 : n;
        double left2 = 0;
        for (int i = s->rank; i < high; i++) left2 += AT(s->X, i, j, s->ld) * AT(s->X, i, j, s->ld);
        if (left2 > s->least[j]) return 0;
    }
    return 1;
}

static const double CLEAR = 1e-4; /* what a unit row must keep to count as clearly independent */

/* The first `rank` rows in the order they stand, by dgeqrf, twice as fast as with exchanges: good when these
   turn out clearly independent, and of the others nothing is left. */
static int in_order(fundamental_dense *d, small_solve *s, const double *A, int rank)
{
    const int n = s->n, others = s->rows - rank;
    double *rest = &AT(s->X, 0, rank, s->ld);
    lapacke.LAPACKE_dgeqrf_work(LAPACK_COL_MAJOR, n, rank, s->X, s->ld, s->tau, d->work, d->size);
    for (int j = 0; j < s->rows; j++) {
        if (j < rank && !(fabs(AT(s->X, j, j, s->ld)) > CLEAR)) return 0;
        s->place[j] = j + 1;
    }
    s->rank = rank;
    small_finish(s);
    if (!(small_smallest(s) > 1e-6)) return 0; /* of rows at unit length */
    if (others > 0 && rank > 0)
        lapacke.LAPACKE_dormqr_work(LAPACK_COL_MAJOR, 'L', 'T', n, others, rank, s->X, s->ld, s->tau, rest, s->ld,
                                    d->work, d->size);
    return find_rank(s, A, rank) && s->rank == rank;
}

/* Rows by angle, by dgeqp3; 0 when its order is not ours. */
static int by_angle(fundamental_dense *d, small_solve *s, const double *A)
{
    memset(s->place, 0, (size_t)s->rows * sizeof *s->place);
    lapacke.LAPACKE_dgeqp3_work(LAPACK_COL_MAJOR, s->n, s->rows, s->X, s->ld, s->place, s->tau, d->work, d->size);
    if (!find_rank(s, A, s->rows)) return 0;
    double least = 1;
    for (int k = 0; k < s->rank; k++) least = fmin(least, fabs(AT(s->X, k, k, s->ld)) / s->since[s->place[k] - 1]);
    for (int j = 0; j < s->rows; j++) d->row[j] = s->row[s->place[j] - 1];
    d->rows = s->rows;
    d->rank = s->rank;
    d->is_close = !(least > CLEAR);
    return 1;
}

/* Rows that depended on others in the last solve will in this one: the order found there is tried again.
   Returns the rank to be expected; -1: nothing is known that would spare the exchanges. */
static int recall_order(const fundamental_dense *d, small_solve *s, const unsigned char *active)
{
    if (d->rows != s->rows) return s->rows <= s->n ? s->rows : -1;
    for (int j = 0; j < d->rows; j++)
        if (active && !active[d->row[j]]) return -1;
    memcpy(s->row, d->row, (size_t)d->rows * sizeof *d->row);
    return d->is_close ? -1 : d->rank;
}

small_status fundamental_dense_factor(fundamental_dense *d, small_solve *s, const double *M, const double *A,
                                      const unsigned char *active, double rank_tol, double zero_tol)
{
    const int n = s->n;
    small_start(s, rank_tol, zero_tol);
    if (!factor_mass(s, M)) return small_factor(s, M, A, active, rank_tol, zero_tol);
    small_list_rows(s, active);
    const int expected = recall_order(d, s, active);
    if (s->rows == 0) return SMALL_OK;
    small_take_rows(s, A);
    cblas.cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, s->rows, n, 1, s->L, s->ld, s->B,
                      s->high);
    small_transpose_rows(s);
    if (!unit_rows(s, A)) return SMALL_NOT_FINITE;
    if (expected < 0 || !in_order(d, s, A, expected)) {
        if (expected >= 0) small_transpose_rows(s);
        if (expected >= 0) (void)unit_rows(s, A);
        if (!by_angle(d, s, A)) return small_factor(s, M, A, active, rank_tol, zero_tol);
    }
    for (int j = 0; j < s->rows; j++) s->place[j] = s->row[s->place[j] - 1];
    memcpy(s->row, s->place, (size_t)s->rows * sizeof *s->row);
    if (s->rank > 0 && s->rank < s->rows)
        lapacke.LAPACKE_dtzrzf_work(LAPACK_COL_MAJOR, s->rank, s->rows, s->X, s->ld, s->zeta, d->work, d->size);
    small_take_reflectors(s);
    small_finish(s);
    return SMALL_OK;
}
