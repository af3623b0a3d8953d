#include "simulate/trajectory.h"
#include "base/mem.h"

#include <string.h>

void trajectory_add_column(mech_trajectory *t, const char *name, const char *unit)
{
    char *copy = t->lacks_memory || !name ? NULL : mem_text(name, strlen(name));
    t->lacks_memory = !copy || !mem_grow(&t->column, &t->column_capacity, t->columns + 1, sizeof *t->column);
    if (t->lacks_memory) mem_free(copy);
    else t->column[t->columns++] = (trajectory_column){.name = copy, .unit = unit};
}

double *trajectory_next(mech_trajectory *t)
{
    const size_t chunk = t->rows / TRAJECTORY_CHUNK_ROWS;
    if (chunk == t->chunk_count) {
        if (!mem_grow(&t->chunks, &t->chunk_capacity, chunk + 1, sizeof *t->chunks)) return NULL;
        t->chunks[chunk] = mem_zeroed(TRAJECTORY_CHUNK_ROWS * t->columns, sizeof(double));
        if (!t->chunks[chunk]) return NULL;
        t->chunk_count++;
    }
    return t->chunks[chunk] + t->rows % TRAJECTORY_CHUNK_ROWS * t->columns;
}

void trajectory_clear(mech_trajectory *t)
{
    for (size_t k = 0; k < t->chunk_count; k++) mem_free(t->chunks[k]);
    t->chunk_count = t->rows = 0;
}

void trajectory_release(mech_trajectory *t)
{
    trajectory_clear(t);
    for (size_t k = 0; k < t->columns; k++) mem_free(t->column[k].name);
    mem_free(t->column);
    mem_free(t->chunks);
    memset(t, 0, sizeof *t);
}

size_t mech_trajectory_rows(const mech_trajectory *t) { return t->rows; }
size_t mech_trajectory_columns(const mech_trajectory *t) { return t->columns; }

const char *mech_trajectory_name(const mech_trajectory *t, size_t column)
{
    return column < t->columns ? t->column[column].name : NULL;
}

const char *mech_trajectory_unit(const mech_trajectory *t, size_t column)
{
    return column < t->columns ? t->column[column].unit : NULL;
}

int mech_trajectory_is_choice(const mech_trajectory *t, size_t column)
{
    return column < t->columns && t->is_choice && t->is_choice[column];
}

size_t mech_trajectory_find(const mech_trajectory *t, const char *name)
{
    for (size_t k = 0; k < t->columns; k++)
        if (mech_same_name(t->column[k].name, name)) return k;
    return SIZE_MAX;
}

const double *mech_trajectory_row(const mech_trajectory *t, size_t row)
{
    if (row >= t->rows) return NULL;
    return t->chunks[row / TRAJECTORY_CHUNK_ROWS] + row % TRAJECTORY_CHUNK_ROWS * t->columns;
}

void mech_trajectory_copy(const mech_trajectory *t, double *rows)
{
    for (size_t k = 0; k < t->rows; k += TRAJECTORY_CHUNK_ROWS) {
        const size_t count = t->rows - k < TRAJECTORY_CHUNK_ROWS ? t->rows - k : TRAJECTORY_CHUNK_ROWS;
        memcpy(rows + k * t->columns, t->chunks[k / TRAJECTORY_CHUNK_ROWS], count * t->columns * sizeof *rows);
    }
}

void mech_trajectory_copy_column(const mech_trajectory *t, size_t column, double *values)
{
    for (size_t k = 0; k < t->rows; k++) values[k] = mech_trajectory_row(t, k)[column];
}
