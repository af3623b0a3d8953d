/* Between expressions and a program: values in single-assignment form, numbered so that equal ones are one.
   lower.c makes them, arrange.c gives them a stage, an order and a slot. Only these two include this. */
#ifndef COMPILE_BUILD_H
#define COMPILE_BUILD_H

#include "compile/program.h"

/* What a value is besides the result of an instruction. */
enum { VALUE_INPUT = PROGRAM_OP_COUNT, VALUE_CONSTANT };
enum { STAGE_NEVER = 255 }; /* nothing needs it */

typedef struct build_value {
    uint16_t op;      /* program_op, VALUE_INPUT (a: which) or VALUE_CONSTANT (a, b: its bits) */
    uint8_t early;    /* the first stage where its inputs are known                            */
    uint8_t place;    /* the stage that computes it                                            */
    uint32_t a, b, c; /* values it reads, 0: none; for SIN and COS b is the other of the pair */
} build_value;

typedef struct build_factor {
    uint32_t value;
    uint8_t early, is_divisor;
} build_factor;

typedef struct build_term { /* (+-) coefficient * node */
    double coefficient;     /* above 0, but for a term that carries the sign of its sum */
    uint32_t node;
    uint8_t early, is_negative, is_product, is_absorbed;
} build_term;

typedef struct build_switch {
    uint32_t value, node;
} build_switch;

typedef struct build {
    const program_spec *spec;
    build_value *values; /* [0] is none */
    size_t value_count, value_capacity;
    uint32_t *table; /* hash table of values, a power of two */
    size_t table_size;
    size_t node_count;     /* ids below this are looked at                                        */
    uint32_t *of_node;     /* (node_count) the value of a node, 0: not made                       */
    uint8_t *use;          /* (node_count) build_use                                              */
    uint32_t *scale;       /* (node_count) of a product: the coefficient all its sums give it, 0: not one */
    uint32_t *divisor;     /* (node_count) of a sum that decides: what it is divided by at last, 0: nothing */
    uint32_t *output;      /* (output_count) its value, 0: the constant zero                      */
    uint32_t one;          /* the constant 1                                                      */
    build_factor *factors; /* scratch of products and sums */
    size_t factor_capacity;
    build_term *terms;
    size_t term_capacity;
    build_switch *switches; /* values with a kink, ascending */
    size_t switch_count, switch_capacity;
    mech_expr unknown;
    mech_status status;
} build;

/* lower.c: fills values and output. */
mech_status build_lower(build *b);
/* values.c: the value of an instruction, new or known; 0 after a failure. */
uint32_t build_emit(build *b, uint32_t op, uint32_t x, uint32_t y, uint32_t z);
uint32_t build_constant(build *b, double value);
uint32_t build_input(build *b, uint32_t which, uint8_t stage);
/* products.c: scale times the pairs of a MUL node, as x*y, y = 0: x alone. */
void build_product(build *b, const expr_node *node, double scale, uint32_t *x, uint32_t *y);
/* sums.c */
uint32_t build_sum(build *b, uint32_t id);
/* What makes the coefficients of a sum whole numbers; 0: nothing is needed, or does. */
uint32_t build_divisor(const build *b, const expr_node *sum);
/* arrange.c: fills the program from the values. */
mech_status build_arrange(build *b, program *p);

/* How nodes are used. A product that one sum uses and nothing else is computed inside that sum. One that only
   sums use, all with the same coefficient up to its sign, has that coefficient multiplied in. */
typedef enum build_use { USE_NONE, USE_ONE_SUM, USE_SUMS, USE_MANY } build_use;

static inline double build_constant_value(const build_value *v)
{
    const uint64_t bits = (uint64_t)v->b << 32 | v->a;
    union {
        uint64_t bits;
        double value;
    } pun = {bits};
    return pun.value;
}

#endif
