/* Exported C: the functions of the model, one pair for each kind of value. */
#include "output/export.h"

#include "base/mem.h"
#include "base/try.h"

enum { MOST_STATEMENTS = 100000 };

static void add_value(exporter *x, mech_expr value, size_t index)
{
    if (!mem_grow(&x->values, &x->capacity, x->count + 1, sizeof *x->values) ||
        !mem_grow(&x->places, &x->place_capacity, x->count + 1, sizeof *x->places)) {
        x->status = MECH_ERR_MEMORY;
        return;
    }
    x->values[x->count] = value;
    x->places[x->count++] = (emit_place){"more", (uint32_t)index};
}

/* M (n x n), A (m x n), Q, b, r, r', entries of C, power one after the other. */
static void list_equation(exporter *x)
{
    const model_equations *e = &x->model->equations;
    const size_t n = x->model->coords_count, m = x->model->rows_count;
    size_t first = 0;
    for (size_t i = 0; i < e->M.count; i++) {
        const size_t r = e->M.items[i].row, c = e->M.items[i].column;
        add_value(x, e->M.items[i].value, r + n * c);
        if (r != c) add_value(x, e->M.items[i].value, c + n * r);
    }
    first += n * n;
    for (size_t i = 0; i < e->A.count; i++)
        add_value(x, e->A.items[i].value, first + e->A.items[i].row + m * e->A.items[i].column);
    first += m * n;
    for (size_t i = 0; i < n; i++) add_value(x, e->Q[i], first + i);
    first += n;
    for (size_t i = 0; i < m; i++) {
        add_value(x, e->b[i], first + i);
        add_value(x, e->r[i], first + m + i);
        add_value(x, e->r_dot[i], first + 2 * m + i);
    }
    first += 3 * m;
    for (size_t i = 0; i < e->C.count; i++) add_value(x, e->C.items[i].value, first + i);
    first += e->C.count;
    add_value(x, e->power, first++);
    x->equation_count = first;
}

static mech_status emit_list(exporter *x, const char *kind, emit_result *size)
{
    textbuf prefix = {0};
    text_format(&prefix, "%s_%s", x->name, kind);
    mech_status status = x->status != MECH_OK || prefix.failed ? MECH_ERR_MEMORY : MECH_OK;
    if (status == MECH_OK)
        status = motion_values_make(x->system, &(motion_target){.prefix = prefix.data}, x->values, x->places, x->count,
                                    size, &x->functions);
    text_free(&prefix);
    x->count = 0;
    return status;
}

/* Signals given by expressions: u, u', u'' of all inputs, as the other functions take them. */
static mech_status emit_signals(exporter *x)
{
    const size_t count = x->model->inputs_count;
    textbuf prefix = {0};
    emit_place *places = mem_zeroed(3 * count + 1, sizeof *places);
    text_format(&prefix, "%s_signal", x->name);
    mech_status status = !places || prefix.failed ? MECH_ERR_MEMORY : MECH_OK;
    for (size_t i = 0; status == MECH_OK && i < 3 * count; i++)
        if (x->model->inputs[i / 3].signal.id) places[i] = (emit_place){"more", (uint32_t)(i % 3 * count + i / 3)};
    if (status == MECH_OK)
        status =
            motion_signals_make(x->system, &(motion_target){.prefix = prefix.data}, places, &x->signal, &x->functions);
    text_free(&prefix);
    mem_free(places);
    return status;
}

/* Triggers, then conditions of those that have one. */
static mech_status emit_triggers(exporter *x)
{
    const size_t count = x->model->events_count;
    for (size_t i = 0; i < count; i++) add_value(x, x->model->events[i].trigger, i);
    for (size_t i = 0; i < count; i++)
        if (x->model->events[i].condition.id) add_value(x, x->model->events[i].condition, count + i);
    const mech_status status = emit_list(x, "trigger", &x->trigger);
    x->event_count = status == MECH_OK ? count : 0;
    return status == MECH_ERR_UNSUPPORTED ? emit_list(x, "trigger", &x->trigger) : status; /* a function of nothing */
}

export_param export_param_kind(const exporter *x, size_t param)
{
    const model_param *p = &x->model->params[param];
    return p->is_structural ? EXPORT_FIXED : expr_classes(x->model->pool, p->value) ? EXPORT_FOLLOWS : EXPORT_FREE;
}

/* What follows from others, each at its place; the frame asks again while one follows from another that has changed. */
static mech_status emit_follow(exporter *x)
{
    for (size_t i = 0; i < x->model->params_count; i++)
        if (export_param_kind(x, i) == EXPORT_FOLLOWS) add_value(x, x->model->params[i].value, i);
    return emit_list(x, "follow", &x->follow);
}

static mech_status emit_slopes(exporter *x)
{
    textbuf prefix = {0};
    text_format(&prefix, "%s_slope", x->name);
    if (prefix.failed) return MECH_ERR_MEMORY;
    const mech_status status = motion_derivatives_make(x->system, prefix.data, &x->slope, &x->functions);
    text_free(&prefix);
    return status;
}

mech_status export_functions(exporter *x)
{
    textbuf prefix = {0};
    text_format(&prefix, "%s_fast", x->name);
    if (prefix.failed) return MECH_ERR_MEMORY;
    motion_source source = {.system = x->system, .prefix = prefix.data, .most = MOST_STATEMENTS, .with_power = 1};
    const mech_status status = motion_source_make(&source, &x->functions);
    text_free(&prefix);
    MECH_TRY(status);
    x->fast = source.size;
    list_equation(x);
    MECH_TRY(emit_list(x, "equation", &x->equation));
    for (size_t i = 0; i < x->model->outputs_count; i++) add_value(x, x->model->outputs[i].value, i);
    MECH_TRY(emit_list(x, "output", &x->output));
    MECH_TRY(emit_follow(x));
    MECH_TRY(emit_signals(x));
    MECH_TRY(emit_triggers(x));
    return x->with_jacobian ? emit_slopes(x) : MECH_OK;
}
