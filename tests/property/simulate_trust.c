/* What a run refuses, where it stops, and what it says: each against a closed form or an independent
 * integration. */
#include "support/motion.h"

#include <mech/instant.h>
#include <mech/output.h>

#define EXAMPLE(name) "examples/" name "/model.mech"

/* ---- what is not unique ---- */

static void uniqueness(void)
{
    const mech_status no = MECH_ERR_NOT_UNIQUE;
#define MODEL                                                                                                          \
    "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint rod: x^2 + y^2 = 1\n"                           \
    "constraint again: 2*x^2 + 2*y^2 = 2\ninitial x = 1, y = 0\n"                                                      \
    "output N = lambda(rod), F = force(rod, x) + force(again, x)\nsimulate until 1\n"
    motion_refused(MODEL "event slack: lambda(rod) rises through 0 -> record\n", no,
                   "event slack uses the reaction of rod", "again");
    motion_refused(MODEL "event slack: x falls through 0 when reaction(again) < 5 -> record\n", no, "event slack",
                   "rod");
    motion_refused(MODEL "event turn: x falls through 0 -> set y' = lambda(rod)\n", no, "event turn", "leastnorm");
    motion_refused(MODEL "nonideal on rod: [x, y] = -reaction(rod)*[x', y']\n", no, "a law uses the reaction of rod",
                   "again");
    motion m; /* the force of both together is unique, and least-norm may be allowed */
    if (motion_read(&m, MODEL "event turn: force(rod, x) + force(again, x) falls through 0 -> record\n")) {
        motion_must_run(&m);
        CHECK(mech_sim_output_is_choice(m.sim, 0) && !mech_sim_output_is_choice(m.sim, 1));
        char *text = mech_sim_audit_text(m.sim);
        CHECK(text && strstr(text, "output N uses multipliers that are not unique") && !strstr(text, "output F"));
        mech_text_free(text);
    }
    motion_free(&m);
    if (motion_read(&m, MODEL "event slack: lambda(rod) rises through 0 -> record\nallow leastnorm\n"))
        motion_must_run(&m);
    motion_free(&m);
    /* unique until an event imposes the same again */
    motion_refused("coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint rod: x^2 + y^2 = 1\n"
                   "constraint again: x^2 + y^2 = 1\nevent late: t rises through 0.5 -> impose again\n"
                   "event slack: lambda(rod) rises through 100 -> record\ninitial x = 1, y = 0\nsimulate until 1\n",
                   no, "at t = 0.5", "event slack uses the reaction of rod");
#undef MODEL
}

/* ---- nothing that is not finite ---- */

static void not_finite(void)
{
    const mech_status no = MECH_ERR_NOT_FINITE;
    /* x = 1.05 - t: no row falls on the border */
#define MODEL "coord x\nkinetic x'^2/2\ninitial x = 1.05, x' = -1\nsimulate until 2, points 21\n"
    motion_refused(MODEL "output s = sqrt(x)\n", no, "output[s] is nan at t = 1.2", "sqrt(x)");
    motion_refused(MODEL "event e: sqrt(x) falls through 0.1 when x > 5 -> record\n", no, "event[e] is nan", "sqrt(x)");
    motion_refused(MODEL "event e: x falls through -0.5 -> set x' = log(x)\n", no, "event e", "log(x)");
    motion_refused(MODEL "force sqrt(x)/1000 on x'\n", no, "Q[x] is nan", "sqrt(x)");
    motion_refused(MODEL "potential log(x)\nevent e: x falls through 0.5 -> set x = -1\n", no, "energy[potential]",
                   "log(x)");
    motion m;
    if (motion_read(&m, MODEL "output s = sqrt(x)\n")) {
        m.settings.output_points = 21;
        CHECK(motion_run(&m) == no);
        const mech_trajectory *t = mech_sim_trajectory(m.sim);
        CHECK(mech_trajectory_rows(t) == 11); /* 0, 0.1, ... 1 */
        if (mech_trajectory_rows(t) > 10) CHECK_NEAR(mech_trajectory_row(t, 10)[0], 1, 1e-12);
    }
    motion_free(&m);
    /* an event that ends the run comes before what its function does beyond */
    if (motion_read(&m, MODEL "event e: sqrt(x) falls through 0.5 -> record\nevent end: x falls through 0 -> stop\n"))
        motion_must_run(&m);
    CHECK_NEAR(mech_sim_time(m.sim), 1.05, 1e-9);
    motion_free(&m);
#undef MODEL
}

/* ---- bounces that die away ---- */

static void bounces(void)
{
    static const double es[] = {0.9, 0.5, 0.1, 1e-3, 1e-4};
    for (size_t k = 0; k < sizeof es / sizeof *es; k++) {
        const mech_override e = {"e", es[k]};
        motion m;
        if (!motion_read_with(&m,
                              "param e = 1\ncoord y\nkinetic y'^2/2\npotential 10*y\ninitial y = 5\n"
                              "event hit: y falls through 0 -> set y' = -e*y'\nsimulate until 30\n",
                              &e, 1))
            return;
        CHECK(motion_run(&m) == MECH_ERR_INTEGRATION);
        CHECK(motion_says(&m, "event hit accumulates", "impact NAME restitution"));
        CHECK_NEAR(mech_sim_time(m.sim), 1 + 2 * es[k] / (1 - es[k]), 1e-3); /* 1 + 2(e + e^2 + ...) */
        CHECK(mech_sim_q(m.sim)[0] > -1e-9);
        motion_free(&m);
    }
    motion m; /* elastic: never ends, and is right */
    if (!motion_read(&m, "coord y\nkinetic y'^2/2\npotential 10*y\ninitial y = 5\n"
                         "event hit: y falls through 0 -> set y' = -y'\nsimulate until 30\n"))
        return;
    motion_must_run(&m);
    CHECK(mech_sim_info_get(m.sim).events == 15);
    CHECK_NEAR(motion_end(&m, "y"), 5, 1e-7);
    motion_free(&m);
}

/* ---- inputs ---- */

/* x'' = u, the table: a hat of height 1 over [1, 3]: x' = 1 after it, x = 1 + (t - 3); y'' = u': y' = u, y = 1. */
static void tables(void)
{
    static const mech_method methods[] = {MECH_METHOD_RK8, MECH_METHOD_RK5, MECH_METHOD_ADAMS};
    for (int k = 0; k < 3; k++) {
        motion m;
        if (!motion_read(&m,
                         "input u = file \"tests/support/hat.csv\" column \"u\"\ncoord x, y\nkinetic (x'^2 + y'^2)/2\n"
                         "force u on x'\nforce u' on y'\nsimulate until 4\n"))
            return;
        m.settings.method = methods[k];
        if (methods[k] == MECH_METHOD_ADAMS) m.settings.rtol = 1e-12, m.settings.atol = 1e-13;
        const mech_status status = motion_run(&m);
        if (status != MECH_ERR_UNSUPPORTED) {
            const double tolerance = methods[k] == MECH_METHOD_ADAMS ? 1e-8 : 1e-11;
            CHECK(status == MECH_OK);
            CHECK_NEAR(motion_end(&m, "x'"), 1, tolerance);
            CHECK_NEAR(motion_end(&m, "x"), 2, tolerance);
            CHECK_NEAR(motion_end(&m, "y'"), 0, tolerance);
            CHECK_NEAR(motion_end(&m, "y"), 1, tolerance);
            CHECK_NEAR(motion_at(&m, 2, "x'"), 0.5, tolerance);
        }
        motion_free(&m);
    }
    motion m; /* ends on a point, and begins on one */
    if (!motion_read(&m,
                     "input u = file \"tests/support/hat.csv\" column \"u\"\ncoord y\nkinetic y'^2/2\nforce u' on y'\n"
                     "simulate from 1 until 2\n"))
        return;
    motion_must_run(&m);
    CHECK_NEAR(motion_at(&m, 2, "y'"), 1, 1e-12);
    CHECK_NEAR(motion_at(&m, 2, "y"), 0.5, 1e-12);
    motion_free(&m);
    /* a signal with a jump: x' = t - 1 beyond it */
    if (!motion_read(&m, "input u = if(t < 1, 0, 1)\ncoord x\nkinetic x'^2/2\nforce u on x'\nsimulate until 3\n"))
        return;
    motion_must_run(&m);
    CHECK(motion_count(&m, MECH_HAPPENED_SWITCH) == 1);
    CHECK_NEAR(motion_end(&m, "x"), 2, 1e-11);
    motion_free(&m);
}

/* x'' = -x above 0 and -4 x below, written in five ways: up and down in pi + pi/2. */
static void kinks(void)
{
    static const char *const forces[] = {"-if(x > 0, x, 4*x)", "-(5*x - 3*abs(x))/2", "-x*(5 - 3*sign(x))/2",
                                         "-min(x, 4*x)", "max(-x, -4*x)"};
    static const char *const names[] = {"a kink of x > 0 in line 3", "a kink of abs(x) in line 3",
                                        "a kink of sign(x) in line 3", "a kink of min(x, 4*x) in line 3",
                                        "a kink of max(-x, -4*x) in line 3"};
    for (size_t k = 0; k < 5; k++) {
        char text[256];
        motion m;
        snprintf(text, sizeof text, "coord x\nkinetic x'^2/2\nforce %s on x'\ninitial x = 1\nsimulate until 20\n",
                 forces[k]);
        if (!motion_read(&m, text)) return;
        motion_must_run(&m);
        /* zeros at pi/2 + 3 pi/2 i downwards and pi + 3 pi/2 i upwards */
        const size_t count = motion_count(&m, MECH_HAPPENED_SWITCH);
        CHECK(count == 8);
        for (size_t i = 0; i < count; i++)
            CHECK_NEAR(motion_when(&m, MECH_HAPPENED_SWITCH, i), M_PI / 2 * (double)(1 + 3 * (i / 2) + i % 2), 1e-9);
        const double last = M_PI / 2 * (1 + 3 * 3 + 1); /* upwards with speed 1 */
        CHECK_NEAR(motion_end(&m, "x"), sin(20 - last), 1e-9);
        for (size_t i = 0; i < mech_sim_happening_count(m.sim); i++) {
            const mech_happening h = mech_sim_happening_get(m.sim, i);
            if (h.kind == MECH_HAPPENED_SWITCH) CHECK(strstr(h.text, names[k]) != NULL);
        }
        motion_free(&m);
    }
    motion_refused("coord x\nkinetic x'^2/2\nforce -sign(x')*3/2 - x on x'\ninitial x = 1\nsimulate until 10\n",
                   MECH_ERR_INTEGRATION, "a kink of sign(x') in line 3", "friction on");
}

/* ---- the start, the settings, the account ---- */

static double misfit(const motion *m)
{
    const char *at = strstr(mech_sim_error_text(m->sim), "misses "), *number = at ? strstr(at, "by ") : NULL;
    return number ? fabs(strtod(number + 3, NULL)) : (double)NAN;
}

static void misfits(void)
{
    motion m;
    if (!motion_read(&m,
                     "coord x\nkinetic x'^2/2\nconstraint here: x = 1\nconstraint there: x = 2\nsimulate until 1\n"))
        return;
    CHECK(motion_run(&m) == MECH_ERR_CONFLICT);
    CHECK_NEAR(misfit(&m), 0.5, 1e-6);
    motion_free(&m);
    if (!motion_read(&m, "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint rod: x^2 + y^2 = 1\nconstraint line: y = 2\n"
                         "guess x = 0.3, y = 1\nsimulate until 1\n"))
        return;
    CHECK(motion_run(&m) == MECH_ERR_NO_START); /* true, but a search does not prove it */
    double y = 1.2;                             /* least (y^2 - 1)^2 + (y - 2)^2 at x = 0: 2 y^3 - y - 2 = 0 */
    for (int i = 0; i < 50; i++) y -= (2 * y * y * y - y - 2) / (6 * y * y - 1);
    CHECK_NEAR(misfit(&m), 2 - y, 1e-5);
    CHECK(motion_says(&m, "rod", "line"));
    motion_free(&m);
    if (!motion_read(&m, "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint rod: x^2 + y^2 = 1\nsimulate until 1\n"))
        return;
    const double q[] = {1.5, 0};
    CHECK(mech_sim_create(m.system, &m.settings, &m.sim) == MECH_OK);
    CHECK(mech_sim_set_start(m.sim, q, NULL, NULL, 1) == MECH_OK);
    CHECK(mech_sim_start(m.sim) == MECH_ERR_CONFLICT);
    CHECK_NEAR(misfit(&m), 1.25, 1e-9); /* as given, since nothing may move */
    motion_free(&m);
}

/* Where Newton's method stops short: least squares from there, and other guesses. */
static void other_ways(void)
{
    motion m;
    if (!motion_read(&m, "coord q1, q2, q3, q4\nkinetic q1'^2 + q2'^2 + q3'^2 + q4'^2\n"
                         "constraint c1: -7*q2/10 + 63*q3/50 + 21*q4/10 + exp(sin(q1)) + 12/5 = 0\n"
                         "constraint c2: q1*t - q2/5 - 11*sqrt(q1^2 + 1)/5 - 11/5 = 0\n"
                         "simulate from 2/5 until 7/10\n"))
        return;
    motion_must_run(&m);
    const double t = 0.4, q1 = motion_at(&m, t, "q1"), q2 = motion_at(&m, t, "q2"), v1 = motion_at(&m, t, "q1'"),
                 q3 = motion_at(&m, t, "q3"), q4 = motion_at(&m, t, "q4"), v2 = motion_at(&m, t, "q2'");
    CHECK_NEAR(-0.7 * q2 + 1.26 * q3 + 2.1 * q4 + exp(sin(q1)) + 2.4, 0, 1e-12);
    CHECK_NEAR(q1 * t - q2 / 5 - 2.2 * sqrt(q1 * q1 + 1) - 2.2, 0, 1e-12);
    CHECK_NEAR(v1 * t + q1 - v2 / 5 - 2.2 * q1 * v1 / sqrt(q1 * q1 + 1), 0, 1e-12);
    motion_free(&m);
    /* the residual is least at x = 1, and not zero there; the one root lies beyond the other extremum */
    if (!motion_read(&m, "coord x\nkinetic x'^2\nconstraint c: x^3 - 3*x + 3 = 0\nguess x = 1.1\nsimulate until 1\n"))
        return;
    motion_must_run(&m);
    double low = -3, high = -1;
    for (int i = 0; i < 60; i++) {
        const double x = (low + high) / 2;
        if (x * x * x - 3 * x + 3 < 0) low = x;
        else high = x;
    }
    CHECK_NEAR(motion_at(&m, 0, "x"), low, 1e-12);
    motion_free(&m);
    /* fixed values are not searched for: this is a contradiction, since nothing is free */
    if (!motion_read(&m, "coord x\nkinetic x'^2\nconstraint c: x^3 - 3*x + 3 = 0\ninitial x = 1.1\nsimulate until 1\n"))
        return;
    CHECK(motion_run(&m) == MECH_ERR_CONFLICT);
    motion_free(&m);
}

static void settings(void)
{
    motion m;
    mech_sim *none = (mech_sim *)&m;
    if (!motion_read(&m, "coord x\nkinetic x'^2/2\ninitial x' = 1\nsimulate until 1\n")) return;
    CHECK(mech_sim_create(NULL, NULL, &none) == MECH_ERR_ARGUMENT && none == NULL);
    CHECK(mech_sim_create(m.system, &m.settings, NULL) == MECH_ERR_ARGUMENT);
    CHECK(mech_sim_create(m.system, &m.settings, &m.sim) == MECH_OK);
    CHECK(mech_sim_advance(m.sim, 1) == MECH_ERR_ARGUMENT);
    CHECK(motion_says(&m, "not been started", "mech_sim_start"));
    CHECK(mech_sim_start(m.sim) == MECH_OK && mech_sim_error_text(m.sim)[0] == 0);
    CHECK(mech_sim_advance(m.sim, 0.5) == MECH_OK && mech_sim_advance(m.sim, 1) == MECH_OK);
    CHECK_NEAR(mech_sim_q(m.sim)[0], 1, 1e-12);
    CHECK(mech_sim_start(m.sim) == MECH_ERR_ARGUMENT);
    motion_free(&m);
    static const struct {
        double from, until, rtol, atol, step;
        const char *word;
        mech_status want;
    } bad[] = {{2, 1, 1e-9, 1e-9, 0.1, "before it begins", MECH_ERR_ARGUMENT},
               {0, 1, 2, 1e-9, 0.1, "rtol", MECH_ERR_ARGUMENT},
               {0, 1, 1e-9, -1, 0.1, "atol", MECH_ERR_ARGUMENT},
               {0, 1e300, 1e-9, 1e-9, 0.1, "rows of", MECH_ERR_LIMIT},
               {0, 1, 1e-9, 1e-9, 1e-12, "GB", MECH_ERR_LIMIT}};
    for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) {
        if (!motion_read(&m, "coord x\nkinetic x'^2/2\nsimulate until 1\n")) return;
        m.settings.from = bad[k].from;
        m.settings.until = bad[k].until;
        m.settings.rtol = bad[k].rtol;
        m.settings.atol = bad[k].atol;
        m.settings.output_step = bad[k].step;
        CHECK(motion_run(&m) == bad[k].want);
        CHECK(motion_says(&m, bad[k].word, ""));
        motion_free(&m);
    }
}

/* A servo that begins off its path comes to it like r'' = -2 r' - r with these gains, however long the run is, by the
   model or by the settings; without any the run is refused, and one on its path is as good. The gains of a control
   leave constraints to the projection. */
static void servo(void)
{
    static const char *const gains[] = {"", "stabilize excess on path, B = 2, K = 1\n",
                                        "stabilize excess on path, B = 2, K = 1\nstabilize none\n"};
    static const double spans[] = {10, 1e3, 1e6, (double)INFINITY}, B = 2, K = 1;
    for (size_t i = 0; i < 4; i++)
        for (size_t g = 0; g < 3; g++) {
            motion m;
            char text[300];
            snprintf(
                text, sizeof text,
                "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint rod: y = x^2\ncontrol path: x = 1\n%sinitial x = 0, x' = 0\nsimulate until 10\n",
                gains[g]);
            if (!motion_read(&m, text)) return;
            m.settings.until = spans[i];
            m.settings.output_step = 1;
            m.settings.output_points = 0;
            if (g == 0) {
                CHECK(mech_sim_create(m.system, &m.settings, &m.sim) == MECH_OK &&
                      mech_sim_start(m.sim) == MECH_ERR_OFF_PATH);
                CHECK(strstr(mech_sim_error_text(m.sim), "control path is off its path, r = -1 and r' = 0"));
                mech_sim_free(m.sim);
                m.settings.damping = &B;
                m.settings.stiffness = &K;
                m.settings.damping_count = m.settings.stiffness_count = 1;
            }
            CHECK(mech_sim_create(m.system, &m.settings, &m.sim) == MECH_OK && mech_sim_start(m.sim) == MECH_OK);
            CHECK(mech_sim_info_get(m.sim).stabilize == (g == 2 ? MECH_STABILIZE_NONE : MECH_STABILIZE_PROJECT));
            CHECK(mech_sim_advance(m.sim, 10) == MECH_OK);
            for (int k = 1; k < 10; k++) CHECK_NEAR(motion_at(&m, k, "x"), 1 - (1 + k) * exp(-k), 1e-9);
            motion_free(&m);
        }
}

/* On its path a servo without gains stays there, in a run of any length; an event, an input or a corner of the path
   that throws it off ends the run. */
static void servo_on_its_path(void)
{
    static const struct {
        const char *text;
        double end; /* 0: it reaches the end */
    } cases[] = {
        {"coord x\nkinetic x'^2/2\npotential -cos(3*x)\ncontrol path: x = sin(t)\nsimulate until 100\n", 0},
        {"coord x\nkinetic x'^2/2\npotential -cos(3*x)\ncontrol path: x' = cos(t)\nsimulate until 100\n", 0},
        {"coord x\nkinetic x'^2/2\ncontrol path: x = sin(t)\nevent kick: t rises through 2 -> set x' = x' + 1/5\nsimulate until 100\n",
         2},
        {"coord x\nkinetic x'^2/2\ncontrol path: x = t + abs(t - 3)/10\nsimulate until 100\n", 3},
        {"coord x\nkinetic x'^2/2\ncontrol path: x = sin(t)\ninitial release path\ninitial x' = 1\nevent on: t rises through 1 -> impose path\nsimulate until 100\n",
         1},
        {"coord x\nkinetic x'^2/2\ncontrol path: x = sin(t)\ninitial release path\ninitial x' = 1\nforce -x on x'\nevent on: t rises through 1 -> impose path\nsimulate until 100\n",
         0},
        {"coord x\nkinetic x'^2/2\ncontrol path: x = t + abs(t - 3)/1000\nstabilize excess on path, B = 20, K = 100\nsimulate until 100\n",
         0},
    };
    static const mech_method methods[] = {MECH_METHOD_RK8, MECH_METHOD_RK5, MECH_METHOD_ADAMS};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t k = 0; k < 3; k++)
            for (double rtol = 1e-5; rtol > 1e-12; rtol *= 1e-3) {
                motion m;
                if (!motion_read(&m, cases[i].text)) return;
                motion_settings(&m, rtol);
                m.settings.method = methods[k];
                const mech_status status = motion_run(&m);
                if (motion_has_method(&m, status)) {
                    if (status != (cases[i].end > 0 ? MECH_ERR_OFF_PATH : MECH_OK))
                        fprintf(stderr, "case %zu, method %zu, rtol %g: %s %s\n", i, k, rtol, mech_status_text(status),
                                mech_sim_error_text(m.sim));
                    CHECK(status == (cases[i].end > 0 ? MECH_ERR_OFF_PATH : MECH_OK));
                    CHECK(cases[i].end == 0 || fabs(mech_sim_time(m.sim) - cases[i].end) < 1e-6);
                    if (i < 2) CHECK_NEAR(motion_end(&m, "x"), sin(100), 100 * rtol);
                }
                motion_free(&m);
            }
}

/* Multistep methods stride where the motion is plain; the balance holds all the same. */
static void balance(void)
{
    static const mech_method methods[] = {MECH_METHOD_ADAMS, MECH_METHOD_BDF, MECH_METHOD_IRK};
    for (int k = 0; k < 3; k++) {
        motion m;
        if (!motion_read(&m, EXAMPLE("belt-block"))) return;
        CHECK(motion_derive(&m) == MECH_OK);
        motion_settings(&m, 1e-9);
        m.settings.method = methods[k];
        const mech_status status = motion_run(&m);
        CHECK(status == MECH_OK || status == MECH_ERR_UNSUPPORTED);
        const mech_sim_info info = mech_sim_info_get(m.sim);
        if (status == MECH_OK) CHECK(info.balance_error < 1e-5 * info.energy_scale);
        if (status == MECH_OK) CHECK(motion_count(&m, MECH_HAPPENED_SLIP) == 5);
        char *text = mech_sim_audit_text(m.sim);
        CHECK(text && (status != MECH_OK || strstr(text, "1 to 2 of 2 (1 of constraints, 1 of friction that sticks)")));
        mech_text_free(text);
        motion_free(&m);
    }
}

/* The drift in the account is that of steps that stand: a run of one step leaves, unprojected, what it says; a rod that
   is imposed from afar (r = 1.3^2 + 0.04905^2 - 1) is no drift, nor are stages near singular positions. */
static void drift(void)
{
#define MODEL "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint rod: x^2 + y^2 = 1\n"
    static const mech_method methods[] = {MECH_METHOD_RK8, MECH_METHOD_RK5, MECH_METHOD_ADAMS, MECH_METHOD_BDF,
                                          MECH_METHOD_IRK};
    for (int k = 0; k < 5; k++) {
        motion m, raw;
        const int is_multistep = k == 2 || k == 3;
        if (!motion_read(&m, MODEL "initial x = 1, y = 0\nsimulate until 0.2\n") ||
            !motion_read(&raw, MODEL "initial x = 1, y = 0\nsimulate until 0.2\n"))
            return;
        CHECK(motion_derive(&m) == MECH_OK && motion_derive(&raw) == MECH_OK);
        motion_settings(&m, 1e-2);
        m.settings.atol = 1e-2;
        m.settings.first_step = 0.2;
        m.settings.method = methods[k];
        raw.settings = m.settings;
        raw.settings.stabilize = MECH_STABILIZE_NONE;
        m.settings.stabilize = MECH_STABILIZE_PROJECT;
        if (!is_multistep && motion_may_run(&m)) {
            motion_must_run(&raw);
            const mech_sim_info i = mech_sim_info_get(m.sim);
            CHECK(i.steps == 1 && mech_sim_info_get(raw.sim).steps == 1 && i.raw_phi > 1e-12);
            CHECK_NEAR(i.raw_phi / fabs(motion_end(&raw, "equation.phi")), 1, 1e-6);
            /* seen at the projected place */
            CHECK_NEAR(i.raw_velocity / fabs(motion_end(&raw, "equation.phi'")), 1, 1e-3);
        }
        motion_free(&m);
        motion_free(&raw);
        if (!motion_read(&m, MODEL "initial x = 1.3\nevent e: t rises through 0.1 -> impose rod\nsimulate until 1\n"))
            return;
        CHECK(motion_derive(&m) == MECH_OK);
        motion_settings(&m, 1e-8);
        m.settings.method = methods[k];
        if (motion_may_run(&m)) CHECK(mech_sim_info_get(m.sim).raw_phi > 0 && mech_sim_info_get(m.sim).raw_phi < 1e-5);
        motion_free(&m);
    }
#undef MODEL
    const mech_override loops = {"N", 1};
    motion m;
    if (!motion_read_with(&m, EXAMPLE("four-bar-ladder"), &loops, 1)) return;
    motion_settings(&m, 1e-8);
    m.settings.method = MECH_METHOD_RK5;
    motion_must_run(&m);
    CHECK(mech_sim_info_get(m.sim).raw_phi < 1e-7 && mech_sim_info_get(m.sim).raw_velocity < 1e-5);
    motion_free(&m);
}

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

/* ---- where a failure leaves the run: time and state belong together ---- */

static void after_failure(void)
{
    motion m;
    /* b = 2 a but for t^2: no step can be kept, and what was tried of the first one is not the state */
    if (motion_read(&m, "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint a: x' + y' = 1\n"
                        "constraint b: 2*x' + 2*y' = 2 + t^2\nsimulate until 1\n")) {
        CHECK(motion_run(&m) == MECH_ERR_CONFLICT);
        CHECK(mech_sim_has_started(m.sim) && strstr(mech_sim_error_text(m.sim), "it contradicts") != NULL);
        CHECK(mech_sim_time(m.sim) == 0 && mech_sim_q(m.sim)[0] == 0 && mech_sim_q(m.sim)[1] == 0);
        CHECK_NEAR(mech_sim_v(m.sim)[0], 0.5, 1e-12);
    }
    motion_free(&m);
    /* x = 1.05 - t wherever it stops, though rows, energies and events fail at different places of a step */
    static const char *const fails[] = {"output s = sqrt(x)\n", "potential 1e-30*log(x)\n",
                                        "event e: x falls through 0.5 -> set x' = log(-x)\n"};
    for (size_t k = 0; k < 3; k++) {
        char text[300];
        snprintf(text, sizeof text,
                 "coord x\nkinetic x'^2/2\ninitial x = 1.05, x' = -1\nsimulate until 2, points 21\n%s", fails[k]);
        if (motion_read(&m, text)) {
            CHECK(motion_run(&m) == MECH_ERR_NOT_FINITE);
            CHECK_NEAR(mech_sim_q(m.sim)[0], 1.05 - mech_sim_time(m.sim), 1e-12);
            CHECK_NEAR(mech_sim_v(m.sim)[0], -1, 1e-12);
        }
        motion_free(&m);
    }
    /* nothing has run: there is no state to speak of */
    if (motion_read(&m, "coord x\nkinetic x'^2/2\ninitial x' = 1\nsimulate until 1, points 1000000000\n")) {
        m.settings.output_points = 1000000000;
        CHECK(motion_run(&m) == MECH_ERR_LIMIT && !mech_sim_has_started(m.sim));
    }
    motion_free(&m);
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

int main(void)
{
    near_rows();
    lost_hold();
    euler_parameters();
    close_branches();
    after_failure();
    dead_centres();
    uniqueness();
    not_finite();
    bounces();
    tables();
    kinks();
    misfits();
    other_ways();
    settings();
    servo();
    servo_on_its_path();
    balance();
    drift();
    masses();
    masses_between_steps();
    return check_report();
}
