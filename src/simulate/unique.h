/* Whether multipliers that somebody looks at are unique (unique.c). */
#ifndef SIMULATE_UNIQUE_H
#define SIMULATE_UNIQUE_H

#include <mech/fundamental.h>
#include <mech/simulate.h>

#include "base/state.h"

typedef struct sim_unique {
    double *work;              /* scratch */
    unsigned char *does;       /* the same */
    mech_diagnosis *diagnosis; /* of all rows, those of friction that holds too; NULL: there is none */
    int is_due;                /* at the end of the next step: a start at rest shows little */
    unsigned char *is_choice;  /* (measures) its value is the least-norm choice of multipliers; of columns: record.h */
    double *readers_work;      /* scratch of open_sides.c */
    unsigned char *readers;    /* the same */
} sim_unique;

void sim_unique_visit(mech_sim *s, state_walk *w);

MECH_MUST_CHECK mech_status sim_unique_create(mech_sim *s);
void sim_unique_free(mech_sim *s);
/* At the point of the last sim_accelerate: laws and events that use what is not unique are refused, outputs and
   columns marked. */
MECH_MUST_CHECK mech_status sim_check_unique(mech_sim *s);

/* ---- open_sides.c ---- */
MECH_MUST_CHECK mech_status sim_open_sides_create(mech_sim *s);
/* There too: whether a contact is in force, where others hold the same motion. What reads it is marked; and where it
   changes here, that is told. */
MECH_MUST_CHECK mech_status sim_check_open_sides(mech_sim *s);

#endif
