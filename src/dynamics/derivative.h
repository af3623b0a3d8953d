/* The derivative of the solved equation: what each statement adds to the derivatives of the two equations
       F = M a - Q - A' l - C - G u = 0        R = A a - b = 0
   at fixed a, l, u, and the solve for da and dl. Columns: those that the holder chooses of the system's. */
#ifndef DYNAMICS_DERIVATIVE_H
#define DYNAMICS_DERIVATIVE_H

#include "dynamics/dynamics.h"

typedef struct derivative {
    dynamics *d;
    size_t columns; /* how many                                                             */
    size_t *place;  /* (columns of the system) which of ours; SIZE_MAX: none                */
    /* results of derivative_find */
    double *total;  /* (rows x columns) of the total multipliers; NULL: neither asked for nor needed */
    double *lambda; /* the same of the ideal ones                                           */
    /* the rest is its own */
    double *F, *R;              /* (n x columns) (rows x columns)                                       */
    double *F2, *R2;            /* the same, at other a and l                                           */
    double *F0;                 /* (n x columns) the same at a = 0, l = 0                               */
    double *law;                /* (n x rows) dC by the total multipliers                               */
    double *dl;                 /* (rows)                                                               */
    double *slip, *slip_A, *mu; /* (nf x columns) (nf x n x columns) (frictions x columns)              */
    double *a, *l, *u, *p, *s;  /* (n) (rows) (actuators or n) (n) (rows)                               */
    double *zero;               /* (max(n, rows))                                                       */
    double *K, *x;              /* (size x size) (2 size) the general system                            */
    double *work;               /* see derivative_general.c                                             */
    int *order;                 /* (2 size) rows and columns by pivots                                  */
    size_t size, rank, forces;  /* forces: how many entries of u                                        */
    /* with control, where unknowns and equations begin: a and F at 0, l and R, then u, p, s and their conditions */
    size_t at_l, at_u, at_p, at_s;
    int looks_at_ideal;      /* a law looks at lambda                                                */
    const double *law_slope; /* (inputs x (2n + nz)) of the inputs that a law in C gives; NULL: none */
} derivative;

/* Columns besides those of q, v and the states, which stand first and in this order; these follow in the order of the
   list. */
enum {
    DERIVATIVE_INPUTS = 1,
    DERIVATIVE_INPUT_RATES = 2, /* u', u''                               */
    DERIVATIVE_PARAMETERS = 4,  /* none where the system has none        */
    DERIVATIVE_TIME = 8,
    DERIVATIVE_MULTIPLIERS = 16 /* no columns: wants `total` and `lambda` */
};

/* NULL, or in words why the solved equation has no derivative. Static. */
const char *derivative_obstacle(const mech_system *system);
/* All memory from the arena. */
MECH_MUST_CHECK mech_status derivative_create(dynamics *d, unsigned wants, arena *memory, derivative *r);
/* da/dx into `to`, column by column, `height` apart, at the point of the last dynamics_solve. *at: the system's own
   derivatives; those of what looks at q'' or multipliers may be of others, which the evaluation is left with. */
MECH_MUST_CHECK mech_status derivative_find(derivative *r, double *to, size_t height, mech_jacobian *at);

/* ---- of its files ---- */
/* The system's derivatives with q'' = a and total multipliers l, into *at unless it is NULL; those of M a - Q - A' l (n
   x columns) and, unless NULL, of A a - b (rows x columns). */
MECH_MUST_CHECK mech_status derivative_at(derivative *r, const double *a, const double *l, double *F, double *R,
                                          mech_jacobian *at);
/* Adds values by pattern to `into`, whose columns are `height` apart. */
void derivative_scatter(const derivative *r, mech_matrix which, const double *values, size_t height, double *into);
/* da of every column from F and R, on the factors of the equation; and total, where there is one. */
MECH_MUST_CHECK mech_status derivative_solve_columns(derivative *r, double *to, size_t height);
/* derivative_friction.c */
/* Keeps what friction needs of `at`; adds stick's rows to R and its forces to F. */
void derivative_take_friction(derivative *r, const mech_jacobian *at);
/* Adds -dC of all that slips to F. */
MECH_MUST_CHECK mech_status derivative_add_slip(derivative *r);
/* derivative_general.c: where the plain solve does not do. */
/* Sizes of the general system. */
void derivative_measure(derivative *r);
/* With control: multipliers and adjoint variables of the least u' W u, into l, u, p, s. */
MECH_MUST_CHECK mech_status derivative_solve_control(derivative *r);
/* What changes in the conditions of least u' W u, then da of every column. */
MECH_MUST_CHECK mech_status derivative_solve_controlled(derivative *r, const mech_jacobian *at, double *to,
                                                        size_t height);
/* Laws that look at the multipliers, and friction that slides. */
MECH_MUST_CHECK mech_status derivative_solve_laws(derivative *r, double *to, size_t height);

#endif
