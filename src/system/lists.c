/* What a model says about its rows, laws, events and targets, copied into the system's own lists. */
#include "system/compiled.h"

#include "base/try.h"

static mech_status list_names(mech_system *s, const mech_model *m)
{
#define NAMES(item, list)                                                                                              \
    MECH_TRY(system_make_names(s, item, m->list##_count));                                                             \
    for (size_t i = 0; i < m->list##_count; i++) s->names[item].name[i] = m->list[i].name
#define NAMES_WITH_UNITS(item, list)                                                                                   \
    NAMES(item, list);                                                                                                 \
    for (size_t i = 0; i < m->list##_count; i++) s->names[item].unit[i] = m->list[i].unit
    NAMES_WITH_UNITS(MECH_ITEM_COORD, coords);
    NAMES(MECH_ITEM_CONSTRAINT, constraints);
    NAMES_WITH_UNITS(MECH_ITEM_PARAM, params);
    NAMES_WITH_UNITS(MECH_ITEM_STATE, states);
    NAMES_WITH_UNITS(MECH_ITEM_INPUT, inputs);
    NAMES_WITH_UNITS(MECH_ITEM_OUTPUT, outputs);
    NAMES(MECH_ITEM_EVENT, events);
    NAMES(MECH_ITEM_ACTUATOR, actuators);
    NAMES_WITH_UNITS(MECH_ITEM_MEASURE, measures);
#undef NAMES
#undef NAMES_WITH_UNITS
    return MECH_OK;
}

static void list_rows(mech_system *s, const mech_model *m)
{
    for (size_t i = 0; i < m->rows_count; i++) {
        const model_row *r = &m->rows[i];
        s->rows[i] = (mech_row){r->constraint, (mech_level)r->level, r->is_linear,
                                m->constraints[r->constraint].is_control, r->is_torque};
        s->sizes.natural_rows += !s->rows[i].is_control;
    }
    for (size_t i = 0; i < m->constraints_count; i++)
        s->constraints[i] = (system_constraint){.first_row = m->constraints[i].first_row,
                                                .row_count = m->constraints[i].row_count,
                                                .waits = m->constraints[i].waits,
                                                .side = m->constraints[i].side};
    for (size_t i = 0; i < m->params_count; i++) s->is_structural[i] = m->params[i].is_structural != 0;
}

/* Whether laws look at multipliers: collect.c. */
static void list_laws(mech_system *s, const mech_model *m)
{
    for (size_t i = 0; i < m->laws_count; i++) {
        const model_law *l = &m->laws[i];
        s->laws[i] = (mech_law){l->kind, l->constraints, l->constraint_count, 0, 1};
    }
    for (size_t i = 0; i < m->frictions_count; i++) {
        const model_friction *f = &m->frictions[i];
        s->frictions[i] =
            (mech_friction){f->constraints, f->constraint_count, s->sizes.friction_rows, f->count, f->name};
        s->sizes.friction_rows += f->count;
    }
}

static void classify(const mech_model *m, mech_expr e, mech_variable *variable, size_t *index)
{
    *variable = MECH_VARIABLE_EXPRESSION;
    *index = 0;
    if (!e.id || !expr_is_symbol(m->pool, e)) return;
    const expr_symbol *symbol = expr_symbol_of(m->pool, e);
    *index = symbol->index;
    if (symbol->class_bit == EXPR_COORD) *variable = MECH_VARIABLE_Q;
    if (symbol->class_bit == EXPR_VELOCITY) *variable = MECH_VARIABLE_V;
    if (symbol->class_bit == EXPR_STATE) *variable = MECH_VARIABLE_Z;
}

static void list_events(mech_system *s, const mech_model *m)
{
    size_t next = 0;
    for (size_t i = 0; i < m->events_count; i++) {
        const model_event *e = &m->events[i];
        if (e->contact) s->constraints[e->contact - 1].event = i;
        s->sizes.contacts += e->contact != 0;
        s->events[i] = (mech_event_info){e->direction, e->condition.id != 0, next, e->action_count};
        for (size_t k = 0; k < e->action_count; k++, next++) {
            const mech_action *from = &e->actions[k];
            mech_action_info *to = &s->actions[next];
            *to = (mech_action_info){
                .kind = from->kind, .constraints = from->constraints, .constraint_count = from->constraint_count};
            classify(m, from->target, &to->variable, &to->index);
        }
    }
}

static void list_start(mech_system *s, const mech_model *m)
{
    for (size_t i = 0; i < m->initials_count; i++) {
        classify(m, m->initials[i].target, &s->targets[i].variable, &s->targets[i].index);
        s->targets[i].is_fixed = m->initials[i].is_fixed;
    }
    for (size_t i = 0; i < m->options_count; i++)
        s->options[i] = (system_option){m->options[i].name, m->options[i].word};
}

static void list_clocks(mech_system *s, const mech_model *m)
{
    size_t samples = 0;
    s->clock_count = m->clocks_count;
    s->is_relaxed = m->sampled_reading == MECH_SAMPLED_RELAXED;
    for (size_t i = 0; i < m->states_count; i++) s->is_sampled[i] = m->states[i].is_sampled != 0;
    for (size_t i = 0; i < m->clocks_count; i++) {
        s->clocks[i] = (system_clock){samples, m->clocks[i].count};
        for (size_t k = 0; k < m->clocks[i].count; k++)
            s->samples[samples++] = expr_symbol_of(m->pool, m->clocks[i].sampled[k])->index;
    }
}

/* How constraints are held: by the last statement that speaks of any. One that names controls alone gives their
   gains, and leaves constraints as they are. */
static mech_stabilize stabilization_of(const mech_model *m)
{
    for (size_t k = m->stabilizers_count; k-- > 0;) {
        const model_stabilize *s = &m->stabilizers[k];
        int speaks = s->constraint_count == 0;
        for (size_t i = 0; i < s->constraint_count; i++) speaks |= !m->constraints[s->constraints[i]].is_control;
        if (speaks) return s->how;
    }
    return MECH_STABILIZE_PROJECT;
}

static void list_measures(mech_system *s, const mech_model *m)
{
    s->reads_forces = m->force_values_count > 0;
    for (size_t i = 0; i < m->measures_count; i++) {
        const unsigned classes = expr_classes(m->pool, m->measures[i].value);
        s->measures[i] = (mech_measure_info){m->measures[i].kind, m->measures[i].event};
        s->measures_need_motion |= (classes & (EXPR_ACCELERATION | EXPR_REACTION)) != 0;
    }
}

/* How often they stand in one another, at most: each only in those that come after it. */
static size_t delay_depth(const mech_model *m)
{
    size_t depth = 0;
    for (size_t i = 0; i < m->delays_count; i++)
        depth += 0 != model_holds_delay((mech_model *)(uintptr_t)m, m->delays[i].value);
    return depth;
}

mech_status collect_lists(mech_system *s, const mech_model *m)
{
    s->sizes = (mech_sizes){
        .size = sizeof s->sizes,
        .coords = m->coords_count,
        .rows = m->rows_count,
        .constraints = m->constraints_count,
        .params = m->params_count,
        .states = m->states_count,
        .inputs = m->inputs_count,
        .outputs = m->outputs_count,
        .events = m->events_count,
        .laws = m->laws_count,
        .frictions = m->frictions_count,
        .actuators = m->actuators_count,
        .targets = m->initials_count,
        .steadies = m->steadies_count,
        .measures = m->measures_count,
    };
    size_t samples = 0;
    for (size_t i = 0; i < m->events_count; i++) s->sizes.actions += m->events[i].action_count;
    for (size_t i = 0; i < m->clocks_count; i++) samples += m->clocks[i].count;
    s->delay_count = m->delays_count;
    s->delay_depth = delay_depth(m);
    s->weight = m->weight;
    s->stabilize = stabilization_of(m);
    s->allows_leastnorm = m->allow_leastnorm;
    s->allows_negative_mass = m->allow_negative_mass;
    MECH_TRY(ARENA_MAKE(&s->memory, ARRAY_OF(s->rows, m->rows_count), ARRAY_OF(s->constraints, m->constraints_count),
                        ARRAY_OF(s->is_structural, m->params_count), ARRAY_OF(s->laws, m->laws_count),
                        ARRAY_OF(s->frictions, m->frictions_count), ARRAY_OF(s->events, m->events_count),
                        ARRAY_OF(s->actions, s->sizes.actions), ARRAY_OF(s->measures, m->measures_count),
                        ARRAY_OF(s->clocks, m->clocks_count), ARRAY_OF(s->samples, samples),
                        ARRAY_OF(s->is_sampled, m->states_count), ARRAY_OF(s->coord_role, m->coords_count),
                        ARRAY_OF(s->targets, m->initials_count), ARRAY_OF(s->options, m->options_count)));
    for (size_t i = 0; i < m->coords_count; i++) s->coord_role[i] = (unsigned char)m->coords[i].role;
    list_rows(s, m);
    list_laws(s, m);
    list_events(s, m);
    list_measures(s, m);
    list_clocks(s, m);
    list_start(s, m);
    return list_names(s, m);
}

static int has_role(const mech_system *s, size_t coord, model_coord_role role)
{
    return s->coord_role && s->coord_role[coord] == role;
}

int system_coord_places(const mech_system *s, size_t coord) { return has_role(s, coord, COORD_PLACES); }
int mech_system_is_own(const mech_system *s, size_t coord)
{
    return coord < s->sizes.coords && system_coord_places(s, coord);
}
int system_coord_joins(const mech_system *s, size_t coord) { return has_role(s, coord, COORD_JOINS); }
int system_coord_shows(const mech_system *s, size_t coord) { return has_role(s, coord, COORD_SHOWS); }
