/* A model as a system: every section against values worked out by hand. */
#include "check.h"

#include <mech/system.h>

typedef struct fixture {
    mech_diagnostics *diagnostics;
    mech_model *model;
    mech_pool *pool;
    mech_system *system;
    mech_eval *eval;
    const mech_equation *e;
} fixture;

static mech_expr num(fixture *w, int64_t n, int64_t d) { return mech_rational(w->pool, n, d); }
static mech_expr mul(fixture *w, mech_expr a, mech_expr b) { return mech_mul(w->pool, a, b); }
static mech_expr add(fixture *w, mech_expr a, mech_expr b) { return mech_add(w->pool, a, b); }
static mech_expr square(fixture *w, mech_expr a) { return mech_mul(w->pool, a, a); }

static void open_model(fixture *w)
{
    *w = (fixture){.diagnostics = mech_diagnostics_create()};
    CHECK(mech_model_create(w->diagnostics, &w->model) == MECH_OK);
    w->pool = mech_model_pool(w->model);
}

static void complete(fixture *w)
{
    CHECK(mech_model_finish(w->model) == MECH_OK);
    const mech_status status = mech_system_from_model(w->model, w->diagnostics, &w->system);
    CHECK(status == MECH_OK);
    if (mech_diagnostics_error_count(w->diagnostics)) {
        char *text = mech_diagnostics_format(w->diagnostics);
        fprintf(stderr, "%s", text);
        mech_text_free(text);
    }
    CHECK(mech_eval_create(w->system, MECH_STORAGE_DENSE, &w->eval) == MECH_OK);
    w->e = mech_eval_equation(w->eval);
}

static void close_model(fixture *w)
{
    mech_eval_free(w->eval);
    mech_system_free(w->system);
    mech_model_free(w->model);
    mech_diagnostics_free(w->diagnostics);
}

/* A bead (x, y) on a circle, with a second inertia J on y so that M is not a multiple of one. */
static void build_bead(fixture *w)
{
    open_model(w);
    mech_model *m = w->model;
    const mech_expr mass = mech_model_param(m, "m", num(w, 2, 1), "kg");
    const mech_expr l = mech_model_param(m, "l", num(w, 1, 1), NULL);
    const mech_expr g = mech_model_param(m, "g", mech_number(w->pool, 9.81), NULL);
    const mech_expr J = mech_model_param(m, "J", mul(w, mass, square(w, l)), NULL);
    const mech_expr K = mech_model_param(m, "K", mul(w, num(w, 2, 1), J), NULL);
    const mech_expr mu = mech_model_param(m, "mu", mech_number(w->pool, 0.25), NULL);
    const mech_expr x = mech_model_coord(m, "x", "m"), y = mech_model_coord(m, "y", "m");
    const mech_expr vx = mech_dot(w->pool, x), vy = mech_dot(w->pool, y);
    const mech_expr three_t = mul(w, num(w, 3, 1), mech_model_time(m));
    const mech_expr u = mech_model_input(m, "u", mech_call(w->pool, MECH_FUNCTION_SIN, &three_t, 1), "N");
    const mech_expr z = mech_model_state(m, "z", NULL);
    CHECK(mech_model_state_rate(m, z, mech_sub(w->pool, mul(w, K, x), z)) == MECH_OK);
    const mech_expr half = num(w, 1, 2);
    CHECK(mech_model_kinetic(m, mul(w, half, mul(w, mass, add(w, square(w, vx), square(w, vy))))) == MECH_OK);
    CHECK(mech_model_kinetic(m, mul(w, half, mul(w, J, square(w, vy)))) == MECH_OK);
    CHECK(mech_model_potential(m, mul(w, mul(w, mass, g), y)) == MECH_OK);
    CHECK(mech_model_force(m, &u, &vx, 1) == MECH_OK);
    const mech_expr rod = mech_sub(w->pool, add(w, square(w, x), square(w, y)), square(w, l));
    size_t c;
    CHECK(mech_model_constraint(m, "rod", &rod, 1, &c) == MECH_OK);
    const mech_expr N = mech_model_reaction(m, c, 0), lambda = mech_model_lambda(m, c, 0);
    const mech_expr drag = mech_neg(w->pool, mul(w, mu, N));
    const mech_expr position[] = {x, y}, law[] = {mul(w, drag, vx), mul(w, drag, vy)};
    CHECK(mech_model_nonideal(m, MECH_LAW_C, &c, 1, position, law, 2) == MECH_OK);
    const mech_expr slip[] = {mul(w, y, vx), vy};
    CHECK(mech_model_friction(m, &c, 1, mu, slip, 2, (mech_expr){0}) == MECH_OK);
    CHECK(mech_model_initial(m, x, mech_number(w->pool, 0.6), 1) == MECH_OK);
    CHECK(mech_model_initial(m, mul(w, x, vy), l, 1) == MECH_OK);
    CHECK(mech_model_initial(m, y, mech_number(w->pool, -0.8), 0) == MECH_OK);
    CHECK(mech_model_output(m, "tension", mul(w, lambda, l), "N") == MECH_OK);
    CHECK(mech_model_output(m, "ax", mech_dot(w->pool, vx), NULL) == MECH_OK);
    const mech_action actions[] = {{.kind = MECH_ACTION_STOP},
                                   {.kind = MECH_ACTION_SET, .target = vy, .value = mul(w, half, vy)}};
    CHECK(mech_model_event(m, "hit", mech_sub(w->pool, x, half), MECH_DIRECTION_FALLS, (mech_expr){0}, actions, 2) ==
          MECH_OK);
    const mech_expr B = num(w, 5, 1), stiffness = mul(w, num(w, 7, 1), mass);
    CHECK(mech_model_stabilize(m, MECH_STABILIZE_EXCESS, NULL, 0, &B, 1, &stiffness, 1) == MECH_OK);
    CHECK(mech_model_simulate(m, "until", mul(w, num(w, 4, 1), l), NULL) == MECH_OK);
    CHECK(mech_model_simulate(m, "method", (mech_expr){0}, "bdf") == MECH_OK);
    complete(w);
}

static const double q[] = {0.6, -0.8}, v[] = {3, 4};

/* z' = K x - z: a state is all of (t, q, v, z), and NULL leaves z as it was. */
static void bead_state(fixture *w)
{
    const mech_equation *e = w->e;
    CHECK(mech_eval_state(w->eval, 0.5, q, v, (const double[]){10}) == MECH_OK);
    const double rate = e->rate[0];
    CHECK(*e->t == 0.5 && e->q[1] == -0.8 && e->v[1] == 4 && e->z[0] == 10);
    CHECK(mech_eval_state(w->eval, 0.5, q, v, (const double[]){12}) == MECH_OK);
    CHECK_NEAR(e->rate[0], rate - 2, 1e-14);
    CHECK(mech_eval_state(w->eval, 0.7, q, v, NULL) == MECH_OK && e->z[0] == 12 && *e->t == 0.7);
    CHECK(mech_eval_state(w->eval, 0.7, q, NULL, (const double[]){10}) == MECH_OK && e->z[0] == 10);
    CHECK(mech_eval_reaction(w->eval, NULL, NULL) == MECH_ERR_ARGUMENT); /* there are no velocities yet */
    CHECK(mech_eval_state(w->eval, 0.7, NULL, v, NULL) == MECH_ERR_ARGUMENT);
}

static void bead_stages(fixture *w)
{
    const mech_equation *e = w->e;
    mech_eval_set_states(w->eval, (const double[]){10});
    CHECK(mech_eval_position(w->eval, 0.5, q) == MECH_OK);
    const double want_M[] = {2, 0, 0, 4};
    for (int i = 0; i < 4; i++) CHECK(e->M_dense[i] == want_M[i]);
    CHECK_NEAR(e->A_dense[0], 1.2, 1e-15);
    CHECK_NEAR(e->A_dense[1], -1.6, 1e-15);
    CHECK_NEAR(e->r[0], 0, 1e-15);
    CHECK_NEAR(e->u[0], sin(1.5), 1e-15);
    CHECK_NEAR(e->u_dot[0], 3 * cos(1.5), 1e-15);
    CHECK_NEAR(e->u_ddot[0], -9 * sin(1.5), 1e-15);
    CHECK(e->damping[0] == 5 && e->stiffness[0] == 14);
    CHECK(mech_eval_velocity(w->eval, v) == MECH_OK);
    CHECK_NEAR(e->Q[0], sin(1.5), 1e-15);
    CHECK_NEAR(e->Q[1], -19.62, 1e-15);
    CHECK_NEAR(e->b[0], -50, 1e-15);
    CHECK_NEAR(e->r_dot[0], 2 * (1.8 - 3.2), 1e-15);
    CHECK_NEAR(e->a0[0], 0, 1e-15);
    CHECK_NEAR(e->rate[0], 4 * 0.6 - 10, 1e-15);
    CHECK(e->mu[0] == 0.25 && e->static_mu[0] == 0.25);
    CHECK_NEAR(e->slip[0], -2.4, 1e-15);
    CHECK(e->slip[1] == 4);
    const mech_pattern slip = mech_system_pattern(w->system, MECH_MATRIX_SLIP);
    CHECK(slip.count == 2 && slip.row[0] == 0 && slip.column[0] == 0 && slip.row[1] == 1 && slip.column[1] == 1);
    CHECK(e->slip_A[0] == -0.8 && e->slip_A[1] == 1);
    CHECK(e->slip_b[0] == -12 && e->slip_b[1] == 0); /* -(d/dt of y)*x' */
    CHECK(mech_eval_reaction(w->eval, (const double[]){6}, (const double[]){8}) == MECH_OK);
    CHECK(e->C[0] == -6 && e->C[1] == -8); /* -mu*N*v */
    const mech_pattern by_reaction = mech_system_pattern(w->system, MECH_MATRIX_C_REACTION);
    CHECK(by_reaction.count == 2 && by_reaction.row[1] == 1 && by_reaction.column[1] == 0);
    CHECK(e->C_reaction[0] == -0.75 && e->C_reaction[1] == -1);
    CHECK(mech_eval_acceleration(w->eval, (const double[]){-11, 2}) == MECH_OK);
    CHECK_NEAR(e->trigger[0], 0.1, 1e-15);
    CHECK(e->condition[0] == 1);
    CHECK(mech_eval_output(w->eval) == MECH_OK);
    CHECK(e->output[0] == 6 && e->output[1] == -11);
    CHECK_NEAR(e->energy[0], 25 + 16, 1e-15);
    CHECK_NEAR(e->energy[1], 2 * 9.81 * -0.8, 1e-15);
    CHECK_NEAR(e->energy[3], 41 + 2 * 9.81 * -0.8, 1e-15);
    CHECK_NEAR(e->energy[4], 3 * sin(1.5), 1e-15);
}

static void bead_start(fixture *w)
{
    const mech_equation *e = w->e;
    CHECK(mech_eval_start(w->eval) == MECH_OK);
    CHECK_NEAR(e->target[1], 2.4, 1e-15);
    CHECK(e->target_value[0] == 0.6 && e->target_value[1] == 1 && e->target_value[2] == -0.8);
    const mech_pattern g = mech_system_pattern(w->system, MECH_MATRIX_TARGET);
    CHECK(g.count == 4);
    double gradient[3][5] = {{0}};
    for (size_t k = 0; k < g.count; k++) gradient[g.row[k]][g.column[k]] = e->target_gradient[k];
    CHECK(gradient[0][0] == 1 && gradient[1][0] == 4 && gradient[1][3] == 0.6 && gradient[2][1] == 1);
    const mech_target by_name = mech_system_target(w->system, 0), by_value = mech_system_target(w->system, 1);
    CHECK(by_name.variable == MECH_VARIABLE_Q && by_name.index == 0 && by_name.is_fixed);
    CHECK(by_value.variable == MECH_VARIABLE_EXPRESSION && !mech_system_target(w->system, 2).is_fixed);
    CHECK(e->action[1] == 2);
    const mech_action_info set = mech_system_action(w->system, 1);
    CHECK(set.kind == MECH_ACTION_SET && set.variable == MECH_VARIABLE_V && set.index == 1);
    double until = 0;
    const char *word = NULL;
    CHECK(mech_eval_option(w->eval, "until", &until, &word) && until == 4 && word == NULL);
    CHECK(mech_eval_option(w->eval, "method", &until, &word) && strcmp(word, "bdf") == 0);
    CHECK(!mech_eval_option(w->eval, "rtol", &until, &word));
}

static void bead_description(fixture *w)
{
    const mech_sizes n = mech_system_sizes(w->system);
    CHECK(n.coords == 2 && n.rows == 1 && n.natural_rows == 1 && n.params == 6 && n.states == 1 && n.inputs == 1);
    CHECK(n.outputs == 2 && n.events == 1 && n.actions == 2 && n.laws == 1 && n.frictions == 1 && n.friction_rows == 2);
    CHECK_TEXT(mech_system_name(w->system, MECH_ITEM_COORD, 1), "y");
    CHECK_TEXT(mech_system_unit(w->system, MECH_ITEM_PARAM, 0), "kg");
    CHECK_TEXT(mech_system_name(w->system, MECH_ITEM_CONSTRAINT, 0), "rod");
    CHECK(mech_system_name(w->system, MECH_ITEM_COORD, 2) == NULL &&
          mech_system_unit(w->system, MECH_ITEM_COORD, (size_t)1 << 30) == NULL);
    CHECK(mech_system_find(w->system, MECH_ITEM_OUTPUT, "ax") == 1);
    CHECK(mech_system_row(w->system, 0).level == MECH_LEVEL_HOLONOMIC && mech_system_law(w->system, 0).uses_reaction);
    CHECK(mech_system_stabilize(w->system) == MECH_STABILIZE_EXCESS);
    char *text = mech_system_dump(w->system);
    CHECK(strstr(text, "A[rod, x] = ") != NULL);
    CHECK(strstr(text, "stage 3") != NULL);
    mech_text_free(text);
}

/* Derived parameters follow, unless they were set; nothing is derived or compiled for it. */
static void bead_parameters(fixture *w)
{
    const mech_equation *e = w->e;
    const size_t nodes = mech_pool_size(w->pool), compilations = mech_eval_counts(w->eval).compilations;
    CHECK(mech_eval_set_param(w->eval, "m", 3) == MECH_OK);
    CHECK(mech_eval_velocity(w->eval, v) == MECH_ERR_ARGUMENT); /* positions come first */
    CHECK(mech_eval_position(w->eval, 0, q) == MECH_OK);
    CHECK(e->M_dense[0] == 3 && e->M_dense[3] == 6 && e->p[3] == 3 && e->p[4] == 6);
    CHECK(mech_eval_set_param(w->eval, "J", 10) == MECH_OK && mech_eval_set_param(w->eval, "m", 1) == MECH_OK);
    CHECK(mech_eval_position(w->eval, 0, q) == MECH_OK);
    CHECK(e->M_dense[0] == 1 && e->M_dense[3] == 11 && e->p[4] == 20);
    mech_eval_reset_params(w->eval);
    CHECK(mech_eval_position(w->eval, 0, q) == MECH_OK);
    CHECK(e->M_dense[0] == 2 && e->M_dense[3] == 4);
    CHECK(mech_eval_set_param(w->eval, "nobody", 1) == MECH_ERR_ARGUMENT);
    CHECK(mech_eval_set_param(w->eval, "m", (double)NAN) == MECH_ERR_NOT_FINITE);
    CHECK(mech_pool_size(w->pool) == nodes && mech_eval_counts(w->eval).compilations == compilations);
    /* the parameter stage runs once for each change, not for each position */
    const size_t before = mech_eval_counts(w->eval).parameters;
    for (int i = 0; i < 5; i++) CHECK(mech_eval_position(w->eval, i, q) == MECH_OK);
    CHECK(mech_eval_counts(w->eval).parameters == before);
}

static void bead_inputs(fixture *w)
{
    CHECK(mech_eval_set_input(w->eval, 0, 42, 1, 0) == MECH_OK);
    CHECK(mech_eval_position(w->eval, 0.5, q) == MECH_OK && mech_eval_velocity(w->eval, v) == MECH_OK);
    CHECK(w->e->Q[0] == 42 && w->e->u_dot[0] == 1);
    CHECK(mech_eval_use_signal(w->eval, 0) == MECH_OK);
    CHECK(mech_eval_position(w->eval, 0.5, q) == MECH_OK && mech_eval_velocity(w->eval, v) == MECH_OK);
    CHECK_NEAR(w->e->Q[0], sin(1.5), 1e-15);
    CHECK(mech_eval_set_active(w->eval, 0, 0) == MECH_OK && w->e->active[0] == 0);
    CHECK(mech_eval_set_active(w->eval, 0, 1) == MECH_OK && w->e->active[0] == 1);
    CHECK(mech_eval_set_active(w->eval, 1, 1) == MECH_ERR_ARGUMENT);
    CHECK(mech_eval_set_input(w->eval, 1, 0, 0, 0) == MECH_ERR_ARGUMENT);
}

/* Rows nonlinear in the velocities stand after the velocity stage, also in the dense matrix. */
static void appell(void)
{
    fixture w;
    open_model(&w);
    mech_expr x[3], s[3];
    for (int i = 0; i < 3; i++) {
        x[i] = mech_dot(w.pool, mech_model_coord(w.model, (const char *const[]){"x", "y", "z"}[i], NULL));
        s[i] = square(&w, x[i]);
        CHECK(mech_model_kinetic(w.model, mul(&w, num(&w, 1, 2), s[i])) == MECH_OK);
    }
    const mech_expr cone = mech_sub(w.pool, add(&w, s[0], s[1]), s[2]);
    CHECK(mech_model_constraint(w.model, "cone", &cone, 1, NULL) == MECH_OK);
    complete(&w);
    CHECK(mech_eval_position(w.eval, 0, (const double[]){1, 1, 1}) == MECH_OK);
    CHECK(mech_eval_velocity(w.eval, (const double[]){3, 4, 5}) == MECH_OK);
    CHECK(w.e->A_dense[0] == 6 && w.e->A_dense[1] == 8 && w.e->A_dense[2] == -10);
    CHECK(w.e->r[0] == 0 && w.e->r_dot[0] == 0 && w.e->b[0] == 0);
    CHECK(!mech_system_row(w.system, 0).is_linear && mech_system_row(w.system, 0).level == MECH_LEVEL_NONHOLONOMIC);
    close_model(&w);
}

/* A value that is not finite is named, with its expression and the time. */
static void not_finite(void)
{
    fixture w;
    open_model(&w);
    const mech_expr k = mech_model_param(w.model, "k", num(&w, 3, 1), NULL);
    const mech_expr x = mech_model_coord(w.model, "x", NULL), vx = mech_dot(w.pool, x);
    const mech_expr force = mech_div(w.pool, k, x);
    CHECK(mech_model_kinetic(w.model, mul(&w, num(&w, 1, 2), square(&w, vx))) == MECH_OK);
    CHECK(mech_model_force(w.model, &force, &vx, 1) == MECH_OK);
    complete(&w);
    CHECK(mech_eval_position(w.eval, 0.25, (const double[]){0}) == MECH_OK);
    CHECK(mech_eval_velocity(w.eval, (const double[]){1}) == MECH_ERR_NOT_FINITE);
    char *text = mech_eval_explain(w.eval);
    CHECK_TEXT(text, "Q[x] is inf at t = 0.25: k/x");
    mech_text_free(text);
    CHECK(mech_eval_position(w.eval, 0.25, (const double[]){2}) == MECH_OK); /* and it goes on */
    CHECK(mech_eval_velocity(w.eval, (const double[]){1}) == MECH_OK && w.e->Q[0] == 1.5);
    mech_system *none;
    mech_model *unfinished;
    CHECK(mech_model_create(w.diagnostics, &unfinished) == MECH_OK);
    CHECK(mech_system_from_model(unfinished, w.diagnostics, &none) == MECH_ERR_ARGUMENT && none == NULL);
    mech_model_free(unfinished);
    close_model(&w);
}

/* A finished model is constant: systems, derivatives and code are made beside it, each as if it were the first. */
static void constant_model(fixture *w)
{
    const size_t size = mech_pool_size(w->pool);
    const mech_system_options with = {.size = sizeof with, .with_derivatives = 1};
    mech_system *again = NULL, *derived = NULL;
    char *first = mech_system_dump(w->system);
    CHECK(mech_system_create(w->model, &with, w->diagnostics, &derived) == MECH_OK &&
          mech_system_has_jacobian(derived));
    CHECK(!mech_system_has_jacobian(w->system));
    CHECK(mech_system_from_model(w->model, w->diagnostics, &again) == MECH_OK);
    char *second = mech_system_dump(again);
    CHECK(mech_pool_size(w->pool) == size);
    CHECK(first && second);
    if (first && second) CHECK_TEXT(second, first);
    mech_text_free(first);
    mech_text_free(second);
    mech_system_free(again);
    mech_system_free(derived);
}

int main(void)
{
    fixture w;
    build_bead(&w);
    bead_state(&w);
    bead_stages(&w);
    bead_start(&w);
    bead_description(&w);
    bead_parameters(&w);
    bead_inputs(&w);
    constant_model(&w);
    close_model(&w);
    appell();
    not_finite();
    return check_report();
}
