/* Bounds over a stretch of time hold every value and every mean slope that a program takes in it: random expressions,
   sampled. */
#include "check.h"

#include "base/mem.h"
#include "compile/bounds.h"
#include "support/random_numbers.h"

enum { INPUTS = 3, SAMPLES = 200 };
static mech_pool *pool;
static mech_expr symbol[INPUTS];

static double unit(void) { return (random_signed() + 1) / 2; }
static double uniform(double low, double high) { return low + (high - low) * unit(); }

/* Each input over [0, 1]: a + b t. */
typedef struct path {
    double a, b;
} path;

static mech_expr random_expression(int depth)
{
    static const mech_function one[] = {MECH_FUNCTION_SIN,  MECH_FUNCTION_COS,  MECH_FUNCTION_TAN,  MECH_FUNCTION_ASIN,
                                        MECH_FUNCTION_ACOS, MECH_FUNCTION_ATAN, MECH_FUNCTION_SINH, MECH_FUNCTION_COSH,
                                        MECH_FUNCTION_TANH, MECH_FUNCTION_EXP,  MECH_FUNCTION_LOG,  MECH_FUNCTION_ABS,
                                        MECH_FUNCTION_SIGN, MECH_FUNCTION_NOT,  MECH_FUNCTION_FLOOR};
    static const mech_function two[] = {MECH_FUNCTION_ATAN2, MECH_FUNCTION_POW,  MECH_FUNCTION_MIN,
                                        MECH_FUNCTION_MAX,   MECH_FUNCTION_LESS, MECH_FUNCTION_LESS_EQUAL,
                                        MECH_FUNCTION_EQUAL, MECH_FUNCTION_AND,  MECH_FUNCTION_OR};
    if (depth == 0) return unit() < 0.75 ? symbol[random_below(INPUTS)] : mech_number(pool, floor(uniform(-3, 4)));
    const mech_expr a = random_expression(depth - 1), b = random_expression(depth - 1),
                    c = random_expression(depth - 1);
    const double what = unit();
    if (what < 0.15) return mech_add(pool, a, b);
    if (what < 0.25) return mech_sub(pool, a, b);
    if (what < 0.45) return mech_mul(pool, a, b);
    if (what < 0.55) return mech_div(pool, a, b);
    if (what < 0.60)
        return mech_call(pool, MECH_FUNCTION_POW, (mech_expr[]){a, mech_number(pool, floor(uniform(-2, 4)))}, 2);
    if (what < 0.80) return mech_call(pool, one[random_below(sizeof one / sizeof *one)], &a, 1);
    if (what < 0.95) return mech_call(pool, two[random_below(sizeof two / sizeof *two)], (mech_expr[]){a, b}, 2);
    return mech_call(pool, MECH_FUNCTION_IF, (mech_expr[]){a, b, c}, 3);
}

static size_t finite_bounds, bounds_tried, slopes_tried;

static void one_program(void)
{
    const program_input inputs[INPUTS] = {{symbol[0], 0}, {symbol[1], 0}, {symbol[2], 0}};
    const program_output output = {random_expression(1 + (int)random_below(4)), 0};
    const program_spec spec = {pool, inputs, INPUTS, &output, 1, 1, NULL};
    program *p;
    bounds_program *b;
    if (mech_pool_status(pool) != MECH_OK || program_create(&spec, NULL, &p) != MECH_OK) return;
    const bounds_want want = {p->stage_start[1], p->output_first, BOUNDS_NOTHING};
    CHECK(bounds_create(p, &want, 1, &b) == MECH_OK);
    path paths[INPUTS];
    for (int k = 0; k < INPUTS; k++) paths[k] = (path){uniform(-2, 2), unit() < 0.2 ? 0 : uniform(-2, 2)};
    bound *slots = mem_zeroed(b->slot_count + 1, sizeof *slots);
    double *values = mem_zeroed(p->slot_count + 1, sizeof *values);
    bounds_reset(b, slots);
    for (size_t k = 0; k < b->input_count; k++) {
        const path *x = &paths[b->input[k]];
        slots[k] = (bound){fmin(x->a, x->a + x->b), fmax(x->a, x->a + x->b), x->b, x->b};
    }
    bounds_run(b, slots);
    const bound got = slots[b->result[0]];
    bounds_reset(b, slots);
    for (size_t k = 0; k < b->input_count; k++) {
        const path *x = &paths[b->input[k]];
        slots[k] = (bound){fmin(x->a, x->a + x->b), fmax(x->a, x->a + x->b), 0, 0};
    }
    bounds_run_values(b, slots);
    CHECK(slots[b->result[0]].low == got.low && slots[b->result[0]].high == got.high);
    double before = NAN;
    bounds_tried++;
    finite_bounds += isfinite(got.low) && isfinite(got.high);
    for (int i = 0; i <= SAMPLES; i++) {
        const double t = (double)i / SAMPLES;
        program_reset(p, values);
        for (int k = 0; k < INPUTS; k++) values[k] = paths[k].a + paths[k].b * t;
        program_run(p, 0, values);
        int is_defined = 1; /* a run refuses what is not a number, wherever it stands */
        for (uint32_t k = 0; k < p->slot_count; k++) is_defined &= !isnan(values[k]);
        const double value = is_defined ? values[p->output_first] : (double)NAN, slack = 1e-12 * (1 + fabs(value));
        if (isfinite(value)) CHECK(value >= got.low - slack && value <= got.high + slack);
        const double slope = (value - before) * SAMPLES, wide = 1e-9 * (1 + fabs(value) + fabs(before)) * SAMPLES;
        if (isfinite(slope)) {
            CHECK(slope >= got.slope_low - wide && slope <= got.slope_high + wide);
            slopes_tried += isfinite(got.slope_low) && isfinite(got.slope_high);
        }
        before = value;
    }
    mem_free(slots);
    mem_free(values);
    bounds_free(b);
    program_free(p);
}

/* Intervals that are known by hand: they must be tight, too. */
static void by_hand(void)
{
    static const struct {
        mech_function f;
        double a, b; /* of the argument */
        double low, high;
    } cases[] = {
        {MECH_FUNCTION_SIN, 0, 3, 0, 1},
        {MECH_FUNCTION_SIN, 1, 2, 0.84147098480789650665, 1},
        {MECH_FUNCTION_COS, 3, 4, -1, -0.65364362086361191464},
        {MECH_FUNCTION_COS, -1, 100, -1, 1},
        {MECH_FUNCTION_ABS, -3, 2, 0, 3},
        {MECH_FUNCTION_SIGN, 1, 2, 1, 1},
        {MECH_FUNCTION_SIGN, -1, 2, -1, 1},
        {MECH_FUNCTION_FLOOR, 1.25, 1.75, 1, 1},
        {MECH_FUNCTION_FLOOR, -0.5, 2, -1, 2},
        {MECH_FUNCTION_COSH, -1, 0.5, 1, 1.5430806348152437785},
        {MECH_FUNCTION_EXP, 0, 1, 1, 2.7182818284590452354},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        const program_input inputs[1] = {{symbol[0], 0}};
        const program_output output = {mech_call(pool, cases[k].f, &symbol[0], 1), 0};
        const program_spec spec = {pool, inputs, 1, &output, 1, 1, NULL};
        program *p;
        bounds_program *b;
        bound slots[8] = {{0}};
        if (program_create(&spec, NULL, &p) != MECH_OK) continue;
        const bounds_want want = {p->stage_start[1], p->output_first, BOUNDS_NOTHING};
        CHECK(bounds_create(p, &want, 1, &b) == MECH_OK);
        slots[0] = (bound){cases[k].a, cases[k].b, 1, 1};
        bounds_run(b, slots);
        CHECK_NEAR(slots[b->result[0]].low, cases[k].low, 1e-15);
        CHECK_NEAR(slots[b->result[0]].high, cases[k].high, 1e-15);
        bounds_free(b);
        program_free(p);
    }
}

int main(void)
{
    pool = mech_pool_create();
    symbol[0] = expr_symbol_create(pool, "x", EXPR_COORD, 0, 0);
    symbol[1] = expr_symbol_create(pool, "y", EXPR_COORD, 0, 1);
    symbol[2] = expr_symbol_create(pool, "z", EXPR_COORD, 0, 2);
    by_hand();
    for (int k = 0; k < 4000; k++) one_program();
    CHECK(finite_bounds > bounds_tried / 2); /* bounds that are infinite always hold */
    CHECK(slopes_tried > 100000);
    mech_pool_free(pool);
    return check_report();
}
