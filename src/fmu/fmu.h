/* What a unit's description and its binary must agree on. */
#ifndef FMU_FMU_H
#define FMU_FMU_H

#include <mech/fmu.h>

#include "base/text.h"

/* Variables are numbered kind after kind; value references are these numbers. */
typedef enum fmu_kind {
    FMU_TIME,
    FMU_PARAM,
    FMU_INPUT,
    FMU_OUTPUT,
    FMU_COORD,
    FMU_VELOCITY,
    FMU_STATE,
    FMU_KINDS
} fmu_kind;
typedef struct fmu_variable {
    fmu_kind kind; /* FMU_KINDS: there is no such variable */
    size_t index;
} fmu_variable;
size_t fmu_count(const mech_system *system, fmu_kind kind);
fmu_variable fmu_variable_at(const mech_system *system, size_t reference);

/* Names the text and the values it is read with: what an importer hands to the binary. */
enum { FMU_TOKEN = 40 };
void fmu_token(const char *text, size_t length, const char *values, char token[FMU_TOKEN]);

/* Files within the unit. The values: lines NAME=VALUE. */
#define FMU_TEXT "resources/model.mech"
#define FMU_VALUES "resources/values.txt"
/* The lines of the overrides. */
void fmu_add_values(textbuf *to, const mech_override *overrides, size_t count);

/* package_zip.c: files in memory or on disk become one. */
typedef struct fmu_file {
    const char *name; /* in the unit */
    const char *data; /* its bytes, or NULL: those of the file `path` */
    size_t length;
    const char *path;
} fmu_file;
MECH_MUST_CHECK mech_status fmu_package(const char *path, const fmu_file *files, size_t count, char *why, size_t size);

#endif
