/* The tape on TAPE_LANES states at once: one look at an operation serves all of them, in vectors as wide as
   the processor has. */
#include "compile/tape.h"

#include "compile/tape_guard.h"

#include <string.h>

enum { W = TAPE_LANES };

void tape_reset_lanes(const tape *t, double *slots)
{
    memset(slots, 0, t->slot_count * W * sizeof *slots);
    for (size_t k = 0; k < t->constant_count; k++)
        for (int lane = 0; lane < W; lane++) slots[k * W + (size_t)lane] = t->constants[k];
}

static void angles(const tape *t, const tape_angles *batch, double *s)
{
    for (size_t k = 0; k < 8 && batch->arg[k]; k++)
        t->sincos(W, s + batch->arg[k] * (size_t)W, s + batch->sine[k] * (size_t)W, s + batch->cosine[k] * (size_t)W);
}

static void call(const tape_op *i, double *s)
{
    const double *a = s + i->a * (size_t)W, *b = s + i->b * (size_t)W, *c = s + i->c * (size_t)W;
    double *out = s + i->out * (size_t)W;
    for (int lane = 0; lane < W; lane++) out[lane] = expr_apply((mech_function)i->function, a[lane], b[lane], c[lane]);
}

static void roots(const double *a, double *out)
{
    for (int lane = 0; lane < W; lane++) out[lane] = sqrt(a[lane]);
}

#pragma GCC diagnostic ignored "-Wpedantic" /* labels as values */
#define NAMED2(run, name) run##_##name
#define NAMED(run, name) NAMED2(run, name)

typedef struct lanes_way {
    void (*load)(const tape_copy *copies, size_t count, const double *const *rows, double *slots);
    void (*run)(const tape *t, const tape_op *first, double *slots, int64_t *doubt);
    void (*store)(const tape_copy *copies, size_t count, const double *slots, size_t watched, double *const *rows,
                  int64_t *doubt);
} lanes_way;

#define RUN plain
#define TARGET
#define WIDE 2
#include "compile/tape_lanes.inc"

#if HAS_TARGETS
#define RUN avx2
#define TARGET WITH_AVX2
#define WIDE 4
#include "compile/tape_lanes.inc"

#define RUN avx512
#define TARGET WITH_AVX512
#define WIDE 8
#include "compile/tape_lanes.inc"

static const lanes_way *const ways[VECTORS_COUNT] = {&plain, &avx2, &avx512};
#else
static const lanes_way *const ways[VECTORS_COUNT] = {&plain, &plain, &plain};
#endif

void tape_run_parameters_lanes(const tape *t, const double *const *inputs, double *slots, int64_t *doubt)
{
    const lanes_way *way = ways[t->vectors];
    way->load(t->params, t->param_count, inputs, slots);
    way->run(t, t->ops, slots, doubt);
}

void tape_run_lanes(const tape *t, const double *const *inputs, double *slots, size_t watched, int with_optional,
                    double *const *values, int64_t *doubt)
{
    const lanes_way *way = ways[t->vectors];
    way->load(t->inputs, t->input_count, inputs, slots);
    way->run(t, t->ops + t->motion_first, slots, doubt);
    if (with_optional) way->run(t, t->ops + t->optional_first, slots, doubt);
    way->store(t->outputs, with_optional ? t->output_count : t->always_count, slots, watched, values, doubt);
}
