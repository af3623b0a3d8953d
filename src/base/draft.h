/* Files that are written as a draft, PATH.part, and take their name when they are whole. */
#ifndef BASE_DRAFT_H
#define BASE_DRAFT_H

#include <mech/base.h>

#include <stddef.h>

/* Whether PATH may be replaced: it does not exist, or is a regular file (a device, pipe or folder is not). */
int draft_may_replace(const char *path);
/* New text PATH.part; NULL when out of memory. */
char *draft_path(const char *path);
/* All bytes into an open file: 1, or 0. */
int draft_write(int file, const char *bytes, size_t size);
/* PATH.part onto disk and renamed to PATH. */
mech_status draft_commit(const char *part, const char *path);
/* The same if all went well so far; where it did not, or does not now, PATH.part goes. */
mech_status draft_finish(mech_status status, const char *part, const char *path);
/* All of it: bytes as PATH.part, and then PATH. links: as of system_open, for PATH.part. */
mech_status draft_put(const char *part, const char *path, const char *bytes, size_t size, int links);

#endif
