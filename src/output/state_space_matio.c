/* A linear system as a MATLAB 5 file: s = load("sys.mat"); sys = ss(s.A, s.B, s.C, s.D). */
#include "output/modes.h"

#include "base/mem.h"
#include "base/try.h"
#include "output/aside.h"

#include <matio.h>

#include <stdio.h>
#include <string.h>

static mech_status write_variable(mat_t *mat, matvar_t *variable)
{
    const int ok = variable && Mat_VarWrite(mat, variable, MAT_COMPRESSION_NONE) == 0;
    Mat_VarFree(variable);
    return ok ? MECH_OK : MECH_ERR_FILE;
}

static mech_status write_matrix(mat_t *mat, const char *name, const double *data, size_t rows, size_t columns)
{
    size_t dims[2] = {rows, columns};
    const size_t cells = rows * columns;
    double *copy = mem_alloc((cells + 1) * sizeof *copy); /* matio takes what is not const */
    if (!copy) return MECH_ERR_MEMORY;
    if (cells) memcpy(copy, data, cells * sizeof *copy);
    const mech_status status =
        write_variable(mat, Mat_VarCreate(name, MAT_C_DOUBLE, MAT_T_DOUBLE, 2, dims, copy, 0));
    mem_free(copy);
    return status;
}

/* A cell array of names; which: 0 states, 1 inputs, 2 outputs */
static mech_status write_names(mat_t *mat, const char *name, const mech_system *system,
                               const mech_linear_result *l, int which)
{
    const size_t count = (size_t)(which == 0 ? l->size : which == 1 ? l->inputs : l->outputs);
    size_t dims[2] = {count, 1};
    matvar_t *cells = Mat_VarCreate(name, MAT_C_CELL, MAT_T_CELL, 2, dims, NULL, 0);
    int done = 1;
    for (size_t k = 0; cells && k < count; k++) {
        textbuf text = {0};
        if (which == 0) modes_state_name(system, (size_t)l->n, k, &text);
        else text_add(&text, mech_system_name(system, which == 1 ? MECH_ITEM_INPUT : MECH_ITEM_OUTPUT, k));
        size_t size[2] = {1, text.length};
        Mat_VarSetCell(cells, (int)k,
                       Mat_VarCreate(NULL, MAT_C_CHAR, MAT_T_UTF8, 2, size, text.data ? text.data : "", 0));
        done = done && !text.failed;
        text_free(&text);
    }
    const mech_status status = write_variable(mat, cells);
    return done ? status : MECH_ERR_MEMORY;
}

static mech_status write_all(mat_t *mat, const mech_system *system, const mech_linear_result *l)
{
    const size_t N = (size_t)l->size, nu = (size_t)l->inputs, ny = (size_t)l->outputs, d = (size_t)l->freedom,
                 n = (size_t)l->n;
    const struct {
        const char *name;
        const double *data;
        size_t rows, columns;
    } matrices[] = {{"A", l->A, N, N},           {"B", l->E, N, nu},         {"C", l->C, ny, N},
                    {"D", l->D, ny, nu},         {"Ar", l->reduced_A, d, d}, {"Br", l->reduced_E, d, nu},
                    {"Cr", l->reduced_C, ny, d}, {"basis", l->basis, N, d},  {"q0", l->q, n, 1},
                    {"v0", l->v, n, 1}};
    static const char *const lists[] = {"states", "inputs", "outputs"};
    for (size_t k = 0; k < sizeof matrices / sizeof *matrices; k++)
        MECH_TRY(
            write_matrix(mat, matrices[k].name, matrices[k].data, matrices[k].rows, matrices[k].columns));
    for (int k = 0; k < 3; k++) MECH_TRY(write_names(mat, lists[k], system, l, k));
    return MECH_OK;
}

mech_status mech_linear_write(const char *path, const mech_system *system, const mech_linear_result *linear)
{
    char *part = aside_path(path);
    mech_status status = part ? MECH_OK : MECH_ERR_MEMORY;
    mat_t *mat = part ? Mat_CreateVer(part, "Mechanician", MAT_FT_MAT5) : NULL;
    if (status == MECH_OK && !mat) status = MECH_ERR_FILE;
    if (mat) status = write_all(mat, system, linear);
    if (mat && Mat_Close(mat) != 0 && status == MECH_OK) status = MECH_ERR_FILE;
    if (status == MECH_OK) status = aside_commit(part, path);
    else if (mat) remove(part);
    mem_free(part);
    return status;
}
