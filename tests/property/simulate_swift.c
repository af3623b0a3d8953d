/* Fast functions of the state that change a reaction, or what is measured, without moving the motion: a bead that
   slides along x at speed 1 passes many of their turns, or a narrow spike, within a step. All methods, against closed
   forms. decisions/0015. */
#include "support/motion.h"

#include <math.h>

static const mech_method methods[] = {MECH_METHOD_RK8, MECH_METHOD_RK5, MECH_METHOD_BDF, MECH_METHOD_ADAMS,
                                      MECH_METHOD_IRK};
enum { METHODS = sizeof methods / sizeof *methods };

#define BEAD                                                                                                           \
    "param w = 1e-4, a = 5.123\ncoord x, y\nkinetic (x'^2 + y'^2)/2\ninitial x' = 1\nsimulate until 10, points 3\n"    \
    "constraint c: y = 0\n"

static int run_by(motion *m, const char *text, mech_method method)
{
    if (!motion_read(m, text)) return 0;
    CHECK(motion_derive(m) == MECH_OK);
    motion_settings(m, 1e-9);
    m->settings.method = method;
    return motion_may_run(m);
}

/* How often a turn of 2 pi passes this phase up to `end`. */
static size_t turns(double phase, double turn, double end) { return (size_t)floor((end - phase) / turn) + 1; }

typedef struct passages {
    const char *text;
    mech_log_kind kind;
    size_t count;
    double first; /* its time; NaN: any */
} passages;

static void meets(const passages *p)
{
    for (size_t k = 0; k < METHODS; k++) {
        motion m;
        if (run_by(&m, p->text, methods[k])) {
            const int failures = check_failures;
            const size_t count = motion_count(&m, p->kind);
            CHECK(count == p->count);
            if (!isnan(p->first)) CHECK_NEAR(motion_when(&m, p->kind, 0), p->first, 1e-9);
            if (check_failures > failures)
                fprintf(stderr, "  by %s: %zu, not %zu: %s\n", mech_method_word(methods[k]), count, p->count, p->text);
        }
        motion_free(&m);
    }
}

/* The multiplier of c is less the force on y. */
static void reactions(void)
{
    const double pi = acos(-1.0), any = (double)NAN, turn = 2 * pi;
    const passages all[] = {
        {BEAD "force sin(200*x) on y'\nevent e: reaction(c) rises through 0.5 -> record\n", MECH_LOG_EVENT,
         turns(7 * pi / 6, turn, 2000), 7 * pi / 6 / 200},
        {BEAD "force -1 on y'\nevent e: lambda(c) + sin(300*x) rises through 1.5 -> record\n", MECH_LOG_EVENT,
         turns(pi / 6, turn, 3000), pi / 6 / 300},
        /* an argument inside another: 3 sin(40 x) goes through 12 in a turn, and passes pi/6 and its like twice in each
           half: sin z = 0.5 at z = pi/6, 5 pi/6, -7 pi/6, -11 pi/6 */
        {BEAD "force -sin(3*sin(40*x)) on y'\nevent e: lambda(c) rises through 0.5 -> record\n", MECH_LOG_EVENT,
         /* rises as z rises through pi/6, and as it falls through 5 pi/6 */
         turns(asin(pi / 18), turn, 400) + turns(pi - asin(5 * pi / 18), turn, 400), asin(pi / 18) / 40},
        /* a fast function of a slow reaction */
        {BEAD "force -x on y'\nevent e: sin(300*lambda(c)) rises through 0.5 -> record\n", MECH_LOG_EVENT,
         turns(pi / 6, turn, 3000), pi / 6 / 300},
        /* of time and state together */
        {BEAD "force -sin(100*x + 100*t) on y'\nevent e: lambda(c) rises through 0.5 -> record\n", MECH_LOG_EVENT,
         turns(pi / 6, turn, 2000), pi / 6 / 200},
        /* spikes */
        {BEAD "force -exp(-((x - a)/w)^2) on y'\nevent e: lambda(c) rises through 0.5 -> record\n", MECH_LOG_EVENT, 1,
         5.123 - 1e-4 * sqrt(log(2.0))},
        {BEAD "force -1/(1 + ((x - a)/w)^2) on y'\nevent e: lambda(c) rises through 0.5 -> record\n", MECH_LOG_EVENT, 1,
         5.123 - 1e-4},
        {BEAD "force -1/(1 + (x - a)^2/w^2)^2 on y'\nevent e: lambda(c) rises through 0.25 -> record\n", MECH_LOG_EVENT,
         1, 5.123 - 1e-4},
        {BEAD "force -1/cosh((x - a)/w/100) on y'\nevent e: lambda(c) rises through 0.5 -> record\n", MECH_LOG_EVENT, 1,
         5.123 - 1e-2 * acosh(2.0)},
        {BEAD "force (tanh((x - a - w)/w) - tanh((x - a + w)/w))/2 on y'\n"
              "event e: lambda(c) rises through tanh(1)/2 -> record\n",
         MECH_LOG_EVENT, 1, any},
        {BEAD
         "force atan((x - a - w)/w) - atan((x - a + w)/w) on y'\nevent e: lambda(c) rises through pi/4 -> record\n",
         MECH_LOG_EVENT, 1, 5.123 - 1e-4 * sqrt(2.0)},
        {BEAD "force -sin(x)^2000 on y'\nevent e: lambda(c) rises through 0.5 -> record\n", MECH_LOG_EVENT, 3,
         asin(pow(0.5, 1.0 / 2000))},
        {BEAD "force log(w^2) - log((x - a)^2 + w^2) on y'\nevent e: lambda(c) falls through log(2) -> record\n",
         MECH_LOG_EVENT, 1, 5.123 - 1e-4},
        /* kinks of the trigger alone */
        {BEAD "event e: lambda(c) + max(0, 1 - abs(x - a)/w) rises through 0.5 -> record\n", MECH_LOG_EVENT, 1,
         5.123 - 0.5e-4},
        {BEAD "event e: lambda(c) + if(x > a, 1, 0)*if(x < a + w, 1, 0) rises through 0.5 -> record\n", MECH_LOG_EVENT,
         1, 5.123},
        {BEAD "event e: lambda(c) + abs(x*50 - floor(x*50) - 0.5) rises through 0.25 -> record\n", MECH_LOG_EVENT, 500,
         0.015},
    };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) meets(&all[k]);
}

/* What lies on a belt is carried over a field that exceeds friction for a moment, twice a turn; a bead on a floor is
   lifted by a hair once a turn. */
static void contacts(void)
{
    const double pi = acos(-1.0);
    const passages all[] = {
        {"coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 10*y\nconstraint floor: y = 0\n"
         "friction on floor: 0.3, along x' - 1\nforce 3.01*sin(100*x) on x'\ninitial x' = 1\nsimulate until 10, points 3\n",
         MECH_LOG_SLIP, turns(asin(3 / 3.01), pi, 1000), asin(3 / 3.01) / 100},
        /* each lands in the same turn */
        {"coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint c: y >= 0\nforce -1 + 1.05*sin(200*x) on y'\n"
         "initial x' = 1\nsimulate until 9.99, points 3\n",
         MECH_LOG_IMPACT, turns(asin(1 / 1.05), 2 * pi, 1998), (double)NAN},
    };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) meets(&all[k]);
}

static double measure(const motion *m, const char *name)
{
    const size_t k = mech_system_find(m->system, MECH_ITEM_MEASURE, name);
    CHECK(k != SIZE_MAX);
    return k == SIZE_MAX ? (double)NAN : mech_sim_measure(m->sim, k);
}

/* Spikes of width w at a, 30 turns a second; x = t, and the multiplier of c is less the force on y. */
static void measures(void)
{
    static const char text[] = BEAD "force exp(-((x - a)/w)^2) on y'\n"
                                    "input u = exp(-((t - a)/w)^2)\n"
                                    "measure top: max of exp(-((x - a)/w)^2)\n"
                                    "measure gauss: mean of exp(-((x - a)/w)^2)\n"
                                    "measure root: rms of exp(-((x - a)/w)^2)\n"
                                    "measure bottom: min of -1/(1 + ((x - a)/w)^2)\n"
                                    "measure lorentz: mean of 1/(1 + ((x - a)/w)^2)\n"
                                    "measure step: max of tanh((x - a + w)/w) - tanh((x - a - w)/w)\n"
                                    "measure clock: max of exp(-((t - a)/w)^2)\n"
                                    "measure given: max of u\n"
                                    "measure load: min of lambda(c)\n"
                                    "measure work: mean of lambda(c)\n"
                                    "measure wave: mean of sin(2*pi*30*x)^2\n"
                                    "measure gap: mean of if(sin(2*pi*30*x) > 0.5, 1, 0)\n";
    const double pi = acos(-1.0), w = 1e-4, a = 5.123;
    for (size_t k = 0; k < METHODS; k++) {
        motion m;
        if (run_by(&m, text, methods[k])) {
            const int failures = check_failures;
            CHECK_NEAR(measure(&m, "top"), 1, 1e-9);
            CHECK_NEAR(measure(&m, "gauss"), w * sqrt(pi) / 10, 1e-9 * w);
            CHECK_NEAR(measure(&m, "root"), sqrt(w * sqrt(pi / 2) / 10), 1e-9);
            CHECK_NEAR(measure(&m, "bottom"), -1, 1e-9);
            CHECK_NEAR(measure(&m, "lorentz"), w * (atan(a / w) + atan((10 - a) / w)) / 10, 1e-8 * w);
            CHECK_NEAR(measure(&m, "step"), 2 * tanh(1), 1e-9);
            CHECK_NEAR(measure(&m, "clock"), 1, 1e-9);
            CHECK_NEAR(measure(&m, "given"), 1, 1e-9);
            CHECK_NEAR(measure(&m, "load"), -1, 1e-9);
            CHECK_NEAR(measure(&m, "work"), -w * sqrt(pi) / 10, 1e-9 * w);
            CHECK_NEAR(measure(&m, "wave"), 0.5, 1e-9);
            CHECK_NEAR(measure(&m, "gap"), 1.0 / 3, 1e-7); /* 600 jumps, each to less than rtol of a step */
            if (check_failures > failures) fprintf(stderr, "  by %s\n", mech_method_word(methods[k]));
        }
        motion_free(&m);
    }
}

int main(void)
{
    reactions();
    contacts();
    measures();
    return check_report();
}
