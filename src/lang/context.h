/* What all parts of the reader share: the model being built, names, budgets, errors, scratch memory. */
#ifndef LANG_CONTEXT_H
#define LANG_CONTEXT_H

#include <mech/bodies.h>
#include <mech/lang.h>

#include "base/table.h"
#include "lang/limits.h"
#include "lang/names.h"
#include "lang/syntax.h"
#include "lang/value.h"
#include "model/model.h"

typedef enum lang_binding_kind {
    BIND_VALUE, /* let, argument, loop index, pi */
    BIND_TIME,
    BIND_PARAM,
    BIND_COORD,
    BIND_STATE,
    BIND_INPUT,
    BIND_OUTPUT,
    BIND_FUNCTION,
    BIND_FAMILY, /* indexed outputs or parts: each is a global of its full name */
    BIND_COMPONENT,
    BIND_PART,       /* holds names: those that begin with its own and a '.' */
    BIND_CONSTRAINT, /* an argument that stands for a constraint             */
    BIND_BODY,
    BIND_POINT, /* value: where it is in its body                            */
    BIND_JOINT,
    BIND_SPRING, /* value: its tension                                       */
    BIND_MOTOR,
    BIND_MEASURE
} lang_binding_kind;

/* Where a text is evaluated: in a part, its own names and arguments are seen before those of all. */
typedef struct lang_scope {
    uint32_t part;     /* the full name of the part, 0 outside                              */
    size_t low, limit; /* its arguments among the locals                                    */
    size_t loops;      /* loops around the part, which its declarations do not stand in     */
} lang_scope;

typedef struct lang_binding {
    lang_binding_kind kind;
    uint32_t name;
    uint32_t below; /* locals: the local it hides + 1, or 0  */
    int has_number; /* its numerical value is known: number  */
    double number;
    lang_value value;
    const lang_item *function;       /* of BIND_FUNCTION                                     */
    const lang_statement *component; /* of BIND_COMPONENT                                    */
    lang_scope scope;                /* of BIND_FUNCTION: what its text sees                 */
    size_t thing;                    /* number of a body (also a point's) or a joint         */
    uint32_t stands_for;             /* of an argument that is a name: the full one, or 0    */
    mech_span span;                  /* where it was declared                                */
} lang_binding;

/* All constraints foot[1], foot[2], ... in the order of declaration. */
typedef struct lang_family {
    size_t *members;
    size_t count, capacity;
} lang_family;

typedef struct lang_table { /* a column of a file that table() reads */
    struct lang_table *next;
    const char *file, *column;
    points_table points;
} lang_table;

typedef struct lang_scratch_block lang_scratch_block;
typedef struct lang_mark {
    lang_scratch_block *block;
    size_t used;
} lang_mark;

/* Options of the run, in the order of lang_run_options. */
enum { RUN_FROM, RUN_UNTIL, RUN_STEP, RUN_POINTS, RUN_OPTIONS = 9 };

typedef struct lang_said { /* where something was said that is said once; source 0: it was not */
    mech_span span;
    uint32_t part;
    int how;
} lang_said;

struct lang_context {
    arena memory; /* tree, names, declared values */
    mech_diagnostics *diagnostics;
    mech_model *model;
    mech_pool *pool;
    mech_read_options options;
    lang_names names;
    size_t node_count;
    const lang_statement *statements; /* of that file */
    uint32_t source;                  /* the file that was asked for, not one it includes */
    /* bindings */
    lang_binding *globals;
    size_t global_count, global_capacity;
    lang_binding *locals;
    size_t local_count, local_capacity;
    size_t frame_base;                           /* visible locals: at or above this, ...             */
    size_t frame_low, frame_limit;               /* ... or from low on and below limit                */
    lang_scope scope;                            /* the part whose statements are run                 */
    const lang_statement *parts[LANG_MAX_PARTS]; /* the components being written out     */
    mech_span part_spans[LANG_MAX_PARTS];        /* and where                            */
    size_t part_count;
    size_t turn_base; /* locals from here on belong to this turn of the innermost loop */
    lang_family *families;
    size_t family_count, family_capacity;
    /* where we are */
    int64_t loops[LANG_MAX_NESTING];
    size_t loop_count;
    const lang_item *calls[LANG_MAX_EVALUATION]; /* the functions being evaluated */
    size_t call_count;
    mech_span call_span; /* the outermost of them */
    int depth;
    /* budgets */
    size_t turns, entries, steps, instances;
    mech_bodies *bodies;                /* from `gravity` on            */
    size_t dimension;                   /* of them                      */
    int has_weight;                     /* a control statement gave one */
    lang_said run_options[RUN_OPTIONS]; /* of simulate: where each was given                  */
    lang_said held;                     /* the statement that says how constraints are held   */
    lang_said *guesses;                 /* of coordinates, velocities and states, see run.c   */
    size_t guess_capacity;
    unsigned char *overrides_used; /* one per override of the options */
    /* failure */
    size_t first_diagnostic, first_error; /* counts of the list when this run began */
    size_t statement_errors;              /* errors when the present statement began */
    mech_span statement_span;             /* that statement                          */
    lang_statement_kind statement_kind;
    mech_span reported[MECH_DIAGNOSTICS_MAX];
    size_t reported_count;
    int told_declaring; /* how a name is declared was said: once is enough */
    mech_status fatal;  /* memory or a limit: stop */
    lang_scratch_block *scratch, *spare;
    lang_table *tables; /* read so far, the last one first */
};

/* ---- errors ---- */
/* Reports once per place. */
void lang_error(lang_context *c, mech_status status, mech_span span, const char *hint, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
void lang_warn(lang_context *c, mech_span span, const char *hint, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Ends the run: a limit was reached (reported here) or memory ran out. */
void lang_limit(lang_context *c, mech_span span, const char *format, ...) __attribute__((format(printf, 3, 4)));
void lang_out_of_memory(lang_context *c);
/* Errors of this run so far, those of the builder included. */
size_t lang_error_count(const lang_context *c);
/* 1 when there is no point in going on: fatal, or the last error that is kept was reported. */
int lang_is_over(const lang_context *c);
/* "line 3", with the name of the file where that is another one than `beside` stands in; in the arena. */
const char *lang_line_of(lang_context *c, mech_span span, mech_span beside);
/* "did you mean 'best'?" in the arena, or NULL. */
const char *lang_hint(lang_context *c, const lang_guess *guess);
/* advice.c: what a name or function of other tools is called here, or NULL. near: the nearest name there is, or NULL.
   */
const char *lang_name_meant(lang_context *c, const char *text, const char *near);
const char *lang_function_meant(const char *text);
/* Reports what the pool could not compute at this place: 1 when there was nothing. */
int lang_check_fault(lang_context *c, mech_span span);
/* Hands on what a builder call returned; a failure that it did not report ends the run. */
void lang_take_status(lang_context *c, mech_status status);
/* The same for a symbol: a value, or an error value when it is none. */
lang_value lang_take_symbol(lang_context *c, mech_expr symbol);

/* ---- budgets: 0 when used up (reported) ---- */
int lang_has_turns(lang_context *c, size_t count, mech_span span); /* whether a loop of so many is worth a try */
int lang_spend_turn(lang_context *c, mech_span span);
int lang_spend_statements(lang_context *c, size_t count, mech_span span);
int lang_spend_entries(lang_context *c, size_t count, mech_span span); /* one value of this size */
int lang_spend_steps(lang_context *c, size_t count, mech_span span);
int lang_spend_work(lang_context *c, size_t count, mech_span span); /* this many operations   */

/* ---- scratch: a stack of memory for values ---- */
void *lang_scratch_take(lang_context *c, size_t count, size_t size); /* NULL: out of memory, noted */
lang_mark lang_scratch_mark(const lang_context *c);
void lang_scratch_release(lang_context *c, lang_mark mark);
void lang_scratch_free(lang_context *c);

/* ---- bindings ---- */
const char *lang_text_of(const lang_context *c, uint32_t name);
/* The full name of what is declared here: "leg[2].x" within that part. 0 when it is too long (reported) or out of
   memory. */
uint32_t lang_own_name(lang_context *c, uint32_t name, mech_span span);
/* The same, of what there is already, else 0. */
uint32_t lang_find_within(lang_context *c, uint32_t part, uint32_t name);
/* Loops around the present statement within its part. */
static inline size_t lang_loop_depth(const lang_context *c) { return c->loop_count - c->scope.loops; }
/* What a name means here, or NULL. Valid until the next binding is made. */
lang_binding *lang_lookup(lang_context *c, uint32_t name);
/* 1 when these letters name a coordinate or a state. */
int lang_is_moving(lang_context *c, const char *text, size_t length);
/* The text of a full name as it is written within a part: without the part's name and '.', where it begins with
   these. */
const char *lang_text_within(const lang_context *c, uint32_t name, uint32_t part);
/* Where there is no guess yet: what a part holds under this name. */
void lang_guess_in_parts(const lang_context *c, lang_guess *guess);
/* Reports that nothing has this name, with the nearest that has one. */
void lang_unknown_name(lang_context *c, uint32_t name, mech_span span);
/* The full name under which this may be declared for the whole text; 0 when not, and why is reported. */
uint32_t lang_may_declare(lang_context *c, uint32_t name, mech_span span);
/* The binding of the whole text with exactly this full name, or NULL. */
lang_binding *lang_global(lang_context *c, uint32_t full);
lang_binding *lang_bind_global(lang_context *c, uint32_t name, lang_binding_kind kind, lang_value value,
                               mech_span span);
lang_binding *lang_bind_local(lang_context *c, uint32_t name, lang_binding_kind kind, lang_value value, mech_span span);
/* A loop's index; its expression is made when it is first used in one. */
lang_binding *lang_bind_index(lang_context *c, uint32_t name, int64_t index, mech_span span);
void lang_drop_locals(lang_context *c, size_t count);  /* back to this many */
const char *lang_binding_word(lang_binding_kind kind); /* "a parameter", ... */
/* "base", "base[3]", "base[1,2]", cut off where it is longer than `size` - 1 bytes; its length. */
size_t lang_write_name(const char *base, const int64_t *indices, size_t count, char *text, size_t size);
/* The same of an entry of a value, by its place among all of them. */
void lang_write_entry(const char *base, const lang_value *of, size_t entry, char *text, size_t size);
/* Interns "base[1,2]"; 0 when out of memory (noted). No indices: base itself. */
uint32_t lang_indexed_name(lang_context *c, uint32_t base, const int64_t *indices, size_t count);

#endif
