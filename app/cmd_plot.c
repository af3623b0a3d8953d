/* mech plot: a figure of a result file. */
#include "cli.h"
#include "say.h"

#include <mech/output.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t find_column(const mech_table *t, const char *name)
{
    for (size_t i = 0; i < t->columns; i++)
        if (strcmp(t->names[i], name) == 0) return i;
    const char *near = cli_nearest(name, (const char *const *)t->names, t->columns);
    if (near) say("mech plot: there is no column '%s'; did you mean '%s'?\n", name, near);
    else say("mech plot: there is no column '%s'; the columns start with %s%s%s\n", name, t->names[0], t->columns > 1 ? ", " : "", t->columns > 1 ? t->names[1] : "");
    return SIZE_MAX;
}

/* The columns a name stands for: itself, or all entries of a vector. 0: none, after a message. */
static size_t find_columns(const mech_table *t, const char *name, size_t *columns, size_t most)
{
    const size_t length = strlen(name);
    size_t count = 0;
    for (size_t i = 0; i < t->columns && count < most; i++)
        if (strncmp(t->names[i], name, length) == 0 && t->names[i][length] == '[' && !strchr(t->names[i], '\'')) columns[count++] = i;
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

static int explain(mech_status status, const char *path)
{
    if (status == MECH_OK) return EXIT_OK;
    if (status == MECH_ERR_UNSUPPORTED) say("mech plot: figures are drawn by the program gnuplot, which is not installed\n");
    else if (status == MECH_ERR_ARGUMENT) say("mech plot: a figure's name ends in .svg, .pdf or .png, not '%s'\n", path);
    else say("mech plot: the figure '%s' could not be drawn%s\n", path, status == MECH_ERR_MEMORY ? ": out of memory" : "");
    return status == MECH_ERR_ARGUMENT ? EXIT_USAGE : EXIT_NUMBERS;
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
        code = explain(mech_figure_write(&figure, path), path);
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
    const mech_status status = mech_table_read(args->operands[0], &table, &why);
    if (status != MECH_OK) {
        say("mech plot: %s\n", why ? why : mech_status_text(status));
        mech_text_free(why);
        return status == MECH_ERR_MEMORY ? EXIT_NUMBERS : EXIT_MODEL;
    }
    if (table.cut_line)
        say("mech plot: %s:%zu: the last line has no line end, so it was cut off while it was written: it is left out\n", args->operands[0], table.cut_line);
    const int code = draw(args, &table, path);
    mech_table_free(&table);
    return code;
}

static const cli_option options[] = {
    {"-o", "FILE", "the figure: .svg, .pdf or .png"},
    {"--x", "COLUMN", "horizontal axis (default: the first column)"},
    {"--units", "NAME=UNIT,...", "units for the labels; columns with one unit share a panel"},
    {"--title", "TEXT", "a line above the figure"},
    {"--equal", NULL, "the same scale on both axes, for paths in a plane"},
    {NULL, NULL, NULL},
};

const cli_command command_plot = {"plot", "RESULT [COLUMN ...]", "draw columns of a result file; L stands for all of L[1], L[2], ...", 1, 200, options, run};
