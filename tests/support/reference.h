/* The equations of a model a second time, from its energies, forces and residuals as numbers: every
   derivative comes from dual numbers moved along the motion, none from the program. */
#ifndef TESTS_SUPPORT_REFERENCE_H
#define TESTS_SUPPORT_REFERENCE_H

#include "dual.h"

#include "base/mem.h"
#include "model/model.h"

#include <stdlib.h>
#include <string.h>

/* A random number generator of our own: the same numbers everywhere (splitmix64). */
static uint64_t random_state;

static inline uint64_t random_bits(void)
{
    uint64_t z = random_state += 0x9E3779B97F4A7C15u;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
}

static inline size_t random_below(size_t n) { return (size_t)(random_bits() % n); }
static inline long double random_in(long double low, long double high)
{
    return low + (high - low) * (long double)(random_bits() >> 11) / 9007199254740992.0L;
}

/* A state: the value of each symbol, by its number in the pool. */
typedef struct place {
    const mech_model *m;
    dual *value;
} place;

static inline size_t place_number(const place *s, mech_expr symbol) { return expr_at(s->m->pool, symbol)->first; }
static inline dual *place_at(const place *s, mech_expr symbol) { return &s->value[place_number(s, symbol)]; }

static inline place place_create(const mech_model *m)
{
    place s = {m, calloc(m->pool->symbol_count + 1, sizeof(dual))};
    return s;
}

static inline void place_copy(place *to, const place *from)
{
    memcpy(to->value, from->value, from->m->pool->symbol_count * sizeof(dual));
}

/* ---- evaluation ---- */

static inline long double exact_number(const mech_pool *p, uint32_t id)
{
    const expr_number *n = &p->numbers[p->nodes[id].first];
    return n->den ? (long double)n->num / (long double)n->den : (long double)n->value;
}

static inline dual node_dual(const place *s, uint32_t id, const dual *values, const uint32_t *position)
{
    const mech_pool *p = s->m->pool;
    const expr_node *n = &p->nodes[id];
    const uint32_t *o = &p->operands[n->first];
    dual r, argument[3] = {{{0}}, {{0}}, {{0}}};
    switch ((expr_kind)n->kind) {
    case EXPR_NUM: return dual_number(exact_number(p, id));
    case EXPR_PI: return dual_number(acosl(-1));
    case EXPR_SYM: return s->value[n->first];
    case EXPR_ADD:
        r = dual_number(exact_number(p, o[0]));
        for (uint32_t i = 1; i < n->count; i += 2)
            r = dual_add(r, dual_scale(values[position[o[i + 1]]], exact_number(p, o[i])));
        return r;
    case EXPR_MUL:
        r = dual_number(1);
        for (uint32_t i = 0; i < n->count; i += 2) {
            const dual base = values[position[o[i]]];
            r = dual_mul(r, o[i + 1] == EXPR_ID_ONE ? base : dual_power(base, exact_number(p, o[i + 1])));
        }
        return r;
    case EXPR_FUN:
        for (uint32_t i = 0; i < n->count; i++) argument[i] = values[position[o[i]]];
        return dual_call((mech_function)n->function, argument[0], argument[1], argument[2]);
    case EXPR_HELD: return values[position[o[0]]];
    default: return dual_number((long double)NAN);
    }
}

/* The value of an expression, by one loop over the nodes below it. */
static inline dual evaluate(const place *s, mech_expr e)
{
    mech_pool *p = s->m->pool;
    uint32_t *ids = NULL, *position;
    size_t capacity = 0, count = 0;
    dual *values, result = dual_number((long double)NAN);
    if (!e.id || expr_reachable(p, &e, 1, &ids, &capacity, &count) != MECH_OK) return result;
    values = malloc(count * sizeof *values);
    position = p->local; /* the walk leaves the places of the nodes there */
    for (size_t i = 0; i < count; i++) values[i] = node_dual(s, ids[i], values, position);
    result = values[count - 1];
    free(values);
    mem_free(ids);
    return result;
}

static inline long double value_of(const place *s, mech_expr e)
{
    const unsigned parts = dual_parts;
    dual_parts = 0;
    const long double r = evaluate(s, e).c[0];
    dual_parts = parts;
    return r;
}

/* Moves a state along its motion by part: q + v*e, v + a*e, t + e, inputs and states by their rates. */
static inline void place_move(place *s, const place *from, unsigned part)
{
    const mech_model *m = s->m;
    place_copy(s, from);
    *place_at(s, m->time) = dual_move(*place_at(from, m->time), part, dual_number(1));
    for (size_t i = 0; i < m->coords_count; i++) {
        const model_coord *c = &m->coords[i];
        *place_at(s, c->q) = dual_move(*place_at(from, c->q), part, *place_at(from, c->v));
        *place_at(s, c->v) = dual_move(*place_at(from, c->v), part, *place_at(from, c->a));
    }
    for (size_t i = 0; i < m->inputs_count; i++) {
        const model_input *u = &m->inputs[i];
        *place_at(s, u->symbol) = dual_move(*place_at(from, u->symbol), part, *place_at(from, u->first));
        *place_at(s, u->first) = dual_move(*place_at(from, u->first), part, *place_at(from, u->second));
    }
    for (size_t i = 0; i < m->states_count; i++)
        *place_at(s, m->states[i].symbol) =
            dual_move(*place_at(from, m->states[i].symbol), part, evaluate(from, m->states[i].rate));
}

/* ---- the equations ---- */

typedef struct reference {
    place at, moved, twice; /* the state (accelerations zero) and two more to work in */
} reference;

static inline reference reference_create(const mech_model *m)
{
    return (reference){place_create(m), place_create(m), place_create(m)};
}

static inline void reference_free(reference *r)
{
    free(r->at.value);
    free(r->moved.value);
    free(r->twice.value);
}

static inline dual sum_of(const place *s, const model_term *terms, size_t count)
{
    dual sum = dual_number(0);
    for (size_t i = 0; i < count; i++) sum = dual_add(sum, evaluate(s, terms[i].value));
    return sum;
}

static inline dual lagrangian(const place *s)
{
    const mech_model *m = s->m;
    const dual V = sum_of(s, m->potential, m->potential_count);
    dual L = dual_add(sum_of(s, m->kinetic, m->kinetic_count), dual_scale(V, -1));
    for (size_t i = 0; i < m->inertias_count; i++) /* whose M and forces came ready-made */
        L = dual_add(
            L, dual_add(evaluate(s, m->inertias[i].kinetic), dual_scale(evaluate(s, m->inertias[i].potential), -1)));
    return L;
}

/* d2L/dv_i dv_j + the masses given directly */
static inline long double reference_M(reference *r, size_t i, size_t j)
{
    const mech_model *m = r->at.m;
    place_copy(&r->moved, &r->at);
    dual_parts = 2;
    place_at(&r->moved, m->coords[i].v)->c[1] += 1;
    place_at(&r->moved, m->coords[j].v)->c[2] += 1;
    long double sum = lagrangian(&r->moved).c[3];
    for (size_t k = 0; k < m->masses_count; k++) {
        const model_mass *mass = &m->masses[k];
        if ((mass->i == i && mass->j == j) || (mass->i == j && mass->j == i)) sum += value_of(&r->at, mass->value);
    }
    return sum;
}

/* dF/dx in the state */
static inline long double slope_by(reference *r, mech_expr e, mech_expr symbol)
{
    place_copy(&r->moved, &r->at);
    dual_parts = 1;
    place_at(&r->moved, symbol)->c[1] = 1;
    return evaluate(&r->moved, e).c[1];
}

/* dL/dq - d/dt dL/dv - dD/dv + forces, with the accelerations zero */
static inline long double reference_Q(reference *r, size_t i)
{
    const mech_model *m = r->at.m;
    const model_coord *c = &m->coords[i];
    dual_parts = 2;
    place_move(&r->moved, &r->at, 0);
    place_at(&r->moved, c->v)->c[2] = 1;
    long double sum = -lagrangian(&r->moved).c[3];
    dual_parts = 1;
    place_copy(&r->moved, &r->at);
    place_at(&r->moved, c->q)->c[1] = 1;
    sum += lagrangian(&r->moved).c[1];
    for (size_t k = 0; k < m->dissipation_count; k++) sum -= slope_by(r, m->dissipation[k].value, c->v);
    for (size_t k = 0; k < m->forces_count; k++)
        for (size_t l = 0; l < m->forces[k].count; l++)
            sum += slope_by(r, m->forces[k].velocity[l], c->v) * value_of(&r->at, m->forces[k].force[l]);
    return sum;
}

/* v.M.v/2 of the masses given directly */
static inline dual direct_energy(const place *s)
{
    const mech_model *m = s->m;
    dual sum = dual_number(0);
    for (size_t k = 0; k < m->masses_count; k++) {
        const model_mass *mass = &m->masses[k];
        const dual squares = dual_mul(*place_at(s, m->coords[mass->i].v), *place_at(s, m->coords[mass->j].v));
        sum = dual_add(sum, dual_scale(dual_mul(squares, evaluate(s, mass->value)), mass->i == mass->j ? 0.5L : 1));
    }
    return sum;
}

/* h = v.dL/dv - L (+ direct masses) and its rate along the motion with the given accelerations. */
static inline void reference_energy(reference *r, const long double *acceleration, long double *h, long double *rate)
{
    const mech_model *m = r->at.m;
    dual_parts = 2;
    place_copy(&r->twice, &r->at);
    for (size_t i = 0; i < m->coords_count; i++)
        *place_at(&r->twice, m->coords[i].a) = dual_number(acceleration ? acceleration[i] : 0);
    place_move(&r->moved, &r->twice, 0);
    const dual direct = direct_energy(&r->moved);
    for (size_t i = 0; i < m->coords_count; i++) { /* v*(1 + e) */
        dual *v = place_at(&r->moved, m->coords[i].v);
        *v = dual_move(*v, 1, *v);
    }
    const dual L = lagrangian(&r->moved);
    *h = L.c[2] - L.c[0] + direct.c[0];
    *rate = L.c[3] - L.c[1] + direct.c[1];
}

/* A row along the motion q + v*s + a*s^2/2 where a is zero but along `coord` (SIZE_MAX: nowhere): the
   residual and its first and second derivative by s. */
static inline void reference_row(reference *r, size_t row, size_t coord, long double out[3])
{
    const mech_model *m = r->at.m;
    const mech_expr a = coord < m->coords_count ? m->coords[coord].a : (mech_expr){0};
    dual_parts = 2;
    if (a.id) place_at(&r->at, a)->c[0] = 1;
    place_move(&r->moved, &r->at, 0);
    place_move(&r->twice, &r->moved, 1);
    const dual f = evaluate(&r->twice, m->rows[row].residual);
    if (a.id) place_at(&r->at, a)->c[0] = 0;
    out[0] = f.c[0];
    out[1] = f.c[1];
    out[2] = f.c[3];
}

/* x with M x = Q by elimination with pivots; 0 when M is nearly singular. M by rows, both overwritten. */
static inline int solve(long double *M, long double *Q, size_t n)
{
    for (size_t k = 0; k < n; k++) {
        size_t pivot = k;
        for (size_t i = k + 1; i < n; i++)
            if (fabsl(M[i * n + k]) > fabsl(M[pivot * n + k])) pivot = i;
        if (!(fabsl(M[pivot * n + k]) > 1e-3L)) return 0;
        for (size_t j = 0; j < n && pivot != k; j++) {
            const long double swap = M[k * n + j];
            M[k * n + j] = M[pivot * n + j];
            M[pivot * n + j] = swap;
        }
        const long double swap = Q[k];
        Q[k] = Q[pivot];
        Q[pivot] = swap;
        for (size_t i = k + 1; i < n; i++) {
            const long double f = M[i * n + k] / M[k * n + k];
            for (size_t j = k; j < n; j++) M[i * n + j] -= f * M[k * n + j];
            Q[i] -= f * Q[k];
        }
    }
    for (size_t k = n; k-- > 0;) {
        for (size_t j = k + 1; j < n; j++) Q[k] -= M[k * n + j] * Q[j];
        Q[k] /= M[k * n + k];
    }
    return 1;
}

#endif
