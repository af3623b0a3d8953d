/* The outputs of a model's program, section by section, and their patterns. */
#ifndef SYSTEM_COLLECT_H
#define SYSTEM_COLLECT_H

#include "compile/program.h"
#include "model/model.h"
#include "system/system.h"

typedef struct collector {
    mech_system *system;
    const mech_model *model;
    program_output *items;
    size_t count, capacity;
    uint32_t *row, *column; /* of each item, where its section has a pattern */
    size_t row_capacity, column_capacity;
    expr_gradient gradient; /* scratch */
    mech_status status;
} collector;

/* One more output, at (row, column) where its section has a pattern. */
void collect_add(collector *c, uint8_t stage, mech_expr value, size_t row, size_t column);
/* c->gradient = partials of e by symbols of these classes; none when e is none. */
void collect_gradient(collector *c, mech_expr e, unsigned classes);
/* Keeps the pattern of the outputs from part->first on. */
void collect_pattern(collector *c, system_part *part);
/* All sections in their order. */
mech_status collect_sections(collector *c);
/* Lists that describe them: rows, constraints, laws, frictions, events, actions, targets, options. */
mech_status collect_lists(mech_system *system, const mech_model *model);
void collect_free(collector *c);

#endif
