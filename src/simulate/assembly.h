/* One level of the consistent start: rows, residuals, and how far from done. */
#ifndef SIMULATE_ASSEMBLY_H
#define SIMULATE_ASSEMBLY_H

#include "simulate/sim.h"

enum { POSITION = 0, VELOCITY = 1 }; /* levels */

typedef struct assembly {
    mech_sim *s;
    int level;
    int with_control;
    int is_kept;   /* given as a whole and fixed: nothing may move          */
    double *x;     /* (n) what moves: q or v within s->y                    */
    double norm;   /* of the residuals over their tolerances                */
    double excess; /* largest residual over its tolerance                   */
    double off;    /* largest residual beside what its row is made of       */
    size_t worst;
} assembly;

/* Rows of the start: constraints, then `initial` values. */
static inline size_t assembly_rows(const mech_sim *s) { return s->m + s->sizes.targets; }

/* initial.c: rows and residuals at s->y, into s->A_start, s->b_start, s->active_start, norm, excess, worst.
   0: some value is not finite. */
int assembly_look(assembly *a);
/* initial.c: 1: what was seen last is met, to rounding. */
int assembly_is_met(const assembly *a);
/* initial.c: the rows seen last as a matrix: s->A_start. */
void assembly_spread(mech_sim *s);
/* initial.c: Newton's method from x. is_met: 1, or 0 with a->worst. */
MECH_MUST_CHECK mech_status assembly_newton(assembly *a, int *is_met);
/* misfit.c: moves x to where the sum of squares of the residuals is least. */
void assembly_least_misfit(assembly *a);
/* recover.c: where Newton's method gave up: least squares from there, then all of it from displaced guesses. Not met: x
   is where the first search ended. */
MECH_MUST_CHECK mech_status assembly_recover(assembly *a, int *is_met);
/* recover.c: what is not met, and whether it cannot be. */
MECH_MUST_CHECK mech_status assembly_report(assembly *a);

#endif
