/* The bytes of a saved run in a file that is whole or not there. */
#include <mech/output.h>

#include "base/mem.h"
#include "base/aside.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

mech_status mech_checkpoint_write(const char *path, const char *bytes, size_t size)
{
    char *part = aside_path(path);
    if (!part) return MECH_ERR_MEMORY;
    const int flags = O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC;
    const int file = aside_may_replace(path) ? open(part, flags, 0666) : -1;
    mech_status status = file >= 0 ? MECH_OK : MECH_ERR_FILE;
    if (file >= 0) {
        const int done = aside_write(file, bytes, size);
        status = aside_finish(close(file) == 0 && done ? MECH_OK : MECH_ERR_FILE, part, path);
    }
    mem_free(part);
    return status;
}

static mech_status read_whole(int file, char **bytes, size_t *size)
{
    struct stat about;
    if (fstat(file, &about) != 0 || !S_ISREG(about.st_mode)) return MECH_ERR_FILE;
    const size_t length = (size_t)about.st_size;
    char *read_bytes = mem_alloc(length);
    if (!read_bytes) return MECH_ERR_MEMORY;
    for (size_t at = 0; at < length;) {
        const ssize_t got = read(file, read_bytes + at, length - at);
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) {
            mem_free(read_bytes);
            return MECH_ERR_FILE;
        }
        at += (size_t)got;
    }
    *bytes = read_bytes;
    *size = length;
    return MECH_OK;
}

mech_status mech_checkpoint_read(const char *path, char **bytes, size_t *size)
{
    *bytes = NULL;
    *size = 0;
    const int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) return MECH_ERR_FILE;
    const mech_status status = read_whole(file, bytes, size);
    close(file);
    return status;
}
