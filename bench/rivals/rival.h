/* What the programs of this folder share: the data of the problems, and how they are timed. Each program
   prints lines "WORK N NANOSECONDS ERROR": one acceleration (or what the engine calls its smallest piece of
   work), the least of many batches, and how far the acceleration at the start is off the exact one where that
   is known. */
#ifndef BENCH_RIVAL_H
#define BENCH_RIVAL_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* Andrews' squeezing mechanism (Hairer and Wanner, Solving ODEs II, VII.7) */
static const double andrews_mass[7] = {0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498};
static const double andrews_inertia[7] = {2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5};
static const double xa = -0.06934, ya = -0.00227, xb = -0.03635, yb = 0.03273, xc = 0.014, yc = 0.072;
static const double c0 = 4530, l0 = 0.07785, mom = 0.033;
static const double dd = 0.028, da = 0.0115, ee = 0.02, ea = 0.01421, rr = 0.007, ra = 0.00092, ss = 0.035;
static const double sa = 0.01874, sb = 0.01043, sc = 0.018, sd = 0.02, ta = 0.02308, tb = 0.00916, uu = 0.04;
static const double ua = 0.01228, ub = 0.00449, zf = 0.02, zt = 0.04, fa = 0.01421;
/* beta, Theta, gamma, Phi, delta, Omega, epsilon at the start, and beta'' there */
static const double andrews_start[7] = {
    -0.0617138900142764496, 0, 0.455279819163070380, 0.222668390165885885, 0.487364979543842550, -0.222668390165885885,
    1.23054744454982119};
static const double andrews_beta_dd = 14222.4439199541138705911625887;

static inline double rival_now(void)
{
    struct timespec ts;
    clock_gettime(CLOCK_MONOTONIC, &ts);
    return (double)ts.tv_sec + 1e-9 * (double)ts.tv_nsec;
}

/* Seconds of one call: the least over batches that fill about `most` seconds. */
static inline double rival_time(void (*work)(void *), void *what, double most)
{
    double best = INFINITY, start = rival_now();
    work(what);
    work(what);
    const double once = (rival_now() - start) / 2;
    const int calls = once < 1e-4 ? (int)(1e-3 / once) + 1 : 1;
    const double end = rival_now() + most;
    do {
        start = rival_now();
        for (int i = 0; i < calls; i++) work(what);
        best = fmin(best, (rival_now() - start) / calls);
    } while (rival_now() < end);
    return best;
}

static inline void rival_say(const char *work, int N, double seconds, double error)
{
    printf("%s %d %.1f %.1e\n", work, N, 1e9 * seconds, error);
    fflush(stdout);
}

/* Sizes to try, as long as one call stays below half a second. */
static const int rival_sizes[] = {1, 10, 40, 100, 400, 1000};
enum { RIVAL_SIZES = 6 };

#endif
