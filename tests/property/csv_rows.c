/* Property: in a CSV file that is being written no row crosses a page of the file, since a killed write ends
   where a page does; the numbers read back to the same bits (by the C library); and a file taken up at any
   mark ends with the same bytes. Rows longer than a page cross: cut anywhere, the file reads back as the whole
   rows before the cut and the number of the line that was cut, and is taken up all the same. */
#include <stdlib.h>
#include <unistd.h>

#include <mech/output.h>

#include "check.h"
#include "support/random_numbers.h"

enum { PAGE = 4096, FILES = 60, ROWS = 120, MOST_COLUMNS = 150, WIDE_COLUMNS = 600, WIDE_ROWS = 12 };
static const char *const path = "csv-rows.csv", *const part = "csv-rows.csv.part";
static char names[WIDE_COLUMNS][8];
static const char *name_of[WIDE_COLUMNS];
static double numbers[ROWS * MOST_COLUMNS];
static size_t pages_seen, cuts_seen;

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

static void check_pages(const char *bytes, size_t size)
{
    for (size_t end = PAGE; end <= size; end += PAGE, pages_seen++) CHECK(bytes[end - 1] == '\n');
    CHECK(size > 0 && bytes[size - 1] == '\n');
}

static int is_same(double a, double b) { return (isnan(a) && isnan(b)) || (a == b && signbit(a) == signbit(b)); }

static void check_numbers(const char *bytes, size_t size, size_t columns)
{
    const char *at = strchr(bytes, '\n') + 1;
    for (size_t i = 0; i < ROWS * columns; i++) {
        char *end = NULL;
        CHECK(is_same(strtod(at, &end), numbers[i]));
        CHECK(*end == (i % columns == columns - 1 ? '\n' : ','));
        at = end + 1;
    }
    CHECK(at == bytes + size);
}

static void add_rows(mech_csv *csv, size_t columns, size_t from, size_t until)
{
    for (size_t i = from; i < until; i++) CHECK(mech_csv_row(csv, numbers + i * columns) == MECH_OK);
}

/* Written in one go but for a mark; then cut off where some page behind it ends, and taken up. */
static void check_file(size_t columns, uint32_t kinds)
{
    mech_csv *csv = NULL;
    mech_csv_mark mark = {0};
    const size_t marked = random_below(ROWS);
    for (size_t i = 0; i < ROWS * columns; i++) numbers[i] = i % columns ? random_number(kinds) : (double)i;
    if (kinds == 1) { /* before which zeros have to go: behind a sign, behind what is no number */
        numbers[random_below(ROWS) * columns] = -7;
        for (size_t i = 0; i < ROWS && columns > 1; i += 3) numbers[i * columns] = i % 2 ? NAN : -INFINITY;
    }
    CHECK(mech_csv_open(path, name_of, columns, &csv) == MECH_OK);
    add_rows(csv, columns, 0, marked);
    CHECK(mech_csv_mark_now(csv, &mark) == MECH_OK);
    add_rows(csv, columns, marked, ROWS);
    CHECK(mech_csv_commit(csv) == MECH_OK);
    size_t size = 0;
    char *const bytes = bytes_of(path, &size);
    check_pages(bytes, size);
    check_numbers(bytes, size, columns);

    CHECK(rename(path, part) == 0);
    const size_t cut = (mark.bytes + (size - mark.bytes) * random_below(11) / 10 + PAGE - 1) / PAGE * PAGE;
    if (cut < size) CHECK(truncate(part, (off_t)cut) == 0);
    CHECK(mech_csv_resume(path, columns, &mark, &csv) == MECH_OK);
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

/* Rows and a header longer than a page, cut where a page ends or anywhere. */
static void check_wide(size_t columns)
{
    mech_csv *csv = NULL;
    mech_csv_mark mark = {0};
    const size_t marked = random_below(WIDE_ROWS);
    for (size_t i = 0; i < WIDE_ROWS * columns; i++) numbers[i] = random_number(6);
    CHECK(mech_csv_open(path, name_of, columns, &csv) == MECH_OK);
    add_rows(csv, columns, 0, marked);
    CHECK(mech_csv_mark_now(csv, &mark) == MECH_OK);
    add_rows(csv, columns, marked, WIDE_ROWS);
    CHECK(mech_csv_commit(csv) == MECH_OK);
    size_t size = 0;
    char *const bytes = bytes_of(path, &size);
    CHECK(rename(path, part) == 0);
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
    for (size_t i = 0; i < FILES; i++) check_file(1 + random_below(MOST_COLUMNS), 6);
    for (size_t i = 0; i < FILES; i++)
        check_file(1 + random_below(30), 1); /* integers alone: no decimals to lengthen */
    for (size_t i = 0; i < FILES; i++) check_wide(WIDE_COLUMNS - random_below(WIDE_COLUMNS / 2));
    CHECK(pages_seen > 1000 && cuts_seen > 300);
    return check_report();
}
