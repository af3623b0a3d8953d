/* Runs driven from C: what is set between two calls, or from a callback, takes effect there and then, or is refused
   with a reason. Motions in closed form, interpreted and by generated code. */
#include "support/motion.h"

static const mech_method methods[] = {MECH_METHOD_RK8, MECH_METHOD_RK5, MECH_METHOD_BDF, MECH_METHOD_ADAMS,
                                      MECH_METHOD_IRK};
enum { METHODS = sizeof methods / sizeof *methods, TURNS = 400 };
static const double turn = 1e-3;

/* Numbers between -1 and 1, the same in each run. */
static double noise(int k)
{
    const double x = sin(12.9898 * k + 4.1414) * 43758.5453;
    return 2 * (x - floor(x)) - 1;
}

/* Reads and starts; 0 where the method is not there. */
static int begin(motion *m, const char *text, mech_method method, double rtol, int native)
{
    if (!motion_read(m, text)) return 0;
    CHECK(motion_derive(m) == MECH_OK);
    motion_settings(m, rtol);
    m->settings.method = method;
    m->settings.until = INFINITY;
    m->settings.output_points = 0;
    CHECK(mech_sim_create(m->system, &m->settings, &m->sim) == MECH_OK);
    if (native) {
        mech_motion_settings code;
        mech_motion_settings_default(&code, sizeof code);
        code.native = MECH_NATIVE_ON;
        code.with_power = code.with_check = 1;
        CHECK(motion_use_code(m, &code) == MECH_OK);
    }
    const mech_status status = mech_sim_start(m->sim);
    if (!motion_has_method(m, status)) return 0;
    if (status != MECH_OK) fprintf(stderr, "%s\n", mech_sim_error_text(m->sim));
    CHECK(status == MECH_OK);
    return status == MECH_OK;
}

static void advance(motion *m, double t)
{
    const mech_status status = mech_sim_advance(m->sim, t);
    if (status != MECH_OK) fprintf(stderr, "%s\n", mech_sim_error_text(m->sim));
    CHECK(status == MECH_OK && mech_sim_time(m->sim) == t);
}

/* The account closes, with the work of what was set. */
static void balances(const motion *m, double allowed)
{
    const mech_sim_info info = mech_sim_info_get(m->sim);
    if (info.balance_error > allowed) fprintf(stderr, "balance %g\n", info.balance_error);
    CHECK(info.balance_error <= allowed);
}

/* x'' = u, held for a millisecond: parabolas, which any Runge-Kutta method meets to rounding. */
static void held_force(mech_method method, double rtol, int native)
{
    motion m;
    const int is_exact = method == MECH_METHOD_RK8 || method == MECH_METHOD_RK5;
    double x = 0, v = 0;
    if (begin(&m, "coord x\ninput u = 0\nkinetic x'^2/2\nforce u on x'\n", method, rtol, native)) {
        for (int k = 0; k < TURNS; k++) {
            const double u = 10 * noise(k);
            CHECK(mech_eval_set_input(mech_sim_eval(m.sim), 0, u, 0, 0) == MECH_OK);
            advance(&m, (k + 1) * turn);
            x += v * turn + u * turn * turn / 2;
            v += u * turn;
            CHECK_NEAR(mech_sim_q(m.sim)[0], x, is_exact ? 1e-13 : 10 * rtol);
            CHECK_NEAR(mech_sim_v(m.sim)[0], v, is_exact ? 1e-13 : 10 * rtol);
        }
        balances(&m, is_exact ? 1e-13 : 1e3 * rtol);
    }
    motion_free(&m);
}

/* x'' = u - k x - 2 d x' with u and k held: exp of the matrix in closed form. */
static void oscillate(double *x, double *v, double u, double k, double d, double t)
{
    const double w = sqrt(k - d * d), at = u / k, e = exp(-d * t), c = cos(w * t), s = sin(w * t) / w, x0 = *x - at,
                 v0 = *v;
    *x = at + e * (x0 * (c + d * s) + v0 * s);
    *v = e * (v0 * (c - d * s) - k * x0 * s);
}

static void held_oscillator(mech_method method, double rtol, int native)
{
    motion m;
    double x = 1, v = 0;
    if (begin(
            &m,
            "param k = 900, d = 3\ncoord x\ninput u = 0\nkinetic x'^2/2\npotential k*x^2/2\nforce u - 2*d*x' on x'\ninitial x = 1\n",
            method, rtol, native)) {
        mech_eval *eval = mech_sim_eval(m.sim);
        for (int i = 0; i < TURNS; i++) {
            const double u = 1000 * noise(i), k = i % 7 ? 900 : 900 + 500 * noise(-i);
            CHECK(mech_eval_set_input(eval, 0, u, 0, 0) == MECH_OK && mech_eval_set_param(eval, "k", k) == MECH_OK);
            advance(&m, (i + 1) * turn);
            oscillate(&x, &v, u, k, 3, turn);
            CHECK_NEAR(mech_sim_q(m.sim)[0], x, 300 * rtol);
            CHECK_NEAR(mech_sim_v(m.sim)[0], v, 3e3 * rtol);
        }
        balances(&m, 1e6 * rtol);
    }
    motion_free(&m);
}

/* The same force from a table: the run changes it at the points, as a caller would, to the last bit; and the exact
   answer. */
static void held_table(mech_method method, double rtol, int native)
{
    static const char text[] =
        "param k = 900, d = 3\ncoord x\ninput u = %s\nkinetic x'^2/2\npotential k*x^2/2\nforce u - 2*d*x' on x'\ninitial x = 1\n";
    char path[] = "/tmp/mech-held-XXXXXX", signal[100], held_text[500], driven_text[500];
    const int file = mkstemp(path);
    FILE *f = file >= 0 ? fdopen(file, "w") : NULL;
    CHECK(f != NULL);
    if (!f) return;
    fprintf(f, "t,u\n");
    for (int i = 0; i < TURNS; i++) fprintf(f, "%.17g,%.17g\n", i * turn, 1000 * noise(i));
    fclose(f);
    snprintf(signal, sizeof signal, "file \"%s\" column \"u\" held", path);
    snprintf(held_text, sizeof held_text, text, signal);
    snprintf(driven_text, sizeof driven_text, text, "0");
    motion held, driven;
    double x = 1, v = 0;
    if (begin(&held, held_text, method, rtol, native) && begin(&driven, driven_text, method, rtol, native)) {
        for (int i = 0; i < TURNS; i++) {
            CHECK(mech_eval_set_input(mech_sim_eval(driven.sim), 0, 1000 * noise(i), 0, 0) == MECH_OK);
            advance(&driven, (i + 1) * turn);
            oscillate(&x, &v, 1000 * noise(i), 900, 3, turn);
            if (i % 40 != 39) continue;
            advance(&held, (i + 1) * turn); /* forty points at once */
            CHECK_NEAR(mech_sim_q(held.sim)[0], x, 300 * rtol);
            CHECK_NEAR(mech_sim_v(held.sim)[0], v, 3e3 * rtol);
            CHECK_NEAR(mech_sim_q(held.sim)[0], mech_sim_q(driven.sim)[0], 300 * rtol);
        }
        balances(&held, 1e6 * rtol);
        motion_free(&driven);
    }
    motion_free(&held);
    remove(path);
}

/* x'' = u - k x - 2 d x' by a law in C, with generated code: the closed form, and the account. */
static mech_status spring_and_damper(void *user, const mech_point *at, double *u)
{
    (void)user;
    u[0] = -900 * at->q[0] - 6 * at->v[0];
    return MECH_OK;
}

static void law_in_c(mech_method method, double rtol, int native)
{
    static const size_t input[1] = {0};
    const mech_input_law law = {.size = sizeof law, .inputs = input, .count = 1, .u = spring_and_damper};
    motion m;
    double x = 1, v = 0;
    if (begin(&m, "coord x\ninput u = 0\nkinetic x'^2/2\nforce u on x'\ninitial x = 1\n", method, rtol, native)) {
        CHECK(mech_sim_set_law(m.sim, &law) == MECH_OK);
        for (int i = 0; i < TURNS; i++) {
            advance(&m, (i + 1) * turn);
            oscillate(&x, &v, 0, 900, 3, turn);
            CHECK_NEAR(mech_sim_q(m.sim)[0], x, 300 * rtol);
            CHECK_NEAR(mech_sim_v(m.sim)[0], v, 9e3 * rtol);
        }
        balances(&m, 1e6 * rtol);
    }
    motion_free(&m);
}

/* A pendulum in x and y, pushed along x: its angle by the classical Runge-Kutta method, a hundred steps a millisecond.
   */
static double push(double angle, double u) { return -9.81 * sin(angle) + u * cos(angle); }

static void swing(double *a, double *w, double u)
{
    const double h = turn / 20;
    for (int i = 0; i < 20; i++) {
        const double a1 = *w, w1 = push(*a, u), a2 = *w + h / 2 * w1, w2 = push(*a + h / 2 * a1, u),
                     a3 = *w + h / 2 * w2, w3 = push(*a + h / 2 * a2, u), a4 = *w + h * w3, w4 = push(*a + h * a3, u);
        *a += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
        *w += h / 6 * (w1 + 2 * w2 + 2 * w3 + w4);
    }
}

static void held_pendulum(mech_method method, double rtol, int native)
{
    motion m;
    double a = 0.5, w = 0;
    if (begin(
            &m,
            "coord x, y\ninput u = 0\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nforce u on x'\nconstraint rod: x^2 + y^2 = 1\n"
            "guess x = sin(0.5), y = -cos(0.5)\n",
            method, rtol, native)) {
        for (int i = 0; i < TURNS; i++) {
            const double u = 50 * noise(i);
            CHECK(mech_eval_set_input(mech_sim_eval(m.sim), 0, u, 0, 0) == MECH_OK);
            advance(&m, (i + 1) * turn);
            swing(&a, &w, u);
            CHECK_NEAR(mech_sim_q(m.sim)[0], sin(a), 100 * rtol + 1e-12);
            CHECK_NEAR(mech_sim_v(m.sim)[0], w * cos(a), 1e3 * rtol + 1e-12);
        }
        balances(&m, 1e4 * rtol);
    }
    motion_free(&m);
}

/* Looking is no change: evaluations elsewhere, forces, the same values set again. Same bytes. */
static void looking(mech_method method)
{
    static const char text[] =
        "param k = 4\ncoord x, y\ninput u = sin(t)\nkinetic (x'^2 + y'^2)/2\npotential k*y\nforce u on x'\n"
        "constraint rod: x^2 + y^2 = 1\nguess x = 0.6, y = -0.8\noutput pull = lambda(rod)\n";
    motion a, b;
    const double elsewhere[] = {0.8, -0.6};
    if (begin(&a, text, method, 1e-9, 0) && begin(&b, text, method, 1e-9, 0)) {
        mech_eval *eval = mech_sim_eval(b.sim);
        mech_sim_forces forces;
        CHECK(mech_eval_set_param(mech_sim_eval(a.sim), "k", 4) == MECH_OK &&
              mech_eval_set_param(eval, "k", 4) == MECH_OK);
        for (int i = 1; i <= 20; i++) {
            advance(&a, 0.1 * i);
            CHECK(mech_eval_position(eval, 7, elsewhere) == MECH_OK && mech_eval_velocity(eval, elsewhere) == MECH_OK &&
                  mech_eval_output(eval) == MECH_OK);
            CHECK(mech_eval_set_param(eval, "k", 4) == MECH_OK && mech_eval_use_signal(eval, 0) == MECH_OK &&
                  mech_eval_set_active(eval, 0, 1) == MECH_OK);
            CHECK(mech_sim_forces_now(b.sim, &forces) == MECH_OK);
            CHECK(mech_sim_advance(b.sim, mech_sim_time(b.sim)) == MECH_OK);
            advance(&b, 0.1 * i);
            CHECK(memcmp(mech_sim_q(a.sim), mech_sim_q(b.sim), 2 * sizeof(double)) == 0);
            CHECK(memcmp(mech_sim_v(a.sim), mech_sim_v(b.sim), 2 * sizeof(double)) == 0);
        }
        motion_free(&b);
    }
    motion_free(&a);
}

/* ---- constraints put in force and released ---- */

/* Two rotors: a clutch between them makes them turn alike, with the momentum that they had; 1 J to begin with. */
static void clutch(mech_method method)
{
    motion m;
    if (begin(
            &m,
            "coord a, b\nkinetic a'^2/2 + 3*b'^2/2\nforce 1 on a'\nconstraint clutch: a' = b'\ninitial a' = 2\ninitial release clutch\n"
            "event never: a rises through 1e9 -> impose clutch\n",
            method, 1e-9, 0)) {
        mech_eval *eval = mech_sim_eval(m.sim);
        mech_sim_forces forces;
        advance(&m, 1);
        CHECK_NEAR(mech_sim_v(m.sim)[0], 3, 1e-7);
        CHECK(mech_eval_set_active(eval, 0, 1) == MECH_OK);
        CHECK(mech_sim_forces_now(m.sim, &forces) == MECH_OK); /* taken up before anything is told */
        CHECK_NEAR(mech_sim_v(m.sim)[0], 0.75, 1e-7);
        CHECK_NEAR(forces.qdd[1], 0.25, 1e-9);
        advance(&m, 3);
        CHECK_NEAR(mech_sim_v(m.sim)[0], 1.25, 1e-7);
        CHECK_NEAR(mech_sim_v(m.sim)[1], 1.25, 1e-7);
        CHECK(mech_eval_set_active(eval, 0, 0) == MECH_OK);
        advance(&m, 4);
        CHECK_NEAR(mech_sim_v(m.sim)[0], 2.25, 1e-7);
        CHECK_NEAR(mech_sim_v(m.sim)[1], 1.25, 1e-7);
        CHECK_NEAR(mech_sim_info_get(m.sim).event_energy, 4 * 0.75 * 0.75 / 2 - 4.5, 1e-6);
        balances(&m, 1e-6);
    }
    motion_free(&m);
}

/* A pendulum let go flies a parabola; caught again it is on its circle, with the velocity along it. */
static void let_go(mech_method method)
{
    motion m;
    if (begin(
            &m,
            "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint rod: x^2 + y^2 = 1\ninitial y = -1, x' = 2\nguess x = 0\n",
            method, 1e-10, 0)) {
        mech_eval *eval = mech_sim_eval(m.sim);
        advance(&m, 0.2);
        const double *q = mech_sim_q(m.sim), *v = mech_sim_v(m.sim), x = q[0], y = q[1], vx = v[0], vy = v[1], s = 0.3;
        CHECK(mech_eval_set_active(eval, 0, 0) == MECH_OK);
        advance(&m, 0.5);
        CHECK_NEAR(mech_sim_q(m.sim)[0], x + vx * s, 1e-8);
        CHECK_NEAR(mech_sim_q(m.sim)[1], y + vy * s - 9.81 / 2 * s * s, 1e-8);
        CHECK_NEAR(mech_sim_v(m.sim)[1], vy - 9.81 * s, 1e-8);
        CHECK(mech_eval_set_active(eval, 0, 1) == MECH_OK);
        advance(&m, 0.6);
        const double *p = mech_sim_q(m.sim), *w = mech_sim_v(m.sim);
        CHECK_NEAR(hypot(p[0], p[1]), 1, 1e-10);
        CHECK_NEAR(p[0] * w[0] + p[1] * w[1], 0, 1e-10);
        balances(&m, 1e-6);
    }
    motion_free(&m);
}

/* Belts whose speed is set: what they drive follows by an impulse. A place that jumps is refused by name. */
static void jumps(void)
{
    motion m;
    if (begin(
            &m,
            "param s = 1, l = 1\ncoord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint belt: x' = s\nconstraint slot: y = l\n",
            MECH_METHOD_RK8, 1e-9, 0)) {
        mech_eval *eval = mech_sim_eval(m.sim);
        advance(&m, 1);
        CHECK(mech_eval_set_param(eval, "s", -2) == MECH_OK);
        advance(&m, 2);
        CHECK_NEAR(mech_sim_v(m.sim)[0], -2, 1e-12);
        CHECK_NEAR(mech_sim_q(m.sim)[0], -1, 1e-9);
        CHECK_NEAR(mech_sim_info_get(m.sim).event_energy, 1.5, 1e-9);
        CHECK(mech_eval_set_param(eval, "l", 1.5) == MECH_OK);
        CHECK(mech_sim_advance(m.sim, 3) == MECH_ERR_MODEL);
        CHECK(motion_says(&m, "constraint slot jumps by 0.5", "no motion can follow"));
        CHECK(mech_sim_time(m.sim) == 2);
    }
    motion_free(&m);
}

/* Friction: the coefficient, the push and the load as they are set. */
static void friction(mech_method method)
{
    motion m;
    if (begin(
            &m,
            "param mu = 1/2\ninput u = 0\ncoord x, y\nkinetic (x'^2 + y'^2)/2\npotential 10*y\nforce u on x'\nconstraint floor: y = 0\n"
            "friction on floor: mu, along x'\n",
            method, 1e-9, 0)) {
        mech_eval *eval = mech_sim_eval(m.sim);
        advance(&m, 1);
        CHECK_NEAR(mech_sim_v(m.sim)[0], 0, 1e-12);
        CHECK(mech_eval_set_input(eval, 0, 4, 0, 0) == MECH_OK); /* holds */
        advance(&m, 2);
        CHECK_NEAR(mech_sim_v(m.sim)[0], 0, 1e-12);
        CHECK(mech_eval_set_input(eval, 0, 7, 0, 0) == MECH_OK); /* gives way: 7 - 5 */
        advance(&m, 3);
        CHECK_NEAR(mech_sim_v(m.sim)[0], 2, 1e-7);
        CHECK(mech_eval_set_param(eval, "mu", 0.9) == MECH_OK); /* 7 - 9: at rest after another second */
        advance(&m, 3.5);
        CHECK_NEAR(mech_sim_v(m.sim)[0], 1, 1e-7);
        advance(&m, 5);
        CHECK_NEAR(mech_sim_v(m.sim)[0], 0, 1e-9);
        CHECK_NEAR(mech_sim_q(m.sim)[0], 2, 1e-6);
    }
    motion_free(&m);
}

/* Gains of the model that are made of parameters: r'' = -2 w r' - w^2 r from where the state is when they are set. */
static void gains(mech_method method)
{
    motion m;
    if (begin(
            &m,
            "param w = 1\ncoord x\nkinetic x'^2/2\ncontrol path: x = 0\nstabilize excess on path, B = 2*w, K = w^2\ninitial x = 1, x' = 0\n",
            method, 1e-9, 0)) {
        double t = 0.5, r = (1 + t) * exp(-t), v = -t * exp(-t);
        advance(&m, 0.5);
        CHECK_NEAR(mech_sim_q(m.sim)[0], r, 1e-7);
        CHECK(mech_eval_set_param(mech_sim_eval(m.sim), "w", 4) == MECH_OK);
        advance(&m, 1);
        CHECK_NEAR(mech_sim_q(m.sim)[0], (r + (v + 4 * r) * t) * exp(-4 * t), 1e-7);
    }
    motion_free(&m);
}

/* ---- C functions ---- */

typedef enum which { MASS, PLACE, DIRECTION, FORCE, RIGHT, RATE_OF_PLACE, RATE, LAW, OUTPUT, FUNCTIONS } which;

typedef struct wire { /* what the functions read */
    double u;
    which fails;
    double fails_at;
    mech_status with;
    size_t calls;
} wire;

/* What one of them answers, with `value` in its first entry. */
static mech_status answer(void *user, const mech_point *at, which function, double value, double *to)
{
    wire *w = user;
    w->calls += function == FORCE;
    to[0] = value;
    return function == w->fails && at->t >= w->fails_at ? w->with : MECH_OK;
}

/* A block on a line y = 0, pushed along it by u. */
static mech_status mass(void *user, const mech_point *at, double *M)
{
    M[3] = 1;
    return answer(user, at, MASS, 1, M);
}
static mech_status place(void *user, const mech_point *at, double *r) { return answer(user, at, PLACE, at->q[1], r); }
static mech_status direction(void *user, const mech_point *at, double *A)
{
    A[1] = 1;
    return answer(user, at, DIRECTION, 0, A);
}
static mech_status force(void *user, const mech_point *at, double *Q)
{
    return answer(user, at, FORCE, ((wire *)user)->u, Q);
}
static mech_status right(void *user, const mech_point *at, double *b) { return answer(user, at, RIGHT, 0, b); }
static mech_status rate_of_place(void *user, const mech_point *at, double *r)
{
    return answer(user, at, RATE_OF_PLACE, at->v[1], r);
}
static mech_status rate(void *user, const mech_point *at, double *z)
{
    return answer(user, at, RATE, ((wire *)user)->u, z);
}
static mech_status law(void *user, const mech_point *at, double *C) { return answer(user, at, LAW, 0, C); }
static mech_status output(void *user, const mech_point *at, double *y) { return answer(user, at, OUTPUT, at->q[0], y); }

static mech_system *wired(wire *w)
{
    const mech_callbacks functions = {.size = sizeof functions,
                                      .coords = 2,
                                      .holonomic = 1,
                                      .states = 1,
                                      .outputs = 1,
                                      .M = mass,
                                      .r = place,
                                      .A = direction,
                                      .Q = force,
                                      .b = right,
                                      .r_dot = rate_of_place,
                                      .rate = rate,
                                      .C = law,
                                      .output = output};
    mech_system *system;
    CHECK(mech_system_from_callbacks(&functions, w, &system) == MECH_OK);
    return system;
}

static const mech_method explicit_methods[] = {MECH_METHOD_RK8, MECH_METHOD_RK5, MECH_METHOD_ADAMS};

/* What the functions read changes between two calls. */
static void functions(mech_method method)
{
    wire w = {.fails_at = INFINITY};
    motion m = {.system = wired(&w)};
    motion_settings(&m, 1e-6);
    m.settings.until = INFINITY;
    m.settings.output_points = 0;
    m.settings.method = method;
    CHECK(mech_sim_create(m.system, &m.settings, &m.sim) == MECH_OK);
    double x = 0, v = 0;
    const mech_status status = mech_sim_start(m.sim);
    for (int k = 0; k < TURNS && motion_has_method(&m, status); k++) {
        w.u = 10 * noise(k);
        advance(&m, (k + 1) * turn);
        x += v * turn + w.u * turn * turn / 2;
        v += w.u * turn;
        CHECK_NEAR(mech_sim_q(m.sim)[0], x, method == MECH_METHOD_ADAMS ? 1e-5 : 1e-13);
        CHECK_NEAR(mech_sim_v(m.sim)[0], v, method == MECH_METHOD_ADAMS ? 1e-5 : 1e-13);
        CHECK_NEAR(mech_sim_states(m.sim)[0], v, method == MECH_METHOD_ADAMS ? 1e-5 : 1e-13);
    }
    motion_free(&m);
}

/* A failure of a function ends the run, soon, and comes out as it went in. */
static void fails_in(which function, mech_status with, mech_method method)
{
    wire w = {.u = 1, .fails = function, .fails_at = 0.5, .with = with};
    motion m = {.system = wired(&w)};
    motion_settings(&m, 1e-9);
    m.settings.until = 1;
    m.settings.method = method;
    const mech_status status = motion_run(&m);
    if (w.calls > 0) {
        if (status != with)
            fprintf(stderr, "function %d, %s: %s for %s\n", (int)function, mech_method_word(method),
                    mech_status_text(status), mech_status_text(with));
        CHECK(status == with);
        CHECK(w.calls < 5000);
        CHECK(mech_sim_time(m.sim) < 0.5 && motion_says(&m, "at t = ", mech_status_text(with)));
    }
    motion_free(&m);
}

static void failing_functions(void)
{
    for (int function = MASS; function < FUNCTIONS; function++)
        for (int code = MECH_OK + 1; code < MECH_STATUS_COUNT; code++)
            for (size_t k = 0; k < 3; k++) fails_in((which)function, (mech_status)code, explicit_methods[k]);
}

/* Without derivatives a stiff method is refused with the reason; other code beside a run changes nothing until it is
   used. */
static void prepared_late(void)
{
    static const char text[] =
        "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint rod: x^2 + y^2 = 1\nguess x = 0.6, y = -0.8\n";
    motion m;
    if (!motion_read(&m, text)) return;
    m.settings.method = MECH_METHOD_BDF;
    CHECK(mech_sim_create(m.system, &m.settings, &m.sim) == MECH_OK);
    CHECK(mech_sim_start(m.sim) == MECH_ERR_UNSUPPORTED);
    CHECK(motion_says(&m, "method bdf is not available here", "mech_system_options.with_derivatives"));
    motion_free(&m);
    motion same;
    if (!begin(&m, text, MECH_METHOD_RK8, 1e-10, 1) || !begin(&same, text, MECH_METHOD_RK8, 1e-10, 1)) return;
    for (int k = 1; k <= 6; k++) {
        mech_motion_settings code;
        mech_motion_settings_default(&code, sizeof code);
        code.native = k % 2 ? MECH_NATIVE_OFF : MECH_NATIVE_ON;
        code.with_power = code.with_check = k % 3 != 0;
        mech_motion_code *other = NULL;
        CHECK(mech_motion_code_create(m.system, &code, &other) == MECH_OK);
        CHECK(mech_sim_use_motion(same.sim, other) == MECH_ERR_ARGUMENT); /* of another system */
        mech_motion_code_free(other);
        if (k > 3) CHECK(motion_use_code(&m, &code) == MECH_OK);
        advance(&m, 0.2 * k);
        advance(&same, 0.2 * k);
        for (size_t i = 0; i < 2; i++) CHECK_NEAR(mech_sim_q(m.sim)[i], mech_sim_q(same.sim)[i], k > 3 ? 1e-8 : 0);
    }
    motion_free(&m);
    motion_free(&same);
}

/* ---- every setter at every moment ---- */

typedef enum moment {
    CREATED,
    IN_FIRST_ROW,
    STARTED,
    IN_PROGRESS,
    IN_ROW,
    AT_END,
    STOPPED,
    FAILED_START,
    FAILED_RUN,
    MOMENTS
} moment;
static const char *const moment_words[] = {"created",        "in the first row", "started", "in progress",
                                           "in a row",       "at the end",       "stopped", "after a failed start",
                                           "after a failure"};

/* x'' = k + u and, without the guide, y'' = 1. */
typedef struct facts {
    double k, u;
    int guide;
} facts;
static const facts as_made = {3, 2, 1};

static mech_status nan_param(motion *m) { return mech_eval_set_param(mech_sim_eval(m->sim), "k", (double)NAN); }
static mech_status no_param(motion *m) { return mech_eval_set_param(mech_sim_eval(m->sim), "nobody", 1); }
static mech_status set_param(motion *m) { return mech_eval_set_param(mech_sim_eval(m->sim), "k", 7); }
static mech_status set_param_at(motion *m) { return mech_eval_set_param_at(mech_sim_eval(m->sim), 0, 7); }
static mech_status reset_params(motion *m) { return mech_eval_reset_params(mech_sim_eval(m->sim)); }
static mech_status set_input(motion *m) { return mech_eval_set_input(mech_sim_eval(m->sim), 0, -4, 0, 0); }
static mech_status nan_input(motion *m) { return mech_eval_set_input(mech_sim_eval(m->sim), 0, (double)NAN, 0, 0); }
static mech_status no_input(motion *m) { return mech_eval_set_input(mech_sim_eval(m->sim), 1, 0, 0, 0); }
static mech_status use_signal(motion *m) { return mech_eval_use_signal(mech_sim_eval(m->sim), 0); }
static mech_status set_active(motion *m) { return mech_eval_set_active(mech_sim_eval(m->sim), 0, 0); }
static mech_status no_active(motion *m) { return mech_eval_set_active(mech_sim_eval(m->sim), 7, 0); }
static mech_status set_states(motion *m) { return mech_eval_set_states(mech_sim_eval(m->sim), (const double[]){5}); }
static mech_status set_start(motion *m) { return mech_sim_set_start(m->sim, NULL, (const double[]){0, 0}, NULL, 0); }
static mech_status nan_start(motion *m)
{
    return mech_sim_set_start(m->sim, NULL, (const double[]){0, (double)NAN}, NULL, 0);
}
static mech_status infinite_state(motion *m)
{
    return mech_sim_set_start(m->sim, NULL, NULL, (const double[]){INFINITY}, 0);
}
static mech_status start(motion *m) { return mech_sim_start(m->sim); }
static mech_status go_back(motion *m) { return mech_sim_advance(m->sim, -1); }
static mech_status go_nowhere(motion *m) { return mech_sim_advance(m->sim, (double)NAN); }
static mech_status stay(motion *m) { return mech_sim_advance(m->sim, mech_sim_time(m->sim)); }
static mech_status save(motion *m)
{
    char *bytes;
    size_t size;
    const mech_status status = mech_sim_save(m->sim, NULL, 0, &bytes, &size);
    mech_text_free(bytes);
    return status;
}
static mech_status forces_now(motion *m)
{
    mech_sim_forces forces;
    return mech_sim_forces_now(m->sim, &forces);
}

/* A letter for each moment: y taken, n refused. */
static const struct setter {
    const char *name;
    mech_status (*set)(motion *m);
    const char *taken;
    facts after;
} setters[] = {
    {"set_param", set_param, "ynyynyynn", {7, 2, 1}},
    {"set_param_at", set_param_at, "ynyynyynn", {7, 2, 1}},
    {"set_param of nan", nan_param, "nnnnnnnnn", {3, 2, 1}},
    {"set_param of nobody", no_param, "nnnnnnnnn", {3, 2, 1}},
    {"reset_params", reset_params, "ynyynyynn", {1, 2, 1}},
    {"set_input", set_input, "ynyynyynn", {3, -4, 1}},
    {"set_input of nan", nan_input, "nnnnnnnnn", {3, 2, 1}},
    {"set_input of nobody", no_input, "nnnnnnnnn", {3, 2, 1}},
    {"use_signal", use_signal, "ynyynyynn", {3, 0, 1}},
    {"set_active", set_active, "ynyynyynn", {3, 2, 0}},
    {"set_active of nobody", no_active, "nnnnnnnnn", {3, 2, 1}},
    {"set_states", set_states, "nnnnnnnnn", {3, 2, 1}},
    {"set_start", set_start, "ynnnnnnnn", {3, 2, 1}},
    {"set_start of nan", nan_start, "nnnnnnnnn", {3, 2, 1}},
    {"set_start of an infinite state", infinite_state, "nnnnnnnnn", {3, 2, 1}},
    {"start", start, "ynnnnnnnn", {3, 2, 1}},
    {"advance back", go_back, "nnnnnnnnn", {3, 2, 1}},
    {"advance to nan", go_nowhere, "nnnnnnnnn", {3, 2, 1}},
    {"advance to now", stay, "nnynnyynn", {3, 2, 1}},
    {"save", save, "nnyynyynn", {3, 2, 1}},
    {"forces_now", forces_now, "nnyyyyyny", {3, 2, 1}},
};

typedef struct walk {
    motion m;
    const struct setter *setter;
    moment when;
    mech_status status;
    int is_done, has_words, stops;
} walk;

static void call_setter(walk *w)
{
    w->is_done = 1;
    w->status = w->setter->set(&w->m);
    char *words = mech_eval_explain(mech_sim_eval(w->m.sim));
    w->has_words = (words && strlen(words) > 10) || strlen(mech_sim_error_text(w->m.sim)) > 10;
    mech_text_free(words);
}

static int walk_row(void *user, const double *row, size_t columns)
{
    walk *w = user;
    (void)columns;
    if (!w->is_done && w->when == (row[0] == 0 ? IN_FIRST_ROW : IN_ROW)) call_setter(w);
    return w->stops;
}

static int walk_progress(void *user, double t, double from, double until)
{
    walk *w = user;
    (void)t, (void)from, (void)until;
    if (!w->is_done && w->when == IN_PROGRESS && t > 0) call_setter(w);
    return 0;
}

/* To the moment, and over it where a callback is one. */
static void walk_to(walk *w)
{
    mech_sim *sim = w->m.sim;
    static const double off[] = {0, 1};
    switch (w->when) {
    case CREATED: break;
    case IN_FIRST_ROW: CHECK(mech_sim_start(sim) == MECH_OK); break;
    case STARTED: CHECK(mech_sim_start(sim) == MECH_OK && mech_sim_advance(sim, 0.5) == MECH_OK); break;
    case IN_PROGRESS:
    case IN_ROW: CHECK(mech_sim_start(sim) == MECH_OK && mech_sim_advance(sim, 0.75) == MECH_OK); break;
    case AT_END: CHECK(mech_sim_run(sim) == MECH_OK); break;
    case STOPPED:
        CHECK(mech_sim_start(sim) == MECH_OK && mech_sim_advance(sim, 9) == MECH_OK && mech_sim_has_stopped(sim));
        break;
    case FAILED_START:
        CHECK(mech_sim_set_start(sim, off, NULL, NULL, 1) == MECH_OK && mech_sim_start(sim) == MECH_ERR_CONFLICT);
        break;
    case FAILED_RUN:
        CHECK(mech_sim_start(sim) == MECH_OK);
        w->stops = 1;
        CHECK(mech_sim_advance(sim, 1) == MECH_ERR_INTERRUPTED);
        break;
    case MOMENTS: break;
    }
}

/* From where the run is now, what the setter made of it holds. */
static void walk_on(walk *w, double since, double v_x, double v_y)
{
    mech_sim *sim = w->m.sim;
    const facts f = w->status == MECH_OK ? w->setter->after : as_made; /* what is refused changes nothing */
    const double s = 0.5;
    if (!mech_sim_has_started(sim) && w->when == CREATED) CHECK(mech_sim_start(sim) == MECH_OK);
    const mech_status status = mech_sim_advance(sim, since + s);
    if (w->when == FAILED_START || w->when == FAILED_RUN) {
        CHECK(status == MECH_ERR_ARGUMENT && *mech_sim_error_text(sim));
        return;
    }
    CHECK(status == MECH_OK && mech_sim_time(sim) == (w->when == STOPPED ? since : since + s));
    mech_sim_forces forces;
    CHECK(mech_sim_forces_now(sim, &forces) == MECH_OK);
    CHECK_NEAR(forces.qdd[0], f.k + f.u, 1e-12);
    CHECK_NEAR(forces.qdd[1], f.guide ? 0 : 1, 1e-12);
    if (w->when == STOPPED) return;
    CHECK_NEAR(mech_sim_v(sim)[0], v_x + s * (f.k + f.u), 1e-9);
    CHECK_NEAR(mech_sim_v(sim)[1], v_y + (f.guide ? 0 : s), 1e-9);
    CHECK_NEAR(mech_sim_states(sim)[0], mech_sim_time(sim), 1e-9);
}

static void walk_one(moment when, const struct setter *setter)
{
    walk w = {.setter = setter, .when = when};
    if (!motion_read(
            &w.m,
            "param k = 1\ninput u = 0\nstate z: z' = 1\ncoord x, y\nkinetic (x'^2 + y'^2)/2\nforce k + u on x'\nforce 1 on y'\n"
            "constraint guide: y = 0\nevent halt: x rises through 40 -> stop\n"))
        return;
    const int failures = check_failures;
    w.m.settings.on_row = walk_row;
    w.m.settings.on_progress = walk_progress;
    w.m.settings.user = &w;
    w.m.settings.max_step = 0.1;
    CHECK(mech_sim_create(w.m.system, &w.m.settings, &w.m.sim) == MECH_OK);
    mech_eval *eval = mech_sim_eval(w.m.sim);
    CHECK(mech_eval_set_param(eval, "k", as_made.k) == MECH_OK &&
          mech_eval_set_input(eval, 0, as_made.u, 0, 0) == MECH_OK);
    walk_to(&w);
    const int is_callback = when == IN_FIRST_ROW || when == IN_PROGRESS || when == IN_ROW,
              is_started = mech_sim_has_started(w.m.sim);
    const double t = is_started ? mech_sim_time(w.m.sim) : 0;
    if (!is_callback) call_setter(&w);
    CHECK(w.is_done && (w.status == MECH_OK) == (setter->taken[when] == 'y'));
    CHECK(w.status == MECH_OK || w.has_words);
    walk_on(&w, t, is_started ? mech_sim_v(w.m.sim)[0] : 0, is_started ? mech_sim_v(w.m.sim)[1] : 0);
    if (check_failures != failures)
        fprintf(stderr, "  %s, %s (%s)\n", setter->name, moment_words[when], mech_status_text(w.status));
    motion_free(&w.m);
}

int main(void)
{
    for (size_t k = 0; k < METHODS; k++) {
        for (int native = 0; native < 2; native++) {
            held_force(methods[k], k < 2 ? 1e-6 : 1e-9, native);
            held_oscillator(methods[k], 1e-9, native);
            held_table(methods[k], 1e-9, native);
            law_in_c(methods[k], 1e-9, native);
            held_pendulum(methods[k], 1e-9, native);
        }
        looking(methods[k]);
        clutch(methods[k]);
        let_go(methods[k]);
        friction(methods[k]);
        gains(methods[k]);
    }
    jumps();
    for (size_t k = 0; k < 3; k++) functions(explicit_methods[k]);
    failing_functions();
    prepared_late();
    for (int when = CREATED; when < MOMENTS; when++)
        for (size_t k = 0; k < sizeof setters / sizeof *setters; k++) walk_one((moment)when, &setters[k]);
    return check_report();
}
