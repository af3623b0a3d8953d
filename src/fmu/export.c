/* A unit: description, text, the files that it reads, and the binary. */
#include "fmu/code.h"

#include "base/arena.h"
#include "base/diagnostics.h"
#include "base/mem.h"
#include "base/options.h"
#include "base/try.h"
#include "model/model.h"
#include "simulate/exchange.h"
#include "system/compiled.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { FIXED = 4 }; /* description, text, values, binary */

typedef struct export
{
    const mech_system *system;
    const mech_model *model;
    const mech_fmu_options *options;
    mech_diagnostics *diagnostics;
    arena memory;
    textbuf values;
    char *description;
    fmu_code code;       /* over C: its sources, */
    fmu_binary compiled; /* and what became of them; without a folder: nothing */
    mech_fmu_made made;
    fmu_file *files;
    size_t count;
}
export;

__attribute__((format(printf, 3, 4))) static mech_status refuse(const export *x, mech_status status, const char *format,
                                                                ...)
{
    char words[800];
    va_list args;
    va_start(args, format);
    vsnprintf(words, sizeof words, format, args);
    va_end(args);
    if (x->diagnostics) diagnostics_add(x->diagnostics, MECH_SEVERITY_ERROR, status, (mech_span){0}, NULL, "%s", words);
    return status;
}

static int ends_in(const char *text, const char *ending)
{
    const size_t length = strlen(text), end = strlen(ending);
    return length >= end && strcmp(text + length - end, ending) == 0;
}

/* A file of the model under the name that the text will find it by: relative to the folder of the text. */
static mech_status add_file(export *x, const char *path)
{
    const char *first = mech_system_file(x->system, 0), *slash = strrchr(first, '/');
    const size_t folder = slash ? (size_t)(slash - first) + 1 : 0;
    if (ends_in(path, ".urdf") || ends_in(path, ".xml"))
        return refuse(x, MECH_ERR_UNSUPPORTED,
                      "the model imports '%s', which a unit cannot read; 'mech import' makes text of it", path);
    if (strncmp(path, first, folder) != 0 || strstr(path + folder, "..") || path[folder] == '/')
        return refuse(x, MECH_ERR_UNSUPPORTED,
                      "'%s' lies outside of the folder of the model, and a unit holds that folder only", path);
    if (strcmp(path + folder, "model.mech") == 0)
        return refuse(x, MECH_ERR_UNSUPPORTED, "'%s' has the name that the unit gives to the model itself: rename it",
                      path);
    const char *name = arena_format(&x->memory, "resources/%s", path + folder);
    if (!name) return MECH_ERR_MEMORY;
    for (size_t i = 0; i < x->count; i++)
        if (strcmp(x->files[i].name, name) == 0) return MECH_OK; /* two inputs from one table */
    x->files[x->count++] = (fmu_file){.name = name, .path = path};
    return MECH_OK;
}

static const char *name_of(const export *x) { return x->options->name ? x->options->name : "model"; }

/* Where a binary stands in the unit. */
static const char *binary_name(export *x)
{
#if defined(__aarch64__)
    static const char platform[] = "aarch64-linux";
#else
    static const char platform[] = "x86_64-linux";
#endif
    return arena_format(&x->memory, "binaries/%s/%s.so", x->options->fmi == 2 ? "linux64" : platform, name_of(x));
}

static void add_text(export *x, const char *name, const char *data, size_t length)
{
    x->files[x->count++] = (fmu_file){.name = name, .data = data, .length = length};
}

static mech_status gather_library(export *x, const char *text, size_t length)
{
    size_t files = 0;
    if (!x->options->binary) return refuse(x, MECH_ERR_ARGUMENT, "%s", "the binary of units is not given");
    while (mech_system_file(x->system, files)) files++;
    x->files = mem_zeroed(FIXED + files, sizeof *x->files);
    mech_status status = x->files ? MECH_OK : MECH_ERR_MEMORY;
    if (status == MECH_OK) status = fmu_describe(x->system, x->options, x->values.data, NULL, &x->description);
    const char *binary = binary_name(x);
    if (status != MECH_OK || !binary) return status != MECH_OK ? status : MECH_ERR_MEMORY;
    add_text(x, "modelDescription.xml", x->description, strlen(x->description));
    add_text(x, FMU_TEXT, text, length);
    add_text(x, FMU_VALUES, x->values.data, x->values.length);
    x->files[x->count++] = (fmu_file){.name = binary, .path = x->options->binary};
    for (size_t i = 1; i < files && status == MECH_OK; i++) status = add_file(x, mech_system_file(x->system, i));
    return status;
}

/* The sources, and the binary where there is a compiler; *why: where there is none. */
static mech_status make_code(export *x, const char *text, size_t length, const char **why)
{
    const mech_fmu_options *o = x->options;
    char token[FMU_TOKEN];
    textbuf values = {0};
    text_add(&values, x->values.data);
    text_add(&values, FMU_OVER_C);
    mech_status status = values.failed ? MECH_ERR_MEMORY : MECH_OK;
    if (status == MECH_OK) fmu_token(text, length, values.data, token);
    if (status == MECH_OK)
        status = fmu_code_make(x->system, o->fmi, name_of(x), token, fmu_gain(values.data), &x->code);
    if (status == MECH_OK) status = fmu_describe(x->system, o, values.data, &x->code, &x->description);
    text_free(&values);
    if (status != MECH_OK) return status;
    x->made.has_binary = fmu_binary_make(&x->code, o->fmi, &x->compiled, why) == MECH_OK;
    return MECH_OK;
}

static mech_status gather_code(export *x)
{
    const char *binary = binary_name(x);
    x->files = mem_zeroed(2 + x->code.count, sizeof *x->files);
    if (!x->files || !binary) return MECH_ERR_MEMORY;
    add_text(x, "modelDescription.xml", x->description, strlen(x->description));
    if (x->made.has_binary) x->files[x->count++] = (fmu_file){.name = binary, .path = x->compiled.path};
    for (size_t i = 0; i < x->code.count; i++) x->files[x->count++] = x->code.files[i];
    return MECH_OK;
}

/* Why not over C, in words; NULL: nothing is in the way. */
static const char *code_obstacle(const export *x)
{
    if (x->options->kinds != MECH_FMU_EXCHANGE) return "co-simulation is over the library";
    const char *why = fmu_code_obstacle(x->system);
    return why ? why : fmu_code_name_obstacle(name_of(x));
}

/* What a unit over C is made of, where it is one: made.over. */
static mech_status try_code(export *x, const char *text, size_t length)
{
    const mech_fmu_over over = x->options->over;
    x->made.over = MECH_FMU_OVER_LIBRARY;
    if (over == MECH_FMU_OVER_LIBRARY) return MECH_OK;
    const char *why = code_obstacle(x);
    mech_status status = why ? MECH_ERR_UNSUPPORTED : make_code(x, text, length, &why);
    if (status == MECH_ERR_LIMIT) why = "the code would be too long";
    else if (status == MECH_ERR_UNSUPPORTED && !why) why = "an output looks at what exported code has not";
    else if (status != MECH_OK && status != MECH_ERR_UNSUPPORTED) return status;
    if (over == MECH_FMU_OVER_C && status != MECH_OK)
        return refuse(x, MECH_ERR_UNSUPPORTED, "the model is not for a unit over C: %s", why);
    const int is_made = status == MECH_OK && (x->made.has_binary || over == MECH_FMU_OVER_C);
    if (is_made) x->made.over = MECH_FMU_OVER_C;
    x->made.why = is_made && x->made.has_binary ? NULL : why;
    return MECH_OK;
}

static mech_status gather(export *x)
{
    const mech_fmu_options *o = x->options;
    size_t length;
    const char *text = diagnostics_source_text(x->model->diagnostics, 1, &length);
    if (!text) return refuse(x, MECH_ERR_ARGUMENT, "%s", "the system was not made from a text");
    const char *obstacle = o->kinds & MECH_FMU_EXCHANGE ? exchange_obstacle(x->system) : NULL;
    if (obstacle) return refuse(x, MECH_ERR_UNSUPPORTED, "the model is not for model exchange: %s", obstacle);
    MECH_TRY(fmu_list_values(x->system, o, &x->values));
    MECH_TRY(try_code(x, text, length));
    if (x->made.over == MECH_FMU_OVER_C) return gather_code(x);
    mech_text_free(x->description);
    x->description = NULL;
    x->made.has_binary = 1;
    return gather_library(x, text, length);
}

mech_status mech_export_fmu(const mech_system *system, const char *path, const mech_fmu_options *given,
                            mech_diagnostics *diagnostics)
{
    char why[600];
    mech_fmu_options options;
    if (!system || !path || !given) return MECH_ERR_ARGUMENT;
    if (fmu_take_options(&options, given) != MECH_OK) {
        const export none = {.diagnostics = diagnostics};
        return refuse(&none, MECH_ERR_ARGUMENT, "%s", OPTIONS_UNSIZED);
    }
    if ((options.fmi != 2 && options.fmi != 3) || options.kinds == 0) return MECH_ERR_ARGUMENT;
    export x = {.system = system, .model = system_model(system), .options = &options, .diagnostics = diagnostics};
    mech_status status = x.model ? gather(&x) : MECH_ERR_ARGUMENT;
    if (status == MECH_OK) {
        status = fmu_package(path, x.files, x.count, why, sizeof why);
        if (status != MECH_OK) refuse(&x, status, "%s", why);
    }
    if (options.made) {
        x.made.size = options.made->size;
        memcpy(options.made, &x.made, x.made.size < sizeof x.made ? x.made.size : sizeof x.made);
    }
    fmu_binary_remove(&x.code, &x.compiled);
    fmu_code_free(&x.code);
    mech_text_free(x.description);
    text_free(&x.values);
    mem_free(x.files);
    arena_free(&x.memory);
    return status;
}
