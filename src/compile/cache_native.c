/* Files of the cache. Whoever else may have written there, nothing is loaded that is not ours and whole. */
#include "compile/cache_native.h"

#include "base/lock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void cache_hash_start(cache_hash *h) { *h = (cache_hash){UINT64_C(0xcbf29ce484222325), UINT64_C(0x9ae16a3b2f90404f)}; }

void cache_hash_add(cache_hash *h, const void *data, size_t length)
{
    const unsigned char *c = data;
    for (size_t i = 0; i < length; i++) {
        h->a = (h->a ^ c[i]) * UINT64_C(0x100000001b3);
        h->b = (h->b + c[i] + 1) * UINT64_C(0x9E3779B97F4A7C15);
        h->b ^= h->b >> 29;
    }
    h->a = (h->a ^ length) * UINT64_C(0x100000001b3);
    h->b ^= h->a >> 31;
}

void cache_hash_name(const cache_hash *h, char name[CACHE_NAME])
{
    snprintf(name, CACHE_NAME, "%016llx%016llx", (unsigned long long)h->a, (unsigned long long)h->b);
}

/* ---- the folder ---- */

static int join(char *to, const char *folder, const char *rest)
{
    const int length = snprintf(to, CACHE_PATH, "%s%s", folder, rest);
    return length > 0 && length < CACHE_PATH;
}

static int is_ours(const char *path, mode_t type)
{
    struct stat s;
    if (lstat(path, &s) != 0 || (s.st_mode & S_IFMT) != type) return 0;
    return s.st_uid == geteuid() && (s.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

static int make_folder(const char *path)
{
    return (mkdir(path, 0700) == 0 || errno == EEXIST) && is_ours(path, S_IFDIR);
}

int cache_folder(const char *setting, char path[CACHE_PATH])
{
    if (setting && !*setting) return 0;
    if (setting) return setting[0] == '/' && join(path, setting, "") && make_folder(path);
    const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (base && base[0] == '/') { /* the standard says to ignore a relative one */
        (void)mkdir(base, 0700);
        return join(path, base, "/mechanician") && make_folder(path);
    }
    if (!home || home[0] != '/' || !join(path, home, "/.cache")) return 0;
    (void)mkdir(path, 0700);
    return join(path, home, "/.cache/mechanician") && make_folder(path);
}

/* ---- where compilers work ---- */

/* Whoever removes a folder holds it meanwhile, so nobody waits: who finds it held goes away. Where there are
   no locks nothing is held, and nothing removed. */
static int open_folder(int at, const char *path)
{
    return openat(at, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

int cache_hold(const char *path)
{
    const int file = open_folder(AT_FDCWD, path);
    if (file < 0) return errno == ENOENT ? CACHE_TAKEN : -1;
    const lock_answer answer = lock_file_at(file, path);
    if (answer == LOCK_HELD) return file;
    close(file);
    return answer == LOCK_TAKEN ? CACHE_TAKEN : -1;
}

/* The files of a folder, whatever they are called, and the folder. */
static void remove_temporary(int work)
{
    const int file = open_folder(work, CACHE_TEMPORARY);
    DIR *folder = file >= 0 ? fdopendir(file) : NULL;
    for (const struct dirent *entry; folder && (entry = readdir(folder));) (void)unlinkat(file, entry->d_name, 0);
    if (folder) closedir(folder);
    else if (file >= 0) close(file);
    (void)unlinkat(work, CACHE_TEMPORARY, AT_REMOVEDIR);
}

static void remove_work(int parent, const char *path, int work)
{
    (void)unlinkat(work, CACHE_SOURCE, 0);
    (void)unlinkat(work, CACHE_OBJECT, 0);
    remove_temporary(work);
    (void)unlinkat(parent, path, AT_REMOVEDIR); /* with files that are not ours in it, it stays */
}

void cache_remove_work(const char *path)
{
    const int file = open_folder(AT_FDCWD, path);
    if (file < 0) return;
    remove_work(AT_FDCWD, path, file);
    close(file);
}

static void clear_leftover(int cache, const char *name)
{
    const int file = open_folder(cache, name);
    if (file < 0) return;
    if (lock_file(file) == LOCK_HELD) remove_work(cache, name, file);
    close(file);
}

void cache_clear_leftovers(const char *folder)
{
    const size_t length = strlen(CACHE_WORK), fixed = strcspn(CACHE_WORK, "X");
    DIR *cache = opendir(folder);
    for (const struct dirent *entry; cache && (entry = readdir(cache));)
        if (strlen(entry->d_name) == length && strncmp(entry->d_name, CACHE_WORK, fixed) == 0)
            clear_leftover(dirfd(cache), entry->d_name);
    if (cache) closedir(cache);
}

/* ---- checksums ---- */

typedef struct seal {
    char word[8];
    cache_hash hash;
} seal;

static const char seal_word[8] = {'M', 'E', 'C', 'H', 'S', 'E', 'A', 'L'};

/* The checksum of the first `length` bytes of an open file; -1: it cannot be read. */
static int sum_of(int file, size_t length, cache_hash *h)
{
    char buffer[16384];
    cache_hash_start(h);
    while (length > 0) {
        const size_t part = length < sizeof buffer ? length : sizeof buffer;
        size_t got = 0;
        while (got < part) {
            const ssize_t count = read(file, buffer + got, part - got);
            if (count < 0 && errno == EINTR) continue;
            if (count <= 0) return -1;
            got += (size_t)count;
        }
        cache_hash_add(h, buffer, part);
        length -= part;
    }
    return 0;
}

int cache_is_sound(const char *path)
{
    if (!is_ours(path, S_IFREG)) return 0;
    const int file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0) return 0;
    struct stat s;
    seal found = {{0}, {0, 0}};
    cache_hash h = {0, 0};
    int is_sound = fstat(file, &s) == 0 && s.st_size > (off_t)sizeof found;
    is_sound = is_sound && sum_of(file, (size_t)s.st_size - sizeof found, &h) == 0;
    is_sound = is_sound && read(file, &found, sizeof found) == (ssize_t)sizeof found;
    is_sound =
        is_sound && memcmp(found.word, seal_word, sizeof seal_word) == 0 && found.hash.a == h.a && found.hash.b == h.b;
    close(file);
    return is_sound;
}

int cache_seal(const char *path)
{
    const int file = open(path, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    if (file < 0) return 0;
    struct stat s;
    seal made;
    memcpy(made.word, seal_word, sizeof seal_word);
    int done = fstat(file, &s) == 0 && sum_of(file, (size_t)s.st_size, &made.hash) == 0;
    done = done && write(file, &made, sizeof made) == (ssize_t)sizeof made;
    done = fchmod(file, 0600) == 0 && done;
    return close(file) == 0 && done;
}
