/* Rows that depend on others: their shares in one another, the least multipliers, which of them to do
 * without. */
#include "fundamental/sparse.h"

#include "base/mem.h"

#include <math.h>
#include <string.h>

enum { MOST_DEPENDENT = 256 };

/* (I + X X') x = y, X: (count x m) by rows; small and definite: Cholesky in place */
static void solve_small(size_t count, double *K, double *y)
{
    for (size_t j = 0; j < count; j++) {
        for (size_t k = 0; k < j; k++)
            for (size_t i = j; i < count; i++) K[i + j * count] -= K[i + k * count] * K[j + k * count];
        const double scale = 1 / sqrt(K[j + j * count]);
        for (size_t i = j; i < count; i++) K[i + j * count] *= scale;
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < i; k++) y[i] -= K[i + k * count] * y[k];
        y[i] /= K[i + i * count];
    }
    for (size_t i = count; i-- > 0;) {
        for (size_t k = i + 1; k < count; k++) y[i] -= K[k + i * count] * y[k];
        y[i] /= K[i + i * count];
    }
}

/* X (m x count): the dropped rows as sums of the kept ones, A_d = X' A_k. */
static size_t dependencies(sparse *s, uint32_t *which, double *X)
{
    const double *const A = s->slots + s->p->A_first;
    size_t count = 0;
    for (uint32_t r = 0; r < s->m; r++) {
        if (!s->dropped[r]) continue;
        memset(s->Q, 0, s->n * sizeof *s->Q);
        for (size_t k = 0; k < s->A_count; k++)
            if (s->A_row[k] == r) s->Q[s->A_column[k]] += A[k];
        sparse_run(s, s->Q, NULL, 1, s->da, s->dl);
        for (size_t i = 0; i < s->m; i++) X[i + count * s->m] = -s->dl[i];
        which[count++] = r;
    }
    return count;
}

/* The least norm of all lambda with A' lambda = A_k' mu is [mu - X y; y], (I + X' X) y = X' mu. */
static void share(sparse *s, size_t count, const uint32_t *which, const double *X, double *K, double *y, double *lambda)
{
    for (size_t d = 0; d < count; d++) {
        y[d] = 0;
        for (size_t r = 0; r < s->m; r++) y[d] += X[r + d * s->m] * lambda[r];
    }
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j <= i; j++) {
            double sum = i == j;
            for (size_t r = 0; r < s->m; r++) sum += X[r + i * s->m] * X[r + j * s->m];
            K[i + j * count] = sum;
        }
    solve_small(count, K, y);
    for (size_t d = 0; d < count; d++) {
        for (size_t r = 0; r < s->m; r++) lambda[r] -= X[r + d * s->m] * y[d];
        lambda[which[d]] = y[d];
    }
}

int sparse_least_norm(sparse *s, double *lambda)
{
    const size_t count = s->dropped_count;
    uint32_t which[MOST_DEPENDENT];
    if (count == 0) return 1;
    if (count > MOST_DEPENDENT) return 0;
    double *work = mem_alloc((count * s->m + count * count + count) * sizeof *work);
    if (!work) return 0;
    double *K = work + count * s->m;
    (void)dependencies(s, which, work);
    share(s, count, which, work, K, K + count * count, lambda);
    mem_free(work);
    return 1;
}

/* Row `in` takes the place of the dropped row number d: X turns as a table of a simplex step does. */
static void exchange(size_t m, size_t count, double *X, size_t d, uint32_t out, uint32_t in)
{
    double *own = X + d * m;
    const double pivot = own[in];
    own[in] = 0;
    for (size_t c = 0; c < count; c++) {
        if (c == d) continue;
        double *other = X + c * m;
        const double part = other[in] / pivot;
        other[in] = 0;
        for (size_t i = 0; i < m; i++) other[i] -= part * own[i];
        other[out] += part;
    }
    for (size_t i = 0; i < m; i++) own[i] /= -pivot;
    own[out] = 1 / pivot;
}

/* Of each dependency the row with the largest share, by the lengths of the rows, is the one to do without. */
static void exchange_all(sparse *s, size_t count, uint32_t *which, double *X)
{
    const size_t m = s->m;
    const double *const x = s->slots;
    const uint32_t *const diagonal = s->p->diagonal;
    for (int pass = 0, moved = 1; moved && pass < 4; pass++) {
        moved = 0;
        for (size_t d = 0; d < count; d++) {
            double most = 1.5; /* a clear gain, or it stays */
            uint32_t best = PLAN_NONE;
            for (uint32_t i = 0; i < m; i++) {
                if (X[i + d * m] == 0 || diagonal[i] == PLAN_NONE || diagonal[which[d]] == PLAN_NONE) continue;
                const double share = fabs(X[i + d * m]) * sqrt(x[diagonal[i]] / x[diagonal[which[d]]]);
                if (!(share > most)) continue;
                most = share;
                best = i;
            }
            if (best == PLAN_NONE) continue;
            exchange(m, count, X, d, which[d], best);
            which[d] = best;
            moved = 1;
        }
    }
}

int sparse_choose_dropped(sparse *s, unsigned char *chosen)
{
    const size_t count = s->dropped_count;
    uint32_t which[MOST_DEPENDENT];
    if (s->m) memcpy(chosen, s->dropped, s->m);
    if (count == 0) return 1;
    if (count > MOST_DEPENDENT) return 0;
    double *X = mem_alloc(count * s->m * sizeof *X);
    if (!X) return 0;
    (void)dependencies(s, which, X);
    exchange_all(s, count, which, X);
    memset(chosen, 0, s->m);
    for (size_t d = 0; d < count; d++) chosen[which[d]] = 1;
    mem_free(X);
    return 1;
}
