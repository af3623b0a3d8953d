/* Nodes to values: mark what the outputs reach (descending ids), then lower it (ascending ids). */
#include "compile/build.h"

#include "base/mem.h"
#include "base/try.h"

#include <math.h>

/* A sum uses a node with this coefficient. */
static void use_term(build *b, uint32_t coefficient, uint32_t id)
{
    const mech_pool *pool = b->spec->pool;
    if (pool->nodes[id].kind != EXPR_MUL) {
        b->use[id] = USE_MANY;
    } else if (b->use[id] == USE_NONE) {
        b->use[id] = USE_ONE_SUM;
        b->scale[id] = coefficient;
    } else if (b->use[id] != USE_MANY) {
        const double x = expr_number_of(pool, (mech_expr){coefficient})->value;
        const double y = expr_number_of(pool, (mech_expr){b->scale[id]})->value;
        b->use[id] = fabs(x) == fabs(y) ? USE_SUMS : USE_MANY;
    }
}

/* On which side of a kink, or of the end of what a function is defined for, a sum lies is decided by its last digit. */
static void decide(build *b, uint32_t id)
{
    const expr_node *n = &b->spec->pool->nodes[id];
    if (n->kind == EXPR_ADD) b->divisor[id] = build_divisor(b, n);
}

static int decides(mech_function function)
{
    return expr_function_has_kink(function) || function == MECH_FUNCTION_ASIN || function == MECH_FUNCTION_ACOS ||
           function == MECH_FUNCTION_LOG || function == MECH_FUNCTION_POW;
}

static void mark_operands(build *b, uint32_t id)
{
    const mech_pool *pool = b->spec->pool;
    const expr_node *n = &pool->nodes[id];
    const uint32_t *operands = n->kind >= EXPR_ADD ? expr_operands(pool, n) : NULL;
    switch (n->kind) {
    case EXPR_ADD: /* c0, then (coefficient, node) */
        for (uint32_t i = 1; i < n->count; i += 2)
            if (b->divisor[id]) b->use[operands[i + 1]] = USE_MANY;
            else use_term(b, operands[i], operands[i + 1]);
        break;
    case EXPR_MUL: /* (base, exponent) */
        for (uint32_t i = 0; i < n->count; i += 2) {
            b->use[operands[i]] = USE_MANY;
            if (expr_number_of(pool, (mech_expr){operands[i + 1]})->den != 1) decide(b, operands[i]);
        }
        break;
    case EXPR_HELD: b->use[operands[0]] = USE_MANY; break;
    case EXPR_FUN:
        for (uint32_t i = 0; i < n->count; i++) {
            b->use[operands[i]] = USE_MANY;
            if (decides((mech_function)n->function)) decide(b, operands[i]);
        }
        break;
    default: break;
    }
}

static void mark(build *b)
{
    for (size_t k = 0; k < b->spec->output_count; k++) b->use[b->spec->outputs[k].value.id] = USE_MANY;
    for (size_t id = b->node_count; id-- > 1;) {
        if (b->use[id] != USE_NONE) mark_operands(b, (uint32_t)id);
        if (b->use[id] != USE_SUMS) b->scale[id] = 0;
    }
}

/* Which node a value with a kink comes from; of several that are the same value, the first. */
static uint32_t note_switch(build *b, uint32_t value, uint32_t id)
{
    if (!value || (b->switch_count && b->switches[b->switch_count - 1].value >= value)) return value;
    if (!mem_grow(&b->switches, &b->switch_capacity, b->switch_count + 1, sizeof *b->switches)) {
        b->status = MECH_ERR_MEMORY;
        return 0;
    }
    b->switches[b->switch_count++] = (build_switch){value, id};
    return value;
}

static uint32_t lower_function(build *b, const expr_node *n)
{
    const uint32_t *operands = expr_operands(b->spec->pool, n);
    uint32_t x[3] = {0, 0, 0};
    for (uint32_t i = 0; i < n->count && i < 3; i++) x[i] = b->of_node[operands[i]];
    uint32_t op = PROGRAM_CALL + (uint32_t)n->function;
    if (n->function == MECH_FUNCTION_SIN) op = PROGRAM_SIN;
    if (n->function == MECH_FUNCTION_COS) op = PROGRAM_COS;
    if (n->function == MECH_FUNCTION_POW) op = PROGRAM_POW;
    if (n->function == MECH_FUNCTION_IF) op = PROGRAM_SELECT;
    return build_emit(b, op, x[0], x[1], x[2]);
}

/* The product, with the coefficient that all its sums give it where they do. */
static uint32_t lower_product(build *b, uint32_t id)
{
    const double scale = b->scale[id] ? fabs(expr_number_of(b->spec->pool, (mech_expr){b->scale[id]})->value) : 1;
    uint32_t x, y;
    build_product(b, &b->spec->pool->nodes[id], scale, &x, &y);
    return y ? build_emit(b, PROGRAM_MUL, x, y, 0) : x;
}

static uint32_t lower_node(build *b, uint32_t id)
{
    const expr_node *n = &b->spec->pool->nodes[id];
    switch (n->kind) {
    case EXPR_NUM: return build_constant(b, b->spec->pool->numbers[n->first].value);
    case EXPR_PI: return build_constant(b, 3.14159265358979323846);
    case EXPR_ADD: return build_sum(b, id);
    case EXPR_MUL: return lower_product(b, id);
    case EXPR_FUN:
        return expr_function_has_kink((mech_function)n->function) ? note_switch(b, lower_function(b, n), id)
                                                                  : lower_function(b, n);
    case EXPR_HELD: return b->of_node[expr_operands(b->spec->pool, n)[0]];
    default: /* a symbol that is no input, or no node at all */
        b->unknown = (mech_expr){id};
        b->status = MECH_ERR_ARGUMENT;
        return 0;
    }
}

static mech_status take_inputs(build *b)
{
    for (size_t k = 0; k < b->spec->input_count; k++) {
        const program_input *in = &b->spec->inputs[k];
        if (in->stage >= b->spec->stage_count) return MECH_ERR_ARGUMENT;
        if (in->symbol.id && in->symbol.id < b->node_count)
            b->of_node[in->symbol.id] = build_input(b, (uint32_t)k, in->stage);
    }
    return b->status;
}

static mech_status measure(build *b)
{
    const program_spec *spec = b->spec;
    uint32_t last = 0;
    for (size_t k = 0; k < spec->output_count; k++) {
        if (spec->outputs[k].stage >= spec->stage_count) return MECH_ERR_ARGUMENT;
        if (spec->outputs[k].value.id > last) last = spec->outputs[k].value.id;
    }
    b->node_count = (size_t)last + 1;
    b->of_node = mem_zeroed(b->node_count, sizeof *b->of_node);
    b->use = mem_zeroed(b->node_count, sizeof *b->use);
    b->scale = mem_zeroed(b->node_count, sizeof *b->scale);
    b->divisor = mem_zeroed(b->node_count, sizeof *b->divisor);
    b->output = mem_zeroed(spec->output_count, sizeof *b->output);
    if (!b->of_node || !b->use || !b->scale || !b->divisor || !b->output) return MECH_ERR_MEMORY;
    if (!mem_grow(&b->values, &b->value_capacity, 64, sizeof *b->values)) return MECH_ERR_MEMORY;
    b->values[0] = (build_value){.place = STAGE_NEVER};
    b->value_count = 1;
    return MECH_OK;
}

mech_status build_lower(build *b)
{
    MECH_TRY(measure(b));
    MECH_TRY(take_inputs(b));
    b->one = build_constant(b, 1);
    const uint32_t zero = build_constant(b, 0);
    MECH_TRY(b->status);
    mark(b);
    for (uint32_t id = 1; id < b->node_count; id++) {
        /* not needed, inside a sum, or an input */
        if (b->use[id] == USE_NONE || b->use[id] == USE_ONE_SUM || b->of_node[id]) continue;
        b->of_node[id] = lower_node(b, id);
        MECH_TRY(b->status);
    }
    for (size_t k = 0; k < b->spec->output_count; k++) {
        const uint32_t id = b->spec->outputs[k].value.id;
        b->output[k] = id ? b->of_node[id] : zero;
    }
    return MECH_OK;
}
