/* Where bodies with coordinates of their own start: where the joints put them, as in the tree. A joint by constraint
 * has no say in coordinates; without a guess all its bodies would begin at the origin, and assembly would turn joints
 * that nobody spoke of. So the tree that the joints would make is made once more, of what is known of the start:
 * initial values and guesses of coordinates, 0 where nothing is said. What comes of it for a body is the guess of its
 * coordinates. */
#include "bodies/bodies.h"

#include "base/mem.h"
#include "base/try.h"

#include <math.h>
#include <string.h>

/* What is said of a coordinate or a velocity at the start. */
static mech_expr start_of(const mech_bodies *b, mech_expr target)
{
    const mech_model *m = b->model;
    mech_expr value = EXPR_ZERO;
    for (size_t i = 0; i < m->initials_count; i++)
        if (m->initials[i].target.id == target.id) value = m->initials[i].value;
    return value;
}

/* Bodies that are fixed to it share its link, and have none. */
static int has_own_coords(const mech_bodies *b, size_t number)
{
    return b->bodies[number].joint == SIZE_MAX && number != MECH_GROUND;
}

/* Does a statement of the text place this body itself? Euler parameters have a guess from the beginning, at coordinate
   1. */
static int is_placed(const mech_bodies *b, size_t number)
{
    const mech_model *m = b->model;
    for (size_t k = 0;; k++) {
        const mech_expr q = mech_bodies_own_coord(b, number, k);
        if (!q.id) return 0;
        size_t said = 0;
        for (size_t i = 0; i < m->initials_count; i++) said += m->initials[i].target.id == q.id;
        if (said > (b->dimension == 3 && k >= 3)) return 1;
    }
}

/* A joint of the second tree: where it has no coordinates it stands at 0. */
static body_joint at_start(const mech_bodies *b, const body_joint *j)
{
    body_joint s = *j;
    for (size_t k = 0; k < sizeof s.coords / sizeof *s.coords; k++) {
        const mech_expr q = j->coords[k];
        s.coords[k] = q.id ? start_of(b, q) : EXPR_ZERO;
        s.rates[k] = q.id ? start_of(b, mech_dot(b->pool, q)) : EXPR_ZERO;
    }
    /* Euler parameters of no turn */
    const size_t first = j->kind == MECH_JOINT_SPHERICAL ? 0 : 3;
    const int turns = j->kind == MECH_JOINT_SPHERICAL || (j->kind == MECH_JOINT_FREE && b->dimension == 3);
    if (turns && !j->coords[first].id) s.coords[first] = EXPR_ONE;
    return s;
}

static mech_status hang_freely(const mech_bodies *b, mech_bodies *s, size_t number)
{
    body_joint j = {.kind = MECH_JOINT_FREE,
                    .at_before = vec_zero(),
                    .at_after = vec_zero(),
                    .turned_before = mat_identity(),
                    .turned_after = mat_identity()};
    for (size_t k = 0; k < sizeof j.coords / sizeof *j.coords; k++) j.coords[k] = mech_bodies_own_coord(b, number, k);
    j = at_start(b, &j);
    return bodies_hang(s, &j, SIZE_MAX, MECH_GROUND, number);
}

/* Hangs what joints can hang, in the order of the text. */
static mech_status hang_joints(const mech_bodies *b, mech_bodies *s)
{
    for (int moved = 1; moved;) {
        moved = 0;
        for (size_t i = 0; i < b->joint_count; i++) {
            const body_joint *j = &b->joints[i];
            const int before = s->bodies[j->before].is_tied, after = s->bodies[j->after].is_tied;
            if (before == after || j->kind == MECH_JOINT_DISTANCE || j->kind == MECH_JOINT_SLOT) continue;
            body_joint one = at_start(b, j);
            one.is_reversed = after;
            MECH_TRY(after ? bodies_hang(s, &one, i, j->after, j->before)
                           : bodies_hang(s, &one, i, j->before, j->after));
            moved = 1;
        }
    }
    return MECH_OK;
}

/* Euler parameters of a rotation of constants: the largest from the diagonal (by the values that parameters have now),
   the others from it. */
static void parameters_of(const mech_bodies *b, mat R, mech_expr e[4])
{
    mech_pool *p = b->pool;
    const mech_expr quarter = mech_rational(p, 1, 4);
    mech_expr square[4];
    size_t most = 0;
    for (size_t k = 0; k < 4; k++) { /* 4 e_k^2 = 1 +- R11 +- R22 +- R33 */
        mech_expr terms[4] = {EXPR_ONE, R.x[0][0], R.x[1][1], R.x[2][2]};
        for (size_t i = 1; i < 4; i++)
            if (k > 0 && i != k) terms[i] = mech_neg(p, terms[i]);
        square[k] = mech_mul(p, quarter, mech_sum(p, terms, 4));
        if (bodies_number(b, square[k]) > bodies_number(b, square[most])) most = k;
    }
    e[most] = mech_sqrt(p, square[most]);
    for (size_t k = 0; k < 4; k++) {
        if (k == most) continue;
        const size_t low = k < most ? k : most, high = k < most ? most : k; /* 4 e_low e_high */
        /* with e_0: the two beside axis high - 1 */
        const size_t i = high % 3, j = (high + 1) % 3;
        const mech_expr product =
            low == 0 ? mech_sub(p, R.x[j][i], R.x[i][j]) : mech_add(p, R.x[low - 1][high - 1], R.x[high - 1][low - 1]);
        e[k] = mech_div(p, mech_mul(p, quarter, product), e[most]);
    }
}

/* e' = 1/2 (-u.w; e0 w + w x u), w in ground axes. */
static void rates_of(const mech_bodies *b, const mech_expr e[4], vec w, mech_expr rate[4])
{
    mech_pool *p = b->pool;
    const mech_expr half = mech_rational(p, 1, 2);
    const vec u = {{e[1], e[2], e[3]}}, across = vec_cross(p, w, u), turn = vec_add(p, vec_scale(p, e[0], w), across);
    rate[0] = mech_mul(p, half, mech_neg(p, vec_dot(p, u, w)));
    for (size_t i = 0; i < 3; i++) rate[i + 1] = mech_mul(p, half, turn.x[i]);
}

static mech_status guess(mech_bodies *b, mech_expr q, mech_expr value, mech_expr rate)
{
    MECH_TRY(mech_model_initial(b->model, q, value, 0));
    return mech_model_initial(b->model, mech_dot(b->pool, q), rate, 0);
}

static mech_status guess_body(mech_bodies *b, const mech_bodies *s, size_t number)
{
    mech_pool *p = b->pool;
    const body *k = &s->bodies[number];
    const body_link *l = &s->links[k->link];
    const vec place = vec_add(p, l->r, mat_apply(p, l->R, k->origin)), w = mat_apply(p, l->R, l->w);
    const vec velocity = mat_apply(p, l->R, vec_add(p, l->velocity, vec_cross(p, l->w, k->origin)));
    for (size_t i = 0; i < b->dimension; i++)
        MECH_TRY(guess(b, mech_bodies_own_coord(b, number, i), place.x[i], velocity.x[i]));
    if (b->dimension == 2) return guess(b, mech_bodies_own_coord(b, number, 2), k->angle, w.x[2]);
    mech_expr e[4], rate[4];
    parameters_of(b, mat_times(p, l->R, k->axes), e);
    rates_of(b, e, w, rate);
    for (size_t i = 0; i < 4; i++) MECH_TRY(guess(b, mech_bodies_own_coord(b, number, 3 + i), e[i], rate[i]));
    return MECH_OK;
}

static mech_status make_second_tree(const mech_bodies *b, mech_bodies *s)
{
    for (size_t i = 1; i < s->body_count; i++) s->bodies[i].is_tied = 0;
    for (size_t i = 1; i < s->body_count; i++)
        if (has_own_coords(b, i) && is_placed(b, i)) MECH_TRY(hang_freely(b, s, i));
    MECH_TRY(hang_joints(b, s));
    for (size_t i = 1; i < s->body_count; i++) {
        if (s->bodies[i].is_tied || !has_own_coords(b, i)) continue;
        MECH_TRY(hang_freely(b, s, i));
        MECH_TRY(hang_joints(b, s));
    }
    return MECH_OK;
}

mech_status bodies_guess_starts(mech_bodies *b)
{
    int any = 0;
    for (size_t i = 1; i < b->body_count; i++) any |= has_own_coords(b, i) && !is_placed(b, i);
    if (!any) return MECH_OK;
    mech_bodies second = *b;
    second.links = NULL;
    second.link_count = second.link_capacity = 0;
    second.bodies = mem_zeroed(b->body_count, sizeof *second.bodies);
    mech_status status = second.bodies && mem_grow(&second.links, &second.link_capacity, 1, sizeof *second.links)
                             ? MECH_OK
                             : MECH_ERR_MEMORY;
    if (status == MECH_OK) {
        memcpy(second.bodies, b->bodies, b->body_count * sizeof *second.bodies);
        second.links[second.link_count++] = b->links[0];
        status = make_second_tree(b, &second);
    }
    for (size_t i = 1; status == MECH_OK && i < b->body_count; i++)
        if (has_own_coords(b, i) && !is_placed(b, i) && second.bodies[i].is_tied) status = guess_body(b, &second, i);
    mem_free(second.bodies);
    mem_free(second.links);
    return status;
}
