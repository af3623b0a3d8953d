/* Statements that give two values at once, on vectors of the compiler. */
#include "compile/emit_room.h"

#include "base/mem.h"

static const char types[] =
    "typedef double pair __attribute__((vector_size(16)));\n"
    "typedef double pair_at __attribute__((vector_size(16), aligned(8), may_alias));\n"
    "typedef long long pair_bits __attribute__((vector_size(16)));\n"
    "/* the second lane with the other sign */\n"
    "#define TURNED(x) ((pair)((pair_bits)(x) ^ (pair_bits){0, -9223372036854775807LL - 1}))\n\n";

void emit_twin_types(textbuf *to) { text_add(to, types); }

/* ---- operands ---- */

static unsigned name_of(const emit_twin *t) { return (unsigned)t->value[0]; }

static void load_lanes(emitter *e, const emit_twin *of)
{
    emit_twin *t = &e->twins[of - e->twins];
    const emit_where *at = &e->at[t->value[0]];
    if (at->chunk == e->chunk || t->loaded == e->chunk) return;
    t->loaded = e->chunk;
    text_format(e->to, "    const pair y%u = *(const pair_at *)(w + %u);\n", name_of(t), (unsigned)at->work);
}

/* The number of a pack in this chunk; e->pack_count: it has none. */
static size_t find_pack(const emitter *e, const graph_ref both[2])
{
    size_t i = 0;
    while (i < e->pack_count &&
           (e->packs[i].value[0] != graph_id(both[0]) || e->packs[i].value[1] != graph_id(both[1])))
        i++;
    return i;
}

/* What is kept of both values, whatever the sign in which they count. */
static void make_pack(emitter *e, const graph_ref both[2])
{
    const size_t number = find_pack(e, both);
    if (number < e->pack_count) return;
    if (!mem_grow(&e->packs, &e->pack_capacity, number + 1, sizeof *e->packs)) {
        e->status = MECH_ERR_MEMORY;
        return;
    }
    e->packs[e->pack_count++] = (emit_pack){{graph_id(both[0]), graph_id(both[1])}};
    for (int lane = 0; lane < 2; lane++) emit_load(e, graph_id(both[lane]));
    text_format(e->to, "    const pair p%zu = {", number);
    for (int lane = 0; lane < 2; lane++) {
        const graph_ref plain = both[lane] & ~1u;
        emit_operand(e, emit_sign(e, plain) ? graph_negative(plain) : plain);
        text_add(e->to, lane ? "};\n" : ", ");
    }
}

static void prepare(emitter *e, const graph_ref both[2])
{
    const emit_twin *t = emit_lanes(e, both);
    if (t) load_lanes(e, t);
    else if (!emit_are_numbers(e, both)) make_pack(e, both);
}

static void add_numbers(const emitter *e, const graph_ref both[2], int is_turned)
{
    text_add(e->to, "(pair){");
    emit_operand(e, both[0]);
    text_add(e->to, ", ");
    emit_operand(e, is_turned ? graph_negative(both[1]) : both[1]);
    text_add_char(e->to, '}');
}

/* An operand without the sign of its first lane. */
static void add_lanes(const emitter *e, const emit_twin *t, int operand)
{
    const graph_ref *both = t->operand[operand];
    const emit_twin *from = emit_lanes(e, both);
    const int is_turned = t->turned == operand + 1;
    if (emit_are_numbers(e, both)) {
        add_numbers(e, both, is_turned);
        return;
    }
    if (is_turned) text_add(e->to, "TURNED(");
    if (from) text_format(e->to, "y%u", name_of(from));
    else text_format(e->to, "p%zu", find_pack(e, both));
    if (is_turned) text_add_char(e->to, ')');
}

/* Of the first lane; numbers bring their own. */
static unsigned sign(const emitter *e, const emit_twin *t, int operand)
{
    return emit_are_numbers(e, t->operand[operand]) ? 0 : emit_sign(e, t->operand[operand][0]);
}

/* ---- statements ---- */

void emit_twin_statement(emitter *e, uint32_t number)
{
    const emit_twin *t = &e->twins[number];
    const int factors = t->op == GRAPH_ADD || t->op == GRAPH_INVERSE ? 1 : 2;
    for (int k = 0; k < t->count; k++) prepare(e, t->operand[k]);
    text_format(e->to, "    const pair y%u = ", name_of(t));
    if (sign(e, t, 0) ^ (factors == 2 ? sign(e, t, 1) : 0)) text_add_char(e->to, '-');
    if (t->op == GRAPH_INVERSE) text_add(e->to, "1.0/");
    for (int k = 0; k < t->count; k++) {
        if (k == factors) text_add(e->to, sign(e, t, k) ? " - " : " + ");
        else if (k) text_add_char(e->to, '*');
        add_lanes(e, t, k);
    }
    text_add(e->to, ";\n");
}

static uint32_t take_places(emitter *e)
{
    if (e->free_twin_count) return e->free_twins[--e->free_twin_count];
    const size_t place = (e->work_count + 1) / 2 * 2; /* both in one line of the cache */
    e->work_count = place + 2;
    return (uint32_t)place;
}

void emit_twin_store(emitter *e, uint32_t number)
{
    const uint32_t *lanes = e->twins[number].value;
    emit_where *first = &e->at[lanes[0]], *second = &e->at[lanes[1]];
    const uint32_t last = first->last > second->last ? first->last : second->last;
    if (last <= e->chunk) return;
    first->work = take_places(e);
    second->work = first->work + 1;
    first->next = e->ending[last];
    e->ending[last] = lanes[0];
    text_format(e->to, "    *(pair_at *)(w + %u) = y%u;\n", (unsigned)first->work, (unsigned)lanes[0]);
}
