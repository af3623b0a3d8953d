/* The same chains by their kinetic energy and by an inertia made in a recursion: all that is asked of them agrees. */
#include "check.h"
#include "support/chain.h"
#include "support/exported.h"
#include "support/random_numbers.h"

#include <mech/analyze.h>
#include <mech/fundamental.h>
#include <mech/motion.h>
#include <mech/output.h>
#include <mech/simulate.h>
#include <mech/system.h>

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST = 16 };

typedef struct pair { /* [0] by the kinetic energy, [1] by the inertia */
    mech_diagnostics *list[2];
    mech_model *model[2];
    mech_system *system[2];
    mech_eval *eval[2];
    size_t n;
} pair;

static pair open_pair(size_t n, int planar)
{
    pair s = {.n = n};
    const mech_system_options with = {.size = sizeof with, .with_derivatives = 1};
    for (int k = 0; k < 2; k++) {
        s.list[k] = mech_diagnostics_create();
        s.model[k] = chain_model(k ? CHAIN_INERTIA : CHAIN_KINETIC, n, planar, 0, s.list[k]);
        CHECK(mech_system_create(s.model[k], &with, s.list[k], &s.system[k]) == MECH_OK);
        CHECK(mech_eval_create(s.system[k], MECH_STORAGE_DENSE, &s.eval[k]) == MECH_OK);
        CHECK(mech_diagnostics_error_count(s.list[k]) == 0);
    }
    return s;
}

static void close_pair(pair *s)
{
    for (int k = 0; k < 2; k++) {
        mech_eval_free(s->eval[k]);
        mech_system_free(s->system[k]);
        mech_model_free(s->model[k]);
        mech_diagnostics_free(s->list[k]);
    }
}

static void near_all(const double *got, const double *want, size_t count, double bound)
{
    double size = 0, worst = 0;
    for (size_t i = 0; i < count; i++) {
        size = fmax(size, fabs(want[i]));
        worst = fmax(worst, fabs(got[i] - want[i]));
    }
    if (!(worst <= bound * (1 + size))) fprintf(stderr, "differs by %.2e of %.2e\n", worst, size);
    CHECK(worst <= bound * (1 + size));
}

static void a_state(size_t n, double *q, double *v)
{
    for (size_t i = 0; i < n; i++) {
        q[i] = 2 * random_signed();
        v[i] = 2 * random_signed();
    }
}

/* M, Q, the energies and the power; and h' = 0: nothing but M'.v/2 and the weight would make power. */
static void equations(pair *s)
{
    double q[MOST], v[MOST];
    for (int round = 0; round < 20; round++) {
        a_state(s->n, q, v);
        for (int k = 0; k < 2; k++)
            CHECK(mech_eval_position(s->eval[k], 0, q) == MECH_OK && mech_eval_velocity(s->eval[k], v) == MECH_OK &&
                  mech_eval_acceleration(s->eval[k], v) == MECH_OK && mech_eval_output(s->eval[k]) == MECH_OK);
        const mech_equation *a = mech_eval_equation(s->eval[0]), *b = mech_eval_equation(s->eval[1]);
        near_all(b->M_dense, a->M_dense, s->n * s->n, 1e-14);
        near_all(b->Q, a->Q, s->n, 1e-13);
        near_all(b->energy, a->energy, 4, 1e-14);
        CHECK(a->energy[4] == 0 && b->energy[4] == 0);
    }
    CHECK(expr_is_zero(s->model[1]->equations.power));
}

static void native(pair *s)
{
    double q[MOST], v[MOST], a[2][MOST];
    mech_motion_code *code[2];
    mech_motion_settings settings;
    mech_motion_settings_default(&settings, sizeof settings);
    settings.native = MECH_NATIVE_ON;
    settings.cache = "";
    for (int k = 0; k < 2; k++) {
        CHECK(mech_motion_code_create(s->system[k], &settings, &code[k]) == MECH_OK);
        CHECK(mech_motion_code_info(code[k]).is_native && mech_eval_use_motion(s->eval[k], code[k]) == MECH_OK);
    }
    CHECK(mech_motion_code_info(code[1]).statements <= mech_motion_code_info(code[0]).statements);
    for (int round = 0; round < 20; round++) {
        a_state(s->n, q, v);
        for (int k = 0; k < 2; k++) {
            mech_motion got = {.size = sizeof got, .qdd = a[k]};
            CHECK(mech_eval_motion(s->eval[k], 0, q, v, &got) == MECH_OK && got.flags == 0);
        }
        near_all(a[1], a[0], s->n, 1e-11);
    }
    for (int k = 0; k < 2; k++) mech_motion_code_free(code[k]);
}

static void linearization(pair *s)
{
    const double q[MOST] = {0.3, -0.4, 0.7}, v[MOST] = {0.2, 0.5, -0.6};
    mech_linear *linear[2];
    mech_linear_options options;
    mech_linear_options_default(&options, sizeof options);
    options.q = q, options.v = v;
    for (int k = 0; k < 2; k++) CHECK(mech_linearize(s->system[k], s->eval[k], &options, &linear[k]) == MECH_OK);
    const mech_linear_result *a = mech_linear_get(linear[0]), *b = mech_linear_get(linear[1]);
    CHECK(a->order == b->order && a->cyclic_count == b->cyclic_count);
    near_all(b->A, a->A, (size_t)(a->order * a->order), 1e-11);
    for (int k = 0; k < 2; k++) mech_linear_free(linear[k]);
}

/* The account closes: h stays what it is. */
static void run(pair *s)
{
    mech_sim *sim[2];
    mech_sim_settings settings;
    mech_sim_settings_default(&settings, sizeof settings);
    settings.until = 1;
    settings.rtol = 1e-11;
    settings.atol = 1e-13;
    for (int k = 0; k < 2; k++) {
        CHECK(mech_sim_create(s->system[k], &settings, &sim[k]) == MECH_OK && mech_sim_run(sim[k]) == MECH_OK);
        const mech_sim_info info = mech_sim_info_get(sim[k]);
        CHECK(info.has_energy && info.balance_error < 1e-9 * info.energy_scale && info.power_integral == 0);
        CHECK_TEXT(mech_sim_warning(sim[k]), "");
    }
    near_all(mech_sim_q(sim[1]), mech_sim_q(sim[0]), s->n, 1e-9);
    near_all(mech_sim_v(sim[1]), mech_sim_v(sim[0]), s->n, 1e-9);
    CHECK_NEAR(mech_sim_info_get(sim[1]).energy_first, mech_sim_info_get(sim[0]).energy_first, 1e-14);
    for (int k = 0; k < 2; k++) mech_sim_free(sim[k]);
}

/* The exported program's last line of numbers, which it computes by itself. */
static void exported(pair *s)
{
    char rows[2][4000], command[600];
    for (int k = 0; k < 2; k++) {
        mech_exported files;
        CHECK(mech_export_c(s->system[k], "made", NULL, &files) == MECH_OK);
        exported_write(&files);
        mech_exported_free(&files);
        snprintf(
            command, sizeof command,
            "cd %s && cc -std=c99 -Wall -Wextra -Werror -O1 -I. made.c made_main.c fundamental/small.c -lm -o run && ./run | tail -n 1",
            folder);
        FILE *pipe = popen(command, "r");
        CHECK(pipe && fgets(rows[k], sizeof rows[k], pipe));
        if (pipe) CHECK(pclose(pipe) == 0);
    }
    char *a = rows[0], *b = rows[1];
    for (size_t i = 0; i < 1 + 2 * s->n; i++) {
        const double want = strtod(a, &a);
        CHECK_NEAR(strtod(b, &b), want, 1e-8);
        a += strspn(a, ", \t"), b += strspn(b, ", \t");
    }
}

/* Entries of M and the energies, by what the equations say in text. */
static void derived(pair *s)
{
    mech_equations_options options;
    mech_equations_options_default(&options, sizeof options);
    char *text = NULL;
    CHECK(mech_report_equations(s->model[1], &options, &text) == MECH_OK);
    CHECK(text && strstr(text, "where, shared by what follows") && strstr(text, "\n  T = ") &&
          strstr(text, "\n  h = ") && !strstr(text, "dh/dt") && !strstr(text, "..."));
    mech_text_free(text);
    CHECK(mech_report_model(s->model[1], &text) == MECH_OK);
    CHECK(text && strstr(text, "inertia [q1, q1] = ") && strstr(text, "inertia force on q2' = ") &&
          strstr(text, "inertia kinetic ") && strstr(text, "inertia potential "));
    mech_text_free(text);
}

static void both_ways(size_t n, int planar)
{
    pair s = open_pair(n, planar);
    equations(&s);
    linearization(&s);
    native(&s);
    run(&s);
    exported(&s);
    derived(&s);
    close_pair(&s);
}

/* A rod driven round: T = m/2 ((q'^2 + q^2 w^2) by hand, w = 1 + t. h = m/2 (q'^2 - q^2 w^2), h' = -m q^2 w w'. */
static void driven(void)
{
    mech_diagnostics *list = mech_diagnostics_create();
    mech_model *m = NULL;
    CHECK(mech_model_create(list, &m) == MECH_OK);
    mech_pool *p = mech_model_pool(m);
    const mech_expr q = mech_model_coord(m, "q", NULL), v = mech_dot(p, q), mass = mech_number(p, 3),
                    w = mech_add(p, EXPR_ONE, mech_model_time(m));
    const mech_expr pull = mech_product(p, (mech_expr[]){mass, w, w, q}, 4);
    const mech_expr round = mech_add(p, mech_mul(p, v, v), mech_product(p, (mech_expr[]){q, q, w, w}, 4));
    CHECK(model_add_inertia(m, &q, 1, &mass, &pull, mech_mul(p, mech_number(p, 1.5), round), (mech_expr){0}) ==
          MECH_OK);
    CHECK(mech_model_finish(m) == MECH_OK);
    mech_system *system = NULL;
    mech_eval *e = NULL;
    CHECK(mech_system_from_model(m, list, &system) == MECH_OK &&
          mech_eval_create(system, MECH_STORAGE_DENSE, &e) == MECH_OK);
    const double at = 0.5, speed = 0.25;
    CHECK(mech_eval_position(e, 2, &at) == MECH_OK && mech_eval_velocity(e, &speed) == MECH_OK &&
          mech_eval_acceleration(e, &speed) == MECH_OK && mech_eval_output(e) == MECH_OK);
    const mech_equation *eq = mech_eval_equation(e);
    CHECK_NEAR(eq->Q[0], 3 * 9 * 0.5, 1e-15);
    CHECK_NEAR(eq->energy[0], 1.5 * (0.0625 + 0.25 * 9), 1e-15);
    CHECK_NEAR(eq->energy[3], 1.5 * (0.0625 - 0.25 * 9), 1e-15);
    CHECK_NEAR(eq->energy[4], -3 * 0.25 * 3, 1e-15);
    mech_eval_free(e);
    mech_system_free(system);
    mech_model_free(m);
    mech_diagnostics_free(list);
}

/* What an inertia is not made of. */
static void refused(void)
{
    mech_diagnostics *list = mech_diagnostics_create();
    mech_model *m = NULL;
    CHECK(mech_model_create(list, &m) == MECH_OK);
    mech_pool *p = mech_model_pool(m);
    const mech_expr q = mech_model_coord(m, "q", NULL), v = mech_dot(p, q), a = mech_dot(p, v), zero = EXPR_ZERO,
                    none = {0};
    const mech_expr twice[2] = {q, q}, zeros[3] = {zero, zero, zero};
    CHECK(model_add_inertia(m, &v, 1, &zero, &zero, zero, none) == MECH_ERR_ARGUMENT);
    CHECK(model_add_inertia(m, twice, 2, zeros, zeros, zero, none) == MECH_ERR_ARGUMENT);
    CHECK(model_add_inertia(m, &q, 1, &v, &zero, zero, none) == MECH_ERR_ARGUMENT);
    CHECK(model_add_inertia(m, &q, 1, &zero, &a, zero, none) == MECH_ERR_ARGUMENT);
    CHECK(model_add_inertia(m, &q, 1, &zero, &zero, a, none) == MECH_ERR_ARGUMENT);
    CHECK(model_add_inertia(m, &q, 1, &zero, &zero, zero, v) == MECH_ERR_ARGUMENT);
    CHECK(model_add_inertia(m, &q, 1, &zero, &none, zero, none) == MECH_ERR_MODEL);
    CHECK(m->inertias_count == 0);
    mech_model_free(m);
    mech_diagnostics_free(list);
}

int main(void)
{
    char command[300], inner[300];
    const char *base = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/mech-inertia.XXXXXX", base ? base : "/tmp");
    CHECK(mkdtemp(folder) != NULL);
    snprintf(inner, sizeof inner, "%s/fundamental", folder);
    CHECK(mkdir(inner, 0700) == 0);
    both_ways(2, 1);
    both_ways(3, 0);
    driven();
    refused();
    snprintf(command, sizeof command, "rm -r %s", folder);
    CHECK(system(command) == 0);
    return check_report();
}
