/* The elimination plan: the robust solve's answer on random sparse systems, guards where rows depend on one
 * another. */
#include "check.h"

#include <mech/fundamental.h>

#include "plan_example.h"

static void make_random(example *x, int n, int m)
{
    *x = (example){.n = n, .m = m};
    for (int k = 0; k < 2 * n; k++) { /* sums of squares of sparse directions */
        const int i = (int)(random_state >> 33) % n;
        const double a = random_real(), c = k < n ? 0 : random_real();
        const int j = k < n ? k : (int)(random_state >> 35) % n;
        if (k < n) x->M[k + k * n] += 0.5 + fabs(a);
        else if (i != j) {
            x->M[i + i * n] += a * a;
            x->M[j + j * n] += c * c;
            x->M[i + j * n] += a * c;
            x->M[j + i * n] += a * c;
        }
    }
    for (int i = 0; i < m; i++)
        for (int k = 0; k < 3; k++) {
            const double value = random_real();
            x->A[i + ((int)(random_state >> 33) % n) * m] = value;
        }
    for (int i = 0; i < n; i++) x->Q[i] = random_real();
    for (int i = 0; i < m; i++) x->b[i] = random_real();
    list_entries(x);
}

static plan *plan_of(const example *x, const unsigned char *monitored)
{
    plan *p = NULL;
    const plan_spec spec = example_spec(x, monitored);
    CHECK(plan_create(&spec, &p) == MECH_OK);
    return p;
}

static unsigned run(const example *x, const plan *p, double *qdd, double *lambda)
{
    double *s = slots_of(x, p);
    const unsigned flags = plan_run(p, s);
    for (int i = 0; i < x->n; i++) qdd[i] = s[p->qdd[i]];
    for (int i = 0; i < x->m; i++) lambda[i] = p->lambda[i] == PLAN_NONE ? 0 : s[p->lambda[i]];
    free(s);
    return flags;
}

static double ask_robust(const example *x, double *qdd, double *Qi)
{
    mech_fundamental *solver = NULL;
    CHECK(mech_fundamental_create(x->n, x->m, NULL, &solver) == MECH_OK);
    mech_fundamental_input in = {.size = sizeof in, .M = x->M, .Q = x->Q, .A = x->A, .b = x->b};
    mech_fundamental_output out = {.size = sizeof out, .qdd = qdd, .Qi = Qi};
    CHECK(mech_fundamental_solve(solver, &in, &out) == MECH_OK);
    mech_fundamental_free(solver);
    return out.rank == x->m ? out.smallest / out.largest : 0;
}

/* q'' and Qi against the robust solve; returns the largest difference. */
static double compare(const example *x, const double *qdd, const double *lambda, double *smallest)
{
    double want[N], Qi[N], most = 0;
    *smallest = ask_robust(x, want, Qi);
    for (int j = 0; j < x->n; j++) {
        double force = 0, size = 0;
        for (int i = 0; i < x->m; i++) {
            force += x->A[i + j * x->m] * lambda[i];
            size += fabs(x->A[i + j * x->m] * lambda[i]);
        }
        most = fmax(most, fabs(force - Qi[j]) / (1 + size));
        most = fmax(most, fabs(qdd[j] - want[j]) / (1 + fabs(want[j])));
    }
    return most;
}

static void random_systems(void)
{
    for (int k = 0; k < 300; k++) {
        static example x;
        double qdd[N], lambda[ROWS], smallest;
        make_random(&x, 2 + k % (N - 1), k % 7);
        plan *p = plan_of(&x, NULL);
        const unsigned flags = run(&x, p, qdd, lambda);
        if (!(flags & PLAN_FLAG_DOUBT)) {
            const double error = compare(&x, qdd, lambda, &smallest);
            CHECK(error < 1e-12 / pow(fmin(1, fmax(smallest, 1e-4)), 3));
        }
        plan_free(p);
    }
}

/* Two rows are found to depend on others, and without these the rest is regular and gives the same. */
static void find_them(const example *x, const plan *p)
{
    unsigned char dependent[ROWS] = {0};
    double qdd[N], lambda[ROWS], smallest, *s = slots_of(x, p);
    plan_find_dependent(p, s, dependent);
    free(s);
    int count = 0;
    for (int i = 0; i < x->m; i++) count += dependent[i];
    CHECK(count == 2);
    CHECK(dependent[0] + dependent[3] == 1 && dependent[1] + dependent[2] + dependent[4] == 1);
    plan *rest = plan_of(x, dependent);
    CHECK(run(x, rest, qdd, lambda) == 0);
    CHECK(compare(x, qdd, lambda, &smallest) < 1e-12);
    plan_free(rest);
}

/* A row twice, and a combination of two: the guards say so, and dropping leaves the right acceleration. */
static void dependent_rows(void)
{
    static example x;
    double qdd[N], lambda[ROWS], smallest;
    make_random(&x, 8, 5);
    for (int j = 0; j < x.n; j++) {
        x.A[3 + j * x.m] = 2 * x.A[0 + j * x.m];
        x.A[4 + j * x.m] = x.A[1 + j * x.m] - x.A[2 + j * x.m];
    }
    x.b[3] = 2 * x.b[0];
    x.b[4] = x.b[1] - x.b[2];
    list_entries(&x);
    plan *p = plan_of(&x, NULL);
    CHECK(run(&x, p, qdd, lambda) == (PLAN_FLAG_DOUBT | PLAN_FLAG_DROPPED));
    CHECK(compare(&x, qdd, lambda, &smallest) < 1e-12);
    find_them(&x, p);
    plan_free(p);
    const unsigned char monitored[5] = {0, 0, 0, 1, 1};
    p = plan_of(&x, monitored);
    CHECK(p->watched == 2);
    CHECK(run(&x, p, qdd, lambda) == 0);
    CHECK(compare(&x, qdd, lambda, &smallest) < 1e-12);
    x.b[4] += 0.5; /* a row that was redundant contradicts the others: the monitor says so */
    CHECK(run(&x, p, qdd, lambda) & PLAN_FLAG_DOUBT);
    plan_free(p);
}

static void limits(void)
{
    static example x;
    plan *p = NULL;
    make_random(&x, 8, 5);
    plan_spec spec = {
        .n = 8, .m = 5, .M = {x.M_count, x.M_row, x.M_column}, .A = {x.A_count, x.A_row, x.A_column}, .most_ops = 10};
    CHECK(plan_create(&spec, &p) == MECH_ERR_LIMIT && !p);
    spec.most_ops = 100000;
    spec.M.count = 0;
    CHECK(plan_create(&spec, &p) == MECH_ERR_SINGULAR_MASS && !p);
    spec.n = 0;
    CHECK(plan_create(&spec, &p) == MECH_ERR_ARGUMENT);
}

/* A mass matrix that is not definite is in doubt, never silent. */
static void bad_mass(void)
{
    static example x;
    double qdd[N], lambda[ROWS];
    make_random(&x, 4, 1);
    plan *p = plan_of(&x, NULL);
    for (int i = 0; i < 4; i++) x.M[i + i * 4] = 0;
    CHECK(run(&x, p, qdd, lambda) & PLAN_FLAG_DOUBT);
    plan_free(p);
}

int main(void)
{
    random_systems();
    dependent_rows();
    limits();
    bad_mass();
    return check_report();
}
