/* Every allocation of a run fails once: a clean status each time, and nothing is left behind. */
#include "support/mem_fault.h"
#include "check.h"

#include <mech/lang.h>
#include <mech/simulate.h>

static const char text[] = "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential y\nconstraint rod: x^2 + y^2 = 1\n"
                           "friction on rod: 0.1, along [x', y']\nevent low: x falls through 0 -> record\n"
                           "initial x = 1, y = 0, y' = 0\nsimulate until 2\n";

int main(void)
{
    mech_diagnostics *diagnostics = mech_diagnostics_create();
    mech_model *model;
    mech_system *system;
    CHECK(mech_read_text("test", text, sizeof text - 1, NULL, diagnostics, &model) == MECH_OK);
    CHECK(mech_system_from_model(model, diagnostics, &system) == MECH_OK);
    const size_t live = mem_fault_live();
    int finished = 0;
    for (size_t k = 1; k < 400 && !finished; k++) {
        mech_sim *sim;
        mem_fault_set(k);
        mech_status status = mech_sim_create(system, NULL, &sim);
        if (status == MECH_OK) status = mech_sim_run(sim);
        finished = !mem_fault_hit();
        CHECK(finished ? status == MECH_OK : status == MECH_ERR_MEMORY || status == MECH_OK);
        mem_fault_set(0);
        mech_sim_free(sim);
        CHECK(mem_fault_live() == live);
    }
    CHECK(finished);
    mech_system_free(system);
    mech_model_free(model);
    mech_diagnostics_free(diagnostics);
    return check_report();
}
