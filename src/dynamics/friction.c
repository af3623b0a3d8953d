/* Dry friction at a state: slip with the total reaction, stick as rows V = 0 (the law: friction_law.h), and the choice
   between them. */
#include "dynamics/dynamics.h"

#include "base/tolerances.h"
#include "base/try.h"

#include <math.h>
#include <string.h>

friction_state dynamics_friction_state(const dynamics *d, size_t friction)
{
    return (friction_state){.S = d->S + d->friction[friction].law.first,
                            .A = d->A_used,
                            .S_height = d->nf,
                            .A_height = d->rows,
                            .n = d->n,
                            .active = d->eq->active,
                            .M = d->eq->M_dense,
                            .Q = d->eq->Q,
                            .rows = d->m};
}

void dynamics_meet(dynamics *d)
{
    for (size_t k = 0; k < d->sizes.frictions; k++) {
        dynamics_friction *f = &d->friction[k];
        f->is_on = friction_is_on(&f->law, d->eq->active);
        f->is_known = 0;
        f->mode = (friction_mode){.rests = 0};
        f->slip_floor = f->slow = f->asked = f->allowed = 0;
    }
    dynamics_gather(d);
    for (size_t k = 0; k < d->sizes.frictions; k++) {
        dynamics_friction *f = &d->friction[k];
        if (!f->is_on) continue; /* V need have no value */
        const friction_state at = dynamics_friction_state(d, k);
        const double *V = d->eq->slip + f->law.first, speed = friction_norm(V, f->law.count);
        f->slip_floor = friction_rest_speed(&f->law, &at, V, d->eq->v);
        f->mode.rests = speed <= f->slip_floor;
        for (size_t a = 0; a < f->law.count && !f->mode.rests; a++) f->mode.direction[a] = speed > 0 ? V[a] / speed : 0;
        /* what begins to slide does so where it is sent, whatever rounding left of V */
        f->slow = f->mode.rests ? HUGE_VAL : 0;
    }
}

int dynamics_rests(const dynamics *d)
{
    for (size_t k = 0; k < d->sizes.frictions; k++)
        if (d->friction[k].mode.rests) return 1;
    return 0;
}

int dynamics_slides(const dynamics *d)
{
    for (size_t k = 0; k < d->sizes.frictions; k++)
        if (d->friction[k].is_on && !d->friction[k].mode.holds) return 1;
    return 0;
}

/* ---- the law of what slides ---- */

double dynamics_keeping(const dynamics *d, size_t friction)
{
    const dynamics_friction *f = &d->friction[friction];
    const double *V = d->eq->slip + f->law.first;
    return friction_dot(V, f->mode.direction, f->law.count) - 0.5 * fmax(friction_norm(V, f->law.count) - f->slow, 0);
}

void dynamics_way_of(const dynamics *d, size_t friction, dynamics_way *at)
{
    const dynamics_friction *f = &d->friction[friction];
    const double *V = d->eq->slip + f->law.first, *kept = f->mode.direction, speed = friction_norm(V, f->law.count);
    *at = (dynamics_way){.over = HUGE_VAL};
    memcpy(at->d, kept, f->law.count * sizeof *kept);
    if (!(speed > 0) || f->law.count == 1 || !(dynamics_keeping(d, friction) > 0)) return;
    at->over = fmax(speed, f->slow);
    for (size_t a = 0; a < f->law.count; a++) {
        at->along[a] = V[a] / speed;
        at->beside[a] = speed > f->slow ? at->along[a] : kept[a];
        at->d[a] = speed > f->slow ? at->along[a] : kept[a] + (V[a] - speed * kept[a]) / f->slow;
    }
}

double dynamics_mu(const dynamics *d, size_t k)
{
    return (d->friction[k].mode.is_full ? d->eq->static_mu : d->eq->mu)[k];
}

static void one_law(const dynamics *d, size_t k, const double *total, double *C, double *dC)
{
    const friction_law *law = &d->friction[k].law;
    const friction_state at = dynamics_friction_state(d, k);
    dynamics_way way;
    dynamics_way_of(d, k, &way);
    friction_slip(law, &at, total, dynamics_mu(d, k), friction_load(law, d->eq->active, total), way.d, C, dC, NULL);
}

void dynamics_friction_law(const dynamics *d, const double *total, double *C, double *dC)
{
    for (size_t k = 0; k < d->sizes.frictions; k++)
        if (d->friction[k].is_on && !d->friction[k].mode.holds) one_law(d, k, total, C, dC);
}

void dynamics_friction_force(const dynamics *d, size_t k, int with_stick, double *C)
{
    const dynamics_friction *f = &d->friction[k];
    const size_t first = d->m + f->law.first;
    if (!f->is_on) return;
    if (!f->mode.holds) one_law(d, k, d->total, C, NULL);
    else if (with_stick)
        for (size_t j = 0; j < d->n; j++)
            C[j] += friction_dot(d->A_used + first + j * d->rows, d->total + first, f->law.count);
}

double dynamics_stick_force(const dynamics *d, size_t k, const double *total, double *ft)
{
    const dynamics_friction *f = &d->friction[k];
    memset(ft, 0, f->law.count * sizeof *ft);
    for (size_t b = 0; b < f->directions; b++)
        for (size_t a = 0; a < f->law.count; a++) ft[a] += f->surface[b][a] * total[d->m + f->law.first + b];
    return friction_norm(ft, f->law.count);
}

void dynamics_friction_along(const dynamics *d, size_t k, const double *total, double *F)
{
    const dynamics_friction *f = &d->friction[k];
    memset(F, 0, f->law.count * sizeof *F);
    if (!f->is_on) return;
    /* what is at its bound has no multiplier of its own, but where it is asked whether another would do (unique.h) */
    (void)dynamics_stick_force(d, k, total, F);
    if (f->mode.holds) return;
    dynamics_way way;
    dynamics_way_of(d, k, &way);
    const double size = dynamics_mu(d, k) * friction_load(&f->law, d->eq->active, total);
    for (size_t a = 0; a < f->law.count; a++) F[a] -= size * way.d[a];
}

/* ---- what rests: it holds, or begins to slide ---- */

static friction_mode *mode_of(void *user, size_t k) { return &((dynamics *)user)->friction[k].mode; }

static size_t surface_of(void *user, size_t k, double basis[FRICTION_MOST][FRICTION_MOST])
{
    const dynamics_friction *f = &((dynamics *)user)->friction[k];
    memcpy(basis, f->surface, sizeof f->surface);
    return f->directions;
}

static int solve(void *user)
{
    dynamics *d = user;
    if (d->poll) MECH_TRY(d->poll(d->user));
    dynamics_gather(d);
    dynamics_gather_sides(d);
    return (int)dynamics_solve(d, 0);
}

static void look(void *user, size_t k, const double *qdd, const double *total, friction_look *at)
{
    const dynamics *d = user;
    dynamics_friction *f = &d->friction[k];
    const friction_state state = dynamics_friction_state(d, k);
    const int is_last = !qdd;
    if (is_last) qdd = d->qdd, total = d->total;
    *at = (friction_look){.has_reserve = d->eq->static_mu[k] > d->eq->mu[k]};
    at->bound = d->eq->static_mu[k] * friction_load(&f->law, d->eq->active, total);
    f->size = at->size = friction_rate(&f->law, &state, d->eq->slip_b + f->law.first, at->bound, qdd, total, at->rate);
    friction_remove_normal(&f->law, &f->normal, at->rate);
    if (!f->mode.holds) return;
    const double asked = dynamics_stick_force(d, k, total, at->pull);
    if (is_last) f->asked = asked, f->allowed = at->bound;
}

/* A force along the direction in which it would begin moves nothing along it. */
static int is_held(void *user, size_t k)
{
    dynamics *d = user;
    const dynamics_friction *f = &d->friction[k];
    double *force = d->push, *moved = force + d->n, *still = moved + d->n, along = 0, free = 0;
    for (size_t j = 0; j < d->n; j++) {
        const double mass = fabs(d->eq->M_dense[j + j * d->n]);
        force[j] = friction_dot(d->S + f->law.first + j * d->nf, f->mode.direction, f->law.count);
        if (mass > 0) free += force[j] * force[j] / mass;
    }
    memset(still, 0, d->rows * sizeof *still);
    if (mech_fundamental_again(d->solver, force, still, moved, NULL) != MECH_OK) return 0;
    for (size_t j = 0; j < d->n; j++) along += force[j] * moved[j];
    return along <= TOL_FRICTION_FULL * free;
}

/* It may bear something, V = 0, and V' = 0 too. */
static int is_stopped(const dynamics *d, size_t k)
{
    const dynamics_friction *f = &d->friction[k];
    const friction_state at = dynamics_friction_state(d, k);
    double rate[FRICTION_MOST];
    if (!f->is_on || f->mode.holds || !(friction_norm(d->eq->slip + f->law.first, f->law.count) <= f->slip_floor))
        return 0;
    const double bound = dynamics_mu(d, k) * friction_load(&f->law, d->eq->active, d->total);
    const friction_sizes size =
        friction_rate(&f->law, &at, d->eq->slip_b + f->law.first, bound, d->qdd, d->total, rate);
    friction_remove_normal(&f->law, &f->normal, rate);
    return bound > TOL_FRICTION_ROUNDING * size.force &&
           friction_norm(rate, f->law.count) <= TOL_FRICTION_ASKED * size.rate;
}

size_t dynamics_put_stopped(dynamics *d, unsigned char *mask)
{
    size_t count = 0;
    for (size_t k = 0; k < d->sizes.frictions; k++) {
        const dynamics_friction *f = &d->friction[k];
        if (!is_stopped(d, k)) continue;
        count++;
        for (size_t a = 0; a < f->directions; a++) {
            const size_t row = d->m + f->law.first + a;
            for (size_t j = 0; j < d->n; j++)
                d->A[row + j * d->rows] = friction_dot(f->surface[a], d->S + f->law.first + j * d->nf, f->law.count);
            d->b[row] = friction_dot(f->surface[a], d->eq->slip_b + f->law.first, f->law.count);
            mask[row] = 1;
        }
    }
    return count;
}

int dynamics_accepts(void *user, const double *qdd, const double *total)
{
    return friction_accepts(((dynamics *)user)->modes, qdd, total);
}

mech_status dynamics_choose(dynamics *d)
{
    friction_modes modes = {.count = d->sizes.frictions,
                            .user = d,
                            .mode = mode_of,
                            .surface = surface_of,
                            .solve = solve,
                            .look = look,
                            .is_held = d->is_sparse ? NULL : is_held,
                            .no_reaction = MECH_ERR_NO_REACTION,
                            .many_reactions = MECH_ERR_MANY_REACTIONS,
                            .not_realisable = MECH_ERR_NOT_REALISABLE};
    d->modes = &modes;
    const mech_status status = (mech_status)friction_choose_modes(&modes);
    d->modes = NULL;
    return status;
}
