/* Steps must not be blind to spikes of the equation along the motion: docs/decisions/0015-triggers.md. */
#ifndef SIMULATE_SPIKES_H
#define SIMULATE_SPIKES_H

#include "simulate/sim.h"

MECH_MUST_CHECK mech_status sim_spikes_create(mech_sim *s);
/* The stepper begins: parameters, or rows in force, may be others now. */
void sim_spikes_begin(mech_sim *s);
/* After a step was taken: takes it anew, shorter, while it is blind. */
sim_step_result sim_keep_sight(mech_sim *s);
/* Some could not be resolved: into warning, of so many characters. 0: none. */
int sim_spikes_warn(const mech_sim *s, char *warning, size_t size);

#endif
