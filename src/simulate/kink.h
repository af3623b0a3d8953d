/* Kinks of the clock and what jumps there (kink.c). */
#ifndef SIMULATE_KINK_H
#define SIMULATE_KINK_H

#include <mech/simulate.h>

#include "base/state.h"
#include "system/owner.h"

typedef struct sim_kink {
    double t, hair; /* when, and how well that is known */
    size_t number;
} sim_kink;

typedef struct sim_kinks {
    size_t momentum_count;           /* entries of dL/dv that may jump */
    const uint32_t *momentum_coord;  /* (momentum_count) */
    const double *momentum_now;      /* (momentum_count) at the point set last */
    double *momentum, momentum_time; /* (momentum_count) at the end of the last advance, and when; NaN: not known */
    double *momentum_before, *inputs_before, *impulse; /* (momentum_count) (3 x inputs) (n) scratch */
    size_t primed_count;                               /* expressions that are primed and may jump */
    const double *primed_now;                          /* (primed_count) at the point set last */
    double *primed_before;                             /* (primed_count) scratch */
    unsigned char *primed_is_told;                     /* (primed_count) that it has jumped */
    sim_kink ahead;  /* of the clock, that steps are to end before; t HUGE_VAL: none */
    double gap;      /* from the end of the step to beyond the kink it ends at */
    double gap_left; /* of it, where t_end lies within: the next advance begins with it */
    size_t gap_kink; /* whose it is; SIZE_MAX: a point's */
} sim_kinks;

void sim_kinks_visit(mech_sim *s, state_walk *w);

MECH_MUST_CHECK mech_status sim_kink_create(mech_sim *s);
/* Number of the first kink that has fired; SIZE_MAX: none. */
size_t sim_switched(const mech_sim *s);
/* What it, and all that has fired, look at. SIZE_MAX: a point of a table. */
switch_driver sim_kink_driver(const mech_sim *s, size_t kink);
/* What follows from what has fired, at s->t and the projected s->y. */
MECH_MUST_CHECK mech_status sim_events_act(mech_sim *s);
/* Across what is left of s->kink.gap, and the next step, of this length (0: chosen), begins behind it. kink: its
   number; SIZE_MAX: a point of a table. */
MECH_MUST_CHECK mech_status sim_pass_kink(mech_sim *s, size_t kink, double step);
/* At the end of an advance: what inputs that the caller sets then may make jump. */
void sim_keep_momentum(mech_sim *s);
/* The velocities that constraints, and inputs in the energy of motion, ask for at s->t, where another moment ago they
   asked for others. */
MECH_MUST_CHECK mech_status sim_follow_jump(mech_sim *s, int keeps_momentum);

#endif
