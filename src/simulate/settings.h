#ifndef SIMULATE_SETTINGS_H
#define SIMULATE_SETTINGS_H

#include <mech/simulate.h>

/* Copies what the caller's version of the struct has over the defaults. */
void settings_take(mech_sim_settings *into, const mech_sim_settings *given);
/* Fills what was left open from the model, then from the defaults. MECH_ERR_ARGUMENT: makes no sense. */
MECH_MUST_CHECK mech_status settings_resolve(mech_sim_settings *s, mech_eval *eval, const mech_system *system);

#endif
