/* What is known of the whole model: its energies, and forces that follow from the solve. As symbols they may stand in
   outputs and events; all else that is built refuses them, as it refuses reactions. */
#include "model/model.h"

#include "base/mem.h"
#include "base/text.h"
#include "base/try.h"

/* Does the expression hold a symbol that comes with the solve, and of this kind? */
static mech_status look_for(const mech_model *m, mech_expr e, int (*is_meant)(const mech_model *m, mech_expr symbol),
                            int *found)
{
    uint32_t *ids = NULL;
    size_t capacity = 0, count = 0;
    mech_status status = MECH_OK;
    *found = 0;
    if (expr_classes(m->pool, e) & EXPR_REACTION) status = expr_reachable(m->pool, &e, 1, &ids, &capacity, &count);
    for (size_t i = 0; i < count && !*found; i++) {
        const mech_expr at = {ids[i]};
        *found =
            expr_is_symbol(m->pool, at) && expr_symbol_of(m->pool, at)->class_bit == EXPR_REACTION && is_meant(m, at);
    }
    mem_free(ids);
    return status;
}

static int is_late(const mech_model *m, mech_expr symbol)
{
    return expr_symbol_of(m->pool, symbol)->index == EXPR_LATE;
}

static int is_multiplier(const mech_model *m, mech_expr symbol)
{
    const size_t row = expr_symbol_of(m->pool, symbol)->index;
    return row < m->rows_count && (m->rows[row].reaction.id == symbol.id || m->rows[row].lambda.id == symbol.id);
}

static int is_total_multiplier(const mech_model *m, mech_expr symbol)
{
    const size_t row = expr_symbol_of(m->pool, symbol)->index;
    return row < m->rows_count && m->rows[row].reaction.id == symbol.id;
}

int model_holds_late(mech_model *m, mech_expr e)
{
    int found;
    if (look_for(m, e, is_late, &found) != MECH_OK) m->out_of_memory = 1;
    return found;
}

mech_status model_holds_multiplier(const mech_model *m, mech_expr e, int *holds)
{
    return look_for(m, e, is_multiplier, holds);
}

mech_status model_holds_total_multiplier(const mech_model *m, mech_expr e, int *holds)
{
    return look_for(m, e, is_total_multiplier, holds);
}

mech_expr mech_model_total(mech_model *m, mech_total which)
{
    static const char *const names[MECH_TOTAL_COUNT] = {"kinetic", "potential", "energy"};
    if (m->is_finished || (int)which < 0 || which >= MECH_TOTAL_COUNT) return (mech_expr){0};
    if (!m->totals[which].id) m->totals[which] = expr_symbol_create(m->pool, names[which], EXPR_REACTION, 0, EXPR_LATE);
    return m->totals[which];
}

static mech_expr force_value(mech_model *m, int kind, size_t index, const char *name)
{
    const mech_expr none = {0};
    for (size_t i = 0; i < m->force_values_count; i++)
        if ((int)m->force_values[i].kind == kind && m->force_values[i].index == index) return m->force_values[i].symbol;
    const mech_expr symbol = name ? expr_symbol_create(m->pool, name, EXPR_REACTION, 0, EXPR_LATE) : none;
    model_force_value *v = symbol.id ? MODEL_PUSH(m, force_values) : NULL;
    if (!name || !v) m->out_of_memory = 1;
    if (!v) return none;
    *v = (model_force_value){.symbol = symbol, .index = index, .origin = m->origin};
    v->kind = kind;
    return symbol;
}

mech_expr mech_model_control_along(mech_model *m, mech_expr coord)
{
    const int is_coord =
        coord.id && expr_is_symbol(m->pool, coord) && expr_symbol_of(m->pool, coord)->class_bit == EXPR_COORD;
    if (m->is_finished || !is_coord) return (mech_expr){0};
    const size_t index = expr_symbol_of(m->pool, coord)->index;
    return force_value(m, MODEL_FORCE_ALONG, index, arena_format(&m->memory, "control(%s)", m->coords[index].name));
}

mech_expr mech_model_control_at(mech_model *m, size_t actuator)
{
    if (m->is_finished || actuator >= m->actuators_count) return (mech_expr){0};
    return force_value(m, MODEL_FORCE_AT, actuator,
                       arena_format(&m->memory, "control(%s)", m->actuators[actuator].name));
}

mech_expr mech_model_friction_along(mech_model *m, size_t friction, size_t component)
{
    if (m->is_finished || friction >= m->frictions_count || component >= m->frictions[friction].count)
        return (mech_expr){0};
    size_t row = component;
    for (size_t i = 0; i < friction; i++) row += m->frictions[i].count;
    const model_friction *f = &m->frictions[friction];
    const char *on = f->name ? f->name : m->constraints[f->constraints[0]].name;
    char number[TEXT_ROW];
    return force_value(m, MODEL_FORCE_FRICTION, row,
                       arena_format(&m->memory, "friction(%s)%s", on, text_row(number, component, f->count)));
}

/* Control acts by actuators where there are some, else along coordinates; and there has to be control. */
static mech_status check_forces(mech_model *m)
{
    mech_status status = MECH_OK;
    int has_control = 0;
    for (size_t i = 0; i < m->constraints_count; i++) has_control |= m->constraints[i].is_control;
    for (size_t i = 0; i < m->force_values_count; i++) {
        const model_force_value *v = &m->force_values[i];
        m->origin = v->origin;
        if (v->kind == MODEL_FORCE_FRICTION) continue;
        if (!has_control)
            status = model_error(m, "what a control statement asks for is its force: control NAME: x = ...",
                                 "'%s' is the force of control, and the model has none",
                                 expr_symbol_of(m->pool, v->symbol)->name);
        else if (v->kind == MODEL_FORCE_ALONG && m->actuators_count)
            status = model_error(m, "name an actuator: control(NAME)",
                                 "'%s' would be a force along a coordinate, and control acts by actuators here",
                                 expr_symbol_of(m->pool, v->symbol)->name);
    }
    return status;
}

typedef struct exchange {
    mech_expr symbol[MECH_TOTAL_COUNT], value[MECH_TOTAL_COUNT];
    size_t count;
} exchange;

static void replace_in(mech_model *m, const exchange *x, mech_expr *e)
{
    if (e->id && (expr_classes(m->pool, *e) & EXPR_REACTION))
        *e = expr_replace(m->pool, *e, x->symbol, x->value, x->count);
}

mech_status model_replace_totals(mech_model *m)
{
    const model_equations *q = &m->equations;
    const mech_expr none = {0},
                    energy = m->totals[MECH_TOTAL_ENERGY].id ? mech_add(m->pool, q->kinetic, q->potential) : none;
    const mech_expr values[MECH_TOTAL_COUNT] = {q->kinetic, q->potential, energy};
    exchange x = {.count = 0};
    MECH_TRY(check_forces(m));
    for (int k = 0; k < MECH_TOTAL_COUNT; k++) { /* by ascending symbols, as expr_replace takes them */
        if (!m->totals[k].id) continue;
        size_t at = x.count++;
        for (; at > 0 && x.symbol[at - 1].id > m->totals[k].id; at--)
            x.symbol[at] = x.symbol[at - 1], x.value[at] = x.value[at - 1];
        x.symbol[at] = m->totals[k];
        x.value[at] = values[k];
    }
    if (!x.count) return MECH_OK;
    for (size_t i = 0; i < m->outputs_count; i++) replace_in(m, &x, &m->outputs[i].value);
    for (size_t i = 0; i < m->measures_count; i++) replace_in(m, &x, &m->measures[i].value);
    for (size_t i = 0; i < m->events_count; i++) {
        model_event *e = &m->events[i];
        replace_in(m, &x, &e->trigger);
        replace_in(m, &x, &e->condition);
        for (size_t k = 0; k < e->action_count; k++)
            replace_in(m, &x, &((mech_action *)(uintptr_t)e->actions)[k].value);
    }
    for (size_t i = 0; i < m->clocks_count; i++)
        for (size_t k = 0; k < m->clocks[i].count; k++)
            replace_in(m, &x, &((mech_expr *)(uintptr_t)m->clocks[i].value)[k]);
    return mech_pool_status(m->pool);
}
