/* A unit: description, text, the files that it reads, and the binary. */
#include "fmu/fmu.h"

#include "base/arena.h"
#include "base/diagnostics.h"
#include "base/mem.h"
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
    x->files[x->count++] = (fmu_file){.name = name, .path = path};
    return MECH_OK;
}

static mech_status gather(export *x)
{
    const mech_fmu_options *o = x->options;
    const char *name = o->name ? o->name : "model";
    size_t length, files = 0;
    const char *text = diagnostics_source_text(x->model->diagnostics, 1, &length);
    if (!text) return refuse(x, MECH_ERR_ARGUMENT, "%s", "the system was not made from a text");
    const char *obstacle = o->kinds & MECH_FMU_EXCHANGE ? exchange_obstacle(x->system) : NULL;
    if (obstacle) return refuse(x, MECH_ERR_UNSUPPORTED, "the model is not for model exchange: %s", obstacle);
    while (mech_system_file(x->system, files)) files++;
    x->files = mem_zeroed(FIXED + files, sizeof *x->files);
    mech_status status = x->files ? fmu_list_values(x->system, o, &x->values) : MECH_ERR_MEMORY;
    if (status == MECH_OK) status = fmu_describe(x->system, o, x->values.data, &x->description);
    if (status != MECH_OK) return status;
    const char *binary =
        arena_format(&x->memory, o->fmi == 2 ? "binaries/linux64/%s.so" : "binaries/x86_64-linux/%s.so", name);
    if (!binary) return MECH_ERR_MEMORY;
    x->files[x->count++] =
        (fmu_file){.name = "modelDescription.xml", .data = x->description, .length = strlen(x->description)};
    x->files[x->count++] = (fmu_file){.name = FMU_TEXT, .data = text, .length = length};
    x->files[x->count++] = (fmu_file){.name = FMU_VALUES, .data = x->values.data, .length = x->values.length};
    x->files[x->count++] = (fmu_file){.name = binary, .path = o->binary};
    for (size_t i = 1; i < files && status == MECH_OK; i++) status = add_file(x, mech_system_file(x->system, i));
    return status;
}

mech_status mech_export_fmu(const mech_system *system, const char *path, const mech_fmu_options *given,
                            mech_diagnostics *diagnostics)
{
    char why[600];
    mech_fmu_options options;
    if (!system || !path || !given) return MECH_ERR_ARGUMENT;
    fmu_take_options(&options, given);
    if ((options.fmi != 2 && options.fmi != 3) || options.kinds == 0) return MECH_ERR_ARGUMENT;
    export x = {.system = system, .model = system_model(system), .options = &options, .diagnostics = diagnostics};
    mech_status status = x.model && options.binary ? gather(&x) : MECH_ERR_ARGUMENT;
    if (status == MECH_OK) {
        status = fmu_package(path, x.files, x.count, why, sizeof why);
        if (status != MECH_OK) refuse(&x, status, "%s", why);
    }
    mech_text_free(x.description);
    text_free(&x.values);
    mem_free(x.files);
    arena_free(&x.memory);
    return status;
}
