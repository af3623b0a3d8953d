/* What the files of mech_instant share. The order of the fields is the order of computation. */
#ifndef DYNAMICS_INSTANT_H
#define DYNAMICS_INSTANT_H

#include <mech/instant.h>

#include "dynamics/unique.h"

struct mech_instant {
    dynamics d;         /* the equation at the state                              */
    size_t given_first; /* first row of given accelerations, or d.rows            */
    int is_bare;        /* the constraints by themselves                          */
    arena memory;
    mech_diagnosis *diagnosis;
    mech_instant_law *law; /* (laws + frictions)                                          */
    mech_group *group;
    int *group_sizes;
    /* at the state -- gather */
    unsigned char *natural;  /* (rows) in force, and not control's                          */
    unsigned char *off_path; /* (m)                                                         */
    /* laws */
    double *C;            /* (n) their sum                                               */
    double *columns;      /* (n x (laws + frictions)) C of each                          */
    double *column_parts; /* the same: Qni of each                                       */
    double *law_z;        /* (n)                                                         */
    double *a, *e, *force;
    unsigned char *output_is_choice; /* (outputs)                                              */
    double *probe;                   /* (unique_room) of laws or outputs                            */
    double *size_work;               /* (system_sizes_room)                                         */
    unsigned char *does, *mark;      /* (n or outputs), (rows)                                      */
    double *zero;                    /* (max(n, rows))                                              */
    mech_instant_result result;
    /* the last failure */
    mech_status failure;
    int failed_in_eval;  /* then the evaluation explains it                             */
    unsigned char *side; /* (constraints) mech_side                                     */
    size_t *touched;     /* (constraints) scratch                                       */
    char words[200];     /* of a refusal                                                */
    const char *why;     /* of a refusal: words that stand for the status               */
    int *culprit;        /* (max(n, rows))                                              */
    int culprits;
};

/* instant_create.c gives the struct; instant.c: */
/* Keeps a failure and hands it on. */
mech_status instant_fail(mech_instant *s, mech_status status);
mech_status instant_refuse(mech_instant *s, const char *why);
/* What the solver says, handed on: of a failure the rows or coordinates behind it are kept. */
mech_status instant_in_solver(mech_instant *s, mech_status status);
/* The equation without control and laws. */
mech_fundamental_input instant_natural(mech_instant *s);

/* The state into the evaluation, and what goes into a solve there. */
MECH_MUST_CHECK mech_status instant_gather(mech_instant *s, const mech_instant_input *at);

/* instant_sides.c: the same for models with one-sided constraints, which are put in force or not; and the solve. */
MECH_MUST_CHECK mech_status instant_sides_solve(mech_instant *s, const mech_instant_input *at);

/* instant_unique.c */
/* What laws and sliding friction read must be unique, that is not change along null(A') of the rows in force.
   is_solved: at the solution; else without one. */
MECH_MUST_CHECK mech_status instant_check_unique(mech_instant *s, int is_solved);

/* instant_friction.c */
/* Solves, with what rests held or let go. */
MECH_MUST_CHECK mech_status instant_friction_solve(mech_instant *s);
/* speed, normal, tangential, bound of each. */
void instant_friction_report(mech_instant *s);

#endif
