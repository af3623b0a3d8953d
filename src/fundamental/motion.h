/* The motion alone: what Newton's method asks for, again and again. */
#ifndef FUNDAMENTAL_MOTION_H
#define FUNDAMENTAL_MOTION_H

#include <mech/fundamental.h>

/* As mech_fundamental_solve: the same qdd (n) to the last bit, and flags, without forces, multipliers and singular
   values. */
MECH_MUST_CHECK mech_status fundamental_motion(mech_fundamental *solver, const mech_fundamental_input *in, double *qdd,
                                               unsigned *flags);

#endif
