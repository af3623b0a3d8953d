/* A mass that is lost between the ends of steps (mass.c). */
#ifndef SIMULATE_MASS_H
#define SIMULATE_MASS_H

#include <mech/simulate.h>

typedef struct sim_mass_guard {
    int is_on;     /* M may cease to be definite */
    double slack;  /* what rounding may take */
    double *scale; /* (n) at the start */
    size_t *order; /* (n) in which pivots were taken */
} sim_mass_guard;

MECH_MUST_CHECK mech_status sim_mass_create(mech_sim *s);

/* Does a solve say so? Accelerations without bound are what a mass that is about to vanish gives. */
int sim_is_lost_mass(mech_status status);
/* At the start, M evaluated. */
void sim_mass_begin(mech_sim *s);
/* Looks through the last step. *is_gone: M ceases to be positive semi-definite in it, and the stepper now ends a hair
   before (or the step has no part that stands, when t is still t_old's). */
MECH_MUST_CHECK mech_status sim_mass_look(mech_sim *s, int *is_gone);

#endif
