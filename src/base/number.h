/* Numbers to text and back, independent of the locale. */
#ifndef BASE_NUMBER_H
#define BASE_NUMBER_H

#include <stddef.h>

enum { NUMBER_TEXT_SIZE = 32 };

/* The shortest of %.15g .. %.17g that reads back to the same double, always with a point. */
void number_shortest(double value, char buffer[NUMBER_TEXT_SIZE]);
/* printf's %.*g with a point whatever the locale. */
void number_general(double value, int digits, char buffer[NUMBER_TEXT_SIZE]);
/* Reads a decimal number that fills all of text[0..length): 1 done, 0 not a number. The nearest double. */
int number_read(const char *text, size_t length, double *value);

#endif
