/* CSV tables as signals. Fields are separated by commas (or semicolons where the header has no comma), may
   stand in double quotes, and are trimmed; empty lines and lines that start with # are skipped. */
#include "base/table.h"

#include "base/greek.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/text.h"
#include "base/try.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_BYTES = 1 << 30 };

typedef struct reader {
    const char *file, *column; /* as the model names them */
    int by_first;              /* over the first column, which need not be the time */
    mech_diagnostics *diagnostics;
    mech_span span;
    char *text;
    size_t length, at; /* at: start of the next line */
    size_t line;       /* of the line read last      */
    int is_ended;      /* it has a line end          */
    char separator;
    size_t fields; /* of the header              */
    size_t time_field, value_field;
    points_table table;
    size_t t_capacity, y_capacity;
} reader;

typedef struct slice {
    const char *start;
    size_t length;
} slice;

static mech_status read_text(reader *r, FILE *in)
{
    size_t capacity = 0;
    for (;;) {
        if (r->length >= MAX_BYTES) return MECH_ERR_LIMIT;
        if (!mem_grow(&r->text, &capacity, r->length + 65536, 1)) return MECH_ERR_MEMORY;
        const size_t got = fread(r->text + r->length, 1, capacity - r->length, in);
        r->length += got;
        if (got == 0) return ferror(in) ? MECH_ERR_FILE : MECH_OK;
    }
}

/* A device or a pipe may never end. */
static FILE *open_regular(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISREG(about.st_mode) ? fopen(path, "rb") : NULL;
}

/* Seen from the folder, and from nowhere else: a file of the same name where the command runs is another one.
   *opened is its path (new, NULL: out of memory). */
static slice trimmed(const char *start, const char *end)
{
    while (start < end && (*start == ' ' || *start == '\t')) start++;
    while (end > start && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r')) end--;
    if (end - start >= 2 && *start == '"' && end[-1] == '"') {
        start++;
        end--;
    }
    return (slice){start, (size_t)(end - start)};
}

/* The next line that says something; 0 at the end of the text. */
static int next_line(reader *r, slice *line)
{
    while (r->at < r->length) {
        const char *start = r->text + r->at;
        const char *newline = memchr(start, '\n', r->length - r->at);
        const char *end = newline ? newline : r->text + r->length;
        r->at = (size_t)(end - r->text) + 1;
        r->line++;
        r->is_ended = newline != NULL;
        *line = trimmed(start, end);
        if (line->length && line->start[0] != '#') {
            *line = (slice){start, (size_t)(end - start)};
            return 1;
        }
    }
    return 0;
}

/* Cuts the next field off the line; 0 when there is none left. */
static int next_field(const reader *r, slice *line, slice *field)
{
    if (!line->start) return 0;
    const char *end = line->start + line->length, *c = line->start;
    for (int quoted = 0; c < end && (quoted || *c != r->separator); c++)
        if (*c == '"') quoted = !quoted;
    *field = trimmed(line->start, c);
    *line = c < end ? (slice){c + 1, (size_t)(end - c - 1)} : (slice){NULL, 0};
    return 1;
}

static int is_text(slice s, const char *text) { return greek_same(s.start, s.length, text, strlen(text)); }

#define COMPLAIN(r, status, hint, ...)                                                                                 \
    ((r)->diagnostics ? diagnostics_add((r)->diagnostics, MECH_SEVERITY_ERROR, status, (r)->span, hint, __VA_ARGS__)   \
                      : (void)0,                                                                                       \
     (status))

typedef struct header_column { /* of the header */
    size_t at;                 /* SIZE_MAX: not seen */
    slice name;
} header_column;

/* Column `i` is what was looked for. Another one before it would leave open which is meant. */
static mech_status take_column(const reader *r, header_column *wanted, slice name, size_t i)
{
    const slice before = wanted->name;
    if (wanted->at != SIZE_MAX)
        return COMPLAIN(r, MECH_ERR_MODEL, "give one of them another name, or take it out",
                        "columns %zu ('%.*s') and %zu ('%.*s') of the table '%s' cannot be told apart", wanted->at + 1,
                        (int)before.length, before.start, i + 1, (int)name.length, name.start, r->file);
    *wanted = (header_column){i, name};
    return MECH_OK;
}

/* t; time, Time, TIME. T is a temperature. */
static int is_time(slice field)
{
    static const char small[] = "time", large[] = "TIME";
    if (is_text(field, "t")) return 1;
    if (field.length != sizeof small - 1) return 0;
    for (size_t i = 0; i < field.length; i++)
        if (field.start[i] != small[i] && field.start[i] != large[i]) return 0;
    return 1;
}

static mech_status read_header(reader *r)
{
    slice line, field;
    header_column time = {.at = SIZE_MAX}, value = {.at = SIZE_MAX};
    if (!next_line(r, &line)) return COMPLAIN(r, MECH_ERR_MODEL, NULL, "the table '%s' is empty", r->file);
    r->separator = memchr(line.start, ',', line.length) || !memchr(line.start, ';', line.length) ? ',' : ';';
    for (size_t i = 0; next_field(r, &line, &field); r->fields = ++i) {
        if (r->by_first ? i == 0 : is_time(field)) MECH_TRY(take_column(r, &time, field, i));
        if (is_text(field, r->column)) MECH_TRY(take_column(r, &value, field, i));
    }
    r->time_field = time.at == SIZE_MAX ? 0 : time.at;
    r->value_field = value.at;
    if (r->by_first && value.at == 0)
        return COMPLAIN(r, MECH_ERR_MODEL, "name another column",
                        "the column '%s' of the table '%s' is its first one, over which the others are given",
                        r->column, r->file);
    if (time.at == SIZE_MAX && value.at == 0)
        return COMPLAIN(
            r, MECH_ERR_MODEL, "name the column of the time t",
            "the table '%s' has no column t or time: its first one would be the time, and that is '%s' itself", r->file,
            r->column);
    if (value.at != SIZE_MAX) return MECH_OK;
    return COMPLAIN(r, MECH_ERR_MODEL, "the first line of the file names its columns",
                    "the table '%s' has no column '%s'", r->file, r->column);
}

/* A run that was killed may leave the last of its long rows without its end in FILE.part: fields may be missing,
   or digits of the last one. Elsewhere a last line with all its fields is whole: many write it without an end. */
static int is_cut_off(const reader *r, size_t fields)
{
    static const char ending[] = ".part";
    const size_t length = strlen(r->file), most = sizeof ending - 1;
    const int is_part = length > most && strcmp(r->file + length - most, ending) == 0;
    return !r->is_ended && (is_part || fields < r->fields);
}

static mech_status read_row(reader *r, slice line)
{
    points_table *table = &r->table;
    double t = (double)NAN, y = (double)NAN;
    slice field;
    size_t fields = 0;
    for (size_t i = 0; next_field(r, &line, &field); fields = ++i) {
        double *to = i == r->time_field ? &t : i == r->value_field ? &y : NULL;
        if (to && !number_read(field.start, field.length, to)) *to = (double)NAN;
        if (i == r->time_field && i == r->value_field) y = t;
    }
    if (is_cut_off(r, fields))
        return COMPLAIN(r, MECH_ERR_MODEL, "take it out",
                        "%s:%zu: the last line has no line end: it was cut off while it was written", r->file, r->line);
    if (fields != r->fields)
        return COMPLAIN(r, MECH_ERR_MODEL, "numbers have a decimal point; where a value is missing, leave the row out",
                        "%s:%zu: the row has %zu %s, the header %zu", r->file, r->line, fields,
                        fields == 1 ? "field" : "fields", r->fields);
    if (!isfinite(t) || !isfinite(y))
        return COMPLAIN(r, MECH_ERR_MODEL, NULL, "%s:%zu: the row needs finite numbers for %s and '%s'", r->file,
                        r->line, r->by_first ? "its first column" : "time", r->column);
    if (!(fabs(t) <= TABLE_MOST) || !(fabs(y) <= TABLE_MOST))
        return COMPLAIN(r, MECH_ERR_MODEL, "take another unit, or leave the row out",
                        "%s:%zu: a table takes numbers up to %g, not %g", r->file, r->line, TABLE_MOST,
                        fabs(t) <= TABLE_MOST ? y : t);
    if (table->count && t <= table->t[table->count - 1])
        return COMPLAIN(r, MECH_ERR_MODEL, NULL, "%s:%zu: %s must ascend from row to row", r->file, r->line,
                        r->by_first ? "the first column" : "time");
    if (!mem_grow(&table->t, &r->t_capacity, table->count + 1, sizeof *table->t) ||
        !mem_grow(&table->y, &r->y_capacity, table->count + 1, sizeof *table->y))
        return MECH_ERR_MEMORY;
    table->t[table->count] = t;
    table->y[table->count++] = y;
    return MECH_OK;
}

static mech_status read_all(reader *r)
{
    slice line;
    if (r->length >= 3 && memcmp(r->text, "\xEF\xBB\xBF", 3) == 0) r->at = 3; /* the mark of UTF-8, as some write it */
    MECH_TRY(read_header(r));
    while (next_line(r, &line)) MECH_TRY(read_row(r, line));
    if (r->table.count) return MECH_OK;
    return COMPLAIN(r, MECH_ERR_MODEL, NULL, "the table '%s' has no rows", r->file);
}

mech_status table_read(const char *file, const char *column, int by_first, mech_diagnostics *diagnostics,
                       mech_span span, points_table *table)
{
    reader r = {.file = file, .column = column, .by_first = by_first, .diagnostics = diagnostics, .span = span};
    r.table.path = mem_text(file, strlen(file));
    FILE *in = r.table.path ? open_regular(file) : NULL;
    mech_status status = !r.table.path ? MECH_ERR_MEMORY : in ? read_text(&r, in) : MECH_ERR_FILE;
    if (in) fclose(in);
    if (status == MECH_ERR_FILE)
        (void)COMPLAIN(&r, status, "the path is seen from the folder of the model", "the table '%s' cannot be read",
                       file);
    if (status == MECH_ERR_LIMIT) (void)COMPLAIN(&r, status, NULL, "the table '%s' is larger than 1 GiB", file);
    if (status == MECH_OK) status = read_all(&r);
    mem_free(r.text);
    if (status != MECH_OK) table_free(&r.table);
    *table = r.table;
    return status;
}

void table_free(points_table *table)
{
    mem_free(table->t);
    mem_free(table->y);
    mem_free(table->path);
    *table = (points_table){0};
}

void table_at(const points_table *table, double t, double *value, double *slope)
{
    const size_t last = table->count - 1;
    *slope = 0;
    *value = t < table->t[0] ? table->y[0] : table->y[last];
    if (!(t >= table->t[0]) || t >= table->t[last]) return;
    size_t low = 0, high = last; /* t[low] <= t < t[high] */
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (table->t[middle] <= t) low = middle;
        else high = middle;
    }
    *value = table->y[low];
    if (table->is_held) return;
    *slope = (table->y[high] - table->y[low]) / (table->t[high] - table->t[low]);
    *value = table->y[low] + *slope * (t - table->t[low]);
}

double table_next(const points_table *table, double t)
{
    if (table->count == 0 || t >= table->t[table->count - 1]) return HUGE_VAL;
    size_t low = 0, high = table->count - 1; /* the answer is among low..high */
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (table->t[middle] > t) high = middle;
        else low = middle + 1;
    }
    return table->t[low];
}
