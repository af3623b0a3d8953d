/* Shapes of modes: eigenvectors by inverse iteration with eigenvalues that are known, brought from the tangent space
   back to coordinates, velocities and states. */
#include <mech/analyze.h>

#include "base/tolerances.h"
#include "analyze/dense.h"
#include "base/mem.h"

#include <math.h>

static void normalize(double complex *x, size_t n)
{
    double most = 0;
    for (size_t k = 0; k < n; k++) most = fmax(most, cabs(x[k]));
    for (size_t k = 0; k < n && most > 0; k++) x[k] /= most;
}

/* The eigenvector of A (n x n) for one of its eigenvalues; `number` makes those of a repeated one differ. */
static void iterate(const double *A, size_t n, double complex value, int number, double complex *M, double complex *x)
{
    double size = 0;
    for (size_t k = 0; k < n * n; k++) size = fmax(size, fabs(A[k]));
    for (size_t k = 0; k < n; k++)
        x[k] = CMPLX(1 + 0.3 * sin(1.7 * (double)k + (double)number), 0.2 * cos(2.3 * (double)k));
    for (int round = 0; round < 4; round++) {
        for (size_t j = 0; j < n; j++)
            for (size_t i = 0; i < n; i++) M[i + j * n] = A[i + j * n] - (i == j ? value : 0);
        dense_solve_complex(M, x, n, TOL_SHAPE_PIVOT * size + TOL_TINY);
        normalize(x, n);
    }
}

mech_status mech_linear_shape(const mech_linear_result *l, int mode, double *real, double *imaginary)
{
    const size_t freedom = (size_t)l->freedom, order = (size_t)l->order, n = (size_t)l->n;
    if (mode < 0 || mode >= l->motion->n - l->motion->zero || !freedom) return MECH_ERR_ARGUMENT;
    double complex *M = mem_alloc((freedom * freedom + freedom + order) * sizeof *M);
    if (!M) return MECH_ERR_MEMORY;
    double complex *x = M + freedom * freedom, *full = x + freedom, largest = 0;
    double most = 0;
    iterate(l->reduced_A, freedom, CMPLX(l->motion->real[mode], l->motion->imaginary[mode]), mode, M, x);
    for (size_t i = 0; i < order; i++) {
        full[i] = 0;
        for (size_t j = 0; j < freedom; j++) full[i] += l->basis[i + j * order] * x[j];
    }
    for (size_t i = 0; i < order; i++) most = fmax(most, cabs(full[i]));
    for (size_t i = 0; i < n; i++) /* the coordinate that moves most moves by 1, if any does beside states */
        if (cabs(full[i]) > fmax(1.0000001 * cabs(largest), TOL_SHAPE_STILL * most)) largest = full[i];
    for (size_t i = 2 * n; i < order && cabs(largest) == 0; i++) largest = full[i];
    for (size_t i = 0; i < order; i++) {
        const double complex value = cabs(largest) > 0 ? full[i] / largest : full[i];
        real[i] = fabs(creal(value)) < TOL_SHAPE_ZERO ? 0 : creal(value);
        imaginary[i] = fabs(cimag(value)) < TOL_SHAPE_ZERO ? 0 : cimag(value);
    }
    mem_free(M);
    return MECH_OK;
}
