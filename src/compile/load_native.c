/* From C text to functions: the compiler is run without a shell on a file in a folder of our own, the result
   is loaded, and moved into the cache in one step, so that runs beside this one see a whole file or none. */
#include "compile/native.h"

#include "base/mem.h"
#include "base/try.h"
#include "compile/cache_native.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

struct native_code {
    void *library;
    native_parameters parameters;
    native_motion motion;
};

/* No -ffast-math: it undoes the reduction of angles. */
static const char *const common[] = {"-std=c99",
                                     "-march=native",
                                     "-ffp-contract=fast",
                                     "-fno-math-errno",
                                     "-fno-tree-slp-vectorize",
                                     "-fno-tree-vectorize",
                                     "-fPIC",
                                     "-shared",
                                     "-w"};
/* Contraction of a*b + c is one of the expensive optimizations. */
static const char *const special[][2] = {[NATIVE_USUAL] = {"-O2", "-fschedule-insns"},
                                         [NATIVE_SCHEDULED] = {"-O2", NULL},
                                         [NATIVE_LONG] = {"-O1", "-fexpensive-optimizations"}};
enum { COMMON = sizeof common / sizeof *common };

typedef struct places {
    char folder[CACHE_PATH], source[CACHE_PATH], object[CACHE_PATH], temporary[CACHE_PATH], kept[CACHE_PATH];
    int hold; /* an open file, or none when negative */
} places;

/* ---- the compiler ---- */

/* The program a name stands for, by PATH; 1 when there is one that can be run. */
static int find_program(const char *name, char path[CACHE_PATH])
{
    if (strchr(name, '/')) return snprintf(path, CACHE_PATH, "%s", name) < CACHE_PATH && access(path, X_OK) == 0;
    for (const char *at = getenv("PATH"); at && *at;) {
        const size_t length = strcspn(at, ":");
        const int fits = snprintf(path, CACHE_PATH, "%.*s/%s", (int)length, at, name) < CACHE_PATH;
        if (length > 0 && *at == '/' && fits && access(path, X_OK) == 0) return 1;
        at += length + (at[length] == ':');
    }
    return 0;
}

/* What the machine code depends on besides the source: compiler, flags, processor. */
static void hash_machine(cache_hash *h, const char *compiler, native_kind kind)
{
    struct stat s;
    cache_hash_add(h, compiler, strlen(compiler));
    if (stat(compiler, &s) == 0) {
        const int64_t facts[2] = {(int64_t)s.st_size, (int64_t)s.st_mtime};
        cache_hash_add(h, facts, sizeof facts);
    }
    for (int i = 0; i < COMMON; i++) cache_hash_add(h, common[i], strlen(common[i]));
    for (int i = 0; i < 2 && special[kind][i]; i++) cache_hash_add(h, special[kind][i], strlen(special[kind][i]));
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[4096];
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, "flags", 5) == 0 || strncmp(line, "Features", 8) == 0) {
            cache_hash_add(h, line, strlen(line));
            break;
        }
    if (file) fclose(file);
}

static const char *const failed = "the compiler failed";

/* NULL: ended well; else why not. The clock only ends a compiler that hangs, and the caller one that nobody
   waits for. */
static const char *wait_for(pid_t child, const char *object, double timeout, const volatile sig_atomic_t *interrupt)
{
    struct timespec start, now;
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (int result;;) {
        const pid_t done = waitpid(child, &result, WNOHANG);
        if (done == child) return WIFEXITED(result) && WEXITSTATUS(result) == 0 ? NULL : failed;
        if (done < 0 && errno == ECHILD)
            return access(object, F_OK) == 0 ? NULL : failed; /* who ignores SIGCHLD is not told how it ended */
        if (done < 0 && errno != EINTR) return failed;
        clock_gettime(CLOCK_MONOTONIC, &now);
        if ((double)(now.tv_sec - start.tv_sec) > timeout || (interrupt && *interrupt)) {
            (void)kill(-child, SIGKILL);
            while (waitpid(child, &result, 0) < 0 && errno == EINTR) {
            }
            return "the compiler took too long and was ended";
        }
        (void)nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
}

/* Our environment with TMPDIR=folder in it, made in `setting`; freed by the caller, NULL when out of memory.
 */
static char **environment(const char *folder, char setting[CACHE_PATH + 8])
{
    size_t count = 0, kept = 0;
    while (environ[count]) count++;
    char **all = mem_zeroed(count + 2, sizeof *all);
    if (!all) return NULL;
    for (size_t i = 0; i < count; i++)
        if (strncmp(environ[i], "TMPDIR=", 7) != 0) all[kept++] = environ[i];
    snprintf(setting, CACHE_PATH + 8, "TMPDIR=%s", folder);
    all[kept] = setting;
    return all;
}

/* NULL: it ended well; else why not. */
static const char *run_compiler(const char *compiler, const places *p, const native_settings *s)
{
    const char *arguments[COMMON + 8];
    int count = 0;
    arguments[count++] = compiler;
    for (int i = 0; i < 2 && special[s->kind][i]; i++) arguments[count++] = special[s->kind][i];
    for (int i = 0; i < COMMON; i++) arguments[count++] = common[i];
    arguments[count++] = "-o";
    arguments[count++] = p->object;
    arguments[count++] = p->source;
    arguments[count++] = "-lm";
    arguments[count] = NULL;
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    if (posix_spawn_file_actions_init(&actions) != 0) return failed;
    if (posix_spawnattr_init(&attributes) != 0) {
        posix_spawn_file_actions_destroy(&actions);
        return failed;
    }
    int ready = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0) == 0;
    ready = posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0) == 0 && ready;
    ready = posix_spawn_file_actions_adddup2(&actions, 1, 2) == 0 && ready;
    ready = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP) == 0 && ready;
    ready = posix_spawnattr_setpgroup(&attributes, 0) == 0 && ready;
    char setting[CACHE_PATH + 8], **variables = environment(p->temporary, setting);
    pid_t child;
    ready = ready && variables &&
            posix_spawn(&child, compiler, &actions, &attributes, (char *const *)(uintptr_t)arguments, variables) == 0;
    mem_free(variables);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    return ready ? wait_for(child, p->object, s->timeout > 0 ? s->timeout : 60, s->interrupt) : failed;
}

/* ---- files ---- */

static const char *const no_place = "there is no folder in which the compiler could work";

static int write_file(const char *path, const char *text, size_t length)
{
    const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (file < 0) return 0;
    int done = 1;
    for (size_t at = 0; done && at < length;) {
        const ssize_t count = write(file, text + at, length - at);
        if (count < 0 && errno == EINTR) continue;
        done = count > 0;
        at += done ? (size_t)count : 0;
    }
    return close(file) == 0 && done;
}

static void clear_places(const places *p)
{
    cache_remove_work(p->folder);
    if (p->hold >= 0) close(p->hold);
}

/* A folder of our own, beside the cache or where temporary files go: only in the cache may another clear it
 * at once. */
static int make_places(const char *cache, const char *temporary, const char *name, places *p)
{
    const char *base = cache ? cache : temporary && temporary[0] == '/' ? temporary : "/tmp";
    enum { MOST_TRIES = 8 };
    int fits = 1;
    p->hold = CACHE_TAKEN;
    for (int i = 0; i < MOST_TRIES && p->hold == CACHE_TAKEN; i++) {
        fits = snprintf(p->folder, CACHE_PATH, "%s/" CACHE_WORK, base) < CACHE_PATH;
        if (!fits || !mkdtemp(p->folder)) return 0;
        p->hold = cache ? cache_hold(p->folder) : -1;
    }
    if (p->hold == CACHE_TAKEN) return 0;
    fits = snprintf(p->source, CACHE_PATH, "%s/" CACHE_SOURCE, p->folder) < CACHE_PATH;
    fits = snprintf(p->object, CACHE_PATH, "%s/" CACHE_OBJECT, p->folder) < CACHE_PATH && fits;
    fits = snprintf(p->temporary, CACHE_PATH, "%s/" CACHE_TEMPORARY, p->folder) < CACHE_PATH && fits;
    fits = fits && mkdir(p->temporary, 0700) == 0;
    p->kept[0] = 0;
    if (cache) fits = snprintf(p->kept, CACHE_PATH, "%s/%s.so", cache, name) < CACHE_PATH && fits;
    if (!fits) clear_places(p);
    return fits;
}

/* ---- loading ---- */

static void *symbol(void *library, const char *prefix, const char *rest)
{
    char name[128];
    if (snprintf(name, sizeof name, "%s_%s", prefix, rest) >= (int)sizeof name) return NULL;
    return dlsym(library, name);
}

static mech_status open_library(const char *path, const char *prefix, native_code **result)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) return MECH_ERR_UNSUPPORTED;
    native_code *code = mem_zeroed(1, sizeof *code);
    if (!code) {
        dlclose(library);
        return MECH_ERR_MEMORY;
    }
    code->library = library;
    void *parameters = symbol(library, prefix, "parameters"), *motion = symbol(library, prefix, "motion");
    memcpy(&code->parameters, &parameters, sizeof parameters); /* the way POSIX gives from object to function */
    memcpy(&code->motion, &motion, sizeof motion);
    if (!parameters || !motion) {
        native_free(code);
        return MECH_ERR_UNSUPPORTED;
    }
    *result = code;
    return MECH_OK;
}

static mech_status compile_at(const char *compiler, const char *source, size_t length, const char *prefix,
                              const native_settings *s, const places *p, native_code **code, const char **why)
{
    *why = write_file(p->source, source, length) ? run_compiler(compiler, p, s) : no_place;
    if (*why) return MECH_ERR_UNSUPPORTED;
    const mech_status status = cache_seal(p->object) ? open_library(p->object, prefix, code) : MECH_ERR_UNSUPPORTED;
    if (status != MECH_OK) *why = "what the compiler made cannot be loaded";
    else if (p->kept[0]) (void)rename(p->object, p->kept);
    return status;
}

mech_status native_load(const char *source, size_t length, const char *prefix, const native_settings *settings,
                        native_code **code, native_outcome *outcome)
{
    static const native_settings defaults = {0};
    const native_settings *s = settings ? settings : &defaults;
    char compiler[CACHE_PATH], folder[CACHE_PATH], name[CACHE_NAME], kept[CACHE_PATH + 64];
    const char *given = s->compiler ? s->compiler : getenv("MECH_CC");
    *code = NULL;
    *outcome = (native_outcome){.why = "the compiler was not found"};
    if (!find_program(given && *given ? given : "cc", compiler)) return MECH_ERR_UNSUPPORTED;
    cache_hash h;
    cache_hash_start(&h);
    cache_hash_add(&h, source, length);
    hash_machine(&h, compiler, s->kind);
    cache_hash_name(&h, name);
    const int has_cache = cache_folder(s->cache, folder);
    snprintf(kept, sizeof kept, "%s/%s.so", has_cache ? folder : "", name);
    if (has_cache && cache_is_sound(kept) && open_library(kept, prefix, code) == MECH_OK) {
        *outcome = (native_outcome){.was_cached = 1};
        return MECH_OK;
    }
    if (has_cache) cache_clear_leftovers(folder);
    places p;
    const char *temporary = getenv("TMPDIR");
    outcome->why = no_place;
    if (!(has_cache && make_places(folder, NULL, name, &p)) && !make_places(NULL, temporary, name, &p))
        return MECH_ERR_UNSUPPORTED;
    const mech_status status = compile_at(compiler, source, length, prefix, s, &p, code, &outcome->why);
    clear_places(&p);
    return status;
}

void native_free(native_code *code)
{
    if (!code) return;
    dlclose(code->library);
    mem_free(code);
}

native_parameters native_get_parameters(const native_code *code) { return code->parameters; }
native_motion native_get_motion(const native_code *code) { return code->motion; }
