/* Servos and their paths. A control row asks for r'' = -B r' - K r with the gains that are given, and for r'' = 0 where
   none are: no gain fits every unit of time. Then it has to be on its path: what the errors of the steps make of r is
   held down by gains of the run's own, and what is more than that has no way back, so that the run ends with the
   reason. */
#include "simulate/sim.h"

#include <math.h>

/* Within this time r of a row without gains is brought back: long beside a step, short beside the run. */
double sim_path_time(const mech_sim *s)
{
    const mech_sim_settings *o = &s->settings; /* not as far as it was taken so far: gains do not change on the way */
    return (isinf(o->until) ? 1 : o->until - o->from) / 100;
}

/* Control without gains, in force or waiting for it. */
static int lacks_gains(const mech_sim *s, size_t row)
{
    return s->dyn.servo[row] && !s->control.has_gains[row] &&
           mech_system_row(s->system, row).level != MECH_LEVEL_ACCELERATION;
}

static int any_lacks_gains(const mech_sim *s)
{
    for (size_t i = 0; i < s->m && s->dyn.has_control; i++)
        if (lacks_gains(s, i)) return 1;
    return 0;
}

/* What the tolerance of one step may make of each row, at most so far; what waits need have no value. */
static void weigh(mech_sim *s)
{
    SIM_SCRATCH(s);
    double *place = sim_take_rows(s), *rate = sim_take_rows(s);
    sim_row_errors(s, s->eq->gradient, s->y, place);
    sim_row_errors(s, s->eq->A, s->y + s->n, rate);
    for (size_t i = 0; i < s->m; i++) {
        s->control.path[i].place = fmax(s->control.path[i].place, place[i]);
        s->control.path[i].rate = fmax(s->control.path[i].rate, rate[i]);
    }
}

/* As in the judge of the balance: a hundred times what the steps' errors explain, as far as it was not brought back
   yet. */
static mech_status look(mech_sim *s, const char *how_else)
{
    enum { PATIENCE = 100 };
    for (size_t i = 0; i < s->m; i++) {
        const sim_path *p = &s->control.path[i];
        const double off = mech_system_row(s->system, i).level == MECH_LEVEL_HOLONOMIC ? fabs(s->eq->r[i]) : 0,
                     rate = fabs(s->eq->r_dot[i]);
        if (!s->eq->active[i] || !lacks_gains(s, i)) continue;
        if (off <= PATIENCE * (p->place + p->place_error + s->leeway.row[i]) &&
            rate <= PATIENCE * (p->rate + p->rate_error + s->leeway.rate[i]))
            continue;
        const char *control =
            mech_system_name(s->system, MECH_ITEM_CONSTRAINT, mech_system_row(s->system, i).constraint);
        return sim_fail(
            s, MECH_ERR_OFF_PATH,
            "at t = %.10g: control %s is off its path, r = %.6g and r' = %.6g, and no gains say how it comes back: give some, as in "
            "`stabilize excess on %s, B = .., K = ..` or --gains B,K, for r'' = -B r' - K r; or %s",
            s->t, sim_row_name(s, i), s->eq->r[i], s->eq->r_dot[i], control, how_else);
    }
    return MECH_OK;
}

mech_status sim_path_begin(mech_sim *s)
{
    if (!any_lacks_gains(s)) return MECH_OK;
    weigh(s);
    return look(s, "begin on the path");
}

mech_status sim_path_step(mech_sim *s)
{
    const double step = s->stepper->t - s->stepper->t_old, part = s->stepper->error * sqrt((double)(2 * s->n));
    if (!any_lacks_gains(s)) return MECH_OK;
    const double fade = exp(-step / sim_path_time(s));
    weigh(s);
    for (size_t i = 0; i < s->m; i++) {
        sim_path *p = &s->control.path[i];
        const double left = s->eq->active[i] ? fade : 1;
        p->rate_error = left * p->rate_error + part * p->rate;
        p->place_error = left * p->place_error + part * p->place + step * p->rate_error;
    }
    return look(s, "let it follow a smooth path");
}

mech_status sim_path_check(mech_sim *s)
{
    if (!any_lacks_gains(s)) return MECH_OK;
    MECH_TRY(sim_set_point(s, s->t, s->y));
    return look(s, "let nothing throw it off");
}

mech_status sim_control_create(mech_sim *s)
{
    MECH_TRY(SIM_MAKE_KEPT(s, ARRAY_OF(s->control.path, s->m)));
    return ARENA_MAKE(&s->memory.arena, ARRAY_OF(s->control.has_gains, s->m));
}
