/* How the motion changes with state, inputs and parameters: slopes for optimization, estimation and control.

   Lesson: a system made with_derivatives and with_parameters gives d q''/d(q, v, u, p) and those of multipliers at
   any state, exact and without allocation. Here the pendulum theta'' = -g/l sin(theta) - c theta' + u/(m l^2), all of
   which is known by hand. */
#include <mech/mech.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char text[] =
    "param m = 2, g = 9.81, l = 0.5, c = 0.3\ncoord theta\ninput u = 0\nkinetic m/2*l^2*theta'^2\npotential -m*g*l*cos(theta)\n"
    "force u - c*m*l^2*theta' on theta'\n";

static double miss_of(const mech_slopes_result *r)
{
    const double m = 2, g = 9.81, l = 0.5, c = 0.3, q = 0.7, v = 1.2, u = 0.4;
    const double expected[] = {-g / l * sin(q) - c * v + u / (m * l * l), /* theta''  */
                               -g / l * cos(q),
                               -c,
                               1 / (m * l * l), /* by theta, theta', u */
                               -u / (m * m * l * l),
                               -sin(q) / l,
                               g / (l * l) * sin(q) - 2 * u / (m * l * l * l),
                               -v}; /* by m, g, l, c */
    const double found[] = {r->qdd[0],   r->qdd_q[0], r->qdd_v[0], r->qdd_u[0],
                            r->qdd_p[0], r->qdd_p[1], r->qdd_p[2], r->qdd_p[3]};
    double miss = 0;
    for (size_t k = 0; k < sizeof found / sizeof *found; k++) miss = fmax(miss, fabs(found[k] - expected[k]));
    return miss;
}

int main(void)
{
    const mech_system_options with = {.size = sizeof with, .with_derivatives = 1, .with_parameters = 1};
    const double q = 0.7, v = 1.2;
    mech_diagnostics *diagnostics = mech_diagnostics_create();
    mech_model *model = NULL;
    mech_system *system = NULL;
    mech_slopes *slopes = NULL;
    double miss = 1;
    mech_status status = mech_read_text("pendulum", text, strlen(text), NULL, diagnostics, &model);
    if (status == MECH_OK) status = mech_system_create(model, &with, diagnostics, &system);
    if (status == MECH_OK) status = mech_slopes_create(system, &slopes);
    if (status == MECH_OK) status = mech_eval_set_input(mech_slopes_eval(slopes), 0, 0.4, 0, 0);
    if (status == MECH_OK) status = mech_slopes_at(slopes, 0, &q, &v, NULL);
    if (status == MECH_OK) {
        const mech_slopes_result *r = mech_slopes_get(slopes);
        miss = miss_of(r);
        printf("theta'' = %.6f, by its length %.6f; all slopes to %.1e\n", r->qdd[0], r->qdd_p[2], miss);
    } else fprintf(stderr, "%s\n", mech_status_text(status));
    mech_slopes_free(slopes);
    mech_system_free(system);
    mech_model_free(model);
    mech_diagnostics_free(diagnostics);
    return miss < 1e-13 ? 0 : 1;
}
