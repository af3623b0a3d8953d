/* Walks over what lies below an expression, without recursion. */
#ifndef EXPR_WALK_H
#define EXPR_WALK_H

#include "expr/pool.h"

/* Like expr_reachable, but only through nodes for which keep(pool, id, user) is true (NULL: all). After it
   pool->local[id] is the position of each listed id, until the next walk. */
mech_status expr_walk(mech_pool *pool, const mech_expr *roots, size_t root_count,
                      int (*keep)(const mech_pool *pool, uint32_t id, unsigned user), unsigned user, uint32_t **ids,
                      size_t *capacity, size_t *count);

/* The operands of a node that are expressions, one by one: i from 0 while it returns nonzero. Numbers
   (coefficients, exponents) are passed over. */
static inline uint32_t expr_child(const mech_pool *p, const expr_node *n, uint32_t i)
{
    switch ((expr_kind)n->kind) {
    case EXPR_ADD: return 2 * i + 2 < n->count ? p->operands[n->first + 2 * i + 2] : 0;
    case EXPR_MUL: return 2 * i < n->count ? p->operands[n->first + 2 * i] : 0;
    case EXPR_HELD: return i == 0 ? p->operands[n->first] : 0; /* the second, of its own, is a number */
    case EXPR_FUN: return i < n->count ? p->operands[n->first + i] : 0;
    default: return 0;
    }
}

#endif
