/* Axes: which numbers stand at them, and with how few letters. */
#include "figure/figure.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* 1, 2 or 5 times a power of ten, not below x. */
static double nice_step(double x)
{
    const double power = pow(10, floor(log10(x)));
    const double part = x / power;
    return (part <= 1.0000001 ? 1 : part <= 2.0000001 ? 2 : part <= 5.0000001 ? 5 : 10) * power;
}

static void put_power(char *to, size_t size, int exponent)
{
    static const char *const raised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
    char digits[16];
    size_t used = strlen(to);
    snprintf(digits, sizeof digits, "%d", exponent);
    for (const char *d = digits; *d && used + 4 < size; d++) {
        const char *sign = *d == '-' ? "⁻" : raised[*d - '0'];
        memcpy(to + used, sign, strlen(sign) + 1);
        used += strlen(sign);
    }
}

static void put_decimal(char *to, size_t size, double value, int decimals)
{
    snprintf(to, size, "%.*f", decimals, fabs(value) < 0.5 * pow(10, -decimals) ? 0.0 : value);
    for (char *c = to; *c; c++)
        if (*c == ',') *c = '.';
}

/* Ticks that share many digits are told apart by what is left when the first of them are taken off. */
static double common_part(double low, double high, double step)
{
    const double most = fmax(fabs(low), fabs(high));
    if (most / step < 2e4) return 0;
    const double unit = 10 * pow(10, ceil(log10(high - low)) - 1);
    return floor(low / unit) * unit;
}

static void label_linear(figure_axis *a, double step, double low, double high)
{
    const double offset = a->count ? common_part(low, high, step) : 0;
    double most = 0;
    for (int k = 0; k < a->count; k++) most = fmax(most, fabs(a->ticks[k] - offset));
    if (most == 0) most = step; /* 0 alone */
    const int size = most > 0 ? (int)floor(log10(most) + 1e-9) : 0, shift = size >= 5 || size <= -4 ? size : 0;
    const int fine = (int)floor(log10(step) + 1e-9);
    const int decimals = shift > fine ? shift - fine : 0;
    a->note[0] = '\0';
    if (shift) {
        snprintf(a->note, sizeof a->note, "×10");
        put_power(a->note, sizeof a->note, shift);
    }
    if (offset != 0) {
        char digits[32];
        snprintf(digits, sizeof digits, "%.15g", fabs(offset));
        for (char *c = digits; *c; c++)
            if (*c == ',') *c = '.';
        const size_t used = strlen(a->note);
        snprintf(a->note + used, sizeof a->note - used, "%s%c %s", shift ? " " : "", offset < 0 ? '-' : '+', digits);
    }
    for (int k = 0; k < a->count; k++)
        put_decimal(a->labels[k], TICK_TEXT, (a->ticks[k] - offset) / pow(10, shift), decimals);
}

static void ticks_linear(figure_axis *a, int most)
{
    const double step = nice_step((a->high - a->low) / fmax(most, 1));
    const double slack = 1e-9 * (a->high - a->low);
    a->count = 0;
    for (double k = ceil((a->low - slack) / step); k * step <= a->high + slack && a->count < MOST_TICKS; k++)
        a->ticks[a->count++] = k * step;
    label_linear(a, step, a->low, a->high);
}

static void ticks_log(figure_axis *a, int most)
{
    static const double parts[] = {1, 2, 5};
    const int first = (int)floor(a->low), last = (int)ceil(a->high);
    if (a->high - a->low < 1) { /* less than a decade: round numbers in its place */
        const double step = nice_step((pow(10, a->high) - pow(10, a->low)) / (most > 0 ? most : 1));
        a->count = 0;
        for (double k = ceil(pow(10, a->low) / step - 1e-9);
             k * step <= pow(10, a->high) * (1 + 1e-9) && a->count < MOST_TICKS; k++)
            a->ticks[a->count++] = k * step;
        label_linear(a, step, pow(10, a->low), pow(10, a->high));
        return;
    }
    const int every = (last - first) / (most > 0 ? most : 1) + 1, parts_count = last - first <= 2 && most > 3 ? 3 : 1;
    a->count = 0;
    a->note[0] = '\0';
    for (int k = first; k <= last; k++)
        for (int p = 0; p < parts_count && a->count < MOST_TICKS; p++) {
            const double value = k + log10(parts[p]);
            if ((k % every) || value < a->low - 1e-9 || value > a->high + 1e-9) continue;
            char *label = a->labels[a->count];
            a->ticks[a->count++] = pow(10, value);
            if (k >= -3 && k <= 4) snprintf(label, TICK_TEXT, "%.6g", parts[p] * pow(10, k));
            else {
                snprintf(label, TICK_TEXT, parts[p] > 1 ? "%g·10" : "10", parts[p]);
                put_power(label, TICK_TEXT, k);
            }
            for (char *c = label; *c; c++)
                if (*c == ',') *c = '.';
        }
}

void figure_axis_make(figure_axis *a, double low, double high, int is_log, int pads, int most)
{
    *a = (figure_axis){.is_log = is_log};
    if (is_log) {
        low = log10(low);
        high = log10(high);
    }
    const double size = fmax(fabs(low), fabs(high));
    if (!(high - low > 32 * DBL_EPSILON * size)) { /* the same number, but for rounding */
        const double half = is_log ? 0.5 : size > 0 ? 0.05 * size : 1;
        const double middle = (low + high) / 2;
        low = middle - half;
        high = middle + half;
    } else if (pads) {
        const double room = 0.05 * (high - low);
        low -= room;
        high += room;
    }
    a->low = low;
    a->high = high;
    if (is_log) ticks_log(a, most);
    else ticks_linear(a, most);
    /* one number alone says nothing of the scale */
    for (int more = most + 1; !is_log && a->count < 3 && more <= 2 * most + 2; more++) ticks_linear(a, more);
}

double figure_axis_place(const figure_axis *a, double value)
{
    if (!isfinite(value) || (a->is_log && value <= 0)) return (double)NAN;
    return ((a->is_log ? log10(value) : value) - a->low) / (a->high - a->low);
}

double figure_widest_label(const figure_axis *a, double size)
{
    double most = 0;
    for (int k = 0; k < a->count; k++) most = fmax(most, figure_text_width(a->labels[k], size));
    return most;
}

static int fits(const figure_axis *a, double pixels, double size)
{
    for (int k = 0; k + 1 < a->count; k++) {
        const double apart = (figure_axis_place(a, a->ticks[k + 1]) - figure_axis_place(a, a->ticks[k])) * pixels;
        const double half = figure_text_width(a->labels[k], size) / 2 + figure_text_width(a->labels[k + 1], size) / 2;
        if (half + size * 0.8 > apart) return 0;
    }
    return 1;
}

void figure_axis_thin(figure_axis *a, double pixels, double size)
{
    for (int most = 10; most > 0; most--) {
        if (a->is_log) ticks_log(a, most);
        else ticks_linear(a, most);
        if (fits(a, pixels, size)) return;
    }
}
