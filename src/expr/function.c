/* Functions applied: their table, their values, and what is known of them exactly. */
#include "expr/intern.h"

#include "expr/numbers.h"

#include <math.h>

static const struct {
    const char *name;
    int arity;
} functions[MECH_FUNCTION_COUNT] = {
    [MECH_FUNCTION_SIN] = {"sin", 1},       [MECH_FUNCTION_COS] = {"cos", 1},     [MECH_FUNCTION_TAN] = {"tan", 1},
    [MECH_FUNCTION_ASIN] = {"asin", 1},     [MECH_FUNCTION_ACOS] = {"acos", 1},   [MECH_FUNCTION_ATAN] = {"atan", 1},
    [MECH_FUNCTION_SINH] = {"sinh", 1},     [MECH_FUNCTION_COSH] = {"cosh", 1},   [MECH_FUNCTION_TANH] = {"tanh", 1},
    [MECH_FUNCTION_EXP] = {"exp", 1},       [MECH_FUNCTION_LOG] = {"log", 1},     [MECH_FUNCTION_ABS] = {"abs", 1},
    [MECH_FUNCTION_SIGN] = {"sign", 1},     [MECH_FUNCTION_ATAN2] = {"atan2", 2}, [MECH_FUNCTION_POW] = {"pow", 2},
    [MECH_FUNCTION_MIN] = {"min", 2},       [MECH_FUNCTION_MAX] = {"max", 2},     [MECH_FUNCTION_LESS] = {"<", 2},
    [MECH_FUNCTION_LESS_EQUAL] = {"<=", 2}, [MECH_FUNCTION_EQUAL] = {"==", 2},    [MECH_FUNCTION_AND] = {"and", 2},
    [MECH_FUNCTION_OR] = {"or", 2},         [MECH_FUNCTION_NOT] = {"not", 1},     [MECH_FUNCTION_IF] = {"if", 3},
    [MECH_FUNCTION_FLOOR] = {"floor", 1},
};

int expr_function_arity(mech_function function)
{
    return (int)function >= 0 && function < MECH_FUNCTION_COUNT ? functions[function].arity : -1;
}

int expr_function_has_kink(mech_function function)
{
    switch (function) {
    case MECH_FUNCTION_ABS:
    case MECH_FUNCTION_SIGN:
    case MECH_FUNCTION_MIN:
    case MECH_FUNCTION_MAX:
    case MECH_FUNCTION_LESS:
    case MECH_FUNCTION_LESS_EQUAL:
    case MECH_FUNCTION_FLOOR: return 1;
    default: return 0;
    }
}

const char *expr_function_name(mech_function function)
{
    return (int)function >= 0 && function < MECH_FUNCTION_COUNT ? functions[function].name : "?";
}

double expr_apply(mech_function function, double a, double b, double c)
{
    switch (function) {
    case MECH_FUNCTION_SIN: return sin(a);
    case MECH_FUNCTION_COS: return cos(a);
    case MECH_FUNCTION_TAN: return tan(a);
    case MECH_FUNCTION_ASIN: return asin(a);
    case MECH_FUNCTION_ACOS: return acos(a);
    case MECH_FUNCTION_ATAN: return atan(a);
    case MECH_FUNCTION_SINH: return sinh(a);
    case MECH_FUNCTION_COSH: return cosh(a);
    case MECH_FUNCTION_TANH: return tanh(a);
    case MECH_FUNCTION_EXP: return exp(a);
    case MECH_FUNCTION_LOG: return log(a);
    case MECH_FUNCTION_ABS: return fabs(a);
    case MECH_FUNCTION_SIGN: return a > 0 ? 1 : a < 0 ? -1 : a; /* keeps zero and NaN */
    case MECH_FUNCTION_ATAN2: return atan2(a, b);
    case MECH_FUNCTION_POW: return pow(a, b);
    case MECH_FUNCTION_MIN: return a < b ? a : b;
    case MECH_FUNCTION_MAX: return a > b ? a : b;
    case MECH_FUNCTION_LESS: return a < b;
    case MECH_FUNCTION_LESS_EQUAL: return a <= b;
    case MECH_FUNCTION_EQUAL: return a == b;
    case MECH_FUNCTION_AND: return a != 0 && b != 0;
    case MECH_FUNCTION_OR: return a != 0 || b != 0;
    case MECH_FUNCTION_NOT: return a == 0;
    case MECH_FUNCTION_IF: return a != 0 ? b : c;
    case MECH_FUNCTION_FLOOR: return floor(a);
    case MECH_FUNCTION_COUNT: break;
    }
    return (double)NAN;
}

double expr_floor_switch(double a)
{
    static const double pi = 3.14159265358979323846;
    const double turn = a - 2 * rint(a / 2), size = fabs(turn); /* within one turn, without rounding */
    return copysign(sin(pi * (size > 0.5 ? 1 - size : size)), turn);
}

/* Whether -e is the nicer of e and -e: a negative number, or a sum with more minus than plus signs (the
   first term decides a tie). */
static int is_negative_form(const mech_pool *p, mech_expr e)
{
    const expr_node *n = expr_at(p, e);
    if (n->kind == EXPR_NUM) return number_is_negative(num_of(p, e.id));
    if (n->kind != EXPR_ADD) return 0;
    int balance = 0;
    for (uint32_t i = 0; i < n->count; i += i == 0 ? 1 : 2) {
        const double c = num_of(p, p->operands[n->first + i]).value;
        balance += (c > 0) - (c < 0);
    }
    return balance < 0 || (balance == 0 && number_is_negative(num_of(p, p->operands[n->first + 1])));
}

/* e = c*pi with rational c: 1 and c. */
static int multiple_of_pi(const mech_pool *p, mech_expr e, expr_number *c)
{
    const expr_node *n = expr_at(p, e);
    *c = number_integer(e.id == EXPR_ID_PI);
    if (e.id == EXPR_ID_PI || e.id == EXPR_ID_ZERO) return 1;
    if (n->kind != EXPR_ADD || n->count != 3 || p->operands[n->first] != EXPR_ID_ZERO) return 0;
    if (p->operands[n->first + 2] != EXPR_ID_PI) return 0;
    *c = num_of(p, p->operands[n->first + 1]);
    return number_is_exact(*c);
}

/* sin(c*pi) where it is 0, 1/2 or 1 in size: 1 and the value. */
static int sine_of_multiple(expr_number c, expr_number *value)
{
    if (c.den != 1 && c.den != 2 && c.den != 6) return 0;
    int64_t twelfths = (c.num % (2 * c.den)) * (6 / c.den); /* of pi/6, within a turn of 12 */
    twelfths = (twelfths % 12 + 12) % 12;
    static const int8_t doubled[12] = {0, 1, 9, 2, 9, 1, 0, -1, 9, -2, 9, -1}; /* 9: not rational */
    if (doubled[twelfths] == 9) return 0;
    *value = number_fraction(doubled[twelfths], 2);
    return 1;
}

static int known_sine(mech_pool *p, mech_function function, mech_expr a, mech_expr *value)
{
    expr_number c, s;
    if (!multiple_of_pi(p, a, &c)) return 0;
    if (function == MECH_FUNCTION_COS) c = number_add(c, number_fraction(1, 2));
    if (!number_is_exact(c) || !sine_of_multiple(c, &s)) return 0;
    value->id = expr_intern_number(p, s);
    return 1;
}

static int is_odd(mech_function f)
{
    return f == MECH_FUNCTION_SIN || f == MECH_FUNCTION_TAN || f == MECH_FUNCTION_ASIN || f == MECH_FUNCTION_ATAN ||
           f == MECH_FUNCTION_SINH || f == MECH_FUNCTION_TANH || f == MECH_FUNCTION_SIGN;
}

static int is_even(mech_function f)
{
    return f == MECH_FUNCTION_COS || f == MECH_FUNCTION_COSH || f == MECH_FUNCTION_ABS;
}

/* Values at zero and one that are exact. */
static int known_at_number(mech_pool *p, mech_function f, mech_expr a, mech_expr *value)
{
    if (a.id == EXPR_ID_ZERO && is_odd(f)) *value = EXPR_ZERO;
    else if (a.id == EXPR_ID_ZERO && (f == MECH_FUNCTION_EXP || f == MECH_FUNCTION_COSH || f == MECH_FUNCTION_COS))
        *value = EXPR_ONE;
    else if (a.id == EXPR_ID_ONE && (f == MECH_FUNCTION_LOG || f == MECH_FUNCTION_ACOS)) *value = EXPR_ZERO;
    else if (f == MECH_FUNCTION_ABS || f == MECH_FUNCTION_SIGN || f == MECH_FUNCTION_NOT)
        *value = mech_number(p, expr_apply(f, num_of(p, a.id).value, 0, 0));
    else if (f == MECH_FUNCTION_FLOOR) value->id = expr_intern_number(p, number_floor(num_of(p, a.id)));
    else return 0;
    if (f == MECH_FUNCTION_ABS) value->id = number_is_negative(num_of(p, a.id)) ? num_neg(p, a.id) : a.id;
    return 1;
}

static mech_expr call_one(mech_pool *p, mech_function f, mech_expr a)
{
    mech_expr value;
    if ((f == MECH_FUNCTION_SIN || f == MECH_FUNCTION_COS) && known_sine(p, f, a, &value)) return value;
    if (expr_is_number(p, a) && known_at_number(p, f, a, &value)) return value;
    if ((is_odd(f) || is_even(f)) && is_negative_form(p, a)) {
        const mech_expr positive = mech_call(p, f, &(mech_expr){mech_neg(p, a).id}, 1);
        return is_odd(f) ? mech_neg(p, positive) : positive;
    }
    return (mech_expr){expr_intern(p, EXPR_FUN, (uint8_t)f, 0, &a.id, 1)};
}

static mech_expr call_two(mech_pool *p, mech_function f, mech_expr a, mech_expr b)
{
    if (a.id == b.id && (f == MECH_FUNCTION_MIN || f == MECH_FUNCTION_MAX)) return a;
    if (a.id == b.id && (f == MECH_FUNCTION_LESS_EQUAL || f == MECH_FUNCTION_EQUAL)) return EXPR_ONE;
    if (a.id == b.id && f == MECH_FUNCTION_LESS) return EXPR_ZERO;
    if (f == MECH_FUNCTION_POW && a.id == EXPR_ID_ONE) return EXPR_ONE;
    if (f == MECH_FUNCTION_POW && expr_is_number(p, b) && number_is_exact(num_of(p, b.id))) return mech_pow(p, a, b);
    if (f == MECH_FUNCTION_ATAN2 && a.id == EXPR_ID_ZERO && expr_is_number(p, b) && num_of(p, b.id).value > 0)
        return EXPR_ZERO;
    if (expr_is_number(p, a) && expr_is_number(p, b)) {
        const double x = num_of(p, a.id).value, y = num_of(p, b.id).value;
        if (f == MECH_FUNCTION_MIN) return x < y ? a : b;
        if (f == MECH_FUNCTION_MAX) return x > y ? a : b;
        if (f >= MECH_FUNCTION_LESS && f <= MECH_FUNCTION_OR) return mech_number(p, expr_apply(f, x, y, 0));
    }
    return (mech_expr){expr_intern(p, EXPR_FUN, (uint8_t)f, 0, (uint32_t[]){a.id, b.id}, 2)};
}

mech_expr mech_call(mech_pool *p, mech_function f, const mech_expr *arguments, size_t count)
{
    if ((int)count != expr_function_arity(f)) {
        p->fault = "wrong number of arguments";
        return (mech_expr){0};
    }
    for (size_t i = 0; i < count; i++)
        if (!arguments[i].id) return (mech_expr){0};
    if (count == 1) return call_one(p, f, arguments[0]);
    if (count == 2) return call_two(p, f, arguments[0], arguments[1]);
    if (expr_is_number(p, arguments[0])) return arguments[0].id == EXPR_ID_ZERO ? arguments[2] : arguments[1];
    if (arguments[1].id == arguments[2].id) return arguments[1];
    const uint32_t operands[] = {arguments[0].id, arguments[1].id, arguments[2].id};
    return (mech_expr){expr_intern(p, EXPR_FUN, (uint8_t)f, 0, operands, 3)};
}
