#include "guard.h"

#include "cli.h"
#include "say.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LONGEST = PATH_MAX + 8 };

/* The folder a name lies in; 0: the name is too long to be one. */
static int folder_of(const char *path, char *folder, size_t size)
{
    const char *slash = strrchr(path, '/');
    const size_t length = !slash ? 0 : slash == path ? 1 : (size_t)(slash - path);
    return snprintf(folder, size, "%.*s", length ? (int)length : 1, length ? path : ".") < (int)size;
}

static const char *name_in_folder(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static int is_one(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

int guard_is_same(const char *a, const char *b)
{
    char folder[2][LONGEST];
    struct stat x, y;
    if (strcmp(a, b) == 0) return 1;
    if (stat(a, &x) == 0 && stat(b, &y) == 0) return is_one(&x, &y);
    if (strcmp(name_in_folder(a), name_in_folder(b)) != 0) return 0;
    if (!folder_of(a, folder[0], LONGEST) || !folder_of(b, folder[1], LONGEST)) return 0;
    return stat(folder[0], &x) == 0 && stat(folder[1], &y) == 0 && is_one(&x, &y);
}

/* ---- names ---- */

/* The names a file is written under: 1 or 2. */
static int names_of(const guard_file *f, char part[LONGEST], const char *names[2])
{
    names[0] = names[1] = f->path;
    const int fits = snprintf(part, LONGEST, "%s.part", f->path) < LONGEST;
    if (fits) names[1] = part;
    return names[1] == names[0] ? 1 : 2;
}

static int is_read(const char *path, const mech_system *system, const char *const *reads)
{
    for (; reads && *reads; reads++)
        if (guard_is_same(path, *reads)) return 1;
    const char *file;
    for (size_t i = 0; system && (file = mech_system_file(system, i)); i++)
        if (guard_is_same(path, file)) return 1;
    return 0;
}

static int keeps_off_reads(const char *word, const mech_system *system, const char *const *reads, const guard_file *f)
{
    char part[LONGEST];
    const char *names[2];
    for (int i = 0, count = names_of(f, part, names); i < count; i++) {
        if (!is_read(names[i], system, reads)) continue;
        say("mech %s: %s would be written to '%s', which this command reads: name another file with %s\n", word,
            f->what, names[i], f->option);
        return 0;
    }
    return 1;
}

static int keeps_off(const char *word, const guard_file *f, const guard_file *earlier)
{
    char parts[2][LONGEST];
    const char *ours[2], *theirs[2];
    const int our_count = names_of(f, parts[0], ours), their_count = names_of(earlier, parts[1], theirs);
    for (int i = 0; i < our_count; i++)
        for (int k = 0; k < their_count; k++) {
            if (!guard_is_same(ours[i], theirs[k])) continue;
            say("mech %s: %s and %s would both be written to '%s': name another file with %s\n", word, earlier->what,
                f->what, ours[i], f->option);
            return 0;
        }
    return 1;
}

/* ---- whether it can be written ---- */

static const char *folder_obstacle(const char *path, char *buffer, size_t size)
{
    char folder[LONGEST];
    struct stat about;
    if (!folder_of(path, folder, sizeof folder)) return strerror(ENAMETOOLONG);
    if (stat(folder, &about) != 0)
        snprintf(buffer, size, errno == ENOENT ? "there is no folder '%s'" : "the folder '%s' cannot be seen", folder);
    else if (!S_ISDIR(about.st_mode)) snprintf(buffer, size, "'%s' is not a folder", folder);
    else if (access(folder, W_OK | X_OK) != 0)
        snprintf(buffer, size, "the folder '%s' cannot be written to: %s", folder, strerror(errno));
    else return NULL;
    return buffer;
}

/* Why a file of this name cannot be written, in words; NULL: it can, as far as names go. */
static const char *obstacle_to(const char *path, char *buffer, size_t size)
{
    struct stat about, behind;
    if (*path == '\0') return "a file has a name";
    if (lstat(path, &about) != 0) {
        const int cause = errno;
        const char *folder = folder_obstacle(path, buffer, size);
        return folder || cause == ENOENT ? folder : strerror(cause);
    }
    if (S_ISREG(about.st_mode)) return folder_obstacle(path, buffer, size);
    if (S_ISDIR(about.st_mode)) return "it is a folder";
    if (!S_ISLNK(about.st_mode)) return "it is not a regular file";
    return stat(path, &behind) == 0 ? "it is a symbolic link, and links are not written through"
                                    : "it is a symbolic link to something that is not there";
}

/* 1, or 0 after a message. Also of PATH.part: through a link there, another file would be written. */
static int can_be_written(const char *word, const guard_file *f)
{
    char part[LONGEST], why[2 * LONGEST];
    const char *names[2];
    for (int i = 0, count = names_of(f, part, names); i < count; i++) {
        const char *obstacle = obstacle_to(names[i], why, sizeof why);
        if (!obstacle) continue;
        say("mech %s: '%s' cannot be written: %s\n", word, names[i], obstacle);
        return 0;
    }
    return 1;
}

int guard_files(const char *word, const mech_system *system, const char *const *reads, const guard_file *writes,
                size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!writes[i].path) continue;
        if (!keeps_off_reads(word, system, reads, &writes[i])) return EXIT_USAGE;
        for (size_t k = 0; k < i; k++)
            if (writes[k].path && !keeps_off(word, &writes[i], &writes[k])) return EXIT_USAGE;
    }
    for (size_t i = 0; i < count; i++) {
        const guard_file *f = &writes[i];
        if (f->path && !f->in_new_folder && !f->may_fail && !can_be_written(word, f)) return EXIT_NUMBERS;
    }
    return EXIT_OK;
}
