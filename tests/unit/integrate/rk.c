/* The stepper against closed forms: order of convergence, error control, dense output, stiffness. */
#include "check.h"
#include "integrate/stepper.h"

#include <stdlib.h>

/* Kepler's ellipse with eccentricity e from its pericentre. */
static int kepler(void *user, double t, const double *y, double *f)
{
    (void)user, (void)t;
    const double r2 = y[0] * y[0] + y[1] * y[1], r3 = r2 * sqrt(r2);
    f[0] = y[2], f[1] = y[3], f[2] = -y[0] / r3, f[3] = -y[1] / r3;
    return 0;
}

static void kepler_exact(double e, double t, double y[4])
{
    double u = t; /* Kepler's equation u - e sin u = t by Newton */
    for (int i = 0; i < 50; i++) u -= (u - e * sin(u) - t) / (1 - e * cos(u));
    const double b = sqrt(1 - e * e), rate = 1 / (1 - e * cos(u));
    y[0] = cos(u) - e, y[1] = b * sin(u), y[2] = -sin(u) * rate, y[3] = b * cos(u) * rate;
}

static double distance(const double *a, const double *b, int n)
{
    double worst = 0;
    for (int i = 0; i < n; i++) worst = fmax(worst, fabs(a[i] - b[i]));
    return worst;
}

/* Fixed steps: the error must fall like h^order; so must the interpolant's. */
static void check_order(sim_method pair, double order, double dense_order)
{
    const double tolerance[4] = {1e300, 1e300, 1e300, 1e300};
    double error[2], dense_error[2];
    for (int k = 0; k < 2; k++) {
        const int steps = pair == SIM_RK8 ? 20 << k : 100 << k;
        const double h = 2.0 / steps;
        sim_stepper *r;
        double y[4], exact[4], dense[4];
        kepler_exact(0.3, 0, y);
        const sim_problem problem = {.n = 4, .n_control = 4, .f = kepler, .user = NULL};
        CHECK(sim_stepper_create(pair, &problem, &r) == MECH_OK);
        r->ops->set_tolerance(r, 1e-3, tolerance, h);
        CHECK(r->ops->start(r, 0, y, 2, h) == 0);
        dense_error[k] = 0;
        for (int i = 0; i < steps; i++) {
            CHECK(r->ops->step(r, h * (i + 1)) == SIM_STEPPED);
            for (int j = 1; j < 4; j++) {
                const double t = h * (i + 0.25 * j);
                CHECK(r->ops->dense(r, t, dense) == 0);
                kepler_exact(0.3, t, exact);
                dense_error[k] = fmax(dense_error[k], distance(dense, exact, 4));
            }
        }
        kepler_exact(0.3, 2, exact);
        error[k] = distance(r->y, exact, 4);
        CHECK(r->counts.steps == (size_t)steps);
        sim_stepper_free(r);
    }
    CHECK_NEAR(log2(error[0] / error[1]), order, 0.06);
    CHECK(log2(dense_error[0] / dense_error[1]) > dense_order + 0.7); /* local error: one order more */
}

static void check_control(sim_method pair)
{
    double last = 1;
    for (double tol = 1e-4; tol > 1e-12; tol *= 1e-3) {
        const double atol[4] = {tol, tol, tol, tol};
        double y[4], exact[4], dense[4], worst = 0;
        sim_stepper *r;
        kepler_exact(0.7, 0, y);
        const sim_problem problem = {.n = 4, .n_control = 4, .f = kepler, .user = NULL};
        CHECK(sim_stepper_create(pair, &problem, &r) == MECH_OK);
        r->ops->set_tolerance(r, tol, atol, 0);
        CHECK(r->ops->start(r, 0, y, 20, 0) == 0);
        while (r->t < 20) {
            CHECK(r->ops->step(r, 20) == SIM_STEPPED);
            for (int i = 1; i < 8; i++) {
                const double a = r->t_old, t = a + (r->t - a) * i / 8;
                CHECK(r->ops->dense(r, t, dense) == 0);
                kepler_exact(0.7, t, exact);
                worst = fmax(worst, distance(dense, exact, 4));
            }
        }
        kepler_exact(0.7, 20, exact);
        const double error = distance(r->y, exact, 4);
        CHECK(error < 3000 * tol && error < last);
        CHECK(worst < 20 * error + 10000 * tol); /* between the steps about as good as at them */
        CHECK(!r->is_stiff);
        last = error;
        sim_stepper_free(r);
    }
}

static int relax(void *user, double t, const double *y, double *f)
{
    (void)user;
    f[0] = -1e4 * (y[0] - cos(t)) - sin(t);
    return 0;
}

static void check_stiff(sim_method pair)
{
    const double atol = 1e-6, one = 1;
    sim_stepper *r;
    const sim_problem problem = {.n = 1, .n_control = 1, .f = relax, .user = NULL};
    CHECK(sim_stepper_create(pair, &problem, &r) == MECH_OK);
    r->ops->set_tolerance(r, 1e-6, &atol, 0);
    CHECK(r->ops->start(r, 0, &one, 10, 0) == 0);
    while (!r->is_stiff && r->t < 1) CHECK(r->ops->step(r, 10) == SIM_STEPPED);
    CHECK(r->is_stiff);
    CHECK(r->counts.steps < 200);
    sim_stepper_free(r);
}

/* y' = 1/(2y), y = sqrt(1 - t) backwards: not defined past t = 1. */
static int forbidden(void *user, double t, const double *y, double *f)
{
    (void)user, (void)t;
    if (y[0] <= 0) return 1;
    f[0] = -0.5 / y[0];
    return 0;
}

static void check_refusal(void)
{
    const double atol = 1e-9, one = 1;
    sim_stepper *r;
    const sim_problem problem = {.n = 1, .n_control = 1, .f = forbidden, .user = NULL};
    CHECK(sim_stepper_create(SIM_RK5, &problem, &r) == MECH_OK);
    r->ops->set_tolerance(r, 1e-9, &atol, 0);
    CHECK(r->ops->start(r, 0, &one, 2, 0) == 0);
    sim_step_result result = SIM_STEPPED;
    while (result == SIM_STEPPED && r->t < 2) result = r->ops->step(r, 2);
    CHECK(result != SIM_STEPPED);
    CHECK_NEAR(r->t, 1, 1e-6);
    CHECK_NEAR(r->y[0], 0, 1e-3);
    sim_stepper_free(r);
}

/* Blows up at t = 1/1000; gives up after many evaluations, so that a loop without end shows. */
static int blow_up(void *user, double t, const double *y, double *f)
{
    (void)t;
    f[0] = 1e3 * y[0] * y[0];
    return ++*(int *)user > 20000 ? -1 : isfinite(f[0]) ? 0 : 1;
}

/* A floor that the limit stretches by half a per cent: the attempt at the floor is the same one again, so shorter ones
   have to follow. */
static void check_floor(sim_method pair)
{
    const double atol = 1e-12, one = 1, floor = 9e-4;
    int count = 0;
    sim_stepper *r;
    const sim_problem problem = {.n = 1, .n_control = 1, .f = blow_up, .user = &count, .floor = &floor};
    CHECK(sim_stepper_create(pair, &problem, &r) == MECH_OK);
    r->ops->set_tolerance(r, 1e-12, &atol, 0);
    CHECK(r->ops->start(r, 0, &one, 1, 9e-4) == 0);
    CHECK(r->ops->step(r, 1.005 * floor) == SIM_STEPPED); /* y = 1/(1 - 1000 t) */
    CHECK(r->t < floor && count < 1000);
    CHECK_NEAR(r->y[0], 1 / (1 - 1000 * r->t), 1e-9);
    sim_stepper_free(r);
}

/* A step taken again to an inner point equals the closed form there better than the interpolant. */
static void check_again(void)
{
    const double atol[4] = {1e-7, 1e-7, 1e-7, 1e-7};
    double y[4], exact[4], dense[4];
    sim_stepper *r;
    kepler_exact(0.3, 0, y);
    const sim_problem problem = {.n = 4, .n_control = 4, .f = kepler, .user = NULL};
    CHECK(sim_stepper_create(SIM_RK5, &problem, &r) == MECH_OK);
    r->ops->set_tolerance(r, 1e-7, atol, 0);
    CHECK(r->ops->start(r, 0, y, 20, 0) == 0);
    for (int i = 0; i < 20; i++) CHECK(r->ops->step(r, 20) == SIM_STEPPED);
    const double a = r->t_old, t = a + 0.4 * (r->t - a), end = r->t;
    double before[4];
    memcpy(before, r->y, sizeof before);
    CHECK(r->ops->dense(r, t, dense) == 0);
    CHECK(r->ops->end_at(r, t) == SIM_STEPPED);
    kepler_exact(0.3, t, exact);
    CHECK(distance(r->y, exact, 4) < 3e-6);
    CHECK(r->ops->end_at(r, end) == SIM_STEPPED);
    CHECK(distance(r->y, before, 4) < 1e-15);
    CHECK(r->ops->step(r, 20) == SIM_STEPPED);
    sim_stepper_free(r);
}

static int decay(void *user, double t, const double *y, double *f)
{
    (void)user, (void)t;
    f[0] = -y[0];
    return 0;
}

/* What dies away does so without an end: errors whose squares have no inverse are small, and no reason for a shorter
   step. From exp(-300) to exp(-400), in steps of 1: exp(-100) of it, to the error of a step's polynomial. */
static void check_underflow(sim_method pair)
{
    const sim_problem problem = {.n = 1, .n_control = 1, .f = decay, .user = NULL};
    const double atol = 1e-12;
    sim_stepper *r;
    double y = exp(-300);
    CHECK(sim_stepper_create(pair, &problem, &r) == MECH_OK);
    r->ops->set_tolerance(r, 1e-9, &atol, 1);
    CHECK(r->ops->start(r, 0, &y, 100, 1) == 0);
    while (r->t < 100 && r->counts.steps < 200) CHECK(r->ops->step(r, 100) == SIM_STEPPED);
    CHECK(r->counts.steps == 100 && r->counts.rejected == 0);
    CHECK_NEAR(log(r->y[0]), -400, pair == SIM_RK8 ? 1e-2 : 1);
    sim_stepper_free(r);
}

int main(void)
{
    check_underflow(SIM_RK5);
    check_underflow(SIM_RK8);
    check_order(SIM_RK5, 5, 4);
    check_order(SIM_RK8, 8, 7);
    check_control(SIM_RK5);
    check_control(SIM_RK8);
    check_stiff(SIM_RK5);
    check_stiff(SIM_RK8);
    check_refusal();
    check_floor(SIM_RK5);
    check_floor(SIM_RK8);
    check_again();
    return check_report();
}
