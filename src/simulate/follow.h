/* Rows that follow the motion (follow.c). */
#ifndef SIMULATE_FOLLOW_H
#define SIMULATE_FOLLOW_H

#include <mech/simulate.h>

typedef struct sim_follow {
    int how;                      /* 0: none; MECH_FOLLOW_ROWS; MECH_FOLLOW_KEPT                          */
    size_t count;                 /* of what is followed: y, then outputs and control                     */
    double *low, *high, *probe;   /* (count) met so far; (4 x count) scratch                              */
    double last, last_kink;       /* times of the last row, and of the last at a kink                     */
    double looked_until, spacing; /* of the step that is under way, from its start on: rows of its last piece */
    double coarse;                /* for how long the finest spacing was still too coarse                 */
} sim_follow;

mech_status sim_follow_create(mech_sim *s);
void sim_follow_begin(mech_sim *s);
/* The next time of a row after `t` and the last row, HUGE_VAL: none in this step. */
double sim_follow_next(mech_sim *s, double t);
/* A row on this side of a kink, where they are wanted. */
mech_status sim_follow_kink(mech_sim *s, int is_behind);

#endif
