/* Gains of the excess variables: the caller's, the model's, or defaults. */
#include "simulate/sim.h"

#include <math.h>
#include <string.h>

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
    const double servo_tau = sim_path_time(s), tau = servo_tau / 10;
    const size_t m = s->m;
    const mech_pattern patterns[2] = {mech_system_pattern(s->system, MECH_MATRIX_DAMPING),
                                      mech_system_pattern(s->system, MECH_MATRIX_STIFFNESS)};
    if (m == 0) return MECH_OK;
    if (patterns[0].count + patterns[1].count > 0)
        MECH_IGNORE(sim_set_position(s, s->t, s->y)); /* the model's gains stand there */
    /* all control rows have gains where the settings give some, else those that the model names */
    memset(s->control.has_gains, o->damping || o->stiffness, m);
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; i < patterns[k].count; i++) s->control.has_gains[patterns[k].row[i]] = 1;
    for (int k = 0; k < 2; k++) { /* B, then K */
        const double *given = k ? o->stiffness : o->damping;
        const size_t count = given                ? (k ? o->stiffness_count : o->damping_count)
                             : patterns[k].count  ? m * m
                             : s->dyn.has_control ? m
                                                  : 1;
        if (count != 1 && count != m && count != m * m)
            return sim_fail(s, MECH_ERR_ARGUMENT, "%zu gains are given for %zu rows: 1, one for each row, or a matrix",
                            count, m);
        for (size_t i = 0; given && i < count; i++)
            if (!isfinite(given[i])) return sim_fail(s, MECH_ERR_ARGUMENT, "a gain is %g", given[i]);
        /* the count stays, and so does the room */
        double *gain = s->control.gains[k];
        if (!gain) gain = s->control.gains[k] = arena_alloc(&s->memory, count * sizeof *gain);
        if (!gain) return MECH_ERR_MEMORY;
        memset(gain, 0, count * sizeof *gain);
        if (given) memcpy(gain, given, count * sizeof *gain);
        else if (k)
            fill_gains(s, &patterns[k], s->eq->stiffness, 1 / (tau * tau), 1 / (servo_tau * servo_tau), count, gain);
        else fill_gains(s, &patterns[k], s->eq->damping, 2 / tau, 2 / servo_tau, count, gain);
        s->control.counts[k] = count;
        dynamics_gains *list = k ? &s->dyn.K : &s->dyn.B;
        if (!list->value) MECH_TRY(dynamics_make_gains(list, count > m ? count : m, &s->memory));
        dynamics_list_gains(&s->dyn, gain, count, list);
    }
    s->dyn.gains_on_all = o->stabilize == MECH_STABILIZE_EXCESS;
    s->dyn.stick_damping = s->dyn.gains_on_all && s->control.counts[0] == 1 ? s->control.gains[0][0] : 0;
    return MECH_OK;
}
