#include "fundamental/plan_write.h"

#include "base/mem.h"

void plan_number_inputs(plan *p, const plan_spec *s)
{
    p->A_first = (uint32_t)s->M.count;
    p->Q_first = p->A_first + (uint32_t)s->A.count;
    p->b_first = p->Q_first + (uint32_t)s->n;
    p->whole_first = p->b_first + (uint32_t)s->m;
    p->input_count = p->slot_count = p->whole_first + (uint32_t)s->wholes.count;
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
    const uint32_t code = has_c ? (sign > 0 ? PLAN_MULADD : PLAN_MULSUB) : (sign > 0 ? PLAN_MUL : PLAN_NEGMUL);
    return plan_emit(w, (plan_op){.code = code, .a = a, .b = b, .c = has_c ? c : 0}, 1);
}

void plan_look_at_row(plan_writer *w, uint32_t left, uint32_t power, uint32_t whole)
{
    const uint32_t room = plan_emit(w, (plan_op){.code = PLAN_ROOM, .a = left, .d = PLAN_BIAS + power}, 1);
    (void)plan_emit(w, (plan_op){.code = PLAN_CLEAR, .a = room, .b = whole}, 0);
}

/* The entries of one pattern by row: first[row], then next[...]. */
typedef struct by_row {
    const plan_entries *of;
    uint32_t *first, *next;
} by_row;

static int list_by_row(by_row *list, const plan_entries *of, size_t m)
{
    list->of = of;
    list->first = mem_alloc((m + 1) * sizeof *list->first);
    list->next = mem_alloc((of->count + 1) * sizeof *list->next);
    if (!list->first || !list->next) return 0;
    for (size_t r = 0; r < m; r++) list->first[r] = PLAN_NONE;
    for (size_t i = of->count; i-- > 0;) {
        list->next[i] = list->first[of->row[i]];
        list->first[of->row[i]] = (uint32_t)i;
    }
    return 1;
}

static void free_list(by_row *list)
{
    mem_free(list->first);
    mem_free(list->next);
}

static int has_column(const by_row *list, size_t r, uint32_t column)
{
    for (uint32_t i = list->first[r]; i != PLAN_NONE; i = list->next[i])
        if (list->of->column[i] == column) return 1;
    return 0;
}

/* A q'' = b of one row, beside the size of its terms, or of those that were combined in them. */
static void monitor_row(plan_writer *w, size_t r, const uint32_t *x, const by_row *A, const by_row *wholes)
{
    uint32_t missed = (uint32_t)(w->p->b_first + r), size = PLAN_NONE;
    for (uint32_t i = A->first[r]; i != PLAN_NONE; i = A->next[i]) {
        const uint32_t a = w->p->A_first + i, column = A->of->column[i];
        missed = plan_multiply(w, -1, a, x[column], missed);
        if (has_column(wholes, r, column)) continue;
        size = plan_emit(w, (plan_op){.code = PLAN_SIZE, .a = a, .b = x[column], .c = size}, 1);
    }
    for (uint32_t i = wholes->first[r]; i != PLAN_NONE; i = wholes->next[i]) {
        const uint32_t a = w->p->whole_first + i, at = x[wholes->of->column[i]];
        size = plan_emit(w, (plan_op){.code = PLAN_SIZE, .a = a, .b = at, .c = size}, 1);
    }
    if (size == PLAN_NONE) size = (uint32_t)(w->p->b_first + r); /* 0 = b */
    (void)plan_emit(w, (plan_op){.code = PLAN_MONITOR, .a = missed, .b = size}, 0);
}

void plan_monitor(plan_writer *w, const plan_spec *spec, const unsigned char *watched, const uint32_t *x)
{
    by_row A = {0}, wholes = {0};
    if (list_by_row(&A, &spec->A, spec->m) && list_by_row(&wholes, &spec->wholes, spec->m)) {
        for (size_t r = 0; r < spec->m; r++)
            if (watched[r]) monitor_row(w, r, x, &A, &wholes);
    } else {
        w->status = MECH_ERR_MEMORY;
    }
    free_list(&A);
    free_list(&wholes);
}

enum { FRONT_GAIN = 4 }; /* how much faster its loops are than lines, measured */

size_t plan_cost(const plan *p)
{
    size_t cost = 0;
    for (size_t i = 0; i < p->op_count; i++) {
        const uint32_t code = p->ops[i].code;
        const int is_pair = code == PLAN_INVERT2 || code == PLAN_PIVOT2 || code == PLAN_SOLVE2;
        const int is_inverse = code == PLAN_INVERT || code == PLAN_PIVOT || code == PLAN_SOLVE;
        const int is_front = code == PLAN_FRONT;
        cost += is_front ? plan_front_cost(&p->fronts[p->ops[i].a]) / FRONT_GAIN : is_pair ? 16 : is_inverse ? 10 : 1;
    }
    return cost;
}

size_t plan_front_cost(const plan_front *f)
{
    size_t cost = 0;
    for (size_t left = f->size + f->rows; left > f->rows; left--) cost += left * (left + 1) / 2 + left;
    return cost;
}

size_t plan_front_entries(const plan_front *f)
{
    const size_t all = f->size + f->rows;
    return all * (all + 1) / 2 + all;
}

int plan_null_pays(const plan *null, const plan *schur)
{
    const size_t cost = plan_cost(null);
    return (null->has_turned ? cost + cost / 2 : cost) < plan_cost(schur) - schur->mobility; /* it passes on fewer */
}
