/* Points where the constraints lose rank: x*y = 0 at the origin, a mechanism at its dead centre. Rows that others
   hold there but not beside it make no tangent space: what moves on is decided by higher terms, and the linear system
   leaves those rows out. */
#include "analyze/dense.h"
#include "analyze/linear.h"

#include "assemble/onto.h"
#include "base/mem.h"
#include "base/try.h"
#include "base/tolerances.h"

#include <math.h>
#include <string.h>

enum { LOOKS = 3 };

typedef struct rank {
    mech_linear *l;
    size_t n, m, N;
    double *x;                   /* (N) the point beside                                  */
    double *D, *own;             /* (2m x N) the rows there; by their sizes, in own units */
    double *basis, *column;      /* (N x N) by row, (N)                                   */
    unsigned char *here, *there; /* (2m) rows that do not depend on those before them    */
} rank;

static double length_of(const double *row, size_t n)
{
    double sum = 0;
    for (size_t j = 0; j < n; j++) sum += row[j] * row[j];
    return sqrt(sum);
}

/* Marks the rows of D that do not depend on those before them; how many. */
static size_t independent(rank *r, const double *D, unsigned char *mark)
{
    const size_t rows = 2 * r->m, N = r->N;
    double *row = r->column;
    size_t count = 0;
    linear_own_rows(r->l, D, r->own);
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < N; j++) row[j] = r->own[i + j * rows];
        for (int turn = 0; turn < 2; turn++)
            for (size_t k = 0; k < count; k++) {
                double along = 0;
                for (size_t j = 0; j < N; j++) along += row[j] * r->basis[j + k * N];
                for (size_t j = 0; j < N; j++) row[j] -= along * r->basis[j + k * N];
            }
        const double left = length_of(row, N);
        mark[i] = left > TOL_DEPENDS && count < N;
        for (size_t j = 0; mark[i] && j < N; j++) r->basis[j + count * N] = row[j] / left;
        count += mark[i];
    }
    return count;
}

/* Rows that say something: two for each that has r, one for each that has only r'. */
static size_t speaking(const rank *r)
{
    size_t count = 0;
    for (size_t i = 0; i < r->m; i++) {
        const mech_level level = mech_system_row(r->l->t.system, i).level;
        if (tangent_binds(&r->l->t, i)) count += level == MECH_LEVEL_HOLONOMIC ? 2 : level == MECH_LEVEL_NONHOLONOMIC;
    }
    return count;
}

/* r by q (level 0), or r' by v (level 1), each row by its size and each coordinate by what counts as one: what is left
   of them is o->size. */
typedef struct level {
    rank *r;
    size_t number;
} level;

static mech_status look(onto *o)
{
    const level *l = o->user;
    rank *r = l->r;
    const mech_equation *e = r->l->t.e;
    const tangent *t = &r->l->t;
    const size_t n = r->n, m = r->m;
    const double *one = t->one + l->number * n, *size = r->l->row_size + l->number * m;
    double *b = r->D + m * n;
    size_t ignored;
    MECH_TRY(tangent_stand(&r->l->t, r->l->o.t, r->x));
    MECH_TRY(tangent_scatter(&r->l->t, NULL, NULL, NULL));
    const double *left = l->number == 0 ? e->r : e->r_dot, *slope = l->number == 0 ? t->r_x : t->r_dot_x + m * n;
    for (size_t i = 0; i < m; i++) b[i] = e->active[i] && size[i] > 0 ? left[i] / size[i] : 0;
    o->size = dense_largest(b, m);
    o->is_done = !(o->size > TOL_SEARCH_ROW);
    if (o->is_done || o->turn == o->most) return MECH_OK;
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < m; i++)
            r->D[i + j * m] = e->active[i] && size[i] > 0 ? slope[i + j * m] * one[j] / size[i] : 0;
    MECH_TRY(dense_least_squares(m, n, r->D, b, o->delta, &ignored));
    for (size_t j = 0; j < n; j++) o->delta[j] *= -one[j];
    return MECH_OK;
}

/* 1: r->x is on the constraints. */
static mech_status bring(rank *r, int *met)
{
    *met = 0;
    for (size_t k = 0; k < 2; k++) {
        level l = {r, k};
        onto o = {.n = r->n, .x = r->x + k * r->n, .delta = r->column, .most = 40, .user = &l, .look = look};
        MECH_TRY(onto_rows(&o));
        if (!(o.size <= TOL_BESIDE_ROW)) return MECH_OK;
    }
    *met = 1;
    return MECH_OK;
}

/* A point beside, the k-th, on the constraints; its rows into r->D. */
static mech_status step_aside(rank *r, int k, int *met)
{
    tangent *t = &r->l->t;
    memcpy(r->x, r->l->q, r->N * sizeof *r->x);
    for (size_t j = 0; j < r->N; j++) {
        const double odd = 0.3 + 0.7 * fmod(0.6180339887498949 * (double)(j + 1) * (double)(k + 2), 1);
        r->x[j] += (k % 2 ? -1 : 1) * (j % 2 && k / 2 ? -1 : 1) * odd * TOL_BESIDE * t->one[j];
    }
    MECH_TRY(bring(r, met));
    if (*met) linear_rows(r->l, r->D);
    return MECH_OK;
}

static mech_status compare(rank *r)
{
    int *lost = &r->l->result.lost;
    const size_t count = independent(r, r->l->D_rows, r->here);
    if (count == speaking(r)) return MECH_OK;
    for (int k = 0; k < LOOKS && *lost < 0; k++) {
        int met;
        const mech_status status = step_aside(r, k, &met);
        if (status == MECH_ERR_MEMORY) return status;
        if (status != MECH_OK || !met || independent(r, r->D, r->there) <= count) continue;
        for (size_t i = 0; i < 2 * r->m && *lost < 0; i++)
            if (r->there[i] && !r->here[i]) *lost = (int)(i % r->m);
    }
    return MECH_OK;
}

mech_status rank_look(mech_linear *l)
{
    rank r = {.l = l, .n = l->t.n, .m = l->t.m, .N = l->N};
    l->result.lost = -1;
    if (r.m == 0) return MECH_OK;
    MECH_TRY(ARENA_MAKE(&l->t.memory, ARRAY_OF(r.x, r.N), ARRAY_OF(r.column, r.N), ARRAY_OF(r.basis, r.N * r.N),
                        ARRAY_OF(r.own, 2 * r.m * r.N), ARRAY_OF(r.D, 2 * r.m * r.N + r.m), ARRAY_OF(r.here, 2 * r.m),
                        ARRAY_OF(r.there, 2 * r.m)));
    return compare(&r);
}
