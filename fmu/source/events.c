/* Triggers and kinks, and what happens at the end of a step and at events. */
#include "within.h"

#define ROW_OFF 10  /* times what may be left of a row: a step has left the constraints */
#define FLOOR 1e-14 /* of its largest value: a trigger there is at 0                     */
#define STANDS 1e-9 /* the same of one that has just fired                               */
#define AHEAD 1e-6  /* of the time of the motion: how far to look where a trigger goes   */
#define SHRUNK 1e-6 /* the last time between two events, beside the longest              */

/* ---- triggers and kinks ---- */

/* The first point of a table after t, and a hair: there the piece after it is the one. */
double instance_next_time(double t)
{
    double next = HUGE_VAL;
    for (int k = 0; k < UNIT_TIMES; k++) {
        const double after = unit_times[k] + 8 * DBL_EPSILON * fabs(unit_times[k]) + DBL_MIN;
        if (after > t && after < next) next = after;
    }
    return next;
}

/* Values of what is watched at (t, x), and of the conditions of events. As solve. */
int instance_watch_values(instance *i, double t, const double *x, double *values, double *conditions)
{
    double qdd[N], lambda[ROWS + CONSTRAINTS + 1], g[2 * EVENTS + 1], sides[2 * UNIT_KINKS + 1] = {0};
    instance_take_inputs(i, t);
    if (EVENTS > 0) {
        const int result = instance_solve(i, t, x, qdd, lambda);
        if (result != 1) return result;
        MOTION(triggers)(&i->motion, t, x, x + N, x + 2 * N, i->u, qdd, lambda, g);
        memcpy(values, g, EVENTS * sizeof *g);
        memcpy(conditions, g + EVENTS, EVENTS * sizeof *g);
    }
    if (UNIT_KINKS > 0) {
        memset(qdd, 0, sizeof qdd);
        memset(lambda, 0, sizeof lambda);
        instance_list_active(i, lambda + ROWS);
        (void)MOTION(kink_motion)(i->code.kink, t, x, x + N, x + 2 * N, i->u, qdd, lambda, sides, i->code.work);
    }
    for (int k = 0; k < UNIT_KINKS; k++)
        values[EVENTS + k] =
            unit_is_floor[k] ? sin(3.14159265358979323846 * sides[2 * k]) : sides[2 * k] - sides[2 * k + 1];
    return instance_are_finite(values, WATCHES) ? 1 : -1;
}

/* Which way a trigger goes from here: a `set` may have turned it round. */
static int way_ahead(instance *i, int k, double value)
{
    double x[SIZE], values[WATCHES + 1], conditions[EVENTS + 1];
    const double dt = AHEAD / unit_gain;
    i->has_rates = 0;
    if (instance_look_here(i) != 1) return 0;
    for (int j = 0; j < SIZE; j++) x[j] = i->now.x[j] + dt * i->rates[j];
    i->has_rates = 0;
    if (instance_watch_values(i, i->now.t + dt, x, values, conditions) != 1) return 0;
    return values[k] > value ? 1 : values[k] < value ? -1 : 0;
}

/* On which side all of them are, at the start and after what happened. */
int instance_begin_watches(instance *i)
{
    double values[WATCHES + 1], conditions[EVENTS + 1];
    i->has_rates = 0;
    if (WATCHES == 0) return 1;
    const int result = instance_watch_values(i, i->now.t, i->now.x, values, conditions);
    if (result != 1) return result;
    for (int k = 0; k < WATCHES; k++) {
        watch *w = &i->now.watch[k];
        const double size = fabs(values[k]);
        w->largest = fmax(w->largest, size);
        w->floor = FLOOR * w->largest;
        w->is_pending = 0;
        if (w->has_fired && size <= STANDS * w->largest) {
            w->is_pending = k < EVENTS && unit_sets[k] && way_ahead(i, k, values[k]) == w->sign;
            w->sign = w->is_pending ? w->sign : 0;
            w->floor = fmax(w->floor, 4 * size);
        } else w->sign = size <= w->floor ? 0 : values[k] > 0 ? 1 : -1;
        w->has_fired = 0;
    }
    return 1;
}

/* Has it passed 0? Its side is noted where it was not known. */
static int has_crossed(watch *w, double value)
{
    if (w->sign == 0 && fabs(value) > w->floor) w->sign = value > 0 ? 1 : -1;
    if (w->is_pending ? w->sign * value < -w->floor : w->sign * value < 0 || (w->sign != 0 && value == 0)) return 1;
    if (w->is_pending && w->sign * value > w->floor) w->is_pending = 0;
    w->largest = fmax(w->largest, fabs(value));
    return 0;
}

/* ---- steps and events ---- */

int instance_completed_step(instance *i, int *wants_event, int *has_ended)
{
    kept *now = &i->now;
    double norm, values[WATCHES + 1], conditions[EVENTS + 1];
    *wants_event = 0;
    *has_ended = now->has_stopped;
    if (!instance_ensure_start(i)) return 0;
    now->is_off = i->has_rates = 0;
    if (WATCHES > 0 && instance_watch_values(i, now->t, now->x, values, conditions) == 1)
        for (int k = 0; k < WATCHES; k++) (void)has_crossed(&now->watch[k], values[k]);
    if (now->settings[PROJECTION] > 0) {
        instance_take_inputs(i, now->t);
        for (int level = POSITION; level <= VELOCITY; level++)
            now->is_off |= instance_look_at_rows(i, now->t, now->x, level, 0, &norm) > ROW_OFF;
    }
    *wants_event = now->is_off;
    return 1;
}

/* What has passed 0 here, and whether it does something. */
typedef struct passage {
    int fires[EVENTS + 1], has_event, has_kink;
    double conditions[EVENTS + 1];
} passage;

static int find_passages(instance *i, passage *p)
{
    double values[WATCHES + 1];
    memset(p, 0, sizeof *p);
    if (WATCHES == 0) return 1;
    i->has_rates = 0;
    const int result = instance_watch_values(i, i->now.t, i->now.x, values, p->conditions);
    for (int k = 0; k < WATCHES && result == 1; k++) {
        watch *w = &i->now.watch[k];
        if (!has_crossed(w, values[k])) continue;
        const int is_wanted =
            k >= EVENTS || ((MOTION(direction)[k] == 0 || MOTION(direction)[k] == -w->sign) && p->conditions[k] != 0);
        w->has_fired = is_wanted;
        if (k < EVENTS) p->has_event |= p->fires[k] = is_wanted;
        else p->has_kink = 1;
        if (is_wanted) continue;
        w->sign = -w->sign;
        w->is_pending = 0;
    }
    return result;
}

/* Bounces that are written as `set` are infinitely many in a finite time. */
static int check_gaps(instance *i, int k)
{
    watch *w = &i->now.watch[k];
    const double gap = i->now.t - w->fired_at;
    w->shrinking = w->gap > 0 && gap < w->gap ? w->shrinking + 1 : 0;
    w->gap = gap;
    w->fired_at = i->now.t;
    w->largest_gap = fmax(w->largest_gap, gap);
    if (!unit_sets[k] || w->shrinking < 2 || gap > SHRUNK * w->largest_gap) return 1;
    return instance_say(
        i, 1, "at t = %.10g: event %s accumulates: the last two came %.2g apart, each sooner than the one before",
        i->now.t, unit_event_names[k], gap);
}

/* Values of all actions at the state as it is. */
static int action_values(instance *i, double *values)
{
    kept *now = &i->now;
    double lambda[ROWS + CONSTRAINTS + 1];
    i->has_rates = 0;
    const int result = instance_look_here(i);
    if (result != 1) return result;
    memcpy(lambda, i->lambda, ROWS * sizeof *lambda);
    instance_list_active(i, lambda + ROWS);
    (void)MOTION(action_motion)(i->code.action, now->t, now->x, now->x + N, now->x + 2 * N, i->u, i->rates + N, lambda,
                                values, i->code.work);
    return 1;
}

static void put_in_force(instance *i, int constraint, int is_active)
{
    i->now.active[constraint] = (unsigned char)is_active;
    MOTION(set_active)(&i->motion, constraint, is_active);
}

/* Is it an action that moves the state, the last of `set`s that stand together? */
static int has_moved(int event, int a)
{
    const int is_last = a + 1 == unit_action_first[event + 1] || unit_action_kind[a + 1] != UNIT_SET;
    return unit_action_kind[a] == UNIT_IMPOSE || (unit_action_kind[a] == UNIT_SET && is_last);
}

/* One event; the `set`s of it all take their values before any of them. Each action is done wholly, onto the
   constraints, before the next. */
static int act(instance *i, int event, const double *values)
{
    kept *now = &i->now;
    int result = 1;
    if (i->logs_events) instance_say(i, 0, "t = %.12g: event %s", now->t, unit_event_names[event]);
    if (!check_gaps(i, event)) return 0;
    for (int a = unit_action_first[event]; a < unit_action_first[event + 1] && result == 1; a++) {
        const int kind = unit_action_kind[a];
        if (kind == UNIT_STOP) now->has_stopped = 1;
        if (kind == UNIT_SET) {
            if (values[a] - values[a] != 0)
                return instance_say(i, 1, "at t = %.10g: in event %s the value of a 'set' is not finite", now->t,
                                    unit_event_names[event]);
            now->x[unit_action_place[a]] = values[a];
        }
        if (kind == UNIT_RELEASE || kind == UNIT_IMPOSE)
            for (int c = unit_struck_first[a]; c < unit_struck_first[a + 1]; c++)
                put_in_force(i, unit_struck[c], kind == UNIT_IMPOSE);
        if (has_moved(event, a)) result = instance_project_from_afar(i);
    }
    return result;
}

static int act_all(instance *i, const passage *p)
{
    double values[UNIT_ACTIONS + 1] = {0};
    int result = 1;
    for (int k = 0; k < EVENTS && result == 1; k++) {
        if (!p->fires[k]) continue;
        result = action_values(i, values); /* at what the one before left */
        if (result == 1) result = act(i, k, values);
    }
    return result;
}

int instance_event(instance *i, int *is_moved, int *has_ended, double *next)
{
    kept *now = &i->now;
    double before[SIZE];
    passage p;
    *is_moved = *has_ended = 0;
    *next = HUGE_VAL;
    if (!instance_ensure_start(i)) return 0;
    memcpy(before, now->x, sizeof before);
    const int is_due = now->t >= now->next;
    now->next = instance_next_time(now->t);
    int result = find_passages(i, &p);
    const int happens = now->is_changed || now->is_off || p.has_event || p.has_kink || is_due;
    if (result == 1 && happens) result = instance_project(i);
    if (result == 1 && p.has_event) result = act_all(i, &p);
    now->is_changed = now->is_off = 0;
    instance_look_at_rank(i);
    if (result == 1 && happens) result = instance_begin_watches(i);
    *is_moved = memcmp(before, now->x, sizeof before) != 0;
    *has_ended = now->has_stopped;
    *next = now->next;
    return result;
}
