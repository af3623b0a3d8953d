/* Coordinates that are special: those that occur nowhere, and those that lose their inertia. */
#ifndef ANALYZE_INERTIA_H
#define ANALYZE_INERTIA_H

#include "analyze/tangent.h"

/* cyclic.c. is_cyclic (n): 1 where nothing depends on the coordinate. t holds the derivatives at x = (q, v,
   z), and is measured; the evaluation and t are moved elsewhere. */
mech_status cyclic_find(tangent *t, mech_eval *eval, double time, const double *x, unsigned char *is_cyclic);

/* inertia.c. Near a point where the mass matrix is singular on the constraints *weak receives the coordinate
   without inertia and *along the one by which it changes; else both -1. Moves the evaluation. */
mech_status inertia_look(const tangent *t, mech_eval *eval, double time, const double *q, int *weak, int *along);

#endif
