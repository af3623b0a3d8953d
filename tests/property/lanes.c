/* Every shipped model: many states at once give what each gives alone by the stages and the robust solve,
   with common parameters and with parameters of each state's own. */
#include "support/law_force.h"
#include "support/shipped.h"

#include <mech/fundamental.h>
#include <mech/lanes.h>

#include <stdlib.h>

enum { STATES = 75, MOST = 400 }; /* two blocks and a part */

typedef struct ensemble {
    mech_system *system;
    mech_sizes k;
    mech_lanes *lanes;
    mech_eval *evals[STATES]; /* of the reference; all the same one when parameters are common */
    mech_fundamental *solver;
    double *q, *v, *z, *qdd, *lambda, *rate, t[STATES];
    double worst;
    size_t compared;
} ensemble;

/* One state by the stages and the robust solve; 0 when it has no answer to compare with. */
static int alone(ensemble *s, size_t j, double *qdd, double *smallest)
{
    double q[MOST], v[MOST], z[MOST], C[MOST];
    mech_eval *e = s->evals[j];
    for (size_t i = 0; i < s->k.coords; i++) q[i] = s->q[i * STATES + j], v[i] = s->v[i * STATES + j];
    for (size_t i = 0; i < s->k.states; i++) z[i] = s->z[i * STATES + j];
    mech_eval_set_states(e, z);
    if (mech_eval_position(e, s->t[j], q) != MECH_OK || mech_eval_velocity(e, v) != MECH_OK) return 0;
    if (!law_force(s->system, e, C)) return 0;
    const mech_equation *eq = mech_eval_equation(e);
    const mech_fundamental_input in = {
        .size = sizeof in, .M = eq->M_dense, .Q = eq->Q, .A = eq->A_dense, .b = eq->b, .C = C, .active = eq->active};
    mech_fundamental_output out = {.size = sizeof out, .qdd = qdd};
    if (mech_fundamental_solve(s->solver, &in, &out) != MECH_OK) return 0;
    *smallest = out.rank ? out.smallest / out.largest : 1;
    return !(out.flags & MECH_FUNDAMENTAL_MISSED);
}

static void compare(ensemble *s, const char *path)
{
    const mech_lanes_states states = {.size = sizeof states, .t = s->t, .q = s->q, .v = s->v, .z = s->z};
    const mech_status status = mech_lanes_motion(s->lanes, &states, s->qdd, s->lambda, s->rate, NULL);
    for (size_t j = 0; j < STATES; j++) {
        double want[MOST], smallest, size = 0, error = 0;
        if (!alone(s, j, want, &smallest)) continue;
        CHECK(status == MECH_OK || status == MECH_ERR_NOT_FINITE); /* of another state */
        if (status != MECH_OK) return;
        for (size_t i = 0; i < s->k.coords; i++) {
            size = fmax(size, fabs(want[i]));
            error = fmax(error, fabs(want[i] - s->qdd[i * STATES + j]));
        }
        const double bound = 1e-12 * fmax(1, 1e-3 / pow(smallest, 3)) * (size + 1e-300);
        check_count++;
        s->compared++;
        s->worst = fmax(s->worst, size > 0 ? error / size : error);
        if (error <= bound) continue;
        check_failures++;
        fprintf(stderr, "%s, state %zu: error %.1e, bound %.1e\n", path, j, error, bound);
    }
}

/* State j has its first parameter changed by some per cent. */
static void separate(ensemble *s)
{
    for (size_t j = 0; j < STATES; j++) {
        if (j > 0) CHECK(mech_eval_create(s->system, MECH_STORAGE_DENSE, &s->evals[j]) == MECH_OK);
        const double value = mech_eval_equation(s->evals[j])->p[0];
        if (j % 3 == 0) CHECK(mech_eval_set_param_at(s->evals[j], 0, value * (1 + 0.001 * (double)j)) == MECH_OK);
        CHECK(mech_lanes_take(s->lanes, j, s->evals[j]) == MECH_OK);
    }
}

static void one_model(const char *path, mech_model *model, mech_system *system)
{
    (void)model;
    ensemble s = {.system = system, .k = mech_system_sizes(system)};
    const size_t n = s.k.coords;
    mech_motion_code *code = NULL;
    if (n >= MOST || s.k.rows >= MOST || mech_motion_code_create(system, NULL, &code) != MECH_OK) return;
    if (mech_lanes_create(code, STATES, &s.lanes) != MECH_OK) {
        mech_motion_code_free(code);
        return;
    }
    s.q = calloc((3 * n + s.k.rows + 2 * s.k.states + 1) * STATES, sizeof *s.q);
    s.v = s.q + n * STATES, s.qdd = s.v + n * STATES, s.lambda = s.qdd + n * STATES;
    s.z = s.lambda + s.k.rows * STATES, s.rate = s.z + s.k.states * STATES;
    for (size_t i = 0; i < 2 * n * STATES; i++) s.q[i] = random_real();
    for (size_t i = 0; i < s.k.states * STATES; i++) s.z[i] = random_real();
    for (size_t j = 0; j < STATES; j++) s.t[j] = random_real();
    CHECK(mech_fundamental_create((int)n, (int)s.k.rows, NULL, &s.solver) == MECH_OK);
    CHECK(mech_eval_create(system, MECH_STORAGE_DENSE, &s.evals[0]) == MECH_OK);
    for (size_t j = 1; j < STATES; j++) s.evals[j] = s.evals[0];
    compare(&s, path);
    if (s.k.params > 0 && mech_eval_set_param_at(s.evals[0], 0, mech_eval_equation(s.evals[0])->p[0]) == MECH_OK) {
        separate(&s);
        compare(&s, path);
        for (size_t j = 1; j < STATES; j++) mech_eval_free(s.evals[j]);
    }
    printf("%-45s %4zu states compared, worst %.1e, %zu by the robust solve\n", path, s.compared, s.worst,
           mech_lanes_robust(s.lanes));
    mech_eval_free(s.evals[0]);
    mech_fundamental_free(s.solver);
    mech_lanes_free(s.lanes);
    mech_motion_code_free(code);
    free(s.q);
}

/* A wrong call is refused, not answered. */
static void arguments(void)
{
    static const char text[] = "coord x\nkinetic x'^2/2\n";
    mech_diagnostics *diagnostics = mech_diagnostics_create();
    mech_model *model = NULL;
    mech_system *system = NULL;
    mech_lanes *lanes = NULL;
    mech_motion_code *code = NULL;
    double q[3] = {0}, qdd[3];
    size_t failed = 99;
    CHECK(mech_read_text("test", text, strlen(text), NULL, diagnostics, &model) == MECH_OK);
    CHECK(mech_system_from_model(model, diagnostics, &system) == MECH_OK);
    CHECK(mech_lanes_create(NULL, 3, &lanes) == MECH_ERR_ARGUMENT && !lanes);
    CHECK(mech_motion_code_create(NULL, NULL, &code) == MECH_ERR_ARGUMENT && !code);
    CHECK(mech_motion_code_create(system, NULL, &code) == MECH_OK);
    CHECK(mech_lanes_create(code, 0, &lanes) == MECH_ERR_ARGUMENT);
    CHECK(mech_lanes_create(code, 3, &lanes) == MECH_OK);
    mech_lanes_states states = {.size = sizeof states, .q = q, .v = q};
    CHECK(mech_lanes_motion(lanes, &states, qdd, NULL, NULL, &failed) == MECH_OK);
    CHECK(qdd[0] == 0 && qdd[2] == 0 && failed == 99);
    CHECK(mech_lanes_motion(lanes, &states, NULL, NULL, NULL, NULL) == MECH_ERR_ARGUMENT);
    states.size = 1;
    CHECK(mech_lanes_motion(lanes, &states, qdd, NULL, NULL, NULL) == MECH_ERR_ARGUMENT);
    mech_lanes_free(lanes);
    mech_lanes_free(NULL);
    mech_motion_code_free(code);
    mech_motion_code_free(NULL);
    mech_system_free(system);
    mech_model_free(model);
    mech_diagnostics_free(diagnostics);
}

/* Signals follow the parameters of their own state. */
static void signals(void)
{
    static const char text[] = "param A = 1\ncoord x\ninput u = A*t\nkinetic x'^2/2\nforce u on x'\n";
    mech_diagnostics *diagnostics = mech_diagnostics_create();
    mech_model *model = NULL;
    mech_system *system = NULL;
    mech_lanes *lanes = NULL;
    mech_motion_code *code = NULL;
    mech_eval *eval = NULL;
    const double q[3] = {0}, t[3] = {1, 1, 2};
    double qdd[3];
    CHECK(mech_read_text("test", text, strlen(text), NULL, diagnostics, &model) == MECH_OK);
    CHECK(mech_system_from_model(model, diagnostics, &system) == MECH_OK);
    CHECK(mech_motion_code_create(system, NULL, &code) == MECH_OK);
    CHECK(mech_lanes_create(code, 3, &lanes) == MECH_OK);
    CHECK(mech_eval_create(system, MECH_STORAGE_SPARSE, &eval) == MECH_OK);
    for (size_t j = 0; j < 3; j++) {
        CHECK(mech_eval_set_param(eval, "A", 10 * (double)(j + 1)) == MECH_OK);
        CHECK(mech_lanes_take(lanes, j, eval) == MECH_OK);
    }
    const mech_lanes_states states = {.size = sizeof states, .t = t, .q = q, .v = q};
    CHECK(mech_lanes_motion(lanes, &states, qdd, NULL, NULL, NULL) == MECH_OK);
    CHECK(qdd[0] == 10 && qdd[1] == 20 && qdd[2] == 60);
    mech_eval_free(eval);
    mech_lanes_free(lanes);
    mech_motion_code_free(code);
    mech_system_free(system);
    mech_model_free(model);
    mech_diagnostics_free(diagnostics);
}

int main(int argc, char **argv)
{
    arguments();
    signals();
    return shipped_main(argc, argv, one_model);
}
