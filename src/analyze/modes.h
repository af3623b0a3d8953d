#ifndef ANALYZE_MODES_H
#define ANALYZE_MODES_H

#include <mech/analyze.h>

struct mech_modes {
    mech_modes_result result;
    double *real, *imaginary;
};

#endif
