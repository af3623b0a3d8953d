#include "base/aside.h"

#include "base/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int aside_may_replace(const char *path)
{
    struct stat about;
    if (*path == '\0') return 0;
    return lstat(path, &about) != 0 || S_ISREG(about.st_mode);
}

char *aside_path(const char *path)
{
    const size_t length = strlen(path);
    char *part = mem_alloc(length + sizeof ".part");
    if (!part) return NULL;
    memcpy(part, path, length);
    memcpy(part + length, ".part", sizeof ".part");
    return part;
}

mech_status aside_commit(const char *part, const char *path)
{
    const int file = aside_may_replace(path) ? open(part, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) return MECH_ERR_FILE;
    const int synced = fsync(file);
    const int closed = close(file);
    return synced == 0 && closed == 0 && rename(part, path) == 0 ? MECH_OK : MECH_ERR_FILE;
}

mech_status aside_finish(mech_status status, const char *part, const char *path)
{
    if (status == MECH_OK) status = aside_commit(part, path);
    if (status != MECH_OK) (void)unlink(part);
    return status;
}

int aside_write(int file, const char *at, size_t left)
{
    while (left > 0) {
        const ssize_t written = write(file, at, left);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return 0;
        at += written;
        left -= (size_t)written;
    }
    return 1;
}
