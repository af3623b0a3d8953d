/* A MATLAB 5 file that is written aside and takes its name when it is whole. The first failure is kept; what
   follows it does nothing. */
#ifndef OUTPUT_MAT_FILE_H
#define OUTPUT_MAT_FILE_H

#include <mech/base.h>

#include <stdio.h>

typedef struct mat_file {
    FILE *file; /* NULL: not open */
    const char *path;
    char *part;
    mech_status status;
} mat_file;

/* Ends with mat_file_close, whatever it returns. */
void mat_file_open(mat_file *f, const char *path);
/* data (rows x columns, by columns). MECH_ERR_LIMIT: the format has room for 2 GiB in a variable. */
void mat_file_matrix(mat_file *f, const char *name, const double *data, size_t rows, size_t columns);
/* A cell array of texts. */
void mat_file_texts(mat_file *f, const char *name, char *const *texts, size_t count);
mech_status mat_file_close(mat_file *f);

#endif
