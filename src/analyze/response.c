/* The linear answer to a start: e^(A step) by Taylor and squaring. */
#include "analyze/dense.h"

#include <mech/analyze.h>

#include "base/mem.h"

#include <math.h>
#include <string.h>

static void exponential(size_t n, double *X, double *work, double *E)
{
    int halvings = 0;
    for (double norm = dense_norm(X, n); norm > 0.25 && halvings < 60; norm /= 2) halvings++;
    for (size_t i = 0; i < n * n; i++) X[i] = ldexp(X[i], -halvings);
    memset(E, 0, n * n * sizeof *E);
    for (size_t i = 0; i < n; i++) E[i + i * n] = 1;
    for (int k = 16; k >= 1; k--) { /* Horner: E = I + X E / k */
        dense_multiply(n, n, n, X, E, work);
        for (size_t i = 0; i < n * n; i++) E[i] = work[i] / k + (i % (n + 1) == 0);
    }
    for (int k = 0; k < halvings; k++) {
        dense_multiply(n, n, n, E, E, work);
        memcpy(E, work, n * n * sizeof *E);
    }
}

mech_status mech_linear_response(int size, const double *A, const double *x0, double step, int points, double *x)
{
    if (size < 1 || points < 1 || !A || !x0 || !x || !isfinite(step)) return MECH_ERR_ARGUMENT;
    const size_t n = (size_t)size, cells = n * n;
    double *X = mem_alloc(3 * cells * sizeof *X);
    if (!X) return MECH_ERR_MEMORY;
    for (size_t i = 0; i < cells; i++) X[i] = A[i] * step;
    exponential(n, X, X + cells, X + 2 * cells);
    memcpy(x, x0, n * sizeof *x);
    for (size_t k = 1; k < (size_t)points; k++) dense_multiply(n, n, 1, X + 2 * cells, x + (k - 1) * n, x + k * n);
    mem_free(X);
    return MECH_OK;
}
