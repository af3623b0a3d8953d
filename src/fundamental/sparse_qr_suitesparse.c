/* M = P' L L' P (CHOLMOD), X = L^-1 P A' = H R E' (SPQR), and then
       y = H R^-T E' (b - A a0),   a = a0 + P' L^-T y,   lambda = E R^-1 H' y,   M a0 = Q.
   SPQR leaves out columns of X, that is rows of A, of which less than the tolerance is left. */
#include "fundamental/sparse_qr.h"

#include "base/library.h"
#include "base/mem.h"

#include <SuiteSparseQR_C.h>

#include <math.h>
#include <string.h>

#define FUNCTIONS(X)                                                                                                   \
    X(cholmod_l_start)                                                                                                 \
    X(cholmod_l_finish)                                                                                                \
    X(cholmod_l_allocate_triplet)                                                                                      \
    X(cholmod_l_free_triplet)                                                                                          \
    X(cholmod_l_triplet_to_sparse)                                                                                     \
    X(cholmod_l_spsolve)                                                                                               \
    X(cholmod_l_free_sparse)                                                                                           \
    X(cholmod_l_zeros)                                                                                                 \
    X(cholmod_l_solve)                                                                                                 \
    X(cholmod_l_free_dense)                                                                                            \
    X(cholmod_l_analyze)                                                                                               \
    X(cholmod_l_factorize)                                                                                             \
    X(cholmod_l_free_factor)                                                                                           \
    X(SuiteSparseQR_C_factorize)                                                                                       \
    X(SuiteSparseQR_C_solve)                                                                                           \
    X(SuiteSparseQR_C_qmult)                                                                                           \
    X(SuiteSparseQR_C_free)

LIBRARY(spqr, FUNCTIONS, MECH_SPQR)

int sparse_qr_is_there(void) { return spqr_open(); }

typedef struct work {
    const sparse *s;
    cholmod_common c;
    cholmod_factor *L;
    SuiteSparseQR_C_factorization *QR;
    double *miss; /* (m) */
} work;

static cholmod_sparse *make_mass(work *w)
{
    const sparse *s = w->s;
    cholmod_triplet *t = spqr.cholmod_l_allocate_triplet(s->n, s->n, s->M_count, -1, CHOLMOD_REAL, &w->c);
    if (!t) return NULL;
    SuiteSparse_long *i = t->i, *j = t->j;
    double *x = t->x;
    for (size_t k = 0; k < s->M_count; k++) {
        i[k] = s->M_row[k];
        j[k] = s->M_column[k];
        x[k] = s->slots[k];
    }
    t->nnz = s->M_count;
    cholmod_sparse *M = spqr.cholmod_l_triplet_to_sparse(t, s->M_count, &w->c);
    spqr.cholmod_l_free_triplet(&t, &w->c);
    return M;
}

/* L^-1 P A' over the rows in force */
static cholmod_sparse *make_rows(work *w)
{
    const sparse *s = w->s;
    const double *A = s->slots + s->p->A_first;
    cholmod_triplet *t = spqr.cholmod_l_allocate_triplet(s->n, s->m, s->A_count, 0, CHOLMOD_REAL, &w->c);
    if (!t) return NULL;
    SuiteSparse_long *i = t->i, *j = t->j;
    double *x = t->x;
    size_t count = 0;
    for (size_t k = 0; k < s->A_count; k++) {
        if (A[k] == 0) continue;
        i[count] = s->A_column[k];
        j[count] = s->A_row[k];
        x[count++] = A[k];
    }
    t->nnz = count;
    cholmod_sparse *rows = spqr.cholmod_l_triplet_to_sparse(t, count, &w->c);
    spqr.cholmod_l_free_triplet(&t, &w->c);
    cholmod_sparse *moved = rows ? spqr.cholmod_l_spsolve(CHOLMOD_P, w->L, rows, &w->c) : NULL;
    cholmod_sparse *result = moved ? spqr.cholmod_l_spsolve(CHOLMOD_L, w->L, moved, &w->c) : NULL;
    spqr.cholmod_l_free_sparse(&rows, &w->c);
    spqr.cholmod_l_free_sparse(&moved, &w->c);
    return result;
}

static cholmod_dense *column(work *w, const double *x, size_t count)
{
    cholmod_dense *d = spqr.cholmod_l_zeros(count, 1, CHOLMOD_REAL, &w->c);
    if (d && x) memcpy(d->x, x, count * sizeof *x);
    return d;
}

/* x = solution of one of CHOLMOD's systems, in place of x (n) */
static int with_mass(work *w, int system, double *x)
{
    cholmod_dense *b = column(w, x, w->s->n), *y = b ? spqr.cholmod_l_solve(system, w->L, b, &w->c) : NULL;
    if (y) memcpy(x, y->x, w->s->n * sizeof *x);
    spqr.cholmod_l_free_dense(&b, &w->c);
    spqr.cholmod_l_free_dense(&y, &w->c);
    return y != NULL || w->c.status == CHOLMOD_OK;
}

/* y (n) = H R^-T E' e;  lambda (m) += E R^-1 H' y */
static int with_rows(work *w, const double *e, double *y, double *lambda)
{
    cholmod_dense *b = column(w, e, w->s->m);
    cholmod_dense *r = b ? spqr.SuiteSparseQR_C_solve(SPQR_RTX_EQUALS_ETB, w->QR, b, &w->c) : NULL;
    cholmod_dense *x = r ? spqr.SuiteSparseQR_C_qmult(SPQR_QX, w->QR, r, &w->c) : NULL;
    cholmod_dense *l = r ? spqr.SuiteSparseQR_C_solve(SPQR_RETX_EQUALS_B, w->QR, r, &w->c) : NULL;
    const int done = x && l;
    if (done) memcpy(y, x->x, w->s->n * sizeof *y);
    for (size_t i = 0; done && i < w->s->m; i++) lambda[i] += ((const double *)l->x)[i];
    spqr.cholmod_l_free_dense(&b, &w->c);
    spqr.cholmod_l_free_dense(&r, &w->c);
    spqr.cholmod_l_free_dense(&x, &w->c);
    spqr.cholmod_l_free_dense(&l, &w->c);
    return done;
}

static int solve(work *w, const double *Q, const double *b, double *a, double *lambda)
{
    const sparse *s = w->s;
    const double *A = s->slots + s->p->A_first;
    double *y = mem_zeroed(s->n + 1, sizeof *y);
    int done = y != NULL;
    for (size_t i = 0; i < s->n; i++) a[i] = Q ? Q[i] : 0;
    for (size_t k = 0; s->boost_count && b && k < s->A_count; k++)
        if (s->active[s->A_row[k]]) a[s->A_column[k]] += s->mass_weight[s->A_row[k]] * A[k] * b[s->A_row[k]];
    memset(lambda, 0, s->m * sizeof *lambda);
    done = done && with_mass(w, CHOLMOD_A, a);
    for (int step = 0; step < 3 && done && s->m; step++) { /* the first, and refinement */
        sparse_miss(s, b, a, w->miss, NULL);
        done = with_rows(w, w->miss, y, lambda) && with_mass(w, CHOLMOD_Lt, y) && with_mass(w, CHOLMOD_Pt, y);
        for (size_t i = 0; done && i < s->n; i++) a[i] += y[i];
    }
    mem_free(y);
    return done;
}

mech_status sparse_qr_solve(const sparse *s, double rank_tol, const double *Q, const double *b, double *a,
                            double *lambda, size_t *rank)
{
    work w = {.s = s};
    if (!spqr_open()) return MECH_ERR_UNSUPPORTED;
    spqr.cholmod_l_start(&w.c);
    w.c.print = 0;
    w.c.final_ll = 1;
    w.c.supernodal = CHOLMOD_SIMPLICIAL;
    cholmod_sparse *M = make_mass(&w), *X = NULL;
    w.miss = mem_zeroed(s->m + 1, sizeof *w.miss);
    mech_status status = MECH_ERR_MEMORY;
    if (M) w.L = spqr.cholmod_l_analyze(M, &w.c);
    if (w.L && spqr.cholmod_l_factorize(M, w.L, &w.c)) {
        if (w.c.status == CHOLMOD_NOT_POSDEF) status = MECH_ERR_SINGULAR_MASS;
        else X = make_rows(&w);
    }
    if (X) w.QR = spqr.SuiteSparseQR_C_factorize(SPQR_ORDERING_DEFAULT, rank_tol * s->largest, X, &w.c);
    if (w.QR && w.miss && solve(&w, Q, b, a, lambda)) status = MECH_OK;
    *rank = (size_t)(w.c.SPQR_istat[4] > 0 ? w.c.SPQR_istat[4] : 0);
    if (w.QR) spqr.SuiteSparseQR_C_free(&w.QR, &w.c);
    spqr.cholmod_l_free_sparse(&X, &w.c);
    spqr.cholmod_l_free_sparse(&M, &w.c);
    spqr.cholmod_l_free_factor(&w.L, &w.c);
    spqr.cholmod_l_finish(&w.c);
    mem_free(w.miss);
    return status;
}
