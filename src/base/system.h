/* What differs between operating systems: files by number, processors. system_posix.c, system_windows.c. */
#ifndef BASE_SYSTEM_H
#define BASE_SYSTEM_H

#include <stddef.h>
#include <stdint.h>

#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

/* open() with O_RDONLY, O_WRONLY or O_RDWR, O_CREAT and O_TRUNC: bytes as they are, not handed to programs that are
   started, never waiting for another end. SYSTEM_NO_LINK: not through a symbolic link. */
enum { SYSTEM_FOLLOWS_LINKS, SYSTEM_NO_LINK };
int system_open(const char *path, int flags, int links);
/* read() and write(), where the file stands and at a place of it. */
ssize_t system_read(int file, void *bytes, size_t count);
ssize_t system_write(int file, const void *bytes, size_t count);
ssize_t system_read_at(int file, void *bytes, size_t count, uint64_t offset);
ssize_t system_write_at(int file, const void *bytes, size_t count, uint64_t offset);
/* 1: what was written is on its disk. */
int system_sync(int file);
/* 1: `from` has taken the name `to`, in place of what had it. */
int system_rename(const char *from, const char *to);
/* 1: nothing stands at the path, or a regular file that is no link. */
int system_is_free_or_file(const char *path);
/* At least 1. */
size_t system_processors(void);

#endif
