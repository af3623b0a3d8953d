/* What watched functions can do over a stretch of time: triggers of events, velocities of sliding, functions at whose
   zeros the equation has kinks. Those that look at accelerations or reactions are not known before the equation is
   solved, and have no bounds. */
#ifndef SYSTEM_BOUNDS_H
#define SYSTEM_BOUNDS_H

#include "compile/bounds.h"
#include "system/system.h"

typedef struct system_bounds system_bounds;

/* For a compiled model; *result is NULL where nothing can be bounded. */
MECH_MUST_CHECK mech_status system_bounds_create(mech_system *system, system_bounds **result);
void system_bounds_free(system_bounds *b);

/* NULL: this system has none. */
const system_bounds *system_bounds_get(const mech_system *system);

/* In this order: triggers (events), velocities of sliding (friction rows), switches. */
size_t system_bounds_count(const system_bounds *b);
const unsigned char *system_bounds_known(const system_bounds *b); /* (count) */
/* Does the trigger of this event look at what is in force, or at forces and accelerations? */
int system_trigger_answers(const mech_system *system, size_t event);
/* May it jump by itself, while nothing happens? */
int system_trigger_may_jump(const mech_system *system, size_t event);
/* Which of (q, v, states) they look at. */
const uint32_t *system_bounds_states(const system_bounds *b, size_t *count);
/* How many slots system_bounds_over needs. */
size_t system_bounds_room(const system_bounds *b);

/* Over [from, to]: y has the bounds of those states, in the order of the list above; parameters, rows in force and
   inputs that were set are as in `eval`. Into result (count); what is not known is left alone. room: cleared when it
   was new. */
void system_bounds_over(const mech_eval *eval, double from, double to, const bound *y, bound *room, bound *result);

/* Functions of time alone that the equation holds: how many, room for them, and what they do over [from, to]. */
size_t system_clock_count(const system_bounds *b);
size_t system_clock_room(const system_bounds *b);
void system_clock_over(const mech_eval *eval, double from, double to, bound *room, bound *result);

#endif
