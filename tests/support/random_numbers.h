/* Repeatable random numbers: a linear congruence, its high bits used. */
#ifndef TESTS_SUPPORT_RANDOM_NUMBERS_H
#define TESTS_SUPPORT_RANDOM_NUMBERS_H

#include <stdint.h>

static uint64_t random_state = 20261115;

static inline uint64_t random_next(void)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return random_state;
}

static inline uint32_t random_below(uint32_t n) { return (uint32_t)((random_next() >> 33) % n); }

/* In [0.4, 1.4): clear of the zeros and poles at which models are singular. */
static inline double random_real(void) { return 0.4 + (double)(random_next() >> 40) * 0x1p-24; }

/* In [-1, 1). */
static inline double random_signed(void) { return (double)(random_next() >> 40) * 0x1p-23 - 1; }

#endif
