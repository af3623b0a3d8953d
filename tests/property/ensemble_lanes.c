/* Runs on lanes: single runs to their tolerance times the growth of disturbances, the same bits beside any neighbours,
   closed forms, what is refused and what is made whole. */
#include <mech/ensemble.h>

#include "support/motion.h"

#include <math.h>

#define DOUBLE_PENDULUM                                                                                                \
    "param m1 = 1, m2 = 1, l1 = 1, l2 = 1, g = 9.81\n"                                                                 \
    "coord a, b\n"                                                                                                     \
    "let r1 = l1*[sin(a), -cos(a)]\n"                                                                                  \
    "let r2 = r1 + l2*[sin(b), -cos(b)]\n"                                                                             \
    "kinetic m1/2*dot(r1', r1') + m2/2*dot(r2', r2')\n"                                                                \
    "potential m1*g*r1[2] + m2*g*r2[2]\n"                                                                              \
    "initial a = 0.7, b = 0.3\n"                                                                                       \
    "measure high: max of b\nmeasure low: min of r2[1]\nmeasure middle: mean of a\n"                                   \
    "measure speed: rms of b'\nmeasure last: final of a\n"

#define FOUR_BAR                                                                                                       \
    "param rho = 997, l1 = 0.13, l2 = 0.24, l3 = 0.21, l4 = 0.34\n"                                                    \
    "coord q1, q2, q3\n"                                                                                               \
    "let along(a) = [cos(a), sin(a)]\n"                                                                                \
    "let b3 = q1 + q2\n"                                                                                               \
    "let b4 = q1 + q2 + q3\n"                                                                                          \
    "let c2 = [l1, 0] + l2/2*along(q1)\n"                                                                              \
    "let c3 = [l1, 0] + l2*along(q1) + l3/2*along(b3)\n"                                                               \
    "let c4 = [l1, 0] + l2*along(q1) + l3*along(b3) + l4/2*along(b4)\n"                                                \
    "kinetic rho*l2/2*dot(c2', c2') + rho*l2^3/24*q1'^2\n"                                                             \
    "kinetic rho*l3/2*dot(c3', c3') + rho*l3^3/24*b3'^2\n"                                                             \
    "kinetic rho*l4/2*dot(c4', c4') + rho*l4^3/24*b4'^2\n"                                                             \
    "constraint loop: [l1, 0] + l2*along(q1) + l3*along(b3) + l4*along(b4) = [0, 0]\n"                                 \
    "initial q1 = 2.1, q1' = 2\n"                                                                                      \
    "guess q2 = 0.6655470375077588, q3 = 2.527408138024188\n"                                                          \
    "measure high: max of q1'\nmeasure low: min of q2\nmeasure middle: mean of q3\nmeasure last: final of q1\n"

/* A disc that rolls: its rows speak of velocities, and its height has a potential. */
#define ROLLING                                                                                                        \
    "param m = 1, r = 0.5, g = 9.81\n"                                                                                 \
    "coord x, y, psi, theta, phi\n"                                                                                    \
    "let w1 = theta'\nlet w2 = psi'*sin(theta)\nlet w3 = psi'*cos(theta) + phi'\n"                                     \
    "kinetic m/2*(x'^2 + y'^2 + (r*cos(theta)*theta')^2) + m*r^2/8*(w1^2 + w2^2) + m*r^2/4*w3^2\n"                     \
    "potential m*g*r*sin(theta)\n"                                                                                     \
    "constraint along: x'*cos(psi) + y'*sin(psi) + r*(phi' + psi'*cos(theta)) = 0\n"                                   \
    "constraint across: -x'*sin(psi) + y'*cos(psi) - r*theta'*sin(theta) = 0\n"                                        \
    "initial x = 0, y = 0, psi = 0, theta = 1.2, phi = 0, psi' = 0.5, theta' = 0, phi' = 8\n"                          \
    "measure high: max of theta\nmeasure low: min of theta\nmeasure way: final of x\nmeasure turn: mean of psi'\n"

/* A state beside the coordinates, and a force of its own. */
#define WITH_STATE                                                                                                     \
    "param k = 4, c = 0.3, T = 0.5\n"                                                                                  \
    "coord x\nstate z: z' = (x' - z)/T\n"                                                                              \
    "kinetic x'^2/2\npotential k/2*x^2\nforce -c*z on x'\n"                                                            \
    "initial x = 1, x' = 0, z = 0.1\n"                                                                                 \
    "measure high: max of z\nmeasure middle: mean of x^2\nmeasure last: final of x\n"

enum { MOST = 600, MEASURES = 5 };
typedef struct kept {
    size_t count, columns, measures, failed;
    double values[MOST][2], measured[MOST][MEASURES], t[MOST];
    char reason[200];
} kept;
static kept all, other, moved;

static int keep(void *user, const mech_ensemble_result *r)
{
    kept *k = user;
    CHECK(r->run < MOST && k->measures <= MEASURES);
    memcpy(k->values[r->run], r->values, k->columns * sizeof(double));
    memcpy(k->measured[r->run], r->measures, k->measures * sizeof(double));
    k->t[r->run] = r->t;
    if (r->status != MECH_OK && k->failed++ == 0) snprintf(k->reason, sizeof k->reason, "%s", r->reason);
    k->count++;
    return 0;
}

typedef struct how {
    mech_on on;
    mech_method method;
    double rtol;
    size_t threads, first, last;
} how;

static mech_status run_plan(const mech_plan *plan, const motion *m, const how *h, kept *into, mech_ensemble_info *info)
{
    mech_ensemble_settings settings;
    mech_sim_settings run;
    mech_ensemble_settings_default(&settings, sizeof settings);
    mech_sim_settings_default(&run, sizeof run);
    memset(into, 0, sizeof *into);
    into->columns = mech_plan_columns(plan);
    into->measures = mech_system_sizes(m->system).measures;
    run.method = h->method;
    run.rtol = h->rtol;
    settings.run = &run;
    settings.on = h->on;
    settings.threads = h->threads ? h->threads : 1;
    settings.first = h->first;
    settings.last = h->last;
    settings.on_run = keep;
    settings.user = into;
    return mech_ensemble_run(plan, &settings, info);
}

/* What a start that is disturbed by rtol grows to counts, ten times. */
static void near_single_runs(const char *text, const char *name, double from, double to, mech_method method,
                             double rtol)
{
    enum { RUNS = 40 };
    motion m;
    mech_plan *plan, *disturbed;
    mech_ensemble_info info;
    if (!motion_read(&m, text)) return;
    CHECK(mech_plan_create(m.system, &plan) == MECH_OK && mech_plan_create(m.system, &disturbed) == MECH_OK);
    CHECK(mech_plan_vary(plan, name, MECH_SPREAD_GRID, from, to, RUNS) == MECH_OK);
    CHECK(mech_plan_vary(disturbed, name, MECH_SPREAD_GRID, from * (1 + rtol), to * (1 + rtol), RUNS) == MECH_OK);
    const how lanes = {.on = MECH_ON_LANES, .method = method, .rtol = rtol},
              single = {.on = MECH_ON_THREADS, .method = method, .rtol = rtol};
    CHECK(run_plan(plan, &m, &lanes, &all, &info) == MECH_OK && info.on == MECH_ON_LANES);
    CHECK(info.handed_on == 0 && all.failed == 0 && all.count == RUNS);
    CHECK(run_plan(plan, &m, &single, &other, NULL) == MECH_OK && other.failed == 0);
    CHECK(run_plan(disturbed, &m, &single, &moved, NULL) == MECH_OK);
    for (size_t run = 0; run < RUNS; run++) {
        double growth = rtol; /* of any measure */
        for (size_t i = 0; i < all.measures; i++)
            growth = fmax(growth, fabs(moved.measured[run][i] - other.measured[run][i]));
        for (size_t i = 0; i < all.measures; i++) CHECK_NEAR(all.measured[run][i], other.measured[run][i], 10 * growth);
        CHECK(all.t[run] == other.t[run]);
    }
    mech_plan_free(plan);
    mech_plan_free(disturbed);
    motion_free(&m);
}

/* A spike of force, narrower than a step by far, wherever it stands: its work is met. decisions/0015. */
static void spikes_of_force(mech_method method)
{
    motion m;
    mech_plan *plan;
    mech_ensemble_info info;
    const how lanes = {.on = MECH_ON_LANES, .method = method, .rtol = 1e-9};
    if (!motion_read(&m, "param w = 1e-4, a = 5\ncoord x\nkinetic x'^2/2\nforce exp(-((x - a)/w)^2)/w on x'\n"
                         "initial x = 0, x' = 1\nmeasure v: final of x'\nsimulate until 10\n"))
        return;
    CHECK(mech_plan_create(m.system, &plan) == MECH_OK);
    CHECK(mech_plan_vary(plan, "a", MECH_SPREAD_GRID, 1, 9, 100) == MECH_OK);
    CHECK(run_plan(plan, &m, &lanes, &all, &info) == MECH_OK && info.on == MECH_ON_LANES && info.handed_on == 0);
    CHECK(all.count == 100);
    for (size_t run = 0; run < 100; run++) CHECK_NEAR(all.measured[run][0], sqrt(1 + 2 * sqrt(acos(-1.0))), 1e-7);
    mech_plan_free(plan);
    motion_free(&m);
}

/* Seven bodies, six rows: the text of the example with measures. */
static void andrews(void)
{
    static char text[20000];
    FILE *file = fopen("examples/andrews/model.mech", "r");
    CHECK(file != NULL);
    if (!file) return;
    const size_t length = fread(text, 1, sizeof text - 200, file);
    fclose(file);
    snprintf(text + length, 200,
             "\nmeasure high: max of beta\nmeasure low: min of gamma\nmeasure middle: mean of Phi\n"
             "measure last: final of Theta\n");
    near_single_runs(text, "mom", 0.03, 0.035, MECH_METHOD_RK5, 1e-8);
}

/* Threads, blocks and neighbours: a run is the same in any lane. */
static void same_bits(const char *text, const char *name, double from, double to, mech_method method)
{
    enum { RUNS = 300 };
    motion m;
    mech_plan *plan;
    if (!motion_read(&m, text)) return;
    CHECK(mech_plan_create(m.system, &plan) == MECH_OK);
    CHECK(mech_plan_vary(plan, name, MECH_SPREAD_UNIFORM, from, to, 0) == MECH_OK);
    CHECK(mech_plan_sample(plan, RUNS, MECH_SEQUENCE_RANDOM, 3) == MECH_OK);
    const how one = {.on = MECH_ON_LANES, .method = method, .rtol = 1e-7, .threads = 1},
              eight = {.on = MECH_ON_LANES, .method = method, .rtol = 1e-7, .threads = 8};
    CHECK(run_plan(plan, &m, &one, &all, NULL) == MECH_OK && all.count == RUNS);
    CHECK(run_plan(plan, &m, &eight, &other, NULL) == MECH_OK);
    CHECK(memcmp(&all, &other, sizeof all) == 0);
    const size_t parts[][2] = {{17, 18}, {5, 24}, {250, 291}};
    for (size_t p = 0; p < 3; p++) {
        const how part = {.on = MECH_ON_LANES,
                          .method = method,
                          .rtol = 1e-7,
                          .threads = 1,
                          .first = parts[p][0],
                          .last = parts[p][1]};
        CHECK(run_plan(plan, &m, &part, &other, NULL) == MECH_OK);
        const size_t runs = parts[p][1] - parts[p][0];
        CHECK(other.count == runs);
        CHECK(memcmp(all.measured[part.first], other.measured[part.first], runs * sizeof all.measured[0]) == 0);
    }
    mech_plan_free(plan);
    motion_free(&m);
}

/* x = v/w sin wt: peak, mean of the energy, mean and rms over whole periods, end. */
static void closed_forms(void)
{
    motion m;
    mech_plan *plan;
    mech_ensemble_info info;
    if (!motion_read(&m, "param k = 4\ncoord x\nkinetic x'^2/2\npotential k/2*x^2\ninitial x = 0, x' = 3\n"
                         "measure peak: max of x\nmeasure energy: mean of k/2*x^2 + x'^2/2\nmeasure root: rms of x\n"
                         "measure last: final of x\nmeasure down: min of x'\nsimulate until 2*pi\n"))
        return;
    CHECK(mech_plan_create(m.system, &plan) == MECH_OK);
    CHECK(mech_plan_vary(plan, "k", MECH_SPREAD_GRID, 0.5, 40, 100) == MECH_OK);
    for (int pair = 0; pair < 2; pair++) {
        const how auto_on = {.on = MECH_ON_AUTO, .method = pair ? MECH_METHOD_RK5 : MECH_METHOD_RK8, .rtol = 1e-10};
        CHECK(run_plan(plan, &m, &auto_on, &all, &info) == MECH_OK && all.failed == 0 && info.on == MECH_ON_LANES);
        for (size_t i = 0; i < 100; i++) {
            const double w = sqrt(all.values[i][0]), end = 2 * acos(-1);
            CHECK_NEAR(all.measured[i][0], 3 / w, 1e-8);
            CHECK_NEAR(all.measured[i][1], 4.5, 1e-7);
            CHECK_NEAR(all.measured[i][2], 3 / w * sqrt(0.5 - sin(2 * w * end) / (4 * w * end)), 1e-8);
            CHECK_NEAR(all.measured[i][3], 3 / w * sin(w * end), 3e-8);
            CHECK_NEAR(all.measured[i][4], -3, 1e-8);
        }
    }
    mech_plan_free(plan);
    motion_free(&m);
}

/* x = v t passes spikes that are much narrower than a step, and 300 turns for each unit of x. */
static void spikes(void)
{
    motion m;
    mech_plan *plan;
    mech_ensemble_info info;
    const double w = 1e-4, a = 5.123, pi = acos(-1.0);
    if (!motion_read(&m,
                     "param w = 1e-4, a = 5.123\ncoord x\nkinetic x'^2/2\ninitial x' = 1\nsimulate until 10\n"
                     "measure top: max of exp(-((x - a)/w)^2)\nmeasure gauss: mean of exp(-((x - a)/w)^2)\n"
                     "measure lorentz: mean of 1/(1 + ((x - a)/w)^2)\nmeasure bottom: min of -1/(1 + ((x - a)/w)^2)\n"
                     "measure wave: mean of sin(2*pi*300*x)^2\n"))
        return;
    CHECK(mech_plan_create(m.system, &plan) == MECH_OK);
    CHECK(mech_plan_vary(plan, "x'", MECH_SPREAD_GRID, 0.75, 1, 26) == MECH_OK); /* whole turns at the end */
    for (int pair = 0; pair < 2; pair++) {
        const how lanes = {.on = MECH_ON_LANES, .method = pair ? MECH_METHOD_RK5 : MECH_METHOD_RK8, .rtol = 1e-9};
        CHECK(run_plan(plan, &m, &lanes, &all, &info) == MECH_OK && all.failed == 0 && info.handed_on == 0);
        for (size_t i = 0; i < 26; i++) {
            const double end = 10 * all.values[i][0];
            CHECK_NEAR(all.measured[i][0], 1, 1e-9);
            CHECK_NEAR(all.measured[i][1], w * sqrt(pi) / end, 1e-8 * w);
            CHECK_NEAR(all.measured[i][2], w * (atan(a / w) + atan((end - a) / w)) / end, 1e-8 * w);
            CHECK_NEAR(all.measured[i][3], -1, 1e-9);
            CHECK_NEAR(all.measured[i][4], 0.5, 1e-9);
        }
    }
    mech_plan_free(plan);
    motion_free(&m);
}

/* What lanes do not serve, by its reason; the others take it. */
static void refused(const char *text, const char *why)
{
    motion m;
    mech_plan *plan;
    mech_ensemble_info info;
    if (!motion_read(&m, text)) return;
    CHECK(mech_plan_create(m.system, &plan) == MECH_OK);
    CHECK(mech_plan_vary(plan, "k", MECH_SPREAD_GRID, 1, 2, 3) == MECH_OK);
    const how lanes = {.on = MECH_ON_LANES, .method = MECH_METHOD_COUNT, .rtol = 1e-6},
              by_itself = {.method = MECH_METHOD_COUNT, .rtol = 1e-6};
    CHECK(run_plan(plan, &m, &lanes, &all, &info) == MECH_ERR_UNSUPPORTED && all.count == 0);
    CHECK(strstr(info.why, why) != NULL);
    CHECK(run_plan(plan, &m, &by_itself, &all, &info) == MECH_OK && all.count == 3 && info.on == MECH_ON_THREADS);
    mech_plan_free(plan);
    motion_free(&m);
}

#define PLAIN "param k = 4\ncoord x\nkinetic x'^2/2\npotential k/2*x^2\ninitial x = 1\nsimulate until 0.5\n"

static void refusals(void)
{
    refused(PLAIN "measure a: max of x\nevent e: x falls through 0 -> record\n", "events");
    refused(PLAIN "measure a: max of abs(x)\n", "kink");
    refused(PLAIN "measure a: max of x''\n", "accelerations");
    refused(PLAIN "measure a: max of x\nforce -0.1*abs(x') on x'\n", "kinks");
    refused(PLAIN "measure a: max of x\nforce sin(t) on x'\n", "time alone");
    refused(PLAIN "measure a: max of x\nconstraint floor: x >= -3\n", "one-sided");
    refused("param k = 4\ncoord x\nkinetic x'^2/2\npotential k/2*x^2\ninitial x = 1\nmeasure a: max of x\n"
            "simulate until 0.5, method bdf\n",
            "rk5");
}

/* A start that cannot be met, and a linkage that comes near its change point: made whole, in the words and with the
   bits of single runs. */
static void made_whole(void)
{
    static const char *const names[] = {"x"};
    static const double data[] = {0.6, 0.8, 2, 0.1};
    motion m;
    mech_plan *plan;
    mech_ensemble_info info;
    const how lanes = {.on = MECH_ON_LANES, .method = MECH_METHOD_RK8, .rtol = 1e-9},
              single = {.on = MECH_ON_THREADS, .method = MECH_METHOD_RK8, .rtol = 1e-9};
    if (!motion_read(&m,
                     "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint rod: x^2 + y^2 = 1\n"
                     "initial x = 0\nguess y = -1\nmeasure low: min of y\nmeasure high: max of y\nsimulate until 2\n"))
        return;
    CHECK(mech_plan_create(m.system, &plan) == MECH_OK);
    CHECK(mech_plan_table(plan, names, 1, data, 4) == MECH_OK);
    CHECK(run_plan(plan, &m, &lanes, &all, &info) == MECH_OK && all.count == 4 && info.handed_on == 1);
    CHECK(all.failed == 1 && strstr(all.reason, "rod") != NULL && isnan(all.measured[2][0]));
    for (size_t i = 0; i < 4; i++) {
        if (i == 2) continue;
        CHECK_NEAR(all.measured[i][0], -1, 1e-8);
        CHECK_NEAR(all.measured[i][1], -sqrt(1 - data[i] * data[i]), 1e-8);
    }
    mech_plan_free(plan);
    motion_free(&m);
    if (!motion_read(&m, FOUR_BAR "simulate until 3\n")) return;
    CHECK(mech_plan_create(m.system, &plan) == MECH_OK);
    CHECK(mech_plan_vary(plan, "l4", MECH_SPREAD_GRID, 0.3201, 0.3215, 4) == MECH_OK);
    CHECK(run_plan(plan, &m, &lanes, &all, &info) == MECH_OK && info.handed_on == 4);
    CHECK(run_plan(plan, &m, &single, &other, NULL) == MECH_OK);
    CHECK(memcmp(&all, &other, sizeof all) == 0);
    mech_plan_free(plan);
    motion_free(&m);
}

/* ---- code for whole runs ---- */

typedef struct maker {
    const mech_system *system;
    mech_motion_code *code;
    int calls;
} maker;

static const mech_motion_code *make_code(void *user)
{
    maker *m = user;
    mech_motion_settings settings;
    mech_motion_settings_default(&settings, sizeof settings);
    settings.native = MECH_NATIVE_OFF;
    if (m->calls++ == 0) CHECK(mech_motion_code_create(m->system, &settings, &m->code) == MECH_OK);
    return m->code;
}

/* It is asked for by whole runs alone, once, however many threads there are; what it gives is as if it were given. */
static void code_when_needed(mech_on on, double from, double to, int calls)
{
    enum { RUNS = 64 };
    motion m;
    mech_plan *plan;
    mech_ensemble_info info;
    if (!motion_read(&m, "param c = 1\ncoord x\nkinetic x'^2/2\npotential 2*x^2\nforce -c*x' on x'\n"
                         "initial x = 1, x' = 3\nmeasure last: final of x\nsimulate until 1\n"))
        return;
    maker by = {.system = m.system}, given = by;
    CHECK(mech_plan_create(m.system, &plan) == MECH_OK);
    CHECK(mech_plan_vary(plan, "c", MECH_SPREAD_LOG, from, to, RUNS) == MECH_OK);
    mech_ensemble_settings settings;
    mech_ensemble_settings_default(&settings, sizeof settings);
    settings.on = on;
    settings.on_run = keep;
    for (size_t threads = 1; threads <= 4; threads += 3) {
        settings.threads = threads;
        settings.user = threads == 1 ? &all : &other;
        memset(settings.user, 0, sizeof all);
        ((kept *)settings.user)->columns = ((kept *)settings.user)->measures = 1;
        settings.code = threads == 1 ? make_code(&given) : NULL;
        settings.make_code = make_code;
        settings.make_code_user = &by;
        CHECK(mech_ensemble_run(plan, &settings, &info) == MECH_OK && info.on == on && info.done == RUNS);
        CHECK((info.handed_on > 0) == (calls && on == MECH_ON_LANES));
    }
    CHECK(by.calls == calls);
    CHECK(memcmp(all.measured, other.measured, sizeof all.measured) == 0);
    mech_motion_code_free(by.code);
    mech_motion_code_free(given.code);
    mech_plan_free(plan);
    motion_free(&m);
}

int main(void)
{
    spikes_of_force(MECH_METHOD_RK8);
    spikes_of_force(MECH_METHOD_RK5);
    code_when_needed(MECH_ON_LANES, 1, 10, 0);
    code_when_needed(MECH_ON_LANES, 1, 1e5, 1);
    code_when_needed(MECH_ON_THREADS, 1, 10, 1);
    near_single_runs(DOUBLE_PENDULUM "simulate until 5\n", "a", 0.2, 1.5, MECH_METHOD_RK5, 1e-8);
    near_single_runs(DOUBLE_PENDULUM "simulate until 5\n", "a", 0.2, 1.5, MECH_METHOD_AUTO, 1e-9);
    near_single_runs(FOUR_BAR "simulate until 2\n", "q1'", 1, 3, MECH_METHOD_RK5, 1e-8);
    near_single_runs(FOUR_BAR "simulate until 2\n", "l4", 0.33, 0.36, MECH_METHOD_RK8, 1e-9);
    andrews();
    near_single_runs(ROLLING "simulate until 2\n", "phi'", 5, 9, MECH_METHOD_RK5, 1e-8);
    near_single_runs(WITH_STATE "simulate until 8\n", "k", 2, 6, MECH_METHOD_AUTO, 1e-9);
    same_bits(DOUBLE_PENDULUM "simulate until 2\n", "a", 0.2, 2, MECH_METHOD_RK5);
    same_bits(FOUR_BAR "simulate until 1\n", "l4", 0.31, 0.36, MECH_METHOD_AUTO);
    closed_forms();
    spikes();
    refusals();
    made_whole();
    return check_report();
}
