/* Mechanician on the same problems: generated code, guards of rank on. */
#include "rival.h"

#include <mech/lang.h>
#include <mech/motion.h>

#include <string.h>

typedef struct run {
    mech_diagnostics *diagnostics;
    mech_model *model;
    mech_system *system;
    mech_motion_code *code;
    mech_eval *eval;
    mech_sizes k;
    double *q, *v, *qdd;
} run;

static int open_run(run *r, const char *path, double N)
{
    const mech_override sizes[2] = {{"N", N}, {"l", 1}};
    mech_read_options reading;
    mech_motion_settings settings;
    memset(r, 0, sizeof *r);
    mech_read_options_default(&reading, sizeof reading);
    mech_motion_settings_default(&settings, sizeof settings);
    reading.overrides = sizes;
    reading.override_count = N > 0 ? 2 : 0;
    settings.native = MECH_NATIVE_ON;
    r->diagnostics = mech_diagnostics_create();
    if (mech_read_file(path, &reading, r->diagnostics, &r->model) != MECH_OK ||
        mech_system_from_model(r->model, r->diagnostics, &r->system) != MECH_OK ||
        mech_motion_code_create(r->system, &settings, &r->code) != MECH_OK ||
        mech_eval_create(r->system, MECH_STORAGE_SPARSE, &r->eval) != MECH_OK ||
        mech_eval_use_motion(r->eval, r->code) != MECH_OK)
        return 0;
    r->k = mech_system_sizes(r->system);
    r->q = calloc(3 * r->k.coords, sizeof *r->q);
    r->v = r->q + r->k.coords;
    r->qdd = r->v + r->k.coords;
    return 1;
}

static void close_run(run *r)
{
    mech_eval_free(r->eval);
    mech_motion_code_free(r->code);
    mech_system_free(r->system);
    mech_model_free(r->model);
    mech_diagnostics_free(r->diagnostics);
    free(r->q);
}

static void accelerate(void *what)
{
    run *r = what;
    mech_motion motion = {.size = sizeof motion, .qdd = r->qdd};
    r->q[0] += 1e-12;
    if (mech_eval_motion(r->eval, 0, r->q, r->v, &motion) != MECH_OK) exit(1);
}

static void andrews(void)
{
    run r;
    if (!open_run(&r, "examples/andrews/model.mech", 0)) exit(1);
    memcpy(r.q, andrews_start, sizeof andrews_start);
    accelerate(&r);
    const double error = fabs(r.qdd[0] / andrews_beta_dd - 1);
    rival_say("andrews", 1, rival_time(accelerate, &r, 0.3), error);
    close_run(&r);
}

/* The same poses as the engines': standing rods at 1.1, the others level; a chain of 0, 0.05, 0.1 by turns.
 */
static void rods(const char *work, const char *path, int N, int is_ladder)
{
    run r;
    if (!open_run(&r, path, N)) exit(1);
    const size_t K = r.k.coords / 3;
    double x = 0, y = 0;
    for (size_t i = 0; i < K; i++) {
        const int stands = is_ladder && i <= (size_t)N;
        const double turn = is_ladder ? (stands ? 1.1 : 0) : 0.05 * fmod((double)i, 3);
        const double from_x = !is_ladder ? x : stands ? (double)i : (double)(i - (size_t)N - 1) + cos(1.1);
        const double from_y = !is_ladder ? y : stands ? 0 : sin(1.1);
        r.q[i] = from_x + 0.5 * cos(turn);
        r.q[K + i] = from_y + 0.5 * sin(turn);
        r.q[2 * K + i] = turn;
        x += cos(turn);
        y += sin(turn);
    }
    rival_say(work, N, rival_time(accelerate, &r, 0.3), NAN);
    close_run(&r);
}

int main(int argc, char **argv)
{
    const int most = argc > 1 ? atoi(argv[1]) : 1000;
    andrews();
    for (int k = 0; k < RIVAL_SIZES && rival_sizes[k] <= most; k++) {
        rods("chain", "examples/chain/model.mech", rival_sizes[k], 0);
        rods("ladder", "examples/four-bar-ladder/model.mech", rival_sizes[k], 1);
    }
    return 0;
}
