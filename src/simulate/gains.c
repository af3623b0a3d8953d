/* Gains of the excess variables: the caller's, the model's, or defaults. */
#include "simulate/sim.h"

#include <math.h>
#include <string.h>

/* Which control rows have gains: all where the settings give some, else those that the model names. */
static void find_given_gains(mech_sim *s, const mech_pattern *B, const mech_pattern *K)
{
    const int all = s->settings.damping || s->settings.stiffness;
    memset(s->control.has_gains, all, s->m);
    for (size_t k = 0; k < B->count; k++) s->control.has_gains[B->row[k]] = 1;
    for (size_t k = 0; k < K->count; k++) s->control.has_gains[K->row[k]] = 1;
}

/* The model's gains, and defaults: `servo` of control rows that have none at all, `otherwise` of constraints where none
   has one. */
static void fill_gains(const mech_sim *s, const mech_pattern *pattern, const double *model, double otherwise,
                       double servo, size_t count, double *gain)
{
    const size_t m = s->m, next = count == m * m ? m + 1 : 1; /* the diagonal of a matrix, or a list */
    int is_natural = 0;
    for (size_t k = 0; k < pattern->count; k++) {
        gain[pattern->row[k] + pattern->column[k] * m] = model[k];
        is_natural |= !mech_system_row(s->system, pattern->row[k]).is_control;
    }
    for (size_t i = 0; i < (count == 1 ? 1 : m); i++) {
        const int is_control = mech_system_row(s->system, i).is_control;
        if (is_control ? !s->control.has_gains[i] : !is_natural) gain[i * next] = is_control ? servo : otherwise;
    }
}

mech_status sim_gains(mech_sim *s)
{
    const mech_sim_settings *o = &s->settings;
    const double tau = sim_path_time(s) / 10, servo_tau = sim_path_time(s);
    const mech_pattern B = mech_system_pattern(s->system, MECH_MATRIX_DAMPING);
    const mech_pattern K = mech_system_pattern(s->system, MECH_MATRIX_STIFFNESS);
    const size_t m = s->m;
    if (m == 0) return MECH_OK;
    if (B.count + K.count > 0) MECH_IGNORE(sim_set_position(s, s->t, s->y)); /* the model's gains stand there */
    find_given_gains(s, &B, &K);
    const struct {
        const double *given;
        size_t given_count;
        const mech_pattern *pattern;
        const double *model;
        double otherwise, servo;
        double **into;
        size_t *count;
    } which[2] = {
        {o->damping, o->damping_count, &B, s->eq->damping, 2 / tau, 2 / servo_tau, &s->control.B, &s->control.count_B},
        {o->stiffness, o->stiffness_count, &K, s->eq->stiffness, 1 / (tau * tau), 1 / (servo_tau * servo_tau),
         &s->control.K, &s->control.count_K}};
    for (int k = 0; k < 2; k++) {
        size_t count = which[k].given            ? which[k].given_count
                       : which[k].pattern->count ? m * m
                       : s->dyn.has_control      ? m
                                                 : 1;
        if (count != 1 && count != m && count != m * m)
            return sim_fail(s, MECH_ERR_ARGUMENT, "%zu gains are given for %zu rows: 1, one for each row, or a matrix",
                            count, m);
        for (size_t i = 0; which[k].given && i < count; i++)
            if (!isfinite(which[k].given[i])) return sim_fail(s, MECH_ERR_ARGUMENT, "a gain is %g", which[k].given[i]);
        /* the count stays, and so does the room */
        double *gain = *which[k].into ? *which[k].into : arena_alloc(&s->memory, count * sizeof *gain);
        if (!gain) return MECH_ERR_MEMORY;
        memset(gain, 0, count * sizeof *gain);
        if (which[k].given) memcpy(gain, which[k].given, count * sizeof *gain);
        else fill_gains(s, which[k].pattern, which[k].model, which[k].otherwise, which[k].servo, count, gain);
        *which[k].into = gain;
        *which[k].count = count;
        dynamics_gains *list = k == 0 ? &s->dyn.B : &s->dyn.K;
        if (!list->value) MECH_TRY(dynamics_make_gains(list, count > m ? count : m, &s->memory));
        dynamics_list_gains(&s->dyn, gain, count, list);
    }
    s->dyn.gains_on_all = o->stabilize == MECH_STABILIZE_EXCESS;
    s->dyn.stick_damping = s->dyn.gains_on_all && s->control.count_B == 1 ? s->control.B[0] : 0;
    return MECH_OK;
}
