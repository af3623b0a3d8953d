/* A run as a table and as a figure. */
#include <mech/output.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/try.h"

#include <string.h>

mech_status mech_table_from_run(const mech_trajectory *trajectory, mech_table *table)
{
    const size_t rows = mech_trajectory_rows(trajectory), columns = mech_trajectory_columns(trajectory);
    *table = (mech_table){.size = sizeof *table};
    table->names = mem_zeroed(columns + 1, sizeof *table->names);
    table->data = mem_zeroed(rows * columns + 1, sizeof *table->data);
    table->units = mem_zeroed(columns + 1, sizeof *table->units);
    table->is_choice = mem_zeroed(columns + 1, sizeof *table->is_choice);
    int is_whole = table->names && table->data && table->units && table->is_choice;
    for (size_t j = 0; is_whole && j < columns; j++) {
        textbuf name = {0}, unit = {0};
        text_add(&name, mech_trajectory_name(trajectory, j));
        table->names[j] = text_take(&name);
        text_add(&unit, mech_trajectory_unit(trajectory, j) ? mech_trajectory_unit(trajectory, j) : "");
        table->units[j] = text_take(&unit);
        is_whole = table->names[j] && table->units[j];
        table->is_choice[j] = (unsigned char)mech_trajectory_is_choice(trajectory, j);
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

/* ---- figure ---- */

enum { MOST_CURVES = 240 };

typedef struct run_sheet { /* the sheet is the first of it */
    mech_sheet sheet;
    mech_sheet *arranged;
    mech_table table;
    mech_series *series; /* (count) */
    size_t count, capacity, wanted;
    double *inputs; /* (inputs x rows) */
    double *marks;
    const char **mark_names;
    size_t mark_count, mark_capacity, name_capacity;
    textbuf note;
} run_sheet;

void mech_run_sheet_free(mech_sheet *sheet)
{
    run_sheet *r = (run_sheet *)(void *)sheet;
    if (!r) return;
    mech_plot_sheet_free(r->arranged);
    mech_table_free(&r->table);
    mem_free(r->series);
    mem_free(r->inputs);
    mem_free(r->marks);
    mem_free(r->mark_names);
    text_free(&r->note);
    mem_free(r);
}

static mech_status add_curve(run_sheet *r, const double *y, size_t stride, const char *name, const char *unit)
{
    r->wanted++;
    if (r->count == MOST_CURVES) return MECH_OK;
    if (!mem_grow(&r->series, &r->capacity, r->count + 1, sizeof *r->series)) return MECH_ERR_MEMORY;
    r->series[r->count++] = (mech_series){.curve = {.x = r->table.data,
                                                    .x_stride = r->table.columns,
                                                    .y = y,
                                                    .y_stride = stride,
                                                    .count = r->table.rows,
                                                    .name = name},
                                          .unit = unit,
                                          .x_label = "t [s]"};
    return MECH_OK;
}

static mech_status add_column(run_sheet *r, const mech_trajectory *t, size_t column)
{
    return add_curve(r, r->table.data + column, r->table.columns, r->table.names[column],
                     mech_trajectory_unit(t, column));
}

/* The inputs at the rows: they are signals of time. */
static mech_status evaluate_inputs(run_sheet *r, const mech_trajectory *t, const mech_system *system)
{
    const mech_sizes sizes = mech_system_sizes(system);
    const size_t n = sizes.coords;
    const size_t first_state = sizes.states ? mech_trajectory_find(t, mech_system_name(system, MECH_ITEM_STATE, 0)) : 0;
    mech_eval *eval = NULL;
    r->inputs = mem_zeroed(sizes.inputs * r->table.rows + 1, sizeof *r->inputs);
    mech_status status = r->inputs ? mech_eval_create(system, MECH_STORAGE_SPARSE, &eval) : MECH_ERR_MEMORY;
    for (size_t k = 0; status == MECH_OK && k < r->table.rows; k++) {
        const double *row = r->table.data + k * r->table.columns;
        const mech_status seen =
            mech_eval_state(eval, row[0], row + 1, row + 1 + n, sizes.states ? row + first_state : NULL);
        if (seen == MECH_ERR_MEMORY) status = seen;
        for (size_t i = 0; i < sizes.inputs; i++) r->inputs[i * r->table.rows + k] = mech_eval_equation(eval)->u[i];
    }
    mech_eval_free(eval);
    return status;
}

static mech_status add_input(run_sheet *r, const mech_trajectory *t, const mech_system *system, size_t i)
{
    if (!r->inputs) MECH_TRY(evaluate_inputs(r, t, system));
    return add_curve(r, r->inputs + i * r->table.rows, 1, mech_system_name(system, MECH_ITEM_INPUT, i),
                     mech_system_unit(system, MECH_ITEM_INPUT, i));
}

static int is_in(const mech_trajectory *t, size_t column, const char *start)
{
    return strncmp(mech_trajectory_name(t, column), start, strlen(start)) == 0;
}

static mech_status add_items(run_sheet *r, const mech_trajectory *t, const mech_system *system, mech_item item,
                             size_t count)
{
    mech_status status = MECH_OK;
    for (size_t i = 0; i < count && status == MECH_OK; i++) {
        const size_t column = mech_trajectory_find(t, mech_system_name(system, item, i));
        if (column != SIZE_MAX) status = add_column(r, t, column);
        else if (item == MECH_ITEM_INPUT) status = add_input(r, t, system, i);
    }
    return status;
}

static mech_status add_all(run_sheet *r, const mech_trajectory *t, const mech_system *system)
{
    const mech_sizes sizes = mech_system_sizes(system);
    MECH_TRY(add_items(r, t, system, MECH_ITEM_COORD, sizes.coords));
    MECH_TRY(add_items(r, t, system, MECH_ITEM_STATE, sizes.states));
    MECH_TRY(add_items(r, t, system, MECH_ITEM_INPUT, sizes.inputs));
    MECH_TRY(add_items(r, t, system, MECH_ITEM_OUTPUT, sizes.outputs));
    mech_status status = MECH_OK;
    for (size_t j = 0; j < mech_trajectory_columns(t) && status == MECH_OK; j++)
        if (is_in(t, j, "control(")) status = add_column(r, t, j);
    return status;
}

/* Whether a name is an entry of the vector `vector`: leg[2].r[1] of leg[2].r, v[1]' of v'. */
static int is_entry(const char *name, const char *vector)
{
    const char *last = strrchr(name, '[');
    const char *close = last ? strchr(last, ']') : NULL;
    textbuf without = {0};
    if (!close || strchr(close, '.')) return 0;
    text_add_n(&without, name, (size_t)(last - name));
    text_add(&without, close + 1);
    const int is_same = without.data && mech_same_name(without.data, vector);
    text_free(&without);
    return is_same;
}

/* The curves of one name; their number in *found. */
static mech_status add_named(run_sheet *r, const mech_trajectory *t, const mech_system *system, const char *name,
                             size_t *found)
{
    const size_t before = r->wanted;
    for (int entries = 0; entries < 2 && r->wanted == before; entries++) {
        for (size_t j = 0; j < mech_trajectory_columns(t); j++) {
            const char *column = mech_trajectory_name(t, j);
            if (entries ? is_entry(column, name) : mech_same_name(column, name)) MECH_TRY(add_column(r, t, j));
        }
        for (size_t i = 0; i < mech_system_sizes(system).inputs; i++) {
            const char *input = mech_system_name(system, MECH_ITEM_INPUT, i);
            if (entries ? is_entry(input, name) : mech_same_name(input, name)) MECH_TRY(add_input(r, t, system, i));
        }
    }
    *found = r->wanted - before;
    return MECH_OK;
}

/* A name up to a comma that stands in no bracket. */
static size_t name_length(const char *at)
{
    int depth = 0;
    size_t length = 0;
    for (; at[length] && (depth > 0 || at[length] != ','); length++)
        depth += (at[length] == '[' || at[length] == '(') - (at[length] == ']' || at[length] == ')');
    return length;
}

static mech_status add_shown(run_sheet *r, const mech_trajectory *t, const mech_system *system, const char *show,
                             char **why)
{
    mech_status status = MECH_OK;
    for (const char *at = show; *at && status == MECH_OK;) {
        const size_t length = name_length(at);
        size_t found = 0;
        textbuf name = {0};
        text_add_n(&name, at, length);
        status = name.data ? add_named(r, t, system, name.data, &found) : MECH_ERR_MEMORY;
        if (status == MECH_OK && !found) {
            textbuf words = {0};
            text_format(&words, "there is no column or input '%s'", name.data);
            status = MECH_ERR_ARGUMENT;
            if (why) *why = text_take(&words);
            text_free(&words);
        }
        text_free(&name);
        at += length + (at[length] == ',');
    }
    return status;
}

/* Events of the model, for the marks. */
static mech_status add_marks(run_sheet *r, const mech_sim *sim)
{
    for (size_t i = 0; i < mech_sim_log_count(sim); i++) {
        const mech_log_entry h = mech_sim_log_get(sim, i);
        if (h.kind != MECH_LOG_EVENT) continue;
        if (!mem_grow(&r->marks, &r->mark_capacity, r->mark_count + 1, sizeof *r->marks) ||
            !mem_grow(&r->mark_names, &r->name_capacity, r->mark_count + 1, sizeof *r->mark_names))
            return MECH_ERR_MEMORY;
        r->marks[r->mark_count] = h.t;
        r->mark_names[r->mark_count++] = h.name;
    }
    return MECH_OK;
}

/* The legend says which curves are one choice of many. */
static mech_status mark_choices(mech_table *t)
{
    for (size_t j = 0; j < t->columns; j++) {
        textbuf name = {0};
        if (!t->is_choice[j]) continue;
        text_format(&name, "%s (not unique)", t->names[j]);
        if (name.failed) return MECH_ERR_MEMORY;
        mem_free(t->names[j]);
        t->names[j] = text_take(&name);
    }
    return MECH_OK;
}

static mech_status fill(run_sheet *r, const mech_sim *sim, const mech_system *system, const char *title,
                        const char *show, char **why)
{
    const mech_trajectory *t = mech_sim_curve(sim);
    MECH_TRY(mech_table_from_run(t, &r->table));
    MECH_TRY(mark_choices(&r->table));
    MECH_TRY(show ? add_shown(r, t, system, show, why) : add_all(r, t, system));
    MECH_TRY(add_marks(r, sim));
    if (r->wanted > r->count)
        text_format(&r->note, "the first %zu of %zu curves; --show NAMES chooses", r->count, r->wanted);
    else if (mech_sim_info_get(sim).rows_are_coarse)
        text_add(&r->note, "the motion is faster than this can show: --from and --until take a shorter piece");
    const mech_plot plot = {.size = sizeof plot,
                            .series = r->series,
                            .count = r->count,
                            .title = title,
                            .note = r->note.data,
                            .marks = r->marks,
                            .mark_names = r->mark_names,
                            .mark_count = r->mark_count,
                            .is_time = 1};
    MECH_TRY(mech_plot_sheet(&plot, &r->arranged));
    r->sheet = *r->arranged;
    return r->note.failed ? MECH_ERR_MEMORY : MECH_OK;
}

mech_status mech_run_sheet(const mech_sim *sim, const mech_system *system, const char *title, const char *show,
                           mech_sheet **sheet, char **why)
{
    run_sheet *r = mem_zeroed(1, sizeof *r);
    *sheet = NULL;
    if (why) *why = NULL;
    if (!r) return MECH_ERR_MEMORY;
    const mech_status status = fill(r, sim, system, title, show, why);
    if (status == MECH_OK) *sheet = &r->sheet;
    else mech_run_sheet_free(&r->sheet);
    return status;
}

mech_status mech_run_write(const mech_sim *sim, const mech_system *system, const char *title, const char *path)
{
    mech_sheet *sheet;
    MECH_TRY(mech_run_sheet(sim, system, title, NULL, &sheet, NULL));
    const mech_status status = mech_sheet_write(sheet, path);
    mech_run_sheet_free(sheet);
    return status;
}
