#include "analyze/integer_gmp.h"

#include "base/mem.h"

#include <ctype.h>
#include <stdlib.h>

enum { MOST_DIGITS = 4000 };

int integer_read(mpq_t value, const char *text)
{
    char digits[MOST_DIGITS + 2];
    size_t count = 0;
    long scale = 0;
    const char *s = text;
    if (*s == '-' || *s == '+') {
        if (*s == '-') digits[count++] = '-';
        s++;
    }
    const size_t sign = count;
    for (int point = 0; isdigit((unsigned char)*s) || (*s == '.' && !point); s++) {
        if (*s == '.') point = 1;
        else if (count > MOST_DIGITS) return 0;
        else {
            digits[count++] = *s;
            scale -= point;
        }
    }
    if (count == sign) return 0;
    digits[count] = '\0';
    if (*s == 'e' || *s == 'E') {
        char *end;
        scale += strtol(s + 1, &end, 10);
        if (end == s + 1) return 0;
        s = end;
    }
    if (labs(scale) > MOST_DIGITS || mpz_set_str(mpq_numref(value), digits, 10) != 0) return 0;
    mpz_ui_pow_ui(mpq_denref(value), 10, (unsigned long)labs(scale));
    if (scale > 0) {
        mpz_mul(mpq_numref(value), mpq_numref(value), mpq_denref(value));
        mpz_set_ui(mpq_denref(value), 1);
    }
    mpq_canonicalize(value);
    return *s == '\0' || *s == '/';
}

int integer_init(integer_poly *p, int degree)
{
    p->degree = -1;
    p->capacity = degree + 1;
    p->c = mem_alloc(((size_t)degree + 1) * sizeof *p->c);
    for (int k = 0; p->c && k <= degree; k++) mpz_init(p->c[k]);
    if (!p->c) p->capacity = 0;
    return p->c != NULL;
}

void integer_clear(integer_poly *p)
{
    for (int k = 0; k < p->capacity; k++) mpz_clear(p->c[k]);
    mem_free(p->c);
    *p = (integer_poly){0};
}

void integer_trim(integer_poly *p)
{
    p->degree = p->capacity - 1;
    while (p->degree >= 0 && mpz_sgn(p->c[p->degree]) == 0) p->degree--;
}

static void integer_swap(integer_poly *a, integer_poly *b)
{
    const integer_poly keep = *a;
    *a = *b;
    *b = keep;
}

/* Divides by the positive content. */
static void integer_primitive(integer_poly *p)
{
    mpz_t content;
    if (p->degree < 0) return;
    mpz_init(content);
    for (int k = 0; k <= p->degree && mpz_cmp_ui(content, 1) != 0; k++) mpz_gcd(content, content, p->c[k]);
    if (mpz_cmp_ui(content, 1) != 0)
        for (int k = 0; k <= p->degree; k++) mpz_divexact(p->c[k], p->c[k], content);
    mpz_clear(content);
}

void integer_derivative(integer_poly *to, const integer_poly *p)
{
    for (int k = 0; k < to->capacity; k++) {
        if (k + 1 <= p->degree) mpz_mul_ui(to->c[k], p->c[k + 1], (unsigned long)k + 1);
        else mpz_set_ui(to->c[k], 0);
    }
    integer_trim(to);
}

/* r = - (positive number) * remainder of r by b, made primitive: one step of a Sturm chain */
static void integer_negative_remainder(integer_poly *r, const integer_poly *b)
{
    mpz_t lead, factor;
    mpz_inits(lead, factor, NULL);
    mpz_abs(lead, b->c[b->degree]);
    while (r->degree >= b->degree) {
        const int shift = r->degree - b->degree;
        mpz_set(factor, r->c[r->degree]);
        if (mpz_sgn(b->c[b->degree]) < 0) mpz_neg(factor, factor);
        for (int k = 0; k < r->degree; k++) {
            mpz_mul(r->c[k], r->c[k], lead);
            if (k >= shift) mpz_submul(r->c[k], factor, b->c[k - shift]);
        }
        mpz_set_ui(r->c[r->degree], 0);
        while (r->degree >= 0 && mpz_sgn(r->c[r->degree]) == 0) r->degree--;
    }
    for (int k = 0; k <= r->degree; k++) mpz_neg(r->c[k], r->c[k]);
    integer_primitive(r);
    mpz_clears(lead, factor, NULL);
}

/* Changes of sign between neighbours at -inf and +inf, as their difference. */
static int change(const integer_poly *a, const integer_poly *b)
{
    const int right = mpz_sgn(a->c[a->degree]) * mpz_sgn(b->c[b->degree]);
    const int left = (a->degree + b->degree) % 2 ? -right : right;
    return (left < 0) - (right < 0);
}

int integer_index(integer_poly *a, integer_poly *b)
{
    int index = 0;
    integer_primitive(a);
    integer_primitive(b);
    while (b->degree >= 0) {
        if (a->degree >= 0) index += change(a, b);
        integer_negative_remainder(a, b);
        integer_swap(a, b);
    }
    return index;
}
