/* Eigenvalues in order, and roots of polynomials. */
#include "analyze/dense.h"
#include "analyze/eigen.h"

#include <mech/analyze.h>

#include "base/mem.h"

#include <math.h>
#include <string.h>

/* Largest real part first, then largest frequency; the positive one of a pair first. */
static int stands_before(double ra, double ia, double rb, double ib)
{
    if (ra != rb) return ra > rb;
    if (fabs(ia) != fabs(ib)) return fabs(ia) > fabs(ib);
    return ia > ib;
}

static void sort(int n, double *real, double *imaginary)
{
    for (int i = 1; i < n; i++) {
        const double r = real[i], m = imaginary[i];
        int j = i;
        for (; j > 0 && stands_before(r, m, real[j - 1], imaginary[j - 1]); j--) {
            real[j] = real[j - 1];
            imaginary[j] = imaginary[j - 1];
        }
        real[j] = r;
        imaginary[j] = m;
    }
}

mech_status mech_eigenvalues(int n, const double *A, double *real, double *imaginary)
{
    const size_t cells = (size_t)n * (size_t)n;
    if (n < 0 || (n > 0 && !A)) return MECH_ERR_ARGUMENT;
    if (n == 0) return MECH_OK;
    if (!dense_is_finite(A, cells)) return MECH_ERR_NOT_FINITE;
    double *copy = mem_alloc(cells * sizeof *copy);
    if (!copy) return MECH_ERR_MEMORY;
    memcpy(copy, A, cells * sizeof *copy);
    const mech_status status = eigen_values(n, copy, real, imaginary);
    if (status == MECH_OK) sort(n, real, imaginary);
    mem_free(copy);
    return status;
}

mech_status mech_polynomial_roots(const double *c, int degree, double *real, double *imaginary)
{
    if (!c || degree < 0 || c[0] == 0) return MECH_ERR_ARGUMENT;
    if (degree == 0) return MECH_OK;
    const size_t n = (size_t)degree;
    double *H = mem_zeroed(n * n, sizeof *H);
    if (!H) return MECH_ERR_MEMORY;
    mech_status status = MECH_OK;
    for (size_t j = 0; j < n; j++) {
        H[j * n] = -c[j + 1] / c[0];
        if (j + 1 < n) H[j * n + j + 1] = 1;
        if (!isfinite(H[j * n])) status = MECH_ERR_NOT_FINITE;
    }
    if (status == MECH_OK) status = eigen_hessenberg(degree, H, real, imaginary);
    if (status == MECH_OK) sort(degree, real, imaginary);
    mem_free(H);
    return status;
}
