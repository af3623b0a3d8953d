#include "output/aside.h"

#include "base/mem.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

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
    const int file = open(part, O_RDONLY | O_CLOEXEC);
    if (file < 0) return MECH_ERR_FILE;
    const int synced = fsync(file);
    const int closed = close(file);
    return synced == 0 && closed == 0 && rename(part, path) == 0 ? MECH_OK : MECH_ERR_FILE;
}
