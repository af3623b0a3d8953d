/* Making the solver: the plan for the pattern, its operations in two lists. */
#include "fundamental/sparse.h"

#include "base/mem.h"
#include "base/try.h"

#include <string.h>

/* ---- M with the rows that make it definite ---- */

static uint32_t find_entry(const sparse *s, uint32_t row, uint32_t column)
{
    for (size_t k = 0; k < s->M_count; k++)
        if (s->M_row[k] == row && s->M_column[k] == column) return (uint32_t)k;
    return PLAN_NONE;
}

static int add_entry(sparse *s, uint32_t row, uint32_t column)
{
    uint32_t *rows = mem_resize(s->M_row, (s->M_count + 1) * sizeof *rows);
    if (rows) s->M_row = rows;
    uint32_t *columns = mem_resize(s->M_column, (s->M_count + 1) * sizeof *columns);
    if (columns) s->M_column = columns;
    if (!rows || !columns) return 0;
    s->M_row[s->M_count] = row;
    s->M_column[s->M_count++] = column;
    return 1;
}

static mech_status boost_row(sparse *s, size_t *capacity, uint32_t row, double weight)
{
    for (uint32_t i = 0; i < s->A_count; i++)
        for (uint32_t j = 0; j < s->A_count && s->A_row[i] == row; j++) {
            if (s->A_row[j] != row || s->A_column[j] > s->A_column[i]) continue;
            uint32_t at = find_entry(s, s->A_column[i], s->A_column[j]);
            if (at == PLAN_NONE) {
                at = (uint32_t)s->M_count;
                if (!add_entry(s, s->A_column[i], s->A_column[j])) return MECH_ERR_MEMORY;
            }
            if (!mem_grow(&s->boost, capacity, s->boost_count + 1, sizeof *s->boost)) return MECH_ERR_MEMORY;
            s->boost[s->boost_count++] = (sparse_boost){at, i, j, weight};
        }
    return MECH_OK;
}

static mech_status boost(sparse *s, const double *weight)
{
    size_t capacity = 0;
    for (uint32_t r = 0; weight && r < s->m; r++) {
        s->mass_weight[r] = weight[r];
        if (weight[r] > 0) MECH_TRY(boost_row(s, &capacity, r, weight[r]));
    }
    return MECH_OK;
}

/* ---- two lists ---- */

static int is_binary(uint32_t code) { return code != PLAN_INVERT2 && code != PLAN_PIVOT2; }

static uint32_t results_of(uint32_t code)
{
    return code == PLAN_MONITOR ? 0 : code == PLAN_INVERT2 || code == PLAN_PIVOT2 ? 3 : 1;
}

/* varies: (slots) 1 for what depends on Q or b */
static int depends(const plan_op *op, const unsigned char *varies)
{
    if (varies[op->a] || varies[op->b]) return 1;
    if (op->code == PLAN_MULADD || op->code == PLAN_MULSUB || !is_binary(op->code)) return varies[op->c];
    return 0;
}

static mech_status split(sparse *s)
{
    const plan *p = s->p;
    unsigned char *varies = mem_zeroed(p->slot_count + 1, 1);
    uint32_t *row_of = mem_zeroed(p->slot_count + 1, sizeof *row_of);
    size_t pivots = 0;
    s->factor = mem_alloc((p->op_count + 1) * sizeof *s->factor);
    s->solve = mem_alloc((p->op_count + 1) * sizeof *s->solve);
    s->pivot_row = mem_zeroed(2 * s->m + 2, sizeof *s->pivot_row);
    const mech_status status = varies && row_of && s->factor && s->solve && s->pivot_row ? MECH_OK : MECH_ERR_MEMORY;
    for (uint32_t i = p->Q_first; status == MECH_OK && i < p->input_count; i++) varies[i] = 1;
    for (uint32_t r = 0; status == MECH_OK && r < s->m; r++)
        if (p->diagonal[r] != PLAN_NONE) row_of[p->diagonal[r]] = r;
    for (size_t i = 0; status == MECH_OK && i < p->op_count; i++) {
        const plan_op *op = &p->ops[i];
        if (op->code == PLAN_MONITOR || op->code == PLAN_SIZE) continue;
        const int later = depends(op, varies);
        for (uint32_t k = 0; k < results_of(op->code); k++) varies[op->out + k] = (unsigned char)later;
        if (later) s->solve[s->solve_count++] = *op;
        else s->factor[s->factor_count++] = *op;
        if (op->code == PLAN_PIVOT) s->pivot_row[2 * pivots++] = row_of[op->b];
        if (op->code == PLAN_PIVOT2) {
            s->pivot_row[2 * pivots] = row_of[op->d];
            s->pivot_row[2 * pivots++ + 1] = row_of[op->e];
        }
    }
    mem_free(varies);
    mem_free(row_of);
    return status;
}

/* ---- life ---- */

static uint32_t *copied(const uint32_t *from, size_t count)
{
    uint32_t *to = mem_alloc((count + 1) * sizeof *to);
    if (to && count) memcpy(to, from, count * sizeof *to);
    return to;
}

static mech_status create(const sparse_spec *spec, sparse *s)
{
    const size_t n = s->n = spec->n, m = s->m = spec->m;
    s->M_count = s->M_given = spec->M.count;
    s->A_count = spec->A.count;
    s->M_row = copied(spec->M.row, spec->M.count);
    s->M_column = copied(spec->M.column, spec->M.count);
    s->A_row = copied(spec->A.row, spec->A.count);
    s->A_column = copied(spec->A.column, spec->A.count);
    s->mass_weight = mem_zeroed(m + 1, sizeof *s->mass_weight);
    s->left = mem_zeroed(m + 1, 1);
    s->active = mem_zeroed(m + 1, 1);
    s->dropped = mem_zeroed(m + 1, 1);
    s->Q = mem_zeroed(n + 1, sizeof *s->Q);
    s->da = mem_zeroed(n + 1, sizeof *s->da);
    s->b = mem_zeroed(m + 1, sizeof *s->b);
    s->dl = mem_zeroed(m + 1, sizeof *s->dl);
    s->y = mem_zeroed(m + 1, sizeof *s->y);
    if (!s->M_row || !s->M_column || !s->A_row || !s->A_column || !s->mass_weight || !s->left || !s->active ||
        !s->dropped || !s->Q || !s->da || !s->b || !s->dl || !s->y)
        return MECH_ERR_MEMORY;
    MECH_TRY(boost(s, spec->mass_weight));
    const plan_spec inner = {.n = n,
                             .m = m,
                             .M = {s->M_count, s->M_row, s->M_column},
                             .A = {s->A_count, s->A_row, s->A_column},
                             .monitored = spec->monitored,
                             .most_ops = spec->most_ops,
                             .pivots_only = 1};
    MECH_TRY(plan_create(&inner, &s->p));
    for (size_t r = 0; r < m; r++) s->left[r] = s->p->diagonal[r] == PLAN_NONE;
    MECH_TRY(split(s));
    s->slots = mem_zeroed(s->p->slot_count + 1, sizeof *s->slots);
    if (!s->slots) return MECH_ERR_MEMORY;
    mem_free(s->p->ops); /* they stand in the two lists */
    s->p->ops = NULL;
    return MECH_OK;
}

mech_status sparse_create(const sparse_spec *spec, sparse **result)
{
    *result = NULL;
    sparse *s = mem_zeroed(1, sizeof *s);
    if (!s) return MECH_ERR_MEMORY;
    const mech_status status = create(spec, s);
    if (status == MECH_OK) *result = s;
    else sparse_free(s);
    return status;
}

void sparse_free(sparse *s)
{
    if (!s) return;
    plan_free(s->p);
    void *const blocks[] = {s->factor,   s->solve, s->pivot_row,   s->M_row, s->M_column, s->A_row,
                            s->A_column, s->boost, s->mass_weight, s->left,  s->slots,    s->active,
                            s->dropped,  s->Q,     s->b,           s->da,    s->dl,       s->y};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) mem_free(blocks[i]);
    mem_free(s);
}
