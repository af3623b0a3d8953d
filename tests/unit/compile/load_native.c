/* Compiling and the cache: whatever stands there, the answer is right or the interpreter's. */
#include "check.h"

#include "compile/native.h"

#include <fcntl.h>
#include <glob.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char source[] = "int f_parameters(const double *p, double *k) { k[0] = 2*p[0]; return 0; }\n"
                             "int f_motion(const double *k, double t, const double *q, const double *v,\n"
                             "             const double *z, const double *u, double *qdd, double *lambda,\n"
                             "             double *more, double *w) { qdd[0] = k[0] + t + q[0]; return 5; }\n";
static char folder[256];

static native_outcome outcome;

static mech_status load(const char *text, const native_settings *settings, native_code **code)
{
    const mech_status status = native_load(text, strlen(text), "f", settings, code, &outcome);
    CHECK((status == MECH_OK) == (*code != NULL) && (status == MECH_OK) == (outcome.why == NULL));
    return status;
}

/* There is no code, and it says why. */
static void check_none(const char *text, const native_settings *settings, const char *why)
{
    native_code *code = NULL;
    CHECK(load(text, settings, &code) == MECH_ERR_UNSUPPORTED && !code);
    CHECK_TEXT(outcome.why ? outcome.why : "", why);
}

static int works(native_code *code)
{
    const double p[1] = {3}, q[1] = {4};
    double k[1], qdd[1];
    if (!code || native_get_parameters(code)(p, k) != 0) return 0;
    const int flags = native_get_motion(code)(k, 1, q, q, q, q, qdd, qdd, qdd, qdd);
    return flags == 5 && qdd[0] == 11;
}

/* Loads, tries, frees; returns whether it came from the cache, -1 when it does not work. */
static int try_once(const char *cache)
{
    const native_settings settings = {.cache = cache};
    native_code *code = NULL;
    const int fine = load(source, &settings, &code) == MECH_OK && works(code);
    native_free(code);
    return fine ? outcome.was_cached : -1;
}

/* The one file in the cache, overwritten. */
static void spoil(const char *cache, const char *with, size_t length, int truncates)
{
    char pattern[300];
    glob_t files;
    snprintf(pattern, sizeof pattern, "%s/*.so", cache);
    CHECK(glob(pattern, 0, NULL, &files) == 0 && files.gl_pathc == 1);
    const int file = open(files.gl_pathv[0], O_WRONLY | (truncates ? O_TRUNC : 0));
    CHECK(file >= 0 && write(file, with, length) == (ssize_t)length);
    close(file);
    globfree(&files);
}

static void cache(void)
{
    char at[300];
    snprintf(at, sizeof at, "%s/cache", folder);
    CHECK(try_once(at) == 0);
    CHECK(try_once(at) == 1);
    spoil(at, "not an object", 13, 1); /* short garbage    */
    CHECK(try_once(at) == 0);
    CHECK(try_once(at) == 1);
    spoil(at, "xxxx", 4, 0); /* a damaged start, full length */
    CHECK(try_once(at) == 0);
    spoil(at, "", 0, 1); /* empty */
    CHECK(try_once(at) == 0);
    CHECK(try_once(at) == 1);
    CHECK(try_once("") == 0); /* none */
}

static void bad_folders(void)
{
    char at[300];
    CHECK(try_once("relative") == 0); /* not used */
    CHECK(access("relative", F_OK) != 0);
    snprintf(at, sizeof at, "%s/no/such", folder);
    CHECK(try_once(at) == 0);
    snprintf(at, sizeof at, "%s/; touch hostile; $(touch hostile) ' \"", folder);
    CHECK(try_once(at) == 0);
    CHECK(try_once(at) == 1);
    CHECK(access("hostile", F_OK) != 0);
    snprintf(at, sizeof at, "%s/locked", folder);
    CHECK(mkdir(at, 0500) == 0);
    CHECK(try_once(at) >= 0);
    snprintf(at, sizeof at, "%s/open", folder); /* anyone may write there: not trusted */
    CHECK(mkdir(at, 0700) == 0 && chmod(at, 0777) == 0);
    CHECK(try_once(at) == 0);
    CHECK(try_once(at) == 0);
}

static void bad_compilers(void)
{
    static const char *const names[] = {"no-such-compiler", "cc; touch hostile"};
    for (size_t i = 0; i < 2; i++) {
        const native_settings settings = {.compiler = names[i], .cache = ""};
        check_none(source, &settings, "the compiler was not found");
    }
    const native_settings fails = {.compiler = "/bin/false", .cache = ""};
    check_none(source, &fails, "the compiler failed");
    const native_settings is_folder = {.compiler = "/", .cache = ""};
    check_none(source, &is_folder, "the compiler failed");
    const native_settings none = {.cache = ""};
    check_none("syntax error", &none, "the compiler failed");
    check_none("int x;", &none, "what the compiler made cannot be loaded");
    char script[300];
    snprintf(script, sizeof script, "%s/hang", folder);
    FILE *file = fopen(script, "w");
    fputs("#!/bin/sh\nsleep 100\n", file);
    fclose(file);
    chmod(script, 0700);
    const native_settings hangs = {.compiler = script, .cache = "", .timeout = 0.5};
    check_none(source, &hangs, "the compiler took too long and was ended");
}

/* Daemons ignore SIGCHLD, and what they start inherits it: nobody is told then how a child ended. */
static void ignored_children(void)
{
    char at[300];
    snprintf(at, sizeof at, "%s/ignored", folder);
    (void)signal(SIGCHLD, SIG_IGN);
    CHECK(try_once(at) == 0);
    CHECK(try_once(at) == 1);
    const native_settings fails = {.compiler = "/bin/false", .cache = ""}, none = {.cache = ""};
    check_none(source, &fails, "the compiler failed");
    check_none("syntax error", &none, "the compiler failed");
    (void)signal(SIGCHLD, SIG_DFL);
}

static void at_the_same_time(void)
{
    char at[300];
    snprintf(at, sizeof at, "%s/shared", folder);
    pid_t children[8];
    for (int i = 0; i < 8; i++) {
        children[i] = fork();
        if (children[i] == 0) _exit(try_once(at) >= 0 ? 0 : 1);
    }
    for (int i = 0; i < 8; i++) {
        int result = 1;
        CHECK(waitpid(children[i], &result, 0) == children[i] && WIFEXITED(result) && WEXITSTATUS(result) == 0);
    }
    CHECK(try_once(at) == 1);
}

static void remove_all(void)
{
    const char *const arguments[] = {"rm", "-rf", folder, NULL};
    if (fork() == 0) {
        execvp("rm", (char *const *)(uintptr_t)arguments);
        _exit(1);
    }
    wait(NULL);
}

int main(void)
{
    const char *base = getenv("TMPDIR");
    snprintf(folder, sizeof folder, "%s/mech-test.XXXXXX", base ? base : "/tmp");
    CHECK(mkdtemp(folder) != NULL);
    cache();
    bad_folders();
    bad_compilers();
    ignored_children();
    at_the_same_time();
    remove_all();
    return check_report();
}
