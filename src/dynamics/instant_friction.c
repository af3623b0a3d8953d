/* Dry friction at one instant: what slides, what holds, what gives way. */
#include "dynamics/instant.h"

static mech_instant_law *law_of(const mech_instant *s, size_t friction) { return &s->law[s->d.sizes.laws + friction]; }

/* The rows that load what rests are behind it when there is no way to go on. */
static void blame_loads(mech_instant *s)
{
    const dynamics *d = &s->d;
    s->culprits = 0;
    for (size_t i = 0; i < d->m; i++)
        for (size_t k = 0; k < d->sizes.frictions; k++) {
            const friction_law *law = &d->friction[k].law;
            size_t at = 0;
            while (at < law->row_count && law->rows[at] != i) at++;
            if (at == law->row_count || !d->friction[k].mode.rests) continue;
            s->culprit[s->culprits++] = (int)i;
            break;
        }
}

/* What laws and friction read must be unique without the rows of friction, and friction at rest reads its load as
   sliding friction does. */
static mech_status check_unique(mech_instant *s)
{
    dynamics *d = &s->d;
    for (size_t k = 0; k < d->sizes.frictions; k++)
        if (d->friction[k].mode.rests) d->friction[k].mode.direction[0] = 1;
    const mech_status status = instant_check_unique(s, 0);
    for (size_t k = 0; k < d->sizes.frictions; k++)
        if (d->friction[k].mode.rests) d->friction[k].mode.direction[0] = 0;
    return status;
}

static void tell_modes(mech_instant *s)
{
    for (size_t k = 0; k < s->d.sizes.frictions; k++) {
        const dynamics_friction *f = &s->d.friction[k];
        mech_instant_law *law = law_of(s, k);
        law->mode = !f->is_on       ? MECH_FRICTION_OFF
                    : f->mode.holds ? MECH_FRICTION_HOLDS
                    : f->mode.rests ? MECH_FRICTION_GIVES_WAY
                                    : MECH_FRICTION_SLIDES;
        law->asked = f->mode.rests ? f->asked : 0;
        law->allowed = f->mode.rests ? f->allowed : 0;
    }
}

static mech_status choose(mech_instant *s)
{
    const int rests = dynamics_resting(&s->d) != SIZE_MAX;
    const mech_status status = dynamics_choose(&s->d);
    s->failed_in_eval = status != MECH_OK && s->d.failed_in_eval;
    if (status == MECH_OK || s->failed_in_eval) return status;
    if (!rests || (status != MECH_ERR_NO_REACTION && status != MECH_ERR_MANY_REACTIONS))
        return instant_fail_in_solver(s, status);
    blame_loads(s);
    return status;
}

mech_status instant_friction_solve(mech_instant *s)
{
    int holds = 0;
    s->culprits = 0;
    mech_status status = check_unique(s);
    if (status == MECH_OK) status = choose(s);
    for (size_t k = 0; k < s->d.sizes.frictions; k++) holds |= s->d.friction[k].mode.holds;
    if (status == MECH_OK && (holds || dynamics_put_stopped(&s->d, s->mark))) status = instant_check_unique(s, 1);
    tell_modes(s);
    return status == MECH_OK ? status : instant_fail(s, status);
}

void instant_friction_report(mech_instant *s)
{
    const dynamics *d = &s->d;
    for (size_t k = 0; k < d->sizes.frictions; k++) {
        const dynamics_friction *f = &d->friction[k];
        mech_instant_law *law = law_of(s, k);
        double ft[FRICTION_MOST] = {0};
        law->is_on = f->is_on;
        law->speed = f->is_on ? friction_norm(d->eq->slip + f->law.first, f->law.count) : 0;
        law->normal = friction_load(&f->law, d->eq->active, d->total);
        law->bound = (law->mode == MECH_FRICTION_HOLDS ? d->eq->static_mu[k] : d->eq->mu[k]) * law->normal;
        if (!law->is_on) law->bound = 0; /* its coefficient need have no value */
        law->tangential = law->mode == MECH_FRICTION_HOLDS ? dynamics_stick_force(d, k, d->total, ft) : law->bound;
        if (f->law.row_count == 0) law->normal = law->bound; /* a given bound: as if the coefficient were 1 */
    }
}
