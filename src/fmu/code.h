/* Units for model exchange in C: docs/decisions/0043-units-in-c.md. */
#ifndef FMU_CODE_H
#define FMU_CODE_H

#include "fmu/fmu.h"

#include "base/arena.h"

/* The texts that are the same for all: fmu/fmi2.c, fmi3.c, instance.h and those of fmu/source, put in by the build
   (cmake/embed.cmake). */
extern const char fmu_text_fmi2[], fmu_text_fmi3[], fmu_text_instance_h[];
extern const char fmu_text_instance_c[], fmu_text_onto_c[], fmu_text_events_c[], fmu_text_within_h[];

enum { FMU_CODE_FILES = 16 };
typedef struct fmu_code {
    fmu_file files[FMU_CODE_FILES]; /* sources/... */
    int is_source[FMU_CODE_FILES];  /* 1: to be compiled */
    size_t count;
    size_t indicators; /* of events */
    /* its own */
    char *texts[FMU_CODE_FILES];
    arena memory;
    int failed;
} fmu_code;

/* NULL, or in words why there is no code. Static. */
const char *fmu_code_obstacle(const mech_system *system);
const char *fmu_code_name_obstacle(const char *name);
/* New code, freed with fmu_code_free, of a system without obstacle. MECH_ERR_LIMIT: it would be too long. */
MECH_MUST_CHECK mech_status fmu_code_make(const mech_system *system, int fmi, const char *name, const char *token,
                                          double gain, fmu_code *made);
void fmu_code_free(fmu_code *code);

/* binary_native.c: the code compiled for this machine, in a folder of its own: the path of the binary, and the folder,
   which is removed with fmu_binary_remove. MECH_ERR_UNSUPPORTED: there is no compiler, or it fails: why, in words that
   stay. */
enum { FMU_PATH = 1024 };
typedef struct fmu_binary {
    char folder[FMU_PATH], path[FMU_PATH + 16];
} fmu_binary;
MECH_MUST_CHECK mech_status fmu_binary_make(const fmu_code *code, int fmi, fmu_binary *made, const char **why);
void fmu_binary_remove(const fmu_code *code, fmu_binary *made);

#endif
