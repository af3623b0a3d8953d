/* What inputs do on the constraints. These may move with an input, and forces may look at its rates: then
   x' = A x + E u + E1 u' + E2 u'' on R x + R0 u + R1 u' = 0. With P0, P1 such that R P = -R0, -R1, and Z'P = 0, states
   on the constraints are x = Z xi + P0 u + P1 u', and
       xi' = Z'A Z xi + G0 u + G1 u' + G2 u'',  G0 = Z'(E + A P0),  G1 = Z'(E1 + A P1),  G2 = Z'E2.
   xi = xr + F1 u + F2 u' with F2 = G2, F1 = G1 + Z'A Z F2 leaves xr' = Z'A Z xr + (G0 + Z'A Z F1) u without rates. */
#include "analyze/dense.h"
#include "analyze/linear.h"

#include "base/mem.h"
#include "base/tolerances.h"
#include "base/try.h"

#include <math.h>
#include <string.h>

static int any(const double *x, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (x[k] != 0) return 1;
    return 0;
}

static void find_rates(mech_linear *l)
{
    const size_t N = l->N, rows = 2 * l->t.m, nu = l->t.sizes.inputs, ny = l->t.sizes.outputs;
    for (size_t u = 0; u < nu; u++) {
        int acts = any(l->rows_u + u * rows, rows) || any(l->rows_u + (nu + u) * rows, rows);
        for (size_t k = 1; k < 3; k++) acts |= any(l->E + (k * nu + u) * N, N) || any(l->D + (k * nu + u) * ny, ny);
        l->input_rates[u] = (unsigned char)acts;
        l->result.uses_input_rates |= acts;
    }
}

/* What rounding left of 0, beside the largest of a column in the system's own units. */
static void round_off(const mech_linear *l, double *x)
{
    double most = 0;
    for (size_t i = 0; i < l->N; i++) most = fmax(most, fabs(x[i]) / l->t.one[i]);
    for (size_t i = 0; i < l->N; i++)
        if (fabs(x[i]) / l->t.one[i] <= TOL_DRIVEN * most) x[i] = 0;
}

/* P (N) with R P = -R_u, orthogonal to the tangent space; NaN: there is none. own: R in the system's own units; work:
   (2m + N + d). */
static mech_status follow_rows(const mech_linear *l, const double *own, const double *R_u, double *work, double *P)
{
    const size_t N = l->N, rows = 2 * l->t.m, d = (size_t)l->result.freedom;
    double *b = work, *along = work + rows, most = 0, miss = 0;
    size_t rank;
    memset(P, 0, N * sizeof *P);
    if (!any(R_u, rows)) return MECH_OK;
    for (size_t i = 0; i < rows; i++) {
        b[i] = l->row_size[i] > 0 ? -R_u[i] / l->row_size[i] : 0;
        most = fmax(most, fabs(b[i]));
        if (!(l->row_size[i] > 0) && R_u[i] != 0) miss = HUGE_VAL; /* it binds nothing, and has to move */
    }
    MECH_TRY(dense_least_squares(rows, N, own, b, P, &rank));
    for (size_t j = 0; j < N; j++) P[j] *= l->t.one[j];
    dense_multiply_transposed(d, N, 1, l->basis, P, along);
    for (size_t j = 0; j < d; j++)
        for (size_t i = 0; i < N; i++) P[i] -= along[j] * l->basis[i + j * N];
    for (size_t i = 0; i < rows; i++) {
        double sum = b[i];
        for (size_t j = 0; j < N; j++) sum -= own[i + j * rows] * P[j] / l->t.one[j];
        miss = fmax(miss, fabs(sum));
    }
    for (size_t j = 0; j < N && miss > TOL_DRIVEN_MEETS * most; j++) P[j] = (double)NAN;
    round_off(l, P);
    return MECH_OK;
}

/* Y += A X, (rows x inner), (inner x columns). */
static void add_product(size_t rows, size_t inner, size_t columns, const double *A, const double *X, double *Y)
{
    for (size_t c = 0; c < columns; c++)
        for (size_t k = 0; k < inner; k++)
            for (size_t i = 0; i < rows; i++) Y[i + c * rows] += A[i + k * rows] * X[k + c * inner];
}

/* D_k + C x of one output, x by u or u'; 0 where only rounding is left of its terms. */
static double output_by(const mech_linear *l, size_t y, double D, const double *x)
{
    const size_t ny = l->t.sizes.outputs;
    double sum = D, size = fabs(D);
    for (size_t j = 0; j < l->N; j++) {
        if (x[j] == 0) continue;
        sum += l->C[y + j * ny] * x[j];
        size += fabs(l->C[y + j * ny] * x[j]);
    }
    return fabs(sum) <= TOL_DRIVEN * size ? 0 : sum;
}

static mech_status follow_all(mech_linear *l, double *work)
{
    const size_t rows = 2 * l->t.m, nu = l->t.sizes.inputs;
    double *own = work + rows + l->N + (size_t)l->result.freedom;
    linear_own_rows(l, l->D_rows, own);
    for (size_t k = 0; k < 2 * nu; k++)
        MECH_TRY(follow_rows(l, own, l->rows_u + k * rows, work, l->by_input + k * l->N));
    return MECH_OK;
}

/* From P0, P1 in by_input; work: (N x 2 inputs), (d x 2 inputs). */
static void reduce_inputs(mech_linear *l, double *work)
{
    const size_t N = l->N, d = (size_t)l->result.freedom, nu = l->t.sizes.inputs, ny = l->t.sizes.outputs;
    double *EP = work, *F1 = work + N * 2 * nu, *F2 = F1 + d * nu;
    if (nu) memcpy(EP, l->E, N * 2 * nu * sizeof *EP);
    add_product(N, N, 2 * nu, l->A, l->by_input, EP);
    dense_multiply_transposed(d, N, nu, l->basis, EP, l->reduced_E);
    dense_multiply_transposed(d, N, nu, l->basis, EP + N * nu, F1);
    dense_multiply_transposed(d, N, nu, l->basis, l->E + 2 * N * nu, F2);
    add_product(d, d, nu, l->reduced_A, F2, F1);
    add_product(d, d, nu, l->reduced_A, F1, l->reduced_E);
    add_product(N, d, 2 * nu, l->basis, F1, l->by_input); /* F2 follows F1 */
    for (size_t k = 0; k < 2 * nu; k++) round_off(l, l->by_input + k * N);
    for (size_t k = 0; k < 3 * nu; k++)
        for (size_t y = 0; y < ny; y++)
            l->reduced_D[y + k * ny] =
                k < 2 * nu ? output_by(l, y, l->D[y + k * ny], l->by_input + k * N) : l->D[y + k * ny];
}

mech_status driven_reduce(mech_linear *l)
{
    const size_t N = l->N, rows = 2 * l->t.m, d = (size_t)l->result.freedom, nu = l->t.sizes.inputs;
    const size_t room = rows + N + d + rows * N + (N + d) * 2 * nu;
    double *work = mem_alloc((room + 1) * sizeof *work);
    if (!work) return MECH_ERR_MEMORY;
    find_rates(l);
    const mech_status status = follow_all(l, work);
    if (status == MECH_OK) reduce_inputs(l, work);
    mem_free(work);
    return status;
}
