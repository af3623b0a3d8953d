/* The fundamental equation for dense systems, free of dependencies: see small.h for the mathematics. */
#include "fundamental/small.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define AT(matrix, i, j, ld) ((matrix)[(size_t)(i) + (size_t)(j) * (size_t)(ld)])

static int smaller(int a, int b) { return a < b ? a : b; }

/* sum of x_i y_i; four chains, so that additions overlap */
static inline double dot(int n, const double *restrict x, const double *restrict y)
{
    double a = 0, b = 0, c = 0, d = 0;
    int i = 0;
    for (; i + 3 < n; i += 4) {
        a += x[i] * y[i];
        b += x[i + 1] * y[i + 1];
        c += x[i + 2] * y[i + 2];
        d += x[i + 3] * y[i + 3];
    }
    for (; i < n; i++) a += x[i] * y[i];
    return (a + b) + (c + d);
}

/* y = y - a x; by four, which compilers turn into vector instructions without being asked to */
static inline void subtract(int n, double a, const double *restrict x, double *restrict y)
{
    int i = 0;
    for (; i + 3 < n; i += 4) {
        y[i] -= a * x[i];
        y[i + 1] -= a * x[i + 1];
        y[i + 2] -= a * x[i + 2];
        y[i + 3] -= a * x[i + 3];
    }
    for (; i < n; i++) y[i] -= a * x[i];
}

size_t small_doubles(int n, int m)
{
    const size_t N = (size_t)n, R = (size_t)m, K = (size_t)smaller(n, m);
    return N * N + 2 * N * R + 5 * N + 3 * K + 5 * R + 1;
}

size_t small_integers(int n, int m) { return 2 * (size_t)n + 2 * (size_t)m + 1; }

void small_place(small_solve *s, int n, int m, double *numbers, int *integers)
{
    const size_t N = (size_t)n, R = (size_t)m, K = (size_t)smaller(n, m);
    memset(s, 0, sizeof *s);
    s->n = n;
    s->m = m;
    s->L = numbers;
    s->X = s->L + N * N;
    s->B = s->X + N * R;
    s->scale = s->B + N * R;
    s->g = s->scale + N;
    s->c = s->g + N;
    s->p = s->c + N;
    s->y = s->p + N;
    s->tau = s->y + N;
    s->zeta = s->tau + K;
    s->inverse = s->zeta + K;
    s->least = s->inverse + K;
    s->weight = s->least + R;
    s->left = s->weight + R;
    s->since = s->left + R;
    s->t = s->since + R;
    s->order = integers;
    s->culprit = s->order + N;
    s->row = s->culprit + N;
    s->place = s->row + R;
}

/* A row below zero_tol of the largest is a 0 = 0 row at rounding level and never counts; any other is
   dependent when the rows before it leave no more than rank_tol of itself, the sine of its angle to them.
   Rows are not brought to unit length, and a row that is small by choice of units stays a constraint. */
double small_least(double own2, double largest2, double rank_tol, double zero_tol)
{
    return own2 <= zero_tol * zero_tol * largest2 ? own2 : rank_tol * rank_tol * own2;
}

void small_start(small_solve *s, double rank_tol, double zero_tol)
{
    s->rows = s->rank = s->semi = s->culprits = 0;
    s->largest = 0;
    s->rank_tol = rank_tol;
    s->zero_tol = zero_tol > 0 ? zero_tol : 100 * DBL_EPSILON;
}

/* ---- M = L L' ---- */

/* A pivot far below its diagonal entry says that M is nearly singular, and without pivoting cannot say how
 * nearly. */
int small_mass_is_clear(double pivot, double diagonal) { return pivot > 1e-6 * diagonal && pivot <= DBL_MAX; }

/* M = L L', column by column: 1 done, 0 M is not clearly definite (or, when `forced`, a pivot is not
 * positive) */
static int factor_mass(small_solve *s, const double *M, int forced)
{
    const int n = s->n;
    double *L = s->L;
    for (int j = 0; j < n; j++) memcpy(&AT(L, j, j, n), &AT(M, j, j, n), (size_t)(n - j) * sizeof *L);
    for (int j = 0; j < n; j++) {
        const double pivot = AT(L, j, j, n);
        if (!(forced ? pivot > 0 : small_mass_is_clear(pivot, AT(M, j, j, n)))) return 0;
        const double root = sqrt(pivot), inverse = root * (1 / pivot); /* the two overlap */
        double *column = &AT(L, 0, j, n);
        column[j] = root;
        s->scale[j] = inverse;
        for (int i = j + 1; i < n; i++) column[i] *= inverse;
        for (int k = j + 1; k < n; k++)
            if (column[k] != 0) subtract(n - k, column[k], column + k, &AT(L, k, k, n));
    }
    return 1;
}

/* x = L^-1 x */
static void solve_lower(const small_solve *s, double *x)
{
    const int n = s->n;
    for (int j = 0; j < n; j++) {
        x[j] *= s->scale[j];
        if (x[j] != 0) subtract(n - j - 1, x[j], &AT(s->L, j, j, n) + 1, x + j + 1);
    }
}

/* x = L^-T x */
static void solve_upper(const small_solve *s, double *x)
{
    const int n = s->n;
    for (int j = n - 1; j >= 0; j--)
        x[j] = (x[j] - dot(n - j - 1, &AT(s->L, j, j, n) + 1, x + j + 1)) * s->scale[j];
}

/* y = L x */
static void times_lower(const small_solve *s, const double *x, double *y)
{
    const int n = s->n;
    memset(y, 0, (size_t)n * sizeof *y);
    for (int j = 0; j < n; j++) subtract(n - j, -x[j], &AT(s->L, j, j, n), y + j);
}

/* y = M x from the lower triangle */
static void times_mass(int n, const double *M, const double *x, double *y)
{
    memset(y, 0, (size_t)n * sizeof *y);
    for (int j = 0; j < n; j++) {
        y[j] += AT(M, j, j, n) * x[j];
        for (int i = j + 1; i < n; i++) {
            y[i] += AT(M, i, j, n) * x[j];
            y[j] += AT(M, i, j, n) * x[i];
        }
    }
}

/* ---- the rows: B' P = Q R, [R11 R12] = [T 0] Z ---- */

void small_load_rows(small_solve *s, const double *A, const unsigned char *active)
{
    s->rows = 0;
    for (int i = 0; i < s->m; i++)
        if (!active || active[i]) s->row[s->rows++] = i;
    if (s->rows == s->m) {
        if (s->m > 0) memcpy(s->B, A, (size_t)s->m * (size_t)s->n * sizeof *s->B);
        return;
    }
    for (int j = 0; j < s->n; j++)
        for (int i = 0; i < s->rows; i++) AT(s->B, i, j, s->rows) = AT(A, s->row[i], j, s->m);
}

/* in squares that stay in the cache */
void small_transpose_rows(small_solve *s)
{
    enum { SIDE = 16 };
    const int n = s->n, rows = s->rows;
    for (int top = 0; top < rows; top += SIDE)
        for (int left = 0; left < n; left += SIDE)
            for (int i = top; i < smaller(top + SIDE, rows); i++)
                for (int j = left; j < smaller(left + SIDE, n); j++) AT(s->X, j, i, n) = AT(s->B, i, j, rows);
}

/* B = A L^-T, column by column; a zero of L (M in blocks) costs nothing */
static void divide_rows(small_solve *s)
{
    const int n = s->n, rows = s->rows;
    for (int j = 0; j < n; j++) {
        double *column = &AT(s->B, 0, j, rows);
        for (int k = 0; k < j; k++)
            if (AT(s->L, j, k, n) != 0) subtract(rows, AT(s->L, j, k, n), &AT(s->B, 0, k, rows), column);
        for (int i = 0; i < rows; i++) column[i] *= s->scale[j];
    }
}

/* swap places a and b */
static void swap_rows(small_solve *s, int a, int b)
{
    double *x = &AT(s->X, 0, a, s->n), *y = &AT(s->X, 0, b, s->n);
    const int row = s->row[a];
    for (int i = 0; i < s->n; i++) {
        const double keep = x[i];
        x[i] = y[i];
        y[i] = keep;
    }
    s->row[a] = s->row[b];
    s->row[b] = row;
    s->least[b] = s->least[a]; /* those of place a are not read again */
    s->weight[b] = s->weight[a];
    s->left[b] = s->left[a];
    s->since[b] = s->since[a];
}

/* The reflector I - tau v v', v = (1, x), that takes (*first, x) to (*first, 0). */
static inline double reflector(double *first, double rest2, int count, double *x)
{
    if (!(rest2 > 0)) return 0;
    const double length = sqrt(*first * *first + rest2), beta = *first > 0 ? -length : length;
    const double tau = (beta - *first) / beta, shrink = 1 / (*first - beta);
    for (int i = 0; i < count; i++) x[i] *= shrink;
    *first = beta;
    return tau;
}

/* The row at the largest angle to those before it, among the rows that still count; -1 when none does. By
   angle and not by size: otherwise the largest rows come first whatever their angles, and badly scaled rows
   spoil the rank. The row whose turn it is goes first if its sine is within half of the best: most exchanges
   gain nothing. */
static inline int choose_row(const small_solve *s, int k)
{
    double most = 0;
    int best = -1;
    for (int j = k; j < s->rows; j++) {
        const double sine2 = s->left[j] * s->weight[j];
        if (sine2 > most && s->left[j] > s->least[j]) {
            most = sine2;
            best = j;
        }
    }
    return best >= 0 && s->left[k] > s->least[k] && 4 * s->left[k] * s->weight[k] > most ? k : best;
}

/* what is left of row j once its entry k is taken out */
static inline void update_left(small_solve *s, int k, int j)
{
    const double *x = &AT(s->X, k, j, s->n);
    s->left[j] -= x[0] * x[0];
    if (s->left[j] < 1e-4 * s->since[j]) s->since[j] = s->left[j] = dot(s->n - k - 1, x + 1, x + 1);
}

/* (x, y) = (x, y) - tau v v' (x, y), v = (1, tail): two rows at a time share the loads of v */
static inline void reflect_two(int count, double tau, const double *restrict tail, double *restrict x,
                               double *restrict y)
{
    double a = x[0], b = y[0], c = 0, d = 0;
    int i = 0;
    for (; i + 1 < count; i += 2) {
        a += tail[i] * x[i + 1];
        b += tail[i] * y[i + 1];
        c += tail[i + 1] * x[i + 2];
        d += tail[i + 1] * y[i + 2];
    }
    if (i < count) {
        a += tail[i] * x[i + 1];
        b += tail[i] * y[i + 1];
    }
    a = tau * (a + c);
    b = tau * (b + d);
    x[0] -= a;
    y[0] -= b;
    subtract(count, a, tail, x + 1);
    subtract(count, b, tail, y + 1);
}

/* apply reflector k to the rows behind it */
static void reflect_rows(small_solve *s, int k)
{
    const int n = s->n, count = n - k - 1;
    const double tau = s->tau[k], *v = &AT(s->X, k, k, n) + 1;
    int j = k + 1;
    for (; j + 1 < s->rows; j += 2) {
        reflect_two(count, tau, v, &AT(s->X, k, j, n), &AT(s->X, k, j + 1, n));
        update_left(s, k, j);
        update_left(s, k, j + 1);
    }
    if (j < s->rows) {
        double *x = &AT(s->X, k, j, n);
        const double w = tau * (x[0] + dot(count, v, x + 1));
        x[0] -= w;
        subtract(count, w, v, x + 1);
        update_left(s, k, j);
    }
}

static void factor_rows(small_solve *s)
{
    const int n = s->n, most = smaller(n, s->rows);
    for (int k = 0; k < most; k++) {
        const int best = choose_row(s, k);
        if (best < 0) break;
        if (best != k) swap_rows(s, k, best);
        double *x = &AT(s->X, k, k, n);
        s->tau[k] = reflector(x, dot(n - k - 1, x + 1, x + 1), n - k - 1, x + 1);
        s->rank = k + 1;
        reflect_rows(s, k);
    }
}

/* [R11 R12] = [T 0] Z, Z = H(0) H(1) ... H(r-1): reflector k touches place k and the places behind the
   rank, last k first. Its vector takes the place of row k of R12. */
void small_trapezoid(small_solve *s)
{
    const int n = s->n, r = s->rank, extra = s->rows - r;
    if (extra == 0) return;
    double *R12 = &AT(s->X, 0, r, n), *v = s->t;
    for (int k = r - 1; k >= 0; k--) {
        double rest2 = 0;
        for (int j = 0; j < extra; j++) {
            v[j] = AT(R12, k, j, n);
            rest2 += v[j] * v[j];
        }
        s->zeta[k] = reflector(&AT(s->X, k, k, n), rest2, extra, v);
        for (int j = 0; j < extra; j++) AT(R12, k, j, n) = v[j];
        if (s->zeta[k] == 0) continue;
        double *w = s->p, *column = &AT(s->X, 0, k, n);
        memcpy(w, column, (size_t)k * sizeof *w);
        for (int j = 0; j < extra; j++) subtract(k, -v[j], &AT(R12, 0, j, n), w);
        subtract(k, s->zeta[k], w, column);
        for (int j = 0; j < extra; j++) subtract(k, s->zeta[k] * v[j], w, &AT(R12, 0, j, n));
    }
}

void small_finish(small_solve *s)
{
    for (int k = 0; k < s->rank; k++) s->inverse[k] = 1 / AT(s->X, k, k, s->n);
}

/* norms of the rows of B and what each must keep; 0 when one is no number */
static int measure_rows(small_solve *s)
{
    double largest2 = 0, total = 0;
    for (int j = 0; j < s->rows; j++) {
        const double *x = &AT(s->X, 0, j, s->n), own = dot(s->n, x, x);
        s->left[j] = s->since[j] = own;
        if (own > largest2) largest2 = own;
        total += own;
    }
    s->largest = sqrt(largest2);
    for (int j = 0; j < s->rows; j++) {
        s->least[j] = small_least(s->left[j], largest2, s->rank_tol, s->zero_tol);
        s->weight[j] = s->left[j] > 0 ? 1 / s->left[j] : 0;
    }
    return total <= DBL_MAX;
}

/* g = Q' g */
static void reflect(const small_solve *s, double *g)
{
    for (int k = 0; k < s->rank; k++) {
        const int count = s->n - k - 1;
        const double *v = &AT(s->X, k, k, s->n) + 1;
        const double w = s->tau[k] * (g[k] + dot(count, v, g + k + 1));
        g[k] -= w;
        subtract(count, w, v, g + k + 1);
    }
}

/* p = Q p */
static void apply_q(const small_solve *s, double *p)
{
    for (int k = s->rank - 1; k >= 0; k--) {
        const int count = s->n - k - 1;
        const double *v = &AT(s->X, k, k, s->n) + 1;
        const double w = s->tau[k] * (p[k] + dot(count, v, p + k + 1));
        p[k] -= w;
        subtract(count, w, v, p + k + 1);
    }
}

/* ---- M only semi-definite ---- */

/* D: 1/sqrt(M_jj); a coordinate without mass gets the scale that makes its column of A as large as the
   largest of the others. Rows are in X, not yet scaled. */
static void scale_coordinates(small_solve *s, const double *M)
{
    const int n = s->n;
    double target = 0;
    for (int j = 0; j < n; j++) {
        double column = 0;
        for (int i = 0; i < s->rows; i++) column = fmax(column, fabs(AT(s->X, j, i, n)));
        s->g[j] = column;
        s->scale[j] = AT(M, j, j, n) > 0 ? 1 / sqrt(AT(M, j, j, n)) : 0;
        target = fmax(target, s->scale[j] * column);
    }
    for (int j = 0; j < n; j++)
        if (!(s->scale[j] > 0)) s->scale[j] = s->g[j] > 0 ? (target > 0 ? target : 1) / s->g[j] : 1;
}

/* L = D M D, both triangles; 0 when an entry is no number */
static int load_scaled_mass(small_solve *s, const double *M)
{
    const int n = s->n;
    double total = 0;
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++) {
            const double entry = s->scale[i] * s->scale[j] * AT(M, i, j, n);
            AT(s->L, i, j, n) = AT(s->L, j, i, n) = entry;
            total += fabs(entry);
        }
    return total <= DBL_MAX;
}

/* swap rows and columns a and b of a symmetric matrix held in full */
static void swap_symmetric(double *K, int n, int ld, int a, int b)
{
    if (a == b) return;
    for (int i = 0; i < n; i++) {
        const double keep = AT(K, i, a, ld);
        AT(K, i, a, ld) = AT(K, i, b, ld);
        AT(K, i, b, ld) = keep;
    }
    for (int j = 0; j < n; j++) {
        const double keep = AT(K, a, j, ld);
        AT(K, a, j, ld) = AT(K, b, j, ld);
        AT(K, b, j, ld) = keep;
    }
}

/* P' K P = L L' with the largest diagonal entry next; returns how many are above `limit` */
static int factor_pivoted(double *K, int n, int ld, double limit, int *order)
{
    for (int j = 0; j < n; j++) order[j] = j;
    for (int j = 0; j < n; j++) {
        int best = j;
        for (int i = j + 1; i < n; i++)
            if (AT(K, i, i, ld) > AT(K, best, best, ld)) best = i;
        if (!(AT(K, best, best, ld) > limit)) return j;
        swap_symmetric(K, n, ld, j, best);
        const int keep = order[j];
        order[j] = order[best];
        order[best] = keep;
        const double root = sqrt(AT(K, j, j, ld));
        AT(K, j, j, ld) = root;
        for (int i = j + 1; i < n; i++) AT(K, i, j, ld) /= root;
        for (int k = j + 1; k < n; k++) {
            subtract(n - k, AT(K, k, j, ld), &AT(K, k, j, ld), &AT(K, k, k, ld));
            for (int i = k; i < n; i++) AT(K, k, i, ld) = AT(K, i, k, ld);
        }
    }
    return n;
}

/* what pivots of D M D, entries at most 1, must exceed: rounding of n sums of n terms */
static double mass_limit(const small_solve *s) { return 32 * DBL_EPSILON * s->n; }

/* nearly singular, but definite: all pivots of D M D, the largest first, are clear of rounding */
static int mass_is_definite(small_solve *s, const double *M)
{
    for (int j = 0; j < s->n; j++) {
        if (!(AT(M, j, j, s->n) > 0)) return 0;
        s->scale[j] = 1 / sqrt(AT(M, j, j, s->n));
    }
    return load_scaled_mass(s, M) && factor_pivoted(s->L, s->n, s->n, mass_limit(s), s->order) == s->n;
}

/* A semi-definite matrix leaves nothing behind its rank; what is left names the coordinate. */
static int mass_is_semidefinite(small_solve *s)
{
    const int n = s->n;
    const double limit = mass_limit(s);
    const int rank = factor_pivoted(s->L, n, n, limit, s->order);
    double worst = 100 * limit;
    for (int j = rank; j < n; j++)
        for (int i = j; i < n; i++)
            if (!(fabs(AT(s->L, i, j, n)) <= worst)) {
                worst = fabs(AT(s->L, i, j, n));
                s->culprit[0] = s->order[AT(s->L, i, i, n) < AT(s->L, j, j, n) ? i : j];
                s->culprits = 1;
            }
    return s->culprits == 0;
}

/* H = Q' (D M D) Q, reflectors from both sides */
static void reflect_mass(small_solve *s)
{
    const int n = s->n;
    for (int side = 0; side < 2; side++) {
        for (int j = 0; j < n; j++) reflect(s, &AT(s->L, 0, j, n));
        for (int j = 0; j < n; j++)
            for (int i = j + 1; i < n; i++) {
                const double keep = AT(s->L, i, j, n);
                AT(s->L, i, j, n) = AT(s->L, j, i, n);
                AT(s->L, j, i, n) = keep;
            }
    }
}

/* coordinates that move in null(M) and null(A) together: K y = 0 behind its rank, x = Q [0; y] */
static void name_undetermined(small_solve *s, int rank)
{
    const int n = s->n, r = s->rank, size = n - r;
    const double *K = &AT(s->L, r, r, n);
    memset(s->c, 0, (size_t)n * sizeof *s->c);
    for (int j = rank; j < size; j++) {
        double *y = s->g, *x = s->p;
        memset(x, 0, (size_t)n * sizeof *x);
        for (int k = rank - 1; k >= 0; k--) { /* L11' y = -L21' e_j */
            double sum = AT(K, j, k, n);
            for (int i = k + 1; i < rank; i++) sum += AT(K, i, k, n) * y[i];
            y[k] = -sum / AT(K, k, k, n);
            x[r + s->order[k]] = y[k];
        }
        x[r + s->order[j]] = 1;
        apply_q(s, x);
        double largest = 0;
        for (int i = 0; i < n; i++) largest = fmax(largest, fabs(x[i]));
        for (int i = 0; i < n; i++)
            if (fabs(x[i]) > 1e-8 * largest) s->c[i] = 1;
    }
    s->culprits = 0;
    for (int i = 0; i < n; i++)
        if (s->c[i] != 0) s->culprit[s->culprits++] = i;
}

static small_status factor_semi(small_solve *s, const double *M, const double *A, const unsigned char *active)
{
    const int n = s->n;
    s->semi = 1;
    for (int j = 0; j < n; j++)
        if (AT(M, j, j, n) < 0) {
            s->culprit[s->culprits++] = j;
            return SMALL_INDEFINITE;
        }
    small_load_rows(s, A, active);
    small_transpose_rows(s);
    scale_coordinates(s, M);
    if (!load_scaled_mass(s, M)) return SMALL_NOT_FINITE;
    if (!mass_is_semidefinite(s)) return SMALL_INDEFINITE;
    load_scaled_mass(s, M);
    for (int i = 0; i < s->rows; i++)
        for (int j = 0; j < n; j++) AT(s->X, j, i, n) *= s->scale[j];
    if (!measure_rows(s)) return SMALL_NOT_FINITE;
    factor_rows(s);
    small_trapezoid(s);
    small_finish(s);
    reflect_mass(s);
    const int size = n - s->rank;
    const int found = factor_pivoted(&AT(s->L, s->rank, s->rank, n), size, n, mass_limit(s), s->order);
    if (found == size) return SMALL_OK;
    name_undetermined(s, found);
    return SMALL_UNDETERMINED;
}

small_status small_factor(small_solve *s, const double *M, const double *A, const unsigned char *active,
                          double rank_tol, double zero_tol)
{
    small_start(s, rank_tol, zero_tol);
    if (!factor_mass(s, M, 0) && !(mass_is_definite(s, M) && factor_mass(s, M, 1)))
        return factor_semi(s, M, A, active);
    small_load_rows(s, A, active);
    divide_rows(s);
    small_transpose_rows(s);
    if (!measure_rows(s)) return SMALL_NOT_FINITE;
    factor_rows(s);
    small_trapezoid(s);
    small_finish(s);
    return SMALL_OK;
}

/* ---- the operations ---- */

void small_forward(const small_solve *s, const double *f, double *g)
{
    memcpy(g, f, (size_t)s->n * sizeof *g);
    if (s->semi)
        for (int j = 0; j < s->n; j++) g[j] *= s->scale[j];
    else solve_lower(s, g);
    reflect(s, g);
}

void small_backward(small_solve *s, const double *p, double *x)
{
    if (x != p) memcpy(x, p, (size_t)s->n * sizeof *x);
    apply_q(s, x);
    if (s->semi)
        for (int j = 0; j < s->n; j++) x[j] *= s->scale[j];
    else solve_upper(s, x);
}

void small_free_acceleration(const small_solve *s, const double *f, double *a)
{
    memcpy(a, f, (size_t)s->n * sizeof *a);
    solve_lower(s, a);
    solve_upper(s, a);
}

/* T' x = x, x = T^-T x */
static void solve_rows(const small_solve *s, double *x)
{
    for (int k = 0; k < s->rank; k++) x[k] = (x[k] - dot(k, &AT(s->X, 0, k, s->n), x)) * s->inverse[k];
}

/* x = T^-1 x */
static void solve_rows_transposed(const small_solve *s, double *x)
{
    for (int k = s->rank - 1; k >= 0; k--) {
        x[k] *= s->inverse[k];
        subtract(k, x[k], &AT(s->X, 0, k, s->n), x);
    }
}

/* t = H(k) t, the k-th reflector of Z */
static void reflect_trapezoid(const small_solve *s, int k, double *t)
{
    const int r = s->rank, extra = s->rows - r;
    const double *v = &AT(s->X, k, r, s->n);
    double w = t[k];
    for (int j = 0; j < extra; j++) w += AT(v, 0, j, s->n) * t[r + j];
    w *= s->zeta[k];
    t[k] -= w;
    for (int j = 0; j < extra; j++) t[r + j] -= w * AT(v, 0, j, s->n);
}

void small_fix_rows(small_solve *s, const double *b, double *c)
{
    double *t = s->t;
    for (int j = 0; j < s->rows; j++) t[j] = b[s->row[j]];
    if (s->rows > s->rank)
        for (int k = s->rank - 1; k >= 0; k--) reflect_trapezoid(s, k, t);
    memcpy(c, t, (size_t)s->rank * sizeof *c);
    solve_rows(s, c);
}

void small_multipliers(const small_solve *s, const double *h, double *lambda)
{
    double *t = s->t;
    memset(t, 0, (size_t)s->rows * sizeof *t);
    memcpy(t, h, (size_t)s->rank * sizeof *t);
    solve_rows_transposed(s, t);
    if (s->rows > s->rank)
        for (int k = 0; k < s->rank; k++) reflect_trapezoid(s, k, t);
    if (s->rows < s->m) memset(lambda, 0, (size_t)s->m * sizeof *lambda);
    for (int j = 0; j < s->rows; j++) lambda[s->row[j]] = t[j];
}

/* P Z' [0; e_k] */
void small_null_row(const small_solve *s, int k, double *w)
{
    memset(s->t, 0, (size_t)s->rows * sizeof *s->t);
    s->t[s->rank + k] = 1;
    for (int i = 0; i < s->rank; i++) reflect_trapezoid(s, i, s->t);
    memset(w, 0, (size_t)s->m * sizeof *w);
    for (int j = 0; j < s->rows; j++) w[s->row[j]] = s->t[j];
}

void small_complete(const small_solve *s, const double *g, double *p)
{
    const int n = s->n, r = s->rank, size = n - r;
    if (!s->semi) {
        memcpy(p + r, g + r, (size_t)size * sizeof *p);
        return;
    }
    /* K p2 = g2 - H21 p1 by its pivoted factor */
    const double *K = &AT(s->L, r, r, n);
    double *y = s->y;
    memcpy(p + r, g + r, (size_t)size * sizeof *p);
    for (int k = 0; k < r; k++) subtract(size, p[k], &AT(s->L, r, k, n), p + r);
    for (int j = 0; j < size; j++) y[j] = p[r + s->order[j]];
    for (int j = 0; j < size; j++) {
        y[j] /= AT(K, j, j, n);
        subtract(size - j - 1, y[j], &AT(K, j, j, n) + 1, y + j + 1);
    }
    for (int j = size - 1; j >= 0; j--)
        y[j] = (y[j] - dot(size - j - 1, &AT(K, j, j, n) + 1, y + j + 1)) / AT(K, j, j, n);
    for (int j = 0; j < size; j++) p[r + s->order[j]] = y[j];
}

/* ---- the equation ---- */

void small_ideal(small_solve *s, const double *M, const double *Q, const double *b, double *qdd, double *Qi,
                 double *lambda)
{
    const int n = s->n, r = s->rank;
    double *h = s->c;
    small_fix_rows(s, b, h);
    if (s->semi) { /* p = [c; p2], Qi = M q'' - Q, h = (Q' D Qi)_1 */
        small_forward(s, Q, s->g);
        memcpy(s->p, h, (size_t)r * sizeof *s->p);
        small_complete(s, s->g, s->p);
        small_backward(s, s->p, qdd);
        times_mass(n, M, qdd, s->p);
        subtract(n, 1, Q, s->p);
        if (Qi) memcpy(Qi, s->p, (size_t)n * sizeof *Qi);
        small_forward(s, s->p, h);
    } else { /* p = g + [h; 0] with h = c - g1: q'' = a + L^-T Q [h; 0], Qi = L Q [h; 0] */
        memcpy(qdd, Q, (size_t)n * sizeof *qdd);
        solve_lower(s, qdd);
        memcpy(s->g, qdd, (size_t)n * sizeof *s->g);
        reflect(s, s->g);
        subtract(r, 1, s->g, h);
        memset(s->p, 0, (size_t)n * sizeof *s->p);
        memcpy(s->p, h, (size_t)r * sizeof *s->p);
        apply_q(s, s->p);
        subtract(n, -1, s->p, qdd);
        solve_upper(s, qdd);
        if (Qi) times_lower(s, s->p, Qi);
    }
    if (lambda) small_multipliers(s, h, lambda);
}

void small_nonideal(small_solve *s, const double *M, const double *C, double *dqdd, double *Qni,
                    double *dlambda)
{
    const int n = s->n, r = s->rank;
    double *h = s->c;
    small_forward(s, C, s->g);
    memset(s->p, 0, (size_t)n * sizeof *s->p);
    small_complete(s, s->g, s->p);
    for (int k = 0; k < r; k++) h[k] = -s->g[k];
    if (s->semi) {
        small_backward(s, s->p, dqdd);
        times_mass(n, M, dqdd, s->p);
        if (Qni) memcpy(Qni, s->p, (size_t)n * sizeof *Qni);
        subtract(n, 1, C, s->p); /* A' dlambda = Qni - C */
        small_forward(s, s->p, h);
    } else {
        apply_q(s, s->p);
        if (Qni) times_lower(s, s->p, Qni);
        memcpy(dqdd, s->p, (size_t)n * sizeof *dqdd);
        solve_upper(s, dqdd);
    }
    if (dlambda) small_multipliers(s, h, dlambda);
}

double small_smallest(small_solve *s)
{
    const int r = s->rank;
    double *x = s->p;
    int weak = 0;
    if (r == 0) return 0;
    for (int k = 1; k < r; k++)
        if (fabs(s->inverse[k]) > fabs(s->inverse[weak])) weak = k;
    for (int k = 0; k < r; k++) x[k] = k == weak;
    solve_rows_transposed(s, x);
    const double before = dot(r, x, x);
    solve_rows(s, x);
    return sqrt(before / dot(r, x, x));
}
