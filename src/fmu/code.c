/* The sources of a unit for model exchange in C: exported code, what an instance needs besides, and the texts that are
   the same for all. docs/decisions/0043-units-in-c.md */
#include "fmu/code.h"

#include "base/mem.h"
#include "base/try.h"
#include "model/model.h"
#include "motion/motion.h"
#include "system/compiled.h"
#include "system/owner.h"

#include <mech/assemble.h>
#include <mech/output.h>

#include <math.h>
#include <stdint.h>
#include <string.h>

/* Functions of unit.c, each over a list of expressions. */
typedef enum list { LIST_INITIAL, LIST_RATE, LIST_KINK, LIST_ACTION, LIST_ALONG, LISTS } list;
static const char *const list_names[LISTS] = {"initial", "rate", "kink", "action", "along"};

/* Matrices of derivatives, in the order of the instance. */
static const system_derivative parts[] = {DERIVATIVE_MOTION, DERIVATIVE_ROW,  DERIVATIVE_R,
                                          DERIVATIVE_R_DOT,  DERIVATIVE_RATE, DERIVATIVE_OUTPUT};
enum { PARTS = sizeof parts / sizeof *parts };

typedef struct coder {
    const mech_system *system;
    const mech_model *model;
    const char *name;  /* of the unit                         */
    textbuf motion;    /* that of the exported code           */
    textbuf functions; /* of unit.c                           */
    emit_result size[LISTS];
    mech_expr *values;
    emit_place *places;
    size_t count, capacity, place_capacity;
    uint32_t *row, *column; /* (entries) of the derivatives */
    size_t entries, first[PARTS + 1];
    double *start; /* (2n + states) as a run begins; 0 where it does not */
    double *times; /* of points of tables */
    size_t time_count;
    mech_status status;
} coder;

/* ---- what is in the way ---- */

static unsigned classes_of(const mech_model *model, mech_expr e) { return e.id ? model->pool->nodes[e.id].classes : 0; }

/* What one event does may make the trigger of another jump over 0, which then happens at the same instant: that is the
   business of a run. */
static int events_are_apart(const mech_model *model)
{
    const unsigned late = EXPR_ACCELERATION | EXPR_REACTION;
    for (size_t k = 0; k < model->events_count && model->events_count > 1; k++) {
        const model_event *e = &model->events[k];
        if ((classes_of(model, e->trigger) | classes_of(model, e->condition)) & late) return 0;
        for (size_t a = 0; a < e->action_count; a++)
            if (e->actions[a].kind == MECH_ACTION_SET || e->actions[a].kind == MECH_ACTION_IMPOSE) return 0;
    }
    return 1;
}

static int has_impact(const mech_model *model)
{
    for (size_t k = 0; k < model->events_count; k++)
        for (size_t a = 0; a < model->events[k].action_count; a++)
            if (model->events[k].actions[a].kind == MECH_ACTION_IMPACT) return 1;
    return 0;
}

static int has_mass(const mech_system *system, size_t coord)
{
    const mech_pattern M = mech_system_pattern(system, MECH_MATRIX_M);
    for (size_t k = 0; k < M.count; k++)
        if (M.row[k] == coord || M.column[k] == coord) return !system_coord_shows(system, coord);
    return 0;
}

/* Does an event set a coordinate that others follow, as assemble/follow.c has it? */
static int sets_what_leads(const mech_system *system)
{
    const mech_sizes sizes = mech_system_sizes(system);
    for (size_t k = 0; k < sizes.actions && sizes.rows; k++) {
        const mech_action_info a = mech_system_action(system, k);
        if (a.kind != MECH_ACTION_SET || (a.variable != MECH_VARIABLE_Q && a.variable != MECH_VARIABLE_V)) continue;
        if (!has_mass(system, a.index) || system_coord_joins(system, a.index)) return 1;
    }
    return 0;
}

const char *fmu_code_obstacle(const mech_system *system)
{
    const mech_model *model = system_model(system);
    const mech_sizes sizes = mech_system_sizes(system);
    if (!model) return "it was made of C functions";
    const char *motion = mech_motion_obstacle(system);
    if (motion) return motion;
    if (!mech_system_has_jacobian(system)) return "it was made without derivatives";
    if (sizes.laws) return "there are laws of nonideal constraints";
    if (sizes.contacts) return "there are one-sided constraints";
    if (has_impact(model)) return "there are impacts";
    if (!events_are_apart(model)) return "there are several events that may set one another off";
    if (sets_what_leads(system))
        return "an event sets a coordinate that others follow: one of a joint, or without mass";
    if (system->clock_count) return "something is sampled";
    if (system->delay_count) return "there are delays";
    if (system_has_gradient(system)) return "a constraint holds a state whose rate holds velocities";
    return NULL;
}

/* ---- functions ---- */

static void add_value(coder *x, mech_expr value)
{
    if (!mem_grow(&x->values, &x->capacity, x->count + 1, sizeof *x->values) ||
        !mem_grow(&x->places, &x->place_capacity, x->count + 1, sizeof *x->places)) {
        x->status = MECH_ERR_MEMORY;
        return;
    }
    x->values[x->count] = value;
    x->places[x->count] = (emit_place){"more", (uint32_t)x->count};
    x->count++;
}

/* Entries of d target/d(q, v, z) of the initial values. */
static const system_part *gradients(const mech_system *system) { return &system->parts[SECTION_TARGET_GRADIENT]; }

/* Functions with kinks in the equation and in the signals, as mech_eval_switches has them. */
static size_t kink_count(const mech_system *system) { return mech_system_switch_count(system); }
static uint32_t kink_node(const mech_system *system, size_t k)
{
    size_t count[2];
    const system_compiled *c = system->compiled;
    const uint32_t *motion = program_switch_nodes(c->motion, STAGE_CONSTRAINT, STAGE_REACTION, &count[0]),
                   *signals = program_switch_nodes(c->signals, 1, 1, &count[1]);
    return k < count[0] ? motion[k] : signals[k - count[0]];
}

static void list_values(coder *x, list which)
{
    const mech_model *m = x->model;
    for (size_t i = 0; which == LIST_INITIAL && i < m->initials_count; i++) add_value(x, m->initials[i].value);
    for (size_t i = 0; which == LIST_INITIAL && i < m->initials_count; i++) add_value(x, m->initials[i].target);
    for (size_t i = 0; which == LIST_INITIAL && i < gradients(x->system)->count; i++)
        add_value(x, compiled_value(x->system->compiled, gradients(x->system)->first + i));
    for (size_t i = 0; which == LIST_RATE && i < m->states_count; i++) add_value(x, m->states[i].rate);
    for (size_t i = 0; which == LIST_KINK && i < kink_count(x->system); i++) {
        const expr_node *n = &m->pool->nodes[kink_node(x->system, i)];
        for (uint32_t k = 0; k < 2; k++)
            add_value(x, k < n->count ? (mech_expr){m->pool->operands[n->first + k]} : EXPR_ZERO);
    }
    for (size_t i = 0; which == LIST_ACTION && i < m->events_count; i++)
        for (size_t a = 0; a < m->events[i].action_count; a++)
            add_value(x, m->events[i].actions[a].value.id ? m->events[i].actions[a].value : EXPR_ZERO);
}

/* Where an instance has what a column is the derivative by; SIZE_MAX: nowhere. */
static size_t seed_of(const mech_system *s, size_t column)
{
    const mech_columns c = mech_system_columns(s);
    const size_t n = s->sizes.coords, inputs = 2 * n + s->sizes.states, a = inputs + s->sizes.inputs, lambda = a + n;
    const struct {
        size_t from, count, to;
    } ranges[] = {{c.q, n, 0},
                  {c.v, n, n},
                  {c.z, s->sizes.states, 2 * n},
                  {c.u, s->sizes.inputs, inputs},
                  {c.a, n, a},
                  {c.lambda, s->sizes.rows, lambda},
                  {c.reaction, s->sizes.rows, lambda}};
    for (size_t k = 0; k < sizeof ranges / sizeof *ranges; k++)
        if (column >= ranges[k].from && column < ranges[k].from + ranges[k].count)
            return ranges[k].to + column - ranges[k].from;
    return SIZE_MAX;
}

static mech_status emit_entries(coder *x, const char *prefix)
{
    const mech_system *s = x->system;
    const program *code = s->compiled->derivatives;
    emit_place *places = mem_zeroed(code->output_count + 1, sizeof *places);
    x->row = mem_zeroed(code->output_count + 1, sizeof *x->row);
    x->column = mem_zeroed(code->output_count + 1, sizeof *x->column);
    mech_status status = places && x->row && x->column ? MECH_OK : MECH_ERR_MEMORY;
    for (size_t part = 0; part < PARTS && status == MECH_OK; part++) {
        const system_part *p = &s->derivatives[parts[part]];
        x->first[part] = x->entries;
        for (size_t i = 0; i < p->count; i++) {
            const size_t seed = seed_of(s, p->column[i]);
            if (seed == SIZE_MAX) continue;
            places[p->first - code->output_first + i] = (emit_place){"more", (uint32_t)x->entries};
            x->row[x->entries] = p->row[i];
            x->column[x->entries++] = (uint32_t)seed;
        }
        x->first[part + 1] = x->entries;
    }
    if (status == MECH_OK)
        status = motion_program_make(s, s->compiled->derivatives, &(motion_target){.prefix = prefix}, places,
                                     &x->size[LIST_ALONG], &x->functions);
    mem_free(places);
    return status;
}

static mech_status emit_functions(coder *x)
{
    mech_status status = MECH_OK;
    for (int k = 0; k < LISTS && status == MECH_OK; k++) {
        textbuf prefix = {0};
        text_format(&prefix, "%s_%s", x->motion.data, list_names[k]);
        x->count = 0;
        list_values(x, (list)k);
        if (prefix.failed || x->status != MECH_OK) status = MECH_ERR_MEMORY;
        else if (k == LIST_ALONG) status = emit_entries(x, prefix.data);
        else
            status = motion_values_make(x->system, &(motion_target){.prefix = prefix.data}, x->values, x->places,
                                        x->count, &x->size[k], &x->functions);
        text_free(&prefix);
    }
    return status == MECH_OK && x->functions.failed ? MECH_ERR_MEMORY : status;
}

/* ---- renaming ---- */

static int is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* #define WORD NAME_WORD for every word of the text that begins so. */
static void add_renames(const char *name, const char *text, const char *beginning, textbuf *to)
{
    const size_t begins = strlen(beginning);
    for (const char *c = text; *c;) {
        size_t length = 0;
        while (is_word(c[length])) length++;
        if (length > begins && strncmp(c, beginning, begins) == 0) {
            textbuf line = {0};
            text_format(&line, "#define %.*s %s_%.*s\n", (int)length, c, name, (int)length, c);
            if (line.failed) to->failed = 1;
            else if (!to->data || !strstr(to->data, line.data)) text_add(to, line.data);
            text_free(&line);
        }
        c += length ? length : 1;
    }
}

/* ---- unit.h and unit.c ---- */

static size_t at_least_one(size_t count) { return count ? count : 1; }

static const char tables[] =
    "extern const char unit_token[];\n"
    "extern const double unit_gain;\n"
    "extern const char *const unit_names[];        /* of parameters, then inputs             */\n"
    "extern const unsigned char unit_is_fixed[];   /* parameters that cannot be set          */\n"
    "extern const unsigned char unit_uses_slope[]; /* inputs                                 */\n"
    "extern const int unit_target[];               /* places in x of initial values, or -1    */\n"
    "extern const unsigned char unit_target_is_fixed[];\n"
    "extern const double unit_start[];             /* x as a run begins it, with these parameters */\n"
    "extern const int unit_target_level[];         /* 0 positions, 1 velocities, 2 neither   */\n"
    "extern const int unit_gradient_row[], unit_gradient_column[]; /* of their entries       */\n"
    "extern const int unit_first_row[];            /* of each constraint, and the end        */\n"
    "extern const unsigned char unit_level[];      /* of a row: positions, velocities, more  */\n"
    "extern const int unit_entry_first[], unit_entry_row[], unit_entry_column[];\n"
    "extern const unsigned char unit_is_floor[];   /* kinks                                  */\n"
    "extern const double unit_times[];             /* of points of tables                    */\n"
    "extern const char *const unit_event_names[];\n"
    "extern const unsigned char unit_sets[];       /* events that set something              */\n"
    "extern const int unit_action_first[], unit_action_kind[], unit_action_place[];\n"
    "extern const int unit_struck_first[], unit_struck[]; /* constraints of actions          */\n\n";

static void add_unit_h(const coder *x, textbuf *to)
{
    const char *motion = x->motion.data;
    size_t work = 1;
    textbuf rest = {0};
    text_format(to,
                "/* What unit.c has of the model, for instance.c. Generated by Mechanician. */\n#ifndef UNIT_%s_H\n"
                "#define UNIT_%s_H\n\n#include \"%s.h\"\n\n",
                x->name, x->name, motion);
    text_format(to, "#define MOTION(word) %s_##word\ntypedef %s %s_type;\n\n", motion, motion, motion);
    const size_t counts[] = {x->model->initials_count, x->entries,    kink_count(x->system),
                             x->system->sizes.actions, x->time_count, gradients(x->system)->count};
    static const char *const words[] = {"TARGETS", "ENTRIES", "KINKS", "ACTIONS", "TIMES", "GRADIENTS"};
    for (size_t k = 0; k < sizeof counts / sizeof *counts; k++)
        text_format(to, "%sUNIT_%s = %zu", k ? ", " : "enum { ", words[k], counts[k]);
    text_add(to, " };\nenum { UNIT_STOP, UNIT_RECORD, UNIT_RELEASE, UNIT_IMPOSE, UNIT_SET };\n\n");
    text_add(&rest,
             "typedef struct unit_code {\n    double target[2 * UNIT_TARGETS + UNIT_GRADIENTS + 1];\n    double ");
    for (int k = 0; k < LISTS; k++) {
        text_format(&rest, "%s[%zu], ", list_names[k], at_least_one(x->size[k].kept));
        if (x->size[k].work > work) work = x->size[k].work;
    }
    text_format(&rest, "work[%zu];\n} unit_code;\nvoid unit_set_parameters(unit_code *code, const double *p);\n", work);
    text_add(&rest, tables);
    for (int k = 0; k < LISTS; k++)
        text_format(&rest, "int %s_%s_parameters(const double *p, double *k);\nint %s_%s_motion(" EMIT_ARGUMENTS ");\n",
                    motion, list_names[k], motion, list_names[k]);
    if (rest.failed) to->failed = 1;
    else {
        add_renames(x->name, rest.data, "unit_", to);
        text_add(to, rest.data);
    }
    text_free(&rest);
    text_add(to, "\n#endif\n");
}

/* TYPE name[] = {...}, one number after the other. */
static void add_numbers(const coder *x, textbuf *to, const char *type, const char *name, size_t count,
                        size_t (*number)(const coder *x, size_t i))
{
    text_format(to, "const %s %s[] = {", type, name);
    for (size_t i = 0; i < count; i++) {
        const size_t value = number(x, i); /* SIZE_MAX stands for -1 */
        text_format(to, value == SIZE_MAX ? "%s-1" : "%s%zu", i == 0 ? "" : i % 24 ? ", " : ",\n    ", value);
    }
    text_add(to, count ? "};\n" : "0};\n");
}

/* It shaped the code, or follows from others. */
static size_t is_fixed(const coder *x, size_t i)
{
    return x->model->params[i].is_structural || classes_of(x->model, x->model->params[i].value) != 0;
}
static size_t uses_slope(const coder *x, size_t input)
{
    const mech_system *s = x->system;
    const mech_columns at = mech_system_columns(s);
    for (int which = MECH_MATRIX_D_MOTION; which < MECH_MATRIX_COUNT; which++) {
        const mech_pattern p = mech_system_pattern(s, (mech_matrix)which);
        for (size_t k = 0; k < p.count; k++)
            if (p.column[k] >= at.u_dot && p.column[k] < at.a && (p.column[k] - at.u_dot) % s->sizes.inputs == input)
                return 1;
    }
    return 0;
}
/* SIZE_MAX: an expression. */
static size_t target_place(const coder *x, size_t k)
{
    const mech_target t = mech_system_target(x->system, k);
    const size_t n = x->system->sizes.coords;
    if (t.variable == MECH_VARIABLE_EXPRESSION) return SIZE_MAX;
    return t.index + (t.variable == MECH_VARIABLE_Q ? 0 : t.variable == MECH_VARIABLE_V ? n : 2 * n);
}
static size_t gradient_row(const coder *x, size_t i) { return gradients(x->system)->row[i]; }
static size_t gradient_column(const coder *x, size_t i) { return gradients(x->system)->column[i]; }
/* Of velocities, where it holds one; a state has none. */
static size_t target_level(const coder *x, size_t k)
{
    const size_t n = x->system->sizes.coords;
    size_t level = mech_system_target(x->system, k).variable == MECH_VARIABLE_Z ? 2 : 0;
    for (size_t i = 0; i < gradients(x->system)->count; i++)
        if (gradient_row(x, i) == k && gradient_column(x, i) >= n && gradient_column(x, i) < 2 * n) level = 1;
    return level;
}
static size_t target_is_fixed(const coder *x, size_t k) { return (size_t)mech_system_target(x->system, k).is_fixed; }
static size_t first_row(const coder *x, size_t c)
{
    return c < x->system->sizes.constraints ? mech_system_constraint_rows(x->system, c, NULL) : x->system->sizes.rows;
}
static size_t level_of(const coder *x, size_t row)
{
    const mech_level level = mech_system_row(x->system, row).level;
    return level == MECH_LEVEL_HOLONOMIC ? 0 : level == MECH_LEVEL_ACCELERATION ? 2 : 1;
}
static size_t entry_first(const coder *x, size_t part) { return x->first[part]; }
static size_t entry_row(const coder *x, size_t k) { return x->row[k]; }
static size_t entry_column(const coder *x, size_t k) { return x->column[k]; }

static size_t is_floor(const coder *x, size_t k)
{
    return x->model->pool->nodes[kink_node(x->system, k)].function == MECH_FUNCTION_FLOOR;
}
static size_t event_sets(const coder *x, size_t k)
{
    const mech_event_info e = mech_system_event(x->system, k);
    for (size_t a = e.first_action; a < e.first_action + e.action_count; a++)
        if (mech_system_action(x->system, a).kind == MECH_ACTION_SET) return 1;
    return 0;
}
static size_t action_first(const coder *x, size_t k)
{
    return k < x->system->sizes.events ? mech_system_event(x->system, k).first_action : x->system->sizes.actions;
}
static size_t action_kind(const coder *x, size_t a)
{
    switch (mech_system_action(x->system, a).kind) {
    case MECH_ACTION_STOP: return 0;
    case MECH_ACTION_RELEASE: return 2;
    case MECH_ACTION_IMPOSE: return 3;
    case MECH_ACTION_SET: return 4;
    case MECH_ACTION_RECORD:
    case MECH_ACTION_IMPACT: break;
    }
    return 1;
}
static size_t action_place(const coder *x, size_t a)
{
    const mech_action_info i = mech_system_action(x->system, a);
    const size_t n = x->system->sizes.coords;
    return i.variable == MECH_VARIABLE_Q   ? i.index
           : i.variable == MECH_VARIABLE_V ? n + i.index
           : i.variable == MECH_VARIABLE_Z ? 2 * n + i.index
                                           : 0;
}
static size_t struck_first(const coder *x, size_t action)
{
    size_t count = 0;
    for (size_t a = 0; a < action; a++) count += mech_system_action(x->system, a).constraint_count;
    return count;
}
static size_t struck(const coder *x, size_t k)
{
    size_t a = 0;
    while (struck_first(x, a + 1) <= k) a++;
    return mech_system_action(x->system, a).constraints[k - struck_first(x, a)];
}

/* As a string of C: what is not plain goes by its number. */
static void add_string(textbuf *to, const char *text)
{
    text_add_char(to, '"');
    for (const char *c = text; *c; c++) {
        const int is_plain = *c >= ' ' && *c <= '~' && !strchr("\"\\?", *c);
        if (is_plain) text_add_char(to, *c);
        else text_format(to, "\\%03o", (unsigned)(unsigned char)*c);
    }
    text_add_char(to, '"');
}

static void add_event_names(const coder *x, textbuf *to)
{
    const size_t count = x->system->sizes.events;
    text_add(to, "const char *const unit_event_names[] = {");
    for (size_t i = 0; i < count; i++) {
        text_add(to, i ? ",\n    " : "");
        add_string(to, mech_system_name(x->system, MECH_ITEM_EVENT, i));
    }
    text_add(to, count ? "};\n" : "\"\"};\n");
}

static void add_doubles(textbuf *to, const char *name, const double *values, size_t count)
{
    text_format(to, "const double %s[] = {", name);
    for (size_t i = 0; i < count; i++) {
        text_add(to, i == 0 ? "" : i % 8 ? ", " : ",\n    ");
        text_add_double(to, values[i]);
    }
    text_add(to, count ? "};\n" : "0};\n");
}

static void add_names(const coder *x, textbuf *to)
{
    const mech_sizes *s = &x->system->sizes;
    text_add(to, "const char *const unit_names[] = {");
    for (size_t i = 0; i < s->params + s->inputs; i++) {
        const int is_param = i < s->params;
        text_add(to, i ? ",\n    " : "");
        add_string(to, mech_system_name(x->system, is_param ? MECH_ITEM_PARAM : MECH_ITEM_INPUT,
                                        is_param ? i : i - s->params));
    }
    text_add(to, s->params + s->inputs ? "};\n" : "\"\"};\n");
}

static void add_unit_c(const coder *x, const char *token, double gain, textbuf *to)
{
    const mech_sizes *s = &x->system->sizes;
    text_add(
        to,
        "/* What exported code has not. Generated by Mechanician. */\n#include \"unit.h\"\n\n#include <stddef.h>\n");
    emit_prelude(to, 0);
    text_format(to, "\nconst char unit_token[] = \"%s\";\nconst double unit_gain = ", token);
    text_add_double(to, gain);
    text_add(to, ";\n");
    add_names(x, to);
    add_numbers(x, to, "unsigned char", "unit_is_fixed", s->params, is_fixed);
    add_numbers(x, to, "unsigned char", "unit_uses_slope", s->inputs, uses_slope);
    add_numbers(x, to, "int", "unit_target", s->targets, target_place);
    add_numbers(x, to, "unsigned char", "unit_target_is_fixed", s->targets, target_is_fixed);
    add_numbers(x, to, "int", "unit_target_level", s->targets, target_level);
    add_numbers(x, to, "int", "unit_gradient_row", gradients(x->system)->count, gradient_row);
    add_numbers(x, to, "int", "unit_gradient_column", gradients(x->system)->count, gradient_column);
    add_numbers(x, to, "int", "unit_first_row", s->constraints + 1, first_row);
    add_numbers(x, to, "unsigned char", "unit_level", s->rows, level_of);
    add_numbers(x, to, "int", "unit_entry_first", PARTS + 1, entry_first);
    add_numbers(x, to, "int", "unit_entry_row", x->entries, entry_row);
    add_numbers(x, to, "int", "unit_entry_column", x->entries, entry_column);
    add_numbers(x, to, "unsigned char", "unit_is_floor", kink_count(x->system), is_floor);
    add_doubles(to, "unit_times", x->times, x->time_count);
    add_doubles(to, "unit_start", x->start, 2 * s->coords + s->states);
    add_event_names(x, to);
    add_numbers(x, to, "unsigned char", "unit_sets", s->events, event_sets);
    add_numbers(x, to, "int", "unit_action_first", s->events + 1, action_first);
    add_numbers(x, to, "int", "unit_action_kind", s->actions, action_kind);
    add_numbers(x, to, "int", "unit_action_place", s->actions, action_place);
    add_numbers(x, to, "int", "unit_struck_first", s->actions + 1, struck_first);
    add_numbers(x, to, "int", "unit_struck", struck_first(x, s->actions), struck);
    text_add(to, "\n");
    if (x->functions.data) text_add_n(to, x->functions.data, x->functions.length);
    text_add(to, "\nvoid unit_set_parameters(unit_code *code, const double *p)\n{\n");
    for (int k = 0; k < LISTS; k++)
        text_format(to, "    (void)%s_%s_parameters(p, code->%s);\n", x->motion.data, list_names[k], list_names[k]);
    text_add(to, "}\n");
}

/* ---- files ---- */

/* Takes the text. */
static void add_file(fmu_code *made, const char *name, int is_source, textbuf *text)
{
    const size_t length = text->length;
    char *data = text->failed ? NULL : text_take(text);
    text_free(text);
    if (!data) made->failed = 1;
    made->files[made->count] = (fmu_file){.name = name, .data = data, .length = length};
    made->texts[made->count] = data;
    made->is_source[made->count++] = is_source;
}

static void add_copy(fmu_code *made, const char *name, int is_source, const char *before, const char *text)
{
    textbuf all = {0};
    text_add(&all, before);
    text_add(&all, text);
    add_file(made, name, is_source, &all);
}

/* The functions of the standard under their own names where an importer makes a shared library. */
static void add_face(const coder *x, int fmi, fmu_code *made)
{
    const char *text = fmi == 2 ? fmu_text_fmi2 : fmu_text_fmi3, *word = fmi == 2 ? "fmi2" : "fmi3";
    textbuf names = {0}, before = {0};
    add_renames(x->name, text, word, &names);
    if (names.failed) before.failed = 1;
    else
        text_format(&before,
                    "#ifndef FMI%d_OVERRIDE_FUNCTION_PREFIX /* defined: the plain names of the standard */\n"
                    "%s#endif\n\n",
                    fmi, names.data);
    if (before.failed) made->failed = 1;
    else add_copy(made, fmi == 2 ? "sources/fmi2.c" : "sources/fmi3.c", 1, before.data, text);
    text_free(&names);
    text_free(&before);
}

static void add_renamed(const coder *x, const char *path, const char *word, const char *text, fmu_code *made)
{
    textbuf names = {0};
    add_renames(x->name, text, word, &names);
    text_add(&names, "\n");
    if (names.failed) made->failed = 1;
    else add_copy(made, path, 0, names.data, text);
    text_free(&names);
}

/* Exported code leaves out what it does not call, by its first line; an instance calls more. */
static const char *whole_small(const char *text)
{
    static const char lean[] = "#define SMALL_LEAN\n";
    return strncmp(text, lean, sizeof lean - 1) == 0 ? text + sizeof lean - 1 : text;
}

static mech_status write_files(coder *x, int fmi, const char *token, double gain, fmu_code *made)
{
    mech_exported code = {0};
    textbuf unit_h = {0}, unit_c = {0};
    const mech_export_start start = {.size = sizeof start, .without_slopes = 1}; /* unit.c has its own */
    const mech_status status = mech_export_c(x->system, x->motion.data, &start, &code);
    const char *header = arena_format(&made->memory, "sources/%s.h", x->motion.data),
               *source = arena_format(&made->memory, "sources/%s.c", x->motion.data);
    if (status == MECH_OK && header && source) {
        add_face(x, fmi, made);
        add_copy(made, "sources/instance.c", 1, "", fmu_text_instance_c);
        add_copy(made, "sources/onto.c", 1, "", fmu_text_onto_c);
        add_copy(made, "sources/events.c", 1, "", fmu_text_events_c);
        add_unit_c(x, token, gain, &unit_c);
        add_file(made, "sources/unit.c", 1, &unit_c);
        add_copy(made, source, 1, "", code.source);
        add_copy(made, "sources/small.c", 1, "", whole_small(code.small_c));
        add_copy(made, header, 0, "", code.header);
        add_unit_h(x, &unit_h);
        add_file(made, "sources/unit.h", 0, &unit_h);
        add_renamed(x, "sources/instance.h", "instance_", fmu_text_instance_h, made);
        add_renamed(x, "sources/within.h", "instance_", fmu_text_within_h, made);
        add_renamed(x, "sources/fundamental/small.h", "small_", code.small_h, made);
    }
    mech_exported_free(&code);
    return status != MECH_OK ? status : header && source && !made->failed ? MECH_OK : MECH_ERR_MEMORY;
}

static void add_description(const fmu_code *code, const char *name, textbuf *to)
{
    text_add(to, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiBuildDescription fmiVersion=\"3.0\">\n");
    text_format(to, "  <BuildConfiguration modelIdentifier=\"%s\">\n    <SourceFileSet language=\"C99\">\n", name);
    for (size_t i = 0; i < code->count; i++)
        if (code->is_source[i])
            text_format(to, "      <SourceFile name=\"%s\"/>\n", code->files[i].name + strlen("sources/"));
    text_add(to, "    </SourceFileSet>\n  </BuildConfiguration>\n</fmiBuildDescription>\n");
}

/* Where a run begins, which may take a longer search than code makes. */
static mech_status find_start(coder *x)
{
    const mech_sizes *s = &x->system->sizes;
    mech_assemble_options options;
    mech_eval *eval = NULL;
    mech_assembly *assembly = NULL;
    const char *word;
    x->start = mem_zeroed(2 * s->coords + s->states, sizeof *x->start);
    if (!x->start) return MECH_ERR_MEMORY;
    mech_assemble_options_default(&options, sizeof options);
    mech_status status = mech_eval_create(x->system, MECH_STORAGE_DENSE, &eval);
    if (status == MECH_OK && (mech_eval_option(eval, "from", &options.t, &word) != 1 || !isfinite(options.t)))
        options.t = 0;
    if (status == MECH_OK) status = mech_assembly_create(eval, &assembly);
    if (status == MECH_OK) status = mech_assemble(assembly, &options);
    if (status == MECH_OK) {
        memcpy(x->start, mech_assembly_q(assembly), s->coords * sizeof *x->start);
        memcpy(x->start + s->coords, mech_assembly_v(assembly), s->coords * sizeof *x->start);
        if (s->states) memcpy(x->start + 2 * s->coords, mech_assembly_z(assembly), s->states * sizeof *x->start);
    }
    mech_assembly_free(assembly);
    mech_eval_free(eval);
    return status == MECH_ERR_MEMORY ? status : MECH_OK; /* what else is wrong is said when the unit is used */
}

static mech_status list_times(coder *x)
{
    const system_compiled *c = x->system->compiled;
    size_t capacity = 0;
    for (size_t i = 0; i < c->table_count; i++)
        for (size_t k = 0; k < c->tables[i].count; k++) {
            if (!mem_grow(&x->times, &capacity, x->time_count + 1, sizeof *x->times)) return MECH_ERR_MEMORY;
            x->times[x->time_count++] = c->tables[i].t[k];
        }
    return MECH_OK;
}

const char *fmu_code_name_obstacle(const char *name)
{
    return strlen(name) + strlen("_motion") > MECH_EXPORT_NAME ? "its name is too long" : NULL;
}

mech_status fmu_code_make(const mech_system *system, int fmi, const char *name, const char *token, double gain,
                          fmu_code *made)
{
    coder x = {.system = system, .model = system_model(system), .name = name};
    textbuf description = {0};
    *made = (fmu_code){0};
    text_format(&x.motion, "%s_motion", name);
    mech_status status = x.motion.failed ? MECH_ERR_MEMORY : list_times(&x);
    if (status == MECH_OK) status = find_start(&x);
    if (status == MECH_OK) status = emit_functions(&x);
    if (status == MECH_OK) status = write_files(&x, fmi, token, gain, made);
    if (status == MECH_OK && fmi == 3) {
        add_description(made, name, &description);
        add_file(made, "sources/buildDescription.xml", 0, &description);
        if (made->failed) status = MECH_ERR_MEMORY;
    }
    text_free(&x.motion);
    text_free(&x.functions);
    mem_free(x.values);
    mem_free(x.places);
    mem_free(x.row);
    mem_free(x.column);
    mem_free(x.times);
    mem_free(x.start);
    made->indicators = mech_system_sizes(system).events + kink_count(system);
    if (status != MECH_OK) fmu_code_free(made);
    return status;
}

void fmu_code_free(fmu_code *code)
{
    for (size_t i = 0; i < code->count; i++) mem_free(code->texts[i]);
    arena_free(&code->memory);
    *code = (fmu_code){0};
}
