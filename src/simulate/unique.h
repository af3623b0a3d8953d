/* Whether multipliers that somebody looks at are unique (unique.c). */
#ifndef SIMULATE_UNIQUE_H
#define SIMULATE_UNIQUE_H

#include <mech/fundamental.h>
#include <mech/simulate.h>

/* Values that may look at multipliers, one after the other: C (n), what friction can hold (n for each direction), then
   by event trigger and condition, actions, outputs, measures, columns of multipliers and forces. */
typedef struct sim_places {
    size_t holds, events, actions, outputs, measures, forces, count;
} sim_places;

typedef struct sim_unique {
    sim_places at;             /* constant */
    double *work;              /* scratch */
    unsigned char *does;       /* the same */
    mech_diagnosis *of_system; /* n, m: see sim_diagnose_rows */
    mech_diagnosis *of_all;    /* the same of all rows, those of friction that holds too; NULL: there is none */
    int is_due;                /* at the end of the next step: a start at rest shows little */
    unsigned char *is_choice;  /* (measures) 1: its value is the least-norm choice of multipliers; 2: it looks at a
                                  side that is one of many; of columns: record.h */
} sim_unique;

/* Those of events, actions, outputs and measures at the point set last, with these multipliers. */
void sim_place_values(mech_sim *s, const double *lambda, const double *total, double *values);
/* Outputs, measures and columns that are one choice of many, of the values marked in does (count); mark: why, as in
   is_choice. */
void sim_mark_choices(mech_sim *s, const unsigned char *does, unsigned char mark);
/* Which rows depend on one another, at the point of the last sim_accelerate: those in force, those of friction that
   constraints stop, and row `also` (SIZE_MAX: none). After sim_make_dense. */
MECH_MUST_CHECK mech_status sim_diagnose_all(mech_sim *s, size_t also, const mech_diagnosis_result **found);
/* Names of constraints and frictions with a row in w (rows), but for constraint `but` (SIZE_MAX: none); how many. */
size_t sim_list_owners(const mech_sim *s, const double *w, size_t but, char *names, size_t size);
/* Is friction among them? */
int sim_has_friction_in(const mech_sim *s, const double *w);

MECH_MUST_CHECK mech_status sim_unique_create(mech_sim *s);
/* At the point of the last sim_accelerate: laws and events that use what is not unique are refused, outputs and
   columns marked. is_due: and again behind the next step. */
MECH_MUST_CHECK mech_status sim_check_unique(mech_sim *s, int is_due);

/* ---- open_sides.c ---- */
/* There too: whether a contact is in force, where others hold the same motion. What reads it is marked; and where it
   changes here, that is told. */
MECH_MUST_CHECK mech_status sim_check_open_sides(mech_sim *s);

#endif
