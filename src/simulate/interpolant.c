/* The interpolant of the last step over a stretch of it. */
#include "simulate/interpolant.h"

#include <math.h>

mech_status sim_interpolant_create(mech_sim *s, const uint32_t *state, size_t count, sim_interpolant *x)
{
    x->state = state;
    x->count = count;
    return ARENA_MAKE(&s->memory.arena, ARRAY_OF(x->at_nodes, count * (INTERPOLANT_MOST + 1)), ARRAY_OF(x->y, count));
}

static double binomial(size_t n, size_t k)
{
    double value = 1;
    for (size_t i = 1; i <= k; i++) value = value * (double)(n - k + i) / (double)i;
    return value;
}

/* The inverse of what takes coefficients to values at Chebyshev's nodes, by Gauss and Jordan. */
void sim_interpolant_prepare(const mech_sim *s, sim_interpolant *x)
{
    const size_t degree = sim_methods[s->method.kind].degree, n = degree + 1;
    if (x->degree == degree) return;
    long double a[INTERPOLANT_MOST + 1][2 * (INTERPOLANT_MOST + 1)] = {{0}};
    for (size_t i = 0; i < n; i++) {
        const double at = x->node[i] = i == degree ? 1 : (1 - cos(acos(-1.0) * (double)i / (double)degree)) / 2;
        for (size_t k = 0; k < n; k++)
            a[i][k] =
                binomial(degree, k) * powl(at, (long double)k) * powl(1 - (long double)at, (long double)(degree - k));
        a[i][n + i] = 1;
    }
    for (size_t k = 0; k < n; k++) { /* the largest entries stand on the diagonal */
        for (size_t j = 2 * n; j-- > k;) a[k][j] /= a[k][k];
        for (size_t i = 0; i < n; i++)
            for (size_t j = 2 * n; i != k && j-- > k;) a[i][j] -= a[i][k] * a[k][j];
    }
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++) x->to_bernstein[i * n + k] = (double)a[i][n + k];
    x->degree = degree;
}

/* By differences from the first value: what does not move is bounded by itself, without rounding. */
static bound bound_component(const sim_interpolant *x, const double *at_nodes, double width)
{
    const size_t n = x->degree + 1;
    double before = 0;
    bound b = {HUGE_VAL, -HUGE_VAL, HUGE_VAL, -HUGE_VAL};
    for (size_t i = 0; i < n; i++) {
        double way = 0;
        for (size_t k = 1; k < n; k++) way += x->to_bernstein[i * n + k] * (at_nodes[k] - at_nodes[0]);
        b.low = fmin(b.low, at_nodes[0] + way);
        b.high = fmax(b.high, at_nodes[0] + way);
        if (i > 0) {
            const double slope = (double)x->degree * (way - before) / width;
            b.slope_low = fmin(b.slope_low, slope);
            b.slope_high = fmax(b.slope_high, slope);
        }
        before = way;
    }
    return b;
}

int sim_interpolant_over(mech_sim *s, sim_interpolant *x, double from, double to)
{
    const size_t n = x->degree + 1, mark = sim_mark(s);
    double *y = sim_take_state(s);
    int is_known = 1;
    for (size_t j = 0; j < n && x->count && is_known; j++) {
        const double t = j + 1 == n ? to : from + x->node[j] * (to - from);
        is_known = s->stepper->ops->dense(s->stepper, t, y) == 0;
        for (size_t k = 0; k < x->count; k++) x->at_nodes[k * n + j] = y[x->state[k]];
    }
    sim_release(s, mark);
    if (!is_known) return 0;
    for (size_t k = 0; k < x->count; k++) x->y[k] = bound_component(x, x->at_nodes + k * n, to - from);
    return 1;
}

int sim_interpolant_at(mech_sim *s, sim_interpolant *x, double t)
{
    const size_t mark = sim_mark(s);
    double *y = sim_take_state(s);
    const int is_known = s->stepper->ops->dense(s->stepper, t, y) == 0;
    for (size_t k = 0; is_known && k < x->count; k++) x->y[k] = bound_of(y[x->state[k]]);
    sim_release(s, mark);
    return is_known;
}
