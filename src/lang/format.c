/* A text with its spaces set anew: indentation by braces, one space where one belongs, lines as they were. Tokens and
   comments stay what they are and where they are; the result is read again to see that, and refused otherwise. */
#include <mech/outline.h>

#include "base/mem.h"
#include "base/text.h"
#include "lang/lexer.h"

#include <string.h>

enum { INDENT = 4 };

typedef struct layout {
    const char *text;
    textbuf out;
    int depth;        /* of braces                                                       */
    int brackets;     /* open ( and [                                                    */
    int index;        /* of those, from which on they hold an index: x[i+1]; 0: none     */
    int is_empty;     /* nothing stands on this line yet                                 */
    int blank;        /* empty lines before it                                           */
    int goes_on;      /* the statement of the line before is not at its end              */
    int range;        /* brackets around what stands behind '..', plus 1: 1..N+1; 0: none */
    lang_token last;  /* of the statement; TOK_NEWLINE: none                             */
    int last_is_sign; /* it was a + or - before a value, not between two                 */
    int is_first;     /* it was the first word of its statement                          */
} layout;

/* ---- lines ---- */

static void end_line(layout *l)
{
    if (l->is_empty) l->blank++;
    else text_add_char(&l->out, '\n');
    l->is_empty = 1;
}

static void begin_line(layout *l, lang_token_kind kind)
{
    if (l->blank && l->out.length) text_add_char(&l->out, '\n');
    l->blank = 0;
    l->is_empty = 0;
    int columns = INDENT * l->depth;
    if (kind == TOK_RBRACE) columns -= INDENT;
    else if ((l->brackets && kind != TOK_RPAREN && kind != TOK_RBRACKET) || (!l->brackets && l->goes_on))
        columns += INDENT;
    for (int i = 0; i < columns; i++) text_add_char(&l->out, ' ');
}

/* What stands between two tokens: comments, and inside brackets ends of lines. */
static void put_gap(layout *l, size_t from, size_t to, lang_token_kind next)
{
    for (size_t i = from; i < to; i++) {
        if (l->text[i] == '\n') end_line(l);
        if (l->text[i] != '#') continue;
        size_t end = i;
        while (end < to && l->text[end] != '\n') end++;
        size_t last = end;
        while (last > i && strchr(" \t\r", l->text[last - 1])) last--;
        if (l->is_empty) begin_line(l, next == TOK_RBRACE ? TOK_NAME : next);
        else text_add(&l->out, "  ");
        text_add_n(&l->out, l->text + i, last - i);
        i = end - 1;
    }
}

/* ---- spaces ---- */

static int is_sum(lang_token_kind kind) { return kind == TOK_PLUS || kind == TOK_MINUS; }

static int is_product(lang_token_kind kind) { return kind == TOK_STAR || kind == TOK_SLASH || kind == TOK_CARET; }

static int is_relation(lang_token_kind kind)
{
    return kind == TOK_ASSIGN || (kind >= TOK_EQUAL && kind <= TOK_GREATER_EQUAL) || kind == TOK_ARROW;
}

static int ends_value(lang_token_kind kind)
{
    return kind == TOK_NAME || kind == TOK_NUMBER || kind == TOK_STRING || kind == TOK_RPAREN || kind == TOK_RBRACKET ||
           kind == TOK_PRIME;
}

/* A + or - before a value: at the start, behind an operator, behind the word that begins a statement; and behind any
   other word where it stands close to its value alone, as in "through -1". */
static int is_sign(const layout *l, const lang_token *t)
{
    const char behind = l->text[t->end]; /* texts end with '\0' */
    if (!is_sum(t->kind)) return 0;
    if (!ends_value(l->last.kind)) return 1;
    return l->last.kind == TOK_NAME && (l->is_first || (t->start > l->last.end && !strchr(" \t\r\n#", behind)));
}

static int wants_space(const layout *l, const lang_token *t, int sign)
{
    const lang_token_kind a = l->last.kind, b = t->kind;
    if (b == TOK_COMMA || b == TOK_SEMICOLON || b == TOK_COLON || b == TOK_RPAREN || b == TOK_RBRACKET ||
        b == TOK_PRIME || b == TOK_DOT || b == TOK_RANGE || is_product(b))
        return 0;
    if (a == TOK_LPAREN || a == TOK_LBRACKET || a == TOK_DOT || a == TOK_RANGE || is_product(a) || l->last_is_sign)
        return 0;
    if (is_sum(a) || (is_sum(b) && !sign)) return !l->index && !l->range;
    if (is_relation(a) || is_relation(b)) return 1;
    if (b == TOK_LPAREN || b == TOK_LBRACKET) /* f(x) and x[1], but "gravity [0, 0]" */
        return !ends_value(a) || t->start > l->last.end;
    return 1;
}

/* ---- tokens ---- */

static int opens_line(lang_token_kind kind) /* behind these the next line goes on */
{
    return kind == TOK_COMMA || kind == TOK_COLON || kind == TOK_RANGE || is_relation(kind) || is_sum(kind) ||
           is_product(kind);
}

static void follow_brackets(layout *l, const lang_token *t)
{
    if (t->kind == TOK_LPAREN || t->kind == TOK_LBRACKET) {
        l->brackets++;
        const int is_index = t->kind == TOK_LBRACKET && l->last.kind == TOK_NAME && t->start == l->last.end;
        if (is_index && !l->index) l->index = l->brackets;
    }
    if ((t->kind == TOK_RPAREN || t->kind == TOK_RBRACKET) && l->brackets > 0) {
        if (l->index == l->brackets) l->index = 0;
        l->brackets--;
    }
    if (t->kind == TOK_RANGE) l->range = l->brackets + 1;
    else if (t->kind == TOK_NAME && l->last.kind != TOK_RANGE && !is_sum(l->last.kind) && !is_product(l->last.kind) &&
             l->range == l->brackets + 1)
        l->range = 0; /* "step" */
    else if (l->range > l->brackets + 1 ||
             (l->range == l->brackets + 1 && (t->kind == TOK_COMMA || t->kind == TOK_COLON || t->kind == TOK_LBRACE)))
        l->range = 0;
    if (t->kind == TOK_LBRACE) l->depth++;
    if (t->kind == TOK_RBRACE && l->depth > 0) l->depth--;
}

static void put_token(layout *l, const lang_token *t)
{
    const int starts =
        !l->goes_on && !l->brackets && (l->is_empty || l->last.kind == TOK_SEMICOLON || l->last.kind == TOK_LBRACE);
    const int sign = is_sign(l, t);
    if (l->is_empty) begin_line(l, t->kind);
    else if (wants_space(l, t, sign)) text_add_char(&l->out, ' ');
    text_add_n(&l->out, l->text + t->start, t->end - t->start);
    follow_brackets(l, t);
    l->goes_on = opens_line(t->kind);
    l->is_first = starts && t->kind == TOK_NAME;
    l->last_is_sign = sign;
    l->last = *t;
}

/* ---- the same text? ---- */

/* The next token that is no second end of a line; comments on the way into *sum, spaces behind them left out. */
static lang_token next_of(lang_lexer *x, lang_token_kind last, size_t *at, uint64_t *sum)
{
    for (;;) {
        const lang_token t = lang_lexer_next(x);
        for (size_t i = *at; i < t.start; i++) {
            if (x->text[i] != '#') continue;
            size_t end = i;
            while (end < t.start && x->text[end] != '\n') end++;
            size_t stop = end;
            while (stop > i && strchr(" \t\r", x->text[stop - 1])) stop--;
            for (; i < stop; i++) *sum = (*sum ^ (unsigned char)x->text[i]) * UINT64_C(0x100000001B3);
            *sum = (*sum ^ '\n') * UINT64_C(0x100000001B3);
            i = end;
        }
        *at = t.end;
        if (t.kind != TOK_NEWLINE || last != TOK_NEWLINE) return t;
    }
}

static int are_same(const char *text, size_t length, const char *made, size_t made_length)
{
    lang_lexer x, y;
    size_t x_at = 0, y_at = 0;
    uint64_t x_sum = 0, y_sum = 0;
    lang_token a = {.kind = TOK_NEWLINE}, b = a;
    lang_lexer_start(&x, text, length);
    lang_lexer_start(&y, made, made_length);
    do {
        a = next_of(&x, a.kind, &x_at, &x_sum);
        b = next_of(&y, b.kind, &y_at, &y_sum);
        if (a.kind == TOK_END && b.kind == TOK_NEWLINE)
            b = next_of(&y, b.kind, &y_at, &y_sum); /* the last line's end */
        const size_t size = a.end - a.start;
        if (a.kind != b.kind || a.kind == TOK_BAD || x_sum != y_sum) return 0;
        if (a.kind == TOK_NEWLINE || a.kind == TOK_END) continue;
        if (size != b.end - b.start || memcmp(text + a.start, made + b.start, size) != 0) return 0;
        if (!a.starts_line != !b.starts_line) return 0;
    } while (a.kind != TOK_END);
    return 1;
}

mech_status mech_format(const char *text, size_t length, char **result)
{
    if (!result) return MECH_ERR_ARGUMENT;
    *result = NULL;
    if (!text) return MECH_ERR_ARGUMENT;
    if (lang_utf8_invalid(text, length) < length) return MECH_ERR_SYNTAX;
    char *own = mem_text(text, length); /* with an end */
    if (!own) return MECH_ERR_MEMORY;
    layout l = {.text = own, .is_empty = 1, .last = {.kind = TOK_NEWLINE}};
    lang_lexer x;
    lang_lexer_start(&x, own, length);
    int is_read = 1;
    for (size_t at = x.at;;) {
        const lang_token t = lang_lexer_next(&x);
        is_read = is_read && t.kind != TOK_BAD;
        put_gap(&l, at, t.start, t.kind);
        at = t.end;
        if (t.kind == TOK_END || !is_read) break;
        if (t.kind != TOK_NEWLINE) put_token(&l, &t);
        else {
            end_line(&l);
            l.range = 0;
            if (!l.goes_on) l.last.kind = TOK_NEWLINE;
        }
    }
    if (!l.is_empty) end_line(&l);
    mech_status status = l.out.failed ? MECH_ERR_MEMORY : is_read ? MECH_OK : MECH_ERR_SYNTAX;
    char *made = status == MECH_OK ? text_take(&l.out) : NULL;
    if (status == MECH_OK && !made) status = MECH_ERR_MEMORY;
    if (status == MECH_OK && !are_same(own, length, made, strlen(made))) status = MECH_ERR_UNSUPPORTED;
    if (status == MECH_OK) *result = made;
    else mem_free(made);
    text_free(&l.out);
    mem_free(own);
    return status;
}
