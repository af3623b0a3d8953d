#include "base/draft.h"

#include "base/mem.h"
#include "base/system.h"

#include <errno.h>
#include <string.h>

int draft_may_replace(const char *path) { return *path != '\0' && system_is_free_or_file(path); }

char *draft_path(const char *path)
{
    const size_t length = strlen(path);
    char *part = mem_alloc(length + sizeof ".part");
    if (!part) return NULL;
    memcpy(part, path, length);
    memcpy(part + length, ".part", sizeof ".part");
    return part;
}

mech_status draft_commit(const char *part, const char *path)
{
    const int file = draft_may_replace(path) ? system_open(part, O_RDONLY, SYSTEM_FOLLOWS_LINKS) : -1;
    if (file < 0) return MECH_ERR_FILE;
    const int synced = system_sync(file);
    const int closed = close(file);
    return synced && closed == 0 && system_rename(part, path) ? MECH_OK : MECH_ERR_FILE;
}

mech_status draft_finish(mech_status status, const char *part, const char *path)
{
    if (status == MECH_OK) status = draft_commit(part, path);
    if (status != MECH_OK) (void)unlink(part);
    return status;
}

int draft_write(int file, const char *at, size_t left)
{
    while (left > 0) {
        const ssize_t written = system_write(file, at, left);
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return 0;
        at += written;
        left -= (size_t)written;
    }
    return 1;
}

mech_status draft_put(const char *part, const char *path, const char *bytes, size_t size, int links)
{
    const int file = draft_may_replace(path) ? system_open(part, O_WRONLY | O_CREAT | O_TRUNC, links) : -1;
    if (file < 0) return MECH_ERR_FILE;
    const int is_written = draft_write(file, bytes, size);
    const int is_closed = close(file) == 0;
    return draft_finish(is_written && is_closed ? MECH_OK : MECH_ERR_FILE, part, path);
}
