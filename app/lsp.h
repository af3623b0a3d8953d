/* The language server: a model in an editor. Messages come and go as the Language Server Protocol says. */
#ifndef APP_LSP_H
#define APP_LSP_H

#include <mech/outline.h>

#include <stdio.h>

/* Answers until `exit` or the end of the input: the exit code. */
int lsp_serve(FILE *in, FILE *out);

/* ---- lsp_text.c: one text that is open in the editor ---- */
typedef struct lsp_text {
    char *uri, *path; /* path: of a file, else NULL */
    char *text;
    size_t length;
    mech_outline *outline;
    size_t mistakes; /* statements that cannot be read */
    struct lsp_text *next;
} lsp_text;

/* Editors count lines from 0, and columns in units of UTF-16. */
typedef struct lsp_position {
    size_t line, column;
} lsp_position;

/* A copy of the text with its outline; NULL when out of memory. */
lsp_text *lsp_text_create(const char *uri, const char *text);
void lsp_text_free(lsp_text *t);
/* The path of a file's address, freed with free(); NULL when it is none. And back. */
char *lsp_path(const char *uri);
char *lsp_uri(const char *path);

lsp_position lsp_position_of(const char *text, size_t length, size_t byte);
/* Where nothing stands any more: the end of the line, of the text. */
size_t lsp_byte_of(const char *text, size_t length, lsp_position position);
/* A place as messages give it: line from 1, column in characters from 1. */
size_t lsp_byte_of_place(const char *text, size_t length, int line, int column);
/* The word that holds this byte or ends right before it: its start, *end. */
size_t lsp_word(const char *text, size_t length, size_t byte, size_t *end);

#endif
