/* Property: whenever a process that writes a CSV file is killed, the file holds whole rows, and at most one more
   line, which begins with '#': a killed write ends where a page of the file ends, so this is looked at after each
   write and where it could have ended. Numbers are plain and read back to the same bits (by the C library), and a
   file taken up at any mark ends with the same bytes. Cut anywhere, a file reads back as the whole rows before the
   cut and the number of the line that was cut, and is taken up all the same. */
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <mech/output.h>

#include "check.h"
#include "support/random_numbers.h"

enum { PAGE = 4096, FILES = 60, ROWS = 120, MOST_COLUMNS = 150, WIDE_COLUMNS = 600, WIDE_ROWS = 12 };
static const char *const path = "csv-rows.csv", *const part = "csv-rows.csv.part";
static char names[WIDE_COLUMNS][8];
static const char *name_of[WIDE_COLUMNS];
static double numbers[ROWS * MOST_COLUMNS];
static size_t cuts_seen, comments_seen;

/* What a reader finds who comes now: the file behind its first `good` bytes, which are the header and `rows` rows. */
static struct {
    char text[1 << 16];
    size_t length, good, rows, columns;
} found;

static char *bytes_of(const char *file, size_t *size)
{
    char *bytes = NULL;
    CHECK(mech_checkpoint_read(file, &bytes, size) == MECH_OK);
    return bytes;
}

/* The rows that were taken up again end in the same bytes. */
static void commit_same(mech_csv *csv, const char *bytes, size_t size)
{
    size_t again_size = 0;
    CHECK(mech_csv_commit(csv) == MECH_OK);
    char *const again = bytes_of(path, &again_size);
    CHECK(again_size == size && memcmp(again, bytes, size) == 0);
    mech_text_free(again);
    remove(path);
}

/* All kinds of length: integers, decimals, exponents, what is not a number. */
static double random_number(uint32_t kinds)
{
    switch (random_below(kinds)) {
    case 0: return (double)random_below(20) - 10;
    case 1: return random_signed();
    case 2: return random_signed() * 1e-200;
    case 3: return random_signed() * 1e12;
    case 4: return 0.5;
    default: return random_below(2) ? NAN : INFINITY;
    }
}

static int is_same(double a, double b) { return (isnan(a) && isnan(b)) || (a == b && signbit(a) == signbit(b)); }

/* The row of these columns that begins at `at`: where the next one does. No number is wider than 17 digits make it. */
static const char *check_row(const char *at, size_t columns, const double *row)
{
    for (size_t i = 0; i < columns; i++) {
        char *end = NULL;
        CHECK(is_same(strtod(at, &end), row[i]) && end - at <= 24);
        CHECK(*end == (i + 1 == columns ? '\n' : ','));
        at = end + 1;
    }
    return at;
}

static void check_numbers(const char *bytes, size_t size, size_t columns)
{
    const char *at = strchr(bytes, '\n') + 1;
    for (size_t i = 0; i < ROWS; i++) at = check_row(at, columns, numbers + i * columns);
    CHECK(at == bytes + size);
}

/* Rows that the reader had not found before are whole; a line behind them begins with '#'. */
static void look(void)
{
    const char *at = found.text, *end;
    found.text[found.length] = '\0';
    while (*at && *at != '#' && (end = strchr(at, '\n'))) {
        if (found.good == 0) at = end + 1; /* the header */
        else at = check_row(at, found.columns, numbers + found.rows++ * found.columns);
        const size_t whole = (size_t)(at - found.text);
        found.good += whole;
        found.length -= whole;
        memmove(found.text, at, found.length + 1);
        at = found.text;
    }
    comments_seen += *at == '#';
    CHECK(*at == '\0' || (*at == '#' && (!(end = strchr(at, '\n')) || end[1] == '\0')));
}

/* Stands for the system's: looks where each write could have ended, too. */
ssize_t pwrite(int file, const void *bytes, size_t count, off_t offset)
{
    const size_t from = (size_t)offset, to = from + count;
    CHECK(from >= found.good && to - found.good < sizeof found.text);
    for (size_t at = from; at < to;) {
        const size_t end = (at / PAGE + 1) * PAGE < to ? (at / PAGE + 1) * PAGE : to;
        memcpy(found.text + (at - found.good), (const char *)bytes + (at - from), end - at);
        if (found.length < end - found.good) found.length = end - found.good;
        at = end;
        look();
    }
    return syscall(SYS_pwrite64, file, bytes, count, offset);
}

/* Nobody looked at the file yet; or: it was taken up at the mark, behind these rows. */
static void found_at(size_t columns, size_t rows, size_t good)
{
    found.columns = columns;
    found.rows = rows;
    found.good = good;
    found.length = 0;
}

static void add_rows(mech_csv *csv, size_t columns, size_t from, size_t until)
{
    for (size_t i = from; i < until; i++) CHECK(mech_csv_row(csv, numbers + i * columns) == MECH_OK);
}

/* Written in one go but for a mark; the bytes are handed over, and stand in PATH.part. */
static char *write_rows(size_t columns, size_t marked, size_t rows, mech_csv_mark *mark, size_t *size)
{
    mech_csv *csv = NULL;
    found_at(columns, 0, 0);
    CHECK(mech_csv_open(path, name_of, columns, &csv) == MECH_OK);
    add_rows(csv, columns, 0, marked);
    CHECK(mech_csv_mark_now(csv, mark) == MECH_OK && found.rows == marked);
    add_rows(csv, columns, marked, rows);
    CHECK(mech_csv_commit(csv) == MECH_OK && found.rows == rows);
    CHECK(rename(path, part) == 0);
    return bytes_of(part, size);
}

/* Cut off where some page behind a mark ends, and taken up. */
static void check_file(size_t columns, uint32_t kinds)
{
    mech_csv *csv = NULL;
    mech_csv_mark mark = {0};
    const size_t marked = random_below(ROWS);
    for (size_t i = 0; i < ROWS * columns; i++) numbers[i] = i % columns ? random_number(kinds) : (double)i;
    size_t size = 0;
    char *const bytes = write_rows(columns, marked, ROWS, &mark, &size);
    check_numbers(bytes, size, columns);

    const size_t cut = (mark.bytes + (size - mark.bytes) * random_below(11) / 10 + PAGE - 1) / PAGE * PAGE;
    if (cut < size) CHECK(truncate(part, (off_t)cut) == 0);
    CHECK(mech_csv_resume(path, columns, &mark, &csv) == MECH_OK);
    found_at(columns, marked, mark.bytes);
    CHECK(mech_csv_mark_now(csv, &mark) == MECH_OK);
    if (random_below(2)) { /* once more from there */
        mech_csv_abandon(csv);
        CHECK(mech_csv_resume(path, columns, &mark, &csv) == MECH_OK);
    }
    add_rows(csv, columns, marked, ROWS);
    commit_same(csv, bytes, size);
    mech_text_free(bytes);
}

/* PATH.part holds `size` bytes of a file of these columns, and is read. */
static void check_reading(const char *bytes, size_t size, size_t columns)
{
    mech_table table = {0};
    size_t lines = 0;
    for (size_t i = 0; i < size; i++) lines += bytes[i] == '\n';
    const int is_cut = bytes[size - 1] != '\n';
    const mech_status status = mech_table_read(part, &table, NULL);
    CHECK(status == (lines ? MECH_OK : MECH_ERR_FILE));
    if (status != MECH_OK) return;
    cuts_seen += is_cut != 0;
    CHECK(table.columns == columns && table.rows == lines - 1 && table.cut_line == (is_cut ? lines + 1 : 0));
    for (size_t i = 0; i < table.rows * columns; i++) CHECK(is_same(table.data[i], numbers[i]));
    mech_table_free(&table);
}

/* A last line that begins with '#' is read as one that was cut, with a line end or without; before others it is none.
   */
static void check_comment(void)
{
    mech_table table = {0};
    const char *const texts[] = {"t,x\n0,1\n1,2\n#,3", "t,x\n0,1\n1,2\n#,3\n"};
    for (size_t i = 0; i < 2; i++) {
        CHECK(mech_checkpoint_write(path, texts[i], strlen(texts[i])) == MECH_OK);
        CHECK(mech_table_read(path, &table, NULL) == MECH_OK);
        CHECK(table.rows == 2 && table.data[3] == 2 && table.cut_line == 4);
        mech_table_free(&table);
    }
    CHECK(mech_checkpoint_write(path, "t,x\n#,3\n1,2\n", 12) == MECH_OK);
    CHECK(mech_table_read(path, &table, NULL) == MECH_ERR_FILE);
    CHECK(mech_checkpoint_write(path, "#t,x\n", 5) == MECH_OK);
    CHECK(mech_table_read(path, &table, NULL) == MECH_OK && table.columns == 2 && table.cut_line == 0);
    mech_table_free(&table);
    CHECK(unlink(path) == 0);
}

/* Rows and a header longer than a page, cut where a page ends or anywhere. */
static void check_wide(size_t columns)
{
    mech_csv *csv = NULL;
    mech_csv_mark mark = {0};
    const size_t marked = random_below(WIDE_ROWS);
    for (size_t i = 0; i < WIDE_ROWS * columns; i++) numbers[i] = random_number(6);
    size_t size = 0;
    char *const bytes = write_rows(columns, marked, WIDE_ROWS, &mark, &size);
    for (size_t cut = size; cut > mark.bytes; cut -= cut % PAGE ? cut % PAGE : PAGE) {
        CHECK(truncate(part, (off_t)cut) == 0);
        check_reading(bytes, cut, columns);
        const size_t amid = cut - random_below(PAGE); /* a number may lose its last digits */
        if (amid <= mark.bytes) break;
        CHECK(truncate(part, (off_t)amid) == 0);
        check_reading(bytes, amid, columns);
        cut = amid;
    }
    CHECK(mech_csv_resume(path, columns, &mark, &csv) == MECH_OK);
    found_at(columns, marked, mark.bytes);
    add_rows(csv, columns, marked, WIDE_ROWS);
    commit_same(csv, bytes, size);
    mech_text_free(bytes);
}

/* Through a link under PATH.part another file would be written. */
static void check_link(void)
{
    static const char *const other = "csv-rows.other";
    mech_csv *csv;
    CHECK(mech_checkpoint_write(other, "kept", 4) == MECH_OK && symlink(other, part) == 0);
    CHECK(mech_csv_open(path, name_of, 1, &csv) == MECH_ERR_FILE && csv == NULL);
    CHECK(mech_checkpoint_write(path, "lost", 4) == MECH_ERR_FILE);
    size_t size;
    char *bytes = bytes_of(other, &size);
    CHECK(bytes && size == 4 && memcmp(bytes, "kept", 4) == 0);
    mech_text_free(bytes);
    CHECK(unlink(part) == 0 && unlink(other) == 0);
}

int main(void)
{
    for (size_t i = 0; i < WIDE_COLUMNS; i++) {
        (void)snprintf(names[i], sizeof names[i], "x%zu", i);
        name_of[i] = names[i];
    }
    check_link();
    check_comment();
    for (size_t i = 0; i < FILES; i++) check_file(1 + random_below(MOST_COLUMNS), 6);
    for (size_t i = 0; i < FILES; i++) check_file(1 + random_below(30), 1);
    for (size_t i = 0; i < FILES; i++) check_wide(WIDE_COLUMNS - random_below(WIDE_COLUMNS / 2));
    CHECK(comments_seen > 1000 && cuts_seen > 300);
    return check_report();
}
