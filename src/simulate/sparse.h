/* Large systems by pattern (sparse.c). */
#ifndef SIMULATE_SPARSE_H
#define SIMULATE_SPARSE_H

#include <mech/simulate.h>

#include "base/visit.h"

typedef struct sim_sparse {
    unsigned char *monitored; /* (m) */
    double *mass_weight;      /* (m) */
    double *M_full, *A_full;  /* see sim_make_dense */
} sim_sparse;

/* Decides how the run solves, and makes solver and assembler. */
MECH_MUST_CHECK mech_status sim_sparse_create(mech_sim *s);
/* By dense matrices after all. */
void sim_sparse_leave(mech_sim *s);
/* At the start: rows that make M definite, rows that depend on others. */
MECH_MUST_CHECK mech_status sim_sparse_settle(mech_sim *s);
/* Rows that were taken for dependent come back. 0: there are none, or no memory. */
int sim_sparse_unmonitor(mech_sim *s);
/* After a step: rows that were taken for dependent and are not come back. */
MECH_MUST_CHECK mech_status sim_sparse_follow(mech_sim *s);
/* Which rows were taken for dependent, and a solver for them. */
void sim_sparse_visit(mech_sim *s, state_walk *w);
/* Dense copies of M and A at the point set last, in M_full and A_full, for what is rare.
   0: too large, or no memory. */
int sim_make_dense(mech_sim *s);
/* Rows (m) that nearly depend on others at the point set last. 0: not known. */
int sim_sparse_dependent(mech_sim *s, unsigned char *rows);

#endif
