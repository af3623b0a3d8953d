/* A model as a system: programs. `motion` is the equation, over the system's own slots; `params` gives
   the declared values of parameters, `signals` the inputs at a time, both over the scratch. */
#include "system/compiled.h"

#include "base/mem.h"
#include "base/options.h"
#include "base/text.h"
#include "base/try.h"
#include "system/bounds.h"
#include "base/table.h"

#include <math.h>
#include <string.h>

static system_compiled *of(const mech_system *s) { return s->compiled; }

/* ---- the kind ---- */

static double *signal_slots(const mech_system *s, double *scratch) { return scratch + of(s)->params->slot_count; }

void compiled_reset(const mech_system *s, double *slots, double *scratch)
{
    program_reset(of(s)->motion, slots);
    program_reset(of(s)->params, scratch);
    program_reset(of(s)->signals, signal_slots(s, scratch));
}

static void follow(const mech_system *s, double *slots, double *scratch, const unsigned char *is_set)
{
    const system_compiled *c = of(s);
    const size_t count = s->sizes.params;
    double *p = slots + s->in.p;
    const double *declared = scratch + c->params->output_first;
    /* a parameter of parameters of parameters settles after as many rounds as it is deep */
    int changed = 1;
    for (size_t round = 0; changed && round <= count; round++) {
        memcpy(scratch, p, count * sizeof *p);
        program_run(c->params, 0, scratch);
        changed = 0;
        for (size_t i = 0; i < count; i++) {
            if (is_set[i] || memcmp(&p[i], &declared[i], sizeof *p) == 0) continue;
            p[i] = declared[i];
            changed = 1;
        }
    }
    /* also without parameters: what needs no time, such as 2*pi, is computed here */
    double *signals = signal_slots(s, scratch);
    memcpy(signals, p, count * sizeof *p);
    program_run(c->signals, 0, signals);
}

void compiled_signals(const mech_system *s, double *slots, double *scratch, const unsigned char *is_set)
{
    const system_compiled *c = of(s);
    double *signals = signal_slots(s, scratch);
    const double t = signals[s->sizes.params] = slots[s->in.t];
    program_run(c->signals, 1, signals);
    const double *value = signals + c->signals->output_first;
    for (size_t i = 0; i < s->sizes.inputs; i++) {
        double u = value[3 * i], u_dot = value[3 * i + 1], u_ddot = value[3 * i + 2];
        if (is_set[i]) continue;
        if (c->tables[i].count) {
            table_at(&c->tables[i], t, &u, &u_dot);
            u_ddot = 0;
        }
        slots[s->in.u + i] = u;
        slots[s->in.u_dot + i] = u_dot;
        slots[s->in.u_ddot + i] = u_ddot;
    }
}

static mech_status run(const mech_system *s, system_stage stage, double *slots, double *scratch)
{
    (void)scratch;
    program_run(of(s)->motion, stage, slots);
    return MECH_OK;
}

size_t mech_system_switch_count(const mech_system *s) { return s->compiled ? of(s)->switch_count : 0; }

const char *mech_system_switch_name(const mech_system *s, size_t index)
{
    return s->compiled ? of(s)->switch_names[index] : "a kink";
}

void compiled_switches(const mech_system *s, double *slots, double *scratch, double *values)
{
    for (uint32_t stage = STAGE_CONSTRAINT; stage <= STAGE_REACTION; stage++) {
        program_run_switches(of(s)->motion, stage, slots, values);
        values += program_switch_count(of(s)->motion, stage);
    }
    double *signals = signal_slots(s, scratch);
    signals[s->sizes.params] = slots[s->in.t];
    program_run_switches(of(s)->signals, 1, signals, values);
}

void compiled_sizes(const mech_system *s, system_stage last, double *slots, double *to)
{
    for (uint32_t stage = STAGE_CONSTRAINT; stage <= (uint32_t)last; stage++)
        program_run_sizes(of(s)->motion, stage, slots, to);
}

/* Inputs are a model's alone. */
double eval_next_point(const mech_eval *e, double t, int of_held)
{
    double next = HUGE_VAL;
    for (size_t i = 0; i < e->system->sizes.inputs; i++) {
        const points_table *table = &of(e->system)->tables[i];
        if (e->input_is_set[i] != INPUT_SET && table->count && table->is_held == of_held)
            next = fmin(next, table_next(table, t));
    }
    return next;
}

double mech_eval_next_point(const mech_eval *e, double t)
{
    return fmin(eval_next_point(e, t, 0), eval_next_point(e, t, 1));
}

double eval_hold(mech_eval *e, double t)
{
    const mech_system *s = e->system;
    for (size_t i = 0; i < s->sizes.inputs; i++) {
        const points_table *table = &of(s)->tables[i];
        if (e->input_is_set[i] == INPUT_SET || !table->count || !table->is_held) continue;
        table_at(table, t, &e->slots[s->in.u + i], &e->slots[s->in.u_dot + i]);
        e->slots[s->in.u_dot + i] = e->slots[s->in.u_ddot + i] = 0;
        e->input_is_set[i] = INPUT_HELD;
        system_stale_from(e, STAGE_CONSTRAINT);
    }
    return eval_next_point(e, t, 1);
}

char *compiled_expression(const mech_system *s, size_t slot)
{
    const mech_expr e = s->compiled ? compiled_value(of(s), slot) : (mech_expr){0};
    return e.id ? mech_print(of(s)->model->pool, e, MECH_PRINT_TEXT) : NULL;
}

void compiled_free(system_compiled *c)
{
    program_free(c->motion);
    program_free(c->params);
    program_free(c->signals);
    program_free(c->derivatives);
    program_free(c->kinks);
    system_bounds_free(c->bounds);
    model_twin_free(c->model);
    collect_free(&c->equation);
    collect_free(&c->slopes);
    for (size_t i = 0; i < c->table_count; i++) table_free(&c->tables[i]);
}

static const system_kind compiled_kind = {.follow = follow, .run = run};

/* ---- inputs of the programs ---- */

program_input *compiled_inputs(const mech_system *s, const mech_model *m, uint32_t stages, arena *memory)
{
    const system_inputs *in = &s->in;
    program_input *to = arena_zeroed(memory, in->count, sizeof *to);
    if (!to) return NULL;
#define PUT(at, value, from)                                                                                           \
    to[at] = (program_input){value, (uint8_t)(STAGE_##from < stages ? STAGE_##from : stages - 1)}
#define PUT_EACH(list, field, at, from)                                                                                \
    for (size_t i = 0; i < m->list##_count; i++) PUT(in->at + i, m->list[i].field, from)
    PUT_EACH(params, symbol, p, PARAMETER);
    PUT(in->t, m->time, CONSTRAINT);
    PUT_EACH(states, symbol, z, CONSTRAINT);
    PUT_EACH(inputs, symbol, u, CONSTRAINT);
    PUT_EACH(inputs, first, u_dot, CONSTRAINT);
    PUT_EACH(inputs, second, u_ddot, CONSTRAINT);
    PUT_EACH(constraints, active, active, CONSTRAINT);
    PUT_EACH(coords, q, q, CONSTRAINT);
    PUT_EACH(coords, v, v, VELOCITY);
    PUT_EACH(coords, a, a, EVENT);
    PUT_EACH(rows, lambda, lambda, REACTION);
    PUT_EACH(rows, reaction, reaction, REACTION);
    for (size_t i = 0; i < m->force_values_count; i++) {
        const model_force_value *v = &m->force_values[i];
        PUT((v->kind == MODEL_FORCE_FRICTION ? in->friction : in->control) + v->index, v->symbol, EVENT);
    }
    PUT_EACH(delays, symbol, delay, VELOCITY);
#undef PUT
#undef PUT_EACH
    return to;
}

/* ---- building ---- */

static mech_status compile(mech_system *s, const program_spec *spec, mech_diagnostics *diagnostics, program **result)
{
    mech_expr unknown;
    const mech_status status = program_create(spec, &unknown, result);
    if (status == MECH_OK) s->compilations++;
    if (status != MECH_ERR_ARGUMENT) return status;
    const int is_symbol = unknown.id && expr_is_symbol(spec->pool, unknown);
    if (diagnostics)
        diagnostics_add(diagnostics, MECH_SEVERITY_ERROR, MECH_ERR_MODEL, (mech_span){0}, NULL,
                        "'%s' has no value where it is used",
                        is_symbol ? expr_symbol_of(spec->pool, unknown)->name : "?");
    return MECH_ERR_MODEL;
}

/* How far a section may be late before the equation cannot be solved; 0: as far as it likes. */
static const uint8_t latest[SECTION_COUNT] = {
    [SECTION_R] = STAGE_CONSTRAINT,   [SECTION_GRADIENT] = STAGE_CONSTRAINT, [SECTION_M] = STAGE_POSITION,
    [SECTION_A] = STAGE_VELOCITY,     [SECTION_Q] = STAGE_VELOCITY,          [SECTION_B] = STAGE_VELOCITY,
    [SECTION_R_DOT] = STAGE_VELOCITY, [SECTION_G] = STAGE_VELOCITY};

/* Places are told to those who have the text. */
static mech_span place_of(const mech_model *model, uint32_t origin, const mech_diagnostics *diagnostics)
{
    return diagnostics == model->diagnostics ? model_span(model, origin) : (mech_span){0};
}

/* A section that needs what comes later. */
static void refuse_late(const mech_model *model, system_section section, mech_diagnostics *diagnostics)
{
    const mech_span place = place_of(model, model->equations.not_quadratic, diagnostics);
    if (section == SECTION_M)
        diagnostics_add(
            diagnostics, MECH_SEVERITY_ERROR, MECH_ERR_MODEL, place,
            "the kinetic energy is quadratic in the velocities, as in m/2*x'^2; its factors may depend on positions and time",
            "by this energy masses depend on the velocities, and such a motion cannot be computed");
    else
        diagnostics_add(diagnostics, MECH_SEVERITY_ERROR, MECH_ERR_MODEL, (mech_span){0},
                        "forces may depend on positions, time and velocities, laws on reactions too",
                        "%s depends on what is not known where it is needed", system_sections[section].text);
}

static mech_status place_parts(mech_system *s, mech_diagnostics *diagnostics)
{
    const program *motion = of(s)->motion;
    for (int k = 0; k < SECTION_COUNT; k++) {
        system_part *part = &s->parts[k];
        part->complete = (uint8_t)system_sections[k].stage;
        for (size_t i = part->first; i < part->first + part->count; i++)
            if (motion->output_stage[i] > part->complete) part->complete = motion->output_stage[i];
        if (latest[k] && part->complete > latest[k]) {
            if (diagnostics) refuse_late(of(s)->model, (system_section)k, diagnostics);
            return MECH_ERR_MODEL;
        }
        const int has_pattern = system_sections[k].column != INDEX_NONE && k != SECTION_GRADIENT;
        if (has_pattern) collect_place(&of(s)->equation, part, motion->output_first);
        else part->first += motion->output_first;
    }
    system_list_stages(s);
    return MECH_OK;
}

/* The latest stage before that of the start that each slot looks at, itself or by what it is made of. */
static void follow_needs(const program *p, const program_input *inputs, uint8_t *needs)
{
    for (uint32_t k = 0; k < p->input_count; k++) needs[k] = inputs[k].stage;
    for (uint32_t stage = 0; stage < p->stage_count; stage++)
        for (uint32_t i = p->stage_start[stage]; i < p->stage_start[stage + 1]; i++) {
            const program_instruction *k = &p->code[i];
            const int arity = program_arity(k->op);
            uint8_t most = (uint8_t)(stage < STAGE_START ? stage : STAGE_PARAMETER);
            for (int j = 0; j < arity; j++) {
                const uint8_t need = needs[(&k->a)[j]];
                if (need > most) most = need;
            }
            needs[k->out] = most;
            if (k->op == PROGRAM_SINCOS) needs[k->b] = most;
        }
}

static mech_status find_needs(mech_system *s, const program_input *inputs, arena *memory)
{
    static const system_section sections[] = {SECTION_TARGET_VALUE, SECTION_TARGET, SECTION_TARGET_GRADIENT};
    const program *p = of(s)->motion;
    uint8_t *needs;
    MECH_TRY(ARENA_MAKE(memory, ARRAY_OF(needs, p->slot_count)));
    follow_needs(p, inputs, needs);
    for (size_t k = 0; k < sizeof sections / sizeof *sections; k++) {
        const system_part *part = &s->parts[sections[k]];
        for (size_t i = part->first; i < part->first + part->count; i++)
            if (needs[i] > (int)s->targets_need) s->targets_need = (system_stage)needs[i];
        if (k == 0) s->values_need = s->targets_need;
    }
    return MECH_OK;
}

static mech_status compile_motion(mech_system *s, arena *memory, mech_diagnostics *diagnostics)
{
    static const uint8_t floor[STAGE_COUNT] = {STAGE_PARAMETER, STAGE_CONSTRAINT, STAGE_POSITION, STAGE_POSITION,
                                               STAGE_POSITION,  STAGE_EVENT,      STAGE_OUTPUT,   STAGE_START};
    system_compiled *c = of(s);
    collector *all = &c->equation;
    *all = (collector){.system = s, .model = c->model, .columns = mech_system_columns(s)};
    MECH_TRY(collect_sections(all));
    const program_input *inputs = compiled_inputs(s, c->model, STAGE_COUNT, memory);
    if (!inputs) return MECH_ERR_MEMORY;
    const program_spec spec = {c->model->pool, inputs, s->in.count, all->items, all->count, STAGE_COUNT, floor};
    MECH_TRY(compile(s, &spec, diagnostics, &c->motion));
    s->slot_count = c->motion->slot_count;
    MECH_TRY(place_parts(s, diagnostics));
    return find_needs(s, inputs, memory);
}

/* Declared values of parameters, and signals with two derivatives. */
static mech_status compile_inputs(mech_system *s, arena *memory, mech_diagnostics *diagnostics)
{
    system_compiled *c = of(s);
    const mech_model *m = c->model;
    const size_t params = m->params_count, signals = 3 * m->inputs_count;
    const program_input *inputs = compiled_inputs(s, m, 2, memory); /* parameters, time and others */
    program_output *outputs, *values;
    MECH_TRY(ARENA_MAKE(memory, ARRAY_OF(values, params), ARRAY_OF(outputs, signals)));
    for (size_t i = 0; i < params; i++) values[i].value = m->params[i].value;
    for (size_t i = 0; i < m->inputs_count; i++) {
        mech_expr u = m->inputs[i].signal;
        for (size_t k = 0; k < 3; k++) {
            if (k && u.id) u = mech_dot(m->pool, u);
            outputs[3 * i + k] = (program_output){u, 1};
        }
    }
    MECH_TRY(mech_pool_status(m->pool));
    const program_spec of_params = {m->pool, inputs, params, values, params, 1, NULL},
                       of_signals = {m->pool, inputs, params + 1, outputs, signals, 2, NULL};
    MECH_TRY(compile(s, &of_params, diagnostics, &c->params));
    MECH_TRY(compile(s, &of_signals, diagnostics, &c->signals));
    s->scratch_count = (size_t)c->params->slot_count + c->signals->slot_count;
    return MECH_OK;
}

static mech_status read_tables(mech_system *s, system_compiled *c, mech_diagnostics *diagnostics)
{
    const mech_model *m = c->model;
    mech_status result = MECH_OK;
    MECH_TRY(ARENA_MAKE(&s->memory, ARRAY_OF(c->tables, m->inputs_count)));
    c->table_count = m->inputs_count;
    for (size_t i = 0; i < m->inputs_count; i++) { /* all of them, so that all errors come together */
        const model_input *input = &m->inputs[i];
        if (input->signal.id || !input->file) continue;
        const mech_status status = table_read(input->file, input->column, 0, diagnostics,
                                              place_of(m, input->origin, diagnostics), &c->tables[i]);
        if (status == MECH_ERR_MEMORY) return status;
        if (status != MECH_OK) result = status;
        c->tables[i].is_held = input->is_held;
    }
    return result;
}

const char *mech_system_file(const mech_system *system, size_t index)
{
    if (!system->compiled) return NULL;
    const system_compiled *c = of(system);
    size_t texts = 0, tables = 0;
    for (const char *name; (name = diagnostics_source_name(c->model->diagnostics, (uint32_t)texts + 1)); texts++)
        if (texts == index) return name;
    for (size_t i = 0; i < c->table_count; i++)
        if (c->tables[i].path && texts + tables++ == index) return c->tables[i].path;
    const size_t more = index - texts - tables;
    return more < c->model->files_count ? c->model->files[more] : NULL;
}

/* What is held jumps, and no motion follows a force that holds its slope. */
static mech_status refuse_slopes(const mech_system *s, mech_diagnostics *diagnostics)
{
    const mech_model *m = of(s)->model;
    for (size_t i = 0; i < m->inputs_count; i++) {
        const model_input *input = &m->inputs[i];
        if (!input->is_held || !(s->input_uses[i] & (EVAL_USES_SLOPE | EVAL_USES_SECOND))) continue;
        if (diagnostics)
            diagnostics_add(diagnostics, MECH_SEVERITY_ERROR, MECH_ERR_MODEL, place_of(m, input->origin, diagnostics),
                            "without 'held' the input is linear between its points",
                            "the model uses the slope %s' of an input that is held and jumps", input->name);
        return MECH_ERR_MODEL;
    }
    return MECH_OK;
}

/* memory: for the time of the call. */
static mech_status build_compiled(mech_system *s, const mech_model *given, const mech_system_options *options,
                                  arena *memory, mech_diagnostics *diagnostics)
{
    system_compiled *c;
    MECH_TRY(ARENA_MAKE(&s->memory, ARRAY_OF(c, 1)));
    s->kind = &compiled_kind;
    s->compiled = c;
    c->model = model_twin(given);
    if (!c->model) return MECH_ERR_MEMORY;
    const mech_model *m = c->model;
    MECH_TRY(collect_lists(s, m));
    MECH_TRY(system_name_rows(s));
    for (size_t i = 0; i < m->force_values_count; i++)
        if (m->force_values[i].kind != MODEL_FORCE_FRICTION)
            s->control_count = m->actuators_count ? m->actuators_count : m->coords_count;
    system_place_inputs(s);
    MECH_TRY(read_tables(s, c, diagnostics));
    MECH_TRY(compile_inputs(s, memory, diagnostics));
    MECH_TRY(compile_motion(s, memory, diagnostics));
    MECH_TRY(compiled_find_input_uses(s));
    MECH_TRY(refuse_slopes(s, diagnostics));
    MECH_TRY(compiled_name_switches(s));
    MECH_TRY(system_bounds_create(s, &c->bounds));
    s->has_parameter_slopes = options->with_parameters && options->with_derivatives;
    return options->with_derivatives ? compiled_derive(s, options->with_parameters, memory) : MECH_OK;
}

mech_status mech_system_create(const mech_model *m, const mech_system_options *options, mech_diagnostics *diagnostics,
                               mech_system **result)
{
    mech_system_options given = {.size = sizeof given};
    if (!result) return MECH_ERR_ARGUMENT;
    *result = NULL;
    if (!m || !m->is_finished) return MECH_ERR_ARGUMENT;
    MECH_TRY(options_take(&given, sizeof given, options));
    mech_system *s = mem_zeroed(1, sizeof *s);
    if (!s) return MECH_ERR_MEMORY;
    arena memory = {0};
    const mech_status status = build_compiled(s, m, &given, &memory, diagnostics);
    arena_free(&memory);
    if (status == MECH_OK) *result = s;
    else mech_system_free(s);
    return status;
}

mech_status mech_system_from_model(const mech_model *m, mech_diagnostics *diagnostics, mech_system **result)
{
    return mech_system_create(m, NULL, diagnostics, result);
}

/* ---- looking ---- */

/* The program, with the names of its inputs as the model prints them and those of its outputs. */
char *mech_system_dump(const mech_system *s)
{
    const system_compiled *c = of(s);
    textbuf given = {0};
    if (!c) text_format(&given, "# C functions: %zu coordinates, %zu rows\n", s->sizes.coords, s->sizes.rows);
    if (!c) return text_take(&given);
    const size_t inputs = s->in.count, count = inputs + c->motion->output_count;
    arena memory = {0};
    const program_input *symbols = compiled_inputs(s, c->model, STAGE_COUNT, &memory);
    const char **names = mem_zeroed(count, sizeof *names);
    char *text = NULL;
    if (symbols && names) {
        for (size_t i = 0; i < count; i++) {
            textbuf name = {0};
            if (i >= inputs) {
                system_describe_slot(s, c->motion->output_first + i - inputs, &name);
                names[i] = text_take(&name);
            } else if (symbols[i].symbol.id) names[i] = mech_print(c->model->pool, symbols[i].symbol, MECH_PRINT_TEXT);
        }
        text = program_dump(c->motion, names, names + inputs);
    }
    for (size_t i = 0; names && i < count; i++) mem_free((void *)(uintptr_t)names[i]);
    mem_free(names);
    arena_free(&memory);
    return text;
}
