/* Every allocation of a run fails once: a clean status each time, and nothing is left behind. */
#include "support/mem_fault.h"
#include "check.h"

#include <mech/lang.h>
#include <mech/simulate.h>

static const char small[] = "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential y\nconstraint rod: x^2 + y^2 = 1\n"
                            "friction on rod: 0.1, along [x', y']\nevent low: x falls through 0 -> record\n"
                            "initial x = 1, y = 0, y' = 0\nsimulate until 2\n";

/* Small enough for a full Jacobian. */
static const char plain[] =
    "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential y\nconstraint rod: x^2 + y^2 = 1\n"
    "event low: x falls through 0 -> set y' = 0\ninitial x = 0.01, x' = -1\nguess y = -1\nsimulate until 0.05, points 3\n";

/* Large enough for the sparse solver; the last constraint says what others say already. */
static const char large[] =
    "param N = 20\ncoord x[1..N], y[1..N]\n"
    "for i in 1..N {\n kinetic (x[i]'^2 + y[i]'^2)/2\n potential y[i]\n initial x[i] = i, y[i] = 0\n}\n"
    "constraint rod[1]: x[1]^2 + y[1]^2 = 1\n"
    "for i in 2..N { constraint rod[i]: (x[i] - x[i-1])^2 + (y[i] - y[i-1])^2 = 1 }\n"
    "constraint again: (x[5] - x[4])^2 + (y[5] - y[4])^2 = 1\n"
    "simulate until 0.05\n";

static void fails_once(const char *text, size_t length, mech_method method)
{
    mech_diagnostics *diagnostics = mech_diagnostics_create();
    mech_model *model;
    mech_system *system;
    CHECK(mech_read_text("test", text, length, NULL, diagnostics, &model) == MECH_OK);
    const mech_system_options with = {.size = sizeof with, .with_derivatives = method != MECH_METHOD_AUTO};
    CHECK(mech_system_create(model, &with, diagnostics, &system) == MECH_OK);
    mech_sim_settings settings;
    mech_sim_settings_default(&settings, sizeof settings);
    settings.method = method;
    const size_t live = mem_fault_live();
    int finished = 0;
    for (size_t k = 1; k < 2000 && !finished; k++) {
        mech_sim *sim;
        mem_fault_set(k);
        mech_status status = mech_sim_create(system, &settings, &sim);
        if (status == MECH_OK) status = mech_sim_run(sim);
        finished = !mem_fault_hit();
        CHECK(status == MECH_OK || status == MECH_ERR_UNSUPPORTED || (!finished && status == MECH_ERR_MEMORY));
        mem_fault_set(0);
        mech_sim_free(sim);
        CHECK(mem_fault_live() == live);
    }
    CHECK(finished);
    mech_system_free(system);
    mech_model_free(model);
    mech_diagnostics_free(diagnostics);
}

/* A run that is reset allocates the first time, and never again, and neither does the run that follows; a reset without
   memory changes nothing. */
static void resets(const char *text, size_t length, mech_method method)
{
    mech_diagnostics *diagnostics = mech_diagnostics_create();
    mech_model *model;
    mech_system *system;
    mech_sim *sim;
    mech_sim_settings settings;
    CHECK(mech_read_text("test", text, length, NULL, diagnostics, &model) == MECH_OK);
    CHECK(mech_system_from_model(model, diagnostics, &system) == MECH_OK);
    mech_sim_settings_default(&settings, sizeof settings);
    settings.method = method;
    const size_t live = mem_fault_live();
    CHECK(mech_sim_create(system, &settings, &sim) == MECH_OK && mech_sim_run(sim) == MECH_OK);
    const double x = mech_sim_q(sim)[0];
    int finished = 0;
    for (size_t k = 1; k < 2000 && !finished; k++) {
        mem_fault_set(k);
        const mech_status status = mech_sim_reset(sim);
        finished = !mem_fault_hit();
        mem_fault_set(0);
        CHECK(finished ? status == MECH_OK : status == MECH_ERR_MEMORY && mech_sim_q(sim)[0] == x);
    }
    CHECK(finished && mech_sim_run(sim) == MECH_OK && mech_sim_q(sim)[0] == x);
    for (int turn = 0; turn < 3; turn++) {
        mem_fault_set(0);
        CHECK(mech_sim_reset(sim) == MECH_OK && mech_sim_run(sim) == MECH_OK && mech_sim_q(sim)[0] == x);
        CHECK(mem_fault_calls() == 0);
    }
    mech_sim_free(sim);
    CHECK(mem_fault_live() == live);
    mech_system_free(system);
    mech_model_free(model);
    mech_diagnostics_free(diagnostics);
}

int main(void)
{
    resets(small, sizeof small - 1, MECH_METHOD_RK8);
    resets(small, sizeof small - 1, MECH_METHOD_RK5);
    resets(plain, sizeof plain - 1, MECH_METHOD_RK8);
    fails_once(small, sizeof small - 1, MECH_METHOD_AUTO);
    fails_once(large, sizeof large - 1, MECH_METHOD_AUTO);
    fails_once(large, sizeof large - 1, MECH_METHOD_BDF);
    fails_once(plain, sizeof plain - 1, MECH_METHOD_BDF);
    fails_once(plain, sizeof plain - 1, MECH_METHOD_ADAMS);
    fails_once(plain, sizeof plain - 1, MECH_METHOD_IRK);
    return check_report();
}
