/* Tokens and tree as text, for people who work on the language. */
#include "lang/parser.h"

#include "base/mem.h"
#include "base/text.h"
#include "lang/call.h"

#include <string.h>

/* "NAME" of TOK_NAME and so on: the enumerators' own spelling, without its prefix. */
static const char *token_word(lang_token_kind kind)
{
    static const char *const words[] = {
#define TOKEN_WORD(name, text) &#name[4],
        LANG_TOKENS(TOKEN_WORD)
#undef TOKEN_WORD
    };
    return words[kind];
}

char *mech_dump_tokens(const char *text, size_t length)
{
    textbuf out = {0};
    lang_lexer x;
    size_t line = 1, at = 0, line_start = 0;
    const size_t valid = lang_utf8_invalid(text, length);
    lang_lexer_start(&x, text, valid);
    text_add(&out, "");
    for (;;) {
        const lang_token t = lang_lexer_next(&x);
        for (; at < t.start; at++)
            if (text[at] == '\n') {
                line++;
                line_start = at + 1;
            }
        if (t.kind == TOK_END || out.failed) break;
        text_format(&out, "%zu:%zu %s", line, t.start - line_start + 1, token_word(t.kind));
        if (t.kind != TOK_NEWLINE) {
            text_add_char(&out, ' ');
            text_add_n(&out, text + t.start, t.end - t.start);
        }
        text_add_char(&out, '\n');
    }
    if (valid < length) text_format(&out, "%zu:%zu BAD\n", line, valid - line_start + 1);
    return text_take(&out);
}

static const char *node_word(lang_node_kind kind)
{
    static const char *const words[] = {
#define NODE_WORD(name, text) text,
        LANG_NODES(NODE_WORD)
#undef NODE_WORD
    };
    return words[kind];
}

/* (kind name child child ...); as deep as the tree, which has a limit */
static void dump_node(textbuf *out, const lang_context *c, const lang_node *n)
{
    if (n->kind == NODE_NUMBER) text_add_n(out, n->text, n->length);
    else if (n->kind == NODE_NAME) text_add(out, lang_text_of(c, n->name));
    else {
        text_format(out, "(%s", node_word((lang_node_kind)n->kind));
        if (n->name) text_format(out, " %s", lang_text_of(c, n->name));
        if (n->kind == NODE_PRIME && n->op > 1) text_format(out, " %d", n->op);
        if (n->kind == NODE_COMPARE) text_format(out, " %s", lang_token_name((lang_token_kind)n->op));
        for (const lang_node *e = n->first; e; e = e->next) {
            text_add_char(out, ' ');
            if (e != n->first && e->joint == TOK_MINUS) text_add(out, "- ");
            if (e != n->first && e->joint == TOK_SLASH) text_add(out, "/ ");
            dump_node(out, c, e);
        }
        text_add_char(out, ')');
    }
}

static void dump_title(textbuf *out, const lang_context *c, const lang_title *t)
{
    if (t->name) text_format(out, " %s", lang_text_of(c, t->name));
    for (const lang_node *n = t->indices; n; n = n->next) {
        text_add(out, n == t->indices ? "[" : ",");
        dump_node(out, c, n);
        if (!n->next) text_add(out, "]");
    }
}

static void dump_part(textbuf *out, const lang_context *c, const lang_node *n)
{
    if (!n) return;
    text_add_char(out, ' ');
    dump_node(out, c, n);
}

static void dump_item(textbuf *out, const lang_context *c, const lang_item *i)
{
    text_add(out, " {");
    dump_title(out, c, &i->title);
    for (const lang_node *a = i->arguments; a; a = a->next)
        text_format(out, "%s%s", a == i->arguments ? " : " : ", ", lang_text_of(c, a->name));
    dump_part(out, c, i->target);
    dump_part(out, c, i->value);
    if (i->unit) text_format(out, " \"%s\"", i->unit);
    if (i->text) text_format(out, " \"%s\"", i->text);
    for (const lang_item *w = i->items; w; w = w->next) {
        text_add(out, " where");
        dump_title(out, c, &w->title);
        dump_part(out, c, w->value);
    }
    text_add(out, " }");
}

static void dump_statements(textbuf *out, const lang_context *c, const lang_statement *first, int indent)
{
    for (const lang_statement *s = first; s; s = s->next) {
        for (int i = 0; i < indent; i++) text_add(out, "    ");
        text_add(out, lang_statement_word(s->kind));
        dump_title(out, c, &s->title);
        dump_part(out, c, s->a);
        dump_part(out, c, s->b);
        dump_part(out, c, s->c);
        for (const lang_item *i = s->items; i; i = i->next) dump_item(out, c, i);
        text_add_char(out, '\n');
        dump_statements(out, c, s->body, indent + 1);
        if (s->other) text_add(out, "else\n");
        dump_statements(out, c, s->other, indent + 1);
    }
}

char *mech_dump_syntax(const char *text, size_t length)
{
    textbuf out = {0};
    mech_diagnostics *diagnostics = mech_diagnostics_create();
    lang_context *c = mem_zeroed(1, sizeof *c);
    char *dump = NULL;
    if (diagnostics && c) {
        c->diagnostics = diagnostics;
        c->options.no_files = 1;
        if (lang_names_start(&c->names, &c->memory)) {
            const lang_statement *first = lang_parse(c, NULL, "text", "", text, length);
            text_add(&out, "");
            dump_statements(&out, c, first, 0);
            dump = c->fatal == MECH_ERR_MEMORY ? NULL : text_take(&out);
        }
        lang_names_free(&c->names);
        arena_free(&c->memory);
    }
    text_free(&out);
    mem_free(c);
    mech_diagnostics_free(diagnostics);
    return dump;
}
