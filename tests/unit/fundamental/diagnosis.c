/* Diagnosis: projectors, geometry, redundancy, uniqueness, virtual work; conflicts name all members and no
 * innocent row. */
#include "check.h"
#include "unit/fundamental/helpers.h"

#include <stdlib.h>

static const mech_diagnosis_result *diagnose(mech_diagnosis **d, int n, int m, const mech_fundamental_input *in,
                                             solution *s, const int *groups, int count)
{
    const mech_diagnosis_input why = {
        .size = sizeof why, .equation = in, .solution = s ? &s->out : NULL, .group_sizes = groups, .groups = count};
    if (!*d) CHECK(mech_diagnosis_create(n, m, d) == MECH_OK);
    CHECK(mech_diagnosis_run(*d, &why) == MECH_OK);
    return mech_diagnosis_get(*d);
}

/* 004, Fig. 1 in numbers: q''_s = N (a_s + c_s) + B^+ b, at right angles; T and N projectors */
static void figure(void)
{
    const double M[9] = {2, 0.4, 0, 0.4, 1, 0.1, 0, 0.1, 3}, Q[3] = {1, -2, 0.5}, C[3] = {0.3, 0.2, -1},
                 A[6] = {1, 2, 0.5, 1, -1, -2}, b[2] = {0.7, 1.4};
    mech_fundamental_input in = equation(M, Q, A, b);
    mech_diagnosis *d = NULL;
    solution s;
    in.C = C;
    CHECK(solve_once(3, 2, &in, &s) == MECH_OK);
    const mech_diagnosis_result *r = diagnose(&d, 3, 2, &in, &s, NULL, 0);
    const mech_geometry g = r->geometry;
    CHECK(r->rank == 1 && g.orthogonality < 1e-14 && r->conflicts == 0);
    double Mq[3], length = 0, zwang = 0;
    for (int i = 0; i < 3; i++) {
        Mq[i] = M[i] * s.qdd[0] + M[i + 3] * s.qdd[1] + M[i + 6] * s.qdd[2];
        length += s.qdd[i] * Mq[i];
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) zwang += (s.qdd[i] - s.a[i]) * M[i + 3 * j] * (s.qdd[j] - s.a[j]);
    CHECK_NEAR(g.qdds, sqrt(length), 1e-13); /* |q''_s|^2 = q'' . M q'' */
    CHECK_NEAR(r->zwang, zwang, 1e-13);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) { /* T T = T = T', T N = 0 */
            double TT = 0, TN = 0;
            for (int k = 0; k < 3; k++)
                TT += r->T[i + 3 * k] * r->T[k + 3 * j], TN += r->T[i + 3 * k] * r->N[k + 3 * j];
            CHECK_NEAR(TT, r->T[i + 3 * j], 1e-14);
            CHECK_NEAR(TN, 0, 1e-14);
            CHECK_NEAR(r->T[i + 3 * j], r->T[j + 3 * i], 1e-15);
        }
    CHECK_NEAR(r->T[0] + r->T[4] + r->T[8], 1, 1e-14); /* trace = rank */
    for (int k = 0; k < 2; k++) {
        CHECK_NEAR(r->work_Qi[k], 0, 1e-14);
        CHECK_NEAR(r->work_Qni[k], dot_of(3, C, r->Z + 3 * k), 1e-14);
    }
    CHECK(!r->redundant[0] && r->redundant[1]);
    CHECK_NEAR(r->depends[1 + 2 * 0], 2, 1e-13); /* row 1 = 2 row 0 */
    CHECK(!r->unique_lambda[0] && !r->unique_lambda[1]);
    CHECK_NEAR(r->sigma[1], 0, 1e-14);
    mech_diagnosis_free(d);
}

/* x = 1 stated twice as one constraint of two rows, y = 2 beside it: its force is unique, its multipliers are
 * not */
static void groups(void)
{
    const double M[4] = {1, 0, 0, 1}, Q[2] = {0, 0}, A[6] = {1, 1, 0, 0, 0, 1}, b[3] = {1, 1, 2};
    const int sizes[2] = {2, 1};
    const mech_fundamental_input in = equation(M, Q, A, b);
    mech_diagnosis *d = NULL;
    const mech_diagnosis_result *r = diagnose(&d, 2, 3, &in, NULL, sizes, 2);
    CHECK(r->unique_force[0] && r->unique_force[1]);
    CHECK(!r->unique_lambda[0] && !r->unique_lambda[1] && r->unique_lambda[2]);
    r = diagnose(&d, 2, 3, &in, NULL, NULL, 0);
    CHECK(!r->unique_force[0] && !r->unique_force[1] && r->unique_force[2]);
    CHECK(r->work_Qi == NULL);
    mech_diagnosis_free(d);
}

/* Uniqueness marks against brute force: some blocks of rows depend on one another, some do not. The null
   space of A' is found here by Gauss-Jordan in long double; lambda + w is as good a multiplier, so what moves
   is not unique. */
static void uniqueness(void)
{
    uint64_t random = 21;
    enum { N = 12, ROWS = 10 };
    for (int trial = 0; trial < 400; trial++) {
        double M[N * N] = {0}, Q[N] = {0}, A[ROWS * N], b[ROWS] = {0}, scale[ROWS];
        long double E[ROWS][N + ROWS] = {{0}};
        int dependent[ROWS], sizes[ROWS], groups_ = 0, row = 0, rank = 0;
        for (int i = 0; i < N; i++) M[i + i * N] = 1 + 0.5 * uniform(&random);
        for (int i = 0; i < ROWS; i++) {
            scale[i] = pow(10, 3 * uniform(&random));
            dependent[i] = i > 1 && uniform(&random) > 0.4;
            for (int j = 0; j < N; j++) A[i + j * ROWS] = scale[i] * uniform(&random);
            if (!dependent[i]) continue;
            const int p = (int)(3 * fabs(uniform(&random))) % i, q = (p + 1) % i; /* of rows p and q only */
            const double u = 1 + fabs(uniform(&random)), v = uniform(&random) > 0 ? 0.7 : 0;
            for (int j = 0; j < N; j++)
                A[i + j * ROWS] = scale[i] * (u * A[p + j * ROWS] / scale[p] + v * A[q + j * ROWS] / scale[q]);
        }
        for (row = 0; row < ROWS; row += sizes[groups_++]) {
            sizes[groups_] = 1 + (uniform(&random) > 0);
            if (row + sizes[groups_] > ROWS) sizes[groups_] = ROWS - row;
        }
        /* [A | I] to echelon form: rows of zeros carry the null vectors of A' */
        for (int i = 0; i < ROWS; i++) {
            for (int j = 0; j < N; j++) E[i][j] = (long double)A[i + j * ROWS] / scale[i];
            E[i][N + i] = 1;
        }
        for (int j = 0; j < N && rank < ROWS; j++) {
            int best = rank;
            for (int i = rank; i < ROWS; i++)
                if (fabsl(E[i][j]) > fabsl(E[best][j])) best = i;
            if (fabsl(E[best][j]) < 1e-10L) continue;
            for (int k = 0; k < N + ROWS; k++) {
                const long double keep = E[rank][k];
                E[rank][k] = E[best][k], E[best][k] = keep;
            }
            for (int i = rank + 1; i < ROWS; i++) {
                const long double ratio = E[i][j] / E[rank][j];
                for (int k = j; k < N + ROWS; k++) E[i][k] -= ratio * E[rank][k];
            }
            rank++;
        }
        const mech_fundamental_input in = equation(M, Q, A, b);
        mech_diagnosis *d = NULL;
        const mech_diagnosis_result *r = diagnose(&d, N, ROWS, &in, NULL, sizes, groups_);
        CHECK(r->rank == rank);
        for (int i = 0; i < ROWS; i++) {
            int moves = 0;
            for (int k = rank; k < ROWS; k++) moves |= fabsl(E[k][N + i]) > 1e-9L;
            CHECK(r->unique_lambda[i] == !moves);
        }
        for (int g = 0, first = 0; g < groups_; first += sizes[g++]) {
            long double most = 0;
            for (int k = rank; k < ROWS; k++)
                for (int j = 0; j < N; j++) {
                    long double sum = 0;
                    for (int i = first; i < first + sizes[g]; i++) sum += E[k][N + i] * A[i + j * ROWS] / scale[i];
                    if (fabsl(sum) > most) most = fabsl(sum);
                }
            CHECK(r->unique_force[g] == (most < 1e-9L));
        }
        /* redundant rows are the sum of those they are said to depend on */
        int redundant = 0;
        for (int i = 0; i < ROWS; i++) {
            redundant += r->redundant[i];
            for (int j = 0; j < N && r->redundant[i]; j++) {
                double sum = 0;
                for (int k = 0; k < i; k++) sum += r->depends[i + k * ROWS] * A[k + j * ROWS];
                CHECK(fabs(sum - A[i + j * ROWS]) < 1e-9 * scale[i]);
            }
            for (int k = i; k < ROWS; k++) CHECK(r->depends[i + k * ROWS] == 0);
        }
        CHECK(redundant == ROWS - rank);
        mech_diagnosis_free(d);
    }
}

/* a planted contradiction among consistent, partly redundant rows: exactly its members are named */
static void conflicts(void)
{
    uint64_t random = 77;
    enum { N = 15, ROWS = 12 };
    for (int trial = 0; trial < 600; trial++) {
        double M[N * N] = {0}, Q[N], A[ROWS * N], b[ROWS] = {0}, x[N];
        unsigned char want[ROWS] = {0};
        const int kind = trial % 4; /* none, 0 = 1, a pair, a triple */
        for (int i = 0; i < N; i++)
            M[i + i * N] = 1 + 0.5 * uniform(&random), Q[i] = uniform(&random), x[i] = uniform(&random);
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < N; j++) A[i + j * ROWS] = uniform(&random);
        for (int j = 0; j < N; j++) { /* rows 7, 9: harmlessly redundant */
            A[7 + j * ROWS] = 2 * A[j * ROWS];
            A[9 + j * ROWS] = A[2 + j * ROWS] + A[5 + j * ROWS];
        }
        const int p = 3, q = 6, bad = 10;
        for (int j = 0; j < N && kind; j++)
            A[bad + j * ROWS] = kind == 1   ? 0
                                : kind == 2 ? -3 * A[p + j * ROWS]
                                            : A[p + j * ROWS] - 0.5 * A[q + j * ROWS];
        for (int i = 0; i < ROWS; i++)
            for (int j = 0; j < N; j++) b[i] += A[i + j * ROWS] * x[j];
        if (kind) b[bad] += 0.01 * (2 + uniform(&random)), want[bad] = 1;
        if (kind > 1) want[p] = 1;
        if (kind > 2) want[q] = 1;
        const mech_fundamental_input in = equation(M, Q, A, b);
        mech_diagnosis *d = NULL;
        solution s;
        CHECK(solve_once(N, ROWS, &in, &s) == MECH_OK);
        const mech_diagnosis_result *r = diagnose(&d, N, ROWS, &in, &s, NULL, 0);
        CHECK(r->conflicts == (kind > 0));
        CHECK(!(s.out.flags & MECH_FUNDAMENTAL_MISSED) == !kind);
        if (r->conflicts) CHECK(memcmp(r->in_conflict, want, ROWS) == 0);
        mech_diagnosis_free(d);
    }
    /* two conflicts at once, and an innocent third row: both are told, each with both members */
    const double M[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, Q[3] = {0}, A[15] = {1, 1, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 1},
                 b[5] = {1, 2, 3, 4, 5};
    const mech_fundamental_input in = equation(M, Q, A, b);
    mech_diagnosis *d = NULL;
    const mech_diagnosis_result *r = diagnose(&d, 3, 5, &in, NULL, NULL, 0);
    CHECK(r->conflicts == 2);
    CHECK(r->in_conflict[0] && r->in_conflict[1] && !r->in_conflict[2] && !r->in_conflict[4]);
    CHECK(r->in_conflict[7] && r->in_conflict[8] && !r->in_conflict[5] && !r->in_conflict[9]);
    mech_diagnosis_free(d);
}

/* singular M: T, N, geometry undefined; the rest stands */
static void singular(void)
{
    const double M[4] = {1, 0, 0, 0}, Q[2] = {1, 1}, A[4] = {1, 2, -1, -2}, b[2] = {0, 0};
    const mech_fundamental_input in = equation(M, Q, A, b);
    mech_diagnosis *d = NULL;
    const mech_diagnosis_result *r = diagnose(&d, 2, 2, &in, NULL, NULL, 0);
    CHECK(!r->T && !r->N && isnan(r->zwang) && isnan(r->geometry.Bpb));
    CHECK(r->rank == 1 && r->redundant[1] && !r->redundant[0]);
    mech_diagnosis_free(d);
}

/* Forces along A' alone: all of the free motion is held, and what rounding leaves of the rest has no direction. */
static void held(void)
{
    const double M[9] = {2.3, 0.4, 0.17, 0.4, 1.1, 0.1, 0.17, 0.1, 3.7}, A[6] = {0.3, 1.1, 0.7, -0.4, -0.2, 0.9};
    double Q[3];
    const double b[2] = {0, 0};
    for (int i = 0; i < 3; i++) Q[i] = 1.3 * A[2 * i] - 0.7 * A[2 * i + 1];
    const mech_fundamental_input in = equation(M, Q, A, b);
    mech_diagnosis *d = NULL;
    const mech_geometry g = diagnose(&d, 3, 2, &in, NULL, NULL, 0)->geometry;
    CHECK(g.Nas < 1e-14 && g.Tas > 0.1 && g.orthogonality < 1e-10);
    mech_diagnosis_free(d);
}

int main(void)
{
    figure();
    held();
    groups();
    uniqueness();
    conflicts();
    singular();
    return check_report();
}
