/* In place of stepper_sundials.c where the build goes without SUNDIALS. */
#include "integrate/stepper.h"

mech_status sim_stepper_create_sundials(sim_method method, const sim_problem *problem, sim_stepper **out)
{
    (void)method, (void)problem;
    *out = NULL;
    return MECH_ERR_UNSUPPORTED;
}
