/* Products and powers in canonical form: flattened, equal bases combined, numeric factors outside, sums
   within products without a numeric content. */
#include "expr/intern.h"

#include "base/mem.h"
#include "expr/numbers.h"

#include <math.h>

static int fault(mech_pool *p, const char *what)
{
    p->fault = what;
    return 0;
}

/* number^exponent into the coefficient where it is rational, else as a factor of its own. */
static int push_number(mech_pool *p, expr_pairs *factors, uint32_t *coef, uint32_t node, uint32_t exponent)
{
    const expr_number base = num_of(p, node), e = num_of(p, exponent);
    expr_number value;
    if (node == EXPR_ID_ZERO) {
        if (number_is_negative(e)) return fault(p, "division by zero");
        *coef = EXPR_ID_ZERO;
        return 1;
    }
    if (exponent == EXPR_ID_ONE) {
        *coef = num_mul(p, *coef, node);
        return *coef != 0;
    }
    if (number_is_integer(e)) {
        value = number_power(base, e.num);
    } else if (number_is_exact(e) && number_root(base, e.den, &value)) {
        value = number_power(value, e.num);
    } else if (!number_is_exact(base) && base.value > 0) {
        value = number_from_double(pow(base.value, e.value));
    } else {
        return pairs_push(p, factors, node, exponent);
    }
    const uint32_t id = expr_intern_number(p, value);
    *coef = id ? num_mul(p, *coef, id) : 0;
    return *coef != 0;
}

/* The coefficient that decides the sign of a sum with as many minus as plus signs, so that it reads as people
   write it: the term that moves most (x - l, x^2 - a), the number before a function (1 - cos(x)). */
static uint32_t deciding_coefficient(const mech_pool *p, const expr_node *n)
{
    uint32_t best = n->first + 1;
    for (uint32_t i = 3; i < n->count; i += 2)
        if (p->nodes[p->operands[n->first + i + 1]].classes > p->nodes[p->operands[best + 1]].classes)
            best = n->first + i;
    const int is_function = p->nodes[p->operands[best + 1]].kind == EXPR_FUN;
    return p->operands[is_function && p->operands[n->first] != EXPR_ID_ZERO ? n->first : best];
}

/* The numeric content of a sum: g > 0 such that its coefficients over g are coprime integers. Then the
   sign: negative when most terms are; a tie is decided below. So S and -S have the same primitive part:
   (a - x)*(b - y) and (x - a)*(y - b) are one node. */
static expr_number content(const mech_pool *p, const expr_node *n)
{
    expr_number g = num_of(p, p->operands[n->first + 1]);
    int negative = 0, positive = 0;
    if (number_is_negative(g)) g = number_neg(g);
    for (uint32_t i = 0; i < n->count; i += i == 0 ? 1 : 2) {
        const uint32_t id = p->operands[n->first + i];
        if (id == EXPR_ID_ZERO) continue;
        const expr_number c = num_of(p, id);
        g = number_gcd(g, c);
        if (number_is_negative(c)) negative++;
        else positive++;
    }
    if (!number_is_exact(g)) g = number_integer(1);
    if (number_is_negative(g)) g = number_neg(g);
    const int tie = negative == positive && number_is_negative(num_of(p, deciding_coefficient(p, n)));
    return negative > positive || tie ? number_neg(g) : g;
}

/* (a sum)^exponent */
static int push_sum(mech_pool *p, expr_pairs *factors, uint32_t *coef, uint32_t node, uint32_t exponent)
{
    const expr_node n = p->nodes[node];
    const expr_number e = num_of(p, exponent);
    if (n.count == 3 && p->operands[n.first] == EXPR_ID_ZERO) {
        const uint32_t c = p->operands[n.first + 1], inner = p->operands[n.first + 2];
        /* (c*x)^e = c^e*x^e, for c > 0 with any e */
        if (number_is_integer(e) || !number_is_negative(num_of(p, c)))
            return expr_push_factor(p, factors, coef, c, exponent) &&
                   expr_push_factor(p, factors, coef, inner, exponent);
        return pairs_push(p, factors, node, exponent);
    }
    expr_number g = content(p, &n), root;
    if (!number_is_integer(e)) {
        if (number_is_negative(g)) g = number_neg(g);
        if (!number_is_exact(e) || !number_root(g, e.den, &root)) return pairs_push(p, factors, node, exponent);
    }
    if (number_equal(g, number_integer(1))) return pairs_push(p, factors, node, exponent);
    const uint32_t inverse = expr_intern_number(p, number_inverse(g)), factor = expr_intern_number(p, g);
    if (!inverse || !factor) return 0;
    const mech_expr primitive = expr_scale(p, inverse, (mech_expr){node});
    return primitive.id && push_number(p, factors, coef, factor, exponent) &&
           pairs_push(p, factors, primitive.id, exponent);
}

static int is_scaled(const mech_pool *p, const expr_node *n)
{
    return n->kind == EXPR_ADD && n->count == 3 && p->operands[n->first] == EXPR_ID_ZERO;
}

/* A base of a product whose exponent has changed. What may have to be taken apart further is left to
   merge_factors, so that nested roots are a loop there and no recursion here. */
static int push_base(mech_pool *p, expr_pairs *factors, uint32_t *coef, uint32_t node, uint32_t exponent)
{
    const expr_node n = p->nodes[node];
    if (!exponent) return 0;
    if (n.kind == EXPR_NUM) return push_number(p, factors, coef, node, exponent);
    if (n.kind == EXPR_ADD && !is_scaled(p, &n)) return push_sum(p, factors, coef, node, exponent);
    return pairs_push(p, factors, node, exponent);
}

/* Whether a factor is not in canonical form as it stands: a product or a scaled node to an integer power. */
static int is_nested(const mech_pool *p, expr_pair factor)
{
    const expr_node *n = &p->nodes[factor.node];
    if (n->kind != EXPR_MUL && !is_scaled(p, n)) return 0;
    if (number_is_integer(num_of(p, factor.number))) return 1;
    return n->kind == EXPR_ADD && !number_is_negative(num_of(p, p->operands[n->first + 1]));
}

int expr_push_factor(mech_pool *p, expr_pairs *factors, uint32_t *coef, uint32_t node, uint32_t exponent)
{
    if (!node || !exponent || !*coef) return 0;
    if (exponent == EXPR_ID_ZERO) return 1;
    const expr_node n = p->nodes[node];
    if (n.kind == EXPR_NUM) return push_number(p, factors, coef, node, exponent);
    if (n.kind == EXPR_ADD) return push_sum(p, factors, coef, node, exponent);
    if (n.kind != EXPR_MUL || !number_is_integer(num_of(p, exponent))) return pairs_push(p, factors, node, exponent);
    for (uint32_t i = 0; i < n.count; i += 2) {
        const uint32_t base = p->operands[n.first + i], power = num_mul(p, p->operands[n.first + i + 1], exponent);
        if (!(exponent == EXPR_ID_ONE ? pairs_push(p, factors, base, power) : push_base(p, factors, coef, base, power)))
            return 0;
    }
    return 1;
}

/* Sorts, adds exponents of equal bases, drops zero exponents. *again: a base may now be flattened. */
static int merge_factors(mech_pool *p, expr_pairs *factors, int *again)
{
    pairs_sort(factors);
    size_t out = 0;
    *again = 0;
    for (size_t i = 0; i < factors->count; i++) {
        if (out && factors->items[out - 1].node == factors->items[i].node) {
            expr_pair *last = &factors->items[out - 1];
            last->number = num_add(p, last->number, factors->items[i].number);
            if (!last->number) return 0;
            if (last->number == EXPR_ID_ZERO) {
                out--;
                continue;
            }
            const expr_kind kind = p->nodes[last->node].kind;
            if (kind == EXPR_NUM || kind == EXPR_MUL || kind == EXPR_ADD) *again = 1;
        } else {
            factors->items[out++] = factors->items[i];
        }
    }
    factors->count = out;
    for (size_t i = 0; i < out && !*again; i++) *again = is_nested(p, factors->items[i]);
    return 1;
}

static uint8_t product_flags(const mech_pool *p, const expr_pairs *factors)
{
    unsigned flags = 0, sums = 0;
    for (size_t i = 0; i < factors->count; i++) {
        const expr_node *n = &p->nodes[factors->items[i].node];
        const expr_number e = num_of(p, factors->items[i].number);
        sums += n->kind == EXPR_ADD && factors->items[i].number == EXPR_ID_ONE;
        if (n->kind != EXPR_FUN || !number_is_integer(e) || e.num < 2) continue;
        if (n->function == MECH_FUNCTION_SIN) flags |= FLAG_SIN2;
        if (n->function == MECH_FUNCTION_COS) flags |= FLAG_COS2;
    }
    if (sums == 1 && factors->count > 1) flags |= FLAG_SUM1;
    return (uint8_t)flags;
}

/* Takes each factor in anew: merged exponents may have made a base a plain number or product. */
static int flatten_again(mech_pool *p, expr_pairs *factors, uint32_t *coef)
{
    expr_pairs fresh;
    pairs_init(&fresh);
    int ok = 1;
    for (size_t i = 0; i < factors->count && ok; i++)
        ok = expr_push_factor(p, &fresh, coef, factors->items[i].node, factors->items[i].number);
    factors->count = 0;
    for (size_t i = 0; i < fresh.count && ok; i++)
        ok = pairs_push(p, factors, fresh.items[i].node, fresh.items[i].number);
    pairs_free(&fresh);
    return ok;
}

mech_expr expr_product_of(mech_pool *p, uint32_t coef, expr_pairs *factors)
{
    const mech_expr none = {0};
    /* each round takes away a level of nesting or a factor */
    for (int again = 1; again;) {
        if (!coef || !merge_factors(p, factors, &again)) return none;
        if (again && !flatten_again(p, factors, &coef)) return none;
    }
    if (coef == EXPR_ID_ZERO || factors->count == 0) return (mech_expr){coef};
    mech_expr node;
    if (factors->count == 1 && factors->items[0].number == EXPR_ID_ONE) node.id = factors->items[0].node;
    else
        node.id = expr_intern(p, EXPR_MUL, 0, product_flags(p, factors), &factors->items[0].node,
                              (uint32_t)(2 * factors->count));
    return expr_scale(p, coef, node);
}

mech_expr mech_product(mech_pool *p, const mech_expr *list, size_t count)
{
    expr_pairs factors;
    pairs_init(&factors);
    uint32_t coef = EXPR_ID_ONE;
    int ok = 1;
    for (size_t i = 0; i < count && ok; i++) ok = expr_push_factor(p, &factors, &coef, list[i].id, EXPR_ID_ONE);
    const mech_expr result = ok ? expr_product_of(p, coef, &factors) : (mech_expr){0};
    pairs_free(&factors);
    return result;
}

/* a * b^exponent */
static mech_expr times_power(mech_pool *p, mech_expr a, mech_expr b, uint32_t exponent)
{
    expr_pairs factors;
    pairs_init(&factors);
    uint32_t coef = EXPR_ID_ONE;
    mech_expr result = {0};
    if (expr_push_factor(p, &factors, &coef, a.id, EXPR_ID_ONE) && expr_push_factor(p, &factors, &coef, b.id, exponent))
        result = expr_product_of(p, coef, &factors);
    pairs_free(&factors);
    return result;
}

mech_expr mech_mul(mech_pool *p, mech_expr a, mech_expr b)
{
    if (a.id == EXPR_ID_ONE) return b;
    if (b.id == EXPR_ID_ONE) return a;
    if (a.id && p->nodes[a.id].kind == EXPR_NUM && b.id) return expr_scale(p, a.id, b);
    if (b.id && p->nodes[b.id].kind == EXPR_NUM && a.id) return expr_scale(p, b.id, a);
    return times_power(p, a, b, EXPR_ID_ONE);
}

mech_expr mech_div(mech_pool *p, mech_expr a, mech_expr b) { return times_power(p, a, b, EXPR_ID_MINUS_ONE); }

mech_expr mech_pow(mech_pool *p, mech_expr base, mech_expr exponent)
{
    if (!base.id || !exponent.id) return (mech_expr){0};
    if (expr_is_number(p, exponent) && (number_is_exact(*expr_number_of(p, exponent))))
        return times_power(p, EXPR_ONE, base, exponent.id);
    return mech_call(p, MECH_FUNCTION_POW, (mech_expr[]){base, exponent}, 2);
}

mech_expr mech_sqrt(mech_pool *p, mech_expr a) { return times_power(p, EXPR_ONE, a, EXPR_ID_HALF); }
