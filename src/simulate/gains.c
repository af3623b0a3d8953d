/* Gains of the excess variables: the caller's, the model's, or defaults. */
#include "simulate/sim.h"

#include <math.h>
#include <string.h>

/* Of B, or of K. */
typedef struct source {
    const double *given; /* NULL: the model's, and defaults */
    size_t given_count;
    mech_pattern pattern;
    const double *model;
    double otherwise, servo; /* of constraints where none has one; of control rows that have none at all */
    dynamics_gains *list;
} source;

static void fill_gains(const mech_sim *s, const source *x, size_t count, double *gain)
{
    const size_t m = s->m, next = count == m * m ? m + 1 : 1; /* the diagonal of a matrix, or a list */
    int is_natural = 0;
    for (size_t k = 0; k < x->pattern.count; k++) {
        gain[x->pattern.row[k] + x->pattern.column[k] * m] = x->model[k];
        is_natural |= !mech_system_row(s->system, x->pattern.row[k]).is_control;
    }
    for (size_t i = 0; i < (count == 1 ? 1 : m); i++) {
        const int is_control = mech_system_row(s->system, i).is_control;
        if (is_control ? !s->control.has_gains[i] : !is_natural) gain[i * next] = is_control ? x->servo : x->otherwise;
    }
}

mech_status sim_gains(mech_sim *s)
{
    const mech_sim_settings *o = &s->settings;
    const double servo_tau = sim_path_time(s), tau = servo_tau / 10;
    const size_t m = s->m;
    const source of[2] = {{o->damping, o->damping_count, mech_system_pattern(s->system, MECH_MATRIX_DAMPING),
                           s->eq->damping, 2 / tau, 2 / servo_tau, &s->dyn.B},
                          {o->stiffness, o->stiffness_count, mech_system_pattern(s->system, MECH_MATRIX_STIFFNESS),
                           s->eq->stiffness, 1 / (tau * tau), 1 / (servo_tau * servo_tau), &s->dyn.K}};
    if (m == 0) return MECH_OK;
    if (of[0].pattern.count + of[1].pattern.count > 0)
        MECH_IGNORE(sim_set_position(s, s->t, s->y)); /* the model's gains stand there */
    /* all control rows have gains where the settings give some, else those that the model names */
    memset(s->control.has_gains, o->damping || o->stiffness, m);
    for (int k = 0; k < 2; k++)
        for (size_t i = 0; i < of[k].pattern.count; i++) s->control.has_gains[of[k].pattern.row[i]] = 1;
    for (int k = 0; k < 2; k++) {
        const source *x = &of[k];
        const size_t otherwise = x->pattern.count ? m * m : s->dyn.has_control ? m : 1;
        const size_t count = x->given ? x->given_count : otherwise;
        if (count != 1 && count != m && count != m * m)
            return sim_fail(s, MECH_ERR_ARGUMENT, "%zu gains are given for %zu rows: 1, one for each row, or a matrix",
                            count, m);
        for (size_t i = 0; x->given && i < count; i++)
            if (!isfinite(x->given[i])) return sim_fail(s, MECH_ERR_ARGUMENT, "a gain is %g", x->given[i]);
        /* the count stays, and so does the room */
        if (!s->control.gains[k]) MECH_TRY(ARENA_MAKE(&s->memory.arena, ARRAY_OF(s->control.gains[k], count)));
        double *gain = s->control.gains[k];
        memset(gain, 0, count * sizeof *gain);
        if (x->given) memcpy(gain, x->given, count * sizeof *gain);
        else fill_gains(s, x, count, gain);
        s->control.counts[k] = count;
        if (!x->list->value) MECH_TRY(dynamics_make_gains(x->list, count > m ? count : m, &s->memory.arena));
        dynamics_list_gains(&s->dyn, gain, count, x->list);
    }
    s->dyn.gains_on_all = o->stabilize == MECH_STABILIZE_EXCESS;
    s->dyn.stick_damping = s->dyn.gains_on_all && s->control.counts[0] == 1 ? s->control.gains[0][0] : 0;
    return MECH_OK;
}
