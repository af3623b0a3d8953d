/* Values of an earlier time, delay(x, T): what x was in the last T, and where it breaks (delays.c). */
#ifndef SIMULATE_DELAYS_H
#define SIMULATE_DELAYS_H

#include <mech/simulate.h>

#include "base/chebyshev.h"
#include "base/visit.h"

typedef struct sim_piece { /* x from a to b */
    double a, b;
    chebyshev x;
} sim_piece;

typedef struct sim_delay {
    double lag;
    double size;       /* the largest of its values so far                           */
    double start;      /* before the run                                             */
    sim_piece *pieces; /* those from `first` on, up to `end`, in the order of time   */
    size_t first, end, capacity;
    size_t next;      /* the break that comes back next                             */
    double low, high; /* between which breaks its value is taken: the side of jumps */
} sim_delay;

typedef struct sim_break { /* here x or its derivatives may jump */
    double t;
    int64_t order; /* so many times it came back, each time in a higher derivative */
} sim_break;

typedef struct sim_delays {
    sim_delay *items; /* (count) */
    size_t count;
    sim_break *breaks;
    size_t break_count, break_capacity;
    double least;   /* the shortest */
    double others;  /* when anything else than a break is due next: inputs that are held, samples */
    int64_t order;  /* of the break that the next restart is */
    double *values; /* (points x count) */
} sim_delays;

MECH_MUST_CHECK mech_status sim_delays_create(mech_sim *s);
void sim_delays_free(mech_sim *s);
void sim_delays_visit(mech_sim *s, state_walk *w);
/* At the consistent start: what there was before; from now on the run gives the values. */
MECH_MUST_CHECK mech_status sim_delays_begin(mech_sim *s);
/* Parameters changed: the times of delays may not. */
MECH_MUST_CHECK mech_status sim_delays_check(mech_sim *s);
/* The last step, into what is remembered; what is too old is forgotten. */
MECH_MUST_CHECK mech_status sim_delays_step(mech_sim *s);
/* The run begins anew here. */
MECH_MUST_CHECK mech_status sim_delays_break(mech_sim *s);
/* When a break comes back or anything else is due; what differs by rounding is one instant, that of the others: samples
   are exact, and a break at 0.5 comes back after 0.1 at 6*0.1. */
double sim_delays_stop(const mech_sim *s);
/* Those that come back here are passed. is_alone: nothing else is due. */
void sim_delays_pass(mech_sim *s, int is_alone);

#endif
