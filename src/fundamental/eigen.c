/* Jacobi's methods: eigenvalues of a symmetric matrix and one-sided singular values. Slow and accurate. */
#include "fundamental/room.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define AT(matrix, i, j, ld) ((matrix)[(size_t)(i) + (size_t)(j) * (size_t)(ld)])

enum { SWEEPS = 40 };

/* columns p, q of X (rows high) times [c s; -s c] */
static void rotate(int rows, double *X, int p, int q, double c, double s)
{
    double *x = &AT(X, 0, p, rows), *y = &AT(X, 0, q, rows);
    for (int i = 0; i < rows; i++) {
        const double keep = x[i];
        x[i] = c * keep - s * y[i];
        y[i] = s * keep + c * y[i];
    }
}

/* tangent of the rotation that makes [app apq; apq aqq] diagonal, the smaller of the two */
static double tangent(double app, double apq, double aqq)
{
    const double theta = (aqq - app) / (2 * apq);
    const double t = 1 / (fabs(theta) + sqrt(1 + theta * theta));
    return theta < 0 ? -t : t;
}

void fundamental_eigen(int n, double *S, double *V, double *d)
{
    memset(V, 0, (size_t)n * (size_t)n * sizeof *V);
    for (int j = 0; j < n; j++) AT(V, j, j, n) = 1;
    for (int sweep = 0, turned = 1; sweep < SWEEPS && turned; sweep++) {
        turned = 0;
        for (int p = 0; p < n; p++)
            for (int q = p + 1; q < n; q++) {
                const double spp = AT(S, p, p, n), sqq = AT(S, q, q, n), spq = AT(S, p, q, n);
                if (fabs(spq) <= 0.25 * DBL_EPSILON * sqrt(fabs(spp * sqq)) || fabs(spq) < DBL_MIN) continue;
                const double t = tangent(spp, spq, sqq), c = 1 / sqrt(1 + t * t), s = t * c;
                turned = 1;
                rotate(n, S, p, q, c, s);
                for (int j = 0; j < n; j++) { /* rows p and q */
                    const double x = AT(S, p, j, n), y = AT(S, q, j, n);
                    AT(S, p, j, n) = c * x - s * y;
                    AT(S, q, j, n) = s * x + c * y;
                }
                AT(S, p, q, n) = AT(S, q, p, n) = 0;
                AT(S, p, p, n) = spp - t * spq;
                AT(S, q, q, n) = sqq + t * spq;
                rotate(n, V, p, q, c, s);
            }
    }
    for (int j = 0; j < n; j++) d[j] = AT(S, j, j, n);
}

void fundamental_power(int n, const double *vectors, const double *d, double power, const double *x, double *y)
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
static double rounding_of(int n, const double *M, const double *v)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += fabs(v[i]) * sqrt(fabs(AT(M, i, i, n)));
    return 4 * DBL_EPSILON * n * sum * sum;
}

int fundamental_symmetric_root(int n, const double *M, const double *z, double *vectors, double *matrix, double *d,
                               double *C)
{
    double largest = 0;
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++) AT(matrix, i, j, n) = AT(matrix, j, i, n) = AT(M, i, j, n);
    fundamental_eigen(n, matrix, vectors, d);
    for (int k = 0; k < n; k++) largest = fmax(largest, fabs(d[k]));
    for (int k = 0; k < n; k++) {
        if (d[k] < -100 * n * DBL_EPSILON * largest) return 0;
        if (d[k] < rounding_of(n, M, &AT(vectors, 0, k, n))) d[k] = 0;
    }
    fundamental_power(n, vectors, d, 0.5, z, C);
    return 1;
}

void fundamental_svd(int rows, int columns, double *X, double *V)
{
    if (V) {
        memset(V, 0, (size_t)columns * (size_t)columns * sizeof *V);
        for (int j = 0; j < columns; j++) AT(V, j, j, columns) = 1;
    }
    for (int sweep = 0, turned = 1; sweep < SWEEPS && turned; sweep++) {
        turned = 0;
        for (int p = 0; p < columns; p++)
            for (int q = p + 1; q < columns; q++) {
                const double *x = &AT(X, 0, p, rows), *y = &AT(X, 0, q, rows);
                double xx = 0, xy = 0, yy = 0;
                for (int i = 0; i < rows; i++) {
                    xx += x[i] * x[i];
                    xy += x[i] * y[i];
                    yy += y[i] * y[i];
                }
                if (fabs(xy) <= DBL_EPSILON * sqrt(xx * yy) || fabs(xy) < DBL_MIN) continue;
                const double t = tangent(xx, xy, yy), c = 1 / sqrt(1 + t * t), s = t * c;
                turned = 1;
                rotate(rows, X, p, q, c, s);
                if (V) rotate(columns, V, p, q, c, s);
            }
    }
}
