/* The interpreter's own form of a graph: evaluation and elimination in one list of fused operations over few
   slots, for one state or for many at once. Made from the same graph that the emitter writes as C.

   slots:  constants | what depends on parameters alone | inputs | temporaries, used again and again */
#ifndef COMPILE_TAPE_H
#define COMPILE_TAPE_H

#include "compile/emit.h"
#include "compile/sincos.h"

/* Every operation on plain values: name, what it computes. The first list holds for vectors as it stands. */
#define TAPE_ARITHMETIC(X)                                                                                             \
    X(COPY, a)                                                                                                         \
    X(NEG, -a)                                                                                                         \
    X(ADD, a + b)                                                                                                      \
    X(SUB, a - b)                                                                                                      \
    X(NEGADD, -a - b)                                                                                                  \
    X(MUL, a *b)                                                                                                       \
    X(NEGMUL, -(a * b))                                                                                                \
    X(MULADD, a *b + c)                                                                                                \
    X(MULSUB, a *b - c)                                                                                                \
    X(SUBMUL, c - a * b)                                                                                               \
    X(NEGMULADD, -(a * b) - c)                                                                                         \
    X(MUL3, a *(b * c))                                                                                                \
    X(NEGMUL3, -(a * (b * c)))                                                                                         \
    X(ADD3, a + (b + c))                                                                                               \
    X(MULMUL, a *b + c * d)                                                                                            \
    X(MULLESS, a *b - c * d)                                                                                           \
    X(NEGMULMUL, -(a * b) - c * d)                                                                                     \
    X(MUL2ADD, a *b + (c * d + e))                                                                                     \
    X(MUL2SUB, a *b + (c * d - e))                                                                                     \
    X(MULSUBMUL, a *b + (e - c * d))                                                                                   \
    X(MULSUB2, a *b - (c * d + e))                                                                                     \
    X(SUBMUL2, (e - c * d) - a * b)                                                                                    \
    X(NEGMUL2, -(c * d + e) - a * b)                                                                                   \
    X(ADDMUL, (c * d + e) - a * b)                                                                                     \
    X(LESSMUL, (c * d - e) - a * b)                                                                                    \
    X(INVERSE, 1.0 / a)                                                                                                \
    X(DIVIDE, a / b)
#define TAPE_SCALAR(X)                                                                                                 \
    X(SQRT, sqrt(a))                                                                                                   \
    X(ABS, fabs(a))                                                                                                    \
    X(ADDABS, a + fabs(b))                                                                                             \
    X(SELECT, a != 0 ? b : c)
#define TAPE_OPERATIONS(X) TAPE_ARITHMETIC(X) TAPE_SCALAR(X)

typedef enum tape_code {
#define TAPE_ENUM(name, value) TAPE_##name,
    TAPE_OPERATIONS(TAPE_ENUM)
#undef TAPE_ENUM
        TAPE_PIVOT, /* out = 1/a, guarded against b                         */
    TAPE_PIVOT2,    /* out, out+1, out+2 of [a b; b c], guarded against d, e */
    TAPE_INVERT2,   /* the same for a mass                                   */
    TAPE_GUARD,     /* a is clear beside b as a mass                         */
    TAPE_MONITOR,   /* |a| is small beside b                                 */
    TAPE_CLEAR,     /* |a| is clear beside b as a determinant of a partition */
    TAPE_ANGLES,    /* a: number of the batch                                */
    TAPE_CALL,      /* function of a, b, c                                   */
    TAPE_END
} tape_code;

typedef struct tape_op {
    uint32_t code, out, a, b, c, d, e, function;
} tape_op;

typedef struct tape_angles { /* unused ones: the slot of 0, and a slot nobody reads */
    uint32_t arg[8], sine[8], cosine[8];
} tape_angles;

typedef struct tape_copy { /* between a slot and where it comes from or goes to */
    uint32_t slot, from;   /* from: number of an input; or of an output      */
} tape_copy;

typedef struct tape {
    tape_op *ops; /* of the parameters, END, of the motion, END, of what is optional, END */
    size_t motion_first, optional_first, op_count;
    tape_angles *angles;
    size_t angle_count;
    double *constants; /* slots 0 .. */
    size_t constant_count, slot_count;
    tape_copy *inputs; /* of the motion: by ascending number */
    tape_copy *params; /* of the parameters                  */
    tape_copy *outputs;
    size_t input_count, param_count, output_count, always_count; /* outputs from always_count on are optional */
    sincos_vectors vectors;                                      /* what the processor has; less gives the same bytes */
    sincos_function sincos;
} tape;

/* From the graph, inputs, values and outputs of a spec. MECH_ERR_UNSUPPORTED for what it has no operation
 * for. */
MECH_MUST_CHECK mech_status tape_create(const emit_spec *spec, tape **result);
void tape_free(tape *t);

/* Slots of a state: constants set, all else 0. */
void tape_reset(const tape *t, double *slots);
/* What depends on parameters alone; inputs: by number. Returns PLAN_FLAG_... */
unsigned tape_run_parameters(const tape *t, const double *inputs, double *slots);
/* The motion; values: (output_count) in the order of the spec, the optional ones only when asked for. */
unsigned tape_run(const tape *t, const double *inputs, double *slots, double *values, int with_optional);

/* The same for TAPE_LANES states at once: slot k of lane j is slots[k*TAPE_LANES + j]; inputs and values are
   rows of TAPE_LANES, a row of values may be NULL. doubt (TAPE_LANES): not 0 where a lane is in doubt, also
   because one of the first `watched` values is not finite. slots and doubt: aligned to 64 bytes. */
enum { TAPE_LANES = 32 };
void tape_reset_lanes(const tape *t, double *slots);
void tape_run_parameters_lanes(const tape *t, const double *const *inputs, double *slots, int64_t *doubt);
void tape_run_lanes(const tape *t, const double *const *inputs, double *slots, size_t watched, int with_optional,
                    double *const *values, int64_t *doubt);

/* The motion as C on vectors of `wide` states:
       static inline bits slope(const double *k, vec t, const vec *y, vec *to)
   k: slots of the tape's lanes after tape_run_parameters_lanes, from the first lane on. inputs: by number, outputs: the
   first `count`; their arrays are among t, y and to. Returns masks of what is in doubt; an angle beyond 1e6 is. For
   gcc and clang. MECH_ERR_UNSUPPORTED: functions that have no vector. */
MECH_MUST_CHECK mech_status tape_emit_vectors(const tape *t, int wide, const emit_place *inputs,
                                              const emit_place *outputs, size_t count, textbuf *to);

#endif
