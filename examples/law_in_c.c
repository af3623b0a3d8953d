/* A controller in C on a model from text: a pole balanced on a cart.

   Lesson: the model has an input `u`; the program says what it is, as a function of time, positions and velocities.
   It is asked wherever the equation is evaluated, so the loop is closed within steps, too: no sampling. Written into
   the model, the same law gives the same motion. */
#include <mech/easy.h>

#include <math.h>
#include <stdio.h>

#define CART                                                                                                           \
    "param M = 1, m = 0.1, l = 0.5, g = 9.81\ncoord x, theta\nlet tip = [x + l*sin(theta), l*cos(theta)]\n"            \
    "kinetic M/2*x'^2 + m/2*dot(tip', tip')\npotential m*g*l*cos(theta)\ninput u = 0\ninitial theta = 0.2\nsimulate until 4\n"
static const char by_c[] = CART "force u on x'\n";
static const char by_text[] = CART "force 30*theta + 6*theta' + 2*x + 4*x' on x'\n";

/* The model's coordinates in their order: x, theta. */
static mech_status balance(void *user, const mech_point *at, double *u)
{
    (void)user;
    u[0] = 30 * at->q[1] + 6 * at->v[1] + 2 * at->q[0] + 4 * at->v[0];
    return MECH_OK;
}

int main(void)
{
    mech_easy *model = mech_easy_open_text(by_c), *same = mech_easy_open_text(by_text);
    const size_t input = mech_easy_system(model) ? mech_system_find(mech_easy_system(model), MECH_ITEM_INPUT, "u") : 0;
    const mech_input_law law = {.size = sizeof law, .inputs = &input, .count = 1, .u = balance};
    mech_sim *sim = NULL;
    double miss = 1;
    if (mech_easy_system(model) && mech_sim_create(mech_easy_system(model), NULL, &sim) == MECH_OK &&
        mech_sim_set_law(sim, &law) == MECH_OK && mech_sim_run(sim) == MECH_OK && mech_easy_run(same) == MECH_OK) {
        miss = fabs(mech_sim_q(sim)[1] - mech_easy_value(same, "theta"));
        printf("after 4 s: theta = %.3e, x = %.6f; by the law in the text theta differs by %.1e\n", mech_sim_q(sim)[1],
               mech_sim_q(sim)[0], miss);
    } else fprintf(stderr, "%s%s\n", mech_easy_error(model), sim ? mech_sim_error_text(sim) : mech_easy_error(same));
    mech_sim_free(sim);
    mech_easy_close(model);
    mech_easy_close(same);
    return miss < 1e-8 ? 0 : 1;
}
