/* Result files read back: CSV with a header, every row as long as it and with a line end. A run that was killed
   may have left a last line that is no row: it begins with '#', or lacks its line end and so perhaps digits. */
#include "output/about.h"
#include "output/table.h"

#include "base/mem.h"
#include "base/number.h"
#include "base/strmap.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { MOST_COLUMNS = 100000 };

typedef struct reader {
    const char *at, *end;
    size_t line, row_line; /* where we are, and where the row began */
    mech_table *table;
    size_t name_capacity, data_capacity, count; /* of data */
    textbuf *why;
} reader;

void mech_table_free(mech_table *t)
{
    for (size_t i = 0; t->names && i < t->columns; i++) mem_free(t->names[i]);
    for (size_t i = 0; t->units && i < t->columns; i++) mem_free(t->units[i]);
    for (size_t i = 0; i < t->event_count; i++) mem_free(t->events[i].name);
    mem_free(t->units);
    mem_free(t->is_choice);
    mem_free(t->events);
    mem_free(t->names);
    mem_free(t->data);
    *t = (mech_table){.size = sizeof *t};
}

static mech_status wrong(reader *r, const char *why)
{
    text_add(r->why, why);
    return MECH_ERR_FILE;
}

/* One header field, quoted or not, up to the comma or line end behind it. */
static mech_status read_name(reader *r)
{
    textbuf name = {0};
    const int quoted = r->at < r->end && *r->at == '"';
    if (quoted) r->at++;
    while (r->at < r->end) {
        if (quoted && *r->at == '"') {
            if (r->at + 1 < r->end && r->at[1] == '"') r->at++;
            else break;
        }
        if (!quoted && (*r->at == ',' || *r->at == '\n' || *r->at == '\r')) break;
        if (*r->at == '\0') break;
        text_add_char(&name, *r->at++);
    }
    if (quoted && r->at < r->end && *r->at == '"') r->at++;
    char *text = text_take(&name);
    mech_table *t = r->table;
    if (!text || !mem_grow(&t->names, &r->name_capacity, t->columns + 1, sizeof *t->names)) {
        mem_free(text);
        return MECH_ERR_MEMORY;
    }
    t->names[t->columns++] = text;
    return MECH_OK;
}

/* Steps over a comma (1), a line end or the end of the file (0); -1: something else stands there. */
static int separator(reader *r)
{
    if (r->at < r->end && *r->at == ',') {
        r->at++;
        return 1;
    }
    if (r->at < r->end && *r->at == '\r') r->at++;
    if (r->at == r->end) return 0;
    if (*r->at != '\n') return -1;
    r->at++;
    r->line++;
    return 0;
}

static mech_status read_header(reader *r)
{
    int more = 1;
    while (more == 1) {
        const mech_status status = read_name(r);
        if (status != MECH_OK) return status;
        if (r->table->columns > MOST_COLUMNS) return wrong(r, "there are too many columns");
        more = separator(r);
    }
    return more < 0 ? wrong(r, "the header is not a list of names with commas between") : MECH_OK;
}

/* Two columns of one name: which one is meant cannot be known. Columns without a name are nobody's. */
static mech_status check_names(reader *r)
{
    const mech_table *t = r->table;
    strmap columns = {0};
    mech_status status = MECH_OK;
    for (size_t j = 0; j < t->columns && status == MECH_OK; j++) {
        const size_t earlier = *t->names[j] ? strmap_get(&columns, t->names[j]) : SIZE_MAX;
        if (earlier != SIZE_MAX) {
            text_format(r->why, "columns %zu and %zu have the same name '%s'", earlier + 1, j + 1, t->names[j]);
            status = MECH_ERR_FILE;
        } else if (!strmap_put(&columns, t->names[j], j)) {
            status = MECH_ERR_MEMORY;
        }
    }
    strmap_free(&columns);
    return status;
}

static mech_status read_row(reader *r)
{
    mech_table *t = r->table;
    r->row_line = r->line;
    for (size_t i = 0; i < t->columns; i++) {
        const char *start = r->at;
        while (r->at < r->end && *r->at != ',' && *r->at != '\n' && *r->at != '\r') r->at++;
        if (!mem_grow(&t->data, &r->data_capacity, r->count + 1, sizeof *t->data)) return MECH_ERR_MEMORY;
        if (!number_read(start, (size_t)(r->at - start), &t->data[r->count])) return wrong(r, "this is not a number");
        r->count++;
        if (i + 1 < t->columns && separator(r) != 1) return wrong(r, "the row is shorter than the header");
    }
    if (separator(r) != 0) return wrong(r, "the row is longer than the header");
    t->rows++;
    return MECH_OK;
}

/* A NUL among the first bytes: a MATLAB file, a picture. */
static int is_binary(const textbuf *text)
{
    return text->length > 0 && memchr(text->data, 0, text->length < 4096 ? text->length : 4096) != NULL;
}

static mech_status read_all(const char *path, textbuf *text, const char **why)
{
    struct stat about;
    const int found = stat(path, &about) == 0;
    *why = !found && errno == ENOENT ? "there is no such file" : "it is not a file that can be read";
    FILE *file = found && S_ISREG(about.st_mode) ? fopen(path, "rb") : NULL;
    if (!file && found && errno == ENOMEM) {
        *why = mech_status_text(MECH_ERR_MEMORY);
        return MECH_ERR_MEMORY;
    }
    if (!file) return MECH_ERR_FILE;
    char chunk[65536];
    size_t got;
    while ((got = fread(chunk, 1, sizeof chunk, file)) > 0) text_add_n(text, chunk, got);
    const int bad = ferror(file);
    fclose(file);
    return bad ? MECH_ERR_FILE : text->failed ? MECH_ERR_MEMORY : MECH_OK;
}

/* Where the last line end before `length` is behind. */
static size_t line_start(const textbuf *text, size_t length)
{
    while (length > 0 && text->data[length - 1] != '\n') length--;
    return length;
}

/* How many bytes of a text are whole lines, without a last one that a killed run left as a comment. */
static size_t whole_lines(const textbuf *text)
{
    const size_t length = line_start(text, text->length), last = length ? line_start(text, length - 1) : 0;
    return last > 0 && text->data[last] == '#' ? last : length;
}

static mech_status read_lines(reader *r)
{
    mech_status status = read_header(r);
    if (status == MECH_OK) status = check_names(r);
    while (status == MECH_OK && r->at < r->end) status = read_row(r);
    return status;
}

mech_status table_from_text(const textbuf *text, mech_table *table, size_t *line, textbuf *why)
{
    const size_t whole = whole_lines(text);
    reader r = {.at = text->data,
                .end = text->data ? text->data + whole : NULL,
                .line = 1,
                .row_line = 1,
                .table = table,
                .why = why};
    *table = (mech_table){.size = sizeof *table};
    *line = 0;
    if (whole >= 3 && memcmp(r.at, "\xEF\xBB\xBF", 3) == 0) r.at += 3; /* the mark of UTF-8, as some write it */
    if (text->length == 0) return wrong(&r, "the file is empty");
    if (is_binary(text)) return wrong(&r, "this is not a table of text: figures are drawn from .csv files");
    const mech_status status =
        whole ? read_lines(&r) : wrong(&r, "the header has no line end: it was cut off while it was written");
    if (status != MECH_OK) mech_table_free(table);
    else if (whole < text->length) table->cut_line = r.line;
    *line = r.row_line;
    return status;
}

mech_status mech_table_read(const char *path, mech_table *table, char **why)
{
    textbuf text = {0}, reason = {0};
    const char *unread = NULL;
    size_t line = 0;
    *table = (mech_table){.size = sizeof *table};
    if (why) *why = NULL;
    mech_status status = read_all(path, &text, &unread);
    if (status == MECH_ERR_FILE) text_add(&reason, unread);
    if (status == MECH_OK) status = table_from_text(&text, table, &line, &reason);
    if (status == MECH_OK && (status = about_read(path, table, NULL)) != MECH_OK) mech_table_free(table);
    if (status == MECH_ERR_FILE && why) {
        textbuf message = {0};
        text_add(&message, path);
        if (line) text_format(&message, ":%zu", line);
        text_format(&message, ": %s", reason.data ? reason.data : "it is not a table");
        *why = text_take(&message);
    }
    text_free(&reason);
    text_free(&text);
    return status;
}
