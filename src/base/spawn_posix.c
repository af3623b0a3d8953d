#include "base/spawn.h"
#include "base/draft.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <time.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* What the child does between fork and exec: only calls that are safe there. */
static void become(const char *const *arguments, int input, int output)
{
    const int nowhere = open("/dev/null", O_WRONLY);
    if (nowhere < 0 || dup2(input, 0) < 0 || dup2(output, 1) < 0 || dup2(nowhere, 2) < 0) _exit(126);
    execvp(arguments[0], (char *const *)arguments);
    _exit(errno == ENOENT ? 127 : 126);
}

mech_status spawn_with_input(const char *const *arguments, const char *input, size_t length, const char *output)
{
    int ends[2];
    const int file = open(output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (file < 0) return MECH_ERR_FILE;
    if (pipe(ends) != 0) {
        close(file);
        return MECH_ERR_FILE;
    }
    (void)fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    /* a child that ends early must not end us by a signal: block SIGPIPE in this thread while we write */
    sigset_t pipe_signal, before;
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    (void)sigprocmask(SIG_BLOCK, &pipe_signal, &before);
    const pid_t child = fork();
    if (child == 0) {
        (void)sigprocmask(SIG_SETMASK, &before, NULL);
        become(arguments, ends[0], file);
    }
    close(ends[0]);
    close(file);
    const int sent = child > 0 && draft_write(ends[1], input, length);
    close(ends[1]);
    int result = 0, waited = 0;
    struct stat made;
    while (child > 0 && (waited = waitpid(child, &result, 0)) < 0 && errno == EINTR) {
    }
    /* who ignores SIGCHLD is not told how it ended: by what it made */
    if (waited < 0 && (stat(output, &made) != 0 || made.st_size == 0)) result = 1 << 8;
    const struct timespec now = {0, 0};
    while (sigtimedwait(&pipe_signal, NULL, &now) > 0) {
    }
    (void)sigprocmask(SIG_SETMASK, &before, NULL);
    if (child > 0 && WIFEXITED(result) && WEXITSTATUS(result) == 127) return MECH_ERR_UNSUPPORTED;
    return sent && WIFEXITED(result) && WEXITSTATUS(result) == 0 ? MECH_OK : MECH_ERR_FILE;
}
