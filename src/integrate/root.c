#include "integrate/root.h"

#include <float.h>
#include <math.h>

static double resolution(double a, double b) { return 2 * DBL_EPSILON * fmax(fabs(a), fabs(b)) + DBL_MIN; }

/* Inverse quadratic or linear interpolation where it is safe, else half (Brent 1973, chapter 4, kept as a
   bracket whose ends stay on their sides of the zero). */
static double next_point(const root_bracket *k, double c, double fc)
{
    const double a = k->a, b = k->b, fa = k->fa, fb = k->fb, half = a + (b - a) / 2;
    double x;
    if (fa != fc && fb != fc && fa != fb) {
        x = a * fb * fc / ((fa - fb) * (fa - fc)) + b * fa * fc / ((fb - fa) * (fb - fc)) +
            c * fa * fb / ((fc - fa) * (fc - fb));
    } else {
        x = a - fa * (b - a) / (fb - fa);
    }
    const double low = fmin(a, b), high = fmax(a, b);
    return x > low && x < high ? x : half; /* also when x is not a number */
}

int root_narrow(root_function f, void *user, double width, root_bracket *k)
{
    double c = k->a, fc = k->fa, last = fabs(k->b - k->a);
    for (int i = 0; i < 200 && k->fb != 0; i++) {
        const double size = fabs(k->b - k->a), step = fmax(width, resolution(k->a, k->b));
        if (size <= step) break;
        double x = i > 2 && size > last / 2 ? k->a + (k->b - k->a) / 2 : next_point(k, c, fc), fx;
        last = i % 2 == 0 ? size : last; /* two steps must at least halve it */
        /* keep off the ends, so that the bracket closes from both sides */
        const double inner = step / 2, sign = k->b > k->a ? 1 : -1;
        if (sign * (x - k->a) < inner) x = k->a + sign * inner;
        if (sign * (k->b - x) < inner) x = k->b - sign * inner;
        const int value = f(user, x, &fx);
        if (value != 0) return value;
        if ((fx > 0) == (k->fa > 0) && fx != 0) {
            c = k->a, fc = k->fa;
            k->a = x, k->fa = fx;
        } else {
            c = k->b, fc = k->fb;
            k->b = x, k->fb = fx;
        }
    }
    return 0;
}

int root_may_dip(double a, double fa, double b, double fb, double c, double fc, double part)
{
    const double h1 = b - a, h2 = c - b, d1 = (fb - fa) / h1, d2 = (fc - fb) / h2;
    const double curve = (d2 - d1) / (h1 + h2), slope = d1 + curve * h1; /* at b */
    if (!(fa > 0 && fb > 0 && fc > 0 && curve > 0)) return 0;
    const double least = b - slope / (2 * curve),
                 wrong = 0.1 * (fmax(fa, fc) - fb); /* what the parabola's depth may miss */
    return least > a && least < c && fb - slope * slope / (4 * curve) <= part * fmin(fb, fmin(fa, fc)) + wrong;
}

int root_dip(root_function f, void *user, double a, double b, double sign, double width, double *x, double *fx)
{
    const double ratio = 0.38196601125010515; /* (3 - sqrt 5)/2 */
    double u = a + ratio * (b - a), v = b - ratio * (b - a), fu, fv;
    int value = f(user, u, &fu);
    if (value == 0) value = f(user, v, &fv);
    while (value == 0) {
        if (sign * fu <= 0 || sign * fv <= 0) {
            const int first = sign * fu <= 0;
            *x = first ? u : v;
            *fx = first ? fu : fv;
            return 1;
        }
        if (fabs(b - a) <= fmax(width, 1e3 * resolution(a, b))) return 0;
        if (sign * fu < sign * fv) {
            b = v, v = u, fv = fu;
            u = a + ratio * (b - a);
            value = f(user, u, &fu);
        } else {
            a = u, u = v, fu = fv;
            v = b - ratio * (b - a);
            value = f(user, v, &fv);
        }
    }
    return value < 0 ? value : -1;
}
