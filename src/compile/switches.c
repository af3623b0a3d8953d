/* Kinks: the functions of the state at whose zeros abs, sign, min, max and comparisons change over. */
#include "compile/program.h"

static int is_switch(uint32_t op)
{
    return op >= PROGRAM_CALL && expr_function_has_kink((mech_function)(op - PROGRAM_CALL));
}

size_t program_switch_count(const program *p, uint32_t stage)
{
    size_t count = 0;
    for (uint32_t i = p->stage_start[stage]; i < p->stage_start[stage + 1]; i++)
        count += is_switch(p->code[i].op) ? 1 : 0;
    return count;
}

const char *program_switch_name(const program *p, uint32_t stage, size_t index)
{
    for (uint32_t i = p->stage_start[stage]; i < p->stage_start[stage + 1]; i++) {
        if (!is_switch(p->code[i].op) || index-- > 0) continue;
        const mech_function f = (mech_function)(p->code[i].op - PROGRAM_CALL);
        return f == MECH_LESS || f == MECH_LESS_EQUAL ? "a comparison" : expr_function_name(f);
    }
    return NULL;
}

void program_run_switches(const program *p, uint32_t stage, double *slots, double *values)
{
    for (uint32_t i = p->stage_start[stage]; i < p->stage_start[stage + 1]; i++) {
        const program_instruction *k = &p->code[i];
        if (is_switch(k->op)) {
            const int is_single = k->op == PROGRAM_CALL + MECH_ABS || k->op == PROGRAM_CALL + MECH_SIGN;
            *values++ = slots[k->a] - (is_single ? 0 : slots[k->b]);
        }
        program_run_one(k, slots);
    }
}
