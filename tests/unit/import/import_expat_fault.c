/* The k-th allocation fails, k = 1, 2, ...: an import ends with a clean status and leaves nothing behind. */
#include "check.h"
#include "support/mem_fault.h"

#include <mech/import.h>
#include <mech/lang.h>

static void run(const char *path, const char *place, mech_status expected)
{
    for (size_t k = 1;; k++) {
        mech_import_options options;
        char *text = NULL;
        mech_import_options_default(&options, sizeof options);
        options.place = place;
        mem_fault_set(k);
        mech_diagnostics *d = mech_diagnostics_create();
        const mech_status status = d ? mech_import_file(path, &options, d, &text) : MECH_ERR_MEMORY;
        const int hit = mem_fault_hit();
        CHECK((status == MECH_OK) == (text != NULL));
        CHECK(status == (hit ? MECH_ERR_MEMORY : expected));
        if (status != (hit ? MECH_ERR_MEMORY : expected))
            fprintf(stderr, "%s, allocation %zu: %s\n", path, k, mech_status_text(status));
        mem_fault_set(0);
        mech_text_free(text);
        mech_diagnostics_free(d);
        CHECK(mem_fault_live() == 0);
        if (!hit || check_failures > 20) break;
    }
}

/* The same of a model that imports. */
static void run_model(void)
{
    static const char text[] =
        "gravity [0, 0, -9.81]\nbody cart: mass 1\njoint rail: ground to cart, prismatic along [1, 0, 0]\n"
        "import arm: \"tests/import/words.urdf\", angles as written, on cart at [0, 0, 1] turned rotz(pi/2)\n";
    for (size_t k = 1;; k++) {
        mech_model *m = NULL;
        mem_fault_set(k);
        mech_diagnostics *d = mech_diagnostics_create();
        const mech_status status = d ? mech_read_text("fault", text, strlen(text), NULL, d, &m) : MECH_ERR_MEMORY;
        const int hit = mem_fault_hit();
        CHECK(status == (hit ? MECH_ERR_MEMORY : MECH_OK));
        if (status != (hit ? MECH_ERR_MEMORY : MECH_OK))
            fprintf(stderr, "a model, allocation %zu: %s\n", k, mech_status_text(status));
        mem_fault_set(0);
        mech_model_free(m);
        mech_diagnostics_free(d);
        CHECK(mem_fault_live() == 0);
        if (!hit || check_failures > 20) break;
    }
}

int main(void)
{
    run("tests/import/arm.urdf", NULL, MECH_OK);
    run("tests/import/machine.xml", "ground", MECH_OK);
    run("tests/import/turns.xml", NULL, MECH_OK);
    run("tests/import/bad/two-roots.urdf", NULL, MECH_ERR_MODEL);
    run("tests/import/bad/not-closed.urdf", NULL, MECH_ERR_SYNTAX);
    run("tests/import/bad/include-wrong.xml", NULL, MECH_ERR_MODEL);
    run_model();
    return check_report();
}
