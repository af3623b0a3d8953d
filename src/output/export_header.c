/* Exported C: its header, with names, places, the struct and what each function gives. */
#include "output/export.h"

#include "base/strmap.h"
#include "fundamental/small.h"

#include <string.h>

static const char *const param_notes[] = {
    [EXPORT_FREE] = "", [EXPORT_FOLLOWS] = " (follows from others)", [EXPORT_FIXED] = " (fixed: it shaped the code)"};

/* Names are the user's: only plain characters go into a comment. */
static void add_plain(textbuf *to, const char *name)
{
    for (const char *c = name; c && *c; c++) {
        const int is_plain =
            (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') || strchr("_[],. ", *c);
        text_add_char(to, is_plain ? *c : '?');
    }
}

static void add_names(const exporter *x, textbuf *to, mech_item item, const char *array, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        text_format(to, "     %s[%zu] ", array, i);
        add_plain(to, mech_system_name(x->system, item, i));
        if (item == MECH_ITEM_PARAM) text_add(to, param_notes[export_param_kind(x, i)]);
        text_add(to, "\n");
    }
}

/* A name as part of a C name: what is no letter or digit becomes an underscore, several of them one, none last. */
static void add_word(textbuf *to, const char *name)
{
    int waits = 0;
    for (const char *c = name; c && *c; c++) {
        const int is_plain = (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9');
        if (is_plain && waits) text_add_char(to, '_');
        if (is_plain) text_add_char(to, *c);
        waits = !is_plain;
    }
}

/* What has a place: an item of the system, or friction, by its own name or that of the first constraint that loads
   it. */
enum { FRICTION = -1 };
static const char *name_of(const exporter *x, int item, size_t i)
{
    if (item != FRICTION) return mech_system_name(x->system, (mech_item)item, i);
    const mech_friction f = mech_system_friction(x->system, i);
    return f.name ? f.name : mech_system_name(x->system, MECH_ITEM_CONSTRAINT, f.constraints[0]);
}

/* The C word of each name, and how many of the names became it; 0: out of memory. */
static int count_words(const exporter *x, int item, size_t count, arena *memory, const char **words, strmap *shared)
{
    for (size_t i = 0; i < count; i++) {
        textbuf word = {0};
        text_add(&word, "");
        add_word(&word, name_of(x, item, i));
        words[i] = word.failed ? NULL : arena_text(memory, word.data, word.length);
        text_free(&word);
        if (!words[i]) return 0;
        const size_t seen = strmap_get(shared, words[i]);
        if (!strmap_put(shared, words[i], seen == SIZE_MAX ? 1 : seen + 1)) return 0;
    }
    return 1;
}

/* enum { NAME_q_x = 0, ... }. Names that become one word (x_1 and x[1]) have their place behind it, all of them, so
   that none is taken for another: NAME_q_x_1_3_; no word ends with an underscore. */
static void add_enum(const exporter *x, textbuf *to, int item, const char *array, size_t count)
{
    arena memory = {0};
    strmap shared = {0};
    const char **words = arena_alloc(&memory, (count + 1) * sizeof *words);
    if (!words || !count_words(x, item, count, &memory, words, &shared)) to->failed = 1;
    for (size_t i = 0; i < count && !to->failed; i++) {
        text_format(to, "%s    %s_%s_%s", i ? ",\n" : "enum {\n", x->name, array, words[i]);
        if (!*words[i]) text_format(to, "%zu_", i);
        else if (strmap_get(&shared, words[i]) > 1) text_format(to, "_%zu_", i);
        text_format(to, " = %zu", i);
        if (*words[i] && strmap_get(&shared, words[i]) == 1) continue;
        text_add(to, " /* ");
        add_plain(to, name_of(x, item, i));
        text_add(to, " */");
    }
    if (count) text_add(to, "\n};\n");
    strmap_free(&shared);
    arena_free(&memory);
}

static void add_enums(const exporter *x, textbuf *to)
{
    const mech_sizes s = mech_system_sizes(x->system);
    export_add_frame(x, to, "/* Places in q and v, p, z, u, y; constraints for _set_active, events in _triggers. */\n");
    add_enum(x, to, MECH_ITEM_COORD, "q", s.coords);
    add_enum(x, to, MECH_ITEM_PARAM, "p", s.params);
    add_enum(x, to, MECH_ITEM_STATE, "z", s.states);
    add_enum(x, to, MECH_ITEM_INPUT, "u", s.inputs);
    add_enum(x, to, MECH_ITEM_OUTPUT, "y", s.outputs);
    add_enum(x, to, MECH_ITEM_CONSTRAINT, "c", s.constraints);
    add_enum(x, to, MECH_ITEM_EVENT, "e", x->model->events_count);
    if (x->with_friction) add_enum(x, to, FRICTION, "f", s.frictions);
}

/* By how many parameters the code has derivatives. */
static size_t slope_params(const exporter *x) { return x->system->has_parameter_slopes ? x->model->params_count : 0; }

/* The struct that holds all of it. */
static void add_struct(const exporter *x, textbuf *to)
{
    const mech_sizes s = mech_system_sizes(x->system);
    const int n = (int)s.coords, m = (int)export_all_rows(x);
    const size_t works[] = {x->fast.work,    x->equation.work, x->output.work, x->signal.work,
                            x->trigger.work, x->slope.work,    x->law.work};
    size_t work = 1;
    for (size_t i = 0; i < sizeof works / sizeof *works; i++)
        if (works[i] > work) work = works[i];
    export_add_frame(x, to, "\ntypedef struct $ {\n");
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
    if (x->with_forces) text_add(to, "    /* of the last call of _acceleration */\n");
    export_forces_struct(x, to);
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
    export_add_frame(x, to, "} $;\n\n");
}

static void add_declarations(const exporter *x, textbuf *to)
{
    export_add_frame(
        x, to,
        "/* Before all else: the model's own parameters, and its constraints in force. */\n"
        "void $_start($ *s);\n"
        "/* Parameters that follow from others are computed from those, whatever p holds for them, and fixed ones stay. */\n"
        "void $_set_parameters($ *s, const double *p);\n"
        "/* The same, but those that follow are taken from p too: each by itself. */\n"
        "void $_set_each_parameter($ *s, const double *p);\n"
        "/* p as _set_parameters takes it, in place. */\n"
        "void $_derive_parameters(double *p);\n"
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
        "the motion is not unique,\n   -2 when a value is not finite");
    if (x->with_control) export_add_frame(x, to, ";\n   -3 when control cannot keep its rows");
    if (x->with_search)
        export_add_frame(x, to,
                         ";\n   -4 when no reactions agree with what the laws make of them, -5 when several do, "
                         "-6 when laws look at reactions that\n   are not unique");
    if (x->with_friction)
        export_add_frame(
            x, to,
            ",\n   -7 before _settle said what friction does, -8 when a coefficient of friction is negative, or smaller at rest");
    export_add_frame(
        x, to,
        ". */\n"
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
        "the\n   non-ideal one M q'' - Q - A' lambda, less what control gives. */\n"
        "void $_outputs($ *s, double t, const double *q, const double *v, const double *z, const double *u,\n"
        "               const double *qdd, const double *lambda, double *y);\n");
    export_forces_declare(x, to);
    if (x->with_jacobian)
        export_add_frame(
            x, to,
            "/* J = d ydot / d y of _derivative, by column (2 $_COORDS + $_STATES squared). Returns what "
            "_acceleration\n   returns: with 0 and 1 it is exact where the rank of A is the same all "
            "around y; with 2 it is not,\n   how that miss changes is left out. */\n"
            "int $_jacobian($ *s, double t, const double *y, const double *u, double *J);\n"
            "/* The same by y, then by the values of the inputs, then by the parameters, each by itself, where\n"
            "   the code has those ($_SLOPES columns in all). */\n"
            "int $_slopes($ *s, double t, const double *y, const double *u, double *J);\n");
}

void export_header(const exporter *x, textbuf *to)
{
    const mech_sizes s = mech_system_sizes(x->system);
    export_add_frame(
        x, to,
        "/* Motion of a constrained mechanical system: M q'' = Q + A' lambda, A q'' = b. Generated by "
        "Mechanician;\n"
        "   C99, no allocation, no input or output. All memory is in the struct, one for each thread.\n\n");
    add_names(x, to, MECH_ITEM_COORD, "q", s.coords);
    add_names(x, to, MECH_ITEM_PARAM, "p", s.params);
    add_names(x, to, MECH_ITEM_STATE, "z", s.states);
    add_names(x, to, MECH_ITEM_INPUT, "u", s.inputs);
    add_names(x, to, MECH_ITEM_OUTPUT, "y", s.outputs);
    export_add_frame(
        x, to,
        "*/\n#ifndef EXPORTED_$_H\n#define EXPORTED_$_H\n\n#include \"fundamental/small.h\"\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
    export_add_frame(x, to, "enum { ");
    const char *const words[] = {"COORDS", "ROWS", "PARAMS", "STATES", "INPUTS", "OUTPUTS", "CONSTRAINTS", "EVENTS"};
    const size_t sizes[] = {s.coords, s.rows,    s.params,      s.states,
                            s.inputs, s.outputs, s.constraints, x->model->events_count};
    for (int i = 0; i < 8; i++) text_format(to, "%s%s_%s = %zu", i ? ", " : "", x->name, words[i], sizes[i]);
    text_format(to, ", %s_LATE = %zu", x->name,
                x->with_forces ? motion_late_of(x->system).count : s.rows + s.constraints);
    if (x->with_friction)
        text_format(to, ", %s_FRICTIONS = %zu, %s_SLIPS = %zu", x->name, s.frictions, x->name, s.friction_rows);
    if (x->with_control) text_format(to, ", %s_FORCES = %zu", x->name, export_control_forces(x));
    if (x->with_jacobian)
        text_format(to, ", %s_SLOPES = %zu", x->name, 2 * s.coords + s.states + s.inputs + slope_params(x));
    export_add_frame(x, to, " };\n");
    add_enums(x, to);
    add_struct(x, to);
    add_declarations(x, to);
    text_add(to, "\n#ifdef __cplusplus\n}\n#endif\n#endif\n");
}
