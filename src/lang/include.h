/* Files: whole texts, paths beside the file that names them, includes. */
#ifndef LANG_INCLUDE_H
#define LANG_INCLUDE_H

#include "lang/parser.h"

/* The statements of an included file; errors are reported at span. */
lang_statement *lang_include(lang_parser *p, const char *file, mech_span span);
/* `file` as seen from `directory`, in the arena, with "./" and "x/.." taken out; NULL when out of memory. */
const char *lang_path(arena *memory, const char *directory, const char *file);
/* The folder part of a path, in the arena: "" when there is none. */
const char *lang_directory(arena *memory, const char *path);
/* The whole of a regular file (new, mem_free); *problem says what failed. */
mech_status lang_read_whole(const char *path, char **text, size_t *length, const char **problem);

#endif
