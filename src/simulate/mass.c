/* A mass that is lost inside a step: the smallest pivot of M, looked at between the ends of steps as events are. Only
   where the model's energies leave it open (system/mass.h). */
#include "simulate/sim.h"
#include "integrate/root.h"
#include "system/mass.h"

#include <math.h>
#include <string.h>

enum { SAMPLES = 4 };

/* The one of rows k, k + 1, ... whose diagonal is largest beside its mass at the start. */
static size_t largest_from(const mech_sim *s, const double *M, const size_t *order, size_t k)
{
    size_t best = k;
    for (size_t i = k + 1; i < s->n; i++)
        if (M[order[i] * (s->n + 1)] / s->mass.scale[order[i]] >
            M[order[best] * (s->n + 1)] / s->mass.scale[order[best]])
            best = i;
    return best;
}

/* Of M in place (n x n, symmetric), each beside the mass at the start. The largest pivot comes first, always: where M
   is singular a small one before others would blow up the rounding in them. What the pivots leave when they are 0 to
   rounding has no more to say than its diagonal. */
static double least_pivot(const mech_sim *s, double *M)
{
    const size_t n = s->n;
    size_t *order = s->mass.order;
    double least = HUGE_VAL;
    for (size_t k = 0; k < n; k++) order[k] = k;
    for (size_t k = 0; k < n; k++) {
        const size_t best = largest_from(s, M, order, k), p = order[best];
        order[best] = order[k];
        order[k] = p;
        const double pivot = M[p + p * n];
        least = fmin(least, pivot / s->mass.scale[p]);
        if (!(pivot > TOL_PIVOT * s->mass.scale[p])) continue; /* so are those that follow */
        for (size_t j = k + 1; j < n; j++) {
            const double factor = M[order[j] + p * n] / pivot;
            for (size_t i = k + 1; i < n && factor != 0; i++)
                M[order[i] + order[j] * n] -= factor * M[order[i] + p * n];
        }
    }
    return least;
}

/* The same of a large system: its diagonal alone, which is necessary. */
static double least_entry(const mech_sim *s)
{
    double least = HUGE_VAL;
    for (size_t k = 0; k < s->dyn.pattern_M.count; k++)
        if (s->dyn.pattern_M.row[k] == s->dyn.pattern_M.column[k])
            least = fmin(least, s->eq->M[k] / s->mass.scale[s->dyn.pattern_M.row[k]]);
    return least;
}

/* At the point evaluated last; a pivot that is 0 on the constraints is no loss. */
static double mass_left(mech_sim *s)
{
    if (s->dyn.is_sparse) return least_entry(s);
    memcpy(s->dyn.metric, s->eq->M_dense, s->n * s->n * sizeof(double));
    return least_pivot(s, s->dyn.metric);
}

/* Positive while the mass is there. */
static int mass_at(void *sim, double t, double *value)
{
    mech_sim *s = sim;
    SIM_SCRATCH(s);
    double *y = sim_take_state(s);
    const int is_end = t == s->stepper->t;
    if (!is_end && s->stepper->ops->dense(s->stepper, t, y) != 0) return -1;
    const mech_status status = sim_set_position(s, t, is_end ? s->stepper->y : y);
    if (status != MECH_OK) {
        s->log.failure = status; /* what has no value is told elsewhere */
        return -1;
    }
    *value = mass_left(s) + s->mass.slack;
    return 0;
}

void sim_mass_begin(mech_sim *s)
{
    s->mass.is_on = !mech_system_allows_negative_mass(s->system) && !mass_is_certain(s->eval);
    for (size_t i = 0; i < s->n; i++) s->mass.scale[i] = 1;
    for (size_t k = 0; k < s->dyn.pattern_M.count; k++)
        if (s->dyn.pattern_M.row[k] == s->dyn.pattern_M.column[k] && s->eq->M[k] > 0)
            s->mass.scale[s->dyn.pattern_M.row[k]] = s->eq->M[k];
    s->mass.slack = s->mass.is_on && mass_left(s) > 1e3 * TOL_PIVOT ? 0 : TOL_PIVOT;
}

int sim_is_lost_mass(mech_status status) { return status == MECH_ERR_NOT_DEFINITE || status == MECH_ERR_SINGULAR_MASS; }

/* Is the mass there all through the step that the stepper holds? Also where something else is wrong with it. *lost: a
   time at which it is not, where one is known. */
static int keeps_mass(mech_sim *s, double *lost)
{
    const double start = s->stepper->t_old, end = s->stepper->t;
    double t[SAMPLES + 1], value[SAMPLES + 1];
    s->log.failure = MECH_OK;
    for (int i = 0; i <= SAMPLES; i++) {
        t[i] = i == SAMPLES ? end : start + (end - start) * i / SAMPLES;
        if (mass_at(s, t[i], &value[i]) != 0) return !sim_is_lost_mass(s->log.failure);
        if (value[i] > 0) continue;
        *lost = t[i];
        return 0;
    }
    for (int i = 0; i + 2 <= SAMPLES; i++) {
        double least;
        if (!root_may_dip(t[i], value[i], t[i + 1], value[i + 1], t[i + 2], value[i + 2], 1)) continue;
        if (root_dip(mass_at, s, t[i], t[i + 2], 1, TOL_MASS_DIP * (end - start), lost, &least) == 1) return 0;
    }
    return 1;
}

/* The run ends here, so the step is halved and taken again until the clock resolves no more: a stage beyond the loss
   fails, and so does what is interpolated from it. */
mech_status sim_mass_look(mech_sim *s, int *is_gone)
{
    sim_stepper *st = s->stepper;
    const double start = st->t_old, width = s->settings.event_tol * sim_span(s);
    double low = start, high = st->t;
    *is_gone = 0;
    if (!s->mass.is_on || keeps_mass(s, &high)) {
        s->log.failure = MECH_OK;
        return MECH_OK;
    }
    *is_gone = 1;
    while (high - low > width) {
        const double middle = low + (high - low) / 2;
        if (middle <= low || middle >= high) break;
        double lost = middle;
        if (st->ops->end_at(st, middle) == SIM_STEPPED && keeps_mass(s, &lost)) low = middle;
        else high = lost;
    }
    if (low <= start || st->ops->end_at(st, low) == SIM_STEPPED) return MECH_OK;
    return MECH_ERR_NOT_DEFINITE;
}

mech_status sim_mass_create(mech_sim *s)
{
    MECH_TRY(SIM_MAKE_KEPT(s, ARRAY_OF(s->mass.scale, s->n)));
    return ARENA_MAKE(&s->memory.arena, ARRAY_OF(s->mass.order, s->n));
}
