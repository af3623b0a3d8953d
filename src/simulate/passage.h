/* Steps through near-singular positions (passage.c). */
#ifndef SIMULATE_PASSAGE_H
#define SIMULATE_PASSAGE_H

#include <mech/simulate.h>

#include "base/visit.h"
#include "base/tolerances.h"
#include "integrate/stepper.h"

/* Stages are projected from the moment the least kept singular value falls below TOL_NEAR of its largest.
   There an error eps in the positions is one of eps/d^3 in the accelerations, d the distance to the
   singular position, which no step is short enough for; what it does is undone by the projection after the
   step. So steps become no shorter than SIM_FLOOR of the last one that was clear of it. */
#define SIM_NEAR TOL_NEAR
#define SIM_FLOOR (1.0 / 32)

typedef struct sim_sample { /* of the rank: see passage.c */
    double t, ratio;        /* HUGE_VAL: none                                                 */
    double *y;              /* (2n + nz) where                                                */
} sim_sample;

/* Near-singular positions (passage.c). */
typedef struct sim_singular {
    sim_sample start, narrow;         /* least kept singular values: at the start of this step, and the least in it */
    sim_sample last;                  /* the latest; its y is not kept */
    sim_sample seen[3];               /* the last least ones, those of steps */
    sim_sample passage;               /* the narrowest point of the one that is under way */
    size_t seen_count, seen_rejected; /* attempts that failed, so far; visited, with all that follows */
    double largest_ratio;
    int in_passage;
    double clear_step;   /* the last step that stayed clear of singular positions */
    double step_floor;   /* near one: no shorter than this, see sim_problem */
    int projects_stages; /* near a singular position */
    /* at one: beside.c */
    int clear_rank; /* away from it */
    int is_beside;  /* it is being looked at from both sides */
    double at;      /* when it was stood on last */
    double length;  /* how far beside it was looked then */
    double *aside;  /* (rows) squares of the lengths of rows beside it */
} sim_singular;

MECH_MUST_CHECK mech_status sim_passage_create(mech_sim *s);
void sim_singular_visit(mech_sim *s, state_walk *w);

/* 1: the velocities of the two states hardly differ in the mass metric (rk_judge). */
int sim_is_plain_step(void *sim, double t, const double *from, const double *to);
/* After a step: it is made shorter until it does not jump from one branch of the motion to another. */
sim_step_result sim_keep_branch(mech_sim *s);
/* The least kept singular value beside the largest, at the point of the last solve. */
void sim_note_ratio(mech_sim *s, double t, double ratio);
/* beside.c: does the last solve stand on a singular position? The equation there, then: from both sides, if it can be
   known from them. */
int sim_is_singular(const mech_sim *s);
MECH_MUST_CHECK mech_status sim_solve_beside(mech_sim *s, double t, const double *y);
/* Is it one where it stands at t, as was found? */
int sim_stands_on_singular(const mech_sim *s, double t);
/* Of the rows of a mask those that hold there, with A (by pattern) there. */
void sim_leave_lost_rows(mech_sim *s, const double *A, const unsigned char *mask, unsigned char *kept);
/* After an accepted step, at s->t: the rank's part of the account. */
MECH_MUST_CHECK mech_status sim_audit_rank(mech_sim *s);
/* The run is over: what is under way is closed. */
MECH_MUST_CHECK mech_status sim_audit_close(mech_sim *s);

#endif
