/* One-sided singular values by Jacobi's method. Slow and accurate. */
#include "fundamental/root.h"
#include "fundamental/room.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define AT(matrix, i, j, ld) ((matrix)[(size_t)(i) + (size_t)(j) * (size_t)(ld)])

enum { SWEEPS = 40 };

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
                const double t = small_tangent(xx, xy, yy), c = 1 / sqrt(1 + t * t), s = t * c;
                turned = 1;
                small_rotate(rows, X, p, q, c, s);
                if (V) small_rotate(columns, V, p, q, c, s);
            }
    }
}
