/* Laws of the fundamental equation on random systems: n to 60, m to 90, every rank, M definite and
   semi-definite. Prints one table: cases tried and the worst error of each law, relative to the size of its
   terms. */
#include "check.h"
#include "fundamental/motion.h"
#include "unit/fundamental/helpers.h"

#include <stdlib.h>

enum { NMAX = 60, MMAX = 90, SIDE = NMAX + MMAX };
#define AT(matrix, i, j, ld) ((matrix)[(i) + (j) * (ld)])

typedef enum law {
    ROWS,
    NEWTON,
    IDEAL,
    NONIDEAL,
    MULTIPLIERS,
    LEAST_NORM,
    TOTAL,
    PENROSE,
    DUPLICATE,
    SCALE,
    SCALE_REDUNDANT,
    RECOMBINE,
    KKT,
    KKT_SEMI,
    LAWS
} law;
static const char *const names[LAWS] = {"A q'' = b",
                                        "M q'' = Q + Qi + Qni",
                                        "Qi.v = 0 on null(A)",
                                        "Qni.v = C.v on null(A)",
                                        "Qi = A' lambda",
                                        "lambda of least norm",
                                        "A' total + C = Qi + Qni",
                                        "four Penrose conditions",
                                        "rows duplicated",
                                        "independent rows scaled 1e-6..1e6",
                                        "redundant rows scaled 1e-3..1e3",
                                        "rows recombined",
                                        "KKT, long double LU",
                                        "KKT, M semi-definite"};
static const double allowed[LAWS] = {1e-13, 1e-12, 1e-13, 1e-12, 1e-12, 1e-12, 1e-12,
                                     1e-12, 1e-11, 1e-11, 1e-11, 1e-11, 1e-11, 1e-10};
static double worst[LAWS];
static long tried[LAWS];
static uint64_t state;

static void note(law l, double error)
{
    tried[l]++;
    if (!(error <= worst[l])) worst[l] = error;
}

static double random_in(double low, double high) { return low + (high - low) * 0.5 * (uniform(&state) + 1); }
static int pick(int low, int high) { return low + (int)random_in(0, high - low + 0.999999); }
static double norm(int n, const double *x) { return sqrt(dot_of(n, x, x)); }

/* ---- random systems with known null spaces ---- */

typedef struct system {
    int n, m, rank, semi;
    double M[NMAX * NMAX], Q[NMAX], C[NMAX], A[MMAX * NMAX], b[MMAX], x[NMAX];
    double right[NMAX * NMAX], left[MMAX * MMAX]; /* A = left(:,1:r) diag(s) right(:,1:r)' */
} system_;

static void random_orthogonal(int n, double *U)
{
    double v[SIDE];
    memset(U, 0, (size_t)(n * n) * sizeof *U);
    for (int i = 0; i < n; i++) AT(U, i, i, n) = 1;
    for (int turn = 0; turn < 4; turn++) {
        for (int i = 0; i < n; i++) v[i] = uniform(&state);
        const double size = dot_of(n, v, v);
        for (int j = 0; j < n; j++) {
            const double w = 2 * dot_of(n, v, U + j * n) / size;
            for (int i = 0; i < n; i++) AT(U, i, j, n) -= w * v[i];
        }
    }
}

/* Definite, or with `null` null directions that lie near range(A'), so that M is well conditioned on null(A):
   the directions of U are those of A, mildly turned. Else (`apart`) they lie anywhere. */
static void random_mass(system_ *s, int null, int anywhere)
{
    double U[NMAX * NMAX], d[NMAX], v[NMAX];
    random_orthogonal(s->n, U);
    if (null && !anywhere) {
        for (int k = 0; k < s->n; k++) memcpy(U + (s->n - 1 - k) * s->n, s->right + k * s->n, (size_t)s->n * sizeof *U);
        for (int i = 0; i < s->n; i++) v[i] = uniform(&state);
        for (int j = 1; j < s->n; j++) { /* turn neighbours by up to 0.5 rad */
            const double angle = 0.5 * v[j], co = cos(angle), si = sin(angle);
            for (int i = 0; i < s->n; i++) {
                const double x = AT(U, i, j - 1, s->n), y = AT(U, i, j, s->n);
                AT(U, i, j - 1, s->n) = co * x - si * y;
                AT(U, i, j, s->n) = si * x + co * y;
            }
        }
    }
    for (int k = 0; k < s->n; k++) d[k] = k < s->n - null ? pow(10, random_in(-1, 1)) : 0;
    for (int j = 0; j < s->n; j++)
        for (int i = 0; i <= j; i++) {
            double sum = 0;
            for (int k = 0; k < s->n; k++) sum += AT(U, i, k, s->n) * d[k] * AT(U, j, k, s->n);
            AT(s->M, i, j, s->n) = AT(s->M, j, i, s->n) = sum;
        }
}

static void times(int rows, int columns, const double *A, const double *x, double *y)
{
    for (int i = 0; i < rows; i++) {
        y[i] = 0;
        for (int j = 0; j < columns; j++) y[i] += AT(A, i, j, rows) * x[j];
    }
}

static void random_system(system_ *s, int n, int m, int rank, int null, int anywhere)
{
    s->n = n, s->m = m, s->rank = rank, s->semi = null > 0;
    random_orthogonal(n, s->right);
    random_mass(s, null, anywhere);
    if (m > 0) random_orthogonal(m, s->left);
    memset(s->A, 0, sizeof s->A);
    for (int k = 0; k < rank; k++) {
        const double sigma = pow(10, random_in(-1, 1));
        for (int j = 0; j < n; j++)
            for (int i = 0; i < m; i++) AT(s->A, i, j, m) += AT(s->left, i, k, m) * sigma * AT(s->right, j, k, n);
    }
    for (int j = 0; j < n; j++) {
        s->Q[j] = uniform(&state);
        s->C[j] = uniform(&state);
        s->x[j] = uniform(&state);
    }
    times(m, n, s->A, s->x, s->b);
}

static mech_fundamental *solver[NMAX + 1][2 * MMAX + 1];

static mech_status solve(int n, int m, const mech_fundamental_input *in, solution *out)
{
    static double rows[3][2 * MMAX];
    mech_fundamental **f = &solver[n][m];
    mech_fundamental_settings set; /* half of the sizes by LAPACK, where there is one */
    mech_fundamental_settings_default(&set, sizeof set);
    set.lapack_from = (n + m) % 2 ? 1 : -1;
    if (!*f && mech_fundamental_create(n, m, &set, f) != MECH_OK) return MECH_ERR_MEMORY;
    solution_clear(out);
    out->out.e = rows[0], out->out.lambda = rows[1], out->out.reaction = rows[2]; /* more rows than helpers.h has */
    const mech_status status = mech_fundamental_solve(*f, in, &out->out);
    memcpy(out->lambda, rows[1], sizeof out->lambda);
    memcpy(out->total, rows[2], sizeof out->total);
    return status;
}

static mech_fundamental_input equation_of(const system_ *s)
{
    mech_fundamental_input in = equation(s->M, s->Q, s->A, s->b);
    in.C = s->C;
    return in;
}

/* ---- the laws ---- */

static void check_motion(const system_ *s, const solution *t)
{
    const int n = s->n, m = s->m;
    double left[SIDE], miss = 0, size = 0;
    times(m, n, s->A, t->qdd, left);
    for (int i = 0; i < m; i++) {
        double terms = fabs(s->b[i]);
        for (int j = 0; j < n; j++) terms += fabs(AT(s->A, i, j, m) * t->qdd[j]);
        miss = fmax(miss, fabs(left[i] - s->b[i]));
        size = fmax(size, terms);
    }
    if (m) note(ROWS, size > 0 ? miss / size : miss);
    times(n, n, s->M, t->qdd, left);
    for (int i = 0; i < n; i++) left[i] -= s->Q[i] + t->Qi[i] + t->Qni[i];
    note(NEWTON, norm(n, left) / (norm(n, s->Q) + norm(n, t->Qi) + norm(n, t->Qni)));
}

/* The motion alone is that of the whole solve to the last bit, whatever was solved before. */
static void check_alone(const system_ *s)
{
    solution whole;
    double qdd[LARGE] = {0};
    unsigned flags = 0;
    mech_fundamental_input in = equation_of(s);
    in.C = NULL;
    CHECK(solve(s->n, s->m, &in, &whole) == MECH_OK);
    CHECK(fundamental_motion(solver[s->n][s->m], &in, qdd, &flags) == MECH_OK);
    CHECK(memcmp(qdd, whole.qdd, (size_t)s->n * sizeof *qdd) == 0 && flags == whole.out.flags);
}

static void check_work(const system_ *s, const solution *t)
{
    const double size_i = norm(s->n, t->Qi) + norm(s->n, s->Q), size_n = norm(s->n, s->C) + norm(s->n, t->Qni);
    for (int k = s->rank; k < s->n; k++) {
        const double *v = s->right + k * s->n;
        note(IDEAL, fabs(dot_of(s->n, t->Qi, v)) / size_i);
        note(NONIDEAL, fabs(dot_of(s->n, t->Qni, v) - dot_of(s->n, s->C, v)) / size_n);
    }
}

static void check_multipliers(const system_ *s, const solution *t)
{
    const int n = s->n, m = s->m;
    double left[NMAX], total[NMAX];
    for (int j = 0; j < n; j++) {
        left[j] = dot_of(m, s->A + j * m, t->lambda) - t->Qi[j];
        total[j] = dot_of(m, s->A + j * m, t->total) + s->C[j] - t->Qi[j] - t->Qni[j];
    }
    note(MULTIPLIERS, norm(n, left) / (norm(n, t->Qi) + norm(n, s->Q)));
    note(TOTAL, norm(n, total) / (norm(n, t->Qi) + norm(n, s->Q) + norm(n, s->C)));
    for (int k = s->rank; k < m; k++) /* least norm: nothing along null(A') */
        note(LEAST_NORM, fabs(dot_of(m, s->left + k * m, t->lambda)) / (norm(m, t->lambda) + 1e-300));
}

/* With Q = 0 the motion is G b with G = M^(-1/2) B^+: A G A = A, G A G = G, A G and M G A symmetric. */
static void check_penrose(const system_ *s)
{
    static double G[NMAX * MMAX], AG[MMAX * MMAX], GA[NMAX * NMAX], MGA[NMAX * NMAX];
    const int n = s->n, m = s->m;
    double zero[NMAX] = {0}, unit[MMAX] = {0}, column[SIDE], error[4] = {0}, size[4] = {0};
    solution t;
    for (int k = 0; k < m; k++) {
        mech_fundamental_input in = equation(s->M, zero, s->A, unit);
        memset(unit, 0, sizeof unit);
        unit[k] = 1;
        CHECK(solve(n, m, &in, &t) == MECH_OK);
        memcpy(G + k * n, t.qdd, (size_t)n * sizeof *G);
    }
    for (int k = 0; k < m; k++) times(m, n, s->A, G + k * n, AG + k * m);
    for (int k = 0; k < n; k++) times(n, m, G, s->A + k * m, GA + k * n);
    for (int k = 0; k < n; k++) times(n, n, s->M, GA + k * n, MGA + k * n);
    for (int j = 0; j < n; j++) {
        times(m, m, AG, s->A + j * m, column);
        for (int i = 0; i < m; i++) {
            error[0] = fmax(error[0], fabs(column[i] - AT(s->A, i, j, m)));
            size[0] = fmax(size[0], fabs(AT(s->A, i, j, m)));
        }
        for (int i = 0; i < n; i++) {
            error[3] = fmax(error[3], fabs(AT(MGA, i, j, n) - AT(MGA, j, i, n)));
            size[3] = fmax(size[3], fabs(AT(MGA, i, j, n)));
        }
    }
    for (int k = 0; k < m; k++) {
        times(n, n, GA, G + k * n, column);
        for (int i = 0; i < n; i++) {
            error[1] = fmax(error[1], fabs(column[i] - AT(G, i, k, n)));
            size[1] = fmax(size[1], fabs(AT(G, i, k, n)));
        }
        for (int i = 0; i < m; i++) {
            error[2] = fmax(error[2], fabs(AT(AG, i, k, m) - AT(AG, k, i, m)));
            size[2] = fmax(size[2], fabs(AT(AG, i, k, m)));
        }
    }
    for (int c = 0; c < 4; c++) note(PENROSE, size[c] > 0 ? error[c] / size[c] : error[c]);
}

/* ---- rows stated otherwise ---- */

static double apart(int n, const solution *s, const solution *t)
{
    double error = 0, q[3] = {norm(n, s->qdd), norm(n, s->Qi), norm(n, s->Qni)}, d[3][NMAX];
    for (int i = 0; i < n; i++) {
        d[0][i] = s->qdd[i] - t->qdd[i];
        d[1][i] = s->Qi[i] - t->Qi[i];
        d[2][i] = s->Qni[i] - t->Qni[i];
    }
    q[1] += q[0], q[2] += q[1];
    for (int k = 0; k < 3; k++) error = fmax(error, norm(n, d[k]) / q[k]);
    return error;
}

/* Scaling independent rows changes nothing. Redundant rows are weighted by it in the least squares that the
   pseudo-inverse is: the largest decide, and the rounding of b enters by the condition of those; hence fewer
   decades there. */
static void restate(const system_ *s, const solution *reference, law how)
{
    static double A[2 * MMAX * NMAX], b[2 * MMAX], mix[MMAX * MMAX];
    const int n = s->n, m = s->m, rows = how == DUPLICATE ? m + pick(1, MMAX - 1) : m;
    if (how == RECOMBINE) random_orthogonal(m, mix);
    for (int i = 0; i < rows; i++) {
        const int from = i < m ? i : pick(0, m - 1);
        const double factor = how == SCALE             ? pow(10, random_in(-6, 6))
                              : how == SCALE_REDUNDANT ? pow(10, random_in(-3, 3))
                              : i < m                  ? 1
                                                       : random_in(0.5, 2);
        for (int j = 0; j < n; j++) {
            double sum = factor * AT(s->A, from, j, m);
            if (how == RECOMBINE) {
                sum = 0;
                for (int k = 0; k < m; k++) sum += (AT(mix, i, k, m) + 2 * (i == k)) * AT(s->A, k, j, m);
            }
            AT(A, i, j, rows) = sum;
        }
        b[i] = factor * s->b[from];
        if (how == RECOMBINE) {
            b[i] = 0;
            for (int k = 0; k < m; k++) b[i] += (AT(mix, i, k, m) + 2 * (i == k)) * s->b[k];
        }
    }
    mech_fundamental_input in = equation_of(s);
    solution t;
    in.A = A, in.b = b;
    CHECK(solve(n, rows, &in, &t) == MECH_OK);
    CHECK(t.out.rank == s->rank);
    note(how, apart(n, reference, &t));
}

/* ---- [M -A'; A 0] [q''; lambda] = [Q; b] by LU in long double, independent of the library ---- */

static void check_kkt(const system_ *s, law which)
{
    static long double K[SIDE * SIDE], x[SIDE];
    const int n = s->n, m = s->m, size = n + m;
    solution t;
    mech_fundamental_input in = equation_of(s);
    in.C = NULL;
    CHECK(solve(n, m, &in, &t) == MECH_OK);
    memset(K, 0, sizeof K);
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) AT(K, i, j, size) = AT(s->M, i, j, n);
        for (int i = 0; i < m; i++) {
            AT(K, n + i, j, size) = AT(s->A, i, j, m);
            AT(K, j, n + i, size) = -(long double)AT(s->A, i, j, m);
        }
        x[j] = s->Q[j];
    }
    for (int i = 0; i < m; i++) x[n + i] = s->b[i];
    for (int k = 0; k < size; k++) {
        int best = k;
        for (int i = k + 1; i < size; i++)
            if (fabsl(AT(K, i, k, size)) > fabsl(AT(K, best, k, size))) best = i;
        for (int j = 0; j < size; j++) {
            const long double keep = AT(K, k, j, size);
            AT(K, k, j, size) = AT(K, best, j, size);
            AT(K, best, j, size) = keep;
        }
        const long double keep = x[k];
        x[k] = x[best], x[best] = keep;
        for (int i = k + 1; i < size; i++) {
            const long double ratio = AT(K, i, k, size) / AT(K, k, k, size);
            if (ratio == 0) continue;
            for (int j = k; j < size; j++) AT(K, i, j, size) -= ratio * AT(K, k, j, size);
            x[i] -= ratio * x[k];
        }
    }
    double error = 0, scale = 0;
    for (int k = size - 1; k >= 0; k--) {
        for (int j = k + 1; j < size; j++) x[k] -= AT(K, k, j, size) * x[j];
        x[k] /= AT(K, k, k, size);
    }
    for (int i = 0; i < n; i++) {
        error = fmax(error, fabs((double)(x[i] - t.qdd[i])));
        scale = fmax(scale, fabs((double)x[i]));
    }
    note(which, error / scale);
    error = 0, scale = 1e-300;
    for (int i = 0; i < m; i++) {
        error = fmax(error, fabs((double)(x[n + i] - t.lambda[i])));
        scale = fmax(scale, fabs((double)x[n + i]));
    }
    note(which, error / scale);
}

/* ---- */

static void one_system(int trial)
{
    static system_ s;
    const int n = trial % 3 ? pick(1, 20) : pick(1, NMAX), m = trial % 3 ? pick(0, 30) : pick(0, MMAX);
    const int most = n < m ? n : m, rank = pick(0, most), semi = trial % 4 == 0 && rank > 0;
    solution t;
    random_system(&s, n, m, rank, semi ? pick(1, rank) : 0, 0);
    const mech_fundamental_input in = equation_of(&s);
    const mech_status status = solve(n, m, &in, &t);
    CHECK(status == MECH_OK);
    if (status != MECH_OK) return;
    CHECK(t.out.rank == rank);
    CHECK(!(t.out.flags & MECH_FUNDAMENTAL_SINGULAR_MASS) == !semi);
    CHECK(isnan(t.a[0]) == semi);
    check_motion(&s, &t);
    check_alone(&s);
    check_work(&s, &t);
    if (m > 0) check_multipliers(&s, &t);
    if (m > 0 && rank > 0) {
        restate(&s, &t, DUPLICATE);
        restate(&s, &t, rank == m ? SCALE : SCALE_REDUNDANT);
        restate(&s, &t, RECOMBINE);
    }
    if (trial % 16 == 1 && m > 0) check_penrose(&s);
    if (trial % 8 < 2 && most > 0) { /* full row rank */
        const int rows = pick(1, n);
        random_system(&s, n, rows, rows, trial % 8 ? 0 : pick(1, rows), 0);
        check_kkt(&s, trial % 8 ? KKT : KKT_SEMI);
        const mech_fundamental_input full = equation_of(&s);
        CHECK(solve(n, rows, &full, &t) == MECH_OK);
        restate(&s, &t, SCALE);
    }
}

/* more null directions of M than rows: refused, and coordinates named */
static void undetermined(void)
{
    static system_ s;
    for (int trial = 0; trial < 300; trial++) {
        const int n = pick(2, 20), m = pick(0, n - 1), rank = m ? pick(0, m) : 0;
        int count = 0;
        solution t;
        random_system(&s, n, m, rank, pick(rank + 1, n), 1);
        const mech_fundamental_input in = equation_of(&s);
        CHECK(solve(n, m, &in, &t) == MECH_ERR_SINGULAR_MASS);
        mech_fundamental_culprits(solver[n][m], &count);
        CHECK(count > 0 && count <= n);
    }
}

int main(int argc, char **argv)
{
    const uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 20240607;
    const int trials = argc > 2 ? atoi(argv[2]) : 3000;
    state = seed;
    for (int trial = 0; trial < trials; trial++) one_system(trial);
    undetermined();
    printf("seed %llu, %d systems, n to %d, m to %d\n%-34s %9s %12s %9s\n", (unsigned long long)seed, trials, NMAX,
           MMAX, "law", "cases", "worst error", "allowed");
    for (int l = 0; l < LAWS; l++) {
        printf("%-34s %9ld %12.1e %9.0e\n", names[l], tried[l], worst[l], allowed[l]);
        CHECK(tried[l] > 0 && worst[l] <= allowed[l]);
    }
    for (int n = 0; n <= NMAX; n++)
        for (int m = 0; m <= 2 * MMAX; m++) mech_fundamental_free(solver[n][m]);
    return check_report();
}
