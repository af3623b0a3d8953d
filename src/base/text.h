/* A growing text. After a failed allocation it stays failed and ignores further appends. */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stddef.h>
#include <stdint.h>

typedef struct textbuf {
    char *data; /* NUL-terminated once anything was appended */
    size_t length, capacity;
    int failed;
} textbuf;

void text_add(textbuf *t, const char *s);
void text_add_n(textbuf *t, const char *s, size_t n);
void text_add_char(textbuf *t, char c);
void text_format(textbuf *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A double independent of the locale: shortest of 15 to 17 digits that reads back to the same value. */
void text_add_double(textbuf *t, double value);
/* Appends `s` as the inside of a JSON string (quotes not included). */
void text_add_json(textbuf *t, const char *s);
/* A whole JSON string in its quotes; NULL: null. */
void text_add_string(textbuf *t, const char *s);
/* Whether s is a name as the language has them: a letter or _, then letters, digits and _, then indices: x_2, c[3],
   r[1,2][-1]; several of them with a '.' between, the names of parts first: leg[2].x. */
int text_is_name(const char *s);
/* A whole number in digits, at the end of `to`: where it begins. Names with indices are many, and printf would take ten
   times as long. */
enum { TEXT_INTEGER = 24 };
char *text_integer(char to[TEXT_INTEGER], int64_t value);
/* Which of `count` rows that have one name, from 0: "[3]" behind it, or "" where there is one. The only place that
   numbers rows. */
enum { TEXT_ROW = TEXT_INTEGER + 1 };
const char *text_row(char to[TEXT_ROW], size_t row, size_t count);
/* Hands the text to the caller (never NULL unless failed); the builder is empty afterwards. */
char *text_take(textbuf *t);
void text_free(textbuf *t);

#endif
