/* Kinks at the point: abs(x) at x = 0 has no derivative there, though the formula gives a number. Looked at
   from both sides, along directions of the tangent space, nearer and nearer: what is smooth comes together,
   what jumps does not. */
#include "analyze/dense.h"
#include "analyze/linear.h"
#include "system/system.h"

#include "base/mem.h"
#include "base/try.h"
#include "base/tolerances.h"

#include <math.h>
#include <string.h>

enum { DIRECTIONS = 3 };
#define NEARER 16 /* the second look: as many times closer                                      */

/* What is compared: A, the accelerations, z', and the outputs' derivatives after them. */
typedef struct view {
    double *kinks; /* (kink_count) */
    double *A, *a, *rate, *C;
} view;

typedef struct looker {
    mech_linear *l;
    mech_eval *eval;
    const mech_linear_options *o;
    size_t kinks, n, N, nz, ny;
    double *block;
    view side[2];
    double *x, *jump;       /* (N), (1 + outputs): of the equation, then of each output */
    unsigned char *is_near; /* (kinks) changes over here */
} looker;

static mech_status look_from(looker *k, const double *direction, double way, view *v)
{
    mech_linear *l = k->l;
    for (size_t i = 0; i < k->N; i++) k->x[i] = l->q[i] + way * direction[i]; /* q, v, z stand together */
    MECH_TRY(linear_at(l, k->eval, k->o->t, k->x, k->o));
    memcpy(v->A, l->A, k->N * k->N * sizeof *v->A);
    memcpy(v->a, l->t.a, k->n * sizeof *v->a);
    if (k->nz) memcpy(v->rate, mech_eval_equation(k->eval)->rate, k->nz * sizeof *v->rate);
    if (k->ny) memcpy(v->C, l->C, k->ny * k->N * sizeof *v->C);
    return k->eval->system->kind->kinks(k->eval->system, k->eval->slots, v->kinks);
}

static double sign(double x) { return (double)((x > 0) - (x < 0)); }

/* Both sides; jump[0] of the equation relative to its size, jump[1 + i] of output i. */
static mech_status compare(looker *k, const double *direction, double way, double *jump)
{
    const view *here = &k->side[0], *there = &k->side[1];
    MECH_TRY(look_from(k, direction, way, &k->side[0]));
    MECH_TRY(look_from(k, direction, -way, &k->side[1]));
    const double size = 1 + dense_largest(here->A, k->N * k->N);
    jump[0] = fmax(dense_difference(here->A, there->A, k->N * k->N), dense_difference(here->a, there->a, k->n));
    jump[0] = fmax(jump[0], dense_difference(here->rate, there->rate, k->nz)) / size;
    for (size_t i = 0; i < k->ny; i++) {
        double largest = 0, scale = 1;
        for (size_t j = 0; j < k->N; j++) {
            largest = fmax(largest, fabs(here->C[i + j * k->ny] - there->C[i + j * k->ny]));
            scale = fmax(scale, fabs(here->C[i + j * k->ny]));
        }
        jump[1 + i] = largest / scale;
    }
    return MECH_OK;
}

static int any_near(const looker *k)
{
    for (size_t i = 0; i < k->kinks; i++)
        if (sign(k->side[0].kinks[i]) != sign(k->side[1].kinks[i])) return 1;
    return 0;
}

/* One direction. Where nothing changes over there is nothing to compare. */
static mech_status try_direction(looker *k, const double *direction, int *is_bent)
{
    double *far = k->jump, *close = k->jump + 1 + k->ny;
    const double way = TOL_KINK_NEAR * (1 + dense_largest(k->l->q, k->N));
    MECH_TRY(compare(k, direction, way, far));
    if (!any_near(k)) return MECH_OK;
    for (size_t i = 0; i < k->kinks; i++) k->is_near[i] |= sign(k->side[0].kinks[i]) != sign(k->side[1].kinks[i]);
    MECH_TRY(compare(k, direction, way / NEARER, close));
    for (size_t i = 0; i <= k->ny; i++) {
        if (!(close[i] > TOL_KINK_JUMP && close[i] > 0.5 * far[i])) continue;
        if (i == 0) *is_bent = 1;
        else k->l->undefined[i - 1] = 1;
    }
    return MECH_OK;
}

/* Of unit length and without pattern. */
static void choose_direction(const looker *k, int number, double *direction)
{
    const mech_linear *l = k->l;
    const size_t freedom = (size_t)l->result.freedom;
    double length = 0;
    memset(direction, 0, k->N * sizeof *direction);
    for (size_t j = 0; j < freedom; j++) {
        const double part = fmod(0.6180339887498949 * (double)((j + 1) * (size_t)(number + 1)), 1) + 0.2;
        const int flips = (int)((j * (size_t)number / 2) % 2);
        for (size_t i = 0; i < k->N; i++) direction[i] += (flips ? -part : part) * l->basis[i + j * k->N];
    }
    for (size_t i = 0; i < k->N; i++) length += direction[i] * direction[i];
    for (size_t i = 0; i < k->N && length > 0; i++) direction[i] /= sqrt(length);
}

static mech_status allocate(looker *k)
{
    const size_t one = k->kinks + k->N * k->N + k->n + k->nz + k->ny * k->N;
    k->block = mem_zeroed(2 * one + 2 * k->N + 2 * (1 + k->ny), sizeof *k->block);
    k->is_near = mem_zeroed(k->kinks, 1);
    if (!k->block || !k->is_near) return MECH_ERR_MEMORY;
    for (int side = 0; side < 2; side++) {
        double *next = k->block + (size_t)side * one;
        k->side[side] = (view){.kinks = next, .A = next + k->kinks};
        k->side[side].a = k->side[side].A + k->N * k->N;
        k->side[side].rate = k->side[side].a + k->n;
        k->side[side].C = k->side[side].rate + k->nz;
    }
    k->x = k->block + 2 * one;
    k->jump = k->x + 2 * k->N;
    return MECH_OK;
}

/* Names of the kinks that the equation has at the point. */
static mech_status keep_names(looker *k, const mech_system *system)
{
    mech_linear *l = k->l;
    l->kinks = mem_zeroed(system->kinks_in_equation, sizeof *l->kinks);
    if (!l->kinks) return MECH_ERR_MEMORY;
    for (size_t i = 0; i < system->kinks_in_equation; i++)
        if (k->is_near[i]) l->kinks[l->result.kink_count++] = system->kink_text[i];
    l->result.kinks = l->kinks;
    return MECH_OK;
}

static mech_status look(looker *k, const mech_system *system)
{
    int is_bent = 0;
    MECH_TRY(allocate(k));
    for (int i = 0; i < DIRECTIONS; i++) {
        double *direction = k->x + k->N;
        choose_direction(k, i, direction);
        const mech_status status = try_direction(k, direction, &is_bent);
        if (status == MECH_ERR_MEMORY) return status; /* a side without values is told elsewhere */
    }
    return is_bent ? keep_names(k, system) : MECH_OK;
}

mech_status kink_look(mech_linear *l, mech_eval *eval, const mech_linear_options *o)
{
    const mech_system *system = l->t.system;
    looker k = {.l = l,
                .eval = eval,
                .o = o,
                .kinks = system->kink_count,
                .n = l->t.n,
                .N = l->N,
                .nz = l->t.sizes.states,
                .ny = l->t.sizes.outputs};
    if (k.kinks == 0 || l->result.freedom == 0) return MECH_OK;
    mech_status status = look(&k, system);
    mem_free(k.block);
    mem_free(k.is_near);
    if (status == MECH_OK) status = linear_at(l, eval, o->t, l->q, o);
    point_mark_undefined(l);
    return status;
}
