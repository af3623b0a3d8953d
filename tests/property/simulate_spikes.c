/* Smooth spikes of the equation along the motion, much narrower than a step: their whole work is met. Energy, and what
   else closed forms tell of, by all methods, with and without code. decisions/0015. */
#include "support/motion.h"

#include <mech/motion.h>

#include <math.h>

static const mech_method methods[] = {MECH_METHOD_RK8, MECH_METHOD_RK5, MECH_METHOD_BDF, MECH_METHOD_ADAMS,
                                      MECH_METHOD_IRK};
enum { METHODS = sizeof methods / sizeof *methods };

typedef enum code_use { NO_CODE, TAPE, NATIVE } code_use;

/* 0: there is no such method here. */
static int run_by(motion *m, const char *text, mech_method method, double rtol, code_use use)
{
    if (!motion_read(m, text)) return 0;
    CHECK(motion_derive(m) == MECH_OK);
    motion_settings(m, rtol);
    m->settings.method = method;
    CHECK(mech_sim_create(m->system, &m->settings, &m->sim) == MECH_OK);
    if (use != NO_CODE) {
        mech_motion_settings settings;
        mech_motion_settings_default(&settings, sizeof settings);
        settings.native = use == NATIVE ? MECH_NATIVE_ON : MECH_NATIVE_OFF;
        CHECK(motion_use_code(m, &settings) == MECH_OK);
    }
    const mech_status status = mech_sim_run(m->sim);
    if (!motion_has_method(m, status)) return 0;
    if (status != MECH_OK) fprintf(stderr, "%s\n", mech_sim_error_text(m->sim));
    CHECK(status == MECH_OK);
    CHECK(strcmp(mech_sim_warning(m->sim), "") == 0);
    return 1;
}

static double root_pi(void) { return sqrt(acos(-1.0)); }

/* A body on a line: what a force along it does from 0 to x, as a function of x. */
typedef double (*work)(double x, double w);

static double of_gauss(double x, double w) { return root_pi() / 2 * (erf((x - 5.123) / w) - erf(-5.123 / w)); }
static double of_gauss_behind(double x, double w) { return root_pi() / 2 * (erf((x + 5.123) / w) - erf(5.123 / w)); }
static double of_lorentz(double x, double w) { return atan((x - 5.123) / w) - atan(-5.123 / w); }
static double of_sech(double x, double w) { return 2 * (atan(tanh((x - 5.123) / w / 2)) - atan(tanh(-5.123 / w / 2))); }
static double of_power(double x, double w) { return (x - 5.123) / hypot(x - 5.123, w) + 5.123 / hypot(5.123, w); }
static double of_potential(double x, double w) { return -0.25 * exp(-pow((x - 5.123) / w, 2)); }
static double of_two(double x, double w)
{
    return of_gauss(x, w) + root_pi() / 2 * (erf((x - 5.123 - 10 * w) / w) - erf((-5.123 - 10 * w) / w));
}
/* a box of height 1/w and width 10 w, its sides as wide as w/100 */
static double log_cosh(double x) { return fabs(x) + log1p(exp(-2 * fabs(x))); }
static double of_box(double x, double w)
{
    const double e = w / 100;
    return (e / w / 2) *
           (log_cosh((x - 5) / e) - log_cosh((x - 5 - 10 * w) / e) - log_cosh(-5 / e) + log_cosh((-5 - 10 * w) / e));
}
static double of_atan_box(double x, double w)
{
    const double e = w / 10, at[2] = {5, 5 + 10 * w};
    double sum = 0;
    for (int k = 0; k < 2; k++) {
        const double u = (x - at[k]) / e, u0 = -at[k] / e;
        sum += (k ? -1 : 1) * e / w * (u * atan(u) - log1p(u * u) / 2 - u0 * atan(u0) + log1p(u0 * u0) / 2);
    }
    return sum;
}

typedef struct spike {
    const char *statement;
    work does;
    double speed; /* at the start */
    double width;
} spike;

static const spike spikes[] = {
    {"force exp(-((x - 5.123)/w)^2)/w on x'", of_gauss, 1, 1e-4},
    {"force exp(-((x + 5.123)/w)^2)/w on x'", of_gauss_behind, -3, 1e-4},
    {"force w/((x - 5.123)^2 + w^2) on x'", of_lorentz, 1, 1e-4},
    {"force 1/(w*cosh((x - 5.123)/w)) on x'", of_sech, 1, 1e-2}, /* farther out its slope is no number */
    {"force (1 + ((x - 5.123)/w)^2)^(-3/2)/w on x'", of_power, 1, 1e-4},
    {"potential exp(-((x - 5.123)/w)^2)/4", of_potential, 1, 1e-4},
    {"force (exp(-((x - 5.123)/w)^2) + exp(-((x - 5.123 - 10*w)/w)^2))/w on x'", of_two, 1, 1e-4},
    {"force (tanh(100*(x - 5)/w) - tanh(100*(x - 5 - 10*w)/w))/(2*w) on x'", of_box, 1, 1e-4},
    {"force (atan(10*(x - 5)/w) - atan(10*(x - 5 - 10*w)/w))/w on x'", of_atan_box, 1, 1e-4},
};

static void line(const spike *s, double w, mech_method method, double rtol, code_use use)
{
    char text[400];
    motion m;
    snprintf(text, sizeof text,
             "param w = %g\ncoord x\nkinetic x'^2/2\n%s\ninitial x = 0, x' = %g\nsimulate until 10, points 3\n", w,
             s->statement, s->speed);
    if (run_by(&m, text, method, rtol, use)) {
        const int failures = check_failures;
        const double x = motion_end(&m, "x"), want = sqrt(s->speed * s->speed + 2 * s->does(x, w));
        CHECK(fabs(x) > 5.2); /* it has passed */
        CHECK_NEAR(fabs(motion_end(&m, "x'")) / want, 1, 200 * rtol);
        if (check_failures > failures)
            fprintf(stderr, "  by %s, rtol %g, w %g: %s\n", mech_method_word(method), rtol, w, s->statement);
    }
    motion_free(&m);
}

static void lines(void)
{
    static const double widths[] = {1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6};
    for (size_t k = 0; k < sizeof widths / sizeof *widths; k++)
        for (int i = 0; i < 4; i++)
            line(&spikes[0], widths[k], methods[i % 2], i < 2 ? 1e-6 : 1e-9, i == 3 ? TAPE : NO_CODE);
    for (size_t k = 0; k < sizeof spikes / sizeof *spikes; k++) {
        for (size_t i = 0; i < METHODS; i++) line(&spikes[k], spikes[k].width, methods[i], 1e-6, NO_CODE);
        line(&spikes[k], spikes[k].width, MECH_METHOD_RK8, 1e-10, TAPE);
        line(&spikes[k], spikes[k].width, MECH_METHOD_RK5, 1e-10, NO_CODE);
    }
    line(&spikes[0], 1e-3, MECH_METHOD_RK8, 1e-9, NATIVE);
}

#define HEAD "simulate until 10, points 3\n"

/* What a column is at the end. */
typedef struct place {
    const char *text, *column;
    double want;
} place;

/* The time that a bead loses on a bump of height h, and a body where its mass has a spike: by Gauss's rule. */
static double integral(double (*f)(double), double from, double to)
{
    const double x[2] = {sqrt(5 - 2 * sqrt(10.0 / 7)) / 3, sqrt(5 + 2 * sqrt(10.0 / 7)) / 3},
                 c[2] = {(322 + 13 * sqrt(70)) / 900, (322 - 13 * sqrt(70)) / 900};
    const int parts = 4000;
    const double half = (to - from) / parts / 2;
    double sum = 0;
    for (int i = 0; i < parts; i++) {
        const double middle = from + (2 * i + 1) * half;
        sum += 128.0 / 225 * f(middle);
        for (int k = 0; k < 2; k++) sum += c[k] * (f(middle - half * x[k]) + f(middle + half * x[k]));
    }
    return sum * half;
}

static double lost_on_bump(double u)
{
    const double height = 1e-2, steep = 10 * 2 * u * exp(-u * u);
    return sqrt((1 + steep * steep) / (1 - 20 * height * exp(-u * u))) - 1;
}
static double lost_by_mass(double u) { return sqrt(1 + 100 * exp(-u * u)) - 1; }
static double lost_at_speed(double u) { return 1 / (1 - 0.99 * exp(-u * u)) - 1; }

static void places(void)
{
    const double pi = acos(-1.0), one = root_pi();
    const place all[] = {
        /* of a velocity */
        {"coord x\nkinetic x'^2/2\nforce 1 - 0.99*exp(-((x' - 5.123)/1e-3)^2) on x'\n" HEAD, "x'",
         10 - 1e-3 * integral(lost_at_speed, -12, 12)},
        /* in a rate; of a state */
        {"coord x\nkinetic x'^2/2\nstate z: z' = 1e3*exp(-((x - 5.123)/1e-3)^2)\ninitial x' = 1\n" HEAD, "z", one},
        {"coord x\nkinetic x'^2/2\nstate z: z' = 1\nforce 1e3*exp(-((z - 5.123)/1e-3)^2) on x'\ninitial x' = 1\n" HEAD,
         "x'", 1 + one},
        /* in rows of velocities and of positions, in a mass */
        {"coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint c: y' = 1e2*exp(-((x - 5.123)/1e-3)^2)*x'\n"
         "initial x' = 1\n" HEAD,
         "y", 0.1 * one},
        {"coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 10*y\nconstraint c: y = 1e-2*exp(-((x - 5.123)/1e-3)^2)\n"
         "initial x' = 1\n" HEAD,
         "x", 10 - 1e-3 * integral(lost_on_bump, -12, 12)},
        {"coord x\nkinetic (1 + 1e2*exp(-((x - 5.123)/1e-3)^2))*x'^2/2\ninitial x' = 1\n" HEAD, "x",
         10 - 1e-3 * integral(lost_by_mass, -12, 12)},
        /* of time and state; of an input */
        {"coord x\nkinetic x'^2/2\nforce 1e3*exp(-((x - t/2 - 2)/1e-3)^2) on x'\ninitial x' = 1\n" HEAD, "x'",
         0.5 + sqrt(0.25 + 2 * one)},
        {"coord x\ninput u = t/2 + 2\nkinetic x'^2/2\nforce 1e3*exp(-((x - u)/1e-3)^2) on x'\ninitial x' = 1\n" HEAD,
         "x'", 0.5 + sqrt(0.25 + 2 * one)},
        /* along an angle, narrow beside a turn; two coordinates; none that counts */
        {"coord th\nkinetic th'^2/2\nforce 1e3*exp(1e8*(cos(th - 4) - 1)) on th'\ninitial th' = 0.5\n" HEAD, "th'",
         sqrt(0.25 + 2e3 * sqrt(2 * pi / 1e8))},
        {"coord x, y\nkinetic (x'^2 + y'^2)/2\npotential -exp(-1e6*((x - 5)^2 + (y - 1)^2))\n"
         "initial y = 1, x' = 1\n" HEAD,
         "x'", 1},
        {"coord x\nkinetic x'^2/2\nforce 1e-12*exp(-((x - 5)/1e-3)^2) on x'\ninitial x' = 1\n" HEAD, "x'", 1},
        /* the run begins on one that is nothing there, and meets others */
        {"coord x\nkinetic x'^2/2\nforce 10*x*exp(-(sin(5*pi*x)/1e-3)^2) on x'\ninitial x' = 1\n"
         "simulate until 0.95, points 3\n",
         "x'", sqrt(1 + 2 * 10 * one * 1e-3 / (5 * pi) * (0.2 + 0.4 + 0.6 + 0.8))},
    };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        for (int i = 0; i < 4; i++) {
            const double rtol = i < 2 ? 1e-6 : 1e-10;
            const int failures = check_failures;
            motion m;
            if (run_by(&m, all[k].text, methods[i % 2], rtol, NO_CODE))
                CHECK_NEAR(motion_end(&m, all[k].column) / all[k].want, 1, 500 * rtol);
            motion_free(&m);
            if (check_failures > failures)
                fprintf(stderr, "  by %s, rtol %g: %s\n", mech_method_word(methods[i % 2]), rtol, all[k].text);
        }
}

/* Back and forth over a spike, which is passed in either direction and turned round at. */
static void pendulum(void)
{
    for (int i = 0; i < 4; i++) {
        const double rtol = i < 2 ? 1e-6 : 1e-10;
        motion m;
        if (run_by(&m,
                   "coord th\nkinetic th'^2/2\npotential -cos(th)\nforce 1e3*exp(-((th - 1.2)/1e-4)^2) on th'\n"
                   "initial th' = 1.5\nsimulate until 10, points 3\n",
                   methods[i % 2], rtol, NO_CODE)) {
            const double th = motion_end(&m, "th"), v = motion_end(&m, "th'");
            CHECK_NEAR(v * v / 2 - cos(th) - 0.1 * root_pi() / 2 * (erf((th - 1.2) / 1e-4) + 1), 1.125 - 1, 500 * rtol);
        }
        motion_free(&m);
    }
}

/* What cannot be resolved is said, with its name, and the run comes to its end. */
static void warned(const char *statement)
{
    char text[300];
    motion m;
    snprintf(text, sizeof text, "coord x\nkinetic x'^2/2\n%s\ninitial x' = 1\nsimulate until 10, points 3\n",
             statement);
    if (motion_read(&m, text)) {
        motion_must_run(&m);
        CHECK(strstr(mech_sim_warning(m.sim), "Q[x] may have had a spike") != NULL);
    }
    motion_free(&m);
}

int main(void)
{
    lines();
    places();
    pendulum();
    warned("force 1e17*exp(-((x - 5.123)/1e-17)^2) on x'");
    warned("force 1e-20*exp(-(sin(1e6*x)/1e-3)^2) on x'");
    warned("force 0.1*exp(-(sin(1/(x - 5.123))/1e-3)^2) on x'");
    return check_report();
}
