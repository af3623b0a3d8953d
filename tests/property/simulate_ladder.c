/* The four-bar ladder (IFToMM A02) through its singular positions: energy within 1e-7 of its first value,
   constraints within 1e-9, the end within 1e-6 of the exact motion, which has one degree of freedom:
   [(N+1)/3 + N] theta'' = -g [(N+1)/2 + N] cos(theta), theta(0) = pi/2, theta'(0) = -1. */
#include "support/motion.h"

static double exact_theta(double N, double until)
{
    const double c = -9.81 * ((N + 1) / 2 + N) / ((N + 1) / 3 + N);
    const int steps = 40000;
    const double h = until / steps;
    double q = M_PI / 2, v = -1;
    for (int i = 0; i < steps; i++) {
        const double k1 = c * cos(q), k2 = c * cos(q + h / 2 * v), k3 = c * cos(q + h / 2 * (v + h / 2 * k1)),
                     k4 = c * cos(q + h * (v + h / 2 * k2));
        q += h * v + h * h / 6 * (k1 + k2 + k3);
        v += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    }
    return q;
}

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
