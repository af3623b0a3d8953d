/* Dry friction along the way: what holds, what slides and where to (friction.c); its modes stand in dynamics. */
#ifndef SIMULATE_FRICTION_H
#define SIMULATE_FRICTION_H

#include <mech/simulate.h>

#include "base/visit.h"
#include "integrate/stepper.h"

typedef struct sim_friction {
    int *is_told_stuck;             /* (frictions) as sim_friction_tell told it last                          */
    double *response;               /* (frictions) of V to an impulse, the largest since V rested             */
    double *behind;                 /* (frictions) how far on the other side of 0 V was where it set out      */
    double *load_first;             /* (m) the first reactions of the step under way that are a load (load.c) */
    double *load_least, *load_most; /* (frictions) along these, of the step's stages                          */
    double *load_largest;           /* (frictions) of the run, where steps begin                              */
} sim_friction;

MECH_MUST_CHECK mech_status sim_friction_create(mech_sim *s);
void sim_friction_visit(mech_sim *s, state_walk *w);

/* A coefficient in force that is negative at the point of the last evaluation is refused by name, and one that holds
   with less than it slides. */
MECH_MUST_CHECK mech_status sim_friction_check(mech_sim *s);
/* Its own name, where its bound is given, or that of the first constraint that loads it. */
const char *sim_friction_name(const mech_sim *s, size_t friction);
/* Of a row of friction that holds, from m on: which one. */
size_t sim_friction_of(const mech_sim *s, size_t row);
/* After each step: the direction of sliding. */
void sim_friction_follow(mech_sim *s);
/* The last step, shortened until what begins to slide keeps its way within it, and what comes to rest is near it. */
sim_step_result sim_keep_way(mech_sim *s);
/* load.c. The load N = |lambda| has a kink where lambda is 0, which no step may pass unseen: where one begins, ... */
void sim_load_begin(mech_sim *s);
/* ... at a stage, ... */
void sim_load_see(mech_sim *s);
/* ... and the last step, ended there. */
sim_step_result sim_keep_load(mech_sim *s);
/* Its watched function at the point of the last evaluation. */
double sim_friction_value(const mech_sim *s, size_t friction);
int sim_friction_needs_reaction(const mech_sim *s);
/* Does control ask what rests to move, and friction that holds it leaves no motion? Where it begins to, it lets go. */
int sim_is_held_back(const mech_sim *s, mech_status status);
/* What is as good as 0 of that function, which has this value. */
double sim_friction_floor(const mech_sim *s, size_t friction, double value);
/* Where sliding speeds are 0, or what holds reached its bound: has_fired (frictions); called with the state projected.
   */
MECH_MUST_CHECK mech_status sim_friction_act(mech_sim *s, const unsigned char *has_fired);
/* ... and what gave way there does not hold again at this instant, until: */
void sim_friction_forget(mech_sim *s);
MECH_MUST_CHECK mech_status sim_friction_settle_all(mech_sim *s);
/* Which frictions are in force, with the constraints that are; at s->t, s->y, gathered. */
MECH_MUST_CHECK mech_status sim_friction_turn_on(mech_sim *s);
/* The same in steps, for who tries several sets of constraints: one set; and what came of it. */
MECH_MUST_CHECK mech_status sim_friction_try(mech_sim *s);
MECH_MUST_CHECK mech_status sim_friction_tell(mech_sim *s);
/* Before velocities jump: friction gives no impulse, so nothing is held until sim_friction_settle_all, which comes
   next. */
void sim_friction_let_go(mech_sim *s);
/* After a kink: what V itself did not jump at is left alone. */
MECH_MUST_CHECK mech_status sim_friction_pass_kink(mech_sim *s);

#endif
