/* C for the whole acceleration of a compiled model: its expressions with shortened rows as a program of two
   stages, the elimination plan for their pattern, both in one graph. */
#include "motion/motion.h"

#include "base/mem.h"
#include "base/try.h"
#include "system/compiled.h"

#include <string.h>

/* What one call works with. */
typedef struct source {
    motion_source *spec;
    const mech_system *system;
    const mech_model *model;
    motion_rows rows;
    program_output *outputs;
    size_t count, A, C, power, rate, r, r_dot, energy, given; /* where the parts start */
    program *code;
    plan *steps;
    graph graph;
    graph_ref *refs, *slots, *values;
    emit_place *inputs, *places;
    arena memory; /* of all arrays */
} source;

/* ---- the program ---- */

/* Each says where it starts. */
static size_t put(source *s, mech_expr value)
{
    s->outputs[s->count] = (program_output){value, 1};
    return s->count++;
}

static size_t put_all(source *s, const mech_expr *values, size_t count)
{
    const size_t first = s->count;
    for (size_t i = 0; i < count; i++) put(s, values[i]);
    return first;
}

static size_t put_entries(source *s, const model_entries *entries)
{
    const size_t first = s->count;
    for (size_t i = 0; i < entries->count; i++) put(s, entries->items[i].value);
    return first;
}

static mech_status collect(source *s)
{
    const model_equations *e = &s->model->equations;
    const size_t n = s->model->coords_count, m = s->model->rows_count, states = s->model->states_count;
    const size_t entries = e->M.count + s->rows.A.count + s->rows.wholes.count + e->C.count + e->A.count;
    s->outputs = arena_zeroed(&s->memory, entries + n + 3 * m + 3 + states, sizeof *s->outputs);
    if (!s->outputs) return MECH_ERR_MEMORY;
    put_entries(s, &e->M); /* M, A, Q, b, wholes: as a plan has them */
    s->A = put_all(s, s->rows.A.value, s->rows.A.count);
    put_all(s, e->Q, n);
    put_all(s, s->rows.b, m);
    put_all(s, s->rows.wholes.value, s->rows.wholes.count);
    s->C = put_entries(s, &e->C);
    s->power = put(s, e->power);
    s->rate = s->count;
    for (size_t i = 0; i < states; i++) put(s, s->model->states[i].rate);
    if (!s->spec->with_check) return MECH_OK;
    s->r = put_all(s, e->r, m);
    s->r_dot = put_all(s, e->r_dot, m);
    s->energy = put(s, e->energy);
    put(s, e->kinetic);
    if (s->spec->is_card) s->given = put_entries(s, &e->A);
    return MECH_OK;
}

typedef struct span {
    size_t first, end;
} span;

/* s->code of s->outputs. The system's inputs; those that are not known here are left out, so that using one is an
   error. */
static mech_status compile(source *s, const span unknown[2])
{
    const system_inputs *in = &s->system->in;
    program_input *inputs = compiled_inputs(s->system, s->model, 2, &s->memory);
    if (!inputs) return MECH_ERR_MEMORY;
    for (int k = 0; k < 2; k++)
        for (size_t i = unknown[k].first; i < unknown[k].end; i++) inputs[i].symbol = (mech_expr){0};
    const program_spec spec = {s->model->pool, inputs, in->count, s->outputs, s->count, 2, NULL};
    const mech_status status = program_create(&spec, NULL, &s->code);
    return status == MECH_ERR_ARGUMENT ? MECH_ERR_UNSUPPORTED : status;
}

static mech_status make_program(source *s)
{
    const system_inputs *in = &s->system->in;
    MECH_TRY(compile(s, (const span[2]){{in->lambda, in->count}}));
    s->refs = arena_zeroed(&s->memory, s->count, sizeof *s->refs);
    if (!s->refs) return MECH_ERR_MEMORY;
    return graph_add_program(&s->graph, s->code, (uint32_t)s->model->params_count, s->refs);
}

/* Shortened rows at the points of the sample, by the program; NULL: no memory. */
static const double *evaluate_rows(source *s)
{
    const motion_samples *samples = s->spec->samples;
    const size_t inputs = s->system->in.count, entries = s->rows.A.count;
    double *A, *slots;
    const mech_status status =
        ARENA_MAKE(&s->memory, ARRAY_OF(A, samples->count * entries), ARRAY_OF(slots, s->code->slot_count));
    if (status != MECH_OK) return NULL;
    for (size_t k = 0; k < samples->count; k++) {
        program_reset(s->code, slots);
        memcpy(slots, samples->inputs + k * inputs, inputs * sizeof *slots);
        program_run(s->code, 0, slots);
        program_run(s->code, 1, slots);
        memcpy(A + k * entries, slots + s->code->output_first + s->A, entries * sizeof *A);
    }
    return A;
}

/* The null-space plan in place of the other where it is cheaper. */
static mech_status prefer_null(source *s, const plan_spec *spec)
{
    plan *null = NULL;
    const plan_samples samples = {s->spec->samples->count, s->spec->samples->walk, evaluate_rows(s)};
    if (!samples.A) return MECH_ERR_MEMORY;
    const mech_status status = plan_create_null(spec, &samples, &null);
    if (status == MECH_ERR_UNSUPPORTED || status == MECH_ERR_LIMIT) return MECH_OK;
    MECH_TRY(status);
    s->spec->is_null = plan_null_pays(null, s->steps);
    plan_free(s->spec->is_null ? s->steps : null);
    if (s->spec->is_null) s->steps = null;
    return MECH_OK;
}

/* Loops over a dense M, eliminated in each call: not where it is constant, nor for several right sides, which share
   their elimination as lines. */
static int fronts_pay(const source *s)
{
    const size_t count = s->model->equations.M.count;
    size_t constant = 0;
    if (!s->spec->has_fronts || s->spec->with_check || s->model->equations.C.count) return 0;
    for (size_t i = 0; i < count; i++) constant += s->graph.values[graph_id(s->refs[i])].stage == 0;
    return 2 * constant < count;
}

static mech_status make_plan(source *s)
{
    const system_part *M = &s->system->parts[SECTION_M];
    const motion_entries *A = &s->rows.A, *wholes = &s->rows.wholes;
    const plan_spec spec = {.n = s->model->coords_count,
                            .m = s->model->rows_count,
                            .M = {M->count, M->row, M->column},
                            .A = {A->count, A->row, A->column},
                            .wholes = {wholes->count, wholes->row, wholes->column},
                            .monitored = s->spec->monitored,
                            .front = fronts_pay(s) ? MOTION_FRONT : 0,
                            .most_ops = s->spec->straight ? MOTION_OPERATIONS : s->spec->most};
    MECH_TRY(plan_create(&spec, &s->steps));
    return s->spec->samples && s->spec->samples->count ? prefer_null(s, &spec) : MECH_OK;
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
    for (size_t i = s->rows.step_count; i-- > 0;) {
        const motion_step *step = &s->rows.steps[i];
        const graph_ref factor = graph_constant(&s->graph, -step->factor);
        lambda[step->from] = graph_multiply_add(&s->graph, factor, lambda[step->row], lambda[step->from]);
    }
}

/* dh/dt without the multipliers' share: the laws' is in */
static graph_ref power_of_laws(source *s)
{
    const model_entries *C = &s->model->equations.C;
    graph_ref total = s->refs[s->power];
    for (size_t i = 0; i < C->count; i++) {
        const graph_ref v = graph_input(&s->graph, (uint32_t)(s->system->in.v + C->items[i].row), 1);
        total = graph_multiply_add(&s->graph, s->refs[s->C + i], v, total);
    }
    return total;
}

/* The same and (M q'' - Q - C)' v */
static graph_ref total_power_of_reactions(source *s)
{
    graph_ref total = power_of_laws(s);
    for (size_t i = 0; i < s->steps->n; i++) {
        const uint32_t slot = s->steps->reaction[i];
        const graph_ref v = graph_input(&s->graph, (uint32_t)(s->system->in.v + i), 1);
        if (slot != PLAN_NONE) total = graph_multiply_add(&s->graph, s->slots[slot], v, total);
    }
    return total;
}

/* Halves are added to one another: for many bodies equal steps side by side, not one long chain. */
static graph_ref add_all(graph *g, graph_ref *terms, size_t count)
{
    for (size_t half; count > 1; count = half) {
        half = (count + 1) / 2;
        for (size_t i = 0; i + half < count; i++) terms[i] = graph_add(g, terms[i], terms[i + half]);
    }
    return terms[0];
}

/* The same and lambda' A' v, lambda beside the laws */
static mech_status total_power(source *s, const graph_ref *lambda, graph_ref *total)
{
    if (s->steps->reaction) {
        *total = total_power_of_reactions(s);
        return s->graph.status;
    }
    const motion_entries *A = &s->rows.A;
    graph_ref row = graph_constant(&s->graph, 0), *terms = arena_zeroed(&s->memory, A->count + 1, sizeof *terms);
    size_t count = 0;
    if (!terms) return MECH_ERR_MEMORY;
    terms[count++] = power_of_laws(s);
    for (size_t i = 0; i < A->count; i++) {
        const graph_ref v = graph_input(&s->graph, (uint32_t)(s->system->in.v + A->column[i]), 1);
        row = graph_multiply_add(&s->graph, s->refs[s->A + i], v, row);
        if (i + 1 < A->count && A->row[i + 1] == A->row[i]) continue;
        terms[count++] = graph_multiply(&s->graph, lambda[A->row[i]], row);
        row = graph_constant(&s->graph, 0);
    }
    *total = add_all(&s->graph, terms, count);
    return s->graph.status;
}

/* x with A x = -residual and the least x' M x: the plan again, without forces; M and A share their factors
   with the motion by the graph, and its guards with them. */
static mech_status add_least_change(source *s, const graph_ref *residual, graph_ref *x)
{
    graph *g = &s->graph;
    const plan *p = s->steps;
    const size_t guards = g->guard_count;
    graph_ref *b = s->slots + p->b_first;
    for (size_t i = 0; i < p->n; i++) s->slots[p->Q_first + i] = graph_constant(g, 0);
    for (size_t i = 0; i < p->m; i++) b[i] = graph_negative(residual[i]);
    for (size_t i = 0; i < s->rows.step_count; i++) { /* the same steps as the rows took */
        const motion_step *step = &s->rows.steps[i];
        const graph_ref factor = graph_constant(g, -step->factor);
        b[step->row] = graph_multiply_add(g, factor, b[step->from], b[step->row]);
    }
    MECH_TRY(graph_add_plan(g, p, s->slots));
    g->guard_count = guards;
    for (size_t i = 0; i < p->n; i++) x[i] = s->slots[p->qdd[i]];
    return g->status;
}

/* What is left of a pivot as a part of the whole; none for other values. */
static graph_ref part_left(graph *g, uint32_t id)
{
    const graph_value v = g->values[id];
    if (v.op == GRAPH_CLEAR || v.op == GRAPH_PIVOT) return graph_part_of(g, v.a, v.b);
    if (v.op != GRAPH_PIVOT2) return 0;
    const graph_ref square = graph_multiply(g, v.b, v.b);
    const graph_ref det = graph_multiply_add(g, v.a, v.c, graph_negative(square));
    return graph_part_of(g, det, graph_multiply(g, v.d, v.e));
}

static graph_ref lesser(graph *g, graph_ref least, graph_ref part)
{
    return !part ? least : least ? graph_least(g, least, part) : part;
}

/* The least of the rows' pivots and determinants: how far they are from depending on one another. */
static graph_ref least_margin(graph *g)
{
    graph_ref least = 0;
    const size_t count = g->count;
    for (uint32_t i = 1; i < count && g->status == MECH_OK; i++)
        if (g->values[i].op != GRAPH_CLEAR) least = lesser(g, least, part_left(g, i));
    for (size_t i = 0; i < g->determinant_count && g->status == MECH_OK; i++)
        least = lesser(g, least, part_left(g, g->determinants[i]));
    return least ? least : graph_constant(g, 1);
}

/* Sum of a_j^2/M_jj over a row: how large it is, about. values: where its list of entries starts. */
static graph_ref row_size(source *s, plan_entries list, size_t values, uint32_t row)
{
    const system_part *M = &s->system->parts[SECTION_M];
    graph *g = &s->graph;
    graph_ref sum = graph_constant(g, 0);
    for (size_t i = 0; i < list.count; i++) {
        if (list.row[i] != row) continue;
        for (size_t k = 0; k < M->count; k++) {
            if (M->row[k] != M->column[k] || M->row[k] != list.column[i]) continue;
            const graph_ref a = s->refs[values + i];
            sum = graph_add(g, sum, graph_part_of(g, graph_multiply(g, a, a), s->refs[k]));
        }
    }
    return sum;
}

/* A row that was shortened may vanish by itself, where those it was made of agree: its pivot says nothing of that. What
   is left of its size does. The card has nothing else to see it by. */
static graph_ref least_size(source *s, graph_ref least)
{
    const system_part *given = &s->system->parts[SECTION_A];
    const plan_entries whole_A = {given->count, given->row, given->column},
                       A = {s->rows.A.count, s->rows.A.row, s->rows.A.column};
    for (uint32_t row = 0; row < s->steps->m; row++) {
        int is_shortened = 0, has_entries = 0;
        for (size_t i = 0; i < s->rows.step_count; i++) is_shortened |= s->rows.steps[i].row == row;
        for (size_t i = 0; i < A.count; i++) has_entries |= A.row[i] == row;
        if (!is_shortened || !has_entries || (s->spec->monitored && s->spec->monitored[row])) continue;
        const graph_ref left = row_size(s, A, s->A, row), whole = row_size(s, whole_A, s->given, row);
        least = graph_least(&s->graph, least, graph_part_of(&s->graph, left, whole));
    }
    return least;
}

static mech_status add_check(source *s, graph_ref *to)
{
    const size_t n = s->steps->n, m = s->steps->m;
    to[2 * m + 2 * n + 2] = least_margin(&s->graph);
    if (s->spec->is_card) to[2 * m + 2 * n + 2] = least_size(s, to[2 * m + 2 * n + 2]);
    memcpy(to, s->refs + s->r, m * sizeof *to);
    memcpy(to + m, s->refs + s->r_dot, m * sizeof *to);
    to[2 * m + 2 * n] = s->refs[s->energy];
    to[2 * m + 2 * n + 1] = s->refs[s->energy + 1];
    MECH_TRY(add_least_change(s, to, to + 2 * m));
    return add_least_change(s, to + m, to + 2 * m + n);
}

static void take_lambda(source *s, graph_ref *lambda)
{
    for (size_t i = 0; i < s->steps->m; i++)
        lambda[i] = s->steps->lambda[i] == PLAN_NONE ? graph_constant(&s->graph, 0) : s->slots[s->steps->lambda[i]];
}

/* q'' of M q'' = Q + C + A' lambda, A q'' = b: C, projected by the constraints, is what their laws give; or without
   it. */
static mech_status solve(source *s, int with_laws)
{
    const model_entries *C = &s->model->equations.C;
    memcpy(s->slots, s->refs, s->steps->input_count * sizeof *s->slots); /* M, A, Q, b, wholes: the same order */
    for (size_t i = 0; with_laws && i < C->count; i++) {
        graph_ref *Q = &s->slots[s->steps->Q_first + C->items[i].row];
        *Q = graph_add(&s->graph, *Q, s->refs[s->C + i]);
    }
    return graph_add_plan(&s->graph, s->steps, s->slots);
}

/* The ideal multipliers are those without C: the plan again, its factors and their guards shared. Guards of
   the multipliers as a whole are left to those with C: they would cost the solve in every call. */
static mech_status solve_ideal(source *s, graph_ref *lambda)
{
    const size_t guards = s->graph.guard_count;
    if (s->model->equations.C.count == 0) return MECH_OK;
    MECH_TRY(solve(s, 0));
    s->graph.guard_count = guards;
    take_lambda(s, lambda);
    return s->graph.status;
}

static mech_status make_graph(source *s)
{
    const size_t n = s->steps->n, m = s->steps->m, states = s->model->states_count, lambda = n + 1 + states;
    const size_t checks = s->spec->with_check ? motion_check_count(s->system) : 0, all = lambda + m + checks;
    MECH_TRY(ARENA_MAKE(&s->memory, ARRAY_OF(s->slots, s->steps->slot_count), ARRAY_OF(s->values, all),
                        ARRAY_OF(s->inputs, s->system->in.count), ARRAY_OF(s->places, all)));
    name_inputs(s->system, s->inputs);
    MECH_TRY(solve(s, 1));
    for (size_t i = 0; i < n; i++) s->values[i] = s->slots[s->steps->qdd[i]];
    take_lambda(s, s->values + lambda);
    s->values[n] = graph_constant(&s->graph, 0);
    if (s->spec->with_power) MECH_TRY(total_power(s, s->values + lambda, &s->values[n]));
    MECH_TRY(solve_ideal(s, s->values + lambda));
    restore_lambda(s, s->values + lambda);
    for (size_t i = 0; i < states; i++) s->values[n + 1 + i] = s->refs[s->rate + i];
    if (checks) MECH_TRY(add_check(s, s->values + lambda + m));
    name_range(s->places, 0, n, "qdd", 0);
    name_range(s->places, n, 1 + states, "more", 0);
    name_range(s->places, lambda, m, "lambda", 0);
    name_range(s->places, lambda + m, checks, "more", 1 + states);
    return s->graph.status;
}

/* To text, or to a tape. */
static mech_status make(source *s, textbuf *text, tape **code)
{
    const size_t n = s->model->coords_count, m = s->model->rows_count;
    MECH_TRY(motion_rows_make(s->model, s->spec->monitored, &s->memory, &s->rows));
    MECH_TRY(collect(s));
    MECH_TRY(make_program(s));
    MECH_TRY(make_plan(s));
    MECH_TRY(make_graph(s));
    s->spec->steps = s->rows.step_count;
    s->spec->watched = s->steps->watched;
    const size_t checks = s->spec->with_check ? motion_check_count(s->system) : 0;
    const emit_spec spec = {.graph = &s->graph,
                            .inputs = s->inputs,
                            .values = s->values,
                            .outputs = s->places,
                            .output_count = n + m + 1 + s->model->states_count + checks,
                            .finite_count = s->spec->is_card ? 0 : n, /* a card sees it in what comes of it */
                            .optional_first = n + 1 + s->model->states_count,
                            .optional_count = m + checks,
                            .optional = m ? "lambda" : NULL,
                            .prefix = s->spec->prefix,
                            .straight = s->spec->straight,
                            .most = s->spec->most,
                            .with_twins = s->spec->with_twins,
                            .is_card = s->spec->is_card};
    if (code) return tape_create(&spec, code);
    return emit_c(&spec, text, &s->spec->size);
}

static void free_source(source *s)
{
    program_free(s->code);
    plan_free(s->steps);
    graph_free(&s->graph);
    arena_free(&s->memory);
}

static mech_status make_once(motion_source *spec, textbuf *text, tape **code)
{
    mech_model *model = model_twin(system_model(spec->system)); /* shortened rows are new expressions */
    if (!model) return MECH_ERR_MEMORY;
    source s = {.spec = spec, .system = spec->system, .model = model};
    if (text) text_free(text); /* of an attempt before */
    const mech_status status = make(&s, text, code);
    free_source(&s);
    model_twin_free(model);
    return status;
}

mech_status motion_source_make(motion_source *spec, textbuf *text)
{
    enum { MOST_CHECKED = 200 }; /* coordinates: above, the code is long in any case */
    textbuf made = {0};
    const mech_sizes *k = &spec->system->sizes;
    spec->with_check = spec->with_check && k->rows > 0 && k->coords <= MOST_CHECKED;
    spec->has_fronts = !spec->is_card;
    mech_status status = make_once(spec, &made, NULL);
    if (status == MECH_OK && spec->with_check && !spec->size.has_optional) {
        spec->with_check = 0; /* so long that it would be computed in every call */
        status = make_once(spec, &made, NULL);
    }
    if (status == MECH_ERR_LIMIT && spec->has_fronts) {
        spec->has_fronts = 0; /* loops over alike parts may be short enough, and know no fronts */
        status = make_once(spec, &made, NULL);
    }
    if (status == MECH_OK && made.data) text_add_n(text, made.data, made.length);
    if (status == MECH_OK && (made.failed || text->failed)) status = MECH_ERR_MEMORY;
    text_free(&made);
    return status;
}

mech_status motion_tape_make(motion_source *spec, tape **code)
{
    spec->has_fronts = 0;
    return make_once(spec, NULL, code);
}

/* ---- values alone ---- */

/* The outputs of s->code as a graph: s->refs. */
static mech_status graph_of_code(source *s)
{
    const system_inputs *in = &s->system->in;
    const size_t count = s->code->output_count;
    MECH_TRY(
        ARENA_MAKE(&s->memory, ARRAY_OF(s->refs, count), ARRAY_OF(s->places, count), ARRAY_OF(s->inputs, in->count)));
    name_inputs(s->system, s->inputs);
    name_range(s->inputs, in->lambda, s->system->sizes.rows, "lambda", 0);
    name_range(s->inputs, in->reaction, s->system->sizes.rows, "lambda", 0);
    name_range(s->inputs, in->a, s->system->sizes.coords, "qdd", 0);
    return graph_add_program(&s->graph, s->code, (uint32_t)s->model->params_count, s->refs);
}

motion_late motion_late_of(const mech_system *system)
{
    motion_late at = {.active = system->sizes.rows};
    at.reaction = at.active + system->sizes.constraints;
    at.control = at.reaction + system->sizes.rows;
    at.friction = at.control + system->control_count;
    at.count = at.friction + system->sizes.friction_rows;
    return at;
}

static void name_late(const mech_system *system, const motion_target *target, emit_place *to)
{
    const motion_late at = motion_late_of(system);
    const system_inputs *in = &system->in;
    if (!target->is_card) name_range(to, in->active, system->sizes.constraints, "lambda", at.active);
    if (!target->with_forces) return;
    name_range(to, in->reaction, system->sizes.rows, "lambda", at.reaction);
    name_range(to, in->control, system->control_count, "lambda", at.control);
    name_range(to, in->friction, system->sizes.friction_rows, "lambda", at.friction);
}

/* Those without a place are left out. */
static mech_status emit_code(source *s, const motion_target *target, const emit_place *places, emit_result *size,
                             textbuf *text)
{
    const size_t count = s->code->output_count;
    MECH_TRY(graph_of_code(s));
    name_late(s->system, target, s->inputs);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (!places[i].array) continue;
        s->refs[kept] = s->refs[i];
        s->places[kept++] = places[i];
    }
    const emit_spec emitted = {.graph = &s->graph,
                               .inputs = s->inputs,
                               .values = s->refs,
                               .outputs = s->places,
                               .output_count = kept,
                               .prefix = target->prefix,
                               .is_card = target->is_card};
    return emit_c(&emitted, text, size);
}

static mech_status start_values(source *s, const mech_system *system, int with_forces, const mech_expr *values,
                                size_t count)
{
    *s = (source){.system = system, .model = system->compiled->model};
    s->outputs = arena_zeroed(&s->memory, count, sizeof *s->outputs);
    if (!s->outputs) return MECH_ERR_MEMORY;
    put_all(s, values, count);
    const system_inputs *in = &system->in;
    span unknown[2] = {{0}};
    if (system->sizes.laws && !with_forces) unknown[0] = (span){in->reaction, in->a}; /* the total ones are not given */
    if (!with_forces) unknown[1] = (span){in->control, in->delay};
    return compile(s, unknown);
}

mech_status motion_values_make(const mech_system *system, const motion_target *target, const mech_expr *values,
                               const emit_place *places, size_t count, emit_result *size, textbuf *text)
{
    source s;
    mech_status status = start_values(&s, system, target->with_forces, values, count);
    if (status == MECH_OK) status = emit_code(&s, target, places, size, text);
    free_source(&s);
    return status;
}

mech_status motion_values_tape(const mech_system *system, const mech_expr *values, size_t count, tape **code)
{
    source s;
    mech_status status = start_values(&s, system, 0, values, count);
    if (status == MECH_OK) status = graph_of_code(&s);
    const emit_spec spec = {
        .graph = &s.graph, .inputs = s.inputs, .values = s.refs, .outputs = s.places, .output_count = count};
    if (status == MECH_OK) status = tape_create(&spec, code);
    free_source(&s);
    return status;
}

mech_status motion_program_make(const mech_system *system, program *code, const motion_target *target,
                                const emit_place *places, emit_result *size, textbuf *text)
{
    source s = {.system = system, .model = system->compiled->model, .code = code};
    const mech_status status = emit_code(&s, target, places, size, text);
    s.code = NULL;
    free_source(&s);
    return status;
}

/* ---- derivatives ---- */

/* Entries of one matrix of derivatives by q, v, z, u, p into a block of more[], by column; others get no place. */
static void place_block(const mech_system *s, system_derivative part, size_t rows, size_t first, emit_place *places)
{
    const system_part *p = &s->derivatives[part];
    const mech_columns c = mech_system_columns(s);
    emit_place *to = places + (p->first - s->compiled->derivatives->output_first);
    for (size_t i = 0; i < p->count; i++) {
        size_t column = p->column[i];
        if (s->has_parameter_slopes && column >= c.p) column = c.u_dot + column - c.p; /* q, v, z, u stand first */
        else if (column >= c.u_dot) continue;
        to[i] = (emit_place){"more", (uint32_t)(first + p->row[i] + rows * column)};
    }
}

mech_status motion_derivatives_make(const mech_system *system, const char *prefix, emit_result *size, textbuf *text)
{
    const system_compiled *c = system->compiled;
    const size_t n = system->sizes.coords, m = system->sizes.rows;
    const size_t columns =
        mech_system_columns(system).u_dot + (system->has_parameter_slopes ? system->sizes.params : 0);
    emit_place *places = mem_zeroed(c->derivatives->output_count + 1, sizeof *places);
    if (!places) return MECH_ERR_MEMORY;
    place_block(system, DERIVATIVE_MOTION, n, 0, places);
    place_block(system, DERIVATIVE_ROW, m, n * columns, places);
    place_block(system, DERIVATIVE_RATE, system->sizes.states, (n + m) * columns, places);
    place_block(system, DERIVATIVE_C, c->model->equations.C.count, (n + m + system->sizes.states) * columns, places);
    const mech_status status =
        motion_program_make(system, c->derivatives, &(motion_target){.prefix = prefix}, places, size, text);
    mem_free(places);
    return status;
}
