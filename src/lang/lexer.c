/* Text to tokens. A newline is a token except inside ( ) and [ ]. */
#include "lang/lexer.h"
#include "base/greek.h"

#include <string.h>

const char *lang_token_name(lang_token_kind kind)
{
    static const char *const names[] = {
#define LANG_TOKEN_NAME(name, text) text,
        LANG_TOKENS(LANG_TOKEN_NAME)
#undef LANG_TOKEN_NAME
    };
    return names[kind];
}

void lang_lexer_start(lang_lexer *lexer, const char *text, size_t length)
{
    *lexer = (lang_lexer){.text = text, .length = length};
    if (length >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) lexer->at = 3;
}

static int is_digit(char c) { return c >= '0' && c <= '9'; }

static int is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

static char peek(const lang_lexer *x, size_t ahead)
{
    return x->at + ahead < x->length ? x->text[x->at + ahead] : '\0';
}

/* Skips spaces, comments and, inside brackets, newlines. */
static void skip_blank(lang_lexer *x)
{
    for (;;) {
        const char c = peek(x, 0);
        if (x->at >= x->length) return;
        if (c == '#')
            while (x->at < x->length && x->text[x->at] != '\n') x->at++;
        else if (c == ' ' || c == '\t' || c == '\r') x->at++;
        else if (c == '\n' && x->brackets > 0) {
            x->at++;
            x->line_started = 0;
        } else return;
    }
}

/* name -> (letter | '_' | Greek) {letter | '_' | digit | Greek} */
static void scan_name(lang_lexer *x)
{
    for (;;) {
        size_t size = 1;
        const char *spelling;
        const char c = peek(x, 0);
        if (!is_letter(c) && !is_digit(c) && !greek_letter(x->text + x->at, x->length - x->at, &size, &spelling))
            return;
        x->at += size;
    }
}

/* number -> digits ['.' digits] [('e' | 'E') ['+' | '-'] digits] | '.' digits ... */
static void scan_number(lang_lexer *x)
{
    while (is_digit(peek(x, 0))) x->at++;
    if (peek(x, 0) == '.' && is_digit(peek(x, 1))) {
        x->at++;
        while (is_digit(peek(x, 0))) x->at++;
    }
    if (peek(x, 0) == 'e' || peek(x, 0) == 'E') {
        const size_t sign = peek(x, 1) == '+' || peek(x, 1) == '-';
        if (!is_digit(peek(x, 1 + sign))) return;
        x->at += 1 + sign;
        while (is_digit(peek(x, 0))) x->at++;
    }
}

static void scan_string(lang_lexer *x, lang_token *t)
{
    t->kind = TOK_STRING;
    x->at++;
    while (x->at < x->length && x->text[x->at] != '"' && x->text[x->at] != '\n') x->at++;
    if (peek(x, 0) == '"') {
        x->at++;
        return;
    }
    t->kind = TOK_BAD;
    t->problem = "this quoted text is not closed on its line";
    t->hint = "end it with \"";
}

typedef struct look {
    const char *bytes, *problem, *hint;
} look;

/* What people type or paste, and what to write instead. Longest first. */
static const look lookalikes[] = {
    {"**", "'**' is not an operator", "write ^ for a power"},
    {"&&", "'&&' is not an operator", "write 'and'"},
    {"||", "'||' is not an operator", "write 'or'"},
    {"|", "'|' is not an operator", "the absolute value of x is abs(x)"},
    {"!", "'!' is not an operator", "write 'not', or != for 'differs from'"},
    {".", "a point must stand between digits", "write 0.5 or 1.0; a product is x*y, a range 1..N"},
    {"\\", "this character has no meaning here", "formulas are written plainly: m/2*x'^2"},
    {"%", "this character has no meaning here", "a comment starts with #"},
    {"\xC2\xB0", "degrees are not known", "angles are in radians: write 30*pi/180"},
    {"\xE2\x88\x92", "this is a typographic minus", "write -"},
    {"\xE2\x80\x93", "this is a dash, not a minus", "write -"},
    {"\xE2\x80\xB2", "this is a typographic prime", "write '"},
    {"\xE2\x80\x99", "this is a typographic apostrophe", "write ' for a time derivative"},
    {"\xE2\x80\x9C", "this is a typographic quotation mark", "write \""},
    {"\xE2\x80\x9D", "this is a typographic quotation mark", "write \""},
    {"\xC2\xB7", "this is a typographic dot", "write * for a product"},
    {"\xC3\x97", "this is a typographic cross", "write * for a product"},
    {"\xE2\x89\xA4", "this sign is not known", "write <="},
    {"\xE2\x89\xA5", "this sign is not known", "write >="},
    {"\xE2\x89\xA0", "this sign is not known", "write !="},
    {"\xC2\xB2", "this sign is not known", "write ^2"},
    {"\xC2\xB3", "this sign is not known", "write ^3"},
    {"\xC2\xBD", "this sign is not known", "write 1/2"},
    {"\xC3\xB7", "this sign is not known", "write /"},
    {"\xE2\x8B\x85", "this is a typographic dot", "write * for a product"},
    {"\xE2\x88\x9A", "this sign is not known", "a root is written sqrt(x)"},
    {"\xE2\x88\xAB", "this sign is not known", "what is summed up in time is a state: state z: z' = expression"},
    {"\xE2\x88\x82", "this sign is not known", "a partial derivative is written d(expression, x)"},
    {"\xE1\xBA\x8B", "this letter has a dot", "velocities are primes: x'"},
    {"\xE1\xBA\x8D", "this letter has dots", "accelerations are primes: x''"},
    {"\xE1\xBA\x8F", "this letter has a dot", "velocities are primes: y'"},
    {"\xC3\xBF", "this letter has dots", "accelerations are primes: y''"},
    {"\xCC\x87", "this is a dot over a letter", "velocities are primes: x'"},
    {"\xCC\x88", "these are dots over a letter", "accelerations are primes: x''"},
    {"$", "this character has no meaning here", "formulas are written plainly: m/2*x'^2"},
    {"?", "'?' is not an operator", "write if(condition, a, b)"},
    {"\xE2\x86\x92", "this sign is not known", "write ->"},
};

/* One whole character that means nothing, with the best advice there is. */
static void scan_bad(lang_lexer *x, lang_token *t)
{
    t->kind = TOK_BAD;
    t->problem = "this character has no meaning here";
    for (size_t i = 0; i < sizeof lookalikes / sizeof *lookalikes; i++) {
        const size_t n = strlen(lookalikes[i].bytes);
        if (x->length - x->at < n || memcmp(x->text + x->at, lookalikes[i].bytes, n) != 0) continue;
        t->problem = lookalikes[i].problem;
        t->hint = lookalikes[i].hint;
        x->at += n;
        return;
    }
    x->at++;
    while (x->at < x->length && ((unsigned char)x->text[x->at] & 0xC0) == 0x80) x->at++;
}

static int starts_name(const lang_lexer *x, size_t at)
{
    size_t size;
    const char *spelling;
    return at < x->length && (is_letter(x->text[at]) || greek_letter(x->text + at, x->length - at, &size, &spelling));
}

static lang_token_kind two(lang_lexer *x, char second, lang_token_kind with, lang_token_kind without)
{
    if (peek(x, 1) != second) {
        x->at++;
        return without;
    }
    x->at += 2;
    return with;
}

static void scan_sign(lang_lexer *x, lang_token *t)
{
    static const char singles[] = "()[]{},:;+/^'";
    static const lang_token_kind kinds[] = {TOK_LPAREN, TOK_RPAREN, TOK_LBRACKET, TOK_RBRACKET,  TOK_LBRACE,
                                            TOK_RBRACE, TOK_COMMA,  TOK_COLON,    TOK_SEMICOLON, TOK_PLUS,
                                            TOK_SLASH,  TOK_CARET,  TOK_PRIME};
    const char c = peek(x, 0);
    const char *single = c ? strchr(singles, c) : NULL;
    if (single) {
        t->kind = kinds[single - singles];
        x->at++;
        if (c == '(' || c == '[') x->brackets++;
        if ((c == ')' || c == ']') && x->brackets > 0) x->brackets--;
    } else if (c == '=') t->kind = two(x, '=', TOK_EQUAL, TOK_ASSIGN);
    else if (c == '<') t->kind = two(x, '=', TOK_LESS_EQUAL, TOK_LESS);
    else if (c == '>') t->kind = two(x, '=', TOK_GREATER_EQUAL, TOK_GREATER);
    else if (c == '-') t->kind = two(x, '>', TOK_ARROW, TOK_MINUS);
    else if (c == '*' && peek(x, 1) != '*') {
        t->kind = TOK_STAR;
        x->at++;
    } else if (c == '.' && peek(x, 1) == '.') {
        t->kind = TOK_RANGE;
        x->at += 2;
    } else if (c == '.' && x->at > 0 && x->at == x->name_end && starts_name(x, x->at + 1)) {
        t->kind = TOK_DOT;
        x->at++;
    } else if (c == '!' && peek(x, 1) == '=') {
        t->kind = TOK_NOT_EQUAL;
        x->at += 2;
    } else scan_bad(x, t);
}

lang_token lang_lexer_next(lang_lexer *x)
{
    skip_blank(x);
    lang_token t = {.kind = TOK_END, .start = (uint32_t)x->at, .starts_line = !x->line_started};
    const char c = peek(x, 0);
    x->line_started = 1;
    if (x->at >= x->length) {
        t.end = t.start;
        return t;
    }
    if (c == '\n') {
        t.kind = TOK_NEWLINE;
        x->at++;
        x->line_started = 0;
    } else if (starts_name(x, x->at)) {
        t.kind = TOK_NAME;
        scan_name(x);
    } else if (is_digit(c) || (c == '.' && is_digit(peek(x, 1)))) {
        t.kind = TOK_NUMBER;
        scan_number(x);
    } else if (c == '"') scan_string(x, &t);
    else scan_sign(x, &t);
    t.end = (uint32_t)x->at;
    if (t.kind == TOK_NAME || t.kind == TOK_RBRACKET) x->name_end = x->at;
    return t;
}
