/* What the caller gets: rows (rows.c). */
#ifndef SIMULATE_RECORD_H
#define SIMULATE_RECORD_H

#include <mech/simulate.h>

#include "base/visit.h"
#include "simulate/follow.h"
#include "simulate/trajectory.h"

typedef struct sim_record {
    mech_trajectory trajectory;
    mech_trajectory curve; /* for figures, with rows that are no others': MECH_FOLLOW_KEPT */
    double *row;           /* (columns) */
    /* Columns of outputs, and of multipliers and forces, which lambda may change; and which it is a choice in,
       (columns) */
    size_t first_output, first_force, force_columns;
    unsigned char *is_choice;
    uint32_t *touched;  /* (entries of A) scratch */
    size_t next_output; /* number of the next row by the clock */
    sim_follow follow;
} sim_record;

/* sim_rows_visit: those that are kept are the caller's result, and come back. */
void sim_rows_visit(mech_sim *s, state_walk *w);
void sim_record_free(mech_sim *s);

mech_status sim_rows_create(mech_sim *s);
/* The columns of multipliers and forces with other multipliers, lambda and total (rows); what laws give is left 0. */
void sim_row_forces(mech_sim *s, const double *lambda, const double *total, double *to);
/* At s->t, s->y. The first one: its time is written as that of the run's start, which may be a hair away. */
mech_status sim_row_first(mech_sim *s);
/* Never behind the next row by the clock. */
mech_status sim_row_at_event(mech_sim *s);
/* One that follows the motion: handed out, or for figures alone. */
mech_status sim_row_between(mech_sim *s);
/* Rows due by the clock up to the stepper's time. */
mech_status sim_rows_due(mech_sim *s);
/* When the next row is due. */
double sim_next_row(const mech_sim *s);

#endif
