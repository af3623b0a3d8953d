/* CSV written as a run goes. Every write(2) holds whole rows, so that a killed run leaves whole rows. */
#include <mech/output.h>

#include "base/mem.h"
#include "base/number.h"
#include "base/state.h"
#include "base/text.h"
#include "output/aside.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

struct mech_csv {
    char *path, *part;
    size_t columns, offset; /* offset: bytes written */
    uint64_t sum;           /* their checksum        */
    int file;
    int has_rows; /* rows were given, not only the header */
    textbuf buffer;
};

enum { FLUSH_FROM = 2048, PAGE = 4096 }; /* bytes; a row may be longer */

static mech_status write_whole(mech_csv *csv, const char *at, size_t left)
{
    while (left > 0) {
        const ssize_t written = write(csv->file, at, left);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return MECH_ERR_FILE;
        csv->sum = state_sum(csv->sum, at, (size_t)written);
        at += written;
        left -= (size_t)written;
        csv->offset += (size_t)written;
    }
    return MECH_OK;
}

/* Rows that go out at once: those that end before the next page of the file, at least one. A killed process may see a
   write cut at a page's end, so rows that share a page go together and never with one that crosses. */
static size_t rows_within_page(const mech_csv *csv, const char *at, size_t left)
{
    const size_t room = PAGE - csv->offset % PAGE;
    size_t end = left < room ? left : room;
    while (end > 0 && at[end - 1] != '\n') end--;
    if (end > 0) return end;
    while (end < left && at[end] != '\n') end++;
    return end < left ? end + 1 : left;
}

static mech_status flush(mech_csv *csv)
{
    const char *at = csv->buffer.data;
    size_t left = csv->buffer.length;
    while (left > 0) {
        const size_t count = rows_within_page(csv, at, left);
        const mech_status status = write_whole(csv, at, count);
        if (status != MECH_OK) return status;
        at += count;
        left -= count;
    }
    csv->buffer.length = 0;
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
    csv->part = aside_path(path);
    if (csv->path && csv->part) return csv;
    destroy(csv);
    return NULL;
}

mech_status mech_csv_open(const char *path, const char *const *names, size_t columns, mech_csv **out)
{
    *out = NULL;
    mech_csv *csv = create(path, columns);
    if (!csv) return MECH_ERR_MEMORY;
    for (size_t i = 0; i < columns; i++) {
        if (i) text_add_char(&csv->buffer, ',');
        add_field(&csv->buffer, names[i]);
    }
    text_add_char(&csv->buffer, '\n');
    mech_status status = csv->buffer.failed ? MECH_ERR_MEMORY : MECH_OK;
    if (status == MECH_OK) {
        if (aside_may_replace(path)) csv->file = open(csv->part, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        status = csv->file < 0 ? MECH_ERR_FILE : flush(csv);
    }
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
    text_add_char(&csv->buffer, '\n');
    csv->has_rows = 1;
    if (csv->buffer.failed) return MECH_ERR_MEMORY;
    return csv->buffer.length >= FLUSH_FROM ? flush(csv) : MECH_OK;
}

mech_status mech_csv_mark_now(mech_csv *csv, mech_csv_mark *mark)
{
    const mech_status status = flush(csv);
    *mark = (mech_csv_mark){csv->offset, csv->sum};
    if (status != MECH_OK) return status;
    return fsync(csv->file) == 0 ? MECH_OK : MECH_ERR_FILE;
}

/* The checksum of the first `left` bytes of a file, which stands behind them then; 0: there are not so many. */
static int sum_of(int file, uint64_t left, uint64_t *sum)
{
    char buffer[PAGE];
    *sum = STATE_SUM;
    while (left > 0) {
        const ssize_t got = read(file, buffer, left < sizeof buffer ? (size_t)left : sizeof buffer);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return 0;
        *sum = state_sum(*sum, buffer, (size_t)got);
        left -= (uint64_t)got;
    }
    return 1;
}

mech_status mech_csv_resume(const char *path, size_t columns, const mech_csv_mark *mark, mech_csv **out)
{
    *out = NULL;
    mech_csv *csv = create(path, columns);
    if (!csv) return MECH_ERR_MEMORY;
    mech_status status = MECH_OK;
    if (aside_may_replace(csv->part)) csv->file = open(csv->part, O_RDWR | O_CLOEXEC);
    if (csv->file < 0) status = MECH_ERR_FILE;
    else if (!sum_of(csv->file, mark->bytes, &csv->sum) || csv->sum != mark->sum) status = MECH_ERR_ARGUMENT;
    else if (ftruncate(csv->file, (off_t)mark->bytes) != 0) status = MECH_ERR_FILE;
    csv->offset = (size_t)mark->bytes;
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
    if (status == MECH_OK) status = aside_commit(csv->part, csv->path);
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
