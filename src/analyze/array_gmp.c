/* Routh's array in symbols, and the conditions it gives factor by factor. */
#include "analyze/symbolic.h"

#include "base/mem.h"
#include "base/try.h"

#include <string.h>

/* c_k / c_top of p as a polynomial in s */
static void monic_coefficient(algebra *g, const poly *p, unsigned power, ratio *to)
{
    poly_coefficient(g, &to->num, p, 0, power);
    poly_coefficient(g, &to->den, p, 0, poly_degree(p, 0));
    ratio_reduce(g, to);
}

static void plain_row(algebra *g, ratio *row, const ratio *above, const ratio *top, int columns)
{
    ratio product = {0};
    for (int j = 0; j + 1 < columns && g->status == MECH_OK; j++) {
        ratio_multiply(g, &product, &top[0], &above[j + 1]);
        ratio_divide(g, &product, &product, &above[0]);
        ratio_add(g, &row[j], &top[j + 1], &product, -1);
    }
    ratio_clear(&product);
}

static int leading_zeros(const ratio *row, int columns)
{
    int zeros = 0;
    while (zeros < columns && ratio_is_zero(&row[zeros])) zeros++;
    return zeros;
}

static void derivative_row(algebra *g, ratio *row, const ratio *above, int columns, int power)
{
    ratio factor = {0};
    for (int j = 0; j < columns; j++) {
        ratio_set_integer(g, &factor, power - 2 * j > 0 ? power - 2 * j : 0);
        ratio_multiply(g, &row[j], &above[j], &factor);
    }
    ratio_clear(&factor);
}

mech_status symbolic_array(mech_symbolic *s, const poly *p, ratio *array, unsigned char *kind)
{
    algebra *g = &s->g;
    const int degree = (int)poly_degree(p, 0), columns = degree / 2 + 1;
    for (int k = 0; k <= degree; k++) monic_coefficient(g, p, (unsigned)(degree - k), &array[k % 2 * columns + k / 2]);
    for (int row = 1; row <= degree && g->status == MECH_OK; row++) {
        ratio *now = array + row * columns, *above = now - columns;
        kind[row] = MECH_ROUTH_PLAIN;
        if (row > 1) plain_row(g, now, above, above - columns, columns);
        const int zeros = leading_zeros(now, columns);
        if (zeros == columns) {
            kind[row] = MECH_ROUTH_ZERO_ROW;
            derivative_row(g, now, above, columns, degree - row + 1);
        } else if (zeros > 0) {
            kind[row] = MECH_ROUTH_ZERO_PIVOT;
            for (int j = 0; j + zeros < columns; j++)
                ratio_add(g, &now[j], &now[j], &now[j + zeros], zeros % 2 ? -1 : 1);
        }
    }
    return g->status;
}

/* ---- conditions ---- */

/* h without factors that are known to be positive, and without squares of what is left of it. Sign: of the
 * constant. */
static void strip_known(mech_symbolic *s, poly *h)
{
    int again = 1;
    while (again && s->g.status == MECH_OK) {
        again = 0;
        for (int k = 0; k < s->condition_count && s->g.status == MECH_OK; k++)
            while (!poly_is_constant(h) && poly_divide(&s->g, h, h, &s->condition[k])) again = 1;
    }
    poly content = {0};
    poly_integer_gcd(&s->g, &content, h, &content);
    if (!poly_is_zero(&content)) (void)poly_divide(&s->g, h, h, &content);
    poly_clear(&content);
}

static void never(mech_symbolic *s, const poly *factor)
{
    if (s->result.never) return;
    s->result.never = 1;
    for (int format = 0; format < SYMBOLIC_FORMATS; format++)
        s->result.why_never[format] = symbolic_monic(s, factor, format);
}

/* r > 0, given the conditions so far */
static void require(mech_symbolic *s, const ratio *r, const poly *factor)
{
    poly h = {0};
    poly_multiply(&s->g, &h, &r->num, &r->den);
    strip_known(s, &h);
    if (s->g.status != MECH_OK) {
        poly_clear(&h);
        return;
    }
    if (poly_is_constant(&h)) {
        if (poly_leading_sign(&h) <= 0) never(s, factor);
    } else if (s->condition_count == SYMBOLIC_MOST_CONDITIONS) {
        s->g.status = MECH_ERR_LIMIT;
    } else {
        poly_swap(&s->condition[s->condition_count++], &h);
    }
    poly_clear(&h);
}

/* Squares of symbols are positive: h without them. */
static void strip_squares(mech_symbolic *s, poly *h)
{
    for (int k = 1; k < s->p.variables; k++) {
        poly square = {0};
        poly_set_variable(&s->g, &square, k, 2);
        while (s->g.status == MECH_OK && !poly_is_constant(h) && poly_divide(&s->g, h, h, &square)) continue;
        poly_clear(&square);
    }
}

/* h > 0 for marginal stability; h is used up. */
static void require_marginal(mech_symbolic *s, poly *h)
{
    strip_known(s, h);
    strip_squares(s, h);
    if (s->g.status == MECH_OK) poly_swap(&s->marginal[s->marginal_count++], h);
    poly_clear(h);
}

/* Factors in s^2 alone: s^2 + c needs c > 0; s^4 + b s^2 + c needs c > 0, b > 0 and b^2 - 4 c > 0, so that
   both values of s^2 are negative and distinct. b and c stand in the first row of the array. */
static void look_at_axis(mech_symbolic *s, const ratio *array, int degree)
{
    const ratio *b = &array[1], *c = &array[degree / 2];
    poly h = {0}, square = {0}, four = {0};
    poly_multiply(&s->g, &h, &c->num, &c->den);
    require_marginal(s, &h);
    if (degree == 4) {
        poly_multiply(&s->g, &h, &b->num, &b->den);
        require_marginal(s, &h);
        poly_multiply(&s->g, &square, &b->num, &b->num); /* (b_n^2 c_d - 4 c_n b_d^2) c_d has the sign of b^2 - 4 c */
        poly_multiply(&s->g, &square, &square, &c->den);
        poly_multiply(&s->g, &four, &b->den, &b->den);
        poly_multiply(&s->g, &four, &four, &c->num);
        for (int k = 0; k < 4; k++) poly_add(&s->g, &square, &square, &four, -1);
        poly_multiply(&s->g, &h, &square, &c->den);
        require_marginal(s, &h);
    }
    poly_clears(&square, &four, NULL);
}

static mech_status require_factor(mech_symbolic *s, const poly *factor)
{
    const int degree = (int)poly_degree(factor, 0), columns = degree / 2 + 1, cells = (degree + 1) * columns;
    ratio *array = ratio_list(&s->g, (size_t)cells);
    unsigned char *kind = mem_zeroed((size_t)degree + 1, 1);
    mech_status status = array && kind ? symbolic_array(s, factor, array, kind) : MECH_ERR_MEMORY;
    int special = 0;
    for (int row = 1; row <= degree && status == MECH_OK; row++) special |= kind[row] != MECH_ROUTH_PLAIN;
    if (special) never(s, factor);
    if ((degree == 2 || degree == 4) && status == MECH_OK && kind[1] == MECH_ROUTH_ZERO_ROW) {
        look_at_axis(s, array, degree);
        status = s->g.status;
    }
    for (int row = 1; row <= degree && status == MECH_OK && !special; row++) {
        /* the lowest coefficient first: it is the simplest, and the last of the column */
        const int at = row == 1 ? degree : row - 1;
        require(s, &array[at * columns], factor);
        status = s->g.status;
    }
    ratio_list_free(array, (size_t)cells);
    mem_free(kind);
    return status;
}

mech_status symbolic_conditions(mech_symbolic *s)
{
    for (int k = 0; k < s->factor_count; k++) MECH_TRY(require_factor(s, &s->factor[k]));
    /* an earlier condition may hold a later one as a factor */
    for (int i = 0; i < s->condition_count; i++)
        for (int k = 0; k < s->condition_count && s->g.status == MECH_OK; k++) {
            poly rest = {0};
            while (k != i && !poly_equal(&s->condition[i], &s->condition[k]) &&
                   poly_divide(&s->g, &rest, &s->condition[i], &s->condition[k]))
                poly_swap(&rest, &s->condition[i]);
            poly_clear(&rest);
        }
    return s->g.status;
}

/* ---- text ---- */

const char *symbolic_monic(mech_symbolic *s, const poly *p, int format)
{
    const poly_style style = symbolic_style(s, format);
    const unsigned degree = poly_degree(p, 0);
    textbuf out = {0};
    ratio c = {0};
    for (unsigned k = degree + 1; k-- > 0 && s->g.status == MECH_OK;) {
        monic_coefficient(&s->g, p, k, &c);
        if (ratio_is_zero(&c)) continue;
        const int many = c.num.count > 1 && poly_is_constant(&c.den) && k > 0;
        textbuf part = {0};
        ratio_print(&c, &style, &part);
        const char *text = part.data ? part.data : "";
        const int negative = !many && *text == '-';
        if (k < degree) text_add(&out, negative ? " - " : " + ");
        else if (negative) text_add_char(&out, '-');
        if (negative) text++;
        if (k == 0 || strcmp(text, "1") != 0) {
            if (many) text_add(&out, style.is_latex ? "\\left(" : "(");
            text_add(&out, text);
            if (many) text_add(&out, style.is_latex ? "\\right)" : ")");
            if (k > 0) text_add(&out, style.is_latex ? "\\," : "*");
        }
        out.failed |= part.failed;
        text_free(&part);
        if (k > 1) text_format(&out, style.is_latex ? "s^{%u}" : "s^%u", k);
        else if (k == 1) text_add_char(&out, 's');
    }
    out.failed |= s->g.status == MECH_ERR_MEMORY;
    ratio_clear(&c);
    return symbolic_keep(s, &out);
}
