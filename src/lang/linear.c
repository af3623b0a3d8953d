/* Built-in functions of vectors and matrices. */
#include "lang/call.h"
#include "lang/evaluate.h"

#include "base/mem.h"

/* Reports that the arguments do not fit, with the shapes they have. */
static lang_value misfit(lang_context *c, const lang_node *n, const lang_value *v, size_t count, const char *needs)
{
    char a[LANG_SHAPE_TEXT], b[LANG_SHAPE_TEXT];
    const char *name = lang_text_of(c, n->name);
    if (count == 1) lang_error(c, MECH_ERR_MODEL, n->span, NULL, "%s needs %s, not %s", name, needs, lang_shape(v, a));
    else
        lang_error(c, MECH_ERR_MODEL, n->span, NULL, "%s needs %s, not %s and %s", name, needs, lang_shape(v, a),
                   lang_shape(v + 1, b));
    return lang_no_value();
}

lang_value lang_fn_dot(lang_context *c, const lang_node *n, const lang_value *v, size_t count, int which)
{
    (void)which;
    if (v[0].rank != RANK_VECTOR || !lang_same_shape(&v[0], &v[1]))
        return misfit(c, n, v, count, "two vectors of one length");
    return lang_scalar(lang_dot(c, v[0].items, 1, v[1].items, 1, v[0].rows));
}

lang_value lang_fn_norm(lang_context *c, const lang_node *n, const lang_value *v, size_t count, int which)
{
    (void)which;
    if (v[0].rank != RANK_VECTOR) return misfit(c, n, v, count, "a vector");
    return lang_scalar(mech_sqrt(c->pool, lang_dot(c, v[0].items, 1, v[0].items, 1, v[0].rows)));
}

lang_value lang_fn_sum(lang_context *c, const lang_node *n, const lang_value *v, size_t count, int which)
{
    (void)which;
    if (v[0].rank != RANK_VECTOR) return misfit(c, n, v, count, "a vector, or an index: sum(i in 1..N: ...)");
    return lang_scalar(mech_sum(c->pool, v[0].items, v[0].rows));
}

/* a_i*b_j - a_j*b_i */
static mech_expr minor_of(lang_context *c, const mech_expr *a, const mech_expr *b, int i, int j)
{
    /* not as arguments of one call: compilers differ in which they make first, and what is made first prints first */
    const mech_expr second = mech_mul(c->pool, a[j], b[i]), first = mech_mul(c->pool, a[i], b[j]);
    return mech_sub(c->pool, first, second);
}

lang_value lang_fn_cross(lang_context *c, const lang_node *n, const lang_value *v, size_t count, int which)
{
    (void)which;
    const mech_expr *a = v[0].items, *b = v[1].items;
    if (v[0].rank != RANK_VECTOR || !lang_same_shape(&v[0], &v[1]) || (v[0].rows != 2 && v[0].rows != 3))
        return misfit(c, n, v, count, "two vectors of 3 (or of 2)");
    if (v[0].rows == 2) return lang_scalar(minor_of(c, a, b, 0, 1));
    lang_value r = lang_make(c, RANK_VECTOR, 3, 1, n->span);
    if (r.rank == RANK_ERROR) return r;
    for (int i = 0; i < 3; i++) r.items[i] = minor_of(c, a, b, (i + 1) % 3, (i + 2) % 3);
    return r;
}

lang_value lang_fn_transpose(lang_context *c, const lang_node *n, const lang_value *v, size_t count, int which)
{
    (void)which;
    if (v[0].rank == RANK_VECTOR) {
        lang_error(c, MECH_ERR_MODEL, n->span, "a vector is neither row nor column: write dot(a, b), dot(a, M*b)",
                   "a vector has no transpose");
        return lang_no_value();
    }
    return v[0].rank == RANK_MATRIX ? lang_transpose(c, &v[0], n->span) : misfit(c, n, v, count, "a matrix");
}

static lang_value zeros(lang_context *c, size_t rows, size_t columns, int rank, mech_span span)
{
    lang_value r = lang_make(c, rank, rows, columns, span);
    for (size_t i = 0; r.rank != RANK_ERROR && i < lang_size(&r); i++) r.items[i] = EXPR_ZERO;
    return r;
}

/* diag([a, b]) or diag(a, b) */
lang_value lang_fn_diag(lang_context *c, const lang_node *n, const lang_value *v, size_t count, int which)
{
    const int of_vector = count == 1 && v[0].rank == RANK_VECTOR;
    const size_t size = of_vector ? v[0].rows : count;
    (void)which;
    lang_value r = zeros(c, size, size, RANK_MATRIX, n->span);
    for (size_t i = 0; r.rank != RANK_ERROR && i < size; i++) {
        if (!of_vector && v[i].rank != RANK_SCALAR) return misfit(c, n, v + i, 1, "a vector or numbers");
        r.items[i * size + i] = of_vector ? v[0].items[i] : v[i].scalar;
    }
    return r;
}

lang_value lang_fn_skew(lang_context *c, const lang_node *n, const lang_value *v, size_t count, int which)
{
    (void)which;
    if (v[0].rank != RANK_VECTOR || v[0].rows != 3) return misfit(c, n, v, count, "a vector of 3");
    lang_value r = zeros(c, 3, 3, RANK_MATRIX, n->span);
    for (size_t i = 0; r.rank != RANK_ERROR && i < 3; i++) {
        const size_t j = (i + 1) % 3, k = (i + 2) % 3;
        r.items[3 * k + j] = v[0].items[i];
        r.items[3 * j + k] = mech_neg(c->pool, v[0].items[i]);
    }
    return r;
}

/* Rotation about axis `which` by an angle: the plane of the next two axes turns. */
lang_value lang_fn_rotation(lang_context *c, const lang_node *n, const lang_value *v, size_t count, int which)
{
    if (v[0].rank != RANK_SCALAR) return misfit(c, n, v, count, "an angle");
    const size_t i = (size_t)which, j = (i + 1) % 3, k = (i + 2) % 3;
    lang_value r = zeros(c, 3, 3, RANK_MATRIX, n->span);
    if (r.rank == RANK_ERROR) return r;
    const mech_expr sine = mech_call(c->pool, MECH_FUNCTION_SIN, &v[0].scalar, 1);
    r.items[3 * i + i] = EXPR_ONE;
    r.items[3 * j + j] = r.items[3 * k + k] = mech_call(c->pool, MECH_FUNCTION_COS, &v[0].scalar, 1);
    r.items[3 * j + k] = mech_neg(c->pool, sine);
    r.items[3 * k + j] = sine;
    return r;
}

/* The homogeneous form: R = (e0^2 - u.u) I + 2 u u^T + 2 e0 skew(u), e = (e0, u). A rotation times e.e. */
lang_value lang_fn_quaternion(lang_context *c, const lang_node *n, const lang_value *v, size_t count, int which)
{
    mech_pool *p = c->pool;
    (void)which;
    if (v[0].rank != RANK_VECTOR || v[0].rows != 4)
        return misfit(c, n, v, count, "a vector of 4, the scalar part first");
    lang_value r = zeros(c, 3, 3, RANK_MATRIX, n->span);
    if (r.rank == RANK_ERROR) return r;
    const mech_expr *e = v[0].items, *u = e + 1, two = mech_rational(p, 2, 1);
    for (size_t i = 0; i < 3; i++) {
        const size_t j = (i + 1) % 3, k = (i + 2) % 3;
        const mech_expr squares[4] = {mech_mul(p, e[0], e[0]), mech_mul(p, u[i], u[i]),
                                      mech_neg(p, mech_mul(p, u[j], u[j])), mech_neg(p, mech_mul(p, u[k], u[k]))};
        const mech_expr uu = mech_mul(p, u[i], u[j]), e0u = mech_mul(p, e[0], u[k]);
        r.items[3 * i + i] = mech_sum(p, squares, 4);
        r.items[3 * i + j] = mech_mul(p, two, mech_sub(p, uu, e0u));
        r.items[3 * j + i] = mech_mul(p, two, mech_add(p, uu, e0u));
    }
    return r;
}

/* Angular velocity: the vector of R' R^T (space-fixed components), or of R^T R' (body-fixed). */
lang_value lang_fn_omega(lang_context *c, const lang_node *n, const lang_value *v, size_t count, int which)
{
    if (v[0].rank != RANK_MATRIX || v[0].rows != 3 || v[0].columns != 3)
        return misfit(c, n, v, count, "a 3 x 3 rotation matrix");
    const lang_value rate = lang_prime(c, &v[0], 1, n->span), turned = lang_transpose(c, &v[0], n->span);
    const lang_value w = rate.rank == RANK_ERROR ? rate
                         : which == 0            ? lang_multiply(c, &rate, &turned, n->span)
                                                 : lang_multiply(c, &turned, &rate, n->span);
    lang_value r = lang_make(c, RANK_VECTOR, 3, 1, n->span);
    if (w.rank == RANK_ERROR || r.rank == RANK_ERROR) return lang_no_value();
    for (size_t i = 0; i < 3; i++) r.items[i] = expr_tidy(c->pool, w.items[3 * ((i + 2) % 3) + (i + 1) % 3]);
    return r;
}

/* A derivative goes through all of its expression: that is what it costs. */
static int spend_size(lang_context *c, mech_expr e, size_t times, mech_span span)
{
    uint32_t *ids = NULL;
    size_t capacity = 0, count = 0;
    const mech_status status = expr_reachable(c->pool, &e, 1, &ids, &capacity, &count);
    mem_free(ids);
    if (status != MECH_OK) lang_out_of_memory(c);
    return status == MECH_OK && lang_spend_steps(c, count * times, span);
}

/* d(e, x): a number by a number; gradient of a number, Jacobian of a vector by a vector */
lang_value lang_fn_derivative(lang_context *c, const lang_node *n, const lang_value *v, size_t count, int which)
{
    (void)count, (void)which;
    const size_t rows = lang_size(&v[0]), columns = lang_size(&v[1]);
    const lang_node *by = n->first->next;
    for (size_t j = 0; j < columns; j++)
        if (!expr_is_symbol(c->pool, lang_items(&v[1])[j])) {
            lang_error(c, MECH_ERR_MODEL, by->span,
                       "it may be a coordinate x, a velocity x', a parameter, a state or t",
                       "a derivative is taken by a single symbol");
            return lang_no_value();
        }
    for (size_t i = 0; i < rows; i++)
        if (model_holds_late(c->model, lang_items(&v[0])[i])) {
            lang_error(c, MECH_ERR_MODEL, n->first->span, "write out what is to be derived",
                       "energies of the whole model, and forces of control and friction, have no derivative here");
            return lang_no_value();
        }
    if (v[0].rank + v[1].rank > 2) return misfit(c, n, v, 2, "a number or a vector, and what to derive it by");
    for (size_t i = 0; i < rows; i++)
        if (!spend_size(c, lang_items(&v[0])[i], columns, n->span)) return lang_no_value();
    lang_value r = v[1].rank == RANK_SCALAR   ? lang_make_like(c, &v[0], n->span)
                   : v[0].rank == RANK_SCALAR ? lang_make_like(c, &v[1], n->span)
                                              : lang_make(c, RANK_MATRIX, rows, columns, n->span);
    if (r.rank == RANK_ERROR) return r;
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < columns; j++) {
            const mech_expr e = mech_derivative(c->pool, lang_items(&v[0])[i], lang_items(&v[1])[j]);
            if (r.rank == RANK_SCALAR) r.scalar = e;
            else r.items[i * columns + j] = e;
        }
    return r;
}

/* zeros(n), zeros(n, m), identity(n) */
lang_value lang_fn_filled(lang_context *c, const lang_node *n, int which)
{
    int64_t size[2] = {1, 1};
    size_t i = 0;
    for (const lang_node *a = n->first; a; a = a->next, i++) {
        if (!lang_integer(c, a, "a size", &size[i])) return lang_no_value();
        if (size[i] < 1) {
            lang_error(c, MECH_ERR_MODEL, a->span, NULL, "a size must be at least 1");
            return lang_no_value();
        }
    }
    if (which == WHICH_IDENTITY) size[1] = size[0];
    const int rank = which == WHICH_IDENTITY || n->count == 2 ? RANK_MATRIX : RANK_VECTOR;
    lang_value r = zeros(c, (size_t)size[0], (size_t)size[1], rank, n->span);
    for (size_t k = 0; r.rank != RANK_ERROR && which == WHICH_IDENTITY && k < r.rows; k++)
        r.items[k * r.columns + k] = EXPR_ONE;
    return r;
}
