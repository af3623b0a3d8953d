/* A MATLAB 5 file that is written aside and takes its name when it is whole. The first failure is kept; what
   follows it does nothing. */
#ifndef OUTPUT_MAT_FILE_H
#define OUTPUT_MAT_FILE_H

#include <mech/base.h>

typedef struct mat_file {
    void *mat; /* NULL: not open */
    const char *path;
    char *part;
    size_t bytes; /* of the numbers given: the file has no fewer */
    mech_status status;
} mat_file;

/* MECH_ERR_UNSUPPORTED: see mech_mat_obstacle. Ends with mat_file_close, whatever it returns. */
void mat_file_open(mat_file *f, const char *path);
/* data (rows x columns, by columns) */
void mat_file_matrix(mat_file *f, const char *name, const double *data, size_t rows, size_t columns);
/* A cell array of texts. */
void mat_file_texts(mat_file *f, const char *name, char *const *texts, size_t count);
mech_status mat_file_close(mat_file *f);

#endif
