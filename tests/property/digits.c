/* A plan that raises no flag has lost few digits: random systems close to dependent rows or to a mass without an
   inverse, each in its own way, against elimination with pivoting in long double; the ladder close to a singular
   position against the robust solve, by every way to an acceleration. */
#include "check.h"
#include "support/random_numbers.h"

#include <mech/fundamental.h>
#include <mech/lanes.h>
#include <mech/lang.h>
#include <mech/system.h>

#include "fundamental/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 44, ALL = 2 * N };

typedef struct example {
    size_t n, m;
    double M[N * N], A[N * N], Q[N], b[N]; /* by column */
    uint32_t row[2 * N * N], column[2 * N * N];
    double value[2 * N * N]; /* of the pattern: M below the diagonal, then A */
    size_t M_count, A_count;
} example;

static double random_normal(void)
{
    double sum = 0;
    for (int i = 0; i < 12; i++) sum += random_signed() / 2;
    return sum;
}

static double random_power(double most) { return pow(10, most * (random_signed() + 1) / 2); }

/* ---- rows that come close to depending on one another ---- */

#define ENTRY(i, j) x->A[(i) + x->m * (j)]

/* One row is nearly a combination of others. */
static void fill_combined(example *x, double part, size_t across)
{
    for (size_t i = 0; i < x->m; i++)
        for (size_t k = 0; k < across; k++) ENTRY(i, random_below((uint32_t)x->n)) = random_normal();
    const size_t row = random_below((uint32_t)x->m);
    double sum[N] = {0};
    for (size_t k = 0; k < across; k++) {
        const size_t other = random_below((uint32_t)x->m);
        const double factor = random_normal();
        for (size_t j = 0; j < x->n && other != row; j++) sum[j] += factor * ENTRY(other, j);
    }
    for (size_t j = 0; j < x->n && x->m > 1; j++) ENTRY(row, j) = sum[j] + part * ENTRY(row, j);
    if (x->m == 1) ENTRY(0, 0) += 1;
}

/* Rows of falling size, mixed: each pivot loses a little. */
static void fill_graded(example *x, double part)
{
    for (size_t i = 0; i < x->m; i++)
        for (size_t j = 0; j < x->n; j++) ENTRY(i, j) = random_normal() * pow(part, (double)i / (double)x->m);
    for (size_t k = 0; k < 4 * x->m; k++) {
        const size_t to = random_below((uint32_t)x->m), from = random_below((uint32_t)x->m);
        const double factor = random_normal();
        for (size_t j = 0; j < x->n && to != from; j++) ENTRY(to, j) += factor * ENTRY(from, j);
    }
}

/* Each row hands on what it gets, enlarged. */
static void fill_train(example *x, double ratio, double rest)
{
    for (size_t i = 0; i < x->m; i++) {
        ENTRY(i, i) = 1 + random_signed() / 10;
        if (i) ENTRY(i, i - 1) = ratio * (1 + random_signed() / 10);
        ENTRY(i, x->m + i % (x->n - x->m)) = rest * random_normal();
    }
}

/* M that hardly has mass along one direction, which the first row holds alone, with others, or not at all. */
static void fill_weak_mass(example *x, double part)
{
    const size_t n = x->n;
    double u[N], square = 0;
    const uint32_t held = random_below(3);
    for (size_t i = 0; i < x->m; i++)
        for (size_t j = 0; j < n; j++) ENTRY(i, j) = random_normal();
    for (size_t j = 0; j < n; j++) {
        u[j] = held == 2 ? random_normal() : ENTRY(0, j) + (held && x->m > 1 ? ENTRY(1, j) : 0);
        square += u[j] * u[j];
    }
    for (size_t k = 0; k < 2 * n; k++) { /* masses of motions across it */
        double g[N], along = 0;
        for (size_t j = 0; j < n; j++) g[j] = random_normal();
        for (size_t j = 0; j < n; j++) along += g[j] * u[j] / square;
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) x->M[i + n * j] += (g[i] - along * u[i]) * (g[j] - along * u[j]);
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) x->M[i + n * j] += part * part * u[i] * u[j];
}

static void list_pattern(example *x)
{
    size_t count = 0;
    for (size_t j = 0; j < x->n; j++)
        for (size_t i = j; i < x->n; i++)
            if (x->M[i + x->n * j] != 0) {
                x->row[count] = (uint32_t)i;
                x->column[count] = (uint32_t)j;
                x->value[count++] = x->M[i + x->n * j];
            }
    x->M_count = count;
    for (size_t i = 0; i < x->m; i++)
        for (size_t j = 0; j < x->n; j++)
            if (ENTRY(i, j) != 0) {
                x->row[count] = (uint32_t)i;
                x->column[count] = (uint32_t)j;
                x->value[count++] = ENTRY(i, j);
            }
    x->A_count = count - x->M_count;
}

static void make_random(example *x, int kind)
{
    const double part = random_power(-7);
    memset(x, 0, sizeof *x);
    x->m = 1 + random_below(kind == 3 ? 38 : 20);
    x->n = x->m + 1 + random_below(4);
    if (kind < 2) fill_combined(x, part, kind ? 3 : x->n);
    if (kind == 2) fill_graded(x, part);
    if (kind == 3) fill_train(x, 0.3 + 2 * random_real(), random_power(-3));
    if (kind == 4) fill_weak_mass(x, part);
    for (size_t i = 0; i < x->n; i++) {
        if (kind < 4) x->M[i + x->n * i] = random_power(2);
        x->Q[i] = random_normal();
    }
    for (size_t i = 0; i < x->m; i++) x->b[i] = random_below(3) ? random_normal() : 0;
    list_pattern(x);
}

/* ---- the reference ---- */

/* [M -A'; A 0] by Gauss with row pivots; 0 when it is singular. */
static int solve_exactly(const example *x, double *qdd, double *lambda)
{
    static long double K[ALL][ALL + 1];
    const size_t n = x->n, m = x->m, all = n + m;
    memset(K, 0, sizeof K);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) K[i][j] = x->M[i + n * j];
        for (size_t r = 0; r < m; r++) K[n + r][i] = -(K[i][n + r] = -(long double)ENTRY(r, i));
        K[i][all] = x->Q[i];
    }
    for (size_t r = 0; r < m; r++) K[n + r][all] = x->b[r];
    for (size_t k = 0; k < all; k++) {
        size_t best = k;
        for (size_t i = k + 1; i < all; i++)
            if (fabsl(K[i][k]) > fabsl(K[best][k])) best = i;
        if (K[best][k] == 0) return 0;
        for (size_t j = k; j <= all; j++) {
            const long double kept = K[k][j];
            K[k][j] = K[best][j];
            K[best][j] = kept;
        }
        for (size_t i = k + 1; i < all; i++) {
            const long double factor = K[i][k] / K[k][k];
            for (size_t j = k; j <= all && factor != 0; j++) K[i][j] -= factor * K[k][j];
        }
    }
    for (size_t k = all; k-- > 0;) {
        for (size_t j = k + 1; j < all; j++) K[k][all] -= K[k][j] * K[j][all];
        K[k][all] /= K[k][k];
    }
    for (size_t i = 0; i < n; i++) qdd[i] = (double)K[i][all];
    for (size_t r = 0; r < m; r++) lambda[r] = (double)K[n + r][all];
    return 1;
}

/* Beside what q'' is the sum of: M^-1 Q and M^-1 A' lambda. */
static double error_of(const example *x, const double *qdd, const double *want, const double *lambda)
{
    double most = 0, size = 0;
    for (size_t j = 0; j < x->n; j++) {
        double force = 0;
        for (size_t i = 0; i < x->m; i++) force += ENTRY(i, j) * lambda[i];
        size = fmax(size, fmax(fabs(want[j]), fabs(force / x->M[j + x->n * j])));
        if (!(fabs(qdd[j] - want[j]) <= most)) most = fabs(qdd[j] - want[j]);
    }
    return most / size;
}

/* What the robust solve loses: the condition of A, which no plan can win back. */
static double robust_error(const example *x, const double *want, const double *lambda)
{
    double qdd[N];
    mech_fundamental *solver = NULL;
    const mech_fundamental_input in = {.size = sizeof in, .M = x->M, .Q = x->Q, .A = x->A, .b = x->b};
    mech_fundamental_output out = {.size = sizeof out, .qdd = qdd};
    CHECK(mech_fundamental_create((int)x->n, (int)x->m, NULL, &solver) == MECH_OK);
    CHECK(mech_fundamental_solve(solver, &in, &out) == MECH_OK);
    mech_fundamental_free(solver);
    return error_of(x, qdd, want, lambda);
}

/* ---- the plans ---- */

static unsigned run(const example *x, const plan *p, double *qdd)
{
    double *slots = calloc(p->slot_count + 1, sizeof *slots);
    memcpy(slots, x->value, (x->M_count + x->A_count) * sizeof *slots);
    memcpy(slots + p->Q_first, x->Q, x->n * sizeof *slots);
    memcpy(slots + p->b_first, x->b, x->m * sizeof *slots);
    const unsigned flags = plan_run(p, slots);
    for (size_t i = 0; i < x->n; i++) qdd[i] = slots[p->qdd[i]];
    free(slots);
    return flags;
}

/* Made with the rows as they are, with other values, or with entries of one size, where trains do not grow.
 */
static plan *make_null(const example *x, const plan_spec *spec)
{
    enum { POINTS = 4 };
    double *A = calloc(POINTS * x->A_count + 1, sizeof *A);
    const double spread = random_below(2) ? 1 : 0.1, size = random_below(2) ? 0.5 : HUGE_VAL;
    plan *p = NULL;
    for (size_t i = 0; i < POINTS * x->A_count; i++) {
        const double given = x->value[x->M_count + i % x->A_count];
        const double value = copysign(fmin(fabs(given), size), given);
        A[i] = value + (i < x->A_count && spread < 1 ? 0 : spread * random_normal() * fmin(size, 1));
    }
    const plan_samples samples = {POINTS, 1, A};
    const mech_status status = plan_create_null(spec, &samples, &p);
    CHECK(status == MECH_OK || status == MECH_ERR_UNSUPPORTED);
    free(A);
    return p;
}

typedef struct tally {
    size_t clear, flagged;
    double worst, missed; /* of states without and with a flag */
} tally;

static void look(const example *x, const plan *p, const double *want, const double *lambda, double most, tally *to)
{
    double qdd[N];
    const unsigned flags = run(x, p, qdd);
    const double error = error_of(x, qdd, want, lambda);
    to->clear += flags == 0;
    to->flagged += flags != 0;
    if (flags) {
        to->missed = fmax(to->missed, error);
        return;
    }
    to->worst = fmax(to->worst, error);
    CHECK(error < most);
}

static void random_systems(void)
{
    static example x;
    tally schur = {0}, null = {0};
    for (int k = 0; k < 5000; k++) {
        double want[N], lambda[N];
        plan *p = NULL;
        make_random(&x, k % 5);
        const plan_spec spec = {.n = x.n,
                                .m = x.m,
                                .M = {x.M_count, x.row, x.column},
                                .A = {x.A_count, x.row + x.M_count, x.column + x.M_count},
                                .most_ops = 1000000};
        if (!solve_exactly(&x, want, lambda)) continue;
        CHECK(plan_create(&spec, &p) == MECH_OK);
        const double most = fmax(1e-10, 10 * robust_error(&x, want, lambda));
        if (p) look(&x, p, want, lambda, most, &schur);
        plan_free(p);
        p = make_null(&x, &spec);
        if (p) look(&x, p, want, lambda, most, &null);
        plan_free(p);
    }
    printf("Schur plan: %zu clear, error at most %.1e; %zu flagged, up to %.1e\n", schur.clear, schur.worst,
           schur.flagged, schur.missed);
    printf("null-space plan: %zu clear, error at most %.1e; %zu flagged, up to %.1e\n", null.clear, null.worst,
           null.flagged, null.missed);
    CHECK(schur.clear > 1000 && schur.flagged > 500 && schur.missed > 1e-6);
    CHECK(null.clear > 500 && null.flagged > 20);
}

/* ---- a model near a singular position, by every way to an acceleration ---- */

enum { LOOPS = 4, RODS = 2 * LOOPS + 1, COORDS = 3 * RODS, ROWS = 6 * LOOPS + 2 };

/* The ladder nearly in line; velocities that no constraint allows excite what is weak. */
static void pose(double theta, double *q, double *v)
{
    for (size_t i = 0; i < RODS; i++) {
        const int stands = i <= LOOPS;
        q[i] = stands ? (double)i + cos(theta) / 2 : (double)(i - LOOPS) - 0.5 + cos(theta);
        q[RODS + i] = (stands ? 0.5 : 1) * sin(theta);
        q[2 * RODS + i] = stands ? theta : 0;
    }
    for (size_t i = 0; i < COORDS; i++) v[i] = random_signed();
}

static void ask_robust(mech_eval *e, const double *q, const double *v, double *qdd)
{
    const mech_equation *eq = mech_eval_equation(e);
    mech_fundamental *solver = NULL;
    CHECK(mech_eval_position(e, 0, q) == MECH_OK && mech_eval_velocity(e, v) == MECH_OK);
    const mech_fundamental_input in = {.size = sizeof in, .M = eq->M_dense, .Q = eq->Q, .A = eq->A_dense, .b = eq->b};
    mech_fundamental_output out = {.size = sizeof out, .qdd = qdd};
    CHECK(mech_fundamental_create(COORDS, ROWS, NULL, &solver) == MECH_OK);
    CHECK(mech_fundamental_solve(solver, &in, &out) == MECH_OK);
    mech_fundamental_free(solver);
}

static double difference(const double *x, const double *y)
{
    double most = 0, size = 0;
    for (size_t i = 0; i < COORDS; i++) {
        if (!(fabs(x[i] - y[i]) <= most)) most = fabs(x[i] - y[i]);
        size = fmax(size, fabs(y[i]));
    }
    return most / size;
}

static void one_way(mech_system *system, mech_native native, size_t straight)
{
    double q[COORDS], v[COORDS], qdd[COORDS], want[COORDS], worst = 0;
    mech_motion_settings settings;
    mech_motion_settings_default(&settings, sizeof settings);
    settings.native = native;
    settings.straight = straight;
    mech_eval *e = NULL, *plain = NULL;
    mech_lanes *lanes = NULL;
    mech_motion_code *code = NULL;
    const mech_lanes_states states = {.size = sizeof states, .q = q, .v = v};
    CHECK(mech_motion_code_create(system, &settings, &code) == MECH_OK);
    CHECK(mech_eval_create(system, MECH_STORAGE_SPARSE, &e) == MECH_OK && mech_eval_use_motion(e, code) == MECH_OK);
    CHECK(mech_eval_create(system, MECH_STORAGE_DENSE, &plain) == MECH_OK);
    CHECK(mech_lanes_create(code, 1, &lanes) == MECH_OK);
    for (int k = 0; k < 60; k++) {
        mech_motion motion = {.size = sizeof motion, .qdd = qdd};
        pose(random_power(-3.5), q, v);
        ask_robust(plain, q, v, want);
        CHECK(mech_eval_motion(e, 0, q, v, &motion) == MECH_OK);
        worst = fmax(worst, difference(qdd, want));
        CHECK(difference(qdd, want) < 1e-10);
        CHECK(mech_lanes_motion(lanes, &states, qdd, NULL, NULL, NULL) == MECH_OK);
        CHECK(difference(qdd, want) < 1e-10);
    }
    const mech_counts counts = mech_eval_counts(e);
    printf("ladder: error at most %.1e, %zu of %zu refined, %zu robust\n", worst, counts.fallbacks, counts.motions,
           counts.robust);
    CHECK(counts.fallbacks > 0 && counts.fallbacks < counts.motions);
    mech_eval_free(e);
    mech_eval_free(plain);
    mech_lanes_free(lanes);
    mech_motion_code_free(code);
}

static void ladder(void)
{
    const mech_override given = {"N", LOOPS};
    mech_read_options reading;
    mech_read_options_default(&reading, sizeof reading);
    reading.overrides = &given;
    reading.override_count = 1;
    mech_diagnostics *diagnostics = mech_diagnostics_create();
    mech_model *model = NULL;
    mech_system *system = NULL;
    CHECK(mech_read_file("examples/four-bar-ladder/model.mech", &reading, diagnostics, &model) == MECH_OK);
    if (model) CHECK(mech_system_from_model(model, diagnostics, &system) == MECH_OK);
    if (system) {
        one_way(system, MECH_NATIVE_OFF, 0);
        one_way(system, MECH_NATIVE_ON, 1000000);
        one_way(system, MECH_NATIVE_ON, 1);
    }
    mech_system_free(system);
    mech_model_free(model);
    mech_diagnostics_free(diagnostics);
}

int main(void)
{
    random_systems();
    ladder();
    return check_report();
}
