/* Outputs that look at multipliers which are not unique: along w with A' w = 0 the motion stays and they
 * change. */
#include "dynamics/instant.h"

#include "base/try.h"

#include <math.h>
#include <string.h>

/* outputs at lambda and total + step * direction over row `only`, or over all rows (SIZE_MAX): what laws add to the ideal
   multipliers stays; `apart` is how far they are from those delivered */
static mech_status apart_at(mech_instant *s, const double *direction, size_t only, double step, double *apart)
{
    double *lambda = s->work, *total = s->work + 2 * s->rows;
    for (size_t i = 0; i < s->rows; i++) {
        const double move = only == SIZE_MAX || only == i ? step * direction[i] : 0;
        lambda[i] = s->lambda[i] + move;
        total[i] = s->total[i] + move;
    }
    mech_status status = mech_eval_reaction(s->eval, lambda, total);
    status = mech_eval_output(s->eval);
    if (status != MECH_OK && status != MECH_ERR_NOT_FINITE) return status;
    for (size_t k = 0; k < s->sizes.outputs; k++) apart[k] = fabs(s->eq->output[k] - s->output_still[k]);
    return MECH_OK;
}

/* marks what changes along w by more than the rounding of what its single multipliers do */
static mech_status mark_along(mech_instant *s, const double *w, double step)
{
    double *scale = s->output_still + s->sizes.outputs, *apart = scale + s->sizes.outputs;
    memset(scale, 0, s->sizes.outputs * sizeof *scale);
    for (size_t i = 0; i < s->rows; i++) {
        if (w[i] == 0) continue;
        MECH_TRY(apart_at(s, w, i, step, apart));
        for (size_t k = 0; k < s->sizes.outputs; k++) scale[k] += isfinite(apart[k]) ? apart[k] : 0;
    }
    for (int sign = -1; sign <= 1; sign += 2) {
        MECH_TRY(apart_at(s, w, SIZE_MAX, sign * step, apart));
        for (size_t k = 0; k < s->sizes.outputs; k++)
            if (apart[k] > 1e-9 * scale[k] + 1e-14 * fabs(s->output_still[k])) s->output_is_choice[k] = 1;
    }
    return MECH_OK;
}

mech_status instant_mark_choices(mech_instant *s, const mech_diagnosis_result *d)
{
    double *w = s->work + s->rows, step = 0;
    memset(s->output_is_choice, 0, s->sizes.outputs);
    if (!(s->out.flags & MECH_FUNDAMENTAL_REDUNDANT) || s->sizes.outputs == 0 || s->result.is_reweighted)
        return MECH_OK;
    memcpy(s->output_still, s->eq->output, s->sizes.outputs * sizeof(double));
    for (size_t i = 0; i < s->rows; i++) step = fmax(step, fabs(s->total[i]));
    if (!(step > 0)) step = 1;
    mech_status status = MECH_OK;
    for (size_t i = 0; i < s->rows && status == MECH_OK; i++) {
        if (!d->redundant[i]) continue;
        for (size_t k = 0; k < s->rows; k++) w[k] = k == i ? 1 : -d->depends[i + k * s->rows];
        status = mark_along(s, w, step);
    }
    return status;
}
