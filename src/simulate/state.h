/* The mutable state of a run, visited in one place. */
#ifndef SIMULATE_STATE_H
#define SIMULATE_STATE_H

#include "base/state.h"
#include "simulate/sim.h"

/* Every field of the run that a later step may read before it is written. Reading, the run has been started
   from the same system and settings. MECH_ERR_FILE: what was read makes no sense; the run is of no use then.
 */
/* The part of it that the run keeps in its own fields, and its solvers: it exists before the start, too. */
void sim_visit_run(mech_sim *s, state_walk *w);
MECH_MUST_CHECK mech_status sim_visit(mech_sim *s, state_walk *w);

#endif
