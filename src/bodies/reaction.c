/* The wrench of a joint of the tree: what the body before exerts on the body after, about the point after. It is found
 * by Newton and Euler with the q'' of the motion: what hangs on the joint needs the forces of its accelerations, less
 * its weight and less what the statements of the model exert on it. Those are found by virtual power: the velocities v
 * and w of a body's frame stand in them as nodes of its own, and the partial derivatives by these are the force and the
 * torque about the frame's origin.
 *
 *   force F on V      dV/dv F           potential V      -dV'/dv          dissipation D    -dD/dv
 *   constraint        dphi'/dv lambda   (lambda: the total multiplier; phi' or psi or, of a row of A q'' = b, by the
 *   accelerations)
 *
 * What acts on coordinates of joints by their names is no force on a body from outside: it is within the load of the
 * joint. */
#include "bodies/bodies.h"

#include "base/mem.h"
#include "base/try.h"

#include <string.h>

/* ---- what statements exert on bodies ---- */

enum { PER_BODY = 12 }; /* v, w, then a, alpha */

typedef struct share_node {
    mech_expr node, symbol;
    size_t owner, which; /* which: 0..2 force, 3..5 torque */
} share_node;

typedef struct sharing {
    mech_bodies *b;
    mech_pool *p;
    share_node *nodes; /* ascending nodes */
    mech_expr *from, *to, *back_from, *back_to;
    size_t count;
    expr_gradient gradient;
} sharing;

static mech_status add_node(sharing *s, mech_expr node, size_t owner, size_t which, expr_class class_bit)
{
    if (expr_at(s->p, node)->kind != EXPR_HELD) return MECH_OK; /* the ground */
    const mech_expr symbol = expr_symbol_create(s->p, "share", class_bit, 0, (uint32_t)s->count);
    if (!symbol.id) return mech_pool_status(s->p);
    size_t at = s->count++;
    for (; at > 0 && s->nodes[at - 1].node.id > node.id; at--) s->nodes[at] = s->nodes[at - 1];
    s->nodes[at] = (share_node){node, symbol, owner, which};
    return MECH_OK;
}

static mech_status collect_nodes(sharing *s)
{
    const mech_bodies *b = s->b;
    for (size_t i = 1; i < b->body_count; i++) {
        const body *k = &b->bodies[i];
        if (!k->has_values) continue;
        for (size_t h = 0; h < 3; h++) {
            MECH_TRY(add_node(s, k->v.x[h], i, h, EXPR_VELOCITY));
            MECH_TRY(add_node(s, k->w.x[h], i, 3 + h, EXPR_VELOCITY));
            MECH_TRY(add_node(s, k->a.x[h], i, h, EXPR_ACCELERATION));
            MECH_TRY(add_node(s, k->alpha.x[h], i, 3 + h, EXPR_ACCELERATION));
        }
    }
    for (size_t i = 0; i < s->count; i++) {
        s->from[i] = s->back_to[i] = s->nodes[i].node;
        s->to[i] = s->back_from[i] = s->nodes[i].symbol;
    }
    return MECH_OK;
}

/* Symbols are younger than all nodes, and were made in another order. */
static mech_expr back(sharing *s, mech_expr e) { return mech_substitute(s->p, e, s->back_from, s->back_to, s->count); }

static const share_node *node_of(const sharing *s, mech_expr symbol)
{
    for (size_t i = 0; i < s->count; i++)
        if (s->nodes[i].symbol.id == symbol.id) return &s->nodes[i];
    return NULL;
}

/* factor times the partials of `of` by the velocities (accelerations) of frames, as forces on their bodies. *found (may
   be NULL): whether there were any; then nothing is added. */
static mech_status share(sharing *s, mech_expr of, mech_expr factor, expr_class class_bit, int *found)
{
    if (!of.id) return bodies_failure(s->b);
    if (!(expr_classes(s->p, of) & class_bit)) return MECH_OK;
    const mech_expr seen = expr_replace(s->p, of, s->from, s->to, s->count);
    if (!seen.id) return bodies_failure(s->b);
    if (seen.id == of.id) return MECH_OK;
    MECH_TRY(expr_gradient_of(s->p, seen, class_bit, &s->gradient));
    for (size_t i = 0; i < s->gradient.count; i++) {
        const share_node *n = node_of(s, s->gradient.items[i].symbol);
        if (!n) continue;
        if (found) {
            *found = 1;
            continue;
        }
        body *k = &s->b->bodies[n->owner];
        mech_expr *sum = n->which < 3 ? &k->force.x[n->which] : &k->torque.x[n->which - 3];
        const mech_expr partial = back(s, s->gradient.items[i].derivative);
        *sum = mech_add(s->p, *sum, mech_mul(s->p, factor, scalar_hold(s->p, partial)));
        if (!sum->id) return bodies_failure(s->b);
    }
    return MECH_OK;
}

/* How many joints move what is differentiated, by their coordinates: 0, 1, or 2 for more. */
static mech_status joints_in(sharing *s, mech_expr of, expr_class class_bit, size_t *count)
{
    const mech_bodies *b = s->b;
    *count = 0;
    MECH_TRY(expr_gradient_of(s->p, of, class_bit, &s->gradient));
    for (size_t j = 0; j < b->joint_count && *count < 2; j++) {
        int is_there = 0;
        for (size_t k = 0; k < 7 && b->joints[j].coords[k].id; k++) {
            mech_expr rate = mech_dot(s->p, b->joints[j].coords[k]);
            if (class_bit == EXPR_ACCELERATION) rate = mech_dot(s->p, rate);
            for (size_t i = 0; i < s->gradient.count; i++) is_there |= s->gradient.items[i].symbol.id == rate.id;
        }
        *count += (size_t)is_there;
    }
    return MECH_OK;
}

static mech_status share_rows(sharing *s)
{
    mech_model *m = s->b->model;
    const mech_bodies *b = s->b;
    for (size_t i = 0; i < b->joint_count; i++)
        if (b->joints[i].constraint != SIZE_MAX) MECH_TRY(bodies_loop_forces(s->b, i));
    for (size_t c = 0; c < m->constraints_count; c++) {
        /* conditions of joints are taken as the wrenches they are */
        if (m->constraints[c].is_control || mech_bodies_joint_of(b, c) != SIZE_MAX) continue;
        for (size_t i = 0; i < m->constraints[c].row_count; i++) {
            const model_row *row = &m->rows[m->constraints[c].first_row + i];
            const expr_class class_bit = row->level == MODEL_ACCELERATION ? EXPR_ACCELERATION : EXPR_VELOCITY;
            const mech_expr of = row->level == MODEL_HOLONOMIC ? mech_dot(s->p, row->residual) : row->residual;
            int found = 0;
            size_t joints = 0;
            MECH_TRY(share(s, of, EXPR_ONE, class_bit, &found));
            if (!found) MECH_TRY(joints_in(s, of, class_bit, &joints));
            if (joints > 1) s->b->gear = c + 1;
            if (found) MECH_TRY(share(s, of, mech_model_reaction(m, c, i), class_bit, NULL));
        }
    }
    return MECH_OK;
}

/* Forces on bodies that are not expressions: their law is solved together with the motion, or they stand in energies of
   motion. */
static mech_status refuse(sharing *s, mech_expr velocity, uint32_t origin, const char *what)
{
    int found = 0;
    MECH_TRY(share(s, velocity, EXPR_ONE, EXPR_VELOCITY, &found));
    if (!found) return MECH_OK;
    s->b->model->origin = origin;
    return model_error(s->b->model, "write: by constraint, behind the joint",
                       "the force of a joint in the tree is not known where %s acts on a body", what);
}

static mech_status refuse_unknown(sharing *s)
{
    mech_model *m = s->b->model;
    for (size_t i = 0; i < m->frictions_count; i++)
        for (size_t k = 0; k < m->frictions[i].count; k++)
            MECH_TRY(refuse(s, m->frictions[i].velocity[k], m->frictions[i].origin, "friction"));
    for (size_t i = 0; i < m->laws_count; i++)
        for (size_t k = 0; k < m->laws[i].count; k++)
            MECH_TRY(refuse(s, mech_dot(s->p, m->laws[i].position[k]), m->laws[i].origin, "a law"));
    for (size_t i = 0; i < m->actuators_count; i++)
        MECH_TRY(refuse(s, m->actuators[i].velocity, m->actuators[i].origin, "an actuator"));
    for (size_t i = 0; i < m->kinetic_count; i++)
        MECH_TRY(refuse(s, m->kinetic[i].value, m->kinetic[i].origin, "a kinetic energy"));
    return MECH_OK;
}

static int is_asked(const body_joint *j)
{
    for (int w = 0; w < 4; w++)
        if (j->wrench[w][2].id) return 1;
    return 0;
}

/* A joint by constraint has multipliers of its own, whatever else acts on the bodies. */
static int asks_in_tree(const mech_bodies *b)
{
    for (size_t i = 0; i < b->joint_count; i++)
        if (b->joints[i].is_tree && is_asked(&b->joints[i])) return 1;
    return 0;
}

static mech_status share_all(sharing *s)
{
    mech_model *m = s->b->model;
    MECH_TRY(collect_nodes(s));
    if (asks_in_tree(s->b)) MECH_TRY(refuse_unknown(s));
    for (size_t i = 0; i < m->potential_count; i++)
        MECH_TRY(share(s, mech_dot(s->p, m->potential[i].value), EXPR_MINUS_ONE, EXPR_VELOCITY, NULL));
    for (size_t i = 0; i < m->dissipation_count; i++)
        MECH_TRY(share(s, m->dissipation[i].value, EXPR_MINUS_ONE, EXPR_VELOCITY, NULL));
    for (size_t i = 0; i < m->forces_count; i++)
        for (size_t k = 0; k < m->forces[i].count; k++)
            MECH_TRY(share(s, m->forces[i].velocity[k], m->forces[i].force[k], EXPR_VELOCITY, NULL));
    return share_rows(s);
}

static mech_status find_forces(mech_bodies *b)
{
    sharing s = {.b = b, .p = b->pool};
    const size_t most = PER_BODY * b->body_count;
    for (size_t i = 0; i < b->body_count; i++) b->bodies[i].force = b->bodies[i].torque = vec_zero();
    s.nodes = mem_zeroed(most, sizeof *s.nodes);
    s.from = mem_zeroed(4 * most, sizeof *s.from);
    mech_status status = s.nodes && s.from ? MECH_OK : MECH_ERR_MEMORY;
    s.to = s.from + most;
    s.back_from = s.to + most;
    s.back_to = s.back_from + most;
    if (status == MECH_OK) status = share_all(&s);
    expr_gradient_free(&s.gradient);
    mem_free(s.nodes);
    mem_free(s.from);
    return status;
}

/* ---- the recursion ---- */

typedef struct wrench {
    vec force, torque; /* about the link's origin, in its axes */
} wrench;

/* What a body's own mass needs, less its weight and what is exerted on it. */
static wrench own_wrench(const mech_bodies *b, const body *k)
{
    mech_pool *p = b->pool;
    const body_link *l = &b->links[k->link];
    link_mass m = bodies_no_mass();
    wrench w;
    bodies_body_mass(b, k, &m);
    bodies_newton_euler(p, &m, l->acceleration[1], l->spread[1], &w.force, &w.torque);
    const vec gravity = mat_apply_transposed(p, l->R, b->gravity);
    w.force = vec_sub(p, w.force, vec_scale(p, m.mass, gravity));
    w.torque = vec_sub(p, w.torque, vec_cross(p, m.moment, gravity));
    const vec force = mat_apply_transposed(p, l->R, k->force), torque = mat_apply_transposed(p, l->R, k->torque);
    w.force = vec_sub(p, w.force, force);
    w.torque = vec_sub(p, w.torque, vec_add(p, torque, vec_cross(p, k->origin, force)));
    return w;
}

/* All that hangs on each body; bodies hang on bodies that were tied before them, in the order of their links or, where
   they share one, of their joints. */
static mech_status sum_up(const mech_bodies *b, wrench *all)
{
    mech_pool *p = b->pool;
    size_t *order = mem_alloc(b->body_count * sizeof *order);
    unsigned char *seen = mem_zeroed(b->body_count, 1);
    size_t count = 0;
    mech_status status = order && seen ? MECH_OK : MECH_ERR_MEMORY;
    for (int more = 1; more && status == MECH_OK;) { /* parents first */
        more = 0;
        for (size_t i = 0; i < b->body_count; i++) {
            const size_t parent = b->bodies[i].parent;
            if (seen[i] || (parent != SIZE_MAX && !seen[parent])) continue;
            seen[i] = 1;
            order[count++] = i;
            more = 1;
        }
    }
    for (size_t i = 0; i < b->body_count && status == MECH_OK; i++) all[i] = own_wrench(b, &b->bodies[i]);
    for (size_t i = count; i-- > 0 && status == MECH_OK;) {
        const body *k = &b->bodies[order[i]];
        if (k->parent == SIZE_MAX) continue;
        wrench w = all[order[i]];
        for (size_t link = k->link; link != b->bodies[k->parent].link; link = b->links[link].parent) {
            const body_link *l = &b->links[link];
            w.force = mat_apply(p, l->to_parent, w.force);
            w.torque = mat_apply_and_cross(p, l->to_parent, w.torque, l->offset, w.force);
        }
        all[k->parent].force = vec_add(p, all[k->parent].force, w.force);
        all[k->parent].torque = vec_add(p, all[k->parent].torque, w.torque);
    }
    mem_free(order);
    mem_free(seen);
    return status;
}

/* v without its part along a unit vector */
static vec without(mech_pool *p, vec v, vec unit) { return vec_sub(p, v, vec_scale(p, vec_dot(p, v, unit), unit)); }

/* What of the wrench the joint itself holds: nothing along its freedoms. */
static void leave_out_freedoms(mech_bodies *b, const body_joint *j, vec *force, vec *torque)
{
    mech_pool *p = b->pool;
    const body_link *last = &b->links[j->last_link], *first = &b->links[j->first_link];
    const vec axis = mat_apply(p, last->R, last->axis);
    switch (j->kind) {
    case MECH_JOINT_REVOLUTE: *torque = without(p, *torque, axis); break;
    case MECH_JOINT_PRISMATIC: *force = without(p, *force, axis); break;
    case MECH_JOINT_SCREW: {
        const mech_expr pushed = mech_mul(p, last->lead, vec_dot(p, *force, axis)),
                        effort = mech_add(p, vec_dot(p, *torque, axis), pushed);
        *torque = vec_sub(p, *torque, vec_scale(p, scalar_hold(p, effort), axis));
        break;
    }
    case MECH_JOINT_CYLINDRICAL:
        *force = without(p, *force, axis);
        *torque = without(p, *torque, axis);
        break;
    case MECH_JOINT_UNIVERSAL: {
        const vec cross = vec_cross(p, mat_apply(p, first->R, first->axis), axis);
        const mech_expr square = vec_dot(p, cross, cross), part = mech_div(p, vec_dot(p, *torque, cross), square);
        *torque = vec_scale(p, scalar_hold(p, part), cross);
        break;
    }
    case MECH_JOINT_SPHERICAL: *torque = vec_zero(); break;
    case MECH_JOINT_PLANAR: {
        const body_link *turn = j->is_reversed ? first : last;
        const vec normal = mat_apply(p, turn->R, turn->axis);
        *force = vec_scale(p, vec_dot(p, *force, normal), normal);
        *torque = without(p, *torque, normal);
        break;
    }
    case MECH_JOINT_FREE: *force = *torque = vec_zero(); break;
    default: break;
    }
}

static mech_status tree_wrench(mech_bodies *b, const body_joint *j, const wrench *all, vec value[4])
{
    mech_pool *p = b->pool;
    const body *k = &b->bodies[j->is_reversed ? j->before : j->after];
    const body_link *l = &b->links[k->link];
    vec force = mat_apply(p, l->R, all[k - b->bodies].force), torque = mat_apply(p, l->R, all[k - b->bodies].torque);
    vec points[2];
    MECH_TRY(bodies_place(b, j->before, j->at_before, &points[0]));
    MECH_TRY(bodies_place(b, j->after, j->at_after, &points[1]));
    if (j->kind == MECH_JOINT_FIXED || j->is_reversed) { /* the link's origin need not be the point after */
        vec way;
        for (int i = 0; i < 3; i++) way.x[i] = scalar_hold(p, mech_sub(p, l->r.x[i], points[1].x[i]));
        if (j->kind != MECH_JOINT_REVOLUTE && j->kind != MECH_JOINT_SPHERICAL && j->kind != MECH_JOINT_UNIVERSAL)
            torque = vec_add(p, torque, vec_cross(p, way, force));
    }
    if (j->is_reversed) {
        force = vec_scale(p, EXPR_MINUS_ONE, force);
        torque = vec_scale(p, EXPR_MINUS_ONE, torque);
    }
    value[MECH_WRENCH_LOAD_FORCE] = force;
    value[MECH_WRENCH_LOAD_TORQUE] = torque;
    leave_out_freedoms(b, j, &force, &torque);
    value[MECH_WRENCH_FORCE] = force;
    value[MECH_WRENCH_TORQUE] = torque;
    return mech_pool_status(p);
}

/* ---- what was asked for ---- */

typedef struct answers {
    mech_expr *symbols, *values;
    size_t count;
} answers;

static mech_status make_answers(mech_bodies *b, const wrench *all, answers *list)
{
    for (size_t i = 0; i < b->joint_count; i++) {
        const body_joint *j = &b->joints[i];
        vec value[4];
        if (!is_asked(j)) continue;
        b->model->origin = j->origin_of;
        if (!j->is_done) return model_error(b->model, NULL, "joint '%s' is not tied to the ground", j->name);
        if (j->is_tree) MECH_TRY(tree_wrench(b, j, all, value));
        for (int w = 0; w < 4 && !j->is_tree; w++) MECH_TRY(bodies_loop_wrench(b, i, (mech_wrench)w, &value[w]));
        for (int w = 0; w < 4; w++) {
            for (int h = 0; h < 3; h++) {
                if (!j->wrench[w][h].id) continue;
                list->symbols[list->count] = j->wrench[w][h];
                list->values[list->count++] = value[w].x[h];
            }
        }
    }
    return MECH_OK;
}

static mech_status put(mech_bodies *b, const answers *list, mech_expr *e)
{
    if (!e->id || !(expr_classes(b->pool, *e) & EXPR_REACTION)) return MECH_OK;
    *e = mech_substitute(b->pool, *e, list->symbols, list->values, list->count);
    return e->id ? MECH_OK : bodies_failure(b);
}

static mech_status put_in_events(mech_bodies *b, const answers *list)
{
    mech_model *m = b->model;
    for (size_t i = 0; i < m->events_count; i++) {
        model_event *e = &m->events[i];
        mech_action *actions = arena_alloc(&m->memory, (e->action_count + 1) * sizeof *actions);
        if (!actions) return MECH_ERR_MEMORY;
        if (e->action_count) memcpy(actions, e->actions, e->action_count * sizeof *actions);
        m->origin = e->origin;
        MECH_TRY(put(b, list, &e->trigger));
        MECH_TRY(put(b, list, &e->condition));
        for (size_t k = 0; k < e->action_count; k++) MECH_TRY(put(b, list, &actions[k].value));
        e->actions = actions;
    }
    return MECH_OK;
}

/* Laws may look at reactions, and not at accelerations, which the force of a joint in the tree holds. */
static mech_status put_in_laws(mech_bodies *b, const answers *list)
{
    mech_model *m = b->model;
    for (size_t i = 0; i < m->laws_count; i++) {
        mech_expr *force = arena_alloc(&m->memory, (m->laws[i].count + 1) * sizeof *force);
        if (!force) return MECH_ERR_MEMORY;
        m->origin = m->laws[i].origin;
        for (size_t k = 0; k < m->laws[i].count; k++) {
            force[k] = m->laws[i].force[k];
            MECH_TRY(put(b, list, &force[k]));
            if (expr_classes(b->pool, force[k]) & EXPR_ACCELERATION)
                return model_error(m, "write: by constraint, behind the joint",
                                   "a law may not depend on the force of a joint in the tree");
        }
        m->laws[i].force = force;
    }
    return MECH_OK;
}

mech_status bodies_add_reactions(mech_bodies *b)
{
    mech_model *m = b->model;
    answers list = {mem_zeroed(12 * b->joint_count, sizeof *list.symbols),
                    mem_zeroed(12 * b->joint_count, sizeof *list.values), 0};
    wrench *all = mem_zeroed(b->body_count, sizeof *all);
    mech_status status = list.symbols && list.values && all ? find_forces(b) : MECH_ERR_MEMORY;
    if (status == MECH_OK) status = sum_up(b, all);
    if (status == MECH_OK) status = make_answers(b, all, &list);
    for (size_t i = 0; i < m->outputs_count && status == MECH_OK; i++) {
        m->origin = m->outputs[i].origin;
        status = put(b, &list, &m->outputs[i].value);
    }
    for (size_t i = 0; i < m->measures_count && status == MECH_OK; i++) {
        m->origin = m->measures[i].origin;
        status = put(b, &list, &m->measures[i].value);
    }
    for (size_t i = 0; i < m->drawings_count && status == MECH_OK; i++) {
        const model_drawing *d = &m->drawings[i];
        m->origin = d->origin;
        for (size_t k = 0; k < d->count && status == MECH_OK; k++) status = put(b, &list, &d->values[k]);
        if (status == MECH_OK && d->when.id) status = put(b, &list, &m->drawings[i].when);
    }
    if (status == MECH_OK) status = put_in_events(b, &list);
    if (status == MECH_OK) status = put_in_laws(b, &list);
    mem_free(list.symbols);
    mem_free(list.values);
    mem_free(all);
    return status;
}

mech_status mech_bodies_joint_wrench(mech_bodies *b, size_t joint, mech_wrench which, mech_expr *value)
{
    static const char *const names[] = {"force", "torque", "load.force", "load.torque"};
    if (joint >= b->joint_count || (unsigned)which > MECH_WRENCH_LOAD_TORQUE || !value || b->is_finished)
        return MECH_ERR_ARGUMENT;
    body_joint *j = &b->joints[joint];
    const int is_torque = which == MECH_WRENCH_TORQUE || which == MECH_WRENCH_LOAD_TORQUE, plane = b->dimension == 2;
    const size_t first = is_torque && plane ? 2 : 0, count = is_torque && plane ? 1 : b->dimension;
    b->wrench_asked = 1;
    for (size_t i = 0; i < 3 && !j->wrench[which][i].id; i++) {
        const char *name = arena_format(&b->model->memory, "%s.%s[%zu]", j->name, names[which], i + 1);
        if (!name) return MECH_ERR_MEMORY;
        j->wrench[which][i] = expr_symbol_create(b->pool, name, EXPR_REACTION, 0, 0);
    }
    for (size_t i = 0; i < count; i++) {
        value[i] = j->wrench[which][first + i];
        if (!value[i].id) return bodies_failure(b);
    }
    return MECH_OK;
}
