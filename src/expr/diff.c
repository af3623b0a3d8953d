/* Derivatives, exact: total by time (forward, memoised) and gradients (one reverse sweep). */
#include "expr/intern.h"

#include "base/mem.h"
#include "expr/numbers.h"
#include "expr/walk.h"

static mech_expr call(mech_pool *p, mech_function f, mech_expr a) { return mech_call(p, f, &a, 1); }

static mech_expr square(mech_pool *p, mech_expr a) { return mech_pow(p, a, (mech_expr){EXPR_ID_TWO}); }

/* 1/sqrt(1 - u^2) */
static mech_expr arc_slope(mech_pool *p, mech_expr u)
{
    return mech_div(p, EXPR_ONE, mech_sqrt(p, mech_sub(p, EXPR_ONE, square(p, u))));
}

static mech_expr slope_of_one(mech_pool *p, mech_function f, mech_expr node, mech_expr u)
{
    switch (f) {
    case MECH_FUNCTION_SIN: return call(p, MECH_FUNCTION_COS, u);
    case MECH_FUNCTION_COS: return mech_neg(p, call(p, MECH_FUNCTION_SIN, u));
    case MECH_FUNCTION_TAN: return mech_add(p, EXPR_ONE, square(p, node));
    case MECH_FUNCTION_ASIN: return arc_slope(p, u);
    case MECH_FUNCTION_ACOS: return mech_neg(p, arc_slope(p, u));
    case MECH_FUNCTION_ATAN: return mech_div(p, EXPR_ONE, mech_add(p, EXPR_ONE, square(p, u)));
    case MECH_FUNCTION_SINH: return call(p, MECH_FUNCTION_COSH, u);
    case MECH_FUNCTION_COSH: return call(p, MECH_FUNCTION_SINH, u);
    case MECH_FUNCTION_TANH: return mech_sub(p, EXPR_ONE, square(p, node));
    case MECH_FUNCTION_EXP: return node;
    case MECH_FUNCTION_LOG: return mech_div(p, EXPR_ONE, u);
    case MECH_FUNCTION_ABS: return call(p, MECH_FUNCTION_SIGN, u);
    default: return EXPR_ZERO; /* sign, not: constant between their jumps */
    }
}

/* Partial derivative of a function node by its k-th argument. */
static mech_expr slope(mech_pool *p, uint32_t id, uint32_t k)
{
    const expr_node n = p->nodes[id];
    const mech_expr node = {id}, a = {p->operands[n.first]};
    const mech_expr b = {n.count > 1 ? p->operands[n.first + 1] : EXPR_ID_ZERO};
    mech_expr condition;
    switch ((mech_function)n.function) {
    case MECH_FUNCTION_ATAN2: { /* atan2(y, x): x/(x^2+y^2), -y/(x^2+y^2) */
        const mech_expr second = square(p, b), size = mech_add(p, square(p, a), second);
        return k == 0 ? mech_div(p, b, size) : mech_neg(p, mech_div(p, a, size));
    }
    case MECH_FUNCTION_POW:
        if (k == 1) return mech_mul(p, node, call(p, MECH_FUNCTION_LOG, a));
        return mech_mul(p, b, mech_call(p, MECH_FUNCTION_POW, (mech_expr[]){a, mech_sub(p, b, EXPR_ONE)}, 2));
    case MECH_FUNCTION_MIN:
    case MECH_FUNCTION_MAX: /* the first argument where it is taken, see expr_apply */
        condition = n.function == MECH_FUNCTION_MIN ? mech_call(p, MECH_FUNCTION_LESS, (mech_expr[]){a, b}, 2)
                                                    : mech_call(p, MECH_FUNCTION_LESS, (mech_expr[]){b, a}, 2);
        return mech_call(p, MECH_FUNCTION_IF,
                         (mech_expr[]){condition, k == 0 ? EXPR_ONE : EXPR_ZERO, k == 0 ? EXPR_ZERO : EXPR_ONE}, 3);
    case MECH_FUNCTION_IF:
        if (k == 0) return EXPR_ZERO;
        return mech_call(p, MECH_FUNCTION_IF,
                         (mech_expr[]){a, k == 1 ? EXPR_ONE : EXPR_ZERO, k == 1 ? EXPR_ZERO : EXPR_ONE}, 3);
    case MECH_FUNCTION_LESS:
    case MECH_FUNCTION_LESS_EQUAL:
    case MECH_FUNCTION_EQUAL:
    case MECH_FUNCTION_AND:
    case MECH_FUNCTION_OR: return EXPR_ZERO;
    default: return slope_of_one(p, (mech_function)n.function, node, a);
    }
}

/* scale * exp_k * base_k^(exp_k - 1) * the other factors, times `outer`: the partial of a product by base k. */
static mech_expr product_slope(mech_pool *p, uint32_t id, uint32_t k, mech_expr outer)
{
    const expr_node n = p->nodes[id];
    const uint32_t exponent = p->operands[n.first + 2 * k + 1];
    expr_pairs factors;
    pairs_init(&factors);
    uint32_t coef = exponent;
    int ok = expr_push_factor(p, &factors, &coef, outer.id, EXPR_ID_ONE);
    for (uint32_t i = 0; 2 * i < n.count && ok; i++) {
        const uint32_t base = p->operands[n.first + 2 * i];
        uint32_t power = p->operands[n.first + 2 * i + 1];
        if (i == k) power = num_add(p, power, EXPR_ID_MINUS_ONE);
        ok = i == k ? expr_push_factor(p, &factors, &coef, base, power) : pairs_push(p, &factors, base, power);
    }
    const mech_expr result = ok ? expr_product_of(p, coef, &factors) : (mech_expr){0};
    pairs_free(&factors);
    return result;
}

/* ---- total time derivative ---- */

enum {
    TIME_CLASSES = EXPR_TIME | EXPR_COORD | EXPR_VELOCITY | EXPR_ACCELERATION | EXPR_STATE | EXPR_INPUT | EXPR_REACTION
};

static uint32_t symbol_dot(mech_pool *p, uint32_t id, int drop)
{
    const expr_symbol *s = &p->symbols[p->nodes[id].first];
    if (s->class_bit == EXPR_PARAM) return EXPR_ID_ZERO;
    if (drop && s->class_bit == EXPR_VELOCITY) return EXPR_ID_ZERO;
    if (s->dot.id) return s->dot.id;
    p->fault = s->class_bit == EXPR_ACCELERATION ? "a third time derivative is needed, and there is none"
               : s->class_bit == EXPR_INPUT && s->index >= EXPR_DELAYED
                   ? "a delayed value has no time derivative here: it may stand in forces, rates, samples and outputs"
               : s->class_bit == EXPR_INPUT    ? "a third time derivative of an input is needed, and there is none"
               : s->index == EXPR_LATE         ? "what follows from the whole model has no time derivative here"
               : s->class_bit == EXPR_REACTION ? "a reaction has no time derivative here"
                                               : "this has no time derivative";
    return 0;
}

static int grow_memo(mech_pool *p, int drop)
{
    const size_t before = p->dot_memo_size[drop];
    if (!mem_grow(&p->dot_memo[drop], &p->dot_memo_size[drop], p->node_count, sizeof(uint32_t))) {
        if (p->status == MECH_OK) p->status = MECH_ERR_MEMORY;
        return 0;
    }
    for (size_t i = before; i < p->dot_memo_size[drop]; i++) p->dot_memo[drop][i] = 0;
    return 1;
}

static uint32_t known_dot(const mech_pool *p, uint32_t id, int drop)
{
    if (!(p->nodes[id].classes & TIME_CLASSES)) return EXPR_ID_ZERO;
    return id < p->dot_memo_size[drop] ? p->dot_memo[drop][id] : 0;
}

/* ---- wide products ---- */

/* Written out, the derivative of a product of k factors has k terms of k factors each. A wide one is halved
   instead, (L*R)' = L'*R + L*R': k log k. The left half has a power of two of factors, so that products that
   begin alike share their halves and what is known of them. */
enum { WIDE_PRODUCT = 16 }; /* factors; below, equations read better written out */

/* Factors first..last-1 of a product, multiplied. */
static uint32_t part_of_product(mech_pool *p, uint32_t id, uint32_t first, uint32_t last)
{
    const expr_node n = p->nodes[id];
    expr_pairs factors;
    pairs_init(&factors);
    int ok = 1;
    for (uint32_t i = first; i < last && ok; i++)
        ok = pairs_push(p, &factors, p->operands[n.first + 2 * i], p->operands[n.first + 2 * i + 1]);
    const uint32_t result = ok ? expr_product_of(p, EXPR_ID_ONE, &factors).id : 0;
    pairs_free(&factors);
    return result;
}

/* (base^exponent)', the derivative of the base being known */
static uint32_t power_dot(mech_pool *p, uint32_t base, uint32_t exponent, int drop)
{
    const uint32_t dot = known_dot(p, base, drop);
    expr_pairs factors;
    pairs_init(&factors);
    uint32_t coef = exponent;
    const int ok = expr_push_factor(p, &factors, &coef, base, num_add(p, exponent, EXPR_ID_MINUS_ONE)) &&
                   expr_push_factor(p, &factors, &coef, dot, EXPR_ID_ONE);
    const uint32_t result = ok ? expr_product_of(p, coef, &factors).id : 0;
    pairs_free(&factors);
    return result;
}

static uint32_t part_dot(mech_pool *p, uint32_t id, uint32_t first, uint32_t last, int drop)
{
    const uint32_t *operands = &p->operands[p->nodes[id].first];
    if (last - first == 1) return power_dot(p, operands[2 * first], operands[2 * first + 1], drop);
    const uint32_t part = part_of_product(p, id, first, last), known = part ? known_dot(p, part, drop) : 0;
    if (!part || known) return known;
    uint32_t half = 1;
    while (2 * half < last - first) half *= 2;
    const uint32_t middle = first + half;
    const mech_expr left = {part_of_product(p, id, first, middle)}, right = {part_of_product(p, id, middle, last)};
    const mech_expr left_dot = {part_dot(p, id, first, middle, drop)},
                    right_dot = {part_dot(p, id, middle, last, drop)};
    /* not as arguments of one call: compilers differ in which they make first, and what is made first prints first */
    const mech_expr second = mech_mul(p, left, right_dot), one = mech_mul(p, left_dot, right);
    const uint32_t dot = mech_add(p, one, second).id;
    if (!dot || !grow_memo(p, drop)) return 0;
    p->dot_memo[drop][part] = dot;
    return dot;
}

/* A value's rate has its name with a prime; what is left of it without accelerations has none of its own. */
static uint32_t held_dot(mech_pool *p, uint32_t id, int drop)
{
    const uint32_t of = p->operands[p->nodes[id].first];
    const char *name = drop && (p->nodes[of].classes & EXPR_VELOCITY) ? NULL : expr_held_name_of(p, id);
    const char *primed = name ? arena_format(&p->memory, "%s'", name) : NULL;
    if (name && !primed) {
        if (p->status == MECH_OK) p->status = MECH_ERR_MEMORY;
        return 0;
    }
    return expr_held(p, (mech_expr){known_dot(p, of, drop)}, primed).id;
}

static uint32_t node_dot(mech_pool *p, uint32_t id, int drop)
{
    const expr_node n = p->nodes[id];
    if (n.kind == EXPR_MUL && n.count > 2 * WIDE_PRODUCT) return part_dot(p, id, 0, n.count / 2, drop);
    if (n.kind == EXPR_HELD) return held_dot(p, id, drop);
    const uint32_t *memo = p->dot_memo[drop];
    expr_pairs terms;
    pairs_init(&terms);
    uint32_t c0 = EXPR_ID_ZERO, child;
    int ok = 1;
    for (uint32_t i = 0; ok && (child = expr_child(p, &n, i)) != 0; i++) {
        const uint32_t dot = p->nodes[child].classes & TIME_CLASSES ? memo[child] : EXPR_ID_ZERO;
        if (dot == EXPR_ID_ZERO) continue;
        if (n.kind == EXPR_ADD) {
            ok = expr_push_term(p, &terms, &c0, dot, p->operands[n.first + 2 * i + 1]);
        } else if (n.kind == EXPR_MUL) {
            ok = expr_push_term(p, &terms, &c0, product_slope(p, id, i, (mech_expr){dot}).id, EXPR_ID_ONE);
        } else {
            const mech_expr term = mech_mul(p, slope(p, id, i), (mech_expr){dot});
            ok = expr_push_term(p, &terms, &c0, term.id, EXPR_ID_ONE);
        }
        memo = p->dot_memo[drop];
    }
    const uint32_t result = ok ? expr_sum_of(p, c0, &terms).id : 0;
    pairs_free(&terms);
    return result;
}

typedef struct pending { /* a stack of nodes whose derivative waits for its operands */
    uint32_t *ids;
    size_t count, capacity;
} pending;

static int keep_undone(const mech_pool *p, uint32_t id, unsigned drop)
{
    return (p->nodes[id].classes & TIME_CLASSES) && !(id < p->dot_memo_size[drop] && p->dot_memo[drop][id]);
}

static mech_expr time_derivative(mech_pool *p, mech_expr e, int drop)
{
    if (!e.id) return e;
    if (!(p->nodes[e.id].classes & TIME_CLASSES)) return EXPR_ZERO;
    if (!keep_undone(p, e.id, (unsigned)drop)) return (mech_expr){p->dot_memo[drop][e.id]};
    pending list = {0};
    mech_expr result = {0};
    const mech_status status = expr_walk(p, &e, 1, keep_undone, (unsigned)drop, &list.ids, &list.capacity, &list.count);
    if (status != MECH_OK && p->status == MECH_OK) p->status = status;
    for (size_t i = 0; i < list.count && status == MECH_OK && grow_memo(p, drop); i++) {
        const uint32_t id = list.ids[i];
        const uint32_t dot = p->nodes[id].kind == EXPR_SYM ? symbol_dot(p, id, drop) : node_dot(p, id, drop);
        if (!dot) break;
        p->dot_memo[drop][id] = dot;
        if (i + 1 == list.count) result.id = dot;
    }
    mem_free(list.ids);
    return result;
}

int expr_has_given_dot(const mech_pool *p, mech_expr e)
{
    const expr_node *n = &p->nodes[e.id];
    return n->kind == EXPR_HELD && n->count == 2 && e.id < p->dot_memo_size[0] && p->dot_memo[0][e.id];
}

void expr_set_dot(mech_pool *p, mech_expr e, mech_expr dot, mech_expr dot_free)
{
    if (!grow_memo(p, 0) || !grow_memo(p, 1)) return;
    p->dot_memo[0][e.id] = dot.id;
    p->dot_memo[1][e.id] = dot_free.id;
}

mech_expr mech_dot(mech_pool *p, mech_expr e) { return time_derivative(p, e, 0); }

mech_expr expr_dot_free(mech_pool *p, mech_expr e) { return time_derivative(p, e, 1); }

/* ---- gradients ---- */

typedef struct share { /* part of a node's adjoint: coef*value */
    uint32_t value, coef, next;
} share;

typedef struct sweep {
    uint32_t *ids;
    size_t count, capacity;
    uint32_t *head; /* first share of each listed node, 0: none */
    share *shares;  /* [0] unused */
    size_t share_count, share_capacity;
} sweep;

static int keep_classes(const mech_pool *p, uint32_t id, unsigned classes)
{
    return (p->nodes[id].classes & classes) != 0;
}

static int add_share(mech_pool *p, sweep *s, uint32_t position, uint32_t value, uint32_t coef)
{
    if (!value || !coef) return 0;
    if (value == EXPR_ID_ZERO) return 1;
    if (!mem_grow(&s->shares, &s->share_capacity, s->share_count + 1, sizeof *s->shares)) {
        if (p->status == MECH_OK) p->status = MECH_ERR_MEMORY;
        return 0;
    }
    s->shares[s->share_count] = (share){value, coef, s->head[position]};
    s->head[position] = (uint32_t)s->share_count++;
    return 1;
}

static mech_expr adjoint_of(mech_pool *p, const sweep *s, uint32_t position)
{
    const share *first = &s->shares[s->head[position]];
    if (s->head[position] && !first->next) return expr_scale(p, first->coef, (mech_expr){first->value});
    expr_pairs terms;
    pairs_init(&terms);
    uint32_t c0 = EXPR_ID_ZERO;
    int ok = 1;
    for (uint32_t at = s->head[position]; at && ok; at = s->shares[at].next)
        ok = expr_push_term(p, &terms, &c0, s->shares[at].value, s->shares[at].coef);
    const mech_expr result = ok ? expr_sum_of(p, c0, &terms) : (mech_expr){0};
    pairs_free(&terms);
    return result;
}

/* Hands a node's adjoint down to its operands. The walk's positions are in pool->local. */
static int hand_down(mech_pool *p, sweep *s, uint32_t id, mech_expr adjoint, unsigned classes)
{
    const expr_node n = p->nodes[id];
    uint32_t child;
    int ok = 1;
    for (uint32_t i = 0; ok && (child = expr_child(p, &n, i)) != 0; i++) {
        if (!keep_classes(p, child, classes)) continue;
        const uint32_t position = p->local[child];
        if (n.kind == EXPR_HELD) ok = add_share(p, s, position, expr_held(p, adjoint, NULL).id, EXPR_ID_ONE);
        else if (n.kind == EXPR_ADD) ok = add_share(p, s, position, adjoint.id, p->operands[n.first + 2 * i + 1]);
        else if (n.kind == EXPR_MUL) ok = add_share(p, s, position, product_slope(p, id, i, adjoint).id, EXPR_ID_ONE);
        else ok = add_share(p, s, position, mech_mul(p, adjoint, slope(p, id, i)).id, EXPR_ID_ONE);
    }
    return ok;
}

static int push_partial(mech_pool *p, expr_gradient *g, uint32_t symbol, mech_expr derivative)
{
    if (!mem_grow(&g->items, &g->capacity, g->count + 1, sizeof *g->items)) {
        if (p->status == MECH_OK) p->status = MECH_ERR_MEMORY;
        return 0;
    }
    g->items[g->count++] = (expr_partial){{symbol}, derivative};
    return 1;
}

static mech_status run_sweep(mech_pool *p, sweep *s, unsigned classes, expr_gradient *g)
{
    s->share_count = 1;
    if (!add_share(p, s, (uint32_t)s->count - 1, EXPR_ID_ONE, EXPR_ID_ONE)) return MECH_ERR_MEMORY;
    for (size_t i = s->count; i-- > 0;) {
        const mech_expr adjoint = adjoint_of(p, s, (uint32_t)i);
        if (!adjoint.id) return mech_pool_status(p) == MECH_OK ? MECH_ERR_MODEL : mech_pool_status(p);
        if (expr_is_zero(adjoint)) continue;
        if (p->nodes[s->ids[i]].kind == EXPR_SYM) {
            if (!push_partial(p, g, s->ids[i], adjoint)) return MECH_ERR_MEMORY;
        } else if (!hand_down(p, s, s->ids[i], adjoint, classes)) {
            return mech_pool_status(p) == MECH_OK ? MECH_ERR_MODEL : mech_pool_status(p);
        }
    }
    /* found in descending order of symbol */
    for (size_t i = 0, j = g->count; i + 1 < j; i++) {
        j--;
        const expr_partial swap = g->items[i];
        g->items[i] = g->items[j];
        g->items[j] = swap;
    }
    return MECH_OK;
}

mech_status expr_gradient_of(mech_pool *p, mech_expr e, unsigned classes, expr_gradient *g)
{
    g->count = 0;
    if (!e.id) return MECH_ERR_ARGUMENT;
    if (!keep_classes(p, e.id, classes)) return MECH_OK;
    sweep s = {0};
    mech_status status = expr_walk(p, &e, 1, keep_classes, classes, &s.ids, &s.capacity, &s.count);
    if (status == MECH_OK) {
        s.head = mem_zeroed(s.count, sizeof *s.head);
        status = s.head ? run_sweep(p, &s, classes, g) : MECH_ERR_MEMORY;
        if (!s.head && p->status == MECH_OK) p->status = MECH_ERR_MEMORY;
    }
    if (status == MECH_ERR_MEMORY && p->status == MECH_OK) p->status = status;
    mem_free(s.ids);
    mem_free(s.head);
    mem_free(s.shares);
    return status;
}

void expr_gradient_free(expr_gradient *g)
{
    mem_free(g->items);
    *g = (expr_gradient){0};
}

mech_expr mech_derivative(mech_pool *p, mech_expr e, mech_expr symbol)
{
    if (!e.id || !symbol.id || !expr_is_symbol(p, symbol)) return (mech_expr){0};
    expr_gradient g = {0};
    mech_expr result = {0};
    if (expr_gradient_of(p, e, expr_symbol_of(p, symbol)->class_bit, &g) == MECH_OK) {
        result = EXPR_ZERO;
        for (size_t i = 0; i < g.count; i++)
            if (g.items[i].symbol.id == symbol.id) result = g.items[i].derivative;
    }
    expr_gradient_free(&g);
    return result;
}
