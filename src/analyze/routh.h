/* The Routh array and its verdict: what the exact and the floating count share. */
#ifndef ANALYZE_ROUTH_H
#define ANALYZE_ROUTH_H

#include <mech/analyze.h>

#include "base/arena.h"

enum { ROUTH_MOST_DEGREE = 200 };

struct mech_routh {
    mech_routh_result result;
    arena memory;  /* of all that follows */
    double *array; /* (rows x columns) */
    unsigned char *row_kind;
    const char **text, **full; /* (rows x columns) for people; without rounding, or NULL: the same */
};

/* Empty result for a polynomial of this degree; NULL when out of memory. */
mech_routh *routh_new(int degree);
/* Fills verdict from the counts. */
void routh_judge(mech_routh_result *result);
/* Coefficients as decimal texts or doubles; exactly one of the two is given. routh_gmp.c or routh_absent.c */
mech_status routh_exact(const double *values, const char *const *texts, int degree, mech_routh **routh);
/* Number of sign changes in the first column. */
int routh_sign_changes(const mech_routh *routh);

#endif
