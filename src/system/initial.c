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

int eval_take_initial(mech_eval *e, double t, double *q, double *v, double *z, unsigned given)
{
    const size_t count = mech_system_sizes(e->system).targets;
    int is_whole = 1;
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
