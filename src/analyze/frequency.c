/* The linear system from inputs to outputs: over frequencies, and after a step of an input. On the tangent space,
   where the modes of excess variables have no part. */
#include <mech/analyze.h>

#include "base/tolerances.h"
#include "analyze/dense.h"
#include "base/mem.h"
#include "base/try.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GRID = 400, NEAR = 161, STEP_LEAST = 1001, STEP_MOST = 20001 };

mech_status mech_linear_frequency(const mech_linear_result *l, double omega, double *real, double *imaginary)
{
    const size_t n = (size_t)l->freedom, inputs = (size_t)l->inputs, outputs = (size_t)l->outputs;
    double complex *M = mem_alloc((n * n + n + 1) * sizeof *M), *x = M ? M + n * n : NULL;
    if (!M) return MECH_ERR_MEMORY;
    for (size_t u = 0; u < inputs; u++) {
        for (size_t i = 0; i < n; i++) x[i] = l->reduced_E[i + u * n];
        for (size_t j = 0; j < n; j++)
            for (size_t i = 0; i < n; i++) M[i + j * n] = CMPLX(-l->reduced_A[i + j * n], i == j ? omega : 0);
        dense_solve_complex(M, x, n, TOL_TINY);
        for (size_t y = 0; y < outputs; y++) {
            const size_t at = y + u * outputs;
            double complex sum = CMPLX(l->reduced_D[at] - omega * omega * l->reduced_D2[at], omega * l->reduced_D1[at]);
            for (size_t i = 0; i < n; i++) sum += l->reduced_C[y + i * outputs] * x[i];
            real[y + u * outputs] = creal(sum);
            imaginary[y + u * outputs] = cimag(sum);
        }
    }
    mem_free(M);
    return MECH_OK;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

size_t mech_linear_frequencies(const mech_linear_result *l, double *omega)
{
    const mech_modes_result *m = l->motion;
    double low = HUGE_VAL, high = 0;
    size_t count = 0;
    if (!omega) return GRID + NEAR * (size_t)m->n;
    for (int k = 0; k < m->n - m->zero; k++) {
        low = fmin(low, hypot(m->real[k], m->imaginary[k]));
        high = fmax(high, hypot(m->real[k], m->imaginary[k]));
    }
    if (!(high > 0)) low = high = 1;
    low /= 30;
    high *= 30;
    for (size_t k = 0; k < GRID; k++) omega[count++] = low * pow(high / low, (double)k / (GRID - 1));
    for (int k = 0; k < m->n - m->zero; k++)
        for (int i = -(NEAR / 2); i <= NEAR / 2 && m->imaginary[k] > 0; i++) {
            const double width = fmax(fabs(m->real[k]), TOL_RESONANCE * m->imaginary[k]),
                         at = m->imaginary[k] + width * sinh(i * 0.05);
            if (at > low && at < high) omega[count++] = at;
        }
    qsort(omega, count, sizeof *omega, by_value);
    return count;
}

mech_status mech_linear_bode(const mech_linear_result *l, const double *omega, size_t count, double *amplitude,
                             double *phase)
{
    const size_t pairs = (size_t)l->inputs * (size_t)l->outputs;
    for (size_t k = 0; k < count; k++, amplitude += pairs, phase += pairs) {
        MECH_TRY(mech_linear_frequency(l, omega[k], amplitude, phase));
        for (size_t p = 0; p < pairs; p++) {
            const double re = amplitude[p], im = phase[p];
            amplitude[p] = hypot(re, im);
            phase[p] = atan2(im, re) * 57.29577951308232;
            if (k) phase[p] -= 360 * round((phase[p] - phase[p - pairs]) / 360);
        }
    }
    return MECH_OK;
}

size_t mech_linear_times(const mech_linear_result *l, double *until)
{
    const mech_modes_result *m = l->motion;
    double longest = 0, fastest = 0;
    for (int k = 0; k < m->n - m->zero; k++) {
        const double size = hypot(m->real[k], m->imaginary[k]);
        const double dies = m->real[k] < -TOL_DIES * size  ? 6 / -m->real[k]
                            : m->real[k] > TOL_DIES * size ? 3 / m->real[k]
                                                           : 63 / size;
        longest = fmax(longest, fmin(dies, 630 / size));
        fastest = fmax(fastest, size);
    }
    *until = longest > 0 ? longest : 10;
    return (size_t)fmin(fmax(*until * fastest * 5, STEP_LEAST), STEP_MOST);
}

/* The input is one more state, which stays 1. */
static mech_status step_of(const mech_linear_result *l, size_t u, double dt, size_t points, double *y, double *work)
{
    const size_t n = (size_t)l->freedom, outputs = (size_t)l->outputs, inputs = (size_t)l->inputs, wide = n + 1;
    double *A = work, *start = A + wide * wide, *answer = start + wide;
    memset(A, 0, (wide * wide + wide) * sizeof *A);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) A[i + j * wide] = l->reduced_A[i + j * n];
        A[i + n * wide] = l->reduced_E[i + u * n];
    }
    start[n] = 1;
    MECH_TRY(mech_linear_response((int)wide, A, start, dt, (int)points, answer));
    for (size_t k = 0; k < points; k++)
        for (size_t i = 0; i < outputs; i++) {
            double sum = l->reduced_D[i + u * outputs];
            for (size_t j = 0; j < n; j++) sum += l->reduced_C[i + j * outputs] * answer[k * wide + j];
            y[k * outputs * inputs + u * outputs + i] = sum;
        }
    return MECH_OK;
}

mech_status mech_linear_step(const mech_linear_result *l, double dt, size_t points, double *y)
{
    const size_t wide = (size_t)l->freedom + 1, pairs = (size_t)l->inputs * (size_t)l->outputs;
    for (size_t k = 0; k < pairs; k++)
        if (fabs(l->reduced_D1[k]) > 0 || fabs(l->reduced_D2[k]) > 0) return MECH_ERR_UNSUPPORTED;
    double *work = mem_alloc((wide * wide + wide + points * wide) * sizeof *work);
    mech_status status = work ? MECH_OK : MECH_ERR_MEMORY;
    for (size_t u = 0; u < (size_t)l->inputs && status == MECH_OK; u++) status = step_of(l, u, dt, points, y, work);
    mem_free(work);
    return status;
}
