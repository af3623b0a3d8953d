/* Exact derivatives of the acceleration and the multipliers at a point: the equation of dynamics/, with its columns q
   v z u u' u'', as mech_system_columns; and what counts as one there. */
#ifndef ANALYZE_TANGENT_H
#define ANALYZE_TANGENT_H

#include <mech/analyze.h>
#include <mech/fundamental.h>

#include "dynamics/smooth.h"

typedef struct tangent {
    const mech_system *system; /* borrowed, with its Jacobian prepared; and the evaluation that is moved */
    mech_eval *eval;
    const mech_equation *e;
    mech_sizes sizes;
    mech_columns at;
    size_t n, m, columns;
    arena memory;    /* all numbers */
    smooth at_point; /* the equation: solved, differentiated */
    /* set by tangent_solve */
    const double *a, *lambda, *reaction; /* (n), (m) ideal, (m) total: of the equation */
    double *C;                           /* (n) the laws */
    /* set by tangent_scatter */
    double *motion, *row;  /* (n x columns), (m x columns): F_x without C, G_x */
    double *C_x;           /* (n x columns) */
    double *r_x, *r_dot_x; /* (m x columns) */
    double *rate_x;        /* (states x columns) */
    double *others;        /* (tangent_others x columns) of the rest: friction, and what control acts along */
    /* set by tangent_derive, which scatters, too */
    double *a_x;                         /* (n x columns) */
    const double *lambda_x, *reaction_x; /* (rows, those of friction behind them, x columns) */
    double *output_x;                    /* (outputs x columns) */
    /* set by tangent_measure */
    double *one;                 /* (2n + states) what counts as one of each of q, v and z */
    double time;                 /* the same of time: 1 over the fastest rate */
    int has_time;                /* 0: nothing answers to position or velocity, and `time` is 1 */
    double *row_one, *size_work; /* (m), (measure_room) */
    double *mass;                /* (n) of tangent_weigh */
    double pull;  /* largest acceleration that a force would give, in those units: the terms of Q, and the reactions */
    double *work; /* (n) */
} tangent;

/* MECH_ERR_UNSUPPORTED: tangent_obstacle says it in words. */
mech_status tangent_create(const mech_system *system, mech_eval *eval, tangent *t);
void tangent_free(tangent *t);
/* The evaluation at x = (q, v, z). */
mech_status tangent_stand(const tangent *t, double time, const double *x);
/* Accelerations and multipliers where the evaluation stands (position and velocity set); left in the evaluation. B,
   K: (m x m) gains, or NULL. MECH_ERR_UNSUPPORTED: friction rests there, see at_point.why. MECH_ERR_NOT_UNIQUE: a law
   looks at what is not. */
mech_status tangent_solve(tangent *t, const double *B, const double *K);
/* Derivatives there, once it is solved. */
mech_status tangent_derive(tangent *t);
/* Derivatives of the equation alone, at these accelerations and multipliers (NULL: as they are): motion, row, C_x, r_x,
   r_dot_x, rate_x, others. */
mech_status tangent_scatter(tangent *t, const double *a, const double *lambda, const double *reaction);
/* Rows of `others`. */
size_t tangent_others(const tangent *t);
/* Does row i bind the state where the evaluation stands: in force, and not kept by control, which a state may leave? */
static inline int tangent_binds(const tangent *t, size_t i) { return i < t->sizes.natural_rows && t->e->active[i]; }
/* measure.c: masses at x and beside it, for tangent_measure: a coordinate may have none at a point, as Euler
   parameters do. Moves the evaluation. */
mech_status tangent_weigh(tangent *t, double time, const double *x);
/* What counts as one, where tangent_scatter or tangent_derive were last; x: (q...) whose size counts. */
void tangent_measure(tangent *t, const double *x);
size_t measure_room(const mech_system *system);
/* Largest velocity in those units. */
double tangent_speed(const tangent *t, const double *v);
/* cyclic.c: coordinates that nothing depends on, into is_cyclic (n). t holds the derivatives at x = (q, v, z), and is
   measured; the evaluation and t are moved elsewhere. */
mech_status cyclic_find(tangent *t, double time, const double *x, unsigned char *is_cyclic);
/* inertia.c: near a point where the mass matrix is singular on the constraints *weak receives the coordinate without
   inertia and *along the one by which it changes; else both -1. Moves the evaluation. */
mech_status inertia_look(const tangent *t, double time, const double *q, int *weak, int *along);
/* Why the system cannot be differentiated anywhere; NULL: it can. Static text. */
const char *tangent_obstacle(const mech_system *system);

#endif
