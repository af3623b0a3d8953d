/* Friction and laws in whole runs, against closed forms and independent integrations. */
#include "support/motion.h"

#define EXAMPLE(name) "examples/" name "/model.mech"

/* ---- friction ---- */

/* A rod on one end, tip moving to -x: with k = mu,
   theta'' (1/3 + c (c - k s)) = -(c - k s) (g - s theta'^2),  N = g + c theta'' - s theta'^2,  x'' = k N. */
static void rod_slope(const double *y, double *f)
{
    const double c = cos(y[0]), s = sin(y[0]), k = 0.3, g = 9.81;
    const double turn = -(c - k * s) * (g - s * y[1] * y[1]) / (1.0 / 3 + c * (c - k * s));
    f[0] = y[1];
    f[1] = turn;
    f[2] = y[3];
    f[3] = k * (g + c * turn - s * y[1] * y[1]);
}

/* One step of the classical method of order 4. */
static void step4(void (*slope)(const double *, double *), size_t n, double h, double *y)
{
    double k1[4], k2[4], k3[4], k4[4], w[4];
    slope(y, k1);
    for (size_t i = 0; i < n; i++) w[i] = y[i] + h / 2 * k1[i];
    slope(w, k2);
    for (size_t i = 0; i < n; i++) w[i] = y[i] + h / 2 * k2[i];
    slope(w, k3);
    for (size_t i = 0; i < n; i++) w[i] = y[i] + h * k3[i];
    slope(w, k4);
    for (size_t i = 0; i < n; i++) y[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
}

static void rod(void)
{
    motion m;
    double y[4] = {1.3, 0, 0, -1}, f[4];
    rod_slope(y, f);
    CHECK(fabs(f[1] - 0.646) < 5e-4); /* DESIGN, section 1 */
    if (!motion_read(&m, EXAMPLE("sliding-rod"))) return;
    m.settings.until = 0.2;
    m.settings.output_points = 3;
    motion_must_run(&m);
    CHECK_NEAR(motion_at(&m, 0, "acc"), f[1], 1e-12);
    for (int k = 1; k <= 2; k++) {
        for (int i = 0; i < 20000; i++) step4(rod_slope, 4, 0.1 / 20000, y);
        CHECK_NEAR(motion_at(&m, 0.1 * k, "theta"), y[0], 1e-9);
        CHECK_NEAR(motion_at(&m, 0.1 * k, "theta'"), y[1], 1e-9);
        CHECK_NEAR(motion_at(&m, 0.1 * k, "x"), y[2], 1e-9);
        CHECK(y[3] + sin(y[0]) * y[1] < 0); /* it still slides to -x */
    }
    motion_free(&m);
}

/* A bead on a vertical circle x = cos p, z = sin p: p'' = -g cos p - mu |g sin p - p'^2| sign(p'). */
static double bead_sign;
static void bead_slope(const double *y, double *f)
{
    f[0] = y[1];
    f[1] = -9.81 * cos(y[0]) - 0.2 * fabs(9.81 * sin(y[0]) - y[1] * y[1]) * bead_sign;
}

/* Until it rests where |g cos p| <= mu |g sin p|: the time of rest, and the number of turns before it. */
static double bead_rest(double *y, int *turns)
{
    const double h = 1e-5;
    *turns = 0;
    for (size_t i = 0;; i++) {
        double before[2] = {y[0], y[1]};
        step4(bead_slope, 2, h, y);
        if (y[1] * bead_sign > 0) continue;
        double low = 0, high = h;
        for (int k = 0; k < 60; k++) {
            const double middle = (low + high) / 2;
            memcpy(y, before, sizeof before);
            step4(bead_slope, 2, middle, y);
            if (y[1] * bead_sign > 0) low = middle;
            else high = middle;
        }
        if (fabs(cos(y[0])) <= 0.2 * fabs(sin(y[0]))) return (double)i * h + high;
        bead_sign = -bead_sign;
        (*turns)++;
        memcpy(before, y, sizeof before);
        before[1] = 0;
        memcpy(y, before, sizeof before);
        step4(bead_slope, 2, h - high, y); /* the rest of this step, on the way back */
    }
}

static void bead(void)
{
    motion m;
    double y[2] = {0, -1};
    int turns;
    bead_sign = -1;
    const double rest = bead_rest(y, &turns);
    CHECK(turns >= 2);
    if (!motion_read(&m, EXAMPLE("rough-bead"))) return;
    motion_must_run(&m);
    CHECK(motion_count(&m, MECH_LOG_STICK) == 1 && motion_count(&m, MECH_LOG_SLIP) == 0);
    CHECK_NEAR(motion_when(&m, MECH_LOG_STICK, 0), rest, 1e-7);
    CHECK_NEAR(motion_end(&m, "x"), cos(y[0]), 1e-8);
    CHECK_NEAR(motion_end(&m, "z"), sin(y[0]), 1e-8);
    CHECK_NEAR(motion_end(&m, "z'"), 0, 1e-10);
    motion_free(&m);
    /* a push 6 sin t against mu N = 5: held, gives way at t0, holds again at t1, then the same to the other
     * side */
    if (!motion_read(&m, "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 10*y\nforce 6*sin(t) on "
                         "x'\nconstraint floor: y = 0\n"
                         "friction on floor: 1/2, along x'\nsimulate until 6\n"))
        return;
    motion_must_run(&m);
    const double t0 = asin(5.0 / 6);
    double low = t0 + 0.5, high = t0 + 2; /* x' = 6 (cos t0 - cos t) - 5 (t - t0) is 0 again */
    for (int i = 0; i < 80; i++) {
        const double t = (low + high) / 2;
        if (6 * (cos(t0) - cos(t)) - 5 * (t - t0) > 0) low = t;
        else high = t;
    }
    CHECK(motion_count(&m, MECH_LOG_SLIP) == 2 && motion_count(&m, MECH_LOG_STICK) == 3);
    for (size_t k = 0; k < 2; k++) {
        CHECK_NEAR(motion_when(&m, MECH_LOG_SLIP, k), t0 + M_PI * (double)k, 1e-9);
        CHECK_NEAR(motion_when(&m, MECH_LOG_STICK, k + 1), low + M_PI * (double)k, 1e-8);
    }
    motion_free(&m);
}

/* Coefficients that become negative are refused by name, whenever it is. */
static void coefficients(void)
{
    motion_refused("coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 10*y\nconstraint floor: y = 0\n"
                   "friction on floor: 1/2 - t, along x'\ninitial x' = 20\nsimulate until 1\n",
                   MECH_ERR_MODEL, "floor", "coefficient of friction");
    motion m;
    if (!motion_read(&m,
                     "param mu = 1/2\ncoord x, y\nkinetic (x'^2 + y'^2)/2\npotential 10*y\nconstraint floor: y = 0\n"
                     "friction on floor: mu, along x'\ninitial x' = 20\nsimulate until 1\n"))
        return;
    CHECK(mech_sim_create(m.system, &m.settings, &m.sim) == MECH_OK);
    CHECK(mech_eval_set_param(mech_sim_eval(m.sim), "mu", -0.1) == MECH_OK);
    CHECK(mech_sim_start(m.sim) == MECH_ERR_MODEL);
    CHECK(motion_says(&m, "floor", "-0.1"));
    motion_free(&m);
}

/* The coefficient at rest is compared where it counts: at rest. */
static void at_rest(void)
{
#define MODEL                                                                                                          \
    "param s = 2/5\ncoord x, y\nkinetic (x'^2 + y'^2)/2\npotential 10*y\nconstraint floor: y = 0\nsimulate until 4\n"
    motion_refused(MODEL "friction on floor: 3/10, along x', static 1/2 - t/10\n", MECH_ERR_MODEL, "on floor is 0.",
                   "below 0.3 of sliding");
    motion m; /* the sliding one grows with the speed: x'' = -(3 + x'), at rest at t = ln(1 + 6/3) */
    if (!motion_read(&m, MODEL "friction on floor: 3/10 + abs(x')/10, along x', static s\ninitial x' = 6\n")) return;
    motion_must_run(&m);
    CHECK_NEAR(motion_when(&m, MECH_LOG_STICK, 0), log(3), 1e-9);
    CHECK_NEAR(motion_end(&m, "x'"), 0, 1e-12);
    motion_free(&m);
    if (!motion_read(&m, MODEL "friction on floor: 3/10, along x', static s\ninitial x' = 6\n")) return;
    CHECK(mech_sim_create(m.system, &m.settings, &m.sim) == MECH_OK);
    CHECK(mech_eval_set_param(mech_sim_eval(m.sim), "s", 0.2) == MECH_OK);
    CHECK(mech_sim_run(m.sim) == MECH_ERR_MODEL);
    CHECK_NEAR(mech_sim_time(m.sim), 2, 1e-9); /* where it comes to rest */
    CHECK(motion_says(&m, "0.2 at rest", "below 0.3"));
    motion_free(&m);
    if (motion_read(&m, MODEL "friction on floor: 3/10, along x', static 3/10\ninitial x' = 6\n")) motion_must_run(&m);
    CHECK_NEAR(motion_end(&m, "x"), 6, 1e-9); /* 36/(2*3) */
    motion_free(&m);
#undef MODEL
}

/* ---- laws ---- */

/* M = diag(4, 1): z = (a, b) is C = (2 a, b). Beside a law that looks at the reaction. */
static void roots(void)
{
#define MODEL                                                                                                          \
    "coord x, y, w\nkinetic 2*x'^2 + y'^2/2 + w'^2/2\npotential 9.81*y\nconstraint rod: x^2 + y^2 + w^2 = "            \
    "1\n"                                                                                                              \
    "initial x = 0.6, y = 0.8, w = 0, w' = 1, x' = 0.2\nsimulate until 0.5\n"                                          \
    "nonideal on rod: [x, y, w] = -1/10*reaction(rod)*[x', y', w']\n"
    motion a, b;
    if (!motion_read(&a, MODEL "nonideal z on rod: [x, y, w] = [-x', w, reaction(rod)/5]\n") ||
        !motion_read(&b, MODEL "nonideal on rod: [x, y, w] = [-2*x', w, reaction(rod)/5]\n"))
        return;
    motion_must_run(&a);
    motion_must_run(&b);
    CHECK_NEAR(motion_end(&a, "x"), motion_end(&b, "x"), 1e-12);
    CHECK_NEAR(motion_end(&a, "w'"), motion_end(&b, "w'"), 1e-12);
    CHECK(mech_sim_info_get(a.sim).balance_error < 1e-9 * mech_sim_info_get(a.sim).energy_scale);
    motion_free(&a);
    motion_free(&b);
    if (!motion_read(&a, MODEL "nonideal on rod: [x, y, w] = [1, 0, w']\nfriction on rod: 0, along w'\n")) return;
    a.settings.columns = MECH_COLUMNS_FORCES;
    motion_must_run(&a);
    static const char *const coords[] = {"x", "y", "w"};
    for (int k = 0; k < 3; k++) { /* the laws' parts are the whole */
        char sum[64], one[64], two[64];
        snprintf(sum, sizeof sum, "equation.Qni(%s)", coords[k]);
        snprintf(one, sizeof one, "nonideal(rod, %s)", coords[k]);
        snprintf(two, sizeof two, "nonideal(rod#2, %s)", coords[k]);
        CHECK(fabs(motion_end(&a, one)) + fabs(motion_end(&a, two)) > 1e-3);
        CHECK_NEAR(motion_end(&a, one) + motion_end(&a, two), motion_end(&a, sum), 1e-11);
    }
    motion_free(&a);
#undef MODEL
    /* by itself: C = M^(1/2) z = sqrt(2), which hold bears; and where M has no inverse, diag(2, 0): x'' = sqrt(2)/2 */
    if (!motion_read(&a, "coord x\nkinetic x'^2\nconstraint hold: x = 1\nnonideal z on hold: x = 1\n")) return;
    a.settings.columns = MECH_COLUMNS_MULTIPLIERS;
    motion_must_run(&a);
    CHECK_NEAR(motion_end(&a, "lambda(hold)"), 0, 1e-15);
    CHECK_NEAR(motion_end(&a, "reaction(hold)"), -sqrt(2), 1e-15);
    motion_free(&a);
    if (!motion_read(&a, "coord x, y\nkinetic x'^2\nconstraint tie: y = x\nnonideal z on tie: x + y = 1\n")) return;
    a.settings.columns = MECH_COLUMNS_ACCELERATIONS;
    motion_must_run(&a);
    CHECK_NEAR(motion_end(&a, "x''"), sqrt(2) / 2, 1e-14);
    motion_free(&a);
    /* friction's own force, slipping and holding */
    if (!motion_read(&a, "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 10*y\nforce 2 on x'\nconstraint floor: y = 0\n"
                         "friction on floor: 1/2, along x'\ninitial x' = 3/2\nsimulate until 1\n"))
        return;
    a.settings.columns = MECH_COLUMNS_FORCES;
    motion_must_run(&a);
    CHECK_NEAR(motion_at(&a, 0, "friction(floor, x)"), -5, 1e-12);
    CHECK_NEAR(motion_end(&a, "friction(floor, x)"), -2, 1e-12);
    CHECK_NEAR(motion_at(&a, 0, "nonideal(floor, x)"), -5, 1e-12);
    motion_free(&a);
}

/* A block pushed against a wall on a floor: friction bears 5 of the push of 6 once the wall is let go, for it
   presses no longer. y(t) = (t - 1/10)^2/2. */
static void released(void)
{
    motion m;
    if (!motion_read(
            &m, "coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\npotential 10*z\nforce 6 on y'\n"
                "constraint floor: z = 0\nconstraint wall: y = 0\nfriction on floor, wall: 1/2, along [x', y', z']\n"
                "event leave: t rises through 1/10 -> release wall\nsimulate until 1\n"))
        return;
    motion_must_run(&m);
    CHECK_NEAR(motion_end(&m, "y"), 0.405, 1e-12);
    CHECK_NEAR(motion_end(&m, "y'"), 0.9, 1e-12);
    motion_free(&m);
}

/* ---- what is released is not asked ---- */

/* A block slides over a floor that is let go between x = 1.5 and 4. Its law has no value between 2 and 3, or
   where the floor does not press. x'^2 falls by twice the work done on the floor alone. */
static void silent_law(const char *law, double work, mech_method method)
{
    char text[512];
    motion m;
    snprintf(text, sizeof text,
             "coord x, y\nkinetic 2*x'^2 + y'^2/2\npotential 10*y\nconstraint floor: y = 0\n%s\n"
             "initial x' = 6\nevent off: x rises through 1.5 -> release floor\n"
             "event on: x rises through 4 -> impose floor\nevent end: x rises through 6 -> stop\nsimulate until 10\n",
             law);
    if (!motion_read(&m, text)) return;
    CHECK(motion_derive(&m) == MECH_OK);
    m.settings.method = method;
    m.settings.columns = MECH_COLUMNS_FORCES;
    if (!motion_may_run(&m)) {
        motion_free(&m);
        return;
    }
    CHECK_NEAR(motion_end(&m, "x"), 6, 1e-9);
    CHECK_NEAR(motion_end(&m, "x'"), sqrt(36 - work / 2), 1e-8);
    CHECK_NEAR(motion_when(&m, MECH_LOG_EVENT, 1) - motion_when(&m, MECH_LOG_EVENT, 0),
               2.5 / motion_at(&m, motion_when(&m, MECH_LOG_EVENT, 1), "x'"), 1e-9); /* free flight */
    CHECK(mech_sim_info_get(m.sim).balance_error < 1e-8 * mech_sim_info_get(m.sim).energy_scale);
    motion_free(&m);
}

/* Integral of sqrt((x - 2)(x - 3)) from 2.5 - d to 2.5 - c, d >= c >= 1/2 */
static double root_area(double c, double d)
{
    const double a = sqrt(c * c - 0.25), b = sqrt(d * d - 0.25);
    return (d * b - c * a) / 2 - log((d + b) / (c + a)) / 8;
}

static void silent(void)
{
    static const mech_method methods[] = {MECH_METHOD_RK8, MECH_METHOD_RK5, MECH_METHOD_ADAMS, MECH_METHOD_BDF,
                                          MECH_METHOD_IRK};
    const double root = root_area(1, 2.5) + root_area(1.5, 3.5);
    const double parabola = (1.5 * 1.5 * 1.5 / 3 - 2.5 * 1.5 * 1.5 + 9) + ((216.0 - 64) / 3 - 2.5 * (36 - 16) + 12);
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        const int is_stiff = methods[k] == MECH_METHOD_BDF || methods[k] == MECH_METHOD_IRK;
        silent_law("nonideal on floor: x = -sqrt((x - 2)*(x - 3))", root, methods[k]);
        silent_law("nonideal on floor: x = -40/norm(force(floor))", 4 * 3.5, methods[k]);
        silent_law("nonideal on floor: x = -reaction(floor)*norm(force(floor))/10", 10 * 3.5, methods[k]);
        silent_law("friction on floor: sqrt((x - 2)*(x - 3))/10, along x'", root, methods[k]);
        silent_law("friction on floor: 1/10, along sqrt((x - 2)*(x - 3))*x'", root, methods[k]);
        silent_law("friction on floor: (x - 2)*(x - 3)/10, along x'", parabola, methods[k]); /* negative there */
        if (!is_stiff) silent_law("nonideal z on floor: x = -sqrt((x - 2)*(x - 3))/2", root, methods[k]);
    }
}

/* The same for what waits from the start: no law before the floor is met, and friction finds its rows there. */
static void waiting(void)
{
    motion m;
    if (!motion_read(&m, "coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\npotential 10*z\nconstraint floor: z = 0\n"
                         "nonideal on floor: [x, y] = -sqrt(x - 2)*[x', y']\n"
                         "friction on floor: sqrt(x - 2)/4, along sqrt(x - 2)*[x', y', z']/sqrt(x - 2)\n"
                         "initial x' = 3, y' = 4, z = 10\nevent meet: x rises through 3 -> impose floor\n"
                         "event off: x rises through 3.1 -> stop\nsimulate until 2\n"))
        return;
    m.settings.columns = MECH_COLUMNS_FORCES | MECH_COLUMNS_ACCELERATIONS;
    motion_must_run(&m);
    const double x = motion_end(&m, "x"), vx = motion_end(&m, "x'"), vy = motion_end(&m, "y'");
    const double speed = hypot(vx, vy), part = 10 * sqrt(x - 2) / 4 / speed + sqrt(x - 2);
    CHECK_NEAR(motion_when(&m, MECH_LOG_EVENT, 0), 1, 1e-9);
    CHECK_NEAR(motion_end(&m, "x''"), -part * vx, 1e-9);
    CHECK_NEAR(motion_end(&m, "y''"), -part * vy, 1e-9);
    motion_free(&m);
}

/* Servos over a rough floor, by closed forms: u = a + mu g sign(x'), through rest and through a reversal; an actuator
   that lifts, whose friction has one solution below mu = 1/c: u (1 + c mu) = a + mu g (above, a floor that pulls gives
   another). */
static void servos(void)
{
    static const struct {
        const char *text, *column;
        double want;
    } cases[] = {
        {"coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 10*y\nconstraint floor: y = 0\nfriction on floor: 0.2, along x'\ncontrol path: x = sin(t)\n"
         "actuator push: x'\ninitial x' = 1\nsimulate until 3\n",
         "control(push)", -0.14112000805986722 - 2},
        {"coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 10*y\nconstraint floor: y = 0\nfriction on floor: 0.2, along x'\ncontrol path: x = 1 - cos(t)\n"
         "actuator push: x'\nsimulate until 2\n",
         "control(push)", -0.41614683654714241 + 2},
        {"coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 10*y\nconstraint floor: y = 0\nfriction on floor: 0.5, along x'\ncontrol path: x' = 1 + t\n"
         "actuator push: x' + 0.8*y'\ninitial x' = 1\nsimulate until 1\n",
         "control(push)", 6 / 1.4},
        {"coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 10*y\nconstraint floor: y = 0\nfriction on floor: 1.2, along x'\ncontrol path: x' = 1 + t\n"
         "actuator push: x' + 0.8*y'\ninitial x' = 1\nsimulate until 1\n",
         "control(push)", 13 / 1.96},
    };
    static const mech_method methods[] = {MECH_METHOD_RK8, MECH_METHOD_RK5, MECH_METHOD_ADAMS};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t k = 0; k < 3; k++) {
            motion m;
            if (!motion_read(&m, cases[i].text)) return;
            motion_settings(&m, 1e-9);
            m.settings.method = methods[k];
            if (motion_may_run(&m)) CHECK_NEAR(motion_end(&m, cases[i].column), cases[i].want, 1e-5);
            motion_free(&m);
        }
}

static const mech_method every_method[] = {MECH_METHOD_RK8, MECH_METHOD_RK5, MECH_METHOD_ADAMS, MECH_METHOD_BDF,
                                           MECH_METHOD_IRK};
enum { EVERY_METHOD = sizeof every_method / sizeof *every_method };

/* A Coulomb oscillator comes to rest where its half swings, each 2 mu g/k shorter, end. k = 100, mu g = 0.65: they end
   at 1, -0.987, 0.974, ...; |x| <= 0.0065 holds: 77 half swings of pi/10, x = 0.001. In units of length and time of
   their own the same. */
static void oscillators(void)
{
    static const double lengths[] = {1, 1e3, 1e-3}, times[] = {1, 1e-3, 1e4};
    for (size_t i = 0; i < 3; i++)
        for (size_t k = 0; k < (i == 0 ? EVERY_METHOD : 1); k++) {
            const double length = lengths[i], time = times[i];
            char text[500];
            motion m;
            snprintf(
                text, sizeof text,
                "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential %.17g*y + %.17g*x^2\nconstraint floor: y = 0\nfriction on floor: 0.065, along x'\n"
                "initial x = %.17g\nsimulate until %.17g\n",
                10 * length / (time * time), 50 / (time * time), length, 100 * time);
            if (!motion_read(&m, text)) return;
            motion_settings(&m, 1e-9);
            CHECK(motion_derive(&m) == MECH_OK);
            m.settings.atol *= length * fmin(1, 1 / time);
            m.settings.method = every_method[k];
            if (motion_may_run(&m)) {
                CHECK_NEAR(motion_end(&m, "x") / length, 0.001, 1e-5);
                CHECK(motion_count(&m, MECH_LOG_STICK) == 1);
                CHECK_NEAR(motion_when(&m, MECH_LOG_STICK, 0) / time, 7.7 * acos(-1.0), 1e-4);
            }
            motion_free(&m);
        }
}

/* Pushed from rest by (5, 7) over a floor that takes 3, with masses 1 and 9: V' = a d with (a + 3) d1 = 5, (9 a + 3) d2
   = 7, |d| = 1. The direction stays. */
static void two_velocities(void)
{
    static const char *const along[] = {"[x', y']", "[x', y', z']"};
    const double a = 2.2444195788528636, x = 2 * a * 5 / (a + 3), y = 2 * a * 7 / (9 * a + 3); /* at t = 2 */
    CHECK_NEAR(hypot(5 / (a + 3), 7 / (9 * a + 3)), 1, 1e-14);
    for (size_t i = 0; i < 2; i++)
        for (size_t k = 0; k < EVERY_METHOD; k++) {
            char text[300];
            motion m;
            snprintf(
                text, sizeof text,
                "coord x, y, z\nkinetic (x'^2 + 9*y'^2 + z'^2)/2\npotential 10*z\nconstraint floor: z = 0\nfriction on floor: 0.3, along %s\n"
                "force 5 on x'\nforce 7 on y'\nsimulate until 2\n",
                along[i]);
            if (!motion_read(&m, text)) return;
            CHECK(motion_derive(&m) == MECH_OK);
            motion_settings(&m, 1e-9);
            m.settings.method = every_method[k];
            if (motion_may_run(&m)) {
                CHECK_NEAR(motion_end(&m, "x"), x, 1e-6);
                CHECK_NEAR(motion_end(&m, "y"), y, 1e-6);
            }
            motion_free(&m);
        }
}

/* A start that was moved to rest leaves a speed of rounding, here of a coordinate without a mass (one of two, whose
   guesses cannot both be kept, and so neither is): it rests. At once b gives way forwards, where 1 + lambda - 0.304
   |lambda| = 0. */
static void start_at_rest(void)
{
    motion m;
    if (!motion_read(
            &m,
            "coord x, b, c\nmass x = 1.369\nforce 1 on b'\nconstraint hold: x + b = 0.98\nfriction on hold: 0.304, along b'\n"
            "constraint other: x + c = 0.5\nguess b' = -0.815, c' = 0.37\nsimulate until 1\n"))
        return;
    m.settings.columns = MECH_COLUMNS_ACCELERATIONS;
    motion_must_run(&m);
    CHECK(motion_at(&m, 0, "b'") != 0);
    CHECK_NEAR(motion_at(&m, 0, "x''"), -1 / 1.304 / 1.369, 1e-12);
    CHECK_NEAR(motion_end(&m, "x''"), -1 / 1.304 / 1.369, 1e-12);
    motion_free(&m);
}

/* Control beside a law that looks at the ideal multiplier, under the least forces u. With s = 1/cosh(t)^2: lambda =
   u_p/s, reaction = 2 h'' - u_h, and along p 0 = u_p + lambda/10 - s reaction. */
static void control_and_law(void)
{
    motion m;
    if (!motion_read(
            &m, "coord h, p\nkinetic h'^2\nconstraint joint: h = tanh(p)\nnonideal on joint: p = 0.1*lambda(joint)\n"
                "control path: p = t weight identity\ninitial p = 0, p' = 1\nsimulate until 1\n"))
        return;
    m.settings.columns = MECH_COLUMNS_ACCELERATIONS | MECH_COLUMNS_MULTIPLIERS | MECH_COLUMNS_FORCES;
    motion_must_run(&m);
    for (int k = 1; k <= 10; k++) {
        const double t = 0.1 * k, s = 1 / (cosh(t) * cosh(t)), h = -2 * tanh(t) * s;
        const double u_h = motion_at(&m, t, "control(h)"), u_p = motion_at(&m, t, "control(p)");
        const double lambda = motion_at(&m, t, "lambda(joint)"), reaction = motion_at(&m, t, "reaction(joint)");
        CHECK_NEAR(motion_at(&m, t, "h''"), h, 1e-8);
        CHECK_NEAR(lambda, u_p / s, 1e-8);
        CHECK_NEAR(reaction, 2 * h - u_h, 1e-8);
        CHECK_NEAR(u_p + 0.1 * lambda - s * reaction, 0, 1e-8);
    }
    motion_free(&m);
}

/* A block on a belt that goes [3/10, -1/5] slides along [1, 1] by |V| = 0.7 sqrt(2) - mu g t, and then rests on it. To
   rest exactly: what that takes from the energy is in the account. */
static void comes_to_rest(void)
{
    static const double masses[] = {0.5, 1, 2, 3, 5, 7}, mus[] = {0.15, 0.2, 0.25, 0.3, 0.4, 0.5, 0.8};
    for (size_t i = 0; i < sizeof masses / sizeof *masses; i++)
        for (size_t k = 0; k < sizeof mus / sizeof *mus; k++) {
            const double until_rest = 0.7 * sqrt(2) / (mus[k] * 9.81);
            char text[400];
            motion m;
            snprintf(
                text, sizeof text,
                "param m = %g, mu = %g\ncoord x, y, z\nkinetic m*(x'^2 + y'^2 + z'^2)/2\npotential m*9.81*z\nconstraint floor: z = 0\n"
                "friction on floor: mu, along [x' - 3/10, y' + 1/5]\ninitial x' = 1, y' = 1/2\nsimulate until 1\n",
                masses[i], mus[k]);
            if (!motion_read(&m, text)) return;
            motion_must_run(&m);
            CHECK_TEXT(mech_sim_warning(m.sim), "");
            CHECK_NEAR(motion_when(&m, MECH_LOG_STICK, 0), until_rest, 1e-7);
            CHECK_NEAR(motion_end(&m, "x"), 0.3 + 0.35 * until_rest, 1e-9);
            CHECK_NEAR(motion_end(&m, "y"), -0.2 + 0.35 * until_rest, 1e-9);
            motion_free(&m);
        }
}

/* A table written twice: neither reaction is unique, but the load is, |f| = 10 of both together. x = t - 3 t^2/2, at
   rest from 1/3 on. */
static void written_twice(void)
{
    motion m;
    if (!motion_read(
            &m,
            "coord x, y, z\nlet r = [x, y, z]\nkinetic dot(r', r')/2\npotential 10*z\nconstraint a: z = 0\nconstraint b: 2*z = 0\n"
            "friction on a, b: 3/10, along r'\ninitial x' = 1\nsimulate until 1/2, points 3\n"))
        return;
    motion_must_run(&m);
    CHECK_NEAR(motion_at(&m, 0.25, "x"), 0.25 - 3 * 0.25 * 0.25 / 2, 1e-9);
    CHECK_NEAR(motion_end(&m, "x"), 1.0 / 6, 1e-9);
    motion_free(&m);
}

/* Bounds that are given. A slider of 3 kg, v0 = 1, pushed by 4t against 6 (7 at rest): v = 1 - 2t + 2/3 t^2 is 0 at (3
   - sqrt(3))/2, it holds until 4t = 7, and then v = 2/3 (t^2 - 49/16) - 2 (t - 7/4). A wheel of 1/2 is braked by 1/4
   from 1: at rest after 2, turned by 1. */
static void given_bounds(void)
{
    motion m;
    if (!motion_read(&m, "gravity [0, 0]\nbody wheel: mass 2, inertia 0.5\nbody slider: mass 3\n"
                         "joint J: ground to wheel, revolute\njoint S: ground to slider, prismatic along [1, 0]\n"
                         "friction on J: torque 0.25\nfriction on S: force 6, static 7\nforce 4*t on S'\n"
                         "initial J' = 1, S' = 1\noutput load = S.load.force[1]\nsimulate until 3\n"))
        return;
    motion_must_run(&m);
    const double rest = (3 - sqrt(3)) / 2, way = rest - rest * rest + 2.0 / 9 * rest * rest * rest;
    CHECK_NEAR(motion_when(&m, MECH_LOG_STICK, 0), rest, 1e-9);
    CHECK_NEAR(motion_at(&m, 1.5, "S"), way, 1e-9);
    CHECK_NEAR(motion_at(&m, 1.5, "S'"), 0, 1e-12);
    CHECK_NEAR(motion_end(&m, "S'"), 2.0 / 3 * (9 - 49.0 / 16) - 2.5, 1e-9);
    CHECK_NEAR(motion_end(&m, "load"), 6, 1e-9); /* 4t - 6 */
    CHECK_NEAR(motion_end(&m, "J"), 1, 1e-9);
    CHECK_NEAR(motion_end(&m, "J'"), 0, 1e-12);
    motion_free(&m);
}

/* Nothing pulls at what friction alone has stopped: it stays where v m/(mu N) seconds took it. Only its bound tells
   that from a speed of rounding, which the gains of the excess would take for a pull. */
static void nothing_pulls(void)
{
    static const double speeds[] = {0.05, 0.1, 0.187, 0.3, 0.77, 1};
    for (size_t i = 0; i < sizeof speeds / sizeof *speeds; i++) {
        char text[300];
        motion m;
        snprintf(
            text, sizeof text,
            "coord x, y\nkinetic 0.97*x'^2 + y'^2/2\npotential 10*y\nconstraint floor: y = 0\nfriction on floor: 0.3, along x'\n"
            "initial x' = %g\nstabilize excess B = 15.87, K = 25.8\nsimulate until 1\n",
            speeds[i]);
        if (!motion_read(&m, text)) return;
        motion_settings(&m, 1e-10);
        motion_must_run(&m);
        CHECK_NEAR(motion_when(&m, MECH_LOG_STICK, 0), speeds[i] * 1.94 / 3, 1e-9);
        CHECK_NEAR(motion_end(&m, "x"), speeds[i] * speeds[i] * 1.94 / 6, 1e-9);
        motion_free(&m);
    }
}

/* A rail that presses from above and from below in turn, cos(t): where it does not press at all nothing has to be held,
   and nothing is passed unseen. */
static void load_turns(void)
{
    motion m;
    if (!motion_read(
            &m,
            "coord x, y\nkinetic (x'^2 + y'^2)/2\nforce cos(t) on y'\nconstraint rail: y = 0\nfriction on rail: 0.3, along x'\nsimulate until 4\n"))
        return;
    motion_must_run(&m);
    CHECK_TEXT(mech_sim_warning(m.sim), "");
    CHECK_NEAR(motion_end(&m, "x"), 0, 1e-12);
    motion_free(&m);
    /* a little pull there, and it slips until the rail presses again: 0.3 |cos(t)| = 0.003 at acos(0.01) */
    if (!motion_read(
            &m,
            "coord x, y\nkinetic (x'^2 + y'^2)/2\nforce cos(t) on y'\nforce 0.003 on x'\nconstraint rail: y = 0\nfriction on rail: 0.3, along x'\nsimulate until 4\n"))
        return;
    motion_must_run(&m);
    CHECK_TEXT(mech_sim_warning(m.sim), "");
    CHECK_NEAR(motion_when(&m, MECH_LOG_SLIP, 0), acos(0.01), 1e-8);
    motion_free(&m);
}

/* x x'' + y y'' = -z'^2 = -1/4 leaves no rest for both: x is held, which takes 15/4 - 1/64 of 6, and y gives way. */
static void one_of_two(void)
{
    motion m;
    if (!motion_read(
            &m,
            "coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\npotential 20*z\nforce 1 on x'\nconstraint ball: x^2 + y^2 + z^2 = 1\nconstraint push: z = 0.5*t\n"
            "friction on push: 0.3, along x'\nfriction on push: 0.3, along y'\ninitial x = 0.6, y = 0.8, x' = 0\nsimulate until 0.01\n"))
        return;
    m.settings.columns = MECH_COLUMNS_ACCELERATIONS | MECH_COLUMNS_FORCES;
    motion_must_run(&m);
    CHECK_NEAR(motion_at(&m, 0, "x''"), 0, 1e-14);
    CHECK_NEAR(motion_at(&m, 0, "y''"), -0.3125, 1e-14);
    motion_free(&m);
}

/* A start as it is given stays so, off its constraint, where friction rests (its velocity is 0 by a factor): x x'' + y
   y'' = -(x'^2 + y'^2). */
static void rests_as_given(void)
{
    motion m;
    if (!motion_read(
            &m,
            "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint ring: x^2 + y^2 = 1\nfriction on ring: 0.3, along (x - 1)*y'\n"
            "initial x = 1, y = 0, x' = 0.3, y' = 1\nsimulate until 0.1\n"))
        return;
    m.settings.columns = MECH_COLUMNS_ACCELERATIONS;
    m.settings.start = MECH_START_AS_GIVEN;
    motion_must_run(&m);
    CHECK_NEAR(motion_at(&m, 0, "x'"), 0.3, 0);
    CHECK_NEAR(motion_at(&m, 0, "x''"), -1.09, 1e-12);
    motion_free(&m);
}

/* Begun off its constraints, x' = 1 and y' = -1 of masses 1 and 9 held together: together they go at -0.8 after the
   first short step, and slide against the friction 3 of the weight 10 until 0.8/0.3. */
static void begins_apart(void)
{
    motion m;
    if (!motion_read(&m, "coord x, y, z\nkinetic (x'^2 + 9*y'^2 + z'^2)/2\npotential 10*z\n"
                         "constraint tie: x' = y'\nconstraint floor: z = 0\nfriction on floor: 0.3, along x'\n"
                         "initial x' = 1, y' = -1"))
        return;
    m.settings.start = MECH_START_AS_GIVEN;
    m.settings.until = 4;
    m.settings.output_points = 5;
    motion_must_run(&m);
    CHECK_NEAR(motion_at(&m, 2, "x'"), -0.2, 2e-3);
    CHECK_NEAR(motion_at(&m, 4, "x"), -0.8 * 0.8 / 0.6, 4e-3);
    CHECK_NEAR(motion_at(&m, 4, "x'"), 0, 1e-12);
    motion_free(&m);
}

/* Masses 1 and 3 on a floor that bears 10, mu = 0.3: (0.6, 0.8) 3 + (10, 4) tau moves them from tau = 0 on. The
   values at tau = 0.1 are those of another program (scipy's Radau to 1e-12, begun at 1e-5 with the first terms of the
   series in tau), which three starts confirm to 1e-13. */
static void begins_to_turn(void)
{
    motion m;
    if (!motion_read(&m, "coord x, y, z\nkinetic (x'^2 + 3*y'^2 + z'^2)/2\npotential 10*z\nconstraint floor: z = 0\n"
                         "friction on floor: 0.3, along [x', y']\n"
                         "force 3*0.6 + 10*(t - 0.1) on x'\nforce 3*0.8 + 4*(t - 0.1) on y'"))
        return;
    motion_settings(&m, 1e-8);
    m.settings.until = 0.2;
    m.settings.method = MECH_METHOD_RK8;
    motion_must_run(&m);
    CHECK_NEAR(motion_at(&m, 0.2, "x'"), 0.01962630134767, 1e-8);
    CHECK_NEAR(motion_at(&m, 0.2, "y'"), 0.01574421013645, 1e-8);
    CHECK_NEAR(motion_at(&m, 0.2, "x"), 0.000595084639124, 1e-9);
    motion_free(&m);
}

/* 5 t moves a block that 3 hold: it slips at 0.6, once, whatever events do to it while it slides. */
static void slips_once(void)
{
    motion m;
    size_t slips = 0;
    if (!motion_read(&m, "coord x, z\nkinetic (x'^2 + z'^2)/2\npotential 10*z\nconstraint floor: z = 0\n"
                         "friction on floor: 0.3, along x'\nforce 5*t on x'\n"
                         "event push: t rises through 1 -> set x' = x' + 0.1\n"
                         "event again: t rises through 1.5 -> set x' = x' + 0.1"))
        return;
    m.settings.until = 2;
    motion_must_run(&m);
    for (size_t k = 0; k < mech_sim_log_count(m.sim); k++) slips += mech_sim_log_get(m.sim, k).kind == MECH_LOG_SLIP;
    CHECK(slips == 1);
    CHECK_NEAR(motion_at(&m, 2, "x'"), 2.5 * 1.4 * 1.4 + 0.2, 1e-9);
    motion_free(&m);
}

/* A block on two feet that press with 3.5 and 6.5, pulled by 2.5 t: they hold 3 together, until 1.2, though one of them
   has given all it can before. From there x'' = 2.5 tau. */
static void two_feet(void)
{
    motion m;
    if (!motion_read(&m, "coord x, z, p\nkinetic (x'^2 + z'^2 + p'^2)/2\npotential 10*z\n"
                         "force 2.5*t on x'\nforce 3 on p'\nconstraint left: z + p = 0\nconstraint right: z - p = 0\n"
                         "friction on left: 0.3, along x'\nfriction on right: 0.3, along x'"))
        return;
    m.settings.until = 2;
    m.settings.output_points = 3;
    motion_must_run(&m);
    CHECK_NEAR(motion_at(&m, 1, "x"), 0, 1e-12);
    CHECK_NEAR(motion_at(&m, 2, "x'"), 0.8, 1e-10);
    CHECK_NEAR(motion_at(&m, 2, "x"), 2.5 * 0.8 * 0.8 * 0.8 / 6, 1e-10);
    motion_free(&m);
}

/* A joint loads friction by its force, not by the torque that keeps it from tilting: a = mu g in any units. */
static void joint_loads(void)
{
    static const struct {
        const char *units;
        double g;
    } in[] = {{"param m = 2, g = 9.81, c = 0.5, I = 0.1, v = 3\n", 9.81},
              {"param m = 0.002, g = 9810, c = 500, I = 100, v = 3000\n", 9810}};
    static const char *const joints[] = {
        "gravity [0, -g]\nbody b: mass m, center [c, 0], inertia I\njoint J: ground to b, prismatic along [1, 0]\n",
        "gravity [0, 0, -g]\nbody b: mass m, center [c, 0, 0], inertia [I, I, I]\n"
        "joint J: ground to b, prismatic along [1, 0, 0]\n"};
    for (int k = 0; k < 4; k++) {
        motion m;
        char text[512];
        snprintf(text, sizeof text, "%s%sfriction on J: 0.2, along J'\ninitial J' = v\noutput a = J''\n",
                 in[k / 2].units, joints[k % 2]);
        if (!motion_read(&m, text)) return;
        m.settings.until = 1;
        m.settings.output_points = 3;
        motion_must_run(&m);
        CHECK_NEAR(motion_at(&m, 0.5, "a") / in[k / 2].g, -0.2, 1e-10);
        motion_free(&m);
    }
}

/* A force that jumps beyond what friction holds finds it sliding at that instant: nobody sees more than mu N. */
static void overloaded(void)
{
    static const char *const jumps[] = {
        "input u = if(t > 0.2, 36, 0)\n",
        "sampled u = 0, n = 0\nevery 0.1 { set n = n + 1; set u = if(n >= 2, 36, 0) }\n"};
    for (int k = 0; k < 2; k++) {
        motion m;
        char text[512];
        snprintf(text, sizeof text,
                 "coord x, y\nkinetic x'^2 + y'^2\npotential 2*9.81*y\nconstraint floor: y = 0\n"
                 "friction on floor: 0.1, along x'\n%sforce u on x'\nmeasure worst: max of abs(friction(floor))\n"
                 "event over: abs(friction(floor)) rises through 10 -> record\nmeasure found: count of over\n",
                 jumps[k]);
        if (!motion_read(&m, text)) return;
        m.settings.until = 0.5;
        m.settings.output_points = 6;
        motion_must_run(&m);
        CHECK_NEAR(mech_sim_measure(m.sim, 0), 0.1 * 2 * 9.81, 1e-12);
        CHECK_NEAR(mech_sim_measure(m.sim, 1), 0, 0);
        /* the values of a clock are taken together: n is 2 before the sample at 0.2 */
        CHECK_NEAR(motion_end(&m, "x'"), (36 - 1.962) / 2 * 0.3, 1e-9);
        motion_free(&m);
    }
}

/* The load N = |10 t - 4| passes 0 at t = 0.4, with a kink: x' = 3 - mu (0.8 + 1.8) at t = 1. Both numbers are exact
   where a step ends there. */
static void load_passes_zero(void)
{
    static const char *const along[] = {"x'", "[x', y']"};
    static const mech_method methods[] = {MECH_METHOD_RK8, MECH_METHOD_RK5};
    for (size_t k = 0; k < 4; k++) {
        motion m;
        char text[300];
        snprintf(text, sizeof text,
                 "coord x, y\nkinetic (x'^2 + y'^2)/2\nforce 10*t - 4 on y'\nconstraint floor: y = 0\n"
                 "friction on floor: 1/2, along %s\ninitial x' = 3\nsimulate until 1\n",
                 along[k % 2]);
        if (!motion_read(&m, text)) return;
        motion_settings(&m, 1e-6);
        m.settings.method = methods[k / 2];
        motion_must_run(&m);
        CHECK_NEAR(motion_end(&m, "x'"), 1.7, 1e-12);
        motion_free(&m);
    }
}

/* A ball that slides and comes to roll: its slip goes along a line to 0 within t = |slip|/(7/2 mu g), and takes 2/7 of
   itself from the velocity. At the start one parameter of Euler has next to no mass, and is pressed on by what turns:
   that says nothing of which speeds are rest. Steps that begin short see it. */
static void ball_comes_to_roll(void)
{
    static const mech_method methods[] = {MECH_METHOD_RK8, MECH_METHOD_RK5, MECH_METHOD_ADAMS};
    const double t = sqrt(1.25) / (3.5 * 0.3 * 9.81), v[2] = {1 - 2.0 / 7, 0.3 - 1.0 / 7};
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        motion m;
        if (!motion_read(&m, "param m = 1, r = 0.1\nlet I = 2/5*m*r^2\ncoord x, y, z, e[1..4]\n"
                             "let w = omega(quaternion(e))\nkinetic m/2*(x'^2 + y'^2 + z'^2) + I/2*dot(w, w)\n"
                             "potential 9.81*m*z\nconstraint unit: dot(e, e) = 1\nconstraint floor: z = 0\n"
                             "let slip = [x' - r*w[2], y' + r*w[1], z']\nfriction on floor: 0.3, along slip\n"
                             "event half: norm(slip[1..2]) falls through 0.5 -> record\n"
                             "initial x = 0, y = 0, e[1] = 1, e[2] = 0, e[3] = 0, e[4] = 0\n"
                             "initial x' = 1, y' = 0.3, w[1] = 2, w[3] = 1\nsimulate until 1\n"))
            return;
        motion_settings(&m, 1e-9);
        m.settings.method = methods[k];
        if (motion_may_run(&m)) {
            CHECK_NEAR(motion_end(&m, "x'"), v[0], 1e-6);
            CHECK_NEAR(motion_end(&m, "x"), v[0] + t * (1 - v[0]) / 2, 1e-6);
            CHECK_NEAR(motion_end(&m, "y"), v[1] + t * (0.3 - v[1]) / 2, 1e-6);
            CHECK_NEAR(motion_when(&m, MECH_LOG_STICK, 0), t, 1e-6);
            CHECK(mech_sim_info_get(m.sim).events == 1);
        }
        motion_free(&m);
    }
}

/* A load that changes its sign often, for a moment only, or not at all where it touches 0. x' = 20 - mu times the
   integral of |N| over t; and by the position, x'^2 = 400 - 2 mu times that over x. A sine of n whole half turns has 2
   n + 1 - cos of the rest. */
static double sine_integral(double angle)
{
    const double n = floor(angle / acos(-1.0));
    return 2 * n + 1 - cos(angle - n * acos(-1.0));
}

static void load_changes_sign(void)
{
    static const double mu = 3e-3;
    static const struct {
        const char *load;
        double integral, miss; /* what x' may be off by at rtol 1e-6 */
    } all[] = {{"5*((t - 0.5)^2 - 1e-4)", 5 * (1.0 / 12 - 1e-4 + 8e-6 / 3), 1e-12},
               {"5*((t - 0.5)^2 - 1e-8)", 5 * (1.0 / 12 - 1e-8 + 8e-12 / 3), 1e-12},
               {"5*(t - 0.5)^2", 5.0 / 12, 1e-12},
               {"5*sin(200*t)", 0, 2e-5},
               {"5*sin(2*x)", 0, 2e-5}};
    static const mech_method methods[] = {MECH_METHOD_RK8, MECH_METHOD_RK5};
    for (size_t k = 0; k < 2 * sizeof all / sizeof *all; k++) {
        motion m;
        char text[300];
        snprintf(text, sizeof text,
                 "coord x, y\nkinetic (x'^2 + y'^2)/2\nforce %s on y'\nconstraint rail: y = 0\n"
                 "friction on rail: 3e-3, along x'\ninitial x' = 20\nsimulate until 1\n",
                 all[k / 2].load);
        if (!motion_read(&m, text)) return;
        motion_settings(&m, 1e-6);
        m.settings.method = methods[k % 2];
        motion_must_run(&m);
        CHECK_TEXT(mech_sim_warning(m.sim), "");
        const double exact = k / 2 < 3    ? 20 - mu * all[k / 2].integral
                             : k / 2 == 3 ? 20 - mu * 5 / 200 * sine_integral(200)
                                          : sqrt(400 - 2 * mu * 5 / 2 * sine_integral(2 * motion_end(&m, "x")));
        CHECK_NEAR(motion_end(&m, "x'"), exact, all[k / 2].miss);
        motion_free(&m);
    }
}

/* What holds a coordinate without mass bears nothing, and the sign that rounding gives the load is no kink: friction
   takes no more than twice the steps of the motion without it. */
static void load_is_rounding(void)
{
    static const struct {
        const char *text, *friction, *of;
        double end;
    } all[] = {{"coord x, w, z\nkinetic (x'^2 + z'^2)/2\npotential 2*x^2\nconstraint bind: w = x^2\n"
                "constraint copy: x^2 = w\nallow leastnorm\ninitial x = 1, z' = 1\nguess w = 1\nsimulate until 10\n",
                "friction on bind: 0.3, along z'\nfriction on bind, copy: 0.2, along x'\n", "z", 10},
               {"coord th, h\nkinetic th'^2/2\nconstraint gear: h = -cos(th)\ninitial th = 0, th' = 1\n"
                "guess h = -1\nsimulate until 12\n",
                "friction on gear: 0.1, along h'\n", "th", 12}};
    for (size_t k = 0; k < 2; k++) {
        long long steps[2];
        for (size_t i = 0; i < 2; i++) {
            motion m;
            char text[400];
            snprintf(text, sizeof text, "%s%s", all[k].text, i ? all[k].friction : "");
            if (!motion_read(&m, text)) return;
            motion_settings(&m, 1e-9);
            motion_must_run(&m);
            CHECK_NEAR(motion_end(&m, all[k].of), all[k].end, 1e-9);
            steps[i] = (long long)mech_sim_info_get(m.sim).steps;
            motion_free(&m);
        }
        CHECK(steps[1] <= 2 * steps[0] + 20);
    }
}

/* A bead on a ring, with friction along its height alone: y' passes 0 at the top and at the bottom with x' at its full
   speed, and the ring prescribes it there. No rest: with th from the bottom and w = th', dw/dth = -mu w |sin(th)|/
   (1 - mu cos(th) sign(sin(th))), so that w takes (1 - mu)/(1 + mu) in half a turn, and (1 - mu)/(1 - mu cos(th)) on
   the way up. With z' = 0 beside it nothing else: that the ring's force shows in these two at the start is chance. */
static void passes_the_top(void)
{
    static const char *const forms[] = {"friction on ring: 0.1, along y'\n", "friction on ring: 0.1, along [y', z']\n"};
    static const mech_method methods[] = {MECH_METHOD_RK8, MECH_METHOD_RK5, MECH_METHOD_ADAMS};
    static const double tolerances[] = {1e-4, 1e-6, 1e-9}, mu = 0.1;
    for (size_t k = 0; k < 18; k++) {
        motion m;
        char text[400];
        snprintf(text, sizeof text,
                 "coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\nconstraint ring: sqrt(x^2 + y^2) = 1\n"
                 "constraint flat: z = 0\n%sinitial x = 0, y = -1, x' = 1, y' = 0\n"
                 "output w = x*y' - y*x'\nevent turn: y rises through 0 -> record\nsimulate until 12\n",
                 forms[k / 9]);
        if (!motion_read(&m, text)) return;
        motion_settings(&m, tolerances[k % 3]);
        m.settings.method = methods[k / 3 % 3];
        if (motion_may_run(&m)) {
            const double cosine = -motion_end(&m, "y");
            CHECK(mech_sim_info_get(m.sim).events == 2);
            CHECK(motion_count(&m, MECH_LOG_STICK) == 0);
            CHECK_NEAR(motion_end(&m, "w"), pow(0.9 / 1.1, 2) * (1 - mu) / (1 - mu * cosine), 100 * tolerances[k % 3]);
        }
        motion_free(&m);
    }
}

/* V = cos(2t)*w' passes 0 with its factor at t = pi/4, and what moves goes on: with a load of 1 at mu = 1/2 w' = 3 -
   sin(2t)/4 before and 5/2 + sin(2t)/4 behind it; without a load nothing changes. The factor by the time and by a
   coordinate, along one velocity and along two. */
static void factor_passes_zero(void)
{
    static const char *const along[] = {"cos(2*t)*w'", "(1 - s)*w'", "[3/5*(1 - s)*w', 4/5*(1 - s)*w']"};
    static const mech_method methods[] = {MECH_METHOD_RK8, MECH_METHOD_RK5, MECH_METHOD_ADAMS, MECH_METHOD_BDF,
                                          MECH_METHOD_IRK};
    static const double tolerances[] = {1e-6, 1e-8};
    for (size_t k = 0; k < 60; k++) {
        motion m;
        char text[400];
        const double load = k < 30 ? 1 : 0, tolerance = tolerances[k % 2];
        snprintf(text, sizeof text,
                 "coord w, s, h\nkinetic (w'^2 + h'^2)/2\nconstraint given: s = 2*sin(t)^2\nconstraint floor: h = 0\n"
                 "force %g on h'\nfriction on floor: 1/2, along %s\ninitial w' = 3\nsimulate until 2\n",
                 load, along[k / 10 % 3]);
        if (!motion_read(&m, text)) return;
        CHECK(motion_derive(&m) == MECH_OK);
        motion_settings(&m, tolerance);
        m.settings.method = methods[k / 2 % 5];
        if (motion_may_run(&m)) {
            CHECK(motion_count(&m, MECH_LOG_STICK) == 0);
            CHECK_NEAR(motion_end(&m, "w"), load > 0 ? M_PI / 8 + 4.875 - cos(4) / 8 : 6, 100 * tolerance);
            CHECK_NEAR(motion_end(&m, "w'"), load > 0 ? 2.5 + sin(4) / 4 : 3, 100 * tolerance);
        }
        motion_free(&m);
    }
}

/* A bead that swings in a ring, along two velocities and along the one that they are both made of: they turn back and
   come to rest alike. */
static void turns_along_two(void)
{
    static const char *const along[] = {"x*y' - y*x'", "[x', y']"};
    static const mech_method methods[] = {MECH_METHOD_RK8, MECH_METHOD_RK5};
    for (int k = 0; k < 48; k++) {
        const double speed = 1.5 + 0.13 * (k % 12), rtol = k / 12 % 2 ? 1e-9 : 1e-7;
        double x[2], rate[2];
        for (int i = 0; i < 2; i++) {
            motion m;
            char text[400];
            snprintf(text, sizeof text,
                     "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint ring: sqrt(x^2 + y^2) = 1\n"
                     "friction on ring: 0.1, along %s\ninitial x = 0, y = -1, x' = %g\nsimulate until 3\n",
                     along[i], speed);
            if (!motion_read(&m, text)) return;
            motion_settings(&m, i ? rtol : 1e-11);
            m.settings.method = methods[i ? k / 24 : 0];
            motion_must_run(&m);
            x[i] = motion_end(&m, "x");
            rate[i] = motion_end(&m, "x'");
            motion_free(&m);
        }
        CHECK_NEAR(x[1], x[0], 10 * rtol);
        CHECK_NEAR(rate[1], rate[0], 10 * rtol);
    }
}

/* adams projects where something happens, and V is put back behind the 0 that it was found at. The run goes on where V
   is prescribed: x' of sinh(x) = sin(t), y' on a circle with the angle sin(t). V = (1 - s)*x' passes 0 with its factor,
   and x'' = -|cos(2 c t)| all the while. */
static void put_back(void)
{
    static const char *const forms[] = {
        "coord x\nkinetic x'^2/2\nconstraint c: sinh(x) = sin(t)\nfriction on c: 0.2, along x'\ninitial x = 0\n"
        "simulate until 6\n",
        "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint c: x^2 + y^2 = 1\nconstraint d: atan2(y, x) = sin(t)\n"
        "friction on c: 0.2, along y'\ninitial x = 1, y = 0\nsimulate until 6\n",
        "param c = 1.2\ncoord x, s, h\nkinetic (x'^2 + h'^2)/2\nconstraint given: s = 2*sin(c*t)^2\nforce 2 on h'\n"
        "constraint floor: h = 0\nfriction on floor: 1/2, along (1 - s)*x'\ninitial x' = 3\nsimulate until 2\n",
        "param c = 1.4\ncoord x, s, h\nkinetic (x'^2 + h'^2)/2\nconstraint given: s = 2*sin(c*t)^2\nforce 2 on h'\n"
        "constraint floor: h = 0\nfriction on floor: 1/2, along (1 - s)*x'\ninitial x' = 3\nsimulate until 2\n"};
    const double ends[] = {asinh(sin(6)), cos(sin(6)), 3 - (4 - sin(2 * M_PI - 4.8)) / 2.4,
                           3 - (4 - sin(2 * M_PI - 5.6)) / 2.8};
    for (int k = 0; k < 32; k++) {
        motion m;
        const double rtol = pow(10, -4 - k / 4);
        if (!motion_read(&m, forms[k % 4])) return;
        motion_settings(&m, rtol);
        m.settings.method = MECH_METHOD_ADAMS;
        if (motion_may_run(&m)) {
            CHECK(motion_count(&m, MECH_LOG_STICK) == 0);
            CHECK_NEAR(motion_end(&m, k % 4 < 2 ? "x" : "x'"), ends[k % 4], 30 * rtol);
        }
        motion_free(&m);
    }
}

/* The same where all coordinates are among those of V, so that only the way tells: begun at the bottom, and a little
   beside it. */
static void shows_by_chance(void)
{
    double end[2] = {0, 0};
    for (size_t k = 0; k < 2; k++) {
        motion m;
        char text[400];
        snprintf(
            text, sizeof text,
            "coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\nconstraint ring: sqrt(x^2 + y^2) = 1\n"
            "friction on ring: 0.1, along [y' + x*x', z']\n"
            "initial x = sin(%g), y = -cos(%g), x' = cos(%g), y' = sin(%g), z' = 0.3\noutput w = x*y' - y*x'\nsimulate until 3\n",
            1e-7 * (double)k, 1e-7 * (double)k, 1e-7 * (double)k, 1e-7 * (double)k);
        if (!motion_read(&m, text)) return;
        motion_settings(&m, 1e-9);
        motion_must_run(&m);
        end[k] = motion_end(&m, "w");
        motion_free(&m);
    }
    CHECK(end[1] < 0.99);
    CHECK_NEAR(end[0], end[1], 1e-6);
}

/* Two frictions of one motion, by a gear w = 2 sin(x) + x^2, come to rest together, whichever is found first: neither
   holds alone against what pulls. Where: the first energy is the work of the pull and of both. */
static void rest_together(void)
{
    static const mech_method methods[] = {MECH_METHOD_RK8, MECH_METHOD_RK5, MECH_METHOD_ADAMS};
    static const double tolerances[] = {1e-4, 1e-6, 1e-9};
    for (size_t k = 0; k < 9; k++) {
        motion m;
        if (!motion_read(&m, "coord x, y, w, u\nkinetic (x'^2 + y'^2 + w'^2 + u'^2)/2\npotential 10*y + 10*u\n"
                             "constraint floor: y = 0\nconstraint ceiling: u = 0\nconstraint gear: w = 2*sin(x) + x^2\n"
                             "friction on floor: 0.1, along x', static 0.35\n"
                             "friction on ceiling: 0.1, along w', static 0.35\nforce -8.5 on x'\nallow leastnorm\n"
                             "initial x' = 2, x = 0.4\nguess w = 0.9\nsimulate until 3\n"))
            return;
        motion_settings(&m, tolerances[k % 3]);
        m.settings.method = methods[k / 3];
        if (motion_may_run(&m)) {
            const double x = motion_end(&m, "x"), w = 2 * sin(x) + x * x, w0 = 2 * sin(0.4) + 0.16;
            CHECK(motion_count(&m, MECH_LOG_STICK) == 2);
            CHECK_NEAR(9.5 * (x - 0.4) + w - w0, 2 + 2 * pow(2 * cos(0.4) + 0.8, 2), 1000 * tolerances[k % 3]);
        }
        motion_free(&m);
    }
}

/* A coefficient of 0 has no way to say where to where it begins to slide: x'' = 6 - 4 t from t = 3/2 on, where the stop
   is left. */
static void no_coefficient(void)
{
    motion m;
    if (!motion_read(&m, "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 10*y\nconstraint floor: y = 0\n"
                         "constraint stop: x <= 0\nfriction on floor: 0, along x'\nforce 6 - 4*t on x'\n"
                         "simulate until 3\n"))
        return;
    motion_must_run(&m);
    CHECK_NEAR(motion_end(&m, "x"), -2.25, 1e-9);
    motion_free(&m);
}

/* At rest, with a bound of exactly 0 for a while or for ever: it holds nothing. Pushed by 1 from t = 1 on it is at
   1/2 (3 - 1)^2 without friction; held by 1/4 (t - 1) 8 >= 1 from t = 1.5 on, it never moves if nothing pushes it. */
static void bears_nothing(void)
{
    static const struct {
        const char *text;
        double x;
    } all[] = {
        {"friction on floor: 0, along x'\n", 0},
        {"friction on floor: 0, along x'\nforce if(t < 1, 0, 1) on x'\n", 2},
        {"friction on floor: 0, along x'\nforce max(0, t - 1) on x'\n", 8. / 6},
        {"friction on floor: max(0, t - 1)/4, along x'\n", 0},
        {"friction on floor: max(0, t - 1)/4, along x'\nforce if(t < 1.5, 0, 0.99) on x'\n", 0},
        {"friction on floor: 0.3, along x'\nforce 8 on y'\n", 0},
        {"coord z\nkinetic z'^2/2\nfriction on floor: 0, along [x', z']\nforce if(t < 1, 0, 1) on x'\n", 2},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        motion m;
        char text[400];
        snprintf(text, sizeof text,
                 "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 8*y\nconstraint floor: y = 0\n%s"
                 "initial x = 0, y = 0, x' = 0\nsimulate until 3\n",
                 all[i].text);
        if (!motion_read(&m, text)) return;
        motion_must_run(&m);
        CHECK_NEAR(motion_end(&m, "x"), all[i].x, 1e-9);
        motion_free(&m);
    }
}

/* A particle on a rough incline, thrown across it: psi is the angle of its velocity with the line of fall, and k =
   mu/tan(a). v' = g sin(a) (cos(psi) - k), v psi' = -g sin(a) sin(psi); so with u = tan(psi/2), from 1 down,
   v = v0 u^k/sin(psi), t = v0/(2 g sin(a)) ((1 - u^(k - 1))/(k - 1) + (1 - u^(k + 1))/(k + 1)), and it rests at u = 0,
   turned into the line of fall. */
static double incline_time(double k, double u)
{
    return ((1 - pow(u, k - 1)) / (k - 1) + (1 - pow(u, k + 1)) / (k + 1)) / (9.81 * sin(0.4));
}

static void turns_into_the_line_of_fall(void)
{
    static const double ratios[] = {1.05, 1.2, 2, 3}, left[] = {0.5, 1e-2, 1e-4, 1e-6};
    for (size_t i = 0; i < 4; i++)
        for (size_t j = 0; j < 4; j++) {
            motion m;
            char text[400];
            const double k = ratios[i], u = left[j], t = incline_time(k, u), v = 2 * pow(u, k) * (1 + u * u) / (2 * u);
            snprintf(text, sizeof text,
                     "param a = 0.4, k = %.17g\ncoord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\n"
                     "force 9.81*sin(a) on x'\nforce -9.81*cos(a) on z'\nconstraint plane: z = 0\n"
                     "friction on plane: k*tan(a), along [x', y']\ninitial y' = 2\n"
                     "simulate until %.17g\n",
                     k, t);
            if (!motion_read(&m, text)) return;
            motion_settings(&m, 1e-9);
            motion_must_run(&m);
            CHECK_NEAR(motion_end(&m, "x'"), v * (1 - u * u) / (1 + u * u), 1e-8);
            CHECK_NEAR(motion_end(&m, "y'"), v * 2 * u / (1 + u * u), 1e-8);
            motion_free(&m);
        }
}

/* A servo asks nothing until t = 1 and friction holds; then it begins to move the block, with or without a jump of what
   it asks: its force is m x'' + mu m g along the motion. m = 2, at t = 2. */
static void pulled_away(void)
{
    static const struct {
        const char *path;
        double x, rate, force; /* at t = 2 */
    } all[] = {
        {"max(0, t - 1)^2", 1, 2, 2 * 2 + 0.3 * 2 * 9.81},
        {"-max(0, t - 1)^2", -1, -2, -2 * 2 - 0.3 * 2 * 9.81},
        {"max(0, t - 1)^3", 1, 3, 2 * 6 + 0.3 * 2 * 9.81},
        {"max(0, t - 1)^4", 1, 4, 2 * 12 + 0.3 * 2 * 9.81},
        {"if(t < 1, 0, 1 - cos(t - 1))", 0.45969769413186028, 0.8414709848078965,
         2 * 0.54030230586813977 + 0.3 * 2 * 9.81},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        motion m;
        char text[400];
        snprintf(text, sizeof text,
                 "coord x, y\nkinetic x'^2 + y'^2\npotential 2*9.81*y\nconstraint floor: y = 0\n"
                 "friction on floor: 0.3, along x'\ncontrol c: x = %s\nactuator m: x'\noutput u = control(m)\n"
                 "simulate until 2\n",
                 all[i].path);
        if (!motion_read(&m, text)) return;
        motion_settings(&m, 1e-9);
        motion_must_run(&m);
        CHECK_NEAR(motion_end(&m, "x"), all[i].x, 1e-8);
        CHECK_NEAR(motion_end(&m, "x'"), all[i].rate, 1e-8);
        CHECK_NEAR(motion_end(&m, "u"), all[i].force, 1e-6);
        CHECK(mech_sim_info_get(m.sim).balance_error < 1e-7);
        motion_free(&m);
    }
}

/* Friction along the velocity of a coordinate without mass that a constraint ties to the block, s = a x: it stops after
   1/(2 mu g) whatever a is. What projection leaves of the speed, 1e-139 of it, is no reason for shorter steps. */
static void along_a_tied_one(void)
{
    static const double all[] = {0.5, 1, 2, 3, 7, -2};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        motion m;
        char text[400];
        snprintf(text, sizeof text,
                 "param a = %g\ncoord x, y, s\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint fl: y = 0\n"
                 "constraint g: s = a*x\nfriction on fl: 0.3, along s'/a\ninitial x' = 1\nsimulate until 3\n",
                 all[i]);
        if (!motion_read(&m, text)) return;
        motion_settings(&m, 1e-9);
        motion_must_run(&m);
        CHECK_NEAR(motion_end(&m, "x"), 1 / (2 * 0.3 * 9.81), 1e-8);
        motion_free(&m);
    }
}

/* Several that hold the same motion bear together what each can at rest, however the least forces share it: two gears
   let go where both bounds are met, however their row is scaled; a block of any mass centre at mu_s m g; a ladder lies
   where tan(angle) = (1 - s^2)/(2 s) can be met, s = 0.5. */
static void several_at_rest(void)
{
    static const struct {
        const char *text;
        double begins; /* when it lets go; HUGE_VAL: never */
    } cases[] = {
        {"coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\nforce [0, -9.81, -5] on [x', y', z']\nconstraint floor: y = 0\n"
         "constraint wall: z = 0\nfriction on floor: 0.2, along x', static 0.3\n"
         "friction on wall: 0.3, along x', static 0.45\nforce 6*t on x'\nlet V = x'\nsimulate until 2\n",
         (0.3 * 9.81 + 0.45 * 5) / 6},
#define GEARS(row)                                                                                                     \
    "gravity [0, 0]\nbody P: disc 1, mass 2\nbody Q: disc 1, mass 2\njoint A: ground to P, revolute\n"                 \
    "joint B: ground at [3, 0] to Q, revolute\nconstraint gear: " row                                                  \
    "\nfriction on A: torque 1, static 1.5\nfriction on B: torque 1, static 1.5\nmotor m on A: torque 2*t\n"           \
    "let V = A'\nsimulate until 3\n"
        {GEARS("A = B"), 1.5},
        {GEARS("5*A = 5*B"), 1.5},
        {GEARS("100*A = 100*B"), 1.5},
#define BLOCK(center, push)                                                                                            \
    "gravity [0, -9.81]\nbody P: mass 1, inertia 0.1, center [" center ", 0]\njoint j: ground to P, planar\n"          \
    "point P.fl = [-0.5, 0]\npoint P.fr = [0.5, 0]\n"                                                                  \
    "constraint left: dot([0, 1], P.fl) >= 0, friction 0.2, along dot([1, 0], P.fl'), static 0.3\n"                    \
    "constraint right: dot([0, 1], P.fr) >= 0, friction 0.2, along dot([1, 0], P.fr'), static 0.3\n"                   \
    "force [" push ", 0] on P.r'\nlet V = dot([1, 0], P.r')\nsimulate until 1\n"
        {BLOCK("0.3", "2.9"), HUGE_VAL},
        {BLOCK("0", "3*t"), 0.3 * 9.81 / 3},
        {BLOCK("0.3", "3*t"), 0.3 * 9.81 / 3},
#define LADDER(angle)                                                                                                  \
    "gravity [0, -9.81]\nbody P: rod [0, 0] to [1, 0], mass 1\njoint j: ground to P, planar\npoint P.top = [1, 0]\n"   \
    "constraint floor: dot([0, 1], P.r) >= 0, friction 0.3, along dot([1, 0], P.r'), static 0.5\n"                     \
    "constraint wall: dot([1, 0], P.top) <= 0, friction 0.2, along dot([0, 1], P.top'), static 0.5\n"                  \
    "initial j.angle = " angle ", j.r = [-cos(" angle "), 0]\nlet V = -j.angle'\nsimulate until 0.3\n"
        {LADDER("atan(0.7501)"), HUGE_VAL},
        {LADDER("atan(0.7499)"), 0}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        motion m;
        char text[1200];
        snprintf(text, sizeof text, "%sstate begins: begins' = 0\nevent go: V rises through 1e-7 -> set begins = t\n",
                 cases[k].text);
        if (!motion_read(&m, text)) return;
        motion_must_run(&m);
        const double begins = motion_end(&m, "begins");
        if (cases[k].begins == HUGE_VAL) CHECK_NEAR(begins, 0, 0);
        else CHECK_NEAR(begins, cases[k].begins, 2e-4);
        CHECK(cases[k].begins == HUGE_VAL || begins > 0);
        motion_free(&m);
    }
}

/* A velocity of friction that passes 0 with its factor is no rest, also where most of what moves is something else:
   beta is given by its row alone. */
static void factor_beside_fast_ones(void)
{
    enum { STEPS = 20000 };
    const double h = 0.8 / STEPS;
    double b = 0.871, v = 0.682;
    motion m;
    if (!motion_read(
            &m, "param m = 7/5, a0 = 2*pi/(1 + m^2)\ncoord s, phi, beta\nlet h = beta - 0.6963\n"
                "state sigma: sigma' = phi + s^2 - h/1.38*1.45^2 - 1.4*sigma\n"
                "kinetic a0/2*s'^2 + 1.87*phi'^2 + 0.215*beta'^2\nlet pos = [pi*sigma^2 - s - phi^2, s^2 + h]\n"
                "kinetic 1.3*dot(pos', pos')\npotential beta + 2*pi*phi\n"
                "constraint wire: beta'' + beta'' = cosh(tanh(h)/2)\n"
                "friction on wire: 0.2 + sin(t - m)/9, along phi', static 0.8\n"
                "friction on wire: 0.2 + sin(2.29 - m - t)/9, along s', static 0.68\n"
                "friction on wire: 0.151, along t*phi*1.973^2*beta' + 0.7*beta' + 0.9*beta'\ninitial sigma = 0.89\n"
                "guess s = 0.993, s' = -0.234, phi = 0.183, phi' = 0.588, beta = 0.871, beta' = 0.682\n"
                "simulate until 0.8, resolution 1e-6\n"))
        return;
    CHECK(motion_derive(&m) == MECH_OK);
    motion_settings(&m, 1e-10);
    m.settings.output_points = 21;
    for (int k = 0; k < STEPS; k++) { /* in steps that leave 1e-13 */
        const double half = b + h / 2 * v + h * h / 8 * cosh(tanh(b - 0.6963) / 2) / 2;
        const double f1 = cosh(tanh(b - 0.6963) / 2) / 2, f2 = cosh(tanh(half - 0.6963) / 2) / 2;
        const double end = b + h * v + h * h / 2 * f2, f4 = cosh(tanh(end - 0.6963) / 2) / 2;
        b += h * v + h * h / 6 * (f1 + 2 * f2);
        v += h / 6 * (f1 + 4 * f2 + f4);
    }
    motion_must_run(&m);
    CHECK_NEAR(motion_end(&m, "beta"), b, 1e-8);
    CHECK_NEAR(motion_end(&m, "beta'"), v, 1e-8);
    motion_free(&m);
}

int main(void)
{
    factor_beside_fast_ones();
    several_at_rest();
    along_a_tied_one();
    pulled_away();
    load_passes_zero();
    load_changes_sign();
    load_is_rounding();
    passes_the_top();
    shows_by_chance();
    factor_passes_zero();
    turns_along_two();
    put_back();
    rest_together();
    ball_comes_to_roll();
    no_coefficient();
    bears_nothing();
    turns_into_the_line_of_fall();
    overloaded();
    two_feet();
    slips_once();
    begins_apart();
    begins_to_turn();
    written_twice();
    given_bounds();
    comes_to_rest();
    nothing_pulls();
    load_turns();
    one_of_two();
    rests_as_given();
    servos();
    oscillators();
    two_velocities();
    start_at_rest();
    control_and_law();
    silent();
    waiting();
    rod();
    bead();
    coefficients();
    at_rest();
    released();
    roots();
    joint_loads();
    return check_report();
}
