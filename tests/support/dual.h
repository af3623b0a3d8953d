/* Numbers with nilpotent parts, in long double: x = sum over sets s of x[s]*e_s, e_i*e_i = 0. With f(x + e_1)
   the coefficient of e_1 is f', with f(x + e_1 + e_2) that of e_1*e_2 is f'': exact derivatives that share
   nothing with the program's own. */
#ifndef TESTS_SUPPORT_DUAL_H
#define TESTS_SUPPORT_DUAL_H

#include <math.h>

#include <mech/expr.h>

enum { DUAL_PARTS = 4, DUAL_SIZE = 1 << DUAL_PARTS };
typedef struct dual {
    long double c[DUAL_SIZE]; /* by set of parts, as a mask */
} dual;

static unsigned dual_parts = 2; /* how many parts are in use */

static inline unsigned dual_size(void) { return 1u << dual_parts; }

static inline dual dual_number(long double value)
{
    dual r = {{0}};
    r.c[0] = value;
    return r;
}

static inline dual dual_scale(dual a, long double k)
{
    for (unsigned s = 0; s < dual_size(); s++) a.c[s] *= k;
    return a;
}

static inline dual dual_add(dual a, dual b)
{
    for (unsigned s = 0; s < dual_size(); s++) a.c[s] += b.c[s];
    return a;
}

static inline dual dual_mul(dual a, dual b)
{
    dual r = {{0}};
    for (unsigned s = 0; s < dual_size(); s++) {
        for (unsigned k = s;; k = (k - 1) & s) {
            r.c[s] += a.c[k] * b.c[s ^ k];
            if (!k) break;
        }
    }
    return r;
}

/* a + part*b: a moved along b; neither holds that part yet */
static inline dual dual_move(dual a, unsigned part, dual b)
{
    for (unsigned s = 0; s < dual_size(); s++)
        if (!(s & 1u << part)) a.c[s | 1u << part] += b.c[s];
    return a;
}

/* the coefficient of a part */
static inline dual dual_part(dual a, unsigned part)
{
    dual r = {{0}};
    for (unsigned s = 0; s < dual_size(); s++)
        if (!(s & 1u << part)) r.c[s] = a.c[s | 1u << part];
    return r;
}

/* f(a) from f and its derivatives at a[0] */
static inline dual dual_apply(dual a, const long double f[DUAL_PARTS + 1])
{
    dual r = dual_number(f[0]), n = a, power = dual_number(1);
    n.c[0] = 0;
    long double factorial = 1;
    for (unsigned k = 1; k <= dual_parts; k++) {
        power = dual_mul(power, n);
        factorial *= (long double)k;
        r = dual_add(r, dual_scale(power, f[k] / factorial));
    }
    return r;
}

static inline dual dual_power(dual a, long double exponent)
{
    long double f[DUAL_PARTS + 1], factor = 1;
    for (unsigned k = 0; k <= DUAL_PARTS; k++) {
        f[k] = factor == 0 ? 0 : factor * powl(a.c[0], exponent - (long double)k);
        factor *= exponent - (long double)k;
    }
    return dual_apply(a, f);
}

static inline dual dual_div(dual a, dual b) { return dual_mul(a, dual_power(b, -1)); }

static inline dual dual_log(dual a)
{
    const long double x = a.c[0];
    return dual_apply(a, (long double[]){logl(x), 1 / x, -1 / (x * x), 2 / (x * x * x), -6 / (x * x * x * x)});
}

static inline dual dual_exp(dual a)
{
    const long double y = expl(a.c[0]);
    return dual_apply(a, (long double[]){y, y, y, y, y});
}

static inline dual dual_sin(dual a, int is_cosine)
{
    const long double s = sinl(a.c[0]), c = cosl(a.c[0]);
    return is_cosine ? dual_apply(a, (long double[]){c, -s, -c, s, c})
                     : dual_apply(a, (long double[]){s, c, -s, -c, s});
}

static inline dual dual_sinh(dual a, int is_cosine)
{
    const long double s = sinhl(a.c[0]), c = coshl(a.c[0]);
    return is_cosine ? dual_apply(a, (long double[]){c, s, c, s, c}) : dual_apply(a, (long double[]){s, c, s, c, s});
}

static inline dual dual_atan(dual a)
{
    const long double x = a.c[0], w = 1 / (1 + x * x);
    return dual_apply(a, (long double[]){atanl(x), w, -2 * x * w * w, (6 * x * x - 2) * w * w * w,
                                         24 * x * (1 - x * x) * w * w * w * w});
}

/* atan2(y, x): the angle at the point and the small one away from it */
static inline dual dual_atan2(dual y, dual x)
{
    const long double y0 = y.c[0], x0 = x.c[0];
    const dual across = dual_add(dual_scale(y, x0), dual_scale(x, -y0));
    const dual along = dual_add(dual_scale(x, x0), dual_scale(y, y0));
    return dual_add(dual_number(atan2l(y0, x0)), dual_atan(dual_div(across, along)));
}

static inline dual dual_asin(dual a)
{
    const dual root = dual_power(dual_add(dual_number(1), dual_scale(dual_mul(a, a), -1)), 0.5L);
    return dual_atan2(a, root);
}

/* What a function of the language does to such numbers. */
static inline dual dual_call(mech_function f, dual a, dual b, dual c)
{
    const long double x = a.c[0], y = b.c[0];
    switch (f) {
    case MECH_FUNCTION_SIN: return dual_sin(a, 0);
    case MECH_FUNCTION_COS: return dual_sin(a, 1);
    case MECH_FUNCTION_TAN: return dual_div(dual_sin(a, 0), dual_sin(a, 1));
    case MECH_FUNCTION_ASIN: return dual_asin(a);
    case MECH_FUNCTION_ACOS: return dual_add(dual_number(acosl(-1) / 2), dual_scale(dual_asin(a), -1));
    case MECH_FUNCTION_ATAN: return dual_atan(a);
    case MECH_FUNCTION_SINH: return dual_sinh(a, 0);
    case MECH_FUNCTION_COSH: return dual_sinh(a, 1);
    case MECH_FUNCTION_TANH: return dual_div(dual_sinh(a, 0), dual_sinh(a, 1));
    case MECH_FUNCTION_EXP: return dual_exp(a);
    case MECH_FUNCTION_LOG: return dual_log(a);
    case MECH_FUNCTION_ABS: return x < 0 ? dual_scale(a, -1) : a;
    case MECH_FUNCTION_SIGN: return dual_number((x > 0) - (x < 0));
    case MECH_FUNCTION_ATAN2: return dual_atan2(a, b);
    case MECH_FUNCTION_POW: return dual_exp(dual_mul(b, dual_log(a)));
    case MECH_FUNCTION_MIN: return x < y ? a : b;
    case MECH_FUNCTION_MAX: return x > y ? a : b;
    case MECH_FUNCTION_LESS: return dual_number(x < y);
    case MECH_FUNCTION_LESS_EQUAL: return dual_number(x <= y);
    case MECH_FUNCTION_EQUAL: return dual_number(x == y);
    case MECH_FUNCTION_AND: return dual_number(x != 0 && y != 0);
    case MECH_FUNCTION_OR: return dual_number(x != 0 || y != 0);
    case MECH_FUNCTION_NOT: return dual_number(x == 0);
    case MECH_FUNCTION_IF: return x != 0 ? b : c;
    case MECH_FUNCTION_FLOOR: return dual_number(floorl(x));
    case MECH_FUNCTION_COUNT: break;
    }
    return dual_number((long double)NAN);
}

#endif
