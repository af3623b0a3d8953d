/* Many runs: lanes against single runs by native code, microseconds a trajectory; the ways measured in turns, the least
   of each, in processor time. All with the measures of a sweep. Then how much sooner two threads are done: it means
   something where nothing else runs. */
#include <mech/ensemble.h>
#include <mech/lang.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 5 };

typedef struct subject {
    const char *name, *path, *measures, *vary;
    double from, to, rtol;
    size_t runs;
} subject;

static const subject subjects[] = {
    {"double pendulum", "examples/double-pendulum/model.mech",
     "measure high: max of theta2\nmeasure middle: mean of theta1\n", "theta1", 0.2, 1.2, 1e-9, 512},
    {"four-bar of SymPy", "examples/four-bar-sympy/model.mech",
     "measure high: max of q1'\nmeasure middle: mean of q2\n", "l4", 0.33, 0.36, 1e-9, 512},
    {"Andrews", "examples/andrews/model.mech", "measure high: max of beta\nmeasure middle: mean of Theta\n", "mom",
     0.03, 0.035, 1e-9, 128},
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

static void compare(const subject *s)
{
    mech_diagnostics *diagnostics = mech_diagnostics_create();
    mech_model *model;
    mech_system *system;
    mech_plan *plan;
    char *text = text_of(s);
    must(mech_read_text(s->path, text, strlen(text), NULL, diagnostics, &model), s->path);
    must(mech_system_from_model(model, diagnostics, &system), s->path);
    mech_motion_code *code = native_code(system);
    must(mech_plan_create(system, &plan), s->name);
    must(mech_plan_vary(plan, s->vary, MECH_SPREAD_GRID, s->from, s->to, s->runs), s->name);
    for (int pair = 0; pair < 2; pair++) {
        const mech_method method = pair ? MECH_METHOD_RK8 : MECH_METHOD_RK5;
        way ways[] = {
            {MECH_ON_THREADS, 1, method, 0, 0}, {MECH_ON_LANES, 1, method, 0, 0}, {MECH_ON_LANES, 2, method, 0, 0}};
        for (int round = 0; round < ROUNDS; round++)
            for (size_t k = 0; k < sizeof ways / sizeof *ways; k++) measure(s, plan, code, &ways[k]);
        const double each = 1e6 / (double)s->runs;
        printf("%-18s %-4s %10.1f %10.1f %10.3f %12.2f\n", s->name, mech_method_word(method), each * ways[0].least,
               each * ways[1].least, ways[1].least / ways[0].least, ways[1].wall / ways[2].wall);
    }
    mech_plan_free(plan);
    mech_motion_code_free(code);
    mech_system_free(system);
    mech_model_free(model);
    mech_diagnostics_free(diagnostics);
    free(text);
}

int main(void)
{
    printf("microseconds a trajectory, rtol 1e-9, one thread; aim: lanes / single at most 0.5\n");
    printf("%-18s %-4s %10s %10s %10s %12s\n", "model", "pair", "single", "lanes", "ratio", "2 threads");
    for (size_t k = 0; k < sizeof subjects / sizeof *subjects; k++) compare(&subjects[k]);
    return 0;
}
