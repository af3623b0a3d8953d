/* Items alike: the same operations on operands of the same kind, whatever the operands are. */
#include "compile/shapes_room.h"

#include "base/mem.h"
#include "base/try.h"

#include <string.h>

uint32_t shapes_array(shapes *s, const emit_place *place)
{
    const char *name = place->array;
    for (size_t i = 0; i < s->array_count; i++)
        if (strcmp(s->arrays[i], name) == 0) return (uint32_t)i;
    if (s->array_count == SHAPES_ARRAYS) {
        s->status = MECH_ERR_LIMIT;
        return 0;
    }
    s->arrays[s->array_count] = name;
    s->is_scalar[s->array_count] = place->index == EMIT_SCALAR;
    return (uint32_t)s->array_count++;
}

/* ---- cells ---- */

/* is_bare: its sign is in the form of the operation. */
static shapes_cell operand_cell(shapes *s, uint32_t item, graph_ref x, int is_bare)
{
    const uint32_t id = graph_id(x), sign = is_bare ? 0 : s->sign[id] ^ (x & 1u);
    const graph_value *v = &s->g->values[id];
    uint32_t array = ARRAY_KEPT, address = s->where[id];
    if (v->stage == s->stage && s->owner[id] == item && v->op != GRAPH_INPUT)
        return (shapes_cell){(uint32_t)CELL_INTERNAL << 28 | s->position[id] << 1 | sign, 0, id};
    if (v->op == GRAPH_CONSTANT) {
        address = SHAPES_NUMBER + id;
    } else if (v->op == GRAPH_INPUT && v->stage == s->stage) {
        const emit_place *place = &s->spec->inputs[v->a];
        array = shapes_array(s, place);
        address = place->index == EMIT_SCALAR ? 0 : place->index;
    } else if (v->stage == 1) {
        array = ARRAY_WORK;
    }
    return (shapes_cell){(uint32_t)CELL_EXTERNAL << 28 | array << 1 | sign, address, id};
}

/* 1 when b should stand before a: then alike items have alike operands in the same place. */
static int is_turned(const shapes *s, const shapes_cell *a, const shapes_cell *b)
{
    if (a->what >> 1 != b->what >> 1) return a->what >> 1 > b->what >> 1;
    const uint32_t from_a = s->source[a->value], from_b = s->source[b->value];
    return from_a != from_b ? from_a > from_b : a->address > b->address;
}

static int is_sum_or_product(unsigned form)
{
    return form == GRAPH_ADD || form == GRAPH_SUB || form == SHAPES_SUB_BACK || form == GRAPH_MUL ||
           form == GRAPH_MULADD || form == SHAPES_SUBMUL;
}

static int commutes(unsigned form)
{
    return form == GRAPH_ADD || form == GRAPH_MUL || form == GRAPH_MULADD || form == SHAPES_SUBMUL;
}

static shapes_cell output_cell(shapes *s, uint32_t output, uint32_t sign)
{
    const emit_place *place = &s->spec->outputs[output];
    return (shapes_cell){(uint32_t)CELL_OUTPUT << 28 | shapes_array(s, place) << 1 | sign,
                         place->index == EMIT_SCALAR ? 0 : place->index, 0};
}

static size_t describe_op(shapes *s, uint32_t item, uint32_t op, shapes_cell *to)
{
    size_t count = 0;
    graph_ref operands[5];
    if (op & SHAPES_COPIED) {
        const uint32_t output = op - SHAPES_COPIED;
        to[count++] = (shapes_cell){GRAPH_NONE, 0, op};
        to[count++] = operand_cell(s, item, s->spec->values[output], 0);
        to[count++] = output_cell(s, output, 0);
        return count;
    }
    const graph_value *v = &s->g->values[op];
    const unsigned form = s->form[op];
    const int is_bare = is_sum_or_product(form), is_back = form == SHAPES_SUB_BACK;
    to[count++] =
        (shapes_cell){(is_back ? (uint32_t)GRAPH_SUB : form) << 1 | (v->op == GRAPH_PART ? v->b << 16 : 0), 0, op};
    if (v->op == GRAPH_INPUT) to[count++] = operand_cell(s, item, 2 * op, 0);
    const int all = graph_operands(v, operands);
    for (int k = 0; k < all; k++) to[count++] = operand_cell(s, item, operands[k], is_bare);
    if (is_back || (commutes(form) && is_turned(s, &to[1], &to[2]))) {
        const shapes_cell swap = to[1];
        to[1] = to[2];
        to[2] = swap;
    }
    if (s->stage == 1 && s->output[op])
        to[count++] = output_cell(s, s->output[op] - 1, (s->spec->values[s->output[op] - 1] & 1u) ^ s->sign[op]);
    return count;
}

size_t shapes_describe(shapes *s, uint32_t item, shapes_cell *to)
{
    const shapes_item *it = &s->items[item];
    size_t count = 0;
    for (uint32_t i = 0; i < it->count; i++) count += describe_op(s, item, s->ops[it->first + i], to + count);
    return count;
}

/* ---- names of shapes ---- */

static uint64_t hash_cells(const shapes_cell *c, size_t count)
{
    uint64_t h = UINT64_C(0x9E3779B97F4A7C15);
    for (size_t i = 0; i < count; i++) {
        h = (h ^ c[i].what) * UINT64_C(0xBF58476D1CE4E5B9);
        h ^= h >> 31;
    }
    return h ^ h >> 17;
}

static int are_alike(shapes *s, uint32_t x, const shapes_cell *y, size_t count)
{
    if (shapes_describe(s, x, s->other) != count) return 0;
    for (size_t i = 0; i < count; i++)
        if (s->other[i].what != y[i].what) return 0;
    return 1;
}

static mech_status enlarge(shapes *s)
{
    const size_t size = s->shape_table_size ? 2 * s->shape_table_size : 1024;
    uint32_t *table = mem_zeroed(size, sizeof *table);
    if (!table) return MECH_ERR_MEMORY;
    mem_free(s->shape_table);
    s->shape_table = table;
    s->shape_table_size = size;
    for (uint32_t k = 1; k < s->shape_count; k++) {
        const size_t count = shapes_describe(s, s->shape_first[k], s->cells);
        size_t at = hash_cells(s->cells, count) & (size - 1);
        while (table[at]) at = (at + 1) & (size - 1);
        table[at] = k;
    }
    return MECH_OK;
}

static mech_status name_item(shapes *s, uint32_t item)
{
    if (2 * (s->shape_count + 1) > s->shape_table_size) MECH_TRY(enlarge(s));
    const size_t count = shapes_describe(s, item, s->cells);
    size_t at = hash_cells(s->cells, count) & (s->shape_table_size - 1);
    while (s->shape_table[at] && !are_alike(s, s->shape_first[s->shape_table[at]], s->cells, count))
        at = (at + 1) & (s->shape_table_size - 1);
    if (!s->shape_table[at]) {
        if (!mem_grow(&s->shape_first, &s->shape_capacity, s->shape_count + 1, sizeof *s->shape_first))
            return MECH_ERR_MEMORY;
        s->shape_first[s->shape_count] = item;
        s->shape_table[at] = (uint32_t)s->shape_count++;
    }
    s->items[item].shape = s->shape_table[at];
    return MECH_OK;
}

mech_status shapes_name(shapes *s)
{
    size_t longest = 1;
    for (size_t i = 1; i < s->item_count; i++)
        if (s->items[i].count > longest) longest = s->items[i].count;
    mem_free(s->cells);
    mem_free(s->other);
    mem_free(s->shape_table);
    s->shape_table = NULL;
    s->shape_table_size = 0;
    s->shape_count = 1;
    s->cell_capacity = 7 * longest;
    s->cells = mem_zeroed(s->cell_capacity, sizeof *s->cells);
    s->other = mem_zeroed(s->cell_capacity, sizeof *s->other);
    if (!s->cells || !s->other) return MECH_ERR_MEMORY;
    if (!mem_grow(&s->shape_first, &s->shape_capacity, 1, sizeof *s->shape_first)) return MECH_ERR_MEMORY;
    for (uint32_t i = 1; i < s->item_count; i++) MECH_TRY(name_item(s, i));
    return s->status;
}
