/* Whole runs against closed forms and published values. Numbers: reference/PROBLEMS.md of the project (its
   section in each comment); [C] computed there to many digits, [P] published. */
#include "support/motion.h"

#define EXAMPLE(name) "examples/" name "/model.mech"

static void check_balance(const motion *m, double tolerance)
{
    const mech_sim_info info = mech_sim_info_get(m->sim);
    CHECK(info.balance_error <= tolerance * info.energy_scale);
    CHECK(info.phi < 1e-10 && info.phi_dot < 1e-10 && info.psi < 1e-10);
}

/* 4.3, closed form */
static void knife_edge(void)
{
    motion m;
    if (!motion_read(&m, EXAMPLE("knife-edge"))) return;
    m.settings.until = 6;
    m.settings.output_points = 7;
    m.settings.columns = MECH_COLUMNS_MULTIPLIERS;
    motion_must_run(&m);
    CHECK_NEAR(motion_at(&m, 1, "x"), 2.372072951477778, 1e-9);
    CHECK_NEAR(motion_at(&m, 1, "y"), 1.942521690989828, 1e-9);
    CHECK_NEAR(motion_at(&m, 3, "y"), 9.936115944188863, 1e-9);
    CHECK_NEAR(motion_at(&m, 6, "x"), 0, 1e-9);
    CHECK_NEAR(motion_at(&m, 6, "y"), 19.872231888377726, 1e-9);
    CHECK_NEAR(fabs(motion_at(&m, 1, "lambda(edge)")), 15.018433985439358, 1e-9);
    check_balance(&m, 1e-9);
    motion_free(&m);
}

/* 4.5, closed form */
static void chaplygin_sleigh(void)
{
    motion m;
    if (!motion_read(&m, EXAMPLE("chaplygin-sleigh"))) return;
    m.settings.until = 10;
    m.settings.output_points = 11;
    motion_must_run(&m);
    CHECK_NEAR(motion_at(&m, 1, "phi"), 1.2729603411543788, 1e-9);
    CHECK_NEAR(motion_at(&m, 1, "phi'"), 0.7254550875986818, 1e-9);
    CHECK_NEAR(motion_at(&m, 5, "phi"), 1.9339455568254391, 1e-9);
    CHECK_NEAR(motion_at(&m, 10, "phi"), 1.942462610398164, 1e-9);
    check_balance(&m, 1e-9);
    motion_free(&m);
}

/* 4.4, closed form */
static void rolling_coin(void)
{
    motion m;
    if (!motion_read(&m, EXAMPLE("rolling-coin"))) return;
    m.settings.until = 4;
    m.settings.output_points = 5;
    motion_must_run(&m);
    CHECK_NEAR(motion_at(&m, 1, "x"), 0.5631227609091668, 1e-9);
    CHECK_NEAR(motion_at(&m, 1, "y"), 0.8089982233197047, 1e-9);
    CHECK_NEAR(motion_at(&m, 1, "theta"), 2.103682434988109, 1e-9);
    CHECK_NEAR(motion_at(&m, 4, "y"), 3.5475659159437223, 1e-9);
    check_balance(&m, 1e-9);
    motion_free(&m);
}

/* 4.6, closed form: nonlinear in the velocities */
static void appell_hamel(void)
{
    motion m;
    if (!motion_read(&m, EXAMPLE("appell-hamel"))) return;
    m.settings.until = 0.5;
    m.settings.output_points = 6;
    motion_must_run(&m);
    CHECK_NEAR(motion_at(&m, 0.2, "x"), 0.4794833838921417, 1e-9);
    CHECK_NEAR(motion_at(&m, 0.5, "y"), 0.2620894832827755, 1e-9);
    CHECK_NEAR(motion_at(&m, 0.5, "z"), 0.886875, 1e-9);
    check_balance(&m, 1e-9);
    motion_free(&m);
}

/* 7 [C] */
static void rotating_hoop(void)
{
    motion m;
    if (!motion_read(&m, EXAMPLE("rotating-hoop"))) return;
    m.settings.until = 10;
    motion_must_run(&m);
    CHECK_NEAR(motion_at(&m, 1, "theta"), 1.444195125955358809, 1e-9);
    CHECK_NEAR(motion_at(&m, 5, "theta"), 0.6074185621958988681, 1e-9);
    CHECK_NEAR(motion_at(&m, 10, "theta"), 0.9318825268762354604, 1e-9);
    check_balance(&m, 1e-9);
    motion_free(&m);
}

/* 7 [C] */
static void pendulums(void)
{
    motion m;
    if (!motion_read(&m, EXAMPLE("double-pendulum"))) return;
    m.settings.rtol = 1e-13;
    m.settings.atol = 1e-14;
    m.settings.until = 5;
    m.settings.output_points = 6;
    motion_must_run(&m);
    CHECK_NEAR(motion_at(&m, 1, "theta1"), -0.6250876998063906300, 1e-9);
    CHECK_NEAR(motion_at(&m, 2, "theta2"), -1.324048712302362549, 1e-9);
    CHECK_NEAR(motion_at(&m, 5, "theta1"), -0.6271867050665307301, 1e-9);
    check_balance(&m, 1e-9);
    motion_free(&m);
    if (!motion_read(&m, EXAMPLE("elliptic-pendulum"))) return;
    m.settings.until = 10;
    motion_must_run(&m);
    CHECK_NEAR(motion_at(&m, 1, "theta"), -1.041601265473333608, 1e-9);
    CHECK_NEAR(motion_at(&m, 5, "theta"), -0.9071233358343365356, 1e-9);
    CHECK_NEAR(motion_at(&m, 10, "theta"), 0.4871864901286421281, 1e-9);
    motion_free(&m);
    if (!motion_read(&m, EXAMPLE("simple-pendulum-a01"))) return;
    m.settings.until = 10;
    motion_must_run(&m);
    CHECK_NEAR(motion_at(&m, 1, "x"), 0.98629175113187531936, 1e-9);
    CHECK_NEAR(motion_at(&m, 5, "y"), -0.33475433841400058079, 1e-9);
    CHECK_NEAR(motion_at(&m, 10, "x"), -0.27508746257611686005, 1e-9);
    motion_free(&m);
}

/* 1, column 4 [C]; at every tolerance the audit tells the truth */
static void andrews(void)
{
    static const struct {
        const char *name;
        double value;
    } at_end[] = {{"beta", 15.81077119515370709712},    {"Theta", -15.75637105841183946973},
                  {"gamma", 0.04082224011964580485828}, {"Phi", -0.5347301163420795937702},
                  {"delta", 0.5244099658799540693717},  {"Omega", 0.5347301163420795937702},
                  {"epsilon", 1.048080741041937873069}};
    static const mech_method methods[] = {MECH_METHOD_RK8, MECH_METHOD_RK5, MECH_METHOD_BDF};
    for (int k = 0; k < 3; k++) {
        motion m;
        if (!motion_read(&m, EXAMPLE("andrews"))) return;
        if (motion_derive(&m) != MECH_OK) CHECK(0);
        m.settings.rtol = 1e-12;
        m.settings.atol = 1e-14;
        m.settings.method = methods[k];
        if (motion_may_run(&m)) {
            for (size_t i = 0; i < sizeof at_end / sizeof *at_end; i++)
                CHECK_NEAR(motion_end(&m, at_end[i].name), at_end[i].value, 1e-9);
            check_balance(&m, 1e-10);
        }
        motion_free(&m);
    }
}

/* 3, A04 [C]: redundant throughout */
static void bricard(void)
{
    motion m;
    if (!motion_read(&m, EXAMPLE("bricard"))) return;
    m.settings.rtol = 1e-9;
    m.settings.until = 1;
    motion_must_run(&m);
    CHECK_NEAR(motion_end(&m, "equation.h"), -29.43, 1e-8);
    check_balance(&m, 1e-8);
    motion_free(&m);
}

/* 6.1, closed form */
static void rough_circle(void)
{
    motion m;
    if (!motion_read(&m, EXAMPLE("rough-circle"))) return;
    m.settings.until = 10;
    motion_must_run(&m);
    CHECK_NEAR(motion_at(&m, 1, "v"), 2.142857142857143, 1e-9);
    CHECK_NEAR(motion_at(&m, 10, "v"), 0.6, 1e-9);
    CHECK_NEAR(motion_at(&m, 10, "x"), 1.5 * cos(8.047189562170502), 1e-8);
    check_balance(&m, 1e-9);
    motion_free(&m);
}

/* Constraints that do work, ideal (4.8) and not (document 004, section 5): the balance closes. */
static void balances(void)
{
    motion m;
    if (!motion_read(&m, EXAMPLE("turntable-sphere"))) return;
    m.settings.until = 10;
    motion_must_run(&m);
    check_balance(&m, 1e-9);
    const double rate = 2 * 2.0 / 7; /* v' = (2/7) Omega z x v */
    CHECK_NEAR(motion_end(&m, "x'"), -0.3 * sin(10 * rate), 1e-8);
    CHECK_NEAR(motion_end(&m, "y'"), 0.3 * cos(10 * rate), 1e-8);
    motion_free(&m);
    if (!motion_read(&m, EXAMPLE("appell"))) return;
    motion_must_run(&m);
    check_balance(&m, 1e-9);
    motion_free(&m);
}

/* The constraint written three times: the same motion. */
static void redundant(void)
{
    static const char *const once = "coord x, y\nkinetic 1/2*(x'^2 + y'^2)\npotential y\nconstraint c: x^2 + y^2 = 1\n"
                                    "initial x = 1, y = 0, y' = 1\nsimulate until 1\n";
    static const char *const thrice =
        "coord x, y\nkinetic 1/2*(x'^2 + y'^2)\npotential y\nconstraint c: x^2 + y^2 = 1\n"
        "constraint c2: 2*x^2 + 2*y^2 = 2\nconstraint c3: x^2 + y^2 = 1\n"
        "initial x = 1, y = 0, y' = 1\nsimulate until 1\n";
    motion a, b;
    if (!motion_read(&a, once) || !motion_read(&b, thrice)) return;
    motion_must_run(&a);
    motion_must_run(&b);
    CHECK_NEAR(motion_end(&b, "x"), motion_end(&a, "x"), 1e-12);
    CHECK_NEAR(motion_end(&b, "y'"), motion_end(&a, "y'"), 1e-12);
    CHECK_NEAR(motion_end(&a, "x"), 0.86734864060043932173, 1e-10); /* 2 [C] */
    CHECK_NEAR(motion_end(&a, "y'"), 0.058813011465250007541, 1e-10);
    motion_free(&a);
    motion_free(&b);
}

/* 3, A05 [C]: stiff; auto finds out and moves to BDF; the other implicit method agrees */
static void governor(void)
{
    static const mech_method methods[] = {MECH_METHOD_AUTO, MECH_METHOD_BDF, MECH_METHOD_IRK};
    for (int k = 0; k < 3; k++) {
        motion m;
        if (!motion_read(&m, EXAMPLE("flyball-governor"))) return;
        if (motion_derive(&m) != MECH_OK) CHECK(0);
        motion_settings(&m, 1e-10);
        m.settings.method = methods[k];
        m.settings.until = 10;
        if (methods[k] == MECH_METHOD_IRK) m.settings.rtol = 1e-8, m.settings.atol = 1e-10;
        const mech_status status = motion_run(&m);
        if (status == MECH_ERR_UNSUPPORTED) { /* a build without SUNDIALS says so */
            CHECK(methods[k] != MECH_METHOD_AUTO && mech_sim_error_text(m.sim)[0]);
            motion_free(&m);
            continue;
        }
        CHECK(status == MECH_OK);
        CHECK_NEAR(motion_at(&m, 1, "s"), 0.5014209223796, 1e-7);
        CHECK_NEAR(motion_at(&m, 5, "s"), 0.5355631037216, 1e-7);
        CHECK_NEAR(motion_at(&m, 10, "s"), 0.6196229170614, 1e-7);
        CHECK_NEAR(motion_at(&m, 10, "psi'"), 5.54820362265493, 1e-7);
        CHECK_NEAR(motion_at(&m, 10, "psi"), 55.9354099091024, 1e-7);
        CHECK(methods[k] != MECH_METHOD_AUTO || motion_count(&m, MECH_LOG_METHOD) == 2);
        motion_free(&m);
    }
}

/* Oscillations without damping, linear and in a moving plane: nothing but the tolerance holds a step down. The error
   over three periods is a small multiple (larger for the methods of many steps) of the tolerance, for every method at
   every tolerance. */
static void oscillations(void)
{
    static const char *const texts[] = {
        "coord x\nkinetic x'^2/2\npotential x^2/2\ninitial x = 0, x' = 1\nsimulate until 20\n",
        "coord x, y\nkinetic (x'^2 + 4*y'^2)/4\npotential x^2/2\nconstraint plane: x = 2*y + sin(t)/2\n"
        "initial x = 0, x' = 1\nsimulate until 20\n",
    };
    static const mech_method methods[] = {MECH_METHOD_AUTO,  MECH_METHOD_RK8, MECH_METHOD_RK5,
                                          MECH_METHOD_ADAMS, MECH_METHOD_BDF, MECH_METHOD_IRK};
    for (int text = 0; text < 2; text++)
        for (size_t k = 0; k < sizeof methods / sizeof *methods; k++)
            for (double rtol = 1e-4; rtol > 1e-11; rtol /= 100) {
                motion m;
                if (!motion_read(&m, texts[text])) return;
                if (motion_derive(&m) != MECH_OK) CHECK(0);
                motion_settings(&m, rtol);
                m.settings.method = methods[k];
                const mech_status status = motion_run(&m);
                CHECK(status == MECH_OK || status == MECH_ERR_UNSUPPORTED);
                /* x'' = -x, or x'' = -x - sin(t)/4 with the plane's own motion */
                const double exact = text == 0 ? sin(20.0) : sin(20.0) + (20 * cos(20.0) - sin(20.0)) / 8;
                const double many = methods[k] == MECH_METHOD_BDF || methods[k] == MECH_METHOD_ADAMS ? 1000 : 10;
                if (status == MECH_OK) CHECK_NEAR(motion_end(&m, "x"), exact, many * rtol);
                motion_free(&m);
            }
}

/* Two rows that steps meet to rounding, so that nothing is projected: with the angle 0.3 between them at t = pi, their
   least singular value is sqrt(1 - cos(0.3)). */
static void least_singular_value(void)
{
    static const mech_method methods[] = {MECH_METHOD_RK8, MECH_METHOD_RK5, MECH_METHOD_IRK};
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
        motion m;
        if (!motion_read(
                &m,
                "coord x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\npotential z^2/2\nlet a = 1 + 0.7*cos(t)\nconstraint one: x = 0\n"
                "constraint two: x*cos(a) + y*sin(a) = 0\ninitial z = 1\nsimulate until 6\n"))
            return;
        CHECK(motion_derive(&m) == MECH_OK);
        m.settings.method = methods[k];
        m.settings.max_step = 0.02;
        if (motion_may_run(&m)) {
            CHECK_NEAR(mech_sim_info_get(m.sim).smallest_singular, sqrt(1 - cos(0.3)), 1e-3);
            CHECK_NEAR(mech_sim_info_get(m.sim).smallest_time, acos(-1.0), 0.1);
        }
        motion_free(&m);
    }
}

int main(void)
{
    least_singular_value();
    oscillations();
    governor();
    knife_edge();
    chaplygin_sleigh();
    rolling_coin();
    appell_hamel();
    rotating_hoop();
    pendulums();
    andrews();
    bricard();
    rough_circle();
    balances();
    redundant();
    return check_report();
}
