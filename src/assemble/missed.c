/* What a search for the start may shake: the coordinates of rows that are missed, and those that rows in force join to
   them. Nothing else has to do with what is missed. */
#include "assemble/assembly.h"

#include <math.h>
#include <string.h>

static uint32_t root_of(uint32_t *parent, uint32_t i)
{
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

/* Coordinates (0 to n - 1) and rows in force (from n on) that entries join have one root: the first of them, so a
   coordinate where there is one. */
static void join(mech_assembly *a)
{
    uint32_t *parent = a->joined;
    for (uint32_t i = 0; i < a->n + a->rows; i++) parent[i] = i;
    for (size_t k = 0; k < a->seen.entry_count; k++) {
        if (!a->seen.active[a->seen.entry_row[k]]) continue;
        const uint32_t one = root_of(parent, a->seen.entry_column[k]),
                       other = root_of(parent, (uint32_t)a->n + a->seen.entry_row[k]);
        parent[one > other ? one : other] = one > other ? other : one;
    }
}

void assembly_find_missed(mech_assembly *a, unsigned char *is_missed)
{
    uint32_t *parent = a->joined;
    int any = 0, is_known = 1;
    join(a);
    memset(is_missed, 0, a->n);
    for (size_t i = 0; i < a->rows; i++) {
        if (!a->seen.active[i] || fabs(a->seen.b[i]) <= MET_ROUGHLY * a->seen.row_size[i]) continue;
        const uint32_t root = root_of(parent, (uint32_t)(a->n + i));
        any = 1;
        if (root < a->n) is_missed[root] = 1;
        else is_known = 0; /* sign(x) has no gradient, and moves all the same */
    }
    for (size_t k = 0; k < a->M.count; k++) is_known &= isfinite(a->eq->M[k]) != 0;
    if (!any || !is_known) memset(is_missed, 1, a->n);
    for (size_t j = 0; j < a->n; j++) is_missed[j] = is_missed[root_of(parent, (uint32_t)j)];
}
