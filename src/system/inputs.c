/* What is set between evaluations: parameters, states, signals, which constraints are in force, options. */
#include "system/system.h"

#include <math.h>
#include <string.h>

static mech_status refuse(mech_eval *e, mech_status status, size_t param)
{
    e->failed_slot = SIZE_MAX;
    e->failed_param = param;
    return e->failure = status;
}

mech_status mech_eval_set_param_at(mech_eval *e, size_t param, double value)
{
    const mech_system *s = e->system;
    if (param >= s->sizes.params) return refuse(e, MECH_ERR_ARGUMENT, SIZE_MAX);
    if (s->is_structural && s->is_structural[param]) return refuse(e, MECH_ERR_MODEL, param);
    if (!isfinite(value)) return refuse(e, MECH_ERR_NOT_FINITE, param);
    e->slots[s->in.p + param] = value;
    e->param_is_set[param] = 1;
    s->kind->follow(s, e->slots, e->scratch, e->param_is_set);
    system_stale_from(e, STAGE_PARAMETER);
    return MECH_OK;
}

mech_status mech_eval_set_param(mech_eval *e, const char *name, double value)
{
    return mech_eval_set_param_at(e, mech_system_find(e->system, MECH_ITEM_PARAM, name), value);
}

void mech_eval_reset_params(mech_eval *e)
{
    const mech_system *s = e->system;
    if (s->sizes.params) memset(e->param_is_set, 0, s->sizes.params);
    s->kind->follow(s, e->slots, e->scratch, e->param_is_set);
    system_stale_from(e, STAGE_PARAMETER);
}

mech_status mech_eval_set_active(mech_eval *e, size_t constraint, int is_active)
{
    const mech_system *s = e->system;
    if (constraint >= s->sizes.constraints) return refuse(e, MECH_ERR_ARGUMENT, SIZE_MAX);
    const system_constraint *c = &s->constraints[constraint];
    if (c->row_count && e->is_marked) { /* rows not in force are counted: whether all are is asked often */
        if (e->active[c->first_row] && !is_active) e->released += c->row_count;
        if (!e->active[c->first_row] && is_active) e->released -= c->row_count;
    }
    e->slots[s->in.active + constraint] = is_active ? 1 : 0;
    if (c->row_count) memset(e->active + c->first_row, is_active ? 1 : 0, c->row_count);
    system_stale_from(e, STAGE_CONSTRAINT);
    return MECH_OK;
}

void mech_eval_set_states(mech_eval *e, const double *z)
{
    const mech_system *s = e->system;
    if (s->sizes.states) memcpy(e->slots + s->in.z, z, s->sizes.states * sizeof *z);
    system_stale_from(e, STAGE_CONSTRAINT);
}

mech_status mech_eval_set_input(mech_eval *e, size_t input, double u, double u_dot, double u_ddot)
{
    const mech_system *s = e->system;
    if (input >= s->sizes.inputs) return refuse(e, MECH_ERR_ARGUMENT, SIZE_MAX);
    e->slots[s->in.u + input] = u;
    e->slots[s->in.u_dot + input] = u_dot;
    e->slots[s->in.u_ddot + input] = u_ddot;
    e->input_is_set[input] = 1;
    system_stale_from(e, STAGE_CONSTRAINT);
    return MECH_OK;
}

mech_status mech_eval_use_signal(mech_eval *e, size_t input)
{
    if (input >= e->system->sizes.inputs) return refuse(e, MECH_ERR_ARGUMENT, SIZE_MAX);
    e->input_is_set[input] = 0;
    system_stale_from(e, STAGE_CONSTRAINT);
    return MECH_OK;
}

int mech_eval_option(mech_eval *e, const char *name, double *value, const char **word)
{
    const mech_system *s = e->system;
    const system_part *part = &s->parts[SECTION_OPTION];
    for (size_t i = part->count; i-- > 0;) { /* the last one counts */
        if (strcmp(s->options[i].name, name) != 0) continue;
        /* options depend on parameters alone */
        if (e->fresh < STAGE_PARAMETER &&
            s->kind->run(s, STAGE_PARAMETER, e->slots, e->scratch) == MECH_OK) {
            e->fresh = STAGE_PARAMETER;
            e->counts.parameters++;
        }
        if (value) *value = s->options[i].word ? (double)NAN : e->slots[part->first + i];
        if (word) *word = s->options[i].word;
        return 1;
    }
    return 0;
}
