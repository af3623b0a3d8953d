/* A small system with its pattern, for the tests of plans. */
#ifndef TESTS_PLAN_EXAMPLE_H
#define TESTS_PLAN_EXAMPLE_H

#include "fundamental/plan.h"

#include <stdlib.h>
#include <string.h>

enum { N = 14, ROWS = 12 };

static uint64_t random_state = 20261115;

static inline double random_real(void)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(random_state >> 40) * 0x1p-23 - 1;
}

typedef struct example {
    int n, m;
    double M[N * N], A[ROWS * N], Q[N], b[ROWS]; /* dense, by column */
    uint32_t M_row[N * N], M_column[N * N], A_row[ROWS * N], A_column[ROWS * N];
    size_t M_count, A_count;
} example;

static inline void list_entries(example *x)
{
    x->M_count = x->A_count = 0;
    for (int j = 0; j < x->n; j++)
        for (int i = j; i < x->n; i++)
            if (x->M[i + j * x->n] != 0) {
                x->M_row[x->M_count] = (uint32_t)i;
                x->M_column[x->M_count++] = (uint32_t)j;
            }
    for (int i = 0; i < x->m; i++)
        for (int j = 0; j < x->n; j++)
            if (x->A[i + j * x->m] != 0) {
                x->A_row[x->A_count] = (uint32_t)i;
                x->A_column[x->A_count++] = (uint32_t)j;
            }
}

static inline plan_spec example_spec(const example *x, const unsigned char *monitored)
{
    return (plan_spec){.n = (size_t)x->n,
                       .m = (size_t)x->m,
                       .M = {x->M_count, x->M_row, x->M_column},
                       .A = {x->A_count, x->A_row, x->A_column},
                       .monitored = monitored,
                       .most_ops = 100000};
}

/* New slots with the inputs in place. */
static inline double *slots_of(const example *x, const plan *p)
{
    double *s = calloc(p->slot_count, sizeof *s);
    for (size_t i = 0; i < x->M_count; i++) s[i] = x->M[x->M_row[i] + x->M_column[i] * (uint32_t)x->n];
    for (size_t i = 0; i < x->A_count; i++) s[p->A_first + i] = x->A[x->A_row[i] + x->A_column[i] * (uint32_t)x->m];
    memcpy(s + p->Q_first, x->Q, (size_t)x->n * sizeof *s);
    memcpy(s + p->b_first, x->b, (size_t)x->m * sizeof *s);
    return s;
}

#endif
