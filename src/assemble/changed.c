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

static int has_some(const mech_assembly *a, const double *changes)
{
    for (size_t i = 0; changes && i < 2 * a->n + a->nz; i++)
        if (!isnan(changes[i])) return 1;
    return 0;
}

/* Those from number `first` on. */
static void put(const mech_assembly *a, const double *changes, size_t first, double *x)
{
    for (size_t i = first; i < 2 * a->n + a->nz; i++)
        if (!isnan(changes[i])) x[i] = changes[i];
}

static mech_assemble_options options_at(const mech_assembly *a, double t, const double *x)
{
    mech_assemble_options at;
    mech_assemble_options_default(&at, sizeof at);
    at.t = t;
    at.q = x;
    at.v = x + a->n;
    at.z = x + 2 * a->n;
    return at;
}

mech_status mech_assembly_changed_start(mech_assembly *a, double t, const double *changes, double *x, int *has_start)
{
    int has_own;
    if (!a || !x) return MECH_ERR_ARGUMENT;
    MECH_TRY(own_start(a, t, x, &has_own));
    if (has_start) *has_start = has_own;
    if (!has_some(a, changes)) return MECH_OK;
    const mech_assemble_options at = options_at(a, t, x);
    put(a, changes, 2 * a->n, x);
    MECH_TRY(mech_assembly_follow(a, &at, changes));
    memcpy(x, a->y, 2 * a->n * sizeof *x);
    return MECH_OK;
}

/* From the model's start with what follows the changes. is_met: 0 where there is no way so. from, x: (2n + states)
   scratch. */
static mech_status assemble_followed(mech_assembly *a, double t, const double *changes, double *from, double *x,
                                     int *is_met)
{
    const mech_assemble_options at = options_at(a, t, x);
    MECH_TRY(own_start(a, t, from, is_met));
    if (!*is_met) return MECH_OK;
    put(a, changes, 0, from);
    mech_status status = mech_assembly_changed_start(a, t, changes, x, NULL);
    if (status == MECH_OK) status = mech_assemble(a, &at);
    *is_met = status == MECH_OK;
    if (!*is_met) return status == MECH_ERR_MEMORY ? status : MECH_OK;
    memcpy(a->y_given, from, 2 * a->n * sizeof *from);
    assembly_report_moves(a);
    return MECH_OK;
}

/* From values as they are written, which may have a way. */
static mech_status assemble_written(mech_assembly *a, double t, const double *changes, double *x)
{
    const mech_assemble_options at = options_at(a, t, x);
    MECH_IGNORE(mech_eval_initial(a->eval, t, x, x + a->n, x + 2 * a->n));
    put(a, changes, 0, x);
    return mech_assemble(a, &at);
}

mech_status mech_assemble_changed(mech_assembly *a, double t, const double *changes)
{
    mech_assemble_options own;
    int is_met = 0;
    if (!a) return MECH_ERR_ARGUMENT;
    mech_assemble_options_default(&own, sizeof own);
    own.t = t;
    if (!has_some(a, changes)) return mech_assemble(a, &own);
    const size_t count = 2 * a->n + a->nz;
    double *x = mem_alloc(2 * count * sizeof *x);
    mech_status status = x ? assemble_followed(a, t, changes, x + count, x, &is_met) : MECH_ERR_MEMORY;
    if (status == MECH_OK && !is_met) status = assemble_written(a, t, changes, x);
    mem_free(x);
    return status;
}
