/* Rows that stand as A q'' = b in the model (given_rows.c). */
#ifndef SIMULATE_GIVEN_ROWS_H
#define SIMULATE_GIVEN_ROWS_H

#include <mech/simulate.h>

typedef struct sim_given_rows {
    int exist;
    double *A_before; /* (pattern of A) where they were looked at last; 0: nowhere */
} sim_given_rows;

MECH_MUST_CHECK mech_status sim_given_rows_create(mech_sim *s);

/* Rows given by accelerations have no drift that could hide it: when q'' misses them they contradict others. At the
   point of the last sim_accelerate. */
MECH_MUST_CHECK mech_status sim_check_given(mech_sim *s);

#endif
