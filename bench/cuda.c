/* Runs on a graphics card: equal steps a second, adaptive runs with projection beside the threads of the same machine,
   and how far both are apart. 77 where there is no card.

       bench_cuda [part]        part of the usual number of runs: 0.1 for a look */
#include "ensemble/backend.h"
#include "ensemble/card.h"

#include <mech/ensemble.h>
#include <mech/lang.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char pendulum[] = "param m1 = 1, m2 = 1, l1 = 1, l2 = 1, g = 9.81\n"
                               "coord th1, th2\n"
                               "let r1 = l1*[sin(th1), -cos(th1)]\n"
                               "let r2 = r1 + l2*[sin(th2), -cos(th2)]\n"
                               "kinetic m1/2*dot(r1', r1') + m2/2*dot(r2', r2')\n"
                               "potential m1*g*r1[2] + m2*g*r2[2]\n"
                               "initial th1 = 1, th2 = 0.5\n"
                               "simulate until 3\n";
static const char cartesian[] = "param m1 = 1, m2 = 1, l1 = 1, l2 = 1, g = 9.81\n"
                                "coord x1, y1, x2, y2\n"
                                "kinetic m1/2*(x1'^2 + y1'^2) + m2/2*(x2'^2 + y2'^2)\n"
                                "potential m1*g*y1 + m2*g*y2\n"
                                "constraint upper: x1^2 + y1^2 = l1^2\n"
                                "constraint lower: (x2 - x1)^2 + (y2 - y1)^2 = l2^2\n"
                                "simulate until 3\n";
static const char level[] = "initial x1 = l1, y1 = 0, x2 = l1 + l2, y2 = 0\n", /* on the constraints, and beside them */
    beside_them[] = "guess x1 = 1, y1 = -1, x2 = 2, y2 = -1\n";
static const char disk[] = "param m = 3.43, r = 0.26, g = 9.81\n"
                           "coord psi, theta, phi, x, y\n"
                           "let lean = rotz(psi)*rotx(theta)\n"
                           "let centre = [x, y, 0] + r*lean*[0, 0, 1]\n"
                           "let w = [theta', phi' + psi'*sin(theta), psi'*cos(theta)]\n"
                           "kinetic m/2*dot(centre', centre') + dot(w, m*r^2/4*diag([1, 2, 1])*w)/2\n"
                           "potential m*g*centre[3]\n"
                           "constraint rolling: [x', y'] = r*phi'*[cos(psi), sin(psi)]\n"
                           "initial psi = 0.3, theta = 0.1, phi' = 6, psi' = 0.2\n"
                           "simulate until 1\n";
static const char andrews[] =
    "param m1 = 0.04325, m2 = 0.00365, m3 = 0.02373, m4 = 0.00706, m5 = 0.07050, m6 = 0.00706, m7 = 0.05498\n"
    "param I1 = 2.194e-6, I2 = 4.410e-7, I3 = 5.255e-6, I4 = 5.667e-7, I5 = 1.169e-5, I6 = 5.667e-7, I7 = 1.912e-5\n"
    "param xa = -0.06934, ya = -0.00227, xb = -0.03635, yb = 0.03273, xc = 0.014, yc = 0.072\n"
    "param c0 = 4530, l0 = 0.07785, mom = 0.033\n"
    "param dd = 0.028, da = 0.0115, ee = 0.02, ea = 0.01421, rr = 0.007, ra = 0.00092\n"
    "param ss = 0.035, sa = 0.01874, sb = 0.01043, sc = 0.018, sd = 0.02\n"
    "param ta = 0.02308, tb = 0.00916, uu = 0.04, ua = 0.01228, ub = 0.00449, zf = 0.02, zt = 0.04, fa = 0.01421\n"
    "coord beta, Theta, gamma, Phi, delta, Omega, epsilon\n"
    "let along(s) = [cos(s), sin(s)]\n"
    "let across(s) = [sin(s), -cos(s)]\n"
    "let A = [xa, ya]\nlet B = [xb, yb]\nlet C = [xc, yc]\n"
    "let P = rr*along(beta) - dd*along(beta + Theta)\n"
    "let p2 = rr*along(beta) - da*along(beta + Theta)\n"
    "let p4 = A + zt*along(delta) + (ee - ea)*across(Phi + delta)\n"
    "let p6 = A + uu*across(epsilon) + (zf - fa)*along(Omega + epsilon)\n"
    "kinetic (m1*ra^2 + I1)/2*beta'^2\n"
    "kinetic m2/2*dot(p2', p2') + I2/2*(beta' + Theta')^2\n"
    "kinetic (m3*(sa^2 + sb^2) + I3)/2*gamma'^2\n"
    "kinetic m4/2*dot(p4', p4') + I4/2*(Phi' + delta')^2\n"
    "kinetic (m5*(ta^2 + tb^2) + I5)/2*delta'^2\n"
    "kinetic m6/2*dot(p6', p6') + I6/2*(Omega' + epsilon')^2\n"
    "kinetic (m7*(ua^2 + ub^2) + I7)/2*epsilon'^2\n"
    "let D = B + sd*along(gamma) + sc*across(gamma)\n"
    "potential c0/2*(norm(D - C) - l0)^2\n"
    "force mom on beta'\n"
    "constraint arm: P = B + ss*across(gamma)\n"
    "constraint upper: P = A + ee*across(Phi + delta) + zt*along(delta)\n"
    "constraint lower: P = A + zf*along(Omega + epsilon) + uu*across(epsilon)\n"
    "initial Theta = 0\n"
    "guess beta = -0.0617138900142764496, gamma = 0.45527981916307038, Phi = 0.22266839016588588\n"
    "guess delta = 0.48736497954384255, Omega = -0.22266839016588588, epsilon = 1.2305474445498212\n"
    "initial beta' = 0\n"
    "simulate until 0.03\n";

/* ---- models ---- */

typedef struct subject {
    mech_diagnostics *diagnostics;
    mech_model *model;
    mech_system *system;
} subject;

static subject open_model(const char *text, const char *start, const char *measures)
{
    char all[6000];
    subject s = {.diagnostics = mech_diagnostics_create()};
    const mech_system_options with = {.size = sizeof with, .with_derivatives = 1};
    snprintf(all, sizeof all, "%s%s%s", text, start, measures);
    if (mech_read_text("bench", all, strlen(all), NULL, s.diagnostics, &s.model) != MECH_OK ||
        mech_system_create(s.model, &with, s.diagnostics, &s.system) != MECH_OK) {
        fprintf(stderr, "a model of this bench is wrong\n");
        exit(1);
    }
    return s;
}

static void close_model(subject *s)
{
    mech_system_free(s->system);
    mech_model_free(s->model);
    mech_diagnostics_free(s->diagnostics);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double part = 1;
static size_t parts(double runs) { return (size_t)fmax(runs * part, 1024); }

/* ---- equal steps ---- */

typedef struct machine {
    void *program, *line;
    double *start, *measures, *ended;
    int *states;
    unsigned *steps;
    size_t runs, rows;
} machine;

static void need(mech_status status, const char *why)
{
    if (status == MECH_OK) return;
    printf("%s\n", why);
    exit(1);
}

/* The model's own start in each column, with one parameter between 1 and 1.1 times what it was. */
static void fill(machine *m, const mech_system *system, const char *varies, double until)
{
    mech_sim *sim = NULL;
    need(mech_sim_create(system, NULL, &sim), "no run");
    need(mech_sim_start(sim), "no start");
    const mech_sizes k = mech_system_sizes(system);
    const double settings[CARD_SETTINGS] = {
        [CARD_FROM] = 0, [CARD_UNTIL] = until, [CARD_RTOL] = 1e-6, [CARD_ATOL] = 1e-9};
    const double *p = mech_eval_equation(mech_sim_eval(sim))->p;
    const size_t which = mech_system_find(system, MECH_ITEM_PARAM, varies);
    for (size_t j = 0; j < m->runs; j++) {
        size_t row = 0;
        for (size_t i = 0; i < CARD_SETTINGS; i++) m->start[row++ * m->runs + j] = settings[i];
        for (size_t i = 0; i < k.params; i++)
            m->start[row++ * m->runs + j] = p[i] * (i == which ? 1 + 0.1 * (double)j / (double)m->runs : 1);
        for (size_t i = 0; i < k.coords; i++) m->start[row++ * m->runs + j] = mech_sim_q(sim)[i];
        for (size_t i = 0; i < k.coords; i++) m->start[row++ * m->runs + j] = mech_sim_v(sim)[i];
    }
    mech_sim_free(sim);
}

static double seconds(machine *m, double step)
{
    char why[CARD_REASON] = "";
    const card_block block = {m->runs, m->start, m->measures, m->ended, m->states, m->steps, step, 4000000000u};
    const double began = now();
    int is_done = 0;
    need(card_cuda.send(m->line, &block, why), why);
    while (!is_done) need(card_cuda.ask(m->line, 0, &is_done, why), why);
    const double spent = now() - began;
    need(card_cuda.fetch(m->line, &block, why), why);
    return spent;
}

static machine make_machine(const mech_system *system, const card_source *source, size_t runs)
{
    const mech_sizes k = mech_system_sizes(system);
    machine m = {.runs = runs, .rows = CARD_SETTINGS + k.params + 2 * k.coords};
    char why[CARD_REASON] = "";
    need(card_cuda.load(source->text.data, source->text.length, &m.program, why), why);
    need(card_cuda.open(m.program, &(card_shape){m.runs, m.rows, k.measures}, &m.line, why), why);
    m.start = malloc(m.rows * m.runs * sizeof(double));
    m.measures = malloc((k.measures + 1) * m.runs * sizeof(double));
    m.ended = malloc(m.runs * sizeof(double));
    m.states = malloc(m.runs * sizeof(int));
    m.steps = malloc(m.runs * sizeof(unsigned));
    return m;
}

static void free_machine(machine *m)
{
    card_cuda.close(m->line);
    card_cuda.unload(m->program);
    void *const all[] = {m->start, m->measures, m->ended, m->states, m->steps};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

static void equal_steps(const char *name, const char *text, const char *last, const char *varies, double h, double aim)
{
    enum { STEPS = 1000, FEW = 100 };
    char measure[100];
    snprintf(measure, sizeof measure, "measure last: final of %s\n", last);
    subject s = open_model(text, "", measure);
    card_source source = {.system = s.system, .is_fixed = 1};
    need(card_source_make(&source), "no text");
    const double began = now();
    machine m = make_machine(s.system, &source, parts(1 << 20));
    const double compiled = now() - began;
    fill(&m, s.system, varies, FEW * h);
    double few = HUGE_VAL, many = HUGE_VAL;
    for (const double warm = now(); now() - warm < 1;) few = fmin(few, seconds(&m, h));
    fill(&m, s.system, varies, (STEPS + FEW) * h);
    for (const double warm = now(); now() - warm < 1;) (void)seconds(&m, h); /* an idle card has a slow clock */
    for (int i = 0; i < 5; i++) many = fmin(many, seconds(&m, h));
    size_t done = 0;
    for (size_t j = 0; j < m.runs; j++) done += m.states[j] == CARD_DONE;
    /* halved steps say how far the end is from the motion */
    const double first = m.measures[0];
    (void)seconds(&m, h / 2);
    const double rate = (double)m.runs * STEPS / (many - few) / 1e9;
    printf("%-26s %5zu %9.2f %10.2f %8.1f %10zu %12.1e %6s\n", name, source.statements, compiled, rate, aim,
           m.runs - done, fabs(first - m.measures[0]), rate >= aim ? "met" : "MISSED");
    fflush(stdout);
    free_machine(&m);
    text_free(&source.text);
    close_model(&s);
}

/* ---- adaptive runs ---- */

enum { MOST_KEPT = 256, MOST_MEASURES = 8 };
typedef struct kept {
    size_t count, measures, every;
    double m[MOST_KEPT][MOST_MEASURES];
} kept;

static int keep(void *user, const mech_ensemble_result *r)
{
    kept *k = user;
    if (r->run % k->every == 0 && r->run / k->every < MOST_KEPT)
        memcpy(k->m[r->run / k->every], r->measures, k->measures * sizeof(double));
    return 0;
}

typedef struct request {
    const subject *s;
    const mech_motion_code *code;
    const char *varies;
    double from, to, rtol;
} request;

typedef struct way { /* how a sweep is made */
    mech_on on;
    size_t threads; /* 0: all */
    double rtol, shift;
} way;

static mech_ensemble_info sweep(const request *q, const way *by, size_t runs, kept *into, double *spent)
{
    mech_plan *plan = NULL;
    mech_ensemble_settings settings;
    mech_sim_settings run;
    mech_ensemble_info info = {.size = 0};
    mech_ensemble_settings_default(&settings, sizeof settings);
    mech_sim_settings_default(&run, sizeof run);
    need(mech_plan_create(q->s->system, &plan), "no plan");
    need(mech_plan_vary(plan, q->varies, MECH_SPREAD_GRID, q->from * (1 + by->shift), q->to * (1 + by->shift), runs),
         "no plan");
    run.rtol = by->rtol;
    run.atol = 1e-3 * by->rtol;
    run.method = MECH_METHOD_RK5;
    settings.run = &run;
    settings.code = q->code;
    settings.on = by->on;
    settings.threads = by->threads;
    settings.on_run = keep;
    settings.user = into;
    into->measures = mech_system_sizes(q->s->system).measures;
    into->every = runs > MOST_KEPT ? (runs - 1) / (MOST_KEPT - 1) : 1;
    const double began = now();
    const mech_status status = mech_ensemble_run(plan, &settings, &info);
    *spent = now() - began;
    need(status, info.why);
    mech_plan_free(plan);
    return info;
}

/* The largest difference in units of rtol K, K what a change of what varies becomes. */
static double apart(const kept *is, const kept *should, const kept *beside, double rtol, double shift)
{
    double worst = 0;
    for (size_t k = 0; k < MOST_KEPT; k++)
        for (size_t i = 0; i < is->measures; i++) {
            const double growth = fabs(beside->m[k][i] - should->m[k][i]) / shift;
            worst = fmax(worst,
                         fabs(is->m[k][i] - should->m[k][i]) / (rtol * fmax(fmax(growth, fabs(should->m[k][i])), 1)));
        }
    return worst;
}

/* The card alone, from starts that stand: runs and steps a second. */
static double alone(const request *q, double until, double *steps_a_second)
{
    card_source source = {.system = q->s->system, .projects = 1};
    need(card_source_make(&source), "no text");
    machine m = make_machine(q->s->system, &source, parts(1 << 18));
    fill(&m, q->s->system, q->varies, until);
    for (size_t j = 0; j < m.runs; j++)
        m.start[CARD_RTOL * m.runs + j] = q->rtol, m.start[CARD_ATOL * m.runs + j] = 1e-3 * q->rtol;
    (void)seconds(&m, 0);
    const double spent = seconds(&m, 0);
    double steps = 0, rate = (double)m.runs / spent;
    for (size_t j = 0; j < m.runs; j++) steps += m.steps[j];
    *steps_a_second = steps / spent;
    free_machine(&m);
    text_free(&source.text);
    return rate;
}

static void adaptive(const char *name, const char *text, const char *start, const char *measures, const char *varies,
                     double from, double to, double rtol)
{
    static kept card, host, other;
    subject s = open_model(text, start, measures);
    mech_motion_settings native;
    mech_motion_settings_default(&native, sizeof native);
    native.native = MECH_NATIVE_ON;
    native.with_power = native.with_check = 1;
    native.cache = "";
    mech_motion_code *code = NULL;
    need(mech_motion_code_create(s.system, &native, &code), "no code");
    const request q = {&s, code, varies, from, to, rtol};
    /* multiples of what is kept, plus one: then all grids have the same points where they are compared */
    const size_t least = 4 * (MOST_KEPT - 1) + 1, few = 16 * (MOST_KEPT - 1) + 1,
                 many = parts(16384) * (MOST_KEPT - 1) + 1;
    const double shift = 1e-6;
    double begun, short_one, long_one, by_all, by_two, ignored;
    const way all = {MECH_ON_THREADS, 0, rtol, 0}, two = {MECH_ON_THREADS, 2, rtol, 0},
              cuda = {MECH_ON_CUDA, 0, rtol, 0}, exact = {MECH_ON_THREADS, 0, 1e-12, 0},
              beside = {MECH_ON_THREADS, 0, 1e-12, shift};
    (void)sweep(&q, &two, least, &host, &by_two);
    (void)sweep(&q, &all, few, &host, &by_all);
    (void)sweep(&q, &cuda, few, &card, &begun); /* compiles, and wakes the card */
    (void)sweep(&q, &cuda, few, &card, &short_one);
    const mech_ensemble_info info = sweep(&q, &cuda, many, &card, &long_one);
    (void)sweep(&q, &exact, MOST_KEPT, &host, &ignored);
    (void)sweep(&q, &beside, MOST_KEPT, &other, &ignored);
    /* what both begin with is in both */
    const double rate = (double)(many - few) / (long_one - short_one), rate_all = (double)few / by_all,
                 rate_two = (double)least / by_two;
    const double off = apart(&card, &host, &other, rtol, shift);
    double steps, until = 1;
    mech_eval *eval = NULL;
    if (mech_eval_create(s.system, MECH_STORAGE_SPARSE, &eval) == MECH_OK)
        (void)mech_eval_option(eval, "until", &until, NULL);
    mech_eval_free(eval);
    const double by_card = alone(&q, until, &steps);
    printf("%-24s %5.0e %7.2f %11.0f %9.1f %10.0f %9.0f %8.0f %7.1f %7.1f %10zu %7.2f %6s\n", name, rtol, begun,
           by_card, steps / 1e6, rate, rate_all, rate_two, rate / rate_all, rate / rate_two, info.handed_on, off,
           off < 100 ? "met" : "MISSED");
    fflush(stdout);
    mech_motion_code_free(code);
    close_model(&s);
}

int main(int count, char **arguments)
{
    char why[CARD_REASON] = "";
    void *program = NULL;
    if (count > 1) part = atof(arguments[1]);
    if (card_cuda.load("extern \"C\" __global__ void card_runs(int x) {}\n", 0, &program, why) != MECH_OK) {
        printf("skipped: %s\n", why);
        return 77;
    }
    printf("%s\n\nequal steps of order 4, own parameters each, no projection\n", card_cuda.name(program));
    card_cuda.unload(program);
    printf("%-26s %5s %9s %10s %8s %10s %12s\n", "model", "lines", "compile s", "G steps/s", "aim", "flagged",
           "half steps");
    equal_steps("double pendulum", pendulum, "th2", "m2", 1e-3, 28);
    equal_steps("rolling disk", disk, "theta", "m", 1e-4, 10);
    equal_steps("Andrews", andrews, "beta", "mom", 1e-6, 3);

    printf("\nadaptive steps of order 5, projection, measures along steps; whole sweeps, starts by the host\n");
    printf("%-24s %5s %7s %11s %9s %10s %9s %8s %7s %7s %10s %7s\n", "model", "rtol", "begin s", "card alone",
           "M steps/s", "runs/s", "host", "2 thr.", "/ host", "/ two", "made whole", "rtol K");
    const char *const three = "measure high: max of th2\nmeasure size: rms of th1'\nmeasure last: final of th2\n";
    adaptive("double pendulum", pendulum, "", "measure last: final of th2\n", "m2", 0.5, 2, 1e-6);
    adaptive("double pendulum, 3", pendulum, "", three, "m2", 0.5, 2, 1e-6);
    adaptive("double pendulum, 3", pendulum, "", three, "m2", 0.5, 2, 1e-9);
    adaptive("double pendulum, x y", cartesian, level, "measure last: final of x2\n", "m2", 0.5, 2, 1e-6);
    adaptive("double pendulum, x y, 2", cartesian, level,
             "measure low: min of y2\nmeasure pull: max of lambda(lower)\n", "m2", 0.5, 2, 1e-6);
    adaptive("x y, assembled", cartesian, beside_them, "measure last: final of x2\n", "m2", 0.5, 2, 1e-6);
    adaptive("rolling disk, 2", disk, "", "measure tip: max of theta\nmeasure way: final of x\n", "m", 3, 4, 1e-6);
    adaptive("Andrews", andrews, "", "measure last: final of beta\n", "mom", 0.03, 0.036, 1e-6);
    adaptive("Andrews, 3", andrews, "",
             "measure high: max of gamma\nmeasure mid: mean of delta\nmeasure last: final of beta\n", "mom", 0.03,
             0.036, 1e-6);
    return 0;
}
