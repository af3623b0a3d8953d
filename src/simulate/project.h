/* Onto the constraints in the mass metric (project.c); at the end of a step by generated code (fast_end.c). */
#ifndef SIMULATE_PROJECT_H
#define SIMULATE_PROJECT_H

#include <mech/simulate.h>

typedef struct sim_fast_end { /* fast_end.c */
    int uses_motion;          /* mech_sim_use_motion */
    size_t watched;           /* rows that it leaves out, since they depended on others where it was made */
    int has_check;            /* its code may have mech_motion_check; visited from here on */
    int misses_rank;          /* those rows do not depend on others here: it would leave them unmet, and is not asked */
    int is_end;               /* the step to t was ended by it: see fast_end.c */
    size_t steps;             /* steps since the full solve looked */
    double least_margin;      /* that it looked at; 0: none */
} sim_fast_end;

typedef struct sim_onto {
    unsigned char *holonomic, *velocity; /* (rows) masks -- sim_update_active                                       */
    int is_asked;    /* by the stepper, whose history would keep what a projection that waits does in jumps         */
    int is_at_point; /* the point of this evaluation is on the manifold, and evaluated                              */
    int has_factors; /* the solver's factors are of the point evaluated last                                        */
    int is_linear;   /* rows are, in the velocities                                                                 */
    sim_fast_end fast;
} sim_onto;

MECH_MUST_CHECK mech_status sim_project_create(mech_sim *s);

MECH_MUST_CHECK mech_status sim_project(mech_sim *s, double t, double *y);
/* s->y at s->t, its velocities by an impulse of the rows */
MECH_MUST_CHECK mech_status sim_project_jump(mech_sim *s);
MECH_MUST_CHECK mech_status sim_project_velocity(mech_sim *s, double t, double *y, int is_impulse);
/* The velocities of s->y at s->t, by the least change, to V = 0 of all friction that holds, on the constraints; off
   them where the start is as given. Where they prescribe V nothing is done. */
MECH_MUST_CHECK mech_status sim_stop_sliding(mech_sim *s);
/* Positions of s->y at s->t, onto what is marked as struck too: what an impact misses adds up over small bounces. */
MECH_MUST_CHECK mech_status sim_project_struck(mech_sim *s);
int sim_project_for_stepper(void *sim, double t, double *y);

/* *is_done 0: it cannot say, and nothing happened. */
MECH_MUST_CHECK mech_status sim_end_fast(mech_sim *s, int *is_done);

/* Shall the full solve look at the rank? At first, every so often, and when the margin falls below all it has looked
   at. */
int sim_rank_is_due(mech_sim *s, double margin);

#endif
