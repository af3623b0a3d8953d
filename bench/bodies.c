/* Many bodies: the generated code against a banded elimination written by hand, in one run.

       bench_bodies [rounds [largest N]]     minima over the rounds, and medians of the ratios of each round
 */
#include <mech/lang.h>
#include <mech/motion.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds of processor time, the compiler's included: what a machine with nothing else to do would need. */
static double processor_time(void)
{
    struct rusage own, children;
    getrusage(RUSAGE_SELF, &own);
    getrusage(RUSAGE_CHILDREN, &children);
    return (double)(own.ru_utime.tv_sec + own.ru_stime.tv_sec + children.ru_utime.tv_sec + children.ru_stime.tv_sec) +
           1e-6 * (double)(own.ru_utime.tv_usec + own.ru_stime.tv_usec + children.ru_utime.tv_usec +
                           children.ru_stime.tv_usec);
}

/* ---- by hand: S = A M^-1 A' assembled in a band, L D L', no square roots ---- */

enum { LONGEST = 1000, CHAIN_BAND = 3, LADDER_BAND = 5, ROWS = 6 * (LONGEST + 2) };

/* C[j][d]: entry (j + d, j) of S; f: the right side, then the solution. The band is known to the compiler. */
#define BAND_SOLVE(NAME, BAND)                                                                                         \
    static void NAME(size_t m, double(*C)[BAND + 1], double *f)                                                        \
    {                                                                                                                  \
        for (size_t j = 0; j < m; j++) {                                                                               \
            const double inverse = 1 / C[j][0], fj = f[j];                                                             \
            double l[BAND + 1];                                                                                        \
            for (size_t d = 1; d <= BAND; d++) l[d] = C[j][d] * inverse;                                               \
            for (size_t d = 1; d <= BAND; d++) {                                                                       \
                for (size_t e = d; e <= BAND; e++) C[j + d][e - d] -= l[d] * C[j][e];                                  \
                f[j + d] -= l[d] * fj;                                                                                 \
            }                                                                                                          \
            f[j] = fj * inverse;                                                                                       \
            for (size_t d = 1; d <= BAND; d++) C[j][d] = l[d];                                                         \
        }                                                                                                              \
        for (size_t j = m; j-- > 0;) {                                                                                 \
            double x = f[j];                                                                                           \
            for (size_t d = 1; d <= BAND; d++) x -= C[j][d] * f[j + d];                                                \
            f[j] = x;                                                                                                  \
        }                                                                                                              \
    }
BAND_SOLVE(solve_chain, CHAIN_BAND)
BAND_SOLVE(solve_ladder, LADDER_BAND)

/* q = x, y, a of each rod in turn of kind; length 1/N, mass 1. */
static void chain_by_hand(size_t N, const double *q, const double *v, double *qdd)
{
    static double u[LONGEST + 1], w[LONGEST + 1], C[ROWS][CHAIN_BAND + 1], f[ROWS];
    const double l = 1 / (double)N, h = l / 2, iJ = 12 / (l * l), g = 9.81;
    const double *a = q + 2 * N, *va = v + 2 * N;
    double up = 0, wp = 0, sp = 0;
    for (size_t i = 0; i < N; i++) {
        const double s = va[i] * va[i], one = i ? 2 : 1;
        const double ui = h * sin(a[i]), wi = h * cos(a[i]);
        u[i] = ui;
        w[i] = wi;
        C[2 * i][0] = one + iJ * (ui * ui + up * up);
        C[2 * i][1] = -iJ * (ui * wi + up * wp);
        C[2 * i + 1][0] = one + iJ * (wi * wi + wp * wp);
        /* rows of joint i + 1 share rod i */
        const int has_next = i + 1 < N;
        C[2 * i][2] = has_next ? -1 + iJ * ui * ui : 0;
        C[2 * i][3] = has_next ? -iJ * ui * wi : 0;
        C[2 * i + 1][1] = has_next ? -iJ * ui * wi : 0;
        C[2 * i + 1][2] = has_next ? -1 + iJ * wi * wi : 0;
        C[2 * i + 1][3] = 0;
        f[2 * i] = -(wi * s + wp * sp);
        f[2 * i + 1] = -(ui * s + up * sp) + (i ? 0 : g);
        up = ui;
        wp = wi;
        sp = s;
    }
    for (size_t k = 0; k < CHAIN_BAND; k++) f[2 * N + k] = 0;
    solve_chain(2 * N, C, f);
    for (size_t i = 0; i < N; i++) {
        const double *F = f + 2 * i;
        qdd[i] = F[0] - F[2];
        qdd[N + i] = F[1] - F[3] - g;
        qdd[2 * N + i] = iJ * (u[i] * (F[0] + F[2]) - w[i] * (F[1] + F[3]));
    }
}

/* Rows of standing rod i: right of window i - 1, foot, left of window i. l = m = 1. */
static void ladder_by_hand(size_t N, const double *q, const double *v, double *qdd)
{
    static double e[2 * LONGEST + 2][2], C[ROWS][LADDER_BAND + 1], f[ROWS];
    const size_t K = 2 * N + 1;
    const double h = 0.5, iJ = 12, g = 9.81, *a = q + 2 * K, *va = v + 2 * K;
    for (size_t i = 0; i < K; i++) {
        e[i][0] = h * sin(a[i]);
        e[i][1] = -h * cos(a[i]);
    }
    double lx = 0, ly = 0, ls = 0; /* the rod that lies in the window before */
    for (size_t i = 0; i <= N; i++) {
        const double x = e[i][0], y = e[i][1], s = va[i] * va[i];
        const double E0 = iJ * x * x, E1 = iJ * x * y, E2 = iJ * y * y;
        const double L0 = iJ * lx * lx, L1 = iJ * lx * ly, L2 = iJ * ly * ly;
        const double has_left = i > 0, has_right = i < N, both = has_left * has_right; /* windows beside it */
        const double nx = i < N ? e[N + 1 + i][0] : 0, ny = i < N ? e[N + 1 + i][1] : 0;
        const double ns = i < N ? va[N + 1 + i] * va[N + 1 + i] : 0;
        const double W0 = iJ * nx * nx, W1 = iJ * nx * ny, W2 = iJ * ny * ny;
        double(*c)[LADDER_BAND + 1] = C + 6 * i, *b = f + 6 * i;
        const double r0[6] = {i ? 2 + E0 + L0 : 1, i ? E1 + L1 : 0, has_left * (E0 - 1),
                              has_left * E1,       both * (1 + E0), both * E1};
        const double r1[6] = {i ? 2 + E2 + L2 : 1, has_left * E1, has_left * (E2 - 1), both * E1, both * (1 + E2), 0};
        const double r2[6] = {1 + E0, E1, has_right * (E0 - 1), has_right * E1, 0, 0};
        const double r3[6] = {1 + E2, has_right * E1, has_right * (E2 - 1), 0, 0, 0};
        const double r4[6] = {
            i < N ? 2 + E0 + W0 : 1, i < N ? E1 + W1 : 0, has_right * (1 - W0), has_right * -W1, 0, 0};
        const double r5[6] = {i < N ? 2 + E2 + W2 : 1, has_right * -W1, has_right * (1 - W2), 0, 0, 0};
        memcpy(c[0], r0, sizeof r0);
        memcpy(c[1], r1, sizeof r1);
        memcpy(c[2], r2, sizeof r2);
        memcpy(c[3], r3, sizeof r3);
        memcpy(c[4], r4, sizeof r4);
        memcpy(c[5], r5, sizeof r5);
        /* h (cos, sin) = (-y, x) */
        b[0] = has_left * (-ly * ls + y * s);
        b[1] = has_left * (lx * ls - x * s);
        b[2] = y * s;
        b[3] = -x * s + g;
        b[4] = has_right * (ny * ns + y * s);
        b[5] = has_right * (-nx * ns - x * s);
        lx = nx;
        ly = ny;
        ls = ns;
    }
    for (size_t k = 0; k < LADDER_BAND; k++) f[6 * (N + 1) + k] = 0;
    solve_ladder(6 * (N + 1), C, f);
    for (size_t i = 0; i <= N; i++) {
        const double *b = f + 6 * i;
        qdd[i] = b[2] - b[0] - b[4];
        qdd[K + i] = b[3] - b[1] - b[5] - g;
        qdd[2 * K + i] = iJ * (e[i][0] * (b[0] + b[2] + b[4]) + e[i][1] * (b[1] + b[3] + b[5]));
        if (i == N) break;
        const size_t k = N + 1 + i;
        qdd[k] = b[4] + b[6];
        qdd[K + k] = b[5] + b[7] - g;
        qdd[2 * K + k] = iJ * (e[k][0] * (b[4] - b[6]) + e[k][1] * (b[5] - b[7]));
    }
}

/* ---- one system ---- */

typedef struct subject {
    mech_diagnostics *diagnostics;
    mech_model *model;
    mech_system *system;
    mech_motion_code *code;
    mech_eval *eval;
    mech_motion_info info;
    size_t N, n;
    int is_chain;
    double *q, *v, *qdd, reading, preparing;
} subject;

/* On the constraints: a chain with two bends, or the ladder at 1.1 rad. */
static void pose(subject *s)
{
    const size_t N = s->N, K = s->is_chain ? N : 2 * N + 1;
    double *x = s->q, *y = x + K, *a = y + K, *vx = s->v, *vy = vx + K, *va = vy + K;
    const double l = s->is_chain ? 1 / (double)N : 1, h = l / 2, theta = 1.1, spin = -0.7;
    double X = 0, Y = 0, U = 0, V = 0;
    for (size_t i = 0; i < K; i++) {
        const int stands = !s->is_chain && i <= N;
        a[i] = s->is_chain ? (2 * i < N ? 1.1 : 0.05 * (double)(i % 3)) : stands ? theta : 0;
        va[i] = s->is_chain ? 0.1 + 0.05 * (double)(i % 2) : stands ? spin : 0;
        if (!s->is_chain) {
            X = stands ? (double)i : (double)(i - N - 1) + cos(theta);
            Y = stands ? 0 : sin(theta);
            U = stands ? 0 : -sin(theta) * spin;
            V = stands ? 0 : cos(theta) * spin;
        }
        x[i] = X + h * cos(a[i]);
        y[i] = Y + h * sin(a[i]);
        vx[i] = U - h * sin(a[i]) * va[i];
        vy[i] = V + h * cos(a[i]) * va[i];
        X += l * cos(a[i]);
        Y += l * sin(a[i]);
        U -= l * sin(a[i]) * va[i];
        V += l * cos(a[i]) * va[i];
    }
}

static void fail(const char *what)
{
    fprintf(stderr, "%s\n", what);
    exit(1);
}

static subject open_subject(const char *path, size_t N, mech_native native, size_t straight)
{
    subject s = {.diagnostics = mech_diagnostics_create(), .N = N, .is_chain = strstr(path, "chain") != NULL};
    const mech_override given = {"N", (double)N};
    mech_read_options reading;
    mech_motion_settings settings;
    mech_read_options_default(&reading, sizeof reading);
    reading.overrides = &given;
    reading.override_count = 1;
    mech_motion_settings_default(&settings, sizeof settings);
    settings.native = native;
    settings.straight = straight;
    settings.cache = ""; /* compile anew: the time counts */
    const double start = processor_time();
    if (mech_read_file(path, &reading, s.diagnostics, &s.model) != MECH_OK ||
        mech_system_from_model(s.model, s.diagnostics, &s.system) != MECH_OK)
        fail(path);
    s.reading = processor_time() - start;
    s.n = mech_system_sizes(s.system).coords;
    s.q = calloc(3 * s.n, sizeof *s.q);
    s.v = s.q + s.n;
    s.qdd = s.v + s.n;
    pose(&s);
    settings.q = s.q;
    settings.v = s.v;
    const double middle = processor_time();
    if (mech_motion_code_create(s.system, &settings, &s.code) != MECH_OK ||
        mech_eval_create(s.system, MECH_STORAGE_SPARSE, &s.eval) != MECH_OK ||
        mech_eval_use_motion(s.eval, s.code) != MECH_OK)
        fail("the motion cannot be prepared");
    s.preparing = processor_time() - middle;
    s.info = mech_motion_code_info(s.code);
    return s;
}

static void close_subject(subject *s)
{
    mech_eval_free(s->eval);
    mech_motion_code_free(s->code);
    mech_system_free(s->system);
    mech_model_free(s->model);
    mech_diagnostics_free(s->diagnostics);
    free(s->q);
}

static double time_motion(subject *s, size_t calls)
{
    mech_motion motion = {.size = sizeof motion, .qdd = s->qdd, .leaves_doubt = 1};
    double sum = 0;
    const double start = now();
    for (size_t i = 0; i < calls; i++) {
        s->q[0] += 1e-12;
        if (mech_eval_motion(s->eval, 0, s->q, s->v, &motion) != MECH_OK) fail("no motion");
        sum += s->qdd[0];
    }
    const double spent = (now() - start) / (double)calls;
    if (motion.flags & MECH_MOTION_DOUBT) fprintf(stderr, "the rank is in doubt\n");
    return isfinite(sum) ? spent : (double)INFINITY;
}

static void by_hand(subject *s, double *qdd)
{
    if (s->is_chain) chain_by_hand(s->N, s->q, s->v, qdd);
    else ladder_by_hand(s->N, s->q, s->v, qdd);
}

static double time_hand(subject *s, size_t calls)
{
    double sum = 0;
    const double start = now();
    for (size_t i = 0; i < calls; i++) {
        s->q[0] += 1e-12;
        by_hand(s, s->qdd);
        sum += s->qdd[0];
    }
    const double spent = (now() - start) / (double)calls;
    return isfinite(sum) ? spent : (double)INFINITY;
}

/* Largest difference from the program by hand, beside the largest acceleration. */
static double difference(subject *s)
{
    double *want = calloc(s->n, sizeof *want), most = 0, size = 0;
    by_hand(s, want);
    (void)time_motion(s, 1);
    for (size_t i = 0; i < s->n; i++) {
        most = fmax(most, fabs(want[i] - s->qdd[i]));
        size = fmax(size, fabs(want[i]));
    }
    free(want);
    return most / size;
}

/* The ladder has one degree of freedom: theta'' in closed form. */
static double closed_form_error(subject *s)
{
    const double N = (double)s->N, stand = N + 1;
    const double want = -9.81 * cos(1.1) * (stand / 2 + N) / (stand / 3 + N);
    double most = 0;
    (void)time_motion(s, 1);
    for (size_t i = 0; i <= s->N; i++) most = fmax(most, fabs(s->qdd[2 * (2 * s->N + 1) + i] - want) / fabs(want));
    return most;
}

/* ---- tables ---- */

static int by_size(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;
    return a < b ? -1 : a > b;
}

static double least(double x, double y) { return x < y ? x : y; }

typedef struct times {
    double mine, other, median; /* minima, and the median of the ratios */
} times;

/* Both in turn, so that what else the machine does meets both. rival NULL: the program by hand. */
static times compare(subject *s, subject *rival, int rounds)
{
    times t = {INFINITY, INFINITY, 0};
    double *ratio = calloc((size_t)rounds, sizeof *ratio);
    const size_t calls = 1 + 20000 / s->N;
    for (int r = 0; r < rounds; r++) {
        const double other = rival ? time_motion(rival, calls) : time_hand(s, calls);
        const double mine = time_motion(s, calls);
        t.mine = least(t.mine, mine);
        t.other = least(t.other, other);
        ratio[r] = mine / other;
    }
    qsort(ratio, (size_t)rounds, sizeof *ratio, by_size);
    t.median = ratio[rounds / 2];
    free(ratio);
    return t;
}

static void one(const char *path, size_t N, size_t straight, int rounds, double *first)
{
    subject s = open_subject(path, N, MECH_NATIVE_ON, straight);
    const times t = compare(&s, NULL, rounds);
    printf("%-7s N=%-5zu by hand %8.2f us   native %8.2f us = %.2f (median %.2f)   %s %zu statements, "
           "prepared in %.2f s, difference %.0e",
           s.is_chain ? "chain" : "ladder", N, 1e6 * t.other, 1e6 * t.mine, t.mine / t.other, t.median,
           s.info.loops ? "loops," : "straight,", s.info.statements, s.preparing, difference(&s));
    if (!s.info.is_native) printf(" (%s)", s.info.why);
    if (!s.is_chain) printf(", from the closed form %.0e", closed_form_error(&s));
    printf("\n");
    if (N == 10) *first = t.mine;
    if (N == 1000) printf("        growth from N = 10: N^%.2f\n", log(t.mine / *first) / log(100.0));
    close_subject(&s);
}

static void redundant(size_t N, int rounds)
{
    subject plain = open_subject("examples/four-bar-ladder/model.mech", N, MECH_NATIVE_ON, 0);
    subject more = open_subject("bench/models/ladder-redundant.mech", N, MECH_NATIVE_ON, 0);
    const times t = compare(&more, &plain, rounds);
    printf("ladder  N=%-5zu redundant %8.2f us, without %8.2f us: %.2f (median %.2f), %zu rows watched, "
           "prepared in %.2f s, from the closed form %.0e\n",
           N, 1e6 * t.mine, 1e6 * t.other, t.mine / t.other, t.median, more.info.monitored, more.preparing,
           closed_form_error(&more));
    close_subject(&plain);
    close_subject(&more);
}

static void interpreted(size_t N)
{
    const double start = processor_time();
    subject s = open_subject("examples/four-bar-ladder/model.mech", N, MECH_NATIVE_OFF, 0);
    (void)time_motion(&s, 1);
    const double spent = processor_time() - start;
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("ladder  N=%-5zu from text to the first acceleration, interpreter: %.3f s (reading %.3f, preparing "
           "%.3f), %.0f MB\n",
           N, spent, s.reading, s.preparing, (double)usage.ru_maxrss / 1024);
    close_subject(&s);
}

int main(int argc, char **argv)
{
    const int rounds = argc > 1 && atoi(argv[1]) > 0 ? atoi(argv[1]) : 20;
    const size_t largest = argc > 2 ? (size_t)atoi(argv[2]) : LONGEST;
    static const size_t sizes[] = {10, 40, 100, 400, 1000};
    double first = 0;
    setvbuf(stdout, NULL, _IOLBF, 0);
    interpreted(largest < LONGEST ? largest : LONGEST);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (sizes[i] <= largest) one("examples/chain/model.mech", sizes[i], 0, rounds, &first);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (sizes[i] <= largest) one("examples/four-bar-ladder/model.mech", sizes[i], 0, rounds, &first);
    for (size_t i = 2; i < sizeof sizes / sizeof *sizes; i++)
        if (sizes[i] <= largest) redundant(sizes[i], rounds);
    return 0;
}
