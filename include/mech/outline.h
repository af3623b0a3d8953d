/* What names a text declares and where they stand: for editors. Nothing is evaluated, so a text with mistakes has an
 * outline too; statements that cannot be read are not in it. */
#ifndef MECH_OUTLINE_H
#define MECH_OUTLINE_H

#include <mech/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A name that the text, or a file it includes, declares. */
typedef struct mech_outline_name {
    const char *name;          /* as the library spells it: Greek letters by name                        */
    const char *keyword;       /* of the statement that declares it: "param", "joint", ...; of what is seen
                                   in one place only: "argument", "index", "where"                         */
    const char *unit;          /* quoted behind it, or NULL                                               */
    const char *file;          /* that declares it; NULL: the text itself                                 */
    size_t start, end;         /* the name, in bytes of its file                                          */
    size_t from, to;           /* what declares it: the statement, or its entry in a list                 */
    size_t seen_from, seen_to; /* where it is seen by itself                                              */
    size_t holder;             /* the component or the body that it is within, a number; SIZE_MAX: none   */
} mech_outline_name;

/* A place where a name stands; among them those where it is declared. */
typedef struct mech_outline_place {
    size_t start, end; /* bytes of the text  */
    size_t name;       /* a number, see mech_outline_name_at */
} mech_outline_place;

typedef struct mech_outline mech_outline;

/* New, freed with mech_outline_free. path: of the text, to find what it includes; NULL: `include` is left out.
   *mistakes: statements that could not be read, or NULL. */
MECH_API MECH_MUST_CHECK mech_status mech_outline_create(const char *path, const char *text, size_t length,
                                                         mech_outline **outline, size_t *mistakes);
MECH_API void mech_outline_free(mech_outline *outline);

/* In the order of declaration. Borrowed; NULL when the number is out of range. */
MECH_API size_t mech_outline_name_count(const mech_outline *outline);
MECH_API const mech_outline_name *mech_outline_name_at(const mech_outline *outline, size_t number);
/* In the order of the text. */
MECH_API size_t mech_outline_place_count(const mech_outline *outline);
MECH_API const mech_outline_place *mech_outline_place_at(const mech_outline *outline, size_t number);
/* The place that holds this byte, or ends right before it; NULL: no name stands there. */
MECH_API const mech_outline_place *mech_outline_find(const mech_outline *outline, size_t byte);
/* The component whose names a path ends in, "leg[2]." before the byte; SIZE_MAX: none. */
MECH_API size_t mech_outline_holder_before(const mech_outline *outline, size_t byte);

/* New text in *formatted, freed with mech_text_free: the same tokens and comments on the same lines, with indentation
   and spaces set anew. Formatting it again changes nothing. MECH_ERR_SYNTAX: a character means nothing, or the text
   is not UTF-8; MECH_ERR_UNSUPPORTED: the result would not read as the text does (it is compared). */
MECH_API MECH_MUST_CHECK mech_status mech_format(const char *text, size_t length, char **formatted);

/* Words of the language, from 0: those that begin a statement, then functions; NULL when the number is out of range.
   *usage: how to write it, static. Either may be NULL: nobody asks. */
MECH_API const char *mech_language_word(size_t number, int *is_statement, const char **usage);

#ifdef __cplusplus
}
#endif
#endif
