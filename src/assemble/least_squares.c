/* Where constraints and fixed values miss one another least: Levenberg's and Marquardt's method,
       (J'J + mu diag(J'J)) dx = -J'r,
   from where the assembly gave up, so that what is reported is the least misfit and not that of some iterate.
 */
#include "assemble/assembly.h"
#include "base/tolerances.h"

#include <math.h>
#include <string.h>

enum { MOST_ITERATIONS = 200 };

/* J'J into N (n x n), J'b into g: b is the negative residual. */
static void normal_equations(const mech_assembly *a, double *N, double *g)
{
    const size_t n = a->n, rows = a->rows;
    for (size_t j = 0; j < n; j++) {
        const double *column = a->seen.A_dense + j * rows;
        g[j] = 0;
        for (size_t i = 0; i < rows; i++)
            if (a->seen.active[i]) g[j] += column[i] * a->seen.b[i];
        for (size_t k = 0; k <= j; k++) {
            const double *other = a->seen.A_dense + k * rows;
            double sum = 0;
            for (size_t i = 0; i < rows; i++)
                if (a->seen.active[i]) sum += column[i] * other[i];
            N[j + k * n] = N[k + j * n] = sum;
        }
    }
}

/* Cholesky's method on N + mu diag, lower triangle in place; the solution in x. 0: not definite. */
static int solve_damped(size_t n, double *N, double mu, double floor, double *x)
{
    for (size_t j = 0; j < n; j++) {
        double d = N[j + j * n] + mu * fmax(N[j + j * n], floor);
        for (size_t k = 0; k < j; k++) d -= N[j + k * n] * N[j + k * n];
        if (!(d > 0)) return 0;
        const double root = sqrt(d);
        for (size_t i = j + 1; i < n; i++) {
            double sum = N[i + j * n];
            for (size_t k = 0; k < j; k++) sum -= N[i + k * n] * N[j + k * n];
            N[i + j * n] = sum / root;
        }
        N[j + j * n] = root;
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < i; k++) x[i] -= N[i + k * n] * x[k];
        x[i] /= N[i + i * n];
    }
    for (size_t i = n; i-- > 0;) {
        for (size_t k = i + 1; k < n; k++) x[i] -= N[k + i * n] * x[k];
        x[i] /= N[i + i * n];
    }
    return 1;
}

void assembly_least_squares(mech_assembly *a)
{
    const size_t n = a->n;
    double mu = TOL_LEAST_SQUARES_DAMPING, *before = a->x_work, *step = a->delta;
    if (a->is_sparse || !assembly_look(a)) return; /* by dense algebra: not for large systems */
    for (int i = 0; i < MOST_ITERATIONS && mu < 1e12 && assembly_poll(a) == MECH_OK; i++) {
        const double norm = a->seen.norm;
        double floor = 0, length = 0, size = 0;
        assembly_spread(a);
        normal_equations(a, a->metric, step);
        for (size_t j = 0; j < n; j++) floor = fmax(floor, 0.1 * a->metric[j + j * n]);
        if (!(floor > 0)) return;
        memcpy(before, a->x, n * sizeof *before);
        const int is_solved = solve_damped(n, a->metric, mu, floor, step);
        for (size_t j = 0; j < n && is_solved; j++) {
            a->x[j] += step[j];
            length += step[j] * step[j];
            size += a->x[j] * a->x[j];
        }
        if (is_solved && assembly_look(a) && a->seen.norm <= norm) {
            mu = fmax(mu / 4, TOL_LEAST_SQUARES_LEAST);
            if (length <= TOL_LEAST_SQUARES_STEP * size) return;
            continue;
        }
        memcpy(a->x, before, n * sizeof *before);
        if (!assembly_look(a)) return;
        mu *= 4;
    }
}
