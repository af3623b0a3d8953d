/* Coordinates that lead. The least change in the mass metric gives coordinates without mass no say, so that a value
   that is given to one of them would be undone by the others without a word, as that of a joint by its bodies. Where
   such values are new they are held, and the rest follows. So do joints of a tree where bodies beside it have
   coordinates of their own. The others that lead stay where they are, if they can: a joint that is turned leaves the
   next one as it is, whatever coordinates the bodies have. */
#include "assemble/assembly.h"
#include "base/try.h"
#include "system/owner.h"

#include <string.h>

/* Holds x where is_held says so; the rest follows. Not met: x is as it was. */
static mech_status hold(mech_assembly *a, int *is_met)
{
    int some = 0;
    *is_met = 0;
    for (size_t j = 0; j < a->n; j++) some |= a->held.now[j];
    if (!some) return MECH_OK;
    memcpy(a->held.at, a->x, a->n * sizeof *a->x);
    a->held.is_on = 1;
    const mech_status status = assembly_onto_all(a, is_met);
    a->held.is_on = 0;
    if (!*is_met) memcpy(a->x, a->held.at, a->n * sizeof *a->x);
    return status;
}

/* ---- values that are new ---- */

/* Are those in is_new (2n) all of coordinates that may be held? Else what has mass and is new decides, as ever. */
static void look_at_new(mech_assembly *a)
{
    int some = 0, may = 1;
    for (size_t i = 0; i < 2 * a->n; i++) {
        some |= a->held.is_new[i];
        may &= !a->held.is_new[i] || a->held.may_be[i % a->n];
    }
    a->held.leads = some && may;
}

/* Those of this level in the state that is given are new where it differs from what the model says, else where the
   model's value was replaced. */
static void find_new(mech_assembly *a, int level)
{
    const mech_variable plain = level == POSITION ? MECH_VARIABLE_Q : MECH_VARIABLE_V;
    unsigned char *is_new = a->held.is_new + (level == POSITION ? 0 : a->n);
    const double *y = a->y + (is_new - a->held.is_new), *model = a->held.y_model + (is_new - a->held.is_new);
    for (size_t j = 0; j < a->n; j++) is_new[j] = assembly_is_given(a, level) && y[j] != model[j];
    for (size_t k = 0; k < a->sizes.targets && !assembly_is_given(a, level); k++) {
        const mech_target info = mech_system_target(a->system, k);
        if (info.variable == plain) is_new[info.index] |= (unsigned char)eval_initial_is_given(a->eval, k);
    }
}

void assembly_find_new(mech_assembly *a)
{
    const size_t n = a->n;
    double *model = a->held.y_model;
    a->held.leads = 0;
    if (!a->held.count || a->given.is_fixed) return;
    memset(model, 0, 2 * n * sizeof *model);
    if (a->nz) memcpy(model + 2 * n, a->y + 2 * n, a->nz * sizeof *model);
    if (a->given.q || a->given.v)
        (void)eval_take_initial(a->eval, a->given.t, model, model + n, model + 2 * n, 1u << MECH_VARIABLE_Z);
    find_new(a, POSITION);
    find_new(a, VELOCITY);
    look_at_new(a);
}

static int has_new(const mech_assembly *a, int level)
{
    const unsigned char *is_new = a->held.is_new + (level == POSITION ? 0 : a->n);
    int some = 0;
    for (size_t j = 0; j < a->n; j++) some |= is_new[j];
    return some;
}

/* All that lead and are not of bodies without mass; where that cannot be, those that are new, unless mass decides. */
mech_status assembly_follow_new(mech_assembly *a, int *is_met)
{
    const unsigned char *is_new = a->held.is_new + (a->level == POSITION ? 0 : a->n);
    *is_met = 0;
    if (!a->held.leads || (a->level == POSITION && !has_new(a, POSITION))) return MECH_OK;
    for (size_t j = 0; j < a->n; j++)
        a->held.now[j] = a->held.may_be[j] && (is_new[j] || !system_coord_places(a->system, j));
    MECH_TRY(hold(a, is_met));
    if (*is_met) return MECH_OK;
    for (size_t j = 0; j < a->n; j++) a->held.now[j] = a->held.is_massless[j] && is_new[j];
    return hold(a, is_met);
}

mech_status mech_assembly_follow(mech_assembly *a, const mech_assemble_options *options, const unsigned char *is_new)
{
    int is_met;
    if (!a || !options || !options->q || !options->v || !is_new) return MECH_ERR_ARGUMENT;
    assembly_take_options(a, options);
    if (!a->held.count) return MECH_OK;
    a->with_control = 0;
    memcpy(a->held.is_new, is_new, 2 * a->n);
    look_at_new(a);
    assembly_begin_level(a, POSITION);
    MECH_TRY(assembly_follow_new(a, &is_met));
    if (!is_met && has_new(a, POSITION)) return MECH_OK;
    assembly_begin_level(a, VELOCITY);
    return assembly_follow_new(a, &is_met);
}

/* ---- guesses ---- */

mech_status assembly_hold_guesses(mech_assembly *a, int *is_met)
{
    const mech_variable plain = a->level == POSITION ? MECH_VARIABLE_Q : MECH_VARIABLE_V;
    *is_met = 0;
    if (!a->held.count) return MECH_OK;
    memset(a->held.now, 0, a->n);
    for (size_t k = 0; k < a->sizes.targets; k++) {
        const mech_target info = mech_system_target(a->system, k);
        if (info.variable != plain || info.is_fixed) continue;
        a->held.now[info.index] = a->held.is_massless[info.index] && !system_coord_places(a->system, info.index);
    }
    a->meets_guesses = 1;
    const mech_status status = hold(a, is_met);
    a->meets_guesses = 0;
    return status;
}
