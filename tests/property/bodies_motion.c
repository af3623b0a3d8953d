/* Mechanisms in relative and in absolute coordinates run alike: the same places, the same forces where these are
   unique. */
#include "support/mechanism.h"

#include <mech/easy.h>
#include <mech/simulate.h>

enum { MOST_BODIES = 6, MOST_SHOWN = 200 };

typedef struct pose { /* of the bodies of another model, to start from */
    double r[3], R[9], v[3], w[3];
} pose;

static mech_expr number(mechanism *m, double x) { return mech_number(m->pool, x); }

static void show_poses(mechanism *m, size_t bodies)
{
    for (size_t k = 1; k <= bodies; k++) {
        mech_expr e[18];
        char name[32];
        CHECK(mech_bodies_value(m->bodies, k, MECH_BODY_ORIGIN, e) == MECH_OK &&
              mech_bodies_value(m->bodies, k, MECH_BODY_ATTITUDE, e + 3) == MECH_OK);
        CHECK(mech_bodies_value(m->bodies, k, MECH_BODY_OMEGA, e + 15) == MECH_OK);
        for (int i = 0; i < 3; i++) e[12 + i] = mech_dot(m->pool, e[i]);
        snprintf(name, sizeof name, "pose%zu", k);
        show(m, name, e, 18);
    }
}

/* Guesses for the coordinates of its own that each body has: Euler parameters of a rotation that is near none. */
static void guess(mechanism *m, size_t bodies, const pose *from)
{
    for (size_t k = 0; k < bodies; k++) {
        const double *R = from[k].R, e0 = sqrt(1 + R[0] + R[4] + R[8]) / 2;
        const double x[7] = {from[k].r[0],
                             from[k].r[1],
                             from[k].r[2],
                             e0,
                             (R[7] - R[5]) / (4 * e0),
                             (R[2] - R[6]) / (4 * e0),
                             (R[3] - R[1]) / (4 * e0)};
        for (size_t i = 0; i < 7; i++) {
            const mech_expr q = mech_bodies_own_coord(m->bodies, k + 1, i);
            CHECK(q.id && mech_model_initial(m->model, q, number(m, x[i]), 0) == MECH_OK);
        }
        CHECK(!mech_bodies_own_coord(m->bodies, k + 1, 7).id);
    }
}

/* Double wishbone with strut, tie rod and a spinning wheel, one second. */
static mechanism *wishbone(int is_absolute, const pose *from)
{
    mechanism *m = mechanism_open(3, 0, 0, -9.81);
    mech_bodies *b = m->bodies;
    if (is_absolute) CHECK(mech_bodies_coordinates(b, MECH_COORDINATES_ABSOLUTE) == MECH_OK);
    const size_t lower = add_body(m, "lower", 4, (const double[]){0, 0.175, 0}, (const double[]){0.091, 0.02, 0.1}, 3);
    const size_t upper = add_body(m, "upper", 2, (const double[]){0, 0.13, 0}, (const double[]){0.031, 0.01, 0.04}, 3);
    const size_t knuckle =
        add_body(m, "knuckle", 12, (const double[]){0, 0.02, 0.12}, (const double[]){0.12, 0.10, 0.11}, 3);
    const size_t wheel = add_body(m, "wheel", 15, NULL, (const double[]){0.5, 0.9, 0.5}, 3);
    const mech_expr *x = N3(m, 1, 0, 0), *y = N3(m, 0, 1, 0);
    const size_t bushing = add_joint(m, "bushing_l",
                                     (mech_joint){.kind = MECH_JOINT_REVOLUTE,
                                                  .before = point_of(m, MECH_GROUND, 0, 0.35, 0.20),
                                                  .after = {.body = lower},
                                                  .axis = x});
    const size_t ball = add_joint(m, "ball_l",
                                  (mech_joint){.kind = MECH_JOINT_SPHERICAL,
                                               .before = point_of(m, lower, 0, 0.35, 0),
                                               .after = {.body = knuckle}});
    const size_t hub = add_joint(m, "hub",
                                 (mech_joint){.kind = MECH_JOINT_REVOLUTE,
                                              .before = point_of(m, knuckle, 0, 0.06, 0.11),
                                              .after = {.body = wheel},
                                              .axis = y});
    const size_t other = add_joint(m, "bushing_u",
                                   (mech_joint){.kind = MECH_JOINT_REVOLUTE,
                                                .before = point_of(m, MECH_GROUND, 0, 0.40, 0.45),
                                                .after = {.body = upper},
                                                .axis = x});
    const size_t closing = add_joint(m, "ball_u",
                                     (mech_joint){.kind = MECH_JOINT_SPHERICAL,
                                                  .before = point_of(m, upper, -0.02, 0.26, 0),
                                                  .after = point_of(m, knuckle, -0.02, -0.02, 0.26)});
    const size_t tie = add_joint(m, "tie_rod",
                                 (mech_joint){.kind = MECH_JOINT_DISTANCE,
                                              .before = point_of(m, MECH_GROUND, -0.12, 0.38, 0.25),
                                              .after = point_of(m, knuckle, -0.12, 0.02, 0.08),
                                              .number = number(m, 0.37)});
    const mech_place top = point_of(m, MECH_GROUND, 0, 0.45, 0.62), foot = point_of(m, lower, 0, 0.245, 0);
    mech_expr tension, c[3];
    CHECK(mech_bodies_spring(b, &top, &foot, number(m, 60000), number(m, 0.42), number(m, 3000), &tension) == MECH_OK);
    CHECK(mech_bodies_value(b, wheel, MECH_BODY_CENTER, c) == MECH_OK);
    for (int i = 0; i < 3; i++) c[i] = mech_dot(m->pool, c[i]);
    CHECK(mech_model_force(m->model, N3(m, 0, 0, 4000), c, 3) == MECH_OK);
    const mech_expr angle = mech_bodies_joint_coord(b, bushing, 0), spin = mech_bodies_joint_coord(b, hub, 0);
    CHECK(mech_model_initial(m->model, angle, number(m, 0), 1) == MECH_OK &&
          mech_model_initial(m->model, mech_dot(m->pool, spin), number(m, 50), 1) == MECH_OK);
    CHECK(mech_model_initial(m->model, mech_dot(m->pool, angle), number(m, 0), 1) == MECH_OK &&
          mech_model_initial(m->model, spin, number(m, 0), 1) == MECH_OK);
    if (from) guess(m, 4, from);
    show_poses(m, 4);
    const size_t joints[] = {bushing, ball, hub, other, closing, tie};
    for (size_t i = 0; i < 6; i++) {
        char name[32];
        snprintf(name, sizeof name, "force%zu", i);
        show_wrench(m, name, joints[i], MECH_WRENCH_FORCE, 3);
        snprintf(name, sizeof name, "torque%zu", i);
        show_wrench(m, name, joints[i], MECH_WRENCH_TORQUE, 3);
    }
    const mech_expr more[] = {tension, angle, spin};
    show(m, "more", more, 3);
    mechanism_finish(m);
    return m;
}

/* Runs, and hands out the outputs at the start and at the end. */
static void run(mechanism *m, double until, double *first, double *last)
{
    mech_sim_settings settings;
    mech_sim *sim;
    mech_sim_settings_default(&settings, sizeof settings);
    settings.until = until;
    settings.rtol = 1e-12;
    settings.atol = 1e-14;
    CHECK(mech_sim_create(m->system, &settings, &sim) == MECH_OK && mech_sim_start(sim) == MECH_OK);
    CHECK(mech_sim_outputs_now(sim, first) == MECH_OK);
    const mech_status status = mech_sim_advance(sim, until);
    if (status != MECH_OK) fprintf(stderr, "%s\n", mech_sim_error_text(sim));
    CHECK(status == MECH_OK && mech_sim_outputs_now(sim, last) == MECH_OK);
    mech_sim_free(sim);
}

static void alike(mechanism *(*make)(int, const pose *), size_t bodies, double until)
{
    double first[2][MOST_SHOWN], last[2][MOST_SHOWN];
    pose start[MOST_BODIES];
    mechanism *m = make(0, NULL);
    run(m, until, first[0], last[0]);
    for (size_t k = 0; k < bodies; k++) memcpy(&start[k], &first[0][18 * k], sizeof start[k]);
    mechanism *a = make(1, start);
    run(a, until, first[1], last[1]);
    CHECK(a->outputs == m->outputs && m->outputs < MOST_SHOWN);
    near_list(first[1], first[0], m->outputs, 1e-9);
    near_list(last[1], last[0], m->outputs, 1e-9);
    mechanism_close(m);
    mechanism_close(a);
}

/* Bricard's mechanism: one of the five conditions of the last hinge follows from the others, on the constraints alone.
   Beside them, in the stages of a step, it must not count. P3 at t = 1 is that of the same mechanism written by hand,
   in angles and in points (examples/bricard). */
static void bricard(const char *closing, double rtol)
{
    const double want[3] = {0.5105014611872, -1.6491675993948, 0.1401231145532};
    char text[2048];
    snprintf(text, sizeof text,
             "param m = 1, L = 1, b = 0.1\n"
             "let Il = m*(b^2 + b^2)/12, It = m*(L^2 + b^2)/12\n"
             "gravity [0, -9.81, 0]\n"
             "body one:   mass m, center [L/2, 0, 0],  inertia [Il, It, It]\n"
             "body two:   mass m, center [0, -L/2, 0], inertia [It, Il, It]\n"
             "body three: mass m, center [0, 0, L/2],  inertia [It, It, Il]\n"
             "body four:  mass m, center [-L/2, 0, 0], inertia [Il, It, It]\n"
             "body five:  mass m, center [0, L/2, 0],  inertia [It, Il, It]\n"
             "joint a1: ground to one, revolute about [0, 1, 0]\n"
             "joint a2: one at [L, 0, 0] to two, revolute about [0, 0, 1]\n"
             "joint a3: two at [0, -L, 0] to three, revolute about [1, 0, 0]\n"
             "joint a4: three at [0, 0, L] to four, revolute about [0, 1, 0]\n"
             "joint a5: four at [-L, 0, 0] to five, revolute about [0, 0, 1]\n"
             "joint a6: %s, revolute about [1, 0, 0]\n"
             "point three.P = [0, 0, L]\n"
             "output P3 = three.P\n",
             closing);
    mech_easy *easy = mech_easy_open_text(text);
    mech_sim_settings *settings = mech_easy_settings(easy);
    if (settings) {
        settings->until = 1;
        settings->rtol = rtol;
    }
    CHECK(mech_easy_run(easy) == MECH_OK);
    static const char *const names[3] = {"P3[1]", "P3[2]", "P3[3]"};
    for (int i = 0; i < 3; i++) CHECK_NEAR(mech_easy_value(easy, names[i]), want[i], rtol);
    mech_easy_close(easy);
}

/* Multipliers of its own: a joint by constraint has its force beside friction on its body, which is loaded by
   another's weight: P'' = -0.3 9.81/2, and the joint bears 2 9.81. */
static void beside_friction(void)
{
    mech_easy *easy =
        mech_easy_open_text("gravity [0, -9.81]\nbody b: mass 2, inertia 1\n"
                            "joint P: ground to b, prismatic along [1, 0] by constraint\noutput F = P.force\n"
                            "coord y\nkinetic y'^2/2\npotential 9.81*y\nconstraint pad: y = 0\n"
                            "friction on pad: 0.3, along b.c[1]'\ninitial P = 0, P' = 5\nsimulate until 2\n");
    CHECK(mech_easy_run(easy) == MECH_OK);
    CHECK_NEAR(mech_easy_value(easy, "P"), 10 - 0.3 * 9.81, 1e-9);
    CHECK_NEAR(mech_easy_value(easy, "F[1]"), 0, 1e-9);
    CHECK_NEAR(mech_easy_value(easy, "F[2]"), 2 * 9.81, 1e-9);
    mech_easy_close(easy);
}

/* `at` moves the points of a rod as it moves the middle of other solids: from 2 to 3 off the pivot, turned by 1. */
static void rod_at(void)
{
    mech_easy *easy = mech_easy_open_text("gravity [0, 0]\nbody b: rod [0, 0] to [1, 0], mass 3, at [2, 0]\n"
                                          "joint P: ground to b, revolute\nforce 1 on b.w\nsimulate until 1\n");
    CHECK(mech_easy_run(easy) == MECH_OK);
    CHECK_NEAR(mech_easy_value(easy, "P"), 0.5 / (3 * (1. / 12 + 2.5 * 2.5)), 1e-12);
    mech_easy_close(easy);
}

/* One joint of a pendulum of two or three rods is set: the others are left as they are, and the motion is the same,
   whatever coordinates the bodies have, in the plane and in space. */
static void set_joints(void)
{
    static const char *const pendulums[] = {
        "gravity [0, -9.81]\ncoordinates %s\nbody a: rod [0, 0] to [1, 0], mass 1\n"
        "body b: rod [0, 0] to [1, 0], mass 1\njoint A: ground to a, revolute\njoint B: a at [1, 0] to b, revolute\n",
        "gravity [0, 0, -9.81]\ncoordinates %s\nbody a: box [1, 0.2, 0.3], mass 1\nbody b: box [1, 0.2, 0.1], mass 1\n"
        "joint A: ground to a at [-0.5, 0, 0], revolute about [0, 1, 0]\n"
        "joint B: a at [0.5, 0, 0] to b at [-0.5, 0, 0], revolute about [0, 0, 1]\n",
        "gravity [0, -9.81]\ncoordinates %s\nbody a: rod [0, 0] to [1, 0], mass 1\n"
        "body b: rod [0, 0] to [1, 0], mass 1\nbody c: rod [0, 0] to [1, 0], mass 1\njoint A: ground to a, revolute\n"
        "joint B: a at [1, 0] to b, revolute\njoint nobody_names: b at [1, 0] to c, revolute\n"};
    static const char *const sets[] = {"set A' = 6", "set A = 0.5", "set B' = -2", "set A' = 2, set B = 1"};
    static const char *const looks[] = {"", "output r = norm(reaction(A))\n", "output r = norm(reaction(B))\n"};
    for (size_t k = 0; k < 3 * 4 * 2 * 3; k++) {
        static double A, B; /* of the first, in the tree */
        const int is_first = k % 6 == 0;
        char text[900];
        int used = snprintf(text, sizeof text, pendulums[k / 24], k % 2 ? "absolute" : "relative");
        snprintf(text + used, sizeof text - (size_t)used,
                 "initial A = -1, B = 0.3\nevent kick: t rises through 0.2 -> %s\n%ssimulate until 0.5\n",
                 sets[k / 6 % 4], looks[k / 2 % 3]);
        mech_easy *easy = mech_easy_open_text(text);
        CHECK(mech_easy_run(easy) == MECH_OK);
        if (is_first) A = mech_easy_value(easy, "A");
        if (is_first) B = mech_easy_value(easy, "B");
        CHECK_NEAR(mech_easy_value(easy, "A"), A, 1e-8);
        CHECK_NEAR(mech_easy_value(easy, "B"), B, 1e-8);
        mech_easy_close(easy);
    }
}

/* What is set at a joint of a loop, or of one that something else ties, is what it is, and so is its velocity where
   only its place is set: right after it, whatever coordinates the bodies have. 1e-9 s later, to what that brings. */
static void set_tied_joints(void)
{
    static const char four_bar[] =
        "gravity [0, -9.81]\nbody crank: rod [0, 0] to [1, 0], mass 1\nbody coupler: rod [0, 0] to [2, 0], mass 2\n"
        "body rocker: rod [0, 0] to [2, 0], mass 2\njoint A: ground to crank, revolute%s\n"
        "joint B: crank at [1, 0] to coupler, revolute%s\njoint C: coupler at [2, 0] to rocker, revolute%s\n"
        "joint D: ground at [2, 0] to rocker at [2, 0], revolute\n%sinitial A = 1, A' = 1\n"
        "guess B = -0.5, C = -2\nevent note: t rises through 0.1 -> stop\nsimulate until 1, rtol 1e-11\n";
    static const char *const looks[] = {"", "output r = norm(reaction(A))\n", "output r = norm(reaction(B))\n"};
    static const char *const sets[] = {"set A = 1.2", "set A' = 3"};
    double before = 0;
    for (size_t k = 0; k < 1 + 2 * 4; k++) {
        const int is_constraint = k > 0 && (k - 1) % 4 == 3;
        const char *how = is_constraint ? ", by constraint" : "";
        const size_t set = k > 0 ? (k - 1) / 4 : 0;
        char text[1100];
        const int used =
            snprintf(text, sizeof text, four_bar, how, how, how, k > 0 && !is_constraint ? looks[(k - 1) % 4] : "");
        if (k > 0)
            snprintf(text + used, sizeof text - (size_t)used, "event kick: t rises through 0.1 - 1e-9 -> %s\n",
                     sets[set]);
        mech_easy *easy = mech_easy_open_text(text);
        CHECK(mech_easy_run(easy) == MECH_OK);
        if (k == 0) before = mech_easy_value(easy, "A'");
        else if (set == 0) {
            CHECK_NEAR(mech_easy_value(easy, "A"), 1.2, 1e-8);
            CHECK_NEAR(mech_easy_value(easy, "A'"), before, 1e-6);
        } else CHECK_NEAR(mech_easy_value(easy, "A'"), 3, 1e-6);
        mech_easy_close(easy);
    }
    /* two wheels that mesh, with a rod on one, which stays as it is: A, A', C, C' right after; and a slide that a motor
       holds at 0, with a rod that is free to take what is set */
    static const struct {
        const char *text, *set;
        double A, w, C;
    } tied[] = {
        {"joint A: ground to a, revolute\njoint B: ground at [0.3, 0] to b, revolute\njoint C: b to c, revolute\n"
         "constraint mesh: A = -2*B\ninitial A = 0\n",
         "set B' = -1", 0, 2, 0},
        {"joint A: ground to a, revolute\njoint B: ground at [0.3, 0] to b, revolute\njoint C: b to c, revolute\n"
         "constraint mesh: A = -2*B\ninitial A = 0\n",
         "set A = 2", 2, 0, 0},
        {"joint B: ground to b, prismatic along [1, 0]\njoint A: b to a, revolute\njoint C: ground to c, revolute\n"
         "motor holds on B: length = 0\ninitial A = 1\n",
         "set B = 0.5, set A = 2, set C = 3", 2, 0, 3}};
    for (size_t k = 0; k < 3 * 5; k++) {
        static const char *const more[] = {"", "coordinates absolute\n", "output r = norm(reaction(A))\n",
                                           "output r = norm(reaction(B))\n", "output r = norm(reaction(C))\n"};
        char text[700];
        snprintf(
            text, sizeof text,
            "gravity [0, 0]\n%sbody a: disc 0.1, mass 2\nbody b: disc 0.2, mass 8\nbody c: rod [0, 0] to [0.5, 0], mass 1\n"
            "%s%sevent e: t rises through 0.2 -> %s\nsimulate until 0.2 + 1e-9\n",
            k % 5 == 1 ? more[1] : "", tied[k / 5].text, k % 5 > 1 ? more[k % 5] : "", tied[k / 5].set);
        mech_easy *easy = mech_easy_open_text(text);
        CHECK(mech_easy_run(easy) == MECH_OK);
        CHECK_NEAR(mech_easy_value(easy, "A"), tied[k / 5].A, 1e-8);
        CHECK_NEAR(mech_easy_value(easy, "A'"), tied[k / 5].w, 1e-8);
        CHECK_NEAR(mech_easy_value(easy, "C"), tied[k / 5].C, 1e-8);
        mech_easy_close(easy);
    }
    for (int k = 0; k < 2; k++) { /* two wheels that mesh */
        char text[500];
        snprintf(
            text, sizeof text,
            "gravity [0, 0]\n%sbody a: disc 0.1, mass 2\nbody b: disc 0.2, mass 8\njoint A: ground to a, revolute\n"
            "joint B: ground at [0.3, 0] to b, revolute\nconstraint mesh: A = -2*B\ninitial A' = 2\n"
            "event e: t rises through 1 -> set A' = 10\noutput E = energy\nsimulate until 2\n",
            k ? "coordinates absolute\n" : "");
        mech_easy *easy = mech_easy_open_text(text);
        CHECK(mech_easy_run(easy) == MECH_OK);
        CHECK_NEAR(mech_easy_value(easy, "A"), 12, 1e-8);
        CHECK_NEAR(mech_easy_value(easy, "E"), 0.01 * 100 / 2 + 0.16 * 25 / 2, 1e-8);
        mech_easy_close(easy);
    }
}

/* A wheel that turns by itself: w = A', whatever looks at its bearing. */
static void set_a_wheel(void)
{
    static const char *const looks[] = {"", "output r = norm(reaction(A))\n", "friction on A: 0.1, along 0.01*A'\n",
                                        "coordinates absolute\n"};
    for (size_t k = 0; k < sizeof looks / sizeof *looks; k++) {
        char text[400];
        snprintf(text, sizeof text,
                 "gravity [0, 0]\n%sbody w: disc 0.5, mass 8\njoint A: ground to w, revolute\n%sinitial A' = 1\n"
                 "event kick: t rises through 1 -> set A' = 6\nsimulate until 2\n",
                 k == 3 ? looks[k] : "", k == 3 ? "" : looks[k]);
        mech_easy *easy = mech_easy_open_text(text);
        CHECK(mech_easy_run(easy) == MECH_OK);
        CHECK_NEAR(mech_easy_value(easy, "A"), 7, 1e-10);
        mech_easy_close(easy);
    }
}

int main(void)
{
    set_joints();
    set_tied_joints();
    set_a_wheel();
    beside_friction();
    rod_at();
    for (double rtol = 1e-4; rtol > 1e-11; rtol *= 0.1) {
        bricard("ground at [0, 0, L] to five at [0, L, 0]", rtol);
        bricard("five at [0, L, 0] to ground at [0, 0, L]", rtol);
    }
    alike(wishbone, 4, 0.2);
    return check_report();
}
