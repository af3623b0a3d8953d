/* Andrews' mechanism, Mechanician against C written by hand, all in this run:
   one acceleration, against the structured right-hand side; and to t = 0.03 with an error of at most 1e-8 in
   q, model loaded, against Dormand and Prince's 5(4) pair written into one function with that right-hand
   side.

       bench_andrews [processes [rounds]]     minima and medians over the processes

   Tolerances: for both the largest of a fixed list that holds the error together with the next two. */
#include <mech/lang.h>
#include <mech/simulate.h>
#include <mech/motion.h>

#include "andrews_by_hand.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { DIM = 14, TOLERANCES = 40, MOST_PROCESSES = 50 };
static const double UNTIL = 0.03, ALLOWED = 1e-8;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double tolerance(int i) { return 1e-6 * pow(10, -0.1 * i); }

static double error_of(const double *q)
{
    double most = 0;
    for (int i = 0; i < 7; i++) most = fmax(most, fabs(q[i] - andrews_end[i]));
    return most;
}

/* ---- the limit ---- */

static inline void slope(const double *restrict y, double *restrict f)
{
    memcpy(f, y + 7, 7 * sizeof *f);
    by_hand(y, y + 7, f + 7);
}

/* Dormand and Prince 5(4), Hairer's step control; returns the evaluations. */
static int run_by_hand(double tol, double *y)
{
    double k1[DIM], k2[DIM], k3[DIM], k4[DIM], k5[DIM], k6[DIM], k7[DIM], x[DIM];
    double t = 0, h = 1e-5, old = 1e-4;
    int count = 1, was_rejected = 0;
    memcpy(y, andrews_start, sizeof andrews_start);
    memset(y + 7, 0, 7 * sizeof *y);
    slope(y, k1);
    while (t < UNTIL) {
        const int is_last = t + 1.01 * h >= UNTIL;
        if (is_last) h = UNTIL - t;
        for (int i = 0; i < DIM; i++) x[i] = y[i] + h * (1.0 / 5) * k1[i];
        slope(x, k2);
        for (int i = 0; i < DIM; i++) x[i] = y[i] + h * (3.0 / 40 * k1[i] + 9.0 / 40 * k2[i]);
        slope(x, k3);
        for (int i = 0; i < DIM; i++) x[i] = y[i] + h * (44.0 / 45 * k1[i] - 56.0 / 15 * k2[i] + 32.0 / 9 * k3[i]);
        slope(x, k4);
        for (int i = 0; i < DIM; i++)
            x[i] = y[i] +
                   h * (19372.0 / 6561 * k1[i] - 25360.0 / 2187 * k2[i] + 64448.0 / 6561 * k3[i] - 212.0 / 729 * k4[i]);
        slope(x, k5);
        for (int i = 0; i < DIM; i++)
            x[i] = y[i] + h * (9017.0 / 3168 * k1[i] - 355.0 / 33 * k2[i] + 46732.0 / 5247 * k3[i] +
                               49.0 / 176 * k4[i] - 5103.0 / 18656 * k5[i]);
        slope(x, k6);
        for (int i = 0; i < DIM; i++)
            x[i] = y[i] + h * (35.0 / 384 * k1[i] + 500.0 / 1113 * k3[i] + 125.0 / 192 * k4[i] - 2187.0 / 6784 * k5[i] +
                               11.0 / 84 * k6[i]);
        slope(x, k7);
        count += 6;
        double sum = 0;
        for (int i = 0; i < DIM; i++) {
            const double e = h * (71.0 / 57600 * k1[i] - 71.0 / 16695 * k3[i] + 71.0 / 1920 * k4[i] -
                                  17253.0 / 339200 * k5[i] + 22.0 / 525 * k6[i] - 1.0 / 40 * k7[i]);
            const double scaled = e / (tol * (1 + fmax(fabs(y[i]), fabs(x[i]))));
            sum += scaled * scaled;
        }
        const double error = sqrt(sum / DIM);
        if (error <= 1) {
            double factor = pow(error, 0.17) / pow(old, 0.04) / 0.9;
            factor = fmin(fmax(factor, 0.1), 5);
            if (was_rejected && factor < 1) factor = 1;
            t = is_last ? UNTIL : t + h;
            h /= factor;
            old = fmax(error, 1e-4);
            was_rejected = 0;
            memcpy(y, x, sizeof x);
            memcpy(k1, k7, sizeof k1);
        } else {
            h /= fmin(5, pow(error, 0.2) / 0.9);
            was_rejected = 1;
        }
    }
    return count;
}

/* ---- Mechanician ---- */

typedef struct subject {
    mech_diagnostics *diagnostics;
    mech_model *model;
    mech_system *system;
    mech_motion_code *code;
    mech_eval *eval;
    mech_sim_info info;
    mech_counts counts;
} subject;

/* For single accelerations, or for runs: their code gives the power and what ends a step too. */
static int open_subject(subject *s, int is_for_runs)
{
    mech_motion_settings settings;
    mech_motion_settings_default(&settings, sizeof settings);
    settings.native = MECH_NATIVE_ON;
    settings.with_power = settings.with_check = is_for_runs;
    settings.q = andrews_start;
    s->diagnostics = mech_diagnostics_create();
    return mech_read_file("examples/andrews/model.mech", NULL, s->diagnostics, &s->model) == MECH_OK &&
           mech_system_from_model(s->model, s->diagnostics, &s->system) == MECH_OK &&
           mech_motion_code_create(s->system, &settings, &s->code) == MECH_OK &&
           mech_eval_create(s->system, MECH_STORAGE_SPARSE, &s->eval) == MECH_OK &&
           mech_eval_use_motion(s->eval, s->code) == MECH_OK;
}

static void close_subject(subject *s)
{
    mech_eval_free(s->eval);
    mech_motion_code_free(s->code);
    mech_system_free(s->system);
    mech_model_free(s->model);
    mech_diagnostics_free(s->diagnostics);
}

/* A whole run: made, started (the start is assembled), integrated, projected and audited, freed. */
static int run_subject(subject *s, double tol, double *q)
{
    mech_sim_settings settings;
    mech_sim_settings_default(&settings, sizeof settings);
    settings.until = UNTIL;
    settings.rtol = settings.atol = tol;
    settings.output_points = 2;
    mech_sim *sim = NULL;
    mech_status status = mech_sim_create(s->system, &settings, &sim);
    if (status == MECH_OK) status = mech_sim_use_motion(sim, s->code);
    if (status == MECH_OK) status = mech_sim_run(sim);
    if (status == MECH_OK) {
        memcpy(q, mech_sim_q(sim), 7 * sizeof *q);
        s->info = mech_sim_info_get(sim);
        s->counts = mech_eval_counts(mech_sim_eval(sim));
    }
    mech_sim_free(sim);
    return status == MECH_OK;
}

/* ---- one acceleration ---- */

/* Seconds; a throughput: calls need not wait for one another. */
static double time_hand(int calls)
{
    double q[7], v[7], qdd[7], sum = 0;
    memcpy(q, andrews_start, sizeof q);
    for (int i = 0; i < 7; i++) v[i] = 100 * i;
    const double start = now();
    for (int i = 0; i < calls; i++) {
        q[0] += 1e-9;
        by_hand(q, v, qdd);
        sum += qdd[0];
    }
    const double spent = (now() - start) / calls;
    return isfinite(sum) ? spent : (double)INFINITY;
}

static double time_own(const subject *s, double *lambda, int calls)
{
    double q[7], v[7], qdd[7], sum = 0;
    mech_motion motion = {.size = sizeof motion, .qdd = qdd, .lambda = lambda};
    memcpy(q, andrews_start, sizeof q);
    for (int i = 0; i < 7; i++) v[i] = 100 * i;
    const double start = now();
    for (int i = 0; i < calls; i++) {
        q[0] += 1e-9;
        if (mech_eval_motion(s->eval, 0, q, v, &motion) != MECH_OK) exit(1);
        sum += qdd[0];
    }
    const double spent = (now() - start) / calls;
    return isfinite(sum) ? spent : (double)INFINITY;
}

/* ---- tolerances ---- */

static double choose_by_hand(void)
{
    int held = 0;
    for (int i = 0; i < TOLERANCES; i++) {
        double y[DIM];
        run_by_hand(tolerance(i), y);
        held = error_of(y) <= ALLOWED ? held + 1 : 0;
        if (held == 3) return tolerance(i - 2);
    }
    return tolerance(TOLERANCES - 1);
}

static double choose_subject(subject *s)
{
    int held = 0;
    for (int i = 0; i < TOLERANCES; i++) {
        double q[7];
        held = run_subject(s, tolerance(i), q) && error_of(q) <= ALLOWED ? held + 1 : 0;
        if (held == 3) return tolerance(i - 2);
    }
    return tolerance(TOLERANCES - 1);
}

/* ---- one process ---- */

enum { HAND, OWN, OWN_LAMBDA, HAND_RUN, OWN_RUN, TIMES };

typedef struct result {
    double time[TIMES], hand_error, own_error, hand_tol, own_tol;
    int hand_count;
    size_t own_count, steps, fallbacks, robust;
} result;

static void note(double *least, double value) { *least = fmin(*least, value); }

static result measure(int rounds)
{
    subject one = {0}, run = {0};
    result r = {0};
    double y[DIM], q[7], lambda[6];
    if (!open_subject(&one, 0) || !open_subject(&run, 1)) {
        fprintf(stderr, "the model cannot be made\n");
        exit(1);
    }
    for (int i = 0; i < TIMES; i++) r.time[i] = INFINITY;
    r.hand_tol = choose_by_hand();
    r.own_tol = choose_subject(&run);
    for (int i = 0; i < rounds; i++) {
        note(&r.time[HAND], time_hand(5000));
        note(&r.time[OWN], time_own(&one, NULL, 5000));
        note(&r.time[OWN_LAMBDA], time_own(&one, lambda, 5000));
        double start = now();
        r.hand_count = run_by_hand(r.hand_tol, y);
        note(&r.time[HAND_RUN], now() - start);
        start = now();
        if (!run_subject(&run, r.own_tol, q)) exit(1);
        note(&r.time[OWN_RUN], now() - start);
    }
    r.hand_error = error_of(y);
    r.own_error = error_of(q);
    r.own_count = run.info.evaluations;
    r.steps = run.info.steps;
    r.fallbacks = run.counts.fallbacks;
    r.robust = run.counts.robust;
    close_subject(&one);
    close_subject(&run);
    return r;
}

static int by_size(const void *x, const void *y)
{
    const double a = *(const double *)x, b = *(const double *)y;
    return a < b ? -1 : a > b;
}

/* Minimum and median over the processes, and their ratios to the limit's. */
static void report(const char *what, double unit, const char *name, const double *times, const double *limit, int count)
{
    printf("  %-44s %8.1f (%.1f) %s", what, unit * times[0], unit * times[count / 2], name);
    if (limit) printf(" = %.2f (%.2f)", times[0] / limit[0], times[count / 2] / limit[count / 2]);
    printf("\n");
}

int main(int argc, char **argv)
{
    const int processes = argc > 1 ? atoi(argv[1]) : 5, rounds = argc > 2 ? atoi(argv[2]) : 100;
    double times[TIMES][MOST_PROCESSES];
    result r = {0};
    if (processes < 1 || processes > MOST_PROCESSES) return 1;
    for (int i = 0; i < processes; i++) {
        int channel[2];
        if (pipe(channel) != 0) return 1;
        const pid_t child = fork();
        if (child == 0) {
            r = measure(rounds);
            _exit(write(channel[1], &r, sizeof r) != sizeof r);
        }
        close(channel[1]);
        const int is_whole = read(channel[0], &r, sizeof r) == sizeof r;
        close(channel[0]);
        waitpid(child, NULL, 0);
        if (!is_whole) return 1;
        for (int k = 0; k < TIMES; k++) times[k][i] = r.time[k];
    }
    for (int k = 0; k < TIMES; k++) qsort(times[k], (size_t)processes, sizeof(double), by_size);
    printf("Andrews, minima (medians) of %d processes and ratios to the limit\n", processes);
    report("one acceleration by hand", 1e9, "ns", times[HAND], NULL, processes);
    report("one acceleration, native", 1e9, "ns", times[OWN], times[HAND], processes);
    report("one acceleration with reactions, native", 1e9, "ns", times[OWN_LAMBDA], times[HAND], processes);
    report("to t = 0.03 by hand, 5(4) inlined", 1e6, "us", times[HAND_RUN], NULL, processes);
    report("to t = 0.03, model loaded, native", 1e6, "us", times[OWN_RUN], times[HAND_RUN], processes);
    printf("  runs: by hand tol %.2g, %d evaluations, error %.1e; own tol %.2g, %zu evaluations, %zu steps, "
           "error "
           "%.1e, %zu fallbacks, %zu robust\n",
           r.hand_tol, r.hand_count, r.hand_error, r.own_tol, r.own_count, r.steps, r.own_error, r.fallbacks, r.robust);
    return 0;
}
