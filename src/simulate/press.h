/* Contacts in a run as a problem in their own coordinates, for the room `contact` (press.c). */
#ifndef SIMULATE_PRESS_H
#define SIMULATE_PRESS_H

#include <mech/simulate.h>

#include "contact/contact.h"

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

#endif
