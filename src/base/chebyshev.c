#include "base/chebyshev.h"

#include <math.h>

/* cos(pi j/8) */
TABLE double points[CHEBYSHEV_MOST + 1] = {1, 0.92387953251128675613,  0.70710678118654752440,  0.38268343236508977173,
                                           0, -0.38268343236508977173, -0.70710678118654752440, -0.92387953251128675613,
                                           -1};

FUNCTION double chebyshev_point(int j) { return points[j]; }

FUNCTION double chebyshev_weight(int degree, int k, int i)
{
    const int turn = i * k * (CHEBYSHEV_MOST / degree) % 16; /* cos(pi turn/8) */
    const double value = points[turn <= 8 ? turn : 16 - turn] / degree;
    return value * (i == 0 || i == degree ? 0.5 : 1) * (k == 0 || k == degree ? 1 : 2);
}

FUNCTION chebyshev chebyshev_through(const double *f, int degree)
{
    chebyshev p;
    p.degree = degree;
    const int stride = CHEBYSHEV_MOST / degree;
    for (int k = 0; k <= degree; k++) {
        double sum = (f[0] + (k % 2 ? -f[degree] : f[degree])) / 2;
        for (int j = 1; j < degree; j++) {
            const int turn = j * k * stride % 16; /* cos(pi turn/8) */
            sum += f[j] * points[turn <= 8 ? turn : 16 - turn];
        }
        p.c[k] = sum * (k == 0 || k == degree ? 1 : 2) / degree;
    }
    return p;
}

FUNCTION double chebyshev_at(const chebyshev *p, double x)
{
    double b1 = 0, b2 = 0;
    for (int k = p->degree; k > 0; k--) {
        const double b = p->c[k] + 2 * x * b1 - b2;
        b2 = b1;
        b1 = b;
    }
    return p->c[0] + x * b1 - b2;
}

FUNCTION double chebyshev_tail(const chebyshev *p) { return fabs(p->c[p->degree]) + fabs(p->c[p->degree - 1]); }

FUNCTION double chebyshev_integral(const chebyshev *p)
{
    double sum = 0;
    for (int k = p->degree; k >= 0; k -= 2) sum += 2 * p->c[k] / (1 - (double)k * k);
    return sum;
}

FUNCTION double chebyshev_bound(const chebyshev *p, double sign)
{
    double sum = 0;
    for (int k = p->degree; k > 0; k--) sum += fabs(p->c[k]);
    return sign * p->c[0] + sum;
}

FUNCTION double chebyshev_peak(const chebyshev *p, double sign, double *at)
{
    enum { SAMPLES = 32 };
    const double golden = 0.61803398874989484820;
    double best = sign * chebyshev_at(p, -1);
    int where = 0;
    for (int i = 1; i <= SAMPLES; i++) {
        const double value = sign * chebyshev_at(p, 2 * (double)i / SAMPLES - 1);
        if (value > best) best = value, where = i;
    }
    double a = 2 * (double)(where ? where - 1 : 0) / SAMPLES - 1,
           b = 2 * (double)(where < SAMPLES ? where + 1 : SAMPLES) / SAMPLES - 1;
    *at = 2 * (double)where / SAMPLES - 1;
    for (double x = b - golden * (b - a), y = a + golden * (b - a), f = sign * chebyshev_at(p, x),
                g = sign * chebyshev_at(p, y);
         b - a > 1e-9;) {
        if (f > g) {
            b = y, y = x, g = f, x = b - golden * (b - a);
            f = sign * chebyshev_at(p, x);
        } else {
            a = x, x = y, f = g, y = a + golden * (b - a);
            g = sign * chebyshev_at(p, y);
        }
        if (fmax(f, g) > best) best = fmax(f, g), *at = f > g ? x : y;
    }
    return sign * best;
}
