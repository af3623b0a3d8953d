/* A step is cut into stretches until each watched function is known in each: it stays on its side, or it goes one way
   only, so that its values at the ends tell. Bounds tell that of what can be written down by time and state; of
   reactions and accelerations only samples do, by how well a parabola through some of them meets the others. */
#include "simulate/resolve.h"
#include "simulate/crossings.h"
#include "simulate/interpolant.h"
#include "system/bounds.h"
#include "system/swift.h"

#include <float.h>
#include <math.h>

enum {
    DEEPEST = 60, /* halvings of a step */
    MOST_UNRESOLVED = 200,
    MOST_LOOKS = 1000 /* for the place of a jump */
};

typedef enum verdict {
    CLEAR,  /* it stays on its side              */
    SIMPLE, /* it may pass 0 once: its ends tell */
    OPEN    /* not known                         */
} verdict;

struct sim_resolver {
    const system_bounds *bounds;         /* NULL: none */
    sim_interpolant states;              /* those that the bounds look at */
    bound *room, *result, *middle;       /* scratch; of functions */
    bound *watch;                        /* (watches) */
    unsigned char *is_sampled, *is_idle; /* (watches) in this step            */
    /* (watches) how far beyond 0 one that is OPEN may have been, or -1 */
    double *beyond;
    double *values;            /* samples: of all watches, then what `swift` keeps of each */
    const system_swift *swift; /* NULL: any samples tell */
    size_t swift_inputs;
    bound *swift_room;
    double *at_start; /* (swift_inputs) at watched_until */
};

typedef struct look {
    mech_sim *s;
    sim_resolver *r;
    double start, finest; /* stretches are not halved below this, but near the start of the step: see may_halve */
    sim_sampled last;     /* the sample before                   */
    sim_sampled spare;
    size_t looks; /* left, for find_passage */
} look;

static double *sample_room(const mech_sim *s, size_t k)
{
    const sim_resolver *r = s->events.resolver;
    return r->values + k * (s->events.count + r->swift_inputs);
}

mech_status sim_resolver_create(mech_sim *s)
{
    if (s->sizes.events + s->sizes.frictions + s->events.switch_count == 0) return MECH_OK;
    arena *memory = &s->memory.arena;
    sim_resolver *r = arena_zeroed(memory, 1, sizeof *r);
    if (!r) return MECH_ERR_MEMORY;
    r->bounds = system_bounds_get(s->system);
    r->swift = system_swift_get(s->system, SWIFT_WATCHES);
    if (r->bounds && system_bounds_count(r->bounds) == 0) r->bounds = NULL;
    if (r->swift) r->swift_inputs = system_swift_inputs(r->swift);
    size_t functions = 0, room = 0, state_count = 0;
    const uint32_t *state = NULL;
    if (r->bounds) {
        state = system_bounds_states(r->bounds, &state_count);
        functions = system_bounds_count(r->bounds);
        room = system_bounds_room(r->bounds);
    }
    s->events.resolver = r;
    const size_t watches = s->events.count;
    MECH_TRY(sim_interpolant_create(s, state, state_count, &r->states));
    MECH_TRY(SIM_MAKE_KEPT(s, ARRAY_OF(r->at_start, r->swift_inputs)));
    return ARENA_MAKE(memory, ARRAY_OF(r->swift_room, r->swift ? system_swift_room(r->swift) : 0),
                      ARRAY_OF(r->room, room), ARRAY_OF(r->result, functions), ARRAY_OF(r->middle, functions),
                      ARRAY_OF(r->watch, watches), ARRAY_OF(r->is_sampled, watches), ARRAY_OF(r->is_idle, watches),
                      ARRAY_OF(r->beyond, watches),
                      ARRAY_OF(r->values, (2 * DEEPEST + 5) * (watches + r->swift_inputs)));
}

/* ---- the functions over a stretch ---- */

/* sim_friction_value of friction number k while it slides, from the rows of friction: the speed along the direction
   kept and, where V has several components, the part of |V| that is taken off. */
static bound sliding(const mech_sim *s, size_t k, const bound *slips)
{
    const dynamics_friction *f = &s->dyn.friction[k];
    bound sum = {0};
    double least = 0, most = 0, fastest = 0; /* of |V|^2 and of |V'|^2 */
    for (size_t a = 0; a < f->law.count; a++) {
        const double d = f->mode.direction[a];
        const bound *v = &slips[f->law.first + a];
        const double near = v->low > 0 ? v->low : v->high < 0 ? -v->high : 0;
        const double far = fmax(fabs(v->low), fabs(v->high)), slope = fmax(fabs(v->slope_low), fabs(v->slope_high));
        sum.low += fmin(d * v->low, d * v->high);
        sum.high += fmax(d * v->low, d * v->high);
        sum.slope_low += fmin(d * v->slope_low, d * v->slope_high);
        sum.slope_high += fmax(d * v->slope_low, d * v->slope_high);
        least += near * near;
        most += far * far;
        fastest += slope * slope;
    }
    const double slow = f->slow;
    if (sqrt(most) <= slow) return sum;
    sum.low -= 0.5 * (sqrt(most) - slow);
    sum.high -= 0.5 * fmax(sqrt(least) - slow, 0);
    sum.slope_low -= 0.5 * sqrt(fastest);
    sum.slope_high += 0.5 * sqrt(fastest);
    return sum;
}

/* From the functions of the system to those that are watched. */
static void hand_over(const mech_sim *s, const bound *functions, bound *watch)
{
    const bound *slips = functions + s->sizes.events, *switches = slips + s->dyn.nf;
    for (size_t k = 0; k < s->events.count; k++) {
        if (s->events.resolver->is_sampled[k] || s->events.resolver->is_idle[k]) continue;
        watch[k] = k < s->sizes.events           ? functions[k]
                   : k < s->events.first_contact ? sliding(s, k - s->events.first_friction, slips)
                                                 : switches[k - s->events.first_switch];
    }
}

static verdict judge(sim_watch *w, const bound *b)
{
    const double low = w->sign < 0 ? -b->high : b->low;
    const double floor = w->floor;
    verdict found = OPEN;
    if (w->sign == 0 && (b->low > floor || b->high < -floor)) {
        w->sign = b->low > 0 ? 1 : -1;
        found = CLEAR;
    } else if (w->sign == 0) {
        if (b->low >= -floor && b->high <= floor) found = CLEAR;
    } else if (w->state == WATCH_PENDING) {
        if (low > floor) w->state = WATCH_FREE;
        /* else: does it leave 0 before it comes back? */
        if (low > floor || fmax(fabs(b->low), fabs(b->high)) <= floor) found = CLEAR;
    } else if (low > 0) {
        found = CLEAR;
    }
    if (found == CLEAR) w->largest = fmax(w->largest, fmin(fabs(b->low), fabs(b->high)));
    else if (b->slope_low > 0 || b->slope_high < 0) found = SIMPLE;
    return found;
}

/* In a short stretch a function is its value in the middle and what its slope adds: closer bounds than its own. */
static mech_status tighten(look *x, double from, double to)
{
    mech_sim *s = x->s;
    sim_resolver *r = x->r;
    const double middle = from + (to - from) / 2, half = (to - from) / 2;
    if (!sim_interpolant_at(s, &r->states, middle)) return s->log.failure;
    system_bounds_over(s->eval, middle, middle, r->states.y, r->room, r->middle);
    const unsigned char *known = system_bounds_known(r->bounds);
    for (size_t k = 0; k < system_bounds_count(r->bounds); k++) {
        bound *b = &r->result[k];
        const double most = half * fmax(-b->slope_low, b->slope_high);
        if (!known[k] || !isfinite(most)) continue;
        b->low = fmax(b->low, r->middle[k].low - most);
        b->high = fmin(b->high, r->middle[k].high + most);
    }
    return MECH_OK;
}

/* Beside the largest it was. One that has not left 0 yet is beyond it by more than what is nothing there. */
static void note_beyond(look *x, size_t k, double depth)
{
    const sim_watch *w = &x->s->events.watch[k];
    x->r->beyond[k] = w->sign == 0 ? 0 : fmax((depth - (w->state == WATCH_PENDING ? w->floor : 0)) / w->largest, 0);
}

static mech_status judge_bounded(look *x, double from, double to, verdict *worst)
{
    mech_sim *s = x->s;
    sim_resolver *r = x->r;
    *worst = CLEAR;
    for (size_t k = 0; k < s->events.count; k++) r->beyond[k] = -1;
    if (!r->bounds) return MECH_OK;
    if (!sim_interpolant_over(s, &r->states, from, to)) return s->log.failure;
    system_bounds_over(s->eval, from, to, r->states.y, r->room, r->result);
    for (int is_tight = 0; is_tight < 2; is_tight++) {
        hand_over(s, r->result, r->watch);
        *worst = CLEAR;
        for (size_t k = 0; k < s->events.count; k++) {
            r->beyond[k] = -1;
            if (r->is_idle[k] || r->is_sampled[k]) continue;
            const verdict v = judge(&s->events.watch[k], &r->watch[k]);
            if (v == OPEN) note_beyond(x, k, s->events.watch[k].sign < 0 ? r->watch[k].high : -r->watch[k].low);
            if (v > *worst) *worst = v;
        }
        if (*worst != OPEN || is_tight) break;
        MECH_TRY(tighten(x, from, to));
    }
    return MECH_OK;
}

/* By how much the parabola through three samples turns back beyond the first of them, before it goes on to the others.
   */
static double turns_by(double first, double middle, double last)
{
    const double slope = 4 * middle - 3 * first - last, bend = first - 2 * middle + last;
    return slope * (last - first) < 0 ? slope * slope / (8 * fabs(bend)) : 0;
}

/* Five samples at even distances. Through three of them goes a parabola; what it misses at the other two is taken for
   what is not known between them. */
static verdict judge_samples(const sim_watch *w, const double f[5], double *depth)
{
    double low = HUGE_VAL, least = HUGE_VAL, largest = 0;
    int rises = 1, falls = 1, is_still = 1;
    *depth = 0;
    for (int i = 0; i < 5; i++) {
        if (!isfinite(f[i])) return OPEN;
        largest = fmax(largest, fabs(f[i]));
        low = fmin(low, w->sign < 0 ? -f[i] : f[i]);
        is_still &= fabs(f[i]) <= w->floor;
    }
    for (int i = 0; i < 4; i++) {
        const double change = f[i + 1] - f[i];
        least = fmin(least, fabs(change));
        rises &= change > 0;
        falls &= change < 0;
    }
    const double miss =
        fmax(fabs(f[1] - (3 * f[0] + 6 * f[2] - f[4]) / 8), fabs(f[3] - (3 * f[4] + 6 * f[2] - f[0]) / 8));
    const double bend = fabs(f[0] - 2 * f[2] + f[4]) / 16; /* twice what a parabola lies below two neighbours */
    const double turn = fmax(turns_by(f[0], f[2], f[4]), turns_by(f[4], f[2], f[0]));
    if ((rises || falls) && miss <= 0.2 * least && turn <= w->floor + DBL_EPSILON * largest) return SIMPLE;
    if (w->sign == 0) return is_still ? CLEAR : OPEN;
    *depth = bend + 2 * miss - low;
    /* one that stands at 0 exactly, as the reserve of friction that bears nothing, has not left it */
    return (w->state == WATCH_PENDING ? *depth <= w->floor : *depth < 0) ? CLEAR : OPEN;
}

int sim_samples_tell(const sim_watch *w, const double f[5])
{
    double depth;
    return judge_samples(w, f, &depth) != OPEN;
}

static verdict judge_sampled(look *x, const sim_sampled *const five[5])
{
    const mech_sim *s = x->s;
    verdict worst = CLEAR;
    for (size_t k = 0; k < s->events.count; k++) {
        if (!x->r->is_sampled[k] || x->r->is_idle[k]) continue;
        double f[5], depth;
        for (int i = 0; i < 5; i++) f[i] = five[i]->values[k];
        const verdict v = judge_samples(&s->events.watch[k], f, &depth);
        if (v == OPEN) note_beyond(x, k, depth);
        if (v > worst) worst = v;
    }
    return worst;
}

/* ---- samples ---- */

static mech_status take(look *x, double t, sim_sampled *into)
{
    mech_sim *s = x->s;
    SIM_SCRATCH(s);
    double *y = sim_take_state(s);
    const int is_end = t == s->stepper->t;
    if (!is_end && s->stepper->ops->dense(s->stepper, t, y) != 0) return s->log.failure;
    into->t = t;
    if (sim_watch_values(s, t, is_end ? s->stepper->y : y, into->values) != 0) return s->log.failure;
    if (x->r->swift) system_swift_take(x->r->swift, s->eval, into->values + s->events.count);
    return MECH_OK;
}

/* Do five samples tell what is between them? */
static swift_verdict judge_swift(const look *x, const sim_sampled *const five[5])
{
    const double *inputs[5];
    double t[5];
    if (!x->r->swift) return SWIFT_SLOW;
    for (int i = 0; i < 5; i++) t[i] = five[i]->t, inputs[i] = five[i]->values + x->s->events.count;
    return system_swift_judge(x->r->swift, t, inputs, 5, x->r->swift_room);
}

/* No event came before this sample: its functions must have values there. */
static mech_status check_finite(look *x, const sim_sampled *at)
{
    mech_sim *s = x->s;
    size_t k = 0;
    while (k < s->sizes.events && isfinite(at->values[k])) k++;
    if (k == s->sizes.events) return MECH_OK;
    MECH_TRY(take(x, at->t, &(sim_sampled){at->t, at->values}));
    return sim_remember(s, mech_eval_acceleration(s->eval, s->dyn.qdd));
}

/* Has one that did not fire left its side at this sample? Then it did so before. */
static int has_earlier(const mech_sim *s, const sim_sampled *at)
{
    for (size_t k = 0; k < s->events.count; k++) {
        const sim_watch *w = &s->events.watch[k];
        if (!s->events.resolver->is_idle[k] && w->outcome != WATCH_FIRED && w->sign != 0 &&
            w->sign * at->values[k] < -w->floor)
            return 1;
    }
    return 0;
}

static mech_status scan(look *x, const sim_sampled *a, const sim_sampled *b, double *where)
{
    MECH_TRY(sim_scan(x->s, a, b, where));
    if (!(*where < HUGE_VAL)) return check_finite(x, b);
    for (int i = 0; i < 8; i++) { /* two that pass 0 between two samples, one of them twice */
        sim_sampled there = {0, sample_room(x->s, 3)};
        double earlier;
        MECH_TRY(take(x, *where, &there));
        if (!has_earlier(x->s, &there)) break;
        MECH_TRY(sim_scan(x->s, a, &there, &earlier));
        if (!(earlier <= *where)) return sim_scan(x->s, a, b, where);
        *where = earlier;
    }
    return MECH_OK;
}

/* ---- the search ---- */

const char *sim_watch_name(const mech_sim *s, size_t k, const char **kind)
{
    *kind = k < s->events.first_friction  ? "event "
            : k < s->events.first_contact ? "friction"
            : k < s->events.first_switch  ? "contact"
                                          : "";
    if (k < s->events.first_friction) return mech_system_name(s->system, MECH_ITEM_EVENT, k);
    return k < s->events.first_switch ? "" : mech_system_switch_name(s->system, k - s->events.first_switch);
}

/* Is watch k known to stay on one side from `from` to `to`, or on 0? */
static mech_status stays(look *x, size_t k, double from, double to, int *does)
{
    mech_sim *s = x->s;
    sim_resolver *r = x->r;
    const double floor = s->events.watch[k].floor;
    if (r->is_sampled[k]) {
        sim_sampled at = {0, sample_room(s, 4)};
        double f[5], depth, largest = 0;
        for (int i = 0; i < 5; i++) {
            MECH_TRY(take(x, i == 4 ? to : from + i * (to - from) / 4, &at));
            f[i] = at.values[k];
            largest = fmax(largest, fabs(f[i]));
        }
        *does = largest <= floor ||
                (judge_samples(&(sim_watch){.sign = f[0] < 0 ? -1 : 1}, f, &depth) != OPEN && f[0] * f[4] > 0);
        return MECH_OK;
    }
    if (!sim_interpolant_over(s, &r->states, from, to)) return s->log.failure;
    system_bounds_over(s->eval, from, to, r->states.y, r->room, r->result);
    hand_over(s, r->result, r->watch);
    const bound *b = &r->watch[k];
    *does = b->low > 0 || b->high < 0 || (b->low >= -floor && b->high <= floor);
    return MECH_OK;
}

/* Widens [*first, *last] by the places in which it is not known on which side watch k is, down to a hair. */
static mech_status find_passage(look *x, size_t k, double from, double to, double hair, double *first, double *last)
{
    const double middle = from + (to - from) / 2;
    int does;
    /* more than one place, or too many to look at: enough is known */
    if (*last - *first > 8 * hair || x->looks == 0) return MECH_OK;
    x->looks--;
    MECH_TRY(stays(x, k, from, to, &does));
    if (does) return MECH_OK;
    if (to - from <= hair) {
        *first = fmin(*first, from);
        *last = fmax(*last, to);
        return MECH_OK;
    }
    MECH_TRY(find_passage(x, k, from, middle, hair, first, last));
    return find_passage(x, k, middle, to, hair, first, last);
}

/* What passes 0 as it moves is nearer to it on one side; what jumps comes from afar, or stands on it. */
static int is_apart(const sim_watch *w, double value)
{
    return fabs(value) > TOL_AT_ZERO * w->largest || fabs(value) <= w->floor;
}

/* Has watch k jumped over 0 in this stretch, onto it or off it, and done nothing else there? As if(t < 2, 1, 0) does,
   in the direction that is not asked for. */
static mech_status jumps_over(look *x, size_t k, const sim_sampled *from, const sim_sampled *to, int *does)
{
    double first = HUGE_VAL, last = -HUGE_VAL;
    const sim_watch *w = &x->s->events.watch[k];
    const double hair = sim_event_width(x->s), a = from->values[k], b = to->values[k];
    *does = a * b <= 0 && a != b && is_apart(w, a) && is_apart(w, b);
    if (!*does || to->t - from->t <= 8 * hair) return MECH_OK;
    x->looks = MOST_LOOKS;
    MECH_TRY(find_passage(x, k, from->t, to->t, hair, &first, &last));
    *does = x->looks > 0 && last - first <= 8 * hair;
    return MECH_OK;
}

/* The watch that may have been farthest beyond 0 of those that are open; SIZE_MAX: none is, all have jumped. */
static mech_status find_open(look *x, const sim_sampled *from, const sim_sampled *to, size_t *open)
{
    const sim_resolver *r = x->r;
    *open = SIZE_MAX;
    for (size_t k = 0; k < x->s->events.count; k++) {
        int has_jumped;
        if (r->beyond[k] < 0 || (*open != SIZE_MAX && r->beyond[k] <= r->beyond[*open])) continue;
        MECH_TRY(jumps_over(x, k, from, to, &has_jumped));
        if (!has_jumped) *open = k;
    }
    return MECH_OK;
}

/* Where N passes 0, mu |N| comes down to 0 in a line and goes up in another. Where the lines through the samples on
   either side meet the function is looked at once more: what it is beyond 0 there, and what it misses of where they
   meet, is how far beyond 0 it may have been. */
static mech_status look_at_corner(look *x, size_t k, double from, double to)
{
    mech_sim *s = x->s;
    sim_sampled at = {0, sample_room(s, 4)};
    const int sign = s->events.watch[k].sign < 0 ? -1 : 1;
    const double step = (to - from) / 4;
    double f[5];
    for (int i = 0; i < 5; i++) {
        MECH_TRY(take(x, i == 4 ? to : from + i * step, &at));
        f[i] = sign * at.values[k];
    }
    const double left = f[1] - f[0], right = f[4] - f[3];
    const double where = (f[4] - 4 * right - f[0]) / (left - right); /* in steps */
    if (!(left < 0 && right > 0 && where >= 1 && where <= 3)) return MECH_OK;
    MECH_TRY(take(x, from + where * step, &at));
    const double value = sign * at.values[k], depth = fmax(-value, 0) + fabs(value - f[0] - where * left);
    if (depth < x->r->beyond[k] * s->events.watch[k].largest) note_beyond(x, k, depth);
    return MECH_OK;
}

/* One that was held until now has never been large: what it comes to in this step measures it as well. */
static mech_status measure_by_end(look *x, size_t k)
{
    mech_sim *s = x->s;
    sim_sampled at = {0, sample_room(s, 4)};
    MECH_TRY(take(x, s->stepper->t, &at));
    const double largest = s->events.watch[k].largest, size = fabs(at.values[k]);
    if (size > largest) x->r->beyond[k] *= largest / size;
    return MECH_OK;
}

/* A stretch as short as they are looked at, and still open. One that may be beyond 0 by rounding is a touch; by more,
   it may hide a crossing and back: the run goes on, and says so at its end. Very many in a row end it. */
static mech_status note_open(look *x, const sim_sampled *a, const sim_sampled *b, int has_crossing)
{
    const double from = a->t, to = b->t;
    mech_sim *s = x->s;
    size_t open;
    MECH_TRY(find_open(x, a, b, &open));
    if (open == SIZE_MAX) return MECH_OK;
    const sim_watch *w = &s->events.watch[open];
    if (w->sign == 0 && fabs(a->values[open]) <= w->floor && fabs(b->values[open]) <= w->floor)
        return MECH_OK; /* on it */
    if (!has_crossing && x->r->beyond[open] > TOL_BEYOND) MECH_TRY(measure_by_end(x, open));
    if (!has_crossing && x->r->is_sampled[open] && x->r->beyond[open] > TOL_BEYOND)
        MECH_TRY(look_at_corner(x, open, from, to));
    if (!has_crossing && x->r->beyond[open] > TOL_BEYOND && s->events.unresolved++ == 0)
        s->events.unresolved_watch = open, s->events.unresolved_time = from;
    if (to - from < 0.1 * sim_resolution(s)) return MECH_OK; /* a short step, whose reason may be this very function */
    const int follows = s->events.open_watch == open && from <= s->events.open_until + 0.5 * (to - from);
    if (!follows) s->events.open_since = from, s->events.open_count = 0;
    s->events.open_watch = open;
    s->events.open_until = to;
    if (++s->events.open_count <= MOST_UNRESOLVED) return MECH_OK;
    const char *kind, *name = sim_watch_name(s, open, &kind);
    return sim_blame(
        s, MECH_ERR_INTEGRATION,
        "%s%s is not resolved: from t = %.6g on it may pass its threshold more often than once in %.3g. A finer `resolution` looks "
        "closer; if it does not pass there, write it with fewer terms that cancel",
        kind, name, s->events.open_since, x->finest);
}

/* Right after an event the next may come at once, by however little: there a stretch may be a part of its distance from
   the start. */
static int may_halve(const look *x, double from, double to, int depth)
{
    const double clock = 16 * DBL_EPSILON * fabs(to), near = fmax((from - x->start) / 8, clock);
    return depth < DEEPEST && to - from > fmax(fmin(x->finest, near), clock);
}

static mech_status look_by_bounds(look *x, double from, double to, int depth, double *where)
{
    verdict v;
    MECH_TRY(judge_bounded(x, from, to, &v));
    if (v == CLEAR) return MECH_OK;
    if (v == OPEN && may_halve(x, from, to, depth)) {
        const double middle = from + (to - from) / 2;
        MECH_TRY(look_by_bounds(x, from, middle, depth + 1, where));
        return *where < HUGE_VAL ? MECH_OK : look_by_bounds(x, middle, to, depth + 1, where);
    }
    if (x->last.t != from) MECH_TRY(take(x, from, &x->last));
    MECH_TRY(take(x, to, &x->spare));
    MECH_TRY(scan(x, &x->last, &x->spare, where));
    if (v == OPEN) MECH_TRY(note_open(x, &x->last, &x->spare, *where < HUGE_VAL));
    const sim_sampled swap = x->last;
    x->last = x->spare;
    x->spare = swap;
    return MECH_OK;
}

/* A stretch as short as they are looked at, in which a function goes so far that samples tell nothing. */
static void note_swift(const look *x, double from)
{
    mech_sim *s = x->s;
    for (size_t k = 0; k < s->events.count && s->events.unresolved == 0; k++)
        if (x->r->is_sampled[k] && !x->r->is_idle[k]) {
            s->events.unresolved_watch = k;
            s->events.unresolved_time = from;
            break;
        }
    s->events.unresolved++;
}

static mech_status look_by_samples(look *x, const sim_sampled *from, const sim_sampled *middle, const sim_sampled *to,
                                   int depth, double *where)
{
    const size_t at = 5 + 2 * (size_t)depth;
    sim_sampled first = {0, sample_room(x->s, at)}, third = {0, sample_room(x->s, at + 1)};
    const sim_sampled *const five[5] = {from, &first, middle, &third, to};
    verdict bounded;
    MECH_TRY(take(x, from->t + (middle->t - from->t) / 2, &first));
    MECH_TRY(take(x, middle->t + (to->t - middle->t) / 2, &third));
    MECH_TRY(judge_bounded(x, from->t, to->t, &bounded));
    const verdict sampled = judge_sampled(x, five);
    const int is_open = bounded == OPEN || sampled == OPEN;
    const swift_verdict swift = is_open ? SWIFT_SLOW : judge_swift(x, five);
    if ((is_open || swift != SWIFT_SLOW) && may_halve(x, from->t, to->t, depth + 1)) {
        MECH_TRY(look_by_samples(x, from, &first, middle, depth + 1, where));
        return *where < HUGE_VAL ? MECH_OK : look_by_samples(x, middle, &third, to, depth + 1, where);
    }
    for (int i = 0; i < 4 && !(*where < HUGE_VAL); i++) MECH_TRY(scan(x, five[i], five[i + 1], where));
    if (swift == SWIFT_FAST && !(*where < HUGE_VAL)) note_swift(x, from->t);
    return is_open ? note_open(x, from, to, *where < HUGE_VAL) : MECH_OK;
}

/* What can be bounded now, what only samples tell, and what need not be looked at. */
static int sort_watches(mech_sim *s)
{
    sim_resolver *r = s->events.resolver;
    const unsigned char *known = r->bounds ? system_bounds_known(r->bounds) : NULL;
    int some_sampled = 0;
    for (size_t k = 0; k < s->events.count; k++) {
        int is_known = 0;
        r->is_idle[k] = (unsigned char)sim_is_idle(s, k);
        if (k < s->sizes.events) is_known = known && known[k];
        else if (k < s->events.first_contact) {
            const dynamics_friction *f = &s->dyn.friction[k - s->events.first_friction];
            r->is_idle[k] = !f->is_on;
            is_known = known && !f->mode.holds;
            for (size_t a = 0; a < f->law.count && is_known; a++) is_known = known[s->sizes.events + f->law.first + a];
        } else if (k < s->events.first_switch)
            r->is_idle[k] = s->contacts.list[k - s->events.first_contact].state != CONTACT_CLOSED;
        else is_known = known && known[s->sizes.events + s->dyn.nf + k - s->events.first_switch];
        r->is_sampled[k] = !is_known;
        some_sampled |= !is_known && !r->is_idle[k];
    }
    return some_sampled;
}

mech_status sim_look_through(mech_sim *s, double *where)
{
    const double start = s->stepper->t_old, end = s->stepper->t;
    const int by_samples = sort_watches(s);
    /* short steps have their reason: a function near 0 may be it */
    const double finest = fmin(sim_resolution(s), (end - start) / 16);
    look x = {.s = s,
              .r = s->events.resolver,
              .start = start,
              .finest = finest,
              .last = {NAN, sample_room(s, 0)},
              .spare = {NAN, sample_room(s, 1)}};
    *where = HUGE_VAL;
    sim_interpolant_prepare(s, &x.r->states);
    if (!by_samples) {
        const mech_status status = look_by_bounds(&x, start, end, 0, where);
        s->events.watched_until = NAN;
        return status;
    }
    sim_sampled middle = {0, sample_room(s, 2)};
    if (s->events.watched_until == start) {
        x.last.t = start;
        for (size_t k = 0; k < s->events.count; k++) x.last.values[k] = s->events.watch[k].value;
        for (size_t k = 0; k < x.r->swift_inputs; k++) x.last.values[s->events.count + k] = x.r->at_start[k];
    } else MECH_TRY(take(&x, start, &x.last));
    MECH_TRY(take(&x, start + (end - start) / 2, &middle));
    MECH_TRY(take(&x, end, &x.spare));
    MECH_TRY(look_by_samples(&x, &x.last, &middle, &x.spare, 0, where));
    s->events.watched_until = s->events.valued_at = end;
    for (size_t k = 0; k < s->events.count; k++) s->events.watch[k].value = x.spare.values[k];
    for (size_t k = 0; k < x.r->swift_inputs; k++) x.r->at_start[k] = x.spare.values[s->events.count + k];
    return MECH_OK;
}
