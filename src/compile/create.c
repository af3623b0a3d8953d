/* The life of a program, and its first slots. */
#include "compile/build.h"

#include "base/mem.h"

#include <string.h>

mech_status program_create(const program_spec *spec, mech_expr *unknown, program **result)
{
    *result = NULL;
    if (unknown) *unknown = (mech_expr){0};
    if (spec->stage_count == 0 || spec->stage_count > PROGRAM_MAX_STAGES) return MECH_ERR_ARGUMENT;
    program *p = mem_zeroed(1, sizeof *p);
    if (!p) return MECH_ERR_MEMORY;
    build b = {.spec = spec, .status = MECH_OK};
    mech_status status = build_lower(&b);
    if (status == MECH_OK) status = build_arrange(&b, p);
    if (status == MECH_ERR_ARGUMENT && unknown) *unknown = b.unknown;
    mem_free(b.values);
    mem_free(b.table);
    mem_free(b.of_node);
    mem_free(b.use);
    mem_free(b.scale);
    mem_free(b.divisor);
    mem_free(b.output);
    mem_free(b.factors);
    mem_free(b.terms);
    mem_free(b.switches);
    if (status == MECH_OK) *result = p;
    else program_free(p);
    return status;
}

void program_free(program *p)
{
    if (!p) return;
    mem_free(p->code);
    mem_free(p->image);
    mem_free(p->output_stage);
    mem_free(p->switch_node);
    mem_free(p);
}

void program_reset(const program *p, double *slots)
{
    memset(slots, 0, p->slot_count * sizeof *slots);
    const size_t count = (size_t)p->constant_count + p->output_count;
    if (count) memcpy(slots + p->input_count, p->image, count * sizeof *slots);
}

void program_reset_lanes(const program *p, double *slots, size_t width)
{
    const size_t count = (size_t)p->constant_count + p->output_count;
    memset(slots, 0, p->slot_count * width * sizeof *slots);
    for (size_t i = 0; i < count; i++)
        for (size_t lane = 0; lane < width; lane++) slots[(p->input_count + i) * width + lane] = p->image[i];
}
