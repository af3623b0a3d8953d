/* Runs with negative masses, which the model allows: closed forms, energies of either sign, what stays refused. */
#include "support/motion.h"

#include <mech/analyze.h>

static const mech_method METHODS[] = {MECH_METHOD_RK8, MECH_METHOD_RK5, MECH_METHOD_BDF, MECH_METHOD_ADAMS,
                                      MECH_METHOD_IRK};
enum { METHOD_COUNT = sizeof METHODS / sizeof *METHODS };

/* 1: it ended as it should; a build without SUNDIALS has the first two alone */
static int ends_as(motion *m, int method, mech_status want)
{
    CHECK(motion_derive(m) == MECH_OK);
    m->settings.method = METHODS[method];
    const mech_status status = motion_run(m);
    CHECK(status == want || (method > 1 && status == MECH_ERR_UNSUPPORTED));
    return status == want;
}

#define PAIR "coord x, y\nkinetic x'^2/2 - y'^2/2\nallow negative mass\n"

/* x'' = -7 x - 2 y, y'' = 2 x - 2 y: frequencies sqrt(6) along (2, -1) and sqrt(3) along (1, -2) */
static void coupled_oscillators(void)
{
    for (int k = 0; k < METHOD_COUNT; k++) {
        motion m;
        if (motion_read(&m, PAIR "potential 7*x^2/2 + 2*x*y - y^2\ninitial x = 3, y = -3\nsimulate until 5\n")) {
            const int runs = ends_as(&m, k, MECH_OK);
            for (int i = 0; i <= 10 && runs; i++) {
                const double t = 0.5 * i, fast = cos(sqrt(6) * t), slow = cos(sqrt(3) * t);
                CHECK_NEAR(motion_at(&m, t, "x"), 2 * fast + slow, 2e-7);
                CHECK_NEAR(motion_at(&m, t, "y"), -fast - 2 * slow, 2e-7);
                CHECK_NEAR(motion_at(&m, t, "equation.h"), 4.5, 1e-6); /* 63/2 - 18 - 9 */
            }
            if (runs) CHECK(mech_sim_info_get(m.sim).balance_error < 1e-6 * mech_sim_info_get(m.sim).energy_scale);
        }
        motion_free(&m);
    }
}

/* energy that stays 0 while both parts grow: the balance is measured by the parts */
static void energy_of_nothing(void)
{
    motion m;
    if (motion_read(&m, PAIR "force t on x'\nforce -t on y'\nsimulate until 2\n")) {
        motion_must_run(&m);
        CHECK_NEAR(motion_end(&m, "x"), 8.0 / 6, 1e-10);
        CHECK_NEAR(motion_end(&m, "y"), 8.0 / 6, 1e-10);
        CHECK_NEAR(motion_end(&m, "equation.h"), 0, 1e-10);
        CHECK_NEAR(mech_sim_info_get(m.sim).energy_scale, 4, 1e-9); /* 2^2/2 + 2^2/2 */
    }
    motion_free(&m);
}

/* x = 2 y, said twice: 3 y'' = -12 y, and the push on x is x'' + 3 x = -2 cos(2 t) */
static void tied_twice(void)
{
    for (int k = 0; k < METHOD_COUNT; k++) {
        motion m;
        if (motion_read(
                &m,
                PAIR "potential 3*x^2/2\nconstraint tie: x = 2*y\nconstraint again: 3*x = 6*y\ninitial x = 2, y = 1\n"
                     "output F = force(tie, x) + force(again, x)\nsimulate until 5\n")) {
            const int runs = ends_as(&m, k, MECH_OK);
            for (int i = 0; i <= 10 && runs; i++) {
                CHECK_NEAR(motion_at(&m, 0.5 * i, "y"), cos(1.0 * i), 2e-7);
                CHECK_NEAR(motion_at(&m, 0.5 * i, "F"), -2 * cos(1.0 * i), 2e-7);
            }
            if (runs) CHECK(mech_sim_info_get(m.sim).phi < 1e-12);
        }
        motion_free(&m);
    }
}

/* E(theta | 1/4) by Simpson's rule */
static double elliptic(double theta)
{
    enum { PARTS = 2000 };
    double sum = 0;
    for (int i = 0; i <= PARTS; i++) {
        const double s = sin(theta * i / PARTS);
        sum += (i == 0 || i == PARTS ? 1 : i % 2 ? 4 : 2) * sqrt(1 - s * s / 4);
    }
    return sum * theta / (3 * PARTS);
}

/* On the circle with z = x/2 the effective mass is 1 - sin(theta)^2/4, so that E(theta | 1/4) = t. In a circle of
   velocity 1 there is nothing else: the projection brings every step back. */
static void on_a_circle(void)
{
    motion m;
    if (motion_read(
            &m, "coord x, y, z\nkinetic (x'^2 + y'^2 - z'^2)/2\nallow negative mass\nconstraint circle: x^2 + y^2 = 1\n"
                "constraint height: z = x/2\ninitial x = 1, y = 0, y' = 1\nsimulate until 2\n")) {
        motion_must_run(&m);
        for (int i = 0; i <= 10; i++) {
            const double t = 0.2 * i, theta = atan2(motion_at(&m, t, "y"), motion_at(&m, t, "x"));
            CHECK_NEAR(elliptic(theta), t, 1e-9);
            CHECK_NEAR(motion_at(&m, t, "equation.h"), 0.5, 1e-10);
        }
        CHECK(mech_sim_info_get(m.sim).phi < 1e-11 && mech_sim_info_get(m.sim).phi_dot < 1e-11);
    }
    motion_free(&m);
}

/* a law on the constraint: 3 y'' = -y', and 6 N with it in x; one that reads the reaction */
static void laws(void)
{
    motion m;
    if (motion_read(&m, PAIR
                    "constraint tie: x = 2*y\nnonideal on tie: y = -y'\ninitial x = 0, y' = 1\nsimulate until 3\n")) {
        motion_must_run(&m);
        CHECK_NEAR(motion_end(&m, "y'"), exp(-1), 1e-9);
        CHECK_NEAR(motion_end(&m, "x"), 6 * (1 - exp(-1)), 1e-9);
    }
    motion_free(&m);
    /* x'' = 4 + r, 3 y'' = 9 + 0.3 |r|, r = 2 y'' - 4 > 0: r = 2/(1 - 0.2) */
    if (motion_read(
            &m,
            PAIR "force 4 on x'\nforce 1 on y'\nconstraint tie: x = 2*y\nnonideal on tie: y = 0.3*abs(reaction(tie))\n"
                 "output r = reaction(tie)\nsimulate until 1\n")) {
        motion_must_run(&m);
        CHECK_NEAR(motion_end(&m, "r"), 2.5, 1e-10);
        CHECK_NEAR(motion_end(&m, "x"), 3.25, 1e-9); /* (4 + r)/2 */
    }
    motion_free(&m);
}

/* An impulse p along (1, -2) ties the two together: x' + p = 2 (y' + 2 p), so p = (x' - 2 y')/3; impacts; control by a
   weight of its own. */
static void impulses_and_control(void)
{
    motion m;
    if (motion_read(
            &m, PAIR
            "constraint tie: x' = 2*y'\nevent late: t rises through 1 -> impose tie\ninitial x' = 7, y' = 2\nsimulate until 2\n")) {
        motion_must_run(&m);
        CHECK_NEAR(motion_end(&m, "x'"), 8, 1e-10);
        CHECK_NEAR(motion_end(&m, "y'"), 4, 1e-10);
        CHECK(fabs(mech_sim_info_get(m.sim).balance_error) < 1e-9);
    }
    motion_free(&m);
    /* a wall only pushes, which drives M = -1 on into it; the same push stops x, whose effective mass on x = 2 y is 3/4
       */
    motion_refused(
        "coord x\nkinetic -x'^2/2\nallow negative mass\nconstraint wall: x = 1\nevent hit: x rises through 1 -> impact wall restitution 0.5\n"
        "initial x = 0, x' = 1\nsimulate until 2\n",
        MECH_ERR_INTEGRATION, "at t = 1", "only push");
    if (motion_read(
            &m, PAIR
            "constraint tie: x = 2*y\nconstraint wall: x = 1\nevent hit: x rises through 1 -> impact wall restitution 0.5\n"
            "initial x = 0, x' = 1\nsimulate until 2\n")) {
        motion_must_run(&m);
        CHECK_NEAR(motion_end(&m, "x'"), -0.5, 1e-10);
        CHECK_NEAR(motion_end(&m, "y"), 0.25, 1e-9);
    }
    motion_free(&m);
    if (motion_read(
            &m,
            "coord x\nkinetic -x'^2/2\nallow negative mass\ncontrol path: x = sin(t) weight identity\ninitial x' = 1\nsimulate until 2\n")) {
        motion_must_run(&m);
        CHECK_NEAR(motion_end(&m, "x"), sin(2), 1e-9);
        CHECK_NEAR(motion_end(&m, "control(x)"), sin(2), 1e-8);
    }
    motion_free(&m);
}

/* a mass that turns negative does not end the run by that, an effective mass of 0 does */
static void masses_that_turn(void)
{
    motion m;
    if (motion_read(&m, "coord x\nmass x = 1.00037 - t\nallow negative mass\ninitial x' = 1\nsimulate until 2\n")) {
        motion_must_run(&m);
        CHECK_NEAR(motion_end(&m, "x"), 2, 1e-12);
    }
    motion_free(&m);
    motion_refused("coord x\nmass x = 1.00037 - t\ninitial x' = 1\nsimulate until 2\n", MECH_ERR_NOT_DEFINITE,
                   "at t = 1.00037", "allow negative mass");
    motion_refused(PAIR "constraint tie: x = y\nsimulate until 1\n", MECH_ERR_SINGULAR_MASS, "undetermined", "x, y");
    motion_refused("coord x, y\nkinetic x'^2/2 - y'^2/2\nsimulate until 1\n", MECH_ERR_NOT_DEFINITE,
                   "allow negative mass", ": y");
    for (int k = 0; k < 2; k++) { /* (1 - t) x' = t; the others take 100000 steps to say so */
        if (motion_read(&m,
                        "coord x\nkinetic (1 - t)*x'^2/2\nforce 1 on x'\nallow negative mass\nsimulate until 2\n")) {
            m.settings.rtol = 1e-8;
            if (ends_as(&m, k, MECH_ERR_INTEGRATION)) CHECK_NEAR(mech_sim_time(m.sim), 1, 1e-5);
        }
        motion_free(&m);
    }
}

/* large enough for sparse solvers: those are for definite M, and the run takes the dense one */
static void many(void)
{
    motion m;
    if (motion_read(
            &m,
            "coord x[1..150]\nparam s = 1\nfor i in 1..150 { kinetic (if(i == 3, -1, 1))*x[i]'^2/2; potential (if(i == 3, -1, 1))*x[i]^2/2 }\n"
            "for i in 1..149 { constraint c[i]: x[i] = x[i+1] }\nallow negative mass\ninitial x[1] = 1\nsimulate until 1\n")) {
        motion_must_run(&m);
        CHECK_NEAR(motion_end(&m, "x[150]"), cos(1), 1e-9);
    }
    motion_free(&m);
}

/* Stability: with coupling 3 in place of 2 the two frequencies meet and part again, off the axis. */
static void stability(void)
{
    for (int c = 2; c <= 3; c++) {
        motion m;
        char text[200];
        snprintf(text, sizeof text, PAIR "potential 7*x^2/2 + %d*x*y - y^2\n", c);
        if (motion_read(&m, text)) {
            mech_eval *eval = NULL;
            mech_linear *linear = NULL;
            mech_linear_options o;
            const double zero[2] = {0, 0};
            mech_linear_options_default(&o, sizeof o);
            o.q = o.v = zero;
            CHECK(motion_derive(&m) == MECH_OK);
            CHECK(mech_eval_create(m.system, MECH_STORAGE_DENSE, &eval) == MECH_OK);
            CHECK(mech_linearize(m.system, eval, &o, &linear) == MECH_OK);
            const mech_linear_result *r = linear ? mech_linear_get(linear) : NULL;
            if (r) {
                const double want[4] = {-7, c, -c, -2}; /* by column */
                for (int k = 0; k < 4; k++) CHECK_NEAR(r->A[2 + k % 2 + 4 * (k / 2)], want[k], 1e-13);
                CHECK(r->motion->right == (c == 2 ? 0 : 2) && r->motion->axis == (c == 2 ? 4 : 0) && r->weak == -1);
            }
            mech_linear_free(linear);
            mech_eval_free(eval);
        }
        motion_free(&m);
    }
}

/* the same by calls: -1 x'' = 3 */
static void by_calls(void)
{
    motion m = {.diagnostics = mech_diagnostics_create()};
    CHECK(mech_model_create(m.diagnostics, &m.model) == MECH_OK);
    mech_pool *p = mech_model_pool(m.model);
    const mech_expr x = mech_model_coord(m.model, "x", NULL), v = mech_dot(p, x), two = mech_number(p, 2);
    CHECK(mech_model_kinetic(m.model, mech_product(p, (mech_expr[]){mech_number(p, -0.5), mech_pow(p, v, two)}, 2)) ==
          MECH_OK);
    CHECK(mech_model_potential(m.model, mech_product(p, (mech_expr[]){mech_number(p, -3), x}, 2)) == MECH_OK);
    CHECK(mech_model_allow(m.model, "negative_mass") == MECH_OK && mech_model_finish(m.model) == MECH_OK);
    CHECK(mech_model_allow(m.model, "negative_mass") == MECH_ERR_ARGUMENT);
    CHECK(mech_system_from_model(m.model, m.diagnostics, &m.system) == MECH_OK);
    CHECK(mech_system_allows_negative_mass(m.system));
    CHECK(mech_motion_code_create(m.system, NULL, &m.code) == MECH_ERR_UNSUPPORTED && !m.code);
    CHECK_TEXT(mech_motion_obstacle(m.system), "negative masses are allowed");
    motion_settings(&m, 1e-10);
    m.settings.until = 2;
    motion_must_run(&m);
    CHECK_NEAR(motion_end(&m, "x"), -6, 1e-12);
    CHECK_NEAR(motion_end(&m, "equation.h"), 0, 1e-11);
    motion_free(&m);
}

int main(void)
{
    by_calls();
    coupled_oscillators();
    energy_of_nothing();
    tied_twice();
    on_a_circle();
    laws();
    impulses_and_control();
    masses_that_turn();
    many();
    stability();
    return check_report();
}
