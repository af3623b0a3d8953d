/* Rows that follow the motion. A step is looked at at four points of its dense output, with the outputs there: where a
   straight line between rows would miss them by too much, rows lie at half the distance, or at a quarter, and so on.
   The distances are those of one grid halved again and again, so a step needs to know nothing about the rows of the one
   before. */
#include "simulate/sim.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { BASE_ROWS = 100, MOST_HALVINGS = 7, PROBES = 4 };
static const double MISS = TOL_FOLLOW_MISS; /* of the range: half a pixel of a figure */

static size_t control_count(const mech_sim *s)
{
    return !s->dyn.has_control ? 0 : s->sizes.actuators ? s->sizes.actuators : s->n;
}

mech_status sim_follow_create(mech_sim *s)
{
    sim_follow *f = &s->record.follow;
    if (!s->settings.follow) return MECH_OK;
    f->count = 2 * s->n + s->nz + s->sizes.outputs + control_count(s);
    MECH_TRY(SIM_MAKE_KEPT(s, ARRAY_OF(f->low, f->count), ARRAY_OF(f->high, f->count)));
    return ARENA_MAKE(&s->memory.arena, ARRAY_OF(f->probe, PROBES * f->count));
}

void sim_follow_begin(mech_sim *s)
{
    sim_follow *f = &s->record.follow;
    const mech_sim_settings *given = &s->caller.given.settings;
    const int is_asked_for = given->output_step > 0 || given->output_points > 0 ||
                             mech_eval_option(s->eval, "step", NULL, NULL) ||
                             mech_eval_option(s->eval, "points", NULL, NULL);
    const unsigned wanted = isfinite(s->settings.until) ? s->settings.follow : 0;
    f->how = wanted & MECH_FOLLOW_ROWS && !is_asked_for ? MECH_FOLLOW_ROWS
             : wanted & MECH_FOLLOW_KEPT                ? MECH_FOLLOW_KEPT
                                                        : 0;
    f->last = f->last_kink = -HUGE_VAL;
    f->spacing = f->coarse = 0;
    for (size_t i = 0; i < f->count; i++) {
        f->low[i] = HUGE_VAL;
        f->high[i] = -HUGE_VAL;
    }
}

static double base_spacing(const mech_sim *s) { return (s->settings.until - s->settings.from) / BASE_ROWS; }

/* What is followed at t, into `values`; how many of it are known. */
static size_t look_at(mech_sim *s, double t, int with_outputs, double *values)
{
    SIM_SCRATCH(s);
    sim_stepper *st = s->stepper;
    double *y = sim_take_state(s);
    const size_t own = 2 * s->n + s->nz;
    if (st->ops->dense(st, t, y) != 0) return 0;
    memcpy(values, y, own * sizeof *y);
    if (!with_outputs || s->record.follow.count == own) return own;
    const int is_known = sim_accelerate(s, t, y) == MECH_OK && mech_eval_output(s->eval) == MECH_OK;
    if (!is_known) {
        s->log.failure = MECH_OK; /* a row that is due there will say it */
        return own;
    }
    values += own;
    if (s->sizes.outputs) memcpy(values, s->eq->output, s->sizes.outputs * sizeof *values);
    values += s->sizes.outputs;
    if (control_count(s)) memcpy(values, s->sizes.actuators ? s->dyn.u : s->dyn.Qc, control_count(s) * sizeof *values);
    return s->record.follow.count;
}

static void widen(sim_follow *f, size_t known)
{
    for (size_t k = 0; k < PROBES; k++)
        for (size_t i = 0; i < known; i++) {
            const double value = f->probe[k * f->count + i];
            f->low[i] = fmin(f->low[i], value);
            f->high[i] = fmax(f->high[i], value);
        }
}

/* By how much a straight line over half the step misses the entries from first to end, as parts of what may be missed;
   `error` and atol: what the values are known to. */
static double largest_miss(const sim_follow *f, size_t first, size_t end, double error, double atol)
{
    double most = 0, widest = 0;
    for (size_t i = first; i < end; i++) widest = fmax(widest, f->high[i] - f->low[i]);
    for (size_t i = first; i < end; i++) {
        const double *p = f->probe + i;
        const size_t next = f->count;
        const double bend =
                         fmax(fabs(p[0] - 2 * p[next] + p[2 * next]), fabs(p[next] - 2 * p[2 * next] + p[3 * next])) /
                         2,
                     known = error * fmax(fabs(f->low[i]), fabs(f->high[i])) + atol,
                     range = fmax(f->high[i] - f->low[i], TOL_FOLLOW_FLAT * widest);
        if (bend > known && range > 0) most = fmax(most, (bend - known) / (MISS * range));
    }
    return most;
}

/* How far apart rows lie between two times of the step; 0: nothing is known. */
static double find_spacing(mech_sim *s, double from, double to)
{
    sim_follow *f = &s->record.follow;
    const double base = base_spacing(s), finest = ldexp(base, -MOST_HALVINGS), h = to - from;
    const size_t n = s->n, own = 2 * n + s->nz;
    size_t known = f->count;
    for (size_t k = 0; k < PROBES; k++) {
        const double at = from + h * (2 * (double)k + 1) / (2 * PROBES);
        const size_t got = look_at(s, at, h > finest, f->probe + k * f->count);
        if (got < known) known = got;
    }
    if (known < own) return 0;
    widen(f, known);
    const double error = 10 * s->settings.rtol, atol = 10 * s->settings.atol;
    double most = largest_miss(f, 0, n, error, atol);
    most = fmax(most, largest_miss(f, n, 2 * n, error, atol));
    most = fmax(most, largest_miss(f, 2 * n, own, error, atol));
    if (known > own) most = fmax(most, largest_miss(f, own, known, fmax(TOL_FOLLOW_FLAT, 10 * error), atol));
    const double wanted = most > 0 ? h / 2 / sqrt(most) : HUGE_VAL;
    int halvings = 0;
    while (halvings < MOST_HALVINGS && ldexp(base, -halvings) > wanted) halvings++;
    if (finest > 2 * wanted) f->coarse += h;
    if (f->coarse > base) s->info.rows_are_coarse = 1; /* at the start ranges are not known yet */
    return ldexp(base, -halvings);
}

/* A time of the grid behind t; far from 0 times are rounded more than the grid needs. */
static double grid_time(const mech_sim *s, double t, double spacing)
{
    const double from = s->settings.from, rounding = 4 * DBL_EPSILON * fmax(fabs(t), fabs(from));
    if (!(spacing > 0)) return HUGE_VAL;
    return from + spacing * (floor((t - from) / spacing + fmax(TOL_FOLLOW_GRID, rounding / spacing)) + 1);
}

double sim_follow_next(mech_sim *s, double t)
{
    sim_follow *f = &s->record.follow;
    const sim_stepper *st = s->stepper;
    if (!f->how) return HUGE_VAL;
    /* steps follow y, and outputs may be faster than that: they are looked at in pieces */
    const double base = base_spacing(s), longest = f->count > 2 * s->n + s->nz ? base / 4 : HUGE_VAL;
    for (t = fmax(t, f->last);; t = fmax(t, f->looked_until)) {
        if (t >= f->looked_until || f->looked_until == st->t_old) {
            const double from = f->looked_until, to = fmin(st->t, from + longest);
            if (!(to > from)) return HUGE_VAL;
            const int is_in_reach = grid_time(s, fmax(t, from), ldexp(base, -MOST_HALVINGS)) < to;
            f->spacing = is_in_reach ? find_spacing(s, from, to) : 0;
            f->looked_until = to;
        }
        const double next = grid_time(s, t, f->spacing);
        if (next < f->looked_until) return next;
        if (f->looked_until >= st->t) return HUGE_VAL;
    }
}

mech_status sim_follow_kink(mech_sim *s, int is_behind)
{
    sim_follow *f = &s->record.follow;
    if (!f->how || s->kink.gap_left > 0) return MECH_OK;
    if (!is_behind && s->t - f->last_kink < ldexp(base_spacing(s), -MOST_HALVINGS)) return MECH_OK;
    if (is_behind && !(f->last_kink >= s->t - 2 * fabs(s->kink.gap) - TOL_FOLLOW_KINK * fabs(s->t))) return MECH_OK;
    f->last_kink = s->t;
    if (is_behind && sim_next_row(s) <= s->t) return MECH_OK; /* within the hair: it shows the state behind it */
    return sim_row_between(s);
}
