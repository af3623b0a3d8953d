/* The end of a step by generated code: residuals, the changes that remove them, energy and the acceleration
   come from one call. What is not clear there, and now and then a step that is, takes the full way. */
#include "simulate/sim.h"
#include "motion/visit.h"

#include <math.h>
#include <string.h>

enum { MOST_CALLS = 4, FULL_EVERY = 32 };
static const double MARGIN_FALLS = 0.9;

static int may_end_fast(const mech_sim *s)
{
    return s->onto.fast.uses_motion && s->onto.fast.has_check && !s->onto.fast.misses_rank &&
           !s->singular.projects_stages && !s->dyn.has_singular_mass &&
           s->settings.stabilize == MECH_STABILIZE_PROJECT && s->rows == s->m && s->m > 0 && !sim_hides_ends(s) &&
           !s->given_rows.exist;
}

/* The largest residual over the rows in force, and whether all are within their leeway. */
static double largest(const mech_sim *s, const unsigned char *mask, const double *r, const double *leeway, int *is_met)
{
    double most = 0;
    *is_met = 1;
    for (size_t i = 0; i < s->m; i++) {
        if (!mask[i]) continue;
        most = fmax(most, fabs(r[i]));
        *is_met &= fabs(r[i]) <= leeway[i];
    }
    return most;
}

/* y onto the constraints, and its rate there; 1: done, with what the last call gave. */
static int project(mech_sim *s, double t, double *y, double *ydot, mech_motion_check *check)
{
    unsigned flags;
    for (int call = 0; call < MOST_CALLS; call++) {
        int position_is_met, velocity_is_met;
        const int is_sure = sim_move_at_once(s, t, y, ydot, check, &flags);
        if (flags == 0) s->onto.fast.has_check = 0; /* its code has none */
        if (!is_sure || !(flags & MECH_MOTION_CHECKED)) return 0;
        const double position = largest(s, s->onto.holonomic, check->r, s->leeway.row, &position_is_met);
        const double velocity = largest(s, s->onto.velocity, check->r_dot, s->leeway.rate, &velocity_is_met);
        if (!isfinite(position + velocity) || !isfinite(check->h)) return 0;
        if (call == 0) sim_audit_drift(s, position, velocity);
        if (position_is_met && velocity_is_met) return 1;
        if (call == 2 && sim_set_point(s, t, y) == MECH_OK) sim_leeway_look(s); /* the terms may have grown */
        const double *change = position_is_met ? check->dv : check->dq;
        double *x = position_is_met ? y + s->n : y;
        if (!change) return 0;
        for (size_t i = 0; i < s->n; i++) x[i] += change[i];
        s->info.projections += !position_is_met;
    }
    return 0;
}

int sim_rank_is_due(mech_sim *s, double margin)
{
    const int is_first = s->onto.fast.least_margin == 0, is_lower = margin < MARGIN_FALLS * s->onto.fast.least_margin;
    if (++s->onto.fast.steps < FULL_EVERY && !is_first && !is_lower) return 0;
    if (is_first || margin < s->onto.fast.least_margin) s->onto.fast.least_margin = margin;
    s->onto.fast.steps = 0;
    return 1;
}

mech_status sim_end_fast(mech_sim *s, int *is_done)
{
    SIM_SCRATCH(s);
    sim_stepper *st = s->stepper;
    double *ydot = sim_take_state(s);
    mech_motion_check check;
    *is_done = s->onto.fast.is_end = 0;
    if (!may_end_fast(s)) return MECH_OK;
    memcpy(s->y, st->y, s->ny * sizeof(double));
    if (!project(s, st->t, s->y, ydot, &check)) {
        memcpy(s->y, st->y, s->ny * sizeof(double));
        return MECH_OK;
    }
    *is_done = s->onto.fast.is_end = 1;
    st->ops->replace(st, s->y, ydot);
    s->t = st->t;
    sim_audit_note(s, check.r, check.r_dot, check.h, check.kinetic, s->y[s->ny - 1]);
    s->info.energy_last = check.h;
    sim_judge_step(s);
    if (!sim_rank_is_due(s, check.margin)) return MECH_OK;
    MECH_TRY(sim_accelerate(s, s->t, s->y));
    sim_judge_weigh(s);
    return sim_audit_rank(s);
}
