/* A graph to a tape: what is needed, in which order, what is fused, which slot. */
#include "compile/tape.h"

#include "base/mem.h"
#include "base/try.h"

#include <string.h>

/* Marks of values. ALWAYS: needed also when nobody asks for what is optional. */
enum { NEEDED = 1, FUSED = 2, IS_OUTPUT = 4, IS_KEPT = 8, ALWAYS = 16 };
#define NO_SLOT UINT32_MAX

typedef struct maker {
    const emit_spec *spec;
    const graph *g;
    tape *t;
    uint8_t *mark;          /* (values) */
    uint32_t *uses, *depth; /* (values) */
    size_t virtual_count;   /* values, then negatives that an operation needs */
    size_t op_capacity, angle_capacity, virtual_capacity;
    uint32_t *slot, *last; /* (virtual_count) */
    uint32_t *free;
    size_t free_count;
} maker;

static const graph_value *value(const maker *m, uint32_t id) { return &m->g->values[id]; }
static int is_angle(const graph_value *v) { return (v->op == GRAPH_SIN || v->op == GRAPH_COS) && v->stage == 1; }

/* ---- what is needed ---- */

static int is_optional(const emit_spec *spec, size_t output)
{
    return spec->optional && output >= spec->optional_first && output < spec->optional_first + spec->optional_count;
}

static void mark_always(maker *m)
{
    const graph *g = m->g;
    for (size_t i = 0; i < m->spec->output_count; i++)
        if (!is_optional(m->spec, i)) m->mark[graph_id(m->spec->values[i])] |= ALWAYS;
    for (size_t i = 0; i < g->guard_count; i++) m->mark[g->guards[i]] |= ALWAYS;
    for (size_t i = g->count; i-- > 1;) {
        graph_ref x[5];
        if (!(m->mark[i] & ALWAYS)) continue;
        for (int k = graph_operands(&g->values[i], x); k-- > 0;) m->mark[graph_id(x[k])] |= ALWAYS;
    }
}

static void mark_needed(maker *m)
{
    const graph *g = m->g;
    for (size_t i = 0; i < m->spec->output_count; i++) m->mark[graph_id(m->spec->values[i])] |= NEEDED | IS_OUTPUT;
    for (size_t i = 0; i < g->guard_count; i++) m->mark[g->guards[i]] |= NEEDED;
    for (size_t i = g->count; i-- > 1;) {
        graph_ref x[5];
        if (!(m->mark[i] & NEEDED)) continue;
        for (int k = graph_operands(&g->values[i], x); k-- > 0;) {
            const uint32_t id = graph_id(x[k]);
            m->mark[id] |= NEEDED;
            if (g->values[id].stage < g->values[i].stage) m->mark[id] |= IS_KEPT;
            m->uses[id]++;
        }
    }
    for (size_t i = 1; i < g->count; i++) {
        graph_ref x[5];
        for (int k = graph_operands(&g->values[i], x); k-- > 0;)
            if (m->depth[graph_id(x[k])] > m->depth[i]) m->depth[i] = m->depth[graph_id(x[k])];
        if (is_angle(&g->values[i])) m->depth[i]++;
    }
    for (size_t i = 0; i < m->spec->output_count; i++) {
        const uint32_t id = graph_id(m->spec->values[i]);
        if (g->values[id].stage == 0) m->mark[id] |= IS_KEPT;
    }
}

/* One value of this stage uses it, and nobody else. */
static int is_lone(const maker *m, graph_ref x, uint8_t stage)
{
    const uint32_t id = graph_id(x);
    return m->uses[id] == 1 && !(m->mark[id] & (IS_OUTPUT | FUSED)) && value(m, id)->stage == stage;
}

/* A product or a product and a sum that only this value uses, as the c of a*b + c. */
static int can_fuse(const maker *m, graph_ref c, uint8_t stage)
{
    const graph_value *v = value(m, graph_id(c));
    if (!is_lone(m, c, stage)) return 0;
    if (v->op == GRAPH_MUL) return 1;
    return (v->op == GRAPH_MULADD || v->op == GRAPH_MULSUB) && !(m->mark[graph_id(v->c)] & FUSED);
}

/* A product in a product; a sum or a magnitude in a sum without signs. */
static int can_join(const maker *m, const graph_value *v, graph_ref x)
{
    const graph_value *w = value(m, graph_id(x));
    if (!is_lone(m, x, v->stage)) return 0;
    if (v->op == GRAPH_MUL) return w->op == GRAPH_MUL;
    if (graph_is_negative(v->a) || graph_is_negative(v->b)) return 0;
    return w->op == GRAPH_ABS || (w->op == GRAPH_ADD && !graph_is_negative(w->a) && !graph_is_negative(w->b));
}

static void mark_fused(maker *m)
{
    for (size_t i = 1; i < m->g->count; i++) {
        const graph_value *v = &m->g->values[i];
        if (!(m->mark[i] & NEEDED) || (v->op != GRAPH_MULADD && v->op != GRAPH_MULSUB)) continue;
        if (can_fuse(m, v->c, v->stage)) m->mark[graph_id(v->c)] |= FUSED;
    }
    for (size_t i = m->g->count; i-- > 1;) {
        const graph_value *v = &m->g->values[i];
        if (!(m->mark[i] & NEEDED) || m->mark[i] & FUSED || (v->op != GRAPH_MUL && v->op != GRAPH_ADD)) continue;
        if (can_join(m, v, v->b)) m->mark[graph_id(v->b)] |= FUSED;
        else if (can_join(m, v, v->a)) m->mark[graph_id(v->a)] |= FUSED;
    }
}

/* ---- operations, their operands still numbers of values ---- */

static mech_status append(maker *m, tape_op op)
{
    tape *t = m->t;
    if (!mem_grow(&t->ops, &m->op_capacity, t->op_count + 1, sizeof *t->ops)) return MECH_ERR_MEMORY;
    t->ops[t->op_count++] = op;
    return MECH_OK;
}

/* The number of x itself, its sign computed where it has one. */
static mech_status positive(maker *m, graph_ref x, uint32_t *id)
{
    *id = graph_id(x);
    if (!graph_is_negative(x)) return MECH_OK;
    const tape_op op = {.code = TAPE_NEG, .out = (uint32_t)m->virtual_count++, .a = *id};
    *id = op.out;
    return append(m, op);
}

/* What joins comes second. */
static void order(const maker *m, graph_ref *a, graph_ref *b)
{
    if (!(m->mark[graph_id(*a)] & FUSED)) return;
    const graph_ref first = *a;
    *a = *b;
    *b = first;
}

static mech_status add_sum(maker *m, uint32_t out, graph_ref a, graph_ref b)
{
    order(m, &a, &b);
    const int minus_a = graph_is_negative(a), minus_b = graph_is_negative(b);
    const graph_value *w = value(m, graph_id(b));
    tape_op op = {.code = TAPE_ADD, .out = out, .a = graph_id(a), .b = graph_id(b)};
    if (m->mark[op.b] & FUSED) {
        op.code = w->op == GRAPH_ABS ? TAPE_ADDABS : TAPE_ADD3;
        op.b = graph_id(w->a);
        op.c = op.code == TAPE_ADD3 ? graph_id(w->b) : 0;
    } else if (minus_a && minus_b) op.code = TAPE_NEGADD;
    else if (minus_b) op.code = TAPE_SUB;
    else if (minus_a) op = (tape_op){.code = TAPE_SUB, .out = out, .a = graph_id(b), .b = graph_id(a)};
    return append(m, op);
}

static int product_sign(graph_ref a, graph_ref b) { return graph_is_negative(a) != graph_is_negative(b); }

static mech_status add_product(maker *m, uint32_t out, graph_ref a, graph_ref b)
{
    order(m, &a, &b);
    int minus = product_sign(a, b);
    tape_op op = {.out = out, .a = graph_id(a), .b = graph_id(b)};
    const graph_value *w = value(m, op.b);
    if (!(m->mark[op.b] & FUSED)) {
        op.code = minus ? TAPE_NEGMUL : TAPE_MUL;
        return append(m, op);
    }
    minus ^= product_sign(w->a, w->b);
    op.code = minus ? TAPE_NEGMUL3 : TAPE_MUL3;
    op.b = graph_id(w->a);
    op.c = graph_id(w->b);
    return append(m, op);
}

/* +-(a b) +- (c d) */
static mech_status add_products(maker *m, tape_op op, int minus_ab, int minus_cd)
{
    static const uint32_t codes[2][2] = {{TAPE_MULMUL, TAPE_MULLESS}, {TAPE_MULLESS, TAPE_NEGMULMUL}};
    op.code = codes[minus_ab][minus_cd];
    if (minus_ab && !minus_cd) { /* c d - a b */
        const uint32_t a = op.a, b = op.b;
        op.a = op.c, op.b = op.d;
        op.c = a, op.d = b;
    }
    return append(m, op);
}

/* +-(a b) + (+-(c d) +- e) */
static mech_status add_two_products(maker *m, tape_op op, int minus_ab, int minus_cd, graph_ref e)
{
    static const uint32_t codes[2][2][2] = {
        {{TAPE_MUL2ADD, TAPE_MUL2SUB}, {TAPE_MULSUBMUL, TAPE_MULSUB2}},
        {{TAPE_ADDMUL, TAPE_LESSMUL}, {TAPE_SUBMUL2, TAPE_NEGMUL2}},
    };
    op.e = graph_id(e);
    op.code = codes[minus_ab][minus_cd][graph_is_negative(e)];
    return append(m, op);
}

/* a*b + c, with what c is made of when only this uses it */
static mech_status add_product_sum(maker *m, uint32_t out, graph_ref a, graph_ref b, graph_ref c)
{
    const int minus = product_sign(a, b), minus_c = graph_is_negative(c);
    tape_op op = {.out = out, .a = graph_id(a), .b = graph_id(b), .c = graph_id(c)};
    const graph_value *v = value(m, op.c);
    if (!(m->mark[op.c] & FUSED)) {
        static const uint32_t codes[2][2] = {{TAPE_MULADD, TAPE_MULSUB}, {TAPE_SUBMUL, TAPE_NEGMULADD}};
        op.code = codes[minus][minus_c];
        return append(m, op);
    }
    op.c = graph_id(v->a);
    op.d = graph_id(v->b);
    const int minus_cd = product_sign(v->a, v->b) != minus_c;
    if (v->op == GRAPH_MUL) return add_products(m, op, minus, minus_cd);
    graph_ref e = v->op == GRAPH_MULSUB ? graph_negative(v->c) : v->c;
    if (minus_c) e = graph_negative(e);
    return add_two_products(m, op, minus, minus_cd, e);
}

static mech_status add_other(maker *m, uint32_t out, const graph_value *v)
{
    tape_op op = {.out = out};
    switch (v->op) {
    case GRAPH_INVERSE: op.code = TAPE_INVERSE; break;
    case GRAPH_DIVIDE: op.code = TAPE_DIVIDE; break;
    case GRAPH_SQRT: op.code = TAPE_SQRT; break;
    case GRAPH_ABS: op.code = TAPE_ABS; break;
    case GRAPH_SELECT: op.code = TAPE_SELECT; break;
    case GRAPH_SIN: op.code = TAPE_CALL, op.function = MECH_FUNCTION_SIN; break; /* of parameters */
    case GRAPH_COS: op.code = TAPE_CALL, op.function = MECH_FUNCTION_COS; break;
    case GRAPH_POW: op.code = TAPE_CALL, op.function = MECH_FUNCTION_POW; break;
    case GRAPH_PIVOT: op.code = TAPE_PIVOT; break;
    case GRAPH_PIVOT2: op.code = TAPE_PIVOT2; break;
    case GRAPH_INVERT2: op.code = TAPE_INVERT2; break;
    case GRAPH_GUARD: op.code = TAPE_GUARD; break;
    case GRAPH_MONITOR: op.code = TAPE_MONITOR; break;
    case GRAPH_CLEAR: op.code = TAPE_CLEAR; break;
    default:
        if (v->op < GRAPH_CALL) return MECH_ERR_UNSUPPORTED;
        op.code = TAPE_CALL;
        op.function = v->op - (uint32_t)GRAPH_CALL;
        break;
    }
    graph_ref x[5];
    uint32_t *const to[5] = {&op.a, &op.b, &op.c, &op.d, &op.e};
    const int count = graph_operands(v, x);
    for (int k = 0; k < count; k++) MECH_TRY(positive(m, x[k], to[k]));
    return append(m, op);
}

static mech_status add_value(maker *m, uint32_t id)
{
    const graph_value *v = value(m, id);
    switch (v->op) {
    case GRAPH_NONE:
    case GRAPH_INPUT:
    case GRAPH_CONSTANT:
    case GRAPH_PART: return MECH_OK; /* of the pair before */
    case GRAPH_ADD: return add_sum(m, id, v->a, v->b);
    case GRAPH_SUB: return add_sum(m, id, v->a, graph_negative(v->b));
    case GRAPH_MUL: return add_product(m, id, v->a, v->b);
    case GRAPH_MULADD: return add_product_sum(m, id, v->a, v->b, v->c);
    case GRAPH_MULSUB: return add_product_sum(m, id, v->a, v->b, graph_negative(v->c));
    default: return add_other(m, id, v);
    }
}

/* ---- angles ---- */

/* Eight at a time; sine and cosine of one argument stand side by side in the graph, or nearly. */
static mech_status add_angles(maker *m, uint32_t depth, uint8_t part)
{
    tape *t = m->t;
    int count = 8;
    const size_t first = t->angle_count;
    for (uint32_t i = 1; i < m->g->count; i++) {
        const graph_value *v = value(m, i);
        if (!(m->mark[i] & NEEDED) || (m->mark[i] & ALWAYS) != part || !is_angle(v) || m->depth[i] != depth) continue;
        const uint32_t arg = graph_id(v->a);
        tape_angles *to = NULL;
        int at = 0;
        for (size_t b = t->angle_count; b-- > first && b + 4 > t->angle_count && !to;)
            for (int k = 0; k < 8 && !to; k++)
                if (t->angles[b].arg[k] == arg) to = &t->angles[b], at = k;
        if (!to) {
            if (count == 8) {
                if (!mem_grow(&t->angles, &m->angle_capacity, t->angle_count + 1, sizeof *t->angles))
                    return MECH_ERR_MEMORY;
                t->angles[t->angle_count++] = (tape_angles){{0}, {0}, {0}};
                count = 0;
            }
            to = &t->angles[t->angle_count - 1];
            at = count++;
            to->arg[at] = arg;
        }
        (v->op == GRAPH_SIN ? to->sine : to->cosine)[at] = i;
    }
    for (size_t b = first; b < t->angle_count; b++)
        MECH_TRY(append(m, (tape_op){.code = TAPE_ANGLES, .a = (uint32_t)b}));
    return MECH_OK;
}

/* part: ALWAYS, or 0 for what is optional; parameters are one part. */
static mech_status add_stage(maker *m, int stage, uint8_t part)
{
    uint32_t deepest = 0;
    for (size_t i = 1; i < m->g->count; i++)
        if (m->mark[i] & NEEDED && m->depth[i] > deepest) deepest = m->depth[i];
    for (uint32_t depth = 0; depth <= (stage ? deepest : 0); depth++) {
        if (depth > 0) MECH_TRY(add_angles(m, depth, part));
        for (uint32_t i = 1; i < m->g->count; i++) {
            const graph_value *v = value(m, i);
            if (!(m->mark[i] & NEEDED) || m->mark[i] & FUSED || v->stage != stage || is_angle(v)) continue;
            if (stage == 1 && (m->mark[i] & ALWAYS) != part) continue;
            if (stage == 0 || m->depth[i] == depth) MECH_TRY(add_value(m, i));
        }
    }
    return append(m, (tape_op){.code = TAPE_END});
}

/* ---- slots ---- */

/* The operands of an operation: pointers to them, so that they can be replaced. */
static int operands_of(tape *t, tape_op *op, uint32_t *to[8])
{
    static const uint8_t plain[] = {
        [TAPE_COPY] = 1,      [TAPE_NEG] = 1,     [TAPE_ADD] = 2,     [TAPE_SUB] = 2,       [TAPE_NEGADD] = 2,
        [TAPE_MUL] = 2,       [TAPE_NEGMUL] = 2,  [TAPE_MULADD] = 3,  [TAPE_MULSUB] = 3,    [TAPE_SUBMUL] = 3,
        [TAPE_NEGMULADD] = 3, [TAPE_MULMUL] = 4,  [TAPE_MULLESS] = 4, [TAPE_NEGMULMUL] = 4, [TAPE_MUL2ADD] = 5,
        [TAPE_MULSUBMUL] = 5, [TAPE_SUBMUL2] = 5, [TAPE_ADDMUL] = 5,  [TAPE_INVERSE] = 1,   [TAPE_DIVIDE] = 2,
        [TAPE_SQRT] = 1,      [TAPE_ABS] = 1,     [TAPE_SELECT] = 3,  [TAPE_PIVOT] = 2,     [TAPE_PIVOT2] = 5,
        [TAPE_INVERT2] = 5,   [TAPE_GUARD] = 2,   [TAPE_MONITOR] = 2, [TAPE_CLEAR] = 2,     [TAPE_MUL3] = 3,
        [TAPE_NEGMUL3] = 3,   [TAPE_ADD3] = 3,    [TAPE_ADDABS] = 2,  [TAPE_MUL2SUB] = 5,   [TAPE_MULSUB2] = 5,
        [TAPE_LESSMUL] = 5,   [TAPE_NEGMUL2] = 5, [TAPE_ANGLES] = 0,  [TAPE_END] = 0};
    if (op->code == TAPE_ANGLES) {
        for (int k = 0; k < 8; k++) to[k] = &t->angles[op->a].arg[k];
        return 8;
    }
    uint32_t *const all[5] = {&op->a, &op->b, &op->c, &op->d, &op->e};
    const int count = op->code == TAPE_CALL ? expr_function_arity((mech_function)op->function) : plain[op->code];
    for (int k = 0; k < count; k++) to[k] = all[k];
    return count;
}

static int has_result(const tape_op *op)
{
    return op->code != TAPE_GUARD && op->code != TAPE_MONITOR && op->code != TAPE_CLEAR && op->code != TAPE_ANGLES &&
           op->code != TAPE_END;
}

static void give(maker *m, uint32_t id)
{
    if (m->slot[id] == NO_SLOT) m->slot[id] = (uint32_t)m->t->slot_count++;
}

/* Constants, then what depends on parameters and is read later, then inputs. Slot 0 holds 0. */
static mech_status number_lasting(maker *m)
{
    tape *t = m->t;
    const graph *g = m->g;
    size_t inputs = 0, params = 0;
    for (uint32_t i = 1; i < g->count; i++)
        if (m->mark[i] & NEEDED && g->values[i].op == GRAPH_INPUT) *(g->values[i].stage ? &inputs : &params) += 1;
    t->constants = mem_zeroed(g->count + 1, sizeof *t->constants);
    t->inputs = mem_zeroed(inputs + 1, sizeof *t->inputs);
    t->params = mem_zeroed(params + 1, sizeof *t->params);
    t->outputs = mem_zeroed(m->spec->output_count + 1, sizeof *t->outputs);
    if (!t->constants || !t->inputs || !t->params || !t->outputs) return MECH_ERR_MEMORY;
    t->slot_count = t->constant_count = 1;
    m->slot[0] = 0;
    for (uint32_t i = 1; i < g->count; i++)
        if (m->mark[i] & NEEDED && g->values[i].op == GRAPH_CONSTANT) {
            t->constants[t->constant_count++] = graph_constant_value(&g->values[i]);
            give(m, i);
        }
    for (uint32_t i = 1; i < g->count; i++)
        if (m->mark[i] & NEEDED && g->values[i].stage == 0 && g->values[i].op != GRAPH_CONSTANT &&
            g->values[i].op != GRAPH_PART && (g->values[i].op == GRAPH_INPUT || m->mark[i] & IS_KEPT)) {
            give(m, i);
            if (g->values[i].op == GRAPH_INPUT) t->params[t->param_count++] = (tape_copy){m->slot[i], g->values[i].a};
        }
    for (uint32_t i = 1; i < g->count; i++)
        if (m->mark[i] & NEEDED && g->values[i].stage == 1 && g->values[i].op == GRAPH_INPUT) {
            give(m, i);
            t->inputs[t->input_count++] = (tape_copy){m->slot[i], g->values[i].a};
        }
    return MECH_OK;
}

/* Parts of a pair are three slots in a row, kept or not. */
static void number_pair(maker *m, tape_op *op)
{
    const uint32_t first = (uint32_t)m->t->slot_count, id = op->out;
    m->t->slot_count += 3;
    for (uint32_t part = 0; part < 3; part++) m->slot[id + 1 + part] = first + part;
    op->out = first;
}

static void take(maker *m, uint32_t id, uint32_t *slot)
{
    if (m->slot[id] == NO_SLOT) m->slot[id] = m->free_count ? m->free[--m->free_count] : (uint32_t)m->t->slot_count++;
    *slot = m->slot[id];
}

static void find_last(maker *m)
{
    tape *t = m->t;
    for (size_t i = 0; i < t->op_count; i++) {
        uint32_t *x[8];
        for (int k = operands_of(t, &t->ops[i], x); k-- > 0;) m->last[*x[k]] = (uint32_t)i;
    }
    for (size_t i = 0; i < m->spec->output_count; i++) m->last[graph_id(m->spec->values[i])] = UINT32_MAX;
}

/* Operands to slots; those read here for the last time give theirs back. lasting: slots below are not given
 * back. */
static void number_operands(maker *m, tape_op *op, uint32_t at, size_t lasting)
{
    uint32_t *x[8], ids[8];
    const int count = operands_of(m->t, op, x);
    for (int k = 0; k < count; k++) {
        ids[k] = *x[k];
        *x[k] = m->slot[ids[k]];
    }
    for (int k = 0; k < count; k++) {
        int again = 0;
        for (int j = 0; j < k; j++) again |= ids[j] == ids[k];
        const int is_kept = ids[k] < m->g->count && m->mark[ids[k]] & IS_KEPT;
        if (!again && !is_kept && m->last[ids[k]] == at && m->slot[ids[k]] >= lasting)
            m->free[m->free_count++] = m->slot[ids[k]];
    }
}

/* Before their arguments give their slots back: the first results are written while other arguments wait. */
static void number_angles(maker *m, tape_angles *b, uint32_t nobody)
{
    for (int k = 0; k < 8; k++) {
        if (b->sine[k]) take(m, b->sine[k], &b->sine[k]);
        else b->sine[k] = nobody;
        if (b->cosine[k]) take(m, b->cosine[k], &b->cosine[k]);
        else b->cosine[k] = nobody;
    }
}

static mech_status number_all(maker *m)
{
    tape *t = m->t;
    m->slot = mem_alloc((m->virtual_count + 4) * sizeof *m->slot);
    m->last = mem_zeroed(m->virtual_count + 4, sizeof *m->last);
    m->free = mem_zeroed(m->virtual_count + 4, sizeof *m->free);
    if (!m->slot || !m->last || !m->free) return MECH_ERR_MEMORY;
    memset(m->slot, 0xff, (m->virtual_count + 4) * sizeof *m->slot);
    MECH_TRY(number_lasting(m));
    const uint32_t nobody = (uint32_t)t->slot_count++;
    const size_t lasting = t->slot_count;
    find_last(m);
    for (size_t i = 0; i < t->op_count; i++) {
        tape_op *op = &t->ops[i];
        const int pair = op->code == TAPE_PIVOT2 || op->code == TAPE_INVERT2;
        if (op->code == TAPE_ANGLES) number_angles(m, &t->angles[op->a], nobody);
        number_operands(m, op, (uint32_t)i, lasting);
        if (pair) number_pair(m, op);
        else if (has_result(op)) take(m, op->out, &op->out);
    }
    for (size_t i = 0; i < m->spec->output_count; i++) {
        const graph_ref x = m->spec->values[i];
        t->outputs[i] = (tape_copy){m->slot[graph_id(x)], (uint32_t)graph_is_negative(x)};
    }
    t->output_count = m->spec->output_count;
    for (t->always_count = 0; t->always_count < t->output_count; t->always_count++)
        if (is_optional(m->spec, t->always_count)) break;
    return MECH_OK;
}

/* ---- all of it ---- */

static mech_status make(maker *m)
{
    const size_t count = m->g->count + 1;
    MECH_TRY(m->g->status);
    m->mark = mem_zeroed(count, 1);
    m->depth = mem_zeroed(count, sizeof *m->depth);
    m->uses = mem_zeroed(count, sizeof *m->uses);
    if (!m->mark || !m->depth || !m->uses) return MECH_ERR_MEMORY;
    m->virtual_count = m->g->count;
    mark_needed(m);
    mark_fused(m);
    mark_always(m);
    MECH_TRY(add_stage(m, 0, 0));
    m->t->motion_first = m->t->op_count;
    MECH_TRY(add_stage(m, 1, ALWAYS));
    m->t->optional_first = m->t->op_count;
    MECH_TRY(add_stage(m, 1, 0));
    m->t->vectors = sincos_processor();
    m->t->sincos = sincos_by(m->t->vectors);
    return number_all(m);
}

mech_status tape_create(const emit_spec *spec, tape **result)
{
    maker m = {.spec = spec, .g = spec->graph};
    *result = NULL;
    m.t = mem_zeroed(1, sizeof *m.t);
    const mech_status status = m.t ? make(&m) : MECH_ERR_MEMORY;
    mem_free(m.mark);
    mem_free(m.depth);
    mem_free(m.uses);
    mem_free(m.slot);
    mem_free(m.last);
    mem_free(m.free);
    if (status != MECH_OK) tape_free(m.t);
    else *result = m.t;
    return status;
}

void tape_free(tape *t)
{
    if (!t) return;
    mem_free(t->ops);
    mem_free(t->angles);
    mem_free(t->constants);
    mem_free(t->inputs);
    mem_free(t->params);
    mem_free(t->outputs);
    mem_free(t);
}
