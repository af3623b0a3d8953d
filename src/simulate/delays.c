/* Delays. What x was is kept as polynomials through its values along the dense output of each step. Where the run began
   anew x or a derivative may have jumped: that comes back after each delay, and steps end there. Decision 0039. */
#include "base/mem.h"
#include "simulate/sim.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { POINTS = CHEBYSHEV_MOST + 1, MOST_DEPTH = 8 };

mech_status sim_delays_create(mech_sim *s)
{
    sim_delays *d = &s->delays;
    d->count = system_delay_count(s->system);
    d->others = d->least = HUGE_VAL;
    return ARENA_MAKE(&s->memory.arena, ARRAY_OF(d->items, d->count), ARRAY_OF(d->values, POINTS * d->count));
}

void sim_delays_free(mech_sim *s)
{
    for (size_t k = 0; s->delays.items && k < s->delays.count; k++) mem_free(s->delays.items[k].pieces);
    mem_free(s->delays.breaks);
}

/* ---- values ---- */

/* The piece that holds the time `at`, between the breaks that the delay is between. */
static const sim_piece *find(const sim_delay *d, double at)
{
    size_t low = d->first, high = d->end;
    while (high - low > 1) { /* the last that begins no later */
        const size_t middle = low + (high - low) / 2;
        if (d->pieces[middle].a <= at) low = middle;
        else high = middle;
    }
    while (low > d->first && d->pieces[low].a >= d->high) low--;
    while (low + 1 < d->end && d->pieces[low].b <= d->low) low++;
    return &d->pieces[low];
}

static double value_at(const sim_delay *d, double at)
{
    if (d->low == -HUGE_VAL || d->first == d->end) return d->start;
    const sim_piece *p = find(d, fmax(d->low, fmin(at, d->high)));
    const double x = (2 * at - p->a - p->b) / (p->b - p->a);
    return chebyshev_at(&p->x, fmax(-1, fmin(x, 1)));
}

static void give(void *sim, double t, double *values)
{
    const mech_sim *s = sim;
    for (size_t k = 0; k < s->delays.count; k++) values[k] = value_at(&s->delays.items[k], t - s->delays.items[k].lag);
}

/* ---- breaks ---- */

static void look_ahead(const mech_sim *s, sim_delay *d)
{
    d->high = d->next < s->delays.break_count ? s->delays.breaks[d->next].t : HUGE_VAL;
}

/* Breaks that all delays have passed. */
static void forget_breaks(sim_delays *d)
{
    size_t passed = SIZE_MAX;
    for (size_t k = 0; k < d->count; k++) passed = d->items[k].next < passed ? d->items[k].next : passed;
    if (passed < 64 || passed < d->break_count / 2) return;
    d->break_count -= passed;
    memmove(d->breaks, d->breaks + passed, d->break_count * sizeof *d->breaks);
    for (size_t k = 0; k < d->count; k++) d->items[k].next -= passed;
}

mech_status sim_delays_break(mech_sim *s)
{
    sim_delays *d = &s->delays;
    const int64_t order = d->order, most = s->method.kind == SIM_RK5 ? 5 : 8;
    d->order = 0;
    /* one of a higher order comes back in a derivative that the method does not see */
    if (d->count == 0 || order > most * (1 + (int)system_delay_depth(s->system))) return MECH_OK;
    if (d->break_count &&
        s->t <= d->breaks[d->break_count - 1].t + sim_rounding(s->t)) { /* several things at one instant */
        sim_break *last = &d->breaks[d->break_count - 1];
        if (order < last->order) last->order = order;
        return MECH_OK;
    }
    forget_breaks(d);
    if (!mem_grow(&d->breaks, &d->break_capacity, d->break_count + 1, sizeof *d->breaks)) return MECH_ERR_MEMORY;
    d->breaks[d->break_count++] = (sim_break){s->t, order};
    for (size_t k = 0; k < d->count; k++) look_ahead(s, &d->items[k]);
    s->advance.held_until = sim_delays_stop(s);
    return MECH_OK;
}

double sim_delays_stop(const mech_sim *s)
{
    const sim_delays *d = &s->delays;
    double next = HUGE_VAL;
    for (size_t k = 0; k < d->count; k++)
        if (d->items[k].next < d->break_count) next = fmin(next, d->breaks[d->items[k].next].t + d->items[k].lag);
    return next >= d->others - sim_rounding(d->others) ? d->others : next;
}

void sim_delays_pass(mech_sim *s, int is_alone)
{
    sim_delays *d = &s->delays;
    int64_t order = -1;
    for (size_t k = 0; k < d->count; k++) {
        sim_delay *x = &d->items[k];
        while (x->next < d->break_count && d->breaks[x->next].t + x->lag <= s->t + sim_rounding(s->t)) {
            const sim_break *b = &d->breaks[x->next++];
            if (order < 0 || b->order < order) order = b->order;
            x->low = b->t;
        }
        look_ahead(s, x);
    }
    d->order = is_alone && order >= 0 ? order + 1 : 0;
}

/* ---- the start ---- */

static mech_status read_lags(mech_sim *s, int is_first)
{
    sim_delays *d = &s->delays;
    sim_evaluate_start(s);
    const double *lags = eval_lags(s->eval);
    for (size_t k = 0; k < d->count; k++) {
        if (!is_first && lags[k] == d->items[k].lag) continue;
        if (!is_first)
            return sim_blame(s, MECH_ERR_MODEL, "the time of a delay was %g and would become %g: it stays during a run",
                             d->items[k].lag, lags[k]);
        if (!(lags[k] > 4 * sim_rounding(fmax(fabs(s->t), fabs(s->advance.horizon)))) || !isfinite(lags[k]))
            return sim_fail(s, MECH_ERR_MODEL, "the time %g of a delay is not one that the clock resolves", lags[k]);
        d->items[k].lag = lags[k];
        d->least = fmin(d->least, lags[k]);
    }
    return MECH_OK;
}

mech_status sim_delays_check(mech_sim *s)
{
    if (s->delays.count == 0) return MECH_OK;
    MECH_TRY(sim_set_point(s, s->t, s->y));
    return read_lags(s, 0);
}

mech_status sim_delays_begin(mech_sim *s)
{
    sim_delays *d = &s->delays;
    if (d->count == 0) return MECH_OK;
    d->least = HUGE_VAL;
    d->break_count = 0;
    eval_set_delay_source(s->eval, NULL, NULL);
    MECH_TRY(sim_set_point(s, s->t, s->y));
    const double *x = eval_delayed(s->eval);
    for (size_t k = 0; k < d->count; k++) {
        sim_delay *to = &d->items[k];
        to->start = x[k];
        to->size = fabs(x[k]);
        to->first = to->end = to->next = 0;
        to->low = -HUGE_VAL;
        to->high = HUGE_VAL;
    }
    MECH_TRY(read_lags(s, 1));
    eval_set_delay_source(s->eval, give, s);
    d->order = 1; /* x goes on from its start; its slope jumps */
    return MECH_OK;
}

/* ---- what is remembered ---- */

static void forget(sim_delay *d, double t)
{
    while (d->first < d->end && d->pieces[d->first].b < t) d->first++;
    if (d->first < 64 || d->first < d->end / 2) return;
    d->end -= d->first;
    memmove(d->pieces, d->pieces + d->first, d->end * sizeof *d->pieces);
    d->first = 0;
}

static mech_status keep(mech_sim *s, size_t k, double a, double b, const chebyshev *x)
{
    sim_delay *d = &s->delays.items[k];
    if (!mem_grow(&d->pieces, &d->capacity, d->end + 1, sizeof *d->pieces)) return MECH_ERR_MEMORY;
    sim_piece *to = &d->pieces[d->end++];
    memset(to, 0, sizeof *to); /* checkpoints hold its bytes, all of them */
    to->a = a;
    to->b = b;
    to->x.degree = x->degree;
    memcpy(to->x.c, x->c, sizeof x->c);
    return MECH_OK;
}

/* All values at Chebyshev points of the last step's part [a, b]. */
static mech_status look_along(mech_sim *s, double a, double b, double *y)
{
    const sim_stepper *st = s->stepper;
    const size_t count = s->delays.count;
    const double middle = a + (b - a) / 2, half = (b - a) / 2;
    for (int j = 0; j < POINTS; j++) {
        const double t = j == 0 ? b : j == POINTS - 1 ? a : middle + half * chebyshev_point(j);
        if (t == st->t) memcpy(y, st->y, s->ny * sizeof *y);
        else MECH_TRY(sim_dense(s, t, y));
        MECH_TRY(sim_set_point(s, t, y));
        memcpy(s->delays.values + (size_t)j * count, eval_delayed(s->eval), count * sizeof *y);
    }
    return MECH_OK;
}

/* What is held comes back as it was, to the last bit: it may be compared with numbers. */
static chebyshev through(mech_sim *s, size_t k)
{
    double f[POINTS], *size = &s->delays.items[k].size;
    int is_held = 1;
    for (int j = 0; j < POINTS; j++) {
        f[j] = s->delays.values[(size_t)j * s->delays.count + k];
        *size = fmax(*size, fabs(f[j]));
        is_held &= f[j] == f[0];
    }
    return is_held ? (chebyshev){.degree = CHEBYSHEV_MOST, .c = {f[0]}} : chebyshev_through(f, CHEBYSHEV_MOST);
}

/* Do the polynomials through what was looked at tell? Not below the rounding of the largest values there were. */
static int are_told(mech_sim *s)
{
    for (size_t k = 0; k < s->delays.count; k++) {
        const chebyshev p = through(s, k);
        const double size = s->delays.items[k].size, most = s->settings.rtol * size + s->settings.atol;
        if (!(chebyshev_tail(&p) <= fmax(TOL_DELAY * most, 64 * DBL_EPSILON * size))) return 0;
    }
    return 1;
}

/* A part of the last step: taken where the polynomials tell, or cut in two. */
static mech_status record(mech_sim *s, double a, double b, int depth, double *y)
{
    const double middle = a + (b - a) / 2;
    MECH_TRY(look_along(s, a, b, y));
    if (depth < MOST_DEPTH && a < middle && middle < b && !are_told(s)) {
        MECH_TRY(record(s, a, middle, depth + 1, y));
        return record(s, middle, b, depth + 1, y);
    }
    for (size_t k = 0; k < s->delays.count; k++) {
        const chebyshev p = through(s, k);
        MECH_TRY(keep(s, k, a, b, &p));
    }
    return MECH_OK;
}

mech_status sim_delays_step(mech_sim *s)
{
    const sim_stepper *st = s->stepper;
    if (s->delays.count == 0 || !(st->t > st->t_old)) return MECH_OK;
    SIM_SCRATCH(s);
    const mech_status status = record(s, st->t_old, st->t, 0, sim_take_state(s));
    for (size_t k = 0; k < s->delays.count; k++)
        forget(&s->delays.items[k], st->t_old - s->delays.items[k].lag - 4 * sim_rounding(st->t));
    return status;
}

/* ---- checkpoints ---- */

static void visit_list(state_walk *w, void *list, size_t *count, size_t *capacity, size_t size)
{
    void *items;
    state_count(w, count, size);
    if (w->reads && !w->failed && *count && !mem_grow(list, capacity, *count, size)) w->lacks_memory = w->failed = 1;
    if (w->failed) *count = 0;
    memcpy(&items, list, sizeof items);
    if (*count) state_bytes(w, items, *count * size);
}

void sim_delays_visit(mech_sim *s, state_walk *w)
{
    sim_delays *d = &s->delays;
    for (size_t k = 0; k < d->count; k++) {
        sim_delay *x = &d->items[k];
        size_t count = x->end - x->first;
        if (!w->reads && x->first) memmove(x->pieces, x->pieces + x->first, count * sizeof *x->pieces);
        visit_list(w, &x->pieces, &count, &x->capacity, sizeof *x->pieces);
        x->first = 0;
        x->end = count;
        STATE_FIELDS(w, x->lag, x->start);
        STATE_FIELDS(w, x->next, x->high);
    }
    visit_list(w, &d->breaks, &d->break_count, &d->break_capacity, sizeof *d->breaks);
    for (size_t k = 0; k < d->count && w->reads; k++) state_must(w, d->items[k].next <= d->break_count);
    STATE_FIELDS(w, d->least, d->order);
}
