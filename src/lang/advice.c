/* What was expected, what was found in its place, and what was probably meant. */
#include "lang/bodies.h"
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

static int is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* The name that ends right before this token, or 0. */
static uint32_t name_before(const lang_parser *p)
{
    const char *text = p->lexer.text;
    uint32_t start = p->previous_end;
    while (start > 0 && is_word(text[start - 1])) start--;
    return start < p->previous_end ? lang_find(&p->c->names, text + start, p->previous_end - start) : 0;
}

/* How the function is written whose name is the word before this token, as in `cos x`; NULL: it is none. */
static const char *function_before(const lang_parser *p)
{
    const uint32_t name = name_before(p);
    const uint16_t builtin = name ? p->c->names.items[name].builtin : 0;
    if (!builtin || lang_token_is_word(p, p->token, "of")) return NULL;
    if (lang_builtin_names_constraint(builtin - 1u) && p->usage) return NULL; /* `force F on` is a statement */
    return arena_format(&p->c->memory, "a function has brackets: %s", lang_builtin_usage(builtin - 1u));
}

/* Does the power of a function end before this token, as in sin^2(x)? */
static int power_of_function_before(const lang_parser *p)
{
    const char *text = p->lexer.text;
    uint32_t end = p->previous_end, start;
    while (end > 0 && text[end - 1] >= '0' && text[end - 1] <= '9') end--;
    if (end == 0 || text[end - 1] != '^') return 0;
    for (start = --end; start > 0 && is_word(text[start - 1]);) start--;
    const uint32_t name = lang_find(&p->c->names, text + start, end - start);
    return name && p->c->names.items[name].builtin;
}

/* What stands beside a word in a table of words and what to write in their place, or NULL. */
static const char *meant_by(const char *const (*words)[2], size_t count, const char *word)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(words[i][0], word) == 0) return words[i][1];
    return NULL;
}
#define MEANT(words, word) meant_by((words), sizeof(words) / sizeof *(words), (word))

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

/* Units that people write behind a number, and what makes it one of SI units and radians. */
static const struct {
    const char *word, *before, *after;
} units[] = {
    {"kg", "", ""},
    {"g", "", "/1000"},
    {"m", "", ""},
    {"mm", "", "/1000"},
    {"cm", "", "/100"},
    {"km", "", "*1000"},
    {"s", "", ""},
    {"ms", "", "/1000"},
    {"min", "", "*60"},
    {"h", "", "*3600"},
    {"N", "", ""},
    {"kN", "", "*1000"},
    {"Nm", "", ""},
    {"Pa", "", ""},
    {"kPa", "", "*1000"},
    {"MPa", "", "*1e6"},
    {"GPa", "", "*1e9"},
    {"km/h", "", "/3.6"},
    {"deg/s", "rad(", ")"},
    {"rad", "", ""},
    {"deg", "rad(", ")"},
    {"degree", "rad(", ")"},
    {"degrees", "rad(", ")"},
    {"rpm", "2*pi/60*", ""},
    {"Hz", "", ""},
    {"J", "", ""},
    {"kJ", "", "*1000"},
    {"W", "", ""},
    {"kW", "", "*1000"},
    {"V", "", ""},
    {"A", "", ""},
    {"K", "", ""},
};
enum { UNITS = sizeof units / sizeof *units };
static const char no_units[] = "numbers stand here without units: SI units and radians";

typedef struct piece { /* of the text */
    const char *text;
    int length;
} piece;

/* The unit at the present token, with what it is divided by; length 0: none. */
static piece unit_here(const lang_parser *p)
{
    const char *text = p->lexer.text;
    uint32_t end = p->token.end;
    size_t i = 0;
    while (i < UNITS && !lang_token_is_word(p, p->token, units[i].word)) i++;
    if (i == UNITS) return (piece){0};
    while (end < p->lexer.length && (is_word(text[end]) || text[end] == '/' || text[end] == '^')) end++;
    return (piece){text + p->token.start, (int)(end - p->token.start)};
}

/* The number right before the present token; length 0: none. */
static piece number_before(const lang_parser *p)
{
    enum { MOST = 40 };
    const char *text = p->lexer.text;
    uint32_t start = p->previous_end;
    while (start > 0 && (is_digit(text[start - 1]) || text[start - 1] == '.')) start--;
    const int length = (int)(p->previous_end - start);
    return length < MOST && (start == 0 || !is_word(text[start - 1])) ? (piece){text + start, length} : (piece){0};
}

/* At a unit: what to write in its place; NULL where none stands here. */
static const char *unit_hint(const lang_parser *p)
{
    arena *memory = &p->c->memory;
    const piece unit = unit_here(p), number = number_before(p);
    size_t i = 0;
    if (unit.length == 0) return NULL;
    if (number.length == 0 && p->takes_label)
        return "a unit is a label in quotes, as in 1 \"kg\"; it changes no number";
    if (number.length == 0) return no_units;
    while (i < UNITS &&
           (strlen(units[i].word) != (size_t)unit.length || memcmp(units[i].word, unit.text, (size_t)unit.length) != 0))
        i++;
    const char *before = i < UNITS ? units[i].before : "", *after = i < UNITS ? units[i].after : "";
    if (p->takes_label && before[0] == '\0' && after[0] == '\0')
        return arena_format(memory, "a unit is a label in quotes, as in %.*s \"%.*s\"; it changes no number",
                            number.length, number.text, unit.length, unit.text);
    if (p->takes_label)
        return arena_format(memory, "a unit is a label in quotes, which changes no number: write %s%.*s%s", before,
                            number.length, number.text, after);
    return arena_format(memory,
                        "a unit is no part of a number: write %s%.*s%s; param NAME = %.*s \"%.*s\" would be a label, "
                        "which changes no number",
                        before, number.length, number.text, after, number.length, number.text, unit.length, unit.text);
}

/* What a word means that stands where a statement goes on. */
static const char *word_hint(const lang_parser *p)
{
    static const char *const words[][2] = {
        {"where", "'where' belongs to 'let'"},
        {"then", "'->' stands before what happens then"},
        {"when",
         "a force that acts at times only is: force if(t < 1, 3, 0) on x'; in an event 'when' stands before '->'"},
        {"if", "a value that depends on a condition is if(condition, a, b): force if(t < 1, 3, 0) on x'"},
        {"while", "a value that depends on a condition is if(condition, a, b): force if(t < 1, 3, 0) on x'"},
    };
    const size_t always = 2, count = sizeof words / sizeof *words; /* the others behind what is whole */
    for (size_t i = 0; i < (p->usage ? always : count); i++)
        if (lang_token_is_word(p, p->token, words[i][0])) return words[i][1];
    if (p->lexer.brackets > 0 && lang_token_is_word(p, p->token, "for"))
        return "loops in formulas are sum(i in 1..N: x[i]) and [x[i] for i in 1..N]";
    if (!p->usage && !lang_token_is_word(p, p->token, "at") && lang_find_choice(p, p->token, lang_body_words) >= 0)
        return "a ',' stands between what a body has: mass m, center c, inertia I";
    for (int k = 0; k < STATEMENT_COUNT && !p->usage && p->lexer.brackets == 0; k++)
        if (lang_token_is_word(p, p->token, lang_statement_word((lang_statement_kind)k)))
            return "each statement has a line of its own, or a ';' before it";
    return NULL;
}

static int is_declared(const lang_parser *p, uint32_t name) { return name && p->c->names.items[name].is_declared; }

static uint32_t name_here(const lang_parser *p)
{
    char name[LANG_MAX_NAME + 1];
    const lang_token *t = &p->token;
    const size_t length = t->kind == TOK_NAME ? lang_canonical(p->lexer.text + t->start, t->end - t->start, name) : 0;
    return length ? lang_find(&p->c->names, name, length) : 0;
}

/* Is this how a statement is written that takes no name? */
static int has_no_name(const char *usage)
{
    for (int k = STATEMENT_KINETIC; k <= STATEMENT_FORCE && usage; k++)
        if (usage == lang_statement_usage((lang_statement_kind)k)) return k != STATEMENT_MASS;
    return 0;
}

/* A name right after a number or a bracket: a unit, or a product without its sign. */
const char *lang_slip_hint(const lang_parser *p)
{
    static const char product[] = "a product needs a '*' between its factors, a list a ',' between its entries";
    const lang_token_kind kind = p->token.kind;
    const char *text = p->lexer.text;
    const uint32_t end = p->previous_end;
    const char before = end > 0 ? text[end - 1] : '\0';
    const int after_digit = is_digit(before),
              after_value = after_digit || before == ')' || before == ']' || before == '\'';
    if (!end) return NULL;
    if (kind == TOK_STRING && !p->takes_label) return no_units;
    if (kind == TOK_PRIME && p->token.start > end) return "a label stands in double quotes: \"kg\"";
    if (kind == TOK_NAME && before == '\'' && end > 1 && text[end - 2] == ' ')
        return "a text stands in double quotes: \"file.csv\"";
    if (kind == TOK_PRIME && p->usage && strncmp(p->usage, "write: output", 13) == 0)
        return "x and x' are columns of every run; any other value has a name: output a = x''";
    if (kind == TOK_PRIME && p->usage == lang_statement_usage(STATEMENT_STATE)) return p->usage;
    if (kind == TOK_PRIME && p->takes_label) return "x' is the velocity of x: derivatives are not declared";
    if (kind == TOK_COLON && p->token.end < p->lexer.length && text[p->token.end] == '=')
        return "a value is given by '=' alone, without ':'";
    if (kind == TOK_LPAREN && p->usage && p->usage == lang_statement_usage(STATEMENT_COORD))
        return "a coordinate is a function of time already: write its name alone, or x[1..3] for several";
    if (kind == TOK_ASSIGN && has_no_name(p->usage))
        return arena_format(&p->c->memory, "%s, without a name; 'let' names a value", p->usage);
    if (kind == TOK_LPAREN && before == '\'')
        return "x' alone is the velocity at each time, and 'initial x' = 1' gives its start; a product needs a '*'";
    if ((kind == TOK_NAME || kind == TOK_NUMBER) && function_before(p)) return function_before(p);
    if ((kind == TOK_NAME || kind == TOK_LPAREN) && after_digit && power_of_function_before(p))
        return "the power of a function stands behind its brackets: sin(x)^2";
    if (kind == TOK_NUMBER && before == ',' && end > 1 && is_digit(text[end - 2])) return decimal_hint;
    if (kind == TOK_COMMA && after_digit && p->token.end < p->lexer.length && is_digit(text[p->token.end]))
        return decimal_hint;
    if (kind == TOK_ASSIGN && comparison_hint(p, p->token.start)) return comparison_hint(p, p->token.start);
    if (kind == TOK_ASSIGN && p->lexer.brackets > 0 && (!p->usage || strncmp(p->usage, "write: ", 7) != 0))
        return "'==' compares: if(n == 1, a, b)";
    if (kind == TOK_NAME && after_value && is_declared(p, name_here(p))) return product;
    const char *hint = kind == TOK_NAME ? word_hint(p) : NULL;
    if (!hint && (after_value || is_declared(p, name_before(p)))) hint = unit_hint(p);
    if (hint || (kind != TOK_NAME && kind != TOK_NUMBER && kind != TOK_LPAREN)) return hint;
    const int goes_on = kind == TOK_NUMBER || p->takes_label || is_declared(p, name_here(p));
    return after_value || (!p->usage && goes_on && is_declared(p, name_before(p))) ? product : NULL;
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
    const char *hint = p->token.kind == TOK_LBRACE ? "brackets in formulas are ( ), those of vectors [ ]"
                       : slash                     ? "a comment starts with #"
                       : turned                    ? turned
                       : p->token.kind == TOK_ASSIGN || p->token.kind == TOK_COLON || lang_at_end_of_statement(p)
                           ? p->usage
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
        {"variables", "did you mean 'coord'?"},
        {"dof", "did you mean 'coord'?"},
        {"const", "did you mean 'param'?"},
        {"constant", "did you mean 'param'?"},
        {"parameter", "did you mean 'param'?"},
        {"constants", "did you mean 'param'?"},
        {"parameters", "did you mean 'param'?"},
        {"def", "did you mean 'let'?"},
        {"function", "did you mean 'let'? write: let f(a, b) = expression"},
        {"link", "did you mean 'body'?"},
        {"rigidbody", "did you mean 'body'?"},
        {"hinge", "did you mean 'joint'? write: joint NAME: ground to BODY, revolute about [0, 0, 1]"},
        {"slider", "did you mean 'joint'? write: joint NAME: ground to BODY, prismatic along [1, 0, 0]"},
        {"print", "did you mean 'output'?"},
        {"else", "'else' follows the '}' of an 'if' block"},
        {"plot", "write 'output NAME = ...' for what is shown; 'mech plot' draws it"},
        {"damping", "a damper along a coordinate is: dissipation c/2*x'^2"},
        {"dashpot", "a damper along a coordinate is: dissipation c/2*x'^2"},
        {"drag", "write: force -c*x' on x', or: dissipation c/2*x'^2"},
        {"stiffness", "a spring along a coordinate is: potential k/2*x^2"},
        {"weight", "write: potential m*g*y, with y upwards"},
        {"torque", "a torque acts on the velocity of an angle: force M on phi'"},
        {"moment", "a torque acts on the velocity of an angle: force M on phi'"},
        {"load", "write: force F on x'"},
        {"inertia", "write: kinetic J/2*phi'^2, or behind a body: body NAME: mass m, inertia I"},
        {"energy", "write 'kinetic T' and 'potential V'; they add up"},
        {"equation",
         "equations of motion follow from 'kinetic', 'potential' and 'force'; one that binds is 'constraint'"},
        {"set", "write: param NAME = value; 'set' is what an event does"},
        {"solve", "write: simulate until 10"},
        {"run", "write: simulate until 10"},
        {"time", "write: simulate until 10"},
        {"lagrangian", "write 'kinetic T' and 'potential V'; they add up"},
        {"when", "write: event NAME: x falls through 0 -> action; a value that depends on it is if(x < 0, a, b)"},
        {"end", "a block ends with '}', a text with its last line"},
        {"while", "loops have known bounds: for i in 1..N { ... }"},
    };
    return MEANT(words, word);
}

/* Velocities as others write them: theta_dot, xdot, x_ddot, dx, vx. The coordinate or state in it, with the primes it
   wants. */
static const char *velocity_meant(lang_context *c, const char *text, size_t length)
{
    static const struct {
        const char *head, *tail;
        int is_second;
    } spellings[] = {{"", "_ddot", 1}, {"", "ddot", 1}, {"dd", "", 1}, {"", "_dot", 0}, {"", "dot", 0}, {"", "_d", 0},
                     {"d", "dt", 0},   {"d", "_dt", 0}, {"d", "", 0},  {"v_", "", 0},   {"v", "", 0},   {"", "_vel", 0},
                     {"", "_v", 0},    {"", "_t", 0},   {"", "_p", 0}, {"", "p", 0},    {"a_", "", 1},  {"a", "", 1}};
    for (size_t i = 0; i < sizeof spellings / sizeof *spellings; i++) {
        const size_t head = strlen(spellings[i].head), tail = strlen(spellings[i].tail);
        if (length <= head + tail || strncmp(text, spellings[i].head, head) != 0 ||
            strcmp(text + length - tail, spellings[i].tail) != 0)
            continue;
        const char *name = text + head;
        const int rest = (int)(length - head - tail), is_second = spellings[i].is_second;
        if (lang_is_moving(c, name, (size_t)rest))
            return arena_format(&c->memory, "the %s of %.*s is written %.*s%s", is_second ? "acceleration" : "velocity",
                                rest, name, rest, name, is_second ? "''" : "'");
    }
    static const char *const words[] = {"v", "vel", "velocity", "speed"};
    for (size_t i = 0; i < sizeof words / sizeof *words && c->model->coords_count; i++)
        if (strcmp(words[i], text) == 0)
            return arena_format(&c->memory, "velocities are primes: the velocity of %s is written %s'",
                                c->model->coords[0].name, c->model->coords[0].name);
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

/* An entry with its index in its name: x_i, x1. */
static const char *entry_meant(lang_context *c, const char *text, size_t length)
{
    size_t head = length;
    while (head > 1 && is_digit(text[head - 1])) head--;
    if (head == length && length > 2 && text[length - 2] == '_') head--;
    const size_t base = head > 1 && text[head - 1] == '_' ? head - 1 : head;
    const uint32_t name = head < length ? lang_find(&c->names, text, base) : 0;
    const lang_binding *b = name ? lang_lookup(c, name) : NULL;
    if (!b || b->value.rank != RANK_VECTOR) return NULL;
    return arena_format(&c->memory, "entries have their index in brackets: %.*s[%s]", (int)base, text, text + head);
}

const char *lang_name_meant(lang_context *c, const char *text, const char *near)
{
    const size_t length = strlen(text);
    if (length == 1 && strchr("ijk", text[0]) && !near)
        return "an index belongs to a loop: for i in 1..N { ... }, sum(i in 1..N: ...) or [... for i in 1..N]";
    if (c->statement_kind == STATEMENT_SIMULATE && (!near || strcmp(near, "t") == 0))
        return "a number or a parameter stands here: simulate until 10";
    if (strcmp(text, "dt") == 0) return "time derivatives are primes: x'";
    if (length == 1 && strchr("TVLU", text[0]) && (!near || strcmp(near, "t") == 0))
        return "an energy has no name of its own: write let T = ..., then kinetic T";
    if (strcmp(text, "e") == 0) return "powers of Euler's number are written exp(x): exp(-x) for e^(-x)";
    if (strcmp(text, "Energy") == 0) return "did you mean 'energy'? it is the energy of the whole model";
    if (strcmp(text, "Kinetic") == 0 || strcmp(text, "Potential") == 0)
        return "the energies of the whole model are kinetic, potential and energy";
    const char *velocity = velocity_meant(c, text, length);
    const char *entry = velocity ? NULL : entry_meant(c, text, length);
    return velocity ? velocity : entry ? entry : call_meant(c, text, length);
}

const char *lang_function_meant(const char *text)
{
    static const char *const functions[][2] = {
        {"ln", "the natural logarithm is written log(x)"},
        {"log10", "write log(x)/log(10)"},
        {"lg", "write log(x)/log(10)"},
        {"log2", "write log(x)/log(2)"},
        {"arcsin", "did you mean 'asin'?"},
        {"arccos", "did you mean 'acos'?"},
        {"arctan", "did you mean 'atan'?"},
        {"arctan2", "did you mean 'atan2'?"},
        {"arctg", "did you mean 'atan'?"},
        {"tg", "did you mean 'tan'?"},
        {"cot", "write 1/tan(x)"},
        {"ctg", "write 1/tan(x)"},
        {"sec", "write 1/cos(x)"},
        {"csc", "write 1/sin(x)"},
        {"cosec", "write 1/sin(x)"},
        {"coth", "write 1/tanh(x)"},
        {"asinh", "write log(x + sqrt(x^2 + 1))"},
        {"arsinh", "write log(x + sqrt(x^2 + 1))"},
        {"acosh", "write log(x + sqrt(x^2 - 1))"},
        {"arcosh", "write log(x + sqrt(x^2 - 1))"},
        {"atanh", "write log((1 + x)/(1 - x))/2"},
        {"artanh", "write log((1 + x)/(1 - x))/2"},
        {"sind", "write sin(rad(x)) for an angle in degrees"},
        {"cosd", "write cos(rad(x)) for an angle in degrees"},
        {"tand", "write tan(rad(x)) for an angle in degrees"},
        {"radians", "did you mean 'rad'?"},
        {"degrees", "did you mean 'deg'?"},
        {"sgn", "did you mean 'sign'?"},
        {"fabs", "did you mean 'abs'?"},
        {"ceil", "write -floor(-x)"},
        {"cbrt", "write x^(1/3)"},
        {"square", "write x^2"},
        {"hypot", "write sqrt(x^2 + y^2)"},
        {"step", "write if(t > 1, 1, 0)"},
        {"heaviside", "write if(t > 1, 1, 0)"},
        {"Heaviside", "write if(t > 1, 1, 0)"},
        {"ramp", "write max(t - 1, 0)"},
        {"pulse", "write if(t > 1 and t < 2, 1, 0)"},
        {"piecewise", "did you mean 'if'? write if(condition, a, b)"},
        {"where", "did you mean 'if'? write if(condition, a, b)"},
        {"saturate", "did you mean 'clamp'?"},
        {"sat", "did you mean 'clamp'?"},
        {"limit", "did you mean 'clamp'?"},
        {"integral", "what is summed up in time is a state: state z: z' = expression"},
        {"integrate", "what is summed up in time is a state: state z: z' = expression"},
        {"int", "what is summed up in time is a state: state z: z' = expression"},
        {"random", "a signal that varies comes from a file: input u = file \"data.csv\" column \"u\""},
        {"rand", "a signal that varies comes from a file: input u = file \"data.csv\" column \"u\""},
        {"noise", "a signal that varies comes from a file: input u = file \"data.csv\" column \"u\""},
        {"eye", "did you mean 'identity'?"},
    };
    const char *meant = MEANT(functions, text);
    if (meant) return meant;
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
    return MEANT(words, word);
}

const char *lang_other_measure(const char *word)
{
    static const char *const words[][2] = {
        {"maximum", "max"}, {"peak", "max"},   {"minimum", "min"}, {"average", "mean"},
        {"avg", "mean"},    {"last", "final"}, {"end", "final"},   {"number", "count"},
    };
    return MEANT(words, word);
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
    return MEANT(words, word);
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
    if (!other && word[0] && is_declared(p, name_here(p)))
        hint =
            "a start is written 'initial x = 1', what always holds 'constraint c: x = 1'; motion follows from energies and forces";
    if (p->token.kind == TOK_SLASH) hint = "a comment starts with #";
    if (!hint && word[0] && (next.kind == TOK_ASSIGN || (next.kind == TOK_NAME && assign_follows(p))))
        hint = "write 'let NAME = ...' or 'param NAME = ...' to give something a name";
    if (!hint) hint = "a statement starts with param, coord, let, kinetic, potential, constraint, initial, output, ...";
    lang_fail(p, hint, "no statement starts with %s", found);
}
