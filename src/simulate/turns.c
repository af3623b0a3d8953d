/* A step sees a function of time alone only where its stages lie. A motion at rest takes steps of any length, and a
   pulse, or many turns of a sine, could lie between two stages. So a step contains at most one turn of such a function,
   and ends at a narrow one: the error test sees it there. */
#include "simulate/turns.h"
#include "system/bounds.h"

#include <math.h>

enum { MOST_STRETCHES = 2000 }; /* looked at in one search; what lies behind them is searched in the next step */

struct sim_turns {
    const system_bounds *bounds;
    size_t count;
    bound *room, *over, *first, *last;
    double *most; /* (count) the largest |value| met */
};

mech_status sim_turns_create(mech_sim *s)
{
    const system_bounds *bounds = system_bounds_get(s->system);
    const size_t count = bounds ? system_clock_count(bounds) : 0;
    if (count == 0) return MECH_OK;
    sim_turns *x = arena_alloc(&s->memory.arena, sizeof *x);
    if (!x) return MECH_ERR_MEMORY;
    *x = (sim_turns){.bounds = bounds, .count = count};
    s->events.turns = x;
    s->events.turn[0] = s->events.turn[1] = HUGE_VAL;
    s->events.turns_until = -HUGE_VAL;
    MECH_TRY(SIM_MAKE_KEPT(s, ARRAY_OF(x->most, count)));
    return ARENA_MAKE(&s->memory.arena, ARRAY_OF(x->room, system_clock_room(bounds)), ARRAY_OF(x->over, count),
                      ARRAY_OF(x->first, count), ARRAY_OF(x->last, count));
}

typedef struct search {
    mech_sim *s;
    sim_turns *x;
    double finest, found; /* HUGE_VAL: none yet */
    double reached;       /* searched up to here */
    int left;             /* stretches           */
} search;

/* May this one turn in the stretch, by more than rounding? */
static int may_turn(const bound *f, double most)
{
    const double change = f->high - f->low, size = fmax(fabs(f->low), fabs(f->high));
    if (f->slope_low > 0 || f->slope_high < 0) return 0;
    return !(change <= TOL_FLAT * size || size <= TOL_FLAT_LEAST * most);
}

/* Where between them the slopes at the ends tell of a turn, the first; or HUGE_VAL. *is_plain: they leave no room for a
   narrower one. */
static double turn_between(const search *r, double from, double to, int *is_plain)
{
    sim_turns *x = r->x;
    double first = HUGE_VAL;
    *is_plain = 1;
    system_clock_over(r->s->eval, from, from, x->room, x->first);
    system_clock_over(r->s->eval, to, to, x->room, x->last);
    for (size_t k = 0; k < x->count; k++) {
        const bound *f = &x->over[k];
        if (!may_turn(f, x->most[k])) continue;
        const double a = x->first[k].slope_low, b = x->last[k].slope_low;
        if (isfinite(a - b) && ((a > 0 && b <= 0) || (a < 0 && b >= 0)))
            first = fmin(first, from + (to - from) * (a / (a - b)));
        /* as a parabola has them */
        const double change = x->last[k].low - x->first[k].low, range = f->high - f->low, width = to - from;
        *is_plain &= range <= (fabs(a) + fabs(b)) * width && fabs(change - (a + b) / 2 * width) <= 0.25 * range;
    }
    return first;
}

/* The first turn, from the left. */
static void find(search *r, double from, double to)
{
    sim_turns *x = r->x;
    int may = 0;
    if (r->found < HUGE_VAL || r->left <= 0) return;
    r->left--;
    system_clock_over(r->s->eval, from, to, x->room, x->over);
    for (size_t k = 0; k < x->count; k++) {
        const double least =
            fmax(fmin(fabs(x->over[k].low), fabs(x->over[k].high)), fmax(-x->over[k].high, x->over[k].low));
        if (isfinite(least)) x->most[k] = fmax(x->most[k], least);
        may |= may_turn(&x->over[k], x->most[k]);
    }
    const double near = fmax(r->finest, 0.05 * (from - r->s->t)); /* where it is need not be known better */
    int is_plain = 0;
    const double turn = may && to - from <= near ? turn_between(r, from, to, &is_plain) : HUGE_VAL;
    if (may && !is_plain && to - from > r->finest) {
        const double middle = from + (to - from) / 2;
        find(r, from, middle);
        find(r, middle, to);
        return;
    }
    r->found = turn;
    r->reached = to;
}

/* Turns up to t_end, two at most, or as far as the search goes. */
static void look_ahead(mech_sim *s, double t_end)
{
    sim_events *e = &s->events;
    while (e->turn[1] == HUGE_VAL && e->turns_until < t_end) {
        search r = {.s = s,
                    .x = e->turns,
                    .finest = sim_resolution(s),
                    .found = HUGE_VAL,
                    .reached = e->turns_until,
                    .left = MOST_STRETCHES};
        find(&r, e->turns_until, t_end);
        e->turns_until = r.reached;
        if (r.found == HUGE_VAL && r.left <= 0) return;
        if (r.found < HUGE_VAL) e->turn[e->turn[0] < HUGE_VAL] = r.found;
    }
}

/* Is the turn a narrow one, seen from t: has a function still all its way to go at a quarter of the time before it? */
static int is_narrow(mech_sim *s, double t, double turn)
{
    sim_turns *x = s->events.turns;
    const double near = turn - (turn - t) / 4;
    system_clock_over(s->eval, t, t, x->room, x->first);
    system_clock_over(s->eval, near, near, x->room, x->over);
    system_clock_over(s->eval, turn, turn, x->room, x->last);
    for (size_t k = 0; k < x->count; k++) {
        const double whole = fabs(x->last[k].low - x->first[k].low), left = fabs(x->last[k].low - x->over[k].low);
        if (left > 0.5 * whole && left > TOL_FLAT * fabs(x->last[k].low)) return 1;
    }
    return 0;
}

double sim_before_turn(mech_sim *s, double t_end)
{
    sim_events *e = &s->events;
    if (!e->turns) return t_end;
    const int is_ours = s->method.kind == SIM_RK5 || s->method.kind == SIM_RK8;
    /* they grow no faster */
    const double least = s->t + sim_resolution(s), step = (is_ours ? 1.02 : 10) * s->stepper->h_next;
    const double ahead = step > 0 ? fmin(t_end, fmax(s->t + step, least)) : t_end;
    if (e->turns_until < s->t) e->turns_until = s->t;
    while (e->turn[0] <= least) e->turn[0] = e->turn[1], e->turn[1] = HUGE_VAL;
    if (e->turns_until < ahead) look_ahead(s, fmin(t_end, ahead + 4 * (ahead - s->t)));
    const double seen = e->turn[1] < HUGE_VAL ? e->turn[1] : fmax(e->turns_until, fmin(least, t_end));
    if (e->turn[0] < fmin(seen, ahead) && is_narrow(s, s->t, e->turn[0])) return e->turn[0];
    return fmin(seen, t_end);
}
