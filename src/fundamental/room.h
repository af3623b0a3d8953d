/* What the files of this room share. */
#ifndef FUNDAMENTAL_ROOM_H
#define FUNDAMENTAL_ROOM_H

#include "base/visit.h"
#include "fundamental/control.h"
#include "fundamental/small.h"

#include <mech/fundamental.h>

/* Workspace of the LAPACK factorisation; empty where it is not there. */
typedef struct fundamental_dense {
    double *work; /* NULL: this solver does not use LAPACK */
    int size;
    int *row;     /* the order in which the last factorisation by angle took the rows (m)     */
    int rows;     /* how many; 0: none yet                                                    */
    int rank;     /* how many of them, from the first on, were independent                    */
    int is_close; /* and nearly dependent, so that their order has to be found anew each time */
} fundamental_dense;

struct fundamental_sparse;

struct mech_fundamental {
    int n, m;
    struct fundamental_sparse *sparse; /* NULL: dense, and all that follows    */
    mech_fundamental_settings settings;
    small_solve natural; /* M and the natural rows                            */
    small_solve control; /* W and what the actuators reach                    */
    fundamental_dense dense;
    int phase;       /* 1 after mech_fundamental_ideal                    */
    int looked;      /* 1 while miss and target belong to qdd             */
    const double *M; /* of that call, borrowed for the second phase       */
    double *numbers; /* the one block all arrays live in                  */
    int *integers;
    unsigned char *mask;                            /* m: natural rows in force                          */
    unsigned char *mask_servo, *mask_read;          /* m; 2 m, of reaction.h                             */
    double *qdd, *Qi, *Qni, *C, *force, *dqdd, *Qc; /* n                              */
    double *lambda, *dlambda, *total, *miss;        /* m                              */
    double *qdd_ideal, *lambda_ideal;               /* n, m: for the second phase     */
    double *zero;                                   /* n: stays zero                  */
    double *vectors, *matrix;                       /* n x n each: symmetric root; G L for nature         */
    double *reach;                                  /* max(n,m) x g: what actuators do, row by row       */
    double *target;                                 /* max(n,m)                                          */
    double *u;                                      /* g                                                 */
    double *scratch;                                /* of control.h and reaction.h                       */
    int *culprit;                                   /* max(n,m)                                          */
    int culprits;
};

/* fundamental.c */
mech_status fundamental_check(const mech_fundamental *f, const mech_fundamental_input *in);
mech_status fundamental_factor(mech_fundamental *f, const mech_fundamental_input *in); /* natural rows in force */
mech_status fundamental_law(mech_fundamental *f, const mech_fundamental_input *in, int *given); /* f->C from C or z */
mech_status fundamental_deliver(mech_fundamental *f, const mech_fundamental_input *in, mech_fundamental_output *out);
void fundamental_ideal(mech_fundamental *f, const mech_fundamental_input *in); /* motion under f->force */
void fundamental_nonideal(mech_fundamental *f, const double *M, int given);    /* adds the part of f->C */
unsigned fundamental_flags(const small_solve *s); /* MECH_FUNDAMENTAL_... of M and of the rows */
mech_status fundamental_status(mech_fundamental *f, const small_solve *s, small_status status);

/* sparse_solve.c: what stands behind a solver that was created from patterns */
mech_status fundamental_sparse_solve(mech_fundamental *f, const mech_fundamental_input *in,
                                     mech_fundamental_output *out);
mech_status fundamental_sparse_again(mech_fundamental *f, const double *Q, const double *b, double *qdd,
                                     double *lambda);
void fundamental_sparse_free(struct fundamental_sparse *s);
void fundamental_sparse_visit(struct fundamental_sparse *s, state_walk *w);

/* servo.c: the control problem in the solver's memory */
small_control fundamental_control_of(mech_fundamental *f, const mech_fundamental_input *in);
/* Adds the control force to f->force, f->Qc, f->u; f->qdd is the motion without control */
mech_status fundamental_control(mech_fundamental *f, const mech_fundamental_input *in);
/* The same in parts, for laws that the control answers: what the actuators do to the servo rows, factored; then, as
   often as wanted, the least control f->u, f->Qc that brings these rows from what they are in the motion qdd to b (m;
   NULL: 0), as far as it can. */
mech_status fundamental_control_prepare(mech_fundamental *f, const mech_fundamental_input *in);
void fundamental_control_aim(mech_fundamental *f, const mech_fundamental_input *in, const double *qdd, const double *b);

/* law.c: mech_fundamental_solve_law, where only solutions count that `accepts` takes (NULL: all), by their q''
   (n) and total multipliers (m). */
typedef int (*fundamental_accepts)(void *user, const double *qdd, const double *total);
mech_status fundamental_solve_law(mech_fundamental *f, const mech_fundamental_input *in, mech_reaction_law law,
                                  fundamental_accepts accepts, void *user, mech_fundamental_output *out);

/* dense_lapack.c or dense_absent.c */
mech_status fundamental_dense_create(fundamental_dense *d, int n, int m);
void fundamental_dense_free(fundamental_dense *d);
small_status fundamental_dense_factor(fundamental_dense *d, small_solve *s, const double *M, const double *A,
                                      const unsigned char *active, double rank_tol, double zero_tol);
int fundamental_dense_from(void); /* n + m from which it is faster; 0: never */

/* singular.c */
/* One-sided Jacobi: the columns of X (rows x columns, columns <= rows or not) become orthogonal, X_out = X V.
   V (columns x columns) or NULL. */
void fundamental_svd(int rows, int columns, double *X, double *V);

#endif
