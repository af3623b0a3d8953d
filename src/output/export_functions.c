/* Exported C: the functions of the model, one pair for each kind of value. */
#include "output/export.h"

#include "base/mem.h"
#include "base/try.h"
#include "system/compiled.h"

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

mech_expr export_section_value(const exporter *x, system_section section, size_t i)
{
    return compiled_value(x->system->compiled, x->system->parts[section].first + i);
}

int export_gain_counts(const exporter *x, system_section section, size_t i)
{
    return mech_system_row(x->system, x->system->parts[section].row[i]).is_control;
}

size_t export_control_forces(const exporter *x)
{
    return x->model->actuators_count ? x->model->actuators_count : x->model->coords_count;
}

size_t export_all_rows(const exporter *x) { return x->model->rows_count + x->system->sizes.friction_rows; }

static size_t list_section(exporter *x, system_section section, size_t first)
{
    const int is_gain = section == SECTION_DAMPING || section == SECTION_STIFFNESS;
    for (size_t i = 0; i < x->system->parts[section].count; i++)
        if (!is_gain || export_gain_counts(x, section, i)) add_value(x, export_section_value(x, section, i), first++);
    return first;
}

/* What the motion with all its forces needs beside the others: rates of the states; gains, directions and weight of
   control; coefficients and velocities of friction. */
static size_t list_forces(exporter *x, size_t first)
{
    x->at_rate = first;
    for (size_t i = 0; i < x->model->states_count; i++) add_value(x, x->model->states[i].rate, first++);
    if (x->with_control) {
        first = list_section(x, SECTION_DAMPING, x->at_damping = first);
        first = list_section(x, SECTION_STIFFNESS, x->at_stiffness = first);
        first = list_section(x, SECTION_G, x->at_G = first);
        first = list_section(x, SECTION_W, x->at_W = first);
    }
    if (!x->with_friction) return first;
    first = list_section(x, SECTION_MU, x->at_mu = first);
    first = list_section(x, SECTION_STATIC_MU, x->at_static = first);
    first = list_section(x, SECTION_SLIP, x->at_slip = first);
    first = list_section(x, SECTION_SLIP_A, x->at_slip_A = first);
    return list_section(x, SECTION_SLIP_B, x->at_slip_b = first);
}

/* M (n x n), A (m x n), Q, b, r, r', entries of C or what list_forces lists, power: one after the other. */
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
    for (size_t i = 0; i < e->C.count && !x->with_forces; i++) add_value(x, e->C.items[i].value, first++);
    if (x->with_forces) first = list_forces(x, first);
    add_value(x, e->power, first++);
    x->equation_count = first;
}

static mech_status emit_list(exporter *x, const char *kind, emit_result *size)
{
    textbuf prefix = {0};
    text_format(&prefix, "%s_%s", x->name, kind);
    mech_status status = x->status != MECH_OK || prefix.failed ? MECH_ERR_MEMORY : MECH_OK;
    if (status == MECH_OK)
        status = motion_values_make(x->system, &(motion_target){.prefix = prefix.data, .with_forces = x->with_forces},
                                    x->values, x->places, x->count, size, &x->functions);
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
        status = motion_program_make(x->system, x->system->compiled->signals, &(motion_target){.prefix = prefix.data},
                                     places, &x->signal, &x->functions);
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
    return emit_list(x, "trigger", &x->trigger);
}

/* Entries of C, then their derivatives by the total multipliers. */
static mech_status emit_laws(exporter *x)
{
    const model_entries *C = &x->model->equations.C;
    for (size_t i = 0; i < C->count; i++) add_value(x, C->items[i].value, i);
    (void)list_section(x, SECTION_C_REACTION, C->count);
    return emit_list(x, "law", &x->law);
}

/* The acceleration at once, by a plan. */
static mech_status emit_fast(exporter *x)
{
    textbuf prefix = {0};
    text_format(&prefix, "%s_fast", x->name);
    if (prefix.failed) return MECH_ERR_MEMORY;
    motion_source source = {.system = x->system, .prefix = prefix.data, .most = MOST_STATEMENTS, .with_power = 1};
    const mech_status status = motion_source_make(&source, &x->functions);
    text_free(&prefix);
    x->fast = source.size;
    return status;
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
    if (!x->with_forces) MECH_TRY(emit_fast(x));
    else if (x->model->equations.C.count) MECH_TRY(emit_laws(x));
    list_equation(x);
    MECH_TRY(emit_list(x, "equation", &x->equation));
    for (size_t i = 0; i < x->model->outputs_count; i++) add_value(x, x->model->outputs[i].value, i);
    MECH_TRY(emit_list(x, "output", &x->output));
    MECH_TRY(emit_follow(x));
    MECH_TRY(emit_signals(x));
    MECH_TRY(emit_triggers(x));
    return x->with_jacobian ? emit_slopes(x) : MECH_OK;
}
