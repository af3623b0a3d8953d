/* The order in which things are shown. It depends on what an expression is, not on when it was built. */
#include "expr/print.h"

#include "base/mem.h"
#include "expr/numbers.h"
#include "expr/walk.h"

#include <stdlib.h>
#include <string.h>

enum { DEEPEST_COMPARED = 6 };

static int class_rank(unsigned classes)
{
    static const unsigned order[] = {EXPR_ACCELERATION, EXPR_VELOCITY, EXPR_REACTION, EXPR_STATE,
                                     EXPR_COORD,        EXPR_INPUT,    EXPR_TIME,     EXPR_PARAM};
    for (int i = 0; i < 8; i++)
        if (classes & order[i]) return 8 - i;
    return 0;
}

/* Where a factor stands in a product. */
static int factor_rank(const mech_pool *p, uint32_t id)
{
    const expr_node *n = &p->nodes[id];
    switch ((expr_kind)n->kind) {
    case EXPR_NUM: return 0;
    case EXPR_PI: return 1;
    case EXPR_SYM: {
        const int rank = class_rank(n->classes);
        return rank == 1 ? 2 : rank <= 5 ? 3 + rank : 20 + rank; /* velocities and accelerations last */
    }
    case EXPR_FUN:
    case EXPR_HELD: return n->classes & ~(unsigned)EXPR_PARAM ? 10 : 3;
    case EXPR_MUL: return 12;
    default: return n->classes & ~(unsigned)EXPR_PARAM ? 40 : 3; /* a sum in brackets */
    }
}

static int compare_numbers(const mech_pool *p, uint32_t a, uint32_t b)
{
    const double x = num_of(p, a).value, y = num_of(p, b).value;
    return x < y ? -1 : x > y;
}

static int compare(const mech_pool *p, uint32_t a, uint32_t b, int depth)
{
    if (a == b) return 0;
    const int by_rank = factor_rank(p, a) - factor_rank(p, b);
    if (by_rank) return by_rank;
    const expr_node *m = &p->nodes[a], *n = &p->nodes[b];
    if (m->kind == EXPR_NUM) return compare_numbers(p, a, b);
    if (m->kind == EXPR_SYM || depth >= DEEPEST_COMPARED) return a < b ? -1 : 1; /* order of declaration */
    if (m->kind != n->kind) return m->kind < n->kind ? -1 : 1;
    if (m->function != n->function) return m->function < n->function ? -1 : 1;
    for (uint32_t i = 0;; i++) {
        const uint32_t x = expr_child(p, m, i), y = expr_child(p, n, i);
        if (!x || !y) return x ? 1 : y ? -1 : a < b ? -1 : 1;
        const int c = compare(p, x, y, depth + 1);
        if (c) return c;
    }
}

typedef int (*pair_order)(const mech_pool *p, expr_pair a, expr_pair b);

/* Merge sort: stable, and the comparison sees the pool. */
static void sort_pairs(const mech_pool *p, expr_pair *items, expr_pair *spare, size_t count, pair_order order)
{
    if (count < 2) return;
    const size_t half = count / 2;
    sort_pairs(p, items, spare, half, order);
    sort_pairs(p, items + half, spare, count - half, order);
    memcpy(spare, items, count * sizeof *items);
    for (size_t i = 0, j = half, out = 0; out < count; out++)
        items[out] = j >= count || (i < half && order(p, spare[i], spare[j]) <= 0) ? spare[i++] : spare[j++];
}

static int sort_with(mech_pool *p, expr_pairs *list, pair_order order)
{
    expr_pair *spare = mem_alloc(list->count * sizeof *spare);
    if (!spare) return 0;
    sort_pairs(p, list->items, spare, list->count, order);
    mem_free(spare);
    return 1;
}

static int factor_order(const mech_pool *p, expr_pair a, expr_pair b) { return compare(p, a.node, b.node, 0); }

/* The first factor of the highest class, for the order of terms. */
static uint32_t leading(const mech_pool *p, uint32_t id, int *power)
{
    const expr_node *n = &p->nodes[id];
    *power = 1;
    if (n->kind != EXPR_MUL) return id;
    uint32_t best = 0;
    for (uint32_t i = 0; i < n->count; i += 2) {
        const uint32_t base = p->operands[n->first + i];
        if (best && class_rank(p->nodes[base].classes) < class_rank(p->nodes[best].classes)) continue;
        if (best && class_rank(p->nodes[base].classes) == class_rank(p->nodes[best].classes) &&
            compare(p, base, best, 0) > 0)
            continue;
        best = base;
        *power = (int)num_of(p, p->operands[n->first + i + 1]).value;
    }
    return best;
}

static int term_order(const mech_pool *p, expr_pair a, expr_pair b)
{
    const int rank_a = class_rank(p->nodes[a.node].classes), rank_b = class_rank(p->nodes[b.node].classes);
    if (rank_a != rank_b) return rank_b - rank_a;
    int power_a, power_b;
    const uint32_t first_a = leading(p, a.node, &power_a), first_b = leading(p, b.node, &power_b);
    const int c = compare(p, first_a, first_b, 0);
    if (c) return c;
    if (power_a != power_b) return power_b - power_a;
    return compare(p, a.node, b.node, 0);
}

int print_factors(mech_pool *p, uint32_t node, expr_pairs *factors)
{
    const expr_node n = p->nodes[node];
    if (n.kind != EXPR_MUL) return pairs_push(p, factors, node, EXPR_ID_ONE);
    for (uint32_t i = 0; i < n.count; i += 2)
        if (!pairs_push(p, factors, p->operands[n.first + i], p->operands[n.first + i + 1])) return 0;
    return sort_with(p, factors, factor_order);
}

int print_shown_factors(const printer *w, uint32_t node, expr_pairs *factors)
{
    return printer_name(w, node) ? pairs_push(w->pool, factors, node, EXPR_ID_ONE)
                                 : print_factors(w->pool, node, factors);
}

int print_is_parameter(const mech_pool *p, uint32_t node)
{
    return !(p->nodes[node].classes & ~(unsigned)EXPR_PARAM) && p->nodes[node].kind != EXPR_ADD;
}

int print_terms(mech_pool *p, mech_expr e, expr_pairs *terms)
{
    const expr_node n = p->nodes[e.id];
    if (n.kind == EXPR_NUM) return pairs_push(p, terms, EXPR_ID_ONE, e.id);
    if (n.kind != EXPR_ADD) return pairs_push(p, terms, e.id, EXPR_ID_ONE);
    for (uint32_t i = 1; i < n.count; i += 2)
        if (!pairs_push(p, terms, p->operands[n.first + i + 1], p->operands[n.first + i])) return 0;
    if (p->operands[n.first] != EXPR_ID_ZERO && !pairs_push(p, terms, EXPR_ID_ONE, p->operands[n.first])) return 0;
    if (!sort_with(p, terms, term_order)) return 0;
    /* a positive term in front */
    size_t k = 0;
    while (k < terms->count && number_is_negative(num_of(p, terms->items[k].number))) k++;
    if (k < terms->count && k > 0) {
        const expr_pair front = terms->items[k];
        memmove(terms->items + 1, terms->items, k * sizeof front);
        terms->items[0] = front;
    }
    return 1;
}

void print_signed_terms(const printer *w, mech_expr e, print_term_writer write, textbuf *out, int depth)
{
    expr_pairs terms;
    pairs_init(&terms);
    if (!print_terms(w->pool, e, &terms)) out->failed = 1;
    for (size_t i = 0; i < terms.count && !out->failed; i++) {
        const int negative = number_is_negative(num_of(w->pool, terms.items[i].number));
        if (i > 0) text_add(out, negative ? " - " : " + ");
        else if (negative) text_add_char(out, '-');
        write(w, terms.items[i], out, depth);
    }
    pairs_free(&terms);
}

char *mech_print(const mech_pool *pool, mech_expr e, mech_print_format format)
{
    mech_pool *p = (mech_pool *)pool; /* printing makes no nodes */
    const printer plain = {.pool = p};
    textbuf out = {0};
    if (!e.id) text_add(&out, "(none)");
    else if (format == MECH_PRINT_LATEX) print_latex(&plain, e, &out);
    else if (format == MECH_PRINT_C) print_c(p, e, &out);
    else print_text(&plain, e, &out);
    return text_take(&out);
}
