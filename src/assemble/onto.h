/* Newton's method onto rows that are to be 0, the only one in the library (fmu/source/onto.c has one for standalone
   C, which cannot carry it): round and round, x is changed by what removes what is left of the rows to first order.
   Who asks says in `look` what the rows are, when they are met and which change is the least: the start (start.c),
   the end of a step (simulate/project.c), points of a search (analyze/search_start.c) and beside one
   (analyze/rank.c), points for plans (motion/samples.c). The change comes from fundamental_motion, as a rule: at any
   rank, in any metric. */
#ifndef ASSEMBLE_ONTO_H
#define ASSEMBLE_ONTO_H

#include <mech/base.h>

#include <stddef.h>

typedef struct onto {
    size_t n;
    double *x;      /* (n) what moves; NULL: `look` moves it itself             */
    double *delta;  /* (n) room for a change of it                              */
    double longest; /* no x changes by more than that at once; 0: as far as asked */
    int most;       /* changes                                                  */
    int turn;       /* so many were made                                        */
    int is_done;    /* said by look: the rows are met, or further turns are in vain */
    void *user;
    /* Evaluates the rows at x. Sets is_done, or delta; not asked for a change when turn == most. */
    mech_status (*look)(struct onto *o);
    /* with longest: the last change before it was shortened, and x before it, the largest of each; else size is look's:
       what was left at the last turn */
    double moved, size;
} onto;

/* What is not MECH_OK comes from look. is_done is 0 where `most` changes did not do. */
MECH_MUST_CHECK mech_status onto_rows(onto *o);

#endif
