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
    GRAPH_DIVIDE,  /* a/b, exact where it can be; products with inverses do elsewhere */
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
    GRAPH_PUT,     /* no value: a to place d of front c, after b   */
    GRAPH_FRONT,   /* no value: front c eliminated, all of it put by a             */
    GRAPH_BACK,    /* no value: its solution, when its rows' multipliers are put by a */
    GRAPH_TAKE,    /* what stands in place d of front c after a    */
    GRAPH_CALL     /* + mech_function                              */
} graph_op;

typedef struct graph_value {
    uint8_t op, stage;
    graph_ref a, b, c, d, e;
    uint32_t block; /* 4*number + PLAN_FORWARD or PLAN_BACKWARD of the operations it came with; 0: none */
} graph_value;

/* A front of a plan lies in an array: columns of the lower triangle one after the other, each turned round, so that
   what is left of it always begins where it begins: right side, rows, coordinates. Then its pivots' inverses, what they
   are judged by, and the solution, turned round too. Only straight lines know it (emit_front.c); whoever does not is
   given a plan without. */
typedef struct graph_front {
    uint32_t size, all; /* coordinates; with rows and the right side */
    size_t operations;  /* that it stands for                        */
    graph_ref done;     /* GRAPH_FRONT                               */
} graph_front;

static inline uint32_t front_stride(const graph_front *f) { return (f->all + 7) / 8 * 8; }
static inline uint32_t front_place(const graph_front *f, uint32_t row, uint32_t column)
{
    return column * front_stride(f) + f->all - 1 - row;
}
static inline uint32_t front_inverse(const graph_front *f) { return (f->all - 1) * front_stride(f); }
static inline uint32_t front_whole(const graph_front *f) { return front_inverse(f) + front_stride(f); }
static inline uint32_t front_solution(const graph_front *f) { return front_whole(f) + front_stride(f); }
static inline uint32_t front_room(const graph_front *f) { return front_solution(f) + front_stride(f); }

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
    graph_front *fronts;
    size_t front_count, front_capacity;
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
/* The value, new or known, as a positive reference. */
graph_ref graph_intern(graph *g, graph_value v);
/* graph_front.c: operations PLAN_FRONT and PLAN_BACK of a plan whose first front has this number here. */
void graph_eliminate_front(graph *g, const plan *p, const plan_op *op, size_t first, graph_ref *slots);
void graph_solve_front(graph *g, const plan *p, const plan_op *op, size_t first, graph_ref *slots);
/* a*b + c */
graph_ref graph_multiply_add(graph *g, graph_ref a, graph_ref b, graph_ref c);

/* |a|/b */
graph_ref graph_part_of(graph *g, graph_ref a, graph_ref b);
graph_ref graph_least(graph *g, graph_ref a, graph_ref b);

static inline graph_ref graph_negative(graph_ref x) { return x ? x ^ 1u : 0; }
static inline uint32_t graph_id(graph_ref x) { return x >> 1; }
static inline int graph_is_negative(graph_ref x) { return (int)(x & 1u); }
double graph_constant_value(const graph_value *v);
/* Whether it is a statement alone. */
static inline int graph_has_value(const graph_value *v) { return !(v->op >= GRAPH_GUARD && v->op <= GRAPH_BACK); }
/* Operands of a value; returns how many. */
int graph_operands(const graph_value *v, graph_ref to[5]);

#endif
