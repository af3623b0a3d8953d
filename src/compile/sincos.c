/* Cody and Waite's reduction by pi/2 in three parts of 33 bits, polynomials of fdlibm on [-pi/4, pi/4]. No
   fused operation, no rounding that depends on the width of vectors: all ways give the same bytes. Beyond |x|
   = 1e6, and for what is no number, the C library. */
#include "compile/sincos.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { W = SINCOS_BLOCK };
static const double FAR = 1e6;

static ALWAYS_INLINE double of_bits(uint64_t bits)
{
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static ALWAYS_INLINE uint64_t to_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static ALWAYS_INLINE void reduced(double x, double *sine, double *cosine)
{
    const double shifted = x * 0.63661977236758138 + 0x1.8p52, turns = shifted - 0x1.8p52;
    const uint64_t quadrant = to_bits(shifted);
    double r = x - turns * 1.57079632673412561417e+00;
    r = r - turns * 6.07710050630396597660e-11;
    r = r - turns * 2.02226624879595063154e-21;
    const double y = r * r, y2 = y * y, y4 = y2 * y2;
    const double s0 = -1.66666666666666324348e-01 + y * 8.33333333332248946124e-03;
    const double s1 = -1.98412698298579493134e-04 + y * 2.75573137070700676789e-06;
    const double s2 = -2.50507602534068634195e-08 + y * 1.58969099521155010221e-10;
    const double c0 = 4.16666666666666019037e-02 + y * -1.38888888888741095749e-03;
    const double c1 = 2.48015872894767294178e-05 + y * -2.75573143513906633035e-07;
    const double c2 = 2.08757232129817482790e-09 + y * -1.13596475577881948265e-11;
    const double sr = r + (r * y) * ((s0 + y2 * s1) + y4 * s2);
    const double half = y * 0.5, one = 1.0 - half;
    const double cr = one + (((1.0 - one) - half) + y2 * ((c0 + y2 * c1) + y4 * c2));
    const uint64_t swap = 0 - (quadrant & 1), si = to_bits(sr), ci = to_bits(cr);
    *sine = of_bits(((si & ~swap) | (ci & swap)) ^ ((quadrant & 2) << 62));
    *cosine = of_bits(((ci & ~swap) | (si & swap)) ^ (((quadrant + 1) & 2) << 62));
}

static ALWAYS_INLINE void block(const double *restrict x, double *restrict sine, double *restrict cosine)
{
    for (int i = 0; i < W; i++) reduced(x[i], &sine[i], &cosine[i]);
}

/* As whole numbers the bits of values that are not negative stand in the same order, infinities and what is
   no number last. */
static ALWAYS_INLINE int is_far(size_t count, const double *x)
{
    int64_t beyond[W] = {0}, any = 0;
    for (size_t at = 0; at < count; at += W)
        for (size_t i = 0; i < W; i++) beyond[i] |= (int64_t)(to_bits(FAR) - (to_bits(x[at + i]) & INT64_MAX));
    for (int i = 0; i < W; i++) any |= beyond[i];
    return any < 0;
}

/* Only those: what an angle gives does not depend on its neighbours. */
static void replace_far(size_t count, const double *x, double *sine, double *cosine)
{
    for (size_t i = 0; i < count; i++) {
        if (fabs(x[i]) <= FAR) continue;
        sine[i] = sin(x[i]);
        cosine[i] = cos(x[i]);
    }
}

static ALWAYS_INLINE void all(size_t count, const double *x, double *sine, double *cosine)
{
    const int far = is_far(count, x);
    for (size_t at = 0; at < count; at += W) block(x + at, sine + at, cosine + at);
    if (far) replace_far(count, x, sine, cosine);
}

void sincos_one(double x, double *sine, double *cosine)
{
    reduced(x, sine, cosine);
    replace_far(1, &x, sine, cosine);
}

static void plain(size_t count, const double *x, double *sine, double *cosine) { all(count, x, sine, cosine); }

#if HAS_TARGETS
WITH_AVX2 static void avx2(size_t count, const double *x, double *sine, double *cosine) { all(count, x, sine, cosine); }

WITH_AVX512 static void avx512(size_t count, const double *x, double *sine, double *cosine)
{
    all(count, x, sine, cosine);
}

sincos_vectors sincos_processor(void)
{
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) return VECTORS_AVX512;
    return __builtin_cpu_supports("avx2") ? VECTORS_AVX2 : VECTORS_PLAIN;
}

sincos_function sincos_by(sincos_vectors vectors)
{
    static const sincos_function ways[VECTORS_COUNT] = {plain, avx2, avx512};
    return ways[vectors];
}
#else
sincos_vectors sincos_processor(void) { return VECTORS_PLAIN; }
sincos_function sincos_by(sincos_vectors vectors)
{
    (void)vectors;
    return plain;
}
#endif
