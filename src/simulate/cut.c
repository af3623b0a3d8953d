/* The step that is cut where something happens: it is taken again, to end there. */
#include "simulate/crossings.h"
#include "simulate/resolve.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* The last step again, to t; a step that fails says why: it may have been interrupted. */
static mech_status end_at(mech_sim *s, double t)
{
    return s->stepper->ops->end_at(s->stepper, t) == SIM_STEPPED ? MECH_OK : sim_why(s);
}

/* How far before t a kink's function has a side for certain: one that is flat there, as beside an extremum, passes 0
   within its rounding for a while. */
static double hair_before(mech_sim *s, size_t k, double t, double value)
{
    const double most = fmin(TOL_KINK_GAP * sim_span(s), t - s->stepper->t_old);
    const double rounding = 4 * DBL_EPSILON * s->events.watch[k].largest;
    double hair = 2 * sim_event_width(s);
    while (fabs(value) <= rounding && 2 * hair < most && sim_value_within(s, k, t - hair, &value) == 0 &&
           fabs(value) <= rounding)
        hair *= 2;
    return hair;
}

/* A step that ends on a kink must not see beyond it: it ends a hair before, and sim_events_act crosses. */
static mech_status end_before(mech_sim *s, size_t k, double t, double value, double slope)
{
    const double gap = slope != 0 ? fabs(value / slope) : 0, hair = hair_before(s, k, t, value);
    s->kink.gap = fmin(gap, TOL_KINK_GAP * sim_span(s)) + 2 * hair;
    const double before = t - s->kink.gap + hair;
    return s->events.watch[k].sign * value > 0 || before <= s->stepper->t_old ? MECH_OK : end_at(s, before);
}

/* What rows in force miss on the dense output at t. */
static sim_misses misses_at(mech_sim *s, double t)
{
    SIM_SCRATCH(s);
    double *y = sim_take_state(s);
    if (s->stepper->ops->dense(s->stepper, t, y) != 0 || sim_set_point(s, t, y) != MECH_OK) return (sim_misses){0};
    return sim_look_at_misses(s, y);
}

/* Do rows in force ask for another velocity behind t? */
static int has_corner(mech_sim *s, double t)
{
    const double hair = 4 * sim_event_width(s);
    return s->m && misses_at(s, t + hair).rate.part > 10 * misses_at(s, t - hair).rate.part + 1;
}

/* Beside kinks: has nothing fired but friction? */
static int is_friction_alone(const mech_sim *s)
{
    const sim_events *e = &s->events;
    return sim_first_fired(s, 0, e->first_friction) == e->first_friction &&
           sim_first_fired(s, e->first_contact, e->first_switch) == e->first_switch;
}

/* Where a kink is met at t together with something else: does that wait until it is crossed? All does at a kink of the
   clock, or where a constraint has a corner: velocities may jump there, and what lay within the hair across it is seen
   behind it. Friction does at any: the step must not see beyond the kink, where friction is looked at anew. */
static int all_wait(mech_sim *s, size_t kink, double t)
{
    return sim_kink_driver(s, kink) != SWITCH_BY_MOTION || has_corner(s, t);
}

/* Did event k cross at t, and its condition did not hold? It may hold behind a kink. */
static int may_hold_behind(const mech_sim *s, size_t k, double t)
{
    const sim_watch *w = &s->events.watch[k];
    return w->outcome == WATCH_PASSES && sim_has_condition(s, k) && fabs(w->passes_at - t) <= sim_instant_width(s);
}

static int may_some_hold_behind(const mech_sim *s, double t)
{
    for (size_t k = 0; k < s->sizes.events; k++)
        if (may_hold_behind(s, k, t)) return 1;
    return 0;
}

static void put_kinks_first(mech_sim *s, double t)
{
    const size_t kink = sim_switched(s);
    if (kink == SIZE_MAX || !(sim_has_event(s) || may_some_hold_behind(s, t))) return;
    const int all = all_wait(s, kink, t);
    if (all || is_friction_alone(s)) sim_unfire_before(s, s->events.first_switch);
    for (size_t k = 0; k < s->sizes.events && all; k++) {
        sim_watch *w = &s->events.watch[k];
        if (!may_hold_behind(s, k, t)) continue;
        w->sign = s->events.watch_before[k].sign; /* it has not passed yet */
        w->state = s->events.watch_before[k].state;
    }
}

/* What strikes at the same instant to rounding, but was found a sample later, strikes along: it is about to reach 0 at
   the end of the step, where `values` are. */
static void join_strikes(mech_sim *s, const double *values)
{
    const sim_stepper *st = s->stepper;
    double *before = s->events.tried + s->events.count;
    for (size_t k = 0; k < s->sizes.events; k++) {
        sim_watch *w = &s->events.watch[k];
        int holds;
        if (w->outcome == WATCH_FIRED || w->state != WATCH_FREE || w->sign == 0 || !(fabs(values[k]) <= w->floor))
            continue;
        if (!(s->events.does[k] & SIM_STRIKES) || sim_is_idle(s, k) || !sim_is_wanted(s, k, -w->sign)) continue;
        if (sim_values_within(s, st->t - 0.02 * (st->t - st->t_old), before) != 0 ||
            !(w->sign * before[k] > w->sign * values[k]))
            continue;
        if (sim_condition_holds(s, k, st->t, &holds) == MECH_OK && holds) w->outcome = WATCH_FIRED;
    }
}

/* Does the trigger of event k jump at t, as if(x < 1, 0, 1) does? What it changes by within a hair is then most of what
   it changes by near t. Its values on both sides of t: sign(x - 1) is 0 on it. */
static int jumps(mech_sim *s, size_t k, double t, double near, double *before, double *behind)
{
    const double hair = sim_event_width(s);
    double at, far;
    if (k >= s->sizes.events || sim_value_within(s, k, t, &at) != 0 ||
        sim_value_within(s, k, t - 2 * hair, before) != 0 || sim_value_within(s, k, near, &far) != 0)
        return 0;
    *behind = at;
    if (at == 0 && sim_value_within(s, k, t + hair, behind) != 0) return 0;
    return fabs(at - *before) > fabs(at - far) / 2;
}

/* Of what has fired at t: that which jumped over its threshold, and not only by the rounding of 0. Gaps do not. */
static void note_jumps(mech_sim *s, double t, double near)
{
    for (size_t k = 0; k < s->sizes.events; k++) {
        sim_watch *w = &s->events.watch[k];
        double before, behind;
        if (w->outcome != WATCH_FIRED || sim_is_own_event(s, k) || !jumps(s, k, t, near, &before, &behind)) continue;
        if (fabs(behind) > 4 * w->floor) w->jump = JUMP_MET;
    }
}

/* The step again, to t; values there. */
static mech_status end_and_look(mech_sim *s, double t, double *values)
{
    MECH_TRY(end_at(s, t));
    return sim_watch_values(s, t, s->stepper->y, values) == 0 ? MECH_OK : s->log.failure;
}

/* The step again, to the place of a jump and as far beyond as it takes to see it: a step and its interpolant differ a
   little. Methods that end on the interpolant begin the next one within its rounding: a hair beyond, that does not make
   the function jump back. before, behind: its values there. */
static mech_status end_beyond(mech_sim *s, size_t k, double t, double end, double before, double behind, double *values)
{
    double hair = sim_event_width(s);
    if (!s->stepper->ops->step_shorter) t = fmin(t + hair, end);
    for (;; hair *= 2) {
        MECH_TRY(end_and_look(s, t, values));
        if (fabs(values[k] - behind) < fabs(values[k] - before) || t >= end) return MECH_OK;
        t = fmin(t + hair, end);
    }
}

/* The step itself is taken again to end at the event; the root is corrected on steps, not on the interpolant. *is_met:
   a step has come to it, or it jumps. */
static mech_status end_there(mech_sim *s, double t, int *is_met)
{
    sim_stepper *st = s->stepper;
    const double start = st->t_old, end = st->t, width = sim_event_width(s);
    double *values = s->events.tried;
    put_kinks_first(s, t);
    const size_t k = sim_first_fired(s, 0, s->events.count);
    double before, t_before = t - 0.02 * (t - start); /* near by: a bounce may fill a small part of the step */
    double value = 0, slope = 0, side[2];
    if (sim_value_within(s, k, t_before, &before) == 0 && sim_value_within(s, k, t, &value) == 0 && t > t_before)
        slope = (value - before) / (t - t_before);
    const int is_jump = t > t_before && jumps(s, k, t, t_before, &side[0], &side[1]);
    if (t > t_before) note_jumps(s, t, t_before);
    if (is_jump) MECH_TRY(end_beyond(s, k, t, end, side[0], side[1], values));
    *is_met = is_jump;
    for (int i = 0; i < 8 && !is_jump; i++) {
        MECH_TRY(end_and_look(s, t, values));
        const double secant = i > 0 && t != t_before ? (values[k] - value) / (t - t_before) : 0;
        /* by steps: near its turn a function is steep on one side, flat on the other */
        if (secant * slope > 0) slope = secant;
        value = values[k];
        t_before = t;
        const double next = slope != 0 ? t - value / slope : t;
        *is_met = slope != 0 && fabs(next - t) <= width;
        if (!(fabs(next - t) > width) || next <= start || next > end) break;
        if (fabs(next - t) > 0.05 * (t - start)) break; /* not a smooth crossing */
        t = next;
    }
    join_strikes(s, values);
    for (size_t i = 0; i < s->events.count; i++) s->events.watch[i].value = values[i];
    s->events.valued_at = t;
    return k >= s->events.first_switch ? end_before(s, k, t, value, slope) : MECH_OK;
}

/* Do constraints ask for another velocity beside t than steps that are projected from within have there? */
static int is_drawn(mech_sim *s, double t)
{
    const double hair = 4 * sim_event_width(s);
    return s->stepper->projects_itself &&
           (misses_at(s, t - hair).rate.part > 1 || misses_at(s, t + hair).rate.part > 1);
}

/* A step that cannot be taken shorter gives what its interpolant has before a kink, which was drawn by what is behind:
   it is taken anew. It ends before a kink of the clock, whose time is known. One of the motion is met by the short
   steps that a multistep method begins with, which are not projected: to what constraints ask for behind a corner, they
   would be drawn again. Where that is all of a short step, it is crossed as a whole. Other methods are given steps that
   go about as far as the kink, until it lies at the very end of one. *length: of the step anew; 0: it is chosen. */
static int must_step_anew(mech_sim *s, double where, double *length)
{
    const size_t kink = sim_switched(s);
    const int is_multistep = sim_methods[s->method.kind].is_multistep;
    const double whole = s->stepper->t - s->t, part = where - s->t;
    if (s->stepper->ops->step_shorter || kink == SIZE_MAX) return 0;
    if (is_multistep && s->t < s->kink.near_until) return 0;
    if (!is_multistep && (part > 0.999 * whole || part < 16 * sim_event_width(s))) return 0;
    *length = is_multistep ? 0 : fmin(part - 8 * sim_event_width(s), 0.9 * whole);
    if (sim_kink_driver(s, kink) == SWITCH_BY_CLOCK) {
        if (s->kink.ahead.t < HUGE_VAL && s->kink.ahead.number == kink) return 0;
        *length = s->stepper->h_next; /* it ends before the kink, however long */
        s->kink.ahead = (sim_kink){.t = where, .hair = 2 * sim_event_width(s), .number = kink};
    } else if (whole < TOL_KINK_GAP * sim_span(s) && is_drawn(s, where))
        s->kink.ahead = (sim_kink){.t = where, .hair = whole, .number = kink};
    else s->kink.near_until = s->stepper->t;
    return 1;
}

/* The step that was looked through last is none: triggers stand as before it. The next one is to be so long. */
static mech_status step_anew(mech_sim *s, double length)
{
    memcpy(s->events.watch, s->events.watch_before, s->events.count * sizeof *s->events.watch);
    s->events.watched_until = NAN;
    return sim_start_stepper(s, length);
}

/* A step is cut where its interpolant has a crossing, and stages beyond a kink may have drawn that: the cut step has
   then passed what it should have met, or it does not meet what was seen. So it is looked through like any other: up to
   where it is cut nothing happens, and its error is that of a step that stands. *length: of the step that is to be
   tried in its place; 0: the cut stands. */
static mech_status check_cut(mech_sim *s, int is_met, double *length)
{
    const sim_stepper *st = s->stepper;
    const size_t size = s->events.count * sizeof *s->events.watch, unresolved = s->events.unresolved;
    const double whole = st->t - st->t_old, near = 16 * sim_event_width(s);
    double where;
    *length = 0;
    /* where rounding makes the error, no shorter step is taken */
    if (whole <= fmax(1e3 * near, st->problem.floor ? 2 * *st->problem.floor : 0)) return MECH_OK;
    if (st->error > 1) {
        *length = whole / 2;
        return MECH_OK;
    }
    memcpy(s->events.watch_found, s->events.watch, size);
    memcpy(s->events.watch, s->events.watch_before, size);
    s->events.watched_until = NAN;
    MECH_TRY(sim_look_through(s, &where));
    memcpy(s->events.watch, s->events.watch_found, size);
    s->events.watched_until = NAN;
    s->events.unresolved = unresolved;
    if (where < st->t - near) *length = fmax(where - st->t_old, whole / 16);
    else if (!is_met && where == HUGE_VAL && sim_has_event(s)) *length = whole / 2;
    return MECH_OK;
}

mech_status sim_events_look(mech_sim *s, int *found, int *is_void)
{
    double where, length;
    int is_met;
    *found = *is_void = 0;
    if (!sim_needs_watching(s)) return MECH_OK;
    if (s->events.switch_count)
        memcpy(s->events.watch_before, s->events.watch, s->events.count * sizeof *s->events.watch);
    MECH_TRY(sim_look_through(s, &where));
    if (!(where < HUGE_VAL)) return MECH_OK;
    *is_void = must_step_anew(s, where, &length);
    if (*is_void) return step_anew(s, length);
    *found = 1;
    MECH_TRY(end_there(s, where, &is_met));
    if (s->events.switch_count == 0 || !s->stepper->ops->step_shorter) return MECH_OK;
    MECH_TRY(check_cut(s, is_met, &length));
    *is_void = length > 0;
    *found = !*is_void;
    return *is_void ? step_anew(s, length) : MECH_OK;
}
