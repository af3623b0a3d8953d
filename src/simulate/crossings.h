/* Where between two samples of a step watched functions pass 0: docs/decisions/0015-triggers.md. */
#ifndef SIMULATE_CROSSINGS_H
#define SIMULATE_CROSSINGS_H

#include "simulate/sim.h"

typedef struct sim_sampled { /* all watched functions at one time */
    double t;
    double *values;
} sim_sampled;

/* Crossings between samples a and b, seen by their signs: the time of the first one that sets something off in *where,
   the outcome of its watches WATCH_FIRED; or HUGE_VAL. */
MECH_MUST_CHECK mech_status sim_scan(mech_sim *s, const sim_sampled *a, const sim_sampled *b, double *where);
/* Times of events are found to this. */
double sim_event_width(const mech_sim *s);
/* What happens within so much is of one instant. */
double sim_instant_width(const mech_sim *s);

/* All watched functions at t within the last step, by its interpolant; behind its end the state goes on as it came.
   Signs as rk_rhs. */
int sim_values_within(mech_sim *s, double t, double *values);
/* The same of one; scratch: s->events.tried. */
int sim_value_within(mech_sim *s, size_t k, double t, double *value);
/* There too: does the condition of event k hold? Of what has none it does. */
MECH_MUST_CHECK mech_status sim_condition_holds(mech_sim *s, size_t k, double t, int *holds);

#endif
