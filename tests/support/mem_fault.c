#include "support/mem_fault.h"
#include "base/mem.h"

#include <stdio.h>
#include <stdlib.h>

static size_t calls, fail_at, live, refused;
static int hit;

static void print_figure(void)
{
    printf("figure: allocations made to fail, each met by a clean error: %zu\n", refused);
}

void mem_fault_set(size_t k)
{
    calls = 0;
    fail_at = k;
    hit = 0;
}
size_t mem_fault_calls(void) { return calls; }
int mem_fault_hit(void) { return hit; }
size_t mem_fault_live(void) { return live; }

static int refuse(void)
{
    calls++;
    if (!fail_at || calls != fail_at) return 0;
    if (!refused++) atexit(print_figure);
    return hit = 1;
}

void *mem_alloc(size_t bytes)
{
    void *block = refuse() ? NULL : malloc(bytes ? bytes : 1);
    live += block != NULL;
    return block;
}

void *mem_zeroed(size_t count, size_t size)
{
    void *block = refuse() ? NULL : calloc(count ? count : 1, size ? size : 1);
    live += block != NULL;
    return block;
}

void *mem_resize(void *old, size_t bytes)
{
    void *block = refuse() ? NULL : realloc(old, bytes ? bytes : 1);
    live += block != NULL && old == NULL;
    return block;
}

void mem_free(void *block)
{
    live -= block != NULL;
    free(block);
}
