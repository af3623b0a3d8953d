/* A table as a MATLAB 5 file. */
#include <mech/output.h>

#include "base/mem.h"
#include "base/text.h"
#include "output/mat_file.h"

#include <ctype.h>
#include <string.h>

/* A name MATLAB accepts: letters, digits, underscores, a letter in front. x' -> x_dot, x[1] -> x_1. */
static char *identifier(const char *name)
{
    textbuf out = {0};
    if (!isalpha((unsigned char)*name)) text_add(&out, "c_");
    for (; *name; name++) {
        const unsigned char c = (unsigned char)*name;
        if (name[0] == '\'' && name[1] == '\'') {
            text_add(&out, "_ddot");
            name++;
        } else if (c == '\'') {
            text_add(&out, "_dot");
        } else if (isalnum(c) && c < 128) {
            text_add_char(&out, (char)c);
        } else if (c != ']' && c != ')') {
            text_add_char(&out, '_');
        }
    }
    enum { LONGEST = 60 };
    if (out.length > LONGEST) out.data[out.length = LONGEST] = '\0';
    return text_take(&out);
}

/* 1 when another variable of the file has this name already. */
static int is_taken(const char *name, char *const *before, size_t count)
{
    if (strcmp(name, "data") == 0 || strcmp(name, "names") == 0) return 1;
    for (size_t i = 0; i < count; i++)
        if (strcmp(before[i], name) == 0) return 1;
    return 0;
}

/* The identifier of column j, different from all before it: where x_dot stands beside x', or long names are
   cut, the number of the column is added. */
static char *own_identifier(const mech_table *t, size_t j, char *const *before)
{
    enum { ROOM = 48 };
    char *name = identifier(t->names[j]);
    if (!name || !is_taken(name, before, j)) return name;
    textbuf out = {0};
    text_add_n(&out, name, strlen(name) < ROOM ? strlen(name) : ROOM);
    text_format(&out, "_c%zu", j + 1);
    mem_free(name);
    return text_take(&out);
}

static void write_columns(mat_file *f, const mech_table *t, double *by_column)
{
    for (size_t j = 0; j < t->columns; j++)
        for (size_t i = 0; i < t->rows; i++) by_column[j * t->rows + i] = t->data[i * t->columns + j];
    mat_file_matrix(f, "data", by_column, t->rows, t->columns);
    char **given = mem_zeroed(t->columns + 1, sizeof *given);
    if (!given) f->status = MECH_ERR_MEMORY;
    for (size_t j = 0; j < t->columns && f->status == MECH_OK; j++) {
        given[j] = own_identifier(t, j, given);
        if (given[j]) mat_file_matrix(f, given[j], by_column + j * t->rows, t->rows, 1);
        else f->status = MECH_ERR_MEMORY;
    }
    for (size_t j = 0; given && j < t->columns; j++) mem_free(given[j]);
    mem_free(given);
}

mech_status mech_mat_write(const char *path, const mech_table *table)
{
    mat_file f;
    double *by_column = mem_alloc((table->rows * table->columns + 1) * sizeof *by_column);
    if (!by_column) return MECH_ERR_MEMORY;
    mat_file_open(&f, path);
    if (f.status == MECH_OK) write_columns(&f, table, by_column);
    mat_file_texts(&f, "names", table->names, table->columns);
    const mech_status status = mat_file_close(&f);
    mem_free(by_column);
    return status;
}
