/* Text builder; all number formatting goes through here so that the locale never shows. */
#include "base/text.h"

#include "base/mem.h"
#include "base/number.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static int is_digit(char c) { return c >= '0' && c <= '9'; }
static int is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

/* [integer,integer,...] at s: what follows it, NULL when that is not what stands there. */
static const char *after_index(const char *s)
{
    do {
        s++;
        if (*s == '-') s++;
        if (!is_digit(*s)) return NULL;
        while (is_digit(*s)) s++;
    } while (*s == ',');
    return *s == ']' ? s + 1 : NULL;
}

int text_is_name(const char *s)
{
    for (;; s++) { /* from after one '.' to the next */
        if (!is_letter(*s)) return 0;
        while (is_letter(*s) || is_digit(*s)) s++;
        while (s && *s == '[') s = after_index(s);
        if (!s || *s != '.') return s && !*s;
    }
}

char *text_integer(char to[TEXT_INTEGER], int64_t value)
{
    char *at = to + TEXT_INTEGER - 1;
    uint64_t left = value < 0 ? -(uint64_t)value : (uint64_t)value;
    *at = '\0';
    do *--at = (char)('0' + left % 10);
    while (left /= 10);
    if (value < 0) *--at = '-';
    return at;
}

const char *text_row(char to[TEXT_ROW], size_t row, size_t count)
{
    if (count <= 1) return "";
    to[TEXT_INTEGER] = '\0';
    char *at = text_integer(to, (int64_t)row + 1);
    to[TEXT_INTEGER - 1] = ']';
    *--at = '[';
    return at;
}

static int reserve(textbuf *t, size_t more)
{
    if (t->failed) return 0;
    if (!mem_grow(&t->data, &t->capacity, t->length + more + 1, 1)) t->failed = 1;
    return !t->failed;
}

void text_add_n(textbuf *t, const char *s, size_t n)
{
    if (!reserve(t, n)) return;
    if (n) memcpy(t->data + t->length, s, n);
    t->length += n;
    t->data[t->length] = '\0';
}

void text_add(textbuf *t, const char *s) { text_add_n(t, s, strlen(s)); }

void text_add_char(textbuf *t, char c) { text_add_n(t, &c, 1); }

void text_format(textbuf *t, const char *format, ...)
{
    enum { MOST = 64 }; /* room for most, which are so worked out once */
    va_list args, again;
    if (!reserve(t, MOST)) return;
    va_start(args, format);
    va_copy(again, args);
    const size_t room = t->capacity - t->length;
    const int length = vsnprintf(t->data + t->length, room, format, args);
    va_end(args);
    if (length >= 0 && (size_t)length >= room && reserve(t, (size_t)length))
        vsnprintf(t->data + t->length, (size_t)length + 1, format, again);
    va_end(again);
    if (length >= 0 && !t->failed) t->length += (size_t)length;
    t->data[t->length] = '\0';
}

void text_add_double(textbuf *t, double value)
{
    char buffer[NUMBER_TEXT_SIZE];
    number_shortest(value, buffer);
    text_add(t, buffer);
}

void text_add_json(textbuf *t, const char *s)
{
    for (; *s; s++) {
        const unsigned char c = (unsigned char)*s;
        if (c == '"' || c == '\\') {
            text_add_char(t, '\\');
            text_add_char(t, (char)c);
        } else if (c == '\n') {
            text_add(t, "\\n");
        } else if (c < 0x20) {
            text_format(t, "\\u%04x", c);
        } else {
            text_add_char(t, (char)c);
        }
    }
}

void text_add_string(textbuf *t, const char *s)
{
    if (!s) {
        text_add(t, "null");
        return;
    }
    text_add_char(t, '"');
    text_add_json(t, s);
    text_add_char(t, '"');
}

char *text_take(textbuf *t)
{
    if (!t->data) reserve(t, 0);
    if (t->failed) {
        text_free(t);
        return NULL;
    }
    if (t->length == 0) t->data[0] = '\0';
    char *data = t->data;
    *t = (textbuf){0};
    return data;
}

void text_free(textbuf *t)
{
    mem_free(t->data);
    *t = (textbuf){0};
}
