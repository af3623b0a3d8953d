/* mech plot: a figure of a result file. */
#include "common.h"
#include "guard.h"
#include "say.h"

#include <mech/output.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t find_column(const mech_table *t, const char *name)
{
    for (size_t i = 0; i < t->columns; i++)
        if (mech_same_name(t->names[i], name)) return i;
    const char *near = cli_nearest(name, (const char *const *)t->names, t->columns);
    if (near) say("mech plot: there is no column '%s'; did you mean '%s'?\n", name, near);
    else
        say("mech plot: there is no column '%s'; the columns start with %s%s%s\n", name, t->names[0],
            t->columns > 1 ? ", " : "", t->columns > 1 ? t->names[1] : "");
    return SIZE_MAX;
}

/* The columns a name stands for: itself, or all entries of a vector. 0: none, after a message. */
static size_t find_columns(const mech_table *t, const char *name, size_t *columns, size_t most)
{
    size_t count = 0;
    for (size_t i = 0; i < t->columns && count < most; i++) {
        char vector[256];
        const char *last = strrchr(t->names[i], '['); /* leg[2].r[1] is an entry of leg[2].r */
        const size_t length = last ? (size_t)(last - t->names[i]) : 0;
        if (!last || strchr(last, '.') || strchr(last, '\'') || length >= sizeof vector) continue;
        memcpy(vector, t->names[i], length);
        vector[length] = '\0';
        if (mech_same_name(vector, name)) columns[count++] = i;
    }
    if (count) return count;
    columns[0] = find_column(t, name);
    return columns[0] != SIZE_MAX;
}

/* Columns by name, or all but time and the account while there are few. 0: none, after a message. */
static size_t choose(const cli_args *args, const mech_table *t, size_t *columns)
{
    enum { MOST = 8 };
    size_t count = 0;
    for (size_t i = 1; i < args->operand_count && count < CLI_MOST_VALUES; i++) {
        const size_t found = find_columns(t, args->operands[i], columns + count, CLI_MOST_VALUES - count);
        if (!found) return 0;
        count += found;
    }
    for (size_t j = 1; args->operand_count < 2 && j < t->columns && count < MOST; j++)
        if (!strchr(t->names[j], '\'')) columns[count++] = j;
    if (!count) say("mech plot: there is nothing to draw\n");
    return count;
}

/* "x=m,theta=rad" into the units of the columns; the text is cut up in place. */
static int read_units(char *text, const mech_table *t, const char **units)
{
    for (char *item = text ? strtok(text, ",") : NULL; item; item = strtok(NULL, ",")) {
        char *equals = strchr(item, '=');
        if (!equals) {
            say("mech plot: --units takes NAME=UNIT,..., not '%s'\n", item);
            return 0;
        }
        *equals = '\0';
        const size_t column = find_column(t, item);
        if (column == SIZE_MAX) return 0;
        units[column] = equals + 1;
    }
    return 1;
}

/* Rows before and after an event have the same time: there stands a mark. */
static size_t find_marks(const mech_table *t, double *marks, size_t most)
{
    size_t count = 0;
    for (size_t i = 1; i < t->rows && count < most; i++) {
        const double now = t->data[i * t->columns], before = t->data[(i - 1) * t->columns];
        if (now == before && (count == 0 || marks[count - 1] != now)) marks[count++] = now;
    }
    return count;
}

static int has_point(const mech_figure *f, size_t y)
{
    const mech_table *t = f->table;
    for (size_t i = 0; i < t->rows; i++)
        if (isfinite(t->data[i * t->columns + f->x]) && isfinite(t->data[i * t->columns + y])) return 1;
    return 0;
}

/* Columns with the same unit share a panel, and a panel without a point cannot be drawn: 1, or 0 after a message. */
static int has_points(const char *path, const mech_figure *f)
{
    const mech_table *t = f->table;
    for (size_t k = 0; k < f->y_count && t->rows; k++) {
        const char *unit = f->units[f->y[k]] ? f->units[f->y[k]] : "";
        int found = 0;
        for (size_t other = 0; other < f->y_count && !found; other++)
            found = strcmp(f->units[f->y[other]] ? f->units[f->y[other]] : "", unit) == 0 && has_point(f, f->y[other]);
        if (found) continue;
        say("mech plot: %s: there is nothing to draw: no row has finite numbers in '%s' and '%s'\n", path,
            t->names[f->x], t->names[f->y[k]]);
        return 0;
    }
    if (!t->rows) say("mech plot: %s: there is nothing to draw: the file has a header and no rows\n", path);
    return t->rows > 0;
}

static int draw(const cli_args *args, const mech_table *t, const char *path)
{
    enum { MOST_MARKS = 40 };
    double marks[MOST_MARKS];
    size_t columns[CLI_MOST_VALUES];
    mech_figure figure = {.size = sizeof figure, .table = t, .y = columns, .y_count = choose(args, t, columns)};
    const char **units = calloc(t->columns + 1, sizeof *units);
    const char *given = cli_value(args, "--units"), *x = cli_value(args, "--x");
    char *copy = given ? strdup(given) : NULL;
    int code = EXIT_USAGE;
    const int lacks_memory = !units || (given && !copy);
    if (lacks_memory) say("mech plot: %s\n", mech_status_text(MECH_ERR_MEMORY));
    if (lacks_memory) code = EXIT_NUMBERS;
    figure.x = x ? find_column(t, x) : 0;
    if (figure.y_count && figure.x != SIZE_MAX && !lacks_memory && read_units(copy, t, units)) {
        figure.units = units;
        figure.title = cli_value(args, "--title");
        figure.equal_axes = cli_value(args, "--equal") != NULL;
        figure.marks = marks;
        figure.mark_count = figure.x == 0 ? find_marks(t, marks, MOST_MARKS) : 0;
        code = has_points(args->operands[0], &figure) ? figure_code("plot", path, mech_figure_write(&figure, path))
                                                      : EXIT_MODEL;
    }
    free(copy);
    free(units);
    return code;
}

static int run(const cli_args *args)
{
    const char *path = cli_value(args, "-o");
    mech_table table;
    char *why = NULL;
    if (!path) {
        say("mech plot: where to? -o FIGURE.svg, .pdf or .png\n");
        return EXIT_USAGE;
    }
    const char *const reads[] = {args->operands[0], NULL};
    const guard_file figure = {.what = "the figure", .option = "-o", .path = path};
    const int code = guard_files("plot", NULL, reads, &figure, 1);
    if (code != EXIT_OK) return code;
    const mech_status status = mech_table_read(args->operands[0], &table, &why);
    if (status != MECH_OK) {
        say("mech plot: %s\n", why ? why : mech_status_text(status));
        mech_text_free(why);
        return status == MECH_ERR_MEMORY ? EXIT_NUMBERS : EXIT_MODEL;
    }
    if (table.cut_line)
        say("mech plot: %s:%zu: the last line has no line end, so it was cut off while it was written: it is left out\n",
            args->operands[0], table.cut_line);
    const int drawn = draw(args, &table, path);
    mech_table_free(&table);
    return drawn;
}

static const cli_option options[] = {
    {"-o", "FILE", "the figure: .svg, .pdf or .png"},
    {"--x", "COLUMN", "horizontal axis (default: the first column)"},
    {"--units", "NAME=UNIT,...", "units for the labels; columns with one unit share a panel"},
    {"--title", "TEXT", "a line above the figure"},
    {"--equal", NULL, "the same scale on both axes, for paths in a plane"},
    {NULL, NULL, NULL},
};

const cli_command command_plot = {"plot",
                                  "RESULT [COLUMN ...]",
                                  "draw columns of a result file; L stands for all of L[1], L[2], ...",
                                  1,
                                  200,
                                  options,
                                  run};
