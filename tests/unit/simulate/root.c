#include "check.h"
#include "simulate/root.h"

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

int main(void)
{
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
