/* What `mech run` says at its end, and the figure it draws. */
#include "common.h"
#include "run.h"
#include "say.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

mech_status run_table(const mech_trajectory *trajectory, mech_table *table)
{
    *table = (mech_table){.size = sizeof *table, .rows = mech_trajectory_rows(trajectory), .columns = mech_trajectory_columns(trajectory)};
    table->names = malloc((table->columns + 1) * sizeof *table->names);
    table->data = malloc((table->rows * table->columns + 1) * sizeof *table->data);
    if (!table->names || !table->data) return MECH_ERR_MEMORY;
    for (size_t j = 0; j < table->columns; j++) table->names[j] = (char *)mech_trajectory_name(trajectory, j);
    for (size_t i = 0; i < table->rows; i++)
        memcpy(table->data + i * table->columns, mech_trajectory_row(trajectory, i), table->columns * sizeof *table->data);
    return MECH_OK;
}

void run_table_free(mech_table *table)
{
    free(table->names);
    free(table->data);
}

/* The columns worth a look: outputs if there are any, else the first coordinates. */
static size_t choose_columns(const mech_trajectory *trajectory, const mech_system *system, size_t *chosen)
{
    enum { MOST = 8 };
    const mech_sizes sizes = mech_system_sizes(system);
    size_t count = 0;
    for (size_t i = 0; i < sizes.coords && count < MOST; i++) {
        const size_t column = mech_trajectory_find(trajectory, mech_system_name(system, MECH_ITEM_COORD, i));
        if (column != SIZE_MAX) chosen[count++] = column;
    }
    for (size_t i = 0; i < sizes.outputs && count < 2 * MOST; i++) {
        const size_t column = mech_trajectory_find(trajectory, mech_system_name(system, MECH_ITEM_OUTPUT, i));
        if (column != SIZE_MAX) chosen[count++] = column;
    }
    return count;
}

/* Events of the model, for the marks. */
static size_t event_marks(const mech_sim *sim, double *times, const char **names, size_t most)
{
    size_t count = 0;
    for (size_t i = 0; i < mech_sim_happening_count(sim) && count < most; i++) {
        const mech_happening h = mech_sim_happening_get(sim, i);
        if (h.kind != MECH_HAPPENED_EVENT) continue;
        times[count] = h.t;
        names[count++] = h.name;
    }
    return count;
}

/* The file with the folder it lies in: enough to know it by. */
static const char *short_path(const char *path)
{
    const char *last = strrchr(path, '/'), *before = last;
    while (before && before > path && before[-1] != '/') before--;
    return before ? before : path;
}

int run_plot(const mech_sim *sim, const mech_system *system, const char *path, const char *title)
{
    enum { MOST_MARKS = 40 };
    const mech_trajectory *trajectory = mech_sim_trajectory(sim);
    size_t chosen[16];
    double times[MOST_MARKS];
    const char *names[MOST_MARKS];
    mech_table table;
    mech_status status = run_table(trajectory, &table);
    const char **units = malloc((table.columns + 1) * sizeof *units);
    if (!units) status = MECH_ERR_MEMORY;
    for (size_t i = 0; units && i < table.columns; i++) units[i] = mech_trajectory_unit(trajectory, i);
    if (status == MECH_OK) {
        const mech_figure figure = {.size = sizeof figure, .table = &table, .x = 0, .y = chosen,
                                    .y_count = choose_columns(trajectory, system, chosen), .units = units, .title = short_path(title),
                                    .marks = times, .mark_names = names, .mark_count = event_marks(sim, times, names, MOST_MARKS)};
        status = mech_figure_write(&figure, path);
    }
    free(units);
    run_table_free(&table);
    return figure_code("run", path, status);
}

static void print_happenings(const mech_sim *sim)
{
    enum { MOST_SHOWN = 12 };
    const size_t count = mech_sim_happening_count(sim);
    for (size_t i = 0; i < count && i < MOST_SHOWN; i++) {
        const mech_happening h = mech_sim_happening_get(sim, i);
        printf("%-22s t = %-12.8g %s\n", i ? "" : "what happened", h.t, h.text);
    }
    if (count > MOST_SHOWN) printf("%-22s ... and %zu more; --json lists them all\n", "", count - MOST_SHOWN);
}

int run_summary_text(const mech_sim *sim, const mech_system *system, int is_verbose, const char *path, const char *figure)
{
    char *text = NULL;
    if (is_verbose) text = mech_sim_audit_text(sim);
    else if (mech_report_run(sim, system, MECH_OK, path, MECH_REPORT_TEXT, &text) != MECH_OK) text = NULL;
    if (!text) {
        say("mech run: no account, for want of memory; the rows are in '%s'\n", path);
        return 0;
    }
    fputs(text, stdout);
    mech_text_free(text);
    if (is_verbose) print_happenings(sim);
    printf("rows in %s%s%s\n", path, figure ? ", figure in " : "", figure ? figure : "");
    return 1;
}

int run_summary_json(const mech_sim *sim, const mech_system *system, mech_status status, const char *path)
{
    char *text = NULL;
    const mech_status written = mech_report_run(sim, system, status, path, MECH_REPORT_JSON, &text);
    return show_text(written, text);
}
