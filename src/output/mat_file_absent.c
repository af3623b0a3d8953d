/* A build without matio. */
#include "output/mat_file.h"

#include <mech/output.h>

const char *mech_mat_obstacle(void) { return "this build cannot write MATLAB files"; }

void mat_file_open(mat_file *f, const char *path)
{
    *f = (mat_file){.path = path, .status = MECH_ERR_UNSUPPORTED};
}

void mat_file_matrix(mat_file *f, const char *name, const double *data, size_t rows, size_t columns)
{
    (void)f;
    (void)name;
    (void)data;
    (void)rows;
    (void)columns;
}

void mat_file_texts(mat_file *f, const char *name, char *const *texts, size_t count)
{
    (void)f;
    (void)name;
    (void)texts;
    (void)count;
}

mech_status mat_file_close(mat_file *f) { return f->status; }
