/* Which rows make a singular M definite. M falls into blocks of coordinates that its entries connect; what a
   block leaves free (its null space Z) must be fixed by rows that live within the block: A_r Z of full rank.
 */
#include "fundamental/room.h"
#include "fundamental/root.h"
#include "fundamental/sparse.h"

#include "base/mem.h"
#include "base/try.h"

#include <math.h>
#include <string.h>

enum { MOST_IN_BLOCK = 400 };
static const double FREE = 1e-10; /* part of the largest eigenvalue of the block at unit diagonal */
static const double CLEAR = 1e-6; /* part of a row that must be left beside the rows before it    */

typedef struct sorted { /* items of key k: list[start[k] .. start[k+1]) */
    size_t *start;
    uint32_t *list;
} sorted;

typedef struct search {
    const mech_fundamental_pattern *g;
    const double *M, *A;
    double *weight;            /* (m) result                                   */
    uint32_t *block;           /* (n) number of the block                      */
    uint32_t *place;           /* (n) within the block                         */
    uint32_t *owner;           /* (m) the block a row lives in, or PLAN_NONE    */
    sorted M_in, row_in, A_in; /* entries of M and rows by block, entries of A by row */
    uint32_t blocks;
    double largest; /* diagonal entry of M                          */
} search;

/* key[via[i]] (via NULL: key[i]) of each item; PLAN_NONE is left out */
static int sort(sorted *to, size_t keys, size_t count, const uint32_t *key, const uint32_t *via)
{
    to->start = mem_zeroed(keys + 3, sizeof *to->start);
    to->list = mem_zeroed(count + 1, sizeof *to->list);
    if (!to->start || !to->list) return 0;
    for (size_t i = 0; i < count; i++) {
        const uint32_t k = key[via ? via[i] : i];
        if (k != PLAN_NONE) to->start[k + 2]++;
    }
    for (size_t k = 1; k < keys + 2; k++) to->start[k] += to->start[k - 1];
    for (size_t i = 0; i < count; i++) {
        const uint32_t k = key[via ? via[i] : i];
        if (k != PLAN_NONE) to->list[to->start[k + 1]++] = (uint32_t)i;
    }
    return 1;
}

static void unsort(sorted *s)
{
    mem_free(s->start);
    mem_free(s->list);
}

static uint32_t root_of(uint32_t *parent, uint32_t i)
{
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
}

static void find_blocks(search *s, uint32_t *count)
{
    const mech_fundamental_pattern *g = s->g;
    const uint32_t n = (uint32_t)g->n;
    for (uint32_t i = 0; i < n; i++) s->block[i] = i;
    for (size_t k = 0; k < g->M_count; k++) {
        const uint32_t a = root_of(s->block, g->M_row[k]), b = root_of(s->block, g->M_column[k]);
        if (a != b) s->block[a > b ? a : b] = a > b ? b : a;
        if (g->M_row[k] == g->M_column[k]) s->largest = fmax(s->largest, s->M[k]);
    }
    for (uint32_t i = 0; i < n; i++) { /* roots come first: their number is known */
        const uint32_t root = root_of(s->block, i);
        s->place[i] = root == i ? s->blocks : s->place[root];
        if (root == i) count[s->blocks++] = 0;
    }
    for (uint32_t i = 0; i < n; i++) s->block[i] = s->place[i];
    for (uint32_t i = 0; i < n; i++) s->place[i] = count[s->block[i]]++;
}

static void find_owners(search *s)
{
    const mech_fundamental_pattern *g = s->g;
    unsigned char *const seen = (unsigned char *)(s->owner + g->m); /* (m) behind the owners */
    memset(seen, 0, (size_t)g->m);
    for (size_t k = 0; k < g->A_count; k++) {
        const uint32_t r = g->A_row[k], block = s->block[g->A_column[k]];
        if (s->A[k] == 0) continue;
        s->owner[r] = !seen[r] || s->owner[r] == block ? block : PLAN_NONE;
        seen[r] = 1;
    }
    for (int r = 0; r < g->m; r++)
        if (!seen[r] || (g->monitored && g->monitored[r])) s->owner[r] = PLAN_NONE;
}

/* Eigenvectors of the block scaled to unit diagonal; the free ones come back in V. */
static size_t free_directions(const search *s, uint32_t block, size_t size, double *K, double *V, double *d,
                              double *scale)
{
    const mech_fundamental_pattern *g = s->g;
    memset(K, 0, size * size * sizeof *K);
    for (size_t e = s->M_in.start[block]; e < s->M_in.start[block + 1]; e++) {
        const size_t k = s->M_in.list[e];
        const size_t i = s->place[g->M_row[k]], j = s->place[g->M_column[k]];
        K[i + j * size] = K[j + i * size] = s->M[k];
    }
    for (size_t i = 0; i < size; i++) {
        const double own = K[i + i * size];
        scale[i] = own > 1e-14 * s->largest ? 1 / sqrt(own) : 1 / sqrt(s->largest > 0 ? s->largest : 1);
    }
    for (size_t i = 0; i < size; i++)
        for (size_t j = 0; j < size; j++) K[i + j * size] *= scale[i] * scale[j];
    small_eigen((int)size, K, V, d);
    double most = 0;
    size_t count = 0;
    for (size_t i = 0; i < size; i++) most = fmax(most, d[i]);
    for (size_t i = 0; i < size; i++) {
        if (d[i] > FREE * (most > 0 ? most : 1)) continue;
        memmove(V + count * size, V + i * size, size * sizeof *V);
        count++;
    }
    return count;
}

/* Rows by their angle to those taken before; x = A_r Z in the block's scaled coordinates. */
static mech_status choose(search *s, uint32_t block, size_t size, size_t directions, const double *Z,
                          const double *scale, double *basis)
{
    const mech_fundamental_pattern *g = s->g;
    size_t taken = 0;
    double *x = basis + directions * directions;
    for (size_t e = s->row_in.start[block]; e < s->row_in.start[block + 1] && taken < directions; e++) {
        const uint32_t r = s->row_in.list[e];
        double whole = 0, left = 0;
        memset(x, 0, directions * sizeof *x);
        for (size_t i = s->A_in.start[r]; i < s->A_in.start[r + 1]; i++) {
            const size_t k = s->A_in.list[i];
            const size_t at = s->place[g->A_column[k]];
            const double a = s->A[k] * scale[at];
            whole += a * a;
            for (size_t c = 0; c < directions; c++) x[c] += a * Z[at + c * size];
        }
        for (size_t t = 0; t < taken; t++) {
            double dot = 0;
            for (size_t c = 0; c < directions; c++) dot += x[c] * basis[c + t * directions];
            for (size_t c = 0; c < directions; c++) x[c] -= dot * basis[c + t * directions];
        }
        for (size_t c = 0; c < directions; c++) left += x[c] * x[c];
        if (!(left > CLEAR * whole)) continue;
        s->weight[r] = 1 / whole; /* at unit diagonal: as large as M's own directions */
        for (size_t c = 0; c < directions; c++) basis[c + taken * directions] = x[c] / sqrt(left);
        taken++;
    }
    return taken == directions ? MECH_OK : MECH_ERR_SINGULAR_MASS;
}

static mech_status look_at(search *s, uint32_t block, size_t size)
{
    if (size > MOST_IN_BLOCK) return MECH_OK; /* taken as definite; the elimination will say */
    double *work = mem_zeroed(4 * size * size + 4 * size, sizeof *work);
    if (!work) return MECH_ERR_MEMORY;
    double *K = work, *V = K + size * size, *d = V + size * size, *scale = d + size, *basis = scale + size;
    const size_t count = free_directions(s, block, size, K, V, d, scale);
    const mech_status status = count ? choose(s, block, size, count, V, scale, basis) : MECH_OK;
    mem_free(work);
    return status;
}

mech_status mech_fundamental_find_mass(const mech_fundamental_pattern *pattern, const double *M, const double *A,
                                       double *mass_weight)
{
    if (!pattern || pattern->size != sizeof *pattern || !M || (pattern->m && (!A || !mass_weight)))
        return MECH_ERR_ARGUMENT;
    const size_t n = (size_t)pattern->n, m = (size_t)pattern->m;
    if (m) memset(mass_weight, 0, m * sizeof *mass_weight);
    search s = {.g = pattern, .M = M, .A = A, .weight = mass_weight};
    s.block = mem_zeroed(n + 1, sizeof *s.block);
    s.place = mem_zeroed(n + 1, sizeof *s.place);
    s.owner = mem_zeroed(2 * m + 1, sizeof *s.owner);
    uint32_t *count = mem_zeroed(n + 1, sizeof *count);
    mech_status status = s.block && s.place && s.owner && count ? MECH_OK : MECH_ERR_MEMORY;
    if (status == MECH_OK) {
        find_blocks(&s, count);
        find_owners(&s);
    }
    if (status == MECH_OK &&
        !(sort(&s.M_in, s.blocks, pattern->M_count, s.block, pattern->M_row) &&
          sort(&s.row_in, s.blocks, m, s.owner, NULL) && sort(&s.A_in, m, pattern->A_count, pattern->A_row, NULL)))
        status = MECH_ERR_MEMORY;
    for (uint32_t b = 0; status == MECH_OK && b < s.blocks; b++) status = look_at(&s, b, count[b]);
    unsort(&s.M_in);
    unsort(&s.row_in);
    unsort(&s.A_in);
    mem_free(s.block);
    mem_free(s.place);
    mem_free(s.owner);
    mem_free(count);
    return status;
}
