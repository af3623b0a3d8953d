/* The hash-consed DAG behind mech_pool: what a node is and how to walk it.
 *
 * A node is interned after its operands, so operands have smaller ids: ascending id is a topological
 * order and every walk is a loop. Canonical forms:
 *
 *   NUM  an exact rational p/q (|p|, q < 2^63) or, where that does not fit, the nearest double
 *   SYM  a symbol; its class says what it depends on
 *   PI
 *   ADD  c0 + sum coef_i*node_i    operands: c0, then pairs (coef_i, node_i), ascending node id;
 *                                  coefs are nonzero NUM ids, no node_i is NUM or ADD;
 *                                  "c0 = 0 and one term" is a scaled node (coef != 1)
 *   MUL  prod base_i^exp_i         operands: pairs (base_i, exp_i), ascending base id; exps are nonzero
 *                                  NUM ids; numeric factors live in the ADD around it; a base with an
 *                                  integer exponent is not MUL, and not ADD with a numeric content
 *   FUN  function applied          operands: the arguments; mech_function in `function`
 *   HELD an expression under a name: a sum or product that no rule looks into
 */
#ifndef EXPR_POOL_H
#define EXPR_POOL_H

#include <mech/expr.h>

#include "base/arena.h"

typedef enum expr_kind { EXPR_NONE, EXPR_NUM, EXPR_PI, EXPR_SYM, EXPR_ADD, EXPR_MUL, EXPR_FUN, EXPR_HELD } expr_kind;

/* What a symbol is, and as a mask, what a node depends on. */
typedef enum expr_class {
    EXPR_PARAM = 1,
    EXPR_TIME = 2,
    EXPR_COORD = 4,
    EXPR_VELOCITY = 8,
    EXPR_ACCELERATION = 16,
    EXPR_STATE = 32,
    EXPR_INPUT = 64,
    EXPR_REACTION = 128 /* lambda(), reaction(), active() */
} expr_class;

typedef struct expr_node {
    uint8_t kind;     /* expr_kind                                                  */
    uint8_t classes;  /* mask of expr_class: all symbols below                      */
    uint8_t function; /* mech_function of a FUN                                     */
    uint8_t flags;    /* for the simplifier, see build.c                            */
    uint32_t first;   /* first operand; for NUM and SYM the index into their tables */
    uint32_t count;   /* number of operands                                         */
    uint32_t origin;  /* statement and loop indices that made it, see expr_set_origin */
} expr_node;

typedef struct expr_number {
    int64_t num, den; /* exact: num/den, den > 0, lowest terms; den = 0: not exact */
    double value;     /* always                                                    */
} expr_number;

typedef struct expr_symbol {
    const char *name;  /* without primes; "x[3]" for an entry of an array      */
    uint8_t class_bit; /* one expr_class                                       */
    uint8_t order;     /* primes to print: 0, 1, 2                             */
    uint32_t index;    /* the owner's number: which coordinate, parameter, ... */
    mech_expr dot;     /* its time derivative; none: it has none               */
} expr_symbol;

/* The index of a symbol of class EXPR_REACTION that stands for what follows from the whole model: energies, forces of
   control and friction. */
enum { EXPR_LATE = INT32_MAX };
/* Delayed values are of class EXPR_INPUT, and their indices begin here. */
enum { EXPR_DELAYED = 1 << 30 };

typedef struct expr_held_name {
    uint32_t id; /* of a HELD node */
    const char *name;
} expr_held_name;

typedef struct expr_slot {
    uint32_t id, hash; /* id 0: free */
} expr_slot;

/* A pool larger than this fails with MECH_ERR_LIMIT: about 1 GB, and seconds to fill. The largest model among the
   benchmarks, a chain of 10000 bodies, has a tenth of it. */
enum { EXPR_MOST_NODES = 8 * 1000 * 1000, EXPR_MOST_OPERANDS = 48 * 1000 * 1000 };

struct mech_pool {
    arena memory; /* symbol names */
    expr_node *nodes;
    size_t node_count, node_capacity;
    uint32_t *operands;
    size_t operand_count, operand_capacity;
    expr_number *numbers;
    size_t number_count, number_capacity;
    expr_symbol *symbols; /* in order of creation */
    size_t symbol_count, symbol_capacity;
    expr_held_name *held_names; /* ascending id */
    size_t held_name_count, held_name_capacity;
    size_t own_count;        /* of expr_held_own */
    struct expr_slot *table; /* hash table of nodes, open addressing, a power of two */
    size_t table_size;
    struct expr_product_memo *product_memo; /* of small numeric products, see numbers.h */
    struct expr_sum_memo *sum_memo;         /* of sums inside collected groups, see sum_memo.h; NULL: none yet */
    uint32_t *dot_memo[2];                  /* derivative by time: [0] accelerations kept, [1] accelerations dropped */
    size_t dot_memo_size[2];
    uint32_t *mark;  /* scratch of the walks: mark[id] == stamp means seen ... */
    uint32_t *local; /* ... and local[id] is its position in the walk           */
    size_t mark_capacity, local_capacity;
    uint32_t stamp;
    unsigned depth;   /* of sums within products that the simplifier is working on */
    size_t sum_count; /* sums shortened so far: a measure of its work */
    int has_kinks;    /* a function with a kink or a jump stands among the nodes */
    uint32_t origin;
    mech_status status;
    const char *fault; /* arithmetic that has no value, see expr_take_fault */
};

/* Ids every pool has. */
enum { EXPR_ID_ZERO = 1, EXPR_ID_ONE = 2, EXPR_ID_MINUS_ONE = 3, EXPR_ID_TWO = 4, EXPR_ID_HALF = 5, EXPR_ID_PI = 6 };
#define EXPR_ZERO ((mech_expr){EXPR_ID_ZERO})
#define EXPR_ONE ((mech_expr){EXPR_ID_ONE})
#define EXPR_MINUS_ONE ((mech_expr){EXPR_ID_MINUS_ONE})

static inline const expr_node *expr_at(const mech_pool *p, mech_expr e) { return &p->nodes[e.id]; }
static inline const uint32_t *expr_operands(const mech_pool *p, const expr_node *n) { return &p->operands[n->first]; }
static inline int expr_is_zero(mech_expr e) { return e.id == EXPR_ID_ZERO; }
static inline int expr_is_one(mech_expr e) { return e.id == EXPR_ID_ONE; }
static inline int expr_is_number(const mech_pool *p, mech_expr e) { return p->nodes[e.id].kind == EXPR_NUM; }
static inline const expr_number *expr_number_of(const mech_pool *p, mech_expr e)
{
    return &p->numbers[p->nodes[e.id].first];
}
static inline int expr_is_symbol(const mech_pool *p, mech_expr e) { return p->nodes[e.id].kind == EXPR_SYM; }
static inline const expr_symbol *expr_symbol_of(const mech_pool *p, mech_expr e)
{
    return &p->symbols[p->nodes[e.id].first];
}
static inline unsigned expr_classes(const mech_pool *p, mech_expr e) { return p->nodes[e.id].classes; }

/* A pool with the same nodes under the same ids, which grows by itself. It borrows the names of the symbols: the
   first must outlive it. NULL when out of memory. */
mech_pool *expr_pool_copy(const mech_pool *pool);

/* A new symbol (never shared with one of the same name). Its dot is none until set. */
mech_expr expr_symbol_create(mech_pool *pool, const char *name, expr_class class_bit, unsigned order, uint32_t index);
void expr_symbol_set_dot(mech_pool *pool, mech_expr symbol, mech_expr dot);

/* e as a value of its own, which is the same number: sums and products around it do not take it apart, so that what a
   recursion computes once stays computed once. Derivatives pass through, and are held where they are sums. It costs
   nothing to evaluate. Texts that name shared parts show it under its name (NULL: numbered like the others), all others
   write it out. Equal expressions make one held value, under the first name; what nothing can take apart comes back as
   it is. */
mech_expr expr_held(mech_pool *pool, mech_expr e, const char *name);
/* The same, but never shared: a new value each time, whatever e is. So it tells whose value it is. It counts as
   depending on these classes too, where e happens not to. */
mech_expr expr_held_own(mech_pool *pool, mech_expr e, const char *name, unsigned classes);
/* The name that was given, or NULL. */
const char *expr_held_name_of(const mech_pool *pool, uint32_t id);

/* A decimal literal such as 12, 0.1, 6.02e23: exact where it fits, else the nearest double. None when
   it is not a number or overflows (then expr_take_fault says so). */
mech_expr expr_decimal(mech_pool *pool, const char *text, size_t length);

/* What could not be computed since the last call ("division by zero", ...), or NULL. Static text. */
const char *expr_take_fault(mech_pool *pool);

/* Nodes made from now on carry this origin (0: none). The owner keeps what the number stands for. */
void expr_set_origin(mech_pool *pool, uint32_t origin);

/* 1 and the value when e holds no symbols. */
int expr_constant(const mech_pool *pool, mech_expr e, double *value);

/* ---- evaluation of a single expression, for structural values and tests (compile/ is for the rest) ---- */
/* value(user, symbol) gives each symbol's value. MECH_OK, or MECH_ERR_MEMORY. */
mech_status expr_evaluate(mech_pool *pool, mech_expr e, double (*value)(void *user, const expr_symbol *symbol),
                          void *user, double *result);
/* What one FUN node computes; arguments beyond its arity are ignored. */
double expr_apply(mech_function function, double a, double b, double c);
/* sin(pi a): it passes 0 where floor(a) jumps, and is exactly 0 at whole numbers. */
double expr_floor_switch(double a);
/* Number of arguments, and the name the language gives it. */
int expr_function_arity(mech_function function);
int expr_function_has_kink(mech_function function); /* or a jump: abs, sign, min, max, comparisons, floor */
const char *expr_function_name(mech_function function);

/* ---- derivatives ---- */
/* The time derivative of e, and what is left of it without accelerations, as the caller has them: they must be equal
   to what would be derived. To be said before they are asked for. */
int expr_has_given_dot(const mech_pool *pool, mech_expr e); /* 1: of a value of its own */
void expr_set_dot(mech_pool *pool, mech_expr e, mech_expr dot, mech_expr dot_free);
/* Total time derivative with the accelerations dropped: D0 e = e_q v + e_t, velocities constant. */
mech_expr expr_dot_free(mech_pool *pool, mech_expr e);

typedef struct expr_partial {
    mech_expr symbol, derivative;
} expr_partial;
typedef struct expr_gradient {
    expr_partial *items; /* nonzero partials, ascending symbol id */
    size_t count, capacity;
} expr_gradient;
/* All partials of e by the symbols of the given classes, in one reverse sweep over what e depends on.
   Replaces the content of g; g is reused from call to call and freed by expr_gradient_free. */
mech_status expr_gradient_of(mech_pool *pool, mech_expr e, unsigned classes, expr_gradient *g);
void expr_gradient_free(expr_gradient *g);

/* ---- rewriting ---- */
/* Replaces nodes of any kind, all at once; what lies below them is not looked at. nodes: ascending ids. */
mech_expr expr_replace(mech_pool *pool, mech_expr e, const mech_expr *nodes, const mech_expr *values, size_t count);
/* Products of sums multiplied out, while the result has at most `limit` terms; else e itself. */
mech_expr expr_expand(mech_pool *pool, mech_expr e, size_t limit);
/* The shorter of e and its expansion: how derived equations are shown. */
mech_expr expr_tidy(mech_pool *pool, mech_expr e);
/* Operations needed to evaluate e, shared parts once, held values not at all. */
size_t expr_cost(mech_pool *pool, mech_expr e);

/* ---- walking ---- */
/* Ids of all nodes below and including the roots, ascending (operands first). *ids is grown as needed
   (start with NULL and 0) and freed by the caller with mem_free. */
mech_status expr_reachable(mech_pool *pool, const mech_expr *roots, size_t root_count, uint32_t **ids, size_t *capacity,
                           size_t *count);

#endif
