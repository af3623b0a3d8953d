/* The sections of a model: which expressions stand in each. */
#include "system/compiled.h"

#include "base/mem.h"
#include "base/try.h"

/* ---- adding to the section at work ---- */

void collect_add(collector *c, uint8_t stage, mech_expr value, size_t row, size_t column)
{
    if (c->status != MECH_OK) return;
    if (!mem_grow(&c->items, &c->capacity[0], c->count + 1, sizeof *c->items) ||
        !mem_grow(&c->row, &c->capacity[1], c->count + 1, sizeof *c->row) ||
        !mem_grow(&c->column, &c->capacity[2], c->count + 1, sizeof *c->column)) {
        c->status = MECH_ERR_MEMORY;
        return;
    }
    c->items[c->count] = (program_output){value, stage};
    c->row[c->count] = (uint32_t)row;
    c->column[c->count++] = (uint32_t)column;
}

static void add_at(collector *c, system_section section, mech_expr value, size_t row, size_t column)
{
    collect_add(c, (uint8_t)system_sections[section].stage, value, row, column);
}

static void add(collector *c, system_section section, mech_expr value) { add_at(c, section, value, 0, 0); }

static void add_vector(collector *c, system_section section, const mech_expr *values, size_t count)
{
    for (size_t i = 0; i < count; i++) add(c, section, values[i]);
}

static void add_entries(collector *c, system_section section, const model_entries *entries)
{
    for (size_t i = 0; i < entries->count; i++)
        add_at(c, section, entries->items[i].value, entries->items[i].row, entries->items[i].column);
}

void collect_gradient(collector *c, mech_expr e, unsigned classes)
{
    c->gradient.count = 0;
    if (c->status != MECH_OK || !e.id || !(expr_classes(c->model->pool, e) & classes)) return;
    c->status = expr_gradient_of(c->model->pool, e, classes, &c->gradient);
}

/* The column of a symbol; SIZE_MAX for active(), which only jumps. */
static size_t column_of(const collector *c, mech_expr e)
{
    const mech_model *m = c->model;
    const expr_symbol *s = expr_symbol_of(m->pool, e);
    switch (s->class_bit) {
    case EXPR_COORD: return c->columns.q + s->index;
    case EXPR_VELOCITY: return c->columns.v + s->index;
    case EXPR_ACCELERATION: return c->columns.a + s->index;
    case EXPR_STATE: return c->columns.z + s->index;
    case EXPR_INPUT:
        if (s->index >= EXPR_DELAYED) return SIZE_MAX; /* known, as far as this instant goes */
        return (s->order == 0 ? c->columns.u : s->order == 1 ? c->columns.u_dot : c->columns.u_ddot) + s->index;
    case EXPR_TIME: return c->columns.t;
    case EXPR_PARAM: return c->columns.p + s->index;
    default: break;
    }
    if (s->index < m->rows_count && m->rows[s->index].lambda.id == e.id) return c->columns.lambda + s->index;
    if (s->index < m->rows_count && c->reaction[s->index].id == e.id) return c->columns.reaction + s->index;
    return SIZE_MAX;
}

void collect_partials(collector *c, uint8_t stage, mech_expr value, size_t row, unsigned classes)
{
    collect_gradient(c, value, classes);
    for (size_t i = 0; i < c->gradient.count; i++) {
        const size_t column = column_of(c, c->gradient.items[i].symbol);
        if (column != SIZE_MAX) collect_add(c, stage, c->gradient.items[i].derivative, row, column);
    }
}

/* ---- gains: later statements take the place of earlier ones on the same rows ---- */

/* Rows a statement speaks of, in order, that no later statement took. */
static size_t rows_of(const mech_model *m, const model_stabilize *s, size_t *rows)
{
    size_t count = 0;
    if (s->constraint_count == 0)
        for (size_t i = 0; i < m->rows_count; i++) rows[count++] = i;
    for (size_t k = 0; k < s->constraint_count; k++) {
        const model_constraint *owner = &m->constraints[s->constraints[k]];
        for (size_t i = 0; i < owner->row_count; i++) rows[count++] = owner->first_row + i;
    }
    return count;
}

static void add_gain(collector *c, system_section section, const mech_expr *gain, size_t gain_count, const size_t *rows,
                     size_t count, const unsigned char *taken)
{
    if (gain_count == 0 || !gain[0].id) return;
    const int is_full = gain_count == count * count && count > 1;
    for (size_t j = 0; j < count; j++) {
        for (size_t i = is_full ? 0 : j; i < (is_full ? count : j + 1); i++) {
            if (taken[rows[i]] || taken[rows[j]]) continue;
            const mech_expr value = is_full ? gain[i + count * j] : gain_count == 1 ? gain[0] : gain[j];
            const unsigned classes = expr_classes(c->model->pool, value);
            c->system->gains_use_params |= (classes & EXPR_PARAM) != 0;
            c->system->gains_use_state |= (classes & ~(unsigned)EXPR_PARAM) != 0;
            add_at(c, section, value, rows[i], rows[j]);
        }
    }
}

static void collect_gains(collector *c, system_section section)
{
    const mech_model *m = c->model;
    size_t *rows = mem_zeroed(m->rows_count, sizeof *rows);
    unsigned char *taken = mem_zeroed(m->rows_count, 1);
    if (!rows || !taken) c->status = MECH_ERR_MEMORY;
    for (size_t k = m->stabilizers_count; k-- > 0 && c->status == MECH_OK;) {
        const model_stabilize *s = &m->stabilizers[k];
        const size_t count = s->damping_count + s->stiffness_count ? rows_of(m, s, rows) : 0;
        if (section == SECTION_DAMPING) add_gain(c, section, s->damping, s->damping_count, rows, count, taken);
        else add_gain(c, section, s->stiffness, s->stiffness_count, rows, count, taken);
        for (size_t i = 0; i < count; i++) taken[rows[i]] = 1;
    }
    mem_free(rows);
    mem_free(taken);
}

/* ---- friction, laws, targets ---- */

static void collect_friction(collector *c, system_section section)
{
    const mech_model *m = c->model;
    size_t row = 0;
    for (size_t k = 0; k < m->frictions_count; k++) {
        const model_friction *f = &m->frictions[k];
        if (section == SECTION_MU) add(c, section, f->mu);
        if (section == SECTION_STATIC_MU) add(c, section, f->static_mu.id ? f->static_mu : f->mu);
        for (size_t i = 0; i < f->count; i++, row++) {
            const mech_expr V = f->velocity[i];
            if (section == SECTION_SLIP) add(c, section, V);
            if (section == SECTION_SLIP_B) add(c, section, mech_neg(m->pool, expr_dot_free(m->pool, V)));
            if (section != SECTION_SLIP_A) continue;
            collect_gradient(c, V, EXPR_VELOCITY);
            for (size_t p = 0; p < c->gradient.count; p++) {
                const expr_partial *partial = &c->gradient.items[p];
                add_at(c, section, partial->derivative, row, expr_symbol_of(m->pool, partial->symbol)->index);
            }
        }
    }
}

/* By the total multipliers; active() is a symbol of the same class and does not count. A law may follow multipliers
   without a slope by them, as if(reaction(a) > 1, 2, 0) does. */
static void collect_law_derivatives(collector *c, system_section section)
{
    const mech_model *m = c->model;
    const model_entries *C = &m->equations.C;
    for (size_t k = 0; k < C->count && c->status == MECH_OK; k++) {
        const mech_expr value = C->items[k].value;
        mech_law *law = &c->system->laws[C->items[k].column];
        int looks_at_one = 0, looks_at_total = 0;
        c->status = model_holds_multiplier(m, value, &looks_at_one);
        if (c->status == MECH_OK && looks_at_one) c->status = model_holds_total_multiplier(m, value, &looks_at_total);
        law->uses_reaction |= looks_at_one;
        law->uses_ideal_only &= !looks_at_total;
        collect_gradient(c, value, EXPR_REACTION);
        for (size_t p = 0; p < c->gradient.count; p++) {
            const mech_expr symbol = c->gradient.items[p].symbol;
            const size_t row = expr_symbol_of(m->pool, symbol)->index;
            if (row < m->rows_count && m->rows[row].reaction.id == symbol.id)
                add_at(c, section, c->gradient.items[p].derivative, k, row);
        }
    }
}

static void collect_energy(collector *c, system_section section)
{
    const model_equations *e = &c->model->equations;
    const mech_expr values[ENERGY_COUNT] = {e->kinetic, e->potential, e->dissipation, e->energy, e->power};
    add_vector(c, section, values, ENERGY_COUNT);
}

static void collect_measure_kinks(collector *c)
{
    mech_expr *list = NULL;
    size_t count = 0;
    if (c->status == MECH_OK) c->status = compiled_measure_kinks(c->model, &list, &count);
    add_vector(c, SECTION_MEASURE_KINK, list, c->status == MECH_OK ? count : 0);
    mem_free(list);
}

/* One value of each item of a list of the model. */
#define ADD_EACH(list, value)                                                                                          \
    for (size_t k = 0; k < m->list##_count; k++) add(c, s, m->list[k].value)

static void collect_section(collector *c, system_section s)
{
    const mech_model *m = c->model;
    const model_equations *e = &m->equations;
    const size_t n = m->coords_count, rows = m->rows_count;
    switch (s) {
    case SECTION_R: add_vector(c, s, e->r, rows); break;
    case SECTION_A: add_entries(c, s, &e->A); break;
    case SECTION_GRADIENT:
        if (e->gradient) add_vector(c, s, e->gradient, e->A.count);
        break;
    case SECTION_M: add_entries(c, s, &e->M); break;
    case SECTION_G: add_entries(c, s, &e->G); break;
    case SECTION_W: add_vector(c, s, m->given_weight, m->given_weight_size); break;
    case SECTION_DAMPING:
    case SECTION_STIFFNESS: collect_gains(c, s); break;
    case SECTION_Q: add_vector(c, s, e->Q, n); break;
    case SECTION_B: add_vector(c, s, e->b, rows); break;
    case SECTION_R_DOT: add_vector(c, s, e->r_dot, rows); break;
    case SECTION_A0: add_vector(c, s, e->a0, rows); break;
    case SECTION_RATE: ADD_EACH(states, rate); break;
    case SECTION_MU:
    case SECTION_STATIC_MU:
    case SECTION_SLIP:
    case SECTION_SLIP_A:
    case SECTION_SLIP_B: collect_friction(c, s); break;
    case SECTION_C: add_entries(c, s, &e->C); break;
    case SECTION_C_REACTION: collect_law_derivatives(c, s); break;
    case SECTION_TRIGGER: ADD_EACH(events, trigger); break;
    case SECTION_CONDITION:
        for (size_t k = 0; k < m->events_count; k++)
            add(c, s, m->events[k].condition.id ? m->events[k].condition : EXPR_ONE);
        break;
    case SECTION_DELAYED: ADD_EACH(delays, value); break;
    case SECTION_LAG: ADD_EACH(delays, lag); break;
    case SECTION_MOMENTUM: add_entries(c, s, &e->momentum); break;
    case SECTION_SETTABLE: add_entries(c, s, &e->settable); break;
    case SECTION_PRIMED: add_vector(c, s, m->primed, m->primed_count); break;
    case SECTION_OUTPUT: ADD_EACH(outputs, value); break;
    case SECTION_MEASURE: ADD_EACH(measures, value); break;
    case SECTION_MEASURE_KINK: collect_measure_kinks(c); break;
    case SECTION_ENERGY: collect_energy(c, s); break;
    case SECTION_TARGET: ADD_EACH(initials, target); break;
    case SECTION_TARGET_VALUE: ADD_EACH(initials, value); break;
    case SECTION_TARGET_GRADIENT:
        for (size_t k = 0; k < m->initials_count; k++)
            collect_partials(c, STAGE_START, m->initials[k].target, k, EXPR_COORD | EXPR_VELOCITY | EXPR_STATE);
        break;
    case SECTION_STEADY: ADD_EACH(steadies, velocity); break;
    case SECTION_STEADY_VALUE: ADD_EACH(steadies, value); break;
    case SECTION_ACTION:
        for (size_t k = 0; k < m->events_count; k++)
            for (size_t i = 0; i < m->events[k].action_count; i++) add(c, s, m->events[k].actions[i].value);
        break;
    case SECTION_OPTION: ADD_EACH(options, value); break;
    case SECTION_CLOCK:
        for (size_t k = 0; k < m->clocks_count; k++) {
            add(c, s, m->clocks[k].period);
            add(c, s, m->clocks[k].from);
        }
        break;
    case SECTION_SAMPLE:
        for (size_t k = 0; k < m->clocks_count; k++) add_vector(c, s, m->clocks[k].value, m->clocks[k].count);
        break;
    case SECTION_COUNT: break;
    }
}
#undef ADD_EACH

void collect_place(const collector *c, system_part *part, size_t first)
{
    if (c->count) {
        part->row = c->row + part->first;
        part->column = c->column + part->first;
    }
    part->first += first;
}

mech_status collect_sections(collector *c)
{
    for (int s = 0; s < SECTION_COUNT && c->status == MECH_OK; s++) {
        system_part *part = &c->system->parts[s];
        part->first = c->count;
        collect_section(c, (system_section)s);
        part->count = c->count - part->first;
    }
    return c->status == MECH_OK ? mech_pool_status(c->model->pool) : c->status;
}

void collect_free(collector *c)
{
    mem_free(c->items);
    mem_free(c->row);
    mem_free(c->column);
    expr_gradient_free(&c->gradient);
}
