/* Controllers that sample: the plant stepped exactly from sample to sample by other means, ticks counted, their order,
   cut runs. */
#include "support/motion.h"

#include <float.h>

static int go(motion *m, const char *text, mech_method method, double until)
{
    if (!motion_read(m, text)) return 0;
    CHECK(motion_derive(m) == MECH_OK);
    m->settings.method = method;
    m->settings.until = until;
    return motion_may_run(m);
}

/* scipy 1.10: solve_ivp with DOP853 at rtol 3e-14 from sample to sample, u = -K x computed between. */
static void cart_pole(void)
{
    static const double at[][6] = {
        {0.02, 0.0031105446790859813, 0.2952119352788538, 0.3110921984254606, -0.479323666152939, 15.9636},
        {0.2, 0.1717787763684179, 0.06443310440316766, 1.1234182656457024, -1.3794537095722967, -0.8321082384813554},
        {1, 0.29613760772916387, -0.037072473835366146, -0.3977342403910495, 0.24018224243335182, -0.22255660789787113},
        {2, 0.026268588495506836, 0.02453314385231077, -0.10093597351409239, -0.029160799018995716,
         0.2826691202875744}};
    static const char *const names[] = {"x", "theta", "x'", "theta'", "u"};
    static const mech_method methods[] = {MECH_METHOD_RK8, MECH_METHOD_RK5, MECH_METHOD_BDF};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        motion m;
        if (!motion_read(&m, "examples/sampled-cart-pole/model.mech")) return;
        CHECK(motion_derive(&m) == MECH_OK);
        m.settings.method = methods[i];
        m.settings.output_points = 101;
        if (motion_may_run(&m)) {
            for (size_t k = 0; k < sizeof at / sizeof *at; k++)
                for (size_t c = 0; c < 5; c++)
                    CHECK_NEAR(motion_at(&m, at[k][0], names[c]), at[k][c + 1], i < 2 ? 1e-9 : 1e-6);
            CHECK(mech_sim_info_get(m.sim).samples == 100);
        }
        motion_free(&m);
    }
}

/* No tick is missed in many, and each comes at k T to the last digit. */
static void ticks(void)
{
    motion m;
    if (go(&m,
           "param T = 1e-3\ncoord x\nkinetic x'^2/2\npotential x^2/2\nsampled n = 0, late = 0, m = 0\n"
           "every T { set late = max(late, abs(t*1000 - n)/max(n, 1)); set n = n + 1 }\n"
           "every 3*T from T/2 { set m = m + 1 }\ninitial x = 1\n",
           MECH_METHOD_RK8, 100)) {
        CHECK_NEAR(motion_end(&m, "n"), 1e5, 0);
        CHECK_NEAR(motion_end(&m, "late"), 0, DBL_EPSILON); /* two roundings */
        CHECK_NEAR(motion_end(&m, "m"), 33334, 0);
        CHECK_NEAR(motion_end(&m, "x"), cos(100), 1e-9);
    }
    motion_free(&m);
}

/* What happens at 2.1 happens at 3*0.7 and 7*0.3, whose products are below and above it: events come first, inputs are
   on their next side, and a clock beside another one sees its own instants. From 0.1 on, too, and by thirds. */
static void same_instants(void)
{
    static const char *const clocks[] = {"0.7", "0.3", "0.1", "0.4 from 0.1", "2.1", "1/3 from 0.1"};
    for (size_t i = 0; i < sizeof clocks / sizeof *clocks; i++) {
        motion m;
        char text[600];
        snprintf(text, sizeof text,
                 "coord x\nkinetic x'^2/2\nsampled n = 0, b = 0, u0 = 0\ninput u = if(t < 2.1, 0, 1)\n"
                 "event e: t rises through 2.1 -> set x' = 5\nevery 0.1 { set n = floor(t/0.1) }\n"
                 "every %s { set b = x'; set u0 = u }\ninitial x' = 1\n",
                 clocks[i]);
        if (go(&m, text, MECH_METHOD_RK8, 2.15)) {
            CHECK_NEAR(motion_end(&m, "n"), 21, 0);
            CHECK_NEAR(motion_end(&m, "b"), 5, 0);
            CHECK_NEAR(motion_end(&m, "u0"), 1, 0);
        }
        motion_free(&m);
    }
}

/* x'' = u, sampled: the sum of parabolas; cut by the caller wherever, with rows and without, and begun later. */
static void double_integrator(void)
{
    static const double pieces[] = {0, 0.1, 0.05, 0.07, 0.3};
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        motion m;
        double x = 1, v = 0;
        for (int k = 0; k < 30; k++) {
            const double u = -20 * x - 4 * v;
            x += 0.1 * v + 0.005 * u, v += 0.1 * u;
        }
        if (!motion_read(&m, "param T = 0.1\ncoord x\nkinetic x'^2/2\nsampled u = 0\nevery T { set u = -20*x - 4*x' }\n"
                             "force u on x'\ninitial x = 1\n"))
            return;
        m.settings.until = 3;
        CHECK(mech_sim_create(m.system, &m.settings, &m.sim) == MECH_OK);
        mech_status status = mech_sim_start(m.sim);
        for (int k = 1; status == MECH_OK && pieces[i] > 0 && k * pieces[i] < 3; k++)
            status = mech_sim_advance(m.sim, k * pieces[i]);
        if (status == MECH_OK) status = mech_sim_advance(m.sim, 3);
        CHECK(status == MECH_OK);
        CHECK_NEAR(motion_end(&m, "x"), x, 1e-13);
        CHECK_NEAR(motion_end(&m, "x'"), v, 1e-13);
        motion_free(&m);
    }
}

/* Blocks of one instant act in the order of the text, also where 30*0.1 and 10*0.3 differ by rounding; the values of
   one block are taken before any is set; events see what a sample makes jump. */
static void order(void)
{
    motion m;
    if (go(&m,
           "coord x\nkinetic x'^2/2\ninitial x' = 1\nsampled a = 1, b = 2, c = 0, d = 0, first = 0\n"
           "every 1 from 1/2 { set a = b, set b = a }\n"
           "every 0.1 { set c = c + 1; set d = c }\n"
           "every 0.3 { set first = c }\n"
           "event over: c rises through 4.5 -> record\n",
           MECH_METHOD_RK8, 3.05)) {
        CHECK_NEAR(motion_at(&m, 3.05, "c"), 31, 0);
        CHECK_NEAR(motion_at(&m, 3.05, "d"), 30, 0);
        CHECK_NEAR(motion_at(&m, 3.05, "first"), 31, 0);
        CHECK_NEAR(motion_end(&m, "a"), 2, 0);
        CHECK_NEAR(motion_end(&m, "b"), 1, 0);
        CHECK_NEAR(motion_when(&m, MECH_LOG_EVENT, 0), 0.4, 1e-15);
    }
    motion_free(&m);
}

/* A speed that is asked for at samples: velocities jump by impulses of the constraint. What is measured at a sample may
   be a reaction: here the weight that rests on the floor. */
static void asked_speed(void)
{
    motion m;
    if (go(&m,
           "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint floor: y = 0\nsampled w = 1, N = 0\n"
           "every 1 from 1 { set w = w + 1; set N = reaction(floor) }\nconstraint speed: x' = w\ninitial x = 0\n",
           MECH_METHOD_RK8, 2.5)) {
        CHECK_NEAR(motion_end(&m, "x"), 1 + 2 + 1.5, 1e-12);
        CHECK_NEAR(motion_end(&m, "x'"), 3, 1e-12);
        CHECK_NEAR(motion_end(&m, "N"), 9.81, 1e-12);
    }
    motion_free(&m);
}

/* The period is set between two advances: 1/2 until 2, then 1/4. */
static void other_period(void)
{
    motion m;
    if (!motion_read(&m, "param T = 1/2\ncoord x\nkinetic x'^2/2\nsampled n = 0\nevery T { set n = n + 1 }\n")) return;
    m.settings.until = 3;
    CHECK(mech_sim_create(m.system, &m.settings, &m.sim) == MECH_OK);
    CHECK(mech_sim_start(m.sim) == MECH_OK && mech_sim_advance(m.sim, 1.8) == MECH_OK);
    CHECK(mech_sim_set_param(m.sim, 0, 0.25) == MECH_OK);
    CHECK(mech_sim_advance(m.sim, 3) == MECH_OK);
    CHECK_NEAR(motion_end(&m, "n"), 4 + 4, 0); /* at 0, 1/2, 1, 3/2, then 2, 2.25, 2.5, 2.75, and not yet at 3 */
    motion_free(&m);
}

/* At the instant of a sample all that is looked at is of before it, however often one looks: n = k at t = k/4, and an
   input that is set there acts at once. */
static void looking(void)
{
    motion m;
    double out[2];
    if (!motion_read(&m, "coord x\nkinetic x'^2/2\ninput u = 0\nforce u on x'\nsampled n = 0\n"
                         "every 1/4 { set n = n + 1 }\noutput nn = n, a = x''\n"))
        return;
    m.settings.until = 2;
    CHECK(mech_sim_create(m.system, &m.settings, &m.sim) == MECH_OK && mech_sim_start(m.sim) == MECH_OK);
    for (int k = 0; k < 8; k++) {
        if (k) CHECK(mech_sim_advance(m.sim, 0.25 * k) == MECH_OK);
        CHECK(mech_sim_set_input(m.sim, 0, k) == MECH_OK);
        for (int again = 0; again < 2; again++) {
            CHECK(mech_sim_outputs_now(m.sim, out) == MECH_OK);
            CHECK_NEAR(out[0], k, 0);
            CHECK_NEAR(out[1], k, 1e-14);
            CHECK_NEAR(mech_sim_states(m.sim)[0], k, 0);
        }
    }
    CHECK(mech_sim_advance(m.sim, 2) == MECH_OK);
    CHECK_NEAR(mech_sim_v(m.sim)[0], 0.25 * (0 + 1 + 2 + 3 + 4 + 5 + 6 + 7), 1e-13);
    motion_free(&m);
}

/* A trigger that jumps by a sample, a delay or an input stops the run there: x = 2 + t. */
static void stops_at_once(void)
{
    static const struct {
        const char *text;
        double t;
    } all[] = {
        {"sampled s = 0\nevery 1 from 0.5 { set s = 1 }\n", 0.5},
        {"sampled s = 0\nevery 1 { set s = 1 }\n", 0},
        {"sampled r = 0\nevery 1 from 0.5 { set r = 1 }\nlet s = delay(r, 0.3)\n", 0.8},
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        motion m;
        char text[300];
        snprintf(text, sizeof text, "coord x\nkinetic x'^2/2\n%sevent e: s rises through 0.5 -> stop\n%s", all[i].text,
                 "initial x = 2, x' = 1\nmeasure f: final of x\nmeasure l: max of x\n");
        if (go(&m, text, MECH_METHOD_RK8, 3)) {
            CHECK(mech_sim_has_stopped(m.sim));
            CHECK_NEAR(mech_sim_time(m.sim), all[i].t, 1e-12);
            CHECK_NEAR(motion_end(&m, "x"), 2 + all[i].t, 1e-12);
            for (size_t k = 0; k < 2; k++) CHECK_NEAR(mech_sim_measure(m.sim, k), 2 + all[i].t, 1e-12);
        }
        motion_free(&m);
    }
    motion m;
    if (!motion_read(&m, "coord x\nkinetic x'^2/2\ninput s = 0\nevent e: s rises through 0.5 -> stop\n"
                         "initial x = 2, x' = 1\n"))
        return;
    m.settings.until = 3;
    CHECK(mech_sim_create(m.system, &m.settings, &m.sim) == MECH_OK && mech_sim_start(m.sim) == MECH_OK);
    CHECK(mech_sim_advance(m.sim, 0.5) == MECH_OK && mech_sim_set_input(m.sim, 0, 1) == MECH_OK);
    CHECK(mech_sim_advance(m.sim, 3) == MECH_OK && mech_sim_has_stopped(m.sim));
    CHECK_NEAR(mech_sim_time(m.sim), 0.5, 0);
    CHECK_NEAR(mech_sim_q(m.sim)[0], 2.5, 1e-14);
    motion_free(&m);
}

int main(void)
{
    stops_at_once();
    cart_pole();
    ticks();
    same_instants();
    double_integrator();
    order();
    asked_speed();
    other_period();
    looking();
    return check_report();
}
