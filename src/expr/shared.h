/* Names for the parts that expressions share, so that much sharing does not make a long text. */
#ifndef EXPR_SHARED_H
#define EXPR_SHARED_H

#include "base/text.h"
#include "expr/pool.h"

/* A cosine is called c, a sine s, anything else w, each with its number; where such a name is taken the letter is
   doubled until it is free: cc7. A held value has its own name, with the number behind where that is taken. */
enum { PRINT_NAME_KINDS = 3, PRINT_STEM_SIZE = 16 };

typedef struct print_names {
    uint32_t *ids;    /* the named nodes, ascending: each is written with those before it */
    size_t count;     /* 0: everything is written out                                     */
    uint32_t *number; /* (limit) of a node's name, from 1 in the order of ids; 0: none    */
    size_t limit;
    unsigned char *by_number; /* (count) 1: a held value whose own name is not to be had  */
    const mech_pool *pool;
    char stem[PRINT_NAME_KINDS][PRINT_STEM_SIZE];
} print_names;

/* Expressions are long when one of them, written out, has more than this many operations, or all together. */
enum { PRINT_LONG_ENTRY = 500, PRINT_LONG_TOTAL = 4000 };

/* Names what the roots share where they are long and the names take away half of the operations or more; held values
   that stand in more than one place always. taken(user, i): the names
   that are in use, NULL after the last. Start from a zeroed struct; free it also after a failure. */
mech_status print_names_choose(mech_pool *pool, const mech_expr *roots, size_t count,
                               const char *(*taken)(const void *user, size_t i), const void *user, print_names *names);
void print_names_free(print_names *names);
/* Name number 1 ... count: c7 or, in LaTeX, c_{7}. */
void print_name(const print_names *names, uint32_t number, mech_print_format format, textbuf *out);
/* e as text or LaTeX with the names. */
void print_with_names(const print_names *names, mech_pool *pool, mech_expr e, mech_print_format format, textbuf *out);
/* What name number 1 ... count stands for. */
void print_definition(const print_names *names, mech_pool *pool, uint32_t number, mech_print_format format,
                      textbuf *out);

#endif
