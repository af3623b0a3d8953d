/* Random mechanical systems. Each expression is grown twice, as a tree of our own and as an expression of
   the pool, so that what the pool makes of it while building can be checked too. */
#ifndef TESTS_SUPPORT_RANDOM_SYSTEM_H
#define TESTS_SUPPORT_RANDOM_SYSTEM_H

#include "reference.h"

#include <stdio.h>

typedef enum tree_op {
    TREE_NUMBER,
    TREE_SYMBOL,
    TREE_ADD,
    TREE_SUB,
    TREE_MUL,
    TREE_DIV,
    TREE_POWER,
    TREE_CALL,
    TREE_DOT
} tree_op;

typedef struct tree {
    tree_op op;
    size_t a, b;        /* operands                       */
    long double number; /* NUMBER, exponent of POWER      */
    mech_function f;    /* CALL                           */
    mech_expr e;        /* the pool's version             */
} tree;

enum { TREES = 20000, COORDS = 4 };
static tree trees[TREES];
static size_t tree_count;

typedef struct random_system {
    mech_model *m;
    mech_pool *p;
    size_t n;
    size_t time, q[COORDS], v[COORDS], a[COORDS], param[2], input[2], state; /* trees; inputs: u, u' */
    int has_input, has_state;
    size_t given[200], given_count; /* trees handed to the model */
} random_system;

static inline size_t plant(tree t)
{
    if (tree_count + 1 >= TREES) abort();
    trees[tree_count] = t;
    return tree_count++;
}

static inline size_t tree_symbol(mech_expr e) { return plant((tree){.op = TREE_SYMBOL, .e = e}); }

static inline size_t tree_number(const random_system *s, int64_t numerator, int64_t denominator)
{
    return plant((tree){.op = TREE_NUMBER,
                        .number = (long double)numerator / (long double)denominator,
                        .e = mech_rational(s->p, numerator, denominator)});
}

static inline size_t tree_two(const random_system *s, tree_op op, size_t a, size_t b)
{
    const mech_expr x = trees[a].e, y = trees[b].e;
    const mech_expr e = op == TREE_ADD   ? mech_add(s->p, x, y)
                        : op == TREE_SUB ? mech_sub(s->p, x, y)
                        : op == TREE_MUL ? mech_mul(s->p, x, y)
                                         : mech_div(s->p, x, y);
    return plant((tree){.op = op, .a = a, .b = b, .e = e});
}

static inline size_t tree_add(const random_system *s, size_t a, size_t b) { return tree_two(s, TREE_ADD, a, b); }
static inline size_t tree_mul(const random_system *s, size_t a, size_t b) { return tree_two(s, TREE_MUL, a, b); }

static inline size_t tree_power(const random_system *s, size_t a, int64_t numerator, int64_t denominator)
{
    return plant((tree){.op = TREE_POWER,
                        .a = a,
                        .number = (long double)numerator / (long double)denominator,
                        .e = mech_pow(s->p, trees[a].e, mech_rational(s->p, numerator, denominator))});
}

static inline size_t tree_call(const random_system *s, mech_function f, size_t a, size_t b)
{
    const mech_expr arguments[] = {trees[a].e, trees[b].e};
    return plant((tree){
        .op = TREE_CALL, .a = a, .b = b, .f = f, .e = mech_call(s->p, f, arguments, (size_t)expr_function_arity(f))});
}

static inline size_t tree_dot(const random_system *s, size_t a)
{
    return plant((tree){.op = TREE_DOT, .a = a, .e = mech_dot(s->p, trees[a].e)});
}

/* The value of a tree; `part` is the next free one, for the derivatives by time within it. */
static inline dual tree_value(const place *s, size_t id, unsigned part)
{
    const tree t = trees[id];
    dual r;
    switch (t.op) {
    case TREE_NUMBER: return dual_number(t.number);
    case TREE_SYMBOL: return *place_at(s, t.e);
    case TREE_ADD: return dual_add(tree_value(s, t.a, part), tree_value(s, t.b, part));
    case TREE_SUB: return dual_add(tree_value(s, t.a, part), dual_scale(tree_value(s, t.b, part), -1));
    case TREE_MUL: return dual_mul(tree_value(s, t.a, part), tree_value(s, t.b, part));
    case TREE_DIV: return dual_div(tree_value(s, t.a, part), tree_value(s, t.b, part));
    case TREE_POWER: return dual_power(tree_value(s, t.a, part), t.number);
    case TREE_CALL: return dual_call(t.f, tree_value(s, t.a, part), tree_value(s, t.b, part), dual_number(0));
    case TREE_DOT: break;
    }
    place moved = place_create(s->m);
    const unsigned before = dual_parts;
    if (dual_parts < part + 1) dual_parts = part + 1;
    place_move(&moved, s, part);
    r = dual_part(tree_value(&moved, t.a, part + 1), part);
    dual_parts = before;
    free(moved.value);
    return r;
}

/* ---- growing ---- */

enum { WITH_VELOCITY = 1, WITH_TIME = 2, WITH_RATE = 4 }; /* RATE: u' of an input, which can be differentiated once */

static inline size_t grow_leaf(const random_system *s, unsigned with)
{
    const size_t pick = random_below(12);
    if (pick == 0) return tree_number(s, (int64_t)random_below(9) - 4, 1 + (int64_t)random_below(5));
    if (pick == 1) return s->param[random_below(2)];
    if (pick == 2 && (with & WITH_TIME)) return s->time;
    if (pick == 3 && (with & WITH_TIME) && s->has_input) return s->input[with & WITH_RATE ? random_below(2) : 0];
    if (pick == 4 && (with & WITH_TIME) && s->has_state) return s->state;
    if (pick <= 7 && (with & WITH_VELOCITY)) return s->v[random_below(s->n)];
    return s->q[random_below(s->n)];
}

static inline size_t grow(const random_system *s, unsigned depth, unsigned with);

/* c + x^2: positive */
static inline size_t grow_positive(const random_system *s, unsigned depth, unsigned with)
{
    const size_t x = grow(s, depth, with),
                 c = tree_number(s, 2 + (int64_t)random_below(3), 1 + (int64_t)random_below(2));
    return tree_add(s, c, tree_power(s, x, 2, 1));
}

static inline size_t grow(const random_system *s, unsigned depth, unsigned with)
{
    static const mech_function bounded[] = {MECH_FUNCTION_SIN, MECH_FUNCTION_COS,  MECH_FUNCTION_SIN,
                                            MECH_FUNCTION_COS, MECH_FUNCTION_ATAN, MECH_FUNCTION_TANH,
                                            MECH_FUNCTION_ABS};
    static const mech_function steep[] = {MECH_FUNCTION_EXP, MECH_FUNCTION_SINH, MECH_FUNCTION_COSH, MECH_FUNCTION_EXP};
    static const int64_t powers[][2] = {{1, 2}, {3, 2}, {-1, 2}, {-1, 1}, {1, 3}, {-2, 1}};
    if (depth == 0 || random_below(6) == 0) return grow_leaf(s, with);
    const size_t a = grow(s, depth - 1, with), pick = random_below(20), power = random_below(6);
    if (pick < 4) return tree_add(s, a, grow(s, depth - 1, with));
    if (pick < 6) return tree_two(s, TREE_SUB, a, grow(s, depth - 1, with));
    if (pick < 10) return tree_mul(s, a, grow(s, depth - 1, with));
    if (pick < 13) return tree_call(s, bounded[random_below(7)], a, a);
    if (pick == 13) return tree_call(s, steep[random_below(4)], tree_call(s, MECH_FUNCTION_SIN, a, a), a);
    if (pick == 14) return tree_power(s, a, 2 + (int64_t)random_below(2), 1);
    const size_t p = grow_positive(s, depth - 1, with);
    if (pick == 15) return tree_power(s, p, powers[power][0], powers[power][1]);
    if (pick == 16) return tree_two(s, TREE_DIV, a, p);
    if (pick == 17) return tree_call(s, MECH_FUNCTION_POW, p, s->param[random_below(2)]);
    if (pick == 18)
        return tree_call(s,
                         random_below(2)   ? MECH_FUNCTION_ATAN2
                         : random_below(2) ? MECH_FUNCTION_MIN
                                           : MECH_FUNCTION_MAX,
                         a, p);
    if (random_below(2)) return tree_call(s, MECH_FUNCTION_LOG, p, a);
    return tree_call(s, MECH_FUNCTION_ASIN, tree_power(s, p, -1, 1), a);
}

/* an angle-like leaf and a few functions of it: what mechanisms are made of */
static inline size_t grow_position(const random_system *s)
{
    const size_t i = random_below(s->n), j = random_below(s->n),
                 f = random_below(2) ? MECH_FUNCTION_SIN : MECH_FUNCTION_COS;
    const size_t angle = random_below(2) ? s->q[i] : tree_two(s, TREE_SUB, s->q[i], s->q[j]);
    const size_t arm = tree_mul(s, s->param[random_below(2)], tree_call(s, (mech_function)f, angle, angle));
    return random_below(3) ? tree_add(s, s->q[j], arm) : tree_add(s, arm, grow(s, 2, WITH_TIME));
}

/* ---- handing over ---- */

static inline mech_expr give(random_system *s, size_t id)
{
    if (s->given_count < 200) s->given[s->given_count++] = id;
    return trees[id].e;
}

static inline int has(const random_system *s, size_t id, unsigned classes)
{
    return trees[id].e.id && (expr_classes(s->p, trees[id].e) & classes) != 0;
}

static inline mech_status add_kinetic(random_system *s)
{
    mech_status status = MECH_OK;
    for (size_t i = 0; i < s->n && status == MECH_OK; i++) {
        const size_t mass =
            random_below(2) ? tree_number(s, 1 + (int64_t)random_below(5), 2) : grow_positive(s, 1, WITH_TIME);
        status = mech_model_kinetic(s->m, give(s, tree_mul(s, mass, tree_power(s, s->v[i], 2, 1))));
    }
    for (size_t k = random_below(3); k > 0 && status == MECH_OK; k--) {
        const size_t x = tree_dot(s, grow_position(s)), y = tree_dot(s, grow_position(s));
        const size_t squares = tree_add(s, tree_power(s, x, 2, 1), tree_power(s, y, 2, 1));
        status = mech_model_kinetic(s->m, give(s, tree_mul(s, s->param[0], squares)));
    }
    if (status == MECH_OK && random_below(2)) /* linear in the velocities, and free of them */
        status = mech_model_kinetic(
            s->m, give(s, tree_add(s, tree_mul(s, grow(s, 2, WITH_TIME | WITH_RATE), s->v[random_below(s->n)]),
                                   tree_add(s, s->v[0], grow(s, 2, WITH_TIME)))));
    if (status == MECH_OK && random_below(8) == 0) /* not quadratic */
        status = mech_model_kinetic(s->m, give(s, tree_add(s, s->v[0], grow(s, 2, WITH_TIME | WITH_VELOCITY))));
    return status;
}

static inline mech_status add_forces(random_system *s)
{
    mech_status status =
        mech_model_potential(s->m, give(s, grow(s, 3, WITH_TIME | WITH_RATE | (random_below(6) ? 0 : WITH_VELOCITY))));
    if (status == MECH_OK && random_below(2)) {
        const size_t slip = tree_add(s, s->v[random_below(s->n)], tree_mul(s, grow(s, 1, 0), s->v[random_below(s->n)]));
        status = mech_model_dissipation(s->m, give(s, tree_mul(s, s->param[1], tree_power(s, slip, 2, 1))));
    }
    for (size_t k = random_below(3); k > 0 && status == MECH_OK; k--) {
        size_t force[2], on[2];
        mech_expr force_e[2], on_e[2];
        for (int i = 0; i < 2; i++) {
            force[i] = grow(s, 2, WITH_TIME | WITH_RATE | WITH_VELOCITY);
            on[i] =
                random_below(2) ? tree_dot(s, grow_position(s)) : tree_mul(s, grow(s, 1, 0), s->v[random_below(s->n)]);
            if (!has(s, on[i], EXPR_VELOCITY)) on[i] = s->v[0];
            force_e[i] = give(s, force[i]);
            on_e[i] = give(s, on[i]);
        }
        status = mech_model_force(s->m, force_e, on_e, 2);
    }
    for (size_t k = random_below(2); k > 0 && status == MECH_OK; k--) {
        const size_t i = random_below(s->n), j = random_below(s->n);
        status = mech_model_mass(
            s->m, trees[s->q[i]].e, trees[s->q[j]].e,
            give(s, tree_mul(s, tree_number(s, 1, 8), tree_call(s, MECH_FUNCTION_COS, grow(s, 2, WITH_TIME), 0))));
    }
    return status;
}

static inline size_t grow_row(const random_system *s, size_t kind)
{
    const size_t i = random_below(s->n), j = random_below(s->n);
    size_t sum = grow(s, 2, WITH_TIME);
    if (kind == 0) return tree_add(s, sum, tree_power(s, s->q[i], 2, 1));                           /* holonomic */
    if (kind == 1) return tree_dot(s, tree_add(s, grow_position(s), tree_power(s, s->q[i], 3, 1))); /* integrable */
    if (kind == 2 || kind == 3)                                                                     /* linear */
        for (size_t k = 0; k < s->n; k++)
            sum = tree_add(s, sum, tree_mul(s, grow(s, 2, kind == 3 ? WITH_TIME | WITH_RATE : 0), s->v[k]));
    if (kind == 4) /* nonlinear */
        sum = tree_add(s, sum,
                       tree_two(s, TREE_SUB, tree_power(s, s->v[i], 2, 1), grow(s, 2, WITH_TIME | WITH_VELOCITY)));
    if (kind == 5) /* second derivatives */
        for (size_t k = 0; k < s->n; k++)
            sum = tree_add(s, sum, tree_mul(s, grow(s, 2, WITH_TIME | WITH_RATE | WITH_VELOCITY), s->a[k]));
    if (kind == 6) return tree_dot(s, tree_add(s, tree_power(s, s->v[i], 2, 1), tree_mul(s, grow(s, 1, 0), s->v[j])));
    return sum;
}

static inline mech_status add_constraints(random_system *s)
{
    mech_status status = MECH_OK;
    for (size_t k = 0; k < 4 && status == MECH_OK; k++) {
        const size_t row = grow_row(s, random_below(7));
        char name[8];
        if (!has(s, row, EXPR_COORD | EXPR_VELOCITY | EXPR_ACCELERATION)) continue;
        snprintf(name, sizeof name, "c%zu", k);
        const mech_expr e = give(s, row);
        status = mech_model_constraint(s->m, name, &e, 1, NULL);
    }
    if (status == MECH_OK && s->m->constraints_count) {
        const size_t law = grow_position(s), zero = 0;
        const mech_expr position = give(s, law), force = give(s, grow(s, 2, WITH_TIME | WITH_VELOCITY));
        if (has(s, law, EXPR_COORD) && !has(s, law, EXPR_VELOCITY))
            status = mech_model_nonideal(s->m, MECH_LAW_C, &zero, 1, &position, &force, 1);
    }
    const size_t motor = tree_dot(s, grow_position(s));
    const mech_expr e = give(s, motor);
    if (status == MECH_OK && has(s, motor, EXPR_VELOCITY)) status = mech_model_actuator(s->m, NULL, &e, 1);
    return status;
}

/* A system into an empty model. */
static inline mech_status random_system_create(random_system *s, mech_model *m)
{
    *s = (random_system){.m = m, .p = mech_model_pool(m), .n = 1 + random_below(COORDS)};
    tree_count = 0;
    s->time = tree_symbol(mech_model_time(m));
    for (size_t i = 0; i < s->n; i++) {
        const char name[] = {(char)('w' + i), 0};
        const mech_expr q = mech_model_coord(m, name, NULL), v = mech_dot(s->p, q);
        s->q[i] = tree_symbol(q);
        s->v[i] = tree_symbol(v);
        s->a[i] = tree_symbol(mech_dot(s->p, v));
    }
    s->param[0] = tree_symbol(mech_model_param(m, "a", mech_number(s->p, 0.7), NULL));
    s->param[1] = tree_symbol(mech_model_param(m, "b", mech_number(s->p, 1.3), NULL));
    if ((s->has_input = random_below(3) == 0) != 0) {
        const mech_expr u = mech_model_input(m, "u", mech_model_time(m), NULL);
        s->input[0] = tree_symbol(u);
        s->input[1] = tree_symbol(mech_dot(s->p, u));
    }
    if (random_below(3) == 0) {
        const mech_expr z = mech_model_state(m, "xi", NULL);
        s->state = tree_symbol(z);
        const size_t rate = tree_two(s, TREE_SUB, grow(s, 2, WITH_TIME), s->state);
        const mech_status status = mech_model_state_rate(m, z, give(s, rate));
        if (status != MECH_OK) return status;
        s->has_state = 1;
    }
    mech_status status = add_kinetic(s);
    if (status == MECH_OK) status = add_forces(s);
    return status == MECH_OK ? add_constraints(s) : status;
}

#endif
