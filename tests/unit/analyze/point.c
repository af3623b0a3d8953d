/* Where a linear system stands: off its constraints, beside a singular mass matrix, at one time only; and
   outputs that have no derivative there. */
#include "unit/analyze/helpers.h"

static const double rest[3] = {0};

/* x^2 + y^2 - 1 at (0, -1.1) is 0.21; its rate at (0, -1) with (1, 0.5) is 2*(-1)*0.5 = -1 */
static void off_constraints(void)
{
    subject s;
    const double low[2] = {0, -1.1}, on[2] = {0, -1}, v[2] = {1, 0.5}, near[2] = {0, -1 - 1e-12};
    if (!subject_text(&s, "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
                          "constraint rod: x^2 + y^2 = 1\nconstraint twice: 1e6*(x^2 + y^2) = 1e6\n"))
        return;
    if (subject_linearize(&s, low, rest, NULL, NULL)) {
        CHECK(s.l->kind == MECH_POINT_OFF && s.l->off_count == 2);
        CHECK_NEAR(s.l->r[0], 0.21, 1e-14);
        CHECK_NEAR(s.l->r[1], 0.21e6, 1e-8);
        CHECK(s.l->r_dot[0] == 0);
    }
    if (subject_linearize(&s, on, v, NULL, NULL)) {
        CHECK(s.l->kind == MECH_POINT_OFF && s.l->r[0] == 0);
        CHECK_NEAR(s.l->r_dot[0], -1, 1e-14);
    }
    /* however the row is scaled, rounding is no violation */
    if (subject_linearize(&s, near, rest, NULL, NULL)) CHECK(s.l->kind == MECH_POINT_EQUILIBRIUM);
    subject_free(&s);
}

/* A spherical pendulum in angles has no modes of its own at the pole; small masses alone are no reason. */
static void without_inertia(void)
{
    static const char *const pendulum = "coord theta, phi\n"
                                        "kinetic (theta'^2 + sin(theta)^2*phi'^2)/2\npotential -9.81*cos(theta)\n";
    subject s;
    const double pole[2] = {1e-20, 0}, beside[2] = {1e-7, 0}, away[2] = {1e-3, 0};
    if (subject_text(&s, pendulum)) {
        if (subject_linearize(&s, pole, rest, NULL, NULL)) CHECK(s.l->weak == 1 && s.l->weak_along == 0);
        if (subject_linearize(&s, beside, rest, NULL, NULL)) CHECK(s.l->weak == 1 && s.l->weak_along == 0);
        if (subject_linearize(&s, away, rest, NULL, NULL)) CHECK(s.l->weak == -1);
    }
    subject_free(&s);
    if (subject_text(&s, "coord x, y\nkinetic x'^2/2 + 1e-40*y'^2/2\npotential x^2/2 + 4e-40*y^2/2\n") &&
        subject_linearize(&s, rest, rest, NULL, NULL)) {
        CHECK(s.l->weak == -1);
        CHECK(has_mode(s.l->motion, 0, 1, 1e-12, 1) && has_mode(s.l->motion, 0, 2, 1e-12, 1));
    }
    subject_free(&s);
    /* Euler's angles: the sum of two diagonal masses hides it from the diagonal */
    for (double theta = 1e-9; theta < 2e-6; theta *= 3) {
        const double nearly[3] = {theta, 0, 0};
        mech_linear_options o;
        mech_linear *l = NULL;
        mech_linear_options_default(&o, sizeof o);
        o.q = nearly;
        o.v = rest;
        if (!subject_text(&s, "coord theta, phi, psi\nkinetic (theta'^2 + (phi'*sin(theta))^2)/2 + (psi' + "
                              "phi'*cos(theta))^2/4\npotential 9.81*cos(theta)\n"))
            return;
        const mech_status status = mech_linearize(s.system, s.eval, &o, &l);
        CHECK(status == MECH_ERR_SINGULAR_MASS ||
              (status == MECH_OK && mech_linear_get(l)->weak == 1 && mech_linear_get(l)->weak_along == 0));
        mech_linear_free(l);
        subject_free(&s);
    }
}

static void time_is_to_blame(void)
{
    subject s;
    if (subject_text(&s, "coord x\ninput F = sin(t)\ninput G = 2\nkinetic x'^2/2\npotential 3*x^2/2\n"
                         "force F on x'\nforce G - 2 on x'\n") &&
        subject_linearize(&s, rest, rest, NULL, NULL)) {
        CHECK(s.l->kind == MECH_POINT_FROZEN && s.l->varies_with_time && s.l->varying_input == 0);
    }
    subject_free(&s);
    if (subject_text(&s, "coord x\ninput G = 2\ninput F = cos(t)\nkinetic x'^2/2\npotential (3 + t)*x^2/2\n"
                         "force G - 2 on x'\n") &&
        subject_linearize(&s, rest, rest, NULL, NULL)) /* the spring stiffens; nothing feels F */
        CHECK(s.l->kind == MECH_POINT_FROZEN && s.l->varies_with_time && s.l->varying_input == -1);
    subject_free(&s);
    /* a body that spins about an axis fixed in space: the coordinates are to blame, time is not */
    const double spin[2] = {0, 1}, q[2] = {1, 0};
    if (subject_text(&s, "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential (x^2 + y^2)/2\n") &&
        subject_linearize(&s, q, spin, NULL, NULL))
        CHECK(s.l->kind == MECH_POINT_FROZEN && !s.l->varies_with_time && s.l->varying_input == -1);
    subject_free(&s);
}

/* sqrt(x'^2 + y'^2) has no derivative at rest: its row alone is undefined. */
static void undefined_output(void)
{
    subject s;
    if (!subject_text(&s, "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential x^2 + y^2\ninitial x = 0.1\n"
                          "output speed = sqrt(x'^2 + y'^2), sum = x + 2*y\n"))
        return;
    if (subject_find(&s, NULL, NULL) && subject_linearize(&s, s.e->q, s.e->v, NULL, NULL)) {
        CHECK(s.e->beginnings == 1);
        CHECK(s.l->undefined_count == 1 && s.l->undefined[0] && !s.l->undefined[1]);
        CHECK(isnan(s.l->C[0]) && s.l->C[1] == 1 && s.l->C[3] == 2);
        CHECK(has_mode(s.l->motion, 0, sqrt(2), 1e-12, 2));
        char *text = mech_system_output_text(s.system, 0);
        CHECK(text && strstr(text, "sqrt"));
        mech_text_free(text);
        CHECK(mech_system_output_text(s.system, 2) == NULL);
    }
    subject_free(&s);
}

/* x^4 has no derivatives at 0, yet something depends on x; nothing depends on s. */
static void cyclic_is_everywhere(void)
{
    subject s;
    if (subject_text(&s, "coord x, s\nkinetic (x'^2 + s'^2)/2\npotential x^4/4\n") &&
        subject_linearize(&s, rest, rest, NULL, NULL))
        CHECK(s.l->cyclic_count == 1 && s.l->cyclic[0] == 1);
    subject_free(&s);
}

/* A force is a force beside a damper, however strong: at rest x'' = 1 - c x' is no equilibrium, whatever c is, and
   where the damper holds the force it is a steady motion. */
static void beside_a_damper(void)
{
    subject s;
    for (double c = 1; c < 1e10; c *= 100) {
        char text[200];
        const double steady[2] = {1 / c, 0};
        snprintf(text, sizeof text, "coord x, y\nkinetic (x'^2 + y'^2)/2\nforce 1 - %.17g*x' on x'\npotential y^2\n",
                 c);
        if (!subject_text(&s, text)) return;
        if (subject_linearize(&s, rest, rest, NULL, NULL)) CHECK(s.l->kind == MECH_POINT_FROZEN);
        if (subject_linearize(&s, rest, steady, NULL, NULL)) CHECK(s.l->kind != MECH_POINT_FROZEN);
        subject_free(&s);
    }
}

int main(void)
{
    beside_a_damper();
    off_constraints();
    without_inertia();
    time_is_to_blame();
    undefined_output();
    cyclic_is_everywhere();
    return check_report();
}
