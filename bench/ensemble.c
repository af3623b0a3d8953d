/* Many runs. Lanes against single runs by native code, microseconds a trajectory; the ways measured in turns, the least
   of each, in processor time. All with the measures of a sweep. Then how much sooner two threads are done: it means
   something where nothing else runs, and beside it how much more processor time they take, which should be none.

       bench_ensemble [steps|starts|lanes|threads|ranks]

   ranks: one line a model, of as many processes as mpirun started; tools/bench-ranks makes a table of it. */
#include <mech/ensemble.h>
#include <mech/lanes.h>
#include <mech/lang.h>

#include "simulate/sim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 5 };

typedef struct subject {
    const char *name, *path, *measures, *vary;
    double from, to, rtol;
    size_t runs;
    size_t many; /* runs beside which making the system's code and the workers is nothing */
} subject;

static const subject subjects[] = {
    {"double pendulum", "examples/double-pendulum/model.mech",
     "measure high: max of theta2\nmeasure middle: mean of theta1\n", "theta1", 0.2, 1.2, 1e-9, 512, 4096},
    {"four-bar of SymPy", "examples/four-bar-sympy/model.mech",
     "measure high: max of q1'\nmeasure middle: mean of q2\n", "l4", 0.33, 0.36, 1e-9, 512, 8192},
    {"Andrews", "examples/andrews/model.mech", "measure high: max of beta\nmeasure middle: mean of Theta\n", "mom",
     0.03, 0.035, 1e-9, 128, 4096},
};

static double now(clockid_t clock)
{
    struct timespec ts;
    clock_gettime(clock, &ts);
    return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

static void must(mech_status status, const char *what)
{
    if (status == MECH_OK) return;
    fprintf(stderr, "%s: %s\n", what, mech_status_text(status));
    exit(1);
}

static char *text_of(const subject *s)
{
    FILE *file = fopen(s->path, "r");
    char *text = calloc(1, 100000);
    if (!file || !text) {
        fprintf(stderr, "%s cannot be read: run it where the examples are\n", s->path);
        exit(1);
    }
    const size_t length = fread(text, 1, 90000, file);
    fclose(file);
    snprintf(text + length, 1000, "\n%s", s->measures);
    return text;
}

static mech_motion_code *native_code(const mech_system *system)
{
    mech_motion_settings settings;
    mech_motion_code *code;
    mech_sim *sim;
    must(mech_sim_create(system, NULL, &sim), "run");
    must(mech_sim_start(sim), "start");
    mech_motion_settings_default(&settings, sizeof settings);
    settings.native = MECH_NATIVE_ON;
    settings.with_power = settings.with_check = 1;
    settings.t = mech_sim_time(sim);
    settings.q = mech_sim_q(sim);
    settings.v = mech_sim_v(sim);
    settings.z = mech_sim_states(sim);
    must(mech_motion_code_create(system, &settings, &code), "code");
    if (!mech_motion_code_info(code).is_native) fprintf(stderr, "no native code: no compiler?\n");
    mech_sim_free(sim);
    return code;
}

typedef struct way {
    mech_on on;
    size_t threads;
    mech_method method;
    double least, wall; /* of processor time, of the clock on the wall */
} way;

static void measure(const subject *s, const mech_plan *plan, const mech_motion_code *code, way *w)
{
    mech_ensemble_settings settings;
    mech_sim_settings run;
    mech_ensemble_info info;
    mech_ensemble_settings_default(&settings, sizeof settings);
    mech_sim_settings_default(&run, sizeof run);
    run.method = w->method;
    run.rtol = s->rtol;
    settings.run = &run;
    settings.on = w->on;
    settings.threads = w->threads;
    settings.code = code;
    const double began = now(CLOCK_PROCESS_CPUTIME_ID), began_on_wall = now(CLOCK_MONOTONIC);
    must(mech_ensemble_run(plan, &settings, &info), s->name);
    const double seconds = now(CLOCK_PROCESS_CPUTIME_ID) - began, wall = now(CLOCK_MONOTONIC) - began_on_wall;
    if (info.failed || info.handed_on)
        fprintf(stderr, "%zu failed, %zu were made whole\n", info.failed, info.handed_on);
    if (w->least == 0 || seconds < w->least) w->least = seconds;
    if (w->wall == 0 || wall < w->wall) w->wall = wall;
}

typedef struct opened {
    mech_diagnostics *diagnostics;
    mech_model *model;
    mech_system *system;
    mech_plan *plan;
    char *text;
} opened;

static opened open_subject(const subject *s, size_t runs)
{
    opened o = {.diagnostics = mech_diagnostics_create(), .text = text_of(s)};
    must(mech_read_text(s->path, o.text, strlen(o.text), NULL, o.diagnostics, &o.model), s->path);
    must(mech_system_from_model(o.model, o.diagnostics, &o.system), s->path);
    must(mech_plan_create(o.system, &o.plan), s->name);
    must(mech_plan_vary(o.plan, s->vary, MECH_SPREAD_GRID, s->from, s->to, runs), s->name);
    return o;
}

static void close_subject(opened *o)
{
    mech_plan_free(o->plan);
    mech_system_free(o->system);
    mech_model_free(o->model);
    mech_diagnostics_free(o->diagnostics);
    free(o->text);
}

static void compare(const subject *s)
{
    opened o = open_subject(s, s->runs);
    mech_motion_code *code = native_code(o.system);
    for (int pair = 0; pair < 2; pair++) {
        const mech_method method = pair ? MECH_METHOD_RK8 : MECH_METHOD_RK5;
        way ways[] = {{MECH_ON_THREADS, 1, method, 0, 0}, {MECH_ON_LANES, 1, method, 0, 0}};
        for (int round = 0; round < ROUNDS; round++)
            for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) measure(s, o.plan, code, &ways[k]);
        const double each = 1e6 / (double)s->runs;
        printf("%-18s %-4s %10.1f %10.1f %10.3f\n", s->name, mech_method_word(method), each * ways[0].least,
               each * ways[1].least, ways[1].least / ways[0].least);
    }
    mech_motion_code_free(code);
    close_subject(&o);
}

static void lanes_and_single(void)
{
    printf("microseconds a trajectory, rtol 1e-9, one thread; aim: lanes / single at most 0.5\n");
    printf("%-18s %-4s %10s %10s %10s\n", "model", "pair", "single", "lanes", "ratio");
    for (size_t k = 0; k < sizeof subjects / sizeof *subjects; k++) compare(&subjects[k]);
    printf("\n");
}

/* ---- two threads, two processes ---- */

static void two_threads(void)
{
    printf("lanes, milliseconds by one and two threads; aim: 1.9 times sooner, on a quiet machine\n");
    printf("%-18s %-4s %6s %10s %10s %10s %12s\n", "model", "pair", "runs", "1 thread", "2 threads", "sooner",
           "work, 2 / 1");
    for (size_t k = 0; k < sizeof subjects / sizeof *subjects; k++) {
        const subject *s = &subjects[k];
        opened o = open_subject(s, s->many);
        for (int pair = 0; pair < 2; pair++) {
            const mech_method method = pair ? MECH_METHOD_RK8 : MECH_METHOD_RK5;
            way ways[] = {{MECH_ON_LANES, 1, method, 0, 0}, {MECH_ON_LANES, 2, method, 0, 0}};
            for (int round = 0; round < 2 * ROUNDS; round++) measure(s, o.plan, NULL, &ways[round % 2]);
            printf("%-18s %-4s %6zu %10.1f %10.1f %10.2f %12.2f\n", s->name, mech_method_word(method), s->many,
                   1e3 * ways[0].wall, 1e3 * ways[1].wall, ways[0].wall / ways[1].wall, ways[1].least / ways[0].least);
        }
        close_subject(&o);
    }
    printf("\n");
}

static int processes(void)
{
    size_t rank, ranks;
    char why[300] = "";
    if (mech_ensemble_join(NULL, &rank, &ranks, why, sizeof why) != MECH_OK) {
        fprintf(stderr, "%s\n", why);
        return 77;
    }
    for (size_t k = 0; k < sizeof subjects / sizeof *subjects; k++) {
        const subject *s = &subjects[k];
        opened o = open_subject(s, s->many);
        for (int pair = 0; pair < 2; pair++) {
            way w = {MECH_ON_MPI, 1, pair ? MECH_METHOD_RK8 : MECH_METHOD_RK5, 0, 0};
            for (int round = 0; round < ROUNDS; round++) measure(s, o.plan, NULL, &w);
            if (rank == 0)
                printf("%s,%s,%zu,%zu,%.6f\n", s->name, mech_method_word(w.method), s->many, ranks, 1e3 * w.wall);
        }
        close_subject(&o);
    }
    return 0;
}

/* ---- fixed steps ---- */

/* By hand: sixteen double pendulums in registers, each with its own parameters. */
enum { WIDE = 16, TOGETHER = 256, STEPS = 2000 };
typedef double v __attribute__((vector_size(8 * WIDE), aligned(8)));
typedef long long whole __attribute__((vector_size(8 * WIDE), aligned(8)));

static inline __attribute__((always_inline)) void turn(v x, v *sine, v *cosine)
{
    const v shifted = x * 0.63661977236758138 + 0x1.8p52, turns = shifted - 0x1.8p52;
    const whole quadrant = (whole)shifted;
    v r = x - turns * 1.57079632673412561417e+00;
    r = r - turns * 6.07710050630396597660e-11;
    const v y = r * r, y2 = y * y, y4 = y2 * y2;
    const v s = (-1.66666666666666324348e-01 + y * 8.33333333332248946124e-03) +
                y2 * (-1.98412698298579493134e-04 + y * 2.75573137070700676789e-06) +
                y4 * (-2.50507602534068634195e-08 + y * 1.58969099521155010221e-10);
    const v c = (4.16666666666666019037e-02 + y * -1.38888888888741095749e-03) +
                y2 * (2.48015872894767294178e-05 + y * -2.75573143513906633035e-07) +
                y4 * (2.08757232129817482790e-09 + y * -1.13596475577881948265e-11);
    const v sr = r + r * y * s, cr = 1 - 0.5 * y + y2 * c;
    const whole swap = -(quadrant & 1), si = (whole)sr, ci = (whole)cr;
    *sine = (v)(((si & ~swap) | (ci & swap)) ^ ((quadrant & 2) << 62));
    *cosine = (v)(((ci & ~swap) | (si & swap)) ^ (((quadrant + 1) & 2) << 62));
}

typedef struct arms {
    v m1, m2, l1, l2, g;
} arms;

static inline __attribute__((always_inline)) void by_hand(const arms *p, const v *y, v *f)
{
    v sa, ca, sb, cb;
    turn(y[0], &sa, &ca);
    turn(y[1], &sb, &cb);
    const v sine = sa * cb - ca * sb, cosine = ca * cb + sa * sb, both = p->m2 * p->l1 * p->l2, all = p->m1 + p->m2;
    const v a = all * p->l1 * p->l1, b = both * cosine, c = p->m2 * p->l2 * p->l2;
    const v q1 = -both * sine * y[3] * y[3] - all * p->g * p->l1 * sa;
    const v q2 = both * sine * y[2] * y[2] - p->m2 * p->g * p->l2 * sb;
    const v scale = 1 / (a * c - b * b);
    f[0] = y[2];
    f[1] = y[3];
    f[2] = (c * q1 - b * q2) * scale;
    f[3] = (a * q2 - b * q1) * scale;
}

static void steps_by_hand(const arms *p, v *y, double h, int steps)
{
    v f[4], x[4], sum[4];
    for (int step = 0; step < steps; step++) {
        by_hand(p, y, f);
        for (int i = 0; i < 4; i++) sum[i] = f[i], x[i] = y[i] + 0.5 * h * f[i];
        by_hand(p, x, f);
        for (int i = 0; i < 4; i++) sum[i] += 2 * f[i], x[i] = y[i] + 0.5 * h * f[i];
        by_hand(p, x, f);
        for (int i = 0; i < 4; i++) sum[i] += 2 * f[i], x[i] = y[i] + h * f[i];
        by_hand(p, x, f);
        for (int i = 0; i < 4; i++) y[i] += h / 6 * (sum[i] + f[i]);
    }
}

static void open_double_pendulum(mech_model **model, mech_system **system, mech_motion_code **code)
{
    mech_diagnostics *diagnostics = mech_diagnostics_create();
    char *text = text_of(&subjects[0]);
    must(mech_read_text(subjects[0].path, text, strlen(text), NULL, diagnostics, model), subjects[0].path);
    must(mech_system_from_model(*model, diagnostics, system), subjects[0].path);
    *code = native_code(*system);
    mech_diagnostics_free(diagnostics);
    free(text);
}

static void fixed_steps(void)
{
    enum { MOST = 15 };
    mech_model *model;
    mech_system *system;
    mech_motion_code *code;
    mech_lanes *lanes;
    mech_eval *eval;
    const double h = 1e-3;
    double hand = HUGE_VAL, ours = HUGE_VAL, worst = 0;
    open_double_pendulum(&model, &system, &code);
    must(mech_lanes_create(code, TOGETHER, &lanes), "lanes");
    must(mech_eval_create(system, MECH_STORAGE_SPARSE, &eval), "eval");
    for (size_t j = 0; j < TOGETHER; j++) {
        must(mech_eval_set_param(eval, "m2", 1 + 0.5 * (double)j / TOGETHER), "m2");
        must(mech_lanes_take(lanes, j, eval), "take");
    }
    for (int round = 0; round <= MOST; round++) {
        static double q[2 * TOGETHER], speed[2 * TOGETHER];
        static v y[TOGETHER / WIDE][4];
        static arms p[TOGETHER / WIDE];
        for (size_t j = 0; j < TOGETHER; j++) {
            arms *a = &p[j / WIDE];
            const size_t k = j % WIDE;
            a->m1[k] = a->l1[k] = a->l2[k] = 1;
            a->m2[k] = 1 + 0.5 * (double)j / TOGETHER;
            a->g[k] = 9.81;
            q[j] = y[j / WIDE][0][k] = 0.5 + (double)j / TOGETHER;
            q[TOGETHER + j] = y[j / WIDE][1][k] = 0.3;
            speed[j] = speed[TOGETHER + j] = y[j / WIDE][2][k] = y[j / WIDE][3][k] = 0;
        }
        double began = now(CLOCK_PROCESS_CPUTIME_ID);
        for (size_t b = 0; b < TOGETHER / WIDE; b++) steps_by_hand(&p[b], y[b], h, STEPS);
        const double one = now(CLOCK_PROCESS_CPUTIME_ID) - began;
        const mech_lanes_moving moving = {.size = sizeof moving, .q = q, .v = speed};
        began = now(CLOCK_PROCESS_CPUTIME_ID);
        must(mech_lanes_rk4(lanes, &moving, h, STEPS, NULL), "rk4");
        const double other = now(CLOCK_PROCESS_CPUTIME_ID) - began;
        if (round == 0) continue; /* compiles */
        hand = fmin(hand, one);
        ours = fmin(ours, other);
        for (size_t j = 0; j < TOGETHER; j++) worst = fmax(worst, fabs(q[j] - y[j / WIDE][0][j % WIDE]));
    }
    const double all = 1e-6 * TOGETHER * STEPS;
    printf("RK4 with fixed steps, double pendulum, own parameters, million steps a second on one core; aim: 0.65\n");
    printf("by hand %.1f, mech_lanes_rk4 %.1f, ratio %.2f; they differ by %.1e after %d steps\n\n", all / hand,
           all / ours, hand / ours, worst, (int)STEPS);
    mech_eval_free(eval);
    mech_lanes_free(lanes);
    mech_motion_code_free(code);
    mech_system_free(system);
    mech_model_free(model);
}

/* ---- starts ---- */

static const char pendulums[] = "param m1 = 1, m2 = 1, l1 = 1, l2 = 1, g = 9.81\n"
                                "coord x1, y1, x2, y2\n"
                                "kinetic m1/2*(x1'^2 + y1'^2) + m2/2*(x2'^2 + y2'^2)\n"
                                "potential m1*g*y1 + m2*g*y2\n"
                                "constraint upper: x1^2 + y1^2 = l1^2\n"
                                "constraint lower: (x2 - x1)^2 + (y2 - y1)^2 = l2^2\n"
                                "guess x1 = 1, y1 = -1, x2 = 2, y2 = -1\n"
                                "simulate until 3\n";

/* Microseconds a start that is moved onto the constraints: its state alone, as a card is fed, and with first step,
   account and leeway, as lanes and single runs have it. */
static void measure_starts(const char *name, const char *text, const char *vary, double from, double to)
{
    enum { STARTS = 5000 };
    mech_diagnostics *diagnostics = mech_diagnostics_create();
    mech_model *model;
    mech_system *system;
    mech_sim *sim;
    double least[2] = {HUGE_VAL, HUGE_VAL};
    must(mech_read_text(name, text, strlen(text), NULL, diagnostics, &model), name);
    must(mech_system_from_model(model, diagnostics, &system), name);
    must(mech_sim_create(system, NULL, &sim), name);
    for (int round = 0; round < 2 * ROUNDS; round++) {
        const double began = now(CLOCK_PROCESS_CPUTIME_ID);
        for (size_t k = 0; k < STARTS; k++) {
            must(mech_sim_reset(sim), name);
            must(mech_eval_set_param(mech_sim_eval(sim), vary, from + (to - from) * (double)k / STARTS), vary);
            must(round % 2 ? mech_sim_start(sim) : sim_find_start(sim), name);
        }
        least[round % 2] = fmin(least[round % 2], (now(CLOCK_PROCESS_CPUTIME_ID) - began) / STARTS);
    }
    printf("%-24s %10.2f %10.2f\n", name, 1e6 * least[0], 1e6 * least[1]);
    mech_sim_free(sim);
    mech_system_free(system);
    mech_model_free(model);
    mech_diagnostics_free(diagnostics);
}

static void starts(void)
{
    printf("microseconds an assembled start, one thread; aim: a state in 8\n");
    printf("%-24s %10s %10s\n", "model", "state", "start");
    measure_starts("double pendulum in x, y", pendulums, "m2", 0.5, 2);
    char *text = text_of(&subjects[1]);
    measure_starts(subjects[1].name, text, subjects[1].vary, subjects[1].from, subjects[1].to);
    free(text);
    printf("\n");
}

int main(int count, char **words)
{
    const char *part = count > 1 ? words[1] : "";
    if (strcmp(part, "ranks") == 0) return processes();
    const struct {
        const char *name;
        void (*run)(void);
    } parts[] = {{"steps", fixed_steps}, {"starts", starts}, {"lanes", lanes_and_single}, {"threads", two_threads}};
    for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
        if (!*part || strcmp(part, parts[k].name) == 0) parts[k].run();
    return 0;
}
