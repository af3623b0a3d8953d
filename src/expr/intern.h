/* Interning: the doors by which canonical nodes enter the pool. Only build.c and pool.c use them. */
#ifndef EXPR_INTERN_H
#define EXPR_INTERN_H

#include "expr/pool.h"

/* What the simplifier wants to know of a product without looking inside. */
enum {
    FLAG_SIN2 = 1, /* has a factor sin(u)^k, k >= 2                                   */
    FLAG_COS2 = 2, /* likewise cos                                                    */
    FLAG_SUM1 = 4  /* exactly one factor is a sum to the first power, and more stands by */
};

/* The node with this content, made when it is new; 0 when out of memory. */
uint32_t expr_intern(mech_pool *pool, expr_kind kind, uint8_t function, uint8_t flags, const uint32_t *operands,
                     uint32_t count);
uint32_t expr_intern_number(mech_pool *pool, expr_number number);
/* The node with this content if it exists, else 0. */
uint32_t expr_find(const mech_pool *pool, expr_kind kind, uint8_t function, const uint32_t *operands, uint32_t count);

/* A pair is (node, number): a term coef*node of a sum or a factor base^exponent of a product. Short
   lists stay on the stack. */
typedef struct expr_pair {
    uint32_t node, number;
} expr_pair;
enum { PAIRS_LOCAL = 24 };
typedef struct expr_pairs {
    expr_pair *items;
    size_t count, capacity;
    expr_pair local[PAIRS_LOCAL];
} expr_pairs;
void pairs_init(expr_pairs *list);
int pairs_push(mech_pool *pool, expr_pairs *list, uint32_t node, uint32_t number); /* 0: out of memory */
void pairs_sort(expr_pairs *list);                                                 /* ascending node   */
void pairs_free(expr_pairs *list);

/* c0 + sum coef*node and coef * prod base^exp, in canonical form. The lists are consumed (not freed). */
mech_expr expr_sum_of(mech_pool *pool, uint32_t c0, expr_pairs *terms);
mech_expr expr_product_of(mech_pool *pool, uint32_t coef, expr_pairs *factors);
/* coef*e pushed onto a sum under construction, flattened. */
int expr_push_term(mech_pool *pool, expr_pairs *terms, uint32_t *c0, uint32_t node, uint32_t coef);
/* e^exponent pushed onto a product under construction, flattened. */
int expr_push_factor(mech_pool *pool, expr_pairs *factors, uint32_t *coef, uint32_t node, uint32_t exponent);
/* number*e */
mech_expr expr_scale(mech_pool *pool, uint32_t number, mech_expr e);

#endif
