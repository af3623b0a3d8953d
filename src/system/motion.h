/* The acceleration at once: an elimination plan for the interpreter, generated code where it pays. */
#ifndef SYSTEM_MOTION_H
#define SYSTEM_MOTION_H

#include <mech/fundamental.h>

#include "compile/emit.h"
#include "compile/native.h"
#include "compile/tape.h"
#include "model/model.h"
#include "system/system.h"

typedef struct system_motion { /* belongs to the system, constant once prepared */
    plan *plain;               /* over the patterns of M and A as they are */
    native_code *code;         /* NULL: the interpreter does the work      */
    tape *tape;                /* of the interpreter; NULL: stages and plan */
    native_motion motion;      /* its function */
    int with_power;
    emit_result size;
    mech_motion_info info;
    unsigned char *monitored; /* (m) */
} system_motion;

typedef struct eval_motion { /* belongs to an evaluation */
    double *slots;           /* of the plan                                        */
    double *tape_slots;      /* of the tape                                        */
    double *values;          /* qdd, lambda, power, rates: of the tape             */
    double *k, *w;           /* of the code                                        */
    double *more;            /* power, then the rates of the states                */
    double *lambda;          /* (m)                                                */
    double *M, *A;           /* dense, when the evaluation has none of its own     */
    size_t parameters;       /* counts.parameters that k stands for; SIZE_MAX: none */
    int parameter_flags;
    mech_fundamental *robust; /* NULL: too large for it */
} eval_motion;

/* ---- motion_tape.c ---- */

/* m->tape, or NULL where a tape does not serve. */
MECH_MUST_CHECK mech_status motion_tape_prepare(const mech_system *s, const mech_motion_settings *given,
                                                system_motion *m);
MECH_MUST_CHECK mech_status motion_tape_allocate(const mech_system *s, eval_motion *m);
/* 1: done. 0: in doubt. */
int motion_tape_run(mech_eval *e, double t, const double *q, const double *v, mech_motion *out);

/* ---- motion_rows.c ---- */

/* row -= factor * from */
typedef struct motion_step {
    uint32_t row, from;
    mech_expr factor; /* a number */
} motion_step;

typedef struct motion_rows { /* A q'' = b with fewer entries */
    model_entries A;         /* by row then column */
    mech_expr *b;            /* (m) */
    motion_step *steps;
    size_t step_count, step_capacity;
} motion_rows;

/* Subtracts rows from one another while entries vanish; rows that are monitored are not subtracted from
 * others. */
MECH_MUST_CHECK mech_status motion_rows_make(const mech_model *model, const unsigned char *monitored,
                                             motion_rows *rows);
void motion_rows_free(motion_rows *rows);

/* ---- motion_source.c ---- */

typedef struct motion_source {
    const mech_system *system; /* of a compiled model */
    const unsigned char *monitored;
    const char *prefix;
    size_t most; /* statements and operations */
    int with_power;
    /* made */
    emit_result size;
    size_t steps, operations, watched;
} motion_source;

/* The two functions of emit.h for the whole acceleration, appended to text:
       more[0]: dh/dt when with_power, else 0; more[1 + i]: rate of state i
       u: values of the inputs, then first, then second derivatives
   MECH_ERR_UNSUPPORTED when the acceleration depends on what these functions are not given. */
MECH_MUST_CHECK mech_status motion_source_make(motion_source *source, textbuf *text);

/* The same as a tape: its inputs are those of the system, its values qdd, lambda and more[]. */
MECH_MUST_CHECK mech_status motion_tape_make(motion_source *source, tape **code);

/* Another function of the same arguments, PREFIX_motion and PREFIX_parameters: places[i] = values[i]. Here
   qdd and lambda are inputs: what accelerations, lambda and reaction stand for. */
MECH_MUST_CHECK mech_status motion_values_make(const mech_system *system, const char *prefix,
                                               const mech_expr *values, const emit_place *places,
                                               size_t count, emit_result *size, textbuf *text);

/* 1 when every row is natural and nothing looks at the reactions; else *why says what is in the way. */
int motion_is_plain(const mech_system *system, const char **why);

#endif
