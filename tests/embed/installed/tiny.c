/* A model text and a bare equation through the installed library. */
#include <mech/mech.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

int main(void)
{
    static const char text[] = "coord x, y\nkinetic x'^2 + y'^2\npotential 9.81*y\nconstraint slope: x = y\n";
    mech_diagnostics *diagnostics = mech_diagnostics_create();
    mech_model *model = NULL;
    mech_system *system = NULL;
    mech_instant *instant = NULL;
    mech_instant_input at;
    const double zero[2] = {0, 0};
    double acceleration = 0;
    mech_instant_input_default(&at, sizeof at);
    at.q = at.v = zero;
    if (mech_read_text("slope", text, strlen(text), NULL, diagnostics, &model) == MECH_OK &&
        mech_system_from_model(model, diagnostics, &system) == MECH_OK &&
        mech_instant_create(system, 0, &instant) == MECH_OK && mech_instant_solve(instant, &at) == MECH_OK)
        acceleration = mech_instant_get(instant)->qdd[0];
    printf("mechanician %s: x'' = %g\n", mech_version(), acceleration);
    mech_instant_free(instant);
    mech_system_free(system);
    mech_model_free(model);
    mech_diagnostics_free(diagnostics);
    return fabs(acceleration + 9.81 / 4) > 1e-12;
}
