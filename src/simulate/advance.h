/* The advance that is under way (run.c). */
#ifndef SIMULATE_ADVANCE_H
#define SIMULATE_ADVANCE_H

#include <mech/simulate.h>

#include "base/state.h"

typedef struct sim_call {
    int is_moving;  /* a call that moves the run is under way: no other one from its callbacks */
    int is_in_row;  /* a row is handed out: the run is within a step                         */
    double end;     /* time does not go beyond it                                            */
    double length;  /* what would take for ever is measured by it                            */
    double horizon; /* the farthest time asked for so far; before: the end of the run -- sim_span */
    int has_been_asked;
    double held_until; /* the first point of inputs that are held: they change there, as if the caller did it */
} sim_call;

/* What a failure goes back to: the last t and y that belong together. */
typedef struct sim_good {
    double t, *y; /* (ny) */
} sim_good;

MECH_MUST_CHECK mech_status sim_advance_create(mech_sim *s);
void sim_advance_visit(mech_sim *s, state_walk *w);

/* How long the run is, as far as it was asked for: what hairs of time are measured by. Never so short that the clock
   does not resolve them, never infinite. */
double sim_span(const mech_sim *s);
/* Instants that differ by no more than this are one: 30*0.1 and 10*0.3. */
double sim_rounding(double t);
/* Crossings of triggers farther apart than this time are not missed. */
double sim_resolution(const mech_sim *s);
/* A step that fails may leave a state that is half of one time, half of another: what stands is kept, and gone back to
   when the run ends by a failure. */
void sim_keep_good(mech_sim *s);
mech_status sim_go_back(mech_sim *s, mech_status status);

#endif
