#include "fundamental/plan_write.h"

#include "base/mem.h"

void plan_number_inputs(plan *p, const plan_spec *s)
{
    p->A_first = (uint32_t)s->M.count;
    p->Q_first = p->A_first + (uint32_t)s->A.count;
    p->b_first = p->Q_first + (uint32_t)s->n;
    p->input_count = p->slot_count = p->b_first + (uint32_t)s->m;
}

uint32_t plan_emit(plan_writer *w, plan_op op, uint32_t results)
{
    plan *p = w->p;
    if (w->status != MECH_OK) return 0;
    if (p->op_count >= w->most) w->status = MECH_ERR_LIMIT;
    else if (!mem_grow(&p->ops, &w->capacity, p->op_count + 1, sizeof *p->ops)) w->status = MECH_ERR_MEMORY;
    if (w->status != MECH_OK) return 0;
    op.out = p->slot_count;
    p->slot_count += results;
    p->ops[p->op_count++] = op;
    return op.out;
}

uint32_t plan_multiply(plan_writer *w, int sign, uint32_t a, uint32_t b, uint32_t c)
{
    if (a == PLAN_NONE || b == PLAN_NONE) return c;
    const int has_c = c != PLAN_NONE;
    const uint32_t code =
        has_c ? (sign > 0 ? PLAN_MULADD : PLAN_MULSUB) : (sign > 0 ? PLAN_MUL : PLAN_NEGMUL);
    return plan_emit(w, (plan_op){.code = code, .a = a, .b = b, .c = has_c ? c : 0}, 1);
}

/* A q'' = b of one row; its entries: first, then next[...]. */
static void monitor_row(plan_writer *w, const plan_spec *spec, size_t r, const uint32_t *x, uint32_t first,
                        const uint32_t *next)
{
    uint32_t missed = (uint32_t)(w->p->b_first + r), size = PLAN_NONE;
    for (uint32_t i = first; i != PLAN_NONE; i = next[i]) {
        const uint32_t a = w->p->A_first + i, at = x[spec->A.column[i]];
        missed = plan_multiply(w, -1, a, at, missed);
        size = plan_emit(w, (plan_op){.code = PLAN_SIZE, .a = a, .b = at, .c = size}, 1);
    }
    if (size == PLAN_NONE) size = (uint32_t)(w->p->b_first + r); /* 0 = b */
    (void)plan_emit(w, (plan_op){.code = PLAN_MONITOR, .a = missed, .b = size}, 0);
}

void plan_monitor(plan_writer *w, const plan_spec *spec, const unsigned char *watched, const uint32_t *x)
{
    const size_t m = spec->m, count = spec->A.count;
    uint32_t *first = mem_alloc((m + 1) * sizeof *first), *next = mem_alloc((count + 1) * sizeof *next);
    if (first && next) {
        for (size_t r = 0; r < m; r++) first[r] = PLAN_NONE;
        for (size_t i = count; i-- > 0;) { /* entries by row */
            next[i] = first[spec->A.row[i]];
            first[spec->A.row[i]] = (uint32_t)i;
        }
        for (size_t r = 0; r < m; r++)
            if (watched[r]) monitor_row(w, spec, r, x, first[r], next);
    } else {
        w->status = MECH_ERR_MEMORY;
    }
    mem_free(first);
    mem_free(next);
}

size_t plan_cost(const plan *p)
{
    size_t cost = 0;
    for (size_t i = 0; i < p->op_count; i++) {
        const uint32_t code = p->ops[i].code;
        const int is_pair = code == PLAN_INVERT2 || code == PLAN_PIVOT2 || code == PLAN_SOLVE2;
        const int is_inverse = code == PLAN_INVERT || code == PLAN_PIVOT || code == PLAN_SOLVE;
        cost += is_pair ? 16 : is_inverse ? 10 : 1;
    }
    return cost;
}

int plan_null_pays(const plan *null, const plan *schur)
{
    const size_t cost = plan_cost(null);
    return (null->has_turned ? cost + cost / 2 : cost) < plan_cost(schur);
}
