/* Values to a program: the stage of each, the order within a stage, slots. */
#include "compile/build.h"

#include "base/mem.h"
#include "base/try.h"

#include <string.h>

typedef struct arrange {
    build *b;
    program *p;
    uint32_t *order; /* live instructions, operands first; then by stage           */
    size_t order_count;
    uint32_t start[PROGRAM_MAX_STAGES + 1]; /* where a stage starts in order        */
    uint32_t *slot;                         /* (values) UINT32_MAX: not given yet                   */
    uint32_t *last;                         /* (values) place in `order` of the last reader in its own stage */
    uint32_t *first_output;                 /* (values) 1 + the first output that is this value     */
    uint32_t *next_output;                  /* (outputs) 1 + the next output of the same value      */
    uint8_t *marks;                         /* (values) IS_KEPT, IS_DONE                            */
    uint32_t *stack;                        /* free temporaries, and the stack of the walk          */
    size_t free_count, code_count;
} arrange;

enum { NO_SLOT = UINT32_MAX };
enum { IS_KEPT = 1, IS_DONE = 2 }; /* a later stage reads it; it was computed with its partner */

static int is_instruction(const build_value *v) { return v->op < PROGRAM_OP_COUNT; }

static int is_pair(const build_value *v) { return v->op == PROGRAM_SIN || v->op == PROGRAM_COS; }

/* Operands of a value: the partner of SIN and COS is none. */
static int operands_of(const build_value *v, uint32_t x[3])
{
    if (!is_instruction(v)) return 0;
    const int count = program_arity(v->op);
    x[0] = v->a;
    x[1] = v->b;
    x[2] = v->c;
    return count;
}

static uint8_t floor_of(const program_spec *spec, uint8_t stage) { return spec->floor ? spec->floor[stage] : stage; }

static uint8_t stage_for(uint8_t early, uint8_t wanted)
{
    if (early == 0) return 0;
    return early > wanted ? early : wanted;
}

/* place holds the first stage that wants a value until the value is reached, then the stage it gets */
static void place(build *b)
{
    const program_spec *spec = b->spec;
    for (size_t k = 0; k < spec->output_count; k++) {
        build_value *v = &b->values[b->output[k]];
        const uint8_t wanted = floor_of(spec, spec->outputs[k].stage);
        if (wanted < v->place) v->place = wanted;
    }
    for (size_t i = b->value_count; i-- > 1;) {
        build_value *v = &b->values[i];
        if (v->place == STAGE_NEVER || !is_instruction(v)) continue;
        v->place = stage_for(v->early, v->place);
        /* sin and cos of one argument are one instruction, in the earlier of their stages */
        if (is_pair(v) && v->b > i && b->values[v->b].place != STAGE_NEVER) {
            build_value *partner = &b->values[v->b];
            if (partner->place < v->place) v->place = partner->place;
            partner->place = v->place;
        }
        const uint8_t wanted = floor_of(spec, v->place);
        uint32_t x[3];
        for (int k = operands_of(v, x); k-- > 0;)
            if (wanted < b->values[x[k]].place) b->values[x[k]].place = wanted;
    }
}

/* Depth first from the outputs, without recursion: a value stays on the stack until its operands stand. */
static void order(arrange *s)
{
    const build *b = s->b;
    uint32_t *visited = s->last; /* 0 new, 1 on the stack, 2 placed; cleared below */
    for (size_t k = 0; k < b->spec->output_count; k++) {
        size_t depth = 0;
        s->stack[depth++] = b->output[k];
        while (depth) {
            const uint32_t v = s->stack[depth - 1];
            uint32_t x[3];
            int waiting = 0;
            if (visited[v] != 2) {
                visited[v] = 1;
                for (int i = operands_of(&b->values[v], x); i-- > 0 && !waiting;)
                    if (visited[x[i]] == 0) {
                        s->stack[depth++] = x[i];
                        waiting = 1;
                    }
            }
            if (waiting) continue;
            depth--;
            if (visited[v] == 2) continue;
            visited[v] = 2;
            if (is_instruction(&b->values[v])) s->order[s->order_count++] = v;
        }
    }
    memset(s->last, 0, b->value_count * sizeof *s->last);
}

/* Stable sort of the order by stage. */
static mech_status by_stage(arrange *s)
{
    const build *b = s->b;
    uint32_t *sorted = mem_zeroed(s->order_count, sizeof *sorted);
    if (!sorted) return MECH_ERR_MEMORY;
    for (size_t i = 0; i < s->order_count; i++) s->start[b->values[s->order[i]].place + 1]++;
    for (unsigned k = 0; k < PROGRAM_MAX_STAGES; k++) s->start[k + 1] += s->start[k];
    uint32_t at[PROGRAM_MAX_STAGES];
    memcpy(at, s->start, sizeof at);
    for (size_t i = 0; i < s->order_count; i++) sorted[at[b->values[s->order[i]].place]++] = s->order[i];
    mem_free(s->order);
    s->order = sorted;
    return MECH_OK;
}

/* Who reads a value last, and whether a later stage does. */
static void lifetimes(arrange *s)
{
    const build *b = s->b;
    for (size_t i = 0; i < s->order_count; i++) {
        const build_value *v = &b->values[s->order[i]];
        uint32_t x[3];
        for (int k = operands_of(v, x); k-- > 0;) {
            if (b->values[x[k]].place < v->place) s->marks[x[k]] = IS_KEPT;
            s->last[x[k]] = (uint32_t)i;
        }
    }
}

static void number_constants(arrange *s)
{
    const build *b = s->b;
    program *p = s->p;
    for (size_t i = 1; i < b->value_count; i++) {
        const build_value *v = &b->values[i];
        if (v->op == VALUE_INPUT) s->slot[i] = v->a;
        if (v->op == VALUE_CONSTANT && v->place != STAGE_NEVER) {
            p->image[p->constant_count] = build_constant_value(v);
            s->slot[i] = p->input_count + p->constant_count++;
        }
    }
    p->output_first = p->input_count + p->constant_count;
}

/* The slot of an output is that of its first use as output; constant ones only need their image. */
static void number_outputs(arrange *s)
{
    const build *b = s->b;
    program *p = s->p;
    for (size_t k = b->spec->output_count; k-- > 0;) {
        const uint32_t v = b->output[k];
        const build_value *value = &b->values[v];
        p->image[p->constant_count + k] = value->op == VALUE_CONSTANT ? build_constant_value(value) : 0;
        const uint8_t wanted = floor_of(b->spec, b->spec->outputs[k].stage);
        p->output_stage[k] = is_instruction(value) ? value->place : stage_for(value->early, wanted);
        s->next_output[k] = s->first_output[v];
        s->first_output[v] = (uint32_t)k + 1;
        if (is_instruction(value)) s->slot[v] = p->output_first + (uint32_t)k;
    }
}

static void number_kept(arrange *s)
{
    program *p = s->p;
    const uint32_t first = p->output_first + p->output_count;
    for (size_t i = 0; i < s->order_count; i++) {
        const uint32_t v = s->order[i];
        if (s->marks[v] == IS_KEPT && s->slot[v] == NO_SLOT) s->slot[v] = first + p->kept_count++;
    }
}

static void append(arrange *s, uint32_t op, uint32_t out, uint32_t x, uint32_t y, uint32_t z)
{
    s->p->code[s->code_count++] = (program_instruction){op, out, x, y, z};
}

/* Takes a free temporary or a new one. */
static uint32_t take_slot(arrange *s, uint32_t v)
{
    program *p = s->p;
    if (s->slot[v] != NO_SLOT) return s->slot[v];
    const uint32_t first = p->output_first + p->output_count + p->kept_count;
    s->slot[v] = s->free_count ? s->stack[--s->free_count] : first + p->temporary_count++;
    return s->slot[v];
}

static int is_temporary(const arrange *s, uint32_t slot)
{
    return slot >= s->p->output_first + s->p->output_count + s->p->kept_count;
}

/* Further outputs of the same value. */
static void copy_outputs(arrange *s, uint32_t v)
{
    for (uint32_t k = s->first_output[v]; k; k = s->next_output[k - 1]) {
        const uint32_t out = s->p->output_first + k - 1;
        if (out != s->slot[v]) append(s, PROGRAM_COPY, out, s->slot[v], 0, 0);
    }
}

/* The node that a value with a kink comes from is kept beside the code. */
static void keep_node(arrange *s, uint32_t v)
{
    size_t low = 0, high = s->b->switch_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (s->b->switches[middle].value < v) low = middle + 1;
        else high = middle;
    }
    if (low < s->b->switch_count && s->b->switches[low].value == v)
        s->p->switch_node[s->p->switch_count++] = s->b->switches[low].node;
}

/* The instruction of a value whose operands stand; `at`: its place in the order. */
static void emit(arrange *s, uint32_t v, size_t at)
{
    const build_value *value = &s->b->values[v];
    uint32_t x[3] = {0, 0, 0}, from[3] = {0, 0, 0};
    const int count = operands_of(value, x);
    const int paired = is_pair(value) && value->b && s->b->values[value->b].place != STAGE_NEVER;
    for (int k = 0; k < count; k++) from[k] = s->slot[x[k]];
    /* what is read here for the last time gives its slot to the result */
    for (int k = 0; k < count; k++) {
        const int again = (k > 0 && x[k] == x[k - 1]) || (k > 1 && x[k] == x[0]);
        if (!again && s->last[x[k]] == at && is_temporary(s, from[k])) s->stack[s->free_count++] = from[k];
    }
    if (!paired) {
        append(s, value->op, take_slot(s, v), from[0], from[1], from[2]);
        keep_node(s, v);
        copy_outputs(s, v);
        return;
    }
    const uint32_t sine = value->op == PROGRAM_SIN ? v : value->b, cosine = value->op == PROGRAM_SIN ? value->b : v;
    const uint32_t sine_slot = take_slot(s, sine), cosine_slot = take_slot(s, cosine);
    append(s, PROGRAM_SINCOS, sine_slot, from[0], cosine_slot, 0);
    copy_outputs(s, sine);
    copy_outputs(s, cosine);
}

/* Outputs that are inputs as they stand. */
static void copy_inputs(arrange *s, unsigned stage)
{
    const build *b = s->b;
    for (size_t k = 0; k < b->spec->output_count; k++) {
        const build_value *v = &b->values[b->output[k]];
        if (v->op == VALUE_INPUT && s->p->output_stage[k] == stage)
            append(s, PROGRAM_COPY, s->p->output_first + (uint32_t)k, v->a, 0, 0);
    }
}

static void emit_stage(arrange *s, unsigned stage)
{
    s->p->stage_start[stage] = (uint32_t)s->code_count;
    s->free_count = 0;
    const uint32_t temporaries = s->p->temporary_count;
    s->p->temporary_count = 0;
    copy_inputs(s, stage);
    for (size_t i = s->start[stage]; i < s->start[stage + 1]; i++) {
        const uint32_t v = s->order[i];
        if (s->marks[v] & IS_DONE) continue;
        emit(s, v, i);
        if (is_pair(&s->b->values[v])) s->marks[s->b->values[v].b] |= IS_DONE;
    }
    if (s->p->temporary_count < temporaries) s->p->temporary_count = temporaries;
}

static mech_status allocate(arrange *s)
{
    const build *b = s->b;
    program *p = s->p;
    const size_t values = b->value_count, outputs = b->spec->output_count;
    s->order = mem_zeroed(values, sizeof *s->order);
    s->slot = mem_alloc(values * sizeof *s->slot);
    s->last = mem_zeroed(values, sizeof *s->last);
    s->first_output = mem_zeroed(values, sizeof *s->first_output);
    s->next_output = mem_zeroed(outputs, sizeof *s->next_output);
    s->marks = mem_zeroed(values, sizeof *s->marks);
    s->stack = mem_zeroed(values + 1, sizeof *s->stack);
    p->image = mem_zeroed(values + outputs, sizeof *p->image);
    p->output_stage = mem_zeroed(outputs, sizeof *p->output_stage);
    p->code = mem_alloc((values + outputs) * sizeof *p->code);
    p->switch_node = mem_zeroed(b->switch_count, sizeof *p->switch_node);
    if (!s->order || !s->slot || !s->last || !s->first_output || !s->next_output || !s->marks || !s->stack ||
        !p->image || !p->output_stage || !p->code || !p->switch_node)
        return MECH_ERR_MEMORY;
    memset(s->slot, 0xff, values * sizeof *s->slot);
    return MECH_OK;
}

static mech_status arrange_all(arrange *s)
{
    const program_spec *spec = s->b->spec;
    program *p = s->p;
    if (spec->input_count > UINT32_MAX / 4 || spec->output_count > UINT32_MAX / 4) return MECH_ERR_LIMIT;
    p->stage_count = spec->stage_count;
    p->input_count = (uint32_t)spec->input_count;
    p->output_count = (uint32_t)spec->output_count;
    MECH_TRY(allocate(s));
    place(s->b);
    order(s);
    MECH_TRY(by_stage(s));
    lifetimes(s);
    number_constants(s);
    number_outputs(s);
    number_kept(s);
    for (unsigned k = 0; k < spec->stage_count; k++) emit_stage(s, k);
    for (unsigned k = spec->stage_count; k <= PROGRAM_MAX_STAGES; k++) p->stage_start[k] = (uint32_t)s->code_count;
    p->slot_count = p->output_first + p->output_count + p->kept_count + p->temporary_count;
    if (p->slot_count == 0) p->slot_count = 1; /* slot 0 stands for operands that are not used */
    return MECH_OK;
}

/* Gives back what was reserved beyond need; keeping it is no failure. */
static void trim(arrange *s)
{
    program *p = s->p;
    void *code = mem_resize(p->code, s->code_count * sizeof *p->code);
    if (code) p->code = code;
    void *image = mem_resize(p->image, ((size_t)p->constant_count + p->output_count) * sizeof *p->image);
    if (image) p->image = image;
}

mech_status build_arrange(build *b, program *p)
{
    arrange s = {.b = b, .p = p};
    const mech_status status = arrange_all(&s);
    if (status == MECH_OK) trim(&s);
    mem_free(s.order);
    mem_free(s.slot);
    mem_free(s.last);
    mem_free(s.first_output);
    mem_free(s.next_output);
    mem_free(s.marks);
    mem_free(s.stack);
    return status;
}
