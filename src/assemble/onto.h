/* Newton's method onto rows that are to be 0: each change is the least one, in some metric, that removes what is left
   of them to first order. Who asks says what the rows are and when they are met: points of a search
   (analyze/beginning.c) and beside one (analyze/rank.c), points for plans (motion/samples.c). The same changes are
   those of the start (start.c), which damps them and goes on where there is none, and of the end of a step
   (simulate/project.c), which judges them by what is left and by what rounding leaves. */
#ifndef ASSEMBLE_ONTO_H
#define ASSEMBLE_ONTO_H

#include <mech/fundamental.h>

typedef enum onto_verdict {
    ONTO_GO_ON, /* not met yet                       */
    ONTO_MET,
    ONTO_STUCK /* not met, and further turns are in vain */
} onto_verdict;

typedef struct onto {
    size_t n;
    double *x;      /* (n) what moves                                           */
    double *delta;  /* (n) room for a change of it                              */
    int most;       /* changes                                                  */
    double longest; /* no x changes by more than that at once; 0: as far as asked */
    void *user;
    /* Evaluates rows at x and says whether they are met; turn: from 0, as many changes were made. */
    mech_status (*look)(void *user, int turn, onto_verdict *verdict);
    /* The change of x that removes what is left: onto_least_change, as a rule. */
    mech_status (*change)(void *user, double *delta);
    double moved,
        size; /* with longest: the last change before it was shortened, and x before it; the largest of each */
} onto;

/* What is not MECH_OK comes from look or change. ONTO_GO_ON: `most` changes did not do. */
MECH_MUST_CHECK mech_status onto_rows(onto *o, onto_verdict *verdict);

/* change (n): the least one in the metric in->M with in->A change = in->b over the rows in->active, at any rank;
   in->Q is 0. Where M is singular or not definite `other` gives another metric, and *is_other (may be NULL) becomes
   1; NULL: the failure stands. flags (may be NULL): those of the solve. */
typedef const double *onto_metric(void *user, mech_status why);
MECH_MUST_CHECK mech_status onto_least_change(mech_fundamental *solver, mech_fundamental_input *in, onto_metric *other,
                                              void *user, double *change, unsigned *flags, int *is_other);

#endif
