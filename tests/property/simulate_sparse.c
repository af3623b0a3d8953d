/* Runs that never make a dense matrix, against what is known of the motions: Bricard's mechanism (a row that
   always depends on others, M singular), a ladder with redundant constraints through its singular positions,
   hundreds of loops, a chain that breaks, implicit methods. */
#include "support/ladder.h"
#include "support/motion.h"
#include "dynamics/implicit.h"
#include "simulate/sim.h"

/* P3 at t = 10 by integration in quadruple precision of the one-degree equation; see examples/bricard. A
   mechanism `size` times as large moves alike, sqrt(size) times as slowly; its redundant row vanishes only up
   to rounding, also at the start. */
static void bricard(double size)
{
    const mech_override lengths[] = {{"L", size}, {"b", 0.1 * size}};
    motion m;
    if (!motion_read_with(&m, "examples/bricard/model.mech", lengths, 2)) return;
    motion_settings(&m, 1e-9);
    m.settings.until = 10 * sqrt(size);
    m.settings.columns = MECH_COLUMNS_MULTIPLIERS | MECH_COLUMNS_FORCES;
    motion_must_run(&m);
    const mech_sim_info info = mech_sim_info_get(m.sim);
    CHECK_NEAR(motion_end(&m, "P3x"), size * 0.99999996380634941, 1e-9);
    CHECK_NEAR(motion_end(&m, "P3y"), size * -1.0002690126961633, 1e-8);
    CHECK_NEAR(motion_end(&m, "P3z"), size * 0.99973095111992131, 1e-8);
    CHECK(info.solves > 0 && 100 * info.robust < info.solves);
    CHECK(info.rank_least == 34 && info.rank_most == 34);
    CHECK(info.balance_error < 1e-7 && info.phi < 1e-12 && info.phi_dot < 1e-11);
    /* forces of the two ends of rod 1 in the vertical hold its weight against its acceleration, whatever
       share of the redundant constraints each takes: Qi = m (y'' + g) */
    CHECK(isfinite(motion_end(&m, "equation.Qi(p[1,2])")));
    motion_free(&m);
}

#define LADDER                                                                                                         \
    "param N = 20, m = 1, l = 1, g = 9.81\nlet J = m*l^2/12\nlet K = 2*N + 1\n"                                        \
    "coord x[1..K], y[1..K], a[1..K]\n"                                                                                \
    "for i in 1..K {\n kinetic m/2*(x[i]'^2 + y[i]'^2) + J/2*a[i]'^2\n potential m*g*y[i]\n}\n"                        \
    "let tip(i, s) = [x[i] + s*l/2*cos(a[i]), y[i] + s*l/2*sin(a[i])]\n"                                               \
    "for i in 1..N+1 {\n constraint foot[i]: tip(i, -1) = [i - 1, 0]\n"                                                \
    " initial x[i] = i - 1, y[i] = l/2, a[i] = pi/2, a[i]' = -1\n}\n"                                                  \
    "for i in 1..N {\n constraint left[i]: tip(N+1+i, -1) = tip(i, 1)\n"                                               \
    " constraint right[i]: tip(N+1+i, 1) = tip(i+1, 1)\n guess x[N+1+i] = i - 1/2, y[N+1+i] = l\n}\n"

static void ladder(const char *text, double N, double until, double rtol, size_t redundant)
{
    const mech_override size = {"N", N};
    motion m;
    if (!motion_read_with(&m, text, &size, 1)) return;
    motion_settings(&m, rtol);
    m.settings.until = until;
    motion_must_run(&m);
    const mech_sim_info info = mech_sim_info_get(m.sim);
    const double theta = exact_theta(N, until);
    CHECK_NEAR(2 * motion_end(&m, "x[1]"), cos(theta), 1e-6);
    CHECK_NEAR(2 * motion_end(&m, "y[1]"), sin(theta), 1e-6);
    CHECK(info.phi < 1e-9 && info.phi_dot < 1e-9);
    CHECK(info.balance_error < 1e-7 * fabs(info.energy_first));
    CHECK(info.solves > 0 && 100 * info.robust <= info.solves);
    CHECK((size_t)info.rank_most == mech_system_sizes(m.system).rows - redundant);
    printf("ladder N = %.0f, %zu redundant rows, %.1f s: %zu steps, %zu solves (%zu robust), balance %.1e, "
           "%zu passages\n",
           N, redundant, until, info.steps, info.solves, info.robust, info.balance_error, info.near_singular);
    motion_free(&m);
}

/* A chain whose tenth joint lets go at t = 0.1: from then on the centre of the lower part falls freely. */
static void broken_chain(void)
{
    static const char text[] = "param N = 20, g = 9.81\nlet l = 1/N\ncoord x[1..N], y[1..N], a[1..N]\n"
                               "let tip(i, s) = [x[i], y[i]] + s*l/2*[cos(a[i]), sin(a[i])]\n"
                               "for i in 1..N {\n kinetic (x[i]'^2 + y[i]'^2)/2 + l^2/24*a[i]'^2\n potential g*y[i]\n"
                               " initial x[i] = (i - 1/2)*l, y[i] = 0, a[i] = 0\n}\n"
                               "constraint top: tip(1, -1) = [0, 0]\n"
                               "for i in 2..N { constraint pin[i]: tip(i, -1) = tip(i-1, 1) }\n"
                               "event cut: t - 0.1 rises through 0 -> release pin[11]\n"
                               "let cx = sum(i in 11..N: x[i])/10\nlet cy = sum(i in 11..N: y[i])/10\n"
                               "output px = cx, py = cy, vx = cx', vy = cy'\nsimulate until 0.3\n";
    motion m;
    if (!motion_read(&m, text)) return;
    motion_settings(&m, 1e-10);
    motion_must_run(&m);
    const double from = 0.12, to = 0.3, h = to - from; /* rows at steps of 0.03 */
    const double x = motion_at(&m, from, "px"), y = motion_at(&m, from, "py");
    const double vx = motion_at(&m, from, "vx"), vy = motion_at(&m, from, "vy");
    CHECK_NEAR(motion_at(&m, to, "px"), x + h * vx, 1e-8);
    CHECK_NEAR(motion_at(&m, to, "py"), y + h * vy - 9.81 / 2 * h * h, 1e-8);
    const mech_sim_info info = mech_sim_info_get(m.sim);
    CHECK(info.solves > 0 && info.robust == 0 && info.events == 1);
    CHECK(info.balance_error < 1e-7);
    motion_free(&m);
}

/* Stiff dampers in the joints of a chain: the implicit method, sparse, against the explicit one. */
static const char damped[] =
    "param N = 24, g = 9.81, c = 0.2\nlet l = 1/N\ncoord x[1..N], y[1..N], a[1..N]\n"
    "let tip(i, s) = [x[i], y[i]] + s*l/2*[cos(a[i]), sin(a[i])]\n"
    "for i in 1..N {\n kinetic (x[i]'^2 + y[i]'^2)/2 + l^2/24*a[i]'^2\n potential g*y[i]\n"
    " initial x[i] = (i - 1/2)*l, y[i] = 0, a[i] = 0\n}\n"
    "constraint top: tip(1, -1) = [0, 0]\n"
    "for i in 2..N {\n constraint pin[i]: tip(i, -1) = tip(i-1, 1)\n dissipation c/2*(a[i]' - a[i-1]')^2\n}\n"
    "constraint again: tip(7, -1) = tip(6, 1)\n"
    "state w: w' = x[N]*a[3]' - w\ninitial w = 0\nsimulate until 0.4\n";

static void by_implicit_methods(void)
{
    double end[3];
    static const mech_method methods[] = {MECH_METHOD_RK8, MECH_METHOD_BDF, MECH_METHOD_IRK};
    for (int k = 0; k < 3; k++) {
        motion m;
        if (!motion_read(&m, damped)) return;
        if (motion_derive(&m) != MECH_OK) CHECK(0);
        motion_settings(&m, k == 0 ? 1e-9 : 1e-8);
        m.settings.method = methods[k];
        const mech_status status = motion_run(&m);
        if (status == MECH_ERR_UNSUPPORTED) {
            motion_free(&m);
            continue;
        }
        if (status != MECH_OK) fprintf(stderr, "%s\n", mech_sim_error_text(m.sim));
        CHECK(status == MECH_OK);
        end[k] = motion_end(&m, "y[24]");
        CHECK_NEAR(end[k], end[0], 1e-5);
        const mech_sim_info info = mech_sim_info_get(m.sim);
        CHECK(info.solves > 0 && info.robust == 0);
        CHECK(k == 0 || (info.jacobians > 0 && info.factorizations >= info.jacobians));
        printf("damped chain, method %d: %zu steps, %zu evaluations, %zu Jacobians, %zu factorizations\n", k,
               info.steps, info.evaluations, info.jacobians, info.factorizations);
        motion_free(&m);
    }
}

/* x of (I - gamma J) x = r, put back: x - gamma (f(y + e x) - f(y - e x))/2e = r. */
static void implicit_is_exact(void)
{
    motion m;
    if (!motion_read(&m, damped)) return;
    if (motion_derive(&m) != MECH_OK) CHECK(0);
    m.settings.method = MECH_METHOD_BDF;
    CHECK(mech_sim_create(m.system, &m.settings, &m.sim) == MECH_OK);
    const mech_status status = mech_sim_start(m.sim);
    mech_sim *s = m.sim;
    if (status == MECH_ERR_UNSUPPORTED || !s->method.implicit.by_pattern) {
        motion_free(&m);
        return;
    }
    CHECK(status == MECH_OK && mech_sim_advance(s, 0.05) == MECH_OK);
    enum { MOST = 200 };
    double y[MOST], r[MOST], x[MOST], there[MOST], plus[MOST], minus[MOST];
    CHECK(s->ny <= MOST);
    double *values = malloc((implicit_values(s->method.implicit.by_pattern) + 1) * sizeof *values);
    memcpy(y, s->y, s->ny * sizeof *y);
    CHECK(values && sim_pattern_values(s, s->t, y, values) == 0);
    for (double gamma = 1e-5; gamma < 0.1; gamma *= 30) {
        for (size_t i = 0; i < s->ny; i++) r[i] = i + 1 < s->ny ? sin(3.0 * (double)i + 1) : 0;
        CHECK(sim_pattern_factor(s, gamma, values) == 0 && sim_pattern_solve(s, gamma, values, r, x) == 0);
        double size = 0;
        for (size_t i = 0; i < s->ny; i++) size = fmax(size, fabs(x[i]));
        const double e = 1e-6 / size;
        for (size_t i = 0; i < s->ny; i++) there[i] = y[i] + e * x[i];
        CHECK(sim_rhs(s, s->t, there, plus) == 0);
        for (size_t i = 0; i < s->ny; i++) there[i] = y[i] - e * x[i];
        CHECK(sim_rhs(s, s->t, there, minus) == 0);
        double worst = 0;
        for (size_t i = 0; i + 1 < s->ny; i++) {
            const double slope = gamma * (plus[i] - minus[i]) / (2 * e);
            worst = fmax(worst, fabs(x[i] - slope - r[i]) / (1 + fabs(slope) + fabs(x[i])));
        }
        printf("Newton's equations, gamma = %.0e: put back within %.1e\n", gamma, worst);
        CHECK(worst < 1e-5);
    }
    free(values);
    motion_free(&m);
}

/* Friction is for the dense solver, whatever the size: 24 blocks, which slide v^2/(2 mu g) and stay there. */
static void many_blocks(void)
{
    motion m;
    if (!motion_read(
            &m,
            "param N = 24\ncoord x[1..N], y[1..N]\nfor i in 1..N {\n kinetic (x[i]'^2 + y[i]'^2)/2\n potential 10*y[i]\n"
            " constraint floor[i]: y[i] = 0\n friction on floor[i]: i/50, along x[i]'\n initial x[i]' = 1\n}\nsimulate until 1\n"))
        return;
    motion_settings(&m, 1e-9);
    motion_must_run(&m);
    for (int i = 1; i <= 24; i++) {
        char column[16];
        const double brake = 0.2 * i; /* x = t - brake t^2/2 until 1/brake */
        snprintf(column, sizeof column, "x[%d]", i);
        CHECK_NEAR(motion_end(&m, column), brake > 1 ? 0.5 / brake : 1 - brake / 2, 1e-7);
    }
    motion_free(&m);
}

int main(void)
{
    many_blocks();
    bricard(1);
    bricard(1.1);
    ladder(LADDER "for i in 1..N { constraint middle[i]: 2*[x[N+1+i], y[N+1+i]] = tip(i, 1) + tip(i+1, 1) }\n", 20, 3,
           1e-9, 40);
#ifndef __SANITIZE_ADDRESS__
    ladder(LADDER, 100, 2, 1e-9, 0);
    ladder(LADDER, 400, 1, 1e-8, 0);
#endif
    broken_chain();
    by_implicit_methods();
    implicit_is_exact();
    return check_report();
}
