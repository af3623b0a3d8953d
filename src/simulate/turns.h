/* Where functions of time alone turn round: steps must not be blind to them, whatever the motion does. */
#ifndef SIMULATE_TURNS_H
#define SIMULATE_TURNS_H

#include "simulate/sim.h"

MECH_MUST_CHECK mech_status sim_turns_create(mech_sim *s);
/* t_end, or before it where the next step must end. */
double sim_before_turn(mech_sim *s, double t_end);

#endif
