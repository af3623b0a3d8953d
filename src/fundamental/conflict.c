/* Conflicts: sets of rows that no acceleration satisfies, as small as can be found.

   Rows contradict one another when some w with A'w = 0 has w.b != 0; its support is the conflict. Single rows
   (0 = 1) and pairs of parallel rows are looked at directly; then a deletion filter: take a row out (keep the
   w with w_i = 0); if a contradiction is still there the row was not needed. What stays cannot lose a member
   and still be a conflict. */
#include "fundamental/diagnose.h"

#include <math.h>
#include <string.h>

int fundamental_eliminate(int m, double *W, int from, int count, int i, int *pivot)
{
    int best = from;
    for (int k = from + 1; k < count; k++)
        if (fabs(AT(W, i, k, m)) > fabs(AT(W, i, best, m))) best = k;
    if (!(fabs(AT(W, i, best, m)) > NOTHING)) return 0;
    for (int j = 0; j < m && best != from; j++) {
        const double keep = AT(W, j, from, m);
        AT(W, j, from, m) = AT(W, j, best, m);
        AT(W, j, best, m) = keep;
    }
    for (int k = 0; k < count; k++) {
        if (k == from) continue;
        const double ratio = AT(W, i, k, m) / AT(W, i, from, m);
        for (int j = 0; j < m; j++) AT(W, j, k, m) -= ratio * AT(W, j, from, m);
        AT(W, i, k, m) = 0;
    }
    pivot[from] = i;
    return 1;
}

/* b_i of the row at unit length, and the size against which a contradiction counts */
static void load_targets(mech_diagnosis *d, const mech_diagnosis_input *in)
{
    const mech_fundamental_input *eq = in->equation;
    const double rel = in->conflict_rel > 0 ? in->conflict_rel : 1e-8;
    const double *qdd = in->solution ? in->solution->qdd : NULL;
    for (int i = 0; i < d->m; i++) {
        const double length = d->length[i], scale = length > 0 ? 1 / length : 1;
        double terms = fabs(eq->b[i]);
        for (int j = 0; j < d->n && qdd; j++) terms += fabs(AT(eq->A, i, j, d->m) * qdd[j]);
        d->b[i] = eq->b[i] * scale;
        d->size[i] = (rel * terms + in->conflict_abs) * scale;
        d->alive[i] = !eq->active || eq->active[i];
    }
}

/* 1 when w.b stands clear of the size of its terms */
static int contradicts(const mech_diagnosis *d, const double *w)
{
    double sum = 0, size = 0;
    for (int i = 0; i < d->m; i++) {
        sum += w[i] * d->b[i];
        size += fabs(w[i]) * d->size[i];
    }
    return fabs(sum) > size;
}

/* 0 = something */
static int single(mech_diagnosis *d, unsigned char *set)
{
    for (int i = 0; i < d->m; i++)
        if (d->alive[i] && !(d->length[i] > 0) && fabs(d->b[i]) > d->size[i]) {
            set[i] = 1;
            return 1;
        }
    return 0;
}

/* two parallel rows with different right-hand sides */
static int pair(mech_diagnosis *d, unsigned char *set)
{
    const int n = d->n;
    for (int i = 0; i < d->m; i++)
        for (int k = i + 1; k < d->m; k++) {
            if (!d->alive[i] || !d->alive[k] || !(d->length[i] > 0) || !(d->length[k] > 0)) continue;
            const double *x = &AT(d->rows, 0, i, n), *y = &AT(d->rows, 0, k, n), size = d->length[i] * d->length[k];
            double along = 0, across = 0;
            for (int j = 0; j < n; j++) along += x[j] * y[j] / size;
            const double sign = along > 0 ? 1 : -1;
            for (int j = 0; j < n; j++) across = fmax(across, fabs(x[j] / d->length[i] - sign * y[j] / d->length[k]));
            if (across > NOTHING) continue;
            if (fabs(d->b[i] - sign * d->b[k]) > d->size[i] + d->size[k]) {
                set[i] = set[k] = 1;
                return 1;
            }
        }
    return 0;
}

/* does any of the vectors from..count-1 contradict? */
static int any(const mech_diagnosis *d, const double *W, int from, int count)
{
    for (int k = from; k < count; k++)
        if (contradicts(d, &AT(W, 0, k, d->m))) return 1;
    return 0;
}

/* the deletion filter, rows tried in the given direction; 0 when there is no contradiction */
static int filtered(mech_diagnosis *d, int count, int backwards, unsigned char *set)
{
    const int m = d->m;
    double *W = d->filter;
    int from = 0;
    memcpy(W, d->null, (size_t)m * (size_t)count * sizeof *W);
    for (int i = 0; i < m; i++)
        if (!d->alive[i] && fundamental_eliminate(m, W, from, count, i, d->pivot)) from++;
    if (!any(d, W, from, count)) return 0;
    for (int k = 0; k < m; k++) {
        const int i = backwards ? m - 1 - k : k;
        if (!d->alive[i]) continue;
        memcpy(d->trial, W, (size_t)m * (size_t)count * sizeof *W);
        if (!fundamental_eliminate(m, d->trial, from, count, i, d->pivot)) continue; /* takes no part */
        if (!any(d, d->trial, from + 1, count)) continue;                            /* needed */
        memcpy(W, d->trial, (size_t)m * (size_t)count * sizeof *W);
        from++;
    }
    for (int k = from; k < count; k++) {
        if (!contradicts(d, &AT(W, 0, k, m))) continue;
        double largest = 0;
        for (int i = 0; i < m; i++) largest = fmax(largest, fabs(AT(W, i, k, m)));
        for (int i = 0; i < m; i++) set[i] = d->alive[i] && fabs(AT(W, i, k, m)) > NOTHING * largest;
        return 1;
    }
    return 0;
}

static int members(int m, const unsigned char *set)
{
    int count = 0;
    for (int i = 0; i < m; i++) count += set[i];
    return count;
}

/* the smaller of what the filter finds in both directions */
static int several(mech_diagnosis *d, int count, unsigned char *set)
{
    unsigned char *other = d->spare;
    if (!filtered(d, count, 0, set)) return 0;
    memset(other, 0, (size_t)d->m);
    if (filtered(d, count, 1, other) && members(d->m, other) < members(d->m, set)) memcpy(set, other, (size_t)d->m);
    return 1;
}

int fundamental_find_conflicts(mech_diagnosis *d, const mech_diagnosis_input *in, int count)
{
    const int m = d->m;
    int found = 0;
    if (m == 0) return 0;
    load_targets(d, in);
    for (; found < m; found++) {
        unsigned char *set = d->in_conflict + (size_t)found * (size_t)m;
        memset(set, 0, (size_t)m);
        if (!single(d, set) && !pair(d, set) && !several(d, count, set)) break;
        int last = 0; /* one conflict is told; go on without its last member */
        for (int i = 0; i < m; i++)
            if (set[i]) last = i;
        d->alive[last] = 0;
    }
    return found;
}
