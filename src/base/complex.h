/* Complex numbers, with the one macro that some C libraries lack. */
#ifndef BASE_COMPLEX_H
#define BASE_COMPLEX_H

#include <complex.h>

#ifndef CMPLX
#define CMPLX(re, im) __builtin_complex((double)(re), (double)(im))
#endif

#endif
