/* Exact derivatives of the acceleration and the multipliers at a point, by differentiating the equation as it
   stands:  M a - Q - C - A' rho = 0,  A a = b - B r' - K r.  Columns: q v z u u' u'', as mech_system_columns.
 */
#ifndef ANALYZE_TANGENT_H
#define ANALYZE_TANGENT_H

#include <mech/analyze.h>
#include <mech/fundamental.h>

typedef struct tangent {
    const mech_system *system; /* borrowed, with its Jacobian prepared */
    mech_sizes sizes;
    mech_columns at;
    size_t n, m, columns;
    mech_fundamental *solver;
    /* set by tangent_solve */
    double *a, *lambda, *reaction; /* (n), (m) ideal, (m) total */
    double *a_ideal;               /* (n) */
    double *b;                     /* (m) b - B r' - K r */
    double *C, *C_reaction;        /* (n) the law; (n x m) its derivative */
    int rank;
    unsigned flags;
    /* set by tangent_derive */
    double *motion, *row;          /* (n x columns), (m x columns): F_x without C, G_x */
    double *C_x;                   /* (n x columns) */
    double *r_x, *r_dot_x;         /* (m x columns) */
    double *rate_x;                /* (states x columns) */
    double *a_x;                   /* (n x columns) */
    double *lambda_x, *reaction_x; /* (m x columns) */
    double *output_x;              /* (outputs x columns) */
    /* set by tangent_measure */
    double *one; /* (2n + states) what counts as one of each of q, v and z */
    double time; /* the same of time: 1 over the fastest rate */
    int has_time; /* 0: nothing answers to position or velocity, and `time` is 1 */
    double *row_one, *size_work;   /* (m), (measure_room) */
    double *mass; /* (n) of tangent_weigh */
    double pull; /* largest acceleration that a force would give, in those units: the terms of Q, and the reactions */
    double *work;                  /* scratch */
    double *block;                 /* all of the above */
} tangent;

/* MECH_ERR_UNSUPPORTED: friction, servo rows or laws by z (mech_analyze_obstacle says it in words). */
mech_status tangent_create(const mech_system *system, tangent *t);
void tangent_free(tangent *t);
/* Accelerations and multipliers where the evaluation stands (position and velocity set); left in the
 * evaluation. B, K: (m x m) gains, or NULL. */
mech_status tangent_solve(tangent *t, mech_eval *eval, const double *B, const double *K);
/* Derivatives there, with the same gains. */
mech_status tangent_derive(tangent *t, mech_eval *eval, const double *B, const double *K);
/* Derivatives of the equation alone, with the a and reaction the evaluation holds: motion, row, C_x, r_x,
 * r_dot_x, rate_x. */
mech_status tangent_scatter(tangent *t, mech_eval *eval);
/* measure.c: masses at x and beside it, for tangent_measure: a coordinate may have none at a point, as Euler parameters do. Moves the evaluation. */
mech_status tangent_weigh(tangent *t, mech_eval *eval, double time, const double *x);
/* What counts as one, where tangent_scatter or tangent_derive were last; x: (q...) whose size counts. */
void tangent_measure(tangent *t, mech_eval *eval, const double *x);
size_t measure_room(const mech_system *system);
/* Largest velocity in those units. */
double tangent_speed(const tangent *t, const double *v);
/* Why the system cannot be differentiated; NULL: it can. Static text. */
const char *tangent_obstacle(const mech_system *system);

#endif
