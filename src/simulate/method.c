/* Which integrator, and what it is given. */
#include "simulate/sim.h"
#include "simulate/spikes.h"
#include "dynamics/derivative.h"
#include "dynamics/implicit.h"

#include <math.h>
#include <string.h>

static sim_problem problem_of(mech_sim *s)
{
    sim_problem problem = {.n = s->ny,
                           .n_control = s->ny - 1,
                           .f = sim_rhs,
                           .user = s,
                           .floor = &s->singular.step_floor,
                           .may_force = sim_is_plain_step};
    if (sim_has_jacobian(s)) problem.jacobian = sim_jacobian;
    if (s->method.implicit.by_pattern) {
        problem.jacobian = sim_pattern_values;
        problem.jacobian_values = implicit_values(s->method.implicit.by_pattern);
        problem.jacobian_factor = sim_pattern_factor;
        problem.jacobian_solve = sim_pattern_solve;
    }
    if (s->settings.stabilize == MECH_STABILIZE_PROJECT && s->rows) problem.project = sim_project_for_stepper;
    return problem;
}

/* The pairs integrate the power at their own order over any step they take. Multistep methods start at order one: where
   the motion is so plain that they stride, the power must have a say or the balance means nothing. */
static double power_tolerance(mech_sim *s)
{
    sim_energies e = {0};
    if (sim_accelerate(s, s->t, s->y) == MECH_OK) e = sim_energy(s);
    return 100 * s->settings.rtol * fmax(fabs(e.h), e.kinetic) + 1e3 * s->settings.atol;
}

void sim_add_counts(const sim_stepper *stepper, mech_sim_info *to)
{
    const rk_counts now = stepper->counts;
    to->steps += now.steps;
    to->rejected += now.rejected;
    to->evaluations += now.evaluations;
    to->factorizations += now.factorizations;
}

mech_status sim_use_method(mech_sim *s, sim_method method)
{
    sim_stepper *stepper;
    if (method == SIM_BDF || method == SIM_IRK) MECH_TRY(sim_jacobian_create(s));
    const sim_problem problem = problem_of(s);
    const int is_same = s->stepper && s->method.kind == method && s->stepper->ops->forget; /* it needs no other one */
    if (is_same) stepper = s->stepper;
    else if (method == SIM_MOREAU) MECH_TRY(sim_moreau_stepper(s, &stepper));
    else MECH_TRY(sim_stepper_create(method, &problem, &stepper));
    const int is_pair = sim_methods[method].is_pair;
    if (!is_pair && s->audit.power_tolerance == 0) s->audit.power_tolerance = power_tolerance(s);
    SIM_SCRATCH(s);
    double *atol = sim_take_state(s);
    for (size_t i = 0; i + 1 < s->ny; i++) atol[i] = s->settings.atol;
    atol[s->ny - 1] = is_pair ? 0 : s->audit.power_tolerance;
    stepper->ops->set_tolerance(stepper, s->settings.rtol, atol, s->settings.max_step);
    if (s->stepper && !is_same) {
        sim_add_counts(s->stepper, &s->info);
        sim_stepper_free(s->stepper);
    }
    s->stepper = stepper;
    s->method.kind = method;
    return MECH_OK;
}

mech_status sim_start_stepper(mech_sim *s, double step)
{
    sim_spikes_begin(s);
    const double end = s->advance.horizon > s->t ? s->advance.horizon : s->t + sim_span(s); /* it may be taken on */
    if (s->stepper->ops->start(s->stepper, s->t, s->y, end, step) == 0) return MECH_OK;
    if (s->stepper->lacks_memory) return MECH_ERR_MEMORY;
    return sim_why(s);
}

double sim_step_behind(const mech_sim *s)
{
    return sim_methods[s->method.kind].is_multistep ? 0 : fmax(s->stepper->h_next, 0);
}

mech_status sim_restart(mech_sim *s, double step)
{
    memset(s->given_rows.A_before, 0, s->dyn.pattern_A.count * sizeof *s->given_rows.A_before);
    MECH_TRY(sim_path_check(s));
    MECH_TRY(sim_delays_break(s));
    MECH_TRY(sim_start_stepper(s, step));
    return sim_events_begin(s);
}

/* Why a method of SUNDIALS cannot be had. */
static const char *why_not(const mech_sim *s)
{
    if (s->settings.method == MECH_METHOD_ADAMS || sim_has_jacobian(s)) return "this build has no SUNDIALS";
    return derivative_obstacle(s->system);
}

/* It needs SUNDIALS, but no derivatives. */
static int has_adams(mech_sim *s)
{
    const sim_problem problem = problem_of(s);
    sim_stepper *stepper;
    if (sim_stepper_create(SIM_ADAMS, &problem, &stepper) != MECH_OK) return 0;
    sim_stepper_free(stepper);
    return 1;
}

mech_status sim_choose_method(mech_sim *s)
{
    const int is_auto = s->settings.method == MECH_METHOD_AUTO;
    const sim_method method = is_auto ? SIM_RK8 : (sim_method)(s->settings.method - 1);
    _Static_assert(MECH_METHOD_RK8 == SIM_RK8 + 1 && MECH_METHOD_MOREAU == SIM_MOREAU + 1, "behind auto, in one order");
    s->method.may_turn_stiff = is_auto && s->delays.count == 0;
    if (s->delays.count && method != SIM_RK8 && method != SIM_RK5)
        return sim_fail(
            s, MECH_ERR_UNSUPPORTED,
            "method %s: the model has delays, and its steps end where what happened comes back: rk8 and rk5 do",
            mech_method_word(s->settings.method));
    const mech_status status = sim_use_method(s, method);
    if (status == MECH_ERR_UNSUPPORTED && s->settings.method != MECH_METHOD_MOREAU)
        return sim_fail(s, status, "method %s is not available here: %s; %s are", mech_method_word(s->settings.method),
                        why_not(s), has_adams(s) ? "rk8, rk5 and adams" : "rk8 and rk5");
    MECH_TRY(status);
    return sim_log_add(s, MECH_LOG_METHOD, NULL, "method %s: %s", mech_method_word(s->settings.method),
                       sim_methods[s->method.kind].name);
}

/* Stiff for good: the same steps always lead here. */
mech_status sim_follow_stiffness(mech_sim *s)
{
    if (!s->method.may_turn_stiff || !s->stepper->is_stiff) return MECH_OK;
    s->method.may_turn_stiff = 0;
    const mech_status status = sim_use_method(s, SIM_BDF);
    if (status == MECH_ERR_UNSUPPORTED)
        return sim_log_add(s, MECH_LOG_METHOD, NULL,
                           "the problem is stiff, but the stiff method is not available (%s): %s goes on", why_not(s),
                           sim_methods[s->method.kind].name);
    MECH_TRY(status);
    MECH_TRY(sim_log_add(s, MECH_LOG_METHOD, NULL, "the problem is stiff: %s from here on",
                         sim_methods[s->method.kind].name));
    return sim_restart(s, 0);
}

mech_status sim_stepper_visit(mech_sim *s, state_walk *w)
{
    sim_method method = s->method.kind;
    double step = s->stepper->h_next;
    STATE_FIELD(w, method);
    STATE_FIELD(w, step);
    STATE_FIELD(w, s->audit.power_tolerance);
    if (w->reads) {
        if (w->failed || (unsigned)method > SIM_MOREAU) return MECH_ERR_FILE;
        MECH_TRY(sim_use_method(s, method));
        s->stepper->h_next = step;
    }
    if (s->stepper->ops->visit) s->stepper->ops->visit(s->stepper, w);
    return MECH_OK;
}

void sim_method_free(mech_sim *s)
{
    sim_stepper_free(s->stepper);
    implicit_free(s->method.implicit.by_pattern);
}
