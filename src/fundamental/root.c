/* Jacobi's method; see root.h. */
#include "fundamental/root.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define AT(matrix, i, j, ld) ((matrix)[(size_t)(i) + (size_t)(j) * (size_t)(ld)])

enum { SMALL_SWEEPS = 40 };

void small_rotate(int rows, double *X, int p, int q, double c, double s)
{
    double *x = &AT(X, 0, p, rows), *y = &AT(X, 0, q, rows);
    for (int i = 0; i < rows; i++) {
        const double keep = x[i];
        x[i] = c * keep - s * y[i];
        y[i] = s * keep + c * y[i];
    }
}

double small_tangent(double app, double apq, double aqq)
{
    const double theta = (aqq - app) / (2 * apq);
    const double t = 1 / (fabs(theta) + sqrt(1 + theta * theta));
    return theta < 0 ? -t : t;
}

void small_eigen(int n, double *S, double *V, double *d)
{
    memset(V, 0, (size_t)n * (size_t)n * sizeof *V);
    for (int j = 0; j < n; j++) AT(V, j, j, n) = 1;
    for (int sweep = 0, turned = 1; sweep < SMALL_SWEEPS && turned; sweep++) {
        turned = 0;
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++) {
                const double spp = AT(S, p, p, n), sqq = AT(S, q, q, n), spq = AT(S, p, q, n);
                if (fabs(spq) <= 0.25 * DBL_EPSILON * sqrt(fabs(spp * sqq)) || fabs(spq) < DBL_MIN) continue;
                const double t = small_tangent(spp, spq, sqq), c = 1 / sqrt(1 + t * t), s = t * c;
                turned = 1;
                small_rotate(n, S, p, q, c, s);
                for (int j = 0; j < n; j++) { /* rows p and q */
                    const double x = AT(S, p, j, n), y = AT(S, q, j, n);
                    AT(S, p, j, n) = c * x - s * y;
                    AT(S, q, j, n) = s * x + c * y;
                }
                AT(S, p, q, n) = AT(S, q, p, n) = 0;
                AT(S, p, p, n) = spp - t * spq;
                AT(S, q, q, n) = sqq + t * spq;
                small_rotate(n, V, p, q, c, s);
            }
    }
    for (int j = 0; j < n; j++) d[j] = AT(S, j, j, n);
}

void small_power(int n, const double *vectors, const double *d, double power, const double *x, double *y)
{
    memset(y, 0, (size_t)n * sizeof *y);
    for (int k = 0; k < n; k++) {
        const double *v = &AT(vectors, 0, k, n);
        double along = 0;
        for (int i = 0; i < n; i++) along += v[i] * x[i];
        along *= pow(d[k], power);
        for (int i = 0; i < n; i++) y[i] += along * v[i];
    }
}

/* What rounding leaves of an eigenvalue that is 0: v'Mv is a sum of terms of this size. Its root would be 1e-8 of
   them. */
static double small_rounding_of(int n, const double *M, const double *v)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += fabs(v[i]) * sqrt(fabs(AT(M, i, i, n)));
    return 4 * DBL_EPSILON * (double)n * sum * sum;
}

int small_symmetric_root(int n, const double *M, const double *z, double *vectors, double *matrix, double *d, double *C)
{
    double largest = 0;
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++) AT(matrix, i, j, n) = AT(matrix, j, i, n) = AT(M, i, j, n);
    small_eigen(n, matrix, vectors, d);
    for (int k = 0; k < n; k++) largest = fmax(largest, fabs(d[k]));
    for (int k = 0; k < n; k++) {
        if (d[k] < -100 * (double)n * DBL_EPSILON * largest) return 0;
        if (d[k] < small_rounding_of(n, M, &AT(vectors, 0, k, n))) d[k] = 0;
    }
    small_power(n, vectors, d, 0.5, z, C);
    return 1;
}
