/* Expressions as C. Symbols become names of letters, digits and underscores that start with their own
   letter and never meet a keyword: x' of x[3] is s_x_3_d1. */
#include "expr/print.h"

#include "expr/numbers.h"

#include <ctype.h>

enum { DEEPEST = 400, LONGEST = 4 << 20 };

static void c_at(mech_pool *p, mech_expr e, textbuf *out, int depth);

static void c_symbol(const expr_symbol *s, textbuf *out)
{
    text_add(out, "s_");
    for (const char *c = s->name; *c; c++) {
        if (isalnum((unsigned char)*c) && (unsigned char)*c < 128) text_add_char(out, *c);
        else if (*c != ']' && *c != ')') text_add_char(out, '_');
    }
    if (s->order) text_format(out, "_d%d", s->order);
}

static void c_number(expr_number n, textbuf *out)
{
    if (n.den > 1) text_format(out, "(%lld.0/%lld.0)", (long long)n.num, (long long)n.den);
    else if (n.den == 1 && n.num < 0) text_format(out, "(%lld.0)", (long long)n.num);
    else if (n.den == 1) text_format(out, "%lld.0", (long long)n.num);
    else text_format(out, "(%.17g)", n.value);
}

static void c_power(mech_pool *p, uint32_t base, expr_number e, textbuf *out, int depth)
{
    const mech_expr b = {base};
    if (number_equal(e, number_integer(1))) {
        c_at(p, b, out, depth);
    } else if (number_equal(e, number_fraction(1, 2))) {
        text_add(out, "sqrt(");
        c_at(p, b, out, depth);
        text_add_char(out, ')');
    } else if (number_equal(e, number_integer(2)) && p->nodes[base].kind == EXPR_SYM) {
        c_at(p, b, out, depth);
        text_add_char(out, '*');
        c_at(p, b, out, depth);
    } else {
        text_add(out, "pow(");
        c_at(p, b, out, depth);
        text_add(out, ", ");
        c_number(e, out);
        text_add_char(out, ')');
    }
}

static void c_term(mech_pool *p, expr_pair term, textbuf *out, int depth)
{
    expr_pairs factors;
    pairs_init(&factors);
    int first = 1;
    if (term.node == EXPR_ID_ONE || term.number != EXPR_ID_ONE) {
        c_number(num_of(p, term.number), out);
        first = 0;
    }
    if (term.node != EXPR_ID_ONE && !print_factors(p, term.node, &factors)) out->failed = 1;
    for (size_t i = 0; i < factors.count; i++) {
        if (!first) text_add_char(out, '*');
        c_power(p, factors.items[i].node, num_of(p, factors.items[i].number), out, depth);
        first = 0;
    }
    pairs_free(&factors);
}

static void c_sum(mech_pool *p, mech_expr e, textbuf *out, int depth)
{
    expr_pairs terms;
    pairs_init(&terms);
    if (!print_terms(p, e, &terms)) out->failed = 1;
    const int brackets = depth > 0 && p->nodes[e.id].kind == EXPR_ADD;
    if (brackets) text_add_char(out, '(');
    for (size_t i = 0; i < terms.count && !out->failed; i++) {
        if (i) text_add(out, " + ");
        c_term(p, terms.items[i], out, depth + 1);
    }
    if (brackets) text_add_char(out, ')');
    pairs_free(&terms);
}

static void c_function(mech_pool *p, const expr_node *n, textbuf *out, int depth)
{
    static const char *const infix[MECH_FUNCTION_COUNT] = {[MECH_FUNCTION_LESS] = " < ",
                                                           [MECH_FUNCTION_LESS_EQUAL] = " <= ",
                                                           [MECH_FUNCTION_EQUAL] = " == ",
                                                           [MECH_FUNCTION_AND] = " != 0 && ",
                                                           [MECH_FUNCTION_OR] = " != 0 || "};
    const mech_function f = (mech_function)n->function;
    const mech_expr a = {p->operands[n->first]}, b = {n->count > 1 ? p->operands[n->first + 1] : EXPR_ID_ZERO};
    const mech_expr c = {n->count > 2 ? p->operands[n->first + 2] : EXPR_ID_ZERO};
    if (f == MECH_FUNCTION_IF || f == MECH_FUNCTION_NOT || f == MECH_FUNCTION_SIGN || infix[f]) {
        text_add(out, "(double)(");
        c_at(p, a, out, depth + 1);
        if (f == MECH_FUNCTION_SIGN) {
            text_add(out, " > 0) - (double)(");
            c_at(p, a, out, depth + 1);
            text_add(out, " < 0");
        } else if (f == MECH_FUNCTION_IF) {
            text_add(out, " != 0 ? ");
            c_at(p, b, out, depth + 1);
            text_add(out, " : ");
            c_at(p, c, out, depth + 1);
        } else if (f == MECH_FUNCTION_NOT) {
            text_add(out, " == 0");
        } else {
            text_add(out, infix[f]);
            c_at(p, b, out, depth + 1);
            if (f == MECH_FUNCTION_AND || f == MECH_FUNCTION_OR) text_add(out, " != 0");
        }
        text_add_char(out, ')');
        return;
    }
    text_add(out, f == MECH_FUNCTION_ABS   ? "fabs"
                  : f == MECH_FUNCTION_MIN ? "fmin"
                  : f == MECH_FUNCTION_MAX ? "fmax"
                                           : expr_function_name(f));
    text_add_char(out, '(');
    c_at(p, a, out, 0);
    if (n->count > 1) {
        text_add(out, ", ");
        c_at(p, b, out, 0);
    }
    text_add_char(out, ')');
}

static void c_at(mech_pool *p, mech_expr e, textbuf *out, int depth)
{
    if (depth > DEEPEST || out->length > LONGEST) {
        out->failed = 1; /* C that is cut short would be wrong C */
        return;
    }
    const expr_node n = *expr_at(p, e);
    if (n.kind == EXPR_PI) text_add(out, "3.141592653589793");
    else if (n.kind == EXPR_SYM) c_symbol(&p->symbols[n.first], out);
    else if (n.kind == EXPR_FUN) c_function(p, &n, out, depth + 1);
    else if (n.kind == EXPR_HELD) c_at(p, (mech_expr){p->operands[n.first]}, out, depth + 1);
    else c_sum(p, e, out, depth);
}

void print_c(mech_pool *p, mech_expr e, textbuf *out) { c_at(p, e, out, 0); }
