/* Friction's share of the Jacobian. Stick: rows S a = b_s with forces S' l. Slip: C = -mu N S' d with d =
   V/|V| and, over the rows that load it, N^2 = |f|^2 + sum of unseen l^2, where S' f = sum of seen l_i A_i'.
   So at fixed l dN = f.df/N,   (S S') df = S (d(sum l_i A_i') - dS' f),   dd = (dV - d (d.dV))/|V|. */
#include "simulate/jacobian.h"
#include "base/try.h"

#include <math.h>
#include <string.h>

void jacobian_take_friction(mech_sim *s, const mech_jacobian *d)
{
    sim_jacobian_room *r = s->implicit.jacobian;
    const size_t n = s->n, nf = s->nf, columns = r->columns;
    const mech_pattern S = s->pattern_slip;
    memset(r->slip, 0, nf * columns * sizeof(double));
    memset(r->slip_A, 0, nf * n * columns * sizeof(double));
    memset(r->mu, 0, s->sizes.frictions * columns * sizeof(double));
    jacobian_scatter(s, MECH_MATRIX_D_SLIP, d->slip, 1, nf, r->slip);
    jacobian_scatter(s, MECH_MATRIX_D_MU, d->mu, 1, s->sizes.frictions, r->mu);
    /* entry k of S goes to (row, coordinate): one column after the other through a list of entries */
    const mech_pattern p = mech_system_pattern(s->system, MECH_MATRIX_D_SLIP_A);
    const mech_columns at = mech_system_columns(s->system);
    for (size_t k = 0; k < p.count; k++) {
        const size_t c = p.column[k], entry = p.row[k];
        const size_t column = c < at.u ? c - at.q : SIZE_MAX; /* q, v, z stand first and in this order */
        if (column < columns) r->slip_A[S.row[entry] + nf * (S.column[entry] + n * column)] += d->slip_A[k];
    }
    /* rows V' = 0, in force only while they stick */
    double *rows = r->R + s->m;
    jacobian_scatter(s, MECH_MATRIX_D_SLIP_ROW, d->slip_row, 1, s->rows, rows);
    if (s->settings.stabilize == MECH_STABILIZE_EXCESS && s->gain_B == 1)
        for (size_t c = 0; c < columns; c++)
            for (size_t i = 0; i < nf; i++) rows[i + c * s->rows] += s->B[0] * r->slip[i + c * nf];
    for (size_t c = 0; c < columns; c++)
        for (size_t j = 0; j < n; j++)
            for (size_t i = 0; i < nf; i++)
                if (s->active[s->m + i]) r->F[j + c * n] -= r->slip_A[i + nf * (j + n * c)] * r->l[s->m + i];
}

typedef struct slip {
    size_t first, count; /* friction rows                                 */
    double f[FRICTION_MOST], N, mu;
    sim_direction at;
} slip;

static void describe(mech_sim *s, size_t k, slip *x)
{
    const friction_law *law = &s->friction[k].law;
    *x = (slip){.first = law->first, .count = law->count, .mu = s->eq->mu[k]};
    sim_friction_direction(s, k, &x->at);
    const double unseen = friction_force(law, s->eq->active, s->total, x->f);
    x->N = sqrt(unseen + friction_dot(x->f, x->f, law->count));
}

/* r->F2 = d(sum of seen l_i A_i'), from the motion's derivative at those multipliers alone */
static mech_status seen_forces(mech_sim *s, size_t k)
{
    const sim_jacobian_room *r = s->implicit.jacobian;
    const friction_law *f = &s->friction[k].law;
    memset(r->l, 0, s->rows * sizeof *r->l);
    MECH_TRY(jacobian_at(s, s->scratch.zero, r->l, r->F0, NULL));
    for (size_t i = 0; i < f->row_count; i++)
        if (f->is_seen[i] && s->eq->active[f->rows[i]]) r->l[f->rows[i]] = s->total[f->rows[i]];
    MECH_TRY(jacobian_at(s, s->scratch.zero, r->l, r->F2, NULL));
    for (size_t i = 0; i < s->n * r->columns; i++) r->F2[i] = r->F0[i] - r->F2[i];
    return MECH_OK;
}

/* dN of one column: seen is its column of r->F2 */
static double normal_change(const mech_sim *s, const slip *x, const double *dS, const double *seen)
{
    double G[FRICTION_MOST][FRICTION_MOST] = {{0}}, df[FRICTION_MOST] = {0}, sum = 0;
    for (size_t j = 0; j < s->n; j++) {
        const double *S = s->A_used + s->m + x->first + j * s->rows;
        double rest = seen[j];
        for (size_t a = 0; a < x->count; a++) rest -= dS[x->first + a + s->nf * j] * x->f[a];
        for (size_t a = 0; a < x->count; a++) {
            df[a] += S[a] * rest;
            for (size_t b = 0; b < x->count; b++) G[a][b] += S[a] * S[b];
        }
    }
    friction_solve(x->count, G, df);
    for (size_t a = 0; a < x->count; a++) sum += x->f[a] * df[a];
    return x->N > 0 ? sum / x->N : 0;
}

static void add_column(mech_sim *s, size_t k, const slip *x, size_t c)
{
    const sim_jacobian_room *r = s->implicit.jacobian;
    const double *dS = r->slip_A + s->nf * s->n * c, *dV = r->slip + s->nf * c + x->first;
    const double dN = normal_change(s, x, dS, r->F2 + s->n * c), dmu = r->mu[k + s->sizes.frictions * c];
    double along = 0, dd[FRICTION_MOST] = {0};
    for (size_t a = 0; a < x->count; a++) along += x->at.along[a] * dV[a];
    for (size_t a = 0; a < x->count; a++) dd[a] = (dV[a] - x->at.beside[a] * along) / x->at.over;
    for (size_t j = 0; j < s->n; j++) {
        const double *S = s->A_used + s->m + x->first + j * s->rows;
        double Sd = 0, change = 0;
        for (size_t a = 0; a < x->count; a++) {
            Sd += S[a] * x->at.d[a];
            change += dS[x->first + a + s->nf * j] * x->at.d[a] + S[a] * dd[a];
        }
        r->F[j + c * s->n] += (dmu * x->N + x->mu * dN) * Sd + x->mu * x->N * change;
    }
}

mech_status jacobian_add_slip(mech_sim *s)
{
    for (size_t k = 0; k < s->sizes.frictions; k++) {
        slip x;
        if (!s->friction[k].is_on || s->friction[k].mode.holds) continue;
        describe(s, k, &x);
        MECH_TRY(seen_forces(s, k));
        for (size_t c = 0; c < s->implicit.jacobian->columns; c++) add_column(s, k, &x, c);
    }
    return MECH_OK;
}
