/* The k-th allocation fails while a system and its evaluation are made: nothing leaks, nothing crashes.
   Evaluating and setting parameters allocates nothing. */
#include "check.h"
#include "support/mem_fault.h"

#include <mech/system.h>

static mech_diagnostics *diagnostics;

/* A pendulum with a law, friction, an input and a target that is an expression. */
static mech_model *pendulum(void)
{
    mech_model *m;
    CHECK(mech_model_create(diagnostics, &m) == MECH_OK);
    mech_pool *p = mech_model_pool(m);
    const mech_expr mass = mech_model_param(m, "m", mech_number(p, 2), NULL);
    const mech_expr J = mech_model_param(m, "J", mech_mul(p, mass, mass), NULL);
    const mech_expr x = mech_model_coord(m, "x", NULL), y = mech_model_coord(m, "y", NULL);
    const mech_expr vx = mech_dot(p, x), vy = mech_dot(p, y), t = mech_model_time(m);
    const mech_expr u = mech_model_input(m, "u", mech_call(p, MECH_FUNCTION_COS, &t, 1), NULL);
    CHECK(mech_model_kinetic(m, mech_mul(p, mass, mech_add(p, mech_mul(p, vx, vx), mech_mul(p, vy, vy)))) == MECH_OK);
    CHECK(mech_model_potential(m, mech_mul(p, J, y)) == MECH_OK);
    CHECK(mech_model_force(m, &u, &vx, 1) == MECH_OK);
    const mech_expr rod = mech_sub(p, mech_add(p, mech_mul(p, x, x), mech_mul(p, y, y)), mech_number(p, 1));
    size_t c;
    CHECK(mech_model_constraint(m, "rod", &rod, 1, &c) == MECH_OK);
    const mech_expr drag = mech_mul(p, mech_model_reaction(m, c, 0), mech_mul(p, vx, y));
    CHECK(mech_model_nonideal(m, MECH_LAW_C, &c, 1, &x, &drag, 1) == MECH_OK);
    CHECK(mech_model_friction(m, &c, 1, mech_number(p, 0.1), &vx, 1, (mech_expr){0}) == MECH_OK);
    CHECK(mech_model_initial(m, mech_mul(p, x, vy), mass, 1) == MECH_OK);
    CHECK(mech_model_output(m, "xy", mech_mul(p, x, y), NULL) == MECH_OK);
    return m;
}

static mech_status make(const mech_model *m, mech_system **s, mech_eval **e)
{
    *e = NULL;
    const mech_system_options with = {.size = sizeof with, .with_derivatives = 1};
    mech_status status = mech_system_create(m, &with, diagnostics, s);
    if (status == MECH_OK) status = mech_eval_create(*s, MECH_STORAGE_DENSE, e);
    return status;
}

static void steady_state(mech_eval *e)
{
    const double q[] = {0.6, 0.8}, v[] = {1, 2}, one[] = {1};
    mem_fault_set(0);
    for (int i = 0; i < 3; i++) {
        CHECK(mech_eval_set_param(e, "m", 1 + i) == MECH_OK);
        CHECK(mech_eval_position(e, i, q) == MECH_OK && mech_eval_velocity(e, v) == MECH_OK);
        CHECK(mech_eval_reaction(e, one, one) == MECH_OK && mech_eval_acceleration(e, v) == MECH_OK);
        CHECK(mech_eval_output(e) == MECH_OK && mech_eval_start(e) == MECH_OK);
        mech_jacobian J;
        CHECK(mech_eval_jacobian(e, &J) == MECH_OK);
    }
    CHECK(mem_fault_calls() == 0);
}

static mech_status twice(void *user, const mech_point *at, double *u)
{
    (void)user;
    u[0] = 2 * at->q[0];
    return MECH_OK;
}

/* A law without memory is refused, and the one before it stays. */
static void laws(mech_eval *e)
{
    const double q[] = {0.6, 0.8}, v[] = {1, 2};
    const size_t input[1] = {0};
    const mech_input_law law = {.size = sizeof law, .inputs = input, .count = 1, .u = twice};
    CHECK(mech_eval_set_law(e, &law) == MECH_OK);
    int finished = 0;
    for (size_t k = 1; k < 20 && !finished; k++) {
        mem_fault_set(k);
        const mech_status status = mech_eval_set_law(e, &law);
        finished = !mem_fault_hit();
        mem_fault_set(0);
        CHECK(status == (finished ? MECH_OK : MECH_ERR_MEMORY));
        CHECK(mech_eval_position(e, 0, q) == MECH_OK && mech_eval_velocity(e, v) == MECH_OK &&
              mech_eval_equation(e)->u[0] == 1.2);
    }
    CHECK(finished);
    steady_state(e);
    CHECK(mech_eval_set_law(e, NULL) == MECH_OK);
}

int main(void)
{
    diagnostics = mech_diagnostics_create();
    mech_model *m = pendulum();
    CHECK(mech_model_finish(m) == MECH_OK);
    mech_system *s;
    mech_eval *e;
    size_t k = 1, failures = 0;
    for (;; k++) {
        /* a pool that ran out of memory stays failed, so every trial has its own model */
        mech_model *trial = pendulum();
        CHECK(mech_model_finish(trial) == MECH_OK);
        mem_fault_set(k);
        const mech_status status = make(trial, &s, &e);
        const int hit = mem_fault_hit();
        mem_fault_set(0);
        CHECK(status == MECH_OK || (status == MECH_ERR_MEMORY && e == NULL));
        failures += status != MECH_OK;
        mech_eval_free(e);
        mech_system_free(s);
        mech_model_free(trial);
        if (!hit) break;
    }
    CHECK(failures > 20);
    CHECK(make(m, &s, &e) == MECH_OK);
    steady_state(e);
    laws(e);
    mech_eval_free(e);
    mech_system_free(s);
    mech_model_free(m);
    mech_diagnostics_free(diagnostics);
    CHECK(mem_fault_live() == 0);
    return check_report();
}
