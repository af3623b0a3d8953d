/* Servo rows with natural constraints, actuators and weights; what cannot be realised; inverse dynamics. */
#include "check.h"
#include "unit/fundamental/helpers.h"

/* Two masses on a line joined by a rod, an actuator on the first only; servo: x2'' = 3. The rod carries the
 * force over. */
static void through_the_rod(void)
{
    const double M[4] = {2, 0, 0, 5}, Q[2] = {1, -4}, A[4] = {1, 0, -1, 1}, b[2] = {0, 3}, G[2] = {1, 0};
    const unsigned char servo[2] = {0, 1};
    mech_fundamental_input in = equation(M, Q, A, b);
    solution s;
    in.servo = servo, in.G = G, in.actuators = 1, in.weight = MECH_WEIGHT_IDENTITY;
    CHECK(solve_once(2, 2, &in, &s) == MECH_OK);
    CHECK_NEAR(s.qdd[0], 3, 1e-14);
    CHECK_NEAR(s.qdd[1], 3, 1e-14);
    CHECK_NEAR(s.u[0], 7 * 3 + 3, 1e-14); /* (m1 + m2) 3 = Q1 + Q2 + u */
    CHECK_NEAR(s.Qc[0], 24, 1e-14);
    CHECK(s.Qc[1] == 0 && s.lambda[1] == 0 && s.out.servo_rank == 1);
    for (int i = 0; i < 2; i++) CHECK_NEAR(M[3 * i] * s.qdd[i], Q[i] + s.Qi[i] + s.Qni[i] + s.Qc[i], 1e-13);
}

/* Without the rod the second mass is out of reach: not realisable, and the row is named; a row in reach is
 * not. */
static void out_of_reach(void)
{
    const double M[4] = {2, 0.3, 0.3, 5}, Q[2] = {1, -4}, A[4] = {1, 0, 0, 1}, b[2] = {2, 3};
    const double G[2] = {1, 0.3 / 2 * 0}, H[2] = {2, 0.3}; /* H moves only x1: M^-1 H = (1, 0) */
    const unsigned char servo[2] = {1, 1};
    mech_fundamental_input in = equation(M, Q, A, b);
    mech_fundamental *f = NULL;
    solution s;
    int count = 0;
    solution_clear(&s);
    in.servo = servo, in.G = H, in.actuators = 1, in.weight = MECH_WEIGHT_IDENTITY;
    CHECK(mech_fundamental_create(2, 2, NULL, &f) == MECH_OK);
    CHECK(mech_fundamental_solve(f, &in, &s.out) == MECH_ERR_NOT_REALISABLE);
    const int *who = mech_fundamental_culprits(f, &count);
    CHECK(count == 1 && who[0] == 1);
    in.G = G; /* both rows through one actuator: they contradict one another */
    CHECK(mech_fundamental_solve(f, &in, &s.out) == MECH_ERR_NOT_REALISABLE);
    mech_fundamental_culprits(f, &count);
    CHECK(count == 2);
    mech_fundamental_free(f);
}

/* Least effort: with weight W the force minimises u'Wu; checked against moves along the null space of the
 * reach. */
static void least_effort(void)
{
    uint64_t random = 3;
    for (int trial = 0; trial < 100; trial++) {
        double M[16] = {0}, Q[4], A[12], b[3], G[16], W[16] = {0};
        const unsigned char servo[3] = {0, 1, 0};
        for (int i = 0; i < 4; i++)
            M[5 * i] = 1.5 + uniform(&random), W[5 * i] = 1.5 + uniform(&random), Q[i] = uniform(&random);
        W[1] = W[4] = 0.2;
        for (int i = 0; i < 12; i++) A[i] = uniform(&random);
        for (int i = 0; i < 16; i++) G[i] = uniform(&random);
        for (int i = 0; i < 3; i++) b[i] = uniform(&random);
        mech_fundamental_input in = equation(M, Q, A, b);
        solution s, t;
        in.servo = servo, in.G = G, in.actuators = 4, in.weight = MECH_WEIGHT_GIVEN, in.W = W;
        CHECK(solve_once(4, 3, &in, &s) == MECH_OK);
        for (int i = 0; i < 3; i++)
            CHECK_NEAR(A[i] * s.qdd[0] + A[i + 3] * s.qdd[1] + A[i + 6] * s.qdd[2] + A[i + 9] * s.qdd[3], b[i], 1e-12);
        /* how each actuator moves the servo row: natural rows alone, one unit of force each */
        const unsigned char natural[3] = {1, 0, 1};
        double reach[4], base = 0, push[4], gradient[4];
        mech_fundamental_input plain = equation(M, Q, A, b);
        plain.active = natural;
        CHECK(solve_once(4, 3, &plain, &t) == MECH_OK);
        for (int j = 0; j < 4; j++) base += A[1 + 3 * j] * t.qdd[j];
        for (int k = 0; k < 4; k++) {
            for (int i = 0; i < 4; i++) push[i] = Q[i] + G[i + 4 * k];
            plain.Q = push;
            CHECK(solve_once(4, 3, &plain, &t) == MECH_OK);
            reach[k] = -base;
            for (int j = 0; j < 4; j++) reach[k] += A[1 + 3 * j] * t.qdd[j];
        }
        for (int i = 0; i < 4; i++)
            gradient[i] = W[i] * s.u[0] + W[i + 4] * s.u[1] + W[i + 8] * s.u[2] + W[i + 12] * s.u[3];
        const double ratio = dot_of(4, gradient, reach) / dot_of(4, reach, reach); /* W u is along the reach */
        for (int i = 0; i < 4; i++) CHECK(fabs(gradient[i] - ratio * reach[i]) < 1e-11 * (1 + fabs(ratio)));
    }
}

/* Nature as a weight: servo rows kept with W = M^-1 move like natural rows when nothing else is there. */
static void nature(void)
{
    uint64_t random = 9;
    for (int trial = 0; trial < 50; trial++) {
        double M[9] = {3, 0.5, 0.2, 0.5, 2, 0.1, 0.2, 0.1, 4}, Q[3], A[6], b[2];
        const unsigned char one[2] = {0, 1}, both[2] = {1, 1};
        solution s, t;
        for (int i = 0; i < 3; i++) Q[i] = uniform(&random);
        for (int i = 0; i < 6; i++) A[i] = uniform(&random);
        for (int i = 0; i < 2; i++) b[i] = uniform(&random);
        mech_fundamental_input in = equation(M, Q, A, b);
        CHECK(solve_once(3, 2, &in, &s) == MECH_OK);
        for (int k = 0; k < 2; k++) {
            in.servo = k ? both : one;
            CHECK(solve_once(3, 2, &in, &t) == MECH_OK);
            for (int i = 0; i < 3; i++) CHECK_NEAR(t.qdd[i], s.qdd[i], 1e-12);
        }
        for (int i = 0; i < 3; i++) CHECK_NEAR(t.Qc[i], s.Qi[i], 1e-12);
    }
}

/* inverse of forward is the identity; not reachable and conflicting accelerations are refused */
static void inverse(void)
{
    uint64_t random = 13;
    for (int trial = 0; trial < 200; trial++) {
        double M[25] = {0}, Q[5], A[10], b[2], G[15], C[5], u[3], force[5], got[3], lambda[2];
        mech_fundamental *f = NULL;
        solution s;
        const int semi = trial % 3 == 0; /* one coordinate without mass, held by the rows */
        for (int i = 0; i < 5; i++)
            M[6 * i] = semi && i == 4 ? 0 : 1.5 + uniform(&random), Q[i] = uniform(&random), C[i] = uniform(&random);
        for (int i = 0; i < 10; i++) A[i] = uniform(&random);
        for (int i = 0; i < 15; i++) G[i] = uniform(&random);
        for (int i = 0; i < 2; i++) b[i] = uniform(&random);
        for (int i = 0; i < 3; i++) u[i] = uniform(&random);
        for (int i = 0; i < 5; i++) force[i] = Q[i] + G[i] * u[0] + G[i + 5] * u[1] + G[i + 10] * u[2];
        mech_fundamental_input in = equation(M, force, A, b);
        in.C = C;
        CHECK(solve_once(5, 2, &in, &s) == MECH_OK);
        in.Q = Q, in.G = G, in.actuators = 3, in.weight = MECH_WEIGHT_IDENTITY;
        CHECK(mech_fundamental_create(5, 2, NULL, &f) == MECH_OK);
        CHECK(mech_fundamental_inverse(f, &in, s.qdd, got, lambda) == MECH_OK);
        for (int i = 0; i < 3; i++) CHECK(fabs(got[i] - u[i]) < 1e-9); /* three actuators, three free motions */
        for (int i = 0; i < 2; i++) CHECK(fabs(lambda[i] - s.lambda[i]) < 1e-8);
        in.actuators = 2;
        CHECK(mech_fundamental_inverse(f, &in, s.qdd, got, lambda) == MECH_ERR_NOT_REALISABLE);
        int count = 0;
        s.qdd[0] += 1;
        in.actuators = 3;
        CHECK(mech_fundamental_inverse(f, &in, s.qdd, got, lambda) == MECH_ERR_CONFLICT);
        mech_fundamental_culprits(f, &count);
        CHECK(count == 2);
        mech_fundamental_free(f);
    }
}

int main(void)
{
    through_the_rod();
    out_of_reach();
    least_effort();
    nature();
    inverse();
    return check_report();
}
