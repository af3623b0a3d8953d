/* Velocities that jump while a contact is closed, against closed forms: corners of floors in time and in space, driving
   speeds that jump, momentum that is kept, `set` and `impose`. Contacts only push: one that is left is open, one that
   is met is struck, with its friction and its restitution. */
#include "support/motion.h"

#include <math.h>

static const mech_method methods[] = {MECH_METHOD_RK8, MECH_METHOD_RK5, MECH_METHOD_BDF, MECH_METHOD_ADAMS};
enum { METHODS = sizeof methods / sizeof *methods };

static const double g = 9.81;

typedef struct sudden {
    const char *text, *column;
    double t, wanted;
} sudden;

#define BALL "coord y\nkinetic y'^2/2\npotential 9.81*y\n"
#define DISC "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
#define PAIR "coord x, y\nmass [x, y] = [[2, 1], [1, 3]]\npotential 9.81*y\n"
#define TIED "coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\npotential 9.81*y\n"

static void must_be(const sudden *all, size_t count, size_t method_count)
{
    for (size_t k = 0; k < count; k++)
        for (size_t i = 0; i < method_count; i++) {
            motion m;
            if (!motion_read(&m, all[k].text)) return;
            CHECK(motion_derive(&m) == MECH_OK);
            motion_settings(&m, 1e-10);
            m.settings.method = methods[i];
            m.settings.until = all[k].t;
            if (motion_may_run(&m)) {
                CHECK_NEAR(motion_end(&m, all[k].column), all[k].wanted, 1e-7);
                CHECK(mech_sim_warning(m.sim)[0] == 0);
            }
            motion_free(&m);
        }
}

/* What goes up with a floor flies on where that turns, or stops. */
static void left_behind(void)
{
    const double up = 1 + 0.05 - g / 2 * 0.0025;
    const sudden all[] = {
        {BALL "constraint fl: y >= 1 - abs(t - 1)\ninitial y = 0, y' = 1\n", "y", 1.05, up},
        {BALL "constraint fl: y >= min(t, 1)\ninitial y = 0, y' = 1\n", "y", 1.05, up},
        {BALL "coord z\nmass z = 1\nconstraint dz: z = 1 - abs(t - 1)\nconstraint fl: y >= z\n"
              "initial y = 0, y' = 1, z = 0, z' = 1\n",
         "y", 1.05, up},
        {BALL "state z: z' = if(t < 1, 1, -1)\nconstraint fl: y >= z\ninitial y = 0, y' = 1\n", "y", 1.05, up},
        {BALL "state q: q' = 1\nstate z: z' = if(q < 1, 1, -1)\nconstraint fl: y >= z\ninitial y = 0, y' = 1\n", "y",
         1.05, up},
        {BALL "sampled w = 1\nevery 1 from 1 { set w = -1 }\nstate z: z' = w\nconstraint fl: y >= z\n"
              "initial y = 0, y' = 1, z = 0\n",
         "y", 1.05, up},
        {"gravity [0, -9.81]\nbody lift: mass 10\nbody box: mass 2\njoint g: ground to lift, prismatic along [0, 1]\n"
         "joint h: ground to box, prismatic along [0, 1]\nmotor m on g: speed = if(t < 1, 3, 0)\n"
         "constraint sit: h >= g\ninitial h' = 3, g' = 3\n",
         "h", 1.05, 3 + 3 * 0.05 - g / 2 * 0.0025},
    };
    must_be(all, sizeof all / sizeof *all, METHODS);
}

/* The edge of a table, and the top of a roof: along the roof x'' = -g/2.5. */
static void edges(void)
{
    const double top = sqrt(25 - 2 * g / 2.5), fly = 0.24 - (5 - top) / (g / 2.5);
    const double roof = 0.5 + top / 2 * fly - g / 2 * fly * fly;
    const sudden all[] = {
        {DISC "constraint fl: y >= if(x < 1, 0, -0.1*(x - 1))\ninitial x = 0, y = 0, x' = 5, y' = 0\n", "y", 0.24,
         -g / 2 * 0.04 * 0.04},
        {DISC "constraint fl: y >= 0.5 - 0.5*abs(x - 1)\ninitial x = 0, y = 0, x' = 5, y' = 2.5\n", "y", 0.24, roof},
        {DISC "constraint fl: y >= 0.5 - 0.5*abs(x - 1)\nevent top: x rises through 1 -> record\n"
              "initial x = 0, y = 0, x' = 5, y' = 2.5\n",
         "y", 0.24, roof},
    };
    must_be(all, sizeof all / sizeof *all, METHODS);
}

/* x' is driven to -1 at once: x' + 3 y' stays 0, and y leaves the floor with 1/3. */
static void coupled(void)
{
    const double y = 0.05 / 3 - g / 6 * 0.0025;
    const sudden all[] = {
        {PAIR "constraint fl: y >= 0\nconstraint dr: x = -max(0, t - 1)\ninitial x = 0, y = 0\n", "y", 1.05, y},
        {PAIR "constraint fl: y >= 0\ninput u = if(t < 1, 0, -1)\nconstraint dr: x' = u\ninitial x = 0, y = 0\n", "y",
         1.05, y},
        {PAIR "constraint fl: y >= 0\nsampled s = 0\nevery 1 from 1 { set s = -1 }\nconstraint dr: x' = s\n"
              "initial x = 0, y = 0\n",
         "y", 1.05, y},
        {PAIR "constraint fl: y = 0\nevent hit: y falls through 0 -> impact fl restitution 0\n"
              "constraint dr: x = -max(0, t - 1)\ninitial x = 0, y = 0\n",
         "y", 1.05, y},
        {PAIR "constraint fl: y >= 0\nconstraint dr: x' = -1\ninitial release dr\n"
              "event e: t rises through 1 -> impose dr\ninitial x = 0, x' = 0, y = 0\n",
         "y", 1.05, y},
    };
    must_be(all, sizeof all / sizeof *all, METHODS);
}

/* A floor that kicks with speed 1, or a base that does: the impulse is 1 + e, friction takes 0.2 of that. Sliding
   before takes 0.2 g. A slope of 0.1 that a disc meets with 5: it
   is turned by the impulse along the normal. (adams warns there that its steps are short beside the resolution.) */
static void struck(void)
{
    const sudden all[] = {
        {DISC "constraint fl: y >= max(0, t - 1), friction 0.2, along x'\ninitial x = 0, y = 0, x' = 5\n", "x'", 1.1,
         5 - 0.2 * g * 1.1 - 0.2},
        {BALL "constraint fl: y >= max(0, t - 1), restitution 0.5\ninitial y = 0\n", "y", 1.1, 0.15 - g / 2 * 0.01},
        {"coord x, y\ninput u = max(0, t - 1)\nkinetic (y + u)'^2/2 + x'^2/2\npotential 9.81*y\n"
         "constraint fl: y >= 0, friction 0.2, along x', restitution 0.5\ninitial y = 0, x' = 5\n",
         "x'", 1.06, 5 - 0.2 * g - 0.2 * 1.5},
        {"coord x, y\ninput u = max(0, t - 1)\nkinetic (y + u)'^2/2 + x'^2/2\npotential 9.81*y\n"
         "constraint fl: y >= 0, friction 0.2, along x', restitution 0.5\ninitial y = 0, x' = 5\n",
         "y", 1.06, 0.03 - g / 2 * 0.0036},
    };
    must_be(all, sizeof all / sizeof *all, METHODS);
    const sudden slope = {DISC "constraint fl: y >= max(0, 0.1*(x - 1)), restitution 0.5\n"
                               "initial x = 0, y = 0, x' = 5, y' = 0\n",
                          "y'", 0.21, 0.5 * 1.5 / 1.01 - g * 0.01};
    must_be(&slope, 1, METHODS - 1);
}

/* z' = 3 is shared with y, which meets the floor with 1.5 and has z behind it. */
static void by_events(void)
{
    const sudden all[] = {
        {TIED "constraint fl: y >= 0, restitution 0.5\nconstraint tie: y = -z\nconstraint rail: x = 0\n"
              "event e: t rises through 1 -> set z' = 3\ninitial y = 0, z = 0\n",
         "y'", 1.02, 0.75 - g / 2 * 0.02},
        {TIED "constraint fl: y >= 0, restitution 0.5\nconstraint tie: y = -z\nconstraint rail: x = 0\n"
              "event e: t rises through 1 -> set y' = -3\ninitial y = 0, z = 0\n",
         "y'", 1.02, 0.75 - g / 2 * 0.02},
        {TIED "constraint fl: y >= 0, friction 0.2, along x', restitution 0.5\nconstraint tie: y = -z\n"
              "event e: t rises through 1 -> set z' = 3\ninitial y = 0, z = 0, x' = 5\n",
         "x'", 1.02, 5 - 0.2 * g - 0.2 * 2 * (1.5 + 0.75)},
        {TIED "constraint fl: y >= 0, friction 0.2, along x'\nconstraint tie: y' = -z'\ninitial release tie\n"
              "event e: t rises through 1 -> impose tie\ninitial y = 0, z' = 3, x' = 5\n",
         "x'", 1.02, 5 - 0.2 * g * 1.02 - 0.2 * 3},
    };
    must_be(all, sizeof all / sizeof *all, METHODS);
}

/* An event at the very corner of an equation: what the corner takes is counted, and the event happens once. Along the
   roof with slope 1/2 the speed is turned by 2 atan(1/2): 3/5 of it is kept. */
static void event_at_a_corner(void)
{
    const double top = sqrt(25 - 2 * g / 2.5), kept = 0.6 * top, after = 0.24 - (5 - top) / (g / 2.5);
    const sudden all[] = {{DISC "constraint fl: y = 0.5 - 0.5*abs(x - 1)\nevent top: x rises through 1 -> record\n"
                                "initial x = 0, y = 0, x' = 5, y' = 2.5\n",
                           "x'", 0.24, kept + g / 2.5 * after},
                          {DISC "constraint fl: y = 0.5 - 0.5*abs(x - 1)\n"
                                "initial x = 0, y = 0, x' = 5, y' = 2.5\n",
                           "x'", 0.24, kept + g / 2.5 * after}};
    must_be(all, sizeof all / sizeof *all, METHODS);
    motion m;
    if (!motion_read(&m, all[0].text)) return;
    m.settings.until = 0.4;
    motion_must_run(&m);
    CHECK(mech_sim_info_get(m.sim).events == 1);
    CHECK_NEAR(mech_sim_info_get(m.sim).event_energy, -0.64 * 1.25 * top * top / 2, 1e-9);
    motion_free(&m);
}

/* A corner that costs nothing is not told: of a wedge that comes down at 1 m/s and from t = 1 on goes up, y = x + |t -
   1|, the disc keeps x' + y' = 1, so (1, 0) becomes (0, 1). One that costs is: at half of the speed up the disc keeps
   (1, 0) + (1, 1) lambda with y' - x' = 1/2. */
static void corners_that_cost(void)
{
    static const double up[] = {1, 0.5};
    for (size_t i = 0; i < 2; i++) {
        motion m;
        char text[300];
        int is_told = 0;
        snprintf(text, sizeof text,
                 "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint wedge: y = x + if(t < 1, 1 - t, %.17g*(t - 1))\n"
                 "initial x = 0, y = 1, x' = 1, y' = 0\nsimulate until 2\n",
                 up[i]);
        if (!motion_read(&m, text)) return;
        motion_must_run(&m);
        CHECK_NEAR(motion_end(&m, "x'"), (1 - up[i]) / 2, 1e-9);
        CHECK_NEAR(motion_end(&m, "y'"), (1 + up[i]) / 2, 1e-9);
        for (size_t k = 0; k < mech_sim_log_count(m.sim); k++)
            is_told |= strstr(mech_sim_log_get(m.sim, k).text, "of energy") != NULL;
        CHECK(is_told == (i == 1));
        motion_free(&m);
    }
}

int main(void)
{
    corners_that_cost();
    left_behind();
    edges();
    coupled();
    struck();
    by_events();
    event_at_a_corner();
    return check_report();
}
