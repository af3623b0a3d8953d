/* The acceleration at once, interpreted: the tape of the same graph that generated code is written from. */
#include "motion/motion.h"

#include "system/compiled.h"

#include <string.h>

enum { MOST_OPERATIONS = 4000000 };

mech_status motion_tape_prepare(const mech_system *s, const unsigned char *monitored, const mech_motion_settings *given,
                                const motion_samples *samples, tape **code)
{
    motion_source source = {.system = s,
                            .monitored = monitored,
                            .samples = samples,
                            .prefix = "mech",
                            .with_power = given->with_power,
                            .most = MOST_OPERATIONS};
    const mech_status status = motion_tape_make(&source, code);
    return status == MECH_ERR_MEMORY ? status : MECH_OK; /* without it stages and plan do the work */
}

mech_status motion_tape_checked(const mech_motion_code *of, const mech_motion_settings *given, tape **code)
{
    motion_samples samples = {0};
    motion_source source = {.system = of->system,
                            .monitored = of->monitored,
                            .samples = &samples,
                            .prefix = "mech",
                            .with_power = 1,
                            .with_check = of->system->sizes.rows > 0,
                            .most = MOST_OPERATIONS};
    *code = NULL;
    mech_status status = motion_samples_make(of->system, given, &samples);
    if (status == MECH_OK) status = motion_tape_make(&source, code);
    motion_samples_free(&samples);
    return status;
}

unsigned motion_tape_run(mech_eval *e, double t, const double *q, const double *v, mech_motion *out)
{
    const mech_system *s = e->system;
    const system_inputs *in = &s->in;
    const size_t n = s->sizes.coords, rows = s->sizes.rows;
    eval_motion *m = e->motion;
    if (e->fresh < STAGE_PARAMETER && system_run_through(e, STAGE_PARAMETER) != MECH_OK) return PLAN_FLAG_DOUBT;
    if (m->parameters != e->counts.parameters) {
        m->parameter_flags = (int)tape_run_parameters(m->of->tape, e->slots, m->tape_slots);
        m->parameters = e->counts.parameters;
    }
    system_stale_from(e, STAGE_CONSTRAINT);
    e->slots[in->t] = t;
    memcpy(e->slots + in->q, q, n * sizeof *q);
    memcpy(e->slots + in->v, v, n * sizeof *v);
    if (s->sizes.inputs && system_take_inputs(e, q, v) != MECH_OK) return PLAN_FLAG_DOUBT;
    const unsigned flags =
        (unsigned)m->parameter_flags | tape_run(m->of->tape, e->slots, m->tape_slots, m->values, out->lambda != NULL);
    if (flags) return flags;
    memcpy(out->qdd, m->values, n * sizeof *m->values);
    out->power = m->values[n];
    const double *rates = m->values + n + 1, *lambda = rates + s->sizes.states;
    if (out->rate && s->sizes.states) memcpy(out->rate, rates, s->sizes.states * sizeof *rates);
    if (out->lambda && rows) memcpy(out->lambda, lambda, rows * sizeof *lambda);
    return 0;
}
