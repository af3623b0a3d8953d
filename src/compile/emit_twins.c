/* Alike statements two at a time. The limbs of a robot are alike: the same operations on other operands. Two values of
   one shape become one statement on two lanes, which halves the instructions of long straight code; see
   docs/decisions/0042. What a lane computes is what its value says, rounded in the same places. */
#include "compile/emit_room.h"

#include "base/mem.h"
#include "base/try.h"

#include <stdlib.h>

/* Twins are taken where they save a tenth of the statements, operands that are put together taken off: measured, what
   saves 0.05 costs up to a fifth of the time, what saves 0.15 gains as much. */
enum { LEAST_SAVED = 10 };

typedef struct alike { /* a value, to be sorted: those that may be mates stand together, what comes last first */
    uint64_t shape;
    uint32_t level, id;
} alike;

typedef struct search {
    emitter *e;
    /* Of each value: equal for equal operations on operands of equal shapes, whatever their signs and numbers; */
    uint64_t *shape;
    /* one more than the levels of its operands: mates are of one level, so that no twin waits for itself; */
    uint32_t *level;
    uint32_t *mate; /* who it goes with; 0: nobody                        */
    uint32_t *wish; /* who should go with it, for the sake of its readers */
    /* Of each twin: one that it hangs together with, and whether their lanes stand the other way round. */
    uint32_t *joined;
    unsigned char *crossed;
    alike *sorted;
    size_t count;
} search;

/* ---- shapes ---- */

/* A value as a sum of two, a product, a product and a summand, or an inverse: its operands, signs
   included; 0: neither. */
static int terms(const graph_value *v, graph_ref to[3])
{
    to[0] = v->a;
    to[1] = v->op == GRAPH_SUB ? graph_negative(v->b) : v->b;
    to[2] = v->op == GRAPH_MULSUB ? graph_negative(v->c) : v->c;
    switch (v->op) {
    case GRAPH_INVERSE: return 1;
    case GRAPH_ADD:
    case GRAPH_SUB:
    case GRAPH_MUL: return 2;
    case GRAPH_MULADD:
    case GRAPH_MULSUB: return 3;
    default: return 0;
    }
}

static graph_op kind_of(const graph_value *v)
{
    return v->op == GRAPH_SUB ? GRAPH_ADD : v->op == GRAPH_MULSUB ? GRAPH_MULADD : (graph_op)v->op;
}

static uint64_t mixed(uint64_t h, uint64_t with)
{
    h = (h ^ with) * UINT64_C(0xBF58476D1CE4E5B9);
    return h ^ h >> 29;
}

static void describe(search *s, uint32_t id)
{
    const graph_value *v = emit_value(s->e, id);
    graph_ref operands[5];
    if (emit_is_leaf(v) || v->stage == 0) {
        s->shape[id] = v->op == GRAPH_CONSTANT ? 1 : v->stage == 0 ? 2 : 3;
        return;
    }
    const int count = graph_operands(v, operands);
    uint64_t h = mixed(kind_of(v), v->op == GRAPH_PART ? v->b : 0), of[5];
    for (int k = 0; k < count; k++) {
        const uint32_t operand = graph_id(operands[k]);
        of[k] = s->shape[operand];
        if (s->level[operand] >= s->level[id]) s->level[id] = s->level[operand] + 1;
    }
    if (terms(v, operands) > 1 && of[0] > of[1]) { /* these two commute */
        const uint64_t first = of[0];
        of[0] = of[1];
        of[1] = first;
    }
    for (int k = 0; k < count; k++) h = mixed(h, of[k]);
    s->shape[id] = h;
}

static int by_level(const void *x, const void *y)
{
    const alike *a = x, *b = y;
    if (a->level != b->level) return a->level < b->level ? 1 : -1;
    if (a->shape != b->shape) return a->shape < b->shape ? -1 : 1;
    return a->id < b->id ? -1 : a->id > b->id;
}

/* ---- who goes with whom ---- */

static int is_free(const search *s, uint32_t id) { return s->e->state[id] == 1 && !s->mate[id]; }

static int is_alike(const search *s, uint32_t x, uint32_t y)
{
    const graph_value *a = emit_value(s->e, x), *b = emit_value(s->e, y);
    return x != y && s->shape[x] == s->shape[y] && s->level[x] == s->level[y] && kind_of(a) == kind_of(b);
}

/* The operands of mates would be mates too, each with that in its place. */
static void marry(search *s, uint32_t x, uint32_t y)
{
    graph_ref of_x[5], of_y[5];
    const graph_value *a = emit_value(s->e, x), *b = emit_value(s->e, y);
    const int count = graph_operands(a, of_x);
    if (graph_operands(b, of_y) != count) return;
    s->mate[x] = y;
    s->mate[y] = x;
    const int crosses = terms(a, of_x) > 1 && !is_alike(s, graph_id(of_x[0]), graph_id(of_y[0]));
    for (int k = 0; k < count; k++) {
        const uint32_t p = graph_id(of_x[k]), q = graph_id(of_y[crosses && k < 2 ? 1 - k : k]);
        if (!is_alike(s, p, q) || s->wish[p] || s->wish[q]) continue;
        s->wish[p] = q;
        s->wish[q] = p;
    }
    if (terms(a, of_x)) s->e->twins[s->e->twin_count++] = (emit_twin){.value = {x, y}};
}

/* How many operands go together already, or wish to. */
static int agree(const search *s, uint32_t x, uint32_t y)
{
    graph_ref of_x[5], of_y[5];
    int agreed = 0;
    const int of_first = graph_operands(emit_value(s->e, x), of_x);
    const int of_second = graph_operands(emit_value(s->e, y), of_y);
    for (int i = 0; i < of_first; i++)
        for (int j = 0; j < of_second; j++) {
            const uint32_t p = graph_id(of_x[i]), q = graph_id(of_y[j]);
            agreed += s->mate[p] ? s->mate[p] == q : s->wish[p] == q && q;
        }
    return agreed;
}

/* The one of those that follow with which most agrees; 0: there is none. */
static uint32_t choose(const search *s, const alike *these, size_t count)
{
    enum { MOST_ASKED = 32 };
    uint32_t best = 0;
    int most = -1;
    for (size_t i = 1, asked = 0; i < count && asked < MOST_ASKED; i++) {
        if (!is_free(s, these[i].id) || !is_alike(s, these[0].id, these[i].id)) continue;
        asked++;
        const int agreed = agree(s, these[0].id, these[i].id);
        if (agreed <= most) continue;
        most = agreed;
        best = these[i].id;
    }
    return best;
}

/* Values of one level and shape: as those that read them wish; then where there is no choice, or all. */
static void match(search *s, const alike *these, size_t count, size_t most)
{
    for (size_t i = 0; i < count; i++) {
        const uint32_t id = these[i].id, other = s->wish[id];
        if (other && is_free(s, id) && is_free(s, other)) marry(s, id, other);
    }
    for (size_t i = 0; i < count && count <= most; i++) {
        const uint32_t other = is_free(s, these[i].id) ? choose(s, these + i, count - i) : 0;
        if (other) marry(s, these[i].id, other);
    }
}

static void match_all(search *s, size_t most)
{
    for (size_t i = 0, end; i < s->count; i = end) {
        for (end = i + 1; end < s->count && s->sorted[end].level == s->sorted[i].level &&
                          s->sorted[end].shape == s->sorted[i].shape;)
            end++;
        match(s, s->sorted + i, end - i, most);
    }
}

/* ---- operands of twins ---- */

/* How well two values stand in one operand: twins are there, numbers cost nothing, one value for both costs little. */
static int fit(const emitter *e, graph_ref a, graph_ref b)
{
    const uint32_t x = graph_id(a), y = graph_id(b);
    const graph_ref both[2] = {a, b};
    return emit_are_numbers(e, both) || (x != y && e->twin_of[x] && e->twin_of[x] == e->twin_of[y]) ? 3 : x == y;
}

static void place_operands(const emitter *e, emit_twin *t)
{
    graph_ref of[2][3];
    t->op = (uint8_t)kind_of(emit_value(e, t->value[0]));
    for (int lane = 0; lane < 2; lane++) t->count = (uint8_t)terms(emit_value(e, t->value[lane]), of[lane]);
    const int crosses = t->count > 1 && fit(e, of[0][0], of[1][1]) + fit(e, of[0][1], of[1][0]) >
                                            fit(e, of[0][0], of[1][0]) + fit(e, of[0][1], of[1][1]);
    for (int k = 0; k < t->count; k++) {
        t->operand[k][0] = of[0][k];
        t->operand[k][1] = of[1][crosses && k < 2 ? 1 - k : k];
    }
}

/* The first of all that hang together with this twin, found sooner next time; is_crossed is changed where the lanes of
   these two stand the other way round. */
static uint32_t root(search *s, uint32_t twin, int *is_crossed)
{
    uint32_t top = twin;
    unsigned char all = 0;
    for (; s->joined[top] != top; top = s->joined[top]) all ^= s->crossed[top];
    *is_crossed ^= all;
    while (twin != top) {
        const uint32_t next = s->joined[twin];
        const unsigned char rest = all ^ s->crossed[twin];
        s->joined[twin] = top;
        s->crossed[twin] = all;
        all = rest;
        twin = next;
    }
    return top;
}

static void exchange(uint32_t both[2])
{
    const uint32_t first = both[0];
    both[0] = both[1];
    both[1] = first;
}

/* Which value takes which lane: so that twins that read one another have their lanes in one order. */
static void choose_lanes(search *s)
{
    emitter *e = s->e;
    for (uint32_t i = 0; i < e->twin_count; i++) s->joined[i] = i;
    for (uint32_t i = 0; i < e->twin_count; i++) {
        const emit_twin *t = &e->twins[i];
        for (int k = 0; k < t->count; k++) {
            const uint32_t first = graph_id(t->operand[k][0]), second = graph_id(t->operand[k][1]);
            if (first == second || !e->twin_of[first] || e->twin_of[first] != e->twin_of[second]) continue;
            const uint32_t other = e->twin_of[first] - 1;
            int crossed = e->twins[other].value[0] != first;
            const uint32_t above = root(s, i, &crossed), below = root(s, other, &crossed);
            if (above == below) continue;
            s->joined[below] = above;
            s->crossed[below] = (unsigned char)crossed;
        }
    }
    for (uint32_t i = 0; i < e->twin_count; i++) {
        int crossed = 0;
        (void)root(s, i, &crossed);
        emit_twin *t = &e->twins[i];
        if (crossed) exchange(t->value);
        for (int k = 0; crossed && k < t->count; k++) exchange(t->operand[k]);
    }
}

/* Signs stand outside values, so that a*b + c may go with a*b - c. The second lane may keep the negative of its value:
   that costs nothing where factors bring the sign. Where product and summand differ, one of them is turned. */
static void choose_sign(const emitter *e, emit_twin *t)
{
    unsigned differs[3] = {0};
    int is_number[3] = {0};
    for (int k = 0; k < t->count; k++) {
        const graph_ref a = t->operand[k][0], b = t->operand[k][1];
        is_number[k] = emit_are_numbers(e, t->operand[k]);
        if (!is_number[k]) differs[k] = emit_sign(e, a) ^ emit_sign(e, b);
    }
    const int factors = t->op == GRAPH_ADD || t->op == GRAPH_INVERSE ? 1 : 2;
    unsigned product = factors == 2 ? differs[0] ^ differs[1] : differs[0];
    if (t->count > factors && differs[factors] != product) {
        const int turned = is_number[factors] ? factors : is_number[0] ? 0 : factors == 2 && is_number[1] ? 1 : factors;
        t->turned = (uint8_t)(1 + turned);
        if (turned < factors) product = differs[factors];
    }
    t->is_negative = (uint8_t)product;
}

/* ---- whether it pays ---- */

static int by_key(const void *x, const void *y)
{
    const uint64_t a = *(const uint64_t *)x, b = *(const uint64_t *)y;
    return a < b ? -1 : a > b;
}

/* Operands that must be put together from two values, each once: about as many instructions. */
static mech_status count_packs(const emitter *e, size_t *packs)
{
    size_t count = 0;
    uint64_t *keys = mem_alloc((3 * e->twin_count + 1) * sizeof *keys);
    if (!keys) return MECH_ERR_MEMORY;
    for (size_t i = 0; i < e->twin_count; i++)
        for (int k = 0; k < e->twins[i].count; k++) {
            const graph_ref *of = e->twins[i].operand[k];
            if (fit(e, of[0], of[1]) < 3) keys[count++] = (uint64_t)graph_id(of[0]) << 32 | graph_id(of[1]);
        }
    qsort(keys, count, sizeof *keys, by_key);
    *packs = count > 0;
    for (size_t i = 1; i < count; i++) *packs += keys[i] != keys[i - 1];
    mem_free(keys);
    return MECH_OK;
}

/* From the last value to the first who goes with whom; then, operands first, how. */
static mech_status find(search *s)
{
    emitter *e = s->e;
    for (uint32_t i = 1; i < e->g->count; i++) {
        describe(s, i);
        if (e->state[i] == 1 && !emit_is_leaf(emit_value(e, i)) && emit_value(e, i)->stage == 1)
            s->sorted[s->count++] = (alike){s->shape[i], s->level[i], i};
    }
    qsort(s->sorted, s->count, sizeof *s->sorted, by_level);
    match_all(s, 2);
    match_all(s, SIZE_MAX);
    for (size_t i = 0; i < e->twin_count; i++)
        for (int lane = 0; lane < 2; lane++) e->twin_of[e->twins[i].value[lane]] = (uint32_t)i + 1;
    for (size_t i = 0; i < e->twin_count; i++) place_operands(e, &e->twins[i]);
    choose_lanes(s);
    for (size_t i = s->count; i-- > 0;) { /* operands first */
        const uint32_t id = s->sorted[i].id;
        emit_twin *t = e->twin_of[id] ? &e->twins[e->twin_of[id] - 1] : NULL;
        if (t && t->value[0] == id) choose_sign(e, t);
    }
    size_t packs;
    MECH_TRY(count_packs(e, &packs));
    if (e->twin_count >= packs + s->count / LEAST_SAVED) return MECH_OK;
    for (size_t i = 0; i < e->g->count; i++) e->twin_of[i] = 0;
    e->twin_count = 0;
    return MECH_OK;
}

mech_status emit_find_twins(emitter *e)
{
    const size_t count = e->g->count + 1;
    search s = {.e = e};
    s.level = mem_zeroed(count, sizeof *s.level);
    s.shape = mem_zeroed(count, sizeof *s.shape);
    s.mate = mem_zeroed(count, sizeof *s.mate);
    s.wish = mem_zeroed(count, sizeof *s.wish);
    s.joined = mem_zeroed(count, sizeof *s.joined);
    s.crossed = mem_zeroed(count, 1);
    s.sorted = mem_zeroed(count, sizeof *s.sorted);
    e->twins = mem_zeroed(count, sizeof *e->twins);
    e->twin_of = mem_zeroed(count, sizeof *e->twin_of);
    const int done =
        s.level && s.shape && s.mate && s.wish && s.joined && s.crossed && s.sorted && e->twins && e->twin_of;
    const mech_status status = done ? find(&s) : MECH_ERR_MEMORY;
    mem_free(s.level);
    mem_free(s.shape);
    mem_free(s.mate);
    mem_free(s.wish);
    mem_free(s.joined);
    mem_free(s.crossed);
    mem_free(s.sorted);
    return status;
}
