/* What generated code is written from: the instructions of a program and the operations of an elimination
   plan as one graph of values, equal ones shared, signs carried outside, numbers folded. A value is made
   after its operands, so ascending numbers are a topological order.

   Stage 0 are values of parameters alone, stage 1 all others. */
#ifndef COMPILE_GRAPH_H
#define COMPILE_GRAPH_H

#include "compile/program.h"
#include "fundamental/plan.h"

typedef uint32_t graph_ref; /* 2*value + 1 when it is the negative; 0: none */

typedef enum graph_op {
    GRAPH_NONE,
    GRAPH_INPUT,    /* a: which                                     */
    GRAPH_CONSTANT, /* a, b: its bits                               */
    GRAPH_ADD,
    GRAPH_SUB,
    GRAPH_MUL,
    GRAPH_MULADD,  /* a*b + c                                      */
    GRAPH_MULSUB,  /* a*b - c                                      */
    GRAPH_INVERSE, /* 1/a                                          */
    GRAPH_SQRT,
    GRAPH_SIN,
    GRAPH_COS,
    GRAPH_POW,
    GRAPH_SELECT,
    GRAPH_ABS,
    GRAPH_PIVOT, /* guarded inverses, see plan_code              */
    GRAPH_PIVOT2,
    GRAPH_INVERT2,
    GRAPH_PART,    /* a: PIVOT2 or INVERT2, b: 0, 1, 2; part 1 without its sign */
    GRAPH_GUARD,   /* no value: a is clear beside b as a mass       */
    GRAPH_MONITOR, /* no value: |a| is small beside b               */
    GRAPH_CLEAR,   /* no value: |a| is clear beside b as a determinant of the partition */
    GRAPH_CALL     /* + mech_function                              */
} graph_op;

typedef struct graph_value {
    uint8_t op, stage;
    graph_ref a, b, c, d, e;
    uint32_t block; /* 4*number + PLAN_FORWARD or PLAN_BACKWARD of the operations it came with; 0: none */
} graph_value;

typedef struct graph {
    graph_value *values; /* [0] is none */
    size_t count, capacity;
    uint32_t *table; /* hash table of values, a power of two */
    size_t table_size;
    uint32_t *guards; /* GUARD and MONITOR: they stay although nothing uses them */
    size_t guard_count, guard_capacity;
    uint32_t *determinants; /* guards (GRAPH_CLEAR) of the null-space plan that speak of its rows */
    size_t determinant_count, determinant_capacity;
    uint32_t block, blocks; /* of the values that are made now; of the plans before */
    mech_status status;
} graph;

void graph_free(graph *g);

graph_ref graph_input(graph *g, uint32_t which, int stage);
graph_ref graph_constant(graph *g, double value);
/* All instructions of a program; its first `params` inputs are parameters. outputs: (p->output_count). */
mech_status graph_add_program(graph *g, const program *p, uint32_t params, graph_ref *outputs);
/* The operations of a plan on these inputs; slots: (p->slot_count), the inputs filled in. */
mech_status graph_add_plan(graph *g, const plan *p, graph_ref *slots);
graph_ref graph_add(graph *g, graph_ref a, graph_ref b);
graph_ref graph_multiply(graph *g, graph_ref a, graph_ref b);
/* a*b + c */
graph_ref graph_multiply_add(graph *g, graph_ref a, graph_ref b, graph_ref c);

/* |a|/b */
graph_ref graph_part_of(graph *g, graph_ref a, graph_ref b);
graph_ref graph_least(graph *g, graph_ref a, graph_ref b);

static inline graph_ref graph_negative(graph_ref x) { return x ? x ^ 1u : 0; }
static inline uint32_t graph_id(graph_ref x) { return x >> 1; }
static inline int graph_is_negative(graph_ref x) { return (int)(x & 1u); }
double graph_constant_value(const graph_value *v);
/* Operands of a value; returns how many. */
int graph_operands(const graph_value *v, graph_ref to[5]);

#endif
