/* Where the search for an equilibrium begins: the state given, on the constraints and at the velocities that
   `steady` prescribes; later beginnings are displaced. */
#include "analyze/dense.h"
#include "analyze/search.h"

#include "assemble/onto.h"
#include "base/try.h"
#include "base/tolerances.h"
#include "fundamental/motion.h"
#include "system/sizes.h"

#include <mech/assemble.h>

#include <math.h>
#include <string.h>

/* ---- where to begin ---- */

/* The k-th beginning: displaced by a fixed sequence of numbers in (-1, 1), the later ones by more of the size of the
   state. */
static void displace(search *s, int k)
{
    uint64_t state = UINT64_C(0x9e3779b97f4a7c15) * (uint64_t)k;
    for (size_t i = 0; i < 2 * s->n; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const double r = (double)(state >> 11) / 4503599627370496.0 - 1;
        if (i < s->n && s->is_cyclic[i]) continue;
        if (i < s->n) s->x[i] += r * (k < 10 ? 0.1 : k < 20 ? 0.5 : 0.9) * s->t.one[i];
        else if (s->steady) s->x[i] += 0.1 * r * s->t.one[i];
    }
}

/* ---- onto the constraints ---- */

double search_miss(search *s, int rate, const double *x)
{
    const mech_equation *e = s->t.e;
    const double *r = rate ? e->r_dot : e->r, *at = rate ? x + s->n : x;
    system_sizes sizes;
    const int is_known = system_sizes_look(s->t.eval, 0, s->t.size_work, &sizes);
    double largest = 0;
    for (size_t i = 0; i < s->m; i++) {
        if (!e->active[i] || r[i] == 0) continue;
        double size = !is_known ? 0 : rate ? sizes.r_dot[i] : sizes.r[i];
        for (size_t j = 0; j < s->n; j++)
            size += fabs(e->A_dense[i + j * s->m]) * fmax(fabs(at[j]), s->t.one[j + (rate ? s->n : 0)]);
        const double part = fabs(r[i]) / size;
        if (!(part <= largest)) largest = part; /* NaN too */
    }
    return largest;
}

mech_status search_evaluate(search *s, const double *x) { return tangent_stand(&s->t, s->time, x); }

typedef struct projection {
    search *s;
    double *x;
    int rate; /* 1: velocities */
} projection;

/* The change is the least in units of what counts as one. */
static mech_status look(onto *o)
{
    const projection *p = o->user;
    search *s = p->s;
    const mech_equation *e = s->t.e;
    unsigned flags;
    MECH_TRY(search_evaluate(s, p->x));
    o->is_done = !(search_miss(s, p->rate, p->x) > TOL_SEARCH_ROW);
    if (o->is_done || o->turn == o->most) return MECH_OK;
    MECH_TRY(tangent_scatter(&s->t, NULL, NULL, NULL));
    const mech_fundamental_input in = {.size = sizeof in,
                                       .M = s->unit,
                                       .Q = s->zero,
                                       .A = p->rate ? s->t.r_dot_x + s->m * s->n : s->t.r_x,
                                       .b = p->rate ? e->r_dot : e->r,
                                       .active = e->active,
                                       .rank_tol = TOL_SEARCH_RANK};
    MECH_TRY(fundamental_motion(s->projector, &in, o->delta, &flags));
    for (size_t j = 0; j < s->n; j++) o->delta[j] = -o->delta[j];
    return MECH_OK;
}

/* Positions, then velocities, onto their rows, or as near as so many changes bring them: Newton on the whole takes it
   from there. */
mech_status search_project(search *s, double *x)
{
    projection p = {.s = s, .x = x};
    MECH_TRY(onto_rows(&(onto){.n = s->n, .x = x, .delta = s->step, .most = 40, .user = &p, .look = look}));
    p.rate = 1;
    return s->steady
               ? onto_rows(&(onto){.n = s->n, .x = x + s->n, .delta = s->step, .most = 10, .user = &p, .look = look})
               : MECH_OK;
}

/* ---- velocities that `steady` prescribes ---- */

/* Residuals of r' = 0 and of `steady`, and their derivatives by v; the largest residual into *size. */
static mech_status look_at_speeds(search *s, double *size)
{
    const mech_equation *e = s->t.e;
    const size_t rows = s->m + s->ns;
    double *J = s->speeds, *r = J + rows * s->n;
    mech_jacobian j;
    MECH_TRY(search_evaluate(s, s->x));
    MECH_TRY(tangent_scatter(&s->t, NULL, NULL, NULL));
    MECH_TRY(mech_eval_start(s->t.eval));
    MECH_TRY(mech_eval_jacobian(s->t.eval, &j));
    memset(J, 0, (rows * s->n + rows) * sizeof *J);
    for (size_t i = 0; i < s->m; i++) {
        if (!e->active[i]) continue;
        r[i] = e->r_dot[i];
        for (size_t k = 0; k < s->n; k++) J[i + k * rows] = s->t.r_dot_x[i + (s->n + k) * s->m];
    }
    const mech_pattern pattern = mech_system_pattern(s->t.system, MECH_MATRIX_D_STEADY);
    for (size_t i = 0; i < s->ns; i++) r[s->m + i] = e->steady[i] - e->steady_value[i];
    for (size_t i = 0; i < pattern.count; i++)
        if (pattern.column[i] >= s->n && pattern.column[i] < 2 * s->n)
            J[s->m + pattern.row[i] + (pattern.column[i] - s->n) * rows] += j.steady[i];
    *size = dense_largest(r, rows);
    return isfinite(*size) ? MECH_OK : MECH_ERR_NOT_FINITE;
}

/* By least squares, of least change, as long as what is left falls: o->size. */
static mech_status aim_once(onto *o)
{
    search *s = o->user;
    const size_t rows = s->m + s->ns;
    const double last = o->turn ? o->size : HUGE_VAL;
    size_t rank;
    MECH_TRY(look_at_speeds(s, &o->size));
    o->is_done = !(o->size < last) || o->size == 0;
    if (o->is_done || o->turn == o->most) return MECH_OK;
    MECH_TRY(dense_least_squares(rows, s->n, s->speeds, s->speeds + rows * s->n, o->delta, &rank));
    for (size_t k = 0; k < s->n; k++) o->delta[k] = -o->delta[k];
    return MECH_OK;
}

/* v by these; what cannot be met together is left to Newton on the whole. */
static mech_status aim(search *s)
{
    return onto_rows(&(onto){.n = s->n, .x = s->x + s->n, .delta = s->step, .most = 10, .user = s, .look = aim_once});
}

/* What counts as one where a search begins; and how far from each other points are, by mass. */
static mech_status measure(search *s)
{
    MECH_TRY(tangent_weigh(&s->t, s->time, s->x));
    MECH_TRY(search_evaluate(s, s->x));
    MECH_TRY(tangent_scatter(&s->t, NULL, NULL, NULL));
    memset(s->t.at_point.d.total, 0, s->m * sizeof *s->t.at_point.d.total);
    tangent_measure(&s->t, s->x);
    const double largest = dense_largest(s->t.one, s->n);
    for (size_t i = 0; i < s->n; i++) s->unit[i * (s->n + 1)] = pow(largest / s->t.one[i], 2);
    return MECH_OK;
}

mech_status search_find_start(mech_eval *eval, double t, const double *begin, double *x)
{
    mech_assembly *assembly = NULL;
    MECH_TRY(mech_assembly_create(eval, &assembly));
    const mech_status status = mech_assembly_changed_start(assembly, t, begin, x, NULL);
    mech_assembly_free(assembly);
    return status;
}

mech_status search_begin(search *s, const mech_equilibrium_options *o, int k)
{
    const size_t n = s->n;
    memset(s->x, 0, s->N * sizeof *s->x);
    if (o->q) memcpy(s->x, o->q, n * sizeof *s->x);
    if (o->v) memcpy(s->x + n, o->v, n * sizeof *s->x);
    if (o->z && s->nz) memcpy(s->x + 2 * n, o->z, s->nz * sizeof *s->x);
    if (!s->steady) memset(s->x + n, 0, n * sizeof *s->x);
    MECH_TRY(measure(s));
    if (k > 0) displace(s, k);
    MECH_TRY(search_project(s, s->x));
    return s->ns ? aim(s) : MECH_OK;
}
