/* Events, impacts, friction and control against closed forms. */
#include "support/motion.h"

#define EXAMPLE(name) "examples/" name "/model.mech"

/* The hoop leaves where cos(theta) = cos(theta_0)/2, at t = 2.656, and flies a parabola. */
static void hoop(void)
{
    motion m;
    if (!motion_read(&m, EXAMPLE("hoop-on-cylinder"))) return;
    motion_must_run(&m);
    const double t = motion_when(&m, MECH_LOG_EVENT, 0), at = acos(cos(0.01) / 2);
    CHECK(fabs(t - 2.656) < 5e-4);
    CHECK_NEAR(motion_at(&m, t, "theta"), at, 1e-8);
    CHECK_NEAR(motion_at(&m, t, "N"), 0, 1e-8);
    /* speed of the centre: half of the fall of the energy (rolling hoop), then a free throw */
    const double rho = 1.2, v = sqrt(9.8 * rho * (cos(0.01) - cos(at))), s = 3 - t;
    const double x = rho * sin(at) + v * cos(at) * s, y = rho * cos(at) - v * sin(at) * s - 4.9 * s * s;
    CHECK_NEAR(motion_end(&m, "rho") * sin(motion_end(&m, "theta")), x, 1e-8);
    CHECK_NEAR(motion_end(&m, "rho") * cos(motion_end(&m, "theta")), y, 1e-8);
    motion_free(&m);
}

/* A ball falls on the floor: flights in closed form, then rest. */
static void bouncing_ball(void)
{
    motion m;
    if (!motion_read(&m, "param g = 10, e = 0.5\ncoord y\nkinetic y'^2/2\npotential g*y\nconstraint floor: y = 0\n"
                         "event hit: y falls through 0 -> impact floor restitution e\n"
                         "initial y = 5, y' = 0\nsimulate until 5\n"))
        return;
    motion_must_run(&m);
    CHECK_NEAR(motion_when(&m, MECH_LOG_IMPACT, 0), 1, 1e-9);
    CHECK_NEAR(motion_when(&m, MECH_LOG_IMPACT, 1), 2, 1e-9);
    CHECK_NEAR(motion_when(&m, MECH_LOG_IMPACT, 2), 2.5, 1e-9);
    CHECK_NEAR(motion_when(&m, MECH_LOG_CONTACT, 0), 3, 1e-5); /* 1 + 2*(1/2 + 1/4 + ...) = 3 */
    CHECK(motion_count(&m, MECH_LOG_CONTACT) == 1);
    CHECK_NEAR(motion_end(&m, "y"), 0, 1e-9);
    CHECK_NEAR(motion_end(&m, "y'"), 0, 1e-9);
    const mech_sim_info info = mech_sim_info_get(m.sim);
    CHECK_NEAR(info.event_energy, -50, 1e-9);
    CHECK(info.balance_error < 1e-9 * info.energy_scale);
    motion_free(&m);
}

/* Impact through other constraints: a pendulum rod in Cartesian coordinates strikes a wall at x = 0. */
/* Bounces that get smaller than any step end on the surface, not below it, by all methods; a body that starts there
   stays. */
static void small_bounces(void)
{
    static const char *const texts[] = {
        "param h = 1e-12\ncoord y\nkinetic y'^2/2\npotential 10*y\nconstraint floor: y = 0\ninitial y = h\n"
        "event hit: y falls through 0 -> impact floor restitution 1/2\noutput gap = y\nsimulate until 2\n",
        "coord y\nkinetic y'^2/2\npotential 10*y\nconstraint floor: y = 0\ninitial y = 0\n"
        "event hit: y falls through 0 -> impact floor restitution 1/2\noutput gap = y\nsimulate until 2\n",
        "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint hill: y = sin(3*x)/5\ninitial y = 1, x' = 0.3\n"
        "event hit: y - sin(3*x)/5 falls through 0 -> impact hill restitution 1/2\noutput gap = y - sin(3*x)/5\nsimulate until 3\n",
        "coord y\nkinetic y'^2/2\npotential 9.81*y\nconstraint pad: y = sin(5*t)/10\ninitial y = 1\n"
        "event hit: y - sin(5*t)/10 falls through 0 -> impact pad restitution 0.7\noutput gap = y - sin(5*t)/10\nsimulate until 3\n"};
    static const mech_method methods[] = {MECH_METHOD_RK8, MECH_METHOD_RK5, MECH_METHOD_BDF};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        for (size_t j = 0; j < sizeof methods / sizeof *methods; j++) {
            motion m;
            if (!motion_read(&m, texts[k])) return;
            motion_settings(&m, 1e-9);
            m.settings.method = methods[j];
            const mech_status status = motion_run(&m);
            CHECK(status == MECH_OK || status == MECH_ERR_UNSUPPORTED); /* a build without SUNDIALS */
            if (status == MECH_OK) {
                const mech_trajectory *t = mech_sim_trajectory(m.sim);
                const size_t gap = mech_trajectory_find(t, "gap");
                double least = 0;
                for (size_t i = 0; i < mech_trajectory_rows(t); i++)
                    least = fmin(least, mech_trajectory_row(t, i)[gap]);
                CHECK(least > -1e-9);
                CHECK(fabs(motion_end(&m, "gap")) < 1e-9); /* in contact at the end */
                CHECK(mech_sim_info_get(m.sim).events < 100);
            }
            motion_free(&m);
        }
    }
}

/* Three equal balls, two of them touching: what strikes the first leaves with the last (each impact in turn, e = 1). */
static void cradle(void)
{
    motion m;
    if (!motion_read(
            &m,
            "coord x[1..3]\nkinetic dot(x', x')/2\nconstraint c12: x[2] - x[1] = 1\nconstraint c23: x[3] - x[2] = 1\n"
            "event h12: x[2] - x[1] falls through 1 -> impact c12 restitution 1\n"
            "event h23: x[3] - x[2] falls through 1 -> impact c23 restitution 1\n"
            "initial x[1] = -1, x[2] = 1, x[3] = 2, x[1]' = 1\nsimulate until 4\n"))
        return;
    CHECK(motion_run(&m) == MECH_OK);
    CHECK_NEAR(motion_end(&m, "x[1]"), 0, 1e-9);
    CHECK_NEAR(motion_end(&m, "x[2]"), 1, 1e-9);
    CHECK_NEAR(motion_end(&m, "x[3]"), 5, 1e-9);
    motion_free(&m);
}

/* Without restitution the first impact is the last, and friction takes its part of it: mu times the impulse is more
   than x', so that it stops at once. */
static void plastic(void)
{
    motion m;
    if (!motion_read(
            &m,
            "param mu = 1/2, g = 10, h = 7\ncoord x, y\nkinetic (x'^2 + y'^2)/2\npotential g*y\nconstraint floor: y = 0\n"
            "friction on floor: mu, along x'\ninitial y = h, x' = 1\nevent hit: y falls through 0 -> impact floor restitution 0\n"
            "simulate until 3\n"))
        return;
    CHECK(motion_run(&m) == MECH_OK);
    CHECK(mech_sim_info_get(m.sim).events == 1);
    CHECK_NEAR(motion_end(&m, "x"), sqrt(2 * 7.0 / 10), 1e-10);
    motion_free(&m);
}

static void impact_through_constraints(void)
{
    motion m;
    if (!motion_read(&m, "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint rod: x^2 + y^2 = 1\n"
                         "constraint wall: x = 0\nevent hit: x falls through 0 -> impact wall restitution 0.8\n"
                         "initial x = sin(1)\nguess y = -cos(1)\nsimulate until 1\n"))
        return;
    motion_must_run(&m);
    const double t = motion_when(&m, MECH_LOG_IMPACT, 0), v = sqrt(2 * 9.81 * (1 - cos(1)));
    CHECK_NEAR(t, 0.534784400148232, 1e-9); /* quarter period of amplitude 1: K(sin 1/2)/sqrt(g) */
    CHECK_NEAR(motion_at(&m, t, "x'"), 0.8 * v, 1e-8);
    CHECK_NEAR(motion_at(&m, t, "y'"), 0, 1e-8);
    CHECK(mech_sim_info_get(m.sim).phi < 1e-10);
    motion_free(&m);
}

/* Two crossings within one step are not missed; direction and condition count. */
static void crossings(void)
{
    motion m;
    if (!motion_read(&m, "coord x\nkinetic x'^2/2\nevent up: sin(20*t) rises through 0.999 -> record\n"
                         "event late: sin(20*t) falls through 0 when t > 1 -> record\n"
                         "event done: x rises through 1.5 -> stop\ninitial x = 0, x' = 1\nsimulate until 2\n"))
        return;
    m.settings.max_step = 0.2;
    motion_must_run(&m);
    size_t up = 0, late = 0;
    for (size_t k = 0; k < mech_sim_log_count(m.sim); k++) {
        const mech_log_entry h = mech_sim_log_get(m.sim, k);
        if (h.name && strcmp(h.name, "up") == 0) CHECK_NEAR(h.t, (asin(0.999) + 2 * M_PI * (double)up++) / 20, 1e-9);
        if (h.name && strcmp(h.name, "late") == 0) late++;
    }
    CHECK(up == 5 && late == 2);
    CHECK(mech_sim_has_stopped(m.sim));
    CHECK_NEAR(mech_sim_time(m.sim), 1.5, 1e-9);
    motion_free(&m);
}

/* Stick-slip on a belt: m = 1, k = 10, mu = 0.2, mu_s = 0.4, v = 0.5, g = 9.81. It rides until
   k x = mu_s m g; then slips about x0 = mu m g/k until x' = v again. */
static void belt(void)
{
    motion m;
    if (!motion_read(&m, EXAMPLE("belt-block"))) return;
    motion_must_run(&m);
    const double w = sqrt(10.0), xs = 0.4 * 9.81 / 10, x0 = 0.2 * 9.81 / 10, v = 0.5;
    CHECK_NEAR(motion_when(&m, MECH_LOG_SLIP, 0), xs / v, 1e-9);
    /* x - x0 = (xs - x0) cos(w t) + v/w sin(w t), x' = v again at w t = 2 pi - 2 atan((xs - x0) w/v) */
    const double slip = (2 * M_PI - 2 * atan((xs - x0) * w / v)) / w;
    CHECK_NEAR(motion_when(&m, MECH_LOG_STICK, 1), xs / v + slip, 1e-9);
    /* sticks at 2 x0 - xs, rides to xs */
    CHECK_NEAR(motion_when(&m, MECH_LOG_SLIP, 1), xs / v + slip + 2 * (xs - x0) / v, 1e-9);
    CHECK(motion_count(&m, MECH_LOG_SLIP) == 5); /* in 10 s: no chattering */
    motion_free(&m);
}

/* Thrown up an incline: above the friction angle it comes back, below it stays. */
static void incline(void)
{
    for (int k = 0; k < 2; k++) {
        const double g = 9.81, alpha = M_PI / 6, mu = k ? 0.7 : 0.3, v0 = 2;
        const mech_override override = {"mu", mu};
        motion m;
        if (!motion_read_with(&m, EXAMPLE("incline-block"), &override, 1)) return;
        motion_must_run(&m);
        const double up = g * (sin(alpha) + mu * cos(alpha)), t1 = v0 / up, top = -v0 * v0 / (2 * up);
        const double down = g * (sin(alpha) - mu * cos(alpha)), s = 2 - t1;
        CHECK_NEAR(motion_end(&m, "x"), k ? top : top + down * s * s / 2, 1e-9);
        CHECK_NEAR(motion_end(&m, "x'"), k ? 0 : down * s, 1e-9);
        if (k) CHECK_NEAR(motion_when(&m, MECH_LOG_STICK, 0), t1, 1e-9);
        motion_free(&m);
    }
}

/* Two directions: friction opposes the velocity, so it runs straight and stops. */
static void plane_in_two_directions(void)
{
    motion m;
    if (!motion_read(&m, "coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\npotential 10*z\nconstraint table: z = 0\n"
                         "friction on table: 0.5, along [x', y']\ninitial x = 0, y = 0, x' = 3, y' = 4\n"
                         "simulate until 2\n"))
        return;
    motion_must_run(&m);
    CHECK_NEAR(motion_when(&m, MECH_LOG_STICK, 0), 1, 1e-8);
    CHECK_NEAR(motion_end(&m, "x"), 1.5, 1e-8);
    CHECK_NEAR(motion_end(&m, "y"), 2, 1e-8);
    CHECK_NEAR(hypot(motion_end(&m, "x'"), motion_end(&m, "y'")), 0, 1e-10);
    motion_free(&m);
}

/* DESIGN, section 1: a rod on one end with mu = 0.3: theta'' = +0.646 with the total reaction. */
static void rod(void)
{
    motion m;
    if (!motion_read(&m, EXAMPLE("sliding-rod"))) return;
    motion_must_run(&m);
    CHECK(fabs(motion_at(&m, 0, "acc") - 0.646) < 5e-4);
    motion_free(&m);
    if (!motion_read(&m, EXAMPLE("rough-bead"))) return;
    motion_must_run(&m);
    CHECK(motion_count(&m, MECH_LOG_STICK) == 1);
    CHECK(mech_sim_info_get(m.sim).balance_error < 1e-8 * mech_sim_info_get(m.sim).energy_scale);
    motion_free(&m);
}

static void control(void)
{
    motion m;
    if (!motion_read(&m, EXAMPLE("path-following"))) return;
    motion_must_run(&m);
    const double q1 = motion_end(&m, "q1"), q2 = motion_end(&m, "q2");
    CHECK_NEAR(sin(q1) + 0.8 * sin(q2), 0.6, 1e-8);
    motion_free(&m);
    if (!motion_read(&m, "coord x, y\nkinetic (x'^2 + y'^2)/2\nactuator x'\ncontrol path: y = t^2\nsimulate until 1\n"))
        return;
    CHECK(motion_run(&m) == MECH_ERR_NOT_REALISABLE);
    CHECK(strstr(mech_sim_error_text(m.sim), "path") != NULL);
    motion_free(&m);
}

static void starts(void)
{
    motion m;
    if (!motion_read(&m, "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint rod: x^2 + y^2 = 1\nconstraint line: y = 2\n"
                         "simulate until 1\n"))
        return;
    CHECK(motion_run(&m) == MECH_ERR_NO_START);
    CHECK(strstr(mech_sim_error_text(m.sim), "line") != NULL);
    motion_free(&m);
    if (!motion_read(&m, "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential y\nconstraint rod: x^2 + y^2 = 1\n"
                         "initial x = 0.6\nguess y = -0.5\ninitial x' = 1\nsimulate until 1\n"))
        return;
    motion_must_run(&m);
    CHECK_NEAR(motion_at(&m, 0, "y"), -0.8, 1e-12);
    CHECK_NEAR(motion_at(&m, 0, "y'"), 0.75, 1e-12);
    CHECK(mech_sim_move_count(m.sim) == 2);
    motion_free(&m);
    if (!motion_read(&m, "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential y\nconstraint rod: x^2 + y^2 = 1\n"
                         "initial x = 0.6, y = -0.7\nsimulate until 1\n"))
        return;
    CHECK(motion_run(&m) == MECH_ERR_CONFLICT);
    CHECK(strstr(mech_sim_error_text(m.sim), "rod") && strstr(mech_sim_error_text(m.sim), "initial"));
    motion_free(&m);
}

/* Off the manifold on purpose: the excess variable dies like r'' = -B r' - K r. */
static void excess(void)
{
    motion m;
    if (!motion_read(&m, "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint line: y = 0\ninitial y = 0.1, x' = 1\n"
                         "simulate until 1\n"))
        return;
    const double B = 7, K = 10;
    m.settings.start = MECH_START_AS_GIVEN;
    m.settings.stabilize = MECH_STABILIZE_EXCESS;
    m.settings.damping = &B;
    m.settings.stiffness = &K;
    m.settings.damping_count = m.settings.stiffness_count = 1;
    motion_must_run(&m);
    CHECK_NEAR(motion_end(&m, "y"), 0.1 * (5 * exp(-2) - 2 * exp(-5)) / 3, 1e-9); /* roots -2, -5 */
    motion_free(&m);
}

/* Kinks are ended on, not stepped over: parabolas to and fro. */
static void kinks(void)
{
    motion m;
    if (!motion_read(&m, "coord x\nkinetic x'^2/2\nforce -sign(x) on x'\ninitial x = 1, x' = 0\nsimulate until 10\n"))
        return;
    motion_must_run(&m);
    CHECK(motion_count(&m, MECH_LOG_SWITCH) == 4);
    for (size_t k = 0; k < 4; k++)
        CHECK_NEAR(motion_when(&m, MECH_LOG_SWITCH, k), (double)(2 * k + 1) * sqrt(2), 1e-10);
    const double s = 10 - 7 * sqrt(2); /* upwards with speed sqrt 2 */
    CHECK_NEAR(motion_end(&m, "x"), sqrt(2) * s - s * s / 2, 1e-10);
    motion_free(&m);
    if (!motion_read(&m, "coord x\nkinetic x'^2/2\nforce if(t < 1, 1, -2) on x'\ninitial x = 0, x' = "
                         "0\nsimulate until 3\n"))
        return;
    motion_must_run(&m);
    CHECK_NEAR(motion_end(&m, "x"), 0.5 + 2 - 4, 1e-10);
    motion_free(&m);
}

/* y on a spring of rate 10 behind a driven point x that goes to and fro at constant speeds: z = y - x swings freely on
   each leg, and only z' jumps. The point's own inertia takes part in nothing but the force. */
static void driven_by_legs(void)
{
    static const double speed[] = {2, 4, -4, 1}, end[] = {0.5, 1, 2, 4};
    static const mech_method methods[] = {MECH_METHOD_RK8, MECH_METHOD_RK5, MECH_METHOD_ADAMS, MECH_METHOD_BDF,
                                          MECH_METHOD_IRK};
    double y = 0, rate = 0, x = 0, t = 0;
    const double w = sqrt(10);
    for (int leg = 0; leg < 4; leg++) {
        const double h = end[leg] - t, z = y - x, dz = rate - speed[leg];
        x += speed[leg] * h;
        y = x + z * cos(w * h) + dz / w * sin(w * h);
        rate = speed[leg] - z * w * sin(w * h) + dz * cos(w * h);
        t = end[leg];
    }
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++)
        for (int stabilize = MECH_STABILIZE_PROJECT; stabilize <= MECH_STABILIZE_NONE; stabilize++) {
            motion m;
            if (!motion_read(&m, "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 5*(x - y)^2\n"
                                 "let u = if(t < 1/2, 2*t, if(t < 1, 4*t - 1, if(t < 2, 7 - 4*t, t - 3)))\n"
                                 "constraint drive: x = u\ninitial y = 0, y' = 0\nsimulate until 4\n"))
                return;
            if (motion_derive(&m) != MECH_OK) CHECK(0);
            m.settings.method = methods[k];
            m.settings.stabilize = (mech_stabilize)stabilize;
            const mech_status status = motion_run(&m);
            CHECK(status == MECH_OK || status == MECH_ERR_UNSUPPORTED);
            if (status == MECH_OK) {
                const double enough = 1e-8;
                CHECK_NEAR(motion_end(&m, "y"), y, enough);
                CHECK_NEAR(motion_end(&m, "y'"), rate, 10 * enough);
                CHECK_NEAR(motion_end(&m, "x'"), 1, 10 * enough);
            }
            motion_free(&m);
        }
}

/* sin t above a level for 2 acos(level), 28 ms or 9: ten times in ten turns, whatever the steps are. */
static void short_stays(void)
{
    static const mech_method methods[] = {MECH_METHOD_RK8, MECH_METHOD_RK5, MECH_METHOD_ADAMS, MECH_METHOD_BDF,
                                          MECH_METHOD_IRK};
    static const char *const texts[] = {"0.99 rises", "0.9999 rises", "0.99999 rises", "0.9999 falls", "0.99999 falls"};
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++)
        for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
            const double level = strtod(texts[i], NULL);
            const int rises = strstr(texts[i], "rises") != NULL;
            char text[300];
            snprintf(text, sizeof text,
                     "coord x\nkinetic x'^2/2\npotential x^2/2\nevent near: x %s through %.9g -> record\n"
                     "initial x = 0, x' = 1\nsimulate until 62.83\n",
                     rises ? "rises" : "falls", level);
            motion m;
            if (!motion_read(&m, text)) return;
            if (motion_derive(&m) != MECH_OK) CHECK(0);
            m.settings.rtol = 1e-9, m.settings.atol = 1e-12;
            m.settings.method = methods[k];
            const mech_status status = motion_run(&m);
            CHECK(status == MECH_OK || status == MECH_ERR_UNSUPPORTED);
            if (status == MECH_OK) {
                CHECK(motion_count(&m, MECH_LOG_EVENT) == 10);
                const double first = rises ? asin(level) : acos(-1) - asin(level);
                if (methods[k] == MECH_METHOD_RK8) CHECK_NEAR(motion_when(&m, MECH_LOG_EVENT, 0), first, 1e-6);
            }
            motion_free(&m);
        }
}

static int stop_after(void *user, const double *row, size_t columns)
{
    (void)columns;
    return row[0] > *(const double *)user;
}

/* The same run gives the same bytes; a caller may stop it. */
static void reproducible(void)
{
    motion a, b;
    if (!motion_read(&a, EXAMPLE("rough-bead")) || !motion_read(&b, EXAMPLE("rough-bead"))) return;
    motion_must_run(&a);
    motion_must_run(&b);
    const mech_trajectory *x = mech_sim_trajectory(a.sim), *y = mech_sim_trajectory(b.sim);
    CHECK(mech_trajectory_rows(x) == mech_trajectory_rows(y));
    for (size_t i = 0; i < mech_trajectory_rows(x); i++)
        CHECK(memcmp(mech_trajectory_row(x, i), mech_trajectory_row(y, i),
                     mech_trajectory_columns(x) * sizeof(double)) == 0);
    motion_free(&b);
    motion_free(&a);
    if (!motion_read(&a, EXAMPLE("knife-edge"))) return;
    double limit = 1;
    a.settings.on_row = stop_after;
    a.settings.user = &limit;
    CHECK(motion_run(&a) == MECH_ERR_INTERRUPTED);
    motion_free(&a);
}

/* A servo that an event puts in force gives no impulse: with B = 100 and K = 2500 it comes to x = 0 like (t - 1)
   exp(-50 (t - 1)). */
static void servo_switched_on(void)
{
    static const double B = 100, K = 2500;
    motion m;
    if (!motion_read(
            &m,
            "coord x, y\nkinetic (x'^2 + 2*y'^2)/2\ncontrol path: x = 0\ninitial y' = 1, x' = 1, x = -1\ninitial release path\n"
            "event on: t rises through 1 -> impose path\nsimulate until 1.1, points 12\n"))
        return;
    m.settings.damping = &B;
    m.settings.stiffness = &K;
    m.settings.damping_count = m.settings.stiffness_count = 1;
    m.settings.output_points = 0;
    motion_must_run(&m);
    CHECK_NEAR(motion_end(&m, "x"), 0.1 * exp(-5), 1e-9);
    CHECK_NEAR(motion_end(&m, "x'"), (1 - 5) * exp(-5), 1e-8);
    CHECK_NEAR(motion_end(&m, "y'"), 1, 1e-12);
    motion_free(&m);
}

/* Events of one instant act one after the other: c = 0, 1, 2*1 + 1 = 3; the sets of one event exchange p and q. */
static void events_at_once(void)
{
    motion m;
    if (!motion_read(
            &m,
            "coord x\nkinetic x'^2/2\nstate c: c' = 0\nstate p: p' = 0\nstate q: q' = 0\ninitial x' = 1, p = 5, q = 7\n"
            "event a: t rises through 1 -> set c = c + 1\nevent b: t rises through 1 -> set c = 2*c + 1\n"
            "event d: t rises through 1 -> set p = q, set q = p\nsimulate until 2\n"))
        return;
    motion_must_run(&m);
    CHECK_NEAR(motion_end(&m, "c"), 3, 1e-12);
    CHECK_NEAR(motion_end(&m, "p"), 7, 1e-12);
    CHECK_NEAR(motion_end(&m, "q"), 5, 1e-12);
    motion_free(&m);
}

/* A few numbers at the end of a run: name value name value ... */
static void ends(const char *text, const char *wanted)
{
    motion m;
    char name[16];
    double value;
    int length;
    if (!motion_read(&m, text)) return;
    motion_must_run(&m);
    for (; sscanf(wanted, "%15s %lf%n", name, &value, &length) == 2; wanted += length)
        CHECK_NEAR(motion_end(&m, name), value, 1e-9);
    motion_free(&m);
}

/* Each is done wholly before the next: impulses and the way onto the constraints, too. Two unit masses and what ties
   their velocities; a mass and a place it is put to. */
static void done_wholly(void)
{
#define PAIR "coord a, b\nkinetic (a'^2 + b'^2)/2\nstate q: q' = 0\nconstraint tie: a' = b'\nsimulate until 1\n"
#define LOOSE PAIR "initial release tie\n"
#define MASS "coord a\nkinetic a'^2/2\nconstraint k: a = 1\ninitial release k\ninitial a' = 0.4\nsimulate until 1\n"
    /* shared: 2 each; one more: 2.5 each. By triggers of the clock, and of the motion. */
    ends(LOOSE "initial a' = 4\nevent on: t rises through 0.5 -> impose tie\n"
               "event kick: t rises through 0.5 -> set q = b', set b' = b' + 1\n",
         "a' 2.5 b' 2.5 q 2 a 3.25 b 1.25");
    ends(LOOSE "initial a' = 4\nevent on: a rises through 2 -> impose tie\n"
               "event kick: a rises through 2 -> set q = b', set b' = b' + 1\n",
         "a' 2.5 b' 2.5 q 2");
    /* the other way round: 5 shared */
    ends(LOOSE "initial a' = 4\nevent kick: t rises through 0.5 -> set q = b', set b' = b' + 1\n"
               "event on: t rises through 0.5 -> impose tie\n",
         "a' 2.5 b' 2.5 q 0");
    /* 3 shared, then b' is 3 and a' 1.5 */
    ends(PAIR "event one: t rises through 0.5 -> set a' = a' + 3\nevent two: t rises through 0.5 -> set b' = 2*b'\n",
         "a' 2.25 b' 2.25");
    /* 4 shared, then let go: by two events, and by one */
    ends(PAIR "event one: t rises through 0.5 -> set a' = 4\nevent two: t rises through 0.5 -> release tie\n",
         "a' 2 b' 2");
    ends(PAIR "event one: t rises through 0.5 -> set a' = 4, release tie\n", "a' 2 b' 2");
    ends(PAIR "event one: t rises through 0.5 -> release tie, set a' = 4\n", "a' 4 b' 0");
    /* what is put somewhere and let go stays there */
    ends(MASS "event on: t rises through 0.5 -> impose k\nevent off: t rises through 0.5 -> release k\n", "a 1 a' 0");
    ends(MASS "event on: t rises through 0.5 -> impose k, release k\n", "a 1 a' 0");
    /* a reaction is that of the rows that the event before put in force */
    ends("coord a\nkinetic a'^2/2\nforce 3 on a'\nconstraint k: a' = 0\ninitial release k\nstate q: q' = 0\n"
         "event on: t rises through 0.5 -> impose k\nevent see: t rises through 0.5 -> set q = reaction(k)\n"
         "simulate until 1\n",
         "q -3 a 0.375");
    /* and friction that of what slides already */
    ends("coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 10*y\nconstraint floor: y >= 0, friction 0.3, along x'\n"
         "state q: q' = 0\nevent kick: t rises through 0.5 -> set x' = 2\n"
         "event see: t rises through 0.5 -> set x' = x' + 1, set q = friction(floor)\nsimulate until 1\n",
         "q -3 x' 1.5 x 1.125");
    /* impacts come in the order of the text, too: 1 becomes 2, which comes back as 1; or 1/2 becomes 1 */
    ends("coord y\nkinetic y'^2/2\nconstraint floor: y = 0\ninitial y = 1, y' = -1\nstate q: q' = 0\n"
         "event more: y falls through 0 -> set q = y', set y' = 2*y'\n"
         "event hit: y falls through 0 -> impact floor restitution 1/2\nsimulate until 2\n",
         "q -1 y' 1 y 1");
    ends("coord y\nkinetic y'^2/2\nconstraint floor: y = 0\ninitial y = 1, y' = -1\nstate q: q' = 0\n"
         "event hit: y falls through 0 -> impact floor restitution 1/2\n"
         "event more: y falls through 0 -> set q = y', set y' = 2*y'\nsimulate until 2\n",
         "q 0.5 y' 1 y 1");
#undef PAIR
#undef LOOSE
#undef MASS
}

/* Conditions are looked at before anything happens at an instant: what events and samples do there does not set off
   what has passed its threshold, also where that is met to the last digit, as by the clock. */
static void conditions_at_once(void)
{
    static const char *const triggers[] = {"t rises through 0.5", "2*t crosses through 1", "x rises through 0.5"};
    for (size_t k = 0; k < sizeof triggers / sizeof *triggers; k++) {
        char text[600];
        const char *const on = triggers[k];
        snprintf(text, sizeof text,
                 "coord x\nkinetic x'^2/2\ninitial x' = 1\nstate mode: mode' = 0\nsimulate until 1\n"
                 "event off: %s when mode > 0.5 -> set mode = 0\nevent on: %s when mode < 0.5 -> set mode = 1\n",
                 on, on);
        ends(text, "mode 1");
        snprintf(text, sizeof text,
                 "coord x\nkinetic x'^2/2\ninitial x' = 1\nstate c: c' = 0\nsimulate until 1\n"
                 "event a: %s -> set c = 2*c + 1\nevent b: %s when c > 0.5 -> set c = c + 10\n"
                 "event g: x rises through 0.5 -> set c = 100*c\n",
                 on, on);
        ends(text, "c 100");
        snprintf(text, sizeof text,
                 "coord x\nkinetic x'^2/2\ninitial x' = 1\nstate m: m' = 0\nstate n: n' = 0\nsampled mode = 0\n"
                 "every 0.5 from 0.5 { set mode = 1 }\nsimulate until 1\n"
                 "event before: %s when mode < 0.5 -> set m = m + 1\n",
                 on);
        ends(text, "m 1");
        snprintf(text, sizeof text,
                 "coord x\nkinetic x'^2/2\ninitial x' = 1\nstate m: m' = 0\nstate n: n' = 0\nsampled mode = 0\n"
                 "every 0.5 from 0.5 { set mode = 1 }\nsimulate until 1\n"
                 "event behind: %s when mode > 0.5 -> set n = n + 1\n",
                 on);
        ends(text, "n 0");
    }
}

/* An impact whose trigger goes on, as the clock does or another body, strikes once: 2 comes back as 1. What its jump
   sets off does not bring it back. */
static void impact_by_the_clock(void)
{
    static const char *const triggers[] = {"t rises through 0.5", "x rises through 1", "x crosses through 1"};
    for (size_t k = 0; k < sizeof triggers / sizeof *triggers; k++) {
        char text[500];
        snprintf(text, sizeof text,
                 "coord x, z\nkinetic (x'^2 + z'^2)/2\nconstraint wall: z = 0\ninitial z = -1, z' = 2, x' = 2\n"
                 "state n: n' = 0\nevent hit: %s -> impact wall restitution 1/2, set n = n + 1\n"
                 "event back: z' falls through 0 -> record\nevent slow: z' crosses through -1/2 -> record\n"
                 "simulate until 1\n",
                 triggers[k]);
        ends(text, "n 1 z -0.5 z' -1");
    }
}

/* A trigger that jumps where it strikes is as good as a smooth one: from 5 high it strikes at 1, 2 and 5/2, is at its
   top at 9/4, and comes to rest at 3. Where it strikes from either side, that is refused. */
static void impact_by_a_jump(void)
{
    static const char *const triggers[] = {"if(y > 0, 1, -1) falls", "if(y >= 0, 1, -1) falls",
                                           "if(y > 0, 7, -1) falls", "if(y < 0, 1, -1) rises",
                                           "if(y > 0, y + 1, -1) falls"};
    static const mech_method methods[] = {MECH_METHOD_RK8, MECH_METHOD_RK5};
    for (size_t k = 0; k < sizeof triggers / sizeof *triggers; k++)
        for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
            for (int is_long = 0; is_long < 2; is_long++) {
                motion m;
                char text[300];
                snprintf(text, sizeof text,
                         "coord y\nkinetic y'^2/2\npotential 10*y\nconstraint floor: y = 0\ninitial y = 5\n"
                         "event hit: %s through 0 -> impact floor restitution 1/2\nsimulate until %g\n",
                         triggers[k], is_long ? 5 : 2.25);
                if (!motion_read(&m, text)) return;
                m.settings.method = methods[i];
                motion_must_run(&m);
                CHECK_NEAR(motion_end(&m, "y"), is_long ? 0 : 0.3125, 1e-8);
                CHECK_NEAR(motion_end(&m, "y'"), 0, 1e-8);
                motion_free(&m);
            }
    motion m;
    if (!motion_read(&m, "coord y\nkinetic y'^2/2\npotential 10*y\nconstraint floor: y = 0\ninitial y = 5\n"
                         "event hit: sign(y) crosses through 0 -> impact floor restitution 1/2\nsimulate until 3\n"))
        return;
    CHECK(motion_run(&m) == MECH_ERR_MODEL);
    CHECK(strstr(mech_sim_error_text(m.sim), "`crosses` would strike both ways"));
    motion_free(&m);
}

/* Imposing moves what it must and no more, also where M is singular (y has no mass) and beside rows that are no part of
   it: an equation of accelerations, and in positions one of velocities. */
static void least_change(void)
{
    static const struct {
        const char *row;
        double at_end; /* of theta */
    } cases[] = {
        {"constraint wire: theta'' + s'' = 1\n",
         -0.3 + 0.005 / (1 + 1 / 1.7) + 0.1 * (1 + 0.1 / (1 + 1 / 1.7)) + 0.005},
        {"constraint roll: theta' - s' = 0.8\n", -0.3 + 0.08},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        motion m;
        char text[500];
        snprintf(
            text, sizeof text,
            "coord y, s, theta\nkinetic 1.7/2*s'^2 + theta'^2/2\nconstraint tie: y = cos(theta)\n%sconstraint latch: s = -0.5\n"
            "event catch: t rises through 0.1 -> impose latch\ninitial s = -0.9, theta = -0.4, theta' = 1, s' = 0.2\nguess y = 1\nsimulate until 0.2\n",
            cases[k].row);
        if (!motion_read(&m, text)) return;
        motion_must_run(&m);
        CHECK_NEAR(motion_end(&m, "theta"), cases[k].at_end, 1e-10);
        CHECK_NEAR(motion_end(&m, "s"), -0.5, 1e-12);
        CHECK_NEAR(motion_end(&m, "y"), cos(cases[k].at_end), 1e-10);
        motion_free(&m);
    }
}

/* Events on forces, on what is in force and on velocities happen where these jump, whatever made them jump: "name time
   name time ..." of all that happen, in order. */
static void happens(const char *text, const char *wanted)
{
    motion m;
    if (!motion_read(&m, text)) return;
    motion_must_run(&m);
    for (size_t k = 0; k < mech_sim_log_count(m.sim); k++) {
        const mech_log_entry h = mech_sim_log_get(m.sim, k);
        char name[32] = "nothing more";
        double t = (double)NAN;
        int length = 0;
        if (h.kind != MECH_LOG_EVENT) continue;
        CHECK(sscanf(wanted, "%31s %lf%n", name, &t, &length) == 2);
        CHECK_TEXT(h.name, name);
        CHECK_NEAR(h.t, t, 1e-9);
        wanted += length;
    }
    CHECK_TEXT(wanted, "");
    motion_free(&m);
}

/* Where a step has to end for another reason, a sample or what comes back after a delay, nothing happens again. */
static void once(void)
{
    static const char *const stops[] = {"", "sampled u = 0\nevery 0.3 { set u = x }\n",
                                        "output late = delay(x', 0.5)\n",
                                        "sampled u = 0\nevery 0.02 { set u = x }\noutput late = delay(u, 0.3)\n"};
    for (int i = 0; i < 4; i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "coord x\nkinetic x'^2/2\ninitial x' = 1\n%sevent a: x rises through 1 -> set x' = 2*x'\n"
                 "event b: x crosses through 2 -> record\nevent c: x' rises through 1.5 -> record\nsimulate until 2\n",
                 stops[i]);
        happens(text, "a 1 b 1.5"); /* velocities that a set moves do not pass what lies between */
    }
}

static void events_see_jumps(void)
{
    char wanted[512];
    const double land = sqrt(2 / 9.81), stop = 1 / (0.3 * 9.81);
    /* an impact that ends in contact; lift-off where the force reaches the weight */
    snprintf(wanted, sizeof wanted, "up %.15g on %.15g any %.15g five %.15g less 2.2405 none 2.4905 off 2.4905", land,
             land, land, land);
    happens("coord y\nkinetic y'^2/2\npotential 9.81*y\nconstraint floor: y >= 0\ninitial y = 1\n"
            "force 20*max(0, t - 2) on y'\noutput N = reaction(floor)\n"
            "event up: y' rises through -1 -> record\nevent on: active(floor) rises through 0.5 -> record\n"
            "event any: N rises through 0 -> record\nevent five: N rises through 5 -> record\n"
            "event less: N falls through 5 -> record\nevent none: N falls through 0 -> record\n"
            "event off: active(floor) falls through 0.5 -> record\nsimulate until 3\n",
            wanted);
    /* no impact: a force that is taken away, after which it presses; and comes again */
    happens("coord y\nkinetic y'^2/2\npotential 9.81*y\nconstraint floor: y >= 0\noutput N = reaction(floor)\n"
            "force if(t < 1, 9.81, if(t < 2, 5, 30)) on y'\nevent on: active(floor) crosses through 1/2 -> record\n"
            "event any: N crosses through 0 -> record\nevent four: N crosses through 4 -> record\nsimulate until 3\n",
            "on 1 any 1 four 1 on 2 any 2 four 2");
    /* a one-way clutch: b reaches a at 1/2, and takes it along */
    happens("coord a, b\nkinetic (a'^2 + b'^2)/2\nforce 2 on b'\nconstraint clutch: a' >= b'\ninitial a' = 1\n"
            "event on: active(clutch) rises through 0.5 -> record\n"
            "event half: reaction(clutch) rises through 1/2 -> record\nevent two: a'' rises through 0.9 -> record\n"
            "simulate until 1\n",
            "on 0.5 half 0.5 two 0.5");
    /* a cable that gets taut takes an impulse, then 2*2/3*9.81; an event on it ends the run */
    snprintf(wanted, sizeof wanted, "taut %.15g pulls %.15g", 1 / 9.81, 1 / 9.81);
    happens("coord y1, y2\nkinetic y1'^2 + y2'^2/2\npotential -9.81*(2*y1 + y2)\nconstraint cable: y1 + y2 <= 3\n"
            "initial y1 = 1, y2 = 2, y1' = 1, y2' = -2\nevent taut: reaction(cable) falls through 0 -> record\n"
            "event pulls: reaction(cable) falls through -13 when active(cable) -> stop\n"
            "event late: t rises through 0.5 -> record\nsimulate until 1\n",
            wanted);
    /* friction begins where a puck lands, and ends where it has stopped: 1 after its impulse, which took 0.3 v */
    snprintf(wanted, sizeof wanted, "rubs %.15g slow %.15g rests %.15g", land, land,
             land + stop * (3 - 0.3 * sqrt(2 * 9.81)));
    happens("coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\ninitial y = 1, x' = 3\n"
            "constraint floor: y >= 0, friction 0.3, along x'\n"
            "event rubs: friction(floor) falls through -2 -> record\nevent slow: x' falls through 2 -> record\n"
            "event rests: friction(floor) rises through -2 -> record\nsimulate until 2\n",
            wanted);
    /* constraints of events; one event sets off the next, and the next puts back what the first took away */
    happens("coord y\nkinetic y'^2/2\npotential 9.81*y\nconstraint hook: y = 0\noutput F = reaction(hook)\n"
            "event cut: t rises through 1 -> release hook\nevent lost: F falls through 5 -> record\n"
            "event again: active(hook) falls through 0.5 when t < 1.5 -> impose hook\n"
            "event back: F rises through 9 -> record\nevent stays: y' falls through -1 -> record\nsimulate until 2\n",
            "cut 1 lost 1 again 1 back 1");
    /* what `set` moves has not been on the way; what follows for the forces has happened */
    happens("coord y\nkinetic y'^2/2\npotential 9.81*y\nconstraint floor: y >= 0\noutput N = reaction(floor)\n"
            "event kick: t rises through 1 -> set y' = 4.905\nevent off: active(floor) falls through 0.5 -> record\n"
            "event none: N falls through 0 -> record\nevent fast: y' rises through 1 -> record\n"
            "event top: y' falls through 0 -> record\nevent on: N rises through 0 -> record\nsimulate until 2.5\n",
            "kick 1 off 1 none 1 top 1.5 on 2");
    /* at each bounce velocity and energy jump: 9.81, then a quarter of it each time */
    snprintf(wanted, sizeof wanted, "up %.15g low %.15g up %.15g", land, land, 2 * land);
    happens("coord y\nkinetic y'^2/2\npotential 9.81*y\nconstraint floor: y >= 0, restitution 0.5\ninitial y = 1\n"
            "event up: y' rises through 0 -> record\nevent low: energy falls through 5 -> record\nsimulate until 1\n",
            wanted);
}

/* One-sided constraints are struck before all events of that instant, whatever else is there: y falls from 1 and leaves
   with e sqrt(2 g). Values are those of the state that the events before left, and of no other on the way. */
static void in_turn(void)
{
    static const char *const beside[] = {"", "event a: y falls through 0 -> release k\n"};
    for (size_t i = 0; i < 2; i++) {
        motion m;
        char text[400];
        snprintf(
            text, sizeof text,
            "coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\npotential 9.81*y\nconstraint k: z = 0\n"
            "constraint floor: y >= 0, restitution 0.5\ninitial y = 1\n%sevent e: y falls through 0 -> set x' = y'\n"
            "simulate until 0.5\n",
            beside[i]);
        if (!motion_read(&m, text)) return;
        motion_must_run(&m);
        CHECK_NEAR(motion_end(&m, "x'"), 0.5 * sqrt(2 * 9.81), 1e-7);
        motion_free(&m);
    }
    motion m;
    if (!motion_read(&m,
                     "coord x, y\nkinetic (x'^2 + y'^2)/2\ninitial x = 1\nevent a: t rises through 0.5 -> set x = 0\n"
                     "event b: t rises through 0.5 -> set x = 2\nevent c: t rises through 0.5 -> set y = 1/x\n"
                     "simulate until 1\n"))
        return;
    motion_must_run(&m);
    CHECK_NEAR(motion_end(&m, "y"), 0.5, 1e-12);
    motion_free(&m);
}

/* Has a note of the run these words? */
static int is_noted(const motion *m, const char *words)
{
    int found = 0;
    for (size_t k = 0; k < mech_sim_log_count(m->sim); k++) {
        const mech_log_entry h = mech_sim_log_get(m->sim, k);
        found |= h.kind == MECH_LOG_NOTE && strstr(h.text, words) != NULL;
    }
    return found;
}

/* s = 2 x has no mass. What is set there holds, and x follows; what cannot hold is told: beside x that is set as well,
   or led by the clock. */
static void set_without_mass(void)
{
    static const struct {
        const char *more;
        double x, v; /* at the end */
        const char *note;
    } cases[] = {
        {"event k: t rises through 1 -> set s' = 6\n", 4, 3, NULL},
        {"event k: t rises through 1 -> set s = 10\n", 6, 1, NULL},
        {"event k: t rises through 1 -> set s = 10, set s' = -2\n", 4, -1, NULL},
        {"event k: t rises through 1 -> set x' = 2, set s' = 4\n", 3, 2, NULL},
        {"event k: t rises through 1 -> set x' = 2, set s' = 6\n", 3, 2,
         "event k sets s' = 6, and the constraints make it 4"},
        {"constraint d: x = t\nevent k: t rises through 1 -> set s' = 6\n", 2, 1,
         "event k sets s' = 6, and the constraints make it 2"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        motion m;
        char text[300];
        snprintf(text, sizeof text,
                 "coord x, s\nkinetic x'^2/2\nconstraint c: s = 2*x\ninitial x = 0, x' = 1\n%ssimulate until 2\n",
                 cases[k].more);
        if (!motion_read(&m, text)) return;
        motion_must_run(&m);
        CHECK_NEAR(motion_end(&m, "x"), cases[k].x, 1e-11);
        CHECK_NEAR(motion_end(&m, "x'"), cases[k].v, 1e-11);
        CHECK_NEAR(motion_end(&m, "s"), 2 * cases[k].x, 1e-11);
        CHECK(is_noted(&m, cases[k].note ? cases[k].note : "event k sets") == (cases[k].note != NULL));
        motion_free(&m);
    }
}

/* The same by a caller between two advances. */
static void placed_without_mass(void)
{
    motion m;
    if (!motion_read(&m,
                     "coord x, s\nkinetic x'^2/2\nconstraint c: s = 2*x\ninitial x = 0, x' = 1\nsimulate until 2\n"))
        return;
    CHECK(mech_sim_create(m.system, NULL, &m.sim) == MECH_OK && mech_sim_start(m.sim) == MECH_OK);
    CHECK(mech_sim_advance(m.sim, 1) == MECH_OK);
    const double v[2] = {mech_sim_v(m.sim)[0], 6};
    CHECK(mech_sim_set_state(m.sim, NULL, v, NULL) == MECH_OK);
    CHECK_NEAR(mech_sim_v(m.sim)[0], 3, 1e-12);
    CHECK(mech_sim_advance(m.sim, 2) == MECH_OK);
    CHECK_NEAR(mech_sim_q(m.sim)[0], 4, 1e-11);
    motion_free(&m);
}

/* Conditions of events whose instant is that of a kink of the clock, or of a corner: they are looked at behind it, and
   of two that exclude one another exactly one holds, whatever steps rounding makes. */
static void conditions_at_kinks(void)
{
    static const struct {
        const char *text, *holds, *fails; /* behind T */
    } cases[] = {{"input u = if(t < T, 0, 1)\n", "u > 0.5", "u < 0.5"},
                 {"input u = if(t < T, 0, 1)\n", "t >= T", "t < T"},
                 {"force if(t < T, 0, 1) on x'\n", "x'' > 0.5", "x'' <= 0.5"},
                 {"state z: z' = if(t < T, 0, 1)\n", "t >= T", "t < T"},
                 {"coord w\nmass w = 1\nconstraint h: w = max(0, t - T)\n", "w' > 0.5", "w' <= 0.5"},
                 {"coord w\nmass w = 1\nconstraint h: w' = if(t < T, 0, 1)\n", "w' > 0.5", "w' <= 0.5"},
                 {"coord w\nmass w = 0.001\nconstraint h: w = max(0, c - T)\n", "w' > 0.5", "w' <= 0.5"},
                 /* the floor strikes after the events of the text */
                 {"coord w\nmass w = 1\nconstraint h: w >= max(0, t - T)\npotential 10*w\n", "w' <= 0.5", "w' > 0.5"},
                 {"coord w\nkinetic if(t < T, 1, 3)*w'^2/2\ninitial w' = 3\n", "w' < 2", "w' >= 2"},
                 {"coord w, d\nmass w = 1\nmass d = 1\npotential 10*d\nconstraint fl: d = 0\n"
                  "friction on fl: 0.1, along w' - if(t < T, 0, 1)\n",
                  "w'' > 0.5", "w'' <= 0.5"}};
    static const char *const triggers[] = {"t", "c", "2*c - T"}, *const times[] = {"0.1", "0.7", "1.3"};
    for (size_t k = 0; k < 9 * (sizeof cases / sizeof *cases); k++) {
        motion m;
        char text[1000];
        snprintf(text, sizeof text,
                 "param T = %s\ncoord x, c\nkinetic (x'^2 + c'^2)/2\n%sstate yes: yes' = 0\nstate no: no' = 0\n"
                 "event e: %s rises through T when %s -> set yes = yes + 1\n"
                 "event f: %s rises through T when %s -> set no = no + 1\ninitial c' = 1\nsimulate until T + 0.5\n",
                 times[k % 3], cases[k / 9].text, triggers[k / 3 % 3], cases[k / 9].holds, triggers[k / 3 % 3],
                 cases[k / 9].fails);
        if (!motion_read(&m, text)) return;
        motion_must_run(&m);
        CHECK_NEAR(motion_end(&m, "yes"), 1, 0);
        CHECK_NEAR(motion_end(&m, "no"), 0, 0);
        motion_free(&m);
    }
}

int main(void)
{
    conditions_at_kinks();
    set_without_mass();
    placed_without_mass();
    in_turn();
    least_change();
    events_at_once();
    done_wholly();
    conditions_at_once();
    impact_by_the_clock();
    impact_by_a_jump();
    servo_switched_on();
    hoop();
    bouncing_ball();
    small_bounces();
    cradle();
    plastic();
    impact_through_constraints();
    crossings();
    belt();
    incline();
    plane_in_two_directions();
    rod();
    control();
    starts();
    excess();
    kinks();
    driven_by_legs();
    short_stays();
    reproducible();
    events_see_jumps();
    once();
    return check_report();
}
