/* Kinks: the functions of the state at whose zeros abs, sign, min, max, floor and comparisons change over. */
#include "compile/program.h"

static int is_switch(uint32_t op)
{
    return op >= PROGRAM_CALL && expr_function_has_kink((mech_function)(op - PROGRAM_CALL));
}

int program_switch_at(const program *p, uint32_t at, uint32_t *plus, uint32_t *minus)
{
    const program_instruction *i = &p->code[at];
    if (!is_switch(i->op)) return 0;
    *plus = i->a;
    *minus = i->op == PROGRAM_CALL + MECH_FUNCTION_FLOOR ? PROGRAM_WHOLE
             : program_arity(i->op) == 1                 ? PROGRAM_NOTHING
                                                         : i->b;
    return 1;
}

size_t program_switch_count(const program *p, uint32_t stage)
{
    size_t count = 0;
    if (!p->switch_count) return 0;
    for (uint32_t i = p->stage_start[stage]; i < p->stage_start[stage + 1]; i++)
        count += is_switch(p->code[i].op) ? 1 : 0;
    return count;
}

const uint32_t *program_switch_nodes(const program *p, uint32_t first, uint32_t last, size_t *count)
{
    size_t before = 0;
    *count = 0;
    for (uint32_t k = 0; k < first; k++) before += program_switch_count(p, k);
    for (uint32_t k = first; k <= last; k++) *count += program_switch_count(p, k);
    return p->switch_node + before;
}

void program_run_switches(const program *p, uint32_t stage, double *slots, double *values)
{
    for (uint32_t i = p->stage_start[stage]; i < p->stage_start[stage + 1]; i++) {
        uint32_t plus, minus;
        if (program_switch_at(p, i, &plus, &minus))
            *values++ = minus == PROGRAM_WHOLE     ? expr_floor_switch(slots[plus])
                        : minus == PROGRAM_NOTHING ? slots[plus]
                                                   : slots[plus] - slots[minus];
        program_run_one(&p->code[i], slots);
    }
}
