/* Diagnosis: projectors, singular values, redundancy, uniqueness, virtual work, geometry. Slow and thorough.
 */
#include "fundamental/diagnose.h"
#include "fundamental/root.h"

#include "base/mem.h"
#include "base/try.h"

#include <float.h>
#include <math.h>
#include <string.h>

static int smaller(int a, int b) { return a < b ? a : b; }
static size_t product(int a, int b) { return (size_t)a * (size_t)b; }

static double inner(int n, const double *x, const double *y)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

/* ---- life ---- */

static double *take(double **next, size_t count)
{
    double *part = *next;
    *next += count;
    return part;
}

static size_t place(mech_diagnosis *d, double *block, int *integers)
{
    const int n = d->n, m = d->m;
    const size_t nn = product(n, n), mm = product(m, m), nm = product(n, m), N = (size_t)n, R = (size_t)m;
    if (!block) return small_doubles(n, m) + 6 * nn + 4 * mm + 2 * nm + 12 * N + 4 * R;
    double *next = block;
    small_place(&d->s, n, m, take(&next, small_doubles(n, m)), integers);
    d->T = take(&next, nn), d->Np = take(&next, nn), d->Z = take(&next, nn), d->root = take(&next, nn);
    d->vectors = take(&next, nn), d->matrix = take(&next, nn);
    d->null = take(&next, mm), d->depends = take(&next, mm), d->filter = take(&next, mm), d->trial = take(&next, mm);
    d->B = take(&next, nm), d->rows = take(&next, nm);
    d->sigma = take(&next, N), d->work[0] = take(&next, N), d->work[1] = take(&next, N), d->work[2] = take(&next, N);
    for (int k = 0; k < 8; k++) d->x[k] = take(&next, N);
    d->b = take(&next, R), d->size = take(&next, R), d->t = take(&next, R), d->length = take(&next, R);
    return (size_t)(next - block);
}

mech_status mech_diagnosis_create(int n, int m, mech_diagnosis **diagnosis)
{
    if (!diagnosis) return MECH_ERR_ARGUMENT;
    *diagnosis = NULL;
    if (n < 1 || m < 0 || n > 20000 || m > 20000) return MECH_ERR_ARGUMENT;
    mech_diagnosis *d = mem_zeroed(1, sizeof *d);
    if (!d) return MECH_ERR_MEMORY;
    d->n = n;
    d->m = m;
    d->numbers = mem_zeroed(place(d, NULL, NULL), sizeof(double));
    d->integers = mem_zeroed(small_integers(n, m) + (size_t)m + 1, sizeof(int));
    d->bytes = mem_zeroed(6 * (size_t)m + product(m, m) + 1, 1);
    if (!d->numbers || !d->integers || !d->bytes) {
        mech_diagnosis_free(d);
        return MECH_ERR_MEMORY;
    }
    place(d, d->numbers, d->integers);
    d->pivot = d->integers + small_integers(n, m);
    d->redundant = d->bytes;
    d->unique_lambda = d->redundant + m;
    d->unique_force = d->unique_lambda + m;
    d->alive = d->unique_force + m;
    d->spare = d->alive + m;
    d->in_conflict = d->spare + m;
    *diagnosis = d;
    return MECH_OK;
}

void mech_diagnosis_free(mech_diagnosis *d)
{
    if (!d) return;
    mem_free(d->numbers);
    mem_free(d->integers);
    mem_free(d->bytes);
    mem_free(d);
}

const mech_diagnosis_result *mech_diagnosis_get(const mech_diagnosis *d) { return &d->result; }

/* ---- projectors and singular values ---- */

/* B = A M^(-1/2) with the symmetric root (or A D when M is singular), n x m transposed, rows not in force
 * zero */
static void scaled_rows(mech_diagnosis *d, const mech_fundamental_input *in)
{
    const int n = d->n, m = d->m;
    double *row = d->x[0], *out = d->x[1];
    for (int i = 0; i < m; i++) {
        const int on = !in->active || in->active[i];
        for (int j = 0; j < n; j++) row[j] = on ? AT(in->A, i, j, m) : 0;
        if (d->s.semi)
            for (int j = 0; j < n; j++) out[j] = row[j] * d->s.scale[j];
        else small_power(n, d->vectors, d->sigma, -0.5, row, out);
        memcpy(&AT(d->rows, 0, i, n), out, (size_t)n * sizeof *out);
    }
}

/* singular values by one-sided Jacobi on B (m x n): B V has orthogonal columns; T from the rank largest */
static void decompose(mech_diagnosis *d)
{
    const int n = d->n, m = d->m, r = d->s.rank;
    double *V = d->matrix, *lengths = d->x[0];
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) AT(d->B, i, j, m) = AT(d->rows, j, i, n);
    fundamental_svd(m, n, d->B, V);
    for (int j = 0; j < n; j++) lengths[j] = sqrt(inner(m, &AT(d->B, 0, j, m), &AT(d->B, 0, j, m)));
    memset(d->T, 0, product(n, n) * sizeof *d->T);
    for (int k = 0; k < n; k++) { /* by descending length */
        int best = 0;
        for (int j = 1; j < n; j++)
            if (lengths[j] > lengths[best]) best = j;
        if (k < smaller(n, m)) d->sigma[k] = lengths[best];
        lengths[best] = -1;
        if (k >= r) continue;
        const double *v = &AT(V, 0, best, n);
        for (int j = 0; j < n; j++)
            for (int i = 0; i < n; i++) AT(d->T, i, j, n) += v[i] * v[j];
    }
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++) AT(d->Np, i, j, n) = (i == j) - AT(d->T, i, j, n);
}

/* Z = L^-T Q2: a basis of null(A), orthonormal in M when M is definite */
static void null_basis(mech_diagnosis *d)
{
    for (int k = 0; k < d->n - d->s.rank; k++) {
        memset(d->x[0], 0, (size_t)d->n * sizeof *d->x[0]);
        d->x[0][d->s.rank + k] = 1;
        small_backward(&d->s, d->x[0], &AT(d->Z, 0, k, d->n));
    }
}

/* ---- dependence of rows ---- */

/* Orthonormal basis of the w with sum w_i row_i/|row_i| = 0: the rows are factored again, now at unit length,
   so that w weighs rows by direction and not by units. A row that is 0 = 0 has a vector of its own. */
static int null_of_rows(mech_diagnosis *d, const mech_fundamental_input *in)
{
    const int n = d->n, m = d->m;
    int count = 0;
    memset(d->null, 0, product(m, m) * sizeof *d->null);
    for (int i = 0; i < m; i++) {
        const int on = !in->active || in->active[i];
        d->length[i] = sqrt(inner(n, &AT(d->rows, 0, i, n), &AT(d->rows, 0, i, n)));
        const double own2 = d->length[i] * d->length[i];
        d->alive[i] = small_least(&d->s, in->A, i, own2, d->s.largest * d->s.largest) < own2;
        if (!d->alive[i]) d->length[i] = 0;
        if (on && !d->alive[i]) AT(d->null, i, count++, m) = 1;
        for (int j = 0; j < n; j++) AT(d->B, i, j, m) = d->alive[i] ? AT(in->A, i, j, m) / d->length[i] : 0;
    }
    (void)small_factor(&d->s, in->M, d->B, d->alive, in->rank_tol > 0 ? in->rank_tol : 1e-10, 0); /* M passed before */
    for (int k = 0; k < d->s.rows - d->s.rank; k++) small_null_row(&d->s, k, &AT(d->null, 0, count++, m));
    return count;
}

/* Echelon form from the last row up: each vector of a copy of the null space names one redundant row, which
   depends on rows before it. Entry (i, k) of `depends`: row i = sum of depends(i, k) row k. */
static void name_redundant(mech_diagnosis *d, int count)
{
    const int m = d->m;
    double *W = d->filter;
    memcpy(W, d->null, product(m, count) * sizeof *W);
    memset(d->depends, 0, product(m, m) * sizeof *d->depends);
    memset(d->redundant, 0, (size_t)m);
    int done = 0;
    for (int i = m - 1; i >= 0 && done < count; i--)
        if (fundamental_eliminate(m, W, done, count, i, d->pivot)) done++;
    for (int k = 0; k < done; k++) {
        const int row = d->pivot[k];
        const double *w = &AT(W, 0, k, m);
        d->redundant[row] = 1;
        for (int i = 0; i < m; i++) {
            if (i == row || !(fabs(w[i]) > NOTHING)) continue;
            AT(d->depends, row, i, m) = -w[i] / w[row] * d->length[row] / d->length[i];
        }
    }
}

/* lambda_i is unique when no null vector moves it; the force of a group when none moves A_k' w_k */
static void judge_uniqueness(mech_diagnosis *d, const mech_diagnosis_input *in, int count)
{
    const int n = d->n, m = d->m;
    for (int i = 0; i < m; i++) {
        double along = 0;
        for (int k = 0; k < count; k++) along += AT(d->null, i, k, m) * AT(d->null, i, k, m);
        d->unique_lambda[i] = along <= NOTHING * NOTHING;
    }
    for (int group = 0, first = 0; group < (in->group_sizes ? in->groups : m); group++) {
        const int last = first + (in->group_sizes ? in->group_sizes[group] : 1);
        double worst = 0;
        for (int k = 0; k < count; k++) {
            memset(d->x[0], 0, (size_t)n * sizeof *d->x[0]);
            for (int i = first; i < last; i++)
                for (int j = 0; j < n && d->length[i] > 0; j++)
                    d->x[0][j] += AT(d->null, i, k, m) * AT(d->rows, j, i, n) / d->length[i];
            worst = fmax(worst, inner(n, d->x[0], d->x[0]));
        }
        d->unique_force[group] = worst <= NOTHING * NOTHING;
        first = last;
    }
}

/* ---- work and geometry ---- */

static const double *work_along(mech_diagnosis *d, const double *force, int slot)
{
    if (!force) return NULL;
    for (int k = 0; k < d->n - d->s.rank; k++) d->work[slot][k] = inner(d->n, &AT(d->Z, 0, k, d->n), force);
    return d->work[slot];
}

static void times(int n, const double *P, const double *x, double *y)
{
    for (int i = 0; i < n; i++) {
        y[i] = 0;
        for (int j = 0; j < n; j++) y[i] += AT(P, i, j, n) * x[j];
    }
}

/* 0 where one of them is no longer than `least`: what rounding leaves has no direction. */
static double cosine(int n, const double *x, const double *y, double least)
{
    const double one = sqrt(inner(n, x, x)), other = sqrt(inner(n, y, y));
    return one > least && other > least ? fabs(inner(n, x, y)) / (one * other) : 0;
}

/* x[2] = B^+ b in symmetric scaling: the least p with B p = b, as M^(1/2) of the motion with no force */
static void figure_vectors(mech_diagnosis *d, const mech_fundamental_input *in, const double *eigen)
{
    const int n = d->n;
    double *zero = d->x[0], *motion = d->x[1];
    memset(zero, 0, (size_t)n * sizeof *zero);
    small_ideal(&d->s, in->M, zero, in->b ? in->b : zero, motion, NULL, NULL);
    small_power(n, d->vectors, eigen, 0.5, motion, d->x[2]);
    small_power(n, d->vectors, eigen, -0.5, in->Q, d->x[3]); /* a_s */
    memset(d->x[4], 0, (size_t)n * sizeof *d->x[4]);
    if (in->C) small_power(n, d->vectors, eigen, -0.5, in->C, d->x[4]); /* c_s */
    if (in->z) memcpy(d->x[4], in->z, (size_t)n * sizeof *d->x[4]);
}

static void geometry(mech_diagnosis *d, const mech_fundamental_input *in, const double *eigen)
{
    const int n = d->n;
    mech_geometry *g = &d->result.geometry;
    double *Bpb = d->x[2], *Tas = d->x[5], *Nas = d->x[6], *Ncs = d->x[7], *Bpe = d->x[0], *sum = d->x[1];
    figure_vectors(d, in, eigen);
    times(n, d->T, d->x[3], Tas);
    times(n, d->Np, d->x[3], Nas);
    times(n, d->Np, d->x[4], Ncs);
    for (int i = 0; i < n; i++) {
        Bpe[i] = Bpb[i] - Tas[i]; /* B^+ e = B^+ b - B^+ B a_s */
        sum[i] = Bpb[i] + Nas[i] + Ncs[i];
    }
    *g = (mech_geometry){sqrt(inner(n, Bpb, Bpb)),
                         sqrt(inner(n, Tas, Tas)),
                         sqrt(inner(n, Bpe, Bpe)),
                         sqrt(inner(n, Nas, Nas)),
                         sqrt(inner(n, Ncs, Ncs)),
                         sqrt(inner(n, sum, sum)),
                         0};
    const double *range[3] = {Bpb, Tas, Bpe}, *null[2] = {Nas, Ncs};
    const double least = 1e-12 * fmax(fmax(g->Bpb, g->Tas), fmax(g->Nas, g->Ncs));
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 2; k++) g->orthogonality = fmax(g->orthogonality, cosine(n, range[i], null[k], least));
    for (int i = 0; i < n; i++) sum[i] = Bpe[i] + Ncs[i]; /* q''_s - a_s */
    d->result.zwang = inner(n, sum, sum);
}

/* ---- the run ---- */

static mech_status check(const mech_diagnosis *d, const mech_diagnosis_input *in)
{
    const mech_fundamental_input *eq = in ? in->equation : NULL;
    if (!d || !in || in->size != sizeof *in || !eq || eq->size != sizeof *eq || !eq->M || !eq->Q)
        return MECH_ERR_ARGUMENT;
    if (d->m > 0 && (!eq->A || !eq->b)) return MECH_ERR_ARGUMENT;
    if ((eq->C && eq->z) || (in->solution && in->solution->size != sizeof *in->solution)) return MECH_ERR_ARGUMENT;
    if (!in->group_sizes) return MECH_OK;
    int rows = 0;
    for (int k = 0; k < in->groups; k++) rows += in->group_sizes[k] < 0 ? d->m + 1 : in->group_sizes[k];
    return rows == d->m && in->groups <= d->m ? MECH_OK : MECH_ERR_ARGUMENT;
}

static mech_status factor(mech_diagnosis *d, const mech_fundamental_input *eq)
{
    d->s.may_be_indefinite = eq->allows_indefinite;
    const small_status status =
        small_factor(&d->s, eq->M, eq->A, eq->active, eq->rank_tol > 0 ? eq->rank_tol : 1e-10, 0);
    if (status == SMALL_NOT_FINITE) return MECH_ERR_NOT_FINITE;
    return status == SMALL_INDEFINITE ? MECH_ERR_NOT_DEFINITE : MECH_OK;
}

static void fill_result(mech_diagnosis *d, const mech_diagnosis_input *in)
{
    mech_diagnosis_result *r = &d->result;
    const mech_fundamental_output *solved = in->solution;
    *r = (mech_diagnosis_result){
        .size = sizeof *r, .n = d->n, .m = d->m, .rank = d->s.rank, .sigma = d->sigma, .Z = d->Z};
    r->flags = fundamental_flags(&d->s);
    r->T = d->s.semi ? NULL : d->T;
    r->N = d->s.semi ? NULL : d->Np;
    r->work_Qi = work_along(d, solved ? solved->Qi : NULL, 0);
    r->work_Qni = work_along(d, solved ? solved->Qni : NULL, 1);
    r->work_Qc = work_along(d, solved ? solved->Qc : NULL, 2);
    r->redundant = d->redundant;
    r->depends = d->depends;
    r->unique_lambda = d->unique_lambda;
    r->unique_force = d->unique_force;
    r->in_conflict = d->in_conflict;
    r->zwang = NAN;
    r->geometry = (mech_geometry){NAN, NAN, NAN, NAN, NAN, NAN, NAN};
}

mech_status mech_diagnosis_run(mech_diagnosis *d, const mech_diagnosis_input *in)
{
    MECH_TRY(check(d, in));
    const mech_fundamental_input *eq = in->equation;
    MECH_TRY(factor(d, eq));
    if (!d->s.semi) { /* M = vectors diag(sigma) vectors' */
        for (int j = 0; j < d->n; j++)
            for (int i = j; i < d->n; i++)
                AT(d->matrix, i, j, d->n) = AT(d->matrix, j, i, d->n) = AT(eq->M, i, j, d->n);
        small_eigen(d->n, d->matrix, d->vectors, d->sigma);
    }
    scaled_rows(d, eq);
    memcpy(d->root, d->sigma, (size_t)d->n * sizeof *d->root); /* the eigenvalues, before sigma is B's */
    decompose(d);
    null_basis(d);
    fill_result(d, in);
    if (!d->s.semi) geometry(d, eq, d->root);
    const int count = null_of_rows(d, eq); /* factors anew: last of all */
    name_redundant(d, count);
    judge_uniqueness(d, in, count);
    d->result.conflicts = fundamental_find_conflicts(d, in, count);
    if (d->result.conflicts > 0) d->result.flags |= MECH_FUNDAMENTAL_MISSED;
    return MECH_OK;
}
