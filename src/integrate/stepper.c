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
