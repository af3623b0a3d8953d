/* The cache of compiled code: files named by what they were made from, with a checksum at their end. */
#ifndef COMPILE_CACHE_NATIVE_H
#define COMPILE_CACHE_NATIVE_H

#include <stddef.h>
#include <stdint.h>

enum { CACHE_PATH = 1024, CACHE_NAME = 33 };

typedef struct cache_hash {
    uint64_t a, b;
} cache_hash;

void cache_hash_start(cache_hash *h);
void cache_hash_add(cache_hash *h, const void *data, size_t length);
/* 32 hexadecimal digits. */
void cache_hash_name(const cache_hash *h, char name[CACHE_NAME]);

/* The folder for a setting (see native_settings), made when it is missing; 1 when it is there, ours alone to
   write, and its path fits. */
int cache_folder(const char *setting, char path[CACHE_PATH]);
/* 1 when path is a whole file of ours: a plain file, not writable by others, whose checksum stands. */
int cache_is_sound(const char *path);
/* Folders in the cache where a compiler works: mkdtemp's template, and what is written there. */
#define CACHE_WORK "mech.XXXXXX"
#define CACHE_SOURCE "m.c"
#define CACHE_OBJECT "m.so"
#define CACHE_TEMPORARY "tmp" /* a folder for the compiler's own files, which it leaves when it is killed */
enum { CACHE_TAKEN = -2 };
/* Holds a new folder of work against cache_clear_leftovers in other processes. Returns a file to be closed
   when the folder is removed; -1: it cannot be held here, nor cleared; CACHE_TAKEN: it was cleared just now,
   make another. */
int cache_hold(const char *path);
/* Removes a folder of work, which the caller holds or nobody else knows: the files above, and all files in
   its temporary folder. With others in it, it stays. */
void cache_remove_work(const char *path);
/* Removes the folders of work in the cache that nobody holds: their processes were killed. */
void cache_clear_leftovers(const char *folder);
/* Appends the checksum. */
int cache_seal(const char *path);

#endif
