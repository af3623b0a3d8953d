/* Vectors and matrices of expressions. */
#include "bodies/vector.h"

mech_expr scalar_hold(mech_pool *p, mech_expr e) { return e.id ? expr_held(p, e, NULL) : e; }

vec vec_zero(void) { return (vec){{EXPR_ZERO, EXPR_ZERO, EXPR_ZERO}}; }

vec vec_unit(size_t axis)
{
    vec v = vec_zero();
    v.x[axis] = EXPR_ONE;
    return v;
}

vec vec_add(mech_pool *p, vec a, vec b)
{
    vec r;
    for (int i = 0; i < 3; i++) r.x[i] = scalar_hold(p, mech_add(p, a.x[i], b.x[i]));
    return r;
}

vec vec_sub(mech_pool *p, vec a, vec b)
{
    vec r;
    for (int i = 0; i < 3; i++) r.x[i] = scalar_hold(p, mech_sub(p, a.x[i], b.x[i]));
    return r;
}

vec vec_scale(mech_pool *p, mech_expr s, vec a)
{
    vec r;
    for (int i = 0; i < 3; i++) r.x[i] = scalar_hold(p, mech_mul(p, s, a.x[i]));
    return r;
}

mech_expr scalar_add_products(mech_pool *p, mech_expr a, mech_expr b, mech_expr c, mech_expr d)
{
    const mech_expr second = mech_mul(p, c, d), first = mech_mul(p, a, b);
    return mech_add(p, first, second);
}

mech_expr scalar_sub_products(mech_pool *p, mech_expr a, mech_expr b, mech_expr c, mech_expr d)
{
    const mech_expr second = mech_mul(p, c, d), first = mech_mul(p, a, b);
    return mech_sub(p, first, second);
}

vec vec_cross(mech_pool *p, vec a, vec b)
{
    vec r;
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        r.x[i] = scalar_hold(p, scalar_sub_products(p, a.x[j], b.x[k], a.x[k], b.x[j]));
    }
    return r;
}

static mech_expr three(mech_pool *p, mech_expr a, mech_expr b, mech_expr c, vec v)
{
    const mech_expr terms[3] = {mech_mul(p, a, v.x[0]), mech_mul(p, b, v.x[1]), mech_mul(p, c, v.x[2])};
    return scalar_hold(p, mech_sum(p, terms, 3));
}

mech_expr vec_dot(mech_pool *p, vec a, vec b) { return three(p, a.x[0], a.x[1], a.x[2], b); }

int vec_is_zero(vec a) { return expr_is_zero(a.x[0]) && expr_is_zero(a.x[1]) && expr_is_zero(a.x[2]); }

mat mat_zero(void)
{
    mat r;
    for (int i = 0; i < 9; i++) r.x[i / 3][i % 3] = EXPR_ZERO;
    return r;
}

mat mat_identity(void)
{
    mat r = mat_zero();
    for (int i = 0; i < 3; i++) r.x[i][i] = EXPR_ONE;
    return r;
}

mat mat_transpose(mat a)
{
    mat r;
    for (int i = 0; i < 9; i++) r.x[i / 3][i % 3] = a.x[i % 3][i / 3];
    return r;
}

mat mat_add(mech_pool *p, mat a, mat b)
{
    mat r;
    for (int i = 0; i < 9; i++) r.x[i / 3][i % 3] = scalar_hold(p, mech_add(p, a.x[i / 3][i % 3], b.x[i / 3][i % 3]));
    return r;
}

vec mat_column(mat a, size_t column) { return (vec){{a.x[0][column], a.x[1][column], a.x[2][column]}}; }

mat mat_times(mech_pool *p, mat a, mat b)
{
    mat r;
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j < 3; j++) r.x[i][j] = three(p, a.x[i][0], a.x[i][1], a.x[i][2], mat_column(b, j));
    return r;
}

vec mat_apply(mech_pool *p, mat a, vec v)
{
    vec r;
    for (int i = 0; i < 3; i++) r.x[i] = three(p, a.x[i][0], a.x[i][1], a.x[i][2], v);
    return r;
}

vec mat_apply_and_cross(mech_pool *p, mat m, vec v, vec a, vec b)
{
    const vec second = vec_cross(p, a, b), first = mat_apply(p, m, v);
    return vec_add(p, first, second);
}

mech_expr vec_two_dots(mech_pool *p, vec a, vec b, vec c, vec d)
{
    const mech_expr second = vec_dot(p, c, d), first = vec_dot(p, a, b);
    return mech_add(p, first, second);
}

vec mat_apply_transposed(mech_pool *p, mat a, vec v) { return mat_apply(p, mat_transpose(a), v); }

mat mat_turn(mech_pool *p, mat a, mat b)
{
    const mat left = mat_times(p, a, b);
    mat r;
    for (size_t i = 0; i < 3; i++)
        for (size_t j = 0; j <= i; j++)
            r.x[i][j] = r.x[j][i] =
                three(p, left.x[i][0], left.x[i][1], left.x[i][2], (vec){{a.x[j][0], a.x[j][1], a.x[j][2]}});
    return r;
}

/* cos 1 + (1 - cos) n n^T + sin skew(n) */
mat mat_rotation(mech_pool *p, vec n, mech_expr angle)
{
    const mech_expr c = mech_call(p, MECH_FUNCTION_COS, &angle, 1), s = mech_call(p, MECH_FUNCTION_SIN, &angle, 1);
    const mech_expr rest = scalar_hold(p, mech_sub(p, EXPR_ONE, c));
    mat r;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            mech_expr e;
            if (i == j) { /* 1 - (1 - n_i^2) (1 - cos): exact where n is an axis */
                const mech_expr square = mech_mul(p, n.x[i], n.x[i]);
                e = expr_is_one(square)    ? EXPR_ONE
                    : expr_is_zero(square) ? c
                                           : mech_add(p, c, mech_mul(p, rest, square));
            } else {
                const mech_expr turn = mech_mul(p, s, n.x[3 - i - j]);
                const mech_expr second = (j - i + 3) % 3 == 1 ? mech_neg(p, turn) : turn;
                e = mech_add(p, mech_product(p, (mech_expr[]){rest, n.x[i], n.x[j]}, 3), second);
            }
            r.x[i][j] = scalar_hold(p, e);
        }
    }
    return r;
}
