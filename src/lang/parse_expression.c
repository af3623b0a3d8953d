/* Expressions: prefix and postfix operators, and binary ones by binding power. Sums, products and chains
   of and/or are one node with many children. */
#include "lang/call.h"
#include "lang/parser.h"

#include <stdio.h>
#include <string.h>

enum { POWER_OR = 1, POWER_AND, POWER_NOT, POWER_COMPARE, POWER_ADD, POWER_MULTIPLY };

static lang_node *parse_binary(lang_parser *p, int least);
static lang_node *parse_prefix(lang_parser *p);

static lang_node *new_node(lang_parser *p, lang_node_kind kind, uint32_t start)
{
    lang_node *n = lang_new(p, sizeof *n);
    if (!n) return NULL;
    if (p->c->node_count++ == LANG_MAX_NODES) {
        lang_limit(p->c, lang_token_span(p), "the text has more than %d names, numbers and operators", LANG_MAX_NODES);
        p->failed = 1;
    }
    n->kind = (uint8_t)kind;
    n->depth = 1;
    n->span = n->mark = lang_span(p, start, p->token.end);
    return n;
}

/* Appends a child; *last is the end of the chain of children. */
static void append(lang_parser *p, lang_node *n, lang_node ***last, lang_node *child)
{
    if (!n || !child) {
        p->failed = 1;
        return;
    }
    **last = child;
    *last = &child->next;
    n->count++;
    n->span.end = p->previous_end;
    if (child->depth >= n->depth) n->depth = (uint16_t)(child->depth + 1);
    if (n->depth > LANG_MAX_NESTING)
        lang_fail_at(p, n->mark, NULL, "brackets, operators and blocks are nested more than %d deep", LANG_MAX_NESTING);
}

static int enter(lang_parser *p)
{
    if (++p->depth > LANG_MAX_NESTING)
        lang_fail(p, NULL, "brackets, operators and blocks are nested more than %d deep", LANG_MAX_NESTING);
    return !p->failed;
}

static void leave(lang_parser *p) { p->depth--; }

/* A bracket that was opened at `open` must close here. usage: how what stands around it is written, or NULL. */
static void close_bracket(lang_parser *p, lang_token_kind kind, mech_span open, const char *or_else, const char *usage)
{
    char what[120];
    if (lang_accept(p, kind) || p->failed) return;
    const char sign = p->lexer.text[open.start];
    if (p->token.starts_line || p->token.kind == TOK_END) lang_fail_at(p, open, NULL, "this '%c' is not closed", sign);
    snprintf(what, sizeof what, "%s%s to close the '%c'", lang_token_name(kind), or_else, sign);
    p->usage = usage;
    lang_expected(p, what);
}

/* list -> expression {',' expression}, appended to n */
static void parse_list(lang_parser *p, lang_node *n, lang_node **last, lang_node *(*parse)(lang_parser *))
{
    do append(p, n, &last, parse(p));
    while (lang_accept(p, TOK_COMMA));
}

lang_node *lang_parse_range(lang_parser *p)
{
    const uint32_t start = p->token.start;
    lang_node *from = lang_parse_expression(p);
    lang_node *n = p->failed ? NULL : new_node(p, NODE_RANGE, start);
    if (!n) return NULL;
    lang_node **last = &n->first;
    append(p, n, &last, from);
    lang_expect(p, TOK_RANGE, "between the first and the last of a range");
    if (p->failed) return NULL;
    append(p, n, &last, lang_parse_expression(p));
    if (!p->failed && lang_accept_word(p, "step")) append(p, n, &last, lang_parse_expression(p));
    return p->failed ? NULL : n;
}

/* index -> expression ['..' expression] */
static lang_node *parse_index(lang_parser *p)
{
    const uint32_t start = p->token.start;
    lang_node *from = lang_parse_expression(p);
    if (p->failed || !lang_is(p, TOK_RANGE)) return from;
    lang_node *n = new_node(p, NODE_RANGE, start);
    if (!n) return NULL;
    lang_node **last = &n->first;
    append(p, n, &last, from);
    lang_accept(p, TOK_RANGE);
    append(p, n, &last, lang_parse_expression(p));
    return n;
}

/* indices -> '[' index {',' index} ']' */
static void parse_indices(lang_parser *p, lang_node *n, lang_node **last)
{
    const mech_span open = lang_token_span(p);
    lang_accept(p, TOK_LBRACKET);
    parse_list(p, n, last, parse_index);
    close_bracket(p, TOK_RBRACKET, open, " or ','", NULL);
}

lang_title lang_parse_title(lang_parser *p, const char *what)
{
    lang_title t = {.span = lang_token_span(p)};
    t.name = lang_take_new_name(p, what);
    if (!t.name || !lang_is(p, TOK_LBRACKET)) return t;
    lang_node *n = new_node(p, NODE_INDEX, t.span.start);
    if (!n) return t;
    parse_indices(p, n, &n->first);
    t.indices = n->first;
    t.index_count = n->count;
    t.span.end = p->previous_end;
    return t;
}

/* index -> left '[' index {',' index} ']' */
static lang_node *parse_entry(lang_parser *p, lang_node *left)
{
    lang_node *n = new_node(p, NODE_INDEX, left->span.start);
    if (!n) return NULL;
    lang_node **last = &n->first;
    append(p, n, &last, left);
    parse_indices(p, n, last);
    n->span.end = p->previous_end;
    n->mark = n->span;
    return n;
}

/* member -> left '.' name */
static lang_node *parse_member(lang_parser *p, lang_node *left)
{
    lang_accept(p, TOK_DOT);
    lang_node *n = new_node(p, NODE_MEMBER, left->span.start);
    if (!n) return NULL;
    lang_node **last = &n->first;
    append(p, n, &last, left);
    n->mark = lang_token_span(p);
    n->name = lang_take_name(p, "a name");
    n->span.end = p->previous_end;
    return n;
}

lang_node *lang_parse_path(lang_parser *p, const char *what)
{
    lang_node *n = lang_is(p, TOK_NAME) ? new_node(p, NODE_NAME, p->token.start) : NULL;
    if (!n) {
        lang_expected(p, what);
        return NULL;
    }
    n->name = lang_take_name(p, what);
    while (n && !p->failed && (lang_is(p, TOK_LBRACKET) || lang_is(p, TOK_DOT)))
        n = lang_is(p, TOK_DOT) ? parse_member(p, n) : parse_entry(p, n);
    return p->failed ? NULL : n;
}

int lang_title_of(const lang_node *n, lang_title *t)
{
    const lang_node *last = n->kind == NODE_INDEX ? n->first : n;
    if (last->kind != NODE_NAME && last->kind != NODE_MEMBER) return 0;
    *t = (lang_title){.name = last->name, .span = n->span, .within = last->kind == NODE_MEMBER ? last->first : NULL};
    if (n->kind != NODE_INDEX) return 1;
    t->indices = last->next;
    t->index_count = n->count - 1;
    return 1;
}

lang_title lang_parse_reference(lang_parser *p, const char *what)
{
    lang_title t = {.span = lang_token_span(p)};
    const lang_node *n = lang_parse_path(p, what);
    if (n && !lang_title_of(n, &t)) lang_fail_at(p, n->span, NULL, "a name has its indices in one bracket: x[1,2]");
    return t;
}

/* loop -> name 'in' range, for sums and lists */
static lang_node *parse_in(lang_parser *p, lang_node *n)
{
    p->usage = "write: sum(i in 1..N: ...) or [... for i in 1..N]";
    n->name = lang_take_new_name(p, "the name of an index");
    lang_expect_word(p, "in", "after the index");
    return p->failed ? NULL : lang_parse_range(p);
}

/* sum -> 'sum' '(' name 'in' range ':' expression ')', from after the '(' */
static void parse_sum(lang_parser *p, lang_node *n, mech_span open)
{
    lang_node **last = &n->first;
    n->kind = NODE_SUM;
    lang_node *range = parse_in(p, n);
    lang_expect(p, TOK_COLON, "after the range of a sum");
    if (p->failed) return;
    append(p, n, &last, lang_parse_expression(p));
    if (p->failed) return;
    append(p, n, &last, range);
    close_bracket(p, TOK_RPAREN, open, "", NULL);
}

/* argument -> string | 'smooth' | 'linear' | expression, of table() */
static lang_node *parse_argument(lang_parser *p)
{
    const char *const how = lang_peek(p).kind != TOK_RPAREN ? NULL
                            : lang_is_word(p, "smooth")     ? "smooth"
                            : lang_is_word(p, "linear")     ? "linear"
                                                            : NULL;
    if (!how && !lang_is(p, TOK_STRING)) return lang_parse_expression(p);
    lang_node *n = new_node(p, NODE_TEXT, p->token.start);
    if (!n) return NULL;
    n->directory = p->directory;
    n->op = how != NULL;
    n->text = how ? how : lang_take_string(p);
    if (how) lang_advance(p);
    return n;
}

/* call -> name '(' [expression {',' expression}] ')' */
static lang_node *parse_name(lang_parser *p)
{
    lang_node *n = new_node(p, NODE_NAME, p->token.start);
    const int is_sum = lang_is_word(p, "sum"), is_table = lang_is_word(p, "table");
    if (!n) return NULL;
    n->name = lang_take_name(p, "a name");
    if (!lang_is(p, TOK_LPAREN)) return n;
    const mech_span open = lang_token_span(p);
    const uint16_t builtin = n->name ? p->c->names.items[n->name].builtin : 0;
    n->kind = NODE_CALL;
    lang_accept(p, TOK_LPAREN);
    const lang_token next = lang_peek(p);
    if (is_sum && lang_is(p, TOK_NAME) && (next.kind == TOK_ASSIGN || lang_token_is_word(p, next, "in")))
        parse_sum(p, n, open);
    else {
        if (!lang_is(p, TOK_RPAREN)) parse_list(p, n, &n->first, is_table ? parse_argument : lang_parse_expression);
        close_bracket(p, TOK_RPAREN, open, " or ','", builtin ? lang_builtin_usage(builtin - 1u) : NULL);
    }
    n->span.end = p->previous_end;
    return n;
}

/* vector -> '[' expression {',' expression} ']' | '[' expression 'for' name 'in' range ']' */
static lang_node *parse_vector(lang_parser *p)
{
    const mech_span open = lang_token_span(p);
    lang_node *n = new_node(p, NODE_LIST, p->token.start);
    if (!n) return NULL;
    lang_accept(p, TOK_LBRACKET);
    lang_node **last = &n->first;
    append(p, n, &last, lang_parse_expression(p));
    if (lang_accept_word(p, "for")) {
        n->kind = NODE_EACH;
        lang_node *range = parse_in(p, n);
        if (!p->failed) append(p, n, &last, range);
    } else if (lang_accept(p, TOK_COMMA)) parse_list(p, n, last, lang_parse_expression);
    close_bracket(p, TOK_RBRACKET, open, " or ','", NULL);
    n->span.end = p->previous_end;
    return n;
}

static lang_node *parse_number(lang_parser *p)
{
    lang_node *n = new_node(p, NODE_NUMBER, p->token.start);
    if (!n) return NULL;
    n->length = p->token.end - p->token.start;
    n->text = arena_text(&p->c->memory, p->lexer.text + p->token.start, n->length);
    if (!n->text) {
        lang_out_of_memory(p->c);
        p->failed = 1;
    }
    lang_advance(p);
    return n;
}

/* primary -> number | name | call | vector | '(' expression ')' */
static lang_node *parse_primary(lang_parser *p)
{
    if (lang_is(p, TOK_NUMBER)) return parse_number(p);
    if (lang_is(p, TOK_NAME)) return parse_name(p);
    if (lang_is(p, TOK_LBRACKET)) return parse_vector(p);
    if (lang_is(p, TOK_LPAREN)) {
        const mech_span open = lang_token_span(p);
        lang_accept(p, TOK_LPAREN);
        lang_node *inside = lang_parse_expression(p);
        close_bracket(p, TOK_RPAREN, open, "", NULL);
        if (inside) inside->span = lang_span(p, open.start, p->previous_end);
        return inside;
    }
    lang_expected_expression(p);
    return NULL;
}

static lang_node *parse_primes(lang_parser *p, lang_node *inside)
{
    enum { MOST = 10 };
    lang_node *n = new_node(p, NODE_PRIME, inside->span.start);
    if (!n) return NULL;
    n->mark = lang_token_span(p);
    while (lang_is(p, TOK_PRIME) && n->op <= MOST) {
        n->op++;
        lang_advance(p);
    }
    if (n->op > MOST) lang_fail(p, NULL, "more than %d primes", MOST);
    lang_node **last = &n->first;
    append(p, n, &last, inside);
    return n;
}

/* postfix -> primary {"'" | '[' index {',' index} ']' | '.' name} */
static lang_node *parse_postfix(lang_parser *p)
{
    lang_node *left = parse_primary(p);
    while (!p->failed && left) {
        if (lang_is(p, TOK_PRIME)) left = parse_primes(p, left);
        else if (lang_is(p, TOK_LBRACKET)) left = parse_entry(p, left);
        else if (lang_is(p, TOK_DOT)) left = parse_member(p, left);
        else return left;
    }
    return NULL;
}

/* power -> postfix ['^' ['-'] power] */
static lang_node *parse_power(lang_parser *p)
{
    lang_node *base = parse_postfix(p);
    if (!base || !lang_is(p, TOK_CARET)) return base;
    lang_node *n = new_node(p, NODE_POWER, base->span.start);
    if (!n || !enter(p)) return NULL;
    n->mark = lang_token_span(p);
    lang_node **last = &n->first;
    append(p, n, &last, base);
    lang_accept(p, TOK_CARET);
    append(p, n, &last, lang_is(p, TOK_MINUS) || lang_is(p, TOK_PLUS) ? parse_prefix(p) : parse_power(p));
    leave(p);
    return n;
}

/* prefix -> '-' prefix | '+' prefix | 'not' comparison | power */
static lang_node *parse_prefix(lang_parser *p)
{
    const int is_not = lang_is_word(p, "not");
    if (!is_not && !lang_is(p, TOK_MINUS) && !lang_is(p, TOK_PLUS)) return parse_power(p);
    if (!enter(p)) return NULL;
    lang_node *n = NULL;
    if (lang_accept(p, TOK_PLUS)) n = parse_prefix(p);
    else {
        n = new_node(p, is_not ? NODE_NOT : NODE_NEGATE, p->token.start);
        lang_advance(p);
        lang_node **last = n ? &n->first : NULL;
        if (n) append(p, n, &last, is_not ? parse_binary(p, POWER_COMPARE) : parse_prefix(p));
    }
    leave(p);
    return p->failed ? NULL : n;
}

typedef struct binding {
    int power;
    lang_node_kind kind;
} binding;

/* How tightly the operator at the present token binds; power 0: it is none. */
static binding operator_here(const lang_parser *p)
{
    if (lang_is_word(p, "or")) return (binding){POWER_OR, NODE_OR};
    if (lang_is_word(p, "and")) return (binding){POWER_AND, NODE_AND};
    if (p->failed) return (binding){0, NODE_COUNT};
    switch (p->token.kind) {
    case TOK_EQUAL:
    case TOK_NOT_EQUAL:
    case TOK_LESS:
    case TOK_LESS_EQUAL:
    case TOK_GREATER:
    case TOK_GREATER_EQUAL: return (binding){POWER_COMPARE, NODE_COMPARE};
    case TOK_PLUS:
    case TOK_MINUS: return (binding){POWER_ADD, NODE_ADD};
    case TOK_STAR:
    case TOK_SLASH: return (binding){POWER_MULTIPLY, NODE_MULTIPLY};
    default: return (binding){0, NODE_COUNT};
    }
}

/* chain -> left {operator right}, all operators of one power */
static lang_node *parse_chain(lang_parser *p, lang_node *left, binding b)
{
    lang_node *n = new_node(p, b.kind, left->span.start);
    if (!n) return NULL;
    n->mark = lang_token_span(p);
    n->op = (uint8_t)p->token.kind;
    lang_node **last = &n->first;
    append(p, n, &last, left);
    while (operator_here(p).power == b.power) {
        const lang_token sign = p->token;
        if (b.kind == NODE_COMPARE && n->count == 2) lang_chain(p);
        lang_advance(p);
        lang_skip_newlines(p);
        lang_node *right = p->failed ? NULL : parse_binary(p, b.power + 1);
        append(p, n, &last, right);
        if (p->failed) return NULL;
        right->joint = (uint8_t)sign.kind;
        right->joint_at = sign.start;
    }
    return n;
}

/* binary -> prefix {operator binary}, operators of power `least` and above */
static lang_node *parse_binary(lang_parser *p, int least)
{
    lang_node *left = parse_prefix(p);
    while (left && !p->failed) {
        const binding b = operator_here(p);
        if (b.power == 0 || b.power < least) return left;
        left = parse_chain(p, left, b);
    }
    return NULL;
}

lang_node *lang_parse_expression(lang_parser *p)
{
    if (p->failed || !enter(p)) return NULL;
    lang_node *n = parse_binary(p, POWER_OR);
    leave(p);
    return p->failed ? NULL : n;
}
