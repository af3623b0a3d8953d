/* Inputs by a law of the caller: u = f(t, q, v, z). It is asked where signals are taken; an input that it gives
   stands in forces, rates, laws and outputs only, so that positions and constraints do not wait for velocities. */
#include "system/compiled.h"

#include "base/mem.h"
#include "base/tolerances.h"
#include "base/try.h"
#include "system/owner.h"

#include <float.h>
#include <math.h>
#include <string.h>

int eval_refuses_by(const mech_eval *e, mech_status status) { return e->failure == status && e->refusal != NULL; }

void eval_law_free(eval_law *law)
{
    if (!law) return;
    mem_free(law->inputs);
    mem_free(law->u);
    mem_free(law);
}

static eval_law *law_create(const mech_system *s, const mech_input_law *given)
{
    const size_t columns = 2 * s->sizes.coords + s->sizes.states, count = given->count;
    eval_law *law = mem_zeroed(1, sizeof *law);
    if (!law) return NULL;
    law->inputs = mem_zeroed(count + 1, sizeof *law->inputs);
    law->u = mem_zeroed(2 * count + count * columns + s->sizes.inputs * columns + columns, sizeof *law->u);
    if (!law->inputs || !law->u) {
        eval_law_free(law);
        return NULL;
    }
    memcpy(law->inputs, given->inputs, count * sizeof *law->inputs);
    law->given = *given;
    law->given.inputs = law->inputs;
    law->slope = law->u + 2 * count;
    law->all = law->slope + count * columns;
    law->moved = law->all + s->sizes.inputs * columns;
    return law;
}

static const char *obstacle(const mech_eval *e, const mech_input_law *law)
{
    if (law->size != sizeof *law || !law->u || (law->count && !law->inputs))
        return "a law of the inputs needs its size, its inputs and its function";
    for (size_t k = 0; k < law->count; k++) {
        if (law->inputs[k] >= e->system->sizes.inputs) return "there is no such input";
        if (eval_input_uses(e, law->inputs[k]) & ~(unsigned)(EVAL_MAY_JUMP | EVAL_MAY_BEND))
            return "a law in C gives inputs that stand in forces, dissipation, rates, laws and outputs only: not in energies, masses, constraints, friction and "
                   "events, not within abs, sign, min, max and comparisons, and not by their slopes";
    }
    return NULL;
}

mech_status mech_eval_set_law(mech_eval *e, const mech_input_law *given)
{
    if (!e) return MECH_ERR_ARGUMENT;
    if (e->lock) return system_failed(e, MECH_ERR_ARGUMENT, e->lock);
    const char *why = given ? obstacle(e, given) : NULL;
    if (why) return system_failed(e, MECH_ERR_ARGUMENT, why);
    eval_law *law = given ? law_create(e->system, given) : NULL;
    if (given && !law) return MECH_ERR_MEMORY;
    eval_law_free(e->law);
    e->law = law;
    e->changes.others++;
    system_stale_from(e, STAGE_CONSTRAINT);
    return MECH_OK;
}

static mech_point point_at(const mech_eval *e, const double *q, const double *v)
{
    const system_inputs *in = &e->system->in;
    return (mech_point){
        .size = sizeof(mech_point), .t = e->slots[in->t], .q = q, .v = v, .z = e->slots + in->z, .p = e->slots + in->p};
}

static mech_status ask(mech_eval *e, const mech_point *at, double *u)
{
    eval_law *law = e->law;
    memset(u, 0, law->given.count * sizeof *u);
    const mech_status status = law->given.u(law->given.user, at, u);
    if (status != MECH_OK) return system_failed(e, status, "the law of the inputs fails");
    for (size_t k = 0; k < law->given.count; k++)
        if (!isfinite(u[k]))
            return system_failed(e, MECH_ERR_NOT_FINITE, "the law of the inputs gives a value that is no number");
    return MECH_OK;
}

/* *is_other: an input is not what it was. */
static mech_status take_law(mech_eval *e, const double *q, const double *v, int *is_other)
{
    const system_inputs *in = &e->system->in;
    eval_law *law = e->law;
    const mech_point at = point_at(e, q, v);
    MECH_TRY(ask(e, &at, law->u));
    for (size_t k = 0; k < law->given.count; k++) {
        const size_t i = law->inputs[k];
        *is_other |= e->slots[in->u + i] != law->u[k];
        e->slots[in->u + i] = law->u[k];
        e->slots[in->u_dot + i] = e->slots[in->u_ddot + i] = 0;
    }
    return MECH_OK;
}

mech_status system_take_inputs(mech_eval *e, const double *q, const double *v)
{
    int is_other = 0;
    compiled_signals(e->system, e->slots, e->scratch, e->input_is_set);
    return e->law ? take_law(e, q, v, &is_other) : MECH_OK;
}

mech_status system_follow_velocity(mech_eval *e)
{
    const system_inputs *in = &e->system->in;
    int is_other = 0;
    MECH_TRY(take_law(e, e->slots + in->q, e->slots + in->v, &is_other));
    if (is_other) system_stale_from(e, STAGE_CONSTRAINT);
    return MECH_OK;
}

/* ---- slopes ---- */

/* By central differences: Newton's method asks for no more. */
static mech_status difference(mech_eval *e, double *slope)
{
    const mech_system *s = e->system;
    const size_t n = s->sizes.coords, columns = 2 * n + s->sizes.states, count = e->law->given.count;
    double *y = e->law->moved, *low = e->law->u, *high = e->law->u + count;
    memcpy(y, e->slots + s->in.q, n * sizeof *y);
    memcpy(y + n, e->slots + s->in.v, n * sizeof *y);
    if (s->sizes.states) memcpy(y + 2 * n, e->slots + s->in.z, s->sizes.states * sizeof *y);
    mech_point at = point_at(e, y, y + n);
    at.z = y + 2 * n;
    for (size_t j = 0; j < columns; j++) {
        const double kept = y[j], step = cbrt(DBL_EPSILON) * fmax(fabs(kept), TOL_LAW_STEP);
        y[j] = kept - step;
        MECH_TRY(ask(e, &at, low));
        y[j] = kept + step;
        MECH_TRY(ask(e, &at, high));
        for (size_t k = 0; k < count; k++) slope[k + j * count] = (high[k] - low[k]) / (2 * step);
        y[j] = kept;
    }
    return MECH_OK;
}

const double *eval_law_slope(mech_eval *e)
{
    const mech_system *s = e->system;
    eval_law *law = e->law;
    if (!law) return NULL;
    const size_t columns = 2 * s->sizes.coords + s->sizes.states, inputs = s->sizes.inputs, count = law->given.count;
    memset(law->slope, 0, count * columns * sizeof *law->slope);
    memset(law->all, 0, inputs * columns * sizeof *law->all);
    const mech_point at = point_at(e, e->slots + s->in.q, e->slots + s->in.v);
    const mech_status status =
        law->given.slope ? law->given.slope(law->given.user, &at, law->slope) : difference(e, law->slope);
    for (size_t j = 0; j < columns && status == MECH_OK; j++)
        for (size_t k = 0; k < count; k++)
            if (isfinite(law->slope[k + j * count])) law->all[law->inputs[k] + j * inputs] = law->slope[k + j * count];
    return law->all;
}
