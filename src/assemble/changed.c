/* The model's start with some values changed: where commands and searches look that are told of a state in part. */
#include "assemble/assembly.h"
#include "base/try.h"

#include <math.h>
#include <string.h>

/* As a run begins: an array that is given would ask for no values of expressions. */
static mech_status own_start(mech_assembly *a, double t, double *x, int *has_start)
{
    mech_assemble_options own;
    mech_assemble_options_default(&own, sizeof own);
    own.t = t;
    const mech_status status = mech_assemble(a, &own);
    *has_start = status == MECH_OK;
    if (status == MECH_ERR_MEMORY) return status;
    if (*has_start) memcpy(x, a->y, (2 * a->n + a->nz) * sizeof *x);
    else MECH_IGNORE(mech_eval_initial(a->eval, t, x, x + a->n, x + 2 * a->n)); /* what has no value begins at 0 */
    return MECH_OK;
}

mech_status mech_assembly_changed_start(mech_assembly *a, double t, const double *changes, double *x, int *has_start)
{
    const size_t n = a ? a->n : 0;
    int has_own, some = 0;
    mech_assemble_options at;
    if (!a || !x) return MECH_ERR_ARGUMENT;
    MECH_TRY(own_start(a, t, x, &has_own));
    if (has_start) *has_start = has_own;
    if (!changes) return MECH_OK;
    for (size_t i = 0; i < 2 * n + a->nz; i++) {
        some |= !isnan(changes[i]);
        if (i >= 2 * n && !isnan(changes[i])) x[i] = changes[i];
    }
    if (!some) return MECH_OK;
    mech_assemble_options_default(&at, sizeof at);
    at.t = t;
    at.q = x;
    at.v = x + n;
    at.z = x + 2 * n;
    MECH_TRY(mech_assembly_follow(a, &at, changes));
    memcpy(x, a->y, 2 * n * sizeof *x);
    return MECH_OK;
}
