/* Masses and forces of the tree, as one inertia term for each part of it that hangs on the ground by itself:
 *
 *   M      composite bodies: all that hangs on a link, as if it were rigid, moved by its coordinates alone; its
 *          momentum, seen from the links above, gives the entries of its rows: handed from link to link, or in long
 *          trees in axes that all share
 *   bias   Newton-Euler: the forces that the motion with q'' = 0 needs, summed up towards the ground
 *   weight from the composite bodies, with gravity taken down the tree in the axes of the links
 *   T, V   sums over what bodies weigh, for the account of energy */
#include "bodies/bodies.h"

#include "base/mem.h"
#include "base/try.h"

typedef struct link_work {
    link_mass own, composite;
    vec force, torque; /* of the motion with q'' = 0, on all that hangs on it, about its origin, its axes */
    vec gravity;       /* in its axes                                                                     */
    mech_expr scale;   /* a ball: J of the term 2*J*dot(e, e')^2                                          */
    size_t root;       /* the link on the ground that it hangs on                                         */
    size_t first;      /* of its coordinates, within the root's                                           */
    /* in long trees: in the axes of the root, points from the origin of the link `base` */
    mat shared;                               /* its axes there                                        */
    size_t base, steps;                       /* itself or the nearest above that is one; steps to it  */
    vec at, jump;                             /* its origin; a base: from the base of its parent       */
    vec rate_w[LINK_MOST], rate_v[LINK_MOST]; /* of its coordinates, of what is at the base's origin   */
} link_work;

typedef struct tree_work {
    mech_bodies *b;
    mech_pool *p;
    link_work *links;
    mech_expr *coords, *mass, *force; /* of one root */
    size_t count;
    int is_shared; /* its rows are seen in axes that all share */
} tree_work;

static size_t entry(size_t i, size_t j) { return i >= j ? i * (i + 1) / 2 + j : j * (j + 1) / 2 + i; }

/* ---- what links carry ---- */

/* Which axis a link turns about, if it is one of its own: 3, where it is none. */
static size_t turned_axis(const body_link *l)
{
    if (l->kind != LINK_TURN && l->kind != LINK_SCREW) return 3;
    for (size_t i = 0; i < 3; i++)
        if (expr_is_one(l->axis.x[i]) || l->axis.x[i].id == EXPR_ID_MINUS_ONE) return i;
    return 3;
}

/* R I R^T about one of the axes takes 8 products: with a = I_jj - I_kk, b = 2 I_jk and x = s a + c b it is
   I_jj - s x, I_kk + s x, c x - I_jk, and the other two entries are a vector that is turned. */
static mat turn_about(mech_pool *p, const body_link *l, size_t axis, mat inertia)
{
    const size_t j = (axis + 1) % 3, k = (axis + 2) % 3;
    const mech_expr c = mech_call(p, MECH_FUNCTION_COS, l->q, 1),
                    s = mech_product(
                        p, (mech_expr[]){l->sign, l->axis.x[axis], mech_call(p, MECH_FUNCTION_SIN, l->q, 1)}, 3);
    const mech_expr a = scalar_hold(p, mech_sub(p, inertia.x[j][j], inertia.x[k][k])),
                    twice = mech_mul(p, mech_rational(p, 2, 1), inertia.x[j][k]);
    const mech_expr x = scalar_hold(p, scalar_add_products(p, s, a, c, twice)), sx = scalar_hold(p, mech_mul(p, s, x));
    mat r = inertia;
    r.x[j][j] = scalar_hold(p, mech_sub(p, inertia.x[j][j], sx));
    r.x[k][k] = scalar_hold(p, mech_add(p, inertia.x[k][k], sx));
    r.x[j][k] = r.x[k][j] = scalar_hold(p, mech_sub(p, mech_mul(p, c, x), inertia.x[j][k]));
    const mech_expr y = inertia.x[axis][j], z = inertia.x[axis][k];
    r.x[axis][j] = r.x[j][axis] = scalar_hold(p, scalar_sub_products(p, c, y, s, z));
    r.x[axis][k] = r.x[k][axis] = scalar_hold(p, scalar_add_products(p, s, y, c, z));
    return r;
}

static void add_composite(const tree_work *t, size_t number)
{
    const body_link *l = &t->b->links[number];
    link_mass *from = &t->links[number].composite;
    const size_t axis = turned_axis(l);
    if (l->parent == 0) return;
    const link_mass turned = {from->mass, mat_apply(t->p, l->to_parent, from->moment),
                              axis < 3 ? mat_turn(t->p, l->place_axes, turn_about(t->p, l, axis, from->inertia))
                                       : mat_turn(t->p, l->to_parent, from->inertia)};
    bodies_shift_mass(t->p, &turned, l->offset, &t->links[l->parent].composite);
}

static void make_composites(const tree_work *t)
{
    const mech_bodies *b = t->b;
    for (size_t i = 0; i < b->link_count; i++) t->links[i].own = bodies_no_mass();
    for (size_t i = 0; i < b->body_count; i++) bodies_body_mass(b, &b->bodies[i], &t->links[b->bodies[i].link].own);
    for (size_t i = 0; i < b->link_count; i++) t->links[i].composite = t->links[i].own;
    for (size_t i = b->link_count; i-- > 1;) add_composite(t, i);
}

/* ---- forces ---- */

/* The force and the torque about its origin that a link's own mass needs: m a + S h, and of the second moments
   X = tr(I)/2 1 - I the unsymmetric part of S X, and h x a. */
void bodies_newton_euler(mech_pool *p, const link_mass *m, vec acceleration, mat spread, vec *force, vec *torque)
{
    const mech_expr half = mech_rational(p, 1, 2);
    const mech_expr trace =
        mech_mul(p, half, mech_sum(p, (mech_expr[]){m->inertia.x[0][0], m->inertia.x[1][1], m->inertia.x[2][2]}, 3));
    mat second;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            second.x[i][j] =
                scalar_hold(p, i == j ? mech_sub(p, trace, m->inertia.x[i][j]) : mech_neg(p, m->inertia.x[i][j]));
    const vec spun = mat_apply(p, spread, m->moment);
    *force = vec_add(p, vec_scale(p, m->mass, acceleration), spun);
    const vec carried = vec_cross(p, m->moment, acceleration);
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        mech_expr terms[7] = {carried.x[i]};
        for (int h = 0; h < 3; h++) {
            terms[1 + 2 * h] = mech_mul(p, spread.x[k][h], second.x[h][j]);
            terms[2 + 2 * h] = mech_neg(p, mech_mul(p, spread.x[j][h], second.x[h][k]));
        }
        torque->x[i] = scalar_hold(p, mech_sum(p, terms, 7));
    }
}

static void make_forces(const tree_work *t)
{
    const mech_bodies *b = t->b;
    mech_pool *p = t->p;
    t->links[0].gravity = b->gravity;
    for (size_t i = 1; i < b->link_count; i++) {
        const body_link *l = &b->links[i];
        link_work *w = &t->links[i];
        bodies_newton_euler(p, &w->own, l->acceleration[0], l->spread[0], &w->force, &w->torque);
        w->gravity = mat_apply_transposed(p, l->to_parent, t->links[l->parent].gravity);
    }
    for (size_t i = b->link_count; i-- > 1;) {
        const body_link *l = &b->links[i];
        if (l->parent == 0) continue;
        link_work *up = &t->links[l->parent];
        const vec force = mat_apply(p, l->to_parent, t->links[i].force),
                  torque = mat_apply(p, l->to_parent, t->links[i].torque);
        up->force = vec_add(p, up->force, force);
        up->torque = vec_add(p, up->torque, vec_add(p, torque, vec_cross(p, l->offset, force)));
    }
}

/* ---- one root ---- */

/* A ball's coordinates have a length that nothing moves: 2*J*dot(e, e')^2, which is 0 where they have length 1, gives
   it a mass. Its share of Q is -4*J*(e'.e') e. */
static void add_length(const tree_work *t, const body_link *l, const link_work *w, mech_expr *kinetic)
{
    mech_pool *p = t->p;
    const mech_expr four = mech_mul(p, mech_rational(p, 4, 1), w->scale);
    mech_expr squares[4], products[4];
    for (int i = 0; i < 4; i++) {
        squares[i] = mech_mul(p, l->v[i], l->v[i]);
        products[i] = mech_mul(p, l->q[i], l->v[i]);
    }
    const mech_expr speed = scalar_hold(p, mech_mul(p, four, mech_sum(p, squares, 4))),
                    along = scalar_hold(p, mech_sum(p, products, 4));
    for (size_t i = 0; i < 4; i++) {
        const size_t at = w->first + i;
        for (size_t j = 0; j <= i; j++) {
            mech_expr *m = &t->mass[entry(at, w->first + j)];
            *m = mech_add(p, *m, mech_product(p, (mech_expr[]){four, l->q[i], l->q[j]}, 3));
        }
        t->force[at] = mech_sub(p, t->force[at], mech_mul(p, speed, l->q[i]));
    }
    *kinetic = mech_add(p, *kinetic, mech_product(p, (mech_expr[]){mech_rational(p, 2, 1), w->scale, along, along}, 4));
}

/* What the links above see of a momentum, handed from link to link. */
static void hand_up(const tree_work *t, size_t number, size_t row, vec force, vec torque)
{
    const mech_bodies *b = t->b;
    mech_pool *p = t->p;
    for (size_t at = number, up = b->links[at].parent; up != 0; at = up, up = b->links[up].parent) {
        const body_link *here = &b->links[at], *above = &b->links[up];
        force = mat_apply(p, here->to_parent, force);
        torque = mat_apply_and_cross(p, here->to_parent, torque, here->offset, force);
        for (size_t i = 0; i < above->count; i++) {
            vec other_w, other_v;
            bodies_link_rate(b, above, i, &other_w, &other_v);
            t->mass[entry(row, t->links[up].first + i)] =
                scalar_hold(p, vec_two_dots(p, other_v, force, other_w, torque));
        }
    }
}

/* The same in the axes that all share, about the origin of the base. */
static void look_down(const tree_work *t, size_t number, size_t row, vec own_force, vec own_torque)
{
    const mech_bodies *b = t->b;
    mech_pool *p = t->p;
    const link_work *w = &t->links[number];
    const vec force = mat_apply(p, w->shared, own_force);
    vec torque = mat_apply_and_cross(p, w->shared, own_torque, w->at, force);
    size_t base = w->base;
    for (size_t up = b->links[number].parent; up != 0; up = b->links[up].parent) {
        const link_work *above = &t->links[up];
        if (above->base != base) {
            const vec moved = vec_cross(p, t->links[base].jump, force);
            torque = vec_add(p, torque, moved);
        }
        base = above->base;
        for (size_t i = 0; i < b->links[up].count; i++)
            t->mass[entry(row, above->first + i)] =
                scalar_hold(p, vec_two_dots(p, above->rate_v[i], force, above->rate_w[i], torque));
    }
}

/* Rows of one link: the momentum of its composite for each of its coordinates, and what the links above see of it. */
static void make_rows(const tree_work *t, size_t number)
{
    const mech_bodies *b = t->b;
    mech_pool *p = t->p;
    const body_link *l = &b->links[number];
    const link_work *w = &t->links[number];
    for (size_t k = 0; k < l->count; k++) {
        vec rate_w, rate_v, other_w, other_v;
        bodies_link_rate(b, l, k, &rate_w, &rate_v);
        const link_mass *c = &w->composite;
        const vec turned = vec_cross(p, rate_w, c->moment);
        const vec force = vec_add(p, vec_scale(p, c->mass, rate_v), turned);
        const vec torque = mat_apply_and_cross(p, c->inertia, rate_w, c->moment, rate_v);
        const vec weight = vec_scale(p, c->mass, w->gravity), tilt = vec_cross(p, c->moment, w->gravity);
        const mech_expr gravity = vec_two_dots(p, rate_v, weight, rate_w, tilt);
        const mech_expr bias = vec_two_dots(p, rate_v, w->force, rate_w, w->torque);
        t->coords[w->first + k] = l->q[k];
        t->force[w->first + k] = mech_sub(p, gravity, bias);
        for (size_t i = 0; i <= k; i++) {
            bodies_link_rate(b, l, i, &other_w, &other_v);
            t->mass[entry(w->first + k, w->first + i)] =
                scalar_hold(p, vec_two_dots(p, other_v, force, other_w, torque));
        }
        if (t->is_shared) look_down(t, number, w->first + k, force, torque);
        else hand_up(t, number, w->first + k, force, torque);
    }
}

/* ---- axes that all links of a tree share ---- */

/* Handing a momentum up costs two turned vectors and a product for each link above. In axes that all share it is turned
   once, and each link above takes two scalar products; but the axes of all links must be known there. So long trees
   gain: half of the statements of a chain of 50 hinges. A momentum is taken about the origin of a link not far above,
   the base, so that no digits are lost between large arms. */
enum { SHARED_STEPS = 8 }; /* links from base to base */

static void share_axes(const tree_work *t, size_t number)
{
    const body_link *l = &t->b->links[number];
    mech_pool *p = t->p;
    link_work *w = &t->links[number];
    const link_work *up = &t->links[l->parent];
    if (l->parent == 0) {
        w->shared = mat_identity();
        w->base = number;
        w->at = w->jump = vec_zero();
    } else {
        w->shared =
            up->base == l->parent && up->root == l->parent ? l->to_parent : mat_times(p, up->shared, l->to_parent);
        const vec at = vec_add(p, up->at, mat_apply(p, up->shared, l->offset));
        const int is_base = up->steps + 1 == SHARED_STEPS;
        w->base = is_base ? number : up->base;
        w->steps = is_base ? 0 : up->steps + 1;
        w->at = is_base ? vec_zero() : at;
        w->jump = at;
    }
    for (size_t i = 0; i < l->count; i++) {
        vec rate_w, rate_v;
        bodies_link_rate(t->b, l, i, &rate_w, &rate_v);
        w->rate_w[i] = mat_apply(p, w->shared, rate_w);
        rate_v = mat_apply(p, w->shared, rate_v);
        w->rate_v[i] = vec_add(p, rate_v, vec_cross(p, w->at, w->rate_w[i]));
    }
}

static size_t products(mat a)
{
    size_t count = 0;
    for (int i = 0; i < 9; i++) count += !expr_is_zero(a.x[i / 3][i % 3]);
    return count;
}

/* Products either way: from link to link those of each step, for all coordinates that hang on it; shared, those of the
   axes of each link, of turning its momenta, and of each pair of coordinates. */
static int sharing_pays(const tree_work *t, size_t root)
{
    const mech_bodies *b = t->b;
    size_t handed = 0, shared = 0;
    for (size_t i = root; i < b->link_count; i++) {
        if (t->links[i].root != root || i == root) continue;
        const size_t count = b->links[i].count;
        size_t depth = 0;
        for (size_t at = i, up = b->links[at].parent; up != 0; at = up, up = b->links[up].parent, depth++) {
            handed += count * (2 * products(b->links[at].to_parent) + 6);
            shared += count * 6 * b->links[up].count;
        }
        shared += 3 * products(b->links[i].to_parent) + 9 + count * (24 + 6 + 6 * (depth / SHARED_STEPS));
    }
    return shared + shared / 8 < handed;
}

/* Squares where an inertia has moments or can be taken apart, so that M is seen to be positive. */
static mech_expr turning_energy(mech_pool *p, const body_mass *part, vec w)
{
    mat m = part->inertia;
    mech_expr sum = EXPR_ZERO;
    if (part->has_moments) {
        w = mat_apply_transposed(p, part->axes, w);
        for (int i = 0; i < 3; i++)
            sum = mech_add(p, sum, mech_product(p, (mech_expr[]){part->moments.x[i], w.x[i], w.x[i]}, 3));
        return sum;
    }
    for (int i = 0; i < 3; i++) { /* I = L D L^T */
        if (expr_is_zero(m.x[i][i])) continue;
        mech_expr along = w.x[i];
        for (int j = i + 1; j < 3; j++) {
            const mech_expr factor = mech_div(p, m.x[j][i], m.x[i][i]);
            along = mech_add(p, along, mech_mul(p, factor, w.x[j]));
            for (int k = i + 1; k < 3; k++)
                m.x[j][k] = scalar_hold(p, mech_sub(p, m.x[j][k], mech_mul(p, factor, m.x[i][k])));
        }
        along = scalar_hold(p, along);
        sum = mech_add(p, sum, mech_product(p, (mech_expr[]){m.x[i][i], along, along}, 3));
    }
    return sum;
}

static mech_expr kinetic_of(const tree_work *t, const body *k)
{
    mech_pool *p = t->p;
    const body_link *l = &t->b->links[k->link];
    const vec w = mat_apply_transposed(p, k->axes, l->w);
    mech_expr sum = EXPR_ZERO;
    for (size_t i = 0; i < k->mass_count; i++) {
        const body_mass *part = &k->masses[i];
        const vec center = vec_add(p, k->origin, mat_apply(p, k->axes, part->center));
        const vec v = vec_add(p, l->velocity, vec_cross(p, l->w, center));
        for (int j = 0; j < 3; j++)
            sum = mech_add(p, sum, mech_product(p, (mech_expr[]){part->mass, v.x[j], v.x[j]}, 3));
        sum = mech_add(p, sum, turning_energy(p, part, w));
    }
    return mech_mul(p, mech_rational(p, 1, 2), sum);
}

static mech_status add_root(const tree_work *t, size_t root)
{
    mech_bodies *b = t->b;
    mech_pool *p = t->p;
    const body_link *l = &b->links[root];
    const link_work *w = &t->links[root];
    for (size_t i = 0; i < t->count * (t->count + 1) / 2; i++) t->mass[i] = EXPR_ZERO;
    mech_expr kinetic = EXPR_ZERO;
    for (size_t i = root; t->is_shared && i < b->link_count; i++)
        if (t->links[i].root == root) share_axes(t, i);
    for (size_t i = root; i < b->link_count; i++) {
        if (t->links[i].root != root) continue;
        make_rows(t, i);
        if (b->links[i].kind == LINK_BALL) add_length(t, &b->links[i], &t->links[i], &kinetic);
    }
    for (size_t i = 0; i < b->body_count; i++)
        if (b->bodies[i].link && t->links[b->bodies[i].link].root == root)
            kinetic = mech_add(p, kinetic, kinetic_of(t, &b->bodies[i]));
    const mech_expr height = mech_mul(p, w->composite.mass, vec_dot(p, b->gravity, l->r)),
                    tilt = vec_dot(p, w->gravity, w->composite.moment);
    const mech_expr potential = mech_neg(p, mech_add(p, height, tilt));
    if (!kinetic.id || !potential.id) return bodies_failure(b);
    return model_add_inertia(b->model, t->coords, t->count, t->mass, t->force, kinetic, potential);
}

static void number_coords(tree_work *t, size_t root)
{
    t->count = 0;
    for (size_t i = root; i < t->b->link_count; i++) {
        if (t->links[i].root != root) continue;
        t->links[i].first = t->count;
        t->count += t->b->links[i].count;
    }
}

/* A third of the trace, or 1 where nothing turns with it. */
static mech_expr scale_of(const tree_work *t, const link_mass *m)
{
    const mech_expr trace =
        mech_sum(t->p, (mech_expr[]){m->inertia.x[0][0], m->inertia.x[1][1], m->inertia.x[2][2]}, 3);
    if (!(bodies_number(t->b, trace) > 0)) return EXPR_ONE;
    return scalar_hold(t->p, mech_mul(t->p, mech_rational(t->p, 1, 3), trace));
}

static mech_status make_tree(tree_work *t)
{
    const mech_bodies *b = t->b;
    size_t most = 0;
    make_composites(t);
    make_forces(t);
    t->links[0].root = 0;
    for (size_t i = 1; i < b->link_count; i++) {
        t->links[i].root = b->links[i].parent ? t->links[b->links[i].parent].root : i;
        t->links[i].scale = scale_of(t, &t->links[i].own);
        most += b->links[i].count;
    }
    t->coords = mem_zeroed(most + 1, sizeof *t->coords);
    t->force = mem_zeroed(most + 1, sizeof *t->force);
    t->mass = mem_zeroed(most * (most + 1) / 2 + 1, sizeof *t->mass);
    if (!t->coords || !t->force || !t->mass) return MECH_ERR_MEMORY;
    for (size_t root = 1; root < b->link_count; root++) {
        if (b->links[root].parent != 0) continue;
        number_coords(t, root);
        t->is_shared = sharing_pays(t, root);
        MECH_TRY(add_root(t, root));
    }
    return mech_pool_status(t->p);
}

mech_status bodies_add_inertia(mech_bodies *b)
{
    tree_work t = {.b = b, .p = b->pool, .links = mem_zeroed(b->link_count, sizeof *t.links)};
    const mech_status status = t.links ? make_tree(&t) : MECH_ERR_MEMORY;
    mem_free(t.links);
    mem_free(t.coords);
    mem_free(t.mass);
    mem_free(t.force);
    return status;
}
