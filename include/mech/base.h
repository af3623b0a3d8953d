/* Mechanician: status codes, diagnostics and version. Every other header includes this one.
 *
 * Conventions of all headers.
 *
 * Structs that may grow begin with `size`. In what you fill in it is set by a function called ..._default, or sizeof of
 * the struct, and a size of 0 is refused with MECH_ERR_ARGUMENT; in what is handed out the library writes it. Elements
 * of arrays and values (a place, an axis of a map, a pattern, what calls tell of one row, law, friction, target, event,
 * action or measure) have none and do not grow. Until 1.0 a minor version may lengthen what is handed out by value, and
 * its shared library has another name then.
 * Indices and counts are size_t, and SIZE_MAX is none; where matrices go to LAPACK (fundamental.h, analyze.h) they are
 * int, and -1 is none. A number that is not given is NaN; settings in which 0 makes no sense take 0 for the default,
 * and say so. Enumerators carry the name of their type. A list MECH_..._FIELDS(X) names each field of a result, X(type,
 * name, "what it is"): the struct is made from it, and so may bindings be.
 *
 * NULL, in all headers: freeing it is fine, and where a comment names it, it means what is said there. Any other NULL
 * is a mistake of the caller: calls that make a model, a system, an evaluation, an instant, lanes, a solver or a run,
 * that read a model, open a CSV file or export C, and those that move a run or set a position or velocity, answer
 * MECH_ERR_ARGUMENT; all others do not look. */
#ifndef MECH_BASE_H
#define MECH_BASE_H

#include <mech/deprecated.h>

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(_WIN32)
#define MECH_API
#else
#define MECH_API __attribute__((visibility("default")))
#endif
#if defined(__GNUC__)
#define MECH_MUST_CHECK __attribute__((warn_unused_result))
#else
#define MECH_MUST_CHECK
#endif

/* What lists of fields make a struct with. */
#define MECH_FIELD(type, name, about) type name;

#define MECH_VERSION_MAJOR 0
#define MECH_VERSION_MINOR 1
#define MECH_VERSION_PATCH 0

/* "major.minor.patch" of the library that is linked. Static; never freed. */
MECH_API const char *mech_version(void);

/* One list makes the enum and its text. */
#define MECH_STATUS_LIST(X)                                                                                            \
    X(MECH_OK, "ok")                                                                                                   \
    X(MECH_ERR_MEMORY, "out of memory")                                                                                \
    X(MECH_ERR_ARGUMENT, "a call was made with an argument it does not accept")                                        \
    X(MECH_ERR_SYNTAX, "the model text does not parse")                                                                \
    X(MECH_ERR_MODEL, "the model is wrong")                                                                            \
    X(MECH_ERR_LIMIT, "a documented limit was reached")                                                                \
    X(MECH_ERR_FILE, "a file could not be read or written")                                                            \
    X(MECH_ERR_NOT_FINITE, "a value is not finite")                                                                    \
    X(MECH_ERR_SINGULAR_MASS, "the mass matrix and the constraints leave coordinates undetermined")                    \
    X(MECH_ERR_NOT_DEFINITE,                                                                                           \
      "the mass matrix is not positive semi-definite (a mass is negative; 'allow negative mass' would take it)")       \
    X(MECH_ERR_CONFLICT, "constraints contradict one another")                                                         \
    X(MECH_ERR_NOT_REALISABLE, "not realisable at acceleration level (relative degree above 2)")                       \
    X(MECH_ERR_NO_REACTION, "no reaction satisfies the law of friction, or of reactions")                              \
    X(MECH_ERR_MANY_REACTIONS, "several reactions satisfy the law of friction, or of reactions")                       \
    X(MECH_ERR_NOT_UNIQUE, "a law or an event uses a reaction that is not unique")                                     \
    X(MECH_ERR_INTEGRATION, "the integration failed")                                                                  \
    X(MECH_ERR_NO_EQUILIBRIUM, "no equilibrium was found from where the search began")                                 \
    X(MECH_ERR_INTERRUPTED, "interrupted")                                                                             \
    X(MECH_ERR_UNSUPPORTED, "not available in this build")                                                             \
    X(MECH_ERR_NO_START, "no state was found that meets the constraints")                                              \
    X(MECH_ERR_OFF_PATH, "a control is off its path, and no gains are given that bring it back")

typedef enum mech_status {
#define MECH_STATUS_ENUM(name, text) name,
    MECH_STATUS_LIST(MECH_STATUS_ENUM)
#undef MECH_STATUS_ENUM
        MECH_STATUS_COUNT
} mech_status;

/* One sentence for a status, and its name, "MECH_ERR_CONFLICT". Static; never freed. */
MECH_API const char *mech_status_text(mech_status status);
MECH_API const char *mech_status_name(mech_status status);

/* What a servo row's control force minimises: u' W u. */
typedef enum mech_weight {
    MECH_WEIGHT_NATURE,   /* W = M^-1, as nature does (Gauss); only with G = NULL */
    MECH_WEIGHT_IDENTITY, /* W = I, the smallest force                            */
    MECH_WEIGHT_GIVEN     /* W given, positive definite                           */
} mech_weight;

/* ---- diagnostics: what is wrong with a model, where, and what to do ---- */

typedef enum mech_severity { MECH_SEVERITY_NOTE, MECH_SEVERITY_WARNING, MECH_SEVERITY_ERROR } mech_severity;

typedef struct mech_diagnostic {
    mech_severity severity;
    mech_status status;
    const char *file;        /* NULL when the model was not read from text */
    int line, column;        /* from 1; 0 when there is no place; columns count characters */
    int length;              /* characters to underline, at least 1 */
    const char *message;     /* one sentence, no final full stop */
    const char *hint;        /* what to do, or NULL */
    const char *source_line; /* the line of text, or NULL */
} mech_diagnostic;

typedef struct mech_diagnostics mech_diagnostics;

/* New, empty list; NULL when out of memory. Freeing NULL is fine. */
MECH_API mech_diagnostics *mech_diagnostics_create(void);
MECH_API void mech_diagnostics_free(mech_diagnostics *list);
MECH_API size_t mech_diagnostics_count(const mech_diagnostics *list);
MECH_API size_t mech_diagnostics_error_count(const mech_diagnostics *list);
/* Borrowed, valid until the list is freed; NULL when index is out of range. */
MECH_API const mech_diagnostic *mech_diagnostics_get(const mech_diagnostics *list, size_t index);
/* New text, freed with mech_text_free: "file:line:column: error: message", the line with a caret,
   and the hint. NULL when out of memory. */
MECH_API char *mech_diagnostic_format(const mech_diagnostic *diagnostic);
/* All of them, one after the other. */
MECH_API char *mech_diagnostics_format(const mech_diagnostics *list);

/* Frees any text the library handed out as new. NULL is fine. */
MECH_API void mech_text_free(char *text);

/* 1: one name, Greek letters by themselves or by name. */
MECH_API int mech_same_name(const char *a, const char *b);

#ifdef __cplusplus
}
#endif
#endif
