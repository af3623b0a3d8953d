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

/* All arguments are read before a result is written: results stand where arguments stood. */
static void angles(const tape *t, const tape_angles *batch, double *s)
{
    double x[8 * W], sine[8 * W], cosine[8 * W];
    size_t count = 0;
    for (; count < 8 && batch->arg[count]; count++)
        memcpy(x + count * W, s + batch->arg[count] * (size_t)W, W * sizeof *s);
    t->sincos(count * W, x, sine, cosine);
    for (size_t k = 0; k < count; k++) {
        memcpy(s + batch->sine[k] * (size_t)W, sine + k * W, W * sizeof *s);
        memcpy(s + batch->cosine[k] * (size_t)W, cosine + k * W, W * sizeof *s);
    }
}

static void call(const tape_op *i, double *s)
{
    const size_t out = i->out * (size_t)W, a = i->a * (size_t)W, b = i->b * (size_t)W, c = i->c * (size_t)W;
    for (size_t lane = 0; lane < W; lane++)
        s[out + lane] = expr_apply((mech_function)i->function, s[a + lane], s[b + lane], s[c + lane]);
}

/* Each operation reads all its lanes before it writes one: the result may stand where an operand stood. */
static ALWAYS_INLINE void run(const tape *t, const tape_op *i, double *s, double *doubt)
{
    for (;; i++) {
        const double *pa = s + i->a * (size_t)W, *pb = s + i->b * (size_t)W, *pc = s + i->c * (size_t)W;
        const double *pd = s + i->d * (size_t)W, *pe = s + i->e * (size_t)W;
        double *out = s + i->out * (size_t)W, result[3 * W];
        (void)pd, (void)pe;
        switch (i->code) {
#define a pa[lane]
#define b pb[lane]
#define c pc[lane]
#define d pd[lane]
#define e pe[lane]
#define PLAIN(name, value)                                                                                   \
    case TAPE_##name:                                                                                        \
        for (int lane = 0; lane < W; lane++) result[lane] = value;                                           \
        memcpy(out, result, W * sizeof *out);                                                                \
        break;
            TAPE_OPERATIONS(PLAIN)
#undef PLAIN
        case TAPE_PIVOT:
            for (int lane = 0; lane < W; lane++) {
                const double left = a, whole = b, inverse = 1 / left;
                result[lane] = left > PLAN_DROP * whole ? inverse : 0;
                doubt[lane] = left > PLAN_DOUBT * whole ? doubt[lane] : 1;
            }
            memcpy(out, result, W * sizeof *out);
            break;
        case TAPE_PIVOT2:
            for (int lane = 0; lane < W; lane++) {
                const double left = a * c - b * b, whole = d * e, inverse = 1 / left;
                const double scale = left > PLAN_DROP * whole ? inverse : 0;
                result[lane] = c * scale;
                result[W + lane] = b * scale;
                result[2 * W + lane] = a * scale;
                doubt[lane] = left > PLAN_DOUBT * whole ? doubt[lane] : 1;
            }
            memcpy(out, result, sizeof result);
            break;
        case TAPE_INVERT2:
            for (int lane = 0; lane < W; lane++) {
                const double left = a * c - b * b, scale = 1 / left;
                result[lane] = c * scale;
                result[W + lane] = b * scale;
                result[2 * W + lane] = a * scale;
                doubt[lane] = (left > PLAN_MASS * (d * e)) & (a > 0) ? doubt[lane] : 1;
            }
            memcpy(out, result, sizeof result);
            break;
        case TAPE_GUARD:
            for (int lane = 0; lane < W; lane++) doubt[lane] = tape_guard(a, b) ? 1 : doubt[lane];
            break;
        case TAPE_MONITOR:
            for (int lane = 0; lane < W; lane++) doubt[lane] = tape_monitor(a, b) ? 1 : doubt[lane];
            break;
#undef a
#undef b
#undef c
#undef d
#undef e
        case TAPE_ANGLES: angles(t, &t->angles[i->a], s); break;
        case TAPE_CALL: call(i, s); break;
        default: return;
        }
    }
}

typedef void (*lanes_function)(const tape *, const tape_op *, double *, double *);

static void plain(const tape *t, const tape_op *i, double *s, double *doubt) { run(t, i, s, doubt); }

#if HAS_TARGETS
WITH_AVX2 static void avx2(const tape *t, const tape_op *i, double *s, double *doubt) { run(t, i, s, doubt); }
WITH_AVX512 static void avx512(const tape *t, const tape_op *i, double *s, double *doubt)
{
    run(t, i, s, doubt);
}

static lanes_function choose(void)
{
    static const lanes_function ways[VECTORS_COUNT] = {plain, avx2, avx512};
    return ways[sincos_processor()];
}
#else
static lanes_function choose(void) { return plain; }
#endif

static void load(const tape_copy *copies, size_t count, const double *inputs, double *s)
{
    for (size_t k = 0; k < count; k++)
        memcpy(s + copies[k].slot * (size_t)W, inputs + copies[k].from * (size_t)W, W * sizeof *s);
}

static void note(const double *doubt, unsigned char *to)
{
    for (int lane = 0; lane < W; lane++)
        if (doubt[lane] != 0) to[lane] = 1;
}

void tape_run_parameters_lanes(const tape *t, const double *inputs, double *slots, unsigned char *doubt)
{
    double found[W] = {0};
    load(t->params, t->param_count, inputs, slots);
    choose()(t, t->ops, slots, found);
    note(found, doubt);
}

void tape_run_lanes(const tape *t, const double *inputs, double *slots, double *values, unsigned char *doubt)
{
    double found[W] = {0};
    load(t->inputs, t->input_count, inputs, slots);
    choose()(t, t->ops + t->motion_first, slots, found);
    note(found, doubt);
    for (size_t k = 0; k < t->output_count; k++) {
        const double *from = slots + t->outputs[k].slot * (size_t)W, sign = t->outputs[k].from ? -1 : 1;
        for (size_t lane = 0; lane < W; lane++) values[k * W + lane] = sign * from[lane];
    }
}
