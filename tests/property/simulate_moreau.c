/* Time stepping of Moreau and Jean: of order 1 against closed forms and against the run with events, the work of its
   impulses never positive, forces as means of a step, and what it refuses. */
#include "base/text.h"
#include "support/motion.h"

#include <math.h>
#include <stdio.h>

static int run_with(motion *m, const char *text, double step)
{
    if (!motion_read(m, text)) return 0;
    motion_settings(m, 1e-10);
    m->settings.output_points = 21;
    m->settings.method = step > 0 ? MECH_METHOD_MOREAU : MECH_METHOD_RK8;
    m->settings.max_step = step;
    motion_must_run(m);
    return 1;
}

/* A block slides with friction and stops after v^2/(2 mu g); its reaction is m g in every row, the first too. */
static void sliding_block(void)
{
    const double way = 4 / (2 * 0.3 * 9.81);
    for (double h = 1e-2; h > 1e-4; h /= 10) {
        motion m;
        if (!run_with(&m,
                      "coord x, y\nkinetic x'^2 + y'^2\npotential 2*9.81*y\n"
                      "constraint floor: y >= 0, friction 0.3, along x'\ninitial x' = 2\n"
                      "output N = reaction(floor), on = active(floor)\nsimulate until 1\n",
                      h))
            return;
        CHECK_NEAR(motion_end(&m, "x"), way, h);
        CHECK(fabs(motion_end(&m, "x'")) < 1e-12);
        for (int k = 0; k <= 10; k++) {
            CHECK_NEAR(motion_at(&m, k / 10., "N"), 2 * 9.81, 1e-10);
            CHECK(motion_at(&m, k / 10., "on") == 1);
        }
        CHECK_NEAR(mech_sim_info_get(m.sim).event_energy, -4, 1e-10); /* all of it is friction's */
        CHECK(mech_sim_info_get(m.sim).balance_error < 1e-10);
        motion_free(&m);
    }
}

/* Errors against the run with events fall with h: a ball, a string that is taut again, a rod with a stop, a tilted box
   that falls onto its corners with friction. */
static void order_one(void)
{
    static const struct {
        const char *text, *column;
    } cases[] = {
        {"coord y\nkinetic y'^2/2\npotential 9.81*y\nconstraint floor: y >= 0, restitution 0.8\ninitial y = 1\n"
         "simulate until 1.2\n",
         "y"},
        {"coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint string: x^2 + y^2 <= 1\n"
         "initial x = 0.5, y = 0.5\nsimulate until 2\n",
         "x"},
        {"coord a, b\nkinetic (a'^2 + b'^2)/2\npotential 9.81*b\nconstraint rod: a^2 + b^2 = 1\n"
         "constraint stop: a >= -0.2, restitution 0.5\ninitial a = 1, b = 0\nsimulate until 2\n",
         "a"},
        {"param a = 0.5, b = 0.3, mu = 0.5\ncoord x, y, th\nkinetic (x'^2 + y'^2)/2 + (a^2 + b^2)/6*th'^2\n"
         "potential 9.81*y\n"
         "constraint c1: y + a*sin(th) - b*cos(th) >= 0, restitution 0.3, friction mu, along "
         "x' - (a*sin(th) - b*cos(th))*th'\n"
         "constraint c2: y - a*sin(th) - b*cos(th) >= 0, restitution 0.3, friction mu, along "
         "x' + (a*sin(th) + b*cos(th))*th'\n"
         "initial y = 0.8, th = 0.3, x' = 1\nsimulate until 2\n",
         "x"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        motion exact, m;
        if (!run_with(&exact, cases[k].text, 0)) return;
        double error[2];
        for (int i = 0; i < 2; i++) {
            if (!run_with(&m, cases[k].text, i ? 1e-4 : 1e-3)) return;
            error[i] = fabs(motion_end(&m, cases[k].column) - motion_end(&exact, cases[k].column));
            CHECK(mech_sim_info_get(m.sim).event_energy <= 0);
            CHECK_TEXT(mech_sim_warning(m.sim), "");
            motion_free(&m);
        }
        CHECK(error[0] < 20e-3 && error[1] < 2e-3 && error[1] < 0.5 * error[0]);
        motion_free(&exact);
    }
}

/* Six disks fall into a box: dozens of contacts, each with friction. Energy only falls, nothing sinks in beyond what is
   told, and at the end they lie still. */
static void heap(void)
{
    enum { DISKS = 6 };
    textbuf text = {0};
    motion m;
    text_format(&text, "param r = 0.1, w = 0.45, mu = 0.4\n");
    for (int i = 0; i < DISKS; i++) text_format(&text, "coord x%d, y%d, a%d\n", i, i, i);
    for (int i = 0; i < DISKS; i++)
        text_format(&text, "kinetic (x%d'^2 + y%d'^2)/2 + r^2/4*a%d'^2\npotential 9.81*y%d\n", i, i, i, i);
    for (int i = 0; i < DISKS; i++) {
        text_format(&text,
                    "constraint f%d: y%d >= r, restitution 0.2, friction mu, along x%d' + r*a%d'\n"
                    "constraint l%d: x%d >= r - w, restitution 0.2, friction mu, along y%d' - r*a%d'\n"
                    "constraint r%d: x%d <= w - r, restitution 0.2, friction mu, along y%d' + r*a%d'\n",
                    i, i, i, i, i, i, i, i, i, i, i, i);
        for (int j = 0; j < i; j++)
            text_format(&text,
                        "constraint p%d_%d: sqrt((x%d - x%d)^2 + (y%d - y%d)^2) >= 2*r, restitution 0.2, friction mu, "
                        "along ((y%d - y%d)*(x%d' - x%d') - (x%d - x%d)*(y%d' - y%d'))/(2*r) - r*(a%d' + a%d')\n",
                        i, j, i, j, i, j, i, j, j, i, i, j, j, i, i, j);
        text_format(&text, "initial x%d = %.3f, y%d = %.3f, x%d' = %.2f\n", i, -0.27 + 0.27 * (i % 3), i,
                    0.15 + 0.25 * (i / 3), i, i % 2 ? 0.6 : -0.4);
    }
    text_format(&text, "simulate until 2\n");
    if (!text.data || !run_with(&m, text.data, 1e-3)) return;
    text_free(&text);
    double last = HUGE_VAL;
    for (int k = 0; k <= 20; k++) {
        double least = 1;
        const double energy = motion_at(&m, k / 10., "equation.h");
        for (int i = 0; i < DISKS; i++) {
            char name[16];
            snprintf(name, sizeof name, "y%d", i);
            least = fmin(least, motion_at(&m, k / 10., name));
        }
        CHECK(least > 0.1 - 2e-3);
        CHECK(energy < last + 2e-3 * 17);
        last = energy;
    }
    CHECK(mech_sim_info_get(m.sim).event_energy < -5);
    CHECK(mech_sim_info_get(m.sim).balance_error < 0.02 * mech_sim_info_get(m.sim).energy_scale);
    motion_free(&m);
}

/* Twelve blocks in a row on a rough floor, the first two thrown: 23 contacts. Places beside the run with events. */
static void row_of_blocks(void)
{
    enum { BLOCKS = 12 };
    textbuf text = {0};
    motion exact, m;
    double error[2] = {0, 0};
    text_format(&text, "param mu = 0.3, e = 0.4, b = 0.1\n");
    for (int i = 0; i < BLOCKS; i++) {
        text_format(&text, "coord x%d, y%d\nkinetic (x%d'^2 + y%d'^2)/2\npotential 9.81*y%d\ninitial x%d = %g\n", i, i,
                    i, i, i, i, 0.15 * i);
        text_format(&text, "constraint floor%d: y%d >= 0, friction mu, along x%d'\n", i, i, i);
        if (i) text_format(&text, "constraint gap%d: x%d - x%d >= b, restitution e\n", i, i, i - 1);
    }
    text_format(&text, "initial x0' = 5, x1' = 1\nsimulate until 1.5\n");
    if (!text.data || !run_with(&exact, text.data, 0)) return;
    for (int k = 0; k < 2; k++) {
        if (!run_with(&m, text.data, k ? 1e-3 : 1e-2)) return;
        for (int i = 0; i < BLOCKS; i++) {
            char name[16];
            snprintf(name, sizeof name, "x%d", i);
            error[k] = fmax(error[k], fabs(motion_end(&m, name) - motion_end(&exact, name)));
        }
        CHECK_NEAR(mech_sim_info_get(m.sim).event_energy, -13, 1e-2); /* all of (25 + 1)/2, by impacts and friction */
        motion_free(&m);
    }
    CHECK(error[0] < 1e-2 && error[1] < 1e-3);
    motion_free(&exact);
    text_free(&text);
}

/* A ball with restitution comes to rest, and then the floor carries its weight in every step; a motor that samples
   pushes it to where it stands still: u = 0 there, or within friction. The sample reads forces as rows do. */
static void comes_to_rest(void)
{
    motion m;
    if (!run_with(
            &m,
            "coord x, y\nkinetic x'^2 + y'^2\npotential 2*9.81*y\nsampled u = 0, N = 0, on = 0\nforce u on x'\n"
            "constraint floor: y >= 0, restitution 0.5, friction 0.05, along x'\n"
            "every 0.07 { set u = 3 - 6*x - 4*x'; set N = reaction(floor); set on = active(floor) }\n"
            "initial y = 1\noutput now = reaction(floor)\nsimulate until 4, method moreau\n"
            "measure top: max of y\nmeasure load: mean of now\nmeasure last: final of now\nmeasure fast: max of -y'\n",
            1e-3))
        return;
    for (int k = 16; k <= 20; k++) {
        CHECK_NEAR(motion_at(&m, k / 5., "now"), 2 * 9.81, 1e-9);
        CHECK_NEAR(motion_at(&m, k / 5., "N"), 2 * 9.81, 1e-9);
        CHECK(motion_at(&m, k / 5., "on") == 1);
    }
    CHECK(fabs(motion_end(&m, "y")) < 1e-4 && fabs(motion_end(&m, "x'")) < 1e-12);
    CHECK(fabs(3 - 6 * motion_end(&m, "x")) <= 0.05 * 2 * 9.81);
    CHECK_NEAR(motion_end(&m, "u"), 3 - 6 * motion_end(&m, "x"), 1e-9);
    CHECK(mech_sim_info_get(m.sim).samples == 58);
    CHECK(mech_sim_measure(m.sim, 0) == 1);
    CHECK_NEAR(mech_sim_measure(m.sim, 1), 2 * 9.81, 1e-9); /* momentum: at rest before and after */
    CHECK_NEAR(mech_sim_measure(m.sim, 2), 2 * 9.81, 1e-9);
    CHECK_NEAR(mech_sim_measure(m.sim, 3), sqrt(2 * 9.81), 2e-2);
    motion_free(&m);
}

static void look(const mech_sim *sim, double *now)
{
    memcpy(now, mech_sim_q(sim), 2 * sizeof *now);
    memcpy(now + 2, mech_sim_v(sim), 2 * sizeof *now);
}

/* A caller changes a parameter and then the state: the block of the closed form, pushed by F from t = 1 on, at rest at
   x = 7 and y = 0 from t = 2 on, falling from y = 1 at t = 3. */
static void driven(void)
{
    motion m;
    const double q[2] = {7, 0}, up[2] = {7, 1}, v[2] = {0, 0};
    double now[4];
    if (!motion_read(&m, "param F = 0\ncoord x, y\nkinetic x'^2 + y'^2\npotential 2*9.81*y\nforce F on x'\n"
                         "constraint floor: y >= 0, friction 0.3, along x'\ninitial x' = 2\nsimulate until 4\n"))
        return;
    m.settings.method = MECH_METHOD_MOREAU;
    m.settings.max_step = 1e-3;
    CHECK(mech_sim_create(m.system, &m.settings, &m.sim) == MECH_OK && mech_sim_start(m.sim) == MECH_OK);
    CHECK(mech_sim_advance(m.sim, 1) == MECH_OK);
    CHECK(mech_sim_set_param(m.sim, 0, 10) == MECH_OK);
    CHECK(mech_sim_advance(m.sim, 2) == MECH_OK);
    look(m.sim, now);
    CHECK_NEAR(now[0], 4 / (2 * 0.3 * 9.81) + (10 / 2. - 0.3 * 9.81) / 2, 5e-3);
    CHECK_NEAR(now[2], 10 / 2. - 0.3 * 9.81, 5e-3);
    CHECK(mech_sim_set_param(m.sim, 0, 0) == MECH_OK);
    CHECK(mech_sim_set_state(m.sim, q, v, NULL) == MECH_OK && mech_sim_advance(m.sim, 3) == MECH_OK);
    look(m.sim, now);
    CHECK_NEAR(now[0], 7, 1e-12);
    CHECK_NEAR(now[1], 0, 1e-12);
    CHECK(mech_sim_set_state(m.sim, up, v, NULL) == MECH_OK && mech_sim_advance(m.sim, 3.4) == MECH_OK);
    look(m.sim, now);
    CHECK_NEAR(now[1], 1 - 9.81 * 0.08, 1e-9);
    motion_free(&m);
}

/* What it does not serve is said, before a step is taken. */
static void refusals(void)
{
    static const struct {
        const char *more, *why;
        double step;
    } cases[] = {
        {"", "method moreau takes steps of one length: give it as max_step", 0},
        {"event e: y falls through 0.5 -> stop\n",
         "method moreau knows no events but one-sided constraints, for it looks for no instants", 1e-3},
        {"constraint rail: x = 0\nfriction on rail: 0.1, along y'\n",
         "method moreau knows friction on a one-sided constraint alone, one for each", 1e-3},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        motion m;
        textbuf text = {0};
        text_format(&text, "coord x, y\nkinetic x'^2 + y'^2\npotential y\nconstraint floor: y >= 0\ninitial y = 1\n%s",
                    cases[k].more);
        if (!text.data || !motion_read(&m, text.data)) continue;
        motion_settings(&m, 1e-9);
        m.settings.method = MECH_METHOD_MOREAU;
        m.settings.max_step = cases[k].step;
        CHECK(motion_run(&m) == MECH_ERR_UNSUPPORTED);
        CHECK(strstr(mech_sim_error_text(m.sim), cases[k].why) != NULL);
        motion_free(&m);
        text_free(&text);
    }
}

/* What the clock drives does work on what it carries: a lift gives 2 9.81 a second beside its push, and a belt of
   speed 2 takes a block along by 0.5 9.81 until that has its speed, 1/2 2^2. */
static void driven_contacts(void)
{
    static const struct {
        const char *text;
        double work;
    } all[] = {{"coord y\nkinetic y'^2\npotential 2*9.81*y\nconstraint lift: y >= t\ninitial y' = 1\n", 2 * 9.81},
               {"coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
                "constraint belt: y >= 0, friction 0.5, along x' - 2\n",
                2}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        motion m;
        char text[300];
        snprintf(text, sizeof text, "%ssimulate until 1\n", all[i].text);
        if (!run_with(&m, text, 1e-3)) return;
        CHECK_NEAR(mech_sim_info_get(m.sim).event_energy, all[i].work, 1e-9);
        CHECK(mech_sim_info_get(m.sim).balance_error < 1e-9);
        motion_free(&m);
    }
}

/* Two-sided constraints: what their reactions do is what the closed form says, and what is missed falls with h^2. A
   pendulum and a double one do nothing; x = sin(t) takes 5/2 (cos(1)^2 - 1) out of two masses tied to it, also beside
   a contact that strikes: y = x + sin(t) gives a share of each impulse to what the clock drives. */
static void work_of_reactions(void)
{
    const double c = cos(1);
    const struct {
        const char *text;
        double work; /* NAN: what is left of the energy alone */
        double miss; /* at h = 1e-3 */
    } all[] = {
        {"coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint rod: x^2 + y^2 = 1\ninitial x = 1\n"
         "simulate until 5\n",
         0, 2e-5},
        {"coord x, y, u, v\nkinetic (x'^2 + y'^2 + u'^2 + v'^2)/2\npotential 9.81*(y + v)\n"
         "constraint one: x^2 + y^2 = 1\nconstraint two: (u - x)^2 + (v - y)^2 = 1\ninitial x = 1, u = 2\n"
         "simulate until 1\n",
         0, 1e-4},
        {"coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint m: x = sin(t)\nconstraint k: y = 2*x\ninitial x' = 1\n"
         "simulate until 1\n",
         5 / 2. * (c * c - 1), 1e-6},
        {"coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint m: y = x + sin(t)\n"
         "constraint k: x >= 0, restitution 0.5\ninitial x = 1, x' = -3, y' = -2\nsimulate until 1\n",
         NAN, 1e-6},
        {"coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint rod: x^2 + y^2 = 1\n"
         "constraint floor: y >= -0.8, restitution 0.5, friction 0.3, along x'\ninitial x = 1\nsimulate until 3\n",
         0, 1e-4},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        for (double h = 1e-3; h > 1e-4; h /= 4) {
            motion m;
            if (!run_with(&m, all[i].text, h)) return;
            const mech_sim_info info = mech_sim_info_get(m.sim);
            const double part = h * h / 1e-6;
            if (!isnan(all[i].work)) CHECK_NEAR(info.power_integral, all[i].work, all[i].miss * part + 1e-9);
            CHECK(info.balance_error < all[i].miss * part + 1e-9);
            CHECK_TEXT(mech_sim_warning(m.sim), "");
            motion_free(&m);
        }
    }
}

int main(void)
{
    work_of_reactions();
    driven_contacts();
    sliding_block();
    order_one();
    heap();
    row_of_blocks();
    comes_to_rest();
    driven();
    refusals();
    return check_report();
}
