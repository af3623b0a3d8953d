#include <mech/output.h>

mech_status mech_linear_write(const char *path, const mech_system *system, const mech_linear_result *linear)
{
    (void)path;
    (void)system;
    (void)linear;
    return MECH_ERR_UNSUPPORTED;
}
