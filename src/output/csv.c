/* CSV written as a run goes; a killed run leaves whole rows.

   A write(2) of a killed process may end early, and then it ends where a page of the file ends. So no row
   crosses a page: where the next one would, the row before it is written again, within its page, with zeros
   behind its decimals until the page is full. Only a row longer than a page has to cross, and one behind a
   header, which cannot be written wider, or behind such a row. */
#include <mech/output.h>

#include "base/lock.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/state.h"
#include "base/text.h"
#include "base/aside.h"
#include "base/system.h"

#include <errno.h>
#include <string.h>

struct mech_csv {
    char *path, *part;
    size_t columns, offset; /* offset: bytes of the file before its last row */
    uint64_t sum;           /* their checksum                                */
    int file;
    int has_rows;   /* rows were given, not only the header                   */
    textbuf buffer; /* what stands from offset on: begins with a row of the file */
    textbuf row;    /* the row being made                                     */
    size_t last;    /* where in the buffer its last row begins                */
    size_t on_disk; /* bytes of the buffer that the file holds already        */
};

enum { FLUSH_FROM = 2048, PAGE = 4096 }; /* bytes */

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

static mech_status flush(mech_csv *csv)
{
    textbuf *rows = &csv->buffer;
    if (rows->failed) return MECH_ERR_MEMORY;
    if (rows->length == csv->on_disk) return MECH_OK;
    size_t done = write_at(csv->file, rows->data, rows->length, csv->offset);
    if (done < rows->length) { /* a full disk, say: whole rows stay */
        while (done > 0 && rows->data[done - 1] != '\n') done--;
        const int is_cut = ftruncate(csv->file, (off_t)(csv->offset + done)) == 0;
        (void)is_cut;
        return MECH_ERR_FILE;
    }
    csv->sum = state_sum(csv->sum, rows->data, csv->last);
    csv->offset += csv->last;
    rows->length -= csv->last;
    memmove(rows->data, rows->data + csv->last, rows->length + 1); /* with the NUL */
    csv->last = 0;
    csv->on_disk = rows->length;
    return MECH_OK;
}

static int is_digit(char c) { return c >= '0' && c <= '9'; }

static void add_zeros(textbuf *out, size_t count)
{
    for (size_t i = 0; i < count; i++) text_add_char(out, '0');
}

static size_t numbers_with_decimals(const char *row)
{
    size_t count = 0;
    for (; *row; row++) count += *row == '.';
    return count;
}

/* Where a row can take zeros before a whole number: behind the sign of the first field that is one; its end:
 * nowhere. */
static size_t first_number(const char *row)
{
    size_t at = 0;
    while (row[at]) {
        if (row[at] == '-') at++;
        if (is_digit(row[at])) return at;
        at += strcspn(row + at, ",");
        if (row[at]) at++;
    }
    return at;
}

/* A row of the same numbers, `extra` characters longer: zeros behind the decimals, or before a whole number
 * if none has any. */
static void add_widened(textbuf *out, const char *row, size_t extra)
{
    size_t left = numbers_with_decimals(row);
    int in_decimals = 0;
    if (left == 0) {
        const size_t at = first_number(row);
        text_add_n(out, row, at);
        row += at;
        if (*row) add_zeros(out, extra);
    }
    for (; *row; row++) {
        if (in_decimals && !is_digit(*row)) {
            const size_t share = extra / left--;
            add_zeros(out, share);
            extra -= share;
            in_decimals = 0;
        }
        if (*row == '.') in_decimals = 1;
        text_add_char(out, *row);
    }
}

/* The row as it was: no number is printed with zeros at the end of its decimals. */
static void add_narrowed(textbuf *out, const char *row, size_t extra)
{
    int in_decimals = 0;
    if (numbers_with_decimals(row) == 0) {
        const size_t at = first_number(row);
        text_add_n(out, row, at);
        row += at;
        for (; extra > 0 && *row == '0'; extra--) row++;
    }
    for (; *row; row++) {
        if (in_decimals && !is_digit(*row)) {
            while (out->length > 0 && out->data[out->length - 1] == '0') out->length--;
            in_decimals = 0;
        }
        if (*row == '.') in_decimals = 1;
        text_add_char(out, *row);
    }
}

/* Lets the next row begin with a page, if the last one is no header and stands in one page. */
static void fill_page(mech_csv *csv, size_t used)
{
    textbuf *rows = &csv->buffer, widened = {0};
    const size_t begin = csv->offset + csv->last, length = rows->length - csv->last;
    if (begin == 0 || length > used || rows->failed) return;
    add_widened(&widened, rows->data + csv->last, PAGE - used);
    rows->length = csv->last;
    text_add_n(rows, widened.data, widened.length);
    rows->failed |= widened.failed;
    text_free(&widened);
}

/* Moves the row that stands ready behind the others. */
static mech_status add_row(mech_csv *csv)
{
    textbuf *rows = &csv->buffer, *row = &csv->row;
    text_add_char(row, '\n');
    const size_t used = (csv->offset + rows->length) % PAGE;
    if (used > 0 && used + row->length > PAGE && row->length <= PAGE) fill_page(csv, used);
    csv->last = rows->length;
    if (!row->failed) text_add_n(rows, row->data, row->length);
    row->length = 0;
    if (rows->failed || row->failed) return MECH_ERR_MEMORY;
    return rows->length >= FLUSH_FROM ? flush(csv) : MECH_OK;
}

static void destroy(mech_csv *csv)
{
    if (csv->file >= 0) close(csv->file);
    mem_free(csv->path);
    mem_free(csv->part);
    text_free(&csv->buffer);
    text_free(&csv->row);
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
        if (i) text_add_char(&csv->row, ',');
        add_field(&csv->row, names[i]);
    }
    if (aside_may_replace(path)) csv->file = open_alone(csv->part, O_WRONLY | O_CREAT);
    mech_status status = csv->file < 0 || ftruncate(csv->file, 0) != 0 ? MECH_ERR_FILE : add_row(csv);
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
        if (i) text_add_char(&csv->row, ',');
        text_add(&csv->row, digits);
    }
    csv->has_rows = 1;
    return add_row(csv);
}

mech_status mech_csv_mark_now(mech_csv *csv, mech_csv_mark *mark)
{
    const mech_status status = flush(csv);
    *mark =
        (mech_csv_mark){csv->offset + csv->buffer.length, state_sum(csv->sum, csv->buffer.data, csv->buffer.length)};
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

/* Where the last row before `end` begins, and its text up to a line end, which may stand behind `end` if the
   row was widened. Of a row longer than a page there is no more than a page: it is never written again. */
static size_t read_last_row(int file, size_t end, textbuf *row)
{
    char bytes[2 * PAGE];
    const size_t from = end < PAGE ? 0 : end - PAGE;
    const ssize_t got = system_read_at(file, bytes, sizeof bytes, from);
    if (got < (ssize_t)(end - from)) return end;
    size_t begin = end - from - 1, stop = begin;
    while (begin > 0 && bytes[begin - 1] != '\n') begin--;
    while (stop < (size_t)got && bytes[stop] != '\n') stop++;
    if (stop < (size_t)got) text_add_n(row, bytes + begin, stop + 1 - begin);
    return from + begin;
}

/* Sets offset, sum and buffer as they were at the mark, and cuts off what came after the row that was the
 * last. */
static mech_status take_up(mech_csv *csv, const mech_csv_mark *mark, textbuf *row)
{
    textbuf *rows = &csv->buffer;
    const size_t end = (size_t)mark->bytes;
    if (end == 0) return MECH_ERR_ARGUMENT;
    csv->offset = read_last_row(csv->file, end, row);
    const size_t length = end - csv->offset;
    if (row->failed) return MECH_ERR_MEMORY;
    if (row->length < length) return MECH_ERR_ARGUMENT;
    if (row->length > length) add_narrowed(rows, row->data, row->length - length);
    else text_add_n(rows, row->data, length);
    if (rows->failed) return MECH_ERR_MEMORY;
    csv->on_disk = rows->length;
    if (!sum_of(csv->file, csv->offset, &csv->sum)) return MECH_ERR_ARGUMENT;
    if (state_sum(csv->sum, rows->data, rows->length) != mark->sum) return MECH_ERR_ARGUMENT;
    return ftruncate(csv->file, (off_t)(csv->offset + row->length)) == 0 ? MECH_OK : MECH_ERR_FILE;
}

mech_status mech_csv_resume(const char *path, size_t columns, const mech_csv_mark *mark, mech_csv **out)
{
    if (!out) return MECH_ERR_ARGUMENT;
    *out = NULL;
    if (!path || !mark) return MECH_ERR_ARGUMENT;
    mech_csv *csv = create(path, columns);
    if (!csv) return MECH_ERR_MEMORY;
    if (aside_may_replace(csv->part)) csv->file = open_alone(csv->part, O_RDWR);
    textbuf row = {0};
    const mech_status status = csv->file < 0 ? MECH_ERR_FILE : take_up(csv, mark, &row);
    text_free(&row);
    csv->has_rows = 1;
    if (status != MECH_OK) destroy(csv);
    else *out = csv;
    return status;
}

int mech_csv_has_rows(const mech_csv *csv) { return csv && csv->has_rows; }

/* All in the file, and nothing behind it: of a run that was taken up, a wider row may have stood there. */
static mech_status finish(mech_csv *csv)
{
    csv->on_disk = 0; /* the last row again, as it is to stay */
    const mech_status status = flush(csv);
    if (status != MECH_OK) return status;
    return ftruncate(csv->file, (off_t)(csv->offset + csv->buffer.length)) == 0 ? MECH_OK : MECH_ERR_FILE;
}

mech_status mech_csv_commit(mech_csv *csv)
{
    mech_status status = finish(csv);
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
    (void)finish(csv); /* what cannot be written is lost, but never half a row of it kept on purpose */
    destroy(csv);
}
