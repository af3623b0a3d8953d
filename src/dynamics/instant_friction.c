/* Dry friction at one instant: what slides, what holds, what gives way (the law: friction_law.h).

   At rest V = 0 is imposed along the surface: the directions that the constraints already hold are left to
   them, so that their multipliers stay unique. It holds while |ft| <= mu_s N. */
#include "dynamics/instant.h"

#include <math.h>
#include <string.h>

static friction_state state_of(const mech_instant *s, const friction_law *law)
{
    return (friction_state){.S = s->S + law->first,
                            .A = s->A,
                            .S_height = s->sizes.friction_rows,
                            .A_height = s->rows,
                            .n = s->n,
                            .active = s->eq->active,
                            .M = s->eq->M_dense,
                            .Q = s->eq->Q};
}

static mech_instant_law *law_of(const mech_instant *s, size_t friction)
{
    return &s->law[s->sizes.laws + friction];
}

static int slides(const mech_instant *s, size_t friction) { return law_of(s, friction)->is_on && !s->friction[friction].mode.holds; }

void instant_friction_begin(mech_instant *s)
{
    for (size_t k = 0; k < s->sizes.frictions; k++) {
        instant_friction *f = &s->friction[k];
        mech_instant_law *law = law_of(s, k);
        const friction_state at = state_of(s, &f->law);
        law->is_on = friction_is_on(&f->law, s->eq->active); /* else V need have no value */
        const double *V = s->eq->slip + f->law.first, speed = law->is_on ? friction_norm(V, f->law.count) : 0;
        friction_find_seen(&f->law, &at);
        friction_find_normal(&f->law, s->eq->active, &f->normal);
        law->speed = speed;
        law->asked = law->allowed = 0;
        f->mode = (friction_mode){.rests = law->is_on && speed <= friction_rest_speed(&f->law, &at, V, s->eq->v)};
        for (size_t a = 0; a < f->law.count && !f->mode.rests; a++) f->mode.direction[a] = speed > 0 ? V[a] / speed : 0;
    }
}

int instant_friction_slides(const mech_instant *s)
{
    for (size_t k = 0; k < s->sizes.frictions; k++)
        if (slides(s, k)) return 1;
    return 0;
}

static void one_law(const mech_instant *s, size_t k, const double *total, double *C, double *dC, double *column)
{
    const instant_friction *f = &s->friction[k];
    const friction_state at = state_of(s, &f->law);
    const double N = friction_load(&f->law, s->eq->active, total);
    friction_slip(&f->law, &at, total, s->eq->mu[k], N, f->mode.direction, C, dC, column);
}

void instant_friction_law(const mech_instant *s, const double *total, double *C, double *dC, double *columns)
{
    for (size_t k = 0; k < s->sizes.frictions; k++) {
        double *column = columns ? columns + k * s->n : NULL;
        if (column) memset(column, 0, s->n * sizeof *column);
        if (slides(s, k)) one_law(s, k, total, C, dC, column);
    }
}

/* Rows V = 0 of what holds, in A, b and active: one for each direction in which V may slide, and none for those that the constraints hold, of
   which rounding would make rows of its own. */
static void put_rows(mech_instant *s)
{
    for (size_t k = 0; k < s->sizes.frictions; k++) {
        const instant_friction *f = &s->friction[k];
        const int holds = law_of(s, k)->is_on && f->mode.holds;
        const double *S = s->S + f->law.first;
        double basis[FRICTION_MOST][FRICTION_MOST];
        const size_t directions = friction_surface(&f->law, &f->normal, basis);
        for (size_t a = 0; a < f->law.count; a++) {
            const size_t row = s->m + f->law.first + a;
            const int is_held = holds && a < directions;
            for (size_t j = 0; j < s->n; j++)
                s->A[row + j * s->rows] = is_held ? friction_dot(basis[a], S + j * s->sizes.friction_rows, f->law.count) : 0;
            s->b[row] = is_held ? friction_dot(basis[a], s->eq->slip_b + f->law.first, f->law.count) : 0;
            s->active[row] = s->natural[row] = (unsigned char)is_held;
            s->servo[row] = 0;
        }
    }
}

/* what the rows V = 0 need of friction */
static double needed(const mech_instant *s, const instant_friction *f, const double *total, double *ft)
{
    double basis[FRICTION_MOST][FRICTION_MOST];
    const size_t directions = friction_surface(&f->law, &f->normal, basis);
    memset(ft, 0, f->law.count * sizeof *ft);
    for (size_t b = 0; b < directions; b++)
        for (size_t a = 0; a < f->law.count; a++) ft[a] += basis[b][a] * total[s->m + f->law.first + b];
    return friction_norm(ft, f->law.count);
}

/* ---- what rests ---- */

typedef struct resting {
    mech_instant *s;
    mech_status (*solve)(mech_instant *s);
} resting;

static friction_mode *mode_of(void *user, size_t k) { return &((resting *)user)->s->friction[k].mode; }

static size_t surface_of(void *user, size_t k, double basis[FRICTION_MOST][FRICTION_MOST])
{
    const instant_friction *f = &((resting *)user)->s->friction[k];
    return friction_surface(&f->law, &f->normal, basis);
}

static mech_status solve(void *user)
{
    const resting *r = user;
    put_rows(r->s);
    return r->solve(r->s);
}

static void look(void *user, size_t k, const double *qdd, const double *total, friction_look *at)
{
    mech_instant *s = ((resting *)user)->s;
    const instant_friction *f = &s->friction[k];
    const friction_state state = state_of(s, &f->law);
    const int is_last = !qdd;
    if (is_last) qdd = s->qdd, total = s->total;
    *at = (friction_look){.bound = 0};
    at->size = friction_rate(&f->law, &state, s->eq->slip_b + f->law.first, qdd, total, at->rate);
    friction_remove_normal(&f->law, &f->normal, at->rate);
    at->bound = s->eq->static_mu[k] * friction_load(&f->law, s->eq->active, total);
    if (!f->mode.holds) return;
    const double asked = needed(s, f, total, at->pull);
    if (is_last) law_of(s, k)->asked = asked, law_of(s, k)->allowed = at->bound;
}

int instant_friction_accepts(void *instant, const double *qdd, const double *total)
{
    return friction_accepts(((mech_instant *)instant)->modes, qdd, total);
}

/* The rows that load what rests are behind it when there is no way to go on. */
static void blame_loads(mech_instant *s)
{
    s->culprits = 0;
    for (size_t i = 0; i < s->m; i++)
        for (size_t k = 0; k < s->sizes.frictions; k++) {
            const friction_law *law = &s->friction[k].law;
            size_t at = 0;
            while (at < law->row_count && law->rows[at] != i) at++;
            if (at == law->row_count || !s->friction[k].mode.rests) continue;
            s->culprit[s->culprits++] = (int)i;
            break;
        }
}

/* What laws and friction read must be unique without the rows of friction, and friction at rest reads its load as sliding friction does. */
static mech_status check_unique(mech_instant *s)
{
    for (size_t k = 0; k < s->sizes.frictions; k++)
        if (s->friction[k].mode.rests) s->friction[k].mode.direction[0] = 1;
    put_rows(s);
    const mech_status status = instant_check_unique(s, 0);
    for (size_t k = 0; k < s->sizes.frictions; k++)
        if (s->friction[k].mode.rests) s->friction[k].mode.direction[0] = 0;
    return status;
}

static void tell_modes(mech_instant *s)
{
    for (size_t k = 0; k < s->sizes.frictions; k++) {
        const friction_mode *mode = &s->friction[k].mode;
        mech_instant_law *law = law_of(s, k);
        law->mode = !law->is_on ? MECH_FRICTION_OFF : mode->holds ? MECH_FRICTION_HOLDS : mode->rests ? MECH_FRICTION_GIVES_WAY : MECH_FRICTION_SLIDES;
        if (!mode->rests) law->asked = law->allowed = 0;
    }
}

mech_status instant_friction_solve(mech_instant *s, mech_status (*solve_once)(mech_instant *s))
{
    resting r = {.s = s, .solve = solve_once};
    friction_modes modes = {
        .count = s->sizes.frictions, .user = &r, .mode = mode_of, .surface = surface_of, .solve = solve, .look = look};
    int rests = 0, holds = 0;
    for (size_t k = 0; k < s->sizes.frictions; k++) rests |= s->friction[k].mode.rests;
    s->culprits = 0;
    mech_status status = check_unique(s);
    if (status == MECH_OK) {
        s->modes = &modes;
        status = friction_choose_modes(&modes);
        s->modes = NULL;
        if (rests && (status == MECH_ERR_NO_REACTION || status == MECH_ERR_MANY_REACTIONS)) blame_loads(s);
    }
    for (size_t k = 0; k < s->sizes.frictions; k++) holds |= s->friction[k].mode.holds;
    if (status == MECH_OK && holds) status = instant_check_unique(s, 1);
    tell_modes(s);
    return status == MECH_OK ? status : instant_fail(s, status);
}

void instant_friction_report(mech_instant *s)
{
    for (size_t k = 0; k < s->sizes.frictions; k++) {
        const instant_friction *f = &s->friction[k];
        mech_instant_law *law = law_of(s, k);
        double ft[FRICTION_MOST] = {0};
        law->normal = friction_load(&f->law, s->eq->active, s->total);
        law->bound = (law->mode == MECH_FRICTION_HOLDS ? s->eq->static_mu[k] : s->eq->mu[k]) * law->normal;
        if (!law->is_on) law->bound = 0; /* its coefficient need have no value */
        law->tangential = law->bound;
        if (law->mode == MECH_FRICTION_HOLDS) law->tangential = needed(s, f, s->total, ft);
    }
}
