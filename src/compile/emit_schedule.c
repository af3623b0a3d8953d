/* The order of statements by their longest way to a result: at each moment the one that most still depends
   on, among those whose operands have arrived. The compiler's own scheduler sees registers first and leaves
   a tenth of the time there. */
#include "compile/emit_room.h"

#include "base/mem.h"

#include <string.h>

typedef struct unit { /* a statement, a pair with its parts */
    uint32_t first, count;
    uint32_t height; /* cycles to the end of what depends on it */
    uint32_t waits;  /* operands that are not placed yet        */
    uint32_t ready;  /* the moment the last of them arrives     */
} unit;

typedef struct schedule {
    const emitter *e;
    unit *units;
    size_t count;
    uint32_t *unit_of; /* (values) 1 + the unit that makes a value; 0: it is there */
    uint32_t *list;    /* (count) units that may be placed                         */
    size_t listed;
} schedule;

static uint32_t latency(const graph_value *v)
{
    switch (v->op) {
    case GRAPH_INVERSE:
    case GRAPH_DIVIDE: return 14;
    case GRAPH_SQRT:
    case GRAPH_PIVOT: return 18;
    case GRAPH_PIVOT2:
    case GRAPH_INVERT2: return 26;
    case GRAPH_ABS:
    case GRAPH_SELECT:
    case GRAPH_GUARD:
    case GRAPH_CLEAR:
    case GRAPH_MONITOR: return 1;
    case GRAPH_SIN:
    case GRAPH_COS:
    case GRAPH_POW: return 60;
    default: return v->op >= GRAPH_CALL ? 20 : 4;
    }
}

/* Units that a unit reads, each once; returns how many. */
static int sources(const schedule *s, const unit *u, uint32_t to[EMIT_LANES])
{
    uint32_t used[EMIT_LANES];
    const int all = emit_reads(s->e, s->e->order[u->first], used);
    int count = 0;
    for (int k = 0; k < all; k++) {
        const uint32_t from = s->unit_of[used[k]];
        int is_new = from != 0;
        for (int i = 0; i < count; i++) is_new = is_new && to[i] != from - 1;
        if (is_new) to[count++] = from - 1;
    }
    return count;
}

static void find_units(schedule *s, size_t first, size_t end)
{
    const emitter *e = s->e;
    for (size_t i = first; i < end; i++) {
        const int is_part = emit_value(e, e->order[i])->op == GRAPH_PART && s->count > 0;
        if (is_part) s->units[s->count - 1].count++;
        else s->units[s->count++] = (unit){.first = (uint32_t)i, .count = 1};
        s->unit_of[e->order[i]] = (uint32_t)s->count;
    }
}

static void measure(schedule *s)
{
    for (size_t i = s->count; i-- > 0;) {
        unit *u = &s->units[i];
        uint32_t from[EMIT_LANES];
        const int count = sources(s, u, from);
        u->height += latency(emit_value(s->e, s->e->order[u->first]));
        u->waits = (uint32_t)count;
        for (int k = 0; k < count; k++)
            if (s->units[from[k]].height < u->height) s->units[from[k]].height = u->height;
    }
}

/* The tallest of those that have arrived, or the first to arrive. */
static size_t choose(const schedule *s, uint32_t now)
{
    size_t best = 0;
    for (size_t i = 1; i < s->listed; i++) {
        const unit *x = &s->units[s->list[i]], *y = &s->units[s->list[best]];
        const int x_here = x->ready <= now, y_here = y->ready <= now;
        const int wins = x_here && y_here ? x->height > y->height : x_here != y_here ? x_here : x->ready < y->ready;
        if (wins) best = i;
    }
    return best;
}

static void arrive(schedule *s, uint32_t placed, uint32_t when)
{
    for (size_t i = placed + 1; i < s->count; i++) { /* users come later in the old order */
        unit *u = &s->units[i];
        uint32_t from[EMIT_LANES];
        if (u->waits == 0) continue;
        const int count = sources(s, u, from);
        for (int k = 0; k < count; k++) {
            if (from[k] != placed) continue;
            if (u->ready < when) u->ready = when;
            if (--u->waits == 0) s->list[s->listed++] = (uint32_t)i;
        }
    }
}

static void place_all(schedule *s, const uint32_t *old, uint32_t *to)
{
    for (uint32_t i = 0; i < s->count; i++)
        if (s->units[i].waits == 0) s->list[s->listed++] = i;
    for (uint32_t now = 0; s->listed; now++) {
        const size_t at = choose(s, now);
        const uint32_t chosen = s->list[at];
        const unit *u = &s->units[chosen];
        if (u->ready > now) now = u->ready;
        s->list[at] = s->list[--s->listed];
        memcpy(to, old + u->first, u->count * sizeof *to);
        to += u->count;
        arrive(s, chosen, now + latency(emit_value(s->e, old[u->first])));
    }
}

mech_status emit_schedule(emitter *e, size_t first, size_t end)
{
    if (end <= first) return MECH_OK;
    schedule s = {.e = e};
    uint32_t *made = mem_alloc((end - first) * sizeof *made);
    s.units = mem_zeroed(end - first, sizeof *s.units);
    s.list = mem_zeroed(end - first, sizeof *s.list);
    s.unit_of = mem_zeroed(e->g->count, sizeof *s.unit_of);
    const int done = made && s.units && s.list && s.unit_of;
    if (done) {
        find_units(&s, first, end);
        measure(&s);
        place_all(&s, e->order, made);
        memcpy(e->order + first, made, (end - first) * sizeof *made);
    }
    mem_free(made);
    mem_free(s.units);
    mem_free(s.list);
    mem_free(s.unit_of);
    return done ? MECH_OK : MECH_ERR_MEMORY;
}
