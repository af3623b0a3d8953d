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
/* Why the system cannot be differentiated; NULL: it can. Static text. */
const char *tangent_obstacle(const mech_system *system);

#endif
