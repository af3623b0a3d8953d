/* What is said beside a CSV file. */
#ifndef OUTPUT_ABOUT_H
#define OUTPUT_ABOUT_H

#include <mech/output.h>

/* The file beside `path`, PATH-metadata.json: new text, NULL when out of memory. */
char *about_path(const char *path);

typedef struct about_columns {
    size_t count;
    const char *const *names, *const *units; /* (count) entries of units may be NULL                */
    const unsigned char *is_choice;          /* (count)                                             */
    const char *const *texts;                /* names of columns of text behind them; ends with NULL */
    const char *made_by;                     /* NULL, or a mark of what makes the rows               */
} about_columns;
/* Of a table that is to be `url`, beside `path`, where it is written. */
MECH_MUST_CHECK mech_status about_write(const char *path, const char *url, const about_columns *columns);

/* Units and events of a table that was read from `path`; none where nothing is said. made_by: NULL, or where its mark
   goes, new text, NULL where it has none. */
mech_status about_read(const char *path, mech_table *table, char **made_by);

#endif
