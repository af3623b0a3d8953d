/* Events: which side of 0 the watched functions are on, and the step that ends where one changes it. Where in a step to
   look: resolve.c. */
#include "simulate/resolve.h"
#include "simulate/turns.h"
#include "integrate/root.h"
#include "system/bounds.h"

#include <float.h>
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
    MECH_TRY(ARENA_MAKE(&s->memory, ARRAY_OF(s->events.values, 6 * s->events.count),
                        ARRAY_OF(s->events.does, s->sizes.events)));
    s->events.tried = s->events.values + 3 * s->events.count;
    for (size_t k = 0; k < s->sizes.events; k++) {
        const mech_event_info event = mech_system_event(s->system, k);
        for (size_t i = event.first_action; i < event.first_action + event.action_count; i++)
            s->events.does[k] |= (unsigned char)(1u << mech_system_action(s->system, i).kind);
    }
    s->events.watched_until = NAN;
    return sim_resolver_create(s);
}

static int needs_watching(const mech_sim *s)
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
        values[s->events.first_contact + c] =
            s->contact[c].state == CONTACT_CLOSED ? s->contact[c].push * s->dyn.total[sim_normal_row(s, c)] : 1;
    }
    if (s->events.switch_count && mech_eval_switches(s->eval, values + s->events.first_switch) != MECH_OK) return -1;
    return 0;
}

mech_status sim_watch_here(mech_sim *s)
{
    return sim_watch_values(s, s->t, s->y, s->events.values) == 0 ? MECH_OK : s->trouble.status;
}

size_t sim_first_fired(const mech_sim *s, size_t from, size_t end)
{
    while (from < end && s->events.watch[from].outcome != WATCH_FIRED) from++;
    return from;
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
            sim_happened(s, MECH_HAPPENED_BEYOND, name,
                         "event %s begins beyond its threshold, by %.3g: it strikes nothing before it has come back",
                         name, fabs(w->value)));
    }
    return MECH_OK;
}

/* At the start nothing says how large a trigger is; later its values do. */
static int may_be_rounding(const mech_sim *s, const double *values)
{
    for (size_t k = 0; k < s->sizes.events; k++)
        if (!s->has_started || fabs(values[k]) <= TOL_AT_ZERO * s->events.watch[k].largest) return 1;
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
            sim_contact *contact = &s->contact[action.constraints[c]];
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
    sim_shake_triggers(s, values, 1, leaving);
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
    return s->has_started && w->sign != 0 && w->sign == side_before(s, k) && w->sign * value < 0 &&
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
    if (!needs_watching(s)) return MECH_OK;
    double *values = s->events.values, *rounding = values + s->events.count, *leaving = rounding + s->events.count;
    MECH_TRY(sim_watch_here(s));
    for (size_t k = 0; k < s->sizes.events && !s->has_started; k++) {
        if (!isfinite(values[k])) return sim_remember(s, mech_eval_acceleration(s->eval, s->dyn.qdd));
        s->events.watch[k].fired_at = s->t;
        s->events.watch[k].gap = HUGE_VAL;
    }
    memset(rounding, 0, 2 * s->events.count * sizeof *rounding); /* and of `leaving` */
    if (may_be_rounding(s, values)) sim_shake_triggers(s, values, 0, rounding);
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
            w->floor = k < s->events.first_contact ? sim_friction_floor(s, k - s->events.first_friction)
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
    return s->has_started ? MECH_OK : tell_beyond(s);
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

static int has_condition(const mech_sim *s, size_t k)
{
    return k < s->sizes.events && mech_system_event(s->system, k).has_condition;
}

int sim_sets_off(const mech_sim *s, size_t k, int way)
{
    return side_before(s, k) != way && (!has_condition(s, k) || s->eq->condition[k] != 0);
}

/* way: 1 upwards, -1 downwards */
static int is_wanted(const mech_sim *s, size_t k, int way)
{
    if (k >= s->events.first_switch) return 1;
    return k >= s->sizes.events ? way < 0 : side_before(s, k) != way;
}

/* At t on the dense output; behind the step's end the state goes on as it came. */
static int values_at(mech_sim *s, double t, double *values)
{
    const sim_stepper *st = s->stepper;
    const double beyond = t - st->t, back = fmin(beyond, st->t - st->t_old);
    SIM_SCRATCH(s);
    double *y = sim_take_state(s);
    if (st->ops->dense(s->stepper, back > 0 ? st->t - back : t, y) != 0) return -1;
    for (size_t i = 0; i < s->ny && back > 0; i++) y[i] = st->y[i] + beyond / back * (st->y[i] - y[i]);
    return sim_watch_values(s, t, y, values);
}

/* The same of one function. */
static int value_at(mech_sim *s, size_t k, double t, double *value)
{
    const int result = values_at(s, t, s->events.tried);
    *value = result == 0 ? s->events.tried[k] : (double)NAN;
    return result;
}

typedef struct search {
    mech_sim *s;
    size_t watch;
    double shift; /* added to the function */
} search;

/* A trigger on its threshold is beyond it: where it came onto it is looked for. */
static double shifted(const search *x, double value)
{
    const int is_on = value + x->shift == 0 && x->watch < x->s->sizes.events;
    return is_on ? -x->s->events.watch[x->watch].sign * DBL_MIN : value + x->shift;
}

static int shifted_value(void *user, double t, double *value)
{
    const search *x = user;
    const int result = value_at(x->s, x->watch, t, value);
    *value = shifted(x, *value);
    return result;
}

double sim_event_width(const mech_sim *s)
{
    return fmax(s->settings.event_tol * sim_span(s), 4 * DBL_EPSILON * fabs(s->stepper->t));
}

/* What happens within so much is of one instant. */
static double instant_width(const mech_sim *s) { return 8 * sim_event_width(s); }

/* Where between a and b the function passes 0; b when the search fails. */
static mech_status locate(mech_sim *s, size_t k, double a, double fa, double b, double fb, double *where)
{
    search x = {.s = s, .watch = k};
    const sim_watch *w = &s->events.watch[k];
    *where = b;
    /* at 0 already: it counts where it leaves the rounding of 0 */
    if (w->state == WATCH_PENDING && w->sign * fa <= 0) x.shift = w->sign * w->floor;
    if (w->sign * (fa + x.shift) <= 0) {
        *where = a;
        return MECH_OK;
    }
    root_bracket bracket = {.a = a, .fa = fa + x.shift, .b = b, .fb = shifted(&x, fb)};
    if (root_narrow(shifted_value, &x, sim_event_width(s), &bracket) != 0) return s->trouble.status;
    *where = bracket.b;
    return MECH_OK;
}

/* Is it off 0, as 1 or -1? */
static int is_off(void *user, double t, double *value)
{
    const search *x = user;
    const int result = value_at(x->s, x->watch, t, value);
    *value = fabs(*value) > x->s->events.watch[x->watch].floor ? 1 : -1;
    return result;
}

/* The trigger of event k stands at 0 at a, and no more at b. Where it leaves, if it jumps there and does not only move
   on; else HUGE_VAL. A run that begins on the jump begins behind it. */
static mech_status locate_leap(mech_sim *s, size_t k, double a, double b, double *where)
{
    const double width = sim_event_width(s);
    root_bracket bracket = {.a = a, .fa = -1, .b = b, .fb = 1};
    double before, behind, further;
    *where = HUGE_VAL;
    if (root_narrow(is_off, &(search){.s = s, .watch = k}, width, &bracket) != 0) return s->trouble.status;
    const double t = bracket.b;
    if (value_at(s, k, bracket.a, &before) != 0 || value_at(s, k, t, &behind) != 0 ||
        value_at(s, k, t + 2 * width, &further) != 0)
        return s->trouble.status;
    const int is_start = t - 2 * width <= s->settings.from;
    if (!is_start && fabs(behind - before) > 10 * fabs(further - behind)) *where = t;
    return MECH_OK;
}

/* Does the event's condition hold at t (on the dense output)? */
static mech_status condition_holds(mech_sim *s, size_t k, double t, int *holds)
{
    *holds = 1;
    if (!has_condition(s, k)) return MECH_OK;
    if (values_at(s, t, s->events.tried) != 0) return s->trouble.status;
    *holds = s->eq->condition[k] != 0;
    return MECH_OK;
}

int sim_is_idle(const mech_sim *s, size_t k) { return s->events.watch[k].state == WATCH_HELD || has_struck(s, k); }

/* What has passed its threshold is on its other side, also where rounding does not show it yet. One that has come to
   stand on it is on none. */
static void has_passed(sim_watch *w, double value)
{
    w->sign = value == 0 ? 0 : -w->sign;
    w->state = value == 0 ? WATCH_FREE : WATCH_PENDING;
}

/* Crossings that set nothing off: what has passed its threshold before `where`, or at that instant, or before b where
   nothing happens, is on its other side there, whatever others do there. What passes it later has not yet. */
static mech_status note_passages(mech_sim *s, double where, const sim_sampled *b)
{
    const double *values = b->values, behind = fmin(where + instant_width(s), s->stepper->t);
    for (size_t k = 0; k < s->events.count; k++) {
        sim_watch *w = &s->events.watch[k];
        if (w->outcome != WATCH_PASSES) continue;
        if (where < HUGE_VAL && values == b->values) {
            values = s->events.tried;
            if (values_at(s, behind, s->events.tried) != 0) return s->trouble.status;
        }
        if (where < HUGE_VAL && !(w->sign * values[k] <= 0)) continue;
        has_passed(w, values[k]);
    }
    return MECH_OK;
}

static void unfire(sim_watch *w)
{
    if (w->outcome == WATCH_FIRED) w->outcome = WATCH_QUIET;
}

/* The first passage of watch k between a and b, if there is one: which way, or 0, and where. */
static mech_status see_passage(mech_sim *s, size_t k, const sim_sampled *a, const sim_sampled *b, int *way, double *t)
{
    sim_watch *w = &s->events.watch[k];
    const int stood = w->sign == 0 && fabs(a->values[k]) <= w->floor;
    *way = sim_has_crossed(w, b->values[k]) ? -w->sign : 0;
    if (*way && is_wanted(s, k, *way)) return locate(s, k, a->t, a->values[k], b->t, b->values[k], t);
    if (*way || !stood || w->sign == 0 || k >= s->sizes.events || !system_trigger_may_jump(s->system, k))
        return MECH_OK;
    MECH_TRY(locate_leap(s, k, a->t, b->t, t));
    if (!(*t < HUGE_VAL)) return MECH_OK;
    *way = w->sign;
    w->sign = 0; /* until then */
    return MECH_OK;
}

mech_status sim_scan(mech_sim *s, const sim_sampled *a, const sim_sampled *b, double *where)
{
    *where = HUGE_VAL;
    for (size_t k = 0; k < s->events.count; k++) {
        sim_watch *w = &s->events.watch[k];
        double t = b->t;
        int way, holds;
        w->outcome = WATCH_QUIET;
        if (sim_is_idle(s, k)) continue;
        MECH_TRY(see_passage(s, k, a, b, &way, &t));
        if (way == 0) continue;
        w->outcome = WATCH_PASSES;
        if (!is_wanted(s, k, way)) continue;
        MECH_TRY(condition_holds(s, k, t, &holds));
        if (!holds) continue;
        const double near = instant_width(s);
        if (t < *where - near)
            for (size_t j = 0; j < k; j++) unfire(&s->events.watch[j]); /* those come later */
        w->outcome = t <= *where + near ? WATCH_FIRED : WATCH_QUIET;
        if (t < *where) *where = t;
    }
    return note_passages(s, *where, b);
}

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
    while (fabs(value) <= rounding && 2 * hair < most && value_at(s, k, t - hair, &value) == 0 &&
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

/* A kink that friction changes at comes first: the step must not see beyond it, and beyond it friction is looked at
   anew. One of the clock, or at t where a constraint has a corner, comes before all else: velocities may jump there,
   and what lay within the hair across it is seen behind it. */
static void put_kinks_first(mech_sim *s, double t)
{
    const sim_events *e = &s->events;
    const size_t kink = sim_switched(s);
    if (kink == SIZE_MAX) return;
    const int has_other = sim_first_fired(s, 0, e->first_friction) < e->first_friction ||
                          sim_first_fired(s, e->first_contact, e->first_switch) < e->first_switch;
    const int is_before_all = sim_kink_driver(s, kink) != SWITCH_BY_MOTION || (sim_has_event(s) && has_corner(s, t));
    for (size_t k = 0; k < e->first_switch && (is_before_all || !has_other); k++) unfire(&e->watch[k]);
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
        if (!strikes(s, k) || has_struck(s, k) || !is_wanted(s, k, -w->sign)) continue;
        if (values_at(s, st->t - 0.02 * (st->t - st->t_old), before) != 0 ||
            !(w->sign * before[k] > w->sign * values[k]))
            continue;
        if (condition_holds(s, k, st->t, &holds) == MECH_OK && holds) w->outcome = WATCH_FIRED;
    }
}

/* Does the trigger of event k jump at t, as if(x < 1, 0, 1) does? What it changes by within a hair is then most of what
   it changes by near t. Its values on both sides of t: sign(x - 1) is 0 on it. */
static int jumps(mech_sim *s, size_t k, double t, double near, double *before, double *behind)
{
    const double hair = sim_event_width(s);
    double at, far;
    if (k >= s->sizes.events || value_at(s, k, t, &at) != 0 || value_at(s, k, t - 2 * hair, before) != 0 ||
        value_at(s, k, near, &far) != 0)
        return 0;
    *behind = at;
    if (at == 0 && value_at(s, k, t + hair, behind) != 0) return 0;
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
    return sim_watch_values(s, t, s->stepper->y, values) == 0 ? MECH_OK : s->trouble.status;
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

/* The step itself is taken again to end at the event; the root is corrected on steps, not on the interpolant.
 */
static mech_status end_there(mech_sim *s, double t)
{
    sim_stepper *st = s->stepper;
    const double start = st->t_old, end = st->t, width = sim_event_width(s);
    double *values = s->events.tried;
    put_kinks_first(s, t);
    const size_t k = sim_first_fired(s, 0, s->events.count);
    double before, t_before = t - 0.02 * (t - start); /* near by: a bounce may fill a small part of the step */
    double value = 0, slope = 0, side[2];
    if (value_at(s, k, t_before, &before) == 0 && value_at(s, k, t, &value) == 0 && t > t_before)
        slope = (value - before) / (t - t_before);
    const int is_jump = t > t_before && jumps(s, k, t, t_before, &side[0], &side[1]);
    if (t > t_before) note_jumps(s, t, t_before);
    if (is_jump) MECH_TRY(end_beyond(s, k, t, end, side[0], side[1], values));
    for (int i = 0; i < 8 && !is_jump; i++) {
        MECH_TRY(end_and_look(s, t, values));
        const double secant = i > 0 && t != t_before ? (values[k] - value) / (t - t_before) : 0;
        /* by steps: near its turn a function is steep on one side, flat on the other */
        if (secant * slope > 0) slope = secant;
        value = values[k];
        t_before = t;
        const double next = slope != 0 ? t - value / slope : t;
        if (!(fabs(next - t) > width) || next <= start || next > end) break;
        if (fabs(next - t) > 0.05 * (t - start)) break; /* not a smooth crossing */
        t = next;
    }
    join_strikes(s, values);
    for (size_t i = 0; i < s->events.count; i++) s->events.watch[i].value = values[i];
    s->events.valued_at = t;
    return k >= s->events.first_switch ? end_before(s, k, t, value, slope) : MECH_OK;
}

/* Steps that are looked through by bounds leave no values at their ends. */
mech_status sim_events_see(mech_sim *s)
{
    return s->events.valued_at == s->t || !needs_watching(s) ? MECH_OK : see(s, s->events.count);
}

mech_status sim_events_note(mech_sim *s)
{
    if (!needs_watching(s)) return MECH_OK;
    MECH_TRY(see(s, s->events.count));
    for (size_t k = 0; k < s->events.count; k++) (void)sim_has_crossed(&s->events.watch[k], s->events.values[k]);
    return MECH_OK;
}

mech_status sim_events_crossed(mech_sim *s)
{
    if (!needs_watching(s)) return MECH_OK;
    MECH_TRY(see(s, s->events.count)); /* what jumps by what happens jumps from here */
    for (size_t k = 0; k < s->events.count; k++) {
        sim_watch *w = &s->events.watch[k];
        w->outcome = WATCH_QUIET;
        if (sim_is_idle(s, k) || !sim_has_crossed(w, s->events.values[k])) continue;
        if (is_wanted(s, k, -w->sign) && (!has_condition(s, k) || s->eq->condition[k] != 0)) {
            w->outcome = WATCH_FIRED;
            continue;
        }
        has_passed(w, s->events.values[k]);
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

/* A step that is projected from within was drawn to what constraints ask for behind a kink: what it gives before is no
   good. It ends before a kink of the clock. One of the motion is found by steps that are not projected, unless all of
   this one is as good as nothing. */
static int must_step_anew(mech_sim *s, double where)
{
    const size_t kink = sim_switched(s);
    if (!s->stepper->projects_itself || kink == SIZE_MAX || s->t < s->kink.near_until) return 0;
    const double hair = 2 * sim_event_width(s), length = s->stepper->t - s->t;
    const int is_clock = sim_kink_driver(s, kink) == SWITCH_BY_CLOCK;
    if (!is_clock && !(misses_at(s, where - 2 * hair).rate.part > 1) && !(misses_at(s, where + 2 * hair).rate.part > 1))
        return 0;
    if (is_clock) s->kink.ahead = (sim_kink){.t = where, .hair = hair, .number = kink};
    else if (length < TOL_KINK_GAP * sim_span(s))
        s->kink.ahead = (sim_kink){.t = where, .hair = length, .number = kink};
    else s->kink.near_until = s->stepper->t;
    return 1;
}

mech_status sim_events_look(mech_sim *s, int *found, int *is_void)
{
    double where;
    *found = *is_void = 0;
    if (!needs_watching(s)) return MECH_OK;
    MECH_TRY(sim_look_through(s, &where));
    if (!(where < HUGE_VAL)) return MECH_OK;
    *is_void = must_step_anew(s, where);
    *found = !*is_void;
    return *is_void ? sim_restart(s, s->stepper->h_next) : end_there(s, where);
}

size_t sim_count_within(const mech_sim *s, sim_stretch *stretch, double longest)
{
    if (s->t - stretch->since > longest) *stretch = (sim_stretch){.since = s->t};
    return ++stretch->count;
}
