/* Every method behind the stepper interface on one stiff and one smooth problem with closed forms. */
#include "check.h"
#include "integrate/stepper.h"

/* u' = -1000 (u - cos t) - sin t: u = cos t; and x'' = -x beside it, with its integrated power. */
static int f(void *user, double t, const double *y, double *ydot)
{
    (void)user;
    ydot[0] = -1000 * (y[0] - cos(t)) - sin(t);
    ydot[1] = y[2];
    ydot[2] = -y[1];
    ydot[3] = y[1] * y[2];
    return 0;
}

static int jacobian(void *user, double t, const double *y, double *J)
{
    (void)user, (void)t;
    memset(J, 0, 16 * sizeof *J);
    J[0] = -1000;
    J[2 * 4 + 1] = 1;
    J[1 * 4 + 2] = -1;
    J[1 * 4 + 3] = y[2];
    J[2 * 4 + 3] = y[1];
    return 0;
}

/* x^2 + x'^2 = 1 */
static int project(void *user, double t, double *y)
{
    (void)user, (void)t;
    const double size = hypot(y[1], y[2]);
    y[1] /= size;
    y[2] /= size;
    return 0;
}

static void check_method(sim_method method)
{
    const sim_problem problem = {.n = 4, .n_control = 3, .f = f, .jacobian = jacobian, .project = project};
    const double atol[4] = {1e-8, 1e-8, 1e-8, 0}, y0[4] = {1, 0, 1, 0};
    double y[4];
    sim_stepper *s;
    CHECK(sim_stepper_create(method, &problem, &s) == MECH_OK);
    s->ops->set_tolerance(s, 1e-8, atol, 0);
    CHECK(s->ops->start(s, 0, y0, 3, 0) == 0);
    int half = 0;
    while (s->t < 3) {
        CHECK(s->ops->step(s, 3) == SIM_STEPPED);
        const double t = s->t_old + 0.3 * (s->t - s->t_old);
        CHECK(s->ops->dense(s, t, y) == 0);
        CHECK_NEAR(y[0], cos(t), 2e-5);
        CHECK_NEAR(y[1], sin(t), 3e-6);
        if (s->t > 1.5 && !half) { /* end inside the step and go on from there */
            half = 1;
            CHECK(s->ops->end_at(s, t) == SIM_STEPPED);
            CHECK(s->t == t);
        }
        memcpy(y, s->y, sizeof y);
        if (!s->projects_itself && !s->restarts_on_replace) project(NULL, s->t, y);
        s->ops->replace(s, y, NULL);
    }
    CHECK(s->t == 3);
    CHECK_NEAR(s->y[0], cos(3), 1e-6);
    CHECK_NEAR(s->y[1], sin(3), 2e-6);
    CHECK_NEAR(s->y[3], sin(3) * sin(3) / 2, 2e-6);
    if (!s->restarts_on_replace) CHECK_NEAR(hypot(s->y[1], s->y[2]), 1, 1e-12);
    sim_stepper_free(s);
}

int main(void)
{
    check_method(SIM_RK5);
    check_method(SIM_RK8);
    check_method(SIM_BDF);
    check_method(SIM_ADAMS);
    check_method(SIM_IRK);
    return check_report();
}
