/* The order of work: items of one shape at one level together, and along chains of dependence the sequence of
   shapes that repeats. */
#include "compile/shapes_room.h"

#include "base/mem.h"
#include "base/try.h"

#include <stdlib.h>
#include <string.h>

enum { FEW = 4, FAMILY = 8, CHUNK = 300, LONGEST_PERIOD = 24 };

typedef struct order {
    shapes *s;
    uint32_t *all; /* items by phase, level, shape */
    size_t count;
    uint32_t *single; /* items that are no loop, waiting to be written */
    size_t single_count;
    uint32_t *turned; /* room for the items of a loop */
    uint64_t *keys;   /* room for families            */
} order;

static mech_status write_loop(order *o, const uint32_t *items, size_t streams, size_t turns, int is_free)
{
    shapes_loop loop = {.items = items, .streams = streams, .turns = turns, .is_free = is_free};
    mech_status status = shapes_place(o->s, &loop);
    if (status == MECH_OK) status = shapes_measure(o->s, &loop);
    if (status == MECH_OK) shapes_write(o->s, &loop);
    if (status == MECH_OK) status = shapes_give_back(o->s, &loop);
    shapes_loop_free(&loop);
    return status;
}

/* What is no loop is one turn of many streams. */
static mech_status write_singles(order *o)
{
    for (size_t first = 0, next; first < o->single_count; first = next) {
        size_t ops = 0;
        for (next = first; next < o->single_count && ops < CHUNK; next++) ops += o->s->items[o->single[next]].count;
        MECH_TRY(write_loop(o, o->single + first, next - first, 1, 0));
    }
    o->single_count = 0;
    return MECH_OK;
}

/* ---- items that do not depend on one another ---- */

static uint64_t mix(uint64_t h, uint64_t x)
{
    h = (h ^ x) * UINT64_C(0xBF58476D1CE4E5B9);
    return h ^ h >> 29;
}

/* 1 when more than half of the items have the same operand there: then the others are exceptions. */
static int is_common(const shapes_loop *l, size_t cell)
{
    uint32_t candidate = 0;
    size_t votes = 0, same = 0;
    for (size_t i = 0; i < l->turns; i++) {
        const uint32_t address = l->grid[i * l->width + cell];
        if (votes == 0) candidate = address;
        votes = address == candidate ? votes + 1 : votes - 1;
    }
    for (size_t i = 0; i < l->turns; i++) same += l->grid[i * l->width + cell] == candidate;
    return 2 * same > l->turns;
}

/* Two items belong to a family when their operands come from the same arrays of results and are equally far
   apart. */
static uint64_t family_of(order *o, const shapes_loop *l, size_t i, const unsigned char *way)
{
    uint32_t first[SHAPES_ARRAYS] = {0}, known = 0;
    uint64_t key = 1;
    (void)shapes_describe(o->s, l->items[i], o->s->cells);
    for (size_t cell = 0; cell < l->width; cell++) {
        const uint32_t array = l->columns[cell].array, address = l->grid[i * l->width + cell];
        if (way[cell] == 0) continue;
        if (way[cell] == 2) {
            key = mix(key, address);
            continue;
        }
        if (!(known >> array & 1u)) first[array] = address;
        known |= 1u << array;
        key = mix(mix(key, o->s->source[o->s->cells[cell].value]), address - first[array]);
    }
    return key;
}

static mech_status find_families(order *o, const uint32_t *items, size_t count)
{
    shapes_loop loop = {.items = items, .streams = 1, .turns = count};
    mech_status status = shapes_try(o->s, &loop);
    unsigned char *way = mem_zeroed(loop.width + 1, 1); /* 0: all alike, 1: by distance, 2: by place */
    if (!way) status = MECH_ERR_MEMORY;
    for (size_t cell = 0; status == MECH_OK && cell < loop.width; cell++) {
        const uint32_t kind = cell_kind(loop.cells[cell].what);
        if ((kind == CELL_EXTERNAL || kind == CELL_OUTPUT) && loop.columns[cell].kind > COLUMN_FIXED)
            way[cell] = is_common(&loop, cell) ? 2 : loop.cells[cell].address & SHAPES_NUMBER ? 0 : 1;
    }
    for (size_t i = 0; status == MECH_OK && i < count; i++) o->keys[i] = family_of(o, &loop, i, way);
    mem_free(way);
    shapes_loop_free(&loop);
    return status;
}

typedef struct member {
    uint64_t key;
    uint32_t item, place;
} member;

static int by_key(const void *x, const void *y)
{
    const member *a = x, *b = y;
    if (a->key != b->key) return a->key < b->key ? -1 : 1;
    return a->place < b->place ? -1 : a->place > b->place;
}

static int by_place(const void *x, const void *y)
{
    const member *a = x, *b = y;
    return a->place < b->place ? -1 : a->place > b->place;
}

/* Turned around where most operands run backwards. */
static void put_forwards(order *o, uint32_t *items, size_t count)
{
    shapes *s = o->s;
    long long sum = 0;
    const size_t cells = shapes_describe(s, items[0], s->cells);
    (void)shapes_describe(s, items[count - 1], s->other);
    for (size_t k = 0; k < cells; k++) {
        const uint32_t kind = cell_kind(s->cells[k].what), x = s->cells[k].address, y = s->other[k].address;
        if ((kind == CELL_EXTERNAL || kind == CELL_OUTPUT) && !((x | y) & SHAPES_NUMBER)) sum += (y > x) - (y < x);
    }
    for (size_t i = 0; sum < 0 && 2 * i < count - 1; i++) {
        const uint32_t swap = items[i];
        items[i] = items[count - 1 - i];
        items[count - 1 - i] = swap;
    }
}

/* Families as loops of their own, the others in one loop with tables. */
static mech_status write_families(order *o, const uint32_t *items, size_t count, member *all)
{
    size_t rest = 0;
    MECH_TRY(find_families(o, items, count));
    for (size_t i = 0; i < count; i++) all[i] = (member){o->keys[i], items[i], (uint32_t)i};
    qsort(all, count, sizeof *all, by_key);
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i; next < count && all[next].key == all[i].key; next++) o->turned[next - i] = all[next].item;
        if (next - i >= FAMILY) {
            put_forwards(o, o->turned, next - i);
            MECH_TRY(write_loop(o, o->turned, 1, next - i, 1));
        } else
            for (size_t k = i; k < next; k++) all[rest++] = all[k];
    }
    qsort(all, rest, sizeof *all, by_place);
    for (size_t i = 0; i < rest; i++) o->turned[i] = all[i].item;
    if (rest >= FEW || (rest && o->s->items[*o->turned].kind == SHAPES_ANGLE))
        return write_loop(o, o->turned, 1, rest, 1);
    for (size_t i = 0; i < rest; i++) o->single[o->single_count++] = o->turned[i];
    return MECH_OK;
}

static mech_status write_free(order *o, const uint32_t *items, size_t count)
{
    if (count < FEW && o->s->items[*items].kind != SHAPES_ANGLE) {
        memcpy(o->single + o->single_count, items, count * sizeof *items);
        o->single_count += count;
        return MECH_OK;
    }
    member *all = mem_zeroed(count, sizeof *all);
    const mech_status status = all ? write_families(o, items, count, all) : MECH_ERR_MEMORY;
    mem_free(all);
    return status;
}

/* ---- chains ---- */

static int are_alike(const order *o, size_t x, size_t y)
{
    return o->s->items[o->all[x]].shape == o->s->items[o->all[y]].shape;
}

/* Of one shape at one level. */
static int is_together(const order *o, size_t x, size_t y)
{
    return are_alike(o, x, y) && o->s->items[o->all[x]].level == o->s->items[o->all[y]].level;
}

/* How often the shapes from `first` on repeat with this period. */
static size_t repeats(const order *o, size_t first, size_t end, size_t period)
{
    size_t at = first + period;
    while (at < end && are_alike(o, at, at - period)) at++;
    return (at - first) / period;
}

/* Operands that need a table when so many items make a turn; and how many turns need none. */
static mech_status count_tables(order *o, size_t first, size_t period, size_t turns, size_t *tables, size_t *regular)
{
    shapes_loop loop = {.items = o->all + first, .streams = period, .turns = turns};
    const mech_status status = shapes_try(o->s, &loop);
    *tables = 0;
    *regular = turns;
    for (size_t cell = 0; status == MECH_OK && cell < loop.width; cell++) {
        const shapes_column *c = &loop.columns[cell];
        const uint32_t kind = cell_kind(loop.cells[cell].what);
        if ((kind != CELL_EXTERNAL && kind != CELL_OUTPUT) || c->kind != COLUMN_TABLE) continue;
        const uint32_t *at = loop.grid + cell, step = at[loop.width] - at[0];
        size_t i = 2;
        while (i < turns && at[i * loop.width] - at[(i - 1) * loop.width] == step) i++;
        if (i < *regular) *regular = i;
        ++*tables;
    }
    shapes_loop_free(&loop);
    return status;
}

typedef struct period {
    size_t skip, length, turns; /* items before it; items in a turn */
} period;

/* The shapes repeat; how many of them make a turn, and where it begins, is chosen so that operands move by
   equal steps, judged by the first turns. */
static mech_status find_steps(order *o, size_t first, size_t base, size_t total, period *best)
{
    enum { SAMPLE = 12, MOST_SKIPPED = 8 };
    size_t fewest = SIZE_MAX, tables, regular;
    for (size_t length = base; length <= 8 * base && length <= 2 * LONGEST_PERIOD; length += base)
        for (size_t skip = 0; skip <= MOST_SKIPPED; skip++) {
            const size_t turns = total > skip ? (total - skip) / length : 0;
            if (turns < FEW || fewest == 0) continue;
            MECH_TRY(count_tables(o, first + skip, length, turns < SAMPLE ? turns : SAMPLE, &tables, &regular));
            tables = tables * base / length; /* per item */
            if (tables >= fewest) continue;
            fewest = tables;
            *best = (period){skip, length, turns};
        }
    if (fewest == SIZE_MAX) return MECH_OK;
    MECH_TRY(count_tables(o, first + best->skip, best->length, best->turns, &tables, &regular));
    if (tables && regular >= SAMPLE) best->turns = regular;
    return MECH_OK;
}

static mech_status choose_period(order *o, size_t first, size_t end, period *best)
{
    size_t most = 0, base = 1;
    *best = (period){0, 1, 1};
    for (size_t p = 1; p <= LONGEST_PERIOD && first + p <= end; p++) {
        const size_t r = repeats(o, first, end, p);
        if (r < FEW || p * r <= most + most / 16) continue;
        most = p * r;
        base = p;
    }
    return most ? find_steps(o, first, base, most, best) : MECH_OK;
}

static mech_status write_chain(order *o, size_t first, size_t end)
{
    while (first < end) {
        period p;
        MECH_TRY(choose_period(o, first, end, &p));
        const size_t alone = p.turns == 1 ? 1 : p.skip;
        for (size_t i = 0; i < alone; i++) o->single[o->single_count++] = o->all[first++];
        if (p.turns == 1) continue;
        MECH_TRY(write_singles(o));
        MECH_TRY(write_loop(o, o->all + first, p.length, p.turns, 0));
        first += p.length * p.turns;
    }
    return write_singles(o);
}

/* ---- all ---- */

typedef struct place {
    uint32_t phase, level, shape, last, item; /* last: its last operation, in the order of the graph */
} place;

static int by_time(const void *x, const void *y)
{
    const place *a = x, *b = y;
    if (a->phase != b->phase) return a->phase < b->phase ? -1 : 1;
    if (a->level != b->level) return a->level < b->level ? -1 : 1;
    if (a->shape != b->shape) return a->shape < b->shape ? -1 : 1;
    return a->last < b->last ? -1 : a->last > b->last;
}

static mech_status sort_items(order *o)
{
    const shapes *s = o->s;
    place *all = mem_zeroed(s->item_count, sizeof *all);
    if (!all) return MECH_ERR_MEMORY;
    for (uint32_t i = 1; i < s->item_count; i++) {
        const shapes_item *it = &s->items[i];
        if (it->count == 0) continue;
        all[o->count++] = (place){it->phase, it->level, it->shape, s->ops[it->first + it->count - 1], i};
    }
    qsort(all, o->count, sizeof *all, by_time);
    for (size_t i = 0; i < o->count; i++) o->all[i] = all[i].item;
    mem_free(all);
    return MECH_OK;
}

static mech_status write_level(order *o, size_t first, size_t end)
{
    for (size_t i = first, next; i < end; i = next) {
        for (next = i + 1; next < end && are_alike(o, next, i);) next++;
        MECH_TRY(write_free(o, o->all + i, next - i));
    }
    return write_singles(o);
}

/* Where elimination is wide at few levels, these are done as what does not depend on one another. */
static mech_status write_elimination(order *o, size_t first, size_t end)
{
    enum { WIDE = 32, MOST_WIDE = 48 };
    size_t wide = 0, begun = first;
    for (size_t i = first, next; i < end; i = next) {
        for (next = i + 1; next < end && is_together(o, next, i);) next++;
        wide += next - i >= WIDE;
    }
    if (wide > MOST_WIDE) return write_chain(o, first, end);
    for (size_t i = first, next; i < end; i = next) {
        for (next = i + 1; next < end && is_together(o, next, i);) next++;
        if (next - i < WIDE) continue;
        /* what stands before it at its level does not matter to it, but earlier levels do */
        MECH_TRY(write_chain(o, begun, i));
        MECH_TRY(write_free(o, o->all + i, next - i));
        MECH_TRY(write_singles(o));
        begun = next;
    }
    return write_chain(o, begun, end);
}

static mech_status write_all(order *o)
{
    const shapes_item *items = o->s->items;
    MECH_TRY(sort_items(o));
    for (size_t i = 0, next; i < o->count; i = next) {
        const uint8_t phase = items[o->all[i]].phase;
        const int is_chain = phase == SHAPES_FORWARD || phase == SHAPES_BACKWARD;
        const uint32_t level = items[o->all[i]].level;
        for (next = i; next < o->count; next++) {
            const shapes_item *it = &items[o->all[next]];
            if (it->phase != phase || (!is_chain && it->level != level)) break;
        }
        MECH_TRY(is_chain ? write_elimination(o, i, next) : write_level(o, i, next));
    }
    return o->s->status;
}

mech_status shapes_schedule(shapes *s)
{
    order o = {.s = s};
    o.all = mem_zeroed(s->item_count, sizeof *o.all);
    o.single = mem_zeroed(s->item_count, sizeof *o.single);
    o.turned = mem_zeroed(s->item_count, sizeof *o.turned);
    o.keys = mem_zeroed(s->item_count, sizeof *o.keys);
    mech_status status = MECH_ERR_MEMORY;
    if (o.all && o.single && o.turned && o.keys) status = write_all(&o);
    mem_free(o.all);
    mem_free(o.single);
    mem_free(o.turned);
    mem_free(o.keys);
    return status;
}
