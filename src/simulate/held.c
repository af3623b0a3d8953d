/* Triggers that the rows in force hold where they are: what such a one does is rounding and drift. */
#include "simulate/sim.h"

#include <math.h>
#include <string.h>

typedef struct trial {
    double dt, far, fast; /* steps of time, of coordinates, of velocities */
} trial;

/* What triggers change by between there and back, into `change`, along a velocity that moves every coordinate by about
   `far` in dt, of signs and sizes that depend on `which`; with_rows: one that the rows allow. */
static int change_along(mech_sim *s, const trial *x, int which, int with_rows, double *change)
{
    SIM_SCRATCH(s);
    double *y = sim_take_state(s), *moving = sim_take_state(s), *values = s->events.tried;
    memset(change, 0, s->sizes.events * sizeof *change);
    memcpy(moving, s->y, s->ny * sizeof *moving);
    for (size_t i = 0; i < s->n; i++) moving[s->n + i] = x->far / x->dt * cos(1 + which + 2.4 * (double)i);
    if (with_rows && sim_project_velocity(s, s->t, moving, 0) != MECH_OK) return 0;
    for (int way = 1; way >= -1; way -= 2) {
        const double t = s->t + way * x->dt;
        memcpy(y, s->y, s->ny * sizeof *y);
        for (size_t i = 0; i < s->n; i++) {
            y[i] += way * x->dt * moving[s->n + i];
            y[s->n + i] += way * x->fast * sin(2 + which + 1.7 * (double)i);
        }
        if (with_rows && sim_project_velocity(s, t, y, 0) != MECH_OK) return 0;
        if (sim_watch_values(s, t, y, values) != 0) return 0;
        for (size_t k = 0; k < s->sizes.events; k++) change[k] += way * values[k];
    }
    return 1;
}

void sim_find_held(mech_sim *s, const double *values, const double *rounding)
{
    enum { TRIALS = 2 };
    double *bound = s->events.tried + s->events.count, *freely = bound + s->events.count;
    int some = 0, has_rows = 0;
    for (size_t i = 0; i < s->rows; i++) has_rows |= s->onto.velocity[i];
    for (size_t k = 0; k < s->sizes.events; k++) {
        sim_watch *w = &s->events.watch[k];
        w->state = has_rows && fabs(values[k]) <= fmax(TOL_AT_ZERO * w->largest, rounding[k]) ? WATCH_HELD : WATCH_FREE;
        some |= w->state == WATCH_HELD;
    }
    if (!some) return;
    const mech_sim_info before = s->info; /* what is tried is no part of the account */
    const double span = sim_span(s);
    double q = TOL_TRIAL_REACH * sim_reach_most(s), v = 0;
    for (size_t i = 0; i < s->n; i++) {
        q = fmax(q, fabs(s->y[i]));
        v = fmax(v, fabs(s->y[s->n + i]));
    }
    const trial x = {.dt = TOL_TRIAL_TIME * span, .far = TOL_TRIAL * q, .fast = TOL_TRIAL * fmax(v, q / span)};
    for (int i = 0; i < TRIALS; i++) {
        const int is_known = change_along(s, &x, i, 0, freely) && change_along(s, &x, i, 1, bound);
        for (size_t k = 0; k < s->sizes.events; k++)
            if (!(is_known && fabs(freely[k]) > 0 && fabs(bound[k]) <= TOL_TRIAL_STILL * fabs(freely[k])))
                s->events.watch[k].state = WATCH_FREE;
    }
    s->info = before;
    s->log.failure = MECH_OK;
    (void)sim_watch_values(s, s->t, s->y, s->events.tried);
}
