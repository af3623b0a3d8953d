/* Outputs of a linear system that use multipliers which are not unique: their rows of C and D are one choice of many,
   as their values are. */
#include "analyze/linear.h"

#include "base/try.h"
#include "system/sizes.h"

static mech_status look(mech_linear *l, mech_diagnosis *diagnosis, double *room, double *sizes, unsigned char *marks)
{
    dynamics *d = &l->t.at_point.d;
    MECH_TRY(dynamics_diagnose(d, diagnosis, 1, marks));
    dynamics_mark_outputs(d, mech_diagnosis_get(diagnosis), room, sizes, marks + d->rows, l->is_choice);
    for (size_t k = 0; k < d->sizes.outputs; k++) l->result.choice_count += l->is_choice[k];
    return MECH_OK;
}

mech_status choice_look(mech_linear *l)
{
    const dynamics *d = &l->t.at_point.d;
    if (d->sizes.outputs == 0 || !(d->out.flags & MECH_FUNDAMENTAL_REDUNDANT)) return MECH_OK;
    arena *memory = &l->t.memory;
    mech_diagnosis *diagnosis = NULL;
    double *room = arena_zeroed(memory, unique_room(d->rows, d->sizes.outputs), sizeof *room),
           *sizes = arena_zeroed(memory, system_sizes_room(d->system), sizeof *sizes);
    unsigned char *marks = arena_zeroed(memory, d->rows + d->sizes.outputs, 1);
    MECH_TRY(arena_status(memory));
    mech_status status = mech_diagnosis_create((int)d->n, (int)d->rows, &diagnosis);
    if (status == MECH_OK) status = look(l, diagnosis, room, sizes, marks);
    mech_diagnosis_free(diagnosis);
    return status == MECH_OK ? linear_at(l, l->o.t, l->q) : status; /* the evaluation as it was */
}
