/* Onto the constraints: from guesses and `initial` values to a state that meets the constraints in force, what had to
 * move for it, or which of them cannot be met together.
 *
 *     mech_assembly *assembly;
 *     if (mech_assembly_create(eval, &assembly) == MECH_OK && mech_assemble(assembly, NULL) != MECH_OK)
 *         puts(mech_assembly_error_text(assembly));
 *     ... mech_assembly_q(assembly) ...
 *     mech_assembly_free(assembly);
 *
 * Newton's method with the least change in the mass metric, positions first, then velocities. `initial` values stay,
 * guesses move. The evaluation is borrowed: its parameters, inputs and constraints in force count, and it stands at the
 * state found. A run does the same at its start. */
#ifndef MECH_ASSEMBLE_H
#define MECH_ASSEMBLE_H

#include <mech/instant.h>
#include <mech/system.h>

#include <signal.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct mech_assembly mech_assembly;

typedef enum mech_start {
    MECH_START_ASSEMBLE, /* positions and velocities are moved onto the constraints */
    MECH_START_AS_GIVEN
} mech_start;

typedef struct mech_assemble_options {
    size_t size; /* set by mech_assemble_options_default                                     */
    mech_start start;
    double t;                /* default 0                                                                */
    const double *q, *v, *z; /* (n), (n), (states); NULL: what the model says                            */
    int is_fixed;            /* q and v that are given do not move: they meet the constraints, or not    */
    double atol;             /* how well coordinates are to be known; default NaN: 1e-12, or what the model
                                says where that is less                                                   */
    double row_tol;          /* how far from 0 a row may be left, in its own unit; 0: what 1e-3 atol in the
                                coordinates makes of it, and 1e-13 of its terms, or of 1 where those are larger */
    const volatile sig_atomic_t *interrupt; /* NULL, or what ends the search when it is not 0              */
} mech_assemble_options;
MECH_API void mech_assemble_options_default(mech_assemble_options *options, size_t size);

/* New in *assembly. MECH_ERR_ARGUMENT: no evaluation, or no coordinates; MECH_ERR_MEMORY, MECH_ERR_LIMIT. */
MECH_API MECH_MUST_CHECK mech_status mech_assembly_create(mech_eval *eval, mech_assembly **assembly);
MECH_API void mech_assembly_free(mech_assembly *assembly);

/* options may be NULL. MECH_ERR_CONFLICT: it is proven that rows and fixed values cannot be met together;
   MECH_ERR_NO_START: the search found nothing; MECH_ERR_NOT_FINITE; MECH_ERR_INTERRUPTED. May be called again. */
MECH_API MECH_MUST_CHECK mech_status mech_assemble(mech_assembly *assembly, const mech_assemble_options *options);
/* "", or in words what the last call failed of. Borrowed. */
MECH_API const char *mech_assembly_error_text(const mech_assembly *assembly);

/* The state found, or where the search ended. Borrowed. */
MECH_API const double *mech_assembly_q(const mech_assembly *assembly);
MECH_API const double *mech_assembly_v(const mech_assembly *assembly);
MECH_API const double *mech_assembly_z(const mech_assembly *assembly);

/* Puts values (2n: coordinates, velocities; NaN: none) into a state, which options give with q and v, both wanted.
   Those of joints, and of coordinates without mass, are kept, and the rest of what constraints join to them follows, by
   the least change from the state given; other joints stay where they are, if they can. Of a value that cannot be met
   beside them nothing is taken. In a part of the system in which values of other coordinates are new as well they are
   put as they are. What mech_assemble found before, its moves and its words are gone. MECH_ERR_ARGUMENT,
   MECH_ERR_MEMORY, MECH_ERR_INTERRUPTED. mech_assemble does so where q or v differ from what the model says. */
MECH_API MECH_MUST_CHECK mech_status mech_assembly_follow(mech_assembly *assembly, const mech_assemble_options *options,
                                                          const double *values);

/* A state to look at, into x (2n + states): the start that mech_assemble finds of the model at t, with `changes` (the
   same; NaN: none; may be NULL) in place of its values, and what follows those. It is not brought onto the constraints
   otherwise. has_start (may be NULL): 0 where the model has no start; then its values as written are taken, and 0 where
   one has none. MECH_ERR_ARGUMENT, MECH_ERR_MEMORY. */
MECH_API MECH_MUST_CHECK mech_status mech_assembly_changed_start(mech_assembly *assembly, double t,
                                                                 const double *changes, double *x, int *has_start);

/* mech_assemble of the model with `changes` (the same) in place of its values: from its start with them and what
   follows them or, where there is no way so, from values as they are written; what moved is told since the changes.
   Failures are those of mech_assemble. */
MECH_API MECH_MUST_CHECK mech_status mech_assemble_changed(mech_assembly *assembly, double t, const double *changes);

/* What moved. */
typedef struct mech_move {
    const char *name; /* coordinate, or coordinate' for a velocity; borrowed from the assembly */
    double from, to;
} mech_move;
MECH_API size_t mech_assembly_move_count(const mech_assembly *assembly);
MECH_API mech_move mech_assembly_move(const mech_assembly *assembly, size_t index);

/* ---- rows that depend on one another ---- */

/* A redundant row off the constraints may still contradict those it is made of, at this level first. */
typedef enum mech_contradiction {
    MECH_CONTRADICTION_NONE,
    MECH_CONTRADICTION_POSITION,
    MECH_CONTRADICTION_VELOCITY,
    MECH_CONTRADICTION_ACCELERATION
} mech_contradiction;

typedef struct mech_contradictions {
    size_t size;         /* of this struct, as the library has it                               */
    unsigned char *rows; /* (rows of the instant) a mech_contradiction for each; NULL: all agree */
    char words[512];     /* of the first set, when there is one                                 */
} mech_contradictions;
/* Looks at the instant solved last: for each redundant row whose residuals do not follow from those of the rows that it
   is made of, asks for a state that meets them alone. MECH_OK, MECH_ERR_CONFLICT with rows and words, or
   MECH_ERR_MEMORY. What it fills in is freed by mech_contradictions_clear. */
MECH_API MECH_MUST_CHECK mech_status mech_find_contradictions(const mech_instant *instant, mech_contradictions *found);
MECH_API void mech_contradictions_clear(mech_contradictions *found);

/* What is one choice of many where the model itself starts, as shares of constraints that depend on one another are:
   1 into constraint_is_choice (constraints) for multipliers and output_is_choice (outputs), else 0; either may be NULL.
   MECH_ERR_LIMIT: something is, and the model is too large to say what. Else what a start or an instant fails of. */
MECH_API MECH_MUST_CHECK mech_status mech_start_choices(const mech_system *system, unsigned char *constraint_is_choice,
                                                        unsigned char *output_is_choice);

#ifdef __cplusplus
}
#endif
#endif
