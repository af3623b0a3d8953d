/* In place of the files of POSIX: system.h; locks, of which there are none; programs, of which none is started. */
#include "base/lock.h"
#include "base/spawn.h"
#include "base/system.h"

#include <errno.h>
#include <io.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <windows.h>

int system_open(const char *path, int flags, int links)
{
    (void)links;
    return _open(path, flags | O_BINARY | O_NOINHERIT, _S_IREAD | _S_IWRITE);
}

/* Counts have 32 bits here; who asks for more asks again. */
ssize_t system_read(int file, void *bytes, size_t count)
{
    return _read(file, bytes, count > INT_MAX ? INT_MAX : (unsigned)count);
}

ssize_t system_write(int file, const void *bytes, size_t count)
{
    return _write(file, bytes, count > INT_MAX ? INT_MAX : (unsigned)count);
}

/* One thread has a file: the place may be moved. */
ssize_t system_read_at(int file, void *bytes, size_t count, uint64_t offset)
{
    if (_lseeki64(file, (int64_t)offset, SEEK_SET) < 0) return -1;
    return system_read(file, bytes, count);
}

ssize_t system_write_at(int file, const void *bytes, size_t count, uint64_t offset)
{
    if (_lseeki64(file, (int64_t)offset, SEEK_SET) < 0) return -1;
    return system_write(file, bytes, count);
}

/* What is open for reading alone cannot be told to go to disk. */
int system_sync(int file) { return _commit(file) == 0 || errno == EBADF; }

int system_rename(const char *from, const char *to)
{
    return MoveFileExA(from, to, MOVEFILE_REPLACE_EXISTING | MOVEFILE_WRITE_THROUGH) != 0;
}

int system_is_free_or_file(const char *path)
{
    struct stat about;
    return stat(path, &about) != 0 || S_ISREG(about.st_mode);
}

size_t system_processors(void)
{
    SYSTEM_INFO about;
    GetSystemInfo(&about);
    return about.dwNumberOfProcessors > 0 ? about.dwNumberOfProcessors : 1;
}

lock_answer lock_file(int file)
{
    (void)file;
    return LOCK_NONE;
}

lock_answer lock_file_at(int file, const char *path)
{
    (void)path;
    return lock_file(file);
}

mech_status spawn_with_input(const char *const *arguments, const char *input, size_t length, const char *output)
{
    (void)arguments, (void)input, (void)length, (void)output;
    return MECH_ERR_UNSUPPORTED;
}
