/* What of an instant is a choice: laws that look at it are refused. */
#include "dynamics/instant.h"

#include "base/try.h"

mech_status instant_check_unique(mech_instant *s, int is_solved)
{
    dynamics *d = &s->d;
    if (!(d->laws_use_reaction || dynamics_slides(d)) || mech_system_allows_leastnorm(d->system)) return MECH_OK;
    const mech_fundamental_input natural = instant_natural(s);
    if (is_solved) dynamics_put_stopped(d, s->natural);
    mech_fundamental_output out = {.size = sizeof out, .lambda = is_solved ? NULL : d->lambda};
    MECH_TRY(instant_in_solver(s, mech_fundamental_ideal(d->solver, &natural, &out)));
    if (!(out.flags & MECH_FUNDAMENTAL_REDUNDANT)) return MECH_OK;
    return dynamics_check_laws(d, s->diagnosis, d->lambda, is_solved ? d->total : NULL, s->probe, s->does, s->mark,
                               s->culprit, &s->culprits);
}
