/* Time stepping of Moreau and Jean (moreau.c): fixed steps, contacts by impulses, no events. */
#ifndef SIMULATE_MOREAU_H
#define SIMULATE_MOREAU_H

#include <mech/simulate.h>

#include "contact/contact.h"
#include "integrate/stepper.h"

typedef struct sim_moreau {
    unsigned char *closed; /* (one-sided constraints) in the last step: restitution acts where one closes */
    double *force;         /* (rows) mean multipliers of the last step, 0 but for theirs                  */
    double *qdd;           /* (n) mean acceleration of the last step                                      */
    double deepest;        /* how far one was beyond, its constraint; which                              */
    size_t deepest_at;
    /* what rests is kept from sinking in: its gaps as a problem of their own */
    contact_point *point;
    double *W, *c;
    size_t *row;          /* in the problem of impulses */
    unsigned char *stays; /* of that problem: closed before, and pressed */
} sim_moreau;

MECH_MUST_CHECK mech_status sim_moreau_create(mech_sim *s);
/* Its stepper; refused, with the reason, where the model has what it does not serve. */
MECH_MUST_CHECK mech_status sim_moreau_stepper(mech_sim *s, sim_stepper **out);
/* At the start: contacts are out of force for good, and what the first step will find is known. */
MECH_MUST_CHECK mech_status sim_moreau_begin(mech_sim *s);
/* The caller put the state elsewhere: what touches there. */
MECH_MUST_CHECK mech_status sim_moreau_place(mech_sim *s);
/* At the end: how far contacts were beyond, in words. */
MECH_MUST_CHECK mech_status sim_moreau_close(mech_sim *s);
/* Around an evaluation that is shown: contacts are in force as the last step had them, and their mean forces stand
   among the multipliers. */
void sim_moreau_show(mech_sim *s, int is_shown);
void sim_moreau_put_forces(mech_sim *s);

#endif
