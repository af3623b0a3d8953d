/* How the operands of a loop move from turn to turn: not at all, by equal steps, or as a table says. */
#include "compile/shapes_room.h"

#include "base/mem.h"
#include "base/try.h"

#include <string.h>

static uint32_t at(const shapes_loop *l, size_t turn, size_t cell) { return l->grid[turn * l->width + cell]; }

static int add_number(shapes *s, uint32_t place, uint32_t value)
{
    if (!mem_grow(&s->numbers, &s->number_capacity, s->number_count + 1, sizeof *s->numbers)) return 0;
    s->numbers[s->number_count++] = (shapes_number){place, value};
    return 1;
}

/* Numbers that differ from turn to turn stand in k. */
static mech_status place_numbers(shapes *s, shapes_loop *l, size_t cell)
{
    size_t numbers = 0, same = 0;
    for (size_t i = 0; i < l->turns; i++) {
        numbers += (at(l, i, cell) & SHAPES_NUMBER) != 0;
        same += at(l, i, cell) == at(l, 0, cell);
    }
    if (numbers == 0 || same == l->turns) return MECH_OK;
    const int is_all = numbers == l->turns;
    const uint32_t first = is_all ? shapes_take(&s->kept_count, l->turns) : 0;
    for (size_t i = 0; i < l->turns; i++) {
        uint32_t *address = &l->grid[i * l->width + cell];
        if (!(*address & SHAPES_NUMBER)) continue;
        const uint32_t value = *address - SHAPES_NUMBER;
        if (!is_all && s->number_at[value]) {
            *address = s->number_at[value] - 1;
            continue;
        }
        *address = is_all ? first + (uint32_t)i : (uint32_t)s->kept_count++;
        if (!is_all) s->number_at[value] = *address + 1;
        if (!add_number(s, *address, value)) return MECH_ERR_MEMORY;
    }
    return MECH_OK;
}

static int steps_alike(const shapes_loop *l, size_t x, size_t y)
{
    const uint32_t distance = at(l, 0, x) - at(l, 0, y);
    for (size_t i = 1; i < l->turns; i++)
        if (at(l, i, x) - at(l, i, y) != distance) return 0;
    return 1;
}

static int is_affine(const shapes_loop *l, size_t cell)
{
    const uint32_t step = l->turns > 1 ? at(l, 1, cell) - at(l, 0, cell) : 0;
    for (size_t i = 2; i < l->turns; i++)
        if (at(l, i, cell) - at(l, i - 1, cell) != step) return 0;
    return 1;
}

static void classify(shapes_loop *l, size_t cell)
{
    shapes_column *c = &l->columns[cell];
    *c = (shapes_column){.kind = COLUMN_TABLE, .array = cell_index(l->cells[cell].what), .base = at(l, 0, cell)};
    if (is_affine(l, cell)) {
        c->stride = l->turns > 1 ? (int32_t)(at(l, 1, cell) - at(l, 0, cell)) : 0;
        c->kind = c->base & SHAPES_NUMBER ? COLUMN_NUMBER : c->stride ? COLUMN_AFFINE : COLUMN_FIXED;
        if (c->kind == COLUMN_NUMBER) c->base -= SHAPES_NUMBER;
    }
}

/* Columns with the same steps share a table. */
static void find_tables(shapes_loop *l)
{
    for (size_t cell = 0; cell < l->width; cell++) {
        const uint32_t kind = cell_kind(l->cells[cell].what);
        shapes_column *c = &l->columns[cell];
        if ((kind != CELL_EXTERNAL && kind != CELL_OUTPUT) || c->kind != COLUMN_TABLE) continue;
        while (c->table < l->table_count && !steps_alike(l, l->tables[c->table], cell)) c->table++;
        if (c->table == l->table_count) l->tables[l->table_count++] = (uint32_t)cell;
    }
}

static mech_status fill_grid(shapes *s, shapes_loop *l)
{
    for (size_t i = 0; i < l->turns; i++)
        for (size_t stream = 0; stream < l->streams; stream++) {
            const size_t count = shapes_describe(s, l->items[i * l->streams + stream], s->cells);
            for (size_t k = 0; k < count; k++) l->grid[i * l->width + l->start[stream] + k] = s->cells[k].address;
            if (i == 0) memcpy(l->cells + l->start[stream], s->cells, count * sizeof *s->cells);
        }
    for (size_t cell = 0; cell < l->width; cell++) {
        const uint32_t kind = cell_kind(l->cells[cell].what);
        if (kind != CELL_EXTERNAL && kind != CELL_OUTPUT) continue;
        MECH_TRY(place_numbers(s, l, cell));
        classify(l, cell);
    }
    MECH_TRY(shapes_carry(s, l));
    find_tables(l);
    return s->status;
}

mech_status shapes_measure(shapes *s, shapes_loop *l)
{
    l->start = mem_zeroed(l->streams + 1, sizeof *l->start);
    if (!l->start) return MECH_ERR_MEMORY;
    for (size_t stream = 0; stream < l->streams; stream++)
        l->start[stream + 1] = l->start[stream] + shapes_describe(s, l->items[stream], s->cells);
    l->width = l->start[l->streams];
    l->grid = mem_zeroed(l->turns * l->width + 1, sizeof *l->grid);
    l->cells = mem_zeroed(l->width + 1, sizeof *l->cells);
    l->columns = mem_zeroed(l->width + 1, sizeof *l->columns);
    l->tables = mem_zeroed(l->width + 1, sizeof *l->tables);
    l->tied = mem_zeroed(l->width + 1, sizeof *l->tied);
    l->carried = mem_zeroed(l->width + 1, sizeof *l->carried);
    l->store = mem_zeroed(l->width + 1, sizeof *l->store);
    if (!l->grid || !l->cells || !l->columns || !l->tables || !l->tied || !l->carried || !l->store)
        return MECH_ERR_MEMORY;
    return fill_grid(s, l);
}

mech_status shapes_try(shapes *s, shapes_loop *l)
{
    const size_t work = s->work_count, kept = s->kept_count, source = s->source_count, numbers = s->number_count;
    s->is_trial = 1;
    mech_status status = shapes_place(s, l);
    if (status == MECH_OK) status = shapes_measure(s, l);
    for (size_t i = numbers; i < s->number_count; i++) {
        uint32_t *known = &s->number_at[s->numbers[i].value];
        if (*known == s->numbers[i].at + 1) *known = 0;
    }
    s->is_trial = 0;
    s->work_count = work;
    s->kept_count = kept;
    s->source_count = source;
    s->number_count = numbers;
    return status;
}

void shapes_loop_free(shapes_loop *l)
{
    mem_free(l->direction);
    mem_free(l->start);
    mem_free(l->grid);
    mem_free(l->cells);
    mem_free(l->columns);
    mem_free(l->tables);
    mem_free(l->tied);
    mem_free(l->carried);
    mem_free(l->store);
    *l = (shapes_loop){.items = l->items, .streams = l->streams, .turns = l->turns, .is_free = l->is_free};
}
