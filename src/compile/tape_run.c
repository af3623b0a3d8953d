/* The tape on one state. Each operation jumps to the next by itself, so that the processor learns what
 * follows what. */
#include "compile/tape.h"

#include "compile/tape_guard.h"

#include <string.h>

enum { FEW = 4 }; /* angles that are faster one by one than as a vector */

void tape_reset(const tape *t, double *slots)
{
    memset(slots, 0, t->slot_count * sizeof *slots);
    memcpy(slots, t->constants, t->constant_count * sizeof *slots);
}

static void angles(const tape *t, const tape_angles *b, double *s)
{
    if (!b->arg[FEW]) {
        for (int k = 0; k < FEW && b->arg[k]; k++) sincos_one(s[b->arg[k]], &s[b->sine[k]], &s[b->cosine[k]]);
        return;
    }
    double x[8], sine[8], cosine[8];
    for (int k = 0; k < 8; k++) x[k] = s[b->arg[k]];
    t->sincos(8, x, sine, cosine);
    for (int k = 0; k < 8; k++) {
        s[b->sine[k]] = sine[k];
        s[b->cosine[k]] = cosine[k];
    }
}

#pragma GCC diagnostic ignored "-Wpedantic" /* labels as values */
#define OPERATION(name) do_##name:
#define NEXT goto *labels[(++i)->code]

static unsigned run(const tape *t, const tape_op *i, double *s)
{
    int doubt = 0;
    unsigned flags = 0;
#define LABEL(name, value) &&do_##name,
    static const void *const labels[] = {TAPE_OPERATIONS(LABEL) && do_PIVOT,
                                         &&do_PIVOT2,
                                         &&do_INVERT2,
                                         &&do_GUARD,
                                         &&do_MONITOR,
                                         &&do_CLEAR,
                                         &&do_ANGLES,
                                         &&do_CALL,
                                         &&do_END};
#undef LABEL
    goto *labels[i->code];
#define a s[i->a]
#define b s[i->b]
#define c s[i->c]
#define d s[i->d]
#define e s[i->e]
#define PLAIN(name, value)                                                                                             \
    OPERATION(name)                                                                                                    \
    s[i->out] = value;                                                                                                 \
    NEXT;
    TAPE_OPERATIONS(PLAIN)
#undef PLAIN
    OPERATION(PIVOT)
    doubt |= tape_pivot(a, b, &s[i->out]);
    NEXT;
    OPERATION(PIVOT2)
    doubt |= tape_pivot2(a, b, c, d, e, &s[i->out], 1);
    NEXT;
    OPERATION(INVERT2)
    doubt |= tape_invert2(a, b, c, d, e, &s[i->out], 1);
    NEXT;
    OPERATION(GUARD)
    doubt |= tape_guard(a, b);
    NEXT;
    OPERATION(MONITOR)
    doubt |= tape_monitor(a, b);
    NEXT;
    OPERATION(CLEAR)
    if (tape_clear(a, b)) flags |= PLAN_FLAG_WEAK;
    NEXT;
    OPERATION(CALL)
    s[i->out] = expr_apply((mech_function)i->function, a, b, c);
    NEXT;
#undef a
#undef b
#undef c
#undef d
#undef e
    OPERATION(ANGLES)
    angles(t, &t->angles[i->a], s);
    NEXT;
    OPERATION(END)
    return flags | (unsigned)doubt;
}

unsigned tape_run_parameters(const tape *t, const double *inputs, double *slots)
{
    for (size_t k = 0; k < t->param_count; k++) slots[t->params[k].slot] = inputs[t->params[k].from];
    return run(t, t->ops, slots);
}

unsigned tape_run(const tape *t, const double *inputs, double *slots, double *values, int with_optional)
{
    for (size_t k = 0; k < t->input_count; k++) slots[t->inputs[k].slot] = inputs[t->inputs[k].from];
    const unsigned flags = run(t, t->ops + t->motion_first, slots);
    if (with_optional) (void)run(t, t->ops + t->optional_first, slots);
    for (size_t k = 0; k < (with_optional ? t->output_count : t->always_count); k++) {
        const double x = slots[t->outputs[k].slot];
        values[k] = t->outputs[k].from ? -x : x;
    }
    return flags;
}
