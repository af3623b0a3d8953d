/* One-sided constraints that something sudden puts beyond: on velocities they are struck at once, whatever it was; on
   positions the run ends, or the floor falls away. And contacts in any unit. Against closed forms. */
#include "support/motion.h"

#include <math.h>

/* A run of a text, and what one of its columns ends with. */
static void ends(const char *text, const char *column, double value, double most)
{
    motion m;
    if (!motion_read(&m, text)) return;
    motion_must_run(&m);
    const double end = motion_end(&m, column);
    if (!(fabs(end - value) <= most)) fprintf(stderr, "%s ends at %.17g, not %.17g:\n%s", column, end, value, text);
    CHECK(fabs(end - value) <= most);
    CHECK_TEXT(mech_sim_warning(m.sim), "");
    motion_free(&m);
}

/* A wheel with a clutch to another one strikes a stop, speeds a >= b before it. In compression it comes to rest, and
   takes the other along if that goes on; the stop gives back e of its impulse, what would pass the clutch is shared.
   Equal masses: a' = b' = -e (a + b)/2 where b > 0, or (-e a + b)/2 where -e a < b <= 0, or -e a and b. */
static void clutch_and_stop(void)
{
    static const double cases[][4] = {{2, 1, -0.75, -0.75},
                                      {2, 0.5, -0.625, -0.625},
                                      {2, -0.5, -0.75, -0.75},
                                      {2, -1.5, -1, -1.5},
                                      {1, 1, -0.5, -0.5}};
    static const char *const stops[] = {
        "constraint stop: a <= 1, restitution 0.5\n",
        "constraint stop: a = 1\nevent hit: a rises through 1 -> impact stop restitution 0.5\n"};
    static const mech_method methods[] = {MECH_METHOD_RK8, MECH_METHOD_RK5, MECH_METHOD_MOREAU};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
        for (size_t way = 0; way < 6; way++) {
            const mech_method method = methods[way / 2];
            if (method == MECH_METHOD_MOREAU && way % 2) continue; /* it has no events */
            char text[400];
            motion m;
            snprintf(text, sizeof text,
                     "coord a, b\nkinetic (a'^2 + b'^2)/2\nconstraint clutch: a' >= b'\n%sinitial a' = %g, b' = %g\n"
                     "measure slip: min of a' - b'\nsimulate until 2\n",
                     stops[way % 2], cases[k][0], cases[k][1]);
            if (!motion_read(&m, text)) return;
            m.settings.method = method;
            if (method == MECH_METHOD_MOREAU) m.settings.max_step = 1e-3;
            motion_must_run(&m);
            CHECK_NEAR(motion_end(&m, "a'"), cases[k][2], 1e-12);
            CHECK_NEAR(motion_end(&m, "b'"), cases[k][3], 1e-12);
            if (method != MECH_METHOD_MOREAU) CHECK(mech_sim_measure(m.sim, 0) >= -1e-12);
            motion_free(&m);
        }
    /* what hardly slips answers as what does not */
    ends("coord a, b\nkinetic (a'^2 + b'^2)/2\nconstraint clutch: a' >= b'\nconstraint stop: a <= 1, restitution 0.5\n"
         "initial a' = 1, b' = 1 - 1e-7\nsimulate until 2\n",
         "b'", -0.5, 1e-7);
    /* a stop that drives: a' = -4 first, then both share that */
    ends("coord a, b\nkinetic (a'^2 + b'^2)/2\nconstraint clutch: a' >= b'\nconstraint stop: a <= 1, restitution 2\n"
         "initial a' = 2, b' = 1\nsimulate until 1\n",
         "b'", -1.5, 1e-12);
}

/* A heavy wheel behind a clutch and a stop that gives all back: no impact makes energy, and what slips is taken along.
   Both in compression to rest, and the whole impulse comes back: speeds -(a + m b)/(1 + m), less than there was. */
static void no_energy_is_made(void)
{
    for (double mass = 0.01; mass <= 100; mass *= 10) {
        char text[300];
        motion m;
        snprintf(text, sizeof text,
                 "coord a, b\nkinetic a'^2/2 + %g*b'^2/2\nconstraint clutch: a' >= b'\n"
                 "constraint stop: a <= 1, restitution 1\ninitial a' = 2, b' = 1\nsimulate until 1\n",
                 mass);
        if (!motion_read(&m, text)) return;
        motion_must_run(&m);
        CHECK_NEAR(motion_end(&m, "a'"), -(2 + mass) / (1 + mass), 1e-12);
        CHECK_NEAR(motion_end(&m, "b'"), -(2 + mass) / (1 + mass), 1e-12);
        CHECK(mech_sim_info_get(m.sim).event_energy < 0);
        motion_free(&m);
    }
}

#define PAIR "coord x, y\nkinetic (x'^2 + y'^2)/2\n"
#define CLUTCH "coord a, b\nkinetic (a'^2 + b'^2)/2\nconstraint clutch: a' >= b'\n"

/* Open, or touched without load: whatever puts it beyond, it is struck then. Of two equal masses that it joins the
   speeds become their mean. */
static void whatever_it_was(void)
{
    /* values that are set, of all kinds */
    ends("coord x\nkinetic x'^2/2\nconstraint limit: x' <= 1\nevent e: t rises through 0.5 -> set x' = 3\n"
         "simulate until 1\n",
         "x", 0.5, 1e-10);
    ends("coord x\nkinetic x'^2/2\nstate w: w' = 0\nconstraint c: x' >= w\nevent e: t rises through 1 -> set w = 1\n"
         "simulate until 2\n",
         "x", 1, 1e-10);
    ends(PAIR "constraint c: x' >= y'\nevent e: t rises through 1 -> set y' = 1\nsimulate until 2\n", "x", 0.5, 1e-10);
    ends(PAIR "constraint c: x' >= y\nevent e: t rises through 1 -> set y = 1\nsimulate until 2\n", "x", 1, 1e-10);
    /* a brake: it holds a, and b with it */
    ends(CLUTCH "constraint brake: a' = 0\ninitial release brake\ninitial a' = 2, b' = 1\n"
                "event e: t rises through 0.5 -> impose brake\nsimulate until 1\n",
         "b", 0.5, 1e-10);
    /* the floor gives back 0.4 of v: y' = 0.4 v is more than x' = 0.5 */
    ends(PAIR "potential 9.81*y\nconstraint c: x' >= y'\nconstraint floor: y >= 0, restitution 0.4\n"
              "initial y = 0.3, x' = 0.5\nsimulate until 0.25\n",
         "x'", (0.4 * sqrt(2 * 9.81 * 0.3) + 0.5) / 2, 1e-9);
    /* joints of bodies */
    ends("gravity [0, 0]\nbody a: disc 0.1, mass 2\nbody b: disc 0.1, mass 2\njoint A: ground to a, revolute\n"
         "joint B: ground to b, revolute\nconstraint clutch: A' >= B'\nconstraint stop: A <= 1, restitution 0.5\n"
         "initial A' = 2, B' = 1\nsimulate until 1\n",
         "B'", -0.75, 1e-12);
    /* one that stays open takes no part in what the stop on the same coordinate does, down to rest */
    ends("coord y\nkinetic y'^2/2\npotential 9.81*y\nconstraint floor: y >= 0, restitution 0.5\n"
         "constraint brake: y' >= -10\ninitial y = 1\noutput N = reaction(floor)\nsimulate until 1.4\n",
         "N", 9.81, 1e-12);
    /* one after the other at one instant: a sets b going, b's clutch takes c along */
    ends("coord a, b, c\nkinetic (a'^2 + b'^2 + c'^2)/2\nconstraint one: b' >= a'\nconstraint two: c' >= b'\n"
         "event e: t rises through 1 -> set a' = 3\nsimulate until 2\n",
         "c'", 1, 1e-12);
}

/* What the program changes between two advances. */
static void by_the_caller(void)
{
    const double still[2] = {0, 0}, fast[2] = {0, 1};
    motion m;
    if (!motion_read(&m, "input u = 0\n" PAIR "constraint low: x' >= u\nconstraint c: x' >= y'\nsimulate until 10\n"))
        return;
    CHECK(mech_sim_create(m.system, &m.settings, &m.sim) == MECH_OK && mech_sim_start(m.sim) == MECH_OK);
    CHECK(mech_sim_advance(m.sim, 1) == MECH_OK && mech_sim_set_state(m.sim, still, fast, NULL) == MECH_OK);
    CHECK_NEAR(mech_sim_v(m.sim)[0], 0.5, 1e-12);
    CHECK(mech_sim_set_input(m.sim, 0, 2) == MECH_OK && mech_sim_advance(m.sim, 2) == MECH_OK);
    CHECK_NEAR(mech_sim_v(m.sim)[0], 2, 1e-12);
    CHECK_NEAR(mech_sim_v(m.sim)[1], 0.5, 1e-12);
    CHECK_NEAR(mech_sim_q(m.sim)[0], 2, 1e-9);
    motion_free(&m);
    if (!motion_read(&m, "param p = 0\ncoord x\nkinetic x'^2/2\nconstraint low: x' >= p\nsimulate until 10\n")) return;
    CHECK(mech_sim_create(m.system, &m.settings, &m.sim) == MECH_OK && mech_sim_start(m.sim) == MECH_OK);
    CHECK(mech_sim_advance(m.sim, 1) == MECH_OK && mech_sim_set_param(m.sim, 0, 1) == MECH_OK);
    CHECK(mech_sim_advance(m.sim, 2) == MECH_OK);
    CHECK_NEAR(mech_sim_q(m.sim)[0], 1, 1e-9);
    motion_free(&m);
}

/* Its own side jumps at a kink of the motion: x' = 1 from there on, 2 from the next on. */
static void at_kinks(void)
{
    static const char *const sides[] = {"floor(y)", "if(y > 0, 0, -1) + if(y > 1, 1, 0)", "max(0, floor(y))"};
    for (size_t k = 0; k < sizeof sides / sizeof *sides; k++)
        for (int first = 0; first < 2; first++) {
            char text[300];
            snprintf(text, sizeof text,
                     PAIR "constraint c: x' >= %s\ninitial y = -0.2, y' = 1, x' = %g\nsimulate until 1.6\n", sides[k],
                     0.01 * first);
            ends(text, "x", 0.4 + 0.012 * first, 1e-9);
        }
    ends(PAIR "constraint c: x' >= floor(y)\ninitial y = 0.2, y' = 1\nsimulate until 2.6\n", "x", 1 + 0.8 * 2, 1e-9);
    ends(
        "coord x\nkinetic x'^2/2\nstate q: q' = 1\nconstraint c: x' >= floor(q)\ninitial q = -0.2\nsimulate until 1.6\n",
        "x", 0.4, 1e-9);
    ends("coord x\nkinetic x'^2/2\nconstraint c: x' >= floor(t)\nsimulate until 1.6\n", "x", 0.6, 1e-9);
}

/* A floor that falls away is left, whatever moves it: the body falls for 0.3. */
static void falls_away(void)
{
#define FALLS "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential y\n"
    static const char *const models[] = {
        FALLS "sampled s = 0\nevery 1 from 1 { set s = s - 0.1 }\nconstraint f: y >= s\nsimulate until 1.3\n",
        FALLS "constraint f: y >= if(t < 1, 0, -0.1)\nsimulate until 1.3\n",
        FALLS "constraint f: -y <= 0.1*floor(t)\nsimulate until 1.3\n",
        FALLS "constraint f: y >= -floor(x)\ninitial x' = 1\nsimulate until 1.3\n",
        FALLS "state w: w' = 0\nconstraint f: y >= w\nevent e: t rises through 1 -> set w = -0.1\nsimulate until 1.3\n",
        FALLS "sampled s = 0\nevery 1 from 1 { set s = s - 0.1 }\nconstraint f: y >= s, friction 0.5, along x'\n"
              "force 0.4 on x'\nsimulate until 1.3\n"};
    for (size_t k = 0; k < sizeof models / sizeof *models; k++) ends(models[k], "y", -0.045, 1e-9);
    ends(models[5], "x", 0.4 * 0.045, 1e-9); /* and its friction with it */
    motion m;
    if (!motion_read(&m, "input u = 0\n" FALLS "constraint f: y >= u\nsimulate until 10\n")) return;
    CHECK(mech_sim_create(m.system, &m.settings, &m.sim) == MECH_OK && mech_sim_start(m.sim) == MECH_OK);
    CHECK(mech_sim_advance(m.sim, 1) == MECH_OK && mech_sim_set_input(m.sim, 0, -0.1) == MECH_OK);
    CHECK(mech_sim_advance(m.sim, 1.3) == MECH_OK);
    CHECK_NEAR(mech_sim_q(m.sim)[1], -0.045, 1e-9);
    CHECK(mech_sim_advance(m.sim, 3) == MECH_OK && mech_sim_set_input(m.sim, 0, 0.1) == MECH_OK);
    CHECK(mech_sim_advance(m.sim, 4) != MECH_OK && motion_says(&m, "f jumps by 0.2", "give it a ramp"));
    motion_free(&m);
    /* towards what is above it: no motion follows */
    motion_refused(FALLS "constraint f: y >= floor(x)\ninitial x = 0.2, x' = 1, y = 0.5, y' = 0.8\n", MECH_ERR_NO_START,
                   "the state is beyond f by", "where nothing can be");
}

/* A model in a unit of length L, with atol of that size, moves as with L = 1. */
static void scaled(const char *text, double L, const char *column, double value, double most)
{
    motion m;
    const mech_override unit = {.name = "L", .value = L};
    if (!motion_read_with(&m, text, &unit, 1)) return;
    m.settings.atol = 1e-13 * L;
    motion_must_run(&m);
    const double end = motion_end(&m, column) / L;
    if (!(fabs(end - value) <= most)) fprintf(stderr, "L = %g: %s ends at %.17g L\n%s", L, column, end, text);
    CHECK(fabs(end - value) <= most);
    motion_free(&m);
}

static void in_any_unit(void)
{
    const double g = 9.81, t0 = sqrt(2 / g), v0 = sqrt(2 * g);
    for (double L = 1; L > 1e-16; L /= 1000) {
        scaled("param L = 1\ncoord x\nkinetic x'^2/2\nconstraint wall: x <= L, restitution 1\ninitial x' = L\n"
               "simulate until 3\n",
               L, "x", -1, 1e-11);
        scaled("param L = 1\ncoord y\nkinetic y'^2/2\npotential L*y\nconstraint floor: y >= 0\ninitial y = L\n"
               "simulate until 1\n",
               L, "y", 0.5, 1e-11);
        scaled("param L = 1\ncoord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint c: x' >= y'\ninitial x' = L\n"
               "force L on y'\nsimulate until 3\n",
               L, "x'", 2, 1e-11);
        /* a ball that slides through its first impact: x' = 3 - mu (1 + e) v */
        scaled("param L = 1\ncoord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*L*y\n"
               "constraint f: y >= 0, restitution 0.5, friction 0.2, along x'\ninitial x' = 3*L, y = L\n"
               "simulate until 0.6\n",
               L, "x", 3 * t0 + (3 - 0.2 * 1.5 * v0) * (0.6 - t0), 1e-9);
    }
    /* slow beside a wall that is far */
    ends("coord x\nkinetic x'^2/2\nconstraint wall: x <= 1, restitution 1\ninitial x' = 9e-12\n"
         "simulate until 2/9e-12, atol 1e-25\n",
         "x", 0, 1e-9);
}

int main(void)
{
    clutch_and_stop();
    no_energy_is_made();
    whatever_it_was();
    by_the_caller();
    at_kinks();
    falls_away();
    in_any_unit();
    return check_report();
}
