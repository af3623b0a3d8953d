/* Values of generated code: numbered by hashing, simplified as they are made. */
#include "compile/graph.h"

#include "base/mem.h"

#include <math.h>
#include <string.h>

void graph_free(graph *g)
{
    mem_free(g->values);
    mem_free(g->table);
    mem_free(g->guards);
    mem_free(g->determinants);
    mem_free(g->fronts);
    *g = (graph){0};
}

/* ---- numbering ---- */

static size_t hash(const graph_value *v)
{
    uint64_t h = v->op * UINT64_C(0x9E3779B97F4A7C15);
    const uint32_t parts[5] = {v->a, v->b, v->c, v->d, v->e};
    for (int i = 0; i < 5; i++) {
        h = (h ^ parts[i]) * UINT64_C(0xBF58476D1CE4E5B9);
        h ^= h >> 29;
    }
    return (size_t)(h ^ h >> 32);
}

static int are_equal(const graph_value *x, const graph_value *y)
{
    return x->op == y->op && x->a == y->a && x->b == y->b && x->c == y->c && x->d == y->d && x->e == y->e;
}

static size_t find(const graph *g, const graph_value *v)
{
    size_t at = hash(v) & (g->table_size - 1);
    while (g->table[at] && !are_equal(&g->values[g->table[at]], v)) at = (at + 1) & (g->table_size - 1);
    return at;
}

static int make_room(graph *g)
{
    if (g->count == 0) g->count = 1; /* value 0 is none */
    if (!mem_grow(&g->values, &g->capacity, g->count + 1, sizeof *g->values)) return 0;
    if (g->count == 1) g->values[0] = (graph_value){0};
    if (2 * (g->count + 1) <= g->table_size) return 1;
    const size_t size = g->table_size ? 2 * g->table_size : 1024;
    uint32_t *table = mem_zeroed(size, sizeof *table);
    if (!table) return 0;
    mem_free(g->table);
    g->table = table;
    g->table_size = size;
    for (size_t i = 1; i < g->count; i++) g->table[find(g, &g->values[i])] = (uint32_t)i;
    return 1;
}

graph_ref graph_intern(graph *g, graph_value v)
{
    if (g->status != MECH_OK) return 0;
    if (g->count > UINT32_MAX / 4) g->status = MECH_ERR_LIMIT;
    else if (!make_room(g)) g->status = MECH_ERR_MEMORY;
    if (g->status != MECH_OK) return 0;
    const size_t at = find(g, &v);
    if (!g->table[at]) {
        v.block = g->block;
        g->values[g->count] = v;
        g->table[at] = (uint32_t)g->count++;
    }
    return 2 * g->table[at];
}

int graph_operands(const graph_value *v, graph_ref to[5])
{
    const graph_ref all[5] = {v->a, v->b, v->c, v->d, v->e};
    int count;
    switch (v->op) {
    case GRAPH_NONE:
    case GRAPH_INPUT:
    case GRAPH_CONSTANT: return 0;
    case GRAPH_PART:
    case GRAPH_FRONT:
    case GRAPH_BACK:
    case GRAPH_TAKE: count = 1; break;
    case GRAPH_PUT: count = v->b ? 2 : 1; break;
    default:
        for (count = 5; count > 0 && !all[count - 1];) count--;
        break;
    }
    memcpy(to, all, sizeof all);
    return count;
}

static graph_ref make(graph *g, unsigned op, graph_ref a, graph_ref b, graph_ref c)
{
    if (g->status != MECH_OK) return 0;
    graph_value v = {.op = (uint8_t)op, .a = a, .b = b, .c = c};
    graph_ref operands[5];
    const int count = graph_operands(&v, operands);
    for (int i = 0; i < count; i++) v.stage |= g->values[graph_id(operands[i])].stage;
    return graph_intern(g, v);
}

graph_ref graph_input(graph *g, uint32_t which, int stage)
{
    return graph_intern(g, (graph_value){.op = GRAPH_INPUT, .stage = (uint8_t)stage, .a = which});
}

double graph_constant_value(const graph_value *v)
{
    const uint64_t bits = (uint64_t)v->b << 32 | v->a;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

graph_ref graph_constant(graph *g, double value)
{
    const double size = fabs(value);
    uint64_t bits;
    memcpy(&bits, &size, sizeof bits);
    const graph_ref made =
        graph_intern(g, (graph_value){.op = GRAPH_CONSTANT, .a = (uint32_t)bits, .b = (uint32_t)(bits >> 32)});
    return signbit(value) && value != 0 ? graph_negative(made) : made;
}

/* ---- arithmetic ---- */

static int is_constant(const graph *g, graph_ref x, double *value)
{
    const graph_value *v = &g->values[graph_id(x)];
    *value = 0;
    if (v->op != GRAPH_CONSTANT) return 0;
    *value = graph_is_negative(x) ? -graph_constant_value(v) : graph_constant_value(v);
    return 1;
}

static int is_number(const graph *g, graph_ref x, double number)
{
    double value;
    return is_constant(g, x, &value) && value == number;
}

graph_ref graph_add(graph *g, graph_ref a, graph_ref b)
{
    if (g->status != MECH_OK) return 0;
    double x, y;
    if (is_number(g, a, 0)) return b;
    if (is_number(g, b, 0)) return a;
    if (is_constant(g, a, &x) && is_constant(g, b, &y)) return graph_constant(g, x + y);
    if (a == graph_negative(b)) return graph_constant(g, 0);
    if (a > b) {
        const graph_ref swap = a;
        a = b;
        b = swap;
    }
    const graph_ref pa = a & ~1u, pb = b & ~1u;
    if (graph_is_negative(a) == graph_is_negative(b)) return make(g, GRAPH_ADD, pa, pb, 0) | (a & 1u);
    return make(g, GRAPH_SUB, pa, pb, 0) | (a & 1u); /* -a + b is -(a - b) */
}

graph_ref graph_multiply(graph *g, graph_ref a, graph_ref b)
{
    if (g->status != MECH_OK) return 0;
    double x, y;
    if (is_number(g, a, 0) || is_number(g, b, 0)) return graph_constant(g, 0);
    const uint32_t sign = (a ^ b) & 1u;
    a &= ~1u;
    b &= ~1u;
    if (is_number(g, a, 1)) return b | sign;
    if (is_number(g, b, 1)) return a | sign;
    if (is_constant(g, a, &x) && is_constant(g, b, &y)) return graph_constant(g, x * y) ^ sign;
    const graph_value *va = &g->values[graph_id(a)], *vb = &g->values[graph_id(b)];
    if ((va->op == GRAPH_INVERSE && va->a == b) || (vb->op == GRAPH_INVERSE && vb->a == a))
        return graph_constant(g, 1) | sign;
    return make(g, GRAPH_MUL, a < b ? a : b, a < b ? b : a, 0) | sign;
}

graph_ref graph_multiply_add(graph *g, graph_ref a, graph_ref b, graph_ref c)
{
    double x, y;
    if (g->status != MECH_OK) return 0;
    const int is_simple = is_number(g, c, 0) || is_number(g, a, 0) || is_number(g, b, 0) || is_number(g, a & ~1u, 1) ||
                          is_number(g, b & ~1u, 1) || (is_constant(g, a, &x) && is_constant(g, b, &y));
    if (is_simple) return graph_add(g, graph_multiply(g, a, b), c);
    const uint32_t sign = (a ^ b) & 1u;
    a &= ~1u;
    b &= ~1u;
    const unsigned op = graph_is_negative(c) == (int)sign ? GRAPH_MULADD : GRAPH_MULSUB;
    return make(g, op, a < b ? a : b, a < b ? b : a, c & ~1u) | sign;
}

static graph_ref inverse(graph *g, graph_ref a)
{
    double x;
    if (g->status != MECH_OK) return 0;
    if (is_constant(g, a, &x)) return graph_constant(g, 1 / x);
    const graph_value *v = &g->values[graph_id(a)];
    if (v->op == GRAPH_INVERSE) return v->a | (a & 1u);
    return make(g, GRAPH_INVERSE, a & ~1u, 0, 0) | (a & 1u);
}

static graph_ref divide(graph *g, graph_ref a, graph_ref b)
{
    double x, y;
    if (is_constant(g, a, &x) && is_constant(g, b, &y)) return graph_constant(g, x / y);
    return make(g, GRAPH_DIVIDE, a & ~1u, b & ~1u, 0) | ((a ^ b) & 1u);
}

/* What decides on which side of a kink it is: as a quotient where it is one. */
static graph_ref deciding(graph *g, graph_ref x)
{
    const graph_value v = g->values[graph_id(x)];
    if (v.op != GRAPH_MUL) return x;
    const graph_ref sign = x & 1u;
    const graph_value *a = &g->values[graph_id(v.a)], *b = &g->values[graph_id(v.b)];
    if (b->op == GRAPH_INVERSE) return divide(g, v.a, b->a | (v.b & 1u)) ^ sign;
    if (a->op == GRAPH_INVERSE) return divide(g, v.b, a->a | (v.a & 1u)) ^ sign;
    return x;
}

static graph_ref call(graph *g, uint32_t op, graph_ref a, graph_ref b, graph_ref c)
{
    if (expr_function_has_kink((mech_function)(op - PROGRAM_CALL))) {
        a = deciding(g, a);
        b = b ? deciding(g, b) : b;
    }
    const int arity = expr_function_arity((mech_function)(op - PROGRAM_CALL));
    if (op == PROGRAM_CALL + (uint32_t)MECH_FUNCTION_ABS) return make(g, GRAPH_ABS, a & ~1u, 0, 0);
    return make(g, GRAPH_CALL + (op - PROGRAM_CALL), a, arity > 1 ? b : 0, arity > 2 ? c : 0);
}

/* ---- from the program ---- */

static graph_ref instruction(graph *g, uint32_t op, graph_ref a, graph_ref b, graph_ref c)
{
    double number;
    switch (op) {
    case PROGRAM_COPY: return a;
    case PROGRAM_NEG: return graph_negative(a);
    case PROGRAM_ADD: return graph_add(g, a, b);
    case PROGRAM_SUB: return graph_add(g, a, graph_negative(b));
    case PROGRAM_MUL: return graph_multiply(g, a, b);
    case PROGRAM_DIV: /* by a number: mostly a sum that decides, see build_divisor */
        return is_constant(g, b, &number) ? divide(g, a, b) : graph_multiply(g, a, inverse(g, b));
    case PROGRAM_MULADD: return graph_multiply_add(g, a, b, c);
    case PROGRAM_MULSUB: return graph_multiply_add(g, a, b, graph_negative(c));
    case PROGRAM_SUBMUL: return graph_multiply_add(g, graph_negative(a), b, c);
    case PROGRAM_SQRT: return make(g, GRAPH_SQRT, a, 0, 0);
    case PROGRAM_SIN: return make(g, GRAPH_SIN, a & ~1u, 0, 0) | (a & 1u);
    case PROGRAM_COS: return make(g, GRAPH_COS, a & ~1u, 0, 0);
    case PROGRAM_POW: return make(g, GRAPH_POW, a, b, 0);
    case PROGRAM_SELECT: return make(g, GRAPH_SELECT, a, b, c);
    default: return call(g, op, a, b, c);
    }
}

mech_status graph_add_program(graph *g, const program *p, uint32_t params, graph_ref *outputs)
{
    graph_ref *slot = mem_zeroed(p->slot_count, sizeof *slot);
    if (!slot) return MECH_ERR_MEMORY;
    for (uint32_t i = 0; i < p->constant_count + p->output_count; i++)
        slot[p->input_count + i] = graph_constant(g, p->image[i]);
    for (uint32_t i = 0; i < p->input_count; i++) slot[i] = graph_input(g, i, i >= params);
    for (uint32_t i = 0; i < p->stage_start[p->stage_count] && g->status == MECH_OK; i++) {
        const program_instruction *k = &p->code[i];
        const graph_ref a = slot[k->a];
        if (k->op == PROGRAM_SINCOS) {
            slot[k->out] = instruction(g, PROGRAM_SIN, a, 0, 0);
            slot[k->b] = instruction(g, PROGRAM_COS, a, 0, 0);
        } else {
            slot[k->out] = instruction(g, k->op, a, slot[k->b], slot[k->c]);
        }
    }
    for (uint32_t i = 0; i < p->output_count; i++) outputs[i] = slot[p->output_first + i];
    mem_free(slot);
    return g->status;
}

/* ---- from the plan ---- */

static void keep(graph *g, graph_ref guard)
{
    const uint32_t id = graph_id(guard);
    if (g->status != MECH_OK) return;
    for (size_t i = g->guard_count; i-- > 0 && i + 16 > g->guard_count;)
        if (g->guards[i] == id) return;
    if (!mem_grow(&g->guards, &g->guard_capacity, g->guard_count + 1, sizeof *g->guards)) g->status = MECH_ERR_MEMORY;
    else g->guards[g->guard_count++] = id;
}

static graph_ref invert(graph *g, graph_ref a, graph_ref reference)
{
    double x;
    if (g->status != MECH_OK) return 0;
    if (!(is_constant(g, a, &x) && x > 0 && a == reference)) keep(g, make(g, GRAPH_GUARD, a, reference, 0));
    return inverse(g, a);
}

static graph_ref size_of(graph *g, graph_ref a)
{
    double x;
    if (g->status != MECH_OK) return 0;
    return is_constant(g, a & ~1u, &x) ? a & ~1u : make(g, GRAPH_ABS, a & ~1u, 0, 0);
}

graph_ref graph_part_of(graph *g, graph_ref a, graph_ref b) { return graph_multiply(g, size_of(g, a), inverse(g, b)); }

graph_ref graph_least(graph *g, graph_ref a, graph_ref b)
{
    return make(g, GRAPH_CALL + (unsigned)MECH_FUNCTION_MIN, a, b, 0);
}

/* c + |a| 2^power */
static graph_ref norm(graph *g, graph_ref a, int power, graph_ref c)
{
    const graph_ref size = graph_multiply(g, size_of(g, a), graph_constant(g, ldexp(1, power)));
    return c ? graph_add(g, c, size) : size;
}

static graph_ref solve_one(graph *g, graph_ref a, graph_ref whole)
{
    if (g->status != MECH_OK) return 0;
    const graph_ref guard = make(g, GRAPH_CLEAR, a & ~1u, whole, 0);
    keep(g, guard);
    if (!mem_grow(&g->determinants, &g->determinant_capacity, g->determinant_count + 1, sizeof *g->determinants))
        g->status = MECH_ERR_MEMORY;
    else g->determinants[g->determinant_count++] = graph_id(guard);
    return inverse(g, a);
}

/* The inverse of [a b; c d], by rows. */
static void solve_two(graph *g, const plan_op *k, graph_ref *s)
{
    const graph_ref a = s[k->a], b = s[k->b], c = s[k->c], d = s[k->d];
    const graph_ref det = graph_multiply_add(g, a, d, graph_negative(graph_multiply(g, b, c)));
    const graph_ref scale = solve_one(g, det, s[k->e]);
    s[k->out] = graph_multiply(g, d, scale);
    s[k->out + 1] = graph_negative(graph_multiply(g, b, scale));
    s[k->out + 2] = graph_negative(graph_multiply(g, c, scale));
    s[k->out + 3] = graph_multiply(g, a, scale);
}

/* A pivot of two; its three parts. */
static void invert2(graph *g, unsigned op, const plan_op *k, graph_ref *slots)
{
    graph_value v = {
        .op = (uint8_t)op, .a = slots[k->a], .b = slots[k->b], .c = slots[k->c], .d = slots[k->d], .e = slots[k->e]};
    graph_ref operands[5];
    if (g->status != MECH_OK) return;
    const int count = graph_operands(&v, operands);
    for (int i = 0; i < count; i++) v.stage |= g->values[graph_id(operands[i])].stage;
    const graph_ref made = graph_intern(g, v);
    for (uint32_t part = 0; part < 3; part++) {
        const graph_ref x = graph_intern(g, (graph_value){.op = GRAPH_PART, .stage = v.stage, .a = made, .b = part});
        slots[k->out + part] = part == 1 ? graph_negative(x) : x;
    }
}

mech_status graph_add_plan(graph *g, const plan *p, graph_ref *s)
{
    const size_t fronts = g->front_count;
    size_t cut = 0;
    for (size_t i = 0; i < p->op_count && g->status == MECH_OK; i++) {
        const plan_op *k = &p->ops[i];
        for (; cut < p->cut_count && p->cuts[cut].op <= i; cut++)
            g->block = p->cuts[cut].kind == PLAN_PLAIN ? 0 : 4 * (g->blocks + (uint32_t)cut + 1) + p->cuts[cut].kind;
        const graph_ref a = s[k->a], b = s[k->b];
        switch (k->code) {
        case PLAN_MUL: s[k->out] = graph_multiply(g, a, b); break;
        case PLAN_NEGMUL: s[k->out] = graph_negative(graph_multiply(g, a, b)); break;
        case PLAN_MULADD: s[k->out] = graph_multiply_add(g, a, b, s[k->c]); break;
        case PLAN_MULSUB: s[k->out] = graph_multiply_add(g, graph_negative(a), b, s[k->c]); break;
        case PLAN_SIZE: {
            const graph_ref size = make(g, GRAPH_ABS, graph_multiply(g, a, b) & ~1u, 0, 0);
            s[k->out] = k->c == PLAN_NONE ? size : graph_add(g, s[k->c], size);
            break;
        }
        case PLAN_INVERT: s[k->out] = invert(g, a, b); break;
        case PLAN_PIVOT: s[k->out] = make(g, GRAPH_PIVOT, a, b, 0); break;
        case PLAN_INVERT2: invert2(g, GRAPH_INVERT2, k, s); break;
        case PLAN_PIVOT2: invert2(g, GRAPH_PIVOT2, k, s); break;
        case PLAN_NEG: s[k->out] = graph_negative(a); break;
        case PLAN_NORM: s[k->out] = norm(g, a, (int)k->d - PLAN_BIAS, k->c == PLAN_NONE ? 0 : s[k->c]); break;
        case PLAN_SOLVE: s[k->out] = solve_one(g, a, b); break;
        case PLAN_SOLVE2: solve_two(g, k, s); break;
        case PLAN_ADD: s[k->out] = graph_add(g, a, b); break;
        case PLAN_ROOM: s[k->out] = norm(g, a, (int)k->d - PLAN_BIAS, graph_constant(g, PLAN_TINY)); break;
        case PLAN_CLEAR: keep(g, make(g, GRAPH_CLEAR, a, b, 0)); break;
        case PLAN_FRONT: graph_eliminate_front(g, p, k, fronts, s); break;
        case PLAN_BACK: graph_solve_front(g, p, k, fronts, s); break;
        case PLAN_BOUND: keep(g, make(g, GRAPH_CLEAR, graph_constant(g, 1), a, 0)); break;
        default:
            if (!is_number(g, a, 0)) keep(g, make(g, GRAPH_MONITOR, a, b, 0));
            break;
        }
    }
    g->block = 0;
    g->blocks += (uint32_t)p->cut_count;
    return g->status;
}
