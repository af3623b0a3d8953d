/* Our own pairs behind the stepper interface. */
#include "integrate/stepper.h"
#include "base/mem.h"

typedef struct rk_stepper {
    sim_stepper base;
    rk *r;
} rk_stepper;

static rk *pair_of(const sim_stepper *s) { return ((const rk_stepper *)s)->r; }

static void publish(sim_stepper *s)
{
    const rk *r = pair_of(s);
    s->t = rk_time(r);
    s->t_old = rk_previous_time(r);
    s->h_next = rk_next_step(r);
    s->error = rk_error(r);
    s->free_error = rk_free_error(r);
    s->y = rk_state(r);
    s->y_old = rk_previous_state(r);
}

static void set_tolerance(sim_stepper *s, double rtol, const double *atol, double max_step)
{
    rk_set_tolerance(pair_of(s), rtol, atol, max_step);
}

static int start(sim_stepper *s, double t, const double *y, double t_end, double step)
{
    const int value = rk_start(pair_of(s), t, y, t_end, step);
    publish(s);
    return value;
}

static sim_step_result result_of(sim_stepper *s, rk_result result)
{
    publish(s);
    return result == RK_STEPPED ? SIM_STEPPED : result == RK_RHS_FAILED ? SIM_RHS_FAILED : SIM_STEP_TOO_SMALL;
}

static sim_step_result step(sim_stepper *s, double t_limit) { return result_of(s, rk_step(pair_of(s), t_limit)); }

static sim_step_result end_at(sim_stepper *s, double t) { return result_of(s, rk_step_again(pair_of(s), t)); }

static sim_step_result step_shorter(sim_stepper *s, double t_limit)
{
    return result_of(s, rk_step_shorter(pair_of(s), t_limit));
}

static void replace(sim_stepper *s, const double *y)
{
    rk_replace(pair_of(s), y);
    publish(s);
}

static void replace_with(sim_stepper *s, const double *y, const double *slope)
{
    rk_replace_with(pair_of(s), y, slope);
    publish(s);
}

static int dense(sim_stepper *s, double t, double *y) { return rk_dense(pair_of(s), t, y); }
static int is_stiff(const sim_stepper *s) { return rk_is_stiff(pair_of(s)); }
static rk_counts counts(const sim_stepper *s) { return rk_counts_get(pair_of(s)); }
static size_t worst(const sim_stepper *s) { return rk_worst(pair_of(s)); }

static void visit(sim_stepper *s, state_walk *w)
{
    rk_visit(pair_of(s), w);
    publish(s);
}

static void forget(sim_stepper *s)
{
    rk_forget(pair_of(s));
    publish(s);
}

static void free_stepper(sim_stepper *s)
{
    rk_free(pair_of(s));
    mem_free(s);
}

static const sim_stepper_ops rk_ops = {
    .set_tolerance = set_tolerance,
    .start = start,
    .step = step,
    .end_at = end_at,
    .step_shorter = step_shorter,
    .replace = replace,
    .replace_with = replace_with,
    .dense = dense,
    .is_stiff = is_stiff,
    .counts = counts,
    .worst = worst,
    .visit = visit,
    .forget = forget,
    .free = free_stepper,
};

mech_status sim_stepper_create(sim_method method, const sim_problem *problem, sim_stepper **out)
{
    *out = NULL;
    if (method != SIM_RK5 && method != SIM_RK8) return sim_stepper_create_sundials(method, problem, out);
    rk_stepper *s = mem_zeroed(1, sizeof *s);
    if (!s) return MECH_ERR_MEMORY;
    s->base.ops = &rk_ops;
    s->base.problem = *problem;
    const mech_status status = rk_create(method == SIM_RK8 ? RK_PAIR_8 : RK_PAIR_5, problem->n, problem->n_control,
                                         problem->f, problem->user, &s->r);
    if (status != MECH_OK) {
        mem_free(s);
        return status;
    }
    rk_set_floor(s->r, problem->floor, problem->may_force);
    *out = &s->base;
    return MECH_OK;
}

void sim_stepper_free(sim_stepper *s)
{
    if (s) s->ops->free(s);
}

const char *sim_method_name(sim_method method)
{
    switch (method) {
    case SIM_RK8: return "Dormand-Prince 8(5,3)";
    case SIM_RK5: return "Dormand-Prince 5(4)";
    case SIM_BDF: return "CVODE BDF";
    case SIM_ADAMS: return "CVODE Adams";
    case SIM_IRK: return "ARKODE implicit Runge-Kutta 5(4)";
    case SIM_MOREAU: return "Moreau-Jean time stepping";
    }
    return "?";
}
