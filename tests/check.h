/* The whole test framework: CHECK, CHECK_NEAR, CHECK_TEXT and a closing line. */
#ifndef TESTS_CHECK_H
#define TESTS_CHECK_H

#include <math.h>
#include <stdio.h>
#include <string.h>

static int check_failures, check_count;

#define CHECK(claim)                                                                                                   \
    do {                                                                                                               \
        check_count++;                                                                                                 \
        if (!(claim)) {                                                                                                \
            check_failures++;                                                                                          \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #claim);                                      \
        }                                                                                                              \
    } while (0)

/* relative plus absolute; written so that NaN fails */
#define CHECK_NEAR(got, want, tolerance)                                                                               \
    do {                                                                                                               \
        const double g_ = (got), w_ = (want), e_ = fabs(g_ - w_);                                                      \
        check_count++;                                                                                                 \
        if (!(e_ <= (tolerance) * (1 + fabs(w_)))) {                                                                   \
            check_failures++;                                                                                          \
            fprintf(stderr, "%s:%d: %s = %.17g, want %.17g (error %.2e)\n", __FILE__, __LINE__, #got, g_, w_, e_);     \
        }                                                                                                              \
    } while (0)

#define CHECK_TEXT(got, want)                                                                                          \
    do {                                                                                                               \
        const char *g_ = (got), *w_ = (want);                                                                          \
        check_count++;                                                                                                 \
        if (!g_ || strcmp(g_, w_) != 0) {                                                                              \
            check_failures++;                                                                                          \
            fprintf(stderr, "%s:%d: %s is\n  %s\nwant\n  %s\n", __FILE__, __LINE__, #got, g_ ? g_ : "(null)", w_);     \
        }                                                                                                              \
    } while (0)

static inline int check_report(void)
{
    printf("%d checks, %d failed\n", check_count, check_failures);
    return check_failures != 0;
}

#endif
