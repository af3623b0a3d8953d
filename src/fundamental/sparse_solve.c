/* A solver that was created from patterns: the plan where it knows, the robust path where it does not. */
#include "fundamental/room.h"
#include "fundamental/sparse_qr.h"

#include "base/mem.h"
#include "base/options.h"
#include "base/try.h"

#include <math.h>
#include <string.h>

enum { MOST_OPERATIONS = 40000000, DENSE_TO = 1000 };
static const double MISSED = 1e-8;    /* of the terms of a row */
static const double ROUNDING = 1e-10; /* of what the row's entries could make of the largest acceleration */
static const double TOLD =
    1e-3; /* the same for monitored rows: beside the manifold they contradict the others a little */
static const double IN_DOUBT = 3e-6; /* the least singular value is below this where QR decided */

typedef struct fundamental_sparse {
    sparse *s;
    unsigned char *monitored;                                               /* (m) */
    double *qdd, *lambda, *dqdd, *dlambda, *total, *miss, *size, *Qi, *Qni; /* by n or m */
    mech_fundamental *dense; /* the robust path: made when first needed                   */
    double *M, *A;           /* (n x n), (m x n)                                          */
    double rank_tol;
    int has_factors, is_robust; /* of the last solve */
    const double *M_given, *A_given;
    mech_fundamental_sparse_info info;
} fundamental_sparse;

/* What it counted; factors are made anew. */
void fundamental_sparse_visit(fundamental_sparse *k, state_walk *w)
{
    STATE_FIELD(w, k->info.solves);
    STATE_FIELD(w, k->info.robust);
    STATE_FIELD(w, k->info.monitored_missed);
    STATE_FIELD(w, k->s->refinements);
    if (w->reads || w->clears) k->has_factors = 0;
}

/* ---- life ---- */

void fundamental_sparse_free(fundamental_sparse *k)
{
    if (!k) return;
    sparse_free(k->s);
    mech_fundamental_free(k->dense);
    void *const blocks[] = {k->monitored, k->qdd,  k->lambda, k->dqdd, k->dlambda, k->total,
                            k->miss,      k->size, k->Qi,     k->Qni,  k->M,       k->A};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) mem_free(blocks[i]);
    mem_free(k);
}

static mech_status allocate(const mech_fundamental_pattern *g, fundamental_sparse *k)
{
    const size_t n = (size_t)g->n, m = (size_t)g->m;
    double **const by_n[] = {&k->qdd, &k->dqdd, &k->Qi, &k->Qni};
    double **const by_m[] = {&k->lambda, &k->dlambda, &k->total, &k->miss, &k->size};
    for (size_t i = 0; i < sizeof by_n / sizeof *by_n; i++)
        if (!(*by_n[i] = mem_zeroed(n + 1, sizeof(double)))) return MECH_ERR_MEMORY;
    for (size_t i = 0; i < sizeof by_m / sizeof *by_m; i++)
        if (!(*by_m[i] = mem_zeroed(m + 1, sizeof(double)))) return MECH_ERR_MEMORY;
    k->monitored = mem_zeroed(m + 1, 1);
    if (!k->monitored) return MECH_ERR_MEMORY;
    if (g->monitored && m) memcpy(k->monitored, g->monitored, m);
    const sparse_spec spec = {.n = n,
                              .m = m,
                              .M = {g->M_count, g->M_row, g->M_column},
                              .A = {g->A_count, g->A_row, g->A_column},
                              .monitored = g->monitored,
                              .mass_weight = g->mass_weight,
                              .most_ops = MOST_OPERATIONS};
    MECH_TRY(sparse_create(&spec, &k->s));
    k->info.operations = k->s->factor_count + k->s->solve_count;
    k->info.dropped = k->s->dropped;
    return MECH_OK;
}

static int pattern_is_sound(const mech_fundamental_pattern *g)
{
    if (!g || g->size != sizeof *g || g->n < 1 || g->m < 0) return 0;
    for (size_t k = 0; k < g->M_count; k++)
        if (g->M_row[k] < g->M_column[k] || g->M_row[k] >= (uint32_t)g->n) return 0;
    for (size_t k = 0; k < g->A_count; k++)
        if (g->A_row[k] >= (uint32_t)g->m || g->A_column[k] >= (uint32_t)g->n) return 0;
    return 1;
}

mech_status mech_fundamental_create_sparse(const mech_fundamental_pattern *pattern,
                                           const mech_fundamental_settings *settings, mech_fundamental **solver)
{
    if (!solver) return MECH_ERR_ARGUMENT;
    *solver = NULL;
    if (!pattern_is_sound(pattern)) return MECH_ERR_ARGUMENT;
    mech_fundamental_settings given;
    mech_fundamental_settings_default(&given, sizeof given);
    MECH_TRY(options_take(&given, sizeof given, settings));
    mech_fundamental *f = mem_zeroed(1, sizeof *f);
    if (!f) return MECH_ERR_MEMORY;
    f->settings = given;
    f->n = pattern->n;
    f->m = pattern->m;
    f->sparse = mem_zeroed(1, sizeof *f->sparse);
    const mech_status status = f->sparse ? allocate(pattern, f->sparse) : MECH_ERR_MEMORY;
    if (status != MECH_OK) mech_fundamental_free(f);
    else *solver = f;
    return status;
}

mech_fundamental_sparse_info mech_fundamental_sparse_info_get(const mech_fundamental *f)
{
    if (!f || !f->sparse) return (mech_fundamental_sparse_info){.size = sizeof(mech_fundamental_sparse_info)};
    mech_fundamental_sparse_info info = f->sparse->info;
    info.size = sizeof info;
    info.refinements = f->sparse->s->refinements;
    info.weakest = sqrt(f->sparse->s->ratio);
    return info;
}

int mech_fundamental_choose_monitored(mech_fundamental *f, unsigned char *monitored)
{
    if (!f || !f->sparse || !f->sparse->has_factors) return 0;
    return sparse_choose_dropped(f->sparse->s, monitored);
}

/* ---- the robust path ---- */

static mech_status make_dense(mech_fundamental *f)
{
    fundamental_sparse *k = f->sparse;
    const size_t n = (size_t)f->n, m = (size_t)f->m;
    if (k->dense) return MECH_OK;
    if (!k->M) k->M = mem_zeroed(n * n, sizeof *k->M);
    if (!k->A) k->A = mem_zeroed(n * m + 1, sizeof *k->A);
    if (!k->M || !k->A) return MECH_ERR_MEMORY;
    return mech_fundamental_create(f->n, f->m, &f->settings, &k->dense);
}

/* Takes over all of the solve, whichever part of it was in doubt. */
static mech_status solve_dense(mech_fundamental *f, const mech_fundamental_input *in, mech_fundamental_output *out)
{
    fundamental_sparse *k = f->sparse;
    const sparse *s = k->s;
    const size_t n = s->n, m = s->m;
    MECH_TRY(make_dense(f));
    for (size_t i = 0; i < s->M_given; i++) {
        const uint32_t r = s->M_row[i], c = s->M_column[i];
        k->M[r + n * c] = k->M[c + n * r] = in->M[i];
    }
    for (size_t i = 0; i < s->A_count; i++) k->A[s->A_row[i] + m * s->A_column[i]] = in->A[i];
    mech_fundamental_input dense = *in;
    dense.M = k->M;
    dense.A = k->A;
    k->has_factors = 1;
    return mech_fundamental_solve(k->dense, &dense, out);
}

static int wants_dense(const mech_fundamental *f) { return f->n + f->m <= DENSE_TO; }

/* ---- the solve ---- */

/* Rows that were left out are met: nothing was lost with them. *missed: a monitored one is not. */
static int dropped_are_met(fundamental_sparse *k, const double *b, const double *a, int *missed)
{
    const sparse *s = k->s;
    int met = 1;
    if (s->dropped_count == 0) return 1;
    double most = 0;
    for (size_t j = 0; j < s->n; j++) most = fmax(most, fabs(a[j]));
    sparse_miss(s, b, a, k->miss, k->size);
    for (size_t r = 0; r < s->m; r++) {
        if (!s->dropped[r] || fabs(k->miss[r]) <= MISSED * k->size[r]) continue;
        if (fabs(k->miss[r]) <= (k->monitored[r] ? TOLD : ROUNDING) * most * sparse_row_size(s, r)) continue;
        met = 0;
        *missed |= k->monitored[r];
    }
    return met;
}

/* qdd and lambda under Q, b by the plan or by QR. 0: neither could. */
static mech_status solve_one(mech_fundamental *f, const double *Q, const double *b, double *qdd, double *lambda,
                             int *is_done)
{
    fundamental_sparse *k = f->sparse;
    int missed = 0;
    *is_done = k->s->is_definite && sparse_solve(k->s, Q, b, qdd, lambda) && dropped_are_met(k, b, qdd, &missed);
    k->info.monitored_missed += (size_t)missed;
    if (*is_done || wants_dense(f) || !k->s->is_definite) return MECH_OK;
    size_t rank;
    MECH_TRY(sparse_qr_solve(k->s, k->rank_tol, Q, b, qdd, lambda, &rank));
    k->s->rank = rank;
    k->is_robust = *is_done = 1;
    return MECH_OK;
}

static void copy(double *to, const double *from, int count)
{
    if (to && count) memcpy(to, from, (size_t)count * sizeof *to);
}

static void judge(fundamental_sparse *k, const double *b, mech_fundamental_output *o)
{
    const sparse *s = k->s;
    o->residual = 0;
    sparse_miss(s, b, k->qdd, k->miss, k->size);
    for (size_t r = 0; r < s->m; r++) {
        if (!s->active[r]) continue;
        if (!(fabs(k->miss[r]) <= o->residual)) o->residual = fabs(k->miss[r]);
        if (fabs(k->miss[r]) > MISSED * k->size[r]) o->flags |= MECH_FUNDAMENTAL_MISSED;
    }
}

static mech_status deliver(mech_fundamental *f, const mech_fundamental_input *in, mech_fundamental_output *out)
{
    fundamental_sparse *k = f->sparse;
    sparse *s = k->s;
    mech_fundamental_output o = *out;
    o.flags = s->dropped_count ? MECH_FUNDAMENTAL_REDUNDANT : 0;
    if (s->boost_count) o.flags |= MECH_FUNDAMENTAL_SINGULAR_MASS;
    if (in->is_quick && !k->is_robust) o.residual = 0; /* dropped rows were looked at */
    else judge(k, in->b, &o);
    double sum = 0;
    for (int j = 0; j < f->n; j++) sum += k->qdd[j] - k->qdd[j]; /* 0 for all that is finite */
    if (sum != 0 || !isfinite(o.residual)) return MECH_ERR_NOT_FINITE;
    o.rank = (int)s->rank;
    o.servo_rank = 0;
    o.largest = s->largest;
    o.smallest = in->is_quick ? 0 : sparse_smallest(s);
    if (k->is_robust) o.smallest = fmin(o.smallest, IN_DOUBT * s->largest);
    o.rank_tol = k->rank_tol;
    o.zero_tol = 0;
    if (out->Qi) sparse_force(s, k->lambda, k->Qi);
    if (out->lambda && !k->is_robust) (void)sparse_least_norm(s, k->lambda); /* QR has other rows left over */
    if (out->reaction && in->C && !k->is_robust) (void)sparse_least_norm(s, k->total);
    copy(o.qdd, k->qdd, f->n);
    copy(o.Qi, k->Qi, f->n);
    copy(o.Qni, k->Qni, f->n);
    copy(o.lambda, k->lambda, f->m);
    copy(o.reaction, in->C ? k->total : k->lambda, f->m);
    if (o.Qc) memset(o.Qc, 0, (size_t)f->n * sizeof(double));
    *out = o;
    return MECH_OK;
}

/* The part of C: M a = C + A' l, A a = 0 */
static mech_status add_law(mech_fundamental *f, const double *C, int *is_done)
{
    fundamental_sparse *k = f->sparse;
    if (!C) {
        memset(k->Qni, 0, (size_t)f->n * sizeof *k->Qni);
        return MECH_OK;
    }
    memset(k->miss, 0, k->s->m * sizeof *k->miss);
    MECH_TRY(solve_one(f, C, NULL, k->dqdd, k->dlambda, is_done));
    if (!*is_done) return MECH_OK;
    sparse_force(k->s, k->dlambda, k->Qni);
    for (int j = 0; j < f->n; j++) {
        k->Qni[j] += C[j];
        k->qdd[j] += k->dqdd[j];
    }
    for (int i = 0; i < f->m; i++) k->total[i] = k->lambda[i] + k->dlambda[i];
    return MECH_OK;
}

mech_status fundamental_sparse_solve(mech_fundamental *f, const mech_fundamental_input *in,
                                     mech_fundamental_output *out)
{
    fundamental_sparse *k = f->sparse;
    if (in->z || in->servo || in->G) return MECH_ERR_UNSUPPORTED;
    k->rank_tol = in->rank_tol > 0 ? in->rank_tol : f->settings.rank_tol;
    const int keeps = in->is_same && k->has_factors && !k->is_robust;
    k->is_robust = k->has_factors = 0;
    k->info.solves++;
    if (!keeps) sparse_factor(k->s, in->M, in->A, in->active, k->rank_tol * k->rank_tol);
    int is_done = 0;
    if (!out->a && !out->e) MECH_TRY(solve_one(f, in->Q, in->b, k->qdd, k->lambda, &is_done));
    if (is_done) MECH_TRY(add_law(f, in->C, &is_done));
    if (!is_done) {
        k->info.robust++;
        k->is_robust = 1;
        if (!wants_dense(f)) return MECH_ERR_SINGULAR_MASS;
        return solve_dense(f, in, out);
    }
    k->info.robust += k->is_robust != 0;
    k->has_factors = 1;
    return deliver(f, in, out);
}

mech_status fundamental_sparse_again(mech_fundamental *f, const double *Q, const double *b, double *qdd, double *lambda)
{
    fundamental_sparse *k = f->sparse;
    if (!k->has_factors || !Q || !qdd || (f->m > 0 && !b)) return MECH_ERR_ARGUMENT;
    if (k->is_robust && wants_dense(f)) return mech_fundamental_again(k->dense, Q, b, qdd, lambda);
    int is_done = 0;
    MECH_TRY(solve_one(f, Q, b, k->dqdd, k->dlambda, &is_done));
    copy(qdd, k->dqdd, f->n);
    if (lambda && is_done && !k->is_robust) (void)sparse_least_norm(k->s, k->dlambda);
    copy(lambda, k->dlambda, f->m);
    return MECH_OK; /* rows in conflict: those that were kept are met */
}
