/* A model as standalone C: the emitted functions, the robust solve beside them, and a frame that ties them
 * together. */
#include <mech/output.h>

#include "base/mem.h"
#include "base/number.h"
#include "base/try.h"
#include "fundamental/small.h"
#include "output/export_single.h"
#include "output/export_small.h"
#include "system/compiled.h"
#include "motion/motion.h"

#include <string.h>

enum { MOST_STATEMENTS = 100000 };

typedef struct exporter {
    const mech_system *system;
    const mech_model *model;
    const char *name;
    mech_eval *eval;
    emit_result fast, equation, output, signal, trigger, slope; /* sizes of the pairs of functions */
    int with_jacobian, is_single;
    size_t equation_count, event_count; /* events: 0 where they look at what the code has not */
    textbuf functions;
    mech_expr *values;
    emit_place *places;
    size_t count, capacity, place_capacity;
    mech_status status;
} exporter;

/* ---- the functions ---- */

static void add_value(exporter *x, mech_expr value, size_t index)
{
    if (!mem_grow(&x->values, &x->capacity, x->count + 1, sizeof *x->values) ||
        !mem_grow(&x->places, &x->place_capacity, x->count + 1, sizeof *x->places)) {
        x->status = MECH_ERR_MEMORY;
        return;
    }
    x->values[x->count] = value;
    x->places[x->count++] = (emit_place){"more", (uint32_t)index};
}

/* M (n x n), A (m x n), Q, b, r, r', entries of C, power one after the other. */
static void list_equation(exporter *x)
{
    const model_equations *e = &x->model->equations;
    const size_t n = x->model->coords_count, m = x->model->rows_count;
    size_t first = 0;
    for (size_t i = 0; i < e->M.count; i++) {
        const size_t r = e->M.items[i].row, c = e->M.items[i].column;
        add_value(x, e->M.items[i].value, r + n * c);
        if (r != c) add_value(x, e->M.items[i].value, c + n * r);
    }
    first += n * n;
    for (size_t i = 0; i < e->A.count; i++)
        add_value(x, e->A.items[i].value, first + e->A.items[i].row + m * e->A.items[i].column);
    first += m * n;
    for (size_t i = 0; i < n; i++) add_value(x, e->Q[i], first + i);
    first += n;
    for (size_t i = 0; i < m; i++) {
        add_value(x, e->b[i], first + i);
        add_value(x, e->r[i], first + m + i);
        add_value(x, e->r_dot[i], first + 2 * m + i);
    }
    first += 3 * m;
    for (size_t i = 0; i < e->C.count; i++) add_value(x, e->C.items[i].value, first + i);
    first += e->C.count;
    add_value(x, e->power, first++);
    x->equation_count = first;
}

static mech_status emit_list(exporter *x, const char *kind, emit_result *size)
{
    textbuf prefix = {0};
    text_format(&prefix, "%s_%s", x->name, kind);
    mech_status status = x->status != MECH_OK || prefix.failed ? MECH_ERR_MEMORY : MECH_OK;
    if (status == MECH_OK)
        status = motion_values_make(x->system, &(motion_target){.prefix = prefix.data}, x->values, x->places, x->count,
                                    size, &x->functions);
    text_free(&prefix);
    x->count = 0;
    return status;
}

/* Signals given by expressions: u, u', u'' of all inputs, as the other functions take them. */
static mech_status emit_signals(exporter *x)
{
    const size_t count = x->model->inputs_count;
    textbuf prefix = {0};
    emit_place *places = mem_zeroed(3 * count + 1, sizeof *places);
    text_format(&prefix, "%s_signal", x->name);
    mech_status status = !places || prefix.failed ? MECH_ERR_MEMORY : MECH_OK;
    for (size_t i = 0; status == MECH_OK && i < 3 * count; i++)
        if (x->model->inputs[i / 3].signal.id) places[i] = (emit_place){"more", (uint32_t)(i % 3 * count + i / 3)};
    if (status == MECH_OK)
        status =
            motion_signals_make(x->system, &(motion_target){.prefix = prefix.data}, places, &x->signal, &x->functions);
    text_free(&prefix);
    mem_free(places);
    return status;
}

/* Triggers, then conditions of those that have one. */
static mech_status emit_triggers(exporter *x)
{
    const size_t count = x->model->events_count;
    for (size_t i = 0; i < count; i++) add_value(x, x->model->events[i].trigger, i);
    for (size_t i = 0; i < count; i++)
        if (x->model->events[i].condition.id) add_value(x, x->model->events[i].condition, count + i);
    const mech_status status = emit_list(x, "trigger", &x->trigger);
    x->event_count = status == MECH_OK ? count : 0;
    return status == MECH_ERR_UNSUPPORTED ? emit_list(x, "trigger", &x->trigger) : status; /* a function of nothing */
}

static mech_status emit_slopes(exporter *x)
{
    textbuf prefix = {0};
    text_format(&prefix, "%s_slope", x->name);
    if (prefix.failed) return MECH_ERR_MEMORY;
    const mech_status status = motion_derivatives_make(x->system, prefix.data, &x->slope, &x->functions);
    text_free(&prefix);
    return status;
}

static mech_status emit_functions(exporter *x)
{
    textbuf prefix = {0};
    text_format(&prefix, "%s_fast", x->name);
    if (prefix.failed) return MECH_ERR_MEMORY;
    motion_source source = {.system = x->system, .prefix = prefix.data, .most = MOST_STATEMENTS, .with_power = 1};
    const mech_status status = motion_source_make(&source, &x->functions);
    text_free(&prefix);
    MECH_TRY(status);
    x->fast = source.size;
    list_equation(x);
    MECH_TRY(emit_list(x, "equation", &x->equation));
    for (size_t i = 0; i < x->model->outputs_count; i++) add_value(x, x->model->outputs[i].value, i);
    MECH_TRY(emit_list(x, "output", &x->output));
    MECH_TRY(emit_signals(x));
    MECH_TRY(emit_triggers(x));
    return x->with_jacobian ? emit_slopes(x) : MECH_OK;
}

/* ---- the frame; every $ in it is the name ---- */

static void add_frame(const exporter *x, textbuf *to, const char *text)
{
    for (const char *c = text; *c; c++) {
        if (*c == '$') text_add(to, x->name);
        else text_add_char(to, *c);
    }
}

/* Names are the user's: only plain characters go into the comment. */
static void add_names(const exporter *x, textbuf *to, mech_item item, const char *array, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        text_format(to, "     %s[%zu] ", array, i);
        for (const char *c = mech_system_name(x->system, item, i); c && *c; c++) {
            const int is_plain =
                (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') || strchr("_[],.", *c);
            text_add_char(to, is_plain ? *c : '?');
        }
        text_add(to, "\n");
    }
}

static size_t at_least_one(size_t count) { return count ? count : 1; }

/* A name as part of a C name: what is no letter or digit becomes an underscore, several of them one, none last. */
static void add_word(textbuf *to, const char *name)
{
    int waits = 0;
    for (const char *c = name; *c; c++) {
        const int is_plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9');
        if (is_plain && waits) text_add_char(to, '_');
        if (is_plain) text_add_char(to, *c);
        waits = !is_plain;
    }
}

/* enum { NAME_q_x = 0, ... }; a name that another one became, too, is left out. */
static void add_enum(const exporter *x, textbuf *to, mech_item item, const char *array, size_t count)
{
    textbuf all = {0};
    size_t listed = 0;
    text_add(&all, " ");
    for (size_t i = 0; i < count; i++) {
        const char *name = mech_system_name(x->system, item, i);
        textbuf word = {0};
        add_word(&word, name ? name : "");
        text_add(&word, " ");
        const char *seen = word.failed || all.failed ? NULL : strstr(all.data, word.data);
        while (seen && seen[-1] != ' ') seen = strstr(seen + 1, word.data);
        if (!word.failed && !all.failed && !seen && word.length > 1) {
            text_add(&all, word.data);
            text_format(to, "%s    %s_%s_%.*s = %zu", listed++ ? ",\n" : "enum {\n", x->name, array,
                        (int)word.length - 1, word.data, i);
        }
        if (word.failed || all.failed) to->failed = 1;
        text_free(&word);
    }
    if (listed) text_add(to, "\n};\n");
    text_free(&all);
}

static void add_enums(const exporter *x, textbuf *to)
{
    const mech_sizes s = mech_system_sizes(x->system);
    add_frame(x, to, "/* Places in q and v, p, z, u, y; constraints for _set_active, events in _triggers. */\n");
    add_enum(x, to, MECH_ITEM_COORD, "q", s.coords);
    add_enum(x, to, MECH_ITEM_PARAM, "p", s.params);
    add_enum(x, to, MECH_ITEM_STATE, "z", s.states);
    add_enum(x, to, MECH_ITEM_INPUT, "u", s.inputs);
    add_enum(x, to, MECH_ITEM_OUTPUT, "y", s.outputs);
    add_enum(x, to, MECH_ITEM_CONSTRAINT, "c", s.constraints);
    add_enum(x, to, MECH_ITEM_EVENT, "e", x->event_count);
}

/* By how many parameters the code has derivatives. */
static size_t slope_params(const exporter *x) { return x->system->has_parameter_slopes ? x->model->params_count : 0; }

/* The struct that holds all of it. */
static void add_struct(const exporter *x, textbuf *to)
{
    const mech_sizes s = mech_system_sizes(x->system);
    const int n = (int)s.coords, m = (int)s.rows;
    const size_t works[] = {x->fast.work,   x->equation.work, x->output.work,
                            x->signal.work, x->trigger.work,  x->slope.work};
    size_t work = 1;
    for (size_t i = 0; i < sizeof works / sizeof *works; i++)
        if (works[i] > work) work = works[i];
    add_frame(x, to, "\ntypedef struct $ {\n");
    text_format(to, "    double p[%zu];         /* parameters: change them through _set_parameters */\n",
                at_least_one(s.params));
    text_format(to, "    double M[%zu], A[%zu]; /* of the last call of _equation; by column */\n", s.coords * s.coords,
                at_least_one(s.rows * s.coords));
    text_format(to, "    double Q[%zu], b[%zu], r[%zu], r_dot[%zu];\n", s.coords, at_least_one(s.rows),
                at_least_one(s.rows), at_least_one(s.rows));
    if (x->model->equations.C.count)
        text_format(to, "    double C[%zu];         /* what the laws give, before it is projected */\n", s.coords);
    text_format(to, "    double more[%zu];      /* dh/dt, then z' */\n", 1 + s.states);
    text_format(to, "    unsigned char active[%zu]; /* rows in force: change them through _set_active */\n",
                at_least_one(s.rows));
    text_format(
        to,
        "    /* private */\n    double fast[%zu], equation[%zu], output[%zu], signal[%zu], trigger[%zu], work[%zu], "
        "values[%zu];\n",
        at_least_one(x->fast.kept), at_least_one(x->equation.kept), at_least_one(x->output.kept),
        at_least_one(x->signal.kept), at_least_one(x->trigger.kept), work, x->equation_count);
    if (x->with_jacobian)
        text_format(to, "    double slope[%zu], slopes[%zu];\n", at_least_one(x->slope.kept),
                    (s.coords + s.rows + s.states + x->model->equations.C.count) *
                        (2 * s.coords + s.states + s.inputs + slope_params(x)));
    text_format(to, "    double numbers[%zu];\n    int integers[%zu], flags, released;\n    small_solve robust;\n",
                at_least_one(small_doubles(n, m)), at_least_one(small_integers(n, m)));
    add_frame(x, to, "} $;\n\n");
}

static void add_declarations(const exporter *x, textbuf *to)
{
    add_frame(
        x, to,
        "/* Before all else: the model's own parameters, and its constraints in force. */\n"
        "void $_start($ *s);\n"
        "void $_set_parameters($ *s, const double *p);\n"
        "/* A constraint in force or out of it, as events of the model do by `impose` and `release`. The state is the\n"
        "   caller's: what is put in force must be met. */\n"
        "void $_set_active($ *s, int constraint, int is_active);\n"
        "/* The signals the model gives its inputs, u (3 $_INPUTS) for the functions below; others may take their place. */\n"
        "void $_inputs($ *s, double t, double *u);\n"
        "/* z: states, u: inputs, then their first, then their second derivatives; NULL where there are "
        "none. lambda:\n"
        "   one for each row. Returns 0; 1 when the rank was in doubt, or digits would be lost, and the "
        "robust solve gave the answer "
        "(lambda of\n"
        "   least norm; with 0 it is one choice of many where constraints depend on one another); 2 the "
        "same, "
        "but the\n   constraints contradict one another, and qdd misses them by as little as can be; -1 when "
        "the motion is not unique,\n   -2 when a value is not finite. */\n"
        "int $_acceleration($ *s, double t, const double *q, const double *v, const double *z, const double "
        "*u,\n"
        "                   double *qdd, double *lambda);\n"
        "/* The same for integrators: y = q, v, z. */\n"
        "int $_derivative($ *s, double t, const double *y, const double *u, double *ydot);\n"
        "/* M, A, Q, b, r, r', and C where there are laws, into the struct. */\n"
        "void $_equation($ *s, double t, const double *q, const double *v, const double *z, const double "
        "*u);\n"
        "/* Where g[k] passes 0 event k happens, if its condition g[$_EVENTS + k] is not 0. direction: 1 only where it\n"
        "   rises, -1 where it falls, 0 both. What happens there is the caller's: a state that is set, _set_active. With\n"
        "   qdd and lambda from _acceleration. */\n"
        "void $_triggers($ *s, double t, const double *q, const double *v, const double *z, const double *u,\n"
        "                const double *qdd, const double *lambda, double *g);\n"
        "extern const signed char $_direction[];\n"
        "/* Declared outputs, with qdd and lambda from _acceleration. The ideal force of constraint is A' "
        "lambda, "
        "the\n   non-ideal one M q'' - Q - A' lambda. */\n"
        "void $_outputs($ *s, double t, const double *q, const double *v, const double *z, const double *u,\n"
        "               const double *qdd, const double *lambda, double *y);\n");
    if (x->with_jacobian)
        add_frame(x, to,
                  "/* J = d ydot / d y of _derivative, by column (2 $_COORDS + $_STATES squared). Returns what "
                  "_acceleration\n   returns: with 0 and 1 it is exact where the rank of A is the same all "
                  "around y; with 2 it is not,\n   how that miss changes is left out. */\n"
                  "int $_jacobian($ *s, double t, const double *y, const double *u, double *J);\n"
                  "/* The same by y, then by the values of the inputs, then by the parameters, each by itself, where\n"
                  "   the code has those ($_SLOPES columns in all). */\n"
                  "int $_slopes($ *s, double t, const double *y, const double *u, double *J);\n");
}

static void add_header(const exporter *x, textbuf *to)
{
    const mech_sizes s = mech_system_sizes(x->system);
    add_frame(x, to,
              "/* Motion of a constrained mechanical system: M q'' = Q + A' lambda, A q'' = b. Generated by "
              "Mechanician;\n"
              "   C99, no allocation, no input or output. All memory is in the struct, one for each thread.\n\n");
    add_names(x, to, MECH_ITEM_COORD, "q", s.coords);
    add_names(x, to, MECH_ITEM_PARAM, "p", s.params);
    add_names(x, to, MECH_ITEM_STATE, "z", s.states);
    add_names(x, to, MECH_ITEM_INPUT, "u", s.inputs);
    add_names(x, to, MECH_ITEM_OUTPUT, "y", s.outputs);
    add_frame(
        x, to,
        "*/\n#ifndef EXPORTED_$_H\n#define EXPORTED_$_H\n\n#include \"fundamental/small.h\"\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
    add_frame(x, to, "enum { ");
    const char *const words[] = {"COORDS", "ROWS", "PARAMS", "STATES", "INPUTS", "OUTPUTS", "CONSTRAINTS", "EVENTS"};
    const size_t sizes[] = {s.coords, s.rows, s.params, s.states, s.inputs, s.outputs, s.constraints, x->event_count};
    for (int i = 0; i < 8; i++) text_format(to, "%s%s_%s = %zu", i ? ", " : "", x->name, words[i], sizes[i]);
    if (x->with_jacobian)
        text_format(to, ", %s_SLOPES = %zu", x->name, 2 * s.coords + s.states + s.inputs + slope_params(x));
    add_frame(x, to, " };\n");
    add_enums(x, to);
    add_struct(x, to);
    add_declarations(x, to);
    text_add(to, "\n#ifdef __cplusplus\n}\n#endif\n#endif\n");
}

static void add_numbers(textbuf *to, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (i) text_add(to, ", ");
        text_add_double(to, values[i]);
    }
    if (count == 0) text_add(to, "0");
}

static const char frame_start[] =
    "/* ---- the frame ---- */\n\n"
    "void $_set_parameters($ *s, const double *p)\n{\n"
    "    for (int i = 0; i < $_PARAMS; i++) s->p[i] = p[i];\n"
    "    s->flags = $_fast_parameters(s->p, s->fast);\n"
    "    (void)$_equation_parameters(s->p, s->equation);\n"
    "    (void)$_output_parameters(s->p, s->output);\n"
    "    (void)$_signal_parameters(s->p, s->signal);\n"
    "    (void)$_trigger_parameters(s->p, s->trigger);\n"
    "#ifdef WITH_JACOBIAN\n    (void)$_slope_parameters(s->p, s->slope);\n#endif\n}\n\n"
    "void $_set_active($ *s, int constraint, int is_active)\n{\n"
    "    s->released = 0;\n"
    "    for (int i = first_row[constraint]; i < first_row[constraint + 1]; i++) s->active[i] = is_active != 0;\n"
    "    for (int i = 0; i < $_ROWS; i++) s->released |= !s->active[i];\n}\n\n"
    "void $_start($ *s)\n{\n"
    "    s->flags = s->released = 0;\n"
    "    for (int i = 0; i < $_ROWS; i++) {\n"
    "        s->active[i] = in_force[i] != 0;\n"
    "        s->released |= !in_force[i];\n    }\n"
    "    for (int i = 0; i < (int)(sizeof s->values / sizeof *s->values); i++) s->values[i] = 0;\n"
    "#ifdef WITH_JACOBIAN\n"
    "    for (int i = 0; i < (int)(sizeof s->slopes / sizeof *s->slopes); i++) s->slopes[i] = 0;\n"
    "#endif\n"
    "    small_place(&s->robust, $_COORDS, $_ROWS, s->numbers, s->integers);\n"
    "    $_set_parameters(s, declared);\n}\n\n";

static const char frame_equation[] =
    "/* Behind multipliers: which constraints are in force. */\n"
    "static void list_active(const $ *s, double *to)\n{\n"
    "    for (int c = 0; c < $_CONSTRAINTS; c++)\n"
    "        to[c] = first_row[c] == first_row[c + 1] || s->active[first_row[c]] ? 1.0 : 0.0;\n}\n\n"
    "void $_equation($ *s, double t, const double *q, const double *v, const double *z, const double *u)\n{\n"
    "    const int n = $_COORDS, m = $_ROWS;\n    const double *x = s->values;\n"
    "    double l[$_ROWS + $_CONSTRAINTS + 1] = {0.0};\n"
    "    list_active(s, l + m);\n"
    "    (void)$_equation_motion(s->equation, t, q, v, z, u, NULL, l, s->values, s->work);\n"
    "    for (int i = 0; i < n*n; i++) s->M[i] = *x++;\n"
    "    for (int i = 0; i < m*n; i++) s->A[i] = *x++;\n"
    "    for (int i = 0; i < n; i++) s->Q[i] = *x++;\n"
    "    for (int i = 0; i < m; i++) s->b[i] = *x++;\n"
    "    for (int i = 0; i < m; i++) s->r[i] = *x++;\n"
    "    for (int i = 0; i < m; i++) s->r_dot[i] = *x++;\n"
    "#ifdef WITH_LAWS\n"
    "    for (int i = 0; i < n; i++) s->C[i] = 0.0;\n"
    "    for (int i = 0; i < law_entries; i++, x++) s->C[law_row[i]] += law_is_on(s, law_of[i]) ? *x : 0.0;\n"
    "#endif\n}\n\n";

static const char frame_acceleration[] =
    "/* Rows that contradict others: A q'' = b is missed by more than rounding. */\n"
    "static int is_missed(const $ *s, const double *qdd)\n{\n"
    "    for (int i = 0; i < $_ROWS; i++) {\n"
    "        if (!s->active[i]) continue;\n"
    "        double miss = s->b[i], size = fabs(miss);\n"
    "        for (int j = 0; j < $_COORDS; j++) {\n"
    "            const double term = s->A[i + $_ROWS*j]*qdd[j];\n"
    "            miss -= term;\n"
    "            size += fabs(term);\n        }\n"
    "        if (fabs(miss) > MISSED*size) return 1;\n    }\n"
    "    return 0;\n}\n\n"
    "int $_acceleration($ *s, double t, const double *q, const double *v, const double *z, const double *u,\n"
    "                   double *qdd, double *lambda)\n{\n"
    "    double sum = 0.0;\n"
    "    const int flags = s->released | s->flags | $_fast_motion(s->fast, t, q, v, z, u, qdd, lambda, s->more, s->work);\n"
    "    for (int i = 0; i < $_COORDS; i++) sum += qdd[i] - qdd[i];\n"
    "    if (flags == 0 && sum == 0.0) return 0;\n"
    "    $_equation(s, t, q, v, z, u);\n"
    "    const small_status status = small_factor(&s->robust, s->M, s->A, s->active, RANK, 0.0);\n"
    "    if (status == SMALL_NOT_FINITE) return -2;\n"
    "    if (status != SMALL_OK) return -1;\n"
    "    small_ideal(&s->robust, s->M, s->Q, s->b, qdd, NULL, lambda);\n"
    "#ifdef WITH_LAWS\n"
    "    double driven[$_COORDS];\n"
    "    for (int i = 0; i < $_COORDS; i++) driven[i] = s->Q[i] + s->C[i];\n"
    "    small_ideal(&s->robust, s->M, driven, s->b, qdd, NULL, NULL);\n"
    "#endif\n"
    "    s->more[0] = s->values[sizeof s->values/sizeof *s->values - 1]; /* and what the rows in force add */\n"
    "    for (int i = 0; i < $_COORDS; i++) {\n"
    "        double force = -s->Q[i];\n"
    "        for (int j = 0; j < $_COORDS; j++) force += s->M[i + $_COORDS*j]*qdd[j];\n"
    "        s->more[0] += force*v[i];\n    }\n"
    "    return 1 + is_missed(s, qdd);\n}\n\n"
    "int $_derivative($ *s, double t, const double *y, const double *u, double *ydot)\n{\n"
    "    const int n = $_COORDS;\n"
    "    double lambda[$_ROWS + 1];\n"
    "    const int status = $_acceleration(s, t, y, y + n, y + 2*n, u, ydot + n, lambda);\n"
    "    for (int i = 0; i < n; i++) ydot[i] = y[n + i];\n"
    "    for (int i = 0; i < $_STATES; i++) ydot[2*n + i] = s->more[1 + i];\n"
    "    return status;\n}\n\n"
    "void $_outputs($ *s, double t, const double *q, const double *v, const double *z, const double *u,\n"
    "               const double *qdd, const double *lambda, double *y)\n{\n"
    "    double a[$_COORDS], l[$_ROWS + $_CONSTRAINTS + 1];\n"
    "    for (int i = 0; i < $_COORDS; i++) a[i] = qdd[i];\n"
    "    for (int i = 0; i < $_ROWS; i++) l[i] = lambda[i];\n"
    "    list_active(s, l + $_ROWS);\n"
    "    (void)$_output_motion(s->output, t, q, v, z, u, a, l, y, s->work);\n}\n\n"
    "void $_triggers($ *s, double t, const double *q, const double *v, const double *z, const double *u,\n"
    "                const double *qdd, const double *lambda, double *g)\n{\n"
    "    double a[$_COORDS], l[$_ROWS + $_CONSTRAINTS + 1];\n"
    "    for (int i = 0; i < $_COORDS; i++) a[i] = qdd[i];\n"
    "    for (int i = 0; i < $_ROWS; i++) l[i] = lambda[i];\n"
    "    list_active(s, l + $_ROWS);\n"
    "    for (int i = 0; i < 2*$_EVENTS; i++) g[i] = 1.0;\n"
    "    (void)$_trigger_motion(s->trigger, t, q, v, z, u, a, l, g, s->work);\n}\n";

/* M da - A' dlambda = -d(M a - Q - A' lambda) + dC, A da = -d(A a - b): one column after the other, lambda
 * with C */
static const char frame_jacobian[] =
    "\n/* The first `count` columns. */\n"
    "static int fill_slopes($ *s, double t, const double *y, const double *u, int count, double *J)\n{\n"
    "    enum { n = $_COORDS, m = $_ROWS, nz = $_STATES, size = 2*$_COORDS + $_STATES, all = $_SLOPES };\n"
    "    double qdd[n], lambda[m + $_CONSTRAINTS + 1], force[n], side[m + 1];\n"
    "    const int status = $_acceleration(s, t, y, y + n, y + 2*n, u, qdd, lambda);\n"
    "    if (status < 0) return status;\n"
    "    if (status == 0) {\n"
    "        $_equation(s, t, y, y + n, y + 2*n, u);\n"
    "        if (small_factor(&s->robust, s->M, s->A, s->active, RANK, 0.0) != SMALL_OK) return -1;\n"
    "    }\n"
    "#ifdef WITH_LAWS\n"
    "    for (int i = 0; i < n; i++) force[i] = s->Q[i] + s->C[i];\n"
    "    small_ideal(&s->robust, s->M, force, s->b, qdd, NULL, lambda);\n"
    "#endif\n"
    "    list_active(s, lambda + m);\n"
    "    (void)$_slope_motion(s->slope, t, y, y + n, y + 2*n, u, qdd, lambda, s->slopes, s->work);\n"
    "    for (int c = 0; c < count; c++) {\n"
    "        const double *F = s->slopes + n*c, *G = s->slopes + n*all + m*c, *R = s->slopes + (n + m)*all "
    "+ nz*c;\n"
    "        double *to = J + size*c;\n"
    "        for (int i = 0; i < n; i++) force[i] = -F[i];\n"
    "#ifdef WITH_LAWS\n"
    "        const double *L = s->slopes + (n + m + nz)*all + law_entries*c;\n"
    "        for (int i = 0; i < law_entries; i++) force[law_row[i]] += law_is_on(s, law_of[i]) ? L[i] : 0.0;\n"
    "#endif\n"
    "        for (int i = 0; i < m; i++) side[i] = -G[i];\n"
    "        for (int i = 0; i < n; i++) to[i] = c == n + i ? 1.0 : 0.0;\n"
    "        small_ideal(&s->robust, s->M, force, side, to + n, NULL, NULL);\n"
    "        for (int i = 0; i < nz; i++) to[2*n + i] = R[i];\n"
    "    }\n"
    "    return status;\n}\n\n"
    "int $_jacobian($ *s, double t, const double *y, const double *u, double *J)\n{\n"
    "    return fill_slopes(s, t, y, u, 2*$_COORDS + $_STATES, J);\n}\n\n"
    "int $_slopes($ *s, double t, const double *y, const double *u, double *J)\n{\n"
    "    return fill_slopes(s, t, y, u, $_SLOPES, J);\n}\n";

/* static const TYPE name[] = { number(0), number(1), ... } */
static void add_list(const exporter *x, textbuf *to, const char *name, size_t count,
                     size_t (*number)(const exporter *x, size_t i))
{
    text_format(to, "static const int %s[] = {", name);
    for (size_t i = 0; i < count; i++) text_format(to, "%s%zu", i ? ", " : "", number(x, i));
    text_add(to, count ? "};\n" : "0};\n");
}

static size_t row_of_entry(const exporter *x, size_t i) { return x->model->equations.C.items[i].row; }
static size_t law_of_entry(const exporter *x, size_t i) { return x->model->equations.C.items[i].column; }
static size_t law_end(const exporter *x, size_t law)
{
    size_t end = 0;
    for (size_t k = 0; k < law; k++) end += mech_system_law(x->system, k).constraint_count;
    return end;
}
static size_t law_constraint(const exporter *x, size_t i)
{
    size_t law = 0;
    while (law_end(x, law + 1) <= i) law++;
    return mech_system_law(x->system, law).constraints[i - law_end(x, law)];
}
static size_t first_row(const exporter *x, size_t constraint)
{
    const mech_sizes sizes = mech_system_sizes(x->system);
    return constraint < sizes.constraints ? mech_system_constraint_rows(x->system, constraint, NULL) : sizes.rows;
}
static size_t row_is_active(const exporter *x, size_t row) { return mech_eval_equation(x->eval)->active[row]; }

/* Which coordinate each entry of C belongs to, and which law; a law is silent while all its constraints are. */
static void add_law_rows(const exporter *x, textbuf *to)
{
    const size_t entries = x->model->equations.C.count, laws = mech_system_sizes(x->system).laws;
    text_format(to, "#define WITH_LAWS\nenum { law_entries = %zu };\n", entries);
    add_list(x, to, "law_row", entries, row_of_entry);
    add_list(x, to, "law_of", entries, law_of_entry);
    add_list(x, to, "law_first", laws + 1, law_end);
    add_list(x, to, "law_constraint", law_end(x, laws), law_constraint);
}

static const char frame_law_is_on[] = "static int law_is_on(const $ *s, int law)\n{\n"
                                      "    for (int i = law_first[law]; i < law_first[law + 1]; i++)\n"
                                      "        if (s->active[first_row[law_constraint[i]]]) return 1;\n"
                                      "    return law_first[law] == law_first[law + 1];\n}\n\n";

static void add_directions(const exporter *x, textbuf *to)
{
    add_frame(x, to, "const signed char $_direction[] = {");
    for (size_t i = 0; i < x->event_count; i++) {
        const mech_direction d = x->model->events[i].direction;
        text_format(to, "%s%d", i ? ", " : "", d == MECH_DIRECTION_RISES ? 1 : d == MECH_DIRECTION_FALLS ? -1 : 0);
    }
    text_add(to, x->event_count ? "};\n\n" : "0};\n\n");
}

static const char frame_table[] =
    "/* Points (t, u) of a signal: value and slope, linear between them, constant beyond the ends. */\n"
    "static void from_table(const double *at, int count, double t, double *u, double *u_dot)\n{\n"
    "    int low = 0, high = count - 1;\n"
    "    *u_dot = 0.0;\n"
    "    *u = at[2*(t < at[0] ? 0 : high) + 1];\n"
    "    if (!(t >= at[0]) || t >= at[2*high]) return;\n"
    "    while (high - low > 1) {\n"
    "        const int middle = low + (high - low)/2;\n"
    "        if (at[2*middle] <= t) low = middle;\n"
    "        else high = middle;\n    }\n"
    "    *u_dot = (at[2*high + 1] - at[2*low + 1])/(at[2*high] - at[2*low]);\n"
    "    *u = at[2*low + 1] + *u_dot*(t - at[2*low]);\n}\n\n";

static const char frame_held[] =
    "/* Points (t, u) of a signal that is held from each to the next. */\n"
    "static void from_held(const double *at, int count, double t, double *u, double *u_dot)\n{\n"
    "    int low = 0, high = count;\n"
    "    while (high - low > 1) {\n"
    "        const int middle = low + (high - low)/2;\n"
    "        if (at[2*middle] <= t) low = middle;\n"
    "        else high = middle;\n"
    "    }\n"
    "    *u = at[2*low + 1];\n"
    "    *u_dot = 0;\n"
    "}\n\n";

/* The points of all tables, one after the other. */
static void add_points(const system_compiled *c, textbuf *to)
{
    size_t count = 0;
    text_add(to, "static const double points[] = {");
    for (size_t i = 0; i < c->table_count; i++)
        for (size_t j = 0; j < c->tables[i].count; j++, count++) {
            const double point[2] = {c->tables[i].t[j], c->tables[i].y[j]};
            text_add(to, count == 0 ? "" : count % 4 ? ", " : ",\n    ");
            add_numbers(to, point, 2);
        }
    text_add(to, "};\n\n");
}

static void add_inputs(const exporter *x, textbuf *to)
{
    const system_compiled *c = x->system->compiled;
    const size_t count = x->model->inputs_count;
    size_t first = 0, tables[2] = {0, 0}; /* linear, held */
    for (size_t i = 0; i < c->table_count; i++) tables[c->tables[i].is_held] += c->tables[i].count > 0;
    if (tables[0] + tables[1]) add_points(c, to);
    if (tables[0]) text_add(to, frame_table);
    if (tables[1]) text_add(to, frame_held);
    add_frame(x, to,
              "void $_inputs($ *s, double t, double *u)\n{\n"
              "    for (int i = 0; i < 3*$_INPUTS; i++) u[i] = 0.0;\n"
              "    (void)$_signal_motion(s->signal, t, NULL, NULL, NULL, NULL, NULL, NULL, u, s->work);\n");
    for (size_t i = 0; i < c->table_count; first += c->tables[i++].count)
        if (c->tables[i].count)
            text_format(to, "    %s(points + %zu, %zu, t, &u[%zu], &u[%zu]);\n",
                        c->tables[i].is_held ? "from_held" : "from_table", 2 * first, c->tables[i].count, i, count + i);
    text_add(to, "}\n\n");
}

static void add_source(const exporter *x, textbuf *to)
{
    const mech_equation *eq = mech_eval_equation(x->eval);
    add_frame(x, to, "/* Generated by Mechanician. */\n#include \"$.h\"\n\n");
    if (x->with_jacobian) text_add(to, "#define WITH_JACOBIAN\n");
    if (x->model->equations.C.count) add_law_rows(x, to);
    if (x->is_single) text_add(to, "#include <float.h>\n");
    emit_prelude(to, x->is_single);
    text_add(to, x->is_single ? "#define RANK 1e-4\n" : "#define RANK 1e-10\n");
    static const char *const kinds[] = {"fast", "equation", "output", "signal", "trigger", "slope"};
    for (int i = 0; i < 5 + x->with_jacobian; i++) {
        const char *kind = kinds[i];
        text_format(to, "int %s_%s_parameters(const double *p, double *k);\nint %s_%s_motion(" EMIT_ARGUMENTS ");\n",
                    x->name, kind, x->name, kind);
    }
    text_add(to, "\n");
    if (x->functions.data) text_add_n(to, x->functions.data, x->functions.length);
    text_format(to, "static const double declared[%zu] = {", at_least_one(x->model->params_count));
    add_numbers(to, eq->p, x->model->params_count);
    text_add(to, "};\n");
    add_list(x, to, "first_row", mech_system_sizes(x->system).constraints + 1, first_row);
    add_list(x, to, "in_force", x->model->rows_count, row_is_active);
    text_add(to, "\n");
    add_directions(x, to);
    if (x->model->equations.C.count) add_frame(x, to, frame_law_is_on);
    add_frame(x, to, frame_start);
    add_inputs(x, to);
    add_frame(x, to, frame_equation);
    add_frame(x, to, frame_acceleration);
    if (x->with_jacobian) add_frame(x, to, frame_jacobian);
}

static const char main_rest[] =
    "/* Runge and Kutta's fourth-order step. */\n"
    "static void step($ *s, double t, double h, double *y)\n{\n"
    "    double k[4][SIZE], at[SIZE], u[3*$_INPUTS + 1];\n"
    "    static const double part[4] = {0.0, 0.5, 0.5, 1.0};\n"
    "    for (int j = 0; j < 4; j++) {\n"
    "        for (int i = 0; i < SIZE; i++) at[i] = y[i] + (j > 0 ? part[j]*h*k[j - 1][i] : 0.0);\n"
    "        $_inputs(s, t + part[j]*h, u);\n"
    "        (void)$_derivative(s, t + part[j]*h, at, u, k[j]);\n    }\n"
    "    for (int i = 0; i < SIZE; i++) y[i] += h/6.0*(k[0][i] + 2.0*k[1][i] + 2.0*k[2][i] + k[3][i]);\n}\n\n"
    "int main(void)\n{\n    static $ s;\n"
    "    $_start(&s);\n"
    "    for (int i = 0; i < 1000; i++) step(&s, start_time + 1e-5*i, 1e-5, y);\n"
    "    for (int i = 0; i < SIZE; i++) printf(\"%.17g\\n\", y[i]);\n"
    "    return 0;\n}\n";

/* Numbers of a list, 0 where there is none. */
static void add_start(textbuf *to, const double *values, size_t count, int *is_first)
{
    for (size_t i = 0; i < count; i++) {
        if (!*is_first) text_add(to, ", ");
        *is_first = 0;
        text_add_double(to, values ? values[i] : 0);
    }
}

static void add_main(const exporter *x, const mech_export_start *start, textbuf *to)
{
    const size_t n = x->model->coords_count;
    int is_first = 1;
    add_frame(x, to,
              "/* An example: 0.01 s of motion in steps of 1e-5 s, the state at the end. Generated by "
              "Mechanician. */\n"
              "#include \"$.h\"\n\n#include <stdio.h>\n\nenum { SIZE = 2*$_COORDS + $_STATES };\n\n");
    text_add(to, "static const double start_time = ");
    text_add_double(to, start->t);
    text_add(to, ";\nstatic double y[SIZE] = {");
    add_start(to, start->q, n, &is_first);
    add_start(to, start->v, n, &is_first);
    add_start(to, start->z, x->model->states_count, &is_first);
    text_add(to, "};\n\n");
    add_frame(x, to, main_rest);
}

static void turn_single(textbuf *text)
{
    textbuf made = {0};
    export_single(text->data, &made);
    text_free(text);
    *text = made;
}

static mech_status make_single(textbuf *header, textbuf *source, textbuf *example, mech_exported *files)
{
    textbuf small_h = {0}, small_c = {0};
    turn_single(header);
    turn_single(source);
    turn_single(example);
    export_single(export_small_h, &small_h);
    text_add(&small_c, "#define SMALL_SINGLE\n");
    export_single(export_small_c, &small_c);
    const int is_made = !header->failed && !source->failed && !example->failed && !small_h.failed && !small_c.failed;
    if (is_made) {
        files->small_h = files->own_h = text_take(&small_h);
        files->small_c = files->own_c = text_take(&small_c);
    }
    text_free(&small_h);
    text_free(&small_c);
    return is_made ? MECH_OK : MECH_ERR_MEMORY;
}

mech_status mech_export_c(const mech_system *system, const char *name, const mech_export_start *start,
                          mech_exported *files)
{
    mech_export_start at = {.t = 0};
    if (!files) return MECH_ERR_ARGUMENT;
    *files = (mech_exported){.size = sizeof *files, .small_h = export_small_h, .small_c = export_small_c};
    if (!system || !name || mech_export_name_obstacle(name) || (start && start->size == 0)) return MECH_ERR_ARGUMENT;
    if (start) memcpy(&at, start, start->size < sizeof at ? start->size : sizeof at);
    const mech_model *model = system_model(system);
    if (!model || mech_motion_obstacle(system)) return MECH_ERR_UNSUPPORTED;
    exporter x = {.system = system, .model = model, .name = name, .is_single = at.is_single, .status = MECH_OK};
    x.with_jacobian = system->jacobian_count > 0;
    mech_status status = mech_eval_create(system, MECH_STORAGE_SPARSE, &x.eval);
    if (status == MECH_OK) status = emit_functions(&x);
    textbuf header = {0}, source = {0}, example = {0};
    if (status == MECH_OK) {
        add_header(&x, &header);
        add_source(&x, &source);
        add_main(&x, &at, &example);
        if (header.failed || source.failed || example.failed) status = MECH_ERR_MEMORY;
    }
    if (status == MECH_OK && at.is_single) status = make_single(&header, &source, &example, files);
    if (status == MECH_OK) {
        files->header = text_take(&header);
        files->source = text_take(&source);
        files->main = text_take(&example);
    }
    text_free(&header);
    text_free(&source);
    text_free(&example);
    text_free(&x.functions);
    mem_free(x.values);
    mem_free(x.places);
    mech_eval_free(x.eval);
    return status;
}

void mech_exported_free(mech_exported *files)
{
    mem_free(files->header);
    mem_free(files->source);
    mem_free(files->main);
    mem_free(files->own_h);
    mem_free(files->own_c);
    *files = (mech_exported){0};
}
