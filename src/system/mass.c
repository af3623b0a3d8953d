/* A kinetic energy that cannot be negative for any velocities has a mass matrix that is positive
   semi-definite. Looked for in how it is written: even powers, and sums and products of what is not negative.
 */
#include "system/mass.h"

#include "system/compiled.h"

#include <math.h>

enum { MOST_DEPTH = 100, MOST_VISITS = 200000 };

typedef struct search {
    const mech_pool *pool;
    const double *p; /* the parameters' values */
    size_t visits;
} search;

static double number_of(const search *s, uint32_t id) { return s->pool->numbers[s->pool->nodes[id].first].value; }

static int is_known(search *s, uint32_t id, unsigned depth, double *value);

static int known_product(search *s, const expr_node *n, unsigned depth, double *value)
{
    const uint32_t *operand = expr_operands(s->pool, n);
    *value = 1;
    for (uint32_t i = 0; i + 1 < n->count; i += 2) {
        double base;
        if (!is_known(s, operand[i], depth + 1, &base)) return 0;
        *value *= pow(base, number_of(s, operand[i + 1]));
    }
    return 1;
}

static int known_sum(search *s, const expr_node *n, unsigned depth, double *value)
{
    const uint32_t *operand = expr_operands(s->pool, n);
    *value = number_of(s, operand[0]);
    for (uint32_t i = 1; i + 1 < n->count; i += 2) {
        double term;
        if (!is_known(s, operand[i + 1], depth + 1, &term)) return 0;
        *value += number_of(s, operand[i]) * term;
    }
    return 1;
}

/* The value of what holds numbers and parameters alone. */
static int is_known(search *s, uint32_t id, unsigned depth, double *value)
{
    const expr_node *n = &s->pool->nodes[id];
    double a[3] = {0, 0, 0};
    if (n->classes & ~(unsigned)EXPR_PARAM || depth > MOST_DEPTH || ++s->visits > MOST_VISITS) return 0;
    switch ((expr_kind)n->kind) {
    case EXPR_NUM: *value = number_of(s, id); return 1;
    case EXPR_PI: *value = acos(-1.0); return 1;
    case EXPR_SYM: *value = s->p[s->pool->symbols[n->first].index]; return 1;
    case EXPR_ADD: return known_sum(s, n, depth, value);
    case EXPR_MUL: return known_product(s, n, depth, value);
    case EXPR_FUN:
        for (uint32_t i = 0; i < n->count && i < 3; i++)
            if (!is_known(s, expr_operands(s->pool, n)[i], depth + 1, &a[i])) return 0;
        *value = expr_apply((mech_function)n->function, a[0], a[1], a[2]);
        return 1;
    case EXPR_HELD: return is_known(s, expr_operands(s->pool, n)[0], depth + 1, value);
    case EXPR_NONE: break;
    }
    return 0;
}

static int is_not_negative(search *s, uint32_t id, unsigned depth);

/* An even power of anything, a root where it has a value, or a power of what is not negative. */
static int power_is_not_negative(search *s, uint32_t base, double exponent, unsigned depth)
{
    return fmod(exponent, 2) == 0 || floor(exponent) != exponent || is_not_negative(s, base, depth + 1);
}

static int product_is_not_negative(search *s, const expr_node *n, unsigned depth)
{
    const uint32_t *operand = expr_operands(s->pool, n);
    for (uint32_t i = 0; i + 1 < n->count; i += 2)
        if (!power_is_not_negative(s, operand[i], number_of(s, operand[i + 1]), depth)) return 0;
    return 1;
}

static int sum_is_not_negative(search *s, const expr_node *n, unsigned depth)
{
    const uint32_t *operand = expr_operands(s->pool, n);
    if (number_of(s, operand[0]) < 0) return 0;
    for (uint32_t i = 1; i + 1 < n->count; i += 2)
        if (number_of(s, operand[i]) < 0 || !is_not_negative(s, operand[i + 1], depth + 1)) return 0;
    return 1;
}

static int function_is_not_negative(search *s, const expr_node *n, unsigned depth)
{
    const uint32_t *operand = expr_operands(s->pool, n);
    switch ((mech_function)n->function) {
    case MECH_FUNCTION_EXP:
    case MECH_FUNCTION_ABS:
    case MECH_FUNCTION_COSH: return 1;
    case MECH_FUNCTION_IF:
        return is_not_negative(s, operand[1], depth + 1) && is_not_negative(s, operand[2], depth + 1);
    default: return 0;
    }
}

static int is_not_negative(search *s, uint32_t id, unsigned depth)
{
    const expr_node *n = &s->pool->nodes[id];
    double value;
    if (depth > MOST_DEPTH || ++s->visits > MOST_VISITS) return 0;
    if (is_known(s, id, depth, &value)) return value >= 0;
    switch ((expr_kind)n->kind) {
    case EXPR_ADD: return sum_is_not_negative(s, n, depth);
    case EXPR_MUL: return product_is_not_negative(s, n, depth);
    case EXPR_FUN: return function_is_not_negative(s, n, depth);
    case EXPR_HELD: return is_not_negative(s, expr_operands(s->pool, n)[0], depth + 1);
    default: return 0;
    }
}

static int is_constant(const mech_model *m)
{
    const model_entries *M = &m->equations.M;
    for (size_t k = 0; k < M->count; k++)
        if (expr_classes(m->pool, M->items[k].value) & ~(unsigned)EXPR_PARAM) return 0;
    return 1;
}

int mass_is_certain(const mech_eval *e)
{
    const mech_system *system = e->system;
    const mech_model *m = system_model(system);
    if (!m) return 1;
    search s = {.pool = m->pool, .p = e->slots + system->in.p};
    if (is_constant(m)) return 1;
    for (size_t k = 0; k < m->kinetic_count; k++)
        if (!is_not_negative(&s, m->kinetic[k].value.id, 0)) return 0;
    for (size_t k = 0; k < m->inertias_count; k++)
        if (!is_not_negative(&s, m->inertias[k].kinetic.id, 0)) return 0;
    for (size_t k = 0; k < m->masses_count; k++)
        if (m->masses[k].i != m->masses[k].j || !is_not_negative(&s, m->masses[k].value.id, 0)) return 0;
    return 1;
}
