/* MATLAB 5 files through matio, which is opened when the first of them is written: it brings HDF5 and forty
   libraries more. */
#include "output/mat_file.h"

#include "base/library.h"
#include "base/mem.h"
#include "output/aside.h"

#include <mech/output.h>

#include <matio.h>

#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#define FUNCTIONS(X)                                                                                         \
    X(Mat_CreateVer) X(Mat_Close) X(Mat_VarCreate) X(Mat_VarSetCell) X(Mat_VarWrite) X(Mat_VarFree)

LIBRARY(matio, FUNCTIONS, MECH_MATIO)

const char *mech_mat_obstacle(void)
{
    return matio_open() ? NULL
                        : "MATLAB files are written by the library " MECH_MATIO
                          ", which cannot be opened: install it (Debian: the package " MECH_MATIO_PACKAGE ")";
}

void mat_file_open(mat_file *f, const char *path)
{
    *f = (mat_file){.path = path, .part = aside_path(path), .status = MECH_OK};
    if (!f->part) f->status = MECH_ERR_MEMORY;
    else if (!matio_open()) f->status = MECH_ERR_UNSUPPORTED;
    else if (!aside_may_replace(path)) f->status = MECH_ERR_FILE;
    if (f->status != MECH_OK) return;
    f->mat = matio.Mat_CreateVer(f->part, "MATLAB 5.0 MAT-file, written by Mechanician", MAT_FT_MAT5);
    if (!f->mat) f->status = MECH_ERR_FILE;
}

/* Writes and frees a variable. */
static void write_variable(mat_file *f, matvar_t *variable)
{
    if (!variable || matio.Mat_VarWrite(f->mat, variable, MAT_COMPRESSION_NONE) != 0)
        f->status = MECH_ERR_FILE;
    matio.Mat_VarFree(variable);
}

void mat_file_matrix(mat_file *f, const char *name, const double *data, size_t rows, size_t columns)
{
    if (f->status != MECH_OK) return;
    size_t dims[2] = {rows, columns};
    static const double none = 0; /* an empty matrix has an address too */
    /* matio takes what is not const, and leaves it as it is */
    void *only_read = (void *)(uintptr_t)(data ? data : &none);
    f->bytes += rows * columns * sizeof *data;
    write_variable(
        f, matio.Mat_VarCreate(name, MAT_C_DOUBLE, MAT_T_DOUBLE, 2, dims, only_read, MAT_F_DONT_COPY_DATA));
}

void mat_file_texts(mat_file *f, const char *name, char *const *texts, size_t count)
{
    if (f->status != MECH_OK) return;
    size_t dims[2] = {count, 1};
    matvar_t *cells = matio.Mat_VarCreate(name, MAT_C_CELL, MAT_T_CELL, 2, dims, NULL, 0);
    for (size_t i = 0; cells && i < count; i++) {
        size_t size[2] = {1, strlen(texts[i])};
        matio.Mat_VarSetCell(cells, (int)i,
                             matio.Mat_VarCreate(NULL, MAT_C_CHAR, MAT_T_UTF8, 2, size, texts[i], 0));
    }
    write_variable(f, cells);
}

/* Whether a file has at least this many bytes: matio does not tell when the disk was full. */
static int holds(const char *path, size_t bytes)
{
    struct stat about;
    return stat(path, &about) == 0 && (size_t)about.st_size >= bytes;
}

mech_status mat_file_close(mat_file *f)
{
    if (f->mat && matio.Mat_Close(f->mat) != 0 && f->status == MECH_OK) f->status = MECH_ERR_FILE;
    if (f->status == MECH_OK && !holds(f->part, f->bytes)) f->status = MECH_ERR_FILE;
    if (f->mat) f->status = aside_finish(f->status, f->part, f->path);
    mem_free(f->part);
    return f->status;
}
