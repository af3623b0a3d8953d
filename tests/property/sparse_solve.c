/* The sparse solver against the dense one, which does not share a line of its algebra: random systems with
   redundant rows, rows that are not in force, laws, singular M; and a ladder of four-bar loops as it folds
   flat. */
#include "check.h"

#include "fundamental/sparse_qr.h"

#include <mech/fundamental.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint64_t random_state = 20261116;

static uint32_t random_int(uint32_t below)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(random_state >> 33) % below;
}

static double random_real(void) { return (double)random_int(1u << 24) * 0x1p-23 - 1; }

typedef struct example {
    int n, m;
    double *M, *A, *Q, *b, *C; /* dense, by column */
    uint32_t *M_row, *M_column, *A_row, *A_column;
    double *M_value, *A_value;
    size_t M_count, A_count;
    unsigned char *active;
} example;

static void *room(size_t count, size_t size) { return calloc(count + 1, size); }

static example begin(int n, int m)
{
    const size_t nn = (size_t)n * (size_t)n, mn = (size_t)m * (size_t)n;
    example x = {.n = n, .m = m};
    x.M = room(nn, sizeof(double));
    x.A = room(mn, sizeof(double));
    x.Q = room((size_t)n, sizeof(double));
    x.C = room((size_t)n, sizeof(double));
    x.b = room((size_t)m, sizeof(double));
    x.M_row = room(nn, sizeof(uint32_t));
    x.M_column = room(nn, sizeof(uint32_t));
    x.A_row = room(mn, sizeof(uint32_t));
    x.A_column = room(mn, sizeof(uint32_t));
    x.M_value = room(nn, sizeof(double));
    x.A_value = room(mn, sizeof(double));
    x.active = room((size_t)m, 1);
    memset(x.active, 1, (size_t)m);
    return x;
}

static void list_entries(example *x)
{
    x->M_count = x->A_count = 0;
    for (int j = 0; j < x->n; j++)
        for (int i = j; i < x->n; i++)
            if (i == j || x->M[i + j * x->n] != 0) {
                x->M_value[x->M_count] = x->M[i + j * x->n];
                x->M_row[x->M_count] = (uint32_t)i;
                x->M_column[x->M_count++] = (uint32_t)j;
            }
    for (int i = 0; i < x->m; i++)
        for (int j = 0; j < x->n; j++)
            if (x->A[i + j * x->m] != 0) {
                x->A_value[x->A_count] = x->A[i + j * x->m];
                x->A_row[x->A_count] = (uint32_t)i;
                x->A_column[x->A_count++] = (uint32_t)j;
            }
}

static void finish(example *x)
{
    void *const blocks[] = {x->M,        x->A,     x->Q,        x->b,       x->C,       x->M_row,
                            x->M_column, x->A_row, x->A_column, x->M_value, x->A_value, x->active};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) free(blocks[i]);
}

static mech_fundamental_pattern pattern_of(const example *x)
{
    return (mech_fundamental_pattern){.size = sizeof(mech_fundamental_pattern),
                                      .n = x->n,
                                      .m = x->m,
                                      .M_count = x->M_count,
                                      .A_count = x->A_count,
                                      .M_row = x->M_row,
                                      .M_column = x->M_column,
                                      .A_row = x->A_row,
                                      .A_column = x->A_column};
}

/* Blocks of up to three coordinates, rows of up to four entries; `redundant` rows are sums of two others,
   with b to match. */
static example random_example(int n, int m, int redundant)
{
    example x = begin(n, m);
    for (int i = 0; i < n; i += 3)
        for (int k = 0; k < 4; k++) {
            const double u[3] = {random_real(), random_real(), random_real()};
            for (int a = 0; a < 3 && i + a < n; a++)
                for (int c = 0; c < 3 && i + c < n; c++) x.M[i + a + (i + c) * n] += u[a] * u[c];
        }
    for (int i = 0; i < n; i++) x.M[i + i * n] += 0.2;
    for (int r = 0; r < m - redundant; r++) {
        for (int k = 0; k < 4; k++) x.A[r + (int)random_int((uint32_t)n) * m] = random_real();
        x.b[r] = random_real();
    }
    for (int r = m - redundant; r < m; r++) {
        const int p = (int)random_int((uint32_t)(m - redundant)), q = (int)random_int((uint32_t)(m - redundant));
        const double u = random_real(), v = random_real();
        for (int j = 0; j < n; j++) x.A[r + j * m] = u * x.A[p + j * m] + v * x.A[q + j * m];
        x.b[r] = u * x.b[p] + v * x.b[q];
    }
    for (int i = 0; i < n; i++) {
        x.Q[i] = random_real();
        x.C[i] = random_real();
    }
    list_entries(&x);
    return x;
}

static double apart(const double *x, const double *y, int count)
{
    double most = 0, size = 0;
    for (int i = 0; i < count; i++) {
        most = fmax(most, fabs(x[i] - y[i]));
        size = fmax(size, fabs(y[i]));
    }
    return most / fmax(size, 1e-300);
}

enum { MOST = 2000 };
typedef struct answer {
    double qdd[MOST], Qi[MOST], Qni[MOST], lambda[MOST], total[MOST];
    mech_fundamental_output out;
} answer;

static mech_fundamental_output outputs(answer *a)
{
    return (mech_fundamental_output){.size = sizeof(mech_fundamental_output),
                                     .qdd = a->qdd,
                                     .Qi = a->Qi,
                                     .Qni = a->Qni,
                                     .lambda = a->lambda,
                                     .reaction = a->total};
}

static answer sparse_answer, dense_answer; /* large */

/* Both solve; rank tolerance as given. Returns what the sparse one says of itself. */
static mech_fundamental_sparse_info compare(example *x, const unsigned char *monitored, const double *weight,
                                            int with_law, double rank_tol)
{
    mech_fundamental *s = NULL, *d = NULL;
    mech_fundamental_pattern g = pattern_of(x);
    g.monitored = monitored;
    g.mass_weight = weight;
    CHECK(mech_fundamental_create_sparse(&g, NULL, &s) == MECH_OK);
    CHECK(mech_fundamental_create(x->n, x->m, NULL, &d) == MECH_OK);
    mech_fundamental_input in = {.size = sizeof in,
                                 .M = x->M_value,
                                 .Q = x->Q,
                                 .A = x->A_value,
                                 .b = x->b,
                                 .active = x->active,
                                 .rank_tol = rank_tol};
    if (with_law) in.C = x->C;
    sparse_answer.out = outputs(&sparse_answer);
    dense_answer.out = outputs(&dense_answer);
    CHECK(mech_fundamental_solve(s, &in, &sparse_answer.out) == MECH_OK);
    in.M = x->M;
    in.A = x->A;
    CHECK(mech_fundamental_solve(d, &in, &dense_answer.out) == MECH_OK);
    const mech_fundamental_sparse_info info = mech_fundamental_sparse_info_get(s);
    mech_fundamental_free(s);
    mech_fundamental_free(d);
    return info;
}

static double worst[4];

static void both_agree(example *x, double tol)
{
    const answer *s = &sparse_answer, *d = &dense_answer;
    const double a = apart(s->qdd, d->qdd, x->n), f = apart(s->Qi, d->Qi, x->n), l = apart(s->lambda, d->lambda, x->m);
    CHECK(a < tol);
    CHECK(f < tol);
    CHECK(l < tol);
    CHECK(s->out.rank == d->out.rank);
    CHECK((s->out.flags & MECH_FUNDAMENTAL_REDUNDANT) == (d->out.flags & MECH_FUNDAMENTAL_REDUNDANT));
    worst[0] = fmax(worst[0], a);
    worst[1] = fmax(worst[1], f);
    worst[2] = fmax(worst[2], l);
}

static void random_systems(void)
{
    for (int k = 0; k < 300; k++) {
        const int n = 6 + (int)random_int(40), rows = 1 + (int)random_int((uint32_t)n - 4),
                  redundant = (int)random_int(4), m = rows + (rows > 1 ? redundant : 0);
        example x = random_example(n, m, m - rows);
        if (k % 3 == 1)
            for (int i = 0; i < m; i++) x.active[i] = random_int(5) > 0;
        (void)compare(&x, NULL, NULL, k % 2, 0);
        const double small = dense_answer.out.smallest / dense_answer.out.largest;
        if (small > 1e-4) {
            both_agree(&x, 1e-9);
            if (k % 2) CHECK(apart(sparse_answer.Qni, dense_answer.Qni, n) < 1e-9);
            if (k % 2) CHECK(apart(sparse_answer.total, dense_answer.total, m) < 1e-9);
            CHECK_NEAR(sparse_answer.out.largest, dense_answer.out.largest, 1e-12 * dense_answer.out.largest);
            const double ratio = sparse_answer.out.smallest / dense_answer.out.smallest;
            if (m == rows) CHECK(ratio > 0.5 && ratio < 2); /* both are estimates */
        }
        finish(&x);
    }
    printf("random systems: q'' %.1e, Qi %.1e, lambda %.1e of the dense solution\n", worst[0], worst[1], worst[2]);
}

static void monitored_rows(void)
{
    example x = random_example(30, 14, 4);
    unsigned char monitored[14] = {0};
    for (int i = 10; i < 14; i++) monitored[i] = 1;
    mech_fundamental_sparse_info info = compare(&x, monitored, NULL, 0, 0);
    both_agree(&x, 1e-10);
    CHECK(info.robust == 0);
    x.b[12] += 0.5; /* now it contradicts the others: least squares, by the robust path */
    info = compare(&x, monitored, NULL, 0, 0);
    CHECK(info.robust == 1 && info.monitored_missed == 1);
    CHECK(apart(sparse_answer.qdd, dense_answer.qdd, 30) < 1e-12);
    CHECK(sparse_answer.out.flags & MECH_FUNDAMENTAL_MISSED);
    finish(&x);
}

/* Blocks of four with M = 4 G'JG, G e = 0, and rows e e' = 1: Euler parameters. */
static void singular_mass(void)
{
    enum { BODIES = 6, N = 4 * BODIES, ROWS = 2 * BODIES - 1 };
    example x = begin(N, ROWS);
    for (int k = 0; k < BODIES; k++) {
        double e[4], size = 0;
        for (int i = 0; i < 4; i++) {
            e[i] = random_real();
            size += e[i] * e[i];
        }
        for (int i = 0; i < 4; i++) e[i] /= sqrt(size);
        const double G[3][4] = {{-e[1], e[0], e[3], -e[2]}, {-e[2], -e[3], e[0], e[1]}, {-e[3], e[2], -e[1], e[0]}},
                     J[3] = {0.1, 1, 3};
        for (int i = 0; i < 4; i++) {
            for (int j = 0; j < 4; j++)
                for (int a = 0; a < 3; a++) x.M[4 * k + i + (4 * k + j) * N] += 4 * J[a] * G[a][i] * G[a][j];
            x.A[k + (4 * k + i) * ROWS] = 2 * e[i];
        }
        x.b[k] = random_real();
        for (int j = 0; k + 1 < BODIES && j < 8; j++) x.A[BODIES + k + (4 * k + j) * ROWS] = random_real();
    }
    for (int i = 0; i < N; i++) x.Q[i] = random_real();
    list_entries(&x);
    double weight[ROWS];
    const mech_fundamental_pattern g = pattern_of(&x);
    CHECK(mech_fundamental_find_mass(&g, x.M_value, x.A_value, weight) == MECH_OK);
    for (int i = 0; i < ROWS; i++) CHECK((weight[i] > 0) == (i < BODIES));
    mech_fundamental_sparse_info info = compare(&x, NULL, weight, 0, 0);
    CHECK(info.robust == 0);
    both_agree(&x, 1e-9);
    info = compare(&x, NULL, NULL, 0, 0); /* not told: the robust path notices */
    CHECK(info.robust == 1);
    both_agree(&x, 1e-9);
    memset(x.A, 0, sizeof(double) * ROWS * N); /* nothing fixes it */
    list_entries(&x);
    const mech_fundamental_pattern free_g = pattern_of(&x);
    CHECK(mech_fundamental_find_mass(&free_g, x.M_value, x.A_value, weight) == MECH_ERR_SINGULAR_MASS);
    finish(&x);
}

/* The planar ladder of N loops with all standing rods at the angle theta: masses 1, inertia 1/12, length 1.
 */
static example ladder(int N, double theta, int redundant)
{
    const int K = 2 * N + 1, n = 3 * K, m = 2 * (3 * N + 1) + (redundant ? 2 * N : 0);
    example x = begin(n, m);
    for (int i = 0; i < K; i++) {
        x.M[3 * i + 3 * i * n] = x.M[3 * i + 1 + (3 * i + 1) * n] = 1;
        x.M[3 * i + 2 + (3 * i + 2) * n] = 1.0 / 12;
        x.Q[3 * i + 1] = -9.81;
    }
    const double s = sin(theta) / 2, c = cos(theta) / 2;
    int r = 0;
    for (int i = 0; i <= N; i++, r += 2) { /* feet: x - c, y - s */
        x.A[r + 3 * i * m] = x.A[r + 1 + (3 * i + 1) * m] = 1;
        x.A[r + (3 * i + 2) * m] = s;
        x.A[r + 1 + (3 * i + 2) * m] = -c;
        x.b[r] = -c;
        x.b[r + 1] = -s; /* theta' = 1 */
    }
    for (int k = 0; k < (redundant ? 3 : 2) * N; k++, r += 2) { /* ends of the rods on top; they stay level */
        const int top = N + 1 + k % N, side = k / N % 2 ? 1 : 0, foot = k % N + side;
        const double sign = k >= 2 * N ? 0.5 : 1; /* once more, at another scale */
        x.A[r + 3 * top * m] = x.A[r + 1 + (3 * top + 1) * m] = sign;
        x.A[r + 1 + (3 * top + 2) * m] = sign * (side ? 0.5 : -0.5);
        x.A[r + 3 * foot * m] = x.A[r + 1 + (3 * foot + 1) * m] = -sign;
        x.A[r + (3 * foot + 2) * m] = sign * s;
        x.A[r + 1 + (3 * foot + 2) * m] = -sign * c;
        x.b[r] = -sign * c; /* of -(theta'^2) cos */
        x.b[r + 1] = -sign * s;
    }
    list_entries(&x);
    return x;
}

static void folding_ladder(int N, int redundant)
{
    for (int k = 0; k <= 8; k++) {
        const double theta = k == 8 ? 0 : k == 0 ? 1.1 : pow(10, -k);
        example x = ladder(N, theta, redundant);
        const mech_fundamental_sparse_info info = compare(&x, NULL, NULL, 0, 1e-7);
        const double off = apart(sparse_answer.qdd, dense_answer.qdd, x.n);
        const double ratio = dense_answer.out.smallest / dense_answer.out.largest;
        printf("ladder N = %2d%s theta = %-5.0e: smallest %.1e (dense %.1e), rank %d (%d), q'' apart %.1e, "
               "%zu refinements%s\n",
               N, redundant ? "+" : " ", theta, sparse_answer.out.smallest, dense_answer.out.smallest,
               sparse_answer.out.rank, dense_answer.out.rank, off, info.refinements, info.robust ? ", robust" : "");
        if (ratio > 1e-7 || theta == 0) CHECK(sparse_answer.out.rank == dense_answer.out.rank);
        /* where the rank itself is a matter of tolerance the two may differ in it */
        if (sparse_answer.out.rank == dense_answer.out.rank) CHECK(off < fmax(1e-11, 1e-14 / ratio));
        finish(&x);
    }
}

/* The robust path by itself: M of blocks that hang together by chains, so that its factor fills, rows that depend on
   others, rows that are not in force, a row of zeros. */
static void robust_path(void)
{
    double far = 0;
    for (int k = 0; k < 200; k++) {
        const int n = 6 + (int)random_int(50), rows = 1 + (int)random_int((uint32_t)n - 2),
                  redundant = rows > 1 ? (int)random_int(5) : 0, m = rows + redundant;
        example x = random_example(n, m, redundant);
        for (int i = 0; i < n - 4 && k % 2; i += 2) {
            const int j = i + 1 + (int)random_int((uint32_t)(n - i - 1));
            const double coupling = 0.3 * random_real();
            x.M[i + j * n] += coupling;
            x.M[j + i * n] += coupling;
            x.M[i + i * n] += 0.3;
            x.M[j + j * n] += 0.3;
        }
        for (int i = 0; i < m && k % 5 == 2; i++) x.active[i] = random_int(6) > 0;
        for (int j = 0; j < n && k % 7 == 3; j++) x.A[j * m] = 0;
        if (k % 7 == 3) x.active[0] = 0;
        list_entries(&x);
        (void)compare(&x, NULL, NULL, 0, 0);
        if (dense_answer.out.smallest > 1e-4 * dense_answer.out.largest) {
            static double a[MOST], lambda[MOST], force[MOST];
            const sparse_spec spec = {.n = (size_t)n,
                                      .m = (size_t)m,
                                      .M = {x.M_count, x.M_row, x.M_column},
                                      .A = {x.A_count, x.A_row, x.A_column},
                                      .most_ops = 1000000};
            sparse *s = NULL;
            size_t rank = 0;
            CHECK(sparse_create(&spec, &s) == MECH_OK);
            CHECK(sparse_factor(s, x.M_value, x.A_value, x.active, 0));
            CHECK(sparse_qr_solve(s, 1e-9, x.Q, x.b, a, lambda, &rank) == MECH_OK);
            sparse_force(s, lambda, force);
            CHECK((int)rank == dense_answer.out.rank);
            CHECK(apart(a, dense_answer.qdd, n) < 1e-9);
            CHECK(apart(force, dense_answer.Qi, n) < 1e-9);
            far = fmax(far, apart(a, dense_answer.qdd, n));
            sparse_free(s);
        }
        finish(&x);
    }
    printf("the robust path: q'' %.1e of the dense solution\n", far);
}

/* More right sides on the same factors. */
static void again(void)
{
    example x = random_example(40, 20, 2);
    double qdd[40], lambda[20], expected[40], expected_lambda[20];
    mech_fundamental *s = NULL, *d = NULL;
    const mech_fundamental_pattern g = pattern_of(&x);
    CHECK(mech_fundamental_create_sparse(&g, NULL, &s) == MECH_OK);
    CHECK(mech_fundamental_create(x.n, x.m, NULL, &d) == MECH_OK);
    mech_fundamental_input in = {.size = sizeof in, .M = x.M_value, .Q = x.Q, .A = x.A_value, .b = x.b};
    mech_fundamental_output out = {.size = sizeof out, .qdd = qdd};
    CHECK(mech_fundamental_again(s, x.C, x.b, qdd, lambda) == MECH_ERR_ARGUMENT);
    CHECK(mech_fundamental_solve(s, &in, &out) == MECH_OK);
    in.M = x.M;
    in.A = x.A;
    CHECK(mech_fundamental_solve(d, &in, &out) == MECH_OK);
    CHECK(mech_fundamental_again(s, x.C, x.b, qdd, lambda) == MECH_OK);
    CHECK(mech_fundamental_again(d, x.C, x.b, expected, expected_lambda) == MECH_OK);
    CHECK(apart(qdd, expected, 40) < 1e-10);
    CHECK(apart(lambda, expected_lambda, 20) < 1e-10);
    mech_fundamental_free(s);
    mech_fundamental_free(d);
    finish(&x);
}

int main(void)
{
    random_systems();
    monitored_rows();
    singular_mass();
    folding_ladder(3, 0);
    folding_ladder(10, 0);
    folding_ladder(10, 1);
    folding_ladder(40, 0);
    folding_ladder(90, 0); /* large enough for the sparse QR to be the robust path */
    robust_path();
    again();
    return check_report();
}
