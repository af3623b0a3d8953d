#include "base/lock.h"

#include <errno.h>
#include <sys/file.h>
#include <sys/stat.h>

lock_answer lock_file(int file)
{
    int result;
    do result = flock(file, LOCK_EX | LOCK_NB);
    while (result != 0 && errno == EINTR);
    if (result == 0) return LOCK_HELD;
    return errno == EWOULDBLOCK ? LOCK_TAKEN : LOCK_NONE;
}

/* Is what is open still what stands at the path? */
static int is_there(int file, const char *path)
{
    struct stat opened, named;
    return fstat(file, &opened) == 0 && stat(path, &named) == 0 && opened.st_dev == named.st_dev &&
           opened.st_ino == named.st_ino;
}

lock_answer lock_file_at(int file, const char *path)
{
    const lock_answer answer = lock_file(file);
    return is_there(file, path) ? answer : LOCK_TAKEN;
}
