/* The parser's frame: tokens, statements one after the other, recovery. */
#include "lang/parser.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *word;
    lang_parse_rule *rule;
    const char *usage; /* the hint where a part is missing and nothing better is known */
} rules[] = {
    [STATEMENT_PARAM] = {"param", lang_parse_param, "write: param NAME = value \"unit\""},
    [STATEMENT_COORD] = {"coord", lang_parse_coord, "write: coord NAME \"unit\", or coord x[1..N]"},
    [STATEMENT_LET] = {"let", lang_parse_let, "write: let NAME = expression, or let f(a, b) = expression"},
    [STATEMENT_STATE] = {"state", lang_parse_state,
                         "write: state z: z' = expression, and for its start: initial z = 1"},
    [STATEMENT_SAMPLED] = {"sampled", lang_parse_param, "write: sampled NAME = value"},
    [STATEMENT_INPUT] = {"input", lang_parse_input,
                         "write: input NAME = expression of t, or input NAME = file \"data.csv\" column \"u\""},
    [STATEMENT_KINETIC] = {"kinetic", lang_parse_energy, "write: kinetic m/2*x'^2"},
    [STATEMENT_POTENTIAL] = {"potential", lang_parse_energy, "write: potential m*g*y"},
    [STATEMENT_DISSIPATION] = {"dissipation", lang_parse_energy, "write: dissipation c/2*x'^2"},
    [STATEMENT_MASS] = {"mass", lang_parse_mass, "write: mass x = m, or mass [x, y] = [[a, b], [b, c]]"},
    [STATEMENT_FORCE] = {"force", lang_parse_force, "write: force F on x'"},
    [STATEMENT_CONSTRAINT] = {"constraint", lang_parse_constraint, "write: constraint NAME: left = right"},
    [STATEMENT_NONIDEAL] = {"nonideal", lang_parse_nonideal, "write: nonideal on NAMES: place = force"},
    [STATEMENT_FRICTION] = {"friction", lang_parse_friction,
                            "write: friction on NAMES: mu, along VELOCITY, or: friction on JOINT: torque f"},
    [STATEMENT_CONTROL] = {"control", lang_parse_control, "write: control NAME: left = right"},
    [STATEMENT_ACTUATOR] = {"actuator", lang_parse_actuator, "write: actuator NAME: x'"},
    [STATEMENT_OUTPUT] = {"output", lang_parse_output, "write: output NAME = expression \"unit\""},
    [STATEMENT_MEASURE] = {"measure", lang_parse_measure,
                           "write: measure NAME: max of expression \"unit\", or: measure NAME: time of EVENT"},
    [STATEMENT_DRAW] = {"draw", lang_parse_draw,
                        "write: draw line p, q, or: draw circle p, radius r; more in docs/see.md"},
    [STATEMENT_INITIAL] = {"initial", lang_parse_initial, "write: initial x = 1, x' = 0"},
    [STATEMENT_GUESS] = {"guess", lang_parse_initial, "write: guess x = 1, x' = 0"},
    [STATEMENT_STEADY] = {"steady", lang_parse_initial, "write: steady x' = value"},
    [STATEMENT_EVENT] = {"event", lang_parse_event, "write: event NAME: expression falls through VALUE -> action"},
    [STATEMENT_EVERY] = {"every", lang_parse_every,
                         "write: every T from t0 { set u = expression; set w = expression }"},
    [STATEMENT_STABILIZE] = {"stabilize", lang_parse_stabilize, "write: stabilize excess B = 10, K = 100"},
    [STATEMENT_SIMULATE] = {"simulate", lang_parse_simulate, "write: simulate until 10"},
    [STATEMENT_ALLOW] = {"allow", lang_parse_allow, "write: allow leastnorm, or: allow negative mass"},
    [STATEMENT_INCLUDE] = {"include", lang_parse_include, "write: include \"file.mech\""},
    [STATEMENT_FOR] = {"for", lang_parse_for, "write: for i in 1..N { statements }"},
    [STATEMENT_IF] = {"if", lang_parse_if, "write: if condition { statements }"},
    [STATEMENT_COMPONENT] = {"component", lang_parse_component, "write: component NAME(a, b) { statements }"},
    [STATEMENT_GRAVITY] =
        {"gravity", lang_parse_gravity,
         "write: gravity [0, 0, -9.81], in the plane: gravity [0, -9.81]; along a coordinate: potential m*g*y"},
    [STATEMENT_COORDINATES] = {"coordinates", lang_parse_coordinates,
                               "write: coordinates relative, or: coordinates absolute; one of your own is: coord x"},
    [STATEMENT_BODY] =
        {"body", lang_parse_body,
         "write: body NAME: mass m, center c, inertia I, or a solid: body NAME: rod P to Q, mass m (or box [a, b, c], "
         "cylinder r, h, sphere r, disc r)"},
    [STATEMENT_POINT] = {"point", lang_parse_point, "write: point BODY.NAME = [x, y, z]"},
    [STATEMENT_JOINT] = {"joint", lang_parse_joint,
                         "write: joint NAME: BODY at [x, y, z] to BODY, revolute about [0, 0, 1]"},
    [STATEMENT_SPRING] =
        {"spring", lang_parse_spring,
         "write: spring NAME: BODY at P to BODY at Q, stiffness k, length l, or: spring NAME on JOINT: stiffness k; "
         "along a coordinate it is: potential k/2*x^2"},
    [STATEMENT_DAMPER] = {"damper", lang_parse_spring,
                          "write: damper NAME: BODY at P to BODY at Q, damping c, or: damper NAME on JOINT: damping c; "
                          "along a coordinate it is: dissipation c/2*x'^2"},
    [STATEMENT_MOTOR] = {"motor", lang_parse_motor,
                         "write: motor NAME on JOINT: torque T, or: motor NAME on JOINT: angle = f(t)"},
    [STATEMENT_PART] = {"part", lang_parse_part, "write: part NAME: COMPONENT(a, b)"},
    [STATEMENT_IMPORT] = {"import", lang_parse_import, "write: import NAME: \"robot.urdf\""},
};

const char *lang_statement_word(lang_statement_kind kind) { return rules[kind].word; }

const char *lang_statement_usage(lang_statement_kind kind) { return rules[kind].usage; }

mech_span lang_span(const lang_parser *p, uint32_t start, uint32_t end) { return (mech_span){p->source, start, end}; }

mech_span lang_token_span(const lang_parser *p) { return lang_span(p, p->token.start, p->token.end); }

void lang_advance(lang_parser *p)
{
    p->previous_end = p->token.end;
    p->token = lang_lexer_next(&p->lexer);
    if (p->token.kind == TOK_BAD) lang_fail(p, p->token.hint, "%s", p->token.problem);
}

void lang_fail_at(lang_parser *p, mech_span span, const char *hint, const char *format, ...)
{
    char message[600];
    if (p->failed) return;
    p->failed = 1;
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    lang_error(p->c, MECH_ERR_SYNTAX, span, hint, "%s", message);
}

void lang_fail(lang_parser *p, const char *hint, const char *format, ...)
{
    char message[600];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    lang_fail_at(p, lang_token_span(p), hint, "%s", message);
}

int lang_is(const lang_parser *p, lang_token_kind kind) { return !p->failed && p->token.kind == kind; }

int lang_token_is_word(const lang_parser *p, lang_token token, const char *word)
{
    const size_t n = strlen(word);
    return token.kind == TOK_NAME && token.end - token.start == n && memcmp(p->lexer.text + token.start, word, n) == 0;
}

int lang_is_word(const lang_parser *p, const char *word) { return !p->failed && lang_token_is_word(p, p->token, word); }

/* A statement cannot end after these: newlines may follow. */
static int is_open(lang_token_kind kind)
{
    return kind == TOK_COMMA || kind == TOK_COLON || kind == TOK_ASSIGN || kind == TOK_ARROW || kind == TOK_RANGE ||
           kind == TOK_LBRACE || (kind >= TOK_EQUAL && kind <= TOK_CARET);
}

lang_token lang_peek(const lang_parser *p)
{
    lang_lexer ahead = p->lexer;
    lang_token t = lang_lexer_next(&ahead);
    while (is_open(p->token.kind) && t.kind == TOK_NEWLINE) t = lang_lexer_next(&ahead);
    return t;
}

static int keyword_of(const lang_parser *p, lang_token token)
{
    for (int k = 0; k < STATEMENT_COUNT; k++)
        if (lang_token_is_word(p, token, rules[k].word)) return k;
    return -1;
}

/* 1 when the next line starts a statement: a keyword and a word after it, which no expression has. */
static int statement_follows(const lang_parser *p)
{
    lang_lexer x = p->lexer;
    lang_token t = p->token;
    while (t.kind == TOK_NEWLINE) t = lang_lexer_next(&x);
    if (keyword_of(p, t) < 0) return 0;
    const lang_token after = lang_lexer_next(&x);
    return after.kind == TOK_NAME || after.kind == TOK_NUMBER || after.kind == TOK_STRING;
}

void lang_skip_newlines(lang_parser *p)
{
    if (!lang_is(p, TOK_NEWLINE) || statement_follows(p)) return;
    while (lang_is(p, TOK_NEWLINE)) lang_advance(p);
}

int lang_accept(lang_parser *p, lang_token_kind kind)
{
    if (!lang_is(p, kind)) return 0;
    lang_advance(p);
    if (is_open(kind)) lang_skip_newlines(p);
    return !p->failed;
}

int lang_accept_word(lang_parser *p, const char *word)
{
    if (!lang_is_word(p, word)) return 0;
    lang_advance(p);
    return !p->failed;
}

void lang_expect(lang_parser *p, lang_token_kind kind, const char *where)
{
    char what[120];
    if (lang_accept(p, kind) || p->failed) return;
    snprintf(what, sizeof what, "%s %s", lang_token_name(kind), where);
    lang_expected(p, what);
}

void lang_expect_equals(lang_parser *p, const lang_node *left, const char *where)
{
    if (!p->failed && p->token.kind != TOK_ASSIGN && left && left->kind == NODE_COMPARE && left->op == TOK_EQUAL)
        lang_fail_at(p, left->mark, "write a single '='; '==' compares", "expected '=' %s, found '=='", where);
    if (!p->failed && p->token.kind != TOK_ASSIGN && left && left->kind == NODE_COMPARE) lang_inequality(p, left->mark);
    if (!p->failed && p->token.kind != TOK_ASSIGN && left) lang_decimal_comma(p, left);
    lang_expect(p, TOK_ASSIGN, where);
}

void lang_expect_word(lang_parser *p, const char *word, const char *where)
{
    char what[120];
    if (lang_accept_word(p, word) || p->failed) return;
    snprintf(what, sizeof what, "'%s' %s", word, where);
    lang_expected(p, what);
}

int lang_at_end_of_statement(const lang_parser *p)
{
    const lang_token_kind k = p->token.kind;
    return p->failed || k == TOK_NEWLINE || k == TOK_SEMICOLON || k == TOK_RBRACE || k == TOK_END;
}

/* The number of a name token. */
static uint32_t intern_token(lang_parser *p, lang_token token)
{
    char name[LANG_MAX_NAME + 1];
    const size_t length = lang_canonical(p->lexer.text + token.start, token.end - token.start, name);
    if (length == 0) {
        lang_fail_at(p, lang_span(p, token.start, token.end), NULL, "this name is longer than %d bytes", LANG_MAX_NAME);
        return 0;
    }
    const uint32_t number = lang_intern(&p->c->names, name, length);
    if (number) return number;
    lang_out_of_memory(p->c);
    p->failed = 1;
    return 0;
}

uint32_t lang_take_name(lang_parser *p, const char *what)
{
    if (!lang_is(p, TOK_NAME)) {
        lang_expected(p, what);
        return 0;
    }
    const uint32_t number = intern_token(p, p->token);
    if (number) lang_advance(p);
    return number;
}

uint32_t lang_take_new_name(lang_parser *p, const char *what)
{
    const uint32_t number = lang_take_name(p, what);
    if (number) p->c->names.items[number].is_declared = 1;
    return number;
}

const char *lang_take_string(lang_parser *p)
{
    if (!lang_is(p, TOK_STRING)) return NULL;
    const char *text = arena_text(&p->c->memory, p->lexer.text + p->token.start + 1, p->token.end - p->token.start - 2);
    if (!text) {
        lang_out_of_memory(p->c);
        p->failed = 1;
    }
    lang_advance(p);
    return text;
}

void *lang_new(lang_parser *p, size_t size)
{
    void *block = arena_alloc(&p->c->memory, size);
    if (block) return memset(block, 0, size);
    lang_out_of_memory(p->c);
    p->failed = 1;
    return NULL;
}

/* Names that stood in a statement that cannot be read: later errors about them would be echoes. */
static void suspect_names(lang_parser *p, uint32_t from, uint32_t to)
{
    enum { MOST = 1000 };
    lang_lexer x = p->lexer;
    char name[LANG_MAX_NAME + 1];
    x.at = from;
    for (int i = 0; i < MOST; i++) {
        const lang_token t = lang_lexer_next(&x);
        if (t.kind == TOK_END || t.start >= to) return;
        if (t.kind != TOK_NAME) continue;
        const size_t length = lang_canonical(x.text + t.start, t.end - t.start, name);
        const uint32_t number = length ? lang_intern(&p->c->names, name, length) : 0;
        if (number) p->c->names.items[number].is_suspect = 1;
    }
}

/* From a '{' to after its '}'. */
static void skip_block(lang_parser *p)
{
    size_t open = 0;
    p->lexer.brackets = 0;
    do {
        open += p->token.kind == TOK_LBRACE;
        open -= p->token.kind == TOK_RBRACE;
        p->token = lang_lexer_next(&p->lexer);
    } while (open > 0 && p->token.kind != TOK_END);
}

void lang_leave_block(lang_parser *p)
{
    p->lexer.brackets = 0;
    while (p->token.kind != TOK_RBRACE && p->token.kind != TOK_END &&
           !(p->token.starts_line && keyword_of(p, p->token) >= 0))
        p->token = lang_lexer_next(&p->lexer);
    if (p->token.kind == TOK_RBRACE) p->token = lang_lexer_next(&p->lexer);
}

/* Gives up the statement that began at `start`: to the end of its line with the block that opens there, or
   to the next line that starts with a keyword when a bracket was left open. */
static void recover(lang_parser *p, uint32_t start)
{
    for (;;) {
        const lang_token_kind k = p->token.kind;
        if (k == TOK_NEWLINE || k == TOK_SEMICOLON || k == TOK_RBRACE || k == TOK_END) break;
        if (p->token.starts_line && p->token.start > start && keyword_of(p, p->token) >= 0) break;
        if (k == TOK_LBRACE) skip_block(p);
        else p->token = lang_lexer_next(&p->lexer);
    }
    suspect_names(p, start, p->token.start);
    p->lexer.brackets = 0;
    p->failed = 0;
}

/* statement -> keyword ... (newline | ';') */
static lang_statement *parse_statement(lang_parser *p)
{
    const uint32_t start = p->token.start;
    const int kind = keyword_of(p, p->token), depth = p->depth;
    lang_statement *s = lang_new(p, sizeof *s);
    if (!s) return NULL;
    if (p->token.kind == TOK_BAD) lang_fail(p, p->token.hint, "%s", p->token.problem);
    else if (kind < 0) lang_unknown_statement(p);
    else {
        s->kind = (lang_statement_kind)kind;
        s->directory = p->directory;
        p->usage = rules[kind].usage;
        p->takes_label = kind == STATEMENT_PARAM || kind == STATEMENT_COORD || kind == STATEMENT_OUTPUT ||
                         kind == STATEMENT_STATE || kind == STATEMENT_SAMPLED || kind == STATEMENT_INPUT ||
                         kind == STATEMENT_MEASURE;
        lang_advance(p);
        rules[kind].rule(p, s);
        if (p->token.kind != TOK_ASSIGN && p->token.kind != TOK_COLON && p->token.kind != TOK_LBRACE &&
            p->token.kind != TOK_LPAREN)
            p->usage = NULL; /* the statement was whole; what follows is something else */
        if (!lang_at_end_of_statement(p)) lang_expected(p, "the end of the statement");
    }
    s->span = lang_span(p, start, p->previous_end);
    p->depth = depth;
    if (!p->failed) return s;
    recover(p, start);
    return NULL;
}

/* Statements up to '}' or the end. */
static lang_statement *parse_statements(lang_parser *p)
{
    lang_statement *first = NULL, **last = &first;
    for (;;) {
        while (p->token.kind == TOK_NEWLINE || p->token.kind == TOK_SEMICOLON) {
            lang_advance(p);
            if (p->failed) recover(p, p->token.start);
        }
        if (p->token.kind == TOK_RBRACE || p->token.kind == TOK_END || lang_is_over(p->c)) return first;
        lang_statement *s = parse_statement(p);
        if (!s) continue;
        *last = s;
        last = &s->next;
    }
}

lang_statement *lang_parse_block(lang_parser *p)
{
    const mech_span open = lang_token_span(p);
    if (++p->depth > LANG_MAX_NESTING) lang_fail(p, NULL, "blocks are nested more than %d deep", LANG_MAX_NESTING);
    lang_expect(p, TOK_LBRACE, "before a block of statements");
    lang_statement *body = p->failed ? NULL : parse_statements(p);
    p->depth--;
    if (lang_is(p, TOK_RBRACE)) lang_advance(p);
    else if (!p->failed && !lang_is_over(p->c))
        lang_fail_at(p, open, "write '}' after its last statement", "this '{' is not closed");
    return body;
}

lang_statement *lang_parse(lang_context *c, const lang_parser *parent, const char *name, const char *directory,
                           const char *text, size_t length)
{
    lang_parser p = {.c = c, .parent = parent, .directory = directory, .path = name};
    p.source = diagnostics_add_source(c->diagnostics, name, text, length);
    if (!p.source) {
        lang_out_of_memory(c);
        return NULL;
    }
    if (!parent) c->source = p.source;
    const size_t bad = lang_utf8_invalid(text, length);
    if (bad < length) {
        const mech_span span = lang_span(&p, (uint32_t)bad, (uint32_t)bad + 1);
        lang_error(c, MECH_ERR_SYNTAX, span, text[bad] ? "save the file as UTF-8" : NULL,
                   text[bad] ? "this byte is not valid UTF-8" : "a NUL byte stands here: this is not a text");
        return NULL;
    }
    lang_lexer_start(&p.lexer, text, length);
    p.token = lang_lexer_next(&p.lexer);
    lang_statement *first = parse_statements(&p), **last = &first;
    while (p.token.kind == TOK_RBRACE && !lang_is_over(c)) {
        lang_error(c, MECH_ERR_SYNTAX, lang_token_span(&p), NULL, "this '}' closes nothing");
        while (p.token.kind == TOK_RBRACE) p.token = lang_lexer_next(&p.lexer);
        while (*last) last = &(*last)->next;
        *last = parse_statements(&p);
    }
    return first;
}
