/* What is set between evaluations: parameters, states, signals, which constraints are in force, options. */
#include "system/system.h"

#include "base/visit.h"
#include "base/try.h"

#include <math.h>
#include <string.h>

static mech_status refuse(mech_eval *e, const char *why) { return system_failed(e, MECH_ERR_ARGUMENT, why); }

static mech_status refuse_param(mech_eval *e, mech_status status, size_t param)
{
    (void)system_failed(e, status, NULL);
    e->failed_param = param;
    return status;
}

static mech_status check_lock(mech_eval *e) { return e->lock ? refuse(e, e->lock) : MECH_OK; }

/* Parameters that callers changed: those that follow from them, and all that was computed. */
static mech_status params_changed(mech_eval *e)
{
    e->changes.params++;
    e->system->kind->follow(e->system, e->slots, e->scratch, e->param_is_set);
    system_stale_from(e, STAGE_PARAMETER);
    return MECH_OK;
}

static mech_status inputs_changed(mech_eval *e)
{
    e->changes.others++;
    system_stale_from(e, STAGE_CONSTRAINT);
    return MECH_OK;
}

mech_status mech_eval_set_param_at(mech_eval *e, size_t param, double value)
{
    const mech_system *s = e->system;
    MECH_TRY(check_lock(e));
    if (param >= s->sizes.params) return refuse(e, "there is no such parameter");
    if (system_is_structural(s, param)) return refuse_param(e, MECH_ERR_MODEL, param);
    if (!isfinite(value)) return refuse_param(e, MECH_ERR_NOT_FINITE, param);
    if (e->param_is_set[param] && e->slots[s->in.p + param] == value) return MECH_OK;
    e->slots[s->in.p + param] = value;
    e->param_is_set[param] = 1;
    return params_changed(e);
}

mech_status mech_eval_set_param(mech_eval *e, const char *name, double value)
{
    return mech_eval_set_param_at(e, mech_system_find(e->system, MECH_ITEM_PARAM, name), value);
}

mech_status mech_eval_reset_params(mech_eval *e)
{
    MECH_TRY(check_lock(e));
    memset(e->param_is_set, 0, e->system->sizes.params);
    return params_changed(e);
}

void eval_put_in_force(mech_eval *e, size_t constraint, int is_active)
{
    const mech_system *s = e->system;
    const system_constraint *c = &s->constraints[constraint];
    /* rows not in force are counted: whether all are is asked often */
    if (e->active[c->first_row] && !is_active) e->released += c->row_count;
    if (!e->active[c->first_row] && is_active) e->released -= c->row_count;
    e->slots[s->in.active + constraint] = is_active ? 1 : 0;
    memset(e->active + c->first_row, is_active ? 1 : 0, c->row_count);
    system_stale_from(e, STAGE_CONSTRAINT);
}

mech_status mech_eval_set_active(mech_eval *e, size_t constraint, int is_active)
{
    const mech_system *s = e->system;
    MECH_TRY(check_lock(e));
    if (constraint >= s->sizes.constraints) return refuse(e, "there is no such constraint");
    if (s->constraints[constraint].side && e->is_owned)
        return refuse(e, "a run puts one-sided constraints in force itself, where they push");
    if ((e->slots[s->in.active + constraint] != 0) == (is_active != 0)) return MECH_OK;
    eval_put_in_force(e, constraint, is_active);
    return inputs_changed(e);
}

void eval_take_states(mech_eval *e, const double *z)
{
    const mech_system *s = e->system;
    if (s->sizes.states) memcpy(e->slots + s->in.z, z, s->sizes.states * sizeof *z);
    system_stale_from(e, STAGE_CONSTRAINT);
}

mech_status mech_eval_set_states(mech_eval *e, const double *z)
{
    if (e->is_owned) return refuse(e, "the states of a run are its own: mech_sim_set_start gives those it begins with");
    eval_take_states(e, z);
    return MECH_OK;
}

mech_status mech_eval_set_input(mech_eval *e, size_t input, double u, double u_dot, double u_ddot)
{
    const mech_system *s = e->system;
    MECH_TRY(check_lock(e));
    if (input >= s->sizes.inputs) return refuse(e, "there is no such input");
    if (!isfinite(u) || !isfinite(u_dot) || !isfinite(u_ddot))
        return system_failed(e, MECH_ERR_NOT_FINITE, "an input needs finite values");
    double *at[] = {e->slots + s->in.u + input, e->slots + s->in.u_dot + input, e->slots + s->in.u_ddot + input};
    if (e->input_is_set[input] == INPUT_SET && *at[0] == u && *at[1] == u_dot && *at[2] == u_ddot) return MECH_OK;
    *at[0] = u, *at[1] = u_dot, *at[2] = u_ddot;
    e->input_is_set[input] = INPUT_SET;
    return inputs_changed(e);
}

mech_status mech_eval_use_signal(mech_eval *e, size_t input)
{
    MECH_TRY(check_lock(e));
    if (input >= e->system->sizes.inputs) return refuse(e, "there is no such input");
    if (e->input_is_set[input] != INPUT_SET) return MECH_OK;
    e->input_is_set[input] = INPUT_BY_SIGNAL;
    return inputs_changed(e);
}

eval_changes eval_changes_get(const mech_eval *e) { return e->changes; }
void eval_own(mech_eval *e) { e->is_owned = 1; }
void eval_lock(mech_eval *e, const char *why) { e->lock = why; }

static const double *by_coord(const mech_eval *e, system_section section, const uint32_t **coord, size_t *count)
{
    const system_part *part = &e->system->parts[section];
    *coord = part->row;
    *count = part->count;
    return e->slots + part->first;
}

const double *eval_momentum(const mech_eval *e, const uint32_t **coord, size_t *count)
{
    return by_coord(e, SECTION_MOMENTUM, coord, count);
}

const double *eval_settable(const mech_eval *e, const uint32_t **coord, size_t *count)
{
    return by_coord(e, SECTION_SETTABLE, coord, count);
}

const double *eval_primed(const mech_eval *e, size_t *count)
{
    *count = e->system->parts[SECTION_PRIMED].count;
    return e->slots + e->system->parts[SECTION_PRIMED].first;
}

mech_status mech_eval_set_initial(mech_eval *e, size_t target, double value)
{
    if (!e || target >= e->system->sizes.targets || isinf(value)) return MECH_ERR_ARGUMENT;
    e->target_given[target] = value;
    system_stale_from(e, STAGE_START);
    return MECH_OK;
}

int system_is_structural(const mech_system *s, size_t param)
{
    return s->is_structural && param < s->sizes.params && s->is_structural[param];
}

unsigned eval_input_uses(const mech_eval *e, size_t input)
{
    return e->system->input_uses ? e->system->input_uses[input] : 0;
}

static int has_jumping(const mech_eval *e, unsigned slope, unsigned second)
{
    for (size_t i = 0; i < e->system->sizes.inputs; i++) {
        const unsigned uses = eval_input_uses(e, i);
        if ((uses & slope && uses & EVAL_MAY_JUMP) || (uses & second && uses & EVAL_MAY_BEND)) return 1;
    }
    return 0;
}

int eval_uses_jumping_slope(const mech_eval *e) { return has_jumping(e, EVAL_USES_SLOPE, EVAL_USES_SECOND); }
int eval_shows_jumping_slope(const mech_eval *e) { return has_jumping(e, EVAL_SHOWS_SLOPE, EVAL_SHOWS_SECOND); }

int eval_has_jumping_momentum(mech_eval *e)
{
    const mech_system *s = e->system;
    if (s->parts[SECTION_MOMENTUM].count == 0) return 0;
    for (size_t k = 0; k < mech_system_switch_count(s); k++)
        if (system_switch_driver(s, k) != SWITCH_BY_MOTION) return 1;
    return eval_next_point(e, -HUGE_VAL, 0) < HUGE_VAL || eval_next_point(e, -HUGE_VAL, 1) < HUGE_VAL;
}

int eval_has_law(const mech_eval *e) { return e->law != NULL; }

int eval_has_functions(const mech_eval *e) { return !e->system->compiled || e->law != NULL; }

uint64_t eval_fingerprint(const mech_eval *e)
{
    uint64_t sum = STATE_SUM;
    if (e->law) sum = state_sum(sum, e->slots + e->system->in.u, e->system->sizes.inputs * sizeof(double));
    for (int k = 0; k < SECTION_COUNT && !e->system->compiled; k++) {
        const system_part *part = &e->system->parts[k];
        if (part->complete <= STAGE_REACTION)
            sum = state_sum(sum, e->slots + part->first, part->count * sizeof(double));
    }
    return sum;
}

int mech_eval_option(mech_eval *e, const char *name, double *value, const char **word)
{
    const mech_system *s = e->system;
    const system_part *part = &s->parts[SECTION_OPTION];
    for (size_t i = part->count; i-- > 0;) { /* the last one counts */
        if (strcmp(s->options[i].name, name) != 0) continue;
        (void)system_run_through(e, STAGE_PARAMETER); /* options depend on parameters alone */
        if (value) *value = s->options[i].word ? (double)NAN : e->slots[part->first + i];
        if (word) *word = s->options[i].word;
        return 1;
    }
    return 0;
}

size_t system_delay_count(const mech_system *s) { return s->delay_count; }
size_t system_delay_depth(const mech_system *s) { return s->delay_depth; }

const double *eval_lags(const mech_eval *e) { return e->slots + e->system->parts[SECTION_LAG].first; }
const double *eval_delayed(const mech_eval *e) { return e->slots + e->system->parts[SECTION_DELAYED].first; }

void eval_set_delay_source(mech_eval *e, eval_delay_source source, void *user)
{
    e->delayed = source;
    e->delayed_user = user;
    system_stale_from(e, STAGE_VELOCITY);
}

int mech_system_delays(const mech_system *s) { return s->delay_count > 0; }

size_t system_every_count(const mech_system *s) { return s->clock_count; }

int system_is_relaxed(const mech_system *s) { return s->is_relaxed; }

int system_is_sampled(const mech_system *s, size_t state) { return s->is_sampled && s->is_sampled[state]; }

int mech_system_samples(const mech_system *s) { return s->clock_count > 0; }

void eval_clock(const mech_eval *e, size_t clock, double *period, double *from)
{
    const double *at = e->slots + e->system->parts[SECTION_CLOCK].first + 2 * clock;
    *period = at[0];
    *from = at[1];
}

const double *eval_samples(const mech_eval *e, size_t clock, const size_t **state, size_t *count)
{
    const system_clock *k = &e->system->clocks[clock];
    *state = e->system->samples + k->first;
    *count = k->count;
    return e->slots + e->system->parts[SECTION_SAMPLE].first + k->first;
}
