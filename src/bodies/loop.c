/* Joints as conditions. Index 1 is the place before, 2 the place after; u, w, n are right-angled unit vectors, n the
 * axis, fixed in either place. Each condition is such that its multiplier gives a force and a torque on the body after:
 *
 *   P2 - P1 = 0                       force lambda, in the axes of the body on which both hang: what that does turns no
 *   condition
 *   a1.(P2 - P1) = 0                  force lambda a1 at P2
 *   a1.b2 = 0                         torque lambda b2 x a1
 *   angle2 - angle1 = 0 (plane)       torque lambda
 *   ((P2 - P1)^2 - l^2)/2l = 0        force lambda (P2 - P1)/l
 *   a2.(P2 - P1) = 0 (slot)           force lambda a2 at P1 */
#include "bodies/bodies.h"

#include "base/mem.h"
#include "base/try.h"

enum { MOST_ROWS = 6, SCREW_ADVANCE = 4 };

typedef struct loop_frame {
    vec way;              /* P2 - P1                                */
    vec n[2], u[2], w[2]; /* of the place before, the place after   */
    vec p[2];
} loop_frame;

typedef struct loop_rows {
    mech_expr residual[MOST_ROWS];
    vec force[MOST_ROWS], torque[MOST_ROWS]; /* for a multiplier of 1, about P2 */
    size_t count;
} loop_rows;

static mech_status make_frame(mech_bodies *b, const body_joint *j, loop_frame *f)
{
    const size_t who[2] = {j->before, j->after};
    const vec at[2] = {j->at_before, j->at_after};
    const mat turned[2] = {j->turned_before, j->turned_after};
    vec across[2] = {vec_zero(), vec_zero()};
    if (j->kind == MECH_JOINT_FIXED) {
        across[0] = vec_unit(0);
        across[1] = vec_unit(1);
    } else if (!vec_is_zero(j->axis)) {
        bodies_across(b, j->axis, across);
    }
    for (int i = 0; i < 2; i++) {
        MECH_TRY(bodies_place(b, who[i], at[i], &f->p[i]));
        const vec axis = j->kind == MECH_JOINT_FIXED                 ? vec_unit(2)
                         : j->kind == MECH_JOINT_UNIVERSAL && i == 1 ? j->second
                                                                     : j->axis;
        f->n[i] = bodies_direction(b, who[i], turned[i], axis);
        f->u[i] = bodies_direction(b, who[i], turned[i], across[0]);
        f->w[i] = bodies_direction(b, who[i], turned[i], across[1]);
    }
    for (int i = 0; i < 3; i++) f->way.x[i] = mech_sub(b->pool, f->p[1].x[i], f->p[0].x[i]);
    return mech_pool_status(b->pool);
}

static void add(loop_rows *rows, mech_expr residual, vec force, vec torque)
{
    rows->residual[rows->count] = residual;
    rows->force[rows->count] = force;
    rows->torque[rows->count++] = torque;
}

static mech_expr plain_dot(mech_pool *p, vec a, vec b)
{
    const mech_expr terms[3] = {mech_mul(p, a.x[0], b.x[0]), mech_mul(p, a.x[1], b.x[1]), mech_mul(p, a.x[2], b.x[2])};
    return mech_sum(p, terms, 3);
}

/* The body, or the ground, on which both hang. */
static size_t common_body(const mech_bodies *b, size_t one, size_t two)
{
    for (; one != SIZE_MAX && one != MECH_GROUND; one = b->bodies[one].parent)
        for (size_t k = two; k != SIZE_MAX && k != MECH_GROUND; k = b->bodies[k].parent)
            if (k == one) return k;
    return MECH_GROUND;
}

static mech_status add_coincidence(mech_bodies *b, const body_joint *j, const loop_frame *f, loop_rows *rows)
{
    body *k = &b->bodies[common_body(b, j->before, j->after)];
    MECH_TRY(bodies_make_values(b, k));
    for (size_t i = 0; i < b->dimension; i++) {
        const vec direction = mat_column(k->R, i);
        add(rows, plain_dot(b->pool, direction, f->way), direction, vec_zero());
    }
    return MECH_OK;
}

/* No way along a direction of the place before. */
static void add_no_way(const mech_bodies *b, const loop_frame *f, vec direction, loop_rows *rows)
{
    add(rows, plain_dot(b->pool, direction, f->way), direction, vec_zero());
}

static void add_right_angle(const mech_bodies *b, vec before, vec after, mech_expr value, loop_rows *rows)
{
    add(rows, mech_sub(b->pool, plain_dot(b->pool, before, after), value), vec_zero(),
        vec_cross(b->pool, after, before));
}

static void add_parallel_axes(const mech_bodies *b, const loop_frame *f, loop_rows *rows)
{
    add_right_angle(b, f->u[0], f->n[1], EXPR_ZERO, rows);
    add_right_angle(b, f->w[0], f->n[1], EXPR_ZERO, rows);
}

static mech_expr plane_turn(mech_bodies *b, const body_joint *j)
{
    mech_pool *p = b->pool;
    const mech_expr after =
        mech_call(p, MECH_FUNCTION_ATAN2, (mech_expr[]){j->turned_after.x[1][0], j->turned_after.x[0][0]}, 2);
    const mech_expr before =
        mech_call(p, MECH_FUNCTION_ATAN2, (mech_expr[]){j->turned_before.x[1][0], j->turned_before.x[0][0]}, 2);
    const mech_expr bodies = mech_sub(p, b->bodies[j->after].turned, b->bodies[j->before].turned);
    return mech_add(p, bodies, mech_sub(p, after, before));
}

static void add_same_axes(mech_bodies *b, const body_joint *j, const loop_frame *f, loop_rows *rows)
{
    if (b->dimension == 2) {
        add(rows, plane_turn(b, j), vec_zero(), vec_unit(2));
        return;
    }
    add_parallel_axes(b, f, rows);
    add_right_angle(b, f->w[0], f->u[1], EXPR_ZERO, rows);
}

static void add_slot(const mech_bodies *b, const loop_frame *f, vec direction, loop_rows *rows)
{
    const vec back = vec_scale(b->pool, EXPR_MINUS_ONE, f->way);
    add(rows, plain_dot(b->pool, direction, f->way), direction, vec_cross(b->pool, back, direction));
}

static void add_distance(const mech_bodies *b, const body_joint *j, const loop_frame *f, loop_rows *rows)
{
    mech_pool *p = b->pool;
    const mech_expr l = j->number, twice = mech_mul(p, mech_rational(p, 2, 1), l);
    const mech_expr own = mech_mul(p, l, l), excess = mech_sub(p, plain_dot(p, f->way, f->way), own);
    add(rows, mech_div(p, excess, twice), vec_scale(p, mech_div(p, EXPR_ONE, l), f->way), vec_zero());
}

/* A screw's advance: n1.(P2 - P1) = lead*J. The share that acts on J comes to the bodies by its own condition. */
static mech_status add_advance(mech_bodies *b, size_t joint, const loop_frame *f, loop_rows *rows)
{
    mech_pool *p = b->pool;
    const mech_expr lead = mech_div(p, b->joints[joint].number, mech_mul(p, mech_rational(p, 2, 1), mech_pi(p)));
    const mech_expr angle = bodies_loop_coord(b, joint, 0);
    if (!angle.id) return bodies_failure(b);
    const mech_expr led = mech_mul(p, lead, angle), advance = mech_sub(p, plain_dot(p, f->n[0], f->way), led);
    add(rows, advance, f->n[0], vec_scale(p, mech_neg(p, lead), f->n[1]));
    return MECH_OK;
}

static mech_status make_rows(mech_bodies *b, size_t joint, const loop_frame *f, loop_rows *rows)
{
    const body_joint *j = &b->joints[joint];
    rows->count = 0;
    switch (j->kind) {
    case MECH_JOINT_REVOLUTE:
        MECH_TRY(add_coincidence(b, j, f, rows));
        if (b->dimension == 3) add_parallel_axes(b, f, rows);
        break;
    case MECH_JOINT_PRISMATIC:
        add_no_way(b, f, f->u[0], rows);
        if (b->dimension == 3) add_no_way(b, f, f->w[0], rows);
        add_same_axes(b, j, f, rows);
        break;
    case MECH_JOINT_SCREW:
    case MECH_JOINT_CYLINDRICAL:
        add_no_way(b, f, f->u[0], rows);
        add_no_way(b, f, f->w[0], rows);
        add_parallel_axes(b, f, rows);
        if (j->kind == MECH_JOINT_SCREW) MECH_TRY(add_advance(b, joint, f, rows));
        break;
    case MECH_JOINT_UNIVERSAL:
        MECH_TRY(add_coincidence(b, j, f, rows));
        add_right_angle(b, f->n[0], f->n[1], plain_dot(b->pool, j->axis, j->second), rows);
        break;
    case MECH_JOINT_SPHERICAL: MECH_TRY(add_coincidence(b, j, f, rows)); break;
    case MECH_JOINT_PLANAR:
        add_no_way(b, f, f->n[0], rows);
        add_parallel_axes(b, f, rows);
        break;
    case MECH_JOINT_FIXED:
        MECH_TRY(add_coincidence(b, j, f, rows));
        add_same_axes(b, j, f, rows);
        break;
    case MECH_JOINT_DISTANCE: add_distance(b, j, f, rows); break;
    case MECH_JOINT_SLOT:
        add_slot(b, f, f->u[1], rows);
        if (b->dimension == 3) add_slot(b, f, f->w[1], rows);
        break;
    default: break; /* free: no conditions */
    }
    return mech_pool_status(b->pool);
}

/* ---- what velocities do to conditions ---- */

/* Each is a wrench between the two bodies, so its rate is the power of that: for a coordinate that turns about an axis
   at o, axis.((P2 - o) x f + t). The columns are made once for all rows of a joint, and once for both bodies: links on
   which both hang give nothing. */
typedef struct rate_sums {
    mech_expr *terms[MOST_ROWS];
    size_t counts[MOST_ROWS];
} rate_sums;

static void add_link_rates(mech_bodies *b, const body_link *l, vec point, const loop_rows *rows, mech_expr sign,
                           rate_sums *sums)
{
    mech_pool *p = b->pool;
    vec arm;
    for (int i = 0; i < 3; i++) arm.x[i] = scalar_hold(p, mech_sub(p, point.x[i], l->r.x[i]));
    for (size_t k = 0; k < l->count; k++) {
        vec w, v;
        bodies_link_rate(b, l, k, &w, &v);
        w = mat_apply(p, l->R, w);
        v = mat_apply_and_cross(p, l->R, v, w, arm);
        for (size_t i = 0; i < rows->count; i++) {
            const mech_expr along = vec_two_dots(p, rows->force[i], v, rows->torque[i], w);
            sums->terms[i][sums->counts[i]++] = mech_product(p, (mech_expr[]){sign, scalar_hold(p, along), l->v[k]}, 3);
        }
    }
}

/* P2 - P1 = 0 acts at P1 on the body before, off the condition too: A is the gradient there, too. All others act at one
   point. */
static int brings_points_together(mech_joint_kind kind)
{
    return kind == MECH_JOINT_REVOLUTE || kind == MECH_JOINT_UNIVERSAL || kind == MECH_JOINT_SPHERICAL ||
           kind == MECH_JOINT_FIXED;
}

static void add_rates(mech_bodies *b, const body_joint *j, const loop_frame *f, const loop_rows *rows, rate_sums *sums)
{
    size_t one = b->bodies[j->before].link, two = b->bodies[j->after].link;
    const vec before = brings_points_together(j->kind) ? f->p[0] : f->p[1];
    while (one != two) { /* a link comes after its parent */
        size_t *later = one > two ? &one : &two;
        if (later == &one) add_link_rates(b, &b->links[one], before, rows, EXPR_MINUS_ONE, sums);
        else add_link_rates(b, &b->links[two], f->p[1], rows, EXPR_ONE, sums);
        *later = b->links[*later].parent;
    }
}

/* The condition with that rate, a sum of coordinates' shares; its acceleration comes from the motion of the frames. */
static mech_expr with_rate(mech_bodies *b, mech_expr residual, const mech_expr *terms, size_t count)
{
    mech_pool *p = b->pool;
    const mech_expr rate = mech_dot(p, residual);
    const mech_expr own = expr_held_own(p, residual, NULL, EXPR_COORD);
    const mech_expr sum = expr_held_own(p, mech_sum(p, terms, count), NULL, EXPR_COORD | EXPR_VELOCITY);
    const mech_expr second = mech_dot(p, rate), rest = expr_dot_free(p, rate);
    if (!own.id || !sum.id || !second.id || !rest.id) return (mech_expr){0};
    expr_set_dot(p, own, sum, sum);
    expr_set_dot(p, sum, second, rest);
    return own;
}

static mech_status give_rates(mech_bodies *b, const body_joint *j, const loop_frame *f, loop_rows *rows)
{
    size_t most = 0;
    rate_sums sums = {0};
    for (size_t i = 0; i < b->link_count; i++) most += b->links[i].count;
    mech_expr *terms = mem_zeroed((most + 1) * MOST_ROWS, sizeof *terms);
    if (!terms) return MECH_ERR_MEMORY;
    for (size_t i = 0; i < MOST_ROWS; i++) sums.terms[i] = terms + i * (most + 1);
    add_rates(b, j, f, rows, &sums);
    for (size_t i = 0; i < rows->count; i++) {
        /* a length that changes */
        if (expr_classes(b->pool, rows->residual[i]) & (EXPR_TIME | EXPR_INPUT | EXPR_STATE)) continue;
        /* holds its value too */
        if (j->kind == MECH_JOINT_SCREW && i == SCREW_ADVANCE) continue;
        rows->residual[i] = with_rate(b, rows->residual[i], sums.terms[i], sums.counts[i]);
    }
    mem_free(terms);
    return mech_pool_status(b->pool);
}

mech_status bodies_close(mech_bodies *b, size_t joint)
{
    loop_frame f;
    loop_rows rows;
    if (b->joints[joint].kind == MECH_JOINT_FREE) return MECH_OK;
    MECH_TRY(make_frame(b, &b->joints[joint], &f));
    MECH_TRY(make_rows(b, joint, &f, &rows));
    MECH_TRY(give_rates(b, &b->joints[joint], &f, &rows));
    size_t *const constraint = &b->joints[joint].constraint;
    MECH_TRY(mech_model_constraint(b->model, b->joints[joint].name, rows.residual, rows.count, constraint));
    model_row *own = b->model->rows + b->model->constraints[*constraint].first_row;
    for (size_t i = 0; i < rows.count; i++) own[i].is_torque = vec_is_zero(rows.force[i]);
    return MECH_OK;
}

/* ---- the value of a joint that is a condition ---- */

/* A coordinate as the frames show it: the way along a direction, or the angle of a vector before two others, for which
   turning the place after (sign 1) or the place before it (-1) counts. Angles of a universal joint: where its other
   axis points. */
typedef struct loop_value {
    int is_way;
    vec along;       /* fixed before: of a way     */
    vec u, w, shown; /* of an angle: atan2(w.shown, u.shown) */
    mech_expr sign;
    vec axis; /* about which what acts on the coordinate turns, where the conditions hold */
} loop_value;

/* The direction across a unit vector in which another one points, and the third. */
static void across_towards(mech_pool *p, vec axis, vec other, vec across[2])
{
    const vec side = vec_sub(p, other, vec_scale(p, vec_dot(p, axis, other), axis));
    const mech_expr size = scalar_hold(p, mech_div(p, EXPR_ONE, mech_sqrt(p, vec_dot(p, side, side))));
    across[0] = vec_scale(p, size, side);
    across[1] = vec_cross(p, axis, across[0]);
}

static loop_value universal_value(mech_bodies *b, const body_joint *j, const loop_frame *f, size_t k)
{
    mech_pool *p = b->pool;
    const mech_expr between = vec_dot(p, j->axis, j->second);
    const mech_expr size = mech_div(p, EXPR_ONE, mech_sub(p, EXPR_ONE, scalar_hold(p, mech_mul(p, between, between))));
    const size_t who = k ? j->after : j->before;
    const mat turned = k ? j->turned_after : j->turned_before;
    vec across[2];
    across_towards(p, k ? j->second : j->axis, k ? j->axis : j->second, across);
    if (k) across[1] = vec_scale(p, EXPR_MINUS_ONE, across[1]); /* it turns back what is seen from the place after */
    const vec own = vec_sub(p, f->n[k], vec_scale(p, between, f->n[1 - k]));
    return (loop_value){.u = bodies_direction(b, who, turned, across[0]),
                        .w = bodies_direction(b, who, turned, across[1]),
                        .shown = f->n[1 - k],
                        .sign = k ? EXPR_MINUS_ONE : EXPR_ONE,
                        .axis = vec_scale(p, size, own)};
}

static loop_value value_of(mech_bodies *b, const body_joint *j, const loop_frame *f, size_t k)
{
    const int is_planar = j->kind == MECH_JOINT_PLANAR;
    if (j->kind == MECH_JOINT_UNIVERSAL) return universal_value(b, j, f, k);
    if (is_planar ? k < 2 : k == 0 && (j->kind == MECH_JOINT_PRISMATIC || j->kind == MECH_JOINT_CYLINDRICAL))
        return (loop_value){.is_way = 1, .along = !is_planar ? f->n[0] : k ? f->w[0] : f->u[0]};
    return (loop_value){.u = f->u[0], .w = f->w[0], .shown = f->u[1], .sign = EXPR_ONE, .axis = f->n[1]};
}

/* J - angle of the frames: its principal value, which is smooth wherever J is near it, whole turns included. */
static mech_expr angle_residual(mech_bodies *b, const body_joint *j, const loop_value *v, mech_expr value)
{
    mech_pool *p = b->pool;
    if (b->dimension == 2) return mech_sub(p, value, plane_turn(b, j));
    const mech_expr c = plain_dot(p, v->u, v->shown), s = plain_dot(p, v->w, v->shown);
    const mech_expr cos = mech_call(p, MECH_FUNCTION_COS, &value, 1), sin = mech_call(p, MECH_FUNCTION_SIN, &value, 1);
    const mech_expr y = scalar_sub_products(p, sin, c, cos, s), x = scalar_add_products(p, cos, c, sin, s);
    return mech_call(p, MECH_FUNCTION_ATAN2, (mech_expr[]){scalar_hold(p, y), scalar_hold(p, x)}, 2);
}

/* What the condition of the value exerts for a multiplier of 1: its coordinate pulls back what the frames do. */
static void value_row(mech_bodies *b, const loop_value *v, loop_rows *rows)
{
    mech_pool *p = b->pool;
    rows->count = 0;
    if (v->is_way) {
        add(rows, EXPR_ZERO, vec_scale(p, EXPR_MINUS_ONE, v->along), vec_zero());
        return;
    }
    vec axis = vec_unit(2);
    if (b->dimension == 3) { /* the slope of atan2(w.shown, u.shown): n of a hinge where its axes agree */
        const mech_expr c = vec_dot(p, v->u, v->shown), s = vec_dot(p, v->w, v->shown);
        const mech_expr size = scalar_add_products(p, c, c, s, s);
        const vec back = vec_scale(p, s, v->u), across = vec_sub(p, vec_scale(p, c, v->w), back);
        const vec normal = vec_cross(p, v->shown, across);
        axis = vec_scale(p, scalar_hold(p, mech_div(p, v->sign, size)), normal);
    }
    add(rows, EXPR_ZERO, vec_zero(), vec_scale(p, EXPR_MINUS_ONE, axis));
}

/* J/2 r'^2 of the condition r = 0: it is 0 there, and gives the coordinate a mass. With its rate A v the shares of M
   are J A^T A, of Q -J A^T (what is left of r'' without accelerations). */
static mech_status add_value_mass(mech_bodies *b, const body_joint *j, int is_way, mech_expr rate, mech_expr rest)
{
    mech_pool *p = b->pool;
    mech_model *m = b->model;
    link_mass own = bodies_no_mass();
    expr_gradient g = {0};
    bodies_body_mass(b, &b->bodies[j->after ? j->after : j->before], &own);
    mech_expr scale =
        is_way ? own.mass
               : mech_sum(p, (mech_expr[]){own.inertia.x[0][0], own.inertia.x[1][1], own.inertia.x[2][2]}, 3);
    if (!(bodies_number(b, scale) > 0)) scale = EXPR_ONE;
    mech_status status = expr_gradient_of(p, rate, EXPR_VELOCITY, &g);
    const size_t n = g.count;
    mech_expr *list = mem_zeroed(n * (n + 1) / 2 + 2 * n + 1, sizeof *list), *coords = list + n * (n + 1) / 2,
              *force = coords + n;
    if (status == MECH_OK && !list) status = MECH_ERR_MEMORY;
    for (size_t i = 0; i < n && status == MECH_OK; i++) {
        coords[i] = m->coords[expr_symbol_of(p, g.items[i].symbol)->index].q;
        force[i] = mech_neg(p, mech_product(p, (mech_expr[]){scale, g.items[i].derivative, rest}, 3));
        for (size_t k = 0; k <= i; k++)
            list[i * (i + 1) / 2 + k] =
                mech_product(p, (mech_expr[]){scale, g.items[i].derivative, g.items[k].derivative}, 3);
    }
    const mech_expr kinetic = mech_product(p, (mech_expr[]){mech_rational(p, 1, 2), scale, rate, rate}, 4);
    if (status == MECH_OK) status = model_add_inertia(m, coords, n, list, force, kinetic, (mech_expr){0});
    expr_gradient_free(&g);
    mem_free(list);
    return status;
}

/* J - value = 0 with its rate. */
static mech_status add_value(mech_bodies *b, body_joint *j, size_t k, const char *name, mech_expr value)
{
    mech_pool *p = b->pool;
    loop_frame f;
    loop_rows rows;
    MECH_TRY(make_frame(b, j, &f));
    const loop_value v = value_of(b, j, &f, k);
    mech_expr residual = v.is_way ? mech_sub(p, value, plain_dot(p, v.along, f.way)) : angle_residual(b, j, &v, value);
    value_row(b, &v, &rows);
    size_t most = 2;
    for (size_t i = 0; i < b->link_count; i++) most += b->links[i].count;
    mech_expr *terms = mem_zeroed(most, sizeof *terms);
    if (!terms) return MECH_ERR_MEMORY;
    rate_sums sums = {.terms = {terms}};
    add_rates(b, j, &f, &rows, &sums);
    terms[sums.counts[0]++] = mech_dot(p, value);
    residual = with_rate(b, residual, terms, sums.counts[0]);
    mem_free(terms);
    MECH_TRY(mech_model_constraint(b->model, name, &residual, 1, &j->value_constraint[k]));
    return add_value_mass(b, j, v.is_way, mech_dot(p, residual), expr_dot_free(p, mech_dot(p, residual)));
}

mech_expr bodies_loop_coord(mech_bodies *b, size_t joint, size_t k)
{
    const mech_expr none = {0};
    body_joint *j = &b->joints[joint];
    if (j->coords[k].id) return j->coords[k];
    if (j->kind == MECH_JOINT_SPHERICAL || j->kind == MECH_JOINT_FREE) {
        (void)model_error(b->model,
                          j->by_constraint
                              ? "use the values of its bodies: initial B.R = rotx(0.4), initial B.r = [0, 0, 1]"
                              : "move the joint up, so that it gives coordinates, or use the values of its bodies",
                          "joint '%s' %s: it has no coordinates", j->name,
                          j->by_constraint == 2 ? "is a constraint, since an event, a friction or a reaction names it"
                          : j->by_constraint    ? "is a constraint"
                                                : "closes a loop");
        return none;
    }
    const char *const part = mech_bodies_joint_part(b, joint, k);
    const char *own = arena_format(&b->model->memory, "%s%s", j->name, part),
               *name = arena_format(&b->model->memory, "%s%s.value", j->name, part);
    if (!own || !name) b->model->out_of_memory = 1;
    const mech_expr value = own && name ? bodies_coord(b, own, COORD_SHOWS) : none;
    if (!value.id || add_value(b, j, k, name, value) != MECH_OK) return none;
    j->coords[k] = value;
    return value;
}

/* ---- its force ---- */

/* Adds a wrench at a point to the forces on the body after, and takes it from those on the body before. */
static void exert(mech_bodies *b, const body_joint *j, vec point, mech_expr lambda, vec force, vec torque)
{
    mech_pool *p = b->pool;
    const size_t who[2] = {j->before, j->after};
    force = vec_scale(p, lambda, force);
    torque = vec_scale(p, lambda, torque);
    for (int side = 0; side < 2; side++) {
        body *k = &b->bodies[who[side]];
        const vec moment = vec_add(p, torque, vec_cross(p, vec_sub(p, point, k->r), force));
        k->force = side ? vec_add(p, k->force, force) : vec_sub(p, k->force, force);
        k->torque = side ? vec_add(p, k->torque, moment) : vec_sub(p, k->torque, moment);
    }
}

mech_status bodies_loop_forces(mech_bodies *b, size_t joint)
{
    loop_frame f;
    loop_rows rows;
    const body_joint *j = &b->joints[joint];
    MECH_TRY(make_frame(b, j, &f));
    MECH_TRY(make_rows(b, joint, &f, &rows));
    for (size_t i = 0; i < rows.count; i++) {
        /* that comes by its value */
        const vec torque = j->kind == MECH_JOINT_SCREW && i == SCREW_ADVANCE ? vec_zero() : rows.torque[i];
        exert(b, j, f.p[1], mech_model_reaction(b->model, j->constraint, i), rows.force[i], torque);
    }
    for (size_t k = 0; k < JOINT_VALUES; k++) {
        if (j->value_constraint[k] == SIZE_MAX) continue;
        const loop_value v = value_of(b, j, &f, k);
        value_row(b, &v, &rows);
        exert(b, j, f.p[1], mech_model_reaction(b->model, j->value_constraint[k], 0), rows.force[0], rows.torque[0]);
    }
    return b->model->out_of_memory ? MECH_ERR_MEMORY : mech_pool_status(b->pool);
}

/* What acts on the values of the joint comes to the bodies through their conditions J - ... = 0: minus the multiplier,
   along or about the axis. */
static vec by_values(mech_bodies *b, const body_joint *j, const loop_frame *f, int is_torque)
{
    mech_pool *p = b->pool;
    vec sum = vec_zero();
    for (size_t k = 0; k < JOINT_VALUES; k++) {
        if (j->value_constraint[k] == SIZE_MAX) continue;
        const loop_value v = value_of(b, j, f, k);
        if (v.is_way == is_torque) continue;
        const mech_expr lambda = mech_model_reaction(b->model, j->value_constraint[k], 0);
        sum = vec_sub(p, sum, vec_scale(p, lambda, is_torque ? v.axis : v.along));
    }
    return sum;
}

mech_status bodies_loop_wrench(mech_bodies *b, size_t joint, mech_wrench which, vec *value)
{
    loop_frame f;
    loop_rows rows;
    const body_joint *j = &b->joints[joint];
    const int is_torque = which == MECH_WRENCH_TORQUE || which == MECH_WRENCH_LOAD_TORQUE;
    const int is_load = which == MECH_WRENCH_LOAD_FORCE || which == MECH_WRENCH_LOAD_TORQUE;
    *value = vec_zero();
    if (j->kind == MECH_JOINT_FREE) return MECH_OK;
    MECH_TRY(make_frame(b, j, &f));
    MECH_TRY(make_rows(b, joint, &f, &rows));
    for (size_t i = 0; i < rows.count; i++) {
        /* within the multiplier of its value */
        if (is_load && is_torque && j->kind == MECH_JOINT_SCREW && i == SCREW_ADVANCE) continue;
        const mech_expr lambda = mech_model_reaction(b->model, j->constraint, i);
        if (!lambda.id) return bodies_failure(b);
        *value = vec_add(b->pool, *value, vec_scale(b->pool, lambda, is_torque ? rows.torque[i] : rows.force[i]));
    }
    if (is_load) *value = vec_add(b->pool, *value, by_values(b, j, &f, is_torque));
    return mech_pool_status(b->pool);
}
