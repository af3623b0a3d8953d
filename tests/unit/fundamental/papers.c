/* The equation against the documents that define it: 000, 001, 002 and 004. */
#include "check.h"
#include "unit/fundamental/helpers.h"

/* 004, Eqs. (40)-(42): a particle with x'^2 + y'^2 - z'^2 = 2 alpha g and C = -a0 |u| (x', y', z') */
static void appell(void)
{
    uint64_t random = 42;
    for (int trial = 0; trial < 1000; trial++) {
        const double M[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
        double F[3], v[3], C[3], want[3];
        for (int i = 0; i < 3; i++) {
            F[i] = 5 * uniform(&random);
            v[i] = 2 * uniform(&random);
        }
        const double alpha = uniform(&random), gdot = 3 * uniform(&random), a0 = uniform(&random);
        const double u2 = dot_of(3, v, v), u = sqrt(u2), A[3] = {v[0], v[1], -v[2]}, b = alpha * gdot;
        for (int i = 0; i < 3; i++) C[i] = -a0 * u2 / u * v[i];
        const double k = (b - v[0] * F[0] - v[1] * F[1] + v[2] * F[2]) / u2, c = a0 / u;
        want[0] = F[0] + k * v[0] - c * 2 * v[0] * v[2] * v[2];
        want[1] = F[1] + k * v[1] - c * 2 * v[1] * v[2] * v[2];
        want[2] = F[2] - k * v[2] - c * 2 * v[2] * (v[0] * v[0] + v[1] * v[1]);
        mech_fundamental_input in = equation(M, F, A, &b);
        in.C = C;
        solution s;
        CHECK(solve_once(3, 1, &in, &s) == MECH_OK);
        const double scale = fabs(want[0]) + fabs(want[1]) + fabs(want[2]),
                     apart = fabs(s.Qni[0] - C[0]) + fabs(s.Qni[2] - C[2]);
        for (int i = 0; i < 3; i++) CHECK(fabs(s.qdd[i] - want[i]) <= 1e-13 * scale);
        CHECK(apart > 1e-6 * fabs(a0) * u2);                            /* Qni is not C ... */
        const double along[2][3] = {{v[1], -v[0], 0}, {v[2], 0, v[0]}}; /* ... but does its work on null(A) */
        for (int k2 = 0; k2 < 2; k2++) {
            CHECK_NEAR(dot_of(3, s.Qni, along[k2]), dot_of(3, C, along[k2]), 1e-13);
            CHECK_NEAR(dot_of(3, s.Qi, along[k2]), 0, 1e-13);
        }
    }
}

/* 002: hoop on a cylinder, m = 2, r = 0.2, R = 1, g = 9.8, coordinates theta, phi on the manifold rho = R +
   r. Truth (seeds, point 4): theta'' = g sin(theta)/(2 rho) = 4.08333 sin(theta); with W = I 7.94595
   sin(theta). */
static void hoop(void)
{
    const double m = 2, r = 0.2, rho = 1.2, g = 9.8, theta = 0.7, s0 = sin(theta);
    const double M[4] = {m * rho * rho, 0, 0, m * r * r}, Q[2] = {m * g * rho * s0, 0}, A[2] = {-rho, r}, b = 0;
    const double along[2] = {r, rho};
    const unsigned char servo[1] = {1};
    mech_fundamental_input in = equation(M, Q, A, &b);
    solution s;
    CHECK(solve_once(2, 1, &in, &s) == MECH_OK);
    CHECK_NEAR(s.qdd[0], 4.0833333333333333 * s0, 1e-14);
    CHECK_NEAR(dot_of(2, s.Qi, along), 0, 1e-13);
    in.servo = servo;
    in.weight = MECH_WEIGHT_NATURE;
    CHECK(solve_once(2, 1, &in, &s) == MECH_OK);
    CHECK_NEAR(s.qdd[0], 4.0833333333333333 * s0, 1e-14);
    CHECK_NEAR(dot_of(2, s.Qc, along), 0, 1e-13);
    in.weight = MECH_WEIGHT_IDENTITY;
    CHECK(solve_once(2, 1, &in, &s) == MECH_OK);
    CHECK_NEAR(s.qdd[0], g * rho / (r * r + rho * rho) * s0, 1e-14);
    CHECK_NEAR(g * rho / (r * r + rho * rho), 7.94595, 1e-6);
    CHECK(fabs(dot_of(2, s.Qc, along)) > 1);
    /* W given as M^-1 is nature again */
    const double W[4] = {1 / M[0], 0, 0, 1 / M[3]};
    in.weight = MECH_WEIGHT_GIVEN;
    in.W = W;
    CHECK(solve_once(2, 1, &in, &s) == MECH_OK);
    CHECK_NEAR(s.qdd[0], 4.0833333333333333 * s0, 1e-14);
}

/* 001, Eqs. (3)-(5): q'' = M^(-1/2) (B^+ b + (I - B^+ B) z'); every z satisfies A q'' = b, and every such q''
   has its z = M^(1/2) q'' (with Q = 0). */
static void all_motions(void)
{
    uint64_t random = 1;
    for (int trial = 0; trial < 200; trial++) {
        double M[9], A[6], b[2], z[3], C[3], target[3];
        const double zero[3] = {0};
        double H[9];
        for (int i = 0; i < 9; i++) H[i] = uniform(&random);
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                M[i + 3 * j] = H[i] * H[j] + H[i + 3] * H[j + 3] + H[i + 6] * H[j + 6] + (i == j);
        for (int j = 0; j < 3; j++) {
            A[2 * j] = uniform(&random);
            A[2 * j + 1] = 2 * A[2 * j]; /* dependent rows */
            z[j] = uniform(&random);
            target[j] = uniform(&random);
        }
        b[0] = A[0] * target[0] + A[2] * target[1] + A[4] * target[2];
        b[1] = 2 * b[0];
        mech_fundamental_input in = equation(M, zero, A, b);
        solution s;
        in.z = z;
        CHECK(solve_once(3, 2, &in, &s) == MECH_OK);
        CHECK_NEAR(s.qdd[0] * A[0] + s.qdd[1] * A[2] + s.qdd[2] * A[4], b[0], 1e-13);
        /* the target is reached by C = M q'' - Q, that is z = M^(-1/2) C */
        for (int i = 0; i < 3; i++) C[i] = M[i] * target[0] + M[i + 3] * target[1] + M[i + 6] * target[2];
        in.z = NULL;
        in.C = C;
        CHECK(solve_once(3, 2, &in, &s) == MECH_OK);
        for (int i = 0; i < 3; i++) CHECK_NEAR(s.qdd[i], target[i], 1e-12);
    }
    /* the symmetric root itself, on a matrix whose root is known: [5 4; 4 5] = [2 1; 1 2]^2 */
    const double M[4] = {5, 4, 4, 5}, Q[2] = {0, 0}, z[2] = {1, 3};
    mech_fundamental_input in = equation(M, Q, NULL, NULL);
    solution s;
    in.z = z;
    CHECK(solve_once(2, 0, &in, &s) == MECH_OK);
    CHECK_NEAR(s.Qni[0], 5, 1e-14);
    CHECK_NEAR(s.Qni[1], 7, 1e-14);
}

/* 000: particles, diagonal M, constraints that need not be independent: m1 m2 on a rod, stated three times.
 */
static void particles(void)
{
    const double m1 = 2, m2 = 5, M[16] = {m1, 0, 0, 0, 0, m1, 0, 0, 0, 0, m2, 0, 0, 0, 0, m2};
    const double x = 0.6, y = 0.8, w = 1.7; /* rod of length 1 from 1 to 2, turning with w about 1 */
    const double Q[4] = {1, -2, 0.5, 3}, row[4] = {-x, -y, x, y}, b = -w * w;
    double A[12], rhs[3] = {b, -3 * b, 0.5 * b};
    for (int j = 0; j < 4; j++) {
        A[3 * j] = row[j];
        A[3 * j + 1] = -3 * row[j];
        A[3 * j + 2] = 0.5 * row[j];
    }
    mech_fundamental_input in = equation(M, Q, A, rhs);
    solution s;
    CHECK(solve_once(4, 3, &in, &s) == MECH_OK);
    const double a[4] = {Q[0] / m1, Q[1] / m1, Q[2] / m2, Q[3] / m2};
    const double force = (b - dot_of(4, row, a)) / (1 / m1 + 1 / m2); /* by hand: one multiplier */
    for (int j = 0; j < 4; j++) {
        CHECK_NEAR(s.Qi[j], force * row[j], 1e-14);
        CHECK_NEAR(s.a[j], a[j], 1e-15);
    }
    CHECK(s.out.rank == 1 && (s.out.flags & MECH_FUNDAMENTAL_REDUNDANT));
    /* least norm: lambda proportional to the rows' factors 1, -3, 1/2 */
    for (int i = 0; i < 3; i++) CHECK_NEAR(s.lambda[i], force * rhs[i] / b / (1 + 9 + 0.25), 1e-13);
    CHECK_NEAR(s.out.smallest, sqrt(10.25 * (1 / m1 + 1 / m2)), 1e-12);
}

int main(void)
{
    appell();
    hoop();
    all_motions();
    particles();
    return check_report();
}
