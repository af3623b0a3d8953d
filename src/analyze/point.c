/* What kind of point a linear system stands at: on the constraints or not, staying or not, and what is to
   blame when it does not. */
#include "analyze/dense.h"
#include "analyze/linear.h"

#include "base/try.h"
#include "base/tolerances.h"
#include "system/sizes.h"

#include <math.h>
#include <string.h>

/* ---- on the constraints? ---- */

/* What row i would change by, one size of all coordinates away; slope: its first derivative. */
static double change_of(const tangent *t, const double *slope, const double *one, size_t i)
{
    double sum = 0;
    for (size_t j = 0; j < t->n; j++) sum += fabs(slope[i + j * t->m]) * one[j];
    return sum;
}

static void measure_misses(mech_linear *l)
{
    const tangent *t = &l->t;
    const mech_equation *e = t->e;
    const size_t n = t->n, m = t->m;
    system_sizes sizes;
    const int is_known = system_sizes_look(t->eval, 0, t->size_work, &sizes);
    l->result.off_count = 0;
    for (size_t i = 0; i < m; i++) {
        const double near = TOL_POINT_OFF * ((is_known ? sizes.r[i] : 0) + change_of(t, t->r_x, t->one, i));
        const double slow =
            TOL_POINT_OFF * ((is_known ? sizes.r_dot[i] : 0) + change_of(t, t->r_dot_x + m * n, t->one + n, i));
        l->r[i] = tangent_binds(t, i) && fabs(e->r[i]) > near ? e->r[i] : 0;
        l->r_dot[i] = tangent_binds(t, i) && fabs(e->r_dot[i]) > slow ? e->r_dot[i] : 0;
        l->result.off_count += l->r[i] != 0 || l->r_dot[i] != 0;
    }
}

/* ---- does it stay? ---- */

/* Size of what acceleration or state's rate i (row of A) is made of, in the system's own units: what it would be one
   size of the coordinates away, at these velocities. */
static double made_of(const mech_linear *l, const double *x, size_t i)
{
    const size_t n = l->t.n, N = l->N;
    double size = 0;
    for (size_t j = 0; j < N; j++) {
        const double far = fabs(x[j]) / l->t.one[j];
        size += fabs(l->A[i + j * N]) * linear_unit(l, i, j) * (j >= n && j < 2 * n ? far : fmax(1, far));
    }
    return size;
}

/* Largest acceleration or rate of a state, relative to what it is made of: what is nothing in one unit is nothing in
   any. */
static double restlessness(const mech_linear *l, const double *x)
{
    const double *rate = l->t.e->rate;
    const size_t n = l->t.n;
    const double speed = tangent_speed(&l->t, x + n);
    double size = fmax(speed * speed, l->t.pull), most = 0;
    for (size_t i = 0; i < n; i++) size = fmax(size, made_of(l, x, n + i));
    for (size_t i = 0; i < n; i++)
        if (l->t.a[i] != 0) most = fmax(most, fabs(l->t.a[i]) * l->t.time / l->t.one[n + i] / size);
    for (size_t i = 2 * n; i < l->N; i++)
        if (rate[i - 2 * n] != 0) most = fmax(most, fabs(rate[i - 2 * n]) * l->t.time / l->t.one[i] / made_of(l, x, i));
    return most;
}

/* The accelerations feel the input, its rate or its second rate. */
static int feels_input(const tangent *t, size_t input)
{
    const size_t at[3] = {t->at.u + input, t->at.u_dot + input, t->at.u_ddot + input}, nz = t->sizes.states;
    for (int k = 0; k < 3; k++)
        if (dense_largest(t->a_x + at[k] * t->n, t->n) > 0 || dense_largest(t->rate_x + at[k] * nz, nz) > 0) return 1;
    return 0;
}

typedef struct outlook {
    double change, restless; /* largest met ahead */
} outlook;

/* A against what it was, in the system's own units: q' = v has 1 there. */
static double change_of_matrix(const mech_linear *l, const double *kept)
{
    double change = 0, size = 1;
    for (size_t j = 0; j < l->N; j++)
        for (size_t i = 0; i < l->N; i++) {
            const double unit = linear_unit(l, i, j), was = kept[i + j * l->N];
            change = fmax(change, fabs(l->A[i + j * l->N] - was) * unit);
            size = fmax(size, fabs(was) * unit);
        }
    return change / size;
}

/* The first look ahead: by the time in which forces answer, or in which the motion goes as far as the coordinates are
   large, whichever is longer. */
static double look_time(const mech_linear *l)
{
    const double speed = tangent_speed(&l->t, l->v);
    return speed > 0 && (!l->t.has_time || speed < 1) ? l->t.time / speed : l->t.time;
}

/* Three looks ahead in time, with the coordinates moving on or held where they are. */
static mech_status look_ahead(mech_linear *l, const double *kept, int moves, outlook *seen)
{
    const size_t n = l->t.n, N = l->N;
    *seen = (outlook){0};
    for (int k = 0; k < 3; k++) {
        const double ahead = 0.61803 * pow(20, k) * look_time(l);
        memcpy(l->moved, l->q, N * sizeof *l->moved);
        for (size_t i = 0; moves && i < n; i++) l->moved[i] += ahead * l->v[i];
        const mech_status status = linear_at(l, l->o.t + ahead, l->moved);
        if (status == MECH_ERR_MEMORY) return status;
        if (status != MECH_OK) { /* it does not even get there */
            seen->change = INFINITY;
            return MECH_OK;
        }
        seen->change = fmax(seen->change, change_of_matrix(l, kept));
        seen->restless = fmax(seen->restless, restlessness(l, l->moved));
        for (size_t i = 0; !moves && l->result.varying_input < 0 && i < l->t.sizes.inputs; i++)
            if (l->t.e->u[i] != l->work[N * N + i] && feels_input(&l->t, i)) l->result.varying_input = (int)i;
    }
    return MECH_OK;
}

/* Time alone, the coordinates held: if that changes things they are not to blame. */
static mech_status blame_time(mech_linear *l, const double *kept)
{
    outlook seen;
    MECH_TRY(look_ahead(l, kept, 0, &seen));
    l->result.varies_with_time = seen.change > TOL_POINT_CHANGE || seen.restless > TOL_POINT_REST;
    if (!l->result.varies_with_time) l->result.varying_input = -1;
    return MECH_OK;
}

/* ---- outputs ---- */

void point_mark_undefined(mech_linear *l)
{
    const size_t ny = l->t.sizes.outputs, nu = l->t.sizes.inputs;
    l->result.undefined_count = 0;
    for (size_t i = 0; i < ny; i++) {
        double sum = 0;
        for (size_t j = 0; j < l->N; j++) sum += l->C[i + j * ny];
        for (size_t j = 0; j < 3 * nu; j++) sum += l->D[i + j * ny];
        l->undefined[i] = (unsigned char)(l->undefined[i] || !isfinite(sum));
        if (!l->undefined[i]) continue;
        l->result.undefined_count++;
        for (size_t j = 0; j < l->N; j++) l->C[i + j * ny] = NAN;
        for (size_t j = 0; j < 3 * nu; j++) l->D[i + j * ny] = NAN;
    }
}

/* ---- what may be read off it ---- */

const char *mech_linear_doubt(const mech_linear_result *l)
{
    if (l->kind == MECH_POINT_OFF) return "the state is not on its constraints";
    if (l->kink_count) return "the equations have a kink at this point";
    if (l->event_count) return "an event stands at its threshold at this point";
    if (l->weak >= 0) return "the mass matrix is all but singular here";
    if (l->lost >= 0) return "the constraints lose rank at this point";
    return l->kind != MECH_POINT_FROZEN && l->leak > TOL_POINT_LEAK ? "the linear motion leaves the constraints" : NULL;
}

mech_status point_classify(mech_linear *l)
{
    mech_linear_result *r = &l->result;
    const size_t n = l->t.n, N = l->N;
    const double speed = dense_largest(l->v, n), restless = restlessness(l, l->q);
    double *kept = l->work;
    outlook seen;
    r->varying_input = r->weak = r->weak_along = -1;
    r->largest_acceleration = fmax(dense_largest(l->t.a, n), dense_largest(l->t.e->rate, l->t.sizes.states));
    measure_misses(l);
    memcpy(kept, l->A, N * N * sizeof *kept);
    if (l->t.sizes.inputs) memcpy(l->work + N * N, l->t.e->u, l->t.sizes.inputs * sizeof *kept);
    MECH_TRY(look_ahead(l, kept, 1, &seen));
    r->change = seen.change;
    r->accelerates = restless > TOL_POINT_REST;
    const int stays = fmax(restless, seen.restless) <= TOL_POINT_REST && seen.change <= TOL_POINT_CHANGE;
    if (!stays && restless <= TOL_POINT_REST) MECH_TRY(blame_time(l, kept));
    r->kind = r->off_count ? MECH_POINT_OFF
              : !stays     ? MECH_POINT_FROZEN
              : speed == 0 ? MECH_POINT_EQUILIBRIUM
                           : MECH_POINT_STEADY;
    MECH_TRY(linear_at(l, l->o.t, l->q));
    MECH_TRY(cyclic_find(&l->t, l->o.t, l->q, l->is_cyclic));
    MECH_TRY(inertia_look(&l->t, l->o.t, l->q, &r->weak, &r->weak_along));
    MECH_TRY(rank_look(l));
    MECH_TRY(linear_at(l, l->o.t, l->q));
    point_mark_undefined(l);
    return MECH_OK;
}
