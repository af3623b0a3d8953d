/* The acceleration at once: an elimination plan for the interpreter, generated code where it pays. */
#ifndef MOTION_MOTION_H
#define MOTION_MOTION_H

#include <mech/fundamental.h>
#include <mech/motion.h>

#include "compile/emit.h"
#include "compile/native.h"
#include "compile/tape.h"
#include "model/model.h"
#include "system/system.h"

struct mech_motion_code {      /* constant from its creation on */
    const mech_system *system; /* borrowed                                           */
    plan *plain;               /* over the patterns of M and A as they are           */
    plan *null;                /* the null-space plan where it costs less; NULL: none */
    native_code *native;       /* NULL: the interpreter does the work                */
    tape *tape;                /* of the interpreter; NULL: stages and plan          */
    native_motion motion;      /* the function of native                             */
    int with_power, with_check, has_dq, has_dv;
    emit_result size;
    mech_motion_info info;
    unsigned char *monitored; /* (m) */
};

typedef struct eval_motion {    /* belongs to an evaluation */
    const mech_motion_code *of; /* borrowed                                           */
    arena memory;               /* of all arrays                                      */
    double *slots;              /* of the plan                                        */
    double *tape_slots;         /* of the tape                                        */
    double *values;             /* qdd, lambda, power, rates: of the tape             */
    double *k, *w;              /* of the code; w begins at a line of the cache       */
    double *more;               /* power, then the rates of the states                */
    double *lambda;             /* (m)                                                */
    double *refined;            /* 2 (n + m)                                          */
    double *force;              /* (n) Q and what the laws give; (n) of them alone    */
    double *M, *A;              /* dense, when the evaluation has none of its own     */
    size_t parameters;          /* counts.parameters that k stands for; SIZE_MAX: none */
    int parameter_flags;
    mech_fundamental *robust; /* NULL: too large for it */
} eval_motion;

enum { MOTION_OPERATIONS = 4000000 }; /* of a plan, at most */
enum { MOTION_FRONT = 26 }; /* coordinates that M joins all to one another: from here on loops are faster than lines */

/* run.c: M and A of the stages and these right sides into the slots of a plan. */
void motion_fill_plan(const mech_eval *eval, const plan *p, const double *Q, const double *b, double *slots);

/* ---- rows.c ---- */

/* row -= factor * from */
typedef struct motion_step {
    uint32_t row, from;
    double factor;
} motion_step;

typedef struct motion_entries {
    size_t count;
    uint32_t *row, *column;
    mech_expr *value;
} motion_entries;

typedef struct motion_rows { /* A q'' = b with fewer entries */
    motion_entries A;        /* by row then column */
    motion_entries wholes;   /* by row: how large the entries were that a column of it was combined from;
                                rows that may be 0 but for rounding, and rows that plans watch */
    mech_expr *b;            /* (m) */
    motion_step *steps;
    size_t step_count;
} motion_rows;

/* Subtracts rows from one another while entries vanish; rows that are monitored are not subtracted from
 * others. */
MECH_MUST_CHECK mech_status motion_rows_make(const mech_model *model, const unsigned char *monitored, arena *memory,
                                             motion_rows *rows);

/* ---- samples.c ---- */

/* Points on the constraints that the null-space plan should serve; the first `walk` follow one another. */
typedef struct motion_samples {
    size_t count, walk;
    double *inputs; /* (count x inputs of the system)     */
    double *A;      /* (count x entries of the system's A) */
} motion_samples;

/* Fixed random numbers: the same system and point give the same samples. None (count 0) where a null-space
   plan makes no sense, or the constraints cannot be met. */
MECH_MUST_CHECK mech_status motion_samples_make(const mech_system *system, const mech_motion_settings *given,
                                                arena *memory, motion_samples *samples);

/* ---- tape.c ---- */

/* *code: NULL where a tape does not serve. */
MECH_MUST_CHECK mech_status motion_tape_prepare(const mech_system *s, const unsigned char *monitored,
                                                const mech_motion_settings *given, const motion_samples *samples,
                                                tape **code);
/* With power, and with what a check has where there are rows: after the multipliers, as generated code has it. */
MECH_MUST_CHECK mech_status motion_tape_checked(const mech_motion_code *of, const mech_motion_settings *given,
                                                tape **code);

/* ---- source.c ---- */

typedef struct motion_source {
    const mech_system *system; /* of a compiled model */
    const unsigned char *monitored;
    const char *prefix;
    const motion_samples *samples; /* NULL: no null-space plan */
    size_t most;                   /* statements; operations too when there are no loops  */
    size_t straight;               /* statements above which loops are written; 0: never */
    int with_power;
    int with_check;          /* made: 0 when the code is too long for it */
    int is_card, with_twins; /* see emit_spec                            */
    int has_fronts;          /* made: its plan may have fronts           */
    /* made */
    emit_result size;
    size_t steps, watched;
    int is_null; /* the null-space plan was cheaper */
} motion_source;

/* The two functions of emit.h for the whole acceleration, appended to text:
       more[0]: dh/dt when with_power, else 0; more[1 + i]: rate of state i
       more[1 + states ..]: r, r', dq, dv, h, kinetic, margin when with_check, only where lambda is wanted
       u: values of the inputs, then first, then second derivatives
   MECH_ERR_UNSUPPORTED when the acceleration depends on what these functions are not given. */
MECH_MUST_CHECK mech_status motion_source_make(motion_source *source, textbuf *text);

/* The same as a tape: its inputs are those of the system, its values qdd, power, rates, lambda. */
MECH_MUST_CHECK mech_status motion_tape_make(motion_source *source, tape **code);

/* How many numbers a check has. */
static inline size_t motion_check_count(const mech_system *s) { return 2 * s->sizes.rows + 2 * s->sizes.coords + 3; }

/* What the functions below are written for. */
typedef struct motion_target {
    const char *prefix;
    int is_card;
    int with_forces; /* behind lambda stand the total multipliers too, and forces of control and friction */
} motion_target;

/* Where they stand behind lambda, and how many numbers there are in all. */
typedef struct motion_late {
    size_t active, reaction, control, friction, count;
} motion_late;
motion_late motion_late_of(const mech_system *system);

/* Another function of the same arguments, PREFIX_motion and PREFIX_parameters: places[i] = values[i]. Here
   qdd and lambda are inputs: what accelerations, lambda and reaction stand for; behind lambda, but not on a card, where
   all are, which constraints are in force. MECH_ERR_UNSUPPORTED: a value looks at what the target does not give. */
MECH_MUST_CHECK mech_status motion_values_make(const mech_system *system, const motion_target *target,
                                               const mech_expr *values, const emit_place *places, size_t count,
                                               emit_result *size, textbuf *text);

/* The same as a tape, its inputs those of the system. */
MECH_MUST_CHECK mech_status motion_values_tape(const mech_system *system, const mech_expr *values, size_t count,
                                               tape **code);

/* Likewise what a program of the system gives; an array of NULL leaves one out. Its signals, of inputs given by
   expressions: places[3*i], [3*i + 1], [3*i + 2] of input i, its value and two derivatives. Its derivatives, which it
   must have: places[first - output_first + k] is that of entry k of a part of system->derivatives. */
MECH_MUST_CHECK mech_status motion_program_make(const mech_system *system, program *code, const motion_target *target,
                                                const emit_place *places, emit_result *size, textbuf *text);
/* Likewise the exact derivatives by q, v, z, inputs, and parameters where the system has those, which the system must
   have: more[] holds, each by column, those of M a - Q - A' lambda (n rows), of A a - b (m rows), of z' and of the
   entries of C. */
MECH_MUST_CHECK mech_status motion_derivatives_make(const mech_system *system, const char *prefix, emit_result *size,
                                                    textbuf *text);

#endif
