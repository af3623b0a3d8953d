/* Values while a model is read: a scalar, a vector or a matrix of expressions. */
#ifndef LANG_VALUE_H
#define LANG_VALUE_H

#include "base/diagnostics.h"
#include "expr/pool.h"

enum { RANK_ERROR = -1, RANK_SCALAR = 0, RANK_VECTOR = 1, RANK_MATRIX = 2 };

typedef struct lang_value {
    int rank;               /* RANK_ERROR: something was reported; it spreads in silence */
    uint32_t rows, columns; /* a vector has 1 column                                     */
    mech_expr scalar;       /* rank 0                                                    */
    mech_expr *items;       /* ranks 1 and 2: by row; never changed once made            */
} lang_value;

typedef struct lang_context lang_context;

static inline size_t lang_size(const lang_value *v) { return (size_t)v->rows * v->columns; }
static inline const mech_expr *lang_items(const lang_value *v)
{
    return v->rank == RANK_SCALAR ? &v->scalar : v->items;
}
static inline int lang_same_shape(const lang_value *a, const lang_value *b)
{
    return a->rank == b->rank && a->rows == b->rows && a->columns == b->columns;
}

lang_value lang_no_value(void);
lang_value lang_scalar(mech_expr e);
/* A new value on the scratch stack, entries not set; an error value when a limit is reached. */
lang_value lang_make(lang_context *c, int rank, size_t rows, size_t columns, mech_span span);
lang_value lang_make_like(lang_context *c, const lang_value *shape, mech_span span);

/* "a number", "a vector of 3", "a 2 x 3 matrix" */
enum { LANG_SHAPE_TEXT = 48 };
const char *lang_shape(const lang_value *v, char text[LANG_SHAPE_TEXT]);

/* Products of values that are not both scalars; span is the operator. */
lang_value lang_scale(lang_context *c, const lang_value *v, mech_expr factor, mech_span span);
lang_value lang_multiply(lang_context *c, const lang_value *a, const lang_value *b, mech_span span);
lang_value lang_transpose(lang_context *c, const lang_value *m, mech_span span);
lang_value lang_subtract(lang_context *c, const lang_value *a, const lang_value *b, mech_span span);
lang_value lang_prime(lang_context *c, const lang_value *v, unsigned times, mech_span span);
/* Sum of a[i]*b[i], strides in entries. */
mech_expr lang_dot(lang_context *c, const mech_expr *a, size_t stride_a, const mech_expr *b, size_t stride_b,
                   size_t count);

#endif
