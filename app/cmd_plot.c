/* mech plot: a figure of result files. */
#include "common.h"
#include "guard.h"
#include "say.h"

#include <mech/output.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_FILES = 8, MOST_CURVES = 240 };

typedef struct plot { /* what is drawn, and of what */
    const cli_args *args;
    mech_table tables[MOST_FILES];
    const char *paths[MOST_FILES];
    size_t files;
    const char *words[CLI_MOST_VALUES]; /* columns and pairs that were asked for */
    size_t word_count;
    mech_series series[MOST_CURVES];
    size_t count, left_out;
    char *texts[4 * MOST_CURVES]; /* names and labels, and arrays, that were made */
    size_t text_count;
    double *marks;
    const char **mark_names;
    size_t mark_count;
    int lacks_memory;
} plot;

/* file: its path where there are several, else NULL. */
static size_t find_column(const mech_table *t, const char *file, const char *name)
{
    const char *in = file ? " in " : "";
    for (size_t i = 0; i < t->columns; i++)
        if (mech_same_name(t->names[i], name)) return i;
    const char *near = cli_nearest(name, (const char *const *)t->names, t->columns);
    if (!file) file = "";
    if (near) say("mech plot: there is no column '%s'%s%s; did you mean '%s'?\n", name, in, file, near);
    else
        say("mech plot: there is no column '%s'%s%s; the columns start with %s%s%s\n", name, in, file, t->names[0],
            t->columns > 1 ? ", " : "", t->columns > 1 ? t->names[1] : "");
    return SIZE_MAX;
}

/* The columns a name stands for: itself, or all entries of a vector. 0: none, after a message. */
static size_t find_columns(const mech_table *t, const char *file, const char *name, size_t *columns, size_t most)
{
    size_t count = 0;
    for (size_t i = 0; i < t->columns && count < most; i++) {
        char vector[256];
        const char *last = strrchr(t->names[i], '['), *close = last ? strchr(last, ']') : NULL;
        const size_t length = last ? (size_t)(last - t->names[i]) : 0;
        if (!close || strchr(close, '.') || length + strlen(close) >= sizeof vector) continue;
        memcpy(vector, t->names[i], length); /* leg[2].r[1] is an entry of leg[2].r, r[1]' one of r' */
        strcpy(vector + length, close + 1);
        if (mech_same_name(vector, name)) columns[count++] = i;
    }
    if (count) return count;
    columns[0] = find_column(t, file, name);
    return columns[0] != SIZE_MAX;
}

/* Which file a message is about, where there are several. */
static const char *path_to_say(const plot *p, size_t file) { return p->files > 1 ? p->paths[file] : NULL; }

static void *keep(plot *p, void *made)
{
    if (!made || p->text_count == sizeof p->texts / sizeof *p->texts) p->lacks_memory = 1;
    else p->texts[p->text_count++] = made;
    return made;
}

static char *join(plot *p, const char *a, const char *b, const char *c, const char *d)
{
    const size_t length = strlen(a) + strlen(b) + strlen(c) + strlen(d) + 1;
    char *text = keep(p, malloc(length));
    if (text) snprintf(text, length, "%s%s%s%s", a, b, c, d);
    return text;
}

static const char *unit_of(const mech_table *t, size_t column)
{
    if (t->units && t->units[column] && *t->units[column]) return t->units[column];
    return strcmp(t->names[column], "t") == 0 ? "s" : "";
}

static const char *label_of(plot *p, const mech_table *t, size_t column)
{
    const char *unit = unit_of(t, column);
    return *unit ? join(p, t->names[column], " [", unit, "]") : t->names[column];
}

/* The file without its folder and ending, for the legend. */
static const char *short_name(plot *p, size_t file)
{
    const char *slash = strrchr(p->paths[file], '/');
    char *name = join(p, slash ? slash + 1 : p->paths[file], "", "", "");
    char *ending = name ? strrchr(name, '.') : NULL;
    if (ending) *ending = '\0';
    return name;
}

static void add_curve(plot *p, size_t file, size_t x, size_t y)
{
    const mech_table *t = &p->tables[file];
    if (p->count == MOST_CURVES) {
        p->left_out++;
        return;
    }
    const char *name = t->names[y];
    if (p->files > 1) name = join(p, name ? name : "", ", ", short_name(p, file), "");
    if (t->is_choice && t->is_choice[y]) name = join(p, name ? name : "", " (not unique)", "", "");
    p->series[p->count++] =
        (mech_series){.curve = {.x = t->data + x,
                                .y = t->data + y,
                                .count = t->rows,
                                .x_stride = t->columns,
                                .y_stride = t->columns,
                                .name = name,
                                .kind = cli_value(p->args, "--dots") || cli_value(p->args, "--at") ? MECH_CURVE_DOTS
                                                                                                   : MECH_CURVE_LINE},
                      .unit = unit_of(t, y),
                      .x_label = label_of(p, t, x)};
}

/* "X:Y", each a column or a vector. */
static int add_pair(plot *p, size_t file, const char *x_name, const char *y_name)
{
    const mech_table *t = &p->tables[file];
    size_t x[CLI_MOST_VALUES], y[CLI_MOST_VALUES];
    const char *path = path_to_say(p, file);
    const size_t xs = find_columns(t, path, x_name, x, CLI_MOST_VALUES),
                 ys = xs ? find_columns(t, path, y_name, y, CLI_MOST_VALUES) : 0;
    if (!xs || !ys) return 0;
    if (xs != ys && xs != 1) {
        say("mech plot: '%s' has %zu entries and '%s' %zu: they do not go together\n", x_name, xs, y_name, ys);
        return 0;
    }
    for (size_t k = 0; k < ys; k++) add_curve(p, file, x[xs == 1 ? 0 : k], y[k]);
    return 1;
}

/* One of the words: a column over time (or --x), x over x' with --phase, or a pair. */
static int add_word(plot *p, size_t file, const char *word)
{
    const char *x = cli_value(p->args, "--x"), *colon = strchr(word, ':');
    char *first = join(p, word, "", "", "");
    if (!first) return 0;
    if (colon) {
        first[colon - word] = '\0';
        return add_pair(p, file, first, colon + 1);
    }
    if (cli_value(p->args, "--phase")) {
        char *rate = join(p, word, "'", "", "");
        return rate && add_pair(p, file, word, rate);
    }
    return add_pair(p, file, x ? x : p->tables[file].names[0], word);
}

/* Without a word: all but time, velocities and the account. */
static int add_all(plot *p, size_t file)
{
    const mech_table *t = &p->tables[file];
    const size_t before = p->count;
    for (size_t j = 1; j < t->columns; j++) {
        if (strchr(t->names[j], '\'') || strncmp(t->names[j], "equation.", 9) == 0) continue;
        if (!add_word(p, file, t->names[j])) return 0;
    }
    if (p->count == before) say("mech plot: there is nothing to draw\n");
    return p->count > before;
}

/* "x=m,theta=rad" into the units of the columns; the text is cut up in place. */
static int read_units(plot *p, char *text)
{
    for (char *item = text ? strtok(text, ",") : NULL; item; item = strtok(NULL, ",")) {
        char *equals = strchr(item, '=');
        if (!equals) {
            say("mech plot: --units takes NAME=UNIT,..., not '%s'\n", item);
            return 0;
        }
        *equals = '\0';
        for (size_t f = 0; f < p->files; f++) {
            mech_table *t = &p->tables[f];
            const size_t column = find_column(t, path_to_say(p, f), item);
            if (column == SIZE_MAX) return 0;
            char *unit = malloc(strlen(equals + 1) + 1);
            if (!unit) p->lacks_memory = 1;
            else strcpy(unit, equals + 1);
            mech_text_free(t->units[column]);
            t->units[column] = unit;
        }
    }
    return !p->lacks_memory;
}

/* ---- rows of one event ---- */

static int is_at_event(const mech_table *t, const char *name, double time, size_t *next)
{
    while (*next < t->event_count && (strcmp(t->events[*next].name, name) != 0 || t->events[*next].t < time)) (*next)++;
    return *next < t->event_count && t->events[*next].t == time;
}

/* Of the rows at each of its events, the last: behind what it did. */
static int keep_rows_at(mech_table *t, const char *name, const char *path)
{
    size_t kept = 0, next = 0, known = 0;
    for (size_t k = 0; k < t->event_count; k++) known += strcmp(t->events[k].name, name) == 0 ? 1 : 0;
    for (size_t i = 0; i < t->rows; i++) {
        const double *row = t->data + i * t->columns;
        const int is_last = i + 1 == t->rows || row[t->columns] != row[0];
        if (!is_last || !is_at_event(t, name, row[0], &next)) continue;
        memmove(t->data + kept++ * t->columns, row, t->columns * sizeof *row);
    }
    t->rows = kept;
    if (kept) return 1;
    if (known) say("mech plot: %s has no rows at the times of event '%s'\n", path, name);
    else if (t->event_count)
        say("mech plot: there is no event '%s' in %s; '%s' is one\n", name, path, t->events[0].name);
    else
        say("mech plot: no events are known of %s: mech run lists them beside its file, in %s-metadata.json\n", path,
            path);
    return 0;
}

/* ---- spectra ---- */

static int to_spectrum(plot *p, mech_series *s)
{
    double *frequency, *amplitude;
    size_t bins;
    const mech_status status =
        mech_spectrum(s->curve.x, s->curve.y, s->curve.y_stride, s->curve.count, &frequency, &amplitude, &bins);
    if (status == MECH_ERR_ARGUMENT)
        say("mech plot: a spectrum needs 8 rows and more, with finite numbers, in the order of time: '%s' has not\n",
            s->curve.name);
    if (status == MECH_ERR_MEMORY) p->lacks_memory = 1;
    if (status != MECH_OK) return 0;
    keep(p, frequency);
    keep(p, amplitude);
    s->curve.x = frequency;
    s->curve.y = amplitude;
    s->curve.x_stride = s->curve.y_stride = 1;
    s->curve.count = bins;
    s->x_label = "frequency [Hz]";
    return 1;
}

/* ---- marks ---- */

/* Events, or where nothing is known of them rows before and after one, which have the same time. */
static void find_marks(plot *p)
{
    const mech_table *t = &p->tables[0];
    const size_t most = t->event_count > t->rows ? t->event_count : t->rows;
    p->marks = malloc((most + 1) * sizeof *p->marks);
    p->mark_names = malloc((most + 1) * sizeof *p->mark_names);
    if (!p->marks || !p->mark_names) p->lacks_memory = 1;
    for (size_t i = 0; i < t->event_count && !p->lacks_memory; i++) {
        p->marks[p->mark_count] = t->events[i].t;
        p->mark_names[p->mark_count++] = t->events[i].name;
    }
    for (size_t i = 1; i < t->rows && !t->event_count && !p->lacks_memory; i++) {
        const double now = t->data[i * t->columns], before = t->data[(i - 1) * t->columns];
        if (now != before || (p->mark_count && p->marks[p->mark_count - 1] == now)) continue;
        p->marks[p->mark_count] = now;
        p->mark_names[p->mark_count++] = NULL;
    }
}

/* ---- the figure ---- */

static int is_drawable(double value, int is_log) { return isfinite(value) && (!is_log || value > 0); }

static int has_point(const mech_curve *c, int log_x, int log_y)
{
    for (size_t k = 0; k < c->count; k++)
        if (is_drawable(c->x[k * c->x_stride], log_x) && is_drawable(c->y[k * c->y_stride], log_y)) return 1;
    return 0;
}

/* A curve without a point is said: it would be missed. */
static int has_points(const plot *p, const mech_plot *figure)
{
    if (!p->tables[0].rows) {
        say("mech plot: %s: there is nothing to draw: the file has a header and no rows\n", p->paths[0]);
        return 0;
    }
    size_t drawn = 0;
    for (size_t k = 0; k < p->count; k++) {
        const mech_series *s = &p->series[k];
        const int is_there = has_point(&s->curve, figure->log_x, figure->log_y);
        drawn += is_there ? 1 : 0;
        if (!is_there)
            say("mech plot: there is nothing to draw of '%s': no row has finite numbers%s\n", s->curve.name,
                figure->log_x || figure->log_y ? " above 0, for a logarithmic axis," : "");
    }
    return drawn > 0;
}

static int make_curves(plot *p)
{
    const char *event = cli_value(p->args, "--at"), *units = cli_value(p->args, "--units");
    char *copy = units ? join(p, units, "", "", "") : NULL;
    if (p->lacks_memory || !read_units(p, copy)) return 0;
    for (size_t f = 0; f < p->files; f++) {
        if (event && !keep_rows_at(&p->tables[f], event, p->paths[f])) return 0;
        for (size_t k = 0; k < p->word_count; k++)
            if (!add_word(p, f, p->words[k])) return 0;
        if (!p->word_count && !add_all(p, f)) return 0;
    }
    for (size_t k = 0; k < p->count && cli_value(p->args, "--spectrum"); k++)
        if (!to_spectrum(p, &p->series[k])) return 0;
    return !p->lacks_memory;
}

static int draw(plot *p, const char *path)
{
    const char *log = cli_value(p->args, "--log");
    const int is_over_time =
        !cli_value(p->args, "--spectrum") && !cli_value(p->args, "--x") && !cli_value(p->args, "--phase");
    if (log && strcmp(log, "x") != 0 && strcmp(log, "y") != 0 && strcmp(log, "xy") != 0) {
        say("mech plot: --log takes x, y or xy, not '%s'\n", log);
        return EXIT_USAGE;
    }
    if (!make_curves(p)) return p->lacks_memory ? show_text(MECH_ERR_MEMORY, NULL) : EXIT_USAGE;
    int is_time = is_over_time;
    for (size_t k = 0; k < p->word_count; k++) is_time &= !strchr(p->words[k], ':');
    if (is_time && p->files == 1 && !cli_value(p->args, "--at")) find_marks(p);
    char note[80] = "";
    if (p->left_out) snprintf(note, sizeof note, "the first %d of %zu curves", MOST_CURVES, MOST_CURVES + p->left_out);
    const mech_plot figure = {.size = sizeof figure,
                              .series = p->series,
                              .count = p->count,
                              .title = cli_value(p->args, "--title"),
                              .note = *note ? note : NULL,
                              .marks = p->marks,
                              .mark_names = p->mark_names,
                              .mark_count = p->mark_count,
                              .log_x = log && strchr(log, 'x'),
                              .log_y = log && strchr(log, 'y'),
                              .equal_axes = cli_value(p->args, "--equal") != NULL,
                              .is_time = is_time};
    mech_sheet *sheet = NULL;
    if (!has_points(p, &figure)) return EXIT_MODEL;
    const mech_status status = p->lacks_memory ? MECH_ERR_MEMORY : mech_plot_sheet(&figure, &sheet);
    const int code = status == MECH_OK ? draw_sheet("plot", sheet, path) : figure_code("plot", path, status);
    mech_plot_sheet_free(sheet);
    return code;
}

static int read_file(plot *p, const char *path)
{
    char *why = NULL;
    if (p->files == MOST_FILES) {
        say("mech plot: at most %d result files at once\n", MOST_FILES);
        return EXIT_USAGE;
    }
    mech_table *t = &p->tables[p->files];
    const mech_status status = mech_table_read(path, t, &why);
    if (status != MECH_OK) {
        say("mech plot: %s\n", why ? why : mech_status_text(status));
        mech_text_free(why);
        return status == MECH_ERR_MEMORY ? EXIT_NUMBERS : EXIT_MODEL;
    }
    if (t->cut_line)
        say("mech plot: %s:%zu: the last line was cut off while it was written: it is left out\n", path, t->cut_line);
    p->paths[p->files++] = path;
    return EXIT_OK;
}

/* The first operand is a file, and what ends in .csv. */
static int read_operands(plot *p)
{
    for (size_t k = 0; k < p->args->operand_count; k++) {
        const char *word = p->args->operands[k];
        if (k && !has_ending(word, ".csv")) {
            p->words[p->word_count++] = word;
            continue;
        }
        const int code = read_file(p, word);
        if (code != EXIT_OK) return code;
    }
    return EXIT_OK;
}

static int run(const cli_args *args)
{
    const char *path = cli_value(args, "-o") ? cli_value(args, "-o") : "-";
    const guard_file figure = {.what = "the figure", .option = "-o", .path = strcmp(path, "-") != 0 ? path : NULL};
    const char *reads[CLI_MOST_VALUES + 1] = {args->operands[0]};
    size_t count = 1;
    for (size_t k = 1; k < args->operand_count && count < CLI_MOST_VALUES; k++)
        if (has_ending(args->operands[k], ".csv")) reads[count++] = args->operands[k];
    int code = guard_files("plot", NULL, reads, &figure, 1);
    if (code == EXIT_OK && !is_figure(path)) code = figure_code("plot", path, MECH_ERR_ARGUMENT);
    if (code != EXIT_OK) return code;
    plot *p = calloc(1, sizeof *p);
    if (!p) return show_text(MECH_ERR_MEMORY, NULL);
    p->args = args;
    code = read_operands(p);
    if (code == EXIT_OK) code = draw(p, path);
    for (size_t k = 0; k < p->files; k++) mech_table_free(&p->tables[k]);
    for (size_t k = 0; k < p->text_count; k++) free(p->texts[k]);
    free(p->marks);
    free(p->mark_names);
    free(p);
    return code;
}

static const cli_option options[] = {
    {"-o", "FILE", "the figure: .svg, .pdf or .png (default: on the terminal)"},
    {"--x", "COLUMN", "horizontal axis (default: the first column)"},
    {"--phase", NULL, "each column over its rate: x' over x"},
    {"--at", "EVENT", "dots at the rows of one event only: a Poincare section"},
    {"--spectrum", NULL, "amplitudes over frequencies"},
    {"--log", "x|y|xy", "logarithmic axes"},
    {"--dots", NULL, "dots in place of lines"},
    {"--units", "NAME=UNIT,...", "units for the labels, where the file has none; columns with one unit share a panel"},
    {"--title", "TEXT", "a line above the figure"},
    {"--equal", NULL, "the same scale on both axes, for paths in a plane"},
    {NULL, NULL, NULL},
};

const cli_command command_plot = {
    "plot",
    "RESULT [COLUMN ...]",
    "draw columns of a result file, or of several: x, X:Y for a pair; L stands for all of L[1], L[2], ...",
    1,
    200,
    options,
    run};
