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
    /* model exchange has these, too */
    FMU_ACCELERATION,
    FMU_RATE,      /* of states */
    FMU_SETTING,   /* fmu_setting */
    FMU_INDICATOR, /* described by FMI 3.0 alone */
    FMU_KINDS
} fmu_kind;
typedef struct fmu_variable {
    fmu_kind kind; /* FMU_KINDS: there is no such variable */
    size_t index;
} fmu_variable;
/* Parameters of the unit itself; their names have blanks, so that no model has them. */
typedef enum fmu_setting { FMU_GAIN, FMU_PROJECTION, FMU_SETTINGS } fmu_setting;
const char *fmu_setting_name(size_t setting);
size_t fmu_count(const mech_system *system, fmu_kind kind); /* indicators: of a unit over the library */
fmu_variable fmu_variable_at(const mech_system *system, size_t reference);

/* Names the text and the values it is read with: what an importer hands to the binary. */
enum { FMU_TOKEN = 40 };
void fmu_token(const char *text, size_t length, const char *values, char token[FMU_TOKEN]);

/* Files within the unit. The values: lines NAME=VALUE; for model exchange the excess gain is the first. */
#define FMU_TEXT "resources/model.mech"
#define FMU_VALUES "resources/values.txt"
/* A line of its own of a unit over C, which has another token than one over the library. */
#define FMU_OVER_C "over=c\n"
/* Its lines; gain 0: no model exchange. */
void fmu_add_values(textbuf *to, const mech_override *overrides, size_t count, double gain);
/* Of the lines: 0 where there is none. */
double fmu_gain(const char *values);

/* describe.c: with the values as the unit has them; code: that it is made of, or NULL. */
struct fmu_code;
MECH_MUST_CHECK mech_status fmu_describe(const mech_system *system, const mech_fmu_options *options, const char *values,
                                         const struct fmu_code *code, char **text);
/* Options as this library has them, from those of a caller that may know fewer; and the lines of the values. */
MECH_MUST_CHECK mech_status fmu_take_options(mech_fmu_options *into, const mech_fmu_options *given);
MECH_MUST_CHECK mech_status fmu_list_values(const mech_system *system, const mech_fmu_options *options,
                                            textbuf *values);

/* package_zip.c: files in memory or on disk become one. */
typedef struct fmu_file {
    const char *name; /* in the unit */
    const char *data; /* its bytes, or NULL: those of the file `path` */
    size_t length;
    const char *path;
} fmu_file;
MECH_MUST_CHECK mech_status fmu_package(const char *path, const fmu_file *files, size_t count, char *why, size_t size);

#endif
