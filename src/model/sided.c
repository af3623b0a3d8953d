/* The builder: constraints that only push, and the events that are their own. */
#include "model/model.h"

#include "base/try.h"

#include <string.h>

/* Below 0 the body would go on through the surface; above 1 it leaves faster than it came, which may be meant. */
mech_status model_check_restitution(mech_model *m, mech_expr e)
{
    double value;
    if (model_constant(m, e, &value) != MECH_OK) return MECH_OK; /* a run looks at it when it happens */
    if (value < 0)
        return model_error(m, "0 ends in contact, 1 gives back all speed",
                           "a coefficient of restitution is not negative: %g", value);
    if (value > 1)
        diagnostics_add(m->diagnostics, MECH_SEVERITY_WARNING, MECH_ERR_MODEL, model_span(m, m->origin),
                        "0 ends in contact, 1 gives back all speed; above it is a bumper that drives",
                        "a coefficient of restitution above 1 adds energy at every impact: %g", value);
    return MECH_OK;
}

mech_status mech_model_one_sided(mech_model *m, size_t constraint, int side, mech_expr restitution)
{
    if (m->is_finished || constraint >= m->constraints_count || side == 0) return MECH_ERR_ARGUMENT;
    model_constraint *c = &m->constraints[constraint];
    if (c->is_control || c->row_count != 1) return MECH_ERR_ARGUMENT;
    const model_row *row = &m->rows[c->first_row];
    if (row->level == MODEL_ACCELERATION)
        return model_error(m, "write it of positions or velocities",
                           "'%s' is of accelerations: they jump, and nothing could be struck", c->name);
    if (!(expr_classes(m->pool, row->residual) & (EXPR_COORD | EXPR_VELOCITY)))
        return model_error(m, "a constraint relates coordinates or velocities", "there is no coordinate in '%s'",
                           c->name);
    if (row->level == MODEL_NONHOLONOMIC && restitution.id)
        return model_error(m, "leave the restitution out",
                           "'%s' is of velocities, which nothing strikes: it has no restitution", c->name);
    c->side = side > 0 ? 1 : -1;
    c->restitution = restitution.id ? restitution : EXPR_ZERO;
    return model_check_restitution(m, c->restitution);
}

static mech_status refuse_actions(mech_model *m, const model_event *e)
{
    for (size_t k = 0; k < e->action_count; k++)
        for (size_t i = 0; i < e->actions[k].constraint_count; i++) {
            const model_constraint *c = &m->constraints[e->actions[k].constraints[i]];
            if (!c->side) continue;
            m->origin = e->origin;
            return model_error(m, "leave the action out; or write the constraint with '=' and let events do all of it",
                               "'%s' is one-sided: it is struck, touched and left by itself", c->name);
        }
    return MECH_OK;
}

static mech_status add_event(mech_model *m, size_t constraint)
{
    const model_constraint *c = &m->constraints[constraint];
    const mech_expr r = m->rows[c->first_row].residual;
    mech_action *action = arena_alloc(&m->memory, sizeof *action);
    size_t *number = arena_alloc(&m->memory, sizeof *number);
    const char *name = arena_format(&m->memory, "contact %s", c->name);
    model_event *e = action && number && name ? MODEL_PUSH(m, events) : NULL;
    if (!e) return MECH_ERR_MEMORY;
    *number = constraint;
    *action = (mech_action){
        .kind = MECH_ACTION_IMPACT, .value = c->restitution, .constraints = number, .constraint_count = 1};
    *e = (model_event){.name = name,
                       .contact = constraint + 1,
                       .trigger = c->side > 0 ? r : mech_neg(m->pool, r),
                       .direction = MECH_DIRECTION_FALLS,
                       .actions = action,
                       .action_count = 1,
                       .origin = c->origin};
    return MECH_OK;
}

mech_status model_make_contacts(mech_model *m)
{
    mech_status status = MECH_OK;
    for (size_t k = 0; k < m->events_count && status == MECH_OK; k++) status = refuse_actions(m, &m->events[k]);
    for (size_t c = 0; c < m->constraints_count && status == MECH_OK; c++) {
        if (!m->constraints[c].side) continue;
        if (m->constraints[c].released_at) {
            m->origin = m->constraints[c].released_at == UINT32_MAX ? 0 : m->constraints[c].released_at;
            return model_error(m, "leave the statement out",
                               "'%s' is one-sided: the start decides whether it is in force", m->constraints[c].name);
        }
        status = add_event(m, c);
    }
    return status;
}
