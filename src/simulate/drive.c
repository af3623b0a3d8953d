/* A run driven from outside: what may be set between two advances, and the way back to before its start. */
#include "simulate/sim.h"
#include "fundamental/visit.h"
#include "motion/visit.h"

/* What the evaluation did not take, in words of the run. */
static mech_status answer(mech_sim *s, mech_status status)
{
    if (status == MECH_OK || s->log.error[0]) return status;
    char *why = mech_eval_explain(s->eval);
    (void)sim_refuse(s, "%s", why ? why : mech_status_text(status));
    mech_text_free(why);
    return status;
}

mech_status mech_sim_set_input(mech_sim *s, size_t input, double value)
{
    return s ? answer(s, mech_eval_set_input(s->eval, input, value, 0, 0)) : MECH_ERR_ARGUMENT;
}

mech_status mech_sim_set_param(mech_sim *s, size_t param, double value)
{
    return s ? answer(s, mech_eval_set_param_at(s->eval, param, value)) : MECH_ERR_ARGUMENT;
}

mech_status mech_sim_set_law(mech_sim *s, const mech_input_law *law)
{
    return s ? answer(s, mech_eval_set_law(s->eval, law)) : MECH_ERR_ARGUMENT;
}

mech_status mech_sim_set_active(mech_sim *s, size_t constraint, int is_active)
{
    return s ? answer(s, mech_eval_set_active(s->eval, constraint, is_active)) : MECH_ERR_ARGUMENT;
}

/* ---- reset ---- */

/* What creation leaves in the fields that change: read off a run that is new. */
static mech_status see_a_new_one(mech_sim *s)
{
    mech_sim *other;
    state_walk w = {.reads = 0};
    MECH_TRY(mech_sim_create(s->system, &s->caller.given.settings, &other));
    sim_visit_run(other, &w);
    mech_sim_free(other);
    s->caller.fresh.size = w.out.length;
    s->caller.fresh.bytes = w.lacks_memory ? NULL : text_take(&w.out);
    text_free(&w.out);
    return s->caller.fresh.bytes ? MECH_OK : MECH_ERR_MEMORY;
}

static mech_status forget_run(mech_sim *s)
{
    state_walk w = {.reads = 1,
                    .at = (const unsigned char *)s->caller.fresh.bytes,
                    .end = (const unsigned char *)s->caller.fresh.bytes + s->caller.fresh.size};
    sim_visit_run(s, &w);
    if (w.failed) return w.lacks_memory ? MECH_ERR_MEMORY : MECH_ERR_ARGUMENT;
    fundamental_forget(s->dyn.solver);
    fundamental_forget(s->assembly->solver);
    s->settings = s->caller.given.settings;
    s->onto.fast.has_check = s->onto.fast.uses_motion;
    s->caller.outside.functions = 0;
    s->caller.outside.functions_changed = s->caller.outside.was_set = 0;
    s->log.failure = MECH_OK;
    s->log.is_contradiction = 0;
    s->log.failure_text[0] = s->log.error[0] = s->log.refusal[0] = s->log.warning[0] = 0;
    return MECH_OK;
}

mech_status mech_sim_reset(mech_sim *s)
{
    if (!s) return MECH_ERR_ARGUMENT;
    if (s->advance.is_moving) return sim_refuse(s, "the run is moving, and this is called from one of its callbacks");
    const int was_started = s->advance.has_started || s->log.error[0];
    if (!s->caller.fresh.bytes) MECH_TRY(see_a_new_one(s));
    if (s->stepper && s->stepper->ops->forget) s->stepper->ops->forget(s->stepper);
    else {
        sim_stepper_free(s->stepper);
        s->stepper = NULL;
    }
    MECH_TRY(forget_run(s));
    eval_lock(s->eval, NULL);
    eval_set_delay_source(s->eval, NULL, NULL);
    for (size_t c = 0; was_started && c < s->sizes.constraints; c++)
        eval_put_in_force(s->eval, c, s->caller.given.active_first[c]);
    eval_forget(s->eval);
    motion_forget(s->eval);
    s->record.trajectory.rows = s->record.curve.rows = 0; /* their room is kept */
    s->log.count = 0;
    return MECH_OK;
}
