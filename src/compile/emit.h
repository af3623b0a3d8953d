/* A graph of values as C99: straight lines in functions of a few hundred statements, no names but its own. */
#ifndef COMPILE_EMIT_H
#define COMPILE_EMIT_H

#include "base/text.h"
#include "compile/graph.h"

/* Where a value comes from or goes to: array[index], or a plain variable when index is EMIT_SCALAR. */
#define EMIT_SCALAR UINT32_MAX
typedef struct emit_place {
    const char *array;
    uint32_t index;
} emit_place;

typedef struct emit_spec {
    const graph *graph;
    const emit_place *inputs; /* by the number of a GRAPH_INPUT; those of stage 0 stand in p[] */
    const graph_ref *values;  /* (output_count) */
    const emit_place *outputs;
    size_t output_count;
    size_t optional_first, optional_count; /* outputs that nobody may want: what only they need is computed */
    size_t finite_count;                   /* the first outputs, which are tested to be finite in short code */
    const char *optional;                  /* only where this pointer is not NULL. NULL: all are wanted      */
    const char *prefix;                    /* of the two functions: letters, digits and underscores */
    size_t chunk;                          /* statements in a function; 0: the measured default     */
    size_t most;                           /* MECH_ERR_LIMIT above so many statements; 0: no limit  */
    size_t straight; /* above so many statements loops over alike parts are written where they leave a quarter of
                           the code; 0: never, 1: always */
    int with_twins;  /* long lines: two alike values are one statement, on vectors of the compiler (gcc, clang) */
    int is_card;     /* for one thread of a card: one function, however long, marked CARD; angles one by one */
} emit_spec;

typedef struct emit_result {
    size_t kept;       /* doubles in k: what depends on parameters alone */
    size_t work;       /* doubles in w                                   */
    size_t statements; /* of the second function                         */
    size_t angles, functions;
    int has_optional; /* the pointer may be NULL */
    int tests_finite; /* outputs that are not finite set PLAN_FLAG_DOUBT */
    int is_scheduled; /* the order of statements is meant: the compiler should keep it */
    size_t lines;     /* statements without loops and twins */
    size_t twins;     /* statements that give two values    */
    size_t loops;     /* functions; 0: straight lines   */
} emit_result;

/* The arguments of the second function, as text. */
#define EMIT_ARGUMENTS                                                                                                 \
    "const double *restrict k, double t, const double *restrict q, const double *restrict v,\n"                        \
    "    const double *restrict z, const double *restrict u, double *restrict qdd, double *restrict "                  \
    "lambda,\n"                                                                                                        \
    "    double *restrict more, double *restrict w"

/* Appends (nothing when `to` is NULL: then only counts)
       int PREFIX_parameters(const double *p, double *k);
       int PREFIX_motion(EMIT_ARGUMENTS);
   which return PLAN_FLAG_... . The text starts with emit_prelude or a header that has the same. */
MECH_MUST_CHECK mech_status emit_c(const emit_spec *spec, textbuf *to, emit_result *result);
/* The same with loops over parts that are alike: see docs/decisions/0010. */
MECH_MUST_CHECK mech_status emit_loops(const emit_spec *spec, textbuf *to, emit_result *result);
/* What the functions above need: guards, those of single precision where it is_single, and the common sine and
   cosine. */
void emit_prelude(textbuf *to, int is_single);
/* The same for what is_card: CUDA C, and plain C where it is not compiled as such. is_long: the functions are called,
   not inlined. */
void emit_card_prelude(textbuf *to, int is_long);
/* Before it, for straight lines: a compiler is told what to leave out. Nothing is lost, since the graph has no value
   twice and none that is not used. In short code it is what moves loads about; in long code all that takes time. */
void emit_omissions(textbuf *to, int is_long);

#endif
