/* Ensembles: the bits of single runs whatever the threads, means against closed forms, failures as results. */
#include <mech/ensemble.h>

#include "support/motion.h"

#include <math.h>

/* x = v/w sin wt, w^2 = k/m */
static const char oscillator[] = "param k = 4, m = 1\n"
                                 "coord x\n"
                                 "kinetic m/2*x'^2\n"
                                 "potential k/2*x^2\n"
                                 "initial x = 0, x' = 3\n"
                                 "event top: x' falls through 0 -> record\n"
                                 "measure peak: max of x\n"
                                 "measure when: time of top\n"
                                 "measure energy: mean of k/2*x^2 + m/2*x'^2\n"
                                 "simulate until 4, method rk8\n";

enum { MOST = 4096 };
typedef struct kept {
    size_t count, columns, measures, failed, stop_at;
    double values[MOST][4], measured[MOST][4];
    char reason[200];
} kept;
static kept all, other;

static int keep(void *user, const mech_ensemble_result *r)
{
    kept *k = user;
    CHECK(r->run == k->count && r->run < MOST);
    memcpy(k->values[r->run], r->values, k->columns * sizeof(double));
    memcpy(k->measured[r->run], r->measures, k->measures * sizeof(double));
    if (r->status != MECH_OK && k->failed++ == 0) snprintf(k->reason, sizeof k->reason, "%s", r->reason);
    return ++k->count == k->stop_at;
}

static mech_status run_plan(const mech_plan *plan, const motion *m, size_t threads, size_t stop_at, kept *into)
{
    mech_ensemble_settings settings;
    mech_ensemble_settings_default(&settings, sizeof settings);
    memset(into, 0, sizeof *into);
    into->columns = mech_plan_columns(plan);
    into->measures = mech_system_sizes(m->system).measures;
    into->stop_at = stop_at;
    settings.threads = threads;
    settings.on_run = keep;
    settings.user = into;
    return mech_ensemble_run(plan, &settings, NULL);
}

static double mean(const kept *k, size_t measure, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += k->measured[i][measure];
    return sum / (double)count;
}

/* A grid: product of both, the last fastest, ends as given; the bits of new runs; any number of threads. */
static void same_bits(void)
{
    motion m;
    mech_plan *plan;
    if (!motion_read(&m, oscillator)) return;
    CHECK(mech_plan_create(m.system, &plan) == MECH_OK);
    CHECK(mech_plan_runs(plan) == 0);
    CHECK(mech_plan_vary(plan, "k", MECH_SPREAD_LOG, 1, 100, 5) == MECH_OK);
    CHECK(mech_plan_vary(plan, "x'", MECH_SPREAD_GRID, -1, 2, 31) == MECH_OK);
    CHECK(mech_plan_runs(plan) == 155);
    CHECK(run_plan(plan, &m, 1, 0, &all) == MECH_OK && all.count == 155 && all.failed == 0);
    CHECK(all.values[0][0] == 1 && all.values[154][0] == 100 && all.values[0][1] == -1 && all.values[30][1] == 2);
    CHECK_NEAR(all.values[62][0], 10, 1e-12);
    CHECK_NEAR(all.values[1][1], -0.9, 1e-15);
    for (size_t threads = 2; threads <= 8; threads += 3) {
        CHECK(run_plan(plan, &m, threads, 0, &other) == MECH_OK && other.count == 155);
        CHECK(memcmp(&all, &other, sizeof all) == 0);
    }
    for (size_t run = 0; run < 155; run += 7) {
        mech_sim *sim;
        mech_sim_settings settings;
        mech_sim_settings_default(&settings, sizeof settings);
        settings.output_points = 2;
        settings.rows_at_events = 0;
        CHECK(mech_sim_create(m.system, &settings, &sim) == MECH_OK);
        CHECK(mech_eval_set_param(mech_sim_eval(sim), "k", all.values[run][0]) == MECH_OK);
        CHECK(mech_eval_set_initial(mech_sim_eval(sim), 1, all.values[run][1]) == MECH_OK);
        CHECK(mech_sim_run(sim) == MECH_OK);
        for (size_t i = 0; i < all.measures; i++) {
            const double single = mech_sim_measure(sim, i);
            CHECK(memcmp(&single, &all.measured[run][i], sizeof single) == 0);
        }
        const double v = all.values[run][1], w = sqrt(all.values[run][0]);
        if (v > 0) CHECK_NEAR(mech_sim_measure(sim, 0), v / w * (w * 4 > acos(-1) / 2 ? 1 : sin(4 * w)), 1e-8);
        CHECK_NEAR(mech_sim_measure(sim, 2), v * v / 2, 1e-7);
        mech_sim_free(sim);
    }
    mech_plan_free(plan);
    motion_free(&m);
}

/* What a caller ends is a prefix; it goes on from there. */
static void ended_by_the_caller(void)
{
    motion m;
    mech_plan *plan;
    if (!motion_read(&m, oscillator)) return;
    CHECK(mech_plan_create(m.system, &plan) == MECH_OK);
    CHECK(mech_plan_vary(plan, "m", MECH_SPREAD_UNIFORM, 1, 2, 0) == MECH_OK);
    CHECK(mech_plan_runs(plan) == 0 && mech_plan_sample(plan, 200, MECH_SEQUENCE_RANDOM, 5) == MECH_OK);
    CHECK(run_plan(plan, &m, 3, 0, &all) == MECH_OK && all.count == 200);
    CHECK(run_plan(plan, &m, 3, 77, &other) == MECH_ERR_INTERRUPTED && other.count == 77);
    CHECK(memcmp(all.measured, other.measured, 77 * sizeof all.measured[0]) == 0);
    for (size_t i = 0; i < 200; i++) CHECK(all.values[i][0] > 1 && all.values[i][0] < 2);
    mech_plan_free(plan);
    motion_free(&m);
}

/* E[peak] = E[v] E[1/w] with v normal; E[1/w] over a normal k by Gauss-Hermite's seven points. */
static void mean_over_normal(void)
{
    static const double node[] = {0, 1.1544053947399682, 2.3667594107345415, 3.7504397177257425},
                        weight[] = {0.4571428571428571, 0.24012317860501287, 0.030757123967586497,
                                    0.0005482688559722182};
    motion m;
    mech_plan *plan;
    enum { N = 3000 };
    double expected = weight[0] / 2, square = 0;
    if (!motion_read(&m, oscillator)) return;
    for (size_t i = 1; i < 4; i++) expected += weight[i] * (1 / sqrt(4 + 0.4 * node[i]) + 1 / sqrt(4 - 0.4 * node[i]));
    CHECK(mech_plan_create(m.system, &plan) == MECH_OK);
    CHECK(mech_plan_vary(plan, "k", MECH_SPREAD_NORMAL, 4, 0.4, 0) == MECH_OK);
    CHECK(mech_plan_vary(plan, "x'", MECH_SPREAD_NORMAL, 3, 0.2, 0) == MECH_OK);
    CHECK(mech_plan_sample(plan, N, MECH_SEQUENCE_RANDOM, 1) == MECH_OK);
    CHECK(run_plan(plan, &m, 2, 0, &all) == MECH_OK && all.count == N && all.failed == 0);
    const double found = mean(&all, 0, N);
    for (size_t i = 0; i < N; i++) square += pow(all.measured[i][0] - found, 2);
    const double error = sqrt(square / N / (N - 1));
    CHECK(error < 0.003);
    CHECK_NEAR(found, 3 * expected, 4 * error);
    mech_plan_free(plan);
    motion_free(&m);
}

/* A smooth measure of three uniform parameters: the error of its mean falls like 1/N, or faster. */
static void slope_of_sobol(void)
{
    motion m;
    mech_plan *plan;
    if (!motion_read(&m, oscillator)) return;
    CHECK(mech_plan_create(m.system, &plan) == MECH_OK);
    CHECK(mech_plan_vary(plan, "k", MECH_SPREAD_UNIFORM, 1, 4, 0) == MECH_OK);
    CHECK(mech_plan_vary(plan, "m", MECH_SPREAD_UNIFORM, 1, 2, 0) == MECH_OK);
    CHECK(mech_plan_vary(plan, "x'", MECH_SPREAD_UNIFORM, 1, 2, 0) == MECH_OK);
    /* v sqrt(m/k): the means of v, of sqrt(m) and of 1/sqrt(k) */
    const double exact = 1.5 * (2.0 / 3 * (pow(2, 1.5) - 1)) * (2.0 / 3);
    double xx = 0, xy = 0, x_mean = 0, y_mean = 0;
    enum { FIRST = 4, LAST = 12, SHIFTS = 4 };
    static double error[LAST + 1];
    for (uint64_t seed = 0; seed < SHIFTS; seed++) { /* one shift alone may be lucky at some N */
        CHECK(mech_plan_sample(plan, 1u << LAST, MECH_SEQUENCE_SOBOL, seed) == MECH_OK);
        /* the measure is known in closed form: its runs are looked at once, below */
        double sum = 0;
        for (size_t i = 0; i < 1u << LAST; i++) {
            double p[3];
            mech_plan_point(plan, i, p);
            sum += p[2] * sqrt(p[1] / p[0]);
            for (int e = FIRST; e <= LAST; e++)
                if (i + 1 == 1u << e) error[e] += pow(sum / (double)(i + 1) - exact, 2) / SHIFTS;
        }
    }
    for (int e = FIRST; e <= LAST; e++) {
        x_mean += e / (double)(LAST - FIRST + 1);
        y_mean += log2(error[e]) / 2 / (LAST - FIRST + 1);
    }
    for (int e = FIRST; e <= LAST; e++) {
        xx += (e - x_mean) * (e - x_mean);
        xy += (e - x_mean) * (log2(error[e]) / 2 - y_mean);
    }
    CHECK(xy / xx <= -0.9);
    CHECK(mech_plan_sample(plan, 512, MECH_SEQUENCE_SOBOL, 0) == MECH_OK);
    CHECK(run_plan(plan, &m, 2, 0, &all) == MECH_OK && all.count == 512);
    for (size_t i = 0; i < 512; i++)
        CHECK_NEAR(all.measured[i][0], all.values[i][2] * sqrt(all.values[i][1] / all.values[i][0]), 1e-8);
    CHECK_NEAR(mean(&all, 0, 512), exact, 2e-3);
    mech_plan_free(plan);
    motion_free(&m);
}

/* Starts of a constrained system, by a table: what is not given follows; what cannot be met is a result. */
static void table_of_starts(void)
{
    static const char *const names[] = {"x", "l"};
    static const double data[] = {0.6, 1, 0.8, 1, 2, 1, 0.6, 2};
    motion m;
    mech_plan *plan;
    if (!motion_read(&m, "param l = 1\ncoord x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
                         "constraint rod: x^2 + y^2 = l^2\ninitial x = 0\nguess y = -1\n"
                         "measure low: min of y\nmeasure high: max of y\nmeasure x0: max of x\nsimulate until 2\n"))
        return;
    CHECK(mech_plan_create(m.system, &plan) == MECH_OK);
    CHECK(mech_plan_table(plan, names, 2, data, 4) == MECH_OK && mech_plan_runs(plan) == 4);
    CHECK(run_plan(plan, &m, 2, 0, &all) == MECH_OK && all.count == 4);
    CHECK(all.failed == 1 && strstr(all.reason, "rod") != NULL && isnan(all.measured[2][0]));
    for (size_t i = 0; i < 4; i++) {
        const double x = data[2 * i], l = data[2 * i + 1];
        if (i == 2) continue;
        CHECK_NEAR(all.measured[i][0], -l, 1e-8);
        CHECK_NEAR(all.measured[i][1], -sqrt(l * l - x * x), 1e-8);
        CHECK_NEAR(all.measured[i][2], x, 1e-8);
    }
    mech_plan_free(plan);
    motion_free(&m);
}

static void refusals(void)
{
    motion m;
    mech_plan *plan;
    if (!motion_read(&m, "param N = 2, k = 1\ncoord x[1..N]\nkinetic dot(x', x')/2\nmeasure a: max of x[1]\n")) return;
    CHECK(mech_plan_create(m.system, &plan) == MECH_OK);
    CHECK(mech_plan_vary(plan, "N", MECH_SPREAD_GRID, 1, 3, 3) == MECH_ERR_MODEL);
    CHECK(strstr(mech_plan_error_text(plan), "'N' shapes the model") != NULL);
    CHECK(mech_plan_vary(plan, "x[1]", MECH_SPREAD_GRID, 1, 3, 3) == MECH_ERR_ARGUMENT);
    CHECK(strstr(mech_plan_error_text(plan), "`initial x[1] = 0`") != NULL);
    CHECK(mech_plan_vary(plan, "q", MECH_SPREAD_GRID, 1, 3, 3) == MECH_ERR_ARGUMENT);
    CHECK(mech_plan_vary(plan, "k", MECH_SPREAD_LOG, 0, 3, 3) == MECH_ERR_ARGUMENT);
    CHECK(mech_plan_vary(plan, "k", MECH_SPREAD_NORMAL, 0, -1, 0) == MECH_ERR_ARGUMENT);
    CHECK(mech_plan_vary(plan, "k", MECH_SPREAD_UNIFORM, 1, 0, 0) == MECH_ERR_ARGUMENT);
    CHECK(mech_plan_vary(plan, "k", MECH_SPREAD_GRID, 0, (double)INFINITY, 2) == MECH_ERR_ARGUMENT);
    CHECK(mech_plan_vary(plan, "k", MECH_SPREAD_GRID, 0, 1, 1) == MECH_ERR_ARGUMENT);
    CHECK(mech_plan_vary(plan, "k", MECH_SPREAD_GRID, 0, 1, SIZE_MAX / 2) == MECH_ERR_LIMIT);
    static const char *const names[] = {"k", "q"};
    CHECK(mech_plan_table(plan, names, 2, (const double[]){1, 2, 3, 4}, 2) == MECH_ERR_ARGUMENT);
    CHECK(mech_plan_table(plan, names, 1, (const double[]){1, (double)NAN}, 2) == MECH_ERR_ARGUMENT);
    CHECK(mech_plan_columns(plan) == 0 && mech_plan_runs(plan) == 0);
    CHECK(mech_plan_vary(plan, "k", MECH_SPREAD_GRID, 0, 1, 3) == MECH_OK && mech_plan_runs(plan) == 3);
    CHECK(mech_plan_vary(plan, "k", MECH_SPREAD_GRID, 0, 1, 3) == MECH_ERR_ARGUMENT);
    CHECK(strstr(mech_plan_error_text(plan), "twice") != NULL);
    mech_plan_free(plan);
    motion_free(&m);
}

int main(void)
{
    same_bits();
    ended_by_the_caller();
    mean_over_normal();
    slope_of_sobol();
    table_of_starts();
    refusals();
    return check_report();
}
