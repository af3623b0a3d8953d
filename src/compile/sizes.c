/* How large the terms are that values are made of: what rounding leaves of a sum is a part of them, not of the sum. */
#include "compile/program.h"

#include <math.h>

/* A product is as large as it is, and what its operands are made of beyond their values comes with the other value: not
   the product of both, which would double its digits from product to product of a long chain. */
static double product(const program_instruction *i, const double *slots, const double *sizes)
{
    const double a = fabs(slots[i->a]), b = fabs(slots[i->b]);
    return a * b + a * fmax(sizes[i->b] - b, 0) + b * fmax(sizes[i->a] - a, 0);
}

/* Before it runs: a product and a quotient carry on what their operands are made of, all else begins anew. */
static double made_of(const program_instruction *i, const double *slots, const double *sizes)
{
    const double a = sizes[i->a];
    switch (i->op) {
    case PROGRAM_COPY:
    case PROGRAM_NEG: return a;
    case PROGRAM_ADD:
    case PROGRAM_SUB: return a + sizes[i->b];
    case PROGRAM_MUL: return product(i, slots, sizes);
    case PROGRAM_DIV: return a / fabs(slots[i->b]);
    case PROGRAM_MULADD:
    case PROGRAM_MULSUB:
    case PROGRAM_SUBMUL: return product(i, slots, sizes) + sizes[i->c];
    case PROGRAM_SELECT: return slots[i->a] != 0 ? sizes[i->b] : sizes[i->c];
    default: return 0;
    }
}

void program_run_sizes(const program *p, uint32_t stage, double *slots, double *sizes)
{
    for (uint32_t i = p->stage_start[stage]; i < p->stage_start[stage + 1]; i++) {
        const program_instruction *k = &p->code[i];
        const double size = made_of(k, slots, sizes);
        program_run_one(k, slots);
        sizes[k->out] = fmax(size, fabs(slots[k->out]));
        if (k->op == PROGRAM_SINCOS) sizes[k->b] = fabs(slots[k->b]);
    }
}
