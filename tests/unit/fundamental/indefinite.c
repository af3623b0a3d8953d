/* Negative masses, where they are allowed: hand-derived cases, hundreds of random ones against the equations of motion
   and the rows as one linear system in long double, and what has no answer. */
#include "check.h"
#include "unit/fundamental/helpers.h"

enum { MOST = 24 };

static mech_fundamental_input allowed(const double *M, const double *Q, const double *A, const double *b)
{
    mech_fundamental_input in = equation(M, Q, A, b);
    in.allows_indefinite = 1;
    return in;
}

/* ---- by hand ---- */

static void one_particle(void)
{
    const double M = -1, Q = 3, A = 2, b = 5, none = 0;
    mech_fundamental_input in = allowed(&M, &Q, &none, &none);
    solution s;
    CHECK(solve_once(1, 0, &in, &s) == MECH_OK);
    CHECK(s.qdd[0] == -3 && s.a[0] == -3 && s.Qi[0] == 0);
    CHECK(s.out.flags == MECH_FUNDAMENTAL_INDEFINITE_MASS);
    in = allowed(&M, &Q, &A, &b);
    CHECK(solve_once(1, 1, &in, &s) == MECH_OK);
    CHECK_NEAR(s.qdd[0], 2.5, 1e-15);
    CHECK_NEAR(s.Qi[0], -5.5, 1e-15); /* -1 * 2.5 - 3 */
    CHECK_NEAR(s.lambda[0], -2.75, 1e-15);
    CHECK_NEAR(s.e[0], 11, 1e-15); /* 5 - 2 * -3 */
}

/* x'^2/2 - y'^2/2 with x = 2 y: 3 y'' = 2 X + Y; with a second, dependent row; with a force C = (0, c) of the
   constraint */
static void tied_pair(void)
{
    const double M[4] = {1, 0, 0, -1}, Q[2] = {4, 1}, tie[2] = {1, -2}, zero[2] = {0, 0}, C[2] = {0, 6};
    mech_fundamental_input in = allowed(M, Q, tie, zero);
    solution s;
    CHECK(solve_once(2, 1, &in, &s) == MECH_OK);
    CHECK_NEAR(s.qdd[1], 3, 1e-14);
    CHECK_NEAR(s.qdd[0], 6, 1e-14);
    CHECK_NEAR(s.lambda[0], 2, 1e-14); /* x'' = X + lambda */
    CHECK_NEAR(s.a[0], 4, 1e-15);
    CHECK_NEAR(s.a[1], -1, 1e-15);
    CHECK_NEAR(s.e[0], -6, 1e-15);
    in.C = C;
    CHECK(solve_once(2, 1, &in, &s) == MECH_OK);
    CHECK_NEAR(s.qdd[1], 5, 1e-14); /* 3 y'' = 8 + 1 + 6 */
    CHECK_NEAR(s.qdd[0], 10, 1e-14);
    CHECK_NEAR(s.Qi[0], 2, 1e-14);
    CHECK_NEAR(s.Qi[1], -4, 1e-14);
    CHECK_NEAR(s.Qni[0], 4, 1e-14); /* what the law adds to x'' */
    CHECK_NEAR(s.Qni[1], -2, 1e-14);
    CHECK_NEAR(s.total[0], 6, 1e-14); /* x'' = X + total */
    const double twice[4] = {1, 3, -2, -6};
    in = allowed(M, Q, twice, zero);
    CHECK(solve_once(2, 2, &in, &s) == MECH_OK);
    CHECK(s.out.rank == 1 && s.out.flags == (MECH_FUNDAMENTAL_INDEFINITE_MASS | MECH_FUNDAMENTAL_REDUNDANT));
    CHECK_NEAR(s.qdd[1], 3, 1e-14);
    CHECK_NEAR(s.lambda[0], 0.2, 1e-14); /* least norm: (1, 3) / 10 of 2 */
    CHECK_NEAR(s.lambda[1], 0.6, 1e-14);
}

/* x y = 2 at (1, 2) with velocities (1, -2): y x'' + x y'' = -2 x' y'. K along (x, -y) = 1 - 4. */
static void product_row(void)
{
    const double M[4] = {1, 0, 0, -1}, Q[2] = {3, 7}, A[2] = {2, 1}, b = 4;
    mech_fundamental_input in = allowed(M, Q, A, &b);
    solution s;
    CHECK(solve_once(2, 1, &in, &s) == MECH_OK);
    /* x'' - 3 = 2 lambda, -y'' - 7 = lambda, 2 x'' + y'' = 4: 2 (3 + 2 l) - 7 - l = 4 */
    CHECK_NEAR(s.lambda[0], 5.0 / 3, 1e-14);
    CHECK_NEAR(s.qdd[0], 19.0 / 3, 1e-14);
    CHECK_NEAR(s.qdd[1], -26.0 / 3, 1e-14);
}

/* masses in the coupling alone: x'' = Y, y'' = X; a third coordinate without mass is held by a row */
static void coupling(void)
{
    const double M[9] = {0, 1, 0, 1, 0, 0, 0, 0, 0}, Q[3] = {2, 5, 7}, A[3] = {1, 0, 1}, b = 9;
    mech_fundamental_input in = allowed(M, Q, A, &b);
    solution s;
    CHECK(solve_once(3, 1, &in, &s) == MECH_OK);
    CHECK_NEAR(s.lambda[0], -7, 1e-14); /* 0 = 7 + lambda */
    CHECK_NEAR(s.qdd[1], -5, 1e-14);    /* y'' = 2 + lambda */
    CHECK_NEAR(s.qdd[0], 5, 1e-14);
    CHECK_NEAR(s.qdd[2], 4, 1e-14);
    CHECK(isnan(s.a[0]) && isnan(s.e[0])); /* M has no inverse */
}

/* ---- no answer ---- */

/* x = y, effective mass 0: refused, whatever the units; x = 1.001 y is not */
static void singular_motion(void)
{
    for (int k = -8; k <= 8; k += 4) {
        const double u = pow(10, k), M[4] = {u * u, 0, 0, -1}, Q[2] = {u, 1}, b = 0;
        double A[2] = {u, -1};
        mech_fundamental_input in = allowed(M, Q, A, &b);
        mech_fundamental *f = NULL;
        solution s;
        int count = 0;
        solution_clear(&s);
        CHECK(mech_fundamental_create(2, 1, NULL, &f) == MECH_OK);
        s.qdd[0] = 99;
        CHECK(mech_fundamental_solve(f, &in, &s.out) == MECH_ERR_SINGULAR_MASS);
        const int *who = mech_fundamental_culprits(f, &count);
        CHECK(count == 2 && who[0] == 0 && who[1] == 1 && s.qdd[0] == 99);
        A[1] = -1.001;
        CHECK(mech_fundamental_solve(f, &in, &s.out) == MECH_OK);
        /* with x u = 1.001 y: (1.001^2 - 1) y'' = 1.001 + 1 */
        CHECK_NEAR(s.qdd[1] * (1.001 * 1.001 - 1), 2.001, 1e-12);
        in.allows_indefinite = 0;
        CHECK(mech_fundamental_solve(f, &in, &s.out) == MECH_ERR_NOT_DEFINITE);
        who = mech_fundamental_culprits(f, &count);
        CHECK(count == 1 && who[0] == 1);
        mech_fundamental_free(f);
    }
}

static void refused(void)
{
    const double M[4] = {1, 0, 0, -1}, Q[2] = {1, 1}, A[2] = {1, 0}, b = 1, z[2] = {1, 1},
                 bad[4] = {1, 0, 0, (double)NAN};
    const unsigned char servo = 1;
    mech_fundamental_input in = allowed(M, Q, A, &b);
    solution s;
    in.z = z;
    CHECK(solve_once(2, 1, &in, &s) == MECH_ERR_NOT_DEFINITE);
    in.z = NULL, in.servo = &servo, in.weight = MECH_WEIGHT_NATURE;
    CHECK(solve_once(2, 1, &in, &s) == MECH_ERR_NOT_DEFINITE);
    in.weight = MECH_WEIGHT_IDENTITY; /* x'' = 1 = (1 + u): no force; with y'' = -1 left alone */
    CHECK(solve_once(2, 1, &in, &s) == MECH_OK);
    CHECK_NEAR(s.u[0], 0, 1e-15);
    CHECK_NEAR(s.qdd[1], -1, 1e-15);
    in = allowed(bad, Q, A, &b);
    CHECK(solve_once(2, 1, &in, &s) == MECH_ERR_NOT_FINITE);
    const uint32_t place[2] = {0, 1}, row = 0, column = 0;
    const mech_fundamental_pattern pattern = {.size = sizeof pattern,
                                              .n = 2,
                                              .m = 1,
                                              .M_count = 2,
                                              .A_count = 1,
                                              .M_row = place,
                                              .M_column = place,
                                              .A_row = &row,
                                              .A_column = &column};
    const double values[2] = {1, -1}, one = 1;
    mech_fundamental *f = NULL;
    CHECK(mech_fundamental_create_sparse(&pattern, NULL, &f) == MECH_OK);
    in = allowed(values, Q, &one, &b);
    solution_clear(&s);
    CHECK(mech_fundamental_solve(f, &in, &s.out) == MECH_ERR_UNSUPPORTED);
    mech_fundamental_free(f);
}

/* ---- the other questions ---- */

/* friction on y of mu |lambda|, lambda the push on x = 2 y: 3 y'' = 2 X + Y + mu |l|, x'' = X + l */
static mech_status rubs(void *user, const double *lambda, double *C, double *dC)
{
    const double mu = *(const double *)user;
    C[1] = mu * fabs(lambda[0]);
    if (dC) dC[1] = lambda[0] < 0 ? -mu : mu;
    return MECH_OK;
}

static void law_of_the_reaction(void)
{
    const double M[4] = {1, 0, 0, -1}, Q[2] = {4, 1}, tie[2] = {1, -2}, zero = 0;
    double mu = 0.3;
    mech_fundamental_input in = allowed(M, Q, tie, &zero);
    mech_fundamental *f = NULL;
    solution s;
    solution_clear(&s);
    CHECK(mech_fundamental_create(2, 1, NULL, &f) == MECH_OK);
    CHECK(mech_fundamental_solve_law(f, &in, rubs, &mu, &s.out) == MECH_OK);
    /* 2 (9 + mu l) / 3 = 4 + l, l > 0 */
    const double l = 2 / (1 - 2 * mu / 3);
    CHECK_NEAR(s.total[0], l, 1e-13);
    CHECK_NEAR(s.qdd[1], (9 + mu * l) / 3, 1e-13);
    double u[2], reaction, more[2];
    const double wanted[2] = {10, 5};
    in.weight = MECH_WEIGHT_IDENTITY;
    in.G = (double[]){0, 1}, in.actuators = 1;
    CHECK(mech_fundamental_inverse(f, &in, wanted, u, &reaction) == MECH_OK);
    CHECK_NEAR(reaction, 6, 1e-13);          /* 10 = 4 + lambda */
    CHECK_NEAR(u[0], -5 - 1 + 2 * 6, 1e-13); /* -5 = 1 - 2 lambda + u */
    in.G = NULL;
    CHECK(mech_fundamental_ideal(f, &in, &s.out) == MECH_OK);
    CHECK(mech_fundamental_again(f, (double[]){1, 0}, (double[]){3}, more, &reaction) == MECH_OK);
    /* x'' = 2 y'' + 3, x'' = 1 + l, -y'' = -2 l */
    CHECK_NEAR(reaction, -2.0 / 3, 1e-14);
    CHECK_NEAR(more[0], 1.0 / 3, 1e-14);
    CHECK_NEAR(more[1], -4.0 / 3, 1e-14);
    mech_fundamental_free(f);
}

static void diagnosis(void)
{
    const double M[4] = {1, 0, 0, -1}, Q[2] = {4, 1}, A[6] = {1, 3, 0, -2, -6, 1}, b[3] = {0, 0, 0};
    const unsigned char on[3] = {1, 1, 0};
    mech_fundamental_input in = allowed(M, Q, A, b);
    mech_diagnosis *d = NULL;
    solution s;
    in.active = on;
    CHECK(solve_once(2, 3, &in, &s) == MECH_OK);
    const mech_diagnosis_input question = {.size = sizeof question, .equation = &in, .solution = &s.out};
    CHECK(mech_diagnosis_create(2, 3, &d) == MECH_OK && mech_diagnosis_run(d, &question) == MECH_OK);
    const mech_diagnosis_result *r = mech_diagnosis_get(d);
    CHECK(r->rank == 1 && r->redundant[1] && !r->redundant[0] && !r->T && isnan(r->zwang));
    CHECK(r->flags == (MECH_FUNDAMENTAL_INDEFINITE_MASS | MECH_FUNDAMENTAL_REDUNDANT));
    CHECK_NEAR(r->depends[1 + 0], 3, 1e-13);
    CHECK_NEAR(r->work_Qi[0], 0, 1e-14);
    in.allows_indefinite = 0;
    CHECK(mech_diagnosis_run(d, &question) == MECH_ERR_NOT_DEFINITE);
    mech_diagnosis_free(d);
}

/* ---- against one linear system ---- */

/* x = W^-1 x by elimination with all exchanges; returns the least pivot beside the largest */
static long double gauss(int n, long double W[][2 * MOST + 1], long double *x)
{
    int turn[2 * MOST];
    long double largest = 0, least = 1;
    for (int j = 0; j < n; j++) turn[j] = j;
    for (int j = 0; j < n; j++) {
        int row = j, column = j;
        for (int i = j; i < n; i++)
            for (int k = j; k < n; k++)
                if (fabsl(W[i][k]) > fabsl(W[row][column])) row = i, column = k;
        for (int k = 0; k <= n; k++) {
            const long double keep = W[j][k];
            W[j][k] = W[row][k], W[row][k] = keep;
        }
        for (int i = 0; i < n; i++) {
            const long double keep = W[i][j];
            W[i][j] = W[i][column], W[i][column] = keep;
        }
        const int keep = turn[j];
        turn[j] = turn[column], turn[column] = keep;
        if (j == 0) largest = fabsl(W[0][0]);
        least = fabsl(W[j][j]) / largest;
        if (!(least > 1e-6L)) return 0;
        for (int i = j + 1; i < n; i++) {
            const long double factor = W[i][j] / W[j][j];
            for (int k = j; k <= n; k++) W[i][k] -= factor * W[j][k];
        }
    }
    for (int j = n - 1; j >= 0; j--) {
        long double sum = W[j][n];
        for (int k = j + 1; k < n; k++) sum -= W[j][k] * x[turn[k]];
        x[turn[j]] = sum / W[j][j];
    }
    return least;
}

typedef struct problem {
    int n, r, m;                              /* coordinates, independent rows, rows    */
    double M[MOST * MOST], rows[MOST * MOST]; /* n x n; r x n, row by row               */
    double S[MOST][MOST];                     /* m x r: A = S rows                      */
    double A[MOST * MOST], b[MOST], Q[MOST], C[MOST], own[MOST];
} problem;

static void make_problem(problem *p, uint64_t *random)
{
    p->n = 1 + (int)((uniform(random) + 1) * 5);
    p->r = (int)((uniform(random) + 1) / 2 * (p->n + 1));
    p->m = p->r ? p->r + (int)((uniform(random) + 1) * 2) : 0;
    const int n = p->n, r = p->r, m = p->m;
    for (int j = 0; j < n; j++)
        for (int i = j; i < n; i++) p->M[i + j * n] = p->M[j + i * n] = uniform(random);
    for (int i = 0; i < r * n; i++) p->rows[i] = uniform(random);
    for (int i = 0; i < r; i++) p->own[i] = uniform(random);
    for (int j = 0; j < n; j++) p->Q[j] = uniform(random), p->C[j] = uniform(random);
    for (int i = 0; i < m; i++)
        for (int k = 0; k < r; k++) p->S[i][k] = i < r ? i == k : uniform(random);
    for (int i = 0; i < m; i++) {
        p->b[i] = 0;
        for (int k = 0; k < r; k++) p->b[i] += p->S[i][k] * p->own[k];
        for (int j = 0; j < n; j++) {
            p->A[i + j * m] = 0;
            for (int k = 0; k < r; k++) p->A[i + j * m] += p->S[i][k] * p->rows[k * n + j];
        }
    }
}

/* M x = Q (+ C) + rows' mu, rows x = own: (x, mu), and the least pivot */
static long double motion(const problem *p, int with_law, long double *x)
{
    static long double W[2 * MOST][2 * MOST + 1];
    const int n = p->n, r = p->r, size = n + r;
    memset(W, 0, sizeof W);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) W[i][j] = p->M[i + j * n];
        for (int k = 0; k < r; k++) W[i][n + k] = -(W[n + k][i] = p->rows[k * n + i]);
        W[i][size] = p->Q[i] + (with_law ? (long double)p->C[i] : 0);
    }
    for (int k = 0; k < r; k++) W[n + k][size] = p->own[k];
    return gauss(size, W, x);
}

/* the least lambda with S' lambda = mu: S (S'S)^-1 mu */
static long double least_norm(const problem *p, const long double *mu, long double *lambda)
{
    static long double W[2 * MOST][2 * MOST + 1];
    long double y[2 * MOST] = {0};
    memset(W, 0, sizeof W);
    for (int i = 0; i < p->r; i++) {
        for (int j = 0; j < p->r; j++)
            for (int k = 0; k < p->m; k++) W[i][j] += (long double)p->S[k][i] * p->S[k][j];
        W[i][p->r] = mu[i];
    }
    const long double pivot = gauss(p->r, W, y);
    for (int k = 0; k < p->m; k++) {
        lambda[k] = 0;
        for (int i = 0; i < p->r; i++) lambda[k] += p->S[k][i] * y[i];
    }
    return pivot;
}

/* coordinates in other units: M = U M U, forces U Q, rows A U; q'' = U^-1 q'' */
static void check_in_units(const problem *p, const double *unit, const long double *ideal, const long double *whole,
                           const long double *lambda, const long double *total)
{
    static double M[MOST * MOST], A[MOST * MOST], Q[MOST], C[MOST];
    const int n = p->n, m = p->m;
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) M[i + j * n] = unit[i] * p->M[i + j * n] * unit[j];
        for (int i = 0; i < m; i++) A[i + j * m] = p->A[i + j * m] * unit[j];
        Q[j] = unit[j] * p->Q[j], C[j] = unit[j] * p->C[j];
    }
    mech_fundamental_input in = allowed(M, Q, A, p->b);
    solution s;
    in.C = C;
    CHECK(solve_once(n, m, &in, &s) == MECH_OK);
    CHECK(s.out.rank == p->r);
    for (int j = 0; j < n; j++) {
        long double force = -(long double)p->Q[j], before = force;
        for (int k = 0; k < n; k++) force += p->M[j + k * n] * whole[k], before += p->M[j + k * n] * ideal[k];
        CHECK_NEAR(s.qdd[j] * unit[j], (double)whole[j], 1e-10);
        CHECK_NEAR(s.Qi[j] / unit[j], (double)before, 1e-10);
        CHECK_NEAR((s.Qi[j] + s.Qni[j]) / unit[j], (double)force, 1e-10);
    }
    for (int i = 0; i < m; i++) CHECK_NEAR(s.lambda[i], (double)lambda[i], 1e-10);
    for (int i = 0; i < m; i++) CHECK_NEAR(s.total[i], (double)total[i], 1e-10);
}

static void random_systems(void)
{
    static problem p;
    uint64_t random = 20;
    int kept = 0, indefinite = 0;
    for (int trial = 0; trial < 900; trial++) {
        long double ideal[2 * MOST], whole[2 * MOST], lambda[MOST], total[MOST];
        double unit[MOST];
        make_problem(&p, &random);
        /* what is nearly singular is known to fewer digits: not compared here */
        if (motion(&p, 0, ideal) < 1e-3L || motion(&p, 1, whole) < 1e-3L) continue;
        if (p.r && (least_norm(&p, ideal + p.n, lambda) < 1e-3L || least_norm(&p, whole + p.n, total) < 1e-3L))
            continue;
        kept++;
        for (int j = 0; j < p.n; j++) unit[j] = 1;
        check_in_units(&p, unit, ideal, whole, lambda, total);
        for (int j = 0; j < p.n; j++) unit[j] = pow(2, floor(20 * uniform(&random)));
        check_in_units(&p, unit, ideal, whole, lambda, total);
        for (int j = 0; j < p.n; j++) indefinite += p.M[j * (p.n + 1)] < 0 && j == 0;
    }
    CHECK(kept > 500 && indefinite > 200);
}

/* M definite, only semi-definite, and of any sign by LAPACK's way: what is allowed changes no answer */
static void same_as_ever(void)
{
    const double definite[4] = {2, 0.5, 0.5, 1}, semi[4] = {1, 1, 1, 1}, Q[2] = {1, -1}, A[2] = {1, 2}, b = 3;
    const double mixed[4] = {1, 0.5, 0.5, -3};
    const double *const all[2] = {definite, semi};
    solution s, t;
    for (int k = 0; k < 2; k++) {
        mech_fundamental_input in = equation(all[k], Q, A, &b);
        CHECK(solve_once(2, 1, &in, &s) == MECH_OK);
        in.allows_indefinite = 1;
        CHECK(solve_once(2, 1, &in, &t) == MECH_OK);
        CHECK(s.out.flags == t.out.flags && s.qdd[0] == t.qdd[0] && s.qdd[1] == t.qdd[1] && s.lambda[0] == t.lambda[0]);
    }
    mech_fundamental_settings set;
    mech_fundamental *f = NULL;
    mech_fundamental_input in = allowed(mixed, Q, A, &b);
    mech_fundamental_settings_default(&set, sizeof set);
    set.lapack_from = 1;
    CHECK(solve_once(2, 1, &in, &s) == MECH_OK);
    CHECK(mech_fundamental_create(2, 1, &set, &f) == MECH_OK);
    solution_clear(&t);
    CHECK(mech_fundamental_solve(f, &in, &t.out) == MECH_OK);
    CHECK(s.qdd[0] == t.qdd[0] && s.lambda[0] == t.lambda[0]);
    in.M = definite, in.allows_indefinite = 0; /* nothing of the last solve stays */
    CHECK(mech_fundamental_solve(f, &in, &t.out) == MECH_OK && t.out.flags == 0);
    mech_fundamental_free(f);
}

int main(void)
{
    one_particle();
    tied_pair();
    product_row();
    coupling();
    singular_motion();
    refused();
    law_of_the_reaction();
    diagnosis();
    random_systems();
    same_as_ever();
    return check_report();
}
