/* The pool: nodes interned by content, symbols, numbers. */
#include "expr/intern.h"

#include "base/mem.h"
#include "expr/numbers.h"
#include "expr/sum_memo.h"

#include <math.h>
#include <string.h>

enum { FIRST_TABLE = 1024 };

static uint32_t mix(uint32_t h, uint32_t value)
{
    h ^= value + 0x9E3779B9u + (h << 6) + (h >> 2);
    h *= 0x85EBCA6Bu;
    return h ^ (h >> 15);
}

static uint32_t hash_operands(expr_kind kind, uint8_t function, const uint32_t *operands, uint32_t count)
{
    uint32_t h = mix((uint32_t)kind, function);
    for (uint32_t i = 0; i < count; i++) h = mix(h, operands[i]);
    return h;
}

static uint32_t hash_number(expr_number n)
{
    uint64_t bits = 0;
    if (n.den) bits = (uint64_t)n.num * 0x9E3779B97F4A7C15u + (uint64_t)n.den;
    else memcpy(&bits, &n.value, sizeof bits);
    return mix(mix(EXPR_NUM, (uint32_t)bits), (uint32_t)(bits >> 32));
}

static void fail(mech_pool *p, mech_status status)
{
    if (p->status == MECH_OK) p->status = status;
}

/* Where a node stands in the table: near the place of its youngest operand, so that nodes made one after the
   other are looked up in the same few cache lines; where these are full, and for nodes without operands,
   anywhere by its hash. Nothing is ever taken out, so a free place on the way ends the search. */
enum { NEAR = 16 };

typedef struct probe {
    size_t at, mask;
    unsigned near; /* places still to be tried before the search goes elsewhere */
    uint32_t hash;
} probe;

static probe probe_start(const mech_pool *p, uint32_t hash, uint32_t youngest)
{
    const size_t mask = p->table_size - 1;
    if (!youngest) return (probe){hash & mask, mask, 0, hash};
    return (probe){(2 * (size_t)youngest + (hash & (NEAR - 1))) & mask, mask, NEAR, hash};
}

static void probe_next(probe *at)
{
    at->at = at->near == 1 ? at->hash & at->mask : (at->at + 1) & at->mask;
    if (at->near) at->near--;
}

/* Operands are sorted: the youngest of a sum or product stands last. */
static uint32_t youngest_of(expr_kind kind, const uint32_t *operands, uint32_t count)
{
    if (count == 0 || kind < EXPR_ADD) return 0;
    return kind == EXPR_ADD ? operands[count - 1] : kind == EXPR_MUL ? operands[count - 2] : operands[0];
}

static void place(mech_pool *p, expr_slot slot, uint32_t youngest)
{
    probe at = probe_start(p, slot.hash, youngest);
    while (p->table[at.at].id) probe_next(&at);
    p->table[at.at] = slot;
}

static int rehash(mech_pool *p, size_t size)
{
    expr_slot *const old = p->table, *table = mem_zeroed(size, sizeof *table);
    const size_t old_size = p->table_size;
    if (!table) return 0;
    p->table = table;
    p->table_size = size;
    for (size_t i = 0; i < old_size; i++) {
        if (!old[i].id) continue;
        const expr_node *n = &p->nodes[old[i].id];
        place(p, old[i], n->count ? youngest_of((expr_kind)n->kind, &p->operands[n->first], n->count) : 0);
    }
    mem_free(old);
    return 1;
}

/* Appends a node whose operands are in place already; none when out of memory. */
static uint32_t append(mech_pool *p, expr_node node, uint32_t hash, uint32_t youngest)
{
    if (p->node_count >= EXPR_MOST_NODES) {
        fail(p, MECH_ERR_LIMIT);
        return 0;
    }
    if (!mem_grow(&p->nodes, &p->node_capacity, p->node_count + 1, sizeof *p->nodes) ||
        (2 * p->node_count >= p->table_size && !rehash(p, p->table_size * 4))) {
        fail(p, MECH_ERR_MEMORY);
        return 0;
    }
    node.origin = p->origin;
    const uint32_t id = (uint32_t)p->node_count++;
    p->nodes[id] = node;
    if (node.kind != EXPR_SYM) place(p, (expr_slot){id, hash}, youngest); /* a symbol is never looked up */
    return id;
}

static uint32_t find_hashed(const mech_pool *p, uint32_t hash, expr_kind kind, uint8_t function,
                            const uint32_t *operands, uint32_t count)
{
    for (probe at = probe_start(p, hash, youngest_of(kind, operands, count)); p->table[at.at].id; probe_next(&at)) {
        if (p->table[at.at].hash != hash) continue;
        const expr_node *n = &p->nodes[p->table[at.at].id];
        if (n->kind == kind && n->function == function && n->count == count &&
            memcmp(&p->operands[n->first], operands, count * sizeof *operands) == 0)
            return p->table[at.at].id;
    }
    return 0;
}

uint32_t expr_find(const mech_pool *p, expr_kind kind, uint8_t function, const uint32_t *operands, uint32_t count)
{
    return find_hashed(p, hash_operands(kind, function, operands, count), kind, function, operands, count);
}

uint32_t expr_intern(mech_pool *p, expr_kind kind, uint8_t function, uint8_t flags, const uint32_t *operands,
                     uint32_t count)
{
    const uint32_t hash = hash_operands(kind, function, operands, count);
    const uint32_t found = find_hashed(p, hash, kind, function, operands, count);
    if (found) return found;
    if (p->operand_count + count > EXPR_MOST_OPERANDS) {
        fail(p, MECH_ERR_LIMIT);
        return 0;
    }
    if (!mem_grow(&p->operands, &p->operand_capacity, p->operand_count + count, sizeof *p->operands)) {
        fail(p, MECH_ERR_MEMORY);
        return 0;
    }
    expr_node node = {.kind = (uint8_t)kind,
                      .function = function,
                      .flags = flags,
                      .first = (uint32_t)p->operand_count,
                      .count = count};
    for (uint32_t i = 0; i < count; i++) node.classes |= p->nodes[operands[i]].classes;
    if (count) memcpy(p->operands + p->operand_count, operands, count * sizeof *operands);
    const uint32_t id = append(p, node, hash, youngest_of(kind, operands, count));
    if (!id) return 0;
    p->operand_count += count;
    if (kind == EXPR_FUN && expr_function_has_kink((mech_function)function)) p->has_kinks = 1;
    return id;
}

uint32_t expr_intern_number(mech_pool *p, expr_number n)
{
    if (!isfinite(n.value)) {
        p->fault = "the number is too large";
        n = (expr_number){0, 0, n.value};
    }
    const uint32_t hash = hash_number(n);
    for (probe at = probe_start(p, hash, 0); p->table[at.at].id; probe_next(&at)) {
        if (p->table[at.at].hash != hash) continue;
        const expr_node *node = &p->nodes[p->table[at.at].id];
        if (node->kind == EXPR_NUM && number_equal(p->numbers[node->first], n)) return p->table[at.at].id;
    }
    if (!mem_grow(&p->numbers, &p->number_capacity, p->number_count + 1, sizeof *p->numbers)) {
        fail(p, MECH_ERR_MEMORY);
        return 0;
    }
    const uint32_t id = append(p, (expr_node){.kind = EXPR_NUM, .first = (uint32_t)p->number_count}, hash, 0);
    if (id) p->numbers[p->number_count++] = n;
    return id;
}

/* The nodes every pool has, in the order of the EXPR_ID_ constants. */
static int add_constants(mech_pool *p)
{
    const int ok = expr_intern_number(p, number_integer(0)) == EXPR_ID_ZERO &&
                   expr_intern_number(p, number_integer(1)) == EXPR_ID_ONE &&
                   expr_intern_number(p, number_integer(-1)) == EXPR_ID_MINUS_ONE &&
                   expr_intern_number(p, number_integer(2)) == EXPR_ID_TWO &&
                   expr_intern_number(p, number_fraction(1, 2)) == EXPR_ID_HALF;
    return ok && append(p, (expr_node){.kind = EXPR_PI}, mix(EXPR_PI, 1), 0) == EXPR_ID_PI;
}

mech_pool *mech_pool_create(void)
{
    mech_pool *p = mem_zeroed(1, sizeof *p);
    if (!p) return NULL;
    p->table_size = FIRST_TABLE;
    p->table = mem_zeroed(p->table_size, sizeof *p->table);
    p->product_memo = mem_zeroed(PRODUCT_MEMO, sizeof *p->product_memo);
    const int room = p->table && p->product_memo && mem_grow(&p->nodes, &p->node_capacity, 64, sizeof *p->nodes) &&
                     mem_grow(&p->operands, &p->operand_capacity, 64, sizeof *p->operands);
    if (room) {
        p->nodes[0] = (expr_node){0}; /* the node "none" */
        p->node_count = 1;
    }
    if (!room || !add_constants(p)) {
        mech_pool_free(p);
        return NULL;
    }
    return p;
}

void mech_pool_free(mech_pool *p)
{
    if (!p) return;
    arena_free(&p->memory);
    mem_free(p->nodes);
    mem_free(p->operands);
    mem_free(p->numbers);
    mem_free(p->symbols);
    mem_free(p->held_names);
    mem_free(p->table);
    mem_free(p->product_memo);
    sum_memo_free(p->sum_memo);
    mem_free(p->dot_memo[0]);
    mem_free(p->dot_memo[1]);
    mem_free(p->mark);
    mem_free(p->local);
    mem_free(p);
}

/* Room for as many as before; count of them are in use. 0 when out of memory. */
static int copy_array(void *array_address, const void *from, size_t capacity, size_t count, size_t size)
{
    if (!capacity) return 1;
    void *copy = mem_alloc(capacity * size);
    if (!copy) return 0;
    if (count) memcpy(copy, from, count * size);
    memcpy(array_address, &copy, sizeof copy);
    return 1;
}

mech_pool *expr_pool_copy(const mech_pool *from)
{
    mech_pool *p = mem_zeroed(1, sizeof *p);
    if (!p) return NULL;
    int done =
        copy_array(&p->nodes, from->nodes, from->node_capacity, from->node_count, sizeof *p->nodes) &&
        copy_array(&p->operands, from->operands, from->operand_capacity, from->operand_count, sizeof *p->operands) &&
        copy_array(&p->numbers, from->numbers, from->number_capacity, from->number_count, sizeof *p->numbers) &&
        copy_array(&p->symbols, from->symbols, from->symbol_capacity, from->symbol_count, sizeof *p->symbols) &&
        copy_array(&p->held_names, from->held_names, from->held_name_capacity, from->held_name_count,
                   sizeof *p->held_names) &&
        copy_array(&p->table, from->table, from->table_size, from->table_size, sizeof *p->table) &&
        copy_array(&p->product_memo, from->product_memo, PRODUCT_MEMO, PRODUCT_MEMO, sizeof *p->product_memo);
    p->node_capacity = from->node_capacity, p->node_count = from->node_count;
    p->operand_capacity = from->operand_capacity, p->operand_count = from->operand_count;
    p->number_capacity = from->number_capacity, p->number_count = from->number_count;
    p->symbol_capacity = from->symbol_capacity, p->symbol_count = from->symbol_count;
    p->held_name_capacity = from->held_name_capacity, p->held_name_count = from->held_name_count;
    p->table_size = from->table_size;
    p->own_count = from->own_count;
    p->has_kinks = from->has_kinks;
    for (int k = 0; k < 2 && done; k++) {
        const size_t size = p->dot_memo_size[k] = from->dot_memo_size[k];
        done = copy_array(&p->dot_memo[k], from->dot_memo[k], size, size, sizeof **p->dot_memo);
    }
    if (done) return p;
    mech_pool_free(p);
    return NULL;
}

mech_status mech_pool_status(const mech_pool *p) { return p->status; }

size_t mech_pool_size(const mech_pool *p) { return p->node_count; }

void expr_set_origin(mech_pool *p, uint32_t origin) { p->origin = origin; }

const char *expr_take_fault(mech_pool *p)
{
    const char *fault = p->fault;
    p->fault = NULL;
    return fault;
}

mech_expr expr_symbol_create(mech_pool *p, const char *name, expr_class class_bit, unsigned order, uint32_t index)
{
    const char *copy = arena_text(&p->memory, name, strlen(name));
    if (!copy || !mem_grow(&p->symbols, &p->symbol_capacity, p->symbol_count + 1, sizeof *p->symbols)) {
        fail(p, MECH_ERR_MEMORY);
        return (mech_expr){0};
    }
    const uint32_t number = (uint32_t)p->symbol_count;
    const uint32_t id = append(p, (expr_node){.kind = EXPR_SYM, .classes = (uint8_t)class_bit, .first = number},
                               mix(EXPR_SYM, number), 0);
    if (!id) return (mech_expr){0};
    p->symbols[p->symbol_count++] = (expr_symbol){copy, (uint8_t)class_bit, (uint8_t)order, index, {0}};
    return (mech_expr){id};
}

void expr_symbol_set_dot(mech_pool *p, mech_expr symbol, mech_expr dot)
{
    if (symbol.id && p->nodes[symbol.id].kind == EXPR_SYM) p->symbols[p->nodes[symbol.id].first].dot = dot;
}

mech_expr mech_number(mech_pool *p, double value)
{
    return (mech_expr){expr_intern_number(p, number_from_double(value))};
}

mech_expr mech_rational(mech_pool *p, int64_t numerator, int64_t denominator)
{
    if (denominator == 0) {
        p->fault = "division by zero";
        return (mech_expr){0};
    }
    return (mech_expr){expr_intern_number(p, number_fraction(numerator, denominator))};
}

mech_expr mech_pi(mech_pool *p)
{
    (void)p;
    return (mech_expr){EXPR_ID_PI};
}

mech_expr expr_decimal(mech_pool *p, const char *text, size_t length)
{
    expr_number n;
    if (!number_from_text(text, length, &n)) {
        p->fault = "this is not a number";
        return (mech_expr){0};
    }
    return (mech_expr){expr_intern_number(p, n)};
}
