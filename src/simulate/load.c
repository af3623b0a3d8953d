/* The load of what slides: N = |lambda| has a kink where the row that loads it turns from pushing to pulling, as
   several have that do so together. Steps of our own pairs end there. Where in a step that is, samples tell, as of all
   reactions (resolve.c). They are taken where the stages of the step leave room for it. */
#include "simulate/crossings.h"
#include "simulate/resolve.h"
#include "base/tolerances.h"
#include "integrate/root.h"

#include <math.h>

/* A load that is one-sided is let go where it passes 0. */
static int may_have_kink(const dynamics_friction *f)
{
    return f->is_on && !f->mode.holds && f->law.row_count > 0 && !f->law.side;
}

/* Sum of a b over the rows in force that load it. */
static double load_product(const mech_sim *s, const dynamics_friction *f, const double *a, const double *b)
{
    double sum = 0;
    for (size_t i = 0; i < f->law.row_count; i++)
        if (s->eq->active[f->law.rows[i]]) sum += a[f->law.rows[i]] * b[f->law.rows[i]];
    return sum;
}

static double load_size(const mech_sim *s, const dynamics_friction *f, const double *load)
{
    return sqrt(load_product(s, f, load, load));
}

/* What is rounding of the load: a small part of what presses on the coordinates of its rows at the last solve, term by
   term and weighed by their masses, or accelerates them. Rows that hold what has no mass bear nothing else. */
static double rounding_of(const mech_sim *s, size_t k)
{
    const friction_law *law = &s->dyn.friction[k].law;
    const friction_state at = dynamics_friction_state(&s->dyn, k);
    double size = 0;
    for (size_t r = 0; r < law->row_count; r++) {
        double force = 0, reach = 0;
        for (size_t j = 0; j < at.n; j++) {
            const double *A = at.A + j * at.A_height, mass = fabs(at.M[j + j * at.n]);
            if (A[law->rows[r]] == 0 || !(mass > 0)) continue;
            double push = fabs(at.Q[j]);
            for (size_t i = 0; i < at.A_height; i++) push += fabs(A[i] * s->dyn.total[i]);
            force += push * push / mass;
            reach += A[law->rows[r]] * A[law->rows[r]] / mass;
        }
        if (reach > 0) size = fmax(size, fmax(force / reach, pow(s->dyn.b[law->rows[r]] / reach, 2)));
    }
    return TOL_FRICTION_ROUNDING * sqrt(size);
}

/* What is as good as no load: a small part of what the errors of steps make of the largest. */
static double floor_of(const mech_sim *s, size_t k)
{
    return fmax(TOL_FRICTION_LOAD, TOL_FRICTION_LOAD_PART * s->settings.rtol) * s->friction.load_largest[k];
}

/* The load at the point of the last solve, along the first one of this step, which it is where there was none yet. */
static void see_load(mech_sim *s, size_t k)
{
    const dynamics_friction *f = &s->dyn.friction[k];
    double *first = s->friction.load_first;
    if (!(load_size(s, f, first) > floor_of(s, k)))
        for (size_t i = 0; i < f->law.row_count; i++) first[f->law.rows[i]] = s->dyn.total[f->law.rows[i]];
    const double size = load_size(s, f, first), along = size > 0 ? load_product(s, f, first, s->dyn.total) / size : 0;
    s->friction.load_least[k] = fmin(s->friction.load_least[k], along);
    s->friction.load_most[k] = fmax(s->friction.load_most[k], along);
}

void sim_load_see(mech_sim *s)
{
    for (size_t k = 0; k < s->sizes.frictions; k++)
        if (may_have_kink(&s->dyn.friction[k])) see_load(s, k);
}

void sim_load_begin(mech_sim *s)
{
    for (size_t k = 0; k < s->sizes.frictions; k++) {
        const dynamics_friction *f = &s->dyn.friction[k];
        s->friction.load_largest[k] = fmax(s->friction.load_largest[k], load_size(s, f, s->dyn.total));
        for (size_t i = 0; i < f->law.row_count; i++) s->friction.load_first[f->law.rows[i]] = 0;
    }
    for (size_t k = 0; k < s->sizes.frictions; k++) {
        s->friction.load_least[k] = HUGE_VAL;
        s->friction.load_most[k] = -HUGE_VAL;
        see_load(s, k);
    }
}

typedef struct load_look {
    mech_sim *s;
    const dynamics_friction *f;
    double finest;   /* stretches are not halved below this              */
    sim_watch side;  /* its sign and floor                               */
    root_bracket at; /* the last sample on its side, and the one behind  */
} load_look;

typedef struct sample {
    double t, along;
} sample;

/* Of the load within the last step: what points along the first one. */
static int load_at(void *user, double t, double *along)
{
    const load_look *x = user;
    mech_sim *s = x->s;
    SIM_SCRATCH(s);
    double *y = sim_take_state(s);
    if (s->stepper->ops->dense(s->stepper, t, y) != 0 || sim_accelerate(s, t, y) != MECH_OK) return -1;
    *along = load_product(s, x->f, s->friction.load_first, s->dyn.total) / load_size(s, x->f, s->friction.load_first);
    return isfinite(*along) ? 0 : -1;
}

/* Has it left its side at this sample? The side is known from where it is more than nothing. */
static int has_passed(load_look *x, const sample *to)
{
    sim_watch *w = &x->side;
    if (w->sign == 0 && fabs(to->along) > w->floor) w->sign = to->along > 0 ? 1 : -1;
    if (w->sign * to->along > 0) x->at.a = to->t, x->at.fa = to->along;
    else x->at.b = to->t, x->at.fb = to->along;
    return w->sign * to->along < -w->floor;
}

/* The first passage of a stretch: 1, and between which samples; 0: there is none; -1: not known. */
static int find_passage(load_look *x, const sample *from, const sample *middle, const sample *to)
{
    sample five[5] = {*from, {0, 0}, *middle, {0, 0}, *to};
    double along[5];
    for (int i = 1; i < 5; i += 2) {
        five[i].t = five[i - 1].t + (five[i + 1].t - five[i - 1].t) / 2;
        if (load_at(x, five[i].t, &five[i].along) != 0) return -1;
    }
    for (int i = 0; i < 5; i++) along[i] = five[i].along;
    if (!sim_samples_tell(&x->side, along) && to->t - from->t > x->finest) {
        const int found = find_passage(x, from, &five[1], middle);
        return found != 0 ? found : find_passage(x, middle, &five[3], to);
    }
    for (int i = 1; i < 5; i++)
        if (has_passed(x, &five[i])) return 1;
    return 0;
}

/* The last step again, to where its load is 0, near t. The place is corrected on steps: the interpolant of one across
   the kink is off. */
static sim_step_result end_at_kink(const load_look *x, double t, double rate, double end)
{
    enum { MOST = 4 };
    mech_sim *s = x->s;
    sim_stepper *st = s->stepper;
    const double start = st->t_old, width = sim_event_width(s), size = load_size(s, x->f, s->friction.load_first);
    double before = (double)NAN, along_before = (double)NAN;
    sim_step_result result = SIM_STEPPED;
    for (int i = 0; i < MOST && t > start + 4 * width && t < end - width; i++) {
        result = st->ops->end_at(st, t);
        if (result != SIM_STEPPED || sim_accelerate(s, t, st->y) != MECH_OK) break;
        const double along = load_product(s, x->f, s->friction.load_first, s->dyn.total) / size,
                     secant = (along - along_before) / (t - before);
        if (secant * rate > 0) rate = secant;
        before = t;
        along_before = along;
        if (!(fabs(along / rate) > width)) break;
        t -= along / rate;
    }
    return result;
}

/* One of several rows that only turns has no kink: the load is no less there. */
static int only_turns(load_look *x)
{
    mech_sim *s = x->s;
    double along;
    if (x->f->law.row_count == 1) return 0;
    return load_at(x, x->at.b, &along) != 0 ||
           load_size(s, x->f, s->dyn.total) > TOL_FRICTION_TURNS * load_size(s, x->f, s->friction.load_first);
}

static sim_step_result look_for_kink(mech_sim *s, size_t k)
{
    const double start = s->stepper->t_old, end = s->stepper->t, width = sim_event_width(s);
    load_look x = {.s = s,
                   .f = &s->dyn.friction[k],
                   .finest = fmin(sim_resolution(s), (end - start) / 16),
                   .side = {.state = WATCH_PENDING}};
    sample three[3] = {{start + 8 * width, 0}, {start + (end - start) / 2, 0}, {end, 0}}; /* from behind a kink at it */
    if (!(three[0].t < three[1].t)) return SIM_STEPPED;
    for (int i = 0; i < 3; i++)
        if (load_at(&x, three[i].t, &three[i].along) != 0) return SIM_STEPPED;
    x.side.floor = fmax(floor_of(s, k), rounding_of(s, k));
    (void)has_passed(&x, &three[0]);
    if (find_passage(&x, &three[0], &three[1], &three[2]) <= 0) return SIM_STEPPED;
    const double rate = (x.at.fb - x.at.fa) / (x.at.b - x.at.a);
    return root_narrow(load_at, &x, width, &x.at) != 0 || only_turns(&x) ? SIM_STEPPED
                                                                         : end_at_kink(&x, x.at.b, rate, end);
}

sim_step_result sim_keep_load(mech_sim *s)
{
    sim_step_result result = SIM_STEPPED;
    const mech_status status = s->log.failure;
    if (!s->stepper->ops->step_shorter) return result;
    for (size_t k = 0; k < s->sizes.frictions && result == SIM_STEPPED; k++) {
        const double least = s->friction.load_least[k], most = s->friction.load_most[k];
        /* one that keeps from 0 by more than it changes does not reach it between two stages */
        if (may_have_kink(&s->dyn.friction[k]) && least <= most - least && most > 0) result = look_for_kink(s, k);
    }
    if (result == SIM_STEPPED) s->log.failure = status;
    return result;
}
