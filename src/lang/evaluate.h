/* The tree's expressions as values. */
#ifndef LANG_EVALUATE_H
#define LANG_EVALUATE_H

#include "lang/context.h"

/* evaluate.c */
lang_value lang_evaluate(lang_context *c, const lang_node *n);
/* A scalar, or an error value with a report that names `what` it should be. */
lang_value lang_evaluate_scalar(lang_context *c, const lang_node *n, const char *what);
/* What a binding stands for as a value; an error value with a report when it is none. */
lang_value lang_value_of(lang_context *c, lang_binding *b, mech_span span);
/* "expected WHAT, found a vector of 3" */
void lang_wrong_shape(lang_context *c, const lang_value *v, mech_span span, const char *what);

/* number.c: values that shape the model, known while it is read. 1 done, 0 reported. */
int lang_number(lang_context *c, const lang_node *n, const char *what, double *value);
/* 1: a and b (which may be none) are 0 by the values of parameters alone, which become structural by it. */
int lang_are_zero(lang_context *c, mech_expr a, mech_expr b);
int lang_integer(lang_context *c, const lang_node *n, const char *what, int64_t *value);
typedef struct lang_bounds {
    int64_t first, last, step;
} lang_bounds;
int lang_range(lang_context *c, const lang_node *n, lang_bounds *bounds);
size_t lang_range_count(const lang_bounds *bounds);
/* Integer values of a title's indices (at most 2). */
int lang_title_indices(lang_context *c, const lang_title *t, int64_t indices[2]);

/* index.c */
lang_value lang_index(lang_context *c, const lang_node *n);

/* path.c: dotted names. */
lang_value lang_member(lang_context *c, const lang_node *n);
/* The full name of what a path refers to and, unless NULL, its binding; 0 when it is no path to something there is.
   Reports what is wrong after its first name; values of bodies, joints and springs are no things. */
uint32_t lang_thing(lang_context *c, const lang_node *n, lang_binding **binding);
/* "part.name"; 0 when out of memory. */
uint32_t lang_member_name(lang_context *c, uint32_t part, uint32_t name);
/* The full name a title refers to, with its indices; 0 when reported. */
uint32_t lang_refer(lang_context *c, const lang_title *t);

/* constraint.c: names of constraints. NULL and a report, or numbers on the scratch stack. */
const size_t *lang_find_constraints(lang_context *c, const lang_title *t, size_t *count);
const size_t *lang_list_constraints(lang_context *c, const lang_item *names, size_t *count);

#endif
