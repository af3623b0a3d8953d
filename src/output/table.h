/* A result file that is in memory already. */
#ifndef OUTPUT_TABLE_H
#define OUTPUT_TABLE_H

#include <mech/output.h>

#include "base/text.h"

/* The table a text holds. On MECH_ERR_FILE `why` says what is wrong and *line where, 0: as a whole. */
mech_status table_from_text(const textbuf *text, mech_table *table, size_t *line, textbuf *why);

#endif
