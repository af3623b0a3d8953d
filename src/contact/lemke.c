/* Lemke's method with lexicographic ratios on the friction problem as a linear complementarity problem

       y = M z + q,  y >= 0, z >= 0, y' z = 0

   with, for a contact that rests, z = (ln, f1, f2, ..., a), lt = sum of f_k e_k along edges e_k, a the speed of
   sliding:

       wn,   e_k . wt + a,   mu ln + bias - sum f_k

   and for one without friction or that slides z = ln alone. In a plane the edges are +-1 and this is exact; a cone has
   four, a start for Newton's method. It ends because the rows of the tableau stay lexicographically positive: no basis
   comes twice. docs/numerics.md */
#include "contact/room.h"

#include <math.h>
#include <string.h>

enum { STARTS = 4 };
static const double GOLDEN = 0.61803398874989485;

static size_t edges_of(contact_kind kind) { return kind == KIND_PLANAR ? 2 : kind == KIND_CONE ? 4 : 0; }

static size_t size_of(const part *s, size_t i)
{
    const size_t edges = edges_of(s->kind[i]);
    return edges ? edges + 2 : 1;
}

/* Forces along the rows of contact i by its z-th unknown; the last of one with edges is no force. */
static void column_of(const part *s, size_t i, size_t z, double l[1 + CONTACT_TANGENTS])
{
    l[0] = l[1] = l[2] = 0;
    if (z == 0) {
        l[0] = 1;
        if (s->kind[i] == KIND_SLIDER) part_force(s, i, OPTION_SLIDE, l);
    } else if (z <= edges_of(s->kind[i])) l[1 + (z - 1) / 2] = z % 2 ? 1 : -1;
}

typedef struct tableau {
    size_t n, width; /* columns: y, z, z0, q */
    double *T;       /* row-major            */
    size_t *basic;
} tableau;

static double *at(const tableau *t, size_t r) { return t->T + r * t->width; }

/* q and M, by contacts. Each start comes from another side: where rounding leads one astray others may end. */
static void fill(const part *s, const double *bias, int start, tableau *t)
{
    double l[1 + CONTACT_TANGENTS], e[1 + CONTACT_TANGENTS];
    size_t n = 0;
    for (size_t i = 0; i < s->contacts; i++) n += size_of(s, i);
    t->n = n, t->width = 2 * n + 2;
    memset(t->T, 0, n * t->width * sizeof *t->T);
    for (size_t i = 0, row = 0; i < s->contacts; row += size_of(s, i), i++)
        for (size_t a = 0; a < size_of(s, i); a++) {
            double *own = at(t, row + a);
            const size_t edges = edges_of(s->kind[i]);
            const int is_bound = edges && a == edges + 1;
            own[row + a] = 1;
            own[2 * n] = -1 - start * fmod((double)(row + a) * GOLDEN, 1);
            t->basic[row + a] = row + a;
            if (is_bound) {
                own[n + row] = -s->mu[i];
                for (size_t z = 1; z <= edges; z++) own[n + row + z] = 1;
                own[2 * n + 1] = bias ? bias[i] : 0;
                continue;
            }
            column_of(s, i, a, e);
            if (a == 0) e[1] = e[2] = 0; /* the row of the normal is the normal's alone, whatever slides */
            for (size_t k = 0, column = n; k < s->contacts; column += size_of(s, k), k++)
                for (size_t z = 0; z < size_of(s, k); z++) {
                    double sum = 0;
                    column_of(s, k, z, l);
                    for (size_t x = 0; x < s->first[i + 1] - s->first[i]; x++)
                        for (size_t y = 0; y < s->first[k + 1] - s->first[k]; y++)
                            sum += e[x] * l[y] * s->W[s->first[i] + x + (s->first[k] + y) * s->rows];
                    own[column + z] = -sum;
                }
            if (a > 0) own[n + row + edges + 1] = -1;
            for (size_t x = 0; x < s->first[i + 1] - s->first[i]; x++) own[2 * n + 1] += e[x] * s->c[s->first[i] + x];
        }
}

static void pivot(tableau *t, size_t r, size_t j)
{
    double *own = at(t, r);
    const double by = own[j];
    for (size_t k = 0; k < t->width; k++) own[k] /= by;
    own[j] = 1;
    for (size_t i = 0; i < t->n; i++) {
        double *other = at(t, i);
        const double f = other[j];
        if (i == r || f == 0) continue;
        for (size_t k = 0; k < t->width; k++) other[k] -= f * own[k];
        other[j] = 0;
    }
    t->basic[r] = j;
}

/* Sign of row a / a_j - row b / b_j, by q and then by the columns of y. */
static int compare(const tableau *t, size_t a, size_t b, size_t j)
{
    const double *x = at(t, a), *y = at(t, b);
    for (size_t k = 0; k <= t->n; k++) {
        const size_t column = k == 0 ? t->width - 1 : k - 1;
        const double p = x[column] / x[j], q = y[column] / y[j];
        if (fabs(p - q) > TOL_CONTACT_LEMKE * fmax(fabs(p), fabs(q))) return p < q ? -1 : 1;
    }
    return 0;
}

/* The row that leaves when j comes in; n: none, a ray. z0 leaves where it may. */
static size_t leaving(const tableau *t, size_t j)
{
    size_t best = t->n;
    for (size_t r = 0; r < t->n; r++) {
        if (!(at(t, r)[j] > TOL_CONTACT_LEMKE)) continue;
        if (best == t->n || compare(t, r, best, j) < 0) best = r;
    }
    for (size_t r = 0; r < t->n && best < t->n; r++) {
        const double own = at(t, r)[j];
        if (t->basic[r] != 2 * t->n || !(own > TOL_CONTACT_LEMKE)) continue;
        const double ratio = at(t, r)[t->width - 1] / own, least = at(t, best)[t->width - 1] / at(t, best)[j];
        if (ratio <= least + TOL_CONTACT_LEMKE * fabs(least)) return r;
    }
    return best;
}

/* Row to begin with: the lexicographically least. */
static size_t first_row(const tableau *t)
{
    size_t best = 0;
    for (size_t r = 1; r < t->n; r++) {
        const double *x = at(t, r), *y = at(t, best);
        const size_t q = t->width - 1, z0 = t->width - 2;
        /* by the covering vector, -z0; of equal ones the last: its unit vector is the least */
        if (x[q] / -x[z0] <= y[q] / -y[z0]) best = r;
    }
    return best;
}

static int run(tableau *t)
{
    size_t r = first_row(t);
    if (at(t, r)[t->width - 1] >= 0) return 1;
    size_t j = 2 * t->n, out = t->basic[r];
    pivot(t, r, j);
    for (size_t step = 0; step < 50 * (t->n + 10); step++) {
        j = out < t->n ? out + t->n : out - t->n; /* the complement of what left */
        r = leaving(t, j);
        if (r == t->n) return 0;
        out = t->basic[r];
        pivot(t, r, j);
        if (out == 2 * t->n) return 1;
    }
    return 0;
}

int lemke_forces(contact_room *room, const double *bias, double *l)
{
    const part *s = &room->now;
    tableau t = {.T = room->tableau, .basic = room->basic};
    double force[1 + CONTACT_TANGENTS];
    int is_found = 0;
    for (int start = 0; start < STARTS && !is_found; start++) {
        fill(s, bias, start, &t);
        is_found = run(&t);
    }
    if (!is_found) return 0;
    memset(l, 0, s->rows * sizeof *l);
    for (size_t r = 0; r < t.n; r++) {
        if (t.basic[r] < t.n || t.basic[r] >= 2 * t.n) continue;
        size_t i = 0, z = t.basic[r] - t.n;
        for (; z >= size_of(s, i); i++) z -= size_of(s, i);
        column_of(s, i, z, force);
        for (size_t x = 0; x < s->first[i + 1] - s->first[i]; x++)
            l[s->first[i] + x] += force[x] * fmax(at(&t, r)[t.width - 1], 0);
    }
    return 1;
}
