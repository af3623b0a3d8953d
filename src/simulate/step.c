/* One step of a run: it is taken, each watcher says where it is to be cut, what stands of it is finished, and what was
   found there acts. */
#include "simulate/spikes.h"
#include "simulate/turns.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* How the equation is found a hair ahead, where the motion is driven. */
static mech_status look_ahead(mech_sim *s)
{
    const double hair = TOL_AHEAD * sim_span(s);
    const int has_rates = s->nz && sim_accelerate(s, s->t, s->y) == MECH_OK;
    SIM_SCRATCH(s);
    double *y = sim_take_state(s);
    memcpy(y, s->y, s->ny * sizeof *y);
    for (size_t i = 0; i < s->n; i++) y[i] += hair * s->y[s->n + i];
    for (size_t i = 0; has_rates && i < s->nz; i++) y[2 * s->n + i] += hair * s->eq->rate[i];
    return sim_accelerate(s, s->t + hair, y);
}

/* Far from 0 the clock may be too coarse for a step that ends before a kink and one that is short enough to cross it;
   and methods that come close to one may find no step across it. *gap: to just beyond it, when there is one at hand;
   its number among the kinks, or SIZE_MAX. */
static size_t kink_at_hand(mech_sim *s, double *gap)
{
    SIM_SCRATCH(s);
    const double tick = 2 * DBL_EPSILON * fabs(s->t);
    double *slope = sim_take_state(s), *here = s->events.tried, *there = here + s->events.count;
    double low = 0, high = fmax(64 * tick, TOL_AHEAD * sim_span(s));
    if (s->events.switch_count == 0 || sim_rhs(s, s->t, s->y, slope) != 0) return SIZE_MAX;
    if (sim_values_along(s, slope, 0, here) != 0 || sim_values_along(s, slope, high, there) != 0) return SIZE_MAX;
    size_t k = s->events.first_switch;
    while (k < s->events.count && !(here[k] * there[k] < 0)) k++;
    if (k == s->events.count) return SIZE_MAX;
    while (high - low > 2 * tick) {
        const double middle = low + (high - low) / 2;
        if (sim_values_along(s, slope, middle, there) != 0) return SIZE_MAX;
        if (here[k] * there[k] < 0) high = middle;
        else low = middle;
    }
    *gap = high + 4 * tick;
    return k - s->events.first_switch;
}

static mech_status fail_step(mech_sim *s, sim_step_result result)
{
    /* steps cut short before a value that is not finite end in any of the results; the value is what to say */
    const int has_failed =
        (result == SIM_RHS_FAILED && s->log.failure != MECH_OK) || s->log.failure == MECH_ERR_NOT_FINITE;
    const mech_status why = s->log.failure;
    if (s->stepper->lacks_memory) return sim_fail_at(s, MECH_ERR_MEMORY);
    if (has_failed && why != MECH_ERR_SINGULAR_MASS) return sim_fail_at(s, why);
    const mech_status ahead = look_ahead(s);
    if (sim_is_lost_mass(ahead)) return sim_fail_at(s, ahead); /* a mass that is just 0 is less to say than one below */
    if (has_failed) return sim_fail_at(s, why);
    if (ahead == MECH_ERR_NOT_FINITE) return sim_fail_at(s, ahead);
    const size_t worst = s->stepper->worst;
    char where[160] = "";
    if (worst < 2 * s->n) snprintf(where, sizeof where, "; the error is largest in %s", s->assembly->names[worst]);
    return sim_fail(s, MECH_ERR_INTEGRATION, "at t = %.10g: %s%s", s->t,
                    result != SIM_STEP_TOO_SMALL /* or a derivative that has no value */
                        ? "the implicit equations of a step have no solution in reach"
                        : "the step became too small for the clock",
                    where);
}

/* Does the drift ask for a projection? Methods that lose their history by it (Adams) wait until the drift is
   larger than their own error; rows of the trajectory are projected all the same. */
static int must_project(mech_sim *s)
{
    const double *y = s->stepper->y;
    if (s->settings.stabilize != MECH_STABILIZE_PROJECT || s->rows == 0 || s->stepper->projects_itself) return 0;
    if (!s->stepper->restarts_on_replace) return 1;
    if (sim_set_point(s, s->stepper->t, y) != MECH_OK) return 0;
    double phi, phi_dot, psi;
    sim_largest_residuals(s, s->eq->r, s->eq->r_dot, &phi, &phi_dot, &psi);
    sim_audit_drift(s, phi, fmax(phi_dot, psi));
    const sim_misses misses = sim_look_at_misses(s, y);
    return misses.phi.part > 1 || misses.rate.part > 1;
}

/* After a step (or the part of it before an event): rows, projection, account. */
static mech_status finish(mech_sim *s, int found)
{
    sim_stepper *st = s->stepper;
    int is_done = 0;
    MECH_TRY(sim_leeway_follow(s, st->t, st->y));
    s->record.follow.looked_until = st->t_old;
    MECH_TRY(sim_rows_due(s));
    MECH_TRY(sim_measure_step(s));
    MECH_TRY(sim_delays_step(s));
    if (!found) MECH_TRY(sim_end_fast(s, &is_done));
    if (is_done) return MECH_OK;
    memcpy(s->y, st->y, s->ny * sizeof(double));
    if (st->projects_itself) sim_audit_drift(s, s->audit.step_phi, s->audit.step_velocity);
    /* at a kink the velocity asked for may be that behind it: sim_pass_kink looks */
    if (found ? s->settings.stabilize == MECH_STABILIZE_PROJECT && sim_has_event(s) : must_project(s)) {
        MECH_TRY(sim_project(s, st->t, s->y));
        sim_audit_drift(s, s->audit.drift_phi, s->audit.drift_velocity);
        st->ops->replace(st, s->y, NULL);
    }
    s->t = st->t;
    MECH_TRY(sim_audit_step(s));
    if (!found) MECH_TRY(sim_path_step(s)); /* else what happens here may change it */
    if (s->dyn.is_sparse) MECH_TRY(sim_sparse_follow(s));
    if (s->unique.is_due && s->rows) {
        MECH_TRY(sim_accelerate(s, s->t, s->y));
        MECH_TRY(sim_check_unique(s, 0));
    }
    if (s->given_rows.exist) {
        MECH_TRY(sim_accelerate(s, s->t, s->y));
        MECH_TRY(sim_check_given(s));
    }
    if (s->sizes.frictions == 0) return MECH_OK;
    sim_friction_follow(s);
    return sim_friction_check(s);
}

/* Where the next step has to end by what is known before it is taken. */
typedef struct limit {
    double t;
    double gap;  /* to beyond a point of an input or a kink of the clock that lies there; 0: nothing does */
    size_t kink; /* its number; SIZE_MAX: a point's                                                       */
} limit;

/* An input given by points has a kink at each: steps end a hair before, and the next begins a hair after. So at a kink
   that is known. */
static limit next_limit(const mech_sim *s)
{
    const double point = s->sizes.inputs ? eval_next_point(s->eval, s->t, 0) : HUGE_VAL, held = s->advance.held_until,
                 end = held < s->advance.end - sim_rounding(s->advance.end) ? held : s->advance.end;
    const int is_kink = s->kink.ahead.t < point;
    const double t = is_kink ? s->kink.ahead.t : point,
                 hair = fmax(is_kink ? s->kink.ahead.hair : TOL_HAIR * sim_span(s), sim_rounding(t));
    const double known = s->t + s->delays.least; /* so far delayed values are; what differs by rounding is the end */
    limit next = {.t = known < end - sim_rounding(known) ? known : end,
                  .kink = is_kink ? s->kink.ahead.number : SIZE_MAX};
    if (!(t - hair < next.t)) return next;
    next.t = fmax(t - hair, s->t);
    next.gap = t + hair - next.t;
    return next;
}

static mech_status pass_point(mech_sim *s, double gap, size_t kink)
{
    s->kink.gap = gap;
    return sim_pass_kink(s, kink, sim_step_behind(s));
}

/* What the solve says of M a hair ahead, where it is no longer definite, with its coordinate. */
static mech_status lose_mass(mech_sim *s)
{
    return sim_is_lost_mass(look_ahead(s)) ? s->log.failure : sim_remember(s, MECH_ERR_NOT_DEFINITE);
}

/* The last step was cut off where a mass is lost: what stands of it is finished as far as M allows. */
static mech_status finish_loss(mech_sim *s)
{
    if (s->stepper->t <= s->t) return lose_mass(s);
    const mech_status status = finish(s, 0);
    if (status != MECH_OK && !sim_is_recoverable(status)) return status;
    s->t = s->stepper->t;
    memcpy(s->y, s->stepper->y, s->ny * sizeof(double));
    sim_keep_good(s);
    return lose_mass(s);
}

/* What takes a step anew, shorter, before anyone looks through it. */
static sim_step_result (*const shorten[])(mech_sim *) = {sim_keep_sight, sim_keep_branch, sim_keep_way, sim_keep_load};

/* Control begins to ask what friction holds to move: from where it is clear that it does, within a hair, that slides.
   */
static mech_status pull_away(mech_sim *s, sim_step_result result)
{
    const mech_status why = s->log.failure;
    double gap = fmax(128 * DBL_EPSILON * fabs(s->t), TOL_TICKS * sim_span(s));
    while (gap <= TOL_AHEAD * sim_span(s) && sim_accelerate(s, s->t + gap, s->y) == MECH_OK) gap *= 4;
    if (!sim_is_held_back(s, s->log.failure)) {
        s->log.failure = why;
        return fail_step(s, result);
    }
    s->log.failure = MECH_OK;
    return pass_point(s, gap, SIZE_MAX);
}

/* Where there is no room for a step before a kink, that is passed in its place. */
static mech_status pass_or_fail(mech_sim *s, sim_step_result result)
{
    if (result == SIM_RHS_FAILED && sim_is_held_back(s, s->log.failure)) return pull_away(s, result);
    const size_t near = result != SIM_RHS_FAILED ? kink_at_hand(s, &s->kink.gap) : SIZE_MAX;
    return near != SIZE_MAX ? sim_pass_kink(s, near, 0) : fail_step(s, result);
}

/* Nothing is looked for inside a fixed step; it ends where a row, a sample or a held value is due. */
static mech_status step_fixed(mech_sim *s)
{
    const double row = sim_next_row(s), held = fmin(s->advance.held_until, s->advance.end);
    const sim_step_result result = s->stepper->ops->step(s->stepper, row > s->t ? fmin(row, held) : held);
    return result == SIM_STEPPED ? finish(s, 0) : fail_step(s, result);
}

mech_status sim_step(mech_sim *s)
{
    int is_gone = 0, found = 0, is_void = 0;
    s->log.failure = MECH_OK;
    s->audit.step_phi = s->audit.step_velocity = 0;
    if (s->method.kind == SIM_MOREAU) return step_fixed(s);
    if (s->kink.gap_left > 0) return pass_point(s, s->kink.gap_left, s->kink.gap_kink);
    const limit next = next_limit(s);
    if (next.gap > 0 && next.t <= s->t) return pass_point(s, next.gap, next.kink);
    sim_load_begin(s);
    sim_step_result result = s->stepper->ops->step(s->stepper, sim_before_turn(s, next.t));
    for (size_t k = 0; k < sizeof shorten / sizeof *shorten && result == SIM_STEPPED; k++) result = shorten[k](s);
    if (result != SIM_STEPPED) return pass_or_fail(s, result);
    /* each watcher says whether it is to be cut, and where */
    MECH_TRY(sim_mass_look(s, &is_gone));
    if (!is_gone || s->stepper->t > s->t) MECH_TRY(sim_events_look(s, &found, &is_void));
    if (is_void) return MECH_OK; /* it does not stand: it is to be taken anew */
    if (is_gone && !found) return finish_loss(s);
    MECH_TRY(finish(s, found));
    const int is_before = next.gap > 0 && s->t >= next.t; /* a point or a kink, known before */
    if (found || is_before) sim_keep_good(s);
    if (found) return sim_events_act(s);
    if (is_before) return pass_point(s, next.gap, next.kink);
    return sim_follow_stiffness(s);
}

/* Steps that all but stand still would go on for ever: a hundred thousand of them within a millionth of what is asked
   for, or within a ten thousandth when they began at a kink, onto which both sides drive the motion. */
mech_status sim_guard_against_standstill(mech_sim *s)
{
    enum { MOST = 100000 };
    const double at_kink_width = TOL_STANDSTILL_KINK * s->advance.length;
    const int at_kink = s->events.kinks.count && s->t - s->events.kinks.since <= at_kink_width;
    if (sim_count_within(s, &s->events.strides, at_kink ? at_kink_width : TOL_STANDSTILL * s->advance.length) <= MOST)
        return MECH_OK;
    const mech_status ahead = look_ahead(s);
    if (sim_is_lost_mass(ahead)) return s->log.failure;
    if (ahead == MECH_ERR_NOT_FINITE) return sim_fail_at(s, ahead);
    return sim_blame(
        s, MECH_ERR_INTEGRATION, "%d steps took the clock only %.2g on%s: no step of %s resolves what happens here%s",
        (int)MOST, s->t - s->events.strides.since,
        at_kink ? ", at a kink that the motion is driven onto from both sides" : "", sim_methods[s->method.kind].name,
        at_kink ? ". Dry friction is `friction on`, which can hold; other switches need a width" : "");
}
