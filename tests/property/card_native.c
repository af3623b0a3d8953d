/* What runs on a card, without one: the same text as plain C, by the system's compiler, in the place of the card,
   against whole runs; as PTX where NVRTC is found; which models are refused, and which runs are handed on. */
#include "base/mem.h"
#include "base/spawn.h"
#include "ensemble/backend.h"
#include "ensemble/card.h"
#include "support/motion.h"

#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- the host in place of a card ---- */

typedef void (*runs_function)(card_job job);

typedef struct host {
    void *opened;
    runs_function runs;
    card_shape shape;
    int is_stopped;
} host;

static int loads;       /* of programs so far        */
static int fails_after; /* blocks; 0: never          */
static unsigned taken;  /* steps of all runs, so far */
static size_t sent;     /* runs, so far              */

static mech_status host_load(const char *text, size_t length, void **program, char *why)
{
    char path[128];
    snprintf(path, sizeof path, "card_%d_%d.so", (int)getpid(), loads++);
    /* C99: nothing is fused that the text does not fuse */
    const char *const compile[] = {"cc",    "-x", "c",  "-std=c99", "-O1", "-shared", "-fPIC",
                                   "-Wall", "-o", path, "-",        "-lm", NULL};
    host *h = mem_zeroed(1, sizeof *h);
    *program = h;
    if (!h) return MECH_ERR_MEMORY;
    snprintf(why, CARD_REASON, "cc does not compile it");
    char *here = realpath(".", NULL), whole[5000];
    snprintf(whole, sizeof whole, "%s/%s", here, path);
    free(here);
    const mech_status status = spawn_with_input(compile, text, length, "/dev/null");
    CHECK(status == MECH_OK);
    h->opened = dlopen(whole, RTLD_NOW | RTLD_LOCAL);
    (void)unlink(path);
    void *found = h->opened ? dlsym(h->opened, "card_runs") : NULL;
    CHECK(found != NULL);
    memcpy(&h->runs, &found, sizeof found);
    return found ? MECH_OK : MECH_ERR_UNSUPPORTED;
}

static void host_unload(void *of)
{
    host *h = of;
    if (h->opened) dlclose(h->opened);
    mem_free(h);
}

static const char *host_name(const void *program)
{
    (void)program;
    return "host";
}

static mech_status host_open(void *program, const card_shape *shape, void **line, char *why)
{
    (void)why;
    ((host *)program)->shape = *shape;
    *line = program;
    return MECH_OK;
}

static void host_close(void *line) { (void)line; }

static mech_status host_send(void *of, const card_block *b, char *why)
{
    host *h = of;
    static const int stop = 0;
    unsigned long long next = 0;
    const card_job job = {.count = b->count,
                          .start = b->start,
                          .measures = b->measures,
                          .ended = b->ended,
                          .states = b->states,
                          .steps = b->steps,
                          .next = &next,
                          .stop = &stop,
                          .step = b->step,
                          .most_steps = b->most_steps};
    CHECK(b->count <= h->shape.runs);
    if (fails_after && --fails_after == 0) {
        snprintf(why, CARD_REASON, "the card fell off the bus");
        return MECH_ERR_UNSUPPORTED;
    }
    h->runs(job);
    sent += b->count;
    for (size_t k = 0; k < b->count; k++) taken += b->steps[k];
    return MECH_OK;
}

static mech_status host_ask(void *line, int stops, int *is_done, char *why)
{
    (void)line, (void)stops, (void)why;
    *is_done = 1;
    return MECH_OK;
}

static mech_status host_fetch(void *line, const card_block *b, char *why)
{
    (void)line, (void)b, (void)why;
    return MECH_OK;
}

static const card_kind in_place = {.load = host_load,
                                   .unload = host_unload,
                                   .name = host_name,
                                   .open = host_open,
                                   .close = host_close,
                                   .send = host_send,
                                   .ask = host_ask,
                                   .fetch = host_fetch};

/* ---- all runs of a plan, by a backend ---- */

enum { MOST = 64, MOST_MEASURES = 8 };
typedef struct table {
    ensemble_rows rows;
    double values[MOST * 4], measures[MOST * MOST_MEASURES], t[MOST];
    unsigned char is_choice[MOST * MOST_MEASURES];
    mech_status status[MOST];
    char *reason[MOST];
    size_t handed_on;
} table;
static table on_card, on_host, beside;

static volatile sig_atomic_t never;

static ensemble_job job_of(const mech_plan *plan, double rtol, double step)
{
    ensemble_job job = {.plan = plan, .step = step, .stops = &never};
    mech_sim_settings_default(&job.run, sizeof job.run);
    job.run.keep_trajectory = job.run.rows_at_events = 0;
    job.run.output_points = 2;
    job.run.rtol = rtol;
    job.run.atol = 1e-3 * rtol;
    job.columns = mech_plan_columns(plan);
    job.measures = mech_system_sizes(plan->system).measures;
    return job;
}

static mech_status make(const ensemble_job *job, const ensemble_backend *by, void *shared, double shift, table *to)
{
    void *worker = NULL;
    for (size_t k = 0; k < to->rows.count; k++) free(to->reason[k]);
    memset(to, 0, sizeof *to);
    to->rows = (ensemble_rows){.count = mech_plan_runs(job->plan),
                               .values = to->values,
                               .measures = to->measures,
                               .is_choice = to->is_choice,
                               .t = to->t,
                               .status = to->status,
                               .reason = to->reason};
    CHECK(to->rows.count <= MOST && job->columns <= 4 && job->measures <= MOST_MEASURES);
    for (size_t k = 0; k < to->rows.count; k++) {
        mech_plan_point(job->plan, k, to->values + k * job->columns);
        for (size_t i = 0; i < job->columns; i++) to->values[k * job->columns + i] *= 1 + shift;
    }
    mech_status status = by->create(job, shared, &worker);
    if (status == MECH_OK) status = by->run_block(worker, &to->rows);
    if (by->handed_on) to->handed_on = by->handed_on(worker);
    by->free(worker);
    return status;
}

/* Runs on the card beside whole runs: within 100 rtol K, K how much what is measured grows a change of what varies. */
static void compare(const char *name, const mech_plan *plan, void *shared, double rtol, size_t may_be_whole)
{
    const ensemble_job job = job_of(plan, rtol, 0), exact = job_of(plan, 1e-12, 0);
    const double shift = 1e-6;
    CHECK(make(&job, &ensemble_cuda, shared, 0, &on_card) == MECH_OK);
    CHECK(make(&exact, &ensemble_threads, NULL, 0, &on_host) == MECH_OK);
    CHECK(make(&exact, &ensemble_threads, NULL, shift, &beside) == MECH_OK);
    double worst = 0;
    for (size_t k = 0; k < on_card.rows.count; k++) {
        CHECK(on_card.status[k] == MECH_OK && on_host.status[k] == MECH_OK);
        CHECK_NEAR(on_card.t[k], on_host.t[k], 1e-12);
        CHECK(memcmp(on_card.is_choice + k * job.measures, on_host.is_choice + k * job.measures, job.measures) == 0);
        for (size_t i = 0; i < job.measures; i++) {
            const double is = on_card.measures[k * job.measures + i], should = on_host.measures[k * job.measures + i];
            const double growth = fabs(beside.measures[k * job.measures + i] - should) / shift;
            worst = fmax(worst, fabs(is - should) / (rtol * fmax(fmax(growth, fabs(should)), 1)));
        }
    }
    printf("%-12s off by %5.2f rtol K, %zu of %zu runs whole\n", name, worst, on_card.handed_on, on_card.rows.count);
    CHECK(worst < 100);
    CHECK(on_card.handed_on <= may_be_whole);
}

static mech_plan *plan_of(const motion *m, const char *name, double a, double b, size_t count)
{
    mech_plan *plan = NULL;
    CHECK(mech_plan_create(m->system, &plan) == MECH_OK);
    CHECK(mech_plan_vary(plan, name, MECH_SPREAD_GRID, a, b, count) == MECH_OK);
    return plan;
}

static void model(const char *name, const char *text, const char *varies, double a, double b, size_t may_be_whole)
{
    motion m;
    if (!motion_read(&m, text)) return;
    mech_plan *plan = plan_of(&m, varies, a, b, 7);
    char why[CARD_REASON] = "";
    void *shared = NULL;
    const ensemble_job job = job_of(plan, 1e-6, 0);
    CHECK(card_begin(&in_place, &job, &shared, why) == MECH_OK);
    if (!shared) printf("%s: %s\n", name, why);
    for (double rtol = 1e-6; shared && rtol > 1e-10; rtol *= 1e-3) compare(name, plan, shared, rtol, may_be_whole);
    if (shared) ensemble_cuda.end(shared);
    mech_plan_free(plan);
    motion_free(&m);
}

static const char angles[] = "param m2 = 1, l2 = 1, g = 9.81\n"
                             "coord th1, th2\n"
                             "let r1 = [sin(th1), -cos(th1)]\n"
                             "let r2 = r1 + l2*[sin(th2), -cos(th2)]\n"
                             "kinetic dot(r1', r1')/2 + m2/2*dot(r2', r2')\n"
                             "potential g*r1[2] + m2*g*r2[2]\n"
                             "initial th1 = 1, th2 = 0.5\n"
                             "measure high: max of r2[2]\n"
                             "measure low: min of th1\n"
                             "measure mid: mean of th2\n"
                             "measure size: rms of th2'\n"
                             "measure last: final of th2\n"
                             "simulate until 3\n";
static const char cartesian[] = "param m = 1, l = 1\n"
                                "coord x1, y1, x2, y2\n"
                                "kinetic (x1'^2 + y1'^2)/2 + m/2*(x2'^2 + y2'^2)\n"
                                "potential 9.81*y1 + m*9.81*y2\n"
                                "constraint upper: x1^2 + y1^2 = 1\n"
                                "constraint lower: (x2 - x1)^2 + (y2 - y1)^2 = l^2\n"
                                "guess x1 = 1, y1 = -1, x2 = 2, y2 = -1\n"
                                "measure pull: max of lambda(lower)\n"
                                "measure fall: min of y2\n"
                                "measure jerk: mean of y2''\n"
                                "measure last: final of x2\n"
                                "simulate until 3\n";
static const char disk[] = "param m = 3.43, r = 0.26, w = 1.3\n"
                           "coord psi, theta, phi, x, y\n"
                           "let lean = rotz(psi)*rotx(theta)\n"
                           "let centre = [x, y, 0] + r*lean*[0, 0, 1]\n"
                           "let s = [theta', phi' + psi'*sin(theta), psi'*cos(theta)]\n"
                           "kinetic m/2*dot(centre', centre') + dot(s, m*r^2/4*diag([1, 2, 1])*s)/2\n"
                           "potential m*9.81*centre[3]\n"
                           "constraint rolling: [x', y'] = r*phi'*[cos(psi), sin(psi)]\n"
                           "initial psi = 0.3, theta = 0.1, phi' = w, psi' = 0.2\n"
                           "measure tip: max of theta\n"
                           "measure way: final of x\n"
                           "measure spin: mean of phi'\n"
                           "simulate until 0.5\n";
static const char driven[] = "param k = 4, d = 0.3\n"
                             "coord x\n"
                             "input push = sin(3*t)\n"
                             "kinetic x'^2/2\n"
                             "potential k/2*x^2\n"
                             "state w: w' = x - w\n"
                             "force push + w - d*x' on x'\n"
                             "initial x = 1\n"
                             "measure far: max of x\n"
                             "measure power: mean of push*x'\n"
                             "measure last: final of w\n"
                             "simulate until 10\n";
/* both rods of a parallelogram and one more: a row depends on the others */
static const char redundant[] = "param l = 1\n"
                                "coord x, y, a\n"
                                "kinetic (x'^2 + y'^2)/2 + a'^2/2\n"
                                "potential 9.81*y\n"
                                "constraint left: [x, y] = l*[sin(a), -cos(a)]\n"
                                "constraint right: x = l*sin(a)\n"
                                "initial a = 1\n"
                                "measure low: min of y\n"
                                "measure last: final of a\n"
                                "simulate until 2\n";
/* a wheel on a rail that turns: rows of positions and of velocities together */
static const char mixed[] = "param w = 2\n"
                            "coord x, y, z, a\n"
                            "kinetic (x'^2 + y'^2 + z'^2)/2 + a'^2/20\n"
                            "potential 9.81*z\n"
                            "constraint bowl: z = (x^2 + y^2)/2\n"
                            "constraint roll: x' = a'/5\n"
                            "initial x = 0.5, y = 0.2, y' = w\n"
                            "measure up: max of z\n"
                            "measure last: final of y\n"
                            "simulate until 2\n";

static void models(void)
{
    model("angles", angles, "m2", 0.5, 2, 0);
    model("cartesian", cartesian, "l", 0.7, 1.3, 0);
    model("disk", disk, "w", 1, 3, 0);
    model("driven", driven, "k", 2, 8, 0);
    model("redundant", redundant, "l", 0.5, 2, 0);
    model("mixed", mixed, "w", 1, 3, 0);
}

/* Two rows that say the same carry the weight m g together, whatever each of them does: its share is marked, on the
   card as by whole runs, and the sum is not. */
static void choices(void)
{
    motion m;
    char why[CARD_REASON] = "";
    void *shared = NULL;
    if (!motion_read(&m, "param m = 1\ncoord x, y\nkinetic m/2*(x'^2 + y'^2)\npotential m*9.81*y\n"
                         "constraint floor: y = 0\nconstraint again: 2*y = 0\ninitial x' = 1\n"
                         "measure share: max of lambda(floor)\n"
                         "measure both: max of lambda(floor) + 2*lambda(again)\nsimulate until 1\n"))
        return;
    mech_plan *plan = plan_of(&m, "m", 1, 3, 3);
    const ensemble_job job = job_of(plan, 1e-6, 0);
    CHECK(card_begin(&in_place, &job, &shared, why) == MECH_OK);
    if (!shared) return;
    CHECK(make(&job, &ensemble_cuda, shared, 0, &on_card) == MECH_OK);
    CHECK(make(&job, &ensemble_threads, NULL, 0, &on_host) == MECH_OK);
    CHECK(on_card.handed_on == 0);
    for (size_t k = 0; k < 3; k++) {
        CHECK_NEAR(on_card.measures[2 * k + 1], 9.81 * (double)(k + 1), 1e-9);
        CHECK_NEAR(on_host.measures[2 * k + 1], 9.81 * (double)(k + 1), 1e-9);
        CHECK(on_card.is_choice[2 * k] && !on_card.is_choice[2 * k + 1]);
        CHECK(on_host.is_choice[2 * k] && !on_host.is_choice[2 * k + 1]);
    }
    ensemble_cuda.end(shared);
    mech_plan_free(plan);
    motion_free(&m);
}

/* ---- runs that are handed on ---- */

/* On the card, then whole: the same bytes, since they were made whole. */
static void handed_on(const char *text, const char *varies, double a, double b, int may_fail)
{
    motion m;
    char why[CARD_REASON] = "";
    void *shared = NULL;
    if (!motion_read(&m, text)) return;
    mech_plan *plan = plan_of(&m, varies, a, b, 3);
    ensemble_job job = job_of(plan, 1e-6, 0);
    job.run.max_steps = 1000;
    CHECK(card_begin(&in_place, &job, &shared, why) == MECH_OK);
    if (!shared) return;
    CHECK(make(&job, &ensemble_cuda, shared, 0, &on_card) == MECH_OK);
    CHECK(make(&job, &ensemble_threads, NULL, 0, &on_host) == MECH_OK);
    CHECK(on_card.handed_on == 3);
    if (on_card.handed_on != 3) printf("%zu of 3 handed on:\n%s", on_card.handed_on, text);
    for (size_t k = 0; k < 3; k++) {
        CHECK(on_card.status[k] == on_host.status[k] && (on_card.status[k] == MECH_OK || may_fail));
        CHECK(!on_card.reason[k] == !on_host.reason[k]);
        if (on_card.reason[k]) CHECK(strcmp(on_card.reason[k], on_host.reason[k]) == 0);
        CHECK(on_card.status[k] != MECH_OK || on_card.measures[k] == on_host.measures[k]);
        CHECK(on_card.status[k] == MECH_OK || (isnan(on_card.measures[k]) && on_card.reason[k]));
    }
    ensemble_cuda.end(shared);
    mech_plan_free(plan);
    motion_free(&m);
}

static void in_doubt(void)
{
    /* crank and rod of one length: where the crank stands up both rows say the same */
    handed_on("param w = 1\ncoord x, y, s\nkinetic (x'^2 + y'^2 + s'^2)/2\n"
              "constraint crank: x^2 + y^2 = 1\nconstraint rod: (s - x)^2 + y^2 = 1\n"
              "initial x = 0.6, s = 1.2, s' = -w\nguess y = 0.8\nmeasure last: final of s\nsimulate until 2\n",
              "w", 1, 2, 0);
    /* no mass where it starts: the guard of the mass */
    handed_on("param k = 1\ncoord x, y\nkinetic (x' + y')^2/2\npotential k*(x^2 + y^2)/2\nconstraint stay: y = x/2\n"
              "initial x = 1\nmeasure last: final of x\nsimulate until 1\n",
              "k", 1, 2, 0);
    /* more steps than it may take */
    handed_on("param k = 4\ncoord x\nkinetic x'^2/2\npotential k/2*x^2\ninitial x = 1\n"
              "measure last: final of x\nsimulate until 1000\n",
              "k", 4, 9, 1);
    /* x'' = 2 x^3 with x' = x^2: x = 1/(1 - t), gone at t = 1 */
    handed_on("param a = 2\ncoord x\nkinetic x'^2/2\nforce a*x^3 on x'\ninitial x = 1, x' = 1\n"
              "measure last: final of x\nsimulate until 2\n",
              "a", 2, 3, 1);
    /* a start that cannot be */
    handed_on("param a = -1\ncoord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint ring: x^2 + y^2 = a\n"
              "guess x = 1\nmeasure last: final of x\nsimulate until 1\n",
              "a", -2, -1, 1);
}

/* A card that fails ends it, with words; the sweep keeps what was handed out. */
static void lost(void)
{
    motion m;
    char why[CARD_REASON] = "";
    void *shared = NULL;
    if (!motion_read(&m, angles)) return;
    mech_plan *plan = plan_of(&m, "m2", 1, 2, 3);
    const ensemble_job job = job_of(plan, 1e-6, 0);
    CHECK(card_begin(&in_place, &job, &shared, why) == MECH_OK);
    if (!shared) return;
    fails_after = 1;
    CHECK(make(&job, &ensemble_cuda, shared, 0, &on_card) == MECH_ERR_UNSUPPORTED);
    CHECK(strcmp(ensemble_cuda.explain(shared), "the card fell off the bus") == 0);
    ensemble_cuda.end(shared);
    mech_plan_free(plan);
    motion_free(&m);
}

/* A spike much narrower than a step falls between the points that a card looks at: such a model is refused. A slow
   sine, and a hill as wide as the motion, are taken. */
static void narrow_measures(void)
{
    static const struct {
        const char *measure;
        int is_taken;
    } cases[] = {{"max of exp(-((x - 0.3123)/1e-4)^2)", 0},
                 {"mean of 1/(1 + ((x - 0.3123)/1e-4)^2)", 0},
                 {"max of exp(-(x - 0.3)^2)", 1},
                 {"min of sin(2*x)", 1},
                 {"max of x", 1}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        motion m;
        char text[300], why[CARD_REASON] = "";
        void *shared = NULL;
        snprintf(text, sizeof text,
                 "param k = 4\ncoord x\nkinetic x'^2/2\npotential k/2*x^2\ninitial x = 1\nmeasure m: %s\n"
                 "simulate until 3\n",
                 cases[k].measure);
        if (!motion_read(&m, text)) return;
        mech_plan *plan = plan_of(&m, "k", 4, 9, 3);
        const ensemble_job job = job_of(plan, 1e-6, 0);
        CHECK(card_begin(&in_place, &job, &shared, why) == (cases[k].is_taken ? MECH_OK : MECH_ERR_UNSUPPORTED));
        CHECK((strstr(why, "changes within a small part of a step") != NULL) == !cases[k].is_taken);
        if (shared) ensemble_cuda.end(shared);
        mech_plan_free(plan);
        motion_free(&m);
    }
}

/* Equal steps: order 4, by the end of an oscillator that is known, x = cos(w t). */
static void equal_steps(void)
{
    motion m;
    char why[CARD_REASON] = "";
    double off[2] = {0, 0}, peak[2] = {0, 0};
    if (!motion_read(&m, "param k = 4\ncoord x\nkinetic x'^2/2\npotential k/2*x^2\ninitial x = 1\n"
                         "measure last: final of x\nmeasure low: min of x\nmeasure mid: mean of x^2\n"
                         "simulate until 3\n"))
        return;
    mech_plan *plan = plan_of(&m, "k", 4, 9, 3);
    for (int turn = 0; turn < 2; turn++) {
        const ensemble_job job = job_of(plan, 1e-9, turn ? 0.01 : 0.02);
        void *shared = NULL;
        CHECK(card_begin(&in_place, &job, &shared, why) == MECH_OK);
        if (!shared) return;
        taken = 0;
        CHECK(make(&job, &ensemble_cuda, shared, 0, &on_card) == MECH_OK && on_card.handed_on == 0);
        CHECK(taken == (turn ? 900 : 450));
        for (size_t k = 0; k < 3; k++) {
            const double w = sqrt(on_card.values[k]), t = 3;
            off[turn] = fmax(off[turn], fabs(on_card.measures[3 * k] - cos(w * t)));
            peak[turn] = fmax(peak[turn], fabs(on_card.measures[3 * k + 1] + 1));
            CHECK_NEAR(on_card.measures[3 * k + 2], 0.5 + sin(2 * w * t) / (4 * w * t), 1e-6);
        }
        ensemble_cuda.end(shared);
    }
    CHECK(off[0] / off[1] > 14 && off[0] / off[1] < 18);
    CHECK(peak[1] < 1e-7);
    const ensemble_job job = job_of(plan, 1e-9, 0.01);
    const ensemble_backend *by = NULL;
    void *shared = NULL;
    CHECK(ensemble_choose(MECH_ON_THREADS, &job, &by, &shared, why) == MECH_ERR_UNSUPPORTED && strstr(why, "equal"));
    mech_plan_free(plan);
    motion_free(&m);
}

/* ---- starts ---- */

#define SWINGS(own)                                                                                                    \
    "param l = " own "\ncoord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint rod: x^2 + y^2 = l^2\n"      \
    "guess x = 0.6, y = 0.8, x' = 0.8, y' = -0.6\nmeasure high: max of x\nmeasure last: final of y\n"                  \
    "simulate until 1\n"

/* A model whose own start is on the constraints has its starts tried as they are written, and those that are moved
   assembled and sent once more; one whose own is not, assembled at once: the same runs, to the last bit. */
static void starts(void)
{
    static const char *const texts[] = {SWINGS("1"), SWINGS("1.4")};
    double measured[2][14];
    for (int k = 0; k < 2; k++) {
        motion m;
        char why[CARD_REASON] = "";
        void *shared = NULL;
        if (!motion_read(&m, texts[k])) return;
        mech_plan *plan = plan_of(&m, "l", 0.7, 1.3, 7);
        const ensemble_job job = job_of(plan, 1e-9, 0);
        sent = 0;
        CHECK(card_begin(&in_place, &job, &shared, why) == MECH_OK);
        CHECK(make(&job, &ensemble_cuda, shared, 0, &on_card) == MECH_OK && on_card.handed_on == 0);
        CHECK(sent == (k == 0 ? 7 + 6 : 7)); /* l = 1 is right as it is written */
        memcpy(measured[k], on_card.measures, sizeof measured[k]);
        CHECK(make(&job, &ensemble_threads, NULL, 0, &on_host) == MECH_OK);
        for (size_t i = 0; i < 14; i++) CHECK_NEAR(on_card.measures[i], on_host.measures[i], 1e-6);
        ensemble_cuda.end(shared);
        mech_plan_free(plan);
        motion_free(&m);
    }
    CHECK(memcmp(measured[0], measured[1], sizeof measured[0]) == 0);
}

/* ---- which models ---- */

static void refused(const char *statements, const char *words)
{
    char text[1000], why[CARD_REASON] = "";
    motion m;
    mech_sim_settings settings;
    mech_sim_settings_default(&settings, sizeof settings);
    snprintf(text, sizeof text, "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n%s\n", statements);
    if (!motion_read(&m, text)) return;
    CHECK(!card_serves(m.system, &settings, why));
    if (!strstr(why, words)) printf("%s: %s\n", statements, why);
    CHECK(strstr(why, words) != NULL);
    motion_free(&m);
}

static void refusals(void)
{
    refused("event low: y falls through 0 -> stop", "there are events (low)");
    refused("constraint floor: y >= 0", "one-sided");
    refused("constraint line: y = x\nfriction on line: 0.3, along x'", "friction");
    refused("force -abs(x') on x'", "the equations have kinks (abs(x')");
    refused("measure far: max of abs(x)", "a measure has a kink");
    refused("actuator x'\ncontrol go: x = t", "control");
    refused("simulate until 1, method bdf", "the method is not rk5 (bdf)");
    refused("stabilize excess B = 10, K = 100\nconstraint line: y = x", "excess");
    motion m;
    char why[CARD_REASON] = "";
    mech_sim_settings settings;
    mech_sim_settings_default(&settings, sizeof settings);
    settings.method = MECH_METHOD_BDF;
    if (!motion_read(&m, angles)) return;
    CHECK(!card_serves(m.system, &settings, why) && strstr(why, "the method is not rk5 (bdf)"));
    settings.method = MECH_METHOD_RK5;
    CHECK(card_serves(m.system, &settings, why));
    motion_free(&m);
}

/* ---- by NVRTC ---- */

static void as_ptx(const char *name, const char *text, int is_fixed)
{
    motion m;
    char why[CARD_REASON] = "", *code = NULL;
    if (!motion_read(&m, text)) return;
    card_source source = {.system = m.system, .projects = 1, .is_fixed = is_fixed};
    CHECK(card_source_make(&source) == MECH_OK);
    const mech_status status = card_compile(source.text.data, "compute_80", &code, why);
    if (strstr(why, "was not found")) printf("%s: skipped, %s\n", name, why);
    else {
        CHECK(status == MECH_OK && strstr(code, ".entry card_runs"));
        if (status != MECH_OK) printf("%s: %s\n", name, why);
    }
    mem_free(code);
    text_free(&source.text);
    motion_free(&m);
}

int main(void)
{
    models();
    choices();
    in_doubt();
    lost();
    equal_steps();
    narrow_measures();
    starts();
    refusals();
    as_ptx("cartesian", cartesian, 0);
    as_ptx("driven", driven, 1);
    return check_report();
}
