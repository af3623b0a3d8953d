/* Between the graph and its text: the order of statements and which of them share a function. emit_order.c
   makes it, emit_c.c writes it. Only emit*.c and shapes_room.h include this. */
#ifndef COMPILE_EMIT_ROOM_H
#define COMPILE_EMIT_ROOM_H

#include "compile/emit.h"

enum { EMIT_LANES = 8 };

/* An item of the order is a value, a batch of angles (EMIT_BATCH + its number) or two values at once (EMIT_TWIN + its
   number). */
#define EMIT_BATCH UINT32_C(0x80000000)
#define EMIT_TWIN UINT32_C(0x40000000)

typedef struct emit_batch {
    uint32_t arg[EMIT_LANES], sine[EMIT_LANES], cosine[EMIT_LANES]; /* values; 0: not needed */
    int count;
} emit_batch;

typedef struct emit_twin {   /* two values as one statement: emit_twins.c */
    uint32_t value[2];       /* a lane each                                                                   */
    graph_ref operand[3][2]; /* summands, factors, or two factors and a summand, for both lanes               */
    uint8_t op, count;       /* GRAPH_ADD, GRAPH_MUL, GRAPH_MULADD or GRAPH_INVERSE; its operands             */
    uint8_t is_negative;     /* the second lane keeps the negative of its value                               */
    uint8_t turned;          /* 1 + the operand whose second lane is taken with the other sign; 0: none       */
    uint32_t loaded;         /* the chunk that has it, both lanes at once                                     */
} emit_twin;

typedef struct emit_pack { /* an operand put together in this chunk */
    uint32_t value[2];
} emit_pack;

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
    emit_twin *twins;  /* NULL: not looked for */
    uint32_t *twin_of; /* (count) 1 + the twin of a value; 0: none */
    size_t twin_count;
    emit_pack *packs; /* of the chunk that is written */
    size_t pack_count, pack_capacity;
    uint32_t *free_twins; /* pairs of places in w[] */
    size_t free_twin_count;
    uint32_t chunk; /* that is written */
    int stage;
    mech_status status;
} emitter;

#define EMIT_NONE UINT32_MAX

static inline const graph_value *emit_value(const emitter *e, uint32_t id) { return &e->g->values[id]; }
static inline int emit_is_leaf(const graph_value *v) { return v->op == GRAPH_INPUT || v->op == GRAPH_CONSTANT; }
static inline int emit_is_angle(const graph_value *v) { return v->op == GRAPH_SIN || v->op == GRAPH_COS; }
static inline int emit_is_pair(const graph_value *v) { return v->op == GRAPH_PIVOT2 || v->op == GRAPH_INVERT2; }

/* The twin that holds a value, or NULL. */
static inline const emit_twin *emit_twin_of(const emitter *e, uint32_t id)
{
    return e->twin_count && e->twin_of[id] ? &e->twins[e->twin_of[id] - 1] : NULL;
}
/* Whether x counts negative beside what is kept of its value. */
static inline unsigned emit_sign(const emitter *e, graph_ref x)
{
    const emit_twin *t = emit_twin_of(e, graph_id(x));
    return (unsigned)graph_is_negative(x) ^ (t && t->is_negative && t->value[1] == graph_id(x));
}
static inline int emit_are_numbers(const emitter *e, const graph_ref both[2])
{
    return emit_value(e, graph_id(both[0]))->op == GRAPH_CONSTANT &&
           emit_value(e, graph_id(both[1]))->op == GRAPH_CONSTANT;
}
/* The twin whose lanes are these two, in this order, or NULL. */
static inline const emit_twin *emit_lanes(const emitter *e, const graph_ref both[2])
{
    const emit_twin *t = emit_twin_of(e, graph_id(both[0]));
    return t && t->value[0] == graph_id(both[0]) && t->value[1] == graph_id(both[1]) ? t : NULL;
}

/* Marks what the outputs need, numbers what the second stage takes from the first. */
void emit_mark(emitter *e);
/* Fills order with the items of a stage. */
mech_status emit_order(emitter *e, int stage);
/* emit_twins.c: alike values of the second stage that are not in the order yet, two at a time; none where it does not
   pay. */
mech_status emit_find_twins(emitter *e);
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

/* ---- text of twins: emit_twins_text.c ---- */

/* What their statements need. */
void emit_twin_types(textbuf *to);
/* Loads what it reads, puts operands together, and the statement. */
void emit_twin_statement(emitter *e, uint32_t number);
/* Outputs aside, where later chunks find both lanes. */
void emit_twin_store(emitter *e, uint32_t number);
/* emit_c.c: a value of an earlier chunk that this one reads by itself. */
void emit_load(emitter *e, uint32_t id);
void emit_operand(const emitter *e, graph_ref x);

/* ---- text, for shapes_*.c too ---- */

void emit_number(textbuf *to, double value);
void emit_operand(const emitter *e, graph_ref x);
/* An operation with %a, %b, %c for its operands. */
const char *emit_pattern(const graph_value *v);

#endif
