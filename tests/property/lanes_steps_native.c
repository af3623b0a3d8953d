/* Fixed steps of many states: compiled, interpreted, and each state alone by the same formula; closed forms; states in
   doubt. */
#include <mech/lanes.h>

#include "support/motion.h"

#include <math.h>

enum { STATES = 75, MOST = 8 }; /* two blocks and a part */

#define DOUBLE_PENDULUM                                                                                                \
    "param k = 1, g = 9.81\ncoord a, b\n"                                                                              \
    "let r1 = [sin(a), -cos(a)]\nlet r2 = r1 + [sin(b), -cos(b)]\n"                                                    \
    "kinetic dot(r1', r1')/2 + k/2*dot(r2', r2')\npotential g*r1[2] + k*g*r2[2]\n"
#define ROD "param k = 1\ncoord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*k*y\nconstraint rod: x^2 + y^2 = 1\n"
#define WITH_STATE                                                                                                     \
    "param k = 1\ncoord x\nstate z: z' = (x' - z)*k\nkinetic x'^2/2\npotential k*sqrt(1 + x^2)\n"                      \
    "force -0.3*z + sin(3*t) - 0.1*abs(x')*x' on x'\n"

typedef struct states {
    double t[STATES], q[2 * STATES], v[2 * STATES], z[STATES];
} states;

/* Rods lie on their constraint; what else there is stands anywhere. */
static void set_states(states *s, int is_rod)
{
    memset(s, 0, sizeof *s);
    for (size_t j = 0; j < STATES; j++) {
        const double x = (double)j / STATES, angle = 0.3 + x;
        s->t[j] = 0.1 * x;
        s->q[j] = is_rod ? sin(angle) : angle;
        s->q[STATES + j] = is_rod ? -cos(angle) : 0.2 - x;
        s->v[j] = is_rod ? 2 * cos(angle) : 0.5;
        s->v[STATES + j] = is_rod ? 2 * sin(angle) : x;
        s->z[j] = 0.1 * x;
    }
}

/* State j by itself, with the interpreter's acceleration. */
static void step_alone(mech_eval *eval, const mech_sizes *k, states *s, size_t j, double h, size_t steps)
{
    static const double at[4] = {0, 0.5, 0.5, 1}, weight[4] = {1, 2, 2, 1};
    const size_t n = k->coords, ny = 2 * n + k->states;
    double y[MOST], x[MOST], f[MOST] = {0}, sum[MOST];
    for (size_t i = 0; i < n; i++) y[i] = s->q[i * STATES + j], y[n + i] = s->v[i * STATES + j];
    if (k->states) y[2 * n] = s->z[j];
    for (size_t step = 0; step < steps; step++) {
        memset(sum, 0, sizeof sum);
        for (int m = 0; m < 4; m++) {
            for (size_t i = 0; i < ny; i++) x[i] = y[i] + at[m] * h * f[i];
            mech_motion now = {.size = sizeof now, .qdd = f + n, .rate = f + 2 * n};
            mech_eval_set_states(eval, x + 2 * n);
            CHECK(mech_eval_motion(eval, s->t[j] + ((double)step + at[m]) * h, x, x + n, &now) == MECH_OK);
            for (size_t i = 0; i < n; i++) f[i] = x[n + i];
            for (size_t i = 0; i < ny; i++) sum[i] += weight[m] * f[i];
        }
        for (size_t i = 0; i < ny; i++) y[i] += h / 6 * sum[i];
    }
    for (size_t i = 0; i < n; i++) s->q[i * STATES + j] = y[i], s->v[i * STATES + j] = y[n + i];
    if (k->states) s->z[j] = y[2 * n];
    s->t[j] += (double)steps * h;
}

static void compare(const motion *m, const states *a, const states *b)
{
    const mech_sizes k = mech_system_sizes(m->system);
    for (size_t j = 0; j < STATES; j++) {
        CHECK_NEAR(a->t[j], b->t[j], 1e-15);
        for (size_t i = 0; i < k.coords; i++) {
            const double q = b->q[i * STATES + j], v = b->v[i * STATES + j];
            CHECK_NEAR(a->q[i * STATES + j], q, 1e-12 * (1 + fabs(q)));
            CHECK_NEAR(a->v[i * STATES + j], v, 1e-12 * (1 + fabs(v)));
        }
        if (k.states) CHECK_NEAR(a->z[j], b->z[j], 1e-12);
    }
}

static void with_model(const char *text, int is_rod, size_t far)
{
    enum { STEPS = 50 };
    static states by[3];
    motion m;
    mech_eval *eval;
    if (!motion_read(&m, text)) return;
    const mech_sizes k = mech_system_sizes(m.system);
    CHECK(mech_eval_create(m.system, MECH_STORAGE_DENSE, &eval) == MECH_OK);
    for (int way = 0; way < 3; way++) {
        mech_motion_settings settings;
        mech_motion_code *code;
        mech_lanes *lanes;
        states *s = &by[way];
        mech_motion_settings_default(&settings, sizeof settings);
        settings.native = way == 0 ? MECH_NATIVE_ON : MECH_NATIVE_OFF;
        CHECK(mech_motion_code_create(m.system, &settings, &code) == MECH_OK);
        CHECK(mech_lanes_create(code, STATES, &lanes) == MECH_OK);
        set_states(s, is_rod);
        for (size_t j = 0; j < far; j++) s->q[7 * j + 3] = 2e6 + (double)j; /* an angle that vectors leave alone */
        const mech_lanes_moving moving = {.size = sizeof moving, .t = s->t, .q = s->q, .v = s->v, .z = s->z};
        if (way == 2) CHECK(mech_eval_use_motion(eval, code) == MECH_OK);
        for (size_t j = 0; j < STATES; j++) {
            CHECK(mech_eval_set_param(eval, "k", 1 + 0.01 * (double)j) == MECH_OK);
            if (way == 2) step_alone(eval, &k, s, j, 0.01, STEPS);
            else CHECK(mech_lanes_take(lanes, j, eval) == MECH_OK);
        }
        if (way < 2) CHECK(mech_lanes_rk4(lanes, &moving, 0.01, STEPS, NULL) == MECH_OK);
        if (way == 0 && mech_motion_code_info(code).is_native) CHECK(mech_lanes_robust(lanes) == far);
        mech_lanes_free(lanes);
        mech_motion_code_free(code);
        if (way == 2) mech_eval_free(eval); /* which used the code */
    }
    compare(&m, &by[0], &by[2]);
    compare(&m, &by[1], &by[2]);
    motion_free(&m);
}

/* cos t: the error falls by sixteen with half the step. */
static void order(void)
{
    motion m;
    mech_motion_code *code;
    mech_lanes *lanes;
    double error[2];
    if (!motion_read(&m, "coord x\nkinetic x'^2/2\npotential x^2/2\n")) return;
    mech_motion_settings settings;
    mech_motion_settings_default(&settings, sizeof settings);
    settings.native = MECH_NATIVE_ON;
    CHECK(mech_motion_code_create(m.system, &settings, &code) == MECH_OK);
    CHECK(mech_lanes_create(code, 3, &lanes) == MECH_OK);
    for (size_t half = 0; half < 2; half++) {
        double q[3] = {1, 1, 1}, v[3] = {0, 0, 0};
        const mech_lanes_moving moving = {.size = sizeof moving, .q = q, .v = v};
        CHECK(mech_lanes_rk4(lanes, &moving, 0.02 / (double)(half + 1), 100 * (half + 1), NULL) == MECH_OK);
        error[half] = fabs(q[2] - cos(2)) + fabs(v[2] + sin(2));
    }
    CHECK(error[0] < 1e-7 && error[0] / error[1] > 15 && error[0] / error[1] < 17);
    const mech_lanes_moving nothing = {.size = sizeof nothing};
    CHECK(mech_lanes_rk4(lanes, &nothing, 0.1, 1, NULL) == MECH_ERR_ARGUMENT);
    double q[3] = {0}, v[3] = {0};
    const mech_lanes_moving still = {.size = sizeof still, .q = q, .v = v};
    CHECK(mech_lanes_rk4(lanes, &still, (double)NAN, 1, NULL) == MECH_ERR_ARGUMENT);
    CHECK(mech_lanes_rk4(lanes, &still, 0.1, 0, NULL) == MECH_OK && q[0] == 0);
    mech_lanes_free(lanes);
    mech_motion_code_free(code);
    motion_free(&m);
}

int main(void)
{
    with_model(DOUBLE_PENDULUM, 0, 0);
    with_model(DOUBLE_PENDULUM, 0, 4);
    with_model(DOUBLE_PENDULUM "force k*sin(3*t) on a'\n", 0, 4);
    with_model(ROD, 1, 0);
    with_model(WITH_STATE, 0, 0);
    order();
    return check_report();
}
