/* States over a stretch of the last step: their interpolant is a polynomial, and lies within its Bernstein
   coefficients. */
#ifndef SIMULATE_INTERPOLANT_H
#define SIMULATE_INTERPOLANT_H

#include "simulate/sim.h"
#include "system/bounds.h"

enum { INTERPOLANT_MOST = SIM_MOST_DEGREE };

typedef struct sim_interpolant {
    const uint32_t *state; /* (count) components of y that are looked at */
    size_t count;
    size_t degree;                                                        /* of the matrix below              */
    double node[INTERPOLANT_MOST + 1];                                    /* in [0, 1]                        */
    double to_bernstein[(INTERPOLANT_MOST + 1) * (INTERPOLANT_MOST + 1)]; /* from values at the nodes, by row */
    double *at_nodes;                                                     /* (count x nodes)                  */
    bound *y;                                                             /* (count) what the calls here fill */
} sim_interpolant;

MECH_MUST_CHECK mech_status sim_interpolant_create(mech_sim *s, const uint32_t *state, size_t count,
                                                   sim_interpolant *x);
/* Before the first look at a step: the degree of the run's method. */
void sim_interpolant_prepare(const mech_sim *s, sim_interpolant *x);
/* Bounds over [from, to], within the last step; at t. 0: the interpolant is not known, s->log tells. */
MECH_MUST_CHECK int sim_interpolant_over(mech_sim *s, sim_interpolant *x, double from, double to);
MECH_MUST_CHECK int sim_interpolant_at(mech_sim *s, sim_interpolant *x, double t);

#endif
