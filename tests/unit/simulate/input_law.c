/* Inputs by a law in C on a model from text: the same motion as with the law in the text, closed forms, and what is
   refused. */
#include "support/motion.h"

#include <mech/lanes.h>

typedef struct controller {
    double k, d, goal;
    size_t calls, slopes;
    mech_status fails;
} controller;

static mech_status spring(void *user, const mech_point *at, double *u)
{
    controller *c = user;
    c->calls++;
    if (c->fails != MECH_OK) return c->fails;
    u[0] = -c->k * (at->q[0] - c->goal) - c->d * at->v[0];
    return MECH_OK;
}

/* du/dx, du/dx' of a model with n coordinates, of which x is the first; no states */
static mech_status spring_slope_1(void *user, const mech_point *at, double *slope)
{
    controller *c = user;
    (void)at;
    c->slopes++;
    slope[0] = -c->k;
    slope[1] = -c->d;
    return MECH_OK;
}

static const size_t first[1] = {0};

static mech_input_law law_of(controller *c, int with_slope)
{
    return (mech_input_law){.size = sizeof(mech_input_law),
                            .inputs = first,
                            .count = 1,
                            .u = spring,
                            .slope = with_slope ? spring_slope_1 : NULL,
                            .user = c};
}

static int begin(motion *m, const char *text, mech_method method, int native, mech_motion_code **code)
{
    *code = NULL;
    if (!motion_read(m, text)) return 0;
    CHECK(motion_derive(m) == MECH_OK);
    m->settings.method = method;
    m->settings.rtol = 1e-10;
    m->settings.atol = 1e-13;
    if (native) {
        mech_motion_settings settings;
        mech_motion_settings_default(&settings, sizeof settings);
        settings.native = MECH_NATIVE_OFF; /* the interpreted plan; native code takes its inputs the same way */
        settings.with_power = settings.with_check = 1;
        CHECK(mech_motion_code_create(m->system, &settings, code) == MECH_OK);
    }
    CHECK(mech_sim_create(m->system, &m->settings, &m->sim) == MECH_OK);
    if (native) CHECK(mech_sim_use_motion(m->sim, *code) == MECH_OK);
    return 1;
}

/* x'' = -k (x - goal) - d x': a goal that moves between two advances is a jump of the law. */
static void oscillates(mech_method method, int native, int with_slope)
{
    static const char text[] = "coord x\nkinetic x'^2/2\ninput u = 7\nforce u on x'\ninitial x = 1\nsimulate until 2\n";
    controller c = {.k = 25, .d = 6};
    const mech_input_law law = law_of(&c, with_slope);
    motion m;
    mech_motion_code *code;
    double x = 1, v = 0;
    if (begin(&m, text, method, native, &code)) {
        CHECK(mech_sim_set_law(m.sim, &law) == MECH_OK);
        const mech_status status = mech_sim_start(m.sim);
        for (int i = 0; i < 4 && motion_has_method(&m, status); i++) {
            c.goal = i % 2;
            CHECK(mech_sim_advance(m.sim, 0.5 * (i + 1)) == MECH_OK);
            const double e = exp(-3 * 0.5), co = cos(4 * 0.5), si = sin(4 * 0.5) / 4, x0 = x - c.goal, v0 = v;
            x = c.goal + e * (x0 * (co + 3 * si) + v0 * si);
            v = e * (v0 * (co - 3 * si) - 25 * x0 * si);
            CHECK_NEAR(mech_sim_q(m.sim)[0], x, 3e-8);
            CHECK_NEAR(mech_sim_v(m.sim)[0], v, 3e-8);
        }
        CHECK(c.calls > 0);
        if (with_slope && (method == MECH_METHOD_BDF || method == MECH_METHOD_IRK) && motion_has_method(&m, status))
            CHECK(c.slopes > 0);
        CHECK(mech_sim_info_get(m.sim).balance_error < 1e-6);
    }
    mech_sim_free(m.sim);
    m.sim = NULL;
    mech_motion_code_free(code);
    motion_free(&m);
}

/* On a rod, with an event that stops the clock, beside the same law in the text. */
static void swings(int native)
{
    static const char frame[] =
        "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\ninput u = 0\nconstraint rod: x^2 + y^2 = 1\nforce %s on x'\noutput N = reaction(rod), push = %s\n"
        "event low: x falls through 0 -> stop\ninitial x = 0.6\nguess y = -0.8\nsimulate until 3\n";
    char by_c[500], by_text[500];
    controller c = {.k = 4, .d = 0.3};
    const mech_input_law law = law_of(&c, 0);
    motion a, b;
    mech_motion_code *code_a, *code_b;
    snprintf(by_c, sizeof by_c, frame, "u", "u");
    snprintf(by_text, sizeof by_text, frame, "-4*x - 0.3*x'", "-4*x - 0.3*x'");
    if (begin(&a, by_c, MECH_METHOD_RK8, native, &code_a) && begin(&b, by_text, MECH_METHOD_RK8, native, &code_b)) {
        double outputs_a[2], outputs_b[2];
        CHECK(mech_sim_set_law(a.sim, &law) == MECH_OK && mech_sim_run(a.sim) == MECH_OK &&
              mech_sim_run(b.sim) == MECH_OK);
        CHECK(mech_sim_has_stopped(a.sim) && mech_sim_has_stopped(b.sim));
        CHECK_NEAR(mech_sim_time(a.sim), mech_sim_time(b.sim), 1e-9);
        CHECK_NEAR(mech_sim_v(a.sim)[0], mech_sim_v(b.sim)[0], 1e-9);
        CHECK(mech_sim_outputs_now(a.sim, outputs_a) == MECH_OK && mech_sim_outputs_now(b.sim, outputs_b) == MECH_OK);
        CHECK_NEAR(outputs_a[0], outputs_b[0], 1e-8);
        CHECK_NEAR(outputs_a[1], outputs_b[1], 1e-8);
        const mech_sim_info info = mech_sim_info_get(a.sim);
        CHECK(info.balance_error < 1e-9 && info.power_integral != 0);
        /* the same again after a reset, to the byte */
        const double t = mech_sim_time(a.sim), v = mech_sim_v(a.sim)[0];
        CHECK(mech_sim_reset(a.sim) == MECH_OK && mech_sim_run(a.sim) == MECH_OK && mech_sim_time(a.sim) == t &&
              mech_sim_v(a.sim)[0] == v);
    }
    mech_sim_free(a.sim);
    mech_sim_free(b.sim);
    a.sim = b.sim = NULL;
    mech_motion_code_free(code_a);
    mech_motion_code_free(code_b);
    motion_free(&a);
    motion_free(&b);
}

/* A law that looks at a state of the model: x'' = -10 w, w' = x - w. */
static mech_status by_state(void *user, const mech_point *at, double *u)
{
    (void)user;
    u[0] = -10 * at->z[0] + 0 * at->t;
    return MECH_OK;
}

static void looks_at_states(mech_method method)
{
    static const char frame[] =
        "coord x\nstate w: w' = x - w\ninput u = 0\nkinetic x'^2/2\nforce %s on x'\ninitial x = 1\nsimulate until 1\n";
    char by_c[300], by_text[300];
    const mech_input_law law = {.size = sizeof law, .inputs = first, .count = 1, .u = by_state};
    motion a, b;
    mech_motion_code *none;
    snprintf(by_c, sizeof by_c, frame, "u");
    snprintf(by_text, sizeof by_text, frame, "-10*w");
    if (begin(&a, by_c, method, 0, &none) && begin(&b, by_text, method, 0, &none)) {
        CHECK(mech_sim_set_law(a.sim, &law) == MECH_OK);
        const mech_status status = mech_sim_run(a.sim);
        if (motion_has_method(&a, status)) {
            CHECK(status == MECH_OK && mech_sim_run(b.sim) == MECH_OK);
            CHECK_NEAR(mech_sim_q(a.sim)[0], mech_sim_q(b.sim)[0], 1e-8);
        }
    }
    motion_free(&a);
    motion_free(&b);
}

/* Stiff by the law alone: the slope, told or by differences, spares the steps that an explicit method would need. */
static void is_stiff(int with_slope)
{
    static const char text[] =
        "coord x\nkinetic x'^2/2\ninput u = 0\nforce u on x'\ninitial x = 1\nsimulate until 10\n";
    controller c = {.k = 1e6, .d = 1e6};
    const mech_input_law law = law_of(&c, with_slope);
    motion m;
    mech_motion_code *none;
    if (begin(&m, text, MECH_METHOD_BDF, 0, &none)) {
        m.settings.rtol = 1e-7;
        CHECK(mech_sim_set_law(m.sim, &law) == MECH_OK);
        const mech_status status = mech_sim_run(m.sim);
        if (motion_has_method(&m, status)) {
            CHECK(status == MECH_OK);
            CHECK_NEAR(mech_sim_q(m.sim)[0], exp(-10.0 * (1 + 1e-6)), 1e-8); /* roots -1 - 1e-6 and -1e6 */
            CHECK(mech_sim_info_get(m.sim).steps < 3000);
        }
    }
    motion_free(&m);
}

/* Position first, velocity then, as anyone may call: the law is asked again with the new velocity. */
static void is_asked_again(void)
{
    motion m;
    controller c = {.k = 2, .d = 5};
    const mech_input_law law = law_of(&c, 0);
    mech_eval *e;
    const double q[1] = {3};
    if (!motion_read(&m, "coord x\nkinetic x'^2/2\ninput u = 0\nforce u + sin(u) on x'\n")) return;
    CHECK(mech_eval_create(m.system, MECH_STORAGE_DENSE, &e) == MECH_OK && mech_eval_set_law(e, &law) == MECH_OK);
    for (double v = 0; v < 3; v++) {
        const double u = -6 - 5 * v;
        CHECK(mech_eval_position(e, 0, q) == MECH_OK && mech_eval_velocity(e, &v) == MECH_OK);
        CHECK_NEAR(mech_eval_equation(e)->Q[0], u + sin(u), 1e-15);
        CHECK(mech_eval_velocity(e, &(double){v + 0.5}) == MECH_OK);
        CHECK_NEAR(mech_eval_equation(e)->Q[0], u - 2.5 + sin(u - 2.5), 1e-15);
    }
    CHECK(mech_eval_set_law(e, NULL) == MECH_OK && mech_eval_position(e, 0, q) == MECH_OK &&
          mech_eval_velocity(e, q) == MECH_OK && mech_eval_equation(e)->Q[0] == 0);
    mech_eval_free(e);
    motion_free(&m);
}

static void is_refused(const char *text)
{
    motion m;
    controller c = {.k = 1};
    const mech_input_law law = law_of(&c, 0);
    if (!motion_read(&m, text)) return;
    CHECK(mech_sim_create(m.system, &m.settings, &m.sim) == MECH_OK);
    CHECK(mech_sim_set_law(m.sim, &law) == MECH_ERR_ARGUMENT);
    if (!strstr(mech_sim_error_text(m.sim), "a law in C gives inputs that stand in forces"))
        fprintf(stderr, "%s\n%s\n", text, mech_sim_error_text(m.sim));
    CHECK(strstr(mech_sim_error_text(m.sim), "a law in C gives inputs that stand in forces") != NULL);
    motion_free(&m);
}

static void refusals(void)
{
    motion m;
    controller c = {.k = 1};
    mech_input_law law = law_of(&c, 0);
    is_refused("input u = 0\ncoord x\nkinetic x'^2/2\npotential u*x\n");
    is_refused("input u = 0\ncoord x\nkinetic (1 + u^2)*x'^2/2\n");
    is_refused("input u = 0\ncoord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint c: y = x + u\n");
    is_refused("input u = 0\ncoord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint c: y' = x'*u\n");
    is_refused("input u = 0\ncoord x\nkinetic x'^2/2\nforce min(u, 1) on x'\n");
    is_refused("input u = 0\ncoord x\nkinetic x'^2/2\nforce if(u < x, 1, 2) on x'\n");
    is_refused("input u = 0\ncoord x\nkinetic x'^2/2\nforce u' on x'\n");
    is_refused("input u = 0\ncoord x\nkinetic x'^2/2\nforce 1 on x'\nevent e: u rises through 1 -> stop\n");
    is_refused("input u = 0\ncoord x\nkinetic x'^2/2\nconstraint c: x = 0\nfriction on c: u, along x'\n");
    if (!motion_read(&m, "coord x\nkinetic x'^2/2\ninput u = 0\nforce u on x'\nsimulate until 1\n")) return;
    CHECK(mech_sim_create(m.system, &m.settings, &m.sim) == MECH_OK);
    const size_t none[1] = {1};
    law.inputs = none;
    CHECK(mech_sim_set_law(m.sim, &law) == MECH_ERR_ARGUMENT &&
          strstr(mech_sim_error_text(m.sim), "no such input") != NULL);
    law = law_of(&c, 0);
    law.size--;
    CHECK(mech_sim_set_law(m.sim, &law) == MECH_ERR_ARGUMENT);
    CHECK(mech_sim_set_law(NULL, &law) == MECH_ERR_ARGUMENT && mech_eval_set_law(NULL, &law) == MECH_ERR_ARGUMENT);
    /* failures of the law are handed on, in words */
    law = law_of(&c, 0);
    CHECK(mech_sim_set_law(m.sim, &law) == MECH_OK && mech_sim_start(m.sim) == MECH_OK);
    c.fails = MECH_ERR_LIMIT;
    CHECK(mech_sim_advance(m.sim, 0.5) == MECH_ERR_LIMIT &&
          strstr(mech_sim_error_text(m.sim), "the law of the inputs fails") != NULL);
    c.fails = MECH_OK;
    c.goal = NAN;
    CHECK(mech_sim_reset(m.sim) == MECH_OK && mech_sim_run(m.sim) == MECH_ERR_NOT_FINITE &&
          strstr(mech_sim_error_text(m.sim), "no number") != NULL);
    mech_motion_code *code;
    mech_lanes *lanes;
    CHECK(mech_motion_code_create(m.system, NULL, &code) == MECH_OK && mech_lanes_create(code, 4, &lanes) == MECH_OK);
    CHECK(mech_lanes_take(lanes, 0, mech_sim_eval(m.sim)) == MECH_ERR_UNSUPPORTED);
    mech_lanes_free(lanes);
    mech_motion_code_free(code);
    motion_free(&m);
}

int main(void)
{
    static const mech_method methods[] = {MECH_METHOD_RK8, MECH_METHOD_RK5, MECH_METHOD_BDF, MECH_METHOD_ADAMS,
                                          MECH_METHOD_IRK};
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        for (int native = 0; native < 2; native++) oscillates(methods[k], native, (int)(k + (size_t)native) % 2);
        looks_at_states(methods[k]);
    }
    oscillates(MECH_METHOD_BDF, 0, 1);
    for (int native = 0; native < 2; native++) swings(native);
    is_stiff(0);
    is_stiff(1);
    is_asked_again();
    refusals();
    return check_report();
}
