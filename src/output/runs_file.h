/* The results of many runs as a file of another format, made from their rows. */
#ifndef OUTPUT_RUNS_FILE_H
#define OUTPUT_RUNS_FILE_H

#include <mech/base.h>

#include <stddef.h>

typedef struct runs_rows {
    size_t count, columns;
    const char *const *names;       /* (columns)                                            */
    const char *const *units;       /* (columns) NULL entries: no unit                      */
    const unsigned char *is_choice; /* (columns) 1: values are one choice of many     */
    size_t longest_reason;          /* bytes                                                */
    /* The next row: its numbers (columns), and words that are good until the next call. */
    mech_status (*next)(void *reader, double *numbers, const char **status, const char **reason);
    void *reader;
} runs_rows;

/* Whether HDF5 files can be written here. */
int runs_has_hdf5(void);
/* One data set a column, then `status` and `reason`, texts of fixed length. MECH_ERR_FILE: what is there is no file. */
mech_status runs_write_hdf5(const char *path, const runs_rows *rows);

#endif
