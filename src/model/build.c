/* The builder: symbols, energies, forces, start and outputs, taken as given and checked. */
#include "model/model.h"

#include "base/mem.h"
#include "base/try.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void *model_push(mech_model *m, void *list_address, size_t *count, size_t *capacity, size_t size)
{
    if (!mem_grow(list_address, capacity, *count + 1, size)) {
        m->out_of_memory = 1;
        return NULL;
    }
    char *base;
    memcpy(&base, list_address, sizeof base);
    void *item = base + *count * size;
    memset(item, 0, size);
    (*count)++;
    return item;
}

mech_status model_error(mech_model *m, const char *hint, const char *format, ...)
{
    char message[600];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    diagnostics_add(m->diagnostics, MECH_ERROR, MECH_ERR_MODEL, model_span(m, m->origin), hint, "%s", message);
    return MECH_ERR_MODEL;
}

/* ---- life ---- */

mech_status mech_model_create(mech_diagnostics *diagnostics, mech_model **model)
{
    *model = NULL;
    if (!diagnostics) return MECH_ERR_ARGUMENT;
    mech_model *m = mem_zeroed(1, sizeof *m);
    if (!m) return MECH_ERR_MEMORY;
    m->diagnostics = diagnostics;
    m->pool = mech_pool_create();
    if (m->pool) m->time = expr_symbol_create(m->pool, "t", EXPR_TIME, 0, 0);
    if (!m->time.id || !strmap_put(&m->symbols, "t", 0)) {
        mech_model_free(m);
        return MECH_ERR_MEMORY;
    }
    expr_symbol_set_dot(m->pool, m->time, EXPR_ONE);
    *model = m;
    return MECH_OK;
}

void mech_model_free(mech_model *m)
{
    if (!m) return;
    mech_pool_free(m->pool);
    arena_free(&m->memory);
    mem_free(m->params);
    mem_free(m->coords);
    mem_free(m->states);
    mem_free(m->inputs);
    mem_free(m->kinetic);
    mem_free(m->potential);
    mem_free(m->dissipation);
    mem_free(m->masses);
    mem_free(m->forces);
    mem_free(m->rows);
    mem_free(m->constraints);
    mem_free(m->laws);
    mem_free(m->frictions);
    mem_free(m->actuators);
    mem_free(m->initials);
    mem_free(m->steadies);
    mem_free(m->outputs);
    mem_free(m->events);
    mem_free(m->stabilizers);
    mem_free(m->options);
    mem_free(m->lets);
    mem_free(m->origins);
    strmap_free(&m->symbols);
    strmap_free(&m->constraint_names);
    strmap_free(&m->event_names);
    model_equations_free(&m->equations);
    mem_free(m);
}

mech_pool *mech_model_pool(const mech_model *m) { return m->pool; }

mech_expr mech_model_time(const mech_model *m) { return m->time; }

/* ---- places ---- */

mech_status model_set_origin(mech_model *m, mech_span span, const int64_t *indices, size_t index_count)
{
    model_origin *o = MODEL_PUSH(m, origins);
    int64_t *copy = index_count ? arena_alloc(&m->memory, index_count * sizeof *copy) : NULL;
    if (!o || (index_count && !copy)) return MECH_ERR_MEMORY;
    if (index_count) memcpy(copy, indices, index_count * sizeof *copy);
    *o = (model_origin){span, copy, index_count};
    m->origin = (uint32_t)m->origins_count;
    expr_set_origin(m->pool, m->origin);
    return MECH_OK;
}

mech_status model_keep_let(mech_model *m, const char *name)
{
    const char **let = MODEL_PUSH(m, lets);
    if (!let) return MECH_ERR_MEMORY;
    *let = model_keep(m, name);
    return *let ? MECH_OK : MECH_ERR_MEMORY;
}

mech_span model_span(const mech_model *m, uint32_t origin)
{
    return origin && origin <= m->origins_count ? m->origins[origin - 1].span : (mech_span){0};
}

/* ---- helpers ---- */

const mech_expr *model_copy(mech_model *m, const mech_expr *list, size_t n)
{
    mech_expr *copy = n ? arena_alloc(&m->memory, n * sizeof *copy) : NULL;
    if (n && !copy) m->out_of_memory = 1;
    if (copy) memcpy(copy, list, n * sizeof *copy);
    return copy;
}

const char *model_keep(mech_model *m, const char *text)
{
    const char *copy = text ? arena_text(&m->memory, text, strlen(text)) : NULL;
    if (text && !copy) m->out_of_memory = 1;
    return copy;
}

/* A building call with an expression that was never made. */
static mech_status missing(mech_model *m)
{
    const mech_status status = mech_pool_status(m->pool);
    if (status != MECH_OK) return status;
    if (m->out_of_memory) return MECH_ERR_MEMORY;
    const char *fault = expr_take_fault(m->pool);
    return model_error(m, NULL, "this expression has no value: %s", fault ? fault : "a part of it is missing");
}

#define NEED(e)                                \
    do {                                       \
        if (!(e).id) return missing(m);        \
    } while (0)

/* Takes a new name, or says that it is taken. */
static mech_status take_name(mech_model *m, const char *name, const char **kept)
{
    if (m->is_finished) return MECH_ERR_ARGUMENT;
    if (!name || !*name) return model_error(m, NULL, "a name is missing");
    if (strmap_get(&m->symbols, name) != SIZE_MAX)
        return model_error(m, "choose another name, or remove one of the two declarations", "the name '%s' is declared twice", name);
    *kept = model_keep(m, name);
    if (*kept && strmap_put(&m->symbols, *kept, 0)) return MECH_OK;
    m->out_of_memory = 1;
    return MECH_ERR_MEMORY;
}

/* ---- symbols ---- */

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
        (void)missing(m);
        return none;
    }
    if (take_name(m, name, &kept) != MECH_OK) return none;
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
    *p = (model_param){.name = kept, .unit = model_keep(m, unit), .symbol = symbol, .value = value, .number = number, .origin = m->origin};
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
    if (take_name(m, name, &kept) != MECH_OK) return none;
    if (!symbol_chain(m, name, classes, (uint32_t)m->coords_count, chain)) return none;
    model_coord *c = MODEL_PUSH(m, coords);
    if (!c) return none;
    *c = (model_coord){kept, model_keep(m, unit), chain[0], chain[1], chain[2], m->origin};
    return c->q;
}

mech_expr mech_model_state(mech_model *m, const char *name, const char *unit)
{
    const char *kept;
    const mech_expr none = {0};
    if (take_name(m, name, &kept) != MECH_OK) return none;
    const mech_expr symbol = expr_symbol_create(m->pool, name, EXPR_STATE, 0, (uint32_t)m->states_count);
    model_state *s = symbol.id ? MODEL_PUSH(m, states) : NULL;
    if (!s) return none;
    *s = (model_state){kept, model_keep(m, unit), symbol, none, m->origin};
    return symbol;
}

mech_status mech_model_state_rate(mech_model *m, mech_expr state, mech_expr rate)
{
    NEED(state);
    NEED(rate);
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
    if (take_name(m, name, &kept) != MECH_OK) return NULL;
    if (!symbol_chain(m, name, classes, (uint32_t)m->inputs_count, chain)) return NULL;
    model_input *u = MODEL_PUSH(m, inputs);
    if (!u) return NULL;
    *u = (model_input){.name = kept, .unit = model_keep(m, unit), .symbol = chain[0], .first = chain[1], .second = chain[2], .origin = m->origin};
    return u;
}

mech_expr mech_model_input(mech_model *m, const char *name, mech_expr signal, const char *unit)
{
    const mech_expr none = {0};
    if (!signal.id) {
        (void)missing(m);
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

mech_expr mech_model_input_table(mech_model *m, const char *name, const char *file, const char *column, const char *unit)
{
    model_input *u = file && column ? add_input(m, name, unit) : NULL;
    if (!u) return (mech_expr){0};
    u->file = model_keep(m, file);
    u->column = model_keep(m, column);
    return u->file && u->column ? u->symbol : (mech_expr){0};
}

/* ---- energies, masses, forces ---- */

static mech_status add_term(mech_model *m, model_term *t, mech_expr value)
{
    if (!t) return MECH_ERR_MEMORY;
    *t = (model_term){value, m->origin};
    return MECH_OK;
}

static mech_status check_energy(mech_model *m, mech_expr e, const char *what)
{
    NEED(e);
    if (m->is_finished) return MECH_ERR_ARGUMENT;
    const unsigned classes = expr_classes(m->pool, e);
    if (classes & EXPR_ACCELERATION) return model_error(m, NULL, "a %s energy may not depend on accelerations", what);
    if (classes & EXPR_REACTION) return model_error(m, NULL, "a %s energy may not depend on reactions", what);
    return MECH_OK;
}

mech_status mech_model_kinetic(mech_model *m, mech_expr e)
{
    MECH_TRY(check_energy(m, e, "kinetic"));
    if (!expr_is_zero(e) && !(expr_classes(m->pool, e) & EXPR_VELOCITY))
        diagnostics_add(m->diagnostics, MECH_WARNING, MECH_ERR_MODEL, model_span(m, m->origin),
                        "velocities are primes: x' is the velocity of x", "this kinetic energy has no velocities in it");
    return add_term(m, MODEL_PUSH(m, kinetic), e);
}

mech_status mech_model_potential(mech_model *m, mech_expr e)
{
    MECH_TRY(check_energy(m, e, "potential"));
    return add_term(m, MODEL_PUSH(m, potential), e);
}

mech_status mech_model_dissipation(mech_model *m, mech_expr e)
{
    NEED(e);
    if (m->is_finished) return MECH_ERR_ARGUMENT;
    if (expr_classes(m->pool, e) & (EXPR_ACCELERATION | EXPR_REACTION))
        return model_error(m, NULL, "a dissipation function may not depend on accelerations or reactions");
    return add_term(m, MODEL_PUSH(m, dissipation), e);
}

static int coord_index(const mech_model *m, mech_expr e, size_t *index)
{
    if (!expr_is_symbol(m->pool, e) || expr_symbol_of(m->pool, e)->class_bit != EXPR_COORD) return 0;
    *index = expr_symbol_of(m->pool, e)->index;
    return 1;
}

mech_status mech_model_mass(mech_model *m, mech_expr a, mech_expr b, mech_expr mass)
{
    size_t i, j;
    NEED(a);
    NEED(b);
    NEED(mass);
    if (m->is_finished) return MECH_ERR_ARGUMENT;
    if (!coord_index(m, a, &i) || !coord_index(m, b, &j)) return model_error(m, NULL, "a mass belongs to coordinates");
    if (expr_classes(m->pool, mass) & (EXPR_ACCELERATION | EXPR_REACTION | EXPR_VELOCITY))
        return model_error(m, NULL, "a mass may depend on positions, time and parameters only");
    model_mass *entry = MODEL_PUSH(m, masses);
    if (!entry) return MECH_ERR_MEMORY;
    *entry = (model_mass){i > j ? i : j, i > j ? j : i, mass, m->origin};
    return MECH_OK;
}

mech_status mech_model_force(mech_model *m, const mech_expr *force, const mech_expr *velocity, size_t count)
{
    if (m->is_finished) return MECH_ERR_ARGUMENT;
    for (size_t i = 0; i < count; i++) {
        NEED(force[i]);
        NEED(velocity[i]);
        if (expr_classes(m->pool, force[i]) & (EXPR_ACCELERATION | EXPR_REACTION))
            return model_error(m, "a force that depends on a reaction is a law of its constraint: nonideal on NAME: ...",
                               "an impressed force may not depend on accelerations or reactions");
        if (!(expr_classes(m->pool, velocity[i]) & EXPR_VELOCITY) && !expr_is_zero(velocity[i]))
            return model_error(m, "a force acts on a velocity: force F on x'", "there is no velocity in what the force acts on");
    }
    model_force *f = MODEL_PUSH(m, forces);
    if (!f) return MECH_ERR_MEMORY;
    *f = (model_force){model_copy(m, force, count), model_copy(m, velocity, count), count, m->origin};
    return f->force && f->velocity ? MECH_OK : MECH_ERR_MEMORY;
}

mech_status mech_model_actuator(mech_model *m, const char *name, const mech_expr *velocity, size_t count)
{
    if (m->is_finished) return MECH_ERR_ARGUMENT;
    for (size_t i = 0; i < count; i++) {
        NEED(velocity[i]);
        if (!(expr_classes(m->pool, velocity[i]) & EXPR_VELOCITY))
            return model_error(m, "an actuator acts on a velocity: actuator x'", "there is no velocity in what the actuator acts on");
        model_actuator *a = MODEL_PUSH(m, actuators);
        if (!a) return MECH_ERR_MEMORY;
        const char *shown = name && count > 1 ? arena_format(&m->memory, "%s[%zu]", name, i + 1)
                            : name            ? model_keep(m, name)
                                              : arena_format(&m->memory, "actuator_%zu", m->actuators_count);
        *a = (model_actuator){shown, velocity[i], m->origin};
        if (!shown) return MECH_ERR_MEMORY;
    }
    return MECH_OK;
}

/* ---- start, outputs, events, run ---- */

mech_status mech_model_initial(mech_model *m, mech_expr target, mech_expr value, int fixed)
{
    NEED(target);
    NEED(value);
    if (m->is_finished) return MECH_ERR_ARGUMENT;
    const unsigned classes = expr_classes(m->pool, target);
    if (classes & (EXPR_ACCELERATION | EXPR_REACTION))
        return model_error(m, "give coordinates, velocities or expressions of them", "accelerations and reactions follow from the start; they cannot be given");
    if (!(classes & (EXPR_COORD | EXPR_VELOCITY | EXPR_STATE)))
        return model_error(m, NULL, "there is no coordinate, velocity or state on the left");
    if (expr_classes(m->pool, value) & ~(unsigned)(EXPR_PARAM | EXPR_TIME))
        return model_error(m, "bring what depends on the motion to the left side", "an initial value may use numbers, parameters and time only");
    model_initial *item = MODEL_PUSH(m, initials);
    if (!item) return MECH_ERR_MEMORY;
    *item = (model_initial){target, value, fixed, m->origin};
    return MECH_OK;
}

mech_status mech_model_steady(mech_model *m, mech_expr velocity, mech_expr value)
{
    NEED(velocity);
    NEED(value);
    if (m->is_finished) return MECH_ERR_ARGUMENT;
    if (!(expr_classes(m->pool, velocity) & (EXPR_VELOCITY | EXPR_COORD)))
        return model_error(m, NULL, "there is no velocity on the left");
    if (expr_classes(m->pool, value) & ~(unsigned)EXPR_PARAM)
        return model_error(m, NULL, "the value of a steady motion may use numbers and parameters only");
    model_steady *item = MODEL_PUSH(m, steadies);
    if (!item) return MECH_ERR_MEMORY;
    *item = (model_steady){velocity, value, m->origin};
    return MECH_OK;
}

mech_status mech_model_output(mech_model *m, const char *name, mech_expr value, const char *unit)
{
    const char *kept;
    NEED(value);
    MECH_TRY(take_name(m, name, &kept));
    model_output *item = MODEL_PUSH(m, outputs);
    if (!item) return MECH_ERR_MEMORY;
    *item = (model_output){kept, model_keep(m, unit), value, m->origin};
    return MECH_OK;
}

static mech_status copy_action(mech_model *m, const mech_action *from, mech_action *to)
{
    *to = *from;
    if (from->kind == MECH_SET) {
        NEED(from->target);
        NEED(from->value);
        const unsigned classes = expr_is_symbol(m->pool, from->target) ? expr_classes(m->pool, from->target) : 0;
        if (!(classes & (EXPR_COORD | EXPR_VELOCITY | EXPR_STATE)))
            return model_error(m, "set x = ..., set x' = ...", "an event sets a coordinate, a velocity or a state");
    }
    if (from->kind == MECH_IMPACT) NEED(from->value);
    if (!from->constraint_count) return MECH_OK;
    size_t *copy = arena_alloc(&m->memory, from->constraint_count * sizeof *copy);
    if (!copy) return MECH_ERR_MEMORY;
    for (size_t i = 0; i < from->constraint_count; i++) {
        if (from->constraints[i] >= m->constraints_count) return MECH_ERR_ARGUMENT;
        copy[i] = from->constraints[i];
    }
    to->constraints = copy;
    return MECH_OK;
}

mech_status mech_model_event(mech_model *m, const char *name, mech_expr trigger, mech_direction direction,
                             mech_expr condition, const mech_action *actions, size_t action_count)
{
    NEED(trigger);
    if (m->is_finished) return MECH_ERR_ARGUMENT;
    const char *kept = model_keep(m, name);
    mech_action *copy = arena_alloc(&m->memory, (action_count + 1) * sizeof *copy);
    if (!kept || !copy) return MECH_ERR_MEMORY;
    if (strmap_get(&m->event_names, name) != SIZE_MAX) return model_error(m, NULL, "there are two events named '%s'", name);
    for (size_t i = 0; i < action_count; i++) MECH_TRY(copy_action(m, &actions[i], &copy[i]));
    model_event *e = strmap_put(&m->event_names, kept, m->events_count) ? MODEL_PUSH(m, events) : NULL;
    if (!e) return MECH_ERR_MEMORY;
    *e = (model_event){kept, trigger, condition, direction, copy, action_count, m->origin};
    return MECH_OK;
}

static mech_status check_method(mech_model *m, const char *word)
{
    static const char *const methods[] = {"auto", "rk8", "rk5", "bdf", "adams", "irk"};
    for (size_t i = 0; word && i < sizeof methods / sizeof *methods; i++)
        if (strcmp(methods[i], word) == 0) return MECH_OK;
    return model_error(m, "auto, rk8, rk5, bdf, adams, irk", "there is no method '%s'", word ? word : "");
}

static mech_status check_option_value(mech_model *m, const char *option, mech_expr value)
{
    double number;
    NEED(value);
    if (model_constant(m, value, &number) != MECH_OK)
        return model_error(m, NULL, "the run option '%s' takes a number", option);
    if (strcmp(option, "from") == 0 || strcmp(option, "until") == 0)
        return isfinite(number) ? MECH_OK : model_error(m, NULL, "the run option '%s' is not a finite number", option);
    if (strcmp(option, "points") == 0 && !(number >= 2 && number <= 1e9))
        return model_error(m, "points 100", "the number of points is at least 2 and at most 1e9, not %g", number);
    if (!(number > 0)) return model_error(m, NULL, "the run option '%s' is greater than 0, not %g", option, number);
    return MECH_OK;
}

mech_status mech_model_simulate(mech_model *m, const char *option, mech_expr value, const char *word)
{
    static const char *const names[] = {"from", "until", "step", "points", "rtol", "atol", "max_step", "method"};
    if (m->is_finished) return MECH_ERR_ARGUMENT;
    size_t k = 0;
    while (k < sizeof names / sizeof *names && strcmp(names[k], option) != 0) k++;
    if (k == sizeof names / sizeof *names) return model_error(m, "from, until, step, points, rtol, atol, max_step, method", "there is no run option '%s'", option);
    if (strcmp(option, "method") == 0) MECH_TRY(check_method(m, word));
    else MECH_TRY(check_option_value(m, option, value));
    model_option *o = MODEL_PUSH(m, options);
    if (!o) return MECH_ERR_MEMORY;
    *o = (model_option){names[k], model_keep(m, word), value, m->origin};
    return MECH_OK;
}

mech_status mech_model_allow(mech_model *m, const char *what)
{
    if (strcmp(what, "leastnorm") == 0) m->allow_leastnorm = 1;
    else if (strcmp(what, "negative_mass") == 0) m->allow_negative_mass = 1;
    else return model_error(m, "leastnorm, negative mass", "there is nothing named '%s' to allow", what);
    return MECH_OK;
}
