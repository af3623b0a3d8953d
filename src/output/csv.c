/* CSV written as a run goes; a killed run leaves whole rows.

   A write(2) of a killed process may end early, and then it ends where a page of the file ends. So rows are written
   page by page, and at most the last row of a write crosses into the next page. That one is written as a comment,
   with '#' in place of its first character, which one more write of this byte alone makes a row. Whatever stands in
   the file when the process is killed, whole rows do, and perhaps a last line that begins with '#'. */
#include <mech/output.h>

#include "base/lock.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/visit.h"
#include "base/text.h"
#include "base/draft.h"
#include "base/system.h"

#include <errno.h>
#include <string.h>

struct mech_csv {
    char *path, *part;
    size_t columns, offset; /* offset: bytes that the file holds */
    uint64_t sum;           /* their checksum                    */
    int file;
    int has_rows;   /* rows were given, not only the header */
    textbuf buffer; /* rows that the file does not hold yet */
    size_t last;    /* where in it the row that is made begins */
};

enum { PAGE = 4096 }; /* bytes; where pages are larger, rows cross fewer of them */

/* How many of the bytes were written. */
static size_t write_at(int file, const char *bytes, size_t count, size_t offset)
{
    size_t done = 0;
    while (done < count) {
        const ssize_t written = system_write_at(file, bytes + done, count - done, offset + done);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) break;
        done += (size_t)written;
    }
    return done;
}

/* The rows of the buffer behind those of the file: how many of the bytes are rows there. */
static size_t append(const mech_csv *csv)
{
    const textbuf *rows = &csv->buffer;
    const size_t begin = csv->offset + csv->last, end = csv->offset + rows->length;
    char *const last = rows->data + csv->last, first = *last;
    const int crosses = begin / PAGE < (end - 1) / PAGE;
    if (crosses) *last = '#';
    const size_t done = write_at(csv->file, rows->data, rows->length, csv->offset);
    *last = first;
    if (crosses && done == rows->length && write_at(csv->file, last, 1, begin) < 1) return csv->last;
    return done;
}

static mech_status flush(mech_csv *csv)
{
    const textbuf *rows = &csv->buffer;
    if (rows->length == 0) return MECH_OK;
    size_t done = append(csv);
    if (done < rows->length) { /* a full disk, say: whole rows stay */
        while (done > 0 && rows->data[done - 1] != '\n') done--;
        const int is_cut = ftruncate(csv->file, (off_t)(csv->offset + done)) == 0;
        (void)is_cut;
        return MECH_ERR_FILE;
    }
    csv->sum = state_sum(csv->sum, rows->data, rows->length);
    csv->offset += rows->length;
    csv->last = csv->buffer.length = 0;
    return MECH_OK;
}

/* Ends the row that was begun at `last`: the rows before it stand in one page. */
static mech_status end_row(mech_csv *csv)
{
    textbuf *rows = &csv->buffer;
    text_add_char(rows, '\n');
    if (rows->failed) { /* whole rows stay */
        rows->length = csv->last;
        rows->failed = 0;
        return MECH_ERR_MEMORY;
    }
    if ((csv->offset + rows->length) / PAGE > csv->offset / PAGE) return flush(csv);
    csv->last = rows->length;
    return MECH_OK;
}

static void destroy(mech_csv *csv)
{
    if (csv->file >= 0) close(csv->file);
    mem_free(csv->path);
    mem_free(csv->part);
    text_free(&csv->buffer);
    mem_free(csv);
}

/* A name as a CSV field: quoted where it holds a comma, a quote or a line end. */
static void add_field(textbuf *out, const char *name)
{
    if (!strpbrk(name, ",\"\r\n")) {
        text_add(out, name);
        return;
    }
    text_add_char(out, '"');
    for (; *name; name++) {
        if (*name == '"') text_add_char(out, '"');
        text_add_char(out, *name);
    }
    text_add_char(out, '"');
}

static mech_csv *create(const char *path, size_t columns)
{
    mech_csv *csv = mem_zeroed(1, sizeof *csv);
    if (!csv) return NULL;
    csv->file = -1;
    csv->columns = columns;
    csv->sum = STATE_SUM;
    csv->path = mem_text(path, strlen(path));
    csv->part = draft_path(path);
    if (csv->path && csv->part) return csv;
    destroy(csv);
    return NULL;
}

/* Opens PATH.part for one writer alone; -1: it cannot be had, or another one has it, or it is a link to who knows
   what. Where there are no locks nobody is kept out. */
static int open_alone(const char *part, int flags)
{
    const int file = system_open(part, flags, SYSTEM_NO_LINK);
    if (file < 0 || lock_file_at(file, part) != LOCK_TAKEN) return file;
    close(file);
    return -1;
}

mech_status mech_csv_open(const char *path, const char *const *names, size_t columns, mech_csv **out)
{
    if (!out) return MECH_ERR_ARGUMENT;
    *out = NULL;
    if (!path || (columns && !names)) return MECH_ERR_ARGUMENT;
    mech_csv *csv = create(path, columns);
    if (!csv) return MECH_ERR_MEMORY;
    for (size_t i = 0; i < columns; i++) {
        if (i) text_add_char(&csv->buffer, ',');
        add_field(&csv->buffer, names[i]);
    }
    if (draft_may_replace(path)) csv->file = open_alone(csv->part, O_WRONLY | O_CREAT);
    mech_status status = csv->file < 0 || ftruncate(csv->file, 0) != 0 ? MECH_ERR_FILE : end_row(csv);
    if (status == MECH_OK) status = flush(csv);
    if (status != MECH_OK) destroy(csv);
    else *out = csv;
    return status;
}

mech_status mech_csv_row(mech_csv *csv, const double *row)
{
    for (size_t i = 0; i < csv->columns; i++) {
        char digits[NUMBER_TEXT_SIZE];
        number_general(row[i], 17, digits);
        if (i) text_add_char(&csv->buffer, ',');
        text_add(&csv->buffer, digits);
    }
    csv->has_rows = 1;
    return end_row(csv);
}

mech_status mech_csv_mark_now(mech_csv *csv, mech_csv_mark *mark)
{
    const mech_status status = flush(csv);
    *mark = (mech_csv_mark){csv->offset, csv->sum};
    if (status != MECH_OK) return status;
    return system_sync(csv->file) ? MECH_OK : MECH_ERR_FILE;
}

/* Reads from where the file stands: the checksum of the first `left` bytes; 0: there are not so many. */
static int sum_of(int file, uint64_t left, uint64_t *sum)
{
    char buffer[PAGE];
    *sum = STATE_SUM;
    while (left > 0) {
        const ssize_t got = system_read(file, buffer, left < sizeof buffer ? (size_t)left : sizeof buffer);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return 0;
        *sum = state_sum(*sum, buffer, (size_t)got);
        left -= (uint64_t)got;
    }
    return 1;
}

/* The file as it was at the mark: what came after is cut off. */
static mech_status take_up(mech_csv *csv, const mech_csv_mark *mark)
{
    if (mark->bytes == 0 || !sum_of(csv->file, mark->bytes, &csv->sum) || csv->sum != mark->sum)
        return MECH_ERR_ARGUMENT;
    csv->offset = (size_t)mark->bytes;
    return ftruncate(csv->file, (off_t)csv->offset) == 0 ? MECH_OK : MECH_ERR_FILE;
}

mech_status mech_csv_resume(const char *path, size_t columns, const mech_csv_mark *mark, mech_csv **out)
{
    if (!out) return MECH_ERR_ARGUMENT;
    *out = NULL;
    if (!path || !mark) return MECH_ERR_ARGUMENT;
    mech_csv *csv = create(path, columns);
    if (!csv) return MECH_ERR_MEMORY;
    if (draft_may_replace(csv->part)) csv->file = open_alone(csv->part, O_RDWR);
    const mech_status status = csv->file < 0 ? MECH_ERR_FILE : take_up(csv, mark);
    csv->has_rows = 1;
    if (status != MECH_OK) destroy(csv);
    else *out = csv;
    return status;
}

int mech_csv_has_rows(const mech_csv *csv) { return csv && csv->has_rows; }

mech_status mech_csv_commit(mech_csv *csv)
{
    mech_status status = flush(csv);
    const int closed = close(csv->file);
    csv->file = -1;
    if (closed != 0) status = MECH_ERR_FILE;
    if (status == MECH_OK) status = draft_commit(csv->part, csv->path);
    destroy(csv);
    return status;
}

void mech_csv_abandon(mech_csv *csv)
{
    if (!csv) return;
    if (!csv->has_rows) (void)unlink(csv->part);
    (void)flush(csv); /* what cannot be written is lost, but never half a row of it kept on purpose */
    destroy(csv);
}
