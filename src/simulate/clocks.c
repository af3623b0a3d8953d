/* Clocks. No rounding adds up along them, and steps end exactly at their instants. Those of 0.7 are the numbers next to
   7/10, 14/10, 21/10, ...: what else happens at 2.1 is at the same instant, and 3*0.7 as a product is below it. */
#include "simulate/sim.h"

#include <math.h>

mech_status sim_clocks_create(mech_sim *s)
{
    s->events.clocks.count = system_every_count(s->system);
    return SIM_MAKE_KEPT(s, ARRAY_OF(s->events.clocks.items, s->events.clocks.count));
}

#define WHOLE 9007199254740992. /* whole numbers below it are exact */
#define PARTS 1e6               /* the largest divisor of what counts as a quotient */

/* The quotient p/q that x is the number next to, of the least q. 0: there is none of a small q. */
static int as_quotient(double x, double *p, double *q)
{
    double before[2] = {0, 1}, now[2] = {1, 0}, rest = x; /* numerators, denominators of the last two */
    while (now[1] <= PARTS && fabs(now[0]) < WHOLE && isfinite(rest)) {
        const double whole = floor(rest);
        for (int i = 0; i < 2; i++) {
            const double next = whole * now[i] + before[i];
            before[i] = now[i];
            now[i] = next;
        }
        *p = now[0];
        *q = now[1];
        if (*p / *q == x) return *q <= PARTS && fabs(*p) < WHOLE;
        rest = 1 / (rest - whole);
    }
    return 0;
}

/* from + k*period = (first + k*step)/parts */
static void take_quotients(sim_clock *c)
{
    double p[2], q[2];
    c->parts = 0;
    if (!as_quotient(c->from, &p[0], &q[0]) || !as_quotient(c->period, &p[1], &q[1])) return;
    c->first = p[0] * q[1];
    c->step = p[1] * q[0];
    c->parts = q[0] * q[1];
}

static double instant(const sim_clock *c, int64_t k)
{
    const double whole = c->first + (double)k * c->step;
    const int is_exact = c->parts > 0 && fabs(c->first) < WHOLE && (double)k * c->step < WHOLE && fabs(whole) < WHOLE;
    return is_exact ? whole / c->parts : c->from + (double)k * c->period;
}

mech_status sim_clocks_place(mech_sim *s, int is_start)
{
    if (s->events.clocks.count == 0) return MECH_OK;
    sim_evaluate_start(s);
    for (size_t i = 0; i < s->events.clocks.count; i++) {
        sim_clock *c = &s->events.clocks.items[i];
        const double was = c->period, from = c->from;
        eval_clock(s->eval, i, &c->period, &c->from);
        if (!(c->period > 4 * sim_rounding(fmax(fabs(s->t), fabs(s->advance.horizon)))) ||
            !isfinite(c->period + c->from))
            return sim_fail(s, MECH_ERR_MODEL, "the period %g of 'every' number %zu is not one that the clock resolves",
                            c->period, i + 1);
        if (!is_start && c->period == was && c->from == from) continue;
        take_quotients(c);
        const double begin = is_start ? s->settings.from : s->t;
        c->next = (int64_t)fmax(0, floor((begin - c->from) / c->period) - 1);
        while (instant(c, c->next) < begin - sim_rounding(begin) ||
               (!is_start && instant(c, c->next) <= begin + sim_rounding(begin)))
            c->next++;
    }
    return MECH_OK;
}

double sim_clocks_next(const mech_sim *s)
{
    double next = HUGE_VAL;
    for (size_t i = 0; i < s->events.clocks.count; i++)
        next = fmin(next, instant(&s->events.clocks.items[i], s->events.clocks.items[i].next));
    return next;
}

int sim_clocks_are_due(const mech_sim *s)
{
    return s->events.clocks.count && sim_clocks_next(s) <= s->t + sim_rounding(s->t);
}

/* The evaluation here, with accelerations and reactions. */
static mech_status look(mech_sim *s)
{
    MECH_TRY(sim_accelerate(s, s->t, s->y));
    sim_moreau_put_forces(s);
    sim_show_solved(s);
    sim_evaluate_start(s);
    return MECH_OK;
}

/* The samples of one clock: all its values at the state that those before it left, then all are set. */
static mech_status sample(mech_sim *s, size_t clock)
{
    const size_t *state;
    size_t count;
    sim_moreau_show(s, 1);
    const mech_status status = look(s);
    const double *value = eval_samples(s->eval, clock, &state, &count);
    sim_moreau_show(s, 0);
    MECH_TRY(status);
    for (size_t k = 0; k < count; k++) {
        if (isfinite(value[k])) continue;
        const char *name = mech_system_name(s->system, MECH_ITEM_STATE, state[k]);
        return sim_fail(s, MECH_ERR_NOT_FINITE, "at t = %.10g: the sample of %s is not a finite number", s->t, name);
    }
    for (size_t k = 0; k < count; k++) s->y[2 * s->n + state[k]] = value[k];
    s->info.samples++;
    return MECH_OK;
}

mech_status sim_clocks_tick(mech_sim *s)
{
    for (size_t i = 0; i < s->events.clocks.count; i++) {
        sim_clock *c = &s->events.clocks.items[i];
        if (instant(c, c->next) > s->t + sim_rounding(s->t)) continue;
        MECH_TRY(sample(s, i));
        c->next++;
    }
    return MECH_OK;
}
