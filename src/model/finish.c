/* The last checks, the derivation, and reading a finished model. */
#include "model/model.h"

#include "base/mem.h"
#include "base/try.h"

#include <string.h>

/* Which coordinates stand in M, and which in A. */
static mech_status check_inertia(mech_model *m)
{
    unsigned char *seen = mem_zeroed(m->coords_count, 1);
    if (!seen) return MECH_ERR_MEMORY;
    const model_equations *e = &m->equations;
    for (size_t i = 0; i < e->M.count; i++) seen[e->M.items[i].row] = seen[e->M.items[i].column] = 1;
    for (size_t i = 0; i < e->A.count; i++) seen[e->A.items[i].column] = 1;
    mech_status status = MECH_OK;
    for (size_t i = 0; i < m->coords_count; i++) {
        if (seen[i]) continue;
        m->origin = m->coords[i].origin;
        status = model_error(m, "give it a kinetic energy, a mass or an inertia, or a constraint that determines it",
                             "coordinate '%s' has no mass and stands in no constraint: nothing determines its motion",
                             m->coords[i].name);
    }
    mem_free(seen);
    return status;
}

/* What is made of M^(1/2) or of M^-1 as a weight has no meaning where M may be indefinite. */
static mech_status check_signs(mech_model *m)
{
    mech_status status = MECH_OK;
    for (size_t i = 0; i < m->laws_count && m->allow_negative_mass; i++) {
        if (m->laws[i].kind != MECH_LAW_Z) continue;
        m->origin = m->laws[i].origin;
        status = model_error(m, "leave out the z: nonideal on NAMES: place = force, which gives C",
                             "with negative mass allowed a law cannot be given by z: M^(1/2) need not exist");
    }
    for (size_t i = 0; i < m->constraints_count && m->allow_negative_mass; i++) {
        if (!m->constraints[i].is_control || m->weight != MECH_WEIGHT_NATURE || m->actuators_count) continue;
        m->origin = m->constraints[i].origin;
        status = model_error(
            m, "add: weight identity",
            "with negative mass allowed control cannot be weighed by nature: u' M^-1 u need not have a least value");
    }
    return status;
}

static mech_status check_states(mech_model *m)
{
    mech_status status = MECH_OK;
    for (size_t i = 0; i < m->states_count; i++) {
        if (m->states[i].rate.id) continue;
        m->origin = m->states[i].origin;
        status = model_error(m, "write: state z: z' = expression", "state '%s' has no rate", m->states[i].name);
    }
    return status;
}

/* A constraint that events impose or strike, but never release, waits for them: a wall, a stop. So does one that is
   released initially, a clutch. */
static mech_status find_waiting(mech_model *m)
{
    unsigned char *released = mem_zeroed(m->constraints_count, 1);
    if (!released) return MECH_ERR_MEMORY;
    for (size_t i = 0; i < m->events_count; i++) {
        for (size_t k = 0; k < m->events[i].action_count; k++) {
            const mech_action *a = &m->events[i].actions[k];
            for (size_t c = 0; c < a->constraint_count; c++) {
                if (a->kind == MECH_ACTION_RELEASE) released[a->constraints[c]] = 1;
                else m->constraints[a->constraints[c]].waits = 1;
            }
        }
    }
    mech_status status = MECH_OK;
    for (size_t c = 0; c < m->constraints_count; c++) {
        model_constraint *k = &m->constraints[c];
        if (k->released_at && !k->waits) {
            m->origin = k->released_at == UINT32_MAX ? 0 : k->released_at;
            status = model_error(m, "leave the constraint out, or write an event that imposes it",
                                 "'%s' begins released, and no event imposes it: it would never be in force", k->name);
        }
        k->waits = k->waits && (!released[c] || k->released_at);
    }
    mem_free(released);
    return status;
}

/* The value of the last `simulate` option of that name, and where it was said. */
static int option_value(mech_model *m, const char *name, double *value, uint32_t *origin)
{
    for (size_t i = m->options_count; i-- > 0;) {
        if (strcmp(m->options[i].name, name) != 0 || !m->options[i].value.id) continue;
        *origin = m->options[i].origin;
        return model_constant(m, m->options[i].value, value) == MECH_OK;
    }
    return 0;
}

static mech_status check_span(mech_model *m)
{
    double from = 0, until;
    uint32_t origin = 0;
    option_value(m, "from", &from, &origin);
    if (!option_value(m, "until", &until, &origin) || until > from) return MECH_OK;
    m->origin = origin;
    return model_error(m, "simulate from 0 until 10", "the run would end (until %g) before it begins (from %g)", until,
                       from);
}

const char model_too_large[] = "the expressions of this model are too large";

static mech_status finish(mech_model *m)
{
    if (m->is_finished) return MECH_ERR_ARGUMENT;
    if (mech_pool_status(m->pool) != MECH_OK) return mech_pool_status(m->pool);
    if (m->out_of_memory) return MECH_ERR_MEMORY;
    if (mech_diagnostics_error_count(m->diagnostics)) return MECH_ERR_MODEL;
    if (m->coords_count == 0)
        return model_error(m, "declare the coordinates of the system: coord x, y", "the model has no coordinates");
    MECH_TRY(model_check_degrees(m));
    MECH_TRY(model_replace_delays(m));
    MECH_TRY(model_replace_sampled(m));
    MECH_TRY(check_states(m));
    MECH_TRY(check_signs(m));
    MECH_TRY(check_span(m));
    MECH_TRY(model_make_contacts(m));
    MECH_TRY(find_waiting(m));
    MECH_TRY(model_derive(m));
    MECH_TRY(model_replace_totals(m));
    MECH_TRY(check_inertia(m));
    MECH_TRY(model_test_integrable(m));
    if (diagnostics_failed(m->diagnostics) || m->out_of_memory) return MECH_ERR_MEMORY;
    MECH_TRY(mech_pool_status(m->pool));
    m->is_finished = 1;
    return MECH_OK;
}

mech_status mech_model_finish(mech_model *m)
{
    const mech_status status = finish(m);
    if (status == MECH_ERR_LIMIT && mech_pool_status(m->pool) == MECH_ERR_LIMIT)
        diagnostics_add(m->diagnostics, MECH_SEVERITY_ERROR, MECH_ERR_LIMIT, model_span(m, m->origin),
                        "where a long product or sum is used in the next, and so on, write fewer of them", "%s",
                        model_too_large);
    return status;
}

size_t mech_model_coord_count(const mech_model *m) { return m->coords_count; }
size_t mech_model_param_count(const mech_model *m) { return m->params_count; }
size_t mech_model_row_count(const mech_model *m) { return m->rows_count; }
size_t mech_model_constraint_count(const mech_model *m) { return m->constraints_count; }

const char *mech_model_coord_name(const mech_model *m, size_t i)
{
    return i < m->coords_count ? m->coords[i].name : NULL;
}
const char *mech_model_param_name(const mech_model *m, size_t i)
{
    return i < m->params_count ? m->params[i].name : NULL;
}
const char *mech_model_constraint_name(const mech_model *m, size_t i)
{
    return i < m->constraints_count ? m->constraints[i].name : NULL;
}

mech_expr mech_model_M(const mech_model *m, size_t i, size_t j)
{
    return model_entry_at(&m->equations.M, i > j ? i : j, i > j ? j : i);
}

mech_expr mech_model_Q(const mech_model *m, size_t i)
{
    return m->is_finished && i < m->coords_count ? m->equations.Q[i] : (mech_expr){0};
}

mech_expr mech_model_A(const mech_model *m, size_t row, size_t j) { return model_entry_at(&m->equations.A, row, j); }

mech_expr mech_model_b(const mech_model *m, size_t row)
{
    return m->is_finished && row < m->rows_count ? m->equations.b[row] : (mech_expr){0};
}

mech_expr mech_model_a(const mech_model *m, size_t row, size_t j)
{
    if (!m->is_finished || row >= m->rows_count || !m->equations.a0[row].id) return (mech_expr){0};
    return model_entry_at(&m->equations.A, row, j);
}

mech_expr mech_model_a0(const mech_model *m, size_t row)
{
    return m->is_finished && row < m->rows_count ? m->equations.a0[row] : (mech_expr){0};
}
