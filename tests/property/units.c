/* The same systems in other units: metres to nanometres and gigametres, microseconds, attograms. The motion is the
   same, and the right one: values by another program (SciPy's DOP853 in minimal coordinates) or in closed form. */
#include "support/motion.h"

static const struct unit {
    double length, time, mass;
} units[] = {{1, 1, 1},    {1e3, 1, 1}, {1e9, 1, 1},  {1e-3, 1, 1},  {1e-6, 1, 1},
             {1e-9, 1, 1}, {1, 1e3, 1}, {1, 1e-6, 1}, {1, 1, 1e-15}, {1e-9, 1e-6, 1e-20}};
enum { UNITS = sizeof units / sizeof *units };

/* Read with the units, and tolerances that follow them. */
static int read_in(motion *m, const char *text, const struct unit *u, mech_method method)
{
    const mech_override overrides[] = {{"L", u->length}, {"T", u->time}, {"M", u->mass}};
    if (!motion_read_with(m, text, overrides, 3)) return 0;
    motion_settings(m, method == MECH_METHOD_BDF ? 1e-9 : 1e-11);
    m->settings.atol = 1e-3 * m->settings.rtol * fmin(u->length, u->length / u->time);
    m->settings.method = method;
    if (method == MECH_METHOD_BDF) CHECK(motion_derive(m) == MECH_OK);
    return 1;
}

/* Started, and from there on by generated code, which ends its steps by itself. */
static void go_native(motion *m)
{
    mech_motion_settings code;
    mech_motion_settings_default(&code, sizeof code);
    CHECK(mech_sim_create(m->system, &m->settings, &m->sim) == MECH_OK && mech_sim_start(m->sim) == MECH_OK);
    code.native = MECH_NATIVE_ON;
    code.with_power = code.with_check = 1;
    code.q = mech_sim_q(m->sim);
    code.v = mech_sim_v(m->sim);
    CHECK(motion_use_code(m, &code) == MECH_OK);
    CHECK(mech_sim_run(m->sim) == MECH_OK);
}

static void tell(const struct unit *u, int before)
{
    if (check_failures > before) fprintf(stderr, "in units of %g, %g, %g\n", u->length, u->time, u->mass);
}

static const struct {
    mech_method method;
    int is_native;
    double allowed, drift; /* of x; of phi, beside 1: Adams lets it grow to a hundred times the error of a step */
} ways[] = {{MECH_METHOD_AUTO, 0, 1e-8, 1e-12},
            {MECH_METHOD_AUTO, 1, 1e-8, 1e-12},
            {MECH_METHOD_RK5, 0, 1e-8, 1e-12},
            {MECH_METHOD_ADAMS, 0, 1e-8, 1e-8},
            {MECH_METHOD_BDF, 0, 1e-6, 1e-12}};

/* A rod that swings; y is to be found. x(3) = -0.581339544425948. */
static void rod(void)
{
    static const char text[] =
        "param L = 1, T = 1, M = 1, g = 9.81*L/T^2\ncoord x, y\nkinetic M/2*(x'^2 + y'^2)\npotential M*g*y\n"
        "constraint rod: x^2 + y^2 = L^2\ninitial x = 0.6*L\nguess y = -L/2\noutput length = sqrt(x^2 + y^2)/L\n"
        "simulate until 3*T\n";
    for (size_t k = 0; k < UNITS * sizeof ways / sizeof *ways; k++) {
        const struct unit *u = &units[k % UNITS];
        const size_t way = k / UNITS;
        const int before = check_failures;
        motion m;
        if (!read_in(&m, text, u, ways[way].method)) return;
        if (ways[way].is_native) go_native(&m);
        if (ways[way].is_native || motion_may_run(&m)) {
            CHECK_NEAR(motion_end(&m, "x") / u->length, -0.581339544425948, ways[way].allowed);
            const mech_trajectory *t = mech_sim_trajectory(m.sim);
            const size_t length = mech_trajectory_find(t, "length");
            for (size_t i = 0; i < mech_trajectory_rows(t); i++)
                CHECK_NEAR(mech_trajectory_row(t, i)[length], 1, 1e-12);
            CHECK(mech_sim_info_get(m.sim).phi <= ways[way].drift * u->length * u->length);
        }
        motion_free(&m);
        tell(u, before);
    }
}

/* A slider and crank, lengths and angles in one loop. At t = 2 the crank is at 2.83067835, the slider at
   2.032306196939058. */
static void slider_crank(void)
{
    static const char text[] =
        "param L = 1, T = 1, M = 1\ncoord a, b, x\nkinetic M*L^2/2*a'^2 + M*x'^2\npotential 5*M/T^2/2*(x - 3*L)^2\n"
        "constraint along: L*cos(a) + 3*L*cos(b) = x\nconstraint across: L*sin(a) + 3*L*sin(b) = 0\n"
        "initial a = 0.5, a' = 1/T\nguess x = 3*L\nsimulate until 2*T\n";
    for (size_t k = 0; k < UNITS; k++) {
        const struct unit *u = &units[k];
        const int before = check_failures;
        motion m;
        if (!read_in(&m, text, u, MECH_METHOD_AUTO)) return;
        motion_must_run(&m);
        CHECK_NEAR(motion_end(&m, "a"), 2.83067835, 1e-8);
        CHECK_NEAR(motion_end(&m, "x") / u->length, 2.032306196939058, 1e-9);
        CHECK(mech_sim_info_get(m.sim).phi <= 1e-12 * u->length);
        CHECK(mech_sim_info_get(m.sim).phi_dot <= 1e-12 * u->length / u->time);
        motion_free(&m);
        tell(u, before);
    }
}

/* A ball falls from 5 with g = 10 and bounces with 1/2: it strikes at 1, 2, 2.5, ... and rests from 3 on. */
static void ball(void)
{
    static const char text[] =
        "param L = 1, T = 1, M = 1\ncoord y\nkinetic M/2*y'^2\npotential M*10*L/T^2*y\nconstraint floor: y = 0\n"
        "event hit: y falls through 0 -> impact floor restitution 1/2\ninitial y = 5*L\nsimulate until 5*T\n";
    for (size_t k = 0; k < UNITS; k++) {
        const struct unit *u = &units[k];
        const int before = check_failures;
        motion m;
        if (!read_in(&m, text, u, MECH_METHOD_AUTO)) return;
        motion_must_run(&m);
        CHECK_NEAR(motion_when(&m, MECH_LOG_IMPACT, 0) / u->time, 1, 1e-9);
        CHECK_NEAR(motion_when(&m, MECH_LOG_IMPACT, 2) / u->time, 2.5, 1e-9);
        CHECK_NEAR(motion_when(&m, MECH_LOG_CONTACT, 0) / u->time, 3, 1e-5);
        CHECK_NEAR(motion_end(&m, "y") / u->length, 0, 1e-9);
        CHECK_NEAR(mech_sim_info_get(m.sim).event_energy * u->time * u->time / (u->mass * u->length * u->length), -50,
                   1e-9);
        motion_free(&m);
        tell(u, before);
    }
}

/* A block slides from 5 with friction 1/2 at g = 10: it rests from t = 1 on, at 2.5. */
static void block(void)
{
    static const char text[] =
        "param L = 1, T = 1, M = 1\ncoord x, y\nkinetic M/2*(x'^2 + y'^2)\npotential M*10*L/T^2*y\n"
        "constraint floor: y = 0\nfriction on floor: 1/2, along x'\ninitial x' = 5*L/T\nsimulate until 2*T\n";
    for (size_t k = 0; k < UNITS; k++) {
        const struct unit *u = &units[k];
        const int before = check_failures;
        motion m;
        if (!read_in(&m, text, u, MECH_METHOD_AUTO)) return;
        motion_must_run(&m);
        CHECK_NEAR(motion_when(&m, MECH_LOG_STICK, 0) / u->time, 1, 1e-8);
        CHECK_NEAR(motion_end(&m, "x") / u->length, 2.5, 1e-9);
        CHECK_NEAR(motion_end(&m, "x'") * u->time / u->length, 0, 1e-12);
        motion_free(&m);
        tell(u, before);
    }
}

/* A start that is fixed as a whole must lie on the constraints, to the digits people write down. */
static void fixed_start(void)
{
    static const char text[] =
        "param L = 1, T = 1, M = 1\ncoord x, y\nkinetic M/2*(x'^2 + y'^2)\nconstraint rod: x^2 + y^2 = L^2\n";
    for (size_t k = 0; k < 3 * UNITS; k++) {
        const struct unit *u = &units[k / 3];
        const double off = k % 3 == 0 ? 1 : k % 3 == 1 ? 1 + 1e-10 : 1 + 1e-6;
        const double q[2] = {0.6 * u->length * off, -0.8 * u->length},
                     v[2] = {0.8 * u->length / u->time, 0.6 * u->length / u->time};
        const int before = check_failures;
        motion m;
        if (!read_in(&m, text, u, MECH_METHOD_AUTO)) return;
        CHECK(mech_sim_create(m.system, &m.settings, &m.sim) == MECH_OK);
        CHECK(mech_sim_set_start(m.sim, q, v, NULL, 1) == MECH_OK);
        CHECK(mech_sim_start(m.sim) == (k % 3 == 2 ? MECH_ERR_CONFLICT : MECH_OK));
        motion_free(&m);
        tell(u, before);
    }
}

/* Where nobody gave an atol, and the default is much beside the motion, the run says so; else it does not. */
static void default_atol(void)
{
    static const char text[] =
        "param L = 1\ncoord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*L*y\nconstraint rod: x^2 + y^2 = L^2\n"
        "initial x = 0.6*L\nguess y = -L\n";
    static const double lengths[] = {1e3, 1, 1e-3, 1e-7, 1e-9};
    for (int k = 0; k < 10; k++) {
        const mech_override override = {"L", lengths[k / 2]};
        motion m;
        if (!motion_read_with(&m, text, &override, 1)) return;
        mech_sim_settings_default(&m.settings, sizeof m.settings);
        if (k % 2) m.settings.atol = 1e-12;
        motion_must_run(&m);
        int told = 0;
        for (size_t i = 0; i < mech_sim_log_count(m.sim); i++)
            told |= strstr(mech_sim_log_get(m.sim, i).text, "default atol") != NULL;
        CHECK(told == (k % 2 == 0 && lengths[k / 2] < 1e-6));
        motion_free(&m);
    }
}

int main(void)
{
    rod();
    slider_crank();
    ball();
    block();
    fixed_start();
    default_atol();
    return check_report();
}
