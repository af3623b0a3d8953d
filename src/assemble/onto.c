/* Newton's method onto rows: see onto.h. */
#include "assemble/onto.h"

#include "base/try.h"

#include <math.h>

static void move(onto *o)
{
    double part = 1;
    if (o->longest > 0) {
        o->moved = o->size = 0;
        for (size_t i = 0; i < o->n; i++) {
            o->moved = fmax(o->moved, fabs(o->delta[i]));
            o->size = fmax(o->size, fabs(o->x[i]));
        }
        if (o->moved > o->longest) part = o->longest / o->moved;
    }
    for (size_t i = 0; i < o->n; i++) o->x[i] += part * o->delta[i];
}

mech_status onto_rows(onto *o)
{
    for (o->turn = 0;; o->turn++) {
        MECH_TRY(o->look(o));
        if (o->is_done || o->turn == o->most) return MECH_OK;
        if (o->x) move(o);
    }
}
