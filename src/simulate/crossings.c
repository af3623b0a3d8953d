/* Where between two samples of a step the watched functions pass 0, and which of these passages set something off. */
#include "simulate/crossings.h"
#include "integrate/root.h"
#include "system/bounds.h"

#include <float.h>
#include <math.h>

int sim_values_within(mech_sim *s, double t, double *values)
{
    const sim_stepper *st = s->stepper;
    const double beyond = t - st->t, back = fmin(beyond, st->t - st->t_old);
    SIM_SCRATCH(s);
    double *y = sim_take_state(s);
    if (st->ops->dense(s->stepper, back > 0 ? st->t - back : t, y) != 0) return -1;
    for (size_t i = 0; i < s->ny && back > 0; i++) y[i] = st->y[i] + beyond / back * (st->y[i] - y[i]);
    return sim_watch_values(s, t, y, values);
}

int sim_value_within(mech_sim *s, size_t k, double t, double *value)
{
    const int result = sim_values_within(s, t, s->events.tried);
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
    const int result = sim_value_within(x->s, x->watch, t, value);
    *value = shifted(x, *value);
    return result;
}

double sim_event_width(const mech_sim *s)
{
    return fmax(s->settings.event_tol * sim_span(s), 4 * DBL_EPSILON * fabs(s->stepper->t));
}

double sim_instant_width(const mech_sim *s) { return 8 * sim_event_width(s); }

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
    if (root_narrow(shifted_value, &x, sim_event_width(s), &bracket) != 0) return s->log.failure;
    *where = bracket.b;
    return MECH_OK;
}

/* Is it off 0, as 1 or -1? */
static int is_off(void *user, double t, double *value)
{
    const search *x = user;
    const int result = sim_value_within(x->s, x->watch, t, value);
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
    if (root_narrow(is_off, &(search){.s = s, .watch = k}, width, &bracket) != 0) return s->log.failure;
    const double t = bracket.b;
    if (sim_value_within(s, k, bracket.a, &before) != 0 || sim_value_within(s, k, t, &behind) != 0 ||
        sim_value_within(s, k, t + 2 * width, &further) != 0)
        return s->log.failure;
    const int is_start = t - 2 * width <= s->settings.from;
    if (!is_start && fabs(behind - before) > 10 * fabs(further - behind)) *where = t;
    return MECH_OK;
}

mech_status sim_condition_holds(mech_sim *s, size_t k, double t, int *holds)
{
    *holds = 1;
    if (!sim_has_condition(s, k)) return MECH_OK;
    if (sim_values_within(s, t, s->events.tried) != 0) return s->log.failure;
    *holds = s->eq->condition[k] != 0;
    return MECH_OK;
}

/* Crossings that set nothing off: what has passed its threshold before `where`, or at that instant, or before b where
   nothing happens, is on its other side there, whatever others do there. What passes it later has not yet. */
static mech_status note_passages(mech_sim *s, double where, const sim_sampled *b)
{
    const double *values = b->values, behind = fmin(where + sim_instant_width(s), s->stepper->t);
    for (size_t k = 0; k < s->events.count; k++) {
        sim_watch *w = &s->events.watch[k];
        if (w->outcome != WATCH_PASSES) continue;
        if (where < HUGE_VAL && values == b->values) {
            values = s->events.tried;
            if (sim_values_within(s, behind, s->events.tried) != 0) return s->log.failure;
        }
        if (where < HUGE_VAL && !(w->sign * values[k] <= 0)) continue;
        sim_note_passed(w, values[k]);
    }
    return MECH_OK;
}

/* The first passage of watch k between a and b, if there is one: which way, or 0, and where. */
static mech_status see_passage(mech_sim *s, size_t k, const sim_sampled *a, const sim_sampled *b, int *way, double *t)
{
    sim_watch *w = &s->events.watch[k];
    const int stood = w->sign == 0 && fabs(a->values[k]) <= w->floor;
    *way = sim_has_crossed(w, b->values[k]) ? -w->sign : 0;
    if (*way && sim_is_wanted(s, k, *way)) return locate(s, k, a->t, a->values[k], b->t, b->values[k], t);
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
        w->passes_at = t;
        if (!sim_is_wanted(s, k, way)) continue;
        MECH_TRY(sim_condition_holds(s, k, t, &holds));
        if (!holds) continue;
        const double near = sim_instant_width(s);
        if (t < *where - near) sim_unfire_before(s, k); /* those come later */
        w->outcome = t <= *where + near ? WATCH_FIRED : WATCH_QUIET;
        if (t < *where) *where = t;
    }
    return note_passages(s, *where, b);
}
