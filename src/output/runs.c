/* Results of many runs: a CSV file with one line a run, numbers first, then status and words. Lines go to PATH.part as
   runs end; a line without its end, which a kill may leave, is no row. An HDF5 file is made of the lines at the end: a
   kill in the middle of one would leave nothing that can be read (docs/decisions/0035-many-machines.md). What a line
   has no room for stands beside PATH.part as soon as it is known. */
#include <mech/output.h>

#include "output/about.h"
#include "output/runs_file.h"

#include "base/lock.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/text.h"
#include "base/draft.h"
#include "base/system.h"

#include <errno.h>
#include <math.h>
#include <string.h>

struct mech_runs {
    char *path, *part;
    size_t columns;
    char **names, **units;    /* (columns) */
    unsigned char *is_choice; /* (columns) */
    char *made_by;            /* NULL, or the mark of what makes the rows */
    int is_taken_up;
    int is_hdf5;
    int file;
    size_t written; /* bytes of whole rows in the file */
    int has_rows;
    textbuf header, rows;
};

enum { FLUSH_FROM = 4096 };

static void destroy(mech_runs *r)
{
    if (r->file >= 0) close(r->file);
    for (size_t i = 0; i < r->columns; i++) {
        if (r->names) mem_free(r->names[i]);
        if (r->units) mem_free(r->units[i]);
    }
    mem_free(r->names);
    mem_free(r->units);
    mem_free(r->is_choice);
    mem_free(r->made_by);
    mem_free(r->path);
    mem_free(r->part);
    text_free(&r->header);
    text_free(&r->rows);
    mem_free(r);
}

/* Quoted where it holds a comma or a quote; what ends lines does not. */
static void add_words(textbuf *out, const char *words)
{
    const int quoted = strpbrk(words, ",\"") != NULL;
    if (quoted) text_add_char(out, '"');
    for (; *words; words++) {
        if (*words == '"') text_add_char(out, '"');
        text_add_char(out, (unsigned char)*words < ' ' ? ' ' : *words);
    }
    if (quoted) text_add_char(out, '"');
}

static mech_status flush(mech_runs *r)
{
    if (r->rows.failed) return MECH_ERR_MEMORY;
    if (r->rows.length && !draft_write(r->file, r->rows.data, r->rows.length)) {
        const int is_cut = ftruncate(r->file, (off_t)r->written) == 0; /* a full disk, say: whole rows stay */
        (void)is_cut;
        r->rows.length = 0;
        return MECH_ERR_FILE;
    }
    r->written += r->rows.length;
    r->rows.length = 0;
    return MECH_OK;
}

int mech_runs_is_hdf5(const char *path)
{
    static const char *const endings[] = {".h5", ".hdf5"};
    const size_t length = strlen(path);
    for (size_t i = 0; i < 2; i++) {
        const size_t end = strlen(endings[i]);
        if (length > end && strcmp(path + length - end, endings[i]) == 0) return 1;
    }
    return 0;
}

/* Names that the sets of one file can have: no two alike. */
static int are_names(const char *const *names, size_t columns)
{
    for (size_t i = 0; i < columns; i++) {
        if (strcmp(names[i], "status") == 0 || strcmp(names[i], "reason") == 0) return 0;
        for (size_t k = 0; k < i; k++)
            if (strcmp(names[i], names[k]) == 0) return 0;
    }
    return 1;
}

static mech_status create(const char *path, const char *const *names, size_t columns, mech_runs **out)
{
    const int is_hdf5 = mech_runs_is_hdf5(path);
    if (is_hdf5 && !runs_has_hdf5()) return MECH_ERR_UNSUPPORTED;
    if (!are_names(names, columns)) return MECH_ERR_MODEL;
    mech_runs *r = mem_zeroed(1, sizeof *r);
    if (!r) return MECH_ERR_MEMORY;
    r->file = -1;
    r->is_hdf5 = is_hdf5;
    r->columns = columns;
    r->path = mem_text(path, strlen(path));
    r->part = draft_path(path);
    r->names = mem_zeroed(columns + 1, sizeof *r->names);
    r->units = mem_zeroed(columns + 1, sizeof *r->units);
    r->is_choice = mem_zeroed(columns + 1, 1);
    int is_whole = r->path && r->part && r->names && r->units && r->is_choice;
    for (size_t i = 0; i < columns && is_whole; i++) {
        r->names[i] = mem_text(names[i], strlen(names[i]));
        is_whole = r->names[i] != NULL;
        add_words(&r->header, names[i]);
        text_add_char(&r->header, ',');
    }
    text_add(&r->header, "status,reason\n");
    if (is_whole && !r->header.failed) {
        *out = r;
        return MECH_OK;
    }
    destroy(r);
    return MECH_ERR_MEMORY;
}

/* For one writer alone; -1: it cannot be had. */
static int open_alone(const char *part, int flags)
{
    const int file = system_open(part, flags | O_RDWR, SYSTEM_NO_LINK);
    if (file < 0 || lock_file_at(file, part) != LOCK_TAKEN) return file;
    close(file);
    return -1;
}

/* ---- what stands beside the lines ---- */

static mech_status say_beside(const mech_runs *r)
{
    static const char *const texts[] = {"status", "reason", NULL};
    const about_columns columns = {.texts = texts,
                                   .count = r->columns,
                                   .names = (const char *const *)r->names,
                                   .units = (const char *const *)r->units,
                                   .is_choice = r->is_choice,
                                   .made_by = r->made_by};
    return about_write(r->part, r->path, &columns);
}

static mech_status read_beside(mech_runs *r)
{
    mech_table table = {.size = sizeof table, .columns = r->columns, .names = r->names};
    const mech_status status = about_read(r->part, &table, &r->made_by);
    if (status == MECH_OK) memcpy(r->is_choice, table.is_choice, r->columns);
    table.names = NULL; /* the table has borrowed them */
    mech_table_free(&table);
    return status;
}

static mech_status forget_beside(const mech_runs *r)
{
    char *beside = about_path(r->part);
    if (!beside) return MECH_ERR_MEMORY;
    (void)unlink(beside);
    mem_free(beside);
    return MECH_OK;
}

mech_status mech_runs_open(const char *path, const char *const *names, size_t columns, mech_runs **out)
{
    if (!out) return MECH_ERR_ARGUMENT;
    *out = NULL;
    if (!path || !names) return MECH_ERR_ARGUMENT;
    mech_runs *r;
    mech_status status = create(path, names, columns, &r);
    if (status != MECH_OK) return status;
    if (draft_may_replace(path)) r->file = open_alone(r->part, O_CREAT);
    status = r->file < 0 || ftruncate(r->file, 0) != 0 ? MECH_ERR_FILE : MECH_OK;
    text_add_n(&r->rows, r->header.data, r->header.length);
    if (status == MECH_OK) status = forget_beside(r); /* of an earlier one */
    if (status == MECH_OK) status = flush(r);
    if (status != MECH_OK) destroy(r);
    else *out = r;
    return status;
}

/* ---- reading what was written ---- */

typedef struct reader {
    int file;
    size_t columns;
    char bytes[1 << 14];
    size_t at, got;
    textbuf line; /* with its end */
} reader;

/* The next line that has an end: 1, 0: there is none, -1: *status says why. */
static int next_line(reader *r, mech_status *status)
{
    r->line.length = 0;
    for (;;) {
        for (; r->at < r->got; r->at++) {
            text_add_char(&r->line, r->bytes[r->at]);
            if (r->line.failed) {
                *status = MECH_ERR_MEMORY;
                return -1;
            }
            if (r->bytes[r->at] != '\n') continue;
            r->at++;
            return 1;
        }
        const ssize_t got = system_read(r->file, r->bytes, sizeof r->bytes);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) *status = MECH_ERR_FILE;
        if (got <= 0) return got < 0 ? -1 : 0;
        r->got = (size_t)got;
        r->at = 0;
    }
}

/* The numbers of a line, as many as there are columns: 1, or 0: it has others. *rest: what stands behind them. */
static int read_numbers(char *line, size_t columns, double *numbers, char **rest)
{
    for (size_t i = 0; i < columns; i++) {
        const size_t length = strcspn(line, ",\n");
        if (line[length] != ',') return 0;
        if (strncmp(line, "nan,", 4) == 0 || strncmp(line, "-nan,", 5) == 0) numbers[i] = (double)NAN;
        else if (!number_read(line, length, &numbers[i])) return 0;
        line += length + 1;
    }
    *rest = line;
    return 1;
}

/* `status,reason` taken apart where it stands. 1, or 0: it is something else. */
static int read_words(char *text, const char **status, const char **reason)
{
    char *comma = strchr(text, ','), *from, *to;
    if (!comma) return 0;
    *comma = 0;
    *status = text;
    from = to = comma + 1;
    *reason = to;
    const int is_quoted = *from == '"';
    if (is_quoted) from++;
    while (*from && *from != '\n') {
        if (is_quoted && *from == '"' && *++from != '"') break; /* two stand for one */
        *to++ = *from++;
    }
    *to = 0;
    return 1;
}

static mech_status next_row(void *from, double *numbers, const char **status, const char **reason)
{
    reader *r = from;
    mech_status went = MECH_OK;
    char *rest;
    const int got = next_line(r, &went);
    if (got < 0) return went;
    if (got == 0 || !read_numbers(r->line.data, r->columns, numbers, &rest) || !read_words(rest, status, reason))
        return MECH_ERR_FILE;
    return MECH_OK;
}

/* Rows and bytes that stand, and the numbers of the last row. */
static mech_status look_through(mech_runs *r, size_t *rows, double *last)
{
    reader from = {.file = r->file, .columns = r->columns};
    size_t lines = 0;
    char *rest;
    mech_status status = MECH_OK;
    for (; next_line(&from, &status) == 1 && status == MECH_OK; lines++) {
        const int is_good = lines == 0 ? strcmp(from.line.data, r->header.data) == 0
                                       : read_numbers(from.line.data, r->columns, last, &rest);
        if (!is_good) status = MECH_ERR_ARGUMENT;
        r->written += from.line.length;
    }
    text_free(&from.line);
    if (status == MECH_OK && lines == 0) status = MECH_ERR_ARGUMENT;
    *rows = lines ? lines - 1 : 0;
    return status;
}

mech_status mech_runs_resume(const char *path, const char *const *names, size_t columns, size_t *rows, double *last,
                             mech_runs **out)
{
    if (!out) return MECH_ERR_ARGUMENT;
    *out = NULL;
    if (!path || !names || !rows || !last) return MECH_ERR_ARGUMENT;
    mech_runs *r;
    mech_status status = create(path, names, columns, &r);
    if (status != MECH_OK) return status;
    if (draft_may_replace(r->part)) r->file = open_alone(r->part, 0);
    status = r->file < 0 ? MECH_ERR_FILE : look_through(r, rows, last);
    if (status == MECH_OK && (ftruncate(r->file, (off_t)r->written) != 0 || lseek(r->file, 0, SEEK_END) < 0))
        status = MECH_ERR_FILE;
    if (status == MECH_OK) status = read_beside(r);
    r->has_rows = 1;
    r->is_taken_up = *rows > 0;
    if (status != MECH_OK) destroy(r);
    else *out = r;
    return status;
}

/* ---- rows ---- */

mech_status mech_runs_row(mech_runs *r, const double *numbers, const char *status, const char *reason)
{
    for (size_t i = 0; i < r->columns; i++) {
        char digits[NUMBER_TEXT_SIZE];
        number_general(numbers[i], 17, digits);
        text_add(&r->rows, digits);
        text_add_char(&r->rows, ',');
    }
    text_add(&r->rows, status);
    text_add_char(&r->rows, ',');
    add_words(&r->rows, reason);
    text_add_char(&r->rows, '\n');
    r->has_rows = 1;
    return r->rows.failed ? MECH_ERR_MEMORY : r->rows.length >= FLUSH_FROM ? flush(r) : MECH_OK;
}

mech_status mech_runs_unit(mech_runs *r, size_t column, const char *unit)
{
    if (column >= r->columns) return MECH_ERR_ARGUMENT;
    char *copy = unit ? mem_text(unit, strlen(unit)) : NULL;
    if (unit && !copy) return MECH_ERR_MEMORY;
    mem_free(r->units[column]);
    r->units[column] = copy;
    return MECH_OK;
}

mech_status mech_runs_mark(mech_runs *r, size_t column)
{
    if (column >= r->columns) return MECH_ERR_ARGUMENT;
    if (r->is_choice[column]) return MECH_OK;
    r->is_choice[column] = 1;
    return say_beside(r);
}

mech_status mech_runs_made_by(mech_runs *r, const char *mark)
{
    if (!mark) return MECH_ERR_ARGUMENT;
    if (r->is_taken_up) return r->made_by && strcmp(r->made_by, mark) == 0 ? MECH_OK : MECH_ERR_ARGUMENT;
    char *copy = mem_text(mark, strlen(mark));
    if (!copy) return MECH_ERR_MEMORY;
    mem_free(r->made_by);
    r->made_by = copy;
    return say_beside(r);
}

int mech_runs_is_marked(const mech_runs *r, size_t column) { return column < r->columns && r->is_choice[column]; }

/* ---- the end ---- */

/* How many rows there are, and how long their reasons get. */
static mech_status measure_rows(reader *from, runs_rows *rows, double *numbers)
{
    const char *status, *reason;
    mech_status went = MECH_OK;
    for (char *rest; next_line(from, &went) == 1; rows->count++) {
        if (!read_numbers(from->line.data, from->columns, numbers, &rest) || !read_words(rest, &status, &reason))
            return MECH_ERR_FILE;
        const size_t length = strlen(reason);
        if (length > rows->longest_reason) rows->longest_reason = length;
    }
    return went;
}

/* Behind the header. */
static mech_status rewind_rows(reader *from)
{
    mech_status status = MECH_OK;
    from->at = from->got = 0;
    if (lseek(from->file, 0, SEEK_SET) < 0) return MECH_ERR_FILE;
    return next_line(from, &status) == 1 ? MECH_OK : status != MECH_OK ? status : MECH_ERR_FILE;
}

/* The lines as an HDF5 file, beside them: then it takes the name, and they go. */
static mech_status commit_hdf5(mech_runs *r)
{
    reader from = {.file = r->file, .columns = r->columns};
    runs_rows rows = {.columns = r->columns,
                      .names = (const char *const *)r->names,
                      .units = (const char *const *)r->units,
                      .is_choice = r->is_choice,
                      .next = next_row,
                      .reader = &from};
    char *made = draft_path(r->part);
    double *numbers = mem_zeroed(r->columns + 1, sizeof *numbers);
    mech_status status = made && numbers ? rewind_rows(&from) : MECH_ERR_MEMORY;
    if (status == MECH_OK) status = measure_rows(&from, &rows, numbers);
    if (status == MECH_OK) status = rewind_rows(&from);
    if (status == MECH_OK && !draft_may_replace(made)) status = MECH_ERR_FILE;
    if (status == MECH_OK) {
        status = runs_write_hdf5(made, &rows);
        status = draft_finish(status, made, r->path);
    }
    if (status == MECH_OK) {
        (void)unlink(r->part);
        (void)forget_beside(r);
    }
    mem_free(numbers);
    mem_free(made);
    text_free(&from.line);
    return status;
}

/* The lines take their name, and what stands beside them goes with them. */
static mech_status commit_csv(const mech_runs *r)
{
    char *from = about_path(r->part), *to = about_path(r->path);
    mech_status status = from && to ? draft_commit(r->part, r->path) : MECH_ERR_MEMORY;
    if (status == MECH_OK) status = draft_commit(from, to);
    mem_free(from);
    mem_free(to);
    return status;
}

mech_status mech_runs_commit(mech_runs *r)
{
    mech_status status = flush(r);
    if (status == MECH_OK) status = r->is_hdf5 ? commit_hdf5(r) : say_beside(r);
    const int closed = close(r->file);
    r->file = -1;
    if (closed != 0) status = MECH_ERR_FILE;
    if (status == MECH_OK && !r->is_hdf5) status = commit_csv(r);
    destroy(r);
    return status;
}

void mech_runs_abandon(mech_runs *r)
{
    if (!r) return;
    if (!r->has_rows) {
        (void)unlink(r->part);
        (void)forget_beside(r);
    }
    (void)flush(r);
    destroy(r);
}
