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
