/* Exported code in single precision: the same text with float in place of double, literals and functions of <math.h>
   with their f. */
#include "output/export_single.h"

#include "base/number.h"

#include <float.h>
#include <stddef.h>
#include <string.h>

/* Of <math.h>, as far as generated code calls them. Words between single spaces. */
static const char functions[] =
    " acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh erf exp expm1 fabs "
    "floor fma fmax fmin fmod hypot log log10 log1p pow round sin sinh sqrt tan tanh trunc ";

static int is_digit(char c) { return c >= '0' && c <= '9'; }
static int is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

static int is_function(const char *word, size_t length)
{
    char spaced[16];
    if (length + 3 > sizeof spaced) return 0;
    spaced[0] = ' ';
    memcpy(spaced + 1, word, length);
    memcpy(spaced + 1 + length, " ", 2);
    return strstr(functions, spaced) != NULL;
}

static int is_word(const char *at, size_t length, const char *word)
{
    return strlen(word) == length && strncmp(at, word, length) == 0;
}

static const char *add_word(textbuf *to, const char *at)
{
    size_t length = 0;
    while (is_letter(at[length]) || is_digit(at[length])) length++;
    const char *end = at + length;
    if (is_word(at, length, "double")) text_add(to, "float");
    else if (length > 4 && strncmp(at, "DBL_", 4) == 0) {
        text_add(to, "FLT_");
        text_add_n(to, at + 4, length - 4);
    } else text_add_n(to, at, length);
    if (*end == '(' && is_function(at, length)) text_add_char(to, 'f');
    return end;
}

/* 1, 1.5, 1e-5, 0x1.8p52; those that are no integers get an f. */
static const char *add_number(textbuf *to, const char *at)
{
    const int is_hexadecimal = at[0] == '0' && (at[1] == 'x' || at[1] == 'X');
    const char *end = at;
    int is_real = 0;
    for (; is_digit(*end) || is_letter(*end) || *end == '.' ||
           ((*end == '+' || *end == '-') && end > at && strchr(is_hexadecimal ? "pP" : "eE", end[-1]));
         end++)
        is_real |= *end == '.' || strchr(is_hexadecimal ? "pP" : "eE", *end) != NULL;
    double value;
    const int is_read = is_real && !is_hexadecimal && number_read(at, (size_t)(end - at), &value);
    if (is_read && value > 0 && value < (double)FLT_MIN) text_add(to, "FLT_MIN"); /* guards against a division by 0 */
    else if (is_read && value > (double)FLT_MAX) text_add(to, "FLT_MAX");
    else {
        text_add_n(to, at, (size_t)(end - at));
        if (is_real) text_add_char(to, 'f');
    }
    return end;
}

/* Up to behind `ending`, as it is. */
static const char *add_until(textbuf *to, const char *at, const char *from, const char *ending)
{
    const char *end = strstr(from, ending);
    end = end ? end + strlen(ending) : at + strlen(at);
    text_add_n(to, at, (size_t)(end - at));
    return end;
}

void export_single(const char *text, textbuf *to)
{
    static const char wide[] = "#if defined(__GNUC__) && defined(__FMA__) && !defined(__FAST_MATH__)\n";
    for (const char *at = text; *at;) {
        if (strncmp(at, wide, sizeof wide - 1) == 0) { /* sines of several angles at once are made of doubles' bits */
            text_add(to, "#if 0\n");
            at += sizeof wide - 1;
        } else if (strncmp(at, "/*", 2) == 0) at = add_until(to, at, at + 2, "*/");
        else if (*at == '"') at = add_until(to, at, at + 1, "\"");
        else if (is_letter(*at)) at = add_word(to, at);
        else if (is_digit(*at)) at = add_number(to, at);
        else text_add_char(to, *at++);
    }
}
