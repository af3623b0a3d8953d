/* Amplitudes over frequencies: an even grid by straight lines between the points, Hann's window, and a transform whose
   length is a power of two. */
#include <mech/output.h>

#include "base/complex.h"
#include "base/mem.h"

#include <math.h>

enum { LEAST = 8, FEWEST_BITS = 8, MOST_BITS = 17 };

static void transform(double complex *x, size_t n)
{
    const double pi = acos(-1);
    for (size_t i = 1, j = 0; i < n; i++) { /* into the order of reversed bits */
        size_t bit = n >> 1;
        for (; j & bit; bit >>= 1) j ^= bit;
        j ^= bit;
        if (i < j) {
            const double complex held = x[i];
            x[i] = x[j];
            x[j] = held;
        }
    }
    for (size_t length = 2; length <= n; length <<= 1) {
        const double angle = 2 * pi / (double)length;
        const double complex turn = CMPLX(cos(angle), -sin(angle));
        for (size_t first = 0; first < n; first += length) {
            double complex w = 1;
            for (size_t k = 0; k < length / 2; k++, w *= turn) {
                const double complex a = x[first + k], b = x[first + k + length / 2] * w;
                x[first + k] = a + b;
                x[first + k + length / 2] = a - b;
            }
        }
    }
}

static int is_fit(const double *t, const double *y, size_t stride, size_t count)
{
    for (size_t k = 0; k < count; k++)
        if (!isfinite(t[k * stride]) || !isfinite(y[k * stride]) || (k && t[k * stride] < t[(k - 1) * stride]))
            return 0;
    return count >= LEAST && t[(count - 1) * stride] > t[0];
}

mech_status mech_spectrum(const double *t, const double *y, size_t stride, size_t count, double **frequency,
                          double **amplitude, size_t *bins)
{
    int bits = FEWEST_BITS;
    *frequency = *amplitude = NULL;
    *bins = 0;
    if (!is_fit(t, y, stride, count)) return MECH_ERR_ARGUMENT;
    while (bits < MOST_BITS && ((size_t)1 << bits) < 2 * count) bits++;
    const size_t n = (size_t)1 << bits, half = n / 2;
    const double pi = acos(-1), from = t[0], span = t[(count - 1) * stride] - from;
    double complex *x = mem_alloc(n * sizeof *x);
    *frequency = mem_alloc(half * sizeof **frequency);
    *amplitude = mem_alloc(half * sizeof **amplitude);
    if (!x || !*frequency || !*amplitude) {
        mem_free(x);
        mem_free(*frequency);
        mem_free(*amplitude);
        *frequency = *amplitude = NULL;
        return MECH_ERR_MEMORY;
    }
    double mean = 0, weight = 0;
    for (size_t i = 0, k = 0; i < n; i++) {
        const double at = from + span * (double)i / (double)n;
        while (k + 2 < count && t[(k + 1) * stride] <= at) k++;
        const double t0 = t[k * stride], t1 = t[(k + 1) * stride], part = t1 > t0 ? (at - t0) / (t1 - t0) : 0;
        x[i] = y[k * stride] + part * (y[(k + 1) * stride] - y[k * stride]);
        mean += creal(x[i]) / (double)n;
    }
    for (size_t i = 0; i < n; i++) {
        const double window = (1 - cos(2 * pi * (double)i / (double)n)) / 2;
        x[i] = (x[i] - mean) * window;
        weight += window;
    }
    transform(x, n);
    for (size_t i = 0; i < half; i++) {
        (*frequency)[i] = (double)(i + 1) / span;
        (*amplitude)[i] = 2 * cabs(x[i + 1]) / weight;
    }
    *bins = half - 1; /* without the mean */
    mem_free(x);
    return MECH_OK;
}
