/* Ratios of polynomials, and how both are written. */
#include "analyze/poly_gmp.h"

#include "base/mem.h"

void ratio_clear(ratio *r) { poly_clears(&r->num, &r->den, NULL); }

ratio *ratio_list(algebra *g, size_t count)
{
    ratio *list = mem_zeroed(count, sizeof *list);
    if (!list) g->status = MECH_ERR_MEMORY;
    for (size_t i = 0; list && i < count; i++) ratio_set_integer(g, &list[i], 0);
    return list;
}

void ratio_list_free(ratio *list, size_t count)
{
    for (size_t i = 0; list && i < count; i++) ratio_clear(&list[i]);
    mem_free(list);
}

void ratio_swap(ratio *a, ratio *b)
{
    const ratio keep = *a;
    *a = *b;
    *b = keep;
}

void ratio_copy(algebra *g, ratio *to, const ratio *from)
{
    poly_copy(g, &to->num, &from->num);
    poly_copy(g, &to->den, &from->den);
}

void ratio_set_integer(algebra *g, ratio *to, long value)
{
    mpz_t c;
    mpz_init_set_si(c, value);
    poly_set_integer(g, &to->num, c);
    poly_set_one(g, &to->den);
    mpz_clear(c);
}

void ratio_set_rational(algebra *g, ratio *to, const mpq_t value)
{
    poly_set_integer(g, &to->num, mpq_numref(value));
    poly_set_integer(g, &to->den, mpq_denref(value));
}

void ratio_set_variable(algebra *g, ratio *to, int variable, unsigned power)
{
    poly_set_variable(g, &to->num, variable, power);
    poly_set_one(g, &to->den);
}

void ratio_reduce(algebra *g, ratio *r)
{
    poly common = {0};
    poly_gcd(g, &common, &r->num, &r->den);
    if (poly_is_zero(&r->num)) {
        poly_set_one(g, &r->den);
    } else if (!poly_is_one(&common) && g->status == MECH_OK) {
        (void)poly_divide(g, &r->num, &r->num, &common);
        (void)poly_divide(g, &r->den, &r->den, &common);
    }
    if (poly_leading_sign(&r->den) < 0) {
        poly_negate(&r->num);
        poly_negate(&r->den);
    }
    poly_clear(&common);
}

void ratio_add(algebra *g, ratio *to, const ratio *a, const ratio *b, int sign)
{
    ratio sum = {0};
    poly other = {0};
    if (poly_equal(&a->den, &b->den)) {
        poly_add(g, &sum.num, &a->num, &b->num, sign);
        poly_copy(g, &sum.den, &a->den);
    } else {
        poly_multiply(g, &sum.num, &a->num, &b->den);
        poly_multiply(g, &other, &b->num, &a->den);
        poly_add(g, &sum.num, &sum.num, &other, sign);
        poly_multiply(g, &sum.den, &a->den, &b->den);
    }
    ratio_reduce(g, &sum);
    ratio_swap(to, &sum);
    ratio_clear(&sum);
    poly_clear(&other);
}

static void combine(algebra *g, ratio *to, const poly *n1, const poly *n2, const poly *d1, const poly *d2)
{
    ratio product = {0};
    poly_multiply(g, &product.num, n1, n2);
    poly_multiply(g, &product.den, d1, d2);
    ratio_reduce(g, &product);
    ratio_swap(to, &product);
    ratio_clear(&product);
}

void ratio_multiply(algebra *g, ratio *to, const ratio *a, const ratio *b)
{
    combine(g, to, &a->num, &b->num, &a->den, &b->den);
}

void ratio_divide(algebra *g, ratio *to, const ratio *a, const ratio *b)
{
    combine(g, to, &a->num, &b->den, &a->den, &b->num);
}

void ratio_power(algebra *g, ratio *to, const ratio *a, int power)
{
    ratio result = {0};
    ratio_set_integer(g, &result, 1);
    for (int k = 0; k < (power < 0 ? -power : power) && g->status == MECH_OK; k++) {
        if (power > 0) ratio_multiply(g, &result, &result, a);
        else ratio_divide(g, &result, &result, a);
    }
    ratio_swap(to, &result);
    ratio_clear(&result);
}

int ratio_is_zero(const ratio *r) { return poly_is_zero(&r->num); }

double ratio_value(const ratio *r, const double *values)
{
    return poly_value(&r->num, values) / poly_value(&r->den, values);
}

int ratio_number(const ratio *r, mpq_t value)
{
    if (!poly_is_constant(&r->num) || !poly_is_constant(&r->den) || poly_is_zero(&r->den)) return 0;
    mpq_set_ui(value, 0, 1);
    if (!poly_is_zero(&r->num)) {
        mpz_set(mpq_numref(value), r->num.terms[0].c);
        mpz_set(mpq_denref(value), r->den.terms[0].c);
        mpq_canonicalize(value);
    }
    return 1;
}

/* ---- printing ---- */

/* An integer over another: in full where that is asked for, else as short as it reads well: 49/12, or eight digits. */
static void print_number(const mpz_t num, const mpz_t den, const poly_style *style, textbuf *out)
{
    mpq_t q;
    mpq_init(q);
    mpz_set(mpq_numref(q), num);
    mpz_set(mpq_denref(q), den);
    mpq_canonicalize(q);
    const size_t digits = mpz_sizeinbase(mpq_numref(q), 10) + mpz_sizeinbase(mpq_denref(q), 10);
    char *text = mem_alloc(digits + 4);
    if (!text) {
        out->failed = 1;
    } else if (!style->is_full && digits > 18) {
        text_format(out, "%.8g", mpq_get_d(q));
    } else if (style->is_latex && mpz_cmp_ui(mpq_denref(q), 1) != 0) {
        text_format(out, "\\frac{%s}", mpz_get_str(text, 10, mpq_numref(q)));
        text_format(out, "{%s}", mpz_get_str(text, 10, mpq_denref(q)));
    } else {
        text_add(out, mpq_get_str(text, 10, q));
    }
    mem_free(text);
    mpq_clear(q);
}

static void print_powers(const poly_term *t, const poly_style *style, int *first, textbuf *out)
{
    for (int k = 1; k <= POLY_VARIABLES; k++) { /* symbols first, s last */
        const int variable = k % POLY_VARIABLES;
        if (!t->e[variable]) continue;
        if (!*first) text_add(out, style->is_latex ? " " : "*");
        *first = 0;
        text_add(out, style->names[variable]);
        if (t->e[variable] > 1) text_format(out, style->is_latex ? "^{%u}" : "^%u", t->e[variable]);
    }
}

/* p divided by the number `under` */
static void print_over(const poly *p, const mpz_t under, const poly_style *style, textbuf *out)
{
    mpz_t size;
    mpz_init(size);
    if (poly_is_zero(p)) text_add_char(out, '0');
    for (size_t i = 0; i < p->count; i++) {
        const poly_term *t = &p->terms[i];
        const int negative = mpz_sgn(t->c) < 0;
        if (i == 0 && negative) text_add_char(out, '-');
        if (i > 0) text_add(out, negative ? " - " : " + ");
        mpz_abs(size, t->c);
        int first = 1, bare = 1;
        for (int k = 0; k < POLY_VARIABLES; k++) bare = bare && !t->e[k];
        if (bare || mpz_cmp(size, under) != 0) {
            print_number(size, under, style, out);
            first = 0;
        }
        print_powers(t, style, &first, out);
    }
    mpz_clear(size);
}

void poly_print(const poly *p, const poly_style *style, textbuf *out)
{
    mpz_t one;
    mpz_init_set_ui(one, 1);
    print_over(p, one, style, out);
    mpz_clear(one);
}

/* One factor only, so that nothing hangs on the order of * and /. */
static int is_one_factor(const poly *p)
{
    int factors = p->count == 1 && mpz_cmp_ui(p->terms[0].c, 1) != 0;
    for (int k = 0; p->count == 1 && k < POLY_VARIABLES; k++) factors += p->terms[0].e[k] != 0;
    return p->count == 1 && factors <= 1;
}

static void print_bracketed(const poly *p, int is_under, const poly_style *style, textbuf *out)
{
    const int plain = is_under ? is_one_factor(p) : p->count == 1;
    if (!plain) text_add_char(out, '(');
    poly_print(p, style, out);
    if (!plain) text_add_char(out, ')');
}

void ratio_print(const ratio *r, const poly_style *style, textbuf *out)
{
    if (poly_is_constant(&r->den) && !poly_is_zero(&r->den)) {
        print_over(&r->num, r->den.terms[0].c, style, out);
    } else if (style->is_latex) {
        text_add(out, "\\frac{");
        poly_print(&r->num, style, out);
        text_add(out, "}{");
        poly_print(&r->den, style, out);
        text_add_char(out, '}');
    } else {
        print_bracketed(&r->num, 0, style, out);
        text_add_char(out, '/');
        print_bracketed(&r->den, 1, style, out);
    }
}
