/* The start as a model writes it: see mech_eval_initial. */
#include "system/system.h"

#include <math.h>
#include <string.h>

static void take(const mech_target *target, double value, double *q, double *v, double *z)
{
    if (target->variable == MECH_VARIABLE_Q) q[target->index] = value;
    if (target->variable == MECH_VARIABLE_V) v[target->index] = value;
    if (target->variable == MECH_VARIABLE_Z) z[target->index] = value;
}

mech_status mech_eval_initial(mech_eval *e, double t, double *q, double *v, double *z)
{
    const mech_sizes sizes = mech_system_sizes(e->system);
    int is_whole = 1;
    memset(q, 0, sizes.coords * sizeof *q);
    memset(v, 0, sizes.coords * sizeof *v);
    if (sizes.states) memset(z, 0, sizes.states * sizeof *z);
    for (int pass = 0; pass < 2; pass++) { /* twice, for values that use other variables */
        mech_status status = mech_eval_state(e, t, q, v, z);
        status = mech_eval_start(e);
        (void)status; /* what the equations make of it does not matter: values are looked at one by one */
        is_whole = 1;
        for (size_t k = 0; k < sizes.targets; k++) {
            const mech_target target = mech_system_target(e->system, k);
            const double value = e->equation.target_value[k];
            if (isfinite(value)) take(&target, value, q, v, z);
            else is_whole = 0;
        }
    }
    return is_whole ? MECH_OK : mech_eval_start(e);
}
