/* The interpreter: one stage of a program, for one state or for several at once. */
#include "compile/program.h"

#include <math.h>
#include <string.h>

void program_run(const program *p, uint32_t stage, double *s)
{
    const program_instruction *i = p->code + p->stage_start[stage];
    const program_instruction *const end = p->code + p->stage_start[stage + 1];
    for (; i != end; i++) {
        const double a = s[i->a];
        switch (i->op) {
#define CASE(name, arity, text, value)                                                                                 \
    case PROGRAM_##name: {                                                                                             \
        const double b = arity > 1 ? s[i->b] : 0;                                                                      \
        const double c = arity > 2 ? s[i->c] : 0;                                                                      \
        (void)b;                                                                                                       \
        (void)c;                                                                                                       \
        s[i->out] = value;                                                                                             \
        break;                                                                                                         \
    }
            PROGRAM_OPERATIONS(CASE)
#undef CASE
        case PROGRAM_SINCOS:
            s[i->out] = sin(a);
            s[i->b] = cos(a);
            break;
        default: s[i->out] = expr_apply((mech_function)(i->op - PROGRAM_CALL), a, s[i->b], s[i->c]); break;
        }
    }
}

void program_run_one(const program_instruction *i, double *s)
{
    const program_instruction code[1] = {*i};
    const program one = {.code = (program_instruction *)(uintptr_t)code, .stage_start = {0, 1}};
    program_run(&one, 0, s);
}

/* Lanes are taken BLOCK at a time through a buffer of their own, which tells the compiler that results do not
   overlap operands, so that it can use vector instructions; the rest one by one. */
enum { BLOCK = 8 };

void program_run_lanes(const program *p, uint32_t stage, double *slots, size_t width)
{
    const program_instruction *i = p->code + p->stage_start[stage];
    const program_instruction *const end = p->code + p->stage_start[stage + 1];
    for (; i != end; i++) {
        const double *sa = slots + i->a * width, *sb = slots + i->b * width, *sc = slots + i->c * width;
        double *so = slots + i->out * width, block[BLOCK];
        size_t lane = 0;
        switch (i->op) {
#define VALUE(arity, value, to)                                                                                        \
    {                                                                                                                  \
        const double a = sa[lane + k];                                                                                 \
        const double b = arity > 1 ? sb[lane + k] : 0;                                                                 \
        const double c = arity > 2 ? sc[lane + k] : 0;                                                                 \
        (void)b;                                                                                                       \
        (void)c;                                                                                                       \
        to = value;                                                                                                    \
    }
#define CASE(name, arity, text, value)                                                                                 \
    case PROGRAM_##name:                                                                                               \
        for (; lane + BLOCK <= width; lane += BLOCK) {                                                                 \
            for (size_t k = 0; k < BLOCK; k++) VALUE(arity, value, block[k])                                           \
            memcpy(so + lane, block, sizeof block);                                                                    \
        }                                                                                                              \
        for (size_t k = 0; lane + k < width; k++) VALUE(arity, value, so[lane + k])                                    \
        break;
            PROGRAM_OPERATIONS(CASE)
#undef CASE
#undef VALUE
        case PROGRAM_SINCOS:
            for (; lane < width; lane++) {
                const double a = sa[lane];
                so[lane] = sin(a);
                slots[i->b * width + lane] = cos(a);
            }
            break;
        default:
            for (; lane < width; lane++)
                so[lane] = expr_apply((mech_function)(i->op - PROGRAM_CALL), sa[lane], sb[lane], sc[lane]);
            break;
        }
    }
}

int program_arity(uint32_t op)
{
    static const uint8_t arity[] = {
#define ARITY(name, count, text, value) count,
        PROGRAM_OPERATIONS(ARITY)
#undef ARITY
            1 /* SINCOS */};
    if (op < PROGRAM_CALL) return arity[op];
    return expr_function_arity((mech_function)(op - PROGRAM_CALL));
}
