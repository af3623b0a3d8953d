#define _GNU_SOURCE
/* Preloaded before a whole program: the k-th call of malloc, calloc or realloc after main has begun fails, whoever
   makes it. FAIL_AT=k; FAIL_LOG=FILE receives the name of the library that made that call, when it was reached.
   FAIL_COUNT=FILE receives how many such calls there were, FAIL_HELD=FILE how many blocks were not given back at the
   end. FAIL_BYTES=n: or memory ends, as it does on a full machine: what would be more than n bytes at once is refused,
   and what is given back may be had again.
   Programs that this one starts have all the memory they want. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void __libc_free(void *);

static atomic_long left;       /* 0: none is to fail */
static atomic_long calls;      /* since main has begun */
static atomic_long held;       /* blocks */
static atomic_long room, used; /* bytes; room 0: no end to it */

/* Without a call of malloc. */
static void write_to(const char *path, const char *text)
{
    const int file = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600) : -1;
    if (file >= 0 && write(file, text, strlen(text)) >= 0) close(file);
}

static void tell(const void *caller)
{
    Dl_info about;
    const char *name = dladdr(caller, &about) && about.dli_fname ? about.dli_fname : "?", *slash = strrchr(name, '/');
    write_to(getenv("FAIL_LOG"), slash ? slash + 1 : name);
}

static void write_number(const char *path, long n)
{
    char digits[24], *at = digits + sizeof digits - 1;
    *at = '\0';
    do *--at = (char)('0' + n % 10);
    while (n /= 10);
    write_to(path, at);
}

__attribute__((destructor)) static void tell_numbers(void)
{
    const long n = atomic_load(&held);
    write_number(getenv("FAIL_COUNT"), atomic_load(&calls));
    write_number(getenv("FAIL_HELD"), n > 0 ? n : 0);
}

static int refuse(const void *caller, size_t size, size_t instead)
{
    const long limit = atomic_load(&room);
    atomic_fetch_add(&calls, 1);
    int refused = limit > 0 && atomic_load(&used) + (long)size - (long)instead > limit;
    if (atomic_load(&left) > 0 && atomic_fetch_sub(&left, 1) == 1) refused = 1;
    if (!refused) return 0;
    tell(caller);
    errno = ENOMEM; /* last: the others set it too */
    return 1;
}

static void *counted(void *block)
{
    if (!block) return NULL;
    atomic_fetch_add(&used, (long)malloc_usable_size(block));
    atomic_fetch_add(&held, 1);
    return block;
}

static void given_back(const void *block, size_t bytes)
{
    if (!block) return;
    atomic_fetch_sub(&used, (long)bytes);
    atomic_fetch_sub(&held, 1);
}

typedef int main_function(int, char **, char **);
static main_function *real_main;

static int begin(int count, char **words, char **environment)
{
    const char *at = getenv("FAIL_AT"), *bytes = getenv("FAIL_BYTES");
    unsetenv("LD_PRELOAD");
    atomic_store(&calls, 0);
    atomic_store(&room, bytes ? atol(bytes) : 0);
    atomic_store(&left, at ? atol(at) : 0);
    return real_main(count, words, environment);
}

int __libc_start_main(main_function *main, int count, char **words, void (*init)(void), void (*fini)(void),
                      void (*rtld)(void), void *end)
{
    int (*start)(main_function *, int, char **, void (*)(void), void (*)(void), void (*)(void), void *);
    *(void **)&start = dlsym(RTLD_NEXT, "__libc_start_main");
    real_main = main;
    return start(begin, count, words, init, fini, rtld, end);
}

void *malloc(size_t size) { return refuse(__builtin_return_address(0), size, 0) ? NULL : counted(__libc_malloc(size)); }
void *calloc(size_t count, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes)) bytes = (size_t)-1 / 2;
    return refuse(__builtin_return_address(0), bytes, 0) ? NULL : counted(__libc_calloc(count, size));
}
void *realloc(void *block, size_t size)
{
    const size_t before = block ? malloc_usable_size(block) : 0;
    if (refuse(__builtin_return_address(0), size, before)) return NULL;
    void *moved = __libc_realloc(block, size);
    if (moved || size == 0) given_back(block, before);
    return counted(moved);
}
void free(void *block)
{
    given_back(block, malloc_usable_size(block));
    __libc_free(block);
}
