/* Eigenvalues without LAPACK: elimination to Hessenberg form and Francis' double QR step (EISPACK elmhes,
 * hqr). */
#include "analyze/eigen.h"

#include <float.h>
#include <math.h>

#define H(i, j) a[(size_t)(i) + (size_t)(j) * (size_t)n]

static void exchange(double *x, double *y)
{
    const double keep = *x;
    *x = *y;
    *y = keep;
}

/* stabilised elementary similarity transformations */
static void to_hessenberg(int n, double *a)
{
    for (int m = 1; m < n - 1; m++) {
        int pivot = m;
        for (int i = m; i < n; i++)
            if (fabs(H(i, m - 1)) > fabs(H(pivot, m - 1))) pivot = i;
        if (H(pivot, m - 1) == 0) continue;
        for (int j = m - 1; j < n && pivot != m; j++) exchange(&H(pivot, j), &H(m, j));
        for (int i = 0; i < n && pivot != m; i++) exchange(&H(i, pivot), &H(i, m));
        for (int i = m + 1; i < n; i++) {
            const double factor = H(i, m - 1) / H(m, m - 1);
            H(i, m - 1) = 0;
            if (factor == 0) continue;
            for (int j = m; j < n; j++) H(i, j) -= factor * H(m, j);
            for (int k = 0; k < n; k++) H(k, m) += factor * H(k, i);
        }
    }
}

/* first row of the block that ends at `last` and has no small subdiagonal */
static int block_start(int n, double *a, int last, double norm)
{
    int l = last;
    for (; l > 0; l--) {
        double s = fabs(H(l - 1, l - 1)) + fabs(H(l, l));
        if (s == 0) s = norm;
        if (fabs(H(l, l - 1)) <= DBL_EPSILON * s) {
            H(l, l - 1) = 0;
            break;
        }
    }
    return l;
}

static void take_pair(int n, const double *a, int last, double shift, double *real, double *imaginary)
{
    const double x = H(last, last), y = H(last - 1, last - 1), w = H(last, last - 1) * H(last - 1, last);
    const double p = 0.5 * (y - x), q = p * p + w, z = sqrt(fabs(q));
    real[last - 1] = real[last] = x + shift + (q >= 0 ? 0 : p);
    imaginary[last - 1] = imaginary[last] = 0;
    if (q >= 0) {
        const double t = p + (p < 0 ? -z : z);
        real[last - 1] = real[last] = x + shift + t;
        if (t != 0) real[last] = x + shift - w / t;
    } else {
        imaginary[last - 1] = z;
        imaginary[last] = -z;
    }
}

/* one double QR step on rows and columns first..last */
static void francis(int n, double *a, int first, int last, double x, double y, double w)
{
    double p = 0, q = 0, r = 0;
    int m = last - 2;
    for (;; m--) { /* two small subdiagonals in a row */
        const double z = H(m, m), s = y - z, t = x - z;
        p = (t * s - w) / H(m + 1, m) + H(m, m + 1);
        q = H(m + 1, m + 1) - z - t - s;
        r = H(m + 2, m + 1);
        const double sum = fabs(p) + fabs(q) + fabs(r);
        p /= sum;
        q /= sum;
        r /= sum;
        if (m == first) break;
        const double u = fabs(H(m, m - 1)) * (fabs(q) + fabs(r));
        const double v = fabs(p) * (fabs(H(m - 1, m - 1)) + fabs(z) + fabs(H(m + 1, m + 1)));
        if (u <= DBL_EPSILON * v) break;
    }
    for (int i = m + 2; i <= last; i++) {
        H(i, i - 2) = 0;
        if (i > m + 2) H(i, i - 3) = 0;
    }
    for (int k = m; k < last; k++) {
        double scale = 0;
        if (k != m) {
            p = H(k, k - 1);
            q = H(k + 1, k - 1);
            r = k + 1 < last ? H(k + 2, k - 1) : 0;
            scale = fabs(p) + fabs(q) + fabs(r);
            if (scale == 0) continue;
            p /= scale;
            q /= scale;
            r /= scale;
        }
        const double s = copysign(sqrt(p * p + q * q + r * r), p);
        if (s == 0) continue;
        if (k != m) H(k, k - 1) = -s * scale;
        else if (first != m) H(k, k - 1) = -H(k, k - 1);
        p += s;
        const double fx = p / s, fy = q / s, fz = r / s;
        q /= p;
        r /= p;
        for (int j = k; j < n; j++) {
            const double sum = H(k, j) + q * H(k + 1, j) + (k + 1 < last ? r * H(k + 2, j) : 0);
            if (k + 1 < last) H(k + 2, j) -= sum * fz;
            H(k + 1, j) -= sum * fy;
            H(k, j) -= sum * fx;
        }
        const int bottom = last < k + 3 ? last : k + 3;
        for (int i = 0; i <= bottom; i++) {
            const double sum = fx * H(i, k) + fy * H(i, k + 1) + (k + 1 < last ? fz * H(i, k + 2) : 0);
            if (k + 1 < last) H(i, k + 2) -= sum * r;
            H(i, k + 1) -= sum * q;
            H(i, k) -= sum;
        }
    }
}

mech_status eigen_own_hessenberg(int n, double *a, double *real, double *imaginary)
{
    double norm = 0, shift = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n && i <= j + 1; i++) norm += fabs(H(i, j));
    if (!(norm <= DBL_MAX)) return MECH_ERR_NOT_FINITE;
    int last = n - 1, turns = 0;
    while (last >= 0) {
        const int l = block_start(n, a, last, norm);
        double x = H(last, last);
        if (l == last) {
            real[last] = x + shift;
            imaginary[last--] = 0;
            turns = 0;
            continue;
        }
        double y = H(last - 1, last - 1), w = H(last, last - 1) * H(last - 1, last);
        if (l == last - 1) {
            take_pair(n, a, last, shift, real, imaginary);
            last -= 2;
            turns = 0;
            continue;
        }
        if (turns == 60) return MECH_ERR_NOT_FINITE;
        if (turns > 0 && turns % 10 == 0) { /* exceptional shift */
            shift += x;
            for (int i = 0; i <= last; i++) H(i, i) -= x;
            const double s = fabs(H(last, last - 1)) + fabs(H(last - 1, last - 2));
            x = y = 0.75 * s;
            w = -0.4375 * s * s;
        }
        turns++;
        francis(n, a, l, last, x, y, w);
    }
    return MECH_OK;
}

mech_status eigen_own_values(int n, double *a, double *real, double *imaginary)
{
    to_hessenberg(n, a);
    return eigen_own_hessenberg(n, a, real, imaginary);
}
