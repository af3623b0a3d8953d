/* Rows of numbers under names; grows in chunks, so rows never move. */
#ifndef SIMULATE_TRAJECTORY_H
#define SIMULATE_TRAJECTORY_H

#include <mech/simulate.h>

enum { TRAJECTORY_CHUNK_ROWS = 256 };

typedef struct trajectory_column {
    char *name;       /* owned    */
    const char *unit; /* borrowed */
} trajectory_column;

struct mech_trajectory {
    trajectory_column *column; /* (columns) */
    /* (columns) borrowed: multipliers that are not unique are in it (unique.c) */
    const unsigned char *is_choice;
    size_t columns, column_capacity;
    int lacks_memory; /* a column could not be added, and none was since */
    double **chunks;
    size_t chunk_count, chunk_capacity, rows;
};

/* Takes a copy of the name; NULL: there was no memory for it. Only while there are no rows. */
void trajectory_add_column(mech_trajectory *t, const char *name, const char *unit);
/* Space for one more row, not yet counted; NULL when out of memory. */
double *trajectory_next(mech_trajectory *t);
void trajectory_clear(mech_trajectory *t);   /* rows only */
void trajectory_release(mech_trajectory *t); /* all it owns */

#endif
