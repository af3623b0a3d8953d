/* Block triangular form: maximum matching of rows with dependent columns, then strongly connected components
   (Tarjan), which come out in the order in which they can be solved. */
#include "fundamental/null_room.h"

#include <string.h>

/* ---- matching ---- */

/* An augmenting path from a row (Kuhn). */
static int augment(null_room *k, const null_split *s, uint32_t row)
{
    for (uint32_t j = 0; j < k->n; j++) {
        if (!s->is_dependent[j] || k->entry[row * k->n + j] == PLAN_NONE || k->column_on[j]) continue;
        k->column_on[j] = 1;
        if (k->match[j] == PLAN_NONE || augment(k, s, k->match[j])) {
            k->match[j] = row;
            return 1;
        }
    }
    return 0;
}

static int match_rows(null_room *k, const null_split *s)
{
    for (size_t j = 0; j < k->n; j++) k->match[j] = PLAN_NONE;
    for (uint32_t i = 0; i < k->rows; i++) {
        memset(k->column_on, 0, k->n);
        if (!augment(k, s, i)) return 0;
    }
    return 1;
}

/* ---- components ---- */

typedef struct search {
    null_room *k;
    null_split *s;
    uint32_t *stack;
    size_t depth, placed;
    uint32_t counter;
} search;

/* Row i needs the columns of the rows it has entries with. number: 0 new, else the order of discovery;
   row_on: on the stack. Returns the lowest number in reach. */
static uint32_t connect(search *x, uint32_t row)
{
    null_room *k = x->k;
    const uint32_t own = k->number[row] = ++x->counter;
    uint32_t low = own;
    x->stack[x->depth++] = row;
    k->row_on[row] = 1;
    for (uint32_t j = 0; j < k->n; j++) {
        if (!x->s->is_dependent[j] || k->entry[row * k->n + j] == PLAN_NONE) continue;
        const uint32_t other = k->match[j];
        uint32_t seen = own;
        if (!k->number[other]) seen = connect(x, other);
        else if (k->row_on[other]) seen = k->number[other];
        if (seen < low) low = seen;
    }
    if (low != own) return low;
    for (uint32_t top = PLAN_NONE; top != row;) {
        top = x->stack[--x->depth];
        k->row_on[top] = 0;
        x->s->row[x->placed++] = top;
    }
    x->s->start[++x->s->blocks] = (uint32_t)x->placed;
    return low;
}

int null_make_blocks(null_room *k, null_split *s)
{
    if (!match_rows(k, s)) return 0;
    uint32_t *stack = s->column; /* free until the columns are known */
    search x = {.k = k, .s = s, .stack = stack};
    s->blocks = 0;
    s->start[0] = 0;
    memset(k->number, 0, k->rows * sizeof *k->number);
    memset(k->row_on, 0, k->rows);
    for (uint32_t i = 0; i < k->rows; i++)
        if (!k->number[i]) (void)connect(&x, i);
    for (uint32_t j = 0; j < k->n; j++) /* where a row's column goes */
        if (s->is_dependent[j]) k->number[k->match[j]] = j;
    for (size_t i = 0; i < k->rows; i++) s->column[i] = k->number[s->row[i]];
    return 1;
}
