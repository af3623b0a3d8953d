/* Whole files, and paths beside the file that names them. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/arena.h"

#include <mech/base.h>

enum { FILE_MOST_BYTES = 64 * 1024 * 1024 };

/* `file` as seen from `directory`, in the arena, with "./" and "x/.." taken out; NULL when out of memory. */
const char *file_path(arena *memory, const char *directory, const char *file);
/* The folder part of a path, in the arena: "" when there is none. */
const char *file_directory(arena *memory, const char *path);
/* The whole of a regular file (new, mem_free); *problem says what failed. */
mech_status file_read(const char *path, char **text, size_t *length, const char **problem);
/* The same; what failed goes to the diagnostics: "the WHAT cannot be read: ...". */
mech_status file_read_or_say(const char *path, const char *what, mech_diagnostics *diagnostics, char **text,
                             size_t *length);

#endif
