/* MATLAB 5 files through matio. */
#include <mech/output.h>

#include "base/mem.h"
#include "base/text.h"
#include "output/aside.h"

#include <matio.h>

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

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

/* The identifier of column j, different from all before it: where x_dot stands beside x', or long names are cut, the number
   of the column is added. */
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

/* Writes and frees a variable: 1 done. */
static int write_variable(mat_t *mat, matvar_t *variable)
{
    const int ok = variable && Mat_VarWrite(mat, variable, MAT_COMPRESSION_NONE) == 0;
    Mat_VarFree(variable);
    return ok;
}

static int write_matrix(mat_t *mat, const char *name, double *data, size_t rows, size_t columns)
{
    size_t dims[2] = {rows, columns};
    return write_variable(mat, Mat_VarCreate(name, MAT_C_DOUBLE, MAT_T_DOUBLE, 2, dims, data, MAT_F_DONT_COPY_DATA));
}

static mech_status write_columns(mat_t *mat, const mech_table *t, double *by_column)
{
    for (size_t j = 0; j < t->columns; j++)
        for (size_t i = 0; i < t->rows; i++) by_column[j * t->rows + i] = t->data[i * t->columns + j];
    int ok = write_matrix(mat, "data", by_column, t->rows, t->columns);
    char **given = mem_zeroed(t->columns + 1, sizeof *given);
    int has_names = 1;
    for (size_t j = 0; j < t->columns && ok; j++) {
        if (given) given[j] = own_identifier(t, j, given);
        has_names = given && given[j];
        ok = has_names && write_matrix(mat, given[j], by_column + j * t->rows, t->rows, 1);
    }
    for (size_t j = 0; given && j < t->columns; j++) mem_free(given[j]);
    mem_free(given);
    return ok ? MECH_OK : has_names ? MECH_ERR_FILE : MECH_ERR_MEMORY;
}

static int write_names(mat_t *mat, const mech_table *t)
{
    size_t dims[2] = {t->columns, 1};
    matvar_t *cells = Mat_VarCreate("names", MAT_C_CELL, MAT_T_CELL, 2, dims, NULL, 0);
    for (size_t j = 0; cells && j < t->columns; j++) {
        size_t length = 0;
        while (t->names[j][length]) length++;
        size_t size[2] = {1, length};
        Mat_VarSetCell(cells, (int)j, Mat_VarCreate(NULL, MAT_C_CHAR, MAT_T_UTF8, 2, size, t->names[j], 0));
    }
    return write_variable(mat, cells);
}

/* Whether a file has at least this many bytes: matio does not tell when the disk was full. */
static int holds(const char *path, size_t bytes)
{
    struct stat about;
    return stat(path, &about) == 0 && (size_t)about.st_size >= bytes;
}

mech_status mech_mat_write(const char *path, const mech_table *table)
{
    char *part = aside_path(path);
    double *by_column = mem_alloc((table->rows * table->columns + 1) * sizeof *by_column);
    mech_status status = part && by_column ? MECH_OK : MECH_ERR_MEMORY;
    mat_t *mat = status == MECH_OK ? Mat_CreateVer(part, "MATLAB 5.0 MAT-file, written by Mechanician", MAT_FT_MAT5) : NULL;
    if (status == MECH_OK && !mat) status = MECH_ERR_FILE;
    if (mat) status = write_columns(mat, table, by_column);
    if (status == MECH_OK && !write_names(mat, table)) status = MECH_ERR_FILE;
    if (mat && Mat_Close(mat) != 0 && status == MECH_OK) status = MECH_ERR_FILE;
    if (status == MECH_OK && !holds(part, 2 * table->rows * table->columns * sizeof(double))) status = MECH_ERR_FILE;
    if (status == MECH_OK) status = aside_commit(part, path);
    else if (mat) remove(part);
    mem_free(part);
    mem_free(by_column);
    return status;
}
