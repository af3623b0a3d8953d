/* Exact derivatives of random models against central differences of the evaluated equation itself. */
#include "check.h"
#include "support/random_numbers.h"

#include <mech/system.h>

#include <stdlib.h>

enum { N = 3, COLUMNS = 40, VALUES = 40 };

typedef struct subject {
    mech_diagnostics *diagnostics;
    mech_model *model;
    mech_system *system;
    mech_eval *eval;
    mech_columns at;
    double x[COLUMNS]; /* all variables, by column */
} subject;

/* A smooth expression of the given symbols. */
static mech_expr random_expr(mech_pool *p, const mech_expr *symbols, uint32_t count)
{
    mech_expr e = symbols[random_below(count)];
    for (uint32_t steps = 2 + random_below(3); steps; steps--) {
        const mech_expr s = symbols[random_below(count)];
        switch (random_below(5)) {
        case 0: e = mech_add(p, e, mech_mul(p, mech_rational(p, 1 + random_below(5), 3), s)); break;
        case 1: e = mech_mul(p, e, s); break;
        case 2: e = mech_call(p, MECH_FUNCTION_SIN, &e, 1); break;
        case 3: e = mech_div(p, e, mech_add(p, mech_rational(p, 2, 1), mech_mul(p, s, s))); break;
        default: e = mech_sub(p, mech_call(p, MECH_FUNCTION_COS, &s, 1), e); break;
        }
    }
    return e;
}

static void add_laws(mech_model *m, mech_pool *p, mech_expr *s, uint32_t count)
{
    /* q, a state, an input, time */
    const mech_expr places[6] = {s[0], s[1], s[2], s[6], s[7], s[8]}, both[2] = {s[3], s[4]};
    const mech_expr phi = mech_add(p, random_expr(p, s, 3), random_expr(p, places, 6));
    const mech_expr psi = mech_add(p, mech_mul(p, s[0], s[4]), mech_mul(p, both[0], both[1]));
    size_t c[2];
    CHECK(mech_model_constraint(m, "phi", &phi, 1, &c[0]) == MECH_OK);
    CHECK(mech_model_constraint(m, "psi", &psi, 1, &c[1]) == MECH_OK);
    mech_expr with_reaction[16];
    memcpy(with_reaction, s, count * sizeof *s);
    with_reaction[count] = mech_model_reaction(m, c[1], 0);
    with_reaction[count + 1] = mech_model_lambda(m, c[1], 0);
    const mech_expr law = mech_mul(p, with_reaction[count], random_expr(p, s, count));
    CHECK(mech_model_nonideal(m, MECH_LAW_C, &c[1], 1, &s[1], &law, 1) == MECH_OK);
    with_reaction[count + 2] = mech_dot(p, s[3]);
    CHECK(mech_model_output(m, "y1", random_expr(p, with_reaction, count + 3), NULL) == MECH_OK);
    CHECK(mech_model_output(m, "y2", random_expr(p, with_reaction, count + 3), NULL) == MECH_OK);
}

static int build(subject *k)
{
    mech_model *m;
    k->diagnostics = mech_diagnostics_create();
    CHECK(mech_model_create(k->diagnostics, &m) == MECH_OK);
    mech_pool *p = mech_model_pool(m);
    k->model = m;
    mech_expr s[12]; /* q, v, z, u, t, param */
    static const char *const names[N] = {"x", "y", "z"};
    for (int i = 0; i < N; i++) s[i] = mech_model_coord(m, names[i], NULL);
    for (int i = 0; i < N; i++) s[N + i] = mech_dot(p, s[i]);
    s[6] = mech_model_state(m, "w", NULL);
    s[8] = mech_model_time(m);
    s[7] = mech_model_input(m, "u", mech_mul(p, s[8], s[8]), NULL);
    s[9] = mech_model_param(m, "k", mech_rational(p, 3, 2), NULL);
    CHECK(mech_model_state_rate(m, s[6], random_expr(p, s, 10)) == MECH_OK);
    for (int i = 0; i < N; i++) {
        const mech_expr weight = mech_add(p, s[9], mech_call(p, MECH_FUNCTION_COS, &s[random_below(N)], 1));
        CHECK(mech_model_kinetic(m, mech_mul(p, weight, mech_mul(p, s[N + i], s[N + random_below(N)]))) == MECH_OK);
        const mech_expr force = random_expr(p, s, 10);
        CHECK(mech_model_force(m, &force, &s[N + i], 1) == MECH_OK);
    }
    CHECK(mech_model_potential(m, random_expr(p, s, 3)) == MECH_OK);
    add_laws(m, p, s, 10);
    if (mech_model_finish(m) != MECH_OK) return 0; /* chance made a constraint that says nothing */
    const mech_system_options with = {.size = sizeof with, .with_derivatives = 1};
    CHECK(mech_system_create(m, &with, k->diagnostics, &k->system) == MECH_OK && mech_system_has_jacobian(k->system));
    CHECK(mech_eval_create(k->system, MECH_STORAGE_DENSE, &k->eval) == MECH_OK);
    k->at = mech_system_columns(k->system);
    for (size_t i = 0; i < k->at.count; i++) k->x[i] = random_real();
    return 1;
}

static void free_subject(subject *k)
{
    mech_eval_free(k->eval);
    mech_system_free(k->system);
    mech_model_free(k->model);
    mech_diagnostics_free(k->diagnostics);
}

static void set_point(subject *k, const double *x)
{
    const mech_columns *c = &k->at;
    mech_eval_set_states(k->eval, x + c->z);
    CHECK(mech_eval_set_input(k->eval, 0, x[c->u], x[c->u_dot], x[c->u_ddot]) == MECH_OK);
    CHECK(mech_eval_position(k->eval, x[c->t], x + c->q) == MECH_OK &&
          mech_eval_velocity(k->eval, x + c->v) == MECH_OK);
    CHECK(mech_eval_reaction(k->eval, x + c->lambda, x + c->reaction) == MECH_OK);
    CHECK(mech_eval_acceleration(k->eval, x + c->a) == MECH_OK && mech_eval_output(k->eval) == MECH_OK);
}

/* The values that a matrix of derivatives belongs to; returns how many. */
static size_t values_of(subject *k, mech_matrix which, const double *x, double *value)
{
    const mech_equation *e = mech_eval_equation(k->eval);
    const mech_sizes size = mech_system_sizes(k->system);
    const size_t n = size.coords, m = size.rows;
    const double *a = x + k->at.a, *reaction = x + k->at.reaction;
    switch (which) {
    case MECH_MATRIX_D_MOTION:
        for (size_t i = 0; i < n; i++) {
            value[i] = -e->Q[i];
            for (size_t j = 0; j < n; j++) value[i] += e->M_dense[i + n * j] * a[j];
            for (size_t r = 0; r < m; r++) value[i] -= e->A_dense[r + m * i] * reaction[r];
        }
        return n;
    case MECH_MATRIX_D_ROW:
        for (size_t r = 0; r < m; r++) {
            value[r] = -e->b[r];
            for (size_t j = 0; j < n; j++) value[r] += e->A_dense[r + m * j] * a[j];
        }
        return m;
    case MECH_MATRIX_D_R: memcpy(value, e->r, m * sizeof *value); return m;
    case MECH_MATRIX_D_R_DOT: memcpy(value, e->r_dot, m * sizeof *value); return m;
    case MECH_MATRIX_D_RATE: memcpy(value, e->rate, size.states * sizeof *value); return size.states;
    case MECH_MATRIX_D_C: {
        const size_t count = mech_system_pattern(k->system, MECH_MATRIX_C).count;
        memcpy(value, e->C, count * sizeof *value);
        return count;
    }
    default: memcpy(value, e->output, size.outputs * sizeof *value); return size.outputs;
    }
}

static double worst;
static int different; /* entries of A that are not those of the gradient */

static void compare(subject *k, mech_matrix which, const double *exact)
{
    static const double step = 0x1p-17; /* error h^2 + eps/h, both below 1e-10 */
    double full[VALUES][COLUMNS] = {{0}};
    const mech_pattern pattern = mech_system_pattern(k->system, which);
    for (size_t i = 0; i < pattern.count; i++) full[pattern.row[i]][pattern.column[i]] = exact[i];
    const int is_held = which == MECH_MATRIX_D_MOTION || which == MECH_MATRIX_D_ROW;
    for (size_t j = 0; j < k->at.count; j++) {
        if (is_held && j >= k->at.a && j != k->at.t) continue; /* M and A themselves */
        double up[COLUMNS], down[COLUMNS], f[VALUES], g[VALUES];
        memcpy(up, k->x, sizeof up);
        memcpy(down, k->x, sizeof down);
        up[j] += step;
        down[j] -= step;
        set_point(k, up);
        const size_t count = values_of(k, which, up, f);
        set_point(k, down);
        values_of(k, which, down, g);
        for (size_t i = 0; i < count; i++) {
            const double want = (f[i] - g[i]) / (2 * step);
            const double error = fabs(full[i][j] - want) / (1 + fabs(want) + fabs(f[i]));
            if (error > worst) worst = error;
            CHECK(error < 1e-7);
        }
    }
}

/* The gradient is d r/dq, and A is d r'/dv: not the same where a state stands in r. */
static void check_rows(const subject *k, const mech_jacobian *J)
{
    const mech_equation *e = mech_eval_equation(k->eval);
    const size_t m = mech_system_sizes(k->system).rows;
    double gradient[VALUES][COLUMNS] = {{0}}, A[VALUES][COLUMNS] = {{0}};
    const mech_pattern r = mech_system_pattern(k->system, MECH_MATRIX_D_R),
                       r_dot = mech_system_pattern(k->system, MECH_MATRIX_D_R_DOT);
    for (size_t i = 0; i < r.count; i++) gradient[r.row[i]][r.column[i]] = J->r[i];
    for (size_t i = 0; i < r_dot.count; i++) A[r_dot.row[i]][r_dot.column[i]] = J->r_dot[i];
    for (size_t i = 0; i < m; i++) {
        const mech_level level = mech_system_row(k->system, i).level;
        for (size_t j = 0; j < N && level != MECH_LEVEL_ACCELERATION; j++) {
            CHECK_NEAR(e->A_dense[i + m * j], A[i][k->at.v + j], 1e-12 * (1 + fabs(A[i][k->at.v + j])));
            if (level == MECH_LEVEL_HOLONOMIC)
                CHECK_NEAR(e->gradient_dense[i + m * j], gradient[i][k->at.q + j], 1e-12 * (1 + fabs(gradient[i][j])));
            different +=
                level == MECH_LEVEL_HOLONOMIC && fabs(e->gradient_dense[i + m * j] - e->A_dense[i + m * j]) > 1e-3;
        }
    }
}

static void one_case(void)
{
    subject k = {0};
    if (build(&k)) {
        mech_jacobian J;
        set_point(&k, k.x);
        CHECK(mech_eval_jacobian(k.eval, &J) == MECH_OK);
        check_rows(&k, &J);
        const double *parts[] = {J.motion, J.row, J.r, J.r_dot, J.rate, J.C, J.output};
        for (int i = 0; i < 7; i++) compare(&k, (mech_matrix)(MECH_MATRIX_D_MOTION + i), parts[i]);
        /* another parameter, another derivative */
        CHECK(mech_eval_set_param(k.eval, "k", 2.5) == MECH_OK);
        CHECK(mech_eval_jacobian(k.eval, &J) == MECH_ERR_ARGUMENT);
        set_point(&k, k.x);
        CHECK(mech_eval_jacobian(k.eval, &J) == MECH_OK);
        compare(&k, MECH_MATRIX_D_MOTION, J.motion);
    }
    free_subject(&k);
}

int main(int argc, char **argv)
{
    const uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 20261115;
    printf("seed %llu\n", (unsigned long long)seed);
    for (uint64_t i = 0; i < 60 && !check_failures; i++) {
        random_state = seed + i * UINT64_C(0x9E3779B97F4A7C15);
        one_case();
        if (check_failures) fprintf(stderr, "case %llu\n", (unsigned long long)i);
    }
    CHECK(different > 20);
    printf("largest relative difference: %.1e\n", worst);
    return check_report();
}
