/* What a compiled model keeps: its programs. compiled.c builds the equation, jacobian.c the derivatives. */
#ifndef SYSTEM_COMPILED_H
#define SYSTEM_COMPILED_H

#include "base/table.h"
#include "compile/program.h"
#include "model/model.h"
#include "system/system.h"

/* collect.c: the outputs of a program, section by section, and their patterns. */
typedef struct collector {
    mech_system *system;
    const mech_model *model;
    program_output *items;
    uint32_t *row, *column; /* of each item, where its section has a pattern */
    size_t count, capacity[3];
    mech_columns columns; /* of partial derivatives */
    mech_expr *reaction; /* (m) total multipliers: the model's symbols, or new ones; NULL: nothing is derived by them */
    expr_gradient gradient; /* scratch */
    mech_status status;
} collector;

typedef struct system_compiled {
    mech_model *model;          /* a twin of the one that was given: what is derived here stays here */
    collector equation, slopes; /* outputs of motion and derivatives, with their patterns */
    program *motion, *params, *signals;
    program *derivatives;         /* NULL: not asked for                                  */
    program *kinks;               /* likewise; NULL also when there are none              */
    struct system_bounds *bounds; /* NULL: nothing to bound                       */
    points_table *tables;         /* (inputs) empty where the signal is an expression     */
    size_t table_count;
    const char **switch_names; /* (switch_count) "abs(x - 1)"; "abs" where that would be long */
    size_t switch_count;
} system_compiled;

/* NULL for C functions. */
static inline const mech_model *system_model(const mech_system *s) { return s->compiled ? s->compiled->model : NULL; }

void compiled_free(system_compiled *compiled);
/* The expression behind a value of the equation. */
static inline mech_expr compiled_value(const system_compiled *c, size_t slot)
{
    return c->equation.items[slot - c->motion->output_first].value;
}
/* New list (in.count) of the symbols of the inputs, by the places of system->in, for a program of so many stages: those
   of a system, or 2, of which the first has parameters alone, or 1. NULL when out of memory. */
program_input *compiled_inputs(const mech_system *system, const mech_model *model, uint32_t stages, arena *memory);

/* compiled.c: constants into fresh slots */
void compiled_reset(const mech_system *system, double *slots, double *scratch);
/* New text of the expression behind a value, or NULL when there is none; also of C functions. */
char *compiled_expression(const mech_system *system, size_t slot);
/* Inputs at slots[t], except those that were set */
void compiled_signals(const mech_system *system, double *slots, double *scratch, const unsigned char *is_set);
/* Functions at whose zeros the equation has kinks: their values, with the stages run again on the same inputs. */
void compiled_switches(const mech_system *system, double *slots, double *scratch, double *values);
/* How large the terms of each value are, through a stage that is run again on the same inputs; sizes has those of the
   inputs. */
void compiled_sizes(const mech_system *system, system_stage stage, double *slots, double *sizes);

/* collect.c, lists.c */
/* One more output, at (row, column) where its section has a pattern. */
void collect_add(collector *c, uint8_t stage, mech_expr value, size_t row, size_t column);
/* One more for each partial derivative of a value by symbols of these classes; columns: of mech_system_columns. */
void collect_partials(collector *c, uint8_t stage, mech_expr value, size_t row, unsigned classes);
/* c->gradient = partials of e by symbols of these classes; none when e is none. */
void collect_gradient(collector *c, mech_expr e, unsigned classes);
/* The part with its pattern, once all are collected: its first output is slot `first` and so many more. */
void collect_place(const collector *c, system_part *part, size_t first);
/* All sections in their order. */
mech_status collect_sections(collector *c);
/* Lists that describe them: rows, constraints, laws, frictions, events, actions, targets, options. */
mech_status collect_lists(mech_system *system, const mech_model *model);
void collect_free(collector *c);

/* jacobian.c */
mech_status compiled_derive(mech_system *system, int with_parameters, arena *memory);
/* How large the terms of the derivatives are. */
void compiled_jacobian_sizes(const mech_system *system, double *jacobian, double *sizes);
/* Derivatives into their own slots; is_first: they are fresh, is_new: parameters changed. */
void compiled_jacobian(const mech_system *system, const double *slots, double *jacobian, int is_first, int is_new);

/* kinks.c */
mech_status compiled_find_input_uses(mech_system *system);
mech_status compiled_find_kinks(mech_system *system, arena *memory);
/* Functions at whose zeros what is measured has a kink, into *list, which is freed by the caller. */
mech_status compiled_measure_kinks(const mech_model *model, mech_expr **list, size_t *count);
mech_status compiled_name_switches(mech_system *system);
/* What kink_text lists, at these slots. */
mech_status compiled_kinks(const mech_system *system, const double *slots, double *values);

#endif
