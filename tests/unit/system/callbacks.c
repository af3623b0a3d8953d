/* A system of C functions: the same view as a compiled one, failures handed on, rows that depend on v. */
#include "check.h"

#include <mech/simulate.h>
#include <mech/system.h>

/* A knife edge: coordinates x, y, phi; x' sin(phi) = y' cos(phi), and a state that integrates x. */
typedef struct knife {
    int fail_mass;
    int jacobians;
} knife;

static mech_status mass(void *user, const mech_point *at, double *M)
{
    if (((knife *)user)->fail_mass) return MECH_ERR_INTEGRATION;
    for (int i = 0; i < 9; i++) CHECK(M[i] == 0);
    M[0] = M[4] = at->p[0];
    M[8] = at->p[1];
    M[3] = M[1] = 0.5;
    return MECH_OK;
}
static mech_status force(void *user, const mech_point *at, double *Q)
{
    (void)user;
    Q[0] = at->t;
    Q[2] = at->q[0] > 50 ? (double)NAN : at->z[0];
    return MECH_OK;
}
static mech_status jacobian(void *user, const mech_point *at, double *A)
{
    ((knife *)user)->jacobians++;
    A[0] = sin(at->q[2]);
    A[1] = -cos(at->q[2]);
    return MECH_OK;
}
static mech_status right(void *user, const mech_point *at, double *b)
{
    (void)user;
    b[0] = -at->v[2] * (at->v[0] * cos(at->q[2]) + at->v[1] * sin(at->q[2]));
    return MECH_OK;
}
static mech_status psi(void *user, const mech_point *at, double *r_dot)
{
    (void)user;
    r_dot[0] = at->v[0] * sin(at->q[2]) - at->v[1] * cos(at->q[2]);
    return MECH_OK;
}
static mech_status rate(void *user, const mech_point *at, double *z)
{
    (void)user;
    z[0] = at->q[0];
    return MECH_OK;
}
static mech_status law(void *user, const mech_point *at, double *C)
{
    (void)user;
    C[1] = -at->reaction[0];
    return MECH_OK;
}
static mech_status output(void *user, const mech_point *at, double *y)
{
    (void)user;
    y[0] = at->a[0] + at->lambda[0];
    return MECH_OK;
}

static mech_callbacks knife_callbacks(void)
{
    static const double values[] = {2, 0.25};
    return (mech_callbacks){.size = sizeof(mech_callbacks),
                            .coords = 3,
                            .nonholonomic = 1,
                            .states = 1,
                            .params = 2,
                            .outputs = 1,
                            .param_values = values,
                            .M = mass,
                            .Q = force,
                            .A = jacobian,
                            .b = right,
                            .r_dot = psi,
                            .rate = rate,
                            .C = law,
                            .output = output};
}

static void values(mech_eval *eval)
{
    const mech_equation *e = mech_eval_equation(eval);
    const double q[] = {1, 2, 0.5}, v[] = {3, 4, 5};
    mech_eval_set_states(eval, (const double[]){7});
    CHECK(mech_eval_position(eval, 9, q) == MECH_OK);
    const double M[] = {2, 0.5, 0, 0.5, 2, 0, 0, 0, 0.25};
    for (int i = 0; i < 9; i++) CHECK(e->M_dense[i] == M[i]);
    CHECK(mech_eval_velocity(eval, v) == MECH_OK);
    CHECK(e->Q[0] == 9 && e->Q[1] == 0 && e->Q[2] == 7 && e->rate[0] == 1);
    CHECK(e->A_dense[0] == sin(0.5) && e->A_dense[1] == -cos(0.5) && e->A_dense[2] == 0);
    CHECK(e->b[0] == -5 * (3 * cos(0.5) + 4 * sin(0.5)));
    CHECK(e->r_dot[0] == 3 * sin(0.5) - 4 * cos(0.5) && e->r[0] == 0);
    CHECK(mech_eval_reaction(eval, (const double[]){10}, (const double[]){20}) == MECH_OK);
    CHECK(e->C[0] == 0 && e->C[1] == -20);
    CHECK(mech_eval_acceleration(eval, (const double[]){1, 0, 0}) == MECH_OK && mech_eval_output(eval) == MECH_OK);
    CHECK(e->output[0] == 11);
    CHECK(mech_eval_start(eval) == MECH_OK);
}

static void failures(mech_eval *eval, knife *user)
{
    const double q[] = {1, 2, 0.5}, far[] = {51, 0, 0}, v[] = {0, 0, 0};
    CHECK(mech_eval_velocity(eval, v) == MECH_OK);
    user->fail_mass = 1;
    CHECK(mech_eval_position(eval, 0, q) == MECH_ERR_INTEGRATION);
    user->fail_mass = 0;
    CHECK(mech_eval_constraint(eval, 0, far) == MECH_OK); /* velocity brings the mass up to date by itself */
    CHECK(mech_eval_velocity(eval, v) == MECH_ERR_NOT_FINITE);
    char *text = mech_eval_explain(eval);
    CHECK_TEXT(text, "Q[q3] is nan at t = 0");
    mech_text_free(text);
    CHECK(mech_eval_set_param(eval, "p2", 3) == MECH_OK && mech_eval_equation(eval)->p[1] == 3);
    mech_eval_reset_params(eval);
    CHECK(mech_eval_equation(eval)->p[1] == 0.25);
}

/* Names are names, and each is given once: among coordinates, states, parameters and outputs, and among
 * constraints. */
static void refused_names(knife *user)
{
    static const char *const bad[][3] = {{"x", "x", "y"},   {"x", "", "y"},    {"x", NULL, "y"},
                                         {"x", "a b", "y"}, {"x", "y\n", "a"}, {"x", "y", "p1"}};
    static const char *const good[] = {"x", "y", "a"}, *const same[] = {"x"};
    mech_callbacks callbacks = knife_callbacks();
    mech_system *s;
    CHECK(callbacks.coords == 3);
    callbacks.coord_names = good;
    callbacks.constraint_names = same;
    callbacks.params = 1;
    CHECK(mech_system_from_callbacks(&callbacks, user, &s) == MECH_OK);
    mech_system_free(s);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        callbacks.coord_names = bad[i];
        CHECK(mech_system_from_callbacks(&callbacks, user, &s) == MECH_ERR_ARGUMENT && s == NULL);
    }
}

/* y = s with s' = 2 x': at the position level the row is [0, 1], at that of velocities [-2, 1]. */
static mech_status unit_mass(void *user, const mech_point *at, double *M)
{
    (void)user, (void)at;
    M[0] = M[3] = 1;
    return MECH_OK;
}
static mech_status pull(void *user, const mech_point *at, double *Q)
{
    (void)user, (void)at;
    Q[1] = 3;
    return MECH_OK;
}
static mech_status gap(void *user, const mech_point *at, double *r)
{
    (void)user;
    r[0] = at->q[1] - at->z[0];
    return MECH_OK;
}
static mech_status gap_rate(void *user, const mech_point *at, double *r_dot)
{
    (void)user;
    r_dot[0] = at->v[1] - 2 * at->v[0];
    return MECH_OK;
}
static mech_status follow(void *user, const mech_point *at, double *z)
{
    (void)user;
    z[0] = 2 * at->v[0];
    return MECH_OK;
}
static mech_status by_velocity(void *user, const mech_point *at, double *A)
{
    (void)user, (void)at;
    A[0] = -2;
    A[1] = 1;
    return MECH_OK;
}
static mech_status by_position(void *user, const mech_point *at, double *gradient)
{
    (void)user, (void)at;
    gradient[1] = 1;
    return MECH_OK;
}
static mech_status nothing(void *user, const mech_point *at, double *b)
{
    (void)user, (void)at, (void)b;
    return MECH_OK;
}

/* The start is brought onto y = s by y alone, then x'' = 6/5 and y'' = 12/5. */
static void states_in_rows(void)
{
    const mech_callbacks callbacks = {.size = sizeof callbacks,
                                      .coords = 2,
                                      .holonomic = 1,
                                      .states = 1,
                                      .M = unit_mass,
                                      .r = gap,
                                      .A = by_velocity,
                                      .Q = pull,
                                      .b = nothing,
                                      .r_dot = gap_rate,
                                      .rate = follow,
                                      .gradient = by_position};
    mech_system *s = NULL;
    mech_sim *sim = NULL;
    mech_sim_settings settings;
    mech_sim_settings_default(&settings, sizeof settings);
    settings.until = 2;
    CHECK(mech_system_from_callbacks(&callbacks, NULL, &s) == MECH_OK);
    CHECK(s && mech_sim_create(s, &settings, &sim) == MECH_OK);
    const double q[] = {0.25, 3}, v[] = {0, 0}, z[] = {0.5};
    CHECK(sim && mech_sim_set_start(sim, q, v, z, 0) == MECH_OK && mech_sim_run(sim) == MECH_OK);
    if (sim) {
        CHECK_NEAR(mech_sim_q(sim)[0], 0.25 + 2.4, 1e-9);
        CHECK_NEAR(mech_sim_q(sim)[1], 0.5 + 4.8, 1e-9);
        CHECK_NEAR(mech_sim_states(sim)[0], 0.5 + 4.8, 1e-9);
    }
    mech_sim_free(sim);
    mech_system_free(s);
}

int main(void)
{
    knife user = {0};
    states_in_rows();
    mech_callbacks callbacks = knife_callbacks();
    mech_system *s;
    mech_eval *eval;
    CHECK(mech_system_from_callbacks(&callbacks, &user, &s) == MECH_OK);
    CHECK(mech_eval_create(s, MECH_STORAGE_DENSE, &eval) == MECH_OK);
    CHECK_TEXT(mech_system_name(s, MECH_ITEM_CONSTRAINT, 0), "constraint1");
    CHECK(mech_system_row(s, 0).level == MECH_LEVEL_NONHOLONOMIC && mech_system_sizes(s).laws == 1);
    CHECK(!mech_system_has_jacobian(s));
    values(eval);
    CHECK(user.jacobians == 2); /* for the position, and again with the velocity */
    failures(eval, &user);
    mech_eval_free(eval);
    mech_system_free(s);
    callbacks.size = offsetof(mech_callbacks, gradient); /* as it was before it grew */
    CHECK(mech_system_from_callbacks(&callbacks, &user, &s) == MECH_OK);
    mech_system_free(s);
    callbacks = knife_callbacks();
    /* what is refused */
    callbacks.size--;
    CHECK(mech_system_from_callbacks(&callbacks, &user, &s) == MECH_ERR_ARGUMENT && s == NULL);
    callbacks = knife_callbacks();
    callbacks.A = NULL;
    CHECK(mech_system_from_callbacks(&callbacks, &user, &s) == MECH_ERR_ARGUMENT);
    callbacks = knife_callbacks();
    callbacks.states = 1, callbacks.rate = NULL;
    CHECK(mech_system_from_callbacks(&callbacks, &user, &s) == MECH_ERR_ARGUMENT && s == NULL);
    refused_names(&user);
    callbacks = knife_callbacks();
    CHECK(mech_system_from_callbacks(&callbacks, &user, NULL) == MECH_ERR_ARGUMENT);
    CHECK(mech_system_from_callbacks(NULL, &user, &s) == MECH_ERR_ARGUMENT);
    callbacks.coords = 1u << 20;
    CHECK(mech_system_from_callbacks(&callbacks, &user, &s) == MECH_ERR_LIMIT);
    mech_system_free(NULL);
    mech_eval_free(NULL);
    return check_report();
}
