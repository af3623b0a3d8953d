/* Every shipped model at random states: generated code, the elimination plan and the robust solve give the
   same acceleration, Qi and power. */
#include "support/law_force.h"
#include "support/shipped.h"

#include <mech/fundamental.h>
#include <mech/motion.h>

#include <stdlib.h>

enum { MOST = 400 };

/* The reference: stages and the robust solve. Qi = A' lambda is unique where lambda is not. */
typedef struct reference {
    double qdd[MOST], Qi[MOST], Qni[MOST], C[MOST], rate[MOST], power, smallest;
    unsigned flags;
} reference;

static int ask_reference(const mech_system *system, mech_eval *e, mech_fundamental *solver, double t, const double *q,
                         const double *v, reference *to)
{
    const mech_equation *eq = mech_eval_equation(e);
    if (mech_eval_position(e, t, q) != MECH_OK || mech_eval_velocity(e, v) != MECH_OK) return 0;
    if (!law_force(system, e, to->C)) return 0;
    mech_fundamental_input in = {.size = sizeof in,
                                 .M = eq->M_dense,
                                 .Q = eq->Q,
                                 .A = eq->A_dense,
                                 .b = eq->b,
                                 .C = to->C,
                                 .active = eq->active};
    mech_fundamental_output out = {.size = sizeof out, .qdd = to->qdd, .Qi = to->Qi, .Qni = to->Qni};
    if (mech_fundamental_solve(solver, &in, &out) != MECH_OK) return 0;
    to->smallest = out.rank ? out.smallest / out.largest : 1;
    to->flags = out.flags;
    if (mech_eval_output(e) != MECH_OK) return 0;
    to->power = eq->energy[4];
    for (size_t i = 0; i < mech_system_sizes(system).coords; i++) to->power += (to->Qi[i] + to->Qni[i]) * v[i];
    return 1;
}

static double largest(const double *x, size_t count)
{
    double most = 0;
    for (size_t i = 0; i < count; i++)
        if (fabs(x[i]) > most) most = fabs(x[i]);
    return most;
}

/* Largest difference beside the largest entry, or beside what the entries are sums of: at some state or other the
   reaction is a small difference of weight and inertia. */
static double difference(const double *x, const double *y, size_t count, double terms)
{
    double most = 0;
    const double size = fmax(largest(y, count), terms);
    for (size_t i = 0; i < count; i++) {
        const double error = fabs(x[i] - y[i]) / (1e-300 + size);
        if (!(error <= most)) most = error;
    }
    return size == 0 ? largest(x, count) : most;
}

/* sure: at how many states the code itself gave the result. What is in doubt is made good by others, so that code which
   is wrong and always in doubt would be right here. */
static void compare(const char *path, const mech_system *system, const mech_motion_code *code, int native,
                    double *worst, int *sure)
{
    const mech_sizes k = mech_system_sizes(system);
    const mech_pattern A = mech_system_pattern(system, MECH_MATRIX_A);
    mech_eval *e = NULL, *plain = NULL;
    mech_fundamental *solver = NULL;
    double q[MOST], v[MOST], z[MOST], qdd[MOST], lambda[MOST], Qi[MOST];
    static reference want;
    CHECK(mech_eval_create(system, MECH_STORAGE_SPARSE, &e) == MECH_OK && mech_eval_use_motion(e, code) == MECH_OK);
    CHECK(mech_eval_create(system, MECH_STORAGE_DENSE, &plain) == MECH_OK);
    CHECK(mech_fundamental_create((int)k.coords, (int)k.rows, NULL, &solver) == MECH_OK);
    for (int round = 0; round < 10; round++) {
        for (size_t i = 0; i < k.coords; i++) q[i] = random_real(), v[i] = random_real();
        for (size_t i = 0; i < k.states; i++) z[i] = random_real();
        const double t = random_real();
        mech_motion got = {.size = sizeof got, .qdd = qdd, .lambda = lambda, .wants_power = 1};
        mech_eval_set_states(e, z);
        mech_eval_set_states(plain, z);
        if (!ask_reference(system, plain, solver, t, q, v, &want)) continue;
        if (want.flags & MECH_FUNDAMENTAL_MISSED) continue; /* redundant rows do not agree off the manifold */
        mech_motion alone = {.size = sizeof alone, .qdd = qdd, .lambda = lambda, .leaves_doubt = 1};
        *sure += mech_eval_motion(e, t, q, v, &alone) == MECH_OK && !(alone.flags & MECH_MOTION_DOUBT);
        CHECK(mech_eval_motion(e, t, q, v, &got) == MECH_OK);
        memset(Qi, 0, sizeof Qi);
        for (size_t i = 0; i < A.count; i++) Qi[A.column[i]] += mech_eval_equation(plain)->A[i] * lambda[A.row[i]];
        /* beside the manifold b is random, so that multipliers may be as large as the square of 1/smallest */
        const double bound = 1e-12 * fmax(1, 1e-3 / pow(want.smallest, 3));
        const double error = fmax(difference(qdd, want.qdd, k.coords, 0),
                                  difference(Qi, want.Qi, k.coords, largest(mech_eval_equation(plain)->Q, k.coords)));
        check_count++;
        if (error > *worst) *worst = error;
        if (!(error <= bound) || !(fabs(got.power - want.power) <= 1e3 * bound * (1 + largest(want.Qi, k.coords)))) {
            check_failures++;
            fprintf(stderr, "%s%s: error %.1e, bound %.1e, smallest %.1e, power %g for %g\n", path,
                    native ? " (native)" : "", error, bound, want.smallest, got.power, want.power);
        }
    }
    mech_eval_free(e);
    mech_eval_free(plain);
    mech_fundamental_free(solver);
}

static void one_model(const char *path, mech_model *model, mech_system *system)
{
    (void)model;
    mech_motion_settings settings;
    mech_motion_settings_default(&settings, sizeof settings);
    const mech_sizes k = mech_system_sizes(system);
    double worst[3] = {0, 0, 0}; /* the plan, straight lines, loops */
    int sure[3] = {0, 0, 0};
    mech_status status = MECH_OK;
    mech_motion_info info = {0};
    for (int native = 0; native < 3 && status == MECH_OK && k.coords < MOST && k.rows < MOST; native++) {
        settings.native = native ? MECH_NATIVE_ON : MECH_NATIVE_OFF;
        settings.straight = native == 2 ? 1 : 1000000;
        settings.with_power = 1;
        mech_motion_code *code = NULL;
        status = mech_motion_code_create(system, &settings, &code);
        CHECK(status == MECH_OK || status == MECH_ERR_UNSUPPORTED || status == MECH_ERR_SINGULAR_MASS);
        if (status == MECH_OK) compare(path, system, code, native, &worst[native], &sure[native]);
        CHECK(sure[native] || sure[0] < 5); /* of ten */
        info = code ? mech_motion_code_info(code) : (mech_motion_info){.why = mech_motion_obstacle(system)};
        mech_motion_code_free(code);
    }
    printf("%-45s %5zu operations %5zu statements %2zu row steps, errors %.1e %.1e %.1e %s\n", path, info.operations,
           info.statements, info.row_steps, worst[0], worst[1], worst[2], info.why ? info.why : "");
}

int main(int argc, char **argv) { return shipped_main(argc, argv, one_model); }
