/* KLU behind lu.h. */
#include "fundamental/lu.h"

#include "base/library.h"
#include "base/mem.h"

#include <klu.h>

#define FUNCTIONS(X) X(klu_defaults) X(klu_analyze) X(klu_factor) X(klu_solve) X(klu_free_numeric) X(klu_free_symbolic)

LIBRARY(klu, FUNCTIONS, MECH_KLU)

struct lu {
    size_t size;
    int *start, *row;
    klu_common common;
    klu_symbolic *symbolic;
    klu_numeric *numeric;
};

void lu_free(lu *k)
{
    if (!k) return;
    if (k->numeric) klu.klu_free_numeric(&k->numeric, &k->common);
    if (k->symbolic) klu.klu_free_symbolic(&k->symbolic, &k->common);
    mem_free(k);
}

mech_status lu_create(size_t size, int *start, int *row, lu **result)
{
    *result = NULL;
    lu *k = mem_zeroed(1, sizeof *k);
    if (!k) return MECH_ERR_MEMORY;
    mech_status status = klu_open() ? MECH_OK : MECH_ERR_UNSUPPORTED;
    if (status == MECH_OK) {
        k->size = size;
        k->start = start;
        k->row = row;
        klu.klu_defaults(&k->common);
        k->symbolic = klu.klu_analyze((int)size, start, row, &k->common);
        if (!k->symbolic) status = MECH_ERR_MEMORY;
    }
    if (status == MECH_OK) *result = k;
    else lu_free(k);
    return status;
}

mech_status lu_factor(lu *k, double *value)
{
    if (k->numeric) klu.klu_free_numeric(&k->numeric, &k->common);
    k->numeric = klu.klu_factor(k->start, k->row, value, k->symbolic, &k->common);
    if (k->numeric) return MECH_OK;
    return k->common.status == KLU_SINGULAR ? MECH_ERR_SINGULAR_MASS : MECH_ERR_MEMORY;
}

mech_status lu_solve(lu *k, double *x)
{
    if (!k->numeric) return MECH_ERR_ARGUMENT;
    return klu.klu_solve(k->symbolic, k->numeric, (int)k->size, 1, x, &k->common) ? MECH_OK : MECH_ERR_MEMORY;
}
