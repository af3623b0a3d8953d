/* Greek letters by themselves or by name: the letter alpha and the word "alpha" are one name. */
#ifndef BASE_GREEK_H
#define BASE_GREEK_H

#include <stddef.h>

/* 1: a Greek letter stands at `at`, of *size bytes, called *spelling. */
int greek_letter(const char *at, size_t available, size_t *size, const char **spelling);
/* 1: the same name, letters spelt out. */
int greek_same(const char *a, size_t a_length, const char *b, size_t b_length);

#endif
