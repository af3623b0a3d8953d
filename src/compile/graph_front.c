/* A front of a plan as values: what is put into its array, the elimination as one statement, what is taken out. */
#include "compile/graph.h"

#include "base/mem.h"

#include <stdlib.h>

typedef struct entry {
    graph_ref value;
    uint32_t place;
} entry;

/* In the order in which values are made: what is put away need not wait for others. */
static int by_value(const void *x, const void *y)
{
    const entry *a = x, *b = y;
    if (graph_id(a->value) != graph_id(b->value)) return graph_id(a->value) < graph_id(b->value) ? -1 : 1;
    return a->place < b->place ? -1 : a->place > b->place;
}

static graph_ref put_all(graph *g, uint32_t number, entry *list, size_t count, graph_ref after)
{
    qsort(list, count, sizeof *list, by_value);
    for (size_t i = 0; i < count && g->status == MECH_OK; i++)
        after = graph_intern(
            g, (graph_value){
                   .op = GRAPH_PUT, .stage = 1, .a = list[i].value, .b = after, .c = number, .d = list[i].place});
    return after;
}

static graph_ref value_at(graph *g, const graph_ref *slots, uint32_t slot)
{
    return slot == PLAN_NONE ? graph_constant(g, 0) : slots[slot];
}

static graph_ref take(graph *g, graph_ref after, uint32_t number, uint32_t place)
{
    return graph_intern(g, (graph_value){.op = GRAPH_TAKE, .stage = 1, .a = after, .c = number, .d = place});
}

static graph_ref put_entries(graph *g, const plan_front *f, uint32_t number, const graph_ref *slots)
{
    const graph_front *to = &g->fronts[number];
    const uint32_t last = to->all - 1;
    entry *list = mem_alloc((plan_front_entries(f) + f->size) * sizeof *list);
    size_t count = 0;
    if (!list) {
        g->status = MECH_ERR_MEMORY;
        return 0;
    }
    for (uint32_t column = 0; column < last; column++)
        for (uint32_t row = column; row <= last; row++, count++)
            list[count] = (entry){value_at(g, slots, f->entries[count]), front_place(to, row, column)};
    for (uint32_t i = 0; i < f->size; i++)
        list[count++] = (entry){value_at(g, slots, f->whole[i]), front_whole(to) + i};
    const graph_ref all = put_all(g, number, list, count, 0);
    mem_free(list);
    return all;
}

void graph_eliminate_front(graph *g, const plan *p, const plan_op *op, size_t first, graph_ref *slots)
{
    const plan_front *f = &p->fronts[op->a];
    const uint32_t number = (uint32_t)(first + op->a);
    if (!mem_grow(&g->fronts, &g->front_capacity, number + 1, sizeof *g->fronts)) {
        g->status = MECH_ERR_MEMORY;
        return;
    }
    g->fronts[number] = (graph_front){f->size, f->size + f->rows + 1, plan_front_cost(f), 0};
    g->front_count = number + 1;
    const graph_ref all = put_entries(g, f, number, slots);
    const graph_ref done = graph_intern(g, (graph_value){.op = GRAPH_FRONT, .stage = 1, .a = all, .c = number});
    graph_front *to = &g->fronts[number];
    to->done = done;
    uint32_t out = op->out;
    for (uint32_t column = f->size; column + 1 < to->all; column++)
        for (uint32_t row = column; row < to->all; row++)
            slots[out++] = take(g, done, number, front_place(to, row, column));
}

void graph_solve_front(graph *g, const plan *p, const plan_op *op, size_t first, graph_ref *slots)
{
    const plan_front *f = &p->fronts[op->a];
    const uint32_t number = (uint32_t)(first + op->a);
    const graph_front *to = &g->fronts[number];
    entry *list = mem_alloc((f->rows + 1) * sizeof *list);
    if (!list) {
        g->status = MECH_ERR_MEMORY;
        return;
    }
    /* [M A'; A 0]: the coordinates feel A' lambda on the other side. */
    for (uint32_t i = 0; i < f->rows; i++)
        list[i] = (entry){graph_negative(value_at(g, slots, f->lambda[i])), front_solution(to) + f->rows - i};
    list[f->rows] = (entry){graph_constant(g, -1), front_solution(to)};
    const graph_ref after = put_all(g, number, list, f->rows + 1, to->done);
    mem_free(list);
    const graph_ref done = graph_intern(g, (graph_value){.op = GRAPH_BACK, .stage = 1, .a = after, .c = number});
    for (uint32_t i = 0; i < f->size; i++)
        slots[op->out + i] = take(g, done, number, front_solution(to) + to->all - 1 - i);
}
