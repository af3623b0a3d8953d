/* A step sees the equation only where its stages lie. A spike along the motion that lies between two of them leaves the
   error test and the balance of the energy as they are. So the arguments of functions that can be spikes are bounded
   over the step: where one has a top, and all of it within less than the stages are apart, the equation is looked at in
   that place. If the motion that the step has found misses it there by more than the step may err, the step was blind:
   it ends before that place, and the next one climbs as far as its stages see. */
#include "simulate/spikes.h"

#include "base/mem.h"
#include "simulate/interpolant.h"
#include "system/spikes.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

enum {
    MOST_LOOKS = 2000, /* in one search; what lies behind them is searched in the next step */
    MOST_CUTS = 100,   /* of one step */
    /* Looks that a run has at hand; what each step and each place that a step was blind to give back. So only what is
       looked at for nothing, over and over, comes to an end. */
    LOOKS_AT_HAND = 1000000,
    LOOKS_PER_STEP = 200,
    LOOKS_PER_FIND = 10000
};

typedef struct sim_spikes_account { /* kept */
    size_t unresolved, which;       /* so many stretches may hide one; the first one's function, and when */
    double when;
    size_t spent; /* looks, of LOOKS_AT_HAND */
} sim_spikes_account;

struct sim_spikes {
    const system_spikes *of;
    sim_interpolant states;
    bound *y_over, *room;
    spikes_box box;
    double *y, *slope, *beside; /* (ny), (ny), (4 x ny) */
    sim_spikes_account *account;
};

mech_status sim_spikes_create(mech_sim *s)
{
    const system_spikes *of = system_spikes_get(s->system);
    if (!of) return MECH_OK;
    arena *memory = &s->memory.arena;
    size_t count;
    const uint32_t *state = system_spikes_states(of, &count);
    sim_spikes *x = arena_zeroed(memory, 1, sizeof *x);
    if (!x) return MECH_ERR_MEMORY;
    x->of = of;
    s->events.spikes = x;
    MECH_TRY(SIM_MAKE_KEPT(s, ARRAY_OF(x->account, 1)));
    MECH_TRY(ARENA_MAKE(memory, ARRAY_OF(x->y_over, count), ARRAY_OF(x->room, system_spikes_room(s->system)),
                        ARRAY_OF(x->box.low, count), ARRAY_OF(x->box.high, count),
                        ARRAY_OF(x->box.middle, system_spikes_count(of)), ARRAY_OF(x->y, s->ny),
                        ARRAY_OF(x->slope, s->ny), ARRAY_OF(x->beside, 4 * s->ny)));
    return sim_interpolant_create(s, state, count, &x->states);
}

void sim_spikes_begin(mech_sim *s)
{
    sim_spikes *x = s->events.spikes;
    if (x) system_spikes_leave(x->of, &x->box);
}

typedef struct search {
    mech_sim *s;
    sim_spikes *x;
    double narrow, finest; /* stages see what is wider; a stretch is not halved below the other */
    int left;              /* stretches */
    int has_failed;        /* there is no interpolant */
    int is_open;           /* not all of the step is searched */
    double from, to;       /* what was found; HUGE_VAL: nothing             */
    double cut;            /* where the step is to end; HUGE_VAL: it stands */
} search;

/* The slope of the interpolant in the middle of a stretch, into r->x->beside. */
static int interpolant_slope(search *r, double middle, double apart)
{
    const size_t ny = r->s->ny;
    sim_stepper *st = r->s->stepper;
    double *y = r->x->beside;
    for (int k = 0; k < 4; k++) {
        const double t = middle + (k < 2 ? k - 2 : k - 1) * apart;
        if (st->ops->dense(st, t, y + (size_t)k * ny) != 0) return 0;
    }
    for (size_t i = 0; i < ny; i++) y[i] = (8 * (y[2 * ny + i] - y[ny + i]) - (y[3 * ny + i] - y[i])) / (12 * apart);
    return 1;
}

/* What the step misses of the equation over a stretch, beside what it may err by. */
static double missed_in(search *r, double from, double to)
{
    mech_sim *s = r->s;
    sim_spikes *x = r->x;
    sim_stepper *st = s->stepper;
    const double length = to - from, middle = from + length / 2;
    double worst = 0;
    r->has_failed |= !interpolant_slope(r, middle, length / 8) || st->ops->dense(st, middle, x->y) != 0;
    if (r->has_failed) return 0;
    const int value = sim_rhs(s, middle, x->y, x->slope);
    if (value != 0) return HUGE_VAL;
    for (size_t i = 0; i + 1 < s->ny; i++) {
        const double size = fmax(fabs(x->y[i]), fmax(fabs(st->y[i]), fabs(s->y[i])));
        const double miss = length * fabs(x->slope[i] - x->beside[i]) / (s->settings.atol + s->settings.rtol * size);
        if (!(miss <= worst)) worst = miss;
    }
    return worst;
}

static void note_unresolved(search *r, size_t which, double when)
{
    sim_spikes *x = r->x;
    if (x->account->unresolved++ > 0) return;
    x->account->which = which;
    x->account->when = when;
}

static void give_back(sim_spikes *x, size_t looks)
{
    size_t *spent = &x->account->spent;
    *spent = *spent > looks ? *spent - looks : 0;
}

/* The first top, from the left, that the step was blind to. */
static void find(search *r, double from, double to)
{
    mech_sim *s = r->s;
    sim_spikes *x = r->x;
    size_t which = 0;
    if (r->from < HUGE_VAL || r->has_failed || r->is_open) return;
    if (r->left-- <= 0 || x->account->spent++ >= LOOKS_AT_HAND) {
        r->is_open = 1;
        if (r->left < 0 && from > s->stepper->t_old + r->finest) r->cut = from;
        else note_unresolved(r, 0, from);
        return;
    }
    r->has_failed = !sim_interpolant_over(s, &x->states, from, to);
    if (r->has_failed) return;
    system_spikes_over(s->eval, from, to, x->states.y, 1, x->room);
    const spikes_verdict v = system_spikes_judge(x->of, x->room, to == s->stepper->t, &which);
    if (v == SPIKES_NONE || (v == SPIKES_WITHIN && to - from >= r->narrow)) return;
    if (v != SPIKES_WITHIN && to - from > r->finest) {
        const double middle = from + (to - from) / 2;
        find(r, from, middle);
        find(r, middle, to);
    } else if (missed_in(r, from, to) > 1) {
        r->from = from;
        r->to = to;
        give_back(x, LOOKS_PER_FIND);
    } else if (v == SPIKES_FAR) note_unresolved(r, which, from);
}

/* Where the step is to end: before it begins to miss what rises to the top. One that begins there goes half of the way
   up, or as far as one look tells of. */
static double end_before_top(search *r)
{
    const double start = r->s->stepper->t_old, length = r->to - r->from;
    for (double away = 2 * length; r->from - away > start + length; away *= 2)
        if (missed_in(r, r->from - away - length, r->from - away) < 0.1) return r->from - away;
    return r->from - start > 4 * length ? start + (r->from - start) / 2 : r->to;
}

/* HUGE_VAL: the step stands. Where its interpolant is not known, half of it may be. *is_clear: nothing is hidden up to
   there. */
static double find_end(mech_sim *s, int *is_clear)
{
    const sim_stepper *st = s->stepper;
    const double h = st->t - st->t_old;
    search r = {.s = s,
                .x = s->events.spikes,
                .narrow = h / 4,
                .finest = 64 * DBL_EPSILON * fmax(fabs(st->t), h),
                .left = MOST_LOOKS,
                .from = HUGE_VAL,
                .cut = HUGE_VAL};
    sim_interpolant_prepare(s, &r.x->states);
    find(&r, st->t_old, st->t);
    if (r.from < HUGE_VAL) r.cut = end_before_top(&r);
    *is_clear = r.is_open;
    return r.has_failed && h > r.finest ? st->t_old + h / 2 : r.cut;
}

/* Methods that cannot take a step back begin anew at its start. */
static sim_step_result step_again(mech_sim *s, double t_limit)
{
    sim_stepper *st = s->stepper;
    if (st->ops->step_shorter) return st->ops->step_shorter(st, t_limit);
    if (sim_start_stepper(s, t_limit - s->t) != MECH_OK) return SIM_RHS_FAILED;
    return st->ops->step(st, t_limit);
}

sim_step_result sim_keep_sight(mech_sim *s)
{
    sim_spikes *x = s->events.spikes;
    const sim_stepper *st = s->stepper;
    const mech_status status = s->log.failure;
    sim_step_result result = SIM_STEPPED;
    if (!x) return result;
    int is_clear = 0;
    give_back(x, LOOKS_PER_STEP);
    for (int k = 0; k < MOST_CUTS && result == SIM_STEPPED && !is_clear; k++) {
        if (!system_spikes_may_hide(s->eval, s->t, s->y, st->t, st->y, 1, &x->box, x->y_over, x->room)) break;
        const double cut = find_end(s, &is_clear);
        if (!(cut < st->t)) break;
        result = step_again(s, cut);
    }
    if (result == SIM_STEPPED) s->log.failure = status;
    return result;
}

int sim_spikes_warn(const mech_sim *s, char *warning, size_t size)
{
    const sim_spikes *x = s->events.spikes;
    if (!x || !x->account->unresolved) return 0;
    char *name = system_spikes_name(s->system, x->account->which);
    snprintf(
        warning, size,
        "%s may have had a spike that no step has seen in %zu stretches of time, first at t = %.6g: its terms change "
        "within less than the clock can tell there; give them a width",
        name ? name : "the equation", x->account->unresolved, x->account->when);
    mem_free(name);
    return 1;
}
