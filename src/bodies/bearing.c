/* What friction that the force of a joint loads may not know. Constraints that turn a body at the joint, tie it to
   others and do not push it (gears, belts and ropes that are written as equations of coordinates) pull at no bearing.
   And a rate of turning is no speed: a journal has a radius. */
#include "bodies/bodies.h"

#include "base/try.h"

/* What one row does at one joint. */
typedef struct tie {
    int turns, pushes, ties;
} tie;

static int is_rate(const mech_bodies *b, const body_joint *j, mech_expr velocity)
{
    for (size_t k = 0; k < sizeof j->coords / sizeof *j->coords && j->coords[k].id; k++)
        if (mech_dot(b->pool, j->coords[k]).id == velocity.id) return 1;
    return 0;
}

/* The link that a velocity is of, if it is one of a body's own coordinates; else NULL. */
static const body_link *own_link(const mech_bodies *b, size_t number, mech_expr velocity)
{
    for (size_t i = b->bodies[number].link; i != SIZE_MAX && b->links[i].kind != LINK_GROUND; i = b->links[i].parent)
        for (size_t k = 0; k < b->links[i].count; k++)
            if (b->links[i].v[k].id == velocity.id) return b->links[i].joint == SIZE_MAX ? &b->links[i] : NULL;
    return NULL;
}

static void add(const mech_bodies *b, const body_joint *j, mech_expr velocity, tie *t)
{
    const body_link *link = own_link(b, j->after, velocity);
    if (!link) link = own_link(b, j->before, velocity);
    if (is_rate(b, j, velocity)) t->turns = 1;
    else if (!link) t->ties = 1;
    else if (link->kind == LINK_SHIFT) t->pushes = 1;
    else t->turns = 1;
}

static mech_status look(const mech_bodies *b, const body_joint *j, const model_row *row, expr_gradient *g, tie *t)
{
    const int is_fast = row->level == MODEL_ACCELERATION;
    const mech_expr of = row->level == MODEL_HOLONOMIC ? mech_dot(b->pool, row->residual) : row->residual;
    *t = (tie){0};
    if (!of.id) return bodies_failure(b);
    MECH_TRY(expr_gradient_of(b->pool, of, is_fast ? EXPR_ACCELERATION : EXPR_VELOCITY, g));
    for (size_t i = 0; i < g->count; i++) {
        mech_expr velocity = g->items[i].symbol;
        for (size_t k = 0; is_fast && k < b->model->coords_count; k++)
            if (b->model->coords[k].a.id == g->items[i].symbol.id) velocity = b->model->coords[k].v;
        add(b, j, velocity, t);
    }
    return MECH_OK;
}

static mech_status look_at(const mech_bodies *b, const body_joint *j, expr_gradient *g)
{
    mech_model *m = b->model;
    for (size_t c = 0; c < m->constraints_count; c++) {
        const model_constraint *constraint = &m->constraints[c];
        if (constraint->is_control || mech_bodies_joint_of(b, c) != SIZE_MAX) continue;
        for (size_t i = 0; i < constraint->row_count; i++) {
            tie t;
            MECH_TRY(look(b, j, &m->rows[constraint->first_row + i], g, &t));
            if (!t.turns || t.pushes || !t.ties) continue;
            diagnostics_add(m->diagnostics, MECH_SEVERITY_WARNING, MECH_ERR_MODEL, model_span(m, constraint->origin),
                            "where it stands for a rope, a belt or teeth, write it with places of bodies, as "
                            "dot([0, 1], load.c') = dot([0, 1], drum.c') + 0.2*drum.w",
                            "'%s' turns what joint '%s' carries and does not push it: what it pulls with does not load "
                            "the friction on '%s'",
                            constraint->name, j->name, j->name);
            break;
        }
    }
    return MECH_OK;
}

static int is_turning(mech_joint_kind kind) { return kind == MECH_JOINT_REVOLUTE || kind == MECH_JOINT_UNIVERSAL; }

static void look_at_radius(const mech_bodies *b, const body_joint *j, const model_friction *f)
{
    for (size_t k = 0; k < f->count; k++)
        if (is_turning(j->kind) && is_rate(b, j, f->velocity[k]))
            diagnostics_add(b->model->diagnostics, MECH_SEVERITY_WARNING, MECH_ERR_MODEL,
                            model_span(b->model, f->origin), "of a journal of radius R it is: along R*J'",
                            "the friction on '%s' acts along a rate of turning, as if its radius were 1", j->name);
}

mech_status bodies_warn_bearings(const mech_bodies *b)
{
    const mech_model *m = b->model;
    expr_gradient g = {0};
    mech_status status = MECH_OK;
    for (size_t i = 0; i < m->frictions_count; i++)
        for (size_t k = 0; k < m->frictions[i].constraint_count && status == MECH_OK; k++) {
            const size_t j = mech_bodies_joint_of(b, m->frictions[i].constraints[k]);
            if (j == SIZE_MAX || b->joints[j].kind == MECH_JOINT_PRISMATIC) continue;
            look_at_radius(b, &b->joints[j], &m->frictions[i]);
            status = look_at(b, &b->joints[j], &g);
        }
    expr_gradient_free(&g);
    return status;
}
