/* One level of the consistent start: rows, residuals, and how far from done. */
#ifndef SIMULATE_ASSEMBLY_H
#define SIMULATE_ASSEMBLY_H

#include "simulate/sim.h"

typedef struct assembly {
    mech_sim *s;
    int level;
    int with_control;
    int is_kept;   /* given as a whole and fixed: nothing may move          */
    double *x;     /* (n) what moves: q or v within s->y                    */
    double norm;   /* of the residuals over their tolerances                */
    double excess; /* largest residual over its tolerance                   */
    size_t worst;
} assembly;

/* initial.c: rows and residuals at s->y, into s->A_start, s->b_start, s->active_start, norm, excess, worst.
   0: some value is not finite. */
int assembly_look(assembly *a);
/* misfit.c: moves x to where the sum of squares of the residuals is least. */
void assembly_least_misfit(assembly *a);

#endif
