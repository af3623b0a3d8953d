/* mech_read_text, mech_read_file: from text to a finished model. */
#include "lang/include.h"
#include "lang/statement.h"

#include "base/mem.h"
#include "base/options.h"
#include "base/try.h"
#include "lang/bodies.h"
#include "lang/call.h"

#include <string.h>

void mech_read_options_default(mech_read_options *options, size_t size)
{
    const mech_read_options all = {0};
    if (options && size >= sizeof options->size) options_default(options, size, &all, sizeof all);
}

static void bind_constant(lang_context *c, const char *name, lang_binding_kind kind, mech_expr value)
{
    const uint32_t number = lang_intern(&c->names, name, strlen(name));
    if (number) lang_bind_global(c, number, kind, lang_scalar(value), (mech_span){0});
    else lang_out_of_memory(c);
}

static void context_free(lang_context *c)
{
    for (size_t i = 0; i < c->family_count; i++) mem_free(c->families[i].members);
    mem_free(c->families);
    mem_free(c->globals);
    mem_free(c->locals);
    mem_free(c->guesses);
    mem_free(c->overrides_used);
    lang_scratch_free(c);
    lang_tables_free(c);
    lang_names_free(&c->names);
    arena_free(&c->memory);
    mem_free(c);
}

static lang_context *context_create(const mech_read_options *options, mech_diagnostics *diagnostics)
{
    lang_context *c = mem_zeroed(1, sizeof *c);
    if (!c) return NULL;
    c->fatal = options_take(&c->options, sizeof c->options, options);
    c->diagnostics = diagnostics;
    c->first_diagnostic = mech_diagnostics_count(diagnostics);
    c->first_error = mech_diagnostics_error_count(diagnostics);
    c->overrides_used = mem_zeroed(c->options.override_count + 1, 1);
    if (!c->overrides_used || !lang_names_start(&c->names, &c->memory) || !lang_builtin_start(c)) lang_out_of_memory(c);
    return c;
}

static int start_model(lang_context *c)
{
    if (c->fatal == MECH_OK) c->fatal = mech_model_create(c->diagnostics, &c->model);
    if (c->fatal != MECH_OK) return 0;
    c->pool = mech_model_pool(c->model);
    c->fatal = mech_model_read_friction(c->model, c->options.friction);
    if (c->fatal == MECH_OK) c->fatal = mech_model_read_sampled(c->model, c->options.sampled);
    bind_constant(c, "pi", BIND_VALUE, mech_pi(c->pool));
    bind_constant(c, "t", BIND_TIME, mech_model_time(c->model));
    return c->fatal == MECH_OK;
}

/* What a name is that is no parameter, and where it takes a value. */
static const char *no_parameter_hint(lang_context *c, const char *name)
{
    static const char start[] =
        "'initial' says where it starts, and may use a parameter; eval, linearize, stability and "
        "equilibrium take --state";
    static const char *const where[] = {
        [BIND_VALUE] = "declare it by 'param' in place of 'let', and it can be set",
        [BIND_TIME] = "a run begins and ends as 'simulate from 0 until 10' says",
        [BIND_COORD] = start,
        [BIND_STATE] = start,
        [BIND_INPUT] = "write its signal with a parameter, and set that",
        [BIND_OUTPUT] = "it follows from the motion; set a parameter that it hangs on",
    };
    const size_t length = strcspn(name, "'");
    const lang_binding *b = lang_global(c, lang_find(&c->names, name, length));
    if (!b || b->kind > BIND_OUTPUT || !where[b->kind]) return NULL;
    return arena_format(&c->memory, "'%.*s' is %s: %s", (int)length, name, lang_binding_word(b->kind), where[b->kind]);
}

/* Values given from outside for parameters that the text does not have. */
static void check_overrides(lang_context *c, mech_span whole)
{
    for (size_t i = 0; i < c->options.override_count && !lang_is_over(c); i++) {
        lang_guess guess;
        const char *name = c->options.overrides[i].name;
        if (c->overrides_used[i]) continue;
        lang_guess_start(&guess, name ? name : "");
        for (size_t k = 0; k < c->model->params_count; k++) lang_guess_try(&guess, c->model->params[k].name);
        const char *hint = name ? no_parameter_hint(c, name) : NULL;
        lang_error(c, MECH_ERR_MODEL, whole, hint ? hint : lang_hint(c, &guess), "there is no parameter '%s' to set",
                   name ? name : "");
    }
}

/* The status of the first error of this run. */
static mech_status first_error(const lang_context *c)
{
    for (size_t i = c->first_diagnostic; i < mech_diagnostics_count(c->diagnostics); i++) {
        const mech_diagnostic *d = mech_diagnostics_get(c->diagnostics, i);
        if (d->severity == MECH_SEVERITY_ERROR) return d->status;
    }
    return MECH_ERR_MODEL;
}

static mech_status build(lang_context *c, const char *name, const char *directory, const char *text, size_t length)
{
    if (!start_model(c)) return c->fatal;
    lang_statement *first = lang_parse(c, NULL, name, directory, text, length);
    c->statements = first;
    lang_scan_joints(c, first);
    lang_run_statements(c, first);
    lang_check_functions(c);
    const mech_span whole = {c->source, MECH_SPAN_WHOLE, MECH_SPAN_WHOLE};
    if (lang_error_count(c) == 0) check_overrides(c, whole);
    if (c->fatal == MECH_ERR_MEMORY || diagnostics_failed(c->diagnostics)) return MECH_ERR_MEMORY;
    if (lang_error_count(c) > 0) return first_error(c);
    if (c->fatal != MECH_OK) return c->fatal;
    MECH_TRY(model_set_origin(c->model, whole, NULL, 0));
    if (c->bodies) MECH_TRY(mech_bodies_finish(c->bodies));
    const mech_status status = mech_model_finish(c->model);
    return diagnostics_failed(c->diagnostics) ? MECH_ERR_MEMORY : status;
}

static void free_bodies(void *bodies) { mech_bodies_free(bodies); }

mech_status mech_read_text(const char *name, const char *text, size_t length, const mech_read_options *options,
                           mech_diagnostics *diagnostics, mech_model **model)
{
    if (model) *model = NULL;
    if (!model || !diagnostics || (!text && length > 0)) return MECH_ERR_ARGUMENT;
    lang_context *c = context_create(options, diagnostics);
    if (!c) return MECH_ERR_MEMORY;
    if (!name) name = "model";
    mech_status status = c->fatal;
    if (status == MECH_ERR_ARGUMENT)
        diagnostics_add(diagnostics, MECH_SEVERITY_ERROR, status, (mech_span){0}, NULL, OPTIONS_UNSIZED);
    if (length > LANG_MAX_FILE) {
        lang_error(c, MECH_ERR_LIMIT, (mech_span){0}, NULL, "the text is larger than 64 MB");
        status = MECH_ERR_LIMIT;
    }
    const char *directory =
        c->options.include_directory ? c->options.include_directory : file_directory(&c->memory, name);
    if (!directory) status = MECH_ERR_MEMORY;
    if (status == MECH_OK) status = build(c, name, directory, text ? text : "", length);
    if (status == MECH_OK && c->bodies) {
        c->model->mechanism = c->bodies;
        c->model->free_mechanism = free_bodies;
    } else mech_bodies_free(c->bodies); /* before its model */
    if (status == MECH_OK) *model = c->model;
    else mech_model_free(c->model);
    context_free(c);
    return status;
}

mech_status mech_read_file(const char *path, const mech_read_options *options, mech_diagnostics *diagnostics,
                           mech_model **model)
{
    char *text = NULL;
    size_t length = 0;
    if (model) *model = NULL;
    if (!path || !diagnostics || !model) return MECH_ERR_ARGUMENT;
    mech_status status = file_read_or_say(path, "model", diagnostics, &text, &length);
    if (status == MECH_OK) status = mech_read_text(path, text, length, options, diagnostics, model);
    mem_free(text);
    return status;
}
