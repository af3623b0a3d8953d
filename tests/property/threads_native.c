/* One model, eight threads, each its own run: the same results as one after the other, interpreted and native; eight
   threads that make systems, derivatives, code and reports of one model at the same time; and eight that read, derive
   and compile with one cache. Built with -fsanitize=thread by the preset tsan. */
#include "check.h"

#include <mech/lang.h>
#include <mech/output.h>
#include <mech/simulate.h>

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

enum { THREADS = 8, METHODS = 4 };

static const char text[] =
    "param g = 9.81, mu = 0.3\ncoord x, y, a, b\nmass [x, y] = 1\nkinetic a'^2/2 + b'^2*(1 + cos(a)^2)/2\npotential g*cos(a)\n"
    "force -g on y'\nforce 6*sin(3*t) on x'\ninput push = sin(5*t)\nforce push on b'\nstate w: w' = a - w\nconstraint floor: y = 0\n"
    "event hit: y falls through 0 -> impact floor restitution 1/2\nfriction on floor: mu, along x', static 0.4\n"
    "initial y = 0.2, x' = 0.5, a = 1\noutput both = a + w\nsimulate until 2, points 41\n";
static const char smooth[] =
    "param l = 1, g = 9.81\ncoord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\npotential g*y + (z - x)^2\n"
    "constraint rod: x^2 + y^2 = l^2\nconstraint again: sqrt(x^2 + y^2) = l\nstate w: w' = x - w\n"
    "initial x = l, z' = 1/2\nsimulate until 2, points 41\n";
static const mech_method methods[METHODS] = {MECH_METHOD_RK8, MECH_METHOD_RK5, MECH_METHOD_BDF, MECH_METHOD_ADAMS};

typedef struct job {
    const mech_model *model;
    const mech_system *system;
    const mech_motion_code *code; /* NULL: the full solve */
    const char *text, *cache;
    int with_code, is_busy; /* is_busy: makes other things of the model first */
    uint64_t sum[METHODS];  /* of every bit of every row */
    int failed;
} job;

static uint64_t add(uint64_t sum, const double *row, size_t count)
{
    const unsigned char *byte = (const unsigned char *)row;
    for (size_t i = 0; i < count * sizeof *row; i++) sum = (sum ^ byte[i]) * UINT64_C(0x100000001b3);
    return sum;
}

static uint64_t run(job *j, mech_method method)
{
    uint64_t sum = UINT64_C(0xcbf29ce484222325);
    mech_sim_settings settings;
    mech_sim_settings_default(&settings, sizeof settings);
    settings.method = method;
    settings.rtol = 1e-7;
    mech_sim *sim;
    mech_status status = mech_sim_create(j->system, &settings, &sim);
    if (status == MECH_OK) status = mech_sim_start(sim);
    if (status == MECH_OK && j->code) status = mech_sim_use_motion(sim, j->code);
    if (status == MECH_OK) status = mech_sim_run(sim);
    if (status == MECH_OK) {
        const mech_trajectory *t = mech_sim_trajectory(sim);
        for (size_t i = 0; i < mech_trajectory_rows(t); i++)
            sum = add(sum, mech_trajectory_row(t, i), mech_trajectory_columns(t));
    } else j->failed = 1;
    mech_sim_free(sim);
    return sum;
}

static void *run_all(void *user)
{
    job *j = user;
    for (int k = 0; k < METHODS; k++) j->sum[k] = run(j, methods[k]);
    return NULL;
}

static const mech_system_options with_derivatives = {.size = sizeof with_derivatives, .with_derivatives = 1};

static mech_status make_code(const mech_system *system, mech_native native, const char *cache, mech_motion_code **code)
{
    mech_motion_settings settings;
    mech_motion_settings_default(&settings, sizeof settings);
    settings.native = native;
    settings.with_power = 1;
    settings.cache = cache;
    return mech_motion_code_create(system, &settings, code);
}

/* Derived, compiled and run in one thread. */
static void *from_the_model(void *user)
{
    job *j = user;
    mech_diagnostics *d = mech_diagnostics_create();
    mech_system *system = NULL, *other = NULL;
    mech_motion_code *code = NULL;
    char *report = NULL;
    mech_status status = MECH_OK;
    if (j->is_busy) status = mech_system_from_model(j->model, d, &other);
    if (j->is_busy && status == MECH_OK) status = mech_report_equations(j->model, NULL, &report);
    if (status == MECH_OK) status = mech_system_create(j->model, &with_derivatives, d, &system);
    if (status == MECH_OK && j->with_code) status = make_code(system, MECH_NATIVE_ON, j->cache, &code);
    if (code && !mech_motion_code_info(code).is_native) status = MECH_ERR_UNSUPPORTED;
    j->system = system;
    j->code = code;
    if (status == MECH_OK) run_all(j);
    else j->failed = 1;
    mech_motion_code_free(code);
    mech_system_free(system);
    mech_system_free(other);
    mech_text_free(report);
    mech_diagnostics_free(d);
    return NULL;
}

/* All of it in one thread. */
static void *from_the_text(void *user)
{
    job *j = user;
    mech_diagnostics *d = mech_diagnostics_create();
    mech_model *model = NULL;
    const mech_status status = mech_read_text("test", j->text, strlen(j->text), NULL, d, &model);
    j->model = model;
    if (status == MECH_OK) from_the_model(j);
    else j->failed = 1;
    mech_model_free(model);
    mech_diagnostics_free(d);
    return NULL;
}

static size_t compared;

/* Once alone, then eight at once. */
static void compare(const char *what, job base, void *(*work)(void *))
{
    job alone = base, jobs[THREADS];
    pthread_t threads[THREADS];
    work(&alone);
    CHECK(!alone.failed);
    for (int i = 0; i < THREADS; i++) {
        jobs[i] = base;
        jobs[i].is_busy = i % 2;
        CHECK(pthread_create(&threads[i], NULL, work, &jobs[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++) {
        CHECK(pthread_join(threads[i], NULL) == 0);
        CHECK(!jobs[i].failed && memcmp(jobs[i].sum, alone.sum, sizeof alone.sum) == 0);
        compared += METHODS;
    }
    if (check_failures) fprintf(stderr, "%s\n", what);
}

static void shared(const char *what, const char *model_text, int native, const char *cache)
{
    mech_diagnostics *d = mech_diagnostics_create();
    mech_model *model = NULL;
    mech_system *system = NULL;
    mech_motion_code *code = NULL;
    mech_status status = mech_read_text("test", model_text, strlen(model_text), NULL, d, &model);
    if (status == MECH_OK) status = mech_system_create(model, &with_derivatives, d, &system);
    if (status == MECH_OK && native >= 0)
        status = make_code(system, native ? MECH_NATIVE_ON : MECH_NATIVE_OFF, cache, &code);
    CHECK(status == MECH_OK);
    if (status == MECH_OK) {
        if (native > 0) CHECK(mech_motion_code_info(code).is_native);
        compare(what, (job){.system = system, .code = code}, run_all);
        const size_t size = mech_pool_size(mech_model_pool(model));
        compare(what, (job){.model = model, .cache = cache, .with_code = native > 0}, from_the_model);
        CHECK(mech_pool_size(mech_model_pool(model)) == size);
    }
    mech_motion_code_free(code);
    mech_system_free(system);
    mech_model_free(model);
    mech_diagnostics_free(d);
}

int main(void)
{
    char cache[256], command[300];
    const char *base = getenv("TMPDIR");
    snprintf(cache, sizeof cache, "%s/mech-test.XXXXXX", base ? base : "/tmp");
    CHECK(mkdtemp(cache) != NULL);
    shared("full solve", text, -1, cache);
    shared("full solve, redundant", smooth, -1, cache);
    shared("plan", smooth, 0, cache);
    shared("native", smooth, 1, cache);
    snprintf(command, sizeof command, "rm -rf '%s'/*", cache);
    CHECK(system(command) == 0); /* so that all eight have to compile */
    compare("from the text, interpreted", (job){.text = text, .cache = cache}, from_the_text);
    job job_native = {.text = smooth, .cache = cache, .with_code = 1}, first = job_native;
    pthread_t threads[THREADS];
    job jobs[THREADS];
    for (int i = 0; i < THREADS; i++) { /* eight at once before any has put it into the cache */
        jobs[i] = job_native;
        CHECK(pthread_create(&threads[i], NULL, from_the_text, &jobs[i]) == 0);
    }
    for (int i = 0; i < THREADS; i++) CHECK(pthread_join(threads[i], NULL) == 0 && !jobs[i].failed);
    from_the_text(&first);
    for (int i = 0; i < THREADS; i++, compared += METHODS) CHECK(memcmp(jobs[i].sum, first.sum, sizeof first.sum) == 0);
    snprintf(command, sizeof command, "rm -rf '%s'", cache);
    CHECK(system(command) == 0);
    printf("figure: runs in eight threads at once: %zu, the same bits as one after the other\n", compared);
    return check_report();
}
