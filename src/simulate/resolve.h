/* Where in a step the functions that a run watches may pass 0: docs/decisions/0015-triggers.md. */
#ifndef SIMULATE_RESOLVE_H
#define SIMULATE_RESOLVE_H

#include "simulate/sim.h"

/* After sim_events_create has numbered the watches. */
MECH_MUST_CHECK mech_status sim_resolver_create(mech_sim *s);
/* Looks through the last step from its start on: the time of the first crossing in *where, the outcome of its watches
   WATCH_FIRED; or HUGE_VAL. */
MECH_MUST_CHECK mech_status sim_look_through(mech_sim *s, double *where);

/* Do five samples at even distances tell on which side the function is between them, by its side, floor and state? */
int sim_samples_tell(const sim_watch *w, const double f[5]);

/* "event " and its name, "friction" and "", ... */
const char *sim_watch_name(const mech_sim *s, size_t watch, const char **kind);

#endif
