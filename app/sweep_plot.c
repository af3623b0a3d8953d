/* The figure of a sweep: curves over one name, maps over two, else dots or histograms; one panel a measure. */
#include "common.h"
#include "say.h"
#include "sweep.h"

#include <mech/figure.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ON_GRID 1e-6 /* of the spacing of an axis: a value so near to a place is that place */

enum { MOST_PANELS = 12, LABEL = 300, BINS = 30 };

typedef struct picture {
    const mech_system *system;
    const mech_plan *plan;
    const double *data; /* (runs x width) */
    size_t runs, width, columns, panels;
    mech_panel panel[MOST_PANELS];
    mech_curve curve[MOST_PANELS];
    mech_field field[MOST_PANELS];
    char label[MOST_PANELS + 2][LABEL];
    double *numbers; /* (panels x (2 BINS or runs)) */
    size_t *cells;   /* (runs) of a map, by rows: which run each shows */
} picture;

static const char *label(picture *p, size_t place, const char *name, const char *unit, int is_log)
{
    char *to = p->label[place];
    snprintf(to, LABEL, "%s%.100s%s%s%.100s%s", is_log ? "log10(" : "", name, is_log ? ")" : "", unit ? " [" : "",
             unit ? unit : "", unit ? "]" : "");
    return to;
}

const char *sweep_unit(const mech_system *system, const mech_plan *plan, size_t column)
{
    static const mech_item items[] = {MECH_ITEM_PARAM, MECH_ITEM_COORD, MECH_ITEM_STATE};
    for (size_t k = 0; k < 3; k++) {
        const size_t at = mech_system_find(system, items[k], mech_plan_name(plan, column));
        if (at != SIZE_MAX) return mech_system_unit(system, items[k], at);
    }
    return NULL;
}

static const char *column_label(picture *p, size_t column, int is_log)
{
    return label(p, MOST_PANELS + column % 2, mech_plan_name(p->plan, column), sweep_unit(p->system, p->plan, column),
                 is_log);
}

static const char *measure_label(picture *p, size_t measure)
{
    return label(p, measure, mech_system_name(p->system, MECH_ITEM_MEASURE, measure),
                 mech_system_unit(p->system, MECH_ITEM_MEASURE, measure), 0);
}

/* Over one name: a line where it ascends, else dots. */
static void over_one(picture *p)
{
    const mech_spread spread = mech_plan_spread(p->plan, 0, NULL);
    int ascends = spread == MECH_SPREAD_GRID || spread == MECH_SPREAD_LOG;
    for (size_t k = 1; k < p->runs; k++) ascends &= p->data[k * p->width] > p->data[(k - 1) * p->width];
    for (size_t i = 0; i < p->panels; i++) {
        p->curve[i] = (mech_curve){.x = p->data,
                                   .y = p->data + p->columns + i,
                                   .count = p->runs,
                                   .x_stride = p->width,
                                   .y_stride = p->width,
                                   .kind = ascends ? MECH_CURVE_LINE : MECH_CURVE_DOTS};
        p->panel[i] = (mech_panel){.size = sizeof p->panel[i],
                                   .curves = &p->curve[i],
                                   .curve_count = 1,
                                   .x_label = column_label(p, 0, 0),
                                   .y_label = measure_label(p, i),
                                   .log_x = spread == MECH_SPREAD_LOG};
    }
}

/* ---- a map ---- */

/* One of its axes: `count` places at equal distances, or ratios, from `low` on. */
typedef struct map_axis {
    size_t column, count;
    int is_log;
    double low, high;
} map_axis;

static double axis_value(const picture *p, const map_axis *axis, size_t run)
{
    const double value = p->data[run * p->width + axis->column];
    return axis->is_log ? log10(value) : value;
}

/* Names that are drawn have none. */
static int find_axis(const picture *p, size_t column, map_axis *axis)
{
    const mech_spread spread = mech_plan_spread(p->plan, column, &axis->count);
    axis->column = column;
    axis->is_log = spread == MECH_SPREAD_LOG;
    axis->low = HUGE_VAL;
    axis->high = -HUGE_VAL;
    if (spread != MECH_SPREAD_GRID && spread != MECH_SPREAD_LOG) return 0;
    for (size_t k = 0; k < p->runs; k++) {
        axis->low = fmin(axis->low, axis_value(p, axis, k));
        axis->high = fmax(axis->high, axis_value(p, axis, k));
    }
    return axis->count > 1 && axis->high > axis->low;
}

/* Where a run stands on the axis; its count: between two places, as a table's may. */
static size_t place_on(const picture *p, const map_axis *axis, size_t run)
{
    const double at = (axis_value(p, axis, run) - axis->low) / (axis->high - axis->low) * (double)(axis->count - 1),
                 nearest = round(at);
    return fabs(at - nearest) < ON_GRID ? (size_t)nearest : axis->count;
}

/* 1, or 0: the runs are not one in each cell. */
static int find_cells(picture *p, const map_axis *x, const map_axis *y)
{
    if (x->count != p->runs / y->count || p->runs % y->count) return 0;
    for (size_t k = 0; k < p->runs; k++) p->cells[k] = p->runs;
    for (size_t k = 0; k < p->runs; k++) {
        const size_t i = place_on(p, x, k), j = place_on(p, y, k);
        if (i == x->count || j == y->count || p->cells[j * x->count + i] != p->runs) return 0;
        p->cells[j * x->count + i] = k;
    }
    return 1;
}

/* 1, or 0: the runs make no map. */
static int over_two(picture *p)
{
    map_axis x, y;
    if (p->columns != 2 || !find_axis(p, 0, &x) || !find_axis(p, 1, &y) || !find_cells(p, &x, &y)) return 0;
    for (size_t i = 0; i < p->panels; i++) {
        double *values = p->numbers + i * p->runs;
        for (size_t k = 0; k < p->runs; k++) values[k] = p->data[p->cells[k] * p->width + p->columns + i];
        p->field[i] = (mech_field){.size = sizeof p->field[i],
                                   .x_low = x.low,
                                   .x_high = x.high,
                                   .y_low = y.low,
                                   .y_high = y.high,
                                   .x_count = x.count,
                                   .y_count = y.count,
                                   .values = values,
                                   .label = measure_label(p, i)};
        p->panel[i] = (mech_panel){.size = sizeof p->panel[i],
                                   .field = &p->field[i],
                                   .x_label = column_label(p, 0, x.is_log),
                                   .y_label = column_label(p, 1, y.is_log)};
    }
    return 1;
}

static void histograms(picture *p)
{
    for (size_t i = 0; i < p->panels; i++) {
        double *middle = p->numbers + i * 2 * BINS, *count = middle + BINS, low = HUGE_VAL, high = -HUGE_VAL;
        for (size_t k = 0; k < p->runs; k++) {
            const double value = p->data[k * p->width + p->columns + i];
            if (!isfinite(value)) continue;
            low = fmin(low, value);
            high = fmax(high, value);
        }
        if (!(high >= low)) low = high = 0;
        const double width = high > low ? (high - low) / BINS : 1;
        for (size_t b = 0; b < BINS; b++) middle[b] = low + ((double)b + 0.5) * width;
        for (size_t k = 0; k < p->runs; k++) {
            const double value = p->data[k * p->width + p->columns + i];
            if (isfinite(value)) count[(size_t)fmin((value - low) / width, BINS - 1)]++;
        }
        p->curve[i] = (mech_curve){.x = middle, .y = count, .count = BINS, .kind = MECH_CURVE_BARS, .width = width};
        p->panel[i] = (mech_panel){.size = sizeof p->panel[i],
                                   .curves = &p->curve[i],
                                   .curve_count = 1,
                                   .x_label = measure_label(p, i),
                                   .y_label = "runs"};
    }
}

int sweep_plot(const mech_system *system, const mech_plan *plan, const double *data, const char *title,
               const char *path)
{
    picture *p = calloc(1, sizeof *p);
    if (!p) return show_text(MECH_ERR_MEMORY, NULL);
    p->system = system;
    p->plan = plan;
    p->data = data;
    p->runs = mech_plan_runs(plan);
    p->columns = mech_plan_columns(plan);
    p->panels = mech_system_sizes(system).measures;
    p->width = p->columns + p->panels;
    if (p->panels > MOST_PANELS) p->panels = MOST_PANELS;
    p->numbers = calloc(p->panels * (p->runs > 2 * BINS ? p->runs : 2 * BINS), sizeof *p->numbers);
    p->cells = calloc(p->runs, sizeof *p->cells);
    int code = EXIT_NUMBERS;
    if (p->numbers && p->cells) {
        if (p->columns == 1) over_one(p);
        else if (!over_two(p)) histograms(p);
        const mech_sheet sheet = {.size = sizeof sheet, .panels = p->panel, .panel_count = p->panels, .title = title};
        code = draw_sheet("sweep", &sheet, path);
    }
    free(p->numbers);
    free(p->cells);
    free(p);
    return code;
}
