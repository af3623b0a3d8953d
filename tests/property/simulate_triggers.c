/* Triggers that steps could pass over: nested kinks, fast events, short slips and lifts, pulses. All methods, against
   closed forms. */
#include "support/motion.h"
#include "support/random_numbers.h"

#include "simulate/sim.h"

static const mech_method methods[] = {MECH_METHOD_RK8, MECH_METHOD_RK5, MECH_METHOD_BDF, MECH_METHOD_ADAMS,
                                      MECH_METHOD_IRK};

typedef struct expectation {
    const char *text, *column;
    double at_end;
    double events; /* NaN: any number */
} expectation;

/* An event whose trigger jumps: when it happens first, and how often. */
typedef struct jump {
    const char *event;
    double first, events;
} jump;

static void meets(const expectation *e)
{
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        motion m;
        if (!motion_read(&m, e->text)) return;
        CHECK(motion_derive(&m) == MECH_OK);
        motion_settings(&m, 1e-9);
        m.settings.method = methods[k];
        if (motion_may_run(&m)) {
            const int failures = check_failures;
            CHECK_NEAR(motion_end(&m, e->column), e->at_end, 2e-6);
            if (!isnan(e->events)) CHECK((double)mech_sim_info_get(m.sim).events == e->events);
            if (check_failures > failures) fprintf(stderr, "  by %s: %s\n", mech_method_word(methods[k]), e->text);
        }
        motion_free(&m);
    }
}

/* Where a function that rises from below 0 to above passes it. */
static double root(double (*f)(double), double low, double high)
{
    for (int i = 0; i < 100; i++) {
        const double middle = (low + high) / 2;
        if (f(middle) > 0) high = middle;
        else low = middle;
    }
    return (low + high) / 2;
}

/* A block that 1 + 2.1 sin t pulls begins to slip where that is 3.05, and stops where its speed, from a = 2.1 sin t -
   1.5, is 0 again. */
static double slip_start;
static double slip_speed(double t) { return -2.1 * (cos(t) - cos(slip_start)) - 1.5 * (t - slip_start); }
static double slip_braking(double t) { return -slip_speed(t); }
static double slip_way(double t)
{
    const double d = t - slip_start;
    return -2.1 * (sin(t) - sin(slip_start)) + 2.1 * cos(slip_start) * d - 0.75 * d * d;
}

/* F sin t lifts a body of weight 10 where it exceeds that; its height from there on. */
static double lift_start;
static double lift_height(double t)
{
    const double d = t - lift_start;
    return -12 * (sin(t) - sin(lift_start)) + 12 * cos(lift_start) * d - 5 * d * d - 1e-3;
}

static void closed_forms(void)
{
    const double pi = acos(-1.0), any = (double)NAN;
    slip_start = asin(2.05 / 2.1);
    /* once a turn, 16 times until 100 */
    const double slip = slip_way(root(slip_braking, slip_start + 0.5, slip_start + 3));
    lift_start = asin(10.0 / 12);
    const expectation all[] = {
        {"param m = 1, F = 3, w = 0.1\ncoord x\nkinetic m/2*x'^2\nforce if(abs(x - 5) < w, F, 0) on x'\ninitial x' = 1\nsimulate until 10\n",
         "x'", sqrt(1 + 12 * 0.1), any},
        {"coord x\nkinetic x'^2/2\nforce if(abs(t - 7.77) < 0.1, 1000, 0) on x'\nsimulate until 20\n", "x'", 200, any},
        {"coord x\nkinetic x'^2/2\nforce max(0, 0.1 - abs(abs(x - 5) - 1)) on x'\ninitial x' = 1\nsimulate until 12\n",
         "x'", sqrt(1 + 2 * 2 * 0.1 * 0.1), any},
        {"param m = 1, Ts = 0.02\ncoord x\nkinetic m*x'^2/2\nevent tick: sin(2*pi*t/Ts) rises through 0 -> record\nsimulate until 10\n",
         "x", 0, 500},
        {"coord x\nkinetic x'^2/2\nevent kick: sin(2*t) rises through 0 -> set x' = x' + 1\nsimulate until 100, points 3\n",
         "x'", 31, 31},
        {"coord x\nkinetic x'^2/2\ninput u = sin(2*t)\nevent kick: u rises through 0 -> set x' = x' + 1\nsimulate until 100, points 3\n",
         "x'", 31, 31},
        {"coord x, y\nkinetic (x'^2 + y'^2)/2\nforce if(sin(x) > 0.99, 1, 0) on y'\ninitial x' = 1\nsimulate until 100, points 3\n",
         "y'", 16 * 2 * acos(0.99), any},
        {"param c = 0.5\ncoord x\nkinetic x'^2/2\nforce max(0, sin(t) - c) on x'\nsimulate until 100, points 3\n", "x'",
         16 * (sqrt(3.0) - pi / 3), any},
        {"param m = 1, g = 10, F = 2.1, w = 1, mu = 0.25, mus = 0.305\ncoord x, y\nkinetic m/2*(x'^2 + y'^2)\npotential m*g*y\nconstraint floor: y = 0\n"
         "friction on floor: mu, along x', static mus\nforce 1 + F*sin(w*t) on x'\nsimulate until 100, points 11\n",
         "x", 16 * slip, any},
        {"coord y\nkinetic y'^2/2\npotential 10*y\nconstraint floor: y = 0\nforce 12*sin(t) on y'\noutput N = reaction(floor)\n"
         "event lift: N falls through 0 when active(floor) -> release floor, record\nevent top: y rises through 0.001 -> stop\nsimulate until 100\n",
         "t", root(lift_height, lift_start, lift_start + 0.5), 2},
        /* a reaction that is below 0 for a moment, where samples on either side only fall or only rise */
        {"coord x, y\nkinetic (x'^2 + y'^2)/2\nforce 5*((t - 0.5)^2 - 1e-4) on y'\nconstraint rail: y = 0\n"
         "event turn: lambda(rail) crosses through 0 -> record\ninitial x' = 20\nsimulate until 1\n",
         "x'", 20, 2},
        {"coord x, y\nkinetic (x'^2 + y'^2)/2\nforce 5*((t - 0.5)^2 - 1e-8) on y'\nconstraint rail: y = 0\n"
         "event turn: lambda(rail) crosses through 0 -> record\ninitial x' = 20\nsimulate until 2\n",
         "x'", 20, 2},
        /* it jumps at whole numbers, once at each */
        {"coord x\nkinetic x'^2/2\nevent turn: mod(x, 1) - 0.5 falls through 0 -> record\ninitial x = 0.2, x' = 20\n"
         "simulate until 10\n",
         "x", 200.2, 200},
        /* smooth, and as short as a ten thousandth of a step */
        {"coord x\nkinetic x'^2/2\nforce exp(-((t - 50)/0.01)^2) on x'\nsimulate until 100\n", "x'", 0.01 * sqrt(pi),
         any},
        {"coord x\nkinetic x'^2/2\nforce exp(-((t - 71.2345)/0.001)^2) on x'\nsimulate until 100\n", "x'",
         0.001 * sqrt(pi), any},
        {"coord x\nkinetic x'^2/2\ninput u = exp(-((t - 33.3)/0.005)^2)\nforce u on x'\nsimulate until 100\n", "x'",
         0.005 * sqrt(pi), any},
        /* three events and a kink at one instant: none is lost */
        {"state n: n' = 0\ncoord x\nkinetic x'^2/2\nforce if(x > 5, 1, 0) on x'\nevent a: x rises through 5 -> record\nevent b: 2*x - 10 rises through 0 -> record\n"
         "event c: t rises through 5 -> set n = n + 1\ninitial x' = 1\nsimulate until 10\n",
         "n", 1, 3},
        {"state n: n' = 0\ncoord x\nkinetic x'^2/2\nevent a: x rises through 5 -> record\nevent b: t rises through 5 + 1e-14 -> set n = n + 1\n"
         "initial x' = 1\nsimulate until 10\n",
         "n", 1, 2},
    };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) meets(&all[k]);
}

/* A force that exceeds friction for a moment twice a turn; samples at whole turns see nothing of it. */
static void short_slips(void)
{
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        motion m;
        if (!motion_read(
                &m,
                "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 10*y\nconstraint floor: y = 0\nfriction on floor: 0.3, along x'\n"
                "force 3.01*sin(2*pi*t) on x'\nsimulate until 100, points 11\n"))
            return;
        CHECK(motion_derive(&m) == MECH_OK);
        motion_settings(&m, 1e-9);
        m.settings.method = methods[k];
        if (motion_may_run(&m)) CHECK(motion_count(&m, MECH_LOG_SLIP) == 200);
        motion_free(&m);
    }
}

/* A pendulum whose pivot moves as |sin t|: at t = 0 it sets out at full speed, and no slope of abs is there. Angle by
   the classical method. */
static void start_on_a_kink(void)
{
    static const char *const ways[] = {"project", "excess", "none"};
    for (size_t k = 0; k < 3; k++) {
        motion m;
        char text[300];
        snprintf(
            text, sizeof text,
            "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint c: (x - abs(sin(t)))^2 + y^2 = 1\ninitial x = 0.6\nguess y = -0.8\n"
            "stabilize %s\nsimulate until 1, points 3\n",
            ways[k]);
        if (!motion_read(&m, text)) return;
        motion_must_run(&m);
        /* the least velocity that the moving pivot allows turns it at rate -0.8: x' = 1 + cos(a) a' with sin a = 0.6,
           cos a = 0.8 */
        double a = asin(0.6), w = -0.8;
        const double h = 1e-5;
        for (int i = 0; i < 100000; i++) {
            double ka[4], kw[4];
            for (int j = 0; j < 4; j++) {
                const double part = j == 0 ? 0 : j == 3 ? 1 : 0.5;
                const double t = (i + part) * h, at = a + (j ? part * h * ka[j - 1] : 0),
                             wt = w + (j ? part * h * kw[j - 1] : 0);
                ka[j] = wt;
                kw[j] = -9.81 * sin(at) + sin(t) * cos(at);
            }
            a += h / 6 * (ka[0] + 2 * ka[1] + 2 * ka[2] + ka[3]);
            w += h / 6 * (kw[0] + 2 * kw[1] + 2 * kw[2] + kw[3]);
        }
        CHECK_NEAR(motion_end(&m, "x"), sin(1.0) + sin(a), 1e-8);
        CHECK_NEAR(motion_end(&m, "y"), -cos(a), 1e-8);
        CHECK_NEAR(motion_end(&m, "x'"), cos(1.0) + cos(a) * w, 1e-7);
        motion_free(&m);
    }
}

/* With a resolution that is no help some of these runs go wrong: then they say so. (Of reactions samples alone tell:
   there this is not promised.) */
static void weakened(void)
{
    static const expectation all[] = {
        {"coord x\nkinetic x'^2/2\nforce if(abs(x - 5) < 0.1, 3, 0) on x'\ninitial x' = 1\nsimulate until 10\n", "x'",
         1.4832396974191326, 0},
        {"coord x\nkinetic x'^2/2\nforce if(abs(x - 50) < 0.01, 3, 0) on x'\ninitial x' = 1\nsimulate until 80\n", "x'",
         1.0583005244258363, 0},
        {"coord x, y\nkinetic (x'^2 + y'^2)/2\nforce if(sin(x) > 0.99, 1, 0) on y'\ninitial x' = 1\nsimulate until 100\n",
         "y'", 4.529263146385307, 0},
        {"coord x\nkinetic x'^2/2\nevent kick: sin(2*t) rises through 0 -> set x' = x' + 1\nsimulate until 100\n", "x'",
         31, 0},
    };
    size_t wrong = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
            motion m;
            if (!motion_read(&m, all[i].text)) return;
            CHECK(motion_derive(&m) == MECH_OK);
            motion_settings(&m, 1e-9);
            m.settings.method = methods[k];
            m.settings.resolution = 1e9;
            if (motion_may_run(&m)) {
                const int is_right = fabs(motion_end(&m, all[i].column) - all[i].at_end) < 1e-5;
                CHECK(is_right || *mech_sim_warning(m.sim));
                if (!is_right && !*mech_sim_warning(m.sim))
                    fprintf(stderr, "  %s, %.10g: %s\n", mech_method_word(methods[k]), motion_end(&m, all[i].column),
                            all[i].text);
                wrong += !is_right;
            }
            motion_free(&m);
        }
    CHECK(wrong > 0); /* else nothing was tried */
}

/* No wolf: what changes the energy is the clock alone, and the motion has no error; rows between steps have the
   interpolant's. */
static void no_wolf(void)
{
    static const char *const texts[] = {
        "coord x\nkinetic x'^2/2\npotential sin(exp(-t^2))\ninitial x' = 1\nsimulate from 1 until 1.5\n",
        "examples/hoop-on-cylinder/model-least-effort.mech"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
            motion m;
            if (!motion_read(&m, texts[i])) return;
            CHECK(motion_derive(&m) == MECH_OK);
            motion_settings(&m, 1e-9);
            m.settings.output_points = 81;
            m.settings.method = methods[k];
            if (motion_may_run(&m)) CHECK_TEXT(mech_sim_warning(m.sim), "");
            motion_free(&m);
        }
}

/* The judge itself: silent on a run as it is; an account that misses by a thousandth is told. */
static void judge(void)
{
    motion m;
    if (!motion_read(
            &m,
            "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint rod: x^2 + y^2 = 1\ninitial x = 1\nsimulate until 5\n"))
        return;
    motion_must_run(&m);
    CHECK_TEXT(mech_sim_warning(m.sim), "");
    const double balance = m.sim->audit.judge.most_balance, phi = m.sim->audit.judge.most_phi;
    m.sim->audit.judge.most_balance = 1e-3;
    sim_judge_close(m.sim);
    CHECK(strstr(mech_sim_warning(m.sim), "the energy balance misses by 0.001") != NULL);
    m.sim->audit.judge.most_balance = balance;
    m.sim->audit.judge.most_phi = 1e-3;
    sim_judge_close(m.sim);
    CHECK(strstr(mech_sim_warning(m.sim), "the constraints are missed by 0.001") != NULL);
    m.sim->audit.judge.most_phi = phi;
    const double shown = m.sim->info.balance_error;
    m.sim->info.balance_error = 0.1;
    sim_judge_close(m.sim);
    CHECK(strstr(mech_sim_warning(m.sim), "the energy balance of rows between steps misses by 0.1") != NULL);
    m.sim->info.balance_error = shown;
    sim_judge_close(m.sim);
    CHECK_TEXT(mech_sim_warning(m.sim), "");
    motion_free(&m);
}

/* A trigger that jumps over its threshold, by time or by place, happens there and once: x' = 1 until x = 1.2345, then
   3; a lock that opens at t = 1. */
static void jumping_triggers(void)
{
    static const char *const triggers[] = {"if(x < 1.2345, -1, 5)",         "if(x < 1.2345, -1/1000, 5)",
                                           "if(x < 1.2345, -5, 1/1000000)", "if(x < 1.2345, x - 3, 1)",
                                           "sign(x - 1.2345) + 0.2",        "if(t < 1.2345, 0, 1) - 1/2"};
    for (size_t i = 0; i < sizeof triggers / sizeof *triggers; i++)
        for (size_t j = 0; j < sizeof methods / sizeof *methods; j++) {
            char text[400];
            motion m;
            snprintf(text, sizeof text,
                     "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 5*y^2\ninitial x' = 1, y = 1\n"
                     "event e: %s rises through 0 -> set x' = 3\nsimulate until 3\n",
                     triggers[i]);
            if (!motion_read(&m, text)) return;
            m.settings.method = methods[j];
            const mech_status status = motion_run(&m);
            CHECK(status == MECH_OK || status == MECH_ERR_UNSUPPORTED);
            if (status == MECH_OK) {
                CHECK(motion_count(&m, MECH_LOG_EVENT) == 1);
                CHECK_NEAR(motion_when(&m, MECH_LOG_EVENT, 0), 1.2345, 1e-9);
                CHECK_NEAR(motion_end(&m, "x"), 1.2345 + 3 * (3 - 1.2345), 1e-8);
            }
            motion_free(&m);
        }
    motion m;
    if (!motion_read(&m, "coord x\nkinetic x'^2/2\ninput go = if(t < 1, 0, 1)\nconstraint lock: x = 0\nforce 2 on x'\n"
                         "event unlock: go rises through 1/2 -> release lock\nsimulate until 2\n"))
        return;
    motion_must_run(&m);
    CHECK(motion_count(&m, MECH_LOG_EVENT) == 1);
    CHECK_NEAR(motion_end(&m, "x"), 1, 1e-9);
    CHECK_NEAR(motion_end(&m, "x'"), 2, 1e-9);
    motion_free(&m);
}

/* Jumps that begin or end on the threshold cross it there, in their own direction alone, and by place as by time: x =
   t, and at t >= 5 what counts is 1 more. A run of 600 is looked at in stretches of 6e-4. */
static void jumps_onto_and_off_thresholds(void)
{
    static const jump cases[] = {
        {"if(t < 5, 0, 1) rises through 1", 5, 1},
        {"if(t < 5, 0, 1) rises through 0", 5, 1},
        {"if(t < 5, 0, 1) crosses through 0", 5, 1},
        {"if(t < 5, 0, 1) falls through 1", NAN, 0},
        {"if(t < 5, 0, 1) falls through 0", NAN, 0},
        {"if(x < 5, 1, 0) falls through 1", 5, 1},
        {"if(x < 5, 1, 0) falls through 0", 5, 1},
        {"if(x < 5, 1, 0) rises through 0", NAN, 0},
        {"(x > 5) rises through 0", 5, 1},
        {"(x > 5) rises through 1", 5, 1},
        {"(x > 5) falls through 1", NAN, 0},
        {"sign(x - 5) rises through -1", 5, 1},
        {"sign(x - 5) rises through 0", 5, 1},
        {"sign(x - 5) rises through 1", 5, 1},
        {"floor(x/5) rises through 3", 15, 2}, /* onto it, and off it at 20 */
        {"floor(x/5) falls through 3", NAN, 0},
        {"floor(x/5) rises through 3 when t > 17", 20, 1},
        {"(x > 0) rises through 0", NAN, 0},                 /* it begins there */
        {"max(x - 5, 0) + (x > 7) rises through 0", NAN, 0}, /* it leaves 0 without a jump */
        {"(x'' > 0) rises through 0", 50, 1},
        {"(x'' > 0) falls through 0", 60, 1},
        {"(x'' > 0) rises through 1", 50, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
            char text[300];
            motion m;
            snprintf(text, sizeof text,
                     "coord x, y\nkinetic (x'^2 + y'^2)/2\nforce max(0, 1 - abs(t - 55)/5) on x'\n"
                     "event c: %s -> set y' = y' + 1\ninitial x' = 1\nsimulate until 600\n",
                     cases[i].event);
            if (!motion_read(&m, text)) return;
            m.settings.method = methods[k];
            const mech_status status = motion_run(&m);
            CHECK(status == MECH_OK || status == MECH_ERR_UNSUPPORTED);
            if (status == MECH_OK) {
                const int failures = check_failures;
                CHECK_TEXT(mech_sim_warning(m.sim), "");
                CHECK_NEAR(motion_end(&m, "y'"), cases[i].events, 1e-9);
                if (cases[i].events > 0) CHECK_NEAR(motion_when(&m, MECH_LOG_EVENT, 0), cases[i].first, 1e-8);
                if (check_failures > failures)
                    fprintf(stderr, "  %s by %s\n", cases[i].event, mech_method_word(methods[k]));
            }
            motion_free(&m);
        }
}

/* What stands exactly on a kink and does not move crosses nothing: counters, and a body at rest. n = 1, 2, ... from t =
   0, 1, ... on; x' is the sum of what the force was. */
static void standing_on_kinks(void)
{
    static const expectation cases[] = {
        {"coord x\nkinetic x'^2/2\nsampled n = 0\nevery 1 { set n = n + 1 }\nforce floor(n/2) on x'\nsimulate until 6\n",
         "x'", 0 + 1 + 1 + 2 + 2 + 3, 0},
        {"coord x\nkinetic x'^2/2\nsampled n = 0\nevery 1 { set n = n + 1 }\nforce mod(n, 3) on x'\nsimulate until 6\n",
         "x'", 1 + 2 + 0 + 1 + 2 + 0, 0},
        {"coord x\nkinetic x'^2/2\nstate c: c' = 0\nevent up: sin(2*pi*t) rises through 0.5 -> set c = c + 1\n"
         "force floor(c) on x'\nsimulate until 3\n",
         "x'", 1 + 2 + 3 * 11.0 / 12, 3},
        {"coord x\nkinetic x'^2/2\nsampled n = 0\nevery 1 { set n = n + 1 }\n"
         "event over: (n > 2) rises through 0.5 -> set x' = 1\nsimulate until 6\n",
         "x", 4, 1},
        {"coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint floor: y >= 2\ninitial y = 2\n"
         "force floor(y) on x'\nsimulate until 3\n",
         "x", 9, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) meets(&cases[i]);
}

/* What is 0 for a while as the motion goes on is on no side, however widely it is bounded: a dead zone, which x leaves
   at t = 1.7 and comes back to half a turn later. */
static void dead_zones(void)
{
    static const double pi = 3.14159265358979324;
    const expectation cases[] = {
        {"coord x\nkinetic x'^2/2\nforce -abs(x - clamp(x, -2, 2)) on x'\ninitial x = 0.3, x' = 1\nsimulate until 5, resolution 1e-3\n",
         "x", 2 - (3.3 - pi), 0},
        {"coord x\nkinetic x'^2/2\nforce -floor(x - clamp(x, -1, 1)) on x'\ninitial x = 0.3, x' = 1\n"
         "simulate until 2, resolution 1e-3\n",
         "x'", 0.7, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) meets(&cases[i]);
}

/* Triggers of inputs, by points and by a function of time: each turn of a fast sine of them is met. */
static void triggers_of_inputs(void)
{
    static const expectation cases[] = {
        /* u rises from 0 to 1 and falls back: 20 turns each way, a rise in each */
        {"input u = file \"tests/support/hat.csv\" column \"u\"\ncoord x\nkinetic x'^2/2\nstate n: n' = 0\n"
         "event turn: sin(40*pi*u - 1) rises through 0 -> set n = n + 1\nsimulate until 4\n",
         "n", 40, 40},
        {"input u = sin(100*pi*t)\ncoord x\nkinetic x'^2/2\nstate n: n' = 0\n"
         "event turn: u rises through 0.5 -> set n = n + 1\nsimulate until 1\n",
         "n", 50, 50},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) meets(&cases[i]);
}

/* A trigger that jumps over its threshold in the direction that is not asked for, or while its condition does not hold,
   is resolved: no alarm. One that jumps there and back within less than the resolution is not. */
static void jumps_that_set_nothing_off(void)
{
    static const jump cases[] = {
        {"if(t > 1 and t < 2, 1, 0) rises through 1/2", 1, 1},
        {"if(t > 1 and t < 2, 1, 0) falls through 1/2", 2, 1},
        {"if(sin(t) > 0.5, 1, 0) rises through 1/2", 0.52359877559829887, 2},
        {"if(x > 0.5, 1, 0) rises through 1/2", 0.52359877559829887, 2},
        {"sign(x - 0.5) rises through 1/2", 0.52359877559829887, 2},
        {"sign(x - 0.5) crosses through 1/2 when t > 5", 6.8067840827778849, 2},
        {"if(x'' > 0.5, 1, 0) rises through 1/2", 3.6651914291880923, 2},
        {"if(sin(40*t) > 0.999, 1, 0) rises through 1/2", 0.038151780990654076, 64},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
            char text[300];
            motion m;
            snprintf(
                text, sizeof text,
                "coord x\nkinetic x'^2/2\npotential x^2/2\nevent c: %s -> record\ninitial x' = 1\nsimulate until 10\n",
                cases[i].event);
            if (!motion_read(&m, text)) return;
            CHECK(motion_derive(&m) == MECH_OK);
            motion_settings(&m, 1e-9);
            m.settings.method = methods[k];
            if (motion_may_run(&m)) {
                CHECK_TEXT(mech_sim_warning(m.sim), "");
                CHECK_NEAR(motion_when(&m, MECH_LOG_EVENT, 0), cases[i].first, 1e-7);
                if ((double)mech_sim_info_get(m.sim).events != cases[i].events || *mech_sim_warning(m.sim))
                    fprintf(stderr, "  %s by %s: %zu\n", cases[i].event, mech_method_word(methods[k]),
                            mech_sim_info_get(m.sim).events);
                CHECK((double)mech_sim_info_get(m.sim).events == cases[i].events);
            }
            motion_free(&m);
        }
    motion m;
    if (!motion_read(
            &m,
            "coord x\nkinetic x'^2/2\nevent c: if(abs(t - 7.77) < 1e-7 or t > 7.770002, 0, 1) rises through 1/2 -> record\n"
            "initial x' = 1\nsimulate until 10\n"))
        return;
    motion_must_run(&m);
    CHECK(motion_count(&m, MECH_LOG_EVENT) == 1 || *mech_sim_warning(m.sim));
    motion_free(&m);
}

/* Crossings that set nothing off, by their direction or their condition, in the step that another event ends before
   them: they have not been passed yet. Neither event may act as if they had. */
static void passages_to_come(void)
{
    static const expectation cases[] = {
        {"coord x\nkinetic x'^2/2\nevent down: x falls through 0.5 -> set x' = 7\nevent near: x rises through 0.4 -> record\n"
         "initial x' = 1\nsimulate until 1\n",
         "x", 1, 1},
        /* turned back at 0.45, before 0.5: it falls through 0.4 and 0.3 alone */
        {"coord x\nkinetic x'^2/2\nstate n: n' = 0\nevent down: x falls through 0.5 -> set n = n + 100\nevent low: x falls through 0.3 -> set n = n + 1\n"
         "event turn: x rises through 0.45 -> set x' = -1\ninitial x' = 1\nsimulate until 0.8\n",
         "n", 1, 2},
        /* b = -0.597 cosh(2t) - 0.1875 sinh(2t) passes -0.712 at t = 0.1205, when c = 0.073 - 0.797 t is below 0 */
        {"coord c, x, b\nkinetic c'^2 + x'^2 + b'^2\npotential -4*b^2\ninitial c = 0.073, c' = -0.797, b = -0.597, b' = -0.375\n"
         "constraint latch: x = 0.924\nevent hold: b crosses through -0.743 when not c < 0 -> impose latch\n"
         "constraint clutch: c = -0.09\nevent grab: b crosses through -0.712 when t < 0.3 or c > 0 -> impose clutch\nsimulate until 1\n",
         "x", 0, 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) meets(&cases[i]);
}

/* On a curved constraint the end of a step is projected, which moves triggers by the error of the step, to either side:
   an event acts once all the same. A pendulum from x = 0.9: 18 times through 0.3, 18 times through -0.3, 36 times y'
   through 0.5 within 20 s (by another program). */
static void once_each(void)
{
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++)
        for (double rtol = 1e-4; rtol > 1e-9; rtol *= 0.1) {
            motion m;
            if (!motion_read(
                    &m,
                    "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint rod: x^2 + y^2 = 1\nstate n: n' = 0\n"
                    "event tick: x crosses through 0.3 -> set n = n + 1\nevent tock: x crosses through -0.3 -> set n = n + 1\n"
                    "event fast: y' crosses through 0.5 -> set n = n + 100\ninitial x = 0.9\nguess y = -0.4\nsimulate until 20\n"))
                return;
            CHECK(motion_derive(&m) == MECH_OK);
            motion_settings(&m, rtol);
            m.settings.method = methods[k];
            if (motion_may_run(&m)) CHECK_NEAR(motion_end(&m, "n"), 3636, 1e-9);
            motion_free(&m);
        }
}

/* A pulse beside an extremum: cos(t) passes -0.99999999 where its slope is 1.4e-4, and is 0 to rounding for 1e-12. Two
   of them, each 2 w long, give 2 w 10000; with damping each dies away from its end on. */
static void flat_kinks(void)
{
    static const mech_method all[] = {MECH_METHOD_RK8, MECH_METHOD_RK5, MECH_METHOD_BDF, MECH_METHOD_ADAMS,
                                      MECH_METHOD_IRK};
    const double w = 3.14159265358979323846 - acos(-0.99999999), pi = 3.14159265358979323846;
    double damped = 0;
    for (int k = 1; k <= 3; k += 2) damped += 1e4 * (1 - exp(-2 * w)) * exp(-(10 - k * pi - w));
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (int damps = 0; damps < 2; damps++) {
            motion m;
            if (!motion_read(&m, damps ? "coord x\nkinetic x'^2/2\nforce if(cos(t) < -0.99999999, 10000, 0) - x' on x'"
                                       : "coord x\nkinetic x'^2/2\nforce if(cos(t) < -0.99999999, 10000, 0) on x'"))
                return;
            motion_settings(&m, 1e-8);
            m.settings.until = 10;
            m.settings.method = all[i];
            CHECK(motion_derive(&m) == MECH_OK);
            if (motion_may_run(&m)) CHECK_NEAR(motion_at(&m, 10, "x'"), damps ? damped : 4 * w * 1e4, 2e-6);
            motion_free(&m);
        }
}

/* A force that acts in short zones of the way, where long steps come by: F times their length is what they give. Stages
   that fall into a zone draw the interpolant of a step, by which kinks and events are found. */
static void zones(void)
{
    static const struct {
        const char *force;
        double count, part; /* zones, of height F there, or of that part of it in the mean */
    } kinds[] = {
        {"if(abs(x - a) < w, F, 0)", 1, 1},
        {"if(x > a - w and x < a + w, F, 0)", 1, 1},
        {"F*max(0, 1 - abs(x - a)/w)", 1, 0.5},
        {"if(abs(abs(x - a) - 0.3) < w, F, 0)", 2, 1},
        {"if(abs(mod(x, 1.25) - 0.6) < w, F, 0)", 8, 1},
        {"if(sin(2*pi*x) > cos(2*pi*w), F, 0)", 10, 1},
    };
    enum { KINDS = sizeof kinds / sizeof *kinds };
    for (size_t k = 0; k < 8 * KINDS; k++) {
        char text[500];
        const size_t kind = k % KINDS;
        const double F = pow(10, 1 + random_signed()), w = 0.04 + 0.03 * random_signed(), a = 5 + 4 * random_signed();
        snprintf(text, sizeof text,
                 "param F = %.17g, w = %.17g, a = %.17g\ncoord x\nkinetic x'^2/2\nforce %s on x'\ninitial x' = 1\n"
                 "event e: x rises through 10 -> stop\nsimulate until 40\n",
                 F, w, a, kinds[kind].force);
        meets(&(expectation){text, "x'", sqrt(1 + 2 * F * kinds[kind].count * 2 * w * kinds[kind].part), 1});
        /* and back from a wall, where it takes what it gave */
        if (kind >= 4) continue;
        snprintf(text, sizeof text,
                 "param F = %.17g, w = %.17g, a = %.17g\ncoord x\nkinetic x'^2/2\nforce %s on x'\ninitial x' = 1\n"
                 "constraint wall: x <= 12, restitution 1\nevent e: x falls through 0.1 -> stop\nsimulate until 60\n",
                 F, w, a, kinds[kind].force);
        meets(&(expectation){text, "x'", -1, 1});
    }
    /* what falls, and swings: by methods that begin anew at a kink */
    const double fast = sqrt(2 * 10 * 5 - 2 * 18.39 * 0.186);
    meets(&(expectation){"coord y\nkinetic y'^2/2\npotential 10*y\nforce if(abs(y + 2.496) < 0.093, 18.39, 0) on y'\n"
                         "event e: y falls through -5 -> stop\nsimulate until 60\n",
                         "y'", -fast, 1});
    const double gain = 2 * 3.51 * 0.002;
    meets(&(expectation){
        "coord a\nkinetic a'^2/2\npotential -9.81*cos(a)\nforce if(abs(a - 0.225) < 0.001, 3.51, 0) on a'\n"
        "initial a' = 6\nevent e: a rises through 1 -> stop\nsimulate until 4\n",
        "a'", sqrt(36 - 2 * 9.81 * (1 - cos(1)) + gain), 1});
    meets(&(expectation){"coord x\nkinetic x'^2/2\nforce if(x' > 0.5, -1, -168.02) on x'\ninitial x' = 1\n"
                         "event e: x' falls through 0.1 -> stop\nsimulate until 1\n",
                         "t", 0.5 + 0.4 / 168.02, 1});
}

int main(void)
{
    flat_kinks();
    once_each();
    jumps_that_set_nothing_off();
    jumps_onto_and_off_thresholds();
    standing_on_kinks();
    dead_zones();
    passages_to_come();
    triggers_of_inputs();
    jumping_triggers();
    weakened();
    no_wolf();
    judge();
    closed_forms();
    zones();
    short_slips();
    start_on_a_kink();
    motion_refused(
        "coord x\nkinetic x'^2/2\nevent many: sin(1/x) rises through 0 -> record\ninitial x = 1, x' = -1\nsimulate until 2\n",
        MECH_ERR_INTEGRATION, "event many is not resolved", "times in a row");
    return check_report();
}
