/* Time per solve of the fundamental equation, against the same whole task done with LAPACK in the same run:
   KKT by dgesv (only where the rows are independent), Cholesky + triangular solve + dgelsy or dgelsd.
   Run with OPENBLAS_NUM_THREADS=1. Prints microseconds (minimum of repetitions) and ratios: ours / theirs. */
#include <mech/fundamental.h>

#include <cblas.h>
#include <lapacke.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define AT(matrix, i, j, ld) ((matrix)[(size_t)(i) + (size_t)(j) * (size_t)(ld)])

typedef struct task {
    int n, m;
    double *M, *Q, *A, *b, *qdd;
    double *L, *B, *e, *K, *rhs, *sv, *work, *Qi, *lambda;
    int *ints, *iwork, lwork;
    mech_fundamental *solver;
} task;

static uint64_t state = 88172645463325252u;
static double uniform(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (double)(state >> 11) * 0x1p-52 - 1;
}

static double *vector(size_t n)
{
    double *x = calloc(n + 1, sizeof *x);
    if (!x) abort();
    return x;
}

/* random definite M; A of m rows of which the last third repeat others when `redundant`; b consistent */
static task make(int n, int m, int redundant)
{
    task t = {.n = n, .m = m, .lwork = 64 * 2 * (n + m) + 8192};
    const size_t N = (size_t)n, R = (size_t)m, S = N + R;
    double *H = vector(N * N), *x = vector(N);
    t.M = vector(N * N), t.Q = vector(N), t.A = vector(R * N), t.b = vector(S), t.qdd = vector(N);
    t.L = vector(N * N), t.B = vector(S * S), t.e = vector(S), t.K = vector(S * S), t.rhs = vector(S), t.sv = vector(S);
    t.work = vector((size_t)t.lwork + 30 * S * S), t.Qi = vector(N), t.lambda = vector(S);
    t.ints = calloc(S, sizeof(int)), t.iwork = calloc(100 * S + 100, sizeof(int));
    for (size_t i = 0; i < N * N; i++) H[i] = uniform();
    cblas_dsyrk(CblasColMajor, CblasLower, CblasNoTrans, n, n, 1, H, n, 0, t.M, n);
    for (int j = 0; j < n; j++) {
        AT(t.M, j, j, n) += 1;
        t.Q[j] = uniform();
        x[j] = uniform();
        for (int i = 0; i < j; i++) AT(t.M, i, j, n) = AT(t.M, j, i, n);
        for (int i = 0; i < m; i++) AT(t.A, i, j, m) = uniform();
    }
    for (int i = redundant ? m - m / 3 : m; i < m; i++)
        for (int j = 0; j < n; j++) AT(t.A, i, j, m) = AT(t.A, i - m / 3, j, m) - 2 * AT(t.A, 0, j, m);
    if (m) cblas_dgemv(CblasColMajor, CblasNoTrans, m, n, 1, t.A, m, x, 1, 0, t.b, 1);
    if (mech_fundamental_create(n, m, NULL, &t.solver) != MECH_OK) abort();
    free(H);
    free(x);
    return t;
}

static void drop(task *t)
{
    double *all[] = {t->M, t->Q, t->A, t->b, t->qdd, t->L, t->B, t->e, t->K, t->rhs, t->sv, t->work, t->Qi, t->lambda};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    free(t->ints);
    free(t->iwork);
    mech_fundamental_free(t->solver);
}

static void ours(task *t)
{
    const mech_fundamental_input in = {.size = sizeof in, .M = t->M, .Q = t->Q, .A = t->A, .b = t->b};
    mech_fundamental_output out = {.size = sizeof out, .qdd = t->qdd, .Qi = t->Qi, .lambda = t->lambda};
    if (mech_fundamental_solve(t->solver, &in, &out) != MECH_OK) abort();
}

/* [M A'; A 0] [q''; -lambda] = [Q; b] */
static void kkt(task *t)
{
    const int n = t->n, m = t->m, s = n + m;
    memset(t->K, 0, (size_t)s * (size_t)s * sizeof *t->K);
    for (int j = 0; j < n; j++) {
        memcpy(&AT(t->K, 0, j, s), &AT(t->M, 0, j, n), (size_t)n * sizeof *t->K);
        for (int i = 0; i < m; i++) AT(t->K, n + i, j, s) = AT(t->K, j, n + i, s) = AT(t->A, i, j, m);
    }
    memcpy(t->rhs, t->Q, (size_t)n * sizeof *t->rhs);
    memcpy(t->rhs + n, t->b, (size_t)m * sizeof *t->rhs);
    LAPACKE_dgesv_work(LAPACK_COL_MAJOR, s, 1, t->K, s, t->ints, t->rhs, s);
    memcpy(t->qdd, t->rhs, (size_t)n * sizeof *t->rhs);
}

/* a = M\Q, e = b - A a, B = A L^-T, q'' = a + L^-T B^+ e */
static void by_least_squares(task *t, int svd)
{
    const int n = t->n, m = t->m, ld = n > m ? n : m;
    lapack_int rank;
    memcpy(t->L, t->M, (size_t)n * (size_t)n * sizeof *t->L);
    memcpy(t->qdd, t->Q, (size_t)n * sizeof *t->qdd);
    LAPACKE_dpotrf_work(LAPACK_COL_MAJOR, 'L', n, t->L, n);
    LAPACKE_dpotrs_work(LAPACK_COL_MAJOR, 'L', n, 1, t->L, n, t->qdd, n);
    memcpy(t->B, t->A, (size_t)m * (size_t)n * sizeof *t->B);
    memcpy(t->e, t->b, (size_t)m * sizeof *t->e);
    cblas_dgemv(CblasColMajor, CblasNoTrans, m, n, -1, t->A, m, t->qdd, 1, 1, t->e, 1);
    cblas_dtrsm(CblasColMajor, CblasRight, CblasLower, CblasTrans, CblasNonUnit, m, n, 1, t->L, n, t->B, m);
    if (svd)
        LAPACKE_dgelsd_work(LAPACK_COL_MAJOR, m, n, 1, t->B, m, t->e, ld, t->sv, 1e-10, &rank, t->work, t->lwork,
                            t->iwork);
    else {
        memset(t->ints, 0, (size_t)n * sizeof *t->ints);
        LAPACKE_dgelsy_work(LAPACK_COL_MAJOR, m, n, 1, t->B, m, t->e, ld, t->ints, 1e-10, &rank, t->work, t->lwork);
    }
    cblas_dtrsv(CblasColMajor, CblasLower, CblasTrans, CblasNonUnit, n, t->L, n, t->e, 1);
    for (int i = 0; i < n; i++) t->qdd[i] += t->e[i];
}

static void gelsy(task *t) { by_least_squares(t, 0); }
static void gelsd(task *t) { by_least_squares(t, 1); }

static double now(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

typedef void (*way)(task *);

/* Microseconds per call of each way (NULL: left out), the best of many short batches taken in turns: other
   work on the machine disturbs few of them, and all ways alike. */
static void measure(task *t, const way *ways, int count, double *best)
{
    int calls[4], batches = 2000;
    for (int k = 0; k < count; k++) {
        best[k] = NAN;
        if (!ways[k]) continue;
        ways[k](t);
        const double start = now();
        ways[k](t);
        const double once = now() - start;
        calls[k] = once > 5e-5 ? 1 : (int)(5e-5 / (once + 1e-7)) + 1;
        if (once > 1e-3) batches = 60;
    }
    for (int batch = 0; batch < batches; batch++)
        for (int k = 0; k < count; k++) {
            if (!ways[k]) continue;
            const double start = now();
            for (int i = 0; i < calls[k]; i++) ways[k](t);
            best[k] = fmin(best[k], 1e6 * (now() - start) / calls[k]);
        }
}

static double apart(const task *t, const double *keep)
{
    double worst = 0, size = 0;
    for (int i = 0; i < t->n; i++) {
        worst = fmax(worst, fabs(t->qdd[i] - keep[i]));
        size = fmax(size, fabs(keep[i]));
    }
    return worst / size;
}

static void line(int n, int m, int redundant)
{
    task t = make(n, m, redundant);
    double keep[512];
    const way ways[4] = {ours, redundant ? NULL : kkt, gelsy, gelsd};
    double time[4];
    measure(&t, ways, 4, time);
    const double own = time[0], lu = time[1], qr = time[2], svd = time[3];
    ours(&t);
    memcpy(keep, t.qdd, (size_t)n * sizeof *keep);
    gelsy(&t);
    const double off = apart(&t, keep);
    printf("%5d %5d %9s %10.2f %10.2f %10.2f %10.2f %8.2f %8.2f %8.2f   %.0e\n", n, m, redundant ? "third" : "none",
           own, lu, qr, svd, own / lu, own / qr, own / svd, off);
    drop(&t);
}

int main(int argc, char **argv)
{
    const int standard[] = {3, 7, 13, 30, 100, 300},
              fine[] = {3, 5, 7, 10, 13, 16, 20, 24, 28, 32, 40, 48, 56, 64, 80, 100, 140, 200, 300};
    const int all = argc > 1 && strcmp(argv[1], "all") == 0;
    const int *sizes = all ? fine : standard, count = all ? 19 : 6;
    printf("fundamental equation: microseconds per solve (q'', Qi, lambda, rank, smallest singular value, "
           "residual)\n");
    printf("%5s %5s %9s %10s %10s %10s %10s %8s %8s %8s   %s\n", "n", "m", "redundant", "ours", "dgesv", "dgelsy",
           "dgelsd", "/dgesv", "/dgelsy", "/dgelsd", "apart");
    for (int redundant = 0; redundant < 2; redundant++)
        for (int i = 0; i < count; i++) line(sizes[i], sizes[i] - 1, redundant);
    return 0;
}
