/* The builder: parameters, coordinates, states and inputs, taken as given and checked. */
#include "model/model.h"

#include <math.h>

static double param_value(void *user, const expr_symbol *s)
{
    const mech_model *m = user;
    return s->class_bit == EXPR_PARAM ? m->params[s->index].number : (double)NAN;
}

mech_status model_constant(mech_model *m, mech_expr e, double *value)
{
    if (!e.id || (expr_classes(m->pool, e) & ~(unsigned)EXPR_PARAM)) return MECH_ERR_MODEL;
    return expr_evaluate(m->pool, e, param_value, m, value);
}

mech_expr mech_model_param(mech_model *m, const char *name, mech_expr value, const char *unit)
{
    const char *kept;
    const mech_expr none = {0};
    double number;
    if (!value.id) {
        (void)model_missing(m);
        return none;
    }
    if (model_take_name(m, name, &kept) != MECH_OK) return none;
    if (expr_classes(m->pool, value) & ~(unsigned)EXPR_PARAM) {
        (void)model_error(m, "use 'let' for an abbreviation of coordinates or time",
                          "the value of parameter '%s' may use numbers and earlier parameters only", name);
        return none;
    }
    if (model_constant(m, value, &number) != MECH_OK) return none;
    if (!isfinite(number)) {
        (void)model_error(m, NULL, "the value of parameter '%s' is not a finite number", name);
        return none;
    }
    const mech_expr symbol = expr_symbol_create(m->pool, name, EXPR_PARAM, 0, (uint32_t)m->params_count);
    model_param *p = symbol.id ? MODEL_PUSH(m, params) : NULL;
    if (!p) return none;
    *p = (model_param){.name = kept,
                       .unit = model_keep(m, unit),
                       .symbol = symbol,
                       .value = value,
                       .number = number,
                       .origin = m->origin};
    expr_symbol_set_dot(m->pool, symbol, EXPR_ZERO);
    return symbol;
}

void model_mark_structural(mech_model *m, mech_expr symbol)
{
    const expr_symbol *s = expr_symbol_of(m->pool, symbol);
    if (s->class_bit != EXPR_PARAM) return;
    m->params[s->index].is_structural = 1;
}

/* A symbol and its first and second time derivatives, linked. */
static int symbol_chain(mech_model *m, const char *name, const expr_class classes[3], uint32_t index, mech_expr out[3])
{
    for (unsigned k = 0; k < 3; k++) {
        out[k] = expr_symbol_create(m->pool, name, classes[k], k, index);
        if (!out[k].id) return 0;
        if (k) expr_symbol_set_dot(m->pool, out[k - 1], out[k]);
    }
    return 1;
}

mech_expr mech_model_coord(mech_model *m, const char *name, const char *unit)
{
    static const expr_class classes[3] = {EXPR_COORD, EXPR_VELOCITY, EXPR_ACCELERATION};
    const mech_expr none = {0};
    const char *kept;
    mech_expr chain[3];
    if (model_take_name(m, name, &kept) != MECH_OK) return none;
    if (!symbol_chain(m, name, classes, (uint32_t)m->coords_count, chain)) return none;
    model_coord *c = MODEL_PUSH(m, coords);
    if (!c) return none;
    *c = (model_coord){kept, model_keep(m, unit), chain[0], chain[1], chain[2], m->origin, COORD_PLAIN};
    return c->q;
}

mech_expr mech_model_state(mech_model *m, const char *name, const char *unit)
{
    const char *kept;
    const mech_expr none = {0};
    if (model_take_name(m, name, &kept) != MECH_OK) return none;
    const mech_expr symbol = expr_symbol_create(m->pool, name, EXPR_STATE, 0, (uint32_t)m->states_count);
    model_state *s = symbol.id ? MODEL_PUSH(m, states) : NULL;
    if (!s) return none;
    *s = (model_state){kept, model_keep(m, unit), symbol, none, 0, m->origin};
    return symbol;
}

mech_status mech_model_state_rate(mech_model *m, mech_expr state, mech_expr rate)
{
    MODEL_NEED(state);
    MODEL_NEED(rate);
    if (!expr_is_symbol(m->pool, state) || expr_symbol_of(m->pool, state)->class_bit != EXPR_STATE)
        return model_error(m, NULL, "a rate is given to something that is not a state");
    if (expr_classes(m->pool, rate) & (EXPR_ACCELERATION | EXPR_REACTION))
        return model_error(m, NULL, "the rate of state '%s' may not use accelerations or reactions",
                           expr_symbol_of(m->pool, state)->name);
    m->states[expr_symbol_of(m->pool, state)->index].rate = rate;
    expr_symbol_set_dot(m->pool, state, rate);
    return MECH_OK;
}

static model_input *add_input(mech_model *m, const char *name, const char *unit)
{
    static const expr_class classes[3] = {EXPR_INPUT, EXPR_INPUT, EXPR_INPUT};
    const char *kept;
    mech_expr chain[3];
    if (model_take_name(m, name, &kept) != MECH_OK) return NULL;
    if (!symbol_chain(m, name, classes, (uint32_t)m->inputs_count, chain)) return NULL;
    model_input *u = MODEL_PUSH(m, inputs);
    if (!u) return NULL;
    *u = (model_input){.name = kept,
                       .unit = model_keep(m, unit),
                       .symbol = chain[0],
                       .first = chain[1],
                       .second = chain[2],
                       .origin = m->origin};
    return u;
}

mech_expr mech_model_input(mech_model *m, const char *name, mech_expr signal, const char *unit)
{
    const mech_expr none = {0};
    if (!signal.id) {
        (void)model_missing(m);
        return none;
    }
    if (expr_classes(m->pool, signal) & ~(unsigned)(EXPR_PARAM | EXPR_TIME)) {
        (void)model_error(m, "use 'let' or 'force' for what depends on the motion",
                          "the signal of input '%s' may use time and parameters only", name);
        return none;
    }
    model_input *u = add_input(m, name, unit);
    if (u) u->signal = signal;
    return u ? u->symbol : none;
}

static mech_expr add_table(mech_model *m, const char *name, const char *file, const char *column, int is_held,
                           const char *unit)
{
    model_input *u = file && column ? add_input(m, name, unit) : NULL;
    if (!u) return (mech_expr){0};
    u->is_held = is_held;
    u->file = model_keep(m, file);
    u->column = model_keep(m, column);
    return u->file && u->column ? u->symbol : (mech_expr){0};
}

mech_expr mech_model_input_table(mech_model *m, const char *name, const char *file, const char *column,
                                 const char *unit)
{
    return add_table(m, name, file, column, 0, unit);
}

mech_expr mech_model_input_held(mech_model *m, const char *name, const char *file, const char *column, const char *unit)
{
    return add_table(m, name, file, column, 1, unit);
}
