/* The life of a set of bodies, and what is given to it, checked. */
#include "bodies/bodies.h"

#include "base/mem.h"
#include "base/options.h"
#include "base/try.h"

#include <math.h>

mech_status bodies_failure(const mech_bodies *b)
{
    const mech_status status = mech_pool_status(b->pool);
    if (status != MECH_OK) return status;
    return b->model->out_of_memory ? MECH_ERR_MEMORY : model_missing(b->model);
}

double bodies_number(const mech_bodies *b, mech_expr e)
{
    double value = 0;
    return model_constant(b->model, e, &value) == MECH_OK ? value : (double)NAN;
}

mech_status bodies_take(mech_bodies *b, void *to, size_t size, const void *given)
{
    const mech_status status = options_take(to, size, given);
    if (status == MECH_OK) return status;
    (void)model_error(b->model, "write: .size = sizeof it", "a solid, joint or motor does not say how large it is");
    return status;
}

mech_status bodies_constant(mech_bodies *b, mech_expr e, const char *what, double *value)
{
    if (!e.id) return bodies_failure(b);
    if (expr_classes(b->pool, e) & ~(unsigned)EXPR_PARAM)
        return model_error(b->model, "what moves is a coordinate of a joint", "%s may use numbers and parameters only",
                           what);
    MECH_TRY(model_constant(b->model, e, value));
    return isfinite(*value) ? MECH_OK : model_error(b->model, NULL, "%s is not a finite number", what);
}

mech_status bodies_vector(mech_bodies *b, const mech_expr *list, const char *what, vec *v)
{
    double value;
    *v = vec_zero();
    for (size_t i = 0; list && i < b->dimension; i++) {
        MECH_TRY(bodies_constant(b, list[i], what, &value));
        v->x[i] = list[i];
    }
    return MECH_OK;
}

/* Sums to 1 on the diagonal, 0 elsewhere, up to the digits that decimals have. */
static int is_rotation(double x[3][3])
{
    double worst = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const double dot = x[i][0] * x[j][0] + x[i][1] * x[j][1] + x[i][2] * x[j][2];
            worst = fmax(worst, fabs(dot - (i == j)));
        }
    const double det = x[0][0] * (x[1][1] * x[2][2] - x[1][2] * x[2][1]) -
                       x[0][1] * (x[1][0] * x[2][2] - x[1][2] * x[2][0]) +
                       x[0][2] * (x[1][0] * x[2][1] - x[1][1] * x[2][0]);
    return worst < 1e-9 && det > 0;
}

mech_status bodies_rotation(mech_bodies *b, const mech_expr *list, const char *what, mat *m)
{
    double x[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    *m = mat_identity();
    if (!list) return MECH_OK;
    for (size_t i = 0; i < b->dimension * b->dimension; i++) {
        const size_t row = i / b->dimension, column = i % b->dimension;
        MECH_TRY(bodies_constant(b, list[i], what, &x[row][column]));
        m->x[row][column] = scalar_hold(b->pool, list[i]);
    }
    if (is_rotation(x)) return MECH_OK;
    return model_error(b->model, "its columns are three unit vectors at right angles, right-handed: rotz(pi/2)",
                       "%s is not a rotation", what);
}

mech_status mech_bodies_create(mech_model *model, const mech_expr *gravity, size_t dimension, mech_bodies **bodies)
{
    if (!bodies) return MECH_ERR_ARGUMENT;
    *bodies = NULL;
    if (!model || !gravity || (dimension != 2 && dimension != 3) || model->is_finished) return MECH_ERR_ARGUMENT;
    mech_bodies *b = mem_zeroed(1, sizeof *b);
    if (!b) return MECH_ERR_MEMORY;
    b->model = model;
    b->pool = model->pool;
    b->dimension = dimension;
    size_t ground;
    mech_status status = bodies_vector(b, gravity, "gravity", &b->gravity);
    if (status == MECH_OK && !mem_grow(&b->links, &b->link_capacity, 1, sizeof *b->links)) status = MECH_ERR_MEMORY;
    if (status == MECH_OK) status = mech_bodies_body(b, "ground", &ground);
    if (status != MECH_OK) {
        mech_bodies_free(b);
        return status;
    }
    b->links[b->link_count++] = (body_link){.kind = LINK_GROUND,
                                            .joint = SIZE_MAX,
                                            .place_axes = mat_identity(),
                                            .place = vec_zero(),
                                            .axis = vec_zero(),
                                            .sign = EXPR_ONE,
                                            .lead = EXPR_ZERO,
                                            .to_parent = mat_identity(),
                                            .offset = vec_zero(),
                                            .R = mat_identity(),
                                            .r = vec_zero(),
                                            .w = vec_zero(),
                                            .velocity = vec_zero(),
                                            .w_joint = vec_zero(),
                                            .alpha = {vec_zero(), vec_zero()},
                                            .acceleration = {vec_zero(), vec_zero()},
                                            .spread = {mat_zero(), mat_zero()}};
    body *k = &b->bodies[MECH_GROUND];
    k->is_tied = k->has_values = 1;
    k->r = k->v = k->a = k->w = k->alpha = k->force = k->torque = vec_zero();
    k->R = mat_identity();
    k->turned = EXPR_ZERO;
    *bodies = b;
    return MECH_OK;
}

void mech_bodies_free(mech_bodies *b)
{
    if (!b) return;
    for (size_t i = 0; i < b->body_count; i++) {
        mem_free(b->bodies[i].masses);
        mem_free(b->bodies[i].solids);
    }
    mem_free(b->bodies);
    mem_free(b->joints);
    mem_free(b->links);
    strmap_free(&b->body_names);
    strmap_free(&b->joint_names);
    mem_free(b);
}

mech_status mech_bodies_coordinates(mech_bodies *b, mech_coordinates how)
{
    if (b->is_finished) return MECH_ERR_ARGUMENT;
    b->coordinates = how;
    return MECH_OK;
}

mech_status mech_bodies_body(mech_bodies *b, const char *name, size_t *number)
{
    if (b->is_finished) return MECH_ERR_ARGUMENT;
    MECH_TRY(model_check_name(b->model, name));
    if (strmap_get(&b->body_names, name) != SIZE_MAX)
        return model_error(b->model, b->body_count ? "ground is the body that does not move" : NULL,
                           "there are two bodies named '%s'", name);
    const char *kept = model_keep(b->model, name);
    if (!kept || !mem_grow(&b->bodies, &b->body_capacity, b->body_count + 1, sizeof *b->bodies)) return MECH_ERR_MEMORY;
    if (!strmap_put(&b->body_names, kept, b->body_count)) return MECH_ERR_MEMORY;
    b->bodies[b->body_count] = (body){.name = kept,
                                      .axes = mat_identity(),
                                      .origin = vec_zero(),
                                      .angle = EXPR_ZERO,
                                      .joint = SIZE_MAX,
                                      .parent = SIZE_MAX,
                                      .origin_of = b->model->origin};
    if (number) *number = b->body_count;
    b->body_count++;
    return MECH_OK;
}

size_t mech_bodies_find_body(const mech_bodies *b, const char *name) { return strmap_get(&b->body_names, name); }
size_t mech_bodies_find_joint(const mech_bodies *b, const char *name) { return strmap_get(&b->joint_names, name); }
size_t mech_bodies_body_count(const mech_bodies *b) { return b->body_count; }
size_t mech_bodies_joint_total(const mech_bodies *b) { return b->joint_count; }
const char *mech_bodies_body_name(const mech_bodies *b, size_t i)
{
    return i < b->body_count ? b->bodies[i].name : NULL;
}
const char *mech_bodies_joint_name(const mech_bodies *b, size_t i)
{
    return i < b->joint_count ? b->joints[i].name : NULL;
}
size_t mech_bodies_parent_joint(const mech_bodies *b, size_t i)
{
    return i < b->body_count ? b->bodies[i].joint : SIZE_MAX;
}
size_t mech_bodies_parent_body(const mech_bodies *b, size_t i)
{
    return i < b->body_count ? b->bodies[i].parent : SIZE_MAX;
}

/* The first event that sets a coordinate of a joint, in the tree or not; NULL: none. */
static const model_event *sets_a_joint(const mech_bodies *b)
{
    const mech_model *m = b->model;
    for (size_t k = 0; k < m->events_count; k++)
        for (size_t i = 0; i < m->events[k].action_count; i++) {
            const mech_expr target = m->events[k].actions[i].target;
            if (m->events[k].actions[i].kind != MECH_ACTION_SET || !expr_is_symbol(b->pool, target)) continue;
            const expr_symbol *symbol = expr_symbol_of(b->pool, target);
            if (!(symbol->class_bit & (EXPR_COORD | EXPR_VELOCITY))) continue;
            const model_coord_role role = m->coords[symbol->index].role;
            if (role == COORD_JOINS || role == COORD_SHOWS) return &m->events[k];
        }
    return NULL;
}

/* Coordinates of a joint are constraints, too, and these stand above control. */
static mech_status show_joint(mech_bodies *b, size_t i, const model_event *event)
{
    mech_model *m = b->model;
    const body_joint *j = &b->joints[i];
    const int has_control = m->constraints_count && m->constraints[m->constraints_count - 1].is_control;
    for (size_t k = 0; k < mech_bodies_joint_count(b, i); k++) {
        if (has_control && !j->coords[k].id) {
            m->origin = event->origin;
            return model_error(m, "write 'output value = JOINT' above the control",
                               "event %s sets a joint: joint '%s' is to stay as it is then, and has no coordinate yet",
                               event->name, j->name);
        }
        if (!mech_bodies_joint_coord(b, i, k).id) return bodies_failure(b);
    }
    return MECH_OK;
}

/* What an event sets at one joint leaves the others as they are: those between bodies with coordinates of their own
   need values for that. */
static mech_status show_joints(mech_bodies *b)
{
    int has_own = 0;
    const model_event *event = sets_a_joint(b);
    for (size_t i = 0; i < b->model->coords_count; i++) has_own |= b->model->coords[i].role == COORD_PLACES;
    for (size_t i = 0; i < b->joint_count && has_own && event; i++) {
        const mech_joint_kind kind = b->joints[i].kind;
        if (b->joints[i].is_tree || kind == MECH_JOINT_SPHERICAL || kind == MECH_JOINT_FREE) continue;
        MECH_TRY(show_joint(b, i, event));
    }
    return MECH_OK;
}

static mech_status finish(mech_bodies *b)
{
    mech_model *m = b->model;
    mech_status status = MECH_OK;
    for (size_t i = 1; i < b->body_count; i++) {
        if (b->bodies[i].is_tied) continue;
        m->origin = b->bodies[i].origin_of;
        status = model_error(
            m, "write a joint to it; joint NAME: ground to BODY, free ties nothing and gives it coordinates",
            "body '%s' is not tied to the ground by any joint", b->bodies[i].name);
    }
    MECH_TRY(status);
    m->thin = bodies_thin(b);
    MECH_TRY(show_joints(b));
    MECH_TRY(bodies_guess_starts(b));
    MECH_TRY(bodies_add_inertia(b));
    MECH_TRY(bodies_warn_bearings(b));
    return b->wrench_asked ? bodies_add_reactions(b) : MECH_OK;
}

mech_status mech_bodies_finish(mech_bodies *b)
{
    if (b->is_finished || b->model->is_finished) return MECH_ERR_ARGUMENT;
    const uint32_t origin = b->model->origin;
    const mech_status status = finish(b);
    b->model->origin = origin;
    b->is_finished = 1;
    return status;
}
