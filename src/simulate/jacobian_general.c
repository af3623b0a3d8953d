/* The Jacobian where more than M and A' is unknown. Laws that look at the multipliers:
       M da - (A' + C_l) dl = -dF        A da = -dR
   Control, u of least u' W u: with multipliers l of natural rows, and p, s of the conditions, F = 0 and R = 0
   stand beside W u - G' p = 0        M p + A' s = 0        A_natural p = 0 (without actuators G = 1, and
   nature's weight reads u - M p = 0). The derivative of all of them is one linear system, eliminated with
   complete pivoting: rows that depend on one another drop out, and any of their multipliers will do. */
#include "simulate/jacobian.h"
#include "base/try.h"

#include <math.h>
#include <string.h>

/* Where the unknowns and the equations begin. */
typedef struct places {
    size_t a, l, u, p, s, size; /* equations: F at a, R at l, then the conditions at u, p, s */
} places;

static places places_of(const mech_sim *s)
{
    const size_t forces = !s->has_control ? 0 : s->sizes.actuators ? s->sizes.actuators : s->n;
    places at = {.l = s->n, .u = s->n + s->rows};
    at.p = at.u + forces;
    at.s = at.p + (s->has_control ? s->n : 0);
    at.size = at.s + (s->has_control ? s->rows : 0);
    return at;
}

int jacobian_is_general(const mech_sim *s)
{
    return s->has_control || s->laws_use_reaction || sim_friction_slips(s);
}

size_t jacobian_general_size(const mech_sim *s)
{
    return s->has_control || s->laws_use_reaction || s->sizes.frictions ? places_of(s).size : 0;
}

static int is_natural(const mech_sim *s, size_t row) { return s->active[row] && !s->servo[row]; }

/* ---- the matrix ---- */

static double *entry(const mech_sim *s, size_t row, size_t column)
{
    return &s->implicit.jacobian->K[row + column * s->implicit.jacobian->size];
}

static double weight_entry(const mech_sim *s, size_t i, size_t j)
{
    const mech_weight weight = mech_system_weight(s->system);
    if (weight == MECH_WEIGHT_GIVEN) return s->eq->W[i + j * s->implicit.jacobian->forces];
    return i == j;
}

static int has_natures_weight(const mech_sim *s)
{
    return mech_system_weight(s->system) == MECH_WEIGHT_NATURE && s->sizes.actuators == 0;
}

static double direction(const mech_sim *s, size_t coord, size_t force)
{
    return s->sizes.actuators ? s->G[coord + force * s->n] : coord == force;
}

static void put_control(const mech_sim *s, const places *at)
{
    const size_t n = s->n, forces = s->implicit.jacobian->forces;
    for (size_t k = 0; k < forces; k++) {
        for (size_t i = 0; i < n; i++) *entry(s, i, at->u + k) = -direction(s, i, k);
        for (size_t j = 0; j < forces; j++)
            *entry(s, at->u + k, at->u + j) = has_natures_weight(s) ? k == j : weight_entry(s, k, j);
        for (size_t i = 0; i < n; i++)
            *entry(s, at->u + k, at->p + i) =
                has_natures_weight(s) ? -s->eq->M_dense[k + i * n] : -direction(s, i, k);
    }
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++) *entry(s, at->p + i, at->p + j) = s->eq->M_dense[i + j * n];
    for (size_t row = 0; row < s->rows; row++) {
        for (size_t j = 0; j < n && s->active[row]; j++) {
            const double a = s->A_used[row + j * s->rows];
            *entry(s, at->p + j, at->s + row) = a;
            if (is_natural(s, row)) *entry(s, at->s + row, at->p + j) = a;
        }
        if (!s->active[row]) *entry(s, at->s + row, at->s + row) = 1;
        else if (s->servo[row]) *entry(s, at->s + row, at->l + row) = 1; /* it has no multiplier of its own */
    }
}

/* law: (n x rows) C_l, or NULL */
static void fill_matrix(const mech_sim *s, const double *law)
{
    const size_t n = s->n, size = s->implicit.jacobian->size;
    const places at = places_of(s);
    memset(s->implicit.jacobian->K, 0, size * size * sizeof(double));
    for (size_t j = 0; j < n; j++)
        for (size_t i = 0; i < n; i++) *entry(s, i, j) = s->eq->M_dense[i + j * n];
    for (size_t row = 0; row < s->rows; row++) {
        for (size_t j = 0; j < n && s->active[row]; j++) {
            *entry(s, at.l + row, j) = s->A_used[row + j * s->rows];
            if (is_natural(s, row)) *entry(s, j, at.l + row) = -s->A_used[row + j * s->rows];
        }
        for (size_t j = 0; j < n && law && is_natural(s, row); j++)
            *entry(s, j, at.l + row) -= law[j + row * n];
        if (!s->active[row]) *entry(s, at.l + row, at.l + row) = 1;
    }
    if (s->has_control) put_control(s, &at);
}

/* ---- elimination with complete pivoting ---- */

static void swap(size_t *list, size_t i, size_t j)
{
    const size_t t = list[i];
    list[i] = list[j];
    list[j] = t;
}

static void factor(const mech_sim *s)
{
    sim_jacobian_room *r = s->implicit.jacobian;
    const size_t size = r->size;
    size_t *rows = r->order, *columns = r->order + size;
    double largest = 0;
    for (size_t i = 0; i < size;
         i++) { /* each equation to a largest entry of 1, kept in x for the right sides */
        double most = 0;
        rows[i] = columns[i] = i;
        for (size_t j = 0; j < size; j++) most = fmax(most, fabs(*entry(s, i, j)));
        r->x[size + i] = most > 0 ? 1 / most : 1;
        for (size_t j = 0; j < size; j++) *entry(s, i, j) *= r->x[size + i];
    }
    for (r->rank = 0; r->rank < size; r->rank++) {
        const size_t k = r->rank;
        size_t pi = k, pj = k;
        double best = 0;
        for (size_t j = k; j < size; j++)
            for (size_t i = k; i < size; i++) {
                const double value = fabs(*entry(s, rows[i], columns[j]));
                if (value > best) best = value, pi = i, pj = j;
            }
        if (k == 0) largest = best;
        if (!(best > 1e-11 * largest)) return;
        swap(rows, k, pi);
        swap(columns, k, pj);
        for (size_t i = k + 1; i < size; i++) {
            double *factor_at = entry(s, rows[i], columns[k]);
            *factor_at /= *entry(s, rows[k], columns[k]);
            for (size_t j = k + 1; j < size && *factor_at != 0; j++)
                *entry(s, rows[i], columns[j]) -= *factor_at * *entry(s, rows[k], columns[j]);
        }
    }
}

/* b is destroyed; x of the unknowns that are left over is 0 */
static void solve(const mech_sim *s, double *b, double *x)
{
    const sim_jacobian_room *r = s->implicit.jacobian;
    const size_t size = r->size, *rows = r->order, *columns = r->order + size;
    for (size_t i = 0; i < size; i++) b[i] *= r->x[size + i];
    memset(x, 0, size * sizeof *x);
    for (size_t k = 0; k < r->rank; k++)
        for (size_t i = k + 1; i < size; i++) b[rows[i]] -= *entry(s, rows[i], columns[k]) * b[rows[k]];
    for (size_t k = r->rank; k-- > 0;) {
        double sum = b[rows[k]];
        for (size_t j = k + 1; j < r->rank; j++) sum -= *entry(s, rows[k], columns[j]) * x[columns[j]];
        x[columns[k]] = sum / *entry(s, rows[k], columns[k]);
    }
}

/* ---- control ---- */

mech_status jacobian_solve_control(mech_sim *s)
{
    const sim_jacobian_room *r = s->implicit.jacobian;
    const places at = places_of(s);
    double *b = s->implicit.work, *x = b + r->size;
    memset(b, 0, r->size * sizeof *b);
    for (size_t i = 0; i < s->n; i++) b[i] = s->eq->Q[i] + (s->has_laws ? s->C[i] : 0);
    for (size_t i = 0; i < s->rows; i++) b[at.l + i] = s->active[i] ? s->b[i] : 0;
    fill_matrix(s, NULL);
    factor(s);
    solve(s, b, x);
    memcpy(r->l, x + at.l, s->rows * sizeof *x);
    memcpy(r->u, x + at.u, r->forces * sizeof *x);
    memcpy(r->p, x + at.p, s->n * sizeof *x);
    memcpy(r->s, x + at.s, s->rows * sizeof *x);
    return MECH_OK;
}

/* dG and dW: F -= dG u; conditions -= dG' p, += dW u. side: (forces x columns) */
static void add_directions(const mech_sim *s, const mech_jacobian *d, double *side)
{
    const sim_jacobian_room *r = s->implicit.jacobian;
    const mech_columns c = mech_system_columns(s->system);
    const mech_pattern G = mech_system_pattern(s->system, MECH_MATRIX_D_G);
    const mech_pattern W = mech_system_pattern(s->system, MECH_MATRIX_D_W);
    for (size_t k = 0; k < G.count; k++) {
        const size_t coord = s->pattern_G.row[G.row[k]], force = s->pattern_G.column[G.row[k]];
        if (G.column[k] >= c.u) continue;
        r->F[coord + G.column[k] * s->n] -= d->G[k] * r->u[force];
        side[force + G.column[k] * r->forces] -= d->G[k] * r->p[coord];
    }
    for (size_t k = 0; k < W.count && mech_system_weight(s->system) == MECH_WEIGHT_GIVEN; k++) {
        const size_t i = W.row[k] % r->forces, j = W.row[k] / r->forces;
        if (W.column[k] < c.u) side[i + W.column[k] * r->forces] += d->W[k] * r->u[j];
    }
}

/* The conditions' own derivatives: of M p + A' s into F2, of A p into R2, of u - M p into side for nature's
 * weight. */
static mech_status differentiate_conditions(mech_sim *s, double *side)
{
    const sim_jacobian_room *r = s->implicit.jacobian;
    const size_t n = s->n, rows = s->rows;
    double *zero_rows = s->scratch.residual, *R0 = side + r->forces * r->columns;
    memset(zero_rows, 0, rows * sizeof *zero_rows);
    MECH_TRY(jacobian_at(s, s->scratch.zero, zero_rows, r->F0, R0));
    if (has_natures_weight(s)) {
        MECH_TRY(jacobian_at(s, r->p, zero_rows, r->F2, NULL));
        for (size_t i = 0; i < n * r->columns; i++) side[i] -= r->F2[i] - r->F0[i];
    }
    for (size_t i = 0; i < rows; i++) r->s[i] = -r->s[i];
    MECH_TRY(jacobian_at(s, r->p, r->s, r->F2, r->R2));
    for (size_t i = 0; i < n * r->columns; i++) r->F2[i] -= r->F0[i];
    for (size_t i = 0; i < rows * r->columns; i++) r->R2[i] -= R0[i];
    return MECH_OK;
}

/* ---- the columns ---- */

mech_status jacobian_solve_general(mech_sim *s, const mech_jacobian *d, double *J)
{
    const sim_jacobian_room *r = s->implicit.jacobian;
    const places at = places_of(s);
    const size_t n = s->n, rows = s->rows;
    double *b = s->implicit.work, *x = b + r->size, *side = x + r->size, *law = NULL;
    if (s->has_control) {
        memset(side, 0, r->forces * r->columns * sizeof *side);
        add_directions(s, d, side);
        MECH_TRY(differentiate_conditions(s, side));
    } else {
        MECH_TRY(jacobian_add_slip(s));
        const mech_status status = mech_eval_reaction(s->eval, s->lambda, s->total);
        (void)status;
        law = r->law;
        memset(law, 0, n * rows * sizeof *law);
        MECH_TRY(sim_reaction_law(s, s->total, r->a, law));
    }
    fill_matrix(s, law);
    factor(s);
    for (size_t c = 0; c < r->columns; c++) {
        memset(b, 0, r->size * sizeof *b);
        for (size_t i = 0; i < n; i++) b[i] = -r->F[i + c * n];
        for (size_t i = 0; i < rows; i++) b[at.l + i] = s->active[i] ? -r->R[i + c * rows] : 0;
        for (size_t i = 0; i < r->forces; i++) b[at.u + i] = -side[i + c * r->forces];
        for (size_t i = 0; s->has_control && i < n; i++) b[at.p + i] = -r->F2[i + c * n];
        for (size_t i = 0; s->has_control && i < rows; i++)
            b[at.s + i] = is_natural(s, i) ? -r->R2[i + c * rows] : 0;
        solve(s, b, x);
        memcpy(J + n + c * s->ny, x, n * sizeof *x);
    }
    return MECH_OK;
}
