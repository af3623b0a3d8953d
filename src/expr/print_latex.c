/* Expressions for a typeset page. */
#include "expr/print.h"

#include "expr/numbers.h"

#include <string.h>

enum { DEEPEST = 400, LONGEST = 4 << 20 };
enum { PREC_SUM = 1, PREC_PRODUCT = 2, PREC_POWER = 3 };

static void latex_at(const printer *w, mech_expr e, textbuf *out, int prec, int depth);

static int is_greek(const char *name, size_t length)
{
    static const char *const letters[] = {
        "alpha", "beta",  "gamma",  "delta", "epsilon", "zeta",  "eta",     "theta", "iota", "kappa", "lambda", "mu",
        "nu",    "xi",    "pi",     "rho",   "sigma",   "tau",   "upsilon", "phi",   "chi",  "psi",   "omega",  "Gamma",
        "Delta", "Theta", "Lambda", "Xi",    "Pi",      "Sigma", "Upsilon", "Phi",   "Psi",  "Omega"};
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
        if (strlen(letters[i]) == length && strncmp(letters[i], name, length) == 0) return 1;
    return 0;
}

/* One part of a name: a Greek letter, a single letter, or an upright word. */
static void latex_word(const char *word, size_t length, textbuf *out)
{
    if (is_greek(word, length)) text_format(out, "\\%.*s", (int)length, word);
    else if (length == 1) text_add_n(out, word, 1);
    else text_format(out, "\\mathrm{%.*s}", (int)length, word);
}

/* The words and numbers from `at` to `end` with commas between; first: nothing stands before them. */
static void latex_subscripts(const char *at, const char *end, int first, textbuf *out)
{
    static const char between[] = "_[](). ,";
    for (;; first = 0) {
        at += strspn(at, between);
        if (at >= end) return;
        const size_t part = strcspn(at, between);
        if (!first) text_add_char(out, ',');
        if (strspn(at, "0123456789") >= part) text_add_n(out, at, part);
        else latex_word(at, part, out);
        at += part;
    }
}

/* delay(x_1, T), as it was written */
static void latex_call(const char *name, textbuf *out)
{
    text_add(out, "\\mathrm{");
    for (; *name; name++) {
        if (*name == '_') text_add_char(out, '\\');
        text_add_char(out, *name);
    }
    text_add_char(out, '}');
}

/* x_G[3] with two primes -> \ddot{x}_{\mathrm{G},3}; leg[2].x -> x_{\mathrm{leg},2} */
void print_latex_symbol(const expr_symbol *s, textbuf *out)
{
    static const char *const dots[] = {"", "\\dot{", "\\ddot{"};
    if (s->class_bit == EXPR_INPUT && s->index >= EXPR_DELAYED) {
        latex_call(s->name, out);
        return;
    }
    const char *parts = s->name, *point = strchr(parts, '(') ? NULL : strrchr(parts, '.'),
               *name = point ? point + 1 : parts;
    const size_t length = strcspn(name, "_[(");
    const char *rest = name + length;
    text_add(out, dots[s->order <= 2 ? s->order : 2]);
    latex_word(name, length, out);
    if (s->order) text_add_char(out, '}');
    if (!*rest && !point) return;
    text_add(out, "_{");
    latex_subscripts(rest, rest + strlen(rest), 1, out);
    if (point) latex_subscripts(parts, point, !*rest, out);
    text_add_char(out, '}');
}

static void latex_number(expr_number n, textbuf *out)
{
    textbuf plain = {0};
    print_number(n, &plain);
    if (plain.data && strchr(plain.data, '/')) {
        const char *sign = n.num < 0 ? "-" : "";
        text_format(out, "%s\\frac{%lld}{%lld}", sign, (long long)(n.num < 0 ? -n.num : n.num), (long long)n.den);
    } else if (plain.data) {
        const char *e = strchr(plain.data, 'e');
        if (e) text_format(out, "%.*s \\cdot 10^{%s}", (int)(e - plain.data), plain.data, e[1] == '+' ? e + 2 : e + 1);
        else text_add(out, plain.data);
    }
    out->failed |= plain.failed;
    text_free(&plain);
}

static void latex_power(const printer *w, uint32_t base, expr_number e, textbuf *out, int depth)
{
    mech_pool *p = w->pool;
    const expr_node n = p->nodes[base];
    if (number_is_negative(e)) e = number_neg(e);
    if (number_equal(e, number_fraction(1, 2))) {
        text_add(out, "\\sqrt{");
        latex_at(w, (mech_expr){base}, out, PREC_SUM, depth + 1);
        text_add_char(out, '}');
        return;
    }
    const int plain = number_equal(e, number_integer(1));
    if (!plain && n.kind == EXPR_FUN && !printer_name(w, base) &&
        (n.function == MECH_FUNCTION_SIN || n.function == MECH_FUNCTION_COS || n.function == MECH_FUNCTION_TAN)) {
        text_format(out, "\\%s^{", expr_function_name((mech_function)n.function));
        latex_number(e, out);
        text_add(out, "}\\left(");
        latex_at(w, (mech_expr){p->operands[n.first]}, out, PREC_SUM, depth + 1);
        text_add(out, "\\right)");
        return;
    }
    const int dotted = n.kind == EXPR_SYM && p->symbols[n.first].order > 0;
    if (!plain && dotted) text_add_char(out, '{');
    latex_at(w, (mech_expr){base}, out, plain ? PREC_PRODUCT : PREC_POWER, depth + 1);
    if (!plain && dotted) text_add_char(out, '}');
    if (plain) return;
    text_add(out, "^{");
    latex_number(e, out);
    text_add_char(out, '}');
}

/* The factors above (sign > 0) or below the line, after a number unless it is 1 and something follows. */
static void latex_factors(const printer *w, const expr_pairs *factors, int above, int64_t number, expr_number whole,
                          textbuf *out, int depth)
{
    mech_pool *p = w->pool;
    int count = 0, first = 1;
    for (size_t i = 0; i < factors->count; i++)
        count += number_is_negative(num_of(p, factors->items[i].number)) != above;
    if (whole.den == 0 || number != 1 || count == 0) {
        latex_number(whole.den == 0 ? whole : number_integer(number), out);
        first = 0;
    }
    for (size_t i = 0; i < factors->count; i++) {
        const expr_number e = num_of(p, factors->items[i].number);
        if (number_is_negative(e) == above) continue;
        if (!first) text_add(out, " ");
        latex_power(w, factors->items[i].node, e, out, depth);
        first = 0;
    }
}

static void latex_term(const printer *w, expr_pair term, textbuf *out, int depth)
{
    mech_pool *p = w->pool;
    expr_number coef = num_of(p, term.number);
    if (number_is_negative(coef)) coef = number_neg(coef);
    if (term.node == EXPR_ID_ONE) {
        latex_number(coef, out);
        return;
    }
    expr_pairs factors;
    pairs_init(&factors);
    if (!print_shown_factors(w, term.node, &factors)) out->failed = 1;
    int below = coef.den > 1;
    for (size_t i = 0; i < factors.count; i++) below |= number_is_negative(num_of(p, factors.items[i].number));
    const expr_number one = number_integer(1);
    textbuf plain = {0};
    print_number(coef, &plain);
    const int decimal = plain.data && coef.den > 1 && !strchr(plain.data, '/');
    out->failed |= plain.failed;
    text_free(&plain);
    if (decimal) {
        latex_number(coef, out);
        text_add(out, " ");
        coef = one;
        below = 0;
        for (size_t i = 0; i < factors.count; i++) below |= number_is_negative(num_of(p, factors.items[i].number));
    }
    if (below) text_add(out, "\\frac{");
    latex_factors(w, &factors, 1, coef.den ? coef.num : 1, coef.den ? one : coef, out, depth);
    if (below) {
        text_add(out, "}{");
        latex_factors(w, &factors, 0, coef.den ? coef.den : 1, one, out, depth);
        text_add_char(out, '}');
    }
    pairs_free(&factors);
}

static void latex_function(const printer *w, const expr_node *n, textbuf *out, int depth)
{
    mech_pool *p = w->pool;
    static const char *const spelled[MECH_FUNCTION_COUNT] = {
        [MECH_FUNCTION_SIN] = "\\sin",     [MECH_FUNCTION_COS] = "\\cos",     [MECH_FUNCTION_TAN] = "\\tan",
        [MECH_FUNCTION_ASIN] = "\\arcsin", [MECH_FUNCTION_ACOS] = "\\arccos", [MECH_FUNCTION_ATAN] = "\\arctan",
        [MECH_FUNCTION_SINH] = "\\sinh",   [MECH_FUNCTION_COSH] = "\\cosh",   [MECH_FUNCTION_TANH] = "\\tanh",
        [MECH_FUNCTION_EXP] = "\\exp",     [MECH_FUNCTION_LOG] = "\\ln",      [MECH_FUNCTION_MIN] = "\\min",
        [MECH_FUNCTION_MAX] = "\\max",     [MECH_FUNCTION_LESS] = "<",        [MECH_FUNCTION_LESS_EQUAL] = "\\le",
        [MECH_FUNCTION_EQUAL] = "=",       [MECH_FUNCTION_AND] = "\\wedge",   [MECH_FUNCTION_OR] = "\\vee"};
    const mech_function f = (mech_function)n->function;
    const uint32_t first = n->first, count = n->count;
    const int infix = f >= MECH_FUNCTION_LESS && f <= MECH_FUNCTION_OR;
    if (f == MECH_FUNCTION_ABS) text_add(out, "\\left|");
    else if (f == MECH_FUNCTION_FLOOR) text_add(out, "\\left\\lfloor ");
    else if (f == MECH_FUNCTION_NOT) text_add(out, "\\neg\\left(");
    else if (infix) text_add(out, "\\left(");
    else if (spelled[f]) text_format(out, "%s\\left(", spelled[f]);
    else text_format(out, "\\operatorname{%s}\\left(", expr_function_name(f));
    for (uint32_t i = 0; i < count; i++) {
        if (i && infix) text_format(out, " %s ", spelled[f]);
        else if (i) text_add(out, ", ");
        latex_at(w, (mech_expr){p->operands[first + i]}, out, PREC_SUM, depth + 1);
    }
    text_add(out, f == MECH_FUNCTION_ABS ? "\\right|" : f == MECH_FUNCTION_FLOOR ? " \\right\\rfloor" : "\\right)");
}

static void latex_at(const printer *w, mech_expr e, textbuf *out, int prec, int depth)
{
    mech_pool *p = w->pool;
    if (depth > DEEPEST || out->length > LONGEST) {
        text_add(out, "\\dots");
        return;
    }
    const expr_node n = *expr_at(p, e);
    if (printer_name(w, e.id)) {
        print_name(w->names, printer_name(w, e.id), MECH_PRINT_LATEX, out);
    } else if (n.kind == EXPR_PI) {
        text_add(out, "\\pi");
    } else if (n.kind == EXPR_SYM) {
        print_latex_symbol(&p->symbols[n.first], out);
    } else if (n.kind == EXPR_FUN) {
        latex_function(w, &n, out, depth);
    } else if (n.kind == EXPR_HELD) {
        latex_at(w, (mech_expr){p->operands[n.first]}, out, prec, depth + 1);
    } else {
        const int negative = n.kind == EXPR_NUM && number_is_negative(num_of(p, e.id));
        const int brackets =
            (n.kind == EXPR_ADD || negative) ? prec >= PREC_PRODUCT : n.kind == EXPR_MUL && prec >= PREC_POWER;
        if (brackets) text_add(out, "\\left(");
        print_signed_terms(w, e, latex_term, out, depth);
        if (brackets) text_add(out, "\\right)");
    }
}

void print_latex(const printer *w, mech_expr e, textbuf *out) { latex_at(w, e, out, PREC_SUM, 0); }
