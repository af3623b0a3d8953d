/* C for the whole acceleration of a compiled model: its expressions with shortened rows as a program of two
   stages, the elimination plan for their pattern, both in one graph. */
#include "system/motion.h"

#include "base/mem.h"
#include "base/try.h"
#include "system/compiled.h"

#include <string.h>

int motion_is_plain(const mech_system *s, const char **why)
{
    *why = s->sizes.coords == 0                     ? "there are no coordinates"
           : s->sizes.rows != s->sizes.natural_rows ? "there are control rows"
           : s->sizes.frictions                     ? "there is friction"
           : s->sizes.laws                          ? "there are laws of non-ideal constraints"
                                                    : NULL;
    return *why == NULL;
}

/* What one call works with. */
typedef struct source {
    motion_source *spec;
    const mech_system *system;
    const mech_model *model;
    motion_rows rows;
    program_output *outputs;
    size_t count, M, A, Q, b, power, rate; /* where the parts start */
    program *code;
    plan *steps;
    graph graph;
    graph_ref *refs, *slots, *values;
    emit_place *inputs, *places;
    uint32_t *pattern; /* rows and columns of M, then of A */
} source;

/* ---- the program ---- */

static void put(source *s, mech_expr value) { s->outputs[s->count++] = (program_output){value, 1}; }

static mech_status collect(source *s)
{
    const model_equations *e = &s->model->equations;
    const size_t n = s->model->coords_count, m = s->model->rows_count, states = s->model->states_count;
    s->outputs = mem_zeroed(e->M.count + s->rows.A.count + n + m + 1 + states, sizeof *s->outputs);
    if (!s->outputs) return MECH_ERR_MEMORY;
    for (size_t i = 0; i < e->M.count; i++) put(s, e->M.items[i].value);
    s->A = s->count;
    for (size_t i = 0; i < s->rows.A.count; i++) put(s, s->rows.A.items[i].value);
    s->Q = s->count;
    for (size_t i = 0; i < n; i++) put(s, e->Q[i]);
    s->b = s->count;
    for (size_t i = 0; i < m; i++) put(s, s->rows.b[i]);
    s->power = s->count;
    put(s, e->power);
    s->rate = s->count;
    for (size_t i = 0; i < states; i++) put(s, s->model->states[i].rate);
    return MECH_OK;
}

/* The system's inputs; those that are not known here are left out, so that using one is an error. */
static mech_status make_program(source *s)
{
    const system_inputs *in = &s->system->in;
    program_input *inputs = mem_zeroed(in->count, sizeof *inputs);
    if (!inputs) return MECH_ERR_MEMORY;
    compiled_list_inputs(s->system, s->model, inputs);
    for (size_t i = 0; i < in->count; i++) inputs[i].stage = i >= in->t;
    for (size_t i = in->lambda; i < in->count; i++) inputs[i].symbol = (mech_expr){0};
    const program_spec spec = {s->model->pool, inputs, in->count, s->outputs, s->count, 2, NULL};
    const mech_status status = program_create(&spec, NULL, &s->code);
    mem_free(inputs);
    return status == MECH_ERR_ARGUMENT ? MECH_ERR_UNSUPPORTED : status;
}

static mech_status make_plan(source *s)
{
    const model_entries *M = &s->model->equations.M, *A = &s->rows.A;
    const size_t total = M->count + A->count;
    s->pattern = mem_zeroed(2 * total + 1, sizeof *s->pattern);
    if (!s->pattern) return MECH_ERR_MEMORY;
    uint32_t *row = s->pattern, *column = s->pattern + total;
    for (size_t i = 0; i < total; i++) {
        const model_entry *e = i < M->count ? &M->items[i] : &A->items[i - M->count];
        row[i] = e->row;
        column[i] = e->column;
    }
    const plan_spec spec = {.n = s->model->coords_count,
                            .m = s->model->rows_count,
                            .M = {M->count, row, column},
                            .A = {A->count, row + M->count, column + M->count},
                            .monitored = s->spec->monitored,
                            .most_ops = s->spec->most};
    return plan_create(&spec, &s->steps);
}

/* ---- the graph ---- */

static void name_range(emit_place *to, size_t first, size_t count, const char *array, size_t offset)
{
    for (size_t i = 0; i < count; i++) to[first + i] = (emit_place){array, (uint32_t)(offset + i)};
}

static void name_inputs(const mech_system *s, emit_place *to)
{
    const system_inputs *in = &s->in;
    const mech_sizes *k = &s->sizes;
    for (size_t i = 0; i < in->count; i++) to[i] = (emit_place){"1.0", EMIT_SCALAR}; /* active: all are */
    name_range(to, in->p, k->params, "p", 0);
    to[in->t] = (emit_place){"t", EMIT_SCALAR};
    name_range(to, in->z, k->states, "z", 0);
    name_range(to, in->u, k->inputs, "u", 0);
    name_range(to, in->u_dot, k->inputs, "u", k->inputs);
    name_range(to, in->u_ddot, k->inputs, "u", 2 * k->inputs);
    name_range(to, in->q, k->coords, "q", 0);
    name_range(to, in->v, k->coords, "v", 0);
}

/* lambda = E' lambda': the steps backwards */
static void restore_lambda(source *s, graph_ref *lambda)
{
    const mech_pool *pool = s->model->pool;
    for (size_t i = s->rows.step_count; i-- > 0;) {
        const motion_step *step = &s->rows.steps[i];
        const graph_ref factor = graph_constant(&s->graph, -expr_number_of(pool, step->factor)->value);
        lambda[step->from] = graph_multiply_add(&s->graph, factor, lambda[step->row], lambda[step->from]);
    }
}

/* power + lambda' A' v */
static graph_ref total_power(source *s, const graph_ref *lambda)
{
    const model_entries *A = &s->rows.A;
    graph_ref total = s->refs[s->power], row = graph_constant(&s->graph, 0);
    for (size_t i = 0; i < A->count; i++) {
        const graph_ref v = graph_input(&s->graph, (uint32_t)(s->system->in.v + A->items[i].column), 1);
        row = graph_multiply_add(&s->graph, s->refs[s->A + i], v, row);
        if (i + 1 < A->count && A->items[i + 1].row == A->items[i].row) continue;
        total = graph_multiply_add(&s->graph, lambda[A->items[i].row], row, total);
        row = graph_constant(&s->graph, 0);
    }
    return total;
}

static mech_status make_graph(source *s)
{
    const size_t n = s->steps->n, m = s->steps->m, states = s->model->states_count, all = n + m + 1 + states;
    s->refs = mem_zeroed(s->count + 1, sizeof *s->refs);
    s->slots = mem_zeroed(s->steps->slot_count + 1, sizeof *s->slots);
    s->values = mem_zeroed(all, sizeof *s->values);
    s->inputs = mem_zeroed(s->system->in.count, sizeof *s->inputs);
    s->places = mem_zeroed(all, sizeof *s->places);
    if (!s->refs || !s->slots || !s->values || !s->inputs || !s->places) return MECH_ERR_MEMORY;
    name_inputs(s->system, s->inputs);
    MECH_TRY(graph_add_program(&s->graph, s->code, (uint32_t)s->model->params_count, s->refs));
    memcpy(s->slots, s->refs, s->steps->input_count * sizeof *s->slots); /* M, A, Q, b: the same order */
    MECH_TRY(graph_add_plan(&s->graph, s->steps, s->slots));
    for (size_t i = 0; i < n; i++) s->values[i] = s->slots[s->steps->qdd[i]];
    for (size_t i = 0; i < m; i++)
        s->values[n + i] =
            s->steps->lambda[i] == PLAN_NONE ? graph_constant(&s->graph, 0) : s->slots[s->steps->lambda[i]];
    s->values[n + m] = s->spec->with_power ? total_power(s, s->values + n) : graph_constant(&s->graph, 0);
    restore_lambda(s, s->values + n);
    for (size_t i = 0; i < states; i++) s->values[n + m + 1 + i] = s->refs[s->rate + i];
    name_range(s->places, 0, n, "qdd", 0);
    name_range(s->places, n, m, "lambda", 0);
    name_range(s->places, n + m, 1 + states, "more", 0);
    return s->graph.status;
}

/* To text, or to a tape. */
static mech_status make(source *s, textbuf *text, tape **code)
{
    const size_t n = s->model->coords_count, m = s->model->rows_count;
    MECH_TRY(motion_rows_make(s->model, s->spec->monitored, &s->rows));
    MECH_TRY(collect(s));
    MECH_TRY(make_program(s));
    MECH_TRY(make_plan(s));
    MECH_TRY(make_graph(s));
    s->spec->steps = s->rows.step_count;
    s->spec->operations = s->steps->op_count;
    s->spec->watched = s->steps->watched;
    const emit_spec spec = {.graph = &s->graph,
                            .inputs = s->inputs,
                            .values = s->values,
                            .outputs = s->places,
                            .output_count = n + m + 1 + s->model->states_count,
                            .prefix = s->spec->prefix,
                            .most = s->spec->most};
    if (code) return tape_create(&spec, code);
    return emit_c(&spec, text, &s->spec->size);
}

static mech_status make_either(motion_source *spec, textbuf *text, tape **code)
{
    const system_compiled *c = spec->system->implementation;
    source s = {.spec = spec, .system = spec->system, .model = c->model};
    const mech_status status = make(&s, text, code);
    motion_rows_free(&s.rows);
    mem_free(s.outputs);
    program_free(s.code);
    plan_free(s.steps);
    graph_free(&s.graph);
    mem_free(s.refs);
    mem_free(s.slots);
    mem_free(s.values);
    mem_free(s.inputs);
    mem_free(s.places);
    mem_free(s.pattern);
    return status;
}

mech_status motion_source_make(motion_source *spec, textbuf *text) { return make_either(spec, text, NULL); }
mech_status motion_tape_make(motion_source *spec, tape **code) { return make_either(spec, NULL, code); }

/* ---- values alone ---- */

static mech_status emit_values(source *s, const char *prefix, const emit_place *places, emit_result *size,
                               textbuf *text)
{
    const system_inputs *in = &s->system->in;
    program_input *inputs = mem_zeroed(in->count, sizeof *inputs);
    if (!inputs) return MECH_ERR_MEMORY;
    compiled_list_inputs(s->system, s->model, inputs);
    for (size_t i = 0; i < in->count; i++) inputs[i].stage = i >= in->t;
    const program_spec spec = {s->model->pool, inputs, in->count, s->outputs, s->count, 2, NULL};
    const mech_status status = program_create(&spec, NULL, &s->code);
    mem_free(inputs);
    MECH_TRY(status);
    s->refs = mem_zeroed(s->count + 1, sizeof *s->refs);
    s->inputs = mem_zeroed(in->count, sizeof *s->inputs);
    if (!s->refs || !s->inputs) return MECH_ERR_MEMORY;
    name_inputs(s->system, s->inputs);
    name_range(s->inputs, in->lambda, s->system->sizes.rows, "lambda", 0);
    name_range(s->inputs, in->reaction, s->system->sizes.rows, "lambda", 0);
    name_range(s->inputs, in->a, s->system->sizes.coords, "qdd", 0);
    MECH_TRY(graph_add_program(&s->graph, s->code, (uint32_t)s->model->params_count, s->refs));
    const emit_spec emitted = {.graph = &s->graph,
                               .inputs = s->inputs,
                               .values = s->refs,
                               .outputs = places,
                               .output_count = s->count,
                               .prefix = prefix};
    return emit_c(&emitted, text, size);
}

mech_status motion_values_make(const mech_system *system, const char *prefix, const mech_expr *values,
                               const emit_place *places, size_t count, emit_result *size, textbuf *text)
{
    const system_compiled *c = system->implementation;
    source s = {.system = system, .model = c->model};
    s.outputs = mem_zeroed(count + 1, sizeof *s.outputs);
    if (!s.outputs) return MECH_ERR_MEMORY;
    for (size_t i = 0; i < count; i++) put(&s, values[i]);
    const mech_status status = emit_values(&s, prefix, places, size, text);
    mem_free(s.outputs);
    program_free(s.code);
    graph_free(&s.graph);
    mem_free(s.refs);
    mem_free(s.inputs);
    return status;
}
