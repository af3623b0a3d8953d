/* Slopes that jump with the clock inside the energy of motion: dL/dv stays, and velocities jump. The driver is a hat: 0
   until 1, up to 1 at 2, down to 0 at 3. Motions in closed form. */
#include "support/motion.h"

static const mech_method methods[] = {MECH_METHOD_RK8, MECH_METHOD_RK5, MECH_METHOD_BDF, MECH_METHOD_ADAMS,
                                      MECH_METHOD_IRK};
enum { METHODS = sizeof methods / sizeof *methods };

/* The same hat in three ways, before a text that uses u. */
static const char *const hats[] = {"input u = file \"tests/support/hat.csv\" column \"u\"\n",
                                   "input u = max(0, min(t - 1, 3 - t))\n", "let u = max(0, min(t - 1, 3 - t))\n"};
enum { HATS = sizeof hats / sizeof *hats };

static double hat(double t) { return fmax(0, fmin(t - 1, 3 - t)); }
static double hat_slope(double t) { return t < 1 || t > 3 ? 0 : t < 2 ? 1 : -1; }

/* piece 0: whole; else cut by the caller, onto the corners too. */
static int go(motion *m, mech_method method, double piece)
{
    m->settings.method = method;
    m->settings.until = 4;
    m->settings.output_points = 81;
    if (piece == 0) return motion_may_run(m);
    CHECK(mech_sim_create(m->system, &m->settings, &m->sim) == MECH_OK);
    mech_status status = mech_sim_start(m->sim);
    if (!motion_has_method(m, status)) return 0;
    for (double t = piece; status == MECH_OK && t <= 4; t += piece) status = mech_sim_advance(m->sim, t);
    CHECK(status == MECH_OK);
    return status == MECH_OK;
}

static int read_hat(motion *m, size_t k, const char *text)
{
    char whole[1000];
    snprintf(whole, sizeof whole, "%s%s", hats[k], text);
    const int reads = motion_read(m, whole);
    if (reads) CHECK(motion_derive(m) == MECH_OK);
    return reads;
}

/* Nothing is missed: neither by the judge nor in any row. */
static void is_balanced(const motion *m)
{
    CHECK(mech_sim_warning(m->sim)[0] == 0);
    CHECK(mech_sim_info_get(m->sim).balance_error <= 1e-8);
}

/* x' + u' is kept at 0; beside it y, tied by x = 2 y, with three times the mass: 7 y' + 2 u' is; and a term of u' alone
   changes nothing. */
static void shaken_bases(void)
{
    static const double pieces[] = {0, 1, 0.5, 0.25};
    for (size_t k = 0; k < HATS; k++)
        for (size_t i = 0; i < METHODS; i++)
            for (int tied = 0; tied < 2; tied++) {
                motion m;
                if (!read_hat(&m, k,
                              tied ? "coord x, y\nkinetic (x + u)'^2/2 + 3*y'^2/2 + u'^2\nconstraint tie: x = 2*y\n"
                                   : "coord x\nkinetic (x + u)'^2/2 + u'^2\n"))
                    return;
                const double part = tied ? -4.0 / 7 : -1;
                if (go(&m, methods[i], pieces[(i + k) % 4])) {
                    for (double t = 0.5; t < 4; t += 1) {
                        CHECK_NEAR(motion_at(&m, t, "x"), part * hat(t), 1e-9);
                        CHECK_NEAR(motion_at(&m, t, "x'"), part * hat_slope(t), 1e-9);
                        if (tied) CHECK_NEAR(motion_at(&m, t, "y'"), part / 2 * hat_slope(t), 1e-9);
                    }
                    is_balanced(&m);
                }
                motion_free(&m);
            }
}

/* A pendulum on the base: by the energy, or with the base as a coordinate that a constraint drives. */
static void pendulum_on_a_base(void)
{
    static const char *const texts[] = {"coord theta\nlet y = u\n", "coord theta, y\nconstraint base: y = u\n"};
    for (size_t k = 0; k < HATS; k++) {
        motion m[2];
        int runs = 1;
        for (int i = 0; i < 2; i++) {
            char text[500];
            snprintf(
                text, sizeof text,
                "%slet X = [y + sin(theta), -cos(theta)]\nkinetic dot(X', X')/2\npotential -9.81*cos(theta)\ninitial theta = 0.5\n",
                texts[i]);
            runs = read_hat(&m[i], k, text) && runs;
            runs = runs && go(&m[i], MECH_METHOD_RK8, 0);
        }
        for (double t = 0.25; runs && t <= 4; t += 0.5) {
            CHECK_NEAR(motion_at(&m[0], t, "theta"), motion_at(&m[1], t, "theta"), 1e-9);
            CHECK_NEAR(motion_at(&m[0], t, "theta'"), motion_at(&m[1], t, "theta'"), 1e-9);
        }
        if (runs) is_balanced(&m[0]);
        motion_free(&m[0]);
        motion_free(&m[1]);
    }
}

/* (m v)' = 0 by Lagrange's equation, while a mass that is given directly changes nothing: v stays. A potential that is
   switched on does work. A mass of a state that passes a threshold. */
static void masses_that_jump(void)
{
    static const struct {
        const char *text;
        double x, v;
    } cases[] = {
        {"coord x\nkinetic if(t < 1, 1, 2)*x'^2/2\ninitial x' = 1\n", 1 + 1.5, 0.5},
        {"coord x\nmass x = if(t < 1, 1, 2)\ninitial x' = 1\n", 4, 1},
        {"coord x\nkinetic x'^2/2\npotential if(t < 1, 0, 3*x)\ninitial x' = 1\n", 4 - 13.5, 1 - 9},
        {"coord x\nstate z: z' = 1\nkinetic if(z < 1, 1, 2)*x'^2/2\ninitial x' = 1\n", 1 + 1.5, 0.5},
        {"coord x, c\nkinetic (x + abs(t - 1))'^2/2 + c'^2/2\nconstraint drive: c = abs(t - 1)\ninitial x' = 1\nevent tick: t rises through 1 -> record\n",
         1 - 3, -1},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (size_t i = 0; i < METHODS; i++) {
            motion m;
            if (!motion_read(&m, cases[k].text)) return;
            CHECK(motion_derive(&m) == MECH_OK);
            if (go(&m, methods[i], i % 2 ? 0.5 : 0)) {
                CHECK_NEAR(motion_end(&m, "x"), cases[k].x, 1e-7);
                CHECK_NEAR(motion_end(&m, "x'"), cases[k].v, 1e-7);
                CHECK(mech_sim_warning(m.sim)[0] == 0);
            }
            motion_free(&m);
        }
}

/* A block that fell onto a floor, seen from the floor: one that jerks up presses, and the block stays; one that falls
   away at speed 1 is left. */
static void floor_that_jerks(void)
{
    for (int up = 0; up < 2; up++) {
        char text[500];
        motion m;
        snprintf(
            text, sizeof text,
            "coord y\nlet u = %s*max(0, t - 2)\nkinetic (y + u)'^2/2\npotential 10*(y + u)\nconstraint floor: y = 0\n"
            "event hit: y falls through 0 -> impact floor restitution 0\ninitial y = 0.05\n",
            up ? "1" : "-1");
        if (!motion_read(&m, text)) return;
        if (go(&m, MECH_METHOD_RK8, 0)) {
            CHECK_NEAR(motion_at(&m, 1.9, "y"), 0, 1e-12);
            CHECK_NEAR(motion_at(&m, 2.1, "y"), up ? 0 : 0.1 - 0.05, 1e-9); /* t - 5 t^2 from then on */
            CHECK_NEAR(motion_end(&m, "y"), 0, 1e-9);
            CHECK(motion_count(&m, MECH_LOG_RELEASE) == (up ? 0 : 1));
            CHECK(mech_sim_warning(m.sim)[0] == 0);
        }
        motion_free(&m);
    }
}

/* The caller sets the slope of an input between two advances. */
static void caller_sets_a_slope(void)
{
    motion m;
    if (!motion_read(&m, "input u = 0\ncoord x\nkinetic (x + u)'^2/2\n")) return;
    m.settings.until = 3;
    CHECK(mech_sim_create(m.system, &m.settings, &m.sim) == MECH_OK && mech_sim_start(m.sim) == MECH_OK);
    for (int k = 1; k <= 3; k++) {
        const double slope = k == 2 ? 1 : 0;
        CHECK(mech_eval_set_input(mech_sim_eval(m.sim), 0, 0, slope, 0) == MECH_OK);
        CHECK(mech_sim_advance(m.sim, k) == MECH_OK);
        CHECK_NEAR(motion_end(&m, "x'"), -slope, 1e-12);
    }
    CHECK_NEAR(motion_end(&m, "x"), -1, 1e-10);
    motion_free(&m);
}

/* An input that jumps where only its slope is shown: 0 on both sides, which leaves the jump out. That is said once. */
static void slopes_that_are_shown(void)
{
    static const struct {
        const char *text;
        size_t notes;
    } cases[] = {
        {"input u = if(t < 1, 0, 1)\nmeasure m: mean of u'\n", 1},
        {"input u = floor(2*t)\noutput s = 3*u'\n", 1},
        {"input u = if(t < 1, 0, 1)\nevent e: u' rises through 7 -> record\n", 1},
        {"input u = if(t < 1, 0, 1)\nsampled s = 0\nevery 0.3 { set s = u' }\n", 1},
        {"input u = if(t < 1, 0, 1)\noutput s = delay(u', 0.5)\n", 1},
        {"input u = file \"tests/support/hat.csv\" column \"u\" held\noutput s = u'\n", 1},
        {"input u = file \"tests/support/hat.csv\" column \"u\" held\noutput s = (floor(u))'\n", 1},
        {"input u = file \"tests/support/hat.csv\" column \"u\"\noutput s = u', r = u''\n", 1},
        {"input u = file \"tests/support/hat.csv\" column \"u\"\noutput s = u'\n", 0},
        {"input u = if(t < 1, 0, 1)\noutput s = u\nforce u on x'\n", 0},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        char text[300];
        size_t notes = 0;
        motion m;
        snprintf(text, sizeof text, "coord x\nkinetic x'^2/2\n%ssimulate until 3.5\n", cases[c].text);
        if (!motion_read(&m, text)) return;
        m.settings.until = 3.5;
        motion_must_run(&m);
        for (size_t i = 0; i < mech_sim_log_count(m.sim); i++)
            notes += mech_sim_log_get(m.sim, i).kind == MECH_LOG_NOTE;
        CHECK(notes == cases[c].notes);
        if (notes != cases[c].notes) printf("%s: %zu\n", cases[c].text, notes);
        motion_free(&m);
    }
}

/* A table that holds a mass: m v stays at its points, wherever the caller cuts. The hat, held: 1 + u is 1, then 2 from
   t = 2 to 3. */
static void mass_that_is_held(void)
{
    for (int cut = 0; cut < 2; cut++)
        for (size_t i = 0; i < METHODS; i++) {
            motion m;
            if (!motion_read(&m, "input u = file \"tests/support/hat.csv\" column \"u\" held\ncoord x\n"
                                 "kinetic (1 + u)*x'^2/2\ninitial x' = 1\n"))
                return;
            CHECK(motion_derive(&m) == MECH_OK);
            if (go(&m, methods[i], cut ? 0.5 : 0)) {
                CHECK_NEAR(motion_at(&m, 2.5, "x'"), 0.5, 1e-9);
                CHECK_NEAR(motion_end(&m, "x'"), 1, 1e-9);
                CHECK_NEAR(motion_end(&m, "x"), 2 + 0.5 + 1, 1e-8);
                CHECK(mech_sim_warning(m.sim)[0] == 0);
            }
            motion_free(&m);
        }
}

/* An input that the caller makes jump, while its slope is used: refused as the same jump in a text is. */
static int set_in_progress(void *user, double t, double from, double until)
{
    motion *m = user;
    (void)from, (void)until;
    if (t > 1) CHECK(mech_sim_set_input(m->sim, 0, 1) == MECH_OK);
    return 0;
}

static int look_at_progress(void *user, double t, double from, double until)
{
    (void)user, (void)t, (void)from, (void)until;
    return 0;
}

typedef enum set_way { BY_INPUT, BY_PARAM, BY_SIGNAL, IN_PROGRESS, SET_WAYS } set_way;

static void caller_sets_a_jump(void)
{
    static const char *const uses[] = {"kinetic (x + u)'^2/2\n", "kinetic x'^2/2\nforce u' on x'\n",
                                       "kinetic x'^2/2\nstate z: z' = u'\n", "kinetic x'^2/2\nconstraint c: x' = u'\n",
                                       "kinetic x'^2/2\nforce delay(u', 0.1) on x'\n"};
    for (size_t c = 0; c < sizeof uses / sizeof *uses; c++)
        for (int way = 0; way < SET_WAYS; way++) {
            char text[300];
            motion m;
            snprintf(text, sizeof text, "param p = 0\ninput u = p\ncoord x\n%s", uses[c]);
            if (!motion_read(&m, text)) return;
            m.settings.until = 3;
            m.settings.on_progress = way == IN_PROGRESS ? set_in_progress : c % 2 ? look_at_progress : NULL;
            m.settings.user = &m;
            m.settings.max_step = 0.3;
            CHECK(mech_sim_create(m.system, &m.settings, &m.sim) == MECH_OK && mech_sim_start(m.sim) == MECH_OK);
            /* before it moves, what is set is where it begins; the signal is 0 */
            if (way == BY_SIGNAL) CHECK(mech_sim_set_input(m.sim, 0, 1) == MECH_OK);
            CHECK(mech_sim_advance(m.sim, 1) == MECH_OK);
            if (way == BY_INPUT) CHECK(mech_sim_set_input(m.sim, 0, 1) == MECH_OK);
            if (way == BY_PARAM) CHECK(mech_sim_set_param(m.sim, 0, 1) == MECH_OK);
            if (way == BY_SIGNAL) CHECK(mech_eval_use_signal(mech_sim_eval(m.sim), 0) == MECH_OK);
            CHECK(mech_sim_advance(m.sim, 2) == MECH_ERR_MODEL);
            CHECK(motion_says(
                &m, way == BY_SIGNAL ? "input u jumps by -1, and its slope u'" : "input u jumps by 1, and its slope u'",
                "an impulse there that nothing gives"));
            CHECK(way == IN_PROGRESS || mech_sim_time(m.sim) == 1);
            CHECK_NEAR(mech_sim_v(m.sim)[0], 0, 1e-12);
            CHECK(mech_sim_reset(m.sim) == MECH_OK && mech_sim_start(m.sim) == MECH_OK);
            motion_free(&m);
        }
}

/* What does not jump is taken: the value that its signal has, a state that is put elsewhere beside it, and values with
   slopes that tell them. There x' + u' stays as it was, and u = t^2/2 is followed by tangents. */
static void caller_sets_no_jump(void)
{
    motion m;
    if (!motion_read(&m, "input u = sin(3*t)\ncoord x\nkinetic (x + u)'^2/2\noutput s = u'\n")) return;
    m.settings.until = 9;
    CHECK(mech_sim_create(m.system, &m.settings, &m.sim) == MECH_OK && mech_sim_start(m.sim) == MECH_OK);
    const double t = acos(-1.0);
    CHECK(mech_sim_advance(m.sim, t) == MECH_OK);
    CHECK_NEAR(mech_sim_v(m.sim)[0], 3 + 3, 1e-7); /* x' + 3 cos(3 t) = 3 */
    CHECK(mech_sim_set_input(m.sim, 0, 0) == MECH_OK);
    CHECK(mech_sim_advance(m.sim, 4) == MECH_OK);
    CHECK_NEAR(mech_sim_v(m.sim)[0], 3, 1e-7);
    CHECK(mech_sim_set_input(m.sim, 0, 2) == MECH_OK);
    CHECK(mech_sim_set_state(m.sim, (const double[]){-2}, (const double[]){5}, NULL) == MECH_OK);
    CHECK(mech_sim_advance(m.sim, 5) == MECH_OK);
    CHECK_NEAR(mech_sim_v(m.sim)[0], 5, 1e-12);
    for (int k = 0; k < 10; k++) {
        const double s = 0.1 * k;
        CHECK(mech_eval_set_input(mech_sim_eval(m.sim), 0, 2 + s * s / 2, s, 0) == MECH_OK);
        CHECK(mech_sim_advance(m.sim, 5 + s + 0.1) == MECH_OK);
        CHECK_NEAR(mech_sim_v(m.sim)[0], 5 - s, 1e-12);
    }
    CHECK(mech_sim_log_count(m.sim) == 0 || mech_sim_error_text(m.sim)[0] == 0);
    motion_free(&m);
}

/* What has no answer is refused, with the place: the slope of what jumps, an impulse in a force, a mass that jumps with
   the position. */
static void refusals(void)
{
    motion_refused("input u = if(t < 1, 0, 1)\ncoord x\nkinetic (x + u)'^2/2\nsimulate until 2", MECH_ERR_MODEL,
                   "input u jumps by 1", "t = 1");
    motion_refused(
        "input u = file \"tests/support/hat.csv\" column \"u\"\ncoord x\nkinetic x'^2/2\nforce u'' on x'\nsimulate until 2",
        MECH_ERR_MODEL, "input u' jumps by 1", "u''");
    motion_refused("input u = abs(t - 1)\ncoord x\nkinetic x'^2/2\nconstraint c: x'' = u''\nsimulate until 2",
                   MECH_ERR_MODEL, "input u' jumps by 2", "u''");
    /* one that is delayed; and at the same instant a kink of the motion */
    motion_refused("input u = if(t < 1, 0, 1)\ncoord x\nkinetic x'^2/2\nforce delay(u', 0.2) on x'\nsimulate until 2",
                   MECH_ERR_MODEL, "input u jumps by 1", "its slope u'");
    motion_refused("input u = if(t < 1, 0, 1)\ncoord x\nkinetic x'^2/2\nstate z: z' = u' + if(x < 1, 0, 1)\n"
                   "initial x' = 1\nsimulate until 2",
                   MECH_ERR_MODEL, "input u jumps by 1", "its slope u'");
    motion_refused("coord x\nkinetic if(x < 1, 1, 2)*x'^2/2\ninitial x' = 1\nsimulate until 2", MECH_ERR_MODEL,
                   "the momentum along x jumps by 1", "t = 1");
}

/* Onto a unit circle from (x0, y0) to the nearest point (cos a, sin a), with masses 1 and 4: there (cos a - x0) sin a =
   4 (sin a - y0) cos a. One that moves is given its impulse there: with T along the circle, what is left of the energy
   is (T.M v)^2/(2 T.M T). */
static void imposed(void)
{
    static const double from[][2] = {{1.5, 0.7}, {0.9, 0.6}, {2, 0.1}, {1.1, 1.3}, {0.8, 0.5}}, v[] = {0.3, -0.2};
    for (size_t k = 0; k < 2 * sizeof from / sizeof *from; k++) {
        const double *at = from[k / 2];
        double low = 0, high = acos(-1.0) / 2;
        const int moves = k % 2;
        char text[300];
        motion m;
        for (int i = 0; i < 60; i++) {
            const double a = (low + high) / 2;
            if (4 * (sin(a) - at[1]) * cos(a) < (cos(a) - at[0]) * sin(a)) low = a;
            else high = a;
        }
        snprintf(
            text, sizeof text,
            "coord x, y\nkinetic (x'^2 + 4*y'^2)/2\nconstraint ring: x^2 + y^2 = 1\nevent e: t rises through 0.1 -> impose ring\n"
            "initial x = %.17g, y = %.17g, x' = %g, y' = %g\nsimulate until 0.2\n",
            at[0] - 0.1 * moves * v[0], at[1] - 0.1 * moves * v[1], moves * v[0], moves * v[1]);
        if (!motion_read(&m, text)) return;
        motion_must_run(&m);
        const double c = cos(low), sn = sin(low), along = -sn * v[0] + 4 * c * v[1];
        if (moves) CHECK_NEAR(motion_end(&m, "equation.h"), along * along / (2 * (sn * sn + 4 * c * c)), 1e-10);
        else CHECK_NEAR(motion_end(&m, "x"), c, 1e-10);
        if (!moves) CHECK_NEAR(motion_end(&m, "y"), sn, 1e-10);
        motion_free(&m);
    }
}

/* A `set` elsewhere at the instant of an impact, or of rows that come into force, hides no event on velocities; a `set`
   of what the event looks at is no passage, nor is what the constraints then move. */
static void sets_beside_jumps(void)
{
    static const struct {
        const char *text;
        double count;
    } cases[] = {
        {"coord x, w\nkinetic (x'^2 + w'^2)/2\nstate z: z' = 0\nconstraint wall: x <= 0.5, restitution 1\n"
         "initial x' = 1\nevent b: x' falls through 0 -> set w' = 1\nevent e: t rises through 0.5 -> set z = 1\n"
         "measure n: count of b\nsimulate until 1\n",
         1},
        {"coord x, w\nkinetic (x'^2 + w'^2)/2\nstate z: z' = 0\nconstraint k: x' = w'\ninitial release k\n"
         "initial x' = 1\nevent a: t rises through 0.5 -> impose k, set z = 1\nevent b: x' falls through 0.7 -> record\n"
         "measure n: count of b\nsimulate until 1\n",
         1},
        {"coord y\nkinetic y'^2/2\npotential 10*y\nconstraint floor: y >= 0, restitution 0.5\nsampled n = 0\n"
         "initial y = 1\nevent a: y falls through 0 -> set n = n + 1\nevent b: y' rises through 0 -> record\n"
         "measure nb: count of b\nsimulate until 1\n",
         2}, /* impacts at sqrt(0.2) and 2 sqrt(0.2) */
        {"coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint rod: x^2 + y^2 = 1\ninitial x = 1, y = 0\n"
         "event a: t rises through 0.5 -> set x = 0, set y = -1, set x' = 0\nevent b: y falls through -0.5 -> record\n"
         "event c: x falls through 0.5 -> record\nmeasure nb: count of b\nsimulate until 1\n",
         0},
        {"coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint rod: x^2 + y^2 = 1\ninitial x = 1, y = 0\n"
         "event a: t rises through 0.5 -> set x = 0.6\nevent b: y crosses through 0.3 -> record\n"
         "event c: x falls through 0.8 -> record\nmeasure nc: count of c\nsimulate until 1\n",
         0},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        for (size_t i = 0; i < METHODS; i++) {
            motion m;
            if (!motion_read(&m, cases[k].text)) return;
            CHECK(motion_derive(&m) == MECH_OK);
            m.settings.method = methods[i];
            const int runs = motion_may_run(&m);
            if (runs) CHECK_NEAR(mech_sim_measure(m.sim, 0), cases[k].count, 0);
            if (runs && k == 0) CHECK_NEAR(motion_end(&m, "w"), 0.5, 1e-9);
            motion_free(&m);
        }
    }
}

/* A velocity that is set into a closed contact strikes it, with weight and without: it leaves with e times the speed.
 */
static void set_into_a_contact(void)
{
    static const char text[] = "param g = 10\ncoord y\nkinetic y'^2/2\npotential g*y\n"
                               "constraint f: y >= 0, restitution 0.5\ninitial y = 0\n"
                               "event a: t rises through 1 -> set y' = -2\nsimulate until 1.1\n";
    for (int weighs = 0; weighs < 2; weighs++) {
        motion m;
        if (!motion_read_with(&m, text, &(mech_override){.name = "g", .value = 10 * weighs}, 1)) return;
        motion_must_run(&m);
        CHECK_NEAR(motion_end(&m, "y"), 0.1 - 5 * weighs * 0.01, 1e-9);
        CHECK_NEAR(motion_end(&m, "y'"), 1 - weighs, 1e-9);
        CHECK_NEAR(mech_sim_info_get(m.sim).event_energy, 0.5, 1e-9); /* 2 by the set, less 1.5 by the impact */
        motion_free(&m);
    }
}

int main(void)
{
    imposed();
    sets_beside_jumps();
    set_into_a_contact();
    shaken_bases();
    pendulum_on_a_base();
    masses_that_jump();
    floor_that_jerks();
    caller_sets_a_slope();
    caller_sets_a_jump();
    caller_sets_no_jump();
    slopes_that_are_shown();
    mass_that_is_held();
    refusals();
    return check_report();
}
