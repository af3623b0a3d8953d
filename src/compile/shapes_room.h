/* A graph as loops, between its files. Values that are used together form an item; items whose operations are
   alike have one shape; items of one shape that can be done one after another become a loop, their results
   in an array each. shapes_items.c forms the items, shapes_describe.c says which are alike, shapes_loops.c
   puts them in order, shapes_place.c gives results their places, shapes_columns.c finds how their operands
   move, shapes_carry.c what stays in variables, shapes_text.c writes, shapes.c leads. Only these include
   this. */
#ifndef COMPILE_SHAPES_ROOM_H
#define COMPILE_SHAPES_ROOM_H

#include "compile/emit_room.h"

/* An item in the order of work: plain values first, elimination, substitution, what needs these, copies. */
enum { SHAPES_BEFORE, SHAPES_FORWARD, SHAPES_BACKWARD, SHAPES_AFTER, SHAPES_COPY, SHAPES_PHASES };
enum { SHAPES_TREE, SHAPES_ANGLE, SHAPES_BLOCK, SHAPES_PAIR };

typedef struct shapes_item {
    uint32_t first, count; /* in ops */
    uint32_t level, shape; /* level: within its phase */
    uint8_t phase, kind, is_late;
} shapes_item;

/* What an item consists of, cell by cell: operations, each followed by its operands and where it goes. */
enum { CELL_HEAD, CELL_INTERNAL, CELL_EXTERNAL, CELL_OUTPUT };
typedef struct shapes_cell {
    uint32_t what;    /* kind | op, or position or array in the middle bits | sign */
    uint32_t address; /* of EXTERNAL and OUTPUT; SHAPES_NUMBER + value: a number   */
    uint32_t value;   /* of the graph; HEAD of a copy: SHAPES_COPIED + output      */
} shapes_cell;
#define SHAPES_NUMBER UINT32_C(0x80000000)
#define SHAPES_COPIED UINT32_C(0x80000000)

static inline uint32_t cell_kind(uint32_t what) { return what >> 28; }
static inline uint32_t cell_index(uint32_t what) { return (what & UINT32_C(0x0fffffff)) >> 1; }
static inline int cell_sign(uint32_t what) { return (int)(what & 1u); }

enum { SHAPES_ARRAYS = 16, ARRAY_WORK = 0, ARRAY_KEPT = 1 };

typedef struct shapes_column { /* the addresses of one operand over the turns of a loop */
    enum { COLUMN_NUMBER, COLUMN_FIXED, COLUMN_AFFINE, COLUMN_TABLE, COLUMN_HERE, COLUMN_CARRIED } kind;
    uint32_t array, base, table; /* base: the first address; value when it is a number */
    int32_t stride;
    uint32_t stream, position; /* HERE: a result of this turn; CARRIED: of the one before */
} shapes_column;

typedef struct shapes_number { /* k[at] = a number that differs from turn to turn */
    uint32_t at, value;
} shapes_number;

typedef struct shapes_range { /* an array of results in w */
    uint32_t first, lines;    /* lines of the cache; 0: it is too short to be used again */
    size_t reads;             /* still to come; 0: free for another array of its length  */
} shapes_range;

typedef struct shapes {
    const emit_spec *spec;
    const graph *g;
    int stage;
    textbuf body;          /* functions of this stage */
    size_t functions[2];   /* of each stage */
    unsigned char *needed; /* (count) */
    unsigned char *stored; /* (count) another item, or the other stage, reads it */
    uint32_t *owner;       /* (count) its item; 0: none                          */
    uint32_t *user;        /* (count) the one item that reads it                 */
    uint32_t *reads;       /* (count) how often other items read it              */
    uint32_t *position;    /* (count) within its item                            */
    uint32_t *where;       /* (count) in w, or k for stage 0                     */
    uint32_t *source;      /* (count) which array of results it is part of       */
    uint32_t *output;      /* (count) 1 + the output it is                       */
    uint32_t *angle;       /* (count) the item of this argument                  */
    uint32_t *number_at;   /* (count) 1 + its place in k                         */
    uint32_t *block_item;  /* by number of block */
    shapes_item *items;    /* from 1 */
    size_t item_count, item_capacity;
    uint32_t *ops;
    const char *arrays[SHAPES_ARRAYS];
    unsigned char is_scalar[SHAPES_ARRAYS];
    size_t array_count;
    uint32_t *shape_table, *shape_first; /* hash table of shapes, and an item of each */
    size_t shape_table_size, shape_count, shape_capacity;
    shapes_cell *cells, *other; /* room for the longest item */
    size_t cell_capacity;
    shapes_number *numbers;
    size_t number_count, number_capacity;
    shapes_range *ranges; /* by source */
    size_t range_capacity;
    uint32_t *free_ranges; /* sources */
    size_t free_count, free_capacity;
    int is_trial; /* places are given back: none is used again */
    size_t work_count, kept_count, source_count, statements, angles, loops;
    mech_status status;
} shapes;

/* ---- items ---- */
void shapes_mark(shapes *s);
mech_status shapes_form_items(shapes *s);

/* ---- describing ---- */
/* Cells of an item; returns how many. */
size_t shapes_describe(shapes *s, uint32_t item, shapes_cell *to);
uint32_t shapes_array(shapes *s, const emit_place *place);
mech_status shapes_name(shapes *s); /* the shape of every item */

/* ---- order ---- */
mech_status shapes_schedule(shapes *s);

/* ---- columns ---- */
typedef struct shapes_loop {
    const uint32_t *items; /* [turn * streams + stream] */
    size_t streams, turns;
    int is_free;    /* no turn needs another one */
    int *direction; /* (streams) 1: results stand in the order of turns, -1: the other way; shapes_place */
    /* made by shapes_measure */
    size_t width;           /* cells of all streams */
    uint32_t *grid;         /* (turns * width) addresses */
    shapes_cell *cells;     /* (width) of the first turn */
    size_t *start;          /* (streams + 1) first cell of a stream */
    shapes_column *columns; /* (width) */
    uint32_t *tables;       /* (tables) a column with the steps of each */
    size_t table_count;
    /* by the cell of the operation */
    uint32_t *tied;  /* (width) how often the loop itself reads the result */
    size_t *carried; /* (width) 1 + a cell that reads it in the next turn  */
    enum shapes_store { STORE_EACH, STORE_LAST, STORE_NEVER } * store; /* (width) */
} shapes_loop;

/* So many doubles after `count`, at a line of the cache when there are many. */
uint32_t shapes_take(size_t *count, size_t turns);
/* Gives the results of the loop their places. */
mech_status shapes_place(shapes *s, shapes_loop *loop);
/* After a loop is written: arrays that nothing more reads are free. */
mech_status shapes_give_back(shapes *s, const shapes_loop *loop);
mech_status shapes_measure(shapes *s, shapes_loop *loop);
/* Both as if, so that what it would need can be seen: the places are given back. */
mech_status shapes_try(shapes *s, shapes_loop *loop);
void shapes_loop_free(shapes_loop *loop);

/* ---- carrying ---- */
mech_status shapes_carry(const shapes *s, shapes_loop *loop);

/* ---- text ---- */
void shapes_write(shapes *s, const shapes_loop *loop);

#endif
