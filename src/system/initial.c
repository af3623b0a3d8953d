/* The start as a model writes it: see mech_eval_initial. */
#include "base/try.h"
#include "system/owner.h"
#include "system/system.h"

#include <math.h>
#include <string.h>

mech_status eval_place_start(mech_eval *e, eval_depth depth, double t, const double *q, const double *v,
                             const double *z, const double *a)
{
    const system_stage need = e->system->targets_need;
    const mech_status status = eval_place(e, need > STAGE_POSITION ? EVAL_VELOCITY : depth, t, q, v, z);
    if (need > STAGE_VELOCITY) { /* what laws and events make of it does not matter here */
        MECH_IGNORE(mech_eval_reaction(e, NULL, NULL));
        MECH_IGNORE(mech_eval_acceleration(e, a));
        return mech_eval_start(e);
    }
    return status == MECH_OK || status == MECH_ERR_NOT_FINITE ? system_run_start(e) : status;
}

/* The values that stand, those that are finite, into their variables. 1: all are. */
static int take_values(const mech_eval *e, double *q, double *v, double *z, unsigned given)
{
    double *const to[] = {[MECH_VARIABLE_Q] = q, [MECH_VARIABLE_V] = v, [MECH_VARIABLE_Z] = z};
    int is_whole = 1;
    for (size_t k = 0; k < e->system->sizes.targets; k++) {
        const mech_target *target = &e->system->targets[k];
        const int is_taken = target->variable != MECH_VARIABLE_EXPRESSION && !(given & 1u << target->variable);
        if (!isfinite(e->target_value[k])) is_whole = 0;
        else if (is_taken) to[target->variable][target->index] = e->target_value[k];
    }
    return is_whole;
}

int eval_take_initial(mech_eval *e, double t, double *q, double *v, double *z, unsigned given)
{
    int is_whole = 1;
    if (e->system->values_need <= STAGE_PARAMETER && system_run_through(e, STAGE_PARAMETER) == MECH_OK &&
        system_run_start(e) == MECH_OK && take_values(e, q, v, z, given))
        return 1;                          /* values look at parameters alone, as a rule */
    for (int pass = 0; pass < 2; pass++) { /* twice, for values that use other variables */
        /* what the equations make of it does not matter: values are looked at one by one */
        MECH_IGNORE(eval_place(e, EVAL_VELOCITY, t, q, v, z));
        MECH_IGNORE(mech_eval_start(e));
        is_whole = take_values(e, q, v, z, given);
    }
    return is_whole;
}

int eval_initial_is_given(const mech_eval *e, size_t target) { return !isnan(e->target_given[target]); }

mech_status mech_eval_initial(mech_eval *e, double t, double *q, double *v, double *z)
{
    const mech_sizes sizes = mech_system_sizes(e->system);
    memset(q, 0, sizes.coords * sizeof *q);
    memset(v, 0, sizes.coords * sizeof *v);
    if (sizes.states) {
        memset(z, 0, sizes.states * sizeof *z);
        MECH_TRY(mech_eval_set_states(e, z)); /* or they are a run's own */
    }
    return eval_take_initial(e, t, q, v, z, 0) ? MECH_OK : mech_eval_start(e);
}
