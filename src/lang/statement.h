/* The tree's statements as calls of the model's builder. */
#ifndef LANG_STATEMENT_H
#define LANG_STATEMENT_H

#include "lang/evaluate.h"

typedef void lang_rule(lang_context *c, const lang_statement *s);

/* declare.c */
lang_rule lang_run_param, lang_run_coord, lang_run_let, lang_run_state, lang_run_sampled, lang_run_input;
/* mechanics.c */
lang_rule lang_run_energy, lang_run_mass, lang_run_force, lang_run_constraint, lang_run_nonideal, lang_run_friction,
    lang_run_control, lang_run_actuator;
/* run.c */
lang_rule lang_run_output, lang_run_measure, lang_run_initial, lang_run_event, lang_run_every, lang_run_stabilize,
    lang_run_simulate, lang_run_allow;

/* draw.c */
lang_rule lang_run_draw;
/* part.c */
lang_rule lang_run_component, lang_run_part, lang_run_import;
/* Makes the names of a thing: its own, and that of its family where it is indexed. NULL when reported. */
lang_binding *lang_name_thing(lang_context *c, const lang_title *t, lang_binding_kind kind);
/* body.c */
lang_rule lang_run_gravity, lang_run_coordinates, lang_run_body, lang_run_point;
/* joint.c */
lang_rule lang_run_joint, lang_run_spring, lang_run_motor;
lang_rule lang_run_component, lang_run_part, lang_run_import;

/* block.c: statements one after the other. */
void lang_run_statements(lang_context *c, lang_statement *first);

/* check.c: unknown names in functions that nobody called. */
void lang_check_functions(lang_context *c);

/* The left side minus the right one, of one shape (a plain 0 fits any); an error value when reported. */
lang_value lang_equation(lang_context *c, const lang_node *left, const lang_node *right);
/* The name of a statement with its indices: "foot[3]"; 0 when reported. *full is its number. */
const char *lang_full_title(lang_context *c, const lang_title *t, uint32_t *full);
/* The value in memory that stays until the model is read. */
lang_value lang_kept(lang_context *c, lang_value v);
/* Entries by column, on the scratch stack; NULL when out of memory. */
const mech_expr *lang_by_column(lang_context *c, const lang_value *v);

/* Of several items in one statement: errors of the builder point at this one. */
void lang_set_place(lang_context *c, const lang_statement *s, mech_span span);

#endif
