#include "instance.h"

#include <mech/lang.h>
#include <mech/simulate.h>

#include "fmu/fmu.h"
#include "simulate/exchange.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 4096, MOST_VALUES = 1000 };

struct instance {
    instance_log *log;
    void *user;
    mech_diagnostics *diagnostics;
    mech_model *model;
    mech_system *system;
    mech_sim *sim; /* NULL until a value is asked for that only a start gives */
    mech_sizes sizes;
    double start, tolerance;
    double *given;   /* (params, inputs) what the importer set, NaN: nothing */
    double *outputs; /* (outputs) */
    int has_outputs; /* they are those of now */
    int is_running;  /* initialization is over: what is set takes effect at once */
    int logs_events;
    size_t told; /* of what happened */
    /* model exchange */
    int is_exchange;
    double settings[FMU_SETTINGS], own_gain;
    unsigned char *uses_slope; /* (inputs) the model uses its derivatives, which no importer tells */
    exchange *exchange;        /* as long as there is a run */
    double t, *x;              /* (states) where the importer is */
    double *rates;             /* (states) there */
    int has_rates;             /* and outputs */
    int is_off;                /* the last step asked for a projection */
};

static size_t state_count(const instance *i) { return 2 * i->sizes.coords + i->sizes.states; }

__attribute__((format(printf, 3, 4))) static int say(const instance *i, int is_error, const char *format, ...)
{
    char words[1200];
    va_list args;
    va_start(args, format);
    vsnprintf(words, sizeof words, format, args);
    va_end(args);
    if (i->log) i->log(i->user, is_error, words);
    return 0;
}

static char *read_file(const char *folder, const char *name, size_t *length)
{
    char path[LONGEST];
    const char *inner = strchr(name, '/') + 1; /* without "resources/" */
    if (snprintf(path, sizeof path, "%s/%s", folder, inner) >= LONGEST) return NULL;
    FILE *f = fopen(path, "rb");
    char *text = NULL;
    long size = 0;
    if (f && fseek(f, 0, SEEK_END) == 0 && (size = ftell(f)) >= 0 && fseek(f, 0, SEEK_SET) == 0)
        text = malloc((size_t)size + 1);
    if (text && fread(text, 1, (size_t)size, f) != (size_t)size) {
        free(text);
        text = NULL;
    }
    if (f) fclose(f);
    if (text) text[size] = '\0';
    *length = (size_t)size;
    return text;
}

/* Lines NAME=VALUE, cut in place. */
static size_t read_values(char *text, mech_override *values)
{
    size_t count = 0;
    for (char *line = text, *end; (end = strchr(line, '\n')) && count < MOST_VALUES; line = end + 1) {
        *end = '\0';
        char *sign = strrchr(line, '=');
        if (!sign) continue;
        *sign = '\0';
        if (strcmp(line, fmu_setting_name(FMU_GAIN)) == 0) continue;
        values[count++] = (mech_override){line, strtod(sign + 1, NULL)};
    }
    return count;
}

static int read_model(instance *i, const char *folder, const char *text, size_t length, char *values)
{
    mech_read_options options;
    mech_override *overrides = calloc(MOST_VALUES, sizeof *overrides);
    if (!overrides) return say(i, 1, "out of memory");
    mech_read_options_default(&options, sizeof options);
    options.include_directory = folder;
    options.overrides = overrides;
    options.override_count = read_values(values, overrides);
    mech_status status = mech_read_text("model.mech", text, length, &options, i->diagnostics, &i->model);
    const mech_system_options with = {.size = sizeof with, .with_derivatives = i->is_exchange};
    if (status == MECH_OK) status = mech_system_create(i->model, &with, i->diagnostics, &i->system);
    free(overrides);
    if (status == MECH_OK) return 1;
    char *words = mech_diagnostics_format(i->diagnostics);
    say(i, 1, "the model is refused: %s\n%s", mech_status_text(status), words ? words : "");
    mech_text_free(words);
    return 0;
}

/* What is differentiated by u' or u'' uses them. */
static void look_at_inputs(instance *i)
{
    const mech_columns at = mech_system_columns(i->system);
    for (int which = MECH_MATRIX_D_MOTION; i->is_exchange && which < MECH_MATRIX_COUNT; which++) {
        const mech_pattern p = mech_system_pattern(i->system, (mech_matrix)which);
        for (size_t k = 0; k < p.count; k++)
            if (p.column[k] >= at.u_dot && p.column[k] < at.a)
                i->uses_slope[(p.column[k] - at.u_dot) % i->sizes.inputs] = 1;
    }
}

static int make_room(instance *i)
{
    const size_t count = i->sizes.params + i->sizes.inputs;
    i->given = malloc((count + 1) * sizeof *i->given);
    i->outputs = calloc(i->sizes.outputs + 1, sizeof *i->outputs);
    i->x = calloc(state_count(i) + 1, sizeof *i->x);
    i->rates = calloc(state_count(i) + 1, sizeof *i->rates);
    for (size_t k = 0; i->given && k < count; k++) i->given[k] = NAN;
    i->uses_slope = calloc(i->sizes.inputs + 1, 1);
    if (!i->given || !i->outputs || !i->x || !i->rates || !i->uses_slope) return say(i, 1, "out of memory");
    look_at_inputs(i);
    return 1;
}

instance *instance_create(const char *resources, const char *token, int is_exchange, instance_log *log, void *user)
{
    instance *i = calloc(1, sizeof *i);
    size_t length = 0, ignored;
    char own[FMU_TOKEN];
    if (!i) return NULL;
    i->log = log;
    i->user = user;
    i->is_exchange = is_exchange;
    i->diagnostics = mech_diagnostics_create();
    char *text = resources ? read_file(resources, FMU_TEXT, &length) : NULL,
         *values = resources ? read_file(resources, FMU_VALUES, &ignored) : NULL;
    int is_good = i->diagnostics && text && values;
    if (!is_good) say(i, 1, "the files of the unit are not there: '%s'", resources ? resources : "");
    if (is_good) {
        fmu_token(text, length, values, own);
        if (!token || strcmp(token, own) != 0)
            is_good = say(i, 1, "the unit is %s, and %s was asked for", own, token ? token : "nothing");
    }
    if (is_good) i->settings[FMU_GAIN] = i->own_gain = fmu_gain(values);
    if (is_good && is_exchange && !(i->own_gain > 0)) is_good = say(i, 1, "the unit is for co-simulation");
    if (is_good) is_good = read_model(i, resources, text, length, values);
    free(text);
    free(values);
    if (is_good) {
        i->sizes = mech_system_sizes(i->system);
        is_good = make_room(i);
    }
    if (is_good) return i;
    instance_free(i);
    return NULL;
}

static void drop_run(instance *i)
{
    exchange_free(i->exchange);
    mech_sim_free(i->sim);
    i->exchange = NULL;
    i->sim = NULL;
    i->has_outputs = i->has_rates = 0;
}

void instance_free(instance *i)
{
    if (!i) return;
    drop_run(i);
    mech_system_free(i->system);
    mech_model_free(i->model);
    mech_diagnostics_free(i->diagnostics);
    free(i->given);
    free(i->outputs);
    free(i->x);
    free(i->rates);
    free(i->uses_slope);
    free(i);
}

void instance_log_events(instance *i, int is_on) { i->logs_events = is_on; }

int instance_setup(instance *i, double start, double tolerance)
{
    i->start = start;
    i->tolerance = tolerance;
    drop_run(i);
    return 1;
}

static int failed(const instance *i, mech_status status)
{
    const char *words = i->sim ? mech_sim_error_text(i->sim) : "";
    return say(i, 1, "%s", words[0] ? words : mech_status_text(status));
}

/* One value to the run. */
static mech_status hand_over(instance *i, size_t k)
{
    return k < i->sizes.params ? mech_sim_set_param(i->sim, k, i->given[k])
                               : mech_sim_set_input(i->sim, k - i->sizes.params, i->given[k]);
}

static int make_run(instance *i)
{
    mech_sim_settings settings;
    mech_sim_settings_default(&settings, sizeof settings);
    settings.from = i->start;
    settings.until = INFINITY;
    settings.keep_trajectory = 0;
    settings.rows_at_events = 0;
    if (i->tolerance > 0) settings.rtol = i->tolerance;
    settings.method = MECH_METHOD_AUTO;                              /* the core has the explicit ones */
    if (i->is_exchange) settings.stabilize = MECH_STABILIZE_PROJECT; /* at events; between them is the gain */
    drop_run(i);
    i->told = 0;
    mech_status status = mech_sim_create(i->system, &settings, &i->sim);
    for (size_t k = 0; status == MECH_OK && k < i->sizes.params + i->sizes.inputs; k++)
        if (!isnan(i->given[k])) status = hand_over(i, k);
    return status == MECH_OK ? 1 : failed(i, status);
}

/* The importer's view of the run, which stands somewhere. */
static int hand_to_importer(instance *i)
{
    const size_t n = i->sizes.coords;
    if (!i->is_exchange) return 1;
    const mech_status status = exchange_create(i->sim, &i->exchange);
    if (status != MECH_OK) return failed(i, status);
    exchange_set_gain(i->exchange, i->settings[FMU_GAIN]);
    i->t = mech_sim_time(i->sim);
    memcpy(i->x, mech_sim_q(i->sim), n * sizeof *i->x);
    memcpy(i->x + n, mech_sim_v(i->sim), n * sizeof *i->x);
    if (i->sizes.states) memcpy(i->x + 2 * n, mech_sim_states(i->sim), i->sizes.states * sizeof *i->x);
    return 1;
}

static int ensure_start(instance *i)
{
    if (i->sim) return 1;
    if (!make_run(i)) return 0;
    const mech_status status = mech_sim_start(i->sim);
    if (status == MECH_OK && hand_to_importer(i)) return 1;
    if (status != MECH_OK) failed(i, status);
    drop_run(i);
    return 0;
}

int instance_start(instance *i)
{
    i->is_running = ensure_start(i);
    return i->is_running;
}

int instance_reset(instance *i)
{
    drop_run(i);
    i->is_running = i->is_off = 0;
    i->settings[FMU_GAIN] = i->own_gain;
    i->settings[FMU_PROJECTION] = 0;
    for (size_t k = 0; k < i->sizes.params + i->sizes.inputs; k++) i->given[k] = NAN;
    return 1;
}

/* Rates and outputs where the importer is; as instance_rates. */
static int look_here(instance *i)
{
    if (i->has_rates) return 1;
    if (!ensure_start(i)) return 0;
    const int result = exchange_rates(i->exchange, i->t, i->x, i->rates, i->outputs);
    if (result < 0) return failed(i, MECH_ERR_INTEGRATION);
    i->has_rates = result > 0;
    return result > 0 ? 1 : -1;
}

/* q'' and z' of a run that integrates itself. */
static double rate_now(instance *i, fmu_variable v)
{
    mech_sim_forces forces;
    const mech_status status = mech_sim_forces_now(i->sim, &forces);
    if (status != MECH_OK) failed(i, status);
    return status != MECH_OK            ? (double)NAN
           : v.kind == FMU_ACCELERATION ? forces.qdd[v.index]
                                        : mech_eval_equation(mech_sim_eval(i->sim))->rate[v.index];
}

static int get_indicator(instance *i, size_t index, double *value)
{
    const size_t count = fmu_count(i->system, FMU_INDICATOR);
    double *all = malloc(count * sizeof *all);
    const int result = all && i->exchange ? instance_indicators(i, all, count) : 0;
    if (result == 1) *value = all[index];
    free(all);
    return result == 1;
}

/* What an importer that integrates sees of itself. */
static int get_here(instance *i, fmu_variable v, double *value)
{
    const size_t n = i->sizes.coords;
    const double *state = v.kind == FMU_COORD      ? i->x
                          : v.kind == FMU_VELOCITY ? i->x + n
                          : v.kind == FMU_STATE    ? i->x + 2 * n
                                                   : NULL;
    const double *rate = v.kind == FMU_ACCELERATION ? i->rates + n
                         : v.kind == FMU_RATE       ? i->rates + 2 * n
                         : v.kind == FMU_OUTPUT     ? i->outputs
                                                    : NULL;
    if (rate && look_here(i) != 1) return say(i, 1, "the motion has no rates where it is");
    *value = v.kind == FMU_TIME ? i->t : state ? state[v.index] : rate ? rate[v.index] : (double)NAN;
    return v.kind == FMU_INDICATOR ? get_indicator(i, v.index, value) : 1;
}

static double output_now(instance *i, size_t index)
{
    if (!i->has_outputs) {
        const mech_status status = mech_sim_outputs_now(i->sim, i->outputs);
        if (status != MECH_OK && status != MECH_ERR_NOT_FINITE) failed(i, status);
        i->has_outputs = 1;
    }
    return i->outputs[index];
}

int instance_get(instance *i, size_t reference, double *value)
{
    const fmu_variable v = fmu_variable_at(i->system, reference);
    if (v.kind == FMU_KINDS) return say(i, 1, "there is no variable %zu", reference);
    if (!ensure_start(i)) return 0;
    const mech_equation *e = mech_eval_equation(mech_sim_eval(i->sim));
    if (i->is_exchange && v.kind != FMU_PARAM && v.kind != FMU_INPUT && v.kind != FMU_SETTING)
        return get_here(i, v, value);
    switch (v.kind) {
    case FMU_TIME: *value = mech_sim_time(i->sim); break;
    case FMU_PARAM: *value = e->p[v.index]; break;
    case FMU_INPUT: *value = e->u[v.index]; break;
    case FMU_OUTPUT: *value = output_now(i, v.index); break;
    case FMU_COORD: *value = mech_sim_q(i->sim)[v.index]; break;
    case FMU_VELOCITY: *value = mech_sim_v(i->sim)[v.index]; break;
    case FMU_STATE: *value = mech_sim_states(i->sim)[v.index]; break;
    case FMU_ACCELERATION:
    case FMU_RATE: *value = rate_now(i, v); break;
    case FMU_SETTING: *value = i->settings[v.index]; break;
    case FMU_INDICATOR: return say(i, 1, "event indicators are of model exchange");
    case FMU_KINDS: break;
    }
    return 1;
}

static int set_setting(instance *i, size_t setting, double value)
{
    if (value < 0) return say(i, 1, "'%s' is not negative", fmu_setting_name(setting));
    i->settings[setting] = value;
    i->has_rates = 0;
    if (setting == FMU_GAIN && i->exchange) exchange_set_gain(i->exchange, value);
    return 1;
}

int instance_set(instance *i, size_t reference, double value)
{
    const fmu_variable v = fmu_variable_at(i->system, reference);
    if (v.kind != FMU_PARAM && v.kind != FMU_INPUT && v.kind != FMU_SETTING)
        return say(i, 1, "variable %zu is neither a parameter nor an input: it cannot be set", reference);
    if (!isfinite(value)) return say(i, 1, "variable %zu is set to a value that is not finite", reference);
    if (v.kind == FMU_SETTING) return set_setting(i, v.index, value);
    if (i->is_exchange && v.kind == FMU_INPUT && i->uses_slope[v.index])
        return say(i, 1,
                   "the model uses the slope of input %s, which model exchange does not tell: it keeps its own signal",
                   mech_system_name(i->system, MECH_ITEM_INPUT, v.index));
    const size_t k = v.kind == FMU_PARAM ? v.index : i->sizes.params + v.index;
    if (i->given[k] == value) return 1;
    i->given[k] = value;
    i->has_outputs = i->has_rates = 0;
    if (i->is_running) {
        const mech_status status = hand_over(i, k);
        return status == MECH_OK ? 1 : failed(i, status);
    }
    drop_run(i); /* the start is another */
    return 1;
}

static void tell_events(instance *i)
{
    for (; i->told < mech_sim_log_count(i->sim); i->told++) {
        const mech_log_entry h = mech_sim_log_get(i->sim, i->told);
        if (i->logs_events) say(i, 0, "t = %.12g: %s", h.t, h.text);
    }
}

int instance_advance(instance *i, double from, double t, int *has_ended)
{
    *has_ended = 0;
    if (!i->is_running) return say(i, 1, "the initialization is not over");
    const double now = mech_sim_time(i->sim), size = fabs(now) + fabs(t - from) + 1e-300;
    if (fabs(from - now) > 1e-9 * size)
        return say(i, 1, "the run is at t = %.17g, and a step from %.17g is asked for", now, from);
    i->has_outputs = 0;
    if (t <= now) return 1;
    const mech_status status = mech_sim_advance(i->sim, t);
    tell_events(i);
    if (status != MECH_OK) return failed(i, status);
    *has_ended = mech_sim_has_stopped(i->sim) && mech_sim_time(i->sim) < t;
    return 1;
}

double instance_time(const instance *i) { return i->exchange ? i->t : i->sim ? mech_sim_time(i->sim) : i->start; }

/* ---- model exchange ---- */

void instance_counts(const instance *i, size_t *states, size_t *indicators)
{
    *states = state_count(i);
    *indicators = fmu_count(i->system, FMU_INDICATOR);
}

static int is_ready(instance *i, size_t count, size_t wanted)
{
    if (!i->is_exchange) return say(i, 1, "the unit was made for co-simulation");
    if (count != wanted) return say(i, 1, "%zu values are handed over, and there are %zu", count, wanted);
    return ensure_start(i);
}

int instance_set_time(instance *i, double t)
{
    if (!is_ready(i, 0, 0)) return 0;
    if (!isfinite(t)) return say(i, 1, "the time is not finite");
    i->t = t;
    i->has_rates = 0;
    return 1;
}

int instance_set_states(instance *i, const double *x, size_t count)
{
    if (!is_ready(i, count, state_count(i))) return 0;
    for (size_t k = 0; k < count; k++)
        if (!isfinite(x[k])) return say(i, 1, "a state is not finite");
    memcpy(i->x, x, count * sizeof *x);
    i->has_rates = 0;
    return 1;
}

int instance_get_states(instance *i, double *x, size_t count)
{
    if (!is_ready(i, count, state_count(i))) return 0;
    memcpy(x, i->x, count * sizeof *x);
    return 1;
}

int instance_rates(instance *i, double *rates, size_t count)
{
    if (!is_ready(i, count, state_count(i))) return 0;
    const int result = look_here(i);
    if (result == 1) memcpy(rates, i->rates, count * sizeof *rates);
    return result;
}

int instance_indicators(instance *i, double *values, size_t count)
{
    if (!is_ready(i, count, fmu_count(i->system, FMU_INDICATOR))) return 0;
    const int result = exchange_indicators(i->exchange, i->t, i->x, values);
    return result < 0 ? failed(i, MECH_ERR_INTEGRATION) : result > 0 ? 1 : -1;
}

/* Row of what has a derivative, or SIZE_MAX. */
static size_t row_of(const instance *i, fmu_variable v)
{
    const size_t n = i->sizes.coords;
    return v.kind == FMU_VELOCITY       ? v.index
           : v.kind == FMU_ACCELERATION ? n + v.index
           : v.kind == FMU_RATE         ? 2 * n + v.index
           : v.kind == FMU_OUTPUT       ? state_count(i) + v.index
                                        : SIZE_MAX;
}

/* Column of what it is a derivative by, or SIZE_MAX. */
static size_t column_of(const instance *i, fmu_variable v)
{
    const size_t n = i->sizes.coords;
    return v.kind == FMU_COORD      ? v.index
           : v.kind == FMU_VELOCITY ? n + v.index
           : v.kind == FMU_STATE    ? 2 * n + v.index
           : v.kind == FMU_INPUT    ? state_count(i) + v.index
                                    : SIZE_MAX;
}

int instance_slope(instance *i, const unsigned *unknown, size_t unknowns, const unsigned *known, size_t knowns,
                   const double *along, double *slope)
{
    const double *J;
    if (!is_ready(i, 0, 0)) return 0;
    const int result = exchange_slopes(i->exchange, i->t, i->x, &J);
    if (result < 0) return failed(i, MECH_ERR_UNSUPPORTED);
    if (result == 0) return -1;
    i->has_rates = 0;
    for (size_t r = 0; r < unknowns; r++) {
        const size_t row = row_of(i, fmu_variable_at(i->system, unknown[r]));
        if (row == SIZE_MAX)
            return say(i, 1, "variable %u has no directional derivative: states, their rates and outputs do",
                       unknown[r]);
        slope[r] = 0;
        for (size_t c = 0; c < knowns; c++) {
            const size_t column = column_of(i, fmu_variable_at(i->system, known[c]));
            if (column == SIZE_MAX)
                return say(i, 1, "there is no derivative by variable %u: there are those by states and inputs",
                           known[c]);
            slope[r] += J[row + column * (state_count(i) + i->sizes.outputs)] * along[c];
        }
    }
    return 1;
}

int instance_completed_step(instance *i, int *wants_event, int *has_ended)
{
    int is_off;
    if (!is_ready(i, 0, 0)) return 0;
    const mech_status status = exchange_step(i->exchange, i->t, i->x, &is_off);
    i->has_rates = 0;
    if (status != MECH_OK) return failed(i, status);
    i->is_off = is_off && i->settings[FMU_PROJECTION] > 0;
    *wants_event = i->is_off;
    *has_ended = mech_sim_has_stopped(i->sim);
    return 1;
}

int instance_event(instance *i, int *is_moved, int *has_ended, double *next)
{
    if (!is_ready(i, 0, 0)) return 0;
    const mech_status status = exchange_event(i->exchange, i->t, i->x, i->is_off, is_moved);
    i->has_rates = i->is_off = 0;
    tell_events(i);
    if (status != MECH_OK) return failed(i, status);
    *has_ended = mech_sim_has_stopped(i->sim);
    *next = exchange_next(i->exchange);
    return 1;
}

/* ---- states: what was set, then the run ---- */

typedef struct saved {
    size_t count; /* of values */
    double start, tolerance, settings[FMU_SETTINGS], t;
    int is_running, is_off;
} saved;

/* Doubles behind it: what was set, and where an importer is. */
static size_t saved_values(const instance *i)
{
    return i->sizes.params + i->sizes.inputs + (i->is_exchange ? state_count(i) : 0);
}

static int save(instance *i, char **bytes, size_t *size)
{
    const size_t count = i->sizes.params + i->sizes.inputs, values = saved_values(i) * sizeof(double);
    saved head;
    memset(&head, 0, sizeof head); /* the gaps, too: equal states are equal bytes */
    head.count = saved_values(i);
    head.start = i->start;
    head.tolerance = i->tolerance;
    memcpy(head.settings, i->settings, sizeof head.settings);
    head.t = i->t;
    head.is_running = i->is_running;
    head.is_off = i->is_off;
    char *run = NULL;
    size_t run_size = 0;
    if (i->is_running) {
        const mech_status status = mech_sim_save(i->sim, NULL, 0, &run, &run_size);
        if (status != MECH_OK) return failed(i, status);
    }
    *size = sizeof head + values + run_size;
    *bytes = malloc(*size);
    if (*bytes) {
        char *at = *bytes + sizeof head;
        memcpy(*bytes, &head, sizeof head);
        memcpy(at, i->given, count * sizeof(double));
        if (i->is_exchange) memcpy(at + count * sizeof(double), i->x, state_count(i) * sizeof(double));
        if (run) memcpy(at + values, run, run_size);
    }
    mech_text_free(run);
    return *bytes ? 1 : say(i, 1, "out of memory");
}

static int restore(instance *i, const char *bytes, size_t size)
{
    const size_t count = i->sizes.params + i->sizes.inputs, values = saved_values(i) * sizeof(double);
    saved head;
    if (size < sizeof head + values) return say(i, 1, "this is no state of the unit");
    memcpy(&head, bytes, sizeof head);
    if (head.count != saved_values(i)) return say(i, 1, "this is the state of another unit");
    instance_setup(i, head.start, head.tolerance);
    memcpy(i->given, bytes + sizeof head, count * sizeof(double));
    memcpy(i->settings, head.settings, sizeof head.settings);
    i->is_running = head.is_running;
    i->is_off = head.is_off;
    if (!head.is_running) return 1;
    const void *note;
    size_t note_size;
    if (!make_run(i)) return 0;
    const mech_status status =
        mech_sim_restore(i->sim, bytes + sizeof head + values, size - sizeof head - values, &note, &note_size);
    i->told = mech_sim_log_count(i->sim);
    if (status != MECH_OK) return failed(i, status);
    if (!hand_to_importer(i)) return 0;
    i->t = head.t;
    if (i->is_exchange) memcpy(i->x, bytes + sizeof head + count * sizeof(double), state_count(i) * sizeof(double));
    return 1;
}

typedef struct state {
    char *bytes;
    size_t size;
} state;

int instance_keep(instance *i, void **kept)
{
    state *s = *kept ? *kept : calloc(1, sizeof *s);
    if (!s) return say(i, 1, "out of memory");
    free(s->bytes);
    s->bytes = NULL;
    s->size = 0;
    *kept = s;
    return save(i, &s->bytes, &s->size);
}

int instance_return(instance *i, const void *kept)
{
    const state *s = kept;
    return s && s->bytes ? restore(i, s->bytes, s->size) : say(i, 1, "there is no state to return to");
}

void instance_state_free(void **kept)
{
    state *s = *kept;
    if (s) free(s->bytes);
    free(s);
    *kept = NULL;
}

size_t instance_state_size(const void *kept) { return ((const state *)kept)->size; }

int instance_state_write(const void *kept, void *bytes, size_t size)
{
    const state *s = kept;
    if (size < s->size) return 0;
    memcpy(bytes, s->bytes, s->size);
    return 1;
}

int instance_state_read(const void *bytes, size_t size, void **kept)
{
    state *s = calloc(1, sizeof *s);
    if (s) s->bytes = malloc(size ? size : 1);
    if (!s || !s->bytes) {
        free(s);
        return 0;
    }
    memcpy(s->bytes, bytes, size);
    s->size = size;
    *kept = s;
    return 1;
}
