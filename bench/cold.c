/* `mech run` of a small model without native code, start to exit: a process each time, and beside it a
 * process that does nothing, in turns; 101 rows, whatever the motion is like; the clock on the wall, and the
 * time of the processor, which other work disturbs less. Further commands may be given as arguments, to be
 * compared in the same run: bench_cold /other/build/mech */
#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 50, MOST = 8 };
static const double aim = 20; /* ms */

extern char **environ;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static double milliseconds(struct timeval t) { return (double)t.tv_sec * 1e3 + (double)t.tv_usec * 1e-3; }

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Milliseconds from start to exit, and of the processor; ends this program when the other fails. */
static void once(char *program, char *output, double *wall, double *processor)
{
    char *run[] = {
        program,   "run", "examples/double-pendulum/model.mech", "--no-native", "--points", "101", "-o", output,
        "--quiet", NULL};
    char *nothing[] = {"true", NULL};
    pid_t child;
    int result = 0;
    struct rusage used = {0};
    const double start = now();
    const int failed = program ? posix_spawn(&child, program, NULL, NULL, run, environ)
                               : posix_spawnp(&child, "true", NULL, NULL, nothing, environ);
    if (failed || wait4(child, &result, 0, &used) != child || result != 0) {
        fprintf(stderr, "cold: '%s' fails\n", program ? program : "true");
        exit(1);
    }
    *wall = now() - start;
    *processor = milliseconds(used.ru_utime) + milliseconds(used.ru_stime);
}

int main(int count, char **words)
{
    static double took[MOST][ROUNDS], used[MOST][ROUNDS];
    char own[PATH_MAX] = "", beside[PATH_MAX + 8], output[] = "/tmp/mech-cold-XXXXXX.csv";
    char *programs[MOST] = {NULL, beside}; /* the first does nothing */
    int kinds = 2;
    const int file = mkstemps(output, 4);
    if (file < 0 || readlink("/proc/self/exe", own, sizeof own - 1) < 0) return 1;
    close(file);
    snprintf(beside, sizeof beside, "%s/mech", dirname(own));
    unsetenv("OPENBLAS_NUM_THREADS"); /* as a user runs it */
    for (int i = 1; i < count && kinds < MOST; i++) programs[kinds++] = words[i];
    for (int round = 0; round < ROUNDS; round++)
        for (int k = 0; k < kinds; k++) once(programs[k], output, &took[k][round], &used[k][round]);
    unlink(output);
    printf("double pendulum from nothing, start to exit, %d processes each in turns; aim %g ms\n", ROUNDS, aim);
    printf("%10s %10s %18s\n", "least ms", "median ms", "processor: least");
    for (int k = 0; k < kinds; k++) {
        qsort(took[k], ROUNDS, sizeof **took, by_size);
        qsort(used[k], ROUNDS, sizeof **used, by_size);
        const char *name = k == 0 ? "a process that does nothing" : k == 1 ? "mech run" : programs[k];
        printf("%10.2f %10.2f %18.2f  %s\n", took[k][0], took[k][ROUNDS / 2], used[k][0], name);
    }
    return 0;
}
