/* What the caller wants of a run, how far it advances, and what changes in between (create.c, run.c, change.c,
   drive.c). */
#ifndef SIMULATE_CALLER_H
#define SIMULATE_CALLER_H

#include <mech/simulate.h>

#include "base/visit.h"
#include "system/owner.h"

/* What a failure goes back to: the last t and y that belong together. */
typedef struct sim_good {
    double t, *y; /* (ny) */
} sim_good;

/* The advance that is under way (run.c). */
typedef struct sim_advance {
    int is_moving;  /* a call that moves the run is under way: no other one from its callbacks */
    int is_in_row;  /* a row is handed out: the run is within a step                         */
    double end;     /* time does not go beyond it                                            */
    double length;  /* what would take for ever is measured by it                            */
    double horizon; /* the farthest time asked for so far; before: the end of the run -- sim_span */
    int has_been_asked, has_started, has_stopped;
    double held_until; /* the first point of inputs that are held: they change there, as if the caller did it */
    sim_good good;
} sim_advance;

/* What the caller wants: settings, and where it is to begin. */
typedef struct sim_given {
    mech_sim_settings settings;        /* as given */
    int has_q, has_v, has_z, is_fixed; /* in y_start */
    double *y_start;                   /* (ny) what the caller wants to start from */
    unsigned char *active_first;       /* (constraints) in force when it was started */
} sim_given;

/* What the caller changes between advances. */
typedef struct sim_outside {
    eval_changes seen;          /* of what callers set: those taken up so far */
    uint64_t functions;         /* what they gave where the last advance ended */
    int functions_changed;      /* ... and do not give any more */
    int was_set;                /* what was set and not taken up yet, in the run that was saved */
    unsigned char *is_switched; /* (constraints) scratch */
} sim_outside;

/* What creation leaves, of what changes: for a reset. */
typedef struct sim_fresh {
    char *bytes; /* NULL: not asked for yet */
    size_t size;
} sim_fresh;

typedef struct sim_caller {
    sim_given given;
    sim_outside outside;
    sim_fresh fresh;
} sim_caller;

MECH_MUST_CHECK mech_status sim_advance_create(mech_sim *s);

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

MECH_MUST_CHECK mech_status sim_caller_create(mech_sim *s);
void sim_outside_visit(mech_sim *s, state_walk *w);

/* What is given of q, v, z into y; refused by name where it is not finite: "a run cannot WHAT x = nan". */
MECH_MUST_CHECK mech_status sim_take_values(mech_sim *s, double *y, const double *q, const double *v, const double *z,
                                            const char *what);

/* At the start, and where a run is taken up: what is set now is no change. */
void sim_know_changes(mech_sim *s);
int sim_is_changed(const mech_sim *s);
/* samples 0: but for those that are due. As in rows, values show what was held until here, and looking changes none. */
MECH_MUST_CHECK mech_status sim_take_changes(mech_sim *s, int samples);
/* At the end of an advance, and at the beginning of the next one. */
MECH_MUST_CHECK mech_status sim_note_functions(mech_sim *s);
MECH_MUST_CHECK mech_status sim_compare_functions(mech_sim *s);

#endif
