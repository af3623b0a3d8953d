/* Sums in canonical form: flattened, like terms combined, and three rules that shorten them:
 *
 *   R*sin(u)^2 + R*cos(u)^2 = R            (equal coefficients)
 *   R - R*sin(u)^2 = R*cos(u)^2            (and the other way round)
 *   c1*R*S1 + c2*R*S2 = R*(c1*S1 + c2*S2)  (S1, S2 sums, R the same product)
 *
 * The last is what lets d/dt(dT/dq') - dT/dq cancel without multiplying anything out. */
#include "expr/intern.h"

#include "base/mem.h"
#include "expr/numbers.h"
#include "expr/sum_memo.h"

#include <stdlib.h>

/* Nested sums the collecting rule may work on at once; beyond it sums stay as they are. */
enum { DEEPEST_COLLECT = 40 };

int expr_push_term(mech_pool *p, expr_pairs *terms, uint32_t *c0, uint32_t node, uint32_t coef)
{
    if (!node || !coef || !*c0) return 0;
    if (coef == EXPR_ID_ZERO) return 1;
    const expr_node n = p->nodes[node];
    if (n.kind == EXPR_NUM) {
        *c0 = num_add(p, *c0, num_mul(p, coef, node));
        return *c0 != 0;
    }
    if (n.kind != EXPR_ADD) return pairs_push(p, terms, node, coef);
    *c0 = num_add(p, *c0, num_mul(p, coef, p->operands[n.first]));
    for (uint32_t i = 1; i < n.count; i += 2) {
        const uint32_t scaled = num_mul(p, coef, p->operands[n.first + i]);
        if (!pairs_push(p, terms, p->operands[n.first + i + 1], scaled)) return 0;
    }
    return *c0 != 0;
}

/* The sum of the coefficients first..last-1. Partial sums are not interned: a million like terms would leave
   a million numbers behind. */
static uint32_t add_coefficients(mech_pool *p, const expr_pairs *terms, size_t first, size_t last)
{
    if (last - first == 1) return terms->items[first].number;
    expr_number sum = num_of(p, terms->items[first].number);
    for (size_t i = first + 1; i < last; i++) sum = number_add(sum, num_of(p, terms->items[i].number));
    return expr_intern_number(p, sum);
}

static int is_merged(const expr_pairs *terms)
{
    for (size_t i = 0; i < terms->count; i++)
        if (terms->items[i].number == EXPR_ID_ZERO || (i > 0 && terms->items[i].node <= terms->items[i - 1].node))
            return 0;
    return 1;
}

/* Sorts, adds equal terms and drops zeros. */
static int merge_terms(mech_pool *p, expr_pairs *terms)
{
    if (is_merged(terms)) return 1;
    pairs_sort(terms);
    size_t out = 0;
    for (size_t i = 0, j; i < terms->count; i = j) {
        for (j = i + 1; j < terms->count && terms->items[j].node == terms->items[i].node; j++) {
        }
        const expr_pair merged = {terms->items[i].node, add_coefficients(p, terms, i, j)};
        if (!merged.number) return 0;
        if (merged.number != EXPR_ID_ZERO) terms->items[out++] = merged;
    }
    terms->count = out;
    return 1;
}

static expr_pair *find_term(const expr_pairs *terms, uint32_t node)
{
    size_t low = 0, high = terms->count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (terms->items[middle].node < node) low = middle + 1;
        else high = middle;
    }
    return low < terms->count && terms->items[low].node == node ? &terms->items[low] : NULL;
}

/* The product of term `node` with sin(u)^2 (its factor at `at`) replaced by cos(u)^2 (other != 0), or
   taken out. Only looks: 0 when that node does not exist. *is_one: nothing is left. */
static uint32_t find_swapped(mech_pool *p, uint32_t node, uint32_t at, uint32_t other, int *is_one)
{
    const expr_node n = p->nodes[node];
    expr_pairs factors;
    pairs_init(&factors);
    uint32_t found = 0;
    int ok = 1, other_in = 0;
    *is_one = 0;
    for (uint32_t i = 0; i < n.count && ok; i += 2) {
        uint32_t base = p->operands[n.first + i], exponent = p->operands[n.first + i + 1];
        if (i == at) exponent = num_add(p, exponent, num_neg(p, EXPR_ID_TWO));
        if (base == other) {
            exponent = num_add(p, exponent, EXPR_ID_TWO);
            other_in = 1;
        }
        if (exponent != EXPR_ID_ZERO) ok = pairs_push(p, &factors, base, exponent);
    }
    if (ok && other && !other_in) ok = pairs_push(p, &factors, other, EXPR_ID_TWO);
    if (ok && factors.count == 0) {
        *is_one = 1;
    } else if (ok && factors.count == 1 && factors.items[0].number == EXPR_ID_ONE) {
        found = factors.items[0].node;
    } else if (ok) {
        pairs_sort(&factors);
        found = expr_find(p, EXPR_MUL, 0, &factors.items[0].node, (uint32_t)(2 * factors.count));
    }
    pairs_free(&factors);
    return found;
}

/* base^-2 * node * other^2 as an expression; other = 0: without it. */
static mech_expr swapped(mech_pool *p, uint32_t node, uint32_t base, uint32_t other)
{
    expr_pairs factors;
    pairs_init(&factors);
    uint32_t coef = EXPR_ID_ONE;
    mech_expr result = {0};
    if (expr_push_factor(p, &factors, &coef, node, EXPR_ID_ONE) &&
        expr_push_factor(p, &factors, &coef, base, num_neg(p, EXPR_ID_TWO)) &&
        (!other || expr_push_factor(p, &factors, &coef, other, EXPR_ID_TWO)))
        result = expr_product_of(p, coef, &factors);
    pairs_free(&factors);
    return result;
}

/* Tries both trigonometric rules on one factor of one term: 1 changed, 0 not, -1 out of memory. */
static int pythagoras_at(mech_pool *p, expr_pairs *terms, uint32_t *c0, expr_pair *term, uint32_t at)
{
    const expr_node n = p->nodes[term->node];
    const uint32_t base = p->operands[n.first + at], coef = term->number;
    const expr_node f = p->nodes[base];
    const uint32_t argument = p->operands[f.first];
    const uint32_t other =
        expr_find(p, EXPR_FUN, f.function == MECH_FUNCTION_SIN ? MECH_FUNCTION_COS : MECH_FUNCTION_SIN, &argument, 1);
    int is_one;
    /* R*sin^2 + R*cos^2 */
    const uint32_t partner = other ? find_swapped(p, term->node, at, other, &is_one) : 0;
    expr_pair *match = partner ? find_term(terms, partner) : NULL;
    if (match && match->number == coef) {
        const mech_expr rest = swapped(p, term->node, base, 0);
        term->number = match->number = EXPR_ID_ZERO;
        return expr_push_term(p, terms, c0, rest.id, coef) ? 1 : -1;
    }
    /* R - R*sin^2 */
    const uint32_t rest = find_swapped(p, term->node, at, 0, &is_one);
    match = rest ? find_term(terms, rest) : NULL;
    const uint32_t opposite = num_neg(p, coef);
    const int with_constant = is_one && *c0 == opposite;
    if (!with_constant && (!match || match->number != opposite)) return 0;
    const mech_function other_function = f.function == MECH_FUNCTION_SIN ? MECH_FUNCTION_COS : MECH_FUNCTION_SIN;
    const mech_expr other_node = mech_call(p, other_function, &(mech_expr){argument}, 1);
    const mech_expr product = swapped(p, term->node, base, other_node.id);
    term->number = EXPR_ID_ZERO;
    if (with_constant) *c0 = EXPR_ID_ZERO;
    else match->number = EXPR_ID_ZERO;
    return expr_push_term(p, terms, c0, product.id, opposite) ? 1 : -1;
}

/* One pass of the trigonometric rules: 1 changed something, 0 not, -1 out of memory. */
static int pythagoras(mech_pool *p, expr_pairs *terms, uint32_t *c0)
{
    for (size_t k = 0; k < terms->count; k++) {
        const expr_node n = p->nodes[terms->items[k].node];
        if (n.kind != EXPR_MUL || !(n.flags & (FLAG_SIN2 | FLAG_COS2))) continue;
        for (uint32_t i = 0; i < n.count; i += 2) {
            const expr_node f = p->nodes[p->operands[n.first + i]];
            const expr_number exponent = num_of(p, p->operands[n.first + i + 1]);
            if (f.kind != EXPR_FUN || (f.function != MECH_FUNCTION_SIN && f.function != MECH_FUNCTION_COS)) continue;
            if (!number_is_integer(exponent) || exponent.num < 2) continue;
            const int changed = pythagoras_at(p, terms, c0, &terms->items[k], i);
            if (changed) return changed;
        }
    }
    return 0;
}

typedef struct collected {
    uint32_t rest, sum, coef;
    size_t term;
} collected;

static int by_rest(const void *a, const void *b)
{
    const collected *x = a, *y = b;
    if (x->rest != y->rest) return x->rest < y->rest ? -1 : 1;
    return x->term < y->term ? -1 : x->term > y->term;
}

/* Splits a product R*S into its sum S and the rest R. */
static int split_sum(mech_pool *p, uint32_t node, collected *out)
{
    const expr_node n = p->nodes[node];
    expr_pairs factors;
    pairs_init(&factors);
    int ok = 1;
    for (uint32_t i = 0; i < n.count && ok; i += 2) {
        const uint32_t base = p->operands[n.first + i], exponent = p->operands[n.first + i + 1];
        if (p->nodes[base].kind == EXPR_ADD && exponent == EXPR_ID_ONE) out->sum = base;
        else ok = pairs_push(p, &factors, base, exponent);
    }
    out->rest = ok ? expr_product_of(p, EXPR_ID_ONE, &factors).id : 0;
    pairs_free(&factors);
    return out->rest != 0;
}

/* A sum inside a collected group: worked out once. */
static mech_expr inner_sum(mech_pool *p, uint32_t c0, expr_pairs *terms)
{
    if (!c0 || !merge_terms(p, terms)) return (mech_expr){0};
    sum_memo_key key;
    mech_expr sum = {sum_memo_find(p->sum_memo, c0, terms)};
    if (sum.id) return sum;
    if (!sum_memo_keep(&p->sum_memo, c0, terms, &key)) {
        if (p->status == MECH_OK) p->status = MECH_ERR_MEMORY;
        return sum;
    }
    sum = expr_sum_of(p, c0, terms);
    sum_memo_give(p->sum_memo, &key, sum.id);
    return sum;
}

/* R * (sum of coef_i*S_i) for one group, pushed back onto the terms. */
static int push_group(mech_pool *p, expr_pairs *terms, uint32_t *c0, const collected *group, size_t count)
{
    expr_pairs inner;
    pairs_init(&inner);
    uint32_t inner_c0 = EXPR_ID_ZERO;
    int ok = 1;
    for (size_t i = 0; i < count && ok; i++) {
        ok = expr_push_term(p, &inner, &inner_c0, group[i].sum, group[i].coef);
        terms->items[group[i].term].number = EXPR_ID_ZERO;
    }
    const mech_expr sum = ok ? inner_sum(p, inner_c0, &inner) : (mech_expr){0};
    pairs_free(&inner);
    const mech_expr product = mech_mul(p, (mech_expr){group[0].rest}, sum);
    return product.id && expr_push_term(p, terms, c0, product.id, EXPR_ID_ONE);
}

/* Collects products R*S with the same R: 1 changed something, 0 not, -1 out of memory. */
static int collect(mech_pool *p, expr_pairs *terms, uint32_t *c0, size_t candidates)
{
    collected few[16], *list = candidates <= 16 ? few : mem_alloc(candidates * sizeof *list);
    if (!list) {
        if (p->status == MECH_OK) p->status = MECH_ERR_MEMORY;
        return -1;
    }
    size_t count = 0;
    int result = 0;
    for (size_t i = 0; i < terms->count && result == 0; i++) {
        const expr_node n = p->nodes[terms->items[i].node];
        if (n.kind != EXPR_MUL || !(n.flags & FLAG_SUM1)) continue;
        list[count] = (collected){.coef = terms->items[i].number, .term = i};
        if (!split_sum(p, terms->items[i].node, &list[count])) result = -1;
        count++;
    }
    qsort(list, count, sizeof *list, by_rest);
    for (size_t i = 0, j; i < count && result >= 0; i = j) {
        for (j = i + 1; j < count && list[j].rest == list[i].rest; j++) {
        }
        if (j - i > 1) result = push_group(p, terms, c0, list + i, j - i) ? 1 : -1;
    }
    if (list != few) mem_free(list);
    return result;
}

/* Applies the rules until none fits. */
static int shorten(mech_pool *p, expr_pairs *terms, uint32_t *c0)
{
    for (;;) {
        if (!merge_terms(p, terms)) return 0;
        unsigned flags = 0;
        size_t sums = 0;
        for (size_t i = 0; i < terms->count; i++) {
            const expr_node *n = &p->nodes[terms->items[i].node];
            if (n->kind != EXPR_MUL) continue;
            flags |= n->flags;
            sums += (n->flags & FLAG_SUM1) != 0;
        }
        int changed = 0;
        if (flags & (FLAG_SIN2 | FLAG_COS2)) changed = pythagoras(p, terms, c0);
        if (!changed && sums > 1 && p->depth < DEEPEST_COLLECT) {
            p->depth++;
            changed = collect(p, terms, c0, sums);
            p->depth--;
        }
        if (changed <= 0) return changed == 0;
    }
}

static mech_expr intern_sum(mech_pool *p, uint32_t c0, const expr_pairs *terms)
{
    if (terms->count == 0) return (mech_expr){c0};
    if (terms->count == 1 && c0 == EXPR_ID_ZERO && terms->items[0].number == EXPR_ID_ONE)
        return (mech_expr){terms->items[0].node};
    uint32_t few[1 + 2 * PAIRS_LOCAL], *operands = few;
    if (terms->count > PAIRS_LOCAL) operands = mem_alloc((1 + 2 * terms->count) * sizeof *operands);
    if (!operands) {
        if (p->status == MECH_OK) p->status = MECH_ERR_MEMORY;
        return (mech_expr){0};
    }
    operands[0] = c0;
    for (size_t i = 0; i < terms->count; i++) {
        operands[1 + 2 * i] = terms->items[i].number;
        operands[2 + 2 * i] = terms->items[i].node;
    }
    const uint32_t id = expr_intern(p, EXPR_ADD, 0, 0, operands, (uint32_t)(1 + 2 * terms->count));
    if (operands != few) mem_free(operands);
    return (mech_expr){id};
}

mech_expr expr_sum_of(mech_pool *p, uint32_t c0, expr_pairs *terms)
{
    p->sum_count++;
    if (!c0 || !shorten(p, terms, &c0)) return (mech_expr){0};
    return intern_sum(p, c0, terms);
}

mech_expr expr_scale(mech_pool *p, uint32_t number, mech_expr e)
{
    if (number == EXPR_ID_ONE || !e.id) return e;
    expr_pairs terms;
    pairs_init(&terms);
    uint32_t c0 = EXPR_ID_ZERO;
    mech_expr result = {0};
    /* the terms of a canonical sum stay canonical under scaling: no rule can fit anew */
    if (expr_push_term(p, &terms, &c0, e.id, number)) result = intern_sum(p, c0, &terms);
    pairs_free(&terms);
    return result;
}

mech_expr mech_sum(mech_pool *p, const mech_expr *list, size_t count)
{
    expr_pairs terms;
    pairs_init(&terms);
    uint32_t c0 = EXPR_ID_ZERO;
    int ok = 1;
    for (size_t i = 0; i < count && ok; i++) ok = expr_push_term(p, &terms, &c0, list[i].id, EXPR_ID_ONE);
    const mech_expr result = ok ? expr_sum_of(p, c0, &terms) : (mech_expr){0};
    pairs_free(&terms);
    return result;
}

/* a + coef*b */
static mech_expr combine(mech_pool *p, mech_expr a, mech_expr b, uint32_t coef)
{
    expr_pairs terms;
    pairs_init(&terms);
    uint32_t c0 = EXPR_ID_ZERO;
    mech_expr result = {0};
    if (expr_push_term(p, &terms, &c0, a.id, EXPR_ID_ONE) && expr_push_term(p, &terms, &c0, b.id, coef))
        result = expr_sum_of(p, c0, &terms);
    pairs_free(&terms);
    return result;
}

mech_expr mech_add(mech_pool *p, mech_expr a, mech_expr b) { return combine(p, a, b, EXPR_ID_ONE); }

mech_expr mech_sub(mech_pool *p, mech_expr a, mech_expr b) { return combine(p, a, b, EXPR_ID_MINUS_ONE); }

mech_expr mech_neg(mech_pool *p, mech_expr a) { return expr_scale(p, EXPR_ID_MINUS_ONE, a); }
