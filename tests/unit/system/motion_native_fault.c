/* Every allocation of preparing and asking for the motion fails once: an error or the interpreter, never a leak. */
#include "check.h"
#include "support/mem_fault.h"

#include <mech/lang.h>
#include <mech/system.h>

static mech_status whole(const mech_model *model, mech_system *system)
{
    const double q[2] = {0.6, -0.8}, v[2] = {0.8, 0.6};
    double qdd[2], lambda[2];
    mech_eval *e = NULL;
    mech_motion_settings settings;
    mech_motion_settings_default(&settings, sizeof settings);
    settings.native = MECH_NATIVE_ON;
    settings.compiler = "no-such-compiler"; /* the text is made all the same */
    settings.q = q;
    settings.v = v;
    (void)model;
    mech_status status = mech_system_prepare_motion(system, &settings);
    if (status == MECH_OK) status = mech_eval_create(system, MECH_STORAGE_SPARSE, &e);
    mech_motion motion = {.size = sizeof motion, .qdd = qdd, .lambda = lambda};
    if (status == MECH_OK) status = mech_eval_motion(e, 0, q, v, &motion);
    if (status == MECH_OK) CHECK(fabs(q[0] * qdd[0] + q[1] * qdd[1] + 1) < 1e-12);
    mech_eval_free(e);
    return status;
}

int main(void)
{
    static const char text[] = "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
                               "constraint a: x^2 + y^2 = 1\nconstraint b: sqrt(x^2 + y^2) = 1\n";
    for (size_t k = 1; k < 5000; k++) { /* a pool that failed once stays failed: a new model each time */
        mech_diagnostics *d = mech_diagnostics_create();
        mech_model *model = NULL;
        mech_system *system = NULL;
        CHECK(mech_read_text("test", text, strlen(text), NULL, d, &model) == MECH_OK);
        CHECK(mech_system_from_model(model, d, &system) == MECH_OK);
        mem_fault_set(k);
        const mech_status status = whole(model, system);
        const int fired = mem_fault_hit();
        mem_fault_set(0);
        CHECK(status == MECH_OK || status == MECH_ERR_MEMORY);
        mech_system_free(system);
        mech_model_free(model);
        mech_diagnostics_free(d);
        if (!fired) {
            printf("%zu allocations\n", k - 1);
            return check_report();
        }
    }
    CHECK(0);
    return check_report();
}
