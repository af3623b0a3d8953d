/* Polynomials in one variable over the integers, in GMP. GMP ends the process when memory ends: callers bound
   degrees and sizes first. */
#ifndef ANALYZE_INTEGER_GMP_H
#define ANALYZE_INTEGER_GMP_H

#include <gmp.h>

typedef struct integer_poly {
    mpz_t *c;     /* coefficient k belongs to x^k */
    int degree;   /* -1: zero */
    int capacity; /* coefficients there is room for */
} integer_poly;

/* A decimal such as -1.5e-3, up to its end or a '/'; 0: not a number, or too long. */
int integer_read(mpq_t value, const char *text);

int integer_init(integer_poly *p, int degree); /* zero, with room for this degree; 0: out of memory */
void integer_clear(integer_poly *p);           /* a cleared struct is fine */
void integer_trim(integer_poly *p);            /* degree from the coefficients */
void integer_derivative(integer_poly *to, const integer_poly *p);
/* Sturm's chain from a and b (both destroyed): returns V(-inf) - V(+inf); a becomes gcd(a, b). */
int integer_index(integer_poly *a, integer_poly *b);

#endif
