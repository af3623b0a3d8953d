/* The k-th allocation fails, k = 1, 2, ...: describing a unit ends with a clean status and leaves nothing behind. */
#include "check.h"
#include "support/mem_fault.h"

#include <mech/fmu.h>

#include "fmu/code.h"

static const char text[] =
    "param N = 2, m = 1 \"kg\", J = m*3\ncoord x[1..N] \"m\"\ninput u = t + 2 \"<&\"\n"
    "kinetic J*x[1]'^2/2 + x[2]'^2/2\nforce u on x[1]'\noutput y = x[1] \"m\"\nsimulate until 3\n";

/* The sources of a unit in C, likewise. */
static void write_code(const mech_model *model, mech_diagnostics *d)
{
    mech_system *system = NULL;
    const mech_system_options with = {.size = sizeof with, .with_derivatives = 1};
    CHECK(mech_system_create(model, &with, d, &system) == MECH_OK);
    CHECK(fmu_code_obstacle(system) == NULL);
    for (size_t k = 1;; k++) {
        fmu_code code;
        const size_t live = mem_fault_live();
        mem_fault_set(k);
        const mech_status status = fmu_code_make(system, 3, "unit", "{token}", 2, &code);
        const int hit = mem_fault_hit();
        mem_fault_set(0);
        CHECK(status == MECH_OK || (hit && status == MECH_ERR_MEMORY)); /* the order of statements may do without */
        CHECK(code.count == (status == MECH_OK ? 13 : 0));
        fmu_code_free(&code);
        CHECK(mem_fault_live() == live);
        if (!hit || check_failures > 20) break;
    }
    mech_system_free(system);
}

int main(void)
{
    mech_diagnostics *d = mech_diagnostics_create();
    mech_model *model = NULL;
    mech_system *system = NULL;
    mech_fmu_options options;
    mech_fmu_options_default(&options, sizeof options);
    CHECK(mech_read_text("text", text, sizeof text - 1, NULL, d, &model) == MECH_OK);
    CHECK(mech_system_from_model(model, d, &system) == MECH_OK);
    for (int turn = 0; turn < 4; turn++) {
        const int fmi = 2 + turn % 2;
        options.kinds = turn < 2 ? MECH_FMU_COSIMULATION : MECH_FMU_COSIMULATION | MECH_FMU_EXCHANGE;
        for (size_t k = 1;; k++) {
            char *description = NULL;
            const size_t live = mem_fault_live();
            options.fmi = fmi;
            mem_fault_set(k);
            const mech_status status = mech_fmu_describe(system, &options, &description);
            const int hit = mem_fault_hit();
            mem_fault_set(0);
            CHECK(status == (hit ? MECH_ERR_MEMORY : MECH_OK));
            CHECK((description == NULL) == hit);
            if (description) {
                CHECK(strstr(description, "unit=\"&lt;&amp;\"") != NULL);
                CHECK(strstr(description, "start=\"2\"") != NULL); /* the signal at the start */
                CHECK(strstr(description, fmi == 2 ? "guid=" : "instantiationToken=") != NULL);
                CHECK((strstr(description, "<ModelExchange") != NULL) == (turn >= 2));
                CHECK((strstr(description, "name=\"excess gain\"") != NULL) == (turn >= 2));
            }
            mech_text_free(description);
            CHECK(mem_fault_live() == live);
            if (!hit || check_failures > 20) break;
        }
    }
    write_code(model, d);
    char *none = NULL;
    options.fmi = 1;
    CHECK(mech_fmu_describe(system, &options, &none) == MECH_ERR_ARGUMENT && !none);
    options.fmi = 2;
    CHECK(mech_export_fmu(system, "unit.fmu", &options, d) == MECH_ERR_ARGUMENT); /* no binary */
    mech_system_free(system);
    mech_model_free(model);
    mech_diagnostics_free(d);
    return check_report();
}
