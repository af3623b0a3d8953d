/* A run as a table and as a figure. */
#include <mech/output.h>

#include "base/mem.h"
#include "base/text.h"

#include <string.h>

mech_status mech_table_from_run(const mech_trajectory *trajectory, mech_table *table)
{
    const size_t rows = mech_trajectory_rows(trajectory), columns = mech_trajectory_columns(trajectory);
    *table = (mech_table){.size = sizeof *table};
    table->names = mem_zeroed(columns + 1, sizeof *table->names);
    table->data = mem_zeroed(rows * columns + 1, sizeof *table->data);
    int is_whole = table->names && table->data;
    for (size_t j = 0; is_whole && j < columns; j++) {
        textbuf name = {0};
        text_add(&name, mech_trajectory_name(trajectory, j));
        table->names[j] = text_take(&name);
        is_whole = table->names[j] != NULL;
        table->columns = j + 1;
    }
    if (is_whole) {
        mech_trajectory_copy(trajectory, table->data);
        table->rows = rows;
        return MECH_OK;
    }
    mech_table_free(table);
    return MECH_ERR_MEMORY;
}

enum { MOST_SHOWN = 8, MOST_MARKS = 40 };

static void show(const mech_trajectory *trajectory, const mech_system *system, mech_item item, size_t count,
                 size_t most, size_t *chosen, size_t *found)
{
    for (size_t i = 0; i < count && *found < most; i++) {
        const size_t column = mech_trajectory_find(trajectory, mech_system_name(system, item, i));
        if (column != SIZE_MAX) chosen[(*found)++] = column;
    }
}

/* Events of the model, for the marks. */
static size_t event_marks(const mech_sim *sim, double *times, const char **names)
{
    size_t count = 0;
    for (size_t i = 0; i < mech_sim_happening_count(sim) && count < MOST_MARKS; i++) {
        const mech_happening h = mech_sim_happening_get(sim, i);
        if (h.kind != MECH_HAPPENED_EVENT) continue;
        times[count] = h.t;
        names[count++] = h.name;
    }
    return count;
}

mech_status mech_run_write(const mech_sim *sim, const mech_system *system, const char *title, const char *path)
{
    const mech_trajectory *trajectory = mech_sim_trajectory(sim);
    const mech_sizes sizes = mech_system_sizes(system);
    size_t chosen[2 * MOST_SHOWN], count = 0;
    double times[MOST_MARKS];
    const char *names[MOST_MARKS];
    mech_table table;
    mech_status status = mech_table_from_run(trajectory, &table);
    const char **units = status == MECH_OK ? mem_zeroed(table.columns + 1, sizeof *units) : NULL;
    if (!units) status = MECH_ERR_MEMORY;
    for (size_t i = 0; units && i < table.columns; i++) units[i] = mech_trajectory_unit(trajectory, i);
    show(trajectory, system, MECH_ITEM_COORD, sizes.coords, MOST_SHOWN, chosen, &count);
    show(trajectory, system, MECH_ITEM_OUTPUT, sizes.outputs, 2 * MOST_SHOWN, chosen, &count);
    if (status == MECH_OK) {
        const mech_figure figure = {.size = sizeof figure,
                                    .table = &table,
                                    .x = 0,
                                    .y = chosen,
                                    .y_count = count,
                                    .units = units,
                                    .title = title,
                                    .marks = times,
                                    .mark_names = names,
                                    .mark_count = event_marks(sim, times, names)};
        status = mech_figure_write(&figure, path);
    }
    mem_free(units);
    mech_table_free(&table);
    return status;
}
