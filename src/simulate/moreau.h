/* Time stepping of Moreau and Jean (moreau.c): fixed steps, contacts by impulses, no events. */
#ifndef SIMULATE_MOREAU_H
#define SIMULATE_MOREAU_H

#include <mech/simulate.h>

#include "contact/contact.h"
#include "integrate/stepper.h"

/* Contacts in a run as a problem in their own coordinates, for the room `contact` (press.c). */
typedef struct sim_press {
    contact_room *room; /* NULL: nothing was pressed yet                    */
    size_t room_contacts, room_rows;
    double *block; /* J, change, W, c, size                            */
    /* by one-sided constraint: its friction, or SIZE_MAX */
    size_t *constraint, *friction;
    /* the problem gathered last */
    size_t *list;         /* (contacts) which of them take part                                */
    contact_point *point; /* (contacts)                                                        */
    double *J;            /* (n x rows) by row                                                 */
    double *change;       /* (n x rows) inv(M) J', with the rows in force: v by a unit impulse */
    double *W, *c, *size;
    double *S;           /* (3 x n) work                   */
    unsigned char *mask; /* (rows) that are kept           */
    contact_problem problem;
} sim_press;

MECH_MUST_CHECK mech_status sim_press_create(mech_sim *s);
void sim_press_free(mech_sim *s);
/* The event of a one-sided constraint: behind those of the text. */
size_t sim_own_event(const mech_sim *s, size_t which);
/* The problem of the one-sided constraints in list (count), as velocities, at the point set last (sim_set_point,
   sim_gather_rows): other rows in force are kept. Restitution and `was` are left to the caller. */
MECH_MUST_CHECK mech_status sim_press_gather(mech_sim *s, size_t count);

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
