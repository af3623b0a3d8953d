/* Expressions as the language reads them. What is printed parses back to the same node. */
#include "expr/print.h"

#include "base/number.h"
#include "expr/numbers.h"

#include <string.h>

/* Deeper nesting or longer text is cut with "...": an expression shared in many places may be
   astronomically long when written out. */
enum { DEEPEST = 400, LONGEST = 4 << 20 };

enum { PREC_SUM = 1, PREC_PRODUCT = 2, PREC_POWER = 3 }; /* what may stand here without brackets */

static void print_at(const printer *w, mech_expr e, textbuf *out, int prec, int depth);

/* Whether a fraction is shown as a decimal: tenths and the like (0.3, 9.81), not halves or thirds, and only
   when the digits read back to the same number. */
static int is_decimal(expr_number n)
{
    char digits[NUMBER_TEXT_SIZE];
    expr_number back;
    if (n.den < 5 || n.den % 5 != 0) return 0;
    const expr_number size = number_is_negative(n) ? number_neg(n) : n;
    number_shortest(size.value, digits);
    return number_from_text(digits, strlen(digits), &back) && number_equal(back, size);
}

void print_number(expr_number n, textbuf *out)
{
    if (n.den == 0 || is_decimal(n)) text_add_double(out, n.value);
    else if (n.den == 1) text_format(out, "%lld", (long long)n.num);
    else text_format(out, "%lld/%lld", (long long)n.num, (long long)n.den);
}

/* What stands there as a product, in need of brackets below a line. */
static int is_product(const printer *w, uint32_t id)
{
    if (printer_name(w, id)) return 0;
    const expr_node *n = &w->pool->nodes[id];
    return n->kind == EXPR_HELD ? is_product(w, w->pool->operands[n->first]) : n->kind == EXPR_MUL;
}

/* base^exponent, exponent taken as positive: the caller has put the factor where it belongs. */
static void print_power(const printer *w, uint32_t base, expr_number e, textbuf *out, int depth)
{
    const int is_below = number_is_negative(e);
    if (is_below) e = number_neg(e);
    if (number_equal(e, number_fraction(1, 2))) {
        text_add(out, "sqrt(");
        print_at(w, (mech_expr){base}, out, PREC_SUM, depth + 1);
        text_add_char(out, ')');
        return;
    }
    const int plain = number_equal(e, number_integer(1));
    print_at(w, (mech_expr){base}, out, plain ? PREC_PRODUCT + (is_below && is_product(w, base)) : PREC_POWER,
             depth + 1);
    if (plain) return;
    text_add_char(out, '^');
    if (!number_is_integer(e)) text_add_char(out, '(');
    print_number(e, out);
    if (!number_is_integer(e)) text_add_char(out, ')');
}

typedef struct split { /* how a term is laid out: number * parameters / den * others, or (...)/(...) */
    expr_pairs factors;
    expr_number coef; /* its size */
    size_t above, below;
} split;

static void print_above(const printer *w, const split *s, textbuf *out, int depth)
{
    mech_pool *p = w->pool;
    const int has_den = s->coef.den > 1 && !is_decimal(s->coef);
    const expr_number shown = has_den ? number_integer(s->coef.num) : s->coef;
    int first = 1, den_done = 0;
    if (!number_equal(shown, number_integer(1)) || s->above == 0) {
        print_number(shown, out);
        first = 0;
    }
    for (size_t i = 0; i < s->factors.count; i++) {
        const expr_pair f = s->factors.items[i];
        const expr_number e = num_of(p, f.number);
        if (number_is_negative(e)) continue;
        /* m*l^2/12*theta'^2: the denominator stands after the parameters */
        if (has_den && !s->below && !first && !den_done && !print_is_parameter(p, f.node) && i > 0 &&
            print_is_parameter(p, s->factors.items[i - 1].node)) {
            text_format(out, "/%lld", (long long)s->coef.den);
            den_done = 1;
        }
        if (!first) text_add_char(out, '*');
        print_power(w, f.node, e, out, depth);
        first = 0;
    }
    if (has_den && !s->below && !den_done) text_format(out, "/%lld", (long long)s->coef.den);
}

static void print_below(const printer *w, const split *s, textbuf *out, int depth)
{
    mech_pool *p = w->pool;
    const int den_here = s->coef.den > 1 && !is_decimal(s->coef);
    const int bracket = s->below + (size_t)den_here > 1;
    text_add(out, bracket ? "/(" : "/");
    int first = 1;
    if (den_here) {
        text_format(out, "%lld", (long long)s->coef.den);
        first = 0;
    }
    for (size_t i = 0; i < s->factors.count; i++) {
        const expr_number e = num_of(p, s->factors.items[i].number);
        if (!number_is_negative(e)) continue;
        if (!first) text_add_char(out, '*');
        print_power(w, s->factors.items[i].node, e, out, depth);
        first = 0;
    }
    if (bracket) text_add_char(out, ')');
}

/* |coef|*node */
static void print_term(const printer *w, expr_pair term, textbuf *out, int depth)
{
    mech_pool *p = w->pool;
    split s = {.coef = num_of(p, term.number)};
    pairs_init(&s.factors);
    if (number_is_negative(s.coef)) s.coef = number_neg(s.coef);
    if (term.node == EXPR_ID_ONE) {
        print_number(s.coef, out);
    } else if (print_shown_factors(w, term.node, &s.factors)) {
        for (size_t i = 0; i < s.factors.count; i++)
            if (number_is_negative(num_of(p, s.factors.items[i].number))) s.below++;
            else s.above++;
        print_above(w, &s, out, depth);
        if (s.below) print_below(w, &s, out, depth);
    } else {
        out->failed = 1;
    }
    pairs_free(&s.factors);
}

static void print_function(const printer *w, const expr_node *n, textbuf *out, int depth)
{
    mech_pool *p = w->pool;
    const mech_function f = (mech_function)n->function;
    const uint32_t first = n->first, count = n->count;
    const char *name = expr_function_name(f);
    if (f == MECH_FUNCTION_LESS || f == MECH_FUNCTION_LESS_EQUAL || f == MECH_FUNCTION_EQUAL ||
        f == MECH_FUNCTION_AND || f == MECH_FUNCTION_OR) {
        text_add_char(out, '(');
        print_at(w, (mech_expr){p->operands[first]}, out, PREC_SUM, depth + 1);
        text_format(out, " %s ", name);
        print_at(w, (mech_expr){p->operands[first + 1]}, out, PREC_SUM, depth + 1);
        text_add_char(out, ')');
        return;
    }
    text_add(out, f == MECH_FUNCTION_NOT ? "(not " : name);
    if (f != MECH_FUNCTION_NOT) text_add_char(out, '(');
    for (uint32_t i = 0; i < count; i++) {
        if (i) text_add(out, ", ");
        print_at(w, (mech_expr){p->operands[first + i]}, out, PREC_SUM, depth + 1);
    }
    text_add_char(out, ')');
}

/* Whether e written out needs brackets where only `prec` may stand. */
static int needs_brackets(const mech_pool *p, mech_expr e, int prec)
{
    const expr_node *n = expr_at(p, e);
    if (prec <= PREC_SUM) return 0;
    if (n->kind == EXPR_ADD) return 1;
    if (n->kind == EXPR_MUL) return prec > PREC_PRODUCT;
    if (n->kind == EXPR_NUM) {
        const expr_number c = num_of(p, e.id);
        return number_is_negative(c) || (c.den > 1 && prec >= PREC_PRODUCT);
    }
    return 0;
}

static void print_at(const printer *w, mech_expr e, textbuf *out, int prec, int depth)
{
    mech_pool *p = w->pool;
    if (depth > DEEPEST || out->length > LONGEST) {
        text_add(out, "...");
        return;
    }
    const expr_node n = *expr_at(p, e);
    if (printer_name(w, e.id)) {
        print_name(w->names, printer_name(w, e.id), MECH_PRINT_TEXT, out);
    } else if (n.kind == EXPR_PI) {
        text_add(out, "pi");
    } else if (n.kind == EXPR_SYM) {
        const expr_symbol *s = &p->symbols[n.first];
        text_add(out, s->name);
        for (int i = 0; i < s->order; i++) text_add_char(out, '\'');
    } else if (n.kind == EXPR_FUN) {
        print_function(w, &n, out, depth);
    } else if (n.kind == EXPR_HELD) {
        print_at(w, (mech_expr){p->operands[n.first]}, out, prec, depth + 1);
    } else {
        const int brackets = needs_brackets(p, e, prec);
        if (brackets) text_add_char(out, '(');
        print_signed_terms(w, e, print_term, out, depth);
        if (brackets) text_add_char(out, ')');
    }
}

void print_text(const printer *w, mech_expr e, textbuf *out) { print_at(w, e, out, PREC_SUM, 0); }
