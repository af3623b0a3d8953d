/* Joints: which of them give coordinates, and which links they are. The order of the text is the tree. */
#include "bodies/bodies.h"

#include "base/mem.h"
#include "base/try.h"

#include <math.h>
#include <stdio.h>

/* ---- kinds ---- */

/* One elementary motion from the place before to the place after. */
typedef struct motion_step {
    link_kind kind;
    vec axis;
    size_t count;
} motion_step;

enum { MOST_STEPS = 4 };

typedef struct joint_parts {
    const char *names[7]; /* what follows the joint's name in those of its coordinates */
    size_t count;
} joint_parts;

static const joint_parts parts_space[MECH_JOINT_KINDS] = {
    [MECH_JOINT_REVOLUTE] = {{""}, 1},
    [MECH_JOINT_PRISMATIC] = {{""}, 1},
    [MECH_JOINT_SCREW] = {{""}, 1},
    [MECH_JOINT_CYLINDRICAL] = {{".slide", ".angle"}, 2},
    [MECH_JOINT_UNIVERSAL] = {{".angle[1]", ".angle[2]"}, 2},
    [MECH_JOINT_SPHERICAL] = {{".e[1]", ".e[2]", ".e[3]", ".e[4]"}, 4},
    [MECH_JOINT_PLANAR] = {{".x", ".y", ".angle"}, 3},
    [MECH_JOINT_FREE] = {{".r[1]", ".r[2]", ".r[3]", ".e[1]", ".e[2]", ".e[3]", ".e[4]"}, 7},
};
static const joint_parts parts_plane_free = {{".r[1]", ".r[2]", ".angle"}, 3};

static const joint_parts *parts_of(const mech_bodies *b, mech_joint_kind kind)
{
    return b->dimension == 2 && kind == MECH_JOINT_FREE ? &parts_plane_free : &parts_space[kind];
}

void bodies_across(const mech_bodies *b, vec n, vec across[2])
{
    mech_pool *p = b->pool;
    size_t least = 0, axis = 3;
    for (size_t i = 0; i < 3; i++) {
        if (expr_is_one(n.x[i])) axis = i;
        if (fabs(bodies_number(b, n.x[i])) < fabs(bodies_number(b, n.x[least]))) least = i;
    }
    if (axis < 3 && (axis == 2 || b->dimension == 3)) {
        across[0] = vec_unit((axis + 1) % 3);
        across[1] = vec_unit((axis + 2) % 3);
        return;
    }
    if (b->dimension == 2) { /* in the plane: across[0] lies in it */
        across[0] = (vec){{mech_neg(p, n.x[1]), n.x[0], EXPR_ZERO}};
        across[1] = vec_unit(2);
        return;
    }
    const vec side = vec_cross(p, n, vec_unit(least)); /* the axis that is farthest from n, made right-angled to it */
    const mech_expr length = mech_sqrt(p, vec_dot(p, side, side));
    across[0] = vec_scale(p, mech_div(p, EXPR_ONE, length), side);
    across[1] = vec_cross(p, n, across[0]);
}

static size_t steps_of(const mech_bodies *b, const body_joint *j, motion_step steps[MOST_STEPS])
{
    vec across[2];
    switch (j->kind) {
    case MECH_JOINT_REVOLUTE: steps[0] = (motion_step){LINK_TURN, j->axis, 1}; return 1;
    case MECH_JOINT_PRISMATIC: steps[0] = (motion_step){LINK_SHIFT, j->axis, 1}; return 1;
    case MECH_JOINT_SCREW: steps[0] = (motion_step){LINK_SCREW, j->axis, 1}; return 1;
    case MECH_JOINT_CYLINDRICAL:
        steps[0] = (motion_step){LINK_SHIFT, j->axis, 1};
        steps[1] = (motion_step){LINK_TURN, j->axis, 1};
        return 2;
    case MECH_JOINT_UNIVERSAL:
        steps[0] = (motion_step){LINK_TURN, j->axis, 1};
        steps[1] = (motion_step){LINK_TURN, j->second, 1};
        return 2;
    case MECH_JOINT_SPHERICAL: steps[0] = (motion_step){LINK_BALL, vec_zero(), 4}; return 1;
    case MECH_JOINT_PLANAR:
        bodies_across(b, j->axis, across);
        steps[0] = (motion_step){LINK_SHIFT, across[0], 1};
        steps[1] = (motion_step){LINK_SHIFT, across[1], 1};
        steps[2] = (motion_step){LINK_TURN, j->axis, 1};
        return 3;
    case MECH_JOINT_FREE:
        for (size_t i = 0; i < b->dimension; i++) steps[i] = (motion_step){LINK_SHIFT, vec_unit(i), 1};
        steps[b->dimension] =
            b->dimension == 3 ? (motion_step){LINK_BALL, vec_zero(), 4} : (motion_step){LINK_TURN, vec_unit(2), 1};
        return b->dimension + 1;
    default: return 0;
    }
}

/* ---- coordinates ---- */

mech_expr bodies_coord(mech_bodies *b, const char *name, model_coord_role role)
{
    const mech_expr q = mech_model_coord(b->model, name, NULL);
    if (q.id) b->model->coords[b->model->coords_count - 1].role = role;
    return q;
}

static mech_expr add_coord(mech_bodies *b, const char *owner, const char *part, model_coord_role role)
{
    const char *name = arena_format(&b->model->memory, "%s%s", owner, part);
    if (!name) b->model->out_of_memory = 1;
    return name ? bodies_coord(b, name, role) : (mech_expr){0};
}

/* The condition of Euler parameters, and where they start: no turn. */
static mech_status add_unit(mech_bodies *b, const char *owner, const mech_expr *e)
{
    mech_pool *p = b->pool;
    mech_expr terms[5];
    for (int i = 0; i < 4; i++) terms[i] = mech_mul(p, e[i], e[i]);
    terms[4] = EXPR_MINUS_ONE;
    const mech_expr residual = mech_sum(p, terms, 5);
    const char *name = arena_format(&b->model->memory, "%s.unit", owner);
    if (!name) return MECH_ERR_MEMORY;
    MECH_TRY(mech_model_constraint(b->model, name, &residual, 1, NULL));
    for (int i = 0; i < 4; i++) MECH_TRY(mech_model_initial(b->model, e[i], i == 0 ? EXPR_ONE : EXPR_ZERO, 0));
    return MECH_OK;
}

static mech_status make_coords(mech_bodies *b, const char *owner, mech_joint_kind kind, model_coord_role role,
                               mech_expr coords[7])
{
    const joint_parts *parts = parts_of(b, kind);
    for (size_t i = 0; i < parts->count; i++) {
        coords[i] = add_coord(b, owner, parts->names[i], role);
        if (!coords[i].id) return bodies_failure(b) == MECH_ERR_MEMORY ? MECH_ERR_MEMORY : MECH_ERR_MODEL;
    }
    if (kind == MECH_JOINT_SPHERICAL) return add_unit(b, owner, coords);
    if (kind == MECH_JOINT_FREE && b->dimension == 3) return add_unit(b, owner, coords + 3);
    return MECH_OK;
}

/* ---- the tree ---- */

/* Angles add up along the plane. */
static mech_expr plane_angle(mech_bodies *b, mat axes)
{
    if (expr_is_one(axes.x[0][0]) && expr_is_zero(axes.x[1][0])) return EXPR_ZERO;
    return scalar_hold(b->pool, mech_call(b->pool, MECH_FUNCTION_ATAN2, (mech_expr[]){axes.x[1][0], axes.x[0][0]}, 2));
}

/* Where a body is on its last link: that link's frame is the body's place. */
static void seat(mech_bodies *b, body *k, mat turned, vec at)
{
    k->axes = mat_transpose(turned);
    k->origin = vec_scale(b->pool, EXPR_MINUS_ONE, mat_apply(b->pool, k->axes, at));
}

mech_status bodies_hang(mech_bodies *b, body_joint *j, size_t number, size_t parent, size_t child)
{
    mech_pool *p = b->pool;
    motion_step steps[MOST_STEPS];
    const size_t count = steps_of(b, j, steps);
    const int reversed = j->is_reversed;
    const mat near_axes = reversed ? j->turned_after : j->turned_before,
              far_axes = reversed ? j->turned_before : j->turned_after;
    const vec near_at = reversed ? j->at_after : j->at_before, far_at = reversed ? j->at_before : j->at_after;
    const body *up = &b->bodies[parent];
    body *k = &b->bodies[child];
    mat axes = mat_times(p, up->axes, near_axes);
    vec place = vec_add(p, up->origin, mat_apply(p, up->axes, near_at));
    size_t link = up->link;
    mech_expr angle = k->angle =
        mech_add(p, up->angle, mech_sub(p, plane_angle(b, near_axes), plane_angle(b, far_axes)));
    j->first_link = b->link_count;
    for (size_t i = 0; i < count; i++) {
        const size_t at = reversed ? count - 1 - i : i;
        size_t first = 0;
        for (size_t s = 0; s < at; s++) first += steps[s].count;
        body_link l = {.kind = steps[at].kind,
                       .parent = link,
                       .joint = number,
                       .place_axes = axes,
                       .place = place,
                       .axis = steps[at].axis,
                       .sign = reversed ? EXPR_MINUS_ONE : EXPR_ONE,
                       .lead = EXPR_ZERO,
                       .count = steps[at].count};
        if (l.kind == LINK_SCREW)
            l.lead = scalar_hold(p, mech_div(p, j->number, mech_mul(p, mech_rational(p, 2, 1), mech_pi(p))));
        for (size_t c = 0; c < l.count; c++) {
            l.q[c] = j->coords[first + c];
            l.v[c] = j->rates[first + c];
        }
        if (l.kind == LINK_TURN) angle = mech_add(p, angle, mech_mul(p, mech_mul(p, l.sign, l.axis.x[2]), l.q[0]));
        MECH_TRY(bodies_add_link(b, &l, &link));
        axes = mat_identity();
        place = vec_zero();
    }
    j->last_link = link;
    k->link = link;
    seat(b, k, far_axes, far_at);
    if (count == 0) { /* fixed: the same link, seen from there */
        k->origin = vec_add(p, place, mat_apply(p, axes, k->origin));
        k->axes = mat_times(p, axes, k->axes);
    }
    k->angle = b->dimension == 2 ? angle : EXPR_ZERO;
    k->is_tied = 1;
    k->joint = number == SIZE_MAX ? SIZE_MAX : number;
    k->parent = number == SIZE_MAX ? SIZE_MAX : parent;
    return mech_pool_status(p);
}

mech_status bodies_tie_freely(mech_bodies *b, size_t number)
{
    body_joint j = {.kind = MECH_JOINT_FREE,
                    .at_before = vec_zero(),
                    .at_after = vec_zero(),
                    .turned_before = mat_identity(),
                    .turned_after = mat_identity()};
    MECH_TRY(make_coords(b, b->bodies[number].name, MECH_JOINT_FREE, COORD_PLACES, j.coords));
    return bodies_hang(b, &j, SIZE_MAX, MECH_GROUND, number);
}

static mech_status add_to_tree(mech_bodies *b, size_t number)
{
    body_joint *j = &b->joints[number];
    j->is_tree = j->is_done = 1;
    j->is_reversed = b->bodies[j->after].is_tied;
    MECH_TRY(make_coords(b, j->name, j->kind, COORD_JOINS, j->coords));
    return j->is_reversed ? bodies_hang(b, j, number, j->after, j->before)
                          : bodies_hang(b, j, number, j->before, j->after);
}

/* A free joint has no conditions: it gives coordinates, or says nothing. */
static int is_only_rows(const body_joint *j)
{
    if (j->kind == MECH_JOINT_FREE) return 0;
    return j->by_constraint || j->kind == MECH_JOINT_DISTANCE || j->kind == MECH_JOINT_SLOT;
}

/* What a joint becomes now; nothing while neither of its bodies is tied. */
static mech_status place_joint(mech_bodies *b, size_t number)
{
    body_joint *j = &b->joints[number];
    if (j->is_done) return MECH_OK;
    const size_t before = j->before, after = j->after;
    if (is_only_rows(j)) {
        if (!b->bodies[before].is_tied) MECH_TRY(bodies_tie_freely(b, before));
        if (!b->bodies[after].is_tied) MECH_TRY(bodies_tie_freely(b, after));
    }
    if (!b->bodies[before].is_tied && !b->bodies[after].is_tied) return MECH_OK;
    if (!b->bodies[before].is_tied || !b->bodies[after].is_tied) return add_to_tree(b, number);
    j->is_done = 1;
    return bodies_close(b, number);
}

/* A joint that ties a body may settle those that waited, first those written first. */
static mech_status place_all(mech_bodies *b)
{
    size_t left = SIZE_MAX;
    for (;;) {
        size_t waiting = 0;
        for (size_t i = 0; i < b->joint_count; i++) {
            if (b->joints[i].is_done) continue;
            MECH_TRY(place_joint(b, i));
            waiting += !b->joints[i].is_done;
        }
        if (waiting == 0 || waiting == left) return MECH_OK;
        left = waiting;
    }
}

/* ---- what is given ---- */

static mech_status take_place(mech_bodies *b, const mech_place *place, size_t *number, vec *at, mat *turned)
{
    if (place->body >= b->body_count) return MECH_ERR_ARGUMENT;
    *number = place->body;
    MECH_TRY(bodies_vector(b, place->at, "the point of a joint", at));
    return bodies_rotation(b, place->turned, "'turned'", turned);
}

static mech_status take_axis(mech_bodies *b, const mech_expr *list, const char *name, vec *axis)
{
    mech_pool *p = b->pool;
    double length = 0;
    if (!list)
        return model_error(b->model, "write: about [0, 0, 1], or: along [0, 0, 1]", "joint '%s' needs an axis", name);
    MECH_TRY(bodies_vector(b, list, "the axis of a joint", axis));
    size_t entries = 0, last = 0;
    for (size_t i = 0; i < 3; i++) {
        length = hypot(length, bodies_number(b, axis->x[i]));
        if (expr_is_zero(axis->x[i])) continue;
        entries++;
        last = i;
    }
    if (!(length > 0)) return model_error(b->model, NULL, "the axis of joint '%s' has length 0", name);
    if (entries == 1 && expr_is_number(p, axis->x[last])) {
        axis->x[last] = bodies_number(b, axis->x[last]) > 0 ? EXPR_ONE : EXPR_MINUS_ONE;
        return MECH_OK;
    }
    const mech_expr squares[3] = {mech_mul(p, axis->x[0], axis->x[0]), mech_mul(p, axis->x[1], axis->x[1]),
                                  mech_mul(p, axis->x[2], axis->x[2])};
    const mech_expr whole = scalar_hold(p, mech_sqrt(p, mech_sum(p, squares, 3)));
    for (int i = 0; i < 3; i++) axis->x[i] = scalar_hold(p, mech_div(p, axis->x[i], whole));
    return MECH_OK;
}

/* The second axis of a universal joint: beside the first it would turn as that does. */
static mech_status take_second(mech_bodies *b, const mech_expr *list, body_joint *j)
{
    double along = 0;
    MECH_TRY(take_axis(b, list, j->name, &j->second));
    for (int i = 0; i < 3; i++) along += bodies_number(b, j->axis.x[i]) * bodies_number(b, j->second.x[i]);
    return fabs(along) < 1 - 1e-9 ? MECH_OK
                                  : model_error(b->model, "for one axis write: revolute",
                                                "the two axes of joint '%s' are parallel", j->name);
}

static int has_axis(const mech_bodies *b, mech_joint_kind kind)
{
    if (kind == MECH_JOINT_REVOLUTE) return b->dimension == 3;
    return kind == MECH_JOINT_PRISMATIC || kind == MECH_JOINT_SCREW || kind == MECH_JOINT_CYLINDRICAL ||
           kind == MECH_JOINT_UNIVERSAL || kind == MECH_JOINT_SLOT || (kind == MECH_JOINT_PLANAR && b->dimension == 3);
}

static mech_status take_number(mech_bodies *b, const mech_joint *given, body_joint *j)
{
    double value;
    j->number = given->number;
    if (j->kind == MECH_JOINT_SCREW) return bodies_constant(b, j->number, "the pitch of a screw", &value);
    if (j->kind != MECH_JOINT_DISTANCE) return MECH_OK;
    if (!j->number.id) return bodies_failure(b);
    if (model_constant(b->model, j->number, &value) == MECH_OK && !(value > 0))
        return model_error(b->model, "for 0 write: spherical (in the plane: revolute)",
                           "the distance of joint '%s' is greater than 0, not %g", j->name, value);
    return MECH_OK;
}

const char *mech_joint_kind_name(mech_joint_kind kind)
{
    static const char *const names[MECH_JOINT_KINDS] = {"revolute",  "prismatic", "screw",  "cylindrical",
                                                        "universal", "spherical", "planar", "fixed",
                                                        "free",      "distance",  "slot"};
    return (unsigned)kind < MECH_JOINT_KINDS ? names[kind] : "none";
}

static mech_status take_joint(mech_bodies *b, const mech_joint *given, body_joint *j)
{
    const int in_space = j->kind == MECH_JOINT_SCREW || j->kind == MECH_JOINT_CYLINDRICAL ||
                         j->kind == MECH_JOINT_UNIVERSAL || j->kind == MECH_JOINT_SPHERICAL;
    if (b->dimension == 2 && in_space)
        return model_error(b->model,
                           "in the plane there are revolute, prismatic, planar, fixed, free, distance and slot",
                           "joint '%s': %s is for models in space", j->name, mech_joint_kind_name(j->kind));
    if (b->dimension == 2 && j->kind == MECH_JOINT_PLANAR) j->kind = MECH_JOINT_FREE;
    MECH_TRY(take_place(b, &given->before, &j->before, &j->at_before, &j->turned_before));
    MECH_TRY(take_place(b, &given->after, &j->after, &j->at_after, &j->turned_after));
    if (j->before == j->after)
        return model_error(b->model, NULL, "joint '%s' ties body '%s' to itself", j->name, b->bodies[j->before].name);
    j->axis = j->second = b->dimension == 2 ? vec_unit(2) : vec_zero();
    if (has_axis(b, j->kind)) MECH_TRY(take_axis(b, given->axis, j->name, &j->axis));
    if (j->kind == MECH_JOINT_UNIVERSAL) MECH_TRY(take_second(b, given->second, j));
    return take_number(b, given, j);
}

mech_status mech_bodies_joint(mech_bodies *b, const char *name, const mech_joint *written, size_t *number)
{
    mech_joint taken = {0};
    const mech_joint *given = &taken;
    if (b->is_finished || !written) return MECH_ERR_ARGUMENT;
    MECH_TRY(bodies_take(b, &taken, sizeof taken, written));
    if ((unsigned)given->kind >= MECH_JOINT_KINDS) return MECH_ERR_ARGUMENT;
    MECH_TRY(model_check_name(b->model, name));
    if (strmap_get(&b->joint_names, name) != SIZE_MAX)
        return model_error(b->model, NULL, "there are two joints named '%s'", name);
    const char *kept = model_keep(b->model, name);
    if (!kept) return MECH_ERR_MEMORY;
    body_joint j = {.name = kept,
                    .kind = given->kind,
                    .by_constraint =
                        given->by_constraint ? given->by_constraint : b->coordinates == MECH_COORDINATES_ABSOLUTE,
                    .constraint = SIZE_MAX,
                    .value_constraint = {SIZE_MAX, SIZE_MAX, SIZE_MAX},
                    .origin_of = b->model->origin};
    MECH_TRY(take_joint(b, given, &j));
    if (!mem_grow(&b->joints, &b->joint_capacity, b->joint_count + 1, sizeof *b->joints)) return MECH_ERR_MEMORY;
    if (!strmap_put(&b->joint_names, kept, b->joint_count)) return MECH_ERR_MEMORY;
    b->joints[b->joint_count] = j;
    if (number) *number = b->joint_count;
    b->joint_count++;
    return place_all(b);
}

size_t mech_bodies_joint_constraint(const mech_bodies *b, size_t joint)
{
    return joint < b->joint_count ? b->joints[joint].constraint : SIZE_MAX;
}

size_t mech_bodies_joint_count(const mech_bodies *b, size_t joint)
{
    return joint < b->joint_count ? parts_of(b, b->joints[joint].kind)->count : 0;
}

mech_joint_kind mech_bodies_joint_kind(const mech_bodies *b, size_t joint)
{
    return joint < b->joint_count ? b->joints[joint].kind : MECH_JOINT_KINDS;
}

const char *mech_bodies_joint_part(const mech_bodies *b, size_t joint, size_t k)
{
    return k < mech_bodies_joint_count(b, joint) ? parts_of(b, b->joints[joint].kind)->names[k] : NULL;
}

mech_expr mech_bodies_joint_coord(mech_bodies *b, size_t joint, size_t k)
{
    const mech_expr none = {0};
    if (k >= mech_bodies_joint_count(b, joint)) return none;
    body_joint *j = &b->joints[joint];
    if (j->is_done) return j->is_tree ? j->coords[k] : bodies_loop_coord(b, joint, k);
    (void)model_error(b->model, "write the joints that lead to it from the ground above this line",
                      "joint '%s' is not tied to the ground yet", j->name);
    return none;
}
