/* Triggers that jump over their thresholds: by what happened at the same instant, a kink, or what a caller changed. */
#include "simulate/sim.h"
#include "system/bounds.h"

#include <math.h>

static int side_of(double value, double floor) { return fabs(value) <= floor ? 0 : value > 0 ? 1 : -1; }

/* Which way it jumped over its threshold, from where it was seen last to this value: 1 upwards, -1 downwards, 0: it did
   not. A jump passes a threshold that it begins or ends on, as the reaction of a contact that is 0 while it is open;
   what moves on smoothly does not. */
static int way_of_jump(mech_sim *s, size_t k, double value)
{
    const sim_watch *w = &s->events.watch[k];
    const double jump = value - w->value, floor = fmax(w->floor, TOL_FLOOR_OWN * fmax(w->largest, fabs(value)));
    if (!(fabs(jump) > floor) || !isfinite(jump)) return 0;
    const int from = w->sign * w->value < -floor ? w->sign : side_of(w->value, floor), to = side_of(value, floor);
    if (from == to) return 0;
    if (from == 0 || to == 0) {
        const double ahead = sim_change_ahead(s, k, value);
        if (sim_watch_values(s, s->t, s->y, s->events.tried) != 0) return 0;
        if (!(fabs(jump) > 10 * fabs(ahead))) return 0;
    }
    return to > from ? 1 : -1;
}

mech_status sim_events_passed(mech_sim *s)
{
    const double *values = s->events.values;
    /* what was seen at the start of a step has moved since, and is no place to jump from */
    const int is_seen_here = fabs(s->t - s->events.valued_at) <= 2 * s->kink.gap;
    if (s->sizes.events == 0) return MECH_OK;
    MECH_TRY(sim_watch_here(s));
    for (size_t k = 0; k < s->sizes.events; k++) {
        sim_watch *w = &s->events.watch[k];
        if (sim_is_idle(s, k)) continue;
        int way = is_seen_here ? way_of_jump(s, k, values[k]) : 0;
        if (way == 0 && sim_has_crossed(w, values[k])) way = -w->sign;
        if (way == 0) continue;
        w->outcome = sim_sets_off(s, k, way) ? WATCH_FIRED : WATCH_QUIET;
        if (w->outcome == WATCH_QUIET) w->sign = way;
    }
    (void)sim_fire_jumped(s);
    return MECH_OK;
}

static void see_errors(mech_sim *s, size_t count)
{
    int some = 0;
    for (size_t k = 0; k < count; k++)
        some |= s->events.watch[k].state == WATCH_HELD && fabs(s->events.values[k]) > s->events.watch[k].floor;
    for (size_t k = 0; k < count; k++) s->events.values[k + s->events.count] = HUGE_VAL;
    if (some) sim_probe_triggers(s, s->events.values, 1, s->events.values + s->events.count);
}

/* Own events of contacts look at gaps, which do not jump; velocities do, and which of those are beyond is seen where
   contacts are settled (touch.c). */
static size_t jumping_count(const mech_sim *s) { return s->sizes.events - s->sizes.contacts; }

/* Triggers at s->t, s->y, where no motion comes by: no part of the account. 0: they have no values. */
static int look_beside(mech_sim *s, double *values)
{
    const mech_sim_info info = s->info;
    const sim_singular singular = s->singular;
    const mech_status trouble = s->log.failure;
    const int is_known = sim_watch_values(s, s->t, s->y, values) == 0;
    s->info = info;
    s->singular = singular;
    s->log.failure = trouble;
    return is_known;
}

void sim_see_before_set(mech_sim *s)
{
    const size_t count = jumping_count(s);
    double *before = s->events.tried;
    if (count == 0 || look_beside(s, before)) return;
    for (size_t k = 0; k < count; k++) before[k] = (double)NAN;
}

void sim_see_after_set(mech_sim *s, int all)
{
    const size_t count = jumping_count(s);
    const double *before = s->events.tried, *values = s->events.values;
    const int is_known = count > 0 && look_beside(s, s->events.values);
    for (size_t k = 0; k < count; k++) {
        sim_watch *w = &s->events.watch[k];
        const double moved = is_known ? values[k] - before[k] : (double)NAN;
        if (moved == 0 || w->outcome == WATCH_FIRED || (!all && system_trigger_answers(s->system, k))) continue;
        w->value += moved;
        if (!(fabs(moved) <= w->floor)) w->sign = 0; /* the side it was on says nothing any more */
    }
}

mech_status sim_see_jumps(mech_sim *s)
{
    const size_t count = jumping_count(s);
    if (count == 0) return MECH_OK;
    MECH_TRY(sim_watch_here(s));
    see_errors(s, count);
    for (size_t k = 0; k < count; k++) {
        sim_watch *w = &s->events.watch[k];
        if (w->outcome == WATCH_FIRED) continue;
        /* what rows held at its threshold, as the speed of what friction holds, is let go by an impact where it is
           farther from there than errors of steps explain */
        const int is_let_go = fabs(s->events.values[k]) > s->events.values[k + s->events.count];
        if (w->state == WATCH_HELD ? !is_let_go : sim_is_idle(s, k)) continue;
        const int way = way_of_jump(s, k, s->events.values[k]);
        w->jump = way != 0 && sim_sets_off(s, k, way) ? JUMP_SEEN : JUMP_NONE;
    }
    return MECH_OK;
}

int sim_fire_jumped(mech_sim *s)
{
    int some = 0;
    for (size_t k = 0; k < s->sizes.events; k++) {
        sim_watch *w = &s->events.watch[k];
        if (w->jump != JUMP_SEEN) continue;
        w->outcome = WATCH_FIRED;
        w->jump = JUMP_FIRED;
        some = 1;
    }
    return some;
}
