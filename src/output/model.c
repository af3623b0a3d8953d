/* What the user said, item by item: `mech check --dump=model`. */
#include "output/equations.h"

static void put(const mech_model *m, mech_expr e, textbuf *out)
{
    char *text = mech_print(m->pool, e, MECH_PRINT_TEXT);
    if (text) text_add(out, text);
    else out->failed = 1;
    mech_text_free(text);
}

static void put_place(const mech_model *m, uint32_t origin, textbuf *out)
{
    const int line = diagnostics_line(m->diagnostics, model_span(m, origin));
    if (line) text_format(out, "   # line %d", line);
    const size_t loops = origin ? m->origins[origin - 1].index_count : 0;
    for (size_t i = 0; i < loops; i++)
        text_format(out, "%s%lld", i ? ", " : "; turn ", (long long)m->origins[origin - 1].indices[i]);
    text_add_char(out, '\n');
}

static void put_terms(const mech_model *m, const char *word, const model_term *terms, size_t count, textbuf *out)
{
    for (size_t i = 0; i < count; i++) {
        text_format(out, "%s ", word);
        put(m, terms[i].value, out);
        put_place(m, terms[i].origin, out);
    }
}

static void put_symbols(const mech_model *m, textbuf *out)
{
    for (size_t i = 0; i < m->params_count; i++) {
        text_format(out, "param %s = ", m->params[i].name);
        put(m, m->params[i].value, out);
        if (m->params[i].unit) text_format(out, " \"%s\"", m->params[i].unit);
        if (m->params[i].is_structural) text_add(out, "   (structural)");
        put_place(m, m->params[i].origin, out);
    }
    for (size_t i = 0; i < m->coords_count; i++) {
        text_format(out, "coord %s", m->coords[i].name);
        if (m->coords[i].unit) text_format(out, " \"%s\"", m->coords[i].unit);
        put_place(m, m->coords[i].origin, out);
    }
    for (size_t i = 0; i < m->states_count; i++) {
        text_format(out, "state %s: %s' = ", m->states[i].name, m->states[i].name);
        put(m, m->states[i].rate, out);
        put_place(m, m->states[i].origin, out);
    }
    for (size_t i = 0; i < m->inputs_count; i++) {
        text_format(out, "input %s = ", m->inputs[i].name);
        if (m->inputs[i].signal.id) put(m, m->inputs[i].signal, out);
        else
            text_format(out, "file \"%s\" column \"%s\"%s", m->inputs[i].file, m->inputs[i].column,
                        m->inputs[i].is_held ? " held" : "");
        put_place(m, m->inputs[i].origin, out);
    }
}

static void put_inertia(const mech_model *m, const model_inertia *t, textbuf *out)
{
    for (size_t i = 0, k = 0; i < t->count; i++) {
        for (size_t j = 0; j <= i; j++, k++) {
            if (expr_is_zero(t->mass[k])) continue;
            text_format(out, "inertia [%s, %s] = ", m->coords[t->coords[i]].name, m->coords[t->coords[j]].name);
            put(m, t->mass[k], out);
            put_place(m, t->origin, out);
        }
        if (expr_is_zero(t->force[i])) continue;
        text_format(out, "inertia force on %s' = ", m->coords[t->coords[i]].name);
        put(m, t->force[i], out);
        put_place(m, t->origin, out);
    }
    put_terms(m, "inertia kinetic", &(model_term){t->kinetic, t->origin}, 1, out);
    put_terms(m, "inertia potential", &(model_term){t->potential, t->origin}, !expr_is_zero(t->potential), out);
}

static void put_forces(const mech_model *m, textbuf *out)
{
    for (size_t i = 0; i < m->inertias_count; i++) put_inertia(m, &m->inertias[i], out);
    for (size_t i = 0; i < m->masses_count; i++) {
        text_format(out, "mass [%s, %s] = ", m->coords[m->masses[i].i].name, m->coords[m->masses[i].j].name);
        put(m, m->masses[i].value, out);
        put_place(m, m->masses[i].origin, out);
    }
    for (size_t i = 0; i < m->forces_count; i++) {
        for (size_t k = 0; k < m->forces[i].count; k++) {
            text_add(out, "force ");
            put(m, m->forces[i].force[k], out);
            text_add(out, " on ");
            put(m, m->forces[i].velocity[k], out);
            put_place(m, m->forces[i].origin, out);
        }
    }
}

static void put_constraints(const mech_model *m, textbuf *out)
{
    for (size_t row = 0; row < m->rows_count; row++) {
        const model_constraint *c = &m->constraints[m->rows[row].constraint];
        text_add(out, c->is_control ? "control " : "constraint ");
        equations_row_name(m, row, out);
        text_add(out, ": ");
        put(m, m->rows[row].residual, out);
        text_format(out, " %s 0   (", c->side ? c->side > 0 ? ">=" : "<=" : "=");
        equations_row_kind(m, row, out);
        text_add_char(out, ')');
        put_place(m, c->origin, out);
    }
}

static void put_values(const mech_model *m, textbuf *out)
{
    for (size_t i = 0; i < m->initials_count; i++) {
        text_add(out, m->initials[i].is_fixed ? "initial " : "guess ");
        put(m, m->initials[i].target, out);
        text_add(out, " = ");
        put(m, m->initials[i].value, out);
        put_place(m, m->initials[i].origin, out);
    }
    for (size_t i = 0; i < m->outputs_count; i++) {
        text_format(out, "output %s = ", m->outputs[i].name);
        put(m, m->outputs[i].value, out);
        put_place(m, m->outputs[i].origin, out);
    }
    for (size_t i = 0; i < m->measures_count; i++) {
        const model_measure *one = &m->measures[i];
        text_format(out, "measure %s: %s of ", one->name, mech_measure_word(one->kind));
        if (one->event == SIZE_MAX) put(m, one->value, out);
        else text_add(out, m->events[one->event].name);
        put_place(m, one->origin, out);
    }
    for (size_t i = 0; i < m->events_count; i++) {
        static const char *const directions[] = {"rises", "falls", "crosses"};
        if (m->events[i].contact) continue;
        text_format(out, "event %s: ", m->events[i].name);
        put(m, m->events[i].trigger, out);
        text_format(out, " %s through 0, %zu actions", directions[m->events[i].direction], m->events[i].action_count);
        put_place(m, m->events[i].origin, out);
    }
}

mech_status mech_report_model(const mech_model *m, char **text)
{
    textbuf out = {0};
    put_symbols(m, &out);
    put_terms(m, "kinetic", m->kinetic, m->kinetic_count, &out);
    put_terms(m, "potential", m->potential, m->potential_count, &out);
    put_terms(m, "dissipation", m->dissipation, m->dissipation_count, &out);
    put_forces(m, &out);
    put_constraints(m, &out);
    put_values(m, &out);
    *text = text_take(&out);
    return *text ? MECH_OK : MECH_ERR_MEMORY;
}
