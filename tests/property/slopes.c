/* Slopes of the solved equation: closed forms, and every shipped model that has them against differences of instants,
   which are solved by other code. */
#include "support/shipped.h"

#include <mech/instant.h>
#include <mech/slopes.h>

#include <math.h>
#include <string.h>

static size_t models, compared;

/* theta'' = -(g/l) sin(theta) + (u - c theta')/(m l^2) */
static void pendulum(void)
{
    static const char text[] =
        "param g = 9.81, l = 0.7, m = 1.3, c = 0.2\ncoord th\ninput u = 3*t\nkinetic m*l^2*th'^2/2\npotential -m*g*l*cos(th)\nforce u - c*th' on th'\n";
    const mech_system_options with = {.size = sizeof with, .with_derivatives = 1, .with_parameters = 1};
    mech_diagnostics *diagnostics = mech_diagnostics_create();
    mech_model *model = NULL;
    mech_system *system = NULL;
    mech_slopes *slopes = NULL;
    CHECK(mech_read_text("test", text, strlen(text), NULL, diagnostics, &model) == MECH_OK &&
          mech_system_create(model, &with, diagnostics, &system) == MECH_OK);
    CHECK(mech_slopes_obstacle(system) == NULL && mech_slopes_create(system, &slopes) == MECH_OK);
    const double g = 9.81, l = 0.7, m = 1.3, c = 0.2, q = 0.8, v = -1.5, u = 6, J = m * l * l, f = u - c * v;
    CHECK(mech_slopes_at(slopes, 2, &q, &v, NULL) == MECH_OK);
    const mech_slopes_result *r = mech_slopes_get(slopes);
    CHECK(r->size == sizeof *r && r->n == 1 && r->rows == 0 && r->params == 4 && r->inputs == 1);
    CHECK_NEAR(r->qdd[0], -g / l * sin(q) + f / J, 1e-14);
    CHECK_NEAR(r->qdd_q[0], -g / l * cos(q), 1e-14);
    CHECK_NEAR(r->qdd_v[0], -c / J, 1e-14);
    CHECK_NEAR(r->qdd_u[0], 1 / J, 1e-14);
    CHECK_NEAR(r->qdd_t[0], 0, 1e-14); /* at the same u */
    CHECK_NEAR(r->qdd_p[0], -sin(q) / l, 1e-14);
    CHECK_NEAR(r->qdd_p[1], g / (l * l) * sin(q) - 2 * f / (J * l), 1e-13);
    CHECK_NEAR(r->qdd_p[2], -f / (J * m), 1e-14);
    CHECK_NEAR(r->qdd_p[3], -v / J, 1e-14);
    CHECK(mech_eval_set_input(mech_slopes_eval(slopes), 0, 1, 0, 0) == MECH_OK &&
          mech_slopes_at(slopes, 2, &q, &v, NULL) == MECH_OK);
    CHECK_NEAR(r->qdd[0], -g / l * sin(q) + (1 - c * v) / J, 1e-14);
    CHECK(mech_slopes_at(slopes, 0, NULL, &v, NULL) == MECH_ERR_ARGUMENT &&
          mech_slopes_at(NULL, 0, &q, &v, NULL) == MECH_ERR_ARGUMENT);
    mech_slopes_free(slopes);
    mech_slopes_free(NULL);
    mech_system_free(system);
    mech_model_free(model);
    mech_diagnostics_free(diagnostics);
}

/* A block that slides: x'' = -mu g, the load m g. And a law of the reaction, x'' = -c N/m with N = m g. At rest there
   are none. */
static void block(void)
{
    static const char *const texts[] = {"friction on floor: c, along x'\n",
                                        "nonideal on floor: x = -c*reaction(floor)\n"};
    for (int k = 0; k < 2; k++) {
        char text[300];
        const mech_system_options with = {.size = sizeof with, .with_derivatives = 1, .with_parameters = 1};
        mech_diagnostics *diagnostics = mech_diagnostics_create();
        mech_model *model = NULL;
        mech_system *system = NULL;
        mech_slopes *slopes = NULL;
        const double q[2] = {0.1, 0}, v[2] = {2, 0}, rest[2] = {0, 0};
        snprintf(
            text, sizeof text,
            "param g = 9.81, m = 3, c = 0.2\ncoord x, y\nkinetic m*(x'^2 + y'^2)/2\npotential m*g*y\nconstraint floor: y = 0\n%s",
            texts[k]);
        CHECK(mech_read_text("test", text, strlen(text), NULL, diagnostics, &model) == MECH_OK &&
              mech_system_create(model, &with, diagnostics, &system) == MECH_OK);
        CHECK(mech_slopes_create(system, &slopes) == MECH_OK && mech_slopes_at(slopes, 0, q, v, NULL) == MECH_OK);
        const mech_slopes_result *r = mech_slopes_get(slopes);
        CHECK_NEAR(r->qdd[0], -0.2 * 9.81, 1e-13);
        CHECK_NEAR(r->qdd_p[0], -0.2, 1e-13);
        CHECK_NEAR(r->qdd_p[2], 0, 1e-13);
        CHECK_NEAR(r->qdd_p[4], -9.81, 1e-13);
        CHECK_NEAR(r->lambda_p[0], 3, 1e-13);
        CHECK_NEAR(r->lambda_p[1], 9.81, 1e-13);
        CHECK(mech_slopes_at(slopes, 0, q, rest, NULL) == (k == 0 ? MECH_ERR_UNSUPPORTED : MECH_OK));
        mech_slopes_free(slopes);
        mech_system_free(system);
        mech_model_free(model);
        mech_diagnostics_free(diagnostics);
    }
}

/* One mass on a path x = sin(w t), by B = 3, K = 5 off it: q'' = -w^2 sin(w t) - 3 (x' - w cos(w t)) - 5 (x - sin(w
   t)), whatever the spring k does; and its force is what else moves it. */
static void controlled(void)
{
    static const char text[] = "param w = 2, k = 7\ncoord x, y\nkinetic x'^2/2 + y'^2\npotential k*(x - y)^2/2\n"
                               "actuator a: x'\ncontrol c: x = sin(w*t)\nstabilize excess on c, B = 3, K = 5\n";
    const mech_system_options with = {.size = sizeof with, .with_derivatives = 1, .with_parameters = 1};
    mech_diagnostics *diagnostics = mech_diagnostics_create();
    mech_model *model = NULL;
    mech_system *system = NULL;
    mech_slopes *slopes = NULL;
    const double t = 0.3, q[2] = {0.4, -0.2}, v[2] = {0.5, 0.1}, w = 2, s = sin(w * t), c = cos(w * t);
    CHECK(mech_read_text("test", text, strlen(text), NULL, diagnostics, &model) == MECH_OK &&
          mech_system_create(model, &with, diagnostics, &system) == MECH_OK);
    CHECK(mech_slopes_create(system, &slopes) == MECH_OK && mech_slopes_at(slopes, t, q, v, NULL) == MECH_OK);
    const mech_slopes_result *r = mech_slopes_get(slopes);
    CHECK_NEAR(r->qdd[0], -w * w * s - 3 * (v[0] - w * c) - 5 * (q[0] - s), 1e-12);
    CHECK_NEAR(r->qdd[1], 3.5 * (q[0] - q[1]), 1e-12);
    CHECK_NEAR(r->qdd_q[0], -5, 1e-12);
    CHECK_NEAR(r->qdd_q[1], 3.5, 1e-12);
    CHECK_NEAR(r->qdd_q[2], 0, 1e-12);
    CHECK_NEAR(r->qdd_v[0], -3, 1e-12);
    CHECK_NEAR(r->qdd_p[0], -2 * w * s - w * w * t * c + 3 * (c - w * t * s) + 5 * t * c, 1e-12);
    CHECK_NEAR(r->qdd_p[2], 0, 1e-12);
    CHECK_NEAR(r->qdd_p[3], (q[0] - q[1]) / 2, 1e-12);
    CHECK_NEAR(r->qdd_t[0], -w * w * w * c - 3 * w * w * s + 5 * w * c, 1e-12);
    mech_slopes_free(slopes);
    mech_system_free(system);
    mech_model_free(model);
    mech_diagnostics_free(diagnostics);
}

static void refused(const char *text, int with_derivatives, const char *why)
{
    const mech_system_options with = {
        .size = sizeof with, .with_derivatives = with_derivatives, .with_parameters = with_derivatives};
    mech_diagnostics *diagnostics = mech_diagnostics_create();
    mech_model *model = NULL;
    mech_system *system = NULL;
    mech_slopes *slopes = NULL;
    CHECK(mech_read_text("test", text, strlen(text), NULL, diagnostics, &model) == MECH_OK &&
          mech_system_create(model, &with, diagnostics, &system) == MECH_OK);
    CHECK(mech_slopes_create(system, &slopes) == MECH_ERR_UNSUPPORTED && !slopes);
    CHECK(mech_slopes_obstacle(system) && strstr(mech_slopes_obstacle(system), why));
    CHECK(mech_slopes_create(NULL, &slopes) == MECH_ERR_ARGUMENT &&
          mech_slopes_create(system, NULL) == MECH_ERR_ARGUMENT);
    mech_system_free(system);
    mech_model_free(model);
    mech_diagnostics_free(diagnostics);
}

/* ---- against differences ---- */

typedef struct place {
    double t, *q, *v, *z, *u;
    size_t inputs;
} place;

static int solve(mech_instant *instant, const place *at)
{
    mech_instant_input in;
    mech_instant_input_default(&in, sizeof in);
    in.t = at->t;
    in.q = at->q;
    in.v = at->v;
    in.z = at->z;
    in.skip_diagnosis = 1;
    for (size_t i = 0; i < at->inputs; i++)
        if (mech_eval_set_input(mech_instant_eval(instant), i, at->u[i], 0, 0) != MECH_OK) return 0;
    return mech_instant_solve(instant, &in) == MECH_OK;
}

/* Richardson's central difference of accelerations, multipliers and rates by *x, and how far off it may be itself; 0:
   it cannot be had here. */
static int difference(mech_instant *instant, const place *at, double *x, size_t param, double *to, double *error,
                      size_t n, size_t m, size_t nz)
{
    const double kept = param == SIZE_MAX ? *x : mech_eval_equation(mech_instant_eval(instant))->p[param],
                 h = 1e-3 * (param == SIZE_MAX ? fmax(fabs(kept), 0.1)
                             : kept != 0       ? fabs(kept)
                                               : 0.1);
    double f[4][400];
    static const double steps[4] = {-1, 1, -0.5, 0.5};
    int is_good = 1;
    for (int k = 0; k < 4; k++) {
        if (param == SIZE_MAX) *x = kept + steps[k] * h;
        else if (mech_eval_set_param_at(mech_instant_eval(instant), param, kept + steps[k] * h) != MECH_OK) is_good = 0;
        is_good = is_good && solve(instant, at);
        const mech_instant_result *r = mech_instant_get(instant);
        for (size_t i = 0; i < n && is_good; i++) f[k][i] = r->qdd[i];
        for (size_t i = 0; i < m && is_good; i++) f[k][n + i] = r->reaction[i];
        for (size_t i = 0; i < nz && is_good; i++)
            f[k][n + m + i] = mech_eval_equation(mech_instant_eval(instant))->rate[i];
    }
    if (param == SIZE_MAX) *x = kept;
    else if (is_good && mech_eval_set_param_at(mech_instant_eval(instant), param, kept) != MECH_OK) is_good = 0;
    for (size_t i = 0; i < n + m + nz && is_good; i++) {
        const double fine = (f[3][i] - f[2][i]) / h, coarse = (f[1][i] - f[0][i]) / (2 * h);
        to[i] = (4 * fine - coarse) / 3;
        error[i] = fabs(to[i] - fine);
    }
    return is_good;
}

static void agree(const char *path, const char *what, size_t column, const double *exact, const double *found,
                  const double *error, size_t count, double scale)
{
    for (size_t i = 0; i < count; i++) {
        const double miss = fabs(exact[i] - found[i]), allowed = 1e-6 * (scale + fabs(exact[i])) + error[i];
        if (isnan(exact[i])) continue;
        compared++;
        if (!(miss <= allowed))
            fprintf(stderr, "%s: %s[%zu] by column %zu: %.10g, by differences %.10g\n", path, what, i, column, exact[i],
                    found[i]);
        CHECK(miss <= allowed);
    }
}

static void compare_all(const char *path, const mech_system *system, mech_slopes *slopes, mech_instant *instant,
                        place *at)
{
    const mech_sizes k = mech_system_sizes(system);
    const mech_slopes_result *r = mech_slopes_get(slopes);
    const size_t n = k.coords, m = k.rows, nz = k.states, columns = 2 * n + nz + k.inputs + r->params;
    const double *starts[] = {r->qdd_q, r->lambda_q, r->rate_q};
    for (size_t i = 0; i < k.inputs; i++) at->u[i] = random_signed();
    if (!solve(instant, at)) return;
    for (size_t i = 0; i < k.inputs; i++)
        CHECK(mech_eval_set_input(mech_slopes_eval(slopes), i, at->u[i], 0, 0) == MECH_OK);
    CHECK(mech_slopes_at(slopes, at->t, at->q, at->v, at->z) == MECH_OK);
    if (r->flags & MECH_FUNDAMENTAL_MISSED) return;
    models++;
    double scale = 1;
    for (size_t i = 0; i < n; i++) {
        scale = fmax(scale, fabs(r->qdd[i]));
        CHECK_NEAR(r->qdd[i], mech_instant_get(instant)->qdd[i], 1e-9 * scale);
    }
    for (size_t c = 0; c < columns; c++) {
        double found[400], error[400];
        const size_t param = c < columns - r->params ? SIZE_MAX : c - (columns - r->params);
        double *x = c < n               ? at->q + c
                    : c < 2 * n         ? at->v + (c - n)
                    : c < 2 * n + nz    ? at->z + (c - 2 * n)
                    : param == SIZE_MAX ? at->u + (c - 2 * n - nz)
                                        : NULL;
        if (!difference(instant, at, x, param, found, error, n, m, nz)) continue;
        double size = scale;
        for (size_t i = 0; i < n; i++) size = fmax(size, fabs(starts[0][i + c * n]));
        for (size_t i = 0; i < m; i++) size = fmax(size, isnan(starts[1][i + c * m]) ? 0 : fabs(starts[1][i + c * m]));
        agree(path, "q''", c, starts[0] + c * n, found, error, n, size);
        agree(path, "lambda", c, starts[1] + c * m, found + n, error + n, m, size);
        agree(path, "rate", c, starts[2] + c * nz, found + n + m, error + n + m, nz, size);
    }
}

static void shipped(const char *path, mech_model *model, mech_system *plain)
{
    const mech_system_options with = {.size = sizeof with, .with_derivatives = 1, .with_parameters = 1};
    mech_system *system = NULL;
    mech_slopes *slopes = NULL;
    mech_instant *instant = NULL;
    double q[100], v[100], z[100], u[100];
    (void)plain;
    const mech_status status = mech_system_create(model, &with, NULL, &system);
    CHECK(status == MECH_OK);
    const mech_sizes k = mech_system_sizes(system);
    if (k.coords <= 40 && k.rows <= 100 && !mech_slopes_obstacle(system) &&
        mech_instant_create(system, 0, &instant) == MECH_OK) {
        CHECK(mech_slopes_create(system, &slopes) == MECH_OK);
        memset(z, 0, sizeof z);
        CHECK(mech_instant_start(instant, 0.3, q, v, z) == MECH_OK);
        for (size_t i = 0; i < k.coords; i++) q[i] += 0.1 * random_signed(), v[i] = random_signed();
        for (size_t i = 0; i < k.states; i++) z[i] += 0.1 * random_signed();
        place at = {.t = 0.3, .q = q, .v = v, .z = z, .u = u, .inputs = k.inputs};
        compare_all(path, system, slopes, instant, &at);
    }
    mech_slopes_free(slopes);
    mech_instant_free(instant);
    mech_system_free(system);
}

int main(int argc, char **argv)
{
    if (argc > 1) random_state = strtoull(argv[1], NULL, 10);
    pendulum();
    block();
    controlled();
    refused("param w = 2\ncoord x\nkinetic x'^2/2\nactuator a: x'\ncontrol c: x = 0\nstabilize excess on c, B = 2*w\n",
            1, "gains look at parameters");
    refused("coord x\nkinetic x'^2/2\n", 0, "with_derivatives");
    refused("coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint c: y = 0\nnonideal z on c: x = -0.1\n", 1, "given by z");
    shipped_models(shipped);
    printf("figure: slopes against differences: %zu numbers in %zu shipped models\n", compared, models);
    return check_report();
}
