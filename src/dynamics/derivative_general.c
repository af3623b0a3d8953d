/* The derivative where more than M and A' is unknown. Laws that look at the multipliers answer to their own: with l0
   what the multipliers would do without that, and R those of unit forces,
       (1 - R C_l) dl = dl0        da = da0 + (what the forces C_l dl do)
   on the factors of the equation, so that where rows depend on one another the multipliers are those of least norm.
   Control, u of least u' W u: with multipliers l of natural rows, and p, s of the conditions, F = 0 and R = 0
   stand beside W u - G' p = 0        M p + A' s = 0        A_natural p = 0 (without actuators G = 1, and
   nature's weight reads u - M p = 0). The derivative of all of them is one linear system, eliminated with
   complete pivoting: rows that depend on one another drop out, and any of their multipliers will do. */
#include "dynamics/derivative.h"

#include "base/try.h"
#include "base/tolerances.h"
#include "fundamental/small.h"

#include <math.h>
#include <string.h>

void derivative_measure(derivative *r)
{
    const dynamics *d = r->d;
    r->forces = !d->has_control ? 0 : d->actuators ? d->actuators : d->n;
    r->at_l = d->n;
    r->at_u = r->at_l + d->rows;
    r->at_p = r->at_u + r->forces;
    r->at_s = r->at_p + d->n;
    r->size = d->has_control ? r->at_s + d->rows : d->laws_use_reaction || d->sizes.frictions ? d->rows : 0;
}

static int is_natural(const dynamics *d, size_t row) { return d->active[row] && !d->servo[row]; }

/* ---- the matrix ---- */

static double *entry(const derivative *r, size_t row, size_t column) { return &r->K[row + column * r->size]; }

static int has_natures_weight(const dynamics *d) { return d->weight == MECH_WEIGHT_NATURE; }

static double direction(const dynamics *d, size_t coord, size_t force)
{
    return d->actuators ? d->G[coord + force * d->n] : coord == force;
}

static void put_control(const derivative *r)
{
    const dynamics *d = r->d;
    const size_t n = d->n, forces = r->forces;
    for (size_t k = 0; k < forces; k++) {
        for (size_t i = 0; i < n; i++) *entry(r, i, r->at_u + k) = -direction(d, i, k);
        for (size_t j = 0; j < forces; j++)
            *entry(r, r->at_u + k, r->at_u + j) = d->weight == MECH_WEIGHT_GIVEN ? d->eq->W[k + j * forces] : k == j;
        for (size_t i = 0; i < n; i++)
            *entry(r, r->at_u + k, r->at_p + i) =
                has_natures_weight(d) ? -d->eq->M_dense[k + i * n] : -direction(d, i, k);
    }
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++) *entry(r, r->at_p + i, r->at_p + j) = d->eq->M_dense[i + j * n];
    for (size_t row = 0; row < d->rows; row++) {
        for (size_t j = 0; j < n && d->active[row]; j++) {
            const double a = d->A_used[row + j * d->rows];
            *entry(r, r->at_p + j, r->at_s + row) = a;
            if (is_natural(d, row)) *entry(r, r->at_s + row, r->at_p + j) = a;
        }
        if (!d->active[row]) *entry(r, r->at_s + row, r->at_s + row) = 1;
        else if (d->servo[row]) *entry(r, r->at_s + row, r->at_l + row) = 1; /* it has no multiplier of its own */
    }
}

/* law: (n x rows) C_l, or NULL */
static void fill_matrix(const derivative *r, const double *law)
{
    const dynamics *d = r->d;
    const size_t n = d->n, size = r->size;
    memset(r->K, 0, size * size * sizeof(double));
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++) *entry(r, i, j) = d->eq->M_dense[i + j * n];
    for (size_t row = 0; row < d->rows; row++) {
        for (size_t j = 0; j < n && d->active[row]; j++) {
            *entry(r, r->at_l + row, j) = d->A_used[row + j * d->rows];
            if (is_natural(d, row)) *entry(r, j, r->at_l + row) = -d->A_used[row + j * d->rows];
        }
        for (size_t j = 0; j < n && law && is_natural(d, row); j++) *entry(r, j, r->at_l + row) -= law[j + row * n];
        if (!d->active[row]) *entry(r, r->at_l + row, r->at_l + row) = 1;
    }
    put_control(r);
}

/* ---- elimination with complete pivoting ---- */

/* Each equation to a largest entry of 1; by how much is kept in x, for the right sides. */
static void factor(derivative *r)
{
    const size_t size = r->size;
    for (size_t i = 0; i < size; i++) {
        double most = 0;
        for (size_t j = 0; j < size; j++) most = fmax(most, fabs(*entry(r, i, j)));
        r->x[size + i] = most > 0 ? 1 / most : 1;
        for (size_t j = 0; j < size; j++) *entry(r, i, j) *= r->x[size + i];
    }
    r->rank = (size_t)small_lu(r->K, (int)size, (int)size, TOL_DERIVED, r->order, r->order + size);
}

/* x = K^-1 b, which may be the same; x of the unknowns that are left over is 0 */
static void solve(const derivative *r, const double *b, double *x)
{
    const size_t size = r->size;
    const int *rows = r->order, *columns = rows + size;
    double *y = r->x;
    for (size_t k = 0; k < size; k++) y[k] = b[rows[k]] * r->x[size + (size_t)rows[k]];
    for (size_t k = 0; k < r->rank; k++)
        for (size_t i = k + 1; i < r->rank; i++) y[i] -= *entry(r, i, k) * y[k];
    memset(x, 0, size * sizeof *x);
    for (size_t k = r->rank; k-- > 0;) {
        for (size_t j = k + 1; j < r->rank; j++) y[k] -= *entry(r, k, j) * y[j];
        y[k] /= *entry(r, k, k);
        x[columns[k]] = y[k];
    }
}

/* ---- control ---- */

mech_status derivative_solve_control(derivative *r)
{
    dynamics *d = r->d;
    double *b = r->work, *x = b + r->size;
    memset(b, 0, r->size * sizeof *b);
    MECH_TRY(dynamics_law(d, d->lambda, d->total, r->a, NULL));
    for (size_t i = 0; i < d->n; i++) b[i] = d->eq->Q[i] + r->a[i];
    for (size_t i = 0; i < d->rows; i++) b[r->at_l + i] = d->active[i] ? d->b[i] : 0;
    fill_matrix(r, NULL);
    factor(r);
    solve(r, b, x);
    memcpy(r->l, x + r->at_l, d->rows * sizeof *x);
    memcpy(r->u, x + r->at_u, r->forces * sizeof *x);
    memcpy(r->p, x + r->at_p, d->n * sizeof *x);
    memcpy(r->s, x + r->at_s, d->rows * sizeof *x);
    return MECH_OK;
}

/* dG and dW: F -= dG u; conditions -= dG' p, += dW u. side: (forces x columns) */
static void add_directions(const derivative *r, const mech_jacobian *at, double *side)
{
    const dynamics *d = r->d;
    const mech_pattern G = mech_system_pattern(d->system, MECH_MATRIX_D_G),
                       W = mech_system_pattern(d->system, MECH_MATRIX_D_W);
    for (size_t k = 0; k < G.count; k++) {
        const size_t coord = d->pattern_G.row[G.row[k]], force = d->pattern_G.column[G.row[k]],
                     c = r->place[G.column[k]];
        if (c == SIZE_MAX) continue;
        r->F[coord + c * d->n] -= at->G[k] * r->u[force];
        side[force + c * r->forces] -= at->G[k] * r->p[coord];
    }
    for (size_t k = 0; k < W.count && d->weight == MECH_WEIGHT_GIVEN; k++) {
        const size_t i = W.row[k] % r->forces, j = W.row[k] / r->forces, c = r->place[W.column[k]];
        if (c != SIZE_MAX) side[i + c * r->forces] += at->W[k] * r->u[j];
    }
}

/* The conditions' own derivatives: of M p + A' s into F2, of A p into R2, of u - M p into side for nature's
 * weight. */
static mech_status differentiate_conditions(derivative *r, double *side)
{
    const dynamics *d = r->d;
    const size_t n = d->n, rows = d->rows;
    double *zero_rows = r->dl, *R0 = side + r->forces * r->columns;
    memset(zero_rows, 0, rows * sizeof *zero_rows);
    MECH_TRY(derivative_at(r, r->zero, zero_rows, r->F0, R0, NULL));
    if (has_natures_weight(d)) {
        MECH_TRY(derivative_at(r, r->p, zero_rows, r->F2, NULL, NULL));
        for (size_t i = 0; i < n * r->columns; i++) side[i] -= r->F2[i] - r->F0[i];
    }
    for (size_t i = 0; i < rows; i++) r->s[i] = -r->s[i];
    MECH_TRY(derivative_at(r, r->p, r->s, r->F2, r->R2, NULL));
    for (size_t i = 0; i < n * r->columns; i++) r->F2[i] -= r->F0[i];
    for (size_t i = 0; i < rows * r->columns; i++) r->R2[i] -= R0[i];
    return MECH_OK;
}

/* (n x rows) dC by the total multipliers, or NULL: nothing looks at them. */
static mech_status find_law(derivative *r, const double **law)
{
    dynamics *d = r->d;
    *law = NULL;
    if (!d->laws_use_reaction && !dynamics_slides(d)) return MECH_OK;
    memset(r->law, 0, d->n * d->rows * sizeof *r->law);
    *law = r->law;
    return dynamics_law(d, d->lambda, d->total, r->a, r->law);
}

/* ---- laws ---- */

/* 1 - R C_l into K. */
static mech_status fill_answers(derivative *r, const double *law)
{
    const dynamics *d = r->d;
    for (size_t j = 0; j < d->rows; j++) {
        double size = 0;
        for (size_t i = 0; i < d->n && d->active[j]; i++) size = fmax(size, fabs(law[i + j * d->n]));
        memset(r->dl, 0, d->rows * sizeof *r->dl);
        if (size > 0) MECH_TRY(mech_fundamental_again(d->solver, law + j * d->n, r->zero, r->a, r->dl));
        for (size_t i = 0; i < d->rows; i++) *entry(r, i, j) = (i == j) - r->dl[i];
    }
    return MECH_OK;
}

mech_status derivative_solve_laws(derivative *r, double *to, size_t height)
{
    const dynamics *d = r->d;
    const double *law;
    double *force = r->F2;
    MECH_TRY(derivative_add_slip(r));
    MECH_TRY(derivative_solve_columns(r, to, height));
    MECH_TRY(find_law(r, &law));
    MECH_TRY(fill_answers(r, law));
    factor(r);
    if (r->rank < r->size) return MECH_ERR_NO_REACTION;
    for (size_t c = 0; c < r->columns; c++) {
        double *dl = r->total + c * d->rows, *da = to + c * height;
        solve(r, dl, dl);
        memset(force, 0, d->n * sizeof *force);
        for (size_t j = 0; j < d->rows; j++)
            for (size_t i = 0; i < d->n && d->active[j]; i++) force[i] += law[i + j * d->n] * dl[j];
        MECH_TRY(mech_fundamental_again(d->solver, force, r->zero, r->a, NULL));
        for (size_t i = 0; i < d->n; i++) da[i] += r->a[i];
    }
    return MECH_OK;
}

/* ---- control ---- */

/* Where rows depend on one another: the multipliers of least norm that hold column c with the control du. */
static mech_status least_multipliers(derivative *r, size_t c, const double *du)
{
    const dynamics *d = r->d;
    double *f = r->F0, *g = r->dl;
    for (size_t i = 0; i < d->n; i++) {
        f[i] = -r->F[i + c * d->n];
        for (size_t k = 0; k < r->forces; k++) f[i] += direction(d, i, k) * du[k];
    }
    for (size_t i = 0; i < d->rows; i++) g[i] = is_natural(d, i) ? -r->R[i + c * d->rows] : 0;
    return mech_fundamental_again(d->solver, f, g, r->a, r->total + c * d->rows);
}

mech_status derivative_solve_controlled(derivative *r, const mech_jacobian *point, double *to, size_t height)
{
    const dynamics *d = r->d;
    const size_t n = d->n, rows = d->rows;
    const double *law;
    double *b = r->work, *x = b + r->size, *side = x + r->size;
    memset(side, 0, r->forces * r->columns * sizeof *side);
    add_directions(r, point, side);
    MECH_TRY(derivative_add_slip(r));
    MECH_TRY(differentiate_conditions(r, side));
    MECH_TRY(find_law(r, &law));
    fill_matrix(r, law);
    factor(r);
    for (size_t c = 0; c < r->columns; c++) {
        memset(b, 0, r->size * sizeof *b);
        for (size_t i = 0; i < n; i++) b[i] = -r->F[i + c * n];
        for (size_t i = 0; i < rows; i++) b[r->at_l + i] = d->active[i] ? -r->R[i + c * rows] : 0;
        for (size_t i = 0; i < r->forces; i++) b[r->at_u + i] = -side[i + c * r->forces];
        for (size_t i = 0; i < n; i++) b[r->at_p + i] = -r->F2[i + c * n];
        for (size_t i = 0; i < rows; i++) b[r->at_s + i] = is_natural(d, i) ? -r->R2[i + c * rows] : 0;
        solve(r, b, x);
        memcpy(to + c * height, x, n * sizeof *x);
        memcpy(r->total + c * rows, x + r->at_l, rows * sizeof *x);
        if (r->lambda && d->out.flags & MECH_FUNDAMENTAL_REDUNDANT) MECH_TRY(least_multipliers(r, c, x + r->at_u));
    }
    return MECH_OK;
}
