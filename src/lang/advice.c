/* What was expected, what was found in its place, and what was probably meant. */
#include "lang/call.h"
#include "lang/parser.h"

#include <stdio.h>
#include <string.h>

/* "'word'" for what the user wrote, "the end of the line" and so on for the rest. */
static const char *describe(const lang_parser *p, char text[80])
{
    const lang_token *t = &p->token;
    const int length = (int)(t->end - t->start);
    if (t->kind != TOK_NAME && t->kind != TOK_NUMBER && t->kind != TOK_STRING) return lang_token_name(t->kind);
    snprintf(text, 80, length > 60 ? "'%.*s...'" : "'%.*s'", length > 60 ? 20 : length, p->lexer.text + t->start);
    return text;
}

/* Is the word before this token the name of a function, as in `cos x`? */
static int function_stands_before(const lang_parser *p)
{
    const char *text = p->lexer.text;
    const uint32_t end = p->previous_end;
    uint32_t start = end;
    while (start > 0 &&
           ((text[start - 1] >= 'a' && text[start - 1] <= 'z') || (text[start - 1] >= '0' && text[start - 1] <= '9')))
        start--;
    const uint32_t name = lang_find(&p->c->names, text + start, end - start);
    const uint16_t builtin = start < end && name ? p->c->names.items[name].builtin : 0;
    return builtin && !lang_builtin_names_constraint(builtin - 1u); /* `force F on` is a statement */
}

static int is_digit(char c) { return c >= '0' && c <= '9'; }

/* 9,81 */
static const char *const decimal_hint = "a decimal number is written with a point: 1.5";

/* At a sign of a comparison that is written the wrong way round, => or =<. */
static const char *comparison_hint(const lang_parser *p, uint32_t equals)
{
    const char *text = p->lexer.text;
    const char after = equals + 1 < p->lexer.length ? text[equals + 1] : '\0';
    if (text[equals] != '=') return NULL;
    return after == '>' ? "'at least' is written >=" : after == '<' ? "'at most' is written <=" : NULL;
}

void lang_chain(lang_parser *p)
{
    const int is_constraint = p->usage && strncmp(p->usage, "write: constraint", 17) == 0 && p->lexer.brackets == 0;
    lang_fail(p,
              is_constraint ? "write two constraints: constraint low: x >= a, and constraint high: x <= b"
                            : "write 'a < b and b < c'",
              "comparisons do not form chains");
}

void lang_decimal_comma(lang_parser *p, const lang_node *n)
{
    const char *text = p->lexer.text;
    const uint32_t start = n->span.start;
    if (start < 2 || !is_digit(text[start]) || text[start - 1] != ',' || !is_digit(text[start - 2])) return;
    lang_fail_at(p, n->span, decimal_hint, "a value ends before this comma, and '=' is missing behind it");
}

/* A name right after a number or a bracket: a unit, or a product without its sign. */
const char *lang_slip_hint(const lang_parser *p)
{
    static const char *const units[] = {"kg", "g",  "m",   "mm",  "cm", "km", "s",  "ms", "min", "h", "N", "kN",
                                        "Nm", "Pa", "rad", "deg", "Hz", "J",  "kJ", "W",  "kW",  "V", "A", "K"};
    static const char no_units[] = "numbers stand here without units: SI units and radians";
    const lang_token_kind kind = p->token.kind;
    const char *text = p->lexer.text;
    const uint32_t end = p->previous_end;
    const char before = end > 0 ? text[end - 1] : '\0';
    const int after_digit = is_digit(before);
    if (!end) return NULL;
    if (kind == TOK_STRING && !p->takes_label) return no_units;
    if (kind == TOK_PRIME && p->token.start > end) return "a label stands in double quotes: \"kg\"";
    if (kind == TOK_NAME && before == '\'' && end > 1 && text[end - 2] == ' ')
        return "a text stands in double quotes: \"file.csv\"";
    if (lang_token_is_word(p, p->token, "where")) return "'where' belongs to 'let'";
    if (lang_token_is_word(p, p->token, "then")) return "'->' stands before what happens then";
    if (kind == TOK_PRIME && p->usage && strncmp(p->usage, "write: output", 13) == 0)
        return "x and x' are columns of every run; any other value has a name: output a = x''";
    if (kind == TOK_PRIME && p->takes_label) return "x' is the velocity of x: derivatives are not declared";
    if (kind == TOK_LPAREN && before == '\'')
        return "x' alone is the velocity at each time, and 'initial x' = 1' gives its start; a product needs a '*'";
    if ((kind == TOK_NAME || kind == TOK_NUMBER) && function_stands_before(p)) return "a function has brackets: cos(x)";
    if (kind == TOK_NUMBER && before == ',' && end > 1 && is_digit(text[end - 2])) return decimal_hint;
    if (kind == TOK_COMMA && after_digit && p->token.end < p->lexer.length && is_digit(text[p->token.end]))
        return decimal_hint;
    if (kind == TOK_ASSIGN && comparison_hint(p, p->token.start)) return comparison_hint(p, p->token.start);
    if (after_digit && lang_token_is_word(p, p->token, "deg")) return "angles are in radians: rad(30) is 30 degrees";
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (lang_token_is_word(p, p->token, units[i]))
            return p->takes_label ? "a unit is a label in quotes, as in 1 \"kg\"; it changes no number" : no_units;
    if (kind != TOK_NAME && kind != TOK_NUMBER && kind != TOK_LPAREN) return NULL;
    return after_digit || before == ')' || before == ']' || before == '\''
               ? "a product needs a '*' between its factors, a list a ',' between its entries"
               : NULL;
}

void lang_expected(lang_parser *p, const char *what)
{
    char text[80];
    const char *found = describe(p, text);
    if (p->failed) return;
    const char *hint = lang_slip_hint(p);
    const int at_end = p->token.kind == TOK_END && p->previous_end > 0; /* the last line may be empty */
    lang_fail_at(p, at_end ? lang_span(p, p->previous_end - 1, p->previous_end) : lang_token_span(p),
                 hint ? hint : p->usage, "expected %s, found %s", what, found);
}

void lang_expected_expression(lang_parser *p)
{
    char text[80];
    const char *found = describe(p, text);
    const int slash = p->token.start > 0 && p->lexer.text[p->token.start - 1] == '/' &&
                      (p->token.kind == TOK_SLASH || p->token.kind == TOK_STAR);
    const char *turned =
        p->token.start > 0 && p->previous_end == p->token.start ? comparison_hint(p, p->token.start - 1) : NULL;
    const char *hint = slash                         ? "a comment starts with #"
                       : turned                      ? turned
                       : p->token.kind == TOK_ASSIGN ? p->usage
                                                     : NULL;
    lang_fail(p, hint, "expected an expression, found %s", found);
}

void lang_inequality(lang_parser *p, mech_span span)
{
    lang_fail_at(p, span,
                 "one that only pushes is written: constraint NAME: a >= b (or a <= b), restitution 0.8 "
                 "(see constraint in docs/language.md)",
                 "this is an inequality; an equation with '=' is needed here");
}

/* What other tools call a statement. */
static const char *other_word(const char *word)
{
    static const char *const words[][2] = {
        {"var", "did you mean 'coord'?"},
        {"variable", "did you mean 'coord'?"},
        {"coordinate", "did you mean 'coord'?"},
        {"dof", "did you mean 'coord'?"},
        {"const", "did you mean 'param'?"},
        {"constant", "did you mean 'param'?"},
        {"parameter", "did you mean 'param'?"},
        {"parameters", "did you mean 'param'?"},
        {"def", "did you mean 'let'?"},
        {"link", "did you mean 'body'?"},
        {"rigidbody", "did you mean 'body'?"},
        {"hinge", "did you mean 'joint'? write: joint NAME: ground to BODY, revolute about [0, 0, 1]"},
        {"slider", "did you mean 'joint'? write: joint NAME: ground to BODY, prismatic along [1, 0, 0]"},
        {"print", "did you mean 'output'?"},
        {"else", "'else' follows the '}' of an 'if' block"},
        {"lagrangian", "write 'kinetic T' and 'potential V'; they add up"},
        {"while", "loops have known bounds: for i in 1..N { ... }"},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i][0], word) == 0) return words[i][1];
    return NULL;
}

/* Velocities as others write them: theta_dot, xdot, x_ddot, dx. The coordinate or state in it, with the primes it
   wants. */
static const char *velocity_meant(lang_context *c, const char *text, size_t length)
{
    static const char *const endings[] = {"_ddot", "ddot", "_dot", "dot", "_d"};
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        const size_t tail = strlen(endings[i]);
        if (length <= tail || strcmp(text + length - tail, endings[i]) != 0 || !lang_is_moving(c, text, length - tail))
            continue;
        return arena_format(&c->memory, "the %s of %.*s is written %.*s%s", i < 2 ? "acceleration" : "velocity",
                            (int)(length - tail), text, (int)(length - tail), text, i < 2 ? "''" : "'");
    }
    if (text[0] == 'd' && length > 1 && lang_is_moving(c, text + 1, length - 1))
        return arena_format(&c->memory, "the velocity of %s is written %s'", text + 1, text + 1);
    return NULL;
}

/* A function and its argument in one word: cosθ. */
static const char *call_meant(lang_context *c, const char *text, size_t length)
{
    for (size_t head = length - 1; head > 1; head--) {
        const uint32_t name = lang_find(&c->names, text, head), rest = lang_find(&c->names, text + head, length - head);
        if (name && c->names.items[name].builtin && rest && lang_lookup(c, rest))
            return arena_format(&c->memory, "a function has brackets: %.*s(%s)", (int)head, text, text + head);
    }
    return NULL;
}

const char *lang_name_meant(lang_context *c, const char *text, const char *near)
{
    const size_t length = strlen(text);
    if (length == 1 && strchr("TVLU", text[0]) && (!near || strcmp(near, "t") == 0))
        return "an energy has no name of its own: write let T = ..., then kinetic T";
    if (strcmp(text, "Energy") == 0) return "did you mean 'energy'? it is the energy of the whole model";
    if (strcmp(text, "Kinetic") == 0 || strcmp(text, "Potential") == 0)
        return "the energies of the whole model are kinetic, potential and energy";
    const char *velocity = velocity_meant(c, text, length);
    return velocity ? velocity : call_meant(c, text, length);
}

const char *lang_function_meant(const char *text)
{
    static const char *const functions[][2] = {
        {"ln", "the natural logarithm is written log(x)"},
        {"log10", "write log(x)/log(10)"},
        {"log2", "write log(x)/log(2)"},
        {"arcsin", "did you mean 'asin'?"},
        {"arccos", "did you mean 'acos'?"},
        {"arctan", "did you mean 'atan'?"},
        {"arctan2", "did you mean 'atan2'?"},
        {"sgn", "did you mean 'sign'?"},
    };
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++)
        if (strcmp(functions[i][0], text) == 0) return functions[i][1];
    static const char *const words[] = {"diff", "der", "ddt", "dt", "D", "Diff", "derivative", "Derivative"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i], text) == 0)
            return "time derivatives are primes: x', (x*y)'; partial ones are d(expression, x)";
    return NULL;
}

const char *lang_other_kind(const char *word)
{
    static const char *const words[][2] = {
        {"hinge", "revolute"},   {"pin", "revolute"},     {"continuous", "revolute"},
        {"slider", "prismatic"}, {"slide", "prismatic"},  {"translational", "prismatic"},
        {"hook", "universal"},   {"cardan", "universal"}, {"ball", "spherical"},
        {"socket", "spherical"}, {"weld", "fixed"},       {"rigid", "fixed"},
        {"floating", "free"},    {"rod", "distance"},     {"helical", "screw"},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i][0], word) == 0) return words[i][1];
    return NULL;
}

const char *lang_other_option(const char *word)
{
    static const char *const words[][2] = {
        {"to", "until"},      {"till", "until"},        {"end", "until"},      {"stop", "until"},
        {"for", "until"},     {"start", "from"},        {"begin", "from"},     {"dt", "step"},
        {"every", "step"},    {"rows", "points"},       {"tol", "rtol"},       {"reltol", "rtol"},
        {"abstol", "atol"},   {"max", "max_step"},      {"dtmax", "max_step"}, {"hmax", "max_step"},
        {"solver", "method"}, {"integrator", "method"},
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(words[i][0], word) == 0) return words[i][1];
    return NULL;
}

/* At 'word NAME': 1 when '=' comes next. */
static int assign_follows(const lang_parser *p)
{
    lang_lexer x = p->lexer;
    (void)lang_lexer_next(&x);
    return lang_lexer_next(&x).kind == TOK_ASSIGN;
}

void lang_unknown_statement(lang_parser *p)
{
    char text[80];
    lang_guess guess;
    const char *found = describe(p, text);
    char word[LANG_MAX_NAME + 1] = "";
    if (p->token.kind == TOK_NAME) lang_canonical(p->lexer.text + p->token.start, p->token.end - p->token.start, word);
    lang_guess_start(&guess, word);
    for (int k = 0; k < STATEMENT_COUNT && word[0]; k++)
        lang_guess_try(&guess, lang_statement_word((lang_statement_kind)k));
    const char *other = other_word(word), *hint = other ? other : lang_hint(p->c, &guess);
    if (lang_find_choice(p, p->token, lang_run_options) >= 0)
        hint = "options of the run stand in one statement, after commas: simulate until 10, step 0.1";
    const lang_token next = lang_peek(p);
    if (!hint && word[0] && (next.kind == TOK_ASSIGN || (next.kind == TOK_NAME && assign_follows(p))))
        hint = "write 'let NAME = ...' or 'param NAME = ...' to give something a name";
    if (!hint) hint = "a statement starts with param, coord, let, kinetic, potential, constraint, initial, output, ...";
    lang_fail(p, hint, "no statement starts with %s", found);
}
