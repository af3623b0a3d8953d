/* One object for reading, running and looking. It knows nothing that a program with the other headers could not do. */
#include <mech/easy.h>

#include "base/mem.h"
#include "base/text.h"
#include "base/try.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

typedef struct easy_values { /* that were set, by name; names are owned */
    mech_override *at;
    size_t count, capacity;
} easy_values;

struct mech_easy {
    char *path, *text; /* where the model comes from: one of them                            */
    easy_values params, inputs;
    mech_diagnostics *diagnostics;
    mech_model *model;
    mech_system *system;
    mech_eval *eval; /* what can be set, and to what, while there is no run                */
    mech_sim_settings settings;
    mech_sim *sim;
    mech_status wrong;   /* with the model: nothing goes on                                    */
    mech_status pending; /* what a call could not do since the last run                        */
    textbuf error, warning;
    double *column, *row;
    size_t column_capacity, row_capacity;
};

static void say(textbuf *text, const char *words)
{
    text_free(text);
    text_add(text, words);
}

static mech_status fail(mech_easy *e, mech_status status, const char *format, const char *name)
{
    if (e->pending != MECH_OK) return status; /* the first one is told */
    text_free(&e->error);
    text_format(&e->error, format, name);
    e->pending = status;
    return status;
}

static void forget_run(mech_easy *e)
{
    mech_sim_free(e->sim);
    e->sim = NULL;
}

static void forget_model(mech_easy *e)
{
    forget_run(e);
    mech_eval_free(e->eval);
    mech_system_free(e->system);
    mech_model_free(e->model);
    mech_diagnostics_free(e->diagnostics);
    e->eval = NULL;
    e->system = NULL;
    e->model = NULL;
    e->diagnostics = NULL;
}

/* ---- reading ---- */

static mech_status read_model(mech_easy *e)
{
    mech_read_options options;
    mech_read_options_default(&options, sizeof options);
    const mech_system_options system = {.size = sizeof system, .with_derivatives = 1}; /* the run may turn stiff */
    options.overrides = e->params.at;
    options.override_count = e->params.count;
    e->diagnostics = mech_diagnostics_create();
    if (!e->diagnostics) return MECH_ERR_MEMORY;
    if (e->path) MECH_TRY(mech_read_file(e->path, &options, e->diagnostics, &e->model));
    else MECH_TRY(mech_read_text("model", e->text, strlen(e->text), &options, e->diagnostics, &e->model));
    MECH_TRY(mech_system_create(e->model, &system, e->diagnostics, &e->system));
    return mech_eval_create(e->system, MECH_STORAGE_SPARSE, &e->eval);
}

static void tell_diagnostics(mech_easy *e, textbuf *to)
{
    char *words =
        e->diagnostics && mech_diagnostics_count(e->diagnostics) ? mech_diagnostics_format(e->diagnostics) : NULL;
    if (words) say(to, words);
    mech_text_free(words);
}

static mech_status open_model(mech_easy *e)
{
    forget_model(e);
    e->wrong = read_model(e);
    text_free(&e->warning);
    if (e->wrong == MECH_OK) {
        tell_diagnostics(e, &e->warning);
        return MECH_OK;
    }
    text_free(&e->error);
    tell_diagnostics(e, &e->error);
    if (e->error.length == 0) text_format(&e->error, "%s: %s", e->path ? e->path : "model", mech_status_text(e->wrong));
    return e->wrong;
}

static mech_easy *create(const char *path, const char *text)
{
    mech_easy *e = mem_zeroed(1, sizeof *e);
    if (!e) return NULL;
    const char *from = path ? path : text ? text : "";
    char *copy = mem_text(from, strlen(from));
    if (!copy) {
        mem_free(e);
        return NULL;
    }
    *(path ? &e->path : &e->text) = copy;
    mech_sim_settings_default(&e->settings, sizeof e->settings);
    (void)open_model(e); /* the next run says it */
    return e;
}

mech_easy *mech_easy_open(const char *path) { return create(path ? path : "", NULL); }
mech_easy *mech_easy_open_text(const char *text) { return create(NULL, text); }

static void forget_values(easy_values *values)
{
    for (size_t k = 0; k < values->count; k++) mem_free((char *)(uintptr_t)values->at[k].name);
    mem_free(values->at);
}

void mech_easy_close(mech_easy *e)
{
    if (!e) return;
    forget_model(e);
    forget_values(&e->params);
    forget_values(&e->inputs);
    mem_free(e->path);
    mem_free(e->text);
    mem_free(e->column);
    mem_free(e->row);
    text_free(&e->error);
    text_free(&e->warning);
    mem_free(e);
}

/* ---- what is set ---- */

/* Its place among the values that were set; a new one where it is not among them. NULL: out of memory. */
static mech_override *place_of(easy_values *values, const char *name)
{
    for (size_t k = 0; k < values->count; k++)
        if (mech_same_name(values->at[k].name, name)) return &values->at[k];
    if (!mem_grow(&values->at, &values->capacity, values->count + 1, sizeof *values->at)) return NULL;
    char *copy = mem_text(name, strlen(name));
    if (!copy) return NULL;
    values->at[values->count] = (mech_override){.name = copy};
    return &values->at[values->count++];
}

/* An input keeps the value that it is given. */
static mech_status give(const mech_system *system, mech_eval *eval, const char *name, double value)
{
    const size_t input = mech_system_find(system, MECH_ITEM_INPUT, name);
    return input == SIZE_MAX ? mech_eval_set_param(eval, name, value) : mech_eval_set_input(eval, input, value, 0, 0);
}

static mech_status no_such_name(mech_easy *e, const char *name)
{
    const int is_coordinate = mech_system_find(e->system, MECH_ITEM_COORD, name) != SIZE_MAX;
    return fail(
        e, MECH_ERR_ARGUMENT,
        is_coordinate
            ? "'%s' is a coordinate: where it starts is said by `initial` in the model, which may be a parameter"
            : "there is no parameter or input '%s' to set",
        name);
}

static mech_status explain(mech_easy *e, mech_eval *eval, mech_status status)
{
    char *words = mech_eval_explain(eval);
    (void)fail(e, status, "%s", words ? words : mech_status_text(status));
    mech_text_free(words);
    return status;
}

mech_status mech_easy_set(mech_easy *e, const char *name, double value)
{
    if (!e) return MECH_ERR_MEMORY;
    if (e->wrong != MECH_OK) return e->wrong;
    const int is_input = mech_system_find(e->system, MECH_ITEM_INPUT, name) != SIZE_MAX;
    if (!is_input && mech_system_find(e->system, MECH_ITEM_PARAM, name) == SIZE_MAX)
        return no_such_name(e, name ? name : "");
    mech_status status = give(e->system, e->eval, name, value);
    if (status != MECH_OK && status != MECH_ERR_MODEL) return explain(e, e->eval, status);
    mech_override *place = place_of(is_input ? &e->inputs : &e->params, name);
    if (!place) return fail(e, MECH_ERR_MEMORY, "%s", "out of memory");
    place->value = value;
    if (status == MECH_ERR_MODEL) return open_model(e);
    if (!e->sim) return MECH_OK;
    status = give(e->system, mech_sim_eval(e->sim), name, value);
    if (status == MECH_OK || *mech_sim_error_text(e->sim)) return MECH_OK; /* it is there for the next run */
    return explain(e, mech_sim_eval(e->sim), status);
}

mech_sim_settings *mech_easy_settings(mech_easy *e) { return e ? &e->settings : NULL; }

/* ---- running ---- */

/* What shaped the model was read with it. */
static mech_status give_all(mech_easy *e, const easy_values *values)
{
    for (size_t k = 0; k < values->count; k++) {
        const mech_status status = give(e->system, mech_sim_eval(e->sim), values->at[k].name, values->at[k].value);
        if (status != MECH_OK && status != MECH_ERR_MODEL) return status;
    }
    return MECH_OK;
}

static mech_status new_run(mech_easy *e)
{
    forget_run(e);
    MECH_TRY(mech_sim_create(e->system, &e->settings, &e->sim));
    MECH_TRY(give_all(e, &e->params));
    return give_all(e, &e->inputs);
}

static mech_status take_pending(mech_easy *e)
{
    if (e->wrong != MECH_OK) return e->wrong;
    const mech_status status = e->pending;
    e->pending = MECH_OK;
    if (status == MECH_OK) text_free(&e->error);
    return status;
}

/* What the run says about how it went. */
static mech_status told(mech_easy *e, mech_status status)
{
    const char *words = e->sim ? mech_sim_error_text(e->sim) : "";
    if (status != MECH_OK) say(&e->error, *words ? words : mech_status_text(status));
    text_free(&e->warning);
    tell_diagnostics(e, &e->warning);
    if (e->sim) text_add(&e->warning, mech_sim_warning(e->sim));
    return status;
}

mech_status mech_easy_run(mech_easy *e)
{
    if (!e) return MECH_ERR_MEMORY;
    MECH_TRY(take_pending(e));
    mech_status status = new_run(e);
    if (status == MECH_OK) status = mech_sim_run(e->sim);
    return told(e, status);
}

mech_status mech_easy_advance(mech_easy *e, double t)
{
    if (!e) return MECH_ERR_MEMORY;
    MECH_TRY(take_pending(e));
    mech_status status = e->sim ? MECH_OK : new_run(e);
    if (status == MECH_OK && !mech_sim_has_started(e->sim)) status = mech_sim_start(e->sim);
    if (status == MECH_OK) status = mech_sim_advance(e->sim, t);
    return told(e, status);
}

mech_status mech_easy_reset(mech_easy *e)
{
    if (!e) return MECH_ERR_MEMORY;
    forget_run(e);
    return e->wrong;
}

/* ---- looking ---- */

static const mech_trajectory *trajectory_with(mech_easy *e, const char *name, size_t *column)
{
    const mech_trajectory *trajectory = e->sim && name ? mech_sim_trajectory(e->sim) : NULL;
    *column = trajectory ? mech_trajectory_find(trajectory, name) : SIZE_MAX;
    return *column == SIZE_MAX ? NULL : trajectory;
}

static double value_now(mech_easy *e, const mech_trajectory *trajectory, size_t column)
{
    const size_t columns = mech_trajectory_columns(trajectory);
    if (!mem_grow(&e->row, &e->row_capacity, columns, sizeof *e->row)) {
        (void)fail(e, MECH_ERR_MEMORY, "%s", "out of memory");
        return (double)NAN;
    }
    const mech_status status = mech_sim_row_now(e->sim, e->row);
    if (status == MECH_OK) return e->row[column];
    (void)fail(e, status, "%s", mech_sim_error_text(e->sim));
    return (double)NAN;
}

double mech_easy_value(mech_easy *e, const char *name)
{
    size_t column;
    if (!e || e->wrong != MECH_OK) return (double)NAN;
    const mech_trajectory *trajectory = trajectory_with(e, name, &column);
    if (trajectory) return value_now(e, trajectory, column);
    const mech_equation *at = mech_eval_equation(e->sim ? mech_sim_eval(e->sim) : e->eval);
    const size_t param = mech_system_find(e->system, MECH_ITEM_PARAM, name),
                 input = mech_system_find(e->system, MECH_ITEM_INPUT, name);
    if (param != SIZE_MAX) return at->p[param];
    if (input != SIZE_MAX && e->sim) return at->u[input];
    const size_t measure = mech_system_find(e->system, MECH_ITEM_MEASURE, name);
    if (measure != SIZE_MAX && e->sim) return mech_sim_measure(e->sim, measure);
    (void)fail(e, MECH_ERR_ARGUMENT,
               e->sim ? "there is no column, parameter, input or measure '%s'"
                      : "there is no '%s' to look at before the run",
               name ? name : "");
    return (double)NAN;
}

const double *mech_easy_column(mech_easy *e, const char *name, size_t *rows)
{
    size_t column;
    if (rows) *rows = 0;
    if (!e || e->wrong != MECH_OK) return NULL;
    const mech_trajectory *trajectory = trajectory_with(e, name, &column);
    if (!trajectory) {
        (void)fail(e, MECH_ERR_ARGUMENT, "there is no column '%s'", name ? name : "");
        return NULL;
    }
    const size_t count = mech_trajectory_rows(trajectory);
    if (!mem_grow(&e->column, &e->column_capacity, count + 1, sizeof *e->column)) {
        (void)fail(e, MECH_ERR_MEMORY, "%s", "out of memory");
        return NULL;
    }
    mech_trajectory_copy_column(trajectory, column, e->column);
    if (rows) *rows = count;
    return e->column;
}

const char *mech_easy_error(const mech_easy *e)
{
    if (!e) return mech_status_text(MECH_ERR_MEMORY);
    return e->error.failed ? mech_status_text(MECH_ERR_MEMORY) : e->error.data ? e->error.data : "";
}

const char *mech_easy_warning(const mech_easy *e) { return e && e->warning.data ? e->warning.data : ""; }
const mech_diagnostics *mech_easy_diagnostics(const mech_easy *e) { return e ? e->diagnostics : NULL; }
mech_model *mech_easy_model(const mech_easy *e) { return e ? e->model : NULL; }
mech_system *mech_easy_system(const mech_easy *e) { return e ? e->system : NULL; }
mech_sim *mech_easy_sim(const mech_easy *e) { return e ? e->sim : NULL; }
