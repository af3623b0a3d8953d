/* Derived equations against the textbook: pendulum on a cart, document 003, document 004. */
#include "check.h"

#include "model/model.h"

static mech_model *m;
static mech_pool *p;
static mech_diagnostics *list;

static void begin(void)
{
    list = mech_diagnostics_create();
    CHECK(mech_model_create(list, &m) == MECH_OK);
    p = mech_model_pool(m);
}

static void end(void)
{
    char *text = mech_diagnostics_format(list);
    CHECK_TEXT(text, "");
    mech_text_free(text);
    mech_model_free(m);
    mech_diagnostics_free(list);
}

static void shows(mech_expr e, const char *want)
{
    char *text = mech_print(p, e, MECH_PRINT_TEXT);
    CHECK_TEXT(text, want);
    mech_text_free(text);
}

static mech_expr num(double v) { return mech_number(p, v); }
static mech_expr add(mech_expr a, mech_expr b) { return mech_add(p, a, b); }
static mech_expr mul(mech_expr a, mech_expr b) { return mech_mul(p, a, b); }
static mech_expr sq(mech_expr a) { return mul(a, a); }
static mech_expr sn(mech_expr a) { return mech_call(p, MECH_FUNCTION_SIN, &a, 1); }
static mech_expr cs(mech_expr a) { return mech_call(p, MECH_FUNCTION_COS, &a, 1); }
static mech_expr dot(mech_expr a) { return mech_dot(p, a); }

static void cart_pendulum(void)
{
    begin();
    const mech_expr mc = mech_model_param(m, "M", num(2), "kg"), mb = mech_model_param(m, "m", num(1), NULL);
    const mech_expr l = mech_model_param(m, "l", num(1), NULL), g = mech_model_param(m, "g", num(9.81), NULL);
    const mech_expr x = mech_model_coord(m, "x", "m"), th = mech_model_coord(m, "theta", NULL);
    const mech_expr bx = add(x, mul(l, sn(th))), by = mech_neg(p, mul(l, cs(th)));
    CHECK(mech_model_kinetic(m, mul(mul(num(0.5), mc), sq(dot(x)))) == MECH_OK);
    CHECK(mech_model_kinetic(m, mul(mul(num(0.5), mb), add(sq(dot(bx)), sq(dot(by))))) == MECH_OK);
    CHECK(mech_model_potential(m, mul(mul(mb, g), by)) == MECH_OK);
    CHECK(mech_model_finish(m) == MECH_OK);
    shows(mech_model_M(m, 0, 0), "M + m");
    shows(mech_model_M(m, 0, 1), "m*l*cos(theta)");
    shows(mech_model_M(m, 1, 1), "m*l^2");
    shows(mech_model_Q(m, 0), "m*l*sin(theta)*theta'^2");
    shows(mech_model_Q(m, 1), "-m*l*g*sin(theta)");
    end();
}

/* document 003, example 1 and 2 */
static void configuration(void)
{
    begin();
    const mech_expr L = mech_model_param(m, "L", num(1), NULL);
    const mech_expr x = mech_model_coord(m, "x_G", NULL), y = mech_model_coord(m, "y_G", NULL);
    const mech_expr th = mech_model_coord(m, "theta", NULL);
    const mech_expr half = mul(L, num(0.5));
    mech_expr rows[2] = {mech_sub(p, x, mul(half, sn(th))), mech_sub(p, y, mul(half, cs(th)))};
    CHECK(mech_model_constraint(m, "pin", rows, 2, NULL) == MECH_OK);
    rows[0] = mech_sub(p, add(sq(x), sq(y)), sq(half));
    CHECK(mech_model_constraint(m, "circle", rows, 1, NULL) == MECH_OK);
    for (int i = 0; i < 3; i++)
        CHECK(mech_model_mass(m, i == 0 ? x : i == 1 ? y : th, i == 0 ? x : i == 1 ? y : th, num(1)) == MECH_OK);
    CHECK(mech_model_finish(m) == MECH_OK);
    shows(mech_model_a(m, 0, 0), "1");
    shows(mech_model_a(m, 0, 1), "0");
    shows(mech_model_a(m, 0, 2), "-L/2*cos(theta)");
    shows(mech_model_a(m, 1, 2), "L/2*sin(theta)");
    shows(mech_model_a0(m, 0), "0");
    shows(mech_model_A(m, 2, 0), "2*x_G");
    shows(mech_model_b(m, 2), "-2*x_G'^2 - 2*y_G'^2");
    end();
}

/* document 004, Eq. (40) before it is halved */
static void appell(void)
{
    begin();
    const mech_expr alpha = mech_model_param(m, "alpha", num(0.3), NULL);
    const mech_expr x = mech_model_coord(m, "x", NULL), y = mech_model_coord(m, "y", NULL),
                    z = mech_model_coord(m, "z", NULL);
    const mech_expr g = add(mul(sn(x), y), mul(z, mech_model_time(m)));
    CHECK(mech_model_kinetic(m, mul(num(0.5), add(add(sq(dot(x)), sq(dot(y))), sq(dot(z))))) == MECH_OK);
    const mech_expr psi = mech_sub(p, mech_sub(p, add(sq(dot(x)), sq(dot(y))), sq(dot(z))), mul(mul(num(2), alpha), g));
    CHECK(mech_model_constraint(m, "cone", &psi, 1, NULL) == MECH_OK);
    CHECK(mech_model_finish(m) == MECH_OK);
    shows(mech_model_A(m, 0, 0), "2*x'");
    shows(mech_model_A(m, 0, 1), "2*y'");
    shows(mech_model_A(m, 0, 2), "-2*z'");
    CHECK(mech_model_b(m, 0).id == mul(mul(num(2), alpha), dot(g)).id);
    CHECK(!mech_model_a0(m, 0).id);
    CHECK(!m->rows[0].is_linear && m->rows[0].is_rheonomic && m->rows[0].is_acatastatic);
    end();
}

int main(void)
{
    cart_pendulum();
    configuration();
    appell();
    return check_report();
}
