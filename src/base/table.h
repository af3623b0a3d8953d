/* A signal given by points: one column of a CSV file over its time column. */
#ifndef BASE_TABLE_H
#define BASE_TABLE_H

#include "base/diagnostics.h"

/* Between points of at most this size neither differences nor squares of them overflow. */
#define TABLE_MOST 1e100

typedef struct points_table {
    double *t, *y; /* (count) t ascends */
    size_t count;
    char *path;  /* of the file as it was opened */
    int is_held; /* between the points, in place of straight lines */
} points_table;

/* Reads it. Time is the column `t` or `time`, else the first one; with by_first it is the first one whatever it is, and
   need not be a time. What is wrong goes to diagnostics (may be NULL) at the given place. */
mech_status table_read(const char *file, const char *column, int by_first, mech_diagnostics *diagnostics,
                       mech_span span, points_table *table);
void table_free(points_table *table);
/* Value and slope at t, linear between the points (at a point: the slope after it) or held (at a point: its value),
   constant before the first and after the last. */
void table_at(const points_table *table, double t, double *value, double *slope);
/* The first point after t; HUGE_VAL when there is none. */
double table_next(const points_table *table, double t);

#endif
