/* Routh's array on the cases that textbooks and document 002 give. */
#include "unit/analyze/helpers.h"

/* Document 002, the printed 4 x 4 matrix with B = K = 100: asymptotically stable, against its own verdict. */
static void document_002(void)
{
    const double B = 100, K = 100;
    const double A[16] = {0, -0.027 * K - 23.2995, 0, 5.8366 * K - 47.665, 1, -0.027 * B, 0, 5.8366 * B,
                          0, 0.0045 * K,           0, -0.9728 * K,         0, 0.0045 * B, 1, -0.9728 * B};
    const double column[5] = {1, 99.98, 100.4035, 9.65981, 2288.034};
    const double re[4] = {-0.00207, -0.00207, -1.01039, -98.9655}, im[4] = {4.78349, -4.78349, 0, 0};
    double c[5], r[4], i[4];
    mech_routh *routh;
    CHECK(mech_routh_matrix(4, A, &routh) == MECH_OK);
    const mech_routh_result *result = mech_routh_get(routh);
    for (int k = 0; k < 5; k++) CHECK_NEAR(result->array[k], column[k], 6e-7);
    CHECK(result->verdict == MECH_VERDICT_STABLE && result->sign_changes == 0 && result->left == 4 && result->is_exact);
    mech_routh_free(routh);
    CHECK(mech_eigenvalues(4, A, r, i) == MECH_OK);
    for (int k = 0; k < 4; k++) {
        CHECK_NEAR(r[k], re[k], 5e-6);
        CHECK_NEAR(i[k], im[k], 5e-6);
    }
    /* condition (27): a, ab - c, abc - c^2 - a^2 d, d */
    CHECK(mech_characteristic(4, A, c) == MECH_OK);
    CHECK_NEAR(c[1], 99.98, 1e-12);
    CHECK_NEAR(c[1] * c[2] - c[3], 10038.34, 1e-6);
    CHECK_NEAR(c[1] * c[2] * c[3] - c[3] * c[3] - c[1] * c[1] * c[4], 96968.5, 1e-6);
    CHECK_NEAR(c[4], 2288.03, 2e-6);
    CHECK(mech_routh_floating(c, NULL, 4, &routh) == MECH_OK && mech_routh_get(routh)->verdict == MECH_VERDICT_STABLE);
    mech_routh_free(routh);
    /* with M^-1 restored: (s^2 + B s + K)(s^2 + g'), a zero row, marginal */
    static const char *const restored[] = {"1", "100", "107.946", "794.6", "794.6"};
    CHECK(mech_routh_exact_text(restored, 4, &routh) == MECH_OK);
    CHECK(mech_routh_get(routh)->verdict == MECH_VERDICT_MARGINAL &&
          mech_routh_get(routh)->row_kind[3] == MECH_ROUTH_ZERO_ROW);
    mech_routh_free(routh);
}

static void case_of(const char *const *c, int degree, mech_verdict verdict, int right, int axis)
{
    mech_routh *routh;
    CHECK(mech_routh_exact_text(c, degree, &routh) == MECH_OK);
    const mech_routh_result *r = mech_routh_get(routh);
    CHECK(r->verdict == verdict && r->right == right && r->axis == axis && r->sign_changes == right);
    mech_routh_free(routh);
}

static void textbook(void)
{
    static const char *const zero_pivot[] = {"1", "2", "3", "6", "5", "3"}; /* 2 to the right       */
    static const char *const zero_row[] = {"1", "7", "6", "42", "8", "56"}; /* +-2i, +-i sqrt(2)    */
    static const char *const real_pair[] = {"1", "0", "-1"};                /* s^2 - 1: unstable    */
    static const char *const quadruple[] = {"1", "0", "0", "0", "4"};       /* s^4 + 4              */
    static const char *const repeated[] = {"1", "0", "2", "0", "1"};        /* (s^2 + 1)^2          */
    static const char *const decimals[] = {"0.1", "0.3", "1/5"};            /* (s+1)(s+2)/10        */
    static const char *const powers[] = {"+1e3", "2E+0", "3.5e2", "0.7e0"}; /* 2*350 = 1000*0.7: a pair on the axis */
    static const char *const more[] = {"+1e3", "2E+0", "3.5e2", "7.1E-1"};  /* 700 < 710 */
    static const char *const constant[] = {"-3"}, *const bad[] = {"1", "x"}, *const none[] = {"0", "1"};
    case_of(zero_pivot, 5, MECH_VERDICT_UNSTABLE, 2, 0);
    case_of(zero_row, 5, MECH_VERDICT_MARGINAL, 0, 4);
    case_of(real_pair, 2, MECH_VERDICT_UNSTABLE, 1, 0);
    case_of(quadruple, 4, MECH_VERDICT_UNSTABLE, 2, 0);
    case_of(repeated, 4, MECH_VERDICT_REPEATED, 0, 4);
    case_of(decimals, 2, MECH_VERDICT_STABLE, 0, 0);
    case_of(powers, 3, MECH_VERDICT_MARGINAL, 0, 2);
    case_of(more, 3, MECH_VERDICT_UNSTABLE, 2, 0);
    case_of(constant, 0, MECH_VERDICT_STABLE, 0, 0);
    mech_routh *routh;
    CHECK(mech_routh_exact_text(bad, 1, &routh) == MECH_ERR_ARGUMENT && !routh);
    CHECK(mech_routh_exact_text(none, 1, &routh) == MECH_ERR_ARGUMENT && !routh);
    CHECK(mech_routh_exact(NULL, 1, &routh) == MECH_ERR_ARGUMENT);
    const double infinite[2] = {1, INFINITY}, near[3] = {1, 1e-17, 1};
    CHECK(mech_routh_exact(infinite, 1, &routh) == MECH_ERR_NOT_FINITE);
    CHECK(mech_routh_exact(near, 2, &routh) == MECH_OK && mech_routh_get(routh)->verdict == MECH_VERDICT_STABLE);
    mech_routh_free(routh); /* a zero is a zero, and 1e-17 is not */
    const double error[3] = {0, 1e-15, 1e-15};
    CHECK(mech_routh_floating(near, error, 2, &routh) == MECH_OK &&
          mech_routh_get(routh)->verdict == MECH_VERDICT_UNDECIDED);
    mech_routh_free(routh);
}

int main(void)
{
    document_002();
    textbook();
    return check_report();
}
