/* What is said beside a CSV file. */
#ifndef OUTPUT_ABOUT_H
#define OUTPUT_ABOUT_H

#include <mech/output.h>

/* Units and events of a table that was read from `path`; none where nothing is said. */
mech_status about_read(const char *path, mech_table *table);

#endif
