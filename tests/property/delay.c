/* delay(x, T): against the method of steps in closed form, against programs of its own, across impacts, jumps, kinks
   and samples; what a caller does; what is refused. */
#include "support/motion.h"

#include <math.h>

static int run_text(motion *m, const char *text, mech_method method)
{
    if (!motion_read(m, text)) return 0;
    motion_settings(m, 1e-12);
    m->settings.output_points = 0;
    m->settings.method = method;
    motion_must_run(m);
    return 1;
}

/* x' = -x(t - 1), x = 1 before: on each unit of time the integral of the polynomial of the one before. Break after
   break comes back: the error stays at rounding. */
static void polynomials(void)
{
    static const mech_method methods[] = {MECH_METHOD_RK8, MECH_METHOD_RK5, MECH_METHOD_AUTO};
    for (size_t k = 0; k < 3; k++) {
        motion m;
        double piece[16] = {1}, next[16] = {0}, worst = 0;
        if (!run_text(
                &m, "coord y\nkinetic y'^2/2\nstate x: x' = -delay(x, 1)\ninitial x = 1\nsimulate until 9, step 0.25\n",
                methods[k]))
            return;
        for (int unit = 0; unit < 9; unit++) {
            next[0] = 0;
            for (int i = 0; i <= unit; i++) next[0] += piece[i];
            for (int i = 0; i <= unit; i++) next[i + 1] = -piece[i] / (i + 1);
            memcpy(piece, next, sizeof piece);
            for (int j = 0; j <= 4; j++) {
                double x = 0, s = j / 4.;
                for (int i = unit + 1; i >= 0; i--) x = x * s + piece[i];
                worst = fmax(worst, fabs(x - motion_at(&m, unit + s, "x")));
            }
        }
        CHECK(worst < (k == 1 ? 1e-10 : 1e-12));
        CHECK(mech_sim_info_get(m.sim).steps < (k == 1 ? 500 : 60));
        motion_free(&m);
    }
}

/* Two delays, one of a velocity, one within a sine; the numbers are SciPy's DOP853 at 1e-13 from break to break. */
static void oscillator(void)
{
    static const double at[][3] = {
        {0.5, 0.99212914246138018, -0.23082477605314711}, {1.5, 0.44746234502409332, -0.7012684739641466},
        {3, -0.16608187717994627, -0.013056279200917226}, {6.5, 0.0010348308067638489, -0.057657170235842187},
        {9, 0.0052701358552765375, 0.013230908051264385}, {12, -0.0029509960639555561, 0.0013791771236013679}};
    motion m;
    if (!run_text(&m,
                  "param T = 0.7\ncoord x\nkinetic x'^2/2\npotential x^2/2\n"
                  "force -0.5*delay(x', T) + 0.3*sin(delay(x, 1.3)) on x'\ninitial x = 1, x' = 0.2\n"
                  "output late = delay(x^2 + x', 1.3)\nsimulate until 12, step 0.5\n",
                  MECH_METHOD_RK8))
        return;
    for (size_t k = 0; k < sizeof at / sizeof *at; k++) {
        CHECK_NEAR(motion_at(&m, at[k][0], "x"), at[k][1], 1e-11);
        CHECK_NEAR(motion_at(&m, at[k][0], "x'"), at[k][2], 1e-11);
    }
    CHECK(mech_sim_info_get(m.sim).balance_error < 1e-10); /* the work of what comes late is counted */
    motion_free(&m);
}

/* A ball that bounces: the integral of its late velocity is its late height, jumps and all; a kink of |y - 1/2|; a
   state that an event sets; delays of delays; what happens at jumps that come back happens there. */
static void jumps(void)
{
    motion m;
    if (!run_text(&m,
                  "coord y\nkinetic y'^2/2\npotential 9.81*y\nconstraint floor: y >= 0, restitution 0.7\n"
                  "state w: w' = delay(y', 0.3)\nstate z: z' = 0\nstate c: c' = delay(z, 0.5)\n"
                  "state k: k' = delay(abs(y - 0.5), 0.3)\nstate k0: k0' = abs(y - 0.5)\n"
                  "event e: t rises through 1 -> set z = 1\nevent late: delay(z, 0.5) rises through 0.5 -> record\n"
                  "measure when: time of late\nmeasure top: max of delay(y, 0.3)\nmeasure mean: mean of delay(z, 0.5)\n"
                  "output one = delay(y, 0.5), two = delay(delay(y, 0.3), 0.2), v = delay([y, y'], 0.3)\n"
                  "initial y = 1\nsimulate until 3, step 0.05\n",
                  MECH_METHOD_RK8))
        return;
    for (int i = 6; i <= 60; i++) {
        const double t = i * 0.05, before = (i - 6) * 0.05;
        CHECK_NEAR(motion_at(&m, t, "w"), motion_at(&m, before, "y") - 1, 1e-12);
        CHECK_NEAR(motion_at(&m, t, "v[1]"), motion_at(&m, before, "y"), 1e-13);
        CHECK_NEAR(motion_at(&m, t, "v[2]"), motion_at(&m, before, "y'"), 1e-12);
        CHECK_NEAR(motion_at(&m, t, "one"), motion_at(&m, t, "two"), 1e-13);
        CHECK_NEAR(motion_at(&m, t, "k"), motion_at(&m, before, "k0") + 0.3 * 0.5, 1e-12);
        CHECK_NEAR(motion_at(&m, t, "c"), fmax(0, t - 1.5), 1e-12);
    }
    CHECK_NEAR(mech_sim_measure(m.sim, 0), 1.5, 1e-12);
    CHECK_NEAR(mech_sim_measure(m.sim, 1), 1, 1e-12);
    CHECK_NEAR(mech_sim_measure(m.sim, 2), 0.5, 1e-12);
    motion_free(&m);
}

/* A motor that samples, late by 2 1/2 samples on its way out and by one on its way in: between instants the force is
   constant, so each stretch is exact. */
static void samples(void)
{
    double x = 1, v = 0, u[64], seen[64];
    motion m;
    if (!run_text(&m,
                  "coord x\nkinetic x'^2/2\nsampled u = 0\nforce delay(u, 0.25) on x'\n"
                  "every 0.1 { set u = -3*delay(x, 0.1) - 2*x' - 0.1*delay(u, 0.1) }\ninitial x = 1\n"
                  "simulate until 5, step 0.1\n",
                  MECH_METHOD_RK8))
        return;
    for (int n = 0; n <= 50; n++) {
        CHECK_NEAR(motion_at(&m, n * 0.1, "x"), x, 1e-11);
        CHECK_NEAR(motion_at(&m, n * 0.1, "x'"), v, 1e-11);
        seen[n] = x;
        u[n] = -3 * (n ? seen[n - 1] : 1) - 2 * v - 0.1 * (n ? u[n - 1] : 0);
        for (int half = 0; half < 2; half++) { /* the force of n + 1/4 of a second later changes halfway */
            const int source = n - 3 + half;
            const double f = source >= 0 ? u[source] : 0, h = 0.05;
            x += h * v + h * h / 2 * f;
            v += h * f;
        }
    }
    CHECK(mech_sim_info_get(m.sim).samples == 50);
    motion_free(&m);
}

/* A caller takes the run on by pieces, changes an input, which comes back late, and resets; the time of a delay
   stays. */
static void driven(void)
{
    motion m;
    if (!motion_read(&m,
                     "param T = 0.5\ncoord y\nkinetic y'^2/2\ninput u = 0\nstate x: x' = delay(u, T)\ninitial x = 0\n"
                     "simulate until 4\n"))
        return;
    CHECK(mech_sim_create(m.system, &m.settings, &m.sim) == MECH_OK);
    for (int turn = 0; turn < 2; turn++) {
        CHECK(mech_sim_start(m.sim) == MECH_OK && mech_sim_advance(m.sim, 1) == MECH_OK);
        CHECK(mech_sim_set_input(m.sim, 0, 2) == MECH_OK);
        CHECK(mech_sim_advance(m.sim, 1.4) == MECH_OK && fabs(mech_sim_states(m.sim)[0]) < 1e-15);
        CHECK(mech_sim_advance(m.sim, 1.75) == MECH_OK);
        CHECK_NEAR(mech_sim_states(m.sim)[0], 2 * 0.25, 1e-13);
        CHECK(mech_sim_set_input(m.sim, 0, -1) == MECH_OK && mech_sim_advance(m.sim, 3) == MECH_OK);
        CHECK_NEAR(mech_sim_states(m.sim)[0], 2 * 0.75 - 0.75, 1e-13);
        if (turn == 0)
            CHECK(mech_sim_reset(m.sim) == MECH_OK && mech_eval_use_signal(mech_sim_eval(m.sim), 0) == MECH_OK);
    }
    CHECK(mech_sim_set_param(m.sim, 0, 0.25) == MECH_OK && mech_sim_advance(m.sim, 3.5) == MECH_ERR_MODEL);
    CHECK(strstr(mech_sim_error_text(m.sim), "the time of a delay was 0.5 and would become 0.25") != NULL);
    motion_free(&m);
}

/* At one instant a delay is what it is of. */
static void instant(void)
{
    motion m;
    mech_eval *eval;
    const double q[1] = {0.3}, v[1] = {2};
    if (!motion_read(&m, "coord x\nkinetic x'^2/2\nforce -delay(delay(x, 1) + x', 2) on x'\n")) return;
    CHECK(mech_eval_create(m.system, MECH_STORAGE_DENSE, &eval) == MECH_OK);
    CHECK(mech_eval_state(eval, 0, q, v, NULL) == MECH_OK);
    CHECK_NEAR(mech_eval_equation(eval)->Q[0], -2.3, 1e-15);
    mech_eval_free(eval);
    motion_free(&m);
}

/* A delay of one period: 0.5 + 0.1 is not 6*0.1, and rows are at a third such time. Row k, at instant k, shows what was
   held until then: k samples so far, the time of the last; delayed by T the same of row k - 1. A sample takes what the
   one before has set. */
static void of_a_period(void)
{
    static const double periods[] = {0.1, 0.07, 0.3, 0.013}, ends[] = {7, 2.1};
    for (size_t c = 0; c < 16; c++) {
        const double T = periods[c / 4], last = floor(ends[c / 2 % 2] / T + 1e-9);
        char text[512];
        motion m;
        int wrong = 0;
        snprintf(text, sizeof text,
                 "coord x\nkinetic x'^2/2\nparam T = %g\nsampled u = 0, n = 0, off = 0\n"
                 "every T { set u = t\nset n = n + 1\nset off = max(off, abs(n - delay(n, T))) }\nforce -x + u on x'\n"
                 "output w = delay(u, T), l = delay(n, T)\nmeasure o: final of off\nsimulate until %.17g, %s %.17g\n",
                 T, last * T, c % 2 ? "points" : "step", c % 2 ? last + 1 : T);
        if (!run_text(&m, text, MECH_METHOD_AUTO)) return;
        const mech_trajectory *tr = mech_sim_trajectory(m.sim);
        static const char *const names[] = {"u", "n", "w", "l"};
        size_t at[4];
        for (int i = 0; i < 4; i++) at[i] = mech_trajectory_find(tr, names[i]);
        CHECK((double)mech_trajectory_rows(tr) == last + 1);
        for (size_t k = 0; k < mech_trajectory_rows(tr); k++) {
            const double *row = mech_trajectory_row(tr, k), number = (double)k;
            wrong += fabs(row[at[0]] - T * fmax(0, number - 1)) > 1e-12 || fabs(row[at[1]] - number) > 1e-9;
            wrong +=
                fabs(row[at[2]] - T * fmax(0, number - 2)) > 1e-12 || fabs(row[at[3]] - fmax(0, number - 1)) > 1e-9;
        }
        CHECK(wrong == 0);
        CHECK_NEAR(mech_sim_measure(m.sim, 0), 0, 1e-9);
        motion_free(&m);
    }
}

/* Methods that do not end their steps where it matters. */
static void refusals(void)
{
    static const mech_method methods[] = {MECH_METHOD_BDF, MECH_METHOD_ADAMS, MECH_METHOD_IRK, MECH_METHOD_MOREAU};
    for (size_t k = 0; k < 4; k++) {
        motion m;
        if (!motion_read(&m, "coord x\nkinetic x'^2/2\nforce -delay(x, 1) on x'\ninitial x = 1\nsimulate until 1\n"))
            return;
        m.settings.method = methods[k];
        m.settings.max_step = 1e-2;
        CHECK(motion_run(&m) == MECH_ERR_UNSUPPORTED);
        CHECK(strstr(mech_sim_error_text(m.sim), "the model has delays") != NULL);
        motion_free(&m);
    }
}

/* What is held comes back to the last bit: n = 4 from 0.3 on, so the force from 0.5 on; the parity of n changes with
   each sample. */
static void of_a_count(void)
{
    motion m;
    if (!motion_read(&m, "coord x\nkinetic x'^2/2\nsampled n = 0\nevery 0.1 { set n = n + 1 }\nstate z: z' = "
                         "mod(delay(n, 0.1), 2)\nforce if(delay(n, 0.2) >= 4, 1, 0) on x'\n"))
        return;
    m.settings.until = 1;
    motion_must_run(&m);
    CHECK_NEAR(motion_end(&m, "x'"), 0.5, 1e-12);
    CHECK_NEAR(motion_end(&m, "x"), 0.125, 1e-12);
    CHECK_NEAR(motion_end(&m, "z"), 0.5, 1e-12); /* n of 0.1 before is odd in [0.1, 0.2), [0.3, 0.4), ... */
    motion_free(&m);
}

int main(void)
{
    polynomials();
    of_a_count();
    oscillator();
    jumps();
    samples();
    of_a_period();
    driven();
    instant();
    refusals();
    return check_report();
}
