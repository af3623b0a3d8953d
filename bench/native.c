/* Generated code against hand-written C, the interpreter and the robust solve, all in this run.

       bench_native [rounds]      minima over the rounds, and ratios of minima */
#include <mech/fundamental.h>
#include <mech/lang.h>
#include <mech/motion.h>

#include "andrews_by_hand.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* ---- the planar chain by hand: S = A M^-1 A' is tridiagonal in blocks of 2 x 2; block elimination ---- */

enum { LONGEST = 1000 };

/* q = x, y, a of each rod in turn of kind; length 1/N, mass 1. */
static void chain_by_hand(size_t N, const double *q, const double *v, double *qdd)
{
    static double u[LONGEST], w[LONGEST], D[LONGEST][3], E[LONGEST][4], e[LONGEST][2], f[LONGEST][2];
    const double l = 1 / (double)N, h = l / 2, iJ = 12 / (l * l), g = 9.81;
    const double *a = q + 2 * N, *va = v + 2 * N;
    for (size_t i = 0; i < N; i++) {
        u[i] = h * sin(a[i]);
        w[i] = h * cos(a[i]);
    }
    /* row i: tip(i, -1) - tip(i-1, 1); entries (1, u_i), (-1, u_i-1) in x and (1, -w_i), (-1, -w_i-1) in y */
    for (size_t i = 0; i < N; i++) {
        const double s = va[i] * va[i], sp = i ? va[i - 1] * va[i - 1] : 0;
        const double up = i ? u[i - 1] : 0, wp = i ? w[i - 1] : 0, one = i ? 2 : 1;
        D[i][0] = one + iJ * (u[i] * u[i] + up * up);
        D[i][1] = -iJ * (u[i] * w[i] + up * wp);
        D[i][2] = one + iJ * (w[i] * w[i] + wp * wp);
        e[i][0] = -(w[i] * s + wp * sp);
        e[i][1] = -(u[i] * s + up * sp) + (i ? 0 : g);
        if (i) { /* rows i and i-1 share rod i-1 */
            E[i][0] = -1 + iJ * up * up;
            E[i][1] = E[i][2] = -iJ * up * wp;
            E[i][3] = -1 + iJ * wp * wp;
        }
    }
    for (size_t i = 0; i < N; i++) {
        double p = D[i][0], r = D[i][1], t = D[i][2];
        if (i) {
            const double *F = f[i - 1], *P = D[i - 1];
            const double k0 = E[i][0] * P[0] + E[i][1] * P[1], k1 = E[i][0] * P[1] + E[i][1] * P[2];
            const double k2 = E[i][2] * P[0] + E[i][3] * P[1], k3 = E[i][2] * P[1] + E[i][3] * P[2];
            p -= k0 * E[i][0] + k1 * E[i][1];
            r -= k0 * E[i][2] + k1 * E[i][3];
            t -= k2 * E[i][2] + k3 * E[i][3];
            e[i][0] -= E[i][0] * F[0] + E[i][1] * F[1];
            e[i][1] -= E[i][2] * F[0] + E[i][3] * F[1];
        }
        const double scale = 1 / (p * t - r * r);
        D[i][0] = t * scale; /* the inverse from here on */
        D[i][1] = -r * scale;
        D[i][2] = p * scale;
        f[i][0] = D[i][0] * e[i][0] + D[i][1] * e[i][1];
        f[i][1] = D[i][1] * e[i][0] + D[i][2] * e[i][1];
    }
    for (size_t i = N - 1; i-- > 0;) { /* f: lambda */
        const double x = E[i + 1][0] * f[i + 1][0] + E[i + 1][2] * f[i + 1][1];
        const double y = E[i + 1][1] * f[i + 1][0] + E[i + 1][3] * f[i + 1][1];
        f[i][0] -= D[i][0] * x + D[i][1] * y;
        f[i][1] -= D[i][1] * x + D[i][2] * y;
    }
    for (size_t i = 0; i < N; i++) {
        const double nx = i + 1 < N ? f[i + 1][0] : 0, ny = i + 1 < N ? f[i + 1][1] : 0;
        qdd[i] = f[i][0] - nx;
        qdd[N + i] = f[i][1] - ny - g;
        qdd[2 * N + i] = iJ * (u[i] * (f[i][0] + nx) - w[i] * (f[i][1] + ny));
    }
}

/* ---- one system in its ways ---- */

typedef struct subject {
    mech_diagnostics *diagnostics;
    mech_model *model;
    mech_system *system;
    mech_motion_code *code;
    mech_eval *eval;
    mech_sizes size;
    double *q, *v, *qdd, *lambda;
} subject;

static subject open_subject(const char *path, const char *set, double value, mech_native native)
{
    subject s = {.diagnostics = mech_diagnostics_create()};
    const mech_override given = {set, value};
    mech_read_options reading;
    mech_read_options_default(&reading, sizeof reading);
    if (set) {
        reading.overrides = &given;
        reading.override_count = 1;
    }
    mech_motion_settings settings;
    mech_motion_settings_default(&settings, sizeof settings);
    settings.native = native;
    settings.most = 100000;
    const double start = now();
    int ok = mech_read_file(path, &reading, s.diagnostics, &s.model) == MECH_OK;
    ok = ok && mech_system_from_model(s.model, s.diagnostics, &s.system) == MECH_OK;
    const double middle = now();
    ok = ok && mech_motion_code_create(s.system, &settings, &s.code) == MECH_OK;
    ok = ok && mech_eval_create(s.system, MECH_STORAGE_SPARSE, &s.eval) == MECH_OK;
    ok = ok && mech_eval_use_motion(s.eval, s.code) == MECH_OK;
    if (!ok) {
        fprintf(stderr, "%s cannot be made\n", path);
        exit(1);
    }
    const mech_motion_info info = mech_motion_code_info(s.code);
    printf("%s %s=%g: read %.3f s, prepared %.3f s, %zu operations, %zu statements, %zu row steps, %s%s\n", path,
           set ? set : "", value, middle - start, now() - middle, info.operations, info.statements, info.row_steps,
           info.is_native ? "native" : info.why, info.was_cached ? " (cached)" : "");
    s.size = mech_system_sizes(s.system);
    double *memory = calloc(3 * s.size.coords + s.size.rows + 1, sizeof *memory);
    s.q = memory;
    s.v = s.q + s.size.coords;
    s.qdd = s.v + s.size.coords;
    s.lambda = s.qdd + s.size.coords;
    return s;
}

static void close_subject(subject *s)
{
    mech_eval_free(s->eval);
    mech_motion_code_free(s->code);
    mech_system_free(s->system);
    mech_model_free(s->model);
    mech_diagnostics_free(s->diagnostics);
    free(s->q);
}

/* A bent pose that is not singular: the first angles stand, the others lie. */
static void pose(subject *s, double upright)
{
    double angles = 0;
    for (size_t i = 0; i < s->size.coords; i++) {
        const char *name = mech_system_name(s->system, MECH_ITEM_COORD, i);
        angles += name[0] == 'a';
        s->q[i] = name[0] != 'a' ? 0.1 * (double)i : angles <= upright ? 1.1 : 0.05 * fmod(angles, 3);
        s->v[i] = 0.1;
    }
}

static double time_motion(subject *s, int calls)
{
    mech_motion motion = {.size = sizeof motion, .qdd = s->qdd, .lambda = s->lambda};
    const double start = now();
    double sum = 0;
    for (int i = 0; i < calls; i++) {
        s->q[0] += 1e-9;
        if (mech_eval_motion(s->eval, 0, s->q, s->v, &motion) != MECH_OK) exit(1);
        sum += s->qdd[0];
    }
    const double spent = (now() - start) / calls;
    return isfinite(sum) ? spent : (double)INFINITY;
}

static double time_hand(subject *s, int calls)
{
    const double start = now();
    double sum = 0;
    for (int i = 0; i < calls; i++) {
        s->q[0] += 1e-9;
        by_hand(s->q, s->v, s->qdd);
        sum += s->qdd[0];
    }
    const double spent = (now() - start) / calls;
    return isfinite(sum) ? spent : (double)INFINITY;
}

static double least(double x, double y) { return x < y ? x : y; }

static void andrews(int rounds)
{
    static const double start[7] = {
        -0.0617138900142764, 0, 0.455279819163070, 0.222668390165885, 0.487364979543842, -0.222668390165885,
        1.23054744454982};
    const char *path = "examples/andrews/model.mech";
    subject code = open_subject(path, NULL, 0, MECH_NATIVE_ON), plain = open_subject(path, NULL, 0, MECH_NATIVE_OFF);
    double best[3] = {INFINITY, INFINITY, INFINITY};
    memcpy(code.q, start, sizeof start);
    memcpy(plain.q, start, sizeof start);
    for (size_t i = 0; i < 7; i++) code.v[i] = plain.v[i] = 100 * (double)i;
    for (int r = 0; r < rounds; r++) {
        best[0] = least(best[0], time_hand(&code, 20000));
        best[1] = least(best[1], time_motion(&code, 20000));
        best[2] = least(best[2], time_motion(&plain, 5000));
    }
    double check[7], error = 0, size = 0;
    by_hand(code.q, code.v, check);
    mech_motion motion = {.size = sizeof motion, .qdd = code.qdd, .lambda = code.lambda};
    if (mech_eval_motion(code.eval, 0, code.q, code.v, &motion) != MECH_OK) exit(1);
    for (int i = 0; i < 7; i++) {
        error = fmax(error, fabs(check[i] - code.qdd[i]));
        size = fmax(size, fabs(check[i]));
    }
    printf("Andrews, one acceleration: by hand %.0f ns; native %.0f ns = %.2f by hand; interpreter %.0f ns = "
           "%.1f native;"
           " difference %.1e, robust %zu\n",
           1e9 * best[0], 1e9 * best[1], best[1] / best[0], 1e9 * best[2], best[2] / best[1], error / size,
           mech_eval_counts(code.eval).robust);
    close_subject(&code);
    close_subject(&plain);
}

static double time_chain(subject *s, int calls)
{
    const double start = now();
    double sum = 0;
    for (int i = 0; i < calls; i++) {
        s->q[0] += 1e-9;
        chain_by_hand(s->size.coords / 3, s->q, s->v, s->qdd);
        sum += s->qdd[0];
    }
    const double spent = (now() - start) / calls;
    return isfinite(sum) ? spent : (double)INFINITY;
}

static double chain_error(subject *s)
{
    double *want = calloc(s->size.coords, sizeof *want), most = 0, size = 0;
    chain_by_hand(s->size.coords / 3, s->q, s->v, want);
    mech_motion motion = {.size = sizeof motion, .qdd = s->qdd, .lambda = s->lambda};
    if (mech_eval_motion(s->eval, 0, s->q, s->v, &motion) != MECH_OK) exit(1);
    for (size_t i = 0; i < s->size.coords; i++) {
        most = fmax(most, fabs(want[i] - s->qdd[i]));
        size = fmax(size, fabs(want[i]));
    }
    free(want);
    return most / size;
}

static void many(const char *path, double N, double upright, int rounds)
{
    subject code = open_subject(path, "N", N, MECH_NATIVE_ON), plain = open_subject(path, "N", N, MECH_NATIVE_OFF);
    const int is_chain = strstr(path, "chain") != NULL;
    double best[3] = {INFINITY, INFINITY, INFINITY};
    pose(&code, upright);
    pose(&plain, upright);
    for (int r = 0; r < rounds; r++) {
        best[0] = least(best[0], time_motion(&code, 200));
        best[1] = least(best[1], time_motion(&plain, 50));
        if (is_chain) best[2] = least(best[2], time_chain(&code, 200));
    }
    printf("%s N=%g: native %.1f us; interpreter %.1f us = %.1f native; robust %zu\n", path, N, 1e6 * best[0],
           1e6 * best[1], best[1] / best[0], mech_eval_counts(code.eval).robust);
    if (is_chain)
        printf("    by hand %.1f us; native = %.2f by hand; difference %.1e\n", 1e6 * best[2], best[0] / best[2],
               chain_error(&code));
    close_subject(&code);
    close_subject(&plain);
}

int main(int argc, char **argv)
{
    const int rounds = argc > 1 ? atoi(argv[1]) : 20;
    andrews(rounds);
    many("examples/chain/model.mech", 100, 50, rounds);
    many("examples/four-bar-ladder/model.mech", 100, 101, rounds);
    return 0;
}
