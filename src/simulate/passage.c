/* Steps through near-singular positions. Through a singular position proper the velocities go on smoothly, and what
   an error estimate sees there is rounding. Where the constraints only come near to one, the motion may turn round in a
   moment: a light crank takes a heavy slider through its dead centre. No step may jump over that. */
#include "simulate/sim.h"

#include <math.h>

/* Ladders through singular positions change their velocities by up to 0.005 in a step at the floor; cranks at dead
   centres by 0.2 and more in one that is too long. */
static const double MOST_CHANGE = 1.0 / 32;

/* a'M b at the point evaluated last. */
static double in_metric(const mech_sim *s, const double *a, const double *b)
{
    double sum = 0;
    for (size_t k = 0; k < s->pattern_M.count; k++) {
        const size_t i = s->pattern_M.row[k], j = s->pattern_M.column[k];
        sum += s->eq->M[k] * (i == j ? a[i] * b[i] : a[i] * b[j] + a[j] * b[i]);
    }
    return sum;
}

int sim_is_plain_step(void *sim, double t, const double *from, const double *to)
{
    mech_sim *s = sim;
    const double *before = from + s->n, *after = to + s->n;
    if (s->nz) mech_eval_set_states(s->eval, from + 2 * s->n);
    s->has_factors = 0;
    if (mech_eval_position(s->eval, t, from) != MECH_OK) return 0;
    for (size_t i = 0; i < s->n; i++) s->delta[i] = after[i] - before[i];
    const double size = fmax(in_metric(s, before, before), in_metric(s, after, after));
    return in_metric(s, s->delta, s->delta) <= MOST_CHANGE * MOST_CHANGE * size;
}
