/* Statements that say what the system is: symbols, energies, forces, constraints, laws. */
#include "lang/parser.h"

#include <string.h>

static lang_item *append_item(lang_parser *p, lang_item ***last)
{
    lang_item *i = lang_new(p, sizeof *i);
    if (!i) return NULL;
    i->span = lang_token_span(p);
    **last = i;
    *last = &i->next;
    return i;
}

/* equation -> expression '=' expression */
static void parse_equation(lang_parser *p, lang_node **left, lang_node **right, const char *where)
{
    *left = lang_parse_expression(p);
    lang_expect_equals(p, *left, where);
    *right = lang_parse_expression(p);
}

/* param -> ('param' | 'sampled') title '=' expression [string] {',' ...} */
void lang_parse_param(lang_parser *p, lang_statement *s)
{
    const int is_sampled = s->kind == STATEMENT_SAMPLED;
    lang_item **last = &s->items;
    do {
        lang_item *i = append_item(p, &last);
        if (!i) return;
        i->title = lang_parse_title(p, is_sampled ? "the name of a sampled value" : "the name of a parameter");
        lang_expect(p, TOK_ASSIGN,
                    is_sampled ? "and what the sampled value is at first" : "and the value of the parameter");
        i->value = lang_parse_expression(p);
        i->unit = lang_take_string(p);
    } while (lang_accept(p, TOK_COMMA));
}

/* coord -> 'coord' title [string] {',' ...} */
void lang_parse_coord(lang_parser *p, lang_statement *s)
{
    lang_item **last = &s->items;
    do {
        lang_item *i = append_item(p, &last);
        if (!i) return;
        i->title = lang_parse_title(p, "the name of a coordinate");
        i->unit = lang_take_string(p);
    } while (lang_accept(p, TOK_COMMA));
    if (lang_is(p, TOK_ASSIGN))
        lang_fail(p, "give its start with 'initial x = ...'", "a coordinate takes no value here");
}

/* arguments -> '(' name {',' name} ')' */
void lang_parse_arguments(lang_parser *p, lang_item *i)
{
    lang_node **last = &i->arguments;
    lang_accept(p, TOK_LPAREN);
    do {
        lang_node *n = lang_new(p, sizeof *n);
        if (!n) return;
        n->kind = NODE_NAME;
        n->span = n->mark = lang_token_span(p);
        n->name = lang_take_new_name(p, "the name of an argument");
        for (const lang_node *a = i->arguments; a; a = a->next)
            if (a->name == n->name && !p->failed) lang_fail_at(p, n->span, NULL, "two arguments have this name");
        *last = n;
        last = &n->next;
        i->argument_count++;
    } while (lang_accept(p, TOK_COMMA));
    lang_expect(p, TOK_RPAREN, "after the arguments");
}

/* where -> 'where' name '=' expression {',' name '=' expression} */
static void parse_where(lang_parser *p, lang_item *let)
{
    lang_item **last = &let->items;
    lang_skip_newlines(p);
    do {
        lang_item *i = append_item(p, &last);
        if (!i) return;
        i->title.span = lang_token_span(p);
        i->title.name = lang_take_new_name(p, "a local name after 'where'");
        for (const lang_node *a = let->arguments; a; a = a->next)
            if (a->name == i->title.name && !p->failed)
                lang_fail_at(p, i->title.span, NULL, "an argument has this name");
        for (const lang_item *other = let->items; other != i; other = other->next)
            if (other->title.name == i->title.name && !p->failed)
                lang_fail_at(p, i->title.span, NULL, "two local names are the same");
        lang_expect(p, TOK_ASSIGN, "after the local name");
        i->value = lang_parse_expression(p);
    } while (lang_accept(p, TOK_COMMA));
}

/* let -> 'let' name [arguments] '=' expression [where] {',' name ...} */
void lang_parse_let(lang_parser *p, lang_statement *s)
{
    lang_item **last = &s->items;
    do {
        lang_item *i = append_item(p, &last);
        if (!i) return;
        i->title = lang_parse_title(p, "a name");
        if (i->title.indices)
            lang_fail_at(p, i->title.span, "write let p = [... for i in 1..N]", "a named value takes no index");
        if (lang_is(p, TOK_LPAREN)) lang_parse_arguments(p, i);
        lang_expect(p, TOK_ASSIGN, "after the name");
        i->value = lang_parse_expression(p);
        if (lang_accept_word(p, "where")) parse_where(p, i);
        i->span.end = p->previous_end;
    } while (lang_accept(p, TOK_COMMA));
}

/* state -> 'state' title [string] ':' expression '=' expression */
void lang_parse_state(lang_parser *p, lang_statement *s)
{
    lang_item **last = &s->items, *i = append_item(p, &last);
    if (!i) return;
    i->title = lang_parse_title(p, "the name of a state");
    i->unit = lang_take_string(p);
    lang_expect(p, TOK_COLON, "after the name: state z: z' = ...");
    parse_equation(p, &i->target, &i->value, "and the rate of the state");
    s->title = i->title;
}

/* input -> 'input' name '=' (expression | 'file' string 'column' string ['held']) [string] */
void lang_parse_input(lang_parser *p, lang_statement *s)
{
    lang_item **last = &s->items, *i = append_item(p, &last);
    if (!i) return;
    i->title.span = lang_token_span(p);
    i->title.name = lang_take_new_name(p, "the name of an input");
    lang_expect(p, TOK_ASSIGN, "and the signal of the input");
    if (lang_is_word(p, "file") && lang_peek(p).kind == TOK_STRING) {
        lang_advance(p);
        i->text = lang_take_string(p);
        lang_expect_word(p, "column", "and the name of a column after the file");
        lang_item *column = append_item(p, &last);
        if (!column) return;
        column->text = lang_take_string(p);
        if (!column->text) lang_expected(p, "the name of a column in quotes");
        column->is_held = lang_is_word(p, "held");
        if (column->is_held) lang_advance(p);
    } else i->value = lang_parse_expression(p);
    i->unit = lang_take_string(p);
}

/* energy -> ('kinetic' | 'potential' | 'dissipation') expression */
void lang_parse_energy(lang_parser *p, lang_statement *s) { s->a = lang_parse_expression(p); }

/* mass -> 'mass' expression '=' expression */
void lang_parse_mass(lang_parser *p, lang_statement *s)
{
    parse_equation(p, &s->a, &s->b, "between coordinates and mass");
}

/* force -> 'force' expression 'on' expression */
void lang_parse_force(lang_parser *p, lang_statement *s)
{
    s->a = lang_parse_expression(p);
    lang_expect_word(p, "on", "and the velocity the force acts on");
    s->b = lang_parse_expression(p);
}

/* 1 when 'name :' or 'name[...] :' stands here. */
static int title_follows(const lang_parser *p)
{
    lang_lexer x = p->lexer;
    if (!lang_is(p, TOK_NAME)) return 0;
    lang_token t = lang_lexer_next(&x);
    if (t.kind == TOK_LBRACKET) {
        const int open = x.brackets;
        while (x.brackets >= open && t.kind != TOK_END) t = lang_lexer_next(&x);
        t = lang_lexer_next(&x);
    }
    return t.kind == TOK_COLON;
}

/* The first sign of comparison before the end of the statement, or its end. */
static lang_token find_comparison(const lang_parser *p)
{
    lang_lexer x = p->lexer;
    lang_token t = p->token;
    while (t.kind != TOK_NEWLINE && t.kind != TOK_SEMICOLON && t.kind != TOK_END && t.kind != TOK_LESS &&
           t.kind != TOK_LESS_EQUAL && t.kind != TOK_GREATER && t.kind != TOK_GREATER_EQUAL)
        t = lang_lexer_next(&x);
    return t;
}

/* a >= b or a <= b: the sides into s->a and s->b, which of them is larger into s->word. 0: it is an equation. */
static int take_sides(const lang_parser *p, lang_statement *s)
{
    lang_node *n = s->a;
    if (p->failed || lang_is(p, TOK_ASSIGN) || !n || n->kind != NODE_COMPARE || n->count != 2) return 0;
    if (n->op != TOK_GREATER_EQUAL && n->op != TOK_LESS_EQUAL) return 0;
    s->word = n->op == TOK_GREATER_EQUAL ? 1 : -1;
    s->a = n->first;
    s->b = n->first->next;
    s->a->next = NULL;
    return 1;
}

static int word_follows_comma(const lang_parser *p, const char *word)
{
    return lang_is(p, TOK_COMMA) && lang_token_is_word(p, lang_peek(p), word);
}

/* friction -> 'friction' expression ',' 'along' expression [',' 'static' expression] */
static void parse_friction_clause(lang_parser *p, lang_item **last)
{
    lang_item *i = append_item(p, &last);
    if (!i) return;
    lang_accept_word(p, "friction");
    i->value = lang_parse_expression(p);
    lang_expect(p, TOK_COMMA, "after the coefficient of friction");
    lang_expect_word(p, "along", "and the sliding velocity");
    i->target = lang_parse_expression(p);
    if (!word_follows_comma(p, "static")) return;
    lang_accept(p, TOK_COMMA);
    lang_item *at_rest = append_item(p, &last);
    if (!at_rest) return;
    lang_accept_word(p, "static");
    at_rest->value = lang_parse_expression(p);
}

/* sided -> {',' ('restitution' expression | friction)} */
static void parse_clauses(lang_parser *p, lang_statement *s)
{
    while (lang_accept(p, TOK_COMMA) && !p->failed) {
        const mech_span word = lang_token_span(p);
        const int again = lang_is_word(p, "friction") ? s->items != NULL : s->c != NULL;
        if (lang_is_word(p, "friction") && !again) parse_friction_clause(p, &s->items);
        else if (lang_accept_word(p, "restitution") && !again) s->c = lang_parse_expression(p);
        else if (again) lang_fail_at(p, word, NULL, "this is given twice");
        else lang_expected(p, "'restitution' or 'friction' after the ','");
    }
}

/* constraint -> 'constraint' title ':' expression ('=' expression | ('>=' | '<=') expression sided) */
void lang_parse_constraint(lang_parser *p, lang_statement *s)
{
    if (!p->failed && !title_follows(p)) {
        const lang_token sign = find_comparison(p);
        if (sign.kind >= TOK_EQUAL && sign.kind <= TOK_CARET) lang_inequality(p, lang_span(p, sign.start, sign.end));
        const lang_token next = lang_peek(p);
        if (!lang_is(p, TOK_NAME) || (next.kind != TOK_NEWLINE && next.kind != TOK_END && next.kind != TOK_NAME))
            lang_fail(p, "write 'constraint NAME: left = right'", "a constraint needs a name and a ':'");
    }
    s->title = lang_parse_title(p, "the name of a constraint");
    lang_expect(p, TOK_COLON, "after the name of the constraint");
    s->a = lang_parse_expression(p);
    if (take_sides(p, s)) {
        p->usage = "write: constraint NAME: a >= b, restitution e, friction mu, along V, static s";
        parse_clauses(p, s);
        if (lang_is_word(p, "restitution") || lang_is_word(p, "friction"))
            lang_fail(p, p->usage, "a ',' is missing before this word");
        return;
    }
    lang_expect_equals(p, s->a, "between the two sides of the constraint");
    s->b = lang_parse_expression(p);
    if (!p->failed && (word_follows_comma(p, "restitution") || word_follows_comma(p, "friction")))
        lang_fail(p, "write a >= b or a <= b for what only pushes; friction on an equation is 'friction on NAME: ...'",
                  "an equation holds both ways: nothing strikes it");
}

lang_item *lang_parse_names(lang_parser *p, int (*is_other)(const lang_parser *p))
{
    lang_item *first = NULL, **last = &first;
    do {
        lang_item *i = append_item(p, &last);
        if (!i) return first;
        i->target = lang_parse_path(p, "the name of a constraint");
        if (i->target && !lang_title_of(i->target, &i->title))
            lang_fail_at(p, i->target->span, NULL, "a name has its indices in one bracket: x[1,2]");
        i->span = i->title.span;
        if (lang_is(p, TOK_COMMA) && is_other && is_other(p)) return first;
    } while (lang_accept(p, TOK_COMMA));
    return first;
}

/* nonideal -> 'nonideal' ['z'] 'on' names ':' expression '=' expression */
void lang_parse_nonideal(lang_parser *p, lang_statement *s)
{
    s->word = lang_is_word(p, "z") ? MECH_LAW_Z : MECH_LAW_C;
    if (s->word == MECH_LAW_Z) lang_advance(p);
    lang_expect_word(p, "on", "and the names of constraints");
    s->items = lang_parse_names(p, NULL);
    lang_expect(p, TOK_COLON, "after the names of the constraints");
    parse_equation(p, &s->a, &s->b, "between the place and its force");
}

/* 'torque' or 'force' before a number or a name: a bound, and not a coefficient of that name. */
static int bound_follows(const lang_parser *p)
{
    const lang_token_kind next = lang_peek(p).kind;
    return (lang_is_word(p, "torque") || lang_is_word(p, "force")) && (next == TOK_NAME || next == TOK_NUMBER);
}

/* friction -> 'friction' 'on' names ':' expression ',' 'along' expression [',' 'static' expression]
             | 'friction' 'on' path ':' ('torque' | 'force') expression [',' 'static' expression] */
void lang_parse_friction(lang_parser *p, lang_statement *s)
{
    lang_expect_word(p, "on", "and the names of constraints");
    s->items = lang_parse_names(p, NULL);
    lang_expect(p, TOK_COLON, "after the names of the constraints");
    if (!p->failed && bound_follows(p)) {
        s->word = lang_is_word(p, "torque") ? 1 : 2;
        lang_advance(p);
        s->a = lang_parse_expression(p);
        if (!lang_accept(p, TOK_COMMA)) return;
        lang_expect_word(p, "static", "and the bound at rest");
        s->c = lang_parse_expression(p);
        return;
    }
    const int has_sign =
        (lang_is_word(p, "torque") || lang_is_word(p, "force")) && lang_peek(p).kind == TOK_MINUS; /* or a difference */
    s->a = lang_parse_expression(p);
    if (has_sign && !p->failed && !lang_is(p, TOK_COMMA)) {
        lang_fail_at(p, s->a->span, "friction opposes the motion by itself", "the bound of a friction is not negative");
        return;
    }
    lang_expect(p, TOK_COMMA, "after the coefficient of friction");
    lang_expect_word(p, "along", "and the sliding velocity");
    s->b = lang_parse_expression(p);
    if (!lang_accept(p, TOK_COMMA)) return;
    lang_expect_word(p, "static", "and the coefficient at rest");
    s->c = lang_parse_expression(p);
}

/* control -> 'control' title ':' expression '=' expression ['weight' ('nature' | 'identity' | expression)] */
void lang_parse_control(lang_parser *p, lang_statement *s)
{
    s->title = lang_parse_title(p, "the name of a control constraint");
    lang_expect(p, TOK_COLON, "after the name of the control constraint");
    parse_equation(p, &s->a, &s->b, "between the two sides of the control constraint");
    s->word = -1;
    if (!lang_accept_word(p, "weight")) return;
    if (lang_accept_word(p, "nature")) s->word = MECH_WEIGHT_NATURE;
    else if (lang_accept_word(p, "identity")) s->word = MECH_WEIGHT_IDENTITY;
    else {
        s->word = MECH_WEIGHT_GIVEN;
        s->c = lang_parse_expression(p);
    }
}

/* actuator -> 'actuator' [title ':'] expression */
void lang_parse_actuator(lang_parser *p, lang_statement *s)
{
    if (title_follows(p)) {
        s->title = lang_parse_title(p, "the name of an actuator");
        lang_expect(p, TOK_COLON, "after the name of the actuator");
    }
    s->a = lang_parse_expression(p);
}
