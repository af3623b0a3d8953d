/* First-order states in constraints: phi(t, q, z) = 0 has phi' = phi_q v + phi_z z'(t, q, v, z) + phi_t. Against the same motion written
   without states, and closed forms. */
#include "support/motion.h"

/* A state with a closed form, s = cos(2t)/4, in place of the function itself: the same motion in as many steps, and no more drift. */
static void same_as_a_function(void)
{
    static const char *const texts[] = {
        "coord x, y, w\nkinetic (x'^2 + y'^2 + 2*w'^2)/2\npotential (x - 1)^2 + y^2/2 + w^2\n"
        "constraint c: y = cos(2*t)/4 + sin(x)/2\nsimulate until 50, points 501\n",
        "coord x, y, w\nkinetic (x'^2 + y'^2 + 2*w'^2)/2\npotential (x - 1)^2 + y^2/2 + w^2\n"
        "state s: s' = -sin(2*t)/2\ninitial s = 1/4\nconstraint c: y = s + sin(x)/2\nsimulate until 50, points 501\n"};
    static const mech_method methods[] = {MECH_METHOD_RK8, MECH_METHOD_RK5, MECH_METHOD_BDF, MECH_METHOD_ADAMS, MECH_METHOD_IRK};
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        double x[2] = {0, 0}, steps[2] = {0, 0};
        for (int i = 0; i < 2; i++) {
            motion m;
            if (!motion_read(&m, texts[i])) return;
            if (mech_system_prepare_jacobian(m.system) != MECH_OK) CHECK(0);
            motion_settings(&m, 1e-8);
            m.settings.method = methods[k];
            if (motion_may_run(&m)) {
                const mech_sim_info info = mech_sim_info_get(m.sim);
                x[i] = motion_end(&m, "x");
                steps[i] = (double)info.steps;
                CHECK(info.raw_phi < 1e-5 && info.raw_velocity < 1e-5);
            }
            motion_free(&m);
        }
        CHECK_NEAR(x[0], x[1], 1e-5);
        CHECK(steps[1] <= 1.2 * steps[0]);
    }
}

int main(void)
{
    same_as_a_function();
    return check_report();
}
