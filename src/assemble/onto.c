/* Newton's method onto rows: see onto.h. */
#include "assemble/onto.h"

#include "base/try.h"
#include "fundamental/motion.h"

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

mech_status onto_rows(onto *o, onto_verdict *verdict)
{
    for (int turn = 0;; turn++) {
        MECH_TRY(o->look(o->user, turn, verdict));
        if (*verdict != ONTO_GO_ON || turn == o->most) return MECH_OK;
        MECH_TRY(o->change(o->user, o->delta));
        move(o);
    }
}

mech_status onto_least_change(mech_fundamental *solver, mech_fundamental_input *in, onto_metric *other, void *user,
                              double *change, unsigned *flags, int *is_other)
{
    unsigned found = 0;
    mech_status status = fundamental_motion(solver, in, change, &found);
    const int is_poor = status == MECH_ERR_SINGULAR_MASS || status == MECH_ERR_NOT_DEFINITE;
    const double *metric = is_poor && other ? other(user, status) : NULL;
    if (metric) {
        in->M = metric;
        in->is_same = 0;
        if (is_other) *is_other = 1;
        status = fundamental_motion(solver, in, change, &found);
    }
    if (flags) *flags = found;
    return status;
}
