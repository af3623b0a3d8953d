/* Creation survives every failing allocation without a leak; nothing after it allocates. */
#include "check.h"
#include "support/mem_fault.h"
#include "unit/fundamental/helpers.h"

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

int main(void)
{
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
