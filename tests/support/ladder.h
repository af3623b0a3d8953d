/* The exact motion of the four-bar ladder: [(N+1)/3 + N] theta'' = -g [(N+1)/2 + N] cos(theta), theta(0) =
   pi/2, theta'(0) = -1, by the classical Runge-Kutta-Nystrom steps, far finer than any bound asks for. */
#ifndef TESTS_LADDER_H
#define TESTS_LADDER_H

#include <math.h>

static inline double exact_theta(double N, double until)
{
    const double c = -9.81 * ((N + 1) / 2 + N) / ((N + 1) / 3 + N);
    const int steps = 40000;
    const double h = until / steps;
    double q = M_PI / 2, v = -1;
    for (int i = 0; i < steps; i++) {
        const double k1 = c * cos(q), k2 = c * cos(q + h / 2 * v), k3 = c * cos(q + h / 2 * (v + h / 2 * k1)),
                     k4 = c * cos(q + h * (v + h / 2 * k2));
        q += h * v + h * h / 6 * (k1 + k2 + k3);
        v += h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    }
    return q;
}

#endif
