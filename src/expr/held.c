/* Held values: sums and products that no rule looks into. */
#include "expr/intern.h"

#include "base/mem.h"
#include "expr/numbers.h"

#include <string.h>

const char *expr_held_name_of(const mech_pool *p, uint32_t id)
{
    size_t low = 0, high = p->held_name_count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (p->held_names[middle].id < id) low = middle + 1;
        else high = middle;
    }
    return low < p->held_name_count && p->held_names[low].id == id ? p->held_names[low].name : NULL;
}

/* Whether sums and products around it would take it apart: a sum, a product, and what has a factor other than -1. */
static int can_be_taken_apart(const mech_pool *p, uint32_t id)
{
    const expr_node *n = &p->nodes[id];
    if (n->kind != EXPR_ADD) return n->kind == EXPR_MUL;
    const uint32_t *o = &p->operands[n->first];
    if (n->count > 3 || o[0] != EXPR_ID_ZERO || o[1] != EXPR_ID_MINUS_ONE) return 1;
    return p->nodes[o[2]].kind == EXPR_MUL;
}

/* Whether the first term has a minus: e and -e are to share one value. */
static int begins_negative(const mech_pool *p, uint32_t id)
{
    const expr_node *n = &p->nodes[id];
    return n->kind == EXPR_ADD && number_is_negative(num_of(p, p->operands[n->first + 1]));
}

static int give_name(mech_pool *p, uint32_t id, const char *name)
{
    if (!mem_grow(&p->held_names, &p->held_name_capacity, p->held_name_count + 1, sizeof *p->held_names)) return 0;
    const char *copy = arena_text(&p->memory, name, strlen(name));
    if (copy) p->held_names[p->held_name_count++] = (expr_held_name){id, copy};
    return copy != NULL;
}

static mech_expr intern_held(mech_pool *p, const uint32_t *operands, uint32_t count, const char *name)
{
    const size_t before = p->node_count;
    const mech_expr held = {expr_intern(p, EXPR_HELD, 0, 0, operands, count)};
    if (!name || held.id < before || give_name(p, held.id, name)) return held;
    if (p->status == MECH_OK) p->status = MECH_ERR_MEMORY;
    return (mech_expr){0};
}

mech_expr expr_held_own(mech_pool *p, mech_expr e, const char *name, unsigned classes)
{
    const uint32_t operands[2] = {e.id, mech_rational(p, (int64_t)++p->own_count, 1).id};
    const mech_expr held = operands[0] && operands[1] ? intern_held(p, operands, 2, name) : (mech_expr){0};
    if (held.id) p->nodes[held.id].classes |= (uint8_t)classes;
    return held;
}

mech_expr expr_held(mech_pool *p, mech_expr e, const char *name)
{
    if (!e.id || !can_be_taken_apart(p, e.id)) return e;
    const int negative = begins_negative(p, e.id);
    const uint32_t of = negative ? mech_neg(p, e).id : e.id;
    if (!of) return (mech_expr){0};
    const mech_expr held = intern_held(p, &of, 1, name);
    return negative ? mech_neg(p, held) : held;
}
