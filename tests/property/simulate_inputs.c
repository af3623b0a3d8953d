/* Inputs given by tables, kinks of them, and control on its path and beside it: each against a closed form. */
#include "support/motion.h"

#include <mech/instant.h>
#include <mech/output.h>

/* x'' = u, the table: a hat of height 1 over [1, 3]: x' = 1 after it, x = 1 + (t - 3); y'' = u': y' = u, y = 1. */
static void tables(void)
{
    static const mech_method methods[] = {MECH_METHOD_RK8, MECH_METHOD_RK5, MECH_METHOD_ADAMS};
    for (int k = 0; k < 3; k++) {
        motion m;
        if (!motion_read(&m,
                         "input u = file \"tests/support/hat.csv\" column \"u\"\ncoord x, y\nkinetic (x'^2 + y'^2)/2\n"
                         "force u on x'\nforce u' on y'\nsimulate until 4\n"))
            return;
        m.settings.method = methods[k];
        if (methods[k] == MECH_METHOD_ADAMS) m.settings.rtol = 1e-12, m.settings.atol = 1e-13;
        const mech_status status = motion_run(&m);
        if (status != MECH_ERR_UNSUPPORTED) {
            const double tolerance = methods[k] == MECH_METHOD_ADAMS ? 1e-8 : 1e-11;
            CHECK(status == MECH_OK);
            CHECK_NEAR(motion_end(&m, "x'"), 1, tolerance);
            CHECK_NEAR(motion_end(&m, "x"), 2, tolerance);
            CHECK_NEAR(motion_end(&m, "y'"), 0, tolerance);
            CHECK_NEAR(motion_end(&m, "y"), 1, tolerance);
            CHECK_NEAR(motion_at(&m, 2, "x'"), 0.5, tolerance);
        }
        motion_free(&m);
    }
    motion m; /* ends on a point, and begins on one */
    if (!motion_read(&m,
                     "input u = file \"tests/support/hat.csv\" column \"u\"\ncoord y\nkinetic y'^2/2\nforce u' on y'\n"
                     "simulate from 1 until 2\n"))
        return;
    motion_must_run(&m);
    CHECK_NEAR(motion_at(&m, 2, "y'"), 1, 1e-12);
    CHECK_NEAR(motion_at(&m, 2, "y"), 0.5, 1e-12);
    motion_free(&m);
    /* a signal with a jump: x' = t - 1 beyond it */
    if (!motion_read(&m, "input u = if(t < 1, 0, 1)\ncoord x\nkinetic x'^2/2\nforce u on x'\nsimulate until 3\n"))
        return;
    motion_must_run(&m);
    CHECK(motion_count(&m, MECH_LOG_SWITCH) == 1);
    CHECK_NEAR(motion_end(&m, "x"), 2, 1e-11);
    motion_free(&m);
}

/* x'' = -x above 0 and -4 x below, written in five ways: up and down in pi + pi/2. */
static void kinks(void)
{
    static const char *const forces[] = {"-if(x > 0, x, 4*x)", "-(5*x - 3*abs(x))/2", "-x*(5 - 3*sign(x))/2",
                                         "-min(x, 4*x)", "max(-x, -4*x)"};
    static const char *const names[] = {"a kink of x > 0 in line 3", "a kink of abs(x) in line 3",
                                        "a kink of sign(x) in line 3", "a kink of min(x, 4*x) in line 3",
                                        "a kink of max(-x, -4*x) in line 3"};
    for (size_t k = 0; k < 5; k++) {
        char text[256];
        motion m;
        snprintf(text, sizeof text, "coord x\nkinetic x'^2/2\nforce %s on x'\ninitial x = 1\nsimulate until 20\n",
                 forces[k]);
        if (!motion_read(&m, text)) return;
        motion_must_run(&m);
        /* zeros at pi/2 + 3 pi/2 i downwards and pi + 3 pi/2 i upwards */
        const size_t count = motion_count(&m, MECH_LOG_SWITCH);
        CHECK(count == 8);
        for (size_t i = 0; i < count; i++)
            CHECK_NEAR(motion_when(&m, MECH_LOG_SWITCH, i), M_PI / 2 * (double)(1 + 3 * (i / 2) + i % 2), 1e-9);
        const double last = M_PI / 2 * (1 + 3 * 3 + 1); /* upwards with speed 1 */
        CHECK_NEAR(motion_end(&m, "x"), sin(20 - last), 1e-9);
        for (size_t i = 0; i < mech_sim_log_count(m.sim); i++) {
            const mech_log_entry h = mech_sim_log_get(m.sim, i);
            if (h.kind == MECH_LOG_SWITCH) CHECK(strstr(h.text, names[k]) != NULL);
        }
        motion_free(&m);
    }
    motion_refused("coord x\nkinetic x'^2/2\nforce -sign(x')*3/2 - x on x'\ninitial x = 1\nsimulate until 10\n",
                   MECH_ERR_INTEGRATION, "a kink of sign(x') in line 3", "friction on");
}

/* A servo that begins off its path comes to it like r'' = -2 r' - r with these gains, however long the run is, by the
   model or by the settings; without any the run is refused, and one on its path is as good. The gains of a control
   leave constraints to the projection. */
static void servo(void)
{
    static const char *const gains[] = {"", "stabilize excess on path, B = 2, K = 1\n",
                                        "stabilize excess on path, B = 2, K = 1\nstabilize none\n"};
    static const double spans[] = {10, 1e3, 1e6, (double)INFINITY}, B = 2, K = 1;
    for (size_t i = 0; i < 4; i++)
        for (size_t g = 0; g < 3; g++) {
            motion m;
            char text[300];
            snprintf(
                text, sizeof text,
                "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint rod: y = x^2\ncontrol path: x = 1\n%sinitial x = 0, x' = 0\nsimulate until 10\n",
                gains[g]);
            if (!motion_read(&m, text)) return;
            m.settings.until = spans[i];
            m.settings.output_step = 1;
            m.settings.output_points = 0;
            if (g == 0) {
                CHECK(mech_sim_create(m.system, &m.settings, &m.sim) == MECH_OK &&
                      mech_sim_start(m.sim) == MECH_ERR_OFF_PATH);
                CHECK(strstr(mech_sim_error_text(m.sim), "control path is off its path, r = -1 and r' = 0"));
                mech_sim_free(m.sim);
                m.settings.damping = &B;
                m.settings.stiffness = &K;
                m.settings.damping_count = m.settings.stiffness_count = 1;
            }
            CHECK(mech_sim_create(m.system, &m.settings, &m.sim) == MECH_OK && mech_sim_start(m.sim) == MECH_OK);
            CHECK(mech_sim_info_get(m.sim).stabilize == (g == 2 ? MECH_STABILIZE_NONE : MECH_STABILIZE_PROJECT));
            CHECK(mech_sim_advance(m.sim, 10) == MECH_OK);
            for (int k = 1; k < 10; k++) CHECK_NEAR(motion_at(&m, k, "x"), 1 - (1 + k) * exp(-k), 1e-9);
            motion_free(&m);
        }
}

/* On its path a servo without gains stays there, in a run of any length; an event, an input or a corner of the path
   that throws it off ends the run. */
static void servo_on_its_path(void)
{
    static const struct {
        const char *text;
        double end; /* 0: it reaches the end */
    } cases[] = {
        {"coord x\nkinetic x'^2/2\npotential -cos(3*x)\ncontrol path: x = sin(t)\nsimulate until 100\n", 0},
        {"coord x\nkinetic x'^2/2\npotential -cos(3*x)\ncontrol path: x' = cos(t)\nsimulate until 100\n", 0},
        {"coord x\nkinetic x'^2/2\ncontrol path: x = sin(t)\nevent kick: t rises through 2 -> set x' = x' + 1/5\nsimulate until 100\n",
         2},
        {"coord x\nkinetic x'^2/2\ncontrol path: x = t + abs(t - 3)/10\nsimulate until 100\n", 3},
        {"coord x\nkinetic x'^2/2\ncontrol path: x = sin(t)\ninitial release path\ninitial x' = 1\nevent on: t rises through 1 -> impose path\nsimulate until 100\n",
         1},
        {"coord x\nkinetic x'^2/2\ncontrol path: x = sin(t)\ninitial release path\ninitial x' = 1\nforce -x on x'\nevent on: t rises through 1 -> impose path\nsimulate until 100\n",
         0},
        {"coord x\nkinetic x'^2/2\ncontrol path: x = t + abs(t - 3)/1000\nstabilize excess on path, B = 20, K = 100\nsimulate until 100\n",
         0},
    };
    static const mech_method methods[] = {MECH_METHOD_RK8, MECH_METHOD_RK5, MECH_METHOD_ADAMS};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t k = 0; k < 3; k++)
            for (double rtol = 1e-5; rtol > 1e-12; rtol *= 1e-3) {
                motion m;
                if (!motion_read(&m, cases[i].text)) return;
                motion_settings(&m, rtol);
                m.settings.method = methods[k];
                const mech_status status = motion_run(&m);
                if (motion_has_method(&m, status)) {
                    if (status != (cases[i].end > 0 ? MECH_ERR_OFF_PATH : MECH_OK))
                        fprintf(stderr, "case %zu, method %zu, rtol %g: %s %s\n", i, k, rtol, mech_status_text(status),
                                mech_sim_error_text(m.sim));
                    CHECK(status == (cases[i].end > 0 ? MECH_ERR_OFF_PATH : MECH_OK));
                    CHECK(cases[i].end == 0 || fabs(mech_sim_time(m.sim) - cases[i].end) < 1e-6);
                    if (i < 2) CHECK_NEAR(motion_end(&m, "x"), sin(100), 100 * rtol);
                }
                motion_free(&m);
            }
}

int main(void)
{
    tables();
    kinks();
    servo();
    servo_on_its_path();
    return check_report();
}
