/* What the files of mech_instant share. The order of the fields is the order of computation. */
#ifndef DYNAMICS_INSTANT_H
#define DYNAMICS_INSTANT_H

#include <mech/instant.h>

#include "base/arena.h"
#include "dynamics/friction_modes.h"
#include "system/laws.h"

typedef struct instant_friction {
    friction_law law;          /* its rows stand behind those of the system: m + law.first    */
    friction_normal normal;
    friction_mode mode;
} instant_friction;

struct mech_instant {
    const mech_system *system;
    mech_sizes sizes;
    size_t n, m, rows, given_first; /* given_first: first row of given accelerations, or rows  */
    int has_laws, laws_read;        /* laws_read: a law uses multipliers                       */
    mech_pattern pattern_C, pattern_G, pattern_slip, pattern_damping, pattern_stiffness;
    arena memory;
    mech_eval *eval;
    const mech_equation *eq;
    mech_fundamental *solver;
    mech_diagnosis *diagnosis;
    instant_friction *friction; /* (frictions)                                                 */
    mech_instant_law *law;      /* (laws + frictions)                                          */
    mech_group *group;
    int *group_sizes;
    /* at the state -- instant_gather */
    unsigned char *active, *servo, *natural; /* (rows)                                         */
    unsigned char *off_path;    /* (m)                                                         */
    double *A, *b, *G, *S;      /* (rows x n) (rows) (n x actuators) (friction rows x n): S = dV/dq' */
    mech_fundamental_input in;
    friction_modes *modes;      /* while what rests is held or let go                          */
    /* laws -- instant_columns, instant_law */
    double *columns;            /* (n x (laws + frictions)) C of each                          */
    double *column_parts;       /* the same: Qni of each                                       */
    double *C, *trial;          /* (n)                                                         */
    double *root_vectors, *root_matrix, *root_d, *law_z; /* (n x n) (n x n) (n) (n): symmetric root of M */
    /* the solution */
    double *qdd, *a, *e, *Qi, *Qni, *Qc, *u, *lambda, *total, *force;
    double *output_still;       /* (3 outputs) see instant_unique.c                            */
    unsigned char *output_is_choice; /* (outputs)                                              */
    double *work;               /* (3 rows)                                                    */
    double *zero;               /* (max(n, rows))                                              */
    mech_fundamental_output out;
    mech_instant_result result;
    /* the last failure */
    mech_status failure;
    int failed_in_eval;         /* then the evaluation explains it                             */
    const char *why;            /* of a refusal: words that stand for the status               */
    int *culprit;               /* (max(n, rows))                                              */
    int culprits;
};

/* instant_create.c gives the struct; instant.c: */
/* Keeps a failure and hands it on; the solver's culprits are copied. */
mech_status instant_fail(mech_instant *s, mech_status status);
mech_status instant_refuse(mech_instant *s, const char *why);
/* The equation without control and laws. */
mech_fundamental_input instant_natural(const mech_instant *s);
/* Diagnosis over the rows of `mask`, with the solution or without. */
mech_status instant_diagnose(mech_instant *s, const unsigned char *mask, int with_solution);

/* instant_laws.c */
/* Laws on top of the ideal part: fills qdd, Qi, Qni, lambda, total, C. */
mech_status instant_solve_laws(mech_instant *s);
/* What laws and sliding friction read must be unique, that is not change along null(A') of the rows in force: C may not. is_solved: at the
   solution, which stays; else without one. */
MECH_MUST_CHECK mech_status instant_check_unique(mech_instant *s, int is_solved);
/* Each law projected by itself. */
mech_status instant_split_laws(mech_instant *s);
/* law_z = M^(-1/2) C; M definite. */
void instant_find_z(mech_instant *s);

/* instant_unique.c */
/* Outputs that use multipliers which are not unique; leaves other multipliers in the evaluation. */
mech_status instant_mark_choices(mech_instant *s, const mech_diagnosis_result *d);

/* instant_friction.c */
/* What slides and what rests at the state gathered last; loads by the rows of A. */
void instant_friction_begin(mech_instant *s);
int instant_friction_slides(const mech_instant *s);
/* Adds the law of all that slides to C (n) and its derivative to dC (n x rows, or NULL); columns (or NULL)
   receives each by itself. */
void instant_friction_law(const mech_instant *s, const double *total, double *C, double *dC, double *columns);
/* Solves by solve(s), with what rests held or let go. */
MECH_MUST_CHECK mech_status instant_friction_solve(mech_instant *s, mech_status (*solve)(mech_instant *s));
/* fundamental_accepts: of a motion with the modes as they stand. */
int instant_friction_accepts(void *instant, const double *qdd, const double *total);
/* speed, normal, tangential, bound of each. */
void instant_friction_report(mech_instant *s);

#endif
