/* Files that are written aside as PATH.part and take their name when they are whole. */
#ifndef BASE_ASIDE_H
#define BASE_ASIDE_H

#include <mech/base.h>

#include <stddef.h>

/* Whether PATH may be replaced: it does not exist, or is a regular file (a device, pipe or folder is not). */
int aside_may_replace(const char *path);
/* New text PATH.part; NULL when out of memory. */
char *aside_path(const char *path);
/* All bytes into an open file: 1, or 0. */
int aside_write(int file, const char *bytes, size_t size);
/* PATH.part onto disk and renamed to PATH. */
mech_status aside_commit(const char *part, const char *path);
/* The same if all went well so far; where it did not, or does not now, PATH.part goes. */
mech_status aside_finish(mech_status status, const char *part, const char *path);
/* All of it: bytes as PATH.part, and then PATH. links: as of system_open, for PATH.part. */
mech_status aside_put(const char *part, const char *path, const char *bytes, size_t size, int links);

#endif
