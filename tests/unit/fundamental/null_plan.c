/* The null-space plan: the robust solve's answer on random sparse systems, with blocks of one, of two and
   larger; guards where the partition, or the rows, become singular. */
#include "check.h"

#include <mech/fundamental.h>

#include "plan_example.h"

enum { POINTS = 8 };

/* M = 1 + x x' on a few coordinates; rows in loops: row i has entries near the diagonal and one far. */
static void make_random(example *x, int n, int m, int is_loose)
{
    *x = (example){.n = n, .m = m};
    for (int i = 0; i < n; i++) x->M[i + i * n] = 1.5 + random_real();
    for (int i = 0; i + 1 < n; i += 2) {
        const double a = 0.3 * random_real();
        x->M[i + (i + 1) * n] = x->M[i + 1 + i * n] = a;
    }
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            const int pair = i / 2 * 2, is_near = j == i || j == pair || j == pair + 1 || j == n - 1;
            if (is_near || (!is_loose && random_real() > 0.6)) x->A[i + j * m] = random_real() + (i == j);
        }
    for (int i = 0; i < n; i++) x->Q[i] = random_real();
    for (int i = 0; i < m; i++) x->b[i] = random_real();
    list_entries(x);
}

/* Points near the example: every entry changed by up to a tenth. */
static mech_status plan_of(const example *x, const unsigned char *monitored, plan **p)
{
    double *A = calloc(POINTS * x->A_count, sizeof *A);
    for (size_t k = 0; k < POINTS; k++)
        for (size_t i = 0; i < x->A_count; i++)
            A[k * x->A_count + i] = x->A[x->A_row[i] + x->A_column[i] * (uint32_t)x->m] * (1 + 0.1 * random_real());
    const plan_spec spec = example_spec(x, monitored);
    const plan_samples samples = {.count = POINTS, .walk = POINTS, .A = A};
    const mech_status status = plan_create_null(&spec, &samples, p);
    free(A);
    return status;
}

static unsigned run(const example *x, const plan *p, double *qdd, double *lambda, double *reaction)
{
    double *s = slots_of(x, p);
    const unsigned flags = plan_run(p, s);
    for (int i = 0; i < x->n; i++) qdd[i] = s[p->qdd[i]], reaction[i] = s[p->reaction[i]];
    for (int i = 0; i < x->m; i++) lambda[i] = p->lambda[i] == PLAN_NONE ? 0 : s[p->lambda[i]];
    free(s);
    return flags;
}

/* q'', A' lambda and M q'' - Q against the robust solve: the largest difference. */
static double compare(const example *x, const double *qdd, const double *lambda, const double *reaction)
{
    double want[N], Qi[N], most = 0;
    mech_fundamental *solver = NULL;
    CHECK(mech_fundamental_create(x->n, x->m, NULL, &solver) == MECH_OK);
    mech_fundamental_input in = {.size = sizeof in, .M = x->M, .Q = x->Q, .A = x->A, .b = x->b};
    mech_fundamental_output out = {.size = sizeof out, .qdd = want, .Qi = Qi};
    CHECK(mech_fundamental_solve(solver, &in, &out) == MECH_OK);
    mech_fundamental_free(solver);
    for (int j = 0; j < x->n; j++) {
        double force = 0;
        for (int i = 0; i < x->m; i++) force += x->A[i + j * x->m] * lambda[i];
        most = fmax(most, fabs(force - Qi[j]) / (1 + fabs(Qi[j])));
        most = fmax(most, fabs(reaction[j] - Qi[j]) / (1 + fabs(Qi[j])));
        most = fmax(most, fabs(qdd[j] - want[j]) / (1 + fabs(want[j])));
    }
    return most;
}

static void random_systems(void)
{
    int made = 0, weak = 0;
    for (int k = 0; k < 400; k++) {
        static example x;
        double qdd[N], lambda[ROWS], reaction[N];
        plan *p = NULL;
        const int n = 2 + k % (N - 1), m = 1 + (k / 7) % (n < ROWS ? n : ROWS);
        make_random(&x, n, m, k % 2);
        const mech_status status = plan_of(&x, NULL, &p);
        CHECK(status == MECH_OK || status == MECH_ERR_UNSUPPORTED);
        if (status != MECH_OK) continue;
        made++;
        const unsigned flags = run(&x, p, qdd, lambda, reaction);
        CHECK(flags == 0 || flags == PLAN_FLAG_WEAK); /* weak: for the mass that the few coordinates move */
        weak += flags != 0;
        CHECK(compare(&x, qdd, lambda, reaction) < 1e-10);
        plan_free(p);
    }
    printf("%d of 400 random systems have a partition, %d of them lose digits\n", made, weak);
    CHECK(made > 150 && weak < 5);
}

/* Rows that are redundant are watched; a row that contradicts the others is noticed. */
static void monitored_rows(void)
{
    static example x;
    double qdd[N], lambda[ROWS], reaction[N];
    plan *p = NULL;
    make_random(&x, 8, 5, 0);
    for (int j = 0; j < x.n; j++) x.A[4 + j * x.m] = x.A[1 + j * x.m] - 2 * x.A[0 + j * x.m];
    x.b[4] = x.b[1] - 2 * x.b[0];
    x.A_count = 0;
    for (int i = 0; i < x.m; i++)
        for (int j = 0; j < x.n; j++)
            if (x.A[i + j * x.m] != 0) {
                x.A_row[x.A_count] = (uint32_t)i;
                x.A_column[x.A_count++] = (uint32_t)j;
            }
    const unsigned char monitored[5] = {0, 0, 0, 0, 1};
    CHECK(plan_of(&x, monitored, &p) == MECH_OK && p->watched == 1);
    if (!p) return;
    CHECK(run(&x, p, qdd, lambda, reaction) == 0);
    CHECK(compare(&x, qdd, lambda, reaction) < 1e-11);
    x.b[4] += 0.5;
    CHECK(run(&x, p, qdd, lambda, reaction) == PLAN_FLAG_DOUBT);
    plan_free(p);
}

/* Two rows that fall together: no choice of columns is clear, and the guards say so. */
static void singular_partition(void)
{
    static example x;
    double qdd[N], lambda[ROWS], reaction[N];
    plan *p = NULL;
    make_random(&x, 6, 4, 0);
    CHECK(plan_of(&x, NULL, &p) == MECH_OK);
    if (!p) return;
    for (int j = 0; j < x.n; j++) x.A[1 + j * x.m] = 3 * x.A[0 + j * x.m];
    CHECK(run(&x, p, qdd, lambda, reaction) & PLAN_FLAG_WEAK);
    plan_free(p);
}

static void refusals(void)
{
    static example x;
    plan *p = NULL;
    make_random(&x, 5, 0, 0);
    CHECK(plan_of(&x, NULL, &p) == MECH_ERR_UNSUPPORTED && !p);
    make_random(&x, 5, 3, 0);
    for (int j = 0; j < x.n; j++) x.A[1 + j * x.m] = 0; /* a row that is 0 at every point */
    CHECK(plan_of(&x, NULL, &p) == MECH_ERR_UNSUPPORTED && !p);
    x.M_count = 0;
    make_random(&x, 5, 3, 0);
    x.M_count = 0; /* no mass at all */
    CHECK(plan_of(&x, NULL, &p) == MECH_ERR_UNSUPPORTED && !p);
}

int main(void)
{
    random_systems();
    monitored_rows();
    singular_partition();
    refusals();
    return check_report();
}
