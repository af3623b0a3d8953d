/* Random numbers by counter, Sobol's points by index, and the normal distribution. */
#include "ensemble/numbers.h"

#include <math.h>

/* ---- by counter ---- */

void philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4])
{
    uint32_t c[4] = {counter[0], counter[1], counter[2], counter[3]}, k0 = key[0], k1 = key[1];
    for (int round = 0; round < 10; round++) {
        const uint64_t a = (uint64_t)0xD2511F53u * c[0], b = (uint64_t)0xCD9E8D57u * c[2];
        const uint32_t next[4] = {(uint32_t)(b >> 32) ^ c[1] ^ k0, (uint32_t)b, (uint32_t)(a >> 32) ^ c[3] ^ k1,
                                  (uint32_t)a};
        for (int i = 0; i < 4; i++) c[i] = next[i];
        k0 += 0x9E3779B9u;
        k1 += 0xBB67AE85u;
    }
    for (int i = 0; i < 4; i++) out[i] = c[i];
}

static void words_at(uint64_t seed, uint64_t index, uint32_t column, uint32_t purpose, uint32_t out[4])
{
    const uint32_t counter[4] = {(uint32_t)index, (uint32_t)(index >> 32), column, purpose},
                   key[2] = {(uint32_t)seed, (uint32_t)(seed >> 32)};
    philox(counter, key, out);
}

double random_at(uint64_t seed, uint64_t index, uint32_t column)
{
    uint32_t word[4];
    words_at(seed, index, column, 0, word);
    const uint64_t bits = ((uint64_t)word[1] << 32 | word[0]) >> 11; /* 53 of them */
    return fmin(((double)bits + 0.5) * 0x1p-53, 1 - 0x1p-53);
}

/* ---- by Sobol ---- */

/* Primitive polynomials and first direction numbers of dimensions 2, 3, ...: S. Joe and F. Y. Kuo, "Constructing Sobol
   sequences with better two-dimensional projections", SIAM J. Sci. Comput. 30 (2008), new-joe-kuo-6. */
typedef struct direction {
    unsigned degree, inner; /* of the polynomial, and its coefficients between the first and the last */
    uint32_t m[9];
} direction;

static const direction directions[SOBOL_DIMENSIONS - 1] = {
    /* clang-format off */
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
    {6, 22, {1, 3, 1, 15, 13, 25}},
    {6, 25, {1, 1, 5, 5, 19, 61}},
    {7, 1, {1, 3, 7, 11, 23, 15, 103}},
    {7, 4, {1, 3, 7, 13, 13, 15, 69}},
    {7, 7, {1, 1, 3, 13, 7, 35, 63}},
    {7, 8, {1, 3, 5, 9, 1, 25, 53}},
    {7, 14, {1, 3, 1, 13, 9, 35, 107}},
    {7, 19, {1, 3, 1, 5, 27, 61, 31}},
    {7, 21, {1, 1, 5, 11, 19, 41, 61}},
    {7, 28, {1, 3, 5, 3, 3, 13, 69}},
    {7, 31, {1, 1, 7, 13, 1, 19, 1}},
    {7, 32, {1, 3, 7, 5, 13, 19, 59}},
    {7, 37, {1, 1, 3, 9, 25, 29, 41}},
    {7, 41, {1, 3, 5, 13, 23, 1, 55}},
    {7, 42, {1, 3, 7, 3, 13, 59, 17}},
    {7, 50, {1, 3, 1, 3, 5, 53, 69}},
    {7, 55, {1, 1, 5, 5, 23, 33, 13}},
    {7, 56, {1, 1, 7, 7, 1, 61, 123}},
    {7, 59, {1, 1, 7, 9, 13, 61, 49}},
    {7, 62, {1, 3, 3, 5, 3, 55, 33}},
    {8, 14, {1, 3, 1, 15, 31, 13, 49, 245}},
    {8, 21, {1, 3, 5, 15, 31, 59, 63, 97}},
    {8, 22, {1, 3, 1, 11, 11, 11, 77, 249}},
    {8, 38, {1, 3, 1, 11, 27, 43, 71, 9}},
    {8, 47, {1, 1, 7, 15, 21, 11, 81, 45}},
    {8, 49, {1, 3, 7, 3, 25, 31, 65, 79}},
    {8, 50, {1, 3, 1, 1, 19, 11, 3, 205}},
    {8, 52, {1, 1, 5, 9, 19, 21, 29, 157}},
    {8, 56, {1, 3, 7, 11, 1, 33, 89, 185}},
    {8, 67, {1, 3, 3, 3, 15, 9, 79, 71}},
    {8, 70, {1, 3, 7, 11, 15, 39, 119, 27}},
    {8, 84, {1, 1, 3, 1, 11, 31, 97, 225}},
    {8, 97, {1, 1, 1, 3, 23, 43, 57, 177}},
    {8, 103, {1, 3, 7, 7, 17, 17, 37, 71}},
    {8, 115, {1, 3, 1, 5, 27, 63, 123, 213}},
    {8, 122, {1, 1, 3, 5, 11, 43, 53, 133}},
    {9, 8, {1, 3, 5, 5, 29, 17, 47, 173, 479}},
    {9, 13, {1, 3, 3, 11, 3, 1, 109, 9, 69}},
    {9, 16, {1, 1, 1, 5, 17, 39, 23, 5, 343}},
    {9, 22, {1, 3, 1, 5, 25, 15, 31, 103, 499}},
    {9, 25, {1, 1, 1, 11, 11, 17, 63, 105, 183}},
    {9, 44, {1, 1, 5, 11, 9, 29, 97, 231, 363}},
    {9, 47, {1, 1, 5, 15, 19, 45, 41, 7, 383}},
    {9, 52, {1, 3, 7, 7, 31, 19, 83, 137, 221}},
    {9, 55, {1, 1, 1, 3, 23, 15, 111, 223, 83}},
    {9, 59, {1, 1, 5, 13, 31, 15, 55, 25, 161}},
    {9, 62, {1, 1, 3, 13, 25, 47, 39, 87, 257}},
    /* clang-format on */
};

uint32_t sobol_bits(uint32_t index, unsigned dimension)
{
    uint32_t v[32], bits = 0;
    if (dimension == 0)
        for (int i = 0; i < 32; i++) v[i] = 1u << (31 - i);
    else {
        const direction *d = &directions[dimension - 1];
        const unsigned s = d->degree;
        for (unsigned i = 0; i < s; i++) v[i] = d->m[i] << (31 - i);
        for (unsigned i = s; i < 32; i++) {
            v[i] = v[i - s] ^ (v[i - s] >> s);
            for (unsigned k = 1; k < s; k++)
                if (d->inner >> (s - 1 - k) & 1u) v[i] ^= v[i - k];
        }
    }
    for (unsigned i = 0; i < 32; i++)
        if (index >> i & 1u) bits ^= v[i];
    return bits;
}

double sobol_at(uint64_t seed, uint32_t index, unsigned dimension)
{
    uint32_t word[4];
    words_at(seed, 0, dimension, 1, word);
    return ((double)(sobol_bits(index, dimension) ^ word[0]) + 0.5) * 0x1p-32;
}

/* ---- the normal distribution ---- */

/* A first guess to four digits (Hastings, in Abramowitz and Stegun 26.2.23), then Newton's method with what erfc
   says. */
double normal_quantile(double p)
{
    if (p > 0.5) return -normal_quantile(1 - p);
    const double t = sqrt(-2 * log(p));
    double x = -(t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308))));
    for (int i = 0; i < 4; i++) {
        const double below = erfc(-x / sqrt(2)) / 2, slope = exp(-x * x / 2) / sqrt(2 * acos(-1)),
                     step = (below - p) / slope;
        x -= step / (1 + x * step / 2); /* Halley's, since the second derivative is known */
    }
    return x;
}
