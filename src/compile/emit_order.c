/* The order of statements: all sines and cosines of one depth together, with what they need, then the order
   in which the graph was made; code that stays in one function is scheduled then. */
#include "compile/emit_room.h"

#include "base/mem.h"
#include "base/try.h"

enum { CHUNK = 300, ALONE = 1500 }; /* statements in a function; and in the only one, while it is small */

/* How many may stay in one function. A card has one, since what passes between functions would go through memory. */
static size_t alone(const emitter *e) { return e->spec->is_card ? SIZE_MAX : ALONE; }

/* ---- what is needed ---- */

static void mark_needed(emitter *e)
{
    const graph *g = e->g;
    for (size_t i = 0; i < e->spec->output_count; i++) e->state[graph_id(e->spec->values[i])] = 1;
    for (size_t i = 0; i < g->guard_count; i++) e->state[g->guards[i]] = 1;
    for (size_t i = g->count; i-- > 1;) {
        graph_ref operands[5];
        if (!e->state[i]) continue;
        const int count = graph_operands(&g->values[i], operands);
        for (int k = 0; k < count; k++) {
            const uint32_t id = graph_id(operands[k]);
            e->state[id] = 1;
            e->at[id].uses++;
        }
    }
    for (size_t i = 1; i < g->count; i++) {
        graph_ref operands[5];
        const graph_value *v = &g->values[i];
        const int count = graph_operands(v, operands);
        for (int k = 0; k < count; k++)
            if (e->depth[graph_id(operands[k])] > e->depth[i]) e->depth[i] = e->depth[graph_id(operands[k])];
        if (emit_is_angle(v) && v->stage == 1) e->depth[i]++;
    }
}

/* What only optional outputs need; sines and cosines come in batches with the others. */
static void mark_late(emitter *e)
{
    const graph *g = e->g;
    const emit_spec *spec = e->spec;
    if (!spec->optional) return;
    for (size_t i = 1; i < g->count; i++) e->late[i] = e->state[i] && !emit_is_angle(&g->values[i]);
    for (size_t i = 0; i < spec->output_count; i++)
        if (i < spec->optional_first || i >= spec->optional_first + spec->optional_count)
            e->late[graph_id(spec->values[i])] = 0;
    for (size_t i = 0; i < g->guard_count; i++) e->late[g->guards[i]] = 0;
    for (size_t i = g->count; i-- > 1;) {
        graph_ref operands[5];
        if (!e->state[i] || e->late[i]) continue;
        const int count = graph_operands(&g->values[i], operands);
        for (int k = 0; k < count; k++) e->late[graph_id(operands[k])] = 0;
    }
}

/* k[] for what the second stage takes from the first */
static void number_kept(emitter *e)
{
    const graph *g = e->g;
    for (size_t i = 1; i < g->count; i++) e->at[i].kept = e->at[i].work = EMIT_NONE;
    for (size_t i = 1; i < g->count; i++) {
        graph_ref operands[5];
        if (!e->state[i] || g->values[i].stage == 0) continue;
        const int count = graph_operands(&g->values[i], operands);
        for (int k = 0; k < count; k++) {
            const uint32_t id = graph_id(operands[k]);
            if (g->values[id].stage == 0 && g->values[id].op != GRAPH_CONSTANT && e->at[id].kept == EMIT_NONE)
                e->at[id].kept = (uint32_t)e->kept_count++;
        }
    }
    for (size_t i = 0; i < e->spec->output_count; i++) {
        const uint32_t id = graph_id(e->spec->values[i]);
        if (g->values[id].stage == 0 && g->values[id].op != GRAPH_CONSTANT && e->at[id].kept == EMIT_NONE)
            e->at[id].kept = (uint32_t)e->kept_count++;
    }
}

void emit_mark(emitter *e)
{
    mark_needed(e);
    mark_late(e);
    number_kept(e);
}

/* ---- order ---- */

static uint32_t item_of(const emitter *e, uint32_t id)
{
    return emit_twin_of(e, id) ? EMIT_TWIN + e->twin_of[id] - 1 : id;
}

static void append(emitter *e, uint32_t id)
{
    const emit_twin *t = emit_twin_of(e, id);
    e->order[e->order_count++] = item_of(e, id);
    e->state[id] = 2;
    if (t) e->state[t->value[0]] = e->state[t->value[1]] = 2;
    if (!emit_is_pair(emit_value(e, id))) return;
    for (uint32_t part = 1; part <= 3; part++) { /* the parts of a pair follow it, in the graph and here */
        if (e->state[id + part] == 1) e->order[e->order_count++] = id + part;
        e->state[id + part] = 2;
    }
}

static void visit(emitter *e, uint32_t root)
{
    size_t top = 0;
    e->stack[top++] = root;
    while (top) {
        const uint32_t id = e->stack[top - 1];
        const graph_value *v = emit_value(e, id);
        uint32_t used[EMIT_LANES];
        size_t before = top;
        if (e->state[id] == 2 || emit_is_leaf(v) || v->stage != e->stage) {
            top--;
            continue;
        }
        const int count = emit_reads(e, item_of(e, id), used);
        for (int k = count; k-- > 0;) {
            const graph_value *w = emit_value(e, used[k]);
            if (e->state[used[k]] != 2 && !emit_is_leaf(w) && w->stage == e->stage) e->stack[top++] = used[k];
        }
        if (top > before) continue;
        top--;
        append(e, id);
    }
}

/* Angles of this depth join batches; the first batches are full. */
static void add_angle(emitter *e, uint32_t id, size_t first, size_t *at)
{
    const graph_value *v = emit_value(e, id);
    const uint32_t arg = graph_id(v->a);
    for (size_t b = e->batch_count; b-- > first && b + 4 > e->batch_count;)
        for (int k = 0; k < e->batches[b].count; k++)
            if (e->batches[b].arg[k] == arg) {
                (v->op == GRAPH_SIN ? e->batches[b].sine : e->batches[b].cosine)[k] = id;
                return;
            }
    if (*at == EMIT_LANES || e->batch_count == first) {
        if (!mem_grow(&e->batches, &e->batch_capacity, e->batch_count + 1, sizeof *e->batches)) {
            e->status = MECH_ERR_MEMORY;
            return;
        }
        e->batches[e->batch_count++] = (emit_batch){.count = 0};
        *at = 0;
    }
    emit_batch *b = &e->batches[e->batch_count - 1];
    b->arg[*at] = arg;
    (v->op == GRAPH_SIN ? b->sine : b->cosine)[*at] = id;
    b->count = (int)++*at;
    e->angle_count++;
}

static void order_angles(emitter *e, uint32_t depth)
{
    const size_t first = e->batch_count;
    size_t at = 0;
    for (uint32_t i = 1; i < e->g->count && e->status == MECH_OK; i++)
        if (e->state[i] == 1 && emit_is_angle(emit_value(e, i)) && emit_value(e, i)->stage == 1 && e->depth[i] == depth)
            add_angle(e, i, first, &at);
    for (size_t b = first; b < e->batch_count && e->status == MECH_OK; b++) {
        for (int k = 0; k < e->batches[b].count; k++) visit(e, e->batches[b].arg[k]);
        e->order[e->order_count++] = EMIT_BATCH + (uint32_t)b;
        for (int k = 0; k < e->batches[b].count; k++) {
            if (e->batches[b].sine[k]) e->state[e->batches[b].sine[k]] = 2;
            if (e->batches[b].cosine[k]) e->state[e->batches[b].cosine[k]] = 2;
        }
    }
}

mech_status emit_order(emitter *e, int stage)
{
    uint32_t deepest = 0;
    e->stage = stage;
    e->order_count = 0;
    for (size_t i = 1; stage == 1 && i < e->g->count; i++)
        if (e->state[i] && e->depth[i] > deepest) deepest = e->depth[i];
    for (uint32_t depth = 1; depth <= deepest; depth++) order_angles(e, depth);
    MECH_TRY(e->status);
    const size_t first = e->order_count;
    size_t needed = 0;
    for (size_t i = 1; i < e->g->count; i++) needed += e->state[i] == 1 && !emit_is_leaf(emit_value(e, (uint32_t)i));
    if (needed > alone(e) && stage == 1 && e->spec->with_twins) MECH_TRY(emit_find_twins(e));
    for (size_t i = 0; needed > alone(e) && stage == 1 && i < e->spec->output_count; i++)
        visit(e, graph_id(e->spec->values[i]));
    for (uint32_t i = 1; i < e->g->count; i++)
        if (e->state[i] == 1 && !(e->late[i] && needed <= alone(e))) visit(e, i);
    e->early_count = e->order_count;
    for (uint32_t i = 1; i < e->g->count; i++)
        if (e->state[i] == 1) visit(e, i);
    if (stage == 0 || needed > alone(e) || e->spec->is_card) return MECH_OK; /* a card's compiler has its own order */
    e->is_scheduled = 1;
    MECH_TRY(emit_schedule(e, first, e->early_count));
    return emit_schedule(e, e->early_count, e->order_count);
}

/* ---- which statements share a function ---- */

/* What an item emit_reads: values; returns how many. */
int emit_reads(const emitter *e, uint32_t item, uint32_t to[EMIT_LANES])
{
    int count = 0;
    if (item & EMIT_BATCH) {
        const emit_batch *b = &e->batches[item - EMIT_BATCH];
        for (int k = 0; k < b->count; k++) to[count++] = b->arg[k];
        return count;
    }
    if (item & EMIT_TWIN) {
        const emit_twin *t = &e->twins[item - EMIT_TWIN];
        for (int k = 0; k < 2 * t->count; k++) to[count++] = graph_id(t->operand[k / 2][k % 2]);
        return count;
    }
    graph_ref operands[5];
    const int all = graph_operands(emit_value(e, item), operands);
    for (int k = 0; k < all; k++) to[count++] = graph_id(operands[k]);
    return count;
}

static void made_in(emitter *e, uint32_t item, uint32_t chunk)
{
    if (item & EMIT_TWIN) {
        for (int lane = 0; lane < 2; lane++) made_in(e, e->twins[item - EMIT_TWIN].value[lane], chunk);
        return;
    }
    if (!(item & EMIT_BATCH)) {
        e->at[item].chunk = e->at[item].last = chunk;
        return;
    }
    const emit_batch *b = &e->batches[item - EMIT_BATCH];
    for (int k = 0; k < b->count; k++) {
        if (b->sine[k]) e->at[b->sine[k]].chunk = e->at[b->sine[k]].last = chunk;
        if (b->cosine[k]) e->at[b->cosine[k]].chunk = e->at[b->cosine[k]].last = chunk;
    }
}

/* Cuts the order into chunks; starts[c] is the first item of chunk c + 1. */
void emit_cut(emitter *e, uint32_t *starts, size_t size)
{
    if (size == 0)
        size = e->spec->chunk ? e->spec->chunk : e->order_count <= alone(e) && !e->twin_count ? alone(e) : CHUNK;
    size_t in_chunk = size;
    e->chunk_count = 0;
    for (size_t i = 0; i < e->order_count; i++, in_chunk++) {
        const uint32_t item = e->order[i];
        const int is_part = !(item & (EMIT_BATCH | EMIT_TWIN)) && emit_value(e, item)->op == GRAPH_PART;
        if (in_chunk >= size && !is_part) {
            starts[e->chunk_count++] = (uint32_t)i;
            in_chunk = 0;
        }
        made_in(e, item, (uint32_t)e->chunk_count);
        uint32_t used[EMIT_LANES];
        const int count = emit_reads(e, item, used);
        for (int k = 0; k < count; k++)
            if (e->at[used[k]].chunk) e->at[used[k]].last = (uint32_t)e->chunk_count;
    }
    starts[e->chunk_count] = (uint32_t)e->order_count;
}
