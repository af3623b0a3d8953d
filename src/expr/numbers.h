/* Arithmetic on NUM ids. */
#ifndef EXPR_NUMBERS_H
#define EXPR_NUMBERS_H

#include "expr/intern.h"
#include "expr/rational.h"

static inline expr_number num_of(const mech_pool *p, uint32_t id) { return p->numbers[p->nodes[id].first]; }

static inline uint32_t num_add(mech_pool *p, uint32_t a, uint32_t b)
{
    if (a == EXPR_ID_ZERO) return b;
    if (b == EXPR_ID_ZERO) return a;
    return expr_intern_number(p, number_add(num_of(p, a), num_of(p, b)));
}

/* Coefficients are few and come again and again: a small table of products met before. */
enum { PRODUCT_MEMO = 256 };
struct expr_product_memo {
    uint32_t a, b, product; /* product 0: free */
};

static inline uint32_t num_mul(mech_pool *p, uint32_t a, uint32_t b)
{
    if (a == EXPR_ID_ONE) return b;
    if (b == EXPR_ID_ONE) return a;
    if (!a || !b) return 0;
    struct expr_product_memo *memo = &p->product_memo[(a * 31 + b) % PRODUCT_MEMO];
    if (memo->a == a && memo->b == b && memo->product) return memo->product;
    const uint32_t product = expr_intern_number(p, number_mul(num_of(p, a), num_of(p, b)));
    *memo = (struct expr_product_memo){a, b, product};
    return product;
}

static inline uint32_t num_neg(mech_pool *p, uint32_t a)
{
    return a == EXPR_ID_ONE ? EXPR_ID_MINUS_ONE : expr_intern_number(p, number_neg(num_of(p, a)));
}

#endif
