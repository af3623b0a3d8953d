/* Friction's share of the derivative. Stick: rows B'S a = B'b_s with forces S'B l, B the directions of the surface:
   they turn, too, but what that does is in the reach of the constraints' own multipliers, and q'' does not feel it.
   Slip: C = -mu N S' d with d = V/|V| and, over the rows that load it, N^2 = |f|^2 + sum of unseen l^2, where S' f =
   sum of seen l_i A_i'. So at fixed l dN = f.df/N,   (S S') df = S (d(sum l_i A_i') - dS' f),   dd = (dV - d
   (d.dV))/|V|. */
#include "dynamics/derivative.h"

#include "base/try.h"

#include <string.h>

/* Rows and forces of friction k, which holds; rows: derivatives of S a - b_s (nf x columns, d->rows apart). */
static void add_stick(derivative *r, size_t k, const double *rows)
{
    const dynamics *d = r->d;
    const dynamics_friction *f = &d->friction[k];
    const size_t first = f->law.first, count = f->law.count;
    double ft[FRICTION_MOST];
    dynamics_stick_force(d, k, r->l, ft);
    for (size_t c = 0; c < r->columns; c++) {
        for (size_t a = 0; a < f->directions; a++) {
            double *R = &r->R[d->m + first + a + c * d->rows];
            *R += friction_dot(f->surface[a], rows + first + c * d->rows, count);
            if (d->stick_damping != 0)
                *R += d->stick_damping * friction_dot(f->surface[a], r->slip + first + c * d->nf, count);
        }
        for (size_t j = 0; j < d->n; j++)
            r->F[j + c * d->n] -= friction_dot(r->slip_A + first + d->nf * (j + d->n * c), ft, count);
    }
}

void derivative_take_friction(derivative *r, const mech_jacobian *at)
{
    const dynamics *d = r->d;
    const size_t nf = d->nf, columns = r->columns;
    const mech_pattern S = d->pattern_slip, p = mech_system_pattern(d->system, MECH_MATRIX_D_SLIP_A);
    memset(r->slip, 0, nf * columns * sizeof(double));
    memset(r->slip_A, 0, nf * d->n * columns * sizeof(double));
    memset(r->mu, 0, d->sizes.frictions * columns * sizeof(double));
    derivative_scatter(r, MECH_MATRIX_D_SLIP, at->slip, nf, r->slip);
    derivative_scatter(r, MECH_MATRIX_D_MU, at->mu, d->sizes.frictions, r->mu);
    for (size_t k = 0; k < p.count; k++) { /* entry k of S goes to (row, coordinate) */
        const size_t column = r->place[p.column[k]], entry = p.row[k];
        if (column != SIZE_MAX) r->slip_A[S.row[entry] + nf * (S.column[entry] + d->n * column)] += at->slip_A[k];
    }
    memset(r->R2, 0, d->rows * columns * sizeof(double));
    derivative_scatter(r, MECH_MATRIX_D_SLIP_ROW, at->slip_row, d->rows, r->R2);
    for (size_t k = 0; k < d->sizes.frictions; k++)
        if (d->friction[k].is_on && d->friction[k].mode.holds) add_stick(r, k, r->R2);
}

typedef struct slip {
    size_t first, count; /* friction rows                                 */
    double f[FRICTION_MOST], N, mu;
    dynamics_way at;
} slip;

static void describe(const dynamics *d, size_t k, slip *x)
{
    const friction_law *law = &d->friction[k].law;
    *x = (slip){.first = law->first, .count = law->count, .mu = dynamics_mu(d, k)};
    dynamics_way_of(d, k, &x->at);
    friction_force(law, d->eq->active, d->total, x->f);
    x->N = friction_load(law, d->eq->active, d->total);
}

/* r->F2 = d(sum of seen l_i A_i'), from the motion's derivative at those multipliers alone */
static mech_status seen_forces(derivative *r, size_t k)
{
    const dynamics *d = r->d;
    const friction_law *f = &d->friction[k].law;
    double *l = r->dl;
    memset(l, 0, d->rows * sizeof *l);
    MECH_TRY(derivative_at(r, r->zero, l, r->F0, NULL, NULL));
    for (size_t i = 0; i < f->row_count; i++)
        if (f->is_seen[i] && d->eq->active[f->rows[i]]) l[f->rows[i]] = d->total[f->rows[i]];
    MECH_TRY(derivative_at(r, r->zero, l, r->F2, NULL, NULL));
    for (size_t i = 0; i < d->n * r->columns; i++) r->F2[i] = r->F0[i] - r->F2[i];
    return MECH_OK;
}

/* dN of one column: seen is its column of r->F2 */
static double normal_change(const dynamics *d, const slip *x, const double *dS, const double *seen)
{
    double G[FRICTION_MOST][FRICTION_MOST] = {{0}}, df[FRICTION_MOST] = {0}, sum = 0;
    for (size_t j = 0; j < d->n; j++) {
        const double *S = d->S + x->first + j * d->nf;
        double rest = seen[j];
        for (size_t a = 0; a < x->count; a++) rest -= dS[x->first + a + d->nf * j] * x->f[a];
        for (size_t a = 0; a < x->count; a++) {
            df[a] += S[a] * rest;
            for (size_t b = 0; b < x->count; b++) G[a][b] += S[a] * S[b];
        }
    }
    friction_solve(x->count, G, df);
    for (size_t a = 0; a < x->count; a++) sum += x->f[a] * df[a];
    return x->N > 0 ? sum / x->N : 0;
}

static void add_column(const derivative *r, size_t k, const slip *x, size_t c)
{
    const dynamics *d = r->d;
    const double *dS = r->slip_A + d->nf * d->n * c, *dV = r->slip + d->nf * c + x->first;
    const double dN = normal_change(d, x, dS, r->F2 + d->n * c), dmu = r->mu[k + d->sizes.frictions * c];
    double along = 0, dd[FRICTION_MOST] = {0};
    for (size_t a = 0; a < x->count; a++) along += x->at.along[a] * dV[a];
    for (size_t a = 0; a < x->count; a++) dd[a] = (dV[a] - x->at.beside[a] * along) / x->at.over;
    for (size_t j = 0; j < d->n; j++) {
        const double *S = d->S + x->first + j * d->nf;
        double Sd = 0, change = 0;
        for (size_t a = 0; a < x->count; a++) {
            Sd += S[a] * x->at.d[a];
            change += dS[x->first + a + d->nf * j] * x->at.d[a] + S[a] * dd[a];
        }
        r->F[j + c * d->n] += (dmu * x->N + x->mu * dN) * Sd + x->mu * x->N * change;
    }
}

mech_status derivative_add_slip(derivative *r)
{
    const dynamics *d = r->d;
    for (size_t k = 0; k < d->sizes.frictions; k++) {
        slip x;
        if (!d->friction[k].is_on || d->friction[k].mode.holds) continue;
        describe(d, k, &x);
        MECH_TRY(seen_forces(r, k));
        for (size_t c = 0; c < r->columns; c++) add_column(r, k, &x, c);
    }
    return MECH_OK;
}
