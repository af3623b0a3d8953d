/* A chain of hinges built by the C calls, in two ways: the kinetic energy from which all is derived, and the recursion
   of composite bodies and of Newton and Euler as an inertia. */
#ifndef TESTS_SUPPORT_CHAIN_H
#define TESTS_SUPPORT_CHAIN_H

#include <mech/model.h>

#include "check.h"
#include "model/model.h"

#include <stdio.h>

enum { CHAIN_MOST = 128 };
typedef enum chain_way { CHAIN_KINETIC, CHAIN_INERTIA } chain_way;

typedef struct chain_vector {
    mech_expr c[3];
} chain_vector;

typedef struct chain_matrix {
    mech_expr c[3][3];
} chain_matrix;

typedef struct chain {
    mech_model *model;
    mech_pool *p;
    size_t n;
    int planar, literal; /* all axes are z; numbers in place of parameters */
    mech_expr q[CHAIN_MOST], v[CHAIN_MOST], mass, g;
    chain_vector offset, center;
    chain_matrix inertia; /* about the joint */
} chain;

static inline mech_expr chain_number(chain *s, const char *name, double value)
{
    const mech_expr number = mech_number(s->p, value);
    return s->literal ? number : mech_model_param(s->model, name, number, NULL);
}

static inline chain_vector chain_hold(chain *s, int holds, chain_vector a)
{
    for (int i = 0; i < 3 && holds; i++) a.c[i] = expr_held(s->p, a.c[i], NULL);
    return a;
}

static inline chain_vector chain_add(chain *s, chain_vector a, chain_vector b)
{
    for (int i = 0; i < 3; i++) a.c[i] = mech_add(s->p, a.c[i], b.c[i]);
    return a;
}

static inline chain_vector chain_scale(chain *s, mech_expr k, chain_vector a)
{
    for (int i = 0; i < 3; i++) a.c[i] = mech_mul(s->p, k, a.c[i]);
    return a;
}

static inline mech_expr chain_dot(chain *s, chain_vector a, chain_vector b)
{
    mech_expr terms[3];
    for (int i = 0; i < 3; i++) terms[i] = mech_mul(s->p, a.c[i], b.c[i]);
    return mech_sum(s->p, terms, 3);
}

static inline chain_vector chain_cross(chain *s, chain_vector a, chain_vector b)
{
    chain_vector r;
    for (int i = 0; i < 3; i++) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        r.c[i] = mech_sub(s->p, mech_mul(s->p, a.c[j], b.c[k]), mech_mul(s->p, a.c[k], b.c[j]));
    }
    return r;
}

static inline chain_vector chain_times(chain *s, const chain_matrix *A, chain_vector x)
{
    chain_vector r;
    for (int i = 0; i < 3; i++) r.c[i] = chain_dot(s, (chain_vector){{A->c[i][0], A->c[i][1], A->c[i][2]}}, x);
    return r;
}

/* Components in the axes of link i of a vector in those of the link before it; back: the other way. */
static inline int chain_axis(const chain *s, size_t i) { return s->planar ? 2 : (int)(i % 3); }

static inline chain_vector chain_turn(chain *s, size_t i, chain_vector a, int back)
{
    const int z = chain_axis(s, i), x = (z + 1) % 3, y = (z + 2) % 3;
    const mech_expr c = mech_call(s->p, MECH_FUNCTION_COS, &s->q[i], 1),
                    sine = mech_call(s->p, MECH_FUNCTION_SIN, &s->q[i], 1);
    const mech_expr sn = back ? mech_neg(s->p, sine) : sine;
    chain_vector r = a;
    r.c[x] = mech_add(s->p, mech_mul(s->p, c, a.c[x]), mech_mul(s->p, sn, a.c[y]));
    r.c[y] = mech_sub(s->p, mech_mul(s->p, c, a.c[y]), mech_mul(s->p, sn, a.c[x]));
    return r;
}

static inline chain_vector chain_unit(int axis)
{
    chain_vector e = {{EXPR_ZERO, EXPR_ZERO, EXPR_ZERO}};
    e.c[axis] = EXPR_ONE;
    return e;
}

static inline chain chain_begin(mech_model *m, size_t n, int planar, int literal)
{
    static const double offset[3] = {0.5, 0.125, -0.25}, center[3] = {0.25, -0.0625, 0.125},
                        I[3][3] = {{0.3, 0.01, -0.02}, {0.01, 0.4, 0.03}, {-0.02, 0.03, 0.5}};
    chain s = {.model = m, .p = mech_model_pool(m), .n = n, .planar = planar, .literal = literal};
    char name[32];
    s.mass = chain_number(&s, "m", 1.5);
    s.g = chain_number(&s, "g", 9.81);
    for (int i = 0; i < 3; i++) {
        snprintf(name, sizeof name, "l%d", i);
        s.offset.c[i] = planar && i == 2 ? EXPR_ZERO : chain_number(&s, name, offset[i]);
        snprintf(name, sizeof name, "c%d", i);
        s.center.c[i] = planar && i == 2 ? EXPR_ZERO : chain_number(&s, name, center[i]);
        for (int j = 0; j <= i; j++) {
            snprintf(name, sizeof name, "I%d%d", i, j);
            s.inertia.c[i][j] = s.inertia.c[j][i] = chain_number(&s, name, I[i][j]);
        }
    }
    for (size_t i = 0; i < n; i++) {
        snprintf(name, sizeof name, "q%zu", i + 1);
        s.q[i] = mech_model_coord(m, name, NULL);
        s.v[i] = mech_dot(s.p, s.q[i]);
    }
    return s;
}

typedef struct chain_motion { /* of a link, in its own axes */
    chain_vector w, v;        /* of the joint's point */
    chain_vector up;          /* the direction against the weight */
    mech_expr height, energy, weight;
} chain_motion;

static inline chain_vector chain_zero(void) { return (chain_vector){{EXPR_ZERO, EXPR_ZERO, EXPR_ZERO}}; }

static inline chain_motion chain_step(chain *s, int holds, size_t i, const chain_motion *before)
{
    chain_motion a;
    const chain_vector at = i ? chain_cross(s, before->w, s->offset) : chain_zero();
    a.w = chain_turn(s, i, before->w, 0);
    a.w.c[chain_axis(s, i)] = mech_add(s->p, a.w.c[chain_axis(s, i)], s->v[i]);
    a.w = chain_hold(s, holds, a.w);
    a.v = chain_hold(s, holds, chain_turn(s, i, chain_add(s, before->v, at), 0));
    a.up = chain_hold(s, holds, chain_turn(s, i, before->up, 0));
    a.height = mech_add(s->p, before->height, i ? chain_dot(s, before->up, s->offset) : EXPR_ZERO);
    /* m v.v/2 + v.(w x m c) + w.I.w/2 about the joint */
    const mech_expr half = mech_rational(s->p, 1, 2);
    const mech_expr parts[3] = {mech_product(s->p, (mech_expr[]){half, s->mass, chain_dot(s, a.v, a.v)}, 3),
                                mech_mul(s->p, s->mass, chain_dot(s, a.v, chain_cross(s, a.w, s->center))),
                                mech_mul(s->p, half, chain_dot(s, a.w, chain_times(s, &s->inertia, a.w)))};
    a.energy = mech_sum(s->p, parts, 3);
    a.weight =
        mech_product(s->p, (mech_expr[]){s->mass, s->g, mech_add(s->p, a.height, chain_dot(s, a.up, s->center))}, 3);
    return a;
}

static inline void chain_by_kinetic(chain *s)
{
    chain_motion a = {.w = chain_zero(), .v = chain_zero(), .up = chain_unit(1), .height = EXPR_ZERO};
    for (size_t i = 0; i < s->n; i++) {
        a = chain_step(s, 0, i, &a);
        CHECK(mech_model_kinetic(s->model, a.energy) == MECH_OK);
        CHECK(mech_model_potential(s->model, a.weight) == MECH_OK);
    }
}

typedef struct chain_body { /* mass, its moment, and inertia about the joint */
    mech_expr mass;
    chain_vector moment;
    chain_matrix inertia;
} chain_body;

/* The composite of link i beside the one after it, composite `next` in its own axes. */
static inline chain_body chain_composite(chain *s, size_t after, const chain_body *next)
{
    chain_body b = {.mass = mech_add(s->p, s->mass, next->mass), .moment = chain_scale(s, s->mass, s->center)};
    chain_matrix half, turned;
    const chain_vector h = chain_hold(s, 1, chain_turn(s, after, next->moment, 1));
    for (int j = 0; j < 3; j++) {
        const chain_vector column = chain_turn(
            s, after, (chain_vector){{next->inertia.c[0][j], next->inertia.c[1][j], next->inertia.c[2][j]}}, 1);
        for (int i = 0; i < 3; i++) half.c[i][j] = expr_held(s->p, column.c[i], NULL);
    }
    for (int i = 0; i < 3; i++) {
        const chain_vector row = chain_turn(s, after, (chain_vector){{half.c[i][0], half.c[i][1], half.c[i][2]}}, 1);
        for (int j = 0; j < 3; j++) turned.c[i][j] = row.c[j];
    }
    /* about the joint before: + 2 p.h - p h' - h p' + m (p.p - p p') */
    const mech_expr both[2] = {mech_mul(s->p, mech_rational(s->p, 2, 1), chain_dot(s, s->offset, h)),
                               mech_mul(s->p, next->mass, chain_dot(s, s->offset, s->offset))};
    const mech_expr round = expr_held(s->p, mech_sum(s->p, both, 2), NULL);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j <= i; j++) {
            const mech_expr p = s->offset.c[i], q = s->offset.c[j];
            const mech_expr terms[6] = {s->inertia.c[i][j],
                                        turned.c[i][j],
                                        i == j ? round : EXPR_ZERO,
                                        mech_neg(s->p, mech_mul(s->p, p, h.c[j])),
                                        mech_neg(s->p, mech_mul(s->p, h.c[i], q)),
                                        mech_neg(s->p, mech_product(s->p, (mech_expr[]){next->mass, p, q}, 3))};
            b.inertia.c[i][j] = b.inertia.c[j][i] = expr_held(s->p, mech_sum(s->p, terms, 6), NULL);
        }
    }
    b.moment = chain_hold(s, 1, chain_add(s, b.moment, chain_add(s, h, chain_scale(s, next->mass, s->offset))));
    b.mass = expr_held(s->p, b.mass, NULL);
    return b;
}

/* Row i of M: the joint turns, and what its composite needs is handed down the chain. */
static inline void chain_row(chain *s, size_t i, const chain_body *b, mech_expr *mass)
{
    const chain_vector e = chain_unit(chain_axis(s, i));
    chain_vector force = chain_hold(s, 1, chain_cross(s, e, b->moment)),
                 moment = chain_hold(s, 1, chain_times(s, &b->inertia, e));
    for (size_t j = i + 1; j-- > 0;) {
        mass[i * (i + 1) / 2 + j] = moment.c[chain_axis(s, j)];
        if (j == 0) break;
        force = chain_hold(s, 1, chain_turn(s, j, force, 1));
        moment = chain_hold(s, 1, chain_add(s, chain_turn(s, j, moment, 1), chain_cross(s, s->offset, force)));
    }
}

/* What keeps each link on its way with q'' = 0, the weight as an acceleration of the ground; then handed down. */
static inline void chain_forces(chain *s, const chain_motion *a, mech_expr *force)
{
    static chain_vector F[CHAIN_MOST], N[CHAIN_MOST];
    chain_vector turning = chain_zero(), linear = chain_scale(s, s->g, chain_unit(1));
    for (size_t i = 0; i < s->n; i++) {
        const chain_vector own = chain_scale(s, s->v[i], chain_unit(chain_axis(s, i)));
        if (i) {
            const chain_vector w = a[i - 1].w;
            linear = chain_add(s, linear,
                               chain_add(s, chain_cross(s, turning, s->offset),
                                         chain_cross(s, w, chain_hold(s, 1, chain_cross(s, w, s->offset)))));
            turning = chain_hold(
                s, 1, chain_add(s, chain_turn(s, i, turning, 0), chain_cross(s, chain_turn(s, i, w, 0), own)));
        }
        linear = chain_hold(s, 1, chain_turn(s, i, linear, 0));
        const chain_vector w = a[i].w, around = chain_hold(s, 1, chain_times(s, &s->inertia, w));
        const chain_vector drawn = chain_add(s, chain_cross(s, turning, s->center),
                                             chain_cross(s, w, chain_hold(s, 1, chain_cross(s, w, s->center))));
        F[i] = chain_scale(s, s->mass, chain_hold(s, 1, chain_add(s, linear, drawn)));
        N[i] = chain_add(s, chain_times(s, &s->inertia, turning), chain_cross(s, w, around));
        N[i] = chain_add(s, N[i], chain_cross(s, chain_scale(s, s->mass, s->center), linear));
    }
    for (size_t i = s->n; i-- > 0;) {
        F[i] = chain_hold(s, 1, F[i]);
        N[i] = chain_hold(s, 1, N[i]);
        force[i] = mech_neg(s->p, N[i].c[chain_axis(s, i)]);
        if (i == 0) break;
        const chain_vector back = chain_hold(s, 1, chain_turn(s, i, F[i], 1));
        F[i - 1] = chain_add(s, F[i - 1], back);
        N[i - 1] = chain_add(s, N[i - 1], chain_add(s, chain_turn(s, i, N[i], 1), chain_cross(s, s->offset, back)));
    }
}

static inline void chain_by_inertia(chain *s)
{
    static mech_expr mass[CHAIN_MOST * (CHAIN_MOST + 1) / 2], force[CHAIN_MOST], energy[CHAIN_MOST], weight[CHAIN_MOST];
    static chain_motion a[CHAIN_MOST];
    const chain_motion ground = {.w = chain_zero(), .v = chain_zero(), .up = chain_unit(1), .height = EXPR_ZERO};
    for (size_t i = 0; i < s->n; i++) {
        a[i] = chain_step(s, 1, i, i ? &a[i - 1] : &ground);
        a[i].height = expr_held(s->p, a[i].height, NULL);
        energy[i] = expr_held(s->p, a[i].energy, NULL);
        weight[i] = expr_held(s->p, a[i].weight, NULL);
    }
    chain_body b = {.mass = EXPR_ZERO, .moment = chain_zero()};
    for (int i = 0; i < 9; i++) b.inertia.c[i / 3][i % 3] = EXPR_ZERO;
    for (size_t i = s->n; i-- > 0;) {
        if (i + 1 == s->n) b = (chain_body){s->mass, chain_hold(s, 1, chain_scale(s, s->mass, s->center)), s->inertia};
        else b = chain_composite(s, i + 1, &b);
        chain_row(s, i, &b, mass);
    }
    chain_forces(s, a, force);
    CHECK(model_add_inertia(s->model, s->q, s->n, mass, force, mech_sum(s->p, energy, s->n),
                            mech_sum(s->p, weight, s->n)) == MECH_OK);
}

/* A finished model. */
static inline mech_model *chain_model(chain_way way, size_t n, int planar, int literal, mech_diagnostics *list)
{
    mech_model *m = NULL;
    CHECK(mech_model_create(list, &m) == MECH_OK);
    chain s = chain_begin(m, n, planar, literal);
    if (way == CHAIN_KINETIC) chain_by_kinetic(&s);
    else chain_by_inertia(&s);
    for (size_t i = 0; i < n; i++) {
        CHECK(mech_model_initial(m, s.q[i], mech_number(s.p, 0.1 + 0.1 * (double)(7 * (i + 1) % 5)), 1) == MECH_OK);
        CHECK(mech_model_initial(m, s.v[i], mech_number(s.p, 0.5 - 0.15 * (double)(3 * (i + 1) % 7)), 1) == MECH_OK);
    }
    CHECK(mech_model_finish(m) == MECH_OK);
    return m;
}

#endif
