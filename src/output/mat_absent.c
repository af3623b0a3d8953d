/* MATLAB files in a build without matio. */
#include <mech/output.h>

mech_status mech_mat_write(const char *path, const mech_table *table)
{
    (void)path;
    (void)table;
    return MECH_ERR_UNSUPPORTED;
}
