/* Linearization on the constraints against closed forms, to 1e-10. */
#include "unit/analyze/helpers.h"

#include "analyze/eigen.h"

static const char *const pendulum = "param m = 1, l = 0.7, g = 9.8\ncoord x, y\nkinetic m/2*(x'^2 + y'^2)\n"
                                    "potential m*g*y\nconstraint rod: x^2 + y^2 = l^2\nguess x = 0.3, y = -0.6\n";

/* +- i sqrt(g/l) below, +- sqrt(g/l) above; constraint modes are those of the gains, nothing else */
static void cartesian_pendulum(void)
{
    subject s;
    const double w = sqrt(9.8 / 0.7), B = 20, K = 100;
    if (!subject_text(&s, pendulum) || !subject_find(&s, NULL, NULL)) return;
    CHECK_NEAR(s.e->q[0], 0, 1e-12);
    CHECK_NEAR(fabs(s.e->q[1]), 0.7, 1e-14);
    CHECK_NEAR(s.e->Qi[1], 9.8, 1e-12);
    CHECK(s.e->unique_lambda[0] && s.e->unique_force[0] && s.e->rank == 1 && s.e->family == 0);
    const double below[2] = {0, -0.7}, above[2] = {0, 0.7}, rest[2] = {0, 0};
    if (subject_linearize(&s, below, rest, &B, &K)) {
        CHECK(s.l->kind == MECH_POINT_EQUILIBRIUM && s.l->freedom == 2 && s.l->rank_position == 1 &&
              s.l->rank_velocity == 1);
        CHECK(has_mode(s.l->motion, 0, w, 1e-12, 1) && has_mode(s.l->motion, 0, -w, 1e-12, 1));
        CHECK(s.l->motion->verdict == MECH_VERDICT_MARGINAL && s.l->leak < 1e-14);
        CHECK(has_mode(s.l->constraint, -10, 0, 1e-6, 2) && s.l->constraint->verdict == MECH_VERDICT_STABLE);
    }
    if (subject_linearize(&s, above, rest, NULL, NULL)) {
        CHECK(has_mode(s.l->motion, w, 0, 1e-12, 1) && has_mode(s.l->motion, -w, 0, 1e-12, 1));
        CHECK(s.l->motion->verdict == MECH_VERDICT_UNSTABLE && s.l->motion->right == 1 && s.l->motion->agree);
        CHECK(s.l->constraint->zero == 2 && s.l->constraint->longest_chain == 2); /* no gains: drift */
    }
    const double aside[2] = {0.7 * 0.6, -0.7 * 0.8};
    if (subject_linearize(&s, aside, rest, NULL, NULL)) CHECK(s.l->kind == MECH_POINT_FROZEN);
    subject_free(&s);
}

/* The same eigenvalues with the constraint written three ways. */
static void redundant(void)
{
    static const char *const more = "constraint doubled: 2*x^2 + 2*y^2 = 2*l^2\nconstraint rate: x*x' + y*y' = 0\n";
    char text[600];
    subject s;
    const double w = sqrt(9.8 / 0.7), below[2] = {0, -0.7}, rest[2] = {0, 0};
    snprintf(text, sizeof text, "%s%s", pendulum, more);
    if (!subject_text(&s, text) || !subject_find(&s, NULL, NULL)) return;
    CHECK(s.e->rank == 1 && !s.e->unique_lambda[0] && !s.e->unique_force[0]);
    CHECK_NEAR(s.e->Qi[1], 9.8, 1e-10);
    if (subject_linearize(&s, below, rest, NULL, NULL)) {
        CHECK(s.l->freedom == 2 && s.l->rank_position == 1);
        CHECK(has_mode(s.l->motion, 0, w, 1e-12, 1) && has_mode(s.l->motion, 0, -w, 1e-12, 1));
    }
    subject_free(&s);
}

/* What two rows that say the same give together is m g - F, whatever each of them does: its rows of C and D are unique,
   0 and -1. Those of one share are not. */
static void shares(void)
{
    static const double rest[2] = {0, 0};
    subject s;
    if (!subject_text(&s, "param m = 2\ncoord x, y\ninput F = 0\nkinetic m/2*(x'^2 + y'^2)\npotential m*9.81*y + x^2\n"
                          "constraint floor: y = 0\nconstraint again: 2*y = 0\nforce F on x' + y'\n"
                          "output both = force(floor, y) + force(again, y), share = force(floor, y), place = x\n"))
        return;
    if (subject_linearize(&s, rest, rest, NULL, NULL)) {
        CHECK(s.l->choice_count == 1 && s.l->output_is_choice[1]);
        CHECK(!s.l->output_is_choice[0] && !s.l->output_is_choice[2]);
        CHECK_NEAR(s.l->D[0], -1, 1e-13);
        for (int j = 0; j < s.l->freedom; j++) CHECK_NEAR(s.l->reduced_C[3 * j], 0, 1e-13);
        CHECK(has_mode(s.l->motion, 0, 1, 1e-12, 1)); /* left as it was found: w^2 = 2/m */
    }
    subject_free(&s);
}

/* w^2 = g/l (2 -+ sqrt 2), in angles and in Cartesian coordinates */
static void double_pendulum(void)
{
    const double slow = sqrt(9.81 * (2 - sqrt(2))), fast = sqrt(9.81 * (2 + sqrt(2)));
    const double q[4] = {0, -1, 0, -2}, rest[4] = {0};
    subject s;
    if (subject_file(&s, "examples/double-pendulum/model-cartesian.mech") &&
        subject_linearize(&s, q, rest, NULL, NULL)) {
        CHECK(s.l->freedom == 4 && s.l->motion->verdict == MECH_VERDICT_MARGINAL);
        CHECK(has_mode(s.l->motion, 0, slow, 1e-12, 1) && has_mode(s.l->motion, 0, fast, 1e-12, 1));
    }
    subject_free(&s);
    if (subject_file(&s, "examples/double-pendulum/model.mech") && subject_linearize(&s, rest, rest, NULL, NULL))
        CHECK(has_mode(s.l->motion, 0, slow, 1e-12, 1) && has_mode(s.l->motion, 0, fast, 1e-12, 1));
    subject_free(&s);
}

/* PROBLEMS.md section 3: both equilibria, eigenvalues to all printed digits */
static void four_bar(void)
{
    subject s;
    if (!subject_file(&s, "examples/four-bar-spring/model.mech")) return;
    const double near[3] = {2.2, 0, 2.2}, square[3] = {1.6, 0.02, 1.55};
    if (subject_find(&s, near, NULL)) {
        CHECK_NEAR(s.e->q[2], 2.2343310190175859114, 1e-13);
        if (subject_linearize(&s, s.e->q, s.e->v, NULL, NULL)) {
            CHECK(s.l->freedom == 2 && s.l->motion->verdict == MECH_VERDICT_STABLE && s.l->motion->routh_right <= 0);
            CHECK(has_mode(s.l->motion, -0.24238580931050509653, 2.1339550283483802956, 1e-12, 1));
        }
    }
    mech_equilibrium_free(s.equilibrium);
    s.equilibrium = NULL;
    if (subject_find(&s, square, NULL)) {
        CHECK_NEAR(s.e->q[2], 1.5707963267948966, 1e-12);
        if (subject_linearize(&s, s.e->q, s.e->v, NULL, NULL)) {
            CHECK(s.l->motion->verdict == MECH_VERDICT_UNSTABLE);
            CHECK(has_mode(s.l->motion, 1.92231754323511, 0, 1e-12, 1) &&
                  has_mode(s.l->motion, -2.22231754323511, 0, 1e-12, 1));
        }
    }
    subject_free(&s);
}

/* Steady straight run at speed V: (J + m a^2) w' = -m a V w. Forward it is stable, backward unstable. */
static void sleigh(void)
{
    char text[500];
    for (int sign = -1; sign <= 1; sign += 2) {
        subject s;
        const double V = 1.5 * sign, rate = -0.1 * V / (0.1 + 0.01);
        snprintf(text, sizeof text,
                 "param m = 1, J = 0.1, a = 0.1\ncoord X, Y, phi\nkinetic m/2*(X'^2 + Y'^2) + J/2*phi'^2\n"
                 "constraint skate: -X'*sin(phi) + Y'*cos(phi) - a*phi' = 0\nsteady X' = %g\n",
                 V);
        if (!subject_text(&s, text) || !subject_find(&s, NULL, NULL)) continue;
        CHECK_NEAR(s.e->v[0], V, 1e-14);
        CHECK(s.e->is_steady);
        if (subject_linearize(&s, s.e->q, s.e->v, NULL, NULL)) {
            CHECK(s.l->kind == MECH_POINT_STEADY && s.l->freedom == 5 && s.l->rank_position == 0);
            CHECK(s.l->cyclic_count == 2 && s.l->cyclic[0] == 0 && s.l->cyclic[1] == 1);
            CHECK(has_mode(s.l->motion, rate, 0, 1e-12, 1) && s.l->motion->zero == 2);
            CHECK(s.l->motion->right == (sign < 0) &&
                  s.l->motion->verdict == (sign < 0 ? MECH_VERDICT_UNSTABLE : MECH_VERDICT_MARGINAL));
        }
        subject_free(&s);
    }
}

/* PROBLEMS.md 5.2: +- sqrt(4/5 - 12/5 w^2) for r = g = m = 1; at w = 1/sqrt(3) all eight are zero */
static void rolling_disk(void)
{
    const double spins[3] = {0.3, 0.57735026918962576451, 1.1};
    subject s;
    if (!subject_file(&s, "examples/rolling-disk/model.mech")) return;
    CHECK(mech_eval_set_param(s.eval, "m", 1) == MECH_OK && mech_eval_set_param(s.eval, "r", 1) == MECH_OK &&
          mech_eval_set_param(s.eval, "g", 1) == MECH_OK);
    for (int k = 0; k < 3; k++) {
        const double w = spins[k], q[5] = {0}, v[5] = {0, 0, w, w, 0}, square = 0.8 - 2.4 * w * w;
        if (!subject_linearize(&s, q, v, NULL, NULL)) continue;
        CHECK(s.l->kind == MECH_POINT_STEADY && s.l->freedom == 8 && s.l->cyclic_count == 3);
        if (k == 0)
            CHECK(has_mode(s.l->motion, sqrt(square), 0, 1e-11, 1) && s.l->motion->verdict == MECH_VERDICT_UNSTABLE);
        if (k == 1) CHECK(s.l->motion->zero == s.l->motion->n && s.l->motion->n + s.l->cyclic_count == 8);
        if (k == 2) CHECK(has_mode(s.l->motion, 0, sqrt(-square), 1e-11, 1) && s.l->motion->right == 0);
        if (k != 1) CHECK(s.l->motion->zero + s.l->cyclic_count == 6);
    }
    subject_free(&s);
}

/* In the rotating frame: +- sqrt(W^2 - g/R) at the bottom; i sqrt(W^2 - (g/R/W)^2) at acos(g/(R W^2)) */
static void rotating_hoop(void)
{
    subject s;
    if (!subject_text(&s,
                      "param m = 1, R = 1, g = 9.81, Omega = 5\ncoord x, z\nkinetic m/2*(x'^2 + z'^2 + (Omega*x)^2)\n"
                      "potential m*g*z\n"
                      "constraint hoop: x^2 + z^2 = R^2\nguess x = 0.9, z = -0.45\n"))
        return;
    const double bottom[2] = {0, -1}, rest[2] = {0, 0};
    if (subject_linearize(&s, bottom, rest, NULL, NULL)) CHECK(has_mode(s.l->motion, sqrt(25 - 9.81), 0, 1e-12, 1));
    if (subject_find(&s, NULL, NULL)) {
        CHECK_NEAR(atan2(s.e->q[0], -s.e->q[1]), 1.167556903805042964, 1e-13);
        if (subject_linearize(&s, s.e->q, s.e->v, NULL, NULL))
            CHECK(has_mode(s.l->motion, 0, 4.598973363697598108, 1e-12, 1));
    }
    CHECK(mech_eval_set_param(s.eval, "Omega", 3) == MECH_OK); /* below sqrt(g/R) = 3.132 */
    if (subject_linearize(&s, bottom, rest, NULL, NULL))
        CHECK(has_mode(s.l->motion, 0, sqrt(9.81 - 9), 1e-12, 1) && s.l->motion->verdict == MECH_VERDICT_MARGINAL);
    subject_free(&s);
}

/* Cart and pendulum held up by state feedback: x'' and theta'' linear in closed form, poles of a 4 x 4 matrix
 * by hand. */
static void cart_with_feedback(void)
{
    subject s;
    if (!subject_text(&s, "param M = 2, m = 0.5, l = 0.8, g = 9.81, k1 = -3, k2 = -6, k3 = -70, k4 = -18\n"
                          "coord x, px, pz\n"
                          "kinetic M/2*x'^2 + m/2*(px'^2 + pz'^2)\npotential m*g*pz\n"
                          "constraint rod: (px - x)^2 + pz^2 = l^2\n"
                          "let theta = atan2(px - x, pz)\nlet F = -(k1*x + k2*x' + k3*theta + k4*theta')\n"
                          "input u = 0\nforce F + u on x'\noutput angle = theta\ninitial pz = l\n"))
        return;
    /* (M+m) x'' + m l th'' = F, l th'' + x'' = g th  =>  x'' = (F - m g th)/M, th'' = (g th - x'')/l */
    const double M = 2, m = 0.5, l = 0.8, g = 9.81, k[4] = {-3, -6, -70, -18};
    const double a1 = -k[0] / M, a2 = -k[1] / M, a3 = (-k[2] - m * g) / M, a4 = -k[3] / M;
    const double A[16] = {0, 0, a1, -a1 / l, 0, 0, a3, (g - a3) / l, 1, 0, a2, -a2 / l, 0, 1, a4, -a4 / l};
    double re[4], im[4];
    CHECK(mech_eigenvalues(4, A, re, im) == MECH_OK);
    const double q[3] = {0, 0, 0.8};
    if (subject_find(&s, q, NULL) && subject_linearize(&s, s.e->q, s.e->v, NULL, NULL)) {
        CHECK(s.l->freedom == 4 && s.l->inputs == 1 && s.l->outputs == 1);
        for (int i = 0; i < 4; i++) CHECK(has_mode(s.l->motion, re[i], im[i], 1e-10, 1));
        CHECK(s.l->motion->verdict == MECH_VERDICT_STABLE && s.l->motion->agree);
        CHECK_NEAR(s.l->E[3], 1 / M, 1e-12);  /* u pushes the cart ...            */
        CHECK_NEAR(s.l->E[4], 0, 1e-12);      /* ... and not the bob above it     */
        CHECK_NEAR(s.l->C[0], -1 / l, 1e-12); /* angle by x, by px                */
        CHECK_NEAR(s.l->C[1], 1 / l, 1e-12);
    }
    subject_free(&s);
}

/* A law and a state: sliding on a rough rod with v' = -c v, and a first-order filter behind it. */
static void law_and_state(void)
{
    subject s;
    if (!subject_text(&s,
                      "param m = 2, c = 0.6, k = 8, T = 0.5\ncoord x, y\nkinetic m/2*(x'^2 + y'^2)\npotential k/2*x^2\n"
                      "constraint rod: y = 0\nnonideal on rod: [x, y] = -c*[x', 7*x']\nstate f: f' = (x - f)/T\noutput "
                      "F = f\n"))
        return;
    const double q[2] = {0, 0};
    if (subject_find(&s, NULL, NULL) && subject_linearize(&s, q, q, NULL, NULL)) {
        const double w = sqrt(4 - 0.15 * 0.15);
        CHECK(s.l->freedom == 3 && has_mode(s.l->motion, -0.15, w, 1e-12, 1) && has_mode(s.l->motion, -2, 0, 1e-12, 1));
        CHECK_NEAR(s.l->C[4], 1, 1e-15);
    }
    subject_free(&s);
}

/* SymPy's linearization facts (PROBLEMS.md 5.3): entries of A themselves. */
static void sympy(void)
{
    subject s;
    const double L = 1.7, angles[3] = {0, 0.4, 2.1}, rest[1] = {0};
    if (subject_text(&s, "param L = 1.7\ncoord q\nkinetic (L*q')^2/2\npotential -9.8*L*cos(q)\n"))
        for (int k = 0; k < 3; k++) {
            if (!subject_linearize(&s, &angles[k], rest, NULL, NULL)) continue;
            CHECK_NEAR(s.l->A[1], -9.8 * cos(angles[k]) / L, 1e-14);
            CHECK(s.l->A[0] == 0 && s.l->A[2] == 1 && s.l->A[3] == 0);
            CHECK(s.l->kind == (k == 0 ? MECH_POINT_EQUILIBRIUM : MECH_POINT_FROZEN));
        }
    subject_free(&s);
    if (subject_text(&s, "param m = 3, k = 5, c = 0.7\ncoord x\nkinetic m/2*x'^2\npotential "
                         "k/2*x^2\ndissipation c/2*x'^2\n") &&
        subject_linearize(&s, rest, rest, NULL, NULL)) {
        CHECK_NEAR(s.l->A[1], -5.0 / 3, 1e-15);
        CHECK_NEAR(s.l->A[3], -0.7 / 3, 1e-15);
    }
    subject_free(&s);
    /* m q1'' - 9.8 m + 2 l q1 = 0: l = (19.6 q1 + 2 q1'^2 + 2 q2'^2)/(4 q1^2/m + 4 q2^2/m), and Qi = -2 l q
     */
    const double q[2] = {0.6, 0.8}, v[2] = {-0.4, 0.3}, m = 2;
    if (subject_text(&s, "param m = 2\ncoord q1, q2\nkinetic m/2*(q1'^2 + q2'^2)\npotential -9.8*m*q1\n"
                         "constraint rod: q1^2 + q2^2 = 1\n") &&
        subject_linearize(&s, q, v, NULL, NULL)) {
        const double want =
            (19.6 * q[0] + 2 * (v[0] * v[0] + v[1] * v[1])) / (4 * q[0] * q[0] / m + 4 * q[1] * q[1] / m);
        CHECK_NEAR(s.l->lambda[0], -want, 1e-13);
    }
    subject_free(&s);
}

/* Dependent rows of every kind leave the four-bar's motion as it is, to 1e-10. */
static void redundant_four_bar(void)
{
    static const char *const rows = "constraint again: 3*(along(a1) + along(a2)) = 3*rocker\nconstraint "
                                    "rate: (along(a1) + along(a2) - rocker)' = [0, 0]\n"
                                    "constraint mixed: along(a1)[1] + along(a2)[1] + 2*along(a1)[2] + "
                                    "2*along(a2)[2] = rocker[1] + 2*rocker[2]\n";
    char text[4000];
    FILE *file = fopen("examples/four-bar-spring/model.mech", "r");
    CHECK(file != NULL);
    if (!file) return;
    const size_t length = fread(text, 1, 3000, file);
    fclose(file);
    snprintf(text + length, sizeof text - length, "%s", rows);
    subject s;
    if (subject_text(&s, text) && subject_find(&s, NULL, NULL) && subject_linearize(&s, s.e->q, s.e->v, NULL, NULL)) {
        CHECK(s.e->rows == 7 && s.e->rank == 2 && s.l->freedom == 2 && s.l->rank_position == 2);
        CHECK(has_mode(s.l->motion, -0.24238580931050509653, 2.1339550283483802956, 1e-10, 1));
        CHECK(has_mode(s.l->motion, -0.24238580931050509653, -2.1339550283483802956, 1e-10, 1));
    }
    subject_free(&s);
}

/* The disc's steady run found from `steady`, and recognised as steady. */
static void steady_disk(void)
{
    subject s;
    char text[4000];
    FILE *file = fopen("examples/rolling-disk/model.mech", "r");
    CHECK(file != NULL);
    if (!file) return;
    const size_t length = fread(text, 1, 3000, file);
    fclose(file);
    snprintf(text + length, sizeof text - length, "steady phi' = 7\n");
    const double q[5] = {0}, v[5] = {0, 0, 6, 1, 0};
    if (subject_text(&s, text) && subject_find(&s, q, v)) {
        CHECK_NEAR(s.e->v[2], 7, 1e-13);
        CHECK_NEAR(s.e->v[3], 0.26 * 7, 1e-12);
        if (subject_linearize(&s, s.e->q, s.e->v, NULL, NULL)) {
            const double square = 0.8 * 9.81 / 0.26 - 2.4 * 49;
            CHECK(s.l->kind == MECH_POINT_STEADY && has_mode(s.l->motion, 0, sqrt(-square), 1e-10, 1));
        }
    }
    subject_free(&s);
}

/* A rod on a shaft that turns at w stands at cos(H) = 3 g/(2 l w^2), whatever outputs ask of its joints' forces. */
static void steady_arm(void)
{
    subject s;
    if (subject_text(&s, "gravity [0, 0, -9.81]\nbody shaft: cylinder 0.05, 1, mass 2\n"
                         "body arm: rod [0, 0, 0] to [0, 0, -0.6], mass 1\n"
                         "joint S: ground to shaft, revolute about [0, 0, 1]\n"
                         "joint H: shaft to arm, revolute about [0, 1, 0]\n"
                         "steady S' = 7\nguess H = 0.9\noutput F = S.force, T = H.torque\n") &&
        subject_find(&s, NULL, NULL)) {
        CHECK_NEAR(s.e->v[0], 7, 1e-13);
        CHECK_NEAR(s.e->q[1], acos(3 * 9.81 / (2 * 0.6 * 49)), 1e-12);
    }
    subject_free(&s);
}

static void modes_of_matrices(void)
{
    mech_modes *m;
    const double two_oscillators[16] = {0, -1, 0, 0, 1, 0, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0};
    CHECK(mech_modes_create(4, two_oscillators, &m) == MECH_OK);
    CHECK(mech_modes_get(m)->verdict == MECH_VERDICT_MARGINAL && mech_modes_get(m)->axis == 4);
    mech_modes_free(m);
    double resonant[16];
    memcpy(resonant, two_oscillators, sizeof resonant);
    resonant[3 + 0 * 4] = 1; /* the first drives the second at its own frequency */
    CHECK(mech_modes_create(4, resonant, &m) == MECH_OK);
    CHECK(mech_modes_get(m)->verdict == MECH_VERDICT_DEFECTIVE && mech_modes_get(m)->defective_axis == 1);
    mech_modes_free(m);
    const double chain[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0}, none[9] = {0};
    CHECK(mech_modes_create(3, chain, &m) == MECH_OK);
    CHECK(mech_modes_get(m)->zero == 3 && mech_modes_get(m)->longest_chain == 3 &&
          mech_modes_get(m)->zero_vectors == 1);
    mech_modes_free(m);
    CHECK(mech_modes_create(3, none, &m) == MECH_OK);
    CHECK(mech_modes_get(m)->zero == 3 && mech_modes_get(m)->longest_chain == 1 &&
          mech_modes_get(m)->verdict == MECH_VERDICT_MARGINAL);
    mech_modes_free(m);
}

/* Beside the constraint, at rest, the gains pull: a = -K r (x, y)/(2 (x^2 + y^2)), r = x^2 + y^2 - 1. At (1.1, 0)
   da_x/dx = -K/2 (1 + 1/x^2), da_y/dy = -K r/(2 x^2). */
static void beside_the_constraint(void)
{
    subject s;
    const double q[2] = {1.1, 0}, v[2] = {0, 0}, K = 100;
    if (!subject_text(&s, "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint rod: x^2 + y^2 = 1\n") ||
        !subject_linearize(&s, q, v, NULL, &K))
        return;
    CHECK_NEAR(s.l->A[2 + 0 * 4], -50 * (1 + 1 / 1.21), 1e-12);
    CHECK_NEAR(s.l->A[3 + 1 * 4], -50 * 0.21 / 1.21, 1e-12);
    CHECK_NEAR(s.l->a[0], -50 * 0.21 / 1.1, 1e-12);
    subject_free(&s);
}

static int has_eigenvalue(int n, const double *real, const double *imaginary, double x, double y)
{
    for (int i = 0; i < n; i++)
        if (hypot(real[i] - x, imaginary[i] - y) < 1e-9) return 1;
    return 0;
}

/* What outputs are on the constraints: C on the basis, for more outputs and fewer. At the bottom x is the coordinate
   that is left, and y'' = x'^2 + ... = 0. */
static void outputs_on_the_constraints(void)
{
    static const char *const outputs[] = {"output a = 3*x\n",
                                          "output a = 3*x, b = x' - y, c = x + y', d = 2*y, e = x*x'\n"};
    const double q[3] = {0, -0.7, 0}, v[3] = {0};
    for (int k = 0; k < 2; k++) {
        subject s;
        char text[500];
        snprintf(
            text, sizeof text,
            "coord x, y, w\nkinetic (x'^2 + y'^2 + w'^2)/2\npotential 9.8*y\nconstraint rod: x^2 + y^2 = 0.49\nconstraint fast: w = 0\n%s",
            outputs[k]);
        if (subject_text(&s, text) && subject_linearize(&s, q, v, NULL, NULL)) {
            /* by x, x' */
            const double *N = s.l->basis, (*want)[2] = (const double[5][2]){{3, 0}, {0, 1}, {1, 0}, {0, 0}, {0, 0}};
            const int rows = k ? 5 : 1;
            CHECK(s.l->freedom == 2);
            for (int i = 0; i < rows; i++)
                for (int j = 0; j < 2; j++)
                    CHECK_NEAR(s.l->reduced_C[i + j * rows], want[i][0] * N[j * 6] + want[i][1] * N[3 + j * 6], 1e-14);
        }
        subject_free(&s);
    }
}

/* A state that rounding or the last digits of a text leave beside a stiff constraint lies on it: 2e-6 in r is 1e-12 in
   x. */
static void beside_by_rounding(void)
{
    subject s;
    const double q[3] = {0.6, 0.8 + 1e-12, 0.3}, far[3] = {0.6, 0.8001, 0.3}, v[3] = {0};
    if (subject_text(&s, "coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\nconstraint rod: 1e6*(x^2 + y^2) = 1e6\n")) {
        if (subject_linearize(&s, q, v, NULL, NULL)) CHECK(s.l->kind != MECH_POINT_OFF && s.l->off_count == 0);
        if (subject_linearize(&s, far, v, NULL, NULL)) CHECK(s.l->kind == MECH_POINT_OFF && s.l->off_count == 1);
    }
    subject_free(&s);
}

/* The eigenvalues of a build without LAPACK: blocks of known ones, 1 +- 2i, -3, 4, -1/2 +- i, mixed by P = L U with
   ones in L and twos in U. */
static void eigenvalues_by_ourselves(void)
{
    enum { N = 6 };
    static const double blocks[N][N] = {{1, 2, 0, 0, 0, 0}, {-2, 1, 0, 0, 0, 0},   {0, 0, -3, 7, 0, 0},
                                        {0, 0, 0, 4, 0, 0}, {0, 0, 0, 0, -0.5, 4}, {0, 0, 0, 0, -0.25, -0.5}};
    double A[N * N], real[N], imaginary[N];
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) A[i + j * N] = blocks[i][j];
    for (int k = 0; k + 1 < N; k++) { /* rows k + 1 += row k, columns k -= column k + 1: the same eigenvalues */
        for (int j = 0; j < N; j++) A[k + 1 + j * N] += A[k + j * N];
        for (int i = 0; i < N; i++) A[i + k * N] -= A[i + (k + 1) * N];
    }
    for (int k = N - 1; k > 0; k--) { /* rows k - 1 += 2 row k, columns k -= 2 column k - 1 */
        for (int j = 0; j < N; j++) A[k - 1 + j * N] += 2 * A[k + j * N];
        for (int i = 0; i < N; i++) A[i + k * N] -= 2 * A[i + (k - 1) * N];
    }
    CHECK(eigen_own_values(N, A, real, imaginary) == MECH_OK);
    for (int sign = -1; sign <= 1; sign += 2) {
        CHECK(has_eigenvalue(N, real, imaginary, 1, 2 * sign));
        CHECK(has_eigenvalue(N, real, imaginary, -0.5, sign));
    }
    CHECK(has_eigenvalue(N, real, imaginary, -3, 0) && has_eigenvalue(N, real, imaginary, 4, 0));
    /* a cycle: s^5 = 1. Below the diagonal most is 0: what is to be a pivot stands last. */
    for (int i = 0; i < 25; i++) A[i] = 0;
    for (int i = 0; i < 5; i++) A[(i + 3) % 5 + i * 5] = 1;
    CHECK(eigen_own_values(5, A, real, imaginary) == MECH_OK);
    for (int k = 0; k < 5; k++)
        CHECK(has_eigenvalue(5, real, imaginary, cos(0.4 * k * acos(-1)), sin(0.4 * k * acos(-1))));
}

int main(void)
{
    eigenvalues_by_ourselves();
    outputs_on_the_constraints();
    shares();
    beside_by_rounding();
    beside_the_constraint();
    cartesian_pendulum();
    redundant();
    double_pendulum();
    four_bar();
    sleigh();
    rolling_disk();
    rotating_hoop();
    cart_with_feedback();
    law_and_state();
    sympy();
    redundant_four_bar();
    steady_disk();
    steady_arm();
    modes_of_matrices();
    return check_report();
}
