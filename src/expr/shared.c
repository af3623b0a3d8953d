/* Which shared parts get a name. Operations are counted as they are written: a part that stands in two
   places counts twice. */
#include "expr/shared.h"

#include "base/mem.h"
#include "base/strmap.h"
#include "expr/print.h"
#include "expr/walk.h"

#include <stdio.h>
#include <string.h>

enum { MANY = 1 << 30 }; /* counts stay there: an expression shared in many places may be astronomically long */

static size_t capped(size_t n) { return n < MANY ? n : MANY; }

/* Signs, powers and functions of one node, without its operands. */
static size_t own_operations(const mech_pool *p, const expr_node *n)
{
    const uint32_t *o = &p->operands[n->first];
    size_t count = 0;
    if (n->kind == EXPR_FUN) return 1;
    if (n->kind == EXPR_ADD) {
        count = n->count / 2 - (o[0] == EXPR_ID_ZERO);
        for (uint32_t i = 1; i < n->count; i += 2) count += o[i] != EXPR_ID_ONE && o[i] != EXPR_ID_MINUS_ONE;
    } else if (n->kind == EXPR_MUL) {
        count = n->count / 2 - 1;
        for (uint32_t i = 1; i < n->count; i += 2) count += o[i] != EXPR_ID_ONE && o[i] != EXPR_ID_MINUS_ONE;
    }
    return count;
}

/* Whether a name for a part that stands in `uses` places makes the text shorter. */
static int deserves_name(const mech_pool *p, const expr_node *n, size_t uses)
{
    enum { WORTH = 3 }; /* operations saved */
    if (uses < 2) return 0;
    if (n->kind == EXPR_HELD) return 1;
    if (n->kind == EXPR_FUN)
        return n->function < MECH_FUNCTION_LESS ||
               n->function > MECH_FUNCTION_NOT; /* what is true or false has no name */
    if (n->kind == EXPR_ADD && n->count == 3 && p->operands[n->first] == EXPR_ID_ZERO)
        return 0; /* a number times something */
    return (uses - 1) * own_operations(p, n) >= WORTH;
}

/* The operations of a node as it is written: its own and those of its operands, each time they stand there;
   what has a name stands there at no cost. */
static void count_written(const mech_pool *p, const uint32_t *ids, size_t count, const uint32_t *number,
                          size_t *written)
{
    uint32_t child;
    for (size_t k = 0; k < count; k++) {
        const expr_node *n = &p->nodes[ids[k]];
        written[k] = own_operations(p, n);
        for (uint32_t i = 0; (child = expr_child(p, n, i)) != 0; i++)
            if (!number || !number[child]) written[k] = capped(written[k] + written[p->local[child]]);
    }
}

/* All operations of the roots, and the most that one of them has. */
static size_t written_in_roots(const mech_pool *p, const mech_expr *roots, size_t root_count, const uint32_t *number,
                               const size_t *written, size_t *most)
{
    size_t total = 0;
    *most = 0;
    for (size_t i = 0; i < root_count; i++) {
        if (!roots[i].id || (number && number[roots[i].id])) continue;
        const size_t entry = written[p->local[roots[i].id]];
        if (entry > *most) *most = entry;
        total = capped(total + entry);
    }
    return total;
}

/* From the top down: a part stands once in each place where its user is written; a user with a name is
   written once. uses comes zeroed; number is filled with 1 where a name is due. */
static void choose(mech_pool *p, const mech_expr *roots, size_t root_count, const uint32_t *ids, size_t count,
                   size_t *uses, int only_held, print_names *names)
{
    uint32_t child;
    for (size_t i = 0; i < root_count; i++)
        if (roots[i].id) uses[p->local[roots[i].id]]++;
    for (size_t k = count; k-- > 0;) {
        const expr_node *n = &p->nodes[ids[k]];
        const int named = (!only_held || n->kind == EXPR_HELD) && deserves_name(p, n, uses[k]);
        const size_t times = named ? 1 : uses[k];
        names->number[ids[k]] = (uint32_t)named;
        names->count += (size_t)named;
        for (uint32_t i = 0; (child = expr_child(p, n, i)) != 0; i++)
            uses[p->local[child]] = capped(uses[p->local[child]] + times);
    }
}

static mech_status number_them(print_names *names, const uint32_t *ids, size_t count)
{
    uint32_t next = 0;
    names->ids = mem_alloc((names->count + 1) * sizeof *names->ids);
    if (!names->ids) return MECH_ERR_MEMORY;
    for (size_t k = 0; k < count; k++) {
        if (!names->number[ids[k]]) continue;
        names->ids[next++] = ids[k];
        names->number[ids[k]] = next;
    }
    return MECH_OK;
}

/* x1, x_1 and x[1] are all taken as the name x_1 of a page. */
static int is_in_the_way(const char *name, const char *stem)
{
    const size_t length = strlen(stem);
    if (strncmp(name, stem, length) != 0) return 0;
    name += length;
    if (*name == '_' || *name == '[') name++;
    return *name >= '0' && *name <= '9';
}

static int is_taken(const char *stem, const char *(*taken)(const void *user, size_t i), const void *user)
{
    const char *name;
    for (size_t i = 0; taken && (name = taken(user, i)) != NULL; i++)
        if (is_in_the_way(name, stem)) return 1;
    return 0;
}

static void choose_stems(print_names *names, const char *(*taken)(const void *user, size_t i), const void *user)
{
    static const char letters[PRINT_NAME_KINDS] = {'c', 's', 'w'};
    for (int kind = 0; kind < PRINT_NAME_KINDS; kind++) {
        char *stem = names->stem[kind];
        size_t length = 0;
        do stem[length++] = letters[kind];
        while (length + 1 < PRINT_STEM_SIZE && is_taken(stem, taken, user));
    }
}

/* All operations that are written with the names: in the roots and in the definitions. */
static size_t written_with_names(const mech_pool *p, const mech_expr *roots, size_t root_count, const uint32_t *ids,
                                 size_t count, const print_names *names, size_t *written)
{
    size_t most;
    count_written(p, ids, count, names->number, written);
    size_t total = written_in_roots(p, roots, root_count, names->number, written, &most);
    for (size_t k = 0; k < count; k++)
        if (names->number[ids[k]]) total = capped(total + written[k]);
    return total;
}

static mech_status choose_among(mech_pool *p, const mech_expr *roots, size_t root_count, const uint32_t *ids,
                                size_t count, size_t *counts, print_names *names)
{
    size_t most;
    int holds = 0;
    for (size_t k = 0; k < count; k++) holds |= p->nodes[ids[k]].kind == EXPR_HELD;
    count_written(p, ids, count, NULL, counts);
    const size_t total = written_in_roots(p, roots, root_count, NULL, counts, &most);
    const int is_short = most <= PRINT_LONG_ENTRY && total <= PRINT_LONG_TOTAL;
    if (is_short && !holds) return MECH_OK;
    names->limit = p->node_count;
    names->number = mem_zeroed(names->limit, sizeof *names->number);
    if (!names->number) return MECH_ERR_MEMORY;
    memset(counts, 0, count * sizeof *counts);
    choose(p, roots, root_count, ids, count, counts, is_short, names);
    if (!holds && 2 * written_with_names(p, roots, root_count, ids, count, names, counts) > total) {
        names->count = 0;
        return MECH_OK;
    }
    return number_them(names, ids, count);
}

/* Own names that two of them have, or that are in use. */
static mech_status look_at_own_names(mech_pool *p, const char *(*taken)(const void *user, size_t i), const void *user,
                                     print_names *names)
{
    strmap seen = {0};
    mech_status status = MECH_OK;
    const char *name;
    names->by_number = mem_zeroed(names->count, 1);
    if (!names->by_number) return MECH_ERR_MEMORY;
    for (size_t i = 0; taken && (name = taken(user, i)) != NULL; i++)
        if (!strmap_put(&seen, name, 0)) status = MECH_ERR_MEMORY;
    for (size_t k = 0; k < names->count && status == MECH_OK; k++) {
        name = p->nodes[names->ids[k]].kind == EXPR_HELD ? expr_held_name_of(p, names->ids[k]) : NULL;
        if (!name) continue;
        names->by_number[k] = strmap_get(&seen, name) != SIZE_MAX;
        if (!names->by_number[k] && !strmap_put(&seen, name, 0)) status = MECH_ERR_MEMORY;
    }
    strmap_free(&seen);
    return status;
}

mech_status print_names_choose(mech_pool *p, const mech_expr *roots, size_t root_count,
                               const char *(*taken)(const void *user, size_t i), const void *user, print_names *names)
{
    uint32_t *ids = NULL;
    size_t capacity = 0, count = 0;
    *names = (print_names){.pool = p};
    mech_status status = expr_reachable(p, roots, root_count, &ids, &capacity, &count);
    size_t *counts = status == MECH_OK ? mem_zeroed(count + 1, sizeof *counts) : NULL;
    if (status == MECH_OK && !counts) status = MECH_ERR_MEMORY;
    if (status == MECH_OK) status = choose_among(p, roots, root_count, ids, count, counts, names);
    if (status == MECH_OK && names->count) {
        choose_stems(names, taken, user);
        status = look_at_own_names(p, taken, user, names);
    }
    mem_free(counts);
    mem_free(ids);
    return status;
}

void print_names_free(print_names *names)
{
    mem_free(names->ids);
    mem_free(names->number);
    mem_free(names->by_number);
    *names = (print_names){0};
}

/* number: set behind it unless 0 */
static void print_own_name(const char *own, uint32_t number, mech_print_format format, textbuf *out)
{
    char tail[16] = "";
    if (number) snprintf(tail, sizeof tail, "_%u", number);
    const size_t length = strcspn(own, "'");
    const int primes = (int)strlen(own + length);
    char *name = mem_alloc(length + sizeof tail);
    if (!name) {
        out->failed = 1;
        return;
    }
    memcpy(name, own, length);
    strcpy(name + length, tail);
    if (format == MECH_PRINT_LATEX) {
        print_latex_symbol(&(expr_symbol){.name = name, .order = (uint8_t)primes}, out);
    } else {
        text_add(out, name);
        text_add(out, own + length);
    }
    mem_free(name);
}

void print_name(const print_names *names, uint32_t number, mech_print_format format, textbuf *out)
{
    const expr_node *n = &names->pool->nodes[names->ids[number - 1]];
    const char *own = n->kind == EXPR_HELD ? expr_held_name_of(names->pool, names->ids[number - 1]) : NULL;
    if (own) {
        print_own_name(own, names->by_number[number - 1] ? number : 0, format, out);
        return;
    }
    const int is_cos = n->kind == EXPR_FUN && n->function == MECH_FUNCTION_COS,
              is_sin = n->kind == EXPR_FUN && n->function == MECH_FUNCTION_SIN;
    const char *stem = names->stem[is_cos ? 0 : is_sin ? 1 : 2];
    if (format != MECH_PRINT_LATEX) text_format(out, "%s%u", stem, number);
    else if (stem[1]) text_format(out, "\\mathrm{%s}_{%u}", stem, number);
    else text_format(out, "%s_{%u}", stem, number);
}

static void print_by(const printer *w, mech_expr e, mech_print_format format, textbuf *out)
{
    if (format == MECH_PRINT_LATEX) print_latex(w, e, out);
    else print_text(w, e, out);
}

void print_with_names(const print_names *names, mech_pool *p, mech_expr e, mech_print_format format, textbuf *out)
{
    const printer w = {.pool = p, .names = names->count ? names : NULL};
    print_by(&w, e, format, out);
}

void print_definition(const print_names *names, mech_pool *p, uint32_t number, mech_print_format format, textbuf *out)
{
    const printer w = {.pool = p, .names = names, .defining = names->ids[number - 1]};
    print_by(&w, (mech_expr){w.defining}, format, out);
}
