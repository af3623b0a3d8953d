/* Kinks of the clock and what jumps there (kink.c). */
#ifndef SIMULATE_KINK_H
#define SIMULATE_KINK_H

#include <mech/simulate.h>

#include "system/owner.h"

typedef struct sim_kink {
    double t, hair; /* when, and how well that is known */
    size_t number;
} sim_kink;

/* What may jump, on one side of where it does. */
typedef struct sim_side {
    double *momentum, *inputs, *primed; /* (momentum_count) (3 x inputs) (primed_count) */
} sim_side;

typedef struct sim_kinks {
    size_t momentum_count;          /* entries of dL/dv that may jump */
    const uint32_t *momentum_coord; /* (momentum_count) */
    const double *momentum_now;     /* (momentum_count) at the point set last */
    double *momentum_further;       /* (momentum_count) scratch */
    double *impulse;                /* (n) scratch */
    size_t primed_count;            /* expressions that are primed and may jump */
    const double *primed_now;       /* (primed_count) at the point set last */
    unsigned char *primed_is_told;  /* (primed_count) that it has jumped */
    unsigned char *input_is_told;   /* (inputs) that it has jumped, or its slope, and someone looks at the next slope */
    int has_slopes;                 /* someone looks at slopes of inputs */
    sim_side before;                /* of the kink that is crossed */
    sim_side kept;                  /* of what may be set between two advances, or at the next point of a table */
    /* visited, all that follows */
    double kept_time, kept_since; /* when, NaN: not known; and when something could be set before */
    double set_time;              /* when what may be set was set last */
    sim_kink ahead;               /* of the clock, that steps are to end before; t HUGE_VAL: none */
    double gap;                   /* from the end of the step to beyond the kink it ends at */
    double gap_left;              /* of it, where t_end lies within: the next advance begins with it */
    size_t gap_kink;              /* whose it is; SIZE_MAX: a point's */
    double near_until;            /* a kink of the motion lies before this time: steps are not projected from within */
    int is_corner_told;           /* that a corner of a constraint took energy; of the others it is not told */
} sim_kinks;

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
/* Here, before something may be set: what may jump with it. since: when something could be set before. */
void sim_keep_side(mech_sim *s, double since);
/* The same, unless it is kept already: what was set since then is to be seen. */
void sim_keep_side_once(mech_sim *s, double since);
/* (3 x inputs) their values and slopes at the point set last. */
void sim_copy_inputs(const mech_sim *s, double *to);
/* Something was set: what follows for slopes, which leave out that it jumped. */
MECH_MUST_CHECK mech_status sim_look_at_set(mech_sim *s, int has_new_numbers);
/* The velocities that constraints, and inputs in the energy of motion, ask for at s->t, where another moment ago they
   asked for others. */
MECH_MUST_CHECK mech_status sim_follow_jump(mech_sim *s, int keeps_momentum);

/* ---- momentum.c: what an event does to dL/dv by setting states ---- */
/* What rounding is compared with: the terms of the momentum of a coordinate, M as evaluated last. */
double sim_momentum_size(const mech_sim *s, size_t coord);
/* At s->t, s->y, of the coordinates where states stand in it, into `to` (n at most). 0: of none, or it has no value. */
int sim_momentum_here(mech_sim *s, double *to);
/* With the states set, and nothing else yet: says that it jumps, once of each event. values: (2n) what is set of q and
   v, NaN: it is not. state: the first of those that are set. */
MECH_MUST_CHECK mech_status sim_tell_momentum(mech_sim *s, size_t event, size_t state, const double *before,
                                              const double *values);

#endif
