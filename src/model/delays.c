/* Values of an earlier time: delay(x, T). */
#include "model/model.h"

#include "base/mem.h"
#include "base/text.h"
#include "base/try.h"

#include <math.h>

static const char usage[] = "write: delay(x, T), T a positive number or made of parameters";

static mech_status check(mech_model *m, mech_expr x, mech_expr lag)
{
    double value;
    const mech_status status = model_constant(m, lag, &value);
    if (status == MECH_ERR_MEMORY) return status;
    if (status != MECH_OK) return model_error(m, usage, "the time of a delay does not change with the motion");
    if (!(value > 0) || !isfinite(value)) return model_error(m, usage, "the time of a delay is %g", value);
    if (expr_classes(m->pool, x) & (EXPR_ACCELERATION | EXPR_REACTION))
        return model_error(
            m, "delay a position, a velocity, a state or an input",
            "a delay cannot hold accelerations, reactions, active() and what follows from the whole model");
    return MECH_OK;
}

static const char *name_of(mech_model *m, mech_expr x, mech_expr lag)
{
    char *of = mech_print(m->pool, x, MECH_PRINT_TEXT), *by = mech_print(m->pool, lag, MECH_PRINT_TEXT);
    const char *name = of && by ? arena_format(&m->memory, "delay(%s, %s)", of, by) : NULL;
    mech_text_free(of);
    mech_text_free(by);
    return name;
}

mech_expr mech_model_delay(mech_model *m, mech_expr x, mech_expr lag)
{
    const mech_expr none = {0};
    if (m->is_finished) return none;
    if (!x.id || !lag.id) {
        (void)model_missing(m);
        return none;
    }
    if (check(m, x, lag) != MECH_OK) return none;
    for (size_t i = 0; i < m->delays_count; i++)
        if (m->delays[i].value.id == x.id && m->delays[i].lag.id == lag.id) return m->delays[i].symbol;
    const char *name = name_of(m, x, lag);
    const mech_expr symbol =
        name ? expr_symbol_create(m->pool, name, EXPR_INPUT, 0, (uint32_t)EXPR_DELAYED + (uint32_t)m->delays_count)
             : none;
    model_delay *d = symbol.id ? MODEL_PUSH(m, delays) : NULL;
    if (!d) {
        m->out_of_memory = 1;
        return none;
    }
    *d = (model_delay){symbol, x, lag, m->origin};
    return symbol;
}

int model_holds_delay(mech_model *m, mech_expr e)
{
    uint32_t *ids = NULL;
    size_t capacity = 0, count = 0;
    int holds = 0;
    if (m->delays_count == 0 || !e.id || !(expr_classes(m->pool, e) & EXPR_INPUT)) return 0;
    if (expr_reachable(m->pool, &e, 1, &ids, &capacity, &count) != MECH_OK) m->out_of_memory = 1;
    for (size_t i = 0; i < count && !holds; i++) {
        const mech_expr at = {ids[i]};
        holds = expr_is_symbol(m->pool, at) && expr_symbol_of(m->pool, at)->class_bit == EXPR_INPUT &&
                expr_symbol_of(m->pool, at)->index >= EXPR_DELAYED;
    }
    mem_free(ids);
    return holds;
}

static mech_status refuse(mech_model *m, mech_expr e, uint32_t origin, const char *what)
{
    if (!model_holds_delay(m, e)) return MECH_OK;
    m->origin = origin;
    return model_error(m, "it may stand in forces, rates, dissipation, laws, friction, samples, events and outputs",
                       "%s needs the rate of what stands in it, and a delayed value has none", what);
}

mech_status model_replace_delays(mech_model *m)
{
    if (m->delays_count == 0) return MECH_OK;
    for (size_t i = 0; i < m->kinetic_count; i++)
        MECH_TRY(refuse(m, m->kinetic[i].value, m->kinetic[i].origin, "an energy"));
    for (size_t i = 0; i < m->potential_count; i++)
        MECH_TRY(refuse(m, m->potential[i].value, m->potential[i].origin, "an energy"));
    for (size_t i = 0; i < m->masses_count; i++) MECH_TRY(refuse(m, m->masses[i].value, m->masses[i].origin, "a mass"));
    for (size_t i = 0; i < m->inertias_count; i++) {
        const model_inertia *k = &m->inertias[i];
        MECH_TRY(refuse(m, k->kinetic, k->origin, "an energy"));
        MECH_TRY(refuse(m, k->potential, k->origin, "an energy"));
    }
    for (size_t i = 0; i < m->rows_count; i++) {
        const model_constraint *c = &m->constraints[m->rows[i].constraint];
        MECH_TRY(refuse(m, m->rows[i].residual, c->origin, c->is_control ? "control" : "a constraint"));
    }
    for (size_t i = 0; i < m->actuators_count; i++)
        MECH_TRY(refuse(m, m->actuators[i].velocity, m->actuators[i].origin, "an actuator"));
    for (size_t i = 0; i < m->frictions_count; i++)
        for (size_t k = 0; k < m->frictions[i].count; k++)
            MECH_TRY(refuse(m, m->frictions[i].velocity[k], m->frictions[i].origin, "the velocity of friction"));
    for (size_t i = 0; i < m->initials_count; i++) {
        MECH_TRY(refuse(m, m->initials[i].target, m->initials[i].origin, "a start"));
        MECH_TRY(refuse(m, m->initials[i].value, m->initials[i].origin, "a start"));
    }
    for (size_t i = 0; i < m->steadies_count; i++) {
        MECH_TRY(refuse(m, m->steadies[i].velocity, m->steadies[i].origin, "a steady motion"));
        MECH_TRY(refuse(m, m->steadies[i].value, m->steadies[i].origin, "a steady motion"));
    }
    return m->out_of_memory ? MECH_ERR_MEMORY : MECH_OK;
}

/* ---- as states of a loop that samples ---- */

/* How x comes late by k samples: x is held, x itself and those before it; or samples alone look at it. */
typedef struct chain {
    mech_expr *state; /* (count) symbols: what x was one sample ago, two, ... */
    size_t count;
    int is_held;
} chain;

/* Made of values that are held, and of nothing else. */
static int is_held(mech_model *m, mech_expr x)
{
    uint32_t *ids = NULL;
    size_t capacity = 0, count = 0;
    int is = !(expr_classes(m->pool, x) & ~(unsigned)(EXPR_PARAM | EXPR_STATE));
    if (expr_reachable(m->pool, &x, 1, &ids, &capacity, &count) != MECH_OK) m->out_of_memory = 1;
    for (size_t i = 0; i < count && is; i++) {
        const mech_expr e = {ids[i]};
        if (!expr_is_symbol(m->pool, e) || expr_symbol_of(m->pool, e)->class_bit != EXPR_STATE) continue;
        is = m->states[expr_symbol_of(m->pool, e)->index].is_sampled;
    }
    mem_free(ids);
    return is;
}

/* Does a sampled value stand in it? */
static int holds_sampled(mech_model *m, mech_expr x)
{
    int holds = 0;
    for (size_t i = 0; i < m->states_count; i++) {
        if (!m->states[i].is_sampled) continue;
        const mech_expr zero = EXPR_ZERO;
        holds |= mech_substitute(m->pool, x, &m->states[i].symbol, &zero, 1).id != x.id;
    }
    return holds;
}

static mech_status count_samples(mech_model *m, const model_delay *d, size_t *count)
{
    double lag, period;
    m->origin = d->origin;
    MECH_TRY(model_constant(m, d->lag, &lag));
    MECH_TRY(model_constant(m, m->clocks[0].period, &period));
    const double k = round(lag / period);
    if (!(fabs(lag - k * period) <= 1e-9 * period) || k > 1000)
        return model_error(
            m, "a delay of so many samples, up to 1000, is as many values more that are held",
            "the delay of %g is no multiple of the period %g, and the map over one period does not tell it", lag,
            period);
    *count = (size_t)k;
    if (model_holds_delay(m, d->value))
        return model_error(m, "write one delay with the sum of the times", "a delay stands in another one");
    return MECH_OK;
}

static mech_status make_chain(mech_model *m, size_t which, chain *c)
{
    const model_delay d = m->delays[which];
    MECH_TRY(count_samples(m, &d, &c->count));
    c->is_held = is_held(m, d.value);
    if (!c->is_held && holds_sampled(m, d.value))
        return model_error(m, "delay each by itself", "the delay holds both what is sampled and what moves");
    c->state = mem_zeroed(c->count + 1, sizeof *c->state);
    if (!c->state) return MECH_ERR_MEMORY;
    for (size_t j = 0; j < c->count; j++) {
        const char *name = arena_format(&m->memory, "delayed%zu_%zu", which + 1, j + 1);
        c->state[j] = name ? mech_model_state(m, name, NULL) : (mech_expr){0};
        if (!c->state[j].id) return m->out_of_memory || !name ? MECH_ERR_MEMORY : MECH_ERR_MODEL;
        m->states[m->states_count - 1].is_sampled = 1;
        MECH_TRY(mech_model_initial(m, mech_sub(m->pool, c->state[j], d.value), EXPR_ZERO, 0));
    }
    return MECH_OK;
}

typedef struct exchange {
    mech_expr *symbol, *value;
    size_t count;
} exchange;

static void replace_in(mech_model *m, const exchange *x, const mech_expr *list, size_t count)
{
    mech_expr *e = (mech_expr *)(uintptr_t)list; /* the model's own */
    for (size_t i = 0; i < count; i++)
        if (e[i].id && (expr_classes(m->pool, e[i]) & EXPR_INPUT))
            e[i] = expr_replace(m->pool, e[i], x->symbol, x->value, x->count);
}

/* Everywhere but in samples. */
static void replace_in_motion(mech_model *m, const exchange *x)
{
    for (size_t i = 0; i < m->forces_count; i++) replace_in(m, x, m->forces[i].force, m->forces[i].count);
    for (size_t i = 0; i < m->dissipation_count; i++) replace_in(m, x, &m->dissipation[i].value, 1);
    for (size_t i = 0; i < m->states_count; i++) replace_in(m, x, &m->states[i].rate, 1);
    for (size_t i = 0; i < m->laws_count; i++) replace_in(m, x, m->laws[i].force, m->laws[i].count);
    for (size_t i = 0; i < m->frictions_count; i++) {
        replace_in(m, x, &m->frictions[i].mu, 1);
        replace_in(m, x, &m->frictions[i].static_mu, 1);
    }
    for (size_t i = 0; i < m->outputs_count; i++) replace_in(m, x, &m->outputs[i].value, 1);
    for (size_t i = 0; i < m->measures_count; i++) replace_in(m, x, &m->measures[i].value, 1);
    for (size_t i = 0; i < m->events_count; i++) {
        replace_in(m, x, &m->events[i].trigger, 1);
        replace_in(m, x, &m->events[i].condition, 1);
        for (size_t k = 0; k < m->events[i].action_count; k++) replace_in(m, x, &m->events[i].actions[k].value, 1);
    }
}

/* Does the motion look at it, and not only samples? */
static mech_status check_motion(mech_model *m, const model_delay *d)
{
    int looks = 0;
    const mech_expr zero = EXPR_ZERO;
#define LOOKS(e) looks |= (e).id && mech_substitute(m->pool, (e), &d->symbol, &zero, 1).id != (e).id
    for (size_t i = 0; i < m->forces_count; i++)
        for (size_t k = 0; k < m->forces[i].count; k++) LOOKS(m->forces[i].force[k]);
    for (size_t i = 0; i < m->dissipation_count; i++) LOOKS(m->dissipation[i].value);
    for (size_t i = 0; i < m->states_count; i++) LOOKS(m->states[i].rate);
    for (size_t i = 0; i < m->laws_count; i++)
        for (size_t k = 0; k < m->laws[i].count; k++) LOOKS(m->laws[i].force[k]);
#undef LOOKS
    if (!looks) return MECH_OK;
    m->origin = d->origin;
    return model_error(m, "sample it first, and delay what is held; or let samples alone look at the delay",
                       "'%s' moves between samples, and the map over one period does not tell it",
                       expr_symbol_of(m->pool, d->symbol)->name);
}

/* After the samples of an instant the first of a chain is what x was: just before them where it is held, for then it is
   that of the period that ends; at them where it moves. Samples look at the chain as it was. */
static mech_status set_rates(mech_model *m, const chain *chains)
{
    for (size_t i = 0; i < m->delays_count; i++)
        for (size_t j = 0; j < chains[i].count; j++) {
            const mech_expr from = j ? chains[i].state[j - 1] : m->delays[i].value;
            MECH_TRY(mech_model_state_rate(m, chains[i].state[j], mech_sub(m->pool, from, chains[i].state[j])));
        }
    return MECH_OK;
}

static mech_status put_chains(mech_model *m, const chain *chains, exchange *x)
{
    x->count = m->delays_count;
    for (size_t i = 0; i < x->count; i++) { /* symbols were made in this order: ascending */
        x->symbol[i] = m->delays[i].symbol;
        x->value[i] = chains[i].state[chains[i].count - 1];
        if (!chains[i].is_held) MECH_TRY(check_motion(m, &m->delays[i]));
    }
    replace_in_motion(m, x);
    for (size_t i = 0; i < x->count; i++) { /* at an instant a held value is a period younger */
        const chain *c = &chains[i];
        if (c->is_held) x->value[i] = c->count > 1 ? c->state[c->count - 2] : m->delays[i].value;
    }
    for (size_t i = 0; i < m->clocks_count; i++) replace_in(m, x, m->clocks[i].value, m->clocks[i].count);
    return mech_pool_status(m->pool);
}

mech_status model_relax_delays(mech_model *m, mech_status (*relax)(mech_model *m))
{
    const size_t count = m->delays_count;
    chain *chains = mem_zeroed(count + 1, sizeof *chains);
    exchange x = {mem_zeroed(count + 1, sizeof *x.symbol), mem_zeroed(count + 1, sizeof *x.value), 0};
    mech_status status = chains && x.symbol && x.value ? MECH_OK : MECH_ERR_MEMORY;
    const uint32_t origin = m->origin;
    for (size_t i = 0; i < count && status == MECH_OK; i++) status = make_chain(m, i, &chains[i]);
    if (status == MECH_OK) status = put_chains(m, chains, &x);
    if (status == MECH_OK) status = relax(m);
    if (status == MECH_OK) status = set_rates(m, chains);
    for (size_t i = 0; chains && i < count; i++) mem_free(chains[i].state);
    mem_free(chains);
    mem_free(x.symbol);
    mem_free(x.value);
    m->origin = origin;
    if (status == MECH_OK) m->delays_count = 0;
    return status;
}
