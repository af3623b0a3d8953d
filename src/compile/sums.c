/* Sums: by stage, plain terms before products so that every product is fused, signs carried along. */
#include "compile/build.h"

#include "base/mem.h"
#include "expr/rational.h"

#include <math.h>

static uint8_t product_early(const build *b, const expr_node *product)
{
    const uint32_t *operands = expr_operands(b->spec->pool, product);
    uint8_t early = 0;
    for (uint32_t i = 0; i < product->count; i += 2) {
        const uint8_t e = b->values[b->of_node[operands[i]]].early;
        if (e > early) early = e;
    }
    return early;
}

/* x/3 - 1/3 rounds twice where (x - 1)/3 is exact. */
uint32_t build_divisor(const build *b, const expr_node *sum)
{
    const uint32_t *operands = expr_operands(b->spec->pool, sum);
    int64_t divisor = 1;
    for (uint32_t i = 0; i < sum->count; i += i ? 2 : 1) {
        const int64_t den = expr_number_of(b->spec->pool, (mech_expr){operands[i]})->den;
        const int64_t missing = den / whole_gcd(divisor, den);
        if (den == 0 || missing > UINT32_MAX / divisor) return 0;
        divisor *= missing;
    }
    return (divisor & (divisor - 1)) == 0 ? 0 : (uint32_t)divisor; /* halves and the like are exact as they are */
}

/* A coefficient, or what it is before the sum is divided. */
static double value_of(const build *b, uint32_t coefficient, uint32_t divisor)
{
    const expr_number *x = expr_number_of(b->spec->pool, (mech_expr){coefficient});
    return divisor ? (double)x->num * (double)(divisor / (uint32_t)x->den) : x->value;
}

static build_term term_of(build *b, uint32_t coefficient, uint32_t id, uint32_t divisor)
{
    const mech_pool *pool = b->spec->pool;
    const double value = value_of(b, coefficient, divisor);
    build_term t = {.node = id, .is_negative = value < 0, .coefficient = b->scale[id] ? 1 : fabs(value)};
    t.is_absorbed = b->use[id] == USE_ONE_SUM;
    t.is_product = t.is_absorbed || t.coefficient != 1;
    t.early = t.is_absorbed ? product_early(b, &pool->nodes[id]) : b->values[b->of_node[id]].early;
    return t;
}

static int has_parameter(const build *b, const expr_node *product)
{
    const uint32_t *operands = expr_operands(b->spec->pool, product);
    for (uint32_t i = 0; i < product->count; i += 2)
        if (b->values[b->of_node[operands[i]]].early == 0) return 1;
    return 0;
}

/* When all terms are negative, one that has a factor for it takes the sign, so that none is left over. */
static void give_sign(const build *b, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (!b->terms[i].is_negative) return;
    for (size_t i = 0; i < count; i++) {
        build_term *t = &b->terms[i];
        if (t->coefficient == 1 && !(t->is_absorbed && has_parameter(b, &b->spec->pool->nodes[t->node]))) continue;
        t->coefficient = -t->coefficient;
        t->is_negative = 0;
        return;
    }
}

/* A running sum that may stand for its negative. */
typedef struct running {
    uint32_t value;
    int is_negative;
} running;

/* sum += (+-) x*y, y = 0: x */
static void accumulate(build *b, running *sum, int is_negative, uint32_t x, uint32_t y)
{
    if (!sum->value) {
        sum->value = y ? build_emit(b, PROGRAM_MUL, x, y, 0) : x;
        sum->is_negative = is_negative;
    } else if (sum->is_negative == is_negative) {
        sum->value = y ? build_emit(b, PROGRAM_MULADD, x, y, sum->value) : build_emit(b, PROGRAM_ADD, sum->value, x, 0);
    } else if (is_negative) {
        sum->value = y ? build_emit(b, PROGRAM_SUBMUL, x, y, sum->value) : build_emit(b, PROGRAM_SUB, sum->value, x, 0);
    } else {
        sum->value = y ? build_emit(b, PROGRAM_MULSUB, x, y, sum->value) : build_emit(b, PROGRAM_SUB, x, sum->value, 0);
        sum->is_negative = 0;
    }
}

static void accumulate_term(build *b, running *sum, const build_term *t)
{
    uint32_t x, y;
    if (t->is_absorbed) {
        build_product(b, &b->spec->pool->nodes[t->node], t->coefficient, &x, &y);
    } else {
        x = b->of_node[t->node];
        y = t->coefficient != 1 ? build_constant(b, t->coefficient) : 0;
    }
    if (b->status == MECH_OK) accumulate(b, sum, t->is_negative, x, y);
}

uint32_t build_sum(build *b, uint32_t id)
{
    const expr_node *node = &b->spec->pool->nodes[id];
    const uint32_t *operands = expr_operands(b->spec->pool, node), divisor = b->divisor[id];
    const size_t count = (node->count - 1) / 2;
    if (!mem_grow(&b->terms, &b->term_capacity, count, sizeof *b->terms)) b->status = MECH_ERR_MEMORY;
    if (b->status != MECH_OK) return 0;
    unsigned present = 0; /* bit 2*stage + is_product */
    for (size_t i = 0; i < count; i++) {
        b->terms[i] = term_of(b, operands[1 + 2 * i], operands[2 + 2 * i], divisor);
        present |= 1u << (2 * b->terms[i].early + b->terms[i].is_product);
    }
    const double start = value_of(b, operands[0], divisor);
    if (start <= 0) give_sign(b, count);
    running sum = {0, 0};
    if (start != 0) {
        sum.value = build_constant(b, fabs(start));
        sum.is_negative = start < 0;
    }
    for (unsigned k = 0; k < 2 * b->spec->stage_count; k++) {
        if (!(present >> k & 1)) continue;
        for (size_t i = 0; i < count && b->status == MECH_OK; i++)
            if (2u * b->terms[i].early + b->terms[i].is_product == k) accumulate_term(b, &sum, &b->terms[i]);
    }
    const uint32_t value = sum.is_negative ? build_emit(b, PROGRAM_NEG, sum.value, 0, 0) : sum.value;
    return divisor ? build_emit(b, PROGRAM_DIV, value, build_constant(b, divisor), 0) : value;
}
