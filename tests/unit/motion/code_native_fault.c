/* Every allocation of preparing and asking for the motion fails once: an error or the interpreter, never a
 * leak. */
#include "check.h"
#include "support/mem_fault.h"

#include <mech/lang.h>
#include <mech/motion.h>

static mech_status whole(size_t straight, const mech_system *system)
{
    enum { MOST = 100 };
    const size_t n = mech_system_sizes(system).coords;
    double q[2 * MOST], v[2 * MOST], qdd[2 * MOST], lambda[2 * MOST];
    for (size_t i = 0; i < n; i++) {
        q[i] = 2 * i < n ? 0.6 : -0.8;
        v[i] = 2 * i < n ? 0.8 : 0.6;
    }
    mech_eval *e = NULL;
    mech_motion_settings settings;
    mech_motion_settings_default(&settings, sizeof settings);
    settings.native = MECH_NATIVE_ON;
    settings.compiler = "no-such-compiler"; /* the text is made all the same */
    settings.q = q;
    settings.v = v;
    settings.straight = straight; /* 1: loops */
    mech_motion_code *code = NULL;
    mech_status status = mech_motion_code_create(system, &settings, &code);
    if (status == MECH_OK) status = mech_eval_create(system, MECH_STORAGE_SPARSE, &e);
    if (status == MECH_OK) status = mech_eval_use_motion(e, code);
    mech_motion motion = {.size = sizeof motion, .qdd = qdd, .lambda = lambda};
    if (status == MECH_OK) status = mech_eval_motion(e, 0, q, v, &motion);
    if (status == MECH_OK) CHECK(fabs(q[0] * qdd[0] + q[n / 2] * qdd[n / 2] + 1) < 1e-12);
    mech_eval_free(e);
    mech_motion_code_free(code);
    return status;
}

static void fail_allocations(const char *text, size_t straight, size_t step)
{
    mech_diagnostics *d = mech_diagnostics_create();
    mech_model *model = NULL;
    mech_system *system = NULL;
    int fired = 1;
    CHECK(mech_read_text("test", text, strlen(text), NULL, d, &model) == MECH_OK);
    CHECK(mech_system_from_model(model, d, &system) == MECH_OK);
    for (size_t k = 1; k < 5000 * step && fired;
         k += step) { /* the system is constant: no failure leaves a trace in it */
        mem_fault_set(k);
        const mech_status status = whole(straight, system);
        fired = mem_fault_hit();
        mem_fault_set(0);
        CHECK(status == MECH_OK || status == MECH_ERR_MEMORY);
        if (!fired) printf("about %zu allocations\n", k - 1);
    }
    CHECK(!fired);
    mech_system_free(system);
    mech_model_free(model);
    mech_diagnostics_free(d);
}

int main(void)
{
    static const char text[] = "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
                               "constraint a: x^2 + y^2 = 1\nconstraint b: sqrt(x^2 + y^2) = 1\n";
    /* many that are alike, with numbers of their own; too many for a null-space plan */
    static const char many[] = "param N = 33\ncoord x[1..N], y[1..N]\nfor i in 1..N {\n"
                               "kinetic (1 + i/10)/2*(x[i]'^2 + y[i]'^2)\npotential 9.81*(1 + i/10)*y[i]\n"
                               "constraint c[i]: x[i]^2 + y[i]^2 = 1\n}\n"
                               "for i in 2..N { potential 3*(x[i] - x[i-1])^2 }\n";
    /* M joins all coordinates: loops eliminate them */
    static const char dense[] = "param N = 13\ncoord x[1..N], y[1..N]\n"
                                "for i in 1..N { kinetic (1 + i/10)/2*(x[i]'^2 + y[i]'^2) }\n"
                                "kinetic (2 + cos(t))/2*sum(i in 1..N: x[i]' - i*y[i]'/5)^2\n"
                                "constraint a: x[1]^2 + y[1]^2 = 1\n";
    /* long lines of alike statements, two at a time */
    char lines[sizeof many + 1];
    snprintf(lines, sizeof lines, "param N = 99%s", strchr(many, '\n'));
    fail_allocations(text, 0, 1);
    fail_allocations(text, 1, 1);
    fail_allocations(many, 1, 5); /* every fifth */
    fail_allocations(lines, 100000, 23);
    fail_allocations(dense, 0, 3);
    return check_report();
}
