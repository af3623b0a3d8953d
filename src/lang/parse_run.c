/* Statements about the run: outputs, start, events, options; and blocks. */
#include "lang/parser.h"

#include "lang/bodies.h"
#include "lang/include.h"

#include <stdio.h>
#include <string.h>

const char *const lang_directions[] = {"rises", "falls", "crosses", NULL};
const char *const lang_actions[] = {"stop", "record", "release", "impose", "impact", "set", NULL};
const char *const lang_stabilizers[] = {"project", "excess", "none", NULL};
const char *const lang_run_options[] = {"from", "until",    "step",       "points", "rtol",
                                        "atol", "max_step", "resolution", "method", NULL};

int lang_find_choice(const lang_parser *p, lang_token token, const char *const *table)
{
    for (int i = 0; table[i]; i++)
        if (lang_token_is_word(p, token, table[i])) return i;
    return -1;
}

int lang_take_choice(lang_parser *p, const char *const *table, const char *what)
{
    const int choice = lang_find_choice(p, p->token, table);
    if (p->failed) return -1;
    if (choice >= 0) {
        lang_advance(p);
        return choice;
    }
    char list[200] = "", word[LANG_MAX_NAME + 1] = "", found[80] = "";
    size_t used = 0;
    for (int i = 0; table[i]; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s",
                                 i == 0         ? ""
                                 : table[i + 1] ? ", "
                                                : " or ",
                                 table[i]);
    if (p->token.kind == TOK_NAME) lang_canonical(p->lexer.text + p->token.start, p->token.end - p->token.start, word);
    lang_guess guess;
    lang_guess_start(&guess, word);
    for (int i = 0; table[i] && word[0]; i++) lang_guess_try(&guess, table[i]);
    const char *other = table == lang_run_options     ? lang_other_option(word)
                        : table == lang_joint_kinds   ? lang_other_kind(word)
                        : table == lang_measure_kinds ? lang_other_measure(word)
                                                      : NULL;
    if (other) guess.best = other;
    snprintf(found, sizeof found, word[0] ? "'%.60s'" : "%.60s", word[0] ? word : lang_token_name(p->token.kind));
    const char *slip = lang_slip_hint(p), *near = lang_hint(p->c, &guess), *hint = near ? near : slip ? slip : p->usage;
    lang_fail(p, hint, "expected %s (%s), found %s", what, list, found);
    return -1;
}

static lang_item *append_item(lang_parser *p, lang_item ***last)
{
    lang_item *i = lang_new(p, sizeof *i);
    if (!i) return NULL;
    i->span = lang_token_span(p);
    **last = i;
    *last = &i->next;
    return i;
}

/* output -> 'output' title ['=' expression] [string] {',' ...} */
void lang_parse_output(lang_parser *p, lang_statement *s)
{
    lang_item **last = &s->items;
    do {
        lang_item *i = append_item(p, &last);
        if (!i) return;
        i->title = lang_parse_reference(p, "the name of an output");
        if (i->title.within && lang_is(p, TOK_ASSIGN))
            lang_fail_at(p, i->title.span, "a '.' stands in names of what a part holds: output NAME = ...",
                         "the name of a new output has no '.'");
        if (!lang_is(p, TOK_STRING) && !lang_is(p, TOK_COMMA) && !lang_at_end_of_statement(p)) {
            lang_expect(p, TOK_ASSIGN, "and the value of the output");
            i->value = lang_parse_expression(p);
        }
        i->unit = lang_take_string(p);
    } while (lang_accept(p, TOK_COMMA));
}

const char *const lang_measure_kinds[] = {"max", "min", "mean", "rms", "final", "time", "count", NULL};

/* measure -> 'measure' title ':' kind 'of' (expression | path) [string] */
void lang_parse_measure(lang_parser *p, lang_statement *s)
{
    s->title = lang_parse_title(p, "the name of a measure");
    lang_expect(p, TOK_COLON, "and what is measured");
    s->word = lang_take_choice(p, lang_measure_kinds, "what is kept");
    if (!p->failed && !lang_is_word(p, "of"))
        lang_fail(p, p->usage, "expected 'of' and %s",
                  s->word >= MECH_MEASURE_TIME ? "the name of an event" : "what is measured");
    lang_accept_word(p, "of");
    lang_item **last = &s->items, *i = append_item(p, &last);
    if (!i || p->failed) return;
    if (s->word >= MECH_MEASURE_TIME) i->title = lang_parse_reference(p, "the name of an event");
    else i->value = lang_parse_expression(p);
    i->span.end = p->previous_end;
    i->unit = lang_take_string(p);
}

/* initial -> ('initial' | 'guess' | 'steady') expression '=' expression {',' ...} | 'initial' 'release' names */
void lang_parse_initial(lang_parser *p, lang_statement *s)
{
    lang_item **last = &s->items;
    if (s->kind == STATEMENT_INITIAL && lang_is_word(p, "release") &&
        lang_peek(p).kind == TOK_NAME) { /* a coordinate may be called so too */
        lang_advance(p);
        s->word = 1;
        s->items = lang_parse_names(p, NULL);
        return;
    }
    do {
        lang_item *i = append_item(p, &last);
        if (!i) return;
        i->target = lang_parse_expression(p);
        lang_expect_equals(p, i->target, "and a value");
        i->value = lang_parse_expression(p);
        i->span.end = p->previous_end;
    } while (lang_accept(p, TOK_COMMA));
}

static int action_follows(const lang_parser *p) { return lang_find_choice(p, lang_peek(p), lang_actions) >= 0; }

/* action -> 'stop' | 'record' | ('release' | 'impose') names | 'impact' title 'restitution' expression
           | 'set' expression '=' expression */
static void parse_action(lang_parser *p, lang_item *i)
{
    p->usage = "write: -> stop, -> set x' = value, -> release NAME, or -> impact NAME restitution e";
    i->word = lang_take_choice(p, lang_actions, "an action");
    if (p->failed) return;
    switch ((mech_action_kind)i->word) {
    case MECH_ACTION_STOP:
    case MECH_ACTION_RECORD: break;
    case MECH_ACTION_RELEASE:
    case MECH_ACTION_IMPOSE: i->items = lang_parse_names(p, action_follows); break;
    case MECH_ACTION_IMPACT: {
        lang_item **last = &i->items, *name = append_item(p, &last);
        if (!name) return;
        name->title = lang_parse_reference(p, "the name of a constraint");
        name->span = name->title.span;
        p->usage = "write: impact NAME restitution e";
        lang_expect_word(p, "restitution", "and its coefficient");
        if (lang_is(p, TOK_ASSIGN))
            lang_fail(p, p->usage, "the coefficient of restitution stands right after the word, without '='");
        i->value = lang_parse_expression(p);
        break;
    }
    case MECH_ACTION_SET:
        i->target = lang_parse_expression(p);
        lang_expect_equals(p, i->target, "and the new value");
        i->value = lang_parse_expression(p);
        break;
    }
    i->span.end = p->previous_end;
}

/* event -> 'event' title ':' expression direction 'through' expression ['when' expression] '->' action {','
 * action} */
void lang_parse_event(lang_parser *p, lang_statement *s)
{
    lang_item **last = &s->items;
    s->title = lang_parse_title(p, "the name of an event");
    lang_expect(p, TOK_COLON, "after the name of the event");
    s->a = lang_parse_expression(p);
    if (s->a && s->a->kind == NODE_COMPARE && (lang_is(p, TOK_ARROW) || lang_is_word(p, "when")))
        lang_fail_at(p, s->a->mark, "write: y falls through 0, for y < 0; y rises through 2, for y > 2",
                     "an event is a value that passes another, not a condition");
    s->word = lang_take_choice(p, lang_directions, "how the value passes");
    lang_expect_word(p, "through", "and a value");
    s->b = lang_parse_expression(p);
    if (lang_accept_word(p, "when")) s->c = lang_parse_expression(p);
    lang_expect(p, TOK_ARROW, "and what then happens");
    do {
        lang_item *i = p->failed ? NULL : append_item(p, &last);
        if (!i) return;
        parse_action(p, i);
    } while (lang_accept(p, TOK_COMMA));
}

static void skip_separators(lang_parser *p)
{
    while (!p->failed && (lang_is(p, TOK_NEWLINE) || lang_is(p, TOK_SEMICOLON) || lang_is(p, TOK_COMMA)))
        lang_advance(p);
}

/* every -> 'every' expression ['from' expression] '{' 'set' expression '=' expression {(';' | ',' | newline) ...} '}'
   */
void lang_parse_every(lang_parser *p, lang_statement *s)
{
    lang_item **last = &s->items;
    s->a = lang_parse_expression(p);
    if (lang_accept_word(p, "from")) s->b = lang_parse_expression(p);
    const mech_span open = lang_token_span(p);
    if (lang_is_word(p, "set")) lang_fail(p, "write: every T { set u = ... }", "what is set stands in '{ }'");
    lang_expect(p, TOK_LBRACE, "before what is set");
    const int is_open = !p->failed;
    for (skip_separators(p); !p->failed && !lang_is(p, TOK_RBRACE); skip_separators(p)) {
        if (lang_is(p, TOK_END)) lang_fail_at(p, open, "write '}' after what is set", "this '{' is not closed");
        lang_expect_word(p, "set", "and a sampled value: set u = ...");
        lang_item *i = p->failed ? NULL : append_item(p, &last);
        if (!i) break;
        i->target = lang_parse_expression(p);
        lang_expect_equals(p, i->target, "and the new value");
        i->value = lang_parse_expression(p);
        i->span.end = p->previous_end;
        if (!lang_at_end_of_statement(p) && !lang_is(p, TOK_COMMA)) lang_expected(p, "';' or '}' after the new value");
    }
    if (p->failed && is_open) lang_leave_block(p);
    if (!p->failed) lang_advance(p);
    if (!p->failed && !s->items) lang_fail_at(p, open, "write: every T { set u = ... }", "nothing is set here");
}

/* At a comma: 1 when 'name =' comes after it. */
static int gain_follows(const lang_parser *p)
{
    lang_lexer x = p->lexer;
    const lang_token name = lang_lexer_next(&x);
    return name.kind == TOK_NAME && lang_lexer_next(&x).kind == TOK_ASSIGN;
}

/* stabilize -> 'stabilize' ('project' | 'none' | 'excess' ['on' names] [','] ['B' '=' expression] [','] ['K'
 * '=' expression]) */
void lang_parse_stabilize(lang_parser *p, lang_statement *s)
{
    static const char *const gains[] = {"B", "K", NULL};
    s->word = lang_take_choice(p, lang_stabilizers, "how to stabilize");
    if (s->word != MECH_STABILIZE_EXCESS) return;
    if (lang_accept_word(p, "on")) s->items = lang_parse_names(p, gain_follows);
    while (!lang_at_end_of_statement(p)) {
        lang_accept(p, TOK_COMMA);
        const mech_span word = lang_token_span(p);
        const int gain = lang_take_choice(p, gains, "a gain");
        if (gain >= 0 && (gain ? s->b : s->a))
            lang_fail_at(p, word, "leave one of them", "'%s' is given twice", gains[gain]);
        lang_expect(p, TOK_ASSIGN, "and the gain");
        lang_node *value = lang_parse_expression(p);
        if (gain == 0) s->a = value;
        else s->b = value;
    }
}

/* Between an option and its value stands nothing. */
static void expect_value(lang_parser *p, const char *option)
{
    if (lang_is(p, TOK_ASSIGN) || lang_is(p, TOK_COLON))
        lang_fail(p, "write: simulate until 10, step 0.1, rtol 1e-9",
                  "the value of '%s' stands right after it, without a sign between", option);
    else if (lang_at_end_of_statement(p) || lang_is(p, TOK_COMMA))
        lang_fail(p, "write: simulate until 10, step 0.1, rtol 1e-9", "the value of '%s' is missing", option);
}

/* simulate -> 'simulate' option {[','] option}; option -> ('from' | 'until' | ...) expression | 'method' name
 */
void lang_parse_simulate(lang_parser *p, lang_statement *s)
{
    lang_item **last = &s->items;
    unsigned given = 0;
    if (p->in_component) lang_fail(p, "write 'simulate' once, outside", "a component does not say how the run is made");
    while (!lang_at_end_of_statement(p)) {
        lang_item *i = append_item(p, &last);
        if (!i) return;
        i->word = lang_take_choice(p, lang_run_options, "an option of the run");
        if (p->failed) return;
        const char *option = lang_run_options[i->word];
        if (given & 1u << i->word) lang_fail_at(p, i->span, "leave one of them", "'%s' is given twice", option);
        given |= 1u << i->word;
        expect_value(p, option);
        if (strcmp(option, "method") == 0) {
            i->span = lang_token_span(p);
            p->usage = "the methods are auto, rk8, rk5, bdf, adams, irk and moreau";
            const uint32_t word = lang_take_name(p, "the name of a method");
            if (word) i->text = lang_text_of(p->c, word);
        } else i->value = lang_parse_expression(p);
        i->span.end = p->previous_end;
        lang_accept(p, TOK_COMMA);
    }
    if (!(given & 1u << RUN_UNTIL))
        lang_fail(p, "write 'simulate until 10'", "expected 'until' and the time at which the run ends");
}

/* allow -> 'allow' ('leastnorm' | 'negative' 'mass') {',' ...} */
void lang_parse_allow(lang_parser *p, lang_statement *s)
{
    static const char *const words[] = {"leastnorm", "negative", NULL};
    lang_item **last = &s->items;
    do {
        lang_item *i = append_item(p, &last);
        if (!i) return;
        const int is_mass = lang_is_word(p, "negative");
        lang_take_choice(p, words, "what to allow");
        if (is_mass) lang_expect_word(p, "mass", "after 'negative'");
        i->text = is_mass ? "negative_mass" : "leastnorm";
    } while (lang_accept(p, TOK_COMMA));
}

/* include -> 'include' string */
void lang_parse_include(lang_parser *p, lang_statement *s)
{
    const mech_span span = lang_token_span(p);
    const char *file = lang_take_string(p);
    if (!file) lang_expected(p, "the name of a file in quotes");
    else if (!lang_at_end_of_statement(p)) lang_expected(p, "the end of the statement");
    if (!p->failed) s->body = lang_include(p, file, span);
}

/* for -> 'for' name 'in' range block */
void lang_parse_for(lang_parser *p, lang_statement *s)
{
    s->title.span = lang_token_span(p);
    s->title.name = lang_take_new_name(p, "the name of the index");
    lang_expect_word(p, "in", "after the index");
    s->a = p->failed ? NULL : lang_parse_range(p);
    s->body = p->failed ? NULL : lang_parse_block(p);
}

/* 1, stepping over newlines, when 'else' is the next word. */
static int else_follows(lang_parser *p)
{
    lang_lexer x = p->lexer;
    lang_token t = p->token;
    while (t.kind == TOK_NEWLINE) t = lang_lexer_next(&x);
    if (p->failed || !lang_token_is_word(p, t, "else")) return 0;
    lang_skip_newlines(p);
    return lang_accept_word(p, "else");
}

/* if -> 'if' expression block ['else' (block | if)] */
void lang_parse_if(lang_parser *p, lang_statement *s)
{
    s->a = lang_parse_expression(p);
    s->body = p->failed ? NULL : lang_parse_block(p);
    if (!else_follows(p)) return;
    if (!lang_is_word(p, "if")) {
        s->other = lang_parse_block(p);
        return;
    }
    lang_statement *inner = lang_new(p, sizeof *inner);
    if (!inner) return;
    if (++p->depth > LANG_MAX_NESTING) lang_fail(p, NULL, "blocks are nested more than %d deep", LANG_MAX_NESTING);
    inner->kind = STATEMENT_IF;
    inner->span = lang_token_span(p);
    inner->directory = p->directory;
    lang_accept_word(p, "if");
    if (!p->failed) lang_parse_if(p, inner);
    inner->span.end = p->previous_end;
    p->depth--;
    s->other = inner;
}

/* component -> 'component' name ['(' name {',' name} ')'] block */
void lang_parse_component(lang_parser *p, lang_statement *s)
{
    lang_item **last = &s->items, *i = append_item(p, &last);
    if (!i) return;
    if (p->in_component)
        lang_fail(p, "write it before, and use it here as a part", "a component cannot be declared within another");
    s->title.span = i->title.span = lang_token_span(p);
    s->title.name = i->title.name = lang_take_name(p, "the name of a component");
    if (lang_is(p, TOK_LPAREN) && lang_peek(p).kind == TOK_RPAREN) {
        lang_accept(p, TOK_LPAREN);
        lang_accept(p, TOK_RPAREN);
    } else if (lang_is(p, TOK_LPAREN)) lang_parse_arguments(p, i);
    p->in_component = 1;
    s->body = p->failed ? NULL : lang_parse_block(p);
    p->in_component = 0;
}

/* part -> 'part' title ':' name ['(' [expression {',' expression}] ')'] */
void lang_parse_part(lang_parser *p, lang_statement *s)
{
    s->title = lang_parse_title(p, "the name of a part");
    lang_expect(p, TOK_COLON, "and the component it is made of");
    s->a = lang_parse_expression(p);
    if (s->a && s->a->kind != NODE_NAME && s->a->kind != NODE_CALL)
        lang_fail_at(p, s->a->span, p->usage, "expected the name of a component");
}
