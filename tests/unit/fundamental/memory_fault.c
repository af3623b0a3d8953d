/* Creation survives every failing allocation without a leak; nothing after it allocates. */
#include "check.h"
#include "support/mem_fault.h"
#include "unit/fundamental/helpers.h"

#include "fundamental/sparse_qr.h"

static mech_status law(void *user, const double *lambda, double *C, double *dC)
{
    (void)user;
    C[0] = 0.1 * fabs(lambda[0]);
    if (dC) dC[0] = lambda[0] < 0 ? -0.1 : 0.1;
    return MECH_OK;
}

static void everything(mech_fundamental *f, mech_diagnosis *d, int n, int m, int singular)
{
    static double M[60 * 60], Q[60], A[60 * 60], b[60], C[60], W[60 * 60];
    static unsigned char servo[60];
    solution s;
    memset(M, 0, sizeof M);
    memset(W, 0, sizeof W);
    memset(servo, 0, sizeof servo);
    for (int i = 0; i < n; i++) M[i + i * n] = W[i + i * n] = 2, Q[i] = C[i] = i;
    if (singular) M[0] = 0;
    for (int i = 0; i < m * n; i++) A[i] = sin(i * i);
    mech_fundamental_input in = equation(M, Q, A, b);
    solution_clear(&s);
    CHECK(mech_fundamental_ideal(f, &in, &s.out) == MECH_OK);
    CHECK(mech_fundamental_nonideal(f, C, &s.out) == MECH_OK);
    CHECK(mech_fundamental_solve_law(f, &in, law, NULL, &s.out) == MECH_OK);
    in.C = C;
    CHECK(mech_fundamental_solve(f, &in, &s.out) == MECH_OK);
    CHECK(mech_fundamental_inverse(f, &in, s.qdd, s.u, s.lambda) == MECH_OK);
    const mech_diagnosis_input why = {.size = sizeof why, .equation = &in, .solution = &s.out};
    CHECK(mech_diagnosis_run(d, &why) == MECH_OK);
    in.C = NULL, in.z = C;
    CHECK(mech_fundamental_solve(f, &in, &s.out) == MECH_OK);
    servo[m - 1] = 1;
    in.servo = servo, in.W = W, in.weight = MECH_WEIGHT_GIVEN;
    CHECK(mech_fundamental_solve(f, &in, &s.out) == MECH_OK);
}

/* The sparse QR allocates when it is asked: M with a factor that fills, rows of which one depends on the others. */
static void robust_path(void)
{
    const uint32_t M_row[] = {0, 1, 2, 3, 1, 3, 3}, M_column[] = {0, 1, 2, 3, 0, 0, 2};
    const uint32_t A_row[] = {0, 0, 1, 1, 2, 2}, A_column[] = {0, 1, 2, 3, 0, 1};
    const double M[] = {3, 4, 2, 5, 1, 0.5, 0.25}, A[] = {1, 2, 1, -1, 2, 4}, Q[] = {1, 2, 3, 4}, b[] = {1, 2, 2};
    const sparse_spec spec = {.n = 4, .m = 3, .M = {7, M_row, M_column}, .A = {6, A_row, A_column}, .most_ops = 1000};
    sparse *s = NULL;
    CHECK(sparse_create(&spec, &s) == MECH_OK && sparse_factor(s, M, A, NULL, 1e-18));
    const size_t live = mem_fault_live();
    for (size_t fail = 1;; fail++) {
        double a[4], lambda[3];
        size_t rank = 0;
        mem_fault_set(fail);
        const mech_status status = sparse_qr_solve(s, 1e-9, Q, b, a, lambda, &rank);
        CHECK(status == (mem_fault_hit() ? MECH_ERR_MEMORY : MECH_OK));
        CHECK(mem_fault_live() == live);
        if (mem_fault_hit()) continue;
        CHECK(rank == 2);
        CHECK_NEAR(a[0] + 2 * a[1], 1, 1e-14);
        CHECK_NEAR(a[2] - a[3], 2, 1e-14);
        break;
    }
    sparse_free(s);
    mem_fault_set(0);
}

int main(void)
{
    robust_path();
    const int sizes[2][2] = {{7, 6}, {45, 40}};
    for (int k = 0; k < 2; k++) {
        const int n = sizes[k][0], m = sizes[k][1];
        for (size_t fail = 1;; fail++) {
            mech_fundamental *f = NULL;
            mech_diagnosis *d = NULL;
            mem_fault_set(fail);
            mech_status status = mech_fundamental_create(n, m, NULL, &f);
            if (status == MECH_OK) status = mech_diagnosis_create(n, m, &d);
            if (!mem_fault_hit()) {
                CHECK(status == MECH_OK);
                const size_t calls = mem_fault_calls();
                everything(f, d, n, m, 0);
                everything(f, d, n, m, 1);
                CHECK(mem_fault_calls() == calls);
            } else CHECK(status == MECH_ERR_MEMORY);
            mech_fundamental_free(f);
            mech_diagnosis_free(d);
            CHECK(mem_fault_live() == 0);
            if (!mem_fault_hit()) break;
        }
    }
    return check_report();
}
