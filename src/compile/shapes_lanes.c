/* Whether eight turns of a loop can be done at once. */
#include "compile/shapes_room.h"

static int is_unit(const shapes_column *c) { return c->kind == COLUMN_AFFINE && c->stride == 1; }

static int suits_lanes(const shapes *s, uint32_t value)
{
    const unsigned op = value & SHAPES_COPIED ? GRAPH_NONE : s->g->values[value].op;
    switch (op) {
    case GRAPH_NONE:
    case GRAPH_INPUT:
    case GRAPH_ADD:
    case GRAPH_SUB:
    case GRAPH_MUL:
    case GRAPH_MULADD:
    case GRAPH_MULSUB:
    case GRAPH_INVERSE:
    case GRAPH_DIVIDE:
    case GRAPH_ABS:
    case GRAPH_PIVOT:
    case GRAPH_PIVOT2:
    case GRAPH_INVERT2:
    case GRAPH_PART:
    case GRAPH_GUARD:
    case GRAPH_MONITOR:
    case GRAPH_CLEAR:
    case GRAPH_SIN:
    case GRAPH_COS: return 1;
    default: return 0;
    }
}

int shapes_lanes(const shapes *s, const shapes_loop *l)
{
    int has_angle = 0, is_unit_step = l->turns >= SHAPES_LANES;
    if (!l->is_free || s->stage == 0) return 0;
    for (size_t cell = 0; cell < l->width; cell++) {
        const uint32_t kind = cell_kind(l->cells[cell].what);
        const shapes_column *c = &l->columns[cell];
        if (kind == CELL_HEAD) {
            if (!suits_lanes(s, l->cells[cell].value)) return 0;
            has_angle |= !(l->cells[cell].value & SHAPES_COPIED) && emit_is_angle(&s->g->values[l->cells[cell].value]);
        } else if (kind == CELL_OUTPUT || (kind == CELL_EXTERNAL && c->kind > COLUMN_FIXED)) {
            is_unit_step = is_unit_step && is_unit(c);
        }
    }
    return is_unit_step ? 1 : has_angle ? 2 : 0;
}
