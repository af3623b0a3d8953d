/* Sine and cosine of many angles at once, by whatever vectors the processor has. The same bytes on every
 * processor. */
#ifndef COMPILE_SINCOS_H
#define COMPILE_SINCOS_H

#include <stddef.h>

enum { SINCOS_BLOCK = 8 };

/* What the processor has, for code compiled in several ways. */
typedef enum sincos_vectors { VECTORS_PLAIN, VECTORS_AVX2, VECTORS_AVX512, VECTORS_COUNT } sincos_vectors;
sincos_vectors sincos_processor(void);

/* count: a multiple of SINCOS_BLOCK; x is neither sine nor cosine */
typedef void (*sincos_function)(size_t count, const double *x, double *sine, double *cosine);
sincos_function sincos_by(sincos_vectors vectors);
/* The same bytes: for so few that filling a vector takes longer. */
void sincos_one(double x, double *sine, double *cosine);

#if defined(__x86_64__) && defined(__GNUC__)
#define WITH_AVX2 __attribute__((target("avx2")))
#if defined(__clang__) /* which knows no preference there, and drops the attribute for it */
#define WITH_AVX512 __attribute__((target("avx512f,avx512dq")))
#else
#define WITH_AVX512 __attribute__((target("avx512f,avx512dq,prefer-vector-width=512")))
#endif
#define HAS_TARGETS 1
#else
#define WITH_AVX2
#define WITH_AVX512
#define HAS_TARGETS 0
#endif

#if defined(__GNUC__)
#define ALWAYS_INLINE inline __attribute__((always_inline))
#else
#define ALWAYS_INLINE inline
#endif

#endif
