/* What goes by itself: coordinates that rows in force join, and masses. A search for the start may shake those of rows
   that are missed, and nothing else. */
#include "assemble/assembly.h"

#include <math.h>
#include <string.h>

static uint32_t root_of(uint32_t *parent, uint32_t i)
{
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

static void join_two(uint32_t *parent, uint32_t i, uint32_t k)
{
    const uint32_t one = root_of(parent, i), other = root_of(parent, k);
    parent[one > other ? one : other] = one > other ? other : one;
}

/* Coordinates (0 to n - 1) and rows in force (from n on) that entries join have one root: the first of them, so a
   coordinate where there is one. */
static void join(const mech_assembly *a, uint32_t *parent)
{
    for (uint32_t i = 0; i < a->n + a->rows; i++) parent[i] = i;
    for (size_t k = 0; k < a->seen.entry_count; k++)
        if (a->seen.active[a->seen.entry_row[k]])
            join_two(parent, a->seen.entry_column[k], (uint32_t)a->n + a->seen.entry_row[k]);
}

void assembly_find_parts(const mech_assembly *a, uint32_t *part)
{
    join(a, part);
    for (size_t k = 0; k < a->M.count; k++) join_two(part, a->M.row[k], a->M.column[k]);
    for (uint32_t i = 0; i < a->n + a->rows; i++) part[i] = root_of(part, i);
}

void assembly_find_missed(mech_assembly *a, unsigned char *is_missed)
{
    uint32_t *parent = a->joined;
    int any = 0, is_known = 1;
    join(a, parent);
    memset(is_missed, 0, a->n);
    for (size_t i = 0; i < a->rows; i++) {
        if (!a->seen.active[i] || fabs(a->seen.b[i]) <= MET_NEARLY * a->seen.row_size[i]) continue;
        const uint32_t root = root_of(parent, (uint32_t)(a->n + i));
        any = 1;
        if (root < a->n) is_missed[root] = 1;
        else is_known = 0; /* sign(x) has no gradient, and moves all the same */
    }
    for (size_t k = 0; k < a->M.count; k++) is_known &= isfinite(a->eq->M[k]) != 0;
    if (!any || !is_known) memset(is_missed, 1, a->n);
    for (size_t j = 0; j < a->n; j++) is_missed[j] = is_missed[root_of(parent, (uint32_t)j)];
}
