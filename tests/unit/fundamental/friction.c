/* Laws of friction: the rod of DESIGN section 1 with the ideal and with the total reaction, Painleve's
   paradox, a bead on a rough circle, several contacts. */
#include "check.h"
#include "unit/fundamental/helpers.h"

typedef struct rod {
    double mu, theta;
} rod;

/* tip at (x - cos theta, y - sin theta) slides to -x: friction mu |lambda| to +x, C = mu |lambda| d(tip x)/dq
 */
static mech_status rod_law(void *user, const double *lambda, double *C, double *dC)
{
    const rod *r = user;
    const double along[3] = {1, 0, sin(r->theta)};
    for (int i = 0; i < 3; i++) {
        C[i] = r->mu * fabs(lambda[0]) * along[i];
        if (dC) dC[i] = r->mu * (lambda[0] > 0 ? 1 : lambda[0] < 0 ? -1 : 0) * along[i];
    }
    return MECH_OK;
}

/* m = 1, half-length 1, J = 1/3, resting: A = (0, 1, -cos theta), b = 0 */
static mech_status slide(rod r, double weight, int total, solution *s)
{
    const double M[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1.0 / 3}, Q[3] = {0, -weight, 0}, A[3] = {0, 1, -cos(r.theta)}, b = 0;
    const mech_fundamental_input in = equation(M, Q, A, &b);
    mech_fundamental *f = NULL;
    mech_status status = mech_fundamental_create(3, 1, NULL, &f);
    solution_clear(s);
    if (status == MECH_OK && total) status = mech_fundamental_solve_law(f, &in, rod_law, &r, &s->out);
    if (status == MECH_OK && !total) { /* two phases: the law looks at the ideal multiplier */
        double C[3];
        status = mech_fundamental_ideal(f, &in, &s->out);
        if (status == MECH_OK) status = rod_law(&r, s->lambda, C, NULL);
        if (status == MECH_OK) status = mech_fundamental_nonideal(f, C, &s->out);
    }
    mech_fundamental_free(f);
    return status;
}

static void sliding_rod(void)
{
    const rod r = {0.3, 1.3};
    solution s;
    CHECK(slide(r, 9.81, 1, &s) == MECH_OK);
    CHECK_NEAR(s.qdd[2], 0.646, 5e-4);
    /* closed form: lambda (1 + 3c^2 - 3 mu c s) = g */
    const double c = cos(1.3), sn = sin(1.3), lambda = 9.81 / (1 + 3 * c * c - 3 * 0.3 * c * sn);
    CHECK_NEAR(s.total[0], lambda, 1e-13);
    CHECK_NEAR(s.qdd[2], 3 * lambda * (0.3 * sn - c), 1e-13);
    CHECK_NEAR(s.lambda[0], 9.81 / (1 + 3 * c * c), 1e-13);
    CHECK(slide(r, 9.81, 0, &s) == MECH_OK);
    CHECK_NEAR(s.qdd[2], -0.715, 5e-4);
}

/* beyond mu = 4/3 there are angles where 1 + 3c^2 < 3 mu c s: pushed down there is no reaction, lifted there
 * are two */
static void painleve(void)
{
    const rod r = {1.6, 1.1};
    solution s;
    CHECK(1 + 3 * cos(1.1) * cos(1.1) < 3 * 1.6 * cos(1.1) * sin(1.1));
    CHECK(slide(r, 9.81, 1, &s) == MECH_ERR_NO_REACTION || slide(r, 9.81, 1, &s) == MECH_ERR_MANY_REACTIONS);
    const mech_status down = slide(r, 9.81, 1, &s), up = slide(r, -9.81, 1, &s);
    CHECK(down != up && (up == MECH_ERR_NO_REACTION || up == MECH_ERR_MANY_REACTIONS));
    CHECK(slide((rod){1.3, 1.1}, 9.81, 1, &s) == MECH_OK); /* below 4/3: never */
}

typedef struct contacts {
    int n, m;
    const double *D; /* n x m: direction and coefficient of the friction of row k */
} contacts;

static mech_status contact_law(void *user, const double *lambda, double *C, double *dC)
{
    const contacts *k = user;
    for (int j = 0; j < k->m; j++)
        for (int i = 0; i < k->n; i++) {
            const double d = k->D[i + j * k->n], sign = lambda[j] > 0 ? 1 : lambda[j] < 0 ? -1 : 0;
            C[i] += d * fabs(lambda[j]);
            if (dC) dC[i + j * k->n] = d * sign;
        }
    return MECH_OK;
}

/* Three contacts: the answer satisfies the law, found independently by plain iteration, which converges for
 * small mu. */
static void several_contacts(void)
{
    uint64_t random = 5;
    for (int trial = 0; trial < 200; trial++) {
        double M[25] = {0}, Q[5], A[15], b[3], D[15], C[5] = {0};
        contacts k = {5, 3, D};
        solution s, t;
        mech_fundamental *f = NULL;
        for (int i = 0; i < 5; i++) M[6 * i] = 1 + 0.5 * uniform(&random), Q[i] = 5 * uniform(&random);
        for (int i = 0; i < 15; i++) A[i] = uniform(&random), D[i] = 0.05 * uniform(&random);
        for (int i = 0; i < 3; i++) b[i] = uniform(&random);
        mech_fundamental_input in = equation(M, Q, A, b);
        CHECK(mech_fundamental_create(5, 3, NULL, &f) == MECH_OK);
        solution_clear(&s);
        CHECK(mech_fundamental_solve_law(f, &in, contact_law, &k, &s.out) == MECH_OK);
        for (int pass = 0; pass < 200; pass++) {
            in.C = C;
            CHECK(solve_once(5, 3, &in, &t) == MECH_OK);
            memset(C, 0, sizeof C);
            CHECK(contact_law(&k, t.total, C, NULL) == MECH_OK);
        }
        for (int i = 0; i < 3; i++) CHECK_NEAR(s.total[i], t.total[i], 1e-10);
        for (int i = 0; i < 5; i++) CHECK_NEAR(s.qdd[i], t.qdd[i], 1e-10);
        mech_fundamental_free(f);
    }
}

/* Brute force for two contacts of any strength: every pattern of signs solved by Cramer's rule; the number of
   solutions decides what the library must say. */
static void counted(void)
{
    uint64_t random = 11;
    int kinds[3] = {0, 0, 0};
    for (int trial = 0; trial < 2000; trial++) {
        double M[16] = {0}, Q[4], A[8], b[2] = {0}, D[8], K[4];
        contacts k = {4, 2, D};
        solution s;
        mech_fundamental *f = NULL;
        for (int i = 0; i < 4; i++) M[5 * i] = 1, Q[i] = uniform(&random);
        for (int i = 0; i < 8; i++) A[i] = uniform(&random), D[i] = 2 * uniform(&random);
        /* K = (A A')^-1 A D, lambda + K |lambda| = lambda_i */
        double S[4] = {0}, AD[4] = {0}, r[2] = {0};
        for (int j = 0; j < 4; j++)
            for (int p = 0; p < 2; p++) {
                r[p] -= A[p + 2 * j] * Q[j];
                for (int q = 0; q < 2; q++) {
                    S[p + 2 * q] += A[p + 2 * j] * A[q + 2 * j];
                    AD[p + 2 * q] += A[p + 2 * j] * D[j + 4 * q];
                }
            }
        const double det = S[0] * S[3] - S[1] * S[2],
                     ideal[2] = {(S[3] * r[0] - S[2] * r[1]) / det, (S[0] * r[1] - S[1] * r[0]) / det};
        if (det < 1e-2) continue;
        for (int q = 0; q < 2; q++) {
            K[2 * q] = (S[3] * AD[2 * q] - S[2] * AD[1 + 2 * q]) / det;
            K[1 + 2 * q] = (S[0] * AD[1 + 2 * q] - S[1] * AD[2 * q]) / det;
        }
        int count = 0, edge = 0;
        for (int p = 0; p < 4; p++) {
            const double s0 = p & 1 ? -1 : 1, s1 = p & 2 ? -1 : 1,
                         J[4] = {1 + K[0] * s0, K[1] * s0, K[2] * s1, 1 + K[3] * s1};
            const double dj = J[0] * J[3] - J[1] * J[2], x = (J[3] * ideal[0] - J[2] * ideal[1]) / dj,
                         y = (J[0] * ideal[1] - J[1] * ideal[0]) / dj;
            edge |= fabs(dj) < 1e-3 || fabs(x) < 1e-3 || fabs(y) < 1e-3;
            count += x * s0 > 0 && y * s1 > 0;
        }
        if (edge) continue;
        const mech_fundamental_input in = equation(M, Q, A, b);
        CHECK(mech_fundamental_create(4, 2, NULL, &f) == MECH_OK);
        solution_clear(&s);
        const mech_status status = mech_fundamental_solve_law(f, &in, contact_law, &k, &s.out);
        CHECK(status == (count == 1 ? MECH_OK : count == 0 ? MECH_ERR_NO_REACTION : MECH_ERR_MANY_REACTIONS));
        kinds[count > 1 ? 2 : count]++;
        mech_fundamental_free(f);
    }
    printf("reactions counted: none %d, one %d, several %d\n", kinds[0], kinds[1], kinds[2]);
    CHECK(kinds[0] > 50 && kinds[1] > 50 && kinds[2] > 50);
}

typedef struct length_law {
    int n, m;
    const double *D; /* n: direction and coefficient of the friction of all rows together */
} length_law;

static mech_status pressed_together(void *user, const double *lambda, double *C, double *dC)
{
    const length_law *k = user;
    double N = 0;
    for (int j = 0; j < k->m; j++) N += lambda[j] * lambda[j];
    N = sqrt(N);
    for (int i = 0; i < k->n; i++) {
        C[i] += k->D[i] * N;
        for (int j = 0; dC && j < k->m; j++) dC[i + j * k->n] = N > 0 ? k->D[i] * lambda[j] / N : 0;
    }
    return MECH_OK;
}

/* Two rows that press together, N = |lambda|, A = (I 0), M = I: lambda = -Q - N D along them, so that
   (D.D - 1) N^2 + 2 N Q.D + Q.Q = 0 decides how many reactions there are, however far apart. */
static void counted_together(void)
{
    uint64_t random = 17;
    int kinds[3] = {0, 0, 0};
    const double M[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, A[6] = {1, 0, 0, 1, 0, 0}, b[2] = {0, 0};
    for (int trial = 0; trial < 2000; trial++) {
        double Q[3], D[3];
        length_law k = {3, 2, D};
        solution s;
        mech_fundamental *f = NULL;
        for (int i = 0; i < 3; i++) Q[i] = uniform(&random), D[i] = 1.5 * uniform(&random);
        const double p = D[0] * D[0] + D[1] * D[1] - 1, q = Q[0] * D[0] + Q[1] * D[1], r = Q[0] * Q[0] + Q[1] * Q[1];
        const double left = q * q - p * r;
        if (fabs(p) < 1e-3 || fabs(left) < 1e-4) continue;
        const int count = p < 0 ? 1 : left < 0 || q > 0 ? 0 : 2;
        const mech_fundamental_input in = equation(M, Q, A, b);
        CHECK(mech_fundamental_create(3, 2, NULL, &f) == MECH_OK);
        solution_clear(&s);
        const mech_status status = mech_fundamental_solve_law(f, &in, pressed_together, &k, &s.out);
        CHECK(status == (count == 1 ? MECH_OK : count == 0 ? MECH_ERR_NO_REACTION : MECH_ERR_MANY_REACTIONS));
        if (status == MECH_OK) CHECK_NEAR(hypot(s.total[0], s.total[1]), (-q - sqrt(left)) / p, 1e-9);
        kinds[count]++;
        mech_fundamental_free(f);
    }
    printf("reactions of rows together counted: none %d, one %d, several %d\n", kinds[0], kinds[1], kinds[2]);
    CHECK(kinds[0] > 50 && kinds[1] > 50 && kinds[2] > 50);
}

int main(void)
{
    sliding_rod();
    painleve();
    several_contacts();
    counted();
    counted_together();
    return check_report();
}
