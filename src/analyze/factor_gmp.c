/* Factors of the characteristic polynomial that show without much work: powers of s, parts free of one
   symbol, repeated ones, and quadratics with rational coefficients where no symbol is left. */
#include "analyze/symbolic.h"

#include <math.h>

/* Takes p (emptied) as a factor, unless it is free of s. */
static void keep(mech_symbolic *s, poly *p)
{
    poly content = {0};
    poly_primitive(&s->g, p, &content, 0);
    poly_clear(&content);
    if (poly_degree(p, 0) > 0) {
        if (s->factor_count == SYMBOLIC_MOST_FACTORS) s->g.status = MECH_ERR_LIMIT;
        else poly_swap(&s->factor[s->factor_count++], p);
    }
    poly_clear(p);
}

/* Factor k splits in d and the rest: 1 when both hold s. */
static int split(mech_symbolic *s, int k, const poly *d)
{
    poly rest = {0}, part = {0};
    int done = 0;
    if (s->g.status == MECH_OK && poly_degree(d, 0) > 0 && poly_degree(d, 0) < poly_degree(&s->factor[k], 0) &&
        poly_divide(&s->g, &rest, &s->factor[k], d)) {
        poly_copy(&s->g, &part, d);
        poly_swap(&s->factor[k], &rest);
        keep(s, &part);
        done = s->g.status == MECH_OK;
    }
    poly_clears(&rest, &part, NULL);
    return done;
}

static int is_univariate(const poly *p)
{
    for (int k = 1; k < POLY_VARIABLES; k++)
        if (poly_degree(p, k)) return 0;
    return 1;
}

/* den s^2 + b s + c (or den s + b) with the nearest rationals of denominators up to 10^6, or 0. */
static int nearest_rational(double x, long *num, long *den)
{
    double rest = fabs(x);
    long p0 = 0, q0 = 1, p1 = 1, q1 = 0;
    for (int k = 0; k < 20 && rest < 1e9; k++) {
        const long whole = (long)rest, p = whole * p1 + p0, q = whole * q1 + q0;
        if (q > 1000000 || p > 1000000000) break;
        p0 = p1;
        q0 = q1;
        p1 = p;
        q1 = q;
        if (fabs((double)p / (double)q - fabs(x)) <= 1e-9 * (1 + fabs(x))) {
            *num = x < 0 ? -p : p;
            *den = q;
            return 1;
        }
        if (rest - (double)whole < 1e-12) break;
        rest = 1 / (rest - (double)whole);
    }
    return 0;
}

static void set_candidate(mech_symbolic *s, poly *d, double b, double c, int is_linear)
{
    long bn, bd, cn = 0, cd = 1;
    poly term = {0};
    poly_clear(d);
    if (!nearest_rational(b, &bn, &bd) || (!is_linear && !nearest_rational(c, &cn, &cd))) return;
    const long values[3] = {bd * cd, bn * cd, cn * bd};
    const unsigned top = is_linear ? 1 : 2;
    for (unsigned k = 0; k <= top; k++) {
        ratio number = {0};
        ratio_set_integer(&s->g, &number, values[k]);
        poly_set_variable(&s->g, &term, 0, top - k);
        poly_multiply(&s->g, &term, &term, &number.num);
        poly_add(&s->g, d, d, &term, 1);
        ratio_clear(&number);
    }
    poly_primitive(&s->g, d, &term, 0);
    poly_clear(&term);
}

/* Quadratic and linear factors over the rationals, guessed from the roots and proved by division. */
static int split_numbers(mech_symbolic *s, int k)
{
    enum { MOST = 40 };
    const poly *p = &s->factor[k];
    const unsigned degree = poly_degree(p, 0);
    double c[MOST + 1], re[MOST], im[MOST];
    poly part = {0};
    int done = 0;
    if (degree < 2 || degree > MOST || !is_univariate(p)) return 0;
    for (unsigned i = 0; i <= degree; i++) {
        poly_coefficient(&s->g, &part, p, 0, degree - i);
        c[i] = poly_value(&part, s->p.nominal);
    }
    const mech_status status = mech_polynomial_roots(c, (int)degree, re, im);
    if (status == MECH_ERR_MEMORY) s->g.status = status; /* without roots it stays whole */
    if (status == MECH_OK)
        for (unsigned i = 0; i < degree && !done; i++)
            for (unsigned j = i; j < degree && !done; j++) {
                if (fabs(im[i] + im[j]) > 1e-6 * (1 + fabs(im[i])) || (i == j && im[i] != 0)) continue;
                if (i == j) set_candidate(s, &part, -re[i], 0, 1);
                else set_candidate(s, &part, -(re[i] + re[j]), re[i] * re[j] - im[i] * im[j], 0);
                done = !poly_is_zero(&part) && split(s, k, &part);
            }
    poly_clear(&part);
    return done;
}

/* One split of factor k: 1 done, 0 it stays whole. */
static int split_once(mech_symbolic *s, int k)
{
    poly d = {0}, slope = {0};
    int done = 0;
    poly_set_variable(&s->g, &d, 0, 1); /* s */
    done = split(s, k, &d);
    for (int v = 1; v < s->p.variables && !done && s->g.status == MECH_OK; v++) {
        if (poly_degree(&s->factor[k], v) == 0) continue;
        poly_content(&s->g, &d, &s->factor[k], v);
        done = split(s, k, &d);
    }
    if (!done && s->g.status == MECH_OK) {
        poly_derivative(&s->g, &slope, &s->factor[k], 0);
        poly_gcd(&s->g, &d, &s->factor[k], &slope);
        done = split(s, k, &d);
    }
    if (!done && s->g.status == MECH_OK) done = split_numbers(s, k);
    poly_clears(&d, &slope, NULL);
    return done;
}

mech_status symbolic_factor(mech_symbolic *s, const poly *p)
{
    poly copy = {0};
    const int first = s->factor_count;
    poly_copy(&s->g, &copy, p);
    keep(s, &copy);
    for (int k = first; k < s->factor_count && s->g.status == MECH_OK;)
        if (!split_once(s, k)) k++;
    return s->g.status;
}
