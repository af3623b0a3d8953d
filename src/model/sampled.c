/* Values that are held between samples, and the clocks that set them. */
#include "model/model.h"

#include "base/mem.h"
#include "base/try.h"

#include <math.h>

mech_expr mech_model_sampled(mech_model *m, const char *name, mech_expr value, const char *unit)
{
    const mech_expr none = {0};
    if (!value.id) {
        (void)model_missing(m);
        return none;
    }
    const mech_expr symbol = mech_model_state(m, name, unit);
    if (!symbol.id || mech_model_state_rate(m, symbol, EXPR_ZERO) != MECH_OK) return none;
    m->states[m->states_count - 1].is_sampled = 1;
    return mech_model_initial(m, symbol, value, 1) == MECH_OK ? symbol : none;
}

static mech_status check_time(mech_model *m, mech_expr e, const char *what, int is_period)
{
    double value;
    const mech_status status = model_constant(m, e, &value);
    if (status == MECH_ERR_MEMORY) return status;
    if (status != MECH_OK)
        return model_error(m, "it may hold numbers and parameters", "%s of 'every' does not change with the motion",
                           what);
    if (!isfinite(value) || (is_period && !(value > 0)))
        return model_error(m, "write: every 0.01 { set u = ... }", "%s of 'every' is %g", what, value);
    return MECH_OK;
}

static const model_state *sampled_state(const mech_model *m, mech_expr e)
{
    if (!e.id || !expr_is_symbol(m->pool, e) || expr_symbol_of(m->pool, e)->class_bit != EXPR_STATE) return NULL;
    const model_state *s = &m->states[expr_symbol_of(m->pool, e)->index];
    return s->is_sampled ? s : NULL;
}

mech_status mech_model_every(mech_model *m, mech_expr period, mech_expr from, const mech_expr *sampled,
                             const mech_expr *values, size_t count)
{
    if (m->is_finished) return MECH_ERR_ARGUMENT;
    MODEL_NEED(period);
    MECH_TRY(check_time(m, period, "the period", 1));
    if (from.id) MECH_TRY(check_time(m, from, "the first instant", 0));
    for (size_t i = 0; i < count; i++) {
        MODEL_NEED(sampled[i]);
        MODEL_NEED(values[i]);
        if (!sampled_state(m, sampled[i]))
            return model_error(m, "declare it: sampled u = 0; an event sets coordinates, velocities and states",
                               "'every' sets values that are sampled");
        for (size_t k = 0; k < i; k++)
            if (sampled[k].id == sampled[i].id)
                return model_error(m, "all values of a block are taken before any is set: write it once",
                                   "'%s' is set twice", expr_symbol_of(m->pool, sampled[i])->name);
    }
    model_clock clock = {
        period,   from.id ? from : EXPR_ZERO, model_copy(m, sampled, count), model_copy(m, values, count), count,
        m->origin};
    model_clock *place = m->out_of_memory ? NULL : MODEL_PUSH(m, clocks);
    if (!place) return MECH_ERR_MEMORY;
    *place = clock;
    return MECH_OK;
}

mech_status mech_model_read_sampled(mech_model *m, mech_sampled_reading how)
{
    if (m->is_finished) return MECH_ERR_ARGUMENT;
    m->sampled_reading = how;
    return MECH_OK;
}

/* Does it hold a sampled value? */
static const model_state *sampled_in(mech_model *m, mech_expr e)
{
    uint32_t *ids = NULL;
    size_t capacity = 0, count = 0;
    const model_state *found = NULL;
    if (!e.id || !(expr_classes(m->pool, e) & EXPR_STATE)) return NULL;
    if (expr_reachable(m->pool, &e, 1, &ids, &capacity, &count) != MECH_OK) m->out_of_memory = 1;
    for (size_t i = 0; i < count && !found; i++) found = sampled_state(m, (mech_expr){ids[i]});
    mem_free(ids);
    return found;
}

const char *model_sampled_name(mech_model *m, mech_expr e)
{
    const model_state *s = sampled_in(m, e);
    return s ? s->name : NULL;
}

static mech_status refuse_mass(mech_model *m, mech_expr e, uint32_t origin)
{
    const model_state *s = sampled_in(m, e);
    if (!s) return MECH_OK;
    m->origin = origin;
    return model_error(m, "it may stand in forces, potentials, constraints and rates",
                       "the sampled value '%s' jumps, and a mass that jumps leaves open what the velocities do",
                       s->name);
}

static mech_status check_masses(mech_model *m)
{
    for (size_t i = 0; i < m->kinetic_count; i++) MECH_TRY(refuse_mass(m, m->kinetic[i].value, m->kinetic[i].origin));
    for (size_t i = 0; i < m->masses_count; i++) MECH_TRY(refuse_mass(m, m->masses[i].value, m->masses[i].origin));
    for (size_t i = 0; i < m->inertias_count; i++)
        MECH_TRY(refuse_mass(m, m->inertias[i].kinetic, m->inertias[i].origin));
    return MECH_OK;
}

static mech_status check_relaxed(mech_model *m, mech_expr sampled, mech_expr value)
{
    if (!(expr_classes(m->pool, value) & (EXPR_ACCELERATION | EXPR_REACTION))) return MECH_OK;
    return model_error(
        m, "write it by coordinates and velocities; mech run takes it as it is",
        "the sampled value '%s' looks at accelerations or reactions, and no matrix is made of such a loop",
        expr_symbol_of(m->pool, sampled)->name);
}

/* The rate of each sampled value as what it becomes at an instant, by all clocks in their order, less what it is. */
static mech_status relax(mech_model *m)
{
    const size_t count = m->states_count;
    mech_expr *symbol = mem_zeroed(count + 1, sizeof *symbol), *now = mem_zeroed(count + 1, sizeof *now),
              *next = mem_zeroed(count + 1, sizeof *next);
    mech_status status = symbol && now && next ? MECH_OK : MECH_ERR_MEMORY;
    for (size_t i = 0; i < count && status == MECH_OK; i++) symbol[i] = now[i] = m->states[i].symbol;
    for (size_t c = 0; c < m->clocks_count && status == MECH_OK; c++) {
        const model_clock *k = &m->clocks[c];
        for (size_t i = 0; i < k->count; i++) next[i] = mech_substitute(m->pool, k->value[i], symbol, now, count);
        for (size_t i = 0; i < k->count; i++) now[expr_symbol_of(m->pool, k->sampled[i])->index] = next[i];
    }
    for (size_t i = 0; i < count && status == MECH_OK; i++) {
        if (!m->states[i].is_sampled) continue;
        m->origin = m->states[i].origin;
        status = check_relaxed(m, symbol[i], now[i]);
        if (status == MECH_OK) status = mech_model_state_rate(m, symbol[i], mech_sub(m->pool, now[i], symbol[i]));
    }
    mem_free(symbol);
    mem_free(now);
    mem_free(next);
    return status;
}

mech_status model_replace_sampled(mech_model *m)
{
    MECH_TRY(check_masses(m));
    if (m->sampled_reading != MECH_SAMPLED_RELAXED) return MECH_OK;
    m->primed_count = 0; /* for runs alone */
    return m->clocks_count ? model_relax_delays(m, relax) : relax(m);
}
