/* The bytes of a saved run in a file that is whole or not there. */
#include <mech/output.h>

#include "base/mem.h"
#include "base/draft.h"
#include "base/system.h"

#include <errno.h>
#include <sys/stat.h>

mech_status mech_checkpoint_write(const char *path, const char *bytes, size_t size)
{
    char *part = draft_path(path);
    if (!part) return MECH_ERR_MEMORY;
    const mech_status status = draft_put(part, path, bytes, size, SYSTEM_NO_LINK);
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
        const ssize_t got = system_read(file, read_bytes + at, length - at);
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
    const int file = system_open(path, O_RDONLY, SYSTEM_FOLLOWS_LINKS);
    if (file < 0) return MECH_ERR_FILE;
    const mech_status status = read_whole(file, bytes, size);
    close(file);
    return status;
}
