/* Maps of stability and root loci by gnuplot. */
#include "output/figure.h"

#include "base/mem.h"
#include "base/number.h"
#include "output/aside.h"
#include "output/spawn.h"

#include <math.h>

static void number(textbuf *out, double value)
{
    char digits[NUMBER_TEXT_SIZE];
    number_general(value, 9, digits);
    text_add(out, digits);
}

static void numbers(textbuf *out, const double *values, int count)
{
    for (int k = 0; k < count; k++) {
        if (k) text_add_char(out, ' ');
        number(out, values[k]);
    }
    text_add_char(out, '\n');
}

/* Terminal, output, frame; 0: no terminal for that ending. */
static int begin(textbuf *out, const char *path, const char *title, const char *x, const char *y)
{
    char terminal[200];
    if (!figure_terminal(path, 1, terminal, sizeof terminal)) return 0;
    text_format(out, "set terminal %s\nset encoding utf8", terminal);
    text_add(out, "\nset border 3 linecolor rgb '#444444'\nset tics nomirror\nset key outside right top\nset xlabel ");
    figure_quote(out, x);
    text_add(out, "\nset ylabel ");
    figure_quote(out, y);
    if (title) {
        text_add(out, "\nset title ");
        figure_quote(out, title);
    }
    text_add_char(out, '\n');
    return 1;
}

static mech_status draw(textbuf *script, char *part, const char *path)
{
    const char *const arguments[] = {"gnuplot", "-", NULL};
    if (script->failed) return MECH_ERR_MEMORY;
    if (!aside_may_replace(path)) return MECH_ERR_FILE;
    return aside_finish(spawn_with_input(arguments, script->data, script->length, part), part, path);
}

/* ---- the map ---- */

static double cell_width(const mech_axis *a) { return (a->high - a->low) / (a->count - 1); }

/* Points of one region as boxes, neighbours along x joined. */
static size_t region_data(const mech_map_result *map, mech_region region, textbuf *out)
{
    const double dx = cell_width(&map->x), dy = cell_width(&map->y);
    size_t boxes = 0;
    text_format(out, "$region%d << END_OF_DATA\n", (int)region);
    for (int j = 0; j < map->y.count; j++)
        for (int i = 0; i < map->x.count;) {
            const size_t row = (size_t)j * (size_t)map->x.count;
            int end = i;
            while (end < map->x.count && map->region[row + (size_t)end] == region) end++;
            if (end > i) {
                const double left = map->x.low + dx * (i - 0.5), right = map->x.low + dx * (end - 0.5);
                const double bottom = map->y.low + dy * (j - 0.5), top = map->y.low + dy * (j + 0.5);
                const double box[6] = {(left + right) / 2, (bottom + top) / 2, left, right, bottom, top};
                numbers(out, box, 6);
                boxes++;
            }
            i = end > i ? end : i + 1;
        }
    text_add(out, "END_OF_DATA\n");
    return boxes;
}

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

/* The line on which a condition is zero and the others do not fail, cell by cell. */
static size_t boundary_data(const mech_map_result *map, int condition, textbuf *out)
{
    static const int step[4][2] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}};
    size_t pieces = 0;
    text_format(out, "$line%d << END_OF_DATA\n", condition);
    for (int j = 0; j + 1 < map->y.count; j++)
        for (int i = 0; i + 1 < map->x.count; i++) {
            double at[4][3], points[8];
            int found = 0;
            if (is_decided(map, i, j, condition)) continue;
            for (int k = 0; k < 4; k++) corner(map, i + step[k][0], j + step[k][1], condition, at[k]);
            for (int k = 0; k < 4; k++)
                found += crossing(at[k], at[(k + 1) % 4], &points[2 * found], &points[2 * found + 1]);
            for (int k = 0; k + 1 < found; k += 2) {
                numbers(out, points + 2 * k, 2);
                numbers(out, points + 2 * k + 2, 2);
                text_add_char(out, '\n');
                pieces++;
            }
        }
    text_add(out, "END_OF_DATA\n");
    return pieces;
}

static void map_script(const mech_map_result *map, textbuf *out)
{
    static const char *const names[4] = {"stable", "marginal", "unstable", "no equilibrium"};
    static const char *const colours[4] = {"#8fd0a5", "#f4d58d", "#e49a9a", "#dddddd"};
    textbuf plot = {0};
    int drawn = 0;
    for (int r = 0; r < 4; r++) {
        if (!region_data(map, (mech_region)r, out)) continue;
        text_format(&plot,
                    "%s $region%d using 1:2:3:4:5:6 with boxxyerror fillstyle solid 1.0 linewidth 0.4 "
                    "linecolor rgb '%s' title '%s'",
                    drawn++ ? "," : "", r, colours[r], names[r]);
    }
    for (int k = 0, lines = 0; k < map->condition_count; k++) {
        if (!boundary_data(map, k, out)) continue;
        text_format(&plot, ", $line%d using 1:2 with lines linewidth 2 linecolor rgb '#333333' %s", k,
                    lines++ ? "notitle" : "title 'Routh boundary'");
    }
    const double dx = cell_width(&map->x) / 2, dy = cell_width(&map->y) / 2;
    const double range[4] = {map->x.low - dx, map->x.high + dx, map->y.low - dy, map->y.high + dy};
    text_add(out, "set xrange [");
    number(out, range[0]);
    text_add_char(out, ':');
    number(out, range[1]);
    text_add(out, "]\nset yrange [");
    number(out, range[2]);
    text_add_char(out, ':');
    number(out, range[3]);
    text_format(out, "]\nplot%s\n", plot.data ? plot.data : "");
    out->failed |= plot.failed;
    text_free(&plot);
}

mech_status mech_map_write(const mech_map_result *map, const char *title, const char *path)
{
    textbuf script = {0};
    char *part = aside_path(path);
    mech_status status = part ? MECH_OK : MECH_ERR_MEMORY;
    if (status == MECH_OK && !begin(&script, path, title, map->x.name, map->y.name)) status = MECH_ERR_ARGUMENT;
    if (status == MECH_OK) {
        map_script(map, &script);
        status = draw(&script, part, path);
    }
    text_free(&script);
    mem_free(part);
    return status;
}

/* ---- the root locus ---- */

static void sweep_data(const mech_sweep_result *s, const char *name, int first, int end, textbuf *out)
{
    text_format(out, "$%s << END_OF_DATA\n", name);
    for (int k = first; k < end; k++)
        for (int i = 0; i < s->modes; i++) {
            const size_t at = (size_t)i + (size_t)k * (size_t)s->modes;
            if (!isfinite(s->real[at])) continue;
            const double point[3] = {s->real[at], s->imaginary[at],
                                     s->axis.low + (s->axis.high - s->axis.low) * k / (s->axis.count - 1)};
            numbers(out, point, 3);
        }
    text_add(out, "END_OF_DATA\n");
}

mech_status mech_sweep_write(const mech_sweep_result *s, const char *title, const char *path)
{
    textbuf script = {0};
    char *part = aside_path(path);
    mech_status status = part ? MECH_OK : MECH_ERR_MEMORY;
    if (status == MECH_OK && !begin(&script, path, title, "real part [1/s]", "imaginary part [1/s]"))
        status = MECH_ERR_ARGUMENT;
    if (status == MECH_OK) {
        sweep_data(s, "all", 0, s->axis.count, &script);
        sweep_data(s, "first", 0, 1, &script);
        sweep_data(s, "last", s->axis.count - 1, s->axis.count, &script);
        text_add(&script, "set grid linecolor rgb '#dddddd' linetype 1 linewidth 0.6\nset offsets graph "
                          "0.06, graph 0.06, graph 0.06, graph 0.06\n"
                          "set arrow from first 0, graph 0 to first 0, graph 1 nohead linewidth 1.4 "
                          "linecolor rgb '#444444' back\n"
                          "set palette defined (0 '#0b6fb3', 0.5 '#e09f3e', 1 '#d1495b')\nset key inside "
                          "right top\nset cblabel ");
        figure_quote(&script, s->axis.name);
        text_add(&script, "\nplot $all using 1:2:3 with points pointtype 7 pointsize 0.35 palette notitle, "
                          "$first using 1:2 with points pointtype 2 pointsize 1 linecolor rgb '#0b6fb3' title ");
        textbuf label = {0};
        text_format(&label, "%s = ", s->axis.name);
        number(&label, s->axis.low);
        figure_quote(&script, label.data ? label.data : "");
        script.failed |= label.failed;
        text_free(&label);
        text_add(&script, ", $last using 1:2 with points pointtype 6 pointsize 1 linecolor rgb '#d1495b' title ");
        text_format(&label, "%s = ", s->axis.name);
        number(&label, s->axis.high);
        figure_quote(&script, label.data ? label.data : "");
        script.failed |= label.failed;
        text_free(&label);
        text_add(&script, "\n");
        status = draw(&script, part, path);
    }
    text_free(&script);
    mem_free(part);
    return status;
}
