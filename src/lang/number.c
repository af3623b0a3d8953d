/* Values that shape the model: bounds, sizes, indices, conditions of blocks. Computed in numbers; the
   parameters they use become structural. */
#include "lang/evaluate.h"

#include "base/mem.h"
#include "lang/lexer.h"

#include <math.h>
#include <string.h>

/* Marks the parameters below e, and those their values use, as structural. */
static int mark_params(lang_context *c, mech_expr e)
{
    const lang_mark mark = lang_scratch_mark(c);
    mech_expr *pending = lang_scratch_take(c, c->model->params_count + 1, sizeof *pending);
    uint32_t *ids = NULL;
    size_t capacity = 0, count = 0, left = 0;
    mech_status status = pending ? MECH_OK : MECH_ERR_MEMORY;
    if (pending) pending[left++] = e;
    while (left > 0 && status == MECH_OK) {
        const mech_expr root = pending[--left];
        status = expr_reachable(c->pool, &root, 1, &ids, &capacity, &count);
        for (size_t i = 0; i < count && status == MECH_OK; i++) {
            const mech_expr s = {ids[i]};
            if (!expr_is_symbol(c->pool, s) || expr_symbol_of(c->pool, s)->class_bit != EXPR_PARAM) continue;
            const model_param *p = &c->model->params[expr_symbol_of(c->pool, s)->index];
            if (p->is_structural) continue;
            model_mark_structural(c->model, s);
            if (p->value.id && expr_classes(c->pool, p->value)) pending[left++] = p->value;
        }
    }
    mem_free(ids);
    lang_scratch_release(c, mark);
    if (status != MECH_OK) lang_out_of_memory(c);
    return status == MECH_OK;
}

/* A symbol below e that is no parameter; its name, or NULL. */
static const char *culprit(lang_context *c, mech_expr e)
{
    uint32_t *ids = NULL;
    size_t capacity = 0, count = 0;
    const char *name = NULL;
    if (expr_reachable(c->pool, &e, 1, &ids, &capacity, &count) != MECH_OK) lang_out_of_memory(c);
    else
        for (size_t i = 0; i < count && !name; i++) {
            const mech_expr s = {ids[i]};
            if (expr_is_symbol(c->pool, s) && expr_symbol_of(c->pool, s)->class_bit != EXPR_PARAM)
                name = expr_symbol_of(c->pool, s)->name;
        }
    mem_free(ids);
    return name;
}

/* The number a scalar stands for: 1, or 0 when it holds more than numbers and parameters. */
static int constant_of(lang_context *c, mech_expr e, double *value)
{
    const unsigned classes = expr_classes(c->pool, e);
    if (classes & ~(unsigned)EXPR_PARAM) return 0;
    if (!classes && expr_is_number(c->pool, e)) {
        *value = expr_number_of(c->pool, e)->value;
        return 1;
    }
    const mech_status status = model_constant(c->model, e, value);
    lang_take_status(c, status);
    return status == MECH_OK && mark_params(c, e);
}

int lang_are_zero(lang_context *c, mech_expr a, mech_expr b)
{
    double x, y = 0;
    if (model_constant(c->model, a, &x) != MECH_OK || x != 0) return 0;
    if (b.id && (model_constant(c->model, b, &y) != MECH_OK || y != 0)) return 0;
    return mark_params(c, a) && (!b.id || mark_params(c, b));
}

static int quick(lang_context *c, const lang_node *n, double *value);

static int quick_name(lang_context *c, const lang_node *n, double *value)
{
    lang_binding *b = lang_lookup(c, n->name);
    if (!b || b->value.rank != RANK_SCALAR || b->kind >= BIND_FUNCTION) return 0;
    if (!b->has_number && !constant_of(c, b->value.scalar, &b->number)) return 0;
    b->has_number = 1;
    *value = b->number;
    return 1;
}

static int quick_chain(lang_context *c, const lang_node *n, double *value)
{
    double total = 0;
    for (const lang_node *e = n->first; e; e = e->next) {
        double v;
        if (!quick(c, e, &v)) return 0;
        if (e == n->first) total = v;
        else if (e->joint == TOK_PLUS) total += v;
        else if (e->joint == TOK_MINUS) total -= v;
        else if (e->joint == TOK_STAR) total *= v;
        else total /= v;
    }
    *value = total;
    return 1;
}

/* Plain arithmetic without the pool; 0: it is more than that. Its depth is that of the tree. */
static int quick(lang_context *c, const lang_node *n, double *value)
{
    if (!lang_spend_steps(c, 1, n->span)) return 0;
    switch ((lang_node_kind)n->kind) {
    case NODE_NUMBER:
        if (!n->value.id) ((lang_node *)n)->value = expr_decimal(c->pool, n->text, n->length);
        return lang_check_fault(c, n->span) && constant_of(c, n->value, value);
    case NODE_NAME: return quick_name(c, n, value);
    case NODE_ADD:
    case NODE_MULTIPLY: return quick_chain(c, n, value);
    case NODE_NEGATE:
        if (!quick(c, n->first, value)) return 0;
        *value = -*value;
        return 1;
    default: return 0;
    }
}

int lang_number(lang_context *c, const lang_node *n, const char *what, double *value)
{
    if (!n || lang_is_over(c)) return 0;
    if (quick(c, n, value) && isfinite(*value)) return 1;
    const lang_value v = lang_evaluate_scalar(c, n, what);
    if (v.rank == RANK_ERROR || lang_is_over(c)) return 0;
    if (constant_of(c, v.scalar, value)) {
        if (isfinite(*value)) return 1;
        lang_error(c, MECH_ERR_MODEL, n->span, NULL, "%s has no finite value", what);
        return 0;
    }
    const char *name = culprit(c, v.scalar);
    lang_error(c, MECH_ERR_MODEL, n->span,
               strcmp(what, "the condition of a block") == 0
                   ? "it may hold numbers, parameters and loop indices; a value that changes is if(condition, a, b)"
                   : "it may hold numbers, parameters and loop indices",
               "%s must be known when the model is read, but it depends on '%s'", what, name ? name : "the motion");
    return 0;
}

int lang_integer(lang_context *c, const lang_node *n, const char *what, int64_t *value)
{
    double v;
    if (!lang_number(c, n, what, &v)) return 0;
    const double nearest = round(v);
    if (fabs(v - nearest) > 1e-9 * (1 + fabs(v))) {
        lang_error(c, MECH_ERR_MODEL, n->span, NULL, "%s must be a whole number, not %.6g", what, v);
        return 0;
    }
    if (fabs(nearest) > 1e15) {
        lang_error(c, MECH_ERR_LIMIT, n->span, NULL, "%s is too large", what);
        return 0;
    }
    *value = (int64_t)nearest;
    return 1;
}

int lang_range(lang_context *c, const lang_node *n, lang_bounds *b)
{
    b->step = 1;
    if (!lang_integer(c, n->first, "the first of a range", &b->first)) return 0;
    if (!lang_integer(c, n->first->next, "the last of a range", &b->last)) return 0;
    const lang_node *step = n->first->next->next;
    if (step && !lang_integer(c, step, "the step of a range", &b->step)) return 0;
    if (b->step == 0) {
        lang_error(c, MECH_ERR_MODEL, step->span, NULL, "the step of a range cannot be 0");
        return 0;
    }
    return 1;
}

size_t lang_range_count(const lang_bounds *b)
{
    if (b->step > 0 ? b->last < b->first : b->last > b->first) return 0;
    return (size_t)((b->last - b->first) / b->step) + 1;
}

int lang_title_indices(lang_context *c, const lang_title *t, int64_t indices[2])
{
    size_t i = 0;
    if (t->index_count > 2) {
        lang_error(c, MECH_ERR_MODEL, t->span, NULL, "a name takes at most two indices");
        return 0;
    }
    for (const lang_node *n = t->indices; n; n = n->next) {
        if (n->kind == NODE_RANGE) {
            lang_error(c, MECH_ERR_MODEL, n->span, "use a loop: for i in 1..N { ... }",
                       "a single index is needed here, not a range");
            return 0;
        }
        if (!lang_integer(c, n, "an index", &indices[i++])) return 0;
    }
    return 1;
}
