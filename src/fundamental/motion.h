/* The motion alone: what Newton's method onto rows asks for, again and again. With what is left of the rows for b and
   no force it is the least change, in the metric M, that removes it to first order, at any rank: of a start
   (assemble/start.c), at the end of a step (simulate/project.c), of a search (analyze/search_start.c), of points for
   plans (motion/samples.c). */
#ifndef FUNDAMENTAL_MOTION_H
#define FUNDAMENTAL_MOTION_H

#include <mech/fundamental.h>

/* As mech_fundamental_solve: the same qdd (n) to the last bit, and flags, without forces, multipliers and singular
   values. */
MECH_MUST_CHECK mech_status fundamental_motion(mech_fundamental *solver, const mech_fundamental_input *in, double *qdd,
                                               unsigned *flags);

#endif
