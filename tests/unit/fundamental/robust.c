/* Where solvers break: redundant and zero rows, more rows than columns, masses and rows that differ by 1e12,
   singular and indefinite M, near-singular configurations, masks, wrong arguments, numbers that are none. */
#include "check.h"
#include "unit/fundamental/helpers.h"

#include <mech/fundamental.h>

/* a heavy and a light body: masses 1e12 and 1, light one welded to the heavy one and to the ground */
static void mass_ratio(void)
{
    const double M[4] = {1, 0, 0, 1e12}, Q[2] = {3, 5}, weld[4] = {1, 1, -1, 0}, b[2] = {0, 0};
    mech_fundamental_input in = equation(M, Q, weld, b);
    solution s;
    CHECK(solve_once(2, 2, &in, &s) == MECH_OK);
    CHECK(s.out.rank == 2);
    CHECK_NEAR(s.qdd[0], 0, 1e-15);
    CHECK_NEAR(s.qdd[1], 0, 1e-15);
    CHECK_NEAR(s.lambda[0], 5, 1e-14);
    CHECK_NEAR(s.lambda[1], -8, 1e-14);
    /* only welded together: (m1 + m2) q'' = Q1 + Q2 */
    CHECK(solve_once(2, 1, &(mech_fundamental_input){.size = sizeof in, .M = M, .Q = Q, .A = (double[]){1, -1}, .b = b},
                     &s) == MECH_OK);
    CHECK_NEAR(s.qdd[0] * 1e12, 8 / (1 + 1e-12), 1e-14);
    CHECK_NEAR(s.lambda[0], -3, 1e-11);
}

/* x = 1, 1e-12 y = 2e-12: a small row by choice of units is a constraint; a row at rounding level is none */
static void row_ratio(void)
{
    const double M[4] = {2, 0.5, 0.5, 1}, Q[2] = {1, -1};
    const double A[4] = {1, 0, 0, 1e-12}, b[2] = {1, 2e-12};
    mech_fundamental_input in = equation(M, Q, A, b);
    solution s;
    CHECK(solve_once(2, 2, &in, &s) == MECH_OK);
    CHECK(s.out.rank == 2);
    CHECK_NEAR(s.qdd[0], 1, 1e-14);
    CHECK_NEAR(s.qdd[1], 2, 1e-14);
    const double noise[4] = {1, 0, 0, 1e-17}, target[2] = {1, 0};
    in.A = noise, in.b = target;
    CHECK(solve_once(2, 2, &in, &s) == MECH_OK);
    CHECK(s.out.rank == 1 && (s.out.flags & MECH_FUNDAMENTAL_REDUNDANT));
    CHECK_NEAR(s.qdd[0], 1, 1e-14);
    CHECK_NEAR(s.qdd[1], -1 - 0.5, 1e-14); /* M21 x'' + M22 y'' = Q2 */
}

/* Masses far apart make rows far apart in B: rows of what is heavy, and of all that is not light, stay constraints. A
   row at rounding level of the others is none. Closed forms, by both factorisations. */
static void heavy_and_light(void)
{
    for (int lapack_from = -1; lapack_from <= 1; lapack_from += 2) {
        mech_fundamental_settings settings;
        mech_fundamental *f = NULL;
        solution s;
        mech_fundamental_settings_default(&settings, sizeof settings);
        settings.lapack_from = lapack_from;
        CHECK(mech_fundamental_create(3, 3, &settings, &f) == MECH_OK);
        solution_clear(&s);
        /* X = 0, x = 0, y = 2x with masses 1e28, 1, 1 */
        const double M[9] = {1e28, 0, 0, 0, 1, 0, 0, 0, 1}, Q[3] = {1e28, -3, -2}, b[3] = {0};
        double A[9] = {1, 0, 0, 0, 1, -2, 0, 0, 1};
        mech_fundamental_input in = equation(M, Q, A, b);
        CHECK(mech_fundamental_solve(f, &in, &s.out) == MECH_OK);
        CHECK(s.out.rank == 3 && !(s.out.flags & MECH_FUNDAMENTAL_REDUNDANT));
        for (int j = 0; j < 3; j++) CHECK_NEAR(s.qdd[j], 0, 1e-15);
        CHECK_NEAR(s.lambda[0] / 1e28, -1, 1e-14);
        CHECK_NEAR(s.lambda[1], 7, 1e-14);
        CHECK_NEAR(s.lambda[2], 2, 1e-14);
        A[0] = 1e-17;
        CHECK(mech_fundamental_solve(f, &in, &s.out) == MECH_OK);
        CHECK(s.out.rank == 2 && s.lambda[0] == 0);
        CHECK_NEAR(s.qdd[0], 1, 1e-15);
        /* (x'^2 + w'^2 + (s x)'^2)/2 at s = 2 and an x next to 0, with s = 2, w = x: 6 x'' = -2, lambda = 3, x'' */
        const double x = 1e-24, lost[9] = {5, 2 * x, 0, 2 * x, x * x, 0, 0, 0, 1}, force[3] = {-2, -3, 0};
        const double held[9] = {0, -1, 0, 1, 0, 0, 0, 1, 0};
        in = equation(lost, force, held, b);
        in.active = (const unsigned char[]){1, 1, 0};
        CHECK(mech_fundamental_solve(f, &in, &s.out) == MECH_OK);
        CHECK(s.out.rank == 2);
        CHECK_NEAR(s.qdd[0], -1.0 / 3, 1e-14);
        CHECK_NEAR(s.qdd[1], 0, 1e-15);
        CHECK_NEAR(s.qdd[2], -1.0 / 3, 1e-14);
        CHECK_NEAR(s.lambda[0], 3, 1e-14);
        CHECK_NEAR(s.lambda[1], -1.0 / 3, 1e-14);
        mech_fundamental_free(f);
    }
}

/* no rows, zero rows, all rows zero, more rows than coordinates */
static void odd_rows(void)
{
    const double M[4] = {2, 0, 0, 4}, Q[2] = {2, 8}, zero[6] = {0}, b[3] = {0};
    solution s;
    mech_fundamental_input in = equation(M, Q, NULL, NULL);
    CHECK(solve_once(2, 0, &in, &s) == MECH_OK);
    CHECK_NEAR(s.qdd[0], 1, 1e-15);
    CHECK_NEAR(s.qdd[1], 2, 1e-15);
    in.A = zero, in.b = b;
    CHECK(solve_once(2, 3, &in, &s) == MECH_OK);
    CHECK(s.out.rank == 0 && s.lambda[0] == 0 && s.out.smallest == 0);
    CHECK_NEAR(s.qdd[1], 2, 1e-15);
    const double A[8] = {1, 0, 1, 1, 0, 1, 1, -1}, rhs[4] = {3, 4, 7, -1}; /* x = 3, y = 4, x + y = 7, x - y = -1 */
    in.A = A, in.b = rhs;
    CHECK(solve_once(2, 4, &in, &s) == MECH_OK);
    CHECK(s.out.rank == 2);
    CHECK_NEAR(s.qdd[0], 3, 1e-14);
    CHECK_NEAR(s.qdd[1], 4, 1e-14);
    CHECK(s.out.residual < 1e-13 && !(s.out.flags & MECH_FUNDAMENTAL_MISSED));
    const double wrong[4] = {3, 4, 8, -1}; /* in conflict: least squares, and flagged */
    in.b = wrong;
    CHECK(solve_once(2, 4, &in, &s) == MECH_OK);
    CHECK((s.out.flags & MECH_FUNDAMENTAL_MISSED) && s.out.residual > 0.1);
}

/* a row that turns into another: right down to an angle of 1e-9 */
static void near_singular(void)
{
    for (double angle = 1e-1; angle > 5e-9; angle /= 10) {
        const double M[4] = {1, 0, 0, 1}, Q[2] = {0, 0}, A[4] = {1, cos(angle), 0, sin(angle)}, want[2] = {2, 5};
        const double b[2] = {want[0], want[0] * cos(angle) + want[1] * sin(angle)};
        mech_fundamental_input in = equation(M, Q, A, b);
        solution s;
        CHECK(solve_once(2, 2, &in, &s) == MECH_OK);
        CHECK(s.out.rank == 2);
        CHECK(fabs(s.qdd[1] - want[1]) < 1e-14 / angle);
        CHECK(fabs(s.out.smallest / (sqrt(2) * sin(angle / 2)) - 1) < 0.05);
        in.rank_tol = 2 * angle; /* now the user says: the same row */
        CHECK(solve_once(2, 2, &in, &s) == MECH_OK);
        CHECK(s.out.rank == 1 && s.out.rank_tol == 2 * angle);
    }
}

/* massless coordinates: a pendulum's rod force as a coordinate of its own, undetermined ones, indefinite M */
static void singular_mass(void)
{
    /* masses at x1, x3; a massless knot x2 between them: x2 - x1 = const, x3 - x2 = const */
    const double M[9] = {2, 0, 0, 0, 0, 0, 0, 0, 3}, Q[3] = {1, 7, 2}, A[6] = {-1, 0, 1, -1, 0, 1}, b[2] = {0, 0};
    mech_fundamental_input in = equation(M, Q, A, b);
    solution s;
    CHECK(solve_once(3, 2, &in, &s) == MECH_OK);
    for (int i = 0; i < 3; i++) CHECK_NEAR(s.qdd[i], 2, 1e-14); /* (1 + 7 + 2)/5 */
    CHECK(isnan(s.a[0]) && isnan(s.e[0]) && (s.out.flags & MECH_FUNDAMENTAL_SINGULAR_MASS));
    CHECK_NEAR(s.Qi[0], 3, 1e-14);
    CHECK_NEAR(s.Qi[1], -7, 1e-14);
    CHECK_NEAR(s.lambda[0], -3, 1e-14);
    CHECK_NEAR(s.lambda[1], 4, 1e-14);
    /* C on the knot is shared by both masses: Qni = M 1 (1'M1)^-1 1'C */
    const double C[3] = {0, 10, 0};
    in.C = C;
    CHECK(solve_once(3, 2, &in, &s) == MECH_OK);
    CHECK_NEAR(s.Qni[0], 4, 1e-14);
    CHECK_NEAR(s.Qni[1], 0, 1e-14);
    CHECK_NEAR(s.Qni[2], 6, 1e-14);
    /* the knot on its own is undetermined, and named; so are x2 and x4 tied only to one another */
    mech_fundamental *f = NULL;
    int count = 0;
    in.C = NULL;
    const unsigned char none[2] = {0, 0};
    in.active = none;
    CHECK(mech_fundamental_create(3, 2, NULL, &f) == MECH_OK);
    solution_clear(&s);
    s.qdd[0] = 99;
    CHECK(mech_fundamental_solve(f, &in, &s.out) == MECH_ERR_SINGULAR_MASS);
    const int *who = mech_fundamental_culprits(f, &count);
    CHECK(count == 1 && who[0] == 1);
    CHECK(s.qdd[0] == 99); /* outputs untouched */
    mech_fundamental_free(f);
    const double M4[16] = {1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0}, Q4[4] = {0}, tie[4] = {0, 1, 0, -1},
                 zero = 0;
    in = equation(M4, Q4, tie, &zero);
    CHECK(mech_fundamental_create(4, 1, NULL, &f) == MECH_OK);
    CHECK(mech_fundamental_solve(f, &in, &s.out) == MECH_ERR_SINGULAR_MASS);
    who = mech_fundamental_culprits(f, &count);
    CHECK(count == 2 && who[0] == 1 && who[1] == 3);
    /* indefinite: det < 0 through the coupling, and a negative mass */
    double bad[16] = {1, 0, 0, 0, 0, 1, 0, 2, 0, 0, 1, 0, 0, 2, 0, 1};
    in.M = bad;
    CHECK(mech_fundamental_solve(f, &in, &s.out) == MECH_ERR_NOT_DEFINITE);
    who = mech_fundamental_culprits(f, &count);
    CHECK(count == 1 && (who[0] == 1 || who[0] == 3));
    bad[7] = bad[13] = 0;
    bad[10] = -1;
    CHECK(mech_fundamental_solve(f, &in, &s.out) == MECH_ERR_NOT_DEFINITE);
    who = mech_fundamental_culprits(f, &count);
    CHECK(count == 1 && who[0] == 2);
    mech_fundamental_free(f);
}

/* A massless coordinate whose row has all but nothing in the others, down to rounding: 0 = Q + A lambda of its own
   equation. */
static void massless_alone(void)
{
    const double M[9] = {0, 0, 0, 0, 2, 0, 0, 0, 1}, Q[3] = {1.446, 1.24394, 4.12}, b = 0, w = 2.13480426;
    for (double part = 1; part > 1e-17; part *= 0.1) {
        const double A[3] = {w, part, -0.3 * part};
        const mech_fundamental_input in = equation(M, Q, A, &b);
        solution s;
        CHECK(solve_once(3, 1, &in, &s) == MECH_OK);
        CHECK_NEAR(s.lambda[0] * w, -1.446, 1e-11);
        CHECK_NEAR(s.Qi[0], -1.446, 1e-14);
    }
}

static void masks_and_arguments(void)
{
    const double M[4] = {1, 0, 0, 1}, Q[2] = {1, 1}, A[4] = {1, 0, 0, 1}, b[2] = {5, 6};
    const unsigned char first[2] = {1, 0};
    mech_fundamental_input in = equation(M, Q, A, b);
    mech_fundamental *f = NULL;
    solution s;
    in.active = first;
    CHECK(solve_once(2, 2, &in, &s) == MECH_OK);
    CHECK_NEAR(s.qdd[0], 5, 1e-15);
    CHECK_NEAR(s.qdd[1], 1, 1e-15);
    CHECK(s.lambda[1] == 0 && s.out.rank == 1);
    CHECK_NEAR(s.e[1], 5, 1e-15); /* e tells about all rows */
    CHECK(mech_fundamental_create(0, 1, NULL, &f) == MECH_ERR_ARGUMENT && !f);
    CHECK(mech_fundamental_create(1, -1, NULL, &f) == MECH_ERR_ARGUMENT);
    mech_fundamental_settings set;
    mech_fundamental_settings_default(&set, sizeof set);
    set.rank_tol = 2;
    CHECK(mech_fundamental_create(1, 1, &set, &f) == MECH_ERR_ARGUMENT);
    in.C = Q, in.z = Q;
    CHECK(solve_once(2, 2, &in, &s) == MECH_ERR_ARGUMENT);
    in.C = in.z = NULL, in.size = 3;
    CHECK(solve_once(2, 2, &in, &s) == MECH_ERR_ARGUMENT);
    in.size = sizeof in, in.M = NULL;
    CHECK(solve_once(2, 2, &in, &s) == MECH_ERR_ARGUMENT);
    const double places[4][4] = {{(double)NAN, 0, 0, 1}, {1, 0, 0, (double)INFINITY}, {1, 0, 0, 1}, {1, 0, 0, 1}};
    for (int k = 0; k < 4; k++) {
        double m[4] = {1, 0, 0, 1}, a[4] = {1, 0, 0, 1}, q[2] = {1, 1}, c[2] = {1, 1};
        if (k == 0) memcpy(m, places[0], sizeof m);
        if (k == 1) memcpy(a, places[1], sizeof a);
        if (k == 2) q[1] = (double)NAN;
        if (k == 3) c[0] = (double)NAN;
        in = equation(m, q, a, c);
        CHECK(solve_once(2, 2, &in, &s) == MECH_ERR_NOT_FINITE);
    }
    mech_fundamental_free(NULL);
}

/* both factorisations give the same answer */
static void two_ways(void)
{
    uint64_t random = 7;
    static double M[40 * 40], A[50 * 40], Q[40], b[50], x[40];
    mech_fundamental_settings set;
    for (int trial = 0; trial < 60; trial++) {
        const int n = 5 + trial % 36, m = 1 + trial * 7 % 50, rank = trial % 2 ? m : 1 + m / 2;
        mech_fundamental *f[2] = {NULL, NULL};
        solution s[2];
        for (int j = 0; j < n; j++) {
            Q[j] = uniform(&random), x[j] = uniform(&random);
            for (int i = 0; i < n; i++) M[i + j * n] = (i == j ? n : 0) + 0.5 * cos(i + j);
            for (int i = 0; i < m; i++) A[i + j * m] = i < rank ? uniform(&random) : A[i - rank + j * m] - A[j * m];
        }
        for (int i = 0; i < m; i++) {
            b[i] = 0;
            for (int j = 0; j < n; j++) b[i] += A[i + j * m] * x[j];
        }
        const mech_fundamental_input in = equation(M, Q, A, b);
        for (int way = 0; way < 2; way++) {
            mech_fundamental_settings_default(&set, sizeof set);
            set.lapack_from = way ? 1 : -1;
            CHECK(mech_fundamental_create(n, m, &set, &f[way]) == MECH_OK);
            solution_clear(&s[way]);
            CHECK(mech_fundamental_solve(f[way], &in, &s[way].out) == MECH_OK);
            mech_fundamental_free(f[way]);
        }
        CHECK(s[0].out.rank == s[1].out.rank);
        for (int j = 0; j < n; j++) CHECK_NEAR(s[1].qdd[j], s[0].qdd[j], 1e-10);
        for (int j = 0; j < n; j++) CHECK_NEAR(s[1].Qi[j], s[0].Qi[j], 1e-9);
        for (int j = 0; j < m; j++) CHECK_NEAR(s[1].lambda[j], s[0].lambda[j], 1e-9);
    }
}

/* A solver remembers the order of the rows of its last solve: nothing of that may be seen in the answers when
   which rows depend on others, how many, and which are active changes from call to call. */
static void one_solver_many_systems(void)
{
    enum { n = 24, m = 20 };
    uint64_t random = 11;
    static double M[n * n], A[m * n], Q[n], b[m], x[n];
    unsigned char active[m];
    mech_fundamental *f[2] = {NULL, NULL};
    for (int way = 0; way < 2; way++) {
        mech_fundamental_settings set;
        mech_fundamental_settings_default(&set, sizeof set);
        set.lapack_from = way ? 1 : -1;
        CHECK(mech_fundamental_create(n, m, &set, &f[way]) == MECH_OK);
    }
    for (int trial = 0; trial < 200; trial++) {
        const int step = 1 + trial / 4 % 5, close = trial % 9 == 8, zero = trial % 11 == 10;
        for (int j = 0; j < n; j++) {
            Q[j] = uniform(&random), x[j] = uniform(&random);
            for (int i = 0; i < n; i++) M[i + j * n] = (i == j ? n : 0) + 0.5 * cos(i + j);
            for (int i = 0; i < m; i++) {
                A[i + j * m] = uniform(&random);
                if (i >= step && i % step == 0) A[i + j * m] = A[i - step + j * m] - 2 * A[1 + j * m];
            }
            if (close) A[m - 1 + j * m] = A[m - 2 + j * m] + 1e-6 * A[m - 1 + j * m];
            if (zero) A[2 + j * m] = 0;
        }
        int rows = 0;
        for (int i = 0; i < m; i++) {
            active[i] = (unsigned char)(trial / 20 % 2 == 0 || (i + trial / 8) % 4 != 0);
            rows += active[i];
            b[i] = 0;
            for (int j = 0; j < n; j++) b[i] += A[i + j * m] * x[j];
        }
        mech_fundamental_input in = equation(M, Q, A, b);
        in.active = active;
        solution s[2];
        for (int way = 0; way < 2; way++) {
            solution_clear(&s[way]);
            CHECK(mech_fundamental_solve(f[way], &in, &s[way].out) == MECH_OK);
        }
        CHECK(s[0].out.rank == s[1].out.rank && s[0].out.rank <= rows);
        /* rounding of b (its rows grow to 40) over the angle 1e-6 between two rows; M is about n */
        const double within = close ? 40 * 2.2e-16 / 1e-6 : 1e-11;
        for (int j = 0; j < n; j++) CHECK_NEAR(s[1].qdd[j], s[0].qdd[j], within);
        for (int j = 0; j < n; j++) CHECK_NEAR(s[1].Qi[j], s[0].Qi[j], n * within);
        for (int i = 0; i < m && !close; i++) CHECK_NEAR(s[1].lambda[i], s[0].lambda[i], n * within);
    }
    for (int way = 0; way < 2; way++) mech_fundamental_free(f[way]);
}

int main(void)
{
    mass_ratio();
    row_ratio();
    heavy_and_light();
    odd_rows();
    near_singular();
    singular_mass();
    massless_alone();
    masks_and_arguments();
    two_ways();
    one_solver_many_systems();
    return check_report();
}
