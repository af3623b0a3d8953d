/* Without libzip there are no units. */
#include "fmu/fmu.h"

#include <stdio.h>

mech_status fmu_package(const char *path, const fmu_file *files, size_t count, char *why, size_t size)
{
    (void)path;
    (void)files;
    (void)count;
    snprintf(why, size, "this build packs no units");
    return MECH_ERR_UNSUPPORTED;
}
