/* Runs with generated code, whose steps settle.c ends, against runs by the interpreter and the full solve:
   the same end, the same residuals, the same balance of energy, the same passages. */
#include "support/motion.h"

typedef struct outcome {
    double q[64], v[64];
    mech_sim_info info;
    mech_counts counts;
} outcome;

/* The coordinates; 0 where the build does not have the method. */
static int run_by(mech_method method, const char *path, double until, double rtol, int native, outcome *to)
{
    motion m;
    if (!motion_read(&m, path)) return 0;
    motion_settings(&m, rtol);
    m.settings.until = until;
    m.settings.atol = rtol;
    m.settings.method = method;
    CHECK(mech_sim_create(m.system, &m.settings, &m.sim) == MECH_OK);
    const mech_status started = mech_sim_start(m.sim);
    if (started == MECH_ERR_UNSUPPORTED && method != MECH_METHOD_AUTO) {
        motion_free(&m);
        return 0;
    }
    CHECK(started == MECH_OK);
    const mech_sizes size = mech_system_sizes(m.system);
    if (native) {
        mech_motion_settings code;
        mech_motion_settings_default(&code, sizeof code);
        code.native = MECH_NATIVE_ON;
        code.with_power = code.with_check = 1;
        code.q = mech_sim_q(m.sim);
        code.v = mech_sim_v(m.sim);
        CHECK(motion_use_code(&m, &code) == MECH_OK);
    }
    CHECK(mech_sim_run(m.sim) == MECH_OK);
    memcpy(to->q, mech_sim_q(m.sim), size.coords * sizeof(double));
    memcpy(to->v, mech_sim_v(m.sim), size.coords * sizeof(double));
    to->info = mech_sim_info_get(m.sim);
    to->counts = mech_eval_counts(mech_sim_eval(m.sim));
    char *text = mech_sim_audit_text(m.sim);
    CHECK(text && (strstr(text, "generated code") != NULL) == native);
    mech_text_free(text);
    motion_free(&m);
    return (int)size.coords;
}

static int run(const char *path, double until, double rtol, int native, outcome *to)
{
    return run_by(MECH_METHOD_AUTO, path, until, rtol, native, to);
}

static void compare(const char *path, double until, double rtol, double allowed)
{
    static outcome plain, native;
    const int n = run(path, until, rtol, 0, &plain);
    CHECK(run(path, until, rtol, 1, &native) == n && n <= 64);
    double error = 0, size = 0;
    for (int i = 0; i < n && i < 64; i++) {
        error = fmax(error, fabs(plain.q[i] - native.q[i]));
        size = fmax(size, fabs(plain.q[i]));
    }
    printf("%-45s difference %.1e, steps %zu %zu, phi' %.1e %.1e, balance %.1e %.1e, least %.3g %.3g, "
           "fallbacks %zu\n",
           path, error / size, plain.info.steps, native.info.steps, plain.info.phi_dot, native.info.phi_dot,
           plain.info.balance_error, native.info.balance_error, plain.info.smallest_singular,
           native.info.smallest_singular, native.counts.fallbacks);
    CHECK(error <= allowed * size);
    CHECK(native.info.phi <= 2 * fmax(plain.info.phi, rtol * 1e-3));
    CHECK(native.info.phi_dot <= 2 * fmax(plain.info.phi_dot, rtol * 1e-3));
    CHECK(native.info.balance_error <= 10 * plain.info.balance_error + 1e-3 * rtol * plain.info.energy_scale);
    CHECK(native.info.rank_least == plain.info.rank_least && native.info.rank_most == plain.info.rank_most);
    CHECK(native.info.near_singular == plain.info.near_singular);
    CHECK(native.info.smallest_singular >= 0.9 * plain.info.smallest_singular &&
          native.info.smallest_singular <= 1.3 * plain.info.smallest_singular);
}

/* Adams does not evaluate where its steps end: generated code must tell it all the same that a singular position is
   near. A crank with a rod of its own length was lost there, at t = 4.9, or its passages were not seen. */
static void crank_by_adams(double rtol)
{
    static const char text[] =
        "coord th, x, ph\nkinetic (th'^2 + ph'^2)*1e-4/2 + x'^2/2\nconstraint a: x = cos(th) + cos(ph)\n"
        "constraint b: sin(th) - sin(ph) = 0\ninitial th = 1, x' = 1, ph = 1\nsimulate until 10\n";
    static outcome plain, native;
    if (run_by(MECH_METHOD_ADAMS, text, 10, rtol, 0, &plain) == 0) return;
    run_by(MECH_METHOD_ADAMS, text, 10, rtol, 1, &native);
    printf("crank by adams, rtol %.0e: balance %.1e %.1e, passages %zu %zu\n", rtol, plain.info.balance_error,
           native.info.balance_error, plain.info.near_singular, native.info.near_singular);
    CHECK(plain.info.balance_error < 3e2 * rtol && native.info.balance_error < 3e2 * rtol);
    CHECK(native.info.near_singular == plain.info.near_singular);
}

int main(void)
{
    crank_by_adams(1e-4);
    crank_by_adams(1e-6);
    compare("examples/andrews/model.mech", 0.03, 1e-9, 1e-8);
    compare("examples/andrews/model.mech", 0.03, 1e-12, 1e-10);
    compare("examples/four-bar-spring/model.mech", 2, 1e-9, 1e-6);
    compare("examples/four-bar-sympy/model.mech", 2, 1e-9, 1e-6);
    compare("examples/pendulum-redundant/model.mech", 2, 1e-9, 1e-6);
    compare("examples/rolling-disk/model.mech", 1, 1e-9, 1e-6);
    compare("examples/chaplygin-sleigh/model.mech", 1, 1e-9, 1e-6);
    compare("examples/bricard/model.mech", 1, 1e-9, 1e-6);
    compare("examples/double-pendulum/model-cartesian.mech", 2, 1e-9, 1e-5);
    return check_report();
}
