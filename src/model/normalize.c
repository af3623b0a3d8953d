/* The common factor of a row of A: what `derive --normalize` divides by. */
#include "model/model.h"

#include "expr/intern.h"
#include "expr/rational.h"

/* Common integer factor of the numerators, and of the denominators, of an expression's coefficients. */
static void add_content(const mech_pool *p, mech_expr e, int64_t *num, int64_t *den)
{
    const expr_node *n = expr_at(p, e);
    const uint32_t count = n->kind == EXPR_ADD ? n->count : 1;
    for (uint32_t i = 0; i < count; i += i == 0 ? 1 : 2) {
        expr_number c = number_integer(1);
        if (n->kind == EXPR_ADD) c = *expr_number_of(p, (mech_expr){p->operands[n->first + i]});
        else if (n->kind == EXPR_NUM) c = *expr_number_of(p, e);
        if (c.den == 0) *num = *den = 1; /* not exact: nothing is common */
        if (c.den == 0 || c.num == 0) continue;
        *num = whole_gcd(c.num, *num);
        *den = whole_gcd(c.den, *den);
    }
}

/* The product that an entry is, without its number: itself, or what a scaled node scales. */
static mech_expr product_part(const mech_pool *p, mech_expr e)
{
    const expr_node *n = expr_at(p, e);
    if (n->kind == EXPR_ADD && n->count == 3 && p->operands[n->first] == EXPR_ID_ZERO)
        return (mech_expr){p->operands[n->first + 2]};
    return n->kind == EXPR_NUM ? EXPR_ONE : e;
}

/* The positive integer power of `base` in a product; 0: none. */
static int64_t power_in(const mech_pool *p, mech_expr product, uint32_t base)
{
    const expr_node *n = expr_at(p, product);
    if (product.id == base) return 1;
    if (n->kind != EXPR_MUL) return 0;
    for (uint32_t i = 0; i < n->count; i += 2) {
        const expr_number e = *expr_number_of(p, (mech_expr){p->operands[n->first + i + 1]});
        if (p->operands[n->first + i] == base) return number_is_integer(e) && e.num > 0 ? e.num : 0;
    }
    return 0;
}

/* Powers of `base` common to the products of all entries of a row. */
static int64_t common_power(const mech_pool *p, const model_entry *row, size_t count, uint32_t base)
{
    int64_t power = INT64_MAX;
    for (size_t i = 0; i < count; i++) {
        const int64_t here = power_in(p, product_part(p, row[i].value), base);
        if (here < power) power = here;
    }
    return power;
}

mech_expr model_row_factor(mech_model *m, size_t row)
{
    mech_pool *p = m->pool;
    const model_entries *A = &m->equations.A;
    size_t first = 0, count = 0;
    while (first < A->count && A->items[first].row < row) first++;
    while (first + count < A->count && A->items[first + count].row == row) count++;
    if (!count) return EXPR_ONE;
    int64_t num = 0, den = 0;
    for (size_t i = 0; i < count; i++) add_content(p, A->items[first + i].value, &num, &den);
    mech_expr factor = mech_rational(p, num ? num : 1, den ? den : 1);
    const mech_expr sample = product_part(p, A->items[first].value);
    const expr_node n = *expr_at(p, sample);
    const uint32_t bases = n.kind == EXPR_MUL ? n.count / 2 : 1;
    for (uint32_t i = 0; i < bases && factor.id; i++) {
        const uint32_t base = n.kind == EXPR_MUL ? p->operands[n.first + 2 * i] : sample.id;
        if (base == EXPR_ID_ONE) continue;
        const int64_t power = common_power(p, A->items + first, count, base);
        if (power > 0) factor = mech_mul(p, factor, mech_pow(p, (mech_expr){base}, mech_rational(p, power, 1)));
    }
    return factor;
}
