#include "instance.h"

#include <mech/lang.h>
#include <mech/simulate.h>

#include "fmu/fmu.h"

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
};

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
    const mech_system_options with = {.size = sizeof with};
    if (status == MECH_OK) status = mech_system_create(i->model, &with, i->diagnostics, &i->system);
    free(overrides);
    if (status == MECH_OK) return 1;
    char *words = mech_diagnostics_format(i->diagnostics);
    say(i, 1, "the model is refused: %s\n%s", mech_status_text(status), words ? words : "");
    mech_text_free(words);
    return 0;
}

instance *instance_create(const char *resources, const char *token, instance_log *log, void *user)
{
    instance *i = calloc(1, sizeof *i);
    size_t length = 0, ignored;
    char own[FMU_TOKEN];
    if (!i) return NULL;
    i->log = log;
    i->user = user;
    i->diagnostics = mech_diagnostics_create();
    char *text = read_file(resources, FMU_TEXT, &length), *values = read_file(resources, FMU_VALUES, &ignored);
    int is_good = i->diagnostics && text && values;
    if (!is_good) say(i, 1, "the files of the unit are not there: '%s'", resources);
    if (is_good) {
        fmu_token(text, length, values, own);
        if (!token || strcmp(token, own) != 0)
            is_good = say(i, 1, "the unit is %s, and %s was asked for", own, token ? token : "nothing");
    }
    if (is_good) is_good = read_model(i, resources, text, length, values);
    free(text);
    free(values);
    if (is_good) {
        i->sizes = mech_system_sizes(i->system);
        i->given = malloc((i->sizes.params + i->sizes.inputs + 1) * sizeof *i->given);
        i->outputs = calloc(i->sizes.outputs + 1, sizeof *i->outputs);
        is_good = i->given && i->outputs;
        for (size_t k = 0; is_good && k < i->sizes.params + i->sizes.inputs; k++) i->given[k] = NAN;
    }
    if (is_good) return i;
    instance_free(i);
    return NULL;
}

void instance_free(instance *i)
{
    if (!i) return;
    mech_sim_free(i->sim);
    mech_system_free(i->system);
    mech_model_free(i->model);
    mech_diagnostics_free(i->diagnostics);
    free(i->given);
    free(i->outputs);
    free(i);
}

void instance_log_events(instance *i, int is_on) { i->logs_events = is_on; }

int instance_setup(instance *i, double start, double tolerance)
{
    i->start = start;
    i->tolerance = tolerance;
    mech_sim_free(i->sim);
    i->sim = NULL;
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
    settings.method = MECH_METHOD_AUTO; /* the core has the explicit ones */
    mech_sim_free(i->sim);
    i->sim = NULL;
    i->told = 0;
    mech_status status = mech_sim_create(i->system, &settings, &i->sim);
    for (size_t k = 0; status == MECH_OK && k < i->sizes.params + i->sizes.inputs; k++)
        if (!isnan(i->given[k])) status = hand_over(i, k);
    return status == MECH_OK ? 1 : failed(i, status);
}

static int ensure_start(instance *i)
{
    if (i->sim) return 1;
    if (!make_run(i)) return 0;
    const mech_status status = mech_sim_start(i->sim);
    i->has_outputs = 0;
    if (status == MECH_OK) return 1;
    failed(i, status);
    mech_sim_free(i->sim);
    i->sim = NULL;
    return 0;
}

int instance_start(instance *i)
{
    i->is_running = ensure_start(i);
    return i->is_running;
}

int instance_reset(instance *i)
{
    mech_sim_free(i->sim);
    i->sim = NULL;
    i->is_running = 0;
    for (size_t k = 0; k < i->sizes.params + i->sizes.inputs; k++) i->given[k] = NAN;
    return 1;
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
    switch (v.kind) {
    case FMU_TIME: *value = mech_sim_time(i->sim); break;
    case FMU_PARAM: *value = e->p[v.index]; break;
    case FMU_INPUT: *value = e->u[v.index]; break;
    case FMU_OUTPUT: *value = output_now(i, v.index); break;
    case FMU_COORD: *value = mech_sim_q(i->sim)[v.index]; break;
    case FMU_VELOCITY: *value = mech_sim_v(i->sim)[v.index]; break;
    case FMU_STATE: *value = mech_sim_states(i->sim)[v.index]; break;
    case FMU_KINDS: break;
    }
    return 1;
}

int instance_set(instance *i, size_t reference, double value)
{
    const fmu_variable v = fmu_variable_at(i->system, reference);
    if (v.kind != FMU_PARAM && v.kind != FMU_INPUT)
        return say(i, 1, "variable %zu is neither a parameter nor an input: it cannot be set", reference);
    if (!isfinite(value)) return say(i, 1, "variable %zu is set to a value that is not finite", reference);
    const size_t k = v.kind == FMU_PARAM ? v.index : i->sizes.params + v.index;
    if (i->given[k] == value) return 1;
    i->given[k] = value;
    i->has_outputs = 0;
    if (i->is_running) {
        const mech_status status = hand_over(i, k);
        return status == MECH_OK ? 1 : failed(i, status);
    }
    mech_sim_free(i->sim); /* the start is another */
    i->sim = NULL;
    return 1;
}

static void tell_events(instance *i)
{
    for (; i->told < mech_sim_happening_count(i->sim); i->told++) {
        const mech_happening h = mech_sim_happening_get(i->sim, i->told);
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

double instance_time(const instance *i) { return i->sim ? mech_sim_time(i->sim) : i->start; }

/* ---- states: what was set, then the run ---- */

typedef struct saved {
    size_t count; /* of values */
    double start, tolerance;
    int is_running;
} saved;

static int save(instance *i, char **bytes, size_t *size)
{
    const size_t count = i->sizes.params + i->sizes.inputs;
    const saved head = {count, i->start, i->tolerance, i->is_running};
    char *run = NULL;
    size_t run_size = 0;
    if (i->is_running) {
        const mech_status status = mech_sim_save(i->sim, NULL, 0, &run, &run_size);
        if (status != MECH_OK) return failed(i, status);
    }
    *size = sizeof head + count * sizeof(double) + run_size;
    *bytes = malloc(*size);
    if (*bytes) {
        memcpy(*bytes, &head, sizeof head);
        memcpy(*bytes + sizeof head, i->given, count * sizeof(double));
        if (run) memcpy(*bytes + sizeof head + count * sizeof(double), run, run_size);
    }
    mech_text_free(run);
    return *bytes ? 1 : say(i, 1, "out of memory");
}

static int restore(instance *i, const char *bytes, size_t size)
{
    const size_t count = i->sizes.params + i->sizes.inputs, values = count * sizeof(double);
    saved head;
    if (size < sizeof head + values) return say(i, 1, "this is no state of the unit");
    memcpy(&head, bytes, sizeof head);
    if (head.count != count) return say(i, 1, "this is the state of another unit");
    instance_setup(i, head.start, head.tolerance);
    memcpy(i->given, bytes + sizeof head, values);
    i->is_running = head.is_running;
    i->has_outputs = 0;
    if (!head.is_running) return 1;
    const void *note;
    size_t note_size;
    if (!make_run(i)) return 0;
    const mech_status status =
        mech_sim_restore(i->sim, bytes + sizeof head + values, size - sizeof head - values, &note, &note_size);
    i->told = mech_sim_happening_count(i->sim);
    return status == MECH_OK ? 1 : failed(i, status);
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
