/* Many bodies: generated loops against closed forms, elimination in long double and the robust solve; guards
   at singular positions; redundant rows that are watched. */
#include "check.h"

#include <mech/lang.h>
#include <mech/motion.h>

#include <stdlib.h>

typedef struct subject {
    mech_diagnostics *diagnostics;
    mech_model *model;
    mech_system *system;
    mech_motion_code *code;
    mech_eval *eval;
    mech_motion_info info;
    size_t N, rods;
    double *q, *v, *qdd;
} subject;

static void open_model(subject *s, const char *path, size_t N)
{
    const mech_override given = {"N", (double)N};
    mech_read_options reading;
    mech_read_options_default(&reading, sizeof reading);
    reading.overrides = &given;
    reading.override_count = 1;
    *s = (subject){.diagnostics = mech_diagnostics_create(), .N = N};
    CHECK(mech_read_file(path, &reading, s->diagnostics, &s->model) == MECH_OK);
    CHECK(mech_system_from_model(s->model, s->diagnostics, &s->system) == MECH_OK);
    const size_t n = mech_system_sizes(s->system).coords;
    s->rods = n / 3;
    s->q = calloc(3 * n, sizeof *s->q);
    s->v = s->q + n;
    s->qdd = s->v + n;
}

/* At the pose that is set. straight 1: loops. */
static void prepare(subject *s, size_t straight, int with_power)
{
    mech_motion_settings settings;
    mech_motion_settings_default(&settings, sizeof settings);
    settings.native = MECH_NATIVE_ON;
    settings.straight = straight;
    settings.with_power = with_power;
    settings.q = s->q;
    settings.v = s->v;
    mech_eval_free(s->eval);
    mech_motion_code_free(s->code);
    s->eval = NULL;
    CHECK(mech_motion_code_create(s->system, &settings, &s->code) == MECH_OK);
    CHECK(mech_eval_create(s->system, MECH_STORAGE_SPARSE, &s->eval) == MECH_OK &&
          mech_eval_use_motion(s->eval, s->code) == MECH_OK);
    s->info = mech_motion_code_info(s->code);
    CHECK(s->info.is_native && (straight != 1 || s->info.loops > 0));
}

static void finish(subject *s)
{
    mech_eval_free(s->eval);
    mech_motion_code_free(s->code);
    mech_system_free(s->system);
    mech_model_free(s->model);
    mech_diagnostics_free(s->diagnostics);
    free(s->q);
}

static unsigned ask(subject *s)
{
    mech_motion motion = {.size = sizeof motion, .qdd = s->qdd, .leaves_doubt = 1};
    CHECK(mech_eval_motion(s->eval, 0, s->q, s->v, &motion) == MECH_OK);
    return motion.flags;
}

/* ---- the ladder ---- */

static void pose_ladder(subject *s, double theta, double spin)
{
    const size_t K = s->rods;
    for (size_t i = 0; i < K; i++) {
        const int stands = i <= s->N;
        const double part = stands ? 0.5 : 1;
        s->q[i] = stands ? (double)i + cos(theta) / 2 : (double)(i - s->N) - 0.5 + cos(theta);
        s->q[K + i] = part * sin(theta);
        s->q[2 * K + i] = stands ? theta : 0;
        s->v[i] = -part * sin(theta) * spin;
        s->v[K + i] = part * cos(theta) * spin;
        s->v[2 * K + i] = stands ? spin : 0;
    }
}

/* (N+1) l^2/3 + N l^2 is the inertia, (N+1) l/2 + N l the lever of the one degree of freedom. */
static double ladder_error(const subject *s, double theta)
{
    const double N = (double)s->N, want = -9.81 * cos(theta) * ((N + 1) / 2 + N) / ((N + 1) / 3 + N);
    double most = 0;
    for (size_t i = 0; i < s->rods; i++) {
        const double target = i <= s->N ? want : 0;
        most = fmax(most, fabs(s->qdd[2 * s->rods + i] - target) / fabs(want));
    }
    return most;
}

static void ladder(const char *path, size_t N, int is_redundant)
{
    subject s;
    open_model(&s, path, N);
    pose_ladder(&s, 1.1, -0.7);
    prepare(&s, 1, 0);
    CHECK(s.info.monitored == (is_redundant ? N : 0));
    CHECK((ask(&s) & MECH_MOTION_DOUBT) == 0);
    const double error = ladder_error(&s, 1.1);
    printf("%s N=%zu: error %.1e, %zu statements in %zu functions, %zu watched\n", path, N, error, s.info.statements,
           s.info.loops, s.info.monitored);
    CHECK(error < 1e-12);
    /* in line: every loop loses a row, at any place in the loops and after them */
    pose_ladder(&s, 0, 1);
    CHECK(ask(&s) & MECH_MOTION_DOUBT);
    pose_ladder(&s, 1e-6, 1);
    CHECK(ask(&s) & MECH_MOTION_DOUBT);
    pose_ladder(&s, 0.8, 0.3);
    CHECK((ask(&s) & MECH_MOTION_DOUBT) == 0 && ladder_error(&s, 0.8) < 1e-12);
    /* off the constraints of one rod the watched rows no longer agree */
    if (is_redundant) {
        s.v[2 * s.rods + N / 2] += 0.1;
        s.q[2 * s.rods + N / 2] += 0.1;
        CHECK(ask(&s) & MECH_MOTION_DOUBT);
    }
    finish(&s);
}

/* ---- the chain ---- */

static void pose_chain(subject *s)
{
    const size_t N = s->N;
    const double l = 1 / (double)N;
    double x = 0, y = 0, vx = 0, vy = 0;
    for (size_t i = 0; i < N; i++) {
        const double a = 2 * i < N ? 1.1 : 0.05 * (double)(i % 3), w = 0.1 + 0.05 * (double)(i % 2);
        s->q[2 * N + i] = a;
        s->v[2 * N + i] = w;
        s->q[i] = x + l / 2 * cos(a);
        s->q[N + i] = y + l / 2 * sin(a);
        s->v[i] = vx - l / 2 * sin(a) * w;
        s->v[N + i] = vy + l / 2 * cos(a) * w;
        x += l * cos(a);
        y += l * sin(a);
        vx -= l * sin(a) * w;
        vy += l * cos(a) * w;
    }
}

/* S lambda = f, tridiagonal in blocks of two, in long double. */
static void chain_reference(const subject *s, long double *qdd)
{
    const size_t N = s->N;
    const long double l = 1 / (long double)N, iJ = 12 / (l * l), g = 9.81L;
    long double *room = calloc(10 * (N + 1), sizeof *room);
    long double *u = room, *w = u + N + 1, *D = w + N + 1, *f = D + 3 * (N + 1), *E = f + 2 * (N + 1);
    for (size_t i = 0; i < N; i++) {
        u[i] = l / 2 * sinl((long double)s->q[2 * N + i]);
        w[i] = l / 2 * cosl((long double)s->q[2 * N + i]);
    }
    for (size_t i = 0; i < N; i++) {
        const long double r = (long double)s->v[2 * N + i], p = i ? (long double)s->v[2 * N + i - 1] : 0;
        const long double U = i ? u[i - 1] : 0, W = i ? w[i - 1] : 0;
        long double a = (i ? 2 : 1) + iJ * (u[i] * u[i] + U * U), b = -iJ * (u[i] * w[i] + U * W);
        long double c = (i ? 2 : 1) + iJ * (w[i] * w[i] + W * W);
        long double e = -(w[i] * r * r + W * p * p), h = -(u[i] * r * r + U * p * p) + (i ? 0 : g);
        if (i) {
            long double *B = E + 3 * i; /* the block (i, i - 1), symmetric */
            const long double *P = D + 3 * (i - 1), *F = f + 2 * (i - 1);
            B[0] = -1 + iJ * U * U;
            B[1] = -iJ * U * W;
            B[2] = -1 + iJ * W * W;
            const long double k0 = B[0] * P[0] + B[1] * P[1], k1 = B[0] * P[1] + B[1] * P[2];
            const long double k2 = B[1] * P[0] + B[2] * P[1], k3 = B[1] * P[1] + B[2] * P[2];
            a -= k0 * B[0] + k1 * B[1];
            b -= k0 * B[1] + k1 * B[2];
            c -= k2 * B[1] + k3 * B[2];
            e -= B[0] * F[0] + B[1] * F[1];
            h -= B[1] * F[0] + B[2] * F[1];
        }
        const long double det = a * c - b * b;
        D[3 * i] = c / det;
        D[3 * i + 1] = -b / det;
        D[3 * i + 2] = a / det;
        f[2 * i] = D[3 * i] * e + D[3 * i + 1] * h;
        f[2 * i + 1] = D[3 * i + 1] * e + D[3 * i + 2] * h;
    }
    for (size_t i = N - 1; i-- > 0;) {
        const long double *B = E + 3 * (i + 1), *F = f + 2 * (i + 1);
        const long double x = B[0] * F[0] + B[1] * F[1], y = B[1] * F[0] + B[2] * F[1];
        f[2 * i] -= D[3 * i] * x + D[3 * i + 1] * y;
        f[2 * i + 1] -= D[3 * i + 1] * x + D[3 * i + 2] * y;
    }
    for (size_t i = 0; i < N; i++) {
        const long double *F = f + 2 * i;
        const long double X = i + 1 < N ? F[2] : 0, Y = i + 1 < N ? F[3] : 0;
        qdd[i] = F[0] - X;
        qdd[N + i] = F[1] - Y - g;
        qdd[2 * N + i] = iJ * (u[i] * (F[0] + X) - w[i] * (F[1] + Y));
    }
    free(room);
}

static double chain_error(const subject *s, const long double *want)
{
    long double most = 0, size = 0;
    for (size_t i = 0; i < 3 * s->N; i++) {
        most = fmaxl(most, fabsl((long double)s->qdd[i] - want[i]));
        size = fmaxl(size, fabsl(want[i]));
    }
    return (double)(most / size);
}

static void chain(size_t N)
{
    subject s;
    open_model(&s, "examples/chain/model.mech", N);
    pose_chain(&s);
    long double *want = calloc(3 * N, sizeof *want);
    chain_reference(&s, want);
    prepare(&s, 1, 0);
    CHECK((ask(&s) & MECH_MOTION_DOUBT) == 0);
    const double loops = chain_error(&s, want);
    double lines = 0;
    if (N <= 10) {
        prepare(&s, 100000, 0);
        CHECK(ask(&s) == 0);
        lines = chain_error(&s, want);
    }
    printf("chain N=%zu: error of loops %.1e, of straight lines %.1e\n", N, loops, lines);
    CHECK(loops < 1e-12 && lines < 1e-12);
    free(want);
    finish(&s);
}

/* dh/dt of a conservative system is 0, and the sum over all rows is done in loops too. */
static void power(void)
{
    subject s;
    open_model(&s, "examples/four-bar-ladder/model.mech", 300);
    pose_ladder(&s, 1.1, -0.7);
    prepare(&s, 1, 1);
    mech_motion motion = {.size = sizeof motion, .qdd = s.qdd, .wants_power = 1, .leaves_doubt = 1};
    CHECK(mech_eval_motion(s.eval, 0, s.q, s.v, &motion) == MECH_OK && motion.flags == 0);
    CHECK(fabs(motion.power) < 1e-9);
    CHECK(s.info.statements < 2000);
    finish(&s);
}

/* ---- other ways to be many: against the interpreter ---- */

static const char *const various[] = {
    /* a net of points, rods along it and springs across */
    "param N = 6\ncoord x[1..N*N], y[1..N*N]\nlet at(i, j) = [x[(i-1)*N + j], y[(i-1)*N + j]]\n"
    "for i in 1..N { for j in 1..N { kinetic (1 + j/10)/2*(x[(i-1)*N + j]'^2 + y[(i-1)*N + j]'^2)\n"
    "potential 9.81*y[(i-1)*N + j] } }\n"
    "for i in 1..N { for j in 2..N { constraint rod[i, j]: norm(at(i, j) - at(i, j-1)) = 1 } }\n"
    "for i in 2..N { for j in 1..N { potential 50*(norm(at(i, j) - at(i-1, j)) - 1)^2 } }\n",
    /* points in space on rods of different lengths, closed to a ring */
    "param N = 20\ncoord x[1..N], y[1..N], z[1..N]\nlet p(i) = [x[i], y[i], z[i]]\n"
    "for i in 1..N { kinetic (x[i]'^2 + y[i]'^2 + z[i]'^2)/2\npotential 9.81*z[i] }\n"
    "for i in 2..N { constraint rod[i]: norm(p(i) - p(i-1)) = 1 + i/100 }\n"
    "constraint last: norm(p(N) - p(1)) = 1\n",
    /* a chain whose masses and lengths differ, hung from a moving point, with drag */
    "param N = 15, c = 0.1\ncoord x[1..N], y[1..N], a[1..N]\n"
    "let tip(i, s) = [x[i], y[i]] + s*(1 + i/7)/2*[cos(a[i]), sin(a[i])]\n"
    "for i in 1..N { kinetic (2 + sin(i))/2*(x[i]'^2 + y[i]'^2) + i/24*a[i]'^2\npotential 9.81*(2 + "
    "sin(i))*y[i]\n"
    "force -c*a[i]'*abs(a[i]') on a[i]' }\n"
    "constraint top: tip(1, -1) = [sin(3*t), 0]\n"
    "for i in 2..N { constraint pin[i]: tip(i, -1) = tip(i-1, 1) }\n",
    /* many that do not meet, and one that meets all */
    "param N = 12\ncoord x[1..N], h, y[1..N]\nfor i in 1..N { kinetic (x[i]'^2 + y[i]'^2)/2\n"
    "constraint bead[i]: y[i] = h + i*sin(x[i]) }\nkinetic h'^2\npotential 9.81*h\n"};

static void compare_ways(const char *text, double N)
{
    mech_diagnostics *d = mech_diagnostics_create();
    mech_model *model = NULL;
    mech_system *system = NULL;
    const mech_override given = {"N", N};
    mech_read_options reading;
    mech_read_options_default(&reading, sizeof reading);
    reading.overrides = &given;
    reading.override_count = 1;
    const int is_read = mech_read_text("test", text, strlen(text), &reading, d, &model) == MECH_OK;
    CHECK(is_read && mech_system_from_model(model, d, &system) == MECH_OK);
    if (!is_read || !system) {
        fprintf(stderr, "%s\n", mech_diagnostics_format(d));
        exit(check_report());
    }
    const size_t n = mech_system_sizes(system).coords;
    enum { ROUNDS = 3 };
    double *q = calloc((2 + 2 * ROUNDS) * n, sizeof *q), *v = q + n, *qdd = v + n, most = 0, size = 0;
    size_t statements = 0;
    for (int way = 0; way < 2; way++) {
        mech_motion_settings settings;
        mech_eval *e = NULL;
        mech_motion_settings_default(&settings, sizeof settings);
        settings.native = way ? MECH_NATIVE_ON : MECH_NATIVE_OFF;
        settings.straight = 1;
        mech_motion_code *code = NULL;
        CHECK(mech_motion_code_create(system, &settings, &code) == MECH_OK);
        CHECK(mech_eval_create(system, MECH_STORAGE_SPARSE, &e) == MECH_OK && mech_eval_use_motion(e, code) == MECH_OK);
        statements = mech_motion_code_info(code).statements;
        for (int round = 0; round < ROUNDS; round++) {
            for (size_t i = 0; i < n; i++) {
                q[i] = 1.7 * sin(37.0 * (double)(i + 1) + 5 * round) + 0.3 * (double)i;
                v[i] = cos(91.0 * (double)(i + 1) + round);
            }
            mech_motion motion = {
                .size = sizeof motion, .qdd = qdd + n * (size_t)(way * ROUNDS + round), .leaves_doubt = 1};
            CHECK(mech_eval_motion(e, 0.2, q, v, &motion) == MECH_OK && motion.flags == 0);
        }
        mech_eval_free(e);
        mech_motion_code_free(code);
    }
    for (size_t i = 0; i < ROUNDS * n; i++) {
        most = fmax(most, fabs(qdd[i] - qdd[ROUNDS * n + i]));
        size = fmax(size, fabs(qdd[i]));
    }
    printf("%.30s... N=%g: difference %.1e, %zu statements\n", text, N, most / size, statements);
    CHECK(most < 1e-11 * size);
    free(q);
    mech_system_free(system);
    mech_model_free(model);
    mech_diagnostics_free(d);
}

int main(void)
{
    static const size_t sizes[] = {10, 33, 100, 1000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        chain(sizes[i]);
        ladder("examples/four-bar-ladder/model.mech", sizes[i], 0);
    }
    ladder("bench/models/ladder-redundant.mech", 20, 1);
    ladder("bench/models/ladder-redundant.mech", 300, 1);
    power();
    for (size_t i = 0; i < sizeof various / sizeof *various; i++)
        for (double N = 5; N < 40; N += i == 0 ? 8 : 16)
            if (i > 0 || N < 15) compare_ways(various[i], N);
    return check_report();
}
