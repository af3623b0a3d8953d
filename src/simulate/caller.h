/* What the caller wants of a run, and what it changes between advances (create.c, change.c, drive.c). */
#ifndef SIMULATE_CALLER_H
#define SIMULATE_CALLER_H

#include <mech/simulate.h>

#include "base/state.h"
#include "system/owner.h"

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
    unsigned char *is_switched; /* (constraints) scratch */
} sim_outside;

/* What creation leaves, of what changes: for a reset. */
typedef struct sim_fresh {
    char *bytes; /* NULL: not asked for yet */
    size_t size;
} sim_fresh;

MECH_MUST_CHECK mech_status sim_caller_create(mech_sim *s);
void sim_caller_free(mech_sim *s);
void sim_outside_visit(mech_sim *s, state_walk *w);

/* What is given of q, v, z into y; refused by name where it is not finite: "a run cannot WHAT x = nan". */
MECH_MUST_CHECK mech_status sim_take_values(mech_sim *s, double *y, const double *q, const double *v, const double *z,
                                            const char *what);

/* At the start, and where a run is taken up: what is set now is no change. */
void sim_know_changes(mech_sim *s);
int sim_is_changed(const mech_sim *s);
MECH_MUST_CHECK mech_status sim_take_changes(mech_sim *s);
/* The same but for samples that are due: as in rows, values show what was held until here, and looking changes none. */
MECH_MUST_CHECK mech_status sim_take_changes_to_look(mech_sim *s);
/* At the end of an advance, and at the beginning of the next one. */
MECH_MUST_CHECK mech_status sim_note_functions(mech_sim *s);
MECH_MUST_CHECK mech_status sim_compare_functions(mech_sim *s);

#endif
