/* Held values: the same numbers, one value for equal arguments, derivatives through them, and texts that can be read.
   */
#include "check.h"

#include "base/mem.h"
#include "expr/pool.h"
#include "expr/shared.h"
#include "compile/program.h"

static mech_pool *p;
static mech_expr x, y, dx, dy, a;

static mech_expr num(double value) { return mech_number(p, value); }
static mech_expr add(mech_expr s, mech_expr t) { return mech_add(p, s, t); }
static mech_expr mul(mech_expr s, mech_expr t) { return mech_mul(p, s, t); }
static mech_expr sine(mech_expr s) { return mech_call(p, MECH_FUNCTION_SIN, &s, 1); }

static void begin(void)
{
    p = mech_pool_create();
    a = expr_symbol_create(p, "a", EXPR_PARAM, 0, 0);
    x = expr_symbol_create(p, "x", EXPR_COORD, 0, 0);
    y = expr_symbol_create(p, "y", EXPR_COORD, 0, 1);
    dx = expr_symbol_create(p, "x", EXPR_VELOCITY, 1, 0);
    dy = expr_symbol_create(p, "y", EXPR_VELOCITY, 1, 1);
    expr_symbol_set_dot(p, a, EXPR_ZERO);
    expr_symbol_set_dot(p, x, dx);
    expr_symbol_set_dot(p, y, dy);
}

static void shows(mech_expr e, mech_print_format format, const char *want)
{
    char *text = mech_print(p, e, format);
    CHECK_TEXT(text, want);
    mech_text_free(text);
}

static double value_of(void *user, const expr_symbol *s)
{
    (void)user;
    return s->class_bit == EXPR_PARAM ? 0.7 : (s->order ? 2.0 : 0.3) + 0.25 * s->index;
}

static double value(mech_expr e)
{
    double result = NAN;
    CHECK(expr_evaluate(p, e, value_of, NULL, &result) == MECH_OK);
    return result;
}

static void identities(void)
{
    begin();
    const mech_expr s = add(x, mul(a, y)), h = expr_held(p, s, "h"), negative = expr_held(p, mech_neg(p, s), "other");
    CHECK(h.id != s.id && expr_held(p, s, NULL).id == h.id && expr_held(p, h, "again").id == h.id);
    CHECK(negative.id == mech_neg(p, h).id);
    CHECK_TEXT(expr_held_name_of(p, h.id), "h");
    CHECK(expr_held(p, x, "x2").id == x.id && expr_held(p, mech_neg(p, x), NULL).id == mech_neg(p, x).id);
    CHECK(expr_held(p, sine(x), "s").id == sine(x).id && expr_held(p, num(3), "n").id == num(3).id);
    CHECK(!expr_held(p, (mech_expr){0}, "none").id);
    /* sums and products leave it whole: it stands in them once */
    CHECK(add(h, h).id == mul(num(2), h).id && mech_sub(p, h, h).id == EXPR_ID_ZERO);
    CHECK(add(h, mul(num(-1), s)).id != EXPR_ID_ZERO);
    CHECK_NEAR(value(add(mul(h, h), mul(num(3), h))), 0.685 * 0.685 + 3 * 0.685, 1e-15);
    CHECK(expr_cost(p, h) == 0 && expr_tidy(p, mul(h, h)).id == mul(h, h).id);
    mech_pool_free(p);
}

/* f = h^2 sin(x) h2, h = x + a y, h2 = a h y: against the derivatives by hand, at x = 0.3, y = 0.55, a = 0.7 */
static void derivatives(void)
{
    begin();
    const mech_expr h = expr_held(p, add(x, mul(a, y)), "h"),
                    h2 = expr_held(p, mech_product(p, (mech_expr[]){a, h, y}, 3), NULL);
    const mech_expr f = mech_product(p, (mech_expr[]){h, h, sine(x), h2}, 4);
    const double X = 0.3, Y = 0.55, A = 0.7, H = X + A * Y; /* f = a y h^3 sin x */
    const double by_x = A * Y * (3 * H * H * sin(X) + H * H * H * cos(X)),
                 by_y = A * sin(X) * (H * H * H + 3 * A * Y * H * H);
    const double by_a = Y * sin(X) * (H * H * H + 3 * A * Y * H * H);
    CHECK_NEAR(value(mech_derivative(p, f, x)), by_x, 1e-14);
    CHECK_NEAR(value(mech_derivative(p, f, y)), by_y, 1e-14);
    CHECK_NEAR(value(mech_derivative(p, f, a)), by_a, 1e-14);
    CHECK_NEAR(value(mech_dot(p, f)), 2 * by_x + 2.25 * by_y, 1e-14);
    CHECK_NEAR(value(expr_dot_free(p, mul(dx, f))), 2 * (2 * by_x + 2.25 * by_y), 1e-14);
    CHECK_TEXT(expr_held_name_of(p, mech_dot(p, h).id), "h'");
    /* a rate is held as well, a symbol or a number needs no hold */
    CHECK(mech_dot(p, h).id == expr_held(p, add(dx, mul(a, dy)), NULL).id);
    /* x is replaced below it */
    const mech_expr moved = mech_substitute(p, f, &x, &(mech_expr){num(0.125).id}, 1);
    const double M = 0.125 + A * Y;
    CHECK_NEAR(value(moved), A * Y * M * M * M * sin(0.125), 1e-14);
    CHECK(!(expr_classes(p, mech_substitute(p, h, (mech_expr[]){x, y}, (mech_expr[]){EXPR_ONE, EXPR_ONE}, 2)) &
            EXPR_COORD));
    mech_pool_free(p);
}

static void texts(void)
{
    begin();
    const mech_expr h = expr_held(p, add(x, mul(a, y)), "arm.w[2]"), product = expr_held(p, mul(a, y), NULL);
    shows(h, MECH_PRINT_TEXT, "x + a*y");
    shows(mul(h, sine(x)), MECH_PRINT_TEXT, "sin(x)*(x + a*y)");
    shows(mech_sub(p, x, h), MECH_PRINT_TEXT, "x - (x + a*y)");
    shows(mech_div(p, x, product), MECH_PRINT_TEXT, "x/(a*y)");
    shows(mech_sub(p, mul(h, x), product), MECH_PRINT_TEXT, "x*(x + a*y) - a*y");
    shows(mul(mul(num(0.5), dx), product), MECH_PRINT_TEXT, "a*y*x'/2");
    shows(mul(product, product), MECH_PRINT_TEXT, "(a*y)^2");
    shows(mul(h, h), MECH_PRINT_LATEX, "\\left(x + a y\\right)^{2}");
    shows(mul(x, h), MECH_PRINT_C, "s_x*(s_x + s_a*s_y)");
    /* with names: by its own one, with a definition; the rate has a prime; what is taken gets a number */
    const mech_expr twin = expr_held(p, mech_sub(p, x, y), "arm.w[2]");
    const mech_expr roots[3] = {mul(h, mech_dot(p, h)), mul(mul(h, twin), mech_dot(p, h)), mul(twin, twin)};
    print_names names = {0};
    textbuf out = {0};
    CHECK(print_names_choose(p, roots, 3, NULL, NULL, &names) == MECH_OK && names.count == 3);
    for (uint32_t k = 1; k <= names.count; k++) {
        print_name(&names, k, MECH_PRINT_TEXT, &out);
        text_add(&out, " = ");
        print_definition(&names, p, k, MECH_PRINT_TEXT, &out);
        text_add(&out, "\n");
    }
    for (int k = 0; k < 3; k++) {
        print_with_names(&names, p, roots[k], MECH_PRINT_TEXT, &out);
        text_add(&out, "\n");
    }
    print_with_names(&names, p, roots[1], MECH_PRINT_LATEX, &out);
    CHECK_TEXT(out.data, "arm.w[2] = x + a*y\narm.w[2]_2 = x - y\narm.w[2]' = x' + a*y'\n"
                         "arm.w[2]*arm.w[2]'\narm.w[2]_2*arm.w[2]*arm.w[2]'\narm.w[2]_2^2\n"
                         "w_{2,2,\\mathrm{arm}} w_{2,\\mathrm{arm}} \\dot{w}_{2,\\mathrm{arm}}");
    text_free(&out);
    print_names_free(&names);
    mech_pool_free(p);
}

/* The same program with and without a hold, where nothing can be taken apart. */
static void programs(void)
{
    begin();
    const mech_expr s = add(x, mul(a, y)), h = expr_held(p, s, NULL);
    size_t counts[2];
    for (int k = 0; k < 2; k++) {
        const program_input inputs[3] = {{a, 0}, {x, 0}, {y, 0}};
        const program_output output = {sine(k ? h : s), 0};
        program *made = NULL;
        const program_spec spec = {
            .pool = p, .inputs = inputs, .input_count = 3, .outputs = &output, .output_count = 1, .stage_count = 1};
        CHECK(program_create(&spec, NULL, &made) == MECH_OK);
        counts[k] = made ? made->stage_start[1] : 0;
        double *slots = mem_alloc(made->slot_count * sizeof *slots);
        program_reset(made, slots);
        slots[0] = 0.7, slots[1] = 0.3, slots[2] = 0.55;
        program_run(made, 0, slots);
        CHECK_NEAR(slots[made->output_first], sin(0.3 + 0.7 * 0.55), 1e-15);
        mem_free(slots);
        program_free(made);
    }
    CHECK(counts[0] == counts[1]);
    mech_pool_free(p);
}

int main(void)
{
    identities();
    derivatives();
    texts();
    programs();
    return check_report();
}
