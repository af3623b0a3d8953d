/* A build without GMP has no polynomials in symbols. */
#include <mech/analyze.h>

#include "base/options.h"

#include <math.h>

#pragma GCC diagnostic ignored "-Wunused-parameter" /* there is nothing to do with them */

void mech_symbolic_options_default(mech_symbolic_options *options, size_t size)
{
    const mech_symbolic_options o = {.full = -1};
    options_default(options, size, &o, sizeof o);
}

mech_status mech_symbolic_create(const mech_model *model, const mech_symbolic_options *options,
                                 mech_symbolic **symbolic)
{
    *symbolic = NULL;
    return MECH_ERR_UNSUPPORTED;
}

void mech_symbolic_free(mech_symbolic *symbolic) {}

const mech_symbolic_result *mech_symbolic_get(const mech_symbolic *symbolic) { return NULL; }

double mech_symbolic_condition(const mech_symbolic *symbolic, int condition, const double *values)
{
    return (double)NAN;
}

mech_status mech_symbolic_routh(const mech_symbolic *symbolic, const double *values, mech_routh **routh)
{
    *routh = NULL;
    return MECH_ERR_UNSUPPORTED;
}
