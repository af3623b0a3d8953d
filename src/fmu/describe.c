/* modelDescription.xml, by FMI 2.0 and 3.0: one list of variables, written in two ways. */
#include "fmu/fmu.h"

#include "base/mem.h"
#include "base/try.h"
#include "model/model.h"
#include "system/compiled.h"

#include <math.h>
#include <string.h>

void mech_fmu_options_default(mech_fmu_options *options, size_t size)
{
    const mech_fmu_options all = {.size = sizeof all, .fmi = 2};
    if (!options || size < sizeof options->size) return;
    memset(options, 0, size);
    memcpy(options, &all, size < sizeof all ? size : sizeof all);
    options->size = size;
}

typedef struct describing {
    const mech_system *system;
    const mech_model *model;
    mech_eval *eval;
    textbuf out;
    int fmi;
} describing;

/* What an importer may do with a variable. */
typedef struct role {
    const char *causality, *variability, *initial;
    int has_start;
} role;

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
    if (v.kind != FMU_PARAM) return (role){"local", "continuous", "calculated", 0};
    const model_param *p = &d->model->params[v.index];
    if (p->is_structural) return (role){"local", "constant", "exact", 1};
    if (!is_derived(d, p)) return (role){"parameter", "tunable", "exact", 1};
    return (role){"calculatedParameter", "tunable", "calculated", 0};
}

static double start_of(const describing *d, fmu_variable v)
{
    const mech_equation *e = mech_eval_equation(d->eval);
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
                                : MECH_ITEM_COORD;
}

static const char *unit_of(const describing *d, fmu_variable v)
{
    const char *unit =
        v.kind == FMU_TIME || v.kind == FMU_VELOCITY ? NULL : mech_system_unit(d->system, item_of(v.kind), v.index);
    return unit && unit[0] ? unit : NULL;
}

static void add_name(describing *d, fmu_variable v)
{
    textbuf name = {0};
    text_add(&name, v.kind == FMU_TIME ? "time" : mech_system_name(d->system, item_of(v.kind), v.index));
    if (v.kind == FMU_VELOCITY) text_add_char(&name, '\'');
    if (name.failed) d->out.failed = 1;
    else add_attribute(&d->out, "name", name.data);
    text_free(&name);
}

static void add_variable(describing *d, size_t reference)
{
    const fmu_variable v = fmu_variable_at(d->system, reference);
    const role r = role_of(d, v);
    const char *unit = unit_of(d, v);
    text_add(&d->out, d->fmi == 2 ? "    <ScalarVariable" : "    <Float64");
    add_name(d, v);
    text_format(&d->out, " valueReference=\"%zu\" causality=\"%s\" variability=\"%s\"", reference, r.causality,
                r.variability);
    if (r.initial) text_format(&d->out, " initial=\"%s\"", r.initial);
    if (d->fmi == 2) text_add(&d->out, "><Real");
    if (unit) add_attribute(&d->out, "unit", unit);
    if (r.has_start) {
        text_add(&d->out, " start=\"");
        text_add_double(&d->out, start_of(d, v));
        text_add_char(&d->out, '"');
    }
    text_add(&d->out, d->fmi == 2 ? "/></ScalarVariable>\n" : "/>\n");
}

static size_t variable_count(const mech_system *system)
{
    size_t count = 0;
    for (int kind = 0; kind < FMU_KINDS; kind++) count += fmu_count(system, (fmu_kind)kind);
    return count;
}

/* Each unit once. */
static void add_units(describing *d)
{
    const size_t count = variable_count(d->system);
    int has_any = 0;
    for (size_t i = 0; i < count; i++) {
        const char *unit = unit_of(d, fmu_variable_at(d->system, i));
        int is_new = unit != NULL;
        for (size_t k = 0; k < i && is_new; k++) {
            const char *other = unit_of(d, fmu_variable_at(d->system, k));
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

/* Variables of these roles, as the structure lists them: by number from 1, or by reference. */
static void add_unknowns(describing *d, const char *element, int outputs_only)
{
    const size_t count = variable_count(d->system);
    for (size_t i = 0; i < count; i++) {
        const fmu_variable v = fmu_variable_at(d->system, i);
        const role r = role_of(d, v);
        const int is_wanted = outputs_only ? v.kind == FMU_OUTPUT
                                           : v.kind == FMU_OUTPUT || strcmp(r.causality, "calculatedParameter") == 0;
        if (!is_wanted) continue;
        if (d->fmi == 2) text_format(&d->out, "      <%s index=\"%zu\"/>\n", element, i + 1);
        else text_format(&d->out, "    <%s valueReference=\"%zu\"/>\n", element, i);
    }
}

static void add_structure(describing *d)
{
    int has_outputs = fmu_count(d->system, FMU_OUTPUT) > 0, has_unknowns = has_outputs;
    for (size_t i = 0; i < fmu_count(d->system, FMU_PARAM); i++)
        if (!d->model->params[i].is_structural && is_derived(d, &d->model->params[i])) has_unknowns = 1;
    text_add(&d->out, "  <ModelStructure>\n");
    if (d->fmi == 2) {
        if (has_outputs) text_add(&d->out, "    <Outputs>\n");
        if (has_outputs) add_unknowns(d, "Unknown", 1);
        if (has_outputs) text_add(&d->out, "    </Outputs>\n");
        if (has_unknowns) text_add(&d->out, "    <InitialUnknowns>\n");
        if (has_unknowns) add_unknowns(d, "Unknown", 0);
        if (has_unknowns) text_add(&d->out, "    </InitialUnknowns>\n");
    } else {
        add_unknowns(d, "Output", 1);
        add_unknowns(d, "InitialUnknown", 0);
    }
    text_add(&d->out, "  </ModelStructure>\n");
}

static void describe(describing *d, const char *name, const char *token)
{
    text_add(&d->out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<fmiModelDescription");
    text_format(&d->out, " fmiVersion=\"%s\"", d->fmi == 2 ? "2.0" : "3.0");
    add_attribute(&d->out, "modelName", name);
    add_attribute(&d->out, d->fmi == 2 ? "guid" : "instantiationToken", token);
    text_format(&d->out, " generationTool=\"Mechanician %s\" variableNamingConvention=\"flat\"", mech_version());
    if (d->fmi == 2) text_add(&d->out, " numberOfEventIndicators=\"0\"");
    text_add(&d->out, ">\n  <CoSimulation");
    add_attribute(&d->out, "modelIdentifier", name);
    text_format(
        &d->out,
        " canHandleVariableCommunicationStepSize=\"true\" canGetAndSetFMU%s=\"true\" canSerializeFMU%s=\"true\"/>\n",
        d->fmi == 2 ? "state" : "State", d->fmi == 2 ? "state" : "State");
    add_units(d);
    text_add(&d->out, "  <LogCategories>\n    <Category name=\"logStatusError\"/>\n    <Category name=\"logEvents\"/>\n"
                      "  </LogCategories>\n");
    add_experiment(d);
    text_add(&d->out, "  <ModelVariables>\n");
    for (size_t i = 0; i < variable_count(d->system); i++) add_variable(d, i);
    text_add(&d->out, "  </ModelVariables>\n");
    add_structure(d);
    text_add(&d->out, "</fmiModelDescription>\n");
}

mech_status mech_fmu_describe(const mech_system *system, const mech_fmu_options *options, char **text)
{
    describing d = {.system = system};
    char token[FMU_TOKEN];
    textbuf values = {0};
    size_t length;
    if (text) *text = NULL;
    if (!system || !options || !text || (options->fmi != 2 && options->fmi != 3)) return MECH_ERR_ARGUMENT;
    d.model = system_model(system);
    const char *source = d.model ? diagnostics_source_text(d.model->diagnostics, 1, &length) : NULL;
    if (!source) return MECH_ERR_ARGUMENT;
    MECH_TRY(mech_eval_create(system, MECH_STORAGE_SPARSE, &d.eval));
    d.fmi = options->fmi;
    fmu_add_values(&values, options->overrides, options->override_count);
    double from = 0;
    const char *word;
    if (mech_eval_option(d.eval, "from", &from, &word) != 1 || !isfinite(from)) from = 0;
    /* the signals at the start; a model that has no values there says so when it runs */
    double *zeros = mem_zeroed(fmu_count(system, FMU_COORD) + 1, sizeof *zeros);
    const mech_status ignored = zeros ? mech_eval_state(d.eval, from, zeros, NULL, NULL) : MECH_ERR_MEMORY;
    if (!values.failed && zeros) {
        fmu_token(source, length, values.data, token);
        describe(&d, options->name ? options->name : "model", token);
    } else d.out.failed = 1;
    (void)ignored;
    mem_free(zeros);
    text_free(&values);
    mech_eval_free(d.eval);
    *text = d.out.failed ? NULL : text_take(&d.out);
    text_free(&d.out);
    return *text ? MECH_OK : MECH_ERR_MEMORY;
}
