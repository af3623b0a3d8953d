/* Which stepper makes the steps of a method. */
#include "integrate/stepper.h"

mech_status sim_stepper_create(sim_method method, const sim_problem *problem, sim_stepper **out)
{
    return method == SIM_RK5 || method == SIM_RK8 ? sim_stepper_create_rk(method, problem, out)
                                                  : sim_stepper_create_sundials(method, problem, out);
}

void sim_stepper_free(sim_stepper *s)
{
    if (s) s->ops->free(s);
}

const sim_method_facts sim_methods[] = {
    [SIM_RK8] = {"Dormand-Prince 8(5,3)", .degree = 7, .is_pair = 1},
    [SIM_RK5] = {"Dormand-Prince 5(4)", .degree = 4, .is_pair = 1},
    [SIM_BDF] = {"CVODE BDF", .degree = 5, .is_multistep = 1},
    [SIM_ADAMS] = {"CVODE Adams", .degree = SIM_MOST_DEGREE, .is_multistep = 1},
    [SIM_IRK] = {"ARKODE implicit Runge-Kutta 5(4)", .degree = 5},
    [SIM_MOREAU] = {"Moreau-Jean time stepping", .degree = 1, .is_pair = 1},
};
