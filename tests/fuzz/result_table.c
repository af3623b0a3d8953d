/* Any bytes as a result file read back by `mech plot`. */
#include "output/table.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    textbuf text = {0}, why = {0};
    mech_table table;
    size_t line = 0;
    text_add_n(&text, (const char *)data, size);
    const mech_status status = table_from_text(&text, &table, &line, &why);
    if (status == MECH_ERR_FILE && !why.data) abort();
    if (status == MECH_OK) { /* a table is whole: each name and number can be looked at */
        volatile double sum = 0;
        if (!table.columns) abort();
        for (size_t i = 0; i < table.columns; i++) sum += (double)strlen(table.names[i]);
        for (size_t i = 0; i < table.rows * table.columns; i++) sum += table.data[i];
    }
    mech_table_free(&table);
    text_free(&why);
    text_free(&text);
    return 0;
}
