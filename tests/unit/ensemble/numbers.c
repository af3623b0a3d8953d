/* Random numbers by counter, Sobol's points and the normal distribution against published values. */
#include "check.h"

#include "ensemble/numbers.h"

#include <math.h>
#include <string.h>

/* Known answers of Random123 (Salmon and others). */
static void philox_words(void)
{
    static const struct {
        uint32_t counter[4], key[2], out[4];
    } known[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5u, 0xe169c58du, 0xbc57ac4cu, 0x9b00dbd8u}},
        {{~0u, ~0u, ~0u, ~0u}, {~0u, ~0u}, {0x408f276du, 0x41c83b0eu, 0xa20bc7c6u, 0x6d5451fdu}},
        {{0x243f6a88u, 0x85a308d3u, 0x13198a2eu, 0x03707344u},
         {0xa4093822u, 0x299f31d0u},
         {0xd16cfe09u, 0x94fdccebu, 0x5001e420u, 0x24126ea1u}},
    };
    for (size_t k = 0; k < 3; k++) {
        uint32_t out[4];
        philox(known[k].counter, known[k].key, out);
        CHECK(memcmp(out, known[k].out, sizeof out) == 0);
    }
}

/* The sequence in its usual order (Gray code): first points of five dimensions, and point 777 of 64, as SciPy has
   them. */
static void sobol_points(void)
{
    static const double first[8][5] = {{0, 0, 0, 0, 0},
                                       {0.5, 0.5, 0.5, 0.5, 0.5},
                                       {0.75, 0.25, 0.25, 0.25, 0.75},
                                       {0.25, 0.75, 0.75, 0.75, 0.25},
                                       {0.375, 0.375, 0.625, 0.875, 0.375},
                                       {0.875, 0.875, 0.125, 0.375, 0.875},
                                       {0.625, 0.125, 0.875, 0.625, 0.625},
                                       {0.125, 0.625, 0.375, 0.125, 0.125}};
    static const uint32_t later[64] = {
        2973761536, 4022337536, 700448768,  1178599424, 2730491904, 1530920960, 817889280,  3275751424,
        1497366528, 1388314624, 3200253952, 2990538752, 1648361472, 2034237440, 2445279232, 2210398208,
        1732247552, 3711959040, 1589641216, 3233808384, 1019215872, 1170210816, 4064280576, 2067791872,
        1480589312, 624951296,  255852544,  3351248896, 272629760,  473956352,  2327838720, 3862953984,
        482344960,  12582912,   3460300800, 4064280576, 1983905792, 1505755136, 1472200704, 1539309568,
        3099590656, 1145044992, 4072669184, 1723858944, 1379926016, 650117120,  1614807040, 138412032,
        3334471680, 4089446400, 356515840,  155189248,  2646605824, 3040870400, 2973761536, 3913285632,
        1530920960, 2772434944, 3443523584, 2369781760, 2202009600, 2101346304, 591396864,  1832910848};
    for (uint32_t n = 0; n < 8; n++)
        for (unsigned d = 0; d < 5; d++) CHECK(sobol_bits(n ^ n >> 1, d) * 0x1p-32 == first[n][d]);
    for (unsigned d = 0; d < 64; d++) CHECK(sobol_bits(777 ^ 777 >> 1, d) == later[d]);
}

/* A net: of 256 points each of 256 parts of an axis has one, shifted or not. */
static void sobol_is_a_net(void)
{
    for (unsigned d = 0; d < SOBOL_DIMENSIONS; d++) {
        unsigned char has[256] = {0};
        size_t parts = 0;
        for (uint32_t n = 0; n < 256; n++) {
            const double x = sobol_at(7, n, d);
            CHECK(x > 0 && x < 1);
            parts += has[(size_t)(x * 256)]++ == 0;
        }
        CHECK(parts == 256);
    }
}

static void quantiles(void)
{
    static const double known[][2] = {{0.5, 0},
                                      {0.975, 1.959963984540054},
                                      {0.001, -3.090232306167813},
                                      {1e-10, -6.361340902404056},
                                      {0.3, -0.5244005127080409},
                                      {0.841344746068543, 1.0}};
    for (size_t k = 0; k < 6; k++) CHECK_NEAR(normal_quantile(known[k][0]), known[k][1], 2e-14);
    for (double p = 0x1p-54; p < 1; p += 0.01) {
        const double x = normal_quantile(p);
        CHECK_NEAR(erfc(-x / sqrt(2)) / 2 / p, 1, 1e-12);
    }
}

/* Means, variances and correlation of streams. */
static void random_streams(void)
{
    enum { N = 20000 };
    double sum = 0, square = 0, both = 0;
    for (uint64_t k = 0; k < N; k++) {
        const double x = random_at(1, k, 0) - 0.5, y = random_at(1, k, 1) - 0.5;
        sum += x;
        square += x * x;
        both += x * y;
    }
    CHECK_NEAR(sum / N, 0, 5 * sqrt(1.0 / 12 / N));
    CHECK_NEAR(square / N, 1.0 / 12, 5 * sqrt(1.0 / 180 / N));
    CHECK_NEAR(both / N, 0, 5.0 / 12 / sqrt(N));
    CHECK(random_at(1, 0, 0) != random_at(2, 0, 0));
}

int main(void)
{
    philox_words();
    sobol_points();
    sobol_is_a_net();
    quantiles();
    random_streams();
    return check_report();
}
