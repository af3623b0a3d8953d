/* Numbers by index: random ones by counter, Sobol's points, the normal distribution. */
#ifndef ENSEMBLE_NUMBERS_H
#define ENSEMBLE_NUMBERS_H

#include <stdint.h>

/* Philox 4x32-10 (Salmon and others, 2011): four words from a counter and a key. */
void philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);
/* In (0, 1): number `index` of the stream `column` of this seed. */
double random_at(uint64_t seed, uint64_t index, uint32_t column);

enum { SOBOL_DIMENSIONS = 64 };
/* 32 bits of coordinate `dimension` of point `index`, in the order of the index (no Gray code). */
uint32_t sobol_bits(uint32_t index, unsigned dimension);
/* In (0, 1), with a digital shift by the seed: the points stay a net, none is at 0. */
double sobol_at(uint64_t seed, uint32_t index, unsigned dimension);

/* x with a part p of the normal distribution below it. */
double normal_quantile(double p);

#endif
