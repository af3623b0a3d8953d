/* Programs by hand: what is computed, in which stage, with how many instructions. */
#include "check.h"

#include "compile/program.h"

static mech_pool *pool;
static mech_expr m, l, x, y, vx, vy, lambda;

static void make_symbols(void)
{
    pool = mech_pool_create();
    m = expr_symbol_create(pool, "m", EXPR_PARAM, 0, 0);
    l = expr_symbol_create(pool, "l", EXPR_PARAM, 0, 1);
    x = expr_symbol_create(pool, "x", EXPR_COORD, 0, 0);
    y = expr_symbol_create(pool, "y", EXPR_COORD, 0, 1);
    vx = expr_symbol_create(pool, "x", EXPR_VELOCITY, 1, 0);
    vy = expr_symbol_create(pool, "y", EXPR_VELOCITY, 1, 1);
    lambda = expr_symbol_create(pool, "lambda", EXPR_REACTION, 0, 0);
}

enum { INPUTS = 7, STAGES = 4 };
static const char *const names[INPUTS] = {"m", "l", "x", "y", "x'", "y'", "lambda"};
static const double point[INPUTS] = {2, 0.5, 0.3, -1.2, 4, 5, 7};

static program *compile(const program_output *outputs, size_t count)
{
    const program_input inputs[INPUTS] = {{m, 0}, {l, 0}, {x, 1}, {y, 1}, {vx, 2}, {vy, 2}, {lambda, 3}};
    const uint8_t floor[STAGES] = {0, 1, 1, 3};
    const program_spec spec = {pool, inputs, INPUTS, outputs, count, STAGES, floor};
    program *p;
    mech_expr unknown;
    CHECK(program_create(&spec, &unknown, &p) == MECH_OK);
    return p;
}

static uint32_t length(const program *p, uint32_t stage) { return p->stage_start[stage + 1] - p->stage_start[stage]; }

static void run_all(const program *p, double *slots)
{
    program_reset(p, slots);
    memcpy(slots, point, sizeof point);
    for (uint32_t s = 0; s < p->stage_count; s++) program_run(p, s, slots);
}

static mech_expr call(mech_function f, mech_expr a) { return mech_call(pool, f, &a, 1); }

/* The parameter part of a product is one number computed in stage 0; sin and cos are one instruction. */
static void pendulum(void)
{
    const mech_expr ml = mech_mul(pool, m, l);
    const mech_expr s = call(MECH_FUNCTION_SIN, x), c = call(MECH_FUNCTION_COS, x);
    const program_output outputs[] = {
        {mech_mul(pool, mech_mul(pool, ml, l), EXPR_ONE), 1},                  /* m*l^2 */
        {mech_mul(pool, ml, c), 1},                                            /* m*l*cos(x) */
        {mech_mul(pool, mech_mul(pool, ml, s), mech_mul(pool, vx, vx)), 2},    /* m*l*sin(x)*x'^2 */
        {mech_add(pool, mech_mul(pool, lambda, s), mech_mul(pool, m, vy)), 3}, /* lambda*sin(x) + m*y' */
    };
    program *p = compile(outputs, 4);
    double slots[64];
    CHECK(p->slot_count <= 64);
    run_all(p, slots);
    const double *out = slots + p->output_first;
    CHECK_NEAR(out[0], 2 * 0.25, 1e-15);
    CHECK_NEAR(out[1], cos(0.3), 1e-15);
    CHECK_NEAR(out[2], sin(0.3) * 16, 1e-15);
    CHECK_NEAR(out[3], 7 * sin(0.3) + 10, 1e-15);
    CHECK(length(p, 1) == 3); /* sincos, m*l*cos, m*l*sin */
    CHECK(length(p, 2) == 2); /* x'*x', times m*l*sin     */
    CHECK(length(p, 3) == 2); /* m*y', lambda*sin + that  */
    CHECK(p->output_stage[0] == 0 && p->output_stage[1] == 1 && p->output_stage[2] == 2 && p->output_stage[3] == 3);
    char *text = program_dump(p, names, NULL);
    CHECK_TEXT(text, "# 7 inputs, 0 constants, 4 outputs, 3 kept, 1 temporaries\n"
                     "stage 0 # 3 instructions\n"
                     "    t0 = l*l\n"
                     "    out0 = m*t0\n"
                     "    k0 = m*l\n"
                     "stage 1 # 3 instructions\n"
                     "    k1, t0 = sincos(x)\n"
                     "    out1 = t0*k0\n"
                     "    k2 = k1*k0\n"
                     "stage 2 # 2 instructions\n"
                     "    t0 = x'*x'\n"
                     "    out2 = t0*k2\n"
                     "stage 3 # 2 instructions\n"
                     "    t0 = m*y'\n"
                     "    out3 = lambda*k1 + t0\n");
    mech_text_free(text);
    program_free(p);
}

/* Sums carry signs and fuse products: 3 - x*y + 2*x' - m needs three instructions and no negation. */
static void sums(void)
{
    const mech_expr xy = mech_mul(pool, x, y);
    mech_expr e = mech_sub(pool, mech_rational(pool, 3, 1), xy);
    e = mech_add(pool, e, mech_mul(pool, mech_rational(pool, 2, 1), vx));
    e = mech_sub(pool, e, m);
    const program_output outputs[] = {{e, 2}, {mech_neg(pool, mech_add(pool, x, y)), 1}, {mech_sub(pool, y, x), 1}};
    program *p = compile(outputs, 3);
    double slots[64];
    run_all(p, slots);
    CHECK_NEAR(slots[p->output_first], 3 + 0.36 + 8 - 2, 1e-15);
    CHECK_NEAR(slots[p->output_first + 1], 0.9, 1e-15);
    CHECK_NEAR(slots[p->output_first + 2], -1.5, 1e-15);
    CHECK(length(p, 0) == 1 && length(p, 2) == 1);
    program_free(p);
}

static void powers(void)
{
    const struct {
        int64_t num, den;
        uint32_t most; /* instructions */
    } cases[] = {{2, 1, 1}, {3, 1, 2},  {4, 1, 2},  {8, 1, 3},  {-1, 1, 1}, {-2, 1, 2}, {1, 2, 1},  {3, 2, 2},
                 {5, 2, 3}, {-1, 2, 2}, {-3, 2, 3}, {17, 1, 1}, {-9, 1, 1}, {1, 3, 1},  {-2, 3, 1}, {7, 1, 4}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const mech_expr e = mech_pow(pool, x, mech_rational(pool, cases[i].num, cases[i].den));
        program *p = compile(&(program_output){e, 1}, 1);
        double slots[64];
        run_all(p, slots);
        CHECK_NEAR(slots[p->output_first], pow(0.3, (double)cases[i].num / (double)cases[i].den), 1e-14);
        CHECK(length(p, 1) <= cases[i].most);
        program_free(p);
    }
    /* a division by parameters happens once, in stage 0 */
    const mech_expr ratio = mech_div(pool, mech_mul(pool, x, y), mech_mul(pool, l, l));
    program *p = compile(&(program_output){ratio, 1}, 1);
    CHECK(length(p, 1) == 2 && p->code[p->stage_start[1]].op == PROGRAM_MUL);
    program_free(p);
}

/* Outputs that are inputs, constants, none, or one another. */
static void plain_outputs(void)
{
    const mech_expr s = call(MECH_FUNCTION_SIN, y);
    const program_output outputs[] = {
        {s, 1}, {x, 2}, {mech_rational(pool, 3, 4), 2}, {{0}, 1}, {s, 2}, {m, 1}, {s, 1}, {mech_pi(pool), 1}};
    program *p = compile(outputs, 8);
    double slots[64];
    program_reset(p, slots);
    CHECK(slots[p->output_first + 2] == 0.75 && slots[p->output_first + 7] == acos(-1.0)); /* before any run */
    run_all(p, slots);
    const double want[8] = {sin(-1.2), 0.3, 0.75, 0, sin(-1.2), 2, sin(-1.2), acos(-1.0)};
    for (int i = 0; i < 8; i++) CHECK(slots[p->output_first + (uint32_t)i] == want[i]);
    CHECK(length(p, 0) == 1 && length(p, 2) == 0);
    program_free(p);
}

/* What only a late output needs is not computed on the way; what both need is computed once, early. */
static void lazy(void)
{
    const mech_expr heavy = call(MECH_FUNCTION_EXP, x),
                    both = call(MECH_FUNCTION_LOG, mech_pow(pool, y, mech_rational(pool, 2, 1)));
    const program_output outputs[] = {{mech_add(pool, heavy, both), 3}, {both, 2}};
    program *p = compile(outputs, 2);
    CHECK(length(p, 1) == 2 && length(p, 2) == 0 && length(p, 3) == 2);
    CHECK(p->output_stage[0] == 3 && p->output_stage[1] == 1);
    program_free(p);
}

static void unknown_symbol(void)
{
    const mech_expr stranger = expr_symbol_create(pool, "w", EXPR_COORD, 0, 9);
    const program_input inputs[] = {{x, 0}};
    const program_output outputs[] = {{mech_add(pool, x, stranger), 0}};
    const program_spec spec = {pool, inputs, 1, outputs, 1, 1, NULL};
    program *p;
    mech_expr unknown;
    CHECK(program_create(&spec, &unknown, &p) == MECH_ERR_ARGUMENT);
    CHECK(p == NULL && unknown.id == stranger.id);
    /* nothing at all is a program too */
    const program_spec empty = {pool, NULL, 0, NULL, 0, 1, NULL};
    CHECK(program_create(&empty, NULL, &p) == MECH_OK);
    double slot[1];
    program_reset(p, slot);
    program_run(p, 0, slot);
    program_free(p);
    program_free(NULL);
    for (uint32_t stages = 0; stages <= PROGRAM_MAX_STAGES + 1; stages += PROGRAM_MAX_STAGES + 1) {
        const program_spec other = {pool, NULL, 0, NULL, 0, stages, NULL};
        CHECK(program_create(&other, NULL, &p) == MECH_ERR_ARGUMENT && p == NULL);
    }
}

/* How large the parts of a sum or a product are, before they cancel. */
static void sizes(void)
{
    const program_output outputs[] = {
        {mech_add(pool, x, y), 1},                                         /* 0.3 - 1.2 */
        {mech_sub(pool, mech_mul(pool, x, y), mech_mul(pool, vx, vy)), 2}, /* -0.36 - 20 */
        {mech_div(pool, mech_add(pool, x, vx), y), 2},                     /* 4.3/-1.2 */
        {mech_mul(pool, mech_add(pool, y, x), mech_sub(pool, vx, vy)), 2}, /* -0.9 * -1, of 1.5 and 9 */
        {call(MECH_FUNCTION_COS, mech_add(pool, y, vx)), 2},
    };
    const double want[] = {1.5, 20.36, 4.3 / 1.2, 0.9 * 9 + 1 * (1.5 - 0.9), fabs(cos(2.8))};
    program *p = compile(outputs, 5);
    double slots[64], of[64];
    CHECK(p->slot_count <= 64);
    program_reset(p, slots);
    memcpy(slots, point, sizeof point);
    for (uint32_t i = 0; i < p->slot_count; i++) of[i] = fabs(slots[i]);
    for (uint32_t s = 0; s < p->stage_count; s++) program_run_sizes(p, s, slots, of);
    for (int k = 0; k < 5; k++) CHECK_NEAR(of[p->output_first + (uint32_t)k], want[k], 1e-14);
    program_free(p);
}

/* A sum of very many terms and a very deep expression: loops, not recursion. */
static void large(void)
{
    mech_expr deep = x;
    for (int i = 0; i < 200000; i++) deep = call(MECH_FUNCTION_ATAN, mech_add(pool, deep, EXPR_ONE));
    program *p = compile(&(program_output){deep, 1}, 1);
    double slots[64], want = 0.3;
    CHECK(p->temporary_count <= 2);
    run_all(p, slots);
    for (int i = 0; i < 200000; i++) want = atan(want + 1);
    CHECK(slots[p->output_first] == want);
    program_free(p);
}

int main(void)
{
    make_symbols();
    pendulum();
    sums();
    powers();
    plain_outputs();
    lazy();
    unknown_symbol();
    sizes();
    large();
    mech_pool_free(pool);
    return check_report();
}
