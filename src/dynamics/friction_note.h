/* A word about frictions whose load is the multiplier of a row as it is written: that of a row that is no distance, or
   along a velocity that is no speed, is off by a factor. */
#ifndef DYNAMICS_FRICTION_NOTE_H
#define DYNAMICS_FRICTION_NOTE_H

#include <mech/system.h>

#include "base/text.h"

/* Adds what there is to say of friction number k at the point of the equation; returns whether there was anything. */
int friction_note(const mech_system *system, const mech_equation *at, size_t k, textbuf *out);

#endif
