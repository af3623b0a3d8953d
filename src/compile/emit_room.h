/* Between the graph and its text: the order of statements and which of them share a function. emit_order.c
   makes it, emit_c.c writes it. Only emit*.c and shapes_room.h include this. */
#ifndef COMPILE_EMIT_ROOM_H
#define COMPILE_EMIT_ROOM_H

#include "compile/emit.h"

enum { EMIT_LANES = 8 };

/* An item of the order is a value, or a batch of angles (EMIT_BATCH + its number). */
#define EMIT_BATCH UINT32_C(0x80000000)

typedef struct emit_batch {
    uint32_t arg[EMIT_LANES], sine[EMIT_LANES], cosine[EMIT_LANES]; /* values; 0: not needed */
    int count;
} emit_batch;

typedef struct emit_where { /* of a value */
    uint32_t chunk, last;   /* that makes it, that uses it last; from 1 */
    uint32_t work;          /* its place in w[], when it is used in another chunk; EMIT_NONE */
    uint32_t kept;          /* its place in k[]                                         */
    uint32_t loaded, next, uses;
} emit_where;

typedef struct emitter {
    const emit_spec *spec;
    const graph *g;
    textbuf *to;
    unsigned char *state; /* (count) 0: not needed, 1: needed, 2: in the order */
    unsigned char *late;  /* (count) only optional outputs need it             */
    uint32_t *depth;      /* (count) sines within sines                        */
    emit_where *at;       /* (count) */
    uint32_t *order;
    size_t order_count, early_count; /* items; those before the optional ones */
    int is_scheduled;
    int is_late, skips_optional; /* writing optional items; they are written apart */
    uint32_t *stack;
    emit_batch *batches;
    size_t batch_count, batch_capacity;
    uint32_t *first_output, *next_output; /* (count), (output_count): where a value goes; EMIT_NONE ends */
    uint32_t *ending;                     /* (count) values in w[] by the chunk that reads them last */
    uint32_t *free_work;
    size_t free_count, work_count, kept_count, angle_count, chunk_count;
    int stage;
    mech_status status;
} emitter;

#define EMIT_NONE UINT32_MAX

static inline const graph_value *emit_value(const emitter *e, uint32_t id) { return &e->g->values[id]; }
static inline int emit_is_leaf(const graph_value *v) { return v->op == GRAPH_INPUT || v->op == GRAPH_CONSTANT; }
static inline int emit_is_angle(const graph_value *v) { return v->op == GRAPH_SIN || v->op == GRAPH_COS; }
static inline int emit_is_pair(const graph_value *v) { return v->op == GRAPH_PIVOT2 || v->op == GRAPH_INVERT2; }

/* Marks what the outputs need, numbers what the second stage takes from the first. */
void emit_mark(emitter *e);
/* Fills order with the items of a stage. */
mech_status emit_order(emitter *e, int stage);
/* emit_schedule.c: items [first, end) of the order, no batch among them, by their longest way to a result. */
mech_status emit_schedule(emitter *e, size_t first, size_t end);
/* Cuts the order into chunks of about `size` items (0: the measured default); starts[c] is the first item of
   chunk c + 1. starts: (order_count + 2). */
void emit_cut(emitter *e, uint32_t *starts, size_t size);
/* The values an item reads; returns how many. */
int emit_reads(const emitter *e, uint32_t item, uint32_t to[EMIT_LANES]);

/* emit_front.c: the loops that statements on fronts call; places in w[] of all fronts before this one; how many
   operations all stand for; and the text of such a statement, if it is one. */
void emit_front_loops(const emitter *e);
size_t emit_front_room(const graph *g, uint32_t number);
size_t emit_front_operations(const graph *g);
int emit_front_statement(const emitter *e, uint32_t id, const graph_value *v);

/* emit_c as straight lines, whatever the spec says of loops. */
mech_status emit_lines(const emit_spec *spec, textbuf *to, emit_result *result);

/* ---- text, for shapes_*.c too ---- */

void emit_number(textbuf *to, double value);
void emit_operand(const emitter *e, graph_ref x);
/* An operation with %a, %b, %c for its operands. */
const char *emit_pattern(const graph_value *v);

#endif
