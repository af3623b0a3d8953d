/* Without a way to start programs there is no compiler. */
#include "fmu/code.h"

mech_status fmu_binary_make(const fmu_code *code, int fmi, fmu_binary *made, const char **why)
{
    (void)code;
    (void)fmi;
    *made = (fmu_binary){.folder = ""};
    *why = "this build starts no compiler";
    return MECH_ERR_UNSUPPORTED;
}

void fmu_binary_remove(const fmu_code *code, fmu_binary *made)
{
    (void)code;
    (void)made;
}
