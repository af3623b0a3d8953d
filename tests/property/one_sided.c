/* One-sided constraints (a >= b, a <= b) against closed forms: bounces, contact, lift-off, rest, without an event. */
#include "support/motion.h"

#include <math.h>

static const mech_method METHODS[] = {MECH_METHOD_RK8, MECH_METHOD_RK5, MECH_METHOD_BDF, MECH_METHOD_ADAMS};
enum { METHOD_COUNT = sizeof METHODS / sizeof *METHODS };

/* A ball dropped from 1 m: the k-th bounce comes t0 (1 + 2 (e + ... + e^k)) after the start and leaves with v0 e^(k+1);
   it rests at t0 (1 + e)/(1 - e). */
static void bouncing_ball(void)
{
    const double g = 9.81, e = 0.8, t0 = sqrt(2 / g), v0 = sqrt(2 * g);
    motion m;
    if (!motion_read(&m, "coord y\nkinetic y'^2/2\npotential 9.81*y\nconstraint floor: y >= 0, restitution 0.8\n"
                         "initial y = 1\noutput N = reaction(floor), on = active(floor)\nsimulate until 5\n"))
        return;
    motion_settings(&m, 1e-12);
    motion_must_run(&m);
    double when = t0, part = 1, rest = 0;
    for (size_t k = 0; k < 30; k++) {
        const double t = motion_when(&m, MECH_LOG_IMPACT, k);
        part *= e;
        CHECK_NEAR(t, when, 1e-10 * when);
        CHECK_NEAR(motion_at(&m, t, "y'"), v0 * part, 1e-9 * v0 * part);
        when += 2 * t0 * part;
    }
    CHECK(motion_count(&m, MECH_LOG_CONTACT) == 1 && mech_sim_info_get(m.sim).events == 0);
    for (size_t k = 0; k < mech_sim_log_count(m.sim); k++) {
        const mech_log_entry h = mech_sim_log_get(m.sim, k);
        const char *text = h.kind == MECH_LOG_CONTACT ? strstr(h.text, "t = ") : NULL;
        if (text) rest = strtod(text + 4, NULL);
    }
    CHECK_NEAR(rest, t0 * (1 + e) / (1 - e), 1e-10 * rest);
    CHECK_NEAR(motion_end(&m, "y"), 0, 1e-12);
    CHECK_NEAR(motion_end(&m, "N"), g, 1e-12);
    CHECK(motion_end(&m, "on") == 1);
    /* what impacts took is in the account: all of it */
    CHECK_NEAR(mech_sim_info_get(m.sim).event_energy, -g, 1e-9);
    motion_free(&m);
}

static void all_methods(void)
{
    for (size_t k = 0; k < METHOD_COUNT; k++) {
        motion m;
        if (!motion_read(&m, "coord y\nkinetic y'^2/2\npotential 9.81*y\nconstraint roof: -y <= 0, restitution 0.5\n"
                             "initial y = 1\noutput N = reaction(roof)\nsimulate until 3\n"))
            return;
        motion_settings(&m, 1e-9);
        m.settings.method = METHODS[k];
        CHECK(motion_derive(&m) == MECH_OK);
        if (motion_may_run(&m)) {
            CHECK_NEAR(motion_when(&m, MECH_LOG_IMPACT, 2), sqrt(2 / 9.81) * (1 + 2 * 0.5 + 2 * 0.25), 1e-7);
            CHECK_NEAR(motion_end(&m, "N"), -9.81, 1e-9); /* of a <= b it is never positive */
        }
        motion_free(&m);
    }
}

/* What of a text says how it moves: its characters, but for spaces, comments, `draw` and `output` lines. */
static size_t length_of(const char *text)
{
    char line[512];
    size_t length = 0;
    const size_t size = strlen(text);
    FILE *file = size > 5 && strcmp(text + size - 5, ".mech") == 0 ? fopen(text, "r") : NULL;
    for (const char *at = text; file ? fgets(line, sizeof line, file) != NULL : *at != 0;) {
        if (!file) snprintf(line, sizeof line, "%.*s", (int)strcspn(at, "\n"), at);
        at += file ? 0 : strcspn(at, "\n") + (strchr(at, '\n') != NULL);
        if (line[0] == '#' || strncmp(line, "draw", 4) == 0) continue;
        for (const char *c = line; *c; c++) length += *c != ' ' && *c != '\n';
    }
    if (file) (void)fclose(file);
    return length;
}

/* Rows by the clock, of two runs, to 1e-9. */
static void same_rows(const motion *a, const motion *b)
{
    const mech_trajectory *x = mech_sim_trajectory(a->sim);
    const size_t n = 2 * mech_system_sizes(a->system).coords;
    for (size_t k = 0; k < a->settings.output_points; k++) {
        const double t = a->settings.until * (double)k / (double)(a->settings.output_points - 1);
        for (size_t j = 1; j <= n; j++) {
            const char *name = mech_trajectory_name(x, j);
            CHECK_NEAR(motion_at(a, t, name), motion_at(b, t, name), 1e-9);
        }
    }
}

/* Every text of the examples with events for contacts, and the same one-sided: the same run in fewer words. */
static void same_as_events(void)
{
    static const char *const texts[][2] = {
        {"examples/bouncing-pendulum/model.mech", "examples/bouncing-pendulum/model-angle-one-sided.mech"},
        {"examples/bouncing-pendulum/model-impact.mech", "examples/bouncing-pendulum/model-one-sided.mech"},
        {"examples/hoop-on-cylinder/model.mech", "examples/hoop-on-cylinder/model-one-sided.mech"},
        {"param m1 = 1, m2 = 1.5, g = 9.81, h = 1\ncoord y1, y2\nkinetic m1/2*y1'^2 + m2/2*y2'^2\n"
         "potential m1*g*y1 + m2*g*y2\nconstraint cable: y1 + y2 = h\nconstraint floor: y2 = 0\n"
         "event taut: y1 + y2 - h falls through 0 -> impact cable restitution 0\n"
         "event hit:  y2 falls through 0 -> impact floor restitution 0\ninitial y1 = 0, y2 = h\nsimulate until 2.5\n",
         "param m1 = 1, m2 = 1.5, g = 9.81, h = 1\ncoord y1, y2\nkinetic m1/2*y1'^2 + m2/2*y2'^2\n"
         "potential m1*g*y1 + m2*g*y2\nconstraint cable: y1 + y2 >= h\nconstraint floor: y2 >= 0\n"
         "initial y1 = 0, y2 = h\nsimulate until 2.5\n"},
    };
    static const double ends[] = {5, 5, 3, 2.5};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; k++) {
        motion a, b;
        if (!motion_read(&a, texts[k][0]) || !motion_read(&b, texts[k][1])) return;
        a.settings.output_points = b.settings.output_points = 101;
        a.settings.until = b.settings.until = ends[k];
        motion_must_run(&a);
        motion_must_run(&b);
        same_rows(&a, &b);
        CHECK(length_of(texts[k][1]) < length_of(texts[k][0]));
        if (k > 0) CHECK(motion_count(&a, MECH_LOG_IMPACT) == motion_count(&b, MECH_LOG_IMPACT));
        CHECK_TEXT(mech_sim_warning(b.sim), "");
        motion_free(&a);
        motion_free(&b);
    }
}

/* A smooth ladder slides down and leaves the wall at two thirds of its height, whatever that was. */
static void ladder(void)
{
    static const double angles[] = {0.4, 0.9, 1.3};
    for (size_t k = 0; k < 3; k++) {
        const mech_override angle = {"A", angles[k]};
        motion m;
        if (!motion_read_with(&m,
                              "param A = 1\ncoord x, y, th\nkinetic (x'^2 + y'^2)/2 + th'^2/6\npotential 9.81*y\n"
                              "constraint floor: y >= sin(th)\nconstraint wall: x >= cos(th)\n"
                              "initial th = A, x = cos(A), y = sin(A)\nsimulate until 1.5\n",
                              &angle, 1))
            return;
        motion_must_run(&m);
        const double t = motion_when(&m, MECH_LOG_RELEASE, 0);
        CHECK_NEAR(motion_at(&m, t, "y"), 2 * sin(angles[k]) / 3, 1e-8);
        motion_free(&m);
    }
}

/* Two weights on a cable: slack while both fall freely, taut again after 1/g, when it takes one impulse m1 m2/(m1 + m2)
   times the speed. */
static void slack_cable(void)
{
    motion m;
    if (!motion_read(&m, "coord y1, y2\nkinetic y1'^2 + y2'^2/2\npotential -9.81*(2*y1 + y2)\n"
                         "constraint cable: y1 + y2 <= 3\ninitial y1 = 1, y2 = 2, y1' = 1, y2' = -2\n"
                         "output T = reaction(cable)\nsimulate until 1\n"))
        return;
    motion_must_run(&m);
    const double t = 1 / 9.81, gt = 1;
    CHECK_NEAR(motion_when(&m, MECH_LOG_IMPACT, 0), t, 1e-10);
    CHECK_NEAR(motion_at(&m, motion_when(&m, MECH_LOG_IMPACT, 0), "y1'"), 1 + gt - (1.0 / 3), 1e-9);
    CHECK_NEAR(motion_end(&m, "T"), -2 * 2 * 1 * 9.81 / 3, 1e-9);
    CHECK_NEAR(motion_end(&m, "y1'"), 5.0 / 3 + 9.81 / 3 * (1 - t), 1e-9);
    CHECK_NEAR(mech_sim_info_get(m.sim).event_energy, -1.0 / 3, 1e-9);
    motion_free(&m);
}

/* Dropped off the middle into a groove of two planes at 45 degrees: it keeps its speed along the first plane, slides to
   the bottom, and stops at the second one, which stands across. */
static void groove(void)
{
    motion m;
    if (!motion_read(
            &m, "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint left: y + x >= 0\n"
                "constraint right: y - x >= 0\ninitial x = 0.1, y = 1\noutput L = reaction(left), R = reaction(right)\n"
                "simulate until 1\n"))
        return;
    motion_must_run(&m);
    const double g = 9.81, v = sqrt(2 * g * 0.9), along = v / sqrt(2), end = sqrt(along * along + 0.2 * g);
    const double t = v / g + (end - along) / (g / sqrt(2));
    CHECK_NEAR(motion_when(&m, MECH_LOG_IMPACT, 0), v / g, 1e-9);
    CHECK_NEAR(motion_when(&m, MECH_LOG_IMPACT, 1), t, 1e-9);
    CHECK(motion_count(&m, MECH_LOG_IMPACT) == 2 && motion_count(&m, MECH_LOG_CONTACT) == 2);
    CHECK_NEAR(motion_end(&m, "x"), 0, 1e-10);
    CHECK_NEAR(motion_end(&m, "L"), g / 2, 1e-9);
    CHECK_NEAR(motion_end(&m, "R"), g / 2, 1e-9);
    motion_free(&m);
}

/* The time in which a block (b by h, half widths) on one corner of a smooth floor comes down from an angle, and its
   speed
   then: by quadrature, with th = th0 - s^2. */
static double comes_down(double b, double h, double from, double *speed)
{
    enum { STEPS = 2000 };
    const double g = 9.81, I = (b * b + h * h) / 3, end = sqrt(from);
    double sum = 0;
    for (int k = 0; k <= STEPS; k++) {
        const double s = end * k / STEPS, th = from - s * s, c = b * cos(th) - h * sin(th);
        const double fall = h * (cos(from) - cos(th)) + b * (sin(from) - sin(th)),
                     slope = b * cos(from) - h * sin(from);
        const double f = s == 0 ? 2 * sqrt((I + c * c) / (2 * g * slope)) : 2 * s * sqrt((I + c * c) / (2 * g * fall));
        sum += f * (k == 0 || k == STEPS ? 1 : k % 2 ? 4 : 2);
        if (k == STEPS) *speed = sqrt(2 * g * fall / (I + c * c));
    }
    return sum * end / STEPS / 3;
}

/* The block rocks from corner to corner; at each impact its turning falls by (I - b^2)/(I + b^2). It comes to rest on
   both. */
static void rocking_block(void)
{
    const double b = 0.3, h = 1, I = (b * b + h * h) / 3, kept = (I - b * b) / (I + b * b);
    motion m;
    if (!motion_read(&m,
                     "param b = 0.3, h = 1\ncoord y, th\nkinetic y'^2/2 + (b^2 + h^2)/3*th'^2/2\npotential 9.81*y\n"
                     "constraint right: y >= h*cos(th) + b*sin(th)\nconstraint left: y >= h*cos(th) - b*sin(th)\n"
                     "initial th = 0.1, y = h*cos(0.1) + b*sin(0.1)\noutput L = reaction(left), R = reaction(right)\n"
                     "simulate until 4\n"))
        return;
    motion_must_run(&m);
    double speed, when = comes_down(b, h, 0.1, &speed);
    for (size_t k = 0; k < 10; k++) {
        const double t = motion_when(&m, MECH_LOG_IMPACT, k);
        CHECK_NEAR(t, when, 1e-8);
        speed *= kept;
        CHECK_NEAR(fabs(motion_at(&m, t, "th'")), speed, 1e-8);
        /* up to where it turns, and back */
        double low = 0, high = 0.1, got;
        for (int i = 0; i < 60; i++) {
            const double middle = (low + high) / 2;
            (void)comes_down(b, h, middle, &got);
            if (got < speed) low = middle;
            else high = middle;
        }
        when += 2 * comes_down(b, h, low, &got);
    }
    CHECK_NEAR(motion_end(&m, "L"), 9.81 / 2, 1e-9);
    CHECK_NEAR(motion_end(&m, "R"), 9.81 / 2, 1e-9);
    CHECK_NEAR(motion_end(&m, "th"), 0, 1e-9);
    motion_free(&m);
}

/* An arm between stops, driven by a torque 2 sin(t) from rest: it meets a stop where t - sin(t) = 1/4, leaves it where
   the torque turns, at pi, and meets the other one where the same function of t - pi is 1/2. */
static void driven_stops(void)
{
    const double pi = acos(-1);
    double t1 = 1, t2 = 1;
    for (int i = 0; i < 60; i++) t1 -= (t1 - sin(t1) - 0.25) / (1 - cos(t1));
    for (int i = 0; i < 60; i++) t2 -= (t2 - sin(t2) - 0.5) / (1 - cos(t2));
    motion m;
    if (!motion_read(
            &m, "coord a\nkinetic a'^2/2\nforce 2*sin(t) on a'\nconstraint up: a <= 0.5\nconstraint down: a >= -0.5\n"
                "output U = reaction(up), D = reaction(down)\nsimulate until 5\n"))
        return;
    motion_must_run(&m);
    CHECK_NEAR(motion_when(&m, MECH_LOG_IMPACT, 0), t1, 1e-9);
    CHECK_NEAR(motion_when(&m, MECH_LOG_RELEASE, 0), pi, 1e-9);
    CHECK_NEAR(motion_at(&m, 2.5, "U"), -2 * sin(2.5), 1e-10);
    CHECK_NEAR(motion_when(&m, MECH_LOG_IMPACT, 1), pi + t2, 1e-8);
    CHECK_NEAR(motion_end(&m, "D"), -2 * sin(5), 1e-10);
    CHECK_NEAR(motion_end(&m, "a"), -0.5, 1e-12);
    motion_free(&m);
}

/* A one-way clutch: free while a turns faster; taken along when it would be slower. */
static void one_way_clutch(void)
{
    motion m;
    if (!motion_read(&m,
                     "coord a, b\nkinetic a'^2/2 + b'^2\nforce if(t < 1, 0, if(t < 6, -3, 12)) on a'\nforce 0.5 on b'\n"
                     "constraint clutch: a' >= b'\ninitial a' = 2\noutput R = reaction(clutch)\nsimulate until 7\n"))
        return;
    motion_must_run(&m);
    const double t1 = 1 + 1.75 / 3.25, v = 2 - 3 * (t1 - 1), together = -2.5 / 3;
    CHECK_NEAR(motion_when(&m, MECH_LOG_CONTACT, 0), t1, 1e-9);
    CHECK_NEAR(motion_at(&m, 3.5, "R"), 3.25 / 1.5, 1e-9);
    CHECK_NEAR(motion_when(&m, MECH_LOG_RELEASE, 0), 6, 1e-6);
    const double w = v + together * (6 - t1);
    CHECK_NEAR(motion_end(&m, "a'"), w + 12, 1e-5);
    CHECK_NEAR(motion_end(&m, "b'"), w + 0.25, 1e-5);
    motion_free(&m);
}

/* A block dragged by a belt against a stop: it bounces like a ball under mu g, and rests with the friction's force. */
static void belt_and_stop(void)
{
    const double a = 0.3 * 9.81, e = 0.5, t0 = sqrt(2 / a);
    motion m;
    if (!motion_read(&m,
                     "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
                     "constraint floor: y >= 0, friction 0.3, along x' - 10\nconstraint stop: x <= 1, restitution 0.5\n"
                     "output S = reaction(stop), N = reaction(floor)\nsimulate until 4\n"))
        return;
    motion_must_run(&m);
    CHECK_NEAR(motion_when(&m, MECH_LOG_IMPACT, 0), t0, 1e-9);
    CHECK_NEAR(motion_when(&m, MECH_LOG_IMPACT, 3), t0 * (1 + 2 * (e + e * e + e * e * e)), 1e-8);
    CHECK_NEAR(motion_end(&m, "x"), 1, 1e-10);
    CHECK_NEAR(motion_end(&m, "S"), -a, 1e-9);
    CHECK_NEAR(motion_end(&m, "N"), 9.81, 1e-9);
    motion_free(&m);
}

/* A table on four feet: the motion is unique, the single forces are one choice, and marked. */
static void table(void)
{
    motion m;
    if (!motion_read(&m, "coord z, a, b\nkinetic 5*z'^2 + (a'^2 + b'^2)/2\npotential 98.1*z\n"
                         "force -50 on z' + 0.2*a' + 0.1*b'\nlet sx = [1, -1, -1, 1], sy = [1, 1, -1, -1]\n"
                         "for i in 1..4 { constraint foot[i]: z + sx[i]*a + sy[i]*b >= 0 }\n"
                         "output N = reaction(foot), all = sum(i in 1..4: N[i])\nsimulate until 1\n"))
        return;
    motion_must_run(&m);
    CHECK_NEAR(motion_end(&m, "all"), 148.1, 1e-9);
    CHECK_NEAR(motion_end(&m, "z"), 0, 1e-12);
    for (int i = 1; i <= 4; i++) {
        char name[16];
        snprintf(name, sizeof name, "N[%d]", i);
        CHECK(motion_end(&m, name) > 0);
    }
    CHECK(mech_sim_output_is_choice(m.sim, 0));
    motion_free(&m);
}

/* A vector is as many constraints; at the start one rests, one is open, one is assembled. */
static void vectors(void)
{
    motion m;
    if (!motion_read(&m,
                     "coord q[1..3]\nkinetic sum(i in 1..3: q[i]'^2/2)\nforce [-1, -2, -3] on q'\n"
                     "constraint low: q >= 0\noutput R = reaction(low)\nguess q = [0.5, 0, -0.1]\nsimulate until 3\n"))
        return;
    motion_must_run(&m);
    CHECK_NEAR(motion_at(&m, 0, "q[3]"), 0, 1e-12);
    CHECK_NEAR(motion_at(&m, 0, "R[1]"), 0, 1e-12);
    CHECK_NEAR(motion_at(&m, 0, "R[2]"), 2, 1e-12);
    CHECK_NEAR(motion_end(&m, "R[1]"), 1, 1e-12);
    CHECK_NEAR(motion_end(&m, "R[3]"), 3, 1e-12);
    motion_free(&m);
    motion_refused("coord y\nkinetic y'^2/2\nconstraint floor: y >= 0\ninitial y = -0.25\nsimulate until 1\n",
                   MECH_ERR_NO_START, "beyond floor by 0.25", "guess");
    motion_refused("coord y\nkinetic y'^2/2\nconstraint c: y' >= 0\ninitial y' = -2\nsimulate until 1\n",
                   MECH_ERR_NO_START, "beyond c by 2", "in velocities");
}

/* The caller moves the floor, or the body: contacts are decided anew; a state beyond is refused. */
static void changed_from_outside(void)
{
    motion m;
    const double high = 1, beyond = -1, rest = 0;
    if (!motion_read(&m, "param g = 9.81\ncoord y\nkinetic y'^2/2\npotential g*y\nconstraint floor: y >= 0\n"
                         "output N = reaction(floor)\nsimulate until 10\n"))
        return;
    CHECK(mech_sim_create(m.system, &m.settings, &m.sim) == MECH_OK && mech_sim_start(m.sim) == MECH_OK &&
          mech_sim_advance(m.sim, 1) == MECH_OK);
    CHECK(mech_sim_set_param(m.sim, 0, -1) == MECH_OK && mech_sim_advance(m.sim, 3) == MECH_OK);
    CHECK_NEAR(mech_sim_q(m.sim)[0], 2, 1e-9); /* it leaves at once: 1/2 (3 - 1)^2 */
    CHECK(mech_sim_set_param(m.sim, 0, 9.81) == MECH_OK);
    CHECK(mech_sim_set_state(m.sim, &high, &rest, NULL) == MECH_OK && mech_sim_advance(m.sim, 4) == MECH_OK);
    CHECK_NEAR(motion_when(&m, MECH_LOG_IMPACT, 0), 3 + sqrt(2 / 9.81), 1e-9);
    CHECK(mech_sim_set_state(m.sim, &high, &rest, NULL) == MECH_OK); /* lifted off the floor it rests on */
    CHECK_NEAR(mech_sim_q(m.sim)[0], 1, 1e-12);
    CHECK(mech_eval_set_active(mech_sim_eval(m.sim), 0, 0) == MECH_ERR_ARGUMENT);
    CHECK(mech_sim_set_state(m.sim, &beyond, &rest, NULL) != MECH_OK);
    CHECK(motion_says(&m, "beyond floor by 1", ""));
    motion_free(&m);
}

/* A sphere (I = 2/5) falls obliquely, without or with spin: its contact point slides through the impact while
   mu (1 + e) v < 2/7 |u|, and rests at the end of it beyond: Routh's answer. */
static void oblique_ball(void)
{
    static const double mus[] = {0.05, 0.129, 0.13, 0.5}, spins[] = {0, 4, -5};
    const double e = 0.5, v = sqrt(2 * 9.81), pressed = (1 + e) * v;
    for (size_t i = 0; i < sizeof mus / sizeof *mus; i++)
        for (size_t k = 0; k < sizeof spins / sizeof *spins; k++) {
            const mech_override with[] = {{"mu", mus[i]}, {"w", spins[k]}};
            motion m;
            if (!motion_read_with(
                    &m,
                    "param mu = 1, w = 0\ncoord x, y, th\nkinetic (x'^2 + y'^2)/2 + 0.2*th'^2\n"
                    "potential 9.81*y\nconstraint floor: y >= 1, restitution 0.5, friction mu, along x' + th'\n"
                    "initial y = 2, x' = 3, th' = w\nsimulate until 0.5\n",
                    with, 2))
                return;
            motion_must_run(&m);
            const double u = 3 + spins[k], p = copysign(fmin(mus[i] * pressed, fabs(u) / 3.5), u);
            CHECK_NEAR(motion_end(&m, "x'"), 3 - p, 1e-10);
            CHECK_NEAR(motion_end(&m, "th'"), spins[k] - p / 0.4, 1e-10);
            CHECK_NEAR(motion_end(&m, "y'"), e * v - 9.81 * (0.5 - v / 9.81), 1e-9);
            CHECK_TEXT(mech_sim_warning(m.sim), "");
            motion_free(&m);
        }
}

/* The same by events: friction gives its impulse there, too. */
static void oblique_by_event(void)
{
    motion m;
    if (!motion_read(&m,
                     "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint floor: y = 0\n"
                     "friction on floor: 0.1, along x'\nevent hit: y falls through 0 -> impact floor restitution 0.5\n"
                     "initial y = 1, x' = 3\nsimulate until 0.5\n"))
        return;
    motion_must_run(&m);
    CHECK_NEAR(motion_end(&m, "x'"), 3 - 0.1 * 1.5 * sqrt(2 * 9.81), 1e-10);
    motion_free(&m);
}

/* In space: a ball thrown with (3, 4) across slides through the impact along its velocity, 5: each component keeps its
   part. */
static void oblique_in_space(void)
{
    motion m;
    if (!motion_read(&m, "coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\npotential 9.81*z\n"
                         "constraint floor: z >= 0, friction 0.2, along [x', y']\ninitial z = 1, x' = 3, y' = 4\n"
                         "simulate until 0.46\n"))
        return;
    motion_must_run(&m);
    const double t = sqrt(2 / 9.81), after = 5 - 0.2 * sqrt(2 * 9.81) - 0.2 * 9.81 * (0.46 - t);
    CHECK_NEAR(motion_end(&m, "x'"), 0.6 * after, 1e-8);
    CHECK_NEAR(motion_end(&m, "y'"), 0.8 * after, 1e-8);
    motion_free(&m);
}

/* Housner's block: rough enough to rock without sliding. At each impact its turning about the new corner is what the
   angular momentum about it leaves: 1 - 3/2 sin^2(alpha) of it, with tan(alpha) = b/h. */
static void rough_block(void)
{
    const double b = 0.3, h = 1, s2 = b * b / (b * b + h * h), kept = 1 - 1.5 * s2;
    motion m;
    if (!motion_read(
            &m,
            "param b = 0.3, h = 1\ncoord x, y, th\nkinetic (x'^2 + y'^2)/2 + (b^2 + h^2)/3*th'^2/2\npotential 9.81*y\n"
            "constraint right: y >= h*cos(th) + b*sin(th), friction 2, along (x + h*sin(th) - b*cos(th))'\n"
            "constraint left: y >= h*cos(th) - b*sin(th), friction 2, along (x + h*sin(th) + b*cos(th))'\n"
            "initial th = 0.1, y = h*cos(0.1) + b*sin(0.1)\nsimulate until 1.5\n"))
        return;
    motion_must_run(&m);
    const double speed = sqrt(2 * 9.81 * (h * cos(0.1) + b * sin(0.1) - h) / (4 * (b * b + h * h) / 3));
    CHECK_NEAR(fabs(motion_at(&m, motion_when(&m, MECH_LOG_IMPACT, 0), "th'")), kept * speed, 1e-8);
    CHECK_NEAR(fabs(motion_at(&m, motion_when(&m, MECH_LOG_IMPACT, 1), "th'")), kept * kept * speed, 1e-8);
    motion_free(&m);
}

/* Newton's cradle of three balls that touch: hit at once they leave with -1/3, 2/3, 2/3; with gaps one after the other,
   0, 0, 1. */
static void cradle(void)
{
    static const double gaps[] = {0, 1e-3}, after[][3] = {{-1.0 / 3, 2.0 / 3, 2.0 / 3}, {0, 0, 1}};
    for (size_t k = 0; k < 2; k++) {
        const mech_override gap = {"d", gaps[k]};
        static const char *const names[] = {"x[1]'", "x[2]'", "x[3]'"};
        motion m;
        if (!motion_read_with(&m,
                              "param d = 0\ncoord x[1..3]\nkinetic dot(x', x')/2\n"
                              "for i in 1..2 { constraint touch[i]: x[i+1] - x[i] >= 1, restitution 1 }\n"
                              "initial x = [-0.5, 1, 2 + d], x' = [1, 0, 0]\nsimulate until 1\n",
                              &gap, 1))
            return;
        motion_must_run(&m);
        for (size_t i = 0; i < 3; i++) CHECK_NEAR(motion_end(&m, names[i]), after[k][i], 1e-9);
        motion_free(&m);
    }
}

/* A rod slides on a rough floor, tan(th) = 2: from mu = 4/3 on there is no force that meets Coulomb's law when it is
   pushed into the floor by its own friction; the other way round there is one, whatever mu is. */
static void painleve(void)
{
    static const char text[] =
        "param mu = 1, v = 1\ncoord x, y, th\nkinetic (x'^2 + y'^2)/2 + th'^2/6\npotential 9.81*y\n"
        "constraint floor: y >= sin(th), friction mu, along x' + sin(th)*th'\n"
        "output N = reaction(floor)\n"
        "initial th = atan(2), y = sin(th0), x' = v\nsimulate until 1e-6\n";
    char whole[600];
    snprintf(whole, sizeof whole, "let th0 = atan(2)\n%s", text);
    static const double deltas[] = {-1e-5, -1e-10, 1e-10, 1e-5, 1};
    for (int way = 1; way >= -1; way -= 2)
        for (size_t k = 0; k < sizeof deltas / sizeof *deltas; k++) {
            const double mu = 4.0 / 3 + deltas[k], c = 1 / sqrt(5), s = 2 / sqrt(5);
            const mech_override with[] = {{"mu", mu}, {"v", way}};
            motion m;
            if (!motion_read_with(&m, whole, with, 2)) return;
            m.settings.output_points = 2;
            const mech_status status = motion_run(&m);
            CHECK(status == (way < 0 && deltas[k] > 0 ? MECH_ERR_NO_REACTION : MECH_OK));
            const char *limit = strstr(mech_sim_error_text(m.sim), "coefficient of ");
            if (status != MECH_OK) CHECK_NEAR(limit ? strtod(limit + 15, NULL) : 0, 4.0 / 3, 1e-10);
            /* by Newton and Euler for the lower end; close to the limit the force stops it within no time */
            if (status == MECH_OK && (way > 0 || deltas[k] < -1e-9))
                CHECK_NEAR(motion_at(&m, 0, "N") * (1 + 3 * c * c + way * 3 * mu * s * c), 9.81, 1e-4);
            motion_free(&m);
        }
}

/* In a corner of a floor and an oblique wall, at rest: lifted off the floor, held by the wall's friction, and down
   again where that gives way. It never moves, and the floor is there when it is pressed on, though nothing came from
   above. */
static void corner(void)
{
    motion m;
    if (!motion_read(&m, "coord x, y\nkinetic 0.857*x'^2 + 1.13*y'^2\npotential 4.44*x\nforce -6.41*sin(3.17*t) on y'\n"
                         "constraint roof: x <= 0.3676, friction 0.1, along y'\n"
                         "constraint floor: y >= 0, restitution 0.8, friction 0.6, along x'\n"
                         "constraint wall: 1.46*y - 1.2*x <= 0, restitution 1, friction 0.6, along 1.2*y' + 1.46*x'\n"
                         "output W = reaction(wall)\nmeasure low: min of y\nsimulate until 2\n"))
        return;
    motion_must_run(&m);
    CHECK_NEAR(motion_end(&m, "x"), 0, 1e-10);
    CHECK_NEAR(motion_end(&m, "y"), 0, 1e-10);
    CHECK_NEAR(mech_sim_measure(m.sim, 0), 0, 1e-10);
    CHECK(motion_end(&m, "W") < 0);
    CHECK(mech_sim_log_count(m.sim) < 20);
    motion_free(&m);
}

/* A kink of the clock opens a contact where a row by the clock is due: rows are in order, also those that follow the
   motion, the last before shows the weight and the next one none. */
static void rows_at_a_kink(void)
{
    for (int follows = 0; follows < 2; follows++) {
        motion m;
        if (!motion_read(&m, "coord y\nkinetic y'^2/2\npotential 9.81*y\nconstraint floor: y >= 0\n"
                             "force if(t < 1, 0, 20) on y'\noutput N = reaction(floor)\n"
                             "event off: active(floor) falls through 0.5 -> record\nsimulate until 2\n"))
            return;
        m.settings.output_points = follows ? 0 : 201;
        if (follows) m.settings.follow = MECH_FOLLOW_ROWS;
        motion_must_run(&m);
        const mech_trajectory *rows = mech_sim_trajectory(m.sim);
        const size_t N = mech_trajectory_find(rows, "N");
        for (size_t k = 1; k < mech_trajectory_rows(rows); k++) {
            const double *row = mech_trajectory_row(rows, k);
            CHECK(row[0] >= mech_trajectory_row(rows, k - 1)[0]);
            CHECK_NEAR(row[N], row[0] < 1 ? 9.81 : 0, 1e-12);
        }
        CHECK_NEAR(motion_when(&m, MECH_LOG_EVENT, 0), 1, 1e-12);
        motion_free(&m);
    }
}

/* Feet that share friction as they like: what moves is the same however they do, and is found; where it is not, the run
   says so. Single forces are marked, sums are not. */
static void table_with_friction(void)
{
#define FEET                                                                                                           \
    "let sx = [1, -1, -1, 1], sy = [1, 1, -1, -1]\nfor i in 1..4 { constraint foot[i]: z + sx[i]*a + sy[i]*b >= 0, "   \
    "friction 0.3 + d*i, along "
    static const char straight[] = "param d = 0, h = 0, v = 0, F = 20\ncoord x, z, a, b\n"
                                   "kinetic 5*x'^2 + 5*z'^2 + (a'^2 + b'^2)/2\npotential 98.1*z\n"
                                   "force -50 on z' + 0.2*a' + 0.1*b'\nforce F*t on x'\n" FEET "x' }\n"
                                   "initial x' = v, z = h\noutput N = reaction(foot), all = sum(i in 1..4: N[i])\n"
                                   "output T = friction(foot[1])\nsimulate until 3\n",
                      turning[] = "param d = 0, v = 0\ncoord x, y, psi, z, a, b\n"
                                  "kinetic 5*(x'^2 + y'^2 + z'^2) + psi'^2 + (a'^2 + b'^2)/2\npotential 98.1*z\n" FEET
                                  "[x' - (sy[i]*cos(psi) + sx[i]*sin(psi))*psi', y' + (sx[i]*cos(psi) - "
                                  "sy[i]*sin(psi))*psi'] }\ninitial psi' = 3, x' = v\nsimulate until 1\n";
#undef FEET
    const double load = 148.1, gives_way = 0.3 * load / 20, after = 3 - gives_way;
    const double g = load / 10, hit = sqrt(2 * 0.1 * g), slows = 0.3 * g;
    const mech_override dropped[] = {{"h", 0.1}, {"v", 5}, {"F", 0}}, other = {"d", 0.1}, moves = {"v", 1};
    motion m;
    /* pulled by 20 t it gives way where that is 0.3 of the load, and slides on with (20 t - 0.3 load)/10 */
    if (!motion_read(&m, straight)) return;
    motion_must_run(&m);
    CHECK_NEAR(motion_when(&m, MECH_LOG_SLIP, 3), gives_way, 1e-9);
    CHECK_NEAR(motion_end(&m, "x'"), after * after, 1e-9);
    CHECK_NEAR(motion_end(&m, "x"), after * after * after / 3, 1e-9);
    CHECK_NEAR(motion_end(&m, "all"), load, 1e-9);
    CHECK(mech_sim_output_is_choice(m.sim, 0) && !mech_sim_output_is_choice(m.sim, 4) &&
          mech_sim_output_is_choice(m.sim, 5));
    motion_free(&m);
    /* dropped on all feet, where friction gives its impulse, and stops there by the same friction */
    if (!motion_read_with(&m, straight, dropped, 3)) return;
    motion_must_run(&m);
    const double t = hit / g, v = 5 - 0.3 * hit;
    CHECK_NEAR(motion_at(&m, 0.3, "x'"), v - slows * (0.3 - t), 1e-8);
    CHECK_NEAR(motion_end(&m, "x"), 5 * t + v * v / (2 * slows), 1e-8);
    motion_free(&m);
    /* turning about its middle: 0.3 g sqrt(2) m about it slow it down, its inertia is 2 */
    if (!motion_read(&m, turning)) return;
    motion_must_run(&m);
    CHECK_NEAR(motion_end(&m, "psi"), 9 / (0.3 * 98.1 * sqrt(2)), 1e-8);
    motion_free(&m);
    if (!motion_read_with(&m, straight, &other, 1)) return;
    CHECK(motion_run(&m) == MECH_ERR_NOT_UNIQUE &&
          motion_says(&m, "friction uses the reaction of foot[1]", "leastnorm"));
    motion_free(&m);
    if (!motion_read_with(&m, turning, &moves, 1)) return; /* each foot slides another way */
    CHECK(motion_run(&m) == MECH_ERR_NOT_UNIQUE && motion_says(&m, "friction uses the reaction of foot[1]", ""));
    motion_free(&m);
}

/* Between two stops that both touch: q'' is all rounding there, and presses on neither. x is free, and driven. */
static void pinched(void)
{
    motion m;
    if (!motion_read(&m, "coord x, y\nkinetic 0.774*x'^2 + 1.94*y'^2\npotential 7.24*x\n"
                         "potential 19.3*((x + 0.078)^2 + (y - 0.054)^2)\nforce 5.57*sin(8.16*t) on x'\n"
                         "constraint top: 0.474*y <= 0, restitution 0.5\nconstraint bottom: 1.87*y >= 0\n"
                         "initial x' = 0.0749\noutput T = reaction(top), B = reaction(bottom)\nsimulate until 2\n"))
        return;
    motion_must_run(&m);
    const double w = sqrt(38.6 / 1.548), D = 5.57 / 1.548 / (w * w - 8.16 * 8.16), C = -7.24 / 38.6 - 0.078,
                 B = (0.0749 - 8.16 * D) / w;
    CHECK_NEAR(motion_end(&m, "x"), C - C * cos(2 * w) + B * sin(2 * w) + D * sin(2 * 8.16), 1e-9);
    CHECK_NEAR(motion_end(&m, "T"), -38.6 * 0.054 / 0.474, 1e-9);
    CHECK_NEAR(motion_end(&m, "B"), 0, 1e-12);
    motion_free(&m);
    /* the same at an impact: a stays where it is */
    if (!motion_read(&m, "coord x, y, a\nkinetic 1.58*x'^2 + 0.62*y'^2 + 1.52*a'^2\npotential 1.46*y\n"
                         "potential 7.68*((x - 0.17)^2 + (y - 0.11)^2 + (a - 0.31)^2)\n"
                         "force -5.14*sin(8.97*t) on a'\nforce if(t < 0.905, 6.17, 5.01) on y'\n"
                         "constraint c0: 1.85*a <= 0\nconstraint c2: 0.317*a >= 0\n"
                         "constraint c3: -1.81*a - 0.913*x - 1.35*y >= -0.2343\n"
                         "initial x = 0, y = 0, y' = 0.841, a = 0, a' = -0.706\nsimulate until 2\n"))
        return;
    motion_must_run(&m);
    CHECK_NEAR(motion_end(&m, "a"), 0, 1e-10);
    CHECK(motion_count(&m, MECH_LOG_IMPACT) >= 2);
    motion_free(&m);
}

/* A block at rest on a rough floor is struck at t = 0.5: its speed, which friction held at 0, jumps to 3/4 of 2, and
   falls back to 0 after 1.5/(0.2 g). Of three directions two are met by each. */
static void struck_out_of_rest(void)
{
    static const struct {
        const char *way;
        size_t times;
    } asked[] = {{"rises", 1}, {"falls", 1}, {"crosses", 2}};
    for (size_t j = 0; j < 3; j++) {
        char text[600];
        motion m;
        snprintf(text, sizeof text,
                 "coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\npotential 9.81*y\nconstraint floor: y = 0\n"
                 "friction on floor: 0.2, along x'\nconstraint hit: x - z >= 0, restitution 0.5\n"
                 "initial z = -1, z' = 2\nevent a: x' %s through 0 -> record\nsimulate until 1.3\n",
                 asked[j].way);
        if (!motion_read(&m, text)) return;
        motion_must_run(&m);
        CHECK(motion_count(&m, MECH_LOG_EVENT) == asked[j].times);
        CHECK_NEAR(motion_when(&m, MECH_LOG_EVENT, 0), j == 1 ? 0.5 + 1.5 / (0.2 * 9.81) : 0.5, 1e-9);
        motion_free(&m);
    }
}

/* ---- a stop beside friction at rest ---- */

/* The note that a contact came or went by choice; NULL: there is none. */
static const char *open_note(const motion *m, const char *name, double *t)
{
    const char *found = NULL;
    for (size_t k = 0; k < mech_sim_log_count(m->sim); k++) {
        const mech_log_entry h = mech_sim_log_get(m->sim, k);
        if (h.kind != MECH_LOG_NOTE || !strstr(h.text, "one choice of many")) continue;
        CHECK(!found && h.name && strcmp(h.name, name) == 0);
        found = h.text;
        *t = h.t;
    }
    return found;
}

#define BLOCK(friction)                                                                                                \
    "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 10*y\nconstraint floor: y = 0\nconstraint stop: x <= 0\n"          \
    "friction on floor: " friction "\noutput a = active(stop), S = reaction(stop) + friction(floor), v = x'\n"

/* A block that p(t) pushes against a stop: R + F = p with R >= 0 and |F| <= 5. It moves where p < -5 alone, and the
   stop may be left at any p from 5 down to -5: how the block was pushed before says where the run does. */
static void stop_beside_friction(void)
{
    static const struct {
        const char *push;
        double first;
    } cases[] = {{"6 - 4*t", 6}, {"12 - 4*t", 12}, {"25 - 4*t", 25}};
    for (size_t k = 0; k < 3; k++) {
        const double leaves = (cases[k].first + 5) / 4;
        motion m;
        char text[600];
        double t = 0;
        snprintf(text, sizeof text,
                 BLOCK("0.5, along x'") "force %s on x'\n"
                                        "event lost: active(stop) falls through 1/2 -> record\n"
                                        "event away: x falls through -0.1 -> record\n"
                                        "measure T: time of lost\nmeasure U: time of away\nsimulate until %g\n",
                 cases[k].push, leaves + 2);
        if (!motion_read(&m, text)) return;
        motion_must_run(&m);
        const char *note = open_note(&m, "stop", &t);
        const double p = cases[k].first - 4 * t;
        CHECK(note && strstr(note, "stop is lost") && strstr(note, "friction on floor holds") &&
              strstr(note, "as event lost:"));
        CHECK(p <= 5 + 1e-9 && p >= -5 - 1e-9);
        CHECK_NEAR(motion_when(&m, MECH_LOG_RELEASE, 0), t, 0);
        CHECK(mech_sim_output_is_choice(m.sim, 0) && !mech_sim_output_is_choice(m.sim, 1) &&
              !mech_sim_output_is_choice(m.sim, 2));
        CHECK(mech_sim_measure_is_choice(m.sim, 0) && !mech_sim_measure_is_choice(m.sim, 1));
        char *account = mech_sim_audit_text(m.sim); /* no multiplier is in them */
        CHECK(account && strstr(account, "measure T looks at whether a constraint is active, which is not unique") &&
              strstr(account, "output a looks at whether a constraint is active, which is not unique") &&
              !strstr(account, "multipliers that are"));
        mech_text_free(account);
        /* x'' = p + 5 from there on */
        CHECK_NEAR(mech_sim_measure(m.sim, 1), leaves + cbrt(0.15), 1e-9);
        CHECK_NEAR(motion_end(&m, "x"), -16.0 / 3, 1e-9);
        motion_free(&m);
    }
}

/* The stop could bear some of p = 4 t from the start on; it has to from p = 5 on. */
static void pressed_beside_friction(void)
{
    motion m;
    double t = 0;
    if (!motion_read(&m, BLOCK("0.5, along x'") "force 4*t on x'\nsimulate until 2\n")) return;
    motion_must_run(&m);
    const char *note = open_note(&m, "stop", &t);
    CHECK(note && strstr(note, "stop begins") && t <= 1.25 + 1e-3);
    CHECK(mech_sim_output_is_choice(m.sim, 0) && !mech_sim_output_is_choice(m.sim, 2));
    motion_free(&m);
}

/* A table on four feet may share its load with (1, -1, 1, -1) more or less on them, so that one may be left while all
   could bear. By least norm R3 = 5 - 3 t/4 is 0 first. */
static void table_foot(void)
{
    motion m;
    double t = 0;
    if (!motion_read(&m,
                     "coord z, a, b\nkinetic (z'^2 + a'^2 + b'^2)/2\npotential 20*z\nforce -2*t on a'\nforce -t on b'\n"
                     "constraint l1: z + a + b >= 0\nconstraint l2: z - a + b >= 0\n"
                     "constraint l3: z - a - b >= 0\nconstraint l4: z + a - b >= 0\n"
                     "output on = active(l3)\nsimulate until 8\n"))
        return;
    motion_must_run(&m);
    const char *note = open_note(&m, "l3", &t);
    CHECK(note && strstr(note, "leave one of them out") && mech_sim_output_is_choice(m.sim, 0));
    CHECK_NEAR(t, 20.0 / 3, 1e-9);
    motion_free(&m);
}

/* Nothing is open where a contact is left or met by the motion. */
static void nothing_is_open(void)
{
    static const char *const models[] = {
        /* no friction; friction that slides; two stops in one place, which are left together */
        BLOCK("0, along x'") "force 6 - 4*t on x'\nsimulate until 3\n",
        BLOCK("0.5, along y'") "force 6 - 4*t on x'\nsimulate until 3\n",
        BLOCK("0, along x'") "constraint other: x <= 0\nforce 6 - 4*t on x'\nsimulate until 3\n",
        /* met at a speed, and friction rests behind that */
        BLOCK("0.1, along x'") "force 6 on x'\ninitial x = -0.1, x' = 0.3\nsimulate until 1\n",
        /* at rest away from the stop, and leaving a floor */
        BLOCK("0.5, along x'") "force 4*sin(t) on x'\ninitial x = -0.1\nsimulate until 3\n",
        "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 10*y\nforce 5*t on y'\nconstraint floor: y >= 0\n"
        "friction on floor: 0.5, along x'\noutput a = active(floor)\nsimulate until 3\n"};
    for (size_t k = 0; k < sizeof models / sizeof *models; k++) {
        motion m;
        double t;
        if (!motion_read(&m, models[k])) return;
        motion_must_run(&m);
        CHECK(!open_note(&m, "", &t) && !mech_sim_output_is_choice(m.sim, 0));
        if (k < 3) CHECK_NEAR(motion_end(&m, "x"), -2.25, 1e-9); /* x'' = 6 - 4 t from t = 3/2 on */
        motion_free(&m);
    }
}

int main(void)
{
    stop_beside_friction();
    pressed_beside_friction();
    table_foot();
    nothing_is_open();
    struck_out_of_rest();
    oblique_ball();
    oblique_by_event();
    oblique_in_space();
    rough_block();
    cradle();
    painleve();
    bouncing_ball();
    all_methods();
    same_as_events();
    ladder();
    slack_cable();
    groove();
    rocking_block();
    driven_stops();
    one_way_clutch();
    belt_and_stop();
    table();
    vectors();
    changed_from_outside();
    corner();
    rows_at_a_kink();
    table_with_friction();
    pinched();
    return check_report();
}
