/* Arithmetic of scalars, vectors and matrices of expressions. */
#include "lang/context.h"

#include <stdio.h>

lang_value lang_no_value(void) { return (lang_value){.rank = RANK_ERROR}; }

lang_value lang_scalar(mech_expr e) { return (lang_value){.rank = RANK_SCALAR, .rows = 1, .columns = 1, .scalar = e}; }

lang_value lang_make(lang_context *c, int rank, size_t rows, size_t columns, mech_span span)
{
    const size_t count = rows * columns;
    if (rows > LANG_MAX_VALUE || columns > LANG_MAX_VALUE) {
        lang_spend_entries(c, rows > columns ? rows : columns, span);
        return lang_no_value();
    }
    if (!lang_spend_entries(c, count, span)) return lang_no_value();
    if (rank == RANK_SCALAR) return lang_scalar(EXPR_ZERO);
    mech_expr *items = lang_scratch_take(c, count, sizeof *items);
    if (!items) return lang_no_value();
    return (lang_value){.rank = rank, .rows = (uint32_t)rows, .columns = (uint32_t)columns, .items = items};
}

lang_value lang_make_like(lang_context *c, const lang_value *shape, mech_span span)
{
    return lang_make(c, shape->rank, shape->rows, shape->columns, span);
}

const char *lang_shape(const lang_value *v, char text[LANG_SHAPE_TEXT])
{
    if (v->rank == RANK_VECTOR) snprintf(text, LANG_SHAPE_TEXT, "a vector of %u", v->rows);
    else if (v->rank == RANK_MATRIX) snprintf(text, LANG_SHAPE_TEXT, "a %u x %u matrix", v->rows, v->columns);
    else snprintf(text, LANG_SHAPE_TEXT, "a number");
    return text;
}

/* Where the entries of a value that is being made go. */
static mech_expr *entries(lang_value *v) { return v->rank == RANK_SCALAR ? &v->scalar : v->items; }

mech_expr lang_dot(lang_context *c, const mech_expr *a, size_t stride_a, const mech_expr *b, size_t stride_b,
                   size_t count)
{
    const lang_mark mark = lang_scratch_mark(c);
    mech_expr *terms = lang_scratch_take(c, count, sizeof *terms);
    if (!terms) return (mech_expr){0};
    for (size_t i = 0; i < count; i++) terms[i] = mech_mul(c->pool, a[i * stride_a], b[i * stride_b]);
    const mech_expr sum = mech_sum(c->pool, terms, count);
    lang_scratch_release(c, mark);
    return sum;
}

lang_value lang_scale(lang_context *c, const lang_value *v, mech_expr factor, mech_span span)
{
    lang_value r = lang_make_like(c, v, span);
    if (r.rank == RANK_ERROR) return r;
    const mech_expr *from = lang_items(v);
    mech_expr *to = entries(&r);
    for (size_t i = 0; i < lang_size(v); i++) to[i] = mech_mul(c->pool, from[i], factor);
    return r;
}

static lang_value mismatch(lang_context *c, const lang_value *a, const lang_value *b, const char *hint, mech_span span)
{
    char left[LANG_SHAPE_TEXT], right[LANG_SHAPE_TEXT];
    lang_error(c, MECH_ERR_MODEL, span, hint, "cannot multiply %s by %s", lang_shape(a, left), lang_shape(b, right));
    return lang_no_value();
}

/* matrix * vector, matrix * matrix; the inner sizes agree */
static lang_value matrix_product(lang_context *c, const lang_value *a, const lang_value *b, mech_span span)
{
    lang_value r = lang_make(c, b->rank, a->rows, b->columns, span);
    if (r.rank == RANK_ERROR) return r;
    if (!lang_spend_work(c, lang_size(&r) * a->columns, span)) return lang_no_value();
    for (size_t i = 0; i < a->rows; i++)
        for (size_t j = 0; j < b->columns; j++)
            r.items[i * b->columns + j] =
                lang_dot(c, a->items + i * a->columns, 1, b->items + j, b->columns, a->columns);
    return r;
}

lang_value lang_multiply(lang_context *c, const lang_value *a, const lang_value *b, mech_span span)
{
    if (a->rank == RANK_ERROR || b->rank == RANK_ERROR) return lang_no_value();
    if (a->rank == RANK_SCALAR) return lang_scale(c, b, a->scalar, span);
    if (b->rank == RANK_SCALAR) return lang_scale(c, a, b->scalar, span);
    if (a->rank == RANK_VECTOR && b->rank == RANK_VECTOR)
        return mismatch(c, a, b, "use dot(a, b) or cross(a, b)", span);
    if (a->rank == RANK_VECTOR) return mismatch(c, a, b, "a vector stands to the right: transpose(M)*v", span);
    if (a->columns != b->rows)
        return mismatch(c, a, b, "the columns of the left factor must be as many as the rows of the right one", span);
    return matrix_product(c, a, b, span);
}

lang_value lang_transpose(lang_context *c, const lang_value *m, mech_span span)
{
    lang_value r = lang_make(c, RANK_MATRIX, m->columns, m->rows, span);
    if (r.rank == RANK_ERROR) return r;
    for (size_t i = 0; i < m->rows; i++)
        for (size_t j = 0; j < m->columns; j++) r.items[j * m->rows + i] = m->items[i * m->columns + j];
    return r;
}

lang_value lang_subtract(lang_context *c, const lang_value *a, const lang_value *b, mech_span span)
{
    lang_value r = lang_make_like(c, a, span);
    if (r.rank == RANK_ERROR) return r;
    const mech_expr *left = lang_items(a), *right = lang_items(b);
    mech_expr *to = entries(&r);
    for (size_t i = 0; i < lang_size(a); i++) to[i] = mech_sub(c->pool, left[i], right[i]);
    return r;
}

/* Whether a run looks at what the statement at hand says, or may do so by its name, while it moves. */
static int is_looked_at(const lang_context *c)
{
    return c->statement_kind != STATEMENT_INITIAL && c->statement_kind != STATEMENT_DRAW;
}

lang_value lang_prime(lang_context *c, const lang_value *v, unsigned times, mech_span span)
{
    lang_value r = lang_make_like(c, v, span);
    if (r.rank == RANK_ERROR) return r;
    const mech_expr *from = lang_items(v);
    mech_expr *to = entries(&r);
    for (size_t i = 0; i < lang_size(v); i++) {
        to[i] = from[i];
        for (unsigned k = 0; k < times && to[i].id; k++) {
            const char *sampled = model_sampled_name(c->model, to[i]);
            if (sampled) {
                lang_error(
                    c, MECH_ERR_MODEL, span,
                    "prime the rest alone, as x' for (x - s)'; a difference of samples is one more sampled value",
                    "the sampled value '%s' jumps, and has no slope", sampled);
                return lang_no_value();
            }
            if (is_looked_at(c)) lang_take_status(c, model_note_primed(c->model, to[i]));
            to[i] = mech_dot(c->pool, to[i]);
        }
    }
    return r;
}
