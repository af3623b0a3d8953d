/* Powers and products. Factors are taken by the stage in which they are known, so that what changes rarely
   is multiplied together first: m*l*cos(a)*a'^2 costs one multiplication per velocity. */
#include "compile/build.h"

#include "base/mem.h"

#include <math.h>

enum { MULTIPLIED_POWER = 8 }; /* up to here by multiplication: at most 7 roundings */

/* x^k, k >= 1, by squaring */
static uint32_t integer_power(build *b, uint32_t x, unsigned k)
{
    uint32_t result = 0;
    for (uint32_t square = x; k; k >>= 1) {
        if (k & 1) result = result ? build_emit(b, PROGRAM_MUL, result, square, 0) : square;
        if (k > 1) square = build_emit(b, PROGRAM_MUL, square, square, 0);
    }
    return result;
}

/* x^|e|; the sign of the exponent is the caller's */
static uint32_t positive_power(build *b, uint32_t x, const expr_number *e)
{
    const int64_t num = e->num < 0 ? -e->num : e->num;
    if (e->den == 1 && num <= MULTIPLIED_POWER) return integer_power(b, x, (unsigned)num);
    if (e->den == 2 && num <= 2 * MULTIPLIED_POWER) { /* x^(k + 1/2) = x^k*sqrt(x) */
        const uint32_t root = build_emit(b, PROGRAM_SQRT, x, 0, 0);
        const unsigned whole = (unsigned)(num / 2);
        return whole ? build_emit(b, PROGRAM_MUL, integer_power(b, x, whole), root, 0) : root;
    }
    return build_emit(b, PROGRAM_POW, x, build_constant(b, fabs(e->value)), 0);
}

/* Exponents that become a division: those that are multiplied out or rooted. pow() takes the sign itself. */
static int is_divisor(const expr_number *e)
{
    if (e->value >= 0) return 0;
    return (e->den == 1 && e->num >= -MULTIPLIED_POWER) || (e->den == 2 && e->num >= -2 * MULTIPLIED_POWER);
}

static uint32_t factor_power(build *b, uint32_t x, const expr_number *e)
{
    if (e->value < 0 && !is_divisor(e)) return build_emit(b, PROGRAM_POW, x, build_constant(b, e->value), 0);
    return positive_power(b, x, e);
}

/* The product of the factors of one stage, divisors or not; 0: there are none. */
static uint32_t product_of(build *b, size_t count, unsigned stage, int divisors, uint32_t start)
{
    uint32_t product = start;
    for (size_t i = 0; i < count; i++) {
        const build_factor *f = &b->factors[i];
        if (f->early != stage || f->is_divisor != divisors) continue;
        product = product ? build_emit(b, PROGRAM_MUL, product, f->value, 0) : f->value;
    }
    return product;
}

static int gather(build *b, const expr_node *node, size_t *count, unsigned *stages)
{
    const mech_pool *pool = b->spec->pool;
    const uint32_t *operands = expr_operands(pool, node);
    *count = node->count / 2;
    *stages = 0;
    if (!mem_grow(&b->factors, &b->factor_capacity, *count, sizeof *b->factors)) {
        b->status = MECH_ERR_MEMORY;
        return 0;
    }
    for (size_t i = 0; i < *count; i++) {
        const expr_number *e = expr_number_of(pool, (mech_expr){operands[2 * i + 1]});
        const uint32_t base = b->of_node[operands[2 * i]];
        b->factors[i] = (build_factor){factor_power(b, base, e), b->values[base].early, (uint8_t)is_divisor(e)};
        *stages |= 1u << b->factors[i].early;
    }
    return b->status == MECH_OK;
}

/* The last multiplication of a product, taken back: x*y for x alone when that is what it is and it was made
   for this product only. Values are shared, so it may also stay: then nothing is lost. */
static void open_last(build *b, uint32_t made_before, uint32_t *x, uint32_t *y)
{
    const build_value *last = &b->values[*x];
    if (last->op != PROGRAM_MUL || *x < made_before) return;
    *y = last->b;
    *x = last->a;
}

void build_product(build *b, const expr_node *node, double scale, uint32_t *x, uint32_t *y)
{
    *x = *y = 0;
    size_t count;
    unsigned stages;
    const uint32_t made_before = (uint32_t)b->value_count;
    if (!gather(b, node, &count, &stages)) return;
    const uint32_t factor = scale != 1 ? build_constant(b, scale) : 0;
    uint32_t product = stages & 1 ? factor : 0; /* a scale joins the parameters, or comes last */
    for (unsigned s = 0; s < b->spec->stage_count; s++) {
        if (!(stages >> s & 1)) continue;
        product = product_of(b, count, s, 0, product);
        const uint32_t divisor = product_of(b, count, s, 1, 0);
        if (divisor) product = build_emit(b, PROGRAM_DIV, product ? product : b->one, divisor, 0);
    }
    *x = product;
    if (b->status != MECH_OK) return;
    if (factor && !(stages & 1)) *y = factor;
    else open_last(b, made_before, x, y);
}
