/* Every shipped model, read and made a system. */
#ifndef TESTS_SUPPORT_SHIPPED_H
#define TESTS_SUPPORT_SHIPPED_H

#include <mech/lang.h>
#include <mech/system.h>

#include "check.h"
#include "support/random_numbers.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>

typedef void (*shipped_test)(const char *path, mech_model *model, mech_system *system);

static inline void shipped_model(const char *path, shipped_test test)
{
    mech_diagnostics *diagnostics = mech_diagnostics_create();
    mech_model *model = NULL;
    mech_system *system = NULL;
    CHECK(mech_read_file(path, NULL, diagnostics, &model) == MECH_OK);
    if (model) CHECK(mech_system_from_model(model, diagnostics, &system) == MECH_OK);
    if (system) test(path, model, system);
    mech_system_free(system);
    mech_model_free(model);
    mech_diagnostics_free(diagnostics);
}

static inline void shipped_models(shipped_test test)
{
    glob_t files;
    CHECK(glob("examples/*/*.mech", 0, NULL, &files) == 0);
    for (size_t i = 0; i < files.gl_pathc; i++) shipped_model(files.gl_pathv[i], test);
    globfree(&files);
}

/* A test's main: the seed is the first argument, or the usual one. */
static inline int shipped_main(int argc, char **argv, shipped_test test)
{
    if (argc > 1) random_state = strtoull(argv[1], NULL, 10);
    printf("seed %llu\n", (unsigned long long)random_state);
    shipped_models(test);
    return check_report();
}

#endif
