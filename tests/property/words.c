/* Small words in motions: tables, whole numbers, limits. Closed forms; splines beside scipy. */
#include "support/motion.h"

#include "expr/pool.h"

static const mech_method methods[] = {MECH_METHOD_RK8, MECH_METHOD_RK5, MECH_METHOD_BDF, MECH_METHOD_ADAMS,
                                      MECH_METHOD_IRK};
enum { METHODS = sizeof methods / sizeof *methods };

static int go(motion *m, const char *text, size_t method, double until)
{
    if (!motion_read(m, text)) return 0;
    CHECK(motion_derive(m) == MECH_OK);
    m->settings.method = methods[method];
    m->settings.until = until;
    return motion_may_run(m);
}

/* scipy 1.10, CubicSpline(x, y) (not-a-knot): value, slope, bend; beyond the ends the function is held. */
static void splines(void)
{
    static const double x[] = {0, 1, 2.5, 4}, y[] = {1, 3, 4, -2};
    static const double cases[][3] = {{0.5, 2.0055555555555555, 2.063888888888889},
                                      {1.7, 4.008622222222223, 0.9065555555555556},
                                      {3.3, 2.000266666666667, -4.071222222222222},
                                      {-3, 1, 0},
                                      {5, -2, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        motion m;
        char text[300];
        snprintf(text, sizeof text,
                 "coord x\nkinetic x'^2/2\ninitial x = %.17g\noutput G = table(x, \"tests/support/points.csv\", \"G\", "
                 "smooth), H = d(G, x)\n",
                 cases[i][0]);
        if (go(&m, text, 0, 1)) {
            CHECK_NEAR(motion_at(&m, 0, "G"), cases[i][1], 1e-14);
            CHECK_NEAR(motion_at(&m, 0, "H"), cases[i][2], 1e-14);
        }
        motion_free(&m);
    }
    /* two points are a line, three a parabola, also far from 0: (x - 1e6) from 0: 2 + 5 u - 2 u^2, at 2 it is 4 */
    mech_pool *p = mech_pool_create();
    const double far[] = {1e6, 1e6 + 1, 1e6 + 3}, at[] = {2, 5, -1};
    double value;
    CHECK(expr_constant(p, mech_interpolate(p, mech_number(p, 1e6 + 2), far, at, 3, 1), &value));
    CHECK_NEAR(value, 4, 1e-14);
    CHECK(expr_constant(p, mech_interpolate(p, mech_number(p, 1.75), x, y, 2, 1), &value) && value == 3);
    CHECK(expr_constant(p, mech_interpolate(p, mech_number(p, 0.25), x, y, 2, 1), &value) && value == 1.5);
    CHECK(!mech_interpolate(p, mech_number(p, 1), (double[]){0, 0}, y, 2, 0).id);
    CHECK(!mech_interpolate(p, mech_number(p, 1), x, y, 0, 0).id);
    mech_pool_free(p);
}

/* A force by place. scipy 1.10, solve_ivp with DOP853 at rtol 1e-13, begun anew at each point of the table. */
static void pushed_by_a_table(void)
{
    for (size_t i = 0; i < METHODS; i++) {
        motion m;
        if (go(&m,
               "coord x\nkinetic x'^2/2\nforce table(x, \"tests/support/points.csv\", \"G\", smooth) on x'\n"
               "initial x = -0.5, x' = 1\n",
               i, 2.5)) {
            CHECK_NEAR(motion_end(&m, "x"), 7.07763393600983, i < 2 ? 2e-10 : 1e-7);
            CHECK_NEAR(motion_end(&m, "x'"), 3.2706072315958825, i < 2 ? 2e-10 : 1e-7);
            CHECK(motion_count(&m, MECH_LOG_SWITCH) == 4); /* one for each point */
        }
        motion_free(&m);
        /* from 1 on the slope of F is -2/3: x'' = 2 - 2/3 (x - 1), a swing about 4 with w^2 = 2/3 */
        if (go(&m,
               "coord x\nkinetic x'^2/2\nforce table(x, \"tests/support/points.csv\", \"F\") on x'\ninitial x = 1\n", i,
               0.8)) {
            const double w = sqrt(2.0 / 3);
            CHECK_NEAR(motion_end(&m, "x"), 4 - 3 * cos(0.8 * w), i < 2 ? 1e-10 : 1e-7);
        }
        motion_free(&m);
    }
}

/* x'' = floor(3 t): a parabola for each third; x'' = round(x), mod(x, 1/4). */
static void whole_numbers(void)
{
    for (size_t i = 0; i < METHODS; i++) {
        motion m;
        if (go(&m, "coord x\nkinetic x'^2/2\nforce floor(3*t) on x'\n", i, 5)) {
            double x = 0, v = 0;
            for (int k = 0; k < 15; k++) x += v / 3 + k / 18.0, v += k / 3.0;
            CHECK_NEAR(motion_end(&m, "x"), x, i < 2 ? 1e-10 : 1e-6);
            CHECK_NEAR(motion_end(&m, "x'"), v, i < 2 ? 1e-10 : 1e-6);
            CHECK(motion_count(&m, MECH_LOG_SWITCH) == 14);
        }
        motion_free(&m);
        if (go(&m, "coord x\nkinetic x'^2/2\nforce round(x) on x'\ninitial x = 0.3, x' = 0.3\n", i, 5)) {
            double x = 0.3, v = 0.3, t = 0;
            for (int n = 0; t < 5; n++) { /* x'' = n up to n + 1/2 */
                const double left = n + 0.5 - x, s = fmin(n ? (sqrt(v * v + 2 * n * left) - v) / n : left / v, 5 - t);
                x += v * s + n * s * s / 2, v += n * s, t += s;
            }
            CHECK_NEAR(motion_end(&m, "x"), x, i < 2 ? 1e-8 : 1e-5);
        }
        motion_free(&m);
        /* a saw: x'' = mod(t, 1/2) - 1/4 brings x' back each half second, and x by 1/96 less */
        if (go(&m,
               "coord x\nkinetic x'^2/2\nforce mod(t, 1/2) - 1/4 on x'\noutput m = mod(-t, 1/2), r = mod(t, -1/2)\n", i,
               3.75)) {
            CHECK_NEAR(motion_end(&m, "x'"), -1.0 / 32, i < 2 ? 1e-10 : 1e-7);
            CHECK_NEAR(motion_end(&m, "x"), -7 / 96.0 - 1 / 192.0, i < 2 ? 1e-10 : 1e-7);
            CHECK_NEAR(motion_end(&m, "m"), 0.25, 1e-12);
            CHECK_NEAR(motion_end(&m, "r"), -0.25, 1e-12);
        }
        motion_free(&m);
    }
}

/* Events see jumps, and every one of them. */
static void counted(void)
{
    motion m;
    if (go(&m,
           "coord x\nkinetic x'^2/2\nstate n: n' = 0\ninitial x' = 10\n"
           "event step: floor(x) - n rises through 1/2 -> set n = n + 1\n"
           "event turn: mod(x, 1) falls through 1/2 -> record\n",
           0, 9.95)) {
        CHECK_NEAR(motion_end(&m, "n"), 99, 0);
        CHECK(motion_count(&m, MECH_LOG_EVENT) == 99 + 99);
    }
    motion_free(&m);
}

/* A motor that gives at most 1: x'' = clamp(4 - x - 2 x', -1, 1) at first 1. */
static void limited(void)
{
    motion m;
    if (go(&m,
           "coord x\nkinetic x'^2/2\nlet u = clamp(4 - x - 2*x', -1, 1)\nforce u on x'\n"
           "output given = u, a = deg(pi/6), b = rad(90), c = deg([pi, 2*pi])\n",
           0, 1)) {
        CHECK_NEAR(motion_end(&m, "x"), 0.5, 1e-12);
        CHECK_NEAR(motion_end(&m, "given"), 1, 0);
        CHECK_NEAR(motion_end(&m, "a"), 30, 1e-13);
        CHECK_NEAR(motion_end(&m, "b"), 1.57079632679489661923, 1e-15);
        CHECK_NEAR(motion_end(&m, "c[2]"), 360, 1e-12);
    }
    motion_free(&m);
}

/* A block of 2 kg that a motor takes along sin(t) over a floor with mu = 0.3: the motor gives
   -2 sin(t) + 5.886 sign(x'), friction is the second part of it. Events look at all of them. */
static void forces_and_energies(void)
{
    motion m;
    if (go(&m,
           "param m = 2, g = 9.81, mu = 0.3\ncoord x, y\nkinetic m/2*(x'^2 + y'^2)\npotential m*g*y\n"
           "constraint floor: y = 1/2\nfriction on floor: mu, along x'\ncontrol path: x = sin(t)\nactuator motor: x'\n"
           "initial x = 0, x' = 1\noutput T = kinetic, V = potential, E = energy, P = control(motor)*x'\n"
           "output F = friction(floor), u = control(motor)\n"
           "event strong: control(motor) falls through 5 -> record\nevent low: energy falls through 10.11 -> record\n",
           0, 3)) {
        for (double t = 0.3; t < 3; t += 0.3) {
            const double F = cos(t) > 0 ? -5.886 : 5.886, u = -2 * sin(t) - F, T = cos(t) * cos(t);
            CHECK_NEAR(motion_at(&m, t, "T"), T, 1e-9);
            CHECK_NEAR(motion_at(&m, t, "V"), 9.81, 1e-12);
            CHECK_NEAR(motion_at(&m, t, "E"), T + 9.81, 1e-9);
            CHECK_NEAR(motion_at(&m, t, "F"), F, 1e-9);
            CHECK_NEAR(motion_at(&m, t, "u"), u, 1e-9);
            CHECK_NEAR(motion_at(&m, t, "P"), u * cos(t), 1e-9);
        }
        CHECK_NEAR(motion_when(&m, MECH_LOG_EVENT, 0), asin(0.443), 1e-9);
        CHECK_NEAR(motion_when(&m, MECH_LOG_EVENT, 1), acos(sqrt(0.3)), 1e-9);
    }
    motion_free(&m);
    /* pulled with 3 N the block slides 0.5 m/s to rest, against 5.886 N, and holds; along a vector */
    if (go(&m,
           "coord x, y\nkinetic x'^2 + y'^2\npotential 19.62*y\nconstraint floor: y = 0\n"
           "friction on floor: 0.3, along [x', y']\nforce 3 on x'\ninitial x' = 1/2\noutput F = friction(floor)\n",
           0, 1)) {
        CHECK_NEAR(motion_at(&m, 0.3, "F[1]"), -5.886, 1e-9);
        CHECK_NEAR(motion_at(&m, 0.4, "F[1]"), -3, 1e-9);
        CHECK_NEAR(motion_at(&m, 0.4, "F[2]"), 0, 1e-12);
    }
    motion_free(&m);
    /* control along coordinates, weighed by nature: m x'' = -m_i sin(t) each */
    if (go(&m,
           "coord x, y\nkinetic x'^2 + 3*y'^2\ncontrol both: [x, y] = [sin(t), cos(t)]\n"
           "initial x = 0, y = 1, x' = 1, y' = 0\noutput u = control([x, y]), v = control(y)\n",
           0, 1)) {
        CHECK_NEAR(motion_end(&m, "u[1]"), -2 * sin(1), 1e-9);
        CHECK_NEAR(motion_end(&m, "u[2]"), -6 * cos(1), 1e-9);
        CHECK_NEAR(motion_end(&m, "v"), -6 * cos(1), 1e-9);
    }
    motion_free(&m);
    /* bodies bring their energies, and a given bound its torque: 1/2 m l^2/3 w^2 and the weight of the rod */
    if (go(&m,
           "gravity [0, -10]\nbody rod: rod [0, 0] to [3, 0], mass 2\njoint pin: ground to rod, revolute\n"
           "friction on pin: torque 4\ninitial pin = 1, pin' = 2\noutput T = kinetic, V = potential, F = friction(pin)\n",
           0, 0.1)) {
        CHECK_NEAR(motion_at(&m, 0, "T"), 12, 1e-12);
        CHECK_NEAR(motion_at(&m, 0, "V"), 30 * sin(1), 1e-12);
        CHECK_NEAR(motion_at(&m, 0, "F"), -4, 1e-12);
    }
    motion_free(&m);
}

/* Whole numbers divided: what floor, mod and comparisons say is that of integers, for every divisor, also where the
   quotient is whole. */
static void divided(void)
{
    enum { FIRST = 2, LAST = 110 };
    motion m;
    if (!motion_read(
            &m,
            "coord x\nkinetic x'^2/2\nfor d in 2..110 {\n  output f[d] = floor((x - 1)/d), g[d] = floor(x/d)\n"
            "  output k[d] = mod(x + 2, d), c[d] = if((x - 1)/d >= 2, 1, 0), r[d] = sqrt((x - 1)/d - x/d + 1/d)\n}\n"))
        return;
    mech_eval *e = NULL;
    CHECK(mech_eval_create(m.system, MECH_STORAGE_DENSE, &e) == MECH_OK);
    const mech_equation *at = mech_eval_equation(e);
    long wrong = 0;
    for (int x = 1; x <= 400; x++) {
        const double q = x, v = 0;
        CHECK(mech_eval_position(e, 0, &q) == MECH_OK && mech_eval_velocity(e, &v) == MECH_OK &&
              mech_eval_acceleration(e, &v) == MECH_OK && mech_eval_output(e) == MECH_OK);
        for (int d = FIRST; d <= LAST; d++) {
            const double *of = at->output + 5 * (d - FIRST);
            wrong += of[0] != (x - 1) / d || of[1] != x / d || of[2] != (x + 2) % d || of[3] != (x - 1 >= 2 * d) ||
                     of[4] != 0;
        }
    }
    CHECK(wrong == 0);
    mech_eval_free(e);
    motion_free(&m);
}

int main(void)
{
    divided();
    forces_and_energies();
    splines();
    pushed_by_a_table();
    whole_numbers();
    counted();
    limited();
    return check_report();
}
