#include "base/system.h"

#include <stdio.h>
#include <sys/stat.h>

int system_open(const char *path, int flags, int links)
{
    const int waits = (flags & O_ACCMODE) == O_RDONLY ? O_NONBLOCK : 0; /* a pipe without a writer, say */
    return open(path, flags | O_CLOEXEC | waits | (links == SYSTEM_NO_LINK ? O_NOFOLLOW : 0), 0666);
}

ssize_t system_read(int file, void *bytes, size_t count) { return read(file, bytes, count); }

ssize_t system_write(int file, const void *bytes, size_t count) { return write(file, bytes, count); }

ssize_t system_read_at(int file, void *bytes, size_t count, uint64_t offset)
{
    return pread(file, bytes, count, (off_t)offset);
}

ssize_t system_write_at(int file, const void *bytes, size_t count, uint64_t offset)
{
    return pwrite(file, bytes, count, (off_t)offset);
}

int system_sync(int file) { return fsync(file) == 0; }

int system_rename(const char *from, const char *to) { return rename(from, to) == 0; }

int system_is_free_or_file(const char *path)
{
    struct stat about;
    return lstat(path, &about) != 0 || S_ISREG(about.st_mode);
}

size_t system_processors(void)
{
    const long count = sysconf(_SC_NPROCESSORS_ONLN);
    return count > 0 ? (size_t)count : 1;
}
