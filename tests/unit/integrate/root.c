#include "check.h"
#include "integrate/root.h"

static int calls;

static int cubic(void *user, double x, double *value)
{
    (void)user;
    calls++;
    *value = x * x * x - 2;
    return 0;
}

static int steep(void *user, double x, double *value)
{
    calls++;
    *value = tanh(1e6 * (x - *(const double *)user));
    return 0;
}

static int dip(void *user, double x, double *value)
{
    *value = (x - 0.3) * (x - 0.3) - *(const double *)user;
    return 0;
}

/* f = (x - m)^2 - d through three places: near 0 or below where its least value lies between them, and not beyond. */
static void dips(void)
{
    static const struct {
        double m, d;
        int does;
    } cases[] = {{1, 0.009, 1}, {1.9, 0.001, 1}, {0.1, 0.001, 1}, {2.5, 0.01, 0}, {-0.5, 0.01, 0}, {1, -3, 0}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const double m = cases[k].m, d = cases[k].d;
        CHECK(root_may_dip(0, m * m - d, 0.9, (0.9 - m) * (0.9 - m) - d, 2, (2 - m) * (2 - m) - d, 0.2) ==
              cases[k].does);
    }
    CHECK(!root_may_dip(0, 0.2, 1, 1, 2, 0.2, 1)); /* a hill */
}

int main(void)
{
    dips();
    root_bracket k = {0, -2, 2, 6};
    CHECK(root_narrow(cubic, NULL, 1e-14, &k) == 0);
    CHECK_NEAR(k.b, cbrt(2), 1e-14);
    CHECK(k.fb >= 0 && k.fa <= 0 && calls < 20);

    calls = 0;
    double where = 0.123456789;
    root_bracket s = {1, 1, 0, -1}; /* backwards, and flat but for one place */
    CHECK(root_narrow(steep, &where, 1e-12, &s) == 0);
    CHECK_NEAR(s.b, where, 2e-12);
    CHECK(s.fb <= 0 && calls < 60);

    double depth = 1e-8, x, fx;
    CHECK(root_dip(dip, &depth, 0, 1, 1, 1e-9, &x, &fx) == 1);
    CHECK(fx <= 0 && fabs(x - 0.3) < 1.1e-4);
    depth = -1e-8;
    CHECK(root_dip(dip, &depth, 0, 1, 1, 1e-9, &x, &fx) == 0);
    return check_report();
}
