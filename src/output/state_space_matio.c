/* A linear system as a MATLAB 5 file: s = load("sys.mat"); sys = ss(s.A, s.B, s.C, s.D). */
#include "output/modes.h"

#include "base/mem.h"
#include "output/aside.h"

#include <matio.h>

#include <stdio.h>
#include <string.h>

static int write_variable(mat_t *mat, matvar_t *variable)
{
    const int ok = variable && Mat_VarWrite(mat, variable, MAT_COMPRESSION_NONE) == 0;
    Mat_VarFree(variable);
    return ok;
}

static int write_matrix(mat_t *mat, const char *name, const double *data, size_t rows, size_t columns)
{
    size_t dims[2] = {rows, columns};
    const size_t cells = rows * columns;
    double *copy = mem_alloc((cells + 1) * sizeof *copy); /* matio takes what is not const */
    if (!copy) return 0;
    if (cells) memcpy(copy, data, cells * sizeof *copy);
    const int ok = write_variable(mat, Mat_VarCreate(name, MAT_C_DOUBLE, MAT_T_DOUBLE, 2, dims, copy, 0));
    mem_free(copy);
    return ok;
}

/* A cell array of names; which: 0 states, 1 inputs, 2 outputs */
static int write_names(mat_t *mat, const char *name, const mech_system *system, const mech_linear_result *l,
                       int which)
{
    const size_t count = (size_t)(which == 0 ? l->size : which == 1 ? l->inputs : l->outputs);
    size_t dims[2] = {count, 1};
    matvar_t *cells = Mat_VarCreate(name, MAT_C_CELL, MAT_T_CELL, 2, dims, NULL, 0);
    for (size_t k = 0; cells && k < count; k++) {
        textbuf text = {0};
        if (which == 0) modes_state_name(system, (size_t)l->n, k, &text);
        else text_add(&text, mech_system_name(system, which == 1 ? MECH_ITEM_INPUT : MECH_ITEM_OUTPUT, k));
        size_t size[2] = {1, text.length};
        Mat_VarSetCell(cells, (int)k,
                       Mat_VarCreate(NULL, MAT_C_CHAR, MAT_T_UTF8, 2, size, text.data ? text.data : "", 0));
        text_free(&text);
    }
    return write_variable(mat, cells);
}

static int write_all(mat_t *mat, const mech_system *system, const mech_linear_result *l)
{
    const size_t N = (size_t)l->size, nu = (size_t)l->inputs, ny = (size_t)l->outputs, d = (size_t)l->freedom,
                 n = (size_t)l->n;
    return write_matrix(mat, "A", l->A, N, N) && write_matrix(mat, "B", l->E, N, nu) &&
           write_matrix(mat, "C", l->C, ny, N) && write_matrix(mat, "D", l->D, ny, nu) &&
           write_matrix(mat, "Ar", l->reduced_A, d, d) && write_matrix(mat, "Br", l->reduced_E, d, nu) &&
           write_matrix(mat, "Cr", l->reduced_C, ny, d) && write_matrix(mat, "basis", l->basis, N, d) &&
           write_matrix(mat, "q0", l->q, n, 1) && write_matrix(mat, "v0", l->v, n, 1) &&
           write_names(mat, "states", system, l, 0) && write_names(mat, "inputs", system, l, 1) &&
           write_names(mat, "outputs", system, l, 2);
}

mech_status mech_linear_write(const char *path, const mech_system *system, const mech_linear_result *linear)
{
    char *part = aside_path(path);
    mech_status status = part ? MECH_OK : MECH_ERR_MEMORY;
    mat_t *mat = part ? Mat_CreateVer(part, "Mechanician", MAT_FT_MAT5) : NULL;
    if (status == MECH_OK && !mat) status = MECH_ERR_FILE;
    if (mat && !write_all(mat, system, linear)) status = MECH_ERR_FILE;
    if (mat && Mat_Close(mat) != 0) status = MECH_ERR_FILE;
    if (status == MECH_OK) status = aside_commit(part, path);
    else if (mat) remove(part);
    mem_free(part);
    return status;
}
