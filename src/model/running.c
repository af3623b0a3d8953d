/* The builder: how a model is run. Start, steady velocities, outputs, measures, events and options, taken as given and
   checked. */
#include "model/model.h"

#include "base/try.h"

#include <math.h>
#include <string.h>

mech_status mech_model_initial(mech_model *m, mech_expr target, mech_expr value, int fixed)
{
    MODEL_NEED(target);
    MODEL_NEED(value);
    if (m->is_finished) return MECH_ERR_ARGUMENT;
    const unsigned classes = expr_classes(m->pool, target);
    if (classes & (EXPR_ACCELERATION | EXPR_REACTION))
        return model_error(m, "give coordinates, velocities or expressions of them",
                           "accelerations and reactions follow from the start; they cannot be given");
    if (!(classes & (EXPR_COORD | EXPR_VELOCITY | EXPR_STATE)))
        return model_error(m, NULL, "there is no coordinate, velocity or state on the left");
    if (expr_classes(m->pool, value) & ~(unsigned)(EXPR_PARAM | EXPR_TIME))
        return model_error(m, "bring what depends on the motion to the left side",
                           "an initial value may use numbers, parameters and time only");
    model_initial *item = MODEL_PUSH(m, initials);
    if (!item) return MECH_ERR_MEMORY;
    *item = (model_initial){target, value, fixed, m->origin};
    return MECH_OK;
}

mech_status mech_model_initial_release(mech_model *m, size_t constraint)
{
    if (m->is_finished || constraint >= m->constraints_count) return MECH_ERR_ARGUMENT;
    m->constraints[constraint].released_at = m->origin ? m->origin : UINT32_MAX;
    return MECH_OK;
}

mech_status mech_model_steady(mech_model *m, mech_expr velocity, mech_expr value)
{
    MODEL_NEED(velocity);
    MODEL_NEED(value);
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
    MODEL_NEED(value);
    MECH_TRY(model_take_name(m, name, &kept));
    model_output *item = MODEL_PUSH(m, outputs);
    if (!item) return MECH_ERR_MEMORY;
    *item = (model_output){kept, model_keep(m, unit), value, m->origin};
    return MECH_OK;
}

const char *mech_measure_word(mech_measure_kind kind)
{
    static const char *const words[] = {"max", "min", "mean", "rms", "final", "time", "count"};
    return (unsigned)kind <= MECH_MEASURE_COUNT ? words[kind] : NULL;
}

static mech_status add_measure(mech_model *m, const char *name, const model_measure *measure)
{
    const char *kept;
    MECH_TRY(model_take_name(m, name, &kept));
    model_measure *item = MODEL_PUSH(m, measures);
    if (!item) return MECH_ERR_MEMORY;
    *item = *measure;
    item->name = kept;
    item->unit = model_keep(m, measure->unit);
    item->origin = m->origin;
    return MECH_OK;
}

mech_status mech_model_measure(mech_model *m, const char *name, mech_measure_kind kind, mech_expr value,
                               const char *unit)
{
    MODEL_NEED(value);
    if ((unsigned)kind > MECH_MEASURE_FINAL) return MECH_ERR_ARGUMENT;
    return add_measure(m, name, &(model_measure){.unit = unit, .kind = kind, .value = value, .event = SIZE_MAX});
}

mech_status mech_model_measure_event(mech_model *m, const char *name, mech_measure_kind kind, const char *event,
                                     const char *unit)
{
    const size_t number = event ? strmap_get(&m->event_names, event) : SIZE_MAX;
    if (number == SIZE_MAX || (kind != MECH_MEASURE_TIME && kind != MECH_MEASURE_COUNT)) return MECH_ERR_ARGUMENT;
    return add_measure(m, name, &(model_measure){.unit = unit, .kind = kind, .value = EXPR_ZERO, .event = number});
}

mech_status mech_model_draw(mech_model *m, const mech_drawing *d)
{
    if (!d || d->size != sizeof *d || m->is_finished || !d->count || (d->dimension != 2 && d->dimension != 3))
        return MECH_ERR_ARGUMENT;
    for (size_t k = 0; k < d->count; k++) MODEL_NEED(d->values[k]);
    if (m->drawings_count && m->drawings[0].dimension != d->dimension)
        return model_error(m, "a scene lies in the plane or in space: all points have 2 entries, or all have 3",
                           "this has points of %zu entries, and what was drawn before of %zu", d->dimension,
                           m->drawings[0].dimension);
    const mech_expr *values = model_copy(m, d->values, d->count);
    model_drawing *item = values ? MODEL_PUSH(m, drawings) : NULL;
    if (!item) return MECH_ERR_MEMORY;
    *item = (model_drawing){.kind = d->kind,
                            .dimension = d->dimension,
                            .count = d->count,
                            .values = (mech_expr *)(uintptr_t)values,
                            .turned = d->turned,
                            .when = d->when,
                            .colour = model_keep(m, d->colour),
                            .width = d->width,
                            .origin = m->origin};
    return MECH_OK;
}

static mech_status copy_action(mech_model *m, const mech_action *from, mech_action *to)
{
    *to = *from;
    if (from->kind == MECH_ACTION_SET) {
        MODEL_NEED(from->target);
        MODEL_NEED(from->value);
        const unsigned classes = expr_is_symbol(m->pool, from->target) ? expr_classes(m->pool, from->target) : 0;
        if (!(classes & (EXPR_COORD | EXPR_VELOCITY | EXPR_STATE)))
            return model_error(m, "write: set x = ... or set x' = ...",
                               "an event sets a coordinate, a velocity or a state");
    }
    if (from->kind == MECH_ACTION_IMPACT) {
        MODEL_NEED(from->value);
        MECH_TRY(model_check_restitution(m, from->value));
    }
    if (!from->constraint_count) return MECH_OK;
    size_t *copy = arena_alloc(&m->memory, from->constraint_count * sizeof *copy);
    if (!copy) return MECH_ERR_MEMORY;
    for (size_t i = 0; i < from->constraint_count; i++) {
        if (from->constraints[i] >= m->constraints_count) return MECH_ERR_ARGUMENT;
        const model_constraint *c = &m->constraints[from->constraints[i]];
        if (from->kind == MECH_ACTION_IMPACT && c->is_control)
            return model_error(m, "strike a constraint, or set the velocity",
                               "'%s' is a control, which gives no impulse: nothing can strike it", c->name);
        copy[i] = from->constraints[i];
    }
    to->constraints = copy;
    return MECH_OK;
}

mech_status mech_model_event(mech_model *m, const char *name, mech_expr trigger, mech_direction direction,
                             mech_expr condition, const mech_action *actions, size_t action_count)
{
    MODEL_NEED(trigger);
    if (m->is_finished) return MECH_ERR_ARGUMENT;
    MECH_TRY(model_check_name(m, name));
    const char *kept = model_keep(m, name);
    mech_action *copy = arena_alloc(&m->memory, (action_count + 1) * sizeof *copy);
    if (!kept || !copy) return MECH_ERR_MEMORY;
    if (strmap_get(&m->event_names, name) != SIZE_MAX)
        return model_error(m, NULL, "there are two events named '%s'", name);
    for (size_t i = 0; i < action_count; i++) MECH_TRY(copy_action(m, &actions[i], &copy[i]));
    model_event *e = strmap_put(&m->event_names, kept, m->events_count) ? MODEL_PUSH(m, events) : NULL;
    if (!e) return MECH_ERR_MEMORY;
    *e = (model_event){.name = kept,
                       .trigger = trigger,
                       .condition = condition,
                       .direction = direction,
                       .actions = copy,
                       .action_count = action_count,
                       .origin = m->origin};
    return MECH_OK;
}

static mech_status check_method(mech_model *m, const char *word)
{
    static const char *const methods[] = {"auto", "rk8", "rk5", "bdf", "adams", "irk", "moreau"};
    for (size_t i = 0; word && i < sizeof methods / sizeof *methods; i++)
        if (strcmp(methods[i], word) == 0) return MECH_OK;
    return model_error(m, "the methods are auto, rk8, rk5, bdf, adams, irk and moreau", "there is no method '%s'",
                       word ? word : "");
}

static mech_status check_option_value(mech_model *m, const char *option, mech_expr value)
{
    double number;
    MODEL_NEED(value);
    const mech_status status = model_constant(m, value, &number);
    if (status == MECH_ERR_MEMORY) return status;
    if (status != MECH_OK)
        return model_error(m, "it may hold numbers and parameters", "the run option '%s' takes a number", option);
    if (strcmp(option, "from") == 0 || strcmp(option, "until") == 0)
        return isfinite(number) ? MECH_OK : model_error(m, NULL, "the run option '%s' is not a finite number", option);
    if (strcmp(option, "points") == 0 && !(number >= 2 && number <= 1e9 && number == floor(number)))
        return model_error(m, "write: simulate until 10, points 100", "points are a whole number from 2 to 1e9, not %g",
                           number);
    if (!(number > 0)) return model_error(m, NULL, "the run option '%s' is greater than 0, not %g", option, number);
    return MECH_OK;
}

mech_status mech_model_simulate(mech_model *m, const char *option, mech_expr value, const char *word)
{
    static const char *const names[] = {"from", "until",    "step",       "points", "rtol",
                                        "atol", "max_step", "resolution", "method"};
    if (m->is_finished) return MECH_ERR_ARGUMENT;
    size_t k = 0;
    while (k < sizeof names / sizeof *names && strcmp(names[k], option) != 0) k++;
    if (k == sizeof names / sizeof *names)
        return model_error(m, "the options are from, until, step, points, rtol, atol, max_step, resolution and method",
                           "there is no run option '%s'", option);
    if (strcmp(option, "method") == 0) MECH_TRY(check_method(m, word));
    else MECH_TRY(check_option_value(m, option, value));
    model_option *o = MODEL_PUSH(m, options);
    if (!o) return MECH_ERR_MEMORY;
    *o = (model_option){names[k], model_keep(m, word), value, m->origin};
    return MECH_OK;
}

mech_status mech_model_allow(mech_model *m, const char *what)
{
    if (m->is_finished) return MECH_ERR_ARGUMENT;
    if (strcmp(what, "leastnorm") == 0) m->allow_leastnorm = 1;
    else if (strcmp(what, "negative_mass") == 0) m->allow_negative_mass = 1;
    else
        return model_error(m, "write: allow leastnorm, or: allow negative mass", "there is nothing named '%s' to allow",
                           what);
    return MECH_OK;
}
