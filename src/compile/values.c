/* Values numbered by hashing: the same instruction on the same values is made once. */
#include "compile/build.h"

#include "base/mem.h"

static size_t hash(uint32_t op, uint32_t x, uint32_t y, uint32_t z)
{
    uint64_t h = op * UINT64_C(0x9E3779B97F4A7C15);
    h = (h ^ x) * UINT64_C(0xBF58476D1CE4E5B9);
    h ^= h >> 29;
    h = (h ^ y) * UINT64_C(0x94D049BB133111EB);
    h ^= h >> 32;
    h = (h ^ z) * UINT64_C(0xD6E8FEB86659FD93);
    return (size_t)(h ^ h >> 31);
}

static int is_paired(uint32_t op) { return op == PROGRAM_SIN || op == PROGRAM_COS; }

/* the partner of SIN and COS stands in b and is no part of what they are */
static size_t hash_of(const build_value *v) { return hash(v->op, v->a, is_paired(v->op) ? 0 : v->b, v->c); }

static int rehash(build *b)
{
    const size_t size = b->table_size ? 2 * b->table_size : 1024;
    uint32_t *table = mem_zeroed(size, sizeof *table);
    if (!table) return 0;
    for (size_t v = 1; v < b->value_count; v++) {
        size_t at = hash_of(&b->values[v]) & (size - 1);
        while (table[at]) at = (at + 1) & (size - 1);
        table[at] = (uint32_t)v;
    }
    mem_free(b->table);
    b->table = table;
    b->table_size = size;
    return 1;
}

/* The place in the table where this value is or belongs. */
static size_t find(const build *b, uint32_t op, uint32_t x, uint32_t y, uint32_t z)
{
    size_t at = hash(op, x, y, z) & (b->table_size - 1);
    for (uint32_t v; (v = b->table[at]) != 0; at = (at + 1) & (b->table_size - 1)) {
        const build_value *w = &b->values[v];
        if (w->op == op && w->a == x && (is_paired(op) || w->b == y) && w->c == z) break;
    }
    return at;
}

static uint32_t intern(build *b, uint32_t op, uint32_t x, uint32_t y, uint32_t z, uint8_t early)
{
    if (b->status != MECH_OK) return 0;
    if (2 * (b->value_count + 1) > b->table_size && !rehash(b)) {
        b->status = MECH_ERR_MEMORY;
        return 0;
    }
    const size_t at = find(b, op, x, y, z);
    if (b->table[at]) return b->table[at];
    if (b->value_count >= UINT32_MAX / 4) {
        b->status = MECH_ERR_LIMIT;
        return 0;
    }
    if (!mem_grow(&b->values, &b->value_capacity, b->value_count + 1, sizeof *b->values)) {
        b->status = MECH_ERR_MEMORY;
        return 0;
    }
    const uint32_t made = (uint32_t)b->value_count++;
    b->values[made] = (build_value){.op = (uint16_t)op, .early = early, .place = STAGE_NEVER, .a = x, .b = y, .c = z};
    b->table[at] = made;
    return made;
}

static uint8_t later(uint8_t x, uint8_t y) { return x > y ? x : y; }

uint32_t build_emit(build *b, uint32_t op, uint32_t x, uint32_t y, uint32_t z)
{
    if (b->status != MECH_OK) return 0;
    /* one order for what commutes: a + b, and the product of a*b, a*b + c, a*b - c, c - a*b */
    const int commutes =
        op == PROGRAM_ADD || op == PROGRAM_MUL || op == PROGRAM_MULADD || op == PROGRAM_MULSUB || op == PROGRAM_SUBMUL;
    if (commutes && x > y) {
        const uint32_t swap = x;
        x = y;
        y = swap;
    }
    const uint8_t early =
        later(b->values[x].early, later(b->values[y].early, b->values[z].early)); /* value 0 is early at 0 */
    const uint32_t made = intern(b, op, x, y, z, early);
    if (made && is_paired(op) && b->values[made].b == 0) {
        const uint32_t other = op == PROGRAM_SIN ? PROGRAM_COS : PROGRAM_SIN;
        const uint32_t partner = b->table[find(b, other, x, 0, 0)];
        b->values[made].b = partner;
        if (partner) b->values[partner].b = made;
    }
    return made;
}

uint32_t build_constant(build *b, double value)
{
    union {
        double value;
        uint64_t bits;
    } pun = {value};
    return intern(b, VALUE_CONSTANT, (uint32_t)pun.bits, (uint32_t)(pun.bits >> 32), 0, 0);
}

uint32_t build_input(build *b, uint32_t which, uint8_t stage) { return intern(b, VALUE_INPUT, which, 0, 0, stage); }
