/* Maps of stability and root loci. */
#include <mech/output.h>

#include "base/mem.h"
#include "base/text.h"

#include <math.h>

/* ---- the map ---- */

static double cell_width(const mech_axis *a) { return (a->high - a->low) / (a->count - 1); }

/* Where a condition passes through zero on one side of a cell: 1 and the point. */
static int crossing(const double a[3], const double b[3], double *x, double *y)
{
    if ((a[2] > 0) == (b[2] > 0)) return 0;
    const double part = a[2] / (a[2] - b[2]);
    *x = a[0] + part * (b[0] - a[0]);
    *y = a[1] + part * (b[1] - a[1]);
    return 1;
}

static void corner(const mech_map_result *map, int i, int j, int condition, double to[3])
{
    to[0] = map->x.low + cell_width(&map->x) * i;
    to[1] = map->y.low + cell_width(&map->y) * j;
    to[2] = map->conditions[((size_t)i + (size_t)j * (size_t)map->x.count) * (size_t)map->condition_count +
                            (size_t)condition];
}

/* Another condition fails all over the cell: what happens to this one there is no boundary of stability. */
static int is_decided(const mech_map_result *map, int i, int j, int condition)
{
    for (int other = 0; other < map->condition_count; other++) {
        double most = -INFINITY, at[3];
        for (int k = 0; k < 4 && other != condition; k++) {
            corner(map, i + k % 2, j + k / 2, other, at);
            most = fmax(most, at[2]);
        }
        if (other != condition && most < 0) return 1;
    }
    return 0;
}

/* No corner of the cell is anything but unstable: no boundary of stability passes through it. */
static int is_lost(const mech_map_result *map, int i, int j)
{
    for (int k = 0; k < 4; k++)
        if (map->region[(size_t)(i + k % 2) + (size_t)(j + k / 2) * (size_t)map->x.count] != MECH_REGION_UNSTABLE)
            return 0;
    return 1;
}

typedef struct lines { /* pieces of lines with gaps between */
    double *x, *y;
    size_t count, x_capacity, y_capacity;
    int failed;
} lines;

static void add_point(lines *l, double x, double y)
{
    if (!mem_grow(&l->x, &l->x_capacity, l->count + 1, sizeof *l->x) ||
        !mem_grow(&l->y, &l->y_capacity, l->count + 1, sizeof *l->y)) {
        l->failed = 1;
        return;
    }
    l->x[l->count] = x;
    l->y[l->count++] = y;
}

/* The lines on which a condition is zero and the others do not fail, cell by cell. */
static void add_boundary(const mech_map_result *map, int condition, lines *l)
{
    static const int step[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    for (int j = 0; j + 1 < map->y.count; j++)
        for (int i = 0; i + 1 < map->x.count; i++) {
            double at[4][3], points[8];
            int found = 0;
            if (is_decided(map, i, j, condition) || is_lost(map, i, j)) continue;
            for (int k = 0; k < 4; k++) corner(map, i + step[k][0], j + step[k][1], condition, at[k]);
            for (int k = 0; k < 4; k++)
                found += crossing(at[k], at[(k + 1) % 4], &points[2 * found], &points[2 * found + 1]);
            for (int k = 0; k + 1 < found; k += 2) {
                add_point(l, points[2 * k], points[2 * k + 1]);
                add_point(l, points[2 * k + 2], points[2 * k + 3]);
                add_point(l, (double)NAN, (double)NAN);
            }
        }
}

mech_status mech_map_write(const mech_map_result *map, const char *title, const char *path)
{
    static const char *const names[4] = {"stable", "marginal", "unstable", "no equilibrium"};
    static const char *const colours[4] = {"#8fd0a5", "#f4d58d", "#e49a9a", "#dddddd"};
    const size_t cells = (size_t)map->x.count * (size_t)map->y.count;
    lines boundary = {0};
    double *values = mem_alloc((cells + 1) * sizeof *values);
    if (!values) return MECH_ERR_MEMORY;
    int number[4] = {-1, -1, -1, -1}, kinds = 0; /* of those that are on the map */
    const char *shown_names[4], *shown_colours[4];
    for (int r = 0; r < 4; r++)
        for (size_t k = 0; k < cells && number[r] < 0; k++)
            if ((int)map->region[k] == r)
                shown_names[kinds] = names[r], shown_colours[kinds] = colours[r], number[r] = kinds++;
    for (size_t k = 0; k < cells; k++) values[k] = number[(int)map->region[k]];
    for (int k = 0; k < map->condition_count; k++) add_boundary(map, k, &boundary);
    const mech_field field = {.size = sizeof field,
                              .x_low = map->x.low,
                              .x_high = map->x.high,
                              .x_count = (size_t)map->x.count,
                              .y_low = map->y.low,
                              .y_high = map->y.high,
                              .y_count = (size_t)map->y.count,
                              .values = values,
                              .kinds = (size_t)kinds,
                              .kind_names = shown_names,
                              .kind_colours = shown_colours};
    const mech_curve curve = {
        .x = boundary.x, .y = boundary.y, .count = boundary.count, .name = "Routh boundary", .colour = 6};
    const mech_panel panel = {.size = sizeof panel,
                              .field = &field,
                              .curves = &curve,
                              .curve_count = boundary.count > 0,
                              .x_label = map->x.name,
                              .y_label = map->y.name};
    const mech_sheet sheet = {.size = sizeof sheet, .panels = &panel, .panel_count = 1, .title = title};
    const mech_status status = boundary.failed ? MECH_ERR_MEMORY : mech_sheet_write(&sheet, path);
    mem_free(boundary.x);
    mem_free(boundary.y);
    mem_free(values);
    return status;
}

/* ---- the root locus ---- */

static char *value_name(const char *name, double value)
{
    textbuf label = {0};
    text_format(&label, "%s = %.6g", name, value);
    return text_take(&label);
}

mech_status mech_sweep_write(const mech_sweep_result *s, const char *title, const char *path)
{
    const size_t modes = (size_t)s->modes, rows = (size_t)s->axis.count, count = modes * rows;
    double *shade = mem_alloc((count + 1) * sizeof *shade);
    char *first = value_name(s->axis.name, s->axis.low), *last = value_name(s->axis.name, s->axis.high);
    mech_status status = shade && first && last ? MECH_OK : MECH_ERR_MEMORY;
    for (size_t k = 0; k < count && status == MECH_OK; k++)
        shade[k] = s->axis.low + (s->axis.high - s->axis.low) * (double)(k / modes) / (double)(rows - 1);
    if (status == MECH_OK) {
        const double zero = 0;
        const mech_curve curves[] = {
            {.x = s->real, .y = s->imaginary, .count = count, .kind = MECH_CURVE_DOTS, .shade = shade},
            {.x = s->real, .y = s->imaginary, .count = modes, .kind = MECH_CURVE_RINGS, .colour = 5, .name = first},
            {.x = s->real + count - modes,
             .y = s->imaginary + count - modes,
             .count = modes,
             .kind = MECH_CURVE_RINGS,
             .colour = 2,
             .name = last}};
        const mech_panel panel = {.size = sizeof panel,
                                  .curves = curves,
                                  .curve_count = 3,
                                  .marks = &zero,
                                  .mark_count = 1,
                                  .x_label = "real part [1/s]",
                                  .y_label = "imaginary part [1/s]",
                                  .shade_label = s->axis.name};
        const mech_sheet sheet = {.size = sizeof sheet, .panels = &panel, .panel_count = 1, .title = title};
        status = mech_sheet_write(&sheet, path);
    }
    mem_free(shade);
    mem_free(first);
    mem_free(last);
    return status;
}
