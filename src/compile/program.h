/* A program: outputs as functions of inputs, a flat list of instructions over an array of doubles, divided
   into stages by what changes. Constant once built; all mutable data is the array (the slots).

   slots:  inputs | constants | outputs | kept from stage to stage | temporaries */
#ifndef COMPILE_PROGRAM_H
#define COMPILE_PROGRAM_H

#include <mech/base.h>

#include "expr/pool.h"

enum { PROGRAM_MAX_STAGES = 16 };

/* Every instruction: name, how many of a, b, c it reads, how it is printed, what it computes. SINCOS also
   writes cos(a) to slot b. Functions without an instruction of their own are CALL + mech_function. */
#define PROGRAM_OPERATIONS(X)                                                                                          \
    X(COPY, 1, "a", a)                                                                                                 \
    X(NEG, 1, "-a", -a)                                                                                                \
    X(ADD, 2, "a + b", a + b)                                                                                          \
    X(SUB, 2, "a - b", a - b)                                                                                          \
    X(MUL, 2, "a*b", a *b)                                                                                             \
    X(DIV, 2, "a/b", a / b)                                                                                            \
    X(MULADD, 3, "a*b + c", a *b + c)                                                                                  \
    X(MULSUB, 3, "a*b - c", a *b - c)                                                                                  \
    X(SUBMUL, 3, "c - a*b", c - a * b)                                                                                 \
    X(SQRT, 1, "sqrt(a)", sqrt(a))                                                                                     \
    X(SIN, 1, "sin(a)", sin(a))                                                                                        \
    X(COS, 1, "cos(a)", cos(a))                                                                                        \
    X(POW, 2, "pow(a, b)", pow(a, b))                                                                                  \
    X(SELECT, 3, "if(a, b, c)", a != 0 ? b : c)

typedef enum program_op {
#define PROGRAM_OP_ENUM(name, arity, text, value) PROGRAM_##name,
    PROGRAM_OPERATIONS(PROGRAM_OP_ENUM)
#undef PROGRAM_OP_ENUM
        PROGRAM_SINCOS,
    PROGRAM_CALL,
    PROGRAM_OP_COUNT = PROGRAM_CALL + MECH_FUNCTION_COUNT
} program_op;

typedef struct program_instruction {
    uint32_t op;           /* program_op, or PROGRAM_CALL + mech_function */
    uint32_t out, a, b, c; /* slots; those it does not use are 0        */
} program_instruction;

typedef struct program {
    program_instruction *code;
    uint32_t stage_start[PROGRAM_MAX_STAGES + 1]; /* stage s is code[stage_start[s] .. stage_start[s+1]) */
    uint32_t stage_count;
    uint32_t input_count;    /* input k is slot k                                        */
    uint32_t constant_count; /* these follow the inputs                                  */
    uint32_t output_first;   /* output k is slot output_first + k                        */
    uint32_t output_count;
    uint32_t kept_count, temporary_count;
    uint32_t slot_count;
    double *image;         /* first values of constants and outputs (constant ones are never computed) */
    uint8_t *output_stage; /* (output_count) the stage that computes it; 0 also when it is constant    */
    uint32_t
        *switch_node; /* of the instructions that have a kink, in the order of the code: the node each comes from */
    uint32_t switch_count;
} program;

/* ---- building ---- */

typedef struct program_input {
    mech_expr symbol; /* none: the slot is kept free */
    uint8_t stage;    /* known from this stage on    */
} program_input;

typedef struct program_output {
    mech_expr value; /* none: 0                                               */
    uint8_t stage;   /* wanted here; computed later when its inputs are known later */
} program_output;

typedef struct program_spec {
    const mech_pool *pool;
    const program_input *inputs;
    size_t input_count;
    const program_output *outputs;
    size_t output_count;
    uint32_t stage_count;
    const uint8_t *floor; /* (stage_count) the first stage that may work for it; NULL: only itself */
} program_spec;

/* New program in *result, freed with program_free. MECH_ERR_MEMORY; MECH_ERR_LIMIT above 2^32 slots;
   MECH_ERR_ARGUMENT when an output uses a symbol that is no input, then *unknown (may be NULL) names it. */
MECH_MUST_CHECK mech_status program_create(const program_spec *spec, mech_expr *unknown, program **result);
void program_free(program *p);

/* ---- running; nothing here allocates ---- */

/* Sets constants and constant outputs, all else to 0. slots: slot_count doubles. */
void program_reset(const program *p, double *slots);
void program_run(const program *p, uint32_t stage, double *slots);
/* The same over `width` states at once: slot k of lane j is slots[k*width + j]. */
void program_reset_lanes(const program *p, double *slots, size_t width);
void program_run_lanes(const program *p, uint32_t stage, double *slots, size_t width);

/* The kinks of a stage: how many abs, sign, min, max and comparisons it has, and, while it runs again, the
   functions at whose zeros they change over. */
size_t program_switch_count(const program *p, uint32_t stage);
/* The nodes, as abs(x - 1), that those of these stages come from; *count: how many. */
const uint32_t *program_switch_nodes(const program *p, uint32_t first, uint32_t last, size_t *count);
/* In place of a slot to subtract: nothing; and: whole numbers, where sin(pi *plus) passes 0. */
#define PROGRAM_NOTHING UINT32_MAX
#define PROGRAM_WHOLE (UINT32_MAX - 1)
/* 1: instruction `at` changes over where slot *plus less slot *minus passes 0. */
int program_switch_at(const program *p, uint32_t at, uint32_t *plus, uint32_t *minus);
void program_run_switches(const program *p, uint32_t stage, double *slots, double *values);
/* Runs a stage again on the same inputs; sizes (slot_count): of what was there before the stage, and then of all it
   computes. */
void program_run_sizes(const program *p, uint32_t stage, double *slots, double *sizes);
void program_run_one(const program_instruction *i, double *slots);

/* ---- looking ---- */

/* New text, freed with mech_text_free: one line for each instruction. NULL when out of memory. names: of the
   inputs; output_names: of the outputs; either may be NULL. */
char *program_dump(const program *p, const char *const *input_names, const char *const *output_names);
/* How many of a, b, c an instruction reads. */
int program_arity(uint32_t op);

#endif
