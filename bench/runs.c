/* Whole runs: the ladder of four-bar loops against Runge-Kutta by hand, Bricard's mechanism, the governor.

       bench_runs [rounds]        minima over the rounds */
#include <mech/lang.h>
#include <mech/simulate.h>

#include "dynamics/implicit.h"
#include "simulate/sim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t); /* others use the machine too */
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double megabytes(void)
{
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    return (double)usage.ru_maxrss / 1024;
}

/* ---- the ladder by hand: classical Runge-Kutta of order 4 with a constant step, S = A M^-1 A' banded (rows
   by joint from left to right), Cholesky, positions and velocities projected after every step with the same
   band ---- */

enum { LOOPS = 40, RODS = 2 * LOOPS + 1, N = 3 * RODS, ROWS = 6 * LOOPS + 2, BAND = 8 };

typedef struct joint { /* tip of rod a at side sa (or the ground) meets tip of rod b at side sb */
    int a, b;          /* -1: ground */
    double sa, sb, x;  /* x of the ground */
} joint;

static joint joints[ROWS / 2];
static int joint_count;

/* Rods: standing ones 3 k, tops between them 3 k + 1 in order from left to right, so that the band is narrow.
 */
static int standing(int i) { return 2 * i; }
static int top(int i) { return 2 * i + 1; }

static void make_joints(void)
{
    for (int i = 0; i <= LOOPS; i++) {
        if (i > 0) joints[joint_count++] = (joint){top(i - 1), standing(i), 0.5, 0.5, 0};
        joints[joint_count++] = (joint){standing(i), -1, -0.5, 0, i};
        if (i < LOOPS) joints[joint_count++] = (joint){top(i), standing(i), -0.5, 0.5, 0};
    }
}

typedef struct state {
    double c[RODS], s[RODS];
    double S[ROWS][BAND + 1]; /* S[i][k]: entry (i, i - k) */
} state;

static void angles(state *w, const double *q)
{
    for (int i = 0; i < RODS; i++) sincos(q[3 * i + 2], &w->s[i], &w->c[i]);
}

/* the part of joint j's two rows that belongs to rod r: [1 0 -s L; 0 1 c L] */
static void lever(const state *w, int rod, double side, double *l)
{
    l[0] = -w->s[rod] * side;
    l[1] = w->c[rod] * side;
}

typedef struct coupling { /* joints j and k on one rod, their sides, the sign */
    int j, k, rod;
    double su, sv, sign;
} coupling;

static coupling couplings[8 * ROWS];
static int coupling_count;

static void make_couplings(void)
{
    for (int j = 0; j < joint_count; j++)
        for (int k = j; k >= 0 && 2 * (j - k) + 1 <= BAND; k--)
            for (int u = 0; u < 2; u++)
                for (int v = 0; v < 2; v++) {
                    const int ru = u ? joints[j].b : joints[j].a, rv = v ? joints[k].b : joints[k].a;
                    if (ru != rv || ru < 0) continue;
                    const double sign = (u ? -1 : 1) * (v ? -1 : 1);
                    couplings[coupling_count++] =
                        (coupling){j, k, ru, u ? joints[j].sb : joints[j].sa, v ? joints[k].sb : joints[k].sa, sign};
                }
}

static void factor(state *w)
{
    memset(w->S, 0, sizeof w->S);
    for (int i = 0; i < coupling_count; i++) {
        const coupling *c = &couplings[i];
        double lu[2], lv[2], *S = &w->S[2 * c->j][2 * (c->j - c->k)], *T = &w->S[2 * c->j + 1][2 * (c->j - c->k)];
        lever(w, c->rod, c->su, lu);
        lever(w, c->rod, 12 * c->sv, lv);
        S[0] += c->sign * (1 + lu[0] * lv[0]);
        T[0] += c->sign * (1 + lu[1] * lv[1]);
        T[1] += c->sign * lu[1] * lv[0];
        if (c->j != c->k) S[-1] += c->sign * lu[0] * lv[1];
    }
    for (int i = 0; i < ROWS; i++) {
        const int from = i > BAND ? i - BAND : 0;
        for (int j = from; j < i; j++) {
            const int start = j > BAND ? (j - BAND > from ? j - BAND : from) : from;
            double sum = w->S[i][i - j];
            for (int k = start; k < j; k++) sum -= w->S[i][i - k] * w->S[j][j - k];
            w->S[i][i - j] = sum * w->S[j][0]; /* diagonal holds its inverse */
        }
        double sum = w->S[i][0];
        for (int k = from; k < i; k++) sum -= w->S[i][i - k] * w->S[i][i - k];
        w->S[i][0] = sum > 1e-14 ? 1 / sqrt(sum) : 0;
    }
}

static void solve(const state *w, double *x)
{
    for (int i = 0; i < ROWS; i++) {
        for (int k = i > BAND ? i - BAND : 0; k < i; k++) x[i] -= w->S[i][i - k] * x[k];
        x[i] *= w->S[i][0];
    }
    for (int i = ROWS; i-- > 0;) {
        x[i] *= w->S[i][0];
        for (int k = i > BAND ? i - BAND : 0; k < i; k++) x[k] -= w->S[i][i - k] * x[i];
    }
}

/* x += M^-1 A' l */
static void push(const state *w, const double *l, double *x)
{
    for (int j = 0; j < joint_count; j++)
        for (int u = 0; u < 2; u++) {
            const int rod = u ? joints[j].b : joints[j].a;
            const double sign = u ? -1 : 1;
            double lv[2];
            if (rod < 0) continue;
            lever(w, rod, u ? joints[j].sb : joints[j].sa, lv);
            x[3 * rod] += sign * l[2 * j];
            x[3 * rod + 1] += sign * l[2 * j + 1];
            x[3 * rod + 2] += 12 * sign * (lv[0] * l[2 * j] + lv[1] * l[2 * j + 1]);
        }
}

/* r: what = 0 phi, 1 A x, 2 the rows' b for velocities x, less A Q/M (gravity) */
static void rows(const state *w, const double *x, int what, double *r)
{
    for (int j = 0; j < joint_count; j++) {
        r[2 * j] = what == 0 ? -(joints[j].b < 0 ? joints[j].x : 0) : 0;
        r[2 * j + 1] = 0;
        for (int u = 0; u < 2; u++) {
            const int rod = u ? joints[j].b : joints[j].a;
            const double sign = u ? -1 : 1, side = u ? joints[j].sb : joints[j].sa;
            if (rod < 0) continue;
            const double *p = x + 3 * rod;
            const double c = w->c[rod] * side, s = w->s[rod] * side;
            if (what == 0) {
                r[2 * j] += sign * (p[0] + c);
                r[2 * j + 1] += sign * (p[1] + s);
            } else if (what == 1) {
                r[2 * j] += sign * (p[0] - s * p[2]);
                r[2 * j + 1] += sign * (p[1] + c * p[2]);
            } else {
                r[2 * j] += sign * c * p[2] * p[2];
                r[2 * j + 1] += sign * (s * p[2] * p[2] + 9.81);
            }
        }
    }
}

static void accelerate(state *w, const double *y, double *dy)
{
    double l[ROWS];
    angles(w, y);
    factor(w);
    rows(w, y + N, 2, l);
    solve(w, l);
    memcpy(dy, y + N, N * sizeof *dy);
    for (int i = 0; i < RODS; i++) {
        dy[N + 3 * i] = dy[N + 3 * i + 2] = 0;
        dy[N + 3 * i + 1] = -9.81;
    }
    push(w, l, dy + N);
}

static void project(state *w, double *y)
{
    double l[ROWS];
    for (int iteration = 0; iteration < 2; iteration++) {
        angles(w, y);
        factor(w);
        rows(w, y, 0, l);
        for (int i = 0; i < ROWS; i++) l[i] = -l[i];
        solve(w, l);
        push(w, l, y);
    }
    rows(w, y + N, 1, l);
    for (int i = 0; i < ROWS; i++) l[i] = -l[i];
    solve(w, l);
    push(w, l, y + N);
}

static double energy(const double *y)
{
    double sum = 0;
    for (int i = 0; i < RODS; i++) {
        const double *v = y + N + 3 * i;
        sum += 0.5 * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2] / 12) + 9.81 * y[3 * i + 1];
    }
    return sum;
}

/* Seconds of a run of 10 s in steps of h; *missed: the largest change of energy. */
static double by_hand(double h, double *missed)
{
    static state w;
    static double y[2 * N], k[4][2 * N], at[2 * N];
    const int steps = (int)(10 / h + 0.5);
    memset(y, 0, sizeof y);
    for (int i = 0; i <= LOOPS; i++) {
        double *p = y + 3 * standing(i);
        p[0] = i, p[1] = 0.5, p[2] = M_PI / 2;
        y[N + 3 * standing(i)] = 0.5; /* theta' = -1 */
        y[N + 3 * standing(i) + 2] = -1;
        if (i < LOOPS) {
            y[3 * top(i)] = i + 0.5;
            y[3 * top(i) + 1] = 1;
            y[N + 3 * top(i)] = 1;
        }
    }
    const double first = energy(y), began = now();
    *missed = 0;
    for (int i = 0; i < steps; i++) {
        accelerate(&w, y, k[0]);
        for (int j = 0; j < 2 * N; j++) at[j] = y[j] + h / 2 * k[0][j];
        accelerate(&w, at, k[1]);
        for (int j = 0; j < 2 * N; j++) at[j] = y[j] + h / 2 * k[1][j];
        accelerate(&w, at, k[2]);
        for (int j = 0; j < 2 * N; j++) at[j] = y[j] + h * k[2][j];
        accelerate(&w, at, k[3]);
        for (int j = 0; j < 2 * N; j++) y[j] += h / 6 * (k[0][j] + 2 * k[1][j] + 2 * k[2][j] + k[3][j]);
        project(&w, y);
        const double off = fabs(energy(y) - first);
        if (!(off <= *missed)) *missed = off;
    }
    return now() - began;
}

/* ---- the same and others as models ---- */

typedef struct work {
    const char *name, *file, *parameter;
    double value, until, rtol, atol, allowed; /* allowed: seconds */
    mech_method method;
    int with_jacobian;
} work;

typedef struct result {
    double seconds, text, started, jacobian, factor;
    mech_sim_info info;
    int is_native, ok;
} result;

/* Seconds of one Jacobian and one factorisation of Newton's matrix at the end of the run. */
static void time_newton(mech_sim *s, double *jacobian, double *factor)
{
    enum { TIMES = 200 };
    const int is_sparse = s->method.implicit.by_pattern != NULL;
    const size_t count = is_sparse ? implicit_values(s->method.implicit.by_pattern) : s->ny * s->ny;
    double *values = malloc((count + 1) * sizeof *values), began = now();
    int bad = values == NULL;
    for (int i = 0; i < TIMES && !bad; i++)
        bad = is_sparse ? sim_pattern_values(s, s->t, s->y, values) : sim_jacobian(s, s->t, s->y, values);
    *jacobian = (now() - began) / TIMES;
    began = now();
    for (int i = 0; i < TIMES && !bad && is_sparse; i++) bad = sim_pattern_factor(s, 1e-4, values);
    *factor = is_sparse ? (now() - began) / TIMES : 0;
    free(values);
}

static result run(const work *w, mech_native native)
{
    result r = {0};
    mech_diagnostics *d = mech_diagnostics_create();
    mech_model *model = NULL;
    mech_system *system = NULL;
    mech_sim *sim = NULL;
    mech_motion_code *code = NULL;
    mech_read_options options;
    const mech_override size = {w->parameter, w->value};
    mech_read_options_default(&options, sizeof options);
    options.overrides = &size;
    options.override_count = w->parameter ? 1 : 0;
    const double began = now();
    mech_status status = mech_read_file(w->file, &options, d, &model);
    const mech_system_options with = {.size = sizeof with, .with_derivatives = w->with_jacobian};
    if (status == MECH_OK) status = mech_system_create(model, &with, d, &system);
    r.text = now() - began;
    mech_sim_settings settings;
    mech_sim_settings_default(&settings, sizeof settings);
    settings.until = w->until;
    settings.rtol = w->rtol;
    settings.atol = w->atol;
    settings.method = w->method;
    settings.output_points = 2;
    settings.keep_trajectory = 0;
    if (status == MECH_OK) status = mech_sim_create(system, &settings, &sim);
    if (status == MECH_OK) status = mech_sim_start(sim);
    r.started = now() - began;
    if (status == MECH_OK && native != MECH_NATIVE_OFF) {
        mech_motion_settings m;
        mech_motion_settings_default(&m, sizeof m);
        m.native = native;
        m.with_power = 1;
        m.t = mech_sim_time(sim);
        m.q = mech_sim_q(sim);
        m.v = mech_sim_v(sim);
        if (mech_motion_code_create(system, &m, &code) == MECH_OK && mech_sim_use_motion(sim, code) == MECH_OK)
            r.is_native = mech_motion_code_info(code).is_native;
    }
    const double start = now();
    if (status == MECH_OK) status = mech_sim_run(sim);
    r.seconds = now() - start;
    if (status != MECH_OK) fprintf(stderr, "%s: %s\n", w->name, sim ? mech_sim_error_text(sim) : "cannot be read");
    else r.info = mech_sim_info_get(sim);
    if (status == MECH_OK && r.info.jacobians) time_newton(sim, &r.jacobian, &r.factor);
    r.ok = status == MECH_OK;
    mech_sim_free(sim);
    mech_motion_code_free(code);
    mech_system_free(system);
    mech_model_free(model);
    mech_diagnostics_free(d);
    return r;
}

static double best_of(const work *w, mech_native native, int rounds, result *last)
{
    double best = HUGE_VAL;
    for (int i = 0; i < rounds; i++) {
        *last = run(w, native);
        if (last->ok && last->seconds < best) best = last->seconds;
    }
    return best;
}

int main(int count, char **arguments)
{
    const int rounds = count > 1 ? atoi(arguments[1]) : 3;
    make_joints();
    make_couplings();
    double hand = HUGE_VAL, missed = 0, h = 0.002;
    for (int i = 0; i < rounds; i++) hand = fmin(hand, by_hand(h, &missed));
    printf("ladder N = 40, 10 s, by hand (RK4, h = %g): %.3f s, energy within %.1e J\n\n", h, hand, missed);
    static const work all[] = {
        {"ladder N = 40, 10 s", "examples/four-bar-ladder/model.mech", "N", 40, 10, 5e-9, 5e-11, 0.6, MECH_METHOD_RK8,
         0},
        {"ladder N = 40, 10 s, 1e-9", "examples/four-bar-ladder/model.mech", "N", 40, 10, 1e-9, 1e-12, 0,
         MECH_METHOD_RK8, 0},
        {"Bricard, 10 s", "examples/bricard/model.mech", NULL, 0, 10, 1e-7, 1e-9, 0.05, MECH_METHOD_RK8, 0},
        {"Bricard, angles, 10 s", "examples/bricard/model-angles.mech", NULL, 0, 10, 1e-7, 1e-9, 0.05, MECH_METHOD_RK8,
         0},
        {"chain N = 100, bdf, 0.1 s", "examples/chain/model.mech", "N", 100, 0.1, 1e-6, 1e-8, 0, MECH_METHOD_BDF, 1},
        {"governor, 10 s", "examples/flyball-governor/model.mech", NULL, 0, 10, 3e-11, 1e-13, 0, MECH_METHOD_BDF, 1},
    };
    printf("%-26s %9s %9s %7s %6s %6s %9s %8s %9s\n", "run", "native s", "interp. s", "target", "steps", "evals",
           "energy J", "robust", "residual");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        result native = {0}, plain = {0};
        const double fast = best_of(&all[i], MECH_NATIVE_ON, rounds, &native),
                     slow = best_of(&all[i], MECH_NATIVE_OFF, rounds, &plain);
        printf("%-26s %9.4f %9.4f %7.3f %6zu %6zu %9.1e %zu/%zu %9.1e%s\n", all[i].name, fast, slow, all[i].allowed,
               native.info.steps, native.info.evaluations, native.info.balance_error, native.info.robust,
               native.info.solves, native.info.phi, native.is_native ? "" : " (no code)");
        if (native.info.jacobians)
            printf("%-26s %zu Jacobians of %.1f us, %zu factorizations%s\n", "", native.info.jacobians,
                   1e6 * native.jacobian, native.info.factorizations, native.factor > 0 ? "" : " (dense)");
        if (native.factor > 0) printf("%-26s factorization (KLU) %.1f us\n", "", 1e6 * native.factor);
        if (i == 0) printf("%-26s %9.2f %9.2f of the run by hand\n", "", fast / hand, slow / hand);
    }
    const work large = {"ladder N = 1000, 0.2 s",
                        "examples/four-bar-ladder/model.mech",
                        "N",
                        1000,
                        0.2,
                        1e-7,
                        1e-9,
                        0,
                        MECH_METHOD_RK8,
                        0};
    const result r = run(&large, MECH_NATIVE_OFF);
    printf("%-26s text to first step %.3f s (0.5), run %.3f s, %zu steps, energy %.1e J, %.0f MB (300)\n", large.name,
           r.started, r.seconds, r.info.steps, r.info.balance_error, megabytes());
    return 0;
}
