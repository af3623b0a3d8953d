/* Where bodies are, in ground axes. A body's frame is given by nodes of its own: r, R, and v, w, r'', w', which are
   their time derivatives; points, springs and conditions are made of these. So what a force acts on tells the body it
   acts on, and velocities are those of the recursion, not derivatives of long products. */
#include "bodies/bodies.h"

#include "base/try.h"

mech_status bodies_need_tied(mech_bodies *b, size_t number)
{
    if (number >= b->body_count) return MECH_ERR_ARGUMENT;
    if (b->bodies[number].is_tied) return MECH_OK;
    return model_error(b->model, "write the joints that lead to it from the ground above this line",
                       "body '%s' is not tied to the ground yet", b->bodies[number].name);
}

/* A body's values depend on coordinates, also where it happens to stay in a plane: its conditions are conditions, its
   velocities take forces. */
enum {
    AT_REST = EXPR_COORD,
    IN_MOTION = EXPR_COORD | EXPR_VELOCITY,
    DRIVEN = EXPR_COORD | EXPR_VELOCITY | EXPR_ACCELERATION
};

/* leg[2].rod, v, 1 to leg_2_rod_v1: a name that texts of the language can give to a value. */
static const char *plain_name(mech_bodies *b, const body *k, const char *what, int row, int column)
{
    const char *tail = row ? arena_format(&b->model->memory, column ? "%d%d" : "%d", row, column) : "";
    char *name = tail ? arena_format(&b->model->memory, "%s_%s%s", k->name, what, tail) : NULL, *to = name;
    if (!name) b->model->out_of_memory = 1;
    for (const char *from = name; name && *from; from++) {
        const int is_letter =
            (*from >= '0' && *from <= '9') || (*from >= 'a' && *from <= 'z') || (*from >= 'A' && *from <= 'Z');
        if (is_letter) *to++ = *from;
        else if (*from != ']') *to++ = '_';
    }
    if (name) *to = '\0';
    return name;
}

/* Nodes of its own, named BODY_what1 to 3, those of a column BODY_what11, BODY_what21, ... */
static vec own(mech_bodies *b, const body *k, const char *what, int column, unsigned classes, vec value)
{
    vec r = {{{0}, {0}, {0}}};
    for (int i = 0; i < 3; i++) {
        const char *name = plain_name(b, k, what, i + 1, column);
        if (name) r.x[i] = expr_held_own(b->pool, value.x[i], name, classes);
    }
    return r;
}

static void set_dots(mech_bodies *b, vec of, vec dot, vec dot_free)
{
    for (int i = 0; i < 3; i++)
        if (of.x[i].id && dot.x[i].id && dot_free.x[i].id) expr_set_dot(b->pool, of.x[i], dot.x[i], dot_free.x[i]);
}

mech_status bodies_make_values(mech_bodies *b, body *k)
{
    if (k->has_values) return MECH_OK;
    mech_pool *p = b->pool;
    const body_link *l = &b->links[k->link];
    vec acceleration[2], alpha[2];
    for (int i = 0; i < 2; i++) {
        acceleration[i] = mat_apply(p, l->R, vec_add(p, l->acceleration[i], mat_apply(p, l->spread[i], k->origin)));
        alpha[i] = mat_apply(p, l->R, l->alpha[i]);
    }
    k->r = own(b, k, "r", 0, AT_REST, vec_add(p, l->r, mat_apply(p, l->R, k->origin)));
    k->v = own(b, k, "v", 0, IN_MOTION, mat_apply(p, l->R, vec_add(p, l->velocity, vec_cross(p, l->w, k->origin))));
    k->w = own(b, k, "w", 0, IN_MOTION, mat_apply(p, l->R, l->w));
    k->a = own(b, k, "a", 0, DRIVEN, acceleration[1]);
    k->alpha = own(b, k, "alpha", 0, DRIVEN, alpha[1]);
    const mat R = mat_times(p, l->R, k->axes);
    for (size_t j = 0; j < 3; j++) {
        const vec column = own(b, k, "R", (int)j + 1, AT_REST, mat_column(R, j));
        const vec rate = vec_cross(p, k->w, column);
        for (int i = 0; i < 3; i++) k->R.x[i][j] = column.x[i];
        set_dots(b, column, rate, rate);
    }
    if (b->dimension == 2) {
        const char *name = plain_name(b, k, "angle", 0, 0);
        if (name) k->turned = expr_held_own(p, k->angle, name, AT_REST);
        if (k->turned.id && k->w.x[2].id) expr_set_dot(p, k->turned, k->w.x[2], k->w.x[2]);
    }
    set_dots(b, k->r, k->v, k->v);
    set_dots(b, k->v, k->a, acceleration[0]);
    set_dots(b, k->w, k->alpha, alpha[0]);
    if (mech_pool_status(p) != MECH_OK || b->model->out_of_memory) return bodies_failure(b);
    k->has_values = 1;
    return MECH_OK;
}

/* A vector fixed in the body turns with it. */
static vec turning(mech_bodies *b, const body *k, vec fixed)
{
    const vec v = mat_apply(b->pool, k->R, fixed), rate = vec_cross(b->pool, k->w, v);
    for (int i = 0; i < 3; i++)
        if (v.x[i].id && rate.x[i].id && expr_at(b->pool, v.x[i])->kind == EXPR_HELD)
            expr_set_dot(b->pool, v.x[i], rate.x[i], rate.x[i]);
    return v;
}

mech_status bodies_place(mech_bodies *b, size_t number, vec at, vec *point)
{
    *point = at;
    if (number == MECH_GROUND) return MECH_OK;
    MECH_TRY(bodies_need_tied(b, number));
    body *k = &b->bodies[number];
    MECH_TRY(bodies_make_values(b, k));
    *point = k->r;
    if (!vec_is_zero(at)) {
        const vec arm = turning(b, k, at);
        for (int i = 0; i < 3; i++) point->x[i] = mech_add(b->pool, k->r.x[i], arm.x[i]);
    }
    return point->x[0].id && point->x[1].id && point->x[2].id ? MECH_OK : bodies_failure(b);
}

vec bodies_direction(mech_bodies *b, size_t number, mat turned, vec direction)
{
    const vec fixed = mat_apply(b->pool, turned, direction);
    return number == MECH_GROUND ? fixed : turning(b, &b->bodies[number], fixed);
}

static mech_status give(const mech_bodies *b, vec v, size_t first, size_t count, mech_expr *value)
{
    for (size_t i = 0; i < count; i++) {
        value[i] = v.x[first + i];
        if (!value[i].id) return bodies_failure(b);
    }
    return MECH_OK;
}

mech_status mech_bodies_point(mech_bodies *b, size_t number, const mech_expr *at, mech_expr *value)
{
    vec fixed, point;
    if (!value) return MECH_ERR_ARGUMENT;
    MECH_TRY(bodies_vector(b, at, "a point of a body", &fixed));
    MECH_TRY(bodies_place(b, number, fixed, &point));
    return give(b, point, 0, b->dimension, value);
}

static mech_status center_of(mech_bodies *b, body *k, mech_expr *value)
{
    mech_pool *p = b->pool;
    mech_expr mass = EXPR_ZERO;
    vec moment = vec_zero(), point;
    for (size_t i = 0; i < k->mass_count; i++) {
        mass = mech_add(p, mass, k->masses[i].mass);
        moment = vec_add(p, moment, vec_scale(p, k->masses[i].mass, k->masses[i].center));
    }
    if (bodies_number(b, mass) == 0)
        return model_error(b->model, "take its origin, or a point of it",
                           "body '%s' has no mass, and so no mass centre", k->name);
    k->center_asked = 1;
    vec center = k->mass_count == 1 ? k->masses[0].center : vec_scale(p, mech_div(p, EXPR_ONE, mass), moment);
    MECH_TRY(bodies_place(b, (size_t)(k - b->bodies), center, &point));
    return give(b, point, 0, b->dimension, value);
}

static mech_status attitude_of(mech_bodies *b, const body *k, mech_expr *value)
{
    for (size_t i = 0; i < b->dimension; i++)
        for (size_t j = 0; j < b->dimension; j++) value[i * b->dimension + j] = k->R.x[i][j];
    return MECH_OK;
}

mech_status mech_bodies_value(mech_bodies *b, size_t number, mech_body_value what, mech_expr *value)
{
    if (!value || number >= b->body_count) return MECH_ERR_ARGUMENT;
    MECH_TRY(bodies_need_tied(b, number));
    body *k = &b->bodies[number];
    if (what == MECH_BODY_ANGLE && b->dimension == 3)
        return model_error(b->model, "its attitude is R, its angular velocity w", "in space a body has no angle: '%s'",
                           k->name);
    MECH_TRY(bodies_make_values(b, k));
    switch (what) {
    case MECH_BODY_ANGLE: return give(b, (vec){{k->turned, EXPR_ZERO, EXPR_ZERO}}, 0, 1, value);
    case MECH_BODY_ORIGIN: return give(b, k->r, 0, b->dimension, value);
    case MECH_BODY_ATTITUDE: return attitude_of(b, k, value);
    case MECH_BODY_CENTER: return center_of(b, k, value);
    case MECH_BODY_OMEGA: return give(b, k->w, b->dimension == 2 ? 2 : 0, b->dimension == 2 ? 1 : 3, value);
    default: return MECH_ERR_ARGUMENT;
    }
}

mech_expr mech_bodies_own_coord(const mech_bodies *b, size_t number, size_t k)
{
    const mech_expr none = {0};
    if (number >= b->body_count || b->bodies[number].joint != SIZE_MAX ||
        b->links[b->bodies[number].link].joint != SIZE_MAX || b->bodies[number].link == 0)
        return none;
    if (k < b->dimension) { /* a shift each, then the turn */
        size_t link = b->bodies[number].link;
        for (size_t i = b->dimension; i > k; i--) link = b->links[link].parent;
        return b->links[link].q[0];
    }
    const body_link *l = &b->links[b->bodies[number].link];
    return k - b->dimension < l->count ? l->q[k - b->dimension] : none;
}

mech_status mech_bodies_axes(mech_bodies *b, size_t number, const mech_expr *vector, mech_expr *value)
{
    vec v = vec_zero();
    if (!vector || !value) return MECH_ERR_ARGUMENT;
    MECH_TRY(bodies_need_tied(b, number));
    for (size_t i = 0; i < b->dimension; i++) v.x[i] = vector[i];
    body *k = &b->bodies[number];
    MECH_TRY(bodies_make_values(b, k));
    for (size_t i = 0; i < b->dimension; i++) {
        mech_expr terms[3];
        for (size_t j = 0; j < 3; j++) terms[j] = mech_mul(b->pool, k->R.x[j][i], v.x[j]);
        value[i] = mech_sum(b->pool, terms, b->dimension);
        if (!value[i].id) return bodies_failure(b);
    }
    return MECH_OK;
}
