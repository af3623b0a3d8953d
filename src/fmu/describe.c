/* modelDescription.xml, by FMI 2.0 and 3.0: one list of variables, written in two ways. */
#include "fmu/code.h"

#include "base/mem.h"
#include "base/options.h"
#include "base/try.h"
#include "dynamics/derivative.h"
#include "model/model.h"
#include "simulate/exchange.h"
#include "system/compiled.h"

#include <mech/assemble.h>

#include <math.h>
#include <string.h>

void mech_fmu_options_default(mech_fmu_options *options, size_t size)
{
    const mech_fmu_options all = {.fmi = 2, .kinds = MECH_FMU_COSIMULATION};
    if (options && size >= sizeof options->size) options_default(options, size, &all, sizeof all);
}

mech_status fmu_take_options(mech_fmu_options *into, const mech_fmu_options *given)
{
    mech_fmu_options_default(into, sizeof *into);
    MECH_TRY(options_take(into, sizeof *into, given));
    return into->made && !options_have_size(into->made->size) ? MECH_ERR_ARGUMENT : MECH_OK;
}

mech_status fmu_list_values(const mech_system *system, const mech_fmu_options *o, textbuf *values)
{
    double gain = 0;
    if (o->kinds & MECH_FMU_EXCHANGE) MECH_TRY(exchange_gain(system, &gain));
    fmu_add_values(values, o->overrides, o->override_count, gain);
    return values->failed ? MECH_ERR_MEMORY : MECH_OK;
}

typedef struct describing {
    const mech_system *system;
    const mech_model *model;
    mech_eval *eval;
    textbuf out;
    int fmi;
    unsigned kinds;
    double gain;              /* of model exchange */
    const fmu_code *code;     /* that it is made of; NULL: it stands over the library */
    unsigned char *is_choice; /* (outputs) one choice of many where the model starts  */
} describing;

/* What an importer may do with a variable. */
typedef struct role {
    const char *causality, *variability, *initial;
    int has_start;
} role;

/* ---- variables ---- */

static size_t count_of(const describing *d, fmu_kind kind)
{
    return kind == FMU_INDICATOR && d->code ? d->code->indicators : fmu_count(d->system, kind);
}

static int is_exchange(const describing *d) { return (d->kinds & MECH_FMU_EXCHANGE) != 0; }

static size_t variable_count(const describing *d)
{
    size_t count = 0;
    const int end = !is_exchange(d) ? FMU_ACCELERATION : d->fmi == 2 ? FMU_INDICATOR : FMU_KINDS;
    for (int kind = 0; kind < end; kind++) count += count_of(d, (fmu_kind)kind);
    return count;
}

/* Indicators stand last: of how many there are nothing else depends. */
static fmu_variable variable_at(const describing *d, size_t reference)
{
    size_t before = 0;
    for (int kind = 0; kind < FMU_INDICATOR; kind++) before += fmu_count(d->system, (fmu_kind)kind);
    return reference < before ? fmu_variable_at(d->system, reference)
                              : (fmu_variable){FMU_INDICATOR, reference - before};
}

/* Does a parameter follow from others? */
static int is_derived(const describing *d, const model_param *p)
{
    return d->model->pool->nodes[p->value.id].classes != 0;
}

static role role_of(const describing *d, fmu_variable v)
{
    if (v.kind == FMU_TIME) return (role){"independent", "continuous", NULL, 0};
    if (v.kind == FMU_INPUT) return (role){"input", "continuous", NULL, 1};
    if (v.kind == FMU_OUTPUT) return (role){"output", "continuous", "calculated", 0};
    if (v.kind == FMU_SETTING) return (role){"parameter", "tunable", "exact", 1};
    if (v.kind != FMU_PARAM) return (role){"local", "continuous", "calculated", 0};
    const model_param *p = &d->model->params[v.index];
    if (p->is_structural) return (role){"local", "constant", "exact", 1};
    if (!is_derived(d, p)) return (role){"parameter", "tunable", "exact", 1};
    return (role){"calculatedParameter", "tunable", "calculated", 0};
}

static double start_of(const describing *d, fmu_variable v)
{
    const mech_equation *e = mech_eval_equation(d->eval);
    if (v.kind == FMU_SETTING) return v.index == FMU_GAIN ? d->gain : 0;
    const double value = v.kind == FMU_PARAM ? e->p[v.index] : e->u[v.index];
    return isfinite(value) ? value : 0;
}

/* In quotes, as XML has them. */
static void add_attribute(textbuf *out, const char *name, const char *value)
{
    text_format(out, " %s=\"", name);
    for (; *value; value++) {
        if (*value == '&') text_add(out, "&amp;");
        else if (*value == '<') text_add(out, "&lt;");
        else if (*value == '"') text_add(out, "&quot;");
        else text_add_char(out, *value);
    }
    text_add_char(out, '"');
}

static mech_item item_of(fmu_kind kind)
{
    return kind == FMU_PARAM    ? MECH_ITEM_PARAM
           : kind == FMU_INPUT  ? MECH_ITEM_INPUT
           : kind == FMU_OUTPUT ? MECH_ITEM_OUTPUT
           : kind == FMU_STATE  ? MECH_ITEM_STATE
           : kind == FMU_RATE   ? MECH_ITEM_STATE
                                : MECH_ITEM_COORD;
}

static int is_state(fmu_kind kind) { return kind == FMU_COORD || kind == FMU_VELOCITY || kind == FMU_STATE; }

/* The kind of what it is the derivative of; FMU_KINDS: of nothing. */
static fmu_kind integral_of(fmu_kind kind)
{
    return kind == FMU_VELOCITY       ? FMU_COORD
           : kind == FMU_ACCELERATION ? FMU_VELOCITY
           : kind == FMU_RATE         ? FMU_STATE
                                      : FMU_KINDS;
}

static const char *unit_of(const describing *d, fmu_variable v)
{
    const int has_own = v.kind != FMU_TIME && v.kind <= FMU_STATE && v.kind != FMU_VELOCITY;
    if (v.kind == FMU_SETTING) return v.index == FMU_GAIN ? "1/s" : NULL;
    const char *unit = has_own ? mech_system_unit(d->system, item_of(v.kind), v.index) : NULL;
    return unit && unit[0] ? unit : NULL;
}

/* Names of a model are unique, and it may have its own `time`; t is time in every model. */
static const char *time_name(const describing *d)
{
    for (int kind = FMU_PARAM; kind <= FMU_STATE; kind++)
        if (mech_system_find(d->system, item_of((fmu_kind)kind), "time") != SIZE_MAX) return "t";
    return "time";
}

static void add_name(describing *d, fmu_variable v)
{
    textbuf name = {0};
    if (v.kind == FMU_TIME) text_add(&name, time_name(d));
    else if (v.kind == FMU_SETTING) text_add(&name, fmu_setting_name(v.index));
    else if (v.kind == FMU_INDICATOR) text_format(&name, "event indicator %zu", v.index + 1);
    else text_add(&name, mech_system_name(d->system, item_of(v.kind), v.index));
    if (v.kind == FMU_VELOCITY || v.kind == FMU_RATE) text_add_char(&name, '\'');
    if (v.kind == FMU_ACCELERATION) text_add(&name, "''");
    if (name.failed) d->out.failed = 1;
    else add_attribute(&d->out, "name", name.data);
    text_free(&name);
}

/* What states and their derivatives have in model exchange. */
static void add_role_of_state(describing *d, fmu_variable v)
{
    const fmu_kind whole = integral_of(v.kind);
    size_t of = v.index;
    if (!is_exchange(d)) return;
    for (int kind = 0; kind < (int)whole; kind++) of += fmu_count(d->system, (fmu_kind)kind);
    if (whole != FMU_KINDS) text_format(&d->out, " derivative=\"%zu\"", d->fmi == 2 ? of + 1 : of);
    if (is_state(v.kind)) text_add(&d->out, " reinit=\"true\"");
}

static void add_variable(describing *d, size_t reference)
{
    const fmu_variable v = variable_at(d, reference);
    const role r = role_of(d, v);
    const char *unit = unit_of(d, v);
    text_add(&d->out, d->fmi == 2 ? "    <ScalarVariable" : "    <Float64");
    add_name(d, v);
    if (v.kind == FMU_OUTPUT && d->is_choice[v.index])
        add_attribute(&d->out, "description", "not unique at the start: one choice of many");
    text_format(&d->out, " valueReference=\"%zu\" causality=\"%s\" variability=\"%s\"", reference, r.causality,
                r.variability);
    if (r.initial) text_format(&d->out, " initial=\"%s\"", r.initial);
    if (d->fmi == 2) text_add(&d->out, "><Real");
    add_role_of_state(d, v);
    if (unit) add_attribute(&d->out, "unit", unit);
    if (r.has_start) {
        text_add(&d->out, " start=\"");
        text_add_double(&d->out, start_of(d, v));
        text_add_char(&d->out, '"');
    }
    text_add(&d->out, d->fmi == 2 ? "/></ScalarVariable>\n" : "/>\n");
}

/* Each unit once. */
static void add_units(describing *d)
{
    const size_t count = variable_count(d);
    int has_any = 0;
    for (size_t i = 0; i < count; i++) {
        const char *unit = unit_of(d, variable_at(d, i));
        int is_new = unit != NULL;
        for (size_t k = 0; k < i && is_new; k++) {
            const char *other = unit_of(d, variable_at(d, k));
            is_new = !other || strcmp(unit, other) != 0;
        }
        if (!is_new) continue;
        if (!has_any) text_add(&d->out, "  <UnitDefinitions>\n");
        has_any = 1;
        text_add(&d->out, "    <Unit");
        add_attribute(&d->out, "name", unit);
        text_add(&d->out, "/>\n");
    }
    if (has_any) text_add(&d->out, "  </UnitDefinitions>\n");
}

static void add_experiment(describing *d)
{
    static const char *const names[][2] = {
        {"from", "startTime"}, {"until", "stopTime"}, {"rtol", "tolerance"}, {"step", "stepSize"}};
    text_add(&d->out, "  <DefaultExperiment");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        double value;
        const char *word;
        if (mech_eval_option(d->eval, names[i][0], &value, &word) != 1 || !isfinite(value)) continue;
        text_format(&d->out, " %s=\"", names[i][1]);
        text_add_double(&d->out, value);
        text_add_char(&d->out, '"');
    }
    text_add(&d->out, "/>\n");
}

/* What the structure lists. */
typedef enum part { PART_OUTPUTS, PART_DERIVATIVES, PART_INITIAL, PART_INDICATORS } part;

static int is_in(const describing *d, part which, fmu_variable v)
{
    const int is_motion = is_exchange(d) && (is_state(v.kind) || integral_of(v.kind) != FMU_KINDS);
    switch (which) {
    case PART_OUTPUTS: return v.kind == FMU_OUTPUT;
    case PART_DERIVATIVES: return is_exchange(d) && integral_of(v.kind) != FMU_KINDS;
    case PART_INITIAL:
        return v.kind == FMU_OUTPUT || is_motion || strcmp(role_of(d, v).causality, "calculatedParameter") == 0;
    case PART_INDICATORS: return v.kind == FMU_INDICATOR;
    }
    return 0;
}

/* By number from 1 within `list`, or by reference. */
static void add_part(describing *d, part which, const char *list, const char *element)
{
    const size_t count = variable_count(d);
    int has_any = 0;
    for (size_t i = 0; i < count; i++) {
        if (!is_in(d, which, variable_at(d, i))) continue;
        if (!has_any && d->fmi == 2) text_format(&d->out, "    <%s>\n", list);
        has_any = 1;
        if (d->fmi == 2) text_format(&d->out, "      <Unknown index=\"%zu\"/>\n", i + 1);
        else text_format(&d->out, "    <%s valueReference=\"%zu\"/>\n", element, i);
    }
    if (has_any && d->fmi == 2) text_format(&d->out, "    </%s>\n", list);
}

static void add_structure(describing *d)
{
    text_add(&d->out, "  <ModelStructure>\n");
    add_part(d, PART_OUTPUTS, "Outputs", "Output");
    add_part(d, PART_DERIVATIVES, "Derivatives", "ContinuousStateDerivative");
    add_part(d, PART_INITIAL, "InitialUnknowns", "InitialUnknown");
    add_part(d, PART_INDICATORS, "", "EventIndicator");
    text_add(&d->out, "  </ModelStructure>\n");
}

/* One way of being used. */
static void add_kind(describing *d, const char *element, const char *name, const char *more)
{
    const char *state = d->fmi == 2 ? "state" : "State";
    text_format(&d->out, "  <%s", element);
    add_attribute(&d->out, "modelIdentifier", name);
    text_format(&d->out, "%s canGetAndSetFMU%s=\"true\" canSerializeFMU%s=\"true\"", more, state, state);
    if (!d->code || d->fmi == 3) { /* FMI 3.0 has a file of its own for that */
        text_add(&d->out, "/>\n");
        return;
    }
    text_add(&d->out, ">\n    <SourceFiles>\n");
    for (size_t i = 0; i < d->code->count; i++)
        if (d->code->is_source[i])
            text_format(&d->out, "      <File name=\"%s\"/>\n", d->code->files[i].name + strlen("sources/"));
    text_format(&d->out, "    </SourceFiles>\n  </%s>\n", element);
}

static void add_kinds(describing *d, const char *name)
{
    if (is_exchange(d)) {
        textbuf more = {0};
        if (d->fmi == 3) text_add(&more, " needsCompletedIntegratorStep=\"true\"");
        text_format(&more, " providesDirectionalDerivative%s=\"%s\"", d->fmi == 2 ? "" : "s",
                    derivative_obstacle(d->system) ? "false" : "true");
        if (more.failed) d->out.failed = 1;
        else add_kind(d, "ModelExchange", name, more.data);
        text_free(&more);
    }
    if (d->kinds & MECH_FMU_COSIMULATION)
        add_kind(d, "CoSimulation", name, " canHandleVariableCommunicationStepSize=\"true\"");
}

static void describe(describing *d, const char *name, const char *token)
{
    text_add(&d->out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription");
    text_format(&d->out, " fmiVersion=\"%s\"", d->fmi == 2 ? "2.0" : "3.0");
    add_attribute(&d->out, "modelName", name);
    add_attribute(&d->out, d->fmi == 2 ? "guid" : "instantiationToken", token);
    text_format(&d->out, " generationTool=\"Mechanician %s\" variableNamingConvention=\"flat\"", mech_version());
    if (d->fmi == 2)
        text_format(&d->out, " numberOfEventIndicators=\"%zu\"", is_exchange(d) ? count_of(d, FMU_INDICATOR) : 0);
    text_add(&d->out, ">\n");
    add_kinds(d, name);
    add_units(d);
    text_add(&d->out, "  <LogCategories>\n    <Category name=\"logStatusError\"/>\n    <Category name=\"logEvents\"/>\n"
                      "  </LogCategories>\n");
    add_experiment(d);
    text_add(&d->out, "  <ModelVariables>\n");
    for (size_t i = 0; i < variable_count(d); i++) add_variable(d, i);
    text_add(&d->out, "  </ModelVariables>\n");
    add_structure(d);
    text_add(&d->out, "</fmiModelDescription>\n");
}

mech_status fmu_describe(const mech_system *system, const mech_fmu_options *options, const char *values,
                         const fmu_code *code, char **text)
{
    describing d = {.system = system,
                    .model = system_model(system),
                    .fmi = options->fmi,
                    .kinds = options->kinds,
                    .gain = fmu_gain(values),
                    .code = code};
    char token[FMU_TOKEN];
    size_t length;
    *text = NULL;
    const char *source = d.model ? diagnostics_source_text(d.model->diagnostics, 1, &length) : NULL;
    if (!source) return MECH_ERR_ARGUMENT;
    MECH_TRY(mech_eval_create(system, MECH_STORAGE_SPARSE, &d.eval));
    double from = 0;
    const char *word;
    if (mech_eval_option(d.eval, "from", &from, &word) != 1 || !isfinite(from)) from = 0;
    /* the signals at the start; a model that has no values there says so when it runs */
    double *zeros = mem_zeroed(fmu_count(system, FMU_COORD) + 1, sizeof *zeros);
    mech_status ignored = zeros ? mech_eval_state(d.eval, from, zeros, NULL, NULL) : MECH_ERR_MEMORY;
    d.is_choice = mem_zeroed(fmu_count(system, FMU_OUTPUT) + 1, 1);
    if (zeros && d.is_choice) {
        if (fmu_count(system, FMU_OUTPUT)) ignored = mech_start_choices(system, NULL, d.is_choice);
        if (ignored == MECH_ERR_MEMORY) d.out.failed = 1;
        fmu_token(source, length, values, token);
        describe(&d, options->name ? options->name : "model", token);
    } else d.out.failed = 1;
    (void)ignored;
    mem_free(zeros);
    mem_free(d.is_choice);
    mech_eval_free(d.eval);
    *text = d.out.failed ? NULL : text_take(&d.out);
    text_free(&d.out);
    return *text ? MECH_OK : MECH_ERR_MEMORY;
}

mech_status mech_fmu_describe(const mech_system *system, const mech_fmu_options *given, char **text)
{
    mech_fmu_options options;
    textbuf values = {0};
    if (text) *text = NULL;
    if (!system || !given || !text) return MECH_ERR_ARGUMENT;
    MECH_TRY(fmu_take_options(&options, given));
    if (options.fmi != 2 && options.fmi != 3) return MECH_ERR_ARGUMENT;
    mech_status status = fmu_list_values(system, &options, &values);
    if (status == MECH_OK) status = fmu_describe(system, &options, values.data, NULL, text);
    text_free(&values);
    return status;
}
