/* Links: how one moves on its parent, and where that brings it. Velocities and accelerations go down the tree in the
 * axes of the links:
 *
 *   w = R^T w_p + w_joint                          R: to_parent, d: offset
 *   v = R^T (v_p + w_p x d) + v_joint
 *   alpha = R^T alpha_p + w x w_joint + w_joint'   (primes of components)
 *   a = R^T (a_p + spread_p d) + 2 w x v_joint + v_joint' */
#include "bodies/bodies.h"

#include "base/mem.h"

/* 1 - (2/N) (u2^2 + u3^2), ...: the rotation of Euler parameters of any length N^(1/2). So it is a rotation, and the
   velocities below belong to it, off the condition N = 1 too. */
static mat ball_rotation(mech_pool *p, body_link *l)
{
    const mech_expr *e = l->q;
    mech_expr squares[4], k[4];
    for (int i = 0; i < 4; i++) squares[i] = mech_mul(p, e[i], e[i]);
    l->twice = scalar_hold(p, mech_div(p, mech_rational(p, 2, 1), mech_sum(p, squares, 4)));
    for (int i = 0; i < 4; i++) k[i] = scalar_hold(p, mech_mul(p, l->twice, e[i]));
    mat r;
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, h = (i + 2) % 3;
        const mech_expr own[3] = {EXPR_ONE, mech_neg(p, mech_mul(p, k[j + 1], e[j + 1])),
                                  mech_neg(p, mech_mul(p, k[h + 1], e[h + 1]))};
        const mech_expr cross = mech_mul(p, k[i + 1], e[j + 1]), turn = mech_mul(p, k[0], e[h + 1]);
        r.x[i][i] = scalar_hold(p, mech_sum(p, own, 3));
        r.x[i][j] = scalar_hold(p, mech_sub(p, cross, turn));
        r.x[j][i] = scalar_hold(p, mech_add(p, cross, turn));
    }
    return expr_is_one(l->sign) ? r : mat_transpose(r);
}

/* Column k of d w/d e' in the axes after the turn: (2/N) times (-u; e0 1 - skew(u)), or for the inverse turn (u; -e0 1
   - skew(u)). */
static vec ball_rate(mech_pool *p, const body_link *l, size_t k)
{
    const mech_expr *e = l->q;
    vec r = vec_zero();
    const int same = expr_is_one(l->sign);
    if (k == 0) {
        for (int i = 0; i < 3; i++) r.x[i] = same ? mech_neg(p, e[i + 1]) : e[i + 1];
    } else {
        const size_t i = k - 1, j = (i + 1) % 3, h = (i + 2) % 3;
        r.x[i] = same ? e[0] : mech_neg(p, e[0]);
        r.x[j] = mech_neg(p, e[h + 1]); /* -u x unit_i */
        r.x[h] = e[j + 1];
    }
    return vec_scale(p, l->twice, r);
}

void bodies_link_rate(const mech_bodies *b, const body_link *l, size_t k, vec *w, vec *v)
{
    mech_pool *p = b->pool;
    *w = *v = vec_zero();
    const vec signed_axis = vec_scale(p, l->sign, l->axis);
    if (l->kind == LINK_BALL) *w = ball_rate(p, l, k);
    if (l->kind == LINK_TURN || l->kind == LINK_SCREW) *w = signed_axis;
    if (l->kind == LINK_SHIFT) *v = signed_axis;
    if (l->kind == LINK_SCREW) *v = vec_scale(p, l->lead, signed_axis);
}

/* skew(alpha) + skew(w)^2 */
static mat spread_of(mech_pool *p, vec alpha, vec w)
{
    mech_expr square[3];
    for (int i = 0; i < 3; i++) square[i] = scalar_hold(p, mech_mul(p, w.x[i], w.x[i]));
    mat u;
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, h = (i + 2) % 3;
        const mech_expr product = scalar_hold(p, mech_mul(p, w.x[i], w.x[j]));
        u.x[i][i] = scalar_hold(p, mech_neg(p, mech_add(p, square[j], square[h])));
        u.x[i][j] = scalar_hold(p, mech_sub(p, product, alpha.x[h]));
        u.x[j][i] = scalar_hold(p, mech_add(p, product, alpha.x[h]));
    }
    return u;
}

static void make_place(mech_bodies *b, body_link *l)
{
    mech_pool *p = b->pool;
    const body_link *up = &b->links[l->parent];
    const mech_expr signed_q = mech_mul(p, l->sign, l->q[0]);
    mat turn = mat_identity();
    l->offset = l->place;
    if (l->kind == LINK_TURN || l->kind == LINK_SCREW) turn = mat_rotation(p, l->axis, l->q[0]);
    if ((l->kind == LINK_TURN || l->kind == LINK_SCREW) && !expr_is_one(l->sign)) turn = mat_transpose(turn);
    if (l->kind == LINK_BALL) turn = ball_rotation(p, l);
    if (l->kind == LINK_SHIFT || l->kind == LINK_SCREW) {
        const mech_expr way = l->kind == LINK_SHIFT ? signed_q : mech_mul(p, l->lead, signed_q);
        l->offset = vec_add(p, l->place, vec_scale(p, way, mat_apply(p, l->place_axes, l->axis)));
    }
    l->to_parent = mat_times(p, l->place_axes, turn);
    l->R = mat_times(p, up->R, l->to_parent);
    l->r = vec_add(p, up->r, mat_apply(p, up->R, l->offset));
}

static void make_velocity(mech_bodies *b, body_link *l)
{
    mech_pool *p = b->pool;
    const body_link *up = &b->links[l->parent];
    vec w_joint = vec_zero(), v_joint = vec_zero(), w_rate = vec_zero(), v_rate = vec_zero();
    for (size_t k = 0; k < l->count; k++) {
        vec w, v;
        bodies_link_rate(b, l, k, &w, &v);
        w_joint = vec_add(p, w_joint, vec_scale(p, l->v[k], w));
        v_joint = vec_add(p, v_joint, vec_scale(p, l->v[k], v));
        w_rate = vec_add(p, w_rate, vec_scale(p, l->a[k], w));
        v_rate = vec_add(p, v_rate, vec_scale(p, l->a[k], v));
    }
    l->w_joint = w_joint;
    l->w = vec_add(p, mat_apply_transposed(p, l->to_parent, up->w), w_joint);
    l->velocity = vec_add(
        p, mat_apply_transposed(p, l->to_parent, vec_add(p, up->velocity, vec_cross(p, up->w, l->offset))), v_joint);
    vec own = vec_cross(p, l->w, w_joint);
    if (l->kind == LINK_BALL) { /* e'' = 0 leaves -(2/N) (e.e') w_joint */
        mech_expr terms[4];
        for (int i = 0; i < 4; i++) terms[i] = mech_mul(p, l->q[i], l->v[i]);
        const mech_expr sum = mech_sum(p, terms, 4), drift = scalar_hold(p, mech_mul(p, mech_neg(p, l->twice), sum));
        own = vec_add(p, own, vec_scale(p, drift, w_joint));
    }
    const vec carried = vec_scale(p, mech_rational(p, 2, 1), vec_cross(p, l->w, v_joint));
    for (int with = 0; with < 2; with++) {
        const vec down = vec_add(p, up->acceleration[with], mat_apply(p, up->spread[with], l->offset));
        l->alpha[with] = vec_add(p, mat_apply_transposed(p, l->to_parent, up->alpha[with]), own);
        l->acceleration[with] = vec_add(p, mat_apply_transposed(p, l->to_parent, down), carried);
        if (with) {
            l->alpha[1] = vec_add(p, l->alpha[1], w_rate);
            l->acceleration[1] = vec_add(p, l->acceleration[1], v_rate);
        }
        l->spread[with] = spread_of(p, l->alpha[with], l->w);
    }
}

mech_status bodies_add_link(mech_bodies *b, const body_link *link, size_t *number)
{
    if (!mem_grow(&b->links, &b->link_capacity, b->link_count + 1, sizeof *b->links)) return MECH_ERR_MEMORY;
    body_link *l = &b->links[b->link_count];
    *l = *link;
    for (size_t k = 0; k < l->count; k++) {
        if (!l->v[k].id) l->v[k] = mech_dot(b->pool, l->q[k]);
        l->a[k] = mech_dot(b->pool, l->v[k]);
        if (!l->a[k].id) return bodies_failure(b);
    }
    make_place(b, l);
    make_velocity(b, l);
    if (mech_pool_status(b->pool) != MECH_OK) return mech_pool_status(b->pool);
    *number = b->link_count++;
    return MECH_OK;
}
