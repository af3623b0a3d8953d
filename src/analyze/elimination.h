/* Small linear systems of complex numbers. */
#ifndef ANALYZE_ELIMINATION_H
#define ANALYZE_ELIMINATION_H

#include "base/complex.h"
#include <stddef.h>

/* M x = b by elimination with pivots: M (n x n, by column) is changed, b becomes x. A pivot below `little` is what an
   eigenvalue gives: `little` stands for it. */
void elimination_solve(double complex *M, double complex *b, size_t n, double little);

#endif
