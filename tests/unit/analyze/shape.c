/* Shapes of modes beside closed forms. */
#include "check.h"

#include <mech/analyze.h>
#include <mech/lang.h>

#include <stdlib.h>

typedef struct linearized {
    mech_diagnostics *diagnostics;
    mech_model *model;
    mech_system *system;
    mech_eval *eval;
    mech_linear *linear;
} linearized;

static const mech_linear_result *linearize(linearized *x, const char *text, const double *q)
{
    const mech_system_options with = {.size = sizeof with, .with_derivatives = 1};
    const double v[4] = {0};
    mech_linear_options options;
    mech_read_options read;
    mech_read_options_default(&read, sizeof read);
    mech_linear_options_default(&options, sizeof options);
    x->diagnostics = mech_diagnostics_create();
    CHECK(mech_read_text("model", text, strlen(text), &read, x->diagnostics, &x->model) == MECH_OK);
    CHECK(mech_system_create(x->model, &with, x->diagnostics, &x->system) == MECH_OK);
    CHECK(mech_eval_create(x->system, MECH_STORAGE_DENSE, &x->eval) == MECH_OK);
    options.q = q;
    options.v = v;
    options.z = v;
    CHECK(mech_linearize(x->system, x->eval, &options, &x->linear) == MECH_OK);
    return mech_linear_get(x->linear);
}

static void drop(linearized *x)
{
    mech_linear_free(x->linear);
    mech_eval_free(x->eval);
    mech_system_free(x->system);
    mech_model_free(x->model);
    mech_diagnostics_free(x->diagnostics);
}

/* A shape is an eigenvector of the whole matrix, and lies along the constraints. */
static void is_an_eigenvector(const mech_linear_result *l, int k, const double *re, const double *im)
{
    const int N = l->order;
    for (int i = 0; i < N; i++) {
        double a = 0, b = 0;
        for (int j = 0; j < N; j++) a += l->A[i + j * N] * re[j], b += l->A[i + j * N] * im[j];
        CHECK_NEAR(a, l->motion->real[k] * re[i] - l->motion->imaginary[k] * im[i], 1e-9);
        CHECK_NEAR(b, l->motion->real[k] * im[i] + l->motion->imaginary[k] * re[i], 1e-9);
    }
}

/* Two masses and three equal springs: 1 rad/s with (1, 1), sqrt(3) rad/s with (1, -1). */
static void of_two_masses(void)
{
    const double q[2] = {0, 0};
    double re[4], im[4];
    linearized x = {0};
    const mech_linear_result *l =
        linearize(&x, "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential (x^2 + (x - y)^2 + y^2)/2\n", q);
    for (int k = 0; k < 4; k++) {
        const double omega = l->motion->imaginary[k];
        CHECK(mech_linear_shape(l, k, re, im) == MECH_OK);
        CHECK_NEAR(re[0], 1, 1e-12);
        CHECK_NEAR(re[1], fabs(omega) < 1.3 ? 1 : -1, 1e-9);
        CHECK_NEAR(im[2], omega, 1e-9); /* the velocity is i omega times the place */
        is_an_eigenvector(l, k, re, im);
    }
    CHECK(mech_linear_shape(l, 4, re, im) == MECH_ERR_ARGUMENT);
    CHECK(mech_linear_shape(l, -1, re, im) == MECH_ERR_ARGUMENT);
    drop(&x);
}

/* A pendulum in two coordinates, hanging, with damping: only x moves, by lambda^2 + c lambda + g = 0. */
static void on_a_constraint(void)
{
    const double q[2] = {0, -1};
    double re[4], im[4];
    linearized x = {0};
    const mech_linear_result *l =
        linearize(&x,
                  "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nforce -0.4*x' on x'\n"
                  "constraint rod: x^2 + y^2 = 1\n",
                  q);
    CHECK(l->motion->n == 2);
    for (int k = 0; k < 2; k++) {
        CHECK_NEAR(l->motion->real[k], -0.2, 1e-12);
        CHECK_NEAR(fabs(l->motion->imaginary[k]), sqrt(9.81 - 0.04), 1e-12);
        CHECK(mech_linear_shape(l, k, re, im) == MECH_OK);
        CHECK_NEAR(re[0], 1, 1e-12);
        CHECK_NEAR(hypot(re[1], im[1]), 0, 1e-12);
        CHECK_NEAR(re[2], -0.2, 1e-9);
        CHECK_NEAR(im[2], l->motion->imaginary[k], 1e-9);
    }
    drop(&x);
}

/* Two pendulums that do not know of one another, of one frequency: two shapes, not one twice. */
static void of_a_repeated_value(void)
{
    const double q[2] = {0, 0};
    double a[2][4], b[4];
    int found = 0;
    linearized x = {0};
    const mech_linear_result *l = linearize(&x, "coord x, y\nkinetic (x'^2 + y'^2)/2\npotential 2*(x^2 + y^2)\n", q);
    for (int k = 0; k < 4; k++)
        if (l->motion->imaginary[k] > 0 && found < 2) {
            CHECK(mech_linear_shape(l, k, a[found], b) == MECH_OK);
            is_an_eigenvector(l, k, a[found], b);
            found++;
        }
    CHECK(found == 2 && fabs(a[0][0] * a[1][1] - a[0][1] * a[1][0]) > 1e-3);
    drop(&x);
}

/* x'' = -4 x, and a state behind it, s' = 5 x - 3 s: where the coordinate swings it is the one that is 1, and the state
   that moves more is 5/(3 + 2i) of it. */
static void beside_a_state(void)
{
    const double q[1] = {0};
    double re[3], im[3];
    linearized x = {0};
    const mech_linear_result *l =
        linearize(&x, "coord x\nstate s: s' = 5*x - 3*s\nkinetic x'^2/2\npotential 2*x^2\n", q);
    int swings = 0;
    for (int k = 0; k < l->motion->n; k++) {
        const double omega = l->motion->imaginary[k];
        CHECK(mech_linear_shape(l, k, re, im) == MECH_OK);
        if (fabs(omega) < 1) { /* -3: the state alone */
            CHECK(re[0] == 0 && re[1] == 0);
            CHECK_NEAR(fabs(re[2]), 1, 1e-12);
            continue;
        }
        CHECK_NEAR(re[0], 1, 1e-12);
        CHECK_NEAR(im[0], 0, 1e-12);
        CHECK_NEAR(re[2], 15. / 13, 1e-9);
        CHECK_NEAR(im[2], -5 * omega / 13, 1e-9);
        swings++;
    }
    CHECK(l->motion->n == 3 && swings == 2);
    drop(&x);
}

int main(void)
{
    beside_a_state();
    of_two_masses();
    on_a_constraint();
    of_a_repeated_value();
    return check_report();
}
