/* Dry friction at one instant: what slides, what holds, what gives way. */
#include "dynamics/instant.h"

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

static mech_status choose(mech_instant *s)
{
    const mech_status status = dynamics_choose(&s->d);
    s->failed_in_eval = status != MECH_OK && s->d.failed_in_eval;
    if (s->failed_in_eval) return status;
    if (!dynamics_rests(&s->d) || (status != MECH_ERR_NO_REACTION && status != MECH_ERR_MANY_REACTIONS))
        return instant_in_solver(s, status);
    blame_loads(s);
    return status;
}

mech_status instant_friction_solve(mech_instant *s)
{
    dynamics *d = &s->d;
    int holds = 0;
    s->culprits = 0;
    /* what laws and friction read must be unique without the rows of friction, and friction at rest reads its load as
       sliding friction does: along any direction, until it is told one */
    for (size_t k = 0; k < d->sizes.frictions; k++)
        if (d->friction[k].mode.rests) d->friction[k].mode.direction[0] = 1;
    mech_status status = instant_check_unique(s, 0);
    if (status == MECH_OK) status = choose(s);
    for (size_t k = 0; k < d->sizes.frictions; k++) holds |= d->friction[k].mode.holds;
    if (status == MECH_OK && (holds || dynamics_put_stopped(d, s->mark))) status = instant_check_unique(s, 1);
    return status == MECH_OK ? status : instant_fail(s, status);
}

void instant_friction_report(mech_instant *s)
{
    const dynamics *d = &s->d;
    for (size_t k = 0; k < d->sizes.frictions; k++) {
        const dynamics_friction *f = &d->friction[k];
        mech_instant_law *law = &s->law[d->sizes.laws + k];
        double ft[FRICTION_MOST] = {0};
        law->is_on = f->is_on;
        law->mode = !f->is_on                          ? MECH_FRICTION_MODE_OFF
                    : f->mode.holds || f->mode.is_full ? MECH_FRICTION_MODE_HOLDS
                    : f->mode.rests                    ? MECH_FRICTION_MODE_GIVES_WAY
                                                       : MECH_FRICTION_MODE_SLIDES;
        law->asked = f->asked;
        law->allowed = f->allowed;
        law->speed = f->is_on ? friction_norm(d->eq->slip + f->law.first, f->law.count) : 0;
        law->normal = friction_load(&f->law, d->eq->active, d->total);
        law->bound = (f->mode.holds ? d->eq->static_mu[k] : dynamics_mu(d, k)) * law->normal;
        if (!law->is_on) law->bound = 0; /* its coefficient need have no value */
        law->tangential = f->mode.holds ? dynamics_stick_force(d, k, d->total, ft) : law->bound;
        if (f->mode.is_full) law->asked = law->allowed = law->bound;
        if (f->law.row_count == 0) law->normal = law->bound; /* a given bound: as if the coefficient were 1 */
    }
}
