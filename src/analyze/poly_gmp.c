#include "analyze/poly_gmp.h"

#include "base/mem.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

/* ---- memory ---- */

static void shrink(poly *p, size_t count)
{
    while (p->count > count) mpz_clear(p->terms[--p->count].c);
}

void poly_clear(poly *p)
{
    shrink(p, 0);
    mem_free(p->terms);
    *p = (poly){0};
}

void poly_clears(poly *first, ...)
{
    va_list more;
    va_start(more, first);
    for (poly *p = first; p; p = va_arg(more, poly *)) poly_clear(p);
    va_end(more);
}

void poly_swap(poly *a, poly *b)
{
    const poly keep = *a;
    *a = *b;
    *b = keep;
}

/* A new last term with a coefficient, NULL: 0. NULL after a failure. */
static poly_term *push(algebra *g, poly *p, const uint16_t *e, mpz_srcptr c)
{
    if (p->count == POLY_MOST_TERMS) g->status = MECH_ERR_LIMIT;
    if (g->status != MECH_OK) return NULL;
    if (!mem_grow(&p->terms, &p->capacity, p->count + 1, sizeof *p->terms)) {
        g->status = MECH_ERR_MEMORY;
        return NULL;
    }
    poly_term *t = &p->terms[p->count++];
    mpz_init(t->c);
    if (c) mpz_set(t->c, c);
    memcpy(t->e, e, sizeof t->e);
    return t;
}

static const uint16_t no_powers[POLY_VARIABLES];

void poly_copy(algebra *g, poly *to, const poly *from)
{
    if (to == from) return;
    shrink(to, 0);
    for (size_t i = 0; i < from->count; i++)
        if (!push(g, to, from->terms[i].e, from->terms[i].c)) return;
}

void poly_set_integer(algebra *g, poly *to, const mpz_t value)
{
    shrink(to, 0);
    if (mpz_sgn(value) != 0) (void)push(g, to, no_powers, value);
}

void poly_set_one(algebra *g, poly *to) { poly_set_variable(g, to, 0, 0); }

void poly_set_variable(algebra *g, poly *to, int variable, unsigned power)
{
    uint16_t e[POLY_VARIABLES] = {0};
    e[variable] = (uint16_t)power;
    shrink(to, 0);
    poly_term *t = push(g, to, e, NULL);
    if (t) mpz_set_ui(t->c, 1);
}

int poly_is_zero(const poly *p) { return p->count == 0; }

int poly_is_constant(const poly *p)
{
    return p->count == 0 || (p->count == 1 && memcmp(p->terms[0].e, no_powers, sizeof no_powers) == 0);
}

int poly_is_one(const poly *p) { return p->count == 1 && poly_is_constant(p) && mpz_cmp_ui(p->terms[0].c, 1) == 0; }

int poly_equal(const poly *a, const poly *b)
{
    if (a->count != b->count) return 0;
    for (size_t i = 0; i < a->count; i++)
        if (memcmp(a->terms[i].e, b->terms[i].e, sizeof no_powers) != 0 || mpz_cmp(a->terms[i].c, b->terms[i].c) != 0)
            return 0;
    return 1;
}

/* ---- sums and products ---- */

static int compare(const uint16_t *a, const uint16_t *b)
{
    for (int k = 0; k < POLY_VARIABLES; k++)
        if (a[k] != b[k]) return a[k] > b[k] ? 1 : -1;
    return 0;
}

/* Of one product or quotient of integers, and what goes with it. A count, not a clock: the same model ends the same
   way everywhere. */
static void charge(algebra *g, const mpz_t a, const mpz_t b)
{
    g->work += 60 + (uint64_t)mpz_size(a) * mpz_size(b);
    if (g->work > POLY_MOST_WORK) g->status = MECH_ERR_LIMIT;
}

/* to += a + factor * monomial * b, where a and b are not to */
static void merge(algebra *g, poly *to, const poly *a, const poly *b, const mpz_t factor, const uint16_t *shift)
{
    size_t i = 0, j = 0;
    uint16_t e[POLY_VARIABLES] = {0};
    while ((i < a->count || j < b->count) && g->status == MECH_OK) {
        int order = i < a->count ? 1 : -1;
        if (j < b->count) {
            for (int k = 0; k < POLY_VARIABLES; k++) e[k] = (uint16_t)(b->terms[j].e[k] + shift[k]);
            if (i < a->count) order = compare(a->terms[i].e, e);
        }
        poly_term *t = push(g, to, order >= 0 ? a->terms[i].e : e, order >= 0 ? a->terms[i].c : NULL);
        if (!t) return;
        i += order >= 0;
        charge(g, order > 0 ? t->c : b->terms[j].c, factor);
        if (order <= 0) mpz_addmul(t->c, b->terms[j++].c, factor);
        if (mpz_sgn(t->c) == 0) shrink(to, to->count - 1);
        else if (mpz_sizeinbase(t->c, 2) > POLY_MOST_BITS) g->status = MECH_ERR_LIMIT;
    }
}

void poly_add(algebra *g, poly *to, const poly *a, const poly *b, int sign)
{
    mpz_t factor;
    poly sum = {0};
    mpz_init_set_si(factor, sign);
    merge(g, &sum, a, b, factor, no_powers);
    mpz_clear(factor);
    poly_swap(to, &sum);
    poly_clear(&sum);
}

void poly_multiply(algebra *g, poly *to, const poly *a, const poly *b)
{
    poly sum = {0}, next = {0};
    const poly *few = a->count > b->count ? b : a, *many = few == a ? b : a;
    for (size_t i = 0; i < few->count && g->status == MECH_OK; i++) {
        shrink(&next, 0);
        merge(g, &next, &sum, many, few->terms[i].c, few->terms[i].e);
        poly_swap(&sum, &next);
    }
    poly_swap(to, &sum);
    poly_clears(&sum, &next, NULL);
}

int poly_divide(algebra *g, poly *to, const poly *a, const poly *b)
{
    poly rest = {0}, quotient = {0}, next = {0};
    mpz_t factor;
    int divides = 1;
    mpz_init(factor);
    poly_copy(g, &rest, a);
    while (rest.count && divides && g->status == MECH_OK) {
        const poly_term *r = &rest.terms[0], *d = &b->terms[0];
        uint16_t e[POLY_VARIABLES];
        for (int k = 0; k < POLY_VARIABLES; k++) {
            divides = divides && r->e[k] >= d->e[k];
            e[k] = (uint16_t)(r->e[k] - d->e[k]);
        }
        divides = divides && mpz_divisible_p(r->c, d->c);
        if (!divides) break;
        mpz_divexact(factor, r->c, d->c);
        if (!push(g, &quotient, e, factor)) break;
        mpz_neg(factor, factor);
        shrink(&next, 0);
        merge(g, &next, &rest, b, factor, e);
        poly_swap(&rest, &next);
    }
    if (divides) poly_swap(to, &quotient);
    poly_clears(&rest, &quotient, &next, NULL);
    mpz_clear(factor);
    return divides;
}

void poly_negate(poly *p)
{
    for (size_t i = 0; i < p->count; i++) mpz_neg(p->terms[i].c, p->terms[i].c);
}

int poly_leading_sign(const poly *p) { return p->count ? mpz_sgn(p->terms[0].c) : 0; }

/* ---- by powers of one variable ---- */

unsigned poly_degree(const poly *p, int variable)
{
    unsigned degree = 0;
    for (size_t i = 0; i < p->count; i++)
        if (p->terms[i].e[variable] > degree) degree = p->terms[i].e[variable];
    return degree;
}

void poly_coefficient(algebra *g, poly *to, const poly *p, int variable, unsigned power)
{
    poly part = {0};
    for (size_t i = 0; i < p->count; i++) {
        if (p->terms[i].e[variable] != power) continue;
        poly_term *t = push(g, &part, p->terms[i].e, p->terms[i].c);
        if (!t) break;
        t->e[variable] = 0;
    }
    poly_swap(to, &part); /* the order of the others is kept */
    poly_clear(&part);
}

void poly_derivative(algebra *g, poly *to, const poly *p, int variable)
{
    poly result = {0};
    for (size_t i = 0; i < p->count; i++) {
        if (p->terms[i].e[variable] == 0) continue;
        poly_term *t = push(g, &result, p->terms[i].e, p->terms[i].c);
        if (!t) break;
        mpz_mul_ui(t->c, t->c, t->e[variable]);
        t->e[variable]--;
    }
    poly_swap(to, &result);
    poly_clear(&result);
}

void poly_content(algebra *g, poly *to, const poly *p, int variable)
{
    poly content = {0}, part = {0};
    for (unsigned k = 0; k <= poly_degree(p, variable) && !poly_is_one(&content) && g->status == MECH_OK; k++) {
        poly_coefficient(g, &part, p, variable, k);
        poly_gcd(g, &content, &content, &part);
    }
    poly_swap(to, &content);
    poly_clears(&content, &part, NULL);
}

/* ---- greatest common divisor: primitive remainders in the first variable that occurs ---- */

static int first_variable(const poly *a, const poly *b)
{
    for (int k = 0; k < POLY_VARIABLES; k++)
        if (poly_degree(a, k) || poly_degree(b, k)) return k;
    return -1;
}

/* a = pseudo-remainder of a by b in the variable */
static void pseudo_remainder(algebra *g, poly *a, const poly *b, int variable)
{
    const unsigned degree = poly_degree(b, variable);
    poly lead_b = {0}, lead_a = {0}, shift = {0}, product = {0};
    poly_coefficient(g, &lead_b, b, variable, degree);
    while (!poly_is_zero(a) && poly_degree(a, variable) >= degree && g->status == MECH_OK) {
        const unsigned top = poly_degree(a, variable);
        poly_coefficient(g, &lead_a, a, variable, top);
        poly_set_variable(g, &shift, variable, top - degree);
        poly_multiply(g, &shift, &shift, &lead_a);
        poly_multiply(g, &product, &shift, b);
        poly_multiply(g, a, a, &lead_b);
        poly_add(g, a, a, &product, -1);
    }
    poly_clears(&lead_a, &lead_b, &shift, &product, NULL);
}

void poly_integer_gcd(algebra *g, poly *to, const poly *a, const poly *b)
{
    mpz_t c;
    mpz_init(c);
    for (size_t i = 0; i < a->count + b->count; i++) {
        const poly_term *t = i < a->count ? &a->terms[i] : &b->terms[i - a->count];
        charge(g, t->c, i ? c : t->c);
        mpz_gcd(c, c, t->c);
    }
    poly_set_integer(g, to, c);
    mpz_clear(c);
}

void poly_primitive(algebra *g, poly *p, poly *content, int variable)
{
    poly_content(g, content, p, variable);
    if (!poly_is_zero(content) && !poly_is_one(content)) (void)poly_divide(g, p, p, content);
}

void poly_gcd(algebra *g, poly *to, const poly *a, const poly *b)
{
    poly x = {0}, y = {0}, cx = {0}, cy = {0};
    const int variable = first_variable(a, b);
    poly_copy(g, &x, a);
    poly_copy(g, &y, b);
    if (poly_is_zero(&x) || poly_is_zero(&y)) {
        poly_add(g, &x, &x, &y, 1);
    } else if (variable < 0) {
        poly_integer_gcd(g, &x, a, b);
    } else {
        poly_primitive(g, &x, &cx, variable);
        poly_primitive(g, &y, &cy, variable);
        poly_gcd(g, &cx, &cx, &cy);
        if (poly_degree(&x, variable) < poly_degree(&y, variable)) poly_swap(&x, &y);
        while (!poly_is_zero(&y) && g->status == MECH_OK) {
            if (poly_degree(&y, variable) == 0) { /* nothing in common but contents */
                poly_set_one(g, &x);
                break;
            }
            pseudo_remainder(g, &x, &y, variable);
            poly_primitive(g, &x, &cy, variable);
            poly_swap(&x, &y);
        }
        poly_multiply(g, &x, &x, &cx);
    }
    if (poly_leading_sign(&x) < 0) poly_negate(&x);
    poly_swap(to, &x);
    poly_clears(&x, &y, &cx, &cy, NULL);
}

double poly_value(const poly *p, const double *values)
{
    double sum = 0;
    for (size_t i = 0; i < p->count; i++) {
        double term = mpz_get_d(p->terms[i].c);
        for (int k = 0; k < POLY_VARIABLES; k++)
            if (p->terms[i].e[k]) term *= pow(values[k], p->terms[i].e[k]);
        sum += term;
    }
    return sum;
}
