/* Exported C on disk: the folder it is written to, and its files as `made`. */
#ifndef TESTS_EXPORTED_H
#define TESTS_EXPORTED_H

#include <mech/output.h>

#include "check.h"

#include <dlfcn.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[200];

static inline void exported_text(const char *name, const char *text)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    CHECK(file && fputs(text, file) >= 0);
    if (file) fclose(file);
}

/* What a test adds to the code; NULL: nothing. */
static const char *exported_more;

static inline void exported_add(const char *name, const char *text)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "a");
    CHECK(file && fputs(text, file) >= 0);
    if (file) fclose(file);
}

static inline void exported_write(const mech_exported *files)
{
    exported_text("made.h", files->header);
    exported_text("made.c", files->source);
    exported_text("made_main.c", files->main);
    exported_text("fundamental/small.h", files->small_h);
    exported_text("fundamental/small.c", files->small_c);
}

/* As a program and as a library, without a warning. */
static inline int exported_compile(const char *flags)
{
    char command[2000];
    snprintf(
        command, sizeof command,
        "cd %s && cc -std=c99 -Wall -Wextra -Werror -Wconversion -Wmissing-prototypes %s -I. -fPIC -c made.c fundamental/small.c && "
        "cc -std=c99 -Wall -Wextra -Werror -I. -c made_main.c && cc made_main.o made.o small.o -lm -o run && "
        "cc -shared made.o small.o -lm -o made.so",
        folder, flags);
    return system(command) == 0;
}

/* The library of a system's code, double or float. */
static inline void *exported_load(const mech_system *of, int is_single, const char *flags)
{
    mech_exported files;
    char path[300];
    const mech_export_start start = {.size = sizeof start, .is_single = is_single};
    CHECK(mech_export_c(of, "made", &start, &files) == MECH_OK);
    exported_write(&files);
    mech_exported_free(&files);
    if (exported_more) exported_add("made.c", exported_more);
    CHECK(exported_compile(flags));
    snprintf(path, sizeof path, "%s/made.so", folder);
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    CHECK(library != NULL);
    unlink(path);
    return library;
}

static inline void exported_begin(void)
{
    char path[300];
    const char *base = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/mech-export.XXXXXX", base ? base : "/tmp");
    CHECK(mkdtemp(folder) != NULL);
    snprintf(path, sizeof path, "%s/fundamental", folder);
    CHECK(mkdir(path, 0700) == 0);
}

static inline void exported_end(void)
{
    char path[300];
    snprintf(path, sizeof path, "rm -rf %s", folder);
    CHECK(system(path) == 0);
}

/* By how much x is off y, as a part of its largest entry. */
static inline double difference(const double *x, const double *y, size_t count)
{
    double most = 0, size = 1e-300;
    for (size_t i = 0; i < count; i++) {
        most = fmax(most, fabs(x[i] - y[i]));
        size = fmax(size, fabs(y[i]));
    }
    return most / size;
}

#endif
