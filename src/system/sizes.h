/* How large the terms are that the rows are made of, so that what rounding leaves of a row can be told in any units. */
#ifndef SYSTEM_SIZES_H
#define SYSTEM_SIZES_H

#include <mech/system.h>

typedef struct system_sizes {
    const double *r, *r_dot;             /* (m)             */
    const double *Q;                     /* (n)             */
    const double *slip;                  /* (friction rows) */
    const double *target, *target_value; /* (targets)       */
} system_sizes;

/* Likewise, of values that are looked at. */
typedef struct system_value_sizes {
    const double *trigger, *condition; /* (events)             */
    const double *action, *output;     /* (actions), (outputs) */
    const double *measure;             /* (measures)           */
} system_value_sizes;

typedef struct system_slopes {
    const double *motion, *row, *rate; /* as in mech_jacobian */
} system_slopes;

/* Doubles to work in. */
size_t system_sizes_room(const mech_system *system);
/* At the point set last, velocities at least; with_start: after mech_eval_start, for the targets too. 0: the system
   does not say (C functions), and *to is empty. */
int system_sizes_look(mech_eval *eval, int with_start, double *work, system_sizes *to);
/* After mech_eval_output and mech_eval_start. Each coordinate counts as if it were as large as the largest: one that
   is 0 but for rounding makes no term small. */
int system_sizes_values(mech_eval *eval, double *work, system_value_sizes *to);

/* The same of the derivatives, after mech_eval_jacobian; where the system does not say, their own size. */
size_t system_sizes_jacobian_room(const mech_system *system);
void system_sizes_jacobian(mech_eval *eval, double *work, system_slopes *to);

#endif
