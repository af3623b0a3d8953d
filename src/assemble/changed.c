/* The model's start with some values changed: where commands and searches look that are told of a state in part. */
#include "assemble/assembly.h"
#include "base/mem.h"
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

static mech_status follow(mech_assembly *a, double t, double *x, const unsigned char *is_new)
{
    mech_assemble_options at;
    mech_assemble_options_default(&at, sizeof at);
    at.t = t;
    at.q = x;
    at.v = x + a->n;
    at.z = x + 2 * a->n;
    MECH_TRY(mech_assembly_follow(a, &at, is_new));
    memcpy(x, a->y, (2 * a->n + a->nz) * sizeof *x);
    return MECH_OK;
}

mech_status mech_assembly_changed_start(mech_assembly *a, double t, const double *changes, double *x, int *has_start)
{
    int has_own, some = 0;
    if (!a || !x) return MECH_ERR_ARGUMENT;
    MECH_TRY(own_start(a, t, x, &has_own));
    if (has_start) *has_start = has_own;
    if (!changes) return MECH_OK;
    unsigned char *is_new = mem_zeroed(2 * a->n + a->nz, 1);
    if (!is_new) return MECH_ERR_MEMORY;
    for (size_t i = 0; i < 2 * a->n + a->nz; i++) {
        if (isnan(changes[i])) continue;
        x[i] = changes[i];
        some = is_new[i] = 1;
    }
    const mech_status status = some ? follow(a, t, x, is_new) : MECH_OK;
    mem_free(is_new);
    return status;
}
