/* The model's own start: where searches begin that are given no state. */
#include "analyze/search.h"

#include "base/mem.h"
#include "base/try.h"

#include <mech/assemble.h>

#include <math.h>
#include <string.h>

/* As a run begins: with q and v as arrays of plain values, those of expressions would be lost. */
static mech_status assemble(mech_assembly *assembly, double t, double *x, size_t order, int *is_met)
{
    mech_assemble_options options;
    mech_assemble_options_default(&options, sizeof options);
    options.t = t;
    const mech_status status = mech_assemble(assembly, &options);
    *is_met = status == MECH_OK;
    if (*is_met) memcpy(x, mech_assembly_q(assembly), order * sizeof *x);
    return status == MECH_ERR_MEMORY ? status : MECH_OK;
}

/* What has mass goes to where coordinates without are put. */
static mech_status change(mech_assembly *assembly, double t, const double *begin, double *x, size_t n, size_t order)
{
    mech_assemble_options at;
    int some = 0;
    unsigned char *is_new = mem_zeroed(order + 1, 1);
    if (!is_new) return MECH_ERR_MEMORY;
    for (size_t i = 0; i < order; i++) {
        if (isnan(begin[i])) continue;
        x[i] = begin[i];
        some = is_new[i] = 1;
    }
    mech_assemble_options_default(&at, sizeof at);
    at.t = t;
    at.q = x;
    at.v = x + n;
    at.z = x + 2 * n;
    const mech_status status = some ? mech_assembly_follow(assembly, &at, is_new) : MECH_OK;
    if (some && status == MECH_OK) memcpy(x, mech_assembly_q(assembly), order * sizeof *x);
    mem_free(is_new);
    return status;
}

mech_status search_find_start(mech_eval *eval, double t, const double *begin, double *x)
{
    const mech_sizes sizes = mech_system_sizes(mech_eval_system(eval));
    const size_t n = sizes.coords, order = 2 * n + sizes.states;
    mech_assembly *assembly = NULL;
    int is_met = 0;
    MECH_TRY(mech_assembly_create(eval, &assembly));
    mech_status status = assemble(assembly, t, x, order, &is_met);
    if (status == MECH_OK && !is_met) { /* what has no value begins at 0 */
        memset(x, 0, order * sizeof *x);
        MECH_IGNORE(mech_eval_initial(eval, t, x, x + n, x + 2 * n));
    }
    if (status == MECH_OK && begin) status = change(assembly, t, begin, x, n, order);
    mech_assembly_free(assembly);
    return status;
}
