/* Where results are put: an array for each operation of a loop, used again when nothing reads it any more, so
   that the work stays in the cache. */
#include "compile/shapes_room.h"

#include "base/mem.h"
#include "base/try.h"

enum { LINE = 8 }; /* doubles in a line of the cache */

static uint32_t lines_for(size_t turns)
{
    /* an odd number of lines, so that many arrays do not meet in one set of the cache */
    return turns < LINE ? 0 : (uint32_t)((turns + LINE - 1) / LINE | 1);
}

uint32_t shapes_take(size_t *count, size_t turns)
{
    const uint32_t lines = lines_for(turns);
    const size_t first = lines ? (*count + LINE - 1) / LINE * LINE : *count;
    *count = first + (lines ? lines * (size_t)LINE : turns);
    return (uint32_t)first;
}

/* ---- arrays used again ---- */

static int find_free(shapes *s, uint32_t lines, uint32_t *first)
{
    for (size_t i = s->free_count; lines && i-- > 0;) {
        if (s->ranges[s->free_ranges[i]].lines != lines) continue;
        *first = s->ranges[s->free_ranges[i]].first;
        s->free_ranges[i] = s->free_ranges[--s->free_count];
        return 1;
    }
    return 0;
}

static mech_status take_array(shapes *s, size_t turns, uint32_t *first)
{
    const uint32_t lines = s->stage ? lines_for(turns) : 0;
    const uint32_t source = (uint32_t)++s->source_count;
    if (!mem_grow(&s->ranges, &s->range_capacity, s->source_count + 1, sizeof *s->ranges)) return MECH_ERR_MEMORY;
    if (s->is_trial || !find_free(s, lines, first))
        *first = shapes_take(s->stage ? &s->work_count : &s->kept_count, turns);
    s->ranges[source] = (shapes_range){*first, lines, 0};
    return MECH_OK;
}

static mech_status read_once(shapes *s, uint32_t value)
{
    const uint32_t source = s->source[value];
    shapes_range *r = &s->ranges[source];
    if (s->g->values[value].stage != s->stage || source == 0 || r->reads == 0 || --r->reads > 0) return MECH_OK;
    if (!mem_grow(&s->free_ranges, &s->free_capacity, s->free_count + 1, sizeof *s->free_ranges))
        return MECH_ERR_MEMORY;
    if (r->lines) s->free_ranges[s->free_count++] = source;
    return MECH_OK;
}

mech_status shapes_give_back(shapes *s, const shapes_loop *l)
{
    for (size_t i = 0; s->stage == 1 && i < l->turns * l->streams; i++) {
        const size_t count = shapes_describe(s, l->items[i], s->cells);
        for (size_t k = 0; k < count; k++)
            if (cell_kind(s->cells[k].what) == CELL_EXTERNAL) MECH_TRY(read_once(s, s->cells[k].value));
    }
    return MECH_OK;
}

/* ---- the results of a loop ---- */

static uint32_t value_at(const shapes *s, const shapes_loop *l, size_t turn, size_t stream, uint32_t op)
{
    return s->ops[s->items[l->items[turn * l->streams + stream]].first + op];
}

static int is_stored(const shapes *s, const shapes_loop *l, size_t stream, uint32_t op)
{
    for (size_t i = 0; i < l->turns; i++) {
        const uint32_t value = value_at(s, l, i, stream, op);
        if (!(value & SHAPES_COPIED) && s->stored[value]) return 1;
    }
    return 0;
}

/* -1 where most of what a stream reads from earlier work runs backwards: its results then stand as that does.
 */
static int direction_of(shapes *s, const shapes_loop *l, size_t stream)
{
    if (l->turns < 3) return 1;
    const uint32_t first = l->items[l->streams + stream], second = l->items[2 * l->streams + stream];
    const size_t count = shapes_describe(s, first, s->cells);
    long long sum = 0;
    (void)shapes_describe(s, second, s->other);
    for (size_t k = 0; k < count; k++) {
        const uint32_t x = s->cells[k].address, y = s->other[k].address;
        if (cell_kind(s->cells[k].what) != CELL_EXTERNAL || ((x | y) & SHAPES_NUMBER)) continue;
        const uint32_t owner = s->owner[s->cells[k].value];
        if (owner && s->items[owner].phase == s->items[first].phase) continue;
        sum += (y > x) - (y < x);
    }
    return sum < 0 ? -1 : 1;
}

static mech_status place_op(shapes *s, const shapes_loop *l, size_t stream, uint32_t op)
{
    uint32_t first;
    MECH_TRY(take_array(s, l->turns, &first));
    for (size_t i = 0; i < l->turns; i++) {
        const uint32_t value = value_at(s, l, i, stream, op);
        s->where[value] = first + (uint32_t)(l->direction[stream] > 0 ? i : l->turns - 1 - i);
        s->source[value] = (uint32_t)s->source_count;
        s->stored[value] = 1;
        s->ranges[s->source_count].reads += s->reads[value];
    }
    return MECH_OK;
}

mech_status shapes_place(shapes *s, shapes_loop *l)
{
    l->direction = mem_zeroed(l->streams, sizeof *l->direction);
    if (!l->direction) return MECH_ERR_MEMORY;
    for (size_t stream = 0; stream < l->streams; stream++) {
        const uint32_t ops = s->items[l->items[stream]].count;
        l->direction[stream] = direction_of(s, l, stream);
        for (uint32_t op = 0; op < ops; op++)
            if (is_stored(s, l, stream, op)) MECH_TRY(place_op(s, l, stream, op));
    }
    return MECH_OK;
}
