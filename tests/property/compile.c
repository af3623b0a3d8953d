/* Random expressions: the program agrees with expr_evaluate, stages may be run again alone, temporaries never
   carry anything from stage to stage, and lanes give the same bits as one state.

   Two families. Polynomials of small integers have exact values, so that the program must agree bit for bit
   although it takes sums and products in another order. The others have positive terms only, so that another
   order costs a few roundings: the bound is 2 eps for each operation. */
#include "check.h"
#include "support/random_numbers.h"

#include "compile/program.h"

#include <float.h>
#include <stdlib.h>

enum { SYMBOLS = 12, STAGES = 5, OUTPUTS = 20, POOL = 60 };

typedef struct world {
    mech_pool *pool;
    mech_expr symbol[SYMBOLS];
    uint8_t stage[SYMBOLS];
    double value[SYMBOLS];
    mech_expr made[POOL];
    size_t made_count;
    int is_exact;
} world;

static double value_of(void *user, const expr_symbol *s) { return ((const world *)user)->value[s->index]; }

static void new_values(world *w, uint8_t from_stage)
{
    for (int i = 0; i < SYMBOLS; i++) {
        if (w->stage[i] < from_stage) continue;
        w->value[i] = w->is_exact ? (double)random_below(5) - 2 : 0.5 + random_below(1000) / 1000.0;
    }
}

static mech_expr pick(world *w) { return w->made[random_below((uint32_t)w->made_count)]; }

static mech_expr exact_step(world *w)
{
    mech_pool *p = w->pool;
    const mech_expr a = pick(w), b = pick(w);
    const mech_expr args[3] = {a, b, pick(w)};
    switch (random_below(8)) {
    case 0: return mech_add(p, a, b);
    case 1: return mech_sub(p, a, mech_mul(p, b, args[2]));
    case 2: return mech_mul(p, a, b);
    case 3: return mech_neg(p, a);
    case 4: return mech_add(p, mech_mul(p, mech_rational(p, (int64_t)random_below(7) - 3, 1), a), b);
    case 5:
        return mech_call(p, MECH_FUNCTION_IF, (mech_expr[]){mech_call(p, MECH_FUNCTION_LESS, args, 2), b, args[2]}, 3);
    case 6: return mech_call(p, (mech_function)(MECH_FUNCTION_MIN + random_below(2)), args, 2);
    default: return mech_pow(p, w->symbol[random_below(SYMBOLS)], mech_rational(p, 2 + random_below(2), 1));
    }
}

static mech_expr rough_step(world *w)
{
    static const mech_function one[] = {MECH_FUNCTION_ATAN, MECH_FUNCTION_TANH, MECH_FUNCTION_ABS, MECH_FUNCTION_SIGN};
    static const mech_function angle[] = {MECH_FUNCTION_SIN, MECH_FUNCTION_COS, MECH_FUNCTION_EXP, MECH_FUNCTION_COSH};
    static const int exponents[][2] = {{2, 1}, {-1, 1}, {1, 2}, {-1, 2}, {3, 2}, {1, 3}, {-2, 1}, {-2, 3}};
    mech_pool *p = w->pool;
    const mech_expr a = pick(w), b = pick(w);
    const mech_expr args[2] = {a, b};
    const mech_expr bounded = mech_call(p, MECH_FUNCTION_ATAN, &a, 1); /* keeps values moderate: 0 < atan < pi/2 */
    const int *e = exponents[random_below(8)];
    switch (random_below(8)) {
    case 0: return mech_add(p, bounded, mech_mul(p, mech_rational(p, 1 + random_below(9), 4), b));
    case 1: return mech_mul(p, bounded, w->symbol[random_below(SYMBOLS)]);
    case 2: return mech_div(p, bounded, w->symbol[random_below(SYMBOLS)]);
    case 3: return mech_call(p, one[random_below(4)], &bounded, 1);
    case 4: return mech_call(p, angle[random_below(4)], &bounded, 1);
    case 5: return mech_call(p, (mech_function)(MECH_FUNCTION_ATAN2 + random_below(4)), (mech_expr[]){bounded, b}, 2);
    case 6: return mech_pow(p, bounded, mech_rational(p, e[0], e[1]));
    default: return mech_call(p, MECH_FUNCTION_OR, args, 2);
    }
}

static void make_world(world *w)
{
    w->pool = mech_pool_create();
    for (int i = 0; i < SYMBOLS; i++) {
        w->stage[i] = (uint8_t)random_below(STAGES);
        w->symbol[i] = expr_symbol_create(w->pool, "s", EXPR_COORD, 0, (uint32_t)i);
        w->made[i] = w->symbol[i];
    }
    w->made_count = SYMBOLS;
    new_values(w, 0);
    while (w->made_count < POOL) {
        const mech_expr e = w->is_exact ? exact_step(w) : rough_step(w);
        double value = 0;
        if (!e.id || expr_evaluate(w->pool, e, value_of, w, &value) != MECH_OK || !isfinite(value)) continue;
        if (fabs(value) > 1e6) continue;
        w->made[w->made_count++] = e;
    }
}

static void poison(const program *p, double *slots)
{
    for (uint32_t i = p->slot_count - p->temporary_count; i < p->slot_count; i++) slots[i] = (double)NAN;
}

static void run_from(const world *w, const program *p, uint32_t first, double *slots)
{
    memcpy(slots, w->value, sizeof w->value);
    for (uint32_t s = first; s < STAGES; s++) {
        poison(p, slots);
        program_run(p, s, slots);
    }
}

static double worst; /* largest error over its bound, in the second family */

/* Intermediate values of the exact family stay integers below 2^53 only while nothing is too large. */
static int is_moderate(const world *w, const program *p, const double *slots)
{
    if (!w->is_exact) return 1;
    for (uint32_t i = 0; i < p->slot_count; i++)
        if (fabs(slots[i]) > 0x1p50) return 0;
    return 1;
}

static void compare(world *w, const program_output *outputs, const program *p, const double *slots)
{
    if (!is_moderate(w, p, slots)) return;
    for (int k = 0; k < OUTPUTS; k++) {
        double want;
        CHECK(expr_evaluate(w->pool, outputs[k].value, value_of, w, &want) == MECH_OK);
        const double got = slots[p->output_first + (uint32_t)k];
        if (w->is_exact || isnan(want)) {
            CHECK(got == want || (isnan(got) && isnan(want)));
            continue;
        }
        const double bound = 2 * DBL_EPSILON * (1 + (double)expr_cost(w->pool, outputs[k].value));
        const double error = got == want ? 0 : fabs(got - want) / fabs(want) / bound;
        if (error > worst) worst = error;
        CHECK(error <= 1);
    }
}

static void compare_lanes(const world *w, const program *p, const double *slots)
{
    enum { WIDTH = 11 }; /* a block and a rest */
    double *lanes = malloc(p->slot_count * WIDTH * sizeof *lanes);
    program_reset_lanes(p, lanes, WIDTH);
    for (int i = 0; i < SYMBOLS; i++)
        for (int j = 0; j < WIDTH; j++) lanes[i * WIDTH + j] = w->value[i] + (j == 1 ? 0.25 : 0);
    for (uint32_t s = 0; s < STAGES; s++) program_run_lanes(p, s, lanes, WIDTH);
    for (uint32_t k = 0; k < OUTPUTS; k++) {
        const uint32_t slot = p->output_first + k;
        CHECK(memcmp(&lanes[slot * WIDTH], &slots[slot], sizeof(double)) == 0);
        CHECK(memcmp(&lanes[slot * WIDTH + 10], &slots[slot], sizeof(double)) == 0);
    }
    free(lanes);
}

static void one_case(int is_exact)
{
    world w = {.is_exact = is_exact};
    make_world(&w);
    program_input inputs[SYMBOLS];
    program_output outputs[OUTPUTS];
    for (int i = 0; i < SYMBOLS; i++) inputs[i] = (program_input){w.symbol[i], w.stage[i]};
    for (int k = 0; k < OUTPUTS; k++) outputs[k] = (program_output){pick(&w), (uint8_t)random_below(STAGES)};
    const uint8_t floor[STAGES] = {0, 1, (uint8_t)(1 + random_below(2)), (uint8_t)(1 + random_below(3)), 4};
    const program_spec spec = {w.pool, inputs, SYMBOLS, outputs, OUTPUTS, STAGES, random_below(3) ? floor : NULL};
    program *p;
    CHECK(program_create(&spec, NULL, &p) == MECH_OK);
    double *slots = malloc(p->slot_count * sizeof *slots), *again = malloc(p->slot_count * sizeof *again);
    program_reset(p, slots);
    run_from(&w, p, 0, slots);
    compare(&w, outputs, p, slots);
    compare_lanes(&w, p, slots);
    /* new values for the inputs of late stages only */
    for (uint8_t from = 1; from < STAGES; from++) {
        new_values(&w, from);
        run_from(&w, p, from, slots);
        program_reset(p, again);
        run_from(&w, p, 0, again);
        CHECK(memcmp(slots + p->output_first, again + p->output_first, OUTPUTS * sizeof *slots) == 0);
        if (w.is_exact) compare(&w, outputs, p, slots);
    }
    free(slots);
    free(again);
    program_free(p);
    mech_pool_free(w.pool);
}

int main(int argc, char **argv)
{
    const uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 10) : 20261115;
    printf("seed %llu\n", (unsigned long long)seed);
    for (uint64_t k = 0; k < 1500 && !check_failures; k++) {
        random_state = seed + k * UINT64_C(0x9E3779B97F4A7C15);
        one_case(k % 2 == 0);
        if (check_failures) fprintf(stderr, "case %llu\n", (unsigned long long)k);
    }
    printf("largest error over its bound where order matters: %.2f\n", worst);
    return check_report();
}
