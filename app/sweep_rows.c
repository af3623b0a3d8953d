/* mech sweep --trajectories: the rows of each run in a file of its own. Called by the threads that make the runs. */
#include "common.h"
#include "sweep.h"

#include <mech/output.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int sweep_make_folder(const char *folder)
{
    struct stat about;
    if (mkdir(folder, 0777) == 0) return 1;
    return errno == EEXIST && stat(folder, &about) == 0 && S_ISDIR(about.st_mode);
}

static mech_status write_rows(const char *path, const mech_trajectory *rows)
{
    const size_t columns = mech_trajectory_columns(rows);
    const char **names = malloc((columns + 1) * sizeof *names);
    mech_csv *csv = NULL;
    if (!names) return MECH_ERR_MEMORY;
    for (size_t i = 0; i < columns; i++) names[i] = mech_trajectory_name(rows, i);
    mech_status status = mech_csv_open(path, names, columns, &csv);
    for (size_t k = 0; k < mech_trajectory_rows(rows) && status == MECH_OK; k++)
        status = mech_csv_row(csv, mech_trajectory_row(rows, k));
    free(names);
    if (status == MECH_OK) return mech_csv_commit(csv);
    mech_csv_abandon(csv);
    return status;
}

int sweep_write_rows(void *folder, size_t run, const mech_sim *sim)
{
    char path[4096];
    const int made = snprintf(path, sizeof path, "%s/run-%zu.csv", (const char *)folder, run);
    return made < 0 || (size_t)made >= sizeof path || write_rows(path, mech_sim_trajectory(sim)) != MECH_OK ||
           mech_about_write(path, sim) != MECH_OK;
}
