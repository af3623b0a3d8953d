/* Dry friction at rest; see friction_modes.h. */
#include "dynamics/friction_modes.h"

#include "base/tolerances.h"

#include <math.h>
#include <string.h>

enum {
    FRICTION_TURNS = 40,        /* towards the direction of sliding                                  */
    FRICTION_SEARCH_MOST = 6,   /* at rest at once, of which all choices may be tried                */
    FRICTION_CHOICES_MOST = 729 /* and so many choices                                               */
};

/* ---- is a choice an answer? ---- */

static int friction_may_slide(const friction_mode *mode, const friction_look *at)
{
    return friction_dot(at->rate, mode->direction, FRICTION_MOST) >=
           -(mode->gave_way ? TOL_FRICTION_LATE : TOL_FRICTION_ROUNDING) * at->size.rate;
}

static int friction_is_still(const friction_look *at)
{
    return !(friction_norm(at->rate, FRICTION_MOST) > TOL_FRICTION_ASKED * at->size.rate);
}

static int friction_may_hold(const friction_mode *mode, const friction_look *at)
{
    const double pull = friction_norm(at->pull, FRICTION_MOST);
    /* constraints ask for a V' of their own */
    if (!friction_is_still(at)) return 0;
    return mode->gave_way ? pull < at->bound * (1 - TOL_FRICTION_LATE)
                          : pull <= at->bound + TOL_FRICTION_ROUNDING * at->size.force;
}

static int friction_is_met(const friction_modes *p, size_t k, const friction_mode *mode, const friction_look *at)
{
    if (mode->is_full) return friction_is_still(at) && p->is_held(p->user, k);
    return mode->holds ? friction_may_hold(mode, at) : friction_may_slide(mode, at);
}

int friction_accepts(const friction_modes *p, const double *qdd, const double *total)
{
    friction_look at;
    for (size_t k = 0; k < p->count; k++) {
        const friction_mode *mode = p->mode(p->user, k);
        if (!mode->rests || ((mode->holds || mode->is_full) && !p->asks_all)) continue;
        p->look(p->user, k, qdd, total, &at);
        if (!(mode->is_full ? friction_is_still(&at)
              : mode->holds ? friction_may_hold(mode, &at)
                            : friction_may_slide(mode, &at)))
            return 0;
    }
    return 1;
}

/* The first one that does not meet its choice in the motion solved last, or count. */
static size_t friction_first_wrong(const friction_modes *p, friction_look *at)
{
    for (size_t k = 0; k < p->count; k++) {
        const friction_mode *mode = p->mode(p->user, k);
        if (!mode->rests) continue;
        p->look(p->user, k, NULL, NULL, at);
        if (!friction_is_met(p, k, mode, at)) return k;
    }
    return p->count;
}

/* ---- where to ---- */

static void friction_point_along(friction_mode *mode, const double *x)
{
    const double size = friction_norm(x, FRICTION_MOST);
    for (size_t a = 0; a < FRICTION_MOST; a++) mode->direction[a] = size > 0 ? x[a] / size : 0;
}

/* Broyden's method for one direction: V' - (V'.d) d = 0. */
typedef struct friction_turning {
    double H[FRICTION_MOST][FRICTION_MOST];    /* inverse of its derivative */
    double d[FRICTION_MOST], F[FRICTION_MOST]; /* before the last turn      */
    int turns;
} friction_turning;

/* What of V' points beside the direction. */
static double friction_beside(const friction_mode *mode, const double *rate, double *F)
{
    const double along = friction_dot(rate, mode->direction, FRICTION_MOST);
    for (size_t a = 0; a < FRICTION_MOST; a++) F[a] = rate[a] - along * mode->direction[a];
    return friction_norm(F, FRICTION_MOST);
}

static void friction_learn(friction_turning *t, const double *d, const double *F)
{
    double s[FRICTION_MOST], y[FRICTION_MOST], Hy[FRICTION_MOST], sH[FRICTION_MOST] = {0}, sHy = 0;
    for (size_t a = 0; a < FRICTION_MOST; a++) s[a] = d[a] - t->d[a], y[a] = F[a] - t->F[a];
    for (size_t a = 0; a < FRICTION_MOST; a++) {
        Hy[a] = friction_dot(t->H[a], y, FRICTION_MOST);
        sHy += s[a] * Hy[a];
        for (size_t b = 0; b < FRICTION_MOST; b++) sH[b] += s[a] * t->H[a][b];
    }
    for (size_t a = 0; a < FRICTION_MOST && sHy != 0; a++)
        for (size_t b = 0; b < FRICTION_MOST; b++) t->H[a][b] += (s[a] - Hy[a]) * sH[b] / sHy;
}

static void friction_turn(friction_turning *t, friction_mode *mode, const double *F, double size)
{
    double next[FRICTION_MOST];
    if (t->turns++ > 0) friction_learn(t, mode->direction, F);
    else
        for (size_t a = 0; a < FRICTION_MOST; a++) t->H[a][a] = -1 / size;
    for (size_t a = 0; a < FRICTION_MOST; a++) next[a] = mode->direction[a] - friction_dot(t->H[a], F, FRICTION_MOST);
    memcpy(t->d, mode->direction, sizeof t->d);
    memcpy(t->F, F, sizeof t->F);
    friction_point_along(mode, next);
}

/* Solves, and turns the direction of each that begins to slide until V' points along it. One after the other, and again
   while any turns. */
static int friction_solve_turning(const friction_modes *p)
{
    double basis[FRICTION_MOST][FRICTION_MOST], F[FRICTION_MOST];
    int status = p->solve(p->user);
    if (status) return status;
    for (int sweep = 0, turned = 1; turned && sweep < FRICTION_TURNS; sweep++) {
        turned = 0;
        for (size_t k = 0; k < p->count; k++) {
            friction_mode *mode = p->mode(p->user, k);
            friction_turning t = {.turns = 0};
            int is_close = 1; /* found so before: there one turn more is worth as many digits again */
            if (!mode->rests || mode->holds || mode->is_full || p->surface(p->user, k, basis) < 2) continue;
            while (t.turns < FRICTION_TURNS) {
                friction_look at;
                p->look(p->user, k, NULL, NULL, &at);
                const int is_met = !(friction_beside(mode, at.rate, F) > TOL_FRICTION_TURNED * at.size.rate);
                if (is_met && is_close) break;
                is_close = is_met;
                turned = 1;
                friction_turn(&t, mode, F, at.size.rate);
                status = p->solve(p->user);
                if (status) return status;
            }
            if (t.turns == FRICTION_TURNS) return p->no_reaction;
        }
    }
    return 0;
}

/* ---- step by step ---- */

/* Another choice for one that is wrong: what cannot hold bears all it can, if that is more than while it slides; what
   moves then slides. */
static void friction_change(const friction_modes *p, friction_mode *mode, friction_look *at)
{
    for (size_t a = 0; a < FRICTION_MOST; a++) at->pull[a] = -at->pull[a];
    if (mode->is_full) {
        mode->is_full = 0;
        return;
    }
    if (mode->holds) friction_point_along(mode, friction_norm(at->pull, FRICTION_MOST) > 0 ? at->pull : at->rate);
    mode->is_full = mode->holds && at->has_reserve && p->is_held;
    mode->holds = !mode->holds;
}

/* All hold; the first that is wrong changes its mind, until none is. *is_found 0: that leads nowhere. */
static int friction_step_by_step(const friction_modes *p, int *is_found)
{
    friction_look at;
    *is_found = 0;
    for (size_t k = 0; k < p->count; k++)
        if (p->mode(p->user, k)->rests) p->mode(p->user, k)->holds = 1, p->mode(p->user, k)->is_full = 0;
    for (size_t tries = 0; tries <= 3 * p->count; tries++) {
        const int status = friction_solve_turning(p);
        if (status) return status;
        const size_t k = friction_first_wrong(p, &at);
        *is_found = k == p->count;
        if (*is_found) return 0;
        friction_change(p, p->mode(p->user, k), &at);
    }
    return 0;
}

/* ---- all choices ---- */

typedef struct friction_answer {
    int sliders; /* -1: none */
    friction_mode modes[FRICTION_SEARCH_MOST];
    double rates[FRICTION_SEARCH_MOST][FRICTION_MOST], size;
} friction_answer;

typedef struct friction_choices {
    const friction_modes *p;
    size_t which[FRICTION_SEARCH_MOST], count; /* those at rest                              */
    int kinds[FRICTION_SEARCH_MOST], end;      /* how many choices for each, and for all     */
    friction_answer now, best;
} friction_choices;

/* To hold, and directions in which to begin: to and fro along a line, around a plane, all over space. */
static int friction_kinds_of(size_t dimensions)
{
    static const int kinds[FRICTION_MOST + 1] = {1, 1 + 2, 1 + 12, 1 + 26};
    return kinds[dimensions];
}

static void friction_begin_along(double basis[FRICTION_MOST][FRICTION_MOST], size_t dimensions, int i,
                                 friction_mode *mode)
{
    const double angle = 2 * 3.14159265358979323846 / 12 * ((double)i + 0.3);
    double part[FRICTION_MOST] = {i == 0 ? 1 : -1}, d[FRICTION_MOST] = {0};
    if (dimensions == 2) part[0] = cos(angle), part[1] = sin(angle);
    if (dimensions == 3) {
        const int place = i < 13 ? i : i + 1; /* of 27 around the origin, which is number 13 */
        part[0] = (double)(place % 3 - 1), part[1] = (double)(place / 3 % 3 - 1), part[2] = (double)(place / 9 - 1);
    }
    for (size_t b = 0; b < dimensions; b++)
        for (size_t a = 0; a < FRICTION_MOST; a++) d[a] += part[b] * basis[b][a];
    friction_point_along(mode, d);
}

/* 0: too many */
static int friction_list_choices(const friction_modes *p, friction_choices *c)
{
    double basis[FRICTION_MOST][FRICTION_MOST];
    *c = (friction_choices){.p = p, .end = 1, .best.sliders = -1};
    for (size_t k = 0; k < p->count; k++) {
        if (!p->mode(p->user, k)->rests) continue;
        if (c->count == FRICTION_SEARCH_MOST) return 0;
        c->kinds[c->count] = friction_kinds_of(p->surface(p->user, k, basis));
        c->end *= c->kinds[c->count];
        c->which[c->count++] = k;
        if (c->end > FRICTION_CHOICES_MOST) return 0;
    }
    return 1;
}

static void friction_take_choice(friction_choices *c, int number)
{
    double basis[FRICTION_MOST][FRICTION_MOST];
    for (size_t i = 0; i < c->count; i++, number /= c->kinds[i - 1]) {
        friction_mode *mode = c->p->mode(c->p->user, c->which[i]);
        const int kind = number % c->kinds[i];
        mode->holds = kind == 0;
        mode->is_full = 0;
        if (kind) friction_begin_along(basis, c->p->surface(c->p->user, c->which[i], basis), kind - 1, mode);
    }
}

/* What was solved last, into c->now. */
static void friction_keep(friction_choices *c)
{
    friction_look at;
    c->now.sliders = 0;
    c->now.size = 0;
    for (size_t i = 0; i < c->count; i++) {
        c->now.modes[i] = *c->p->mode(c->p->user, c->which[i]);
        c->now.sliders += !c->now.modes[i].holds && !c->now.modes[i].is_full;
        c->p->look(c->p->user, c->which[i], NULL, NULL, &at);
        memcpy(c->now.rates[i], at.rate, sizeof at.rate);
        c->now.size = fmax(c->now.size, at.size.rate);
    }
}

static int friction_is_same_motion(const friction_choices *c, const friction_answer *a, const friction_answer *b)
{
    for (size_t i = 0; i < c->count; i++)
        for (size_t x = 0; x < FRICTION_MOST; x++)
            if (fabs(a->rates[i][x] - b->rates[i][x]) > TOL_FRICTION_SAME * fmax(a->size, b->size)) return 0;
    return 1;
}

/* What a choice that has no motion may come from. */
static int friction_is_of_choice(const friction_modes *p, int status)
{
    return status == p->not_realisable || status == p->no_reaction || status == p->many_reactions;
}

/* Of all choices the answer with the fewest that slide, into c->best, where one may stand already. */
static int friction_search(friction_choices *c)
{
    const friction_modes *p = c->p;
    int is_several = 0, is_realisable = c->best.sliders >= 0;
    for (int number = 0; number < c->end; number++) {
        friction_look at;
        friction_take_choice(c, number);
        const int status = friction_solve_turning(c->p);
        if (status != 0 && !friction_is_of_choice(p, status)) return status;
        is_realisable |= status != p->not_realisable;
        is_several |= c->best.sliders < 0 && status == p->many_reactions;
        if (status != 0 || friction_first_wrong(c->p, &at) < c->p->count) continue;
        friction_keep(c);
        if (c->best.sliders < 0 || c->now.sliders < c->best.sliders) c->best = c->now, is_several = 0;
        else is_several |= c->now.sliders == c->best.sliders && !friction_is_same_motion(c, &c->now, &c->best);
    }
    if (is_several) return p->many_reactions;
    if (c->best.sliders < 0) return is_realisable ? p->no_reaction : p->not_realisable;
    for (size_t i = 0; i < c->count; i++) *c->p->mode(c->p->user, c->which[i]) = c->best.modes[i];
    return c->p->solve(c->p->user);
}

int friction_choose_modes(friction_modes *p)
{
    friction_choices c;
    int is_found;
    p->asks_all = 0;
    const int status = friction_step_by_step(p, &is_found);
    if (status != 0 && !friction_is_of_choice(p, status)) return status;
    if (!friction_list_choices(p, &c)) return is_found ? status : p->no_reaction;
    if (is_found) {
        friction_keep(&c);
        if (c.now.sliders == 0) return status; /* what rests stays at rest, whatever else it might do */
        c.best = c.now;
    }
    p->asks_all = 1;
    return friction_search(&c);
}
