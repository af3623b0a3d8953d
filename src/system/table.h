/* A signal given by points: one column of a CSV file over its time column. */
#ifndef SYSTEM_TABLE_H
#define SYSTEM_TABLE_H

#include "base/diagnostics.h"

typedef struct system_table {
    double *t, *y; /* (count) t ascends */
    size_t count;
    char *path;  /* of the file as it was opened */
    int is_held; /* between the points, in place of straight lines */
} system_table;

/* Reads it. Time is the column `t` or `time`, else the first one. The path is seen from `folder` (NULL: from where the
   program runs). What is wrong goes to diagnostics (may be NULL) at the given place. */
mech_status system_table_read(const char *file, const char *column, const char *folder, mech_diagnostics *diagnostics,
                              mech_span span, system_table *table);
void system_table_free(system_table *table);
/* Value and slope at t, linear between the points (at a point: the slope after it) or held (at a point: its value),
   constant before the first and after the last. */
void system_table_at(const system_table *table, double t, double *value, double *slope);
/* The first point after t; HUGE_VAL when there is none. */
double system_table_next(const system_table *table, double t);

#endif
