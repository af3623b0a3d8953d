/* States in holonomic rows: the tangent space of phi(q, z) = 0 has d phi/dz in it, and equilibria move the states too. */
#include "unit/analyze/helpers.h"

/* With y = x + 0.7 s, (p - 1.1) s = x and (2 p^2 + 0.4 p + 4.8) x + (0.7 p^2 + 0.63) s = 0: 2 p^3 - 1.1 p^2 + 4.36 p - 4.65 = 0. */
static void unstable_filter(void)
{
    subject s;
    if (!subject_text(&s, "coord x, y\nstate s: s' = -0.3*s - x + 2*y\nkinetic (x'^2 + y'^2)/2\npotential (3.9*x^2 + 0.9*y^2)/2\n"
                          "dissipation 0.2*x'^2\nconstraint c: y = x + 0.7*s\ninitial x = 0.001\n") ||
        !subject_find(&s, NULL, NULL) || !subject_linearize(&s, s.e->q, s.e->v, NULL, NULL))
        return;
    CHECK(s.l->freedom == 3 && s.l->rank_position == 1 && s.l->rank_velocity == 1 && s.l->leak < 1e-14);
    for (int k = 0; k < s.l->motion->n; k++) { /* p(root) = 0, real and imaginary part */
        const double a = s.l->motion->real[k], b = s.l->motion->imaginary[k];
        CHECK_NEAR(2 * (a * a * a - 3 * a * b * b) - 1.1 * (a * a - b * b) + 4.36 * a - 4.65, 0, 1e-12);
        CHECK_NEAR(2 * (3 * a * a * b - b * b * b) - 2.2 * a * b + 4.36 * b, 0, 1e-12);
    }
    CHECK(s.l->motion->n == 3 && s.l->motion->right == 1 && s.l->motion->verdict == MECH_UNSTABLE && s.l->motion->agree);
    subject_free(&s);
}

/* -2 s + y + 1 = 0, y = x + 3 s and 3 x - 1 + y - 2 = 0 at rest: x = 6, y = -15, s = -7; lambda = y - 2. */
static void equilibrium_of_states(void)
{
    subject s;
    if (!subject_text(&s, "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential (3*x^2 + y^2)/2 - x - 2*y\nstate s: s' = -2*s + y + 1\n"
                          "constraint c: y = x + 3*s\ninitial x = 1\n") ||
        !subject_find(&s, NULL, NULL))
        return;
    CHECK_NEAR(s.e->q[0], 6, 1e-12);
    CHECK_NEAR(s.e->q[1], -15, 1e-12);
    CHECK_NEAR(s.e->z[0], -7, 1e-12);
    CHECK_NEAR(s.e->lambda[0], -17, 1e-11);
    CHECK(s.e->family == 0 && s.e->residual < 1e-12);
    subject_free(&s);
}

int main(void)
{
    unstable_filter();
    equilibrium_of_states();
    return check_report();
}
