/* Polynomials in several variables over the integers, and ratios of them: the arithmetic behind Routh's array
   in symbols. The first failure (memory, too many terms) stays in the algebra; what is computed after it
   means nothing. */
#ifndef ANALYZE_POLY_GMP_H
#define ANALYZE_POLY_GMP_H

#include <mech/base.h>

#include "base/text.h"

#include <gmp.h>

enum { POLY_VARIABLES = 12, POLY_NAME = 64, POLY_MOST_TERMS = 4000, POLY_MOST_BITS = 200000 };

typedef struct poly_term {
    mpz_t c;
    uint16_t e[POLY_VARIABLES];
} poly_term;

typedef struct poly {
    poly_term *terms; /* descending: powers of variable 0 first; coefficients not zero */
    size_t count, capacity;
} poly;

typedef struct ratio {
    poly num, den; /* no common factor; the leading coefficient of den is positive */
} ratio;

typedef struct algebra {
    mech_status status;
    uint64_t work; /* done so far, some ten seconds of it are POLY_MOST_WORK: beyond it it is given up */
} algebra;
#define POLY_MOST_WORK UINT64_C(20000000000)

/* ---- polynomials; results may be the same as operands ---- */
void poly_clear(poly *p);
void poly_clears(poly *first, ...) __attribute__((sentinel)); /* several, NULL behind them, as mpz_clears */
void poly_swap(poly *a, poly *b);
void poly_copy(algebra *g, poly *to, const poly *from);
void poly_set_integer(algebra *g, poly *to, const mpz_t value);
void poly_set_one(algebra *g, poly *to);
void poly_set_variable(algebra *g, poly *to, int variable, unsigned power);
int poly_is_zero(const poly *p);
int poly_is_constant(const poly *p); /* zero too */
int poly_is_one(const poly *p);
int poly_equal(const poly *a, const poly *b);
void poly_add(algebra *g, poly *to, const poly *a, const poly *b, int sign); /* a + sign*b */
void poly_multiply(algebra *g, poly *to, const poly *a, const poly *b);
/* 1 and the quotient when b divides a; b not zero. */
int poly_divide(algebra *g, poly *to, const poly *a, const poly *b);
void poly_gcd(algebra *g, poly *to, const poly *a, const poly *b); /* leading coefficient positive */
/* gcd of all coefficients of both, as integers */
void poly_integer_gcd(algebra *g, poly *to, const poly *a, const poly *b);
unsigned poly_degree(const poly *p, int variable);
/* The polynomial that stands by variable^power. */
void poly_coefficient(algebra *g, poly *to, const poly *p, int variable, unsigned power);
/* gcd of all of those */
void poly_content(algebra *g, poly *to, const poly *p, int variable);
/* p without its content, which is given, too */
void poly_primitive(algebra *g, poly *p, poly *content, int variable);
void poly_derivative(algebra *g, poly *to, const poly *p, int variable);
void poly_negate(poly *p);
int poly_leading_sign(const poly *p);                   /* 0: zero */
double poly_value(const poly *p, const double *values); /* of the variables */

/* ---- ratios ---- */
void ratio_clear(ratio *r);
/* New list, each 0; NULL after a failure. */
ratio *ratio_list(algebra *g, size_t count);
void ratio_list_free(ratio *list, size_t count); /* NULL is fine */
void ratio_swap(ratio *a, ratio *b);
void ratio_copy(algebra *g, ratio *to, const ratio *from);
void ratio_reduce(algebra *g, ratio *r); /* makes it so that numerator and denominator are as they have to be */
void ratio_set_integer(algebra *g, ratio *to, long value);
void ratio_set_rational(algebra *g, ratio *to, const mpq_t value);
void ratio_set_variable(algebra *g, ratio *to, int variable, unsigned power);
void ratio_add(algebra *g, ratio *to, const ratio *a, const ratio *b, int sign);
void ratio_multiply(algebra *g, ratio *to, const ratio *a, const ratio *b);
void ratio_divide(algebra *g, ratio *to, const ratio *a, const ratio *b); /* b not zero */
void ratio_power(algebra *g, ratio *to, const ratio *a, int power);
int ratio_is_zero(const ratio *r);
double ratio_value(const ratio *r, const double *values); /* of the variables */
/* 1 and the number when it has no variable. */
int ratio_number(const ratio *r, mpq_t value);

/* ---- printing ---- */
typedef struct poly_style {
    char (*names)[POLY_NAME]; /* of the variables */
    int is_latex;
    int is_full; /* every number in full, however long */
} poly_style;
void poly_print(const poly *p, const poly_style *style, textbuf *out);
void ratio_print(const ratio *r, const poly_style *style, textbuf *out);

#endif
