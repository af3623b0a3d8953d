/* The interpreter: one stage of a program, for one state or for several at once. */
#include "compile/program.h"

#include <math.h>

void program_run(const program *p, uint32_t stage, double *s)
{
    const program_instruction *i = p->code + p->stage_start[stage];
    const program_instruction *const end = p->code + p->stage_start[stage + 1];
    for (; i != end; i++) {
        const double a = s[i->a];
        switch (i->op) {
#define CASE(name, arity, text, value)              \
    case PROGRAM_##name: {                          \
        const double b = arity > 1 ? s[i->b] : 0;   \
        const double c = arity > 2 ? s[i->c] : 0;   \
        (void)b;                                    \
        (void)c;                                    \
        s[i->out] = value;                          \
        break;                                      \
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

void program_run_lanes(const program *p, uint32_t stage, double *slots, size_t width)
{
    const program_instruction *i = p->code + p->stage_start[stage];
    const program_instruction *const end = p->code + p->stage_start[stage + 1];
    for (; i != end; i++) {
        const double *sa = slots + i->a * width, *sb = slots + i->b * width, *sc = slots + i->c * width;
        double *so = slots + i->out * width;
        switch (i->op) {
#define CASE(name, arity, text, value)                      \
    case PROGRAM_##name:                                    \
        for (size_t lane = 0; lane < width; lane++) {       \
            const double a = sa[lane];                      \
            const double b = arity > 1 ? sb[lane] : 0;      \
            const double c = arity > 2 ? sc[lane] : 0;      \
            (void)b;                                        \
            (void)c;                                        \
            so[lane] = value;                               \
        }                                                   \
        break;
            PROGRAM_OPERATIONS(CASE)
#undef CASE
        case PROGRAM_SINCOS:
            for (size_t lane = 0; lane < width; lane++) {
                const double a = sa[lane];
                so[lane] = sin(a);
                slots[i->b * width + lane] = cos(a);
            }
            break;
        default:
            for (size_t lane = 0; lane < width; lane++)
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
