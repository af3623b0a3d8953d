/* What of an instant is a choice: laws that look at it are refused, outputs marked. */
#include "dynamics/instant.h"

#include "system/sizes.h"

#include <string.h>

mech_status instant_check_unique(mech_instant *s, int is_solved)
{
    dynamics *d = &s->d;
    if (!(d->laws_use_reaction || dynamics_slides(d)) || mech_system_allows_leastnorm(d->system)) return MECH_OK;
    const mech_fundamental_input natural = instant_natural(s);
    if (is_solved) dynamics_put_stopped(d, s->natural);
    mech_fundamental_output out = {.size = sizeof out, .lambda = is_solved ? NULL : d->lambda};
    const mech_status status = mech_fundamental_ideal(d->solver, &natural, &out);
    if (status != MECH_OK) return instant_fail_in_solver(s, status);
    if (!(out.flags & MECH_FUNDAMENTAL_REDUNDANT)) return MECH_OK;
    return dynamics_check_laws(d, s->diagnosis, d->lambda, is_solved ? d->total : NULL, s->probe, s->does, s->mark,
                               s->culprit, &s->culprits);
}

static void outputs_at(void *user, const double *lambda, const double *total, double *values)
{
    dynamics *d = &((mech_instant *)user)->d;
    mech_status status = dynamics_show(d, lambda, total);
    status = mech_eval_output(d->eval);
    (void)status; /* one that is not finite is no failure of the instant */
    memcpy(values, d->eq->output, d->sizes.outputs * sizeof *values);
}

static void sizes_there(void *user, double *sizes)
{
    const mech_instant *s = user;
    system_value_sizes size;
    if (!system_sizes_values(s->d.eval, s->size_work, &size)) return;
    memcpy(sizes, size.output, s->d.sizes.outputs * sizeof *sizes);
}

void instant_mark_choices(mech_instant *s, const mech_diagnosis_result *found)
{
    const dynamics *d = &s->d;
    unique_probe p = {.rows = d->rows,
                      .count = d->sizes.outputs,
                      .lambda = d->lambda,
                      .total = d->total,
                      .values = outputs_at,
                      .sizes = sizes_there,
                      .user = s};
    memset(s->output_is_choice, 0, d->sizes.outputs);
    if (memchr(found->redundant, 1, d->rows) == NULL || d->sizes.outputs == 0 || s->result.is_reweighted) return;
    unique_begin(&p, d, s->probe);
    for (size_t i = 0; i < d->rows; i++) {
        if (!found->redundant[i]) continue;
        unique_aim(&p, found, i);
        if (!unique_changes(&p, s->does)) continue;
        for (size_t k = 0; k < d->sizes.outputs; k++) s->output_is_choice[k] |= s->does[k];
    }
}
