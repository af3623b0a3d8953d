/* Springs, dampers and motors: energies, forces and constraints of the model. */
#include "bodies/bodies.h"

#include "base/try.h"

static mech_status end_of(mech_bodies *b, const mech_place *place, vec *point)
{
    vec at;
    if (!place || place->body >= b->body_count) return MECH_ERR_ARGUMENT;
    MECH_TRY(bodies_vector(b, place->at, "the end of a spring", &at));
    return bodies_place(b, place->body, at, point);
}

/* Energies of a spring that is longer by `stretch` than at rest. */
static mech_status add_spring(mech_bodies *b, mech_expr stretch, mech_expr stiffness, mech_expr rate, mech_expr damping,
                              mech_expr *tension)
{
    mech_pool *p = b->pool;
    const mech_expr half = mech_rational(p, 1, 2), k = stiffness.id ? stiffness : EXPR_ZERO,
                    c = damping.id ? damping : EXPR_ZERO;
    if (!expr_is_zero(k))
        MECH_TRY(mech_model_potential(b->model, mech_product(p, (mech_expr[]){half, k, stretch, stretch}, 4)));
    if (!expr_is_zero(c))
        MECH_TRY(mech_model_dissipation(b->model, mech_product(p, (mech_expr[]){half, c, rate, rate}, 4)));
    if (tension) *tension = scalar_add_products(p, k, stretch, c, rate);
    return !tension || tension->id ? MECH_OK : bodies_failure(b);
}

/* For the words that are said where the ends lie on one another. */
static mech_status keep_gap(mech_model *m, mech_expr square)
{
    const int line = m->diagnostics && m->origin ? diagnostics_line(m->diagnostics, model_span(m, m->origin)) : 0;
    model_gap *gap = MODEL_PUSH(m, gaps);
    const char *name = line > 0 ? arena_format(&m->memory, "the spring in line %d", line) : "a spring";
    if (!gap || !name) return MECH_ERR_MEMORY;
    *gap = (model_gap){square, name};
    return MECH_OK;
}

mech_status mech_bodies_spring(mech_bodies *b, const mech_place *before, const mech_place *after, mech_expr stiffness,
                               mech_expr length, mech_expr damping, mech_expr *tension)
{
    mech_pool *p = b->pool;
    vec one, two;
    if (b->is_finished) return MECH_ERR_ARGUMENT;
    MECH_TRY(end_of(b, before, &one));
    MECH_TRY(end_of(b, after, &two));
    mech_expr squares[3];
    for (int i = 0; i < 3; i++) {
        const mech_expr way = scalar_hold(p, mech_sub(p, two.x[i], one.x[i]));
        squares[i] = mech_mul(p, way, way);
    }
    /* without a root: the ends may lie on one another */
    if (length.id && expr_is_zero(length) && !damping.id && stiffness.id) {
        const mech_expr square = mech_sum(p, squares, 3);
        if (tension) *tension = mech_mul(p, stiffness, mech_sqrt(p, square));
        return mech_model_potential(b->model,
                                    mech_product(p, (mech_expr[]){mech_rational(p, 1, 2), stiffness, square}, 3));
    }
    const mech_expr square = mech_sum(p, squares, 3);
    MECH_TRY(keep_gap(b->model, square));
    const mech_expr distance = scalar_hold(p, mech_sqrt(p, square));
    const mech_expr stretch = scalar_hold(p, length.id ? mech_sub(p, distance, length) : distance);
    return add_spring(b, stretch, stiffness, mech_dot(p, distance), damping, tension);
}

mech_status mech_bodies_spring_on(mech_bodies *b, size_t joint, size_t k, mech_expr stiffness, mech_expr rest,
                                  mech_expr damping, mech_expr *tension)
{
    if (b->is_finished || joint >= b->joint_count) return MECH_ERR_ARGUMENT;
    const mech_expr value = mech_bodies_joint_coord(b, joint, k);
    if (!value.id) return MECH_ERR_MODEL;
    b->joints[joint].is_driven = 1;
    const mech_expr stretch = rest.id ? mech_sub(b->pool, value, rest) : value;
    return add_spring(b, stretch, stiffness, mech_dot(b->pool, value), damping, tension);
}

mech_status mech_bodies_motor(mech_bodies *b, const char *name, size_t joint, size_t k, const mech_motor *given,
                              size_t *constraint)
{
    mech_pool *p = b->pool;
    mech_motor taken = {0};
    const mech_motor *motor = &taken;
    if (b->is_finished || joint >= b->joint_count || !given) return MECH_ERR_ARGUMENT;
    if (constraint) *constraint = SIZE_MAX;
    MECH_TRY(bodies_take(b, &taken, sizeof taken, given));
    MECH_TRY(model_check_name(b->model, name));
    const mech_expr value = mech_bodies_joint_coord(b, joint, k), gear = motor->gear.id ? motor->gear : EXPR_ONE;
    if (!value.id) return MECH_ERR_MODEL;
    b->joints[joint].is_driven = 1;
    double ratio = 1;
    if (motor->gear.id && model_constant(b->model, motor->gear, &ratio) == MECH_OK && ratio == 0)
        return model_error(b->model, "without a gear leave it out",
                           "the gear of motor '%s' is 0: it would not turn, and drive nothing", name);
    const mech_expr rate = mech_dot(p, value);
    if (motor->rotor.id) {
        const mech_expr turning =
            mech_product(p, (mech_expr[]){mech_rational(p, 1, 2), motor->rotor, gear, gear, rate, rate}, 6);
        MECH_TRY(mech_model_kinetic(b->model, turning));
    }
    if (motor->kind == MECH_MOTOR_EFFORT) {
        const mech_expr effort = mech_mul(p, gear, motor->drive);
        return mech_model_force(b->model, &effort, &rate, 1);
    }
    const mech_expr residual = mech_sub(p, motor->kind == MECH_MOTOR_PLACE ? value : rate, motor->drive);
    return mech_model_constraint(b->model, name, &residual, 1, constraint);
}
