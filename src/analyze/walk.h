/* A walk over values of parameters, with an equilibrium at each. */
#ifndef ANALYZE_WALK_H
#define ANALYZE_WALK_H

#include <mech/analyze.h>

#include "base/arena.h"
#include "base/visit.h"

typedef struct walk {
    const mech_system *system;
    mech_eval *eval;
    mech_linear_options at;
    size_t n, m, nz, N; /* N: 2n + nz */
    double *start;      /* (N) where the walk began */
    double *now;        /* the last equilibrium */
    double *own;        /* (N) where a search of a point's own begins */
    double *B, *K;      /* (m x m) */
    double *saved;      /* (params) values to put back */
    mech_linear *linear;
    int family; /* dimension of the set that the last equilibrium belongs to */
} walk;

/* A worker's walk, with an evaluation of its own. Each of its items begins with the evaluation as it was when it was
   copied: no item looks at those before it. */
typedef struct walker {
    walk w;
    void *work;          /* what workers share                                      */
    mech_eval *own;      /* NULL: that of the walk it follows, as the only worker   */
    state_walk standing; /* of the evaluation, written                              */
} walker;

mech_status axis_check(const mech_system *system, const mech_axis *axis);
/* The axis is a gain on all rows, and no parameter. */
int axis_is_gain(const mech_system *system, const mech_axis *axis);
double axis_value(const mech_axis *axis, int k);

/* Ends with walk_close, whatever it returns. */
mech_status walk_open(walk *w, const mech_system *system, mech_eval *eval, const mech_linear_options *at);
/* Only what was moved is put back, so that parameters computed from others go on following them. */
void walk_close(walk *w, const mech_axis *const *axes, int count);
/* `count` items from where a walk stands, dealt out to as many threads as its options ask for; to one where a law in C
   gives its inputs. worker: a walker, with `work`. */
mech_status walk_share(const walk *w, size_t count, mech_status (*item)(void *worker, size_t item), void *work);
/* An item begins: the last equilibrium (2n + states). */
mech_status walker_begin(walker *k, const double *now);
mech_status walk_set(walk *w, const mech_axis *axis, double value);
/* The point of an axis nearest to the parameter's present value. */
int walk_nearest(const walk *w, const mech_axis *axis);
/* The points of an axis that lie below the parameter's present value: a walk goes up from there, and down. */
int walk_below(const walk *w, const mech_axis *axis);
/* The equilibrium at the present values, sought from `from`, into w->now, if one is found. */
mech_status walk_find(walk *w, const double *from, int *found);
/* The same by a search that knows of no other point: as one run at these values makes it, from `begin`. */
mech_status walk_find_own(walk *w, int *found);
/* The linear system at w->now. */
mech_status walk_linearize(walk *w, int *found);
/* What the modes of the motion say, and with gains those of the excess variables. */
mech_region walk_region(const mech_linear_result *l, int with_gains);
/* The same: 1: like a power of time, by modes on the axis that lack eigenvectors. */
int walk_grows(const mech_linear_result *l, int with_gains);

#endif
