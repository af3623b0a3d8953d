/* Walks: reachable sets, plain evaluation, cost. Operands have smaller ids, so sorting a reachable set
   puts it in the order of computation. */
#include "expr/walk.h"

#include "base/mem.h"
#include "expr/numbers.h"

#include <math.h>
#include <stdlib.h>

static int by_id(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* Most walks are short, and many are nearly in order. */
static void sort_ids(uint32_t *ids, size_t count)
{
    if (count > 48) {
        qsort(ids, count, sizeof *ids, by_id);
        return;
    }
    for (size_t i = 1; i < count; i++) {
        const uint32_t moving = ids[i];
        size_t j = i;
        for (; j > 0 && ids[j - 1] > moving; j--) ids[j] = ids[j - 1];
        ids[j] = moving;
    }
}

static int begin_walk(mech_pool *p)
{
    const size_t before = p->mark_capacity;
    if (!mem_grow(&p->mark, &p->mark_capacity, p->node_count, sizeof *p->mark)) return 0;
    for (size_t i = before; i < p->mark_capacity; i++) p->mark[i] = 0;
    if (!mem_grow(&p->local, &p->local_capacity, p->node_count, sizeof *p->local)) return 0;
    if (++p->stamp == 0) {
        for (size_t i = 0; i < p->mark_capacity; i++) p->mark[i] = 0;
        p->stamp = 1;
    }
    return 1;
}

/* Remembers a failed allocation in the pool, so that it cannot pass unseen. */
static mech_status no_memory(mech_pool *p)
{
    if (p->status == MECH_OK) p->status = MECH_ERR_MEMORY;
    return MECH_ERR_MEMORY;
}

mech_status expr_walk(mech_pool *p, const mech_expr *roots, size_t root_count,
                      int (*keep)(const mech_pool *pool, uint32_t id, unsigned user), unsigned user, uint32_t **ids,
                      size_t *capacity, size_t *count)
{
    *count = 0;
    if (!begin_walk(p)) return no_memory(p);
    for (size_t i = 0; i < root_count; i++) {
        const uint32_t id = roots[i].id;
        if (!id || p->mark[id] == p->stamp || (keep && !keep(p, id, user))) continue;
        if (!mem_grow(ids, capacity, *count + 1, sizeof **ids)) return no_memory(p);
        p->mark[id] = p->stamp;
        (*ids)[(*count)++] = id;
    }
    /* the list is its own queue */
    for (size_t next = 0; next < *count; next++) {
        const expr_node *n = &p->nodes[(*ids)[next]];
        uint32_t child;
        for (uint32_t i = 0; (child = expr_child(p, n, i)) != 0; i++) {
            if (p->mark[child] == p->stamp || (keep && !keep(p, child, user))) continue;
            if (!mem_grow(ids, capacity, *count + 1, sizeof **ids)) return no_memory(p);
            p->mark[child] = p->stamp;
            (*ids)[(*count)++] = child;
        }
    }
    sort_ids(*ids, *count);
    for (size_t i = 0; i < *count; i++) p->local[(*ids)[i]] = (uint32_t)i;
    return MECH_OK;
}

mech_status expr_reachable(mech_pool *p, const mech_expr *roots, size_t root_count, uint32_t **ids, size_t *capacity,
                           size_t *count)
{
    return expr_walk(p, roots, root_count, NULL, 0, ids, capacity, count);
}

int expr_constant(const mech_pool *p, mech_expr e, double *value)
{
    if (!e.id || expr_classes(p, e)) return 0;
    if (expr_is_number(p, e)) {
        *value = expr_number_of(p, e)->value;
        return 1;
    }
    return expr_evaluate((mech_pool *)p, e, NULL, NULL, value) == MECH_OK;
}

/* The value of one node from the values of its operands. */
static double node_value(const mech_pool *p, const expr_node *n, const double *values)
{
    const uint32_t *o = &p->operands[n->first];
    double result, argument[3] = {0, 0, 0};
    switch ((expr_kind)n->kind) {
    case EXPR_NUM: return p->numbers[n->first].value;
    case EXPR_PI: return acos(-1.0);
    case EXPR_ADD:
        result = num_of(p, o[0]).value;
        for (uint32_t i = 1; i < n->count; i += 2) result += num_of(p, o[i]).value * values[p->local[o[i + 1]]];
        return result;
    case EXPR_MUL:
        result = 1;
        for (uint32_t i = 0; i < n->count; i += 2) {
            const double base = values[p->local[o[i]]], exponent = num_of(p, o[i + 1]).value;
            result *= exponent == 1 ? base : exponent == 0.5 ? sqrt(base) : pow(base, exponent);
        }
        return result;
    case EXPR_FUN:
        for (uint32_t i = 0; i < n->count && i < 3; i++) argument[i] = values[p->local[o[i]]];
        return expr_apply((mech_function)n->function, argument[0], argument[1], argument[2]);
    case EXPR_HELD: return values[p->local[o[0]]];
    default: return (double)NAN;
    }
}

mech_status expr_evaluate(mech_pool *p, mech_expr e, double (*value)(void *user, const expr_symbol *symbol), void *user,
                          double *result)
{
    uint32_t *ids = NULL;
    size_t capacity = 0, count = 0;
    mech_status status = e.id ? expr_reachable(p, &e, 1, &ids, &capacity, &count) : MECH_ERR_ARGUMENT;
    double *values = status == MECH_OK ? mem_alloc(count * sizeof *values) : NULL;
    if (status == MECH_OK && !values) status = no_memory(p);
    for (size_t i = 0; i < count && status == MECH_OK; i++) {
        const expr_node *n = &p->nodes[ids[i]];
        values[i] =
            n->kind == EXPR_SYM ? (value ? value(user, &p->symbols[n->first]) : (double)NAN) : node_value(p, n, values);
    }
    if (status == MECH_OK) *result = values[count - 1];
    mem_free(values);
    mem_free(ids);
    return status;
}

/* Multiplications for x^e; a division or a root counts for a few. */
static size_t power_cost(expr_number e)
{
    if (!number_is_integer(e)) return 5;
    const int64_t k = e.num < 0 ? -e.num : e.num;
    const size_t invert = e.num < 0 ? 4 : 0;
    return invert + (k <= 1 ? 0 : k == 2 ? 1 : k <= 4 ? 2 : 4);
}

static size_t node_cost(const mech_pool *p, const expr_node *n)
{
    const uint32_t *o = &p->operands[n->first];
    size_t cost = 0;
    if (n->kind == EXPR_ADD) {
        cost = n->count / 2 - (o[0] == EXPR_ID_ZERO);
        for (uint32_t i = 1; i < n->count; i += 2) cost += o[i] != EXPR_ID_ONE && o[i] != EXPR_ID_MINUS_ONE;
    } else if (n->kind == EXPR_MUL) {
        cost = n->count / 2 - 1;
        for (uint32_t i = 0; i < n->count; i += 2) cost += power_cost(num_of(p, o[i + 1]));
    } else if (n->kind == EXPR_FUN) {
        cost = 10;
    }
    return cost;
}

static int keep_open(const mech_pool *p, uint32_t id, unsigned user)
{
    (void)user;
    return p->nodes[id].kind != EXPR_HELD;
}

size_t expr_cost(mech_pool *p, mech_expr e)
{
    uint32_t *ids = NULL;
    size_t capacity = 0, count = 0, cost = 0;
    if (!e.id || expr_walk(p, &e, 1, keep_open, 0, &ids, &capacity, &count) != MECH_OK) {
        mem_free(ids);
        return SIZE_MAX;
    }
    for (size_t i = 0; i < count; i++) cost += node_cost(p, &p->nodes[ids[i]]);
    mem_free(ids);
    return cost;
}
