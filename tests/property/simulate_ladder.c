/* The four-bar ladder (IFToMM A02) through its singular positions: energy within 1e-7 of its first value,
   constraints within 1e-9, the end within 1e-6 of the exact motion, which has one degree of freedom:
   [(N+1)/3 + N] theta'' = -g [(N+1)/2 + N] cos(theta), theta(0) = pi/2, theta'(0) = -1. */
#include "support/ladder.h"
#include "support/motion.h"

static void ladder(double N, double until)
{
    const mech_override size = {"N", N};
    motion m;
    if (!motion_read_with(&m, "examples/four-bar-ladder/model.mech", &size, 1)) return;
    motion_settings(&m, 1e-10);
    m.settings.until = until;
    motion_must_run(&m);
    const mech_sim_info info = mech_sim_info_get(m.sim);
    const double theta = exact_theta(N, until);
    CHECK_NEAR(2 * motion_end(&m, "x[1]"), cos(theta), 1e-6);
    CHECK_NEAR(2 * motion_end(&m, "y[1]"), sin(theta), 1e-6);
    CHECK(info.phi < 1e-9 && info.phi_dot < 1e-9);
    CHECK(info.balance_error < 1e-7 * fabs(info.energy_first));
    CHECK(info.near_singular > 0);
    motion_free(&m);
}

int main(void)
{
    ladder(1, 10);
    ladder(10, 10);
#ifdef __SANITIZE_ADDRESS__
    ladder(40, 2);
#else
    ladder(40, 10);
#endif
    return check_report();
}
