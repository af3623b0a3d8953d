/* UTF-8, and Greek letters spelt out: the letter alpha and the word "alpha" are one name. */
#include "lang/lexer.h"
#include "lang/limits.h"
#include "base/greek.h"

#include <string.h>

/* Bytes of the valid sequence at s, 0 when it is not valid (overlong, surrogate, cut short, NUL). */
static size_t sequence(const unsigned char *s, size_t left)
{
    if (s[0] == 0) return 0;
    if (s[0] < 0x80) return 1;
    const size_t size = s[0] >= 0xC2 && s[0] <= 0xDF   ? 2
                        : (s[0] & 0xF0) == 0xE0        ? 3
                        : s[0] >= 0xF0 && s[0] <= 0xF4 ? 4
                                                       : 0;
    if (size == 0 || size > left) return 0;
    for (size_t i = 1; i < size; i++)
        if ((s[i] & 0xC0) != 0x80) return 0;
    if (s[0] == 0xE0 && s[1] < 0xA0) return 0;
    if (s[0] == 0xED && s[1] > 0x9F) return 0;
    if (s[0] == 0xF0 && s[1] < 0x90) return 0;
    if (s[0] == 0xF4 && s[1] > 0x8F) return 0;
    return size;
}

size_t lang_utf8_invalid(const char *text, size_t length)
{
    const unsigned char *s = (const unsigned char *)text;
    size_t at = 0;
    while (at < length) {
        const size_t size = sequence(s + at, length - at);
        if (size == 0) return at;
        at += size;
    }
    return length;
}

size_t lang_canonical(const char *name, size_t length, char *buffer)
{
    size_t used = 0;
    for (size_t i = 0; i < length;) {
        size_t size = 1;
        const char *spelling = NULL;
        const int greek = greek_letter(name + i, length - i, &size, &spelling);
        const size_t add = greek ? strlen(spelling) : 1;
        if (used + add > LANG_MAX_NAME) return 0;
        memcpy(buffer + used, greek ? spelling : name + i, add);
        used += add;
        i += greek ? size : 1;
    }
    buffer[used] = '\0';
    return used;
}
