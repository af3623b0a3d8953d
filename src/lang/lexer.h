/* Text to tokens, one at a time. */
#ifndef LANG_LEXER_H
#define LANG_LEXER_H

#include "base/diagnostics.h"

/* kind, and how a message names it */
#define LANG_TOKENS(X)                                                                                                 \
    X(TOK_END, "the end of the text")                                                                                  \
    X(TOK_NEWLINE, "the end of the line")                                                                              \
    X(TOK_BAD, "a character that has no meaning here")                                                                 \
    X(TOK_NAME, "a name")                                                                                              \
    X(TOK_NUMBER, "a number")                                                                                          \
    X(TOK_STRING, "a quoted text")                                                                                     \
    X(TOK_LPAREN, "'('")                                                                                               \
    X(TOK_RPAREN, "')'")                                                                                               \
    X(TOK_LBRACKET, "'['")                                                                                             \
    X(TOK_RBRACKET, "']'")                                                                                             \
    X(TOK_LBRACE, "'{'")                                                                                               \
    X(TOK_RBRACE, "'}'")                                                                                               \
    X(TOK_COMMA, "','")                                                                                                \
    X(TOK_COLON, "':'")                                                                                                \
    X(TOK_SEMICOLON, "';'")                                                                                            \
    X(TOK_ASSIGN, "'='")                                                                                               \
    X(TOK_EQUAL, "'=='")                                                                                               \
    X(TOK_NOT_EQUAL, "'!='")                                                                                           \
    X(TOK_LESS, "'<'")                                                                                                 \
    X(TOK_LESS_EQUAL, "'<='")                                                                                          \
    X(TOK_GREATER, "'>'")                                                                                              \
    X(TOK_GREATER_EQUAL, "'>='")                                                                                       \
    X(TOK_PLUS, "'+'")                                                                                                 \
    X(TOK_MINUS, "'-'")                                                                                                \
    X(TOK_STAR, "'*'")                                                                                                 \
    X(TOK_SLASH, "'/'")                                                                                                \
    X(TOK_CARET, "'^'")                                                                                                \
    X(TOK_PRIME, "a prime")                                                                                            \
    X(TOK_ARROW, "'->'")                                                                                               \
    X(TOK_RANGE, "'..'")                                                                                               \
    X(TOK_DOT, "'.'")

typedef enum lang_token_kind {
#define LANG_TOKEN_ENUM(name, text) name,
    LANG_TOKENS(LANG_TOKEN_ENUM)
#undef LANG_TOKEN_ENUM
        TOK_COUNT
} lang_token_kind;

typedef struct lang_token {
    lang_token_kind kind;
    uint32_t start, end; /* bytes */
    int starts_line;     /* nothing but spaces before it on its line                    */
    const char *problem; /* of TOK_BAD: what is wrong, static text ...                   */
    const char *hint;    /* ... and what to do, or NULL                                  */
} lang_token;

/* A small value: copy it to look ahead. */
typedef struct lang_lexer {
    const char *text;
    size_t length, at;
    int brackets; /* open ( and [: newlines are spaces while it is not 0 */
    int line_started;
    size_t name_end; /* where the last name or ']' ended: a '.' right there leads to a name within it */
} lang_lexer;

/* text must be valid UTF-8 (lang_utf8_invalid). A byte order mark is skipped. */
void lang_lexer_start(lang_lexer *lexer, const char *text, size_t length);
lang_token lang_lexer_next(lang_lexer *lexer);
const char *lang_token_name(lang_token_kind kind);

/* Offset of the first byte that is NUL or not valid UTF-8; length when there is none. */
size_t lang_utf8_invalid(const char *text, size_t length);

/* Writes the canonical spelling of a name (Greek letters spelt out) and returns its length; 0 when it is
   longer than LANG_MAX_NAME. buffer holds LANG_MAX_NAME + 1 bytes. */
size_t lang_canonical(const char *name, size_t length, char *buffer);

#endif
