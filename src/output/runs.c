/* Results of many runs: a CSV file with one line a run, numbers first, then status and words. Lines go to PATH.part as
   runs end; a line without its end, which a kill may leave, is no row. */
#include <mech/output.h>

#include "base/lock.h"
#include "base/mem.h"
#include "base/number.h"
#include "base/text.h"
#include "base/aside.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

struct mech_runs {
    char *path, *part;
    size_t columns;
    int file;
    size_t written; /* bytes of whole rows in the file */
    int has_rows;
    textbuf header, rows;
};

enum { FLUSH_FROM = 4096 };

static void destroy(mech_runs *r)
{
    if (r->file >= 0) close(r->file);
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
    if (r->rows.length && !aside_write(r->file, r->rows.data, r->rows.length)) {
        const int is_cut = ftruncate(r->file, (off_t)r->written) == 0; /* a full disk, say: whole rows stay */
        (void)is_cut;
        r->rows.length = 0;
        return MECH_ERR_FILE;
    }
    r->written += r->rows.length;
    r->rows.length = 0;
    return MECH_OK;
}

static mech_runs *create(const char *path, const char *const *names, size_t columns)
{
    mech_runs *r = mem_zeroed(1, sizeof *r);
    if (!r) return NULL;
    r->file = -1;
    r->columns = columns;
    r->path = mem_text(path, strlen(path));
    r->part = aside_path(path);
    for (size_t i = 0; i < columns; i++) {
        add_words(&r->header, names[i]);
        text_add_char(&r->header, ',');
    }
    text_add(&r->header, "status,reason\n");
    if (r->path && r->part && !r->header.failed) return r;
    destroy(r);
    return NULL;
}

/* For one writer alone; -1: it cannot be had. */
static int open_alone(const char *part, int flags)
{
    const int file = open(part, flags | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (file < 0 || lock_file_at(file, part) != LOCK_TAKEN) return file;
    close(file);
    return -1;
}

mech_status mech_runs_open(const char *path, const char *const *names, size_t columns, mech_runs **out)
{
    if (!out) return MECH_ERR_ARGUMENT;
    *out = NULL;
    if (!path || !names) return MECH_ERR_ARGUMENT;
    mech_runs *r = create(path, names, columns);
    if (!r) return MECH_ERR_MEMORY;
    if (aside_may_replace(path)) r->file = open_alone(r->part, O_CREAT);
    mech_status status = r->file < 0 || ftruncate(r->file, 0) != 0 ? MECH_ERR_FILE : MECH_OK;
    text_add_n(&r->rows, r->header.data, r->header.length);
    if (status == MECH_OK) status = flush(r);
    if (status != MECH_OK) destroy(r);
    else *out = r;
    return status;
}

/* ---- going on ---- */

/* The numbers of a line, as many as there are columns: 1, or 0: it has others. */
static int read_numbers(const char *line, size_t columns, double *numbers)
{
    for (size_t i = 0; i < columns; i++) {
        const size_t length = strcspn(line, ",\n");
        if (line[length] != ',') return 0;
        if (strncmp(line, "nan,", 4) == 0 || strncmp(line, "-nan,", 5) == 0) numbers[i] = (double)NAN;
        else if (!number_read(line, length, &numbers[i])) return 0;
        line += length + 1;
    }
    return 1;
}

/* Rows and bytes that stand, and the numbers of the last row. */
static mech_status look_through(mech_runs *r, size_t *rows, double *last)
{
    char bytes[1 << 14];
    textbuf line = {0};
    size_t lines = 0;
    mech_status status = MECH_OK;
    for (ssize_t got; status == MECH_OK && (got = read(r->file, bytes, sizeof bytes)) != 0;) {
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) status = MECH_ERR_FILE;
        for (ssize_t i = 0; i < got && status == MECH_OK; i++) {
            text_add_char(&line, bytes[i]);
            if (line.failed) status = MECH_ERR_MEMORY;
            if (bytes[i] != '\n' || status != MECH_OK) continue;
            const int is_good =
                lines == 0 ? strcmp(line.data, r->header.data) == 0 : read_numbers(line.data, r->columns, last);
            if (!is_good) status = MECH_ERR_ARGUMENT;
            r->written += line.length;
            line.length = 0;
            lines++;
        }
    }
    text_free(&line);
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
    mech_runs *r = create(path, names, columns);
    if (!r) return MECH_ERR_MEMORY;
    if (aside_may_replace(r->part)) r->file = open_alone(r->part, 0);
    mech_status status = r->file < 0 ? MECH_ERR_FILE : look_through(r, rows, last);
    if (status == MECH_OK && (ftruncate(r->file, (off_t)r->written) != 0 || lseek(r->file, 0, SEEK_END) < 0))
        status = MECH_ERR_FILE;
    r->has_rows = 1;
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

mech_status mech_runs_commit(mech_runs *r)
{
    mech_status status = flush(r);
    const int closed = close(r->file);
    r->file = -1;
    if (closed != 0) status = MECH_ERR_FILE;
    if (status == MECH_OK) status = aside_commit(r->part, r->path);
    destroy(r);
    return status;
}

void mech_runs_abandon(mech_runs *r)
{
    if (!r) return;
    if (!r->has_rows) (void)unlink(r->part);
    (void)flush(r);
    destroy(r);
}
