/* Routh's array in intervals, then discs around approximate roots: the answer holds for every polynomial
   within the bounds of the coefficients, or there is none. */
#include "analyze/routh.h"

#include "base/complex.h"
#include "base/number.h"

#include <float.h>
#include <math.h>

/* ---- intervals; each operation is widened by one unit in the last place ---- */

typedef struct interval {
    double low, high;
} interval;

static interval widen(double low, double high)
{
    return (interval){nextafter(low, -INFINITY), nextafter(high, INFINITY)};
}

static interval subtract(interval a, interval b)
{
    if (b.low == 0 && b.high == 0) return a;
    return widen(a.low - b.high, a.high - b.low);
}

static interval multiply(interval a, interval b)
{
    if ((a.low == 0 && a.high == 0) || (b.low == 0 && b.high == 0)) return (interval){0, 0};
    const double p[4] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
    return widen(fmin(fmin(p[0], p[1]), fmin(p[2], p[3])), fmax(fmax(p[0], p[1]), fmax(p[2], p[3])));
}

/* b does not hold 0 */
static interval divide(interval a, interval b) { return multiply(a, widen(1 / b.high, 1 / b.low)); }

static int holds_zero(interval a) { return !(a.low > 0 || a.high < 0); }

/* Fills the array; 1 when the first column has signs all the way down. */
static int interval_array(const interval *c, int degree, interval *array, int columns)
{
    for (int k = 0; k <= degree; k++) array[k % 2 * columns + k / 2] = c[k];
    for (int row = 0; row <= degree; row++) {
        interval *now = array + row * columns, *above = now - columns, *top = above - columns;
        for (int j = 0; row > 1 && j + 1 < columns; j++)
            now[j] = subtract(top[j + 1], divide(multiply(top[0], above[j + 1]), above[0]));
        if (holds_zero(now[0]) || !isfinite(now[0].low) || !isfinite(now[0].high)) return 0;
    }
    return 1;
}

static mech_status try_intervals(const interval *c, int degree, mech_routh *r)
{
    const int rows = r->result.rows, columns = r->result.columns;
    interval *array = arena_zeroed(&r->memory, (size_t)rows * (size_t)columns, sizeof *array);
    if (!array) return MECH_ERR_MEMORY;
    const int decided = interval_array(c, degree, array, columns);
    int missing = 0;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) {
            const interval x = array[i * columns + j];
            const double middle = x.low + (x.high - x.low) / 2;
            const size_t at = (size_t)i + (size_t)j * (size_t)rows;
            char text[NUMBER_TEXT_SIZE];
            r->array[at] = isfinite(middle) ? middle : (double)NAN;
            number_general(middle, 7, text);
            r->text[at] = arena_format(&r->memory, "%s", text);
            missing |= !r->text[at];
        }
    if (decided) {
        r->result.right = r->result.sign_changes = routh_sign_changes(r);
        r->result.axis = r->result.zero = r->result.repeated = 0;
        r->result.left = degree - r->result.right;
    }
    return missing ? MECH_ERR_MEMORY : MECH_OK;
}

/* ---- discs ---- */

/* value and derivative of the polynomial with coefficients of the middle of c */
static double complex value_at(const double *c, int degree, double complex z, double complex *slope)
{
    double complex p = c[0], d = 0;
    for (int k = 1; k <= degree; k++) {
        d = d * z + p;
        p = p * z + c[k];
    }
    *slope = d;
    return p;
}

/* Aberth's simultaneous iteration from points on a circle. */
static void aberth(const double *c, int degree, double complex *z)
{
    double radius = 0;
    for (int k = 1; k <= degree; k++) radius = fmax(radius, pow(fabs(c[k] / c[0]), 1.0 / k));
    if (!(radius > 0)) radius = 1;
    for (int k = 0; k < degree; k++) z[k] = radius * cexp(CMPLX(0, 0.4 + 6.283185307179586 * k / degree));
    for (int turn = 0; turn < 200; turn++) {
        double moved = 0;
        for (int k = 0; k < degree; k++) {
            double complex slope, sum = 0;
            const double complex p = value_at(c, degree, z[k], &slope);
            if (p == 0) continue;
            for (int j = 0; j < degree; j++)
                if (j != k && z[j] != z[k]) sum += 1 / (z[k] - z[j]);
            const double complex newton = slope / p - sum;
            const double complex step = newton == 0 ? 0 : 1 / newton;
            if (!isfinite(creal(step)) || !isfinite(cimag(step))) continue;
            z[k] -= step;
            moved = fmax(moved, cabs(step) / (cabs(z[k]) + DBL_MIN));
        }
        if (moved < 4 * DBL_EPSILON) break;
    }
}

/* Largest |p(z)| over all polynomials within the bounds. */
static double bound_at(const double *c, const double *error, int degree, double complex z)
{
    double complex p = c[0];
    double size = fabs(c[0]), slack = error[0];
    const double length = cabs(z) * (1 + 4 * DBL_EPSILON);
    for (int k = 1; k <= degree; k++) {
        p = p * z + c[k];
        size = size * length + fabs(c[k]);
        slack = slack * length + error[k];
    }
    return (cabs(p) + 8 * (degree + 1) * DBL_EPSILON * size + slack) * (1 + 1e-10);
}

/* Smith 1970: the discs |s - z_k| <= n |p(z_k)| / |c0 prod (z_k - z_j)| hold all roots, and a connected set
   of m of them holds m. So when no disc meets the axis the centres count the roots. */
static int discs_count(const double *c, const double *error, int degree, const double complex *z, int *right)
{
    const double lead = fabs(c[0]) - error[0];
    *right = 0;
    if (!(lead > 0)) return 0;
    for (int k = 0; k < degree; k++) {
        double product = lead;
        for (int j = 0; j < degree; j++)
            if (j != k) product *= cabs(z[k] - z[j]) * (1 - 8 * DBL_EPSILON);
        const double radius = degree * bound_at(c, error, degree, z[k]) / product;
        if (!(fabs(creal(z[k])) > radius * (1 + 1e-10))) return 0;
        *right += creal(z[k]) > 0;
    }
    return 1;
}

static mech_status try_discs(const double *c, const double *error, int degree, mech_routh *r)
{
    int right;
    double complex *z = arena_zeroed(&r->memory, (size_t)degree, sizeof *z);
    if (!z) return MECH_ERR_MEMORY;
    aberth(c, degree, z);
    if (discs_count(c, error, degree, z, &right)) {
        r->result.right = right;
        r->result.left = degree - right;
        r->result.axis = r->result.zero = r->result.repeated = 0;
    }
    return MECH_OK;
}

static mech_status decide(const double *c, const double *given, int degree, mech_routh *r)
{
    double *error = arena_zeroed(&r->memory, (size_t)degree, sizeof *error);
    interval *box = arena_zeroed(&r->memory, (size_t)degree, sizeof *box);
    mech_status status = arena_status(&r->memory);
    for (int k = 0; k <= degree && status == MECH_OK; k++) {
        error[k] = given ? given[k] : fabs(c[k]) * (0.5 * DBL_EPSILON);
        box[k] = error[k] > 0 ? widen(c[k] - error[k], c[k] + error[k]) : (interval){c[k], c[k]};
        if (!isfinite(c[k]) || !(error[k] >= 0)) status = MECH_ERR_NOT_FINITE;
    }
    if (status == MECH_OK && c[0] == 0) status = MECH_ERR_ARGUMENT;
    if (status == MECH_OK) status = try_intervals(box, degree, r);
    if (status == MECH_OK && r->result.right < 0) status = try_discs(c, error, degree, r);
    routh_judge(&r->result);
    return status;
}

mech_status mech_routh_floating(const double *coefficients, const double *error, int degree, mech_routh **routh)
{
    *routh = NULL;
    if (!coefficients || degree < 0) return MECH_ERR_ARGUMENT;
    if (degree > ROUTH_MOST_DEGREE) return MECH_ERR_LIMIT;
    mech_routh *r = routh_new(degree);
    if (!r) return MECH_ERR_MEMORY;
    const mech_status status = decide(coefficients, error, degree, r);
    if (status == MECH_OK) *routh = r;
    else mech_routh_free(r);
    return status;
}
