/* Functions: the user's are macros, the built-in ones a table. */
#ifndef LANG_CALL_H
#define LANG_CALL_H

#include "lang/context.h"

lang_value lang_call(lang_context *c, const lang_node *n);
/* The value of a let with its where parts, in the present scope. */
lang_value lang_evaluate_let(lang_context *c, const lang_item *let);

/* builtin.c */
/* Marks the names of the built-in functions: 1 done, 0 out of memory. */
int lang_builtin_start(lang_context *c);
lang_value lang_builtin_call(lang_context *c, unsigned builtin, const lang_node *n);
const char *lang_builtin_name(unsigned builtin); /* NULL beyond the last */
const char *lang_builtin_usage(unsigned builtin);
int lang_builtin_may_be_hidden(unsigned builtin);    /* it came later: texts may have one of their own */
int lang_builtin_names_constraint(unsigned builtin); /* force(NAME), lambda(NAME), ... */

/* Built-in functions get their values ready, or the call itself; `which` tells siblings apart. */
typedef lang_value lang_of_values(lang_context *c, const lang_node *n, const lang_value *v, size_t count, int which);
typedef lang_value lang_of_call(lang_context *c, const lang_node *n, int which);

/* table.c */
lang_of_call lang_fn_table;
void lang_tables_free(lang_context *c);
/* total.c */
lang_of_call lang_fn_control, lang_fn_friction;
int lang_is_total(const lang_context *c, uint32_t name);
/* The energy of the whole model that this name is where nothing else is called so; 0: it is none. */
int lang_total(lang_context *c, const lang_node *n, lang_value *value);
/* 1: the energies, and the forces of control and friction, may not stand in the present statement; reported. */
int lang_refuse_late(lang_context *c, const lang_node *n);
/* linear.c */
lang_of_values lang_fn_dot, lang_fn_cross, lang_fn_norm, lang_fn_transpose, lang_fn_diag, lang_fn_rotation,
    lang_fn_quaternion, lang_fn_omega, lang_fn_skew, lang_fn_sum, lang_fn_derivative;
lang_of_call lang_fn_filled;
/* member.c */
lang_of_call lang_fn_axes;
/* constraint.c */
lang_of_call lang_fn_force, lang_fn_multiplier, lang_fn_active;
enum { WHICH_LAMBDA, WHICH_REACTION };
enum { WHICH_ZEROS, WHICH_IDENTITY };

/* Reports that no function has this name, with the nearest that has one. */
void lang_unknown_function(lang_context *c, const lang_node *n);

#endif
