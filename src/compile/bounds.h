/* Bounds: what the values of a program can be over a stretch of time, when its inputs move within given bounds.
   Intervals that carry the interval of their slope along. They hold to rounding; where a value may not exist or may
   jump, they are infinite. */
#ifndef COMPILE_BOUNDS_H
#define COMPILE_BOUNDS_H

#include "compile/program.h"

typedef struct bound {
    double low, high;
    double slope_low, slope_high; /* of its derivative by time, wherever it has one; infinite where it may jump */
} bound;

/* A value that is wanted: slot `plus`, less slot `minus`, as they stand before instruction `at` runs (the length of
   the code: at the end). */
typedef struct bounds_want {
    uint32_t at, plus, minus;
} bounds_want;
/* In place of `minus`; PROGRAM_WHOLE also stands there. */
#define BOUNDS_NOTHING PROGRAM_NOTHING
#define BOUNDS_OP_TURN PROGRAM_OP_COUNT /* sin(pi a), an instruction that programs do not have */

/* The part of a program that some values need, over slots of its own: inputs | constants | the rest. Constant once
   built. */
typedef struct bounds_program {
    program_instruction *code;
    size_t code_count;
    uint32_t *input; /* (input_count) which input of the program each is, in ascending order */
    size_t input_count;
    double *constant;
    size_t constant_count;
    uint32_t *result; /* (wants) slot of each */
    size_t slot_count;
} bounds_program;

/* wants: in ascending order of `at`. *result is freed with bounds_free. MECH_ERR_MEMORY. */
MECH_MUST_CHECK mech_status bounds_create(const program *p, const bounds_want *wants, size_t count,
                                          bounds_program **result);
void bounds_free(bounds_program *b);
/* uses[k]: 1 when want number k depends on an input that is marked (input_count of them). 0 when out of memory. */
MECH_MUST_CHECK int bounds_find_users(const program *p, const bounds_want *wants, size_t count,
                                      const unsigned char *marked, unsigned char *uses);

/* What the wanted values need, by a walk from the end: marks instructions in runs (as many as come before the last
   want); needed (slot_count, cleared) is left as what must stand at the start. */
void bounds_find_needed(const program *p, const bounds_want *wants, size_t count, unsigned char *needed,
                        unsigned char *runs);

/* Functions of the clock: what instructions before `end` make of inputs of kind 1 alone, and others mix with inputs
   of kind 2, or an output below output_count is. kind: (input_count) 0 for what is constant. New list in *wants,
   freed with mem_free. */
MECH_MUST_CHECK mech_status bounds_find_clock(const program *p, const unsigned char *kind, uint32_t end,
                                              uint32_t output_count, bounds_want **wants, size_t *count);

/* Constants into fresh slots. */
void bounds_reset(const bounds_program *b, bound *slots);
/* slots[0 .. input_count) hold the inputs; the results stand in slots[b->result[k]]. Allocates nothing. */
void bounds_run(const bounds_program *b, bound *slots);
/* Without slopes: what stands there means nothing. */
void bounds_run_values(const bounds_program *b, bound *slots);

static inline bound bound_of(double value) { return (bound){value, value, 0, 0}; }

#endif
