#ifndef ANALYZE_MODES_H
#define ANALYZE_MODES_H

#include <mech/analyze.h>

#include "base/arena.h"

struct mech_modes {
    mech_modes_result result;
    arena memory; /* of what follows */
    double *real, *imaginary;
};

/* mech_modes_create of A, whose unit of time is `time`: eigenvalues in the given one. */
mech_status modes_create(int n, const double *A, double time, mech_modes **modes);

#endif
