/* A graph as C: statements, functions and what passes between them. */
#include "compile/emit_room.h"

#include "base/mem.h"
#include "base/try.h"

#include <math.h>
#include <string.h>

/* ---- text ---- */

void emit_number(textbuf *to, double value)
{
    if (isnan(value)) {
        text_add(to, "(0.0/0.0)");
        return;
    }
    if (isinf(value)) {
        text_add(to, value > 0 ? "(1.0/0.0)" : "(-1.0/0.0)");
        return;
    }
    textbuf digits = {0};
    text_add_double(&digits, value);
    if (digits.data) {
        text_add(to, digits.data);
        if (!strpbrk(digits.data, ".en")) text_add(to, ".0");
    } else {
        to->failed = 1;
    }
    text_free(&digits);
}

static void add_place(textbuf *to, const emit_place *p)
{
    text_add(to, p->array);
    if (p->index != EMIT_SCALAR) text_format(to, "[%u]", (unsigned)p->index);
}

void emit_operand(const emitter *e, graph_ref x)
{
    const uint32_t id = graph_id(x);
    const graph_value *v = emit_value(e, id);
    const emit_twin *t = emit_twin_of(e, id);
    if (emit_sign(e, x)) text_add_char(e->to, '-');
    if (v->op == GRAPH_CONSTANT) emit_number(e->to, graph_constant_value(v));
    else if (v->stage == 0 && e->stage == 1) text_format(e->to, "k[%u]", (unsigned)e->at[id].kept);
    else if (v->op == GRAPH_INPUT) add_place(e->to, &e->spec->inputs[v->a]);
    else if (t && e->at[id].chunk == e->chunk) text_format(e->to, "y%u[%d]", (unsigned)t->value[0], t->value[1] == id);
    else text_format(e->to, "x%u", (unsigned)id);
}

/* Text with %a, %b, %c for the operands. */
static void add_pattern(const emitter *e, const char *pattern, const graph_value *v)
{
    for (const char *c = pattern; *c; c++) {
        if (*c != '%') text_add_char(e->to, *c);
        else emit_operand(e, *++c == 'a' ? v->a : *c == 'b' ? v->b : v->c);
    }
}

static const char *function_pattern(mech_function function)
{
    switch (function) {
    case MECH_FUNCTION_SIN: return "sin(%a)";
    case MECH_FUNCTION_COS: return "cos(%a)";
    case MECH_FUNCTION_TAN: return "tan(%a)";
    case MECH_FUNCTION_ASIN: return "asin(%a)";
    case MECH_FUNCTION_ACOS: return "acos(%a)";
    case MECH_FUNCTION_ATAN: return "atan(%a)";
    case MECH_FUNCTION_SINH: return "sinh(%a)";
    case MECH_FUNCTION_COSH: return "cosh(%a)";
    case MECH_FUNCTION_TANH: return "tanh(%a)";
    case MECH_FUNCTION_EXP: return "exp(%a)";
    case MECH_FUNCTION_LOG: return "log(%a)";
    case MECH_FUNCTION_ABS: return "fabs(%a)";
    case MECH_FUNCTION_SIGN: return "%a > 0.0 ? 1.0 : %a < 0.0 ? -1.0 : %a";
    case MECH_FUNCTION_ATAN2: return "atan2(%a, %b)";
    case MECH_FUNCTION_POW: return "pow(%a, %b)";
    case MECH_FUNCTION_MIN: return "%a < %b ? %a : %b";
    case MECH_FUNCTION_MAX: return "%a > %b ? %a : %b";
    case MECH_FUNCTION_LESS: return "(double)(%a < %b)";
    case MECH_FUNCTION_LESS_EQUAL: return "(double)(%a <= %b)";
    case MECH_FUNCTION_EQUAL: return "(double)(%a == %b)";
    case MECH_FUNCTION_AND: return "(double)(%a != 0.0 && %b != 0.0)";
    case MECH_FUNCTION_OR: return "(double)(%a != 0.0 || %b != 0.0)";
    case MECH_FUNCTION_NOT: return "(double)(%a == 0.0)";
    case MECH_FUNCTION_IF: return "%a != 0.0 ? %b : %c";
    case MECH_FUNCTION_FLOOR: return "floor(%a)";
    case MECH_FUNCTION_COUNT: break;
    }
    return "0.0";
}

const char *emit_pattern(const graph_value *v)
{
    switch (v->op) {
    case GRAPH_ADD: return "%a + %b";
    case GRAPH_SUB: return "%a - %b";
    case GRAPH_MUL: return "%a*%b";
    case GRAPH_MULADD: return "%a*%b + %c";
    case GRAPH_MULSUB: return "%a*%b - %c";
    case GRAPH_INVERSE: return "1.0/%a";
    case GRAPH_DIVIDE: return "%a/%b";
    case GRAPH_SQRT: return "sqrt(%a)";
    case GRAPH_SIN: return "sin(%a)";
    case GRAPH_COS: return "cos(%a)";
    case GRAPH_POW: return "pow(%a, %b)";
    case GRAPH_SELECT: return "%a != 0.0 ? %b : %c";
    case GRAPH_ABS: return "fabs(%a)";
    case GRAPH_PIVOT: return "pivot(%a, %b, &f)";
    default: return function_pattern((mech_function)(v->op - GRAPH_CALL));
    }
}

static void add_pair(const emitter *e, uint32_t id, const graph_value *v)
{
    text_format(e->to, "    double x%u, x%u, x%u;\n    f |= %s(", (unsigned)id + 1, (unsigned)id + 2, (unsigned)id + 3,
                v->op == GRAPH_PIVOT2 ? "pivot2" : "invert2");
    const graph_ref operands[5] = {v->a, v->b, v->c, v->d, v->e};
    for (int k = 0; k < 5; k++) {
        emit_operand(e, operands[k]);
        text_add(e->to, ", ");
    }
    text_format(e->to, "&x%u, &x%u, &x%u);\n", (unsigned)id + 1, (unsigned)id + 2, (unsigned)id + 3);
}

/* One after the other: a thread of a card has no vectors. */
static void add_angles(const emitter *e, const emit_batch *b)
{
    for (int k = 0; k < b->count; k++) {
        const unsigned sine = b->sine[k] ? b->sine[k] : b->cosine[k], cosine = b->cosine[k];
        text_format(e->to, b->sine[k] && cosine ? "    double x%u, x%u;\n" : "    double x%u;\n", sine, cosine);
        if (b->sine[k] && cosine) text_add(e->to, "    sine_cosine(");
        else text_format(e->to, "    x%u = %s(", sine, cosine ? "only_cosine" : "only_sine");
        emit_operand(e, 2 * b->arg[k]);
        if (b->sine[k] && cosine) text_format(e->to, ", &x%u, &x%u", sine, cosine);
        text_add(e->to, ");\n");
    }
}

static void add_batch(const emitter *e, uint32_t number)
{
    const emit_batch *b = &e->batches[number];
    if (e->spec->is_card) {
        add_angles(e, b);
        return;
    }
    const int width = b->count > 4 ? 8 : b->count > 2 ? 4 : 2;
    const unsigned n = (unsigned)number;
    text_format(e->to, "    v%d a%u = {", width, n);
    for (int k = 0; k < width; k++) {
        if (k) text_add(e->to, ", ");
        if (k < b->count) emit_operand(e, 2 * b->arg[k]);
        else text_add(e->to, "0.0");
    }
    text_format(e->to, "}, s%u, c%u;\n    sincos%d(&a%u, &s%u, &c%u);\n", n, n, width, n, n, n);
    for (int k = 0; k < b->count; k++) {
        if (b->sine[k]) text_format(e->to, "    const double x%u = s%u[%d];\n", (unsigned)b->sine[k], n, k);
        if (b->cosine[k]) text_format(e->to, "    const double x%u = c%u[%d];\n", (unsigned)b->cosine[k], n, k);
    }
}

static void add_statement(emitter *e, uint32_t item)
{
    if (item & EMIT_TWIN) {
        emit_twin_statement(e, item - EMIT_TWIN);
        return;
    }
    if (item & EMIT_BATCH) {
        add_batch(e, item - EMIT_BATCH);
        return;
    }
    const graph_value *v = emit_value(e, item);
    if (v->op == GRAPH_PART || emit_front_statement(e, item, v)) return;
    if (emit_is_pair(v)) {
        add_pair(e, item, v);
    } else if (v->op == GRAPH_GUARD) {
        add_pattern(e, "    f |= !(%a > MASS*%b && %a > 0.0);\n", v);
    } else if (v->op == GRAPH_CLEAR) {
        add_pattern(e, "    f |= fabs(%a) > PART*%b ? 0 : 4;\n", v);
    } else if (v->op == GRAPH_MONITOR) {
        add_pattern(e, "    f |= !(fabs(%a) <= MISSED*fabs(%b));\n", v);
    } else {
        text_format(e->to, "    const double x%u = ", (unsigned)item);
        add_pattern(e, emit_pattern(v), v);
        text_add(e->to, ";\n");
    }
}

/* ---- functions ---- */

static uint32_t take_work(emitter *e)
{
    return e->free_count ? e->free_work[--e->free_count] : (uint32_t)e->work_count++;
}

static void add_output(const emitter *e, size_t i)
{
    const emit_spec *spec = e->spec;
    const int is_optional =
        e->skips_optional && i >= spec->optional_first && i < spec->optional_first + spec->optional_count;
    text_add(e->to, "    ");
    if (is_optional && !e->is_late) text_format(e->to, "if (%s) ", spec->optional);
    add_place(e->to, &spec->outputs[i]);
    text_add(e->to, " = ");
    emit_operand(e, spec->values[i]);
    text_add(e->to, ";\n");
}

static void add_outputs(const emitter *e, uint32_t id)
{
    for (uint32_t i = e->first_output[id]; i != EMIT_NONE; i = e->next_output[i]) add_output(e, i);
}

/* A value goes where outputs, later functions or k[] want it. */
static void add_store(emitter *e, uint32_t id)
{
    emit_where *at = &e->at[id];
    if (e->stage == 0) {
        if (at->kept != EMIT_NONE) text_format(e->to, "    k[%u] = x%u;\n", (unsigned)at->kept, (unsigned)id);
        return;
    }
    add_outputs(e, id);
    if (at->last <= e->chunk) return;
    at->work = take_work(e);
    at->next = e->ending[at->last];
    e->ending[at->last] = id;
    text_format(e->to, "    w[%u] = x%u;\n", (unsigned)at->work, (unsigned)id);
}

static void add_stores(emitter *e, uint32_t item)
{
    if (item & EMIT_TWIN) {
        for (int lane = 0; lane < 2; lane++) add_outputs(e, e->twins[item - EMIT_TWIN].value[lane]);
        emit_twin_store(e, item - EMIT_TWIN);
        return;
    }
    if (!(item & EMIT_BATCH)) {
        if (!emit_is_pair(emit_value(e, item)) && graph_has_value(emit_value(e, item))) add_store(e, item);
        return;
    }
    const emit_batch *b = &e->batches[item - EMIT_BATCH];
    for (int k = 0; k < b->count; k++) {
        if (b->sine[k]) add_store(e, b->sine[k]);
        if (b->cosine[k]) add_store(e, b->cosine[k]);
    }
}

/* Once a function, where it is first read. */
void emit_load(emitter *e, uint32_t id)
{
    emit_where *at = &e->at[id];
    if (!at->chunk || at->chunk == e->chunk || at->loaded == e->chunk || emit_value(e, id)->stage != e->stage ||
        !graph_has_value(emit_value(e, id)))
        return;
    at->loaded = e->chunk;
    text_format(e->to, "    const double x%u = w[%u];\n", (unsigned)id, (unsigned)at->work);
}

/* Values of earlier functions that this item is the first here to read; twins load lanes together. */
static void add_loads(emitter *e, uint32_t item)
{
    uint32_t used[EMIT_LANES];
    const int count = item & EMIT_TWIN ? 0 : emit_reads(e, item, used);
    for (int k = 0; k < count; k++) emit_load(e, used[k]);
}

/* Places in w[] whose last reader was this function are free again. */
static void free_places(emitter *e, uint32_t chunk)
{
    for (uint32_t id = e->ending[chunk]; id; id = e->at[id].next) {
        if (emit_twin_of(e, id)) e->free_twins[e->free_twin_count++] = e->at[id].work;
        else e->free_work[e->free_count++] = e->at[id].work;
    }
}

/* Outputs that are inputs, numbers or values of parameters. */
static void add_plain_outputs(const emitter *e)
{
    for (size_t i = 0; i < e->spec->output_count; i++) {
        const graph_value *v = emit_value(e, graph_id(e->spec->values[i]));
        if (!emit_is_leaf(v) && v->stage == 1) continue;
        add_output(e, i);
    }
}

static void open_function(const emitter *e, size_t chunk)
{
    const char *prefix = e->spec->prefix;
    if (e->spec->is_card) text_add(e->to, "CARD ");
    if (e->stage == 0) {
        text_format(e->to, "int %s_parameters(const double *p, double *k)\n{\n    int f = 0;\n    (void)p, (void)k;\n",
                    prefix);
        return;
    }
    if (chunk) text_format(e->to, "static int %s_%zu(" EMIT_ARGUMENTS ")\n", prefix, chunk);
    else text_format(e->to, "int %s_motion(" EMIT_ARGUMENTS ")\n", prefix);
    text_add(e->to, "{\n    int f = 0;\n    (void)k, (void)t, (void)q, (void)v, (void)z, (void)u;\n"
                    "    (void)qdd, (void)lambda, (void)more, (void)w;\n");
}

/* x*0 is 0 for every finite x; two sums, so that they do not wait for one another. */
static void add_finite_test(const emitter *e)
{
    text_add(e->to, "    double even = 0.0, odd = 0.0;\n");
    for (size_t i = 0; i < e->spec->finite_count; i++) {
        const char *sum = i % 2 ? "odd" : "even";
        text_format(e->to, "    %s = ", sum);
        emit_operand(e, e->spec->values[i] & ~1u);
        text_format(e->to, "*0.0 + %s;\n", sum);
    }
    text_add(e->to, "    f |= even + odd == 0.0 ? 0 : 1;\n");
}

static void add_chunk(emitter *e, const uint32_t *starts, uint32_t chunk)
{
    e->chunk = chunk;
    e->pack_count = 0;
    for (uint32_t i = starts[chunk - 1]; i < starts[chunk]; i++) {
        if (e->skips_optional && i == e->early_count) {
            text_format(e->to, "    if (%s) {\n", e->spec->optional);
            e->is_late = 1;
        }
        add_loads(e, e->order[i]);
        add_statement(e, e->order[i]);
        add_stores(e, e->order[i]);
    }
    if (e->is_late) text_add(e->to, "    }\n");
    e->is_late = 0;
    if (e->stage == 1 && e->chunk_count == 1 && e->spec->finite_count) add_finite_test(e);
    free_places(e, chunk);
}

static void add_stage(emitter *e, const uint32_t *starts)
{
    const size_t chunks = e->chunk_count;
    if (e->twin_count) emit_twin_types(e->to);
    for (uint32_t c = 1; chunks > 1 && c <= chunks; c++) {
        open_function(e, c);
        add_chunk(e, starts, c);
        text_add(e->to, "    return f;\n}\n\n");
    }
    open_function(e, 0);
    if (chunks == 1) add_chunk(e, starts, 1);
    for (size_t c = 1; chunks > 1 && c <= chunks; c++)
        text_format(e->to, "    f |= %s_%zu(k, t, q, v, z, u, qdd, lambda, more, w);\n", e->spec->prefix, c);
    for (size_t i = 1; e->stage == 0 && i < e->g->count; i++) { /* parameters that are used as they are */
        if (emit_value(e, (uint32_t)i)->op != GRAPH_INPUT || e->at[i].kept == EMIT_NONE) continue;
        text_format(e->to, "    k[%u] = ", (unsigned)e->at[i].kept);
        emit_operand(e, (graph_ref)(2 * i));
        text_add(e->to, ";\n");
    }
    if (e->stage == 1) add_plain_outputs(e);
    text_add(e->to, "    return f;\n}\n\n");
}

static void list_outputs(emitter *e)
{
    memset(e->first_output, 0xff, e->g->count * sizeof *e->first_output);
    for (size_t i = e->spec->output_count; i-- > 0;) {
        const uint32_t id = graph_id(e->spec->values[i]);
        e->next_output[i] = e->first_output[id];
        e->first_output[id] = (uint32_t)i;
    }
}

static mech_status emit_stage(emitter *e, int stage, emit_result *result)
{
    MECH_TRY(emit_order(e, stage));
    uint32_t *starts = mem_zeroed(e->order_count + 2, sizeof *starts);
    if (!starts) return MECH_ERR_MEMORY;
    emit_cut(e, starts, stage == 0 ? SIZE_MAX : 0);
    e->skips_optional = result->has_optional = stage == 1 && e->spec->optional && e->chunk_count <= 1 && !e->twin_count;
    result->statements = e->order_count;
    const int is_too_long = e->spec->most && e->order_count > e->spec->most;
    if (e->to && !is_too_long) add_stage(e, starts);
    mem_free(starts);
    return is_too_long ? MECH_ERR_LIMIT : e->status;
}

static mech_status allocate(emitter *e)
{
    const size_t count = e->g->count + 1;
    e->state = mem_zeroed(count, 1);
    e->depth = mem_zeroed(count, sizeof *e->depth);
    e->late = mem_zeroed(count, 1);
    e->at = mem_zeroed(count, sizeof *e->at);
    e->order = mem_zeroed(count, sizeof *e->order);
    e->stack = mem_zeroed(6 * count, sizeof *e->stack);
    e->free_work = mem_zeroed(count, sizeof *e->free_work);
    e->free_twins = mem_zeroed(count, sizeof *e->free_twins);
    e->first_output = mem_zeroed(count, sizeof *e->first_output);
    e->ending = mem_zeroed(count, sizeof *e->ending);
    e->next_output = mem_zeroed(e->spec->output_count + 1, sizeof *e->next_output);
    const int done = e->state && e->depth && e->late && e->at && e->order && e->stack && e->free_work &&
                     e->free_twins && e->first_output && e->ending && e->next_output;
    return done ? MECH_OK : MECH_ERR_MEMORY;
}

static mech_status run(emitter *e, emit_result *result)
{
    textbuf *to = e->to, body = {0};
    MECH_TRY(e->g->status);
    MECH_TRY(allocate(e));
    emit_mark(e);
    list_outputs(e);
    if (to) e->to = &body;
    if (to) emit_front_loops(e);
    e->work_count = emit_front_room(e->g, (uint32_t)e->g->front_count);
    mech_status status = emit_stage(e, 0, result);
    if (status == MECH_OK) status = emit_stage(e, 1, result);
    result->kept = e->kept_count;
    result->work = e->work_count;
    result->angles = e->angle_count;
    result->functions = e->chunk_count;
    result->is_scheduled = e->is_scheduled;
    result->tests_finite = e->chunk_count == 1 && e->spec->finite_count > 0;
    if (status == MECH_OK && to) {
        e->to = to;
        if (body.data) text_add_n(to, body.data, body.length);
        if (body.failed || to->failed) status = MECH_ERR_MEMORY;
    }
    text_free(&body);
    return status;
}

mech_status emit_lines(const emit_spec *spec, textbuf *to, emit_result *result)
{
    emitter e = {.spec = spec, .g = spec->graph, .to = to, .status = MECH_OK};
    *result = (emit_result){0};
    const mech_status status = run(&e, result);
    result->twins = e.twin_count;
    result->lines = result->statements + e.twin_count + emit_front_operations(spec->graph);
    mem_free(e.state);
    mem_free(e.depth);
    mem_free(e.late);
    mem_free(e.at);
    mem_free(e.order);
    mem_free(e.stack);
    mem_free(e.batches);
    mem_free(e.twins);
    mem_free(e.twin_of);
    mem_free(e.packs);
    mem_free(e.free_work);
    mem_free(e.free_twins);
    mem_free(e.first_output);
    mem_free(e.ending);
    mem_free(e.next_output);
    return status;
}
