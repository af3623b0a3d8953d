/* In which order to eliminate: least degree, on groups of vertices that have the same neighbours. All groups
   of the least degree that are not next to one another go in one round, before degrees are found anew (Liu's
   multiple minimum degree): a chain is taken from both ends, and what does not depend on one another stays
   together. */
#include "fundamental/plan.h"

#include "base/mem.h"
#include "base/try.h"

#include <stdlib.h>
#include <string.h>

typedef struct set { /* neighbours of a group, without order */
    uint32_t *items;
    size_t count, capacity;
} set;

typedef struct ordering {
    const plan_graph *graph;
    uint32_t *group;   /* (count) the group a vertex belongs to                  */
    uint32_t *weight;  /* (groups) vertices in it                                */
    set *near;         /* (groups)                                               */
    uint32_t *degree;  /* (groups) vertices next to it                           */
    uint32_t *waiting; /* (groups) next to one that went in this round          */
    unsigned char *waits;
    uint32_t *height; /* (groups) the longest way to it from a leaf of the tree of elimination */
    size_t waiting_count;
    uint32_t *mark, stamp;
    uint32_t *heap, *at; /* groups by (degree, index), and where each stands       */
    size_t groups, heap_count;
} ordering;

/* ---- groups ---- */

typedef struct signature {
    uint64_t hash;
    uint32_t vertex;
} signature;

static uint64_t mix(uint64_t x)
{
    x = (x + UINT64_C(0x9E3779B97F4A7C15)) * UINT64_C(0xBF58476D1CE4E5B9);
    x ^= x >> 29;
    return x * UINT64_C(0x94D049BB133111EB);
}

static int by_hash(const void *x, const void *y)
{
    const signature *a = x, *b = y;
    if (a->hash != b->hash) return a->hash < b->hash ? -1 : 1;
    return a->vertex < b->vertex ? -1 : a->vertex > b->vertex;
}

/* Closed neighbourhoods of two vertices are equal. */
static int are_alike(ordering *o, uint32_t x, uint32_t y)
{
    const size_t *start = o->graph->start;
    if (start[x + 1] - start[x] != start[y + 1] - start[y]) return 0;
    o->stamp++;
    o->mark[x] = o->stamp;
    for (size_t i = start[x]; i < start[x + 1]; i++) o->mark[o->graph->list[i]] = o->stamp;
    if (o->mark[y] != o->stamp) return 0;
    for (size_t i = start[y]; i < start[y + 1]; i++)
        if (o->mark[o->graph->list[i]] != o->stamp) return 0;
    return 1;
}

static mech_status find_groups(ordering *o)
{
    const size_t count = o->graph->count;
    signature *all = mem_alloc((count + 1) * sizeof *all);
    if (!all) return MECH_ERR_MEMORY;
    for (size_t i = 0; i < count; i++) {
        all[i] = (signature){mix(i), (uint32_t)i};
        for (size_t k = o->graph->start[i]; k < o->graph->start[i + 1]; k++) all[i].hash += mix(o->graph->list[k]);
    }
    qsort(all, count, sizeof *all, by_hash);
    /* the group is named by its first vertex, then numbered in the order of vertices */
    for (size_t i = 0; i < count; i++) {
        const int joins =
            i > 0 && all[i].hash == all[i - 1].hash && are_alike(o, o->group[all[i - 1].vertex], all[i].vertex);
        o->group[all[i].vertex] = joins ? o->group[all[i - 1].vertex] : all[i].vertex;
    }
    mem_free(all);
    for (size_t i = 0; i < count; i++) {
        const uint32_t first = o->group[i]; /* the smallest vertex: its number is known by now */
        o->group[i] = first == i ? (uint32_t)o->groups++ : o->group[first];
        o->weight[o->group[i]]++;
    }
    return MECH_OK;
}

/* ---- the graph of groups ---- */

static int add_near(set *s, uint32_t item)
{
    if (!mem_grow(&s->items, &s->capacity, s->count + 1, sizeof *s->items)) return 0;
    s->items[s->count++] = item;
    return 1;
}

static mech_status connect(ordering *o)
{
    for (uint32_t i = 0; i < o->graph->count; i++) {
        const uint32_t g = o->group[i];
        if (o->near[g].count) continue; /* its other vertices say the same */
        o->stamp++;
        o->mark[g] = o->stamp;
        for (size_t k = o->graph->start[i]; k < o->graph->start[i + 1]; k++) {
            const uint32_t other = o->group[o->graph->list[k]];
            if (o->mark[other] == o->stamp) continue;
            o->mark[other] = o->stamp;
            if (!add_near(&o->near[g], other)) return MECH_ERR_MEMORY;
            o->degree[g] += o->weight[other];
        }
    }
    return MECH_OK;
}

/* ---- a heap of groups by degree ---- */

static int comes_first(const ordering *o, uint32_t x, uint32_t y)
{
    return o->degree[x] != o->degree[y] ? o->degree[x] < o->degree[y] : x < y;
}

static void set_at(ordering *o, size_t place, uint32_t g)
{
    o->heap[place] = g;
    o->at[g] = (uint32_t)place;
}

static void sift(ordering *o, uint32_t g)
{
    size_t place = o->at[g];
    while (place > 0 && comes_first(o, g, o->heap[(place - 1) / 2])) {
        set_at(o, place, o->heap[(place - 1) / 2]);
        place = (place - 1) / 2;
    }
    for (size_t child; (child = 2 * place + 1) < o->heap_count; place = child) {
        if (child + 1 < o->heap_count && comes_first(o, o->heap[child + 1], o->heap[child])) child++;
        if (!comes_first(o, o->heap[child], g)) break;
        set_at(o, place, o->heap[child]);
    }
    set_at(o, place, g);
}

static void insert(ordering *o, uint32_t g)
{
    set_at(o, o->heap_count++, g);
    sift(o, g);
}

static void take_out(ordering *o, uint32_t g)
{
    const size_t place = o->at[g];
    const uint32_t last = o->heap[--o->heap_count];
    if (last == g) return;
    set_at(o, place, last);
    sift(o, last);
}

static uint32_t take_first(ordering *o)
{
    const uint32_t g = o->heap[0];
    take_out(o, g);
    o->weight[g] = 0; /* gone */
    return g;
}

/* All neighbours of an eliminated group become neighbours of one another. */
static mech_status join(ordering *o, uint32_t gone)
{
    const set *clique = &o->near[gone];
    for (size_t k = 0; k < clique->count; k++) {
        const uint32_t g = clique->items[k];
        if (o->weight[g] == 0) continue;
        set *own = &o->near[g];
        size_t kept = 0;
        o->stamp++;
        o->mark[g] = o->stamp;
        if (o->height[g] <= o->height[gone]) o->height[g] = o->height[gone] + 1;
        if (!o->waits[g]) {
            take_out(o, g);
            o->waits[g] = 1;
            o->waiting[o->waiting_count++] = g;
        }
        o->degree[g] = 0;
        for (size_t i = 0; i < own->count; i++) {
            const uint32_t other = own->items[i];
            if (o->weight[other] == 0) continue;
            own->items[kept++] = other;
            o->mark[other] = o->stamp;
            o->degree[g] += o->weight[other];
        }
        own->count = kept;
        for (size_t i = 0; i < clique->count; i++) {
            const uint32_t other = clique->items[i];
            if (o->weight[other] == 0 || o->mark[other] == o->stamp) continue;
            if (!add_near(own, other)) return MECH_ERR_MEMORY;
            o->degree[g] += o->weight[other];
        }
    }
    return MECH_OK;
}

static void start_round(ordering *o)
{
    for (size_t i = 0; i < o->waiting_count; i++) {
        o->waits[o->waiting[i]] = 0;
        insert(o, o->waiting[i]);
    }
    o->waiting_count = 0;
}

/* The same elimination, those that depend on the fewest others first. */
static mech_status sort_by_height(const ordering *o, uint32_t *sequence)
{
    uint32_t *start = mem_zeroed(o->groups + 2, sizeof *start), *sorted = mem_alloc((o->groups + 1) * sizeof *sorted);
    if (start && sorted) {
        for (size_t k = 0; k < o->groups; k++) start[o->height[sequence[k]] + 1]++;
        for (size_t k = 0; k < o->groups; k++) start[k + 1] += start[k];
        for (size_t k = 0; k < o->groups; k++) sorted[start[o->height[sequence[k]]]++] = sequence[k];
        memcpy(sequence, sorted, o->groups * sizeof *sorted);
    }
    const mech_status status = start && sorted ? MECH_OK : MECH_ERR_MEMORY;
    mem_free(start);
    mem_free(sorted);
    return status;
}

/* ---- vertices by the order of their groups ---- */

static mech_status list_vertices(const ordering *o, const uint32_t *sequence, uint32_t *order, unsigned char *pair)
{
    const size_t count = o->graph->count;
    uint32_t *start = mem_zeroed(o->groups + 1, sizeof *start), *rank = mem_alloc((o->groups + 1) * sizeof *rank);
    if (start && rank) {
        for (size_t k = 0; k < o->groups; k++) rank[sequence[k]] = (uint32_t)k;
        for (size_t i = 0; i < count; i++) start[rank[o->group[i]] + 1]++;
        for (size_t k = 0; k < o->groups; k++) start[k + 1] += start[k];
        memset(pair, 0, count);
        for (size_t k = 0; k < o->groups; k++)
            for (size_t i = start[k]; i + 1 < start[k + 1]; i += 2) pair[i] = 1;
        for (size_t i = 0; i < count; i++) order[start[rank[o->group[i]]]++] = (uint32_t)i;
    }
    const mech_status status = start && rank ? MECH_OK : MECH_ERR_MEMORY;
    mem_free(start);
    mem_free(rank);
    return status;
}

static mech_status order_groups(ordering *o, uint32_t *sequence)
{
    MECH_TRY(find_groups(o));
    MECH_TRY(connect(o));
    for (uint32_t g = 0; g < o->groups; g++) insert(o, g);
    uint32_t degree = 0;
    for (size_t k = 0; k < o->groups; k++) {
        if (o->heap_count == 0 || o->degree[o->heap[0]] > degree) {
            start_round(o);
            degree = o->degree[o->heap[0]];
        }
        sequence[k] = take_first(o);
        MECH_TRY(join(o, sequence[k]));
        mem_free(o->near[sequence[k]].items);
        o->near[sequence[k]] = (set){0};
    }
    return sort_by_height(o, sequence);
}

mech_status plan_order(const plan_graph *graph, uint32_t *order, unsigned char *pair)
{
    const size_t count = graph->count ? graph->count : 1;
    ordering o = {.graph = graph};
    o.group = mem_zeroed(count, sizeof *o.group);
    o.weight = mem_zeroed(count, sizeof *o.weight);
    o.near = mem_zeroed(count, sizeof *o.near);
    o.degree = mem_zeroed(count, sizeof *o.degree);
    o.waiting = mem_zeroed(count, sizeof *o.waiting);
    o.waits = mem_zeroed(count, 1);
    o.height = mem_zeroed(count, sizeof *o.height);
    o.mark = mem_zeroed(count, sizeof *o.mark);
    o.heap = mem_zeroed(count, sizeof *o.heap);
    o.at = mem_zeroed(count, sizeof *o.at);
    uint32_t *sequence = mem_zeroed(count, sizeof *sequence);
    mech_status status = MECH_ERR_MEMORY;
    if (o.group && o.weight && o.near && o.degree && o.waiting && o.waits && o.height && o.mark && o.heap && o.at &&
        sequence)
        status = order_groups(&o, sequence);
    if (status == MECH_OK) status = list_vertices(&o, sequence, order, pair);
    for (size_t g = 0; o.near && g < count; g++) mem_free(o.near[g].items);
    mem_free(o.group);
    mem_free(o.weight);
    mem_free(o.near);
    mem_free(o.degree);
    mem_free(o.waiting);
    mem_free(o.waits);
    mem_free(o.height);
    mem_free(o.mark);
    mem_free(o.heap);
    mem_free(o.at);
    mem_free(sequence);
    return status;
}
