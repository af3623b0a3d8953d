/* The interpreter against generated code, for small models: nanoseconds per acceleration and state, the ways
   measured in turns, minima and medians. Native twice: with its own vector sine, and with the C library's
   (which the aim of at most four times speaks of). Lanes: 32 states at once, per state. */
#include <mech/lanes.h>
#include <mech/lang.h>
#include <mech/simulate.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { WAYS = 4, ROUNDS = 41, STATES = 256, CALLS = 2000 };

typedef struct subject {
    mech_model *model;
    mech_diagnostics *diagnostics;
    mech_system *system;
    mech_motion_code *codes[3]; /* native, native with the library's sine, interpreter */
    mech_eval *evals[3];
    mech_lanes *lanes;
    mech_sizes k;
    double *q, *v, *qdd, *lambda; /* of one state, then of STATES */
} subject;

static double now(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

static void must(mech_status status, const char *what)
{
    if (status == MECH_OK) return;
    fprintf(stderr, "%s: %s\n", what, mech_status_text(status));
    exit(1);
}

/* A compiler that knows of no fused operation, so that the code takes the library's sine. */
static const char *plain_compiler(void)
{
    static char path[] = "/tmp/mech-bench-XXXXXX";
    static char script[64];
    if (script[0]) return script;
    if (!mkdtemp(path)) exit(1);
    snprintf(script, sizeof script, "%s/cc", path);
    FILE *f = fopen(script, "w");
    if (!f) exit(1);
    fprintf(f, "#!/bin/sh\nexec cc \"$@\" -U__FMA__\n");
    fclose(f);
    if (chmod(script, 0700) != 0) exit(1);
    return script;
}

static void open_subject(subject *s, const char *path)
{
    memset(s, 0, sizeof *s);
    s->diagnostics = mech_diagnostics_create();
    must(mech_read_file(path, NULL, s->diagnostics, &s->model), path);
    must(mech_system_from_model(s->model, s->diagnostics, &s->system), path);
    for (int way = 0; way < 3; way++) {
        mech_motion_settings set;
        mech_motion_settings_default(&set, sizeof set);
        set.native = way == 2 ? MECH_NATIVE_OFF : MECH_NATIVE_ON;
        set.cache = "";
        set.compiler = way == 1 ? plain_compiler() : NULL;
        must(mech_motion_code_create(s->system, &set, &s->codes[way]), path);
        must(mech_eval_create(s->system, MECH_STORAGE_SPARSE, &s->evals[way]), path);
        must(mech_eval_use_motion(s->evals[way], s->codes[way]), path);
        if (way < 2 && !mech_motion_code_info(s->codes[way]).is_native) fprintf(stderr, "%s: no native code\n", path);
    }
    must(mech_lanes_create(s->codes[2], STATES, &s->lanes), path);
    s->k = mech_system_sizes(s->system);
    s->q = calloc((3 * s->k.coords + s->k.rows + 1) * (STATES + 1), sizeof *s->q);
    s->v = s->q + s->k.coords * (STATES + 1);
    s->qdd = s->v + s->k.coords * (STATES + 1);
    s->lambda = s->qdd + s->k.coords * (STATES + 1);
    mech_sim *sim = NULL; /* all states beside the model's own start, as in an ensemble */
    must(mech_sim_create(s->system, NULL, &sim), path);
    must(mech_sim_start(sim), path);
    for (size_t j = 0; j <= STATES; j++)
        for (size_t i = 0; i < s->k.coords; i++) {
            const size_t at = j == 0 ? i : s->k.coords + i * STATES + j - 1;
            s->q[at] = mech_sim_q(sim)[i] + 1e-3 * fmod(0.37 * (double)(j + i), 1);
            s->v[at] = mech_sim_v(sim)[i] + 0.1 + 0.2 * fmod(0.73 * (double)(j + i), 1);
        }
    mech_sim_free(sim);
}

static void close_subject(subject *s)
{
    mech_lanes_free(s->lanes);
    for (int way = 0; way < 3; way++) {
        mech_eval_free(s->evals[way]);
        mech_motion_code_free(s->codes[way]);
    }
    mech_system_free(s->system);
    mech_model_free(s->model);
    mech_diagnostics_free(s->diagnostics);
    free(s->q);
}

/* seconds per state */
static double measure(subject *s, int way)
{
    double sum = 0;
    const double start = now();
    if (way == 3) {
        const mech_lanes_states states = {.size = sizeof states, .q = s->q + s->k.coords, .v = s->v + s->k.coords};
        for (int i = 0; i < CALLS / STATES + 1; i++)
            must(mech_lanes_motion(s->lanes, &states, s->qdd + s->k.coords, NULL, NULL, NULL), "lanes");
        return (now() - start) / (double)(CALLS / STATES + 1) / STATES;
    }
    mech_motion motion = {.size = sizeof motion, .qdd = s->qdd, .lambda = s->lambda};
    for (int i = 0; i < CALLS; i++) {
        s->q[0] += 1e-9;
        must(mech_eval_motion(s->evals[way], 0, s->q, s->v, &motion), "motion");
        sum += s->qdd[0];
    }
    return isfinite(sum) ? (now() - start) / CALLS : (double)INFINITY;
}

static int ascending(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;
    return (a > b) - (a < b);
}

static void line(const char *name)
{
    char path[128];
    subject s;
    double times[WAYS][ROUNDS];
    snprintf(path, sizeof path, "examples/%s/model.mech", name);
    open_subject(&s, path);
    for (int r = 0; r < ROUNDS; r++)
        for (int way = 0; way < WAYS; way++) times[way][r] = 1e9 * measure(&s, way);
    for (int way = 0; way < WAYS; way++) qsort(times[way], ROUNDS, sizeof(double), ascending);
    for (int kind = 0; kind < 2; kind++) {
        const int at = kind ? ROUNDS / 2 : 0;
        const double own = times[0][at], library = times[1][at], tape = times[2][at], lanes = times[3][at];
        printf("%-20s %-7s %8.0f %8.0f %11.0f %8.0f %12.2f %12.2f %12.2f %12.2f\n", kind ? "" : name,
               kind ? "median" : "least", own, library, tape, lanes, tape / library, tape / own, lanes / own,
               lanes / library);
    }
    close_subject(&s);
}

int main(void)
{
    printf("interpreter: ns per acceleration\n%-20s %-7s %8s %8s %11s %8s %12s %12s %12s %12s\n", "", "", "native",
           "libm", "interpreter", "lanes", "interp/libm", "interp/nat", "lanes/nat", "lanes/libm");
    const char *const models[] = {"andrews",           "four-bar-sympy", "double-pendulum",
                                  "elliptic-pendulum", "rolling-disk",   "knife-edge"};
    for (size_t i = 0; i < sizeof models / sizeof *models; i++) line(models[i]);
    char *script = strdup(plain_compiler());
    unlink(script);
    *strrchr(script, '/') = 0;
    rmdir(script);
    free(script);
    return 0;
}
