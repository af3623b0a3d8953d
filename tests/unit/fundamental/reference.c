/* The equation against published problems: Andrews' mechanism at t = 0, SymPy's four-bar, a state of
   Udwadia-Kalaba, and a pendulum whose row is stated twice. */
#include "check.h"
#include "unit/fundamental/helpers.h"

/* Andrews' squeezing mechanism. Data: Bari test set, andrews.F; Hairer & Wanner II, VII.7. M q'' = f - G'
 * lambda. */
static void andrews_matrices(double *M, double *f, double *G)
{
    const double m1 = 0.04325, m2 = 0.00365, m3 = 0.02373, m4 = 0.00706, m5 = 0.07050, m6 = 0.00706, m7 = 0.05498;
    const double I1 = 2.194e-6, I2 = 4.410e-7, I3 = 5.255e-6, I4 = 5.667e-7, I5 = 1.169e-5, I6 = 5.667e-7,
                 I7 = 1.912e-5;
    const double xb = -0.03635, yb = 0.03273, xc = 0.014, yc = 0.072, c0 = 4530, l0 = 0.07785, mom = 0.033;
    const double d = 0.028, da = 0.0115, e = 0.02, ea = 0.01421, rr = 0.007, ra = 0.00092, ss = 0.035, sa = 0.01874;
    const double sb = 0.01043, sc = 0.018, sd = 0.02, ta = 0.02308, tb = 0.00916, u = 0.04, ua = 0.01228, ub = 0.00449;
    const double zf = 0.02, zt = 0.04, fa = 0.01421;
    const double be = -0.0617138900142764496358948458001, th = 0, ga = 0.455279819163070380255912382449;
    const double ph = 0.222668390165885884674473185609, de = 0.487364979543842550225598953530;
    const double om = -0.222668390165885884674473185609, ep = 1.23054744454982119249735015568;
    const double ee = e - ea, ff = zf - fa;
    memset(M, 0, 49 * sizeof *M);
    memset(f, 0, 7 * sizeof *f);
    memset(G, 0, 42 * sizeof *G);
#define MM(i, j) M[(i)-1 + 7 * ((j)-1)]
    MM(1, 1) = m1 * ra * ra + m2 * (rr * rr - 2 * da * rr * cos(th) + da * da) + I1 + I2;
    MM(2, 1) = MM(1, 2) = m2 * (da * da - da * rr * cos(th)) + I2;
    MM(2, 2) = m2 * da * da + I2;
    MM(3, 3) = m3 * (sa * sa + sb * sb) + I3;
    MM(4, 4) = m4 * ee * ee + I4;
    MM(5, 4) = MM(4, 5) = m4 * (ee * ee + zt * ee * sin(ph)) + I4;
    MM(5, 5) = m4 * (zt * zt + 2 * zt * ee * sin(ph) + ee * ee) + m5 * (ta * ta + tb * tb) + I4 + I5;
    MM(6, 6) = m6 * ff * ff + I6;
    MM(7, 6) = MM(6, 7) = m6 * (ff * ff - u * ff * sin(om)) + I6;
    MM(7, 7) = m6 * (ff * ff - 2 * u * ff * sin(om) + u * u) + m7 * (ua * ua + ub * ub) + I6 + I7;
    const double xd = sd * cos(ga) + sc * sin(ga) + xb, yd = sd * sin(ga) - sc * cos(ga) + yb;
    const double L = hypot(xd - xc, yd - yc), k = -c0 * (L - l0) / L, Fx = k * (xd - xc), Fy = k * (yd - yc);
    f[0] = mom;
    f[2] = Fx * (sc * cos(ga) - sd * sin(ga)) + Fy * (sd * cos(ga) + sc * sin(ga));
#define GG(i, j) G[(i)-1 + 6 * ((j)-1)]
    for (int i = 1; i <= 5; i += 2) {
        GG(i, 1) = -rr * sin(be) + d * sin(be + th);
        GG(i, 2) = d * sin(be + th);
        GG(i + 1, 1) = rr * cos(be) - d * cos(be + th);
        GG(i + 1, 2) = -d * cos(be + th);
    }
    GG(1, 3) = -ss * cos(ga);
    GG(2, 3) = -ss * sin(ga);
    GG(3, 4) = -e * cos(ph + de);
    GG(3, 5) = -e * cos(ph + de) + zt * sin(de);
    GG(4, 4) = -e * sin(ph + de);
    GG(4, 5) = -e * sin(ph + de) - zt * cos(de);
    GG(5, 6) = zf * sin(om + ep);
    GG(5, 7) = zf * sin(om + ep) - u * cos(ep);
    GG(6, 6) = -zf * cos(om + ep);
    GG(6, 7) = -zf * cos(om + ep) - u * sin(ep);
}

static void andrews(void)
{
    const double want[7] = {14222.4439199541138705911625887, -10666.8329399655854029433719415};
    const double lambda[6] = {98.5668703962410896057654982170, -6.12268834425566265503114393122};
    const double b[6] = {0}; /* all velocities are zero */
    double M[49], f[7], G[42];
    solution s;
    andrews_matrices(M, f, G);
    const mech_fundamental_input in = equation(M, f, G, b);
    CHECK(solve_once(7, 6, &in, &s) == MECH_OK);
    for (int i = 0; i < 7; i++) CHECK(fabs(s.qdd[i] - want[i]) <= 1e-12 * want[0]);
    for (int i = 0; i < 6; i++) CHECK(fabs(-s.lambda[i] - lambda[i]) <= 1e-12 * lambda[0]);
    CHECK(s.out.rank == 6 && s.out.flags == 0);
}

/* SymPy, test_jointsmethod: closed four-bar in three relative angles */
static void four_bar(void)
{
    const double l[4] = {0.13, 0.24, 0.21, 0.34}, rho = 997;
    const double q[3] = {2.1, 0.6655470375077588, 2.527408138024188};
    const double v[3] = {0.2, -0.17963733938852067, 0.1309060540601612};
    const double want[3] = {0.00487581357677012, -0.01990180857174701, 0.01218057311407353};
    const double Qc[3] = {0.216273469079666, 0.254331229713589, 0.0185834920370341};
    double M[9] = {0}, Q[3] = {0}, A[6], b[2], angle[3], rate[3], sum = 0, turn = 0;
    /* links k = 1..3 have absolute angles; point P_k = l1 + sum of links before, centre at half of link k */
    for (int k = 0; k < 3; k++) {
        angle[k] = sum += q[k];
        rate[k] = turn += v[k];
    }
    for (int k = 0; k < 3; k++) {
        /* centre of link k: d/dq_j and acceleration terms, by sums over the links i <= k */
        double Jx[3] = {0}, Jy[3] = {0}, ax = 0, ay = 0;
        const double mass = rho * l[k + 1], J = rho * pow(l[k + 1], 3) / 12;
        for (int i = 0; i <= k; i++) {
            const double part = l[i + 1] * (i == k ? 0.5 : 1);
            for (int j = 0; j <= i; j++) {
                Jx[j] -= part * sin(angle[i]);
                Jy[j] += part * cos(angle[i]);
            }
            ax -= part * cos(angle[i]) * rate[i] * rate[i];
            ay -= part * sin(angle[i]) * rate[i] * rate[i];
        }
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 3; j++)
                M[i + 3 * j] += mass * (Jx[i] * Jx[j] + Jy[i] * Jy[j]) + (i <= k && j <= k ? J : 0);
            Q[i] -= mass * (Jx[i] * ax + Jy[i] * ay);
        }
    }
    memset(A, 0, sizeof A);
    memset(b, 0, sizeof b);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j <= i; j++) {
            A[2 * j] -= l[i + 1] * sin(angle[i]);
            A[2 * j + 1] += l[i + 1] * cos(angle[i]);
        }
        b[0] += l[i + 1] * cos(angle[i]) * rate[i] * rate[i];
        b[1] += l[i + 1] * sin(angle[i]) * rate[i] * rate[i];
    }
    const mech_fundamental_input in = equation(M, Q, A, b);
    solution s;
    CHECK(solve_once(3, 2, &in, &s) == MECH_OK);
    for (int i = 0; i < 3; i++) CHECK_NEAR(s.qdd[i], want[i], 1e-13);
    for (int i = 0; i < 3; i++) CHECK_NEAR(s.Qi[i], Qc[i], 1e-12);
}

/* y' = z x', unit mass, C = -a0 |u|^2 u/|u|; numbers computed independently to 8 digits (PROBLEMS 6.5) */
static void nonholonomic_state(void)
{
    const double M[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, F[3] = {0.3, -0.2, 0.1}, v[3] = {1, 0.5, -0.3}, z = 0.5, a0 = 0.4;
    const double A[3] = {-z, 1, 0}, b = v[2] * v[0], speed = sqrt(dot_of(3, v, v));
    const double C[3] = {-a0 * speed * v[0], -a0 * speed * v[1], -a0 * speed * v[2]};
    const double Qi[3] = {-0.02, 0.04, 0}, Qni[3] = {-0.46303348, -0.23151674, 0.13891004};
    const double qdd[3] = {-0.18303348, -0.39151674, 0.23891004};
    mech_fundamental_input in = equation(M, F, A, &b);
    solution s;
    in.C = C;
    CHECK(solve_once(3, 1, &in, &s) == MECH_OK);
    for (int i = 0; i < 3; i++) {
        CHECK_NEAR(s.Qi[i], Qi[i], 1e-14);
        CHECK_NEAR(s.Qni[i], Qni[i], 5e-9);
        CHECK_NEAR(s.qdd[i], qdd[i], 5e-9);
    }
}

/* pendulum x^2 + y^2 = 1 with its row stated twice, once doubled: same q'' and Qi, multipliers of least norm
 */
static void redundant_pendulum(void)
{
    const double M[4] = {1, 0, 0, 1}, Q[2] = {0, -9.81}, x = -0.8, y = -0.6, v2 = 2.5;
    const double one[2] = {x, y}, b1 = -v2, two[4] = {x, 2 * x, y, 2 * y}, b2[2] = {-v2, -2 * v2};
    mech_fundamental_input in = equation(M, Q, one, &b1);
    solution s, t;
    CHECK(solve_once(2, 1, &in, &s) == MECH_OK);
    in.A = two;
    in.b = b2;
    CHECK(solve_once(2, 2, &in, &t) == MECH_OK);
    for (int i = 0; i < 2; i++) {
        CHECK_NEAR(t.qdd[i], s.qdd[i], 1e-15);
        CHECK_NEAR(t.Qi[i], s.Qi[i], 1e-15);
        CHECK_NEAR(t.lambda[i], s.lambda[0] * (i + 1) / 5, 1e-15);
    }
}

int main(void)
{
    andrews();
    four_bar();
    nonholonomic_state();
    redundant_pendulum();
    return check_report();
}
