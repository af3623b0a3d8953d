/* Every allocation of an assembly fails once: MECH_ERR_MEMORY, nothing is left behind. */
#include <mech/assemble.h>

#include "check.h"
#include "support/mem_fault.h"
#include "support/motion.h"

static mech_status whole(const motion *m)
{
    mech_eval *eval = NULL;
    mech_assembly *assembly = NULL;
    mech_status status = mech_eval_create(m->system, MECH_STORAGE_DENSE, &eval);
    if (status == MECH_OK) status = mech_assembly_create(eval, &assembly);
    if (status == MECH_OK) status = mech_assemble(assembly, NULL);
    if (status == MECH_OK) status = mech_assemble_changed(assembly, 0, (const double[4]){0.6, NAN, NAN, NAN});
    mech_assembly_free(assembly);
    mech_eval_free(eval);
    return status;
}

int main(void)
{
    motion m;
    mem_fault_set(0);
    if (!motion_read(&m, "coord x, y\nkinetic (x'^2 + y'^2)/2\nconstraint rod: x^2 + y^2 = 1\nguess x = 3, y = 4\n"))
        return 1;
    size_t k = 1;
    for (;; k++) {
        const size_t live = mem_fault_live();
        mem_fault_set(k);
        const mech_status status = whole(&m);
        const int hit = mem_fault_hit();
        mem_fault_set(0);
        CHECK(mem_fault_live() == live);
        CHECK(status == (hit ? MECH_ERR_MEMORY : MECH_OK));
        if (!hit) break;
    }
    CHECK(k > 10);
    motion_free(&m);
    return check_report();
}
