/* Columns of a table as a figure. */
#include <mech/output.h>

#include "base/mem.h"
#include "base/text.h"

#include <string.h>

static int is_sound(const mech_figure *f)
{
    if (f->size != sizeof *f || f->table->size != sizeof *f->table || !f->y_count || f->x >= f->table->columns)
        return 0;
    for (size_t i = 0; i < f->y_count; i++)
        if (f->y[i] >= f->table->columns) return 0;
    return 1;
}

static const char *unit_of(const mech_figure *f, size_t column)
{
    const char *unit = f->units ? f->units[column] : NULL;
    return unit && *unit ? unit : strcmp(f->table->names[column], "t") == 0 ? "s" : NULL;
}

mech_status mech_figure_write(const mech_figure *f, const char *path)
{
    if (!is_sound(f)) return MECH_ERR_ARGUMENT;
    const mech_table *t = f->table;
    mech_series *series = mem_zeroed(f->y_count, sizeof *series);
    mech_sheet *sheet = NULL;
    textbuf label = {0};
    text_add(&label, t->names[f->x]);
    if (unit_of(f, f->x)) text_format(&label, " [%s]", unit_of(f, f->x));
    for (size_t k = 0; series && k < f->y_count; k++)
        series[k] = (mech_series){.curve = {.x = t->data + f->x,
                                            .y = t->data + f->y[k],
                                            .count = t->rows,
                                            .x_stride = t->columns,
                                            .y_stride = t->columns,
                                            .name = t->names[f->y[k]],
                                            .kind = f->dashed && f->dashed[k] ? MECH_CURVE_DASHED : MECH_CURVE_LINE},
                                  .unit = unit_of(f, f->y[k]),
                                  .x_label = label.data,
                                  .panel = f->panels ? f->panels[k] + 1 : 0};
    const mech_plot plot = {.size = sizeof plot,
                            .series = series,
                            .count = f->y_count,
                            .title = f->title,
                            .marks = f->marks,
                            .mark_names = f->mark_names,
                            .mark_count = f->mark_count,
                            .equal_axes = f->equal_axes,
                            .is_time = f->x == 0};
    mech_status status = series && !label.failed ? mech_plot_sheet(&plot, &sheet) : MECH_ERR_MEMORY;
    if (status == MECH_OK) status = mech_sheet_write(sheet, path);
    mech_plot_sheet_free(sheet);
    text_free(&label);
    mem_free(series);
    return status;
}
