#include "output/runs_file.h"

int runs_has_hdf5(void) { return 0; }

mech_status runs_write_hdf5(const char *path, const runs_rows *rows)
{
    (void)path;
    (void)rows;
    return MECH_ERR_UNSUPPORTED;
}
