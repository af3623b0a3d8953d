/* The parts of the exact Jacobian: what each statement adds to the derivatives of the two equations
       F = M a - Q - A' l - C - G u = 0        R = A a - b = 0
   at fixed a, l, u, and the solve for da. Columns: q, v, states. */
#ifndef SIMULATE_JACOBIAN_H
#define SIMULATE_JACOBIAN_H

#include "simulate/sim.h"

typedef struct sim_jacobian_room {
    size_t columns;             /* 2n + states                                                          */
    double *F, *R;              /* (n x columns) (rows x columns)                                       */
    double *F2, *R2;            /* the same, at other a and l                                           */
    double *F0;                 /* (n x columns) the same at a = 0, l = 0                               */
    double *law;                /* (n x rows) dC by the total multipliers                               */
    double *dl;                 /* (rows x columns)                                                     */
    double *slip, *slip_A, *mu; /* (nf x columns) (nf x n x columns) (frictions x columns)            */
    double *a, *l, *u, *p, *s;  /* (n) (rows) (actuators or n) (n) (rows)                            */
    double *K, *x;              /* (size x size) (size) the general system                              */
    size_t *order;              /* (2 size) rows and columns by pivots                                  */
    size_t size, rank, forces;  /* forces: how many entries of u                                       */
    int looks_at_ideal;         /* a law looks at lambda                                                */
    const double *law_slope;    /* (inputs x (2n + nz)) of the inputs that a law in C gives; NULL: none */
} sim_jacobian_room;

/* jacobian.c: the derivatives of M a - Q - A' l (n x columns) and, unless NULL, of A a - b (rows x columns).
 */
MECH_MUST_CHECK mech_status jacobian_at(mech_sim *s, const double *a, const double *l, double *F, double *R);
void jacobian_scatter(const mech_sim *s, mech_matrix which, const double *values, double sign, size_t rows,
                      double *into);

/* jacobian_friction.c */
/* Keeps what friction needs of d; adds stick's rows to R and its forces to F. */
void jacobian_take_friction(mech_sim *s, const mech_jacobian *d);
/* Adds -dC of all that slips to F. */
MECH_MUST_CHECK mech_status jacobian_add_slip(mech_sim *s);

/* jacobian_general.c: where the plain solve does not do. */
int jacobian_is_general(const mech_sim *s);
size_t jacobian_general_size(const mech_sim *s);
/* With control: multipliers and adjoint variables of the least u' W u, into room->l, u, p, s. */
MECH_MUST_CHECK mech_status jacobian_solve_control(mech_sim *s);
/* What changes in the conditions of least u' W u, then da of every column into J. */
MECH_MUST_CHECK mech_status jacobian_solve_general(mech_sim *s, const mech_jacobian *d, double *J);

#endif
