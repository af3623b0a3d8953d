/* HDF5: one data set a column, with its unit as an attribute. Texts have a fixed length, the one that every reader
   knows (Octave has no other), and are packed: most reasons are empty. What HDF5 writes goes through a driver of ours:
   the library ends in a crash at exit where a file could not be closed, so that to it all goes well, and a full disk
   is remembered here. */
#include "output/runs_file.h"

#include "base/library.h"
#include "base/mem.h"
#include "base/system.h"

#include <hdf5.h>
#if H5_VERSION_GE(1, 13, 0)
#include <H5FDdevelop.h>
#endif
#include <errno.h>
#include <string.h>

#undef H5CHECK /* constants of the header call functions, which are not linked */
#undef H5OPEN
#define H5CHECK
#define H5OPEN

#define HDF5_FUNCTIONS(X)                                                                                              \
    X(H5open)                                                                                                          \
    X(H5Eget_auto2)                                                                                                    \
    X(H5Eset_auto2)                                                                                                    \
    X(H5Fcreate)                                                                                                       \
    X(H5FDregister)                                                                                                    \
    X(H5FDunregister)                                                                                                  \
    X(H5Pset_driver)                                                                                                   \
    X(H5Pget_driver_info)                                                                                              \
    X(H5Fclose)                                                                                                        \
    X(H5Pcreate)                                                                                                       \
    X(H5Pclose)                                                                                                        \
    X(H5Pset_chunk)                                                                                                    \
    X(H5Pset_deflate)                                                                                                  \
    X(H5Pset_obj_track_times)                                                                                          \
    X(H5Zfilter_avail)                                                                                                 \
    X(H5Screate)                                                                                                       \
    X(H5Screate_simple)                                                                                                \
    X(H5Sselect_hyperslab)                                                                                             \
    X(H5Sclose)                                                                                                        \
    X(H5Tcopy)                                                                                                         \
    X(H5Tset_size)                                                                                                     \
    X(H5Tset_strpad)                                                                                                   \
    X(H5Tset_cset)                                                                                                     \
    X(H5Tclose)                                                                                                        \
    X(H5Dcreate2)                                                                                                      \
    X(H5Dwrite)                                                                                                        \
    X(H5Dclose)                                                                                                        \
    X(H5Acreate2)                                                                                                      \
    X(H5Awrite)                                                                                                        \
    X(H5Aclose)                                                                                                        \
    X(H5T_C_S1_g)                                                                                                      \
    X(H5T_NATIVE_DOUBLE_g)                                                                                             \
    X(H5T_IEEE_F64LE_g)                                                                                                \
    X(H5P_CLS_FILE_ACCESS_ID_g)                                                                                        \
    X(H5P_CLS_DATASET_CREATE_ID_g)
LIBRARY(hdf5, HDF5_FUNCTIONS, MECH_HDF5)

enum { ROWS_AT_ONCE = 4096, STATUS_LENGTH = 8 };

int runs_has_hdf5(void) { return hdf5_open() && hdf5.H5open() >= 0; }

/* ---- the file ---- */

typedef struct disk {
    H5FD_t face; /* what HDF5 sees */
    int file;
    haddr_t end;    /* of what was asked for */
    haddr_t length; /* of what was written   */
    int failed;
} disk;

static H5FD_t *disk_open(const char *name, unsigned flags, hid_t access, haddr_t most)
{
    (void)name;
    (void)flags;
    (void)most;
    disk *const *d = hdf5.H5Pget_driver_info(access);
    return &(*d)->face;
}

static herr_t disk_close(H5FD_t *d) { return (void)d, 0; }

static herr_t disk_query(const H5FD_t *d, unsigned long *flags)
{
    (void)d;
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
             H5FD_FEAT_AGGREGATE_SMALLDATA;
    return 0;
}

static haddr_t disk_end(const H5FD_t *d, H5FD_mem_t type) { return (void)type, ((const disk *)d)->end; }

static herr_t disk_set_end(H5FD_t *d, H5FD_mem_t type, haddr_t end)
{
    (void)type;
    ((disk *)d)->end = end;
    return 0;
}

static haddr_t disk_length(const H5FD_t *d, H5FD_mem_t type) { return (void)type, ((const disk *)d)->length; }

static herr_t disk_read(H5FD_t *face, H5FD_mem_t type, hid_t how, haddr_t at, size_t size, void *bytes)
{
    (void)type;
    (void)how;
    disk *d = (disk *)face;
    char *to = bytes;
    while (size > 0) {
        const ssize_t got = pread(d->file, to, size, (off_t)at);
        if (got < 0 && errno == EINTR) continue;
        d->failed |= got < 0;
        if (got <= 0) break; /* what was never written is 0 */
        to += got;
        at += (haddr_t)got;
        size -= (size_t)got;
    }
    memset(to, 0, size);
    return 0;
}

static herr_t disk_write(H5FD_t *face, H5FD_mem_t type, hid_t how, haddr_t at, size_t size, const void *bytes)
{
    (void)type;
    (void)how;
    disk *d = (disk *)face;
    const char *from = bytes;
    if (at + size > d->length) d->length = at + size;
    while (size > 0 && !d->failed) {
        const ssize_t put = pwrite(d->file, from, size, (off_t)at);
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) {
            d->failed = 1;
            break;
        }
        from += put;
        at += (haddr_t)put;
        size -= (size_t)put;
    }
    return 0;
}

static herr_t disk_truncate(H5FD_t *face, hid_t how, hbool_t closing)
{
    (void)how;
    (void)closing;
    disk *d = (disk *)face;
    d->failed |= ftruncate(d->file, (off_t)d->end) != 0;
    d->length = d->end;
    return 0;
}

static const H5FD_class_t driver = {
#ifdef H5FD_CLASS_VERSION
    .version = H5FD_CLASS_VERSION,
    .value = 511, /* of those that are free for tries */
#endif
    .name = "mechanician",
    .maxaddr = (haddr_t)1 << 62,
    .fc_degree = H5F_CLOSE_WEAK,
    .fapl_size = sizeof(disk *),
    .open = disk_open,
    .close = disk_close,
    .query = disk_query,
    .get_eoa = disk_end,
    .set_eoa = disk_set_end,
    .get_eof = disk_length,
    .read = disk_read,
    .write = disk_write,
    .truncate = disk_truncate,
    .fl_map = H5FD_FLMAP_DICHOTOMY};

/* ---- the sets ---- */

typedef struct writer {
    disk disk;
    hid_t file, space; /* of all rows                            */
    hid_t text[2];     /* types of `status` and `reason`         */
    hid_t *sets;       /* (columns + 2)                          */
    double *numbers;   /* (columns x ROWS_AT_ONCE)               */
    double *row;
    char *words[2]; /* (ROWS_AT_ONCE x length) */
    size_t length[2];
    int is_good;
} writer;

/* Octave reads texts that are called ASCII alone, and leaves out whatever follows one that is not: the bytes of a
   reason are what they are. */
static hid_t text_type(size_t length, H5T_cset_t letters)
{
    const hid_t type = hdf5.H5Tcopy(*hdf5.H5T_C_S1_g);
    hdf5.H5Tset_size(type, length);
    hdf5.H5Tset_strpad(type, H5T_STR_NULLTERM);
    hdf5.H5Tset_cset(type, letters);
    return type;
}

/* No times in the file: the same results are the same bytes. */
static hid_t make_set(writer *w, const char *name, hid_t type, hsize_t rows, int is_text)
{
    const hid_t how = hdf5.H5Pcreate(*hdf5.H5P_CLS_DATASET_CREATE_ID_g);
    const hsize_t chunk = rows < ROWS_AT_ONCE ? rows : ROWS_AT_ONCE;
    hdf5.H5Pset_obj_track_times(how, 0);
    if (is_text && hdf5.H5Zfilter_avail(H5Z_FILTER_DEFLATE) > 0) {
        hdf5.H5Pset_chunk(how, 1, &chunk);
        hdf5.H5Pset_deflate(how, 4);
    }
    const hid_t set = hdf5.H5Dcreate2(w->file, name, type, w->space, H5P_DEFAULT, how, H5P_DEFAULT);
    hdf5.H5Pclose(how);
    w->is_good &= set >= 0;
    return set;
}

static void add_unit(writer *w, hid_t set, const char *unit)
{
    const hid_t type = text_type(strlen(unit) + 1, H5T_CSET_UTF8), one = hdf5.H5Screate(H5S_SCALAR),
                attribute = hdf5.H5Acreate2(set, "unit", type, one, H5P_DEFAULT, H5P_DEFAULT);
    w->is_good &= attribute >= 0 && hdf5.H5Awrite(attribute, type, unit) >= 0;
    hdf5.H5Aclose(attribute);
    hdf5.H5Sclose(one);
    hdf5.H5Tclose(type);
}

static void add_mark(writer *w, hid_t set)
{
    const double is_choice = 1;
    const hid_t one = hdf5.H5Screate(H5S_SCALAR),
                attribute = hdf5.H5Acreate2(set, "not_unique", *hdf5.H5T_IEEE_F64LE_g, one, H5P_DEFAULT, H5P_DEFAULT);
    w->is_good &= attribute >= 0 && hdf5.H5Awrite(attribute, *hdf5.H5T_NATIVE_DOUBLE_g, &is_choice) >= 0;
    hdf5.H5Aclose(attribute);
    hdf5.H5Sclose(one);
}

static void make_sets(writer *w, const runs_rows *rows)
{
    static const char *const names[] = {"status", "reason"};
    for (size_t i = 0; i < rows->columns && w->is_good; i++) {
        w->sets[i] = make_set(w, rows->names[i], *hdf5.H5T_IEEE_F64LE_g, rows->count, 0);
        if (w->is_good && rows->units[i]) add_unit(w, w->sets[i], rows->units[i]);
        if (w->is_good && rows->is_choice[i]) add_mark(w, w->sets[i]);
    }
    for (size_t k = 0; k < 2 && w->is_good; k++) {
        w->text[k] = text_type(w->length[k], H5T_CSET_ASCII);
        w->sets[rows->columns + k] = make_set(w, names[k], w->text[k], rows->count, 1);
    }
}

/* The next `count` rows into the buffers. */
static mech_status take_rows(writer *w, const runs_rows *rows, size_t count)
{
    for (size_t k = 0; k < 2; k++) memset(w->words[k], 0, ROWS_AT_ONCE * w->length[k]);
    for (size_t at = 0; at < count; at++) {
        const char *words[2];
        const mech_status status = rows->next(rows->reader, w->row, &words[0], &words[1]);
        if (status != MECH_OK) return status;
        for (size_t i = 0; i < rows->columns; i++) w->numbers[i * ROWS_AT_ONCE + at] = w->row[i];
        for (size_t k = 0; k < 2; k++) {
            const size_t length = strlen(words[k]);
            memcpy(w->words[k] + at * w->length[k], words[k], length < w->length[k] ? length : w->length[k] - 1);
        }
    }
    return MECH_OK;
}

static void put_rows(writer *w, const runs_rows *rows, hsize_t first, hsize_t count)
{
    hdf5.H5Sselect_hyperslab(w->space, H5S_SELECT_SET, &first, NULL, &count, NULL);
    const hid_t block = hdf5.H5Screate_simple(1, &count, NULL);
    for (size_t i = 0; i < rows->columns + 2 && w->is_good; i++) {
        const int is_text = i >= rows->columns;
        w->is_good &=
            hdf5.H5Dwrite(w->sets[i], is_text ? w->text[i - rows->columns] : *hdf5.H5T_NATIVE_DOUBLE_g, block, w->space,
                          H5P_DEFAULT,
                          is_text ? (void *)w->words[i - rows->columns] : (void *)(w->numbers + i * ROWS_AT_ONCE)) >= 0;
    }
    hdf5.H5Sclose(block);
}

static mech_status allocate(writer *w, const runs_rows *rows)
{
    w->length[0] = STATUS_LENGTH;
    w->length[1] = rows->longest_reason + 1;
    w->sets = mem_zeroed(rows->columns + 2, sizeof *w->sets);
    w->numbers = mem_zeroed((rows->columns + 1) * ROWS_AT_ONCE, sizeof *w->numbers);
    w->row = mem_zeroed(rows->columns + 1, sizeof *w->row);
    for (size_t k = 0; k < 2; k++) w->words[k] = mem_zeroed(w->length[k], ROWS_AT_ONCE);
    if (!w->sets || !w->numbers || !w->row || !w->words[0] || !w->words[1]) return MECH_ERR_MEMORY;
    for (size_t i = 0; i < rows->columns + 2; i++) w->sets[i] = -1;
    return MECH_OK;
}

static void release(writer *w)
{
    mem_free(w->sets);
    mem_free(w->numbers);
    mem_free(w->row);
    for (size_t k = 0; k < 2; k++) mem_free(w->words[k]);
}

static mech_status write_sets(writer *w, const runs_rows *rows)
{
    const hsize_t count = rows->count;
    mech_status status = MECH_OK;
    w->space = hdf5.H5Screate_simple(1, &count, NULL);
    make_sets(w, rows);
    for (size_t at = 0; at < rows->count && w->is_good && !w->disk.failed && status == MECH_OK;) {
        const size_t now = rows->count - at < ROWS_AT_ONCE ? rows->count - at : ROWS_AT_ONCE;
        status = take_rows(w, rows, now);
        if (status == MECH_OK) put_rows(w, rows, at, now);
        at += now;
    }
    for (size_t i = 0; i < rows->columns + 2; i++)
        if (w->sets[i] >= 0) w->is_good &= hdf5.H5Dclose(w->sets[i]) >= 0;
    for (size_t k = 0; k < 2; k++)
        if (w->text[k] > 0) hdf5.H5Tclose(w->text[k]);
    hdf5.H5Sclose(w->space);
    return status;
}

static mech_status write_file(writer *w, const char *path, const runs_rows *rows)
{
    mech_status status = MECH_OK;
    disk *d = &w->disk;
    const hid_t type = hdf5.H5FDregister(&driver), access = hdf5.H5Pcreate(*hdf5.H5P_CLS_FILE_ACCESS_ID_g);
    w->is_good &= type >= 0 && access >= 0 && hdf5.H5Pset_driver(access, type, &d) >= 0;
    w->file = w->is_good ? hdf5.H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access) : -1;
    if (w->file >= 0) status = write_sets(w, rows);
    w->is_good &= w->file >= 0 && hdf5.H5Fclose(w->file) >= 0;
    hdf5.H5Pclose(access);
    hdf5.H5FDunregister(type);
    return status != MECH_OK ? status : w->is_good && !d->failed ? MECH_OK : MECH_ERR_FILE;
}

mech_status runs_write_hdf5(const char *path, const runs_rows *rows)
{
    H5E_auto2_t print;
    void *data;
    if (!runs_has_hdf5()) return MECH_ERR_UNSUPPORTED;
    writer w = {.is_good = 1};
    w.disk.file = system_open(path, O_RDWR | O_CREAT | O_TRUNC, SYSTEM_NO_LINK);
    if (w.disk.file < 0) return MECH_ERR_FILE;
    mech_status status = allocate(&w, rows);
    if (status == MECH_OK) {
        hdf5.H5Eget_auto2(H5E_DEFAULT, &print, &data); /* it would print what fails */
        hdf5.H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
        status = write_file(&w, path, rows);
        hdf5.H5Eset_auto2(H5E_DEFAULT, print, data);
    }
    release(&w);
    return close(w.disk.file) == 0 || status != MECH_OK ? status : MECH_ERR_FILE;
}
