/* Intervals with slopes: each instruction of a program. With a in [low, high] and its slope in [slope_low,
   slope_high] the result and its slope follow by the rules of intervals (Moore, Interval Analysis, 1966); ends are
   not rounded outward. */
#include "compile/bounds.h"

#include <math.h>

typedef struct range {
    double low, high;
} range;

static const range everything = {-HUGE_VAL, HUGE_VAL};
static const double pi = 3.14159265358979323846;

/* What is not a number may be anything. */
static range mended(double low, double high) { return low <= high ? (range){low, high} : everything; }

static range value_of(const bound *a) { return (range){a->low, a->high}; }
static range slope_of(const bound *a) { return (range){a->slope_low, a->slope_high}; }
static bound with_slope(range value, range slope) { return (bound){value.low, value.high, slope.low, slope.high}; }
static range both(range a, range b) { return (range){fmin(a.low, b.low), fmax(a.high, b.high)}; }
static range point(double x) { return (range){x, x}; }
static int has_zero(range a) { return a.low <= 0 && a.high >= 0; }

static range add(range a, range b) { return mended(a.low + b.low, a.high + b.high); }
static range sub(range a, range b) { return mended(a.low - b.high, a.high - b.low); }
static range negated(range a) { return (range){-a.high, -a.low}; }

static range mul(range a, range b)
{
    if ((a.low == 0 && a.high == 0) ||
        (b.low == 0 && b.high == 0)) /* 0 times what may be infinite because it may jump */
        return isfinite(a.low) && isfinite(a.high) && isfinite(b.low) && isfinite(b.high) ? point(0) : everything;
    const double x = a.low * b.low, y = a.low * b.high, z = a.high * b.low, w = a.high * b.high;
    if (isnan(x) || isnan(y) || isnan(z) || isnan(w)) return everything;
    const range one = x < y ? (range){x, y} : (range){y, x}, two = z < w ? (range){z, w} : (range){w, z};
    return (range){one.low < two.low ? one.low : two.low, one.high > two.high ? one.high : two.high};
}

static range divided(range a, range b)
{
    if (has_zero(b)) return everything;
    return mul(a, (range){1 / b.high, 1 / b.low});
}

static range squared(range a)
{
    const double x = a.low * a.low, y = a.high * a.high;
    return (range){has_zero(a) ? 0 : fmin(x, y), fmax(x, y)};
}

/* Is there a whole k with low <= at + k period <= high? To rounding, and rather yes. */
static int meets(range a, double at, double period)
{
    const double slack = 1e-15 * (fabs(a.low) + fabs(a.high) + period);
    const double first = ceil((a.low - slack - at) / period);
    return at + first * period <= a.high + slack;
}

static range sine(range a)
{
    if (!(a.high - a.low < 2 * pi)) return (range){-1, 1};
    const double x = sin(a.low), y = sin(a.high);
    return (range){meets(a, -pi / 2, 2 * pi) ? -1 : fmin(x, y), meets(a, pi / 2, 2 * pi) ? 1 : fmax(x, y)};
}

static range cosine(range a)
{
    if (!(a.high - a.low < 2 * pi)) return (range){-1, 1};
    const double x = cos(a.low), y = cos(a.high);
    return (range){meets(a, pi, 2 * pi) ? -1 : fmin(x, y), meets(a, 0, 2 * pi) ? 1 : fmax(x, y)};
}

static range cosh_of(range a)
{
    const double x = cosh(a.low), y = cosh(a.high);
    return (range){has_zero(a) ? 1 : fmin(x, y), fmax(x, y)};
}

static bound sqrt_of(const bound *a)
{
    if (!(a->low >= 0)) return with_slope(everything, everything);
    const range root = {sqrt(a->low), sqrt(a->high)};
    if (a->low == 0) return with_slope(root, everything);
    return with_slope(root, divided(slope_of(a), (range){2 * root.low, 2 * root.high}));
}

/* a^n for whole n */
static range whole_power(range a, double n)
{
    const double x = pow(a.low, n), y = pow(a.high, n);
    if (n < 0 && has_zero(a)) return everything;
    if (fmod(n, 2) != 0) return mended(fmin(x, y), fmax(x, y));
    return mended(has_zero(a) && n > 0 ? 0 : fmin(x, y), fmax(x, y));
}

static range exp_of(range a) { return (range){exp(a.low), exp(a.high)}; }
static range log_of(range a) { return a.low >= 0 ? mended(log(a.low), log(a.high)) : everything; }

static range power(range a, range b)
{
    if (b.low == b.high && b.low == floor(b.low)) return whole_power(a, b.low);
    if (b.low == b.high && b.low > 0 && a.low >= 0) return mended(pow(a.low, b.low), pow(a.high, b.low));
    if (!(a.low > 0)) return everything;
    return exp_of(mul(b, log_of(a)));
}

static bound power_of(const bound *a, const bound *b)
{
    const range x = value_of(a), n = value_of(b), value = power(x, n);
    const int is_whole = n.low == n.high && n.low == floor(n.low);
    if (!is_whole && !(x.low > 0)) return with_slope(value, everything);
    range slope = mul(mul(n, power(x, sub(n, point(1)))), slope_of(a));
    if (n.low != n.high || b->slope_low != 0 || b->slope_high != 0)
        slope = add(slope, mul(mul(value, log_of(x)), slope_of(b)));
    return with_slope(value, slope);
}

static bound atan2_of(const bound *y, const bound *x)
{
    const range v = value_of(y), u = value_of(x);
    if (has_zero(v) && !(u.low > 0)) return with_slope((range){-pi, pi}, everything); /* the cut, or the origin */
    const range ends = both(both(point(atan2(v.low, u.low)), point(atan2(v.low, u.high))),
                            both(point(atan2(v.high, u.low)), point(atan2(v.high, u.high))));
    return with_slope(ends, divided(sub(mul(u, slope_of(y)), mul(v, slope_of(x))), add(squared(u), squared(v))));
}

/* A value that is true, false or, over this stretch, either. */
static bound truth(int surely, int never)
{
    if (surely) return bound_of(1);
    if (never) return bound_of(0);
    return with_slope((range){0, 1}, everything);
}

static int is_true(const bound *a) { return a->low > 0 || a->high < 0; }
static int is_false(const bound *a) { return a->low == 0 && a->high == 0; }

static bound select_one(const bound *a, const bound *b, const bound *c)
{
    if (is_true(a)) return *b;
    if (is_false(a)) return *c;
    return with_slope(both(value_of(b), value_of(c)), everything);
}

static bound least(const bound *a, const bound *b)
{
    if (a->high < b->low) return *a;
    if (b->high < a->low) return *b;
    return with_slope((range){fmin(a->low, b->low), fmin(a->high, b->high)}, both(slope_of(a), slope_of(b)));
}

static bound negative(const bound *a) { return with_slope(negated(value_of(a)), negated(slope_of(a))); }

static bound greatest(const bound *a, const bound *b)
{
    const bound x = negative(a), y = negative(b), z = least(&x, &y);
    return negative(&z);
}

static bound absolute(const bound *a)
{
    const bound other = negative(a);
    if (a->low >= 0) return *a;
    if (a->high <= 0) return other;
    return with_slope((range){0, fmax(-a->low, a->high)}, both(slope_of(a), slope_of(&other)));
}

static bound sign_of(const bound *a)
{
    if (a->low > 0) return bound_of(1);
    if (a->high < 0) return bound_of(-1);
    if (is_false(a)) return bound_of(0);
    return with_slope((range){-1, 1}, everything);
}

/* f(a), f'(a) times the slope of a */
static bound chain(range value, range derivative, const bound *a)
{
    return with_slope(value, mul(derivative, slope_of(a)));
}

static bound tan_of(const bound *a)
{
    const range x = value_of(a);
    if (!(x.high - x.low < pi) || meets(x, pi / 2, pi)) return with_slope(everything, everything);
    const range t = {tan(x.low), tan(x.high)};
    return chain(t, add(point(1), squared(t)), a);
}

/* asin, acos: d = 1/sqrt(1 - a^2) */
static bound arc(range value, double sign, const bound *a)
{
    const range x = value_of(a), left = sub(point(1), squared(x));
    if (!(left.low > 0)) return with_slope(x.low >= -1 && x.high <= 1 ? value : everything, everything);
    return chain(value, mul(point(sign), (range){1 / sqrt(left.high), 1 / sqrt(left.low)}), a);
}

static bound floor_of(const bound *a)
{
    const range whole = {floor(a->low), floor(a->high)};
    return with_slope(whole, whole.low == whole.high ? point(0) : everything);
}

/* sin(pi a), exactly 0 at whole numbers as expr_floor_switch is: a stretch that ends on one is not clear of it. */
static bound turn_of(const bound *a)
{
    const range x = value_of(a), slope = mul(point(pi), cosine(mul(point(pi), x)));
    if (!(x.high - x.low < 2)) return chain((range){-1, 1}, slope, a);
    const double low = expr_floor_switch(x.low), high = expr_floor_switch(x.high);
    const range value = {meets(x, -0.5, 2) ? -1 : fmin(low, high), meets(x, 0.5, 2) ? 1 : fmax(low, high)};
    return chain(value, slope, a);
}

static bound call(mech_function f, const bound *a, const bound *b, const bound *c)
{
    const range x = value_of(a);
    switch (f) {
    case MECH_FUNCTION_SIN: return chain(sine(x), cosine(x), a);
    case MECH_FUNCTION_COS: return chain(cosine(x), negated(sine(x)), a);
    case MECH_FUNCTION_TAN: return tan_of(a);
    case MECH_FUNCTION_ASIN: return arc((range){asin(fmax(x.low, -1)), asin(fmin(x.high, 1))}, 1, a);
    case MECH_FUNCTION_ACOS: return arc((range){acos(fmin(x.high, 1)), acos(fmax(x.low, -1))}, -1, a);
    case MECH_FUNCTION_ATAN:
        return chain((range){atan(x.low), atan(x.high)}, divided(point(1), add(point(1), squared(x))), a);
    case MECH_FUNCTION_SINH: return chain((range){sinh(x.low), sinh(x.high)}, cosh_of(x), a);
    case MECH_FUNCTION_COSH: return chain(cosh_of(x), (range){sinh(x.low), sinh(x.high)}, a);
    case MECH_FUNCTION_TANH: {
        const range t = {tanh(x.low), tanh(x.high)};
        return chain(t, sub(point(1), squared(t)), a);
    }
    case MECH_FUNCTION_EXP: return chain(exp_of(x), exp_of(x), a);
    case MECH_FUNCTION_LOG:
        return x.low > 0 ? chain(log_of(x), divided(point(1), x), a) : with_slope(log_of(x), everything);
    case MECH_FUNCTION_ABS: return absolute(a);
    case MECH_FUNCTION_SIGN: return sign_of(a);
    case MECH_FUNCTION_ATAN2: return atan2_of(a, b);
    case MECH_FUNCTION_POW: return power_of(a, b);
    case MECH_FUNCTION_MIN: return least(a, b);
    case MECH_FUNCTION_MAX: return greatest(a, b);
    case MECH_FUNCTION_LESS: return truth(a->high < b->low, a->low >= b->high);
    case MECH_FUNCTION_LESS_EQUAL: return truth(a->high <= b->low, a->low > b->high);
    case MECH_FUNCTION_EQUAL:
        return truth(a->low == a->high && b->low == b->high && a->low == b->low, a->high < b->low || a->low > b->high);
    case MECH_FUNCTION_AND: return truth(is_true(a) && is_true(b), is_false(a) || is_false(b));
    case MECH_FUNCTION_OR: return truth(is_true(a) || is_true(b), is_false(a) && is_false(b));
    case MECH_FUNCTION_NOT: return truth(is_false(a), is_true(a));
    case MECH_FUNCTION_IF: return select_one(a, b, c);
    case MECH_FUNCTION_FLOOR: return floor_of(a);
    case MECH_FUNCTION_COUNT: break;
    }
    return with_slope(everything, everything);
}

static bound sum(const bound *a, const bound *b)
{
    return with_slope(add(value_of(a), value_of(b)), add(slope_of(a), slope_of(b)));
}

static bound difference(const bound *a, const bound *b)
{
    return with_slope(sub(value_of(a), value_of(b)), sub(slope_of(a), slope_of(b)));
}

static bound product(const bound *a, const bound *b)
{
    if (a == b) return chain(squared(value_of(a)), mul(point(2), value_of(a)), a);
    return with_slope(mul(value_of(a), value_of(b)), add(mul(value_of(a), slope_of(b)), mul(slope_of(a), value_of(b))));
}

static bound quotient(const bound *a, const bound *b)
{
    const range value = divided(value_of(a), value_of(b));
    return with_slope(value, divided(sub(slope_of(a), mul(value, slope_of(b))), value_of(b)));
}

static void run_one(const program_instruction *i, bound *slots)
{
    const bound *a = &slots[i->a], *b = &slots[i->b], *c = &slots[i->c];
    bound *out = &slots[i->out], ab;
    switch (i->op) {
    case PROGRAM_COPY: *out = *a; break;
    case PROGRAM_NEG: *out = negative(a); break;
    case PROGRAM_ADD: *out = sum(a, b); break;
    case PROGRAM_SUB: *out = difference(a, b); break;
    case PROGRAM_MUL: *out = product(a, b); break;
    case PROGRAM_DIV: *out = quotient(a, b); break;
    case PROGRAM_MULADD: ab = product(a, b), *out = sum(&ab, c); break;
    case PROGRAM_MULSUB: ab = product(a, b), *out = difference(&ab, c); break;
    case PROGRAM_SUBMUL: ab = product(a, b), *out = difference(c, &ab); break;
    case PROGRAM_SQRT: *out = sqrt_of(a); break;
    case PROGRAM_SIN: *out = call(MECH_FUNCTION_SIN, a, b, c); break;
    case PROGRAM_COS: *out = call(MECH_FUNCTION_COS, a, b, c); break;
    case PROGRAM_POW: *out = power_of(a, b); break;
    case PROGRAM_SELECT: *out = select_one(a, b, c); break;
    case BOUNDS_OP_TURN: *out = turn_of(a); break;
    case PROGRAM_SINCOS: {
        const bound angle = *a;
        *out = call(MECH_FUNCTION_SIN, &angle, b, c);
        slots[i->b] = call(MECH_FUNCTION_COS, &angle, b, c);
        break;
    }
    default: *out = call((mech_function)(i->op - PROGRAM_CALL), a, b, c); break;
    }
}

void bounds_run(const bounds_program *cut, bound *slots)
{
    const program_instruction *i = cut->code, *const end = i + cut->code_count;
    for (; i != end; i++) run_one(i, slots);
}

static void put(bound *to, range value)
{
    to->low = value.low;
    to->high = value.high;
}

static range times(const bound *a, const bound *b)
{
    return a == b ? squared(value_of(a)) : mul(value_of(a), value_of(b));
}

void bounds_run_values(const bounds_program *cut, bound *slots)
{
    const program_instruction *i = cut->code, *const end = i + cut->code_count;
    for (; i != end; i++) {
        const bound *a = &slots[i->a], *b = &slots[i->b], *c = &slots[i->c];
        bound *out = &slots[i->out];
        switch (i->op) {
        case PROGRAM_COPY: put(out, value_of(a)); break;
        case PROGRAM_NEG: put(out, negated(value_of(a))); break;
        case PROGRAM_ADD: put(out, add(value_of(a), value_of(b))); break;
        case PROGRAM_SUB: put(out, sub(value_of(a), value_of(b))); break;
        case PROGRAM_MUL: put(out, times(a, b)); break;
        case PROGRAM_MULADD: put(out, add(times(a, b), value_of(c))); break;
        case PROGRAM_MULSUB: put(out, sub(times(a, b), value_of(c))); break;
        case PROGRAM_SUBMUL: put(out, sub(value_of(c), times(a, b))); break;
        case PROGRAM_SIN: put(out, sine(value_of(a))); break;
        case PROGRAM_COS: put(out, cosine(value_of(a))); break;
        case PROGRAM_SINCOS: {
            const range angle = value_of(a);
            put(out, sine(angle));
            put(&slots[i->b], cosine(angle));
            break;
        }
        default: run_one(i, slots); break;
        }
    }
}
