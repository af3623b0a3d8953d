#include "support/mem_fault.h"
#include "base/mem.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

static size_t calls, fail_at, live, failed;
static int hit;

/* At the end of every program that lets allocations fail: how many. */
static void tell(void) { printf("figure: allocations failed (%s): %zu\n", program_invocation_short_name, failed); }

void mem_fault_set(size_t k)
{
    static int tells;
    if (!tells) tells = atexit(tell) == 0;
    failed += hit != 0;
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
