/* printf and strtod follow the program's locale; here the decimal sign is always a point. */
#include "base/number.h"

#include "base/mem.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The locale's decimal sign, which may be longer than one byte. */
static const char *decimal_sign(void)
{
    const struct lconv *conventions = localeconv();
    const char *sign = conventions && conventions->decimal_point ? conventions->decimal_point : ".";
    return *sign ? sign : ".";
}

static void to_point(char *buffer)
{
    const char *sign = decimal_sign();
    if (strcmp(sign, ".") == 0) return;
    char *at = strstr(buffer, sign);
    if (!at) return;
    *at = '.';
    memmove(at + 1, at + strlen(sign), strlen(at + strlen(sign)) + 1);
}

void number_general(double value, int digits, char buffer[NUMBER_TEXT_SIZE])
{
    snprintf(buffer, NUMBER_TEXT_SIZE, "%.*g", digits, value);
    to_point(buffer);
}

void number_shortest(double value, char buffer[NUMBER_TEXT_SIZE])
{
    for (int digits = 15; digits <= 17; digits++) {
        double back;
        number_general(value, digits, buffer);
        if (number_read(buffer, strlen(buffer), &back) && back == value) return;
    }
}

int number_read(const char *text, size_t length, double *value)
{
    char small[128], *copy = small, *end;
    const char *sign = decimal_sign();
    const size_t extra = strlen(sign);
    if (length == 0) return 0;
    if (length + extra + 1 > sizeof small) {
        copy = mem_alloc(length + extra + 1);
        if (!copy) return 0;
    }
    size_t out = 0;
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '.' && extra && strcmp(sign, ".") != 0) {
            memcpy(copy + out, sign, extra);
            out += extra;
        } else {
            copy[out++] = text[i];
        }
        if (text[i] == '\0' || (text[i] == '.' && memchr(text + i + 1, '.', length - i - 1))) {
            if (copy != small) mem_free(copy);
            return 0;
        }
    }
    copy[out] = '\0';
    *value = strtod(copy, &end);
    const int whole = end == copy + out;
    if (copy != small) mem_free(copy);
    return whole;
}
