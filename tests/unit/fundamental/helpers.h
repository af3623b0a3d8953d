/* What the tests of this room share: a generator of random numbers and the solve as one call. */
#ifndef TESTS_FUNDAMENTAL_HELPERS_H
#define TESTS_FUNDAMENTAL_HELPERS_H

#include <mech/fundamental.h>

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { LARGE = 128 };

typedef struct solution {
    double qdd[LARGE], a[LARGE], e[LARGE], Qi[LARGE], Qni[LARGE], lambda[LARGE], total[LARGE], Qc[LARGE], u[LARGE];
    mech_fundamental_output out;
} solution;

static inline void solution_clear(solution *s)
{
    memset(s, 0, sizeof *s);
    s->out = (mech_fundamental_output){.size = sizeof s->out,
                                       .qdd = s->qdd,
                                       .a = s->a,
                                       .e = s->e,
                                       .Qi = s->Qi,
                                       .Qni = s->Qni,
                                       .lambda = s->lambda,
                                       .reaction = s->total,
                                       .Qc = s->Qc,
                                       .u = s->u};
}

static inline mech_fundamental_input equation(const double *M, const double *Q, const double *A, const double *b)
{
    const mech_fundamental_input in = {.size = sizeof in, .M = M, .Q = Q, .A = A, .b = b};
    return in;
}

/* solve with a solver of its own */
static inline mech_status solve_once(int n, int m, const mech_fundamental_input *in, solution *s)
{
    mech_fundamental *f = NULL;
    mech_status status = mech_fundamental_create(n, m, NULL, &f);
    solution_clear(s);
    if (status == MECH_OK) status = mech_fundamental_solve(f, in, &s->out);
    mech_fundamental_free(f);
    return status;
}

/* xorshift64*, uniform in [-1, 1) */
static inline double uniform(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (double)((*state * 2685821657736338717u) >> 11) * 0x1p-52 - 1;
}

static inline double dot_of(int n, const double *x, const double *y)
{
    double sum = 0;
    for (int i = 0; i < n; i++) sum += x[i] * y[i];
    return sum;
}

#endif
