/* Preloaded before a whole program: a disk that fails late. FAIL_CALL=fsync or rename: that call reports an input
   error, and FAIL_LOG=FILE receives an x for each. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int fails(const char *call)
{
    const char *which = getenv("FAIL_CALL"), *log = getenv("FAIL_LOG");
    if (!which || strcmp(which, call) != 0) return 0;
    const int file = log ? open(log, O_WRONLY | O_CREAT | O_APPEND, 0600) : -1;
    if (file >= 0 && write(file, "x", 1) == 1) close(file);
    errno = EIO;
    return 1;
}

int fsync(int file) { return fails("fsync") ? -1 : (int)syscall(SYS_fsync, file); }
int rename(const char *from, const char *to)
{
    return fails("rename") ? -1 : (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}
