/* Results that a loop itself reads, in the same turn or the next one, stay in variables; those that nobody
   else reads are not stored. */
#include "compile/shapes_room.h"

#include "base/mem.h"

typedef struct made { /* a result of the loop */
    uint32_t address; /* in the first turn */
    uint32_t stream, position;
    size_t head; /* its cell */
} made;

static uint32_t at(const shapes_loop *l, size_t turn, size_t cell) { return l->grid[turn * l->width + cell]; }

/* In turn i + lag it is the result of turn i. */
static int follows(const shapes_loop *l, size_t cell, const made *m, size_t lag)
{
    uint32_t address = m->address;
    for (size_t i = lag; i < l->turns; i++, address += (uint32_t)l->direction[m->stream])
        if (at(l, i, cell) != address) return 0;
    return 1;
}

static void tie(shapes_loop *l, size_t cell, const made *all, size_t count)
{
    shapes_column *c = &l->columns[cell];
    for (size_t k = 0; k < count; k++) {
        const made *m = &all[k];
        const int is_here = m->head < cell && m->address == at(l, 0, cell) && follows(l, cell, m, 0);
        const int is_next = !is_here && l->turns > 2 && m->address == at(l, 1, cell) && follows(l, cell, m, 1);
        if (!is_here && !is_next) continue;
        *c = (shapes_column){.kind = is_here ? COLUMN_HERE : COLUMN_CARRIED,
                             .array = c->array,
                             .base = c->base,
                             .stream = m->stream,
                             .position = m->position};
        l->tied[m->head] += 1;
        if (is_next) l->carried[m->head] = cell + 1;
        return;
    }
}

/* 1 when the last turn itself reads its own result as an operand that usually is another one. */
static int is_read_at_once(const shapes *s, const shapes_loop *l, uint32_t value)
{
    for (size_t cell = 0; cell < l->width; cell++) {
        const shapes_column *c = &l->columns[cell];
        if (cell_kind(l->cells[cell].what) == CELL_EXTERNAL && c->array == ARRAY_WORK &&
            (c->kind == COLUMN_TABLE || c->kind == COLUMN_AFFINE) && at(l, l->turns - 1, cell) == s->where[value])
            return 1;
    }
    return 0;
}

/* What the loop does not take itself is stored: always, or only the last. */
static void decide(const shapes *s, shapes_loop *l, size_t head, uint32_t stream, uint32_t position)
{
    size_t others = 0;
    for (size_t i = 0; i + 1 < l->turns && others == 0; i++) {
        const uint32_t value = s->ops[s->items[l->items[i * l->streams + stream]].first + position];
        others += s->reads[value] > l->tied[head];
    }
    const size_t end = (l->turns - 1) * l->streams + stream;
    const uint32_t last = s->ops[s->items[l->items[end]].first + position];
    if (others) return;
    if (l->carried[head]) l->store[head] = is_read_at_once(s, l, last) ? STORE_EACH : STORE_LAST;
    else if (l->tied[head] && s->reads[last] <= l->tied[head]) l->store[head] = STORE_NEVER;
}

mech_status shapes_carry(const shapes *s, shapes_loop *l)
{
    size_t count = 0;
    const uint32_t array = s->stage ? ARRAY_WORK : ARRAY_KEPT;
    made *all = mem_zeroed(l->width + 1, sizeof *all);
    if (!all) return MECH_ERR_MEMORY;
    for (uint32_t stream = 0; stream < l->streams; stream++) {
        uint32_t position = 0;
        for (size_t cell = l->start[stream]; cell < l->start[stream + 1]; cell++) {
            const uint32_t id = l->cells[cell].value;
            if (cell_kind(l->cells[cell].what) != CELL_HEAD) continue;
            if (!(id & SHAPES_COPIED) && s->stored[id]) all[count++] = (made){s->where[id], stream, position, cell};
            position++;
        }
    }
    for (size_t cell = 0; cell < l->width; cell++) {
        const uint32_t what = l->cells[cell].what;
        if (cell_kind(what) == CELL_EXTERNAL && cell_index(what) == array && l->columns[cell].array == array)
            tie(l, cell, all, count);
    }
    for (size_t k = 0; s->stage == 1 && k < count; k++) decide(s, l, all[k].head, all[k].stream, all[k].position);
    mem_free(all);
    return MECH_OK;
}
