/* Events: which side of 0 the watched functions are on, at a state. Where in a step to look: resolve.c; where one
   passes 0: crossings.c; the step that ends there: cut.c. */
#include "simulate/resolve.h"

#include <math.h>
#include <string.h>

mech_status sim_events_create(mech_sim *s)
{
    s->events.first_friction = s->sizes.events;
    s->events.first_contact = s->events.first_friction + s->sizes.frictions;
    s->events.first_switch = s->events.first_contact + s->sizes.constraints;
    s->events.switch_count = mech_system_switch_count(s->system);
    s->events.count = s->events.first_switch + s->events.switch_count;
    MECH_TRY(SIM_MAKE_KEPT(s, ARRAY_OF(s->events.watch, s->events.count)));
    MECH_TRY(ARENA_MAKE(&s->memory.arena, ARRAY_OF(s->events.values, 6 * s->events.count),
                        ARRAY_OF(s->events.watch_before, s->events.count),
                        ARRAY_OF(s->events.watch_found, s->events.count), ARRAY_OF(s->events.does, s->sizes.events)));
    s->events.tried = s->events.values + 3 * s->events.count;
    for (size_t k = 0; k < s->sizes.events; k++) {
        const mech_event_info event = mech_system_event(s->system, k);
        for (size_t i = event.first_action; i < event.first_action + event.action_count; i++)
            s->events.does[k] |= (unsigned char)(1u << mech_system_action(s->system, i).kind);
    }
    s->events.watched_until = NAN;
    return sim_resolver_create(s);
}

int sim_needs_watching(const mech_sim *s)
{
    return s->sizes.events || s->sizes.frictions || s->events.switch_count || sim_has_contact(s, CONTACT_CLOSED);
}

/* Does what is watched follow from the solve? Kinks do in laws of reactions alone. */
static int needs_solve(const mech_sim *s)
{
    return s->sizes.events > 0 || sim_friction_needs_reaction(s) || sim_has_contact(s, CONTACT_CLOSED) ||
           (s->events.switch_count && s->dyn.laws_use_reaction);
}

int sim_watch_values(mech_sim *s, double t, const double *y, double *values)
{
    mech_status status;
    if (needs_solve(s)) {
        status = sim_accelerate(s, t, y);
        if (status == MECH_OK) {
            status = dynamics_show(&s->dyn, s->dyn.lambda, s->dyn.total);
            if (status == MECH_ERR_NOT_FINITE) status = MECH_OK; /* looked at one by one */
        }
    } else {
        status = sim_set_point(s, t, y);
        if (status == MECH_OK) sim_gather_rows(s);
    }
    if (status != MECH_OK) return sim_rk_value(sim_remember(s, status));
    for (size_t k = 0; k < s->sizes.events; k++) values[k] = s->eq->trigger[k];
    for (size_t k = 0; k < s->sizes.frictions; k++) values[s->events.first_friction + k] = sim_friction_value(s, k);
    for (size_t c = 0; c < s->sizes.constraints; c++) {
        values[s->events.first_contact + c] = s->contacts.list[c].state == CONTACT_CLOSED
                                                  ? s->contacts.list[c].push * s->dyn.total[sim_normal_row(s, c)]
                                                  : 1;
    }
    if (s->events.switch_count && mech_eval_switches(s->eval, values + s->events.first_switch) != MECH_OK) return -1;
    return 0;
}

mech_status sim_watch_here(mech_sim *s)
{
    return sim_watch_values(s, s->t, s->y, s->events.values) == 0 ? MECH_OK : s->log.failure;
}

size_t sim_first_fired(const mech_sim *s, size_t from, size_t end)
{
    while (from < end && s->events.watch[from].outcome != WATCH_FIRED) from++;
    return from;
}

void sim_unfire_before(mech_sim *s, size_t end)
{
    for (size_t k = 0; k < end; k++)
        if (s->events.watch[k].outcome == WATCH_FIRED) s->events.watch[k].outcome = WATCH_QUIET;
}

static int strikes(const mech_sim *s, size_t k) { return k < s->sizes.events && s->events.does[k] & SIM_STRIKES; }

/* Does it strike, and nothing else, what is in force already? Then nothing is left to strike. */
static int has_struck(const mech_sim *s, size_t k)
{
    if (k >= s->sizes.events || s->events.does[k] != SIM_STRIKES) return 0;
    const mech_event_info event = mech_system_event(s->system, k);
    for (size_t i = event.first_action; i < event.first_action + event.action_count; i++) {
        const mech_action_info action = mech_system_action(s->system, i);
        for (size_t c = 0; c < action.constraint_count; c++)
            if (!sim_is_in_force(s, action.constraints[c])) return 0;
    }
    return 1;
}

/* The side that passages which set the event off come from, as a body that strikes while its trigger stands at 0; 0:
   either. */
static int side_before(const mech_sim *s, size_t k)
{
    const mech_direction d = mech_system_event(s->system, k).direction;
    return d == MECH_DIRECTION_FALLS ? 1 : d == MECH_DIRECTION_RISES ? -1 : 0;
}

double *sim_state_along(mech_sim *s, const double *slope, double x)
{
    double *y = sim_take_state(s);
    for (size_t i = 0; i < s->ny; i++) y[i] = s->y[i] + x * slope[i];
    return y;
}

int sim_values_along(mech_sim *s, const double *slope, double x, double *values)
{
    SIM_SCRATCH(s);
    return sim_watch_values(s, s->t + x, sim_state_along(s, slope, x), values);
}

double sim_change_ahead(mech_sim *s, size_t k, double value)
{
    double *values = s->events.tried;
    const double dt = TOL_SIGN_TIME * sim_span(s);
    SIM_SCRATCH(s);
    double *slope = sim_take_state(s);
    if (sim_rhs(s, s->t, s->y, slope) != 0 || sim_values_along(s, slope, dt, values) != 0) return (double)NAN;
    return isfinite(values[k]) ? values[k] - value : (double)NAN;
}

/* Does the event strike something that sends its trigger back to the side it came from? Not one of the clock. */
static int sends_back(mech_sim *s, size_t k)
{
    if (!strikes(s, k) || sim_is_own_event(s, k)) return strikes(s, k);
    const mech_event_info event = mech_system_event(s->system, k);
    int some = 0;
    for (size_t i = event.first_action; i < event.first_action + event.action_count; i++) {
        const mech_action_info action = mech_system_action(s->system, i);
        for (size_t c = 0; action.kind == MECH_ACTION_IMPACT && c < action.constraint_count && !some; c++)
            some = sim_moves_trigger(s, k, action.constraints[c]);
    }
    return some;
}

/* A function that has just fired stands at 0: its side is taken from where it goes next, except after an
   impact, which sends it back to the side it came from. A `set` may have turned it round. */
static int side_after(mech_sim *s, size_t k, double value)
{
    if (k >= s->sizes.events) return k < s->events.first_switch;
    const int sign = s->events.watch[k].sign;
    if (sends_back(s, k)) return sign;
    return s->events.does[k] & SIM_SETS && sign * sim_change_ahead(s, k, value) > 0 ? sign : 0;
}

/* A trigger that jumps where it strikes, as if(y > 0, 1, -1), is beyond its threshold there and jumps back at once. Its
   direction tells that from a strike. */
static mech_status refuse_either_side(mech_sim *s, size_t k)
{
    if (side_before(s, k) != 0 || !sends_back(s, k)) return MECH_OK;
    return sim_fail(
        s, MECH_ERR_MODEL,
        "at t = %.10g: the expression of event %s jumps where it strikes, and back again: `crosses` would strike both ways. "
        "Write `falls` or `rises`, or an expression that does not jump",
        s->t, mech_system_name(s->system, MECH_ITEM_EVENT, k));
}

/* What begins beyond a wall is not struck by it before it has come back: no mistake by itself, but often one. */
static mech_status tell_beyond(mech_sim *s)
{
    for (size_t k = 0; k < s->sizes.events; k++) {
        const sim_watch *w = &s->events.watch[k];
        const mech_event_info event = mech_system_event(s->system, k);
        const char *name = mech_system_name(s->system, MECH_ITEM_EVENT, k);
        if (sim_is_own_event(s, k)) continue; /* the start was refused */
        if (!strikes(s, k) || has_struck(s, k) || event.has_condition) continue;
        if (w->sign != -side_before(s, k) || w->sign == 0) continue;
        MECH_TRY(
            sim_log_add(s, MECH_LOG_BEYOND, name,
                        "event %s begins beyond its threshold, by %.3g: it strikes nothing before it has come back",
                        name, fabs(w->value)));
    }
    return MECH_OK;
}

/* At the start nothing says how large a trigger is; later its values do. */
static int may_be_rounding(const mech_sim *s, const double *values)
{
    for (size_t k = 0; k < s->sizes.events; k++)
        if (!s->advance.has_started || fabs(values[k]) <= TOL_AT_ZERO * s->events.watch[k].largest) return 1;
    return 0;
}

/* Does a constraint that the event strikes, and that was in force, begin to separate? */
static int is_leaving(mech_sim *s, size_t k, int touches)
{
    const mech_event_info event = mech_system_event(s->system, k);
    int leaves = 0;
    for (size_t i = event.first_action; i < event.first_action + event.action_count; i++) {
        const mech_action_info action = mech_system_action(s->system, i);
        for (size_t c = 0; action.kind == MECH_ACTION_IMPACT && c < action.constraint_count; c++) {
            sim_contact *contact = &s->contacts.list[action.constraints[c]];
            if (contact->state == CONTACT_LEFT && !touches) contact->state = CONTACT_APART;
            if (contact->state != CONTACT_LEFT) continue;
            if (contact->push == 0) (void)sim_find_push(s, k, action.constraints[c], side_before(s, k));
            leaves |= sim_separates(s, action.constraints[c]);
        }
    }
    return leaves;
}

/* After lift-off a gap opens like the cube of time, below the error of a step for a while: what a step misses there is
   no strike. Into `leaving`, which is 0: that error of each trigger, or 0. */
static void look_for_separation(mech_sim *s, const double *values, double *leaving)
{
    if (!sim_has_contact(s, CONTACT_LEFT)) return;
    sim_probe_triggers(s, values, 1, leaving);
    for (size_t k = 0; k < s->sizes.events; k++) {
        const sim_watch *w = &s->events.watch[k]; /* one that was held from the start on has never been large */
        const int touches = w->outcome == WATCH_FIRED || fabs(values[k]) <= fmax(TOL_AT_ZERO * w->largest, leaving[k]);
        if (!strikes(s, k) || !is_leaving(s, k, touches)) leaving[k] = 0;
    }
}

/* What another impact or a projection moved over the threshold by a little has not passed it. */
static int was_pushed_in(const mech_sim *s, size_t k, double value)
{
    const sim_watch *w = &s->events.watch[k];
    return s->advance.has_started && w->sign != 0 && w->sign == side_before(s, k) && w->sign * value < 0 &&
           fabs(value) <= TOL_AT_ZERO * w->largest;
}

/* Two that meet 0 at the same instant to rounding: what one does must not make the other forget the side it comes from.
   */
static int is_about_to_pass(const sim_watch *w, double value)
{
    return w->outcome != WATCH_FIRED && w->sign != 0 && fabs(value) <= w->floor && fabs(value - w->value) <= w->floor;
}

/* What is watched stands here: the first so many of it. */
static mech_status see(mech_sim *s, size_t count)
{
    MECH_TRY(sim_watch_here(s));
    for (size_t k = 0; k < count; k++) s->events.watch[k].value = s->events.values[k];
    s->events.valued_at = s->t;
    return MECH_OK;
}

/* Where triggers stand before the actions: the projection of the step's end may have moved them a little, to either
   side of their thresholds. */
mech_status sim_note_triggers(mech_sim *s)
{
    return s->sizes.events ? see(s, s->sizes.events) : sim_accelerate(s, s->t, s->y);
}

/* Does what has fired stand at 0 still, but for what the error of a step moves it by? Else its own action moved it
   away, or it has jumped. */
static int stands_at_zero(const mech_sim *s, const sim_watch *w, double value)
{
    const double least = TOL_STANDS * w->largest, error = 100 * s->settings.rtol * w->largest;
    return fabs(value) <= least || (fabs(value) <= error && fabs(value - w->value) <= least);
}

mech_status sim_events_begin(mech_sim *s)
{
    s->events.watched_until = NAN;
    if (!sim_needs_watching(s)) return MECH_OK;
    double *values = s->events.values, *rounding = values + s->events.count, *leaving = rounding + s->events.count;
    MECH_TRY(sim_watch_here(s));
    for (size_t k = 0; k < s->sizes.events && !s->advance.has_started; k++) {
        if (!isfinite(values[k])) return sim_remember(s, mech_eval_acceleration(s->eval, s->dyn.qdd));
        s->events.watch[k].fired_at = s->t;
        s->events.watch[k].gap = HUGE_VAL;
    }
    memset(rounding, 0, 2 * s->events.count * sizeof *rounding); /* and of `leaving` */
    if (may_be_rounding(s, values)) sim_probe_triggers(s, values, 0, rounding);
    sim_find_held(s, values, rounding);
    look_for_separation(s, values, leaving);
    for (size_t k = 0; k < s->events.count; k++) {
        sim_watch *w = &s->events.watch[k];
        const double size = fabs(values[k]);
        if (size > w->largest) w->largest = size;
        w->floor = fmax(TOL_FLOOR * w->largest, fmax(rounding[k], leaving[k]));
        int is_pending;
        const int does_strike = strikes(s, k); /* which moves nothing: it stands at 0, as found */
        const int has_jumped = w->jump == JUMP_FIRED || w->jump == JUMP_MET;
        if (w->jump == JUMP_MET) MECH_TRY(refuse_either_side(s, k));
        if (w->outcome == WATCH_FIRED && ((does_strike && !has_jumped) || stands_at_zero(s, w, values[k]))) {
            w->sign = side_after(s, k, values[k]);
            w->floor = fmax(w->floor, 4 * size);
            is_pending = w->sign != 0;
        } else if (is_about_to_pass(w, values[k])) {
            is_pending = 1;
        } else if (k < s->sizes.events && sim_is_own_event(s, k)) { /* nothing can be beyond it by more than rounding */
            w->sign = 1;
            is_pending = values[k] <= w->floor;
            if (values[k] < 0) w->floor += size;
        } else if (does_strike && was_pushed_in(s, k, values[k])) {
            w->floor += fmax(w->floor, size);
            is_pending = 1;
        } else {
            w->sign = size > w->floor ? (values[k] > 0 ? 1 : -1) : sends_back(s, k) ? side_before(s, k) : 0;
            is_pending = size <= w->floor && w->sign != 0;
        }
        if (k >= s->events.first_friction &&
            k < s->events.first_switch) { /* always from above; what it means may just have changed */
            w->floor = k < s->events.first_contact ? sim_friction_floor(s, k - s->events.first_friction, values[k])
                                                   : TOL_FLOOR_OWN * w->largest;
            w->sign = 1;
            is_pending = values[k] <= w->floor;
        }
        if (w->state != WATCH_HELD) w->state = is_pending ? WATCH_PENDING : WATCH_FREE;
        w->outcome = WATCH_QUIET;
        if (has_jumped) w->jump = JUMP_NONE;
        w->value = values[k];
    }
    s->events.valued_at = s->t;
    return s->advance.has_started ? MECH_OK : tell_beyond(s);
}

int sim_has_crossed(sim_watch *w, double value)
{
    if (!isfinite(value)) return 0;
    if (w->sign == 0 && fabs(value) > w->floor) w->sign = value > 0 ? 1 : -1;
    if (w->state == WATCH_PENDING ? w->sign * value < -w->floor : w->sign * value < 0 || (w->sign != 0 && value == 0))
        return 1;
    if (w->state == WATCH_PENDING && w->sign * value > w->floor) w->state = WATCH_FREE;
    if (fabs(value) > w->largest) w->largest = fabs(value); /* not of what lies beyond: a step may see far */
    return 0;
}

int sim_has_condition(const mech_sim *s, size_t k)
{
    return k < s->sizes.events && mech_system_event(s->system, k).has_condition;
}

int sim_is_wanted(const mech_sim *s, size_t k, int way)
{
    if (k >= s->events.first_switch) return 1;
    return k >= s->sizes.events ? way < 0 : side_before(s, k) != way;
}

int sim_sets_off(const mech_sim *s, size_t k, int way)
{
    return sim_is_wanted(s, k, way) && (!sim_has_condition(s, k) || s->eq->condition[k] != 0);
}

int sim_is_idle(const mech_sim *s, size_t k) { return s->events.watch[k].state == WATCH_HELD || has_struck(s, k); }

void sim_note_passed(sim_watch *w, double value)
{
    w->sign = value == 0 ? 0 : -w->sign;
    w->state = value == 0 ? WATCH_FREE : WATCH_PENDING;
}

/* Steps that are looked through by bounds leave no values at their ends. */
mech_status sim_events_see(mech_sim *s)
{
    return s->events.valued_at == s->t || !sim_needs_watching(s) ? MECH_OK : see(s, s->events.count);
}

mech_status sim_events_note(mech_sim *s)
{
    if (!sim_needs_watching(s)) return MECH_OK;
    MECH_TRY(see(s, s->events.count));
    for (size_t k = 0; k < s->events.count; k++) (void)sim_has_crossed(&s->events.watch[k], s->events.values[k]);
    return MECH_OK;
}

mech_status sim_events_crossed(mech_sim *s)
{
    if (!sim_needs_watching(s)) return MECH_OK;
    MECH_TRY(see(s, s->events.count)); /* what jumps by what happens jumps from here */
    for (size_t k = 0; k < s->events.count; k++) {
        sim_watch *w = &s->events.watch[k];
        w->outcome = WATCH_QUIET;
        if (sim_is_idle(s, k) || !sim_has_crossed(w, s->events.values[k])) continue;
        if (sim_sets_off(s, k, -w->sign)) w->outcome = WATCH_FIRED;
        else sim_note_passed(w, s->events.values[k]);
    }
    return MECH_OK;
}

void sim_events_shift(const mech_sim *s, double *values)
{
    for (size_t k = 0; k < s->events.count; k++) {
        const sim_watch *w = &s->events.watch[k];
        if (sim_is_idle(s, k)) values[k] = 1;
        else if (w->state == WATCH_PENDING) values[k] += w->sign * w->floor;
    }
}

size_t sim_count_within(const mech_sim *s, sim_stretch *stretch, double longest)
{
    if (s->t - stretch->since > longest) *stretch = (sim_stretch){.since = s->t};
    return ++stretch->count;
}
