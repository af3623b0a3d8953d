/* Exported C on disk: the folder it is written to, and its files as `made`. */
#ifndef TESTS_EXPORTED_H
#define TESTS_EXPORTED_H

#include <mech/output.h>

#include "check.h"

#include <stdio.h>

static char folder[200];

static inline void exported_text(const char *name, const char *text)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
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

#endif
