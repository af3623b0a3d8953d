/* The format is public (MAT-File Format, level 5) and what is needed of it is small: elements of a type, a
   length and bytes up to a multiple of eight, in the byte order of the machine, which the header names. */
#include "output/mat_file.h"

#include "base/mem.h"
#include "base/draft.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

enum { TYPE_INT8 = 1, TYPE_INT32 = 5, TYPE_UINT32 = 6, TYPE_DOUBLE = 9, TYPE_MATRIX = 14, TYPE_UTF8 = 16 };
enum { CLASS_CELL = 1, CLASS_CHAR = 4, CLASS_DOUBLE = 6 };
enum { ALIGN = 8, TAG = 8, FLAGS = TAG + 8, DIMS = TAG + 8, SHORT = 4 };
static const size_t most = INT32_MAX; /* bytes of a variable */

static void put(mat_file *f, const void *bytes, size_t count)
{
    if (f->status == MECH_OK && count && fwrite(bytes, 1, count, f->file) != count) f->status = MECH_ERR_FILE;
}

static void put_pair(mat_file *f, size_t a, size_t b)
{
    const uint32_t pair[2] = {(uint32_t)a, (uint32_t)b};
    put(f, pair, sizeof pair);
}

static size_t padding(size_t bytes) { return (ALIGN - bytes % ALIGN) % ALIGN; }

static void put_element(mat_file *f, int type, const void *bytes, size_t count)
{
    static const char zeros[ALIGN];
    put_pair(f, (size_t)type, count);
    put(f, bytes, count);
    put(f, zeros, padding(count));
}

/* A name of up to four letters shares the eight bytes of its tag: its length stands in the upper half. */
static int is_short(size_t length) { return length > 0 && length <= SHORT; }

static size_t name_size(const char *name)
{
    const size_t length = strlen(name);
    return is_short(length) ? TAG : TAG + length + padding(length);
}

static void put_name(mat_file *f, const char *name)
{
    const size_t length = strlen(name);
    if (!is_short(length)) {
        put_element(f, TYPE_INT8, name, length);
        return;
    }
    const uint32_t tag = (uint32_t)length << 16 | TYPE_INT8;
    char letters[SHORT] = {0};
    memcpy(letters, name, length);
    put(f, &tag, sizeof tag);
    put(f, letters, sizeof letters);
}

/* What an array of this many bytes of data takes behind its own tag; beyond `most` when it is too much. */
static size_t array_size(const char *name, size_t bytes)
{
    return bytes < most ? FLAGS + DIMS + name_size(name) + bytes : most + 1;
}

static size_t element_size(size_t bytes) { return TAG + bytes + padding(bytes); }

static void put_array(mat_file *f, int kind, const char *name, size_t rows, size_t columns, size_t size)
{
    if (size > most || rows > most || columns > most) f->status = MECH_ERR_LIMIT;
    put_pair(f, TYPE_MATRIX, size);
    put_pair(f, TYPE_UINT32, 8);
    put_pair(f, (size_t)kind, 0);
    put_pair(f, TYPE_INT32, 8);
    put_pair(f, rows, columns);
    put_name(f, name);
}

static void put_header(mat_file *f)
{
    char text[124];
    static const char words[] = "MATLAB 5.0 MAT-file, written by Mechanician";
    memset(text, ' ', sizeof text);
    memcpy(text, words, sizeof words - 1);
    const uint16_t version = 0x0100, order = 'M' << 8 | 'I';
    put(f, text, sizeof text);
    put(f, &version, sizeof version);
    put(f, &order, sizeof order);
}

void mat_file_open(mat_file *f, const char *path)
{
    *f = (mat_file){.path = path, .part = draft_path(path), .status = MECH_OK};
    if (f->part) f->file = fopen(f->part, "wbe");
    if (f->file) put_header(f);
    else f->status = !f->part || errno == ENOMEM ? MECH_ERR_MEMORY : MECH_ERR_FILE;
}

void mat_file_matrix(mat_file *f, const char *name, const double *data, size_t rows, size_t columns)
{
    if (f->status != MECH_OK) return;
    const int fits = !columns || rows < most / sizeof *data / columns;
    const size_t bytes = fits ? rows * columns * sizeof *data : most;
    put_array(f, CLASS_DOUBLE, name, rows, columns, array_size(name, element_size(bytes)));
    put_element(f, TYPE_DOUBLE, data, bytes);
}

static size_t text_size(const char *text) { return array_size("", element_size(strlen(text))); }

void mat_file_texts(mat_file *f, const char *name, char *const *texts, size_t count)
{
    if (f->status != MECH_OK) return;
    size_t bytes = 0;
    for (size_t i = 0; i < count && bytes < most; i++) bytes += TAG + text_size(texts[i]);
    put_array(f, CLASS_CELL, name, count, 1, array_size(name, bytes));
    for (size_t i = 0; i < count && f->status == MECH_OK; i++) {
        const size_t length = strlen(texts[i]);
        put_array(f, CLASS_CHAR, "", 1, length, text_size(texts[i]));
        put_element(f, TYPE_UTF8, texts[i], length);
    }
}

mech_status mat_file_close(mat_file *f)
{
    const int was_open = f->file != NULL;
    if (was_open && fclose(f->file) != 0 && f->status == MECH_OK) f->status = MECH_ERR_FILE;
    if (was_open) f->status = draft_finish(f->status, f->part, f->path);
    mem_free(f->part);
    return f->status;
}
