#ifndef SIMULATE_SETTINGS_H
#define SIMULATE_SETTINGS_H

#include <mech/simulate.h>

/* Copies what the caller's version of the struct has over the defaults. */
MECH_MUST_CHECK mech_status settings_take(mech_sim_settings *into, const mech_sim_settings *given);
/* Fills what was left open from the model, then from the defaults. */
void settings_resolve(mech_sim_settings *s, mech_eval *eval, const mech_system *system);
/* MECH_ERR_ARGUMENT: makes no sense; MECH_ERR_LIMIT: too many rows of so many columns. In words in why. */
MECH_MUST_CHECK mech_status settings_check(const mech_sim_settings *s, size_t columns, char *why, size_t size);

#endif
