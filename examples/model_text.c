/* Door 3: a model text. A plank hangs on three parallel rods, one more than it needs, and a bob hangs on the
   plank.

   Lesson: read, make, solve. The forces in the three rods are not unique (a rigid plank does not say how they
   share the load), the force in the bob's rod is, and so are the acceleration and the sum. Nothing is
   singular. */
#include <mech/mech.h>

#include <stdio.h>
#include <string.h>

static const char text[] = "param m = 3, J = 1, M = 1, g = 9.81\n"
                           "coord x, y, phi, u, w                      # plank, bob\n"
                           "kinetic   m/2*(x'^2 + y'^2) + J/2*phi'^2 + M/2*(u'^2 + w'^2)\n"
                           "potential m*g*y + M*g*w\n"
                           "let end(s) = [x + s*cos(phi), y + s*sin(phi)]\n"
                           "constraint left:   norm(end(-1) - [-1, 0]) = 1\n"
                           "constraint middle: norm(end(0)) = 1\n"
                           "constraint right:  norm(end(1) - [1, 0]) = 1\n"
                           "constraint hanger: norm([u, w] - [x, y]) = 1/2\n"
                           "initial x = sin(0.3), y = -cos(0.3), phi = 0, u = sin(0.3), w = -cos(0.3) - 1/2\n";

static int report(const mech_instant_result *r)
{
    double sum = 0;
    printf("rank %d of %zu rows, %d degrees of freedom\n", r->rank, r->m, r->dof);
    for (size_t k = 0; k < r->groups; k++) {
        const mech_group *rod = &r->group[k];
        printf("%-7s force %9.5f  %s\n", rod->name, r->lambda[rod->first_row],
               r->diagnosis->unique_lambda[rod->first_row] ? "unique" : "least-norm choice");
        if (k < 3) sum += r->lambda[rod->first_row];
    }
    printf("sum of the first three %9.5f, x'' = %.5f\n", sum, r->qdd[0]);
    return r->rank == 3 && r->diagnosis->unique_lambda[3] && !r->diagnosis->unique_lambda[1];
}

int main(void)
{
    mech_diagnostics *diagnostics = mech_diagnostics_create();
    mech_model *model = NULL;
    mech_system *system = NULL;
    mech_instant *instant = NULL;
    mech_instant_input at;
    double q[5], v[5];
    int is_right = 0;

    mech_instant_input_default(&at, sizeof at);
    at.q = q;
    at.v = v;
    mech_status status = mech_read_text("plank", text, strlen(text), NULL, diagnostics, &model); /* read */
    if (status == MECH_OK) status = mech_system_from_model(model, diagnostics, &system);         /* make */
    if (status == MECH_OK) status = mech_instant_create(system, 0, &instant);
    if (status == MECH_OK) status = mech_instant_start(instant, 0, q, v, NULL);
    if (status == MECH_OK) status = mech_instant_solve(instant, &at); /* solve */
    if (status == MECH_OK) {
        is_right = report(mech_instant_get(instant));
    } else { /* the model's errors with their places, or what the numbers say */
        char *words = instant ? mech_instant_explain(instant) : mech_diagnostics_format(diagnostics);
        fprintf(stderr, "%s\n", words ? words : mech_status_text(status));
        mech_text_free(words);
    }
    mech_instant_free(instant);
    mech_system_free(system);
    mech_model_free(model);
    mech_diagnostics_free(diagnostics);
    return is_right ? 0 : 1;
}
