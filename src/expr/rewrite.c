/* Rewriting: symbols replaced, products of sums multiplied out, and the shorter of two forms. */
#include "expr/intern.h"

#include "base/mem.h"
#include "expr/numbers.h"
#include "expr/walk.h"

/* A node built anew from the images of its operands; image[position] in the order of the walk. */
static mech_expr rebuild(mech_pool *p, uint32_t id, const uint32_t *image)
{
    const expr_node n = p->nodes[id];
    mech_expr result = {0};
    if (n.kind == EXPR_FUN) {
        mech_expr arguments[3];
        for (uint32_t i = 0; i < n.count && i < 3; i++) arguments[i].id = image[p->local[p->operands[n.first + i]]];
        return mech_call(p, (mech_function)n.function, arguments, n.count);
    }
    if (n.kind == EXPR_HELD) {
        const mech_expr of = {image[p->local[p->operands[n.first]]]};
        if (of.id == p->operands[n.first]) return (mech_expr){id};
        if (expr_is_zero(of)) return of; /* nothing is left to hold */
        return n.count == 1 ? expr_held(p, of, expr_held_name_of(p, id))
                            : expr_held_own(p, of, expr_held_name_of(p, id), n.classes);
    }
    expr_pairs list;
    pairs_init(&list);
    uint32_t number = n.kind == EXPR_ADD ? p->operands[n.first] : EXPR_ID_ONE, child;
    int ok = 1;
    for (uint32_t i = 0; ok && (child = expr_child(p, &n, i)) != 0; i++) {
        const uint32_t new_child = image[p->local[child]];
        if (n.kind == EXPR_ADD) ok = expr_push_term(p, &list, &number, new_child, p->operands[n.first + 2 * i + 1]);
        else ok = expr_push_factor(p, &list, &number, new_child, p->operands[n.first + 2 * i + 1]);
    }
    if (ok) result = n.kind == EXPR_ADD ? expr_sum_of(p, number, &list) : expr_product_of(p, number, &list);
    pairs_free(&list);
    return result;
}

/* The image of a node whose operands have theirs; 0: none. */
typedef uint32_t image_of(mech_pool *p, uint32_t id, const uint32_t *image, const void *user);

/* e with each node that the walk keeps (keep NULL: all) in the place of its image. */
static mech_expr rewrite(mech_pool *p, mech_expr e, int (*keep)(const mech_pool *, uint32_t, unsigned), image_of *of,
                         const void *user, int *is_whole)
{
    uint32_t *ids = NULL, *image = NULL;
    size_t capacity = 0, n = 0, i = 0;
    mech_expr result = {0};
    mech_status status = expr_walk(p, &e, 1, keep, 0, &ids, &capacity, &n);
    if (status == MECH_OK && !(image = mem_alloc(n * sizeof *image))) status = MECH_ERR_MEMORY;
    if (status != MECH_OK && p->status == MECH_OK) p->status = status;
    for (; i < n && status == MECH_OK; i++)
        if (!(image[i] = of(p, ids[i], image, user))) break;
    *is_whole = status == MECH_OK && i == n && n > 0;
    if (*is_whole) result.id = image[n - 1];
    mem_free(ids);
    mem_free(image);
    return result;
}

typedef struct replacement {
    const mech_expr *from, *to;
    size_t count;
} replacement;

static uint32_t substitute_in(mech_pool *p, uint32_t id, const uint32_t *image, const void *user)
{
    const replacement *r = user;
    const expr_kind kind = p->nodes[id].kind;
    if (kind == EXPR_NUM || kind == EXPR_PI) return id;
    if (kind != EXPR_SYM) return rebuild(p, id, image).id;
    for (size_t i = 0; i < r->count; i++)
        if (r->from[i].id == id) return r->to[i].id;
    return id;
}

mech_expr mech_substitute(mech_pool *p, mech_expr e, const mech_expr *symbols, const mech_expr *values, size_t count)
{
    int is_whole;
    return e.id ? rewrite(p, e, NULL, substitute_in, &(replacement){symbols, values, count}, &is_whole) : e;
}

/* Position in an ascending list; SIZE_MAX: not there. */
static size_t position_of(uint32_t id, const mech_expr *nodes, size_t count)
{
    size_t low = 0, high = count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (nodes[middle].id < id) low = middle + 1;
        else high = middle;
    }
    return low < count && nodes[low].id == id ? low : SIZE_MAX;
}

/* What nothing is replaced in stays itself: it is not built anew. */
static uint32_t replace_in(mech_pool *p, uint32_t id, const uint32_t *image, const void *user)
{
    const replacement *r = user;
    const expr_node node = p->nodes[id];
    const size_t at = position_of(id, r->from, r->count);
    int changed = 0;
    uint32_t child;
    if (at != SIZE_MAX) return r->to[at].id;
    for (uint32_t k = 0; !changed && (child = expr_child(p, &node, k)) != 0; k++)
        changed = image[p->local[child]] != child;
    return changed ? rebuild(p, id, image).id : id;
}

mech_expr expr_replace(mech_pool *p, mech_expr e, const mech_expr *nodes, const mech_expr *values, size_t count)
{
    int is_whole;
    return e.id ? rewrite(p, e, NULL, replace_in, &(replacement){nodes, values, count}, &is_whole) : e;
}

/* ---- multiplying out ---- */

static int keep_sums(const mech_pool *p, uint32_t id, unsigned user)
{
    (void)user;
    return p->nodes[id].kind == EXPR_ADD || p->nodes[id].kind == EXPR_MUL;
}

/* terms = terms * (one sum or other node): 1 done, 0 failed or more than `limit` terms. */
static int multiply(mech_pool *p, expr_pairs *terms, uint32_t factor, size_t limit)
{
    expr_pairs other, product;
    pairs_init(&other);
    pairs_init(&product);
    uint32_t c0 = EXPR_ID_ZERO;
    int ok = expr_push_term(p, &other, &c0, factor, EXPR_ID_ONE);
    if (ok && c0 != EXPR_ID_ZERO) ok = pairs_push(p, &other, EXPR_ID_ONE, c0);
    ok = ok && terms->count * other.count <= limit;
    for (size_t i = 0; i < terms->count && ok; i++) {
        for (size_t j = 0; j < other.count && ok; j++) {
            const mech_expr node = mech_mul(p, (mech_expr){terms->items[i].node}, (mech_expr){other.items[j].node});
            const uint32_t coef = num_mul(p, terms->items[i].number, other.items[j].number);
            ok = node.id && pairs_push(p, &product, node.id, coef);
        }
    }
    terms->count = 0;
    for (size_t i = 0; i < product.count && ok; i++)
        ok = pairs_push(p, terms, product.items[i].node, product.items[i].number);
    pairs_free(&other);
    pairs_free(&product);
    return ok;
}

/* The product's own image with sums to small positive powers multiplied out; 0 when it grows too long. */
static uint32_t expand_product(mech_pool *p, uint32_t id, const uint32_t *image, size_t limit)
{
    const expr_node n = p->nodes[id];
    expr_pairs terms;
    pairs_init(&terms);
    int ok = pairs_push(p, &terms, EXPR_ID_ONE, EXPR_ID_ONE);
    for (uint32_t i = 0; i < n.count && ok; i += 2) {
        const uint32_t base = p->operands[n.first + i], exponent = p->operands[n.first + i + 1];
        const expr_number e = num_of(p, exponent);
        const uint32_t new_base = keep_sums(p, base, 0) ? image[p->local[base]] : base;
        const int is_sum = new_base && p->nodes[new_base].kind == EXPR_ADD;
        if (is_sum && number_is_integer(e) && e.num > 0 && e.num <= 4) {
            for (int64_t k = 0; k < e.num && ok; k++) ok = multiply(p, &terms, new_base, limit);
        } else {
            const mech_expr power = mech_pow(p, (mech_expr){new_base}, (mech_expr){exponent});
            ok = power.id && multiply(p, &terms, power.id, limit);
        }
    }
    uint32_t c0 = EXPR_ID_ZERO, result = 0;
    expr_pairs flat;
    pairs_init(&flat);
    for (size_t i = 0; i < terms.count && ok; i++)
        ok = expr_push_term(p, &flat, &c0, terms.items[i].node, terms.items[i].number);
    if (ok) result = expr_sum_of(p, c0, &flat).id;
    pairs_free(&flat);
    pairs_free(&terms);
    return result;
}

/* A sum's image; sums of expanded products. 0 when it grows too long. */
static uint32_t expand_sum(mech_pool *p, uint32_t id, const uint32_t *image, size_t limit)
{
    const expr_node n = p->nodes[id];
    expr_pairs terms;
    pairs_init(&terms);
    uint32_t c0 = p->operands[n.first], result = 0;
    int ok = 1;
    for (uint32_t i = 1; i < n.count && ok; i += 2) {
        const uint32_t child = p->operands[n.first + i + 1];
        const uint32_t new_child = keep_sums(p, child, 0) ? image[p->local[child]] : child;
        ok = expr_push_term(p, &terms, &c0, new_child, p->operands[n.first + i]);
        /* sums that were flat to begin with may be as long as they are */
        if (new_child != child && terms.count > limit) ok = 0;
    }
    if (ok) result = expr_sum_of(p, c0, &terms).id;
    pairs_free(&terms);
    return result;
}

static uint32_t expand_in(mech_pool *p, uint32_t id, const uint32_t *image, const void *limit)
{
    const size_t most = *(const size_t *)limit;
    return p->nodes[id].kind == EXPR_MUL ? expand_product(p, id, image, most) : expand_sum(p, id, image, most);
}

mech_expr expr_expand(mech_pool *p, mech_expr e, size_t limit)
{
    int is_whole;
    if (!e.id || !keep_sums(p, e.id, 0)) return e;
    const mech_expr result = rewrite(p, e, keep_sums, expand_in, &limit, &is_whole);
    if (mech_pool_status(p) != MECH_OK) return (mech_expr){0};
    return is_whole ? result : e;
}

/* How many terms e would have when multiplied out, and whether there is anything to multiply; no nodes are
   made. Counts beyond `limit` stay there. */
static size_t count_terms(mech_pool *p, mech_expr e, size_t limit, int *nested)
{
    uint32_t *ids = NULL;
    size_t capacity = 0, n = 0, result = limit + 1;
    *nested = 0;
    size_t *counts =
        expr_walk(p, &e, 1, keep_sums, 0, &ids, &capacity, &n) == MECH_OK ? mem_alloc((n + 1) * sizeof *counts) : NULL;
    for (size_t i = 0; counts && i < n; i++) {
        const expr_node *node = &p->nodes[ids[i]];
        const uint32_t *o = &p->operands[node->first];
        const int is_sum = node->kind == EXPR_ADD;
        size_t count = is_sum ? o[0] != EXPR_ID_ZERO : 1;
        uint32_t child;
        for (uint32_t k = 0; (child = expr_child(p, node, k)) != 0; k++) {
            const size_t below = keep_sums(p, child, 0) ? counts[p->local[child]] : 1;
            const expr_number power = is_sum ? number_integer(1) : num_of(p, o[2 * k + 1]);
            const int64_t times = number_is_integer(power) && power.num >= 1 && power.num <= 4 ? power.num : 0;
            if (!is_sum && below > 1 && times) *nested = 1;
            if (is_sum) count += below;
            for (int64_t t = 0; !is_sum && t < times && count <= limit; t++) count *= below;
        }
        counts[i] = count > limit ? limit + 1 : count;
    }
    if (counts && n) result = counts[n - 1];
    if (!counts && p->status == MECH_OK) p->status = MECH_ERR_MEMORY;
    mem_free(counts);
    mem_free(ids);
    return result;
}

mech_expr expr_tidy(mech_pool *p, mech_expr e)
{
    enum { LONGEST = 40 };
    int nested;
    if (!e.id || !keep_sums(p, e.id, 0)) return e;
    if (count_terms(p, e, LONGEST, &nested) > LONGEST || !nested) return e;
    const mech_expr expanded = expr_expand(p, e, LONGEST);
    if (!expanded.id || expanded.id == e.id) return expanded;
    return expr_cost(p, expanded) < expr_cost(p, e) ? expanded : e;
}
