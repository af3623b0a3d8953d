/* What kind of point a linear system stands at: on the constraints or not, staying or not, and what is to
   blame when it does not. */
#include "analyze/dense.h"
#include "analyze/inertia.h"
#include "analyze/linear.h"

#include "base/try.h"

#include <math.h>
#include <string.h>

#define OFF_TOL 1e-8    /* way to the constraints, relative to the coordinates */
#define CHANGE_TOL 1e-8 /* of the matrix along the motion, relative */
#define LEAK_TOL 1e-6   /* of the matrix off the tangent space, relative */

/* ---- on the constraints? ---- */

/* |r| / |dr/dx| is the way to the row's surface, to first order. */
static double way_to(const double *row_x, size_t m, size_t n, double r)
{
    double sum = 0;
    for (size_t j = 0; j < n; j++) sum += row_x[j * m] * row_x[j * m];
    return sum > 0 ? fabs(r) / sqrt(sum) : fabs(r);
}

static void measure_misses(mech_linear *l, const mech_equation *e)
{
    const tangent *t = &l->t;
    const size_t n = t->n, m = t->m;
    const double near_q = OFF_TOL * (1 + dense_largest(l->q, n)),
                 near_v = OFF_TOL * (1 + dense_largest(l->v, n));
    l->result.off_count = 0;
    for (size_t i = 0; i < m; i++) {
        l->r[i] = e->active[i] ? e->r[i] : 0;
        l->r_dot[i] = e->active[i] ? e->r_dot[i] : 0;
        const int off_q = way_to(t->r_x + i, m, n, l->r[i]) > near_q;
        const int off_v = way_to(t->r_dot_x + i + m * n, m, n, l->r_dot[i]) > near_v;
        if (!off_q) l->r[i] = 0;
        if (!off_v) l->r_dot[i] = 0;
        l->result.off_count += off_q || off_v;
    }
}

/* ---- does it stay? ---- */

static double acceleration_there(const mech_linear *l, mech_eval *eval)
{
    const mech_equation *e = mech_eval_equation(eval);
    return fmax(dense_largest(l->t.a, l->t.n), dense_largest(e->rate, l->t.sizes.states));
}

/* The accelerations feel the input, its rate or its second rate. */
static int feels_input(const tangent *t, size_t input)
{
    const size_t at[3] = {t->at.u + input, t->at.u_dot + input, t->at.u_ddot + input}, nz = t->sizes.states;
    for (int k = 0; k < 3; k++)
        if (dense_largest(t->a_x + at[k] * t->n, t->n) > 0 || dense_largest(t->rate_x + at[k] * nz, nz) > 0)
            return 1;
    return 0;
}

typedef struct outlook {
    double change, acceleration; /* largest met ahead */
} outlook;

/* Three looks ahead in time, with the coordinates moving on or held where they are. */
static mech_status look_ahead(mech_linear *l, mech_eval *eval, const mech_linear_options *o,
                              const double *kept, int moves, outlook *seen)
{
    const size_t n = l->t.n, N = l->N;
    const double speed = dense_largest(l->v, n), scale = 1 + dense_largest(kept, N * N);
    *seen = (outlook){0};
    for (int k = 1; k <= 3; k++) {
        const double ahead = speed > 0 ? 0.61803 * k * k / speed : 0.61803 * k * k;
        memcpy(l->moved, l->q, N * sizeof *l->moved);
        for (size_t i = 0; moves && i < n; i++) l->moved[i] += ahead * l->v[i];
        const mech_status status = linear_at(l, eval, o->t + ahead, l->moved, o);
        if (status == MECH_ERR_MEMORY) return status;
        if (status != MECH_OK) { /* it does not even get there */
            seen->change = INFINITY;
            return MECH_OK;
        }
        seen->change = fmax(seen->change, dense_difference(kept, l->A, N * N) / scale);
        seen->acceleration = fmax(seen->acceleration, acceleration_there(l, eval));
        const double *u = mech_eval_equation(eval)->u;
        for (size_t i = 0; !moves && l->result.varying_input < 0 && i < l->t.sizes.inputs; i++)
            if (u[i] != l->work[N * N + i] && feels_input(&l->t, i)) l->result.varying_input = (int)i;
    }
    return MECH_OK;
}

/* Time alone, the coordinates held: if that changes things they are not to blame. */
static mech_status blame_time(mech_linear *l, mech_eval *eval, const mech_linear_options *o,
                              const double *kept, double limit)
{
    outlook seen;
    MECH_TRY(look_ahead(l, eval, o, kept, 0, &seen));
    l->result.varies_with_time = seen.change > CHANGE_TOL || seen.acceleration > limit;
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
        for (size_t j = 0; j < nu; j++) sum += l->D[i + j * ny];
        l->undefined[i] = (unsigned char)(l->undefined[i] || !isfinite(sum));
        if (!l->undefined[i]) continue;
        l->result.undefined_count++;
        for (size_t j = 0; j < l->N; j++) l->C[i + j * ny] = NAN;
        for (size_t j = 0; j < nu; j++) l->D[i + j * ny] = NAN;
    }
}

/* ---- what may be read off it ---- */

const char *mech_linear_doubt(const mech_linear_result *l)
{
    if (l->kind == MECH_POINT_OFF) return "the state is not on its constraints";
    if (l->kink_count) return "the equations have a kink at this point";
    if (l->weak >= 0) return "the mass matrix is all but singular here";
    if (l->lost >= 0) return "the constraints lose rank at this point";
    return l->kind != MECH_POINT_FROZEN && l->leak > LEAK_TOL ? "the linear motion leaves the constraints" : NULL;
}

mech_status point_classify(mech_linear *l, mech_eval *eval, const mech_linear_options *o)
{
    mech_linear_result *r = &l->result;
    const mech_equation *e = mech_eval_equation(eval);
    const size_t n = l->t.n, N = l->N;
    const double speed = dense_largest(l->v, n), limit = 1e-8 * (1 + speed * speed);
    double *kept = l->work;
    outlook seen;
    r->varying_input = r->weak = r->weak_along = -1;
    r->largest_acceleration = acceleration_there(l, eval);
    measure_misses(l, e);
    memcpy(kept, l->A, N * N * sizeof *kept);
    if (l->t.sizes.inputs) memcpy(l->work + N * N, e->u, l->t.sizes.inputs * sizeof *kept);
    MECH_TRY(look_ahead(l, eval, o, kept, 1, &seen));
    r->change = seen.change;
    const int stays = fmax(r->largest_acceleration, seen.acceleration) <= limit && seen.change <= CHANGE_TOL;
    if (!stays && r->largest_acceleration <= limit) MECH_TRY(blame_time(l, eval, o, kept, limit));
    r->kind = r->off_count ? MECH_POINT_OFF
              : !stays     ? MECH_POINT_FROZEN
              : speed == 0 ? MECH_POINT_EQUILIBRIUM
                           : MECH_POINT_STEADY;
    MECH_TRY(linear_at(l, eval, o->t, l->q, o));
    MECH_TRY(cyclic_find(&l->t, eval, o->t, l->q, l->is_cyclic));
    mech_eval_set_states(eval, l->z);
    MECH_TRY(inertia_look(&l->t, eval, o->t, l->q, &r->weak, &r->weak_along));
    MECH_TRY(rank_look(l, eval, o));
    MECH_TRY(linear_at(l, eval, o->t, l->q, o));
    point_mark_undefined(l);
    return MECH_OK;
}
