/* A function given by points: a tree of choices, so that derivatives, kinks, bounds and generated code are those of
   `if`. */
#include "expr/pool.h"

#include "base/mem.h"
#include "base/table.h"

#include <math.h>

typedef struct points {
    mech_pool *pool;
    mech_expr x;
    const double *at, *value;
    size_t count;
    const double *slope; /* (count) at the points; NULL: straight lines */
} points;

/* From point i to the next one, in x - at[i]: where x is far from 0 no digits are lost. */
static mech_expr piece(const points *t, size_t i)
{
    mech_pool *p = t->pool;
    const double h = t->at[i + 1] - t->at[i], rise = (t->value[i + 1] - t->value[i]) / h;
    const mech_expr u = expr_held(p, mech_sub(p, t->x, mech_number(p, t->at[i])), NULL);
    mech_expr factor = mech_number(p, rise);
    if (t->slope) {
        const double m = t->slope[i], n = t->slope[i + 1];
        const mech_expr c1 = mech_number(p, m), c2 = mech_number(p, (3 * rise - 2 * m - n) / h),
                        c3 = mech_number(p, (m + n - 2 * rise) / (h * h));
        /* held, so that no factor is taken out of the coefficients */
        const mech_expr bend = expr_held(p, mech_add(p, c2, mech_mul(p, c3, u)), NULL);
        factor = expr_held(p, mech_add(p, c1, mech_mul(p, u, bend)), NULL);
    }
    return mech_add(p, mech_number(p, t->value[i]), mech_mul(p, factor, u));
}

/* Pieces first..last, where piece 0 lies before the first point and piece `count` behind the last one. */
static mech_expr choose(const points *t, size_t first, size_t last)
{
    mech_pool *p = t->pool;
    if (first == last && first > 0 && first < t->count) return piece(t, first - 1);
    if (first == last) return mech_number(p, t->value[first ? t->count - 1 : 0]);
    const size_t middle = first + (last - first) / 2; /* ends at point `middle` */
    const mech_expr bound = mech_number(p, t->at[middle]);
    const mech_expr before = mech_call(p, MECH_FUNCTION_LESS, (mech_expr[]){t->x, bound}, 2);
    return mech_call(p, MECH_FUNCTION_IF, (mech_expr[]){before, choose(t, first, middle), choose(t, middle + 1, last)},
                     3);
}

/* Slopes of the cubic spline whose third derivative does not jump at the second point and at the last but one; of three
   points the parabola, of two the line. Elimination of a tridiagonal system, after its first and last row were brought
   to that form. */
static void find_slopes(const double *x, const double *y, size_t n, double *slope, double *above)
{
#define RISE(i) ((y[(i) + 1] - y[i]) / (x[(i) + 1] - x[i]))
#define WIDTH(i) (x[(i) + 1] - x[i])
    if (n == 2) {
        slope[0] = slope[1] = RISE(0);
        return;
    }
    if (n == 3) {
        const double bend = (RISE(1) - RISE(0)) / (x[2] - x[0]);
        slope[0] = RISE(0) - bend * WIDTH(0);
        slope[1] = RISE(0) + bend * WIDTH(0);
        slope[2] = RISE(1) + bend * WIDTH(1);
        return;
    }
    const double h0 = WIDTH(0), h1 = WIDTH(1), hm = WIDTH(n - 3), hl = WIDTH(n - 2);
    /* h1 s0 + (h0 + h1) s1 = right side */
    above[0] = (h0 + h1) / h1;
    slope[0] = ((h0 + 2 * (h0 + h1)) * h1 * RISE(0) + h0 * h0 * RISE(1)) / (h0 + h1) / h1;
    for (size_t i = 1; i + 1 < n; i++) {
        const double left = WIDTH(i), right = WIDTH(i - 1), middle = 2 * (left + right) - left * above[i - 1];
        above[i] = right / middle;
        slope[i] = (3 * (left * RISE(i - 1) + right * RISE(i)) - left * slope[i - 1]) / middle;
    }
    /* (hm + hl) s[n-2] + hm s[n-1] = right side */
    const double last = (hl * hl * RISE(n - 3) + (2 * (hm + hl) + hl) * hm * RISE(n - 2)) / (hm + hl);
    slope[n - 1] = (last - (hm + hl) * slope[n - 2]) / (hm - (hm + hl) * above[n - 2]);
    for (size_t i = n - 1; i-- > 0;) slope[i] -= above[i] * slope[i + 1];
#undef RISE
#undef WIDTH
}

mech_expr mech_interpolate(mech_pool *pool, mech_expr x, const double *at, const double *value, size_t count,
                           int is_smooth)
{
    if (!x.id || count == 0) return (mech_expr){0};
    for (size_t i = 0; i < count; i++)
        if (!isfinite(at[i]) || !isfinite(value[i]) || (i && !(at[i] > at[i - 1]))) {
            pool->fault = "the points of a table must be finite numbers that ascend";
            return (mech_expr){0};
        }
    for (size_t i = 0; i < count; i++)
        if (fabs(at[i]) > TABLE_MOST || fabs(value[i]) > TABLE_MOST) {
            pool->fault = "the points of a table must be numbers up to 1e100";
            return (mech_expr){0};
        }
    if (count == 1) return mech_number(pool, value[0]);
    double *slope = is_smooth ? mem_alloc(2 * count * sizeof *slope) : NULL;
    if (is_smooth && !slope) {
        if (pool->status == MECH_OK) pool->status = MECH_ERR_MEMORY;
        return (mech_expr){0};
    }
    if (is_smooth) find_slopes(at, value, count, slope, slope + count);
    const points t = {pool, x, at, value, count, slope};
    const mech_expr result = choose(&t, 0, count);
    mem_free(slope);
    return result;
}
