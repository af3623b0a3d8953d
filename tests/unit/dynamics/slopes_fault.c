/* Slopes: every allocation of their creation fails once, and none is made afterwards; nor is one to bring a state onto
   its constraints. */
#include "support/mem_fault.h"
#include "check.h"

#include <mech/assemble.h>
#include <mech/lang.h>
#include <mech/slopes.h>

static const char text[] =
    "param g = 9.81, c = 0.1\ncoord x, y\nstate w: w' = x - w\ninput u = t\nkinetic (x'^2 + y'^2)/2\npotential g*y\nforce u - c*x' on x'\n"
    "constraint rod: x^2 + y^2 = 1\nnonideal on rod: [x, y] = -0.2*[x', y']\n";

static void is_made(const mech_system *system)
{
    int finished = 0;
    const size_t live = mem_fault_live();
    for (size_t k = 1; k < 200 && !finished; k++) {
        mech_slopes *slopes;
        mem_fault_set(k);
        const mech_status status = mech_slopes_create(system, &slopes);
        finished = !mem_fault_hit();
        mem_fault_set(0);
        CHECK(status == (finished ? MECH_OK : MECH_ERR_MEMORY) && (slopes != NULL) == finished);
        mech_slopes_free(slopes);
        CHECK(mem_fault_live() == live);
    }
    CHECK(finished);
}

/* Beside the rod by an integrator of one's own: onto it, and the slopes there. */
static void goes_on(const mech_system *system)
{
    mech_slopes *slopes;
    mech_assembly *assembly;
    mech_assemble_options at;
    CHECK(mech_slopes_create(system, &slopes) == MECH_OK &&
          mech_assembly_create(mech_slopes_eval(slopes), &assembly) == MECH_OK);
    mech_assemble_options_default(&at, sizeof at);
    mem_fault_set(0);
    for (int k = 0; k < 5; k++) {
        const double q[2] = {0.606, -0.808}, v[2] = {1, 0.1 * k}, z[1] = {0.3};
        at.t = 0.1 * k;
        at.q = q;
        at.v = v;
        at.z = z;
        CHECK(mech_assemble(assembly, &at) == MECH_OK);
        const double *on = mech_assembly_q(assembly), *speed = mech_assembly_v(assembly);
        CHECK_NEAR(on[0], 0.6, 1e-10);
        CHECK_NEAR(on[1], -0.8, 1e-10);
        CHECK_NEAR(on[0] * speed[0] + on[1] * speed[1], 0, 1e-10);
        CHECK(mech_slopes_at(slopes, at.t, on, speed, mech_assembly_z(assembly)) == MECH_OK);
        CHECK_NEAR(mech_slopes_get(slopes)->rate_q[0], 1, 1e-14);
    }
    CHECK(mem_fault_calls() == 0);
    mech_assembly_free(assembly);
    mech_slopes_free(slopes);
}

int main(void)
{
    const mech_system_options with = {.size = sizeof with, .with_derivatives = 1, .with_parameters = 1};
    mech_diagnostics *diagnostics = mech_diagnostics_create();
    mech_model *model = NULL;
    mech_system *system = NULL;
    CHECK(mech_read_text("test", text, sizeof text - 1, NULL, diagnostics, &model) == MECH_OK &&
          mech_system_create(model, &with, diagnostics, &system) == MECH_OK);
    is_made(system);
    goes_on(system);
    mech_system_free(system);
    mech_model_free(model);
    mech_diagnostics_free(diagnostics);
    return check_report();
}
