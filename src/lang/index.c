/* Entries and slices: v[2], v[1..2], m[1], m[1,2], m[1..2,3]. Indices count from 1. */
#include "lang/evaluate.h"

#include <inttypes.h>

/* first..last of one index; is_one when it is a single index. */
typedef struct pick {
    size_t first, count;
    int is_one;
} pick;

static int within(lang_context *c, const lang_node *n, int64_t index, size_t size)
{
    if (index >= 1 && (uint64_t)index <= size) return 1;
    lang_error(c, MECH_ERR_MODEL, n->span, index == 0 ? "indices count from 1" : NULL,
               "index %" PRId64 " is outside 1..%zu", index, size);
    return 0;
}

static int read_pick(lang_context *c, const lang_node *n, size_t size, pick *p)
{
    int64_t first, last;
    if (n->kind != NODE_RANGE) {
        if (!lang_integer(c, n, "an index", &first) || !within(c, n, first, size)) return 0;
        *p = (pick){(size_t)first - 1, 1, 1};
        return 1;
    }
    if (!lang_integer(c, n->first, "the first of a slice", &first)) return 0;
    if (!lang_integer(c, n->first->next, "the last of a slice", &last)) return 0;
    if (!within(c, n->first, first, size) || !within(c, n->first->next, last, size)) return 0;
    if (last < first) {
        lang_error(c, MECH_ERR_MODEL, n->span, NULL, "this slice has no entries");
        return 0;
    }
    *p = (pick){(size_t)first - 1, (size_t)(last - first) + 1, 0};
    return 1;
}

static lang_value slice_matrix(lang_context *c, const lang_value *m, const pick *rows, const pick *columns,
                               mech_span span)
{
    if (rows->is_one && columns->is_one) return lang_scalar(m->items[rows->first * m->columns + columns->first]);
    const int is_vector = rows->is_one || columns->is_one;
    lang_value r = is_vector ? lang_make(c, RANK_VECTOR, rows->count * columns->count, 1, span)
                             : lang_make(c, RANK_MATRIX, rows->count, columns->count, span);
    if (r.rank == RANK_ERROR) return r;
    for (size_t i = 0; i < rows->count; i++)
        for (size_t j = 0; j < columns->count; j++)
            r.items[i * columns->count + j] = m->items[(rows->first + i) * m->columns + columns->first + j];
    return r;
}

static lang_value slice(lang_context *c, const lang_value *v, const lang_node *n)
{
    const lang_node *first = n->first->next, *second = first->next;
    pick rows, columns = {0, v->columns, 0};
    if (v->rank == RANK_SCALAR) {
        lang_error(c, MECH_ERR_MODEL, n->span,
                   n->first->kind == NODE_NUMBER
                       ? "a unit is a label in quotes behind a declaration: param g = 9.81 \"m/s^2\""
                       : NULL,
                   "a number has no entries to index");
        return lang_no_value();
    }
    if (n->count - 1 > (uint32_t)v->rank) {
        lang_error(c, MECH_ERR_MODEL, n->span, n->first->kind == NODE_LIST ? "a ',' stands between two vectors" : NULL,
                   "%s takes at most %d ind%s", v->rank == RANK_VECTOR ? "a vector" : "a matrix", v->rank,
                   v->rank == 1 ? "ex" : "ices");
        return lang_no_value();
    }
    if (!read_pick(c, first, v->rows, &rows)) return lang_no_value();
    if (second && !read_pick(c, second, v->columns, &columns)) return lang_no_value();
    if (v->rank == RANK_MATRIX) return slice_matrix(c, v, &rows, &columns, n->span);
    if (rows.is_one) return lang_scalar(v->items[rows.first]);
    return (lang_value){
        .rank = RANK_VECTOR, .rows = (uint32_t)rows.count, .columns = 1, .items = v->items + rows.first};
}

/* An indexed output or part: its full name is a global. */
static lang_value family_member(lang_context *c, const lang_node *n)
{
    lang_binding *b = NULL;
    return lang_thing(c, n, &b) && b ? lang_value_of(c, b, n->span) : lang_no_value();
}

lang_value lang_index(lang_context *c, const lang_node *n)
{
    const lang_node *base = n->first;
    unsigned primes = 0;
    /* entries of x' are derivatives of entries of x: do not derive all of them for one */
    while (base->kind == NODE_PRIME) {
        primes += base->op;
        base = base->first;
    }
    lang_binding *b = base->kind == NODE_NAME ? lang_lookup(c, base->name) : NULL;
    if (base->kind == NODE_MEMBER) {
        const size_t errors = lang_error_count(c);
        (void)lang_thing(c, base, &b);
        if (lang_error_count(c) > errors) return lang_no_value();
    }
    const int is_family = b && b->kind == BIND_FAMILY;
    if (is_family && primes) { /* v'[1] of a family is v[1]' */
        lang_error(c, MECH_ERR_MODEL, n->first->span, NULL, "'%s' needs an index: %s[1]", lang_text_of(c, b->name),
                   lang_text_of(c, b->name));
        return lang_no_value();
    }
    const lang_value v = is_family ? lang_scalar(EXPR_ZERO) : lang_evaluate(c, base);
    if (v.rank == RANK_ERROR) return v;
    const lang_value entry = is_family ? family_member(c, n) : slice(c, &v, n);
    if (entry.rank == RANK_ERROR || primes == 0) return entry;
    const lang_value r = lang_prime(c, &entry, primes, n->first->mark);
    return lang_check_fault(c, n->first->mark) ? r : lang_no_value();
}
