/* The start as a model writes it: see mech_eval_initial. */
#include "base/try.h"
#include "system/owner.h"
#include "system/system.h"

#include <math.h>
#include <string.h>

static void take(const mech_target *target, double value, double *q, double *v, double *z)
{
    if (target->variable == MECH_VARIABLE_Q) q[target->index] = value;
    if (target->variable == MECH_VARIABLE_V) v[target->index] = value;
    if (target->variable == MECH_VARIABLE_Z) z[target->index] = value;
}

mech_status eval_place_start(mech_eval *e, eval_depth depth, double t, const double *q, const double *v,
                             const double *z, const double *a)
{
    const system_stage need = e->system->targets_need;
    mech_status status = eval_place(e, need > STAGE_POSITION ? EVAL_VELOCITY : depth, t, q, v, z);
    if (need > STAGE_VELOCITY) { /* what laws and events make of it does not matter here */
        status = mech_eval_reaction(e, NULL, NULL);
        status = mech_eval_acceleration(e, a);
        return mech_eval_start(e);
    }
    return status == MECH_OK || status == MECH_ERR_NOT_FINITE ? system_run_start(e) : status;
}

/* The same where values look at parameters alone, as they do as a rule. 0: they do not, or are not all finite. */
static int take_constant(mech_eval *e, double *q, double *v, double *z, unsigned given)
{
    const mech_system *s = e->system;
    if (s->values_need > STAGE_PARAMETER || system_run_through(e, STAGE_PARAMETER) != MECH_OK ||
        system_run_start(e) != MECH_OK)
        return 0;
    for (size_t k = 0; k < s->sizes.targets; k++)
        if (!isfinite(e->target_value[k])) return 0;
    for (size_t k = 0; k < s->sizes.targets; k++)
        if (!(given & 1u << s->targets[k].variable)) take(&s->targets[k], e->target_value[k], q, v, z);
    return 1;
}

int eval_take_initial(mech_eval *e, double t, double *q, double *v, double *z, unsigned given)
{
    const size_t count = mech_system_sizes(e->system).targets;
    int is_whole = 1;
    if (take_constant(e, q, v, z, given)) return 1;
    for (int pass = 0; pass < 2; pass++) { /* twice, for values that use other variables */
        mech_status status = eval_place(e, EVAL_VELOCITY, t, q, v, z);
        status = mech_eval_start(e);
        (void)status; /* what the equations make of it does not matter: values are looked at one by one */
        is_whole = 1;
        for (size_t k = 0; k < count; k++) {
            const mech_target target = mech_system_target(e->system, k);
            const double value = e->equation.target_value[k];
            if (!isfinite(value)) is_whole = 0;
            else if (!(given & 1u << target.variable)) take(&target, value, q, v, z);
        }
    }
    return is_whole;
}

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
