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

/* What vectors have no operation for. */
static void scalar(const tape_op *i, double *s)
{
    const double *pa = s + i->a * (size_t)W, *pb = s + i->b * (size_t)W, *pc = s + i->c * (size_t)W;
    double *out = s + i->out * (size_t)W;
    for (size_t lane = 0; lane < W; lane++) {
        const double a = pa[lane], b = pb[lane], c = pc[lane];
        switch (i->code) {
#define PLAIN(name, value)                                                                                   \
    case TAPE_##name: out[lane] = value; break;
            TAPE_SCALAR(PLAIN)
#undef PLAIN
        default: out[lane] = expr_apply((mech_function)i->function, a, b, c); break;
        }
    }
}

typedef double vector __attribute__((vector_size(64), may_alias, aligned(8)));
typedef long long mask __attribute__((vector_size(64), may_alias, aligned(8)));
static const mask SIGNS = {INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN,
                           INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN};
#define WHERE(kept, x) ((vector)((mask)(x) & (kept)))

enum { WIDE = sizeof(vector) / sizeof(double), TIMES = W / WIDE };

/* Vector after vector: the result may stand where an operand of the same lanes stood. */
static ALWAYS_INLINE void run(const tape *t, const tape_op *i, double *s, mask *doubt)
{
    for (;; i++) {
        const vector *pa = (const vector *)(s + i->a * (size_t)W),
                     *pb = (const vector *)(s + i->b * (size_t)W);
        const vector *pc = (const vector *)(s + i->c * (size_t)W),
                     *pd = (const vector *)(s + i->d * (size_t)W);
        const vector *pe = (const vector *)(s + i->e * (size_t)W);
        vector *out = (vector *)(s + i->out * (size_t)W);
        switch (i->code) {
#define a pa[k]
#define b pb[k]
#define c pc[k]
#define d pd[k]
#define e pe[k]
#define EACH for (int k = 0; k < TIMES; k++)
#define PLAIN(name, value)                                                                                   \
    case TAPE_##name: EACH out[k] = value; break;
            TAPE_ARITHMETIC(PLAIN)
#undef PLAIN
        case TAPE_ABS: EACH out[k] = (vector)((mask)a & ~SIGNS); break;
        case TAPE_PIVOT:
            EACH
            {
                const vector left = a, whole = b;
                out[k] = WHERE(left > PLAN_DROP * whole, 1.0 / left);
                doubt[k] |= ~(left > PLAN_WEAK * whole);
            }
            break;
        case TAPE_PIVOT2:
            EACH
            {
                const vector x = a, y = b, z = c, left = x * z - y * y, whole = d * e;
                const vector scale = WHERE(left > PLAN_DROP * whole, 1.0 / left);
                out[k] = z * scale;
                out[TIMES + k] = y * scale;
                out[2 * TIMES + k] = x * scale;
                doubt[k] |= ~(left > PLAN_WEAK * whole);
            }
            break;
        case TAPE_INVERT2:
            EACH
            {
                const vector x = a, y = b, z = c, left = x * z - y * y, scale = 1.0 / left;
                doubt[k] |= ~((left > PLAN_MASS * (d * e)) & (x > 0.0));
                out[k] = z * scale;
                out[TIMES + k] = y * scale;
                out[2 * TIMES + k] = x * scale;
            }
            break;
        case TAPE_GUARD: EACH doubt[k] |= ~((a > PLAN_MASS * b) & (a > 0.0)); break;
        case TAPE_MONITOR:
            EACH
            {
                const vector miss = a, most = PLAN_MISSED * b;
                doubt[k] |= ~(miss * miss <= most * most);
            }
            break;
        case TAPE_CLEAR:
            EACH
            {
                const vector left = a, least = PLAN_PART * b;
                doubt[k] |= ~((left > least) | (left < -least));
            }
            break;
#undef a
#undef b
#undef c
#undef d
#undef e
        case TAPE_ANGLES: angles(t, &t->angles[i->a], s); break;
        case TAPE_END: return;
        default: scalar(i, s); break;
        }
    }
}

typedef void (*lanes_function)(const tape *, const tape_op *, double *, mask *);

static void plain(const tape *t, const tape_op *i, double *s, mask *doubt) { run(t, i, s, doubt); }

#if HAS_TARGETS
WITH_AVX2 static void avx2(const tape *t, const tape_op *i, double *s, mask *doubt) { run(t, i, s, doubt); }
WITH_AVX512 static void avx512(const tape *t, const tape_op *i, double *s, mask *doubt)
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

static void note(const mask *found, unsigned char *to)
{
    long long lanes[W];
    memcpy(lanes, found, sizeof lanes);
    for (int lane = 0; lane < W; lane++)
        if (lanes[lane]) to[lane] = 1;
}

void tape_run_parameters_lanes(const tape *t, const double *inputs, double *slots, unsigned char *doubt)
{
    mask found[TIMES];
    memset(found, 0, sizeof found);
    load(t->params, t->param_count, inputs, slots);
    choose()(t, t->ops, slots, found);
    note(found, doubt);
}

void tape_run_lanes(const tape *t, const double *inputs, double *slots, double *values, int with_optional,
                    unsigned char *doubt)
{
    mask found[TIMES];
    memset(found, 0, sizeof found);
    load(t->inputs, t->input_count, inputs, slots);
    choose()(t, t->ops + t->motion_first, slots, found);
    if (with_optional) choose()(t, t->ops + t->optional_first, slots, found);
    note(found, doubt);
    for (size_t k = 0; k < (with_optional ? t->output_count : t->always_count); k++) {
        const vector *from = (const vector *)(slots + t->outputs[k].slot * (size_t)W);
        vector *to = (vector *)(values + k * W);
        for (int i = 0; i < TIMES; i++) to[i] = t->outputs[k].from ? -from[i] : from[i];
    }
}
