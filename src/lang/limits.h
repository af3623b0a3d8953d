/* Every limit of the language in one place but the size of all expressions, which is the pool's
   (EXPR_MOST_NODES); docs/language.md lists them. */
#ifndef LANG_LIMITS_H
#define LANG_LIMITS_H

#include "base/file.h"

enum {
    LANG_MAX_FILE = FILE_MOST_BYTES,     /* bytes of one file                                      */
    LANG_MAX_NESTING = 200,              /* brackets in brackets, blocks in blocks, operators      */
    LANG_MAX_EVALUATION = 1000,          /* nesting while evaluating, through function calls       */
    LANG_MAX_INCLUDE = 16,               /* files including files                                  */
    LANG_MAX_PARTS = 50,                 /* parts within parts                                     */
    LANG_MAX_NODES = 4 * 1000 * 1000,    /* names, numbers and operators of all files together     */
    LANG_MAX_NAME = 200,                 /* bytes of a name                                        */
    LANG_MAX_TURNS = 10 * 1000 * 1000,   /* loop turns and function calls together                 */
    LANG_MAX_ENTRIES = 30 * 1000 * 1000, /* entries of vectors and products of entries computed    */
    LANG_MAX_STEPS = 20 * 1000 * 1000,   /* operations on expressions, wide sums count for many    */
    LANG_MAX_STATEMENTS = 1000 * 1000,   /* statements that loops write out                        */
    LANG_PER_ENTRY = 4,                  /* as many statements an entry of a declared array is worth */
    LANG_MAX_POINTS = 1000,              /* of one table()                                         */
    LANG_MAX_VALUE = 1000 * 1000         /* entries of one vector or matrix                        */
};

#endif
