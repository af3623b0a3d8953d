/* Exact rationals in 63 bits. Whatever does not fit becomes a double, and stays readable: a double is
   taken back to an exact decimal where its shortest form fits. */
#include "expr/rational.h"

#include "base/number.h"

#include <math.h>
#include <string.h>

int64_t whole_gcd(int64_t a, int64_t b)
{
    if (a < 0) a = -a;
    if (b < 0) b = -b;
    while (b) {
        const int64_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}

static expr_number exact(int64_t num, int64_t den)
{
    /* the quotient is taken in long double so that 18-digit literals round to the nearest double */
    return (expr_number){num, den, den == 1 ? (double)num : (double)((long double)num / (long double)den)};
}

static expr_number inexact(double value) { return (expr_number){0, 0, value}; }

expr_number number_integer(int64_t value) { return value == INT64_MIN ? inexact((double)value) : exact(value, 1); }

expr_number number_fraction(int64_t num, int64_t den)
{
    if (num == INT64_MIN || den == INT64_MIN) return number_from_double((double)num / (double)den);
    const int64_t g = whole_gcd(num, den);
    if (g > 1) {
        num /= g;
        den /= g;
    }
    return den < 0 ? exact(-num, -den) : exact(num, den);
}

int number_equal(expr_number a, expr_number b)
{
    if (a.den != b.den) return 0;
    return a.den ? a.num == b.num : memcmp(&a.value, &b.value, sizeof a.value) == 0;
}

/* Scales an integer by a power of ten: 1 done, 0 it does not fit. */
static int scale_ten(int64_t *value, int power)
{
    for (; power > 0; power--)
        if (__builtin_mul_overflow(*value, 10, value)) return 0;
    return 1;
}

int number_from_text(const char *text, size_t length, expr_number *out)
{
    int64_t digits = 0, exponent = 0;
    int shift = 0, fits = 1;
    size_t i = 0, digit_count = 0;
    for (int after_point = 0; i < length; i++) {
        if (text[i] == '.' && !after_point) {
            after_point = 1;
        } else if (text[i] >= '0' && text[i] <= '9') {
            digit_count++;
            if (__builtin_mul_overflow(digits, 10, &digits) || __builtin_add_overflow(digits, text[i] - '0', &digits)) {
                fits = 0;
                digits = 0;
            }
            shift -= after_point;
        } else {
            break;
        }
    }
    if (i < length && (text[i] == 'e' || text[i] == 'E') && digit_count) {
        int negative = 0;
        i++;
        if (i < length && (text[i] == '+' || text[i] == '-')) negative = text[i++] == '-';
        if (i == length) return 0;
        for (; i < length && text[i] >= '0' && text[i] <= '9'; i++)
            if (exponent < 1000000) exponent = exponent * 10 + (text[i] - '0');
        if (negative) exponent = -exponent;
    }
    double value;
    if (i != length || !digit_count || !number_read(text, length, &value)) return 0;
    exponent += shift;
    int64_t den = 1;
    if (fits && digits == 0) {
        *out = number_integer(0);
    } else if (fits && exponent >= -18 && exponent <= 18 &&
               scale_ten(exponent < 0 ? &den : &digits, (int)(exponent < 0 ? -exponent : exponent))) {
        *out = number_fraction(digits, den);
    } else {
        *out = inexact(value);
    }
    return 1;
}

expr_number number_from_double(double value)
{
    if (!isfinite(value)) return inexact(value);
    char buffer[NUMBER_TEXT_SIZE];
    expr_number n;
    number_shortest(fabs(value), buffer);
    if (!number_from_text(buffer, strlen(buffer), &n)) return inexact(value);
    if (!number_is_exact(n)) return inexact(value);
    return value < 0 ? exact(-n.num, n.den) : n;
}

expr_number number_add(expr_number a, expr_number b)
{
    if (a.den && b.den) {
        const int64_t g = whole_gcd(a.den, b.den);
        int64_t left, right, num, den;
        if (!__builtin_mul_overflow(a.num, b.den / g, &left) && !__builtin_mul_overflow(b.num, a.den / g, &right) &&
            !__builtin_add_overflow(left, right, &num) && !__builtin_mul_overflow(a.den / g, b.den, &den))
            return number_fraction(num, den);
    }
    return number_from_double(a.value + b.value);
}

expr_number number_mul(expr_number a, expr_number b)
{
    if (a.den && b.den) {
        const int64_t g = whole_gcd(a.num, b.den), h = whole_gcd(b.num, a.den);
        int64_t num, den;
        if (a.num == 0 || b.num == 0) return exact(0, 1);
        if (!__builtin_mul_overflow(a.num / g, b.num / h, &num) &&
            !__builtin_mul_overflow(a.den / h, b.den / g, &den) && num != INT64_MIN)
            return exact(num, den);
    }
    return number_from_double(a.value * b.value);
}

expr_number number_neg(expr_number a) { return a.den ? exact(-a.num, a.den) : inexact(-a.value); }

expr_number number_inverse(expr_number a)
{
    if (a.den && a.num) return a.num < 0 ? exact(-a.den, -a.num) : exact(a.den, a.num);
    return number_from_double(1 / a.value);
}

expr_number number_power(expr_number a, int64_t exponent)
{
    expr_number base = exponent < 0 ? number_inverse(a) : a, result = exact(1, 1);
    uint64_t k = exponent < 0 ? 0 - (uint64_t)exponent : (uint64_t)exponent;
    for (; k; k >>= 1) {
        if (k & 1) result = number_mul(result, base);
        if (!number_is_exact(result)) return number_from_double(pow(a.value, (double)exponent));
        if (k > 1) base = number_mul(base, base);
        if (k > 1 && !number_is_exact(base)) return number_from_double(pow(a.value, (double)exponent));
    }
    return result;
}

/* The exact k-th root of a positive integer, 0 when it has none. */
static int64_t integer_root(int64_t a, int64_t k)
{
    const int64_t guess = (int64_t)llround(pow((double)a, 1.0 / (double)k));
    for (int64_t r = guess > 1 ? guess - 1 : 1; r <= guess + 1; r++) {
        int64_t power = 1;
        int overflow = 0;
        for (int64_t i = 0; i < k && !overflow; i++) overflow = __builtin_mul_overflow(power, r, &power);
        if (!overflow && power == a) return r;
    }
    return 0;
}

int number_root(expr_number a, int64_t k, expr_number *root)
{
    if (!a.den || a.num <= 0 || k < 2 || k > 62) return 0;
    const int64_t num = integer_root(a.num, k), den = integer_root(a.den, k);
    if (!num || !den) return 0;
    *root = exact(num, den);
    return 1;
}

expr_number number_gcd(expr_number a, expr_number b)
{
    if (!a.den || !b.den) return exact(1, 1);
    const int64_t num = whole_gcd(a.num, b.num), g = whole_gcd(a.den, b.den);
    int64_t den;
    if (__builtin_mul_overflow(a.den / g, b.den, &den) || num == 0) return exact(1, 1);
    return number_fraction(num, den);
}

expr_number number_floor(expr_number a)
{
    if (!number_is_exact(a)) return number_from_double(floor(a.value));
    const int64_t toward_zero = a.num / a.den;
    return number_integer(toward_zero - (a.num % a.den < 0));
}
