/* The eigenvalues of a matrix sorted into zero, right, left and axis, with the structure at zero and on the
   axis from ranks: a small number cannot tell a zero of a Jordan block from a slow mode, a rank can. */
#include "analyze/modes.h"

#include "analyze/dense.h"
#include "base/mem.h"
#include "base/try.h"
#include "base/tolerances.h"

#include <math.h>
#include <string.h>

enum { MOST_CROSS_CHECKED = 24 }; /* states: exact arithmetic takes a tenth of a second there */

/* X (n x n) without its null space: the map on the quotient, k x k, written over X. */
static mech_status deflate(double *X, size_t n, double least, size_t *null_count)
{
    const size_t cells = n * n;
    double *V = mem_alloc(2 * cells * sizeof *V), *XV = V + cells;
    size_t rank = 0;
    if (!V) return MECH_ERR_MEMORY;
    /* the tolerance is relative to the matrix we began with */
    const double norm = dense_largest(X, cells), tolerance = norm > least ? least / norm : 2;
    const mech_status status = dense_null_space(n, n, X, tolerance < 1 ? tolerance : 2, V, &rank, NULL);
    if (status == MECH_OK && rank < n) {
        const double *complement = V + (n - rank) * n;
        dense_multiply(n, n, rank, X, complement, XV);
        dense_multiply_transposed(rank, n, rank, complement, XV, X);
    }
    *null_count = n - rank;
    mem_free(V);
    return status;
}

/* Takes all zeros out of X, chain by chain; *n becomes the size of what is left. */
static mech_status take_zeros(double *X, size_t *n, double least, mech_modes_result *r)
{
    while (*n > 0) {
        size_t count;
        MECH_TRY(deflate(X, *n, least, &count));
        if (count == 0) break;
        if (r->longest_chain == 0) r->zero_vectors = (int)count;
        r->longest_chain++;
        r->zero += (int)count;
        *n -= count;
    }
    return MECH_OK;
}

/* Eigenvectors at i w: half the nullity of [X w; -w X]. */
static mech_status vectors_at(const double *X, size_t n, double w, double scale, int *count)
{
    const size_t size = 2 * n;
    double *Y = mem_zeroed(2 * size * size, sizeof *Y), *V = Y + size * size;
    size_t rank = size;
    if (!Y) return MECH_ERR_MEMORY;
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < n; i++) Y[i + j * size] = Y[n + i + (n + j) * size] = X[i + j * n];
        Y[j + (n + j) * size] += w;
        Y[n + j + j * size] -= w;
    }
    const mech_status status =
        dense_null_space(size, size, Y, TOL_MODES_RANK * 10 * scale / dense_largest(Y, size * size), V, &rank, NULL);
    *count = (int)(size - rank) / 2;
    mem_free(Y);
    return status;
}

/* Eigenvalues within the cluster around the k-th; their mean. */
static int cluster(const mech_modes_result *r, int count, int k, double width, double *mean, double *frequency)
{
    int members = 0;
    *mean = *frequency = 0;
    for (int i = 0; i < count; i++) {
        if (hypot(r->real[i] - r->real[k], r->imaginary[i] - r->imaginary[k]) > width) continue;
        *mean += r->real[i];
        *frequency += r->imaginary[i];
        members++;
    }
    *mean /= members;
    *frequency /= members;
    return members;
}

static mech_status sort_sides(const double *X, size_t n, mech_modes_result *r)
{
    double size = 0;
    for (size_t k = 0; k < n; k++) size = fmax(size, hypot(r->real[k], r->imaginary[k]));
    r->tolerance = TOL_MODES_AXIS * size;
    for (int k = 0; k < (int)n; k++) {
        double mean, frequency;
        const int members = cluster(r, (int)n, k, TOL_MODES_CLUSTER * size, &mean, &frequency);
        const double real = members > 1 ? mean : r->real[k];
        if (fabs(real) > r->tolerance) {
            r->right += real > 0;
            r->left += real < 0;
            continue;
        }
        r->axis++;
        if (members < 2 || r->imaginary[k] < 0) continue;
        int vectors;
        MECH_TRY(vectors_at(X, n, frequency, size, &vectors));
        if (vectors < members) r->defective_axis = 1;
    }
    return MECH_OK;
}

static void judge(mech_modes_result *r)
{
    if (r->right) r->verdict = MECH_VERDICT_UNSTABLE;
    else if (r->longest_chain > 1 || r->defective_axis) r->verdict = MECH_VERDICT_DEFECTIVE;
    else r->verdict = r->axis || r->zero ? MECH_VERDICT_MARGINAL : MECH_VERDICT_STABLE;
}

/* Eigenvalues and an exact Routh count of the same matrix must agree where none is on the axis. */
static mech_status cross_check(const double *X, size_t n, mech_modes_result *r)
{
    mech_routh *routh;
    r->routh_right = -1;
    r->agree = 1;
    if (n > MOST_CROSS_CHECKED) return MECH_OK;
    const mech_status status = mech_routh_matrix((int)n, X, &routh);
    if (status == MECH_ERR_UNSUPPORTED || status == MECH_ERR_LIMIT) return MECH_OK;
    MECH_TRY(status);
    r->routh_right = mech_routh_get(routh)->right;
    r->agree = r->axis > 0 || r->routh_right == r->right;
    mech_routh_free(routh);
    return MECH_OK;
}

static mech_status analyse(double *X, int n, double rank_tol, mech_modes *m)
{
    size_t left = (size_t)n;
    MECH_TRY(take_zeros(X, &left, rank_tol * dense_largest(X, left * left), &m->result));
    MECH_TRY(mech_eigenvalues((int)left, X, m->real, m->imaginary));
    MECH_TRY(sort_sides(X, left, &m->result));
    judge(&m->result);
    return cross_check(X, left, &m->result);
}

static mech_status create(int n, const double *A, double rank_tol, mech_modes **modes)
{
    const size_t order = (size_t)n, cells = order * order;
    double *X;
    if (!dense_is_finite(A, cells)) return MECH_ERR_NOT_FINITE;
    mech_modes *m = mem_zeroed(1, sizeof *m);
    if (!m) return MECH_ERR_MEMORY;
    mech_status status =
        ARENA_MAKE(&m->memory, ARRAY_OF(m->real, order), ARRAY_OF(m->imaginary, order), ARRAY_OF(X, cells));
    m->result = (mech_modes_result){.size = sizeof m->result, .n = n, .real = m->real, .imaginary = m->imaginary};
    if (status == MECH_OK && cells) memcpy(X, A, cells * sizeof *X);
    if (status == MECH_OK) status = analyse(X, n, rank_tol, m);
    if (status == MECH_OK) *modes = m;
    else mech_modes_free(m);
    return status;
}

mech_status mech_modes_create(int n, const double *A, mech_modes **modes)
{
    *modes = NULL;
    if (n < 0 || (n > 0 && !A)) return MECH_ERR_ARGUMENT;
    return create(n, A, TOL_MODES_RANK, modes);
}

/* Squared rates are entries of A: where all modes are slow beside what the units were made of, zeros are told by the
   modes' own. */
static mech_status slowness(int n, const double *A, double *slow)
{
    double *X = mem_alloc(((size_t)n * ((size_t)n + 2) + 1) * sizeof *X), fastest = 0;
    if (!X) return MECH_ERR_MEMORY;
    double *real = X + (size_t)n * (size_t)n, *imaginary = real + n;
    if (n) memcpy(X, A, (size_t)n * (size_t)n * sizeof *X);
    const mech_status status = mech_eigenvalues(n, X, real, imaginary);
    for (int k = 0; k < n && status == MECH_OK; k++) fastest = fmax(fastest, hypot(real[k], imaginary[k]));
    mem_free(X);
    *slow = fmin(1, fastest * fastest);
    return status;
}

mech_status modes_create(int n, const double *A, double time, mech_modes **modes)
{
    double slow;
    *modes = NULL;
    MECH_TRY(slowness(n, A, &slow));
    MECH_TRY(create(n, A, fmax(TOL_MODES_RANK * slow, TOL_MODES_RANK_LEAST), modes));
    mech_modes *m = *modes;
    for (int k = 0; k < n; k++) {
        m->real[k] /= time;
        m->imaginary[k] /= time;
    }
    m->result.tolerance /= time;
    return MECH_OK;
}

void mech_modes_free(mech_modes *m)
{
    if (!m) return;
    arena_free(&m->memory);
    mem_free(m);
}

const mech_modes_result *mech_modes_get(const mech_modes *m) { return &m->result; }
