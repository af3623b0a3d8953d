/* Polynomials through values at Chebyshev points of [-1, 1]: how well they tell, their integral, where they are
   largest. */
#ifndef BASE_CHEBYSHEV_H
#define BASE_CHEBYSHEV_H

/* Cards get this text too (ensemble/card_source.c): there a function is marked, and so is a table. */
#ifndef FUNCTION
#define FUNCTION
#define TABLE static const
#endif

enum { CHEBYSHEV_MOST = 8 };

typedef struct chebyshev {
    int degree;                   /* 4 or 8 */
    double c[CHEBYSHEV_MOST + 1]; /* of T0, T1, ... */
} chebyshev;

/* cos(pi j/8): point j of degree 8. Those of degree 4 are every second one. */
FUNCTION double chebyshev_point(int j);
/* f (degree + 1): the values at the points, from 1 down to -1. */
FUNCTION chebyshev chebyshev_through(const double *f, int degree);
/* How much value i has in coefficient k of it. */
FUNCTION double chebyshev_weight(int degree, int k, int i);
FUNCTION double chebyshev_at(const chebyshev *p, double x);
/* Its last two coefficients: about what it misses a smooth function by, at most. */
FUNCTION double chebyshev_tail(const chebyshev *p);
/* Over [-1, 1]. */
FUNCTION double chebyshev_integral(const chebyshev *p);
/* sign*p is nowhere larger, on [-1, 1]. */
FUNCTION double chebyshev_bound(const chebyshev *p, double sign);
/* p where sign*p is largest, and where that is; exactly -1 or 1 at an end. */
FUNCTION double chebyshev_peak(const chebyshev *p, double sign, double *at);

#endif
