#define _GNU_SOURCE
/* Preloaded before a whole program: the k-th call of malloc, calloc or realloc after main has begun fails, whoever makes it.
   FAIL_AT=k; FAIL_LOG=FILE receives an x when that call was reached. */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);

static atomic_long left; /* 0: none is to fail */

static int refuse(void)
{
    if (atomic_load(&left) <= 0 || atomic_fetch_sub(&left, 1) != 1) return 0;
    const char *log = getenv("FAIL_LOG");
    const int file = log ? open(log, O_WRONLY | O_CREAT | O_APPEND, 0600) : -1;
    if (file >= 0 && write(file, "x", 1) == 1) close(file);
    return 1;
}

typedef int main_function(int, char **, char **);
static main_function *real_main;

static int begin(int count, char **words, char **environment)
{
    const char *text = getenv("FAIL_AT");
    atomic_store(&left, text ? atol(text) : 0);
    return real_main(count, words, environment);
}

int __libc_start_main(main_function *main, int count, char **words, void (*init)(void), void (*fini)(void), void (*rtld)(void), void *end)
{
    int (*start)(main_function *, int, char **, void (*)(void), void (*)(void), void (*)(void), void *);
    *(void **)&start = dlsym(RTLD_NEXT, "__libc_start_main");
    real_main = main;
    return start(begin, count, words, init, fini, rtld, end);
}

void *malloc(size_t size) { return refuse() ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return refuse() ? NULL : __libc_calloc(count, size); }
void *realloc(void *block, size_t size) { return refuse() ? NULL : __libc_realloc(block, size); }
