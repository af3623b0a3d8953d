/* States in holonomic rows: the tangent space of phi(q, z) = 0 has d phi/dz in it, and equilibria move the states too.
   */
#include "unit/analyze/helpers.h"
#include "unit/analyze/random_models.h"

/* With y = x + 0.7 s, (p - 1.1) s = x and (2 p^2 + 0.4 p + 4.8) x + (0.7 p^2 + 0.63) s = 0: 2 p^3 - 1.1 p^2 + 4.36 p -
   4.65 = 0. */
static void unstable_filter(void)
{
    subject s;
    if (!subject_text(
            &s, "coord x, y\nstate s: s' = -0.3*s - x + 2*y\nkinetic (x'^2 + y'^2)/2\npotential (3.9*x^2 + 0.9*y^2)/2\n"
                "dissipation 0.2*x'^2\nconstraint c: y = x + 0.7*s\ninitial x = 0.001\n") ||
        !subject_find(&s, NULL, NULL) || !subject_linearize(&s, s.e->q, s.e->v, NULL, NULL))
        return;
    CHECK(s.l->freedom == 3 && s.l->rank_position == 1 && s.l->rank_velocity == 1 && s.l->leak < 1e-14);
    for (int k = 0; k < s.l->motion->n; k++) { /* p(root) = 0, real and imaginary part */
        const double a = s.l->motion->real[k], b = s.l->motion->imaginary[k];
        CHECK_NEAR(2 * (a * a * a - 3 * a * b * b) - 1.1 * (a * a - b * b) + 4.36 * a - 4.65, 0, 1e-12);
        CHECK_NEAR(2 * (3 * a * a * b - b * b * b) - 2.2 * a * b + 4.36 * b, 0, 1e-12);
    }
    CHECK(s.l->motion->n == 3 && s.l->motion->right == 1 && s.l->motion->verdict == MECH_VERDICT_UNSTABLE &&
          s.l->motion->agree);
    subject_free(&s);
}

/* -2 s + y + 1 = 0, y = x + 3 s and 3 x - 1 + y - 2 = 0 at rest: x = 6, y = -15, s = -7; lambda = y - 2. */
static void equilibrium_of_states(void)
{
    subject s;
    if (!subject_text(
            &s, "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential (3*x^2 + y^2)/2 - x - 2*y\nstate s: s' = -2*s + y + 1\n"
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

/* Random models, some with velocities in the rates. Expected: the equilibrium by Newton's method, and the finite
   eigenvalues of the pencil (E, J) of q' = v, M v' = Q + A' l, z' = g, 0 = phi, J by complex steps, E = diag(1, 1, 1,
   0), by scipy.linalg.eig. */
static void random_models(void)
{
    for (size_t k = 0; k < sizeof random_cases / sizeof *random_cases; k++) {
        subject s;
        if (!subject_text(&s, random_cases[k].text) || !subject_find(&s, NULL, NULL) ||
            !subject_linearize(&s, s.e->q, s.e->v, NULL, NULL))
            return;
        for (int i = 0; i < s.e->n + s.e->states; i++)
            CHECK_NEAR(i < s.e->n ? s.e->q[i] : s.e->z[i - s.e->n], random_cases[k].point[i],
                       1e-9 * (1 + fabs(random_cases[k].point[i])));
        CHECK(s.l->motion->n == random_cases[k].modes && s.l->motion->zero == 0 && s.l->leak < 1e-12 &&
              !mech_linear_doubt(s.l));
        for (int i = 0; i < random_cases[k].modes; i++)
            CHECK(has_mode(s.l->motion, random_cases[k].mode[i][0], random_cases[k].mode[i][1], 1e-7, 1));
        subject_free(&s);
    }
}

/* Where constraints lose rank there is no tangent space: two lines that cross, a wheel that does not roll where x = 0,
   rods in one line, a square. */
static void lost_rank(void)
{
    static const struct {
        const char *text;
        int row; /* -1: none is lost */
    } cases[] = {
        {"coord x, y\nkinetic (x'^2 + y'^2)/2\npotential (2*x^2 + y^2)/2\nconstraint c: x*y = 0\n", 0},
        {"coord x, y\nkinetic (x'^2 + y'^2)/2\npotential (2*x^2 + y^2)/2\nconstraint c: x*y' = 0\n", 0},
        {"coord a, b, c\nkinetic (a'^2 + b'^2 + c'^2)/2\npotential (a^2 + b^2/2 + c^2)/2\nconstraint px: cos(a) + 2*cos(b) = 2 + cos(c)\n"
         "constraint py: sin(a) + 2*sin(b) = sin(c)\n",
         0},
        {"coord x, y\nkinetic (x'^2 + y'^2)/2\npotential (x^2 + y^2)/2\nconstraint c: x^2 = 0\n", 0},
        /* one row too many everywhere, or only on the constraints: nothing is lost */
        {"coord x, y\nkinetic (x'^2 + y'^2)/2\npotential y\nconstraint c: x^2 + y^2 = 1\nconstraint d: 2*x^2 + 2*y^2 = 2\nconstraint e: x*x' + y*y' = 0\nguess y = -1\n",
         -1},
        {"coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\npotential x^2 + y^2 + z^2\nconstraint c: x = y\nconstraint d: z*(x - y) = 0\nconstraint e: y = z + (x - y)^2\n",
         -1},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        subject s;
        if (!subject_text(&s, cases[k].text) || !subject_find(&s, NULL, NULL) ||
            !subject_linearize(&s, s.e->q, s.e->v, NULL, NULL))
            return;
        CHECK(s.l->lost == cases[k].row);
        CHECK((mech_linear_doubt(s.l) != NULL) == (cases[k].row >= 0));
        if (s.l->lost != cases[k].row) fprintf(stderr, "case %zu: row %d\n", k, s.l->lost);
        subject_free(&s);
    }
}

/* y = s and y = z with different rates leave no motion but y = s = z = 0: the accelerations do not show it, and the
   tangent space leaks. */
static void two_states(void)
{
    subject s;
    if (!subject_text(
            &s,
            "coord x, y\nkinetic (x'^2 + y'^2)/2\nstate s: s' = -s + x\nstate z: z' = -2*z + x\npotential (2*x^2 + y^2)/2\n"
            "constraint c: y = s\nconstraint d: y = z\n") ||
        !subject_find(&s, NULL, NULL) || !subject_linearize(&s, s.e->q, s.e->v, NULL, NULL))
        return;
    CHECK(s.l->leak > 0.1 && mech_linear_doubt(s.l) && strstr(mech_linear_doubt(s.l), "leaves the constraints"));
    subject_free(&s);
}

/* x = f holds a position and a speed, however little f does besides: of 5 states 3 are left, y, y' and f. And a row in
   which a velocity shows by 1e-54 says nothing of how far its coordinate goes: of 6 states 3 are left. */
static void hardly_felt(void)
{
    subject s;
    mech_linear_options o;
    mech_linear_options_default(&o, sizeof o);
    o.q = (double[]){1, 0};
    o.v = (double[]){-2, 0};
    o.z = (double[]){1};
    if (!subject_text(&s, "coord x, y\nkinetic (x'^2 + y'^2)/2\nstate f: f' = -2*f\npotential 1e-9*f*x + y^2/2\n"
                          "constraint j: x = f\n") ||
        mech_linearize(s.system, s.eval, &o, &s.linear) != MECH_OK)
        return;
    s.l = mech_linear_get(s.linear);
    CHECK(s.l->freedom == 3 && s.l->rank_position == 1 && s.l->rank_velocity == 1);
    CHECK(has_mode(s.l->motion, -2, 0, 1e-9, 1) && has_mode(s.l->motion, 0, 1, 1e-9, 1));
    subject_free(&s);
    if (!subject_text(&s, "coord y, th, x\nkinetic y'^2/2 + 1.3*x'^2\nconstraint tie: th = 4.7\n"
                          "constraint wire: x'^2 + th'^2/4 = 1.2\n") ||
        !subject_linearize(&s, (double[]){0.5, 4.7, 0}, (double[]){-0.5, 3e-54, -sqrt(1.2)}, NULL, NULL))
        return;
    CHECK(s.l->freedom == 3 && s.l->rank_position == 1 && s.l->rank_velocity == 2);
    subject_free(&s);
}

int main(void)
{
    hardly_felt();
    unstable_filter();
    equilibrium_of_states();
    random_models();
    lost_rank();
    two_states();
    return check_report();
}
