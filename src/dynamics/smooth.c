/* The equation where it is smooth: see smooth.h. */
#include "dynamics/smooth.h"

#include "base/try.h"
#include "dynamics/sides.h"

mech_status smooth_create(smooth *s, const mech_system *system, unsigned wants, arena *memory)
{
    *s = (smooth){.why = derivative_obstacle(system)};
    dynamics *d = &s->d;
    if (s->why) return MECH_ERR_UNSUPPORTED;
    MECH_TRY(dynamics_create(d, system, 0, memory));
    MECH_TRY(derivative_create(d, wants, memory, &s->by));
    MECH_TRY(ARENA_MAKE(memory, ARRAY_OF(s->probe, unique_room(d->rows, d->n)), ARRAY_OF(s->does, d->n),
                        ARRAY_OF(s->mark, d->rows), ARRAY_OF(s->culprit, d->rows)));
    MECH_TRY(dynamics_make_solver(d));
    if (!d->laws_use_reaction && !d->sizes.frictions) return MECH_OK;
    return mech_diagnosis_create((int)d->n, (int)d->rows, &s->diagnosis);
}

void smooth_free(smooth *s)
{
    mech_fundamental_free(s->d.solver);
    mech_diagnosis_free(s->diagnosis);
    *s = (smooth){0};
}

static mech_status refuse(smooth *s, const char *why)
{
    s->why = why;
    return MECH_ERR_UNSUPPORTED;
}

mech_status smooth_solve(smooth *s)
{
    dynamics *d = &s->d;
    for (size_t c = 0; d->sizes.contacts && c < d->sizes.constraints; c++)
        if (side_at(d->system, d->eq, c, 0, side_atol(d->eval)) > MECH_SIDE_OPEN) return refuse(s, SMOOTH_TOUCHES);
    dynamics_list_rows(d);
    dynamics_meet(d);
    if (dynamics_rests(d)) return refuse(s, SMOOTH_AT_REST);
    dynamics_gather_sides(d);
    MECH_TRY(dynamics_solve(d, 0));
    if (!(d->out.flags & MECH_FUNDAMENTAL_REDUNDANT) || !s->diagnosis) return MECH_OK;
    MECH_TRY(dynamics_check_laws(d, s->diagnosis, d->lambda, d->total, s->probe, s->does, s->mark, s->culprit,
                                 &s->culprits));
    if (d->has_control && (d->laws_use_reaction || dynamics_slides(d)))
        return refuse(s, "under control a law that looks at a reaction which is not unique has no derivative");
    return MECH_OK;
}
