/* Arithmetic of numbers: exact rationals while they fit 63 bits, doubles beyond. */
#ifndef EXPR_RATIONAL_H
#define EXPR_RATIONAL_H

#include "expr/pool.h"

/* Of whole numbers, whatever their signs; of 0 and another: the other. */
int64_t whole_gcd(int64_t a, int64_t b);

expr_number number_integer(int64_t value);
expr_number number_fraction(int64_t num, int64_t den); /* den != 0 */
/* The shortest decimal that reads back to the double, exact where that fits. */
expr_number number_from_double(double value);
/* A decimal literal: 1 done, 0 not a number. */
int number_from_text(const char *text, size_t length, expr_number *out);

expr_number number_add(expr_number a, expr_number b);
expr_number number_mul(expr_number a, expr_number b);
expr_number number_neg(expr_number a);
expr_number number_inverse(expr_number a);                 /* a != 0 */
expr_number number_power(expr_number a, int64_t exponent); /* a != 0 when exponent < 0 */
/* The exact root a^(1/k), a > 0: 1 done, 0 it is not rational. */
int number_root(expr_number a, int64_t k, expr_number *root);
/* Greatest rational g such that a/g and b/g are integers; 1 when either is not exact. */
expr_number number_gcd(expr_number a, expr_number b);

/* The greatest whole number that is not greater. */
expr_number number_floor(expr_number a);

static inline int number_is_exact(expr_number a) { return a.den != 0; }
static inline int number_is_integer(expr_number a) { return a.den == 1; }
static inline int number_is_negative(expr_number a) { return a.value < 0; }
int number_equal(expr_number a, expr_number b);

#endif
