/* Which values are worked out together: a value whose readers are all in one item joins it. Operations of one
   pivot are an item, and the sine and cosine of one angle. */
#include "compile/shapes_room.h"

#include "base/mem.h"
#include "base/try.h"

#include <string.h>

enum { LARGEST = 64 }; /* operations in an item that grows by joining */
#define MANY UINT32_MAX

static int is_here(const shapes *s, const graph_value *v)
{
    return v->stage == s->stage && !emit_is_leaf(v) && v->op != GRAPH_NONE;
}

/* ---- what is needed ---- */

void shapes_mark(shapes *s)
{
    const graph *g = s->g;
    graph_ref operands[5];
    for (size_t i = 0; i < s->spec->output_count; i++) {
        const uint32_t id = graph_id(s->spec->values[i]);
        const graph_value *v = &g->values[id];
        s->needed[id] = 1;
        if (v->stage == 0 && v->op != GRAPH_CONSTANT) s->stored[id] = 1;
    }
    for (size_t i = 0; i < g->guard_count; i++) s->needed[g->guards[i]] = 1;
    for (size_t i = g->count; i-- > 1;) {
        if (!s->needed[i]) continue;
        const int count = graph_operands(&g->values[i], operands);
        for (int k = 0; k < count; k++) {
            const graph_value *v = &g->values[graph_id(operands[k])];
            s->needed[graph_id(operands[k])] = 1;
            if (g->values[i].stage == 1 && v->stage == 0 && v->op != GRAPH_CONSTANT)
                s->stored[graph_id(operands[k])] = 1;
        }
    }
}

/* ---- who owns a value ---- */

static uint32_t new_item(shapes *s, uint8_t kind)
{
    if (s->status != MECH_OK) return 1;
    if (!mem_grow(&s->items, &s->item_capacity, s->item_count + 1, sizeof *s->items)) {
        s->status = MECH_ERR_MEMORY;
        return 1;
    }
    s->items[s->item_count] = (shapes_item){.kind = kind};
    return (uint32_t)s->item_count++;
}

static uint32_t item_of(shapes *s, uint32_t *known, uint8_t kind)
{
    if (!*known) *known = new_item(s, kind);
    return *known;
}

static uint32_t choose_owner(shapes *s, uint32_t id)
{
    const graph_value *v = &s->g->values[id];
    const uint32_t user = s->user[id];
    if (s->owner[id]) return s->owner[id]; /* a pair, by its parts */
    if (v->block) return item_of(s, &s->block_item[v->block / 4], SHAPES_BLOCK);
    if (v->op == GRAPH_PART) return item_of(s, &s->owner[graph_id(v->a)], SHAPES_PAIR);
    if (emit_is_angle(v)) return item_of(s, &s->angle[graph_id(v->a)], SHAPES_ANGLE);
    if (emit_is_pair(v)) return new_item(s, SHAPES_PAIR);
    if (user && user != MANY && s->items[user].kind <= SHAPES_ANGLE && s->items[user].count < LARGEST) return user;
    return new_item(s, SHAPES_TREE);
}

static void own(shapes *s)
{
    graph_ref operands[5];
    for (uint32_t id = (uint32_t)s->g->count; id-- > 1 && s->status == MECH_OK;) {
        const graph_value *v = &s->g->values[id];
        if (!s->needed[id] || !is_here(s, v)) continue;
        const uint32_t item = s->owner[id] = choose_owner(s, id);
        if (s->status != MECH_OK) return;
        s->items[item].count++;
        const int count = graph_operands(v, operands);
        for (int k = 0; k < count; k++) {
            uint32_t *user = &s->user[graph_id(operands[k])];
            *user = *user == 0 || *user == item ? item : MANY;
        }
    }
}

/* Inputs and numbers that are asked for as they are, and results that are asked for twice. */
static void add_copies(shapes *s, uint32_t *copied)
{
    for (uint32_t i = 0; s->stage == 1 && i < s->spec->output_count; i++) {
        const uint32_t id = graph_id(s->spec->values[i]);
        if (is_here(s, &s->g->values[id]) && s->output[id] == i + 1) continue;
        if (is_here(s, &s->g->values[id])) s->stored[id] = 1;
        copied[i] = new_item(s, SHAPES_TREE);
    }
    for (uint32_t id = 1; s->stage == 0 && id < s->g->count; id++) {
        if (s->g->values[id].op != GRAPH_INPUT || !s->stored[id]) continue;
        s->owner[id] = new_item(s, SHAPES_TREE);
        if (s->status == MECH_OK) s->items[s->owner[id]].count = 1;
    }
}

static mech_status fill(shapes *s, const uint32_t *copied)
{
    size_t total = 0;
    for (size_t i = 0; s->stage == 1 && i < s->spec->output_count; i++)
        if (copied[i]) s->items[copied[i]].count = 1;
    for (size_t i = 1; i < s->item_count; i++) {
        s->items[i].first = (uint32_t)total;
        total += s->items[i].count;
        s->items[i].count = 0;
    }
    mem_free(s->ops);
    s->ops = mem_zeroed(total + 1, sizeof *s->ops);
    if (!s->ops) return MECH_ERR_MEMORY;
    for (uint32_t id = 1; id < s->g->count; id++) {
        if (!s->owner[id] || s->g->values[id].stage != s->stage) continue;
        shapes_item *item = &s->items[s->owner[id]];
        s->position[id] = item->count;
        s->ops[item->first + item->count++] = id;
    }
    for (uint32_t i = 0; s->stage == 1 && i < s->spec->output_count; i++) {
        if (!copied[i]) continue;
        shapes_item *item = &s->items[copied[i]];
        item->phase = SHAPES_COPY;
        s->ops[item->first + item->count++] = SHAPES_COPIED + i;
    }
    return MECH_OK;
}

/* ---- when ---- */

static void follow(shapes *s, shapes_item *item, uint32_t operand)
{
    shapes_item *before = &s->items[s->owner[operand]];
    if (before->phase > item->phase) {
        item->phase = before->phase;
        item->level = 0;
    }
    if (before->phase == item->phase && before->level >= item->level) item->level = before->level + 1;
    if (item->phase == SHAPES_BACKWARD) before->is_late = 0;
}

static void set_level(shapes *s, uint32_t id, int is_last)
{
    graph_ref operands[5];
    const graph_value *v = &s->g->values[id];
    shapes_item *item = &s->items[s->owner[id]];
    const uint8_t kind = is_last && item->is_late ? SHAPES_AFTER : (uint8_t)(v->block & 3u);
    if (item->phase < kind) item->phase = kind;
    const int count = graph_operands(v, operands);
    for (int k = 0; k < count; k++) {
        const uint32_t o = graph_id(operands[k]);
        if (!is_here(s, &s->g->values[o]) || s->owner[o] == s->owner[id]) continue;
        s->stored[o] = 1;
        s->reads[o]++;
        if (item->kind != SHAPES_BLOCK && s->items[s->owner[o]].phase > SHAPES_BEFORE && item->phase < SHAPES_AFTER) {
            item->phase = SHAPES_AFTER;
            item->level = 0;
        }
        follow(s, item, o);
    }
}

/* Twice: substitutions on which no other one waits are done with what comes after. */
static void set_levels(shapes *s)
{
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 1; i < s->item_count; i++) {
            shapes_item *item = &s->items[i];
            item->is_late = pass == 0 || (item->is_late && item->phase == SHAPES_BACKWARD);
            if (item->phase != SHAPES_COPY) item->phase = 0;
            item->level = 0;
        }
        memset(s->reads, 0, s->g->count * sizeof *s->reads);
        for (uint32_t i = 0; s->stage == 1 && i < s->spec->output_count; i++) {
            const uint32_t id = graph_id(s->spec->values[i]);
            if (s->output[id] != i + 1) s->reads[id]++; /* a copy reads it */
        }
        for (uint32_t id = 1; id < s->g->count; id++)
            if (s->needed[id] && is_here(s, &s->g->values[id])) set_level(s, id, pass);
    }
}

mech_status shapes_form_items(shapes *s)
{
    const size_t count = s->g->count;
    uint32_t *copied = mem_zeroed(s->spec->output_count + 1, sizeof *copied);
    if (!copied) return MECH_ERR_MEMORY;
    memset(s->owner, 0, count * sizeof *s->owner);
    memset(s->user, 0, count * sizeof *s->user);
    memset(s->angle, 0, count * sizeof *s->angle);
    s->item_count = 1;
    own(s);
    add_copies(s, copied);
    mech_status status = s->status;
    if (status == MECH_OK) status = fill(s, copied);
    if (status == MECH_OK) set_levels(s);
    mem_free(copied);
    return status;
}
