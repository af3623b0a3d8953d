/* Canonical forms, exact numbers, printing: against what a textbook would write. */
#include "check.h"

#include "expr/pool.h"

#include <math.h>

static mech_pool *p;
static mech_expr x, y, xd, m, l, theta, thetad;

static mech_expr num(double v) { return mech_number(p, v); }
static mech_expr add(mech_expr a, mech_expr b) { return mech_add(p, a, b); }
static mech_expr sub(mech_expr a, mech_expr b) { return mech_sub(p, a, b); }
static mech_expr mul(mech_expr a, mech_expr b) { return mech_mul(p, a, b); }
static mech_expr dv(mech_expr a, mech_expr b) { return mech_div(p, a, b); }
static mech_expr pw(mech_expr a, double k) { return mech_pow(p, a, num(k)); }
static mech_expr fn(mech_function f, mech_expr a) { return mech_call(p, f, &a, 1); }

static void shows(mech_expr e, const char *want)
{
    char *text = mech_print(p, e, MECH_PRINT_TEXT);
    CHECK_TEXT(text, want);
    mech_text_free(text);
}

static mech_expr symbol(const char *name, expr_class c, mech_expr *dot)
{
    const mech_expr s = expr_symbol_create(p, name, c, 0, 0);
    if (dot) {
        *dot = expr_symbol_create(p, name, EXPR_VELOCITY, 1, 0);
        expr_symbol_set_dot(p, s, *dot);
        expr_symbol_set_dot(p, *dot, expr_symbol_create(p, name, EXPR_ACCELERATION, 2, 0));
    }
    return s;
}

static void forms(void)
{
    CHECK(add(x, y).id == add(y, x).id);
    CHECK(sub(add(x, y), x).id == y.id);
    CHECK(mul(x, x).id == pw(x, 2).id);
    CHECK(expr_is_one(dv(x, x)));
    CHECK(add(num(0.1), num(0.2)).id == num(0.3).id); /* exact */
    CHECK(mul(num(2), add(x, y)).id == add(mul(num(2), x), mul(num(2), y)).id);
    CHECK(mul(sub(x, y), sub(x, y)).id == mul(sub(y, x), sub(y, x)).id);
    CHECK(mul(sub(x, y), sub(m, l)).id == mul(sub(y, x), sub(l, m)).id);
    CHECK(mul(m, sub(x, y)).id == mech_neg(p, mul(m, sub(y, x))).id);
    CHECK(pw(pw(x, 0.5), 2).id == x.id);
    CHECK(mech_sqrt(p, num(4)).id == num(2).id);
    /* powers of products with roots in them are taken apart as far as they go */
    const mech_expr even = add(mul(num(2), x), num(2));
    CHECK(pw(mul(mech_sqrt(p, num(2)), y), 2).id == mul(num(2), pw(y, 2)).id);
    CHECK(pw(mul(mech_sqrt(p, pw(x, 2)), y), 2).id == mul(pw(x, 2), pw(y, 2)).id);
    CHECK(pw(mul(mech_sqrt(p, even), y), 2).id == mul(even, pw(y, 2)).id);
    CHECK(pw(mul(mech_sqrt(p, mech_neg(p, mul(num(3), x))), y), 2).id == mul(num(-3), mul(x, pw(y, 2))).id);
    CHECK(pw(mul(pw(pw(pw(x, 2), 1.5), 0.5), y), 4).id == mul(pw(x, 6), pw(y, 4)).id);
    CHECK(fn(MECH_FUNCTION_SIN, sub(x, y)).id == mech_neg(p, fn(MECH_FUNCTION_SIN, sub(y, x))).id);
    CHECK(fn(MECH_FUNCTION_COS, sub(x, y)).id == fn(MECH_FUNCTION_COS, sub(y, x)).id);
    const mech_expr s2 = pw(fn(MECH_FUNCTION_SIN, x), 2), c2 = pw(fn(MECH_FUNCTION_COS, x), 2);
    CHECK(expr_is_one(add(s2, c2)));
    CHECK(add(mul(m, s2), add(mul(m, c2), y)).id == add(m, y).id);
    CHECK(sub(num(1), s2).id == c2.id);
    CHECK(fn(MECH_FUNCTION_SIN, dv(mech_pi(p), num(6))).id == num(0.5).id);
    CHECK(fn(MECH_FUNCTION_COS, mech_pi(p)).id == num(-1).id);
    /* R*S1 + R*S2 is collected, so that equal parts cancel */
    CHECK(sub(mul(m, add(x, y)), mul(m, add(x, l))).id == mul(m, sub(y, l)).id);
    CHECK(expr_take_fault(p) == NULL);
    (void)dv(x, num(0));
    CHECK(expr_take_fault(p) != NULL);
    (void)pw(num(10), 400);
    CHECK(expr_take_fault(p) != NULL);
}

static void prints(void)
{
    shows(mul(num(-0.5), mul(l, fn(MECH_FUNCTION_COS, theta))), "-l/2*cos(theta)");
    shows(sub(add(pw(x, 2), pw(y, 2)), pw(l, 2)), "x^2 + y^2 - l^2");
    shows(mul(dv(mul(m, pw(l, 2)), num(12)), pw(thetad, 2)), "m*l^2/12*theta'^2");
    shows(sub(num(1), fn(MECH_FUNCTION_COS, theta)), "1 - cos(theta)");
    shows(mul(num(9.81), m), "9.81*m");
    shows(dv(m, mul(num(2), x)), "m/(2*x)");
    shows(dv(num(1), mech_sqrt(p, add(x, y))), "1/sqrt(x + y)");
    shows(mul(m, sub(num(1), fn(MECH_FUNCTION_COS, theta))), "m*(1 - cos(theta))");
    shows(pw(sub(x, y), 2), "(x - y)^2");
    shows(mul(num(1.5), x), "3*x/2");
    shows(num(1.0 / 3), "0.3333333333333333");
    shows(dv(num(1), num(3)), "1/3");
    shows(pw(xd, 2), "x'^2");
    shows(mul(mech_neg(p, m), add(x, y)), "-m*(x + y)");
    char *tex = mech_print(p, mul(dv(m, num(2)), pw(thetad, 2)), MECH_PRINT_LATEX);
    CHECK_TEXT(tex, "\\frac{m {\\dot{\\theta}}^{2}}{2}");
    mech_text_free(tex);
}

static void derivatives(void)
{
    const mech_expr position = mul(l, fn(MECH_FUNCTION_SIN, theta));
    shows(mech_dot(p, position), "l*cos(theta)*theta'");
    shows(expr_dot_free(p, mech_dot(p, position)), "-l*sin(theta)*theta'^2");
    shows(mech_derivative(p, add(pw(x, 3), mul(x, y)), x), "3*x^2 + y");
    shows(mech_derivative(p, fn(MECH_FUNCTION_ATAN, x), x), "1/(x^2 + 1)");
    /* kinetic energy of a pendulum bob: M = m*l^2 */
    const mech_expr vx = mech_dot(p, position), vy = mech_dot(p, mul(l, fn(MECH_FUNCTION_COS, theta)));
    const mech_expr T = mul(dv(m, num(2)), add(pw(vx, 2), pw(vy, 2)));
    shows(mech_derivative(p, mech_derivative(p, T, thetad), thetad), "m*l^2");
}

enum { FACTORS = 64 };

static double wide_value(void *user, const expr_symbol *s)
{
    (void)user;
    return s->class_bit == EXPR_COORD ? 1 + 0.01 * s->index : 0.3 - 0.02 * s->index;
}

/* P = prod w_i^e_i: P' = P * sum e_i w_i'/w_i, and it is not written out as 64 products of 64 factors. */
static void wide_products(void)
{
    static const double exponents[] = {1, 2, 0.5, -1};
    mech_expr product = m;
    double value = 1, slope = 0;
    for (uint32_t i = 0; i < FACTORS; i++) {
        const mech_expr w = expr_symbol_create(p, "w", EXPR_COORD, 0, i),
                        dot = expr_symbol_create(p, "w", EXPR_VELOCITY, 1, i);
        const double e = exponents[i % 4], at = 1 + 0.01 * i;
        expr_symbol_set_dot(p, w, dot);
        product = mul(product, pw(w, e));
        value *= pow(at, e);
        slope += e * (0.3 - 0.02 * i) / at;
    }
    double got = 0;
    const mech_expr dot = mech_dot(p, dv(product, m));
    CHECK(expr_evaluate(p, dot, wide_value, NULL, &got) == MECH_OK);
    CHECK(fabs(got - value * slope) <= 1e-13 * fabs(value * slope));
    CHECK(expr_cost(p, dot) < 50 * FACTORS);
    CHECK(mech_dot(p, product).id != 0 && mech_dot(p, dv(product, m)).id == dot.id);
}

/* Many nodes on one operand, many operands, and all found again: the table's far and near places. */
static void hubs(void)
{
    enum { MANY = 20000 };
    static mech_expr made[MANY];
    for (int i = 0; i < MANY; i++) made[i] = mul(add(x, num(i)), theta);
    const size_t size = mech_pool_size(p);
    int same = 0;
    for (int i = 0; i < MANY; i++) same += mul(theta, add(num(i), x)).id == made[i].id;
    CHECK(same == MANY);
    CHECK(mech_pool_size(p) == size);
}

int main(void)
{
    p = mech_pool_create();
    m = symbol("m", EXPR_PARAM, NULL);
    l = symbol("l", EXPR_PARAM, NULL);
    x = symbol("x", EXPR_COORD, &xd);
    mech_expr yd;
    y = symbol("y", EXPR_COORD, &yd);
    theta = symbol("theta", EXPR_COORD, &thetad);
    forms();
    prints();
    derivatives();
    wide_products();
    hubs();
    mech_pool_free(p);
    return check_report();
}
