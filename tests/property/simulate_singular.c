/* Masses that are lost, rows that nearly depend on one another, positions that are nearly singular: what a run does
   there, and what it says. */
#include "support/motion.h"

#include <mech/instant.h>
#include <mech/output.h>

/* A mass that turns negative ends the run where it does so, and not a step before: free, or driven without bound. */
static void masses(void)
{
    static const mech_method methods[] = {MECH_METHOD_RK8, MECH_METHOD_RK5, MECH_METHOD_ADAMS, MECH_METHOD_BDF,
                                          MECH_METHOD_IRK};
    static const char *const models[] = {
        "coord x; mass x = 1 - t^2/3; initial x' = 1; simulate until 2",
        "coord x; mass x = 1 - t^2/3; initial x' = 1; force 1 on x'; simulate until 2",
        "coord x, y; mass x = sqrt(3) - y; mass y = 1; force -x on x'; initial x = 1, y' = 1; simulate until 2"};
    for (size_t k = 0; k < 15; k++) {
        motion m;
        if (!motion_read(&m, models[k / 5])) return;
        CHECK(motion_derive(&m) == MECH_OK);
        m.settings.method = methods[k % 5];
        const mech_status status = motion_run(&m);
        if (status != MECH_ERR_UNSUPPORTED) {
            CHECK(status == MECH_ERR_NOT_DEFINITE);
            CHECK_NEAR(mech_sim_time(m.sim), sqrt(3), 1e-7);
            CHECK(strstr(mech_sim_error_text(m.sim), "'allow negative mass' would take it): x") != NULL);
        }
        motion_free(&m);
    }
}

/* So does one that is negative inside a step alone, however far the motion lets a step reach; one that only comes near
   0 is passed. */
static void masses_between_steps(void)
{
    static const mech_method methods[] = {MECH_METHOD_RK8, MECH_METHOD_RK5, MECH_METHOD_ADAMS, MECH_METHOD_BDF,
                                          MECH_METHOD_IRK};
    static const struct {
        const char *model;
        double lost; /* 0: never */
    } cases[] = {
        {"coord x; mass x = (t - 1.00011)^2 - 1e-6; initial x' = 1; simulate until 2", 0.99911},
        {"coord x; kinetic ((t - 1)^2 - 1e-4)*x'^2/2; force x'*(t - 1)*2 on x'; initial x' = 1; simulate until 2",
         0.99},
        /* acos(-1/1.05) */
        {"coord x; mass x = 1 + 1.05*cos(t); initial x' = 1; simulate until 12", 2.831748013848166},
        {"coord x, y; mass x = 1; mass y = 1; mass [x, y] = [[0, 1], [1, 0]]*(1.0001 - (t - 1.3)^2); initial x' = 1; "
         "simulate until 2",
         1.29},
        {"coord x; mass x = (t - 1.00011)^2 + 1e-6; initial x' = 1; simulate until 2", 0}};
    for (size_t k = 0; k < 25; k++) {
        motion m;
        const double lost = cases[k / 5].lost;
        if (!motion_read(&m, cases[k / 5].model)) return;
        CHECK(motion_derive(&m) == MECH_OK);
        motion_settings(&m, 1e-6);
        m.settings.output_points = 2;
        m.settings.method = methods[k % 5];
        const mech_status status = motion_run(&m);
        const int has_run = motion_has_method(&m, status);
        if (has_run) CHECK(status == (lost > 0 ? MECH_ERR_NOT_DEFINITE : MECH_OK));
        if (has_run) CHECK_NEAR(mech_sim_time(m.sim), lost > 0 ? lost : 2, 1e-7);
        if (has_run && lost > 0)
            CHECK(strstr(mech_sim_error_text(m.sim), "'allow negative mass' would take it): ") != NULL);
        motion_free(&m);
    }
}

/* A light crank takes a heavy slider through its dead centres: nearly singular there, but the tolerance holds as in one
   coordinate, for which there is nothing singular. */
static void dead_centres(void)
{
    static const char minimal[] =
        "param r = 1, l = 2, I = 1e-4\ncoord th\nlet ph = asin(r/l*sin(th))\nlet x = r*cos(th) + l*cos(ph)\n"
        "kinetic I/2*th'^2 + x'^2/2 + I/2*ph'^2\ninitial th = 1, x' = 1\nsimulate until 10\n";
    static const char full[] = "param r = 1, l = 2, I = 1e-4\ncoord th, x, ph\nkinetic I/2*th'^2 + x'^2/2 + I/2*ph'^2\n"
                               "constraint a: x = r*cos(th) + l*cos(ph)\nconstraint b: r*sin(th) - l*sin(ph) = 0\n"
                               "initial th = 1, x' = 1, ph = asin(r/l*sin(1))\nsimulate until 10\n";
    static const mech_method methods[] = {MECH_METHOD_RK8, MECH_METHOD_RK5};
    motion one;
    if (!motion_read(&one, minimal)) return;
    motion_must_run(&one);
    for (int k = 0; k < 4; k++) {
        motion m;
        const double rtol = k < 2 ? 1e-9 : 1e-6;
        if (!motion_read(&m, full)) return;
        motion_settings(&m, rtol);
        m.settings.method = methods[k % 2];
        motion_must_run(&m);
        CHECK_NEAR(motion_end(&m, "th"), motion_end(&one, "th"), 1e2 * rtol);
        CHECK(mech_sim_info_get(m.sim).balance_error < 1e2 * rtol);
        motion_free(&m);
    }
    motion_free(&one);
}

typedef struct crank { /* of radius 1, rod and inertia, with a slider of mass 1 */
    double l, inertia;
} crank;

/* dx/dth, and d(ph)/dth: one degree of freedom; with l = 1 the branch x = 2 cos th. */
static double slope_of(crank c, double th, double *rod)
{
    const double root = sqrt(c.l * c.l - sin(th) * sin(th));
    *rod = c.l == 1 ? 1 : cos(th) / root;
    return c.l == 1 ? -2 * sin(th) : -sin(th) - sin(th) * cos(th) / root;
}

/* dt/dth by the energy, which is E */
static double pace(crank c, double th, double E)
{
    double rod;
    const double x = slope_of(c, th, &rod);
    return sqrt((c.inertia * (1 + rod * rod) + x * x) / (2 * E));
}

/* x at t = until: the time is summed over th by Simpson's rule, from th = 1 down, where x' = 1. */
static double exact_slider(crank c, double until)
{
    const double d = 2e-5;
    double rod, th = 1, t = 0, step;
    const double x = slope_of(c, 1, &rod), E = (c.inertia * (1 + rod * rod) / (x * x) + 1) / 2;
    while (t + (step = d / 6 * (pace(c, th, E) + 4 * pace(c, th - d / 2, E) + pace(c, th - d, E))) < until) {
        t += step;
        th -= d;
    }
    th -= d * (until - t) / step;
    return cos(th) + (c.l == 1 ? cos(th) : sqrt(c.l * c.l - sin(th) * sin(th)));
}

/* The crank comes past dead centres, where it turns in a moment, and past positions where two branches all but touch (l
   = 1.0001) or do (l = 1). At each tolerance the motion is that of one degree of freedom, and the passages are counted
   alike: th = 0, -pi, ..., for rods of about its own length -pi/2, ... too. Steps were once accepted there with any
   error. */
static void close_branches(void)
{
    static const char text[] = "param r = 1, l = 2, I = 1e-4\ncoord th, x, ph\nkinetic I/2*th'^2 + x'^2/2 + I/2*ph'^2\n"
                               "constraint a: x = r*cos(th) + l*cos(ph)\nconstraint b: r*sin(th) - l*sin(ph) = 0\n"
                               "initial th = 1, x' = 1, ph = asin(r/l*sin(1))\nsimulate until 10\n";
    static const double rods[] = {2, 1.0001, 1}, tolerances[] = {1e-4, 1e-5, 1e-6, 1e-7};
    static const mech_method methods[] = {MECH_METHOD_RK8, MECH_METHOD_RK5};
    for (int k = 0; k < 3; k++) {
        const double x = exact_slider((crank){rods[k], 1e-4}, 10);
        for (int j = 0; j < 8; j++) {
            const mech_override rod = {"l", rods[k]};
            const double rtol = tolerances[j / 2];
            motion m;
            if (!motion_read_with(&m, text, &rod, 1)) return;
            motion_settings(&m, rtol);
            m.settings.atol = rtol;
            m.settings.method = methods[j % 2];
            motion_must_run(&m);
            const mech_sim_info info = mech_sim_info_get(m.sim);
            printf("crank, rod %g, rk%d, rtol %.0e: error %.1e, balance %.1e, passages %zu\n", rods[k], j % 2 ? 5 : 8,
                   rtol, motion_end(&m, "x") - x, info.balance_error, info.near_singular);
            CHECK_NEAR(motion_end(&m, "x"), x, 1e3 * rtol);
            CHECK(info.balance_error < 3e2 * rtol);
            CHECK(info.near_singular == 5);
            motion_free(&m);
        }
    }
}

/* Euler parameters have no mass along themselves: rank, freedom and what is unique are those of [M; A] at the assembled
   state, and the same from check, eval and run. By an SVD of the rows there: the joint has 6 independent rows (least
   singular value 1.17); of Sarrus' linkage one direction is free, as built, and the rows of axes alone depend on one
   another, so that the force FX of a point is unique. */
static void euler_parameters(void)
{
    static const struct {
        const char *text;
        int rank, freedom;
        const char *says;
    } cases[] = {
        {"param J = 0.02\ncoord r[1..2, 1..3], e[1..2, 1..4]\nlet at(i, s) = r[i] + quaternion(e[i])*s\nfor i in 1..2 {\n  let wb = omega_body(quaternion(e[i]))\n"
         "  kinetic dot(r[i]', r[i]')/2 + J/2*dot(wb, wb)\n  constraint unit[i]: dot(e[i], e[i]) = 1\n}\nconstraint joint: at(1, [0.25, 0, 0]) = at(2, [0.5, 0, 0])\n"
         "constraint guide: quaternion(e[2])[1,3] = 0\nguess e[1] = [0.92, 0, -0.92, 0], e[2] = [1, 0, 0, 0]\noutput FX = lambda(joint)\n",
         6, 8, "rank 6 of 6 constraint rows, 8 degrees of freedom"},
        {"param L = 0.5, m = 1, J = 0.02, g = 9.81\ncoord r[1..5, 1..3], e[1..5, 1..4]\nlet at(i, s) = r[i] + quaternion(e[i])*s\nlet ax(i, s) = quaternion(e[i])*s\n"
         "for i in 1..5 {\n  let wb = omega_body(quaternion(e[i]))\n  kinetic m/2*dot(r[i]', r[i]') + J/2*dot(wb, wb)\n  potential m*g*r[i,3]\n"
         "  constraint unit[i]: dot(e[i], e[i]) = 1\n}\nlet ux = [1,0,0], uy = [0,1,0], uz = [0,0,1], h = [L/2,0,0], k = [0,L/2,0]\n"
         "constraint X1p: at(1, -h) = [0.5, 0, 0]\nconstraint X1a: [ax(1, uy)[1], ax(1, uy)[3]] = [0, 0]\nconstraint X2p: at(1, h) = at(2, -h)\n"
         "constraint X2a: [dot(ax(1, uy), ax(2, ux)), dot(ax(1, uy), ax(2, uz))] = [0, 0]\nconstraint X3p: at(2, h) = at(5, [0.5, 0, 0])\n"
         "constraint X3a: [dot(ax(2, uy), ax(5, ux)), dot(ax(2, uy), ax(5, uz))] = [0, 0]\nconstraint Y1p: at(3, -k) = [0, 0.5, 0]\n"
         "constraint Y1a: [ax(3, ux)[2], ax(3, ux)[3]] = [0, 0]\nconstraint Y2p: at(3, k) = at(4, -k)\n"
         "constraint Y2a: [dot(ax(3, ux), ax(4, uy)), dot(ax(3, ux), ax(4, uz))] = [0, 0]\nconstraint Y3p: at(4, k) = at(5, [0, 0.5, 0])\n"
         "constraint Y3a: [dot(ax(4, ux), ax(5, uy)), dot(ax(4, ux), ax(5, uz))] = [0, 0]\ninitial r[5,3] = 0.5\n"
         "guess e[1] = [0.92, 0, -0.38, 0], e[2] = [0.92, 0, -0.92, 0], e[3] = [0.92, 0.38, 0, 0], e[4] = [0.38, 0.92, 0, 0], e[5] = [1, 0, 0, 0]\n"
         "guess r[1] = [0.7, 0, 0.15], r[2] = [0.7, 0, 0.4], r[3] = [0, 0.7, 0.15], r[4] = [0, 0.7, 0.4], r[5] = [0, 0, 0.5]\noutput FX = lambda(X1p)\n",
         34, 1, "rank 34 of 35 constraint rows, 1 degree of freedom"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        motion m;
        mech_sim_forces forces;
        mech_instant *instant;
        char *text;
        if (!motion_read(&m, cases[i].text)) return;
        CHECK(mech_report_check(m.model, MECH_REPORT_TEXT, m.diagnostics, &text) == MECH_OK);
        CHECK(text && strstr(text, cases[i].says));
        mech_text_free(text);
        motion_settings(&m, 1e-9);
        m.settings.until = 0.05;
        CHECK(mech_sim_create(m.system, &m.settings, &m.sim) == MECH_OK && mech_sim_start(m.sim) == MECH_OK);
        CHECK(mech_sim_forces_now(m.sim, &forces) == MECH_OK && forces.rank == cases[i].rank);
        CHECK(mech_instant_create(m.system, 0, &instant) == MECH_OK);
        mech_instant_input at;
        mech_instant_input_default(&at, sizeof at);
        at.q = mech_sim_q(m.sim);
        at.v = mech_sim_v(m.sim);
        CHECK(mech_instant_solve(instant, &at) == MECH_OK);
        const mech_instant_result *r = mech_instant_get(instant);
        CHECK(r->rank == cases[i].rank && r->dof == cases[i].freedom && r->diagnosis->rank == cases[i].rank);
        for (size_t k = 0; k < r->n; k++) CHECK_NEAR(r->qdd[k], forces.qdd[k], 1e-8);
        for (size_t k = 0; k < 3; k++) CHECK(!r->output_is_choice[k] && !mech_sim_output_is_choice(m.sim, k));
        CHECK(mech_sim_run(m.sim) == MECH_OK && mech_sim_info_get(m.sim).rank_least == cases[i].rank &&
              mech_sim_info_get(m.sim).rank_most == cases[i].rank);
        for (size_t k = 0; k < 3; k++) CHECK(!mech_sim_output_is_choice(m.sim, k));
        CHECK_TEXT(mech_sim_warning(m.sim), "");
        mech_instant_free(instant);
        motion_free(&m);
    }
}

/* (1 - x') x'' = 1 from rest: x' = 1 - sqrt(1 - 2 t), and no motion after t = 1/2, whatever the method and its
   tolerance. */
static void lost_hold(void)
{
    static const mech_method methods[] = {MECH_METHOD_RK8, MECH_METHOD_RK5, MECH_METHOD_BDF, MECH_METHOD_ADAMS,
                                          MECH_METHOD_IRK};
    static const double tolerances[] = {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-9};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        for (size_t k = 0; k < sizeof tolerances / sizeof *tolerances; k++) {
            motion m;
            if (!motion_read(&m,
                             "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint c: (1 - x')*x'' = 1\nsimulate until 1\n"))
                return;
            CHECK(motion_derive(&m) == MECH_OK);
            motion_settings(&m, tolerances[k]);
            m.settings.method = methods[i];
            const mech_status status = motion_run(&m);
            if (motion_has_method(&m, status)) {
                CHECK(status == MECH_ERR_SINGULAR_MASS || status == MECH_ERR_INTEGRATION ||
                      status == MECH_ERR_CONFLICT);
                CHECK_NEAR(mech_sim_time(m.sim), 0.5, 0.3 * sqrt(tolerances[k]) * 10);
                CHECK_NEAR(motion_at(&m, 0.4, "x'"), 1 - sqrt(0.2), 1e3 * tolerances[k]);
            }
            motion_free(&m);
        }
}

/* Rows z = 0 and z + d y = 0 have a sine of d between them: two rows above 1e-10, and y stays; below one row, and y
   falls with x. One verdict at an instant and in a run, with the same marks. */
static void near_rows(void)
{
    static const double apart[] = {1e-3, 1e-6, 9e-8, 3e-8, 1e-8, 1e-9, 2e-10, 5e-11, 1e-11, 1e-13};
    static const mech_method methods[] = {MECH_METHOD_RK8, MECH_METHOD_RK5, MECH_METHOD_BDF, MECH_METHOD_ADAMS};
    for (size_t k = 0; k < 4 * sizeof apart / sizeof *apart; k++) {
        char text[400];
        const double d = apart[k / 4];
        const int rank = d > 1e-10 ? 2 : 1;
        snprintf(
            text, sizeof text,
            "coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\npotential 9.81*z + x + y\nconstraint one: z = 0\nconstraint two: z + %.17g*y = 0\n"
            "simulate until 1\n",
            d);
        motion m;
        mech_instant *instant = NULL;
        mech_instant_input at;
        const double zero[3] = {0, 0, 0};
        if (!motion_read(&m, text)) return;
        CHECK(motion_derive(&m) == MECH_OK);
        mech_instant_input_default(&at, sizeof at);
        at.q = at.v = zero;
        CHECK(mech_instant_create(m.system, 0, &instant) == MECH_OK && mech_instant_solve(instant, &at) == MECH_OK);
        const mech_instant_result *i = mech_instant_get(instant);
        CHECK(i->rank == rank && i->diagnosis->unique_lambda[0] == (rank == 2) &&
              i->diagnosis->unique_lambda[1] == (rank == 2));
        CHECK_NEAR(i->qdd[1], rank == 2 ? 0 : -1, 1e-5); /* 1e-16 over the sine */
        motion_settings(&m, 1e-9);
        m.settings.method = methods[k % 4];
        const mech_status status = motion_run(&m);
        if (motion_has_method(&m, status)) {
            CHECK(status == MECH_OK);
            const mech_sim_info info = mech_sim_info_get(m.sim);
            CHECK(info.rank_least == rank && info.rank_most == rank);
            CHECK_NEAR(motion_at(&m, 1, "x"), -0.5, 1e-7);
            CHECK_NEAR(motion_at(&m, 1, "y"), rank == 2 ? 0 : -0.5, 1e-5);
        }
        mech_instant_free(instant);
        motion_free(&m);
    }
}

/* A parallelogram that begins in one line, where the gradient of a row is 0 and two motions cross: the velocities say
   that its sides stay parallel. */
static void parallelogram_in_line(void)
{
    motion m;
    if (!motion_read(&m, "coord a, b, c\nkinetic (a'^2 + b'^2 + c'^2)/2\n"
                         "constraint px: cos(a) + 2*cos(b) = 2 + cos(c)\nconstraint py: sin(a) + 2*sin(b) = sin(c)\n"
                         "initial a' = 1, b' = 0, c' = 1\nsimulate until 1\n"))
        return;
    motion_must_run(&m);
    CHECK_NEAR(motion_end(&m, "a"), 1, 1e-9);
    CHECK_NEAR(motion_end(&m, "b"), 0, 1e-9);
    CHECK_NEAR(motion_end(&m, "c"), 1, 1e-9);
    motion_free(&m);
}

/* Rows that depended on one another where the motion was prepared, at a = 1, and nearly do here: y = 0, x = -z, and
   z'' = -g/2. Where they do, z'' = -2 g/3. */
static void plan_of_another_rank(void)
{
    static const double all[] = {1, 1 + 1e-7, 1 - 1e-6, 1 + 1e-4};
    const double q[3] = {0}, v[3] = {0};
    mech_motion_settings settings;
    motion m;
    if (!motion_read(&m, "param a = 1\ncoord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\npotential 9.81*z\n"
                         "constraint c: x + y + z = 0\nconstraint d: x + a*y + z = 0\n"
                         "constraint e: a*x + y + a*z = 0\ninitial x = 0, y = 0, z = 0\nsimulate until 1\n"))
        return;
    CHECK(motion_derive(&m) == MECH_OK);
    mech_motion_settings_default(&settings, sizeof settings);
    settings.native = MECH_NATIVE_OFF;
    settings.with_power = settings.with_check = 1;
    settings.q = q;
    settings.v = v;
    CHECK(mech_motion_code_create(m.system, &settings, &m.code) == MECH_OK);
    CHECK(mech_motion_code_info(m.code).monitored == 2);
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        mech_sim *sim = NULL;
        CHECK(mech_sim_create(m.system, &m.settings, &sim) == MECH_OK);
        CHECK(mech_sim_use_motion(sim, m.code) == MECH_OK && mech_sim_set_param(sim, 0, all[k]) == MECH_OK);
        CHECK(mech_sim_run(sim) == MECH_OK);
        CHECK_NEAR(mech_sim_q(sim)[2], all[k] == 1 ? -9.81 / 3 : -9.81 / 4, 1e-7);
        mech_sim_free(sim);
    }
    motion_free(&m);
}

/* ---- steps that end at a singular position ---- */

static double falls(double a) { return -9.81 * 2 * cos(a) * 3 / 5; }
static double falls_on_spring(double a) { return falls(a) - (a > 0 ? a : 2 * a) * 3 / 5; }
/* A folding crank of the energy (pi/2)^2 I(0)/2: half of I'(a) a'^2, over I. */
static double inertia(double a) { return 1. / 3 + 1. / 12 + 0.25 + 4 * sin(a) * sin(a); }
static double folds(double a)
{
    const double w = acos(0);
    return -4 * sin(a) * cos(a) * w * w * inertia(0) / (inertia(a) * inertia(a));
}
static double stays(double a)
{
    (void)a;
    return 0;
}

/* a'' = f(a), by the classical method in steps that leave 1e-10. */
static void integrate(double (*f)(double), double a, double v, double t, double end[2])
{
    enum { STEPS = 200000 };
    const double h = t / STEPS;
    for (int k = 0; k < STEPS; k++) {
        const double f1 = f(a), v2 = v + h / 2 * f1, f2 = f(a + h / 2 * v), v3 = v + h / 2 * f2, f3 = f(a + h / 2 * v2),
                     f4 = f(a + h * v3);
        a += h / 6 * (v + 2 * v2 + 2 * v3 + v + h * f3);
        v += h / 6 * (f1 + 2 * f2 + 2 * f3 + f4);
    }
    end[0] = a, end[1] = v;
}

/* A parallelogram passes the line in which its sides can fold, a crank with equal arms its dead point. An event, a
   kink, a sample or the end lies exactly there, so that a step ends there, too: the motion goes on as without. */
static void ends_at_singular(void)
{
#define PARALLELOGRAM                                                                                                  \
    "body a: rod [0, 0] to [1, 0], mass 1\nbody b: rod [0, 0] to [2, 0], mass 1\nbody c: rod [0, 0] to [1, 0], mass "  \
    "1\njoint A: ground to a, revolute\njoint B: a at [1, 0] to b, revolute\njoint C: b at [2, 0] to c at [1, 0], "    \
    "revolute\njoint D: ground at [2, 0] to c, revolute\ninitial A = 1\nguess B = -1, C = 1, D = 1\n"
    static const struct {
        const char *text;
        double (*f)(double);
        double a, v, until;
        size_t events;
    } cases[] = {{"gravity [0, -9.81]\n" PARALLELOGRAM "event pass: A falls through 0 -> record\n", falls, 1, 0, 5, 2},
                 {"gravity [0, -9.81]\n" PARALLELOGRAM "force -if(A > 0, A, 2*A) on A'\n", falls_on_spring, 1, 0, 5, 0},
                 {"gravity [0, 0]\n" PARALLELOGRAM "initial A' = -1\n", stays, 1, -1, 1, 0},
                 {"gravity [0, 0]\n" PARALLELOGRAM "initial A' = -1\nsampled u = 0\nevery 0.5 { set u = A' }\n", stays,
                  1, -1, 3, 0},
                 {"gravity [0, 0]\nbody a: rod [0, 0] to [1, 0], mass 1\nbody b: rod [0, 0] to [1, 0], mass 1\n"
                  "body s: mass 0.5\njoint A: ground to a, revolute\njoint B: a at [1, 0] to b, revolute\n"
                  "joint C: b at [1, 0] to s, revolute\njoint G: ground to s, prismatic along [1, 0]\n"
                  "initial A = 0, A' = pi/2\nguess G = 2\nevent pass: G falls through 0 -> record\n",
                  folds, 0, 1.5707963267948966, 3, 1}};
    static const mech_method methods[] = {MECH_METHOD_RK8, MECH_METHOD_RK5, MECH_METHOD_IRK, MECH_METHOD_RK8};
    for (size_t k = 0; k < 4 * (sizeof cases / sizeof *cases); k++) {
        motion m;
        double end[2];
        if (!motion_read(&m, cases[k / 4].text)) return;
        CHECK(motion_derive(&m) == MECH_OK);
        m.settings.method = methods[k % 4];
        m.settings.until = cases[k / 4].until;
        m.settings.output_points = 101;
        if (k % 4 == 3) { /* the same at once, as far as that goes */
            mech_motion_settings settings;
            mech_motion_settings_default(&settings, sizeof settings);
            settings.native = MECH_NATIVE_OFF;
            settings.with_power = settings.with_check = 1;
            CHECK(mech_motion_code_create(m.system, &settings, &m.code) == MECH_OK);
        }
        if (motion_may_run(&m)) {
            integrate(cases[k / 4].f, cases[k / 4].a, cases[k / 4].v, cases[k / 4].until, end);
            CHECK_NEAR(motion_end(&m, "A"), end[0], 2e-6);
            CHECK_NEAR(motion_end(&m, "A'"), end[1], 2e-6);
            CHECK(mech_sim_info_get(m.sim).events == cases[k / 4].events);
            CHECK_TEXT(mech_sim_warning(m.sim), "");
        }
        motion_free(&m);
    }
}

int main(void)
{
    ends_at_singular();
    plan_of_another_rank();
    parallelogram_in_line();
    near_rows();
    lost_hold();
    euler_parameters();
    close_branches();
    dead_centres();
    masses();
    masses_between_steps();
    return check_report();
}
