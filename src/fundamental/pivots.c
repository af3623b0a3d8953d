/* Pivots that serve at all points of a sample: threshold Markowitz on every one of them at once. */
#include "fundamental/null_room.h"

#include <math.h>
#include <string.h>

static const double CLEAR = 0.1;  /* a pivot beside the largest of its row                      */
static const double ZERO = 1e-12; /* what elimination leaves of an entry that is 0              */

typedef struct candidate {
    size_t row, column, fill;
    int is_same;
    double quality, size;
} candidate;

/* What the search looks at again and again: which entries are there, how many in rows and columns, and the
   largest of each row at each point. */
static void survey(null_room *k)
{
    const size_t n = k->n, rows = k->rows, all = rows * n;
    memset(k->across, 0, rows * sizeof *k->across);
    memset(k->down, 0, n * sizeof *k->down);
    memset(k->there, 0, all);
    for (size_t s = 0; s < k->samples->count; s++)
        for (size_t i = 0; i < rows; i++) {
            double most = 0;
            for (size_t j = 0; j < n && k->row_on[i]; j++) {
                const double size = k->column_on[j] ? fabs(k->scratch[s * all + i * n + j]) : 0;
                if (size > most) most = size;
                if (size > ZERO) k->there[i * n + j] = 1;
            }
            k->most[s * rows + i] = most;
        }
    for (size_t i = 0; i < rows; i++)
        for (size_t j = 0; j < n; j++) {
            k->across[i] += k->there[i * n + j];
            k->down[j] += k->there[i * n + j];
        }
}

/* Smallest |value| of an entry over the points: beside the largest of its row, and as it is. */
static void rate_entry(const null_room *k, candidate *c)
{
    const size_t n = k->n, all = k->rows * n;
    c->quality = c->size = HUGE_VAL;
    for (size_t s = 0; s < k->samples->count; s++) {
        const double size = fabs(k->scratch[s * all + c->row * n + c->column]), most = k->most[s * k->rows + c->row];
        c->size = fmin(c->size, size);
        c->quality = fmin(c->quality, most > 0 ? size / most : 0);
    }
    c->fill = (k->across[c->row] - 1) * (k->down[c->column] - 1);
}

/* A pivot that is clear at every point, then least fill, then one value throughout, then the clearest. */
static int is_better(const candidate *x, const candidate *y)
{
    const int x_clear = x->quality >= CLEAR, y_clear = y->quality >= CLEAR;
    if (x_clear != y_clear) return x_clear;
    if (!x_clear) return x->quality > y->quality;
    if (x->fill != y->fill) return x->fill < y->fill;
    if (x->is_same != y->is_same) return x->is_same;
    return x->quality > y->quality;
}

static int find_pivot(null_room *k, candidate *best)
{
    int found = 0;
    survey(k);
    for (size_t i = 0; i < k->rows; i++)
        for (size_t j = 0; j < k->n && k->row_on[i]; j++) {
            candidate c = {.row = i, .column = j, .is_same = k->same[i * k->n + j] && !k->changed[i * k->n + j]};
            if (!k->there[i * k->n + j]) continue;
            rate_entry(k, &c);
            if (!(c.size > ZERO)) continue;
            if (found && !is_better(&c, best)) continue;
            *best = c;
            found = 1;
        }
    return found;
}

static void take_out(null_room *k, size_t row, size_t column)
{
    const size_t n = k->n, all = k->rows * n;
    for (size_t s = 0; s < k->samples->count; s++) {
        double *V = k->scratch + s * all;
        const double *from = V + row * n;
        for (size_t i = 0; i < k->rows; i++) {
            const double factor = V[i * n + column] / from[column];
            if (!k->row_on[i] || i == row || factor == 0) continue;
            for (size_t j = 0; j < n; j++) {
                if (!k->column_on[j] || from[j] == 0) continue;
                V[i * n + j] -= factor * from[j];
                k->changed[i * n + j] = 1;
            }
        }
    }
    k->row_on[row] = k->column_on[column] = 0;
}

/* 1 when an entry has both signs along the walk. */
static int turns(const null_room *k, size_t at)
{
    const size_t all = k->rows * k->n;
    for (size_t s = 1; s < k->samples->walk; s++)
        if (signbit(k->scratch[s * all + at]) != signbit(k->scratch[at])) return 1;
    return 0;
}

double null_eliminate(null_room *k, size_t count, uint32_t *row, uint32_t *column, int *has_turned)
{
    double least = HUGE_VAL;
    memcpy(k->scratch, k->value, k->samples->count * k->rows * k->n * sizeof *k->value);
    memset(k->changed, 0, k->rows * k->n);
    for (size_t step = 0; step < count; step++) {
        candidate best = {0};
        if (!find_pivot(k, &best)) return -1;
        *has_turned |= turns(k, best.row * k->n + best.column);
        least = fmin(least, best.size);
        row[step] = (uint32_t)best.row;
        column[step] = (uint32_t)best.column;
        take_out(k, best.row, best.column);
    }
    return least;
}

double null_determinant(const null_room *k, const uint32_t row[2], const uint32_t column[2], int *has_turned)
{
    const size_t n = k->n, all = k->rows * n;
    double least = HUGE_VAL, first = 0;
    for (size_t s = 0; s < k->samples->count; s++) {
        const double *x = k->value + s * all + row[0] * n, *y = k->value + s * all + row[1] * n;
        const double det = x[column[0]] * y[column[1]] - x[column[1]] * y[column[0]];
        if (s == 0) first = det;
        *has_turned |= s < k->samples->walk && signbit(det) != signbit(first);
        least = fmin(least, fabs(det));
    }
    return least;
}
