/* The end of a step by generated code (settle.c). */
#ifndef SIMULATE_SETTLE_H
#define SIMULATE_SETTLE_H

#include <mech/simulate.h>

#include "base/state.h"

typedef struct sim_fast_end {
    int uses_motion;     /* mech_sim_use_motion */
    int has_check;       /* its code may have mech_motion_check */
    int is_settled;      /* the state at t was settled by it: see settle.c */
    size_t settled;      /* steps since the full solve looked */
    double least_margin; /* that it looked at; 0: none */
} sim_fast_end;

void sim_fast_visit(mech_sim *s, state_walk *w);

/* *is_done 0: it cannot say, and nothing happened. */
MECH_MUST_CHECK mech_status sim_settle_at_once(mech_sim *s, int *is_done);

/* Shall the full solve look at the rank? At first, every so often, and when the margin falls below all it has looked
   at. */
int sim_rank_is_due(mech_sim *s, double margin);

#endif
