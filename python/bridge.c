#include <mech/mech.h>

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "bridge.h"

struct bridge_rhs {
    mech_eval *eval;
    mech_instant *instant;
    size_t n, states;
    int uses_code;
};

bridge_rhs *bridge_rhs_create(const mech_system *system, mech_eval *eval, mech_instant *instant, int uses_code)
{
    bridge_rhs *rhs = malloc(sizeof *rhs);
    const mech_sizes sizes = mech_system_sizes(system);
    if (rhs) *rhs = (bridge_rhs){eval, instant, sizes.coords, sizes.states, uses_code};
    return rhs;
}

void bridge_rhs_free(bridge_rhs *rhs) { free(rhs); }

static mech_status by_instant(const bridge_rhs *rhs, double t, const double *y, double *y_dot)
{
    mech_instant_input at;
    mech_instant_input_default(&at, sizeof at);
    at.t = t;
    at.q = y;
    at.v = y + rhs->n;
    at.z = rhs->states ? y + 2 * rhs->n : NULL;
    at.skip_diagnosis = 1;
    const mech_status status = mech_instant_solve(rhs->instant, &at);
    if (status != MECH_OK) return status;
    memcpy(y_dot + rhs->n, mech_instant_get(rhs->instant)->qdd, rhs->n * sizeof *y);
    if (rhs->states)
        memcpy(y_dot + 2 * rhs->n, mech_eval_equation(mech_instant_eval(rhs->instant))->rate, rhs->states * sizeof *y);
    return MECH_OK;
}

mech_status bridge_rhs_at(const bridge_rhs *rhs, double t, const double *y, double *y_dot)
{
    const size_t n = rhs->n;
    memcpy(y_dot, y + n, n * sizeof *y);
    if (!rhs->uses_code) return by_instant(rhs, t, y, y_dot);
    if (rhs->states) {
        const mech_status status = mech_eval_set_states(rhs->eval, y + 2 * n);
        if (status != MECH_OK) return status;
    }
    mech_motion motion = {.size = sizeof motion, .qdd = y_dot + n, .rate = rhs->states ? y_dot + 2 * n : NULL};
    return mech_eval_motion(rhs->eval, t, y, y + n, &motion);
}

/* Of the run in the main thread, where signals come. */
static volatile sig_atomic_t *interrupted;

static void on_interrupt(int number) { *interrupted = number; }

mech_status bridge_run(mech_sim *sim, double until, volatile sig_atomic_t *flag, int watches)
{
    void (*before)(int) = SIG_ERR;
    *flag = 0;
    if (watches) {
        interrupted = flag;
        before = signal(SIGINT, on_interrupt);
    }
    const mech_status status = isnan(until) ? mech_sim_run(sim) : mech_sim_advance(sim, until);
    if (before != SIG_ERR) signal(SIGINT, before);
    return status;
}

struct bridge_runs {
    size_t runs, columns, measures;
    char **reason;
    double *numbers;
    int *status;
    int lacks_memory;
    unsigned char *is_choice; /* (measures) */
};

bridge_runs *bridge_runs_create(size_t runs, size_t columns, size_t measures)
{
    bridge_runs *made = malloc(sizeof *made);
    if (!made) return NULL;
    *made =
        (bridge_runs){runs, columns, measures, calloc(runs, sizeof(char *)), NULL, NULL, 0, calloc(measures + 1, 1)};
    if (made->reason && made->is_choice) return made;
    free(made->reason);
    free(made->is_choice);
    free(made);
    return NULL;
}

void bridge_runs_free(bridge_runs *runs)
{
    for (size_t i = 0; runs && i < runs->runs; i++) free(runs->reason[i]);
    if (runs) {
        free(runs->reason);
        free(runs->is_choice);
    }
    free(runs);
}

const char *bridge_runs_reason(const bridge_runs *runs, size_t run) { return runs->reason[run]; }

int bridge_runs_is_choice(const bridge_runs *runs, size_t measure) { return runs->is_choice[measure]; }

static int keep_run(void *user, const mech_ensemble_result *r)
{
    bridge_runs *kept = user;
    double *row = kept->numbers + r->run * (kept->columns + kept->measures);
    memcpy(row, r->values, kept->columns * sizeof *row);
    memcpy(row + kept->columns, r->measures, kept->measures * sizeof *row);
    kept->status[r->run] = (int)r->status;
    for (size_t i = 0; i < kept->measures; i++) kept->is_choice[i] |= r->measure_is_choice[i];
    if (!*r->reason) return 0;
    const size_t size = strlen(r->reason) + 1;
    kept->reason[r->run] = malloc(size);
    kept->lacks_memory = !kept->reason[r->run];
    if (!kept->lacks_memory) memcpy(kept->reason[r->run], r->reason, size);
    return kept->lacks_memory;
}

mech_status bridge_sweep(const mech_plan *plan, mech_ensemble_settings *settings, mech_ensemble_info *info,
                         double *numbers, int *status, bridge_runs *runs, volatile sig_atomic_t *flag, int watches)
{
    void (*before)(int) = SIG_ERR;
    *flag = 0;
    if (watches) {
        interrupted = flag;
        before = signal(SIGINT, on_interrupt);
    }
    runs->numbers = numbers;
    runs->status = status;
    settings->interrupt = flag;
    settings->on_run = keep_run;
    settings->user = runs;
    const mech_status went = mech_ensemble_run(plan, settings, info);
    if (before != SIG_ERR) signal(SIGINT, before);
    return runs->lacks_memory ? MECH_ERR_MEMORY : went;
}
