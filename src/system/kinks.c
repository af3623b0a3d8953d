/* Where abs, sign, min, max, floor and comparisons in a model's statements change over: as the user wrote them, for
   those who take derivatives. (mech_eval_switches watches those of the derived equation.) */
#include "system/compiled.h"

#include "base/mem.h"
#include "base/text.h"
#include "base/try.h"
#include "expr/walk.h"
#include "model/model.h"

#include <string.h>

typedef struct node_list {
    uint32_t *items;
    size_t count, capacity;
} node_list;

/* What lies below some expressions, the roots; what fails stays in status, and nothing is found from there on. */
typedef struct search {
    const mech_model *m;
    mech_expr *roots;
    size_t count, capacity;
    node_list nodes, kinks;
    mech_status status;
} search;

static void add(search *f, mech_expr e)
{
    if (e.id == 0 || f->status != MECH_OK) return;
    if (!mem_grow(&f->roots, &f->capacity, f->count + 1, sizeof *f->roots)) f->status = MECH_ERR_MEMORY;
    else f->roots[f->count++] = e;
}

static void add_once(search *f, mech_expr e)
{
    for (size_t i = 0; i < f->count; i++)
        if (f->roots[i].id == e.id) return;
    add(f, e);
}

static void add_all(search *f, const mech_expr *list, size_t count)
{
    for (size_t i = 0; i < count; i++) add(f, list[i]);
}

static void add_terms(search *f, const model_term *terms, size_t count)
{
    for (size_t i = 0; i < count; i++) add(f, terms[i].value);
}

/* What both the equation and what stands beyond its forces is made of. */
static void add_bodies(search *f)
{
    const mech_model *m = f->m;
    add_terms(f, m->kinetic, m->kinetic_count);
    add_terms(f, m->potential, m->potential_count);
    for (size_t i = 0; i < m->masses_count; i++) add(f, m->masses[i].value);
    for (size_t i = 0; i < m->inertias_count; i++) {
        const model_inertia *t = &m->inertias[i];
        add_all(f, t->mass, t->count * (t->count + 1) / 2);
        add_all(f, t->force, t->count);
        add(f, t->kinetic);
        add(f, t->potential);
    }
    for (size_t i = 0; i < m->forces_count; i++) add_all(f, m->forces[i].velocity, m->forces[i].count);
    for (size_t i = 0; i < m->laws_count; i++) add_all(f, m->laws[i].position, m->laws[i].count);
}

static void add_frictions(search *f)
{
    const mech_model *m = f->m;
    for (size_t i = 0; i < m->frictions_count; i++) {
        add(f, m->frictions[i].mu);
        add(f, m->frictions[i].static_mu);
        add_all(f, m->frictions[i].velocity, m->frictions[i].count);
    }
}

/* Friction, gains and the weight. */
static void add_around(search *f)
{
    const mech_model *m = f->m;
    add_frictions(f);
    for (size_t i = 0; i < m->stabilizers_count; i++) {
        add_all(f, m->stabilizers[i].damping, m->stabilizers[i].damping_count);
        add_all(f, m->stabilizers[i].stiffness, m->stabilizers[i].stiffness_count);
    }
    if (m->given_weight) add_all(f, m->given_weight, m->given_weight_size);
}

static void add_actuators(search *f)
{
    for (size_t i = 0; i < f->m->actuators_count; i++) add(f, f->m->actuators[i].velocity);
}

static void add_events(search *f)
{
    const mech_model *m = f->m;
    for (size_t i = 0; i < m->events_count; i++) {
        add(f, m->events[i].trigger);
        add(f, m->events[i].condition);
        for (size_t k = 0; k < m->events[i].action_count; k++) add(f, m->events[i].actions[k].value);
    }
}

/* What makes the equation; what events and initial values say does not. Constraints from this level on. */
static void gather(search *f, model_level level)
{
    const mech_model *m = f->m;
    add_bodies(f);
    add_terms(f, m->dissipation, m->dissipation_count);
    for (size_t i = 0; i < m->forces_count; i++) add_all(f, m->forces[i].force, m->forces[i].count);
    for (size_t i = 0; i < m->rows_count; i++)
        if (m->rows[i].level >= level) add(f, m->rows[i].residual);
    for (size_t i = 0; i < m->states_count; i++) add(f, m->states[i].rate);
    for (size_t i = 0; i < m->laws_count; i++) add_all(f, m->laws[i].force, m->laws[i].count);
}

/* All nodes below the roots; then there are none of these. */
static void reach(search *f)
{
    node_list *to = &f->nodes;
    if (f->status == MECH_OK)
        f->status = expr_reachable(f->m->pool, f->roots, f->count, &to->items, &to->capacity, &to->count);
    if (f->status != MECH_OK) to->count = 0;
    f->count = 0;
}

static mech_status end(search *f)
{
    mem_free(f->roots);
    mem_free(f->nodes.items);
    mem_free(f->kinks.items);
    return f->status;
}

static int holds(const uint32_t *ids, size_t count, uint32_t id)
{
    for (size_t i = 0; i < count; i++)
        if (ids[i] == id) return 1;
    return 0;
}

static int has_kink(const expr_node *n)
{
    return n->kind == EXPR_FUN && expr_function_has_kink((mech_function)n->function);
}

/* Adds the functions with kinks below the roots that look at one of these classes. */
static void find_kinks(search *f, unsigned classes)
{
    node_list *to = &f->kinks;
    const size_t known = to->count;
    reach(f);
    for (size_t i = 0; i < f->nodes.count; i++) {
        const uint32_t id = f->nodes.items[i];
        const expr_node *n = &f->m->pool->nodes[id];
        if (!has_kink(n) || !(n->classes & classes) || holds(to->items, known, id)) continue;
        if (mem_grow(&to->items, &to->capacity, to->count + 1, sizeof *to->items)) to->items[to->count++] = id;
        else f->status = MECH_ERR_MEMORY;
    }
}

/* abs(a): a; min(a, b): a - b; floor(a): sin(pi a) */
static mech_expr switching(mech_pool *pool, uint32_t id)
{
    const expr_node *n = &pool->nodes[id];
    const uint32_t *operands = expr_operands(pool, n);
    const mech_expr a = {operands[0]};
    if (n->function == MECH_FUNCTION_FLOOR) {
        const mech_expr angle = mech_mul(pool, mech_pi(pool), a);
        return mech_call(pool, MECH_FUNCTION_SIN, &angle, 1);
    }
    return n->count == 1 ? a : mech_sub(pool, a, (mech_expr){operands[1]});
}

/* How many nodes it has, written out, as far as `most`. */
static size_t length_of(const mech_pool *pool, uint32_t id, size_t most)
{
    size_t length = 1;
    const expr_node *n = &pool->nodes[id];
    for (uint32_t i = 0, child; length < most && (child = expr_child(pool, n, i)) != 0; i++)
        length += length_of(pool, child, most - length);
    return length;
}

/* A comparison as people write it, what changes first; of what would be long only what it is. */
static char *print_kink(const mech_pool *pool, uint32_t id)
{
    const expr_node *n = &pool->nodes[id];
    const int is_less = n->function == MECH_FUNCTION_LESS || n->function == MECH_FUNCTION_LESS_EQUAL;
    const uint32_t *operands = expr_operands(pool, n);
    enum { LONGEST = 30 };
    if (length_of(pool, id, LONGEST) >= LONGEST) {
        textbuf name = {0};
        text_add(&name, is_less ? "a comparison" : expr_function_name((mech_function)n->function));
        return text_take(&name);
    }
    const int turned = !(pool->nodes[operands[0]].classes & ~(unsigned)EXPR_PARAM);
    if (!is_less) return mech_print(pool, (mech_expr){id}, MECH_PRINT_TEXT);
    char *a = mech_print(pool, (mech_expr){operands[0]}, MECH_PRINT_TEXT),
         *b = mech_print(pool, (mech_expr){operands[1]}, MECH_PRINT_TEXT);
    textbuf text = {0};
    if (a && b)
        text_format(&text, "%s %c%s %s", turned ? b : a, turned ? '>' : '<',
                    n->function == MECH_FUNCTION_LESS ? "" : "=", turned ? a : b);
    mech_text_free(a);
    mech_text_free(b);
    return text_take(&text);
}

/* "abs(x) in line 3" */
static const char *describe(mech_system *s, const mech_model *m, uint32_t id)
{
    const uint32_t origin = m->pool->nodes[id].origin;
    const mech_span span = origin ? model_span(m, origin) : (mech_span){0};
    const int line = m->diagnostics && origin ? diagnostics_line(m->diagnostics, span) : 0;
    char *text = print_kink(m->pool, id);
    const char *kept = !text                     ? NULL
                       : line && span.source > 1 ? arena_format(&s->memory, "%s in line %d of %s", text, line,
                                                                diagnostics_source_name(m->diagnostics, span.source))
                       : line                    ? arena_format(&s->memory, "%s in line %d", text, line)
                                                 : arena_format(&s->memory, "%s", text);
    mech_text_free(text);
    return kept;
}

mech_status compiled_measure_kinks(const mech_model *m, mech_expr **list, size_t *count)
{
    search f = {.m = m};
    for (size_t i = 0; i < m->measures_count; i++) add(&f, m->measures[i].value);
    find_kinks(&f, ~(unsigned)EXPR_PARAM);
    *count = f.kinks.count;
    *list = mem_zeroed(*count, sizeof **list);
    if (!*list) f.status = MECH_ERR_MEMORY;
    for (size_t i = 0; *list && i < *count; i++) (*list)[i] = switching(m->pool, f.kinks.items[i]);
    return end(&f);
}

static mech_status compile(mech_system *s, const node_list *kinks, arena *memory)
{
    const mech_model *m = s->compiled->model;
    const program_input *inputs = compiled_inputs(s, m, 1, memory);
    program_output *outputs;
    MECH_TRY(ARENA_MAKE(memory, ARRAY_OF(outputs, kinks->count)));
    MECH_TRY(ARENA_MAKE(&s->memory, ARRAY_OF(s->kink_text, kinks->count)));
    for (size_t k = 0; k < kinks->count; k++) {
        outputs[k].value = switching(m->pool, kinks->items[k]);
        s->kink_text[k] = describe(s, m, kinks->items[k]);
        if (!s->kink_text[k]) return MECH_ERR_MEMORY;
    }
    s->kink_count = kinks->count;
    MECH_TRY(mech_pool_status(m->pool));
    const program_spec spec = {m->pool, inputs, s->in.count, outputs, kinks->count, 1, NULL};
    return program_create(&spec, NULL, &s->compiled->kinks);
}

/* Those of the statements, then those that only outputs have. */
mech_status compiled_find_kinks(mech_system *s, arena *memory)
{
    const unsigned classes = EXPR_COORD | EXPR_VELOCITY | EXPR_ACCELERATION | EXPR_STATE | EXPR_INPUT | EXPR_REACTION;
    search f = {.m = s->compiled->model};
    gather(&f, MODEL_HOLONOMIC);
    add_actuators(&f);
    add_around(&f);
    find_kinks(&f, classes);
    s->kinks_in_equation = f.kinks.count;
    for (size_t i = 0; i < f.m->outputs_count; i++) add(&f, f.m->outputs[i].value);
    find_kinks(&f, classes);
    if (f.status == MECH_OK && f.kinks.count) f.status = compile(s, &f.kinks, memory);
    return end(&f);
}

mech_status compiled_kinks(const mech_system *s, const double *slots, double *values)
{
    const program *p = s->compiled->kinks;
    double *work = mem_alloc(p->slot_count * sizeof *work);
    if (!work) return MECH_ERR_MEMORY;
    program_reset(p, work);
    memcpy(work, slots, s->in.count * sizeof *slots);
    program_run(p, 0, work);
    memcpy(values, work + p->output_first, s->kink_count * sizeof *values);
    mem_free(work);
    return MECH_OK;
}

/* What stands beyond forces, dissipation, rates and laws. */
static void gather_beyond(search *f)
{
    add_bodies(f);
    for (size_t i = 0; i < f->m->rows_count; i++) add(f, f->m->rows[i].residual);
    add_actuators(f);
    add_around(f);
    add_events(f);
}

/* What looks at the motion and makes no equation. */
static void gather_shown(search *f)
{
    const mech_model *m = f->m;
    for (size_t i = 0; i < m->outputs_count; i++) add(f, m->outputs[i].value);
    for (size_t i = 0; i < m->measures_count; i++) add(f, m->measures[i].value);
    for (size_t i = 0; i < m->clocks_count; i++) add_all(f, m->clocks[i].value, m->clocks[i].count);
    for (size_t i = 0; i < m->delays_count; i++) add(f, m->delays[i].value);
    add_around(f);
    add_events(f);
}

/* What switches among the nodes look at. */
static void gather_switches(search *f)
{
    for (size_t i = 0; i < f->nodes.count; i++) {
        const expr_node *n = &f->m->pool->nodes[f->nodes.items[i]];
        if (!has_kink(n)) continue;
        for (uint32_t k = 0, child; (child = expr_child(f->m->pool, n, k)) != 0; k++) add(f, (mech_expr){child});
    }
}

/* Inputs among the nodes: which part of each, as bits; slope and second, or where it stands at all. */
static void mark_uses(mech_system *s, const search *f, unsigned slope, unsigned second, unsigned anything)
{
    for (size_t i = 0; i < f->nodes.count; i++) {
        const mech_expr e = {f->nodes.items[i]};
        const expr_symbol *symbol = expr_is_symbol(f->m->pool, e) ? expr_symbol_of(f->m->pool, e) : NULL;
        if (!symbol || symbol->class_bit != EXPR_INPUT || symbol->index >= EXPR_DELAYED) continue;
        const model_input *input = &f->m->inputs[symbol->index];
        const unsigned part = e.id == input->first.id ? slope : e.id == input->second.id ? second : 0;
        s->input_uses[symbol->index] |= (unsigned char)(anything | part);
    }
}

/* The nodes below the roots, and of what is delayed there. */
static void reach_with_delays(search *f)
{
    size_t count;
    do {
        count = f->count;
        reach(f);
        f->count = count; /* they stay, beside what is delayed */
        for (size_t i = 0; i < f->nodes.count; i++)
            for (size_t k = 0; k < f->m->delays_count; k++)
                if (f->m->delays[k].symbol.id == f->nodes.items[i]) add_once(f, f->m->delays[k].value);
    } while (f->count != count);
    f->count = 0;
}

/* Signals that may jump, or have slopes that may. */
static mech_status mark_jumps(mech_system *s)
{
    const mech_model *m = s->compiled->model;
    for (size_t i = 0; i < m->inputs_count; i++) {
        int jumps, bends;
        MECH_TRY(model_may_jump(m, m->inputs[i].signal, 0, &jumps));
        MECH_TRY(model_may_jump(m, m->inputs[i].signal, 1, &bends));
        if (jumps || m->inputs[i].is_held) s->input_uses[i] |= EVAL_MAY_JUMP;
        if (bends || m->inputs[i].file) s->input_uses[i] |= EVAL_MAY_BEND;
    }
    return MECH_OK;
}

/* Of holonomic constraints the run itself sees that they jump. */
mech_status compiled_find_input_uses(mech_system *s)
{
    search f = {.m = s->compiled->model};
    if (s->sizes.inputs == 0) return MECH_OK;
    MECH_TRY(ARENA_MAKE(&s->memory, ARRAY_OF(s->input_uses, s->sizes.inputs)));
    gather(&f, MODEL_NONHOLONOMIC);
    reach_with_delays(&f);
    mark_uses(s, &f, EVAL_USES_SLOPE, EVAL_USES_SECOND, 0);
    gather_beyond(&f);
    gather_switches(&f);
    reach(&f);
    mark_uses(s, &f, 0, 0, EVAL_USES_BEYOND_FORCES);
    gather_shown(&f);
    reach(&f);
    mark_uses(s, &f, EVAL_SHOWS_SLOPE, EVAL_SHOWS_SECOND, 0);
    MECH_TRY(end(&f));
    return mark_jumps(s);
}

/* Do the two change over at the same place? Derivatives of abs(a) have sign(a), of max(a, b) a < b. */
static int is_same_kink(const mech_pool *pool, uint32_t a, uint32_t b)
{
    const expr_node *x = &pool->nodes[a], *y = &pool->nodes[b];
    const uint32_t *p = expr_operands(pool, x), *q = expr_operands(pool, y);
    if (x->count != y->count) return 0;
    return x->count == 1 ? p[0] == q[0] : (p[0] == q[0] && p[1] == q[1]) || (p[0] == q[1] && p[1] == q[0]);
}

/* A kink of the derived equation as it was written in a statement. Where abs(a)' stands, sign(a) is what is left of
   it there. */
static uint32_t as_written(const mech_pool *pool, uint32_t id, const node_list *written)
{
    for (uint32_t k = 1; pool->nodes[id].function == MECH_FUNCTION_SIGN && k < pool->node_count; k++)
        if (pool->nodes[k].kind == EXPR_FUN && pool->nodes[k].function == MECH_FUNCTION_ABS &&
            is_same_kink(pool, id, k))
            return k;
    if (holds(written->items, written->count, id)) return id;
    for (size_t i = 0; i < written->count; i++)
        if (is_same_kink(pool, id, written->items[i])) return written->items[i];
    return id;
}

/* All functions with kinks in the statements that make the equation, and in the signals. */
static void list_written(search *f)
{
    gather(f, MODEL_HOLONOMIC);
    add_all(f, f->m->primed, f->m->primed_count);
    for (size_t i = 0; i < f->m->inputs_count; i++) add(f, f->m->inputs[i].signal);
    add_frictions(f);
    find_kinks(f, ~0u);
}

mech_status compiled_name_switches(mech_system *s)
{
    system_compiled *c = s->compiled;
    search f = {.m = c->model};
    size_t count[2], k = 0;
    const uint32_t *const nodes[2] = {program_switch_nodes(c->motion, STAGE_CONSTRAINT, STAGE_REACTION, &count[0]),
                                      program_switch_nodes(c->signals, 1, 1, &count[1])};
    c->switch_count = count[0] + count[1];
    if (c->switch_count == 0) return MECH_OK;
    MECH_TRY(ARENA_MAKE(&s->memory, ARRAY_OF(c->switch_names, c->switch_count)));
    list_written(&f);
    for (int part = 0; part < 2; part++)
        for (size_t i = 0; i < count[part] && f.status == MECH_OK; i++) {
            c->switch_names[k] = describe(s, f.m, as_written(f.m->pool, nodes[part][i], &f.kinks));
            if (!c->switch_names[k++]) f.status = MECH_ERR_MEMORY;
        }
    return end(&f);
}
