/* The fundamental equation for dense systems, free of dependencies: see small.h for the mathematics. */
#include "fundamental/small.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define AT(matrix, i, j, ld) ((matrix)[(size_t)(i) + (size_t)(j) * (size_t)(ld)])

/* Compiled for size (-Os), there is one body of each loop, whatever its counts; the numbers are the same. Exported
   code leaves out what it does not call (SMALL_LEAN). */
#if defined(__OPTIMIZE_SIZE__)
enum { FOR_SIZE = 1 };
#else
enum { FOR_SIZE = 0 };
#endif

/* Parts of a whole that count, by how many digits there are: a pivot of M, one that loses next to none of them, what is
   left of a squared row before it is computed afresh, a column that is all rounding, a coordinate that takes part. */
#if defined(SMALL_SINGLE)
#define CLEAR 1e-3
#define LOSSLESS 1e-2
#define RENEWED 1e-2
#define NOTHING 1e-5
#define NOTICED 1e-4
#else
#define CLEAR 1e-6
#define LOSSLESS 1e-3
#define RENEWED 1e-4
#define NOTHING 1e-10
#define NOTICED 1e-8
#endif

/* into each caller, also when it is long: there its counts are constants and its loops vanish */
#if defined(__OPTIMIZE_SIZE__)
#define INLINED static
#elif defined(__GNUC__)
#define INLINED static inline __attribute__((always_inline))
#else
#define INLINED static inline
#endif

static int smaller(int a, int b) { return a < b ? a : b; }
static int larger(int a, int b) { return a > b ? a : b; }

/* Loops over short vectors cost more than their arithmetic. So columns are padded to a multiple of four, with
   zeros, and run over whole blocks of four, which compilers turn into vector instructions unasked. */
static int block(int k) { return k & ~3; }
static int padded(int n) { return block(n + 3); }

/* sum of x_i y_i; four chains, so that additions overlap */
INLINED double dot(int n, const double *restrict x, const double *restrict y)
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

/* Two numbers in one register, for the places where compilers do not find the vectors themselves. Both ways
   give the same bits. */
#if defined(__GNUC__)
typedef double pair __attribute__((vector_size(2 * sizeof(double))));
INLINED pair pair_of(double a, double b) { return (pair){a, b}; }
INLINED pair plus(pair x, pair y) { return x + y; }
INLINED pair times(pair x, pair y) { return x * y; }
INLINED double sum_of(pair x) { return x[0] + x[1]; }
#else
typedef struct pair {
    double a, b;
} pair;
INLINED pair pair_of(double a, double b)
{
    const pair x = {a, b};
    return x;
}
INLINED pair plus(pair x, pair y) { return pair_of(x.a + y.a, x.b + y.b); }
INLINED pair times(pair x, pair y) { return pair_of(x.a * y.a, x.b * y.b); }
INLINED double sum_of(pair x) { return x.a + x.b; }
#endif
INLINED pair get(const double *x)
{
    pair a;
    memcpy(&a, x, sizeof a);
    return a;
}
INLINED void put(double *z, pair a) { memcpy(z, &a, sizeof a); }

/* The same for whole blocks, n > 0: starts with a product, not with 0 + a product. */
INLINED double dot_blocks(int n, const double *x, const double *y)
{
    pair a = times(get(x), get(y)), b = times(get(x + 2), get(y + 2));
    for (int i = 4; i < n; i += 4) {
        a = plus(a, times(get(x + i), get(y + i)));
        b = plus(b, times(get(x + i + 2), get(y + i + 2)));
    }
    return sum_of(plus(a, b));
}

/* y = y - a x; by four, which compilers turn into vector instructions without being asked to */
INLINED void subtract(int n, double a, const double *restrict x, double *restrict y)
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

/* One block, written in pairs: a pair is late when it was written as two numbers just before. */
INLINED void write_block(double *z, double a, double b, double c, double d)
{
    put(z, pair_of(a, b));
    put(z + 2, pair_of(c, d));
}
INLINED void scale_block(double *z, double by, const double *x)
{
    put(z, times(pair_of(by, by), get(x)));
    put(z + 2, times(pair_of(by, by), get(x + 2)));
}
INLINED void multiply_block(double *z, const double *x, const double *y)
{
    put(z, times(get(x), get(y)));
    put(z + 2, times(get(x + 2), get(y + 2)));
}
INLINED void clear_block(double *z) { write_block(z, 0, 0, 0, 0); }

size_t small_doubles(int n, int m)
{
    const size_t N = (size_t)n, R = (size_t)m, K = (size_t)smaller(n, m);
    const size_t LD = (size_t)padded(n), H = (size_t)padded(m);
    return LD * (N + H + K) + H * LD + 5 * LD + 3 * K + 4 * R + H + 1;
}

size_t small_integers(int n, int m) { return 3 * (size_t)n + 2 * (size_t)m + 1; }

void small_place(small_solve *s, int n, int m, double *numbers, int *integers)
{
    const size_t N = (size_t)n, R = (size_t)m, K = (size_t)smaller(n, m);
    const size_t LD = (size_t)padded(n), H = (size_t)padded(m);
    memset(s, 0, sizeof *s);
    s->n = n;
    s->m = m;
    s->ld = padded(n);
    s->L = numbers;
    s->X = s->L + LD * N;
    s->V = s->X + LD * H;
    s->B = s->V + LD * K;
    s->scale = s->B + H * LD;
    s->g = s->scale + LD;
    s->c = s->g + LD;
    s->p = s->c + LD;
    s->y = s->p + LD;
    s->tau = s->y + LD;
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
    s->column = s->place + R;
}

/* A row below zero_tol of the largest is a 0 = 0 row at rounding level and never counts; any other is dependent when
   the rows before it leave no more than rank_tol of itself, the sine of its angle to them. Rows are not brought to unit
   length, and a row that is small by choice of units stays a constraint. So does one of heavy coordinates, which has
   next to nothing in B beside those of light ones: it is 0 = 0 if it is small in A too, by half the digits. */
double small_least(const small_solve *s, const double *A, int i, double own2, double largest2)
{
    double own = 0, all = 0;
    if (own2 > 0 && !(own2 > s->zero_tol * s->zero_tol * largest2)) {
        for (int k = 0; k < s->n * s->m; k++) {
            const double entry = A[k] * A[k];
            all += entry;
            if (k % s->m == i) own += entry;
        }
        if (!(own > s->zero_tol * all)) return own2;
    }
    return s->rank_tol * s->rank_tol * own2;
}

void small_start(small_solve *s, double rank_tol, double zero_tol)
{
    s->rows = s->rank = s->semi = s->indefinite = s->culprits = 0;
    s->largest = 0;
    s->rank_tol = rank_tol;
    s->zero_tol = zero_tol > 0 ? zero_tol : 100 * DBL_EPSILON;
    for (int j = s->n; j < s->ld; j++) s->scale[j] = 0;
}

/* a call of memcpy takes longer than a handful of numbers */
INLINED void copy(int n, const double *from, double *to)
{
    int i = 0;
    for (; i + 1 < n; i += 2) put(to + i, get(from + i));
    if (n & 1) to[i] = from[i];
}

/* to = from, padded with zeros */
static void load(const small_solve *s, const double *from, double *to)
{
    clear_block(to + s->ld - 4);
    memcpy(to, from, (size_t)s->n * sizeof *to);
}

/* ---- M = L L', B = A L^-T ---- */

#ifndef SMALL_LEAN
/* A pivot far below its diagonal entry says that M is nearly singular, and without pivoting cannot say how
 * nearly. */
int small_mass_is_clear(double pivot, double diagonal) { return pivot > CLEAR * diagonal && pivot <= DBL_MAX; }
#endif

/* Eight or four rows of a column less f[0], f[1] ... times those of `count` other columns: they stay in
   registers. */
INLINED void eliminate_four(int count, const double *f, const double *x, int ld, double *to)
{
    double a = to[0], b = to[1], c = to[2], d = to[3];
    for (int i = 0; i < count; i++, x += ld) {
        const double by = f[i];
        a -= by * x[0], b -= by * x[1], c -= by * x[2], d -= by * x[3];
    }
    write_block(to, a, b, c, d);
}

INLINED void eliminate_eight(int count, const double *f, const double *x, int ld, double *to)
{
    double a = to[0], b = to[1], c = to[2], d = to[3], p = to[4], q = to[5], r = to[6], t = to[7];
    for (int i = 0; i < count; i++, x += ld) {
        const double by = f[i];
        a -= by * x[0], b -= by * x[1], c -= by * x[2], d -= by * x[3];
        p -= by * x[4], q -= by * x[5], r -= by * x[6], t -= by * x[7];
    }
    write_block(to, a, b, c, d);
    write_block(to + 4, p, q, r, t);
}

INLINED void eliminate(int rows, int count, const double *f, const double *x, int ld, double *to)
{
    for (; rows > 4; rows -= 8, x += 8, to += 8) eliminate_eight(count, f, x, ld, to);
    if (rows > 0) eliminate_four(count, f, x, ld, to);
}

INLINED void load_mass(small_solve *s, const double *M, int ld)
{
    const int n = s->n;
    for (int j = 0; j < n; j++) {
        double *column = &AT(s->L, 0, j, ld);
        clear_block(column + block(j));
        clear_block(column + ld - 4);
        copy(n - j, &AT(M, j, j, n), column + j);
    }
}

/* The columns of L get their length, and zeros above the diagonal where a block starts there. */
INLINED void scale_mass(small_solve *s, int ld)
{
    static const double from[4][4] = {{1, 1, 1, 1}, {0, 1, 1, 1}, {0, 0, 1, 1}, {0, 0, 0, 1}};
    for (int j = 0; j < s->n; j++) {
        const double by = s->scale[j], *keep = from[j & 3];
        double *x = &AT(s->L, block(j), j, ld);
        multiply_block(x, x, keep);
        for (int i = 0; i < ld - block(j); i += 4) scale_block(x + i, by, x + i);
    }
}

/* M = L L' and B = A L^-T but for the scale of its columns, as one elimination, column by column: the rows of
   B fill the time in which a pivot of M is on its way. Columns are scaled at the end, so that on that way
   there is a division and no root. The zeros that a row of M starts with (M in blocks) cost nothing. 1 done,
   0 a pivot is not above `least` of its diagonal entry. */
INLINED int factor_mass_of(small_solve *s, const double *M, double least, int ld, int high)
{
    const int n = s->n;
    double *by = s->g, *inverse = s->p;
    load_mass(s, M, ld);
    for (int j = 0; j < n; j++) {
        const int start = block(j);
        double *column = &AT(s->L, 0, j, ld);
        int first = 0;
        while (first < j && AT(M, j, first, n) == 0) first++;
        for (int k = first; k < j; k++) by[k] = AT(s->L, j, k, ld) * inverse[k];
        eliminate(ld - start, j - first, by + first, &AT(s->L, start, first, ld), ld, column + start);
        const double pivot = column[j];
        if (!(pivot > least * AT(M, j, j, n) && pivot <= DBL_MAX)) return 0;
        inverse[j] = 1 / pivot;
        s->scale[j] = sqrt(pivot) * inverse[j];
        eliminate(high, j - first, by + first, &AT(s->B, 0, first, high), high, &AT(s->B, 0, j, high));
    }
    scale_mass(s, ld);
    return 1;
}

static int factor_mass(small_solve *s, const double *M, double least)
{
    if (FOR_SIZE) return factor_mass_of(s, M, least, s->ld, s->high);
    if (s->ld == 8 && s->high == 8) return factor_mass_of(s, M, least, 8, 8);
    if (s->ld == 8 && s->high == 4) return factor_mass_of(s, M, least, 8, 4);
    if (s->ld == 4 && s->high == 4) return factor_mass_of(s, M, least, 4, 4);
    return factor_mass_of(s, M, least, s->ld, s->high);
}

/* x = L^-1 x; x padded, as in all that follow */
static void solve_lower(const small_solve *s, double *x)
{
    const int n = s->n, ld = s->ld;
    for (int j = 0; j < n; j++) {
        const double *column = &AT(s->L, 0, j, ld), by = x[j] * s->scale[j];
        int i = j + 1;
        x[j] = by;
        if (by == 0) continue;
        for (; i & 3; i++) x[i] -= by * column[i];
        subtract(ld - i, by, column + i, x + i);
    }
}

/* x = L^-T x. The last entries of x go in one by one, as they come: the sum then waits for the newest only.
 */
static void solve_upper(const small_solve *s, double *x)
{
    const int n = s->n, ld = s->ld;
    for (int j = n - 1; j >= 0; j--) {
        const double *column = &AT(s->L, 0, j, ld);
        const int end = block(j) + 8;
        double sum = x[j];
        if (end < ld) sum -= dot_blocks(ld - end, column + end, x + end);
        for (int i = smaller(end, n) - 1; i > j; i--) sum -= column[i] * x[i];
        x[j] = sum * s->scale[j];
    }
}

/* y = L x */
static void times_lower(const small_solve *s, const double *x, double *y)
{
    memset(y, 0, (size_t)s->ld * sizeof *y);
    for (int j = 0; j < s->n; j++) subtract(s->ld - block(j), -x[j], &AT(s->L, block(j), j, s->ld), y + block(j));
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

void small_list_rows(small_solve *s, const unsigned char *active)
{
    s->rows = 0;
    for (int i = 0; i < s->m; i++)
        if (!active || active[i]) s->row[s->rows++] = i;
}

void small_take_rows(small_solve *s, const double *A)
{
    int in_order = s->rows == s->m;
    for (int i = 0; i < s->rows && in_order; i++) in_order = s->row[i] == i;
    s->high = padded(s->rows);
    for (int i = s->n * s->high; i < s->ld * s->high; i += 4) clear_block(s->B + i);
    for (int j = 0; j < s->n; j++) {
        double *column = &AT(s->B, 0, j, s->high);
        if (s->high > 0) clear_block(column + s->high - 4);
        if (in_order) copy(s->m, &AT(A, 0, j, s->m), column);
        else
            for (int i = 0; i < s->rows; i++) column[i] = AT(A, s->row[i], j, s->m);
    }
}

static void load_rows(small_solve *s, const double *A, const unsigned char *active)
{
    small_list_rows(s, active);
    small_take_rows(s, A);
}

/* by squares of four */
void small_transpose_rows(small_solve *s)
{
    const int ld = s->ld, high = s->high;
    for (int i = 0; i < high; i += 4)
        for (int j = 0; j < ld; j += 4) {
            const double *a = &AT(s->B, i, j, high), *b = a + high, *c = b + high, *d = c + high;
            double *x = &AT(s->X, j, i, ld);
            for (int k = 0; k < 4; k++, x += ld) write_block(x, a[k], b[k], c[k], d[k]);
        }
}

/* swap places a and b */
static void swap_rows(small_solve *s, int a, int b)
{
    double *x = &AT(s->X, 0, a, s->ld), *y = &AT(s->X, 0, b, s->ld);
    const int row = s->row[a];
    for (int i = 0; i < s->ld; i += 2) {
        const pair keep = get(x + i);
        put(x + i, get(y + i));
        put(y + i, keep);
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
    const double *left = s->left, *least = s->least, *weight = s->weight;
    double most = 0;
    int best = -1;
    for (int j = k; j < s->rows; j++) {
        const double sine2 = left[j] * weight[j];
        if (sine2 > most && left[j] > least[j]) {
            most = sine2;
            best = j;
        }
    }
    return best >= 0 && left[k] > least[k] && 4 * left[k] * weight[k] > most ? k : best;
}

/* what is left of row j once its entry k is taken out */
static inline void update_left(small_solve *s, int k, int j)
{
    const double *x = &AT(s->X, k, j, s->ld);
    s->left[j] -= x[0] * x[0];
    if (s->left[j] < RENEWED * s->since[j]) s->since[j] = s->left[j] = dot(s->n - k - 1, x + 1, x + 1);
}

/* Reflector k, from row k. It is I - tau v v' with v = (1, shrink u), and u the row behind its entry k, so
   that u x is on its way before tau and shrink are known. u, v padded: zeros before entry k in their first
   block. */
typedef struct turn {
    double tau, shrink, *u, *v;
} turn;

INLINED turn find_turn(small_solve *s, int k, int count, int ld)
{
    static const double behind[4][4] = {{0, 1, 1, 1}, {0, 0, 1, 1}, {0, 0, 0, 1}, {0, 0, 0, 0}};
    static const double at[4][4] = {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}};
    const int start = block(k);
    const double *x = &AT(s->X, start, k, ld), *keep = behind[k & 3], *one = at[k & 3], first = x[k & 3];
    turn t = {0, 0, s->y, &AT(s->V, start, k, ld)};
    double *u = t.u, *v = t.v;
    multiply_block(u, x, keep);
    for (int i = 4; i < count; i += 2) put(u + i, get(x + i));
    const double rest2 = dot_blocks(count, u, u);
    if (rest2 > 0) {
        const double length = sqrt(first * first + rest2), beta = first > 0 ? -length : length;
        t.tau = (beta - first) / beta;
        t.shrink = 1 / (first - beta);
        AT(s->X, k, k, ld) = beta;
    }
    const double by = t.shrink;
    put(v, plus(times(pair_of(by, by), get(u)), get(one)));
    put(v + 2, plus(times(pair_of(by, by), get(u + 2)), get(one + 2)));
    for (int i = 4; i < count; i += 4) scale_block(v + i, by, u + i);
    return t;
}

/* makes reflector k and applies it to the rows behind it */
INLINED void turn_rows(small_solve *s, int k, int count, int ld)
{
    const turn t = find_turn(s, k, count, ld);
    s->tau[k] = t.tau;
    for (int j = k + 1; j < s->rows; j++) {
        double *x = &AT(s->X, block(k), j, ld);
        const double w = t.tau * (x[k & 3] + t.shrink * dot_blocks(count, t.u, x));
        subtract(count, w, t.v, x);
        update_left(s, k, j);
    }
}

static void factor_rows(small_solve *s)
{
    const int most = smaller(s->n, s->rows);
    for (int k = 0; k < most; k++) {
        const int best = choose_row(s, k), ld = s->ld, count = ld - block(k);
        if (best < 0) break;
        if (best != k) swap_rows(s, k, best);
        s->rank = k + 1;
        if (FOR_SIZE) turn_rows(s, k, count, ld);
        else if (ld == 8 && count == 4) turn_rows(s, k, 4, 8);
        else if (ld == 8) turn_rows(s, k, 8, 8);
        else if (ld == 4) turn_rows(s, k, 4, 4);
        else turn_rows(s, k, count, ld);
    }
}

/* [R11 R12] = [T 0] Z, Z = H(0) H(1) ... H(r-1): reflector k touches place k and the places behind the
   rank, last k first. Its vector takes the place of row k of R12. */
void small_trapezoid(small_solve *s)
{
    const int ld = s->ld, r = s->rank, extra = s->rows - r;
    if (extra == 0) return;
    double *R12 = &AT(s->X, 0, r, ld), *v = s->t;
    for (int k = r - 1; k >= 0; k--) {
        double rest2 = 0;
        for (int j = 0; j < extra; j++) {
            v[j] = AT(R12, k, j, ld);
            rest2 += v[j] * v[j];
        }
        s->zeta[k] = reflector(&AT(s->X, k, k, ld), rest2, extra, v);
        for (int j = 0; j < extra; j++) AT(R12, k, j, ld) = v[j];
        if (s->zeta[k] == 0) continue;
        double *w = s->p, *column = &AT(s->X, 0, k, ld);
        memcpy(w, column, (size_t)k * sizeof *w);
        for (int j = 0; j < extra; j++) subtract(k, -v[j], &AT(R12, 0, j, ld), w);
        subtract(k, s->zeta[k], w, column);
        for (int j = 0; j < extra; j++) subtract(k, s->zeta[k] * v[j], w, &AT(R12, 0, j, ld));
    }
}

void small_finish(small_solve *s)
{
    for (int k = 0; k < s->rank; k++) s->inverse[k] = 1 / AT(s->X, k, k, s->ld);
}

#ifndef SMALL_LEAN
void small_take_reflectors(small_solve *s)
{
    for (int k = 0; k < s->rank; k++) {
        double *v = &AT(s->V, 0, k, s->ld);
        clear_block(v + block(k));
        clear_block(v + s->ld - 4);
        v[k] = 1;
        memcpy(v + k + 1, &AT(s->X, k, k, s->ld) + 1, (size_t)(s->n - k - 1) * sizeof *v);
    }
}
#endif

/* the rows of B get the scale of their columns; their norms, and what each must keep; 0 when one is no number
 */
static int measure_rows(small_solve *s, const double *A)
{
    const double *by = s->scale;
    double largest2 = 0, total = 0;
    for (int j = 0; j < s->rows; j++) {
        double *x = &AT(s->X, 0, j, s->ld);
        for (int i = 0; i < s->ld; i += 4) multiply_block(x + i, x + i, by + i);
        const double own = dot_blocks(s->ld, x, x);
        s->left[j] = s->since[j] = own;
        if (own > largest2) largest2 = own;
        total += own;
    }
    s->largest = sqrt(largest2);
    for (int j = 0; j < s->rows; j++) {
        s->least[j] = small_least(s, A, s->row[j], s->left[j], largest2);
        s->weight[j] = s->left[j] > 0 ? 1 / s->left[j] : 0;
    }
    return total <= DBL_MAX;
}

/* the rows in X, where their columns have their scale */
static small_status factor_loaded(small_solve *s, const double *A)
{
    if (!measure_rows(s, A)) return SMALL_NOT_FINITE;
    factor_rows(s);
    small_trapezoid(s);
    small_finish(s);
    return SMALL_OK;
}

/* g = (I - tau v v') g, reflector k of Q */
INLINED void reflect_blocks(const small_solve *s, int k, int count, double *g)
{
    const double *v = &AT(s->V, block(k), k, s->ld);
    subtract(count, s->tau[k] * dot_blocks(count, v, g), v, g);
}

INLINED void reflect_one(const small_solve *s, int k, double *g)
{
    const int start = block(k), count = s->ld - start;
    if (FOR_SIZE) reflect_blocks(s, k, count, g + start);
    else if (count == 4) reflect_blocks(s, k, 4, g + start);
    else if (count == 8) reflect_blocks(s, k, 8, g + start);
    else reflect_blocks(s, k, count, g + start);
}

/* g = Q' g */
static void reflect(const small_solve *s, double *g)
{
    for (int k = 0; k < s->rank; k++) reflect_one(s, k, g);
}

/* p = Q p */
static void apply_q(const small_solve *s, double *p)
{
    for (int k = s->rank - 1; k >= 0; k--) reflect_one(s, k, p);
}

/* ---- M only semi-definite, or of any sign ---- */

void small_scale_any(int n, const double *M, double *scale, double *work)
{
    enum { ROUNDS = 12 }; /* each takes the root of what is left */
    for (int j = 0; j < n; j++) scale[j] = 1;
    for (int round = 0; round < ROUNDS; round++) {
        memset(work, 0, (size_t)n * sizeof *work);
        for (int j = 0; j < n; j++)
            for (int i = j; i < n; i++) {
                const double entry = fabs(scale[i] * AT(M, i, j, n) * scale[j]);
                work[i] = fmax(work[i], entry);
                work[j] = fmax(work[j], entry);
            }
        for (int j = 0; j < n; j++) scale[j] = work[j] > 0 ? scale[j] / sqrt(work[j]) : 0;
    }
}

/* A mass that is 0 but for rounding (of Euler parameters, along themselves) would make its column of A larger than
   all others, and rows look alike: no column is made larger than this many times the one in the middle. */
#define MOST_SCALED 1e3

static void bound_scales(small_solve *s)
{
    double *sorted = s->p;
    int count = 0;
    for (int j = 0; j < s->n; j++) {
        const double size = s->scale[j] * s->g[j];
        int k = count;
        if (!(size > 0)) continue;
        for (; k > 0 && sorted[k - 1] > size; k--) sorted[k] = sorted[k - 1];
        sorted[k] = size;
        count++;
    }
    for (int j = 0; j < s->n && count; j++)
        if (s->scale[j] * s->g[j] > MOST_SCALED * sorted[count / 2])
            s->scale[j] = MOST_SCALED * sorted[count / 2] / s->g[j];
}

/* D: 1/sqrt(M_jj), or what makes the rows of an indefinite M as large as one another; a coordinate without mass gets
   the scale that makes its column of A as large as the largest of the others. Rows are in X, not yet scaled. Where
   the others are small beside it (w = a*w at w = 0: rounding) that would make of their rounding half of the
   multiplier; there its column is up to MOST_SCALED times as large, and where they are nothing but rounding, as large
   as it is. */
static double massless_scale(double column, double others, double largest)
{
    if (!(column > 0)) return 1;
    if (!(others > 0)) return 1 / column;
    if (others < NOTHING * largest * column) return largest;
    return fmax(others / column, fmin(MOST_SCALED * others / column, largest / MOST_SCALED));
}

static void scale_coordinates(small_solve *s, const double *M)
{
    const int n = s->n;
    double target = 0, largest = 0;
    if (s->indefinite) small_scale_any(n, M, s->scale, s->g);
    else
        for (int j = 0; j < n; j++) s->scale[j] = AT(M, j, j, n) > 0 ? 1 / sqrt(AT(M, j, j, n)) : 0;
    for (int j = 0; j < n; j++) {
        s->g[j] = 0;
        for (int i = 0; i < s->rows; i++) s->g[j] = fmax(s->g[j], fabs(AT(s->X, j, i, s->ld)));
    }
    if (!s->indefinite) bound_scales(s);
    for (int j = 0; j < n; j++) target = fmax(target, s->scale[j] * s->g[j]), largest = fmax(largest, s->scale[j]);
    for (int j = 0; j < n; j++)
        if (!(s->scale[j] > 0)) s->scale[j] = massless_scale(s->g[j], target, largest);
}

/* L = D M D, both triangles; 0 when an entry is no number */
static int load_scaled_mass(small_solve *s, const double *M)
{
    const int n = s->n;
    double total = 0;
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++) {
            const double entry = s->scale[i] * s->scale[j] * AT(M, i, j, n);
            AT(s->L, i, j, s->ld) = AT(s->L, j, i, s->ld) = entry;
            total += fabs(entry);
        }
    for (int j = 0; j < n; j++)
        for (int i = n; i < s->ld; i++) AT(s->L, i, j, s->ld) = 0;
    return total <= DBL_MAX;
}

/* n entries, `step` apart */
static void swap_lines(double *x, double *y, int n, int step)
{
    for (size_t k = 0; n-- > 0; k += (size_t)step) {
        const double keep = x[k];
        x[k] = y[k];
        y[k] = keep;
    }
}

static void swap_places(int *order, int a, int b)
{
    const int keep = order[a];
    order[a] = order[b];
    order[b] = keep;
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
        swap_lines(&AT(K, 0, j, ld), &AT(K, 0, best, ld), n, 1);
        swap_lines(K + j, K + best, n, ld);
        swap_places(order, j, best);
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

/* the largest entry behind the first j rows and columns */
static void find_largest(const double *K, int n, int ld, int j, int *row, int *column)
{
    double most = 0;
    *row = *column = j;
    for (int k = j; k < n; k++)
        for (int i = j; i < n; i++) {
            const double size = fabs(AT(K, i, k, ld));
            if (!(size > most)) continue;
            most = size;
            *row = i;
            *column = k;
        }
}

int small_lu(double *K, int n, int ld, double limit, int *order, int *columns)
{
    for (int j = 0; j < n; j++) order[j] = columns[j] = j;
    for (int j = 0; j < n; j++) {
        int row, column;
        find_largest(K, n, ld, j, &row, &column);
        if (!(fabs(AT(K, row, column, ld)) > limit)) return j;
        swap_lines(K + j, K + row, n, ld);
        swap_lines(&AT(K, 0, j, ld), &AT(K, 0, column, ld), n, 1);
        swap_places(order, j, row);
        swap_places(columns, j, column);
        for (int i = j + 1; i < n; i++) AT(K, i, j, ld) /= AT(K, j, j, ld);
        for (int k = j + 1; k < n; k++)
            subtract(n - j - 1, AT(K, j, k, ld), &AT(K, j, j, ld) + 1, &AT(K, j, k, ld) + 1);
    }
    return n;
}

void small_lu_solve(const double *K, int n, int ld, const int *order, const int *columns, double *x, double *y)
{
    for (int j = 0; j < n; j++) y[j] = x[order[j]];
    for (int j = 0; j < n; j++) subtract(n - j - 1, y[j], &AT(K, j, j, ld) + 1, y + j + 1);
    for (int j = n - 1; j >= 0; j--) {
        y[j] /= AT(K, j, j, ld);
        subtract(j, y[j], &AT(K, 0, j, ld), y);
    }
    for (int j = 0; j < n; j++) x[columns[j]] = y[j];
}

/* what pivots of D M D, entries at most 1, must exceed: rounding of n sums of n terms */
static double mass_limit(const small_solve *s) { return 32 * DBL_EPSILON * (double)s->n; }

/* nearly singular, but definite: all pivots of D M D, the largest first, are clear of rounding */
static int mass_is_definite(small_solve *s, const double *M)
{
    for (int j = 0; j < s->n; j++) {
        if (!(AT(M, j, j, s->n) > 0)) return 0;
        s->scale[j] = 1 / sqrt(AT(M, j, j, s->n));
    }
    return load_scaled_mass(s, M) && factor_pivoted(s->L, s->n, s->ld, mass_limit(s), s->order) == s->n;
}

/* A semi-definite matrix leaves nothing behind its rank; what is left names the coordinate. */
static int mass_is_semidefinite(small_solve *s)
{
    const int n = s->n;
    const double limit = mass_limit(s);
    const int rank = factor_pivoted(s->L, n, s->ld, limit, s->order);
    double worst = 100 * limit;
    for (int j = rank; j < n; j++)
        for (int i = j; i < n; i++)
            if (!(fabs(AT(s->L, i, j, s->ld)) <= worst)) {
                worst = fabs(AT(s->L, i, j, s->ld));
                s->culprit[0] = s->order[AT(s->L, i, i, s->ld) < AT(s->L, j, j, s->ld) ? i : j];
                s->culprits = 1;
            }
    return s->culprits == 0;
}

/* H = Q' (D M D) Q, reflectors from both sides */
static void reflect_mass(small_solve *s)
{
    const int n = s->n;
    for (int side = 0; side < 2; side++) {
        for (int j = 0; j < n; j++) reflect(s, &AT(s->L, 0, j, s->ld));
        for (int j = 0; j < n; j++)
            for (int i = j + 1; i < n; i++) {
                const double keep = AT(s->L, i, j, s->ld);
                AT(s->L, i, j, s->ld) = AT(s->L, j, i, s->ld);
                AT(s->L, j, i, s->ld) = keep;
            }
    }
}

/* coordinates that no force and no row determines: K y = 0 behind its rank, x = Q [0; y] */
static void name_undetermined(small_solve *s, int rank)
{
    const int n = s->n, r = s->rank, size = n - r;
    const int *order = s->indefinite ? s->column : s->order;
    double *K = &AT(s->L, r, r, s->ld);
    memset(s->c, 0, (size_t)n * sizeof *s->c);
    for (int k = 0; k < rank && s->indefinite; k++) /* U' in place of L, which is not needed any more */
        for (int i = k + 1; i < size; i++) AT(K, i, k, s->ld) = AT(K, k, i, s->ld);
    for (int j = rank; j < size; j++) {
        double *y = s->g, *x = s->p;
        memset(x, 0, (size_t)s->ld * sizeof *x);
        for (int k = rank - 1; k >= 0; k--) { /* L11' y = -L21' e_j */
            double sum = AT(K, j, k, s->ld);
            for (int i = k + 1; i < rank; i++) sum += AT(K, i, k, s->ld) * y[i];
            y[k] = -sum / AT(K, k, k, s->ld);
            x[r + order[k]] = y[k];
        }
        x[r + order[j]] = 1;
        apply_q(s, x);
        double largest = 0;
        for (int i = 0; i < n; i++) largest = fmax(largest, fabs(x[i]));
        for (int i = 0; i < n; i++)
            if (fabs(x[i]) > NOTICED * largest) s->c[i] = 1;
    }
    s->culprits = 0;
    for (int i = 0; i < n; i++)
        if (s->c[i] != 0) s->culprit[s->culprits++] = i;
}

/* L = D M D for an M that is not definite, rows in X; where M is indefinite, and may be, D is another. */
static small_status load_semi(small_solve *s, const double *M)
{
    for (int j = 0; j < s->n && !s->culprits; j++)
        if (AT(M, j, j, s->n) < 0) s->culprit[s->culprits++] = j;
    if (!s->culprits) {
        scale_coordinates(s, M);
        if (!load_scaled_mass(s, M)) return SMALL_NOT_FINITE;
    }
    s->indefinite = s->culprits || !mass_is_semidefinite(s);
    if (s->indefinite) {
        if (!s->may_be_indefinite) return SMALL_INDEFINITE;
        s->culprits = 0;
        scale_coordinates(s, M);
    }
    return load_scaled_mass(s, M) ? SMALL_OK : SMALL_NOT_FINITE;
}

static small_status factor_semi(small_solve *s, const double *M, const double *A, const unsigned char *active)
{
    s->semi = 1;
    load_rows(s, A, active);
    small_transpose_rows(s);
    small_status status = load_semi(s, M);
    if (status == SMALL_OK) status = factor_loaded(s, A);
    if (status != SMALL_OK) return status;
    reflect_mass(s);
    const int size = s->n - s->rank;
    double *K = &AT(s->L, s->rank, s->rank, s->ld);
    const int found = s->indefinite ? small_lu(K, size, s->ld, mass_limit(s), s->order, s->column)
                                    : factor_pivoted(K, size, s->ld, mass_limit(s), s->order);
    if (found == size) return SMALL_OK;
    name_undetermined(s, found);
    return SMALL_UNDETERMINED;
}

small_status small_factor(small_solve *s, const double *M, const double *A, const unsigned char *active,
                          double rank_tol, double zero_tol)
{
    small_start(s, rank_tol, zero_tol);
    load_rows(s, A, active);
    if (!factor_mass(s, M, s->needs_no_root ? LOSSLESS : CLEAR)) {
        if (s->needs_no_root || !mass_is_definite(s, M)) return factor_semi(s, M, A, active);
        load_rows(s, A, active);
        if (!factor_mass(s, M, 0)) return factor_semi(s, M, A, active);
    }
    small_transpose_rows(s);
    return factor_loaded(s, A);
}

/* ---- the operations ---- */

/* g = Q' L^-1 f, g padded */
static void forward(const small_solve *s, const double *f, double *g)
{
    load(s, f, g);
    if (s->semi)
        for (int j = 0; j < s->n; j++) g[j] *= s->scale[j];
    else solve_lower(s, g);
    reflect(s, g);
}

void small_forward(const small_solve *s, const double *f, double *g)
{
    forward(s, f, s->y);
    memcpy(g, s->y, (size_t)s->n * sizeof *g);
}

void small_backward(small_solve *s, const double *p, double *x)
{
    load(s, p, s->y);
    apply_q(s, s->y);
    if (s->semi)
        for (int j = 0; j < s->n; j++) s->y[j] *= s->scale[j];
    else solve_upper(s, s->y);
    memcpy(x, s->y, (size_t)s->n * sizeof *x);
}

#ifndef SMALL_LEAN
void small_free_acceleration(const small_solve *s, const double *f, double *a)
{
    load(s, f, s->y);
    solve_lower(s, s->y);
    solve_upper(s, s->y);
    memcpy(a, s->y, (size_t)s->n * sizeof *a);
}
#endif

/* x = T^-T x, in the same way */
static void solve_rows(const small_solve *s, double *x)
{
    for (int k = 0; k < s->rank; k++) {
        const double *column = &AT(s->X, 0, k, s->ld);
        const int start = block(k) - 4;
        double sum = x[k];
        if (start > 0) sum -= dot_blocks(start, column, x);
        for (int i = larger(start, 0); i < k; i++) sum -= column[i] * x[i];
        x[k] = sum * s->inverse[k];
    }
}

/* x = T^-1 x */
static void solve_rows_transposed(const small_solve *s, double *x)
{
    for (int k = s->rank - 1; k >= 0; k--) {
        const double *column = &AT(s->X, 0, k, s->ld), by = x[k] * s->inverse[k];
        x[k] = by;
        for (int i = k - 1; i >= block(k); i--) x[i] -= by * column[i];
        subtract(block(k), by, column, x);
    }
}

/* t = H(k) t, the k-th reflector of Z */
static void reflect_trapezoid(const small_solve *s, int k, double *t)
{
    const int r = s->rank, extra = s->rows - r;
    const double *v = &AT(s->X, k, r, s->ld);
    double w = t[k];
    for (int j = 0; j < extra; j++) w += AT(v, 0, j, s->ld) * t[r + j];
    w *= s->zeta[k];
    t[k] -= w;
    for (int j = 0; j < extra; j++) t[r + j] -= w * AT(v, 0, j, s->ld);
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
    const int ld = s->ld, r = s->rank, size = s->n - r;
    if (!s->semi) {
        memcpy(p + r, g + r, (size_t)size * sizeof *p);
        return;
    }
    /* K p2 = g2 - H21 p1 by its pivoted factor */
    const double *K = &AT(s->L, r, r, ld);
    double *y = s->y;
    memcpy(p + r, g + r, (size_t)size * sizeof *p);
    for (int k = 0; k < r; k++) subtract(size, p[k], &AT(s->L, r, k, ld), p + r);
    if (s->indefinite) {
        small_lu_solve(K, size, ld, s->order, s->column, p + r, y);
        return;
    }
    for (int j = 0; j < size; j++) y[j] = p[r + s->order[j]];
    for (int j = 0; j < size; j++) {
        y[j] /= AT(K, j, j, ld);
        subtract(size - j - 1, y[j], &AT(K, j, j, ld) + 1, y + j + 1);
    }
    for (int j = size - 1; j >= 0; j--)
        y[j] = (y[j] - dot(size - j - 1, &AT(K, j, j, ld) + 1, y + j + 1)) / AT(K, j, j, ld);
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
        forward(s, Q, s->g);
        memcpy(s->p, h, (size_t)r * sizeof *s->p);
        small_complete(s, s->g, s->p);
        small_backward(s, s->p, qdd);
        times_mass(n, M, qdd, s->p);
        subtract(n, 1, Q, s->p);
        if (Qi) memcpy(Qi, s->p, (size_t)n * sizeof *Qi);
        small_forward(s, s->p, h);
    } else { /* p = g + [h; 0] with h = c - g1: q'' = a + L^-T Q [h; 0], Qi = L Q [h; 0] */
        load(s, Q, s->y);
        solve_lower(s, s->y);
        memcpy(s->g, s->y, (size_t)s->ld * sizeof *s->g);
        reflect(s, s->g);
        subtract(r, 1, s->g, h);
        memset(s->p, 0, (size_t)s->ld * sizeof *s->p);
        memcpy(s->p, h, (size_t)r * sizeof *s->p);
        apply_q(s, s->p);
        subtract(s->ld, -1, s->p, s->y);
        solve_upper(s, s->y);
        memcpy(qdd, s->y, (size_t)n * sizeof *qdd);
        if (Qi) {
            times_lower(s, s->p, s->g);
            memcpy(Qi, s->g, (size_t)n * sizeof *Qi);
        }
    }
    if (lambda) small_multipliers(s, h, lambda);
}

#ifndef SMALL_LEAN
void small_nonideal(small_solve *s, const double *M, const double *C, double *dqdd, double *Qni, double *dlambda)
{
    const int n = s->n, r = s->rank;
    double *h = s->c;
    forward(s, C, s->g);
    memset(s->p, 0, (size_t)s->ld * sizeof *s->p);
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
        if (Qni) {
            times_lower(s, s->p, s->g);
            memcpy(Qni, s->g, (size_t)n * sizeof *Qni);
        }
        solve_upper(s, s->p);
        memcpy(dqdd, s->p, (size_t)n * sizeof *dqdd);
    }
    if (dlambda) small_multipliers(s, h, dlambda);
}

/* One step of inverse iteration on x: the estimate, and x at unit length for the next. */
static double inverse_step(const small_solve *s, double *x)
{
    const int r = s->rank;
    solve_rows_transposed(s, x);
    const double before = dot(r, x, x);
    solve_rows(s, x);
    const double after = dot(r, x, x), scale = 1 / sqrt(after);
    for (int k = 0; k < r; k++) x[k] *= scale;
    return sqrt(before) * scale;
}

/* From the row with the least pivot on. Rows taken by angle need one step; long ones may stand in any order, and what
   is small is worth a closer look: there until it settles. */
double small_smallest(small_solve *s)
{
    enum { SHORT = 32, MOST = 40 };
    const int r = s->rank;
    double *x = s->p;
    int weak = 0;
    if (r == 0) return 0;
    for (int k = 1; k < r; k++)
        if (fabs(s->inverse[k]) > fabs(s->inverse[weak])) weak = k;
    for (int k = 0; k < r; k++) x[k] = k == weak;
    double smallest = inverse_step(s, x), last = INFINITY;
    if (r <= SHORT && smallest > 1e-2 * s->largest) return smallest;
    for (int step = 0; step < MOST && smallest < 0.98 * last; step++) {
        last = smallest;
        smallest = inverse_step(s, x);
    }
    return smallest;
}
#endif
